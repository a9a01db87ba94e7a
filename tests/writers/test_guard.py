"""What goes under the guard and what stays, shape by shape."""

from __future__ import annotations

import ast
from textwrap import dedent

import libcst as cst
import pytest

from loaderlint.model.imported import NOWHERE, Imported, SettingUp
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.guard import guard
from loaderlint.writers.python.guarded_body import guard_of


def guarded(code: str, *iterating: str, imported: Imported = NOWHERE) -> tuple[str, str]:
    """Guard a script whose statements that begin with these texts iterate loaders."""
    module = cst.parse_module(code.encode())
    lines = [module.code_for_node(one).lstrip("\n") for one in module.body]
    indexes = [
        index
        for index, line in enumerate(lines)
        if any(piece.startswith(iterating) for piece in line.splitlines() if not piece.startswith("#"))
    ]
    assert len(indexes) == len(iterating)
    new, unsafe = guard(module, indexes, imported)
    ast.parse(new.bytes)
    return new.bytes.decode(), unsafe


SHAPES = {
    "comments behind what they were written for": (
        """
        from data import loader

        for epoch in range(3):
            for batch in loader:
                if batch:
                    print(batch)

                # batch.cuda()

            # print(epoch)
                # print(batch)

        print("end")
        """,
        "for epoch",
        """
        from data import loader

        if __name__ == "__main__":
            for epoch in range(3):
                for batch in loader:
                    if batch:
                        print(batch)

                    # batch.cuda()

                # print(epoch)
                    # print(batch)

            print("end")
        """,
    ),
    "lines that go on behind a backslash": (
        """
        from data import loader

        for batch in loader:
            total = batch.sum() \\
                + 1
        print("%d batches, %d in all" \\
              % (len(loader),
                 total))
        """,
        "for batch",
        """
        from data import loader

        if __name__ == "__main__":
            for batch in loader:
                total = batch.sum() \\
                    + 1
            print("%d batches, %d in all" \\
                  % (len(loader),
                     total))
        """,
    ),
    "a call of main": (
        """
        def main():
            run()


        main()
        """,
        "main()",
        """
        def main():
            run()


        if __name__ == "__main__":
            main()
        """,
    ),
    "an exit code": (
        """
        import sys
        from job import main

        sys.exit(main())
        """,
        "sys.exit",
        """
        import sys
        from job import main

        if __name__ == "__main__":
            sys.exit(main())
        """,
    ),
    "an async entry point": (
        """
        import asyncio

        async def main():
            pass

        asyncio.run(main())
        """,
        "asyncio.run",
        """
        import asyncio

        async def main():
            pass


        if __name__ == "__main__":
            asyncio.run(main())
        """,
    ),
    "definitions between what runs": (
        """
        from data import loader

        print("begin")

        def step(batch):
            return batch * RATE

        RATE = 0.1
        for batch in loader:
            step(batch)
        """,
        "for batch",
        """
        from data import loader


        def step(batch):
            return batch * RATE

        RATE = 0.1

        if __name__ == "__main__":
            print("begin")

            for batch in loader:
                step(batch)
        """,
    ),
    "the indentation of most blocks, not of the first": (
        """
        from data import loader, settings

        if settings.verbose:
             print("verbose")

        def step(batch):
            if batch:
                print(batch)

        for batch in loader:
            step(batch)
        """,
        "for batch",
        """
        from data import loader, settings


        def step(batch):
            if batch:
                print(batch)


        if __name__ == "__main__":
            if settings.verbose:
                 print("verbose")

            for batch in loader:
                step(batch)
        """,
    ),
    "a list that is filled where it cannot stay": (
        """
        import argparse
        from data import loader

        parser = argparse.ArgumentParser()
        options = parser.parse_args()

        scales = []
        seen = []
        for word in options.scales.split(","):
            scales.append(float(word))

        def step(batch):
            seen.append([scale * batch for scale in scales])

        for batch in loader:
            step(batch)
        """,
        "for batch",
        """
        import argparse
        from data import loader

        seen = []

        def step(batch):
            seen.append([scale * batch for scale in scales])


        if __name__ == "__main__":
            parser = argparse.ArgumentParser()
            options = parser.parse_args()

            scales = []
            for word in options.scales.split(","):
                scales.append(float(word))

            for batch in loader:
                step(batch)
        """,
    ),
    "optional imports and settings stay": (
        """
        import os
        import sys
        sys.path.insert(0, "..")
        os.environ["OMP_NUM_THREADS"] = "1"
        try:
            import wandb
        except ImportError:
            print("no wandb")
            wandb = None
        from data import loader
        if sys.platform == "win32":
            SEP = ";"
        else:
            SEP = ":"
        next(iter(loader))
        """,
        "next(",
        """
        import os
        import sys
        sys.path.insert(0, "..")
        os.environ["OMP_NUM_THREADS"] = "1"
        try:
            import wandb
        except ImportError:
            print("no wandb")
            wandb = None
        from data import loader
        if sys.platform == "win32":
            SEP = ";"
        else:
            SEP = ":"

        if __name__ == "__main__":
            next(iter(loader))
        """,
    ),
    "the sharing strategy stays, the start method goes": (
        """
        import torch.multiprocessing as mp
        from data import loader

        mp.set_start_method("spawn")
        mp.set_sharing_strategy("file_system")
        for batch in loader:
            pass
        """,
        "for batch",
        """
        import torch.multiprocessing as mp
        from data import loader

        mp.set_sharing_strategy("file_system")

        if __name__ == "__main__":
            mp.set_start_method("spawn")
            for batch in loader:
                pass
        """,
    ),
    "global, del and reuse of a name": (
        """
        from data import loader

        seen = 0

        def count():
            global seen
            seen += 1

        for i in loader:
            count()
        del i
        seen = None
        """,
        "for i",
        """
        from data import loader

        seen = 0

        def count():
            global seen
            seen += 1


        if __name__ == "__main__":
            for i in loader:
                count()
            del i
            seen = None
        """,
    ),
    "what class bodies, defaults and comprehensions read": (
        """
        from data import loader

        print("begin")
        SIZES = [2, 4]

        class Net:
            sizes = [size * 2 for size in SIZES]

        WIDTH = 3

        def build(width=WIDTH):
            return width

        best = 0
        for batch in loader:
            best = max(best, batch)
        """,
        "for batch",
        """
        from data import loader

        SIZES = [2, 4]

        class Net:
            sizes = [size * 2 for size in SIZES]

        WIDTH = 3

        def build(width=WIDTH):
            return width


        if __name__ == "__main__":
            print("begin")

            best = 0
            for batch in loader:
                best = max(best, batch)
        """,
    ),
    "a class made of what runs": (
        """
        from data import loader

        mean = sum(loader)

        class Report:
            average = mean

        print(Report.average)
        """,
        "mean =",
        """
        from data import loader

        if __name__ == "__main__":
            mean = sum(loader)

            class Report:
                average = mean

            print(Report.average)
        """,
    ),
    "if, try and with as a whole": (
        """
        import torch
        from data import loader

        if torch.cuda.is_available():
            torch.cuda.set_device(0)
        try:
            from apex import amp
            amp.init()
        except ImportError:
            amp = None
        with torch.no_grad():
            for batch in loader:
                print(batch)
        """,
        "with torch",
        """
        import torch
        from data import loader

        if __name__ == "__main__":
            if torch.cuda.is_available():
                torch.cuda.set_device(0)
            try:
                from apex import amp
                amp.init()
            except ImportError:
                amp = None
            with torch.no_grad():
                for batch in loader:
                    print(batch)
        """,
    ),
    "star imports stay": (
        """
        from data import *
        for batch in loader:
            pass
        from plots import *
        draw()
        """,
        "for batch",
        """
        from data import *
        from plots import *

        if __name__ == "__main__":
            for batch in loader:
                pass
            draw()
        """,
    ),
    "a guard that is there": (
        """
        from data import loader

        batches = list(loader)

        def main():
            print(len(batches))


        if __name__ == '__main__':
            # run it
            main()
        """,
        "batches =",
        """
        from data import loader


        def main():
            print(len(batches))


        if __name__ == '__main__':
            batches = list(loader)
            # run it
            main()
        """,
    ),
    "a guard on one line, the other way round, in the middle": (
        """
        from data import loader

        if "__main__" == __name__: print("begin")  # first
        def last():
            pass
        for batch in loader:
            last()
        """,
        "for batch",
        """
        from data import loader


        def last():
            pass


        if "__main__" == __name__:
            print("begin")  # first
            for batch in loader:
                last()
        """,
    ),
    "a guard with a container, and an else": (
        """
        from data import loader

        for batch in loader:
            print(batch)
        if __name__ in ("__main__",):
            print("run")
        else:
            print("imported")
        """,
        "for batch",
        """
        from data import loader

        if __name__ in ("__main__",):
            for batch in loader:
                print(batch)
            print("run")
        else:
            print("imported")
        """,
    ),
    "what only an import runs": (
        """
        from data import loader

        if __name__ != "__main__":
            print("imported")
        for batch in loader:
            pass
        """,
        "for batch",
        """
        from data import loader

        if __name__ != "__main__":
            print("imported")

        if __name__ == "__main__":
            for batch in loader:
                pass
        """,
    ),
    "an import and a call on one line": (
        """
        from data import loader
        import pdb; pdb.set_trace()  # both
        sum(loader)
        """,
        "sum(",
        """
        from data import loader
        import pdb

        if __name__ == "__main__":
            pdb.set_trace()  # both
            sum(loader)
        """,
    ),
    "strings and brackets over several lines, comments, tabs": (
        '''
        from data import loader

        # Said once.
        TEXT = """
        a
          b"""
        print("""
        c
        """, [
        \t1,  # one

        \t2,
        ])

        # Each batch.
        for batch in loader:  # of the first epoch
        \tif batch:
        \t\tpass
        \t# nothing else

        # The end.
        ''',
        "for batch",
        '''
        from data import loader

        # Said once.
        TEXT = """
        a
          b"""

        if __name__ == "__main__":
        \tprint("""
        c
        """, [
        \t\t1,  # one

        \t\t2,
        \t])

        \t# Each batch.
        \tfor batch in loader:  # of the first epoch
        \t\tif batch:
        \t\t\tpass
        \t\t# nothing else

        # The end.
        ''',
    ),
    "lines between brackets further left than the block around them": (
        """
        from data import Net, loader

        for batch in loader:
            if batch:
                net = Net(
            size=3,
          depth=2,  # two
        # Not trained.
        )
        """,
        "for batch",
        """
        from data import Net, loader

        if __name__ == "__main__":
            for batch in loader:
                if batch:
                    net = Net(
                size=3,
              depth=2,  # two
            # Not trained.
            )
        """,
    ),
    "a script of cells": (
        """
        # %% [markdown]
        # Digits

        # %%
        from data import loader

        # %%
        print("begins")
        # one epoch
        for image in loader:
            print(image)

        # %% [markdown]
        # and another

        # %% again
        # the same
        print("ends")
        """,
        "for image",
        """
        # %% [markdown]
        # Digits

        # %%
        from data import loader

        # %%
        if __name__ == "__main__":
            print("begins")
            # one epoch
            for image in loader:
                print(image)

        # %% [markdown]
        # and another

        # %% again
            # the same
            print("ends")
        """,
    ),
    "a notebook exported to a script": (
        """
        #!/usr/bin/env python
        # coding: utf-8

        # # Digits

        # In[1]:


        import torch
        from data import loader


        # In[2]:


        get_ipython().run_line_magic('matplotlib', 'inline')
        def show(image):
            print(image)


        # In[3]:


        # one epoch
        for image in loader:
            show(image)
        """,
        "for image",
        """
        #!/usr/bin/env python
        # coding: utf-8

        # # Digits

        # In[1]:


        import torch
        from data import loader


        # In[2]:


        def show(image):
            print(image)


        if __name__ == '__main__':
            get_ipython().run_line_magic('matplotlib', 'inline')

        # In[3]:

            # one epoch
            for image in loader:
                show(image)
        """,
    ),
    "statements that stay behind the guard": (
        """
        from data import loader

        for batch in loader:
            print(batch)
        def later():
            pass
        """,
        "for batch",
        """
        from data import loader

        if __name__ == "__main__":
            for batch in loader:
                print(batch)


        def later():
            pass
        """,
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_runs_goes_under_the_guard_and_what_defines_stays(shape: str) -> None:
    before, iterating, after = (dedent(text).removeprefix("\n") for text in SHAPES[shape])
    assert guarded(before, iterating) == (after, "")


@pytest.mark.parametrize("shape", SHAPES)
def test_guarding_a_guard_changes_nothing(shape: str) -> None:
    module = cst.parse_module(dedent(SHAPES[shape][2]))
    guards = [index for index, one in enumerate(module.body) if guard_of(one)]
    assert len(guards) == 1
    new, unsafe = guard(module, guards, NOWHERE)
    assert (new.code, unsafe) == (module.code, "")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_and_a_missing_last_one_are_kept(newline: str) -> None:
    before = newline.join(["from data import loader", "", "for batch in loader:", "  print(batch)"])
    after = ["from data import loader", "", 'if __name__ == "__main__":', "  for batch in loader:", "    print(batch)"]
    assert guarded(before, "for batch") == (newline.join(after), "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "print()\n\n\f\nfor batch in loader:\n    y()\n",
            "    print()\n\n\f\n    for batch in loader:\n        y()\n",
        ),
        ("\f\nfor batch in loader:\n    y()\n", "\f\n    for batch in loader:\n        y()\n"),
        ("for batch in loader:\n    y()\n\f\n    z()\n", "    for batch in loader:\n        y()\n\f\n        z()\n"),
    ],
)
def test_the_breaks_between_pages_are_kept(before: str, after: str) -> None:
    head = "from data import loader\n"
    assert guarded(f"{head}{before}", "for batch") == (f'{head}\nif __name__ == "__main__":\n{after}', "")


