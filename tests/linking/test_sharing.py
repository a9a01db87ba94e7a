"""Written values that also serve something else than loaders."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loader_of, traced

POOL = "from concurrent.futures import ThreadPoolExecutor\n"
PARSER = """
import argparse
from concurrent.futures import ThreadPoolExecutor
parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=⟦8⟧)
args = parser.parse_args()
DataLoader(data, num_workers=args.workers)
"""
FIELDS = """
from dataclasses import dataclass
from concurrent.futures import ThreadPoolExecutor
@dataclass
class Settings:
    workers: int = ⟦8⟧
settings = Settings()
DataLoader(data, num_workers=settings.workers)
"""
READS = (
    f"{IMPORT}{POOL}import yaml\ncfg = yaml.safe_load(open('x.yaml'))\nDataLoader(data, num_workers=cfg['workers'])\n"
)
PARAMETER = f"{POOL}def load(data, workers=⟦8⟧):\n    loader = DataLoader(data, num_workers=workers)\n"

UNSEEN = {
    "taken last": "n = cfg.popitem()\n",
    "taken by its place": "ThreadPoolExecutor(sorted(cfg.items())[0][1])\n",
    "reduced to": "from operator import getitem\nThreadPoolExecutor(reduce(getitem, path(), cfg))\n",
    "read from a copy": "import json\nThreadPoolExecutor(json.loads(json.dumps(cfg))[name()])\n",
    "taken with its key": "ThreadPoolExecutor(max(zip(cfg.values(), cfg)))\n",
    "under a key of its own": "key = [one for one in cfg if one][0]\nn = cfg[key] * 3\n",
}
"""What reads any value of a dictionary without its key."""

SHARED: Cases = {
    **{
        f"a key that is {how}": ({"main.py": READS + program, "x.yaml": "workers: ⟦8⟧\n"}, {"8 shared"})
        for how, program in UNSEEN.items()
    },
    "what another loader gets if it takes that": (
        {
            "main.py": READS + "DataLoader(data, **{key: one for key, one in cfg.items() if key in taken()})\n",
            "x.yaml": "workers: ⟦8⟧\nnum_workers: 2\n",
        },
        {"8 shared", "open"},
    ),
    "what another loader may get by a dictionary that nobody sees through": (
        {
            "main.py": READS + "DataLoader(data, **{key: cfg[key] for key in kept(cfg)})\n",
            "x.yaml": "workers: ⟦8⟧\nnum_workers: 2\n",
        },
        {"8 shared", "open"},
    ),
    "a flag that another loader may get with all others": (
        PARSER + "DataLoader(data, **dict(args._get_kwargs()))\n",
        {"8 shared", "open"},
    ),
    "a key that becomes a name": (
        {"main.py": READS + "globals().update(cfg)\nThreadPoolExecutor(workers)\n", "x.yaml": "workers: ⟦8⟧\n"},
        {"8 shared"},
    ),
    "a key that a function gets": (
        {
            "main.py": READS + "from operator import itemgetter\nThreadPoolExecutor(itemgetter('workers')(cfg))\n",
            "x.yaml": "workers: ⟦8⟧\n",
        },
        {"8 shared"},
    ),
    "a field of a named tuple, which has a place as well": (
        "from typing import NamedTuple\nclass Settings(NamedTuple):\n    workers: int = ⟦8⟧\n"
        "DataLoader(data, num_workers=Settings().workers)\nn, = Settings()\n",
        {"8 shared"},
    ),
    "a field of what is made a tuple": (
        f"{FIELDS}from dataclasses import astuple\nprint(sum(astuple(settings)))\n",
        {"8 shared"},
    ),
    "a field that a pattern asks for": (
        f"{FIELDS}match settings:\n    case Settings(workers=n):\n        ThreadPoolExecutor(n)\n",
        {"8 shared"},
    ),
    "a constant": (f"{POOL}N = ⟦8⟧\nDataLoader(data, num_workers=N)\nThreadPoolExecutor(N)", {"8 shared"}),
    "a constant that another file gives away": (
        {
            "settings.py": "N = ⟦8⟧\n",
            "main.py": f"{IMPORT}{POOL}import settings\nDataLoader(data, num_workers=settings.N)\n"
            "ThreadPoolExecutor(max_workers=settings.N)\n",
        },
        {"8 shared"},
    ),
    "a member of an enumeration": (
        "from enum import IntEnum\nclass Workers(IntEnum):\n    NONE = 0\n    SOME = ⟦8⟧\n"
        "DataLoader(data, num_workers=Workers.SOME)\n",
        {"8 shared"},
    ),
    "a flag that is read by another name than its own": (
        PARSER.replace("type=", "dest='n', type=").replace("args.workers", "args.n") + "ThreadPoolExecutor(args.n)\n",
        {"8 shared", "open"},
    ),
    "a flag's default": (f"{PARSER}ThreadPoolExecutor(args.workers)", {"8 shared", "open"}),
    "a field's default": (f"{FIELDS}ThreadPoolExecutor(settings.workers)", {"8 shared"}),
    "a key of a file": (
        {"main.py": f"{READS}ThreadPoolExecutor(cfg['workers'])\n", "x.yaml": "workers: ⟦8⟧\n"},
        {"8 shared"},
    ),
    "a parameter's default": (f"{PARAMETER}    ThreadPoolExecutor(workers)\nload(1)", {"8 shared"}),
    "a constant that ends the program": (
        "import sys\nN = ⟦8⟧\nif N == 0:\n    sys.exit()\nDataLoader(data, num_workers=N)",
        {"8 shared"},
    ),
    "a flag that is asserted": (f"{PARSER}assert args.workers > 0", {"8 shared", "open"}),
    "a flag that a function checks": (
        f"{PARSER}def check(given):\n    if given.workers < 1:\n        raise ValueError(given)\ncheck(args)",
        {"8 shared", "open"},
    ),
    "a flag that is waited for": (f"{PARSER}while not args.workers:\n    pass", {"8 shared", "open"}),
    "a flag that chooses what is run": (f"{PARSER}train() if args.workers else None", {"8 shared", "open"}),
    "a field that is checked where the object is made": (
        FIELDS.replace("⟦8⟧", "⟦8⟧\n    def __post_init__(self):\n        assert self.workers > 0"),
        {"8 shared"},
    ),
    "a field of a narrow type": (
        FIELDS.replace(": int", ": PositiveInt"),
        {"8 shared"},
    ),
    "a flag of a range": (
        """
        import click
        @click.command()
        @click.option("--workers", type=click.IntRange(1, 8), default=⟦8⟧)
        def main(workers):
            DataLoader(data, num_workers=workers)
        """,
        {"8 shared", "open"},
    ),
    "a key that is checked": (
        {"main.py": f"{READS}if cfg['workers'] < 1:\n    raise SystemExit\n", "x.yaml": "workers: ⟦8⟧\n"},
        {"8 shared"},
    ),
    "what a caller gives": (
        f"{PARAMETER.replace('=⟦8⟧', '')}    ThreadPoolExecutor(workers)\nload(1, ⟦8⟧)",
        {"8 shared"},
    ),
}

ASKED = {
    "a match": "match args.workers:\n    case 0:\n        raise SystemExit\n    case _:\n        pass",
    "a match of two": "match args.workers, args.mode:\n    case 0, 'fit':\n        raise SystemExit",
    "the guard of a case": "match mode:\n    case 'fit' if args.workers > 0:\n        warm_up()",
    "the if of a comprehension": "chosen = [one for one in data if args.workers]",
    "and": "args.workers and warm_up()",
    "or": "pool = args.workers or warm_up()",
    "not": "alone = not args.workers",
    "a name that says whether": "some = args.workers > 0\nif some:\n    warm_up()",
    "a key": "{0: warm_up, 8: train}[args.workers]()",
    "a slice": "names = names[:args.workers]",
    "another option": "if args.workers > 0:\n    batch_size = 64",
    "another option among its own": "if args.workers > 0:\n    options = dict(prefetch_factor=4, batch_size=64)",
    "something of an option's name": "if args.workers > 0:\n    connection.timeout = 30",
    "a function of the program that is called as one of Python's": (
        "def format(disk):\n    ...\nif args.workers == 0:\n    format(disk)"
    ),
    "a function called as a method of loggers": "if args.workers == 0:\n    debug()",
    "a method of the program that is called as one of loggers": (
        "class Disk:\n    def debug(self):\n        ...\nif args.workers == 0:\n    Disk().debug()"
    ),
    "a logarithm": "import math\nprint(math.log(args.workers))\nmath.log(args.workers)",
}
GIVEN = {
    "the size of a batch": "batch_size=64 if args.workers > 0 else 8",
    "a multiple of it": "batch_size=8 * args.workers",
    "the order": "shuffle=args.workers > 1",
    "both": "**(dict(timeout=9, batch_size=64) if args.workers > 0 else {})",
}
GIVES_MORE = {
    "an option that is taken out of something": (
        "settings = {'timeout': 9}\ntimeout = 0\nif args.workers > 0:\n    timeout = settings.pop('timeout')"
    ),
    "an option that something else is, too": "timeout = 0\nif args.workers > 0:\n    timeout = limit = 9",
    "an option that is given away, too": (
        "import socket\ntimeout = 0\nif args.workers > 0:\n    timeout = 9\nsocket.setdefaulttimeout(timeout)"
    ),
    "an option that is given away, too, in one line": (
        "import socket\ntimeout = 9 if args.workers > 0 else 0\nsocket.setdefaulttimeout(timeout)"
    ),
    "an option beside what is none": "timeout = 0\nif args.workers > 0:\n    timeout, limit = PAIR = 9, 64",
}
ONLY_WORKERS = {
    "two by name": "timeout, factor = 0, None\nif args.workers > 0:\n    timeout, factor = 9, 4\n"
    "options = dict(timeout=timeout, prefetch_factor=factor)",
    "a match": "options = {}\nmatch args.workers:\n    case 0:\n        pass\n    case _:\n"
    "        options['timeout'] = 9",
    "and": "options = dict(persistent_workers=args.workers > 0 and not args.debug)",
    "or": "options = dict(timeout=args.workers and 9 or 0)",
    "not": "options = dict(persistent_workers=not not args.workers)",
    "two at once": "options = dict(timeout=9, prefetch_factor=4) if args.workers > 0 else {}",
    "two in an update": "options = {}\nif args.workers:\n    options.update(timeout=9, prefetch_factor=4)",
    "what is shown": "import logging\nfrom warnings import warn\noptions = {}\nif args.workers > 4:\n"
    "    warn('many')\n    logging.getLogger().warning('many')",
}

HANDED_ON = {
    "the smaller of two": "ThreadPoolExecutor(min(args.workers, 8))",
    "the larger of two, computed with": "ThreadPoolExecutor(8 * max(args.workers, 1))",
    "a multiple of it that is kept": "many = max(args.workers, 1) * 1000",
    "the larger of two, by a name": "threads = max(args.workers, 1)\nThreadPoolExecutor(threads)",
    "one of several": "threads, retries = args.workers, 2\nThreadPoolExecutor(threads)",
    "a turn of a loop": "for threads in [args.workers, 1]:\n    ThreadPoolExecutor(threads)",
    "what a function returns": "def threads():\n    return args.workers\nThreadPoolExecutor(threads())",
    "a key": "settings = {'threads': args.workers}\nThreadPoolExecutor(settings['threads'])",
    "an argument of a library's object": (
        "from types import SimpleNamespace\nsettings = SimpleNamespace(threads=args.workers)\n"
        "ThreadPoolExecutor(settings.threads)"
    ),
    "a call made later": "from functools import partial\npool = partial(ThreadPoolExecutor, args.workers)",
    "names in a row": "".join(f"n{one + 1} = n{one}\n" for one in range(30)).replace("n0", "args.workers")
    + "ThreadPoolExecutor(n30)",
    "more names than are followed": "".join(f"n{one + 1} = n{one}\n" for one in range(200)).replace(
        "n0", "args.workers"
    ),
}
TEXTS = {
    "a percent sign": "import os\nos.system('make -j%d' % args.workers)",
    "one of several": "import os\nos.system('make -C %s -j%d' % (args.folder, args.workers))",
    "a method of a text": "import os\nos.system('make -j{}'.format(args.workers))",
    "a part of a text": "import os\nos.system('make ' + f'-j{args.workers}')",
    "an argument of a command": "import subprocess\nsubprocess.run(['make', f'-j{args.workers}'])",
    "a text of several": "import os\nos.system(' '.join(['make', f'-j{args.workers}']))",
    "what a function returns": "import os\ndef make():\n    return f'make -j{args.workers}'\nos.system(make())",
    "what a lambda gives": "import os\nmake = lambda: f'make -j{args.workers}'\nos.system(make())",
    "what a generator gives": "import os\ndef make():\n    yield f'make -j{args.workers}'\nos.system(*make())",
    "a value of a dictionary": "import os\nmake = {'all': f'make -j{args.workers}'}\nos.system(make['all'])",
    "a variable of the environment": "import os\nos.environ['OMP_NUM_THREADS'] = f'{args.workers}'",
    "a default of the environment": "import os\nos.environ.setdefault('OMP_NUM_THREADS', f'{args.workers}')",
}
ONLY_TEXTS = {
    "printed": "print('%d workers' % args.workers, f'{args.workers}', '{}'.format(args.workers))",
    "logged": "import logging\nlogging.error(f'{args.workers} workers')\nlog.info('{}'.format(args.workers))",
    "written": "open('run.txt', 'w').write(f'{args.workers}')",
    "raised": "if args.other:\n    raise ValueError(f'{args.workers} workers')",
    "shown to who calls": "import sys\nsys.exit('%d workers' % args.workers)",
    "shown of an object": "class Run:\n    def __repr__(self):\n        return f'{args.workers} workers'\nprint(Run())",
    "kept": "name = f'run-{args.workers}'",
    "given to a function of the program": "def show(text):\n    print(text)\nshow(f'{args.workers}')",
}
BY_VALUE = {
    "a parameter": (
        "def run(start, count):\n    start(count)\ndef begin(threads):\n    ThreadPoolExecutor(threads)\n"
        "run(begin, args.workers)"
    ),
    "a method by another name": (
        "class Pools:\n    def grow(self, count):\n        ThreadPoolExecutor(count)\n"
        "grow = Pools().grow\ngrow(args.workers)"
    ),
    "a function in a dictionary": (
        "def begin(threads):\n    ThreadPoolExecutor(threads)\nWAYS = {'begin': begin}\nWAYS['begin'](args.workers)"
    ),
    "an object": (
        "class Pools:\n    def __call__(self, count):\n        ThreadPoolExecutor(count)\n"
        "pools = Pools()\npools(args.workers)"
    ),
    "a new object": (
        "class Pools:\n    def __call__(self, count):\n        ThreadPoolExecutor(count)\nPools()(args.workers)"
    ),
    "a call kept for later": (
        "from functools import partial\ndef begin(name, threads):\n    ThreadPoolExecutor(threads)\n"
        "later = partial(begin, 'a')\nlater(args.workers)"
    ),
}
UNFOLLOWED = {
    "what a generator gives": "def counts(given):\n    yield given.workers\n"
    "for one in counts(args):\n    ThreadPoolExecutor(one)",
    "what is put into a list": "counts = []\ncounts.append(args.workers)\nThreadPoolExecutor(counts[0])",
    "what a method of the program's name puts into a list": "class Log:\n    def append(self, line):\n        ...\n"
    "counts = []\ncounts.append(args.workers)\nThreadPoolExecutor(counts[0])",
    "one of what a function returns": "def both(given):\n    return given.workers, 1\n"
    "ThreadPoolExecutor(both(args)[0])",
    "what is taken out of what a function returns": "def both(given):\n    return [1, given.workers]\n"
    "ThreadPoolExecutor(both(args).pop())",
    "what is taken out of a list": "counts = [args.workers, 1]\nThreadPoolExecutor(counts.pop(0))",
    "a sum": "count = 0\ncount += args.workers\nThreadPoolExecutor(count)",
    "a name of the module": "count = 1\ndef begin():\n    ThreadPoolExecutor(count)\ndef main():\n    global count\n"
    "    count = args.workers\n    begin()\nmain()",
    "an attribute that a pattern names": "match args:\n    case argparse.Namespace(workers=count):\n"
    "        ThreadPoolExecutor(count)",
}
POOLS = """
class Pools:
    def __init__(self, threads):
        self.threads = threads
    def grow(self, count):
        self.threads = count
    def run(self):
        ThreadPoolExecutor(self.threads)
