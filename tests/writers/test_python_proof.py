from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from loaderlint.model.edit import (
    AddOption,
    Drop,
    Edit,
    GuardEntryPoint,
    Hoist,
    MakeInteger,
    OnlyWithWorkers,
    RemoveIgnore,
    SetValue,
)
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.writers import CannotRewrite
from loaderlint.writers.python.proof import prove
from tests.writers.marked import marked

WINDOWS = frozenset({Platform.WINDOWS})

Spans: TypeAlias = Sequence[Span]
Edits: TypeAlias = Callable[[Spans], list[Edit]]


def zero(at: Spans) -> list[Edit]:
    return [SetValue(at[0], 0)]


def zero_on_windows(at: Spans) -> list[Edit]:
    return [SetValue(at[0], 0, WINDOWS)]


def drop(at: Spans) -> list[Edit]:
    return [Drop(at[1], "prefetch_factor", None, at[0])]


def only_with_workers(at: Spans) -> list[Edit]:
    return [OnlyWithWorkers(at[1], "prefetch_factor", None, at[0])]


def add(at: Spans) -> list[Edit]:
    return [AddOption(at[0], "timeout", 60)]


def add_with_workers(at: Spans) -> list[Edit]:
    return [AddOption(at[0], "timeout", 60, at[1])]


def make_integer(at: Spans) -> list[Edit]:
    return [MakeInteger(at[0])]


def hoist(at: Spans) -> list[Edit]:
    return [Hoist(at[0])]


def guard(at: Spans) -> list[Edit]:
    return [GuardEntryPoint(at[0])]


def remove_ignore(at: Spans) -> list[Edit]:
    return [RemoveIgnore(at[0], "a")]


LAMBDA = "import torch\nloader = f(collate_fn=⟦lambda b: g(b)⟧)\n"
LOCAL = "def main():\n    x = 1\n    ⟦def collate(b):\n        return g(b)⟧\n    return f(collate_fn=collate)\n"
SCRIPT = "import torch\nx = 1\nprint('a')\n⟦for b in f(x):\n    print('b')⟧\nprint('c')\n"
GUARDED = "import torch\nx = 1\n⟦train()⟧\nif __name__ == '__main__':\n    report()\n"

RIGHT = {
    "a positional argument by its name": (
        "f(1, ⟦4⟧, m=2)\n",
        lambda at: [SetValue(at[0], 0, keyword="n")],
        "f(1, n=0, m=2)\n",
    ),
    "a value": ("f(n=⟦4⟧)\n", zero, "f(n=0)\n"),
    "another layout": ("f(n=⟦4⟧, b=1)\n", zero, "f(\n    n=0,\n    b=1,\n)\n"),
    "a value on one platform": (
        "import sys\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nf(n=0 if sys.platform == 'win32' else 4)\n",
    ),
    "a value on one platform, said the other way round": (
        "import sys\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nf(n=4 if sys.platform != 'win32' else 0)\n",
    ),
    "a value on one platform, said by startswith": (
        "import sys\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nf(n=0 if sys.platform.startswith('win') else 4)\n",
    ),
    "a second line in a file of one without an end": (
        "n = ⟦4⟧",
        zero_on_windows,
        "import sys\nn = 0 if sys.platform == 'win32' else 4",
    ),
    "an import of sys": ("n = ⟦4⟧\n", zero_on_windows, "import sys\nn = 0 if sys.platform == 'win32' else 4\n"),
    "a dropped keyword": ("f(a, ⟦p=⟦2⟧⟧)\n", drop, "f(a)\n"),
    "a dropped key": ("f({'a': 1, ⟦'p': ⟦2⟧⟧})\n", drop, "f({'a': 1})\n"),
    "a dropped statement": ("⟦d['p'] = ⟦2⟧⟧\nf(d)\n", drop, "f(d)\n"),
    "a conditional option": (
        "f(n=⟦w⟧, p=⟦2⟧)\n",
        only_with_workers,
        "f(n=w, p=2 if w > 0 else None)\n",
    ),
    "an added option": ("⟦f(a)⟧\n", add, "f(a, timeout=60)\n"),
    "an added option, conditional": ("⟦f(n=⟦w⟧)⟧\n", add_with_workers, "f(n=w, timeout=60 if w > 0 else 0)\n"),
    "a floor division": ("f(n=⟦a / b⟧)\n", make_integer, "f(n=a // b)\n"),
    "a conversion": ("f(n=⟦a⟧)\n", make_integer, "f(n=int(a))\n"),
    "a hoisted lambda": (
        LAMBDA,
        hoist,
        "import torch\n\n\ndef collate(b):\n    return g(b)\n\n\nloader = f(collate_fn=collate)\n",
    ),
    "a lambda of a class": (
        "class T:\n    collate = ⟦lambda self, b: g(b)⟧\n",
        hoist,
        "class T:\n    def collate(self, b):\n        return g(b)\n",
    ),
    "a hoisted function": (
        LOCAL,
        hoist,
        "def collate(b):\n    return g(b)\n\n\ndef main():\n    x = 1\n    return f(collate_fn=collate)\n",
    ),
    "a hoisted function of another name": (
        LOCAL,
        hoist,
        "def main_collate(b):\n    return g(b)\n\n\ndef main():\n    x = 1\n    return f(collate_fn=main_collate)\n",
    ),
    "a guard": (
        SCRIPT,
        guard,
        "import torch\nx = 1\nif __name__ == '__main__':\n"
        "    print('a')\n    for b in f(x):\n        print('b')\n    print('c')\n",
    ),
    "a guard that was there": (
        GUARDED,
        guard,
        "import torch\nx = 1\nif __name__ == '__main__':\n    train()\n    report()\n",
    ),
    "a suppression without a name": (
        "f()  ⟦# loaderlint: ignore[a, b]⟧\n",
        remove_ignore,
        "f()  # loaderlint: ignore[b]\n",
    ),
    "a suppression that is gone": ("f()  ⟦# loaderlint: ignore[a]⟧\n", remove_ignore, "f()\n"),
}

