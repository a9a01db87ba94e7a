"""Functions and classes that are called by what they were handed to."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

LOAD = f"{IMPORT}def load(data, workers=4):\n    return DataLoader(data, num_workers=workers)\n"
CLASS = f"{IMPORT}class Data:\n    def __init__(self, n=4):\n        self.loader = DataLoader(1, num_workers=n)\n"
WORKER = "def worker(rank, workers=4):\n    return DataLoader(data, num_workers=workers)\n"

LAUNCHED: Cases = {
    "a class that a lambda gives to something out of sight": (
        f"{CLASS.replace('=4', '=⟦4⟧')}import elsewhere\nelsewhere.keep(lambda: Data)\nData()\nData(⟦8⟧)",
        {"4", "8", "open"},
    ),
    "mp.spawn puts the rank first": (
        f"import torch.multiprocessing as mp\n{WORKER}mp.spawn(worker, nprocs=2, args=(⟦8⟧,))",
        {"8"},
    ),
    "mp.spawn by keyword": (
        f"from torch.multiprocessing import spawn\n{WORKER}spawn(fn=worker, args=(⟦8⟧,), nprocs=2)",
        {"8"},
    ),
    "mp.spawn with arguments kept in a name": (
        f"import torch.multiprocessing as mp\n{WORKER}given = (⟦8⟧,)\nmp.spawn(worker, given)",
        {"8"},
    ),
    "mp.spawn with arguments that are not seen": (
        f"import torch.multiprocessing as mp\n{WORKER}mp.spawn(worker, args=given())",
        {"open"},
    ),
    "mp.spawn without arguments: the rank is not the worker count": (
        "import torch.multiprocessing as mp\ndef worker(workers):\n    DataLoader(data, num_workers=workers)\n"
        "mp.spawn(worker, nprocs=2)",
        {"open"},
    ),
    "a thread": (
        f"import threading\n{WORKER}threading.Thread(target=worker, args=(0,), kwargs={{'workers': ⟦8⟧}}).start()",
        {"8"},
    ),
    "a process": (
        f"from multiprocessing import Process\n{WORKER}Process(target=worker, args=(0, ⟦8⟧)).start()",
        {"8"},
    ),
    "a process of a context": (
        f"import multiprocessing\ncontext = multiprocessing.get_context('spawn')\n{WORKER}"
        "context.Process(target=worker, args=(0, ⟦8⟧)).start()",
        {"8"},
    ),
    "a thread that leaves it out": (
        "import threading\n" + WORKER.replace("=4", "=⟦4⟧") + "threading.Thread(target=worker, args=(0,)).start()",
        {"4"},
    ),
    "an executor": (
        f"from concurrent.futures import ThreadPoolExecutor\n{WORKER}with ThreadPoolExecutor() as pool:\n"
        "    pool.submit(worker, 0, workers=⟦8⟧)",
        {"8"},
    ),
    "a pool": (
        f"from multiprocessing import Pool\n{WORKER}Pool(2).apply_async(worker, (0, ⟦8⟧))",
        {"8"},
    ),
    "submitit": (
        f"import submitit\n{WORKER}submitit.AutoExecutor('log').submit(worker, 0, ⟦8⟧)",
        {"8"},
    ),
    "detectron2's launch": (
        f"from detectron2.engine import launch\n{WORKER}launch(worker, 1, args=(0, ⟦8⟧))",
        {"8"},
    ),
    "accelerate's notebook_launcher": (
        f"from accelerate import notebook_launcher\n{WORKER}notebook_launcher(worker, (0, ⟦8⟧), num_processes=2)",
        {"8"},
    ),
    "a launcher of the project": (
        {
            "launcher.py": """
                import torch.multiprocessing as mp
                def launch(main, processes, args=()):
                    if processes > 1:
                        mp.spawn(start, nprocs=processes, args=(main, args))
                    else:
                        main(*args)
                def start(rank, main, args):
                    main(*args)
                """,
            "main.py": f"{IMPORT}from launcher import launch\n{WORKER}launch(worker, 2, args=(0, ⟦8⟧))\n",
        },
        {"8"},
    ),
    "a launcher nobody knows": (
        f"from elsewhere import launch\n{WORKER}launch(worker, args=(0, 8))",
        {"4 at main.py:3:26", "open"},
    ),
    "a launcher nobody knows beside a call": (
        f"from elsewhere import launch\n{WORKER}launch(worker, args=(0, 2))\nworker(0, ⟦8⟧)",
        {"8", "open"},
    ),
    "a method": (
        """
        import threading
        class Data:
            def load(self, workers=4):
                return DataLoader(data, num_workers=workers)
            def start(self):
                threading.Thread(target=self.load, args=(⟦8⟧,)).start()
        """,
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), LAUNCHED.values(), ids=LAUNCHED.keys())
def test_functions_that_are_launched(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


PASSED: Cases = {
    "to a function that calls it": (
        {"data.py": LOAD, "main.py": "from data import load\ndef run(f, n):\n    return f(1, n)\nrun(load, ⟦8⟧)\n"},
        {"8"},
    ),
    "what comes with another function is not for this one": (
        {
            "data.py": LOAD,
            "main.py": "from data import load\ndef other(data, n):\n    return n\ndef run(f, n):\n    return f(1, n)\n"
            "run(load, ⟦8⟧)\nrun(other, 2)\n",
        },
        {"8"},
    ),
    "to an object that calls it": (
        {
            "data.py": LOAD,
            "main.py": """
                from data import load
                class Trainer:
                    def __init__(self, make):
                        self.make = make
                    def fit(self):
                        return self.make(1, ⟦8⟧)
                Trainer(load).fit()
                """,
        },
        {"8"},
    ),
    "under another name": ({"data.py": LOAD, "main.py": "import data\nmake = data.load\nmake(1, ⟦8⟧)\n"}, {"8"}),
    "one of two": (
        {
            "data.py": LOAD,
            "main.py": "from data import load\ndef other(data, n):\n    return n\nmake = load if fast else other\n"
            "make(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "from a dictionary": (
        {"data.py": LOAD, "main.py": "from data import load\nMAKE = {'train': load}\nMAKE['train'](1, ⟦8⟧)\n"},
        {"8"},
    ),
    "from a dictionary by a key that is not seen": (
        {"data.py": LOAD, "main.py": "from data import load\nMAKE = {'train': load}\nMAKE[name](1, ⟦8⟧)\n"},
        {"8"},
    ),
    "from a dictionary in another file": (
        {
            "data.py": LOAD,
            "registry.py": "from data import load\nMAKE = dict(train=load)\n",
            "main.py": "from registry import MAKE\nMAKE[name](1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "another one of a dictionary": (
        {
            "data.py": LOAD.replace("=4", "=⟦4⟧"),
            "main.py": "from data import load\ndef other(data, n):\n    return n\n"
            "MAKE = {'train': load, 'test': other}\nMAKE['test'](1, 8)\n",
        },
        {"4", "open"},
    ),
    "each of a list": (
        {"data.py": LOAD, "main.py": "from data import load\nfor make in [load]:\n    make(1, ⟦8⟧)\n"},
        {"8"},
    ),
    "asked of the module by name": (
        {"data.py": LOAD, "main.py": "import data\ngetattr(data, 'load')(1, ⟦8⟧)\n"},
        {"8"},
    ),
    "of a module that is imported by its name": (
        {"data.py": LOAD, "main.py": "import importlib\nm = importlib.import_module('data')\nm.load(1, ⟦8⟧)\n"},
        {"8"},
    ),
    "of another module that is imported by its name": (
        {
            "data.py": LOAD.replace("=4", "=⟦4⟧"),
            "other.py": "def load(data, workers):\n    pass\n",
            "main.py": "import importlib\nm = importlib.import_module('other')\nm.load(1, 8)\n",
        },
        {"4", "open"},
    ),
    "asked of the module by a name that is not seen": (
        {"data.py": LOAD.replace("=4", "=⟦4⟧"), "main.py": "import data\ngetattr(data, name)(1, 8)\n"},
        {"4", "open"},
    ),
    "partly applied, then called with the rest": (
        {
            "data.py": LOAD,
            "main.py": "from functools import partial\nimport data\nmake = partial(data.load, workers=⟦8⟧)\nmake(1)\n",
        },
        {"8"},
    ),
    "a class": (
        {
            "data.py": CLASS,
            "main.py": "from data import Data\nKINDS = {'plain': Data}\nKINDS[name](⟦8⟧)\n",
        },
        {"8"},
    ),
    "a class that is only asked about": (
        {
            "data.py": CLASS,
            "main.py": "from data import Data\ndata = Data(⟦8⟧)\nisinstance(data, Data)\n",
        },
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PASSED.values(), ids=PASSED.keys())
def test_functions_that_are_passed_as_values(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


SEARCH = """
class Search:
    def __init__(self, data, workers=⟦4⟧):
        self.loader = DataLoader(data, num_workers=workers)