"""
BY_POSITION = {
    "a class": f"{POOLS}Pools(args.workers).run()",
    "a class that inherits its constructor": f"{POOLS}class Wide(Pools):\n    ...\nWide(args.workers).run()",
    "a class of a base of its name": f"import base\n{POOLS.replace('Pools', 'Pools(base.Pools)')}Pools(args.workers)",
    "a constructor of a base": (
        f"{POOLS}class Wide(Pools):\n    def __init__(self, count):\n        Pools.__init__(self, count)\n"
        "Wide(count=args.workers).run()"
    ),
    "a class by another name": f"{POOLS}Wide = Pools\nWide(args.workers).run()",
    "a function by another name": (
        "def run(threads):\n    ThreadPoolExecutor(threads)\nlater = run\nlater(args.workers)"
    ),
    "a method called on its class": f"{POOLS}pools = Pools(1)\nPools.grow(pools, args.workers)\npools.run()",
    "a method called later": (
        f"from functools import partial\n{POOLS}pools = Pools(1)\npartial(pools.grow, args.workers)()\npools.run()"
    ),
    "a lambda": "begin = lambda threads: ThreadPoolExecutor(threads)\nbegin(args.workers)",
    "the default of a lambda": "begin = lambda threads=args.workers: ThreadPoolExecutor(threads)\nbegin()",
    "the default of a function": ("def begin(threads=args.workers):\n    ThreadPoolExecutor(threads)\nbegin()"),
    "a base of a name that another class has": (
        f"{POOLS}class Wide(Pools):\n    ...\nclass Other:\n    class Pools:\n        ...\nWide(args.workers).run()"
    ),
    "the maker before the constructor": (
        "class Pool:\n    def __new__(cls, threads):\n        ThreadPoolExecutor(threads)\n"
        "        return object.__new__(cls)\n    def __init__(self, given):\n        ...\nPool(args.workers)"
    ),
    "a method that calls its object by another name": (
        f"{POOLS.replace('self, count', 'this, count').replace('self.threads = count', 'this.threads = count')}"
        "pools = Pools(1)\npools.grow(args.workers)\npools.run()"
    ),
    "a method of a class": (
        "class Pool:\n    @classmethod\n    def begin(kind, threads):\n        ThreadPoolExecutor(threads)\n"
        "Pool.begin(args.workers)"
    ),
    "a method that is no object's": (
        "class Pool:\n    @staticmethod\n    def begin(threads, name):\n        ThreadPoolExecutor(threads)\n"
        "Pool().begin(args.workers, 'a')"
    ),
    "a method of the class of an object": (
        "class Pools:\n    def grow(self, count, wait=True):\n        ThreadPoolExecutor(count)\n"
        "pools = Pools()\ntype(pools).grow(pools, args.workers)"
    ),
    "any number": "def begin(*counts):\n    ThreadPoolExecutor(counts[0])\nbegin(args.workers)",
    "one of a splat": ("def begin(name, threads):\n    ThreadPoolExecutor(threads)\nbegin(*['a', args.workers])"),
    "a tuple with names": (
        "from collections import namedtuple\nPool = namedtuple('Pool', 'threads name')\n"
        "ThreadPoolExecutor(Pool(args.workers, 'a').threads)"
    ),
    "a class that inherits from a library's": "class Pool(ThreadPoolExecutor):\n    ...\nPool(args.workers)",
    "a field": "@dataclass\nclass Pool:\n    threads: int\npool = Pool(args.workers)\nThreadPoolExecutor(pool.threads)",
    "a field after inherited ones": (
        "@dataclass\nclass Named:\n    name: str\n@dataclass\nclass Pool(Named):\n    threads: int\n"
        "pool = Pool('a', args.workers)\nThreadPoolExecutor(pool.threads)"
    ),
}
NOTES = """
class Other:
    class Notes:
        ...
