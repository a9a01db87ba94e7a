"""Loaders that a program makes and never iterates."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Files, loaders_of

MADE = "loader = DataLoader(rows, num_workers=2)\n"
IN_FUNCTION = "def main(rows):\n    loader = DataLoader(rows, num_workers=2)\n    {}\nmain([1])\n"

CLASS = (
    "class Run:\n    def __init__(self, rows):\n        self.loader = DataLoader(rows, num_workers=2)\n"
    "    def report(self):\n        print(len(self.loader), self.loader.batch_size)\n"
)

LOOKED_AT: dict[str, Files] = {
    "its length at the top": f"{MADE}print(len(loader))",
    "its length at once": "print(len(DataLoader(rows, num_workers=2)))",
    "its length in a function": IN_FUNCTION.format("print(len(loader))"),
    "its length in a text": IN_FUNCTION.format("print(f'{len(loader)} batches')"),
    "its length and what it is": IN_FUNCTION.format("print(loader, len(loader), isinstance(loader, object))"),
    "its data set, and whether it is there": IN_FUNCTION.format(
        "print(loader.dataset, bool(loader)); 1 if loader else 2; loader is not None"
    ),
    "an attribute": CLASS,
    "a name with an annotation": "loader: object = DataLoader(rows, num_workers=2)\nprint(len(loader))",
}
SEVERAL = (
    "def load(rows):\n    first = {'loader': rows}\n    loader = DataLoader(rows, num_workers=2) if rows else None\n"
    "    return first, loader\n"
)
TAKEN = "def main():\n    first, {0} = load([1])\n    print(first)\nmain()\n"
LEFT: dict[str, Files] = {
    "by its only caller": SEVERAL + TAKEN.format("_"),
    "by each of two": SEVERAL + TAKEN.format("_") + TAKEN.replace("main", "test").format("rest"),
    "by a caller in another file": {
        "data.py": f"{IMPORT}{SEVERAL}",
        "main.py": "from data import load\n" + TAKEN.format("_"),
    },
}
LOOKED_AT.update({f"what a function returns, left {where}": files for where, files in LEFT.items()})
ITERATED: dict[str, Files] = {
    "what a function returns to nobody": SEVERAL,
    "what a function returns, taken by one of two": (
        SEVERAL + TAKEN.format("_") + "def test():\n    first, loader = load([1])\n    print(*loader)\ntest()\n"
    ),
    "what a function returns, kept whole": SEVERAL + "def main():\n    both = load([1])\n    print(*both[1])\nmain()\n",
    "what a function returns, unpacked into a list": (
        SEVERAL + "def main():\n    first, *rest = load([1])\n    print(rest)\nmain()\n"
    ),
    "what a function returns, unpacked at the top": SEVERAL + "first, loader = load([1])\n",
    "what a function returns, handed on": SEVERAL + "def main():\n    train(*load([1]))\nmain()\n",
    "what a function returns, in one of two orders": (
        SEVERAL.replace("    return", "    if rows:\n        return loader, first\n    return") + TAKEN.format("_")
    ),
    "what a function returns, which is handed on, too": (
        SEVERAL.replace("    return", "    rows.append(loader)\n    return") + TAKEN.format("_")
    ),
    "what a function returns that is handed on": SEVERAL + TAKEN.format("_") + "run(load)\n",
    "nothing done with it": MADE,
    "iterated, too": f"{MADE}print(len(loader))\nfor batch in loader:\n    pass",
    "iterated in a comprehension": IN_FUNCTION.format("print(len(loader), [batch for batch in loader])"),
    "its batches printed": IN_FUNCTION.format("print(len(loader)); print(*loader)"),
    "its first batch": IN_FUNCTION.format("print(len(loader)); print(next(iter(loader)))"),
    "handed on at once": "train(DataLoader(rows, num_workers=2))",
    "handed on": IN_FUNCTION.format("print(len(loader)); train(loader)"),
    "returned": IN_FUNCTION.format("print(len(loader)); return loader"),
    "kept": IN_FUNCTION.format("print(len(loader)); rows.loader = loader"),
    "under two names": IN_FUNCTION.format("print(len(loader)); other = loader"),
    "under two names at once": "loader = other = DataLoader(rows, num_workers=2)\nprint(len(loader))",
    "in a collection": IN_FUNCTION.format("print(len(loader)); loaders = [loader]"),
    "read inside a function": f"{MADE}print(len(loader))\ndef train():\n    for batch in loader:\n        pass",
    "a method": IN_FUNCTION.format("print(len(loader)); loader.__iter__()"),
    "an option that is set": IN_FUNCTION.format("print(len(loader)); loader.num_workers = 1"),
    "what it is, or another": IN_FUNCTION.format("print(loader or rows)"),
    "an attribute that is iterated": f"{CLASS}    def train(self):\n        return list(self.loader)\n",
    "an attribute that another file reads": {
        "data.py": f"{IMPORT}{CLASS}",
        "main.py": "from data import Run\nfor batch in Run([1]).loader:\n    pass",
    },
    "an attribute of what derives from another class": CLASS.replace("Run", "Run(Base)"),
    "an attribute that a name leads to": f"{CLASS}getattr(Run([1]), 'loader')",
    "what stands for every name": IN_FUNCTION.format("print(len(loader)); train(**locals())"),
    "a name of the module": "def main(rows):\n    global loader\n    " + MADE + "    print(len(loader))",
    "a name of a class": "class Run:\n    " + MADE + "    print(len(loader))",
    "a len of the project": "def len(loader):\n    return sum(1 for _ in loader)\n" + MADE + "print(len(loader))",
    "a loader of the project": (
        "class Own(DataLoader):\n    def __len__(self):\n        return sum(1 for _ in self)\n"
        "loader = Own(rows, num_workers=2)\nprint(len(loader))"
    ),
    "a parameter by the name of a function of Python": (
        "def main(rows, type):\n    loader = DataLoader(rows, num_workers=2)\n    type(loader)\nmain([1], list)\n"
    ),
    "what a star import may bring": {
        "main.py": f"{IMPORT}from shown import *\n{MADE}print(loader)",
        "shown.py": "def print(rows):\n    for row in rows:\n        pass\n",
    },
    "imported": {
        "data.py": f"{IMPORT}{MADE}print(len(loader))",
        "main.py": "from data import loader\nfor batch in loader:\n    pass",
    },
    "imported by a star": {
        "data.py": f"{IMPORT}{MADE}print(len(loader))",
        "main.py": "from data import *\nfor batch in loader:\n    pass",
    },
}


@pytest.mark.parametrize("files", LOOKED_AT.values(), ids=LOOKED_AT.keys())
def test_a_loader_that_is_only_looked_at_starts_no_workers(files: Files) -> None:
    (loader,) = loaders_of(files)
    assert loader.options["num_workers"].known
    assert not loader.starts_workers


@pytest.mark.parametrize("files", ITERATED.values(), ids=ITERATED.keys())
def test_a_loader_that_anything_else_is_done_with_may_start_workers(files: Files) -> None:
    (loader,) = loaders_of(files)
    assert loader.starts_workers