DATASET = """
from data import DataLoader, Dataset
{before}

class Rows(Dataset):
    def __init__(self):
        self.first = {in_init}

    def __getitem__(self, index):
        return {in_getitem}

print("begin")
for batch in DataLoader(Rows()):
    pass
"""


def script(before: str, in_getitem: str = "0", in_init: str = "0") -> str:
    return DATASET.format(before=dedent(before).strip(), in_getitem=in_getitem, in_init=in_init)


def stays(code: str, line: str) -> bool:
    """Return whether a line stands outside the guard."""
    return any(one == line for one in code.splitlines())


@pytest.mark.parametrize(
    "line",
    [
        "SCALE = 2.0",
        "NAMES = ['a', 'b']",
        "table = {name: at for at, name in enumerate('abc')}",
        "ROOT = pathlib.Path('data').resolve()",
        "SIZE = int(os.environ.get('SIZE', '3')) if os.path.exists('x') else 4",
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')",
        "lookup = np.array([1, 2, 3])",
        "transform = transforms.Compose([transforms.ToTensor()])",
        "pattern = re.compile('a+')",
        "logger = logging.getLogger(__name__)",
        "point = Point(1, 2)",
        "words = split('a b')",
    ],
)
def test_what_a_worker_reads_stays_when_making_it_has_no_effects(line: str) -> None:
    head = f"""
    import logging, os, pathlib, re
    import numpy as np
    import torch
    from torchvision import transforms
    def split(text):
        words = []
        for word in text.split():
            words.append(word)
        return words
    class Point:
        def __init__(self, x, y):
            self.x, self.y = x, y
    print("head")
    {line}
    """
    code, unsafe = guarded(script(head, in_getitem=line.partition(" ")[0]), "for batch")
    assert stays(code, line) and not stays(code, 'print("head")')
    assert unsafe == ""


