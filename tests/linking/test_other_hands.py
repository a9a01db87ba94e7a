"""Values that other code has its hands on: methods of other objects, metaclasses, the program's own environment."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

CLASS = "class Cfg:\n    kept = {'num_workers': ⟦2⟧}\n"
SPLAT = "\nDataLoader(data, **Cfg.kept)\n"

IN_ATTRIBUTES: Cases = {
    "a class's dictionary, by a method": (
        f"{CLASS}    def start(self):\n        self.kept['num_workers'] = 4\n{SPLAT}",
        {"2", "open"},
    ),
    "a class's dictionary, by its name": (f"{CLASS.replace('⟦2⟧', '2')}Cfg.kept['num_workers'] = ⟦4⟧{SPLAT}", {"4"}),
    "another key of a class's dictionary": (f"{CLASS}Cfg.kept['timeout'] = 4{SPLAT}", {"2"}),
    "a class's dictionary of the same name": (
        f"{CLASS}class Other:\n    kept = {{}}\nOther.kept['num_workers'] = 4{SPLAT}",
        {"2"},
    ),
    "a class's dictionary, read by an object": (
        f"{CLASS}def start():\n    Cfg.kept['num_workers'] = 4\ncfg = Cfg()\nDataLoader(data, **cfg.kept)\n",
        {"2", "open"},
    ),
}

MADE_OVER: Cases = {
    "a metaclass": (
        "class Meta(type):\n    pass\nclass Cfg(metaclass=Meta):\n    workers = 2\n"
        "DataLoader(data, num_workers=Cfg.workers)\n",
        {"open"},
    ),
    "a metaclass of the library": (
        "from abc import ABCMeta\nclass Cfg(metaclass=ABCMeta):\n    workers = ⟦2⟧\n"
        "DataLoader(data, num_workers=Cfg.workers)\n",
        {"2"},
    ),
    "__getattribute__": (
        "class Cfg:\n    workers = 2\n    def __getattribute__(self, name):\n        return 4\n"
        "DataLoader(data, num_workers=Cfg().workers)\n",
        {"open"},
    ),
    "__getattr__, which is asked for what is missing": (
        "class Cfg:\n    workers = ⟦2⟧\n    def __getattr__(self, name):\n        return 4\n"
        "DataLoader(data, num_workers=Cfg().workers)\n",
        {"2"},
    ),
}

READ = "\nDataLoader(data, num_workers=int(os.environ.get('WORKERS', {})))\n"
VARIABLES: Cases = {
    "set before": (f"import os\nos.environ['WORKERS'] = ⟦'4'⟧{READ.format('2')}", {"4 shared"}),
    "set before, read by subscript": (
        "import os\nos.environ['WORKERS'] = ⟦'4'⟧\nDataLoader(data, num_workers=int(os.environ['WORKERS']))\n",
        {"4 shared"},
    ),
    "another one set before": (f"import os\nos.environ['DEPTH'] = '4'{READ.format('⟦2⟧')}", {"2", "open"}),
    "set under a condition": (
        f"import os\nif debug():\n    os.environ['WORKERS'] = '4'{READ.format('⟦2⟧')}",
        {"2", "open"},
    ),
    "set at the top of the file": (
        "import os\nos.environ['WORKERS'] = ⟦'4'⟧\ndef load():\n"
        "    return DataLoader(data, num_workers=int(os.environ['WORKERS']))\n",
        {"4 shared"},
    ),
}

MATCHED: Cases = {
    "a dictionary is no word": (
        "given = {'n': ⟦9⟧}\nDataLoader(data, num_workers=3 if given == 'train' else given['n'])\n",
        {"9"},
    ),
    "a dictionary is none of some words": (
        "given = {'n': ⟦9⟧}\nDataLoader(data, num_workers=3 if given in ('train', 'val') else given['n'])\n",
        {"9"},
    ),
    "a list is not a word": (
        "given = [9]\nDataLoader(data, num_workers=⟦3⟧ if given != 'train' else 4)\n",
        {"3"},
    ),
    "two words": ("given = 'val'\nDataLoader(data, num_workers=3 if given == 'train' else ⟦4⟧)\n", {"4"}),
}

COPIED: Cases = {
    "a shallow copy": (
        "import copy\ncfg = {'loader': {'num_workers': ⟦2⟧}}\nother = copy.copy(cfg)\n"
        "other['loader']['num_workers'] = 4\nDataLoader(data, **cfg['loader'])\n",
        {"2", "open"},
    ),
    "a deep copy": (
        "import copy\ncfg = {'loader': {'num_workers': ⟦2⟧}}\nother = copy.deepcopy(cfg)\n"
        "other['loader']['num_workers'] = 4\nDataLoader(data, **cfg['loader'])\n",
        {"2"},
    ),
    "a key of a shallow copy": (
        "cfg = {'num_workers': ⟦2⟧}\nother = cfg.copy()\nother['num_workers'] = 4\nDataLoader(data, **cfg)\n",
        {"2"},
    ),
}


EVERY = {**IN_ATTRIBUTES, **MADE_OVER, **VARIABLES, **MATCHED, **COPIED}


@pytest.mark.parametrize(("files", "expected"), EVERY.values(), ids=EVERY.keys())
def test_what_other_hands_make_of_a_value(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
