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


@pytest.mark.parametrize(("files", "expected"), STOPS.values(), ids=STOPS.keys())
def test_what_is_left_of_a_value_where_a_run_may_have_ended_before(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
