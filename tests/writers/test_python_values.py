from __future__ import annotations

import pytest

from loaderlint.model.edit import Drop, SetValue
from loaderlint.model.target import Platform
from loaderlint.writers import CannotRewrite, Rewritten, rewrite
from tests.writers.marked import MACOS, WINDOWS, Cases, Edits, make_integer, marked, rewritten, zero, zero_on_windows

SET_VALUE: Cases = {
    "a keyword's value": ("DataLoader(ds, num_workers=⟦4⟧)\n", zero, "DataLoader(ds, num_workers=0)\n"),
    "a positional value": (
        "DataLoader(ds, ⟦32⟧, num_workers=4)\n",
        lambda at: [SetValue(at[0], 16)],
        "DataLoader(ds, 16, num_workers=4)\n",
    ),
    "a value in redundant parentheses": ("f(num_workers=(⟦4⟧))\n", zero, "f(num_workers=(0))\n"),
    "a value of several lines": ("n = (⟦4 +\n     8⟧)  # both\n", zero, "n = (0)  # both\n"),
    "unusual white space": ("f( num_workers =  ⟦4⟧ , b = 1 )\n", zero, "f( num_workers =  0 , b = 1 )\n"),
    "both arms of a conditional expression": (
        "n = ⟦8⟧ if a else (⟦4⟧ if b else ⟦2⟧)  # why\n",
        lambda at: [SetValue(one, 0) for one in at],
        "n = 0  # why\n",
    ),
    "both arms of one whose test names something": (
        "n = ⟦8⟧ if (a := b()) else ⟦4⟧\n",
        lambda at: [SetValue(one, 0) for one in at],
        "n = 0 if (a := b()) else 0\n",
    ),
    "both arms of one whose test may do something": (
        "n = ⟦8⟧ if ask(settings) else ⟦4⟧\n",
        lambda at: [SetValue(one, 0) for one in at],
        "n = 0 if ask(settings) else 0\n",
    ),
    "both arms of one whose test only asks": (
        "import os\nn = ⟦8⟧ if os.cpu_count() > 8 else ⟦4⟧\n",
        lambda at: [SetValue(one, 0) for one in at],
        "import os\nn = 0\n",
    ),
    "an arm to what the other says already": (
        "import sys\nn = 0 if sys.platform.startswith('win32') else ⟦4⟧  # why\n",
        zero,
        "import sys\nn = 0  # why\n",
    ),
    "an arm to what the other says already where a test holds": (
        "n = (⟦4⟧ if a else (0)) + 1\n",
        zero,
        "n = (0) + 1\n",
    ),
    "an arm to what the others say already": (
        "import platform\nn = 0 if a else ⟦8⟧ if platform.system().lower() == 'linux' else 0\n",
        zero,
        "import platform\nn = 0\n",
    ),
    "an arm to what the other says as something else": (
        "n = False if a else ⟦4⟧\n",
        zero,
        "n = False if a else 0\n",
    ),
    "an arm to what the other says already by a test that may do something": (
        "n = 0 if names.startswith(a) else ⟦4⟧\n",
        zero,
        "n = 0 if names.startswith(a) else 0\n",
    ),
    "an arm to what the other says already by a method that does something": (
        "import os\nn = 0 if os.environ.pop('A', '') else ⟦4⟧\n",
        zero,
        "import os\nn = 0 if os.environ.pop('A', '') else 0\n",
    ),
    "an arm to what the other says already, with a comment": (
        "n = (\n    ⟦4⟧  # many\n    if a\n    else 0  # none\n)\n",
        zero,
        "n = (\n    0  # many\n    if a\n    else 0  # none\n)\n",
    ),
    "both arms, with a comment": (
        "n = (\n    ⟦4⟧  # many\n    if a\n    else ⟦2⟧\n)\n",
        lambda at: [SetValue(one, 0) for one in at],
        "n = (\n    0  # many\n    if a\n    else 0\n)\n",
    ),
    "an arm beside one that changes, too": (
        "n = 0 if a else ⟦4⟧ if b else 2\n",
        lambda at: [SetValue(at[0], 2)],
        "n = 0 if a else 2\n",
    ),
    "both arms, each to something else": (
        "n = ⟦8⟧ if a else ⟦4⟧\n",
        lambda at: [SetValue(at[0], 1), SetValue(at[1], 0)],
        "n = 1 if a else 0\n",
    ),
    "the end of what holds only together": (
        "f(persistent_workers=keep and (a or b) and ⟦n > 0⟧)  # why\n",
        lambda at: [SetValue(at[0], False)],
        "f(persistent_workers=False)  # why\n",
    ),
    "the end of what holds only together, in a larger one": (
        "f(persistent_workers=a and ⟦n > 0⟧ or b)\n",
        lambda at: [SetValue(at[0], False)],
        "f(persistent_workers=False or b)\n",
    ),
    "the end of what asks somebody before": (
        "f(persistent_workers=ask(settings) and ⟦n > 0⟧)\n",
        lambda at: [SetValue(at[0], False)],
        "f(persistent_workers=ask(settings) and False)\n",
    ),
    "the end of what holds only together, to a number": (
        "f(num_workers=a and ⟦n⟧)\n",
        zero,
        "f(num_workers=a and 0)\n",
    ),
    "the end of one of several that will do": (
        "f(persistent_workers=a or ⟦n > 0⟧)\n",
        lambda at: [SetValue(at[0], False)],
        "f(persistent_workers=a or False)\n",
    ),
    "the beginning of what holds only together": (
        "f(persistent_workers=⟦n > 0⟧ and a)\n",
        lambda at: [SetValue(at[0], False)],
        "f(persistent_workers=False and a)\n",
    ),
    "both arms on some platforms": (
        "import sys\nn = (⟦8⟧ if a else ⟦4⟧) + 1\n",
        lambda at: [SetValue(one, 0, WINDOWS) for one in at],
        'import sys\nn = (0 if sys.platform == "win32" else (8 if a else 4)) + 1\n',
    ),
    "an arm beside another that says the same": (
        "import sys\nn = 0 if debug else ⟦4⟧\n",
        zero_on_windows,
        'import sys\nn = 0 if debug or sys.platform == "win32" else 4\n',
    ),
    "an arm beside another that says the same by several tests": (
        "import sys\nn = 0 if (a or b and c) else ⟦4⟧\n",
        zero_on_windows,
        'import sys\nn = 0 if a or b and c or sys.platform == "win32" else 4\n',
    ),
    "an arm beside another that says the same where a test does not hold": (
        "import sys\nn = ⟦4⟧ if a or b else 0\n",
        zero_on_windows,
        'import sys\nn = 4 if (a or b) and sys.platform != "win32" else 0\n',
    ),
    "an arm beside another that says the same by a choice": (
        "import sys\nn = 0 if (a if b else c) else ⟦4⟧\n",
        zero_on_windows,
        'import sys\nn = 0 if (a if b else c) or sys.platform == "win32" else 4\n',
    ),
    "an arm beside another that says something else": (
        "import sys\nn = 2 if debug else ⟦4⟧\n",
        zero_on_windows,
        'import sys\nn = 2 if debug else (0 if sys.platform == "win32" else 4)\n',
    ),
    "an arm beside another that says the same, with a comment": (
        "import sys\nn = (\n    0 if debug\n    else ⟦4⟧  # enough\n)\n",
        zero_on_windows,
        'import sys\nn = (\n    0 if debug\n    else (0 if sys.platform == "win32" else 4)  # enough\n)\n',
    ),
    "an arm beside another that says the same, with a test of several lines": (
        "import sys\nn = 0 if (a or\n          b) else ⟦4⟧\n",
        zero_on_windows,
        'import sys\nn = 0 if (a or\n          b) else (0 if sys.platform == "win32" else 4)\n',
    ),
    "both arms, one on some platforms": (
        "import sys\nn = ⟦8⟧ if a else ⟦4⟧\n",
        lambda at: [SetValue(at[0], 0), SetValue(at[1], 0, WINDOWS)],
        'import sys\nn = 0 if a or sys.platform == "win32" else 4\n',
    ),
    "all of a list on some platforms": (
        "import sys\nload(workers=[⟦4⟧, ⟦4⟧,⟦4⟧], sizes=[8, 8, 8])  # three\n",
        lambda at: [SetValue(one, 0, WINDOWS) for one in at],
        'import sys\nload(workers=[0 if sys.platform == "win32" else 4] * 3, sizes=[8, 8, 8])  # three\n',
    ),
    "all of a list in a file that sets no space around its products": (
        "import sys\nsizes = [8]*3, [2]*2, 2 * 3\nload(workers=[⟦4⟧, ⟦4⟧])\n",
        lambda at: [SetValue(one, 0, WINDOWS) for one in at],
        'import sys\nsizes = [8]*3, [2]*2, 2 * 3\nload(workers=[0 if sys.platform == "win32" else 4]*2)\n',
    ),
    "all of a list that something is asked of": (
        "import sys\nn = [⟦4⟧, ⟦4⟧,][1]\n",
        lambda at: [SetValue(one, 0, WINDOWS) for one in at],
        'import sys\nn = ([0 if sys.platform == "win32" else 4] * 2)[1]\n',
    ),
    "all of a list that holds different numbers": (
        "import sys\nn = [⟦4⟧, ⟦2⟧]\n",
        lambda at: [SetValue(one, 0, WINDOWS) for one in at],
        'import sys\nn = [0 if sys.platform == "win32" else 4, 0 if sys.platform == "win32" else 2]\n',
    ),
    "some of a list": (
        "import sys\nn = [⟦4⟧, ⟦4⟧, 4]\n",
        lambda at: [SetValue(one, 0, WINDOWS) for one in at],
        'import sys\nn = [0 if sys.platform == "win32" else 4, 0 if sys.platform == "win32" else 4, 4]\n',
    ),
    "all of a list of calls": (
        "import sys\nn = [⟦ask()⟧, ⟦ask()⟧]\n",
        lambda at: [SetValue(one, 0, WINDOWS) for one in at],
        'import sys\nn = [0 if sys.platform == "win32" else ask(), 0 if sys.platform == "win32" else ask()]\n',
    ),
    "all of a list of several lines": (
        "import sys\nn = [\n    ⟦4⟧,  # train\n    ⟦4⟧,\n]\n",
        lambda at: [SetValue(one, 0, WINDOWS) for one in at],
        'import sys\nn = [\n    0 if sys.platform == "win32" else 4,  # train\n'
        '    0 if sys.platform == "win32" else 4,\n]\n',
    ),
    "all of a list everywhere": ("n = [⟦4⟧, ⟦4⟧]\n", lambda at: [SetValue(one, 0) for one in at], "n = [0, 0]\n"),
    "a default of a parameter": ("def make(workers=⟦4⟧): ...\n", zero, "def make(workers=0): ...\n"),
    "a dictionary's value": ("d = {'num_workers': ⟦4⟧, 'b': 1}\n", zero, "d = {'num_workers': 0, 'b': 1}\n"),
    "an argparse default": (
        "p.add_argument('-j', default=⟦4⟧, type=int)\n",
        zero,
        "p.add_argument('-j', default=0, type=int)\n",
    ),
    "a negative number where it has to be told apart": (
        "n = ⟦2⟧ ** k\n",
        lambda at: [SetValue(at[0], -1)],
        "n = (-1) ** k\n",
    ),
    "a number whose attribute is asked for": ("n = ⟦count⟧.real\n", zero, "n = (0).real\n"),
    "a text in the quotation marks it had": (
        'a = "x"\nb = "y"\nmp.set_start_method(⟦\'fork\'⟧)\n',
        lambda at: [SetValue(at[0], "spawn")],
        'a = "x"\nb = "y"\nmp.set_start_method(\'spawn\')\n',
    ),
    "a text in the quotation marks the file mostly uses": (
        "a = 'x'\nmp.set_start_method(⟦method⟧)\n",
        lambda at: [SetValue(at[0], "spawn")],
        "a = 'x'\nmp.set_start_method('spawn')\n",
    ),
    "a place inside a tuple, whose parentheses are its own": ("⟦(1, 2)⟧\n", zero, "0\n"),
    "a line behind characters of several bytes": ("größe = 'ß'; f(n=⟦4⟧)\n", zero, "größe = 'ß'; f(n=0)\n"),
    "CRLF line ends": ("f(\r\n    n=⟦4⟧,\r\n)\r\n", zero, "f(\r\n    n=0,\r\n)\r\n"),
    "a byte order mark": ("\ufefff(n=⟦4⟧)\n", zero, "\ufefff(n=0)\n"),
    "tabs": ("def f():\n\tif x:\n\t\tg(n=⟦4⟧)\n", zero, "def f():\n\tif x:\n\t\tg(n=0)\n"),
    "no final newline": ("x = 1\nf(n=⟦4⟧)", zero, "x = 1\nf(n=0)"),
    "white space on the last lines": ("f(n=⟦4⟧)\n\n    \n        \n", zero, "f(n=0)\n\n    \n        \n"),
    "white space on the last lines of a block": (
        "def g():\n    f(n=⟦4⟧)\n\n\t\n  \n\n",
        zero,
        "def g():\n    f(n=0)\n\n\t\n  \n\n",
    ),
    "white space on the last lines, the last without an end": (
        "f(n=⟦4⟧)\r\n  \r\n    \r\n ",
        zero,
        "f(n=0)\r\n  \r\n    \r\n ",
    ),
    "a form feed": ("x = 1\n\x0c\nf(n=⟦4⟧)\n", zero, "x = 1\n\x0c\nf(n=0)\n"),
    "a form feed before an expression": ("\x0cf(n=⟦4⟧)\n", zero, "\x0cf(n=0)\n"),
    "form feeds first": ("\x0c\x0c# a\nf(n=⟦4⟧)\n", zero, "\x0c\x0c# a\nf(n=0)\n"),
    "a byte order mark and a form feed first": ("\ufeff\x0c'doc'\nf(n=⟦4⟧)\n", zero, "\ufeff\x0c'doc'\nf(n=0)\n"),
    "form feeds before statements": (
        "x = 1\n\x0c\x0cdef g():\n\x0c    f(n=⟦4⟧)\n \x0cg()\n",
        zero,
        "x = 1\n\x0c\x0cdef g():\n\x0c    f(n=0)\n \x0cg()\n",
    ),
    "form feeds before what is decorated": (
        "\x0c@one\n@two\n\x0cdef g():\n    f(n=⟦4⟧)\n",
        zero,
        "\x0c@one\n@two\n\x0cdef g():\n    f(n=0)\n",
    ),
    "form feeds before the parts of a statement": (
        "try:\r\n  f(n=⟦4⟧)\r\n# a\r\n\x0cexcept A:\r\n  x\r\n\x0cfinally:\r\n  '''\r\n\x0cy'''\r\n",
        zero,
        "try:\r\n  f(n=0)\r\n# a\r\n\x0cexcept A:\r\n  x\r\n\x0cfinally:\r\n  '''\r\n\x0cy'''\r\n",
    ),
    "a form feed before a statement, and CR line ends": (
        "x = 1\r\x0cdef g():\r    f(n=⟦4⟧)\r",
        zero,
        "x = 1\r\x0cdef g():\r    f(n=0)\r",
    ),
    "what other languages end lines at": (
        "x = 'a\x0bb\x1cc\x85d\u2028e'  # a\x1d b\u2029 c\x1e\nf(n=⟦4⟧)\n",
        zero,
        "x = 'a\x0bb\x1cc\x85d\u2028e'  # a\x1d b\u2029 c\x1e\nf(n=0)\n",
    ),
    "CR line ends": ("x = 1\rf(n=⟦4⟧)\r", zero, "x = 1\rf(n=0)\r"),
    "CR line ends in a block": ("def g():\r    f(n=⟦4⟧)\r\r", zero, "def g():\r    f(n=0)\r\r"),
    "CR line ends, the last without one": ("x = 1\rf(n=⟦4⟧)", zero, "x = 1\rf(n=0)"),
    "the same edit twice": ("f(n=⟦4⟧)\n", lambda at: [*zero(at), *zero(at)], "f(n=0)\n"),
    "two values of one call": (
        "f(n=⟦4⟧, batch=⟦8⟧)\n",
        lambda at: [SetValue(at[0], 0), SetValue(at[1], 16)],
        "f(n=0, batch=16)\n",
    ),
}

