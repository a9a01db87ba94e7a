"""Lambdas, local functions and local classes, moved to where a worker finds them."""

from __future__ import annotations

import ast
import builtins
from textwrap import dedent

import libcst as cst
import pytest

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.hoist import hoist
from loaderlint.writers.python.places import nodes

Definition = cst.Lambda | cst.FunctionDef | cst.ClassDef


def found(module: cst.Module, marked: str) -> cst.CSTNode:
    """Return the first definition whose code, comments and decorators included, begins with this text."""
    return next(
        node
        for node in nodes(module)
        if isinstance(node, Definition) and module.code_for_node(node).strip().startswith(marked)
    )


def hoisted(code: str, marked: str) -> tuple[str, str]:
    module = cst.parse_module(dedent(code).lstrip("\n"))
    new, unsafe = hoist(module, found(module, marked))
    ast.parse(new.code)
    return new.code, unsafe


SHAPES = {
    "collate_fn": (
        """
        from data import DataLoader, rows


        def main():
            for batch in DataLoader(rows, collate_fn=lambda batch: list(batch)):
                print(batch)
        """,
        "lambda",
        """
        from data import DataLoader, rows


        def collate_fn(batch):
            return list(batch)


        def main():
            for batch in DataLoader(rows, collate_fn=collate_fn):
                print(batch)
        """,
    ),
    "defaults, stars and several lines": (
        """
        from data import DataLoader, pad, rows

        SIZE = 3

        # All of it.
        loader = DataLoader(
            rows,
            worker_init_fn=lambda worker, *rest, size=SIZE, **more: pad(worker)
            + size,
        )
        """,
        "lambda",
        """
        from data import DataLoader, pad, rows

        SIZE = 3


        def worker_init_fn(worker, *rest, size=SIZE, **more):
            return (pad(worker)
                + size)


        # All of it.
        loader = DataLoader(
            rows,
            worker_init_fn=worker_init_fn,
        )
        """,
    ),
    "lines that stand together": (
        """
        from data import DataLoader, load

        rows = load()
        # Two at a time.
        loader = DataLoader(rows, collate_fn=lambda batch: batch)
        """,
        "lambda",
        """
        from data import DataLoader, load


        def collate_fn(batch):
            return batch


        rows = load()
        # Two at a time.
        loader = DataLoader(rows, collate_fn=collate_fn)
        """,
    ),
    "under a guard": (
        """
        from data import DataLoader, rows

        if __name__ == "__main__":
            keep = lambda batch: batch
            loader = DataLoader(rows, collate_fn=keep)
        """,
        "lambda",
        """
        from data import DataLoader, rows


        def keep(batch):
            return batch


        if __name__ == "__main__":
            loader = DataLoader(rows, collate_fn=keep)
        """,
    ),
    "a function under a guard": (
        """
        if __name__ == "__main__":
            from data import DataLoader, rows

            def keep(batch):
                return batch

            loader = DataLoader(rows, collate_fn=keep)
        """,
        "def keep",
        """
        def keep(batch):
            return batch


        if __name__ == "__main__":
            from data import DataLoader, rows

            loader = DataLoader(rows, collate_fn=keep)
        """,
    ),
    "a name of its own, at the top level": (
        """
        from data import rows
        keep = lambda batch: batch  # as it is
        print(keep(rows))
        """,
        "lambda",
        """
        from data import rows


        def keep(batch):
            return batch  # as it is


        print(keep(rows))
        """,
    ),
    "a name of its own, in a function": (
        """
        from data import DataLoader, rows

        def main():
            # Leave them.
            keep = lambda batch: batch
            return DataLoader(rows, collate_fn=keep)
        """,
        "lambda",
        """
        from data import DataLoader, rows


        # Leave them.
        def keep(batch):
            return batch


        def main():
            return DataLoader(rows, collate_fn=keep)
        """,
    ),
    "a dictionary, an attribute": (
        """
        OPTIONS = {"collate_fn": lambda batch: batch}
        """,
        "lambda",
        """
        def collate_fn(batch):
            return batch


        OPTIONS = {"collate_fn": collate_fn}
        """,
    ),
    "a typed file": (
        """
        from data import DataLoader, rows


        def main(size: int) -> None:
            DataLoader(rows, collate_fn=lambda batch: batch)
        """,
        "lambda",
        """
        import typing

        from data import DataLoader, rows


        def collate_fn(batch: typing.Any) -> typing.Any:
            return batch


        def main(size: int) -> None:
            DataLoader(rows, collate_fn=collate_fn)
        """,
    ),
    "a typed file, a name of its own": (
        """
        from data import rows


        def size() -> int:
            return len(rows)


        keep = lambda batch: batch
        """,
        "lambda",
        """
        import typing

        from data import rows


        def size() -> int:
            return len(rows)


        def keep(batch: typing.Any) -> typing.Any:
            return batch
        """,
    ),
    "an annotation that says the types": (
        """
        from collections.abc import Callable

        keep: Callable[[list[int], int], list] = lambda batch, more: batch
        """,
        "lambda",
        """
        from collections.abc import Callable


        def keep(batch: list[int], more: int) -> list:
            return batch
        """,
    ),
    "an annotation that says the types, in a function": (
        """
        from collections.abc import Callable
        from data import DataLoader, Row, rows


        def main():
            keep: Callable[[Row], Row] = lambda row: row
            return DataLoader(rows, collate_fn=keep)
        """,
        "lambda",
        """
        from collections.abc import Callable
        from data import DataLoader, Row, rows


        def keep(row: Row) -> Row:
            return row


        def main():
            return DataLoader(rows, collate_fn=keep)
        """,
    ),
    "an annotation that the module cannot say": (
        """
        from collections.abc import Callable


        def main():
            from data import DataLoader, Row, rows

            keep: Callable[[Row], Row] = lambda row: row
            return DataLoader(rows, collate_fn=keep)
        """,
        "lambda",
        """
        import typing
        from collections.abc import Callable


        def keep(row: typing.Any) -> typing.Any:
            return row


        def main():
            from data import DataLoader, Row, rows
            return DataLoader(rows, collate_fn=keep)
        """,
    ),
    "a local function whose name is taken": (
        """
        from data import DataLoader, rows

        def collate(batch):
            return None

        def main():
            print("begin")

            # Halves.
            def collate(batch):
                return batch if len(batch) < 2 else collate(batch[::2])

            return DataLoader(rows, collate_fn=collate), collate
        """,
        "# Halves",
        """
        from data import DataLoader, rows

        def collate(batch):
            return None


        # Halves.
        def collate_function(batch):
            return batch if len(batch) < 2 else collate_function(batch[::2])


        def main():
            print("begin")

            return DataLoader(rows, collate_fn=collate_function), collate_function
        """,
    ),
    "a decorated function, the only statement of its branch": (
        """
        import torch

        def main(fast):
            if fast:
                @torch.no_grad()
                def collate(batch):
                    text = '''
        not moved'''
                    return text
            return fast
        """,
        "@torch",
        """
        import torch


        @torch.no_grad()
        def collate(batch):
            text = '''
        not moved'''
            return text


        def main(fast):
            if fast:
                pass
            return fast
        """,
    ),
    "a local class": (
        """
        from data import DataLoader, Dataset

        class Runner:
            def run(self):
                class Rows(Dataset):
                    def __init__(self):
                        super(Rows, self).__init__()

                    def __getitem__(self, index):
                        return index

                return DataLoader(Rows())
        """,
        "class Rows",
        """
        from data import DataLoader, Dataset


        class Rows(Dataset):
            def __init__(self):
                super(Rows, self).__init__()

            def __getitem__(self, index):
                return index


        class Runner:
            def run(self):
                return DataLoader(Rows())
        """,
    ),
    "an attribute of a class, which is read by the class's name": (
        """
        from data import rows

        class Runner:
            collate = lambda batch: batch

            def run(self):
                return Runner.collate(rows)
        """,
        "lambda batch",
        """
        from data import rows

        class Runner:
            def collate(batch):
                return batch

            def run(self):
                return Runner.collate(rows)
        """,
    ),
    "a lambda that is a method of its class": (
        """
        import torch

        class Runner:
            \"\"\"Runs.\"\"\"
            size = 2
            # Puts samples together.
            collate = lambda self, batch, *, size=2: torch.stack(batch) * self.scale  # noqa: E731
            other = 1
        """,
        "lambda self",
        """
        import torch

        class Runner:
            \"\"\"Runs.\"\"\"
            size = 2

            # Puts samples together.
            def collate(self, batch, *, size=2):
                return torch.stack(batch) * self.scale

            other = 1
        """,
    ),
    "a lambda that is a static method": (
        """
        class Runner:
            collate = staticmethod(lambda batch: batch)
        """,
        "lambda batch",
        """
        def collate_lambda(batch):
            return batch


        class Runner:
            collate = staticmethod(collate_lambda)
        """,
    ),
    "a lambda that is a method among functions that say their types": (
        """
        def size() -> int:
            return 1

        class Runner:
            collate = lambda self, batch: batch
        """,
        "lambda self",
        """
        import typing

        def size() -> int:
            return 1

        class Runner:
            def collate(self, batch: typing.Any) -> typing.Any:
                return batch
        """,
    ),
    "a lambda in a table of a class": (
        """
        class Runner:
            table = {"collate": lambda batch: batch}
        """,
        "lambda batch",
        """
        def collate(batch):
            return batch


        class Runner:
            table = {"collate": collate}
        """,
    ),
    "a field of a data class": (
        """
        from dataclasses import dataclass
        from typing import Any, Callable

        @dataclass
        class Runner:
            collate: Callable[[list], Any] = lambda batch: batch
        """,
        "lambda batch",
        """
        from dataclasses import dataclass
        from typing import Any, Callable


        def collate_lambda(batch: list) -> Any:
            return batch


        @dataclass
        class Runner:
            collate: Callable[[list], Any] = collate_lambda
        """,
    ),
    "one of two functions of a name": (
        """
        from data import rows

        def main(fast):
            if fast:
                def collate(batch):
                    return batch
            else:
                collate = list
            return collate(rows)
        """,
        "def collate",
        """
        from data import rows


        def collate_function(batch):
            return batch


        def main(fast):
            if fast:
                collate = collate_function
            else:
                collate = list
            return collate(rows)
        """,
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_captures_nothing_is_moved_and_named(shape: str) -> None:
    before, marked, after = SHAPES[shape]
    assert hoisted(before, marked) == (dedent(after).lstrip("\n"), "")


AROUND = """
import functools
import os

import settings
import torch
from data import use

SIZE = 3
TABLE = {"width": 1}
late = mean = 0


class Shape:
    width = depth = 3


def widen():
    Shape.width += 1


def helped(row):
    return row * TABLE["width"]


def filled(row):
    global late
    late = late or 1
    return row + late


def main():
    BODY
"""


def differing(body: str, marked: str) -> str:
    """Return why it is unsafe to hoist a definition out of a function of a module with names of many kinds."""
    return hoisted(AROUND.replace("BODY", body), marked)[1]


CAPTURES = {
    "a lambda": (
        """
        import torch

        def main(scale, offset=1):
            size = 2
            return Loader(collate_fn=lambda batch: [scale * row + size for row in batch])
        """,
        "lambda",
        """
        import functools

        import torch


        def collate_fn(scale, size, batch):
            return [scale * row + size for row in batch]


        def main(scale, offset=1):
            size = 2
            return Loader(collate_fn=functools.partial(collate_fn, scale, size))
        """,
        "it takes `scale` and `size` from the function around it, which must pickle",
    ),
    "a local function, partial imported": (
        """
        from functools import partial as bound

        def main(scale):
            def collate(batch):
                return scale * batch
            return collate
        """,
        "def collate",
        """
        from functools import partial as bound


        def collate_function(scale, batch):
            return scale * batch


        def main(scale):
            collate = bound(collate_function, scale)
            return collate
        """,
        "it takes `scale` from the function around it, which must pickle",
    ),
    "an assigned lambda with what says that it may be one": (
        """
        import functools

        def main(scale):
            collate = lambda batch: scale * batch  # noqa: E731
            return collate
        """,
        "lambda",
        """
        import functools


        def collate_lambda(scale, batch):
            return scale * batch


        def main(scale):
            collate = functools.partial(collate_lambda, scale)
            return collate
        """,
        "it takes `scale` from the function around it, which must pickle",
    ),
    "a name from under the guard": (
        """
        import functools

        if __name__ == "__main__":
            words = load()
            loader = Loader(collate_fn=lambda batch: words[batch])
        """,
        "lambda",
        """
        import functools


        def collate_fn(words, batch):
            return words[batch]


        if __name__ == "__main__":
            words = load()
            loader = Loader(collate_fn=functools.partial(collate_fn, words))
        """,
        "it takes `words` from under the guard, which must pickle",
    ),
}


@pytest.mark.parametrize("shape", CAPTURES)
def test_what_is_captured_is_handed_over_unsafely(shape: str) -> None:
    before, marked, after, reason = CAPTURES[shape]
    assert hoisted(before, marked) == (dedent(after).lstrip("\n"), reason)


@pytest.mark.parametrize(
    ("body", "marked", "evaluated"),
    [
        ("class It:\n        cache = {}", "class It", "{}"),
        ("class It:\n        def get(me, seen=[]):\n            pass", "class It", "[]"),
        ("class It:\n        print(SIZE)", "class It", "print(SIZE)"),
        ("class It:\n        width = TABLE['width']", "class It", "TABLE['width']"),
        ("def it(batch, seen=[]):\n        pass", "def it", "[]"),
        ("@functools.lru_cache(maxsize={})\n    def it(batch):\n        pass", "@functools", "{}"),
        ("class It(chosen()):\n        pass", "class It", "chosen()"),
        ("class It(Shape, metaclass=made()):\n        pass", "class It", "made()"),
        ("use(lambda batch, mode=os.environ.get('MODE'): mode)", "lambda", "os.environ.get('MODE')"),
        ("use(lambda batch, width=settings.width: width)", "lambda", "settings.width"),
        ("use(lambda batch, width=Shape.width: width)", "lambda", "Shape.width"),
        ("use(lambda batch, pad=lambda row, to=[]: row: pad(batch))", "lambda batch", "lambda row, to=[]: row"),
    ],
)
def test_what_is_then_made_once_is_unsafe(body: str, marked: str, evaluated: str) -> None:
    assert differing(body, marked) == f"`{evaluated}` is then evaluated once, when the module is imported"


@pytest.mark.parametrize("decorator", ["register", "cached(into=1)", "steps.append"])
def test_what_a_decorator_does_once_and_in_each_worker_is_unsafe(decorator: str) -> None:
    reason = f"`@{decorator}` is then applied once, when the module is imported, and in each worker"
    assert differing(f"@{decorator}\n    def it(batch):\n        pass", f"@{decorator}") == reason


@pytest.mark.parametrize(("asked", "unsafe"), [("type(rows).__name__", True), ("rows.name", False)])
def test_a_class_that_gets_another_name_is_unsafe_where_somebody_asks_for_it(asked: str, unsafe: bool) -> None:
    body = f"class Shape(torch.nn.Module):\n        pass\n\n    use(Shape)\n    print({asked})"
    reason = differing(body, "class Shape(torch")
    assert ("`__name__` becomes 'Shape_class'" in reason) is unsafe


@pytest.mark.parametrize(
    ("asked", "unsafe"),
    [
        ("scale.__name__", True),
        ("rows.transform.__qualname__", True),
        ("[one.__name__ for one in steps]", True),
        ("type(rows).__name__", False),
        ("rows.__class__.__name__", False),
        ("Shape.__name__", False),
        ("__name__", False),
    ],
)
def test_a_lambda_gets_a_name_which_is_unsafe_where_somebody_asks_for_it(asked: str, unsafe: bool) -> None:
    reason = "its `__name__`, which is asked for, becomes another"
    assert (differing(f"use(lambda batch: batch)\n    print({asked})", "lambda") == reason) is unsafe


@pytest.mark.parametrize("change", ["type(me).made += 1", "me.__class__.made = 1", "cls.made['a'] = 1"])
def test_what_changes_its_class_is_unsafe(change: str) -> None:
    body = f"class It:\n        def get(me):\n            {change}"
    assert differing(body, "class It") == "it changes its class, which is then the same for all calls"


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        ("class It(Shape, Rows[int]):\n        def get(me):\n            me.made = type(me)", "class It"),
        ("@functools.lru_cache\n    def it(batch):\n        pass", "@functools"),
        ("class It:\n        __slots__ = ('a', 'b')\n        a: int", "class It"),
        ("class It:\n        'Rows.'\n        size = 2 * SIZE\n        area = size ** 2", "class It"),
        ("class It:\n        @property\n        def get(me, to=-1.5):\n            pass", "class It"),
        ("class It:\n        if SIZE > 2:\n            def get(me):\n                pass", "class It"),
        ("@torch.no_grad()\n    def it(batch, kind=torch.float32, of=float('inf')):\n        pass", "@torch"),
        ("use(lambda batch, size=SIZE, shape=Shape, depth=Shape.depth: size)", "lambda"),
        ("use(lambda batch, name=f'{SIZE}', pad=lambda row: row: name)", "lambda batch"),
    ],
)
def test_what_is_the_same_each_time_may_be_made_once(body: str, marked: str) -> None:
    assert differing(body, marked) == ""