WRONG = {
    "nothing was done": ("f(n=⟦4⟧)\n", zero, "f(n=4)\n"),
    "another constant": ("f(n=⟦4⟧)\n", zero, "f(n=1)\n"),
    "a constant of another type": ("f(n=⟦4⟧)\n", zero, "f(n=False)\n"),
    "another value changed too": ("f(n=⟦4⟧, b=1)\n", zero, "f(n=0, b=2)\n"),
    "a value of another type beside it": ("f(n=⟦4⟧, b=1)\n", zero, "f(n=0, b=True)\n"),
    "another callee": ("f(n=⟦4⟧)\n", zero, "g(n=0)\n"),
    "another keyword": ("f(n=⟦4⟧)\n", zero, "f(m=0)\n"),
    "keywords in another order": ("f(n=⟦4⟧, b=1)\n", zero, "f(b=1, n=0)\n"),
    "a keyword too few": ("f(n=⟦4⟧, b=1)\n", zero, "f(n=0)\n"),
    "a keyword too many": ("f(n=⟦4⟧)\n", zero, "f(n=0, b=1)\n"),
    "a positional argument too many": ("f(n=⟦4⟧)\n", zero, "f(1, n=0)\n"),
    "a key too many": ("f({'a': ⟦4⟧})\n", zero, "f({'a': 0, 'b': 1})\n"),
    "a statement too many": ("f(n=⟦4⟧)\n", zero, "f(n=0)\ng()\n"),
    "a statement too few": ("f(n=⟦4⟧)\ng()\n", zero, "f(n=0)\n"),
    "a statement too few in a block": (
        "def h():\n    f(n=⟦4⟧)\n    g()\n",
        zero,
        "def h():\n    f(n=0)\n",
    ),
    "a block that is empty now": ("if x:\n    g()\nf(n=⟦4⟧)\n", zero, "if x:\n    pass\nf(n=0)\n"),
    "statements in another order": ("a()\nb()\nf(n=⟦4⟧)\n", zero, "b()\na()\nf(n=0)\n"),
    "another text": ("f('a  b', n=⟦4⟧)\n", zero, "f('a b', n=0)\n"),
    "a docstring indented anew": (
        'def h():\n    """A.\n\n    B.\n    """\n    f(n=⟦4⟧)\n',
        zero,
        'def h():\n    """A.\n\n        B.\n    """\n    f(n=0)\n',
    ),
    "an import of sys that nothing needs": ("f(n=⟦4⟧)\n", zero, "import sys\nf(n=0)\n"),
    "two imports of sys": (
        "f(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nimport sys\nf(n=0 if sys.platform == 'win32' else 4)\n",
    ),
    "an import of something else": (
        "f(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys, os\nf(n=0 if sys.platform == 'win32' else 4)\n",
    ),
    "an import that comes too late": (
        "a()\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "a()\nimport sys\nf(n=0 if sys.platform == 'win32' else 4)\n",
    ),
    "another platform": (
        "import sys\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nf(n=0 if sys.platform == 'darwin' else 4)\n",
    ),
    "the arms exchanged": (
        "import sys\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nf(n=4 if sys.platform == 'win32' else 0)\n",
    ),
    "another value in the other arm": (
        "import sys\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nf(n=0 if sys.platform == 'win32' else 5)\n",
    ),
    "a narrowed edit made everywhere": ("import sys\nf(n=⟦4⟧)\n", zero_on_windows, "import sys\nf(n=0)\n"),
    "missing parentheses": (
        "import sys\nn = ⟦4⟧ * 2\n",
        zero_on_windows,
        "import sys\nn = 0 if sys.platform == 'win32' else 4 * 2\n",
    ),
    "a platform asked of something else": (
        "import sys\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nf(n=0 if torch.platform == 'win32' else 4)\n",
    ),
    "another keyword dropped": ("f(a=1, ⟦p=⟦2⟧⟧)\n", drop, "f(p=2)\n"),
    "all keywords dropped": ("f(a=1, ⟦p=⟦2⟧⟧)\n", drop, "f()\n"),
    "another key dropped": ("f({'a': 1, ⟦'p': ⟦2⟧⟧})\n", drop, "f({'p': 2})\n"),
    "another statement dropped": ("⟦d['p'] = ⟦2⟧⟧\nd['q'] = 2\n", drop, "d['p'] = 2\n"),
    "an option under another condition": (
        "f(n=⟦w⟧, p=⟦2⟧)\n",
        only_with_workers,
        "f(n=w, p=2 if v > 0 else None)\n",
    ),
    "an option under the opposite of a count or none": (
        "f(n=⟦w if w else 0⟧, p=⟦2⟧)\n",
        only_with_workers,
        "f(n=w if w else 0, p=2 if not w else None)\n",
    ),
    "an option under the condition's opposite": (
        "f(n=⟦w⟧, p=⟦2⟧)\n",
        only_with_workers,
        "f(n=w, p=None if w > 0 else 2)\n",
    ),
    "an option with another neutral value": (
        "f(n=⟦w⟧, p=⟦2⟧)\n",
        only_with_workers,
        "f(n=w, p=2 if w > 0 else False)\n",
    ),
    "an option that loses a choice of its own": (
        "f(n=⟦w⟧, p=⟦2 if a else 3⟧)\n",
        only_with_workers,
        "f(n=w, p=2 if w > 0 else None)\n",
    ),
    "an option that binds less tightly": (
        "f(n=⟦w⟧, p=⟦lambda: 2⟧)\n",
        only_with_workers,
        "f(n=w, p=lambda: 2 if w > 0 else None)\n",
    ),
    "nothing added": ("⟦f(a)⟧\n", add, "f(a)\n"),
    "another option added": ("⟦f(a)⟧\n", add, "f(a, limit=60)\n"),
    "another constant added": ("⟦f(a)⟧\n", add, "f(a, timeout=61)\n"),
    "an option added to another call": ("⟦f(g(a))⟧\n", add, "f(g(a, timeout=60))\n"),
    "an added option without its condition": ("⟦f(n=⟦w⟧)⟧\n", add_with_workers, "f(n=w, timeout=60)\n"),
    "another divisor": ("f(n=⟦a / b⟧)\n", make_integer, "f(n=a // c)\n"),
    "no floor division": ("f(n=⟦a / b⟧)\n", make_integer, "f(n=a * b)\n"),
    "another conversion": ("f(n=⟦a⟧)\n", make_integer, "f(n=float(a))\n"),
    "a conversion of something else": ("f(n=⟦a⟧)\n", make_integer, "f(n=int(b))\n"),
    "another number": ("f(n=⟦'4'⟧)\n", make_integer, "f(n=5)\n"),
    "an option of another type": (
        "⟦p.add_argument('-j')⟧\n",
        make_integer,
        "p.add_argument('-j', type=float)\n",
    ),
    "an option with another flag": (
        "⟦p.add_argument('-j')⟧\n",
        make_integer,
        "p.add_argument('-k', type=int)\n",
    ),
    "a hoisted lambda with another body": (
        LAMBDA,
        hoist,
        "import torch\ndef collate(b):\n    return h(b)\nloader = f(collate_fn=collate)\n",
    ),
    "a hoisted lambda with another parameter": (
        LAMBDA,
        hoist,
        "import torch\ndef collate(c):\n    return g(b)\nloader = f(collate_fn=collate)\n",
    ),
    "a lambda of a class under another name": (
        "class T:\n    collate = ⟦lambda self, b: g(b)⟧\n",
        hoist,
        "class T:\n    def collates(self, b):\n        return g(b)\n",
    ),
    "a lambda of a class with another body": (
        "class T:\n    collate = ⟦lambda self, b: g(b)⟧\n",
        hoist,
        "class T:\n    def collate(self, b):\n        return h(b)\n",
    ),
    "another lambda of a class": (
        "class T:\n    collate = ⟦lambda self, b: g(b)⟧\n    other = lambda self: 1\n",
        hoist,
        "class T:\n    def collate(self, b):\n        return g(b)\n    def other(self):\n        return 1\n",
    ),
    "a reference to something else": (
        LAMBDA,
        hoist,
        "import torch\ndef collate(b):\n    return g(b)\nloader = f(collate_fn=torch)\n",
    ),
    "a lambda that stays": (LAMBDA, hoist, "import torch\nloader = f(collate_fn=lambda b: g(b))\n"),
    "a definition nobody asked for": (
        "f(n=⟦4⟧)\n",
        zero,
        "def g():\n    return 1\nf(n=0)\n",
    ),
    "a hoisted function with another body": (
        LOCAL,
        hoist,
        "def collate(b):\n    return h(b)\ndef main():\n    x = 1\n    return f(collate_fn=collate)\n",
    ),
    "a hoisted function that is nowhere": (
        LOCAL,
        hoist,
        "def main():\n    x = 1\n    return f(collate_fn=collate)\n",
    ),
    "a guard around too little": (
        SCRIPT,
        guard,
        "import torch\nx = 1\nfor b in f(x):\n    print('b')\n"
        "if __name__ == '__main__':\n    print('a')\n    print('c')\n",
    ),
    "a guard that changes the order inside": (
        SCRIPT,
        guard,
        "import torch\nx = 1\nif __name__ == '__main__':\n"
        "    for b in f(x):\n        print('b')\n    print('a')\n    print('c')\n",
    ),
    "a guard that changes the order outside": (
        SCRIPT,
        guard,
        "x = 1\nimport torch\nif __name__ == '__main__':\n"
        "    print('a')\n    for b in f(x):\n        print('b')\n    print('c')\n",
    ),
    "a guard that loses a statement": (
        SCRIPT,
        guard,
        "import torch\nx = 1\nif __name__ == '__main__':\n    for b in f(x):\n        print('b')\n    print('c')\n",
    ),
    "a guard that asks for something else": (
        SCRIPT,
        guard,
        "import torch\nx = 1\nif __name__ == 'main':\n"
        "    print('a')\n    for b in f(x):\n        print('b')\n    print('c')\n",
    ),
    "a guard that doubles a statement": (
        SCRIPT,
        guard,
        "import torch\nx = 1\nprint('a')\nif __name__ == '__main__':\n"
        "    print('a')\n    for b in f(x):\n        print('b')\n    print('c')\n",
    ),
    "a guard that lets something out": (
        GUARDED,
        guard,
        "import torch\nx = 1\nreport()\nif __name__ == '__main__':\n    train()\n",
    ),
    "a positional argument by another name": (
        "f(1, ⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, keyword="n")],
        "f(1, m=0)\n",
    ),
    "another positional argument by this name": (
        "f(⟦4⟧, 1)\n",
        lambda at: [SetValue(at[0], 0, keyword="n")],
        "f(0, n=1)\n",
    ),
    "a positional argument behind others that nobody counts": (
        "f(*a, ⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, keyword="n")],
        "f(*a, n=0)\n",
    ),
    "a positional argument by a name that no edit says": ("f(1, ⟦4⟧)\n", zero, "f(1, n=0)\n"),
    "a guard nobody asked for": (
        "x = 1\nf(n=⟦4⟧)\n",
        zero,
        "x = 1\nif __name__ == '__main__':\n    f(n=0)\n",
    ),
    "a comment lost": ("f(n=⟦4⟧)  # four\n", zero, "f(n=0)\n"),
    "a comment reworded": ("f(n=⟦4⟧)  # four\n", zero, "f(n=0)  # none\n"),
    "a comment invented": ("f(n=⟦4⟧)\n", zero, "f(n=0)  # fixed\n"),
    "more comments about lambdas lost than lambdas": (
        "a = ⟦lambda b: b⟧  # noqa: E731\nc = lambda b: b  # noqa: E731\n",
        lambda at: [Hoist(at[0])],
        "def a(b):\n    return b\nc = lambda b: b\n",
    ),
    "another comment lost than one about the lambda": (
        "a = ⟦lambda b: b⟧  # noqa: E501\n",
        lambda at: [Hoist(at[0])],
        "def a(b):\n    return b\n",
    ),
    "one of two equal comments lost": ("a()  # x\nf(n=⟦4⟧)  # x\n", zero, "a()\nf(n=0)  # x\n"),
    "another suppression gone": (
        "f()  ⟦# loaderlint: ignore[a]⟧\ng()  # loaderlint: ignore[b]\n",
        remove_ignore,
        "f()  # loaderlint: ignore[a]\ng()\n",
    ),
    "a suppression that grew": (
        "f()  ⟦# loaderlint: ignore[a]⟧\n",
        remove_ignore,
        "f()  # loaderlint: ignore[a, b]\n",
    ),
    "other line ends": ("f(n=⟦4⟧)\r\ng()\r\n", zero, "f(n=0)\ng()\n"),
    "one other line end": ("f(n=⟦4⟧)\ng()\n", zero, "f(n=0)\r\ng()\n"),
    "a final newline that was not there": ("g()\nf(n=⟦4⟧)", zero, "g()\nf(n=0)\n"),
    "no final newline": ("f(n=⟦4⟧)\n", zero, "f(n=0)"),
    "a file that does not parse": ("f(n=⟦4⟧)\n", zero, "f(n=)\n"),
}