NARROWED: Cases = {
    "the last positional argument, by its name": (
        "import sys\ndata.DataLoader(d, ⟦4⟧, pin=True, **more)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS, keyword="num_workers")],
        'import sys\ndata.DataLoader(d, num_workers=0 if sys.platform == "win32" else 4, pin=True, **more)\n',
    ),
    "a positional argument before others": (
        "import sys\nDataLoader(d, ⟦4⟧, collate)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS, keyword="num_workers")],
        'import sys\nDataLoader(d, 0 if sys.platform == "win32" else 4, collate)\n',
    ),
    "a positional argument beside a splat": (
        "import sys\nDataLoader(*d, ⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS, keyword="num_workers")],
        'import sys\nDataLoader(*d, 0 if sys.platform == "win32" else 4)\n',
    ),
    "a positional argument of what makes a call that may have more": (
        "import sys\npartial(DataLoader, d, ⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS, keyword="num_workers")],
        'import sys\npartial(DataLoader, d, 0 if sys.platform == "win32" else 4)\n',
    ),
    "a positional argument on all platforms": (
        "DataLoader(d, ⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, frozenset(Platform), keyword="num_workers")],
        "DataLoader(d, 0)\n",
    ),
    "an argument that has a name": (
        "import sys\nDataLoader(n=⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS, keyword="num_workers")],
        'import sys\nDataLoader(n=0 if sys.platform == "win32" else 4)\n',
    ),
    "a literal": (
        "import sys\nf(n=⟦4⟧)\n",
        zero_on_windows,
        'import sys\nf(n=0 if sys.platform == "win32" else 4)\n',
    ),
    "any other expression, word for word": (
        "import sys\nf(n=⟦min( 4,os.cpu_count() )⟧)\n",
        zero_on_windows,
        'import sys\nf(n=0 if sys.platform == "win32" else min( 4,os.cpu_count() ))\n',
    ),
    "several platforms": (
        "import sys\nf(n=⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS | MACOS)],
        'import sys\nf(n=0 if sys.platform in ("win32", "darwin") else 4)\n',
    ),
    "all platforms": ("f(n=⟦4⟧)\n", lambda at: [SetValue(at[0], 0, frozenset(Platform))], "f(n=0)\n"),
    "the same constant": ("f(n=⟦0⟧)\n", zero_on_windows, "f(n=0)\n"),
    "two constants for two platforms": (
        "import sys\nf(n=⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), SetValue(at[0], 2, MACOS)],
        'import sys\nf(n=0 if sys.platform == "win32" else (2 if sys.platform == "darwin" else 4))\n',
    ),
    "an operand": (
        "import sys\nn = ⟦4⟧ * 2\n",
        zero_on_windows,
        'import sys\nn = (0 if sys.platform == "win32" else 4) * 2\n',
    ),
    "what a method is called on": (
        "import sys\nn = ⟦count⟧.real\n",
        zero_on_windows,
        'import sys\nn = (0 if sys.platform == "win32" else count).real\n',
    ),
    "the argument of a unary operator": (
        "import sys\nn = -⟦count⟧\n",
        zero_on_windows,
        'import sys\nn = -(0 if sys.platform == "win32" else count)\n',
    ),
    "a splat of a dictionary": (
        "import sys\nd = {**⟦e⟧}\n",
        lambda at: [Drop(at[0], "e", None, None, WINDOWS)],
        'import sys\nd = {**(None if sys.platform == "win32" else e)}\n',
    ),
    "a value in redundant parentheses": (
        "import sys\nf(n=(⟦4⟧))\n",
        zero_on_windows,
        'import sys\nf(n=(0 if sys.platform == "win32" else 4))\n',
    ),
    "a lambda": (
        "import sys\nf(n=⟦lambda: 4⟧)\n",
        zero_on_windows,
        'import sys\nf(n=0 if sys.platform == "win32" else lambda: 4)\n',
    ),
    "an assignment expression": (
        "import sys\nf(n=(⟦m := 4⟧))\n",
        zero_on_windows,
        'import sys\nf(n=0 if sys.platform == "win32" else (m := 4))\n',
    ),
    "the file's quotation marks": (
        "import sys\na = 'x'\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "import sys\na = 'x'\nf(n=0 if sys.platform == 'win32' else 4)\n",
    ),
    "the arm of a choice that stands there": (
        "import sys\nn = ⟦4 if sys.platform != 'win32' else 2⟧\n",
        zero_on_windows,
        "import sys\nn = 4 if sys.platform != 'win32' else 0\n",
    ),
    "one platform of an arm that serves two": (
        "import sys\nn = ⟦4 if sys.platform == 'linux' else 2⟧\n",
        zero_on_windows,
        "import sys\nn = 4 if sys.platform == 'linux' else (0 if sys.platform == 'win32' else 2)\n",
    ),
    "the arm of a choice by os.name": (
        "import os\nn = ⟦2 if os.name == 'nt' else 4⟧\n",
        zero_on_windows,
        "import os\nn = 0 if os.name == 'nt' else 4\n",
    ),
    "a choice that says so already": (
        "import sys\nn = ⟦0 if sys.platform == 'win32' else 4⟧\n",
        zero_on_windows,
        "import sys\nn = 0 if sys.platform == 'win32' else 4\n",
    ),
    "a choice by something else": (
        "import sys\nn = ⟦4 if fast else 2⟧\n",
        zero_on_windows,
        'import sys\nn = 0 if sys.platform == "win32" else (4 if fast else 2)\n',
    ),
    "True becoming False": (
        "import sys\nf(persistent_workers=⟦True⟧)\n",
        lambda at: [Drop(at[0], "persistent_workers", False, None, WINDOWS)],
        'import sys\nf(persistent_workers=sys.platform != "win32")\n',
    ),
    "False becoming True": (
        "import sys\nf(pin_memory=⟦False⟧)\n",
        lambda at: [SetValue(at[0], True, WINDOWS | MACOS)],
        'import sys\nf(pin_memory=sys.platform in ("win32", "darwin"))\n',
    ),
    "False where a test comes to it already": (
        "import sys\nf(persistent_workers=⟦sys.platform != 'win32'⟧)\n",
        lambda at: [Drop(at[0], "persistent_workers", False, None, WINDOWS)],
        "import sys\nf(persistent_workers=sys.platform != 'win32')\n",
    ),
    "True where a test comes to it already": (
        "import sys\nf(pin_memory=⟦sys.platform == 'win32'⟧)\n",
        lambda at: [SetValue(at[0], True, WINDOWS)],
        "import sys\nf(pin_memory=sys.platform == 'win32')\n",
    ),
    "False where a test comes to True": (
        "import sys\nf(pin_memory=⟦sys.platform == 'win32'⟧)\n",
        lambda at: [SetValue(at[0], False, WINDOWS)],
        "import sys\nf(pin_memory=False)\n",
    ),
    "1 becoming False, which are told apart": (
        "import sys\nf(persistent_workers=⟦1⟧)\n",
        lambda at: [Drop(at[0], "persistent_workers", False, None, WINDOWS)],
        'import sys\nf(persistent_workers=False if sys.platform == "win32" else 1)\n',
    ),
    "a value inside another narrowed value": (
        "import sys\nf(n=⟦min(⟦4⟧, k)⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), SetValue(at[1], 2)],
        'import sys\nf(n=0 if sys.platform == "win32" else min(2, k))\n',
    ),
}