@pytest.mark.parametrize(
    ("body", "marked", "path"),
    [
        ("global mean\n    mean = 1\n    use(lambda row: row - mean)", "lambda", "mean"),
        ("TABLE['width'] = 3\n    use(lambda row: TABLE['width'])", "lambda", "TABLE"),
        ("TABLE.update(width=3)\n    def it(row):\n        return helped(row)", "def it", "TABLE"),
        ("Shape.width = 4\n    use(lambda row: Shape.width)", "lambda", "Shape.width"),
    ],
)
def test_what_the_program_changes_is_read_unsafely(body: str, marked: str, path: str) -> None:
    reason = f"it reads `{path}`, which the program changes, and workers find as the module sets it"
    assert differing(body, marked) == reason


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        ("global mean\n    mean = 1\n    use(lambda row, mean: row - mean)", "lambda"),
        ("global late\n    late = 1\n    use(lambda row: widened(row))", "lambda"),
        ("use(lambda row: filled(row))", "lambda"),
        ("torch.backends.cudnn.benchmark = True\n    use(lambda row: torch.stack(row))", "lambda"),
        ("os.environ['MODE'] = 'a'\n    use(lambda row: os.environ['MODE'])", "lambda"),
    ],
)
def test_what_workers_find_alike_is_read_safely(body: str, marked: str) -> None:
    assert differing(body, marked) == ""


