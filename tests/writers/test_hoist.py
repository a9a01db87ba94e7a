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
    ("body", "marked", "reason"),
    [
        ("return lambda batch: self.pad(batch)", "lambda", "`self`"),
        ("size = 1\n    it = lambda batch: size\n    size = 2", "lambda", "bound again"),
        ("it = lambda batch: late\n    late = 2", "lambda", "bound again"),
        ("for size in range(3):\n        use(lambda batch: size)", "lambda", "bound again"),
        ("it = [lambda batch: size for size in range(3)]", "lambda", "from one round to the next"),
        ("pad = lambda row: row\n    use(lambda batch: pad(batch))", "lambda batch", "cannot be pickled"),
        ("def pad(row):\n        return row\n    use(lambda batch: pad(batch))", "lambda", "local definition"),
        ("with open('x') as file:\n        use(lambda batch: file)", "lambda", "cannot be pickled"),
        ("lock = threading.Lock()\n    use(lambda batch: lock)", "lambda", "cannot be pickled"),
        ("import torch\n    use(lambda batch: torch.stack(batch))", "lambda", "a module cannot be pickled"),
        ("size = 1\n    use(lambda batch, size=size: size)", "lambda", "its definition needs `size`"),
        ("use(lambda batch, size=LATER: size)", "lambda", "its definition needs `LATER`"),
        ("return lambda batch: super().pad(batch)", "lambda", "`super`"),
        ("n = 0\n    def it(batch):\n        nonlocal n\n        n += 1", "def it", "nonlocal"),
        ("size = 1\n    class It:\n        def get(me):\n            return size", "class It", "the class takes"),
        ("base = use()\n    class It(base):\n        pass", "class It", "its definition needs `base`"),
        ("n = 1\n    def it(b):\n        return it(b) + n", "def it", "names itself"),
        ("n = 1\n    @cache\n    def it(b):\n        return n", "@cache", "decorated"),
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