"""
PARTIAL = IMPORT + "from functools import partial\nfrom search import Search\n"

PARTIALS: Cases = {
    "a class, called without the rest": (
        {"search.py": IMPORT + SEARCH, "main.py": PARTIAL + "make = partial(Search, 1)\nmake()"},
        {"4"},
    ),
    "a class that a function calls": (
        {
            "search.py": IMPORT + SEARCH,
            "main.py": PARTIAL + "def get(make):\n    return make()\nget(partial(Search, 1))",
        },
        {"4"},
    ),
    "called with the rest": (
        {"search.py": IMPORT + SEARCH.replace("⟦4⟧", "4"), "main.py": PARTIAL + "partial(Search, 1)(workers=⟦2⟧)"},
        {"2"},
    ),
    "called with the rest by position": (
        {"search.py": IMPORT + SEARCH.replace("⟦4⟧", "4"), "main.py": PARTIAL + "partial(Search)(1, ⟦2⟧)"},
        {"2"},
    ),
    "called in another file, with what its function is given": (
        {
            "search.py": IMPORT + SEARCH.replace("⟦4⟧", "4"),
            "running.py": "def run(make, count):\n    return make(workers=count)\n",
            "main.py": PARTIAL
            + "from running import run\nfor make in (partial(Search, 1), partial(Search, 2)):\n    run(make, ⟦2⟧)",
        },
        {"2"},
    ),
    "one of a list that is looped over beside another": (
        {
            "search.py": IMPORT + SEARCH.replace("⟦4⟧", "4"),
            "main.py": PARTIAL + "def run(count, make):\n    return make(1, workers=count)\n"
            "runs = [partial(run, make=partial(Search)), partial(run, make=Search)]\nnames = ['one', 'other']\n"
            "for each, name in zip(runs, names):\n    each(⟦2⟧)",
        },
        {"2"},
    ),
    "one of a dictionary that is looped over": (
        {
            "search.py": IMPORT + SEARCH.replace("⟦4⟧", "4"),
            "main.py": PARTIAL
            + "runs = {'one': partial(Search, 1)}\nfor name, each in runs.items():\n    each(workers=⟦2⟧)",
        },
        {"2"},
    ),
    "one of a dictionary whose name becomes that of what it is looped over by": (
        {
            "search.py": IMPORT + SEARCH.replace("⟦4⟧", "4"),
            "main.py": PARTIAL
            + "runs = {'one': partial(Search, 1)}\nruns = runs.items()\nruns = enumerate(runs)\n"
            + "for number, (name, each) in runs:\n    each(workers=⟦2⟧)",
        },
        {"2"},
    ),
    "called with what nobody sees": (
        {
            "search.py": IMPORT + SEARCH.replace("⟦4⟧", "4"),
            "main.py": PARTIAL + "from elsewhere import rest\npartial(Search, workers=3)(*rest(), workers=rest())",
        },
        {"open"},
    ),
    "called with the data by position": (
        {"search.py": IMPORT + SEARCH.replace("⟦4⟧", "4"), "main.py": PARTIAL + "partial(Search, workers=⟦0⟧)(1)"},
        {"0"},
    ),
    "one of two that are called in two ways": (
        {
            "search.py": IMPORT + SEARCH,
            "main.py": PARTIAL + "one = partial(Search, 1)\none()\nother = partial(Search, 1)\nother(workers=⟦2⟧)",
        },
        {"4", "2"},
    ),
    "a partial of a partial": (
        {
            "search.py": IMPORT + SEARCH,
            "main.py": PARTIAL + "make = partial(Search, 1)\nagain = partial(make)\nagain()",
        },
        {"4"},
    ),
    "called out of sight, too": (
        {
            "search.py": IMPORT + SEARCH,
            "main.py": PARTIAL + "from elsewhere import start\nmake = partial(Search, 1)\nmake()\nstart(make)",
        },
        {"4", "open"},
    ),
    "called by nobody who is seen": (
        {"search.py": IMPORT + SEARCH, "main.py": PARTIAL + "make = partial(Search, 1)"},
        {"4", "open"},
    ),
    "a method, called without the rest": (
        {
            "main.py": PARTIAL
            + """