@pytest.mark.parametrize(
    ("line", "doing"),
    [
        ("made = parser.parse_args()", "parsing the command line"),
        ("made = open('rows.txt').read()", "`made = open('rows.txt').read()`"),
        ("made = torch.load('model.pt')", "`made = torch.load('model.pt')`"),
        ("made = torch.randn(3)", "`made = torch.randn(3)`"),
        ("made = torch.zeros(3, device='cuda')", "`made = torch.zeros(3, device='cuda')`"),
    ],
)
def test_what_a_worker_reads_is_repeated_unsafely_when_making_it_has_effects(line: str, doing: str) -> None:
    before = f"import torch\nfrom options import parser\nparser.add_argument('--size')\n{line}"
    code, unsafe = guarded(script(before, in_getitem="made"), "for batch")
    assert stays(code, line)
    assert unsafe.startswith("`made` is read by `Rows.__getitem__`, which runs in the workers, so ")
    assert unsafe.endswith("stays outside the guard and is repeated in every worker")
    assert (doing in unsafe) or "add_argument" in unsafe


@pytest.mark.parametrize(
    "line",
    [
        "made = list(set(labels))",
        "made = list({'cat', 'dog'})",
        "made = {one: at for at, one in enumerate(set(labels))}",
        "every = set(labels) | {'other'}; made = [one for one in every]",
        "made = tuple({one.lower() for one in labels})",
        "made = dict.fromkeys(frozenset(labels).union('ab'))",
        "made = [*set(labels)]",
        "made = ' '.join(set(labels))",
        "made = next(iter(set(labels)))",
        "made = {}\nfor at, one in enumerate(set(labels)): made[one] = at",
        "def order(): return list(set(labels))\nmade = order()",
        "made = sorted(list(set(labels))[:2])",
        "made = sorted(set(labels), key=len)",
        "made = max(set(labels), key=len)",
        "made, *rest = set(labels)",
        "made = str(set(labels))",
        "made = f'{set(labels)}'",
        "made = hash(labels[0])",
        "made = list(map(hash, labels))",
    ],
)
def test_what_a_worker_reads_is_unsafe_where_each_process_has_its_own_order(line: str) -> None:
    before = f"labels = 'cat dog cow'.split()\n{line.replace('; ', chr(10))}"
    _, unsafe = guarded(script(before, in_getitem="made"), "for batch")
    assert unsafe.endswith("stays outside the guard and is repeated in every worker")


