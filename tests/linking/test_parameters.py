from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

MAKERS = """
class A:
    def make(self, workers):
        return DataLoader(data, num_workers=workers)
class B:
    def size(self):
        return 6
class C:
    def size(self):
        return 8
def known(x: A):
    x.make(⟦4⟧)
"""
SIZED = "DataLoader(data, num_workers=x.size())"
WITHOUT_LOADERS = MAKERS.replace("DataLoader(data, num_workers=workers)", "None").replace("⟦4⟧", "4")
OF_CLASSES = WITHOUT_LOADERS.replace("return 6", "return ⟦6⟧")


def kinds(test: str, parameter: str = "x: Small | Big") -> str:
    """Return a function that is handed an object of one of two classes and makes a loader after a test."""
    return (
        "class Above: pass\nclass Small:\n    n = 0\nclass Big:\n    n = ⟦6⟧\n"
        f"def run({parameter}):\n    {test}DataLoader(data, num_workers=x.n)\n"
    )


TOLD: Cases = {
    "a union of classes": (f"{OF_CLASSES}class D(B): pass\ndef run(x: B | D):\n    {SIZED}", {"6"}),
    "a union of two classes with methods of their own": (
        f"{OF_CLASSES.replace('return 8', 'return ⟦8⟧')}def run(x: B | C):\n    {SIZED}",
        {"6", "8"},
    ),
    "typing's Union": (f"from typing import Union\n{OF_CLASSES}def run(x: Union[B, str]):\n    {SIZED}", {"6", "open"}),
    "an optional class": (
        f"from typing import Optional\n{OF_CLASSES}def run(x: Optional[B] = None):\n"
        f"    if x is not None:\n        {SIZED}",
        {"6", "open"},
    ),
    "an optional class, and what is there without one": (
        f"from typing import Optional\n{OF_CLASSES}def run(x: Optional[B]):\n"
        "    DataLoader(data, num_workers=x.size() if x else ⟦2⟧)",
        {"6", "2", "open"},
    ),
    "a class or None, and what is there without one": (
        f"{OF_CLASSES}def run(x: B | None):\n    DataLoader(data, num_workers=x.size() if x else ⟦2⟧)",
        {"6", "2", "open"},
    ),
    "a class of a union that nobody sees": (
        f"from elsewhere import E\n{OF_CLASSES}def run(x: B | E):\n    {SIZED}",
        {"6", "open"},
    ),
    "a union without a class of the project": (
        f"from elsewhere import E\n{WITHOUT_LOADERS}def run(x: E | None):\n    {SIZED}",
        {"open"},
    ),
    "a method of one class of a union": (f"{MAKERS}def run(x: A | B):\n    x.make(4)", {"4", "4 at main.py:15:12"}),
    "a method after an early return for other classes": (
        f"{MAKERS}def run(x):\n    if not isinstance(x, A):\n        return\n    x.make(7)",
        {"4", "open"},
    ),
    "a method where one of several classes is asked for": (
        f"{MAKERS}def run(x):\n    if isinstance(x, (B, A)):\n        x.make(7)",
        {"4", "open"},
    ),
    "a method where another class is asked for": (
        f"{MAKERS}def run(x):\n    if isinstance(x, B):\n        x.make(7)",
        {"4"},
    ),
    "a method where the class is ruled out": (
        f"{MAKERS}def run(x):\n    if isinstance(x, A):\n        pass\n    else:\n        x.make(7)",
        {"4"},
    ),
    "a method of something else than what is asked for its class": (
        f"{MAKERS}def run(x, y):\n    if isinstance(x, A):\n        y.make(7)",
        {"4"},
    ),
    "what one class has where another is asked for": (kinds("if isinstance(x, Big):\n        "), {"6"}),
    "what a class has where it is asked for in a row": (kinds("if isinstance(x, (Big, str)):\n        "), {"6"}),
    "what a class has where the other is ruled out": (kinds("if not isinstance(x, Small):\n        "), {"6"}),
    "what a class has after an early return": (kinds("if isinstance(x, Small):\n        return\n    "), {"6"}),
    "what a class has where its type is asked for": (kinds("if type(x) is Big:\n        "), {"6"}),
    "what a class has in the case of it": (kinds("match x:\n      case Big():\n        "), {"6"}),
    "what a class has in the case of it that names an attribute": (
        kinds("match x:\n      case Big(n=n):\n        "),
        {"6"},
    ),
    "what a class may have in a case that asks for more": (
        kinds("match x:\n      case Above() | Big(n=3):\n        ").replace("0", "⟦0⟧"),
        {"0", "6"},
    ),
    "what an object has that its maker handed over": (
        kinds("if isinstance(x, Big):\n        ", "x") + "run(Small())\nrun(Big())\n",
        {"6"},
    ),
    "what a class has where one above it is asked for": (
        kinds("if isinstance(x, Above):\n        ").replace("Big:", "Big(Above):"),
        {"6"},
    ),
    "what a class may have where one below both is there": (
        kinds("if isinstance(x, Big):\n        ").replace("0", "⟦0⟧") + "class Both(Small, Big): pass\n",
        {"0", "6"},
    ),
    "what a class may have where a class says itself what is of it": (
        kinds("if isinstance(x, Above):\n        ").replace("0", "⟦0⟧").replace("Above:", "Above(metaclass=M):"),
        {"0", "6"},
    ),
    "what a class may have where something unseen is asked for": (
        "from elsewhere import E\n" + kinds("if isinstance(x, E):\n        ").replace("0", "⟦0⟧"),
        {"0", "6"},
    ),
    "what a class may have where it is asked for its type and there are others below it": (
        kinds("if type(x) is Big:\n        ") + "class Bigger(Big):\n    n = ⟦7⟧\n",
        {"6", "7"},
    ),
    "an object whose making is seen is not told by isinstance": (
        f"{MAKERS}class F:\n    def make(self, n): pass\ndef run():\n    x = F()\n    if isinstance(x, A):\n"
        "        x.make(7)",
        {"4"},
    ),
}