def test_what_is_changed_under_the_guard_is_read_unsafely() -> None:
    guard = 'if __name__ == "__main__":\n    mean = 1\n'
    inside = f"mean = 0\ndef main():\n    use(lambda row: row - mean)\n{guard}    main()\n"
    in_place = f"mean = 0\nless = lambda row: row - mean\n{guard}    use(less)\n"
    for code in (inside, in_place):
        assert "it reads `mean`" in hoisted(code, "lambda")[1]


def test_a_class_that_changes_itself_is_moved_unsafely() -> None:
    body = "class It:\n        n = 0\n        def get(me):\n            It.n += 1\n    use(It())"
    assert differing(body, "class It") == "it changes `It.n`, which is then the same for all calls"


@pytest.mark.parametrize(
    ("body", "marked", "reason"),
    [
        ("return lambda batch: A.__pad(batch)", "lambda", "`__pad`, a private name"),
        ("def it(b):\n        return A.__pad(b)", "def it", "`__pad`, a private name"),
        ("class It(A.__Base):\n        pass", "class It", "`__Base`, a private name"),
        ("def it(b):\n        return it.pad\n    it.pad = 3", "def it", "an attribute of `it` is set"),
        ("it = lambda b: b\n    it.table.size += 3", "lambda", "an attribute of `it` is set"),
        ("class It:\n        n = 0\n    It.n = 2", "class It", "an attribute of `It` is set"),
        ("return lambda batch: self.pad(batch)", "lambda", "`self`"),
        ("size = 1\n    it = lambda batch: size\n    size = 2", "lambda", "bound again"),
        ("it = lambda batch: late\n    late = 2", "lambda", "bound again"),
        ("for size in range(3):\n        use(lambda batch: size)", "lambda", "bound again"),
        ("it = [lambda batch: size for size in range(3)]", "lambda", "from one round to the next"),
        ("pad = lambda row: row\n    use(lambda batch: pad(batch))", "lambda batch", "cannot be pickled"),
        ("def pad(row):\n        return row\n    use(lambda batch: pad(batch))", "lambda", "local definition"),
        ("with open('x') as file:\n        use(lambda batch: file)", "lambda", "cannot be pickled"),
        ("lock = threading.Lock()\n    use(lambda batch: lock)", "lambda", "cannot be pickled"),
        ("import torch\n    use(lambda batch: torch.stack(batch))", "lambda", "not one at the top of the file"),
        ("size = 1\n    use(lambda batch, size=size: size)", "lambda", "its definition needs `size`"),
        ("use(lambda batch, size=LATER: size)", "lambda", "its definition needs `LATER`"),
        ("return lambda batch: super().pad(batch)", "lambda", "`super`"),
        ("n = 0\n    def it(batch):\n        nonlocal n\n        n += 1", "def it", "nonlocal"),
        ("size = 1\n    class It:\n        def get(me):\n            return size", "class It", "the class takes"),
        ("base = use()\n    class It(base):\n        pass", "class It", "its definition needs `base`"),
        ("n = 1\n    def it(b):\n        return it(b) + n", "def it", "names itself"),
        ("n = 1\n    @cache\n    def it(b):\n        return n", "@cache", "decorated"),
        ("it = lambda b: b  # type: Callable", "lambda", "the comment '# type: Callable' is about what it is assigned"),
    ],
)
def test_what_cannot_be_handed_over_stays(body: str, marked: str, reason: str) -> None:
    code = f"class A:\n  def method(self):\n    {body}\nLATER = 1\n"
    module = cst.parse_module(code)
    with pytest.raises(CannotRewrite, match=reason.replace("(", "\\(")):
        hoist(module, found(module, marked))