@pytest.mark.parametrize(
    "line",
    [
        "made = sorted(list(set(labels)))",
        "made = set(labels)",
        "made = {one for one in set(labels)}",
        "made = len(list(set(labels)))",
        "made = list({1, 2, 3})",
        "made = list(set(range(3)))",
        "every = set(labels); every = sorted(every); made = list(every)",
        "made = [one in {'cat', 'dog'} for one in labels]",
        "made = max(one for one in set(labels))",
        "made = sorted(list(map(str.lower, set(labels))))",
        "made = sorted(labels, key=len)",
        "made, *rest = sorted(set(labels))",
        "made = set(map(str, labels))",
    ],
)
def test_what_a_worker_reads_is_safe_where_the_order_of_a_set_makes_no_difference(line: str) -> None:
    before = f"labels = 'cat dog cow'.split()\n{line.replace('; ', chr(10))}"
    _, unsafe = guarded(script(before, in_getitem="made"), "for batch")
    assert unsafe == ""


def test_what_the_needed_value_is_made_of_stays_with_it() -> None:
    before = """
    import argparse
    parser = argparse.ArgumentParser()
    group = parser.add_argument_group("data")
    group.add_argument("--size")
    args = parser.parse_args()
    print(args)
    """
    code, unsafe = guarded(script(before, in_getitem="args.size"), "for batch")
    for line in ("parser = argparse.ArgumentParser()", 'group.add_argument("--size")', "args = parser.parse_args()"):
        assert stays(code, line)
    assert not stays(code, "print(args)")
    assert unsafe


def test_what_only_the_constructor_of_a_dataset_reads_may_go_inside() -> None:
    before = "from options import parser\nargs = parser.parse_args()"
    code, unsafe = guarded(script(before, in_init="args.size"), "for batch")
    assert not stays(code, "args = parser.parse_args()")
    assert unsafe == ""


@pytest.mark.parametrize(
    ("reader", "use"),
    [
        (
            "def collate(rows):\n    return pad(rows)\ndef pad(rows):\n    return rows * made",
            "DataLoader(1, collate_fn=collate)",
        ),
        ("def seed(worker):\n    return made", "DataLoader(1, worker_init_fn=seed)"),
        ("class Flip:\n    def __call__(self, row):\n        return made", "DataLoader(Flip())"),
        ("class Rows(IterableDataset):\n    def __iter__(self):\n        yield made", "DataLoader(Rows())"),
        (
            "class Base:\n    def row(self):\n        return made\n"
            "class Rows(Base):\n    def __getitem__(self, at):\n        return self.row()",
            "DataLoader(Rows())",
        ),
        ("def work(queue):\n    return made", "DataLoader(Process(target=work))"),
        ("scale = lambda row: row * made\nclass Rows(Dataset):\n    __getitem__ = scale", "DataLoader(scale)"),
        ("steps = {'scale': lambda row: row * made}\nhanded = [steps]\nuse = print(handed)", "DataLoader(steps)"),
        ("class RowLoader(Dataset):\n    def __getitem__(self, at):\n        return made", "DataLoader(RowLoader())"),
        (
            "class Rows(Dataset):\n    def __getitem__(self, at):\n        return len(self)\n"
            "    def __len__(self):\n        return made",
            "DataLoader(Rows())",
        ),
        ("class Row:\n    def __eq__(self, other):\n        return made", "DataLoader([Row()])"),
        ("def decode(row):\n    return made", "DataLoader(pipe.map(decode))"),
        ("class Row:\n    def __call__(self):\n        return globals()['made']", "DataLoader(Row())"),
        ("class Row:\n    def __call__(self):\n        return globals().get(self.name)", "DataLoader(Row())"),
        ("class Row:\n    def __call__(self):\n        return eval(self.text)", "DataLoader(Row())"),
        (
            "class Row:\n    def __call__(self):\n        return getattr(sys.modules[__name__], 'made')",
            "DataLoader(Row())",
        ),
    ],
    ids=[
        *("collate_fn, indirectly", "worker_init_fn", "__call__", "__iter__", "an inherited method", "target="),
        *("a lambda", "lambdas in a dictionary", "a dataset called a loader", "len", "an operator", "a pipe"),
        *("the module's names", "any of the module's names", "text that is run", "the module itself"),
    ],
)
def test_whatever_runs_in_a_worker_keeps_what_it_reads_outside(reader: str, use: str) -> None:
    code = f"from data import *\nfrom options import load\nmade = load()\n{reader}\nfor batch in {use}:\n    pass\n"
    new, unsafe = guarded(code, "for batch")
    assert stays(new, "made = load()")
    assert "`made` is read by" in unsafe or " may be read by `Row" in unsafe


