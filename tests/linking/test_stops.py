from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

PARSED = """
    import argparse, sys
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=⟦0⟧)
    parser.add_argument("--mode", default="a")
    parser.add_argument("--root")
    args = parser.parse_args()
    """
GONE = PARSED.replace("⟦0⟧", "0")
LOAD = """
    DataLoader(1, num_workers=args.workers)
    """
VALIDATE = """
    def validate(args):
        if args.workers == 0:
            raise ValueError("no workers")
    """

STOPS: Cases = {
    "an assert": (GONE + "assert args.workers > 0" + LOAD, {"open"}),
    "an assert with a message": (GONE + "assert args.workers, 'no workers'" + LOAD, {"open"}),
    "an assert in a with": (GONE + "with torch.no_grad():\n        assert args.workers" + LOAD, {"open"}),
    "an assert about a parameter": (
        """
        def load(workers=4):
            assert workers
            return DataLoader(1, num_workers=workers)
        for workers in (0, ⟦2⟧):
            load(workers)
        load(⟦3⟧)
        """,
        {"2", "3"},
    ),
    "a function that raises": (GONE + VALIDATE + "validate(args)" + LOAD, {"open"}),
    "a function that raises on a value of an unseen choice": (
        """
        import sys
        def check(workers):
            if workers == 0:
                raise ValueError
        workers = 0 if len(sys.argv) > 1 else ⟦2⟧
        check(workers)
        DataLoader(1, num_workers=workers)
        """,
        {"2"},
    ),
    "an error under an unseen test on a value of an unseen choice": (
        """
        import sys
        workers = ⟦0⟧ if len(sys.argv) > 1 else ⟦2⟧
        if sys.stdin.readline() and workers == 0:
            raise ValueError
        DataLoader(1, num_workers=workers)
        """,
        {"0", "2"},
    ),
    "a function that exits": (
        GONE + "def validate(args):\n        if not args.workers:\n            sys.exit(2)\n    validate(args)" + LOAD,
        {"open"},
    ),
    "a function that asserts": (
        GONE + "def validate(args):\n        print(args)\n        assert args.workers\n    validate(args)" + LOAD,
        {"open"},
    ),
    "a function that gives the parser's error": (
        GONE
        + "def validate(args, parser):\n        if args.workers < 1:\n            parser.error('none')\n"
        + "    validate(args, parser)"
        + LOAD,
        {"open"},
    ),
    "a function that raises before another is handed the arguments": (
        GONE
        + VALIDATE
        + "def load(args):\n        DataLoader(1, num_workers=args.workers)\n    validate(args)\n    load(args)\n",
        {"open"},
    ),
    "a function that always ends": (
        GONE + "def fail(text):\n        sys.exit(text)\n    if args.workers == 0:\n        fail('none')" + LOAD,
        {"open"},
    ),
    "a function that always ends in another function": (
        GONE
        + "def fail(text):\n        raise SystemExit(text)\n    def validate(args):\n        if args.workers == 0:\n"
        + "            fail('none')\n        assert args\n    validate(args)"
        + LOAD,
        {"open"},
    ),
    "an error of a parser by another name": (
        GONE.replace("parser", "p") + "if args.workers < 1:\n        p.error('none')" + LOAD,
        {"open"},
    ),
    "an exit of a parser by another name where that is a parameter": (
        "\n    def validate(ap, args):\n        if args.workers < 1:\n            ap.exit(2)\n"
        + GONE.replace("parser", "ap")
        + "validate(ap, args)"
        + LOAD,
        {"open"},
    ),
    "an error of something else by a parser's name": (
        PARSED.replace("parser", "p")
        + "def load(args, start):\n        p = start()\n        if args.workers == 0:\n            p.error('none')\n"
        + "        DataLoader(1, num_workers=args.workers)\n    load(args, usable)\n",
        {"0", "open"},
    ),
    "an error below two conditions": (
        GONE + "checked = 1\n    if checked:\n        if args.workers == 0:\n            raise ValueError" + LOAD,
        {"open"},
    ),
    "an error where the other of two conditions was not met": (
        PARSED + "if args.mode == 'b':\n        if args.workers == 0:\n            raise ValueError" + LOAD,
        {"0", "open"},
    ),
    "an assert about something else": (PARSED + "assert args.root" + LOAD, {"0", "open"}),
    "an assert that nobody can see through": (PARSED + "assert usable(args)" + LOAD, {"0", "open"}),
    "an assert that nothing seen passes": (PARSED + "root = ''\n    assert root" + LOAD, {"0", "open"}),
    "an assert after the loader": (PARSED + LOAD.strip() + "\n    assert args.workers\n", {"0", "open"}),
    "an assert in another branch": (
        PARSED + "if usable():\n        assert args.workers" + LOAD,
        {"0", "open"},
    ),
    "an assert in a loop": (PARSED + "for one in names():\n        assert args.workers" + LOAD, {"0", "open"}),
    "an assert that is handled": (
        PARSED + "try:\n        assert args.workers\n    except AssertionError:\n        pass" + LOAD,
        {"0", "open"},
    ),
    "an assert in the body of the same try": (
        GONE + "try:\n        assert args.workers\n        DataLoader(1, num_workers=args.workers)\n"
        "    except ValueError:\n        pass\n",
        {"open"},
    ),
    "an error that a function handles itself": (
        PARSED
        + "def validate(args):\n        try:\n            if args.workers == 0:\n                raise ValueError\n"
        + "        except ValueError:\n            print('none')\n    validate(args)"
        + LOAD,
        {"0", "open"},
    ),
    "a function that comes back before it raises": (
        PARSED
        + "def validate(args):\n        if args.mode == 'a':\n            return\n        assert args.workers\n"
        + "    validate(args)"
        + LOAD,
        {"0", "open"},
    ),
    "a generator that nobody runs": (
        PARSED + "def validate(args):\n        assert args.workers\n        yield\n    validate(args)" + LOAD,
        {"0", "open"},
    ),
    "a function that is called on another branch": (
        PARSED + VALIDATE + "if usable():\n        validate(args)" + LOAD,
        {"0", "open"},
    ),
    "a function that is decorated": (
        PARSED + VALIDATE.replace("    def", "    @sometimes\n    def") + "validate(args)" + LOAD,
        {"0", "open"},
    ),
}