class Notes:
    def __init__(self, count):
        print(count)
    def add_one(this, count):
        print(count)
    @classmethod
    def begin(kind, count):
        print(count)
    @staticmethod
    def show(count):
        print(count)
"""
ONLY_SHOWN = {
    "a method": "notes.add_one(args.workers)",
    "a method by another name": "later = notes.add_one\nlater(args.workers)",
    "a method called on its class": "Notes.add_one(notes, args.workers)",
    "a method of a class": "Notes.begin(args.workers)",
    "a method that is no object's": "notes.show(args.workers)",
    "a class": "Notes(args.workers)",
    "a class by name": "Notes(count=args.workers)",
    "a class that inherits its constructor": "class More(Notes):\n    ...\nMore(args.workers)",
    "a call made later": "from functools import partial\npartial(notes.add_one, count=args.workers)()",
    "what takes any name": "def show(**given):\n    print(given)\nshow(threads=args.workers)",
}
FLAGS = """
import argparse
from concurrent.futures import ThreadPoolExecutor
{}
parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=N{})
parser.add_argument("--eval-threads", type=int, default={})
args = parser.parse_args()
DataLoader(data, num_workers=args.workers)
ThreadPoolExecutor(args.eval_threads)
"""


@pytest.mark.parametrize("goes_on", HANDED_ON.values(), ids=HANDED_ON.keys())
def test_a_value_that_goes_on_by_other_names(goes_on: str) -> None:
    assert traced(f"{PARSER}{goes_on}") == {"8 shared", "open"}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_value_in_a_text_that_something_is_done_with(text: str) -> None:
    assert traced(f"{PARSER}{text}") == {"8 shared", "open"}


@pytest.mark.parametrize("text", ONLY_TEXTS.values(), ids=ONLY_TEXTS.keys())
def test_a_value_in_a_text_that_is_only_read(text: str) -> None:
    assert traced(f"{PARSER}{text}") == {"8", "open"}


def test_a_constant_in_a_text() -> None:
    constant = "import os\nN = ⟦8⟧\nDataLoader(data, num_workers=N)\n"
    assert traced(f"{constant}os.system(f'make -j{{N}}')") == {"8 shared"}
    assert traced(f"{constant}print(f'{{N}} workers')\nname = f'run-{{N}}'") == {"8"}


@pytest.mark.parametrize("called", BY_VALUE.values(), ids=BY_VALUE.keys())
def test_a_value_given_to_what_is_called_by_a_value(called: str) -> None:
    assert traced(f"{PARSER}{called}") == {"8 shared", "open"}


@pytest.mark.parametrize("goes_on", UNFOLLOWED.values(), ids=UNFOLLOWED.keys())
def test_a_value_that_goes_on_in_ways_that_hide_it(goes_on: str) -> None:
    assert traced(f"{PARSER}{goes_on}") == {"8 shared", "open"}


@pytest.mark.parametrize("goes_on", BY_POSITION.values(), ids=BY_POSITION.keys())
def test_a_value_that_a_class_of_the_program_takes_by_position(goes_on: str) -> None:
    imports = "from dataclasses import dataclass\n"
    assert traced(f"{imports}{PARSER}{goes_on}") == {"8 shared", "open"}


@pytest.mark.parametrize("goes_on", ONLY_SHOWN.values(), ids=ONLY_SHOWN.keys())
def test_a_value_that_the_program_only_shows_where_it_takes_it(goes_on: str) -> None:
    assert traced(f"{PARSER}{NOTES}notes = Notes(4)\n{goes_on}") == {"8", "open"}


def test_a_value_that_a_class_imported_by_another_name_takes() -> None:
    main = (
        f"from pools import Pools as Wide\n{IMPORT}{PARSER}pools = Wide(1)\nWide.grow(pools, args.workers)\npools.run()"
    )
    assert traced({"main.py": main, "pools.py": f"{POOL}{POOLS}"}) == {"8 shared", "open"}


def test_the_default_of_two_flags() -> None:
    assert traced(FLAGS.format("N = ⟦8⟧", "", "N")) == {"8 shared", "open"}
    assert traced(FLAGS.format("N = ⟦8⟧", ', help="at most %d" % N', 4)) == {"8", "open"}
    key = FLAGS.format("import yaml\ncfg = yaml.safe_load(open('x.yaml'))", "", "N").replace("=N", "=cfg['workers']")
    assert traced({"main.py": f"{IMPORT}{key}", "x.yaml": "workers: ⟦8⟧\n"}) == {"8 shared", "open"}


@pytest.mark.parametrize("asks", ASKED.values(), ids=ASKED.keys())
def test_what_else_depends_on_the_answer_to_a_test(asks: str) -> None:
    assert traced(f"{PARSER}{asks}") == {"8 shared", "open"}


@pytest.mark.parametrize("gives", GIVES_MORE.values(), ids=GIVES_MORE.keys())
def test_what_a_test_gives_besides_an_option(gives: str) -> None:
    loader = "DataLoader(data, num_workers=args.workers"
    assert traced(PARSER.replace(f"{loader})", f"{gives}\n{loader}, timeout=timeout)")) == {"8 shared", "open"}


def test_an_option_that_is_read_more_often_than_is_followed() -> None:
    reads = "DataLoader(data, num_workers=8)\nuse(of_another.num_workers)\n"
    assert not loader_of(reads).num_workers.read_back()
    assert loader_of(reads + "use(of_another.num_workers)\n" * 1000).num_workers.read_back()


def test_one_of_many_reads() -> None:
    others = "".join(
        f"def check{one}(pool):\n    if pool.workers == {one}:\n        raise ValueError\n" for one in range(70)
    )
    assert traced(f"{PARSER}{others}") == {"8", "open"}
    assert traced(f"{PARSER}{others}if args.workers < 1:\n    raise ValueError") == {"8 shared", "open"}


@pytest.mark.parametrize("option", GIVEN.values(), ids=GIVEN.keys())
def test_a_count_that_other_options_are_made_of(option: str) -> None:
    program = PARSER.replace("=args.workers)", f"=args.workers, {option})")
    assert traced(program) == {"8 shared", "open"}


@pytest.mark.parametrize("before", ONLY_WORKERS.values(), ids=ONLY_WORKERS.keys())
def test_no_more_than_worker_options_depends_on_the_answer_to_a_test(before: str) -> None:
    loader = "DataLoader(data, num_workers=args.workers"
    assert traced(PARSER.replace(f"{loader})", f"{before}\n{loader}, **options)")) == {"8", "open"}


NOT_SHARED: Cases = {
    **{
        f"what stands beside a dictionary of which a key is {how}": (
            {"main.py": READS + program.replace("cfg", "cfg['part']"), "x.yaml": "workers: ⟦8⟧\npart:\n  n: 2\n"},
            {"8"},
        )
        for how, program in UNSEEN.items()
    },
    "a dictionary that is only written": (
        {"main.py": READS + "import json\nprint(json.dumps(cfg))\n", "x.yaml": "workers: ⟦8⟧\n"},
        {"8"},
    ),
    "a dictionary of which another key is read by a name": (
        {"main.py": READS + "key = 'n'\nm = cfg[key] * 3\n", "x.yaml": "workers: ⟦8⟧\nn: 2\n"},
        {"8"},
    ),
    "what stands beside what another loader gets if it takes that": (
        {
            "main.py": READS + "DataLoader(data, **{key: one for key, one in cfg['part'].items() if key in taken()})\n",
            "x.yaml": "workers: ⟦8⟧\npart:\n  num_workers: 2\n",
        },
        {"8", "open"},
    ),
    "what stands beside what another loader may get": (
        {
            "main.py": READS + "DataLoader(data, **{key: cfg['part'][key] for key in kept(cfg['part'])})\n",
            "x.yaml": "workers: ⟦8⟧\npart:\n  num_workers: 2\n",
        },
        {"8", "open"},
    ),
    "a key of another dictionary that becomes a name": (
        {"main.py": READS + "globals().update(other())\nThreadPoolExecutor(n)\n", "x.yaml": "workers: ⟦8⟧\n"},
        {"8"},
    ),
    "another key that a function gets": (
        {
            "main.py": READS + "from operator import itemgetter\nThreadPoolExecutor(itemgetter('n')(cfg))\n",
            "x.yaml": "workers: ⟦8⟧\nn: 2\n",
        },
        {"8"},
    ),
    "a field where another class is asked for by a pattern": (
        f"{FIELDS}match settings:\n    case Others(workers=n):\n        print(n)\n",
        {"8"},
    ),
    "a field where a list has a method of such a name": (f"{FIELDS}print(data.astuples())\n", {"8"}),
    "an attribute of a class that counts nothing": (
        "class Workers:\n    NONE = 0\n    SOME = ⟦8⟧\nDataLoader(data, num_workers=Workers.SOME)\n",
        {"8"},
    ),
    "a flag whose short form is a name with many others": (
        PARSER.replace('add_argument("', 'add_argument("-j", "')
        + "".join(f"name{one} = {f'name{one - 1}' if one else 'j'}\n" for one in range(150)),
        {"8", "open"},
    ),
    "a flag for two loaders": (
        f"{PARSER}DataLoader(data, num_workers=args.workers)\nThreadPoolExecutor(4)",
        {"8", "open"},
    ),
    "a flag that is printed and compared": (
        f"{PARSER}print(args.workers)\nif args.workers > 4:\n    print('many')",
        {"8", "open"},
    ),
    "a flag that says which options the loader gets": (
        PARSER.replace(
            "num_workers=args.workers)",
            "num_workers=args.workers, persistent_workers=args.workers > 0, timeout=9 if args.workers else 0)",
        ),
        {"8", "open"},
    ),
    "a flag that fills the loader's options": (
        PARSER.replace(
            "DataLoader(data, num_workers=args.workers)",
            "options = {}\nif args.workers > 0:\n    options['persistent_workers'] = True\n"
            "    options.update(prefetch_factor=4)\nDataLoader(data, num_workers=args.workers, **options)",
        ),
        {"8", "open"},
    ),
    "a flag that may be left out": (f"{PARSER}if args.workers is None:\n    raise ValueError", {"8", "open"}),
    "a flag beside another that is given away": (
        f"parser_of_another = 4\n{PARSER}ThreadPoolExecutor(args.threads)",
        {"8", "open"},
    ),
    "a field of the same name": (
        f"{FIELDS}class Other:\n    workers = 2\nThreadPoolExecutor(Other.workers)",
        {"8"},
    ),
    "a key of the same name under another": (
        {
            "main.py": f"{READS}ThreadPoolExecutor(cfg['pool']['workers'])\n",
            "x.yaml": "workers: ⟦8⟧\npool:\n  workers: 2\n",
        },
        {"8"},
    ),
    "a parameter that goes on to another loader": (
        f"{PARAMETER}    both(workers)\ndef both(n):\n    DataLoader(1, num_workers=n)\nload(1)",
        {"8"},
    ),
    "a flag beside another that a class takes by position": (
        f"{PARSER}class Pool:\n    def __init__(self, name, threads):\n        ThreadPoolExecutor(threads)\n"
        "Pool(args.workers, 4)\nPool(name='a', threads=4)",
        {"8", "open"},
    ),
    "a flag kept in a dictionary of options": (
        f"{PARSER}options = dict(num_workers=args.workers)\nDataLoader(data, **options)",
        {"8", "open"},
    ),
}


FLAG = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--workers", default=⟦8⟧, {})
DataLoader(data, num_workers=parser.parse_args().workers)
"""
OPTION = """
import click
@click.command()
@click.option("--workers", default=⟦8⟧, {})
def main(workers):
    DataLoader(data, num_workers=workers)
"""
FIELD = """
from dataclasses import dataclass
@dataclass
class Settings:
    workers: {} = ⟦8⟧
DataLoader(data, num_workers=Settings().workers)
"""
MODEL = """
from pydantic import BaseModel, Field
class Settings(BaseModel):
    workers: int = Field(⟦8⟧, {})
DataLoader(data, num_workers=Settings().workers)
"""
CHECKED = """
import attrs
@attrs.define
class Settings:
    workers: int = attrs.field(default=⟦8⟧, validator={})
DataLoader(data, num_workers=Settings().workers)
"""
PARAMETER_OF = """
def load(workers: {} = ⟦8⟧):
    DataLoader(data, num_workers=workers)
load()
"""
ABSL = """
from absl import flags
flags.DEFINE_integer("workers", ⟦8⟧, "of each loader", {})
DataLoader(data, num_workers=flags.FLAGS.workers)
"""