@pytest.mark.parametrize(
    ("reader", "use"),
    [
        ("def train(loader):\n    return made", "train(loader)"),
        ("class Net(nn.Module):\n    def forward(self, x):\n        return made", "Net()"),
        ("class Balanced(Sampler):\n    def __iter__(self):\n        return iter(made)", "Balanced()"),
        ("def warm(epoch):\n    return made", "LambdaLR(optimizer, lr_lambda=warm)"),
        ("def score(row):\n    return made", "sorted(loader, key=score)"),
        ("def weights(layer):\n    return made", "net.apply(weights)"),
        ("def scored(row):\n    return made", "list(map(scored, loader))"),
        ("import datasets\ndef split(row):\n    return made", "datasets.load('x').map(split)"),
        ("class Meter:\n    def __str__(self):\n        return made", "Meter()"),
        ("chosen = filter(lambda one: one > made, [1, 2])", "chosen"),
        ("def frame(time):\n    return made[time]", "moviepy.editor.VideoClip(frame, duration=8)"),
    ],
    ids=[
        *("a function called", "a model", "a sampler", "a schedule", "a sort key", "apply", "map", "a mapped dataset"),
        *("what is printed", "a lambda that filters", "a film's frames"),
    ],
)
def test_what_stays_in_the_main_process_does_not_keep_names_outside(reader: str, use: str) -> None:
    code = f"from data import *\nfrom options import load\nmade = load()\n{reader}\nprint({use})\n"
    new, unsafe = guarded(code, "print(")
    assert not stays(new, "made = load()")
    assert unsafe == ""


@pytest.mark.parametrize(
    ("between", "verb"),
    [
        ("DEVICE = choose()", "changes"),
        ("if flag():\n    DEVICE = 'cuda'", "changes"),
        ("DEVICE.append(ask())", "changes"),
        ("shuffle(DEVICE)", "may change"),
        ("DEVICE.fit(1)", "may change"),
        ("def setup():\n    global DEVICE\n    DEVICE = ask()\nsetup()", "changes"),
    ],
)
def test_a_worker_that_would_miss_a_change_makes_it_unsafe(between: str, verb: str) -> None:
    before = f"from options import *\nDEVICE = []\nbatches = list(other)\n{between}"
    _, unsafe = guarded(script(before, in_getitem="DEVICE"), "batches =")
    assert "`DEVICE` is read by `Rows.__getitem__`" in unsafe
    assert f"{verb} it under the guard" in unsafe or "stays outside the guard" in unsafe


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        ("with open('out', 'w') as f:\n    f.write(str(batch))", False),
        (
            "try:\n    with Path('out').open('w') as f:\n        json.dump(1, f)\nfinally:\n    pass",
            False,
        ),
        ("f.close()", True),
        ("with open('out', 'w') as f:\n    pass\nf.seek(0)", True),
        ("with held(f) as f:\n    f.write(str(batch))", True),
    ],
)
def test_a_file_that_a_statement_opens_is_none_of_that_name_elsewhere(after: str, changed: bool) -> None:
    before = "import json\nfrom options import *\nwith open('in') as f:\n    ROWS = [row for row in f]"
    _, unsafe = guarded(script(before, in_getitem="ROWS[index]") + after + "\n", "for batch")
    assert unsafe.startswith("`ROWS` is read by `Rows.__getitem__`")
    assert ("change" in unsafe) is changed


@pytest.mark.parametrize("call", ["print(DEVICE)", "logger.info(DEVICE)", "run(DEVICE[0])", "table = Table(DEVICE)"])
def test_a_call_that_only_reads_what_workers_read_is_safe(call: str) -> None:
    before = f"from options import *\nDEVICE = []\n{call}"
    _, unsafe = guarded(script(before, in_getitem="DEVICE"), "for batch")
    assert unsafe == ""


def test_nobody_changes_a_builtin_that_is_handed_over() -> None:
    before = "import options\nparser = options.parser()\nparser.add_argument('--size', type=int)"
    code, unsafe = guarded(script(before, in_getitem="int(at)"), "for batch")
    assert not stays(code, "parser.add_argument('--size', type=int)")
    assert unsafe == ""


def test_what_iterates_a_loader_cannot_be_kept_for_a_worker() -> None:
    before = "from options import other\nmean = sum(other)"
    code, unsafe = guarded(script(before, in_getitem="mean"), "mean =")
    assert not stays(code, "mean = sum(other)")
    assert unsafe == (
        "`mean` is read by `Rows.__getitem__`, which runs in the workers, "
        "but `mean = sum(other)` has to go under the guard"
    )


def test_names_other_files_import_survive() -> None:
    code = "from data import DataLoader, Rows\nloader = DataLoader(Rows())\nfor batch in loader:\n    pass\n"
    new, unsafe = guarded(code, "for batch", imported=Imported({"loader": "serve.py"}))
    assert stays(new, "loader = DataLoader(Rows())")
    assert "`loader` is imported by serve.py" in unsafe

    code = "from torch.utils.data import DataLoader, TensorDataset\nloader = DataLoader(TensorDataset())\nsum(loader)\n"
    new, unsafe = guarded(code, "sum(", imported=Imported({"loader": "serve.py"}))
    assert stays(new, "loader = DataLoader(TensorDataset())")
    assert unsafe == "serve.py imports the module, and its work would be turned off there"