MAKE_INTEGER = {
    "a quoted number": ('f(n=⟦"4"⟧)\n', "f(n=4)\n"),
    "a float": ("f(n=⟦4.0⟧)\n", "f(n=4)\n"),
    "a division": ("f(n=⟦os.cpu_count()/2⟧)\n", "f(n=os.cpu_count()//2)\n"),
    "a division that stays broken": ("n = (⟦a /\n     b⟧)\n", "n = (a //\n     b)\n"),
    "a division by a float": ("f(n=⟦count / 2.0⟧)\n", "f(n=int(count / 2.0))\n"),
    "anything else": ("f(n=⟦cfg.workers⟧)\n", "f(n=int(cfg.workers))\n"),
    "what stands in parentheses": ("f(n=(⟦a / b * 2⟧))\n", "f(n=int(a / b * 2))\n"),
    "a command line's option": (
        "⟦p.add_argument('-j', default=4)⟧\n",
        "p.add_argument('-j', default=4, type=int)\n",
    ),
    "a command line's option of another type": (
        "⟦p.add_argument('-j', type=float, default=4)⟧\n",
        "p.add_argument('-j', type=int, default=4)\n",
    ),
    "the default of a command line's option": (
        "p.add_argument('-j', default=⟦'4'⟧)\n",
        "p.add_argument('-j', default=4, type=int)\n",
    ),
    "the default of an option that gives text": (
        "p.add_argument('-j', type=str, default=⟦'4'⟧)\n",
        "p.add_argument('-j', type=int, default=4)\n",
    ),
    "the default of an option of another type": (
        "p.add_argument('-j', type=count, default=⟦'4'⟧)\n",
        "p.add_argument('-j', type=count, default=4)\n",
    ),
    "the default of an option that gives a float": (
        "p.add_argument('-j', type=float, default=⟦2.5⟧)\n",
        "p.add_argument('-j', type=int, default=2)\n",
    ),
    "the default of an option that makes a float of it": (
        "@click.option('-j', type=float, default=⟦4⟧)\ndef f(j): ...\n",
        "@click.option('-j', type=int, default=4)\ndef f(j): ...\n",
    ),
    "the default of an option of integers": (
        "p.add_argument('-j', type=int, default=⟦4.0⟧)\n",
        "p.add_argument('-j', type=int, default=4)\n",
    ),
    "the default of an option that is one of several texts": (
        "p.add_argument('-j', default=⟦'4'⟧, choices=['0', '4'])\n",
        "p.add_argument('-j', default=4, choices=[0, 4], type=int)\n",
    ),
    "an option that is one of several texts": (
        "⟦p.add_argument('-j', choices=('0', '4'), type=str)⟧\n",
        "p.add_argument('-j', choices=(0, 4), type=int)\n",
    ),
    "an option that is one of several numbers": (
        "⟦p.add_argument('-j', choices=range(8))⟧\n",
        "p.add_argument('-j', choices=range(8), type=int)\n",
    ),
    "the default of something else": ("setting('-j', default=⟦'4'⟧)\n", "setting('-j', default=4)\n"),
    "an option of click": ("@⟦click.option('-j')⟧\ndef f(j): ...\n", "@click.option('-j', type=int)\ndef f(j): ...\n"),
}