APP = """
    class App:
        def __init__(self, workers, mode="a"):
            ⟨kept⟩
        def validate(self):
            if self.workers < 1:
                raise ValueError
        def run(self):
            DataLoader(1, num_workers=self.workers)
    """
OTHER = """
    class Other:
        def __init__(self, workers):
            assert workers
            self.workers = workers
    """
RUN = "App(args.workers, args.mode).run()\n"


def making(*kept: str, run: str = RUN, parsed: str = GONE, app: str = APP) -> str:
    """A program that makes an object and runs it, with the statements of the object's constructor."""
    return parsed + app.replace("⟨kept⟩", "\n            ".join(kept)) + run


CHECKED_BY_A_CLASS: Cases = {
    "a constructor that raises": (
        making("if workers < 1:", "    raise ValueError", "self.workers = workers"),
        {"open"},
    ),
    "a constructor that asks the attribute": (making("self.workers = workers", "assert self.workers"), {"open"}),
    "a constructor that calls a method": (making("self.workers = workers", "self.validate()"), {"open"}),
    "a constructor that is inherited": (
        making(
            "self.workers = workers", "self.validate()", run="class Main(App): pass\n    Main(args.workers).run()\n"
        ),
        {"open"},
    ),
    "a method before the loader": (
        making("self.workers = workers", app=APP.replace("DataLoader", "self.validate()\n            DataLoader")),
        {"open"},
    ),
    "the arguments in an attribute": (
        GONE + "class App:\n        def __init__(self, args):\n            self.args = args\n"
        "            assert args.workers\n"
        "        def run(self):\n            DataLoader(1, num_workers=self.args.workers)\n    App(args).run()\n",
        {"open"},
    ),
    "a dataclass": (
        GONE
        + """
    from dataclasses import dataclass
    @dataclass
    class Config:
        workers: int
        def __post_init__(self):
            if not self.workers:
                raise ValueError
    DataLoader(1, num_workers=Config(args.workers).workers)
    """,
        {"open"},
    ),
    "a dataclass that is changed after it was checked": (
        GONE
        + """
    from dataclasses import dataclass
    @dataclass
    class Config:
        workers: int
        def __post_init__(self):
            if not self.workers:
                raise ValueError
    config = Config(args.workers)
    config.workers = ⟦0⟧
    DataLoader(1, num_workers=config.workers)
    """,
        {"0"},
    ),
    "a constructor that asks something else": (
        making("assert mode == 'b'", "self.workers = workers", parsed=PARSED),
        {"0", "open"},
    ),
    "a constructor that asks on one branch": (
        making("self.workers = workers", "if mode == 'b':", "    self.validate()", parsed=PARSED),
        {"0", "open"},
    ),
    "a constructor that handles the error": (
        making(
            "self.workers = workers", "try:", "    self.validate()", "except ValueError:", "    pass", parsed=PARSED
        ),
        {"0", "open"},
    ),
    "a constructor that asks in another mode": (
        making("if mode == 'c' and workers == 0:", "    raise ValueError", "self.workers = workers", parsed=PARSED),
        {"0", "open"},
    ),
    "a constructor of another object": (
        making("self.workers = workers", parsed=PARSED, app=OTHER + APP, run="Other(4)\n    " + RUN),
        {"0", "open"},
    ),
    "a method that nobody calls": (making("self.workers = workers", parsed=PARSED), {"0", "open"}),
    "a method that a subclass has for itself": (
        making(
            "self.workers = workers",
            "self.validate()",
            run="class Lax(App):\n        def validate(self): pass\n    Lax(args.workers).run()\n",
            parsed=PARSED,
        ),
        {"0", "open"},
    ),
    "an attribute that another method sets": (
        making(
            "self.workers = workers",
            "self.validate()",
            run="app = App(args.workers)\n    app.alone()\n    app.run()\n",
            parsed=PARSED,
            app=APP + "    def alone(self):\n            self.workers = ⟦0⟧\n    ",
        ),
        {"0", "open"},
    ),
}