@pytest.mark.parametrize(
    ("body", "marked", "reason"),
    [
        (
            "import torch\n    def it(b):\n        return torch.stack(b)",
            "def it",
            "`torch`, an import, from under the guard",
        ),
        (
            "n = 1\n    class It:\n        def get(me):\n            return n",
            "class It",
            "takes `n` from under the guard",
        ),
        ("def pad(b):\n        pass\n    def it(b):\n        return pad(b)", "def it", "local definition"),
    ],
)
def test_what_cannot_be_handed_over_stays_under_the_guard(body: str, marked: str, reason: str) -> None:
    module = cst.parse_module(f'if __name__ == "__main__":\n    {body}\n')
    with pytest.raises(CannotRewrite, match=reason):
        hoist(module, found(module, marked))


@pytest.mark.parametrize("marked", ["def top", "def method", "class A"])
def test_what_a_worker_finds_already_is_not_moved(marked: str) -> None:
    module = cst.parse_module("class A:\n    def method(self):\n        pass\ndef top():\n    pass\n")
    with pytest.raises(CannotRewrite):
        hoist(module, found(module, marked))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("def main():\n    DataLoader(collate_fn=lambda b: b)\n", "collate_fn"),
        ("def collate_fn(): pass\ndef main():\n    DataLoader(collate_fn=lambda b: b)\n", "collate_fn_lambda"),
        ("def main(collate_fn):\n    DataLoader(collate_fn=lambda b: b)\n", "collate_fn_lambda"),
        (
            "from data import *\ncollate_fn()\ndef main():\n    DataLoader(collate_fn=lambda b: b)\n",
            "collate_fn_lambda",
        ),
        ("collate_fn = collate_fn_lambda = 1\nDataLoader(collate_fn=lambda b: b)\n", "collate_fn_lambda_2"),
        ("Compose(filter=lambda b: b)\n", "filter_lambda"),
        ("transforms.Lambda(lambda b: b)\n", "transform"),
        ("ColorJitter(lambda b: b)\n", "color_jitter_function"),
        ("color_jitter_function = 1\nColorJitter(lambda b: b)\n", "color_jitter_function_2"),
        ("by_name = {'x': lambda x: x}\n", "x_function"),
        ("class Rows:\n    def __init__(self, transform=lambda x: x): ...\n", "transform"),
        ("def load(rows, *, collate=lambda x: x): ...\n", "collate"),
        ("def load(rows, collate=lambda x: x): ...\ndef collate(): pass\n", "collate_lambda"),
        ("def load(rows, by=lambda x: x): ...\n", "by_function"),
        ("def load(rows, hooks=(lambda x: x,)): ...\n", "hooks"),
        ("self.chosen[0](lambda x: x)\n", "function"),
        ("self.collate: Collate = lambda x: x\n", "collate"),
        ("rows[0] = lambda x: x\n", "function"),
        ("transforms.Lambda(lambda x: x.repeat(3, 1, 1))\n", "repeat"),
        ("transforms.Lambda(lambda image: image.convert('RGB'))\n", "convert_image"),
        ("transforms.Lambda(lambda crops: torch.stack([f(crop) for crop in crops]))\n", "stack_crops"),
        ("transforms.Lambda(lambda image, size=3: pad(image, size))\n", "pad_image"),
        ("transforms.Lambda(lambda image: image.to(device))\n", "transform"),
        ("transforms.Lambda(lambda image: Image(image))\n", "transform"),
        ("transforms.Lambda(lambda x: choose[0](x))\n", "transform"),
        ("transforms.Lambda(lambda x: pad(x))\n", "pad_lambda"),
        ("MNIST(target_transform=Lambda(lambda y: y.scatter_(0, y, 1)))\n", "target_transform"),
        ("scatter = Lambda(lambda y: y.scatter_(0, y, 1))\n", "scatter_lambda"),
        ("train_transform = Compose([Lambda(lambda x: 2 * x)])\n", "train_transform_lambda"),
        ("by_split = {'train': Compose([Lambda(lambda x: 2 * x)])}\n", "train_transform"),
        ("rows = Compose([Lambda(lambda x: 2 * x)])\n", "transform"),
        ("rows.set_transform(lambda x: 2 * x)\n", "transform"),
        ("rows = rows.with_transform(lambda batch: prepare(batch))\n", "prepare_batch"),
        ("self.counts = defaultdict(lambda: 0)\n", "default_of_counts"),
        ("use(defaultdict(lambda: 0))\n", "defaultdict_function"),
        ("counts, rows = defaultdict(lambda: 4), defaultdict(list)\n", "default_of_counts"),
        ("counts, *rows = defaultdict(lambda: 4), 1, 2\n", "defaultdict_function"),
        ("several = defaultdict(lambda: 4), 1\n", "defaultdict_function"),
        ("def changes_of(names):\n    return lambda wave: wave\n", "changes_of_function"),
        ("def get_collate_fn():\n    return lambda rows: rows\n", "collate_fn"),
        ("class Rows:\n    def _make_transform(self):\n        return lambda row: row\n", "transform"),
        ("def make_by():\n    return lambda row: row\n", "by_function"),
        ("def get_():\n    return lambda row: row\n", "get_function"),
        ("def collate_fn(): pass\nval_loader = DataLoader(collate_fn=lambda b: b)\n", "val_collate_fn"),
        (
            "def collate_fn(): pass\nclass A:\n    def test_dataloader(self):\n"
            "        return DataLoader(collate_fn=lambda b: b)\n",
            "test_collate_fn",
        ),
        ("def collate_fn(): pass\ndef get_loader():\n    DataLoader(collate_fn=lambda b: b)\n", "collate_fn_lambda"),
        (
            "collate_fn = val_collate_fn = 1\nval_loader = DataLoader(collate_fn=lambda b: b)\n",
            "collate_fn_lambda",
        ),
    ],
)
def test_the_new_name_says_what_it_is_for_and_collides_with_nothing(module: str, name: str) -> None:
    tree = cst.parse_module(module)
    new, _ = hoist(tree, found(tree, "lambda"))
    before = {node.name for node in ast.parse(module).body if isinstance(node, ast.FunctionDef)}
    after = {node.name for node in ast.parse(new.code).body if isinstance(node, ast.FunctionDef)}
    assert after - before == {name}
    assert not hasattr(builtins, name)