@pytest.mark.parametrize(
    "reads", ["print(scales)", "print(scaled(1))", "print(Scaled().scaled(1))"], ids=["itself", "a function", "a class"]
)
def test_what_an_imported_function_reads_when_it_is_called_stays_outside(reads: str) -> None:
    code = dedent(f"""
        import sys
        from data import loader

        def scaled(batch):
            return [scale * batch for scale in scales]

        class Scaled:
            def scaled(self, batch):
                return scaled(batch)

        def step():
            {reads}

        print("scales")
        scales = []
        for word in open("scales"):
            scales.append(float(word))
        for batch in loader:
            step()
        """)
    new, unsafe = guarded(code, "for batch", imported=Imported({"step": "serve.py"}))
    assert "\nscales = []\n" in new
    assert unsafe.startswith("`scales` is read by `")
    assert "`step`, which is imported by serve.py, so `for word in open" in unsafe
    new, unsafe = guarded(code, "for batch")
    assert "\n    scales = []\n" in new
    assert unsafe == ""


def test_an_imported_name_that_is_the_outcome_of_the_loop_is_unsafe() -> None:
    code = "from data import loader\nbatches = list(loader)\n"
    _, unsafe = guarded(code, "batches =", imported=Imported({"batches": "serve.py"}))
    assert unsafe == "`batches` is imported by serve.py, but `batches = list(loader)` has to go under the guard"


@pytest.mark.parametrize(
    ("line", "unsafe"),
    [
        ("os.system('pip install plots')", True),
        ("sys.path.append(ask())", True),
        ("os.environ['HOME_OF_DATA'] = ask()", True),
        ("os.environ['CUDA_VISIBLE_DEVICES'] = ask()", False),
        ("torch.manual_seed(0)", False),
        ("def add(path):\n    sys.path.insert(0, path)\nadd(ask())", True),
        ("def say():\n    os.environ['HOME_OF_DATA'] = ask()\nsay()", True),
        ("def show():\n    print(os.environ['HOME_OF_DATA'])\nshow()", False),
    ],
)
def test_an_import_that_something_prepares_makes_it_unsafe(line: str, unsafe: bool) -> None:
    code = f"import os, sys, torch\nfrom options import ask, loader\n{line}\nimport plots\nsum(loader)\n"
    new, reason = guarded(code, "sum(")
    assert stays(new, "import plots")
    assert bool(reason) is unsafe
    if unsafe:
        assert "`import plots` would come before" in reason


@pytest.mark.parametrize(
    ("line", "unsafe"),
    [
        ("prepare()", True),
        ("relative.prepare()", True),
        ("os.chdir(home())", True),
        ("os.makedirs('cache')", True),
        ("with open('words', 'w') as file:\n    file.write('a')", True),
        ("torch.manual_seed(seed)", True),
        ("print('starts')", False),
        ("warnings.filterwarnings('ignore')", False),
        ("options = prepare()", False),
    ],
)
@pytest.mark.parametrize("later", ["import plots", "from .plots import draw"])
def test_an_import_of_the_project_that_something_may_prepare_makes_it_unsafe(
    line: str, unsafe: bool, later: str
) -> None:
    code = (
        "import os, torch, warnings\nfrom plots import ask, prepare\nfrom . import relative\nfrom data import loader\n"
    )
    own = Imported(
        own=frozenset({"plots"}), setting=dict.fromkeys((".plots.prepare", ".relative.prepare"), SettingUp.NOTHING)
    )
    new, reason = guarded(f"{code}seed = ask()\n{line}\n{later}\nsum(loader)\n", "sum(", "seed", imported=own)
    assert stays(new, later)
    assert (f"`{later}` would come before `{line.splitlines()[0]}`" in reason) is unsafe
    _, reason = guarded(f"{code}{line}\nimport library\nsum(loader)\n", "sum(", imported=own)
    assert "would come before" not in reason


def test_what_seeds_stays_before_an_import_of_the_project() -> None:
    code = "import torch\nfrom data import loader\ntorch.manual_seed(0)\nimport plots\nsum(loader)\n"
    new, reason = guarded(code, "sum(", imported=Imported(own=frozenset({"plots"})))
    assert (new, reason) == (code.replace("sum(", '\nif __name__ == "__main__":\n    sum('), "")
    new, reason = guarded(code, "sum(", imported=Imported(own=frozenset({"data"})))
    assert (stays(new, "torch.manual_seed(0)"), reason) == (False, "")


def test_a_guard_with_an_else_takes_nothing_that_comes_after_it() -> None:
    code = "if __name__ == '__main__':\n    a()\nelse:\n    b()\nfrom data import loader\nsum(loader)\n"
    with pytest.raises(CannotRewrite, match="else"):
        guarded(code, "sum(")


def test_a_definition_is_not_put_under_the_guard() -> None:
    with pytest.raises(CannotRewrite, match="definition"):
        guarded("def main():\n    pass\nmain()\n", "def main")


def test_nothing_to_guard_changes_nothing() -> None:
    module = cst.parse_module("main()\n")
    assert guard(module, [], NOWHERE) == (module, "")


