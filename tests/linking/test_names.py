from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loader_of, traced

NAMES: Cases = {
    "a literal": ("DataLoader(data, num_workers=⟦8⟧)", {"8"}),
    "a negative literal": ("DataLoader(data, num_workers=⟦-1⟧)", {"-1"}),
    "a string": ("DataLoader(data, num_workers=⟦'8'⟧)", {"'8'"}),
    "a float": ("DataLoader(data, num_workers=⟦8.0⟧)", {"8.0"}),
    "not given": ("DataLoader(data)", {"0 unwritten"}),
    "given as torch's default": ("DataLoader(data, num_workers=⟦0⟧)", {"0"}),
    "a module constant": ("WORKERS = ⟦8⟧\nDataLoader(data, num_workers=WORKERS)", {"8"}),
    "a module constant with an annotation": ("WORKERS: int = ⟦8⟧\nDataLoader(data, num_workers=WORKERS)", {"8"}),
    "a constant of another name": ("A = ⟦8⟧\nB = A\nDataLoader(data, num_workers=B)", {"8"}),
    "a constant used in a function before it is written": (
        """
        def load(data):
            return DataLoader(data, num_workers=WORKERS)
        WORKERS = ⟦8⟧
        """,
        {"8"},
    ),
    "a local that hides a module constant": (
        """
        workers = 2
        def load(data):
            workers = ⟦8⟧
            return DataLoader(data, num_workers=workers)
        """,
        {"8"},
    ),
    "a class attribute hides nothing in its methods": (
        """
        workers = ⟦8⟧
        class Data:
            workers = 2
            def load(self, data):
                return DataLoader(data, num_workers=workers)
        """,
        {"8"},
    ),
    "the last of two assignments": ("workers = 2\nworkers = ⟦8⟧\nDataLoader(data, num_workers=workers)", {"8"}),
    "an assignment after the call": ("workers = ⟦8⟧\nDataLoader(data, num_workers=workers)\nworkers = 2", {"8"}),
    "two targets": ("a = b = ⟦8⟧\nDataLoader(data, num_workers=b)", {"8"}),
    "a tuple": ("workers, size = ⟦8⟧, 32\nDataLoader(data, num_workers=workers)", {"8"}),
    "a tuple's second": ("size, workers = 32, ⟦8⟧\nDataLoader(data, num_workers=workers)", {"8"}),
    "a list of names": ("[size, workers] = 32, ⟦8⟧\nDataLoader(data, num_workers=workers)", {"8"}),
    "a tuple that is kept": ("both = (32, ⟦8⟧)\nsize, workers = both\nDataLoader(data, num_workers=workers)", {"8"}),
    "a nested tuple": ("(size, workers), other = (32, ⟦8⟧), 1\nDataLoader(data, num_workers=workers)", {"8"}),
    "a starred target": ("size, *workers = 32, 8\nDataLoader(data, num_workers=workers)", {"open"}),
    "a starred target and value": (
        "first, *_, workers, kw = *size, 8, {}\nkw['n'] = 1\nDataLoader(data, num_workers=workers, **kw)",
        {"open"},
    ),
    "a target from the end that is not there": (
        "first, *_, kw, last = (size,)\nkw['n'] = 1\nDataLoader(data, num_workers=last)",
        {"open"},
    ),
    "an index": ("both = [32, ⟦8⟧]\nDataLoader(data, num_workers=both[1])", {"8"}),
    "an index from the end": ("both = [32, ⟦8⟧]\nDataLoader(data, num_workers=both[-1])", {"8"}),
    "an index that is not there": ("both = [32, 8]\nDataLoader(data, num_workers=both[7])", {"open"}),
    "a walrus": ("if (workers := ⟦8⟧) > 2:\n    DataLoader(data, num_workers=workers)", {"8"}),
    "an augmented assignment": (
        "workers = 4\n⟦workers *= 2⟧\nDataLoader(data, num_workers=workers)",
        {"8"},
    ),
    "a with item that nobody knows": ("with count() as n:\n    DataLoader(data, num_workers=n)", {"open"}),
    "an exception's name": (
        "try:\n    work()\nexcept E as n:\n    DataLoader(data, num_workers=n)",
        {"open"},
    ),
    "a name nobody binds": ("DataLoader(data, num_workers=workers)", {"open"}),
    "a deleted name is read no more": (
        "workers = 8\ndel workers\nworkers = ⟦2⟧\nDataLoader(data, num_workers=workers)",
        {"2"},
    ),
    "global": (
        """
        workers = ⟦2⟧
        def setup():
            global workers
            workers = ⟦8⟧
        def load(data):
            return DataLoader(data, num_workers=workers)
        """,
        {"2", "8"},
    ),
    "nonlocal": (
        """
        def load(data):
            workers = 2
            def setup():
                nonlocal workers
                workers = ⟦8⟧
            setup()
            return DataLoader(data, num_workers=workers)
        """,
        {"8"},
    ),
    "a lambda's own parameter": ("load = lambda workers: DataLoader(data, num_workers=workers)", {"open"}),
    "an f-string": ("DataLoader(data, num_workers=int(f'{n}'))", {"open"}),
}

BRANCHES: Cases = {
    "both arms assign and the value before is dead": (
        """
        workers = 2
        if fast:
            workers = ⟦8⟧
        else:
            workers = ⟦4⟧
        DataLoader(data, num_workers=workers)
        """,
        {"8", "4"},
    ),
    "one arm assigns and the value before lives": (
        """
        workers = ⟦2⟧
        if fast:
            workers = ⟦8⟧
        DataLoader(data, num_workers=workers)
        """,
        {"2", "8"},
    ),
    "three arms": (
        """
        workers = 1
        if fast:
            workers = ⟦8⟧
        elif slow:
            workers = ⟦2⟧
        else:
            workers = ⟦4⟧
        DataLoader(data, num_workers=workers)
        """,
        {"8", "2", "4"},
    ),
    "elif without else": (
        """
        workers = ⟦1⟧
        if fast:
            workers = ⟦8⟧
        elif slow:
            workers = ⟦2⟧
        DataLoader(data, num_workers=workers)
        """,
        {"8", "2", "1"},
    ),
    "a call inside the arm sees the arm's value alone": (
        """
        workers = 2
        if fast:
            workers = ⟦8⟧
            DataLoader(data, num_workers=workers)
        """,
        {"8"},
    ),
    "a call in the other arm does not see it": (
        """
        workers = ⟦2⟧
        if fast:
            workers = 8
        else:
            DataLoader(data, num_workers=workers)
        """,
        {"2"},
    ),
    "an early return": (
        """
        def load(data):
            workers = ⟦2⟧
            if slow:
                workers = 8
                return None
            return DataLoader(data, num_workers=workers)
        """,
        {"2"},
    ),
    "an arm that raises": (
        """
        workers = ⟦2⟧
        if slow:
            workers = 8
            raise ValueError
        DataLoader(data, num_workers=workers)
        """,
        {"2"},
    ),
    "a constant condition": (
        """
        DEBUG = False
        workers = ⟦8⟧
        if DEBUG:
            workers = 0
        DataLoader(data, num_workers=workers)
        """,
        {"8"},
    ),
    "a call that is never reached is no loader": ("if False:\n    DataLoader(data, num_workers=8)", {"no loader"}),
    "a call in a function that is called where nobody comes to": (
        "def load():\n    DataLoader(data, num_workers=8)\nif False:\n    load()",
        {"no loader"},
    ),
    "a call in a function that others call where nobody comes to": (
        "def load():\n    DataLoader(data, num_workers=8)\ndef main():\n    load()\nif False:\n    main()",
        {"no loader"},
    ),
    "a call in a function that is called where some come to": (
        "def load():\n    DataLoader(data, num_workers=⟦8⟧)\nif False:\n    load()\nif asked:\n    load()",
        {"8"},
    ),
    "a call in a function that nobody is seen to call": (
        "def load():\n    DataLoader(data, num_workers=⟦8⟧)",
        {"8"},
    ),
    "a loop may not run": (
        """
        workers = ⟦2⟧
        for one in many:
            workers = ⟦8⟧
        DataLoader(data, num_workers=workers)
        """,
        {"2", "8"},
    ),
    "a later turn sees what an earlier one assigned": (
        """
        workers = ⟦2⟧
        for one in many:
            DataLoader(data, num_workers=workers)
            workers = ⟦8⟧
        """,
        {"2", "8"},
    ),
    "what an earlier turn worked out may be anything by now": (
        """
        workers = ⟦2⟧
        for one in many:
            DataLoader(data, num_workers=workers)
            workers = workers * 2
        """,
        {"2 shared", "open"},
    ),
    "while": (
        """
        workers = ⟦2⟧
        while going():
            workers = ⟦8⟧
        DataLoader(data, num_workers=workers)
        """,
        {"2", "8"},
    ),
    "the turns of a loop over written numbers": (
        "for workers in (⟦0⟧, ⟦4⟧):\n    DataLoader(data, num_workers=workers)",
        {"0 shared", "4 shared"},
    ),
    "the turns of a loop over pairs": (
        "for size, workers in [(8, ⟦0⟧), (16, ⟦4⟧)]:\n    DataLoader(data, num_workers=workers)",
        {"0", "4"},
    ),
    "a loop over something unseen": ("for workers in many():\n    DataLoader(data, num_workers=workers)", {"open"}),
    "try and except": (
        """
        try:
            workers = ⟦8⟧
        except OSError:
            workers = ⟦0⟧
        DataLoader(data, num_workers=workers)
        """,
        {"8", "0"},
    ),
    "finally": (
        """
        workers = 8
        try:
            work()
        finally:
            workers = ⟦0⟧
        DataLoader(data, num_workers=workers)
        """,
        {"0"},
    ),
    "match": (
        """
        match size:
            case "small":
                workers = ⟦0⟧
            case _:
                workers = ⟦8⟧
        DataLoader(data, num_workers=workers)
        """,
        {"0", "8"},
    ),
    "the guard is no condition": (
        """
        workers = 2
        if __name__ == "__main__":
            workers = ⟦8⟧
            DataLoader(data, num_workers=workers)
        """,
        {"8"},
    ),
    "a name bound in one arm only": (
        "if fast:\n    workers = ⟦8⟧\nDataLoader(data, num_workers=workers)",
        {"8"},
    ),
    "a conditional expression": ("DataLoader(data, num_workers=⟦8⟧ if fast else ⟦0⟧)", {"8", "0"}),
    "a conditional expression on a constant": (
        "DEBUG = True\nDataLoader(data, num_workers=8 if not DEBUG else ⟦0⟧)",
        {"0"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), NAMES.values(), ids=NAMES.keys())
def test_names(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), BRANCHES.values(), ids=BRANCHES.keys())
def test_branches(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


USES = "DataLoader(data, num_workers=WORKERS)\n"

MODULES: Cases = {
    "imported by name": (
        {"main.py": f"{IMPORT}from settings import WORKERS\n{USES}", "settings.py": "WORKERS = ⟦8⟧\n"},
        {"8"},
    ),
    "imported under another name": (
        {"main.py": f"{IMPORT}from settings import N as WORKERS\n{USES}", "settings.py": "N = ⟦8⟧\n"},
        {"8"},
    ),
    "read from the module": (
        {
            "main.py": f"{IMPORT}import settings\nDataLoader(data, num_workers=settings.WORKERS)",
            "settings.py": "WORKERS = ⟦8⟧\n",
        },
        {"8"},
    ),
    "read from a module of a package": (
        {
            "main.py": f"{IMPORT}import pkg.settings\nDataLoader(data, num_workers=pkg.settings.WORKERS)",
            "pkg/__init__.py": "",
            "pkg/settings.py": "WORKERS = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a module under another name": (
        {
            "main.py": f"{IMPORT}import pkg.settings as s\nDataLoader(data, num_workers=s.WORKERS)",
            "pkg/__init__.py": "",
            "pkg/settings.py": "WORKERS = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a star import": (
        {"main.py": f"{IMPORT}from settings import *\n{USES}", "settings.py": "WORKERS = ⟦8⟧\n"},
        {"8"},
    ),
    "a relative import": (
        {
            "pkg/__init__.py": "",
            "pkg/main.py": f"{IMPORT}from .settings import WORKERS\n{USES}",
            "pkg/settings.py": "WORKERS = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a relative import from above": (
        {
            "pkg/__init__.py": "",
            "pkg/settings.py": "WORKERS = ⟦8⟧\n",
            "pkg/sub/__init__.py": "",
            "pkg/sub/main.py": f"{IMPORT}from ..settings import WORKERS\n{USES}",
        },
        {"8"},
    ),
    "handed on by a package": (
        {
            "main.py": f"{IMPORT}from pkg import WORKERS\n{USES}",
            "pkg/__init__.py": "from .settings import WORKERS\n",
            "pkg/settings.py": "WORKERS = ⟦8⟧\n",
        },
        {"8"},
    ),
    "from a source root above": (
        {
            "src/tool/main.py": f"{IMPORT}from tool.settings import WORKERS\n{USES}",
            "src/tool/settings.py": "WORKERS = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a module outside the project": ({"main.py": f"{IMPORT}from elsewhere import WORKERS\n{USES}"}, {"open"}),
    "a name its module does not have": (
        {"main.py": f"{IMPORT}from settings import WORKERS\n{USES}", "settings.py": "OTHER = 8\n"},
        {"open"},
    ),
    "modules that import each other": (
        {
            "main.py": f"{IMPORT}from settings import WORKERS\n{USES}",
            "settings.py": "from main import WORKERS\n",
        },
        {"open"},
    ),
    "an imported name that a later assignment replaces": (
        {"main.py": f"{IMPORT}from settings import WORKERS\nWORKERS = ⟦2⟧\n{USES}", "settings.py": "WORKERS = 8\n"},
        {"2"},
    ),
    "an import with a fallback": (
        {
            "main.py": f"{IMPORT}try:\n    from elsewhere import WORKERS\n"
            f"except ImportError:\n    WORKERS = ⟦2⟧\n{USES}",
        },
        {"2", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), MODULES.values(), ids=MODULES.keys())
def test_names_of_other_files(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_the_default_of_a_method_is_named_with_its_class() -> None:
    loader = loader_of(
        "class Data:\n    def __init__(self, n=4):\n        self.n = n\n"
        "    def load(self, size=2):\n        DataLoader(d, size, num_workers=self.n)\nData().load()"
    )
    (workers,), (size,) = (loader.option(name).candidates for name in ("num_workers", "batch_size"))
    assert [workers.trail[0].note, size.trail[0].note] == ["Data(n=…) default", "Data.load(size=…) default"]


def test_a_trail_names_each_step() -> None:
    loader = loader_of(
        """
        WORKERS = 8
        def load(data, workers):
            return DataLoader(data, num_workers=workers)
        load(data, WORKERS)
        """
    )
    (workers,) = loader.num_workers.candidates
    assert [str(step) for step in (one.note for one in workers.trail)] == ["WORKERS", "load(workers=…)"]


def test_a_keyword_written_at_the_call_can_be_taken_away_and_a_constant_elsewhere_cannot() -> None:
    (here,) = loader_of("DataLoader(data, num_workers=8)").num_workers.candidates
    (there,) = loader_of("N = 8\nDataLoader(data, num_workers=N)").num_workers.candidates
    assert here.entry is not None and (here.entry.line, here.entry.column, here.entry.end_column) == (2, 18, 31)
    assert there.entry is None


def test_the_argument_is_where_the_call_hands_the_option_over() -> None:
    loader = loader_of("N = 8\nDataLoader(data, num_workers=N)")
    argument = loader.num_workers.argument
    assert argument is not None and str(argument) == "main.py:3:30"