@pytest.mark.parametrize(("before", "edits", "after"), SET_VALUE.values(), ids=SET_VALUE)
def test_a_value_is_replaced_and_nothing_else(before: str, edits: Edits, after: str) -> None:
    assert rewritten(before, edits) == Rewritten(after)


@pytest.mark.parametrize(("before", "edits", "after"), NARROWED.values(), ids=NARROWED)
def test_a_value_is_kept_on_the_other_platforms(before: str, edits: Edits, after: str) -> None:
    assert rewritten(before, edits) == Rewritten(after)


@pytest.mark.parametrize(("before", "after"), MAKE_INTEGER.values(), ids=MAKE_INTEGER)
def test_numbers_become_integers(before: str, after: str) -> None:
    assert rewritten(before, make_integer) == Rewritten(after)


@pytest.mark.parametrize(
    ("after", "edits", "unread"),
    [
        ("f(n=⟦args.num_workers⟧)\n", zero, True),
        ("f(n=⟦args.num_workers⟧)\n", zero_on_windows, False),
        ("f(n=⟦args.num_workers⟧)\nassert args.num_workers > 0\n", zero, False),
        ("f(n=⟦self.threads⟧)\n", zero, False),
        ("num_workers = 2\nf(n=⟦num_workers⟧)\n", zero, False),
    ],
)
def test_an_option_that_nothing_else_reads_is_not_set_aside_unasked(after: str, edits: Edits, unread: bool) -> None:
    unsafe = rewritten(f"import sys\np.add_argument('--num-workers', type=int)\n{after}", edits).unsafe
    assert unsafe == ("`--num-workers` is then read by nothing" if unread else "")


@pytest.mark.parametrize("before", ["⟦p.add_argument('-j')⟧\n", "@⟦click.option('-j', is_flag=True)⟧\ndef f(j): ...\n"])
def test_no_value_takes_the_place_of_a_declaration(before: str) -> None:
    with pytest.raises(CannotRewrite, match="declaration"):
        rewritten(before, zero)


def test_a_latin_1_file_keeps_its_bytes() -> None:
    source, _ = marked("# -*- coding: latin-1 -*-\ns = 'é'; f(n=4)  # café\n", "latin-1")
    at = source.text.index("4)")
    result = rewrite(source, [SetValue(source.span(at, at + 1), 0)])
    assert result.text.encode("latin-1") == source.content.replace(b"n=4", b"n=0")
