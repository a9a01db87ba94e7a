from __future__ import annotations

import subprocess
import sys

import pytest

from loaderlint.model.edit import Drop, OnlyWithWorkers, RemoveIgnore, SetValue
from loaderlint.writers import CannotRewrite, Rewritten
from tests.writers.marked import (
    MACOS,
    WINDOWS,
    Cases,
    Edits,
    add_spawn,
    drop_prefetch,
    make_integer,
    persistent_with_workers,
    prefetch_with_workers,
    rewritten,
    zero,
    zero_on_windows,
)

ONLY_WITH_WORKERS: Cases = {
    "an attribute": (
        "f(num_workers=⟦args.workers⟧, prefetch_factor=⟦4⟧)\n",
        prefetch_with_workers,
        "f(num_workers=args.workers, prefetch_factor=4 if args.workers > 0 else None)\n",
    ),
    "a subscript": (
        "f(num_workers=⟦cfg['data'][0]⟧, prefetch_factor=⟦k⟧)\n",
        prefetch_with_workers,
        "f(num_workers=cfg['data'][0], prefetch_factor=k if cfg['data'][0] > 0 else None)\n",
    ),
    "a flag": (
        "f(num_workers=⟦n⟧, persistent_workers=⟦True⟧)\n",
        persistent_with_workers,
        "f(num_workers=n, persistent_workers=n > 0)\n",
    ),
    "a flag that is given": (
        "f(num_workers=⟦n⟧, persistent_workers=⟦keep⟧)\n",
        persistent_with_workers,
        "f(num_workers=n, persistent_workers=keep and n > 0)\n",
    ),
    "a flag that is the count itself": (
        "import sys\nf(num_workers=⟦n⟧, persistent_workers=⟦bool(n)⟧)\n",
        lambda at: [*persistent_with_workers(at), SetValue(at[1], False, WINDOWS)],
        'import sys\nf(num_workers=n, persistent_workers=False if sys.platform == "win32" else bool(n))\n',
    ),
    "a flag that is another count": (
        "f(num_workers=⟦n⟧, persistent_workers=⟦bool(k)⟧)\n",
        persistent_with_workers,
        "f(num_workers=n, persistent_workers=bool(k) and n > 0)\n",
    ),
    "a flag of two": (
        "f(num_workers=⟦n⟧, persistent_workers=⟦a or b⟧)\n",
        persistent_with_workers,
        "f(num_workers=n, persistent_workers=(a or b) and n > 0)\n",
    ),
    "a count that a dictionary is asked for": (
        "f(num_workers=⟦c.get('n', 0)⟧, persistent_workers=⟦True⟧)\n",
        persistent_with_workers,
        "f(num_workers=c.get('n', 0), persistent_workers=c.get('n', 0) > 0)\n",
    ),
    "a count or none": (
        "f(num_workers=⟦n if n else 0⟧, prefetch_factor=⟦4⟧)\n",
        prefetch_with_workers,
        "f(num_workers=n if n else 0, prefetch_factor=4 if n else None)\n",
    ),
    "a count or none in short": (
        "f(num_workers=⟦n or 0⟧, prefetch_factor=⟦4⟧)\n",
        prefetch_with_workers,
        "f(num_workers=n or 0, prefetch_factor=4 if (n or 0) > 0 else None)\n",
    ),
    "no count or one that may be None": (
        "f(num_workers=⟦0 if not n else n⟧, persistent_workers=⟦True⟧)\n",
        persistent_with_workers,
        "f(num_workers=0 if not n else n, persistent_workers=True if n else False)\n",
    ),
    "no count or one": (
        "f(num_workers=⟦0 if n <= 0 else n⟧, persistent_workers=⟦True⟧)\n",
        persistent_with_workers,
        "f(num_workers=0 if n <= 0 else n, persistent_workers=n > 0)\n",
    ),
    "a count or another": (
        "f(num_workers=⟦n if n else m⟧, prefetch_factor=⟦4⟧)\n",
        prefetch_with_workers,
        "f(num_workers=n if n else m,\n  prefetch_factor=(4 if n > 0 else None) if n else (4 if m > 0 else None))\n",
    ),
    "a count that an object may have": (
        "f(num_workers=⟦getattr(c, 'n', 0)⟧, prefetch_factor=⟦4⟧)\n",
        prefetch_with_workers,
        "f(num_workers=getattr(c, 'n', 0), prefetch_factor=4 if getattr(c, 'n', 0) > 0 else None)\n",
    ),
    "a deadline": (
        "f(num_workers=⟦n⟧, timeout=⟦60⟧)\n",
        lambda at: [OnlyWithWorkers(at[1], "timeout", 0, at[0])],
        "f(num_workers=n, timeout=60 if n > 0 else 0)\n",
    ),
    "a start method": (
        'f(num_workers=⟦n⟧, multiprocessing_context=⟦"spawn"⟧)\n',
        lambda at: [OnlyWithWorkers(at[1], "multiprocessing_context", None, at[0])],
        'f(num_workers=n, multiprocessing_context="spawn" if n > 0 else None)\n',
    ),
    "a choice is told apart": (
        "f(num_workers=⟦n⟧, prefetch_factor=⟦4 if a else 2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=n, prefetch_factor=(4 if a else 2) if n > 0 else None)\n",
    ),
    "the worker count's own choice by platform": (
        "import sys\nf(num_workers=⟦0 if sys.platform == 'win32' else 4⟧, prefetch_factor=⟦4⟧)\n",
        prefetch_with_workers,
        "import sys\nf(num_workers=0 if sys.platform == 'win32' else 4,\n"
        "  prefetch_factor=None if sys.platform == 'win32' else 4)\n",
    ),
    "the worker count's own choice by platform, for a flag": (
        "import sys\nf(num_workers=⟦0 if sys.platform == 'win32' else 4⟧, persistent_workers=⟦True⟧)\n",
        persistent_with_workers,
        "import sys\nf(num_workers=0 if sys.platform == 'win32' else 4,\n"
        "  persistent_workers=sys.platform != 'win32')\n",
    ),
    "the worker count's own choice by something looked up": (
        "f(num_workers=⟦4 if args.fast else 0⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=4 if args.fast else 0, prefetch_factor=2 if args.fast else None)\n",
    ),
    "a worker count that is narrowed in the same run": (
        "import sys\nf(num_workers=⟦4⟧, prefetch_factor=⟦2⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), *prefetch_with_workers(at)],
        'import sys\nf(num_workers=0 if sys.platform == "win32" else 4,\n'
        '  prefetch_factor=None if sys.platform == "win32" else 2)\n',
    ),
    "a worker count that is looked up and narrowed in the same run": (
        "import sys\nf(num_workers=⟦n⟧, prefetch_factor=⟦2⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), *prefetch_with_workers(at)],
        'import sys\nf(num_workers=0 if sys.platform == "win32" else n,\n'
        '  prefetch_factor=2 if sys.platform != "win32" and n > 0 else None)\n',
    ),
    "a choice beside a worker count that is narrowed in the same run": (
        "import sys\nf(num_workers=⟦4⟧, prefetch_factor=⟦2 if a else None⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), *prefetch_with_workers(at)],
        'import sys\nf(num_workers=0 if sys.platform == "win32" else 4,\n'
        '  prefetch_factor=None if sys.platform == "win32" else (2 if a else None))\n',
    ),
    "a choice beside a worker count that is looked up and narrowed in the same run": (
        "import sys\nf(num_workers=⟦n⟧, prefetch_factor=⟦2 if a else None⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), *prefetch_with_workers(at)],
        'import sys\nf(num_workers=0 if sys.platform == "win32" else n,\n'
        '  prefetch_factor=(2 if a else None) if sys.platform != "win32" and n > 0 else None)\n',
    ),
    "a flag that is given beside a worker count that is narrowed in the same run": (
        "import sys\nf(num_workers=⟦n⟧, persistent_workers=⟦keep⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), *persistent_with_workers(at)],
        'import sys\nf(num_workers=0 if sys.platform == "win32" else n,\n'
        '  persistent_workers=sys.platform != "win32" and keep and n > 0)\n',
    ),
    "a flag of two beside a worker count that is narrowed in the same run": (
        "import sys\nf(num_workers=⟦4⟧, persistent_workers=⟦a and b⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), *persistent_with_workers(at)],
        'import sys\nf(num_workers=0 if sys.platform == "win32" else 4,\n'
        '  persistent_workers=False if sys.platform == "win32" else a and b)\n',
    ),
    "a worker count of two choices": (
        "f(num_workers=⟦0 if debug else n⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=0 if debug else n, prefetch_factor=2 if not debug and n > 0 else None)\n",
    ),
    "a worker count of one choice or another": (
        "f(num_workers=⟦0 if a or b else (4 if c or d else 0)⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=0 if a or b else (4 if c or d else 0),\n"
        "  prefetch_factor=2 if not (a or b) and (c or d) else None)\n",
    ),
    "a worker count chosen by one thing or another": (
        "f(num_workers=⟦0 if a or b else 4⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=0 if a or b else 4, prefetch_factor=None if a or b else 2)\n",
    ),
    "a worker count chosen by two things at once": (
        "f(num_workers=⟦4 if a and not b else 0⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=4 if a and not b else 0, prefetch_factor=2 if a and not b else None)\n",
    ),
    "a worker count that is set to 0 in the same run": (
        "f(num_workers=⟦4⟧, prefetch_factor=⟦2⟧)\n",
        lambda at: [*zero(at), *prefetch_with_workers(at)],
        "f(num_workers=0, prefetch_factor=None)\n",
    ),
    "a worker count that is made a number": (
        "f(num_workers=⟦int(opt.threads)⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=int(opt.threads), prefetch_factor=2 if int(opt.threads) > 0 else None)\n",
    ),
    "a worker count that is the least of several": (
        "f(num_workers=⟦min(n, len(rows), 8)⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=min(n, len(rows), 8),\n  prefetch_factor=2 if min(n, len(rows), 8) > 0 else None)\n",
    ),
    "a worker count that is worked out by arithmetic": (
        "f(num_workers=⟦max(1, (cfg.n or 8) // 2)⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=max(1, (cfg.n or 8) // 2),\n  prefetch_factor=2 if max(1, (cfg.n or 8) // 2) > 0 else None)\n",
    ),
    "a worker count chosen by whether there is CUDA": (
        "f(num_workers=⟦4 if torch.cuda.is_available() else 0⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=4 if torch.cuda.is_available() else 0,\n"
        "  prefetch_factor=2 if torch.cuda.is_available() else None)\n",
    ),
    "a worker count one arm of which is narrowed in the same run": (
        "import sys\nf(num_workers=⟦⟦4⟧ if torch.cuda.is_available() else 0⟧, prefetch_factor=⟦2⟧)\n",
        lambda at: [SetValue(at[1], 0, WINDOWS), OnlyWithWorkers(at[2], "prefetch_factor", None, at[0])],
        'import sys\nf(num_workers=4 if torch.cuda.is_available() and sys.platform != "win32" else 0,\n'
        '  prefetch_factor=2 if torch.cuda.is_available() and sys.platform != "win32" else None)\n',
    ),
    "a worker count one arm of which is narrowed after the option was mended": (
        "import sys\nf(num_workers=⟦0 if a or b else ⟦4⟧⟧, prefetch_factor=⟦None if a or b else 2⟧)\n",
        lambda at: [SetValue(at[1], 0, WINDOWS), OnlyWithWorkers(at[2], "prefetch_factor", None, at[0])],
        'import sys\nf(num_workers=0 if a or b or sys.platform == "win32" else 4,\n'
        '  prefetch_factor=None if a or b or sys.platform == "win32" else 2)\n',
    ),
    "a worker count one arm of which is narrowed, beside a choice by a part of its test": (
        "import sys\nf(num_workers=⟦⟦4⟧ if a and b else 0⟧, prefetch_factor=⟦2 if b else 3⟧)\n",
        lambda at: [SetValue(at[1], 0, WINDOWS), OnlyWithWorkers(at[2], "prefetch_factor", None, at[0])],
        'import sys\nf(num_workers=4 if a and b and sys.platform != "win32" else 0,\n'
        '  prefetch_factor=2 if a and b and sys.platform != "win32" else None)\n',
    ),
    "a worker count in the environment": (
        "f(num_workers=⟦int(os.environ.get('N', 2))⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=int(os.environ.get('N', 2)),\n"
        "  prefetch_factor=2 if int(os.environ.get('N', 2)) > 0 else None)\n",
    ),
    "a worker count above 0": (
        "f(num_workers=⟦4⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=4, prefetch_factor=2)\n",
    ),
    "an option that depends on it already": (
        "f(num_workers=⟦n⟧, prefetch_factor=⟦2 if n > 0 else None⟧)\n",
        prefetch_with_workers,
        "f(num_workers=n, prefetch_factor=2 if n > 0 else None)\n",
    ),
    "an option that depends on it in other words": (
        "f(num_workers=⟦c.n⟧, prefetch_factor=⟦None if c.n == 0 else c.p⟧)\n",
        prefetch_with_workers,
        "f(num_workers=c.n, prefetch_factor=None if c.n == 0 else c.p)\n",
    ),
    "a flag that depends on it in other words": (
        "f(num_workers=⟦c.n⟧, persistent_workers=⟦False if not c.n else c.p⟧)\n",
        persistent_with_workers,
        "f(num_workers=c.n, persistent_workers=False if not c.n else c.p)\n",
    ),
    "a flag that depends on something else, too": (
        "f(num_workers=⟦n⟧, persistent_workers=⟦False if 1 > n or debug else keep⟧)\n",
        persistent_with_workers,
        "f(num_workers=n, persistent_workers=False if 1 > n or debug else keep)\n",
    ),
    "an option that depends on another count": (
        "f(num_workers=⟦n⟧, prefetch_factor=⟦None if m == 0 else 2⟧)\n",
        prefetch_with_workers,
        "f(num_workers=n, prefetch_factor=(None if m == 0 else 2) if n > 0 else None)\n",
    ),
    "an option that is left out only where there are workers": (
        "f(num_workers=⟦n⟧, prefetch_factor=⟦2 if n == 0 else None⟧)\n",
        prefetch_with_workers,
        "f(num_workers=n, prefetch_factor=(2 if n == 0 else None) if n > 0 else None)\n",
    ),
    "an option that may depend on something else alone": (
        "f(num_workers=⟦n⟧, prefetch_factor=⟦2 if n > 0 or fast else None⟧)\n",
        prefetch_with_workers,
        "f(num_workers=n, prefetch_factor=(2 if n > 0 or fast else None) if n > 0 else None)\n",
    ),
    "a number that is not False without workers": (
        "f(num_workers=⟦n⟧, persistent_workers=⟦keep and n⟧)\n",
        persistent_with_workers,
        "f(num_workers=n, persistent_workers=keep and n and n > 0)\n",
    ),
    "a flag that depends on it already": (
        "f(num_workers=⟦n⟧, persistent_workers=⟦n > 0 and keep⟧)\n",
        persistent_with_workers,
        "f(num_workers=n, persistent_workers=n > 0 and keep)\n",
    ),
    "an option that is also set": (
        "f(num_workers=⟦n⟧, prefetch_factor=⟦16⟧)\n",
        lambda at: [SetValue(at[1], 4), *prefetch_with_workers(at)],
        "f(num_workers=n, prefetch_factor=4 if n > 0 else None)\n",
    ),
}