OTHER_WAYS_OUT: Cases = {
    "an assert whose handler sets the value": (
        GONE + "try:\n        assert args.workers\n    except AssertionError:\n        args.workers = ⟦4⟧" + LOAD,
        {"4", "open"},
    ),
    "an assert whose handler sets the value it was asked for": (
        GONE + "try:\n        assert args.workers\n    except AssertionError:\n        args.workers = ⟦0⟧" + LOAD,
        {"0", "open"},
    ),
    "an assert about something else whose handler sets the value": (
        PARSED + "try:\n        assert args.root\n    except AssertionError:\n        args.workers = ⟦4⟧" + LOAD,
        {"0", "4", "open"},
    ),
    "an assert below a condition whose handler sets the value": (
        PARSED
        + "try:\n        if args.mode == 'b':\n            assert args.workers\n"
        + "    except AssertionError:\n        args.workers = ⟦4⟧"
        + LOAD,
        {"0", "4", "open"},
    ),
    "a loop that asks again": (
        GONE + "while args.workers == 0:\n        args.workers = int(input())" + LOAD,
        {"open"},
    ),
    "a loop that asks for something else": (
        PARSED + "while not args.root:\n        args.workers = int(input())" + LOAD,
        {"0", "open"},
    ),
    "a loop that may leave before it asks": (
        PARSED
        + "while args.workers == 0:\n        if usable():\n            break\n        args.workers = int(input())"
        + LOAD,
        {"0", "open"},
    ),
    "an error in the same with": (
        GONE
        + "with torch.no_grad():\n        if not args.workers:\n            raise RuntimeError\n"
        + "        DataLoader(1, num_workers=args.workers)\n",
        {"open"},
    ),
    "an error in a try without handlers": (
        GONE + "try:\n        if not args.workers:\n            raise ValueError\n    finally:\n        print()" + LOAD,
        {"open"},
    ),
    "a function that returns what it did not check": (
        PARSED + "def checked(args):\n        assert args.root\n        return args\n    args = checked(args)" + LOAD,
        {"0", "open"},
    ),
    "a function that returns before it checks": (
        PARSED
        + "def checked(args):\n        if args.mode == 'a':\n            return args\n        assert args.workers\n"
        + "        return args\n    args = checked(args)"
        + LOAD,
        {"0", "open"},
    ),
    "a lambda that is made below a condition": (
        GONE + "if args.workers:\n        make = lambda data: DataLoader(data, num_workers=args.workers)\n",
        {"open"},
    ),
    "a function that is defined below a condition": (
        GONE
        + "if args.workers:\n        def make(data):\n            return DataLoader(data, num_workers=args.workers)\n",
        {"open"},
    ),
    "a lambda that is made below another condition": (
        PARSED + "if args.root:\n        make = lambda data: DataLoader(data, num_workers=args.workers)\n",
        {"0", "open"},
    ),
    "a check of torch": (GONE + "import torch\n    torch._check(args.workers > 0)" + LOAD, {"open"}),
    "an assert of torch that is imported": (
        GONE + "from torch import _assert\n    _assert(args.workers > 0, 'none')" + LOAD,
        {"open"},
    ),
    "a check of something else by torch": (PARSED + "torch._check(args.root, print)" + LOAD, {"0", "open"}),
    "a check by something else of the same name": (
        PARSED + "def _check(passed): print(passed)\n    _check(args.workers > 0)" + LOAD,
        {"0", "open"},
    ),
}