PARAMETERS: Cases = {
    "a keyword by the name of what takes the positional ones": (
        "def load(*args, **kwargs):\n    DataLoader(data, num_workers=kwargs['args'])\nload(args=⟦4⟧)\n",
        {"4"},
    ),
    "such a keyword handed on": (
        "def load(args):\n    DataLoader(data, num_workers=args)\n"
        "def build(*args, **kwargs):\n    load(*args, **kwargs)\nbuild(args=⟦4⟧)\n",
        {"4"},
    ),
    "a keyword by the name of what takes all others": (
        "def load(**kwargs):\n    DataLoader(data, num_workers=kwargs['kwargs'])\nload(kwargs=⟦4⟧)\n",
        {"4"},
    ),
    "no keyword that a parameter takes": (
        "def load(n=0, **kwargs):\n    DataLoader(data, num_workers=kwargs['n'])\nload(n=4)\n",
        {"open"},
    ),
    "a call that is made under a condition is given what holds under it": (
        "def load(n):\n    return DataLoader(d, num_workers=n)\nn = ⟦4⟧ if fast() else ⟦2⟧\nFAST = fast()\n"
        "m = ⟦3⟧ if FAST else 5\nload(n)\nif FAST:\n    load(m)",
        {"4", "2", "3"},
    ),
    "a call that is never made": (
        "def load(n):\n    return DataLoader(d, num_workers=n)\nDEBUG = False\n"
        "if DEBUG:\n    load(0)\nelse:\n    load(⟦4⟧)",
        {"4"},
    ),
    "a call that a loop makes in some of its turns": (
        "def load(n):\n    return DataLoader(d, num_workers=n)\nfor name, n in {'train': ⟦4⟧, 'val': 2}.items():\n"
        "    if name == 'train':\n        load(n)",
        {"4 shared"},
    ),
    "a call of another method of the same name, whose arguments cannot be this one's": (
        """
        class Trainer:
            def train(self, workers):
                return DataLoader(data, num_workers=workers)
        def run(model, trainer: Trainer):
            model.train()
            model.train(1, 2)
            model.train(mode=True)
            trainer.train(⟦8⟧)
        """,
        {"8"},
    ),
    "a call that spreads a dictionary with a key no parameter takes": (
        """
        def make(workers, size=1):
            return DataLoader(data, num_workers=workers)
        make(**{"workers": 4, "name": "images"})
        make(**{"workers": ⟦8⟧, "size": 2})
        """,
        {"8"},
    ),
    "a call that spreads a dictionary with such a key over a function that takes any": (
        """
        def make(workers, **more):
            return DataLoader(data, num_workers=workers)
        make(**{"workers": ⟦4⟧, "name": "images"})
        """,
        {"4"},
    ),
    "a call that spreads a dictionary which something else may change": (
        """
        def make(workers):
            return DataLoader(data, num_workers=workers)
        options = {"workers": ⟦4⟧, "name": "images"}
        clean(options)
        make(**options)
        """,
        {"4"},
    ),
    "a call that may spread such a key": (
        """
        def make(workers):
            return DataLoader(data, num_workers=workers)
        options = {"workers": ⟦4⟧}
        if named:
            options["name"] = "images"
        make(**options)
        """,
        {"4"},
    ),
    "a call that may hand over anything": (
        """
        def make(workers=⟦2⟧):
            return DataLoader(data, num_workers=workers)
        make(*read())
        make(⟦4⟧)
        make()
        """,
        {"2", "4", "open"},
    ),
    "a call of a function whose decorator may take other arguments": (
        """
        from plugins import seeded
        @seeded
        def make(workers):
            return DataLoader(data, num_workers=workers)
        make(⟦4⟧, seed=1)
        """,
        {"4"},
    ),
    "nobody calls it: the default, or what an outside caller gives": (
        "def load(data, workers=⟦4⟧):\n    return DataLoader(data, num_workers=workers)",
        {"4", "open"},
    ),
    "nobody calls it and there is no default": (
        "def load(data, workers):\n    return DataLoader(data, num_workers=workers)",
        {"open"},
    ),
    "the default lives when a caller leaves it out": (
        """
        def load(data, workers=⟦4⟧):
            return DataLoader(data, num_workers=workers)
        load(data)
        """,
        {"4"},
    ),
    "the default is dead when every caller gives a value": (
        """
        def load(data, workers=4):
            return DataLoader(data, num_workers=workers)
        load(data, workers=⟦8⟧)
        load(data, workers=⟦2⟧)
        """,
        {"8", "2"},
    ),
    "the default is dead when every caller gives a value by position": (
        """
        def load(data, workers=4):
            return DataLoader(data, num_workers=workers)
        load(data, ⟦8⟧)
        """,
        {"8"},
    ),
    "one caller gives it and another does not": (
        """
        def load(data, workers=⟦4⟧):
            return DataLoader(data, num_workers=workers)
        load(data, ⟦8⟧)
        load(data)
        """,
        {"8", "4"},
    ),
    "a default that is a constant": (
        """
        WORKERS = ⟦4⟧
        def load(data, workers=WORKERS):
            return DataLoader(data, num_workers=workers)
        load(data)
        """,
        {"4"},
    ),
    "a keyword-only parameter": (
        """
        def load(data, *, workers=4):
            return DataLoader(data, num_workers=workers)
        load(data, workers=⟦8⟧)
        """,
        {"8"},
    ),
    "a positional-only parameter": (
        """
        def load(data, workers=4, /):
            return DataLoader(data, num_workers=workers)
        load(data, ⟦8⟧)
        """,
        {"8"},
    ),
    "a caller that splats a list hides what it gives": (
        """
        def load(data, workers=4):
            return DataLoader(data, num_workers=workers)
        load(*arguments)
        """,
        {"open"},
    ),
    "a caller that splats a dictionary": (
        """
        def load(data, workers=4):
            return DataLoader(data, num_workers=workers)
        options = {"workers": ⟦8⟧}
        load(data, **options)
        """,
        {"8"},
    ),
    "a caller that splats a dictionary without it": (
        """
        def load(data, workers=⟦4⟧, size=1):
            return DataLoader(data, num_workers=workers)
        options = {"size": 8}
        load(data, **options)
        """,
        {"4"},
    ),
    "a caller that splats something unseen": (
        """
        def load(data, workers=⟦4⟧):
            return DataLoader(data, num_workers=workers)
        load(data, **options())
        """,
        {"4", "open"},
    ),
    "a caller that splats something unseen and gives it": (
        """
        def load(data, workers=4):
            return DataLoader(data, num_workers=workers)
        load(data, workers=⟦8⟧, **options())
        """,
        {"8"},
    ),
    "a caller that splats something seen in part": (
        """
        def load(data, workers=4, size=1):
            return DataLoader(data, num_workers=workers)
        load(data, **{"size": 2, **options()})
        """,
        {"open"},
    ),
    "a caller that splats something unseen for a parameter without a default": (
        """
        def load(data, workers):
            return DataLoader(data, num_workers=workers)
        load(data, **options())
        """,
        {"open"},
    ),
    "two functions deep": (
        """
        def load(data, workers):
            return DataLoader(data, num_workers=workers)
        def both(n):
            return load(1, n), load(2, n)
        both(⟦8⟧)
        """,
        {"8"},
    ),
    "reassigned before use": (
        """
        def load(data, workers=4):
            workers = ⟦8⟧
            return DataLoader(data, num_workers=workers)
        load(data, 2)
        """,
        {"8"},
    ),
    "None stands for a number written in the function": (
        """
        def load(data, workers=None):
            if workers is None:
                workers = ⟦4⟧
            return DataLoader(data, num_workers=workers)
        load(data)
        """,
        {"4"},
    ),
    "None stands for a number that no caller needs": (
        """
        def load(data, workers=None):
            if workers is None:
                workers = 4
            return DataLoader(data, num_workers=workers)
        load(data, ⟦8⟧)
        """,
        {"8"},
    ),
    "a number that `or` gives for None": (
        """
        def load(data, workers=None):
            return DataLoader(data, num_workers=workers or ⟦4⟧)
        load(data)
        load(data, ⟦8⟧)
        """,
        {"4", "8"},
    ),
    "recursion": (
        """
        def load(data, workers, depth):
            load(data, workers, depth - 1)
            return DataLoader(data, num_workers=workers)
        load(data, ⟦8⟧, 3)
        """,
        {"8", "open"},
    ),
    "a function of the same name elsewhere is another": (
        """
        class Other:
            def load(self, data, workers):
                return workers
        def load(data, workers=⟦4⟧):
            return DataLoader(data, num_workers=workers)
        Other().load(data, 8)
        load(data)
        """,
        {"4"},
    ),
    "a method's caller": (
        """
        class Data:
            def load(self, data, workers):
                return DataLoader(data, num_workers=workers)
        Data().load(data, ⟦8⟧)
        """,
        {"8"},
    ),
    "a static method's caller": (
        """
        class Data:
            @staticmethod
            def load(data, workers):
                return DataLoader(data, num_workers=workers)
        Data.load(data, ⟦8⟧)
        """,
        {"8"},
    ),
    "a class method's caller": (
        """
        class Data:
            @classmethod
            def load(cls, data, workers):
                return DataLoader(data, num_workers=workers)
        Data.load(data, ⟦8⟧)
        """,
        {"8"},
    ),
    "a method called on the object itself": (
        """
        class Data:
            def train(self):
                return self.load(1, ⟦8⟧)
            def load(self, data, workers):
                return DataLoader(data, num_workers=workers)
        """,
        {"8"},
    ),
    "a partial": (
        """
        from functools import partial
        def load(data, workers=4):
            return DataLoader(data, num_workers=workers)
        partial(load, workers=⟦8⟧)(data)
        """,
        {"8"},
    ),
    "a partial that leaves it to whoever calls it": (
        """
        from functools import partial
        def load(data, workers=4):
            return DataLoader(data, num_workers=workers)
        partial(load, data)(workers=⟦8⟧)
        """,
        {"8"},
    ),
    "a function that is handed on may be called with anything": (
        """
        def load(data, workers=⟦4⟧):
            return DataLoader(data, num_workers=workers)
        run(load)
        """,
        {"4", "open"},
    ),
    "what a function returns": (
        """
        def workers():
            return ⟦8⟧
        DataLoader(data, num_workers=workers())
        """,
        {"8"},
    ),
    "what each of its returns gives": (
        """
        def workers(fast):
            if fast:
                return ⟦8⟧
            return ⟦2⟧
        DataLoader(data, num_workers=workers(some()))
        """,
        {"8", "2"},
    ),
    "the return that the argument chooses": (
        """
        def workers(fast):
            if fast:
                return ⟦8⟧
            return 2
        DataLoader(data, num_workers=workers(True))
        """,
        {"8"},
    ),
    "a function that gives back its parameter": (
        """
        def same(n):
            return n
        same(2)
        DataLoader(data, num_workers=same(⟦8⟧))
        """,
        {"8"},
    ),
    "a lambda's value": ("workers = lambda: ⟦8⟧\nDataLoader(data, num_workers=workers())", {"8"}),
    "a generator gives no number": (
        "def workers():\n    yield 8\nDataLoader(data, num_workers=workers())",
        {"open"},
    ),
    "a function that calls itself": (
        "def workers():\n    return workers()\nDataLoader(data, num_workers=workers())",
        {"open"},
    ),
    "a tuple of loaders takes each its own": (
        """
        def load(train, workers):
            return DataLoader(train, num_workers=workers), DataLoader(train, num_workers=⟦0⟧)
        a, b = load(data, ⟦8⟧)
        """,
        {"8", "0"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PARAMETERS.values(), ids=PARAMETERS.keys())
def test_parameters(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


DATACLASS = (
    "from dataclasses import dataclass\n@dataclass\nclass Data:\n    workers: int = ⟦4⟧\n"
    "    def load(self):\n        return DataLoader(1, num_workers=self.workers)\n"
)

FILES: Cases = {
    "a caller in another file": (
        {
            "data.py": f"{IMPORT}def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n",
            "main.py": "from data import load\nload(1, workers=⟦8⟧)\n",
        },
        {"8"},
    ),
    "a caller in another file under another name": (
        {
            "data.py": f"{IMPORT}def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n",
            "main.py": "from data import load as make\nmake(1, workers=⟦8⟧)\n",
        },
        {"8"},
    ),
    "a caller through the module": (
        {
            "data.py": f"{IMPORT}def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n",
            "main.py": "import data\ndata.load(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "a caller through the package that hands it on": (
        {
            "pkg/data.py": f"{IMPORT}def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n",
            "pkg/__init__.py": "from .data import load\n",
            "main.py": "from pkg import load\nload(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "callers in two files": (
        {
            "data.py": f"{IMPORT}def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n",
            "train.py": "from data import load\nload(1, ⟦8⟧)\n",
            "test.py": "from data import load\nload(1, ⟦0⟧)\n",
        },
        {"8", "0"},
    ),
    "callers in tests alone, beside what its users leave out": (
        {
            "data.py": f"{IMPORT}def load(data, workers=⟦4⟧):\n    return DataLoader(data, num_workers=workers)\n",
            "tests/test_data.py": "from data import load\ndef test_it():\n    load(1, ⟦0⟧)\n",
        },
        {"4", "0", "open"},
    ),
    "callers in tests and elsewhere": (
        {
            "data.py": f"{IMPORT}def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n",
            "tests/test_data.py": "from data import load\ndef test_it():\n    load(1, ⟦0⟧)\n",
            "main.py": "from data import load\nload(1, ⟦8⟧)\n",
        },
        {"8", "0"},
    ),
    "callers in tests of a function of the tests": (
        {
            "tests/data.py": f"{IMPORT}def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n",
            "tests/test_data.py": "from .data import load\ndef test_it():\n    load(1, ⟦0⟧)\n",
        },
        {"0"},
    ),
    "an object's fields, which tests alone give": (
        {
            "data.py": f"{IMPORT}{DATACLASS}",
            "data_test.py": "from data import Data\ndef test_it():\n    Data(workers=⟦0⟧).load()\n",
        },
        {"4", "0", "open"},
    ),
    "an object's fields, which tests and a program give": (
        {
            "data.py": f"{IMPORT}{DATACLASS.replace('⟦4⟧', '4')}",
            "data_test.py": "from data import Data\ndef test_it():\n    Data(workers=⟦0⟧).load()\n",
            "main.py": "from data import Data\nData(⟦8⟧).load()\n",
        },
        {"8", "0"},
    ),
    "a function of that name in the calling file": (
        {
            "data.py": f"{IMPORT}def load(data, workers=⟦4⟧):\n    return DataLoader(data, num_workers=workers)\n",
            "main.py": "def load(data, workers):\n    return workers\nload(1, 8)\n",
        },
        {"4", "open"},
    ),
    "a name imported from elsewhere": (
        {
            "data.py": f"{IMPORT}def load(data, workers=⟦4⟧):\n    return DataLoader(data, num_workers=workers)\n",
            "main.py": "from elsewhere import load\nload(1, 8)\n",
        },
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FILES.values(), ids=FILES.keys())
def test_callers_in_other_files(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), TOLD.values(), ids=TOLD.keys())
def test_objects_of_which_an_annotation_or_a_test_tells_the_class(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