@pytest.mark.parametrize(("before", "edits", "after"), ONLY_WITH_WORKERS.values(), ids=ONLY_WITH_WORKERS)
def test_an_option_arrives_only_with_workers(before: str, edits: Edits, after: str) -> None:
    assert rewritten(before, edits) == Rewritten(after)


def test_a_suppression_goes_together_with_what_it_suppressed() -> None:
    before = "f(\n    n=4,\n    ⟦prefetch_factor=⟦2⟧⟧,\n    b=1,  ⟦# loaderlint: ignore[a]⟧\n)\n"
    result = rewritten(before, lambda at: [*drop_prefetch(at), RemoveIgnore(at[2], "a")])
    assert result == Rewritten("f(\n    n=4,\n    b=1,\n)\n")


def test_the_parser_that_keeps_layout_is_imported_when_it_is_needed() -> None:
    code = "import sys, loaderlint.writers; sys.exit('libcst' in sys.modules or 'ruamel.yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


REFUSED: Cases = {
    "a place without an expression": ("f(n⟦=⟧4)\n", zero, "no expression stands at train.py:1:4"),
    "the name of a keyword": ("f(⟦n⟧=4)\n", zero, "train.py does not parse"),
    "two constants": (
        "f(n=⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0), SetValue(at[0], 1)],
        "two edits contradict each other at train.py:1:5",
    ),
    "a constant that is also narrowed": (
        "f(n=⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), SetValue(at[0], 1)],
        "two edits contradict each other at train.py:1:5",
    ),
    "two constants for one platform": (
        "f(n=⟦4⟧)\n",
        lambda at: [SetValue(at[0], 0, WINDOWS), SetValue(at[0], 1, WINDOWS | MACOS)],
        "two edits contradict each other at train.py:1:5",
    ),
    "a value inside what is dropped": (
        "f(⟦prefetch_factor=g(⟦2⟧)⟧)\n",
        lambda at: [SetValue(at[1], 3), Drop(at[1], "prefetch_factor", None, at[0])],
        "two edits contradict each other at train.py:1:3",
    ),
    "a value inside what is overwritten": (
        "f(n=⟦min(⟦2⟧, 4)⟧)\n",
        lambda at: [SetValue(at[0], 0), SetValue(at[1], 1)],
        "two edits contradict each other at train.py:1:5",
    ),
    "a worker count that is the next of a queue": (
        "f(num_workers=⟦counts.get(0)⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "the worker count is worked out by an expression that may not be repeated",
    ),
    "a worker count that calls something": (
        "f(num_workers=⟦count()⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "the worker count is worked out by an expression that may not be repeated",
    ),
    "a worker count that is made a number of what something returns": (
        "f(num_workers=⟦int(count())⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "the worker count is worked out by an expression that may not be repeated",
    ),
    "a worker count chosen by a call": (
        "f(num_workers=⟦4 if fast() else 0⟧, prefetch_factor=⟦2⟧)\n",
        prefetch_with_workers,
        "the worker count is worked out by an expression that may not be repeated",
    ),
    "an option that is given already": (
        "⟦f(multiprocessing_context=None)⟧\n",
        add_spawn,
        "multiprocessing_context is given at train.py:1:1 already",
    ),
    "an option for what is no call": (
        "⟦f⟧\n",
        add_spawn,
        "multiprocessing_context cannot be added at train.py:1:1, which is no call",
    ),
    "an entry that is none": (
        "f(⟦prefetch_factor⟧=⟦2⟧)\n",
        drop_prefetch,
        "nothing that can be taken away stands at train.py:1:3",
    ),
    "a text that is no number": ('f(n=⟦"many"⟧)\n', make_integer, "'many' is no integer"),
    "a text of several lines that is no number": (
        "f(\n    n=⟦'many'\n    ' more'⟧)\n",
        make_integer,
        "'many more' is no integer",
    ),
    "an option that would depend on itself": (
        "f(n=⟦⟦n⟧⟧)\n",
        prefetch_with_workers,
        "two edits contradict each other at train.py:1:5",
    ),
    "an option with a type of its own": (
        "⟦p.add_argument('-j', type=count)⟧\n",
        make_integer,
        "the option is declared type=count already",
    ),
    "an option that may be a word": (
        "⟦p.add_argument('-j', choices=['4', 'auto'])⟧\n",
        make_integer,
        "'auto' is no integer",
    ),
    "an option that is one of what is not written there": (
        "p.add_argument('-j', default=⟦'4'⟧, choices=COUNTS)\n",
        make_integer,
        "the option is one of COUNTS, which may be texts",
    ),
    "the default of a choice of texts": (
        "@click.option('-j', type=click.Choice(['2', '4']), default=⟦'4'⟧)\ndef f(j): ...\n",
        make_integer,
        "the option is declared type=click.Choice(['2', '4']) already",
    ),
    "an option without a value": (
        "⟦p.add_argument('-j', action='store_true')⟧\n",
        make_integer,
        "the option takes no value, so it has no type",
    ),
    "a file in which int is something else": (
        "from numpy import int\nf(n=⟦x⟧)\n",
        make_integer,
        "the name int means something else in this file",
    ),
    "a file that gives any name another value": (
        "import sys\nfor key in sys.argv:\n    globals()[key] = 1\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "`globals()[key]` may give any name of the module another value, so sys may be something else",
    ),
    "a file that gives several names other values": (
        "import sys\nglobals().update(settings)\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "`globals().update(settings)` may give any name",
    ),
    "a file that runs a text": (
        "import sys\nexec(open(path).read())\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "`exec(open(path).read())` may give any name",
    ),
    "a file that runs a text among its names": (
        "import sys\ndef g(text):\n    exec(text, globals())\nf(n=⟦4⟧)\n",
        zero_on_windows,
        "`exec(text, globals())` may give any name",
    ),
    "a file in which no name for sys is free": (
        "def f(sys, _sys):\n    return ⟦4⟧\n",
        zero_on_windows,
        "the names sys and _sys both mean something else here",
    ),
    "quotation marks inside an f-string": (
        "import sys\nprint(f'{⟦n⟧}')\n",
        zero_on_windows,
        "train.py:2:10 stands inside an f-string",
    ),
    "a generator that would need parentheses": (
        "⟦f(x for x in y)⟧\n",
        add_spawn,
        "Generator expression must be parenthesized",
    ),
    "a name that no comment has": (
        "f()  ⟦# loaderlint: ignore[a]⟧\n",
        lambda at: [RemoveIgnore(at[0], "b")],
        "the comment does not name b",
    ),
    "a file that does not parse": ("f(n=⟦4⟧\n", zero, "train.py does not parse"),
}