class Data:
    def load(self, data, workers=⟦4⟧):
        return DataLoader(data, num_workers=workers)
    def run(self):
        make = partial(self.load, 1)
        return make()
"""
        },
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PARTIALS.values(), ids=PARTIALS.keys())
def test_what_a_partial_leaves_out(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


ACTOR = f"""import ray
{IMPORT}
class Actor:
    def __init__(self, n=4):
        self.loader = DataLoader(1, num_workers=n)
"""

REMOTE: Cases = {
    "a class that Ray makes an actor of": ({"main.py": f"{ACTOR}ray.remote(Actor).remote(⟦8⟧)"}, {"8"}),
    "a class that Ray makes an actor of, with resources": (
        {"main.py": f"{ACTOR}ray.remote(num_gpus=1)(Actor).remote(n=⟦8⟧)"},
        {"8"},
    ),
    "an actor under another name": (
        {
            "main.py": f"{ACTOR}One = ray.remote(Actor)\nOne.remote(⟦8⟧)\n"
            "Other = ray.remote(num_gpus=1)(Actor)\nOther.remote(⟦2⟧)"
        },
        {"8", "2"},
    ),
    "a class under a decorator": (
        {"main.py": ACTOR.replace("class", "@ray.remote(num_gpus=1)\nclass") + "Actor.remote(⟦8⟧)"},
        {"8"},
    ),
    "a class under a decorator, with options": (
        {
            "actor.py": ACTOR.replace("class", "@ray.remote\nclass"),
            "main.py": "from actor import Actor as Other\nOther.options(num_cpus=2).remote(⟦8⟧)",
        },
        {"8"},
    ),
    "a function under a decorator": (
        {
            "main.py": f"import ray\n{LOAD.replace('def', '@ray.remote(num_cpus=1)' + chr(10) + 'def')}"
            "load.remote(1, ⟦8⟧)\nload.options(num_cpus=2).remote(1, workers=⟦2⟧)"
        },
        {"8", "2"},
    ),
    "an actor that leaves it out": (
        {"main.py": ACTOR.replace("=4", "=⟦4⟧") + "ray.remote(Actor).remote()"},
        {"4"},
    ),
    "a class that is remote in its own way": (
        {
            "main.py": ACTOR.replace("=4", "=⟦4⟧")
            + "    @classmethod\n    def remote(cls, n):\n        return connect(n)\nActor.remote(8)"
        },
        {"4", "open"},
    ),
    "another class": (
        {
            "main.py": ACTOR.replace("=4", "=⟦4⟧")
            + "class Other:\n    pass\nOther.remote(8)\nray.remote(Actor).remote()"
        },
        {"4"},
    ),
    "an actor that is handed on": (
        {"main.py": f"{ACTOR}run(ray.remote(Actor))\nActor(⟦8⟧)"},
        {"8", "open"},
    ),
    "an actor that is handed on to a function": (
        {"main.py": f"{ACTOR}def run(make):\n    make.remote(⟦8⟧)\nrun(ray.remote(Actor))"},
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), REMOTE.values(), ids=REMOTE.keys())
def test_what_other_processes_call(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


FORWARDED: Cases = {
    "keywords through two functions": (
        {
            "data.py": LOAD,
            "build.py": "from data import load\ndef build(data, **options):\n    return load(data, **options)\n",
            "main.py": "from build import build\ndef run(**more):\n    return build(1, **more)\nrun(workers=⟦8⟧)\n",
        },
        {"8"},
    ),
    "positions through a function": (
        {
            "data.py": LOAD,
            "build.py": "from data import load\ndef build(*args, **options):\n    return load(*args, **options)\n",
            "main.py": "from build import build\nbuild(1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "positions after one that is taken out": (
        {
            "data.py": LOAD,
            "build.py": "from data import load\ndef build(name, *args):\n    return load(*args)\n",
            "main.py": "from build import build\nbuild('train', 1, ⟦8⟧)\n",
        },
        {"8"},
    ),
    "positions that a caller may not give": (
        {
            "data.py": LOAD.replace("=4", "=⟦4⟧"),
            "build.py": "from data import load\ndef build(*args):\n    return load(*args)\n",
            "main.py": "from build import build\nbuild(1)\n",
        },
        {"4"},
    ),
    "one splat of two lengths": (
        {
            "data.py": LOAD.replace("=4", "=⟦4⟧"),
            "build.py": "from data import load\ndef build(*args):\n    return load(*args)\n",
            "main.py": "from build import build\nbuild(1)\nbuild(1, ⟦8⟧)\n",
        },
        {"4", "8"},
    ),
    "one splat of two lengths, a keyword beside the shorter": (
        {
            "data.py": LOAD,
            "build.py": "from data import load\ndef build(*args, **kwargs):\n    return load(*args, **kwargs)\n",
            "main.py": "from build import build\nbuild(1, workers=⟦2⟧)\nbuild(1, ⟦8⟧)\n",
        },
        {"2", "8"},
    ),
    "one splat of two lengths, one of them not seen": (
        {
            "data.py": LOAD,
            "build.py": "from data import load\ndef build(*args):\n    return load(*args)\n",
            "main.py": "from build import build\nbuild(*rest)\nbuild(1, ⟦8⟧)\n",
        },
        {"8", "open"},
    ),
    "a class that is looked up by the name in a file, its arguments forwarded": (
        {
            "data.py": f"{LOAD}class Ours:\n    def __init__(self, data, workers):\n        load(data, workers)\n",
            "main.py": "import json\nimport data, other\nconfig = json.load(open('c.json'))\n"
            "def make(name, module, *args, **kwargs):\n    given = dict(config[name]['args'])\n"
            "    given.update(kwargs)\n    return getattr(module, config[name]['type'])(*args, **given)\n"
            "make('data', data, 1)\nmake('model', other)\n",
            "other.py": "class Model:\n    def __init__(self, workers):\n        pass\n",
            "c.json": '{"data": {"type": "Ours", "args": {"workers": ⟦8⟧}},'
            ' "model": {"type": "Model", "args": {"workers": 2}}}',
        },
        {"8"},
    ),
    "a list that is written": ({"main.py": f"{LOAD}load(*[1, ⟦8⟧])\n"}, {"8"}),
    "straight to the loader": (
        "def build(data, *args, **options):\n    return DataLoader(data, *args, **options)\nbuild(1, num_workers=⟦8⟧)",
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FORWARDED.values(), ids=FORWARDED.keys())
def test_arguments_that_are_forwarded(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


def chosen(choose: str, call: str = "choose('own')(1, ⟦8⟧)\nload(1, ⟦2⟧)") -> str:
    other = "def other(data, workers):\n    return data\n"
    return f"def load(data, workers):\n    return DataLoader(data, num_workers=workers)\n{other}{choose}\n{call}\n"


BY_KIND = "def choose(kind):\n    if kind == 'own':\n        return load\n    return other"

RETURNED: Cases = {
    "and called at once": (chosen(BY_KIND), {"8", "2"}),
    "and kept in a name": (chosen(BY_KIND, "make = choose('own')\nmake(1, ⟦8⟧)\nload(1, ⟦2⟧)"), {"8", "2"}),
    "where another one is": (chosen(BY_KIND, "make = choose('else')\nmake(1, 8)\nload(1, ⟦2⟧)"), {"2"}),
    "in either case": (chosen("def choose(kind):\n    return load if kind == 'own' else other"), {"8", "2"}),
    "that was kept in a name": (
        chosen(
            "def choose(kind):\n    if kind == 'own':\n        f = load\n    else:\n        f = other\n    return f"
        ),
        {"8", "2"},
    ),
    "by a function that another one calls": (
        chosen(f"{BY_KIND}\ndef ask():\n    return choose('own')", "ask()(1, ⟦8⟧)\nload(1, ⟦2⟧)"),
        {"8", "2"},
    ),
    "out of a dictionary": (
        chosen("KINDS = {'own': load, 'else': other}\ndef choose(kind):\n    return KINDS[kind]"),
        {"8", "2"},
    ),
    "out of a display": (
        chosen("def choose(kind):\n    return {'own': load, 'else': other}[kind]"),
        {"8", "2"},
    ),
    "out of a display, by a key that was not seen": (
        chosen(
            "def choose(kind):\n    return {'own': load, 'else': other}.get(kind)",
            "choose(kind())(1, ⟦8⟧)\nload(1, ⟦2⟧)",
        ),
        {"8", "2"},
    ),
    "out of a display, where another one is": (
        chosen(
            "def choose(kind):\n    return {'own': load, 'else': other}[kind]", "choose('else')(1, 8)\nload(1, ⟦2⟧)"
        ),
        {"2"},
    ),
    "out of a display that a name is bound to": (
        chosen("", "make = {'own': load, 'else': other}[kind()]\nmake(1, ⟦8⟧)\nload(1, ⟦2⟧)"),
        {"8", "2"},
    ),
    "out of a dictionary, and kept in a name": (
        chosen(
            "KINDS = {'own': load, 'else': other}\ndef choose(kind):\n    return KINDS.get(kind)",
            "make = choose('own')\nmake(1, ⟦8⟧)\nload(1, ⟦2⟧)",
        ),
        {"8", "2"},
    ),
    "with another one": (
        chosen("def both():\n    return load, other", "make, _ = both()\nmake(1, ⟦8⟧)\nload(1, ⟦2⟧)"),
        {"8", "2"},
    ),
    "and handed on": (
        chosen(f"{BY_KIND}\ndef run(f):\n    f(1, ⟦8⟧)", "run(choose('own'))\nload(1, ⟦2⟧)"),
        {"8", "2"},
    ),
    "and kept by an object": (
        chosen(
            f"{BY_KIND}\nclass Data:\n    def __init__(self, kind):\n        self.make = choose(kind)\n"
            "    def loader(self):\n        return self.make(1, ⟦8⟧)",
            "Data('own').loader()\nload(1, ⟦2⟧)",
        ),
        {"8", "2"},
    ),
    "by default": (chosen("def run(f=load):\n    f(1, ⟦8⟧)", "run()\nload(1, ⟦2⟧)"), {"8", "2"}),
    "where none is given": (
        chosen("def run(f=None):\n    f = f or load\n    f(1, ⟦8⟧)", "run()\nload(1, ⟦2⟧)"),
        {"8", "2"},
    ),
    "and imported under another name": (
        {
            "data.py": f"{IMPORT}{chosen(BY_KIND, '')}",
            "main.py": "from data import choose as c\nfrom data import load as l\n"
            "make = c('own')\nmake(1, ⟦8⟧)\nf = l\nf(1, ⟦2⟧)\n",
        },
        {"8", "2"},
    ),
    "from a display": (chosen("", "{'own': load, 'else': other}[kind()](1, ⟦8⟧)\nload(1, ⟦2⟧)"), {"8", "2"}),
    "from a conditional": (chosen("", "(load if kind() else other)(1, ⟦8⟧)\nload(1, ⟦2⟧)"), {"8", "2"}),
    "to somebody out of sight": (
        chosen(BY_KIND, "import elsewhere\nelsewhere.keep(choose('own'))\nload(1, ⟦2⟧)"),
        {"2", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), RETURNED.values(), ids=RETURNED.keys())
def test_functions_that_are_returned_or_chosen(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected
