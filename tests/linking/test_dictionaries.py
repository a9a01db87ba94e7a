from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loader_of, loaders_of, met, traced

LOCAL: Cases = {
    "a key that is kept in a constant": (
        "KEY = 'num_workers'\noptions = {KEY: ⟦8⟧, 'batch_size': 4}\nDataLoader(data, **options)",
        {"8"},
    ),
    "a key that a class method gives": (
        """
        class Fast:
            @classmethod
            def code(cls):
                return 'fast'
        class Slow:
            @classmethod
            def code(cls):
                return 'slow'
        COUNTS = {Fast.code(): ⟦8⟧, Slow.code(): 2}
        DataLoader(data, num_workers=COUNTS['fast'])
        """,
        {"8"},
    ),
    "a key that is one of two": (
        "key = 'num_workers' if some() else 'workers'\nDataLoader(data, **{key: 8})",
        {"open"},
    ),
    "a key that nobody sees in a literal": ("DataLoader(data, **{some(): 8})", {"open"}),
    "a literal splatted": ("DataLoader(data, **{'num_workers': ⟦8⟧})", {"8"}),
    "a name splatted": ("options = {'num_workers': ⟦8⟧}\nDataLoader(data, **options)", {"8"}),
    "dict(...)": ("options = dict(num_workers=⟦8⟧)\nDataLoader(data, **options)", {"8"}),
    "dict of a dict": (
        "base = {'num_workers': 2}\noptions = dict(base, num_workers=⟦8⟧)\nDataLoader(data, **options)",
        {"8"},
    ),
    "a copy": ("base = {'num_workers': ⟦8⟧}\noptions = base.copy()\nDataLoader(data, **options)", {"8"}),
    "a copy does not change what it was made of": (
        """
        base = {'num_workers': ⟦8⟧}
        other = dict(base)
        other['num_workers'] = 0
        DataLoader(data, **base)
        """,
        {"8"},
    ),
    "without the option": ("options = {'batch_size': 8}\nDataLoader(data, **options)", {"0 unwritten"}),
    "a splat in a literal": (
        "base = {'num_workers': ⟦8⟧}\nDataLoader(data, **{'batch_size': 2, **base})",
        {"8"},
    ),
    "a splat in a literal that a later key replaces": (
        "base = {'num_workers': 8}\nDataLoader(data, **{**base, 'num_workers': ⟦2⟧})",
        {"2"},
    ),
    "a key that a later splat replaces": (
        "base = {'num_workers': ⟦8⟧}\nDataLoader(data, **{'num_workers': 2, **base})",
        {"8"},
    ),
    "a splat that nobody sees may replace any key": (
        "DataLoader(data, **{'num_workers': ⟦2⟧, **options()})",
        {"2", "open"},
    ),
    "a splat that nobody sees before the key": ("DataLoader(data, **{**options(), 'num_workers': ⟦2⟧})", {"2"}),
    "the union of two": (
        "a = {'num_workers': 2}\nb = {'num_workers': ⟦8⟧}\nDataLoader(data, **(a | b))",
        {"8"},
    ),
    "a subscript assignment": (
        "options = {}\noptions['num_workers'] = ⟦8⟧\nDataLoader(data, **options)",
        {"8"},
    ),
    "a subscript assignment that replaces": (
        "options = {'num_workers': 2}\noptions['num_workers'] = ⟦8⟧\nDataLoader(data, **options)",
        {"8"},
    ),
    "a subscript assignment after the call": (
        "options = {'num_workers': ⟦2⟧}\nDataLoader(data, **options)\noptions['num_workers'] = 8",
        {"2"},
    ),
    "update with a dictionary": (
        "options = {'num_workers': 2}\noptions.update({'num_workers': ⟦8⟧})\nDataLoader(data, **options)",
        {"8"},
    ),
    "update with keywords": (
        "options = {}\noptions.update(num_workers=⟦8⟧)\nDataLoader(data, **options)",
        {"8"},
    ),
    "update with something unseen": (
        "options = {'num_workers': ⟦2⟧}\noptions.update(read())\nDataLoader(data, **options)",
        {"2", "open"},
    ),
    "update under a condition: given or not": (
        """
        options = {'batch_size': 8}
        if use_cuda:
            options.update({'num_workers': ⟦8⟧})
        DataLoader(data, **options)
        """,
        {"8", "0 unwritten"},
    ),
    "update in both arms": (
        """
        options = {'num_workers': 1}
        if use_cuda:
            options.update({'num_workers': ⟦8⟧})
        else:
            options.update({'num_workers': ⟦2⟧})
        DataLoader(data, **options)
        """,
        {"8", "2"},
    ),
    "update with one of two dictionaries: what it lacks stays as it was": (
        """
        options = dict({'num_workers': ⟦2⟧})
        options.update({'batch_size': 4} if train else {'num_workers': ⟦0⟧})
        DataLoader(data, **options)
        """,
        {"2", "0"},
    ),
    "update with one of two dictionaries that both hold the key": (
        """
        options = {'num_workers': 2}
        options.update({'num_workers': ⟦4⟧} if train else {'num_workers': ⟦0⟧})
        DataLoader(data, **options)
        """,
        {"4", "0"},
    ),
    "update at every turn of a loop that makes the dictionary": (
        """
        for more in ({'batch_size': 4}, {'num_workers': ⟦1⟧}):
            options = {'num_workers': ⟦2⟧}
            options.update(more)
            DataLoader(data, **options)
        """,
        {"2", "1"},
    ),
    "update of what was taken out": (
        """
        options = {'num_workers': 2}
        del options['num_workers']
        options.update({'batch_size': 4} if train else {'num_workers': ⟦1⟧})
        DataLoader(data, **options)
        """,
        {"0 unwritten", "1"},
    ),
    "update in a loop with dictionaries some of which lack the key": (
        """
        options = {'num_workers': ⟦2⟧}
        for more in ({'batch_size': 4}, {'num_workers': 1}):
            options.update(more)
        DataLoader(data, **options)
        """,
        {"2", "open"},
    ),
    "update with cuda, as the examples of PyTorch have it": (
        """
        import torch
        use_cuda = torch.cuda.is_available()
        options = {'batch_size': 8}
        if use_cuda:
            cuda_options = {'num_workers': ⟦1⟧, 'pin_memory': True}
            options.update(cuda_options)
        DataLoader(data, **options)
        """,
        {"1 with cuda", "0 without cuda unwritten"},
    ),
    "setdefault of what is there": (
        "options = {'num_workers': ⟦2⟧}\noptions.setdefault('num_workers', 8)\nDataLoader(data, **options)",
        {"2"},
    ),
    "setdefault of what is not there": (
        "options = {}\noptions.setdefault('num_workers', ⟦8⟧)\nDataLoader(data, **options)",
        {"8"},
    ),
    "setdefault of what may be there": (
        """
        options = {}
        if fast:
            options['num_workers'] = ⟦8⟧
        options.setdefault('num_workers', ⟦2⟧)
        DataLoader(data, **options)
        """,
        {"8", "2"},
    ),
    "pop": (
        "options = {'num_workers': 8}\noptions.pop('num_workers')\nDataLoader(data, **options)",
        {"0 unwritten"},
    ),
    "pop under a condition": (
        """
        options = {'num_workers': ⟦8⟧}
        if slow:
            options.pop('num_workers', None)
        DataLoader(data, **options)
        """,
        {"8", "0 unwritten"},
    ),
    "pop of each key a loop goes through, under a condition": (
        """
        def load(**options):
            if options.get('batch_size') is None:
                for name in ('num_workers', 'timeout'):
                    options.pop(name, None)
            DataLoader(data, **options)
        load(num_workers=8)
        load(num_workers=⟦2⟧, batch_size=4)
        """,
        {"2", "0 unwritten"},
    ),
    "pop of some of the keys a loop goes through": (
        """
        def load(**options):
            for name in ('num_workers', 'timeout'):
                if name in unwanted:
                    break
                options.pop(name, None)
            DataLoader(data, **options)
        load(num_workers=8)
        """,
        {"open"},
    ),
    "pop of a key that a loop goes through alone": (
        "options = {'num_workers': 8}\nfor key in ['num_workers']:\n    del options[key]\nDataLoader(data, **options)",
        {"0 unwritten"},
    ),
    "pop of each key a loop goes through that is there": (
        """
        options = {'num_workers': 8, 'timeout': 2}
        for name in ('num_workers', 'timeout'):
            if name in options:
                del options[name]
        DataLoader(data, **options)
        """,
        {"0 unwritten"},
    ),
    "pop of the keys of which a loop asks something": (
        """
        options = {'num_workers': 8, 'timeout': 2}
        for name in ('num_workers', 'timeout'):
            if unwanted(name):
                del options[name]
        DataLoader(data, **options)
        """,
        {"open"},
    ),
    "pop of other keys of which a loop asks something": (
        """
        options = {'num_workers': ⟦8⟧, 'timeout': 2}
        for name in ('pin_memory', 'timeout'):
            if unwanted(name):
                options.pop(name, None)
        DataLoader(data, **options)
        """,
        {"8"},
    ),
    "pop of keys that are not seen": (
        """
        options = {'num_workers': 8}
        for name in unwanted():
            del options[name]
        DataLoader(data, **options)
        """,
        {"open"},
    ),
    "pop of keys that are not seen, under a condition": (
        """
        options = {'num_workers': ⟦8⟧}
        if slow:
            for name in unwanted():
                del options[name]
        DataLoader(data, **options)
        """,
        {"8", "open"},
    ),
    "what pop gives": (
        "options = {'workers': ⟦8⟧}\nDataLoader(data, num_workers=options.pop('workers'))",
        {"8"},
    ),
    "del": (
        "options = {'num_workers': 8}\ndel options['num_workers']\nDataLoader(data, **options)",
        {"0 unwritten"},
    ),
    "a key that nobody sees": (
        "options = {'num_workers': ⟦2⟧}\noptions[key] = 8\nDataLoader(data, **options)",
        {"2", "open"},
    ),
    "a literal with a key that nobody sees": ("DataLoader(data, **{key: 8})", {"open"}),
    "a comprehension": ("DataLoader(data, **{k: v for k, v in options})", {"open"}),
    "subscript": ("options = {'workers': ⟦8⟧}\nDataLoader(data, num_workers=options['workers'])", {"8"}),
    "a subscript that is not there": ("options = {'size': 8}\nDataLoader(data, num_workers=options['n'])", {"open"}),
    "get": ("options = {'workers': ⟦8⟧}\nDataLoader(data, num_workers=options.get('workers', 2))", {"8"}),
    "get of what is not there": (
        "options = {'size': 8}\nDataLoader(data, num_workers=options.get('workers', ⟦2⟧))",
        {"2"},
    ),
    "get of what may be there": (
        """
        options = {}
        if fast:
            options['workers'] = ⟦8⟧
        DataLoader(data, num_workers=options.get('workers', ⟦2⟧))
        """,
        {"8", "2"},
    ),
    "get from something unseen": ("DataLoader(data, num_workers=options().get('workers', ⟦2⟧))", {"2", "open"}),
    "get from something unseen in something unseen": (
        "DataLoader(data, num_workers=options().get('train', {}).pop('workers', ⟦2⟧))",
        {"2", "open"},
    ),
    "get from something unseen without a default": (
        "DataLoader(data, num_workers=options().get('workers'))",
        {"open"},
    ),
    "get from something unseen that has the key": (
        "options = read()\nif 'workers' in options:\n    DataLoader(data, num_workers=options.get('workers', 2))",
        {"open"},
    ),
    "getattr of something unseen": (
        "def load(options):\n    DataLoader(data, num_workers=getattr(options, 'workers', ⟦2⟧))",
        {"2", "open"},
    ),
    "getattr of something unseen in something unseen": (
        "DataLoader(data, num_workers=getattr(options().train, 'workers', ⟦2⟧))",
        {"2", "open"},
    ),
    "getattr of something unseen that has the attribute": (
        "def load(options):\n    if hasattr(options, 'workers'):\n"
        "        DataLoader(data, num_workers=getattr(options, 'workers', 2))",
        {"open"},
    ),
    "getattr of something unseen without a default": (
        "def load(options):\n    DataLoader(data, num_workers=getattr(options, 'workers'))",
        {"open"},
    ),
    "getattr of something unseen by a name that was not seen": (
        "def load(options):\n    DataLoader(data, num_workers=getattr(options, name(), 2))",
        {"open"},
    ),
    "getattr of an object that has the attribute": (
        "class Options:\n    def __init__(self):\n        self.workers = ⟦8⟧\n"
        "DataLoader(data, num_workers=getattr(Options(), 'workers', 2))",
        {"8"},
    ),
    "getattr of an object that nobody is seen to give the attribute": (
        "class Options:\n    def __init__(self):\n        self.other = 8\n"
        "DataLoader(data, num_workers=getattr(Options(), 'workers', ⟦2⟧))",
        {"2", "open"},
    ),
    "getattr without a default of an object that nobody is seen to give the attribute": (
        "class Options:\n    def __init__(self):\n        self.other = 8\n"
        "DataLoader(data, num_workers=getattr(Options(), 'workers'))",
        {"open"},
    ),
    "get of something unseen that has no keys": ("DataLoader(data, num_workers=queue().get(True, 5))", {"open"}),
    "a dictionary of dictionaries": (
        "options = {'train': {'num_workers': ⟦8⟧}, 'test': {'num_workers': 0}}\nDataLoader(data, **options['train'])",
        {"8"},
    ),
    "a key set in a dictionary of dictionaries": (
        "options = {'train': {'num_workers': 8}}\noptions['train']['num_workers'] = ⟦0⟧\n"
        "DataLoader(data, **options['train'])",
        {"0"},
    ),
    "a dictionary chosen by a condition": (
        """
        if fast:
            options = {'num_workers': ⟦8⟧}
        else:
            options = {}
        DataLoader(data, **options)
        """,
        {"8", "0 unwritten"},
    ),
    "a dictionary, or something unseen": (
        """
        if fast:
            options = {'num_workers': ⟦8⟧}
        else:
            options = read()
        DataLoader(data, **options)
        """,
        {"8", "open"},
    ),
    "two splats": (
        "a = {'batch_size': 2}\nb = {'num_workers': ⟦8⟧}\nDataLoader(data, **a, **b)",
        {"8"},
    ),
    "EasyDict": (
        "from easydict import EasyDict\noptions = EasyDict(num_workers=2)\noptions.num_workers = ⟦8⟧\n"
        "DataLoader(data, **options)",
        {"8"},
    ),
    "the attributes of a namespace, updated with something unseen": (
        "from types import SimpleNamespace\noptions = SimpleNamespace(workers=⟦2⟧)\n"
        "options.__dict__.update(read())\nDataLoader(data, num_workers=options.workers)",
        {"2", "open"},
    ),
    "the attributes of a namespace, updated with one of two dictionaries": (
        "from types import SimpleNamespace\noptions = SimpleNamespace(workers=⟦2⟧)\n"
        "vars(options).update({'workers': ⟦8⟧} if fast else {'size': 4})\n"
        "DataLoader(data, num_workers=options.workers)",
        {"2", "8"},
    ),
    "the attributes of a namespace, updated": (
        "from types import SimpleNamespace\noptions = SimpleNamespace(workers=2)\nmore = {'workers': ⟦8⟧}\n"
        "vars(options).update(more)\nDataLoader(data, num_workers=options.workers)",
        {"8"},
    ),
    "a function that gives a dictionary": (
        "def options():\n    return dict(num_workers=⟦8⟧)\nDataLoader(data, **options())",
        {"8"},
    ),
    "a module constant changed by a function nobody calls": (
        """
        OPTIONS = {'num_workers': ⟦2⟧}
        def load(data):
            return DataLoader(data, **OPTIONS)
        """,
        {"2"},
    ),
}

KEYWORDS: Cases = {
    "nobody calls": ("def load(data, **kwargs):\n    return DataLoader(data, **kwargs)", {"open"}),
    "a caller's keyword": (
        """
        def load(data, **kwargs):
            return DataLoader(data, **kwargs)
        load(1, num_workers=⟦8⟧)
        """,
        {"8"},
    ),
    "a caller without it": (
        """
        def load(data, **kwargs):
            return DataLoader(data, **kwargs)
        load(1, shuffle=True)
        """,
        {"0 unwritten"},
    ),
    "two callers": (
        """
        def load(data, **kwargs):
            return DataLoader(data, **kwargs)
        load(1, num_workers=⟦8⟧)
        load(2)
        """,
        {"8", "0 unwritten"},
    ),
    "a caller's splat": (
        """
        def load(data, **kwargs):
            return DataLoader(data, **kwargs)
        options = {'num_workers': ⟦8⟧}
        load(1, **options)
        """,
        {"8"},
    ),
    "through two functions": (
        """
        def load(data, **kwargs):
            return DataLoader(data, **kwargs)
        def both(**kwargs):
            return load(1, **kwargs), load(2, **kwargs)
        both(num_workers=⟦8⟧)
        """,
        {"8"},
    ),
    "a keyword that another parameter takes": (
        """
        def load(data, num_workers=4, **kwargs):
            return DataLoader(data, **kwargs)
        load(1, num_workers=8)
        """,
        {"0 unwritten"},
    ),
    "setdefault on the function's own": (
        """
        def load(data, **kwargs):
            kwargs.setdefault('num_workers', ⟦2⟧)
            return DataLoader(data, **kwargs)
        load(1)
        load(1, num_workers=⟦8⟧)
        """,
        {"2", "8"},
    ),
    "get with a default on the function's own": (
        """
        def load(data, **kwargs):
            return DataLoader(data, num_workers=kwargs.get('workers', ⟦2⟧))
        load(1)
        load(1, workers=⟦8⟧)
        """,
        {"2", "8"},
    ),
    "update with the function's own, which some callers leave without the key": (
        """
        def load(data, **kwargs):
            options = {'num_workers': ⟦2⟧}
            options.update(kwargs)
            return DataLoader(data, **options)
        load(1, shuffle=True)
        load(1, num_workers=⟦0⟧)
        """,
        {"2", "0"},
    ),
    "update with settings that need not be given": (
        """
        OPTIONS = {'num_workers': ⟦2⟧}
        def load(data, more=None):
            options = OPTIONS.copy()
            if more:
                options.update(more)
            return DataLoader(data, **options)
        load(1, {'persistent_workers': True})
        load(1, {'num_workers': ⟦0⟧})
        load(1)
        """,
        {"2", "0"},
    ),
    "update with what a method of each subclass gives": (
        """
        class Common:
            def load(self):
                options = {'num_workers': ⟦2⟧}
                options.update(self.more())
                return DataLoader(data, **options)
        class Train(Common):
            def more(self):
                return {'batch_size': 4}
        class Test(Common):
            def more(self):
                return {'num_workers': ⟦0⟧}
        Train().load()
        Test().load()
        """,
        {"2", "0"},
    ),
    "pop with a default on the function's own, nobody calling": (
        """
        def load(data, **kwargs):
            return DataLoader(data, num_workers=kwargs.pop('workers', ⟦2⟧))
        """,
        {"2", "open"},
    ),
    "a class's own": (
        """
        class Data:
            def __init__(self, **kwargs):
                self.kwargs = kwargs
            def load(self, data):
                return DataLoader(data, **self.kwargs)
        Data(num_workers=⟦8⟧)
        """,
        {"8"},
    ),
}

NAMES_OF_A_FUNCTION: Cases = {
    "a parameter": (
        """
        def run(num_workers=⟦4⟧):
            config = locals()
            return DataLoader(data, num_workers=config['num_workers'])
        run()
        """,
        {"4"},
    ),
    "what a caller gives, splatted and handed on": (
        """
        def load(dataset, num_workers=2):
            return DataLoader(dataset, num_workers=num_workers)
        def run(dataset, num_workers):
            return load(**locals())
        run(data, ⟦8⟧)
        """,
        {"8"},
    ),
    "a name bound before it": (
        "def run():\n    n = 2\n    n = ⟦4⟧\n    c = locals()\n    n = 8\n"
        "    DataLoader(data, num_workers=c['n'])\nrun()",
        {"4"},
    ),
    "a name bound after it": (
        "def run():\n    c = locals()\n    n = 8\n    DataLoader(data, num_workers=c.get('n', ⟦1⟧))\nrun()",
        {"1"},
    ),
    "a name bound in one arm": (
        "def run(fast):\n    if fast:\n        n = ⟦4⟧\n    c = locals()\n"
        "    DataLoader(data, num_workers=c.get('n', ⟦1⟧))\nrun(given())",
        {"4", "1"},
    ),
    "a name taken away": (
        "def run():\n    n = 4\n    del n\n    c = vars()\n    DataLoader(data, num_workers=c.get('n', ⟦1⟧))\nrun()",
        {"1"},
    ),
    "vars of nothing": ("def run(n=⟦4⟧):\n    DataLoader(data, num_workers=vars()['n'])\nrun()", {"4"}),
    "an item set afterwards": (
        "def run(n=4):\n    c = locals()\n    c['n'] = ⟦8⟧\n    DataLoader(data, num_workers=c['n'])\nrun()",
        {"8"},
    ),
    "what a name stands for changes afterwards": (
        "def run():\n    o = {'n': 4}\n    c = locals()\n    o['n'] = 8\n"
        "    DataLoader(data, num_workers=c['o']['n'])\nrun()",
        {"open"},
    ),
    "names of a function around it": (
        "def outer(n=4):\n    def run():\n        return locals(), n\n"
        "    DataLoader(data, num_workers=run()[0].get('n', ⟦1⟧))\nouter()",
        {"1", "open"},
    ),
    "those of a module": ("n = 4\nc = locals()\nDataLoader(data, num_workers=c['n'])", {"open"}),
    "a function of the project called so": (
        "def locals():\n    return {'n': ⟦2⟧}\ndef run(n=4):\n    DataLoader(data, num_workers=locals()['n'])\nrun()",
        {"2"},
    ),
}