WAYS_OUT = {
    "a for": "for one in sys.argv:\n            return",
    "a for that asks": "for one in sys.argv:\n            if one == '--eval':\n                return",
    "a while": "while usable():\n            return",
    "a while True": "while True:\n            if usable():\n                return\n            break",
    "the else of a loop": "for one in sys.argv:\n            if one:\n                break\n"
    "        else:\n            return",
    "a with": "with open(args.root):\n            if usable():\n                return",
    "a case": "match sys.argv:\n            case [_]:\n                return\n"
    "            case _:\n                pass",
    "a nested if": "if args.mode == 'a':\n            if args.root:\n                return",
    "a nested if nobody sees through": "if usable():\n            if better():\n                return",
    "an elif": "if usable():\n            pass\n        elif better():\n            return",
    "the else of an elif": "if usable():\n            print()\n        elif better():\n            print()\n"
    "        else:\n            return",
    "a try": "try:\n            if usable():\n                return\n        finally:\n            print()",
    "the else of a try": "try:\n            print()\n        except ValueError:\n            print()\n"
    "        else:\n            if usable():\n                return",
    "one of two handlers": "try:\n            print(int(args.root))\n        except TypeError:\n            return\n"
    "        except ValueError:\n            print()",
}
"""Statements behind which a function may have come back, by the block that the ``return`` stands in."""
COME_BACK: Cases = {
    **{
        f"a function that comes back out of {block}": (
            PARSED + f"def validate(args):\n        {way}\n        assert args.workers\n    validate(args)" + LOAD,
            {"0", "open"},
        )
        for block, way in WAYS_OUT.items()
    },
    "a function that comes back on a branch nobody takes": (
        GONE
        + "def validate(args):\n        strict = True\n        if args.root:\n            if not strict:\n"
        + "                return\n        assert args.workers\n    validate(args)"
        + LOAD,
        {"open"},
    ),
    "a function that comes back where it has checked": (
        GONE
        + "def validate(args):\n        assert args.workers\n        for one in sys.argv:\n            return\n"
        + "    validate(args)"
        + LOAD,
        {"open"},
    ),
    "a dataclass that comes back before it checks": (
        PARSED
        + """
    from dataclasses import dataclass
    @dataclass
    class Config:
        workers: int
        strict: bool = False
        def __post_init__(self):
            for one in sys.argv:
                if not self.strict:
                    return
            if not self.workers:
                raise ValueError
    DataLoader(1, num_workers=Config(args.workers).workers)
    """,
        {"0", "open"},
    ),
    "a loader behind a return in its own function": (
        GONE
        + "def load(args):\n        for one in sys.argv:\n            return\n        assert args.workers\n"
        + "        DataLoader(1, num_workers=args.workers)\n    load(args)\n",
        {"open"},
    ),
}

CHECKS = """
    import sys
    def validate(args):
        if args.workers == 0:
            raise ValueError("no workers")
    """
IN_TRAIN = "    from torch.utils.data import DataLoader\n" + GONE


def importing(imported: str, call: str, path: str = "checks.py", program: str = IN_TRAIN) -> dict[str, str]:
    """A program that calls a function of another file, with both files."""
    return {"train.py": f"    {imported}\n" + program + call + LOAD, path: CHECKS}


CHECKED_ELSEWHERE: Cases = {
    "a function of another file": (importing("from checks import validate", "validate(args)"), {"open"}),
    "a function by another name": (importing("from checks import validate as check", "check(args)"), {"open"}),
    "a function of a module": (importing("import checks", "checks.validate(args)"), {"open"}),
    "a function of a module by another name": (importing("import checks as c", "c.validate(args)"), {"open"}),
    "a function of a module in a package": (
        importing("import tools.checks", "tools.checks.validate(args)", "tools/checks.py"),
        {"open"},
    ),
    "a function of a module that a package gives": (
        importing("from tools import checks", "checks.validate(args)", "tools/checks.py"),
        {"open"},
    ),
    "a function of a library's module": (
        importing("import library", "library.validate(args)", program=IN_TRAIN.replace("=0", "=⟦0⟧")),
        {"0", "open"},
    ),
    "a method of something else by the name of a function": (
        importing("import checks", "checker.validate(args)", program=IN_TRAIN.replace("=0", "=⟦0⟧")),
        {"0", "open"},
    ),
    "a name that is bound to something else since": (
        importing(
            "from checks import validate",
            "validate = print\n    validate(args)",
            program=IN_TRAIN.replace("=0", "=⟦0⟧"),
        ),
        {"0", "open"},
    ),
}