@pytest.mark.parametrize(("before", "edits", "after"), RIGHT.values(), ids=RIGHT)
def test_what_the_edits_ask_for_is_proven(before: str, edits: Edits, after: str) -> None:
    source, spans = marked(before)
    prove(source, after, edits(spans))


@pytest.mark.parametrize(("before", "edits", "after"), WRONG.values(), ids=WRONG)
def test_anything_else_is_refused(before: str, edits: Edits, after: str) -> None:
    source, spans = marked(before)
    with pytest.raises(CannotRewrite):
        prove(source, after, edits(spans))


def test_a_comment_may_go_where_that_was_said() -> None:
    source, spans = marked("f(n=⟦4⟧)  # four\n")
    prove(source, "f(n=0)\n", zero(spans), comments_may_go=True)


def test_a_refusal_names_the_line() -> None:
    source, spans = marked("f(n=⟦4⟧)\ng()\nh()\n")
    with pytest.raises(CannotRewrite, match=r"^line 2 would change, which no edit is about$"):
        prove(source, "f(n=0)\ni()\nh()\n", zero(spans))


def test_an_edit_of_a_place_that_is_not_there_is_refused() -> None:
    source, spans = marked("f(n=⟦4⟧)\n")
    beside = spans[0]._replace(column=spans[0].column + 1, end_column=spans[0].end_column + 1)
    with pytest.raises(CannotRewrite, match="the edit of line 1 was not made"):
        prove(source, source.text, [SetValue(beside, 0)])


def test_a_line_that_is_too_long_to_be_looked_through_is_refused() -> None:
    def check(line: str) -> None:
        source, (value,) = marked(f"f(n=⟦4⟧)\n{line}\n")
        prove(source, f"f(n=0)\n{line}\n", zero([value]))

    check("x = '" + "\\" * 40_000 + "'")
    with pytest.raises(CannotRewrite, match="a line of 600006 characters, too long"):
        check("x = '" + "\\" * 600_000 + "'")