CALLERS_ELSEWHERE: Cases = {
    "a dictionary from another file": (
        {
            "main.py": f"{IMPORT}from settings import O\nDataLoader(data, **O)",
            "settings.py": "O = {'num_workers': ⟦8⟧}",
        },
        {"8"},
    ),
    "a caller's keyword in another file": (
        {
            "data.py": f"{IMPORT}def load(data, **kwargs):\n    return DataLoader(data, **kwargs)\n",
            "main.py": "from data import load\nload(1, num_workers=⟦8⟧)\n",
        },
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), LOCAL.values(), ids=LOCAL.keys())
def test_dictionaries(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), KEYWORDS.values(), ids=KEYWORDS.keys())
def test_keywords_of_a_function(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), NAMES_OF_A_FUNCTION.values(), ids=NAMES_OF_A_FUNCTION.keys())
def test_names_of_a_function_as_a_dictionary(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), CALLERS_ELSEWHERE.values(), ids=CALLERS_ELSEWHERE.keys())
def test_dictionaries_of_other_files(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_an_unseen_splat_leaves_every_option_open_but_the_ones_written_beside_it() -> None:
    loader = loader_of("DataLoader(data, batch_size=8, **options())")
    assert [one.constant for one in loader.option("batch_size").candidates] == [8]
    assert not loader.option("batch_size").open
    assert loader.num_workers.open and not loader.num_workers.candidates
    assert loader.prefetch_factor.open


def test_an_entry_of_a_dictionary_can_be_taken_away() -> None:
    (workers,) = loader_of("options = {'num_workers': 8}\nDataLoader(data, **options)").num_workers.candidates
    assert workers.entry is not None and (workers.entry.column, workers.entry.end_column) == (12, 28)


@pytest.mark.parametrize(
    ("option", "written", "goes"),
    [
        ("multiprocessing_context", "{'multiprocessing_context': 'fork'}", True),
        ("multiprocessing_context", "{'method': 'fork'}", False),
        ("prefetch_factor", "{'ahead': 4}", True),
    ],
)
def test_a_text_is_taken_away_under_the_options_own_name_alone(option: str, written: str, goes: bool) -> None:
    key = written.split("'")[1]
    loader = loader_of(f"given = {written}\nDataLoader(data, num_workers=2, {option}=given.get({key!r}))")
    (candidate,) = loader.option(option).candidates
    assert (candidate.entry is not None) is goes


def test_options_added_under_one_condition_come_together() -> None:
    files = """
        options = {'num_workers': 0}
        if fast:
            options['num_workers'] = 4
            options['prefetch_factor'] = 8
        DataLoader(data, **options)
        """
    assert met(files) == {("4", "8"), ("0", "None")}


def test_an_update_that_lacks_a_key_comes_together_with_what_was_there_before() -> None:
    files = """
        TRAIN = {'prefetch_factor': 4}
        TEST = {'num_workers': 0}
        options = {'num_workers': 2}
        options.update(TRAIN if train else TEST)
        DataLoader(data, **options)
        """
    assert met(files) == {("2", "4"), ("0", "None")}


def test_a_copy_with_fields_that_not_all_callers_give_keeps_what_was_set_on_the_first() -> None:
    files = """
        from dataclasses import dataclass, replace
        @dataclass
        class Options:
            num_workers: int = 0
            prefetch_factor: int | None = None
        def load(data, more):
            options = Options()
            options.num_workers = 2
            options = replace(options, **more)
            return DataLoader(data, num_workers=options.num_workers, prefetch_factor=options.prefetch_factor)
        load(1, {'prefetch_factor': 4})
        load(1, {'num_workers': 0})
        """
    assert met(files) == {("2", "4"), ("0", "None")}


def test_options_of_dictionaries_in_two_arms_do_not_mix() -> None:
    files = """
        if fast:
            options = {'num_workers': 4, 'prefetch_factor': 8}
        else:
            options = {'num_workers': 0}
        DataLoader(data, **options)
        """
    assert met(files) == {("4", "8"), ("0", "None")}


def test_keywords_of_one_caller_do_not_meet_those_of_another() -> None:
    files = """
        def load(data, **kwargs):
            return DataLoader(data, **kwargs)
        load(1, num_workers=4, prefetch_factor=8)
        load(2)
        """
    assert met(files) == {("4", "8"), ("0", "None")}


def test_a_name_that_becomes_a_part_of_what_it_stood_for() -> None:
    files = """
        def load(key=None):
            options = {'num_workers': 4, 'inner': {'num_workers': 2}}
            if key is not None:
                options = options[key]
            show(options)
            return options
        DataLoader(data, num_workers=load()['num_workers'])
        DataLoader(data, num_workers=load('inner')['num_workers'])
        """
    found = [[one.constant for one in loader.num_workers.candidates] for loader in loaders_of(files)]
    assert found == [[4], [2]]


_ASKED = "DataLoader(data, num_workers=⟦8⟧ if 'size' in options else ⟦2⟧)\n"
_WITH, _WITHOUT = _ASKED.replace("⟦2⟧", "2"), _ASKED.replace("⟦8⟧", "8")
_HELPER = """
def read(options, key):
    if options is not None and key in options:
        return options[key]
    return None
def load(options, data=None):
    name = read(options, "name")
    if name:
        data = find(name)
    if data is not None:
        return DataLoader(data, num_workers=options["num_workers"])
"""

ASKED: Cases = {
    "which has it": ("options = {'size': 1}\n" + _WITH, {"8"}),
    "which does not have it": ("options = {'shape': 1}\n" + _WITHOUT, {"2"}),
    "which has it under a name that is not asked for": (
        "options = {'size': 1}\n" + _WITHOUT.replace("in options", "not in options"),
        {"2"},
    ),
    "to which it is added": ("options = {}\noptions['size'] = 1\n" + _WITH, {"8"}),
    "from which it is taken": ("options = {'size': 1}\noptions.pop('size')\n" + _WITHOUT, {"2"}),
    "to which it may be added": ("options = {}\nif some():\n    options['size'] = 1\n" + _ASKED, {"8", "2"}),
    "to which something is added": ("options = {}\noptions[some()] = 1\n" + _ASKED, {"8", "2"}),
    "which something out of sight may fill": ("options = {}\nfill(options)\n" + _ASKED, {"8", "2"}),
    "which a function fills": (
        "options = {}\ndef register(name):\n    options[name] = 1\nregister(some())\n" + _ASKED,
        {"8", "2"},
    ),
    "of which not all was seen": ("options = dict(**some())\n" + _ASKED, {"8", "2"}),
    "of a caller that gives it": (
        "def load(**options):\n    " + _WITH + "load(size=1)\n",
        {"8"},
    ),
    "of a caller that does not give it": (
        "def load(**options):\n    " + _WITHOUT + "load(shape=1)\n",
        {"2"},
    ),
    "of a file": (
        {
            "main.py": IMPORT + "import yaml\noptions = yaml.safe_load(open('a.yaml'))\n" + _WITH,
            "a.yaml": "size: 1\nshape: 4\n",
        },
        {"8"},
    ),
    "of a configuration that a file may bring new keys to": (
        "from yacs.config import CfgNode\noptions = CfgNode(new_allowed=True)\noptions.shape = 1\n"
        "options.merge_from_file(some())\n" + _ASKED,
        {"8", "2"},
    ),
    "of a file that another one imports and may fill": (
        {
            "settings.py": "options = {'shape': 1}\n",
            "plugin.py": "from settings import options\noptions['size'] = 2\n",
            "main.py": IMPORT + "import plugin\nfrom settings import options\n" + _ASKED,
        },
        {"8", "2"},
    ),
    "of a module, in a function": (
        "from library import fill\noptions = {'shape': 1}\nfill(options)\ndef main():\n    " + _ASKED + "main()\n",
        {"8", "2"},
    ),
    "by a method that has another name": (
        "options = {'shape': 1}\nadd = options.setdefault\nadd('size', 2)\n" + _ASKED,
        {"8", "2"},
    ),
    "by a function that is handed it": (
        _HELPER
        + "load({'num_workers': 4})\nload({'num_workers': ⟦8⟧}, [1])\nload({'num_workers': ⟦2⟧, 'name': 'a'})\n",
        {"8", "2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), ASKED.values(), ids=ASKED.keys())
def test_a_dictionary_is_asked_for_a_key(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected
