"""Which of several assignments can be the one a loader sees."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.linking.traced import Cases, Files, loader_of, loaders_of, met, traced

HANDLED: Cases = {
    "assigned in the body and in the handler": (
        "try:\n    import x\n    n = ⟦4⟧\nexcept ImportError:\n    n = ⟦0⟧\nDataLoader(d, num_workers=n)",
        {"4", "0"},
    ),
    "a value before a body that may not get so far": (
        "n = ⟦2⟧\ntry:\n    work()\n    n = ⟦4⟧\nexcept OSError:\n    pass\nDataLoader(d, num_workers=n)",
        {"2", "4"},
    ),
    "a handler that leaves": (
        """
        def load(d):
            try:
                work()
                n = ⟦4⟧
            except OSError:
                n = 2
                return None
            return DataLoader(d, num_workers=n)
        """,
        {"4"},
    ),
    "what runs in any case": (
        "n = 2\ntry:\n    n = 4\nfinally:\n    n = ⟦8⟧\nDataLoader(d, num_workers=n)",
        {"8"},
    ),
    "what runs when nothing was raised": (
        "try:\n    work()\nexcept OSError:\n    n = ⟦2⟧\nelse:\n    n = ⟦4⟧\nDataLoader(d, num_workers=n)",
        {"2", "4"},
    ),
    "no exception comes after the last assignment of a body": (
        "try:\n    n = ⟦4⟧\nexcept OSError:\n    n = ⟦2⟧\nDataLoader(d, num_workers=n)",
        {"4", "2"},
    ),
    "suppressed": (
        """
        from contextlib import suppress
        n = ⟦2⟧
        with suppress(OSError):
            work()
            n = ⟦4⟧
            work()
        DataLoader(d, num_workers=n)
        """,
        {"2", "4"},
    ),
}

LOOPS: Cases = {
    "what a sum starts with is no value of it": (
        "n = 0\nfor one in several:\n    n += one\nDataLoader(d, num_workers=n)",
        {"open"},
    ),
    "the last turn's value after a loop over a literal": (
        "n = 1\nfor n in (2, ⟦4⟧):\n    pass\nDataLoader(d, num_workers=n)",
        {"4 shared"},
    ),
    "what the last turn assigned": (
        "n = 1\nfor i in (2, ⟦4⟧):\n    n = i\nDataLoader(d, num_workers=n)",
        {"4 shared"},
    ),
    "no turn at all may run": (
        "n = ⟦1⟧\nfor i in work():\n    n = ⟦4⟧\nDataLoader(d, num_workers=n)",
        {"1", "4"},
    ),
    "left before the end": (
        "for n in (⟦2⟧, ⟦4⟧):\n    if n == work():\n        break\nDataLoader(d, num_workers=n)",
        {"2 shared", "4 shared"},
    ),
    "what runs when a loop was not left": (
        """
        for i in work():
            if i:
                n = ⟦2⟧
                break
        else:
            n = ⟦4⟧
        DataLoader(d, num_workers=n)
        """,
        {"2", "4"},
    ),
    "what an earlier turn left": (
        "n = ⟦1⟧\nfor i in (2, 4):\n    DataLoader(d, num_workers=n)\n    n = ⟦3⟧",
        {"1", "3"},
    ),
    "a sum over the turns is not guessed": (
        "n = 1\nfor i in (2, 4):\n    n = n + i\nDataLoader(d, num_workers=n)",
        {"open"},
    ),
    "a loop without end": (
        "n = 1\nwhile True:\n    n = ⟦4⟧\n    if work():\n        break\nDataLoader(d, num_workers=n)",
        {"4"},
    ),
    "a pair for each turn": (
        "for name, n in (('a', ⟦2⟧), ('b', ⟦4⟧)):\n    DataLoader(d, num_workers=n)",
        {"2", "4"},
    ),
    "a comprehension": ("[DataLoader(d, num_workers=n) for n in (⟦2⟧, ⟦4⟧)]", {"2 shared", "4 shared"}),
    "a comprehension's name is its own": (
        "n = ⟦8⟧\nzeros = [0 for n in (2, 4)]\nDataLoader(d, num_workers=n)",
        {"8"},
    ),
    "a comprehension with a condition": (
        "[DataLoader(d, num_workers=n) for n in (2, ⟦4⟧) if n > 2]",
        {"4 shared"},
    ),
    "a dictionary of loaders": (
        "{s: DataLoader(d[s], num_workers=⟦4⟧ if s == 'train' else ⟦0⟧) for s in ('train', 'test')}",
        {"4", "0"},
    ),
}

MATCHES: Cases = {
    "a case for each value": (
        """
        match work():
            case "fast":
                n = ⟦8⟧
            case "slow":
                n = ⟦2⟧
            case _:
                n = ⟦0⟧
        DataLoader(d, num_workers=n)
        """,
        {"8", "2", "0"},
    ),
    "a case that is never taken": (
        """
        mode = "slow"
        match mode:
            case "fast":
                n = 8
            case "slow" | "medium":
                n = ⟦2⟧
        DataLoader(d, num_workers=n)
        """,
        {"2"},
    ),
    "what a case returns that is no comparison": (
        """
        def workers(x):
            match x:
                case [a]:
                    return ⟦2⟧
                case _:
                    return ⟦0⟧
        DataLoader(d, num_workers=workers(work()))
        """,
        {"2", "0"},
    ),
    "a captured subject": ("match ⟦4⟧:\n    case n:\n        DataLoader(d, num_workers=n)", {"4"}),
    "a guard": (
        """
        match 4:
            case 4 if work():
                n = ⟦8⟧
            case _:
                n = ⟦2⟧
        DataLoader(d, num_workers=n)
        """,
        {"8", "2"},
    ),
}

OUTER: Cases = {
    "each time a function is called": (
        """
        n = ⟦2⟧
        def load(d):
            return DataLoader(d, num_workers=n)
        load(d)
        n = ⟦4⟧
        load(d)
        n = 8
        """,
        {"2", "4"},
    ),
    "called by another": (
        """
        n = 2
        def load(d):
            return DataLoader(d, num_workers=n)
        def main():
            load(d)
        n = ⟦4⟧
        main()
        n = 8
        """,
        {"4"},
    ),
    "handed on to be called at any time": (
        """
        n = ⟦2⟧
        def load(d):
            return DataLoader(d, num_workers=n)
        register(load)
        n = ⟦4⟧
        """,
        {"2", "4"},
    ),
    "set by a function that is called": (
        """
        n = 2
        def setup():
            global n
            n = ⟦4⟧
        setup()
        DataLoader(d, num_workers=n)
        """,
        {"4"},
    ),
    "set by a function that is called later": (
        """
        n = ⟦2⟧
        def setup():
            global n
            n = 4
        DataLoader(d, num_workers=n)
        setup()
        """,
        {"2"},
    ),
    "set to a local of the function": (
        """
        n = 2
        def setup(k):
            global n
            n = k
        setup(⟦4⟧)
        DataLoader(d, num_workers=n)
        """,
        {"4"},
    ),
}

CASES = {**HANDLED, **LOOPS, **MATCHES, **OUTER}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_branches(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected


def test_what_one_try_assigns_stays_together() -> None:
    files = """
        try:
            work()
            n, factor = 4, 2
        except OSError:
            n, factor = 0, None
        DataLoader(d, num_workers=n, prefetch_factor=factor)
        """
    assert met(files) == {("4", "2"), ("0", "None")}


HANDLERS = {
    "try:\n    DataLoader(d, prefetch_factor=4)\nexcept ValueError:\n    DataLoader(d)": True,
    "try:\n    DataLoader(d, prefetch_factor=4)\nexcept (OSError, ValueError):\n    pass": True,
    "try:\n    DataLoader(d, prefetch_factor=4)\nexcept:\n    pass": True,
    "try:\n    DataLoader(d, prefetch_factor=4)\nexcept ImportError:\n    pass": False,
    "try:\n    DataLoader(d, prefetch_factor=4)\nexcept ValueError:\n    clean()\n    raise": False,
    "try:\n    pass\nexcept ValueError:\n    DataLoader(d, prefetch_factor=4)": False,
    "with suppress(OSError, ValueError):\n    DataLoader(d, prefetch_factor=4)": True,
    "with suppress(OSError):\n    DataLoader(d, prefetch_factor=4)": False,
}


@pytest.mark.parametrize(("text", "handled"), HANDLERS.items(), ids=HANDLERS.keys())
def test_what_torch_refuses_may_be_handled_around_a_loader(text: str, handled: bool) -> None:
    loader = next(one for one in loaders_of(text) if "prefetch_factor" in one.options)
    assert loader.may_be_guarded is handled
    assert ("ValueError" in loader.handled) is handled


DEAD = {
    "return": "return 1\nLOADER",
    "raise": "raise NotImplementedError\nLOADER",
    "an exit": "sys.exit(1)\nLOADER",
    "break": "while more():\n    break\n    LOADER",
    "continue": "for one in many():\n    continue\n    LOADER",
    "two branches that leave": "if flag():\n    return 1\nelse:\n    raise ValueError\nLOADER",
    "return, in a block": "return 1\nif flag():\n    LOADER",
}
ALIVE = {
    "a branch that leaves": "if flag():\n    return 1\nLOADER",
    "a loop that is left": "while more():\n    break\nLOADER",
    "a handled error": "try:\n    raise ValueError\nexcept ValueError:\n    pass\nLOADER",
    "a suppressed error": "with suppress(ValueError):\n    raise ValueError\nLOADER",
    "a function that returns": "def early():\n    return 1\nLOADER",
    "a call of a function named exit": "server.exit()\nLOADER",
}


@pytest.mark.parametrize("text", DEAD.values(), ids=DEAD.keys())
def test_a_loader_that_no_run_comes_to_is_none(text: str) -> None:
    assert loaders_of(_in_main(text)) == ()


@pytest.mark.parametrize("text", ALIVE.values(), ids=ALIVE.keys())
def test_a_loader_that_some_run_comes_to_is_one(text: str) -> None:
    assert len(loaders_of(_in_main(text))) == 1


def test_a_function_that_is_called_where_no_run_comes_to_makes_no_loader() -> None:
    files = "def load():\n    DataLoader(d)\n"
    assert loaders_of(files + _in_main("return 1\nload()")) == ()
    assert len(loaders_of(files + _in_main("load()\nreturn 1"))) == 1


def _in_main(text: str) -> str:
    return f"import sys\ndef main():\n{indent(text, '    ')}\nmain()\n".replace("LOADER", "DataLoader(d)")


def test_what_an_and_stops_at_is_written_where_the_and_stands() -> None:
    files = "n = 0\nDataLoader(d, num_workers=n, prefetch_factor=⟦n and 2⟧)"
    assert traced(files, "prefetch_factor") == {"0"}


def test_a_name_that_a_hundred_branches_bind_is_unseen() -> None:
    branches = "".join(f"if flag{index}:\n    n = {index}\n" for index in range(100))
    assert loader_of(f"n = 1000\n{branches}DataLoader(d, num_workers=n)").num_workers.open


def test_a_test_that_is_nested_deeper_than_python_writes_it_down_is_still_asked() -> None:
    loader = loader_of(f"workers = 2\nif {'-' * 350}count:\n    workers = 4\nDataLoader(data, num_workers=workers)\n")
    assert {one.constant for one in loader.num_workers.candidates} == {2, 4}


LEFT: Cases = {
    "an elif that leaves as well": (
        "if sys.platform == 'win32':\n    return ⟦0⟧\nelif sys.platform == 'darwin':\n    return ⟦2⟧\nreturn ⟦8⟧",
        {"0 on windows", "2 on macos", "8 on linux"},
    ),
    "an if alone in an else": (
        "if sys.platform == 'win32':\n    return ⟦0⟧\nelse:\n    if sys.platform == 'darwin':\n        return ⟦2⟧\n"
        "return ⟦8⟧",
        {"0 on windows", "2 on macos", "8 on linux"},
    ),
    "an if in a body beside an else that leaves": (
        "if sys.platform != 'win32':\n    if sys.platform == 'darwin':\n        return ⟦2⟧\nelse:\n    return ⟦0⟧\n"
        "return ⟦8⟧",
        {"0 on windows", "2 on macos", "8 on linux"},
    ),
    "an elif that may go on": (
        "if sys.platform == 'win32':\n    return ⟦0⟧\nelif sys.platform == 'darwin':\n    print(1)\nreturn ⟦8⟧",
        {"0 on windows", "8 on linux, macos"},
    ),
    "an elif after a body that goes on, which is not told apart": (
        "if sys.platform == 'win32':\n    print(1)\nelif sys.platform == 'darwin':\n    return ⟦2⟧\nreturn ⟦8⟧",
        {"2 on macos", "8"},
    ),
}


@pytest.mark.parametrize(("body", "expected"), LEFT.values(), ids=LEFT.keys())
def test_what_comes_after_branches_that_leave(body: str, expected: set[str]) -> None:
    text = f"import sys\ndef workers():\n{indent(body, '    ')}\nDataLoader(d, num_workers=workers())\n"
    assert traced(text) == expected