def test_a_star_elsewhere_takes_every_public_name() -> None:
    code = "net = load()\n_cache = load()\nfor batch in loader:\n    pass\n"
    new, unsafe = guarded(code, "for batch", imported=Imported(every="serve.py"))
    assert stays(new, "net = load()") and not stays(new, "_cache = load()")
    assert unsafe.startswith("`batch` is imported by serve.py, with all other names")


def test_the_names_listed_in_all_survive() -> None:
    code = "__all__ = ['net']\nnet = load()\nrows = load()\nfor batch in loader:\n    pass\n"
    new, unsafe = guarded(code, "for batch")
    assert stays(new, "net = load()") and not stays(new, "rows = load()")
    assert unsafe.startswith("`net` is listed in `__all__`")


def test_a_module_that_another_file_may_import_to_run_it_is_unsafe_to_guard() -> None:
    _, unsafe = guarded("for batch in loader:\n    pass\n", "for batch", imported=Imported(alone="main.py"))
    assert unsafe == "main.py imports the module, and then nothing under the guard runs"


READS_TABLE = """
class Rows(Dataset):
    def __getitem__(self, index):
        return TABLE[index]
for batch in DataLoader(Rows(), num_workers=2):
    print(batch)
"""


@pytest.mark.parametrize(
    ("seeding", "table"),
    [
        ("np.random.seed(3)", "TABLE = np.random.rand(10)"),
        ("random.seed(1)", "TABLE = [random.random() for _ in range(10)]"),
        ("seed_everything(SEED)", "TABLE = torch.randperm(10)"),
    ],
)
def test_what_is_drawn_outside_stays_behind_the_seeding(seeding: str, table: str) -> None:
    head = "import random\nimport numpy as np\nimport torch\nfrom lightning import seed_everything\nSEED = 3\n"
    new, unsafe = guarded(f"{head}{seeding}\n{table}\n{READS_TABLE}", "for batch")
    assert stays(new, seeding)
    assert new.index(seeding) < new.index(table)
    assert f"`{table}` stays outside the guard and is repeated in every worker" in unsafe


@pytest.mark.parametrize(
    ("before", "table"),
    [
        ("cfg.init()", "TABLE = cfg.TABLE"),
        ("init()", "TABLE = rows[:10]"),
        ("cfg.init()", "TABLE = read_table()"),
        ("download_tables()", "TABLE = np.load('table.npz')"),
        ("os.system('make table')", "TABLE = np.load('table.npz')"),
        ("fix()", "TABLE = np.random.rand(10)"),
    ],
)
def test_what_stays_outside_is_not_put_before_what_it_hangs_on(before: str, table: str) -> None:
    head = (
        "import os, random\nimport numpy as np\nimport cfg\nfrom cfg import init, rows\n"
        "from tables import download_tables, read_table\ndef fix():\n    random.seed(1)\n    np.random.seed(1)\n"
    )
    with pytest.raises(CannotRewrite, match="stays outside the guard and may depend on"):
        guarded(f"{head}{before}\n{table}\n{READS_TABLE}", "for batch")


@pytest.mark.parametrize(
    ("before", "table", "unsafe"),
    [
        ("open('rows.txt', 'w').write('1')", "TABLE = os.path.getsize('rows.txt')", True),
        ("rows.save('rows.npy')", "TABLE = pathlib.Path('rows.npy').exists()", True),
        ("os.makedirs('out')", "TABLE = os.path.isdir('out')", True),
        ("zipfile.ZipFile('rows.zip').extractall()", "TABLE = os.path.getsize('rows.txt')", True),
        ("np.savetxt('rows.txt', rows)", "TABLE = os.path.getsize('rows.txt')", True),
        ("def make():\n    np.savetxt('rows.txt', 1)\nmake()", "TABLE = os.path.getsize('rows.txt')", True),
        ("def tell():\n    print(rows)\ntell()", "TABLE = os.path.getsize('rows.txt')", False),
        ("random.seed(len(rows))\nprint(rows)", "TABLE = os.path.getsize('rows.txt')", False),
        ("print(rows)", "TABLE = os.path.isdir('out')", False),
        ("os.makedirs('out')", "TABLE = os.path.join('out', 'rows')", False),
    ],
)
def test_what_asks_for_files_comes_unsafely_before_what_may_make_them(before: str, table: str, unsafe: bool) -> None:
    head = "import os, pathlib, random, zipfile\nimport numpy as np\nfrom tables import rows\n"
    _, reason = guarded(f"{head}{before}\n{table}\n{READS_TABLE}", "for batch")
    assert ("which may make the files it asks for" in reason) is unsafe


@pytest.mark.parametrize(
    "made", ['namedtuple("Row", "x y")', 'type("Row", (Dataset,), {})', 'typing.NamedTuple("Row", [("x", int)])']
)
def test_a_class_that_a_call_makes_stays_where_pickles_find_it(made: str) -> None:
    head = "import typing\nfrom collections import namedtuple\nfrom data import Dataset, ask\nargs = ask()\n"
    new, unsafe = guarded(f"{head}Row = {made}\nrows = [Row]\nfor batch in DataLoader(rows):\n    pass\n", "for batch")
    assert stays(new, f"Row = {made}")
    assert not stays(new, "args = ask()")
    assert unsafe == ""


@pytest.mark.parametrize(
    ("before", "table"),
    [
        ("print('table')", "TABLE = np.load('table.npz')"),
        ("os.makedirs('out')", "TABLE = np.load('table.npz')"),
        ("cfg.init()", "TABLE = [1, 2, 3]"),
        ("cfg.init()", "TABLE = np.zeros(10)"),
        ("download_tables()", "TABLE = list(range(10))"),
    ],
)
def test_what_hangs_on_nothing_before_it_may_come_first(before: str, table: str) -> None:
    head = "import os\nimport numpy as np\nimport cfg\nfrom tables import download_tables\n"
    new, _ = guarded(f"{head}{before}\n{table}\n{READS_TABLE}", "for batch")
    assert stays(new, table)
    assert not stays(new, before)


@pytest.mark.parametrize(
    ("last", "call", "outside"),
    [("x", "rows = f0(1)", True), ("print(x)", "rows = f0(1)", False), ("x", "rows = []\nf0(rows)", True)],
)
def test_functions_that_call_each_other_again_and_again_are_judged_once(last: str, call: str, outside: bool) -> None:
    """Judged at every call, forty functions that each call the next one twice would take years."""
    functions = [f"def f{at}(x):\n    return f{at + 1}(x) + f{at + 1}(x + 1) + f{at + 1}(x)\n\n\n" for at in range(40)]
    head = f"{''.join(functions)}def f40(x):\n    return {last}\n\n\n"
    new, unsafe = guarded(f"{head}{call}\nfor row in loader:\n    print(row)\n", "for row")
    assert (f"\n{call}\n" in new) is outside
    assert unsafe == ""


@pytest.mark.parametrize(
    "asked",
    ["wandb.run.name = 'first'", "RATE = wandb.config.lr", "wandb.config.lr = 0.1"],
)
@pytest.mark.parametrize("called", ["wandb.init(project='p')", "run = wandb.init()", "print(init(project='p'))"])
def test_what_a_library_has_once_it_was_called_is_asked_for_behind_the_call(called: str, asked: str) -> None:
    head = "import wandb\nfrom wandb import init\nfrom data import loader\n"
    new, unsafe = guarded(f"{head}{called}\n{asked}\nfor batch in loader:\n    print(batch)\n", "for batch")
    assert unsafe == ""
    assert new.index("__main__") < new.index(called) < new.index(asked)


def test_a_setting_of_a_library_stays_where_workers_find_it() -> None:
    head = "import torch\nimport mylib\nfrom PIL import Image, ImageFile\nfrom data import loader\n"
    before = "torch.manual_seed(1)\nImage.open('a.png').show()\nmylib.start()\n"
    settings = (
        "torch.backends.cudnn.benchmark = True",
        "ImageFile.LOAD_TRUNCATED_IMAGES = True",
        "Image.MAX_IMAGE_PIXELS = None",
    )
    text = f"{head}{before}{chr(10).join(settings)}\nfor batch in loader:\n    print(batch)\n"
    new, _ = guarded(text, "for batch")
    assert all(stays(new, one) for one in settings)


def test_what_workers_need_of_a_library_that_was_called_before_cannot_be_had() -> None:
    text = f"import mylib\nfrom data import loader\nmylib.start()\nTABLE = mylib.state.rows\n{READS_TABLE}"
    with pytest.raises(CannotRewrite, match=r"stays outside the guard and may depend on"):
        guarded(text, "for batch")


@pytest.mark.parametrize(
    "defines", ["def f(d: pd.DataFrame): return d", "class F(pl.base.Model): ...", "@pl.utils.once\ndef f(b): return b"]
)
def test_what_defines_asks_a_library_for_nothing_but_types(defines: str) -> None:
    head = "import pandas as pd\nimport plain as pl\nfrom data import loader\n"
    text = f"{head}df = pd.read_csv('a')\npl.start()\n{defines}\nfor batch in loader:\n    print(batch)\n"
    new, _ = guarded(text, "for batch")
    assert stays(new, defines.splitlines()[0])


@pytest.mark.parametrize("blank", [1, 5])
def test_comments_below_many_blank_lines_stay(blank: int) -> None:
    spaces = "    \n" * blank
    text = (
        f"class A:\n    def f(self):\n        return 1\n{spaces}print(1)\n\n# speaks of g\n# and more\ndef g(b): ...\n"
        "for b in [1]:\n    g(b)\n"
    )
    new, _ = guarded(text, "for b")
    assert "# speaks of g\n# and more\ndef g(b)" in new


def test_blank_lines_that_hold_spaces_are_blank_lines() -> None:
    text = (
        "class A:\n    def f(self):\n        return 1\n    \na = A()\n\n\n# sets\ndef g(): ...\nfor b in a:\n    g()\n"
    )
    new, _ = guarded(text, "for b")
    assert "return 1\n    \n\n# sets\ndef g" in new


def test_a_guard_has_the_quotes_of_its_file() -> None:
    new, _ = guarded("from data import loader\nprint('a')\nfor b in loader:\n    print(b)\n", "for b")
    assert "if __name__ == '__main__':" in new


WORK = "import json\nfrom torch.utils.data import DataLoader\nloader = DataLoader([1, 2])\nstats = {}\n"
WORKS = {
    "writes a file": "for batch in loader:\n    stats[batch] = 1\njson.dump(stats, open('stats.json', 'w'))\n",
    "iterates a loader": "mean = sum(float(batch) for batch in loader)\n",
    "registers": "for batch in loader:\n    stats.update(batch)\n",
}


@pytest.mark.parametrize("work", WORKS)
@pytest.mark.parametrize(
    "imported",
    [Imported({"json": "train.py"}), Imported(every="train.py")],
    ids=["for a name", "for all names"],
)
def test_work_that_importers_may_count_on_is_not_turned_off(work: str, imported: Imported) -> None:
    begin = WORKS[work].splitlines()[0]
    assert guarded(WORK + WORKS[work], begin, imported=Imported())[1] == ""
    assert "train.py" in guarded(WORK + WORKS[work], begin, imported=imported)[1]
