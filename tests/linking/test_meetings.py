from __future__ import annotations

import pytest

from tests.linking.traced import Files, met

APART: dict[str, tuple[Files, set[tuple[str, str]]]] = {
    "two literals": ("DataLoader(d, num_workers=0, prefetch_factor=4)", {("0", "4")}),
    "a factor that asks for workers": (
        """
        def load(d, n):
            return DataLoader(d, num_workers=n, prefetch_factor=4 if n > 0 else None)
        load(1, 0)
        load(2, 4)
        """,
        {("0", "None"), ("4", "4")},
    ),
    "a factor that asks whether there are workers": (
        """
        def load(d, n):
            return DataLoader(d, num_workers=n, prefetch_factor=4 if n else None)
        load(1, 0)
        load(2, 4)
        """,
        {("0", "None"), ("4", "4")},
    ),
    "a key that is asked for twice of something unseen": (
        "def load(d, c):\n"
        "    DataLoader(d, num_workers=c.get('n', 0), prefetch_factor=4 if c.get('n', 0) > 0 else None)",
        {("0", "None")},
    ),
    "an attribute that is asked for twice of something unseen": (
        "def load(d, c):\n"
        "    DataLoader(d, num_workers=getattr(c, 'n', 0), prefetch_factor=4 if getattr(c, 'n', 0) else None)",
        {("0", "None")},
    ),
    "an attribute that is asked for anew": (
        "def load(d, c):\n    n = getattr(c, 'n', 0)\n    c = other(c)\n"
        "    DataLoader(d, num_workers=n, prefetch_factor=4 if getattr(c, 'n', 0) else None)",
        {("0", "None"), ("0", "4")},
    ),
    "the same test of a name that was set anew": (
        """
        n = ask("workers?")
        workers = 2 if n else 0
        n = ask("ahead?")
        DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)
        """,
        {("2", "4"), ("2", "None"), ("0", "4"), ("0", "None")},
    ),
    "the same test of a name that is set anew in some runs": (
        """
        n = ask("workers?")
        workers = 2 if n else 0
        if len(argv) > 3:
            n = False
        DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)
        """,
        {("2", "4"), ("2", "None"), ("0", "None")},
    ),
    "the same test of a name that is asked for again in some runs": (
        """
        n = ask("workers?")
        workers = 2 if n else 0
        if len(argv) > 3:
            n = ask("ahead?")
        else:
            workers = 3 if n else 0
        DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)
        """,
        {("2", "4"), ("2", "None"), ("0", "4"), ("0", "None"), ("3", "4")},
    ),
    "the same test of a name that is narrowed": (
        """
        n = ask("workers?")
        workers = 2 if n else 0
        n &= ask("ahead?")
        DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)
        """,
        {("2", "4"), ("0", "None")},
    ),
    "the same test of a name that is made of what it was": (
        """
        n = ask("workers?")
        workers = 2 if n else 0
        n = n and ask("ahead?")
        factor = None
        if n:
            factor = 4
        DataLoader(d, num_workers=workers, prefetch_factor=factor)
        """,
        {("2", "4"), ("0", "None")},
    ),
    "the same test of a name that is halved": (
        """
        n = ask("workers?")
        workers = 2 if n else 0
        n //= 2
        DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)
        """,
        {("2", "4"), ("0", "None")},
    ),
    "the same test of names of which only some are left": (
        """
        names = ask("which?")
        workers = 2 if names else 0
        names = [one for one in names if one.ready()]
        DataLoader(d, num_workers=workers, prefetch_factor=4 if names else None)
        """,
        {("2", "4"), ("0", "None")},
    ),
    "the same test of names that are sorted": (
        """
        names = ask("which?")
        workers = 0 if names else 2
        names = sorted(names)
        DataLoader(d, num_workers=workers, prefetch_factor=None if names else 4)
        """,
        {("2", "4"), ("0", "None")},
    ),
    "the same test of a name that is counted on": (
        """
        n = ask("workers?")
        workers = 2 if n else 0
        n += 1
        DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)
        """,
        {("2", "4"), ("2", "None"), ("0", "4"), ("0", "None")},
    ),
    "the same test of a name that is narrowed again and again": (
        "n = ask('workers?')\nworkers = 2 if n else 0\n"
        + "if ask('narrow it?'):\n    n = n and ask('ahead?')\n" * 15
        + "DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)",
        {("2", "4"), ("0", "None")},
    ),
    "the same test of a name that is narrowed in the turns of a loop": (
        """
        n = ask("workers?")
        workers = 2 if n else 0
        for turn in turns:
            if turn.first:
                n = n and ask("first?")
            if turn.last:
                n = n and ask("last?")
        DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)
        """,
        {("2", "4"), ("0", "None")},
    ),
    "the same test of a name that has too many values to follow by then": (
        "n = ask('workers?')\nworkers = 2 if n else 0\n"
        + "if ask('again?'):\n    n = ask('ahead?')\n" * 20
        + "DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)",
        {("2", "4"), ("2", "None"), ("0", "4"), ("0", "None")},
    ),
    "the same test twice of a name that has too many values to follow": (
        "n = ask('workers?')\n"
        + "if ask('again?'):\n    n = ask('ahead?')\n" * 20
        + "workers = 2 if n else 0\nn = n and ask('ahead?')\n"
        + "DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)",
        {("2", "4"), ("0", "None")},
    ),
    "the same test of a name that is set anew in one call and not in another": (
        """
        def pick(again, asked, some, other):
            if again:
                asked = ask("again?")
            return some if asked else other
        workers = pick(True, ask("workers?"), 2, 0)
        DataLoader(d, num_workers=workers, prefetch_factor=pick(False, ask("ahead?"), 4, None))
        """,
        {("2", "4"), ("2", "None"), ("0", "4"), ("0", "None")},
    ),
    "what a loop leaves by a break, and what it does not": (
        """
        factor = 2
        while tries:
            tries -= 1
            if d.ready():
                n, factor = 4, 3
                break
        else:
            n = 0
        DataLoader(d, num_workers=n, prefetch_factor=factor)
        """,
        {("4", "3"), ("0", "2")},
    ),
    "what a loop over a list leaves by a break, and what it does not": (
        """
        n = 4
        for one in read():
            if one.ready():
                factor = 3
                break
        else:
            n, factor = 0, None
        DataLoader(d, num_workers=n, prefetch_factor=factor)
        """,
        {("4", "3"), ("0", "None")},
    ),
    "what a search leaves that each turn of a loop makes": (
        """
        n, factor = 0, None
        for turn in range(2):
            for one in turns[turn:]:
                if one.ready():
                    n, factor = 4, 2
                    break
            else:
                print("none")
        DataLoader(d, num_workers=n, prefetch_factor=factor)
        """,
        {("4", "2"), ("0", "None")},
    ),
    "what a search leaves without which the turn of a loop is over": (
        """
        n, factor = 0, None
        for turn in range(2):
            for one in turns[turn:]:
                if one.ready():
                    n, factor = 4, 2
                    break
            else:
                continue
            print("found")
        DataLoader(d, num_workers=n, prefetch_factor=factor)
        """,
        {("4", "2"), ("0", "None")},
    ),
    "what a loop leaves that may have no turn": (
        """
        n, factor = 0, None
        for one in read():
            if one.ready():
                n, factor = 4, 2
        DataLoader(d, num_workers=n, prefetch_factor=factor)
        """,
        {("4", "2"), ("0", "None")},
    ),
    "what a loop without an end leaves": (
        """
        n = 0
        while True:
            if d.ready():
                n = 2
                break
        DataLoader(d, num_workers=n, prefetch_factor=3)
        """,
        {("2", "3")},
    ),
    "a loop that is left in any way": (
        """
        while tries:
            if d.ready():
                n = 4
                break
        else:
            n = 0
        DataLoader(d, num_workers=n, prefetch_factor=2)
        """,
        {("4", "2"), ("0", "2")},
    ),
    "the same test of a name that each turn of a loop sets": (
        """
        n = ask("first?")
        for turn in turns:
            workers = 2 if n else 0
            factor = 4 if n else None
            DataLoader(d, num_workers=workers, prefetch_factor=factor)
            n = ask("next?")
        """,
        {("2", "4"), ("0", "None")},
    ),
    "the same test of an attribute that was set anew": (
        """
        def load(d, settings):
            workers = 2 if settings.fast else 0
            settings.fast = ask("ahead?")
            DataLoader(d, num_workers=workers, prefetch_factor=4 if settings.fast else None)
        """,
        {("2", "4"), ("2", "None"), ("0", "4"), ("0", "None")},
    ),
    "the same test of an attribute that is set anew in some runs": (
        """
        def load(d, settings):
            workers = 2 if settings.fast else 0
            if len(argv) > 3:
                settings.fast = False
            DataLoader(d, num_workers=workers, prefetch_factor=4 if settings.fast else None)
        """,
        {("2", "4"), ("2", "None"), ("0", "None")},
    ),
    "the same test of a name that was set before both": (
        """
        n = None
        n = ask("workers?")
        workers = 2 if n else 0
        DataLoader(d, num_workers=workers, prefetch_factor=4 if n else None)
        """,
        {("2", "4"), ("0", "None")},
    ),
    "a factor that does not ask": (
        """
        def load(d, n):
            return DataLoader(d, num_workers=n, prefetch_factor=4)
        load(1, 0)
        load(2, 4)
        """,
        {("0", "4"), ("4", "4")},
    ),
    "a factor by and": (
        """
        def load(d, n):
            return DataLoader(d, num_workers=n, prefetch_factor=(n > 0 and 4) or None)
        load(1, 0)
        load(2, 4)
        """,
        {("0", "None"), ("4", "4")},
    ),
    "one condition for both": (
        "DataLoader(d, num_workers=4 if fast else 0, prefetch_factor=2 if fast else None)",
        {("4", "2"), ("0", "None")},
    ),
    "one condition and its opposite": (
        "DataLoader(d, num_workers=4 if fast else 0, prefetch_factor=None if not fast else 2)",
        {("4", "2"), ("0", "None")},
    ),
    "two conditions": (
        "DataLoader(d, num_workers=4 if fast else 0, prefetch_factor=2 if deep else None)",
        {("4", "2"), ("0", "None"), ("4", "None"), ("0", "2")},
    ),
    "a condition kept in a name": (
        """
        fast = wanted()
        n = 4 if fast else 0
        DataLoader(d, num_workers=n, prefetch_factor=2 if fast else None)
        """,
        {("4", "2"), ("0", "None")},
    ),
    "both assigned in one branch": (
        """
        n, factor = 0, None
        if fast:
            n = 4
            factor = 2
        DataLoader(d, num_workers=n, prefetch_factor=factor)
        """,
        {("4", "2"), ("0", "None")},
    ),
    "a guard around the call": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=0)
        args = parser.parse_args()
        if args.workers > 0:
            DataLoader(d, num_workers=args.workers, prefetch_factor=2)
        else:
            pass
        """,
        set(),
    ),
    "an early return": (
        """
        def load(d, n):
            if n == 0:
                return DataLoader2(d)
            return DataLoader(d, num_workers=n, prefetch_factor=2)
        load(1, 0)
        load(2, 4)
        """,
        {("4", "2")},
    ),
    "a factor assigned when there are workers": (
        """
        def load(d, n):
            factor = None
            if n > 0:
                factor = 2
            return DataLoader(d, num_workers=n, prefetch_factor=factor)
        load(1, 0)
        load(2, 4)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "a keyword added when there are workers": (
        """
        def load(d, n):
            options = {"num_workers": n}
            if n > 0:
                options["prefetch_factor"] = 2
            return DataLoader(d, **options)
        load(1, 0)
        load(2, 4)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "a splat chosen when there are workers": (
        """
        def load(d, n):
            return DataLoader(d, num_workers=n, **({"prefetch_factor": 2} if n > 0 else {}))
        load(1, 0)
        load(2, 4)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "two parameters of one caller": (
        """
        def load(d, n, factor):
            return DataLoader(d, num_workers=n, prefetch_factor=factor)
        load(1, 0, None)
        load(2, 4, 2)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "two attributes of one object": (
        """
        class Data:
            def __init__(self, n, factor):
                self.n = n
                self.factor = factor
            def load(self, d):
                return DataLoader(d, num_workers=self.n, prefetch_factor=self.factor)
        Data(0, None)
        Data(4, 2)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "two fields of one object": (
        """
        from dataclasses import dataclass
        @dataclass
        class Settings:
            n: int = 0
            factor: int = None
        def load(d, s: Settings):
            return DataLoader(d, num_workers=s.n, prefetch_factor=s.factor)
        load(1, Settings())
        load(2, Settings(4, 2))
        """,
        {("0", "None"), ("4", "2")},
    ),
    "the default and what a caller gives": (
        """
        def load(d, n=0, factor=None):
            return DataLoader(d, num_workers=n, prefetch_factor=factor)
        load(1)
        load(2, n=4, factor=2)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "flags of a command line are given one by one": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=0)
        parser.add_argument("--factor", type=int, default=2)
        args = parser.parse_args()
        DataLoader(d, num_workers=args.workers, prefetch_factor=args.factor)
        """,
        {("0", "2")},
    ),
    "platforms": (
        """
        import sys
        windows = sys.platform == "win32"
        DataLoader(d, num_workers=0 if windows else 4, prefetch_factor=2 if sys.platform != "win32" else None)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "cuda": (
        """
        import torch
        options = {"num_workers": 4, "prefetch_factor": 2} if torch.cuda.is_available() else {}
        DataLoader(d, **options)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "the turns of a loop": (
        """
        for n, factor in [(0, None), (4, 2)]:
            DataLoader(d, num_workers=n, prefetch_factor=factor)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "both sides of one test in two places": (
        """
        n = 0
        if debug():
            n = 4
        factor = None
        if debug():
            factor = 2
        DataLoader(d, num_workers=n, prefetch_factor=factor)
        """,
        {("0", "None"), ("4", "2")},
    ),
    "one name at two values": (
        """
        def load(d, n):
            factor = 2 if n > 0 else None
            n = 0
            return DataLoader(d, num_workers=n, prefetch_factor=factor)
        load(1, 4)
        """,
        {("0", "2")},
    ),
}


@pytest.mark.parametrize(("files", "expected"), APART.values(), ids=APART.keys())
def test_which_values_meet(files: Files, expected: set[tuple[str, str]]) -> None:
    assert met(files) == expected
