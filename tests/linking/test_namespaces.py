"""Objects of classes that are namespaces: what their constructor hands on, and what nobody saw there."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

CLASS = """
    import argparse
    from types import SimpleNamespace
    from elsewhere import settings
    class Config({base}):
        def __init__(self{taken}):
            super().__init__({handed})
"""
READ = "    DataLoader(1, num_workers=Config({given}).workers)\n"


def _project(base: str = "argparse.Namespace", taken: str = "", handed: str = "", given: str = "") -> str:
    return CLASS.format(base=base, taken=taken, handed=handed) + READ.format(given=given)


CASES: Cases = {
    "named": (_project(handed="workers=⟦2⟧"), {"2"}),
    "a simple namespace": (_project("SimpleNamespace", handed="workers=⟦2⟧"), {"2"}),
    "spread": (_project(handed="**dict(workers=⟦2⟧)"), {"2"}),
    "spread over others": (_project(handed="**settings(), size=3"), {"open"}),
    "what the call gives": (_project(taken=", **given", handed="**given", given="workers=⟦3⟧"), {"3"}),
    "what the call gives something else": (
        _project(taken=", workers", handed="size=workers", given="workers=3"),
        {"open"},
    ),
    "a class that sets it afterwards": (
        CLASS.format(base="argparse.Namespace", taken="", handed="workers=2")
        + "            self.workers = ⟦4⟧\n"
        + READ.format(given=""),
        {"4"},
    ),
    "no constructor of its own": (
        """
    import argparse
    class Config(argparse.Namespace):
        size = 1
    DataLoader(1, num_workers=Config(workers=⟦2⟧).workers)
""",
        {"2"},
    ),
    "a class above that takes it all": (
        """
    import argparse
    class Base(argparse.Namespace):
        def __init__(self, **given):
            super().__init__(**given)
    class Config(Base):
        pass
    DataLoader(1, num_workers=Config(workers=⟦2⟧).workers)
""",
        {"2"},
    ),
    "asked for with a default that it holds another for": (
        CLASS.format(base="argparse.Namespace", taken="", handed="workers=⟦2⟧")
        + "    DataLoader(1, num_workers=getattr(Config(), 'workers', 5))\n",
        {"2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_a_namespace_holds_what_its_constructor_hands_on(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


MADE_BY_TYPE: Cases = {
    "a class": ("args = type('args', (), {'workers': ⟦4⟧})\nDataLoader(1, num_workers=args.workers)", {"4"}),
    "an object of a class that is changed afterwards": (
        "Args = type('Args', (), {'workers': 0})\nargs = Args()\nArgs.workers = 4\n"
        "DataLoader(1, num_workers=args.workers)",
        {"open"},
    ),
    "an object beside a class of a longer name that is changed": (
        "Args = type('Args', (), {'workers': ⟦4⟧})\nargs = Args()\nArgsOf = type('ArgsOf', (), {})\n"
        "ArgsOf.workers = 4\nDataLoader(1, num_workers=args.workers)",
        {"4"},
    ),
    "an object": ("args = type('Args', (), {'workers': ⟦4⟧})()\nDataLoader(1, num_workers=args.workers)", {"4"}),
    "an object of its own name": (
        "Args = type('Args', (object,), dict(workers=⟦4⟧))\nargs = Args()\nDataLoader(1, num_workers=args.workers)",
        {"4"},
    ),
    "set afterwards": (
        "args = type('args', (), {'workers': 4})\nargs.workers = ⟦2⟧\nDataLoader(1, num_workers=args.workers)",
        {"2"},
    ),
    "handed to a function": (
        "def load(args):\n    return DataLoader(1, num_workers=args.workers)\nload(type('args', (), {'workers': ⟦4⟧}))",
        {"4"},
    ),
    "a class above that nobody saw": (
        "from elsewhere import Base\nargs = type('args', (Base,), {'workers': 4})\n"
        "DataLoader(1, num_workers=args.workers)",
        {"open"},
    ),
    "classes above that nobody saw": (
        "args = type('args', bases(), {'workers': 4})\nDataLoader(1, num_workers=args.workers)",
        {"open"},
    ),
    "attributes that nobody saw": (
        "args = type('args', (), settings())\nDataLoader(1, num_workers=args.workers)",
        {"open"},
    ),
    "a constructor that nobody saw": (
        "args = type('args', (), {'workers': 4})(workers=2)\nDataLoader(1, num_workers=args.workers)",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), MADE_BY_TYPE.values(), ids=MADE_BY_TYPE.keys())
def test_a_class_that_type_makes_is_a_namespace_of_its_attributes(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