DECLARED = {
    "argparse, choices": (FLAG, "type=int, choices=[1, 2, 8]", True),
    "argparse, choices that no test can tell": (FLAG, "type=int, choices=COUNTS", True),
    "argparse, choices with half a worker": (FLAG, 'type=int, choices=[8, 10, "a0", 0.5]', True),
    "argparse, choices with 0": (FLAG, "type=int, choices=[0, 8]", False),
    "argparse, choices counted from 1": (FLAG, "type=int, choices=range(1, 9)", True),
    "argparse, choices counted from 0": (FLAG, "type=int, choices=range(9)", False),
    "argparse, choices counted into a list": (FLAG, "type=int, choices=list(range(9))", False),
    "argparse, a positive type": (FLAG, "type=PositiveInt", True),
    "argparse, a type": (FLAG, "type=int", False),
    "click, from 1": (OPTION, "type=click.IntRange(1, 8)", True),
    "click, min": (OPTION, "type=click.IntRange(min=1)", True),
    "click, from 0": (OPTION, "type=click.IntRange(0, 8)", False),
    "click, above 0": (OPTION, "type=click.IntRange(min_open=True, min=0)", True),
    "click, no least": (OPTION, "type=click.IntRange(max=8)", False),
    "click, a choice": (OPTION, "type=click.Choice([4, 8])", True),
    "pydantic, ge": (MODEL, "ge=1", True),
    "pydantic, ge 0": (MODEL, "ge=0", False),
    "pydantic, ge -1": (MODEL, "ge=-1", False),
    "pydantic, ge a name": (MODEL, "ge=FEWEST", True),
    "pydantic, gt": (MODEL, "gt=1", True),
    "pydantic, gt 0": (MODEL, "gt=0", True),
    "pydantic, gt -1": (MODEL, "gt=-1", False),
    "pydantic, le": (MODEL, "le=16", False),
    "pydantic, multiple_of": (MODEL, "multiple_of=2", True),
    "absl, lower_bound": (ABSL, "lower_bound=1", True),
    "absl, lower_bound 0": (ABSL, "lower_bound=0", False),
    "attrs, ge": (CHECKED, "attrs.validators.ge(1)", True),
    "attrs, ge 0": (CHECKED, "attrs.validators.ge(0)", False),
    "attrs, gt 0": (CHECKED, "attrs.validators.gt(0)", True),
    "attrs, in": (CHECKED, "attrs.validators.in_([4, 8])", True),
    "attrs, in with 0": (CHECKED, "attrs.validators.in_([0, 8])", False),
    "attrs, a type": (CHECKED, "attrs.validators.instance_of(int)", False),
    "attrs, several": (CHECKED, "[attrs.validators.instance_of(int), attrs.validators.gt(0)]", True),
    "attrs, both": (CHECKED, "attrs.validators.and_(attrs.validators.instance_of(int), positive)", True),
    "attrs, a function": (CHECKED, "positive", True),
    "marshmallow, validate": (MODEL, "validate=Range(min=1)", True),
    "marshmallow, validate from 0": (MODEL, "validate=Range(min=0)", False),
    "marshmallow, validate above 0": (MODEL, "validate=Range(min=0, min_inclusive=False)", True),
    "PositiveInt": (FIELD, "PositiveInt", True),
    "NonNegativeInt": (FIELD, "NonNegativeInt", False),
    "conint": (FIELD, "conint(gt=0)", True),
    "conint from 0": (FIELD, "conint(ge=0)", False),
    "Literal": (FIELD, "Literal[4, 8]", True),
    "Literal with 0": (FIELD, "Literal[0, 8]", False),
    "Ge": (FIELD, "Annotated[int, Ge(1)]", True),
    "Ge 0": (FIELD, "Annotated[int, Ge(0)]", False),
    "Gt 0": (FIELD, "Annotated[int, annotated_types.Gt(0)]", True),
    "Interval": (FIELD, "Annotated[int, Interval(gt=0, le=16)]", True),
    "a parameter": (PARAMETER_OF, "Annotated[int, Field(gt=0)]", True),
    "a parameter from 0": (PARAMETER_OF, "Annotated[int, Field(ge=0)]", False),
    "a parameter that may be left out": (PARAMETER_OF, "PositiveInt | None", True),
}


@pytest.mark.parametrize(("program", "declared", "refuses"), DECLARED.values(), ids=DECLARED.keys())
def test_a_declaration_that_does_not_take_every_lower_number(program: str, declared: str, refuses: bool) -> None:
    written = program.format(declared)
    assert traced(written) - {"open"} == {"8 shared" if refuses else "8"}
    if program in (FLAG, OPTION, ABSL):
        assert [one.refuses_lower() for one in loader_of(written).num_workers.written] == [refuses]
    named = f"DEFAULT = ⟦8⟧\n{written.replace('⟦8⟧', 'DEFAULT')}"
    assert not refuses or traced(named) - {"open"} == {"8 shared"}


@pytest.mark.parametrize(("files", "expected"), SHARED.values(), ids=SHARED.keys())
def test_values_that_something_else_is_given_too(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), NOT_SHARED.values(), ids=NOT_SHARED.keys())
def test_values_that_only_loaders_are_given(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


TWO = "DataLoader(a, num_workers=cfg['train']['workers'])\nDataLoader(b, num_workers=cfg['val']['workers'])\n"
ALIASES = {
    "by two loaders": (TWO, "train:\n  workers: &w ⟦8⟧\nval:\n  workers: *w\n", False),
    "by two loaders that merge": (TWO, "base: &b\n  workers: ⟦8⟧\ntrain:\n  <<: *b\nval:\n  <<: *b\n", False),
    "by two loaders, with all beside it": (TWO, "train: &t\n  workers: ⟦8⟧\nval: *t\n", False),
    "by two splats": (
        "DataLoader(a, **cfg['train'])\nDataLoader(b, **cfg['val'])\n",
        "train: &t\n  num_workers: ⟦8⟧\nval:\n  <<: *t\n  shuffle: false\n",
        False,
    ),
    "by a loader and a pool": (
        f"{TWO}ThreadPoolExecutor(cfg['val']['threads'])\n",
        "train:\n  workers: &w ⟦8⟧\nval:\n  workers: *w\n  threads: *w\n",
        True,
    ),
    "where it was written to be repeated": (
        f"{TWO}ThreadPoolExecutor(cfg['base']['workers'])\n",
        "base: &b\n  workers: ⟦8⟧\ntrain:\n  <<: *b\nval:\n  <<: *b\n",
        True,
    ),
    "by what nobody is seen to read": (TWO, "train:\n  workers: &w ⟦8⟧\nval:\n  workers: *w\nthreads: *w\n", True),
    "by keys that are worked out": (
        "for part in ('train', 'val'):\n    DataLoader(a, num_workers=cfg[part]['workers'])\n",
        "train:\n  workers: &w ⟦8⟧\nval:\n  workers: *w\n",
        True,
    ),
    "in a file of many settings": (
        TWO,
        f"train:\n  workers: &w ⟦8⟧\nval:\n  workers: *w\nsizes: [{', '.join(['1'] * 10_000)}]\n",
        True,
    ),
    "beside references": (
        TWO,
        "base: &b\n  workers: ⟦8⟧\ntrain:\n  <<: *b\nval:\n  <<: *b\nthreads: ${base.workers}\n",
        True,
    ),
}


@pytest.mark.parametrize(("uses", "settings", "shared"), ALIASES.values(), ids=ALIASES.keys())
def test_a_value_that_aliases_repeat(uses: str, settings: str, shared: bool) -> None:
    program = f"{IMPORT}{POOL}import yaml\ncfg = yaml.safe_load(open('x.yaml'))\n{uses}"
    assert traced({"main.py": program, "x.yaml": settings}) == {"8 shared" if shared else "8"}


_TARGET = "  _target_: torch.utils.data.DataLoader\n"
OF_CONFIGURED = {
    "by loaders that merge": (
        f"base: &b\n{_TARGET}  num_workers: ⟦8⟧\ntrain:\n  <<: *b\n  shuffle: true\nval:\n  <<: *b\n",
        False,
    ),
    "by two loaders": (f"train:\n{_TARGET}  num_workers: &w ⟦8⟧\nval:\n{_TARGET}  num_workers: *w\n", False),
    "by what is no loader": (f"train:\n{_TARGET}  num_workers: &w ⟦8⟧\npool:\n  _target_: Pool\n  size: *w\n", True),
    "by what is no loader, with all beside it": (
        f"train: &t\n{_TARGET}  num_workers: ⟦8⟧\npool:\n  <<: *t\n  _target_: Pool\n",
        True,
    ),
}


@pytest.mark.parametrize(("settings", "shared"), OF_CONFIGURED.values(), ids=OF_CONFIGURED.keys())
def test_a_value_that_aliases_repeat_in_loaders_of_a_configuration(settings: str, shared: bool) -> None:
    program = "from hydra.utils import call\ndef run(cfg):\n    call(cfg.pool, cfg.train)\n"
    assert traced({"main.py": program, "x.yaml": settings}) == {"8 shared" if shared else "8"}


OF_ALL: dict[str, tuple[str, bool]] = {
    "a loop that refuses": (
        "for key, value in cfg.items():\n    if isinstance(value, int) and value <= 0:\n        raise ValueError\n",
        True,
    ),
    "a loop over values": ("for value in cfg.values():\n    assert value, value\n", True),
    "a generator": ("assert all(value > 0 for value in cfg.values())\n", True),
    "in a function": ("def check(given):\n    assert all(one for one in given.values())\ncheck(cfg)\n", True),
    "by key": ("for key in cfg:\n    if cfg[key] < 1:\n        raise ValueError(key)\n", True),
    "by the keys that another has": ("bad = [key for key, least in LEAST.items() if cfg[key] < least]\n", True),
    "by keys that are written out": ("for key in REQUIRED:\n    assert cfg.get(key) > 0\n", True),
    "the least": ("import math\nmath.log(min(cfg.values()))\n", True),
    "the sum": ("assert sum(cfg.values()) < 9\n", True),
    "kinds alone": (
        "for key, value in cfg.items():\n    if isinstance(value, dict):\n        raise ValueError(key)\n",
        False,
    ),
    "texts alone": ("for key, value in cfg.items():\n    if value == 'none':\n        raise ValueError(key)\n", False),
    "whether there is one": (
        "for key, value in cfg.items():\n    if value is None:\n        raise ValueError\n",
        False,
    ),
    "keys alone": ("for key, value in cfg.items():\n    if key not in REQUIRED:\n        raise ValueError\n", False),
    "another dictionary": ("for key in cfg:\n    if LEAST[key] < 1:\n        raise ValueError(key)\n", False),
    "what is shown": ("for key, value in cfg.items():\n    print(key, value)\n", False),
    "places in a list": (
        "for place in range(8):\n    if rows[place] < cfg['epochs']:\n        raise ValueError\n",
        False,
    ),
}


@pytest.mark.parametrize(("program", "shared"), OF_ALL.values(), ids=OF_ALL)
def test_a_value_that_all_are_looked_at_with(program: str, shared: bool) -> None:
    main = f"{READS.replace(POOL, '')}LEAST = {{'workers': 1}}\nREQUIRED = ['workers']\n{program}"
    files = {"main.py": main, "x.yaml": "workers: ⟦8⟧\nepochs: 2\n"}
    assert traced(files) == {"8 shared" if shared else "8"}


def test_fields_that_are_all_looked_at() -> None:
    fields = FIELDS.replace("import dataclass", "import dataclass, fields")
    checked = "    def __post_init__(self):\n        for one in fields(self):\n            {}\n"
    declared = "    workers: int = ⟦8⟧\n"
    for does, shared in (("assert getattr(self, one.name) > 0", True), ("print(getattr(self, one.name))", False)):
        assert traced(fields.replace(declared, declared + checked.format(does))) == {"8 shared" if shared else "8"}


SETTERS: dict[str, tuple[str, bool]] = {
    "a method for all": (
        "    def __setattr__(self, key, value):\n        {}\n        super().__setattr__(key, value)\n",
        True,
    ),
    "a descriptor": ("    workers = Checked()\n", True),
    "a descriptor of another": ("    other = Checked()\n", False),
}
DESCRIPTOR = """
class Checked:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, holder, owner=None):
        return getattr(holder, self.name)
    def __set__(self, holder, value):
        {}
        setattr(holder, self.name, value)
"""


@pytest.mark.parametrize(("setter", "asked"), SETTERS.values(), ids=SETTERS)
@pytest.mark.parametrize(
    ("check", "refuses"),
    [
        ("assert value > 0", True),
        ("if value <= 0: raise ValueError", True),
        ("if self.frozen: raise ValueError", False),
    ],
)
@pytest.mark.parametrize("base", ["Options", "More"])
def test_a_value_that_its_class_may_refuse(setter: str, asked: bool, check: str, refuses: bool, base: str) -> None:
    options = (
        f"{DESCRIPTOR.format(check)}class Options:\n{setter.format(check)}    def __init__(self, workers):\n"
        "        self.workers = workers\nclass More(Options):\n    pass\n"
        f"options = {base}(⟦8⟧)\nDataLoader(data, num_workers=options.workers)\n"
    )
    assert traced(options) == {"8 shared" if asked and refuses else "8"}


def test_a_value_that_its_class_may_refuse_is_set_from_outside() -> None:
    options = (
        "class Options:\n    def __setattr__(self, key, value):\n        assert value > 0\n"
        "        super().__setattr__(key, value)\n"
        "options = Options()\noptions.workers = ⟦8⟧\nDataLoader(data, num_workers=options.workers)\n"
    )
    assert traced(options) == {"8 shared"}
    assert traced(options.replace("value > 0", "key")) == {"8"}