@pytest.mark.parametrize(("before", "edits", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_exactly_is_refused(before: str, edits: Edits, reason: str) -> None:
    with pytest.raises(CannotRewrite) as refusal:
        rewritten(before, edits)
    assert reason in str(refusal.value)


@pytest.mark.parametrize("depth", [600, 20_000])
def test_a_file_nested_too_deeply_is_refused(depth: int) -> None:
    with pytest.raises(CannotRewrite, match=r"nested too deeply|does not parse"):
        rewritten(f"n = ⟦4⟧{' + 1' * depth}\n", zero)


@pytest.mark.parametrize(
    "text",
    [
        "x: '{}'",
        "def f(x: '{}'): pass",
        "def f() -> '{}': pass",
        "x = typing.cast('{}', 1)",
        "T = typing.TypeVar('T', bound='{}')",
        "T = typing.NewType('T', '{}')",
        "T = typing.NamedTuple('T', [('a', '{}')])",
        "T = typing.TypedDict('T', {{'a': '{}'}})",
    ],
)
def test_an_annotation_nested_too_deeply_is_refused(text: str) -> None:
    # libcst's own parser ends the process here.
    with pytest.raises(CannotRewrite, match="nested too deeply"):
        rewritten(f"import typing\nn = ⟦4⟧\n{text.format('.'.join('a' * 50_000))}\n", zero)