def test_all_other_nodes_stay_the_same_objects() -> None:
    module = cst.parse_module("import a\ndef one():\n    use(f=lambda b: b)\ndef two():\n    use(g=lambda b: b)\n")
    first, second = (node for node in nodes(module) if isinstance(node, cst.Lambda))
    once, _ = hoist(module, first)
    twice, _ = hoist(once, second)
    assert not any(isinstance(node, cst.Lambda) for node in nodes(twice))
    assert module.body[0] is twice.body[0]


@pytest.mark.parametrize(
    ("above", "told"),
    [
        ("class Base:\n    def __init_subclass__(cls):\n        made.append(cls)\n", "`Base` is then told of it"),
        ("class Base(metaclass=Register):\n    pass\n", "`Register` is then told of it"),
        ("class Base(metaclass=abc.ABCMeta):\n    pass\n", ""),
        ("class Base:\n    pass\n", ""),
    ],
)
def test_a_class_that_another_is_told_of_is_made_once_unsafely(above: str, told: str) -> None:
    text = f"{above}class Middle(Base):\n    pass\ndef f():\n    class It(Middle):\n        pass\n    use(It)\n"
    _, reason = hoisted(text, "class It")
    assert told in reason
    assert bool(told) is bool(reason)


@pytest.mark.parametrize(
    ("comment", "unsafe"),
    [("# type: (int) -> None", True), ("# fmt: off", True), ("# type of the row does not matter", False)],
)
def test_a_comment_that_tells_a_tool_something_may_be_about_more(comment: str, unsafe: bool) -> None:
    _, reason = hoisted(f"def f(n):\n    {comment}\n    def it(row):\n        return row * 2\n    use(it)\n", comment)
    assert bool(reason) is unsafe


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    one = two = lambda self: 1\n",
        "class A: one = lambda self: 1\n",
        "class A:\n    one = None if SLOW else lambda self: 1\n",
        "class A:\n    if FAST:\n        one = lambda self: 1\n",
        "class A:\n    __one = lambda self: 1\n",
        "class A(Model):\n    one: Callable = lambda self: 1\n",
        "def main():\n    class A:\n        one = lambda self: 1\n",
    ],
)
def test_a_lambda_that_may_be_a_method_keeps_its_name_or_stays(code: str) -> None:
    module = cst.parse_module(code)
    with pytest.raises(CannotRewrite):
        hoist(module, found(module, "lambda"))