QUITS = "if args.workers == 0:\n        ⟨quit⟩"
ENDING: Cases = {
    name: (before + GONE + QUITS.replace("⟨quit⟩", quits) + LOAD, {"open"})
    for name, (before, quits) in {
        "a builtin": ("", "quit()"),
        "an exit by another name": ("\n    from sys import exit as leave", "leave(2)"),
        "an exit of a module by another name": ("\n    import os as system", "system._exit(2)"),
        "a function of one's own that exits": (
            "\n    def quit(text):\n        print(text)\n        raise SystemExit(2)",
            "quit('none')",
        ),
        "a parser of one's own class": (
            "\n    import argparse\n    class Parser(argparse.ArgumentParser):\n        pass\n    checks = Parser()",
            "checks.error('none')",
        ),
    }.items()
}
OF_ITS_OWN: Cases = {
    **{
        name: (before + PARSED + QUITS.replace("⟨quit⟩", quits) + LOAD, {"0", "open"})
        for name, (before, quits) in {
            "a function that is called as the builtin": ("\n    def quit():\n        print()", "quit()"),
            "a name that is bound to something else": ("\n    exit = lambda: print()", "exit()"),
            "a function of another module": ("\n    from own import exit", "exit()"),
            "a parser that only says so": (
                "\n    class Parser:\n        def error(self, text): print(text)\n    own_parser = Parser()",
                "own_parser.error('slow')",
            ),
            "a logger called a parser": (
                "\n    import logging\n    log_parser = logging.getLogger()",
                "log_parser.error('slow')",
            ),
        }.items()
    },
    "a function that is called as the builtin, made below": (
        PARSED
        + "def load(args):\n        if args.workers == 0:\n            quit()\n"
        + "        DataLoader(1, num_workers=args.workers)\n    def quit():\n        print()\n    load(args)\n",
        {"0", "open"},
    ),
}

EVERY = STOPS | ENDING | OF_ITS_OWN | COME_BACK | CHECKED_ELSEWHERE | CHECKED_BY_A_CLASS | OTHER_WAYS_OUT


@pytest.mark.parametrize(("files", "expected"), EVERY.values(), ids=EVERY.keys())
def test_what_is_left_of_a_value_where_a_run_may_have_ended_before(files: str, expected: set[str]) -> None:
    assert {one.replace(" shared", "") for one in traced(files)} == expected


FLAG = """
    def apart(count, other):
        if isinstance(count, int):
            {checked}
            return True
        return False
    class Parts:
        def __init__(self, count, other=None):
            self.is_apart = {flag}
            self.count = count
        def loader(self):
            if self.is_apart:
                return DataLoader(1, num_workers=self.count)
    Parts({none}).loader()
    Parts(⟦3⟧).loader()
    """


def flagged(checked: str, *, flag: str = "apart(count, other)", none: str = "⟦0⟧") -> str:
    """A program whose loader is made under a flag that a function gives, which may end the run before it does."""
    return FLAG.format(checked=checked, flag=flag, none=none)


FLAGS: Cases = {
    "a flag of what asserts": (flagged("assert count > 0", none="0"), {"3 shared"}),
    "a flag of what asserts, turned round": (
        flagged("assert count > 0", flag="not not apart(count, other)", none="0"),
        {"3 shared"},
    ),
    "a flag of what raises": (
        flagged("if count < 1:\n                raise ValueError", none="0"),
        {"3 shared"},
    ),
    "a flag of what asserts about something else": (flagged("assert other is None"), {"0 shared", "3 shared"}),
    "a flag of what asserts on one branch": (
        flagged("if other == 4:\n                assert count > 0"),
        {"0 shared", "3 shared"},
    ),
    "a flag that is given before something is asserted": (
        flagged("if other is None:\n                return True\n            assert count > 0"),
        {"0 shared", "3 shared"},
    ),
    "a flag of what handles its assert": (
        flagged(
            "try:\n                assert count > 0\n            except AssertionError:\n                print(count)"
        ),
        {"0 shared", "3 shared"},
    ),
    "what is returned where it was asserted": (
        """
        def checked(count):
            assert count > 0
            return count
        DataLoader(1, num_workers=checked(0 if usable() else ⟦3⟧))
        """,
        {"3"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FLAGS.values(), ids=FLAGS.keys())
def test_what_ends_the_run_before_a_function_gives_something(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
