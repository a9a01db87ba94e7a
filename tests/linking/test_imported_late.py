"""What modules add to a registry that workers read, where the main process alone imports them."""

from __future__ import annotations

import pytest

from loaderlint.model.worker_code import WorkerCode
from tests.linking.traced import loader_of

REGISTRY = """
class Registry:
    def __init__(self):
        self._items = {}
    def register(self, name):
        def adding(made):
            self._items[name] = made
            return made
        return adding
    def add(self, made):
        self._items[made.__name__] = made
        return made
    def get(self, name):
        return self._items[name]
READERS = Registry()
TABLE = {}
def register(made):
    TABLE[made.__name__] = made
    return made
class Reader:
    known = {}
    def __init_subclass__(cls):
        cls.known[cls.__name__] = cls
COUNT = 0
"""
DATA = """
from torch.utils.data import Dataset
import numpy
import registry
from registry import READERS, TABLE, Reader
⟨above⟩
class Points(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        ⟨inside⟩
        return READERS.get("triple")(index) + TABLE["triple"](index) + Reader.known["Triple"](
            numpy.abs(index) + registry.COUNT
        )
"""
PROGRAM = """
import importlib
from torch.utils.data import DataLoader
from data import Points
⟨above⟩
def main(name):
    ⟨before⟩
    for batch in DataLoader(Points(), num_workers=2):
        print(batch)
if __name__ == "__main__":
    ⟨guarded⟩
    main("readers.triple")
"""
TRIPLE = "from registry import READERS\n@READERS.register('triple')\ndef triple(index):\n    return index\n"
FOUND = "READERS.register('triple')"
IMPORT = "import readers.triple"


def code(readers: str = TRIPLE, beside: str = "", inside: str = "pass", **parts: str) -> WorkerCode:
    program, data = PROGRAM, DATA.replace("⟨above⟩", beside).replace("⟨inside⟩", inside)
    for part in ("above", "before", "guarded"):
        program = program.replace(f"⟨{part}⟩", parts.get(part, "" if part == "above" else "pass"))
    files = {"registry.py": REGISTRY, "readers/__init__.py": "", "readers/triple.py": readers, "data.py": data}
    return loader_of({**files, "main.py": program, "more.py": "import readers.triple\n"}).payload.code


def added(**parts: str) -> str:
    found = code(**parts).imported_late()
    return found.what if found is not None else ""


ADDED = {
    "an import in a function": ({"before": IMPORT}, FOUND),
    "what a function takes from the module": ({"before": "from readers.triple import triple"}, FOUND),
    "what a function takes from the package": ({"before": "from readers import triple"}, FOUND),
    "an import under the guard": ({"guarded": IMPORT}, FOUND),
    "an import by name": ({"before": "importlib.import_module('readers.triple')"}, FOUND),
    "an import by a name that is not known": ({"before": "importlib.import_module(name)"}, FOUND),
    "an import by a module that is imported so": ({"before": "import more"}, FOUND),
    "a method that decorates as it is": (
        {"before": IMPORT, "readers": "import registry\n@registry.READERS.add\ndef triple(index):\n    return index"},
        "registry.READERS.add",
    ),
    "a method that is called": (
        {"before": IMPORT, "readers": "from registry import READERS\nREADERS.add(len)"},
        "READERS.add(len)",
    ),
    "an item of a dictionary": (
        {"before": IMPORT, "readers": "from registry import TABLE\nTABLE['triple'] = len"},
        "TABLE['triple'] = len",
    ),
    "a function that changes a dictionary": (
        {"before": IMPORT, "readers": "from registry import register\n@register\ndef triple(index):\n    return index"},
        "register",
    ),
    "a class that its base registers": (
        {"before": IMPORT, "readers": "from registry import Reader\nclass Triple(Reader):\n    pass"},
        "Reader",
    ),
    "what another module offers": (
        {"before": IMPORT, "readers": "from data import READERS\nREADERS.add(len)"},
        "READERS.add(len)",
    ),
}
SPELLED = {
    "under another name": ("from registry import TABLE as R\nR['a'] = abs", "R['a'] = abs"),
    "behind its import": ("from registry import TABLE; TABLE['a'] = abs", "TABLE['a'] = abs"),
    "as an attribute of the module": ("import registry\nregistry.COUNT = 5", "registry.COUNT = 5"),
    "behind the import of the module": ("import registry; registry.COUNT = 5", "registry.COUNT = 5"),
    "beside another name": ("import registry\nx = registry.COUNT = 5", "x = registry.COUNT = 5"),
    "under a condition on its line": ("import registry\nif True: registry.COUNT = 5", "registry.COUNT = 5"),
    "with its type": ("import registry\nregistry.COUNT: int = 5", "registry.COUNT: int = 5"),
    "over two lines": ("import registry\nregistry \\\n    .COUNT = 5", "registry \\ .COUNT = 5"),
    "of a module called self": ("import registry as self\nself.COUNT = 5", "self.COUNT = 5"),
    "by its name": ("import registry\nsetattr(registry, 'COUNT', 5)", "setattr(registry, 'COUNT', 5)"),
    "in the module's dictionary": ("import registry\nvars(registry)['COUNT'] = 5", "vars(registry)['COUNT'] = 5"),
    "in the header of a function": (
        "import registry\ndef triple(x=registry.TABLE.setdefault('a', abs)):\n    pass",
        "registry.TABLE.setdefault('a', abs)",
    ),
    "in the header of a class": (
        "import registry\nclass Triple(registry.TABLE.setdefault('a', object)):\n    pass",
        "registry.TABLE.setdefault('a', object)",
    ),
    "by a decorator of another name": (
        "from registry import register as add\n@add\ndef triple(index):\n    return index",
        "add",
    ),
    "by a base of another name": ("from registry import Reader as R\nclass Triple(R):\n    pass", "R"),
    "on a class of another name": ("from registry import Reader as R\nR.known = {}", "R.known = {}"),
    "of a library": ("import numpy\nnumpy.abs = len", "numpy.abs = len"),
    "of a library by its name": ("import numpy\nsetattr(numpy, 'abs', len)", "setattr(numpy, 'abs', len)"),
    "of a library behind its import": ("import numpy; numpy.abs = len", "numpy.abs = len"),
    "of a library in a try": ("import numpy\ntry: numpy.abs = len\nfinally: pass", "numpy.abs = len"),
    "that is added to": ("import registry\nregistry.COUNT += 1", "registry.COUNT += 1"),
    "among others": ("import registry\nregistry.COUNT, other = 1, 2", "registry.COUNT, other = 1, 2"),
    "by another name of the module": ("import registry\nm = registry\nm.COUNT = 5", "m.COUNT = 5"),
    "by the name of the module": ("import sys\nsys.modules['registry'].COUNT = 5", "sys.modules['registry']"),
    "by what an import gives": (
        "import importlib\nm = importlib.import_module('registry')\nm.COUNT = 5",
        "m.COUNT = 5",
    ),
    "by what updates the module's dictionary": (
        "import registry\nvars(registry).update(COUNT=5)",
        "vars(registry).update(COUNT=5)",
    ),
    "through another module": ("import data\ndata.registry.COUNT = 5", "data.registry.COUNT = 5"),
    "by a loop": ("import registry\nfor registry.COUNT in range(5): pass", "for registry.COUNT in range(5): pass"),
    "that is taken away": ("import registry\ndel registry.COUNT", "del registry.COUNT"),
    "of a library that is added to": ("import numpy\nnumpy.abs += 1", "numpy.abs += 1"),
    "of a library among others": ("import numpy\nnumpy.cos, numpy.abs = 1, 2", "numpy.cos, numpy.abs = 1, 2"),
    "of a library by another name": ("import numpy\nm = numpy\nm.abs = len", "m.abs = len"),
    "of a library by the name of its module": ("import sys\nsys.modules['numpy'].abs = len", "sys.modules['numpy']"),
    "the default of tensors": (
        "import torch\ntorch.set_default_dtype(torch.float64)",
        "torch.set_default_dtype(torch.float64)",
    ),
    "of a library beside another": ("import numpy\nnumpy.abs = numpy.cos = len", "numpy.abs = numpy.cos = len"),
}
NOT_ADDED = {
    "no import": {},
    "an import at the top": {"above": IMPORT},
    "an import at the top and in a function": {"above": IMPORT, "before": IMPORT},
    "an import at the top of what is at the top": {"above": "import more", "before": IMPORT},
    "an import beside the data": {"beside": IMPORT, "before": IMPORT},
    "an import for types alone": {"above": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import more"},
    "an import that the workers make": {"inside": IMPORT},
    "another module": {"before": "import readers"},
    "a module that looks": {"before": IMPORT, "readers": "from registry import READERS\nprint(READERS.get('double'))"},
    "a module that imports it alone": {
        "before": IMPORT,
        "readers": "from registry import (\n    READERS,\n    TABLE,\n)\n",
    },
    "a module that sets another attribute": {"before": IMPORT, "readers": "import registry\nregistry.OTHER = 5\n"},
    "a registry that no worker reads": {
        "before": IMPORT,
        "readers": "from registry import Registry\nWRITERS = Registry()\n@WRITERS.add\ndef triple(index):\n    pass",
    },
    "a function of the module that changes it": {
        "before": IMPORT,
        "readers": "from registry import READERS\ndef fill():\n    READERS.add(len)",
    },
}


@pytest.mark.parametrize(("parts", "what"), ADDED.values(), ids=ADDED.keys())
def test_what_a_module_adds_that_the_main_process_alone_imports(parts: dict[str, str], what: str) -> None:
    assert added(**parts) == what


@pytest.mark.parametrize(("readers", "what"), SPELLED.values(), ids=SPELLED.keys())
def test_a_module_may_spell_what_it_changes_in_every_way(readers: str, what: str) -> None:
    assert added(before=IMPORT, readers=f"{readers}\n") == what


NOT_SPELLED = {
    "another that is added to": "import registry\nregistry.OTHER += 1",
    "others": "import registry\nregistry.OTHER, COUNT = 1, 2",
    "another by another name of the module": "import registry\nm = registry\nm.OTHER = 5",
    "of another module by another name": "import registry, other\nm = registry\nm = other\nm.COUNT = 5",
    "another by the name of the module": "import sys\nsys.modules['registry'].OTHER = 5",
    "by the name of another module": "import sys\nsys.modules['other'].COUNT = 5",
    "of something else that has such names": "import registry\nmodules = {}\nmodules['registry'].COUNT = 5",
    "of a class of its own": "import registry\nclass Own:\n    COUNT = 1\nOwn.COUNT = 5",
    "through a module that does not import it": "import readers\nreaders.registry.COUNT = 5",
    "in a function": "import registry\ndef count():\n    registry.COUNT = 5",
    "what is read of a library among others": "import numpy\nfound, other = numpy.abs, numpy.cos",
    "another of a library by another name": "import numpy\nm = numpy\nm.cos = len",
    "how tensors are printed": "import torch\ntorch.set_printoptions(precision=1)",
}


@pytest.mark.parametrize("readers", NOT_SPELLED.values(), ids=NOT_SPELLED.keys())
def test_a_module_may_set_what_has_the_same_name(readers: str) -> None:
    assert added(before=IMPORT, readers=f"{readers}\n") == ""


@pytest.mark.parametrize("parts", NOT_ADDED.values(), ids=NOT_ADDED.keys())
def test_what_workers_add_themselves_or_never_read(parts: dict[str, str]) -> None:
    assert added(**parts) == ""


def test_it_is_left_behind_where_workers_are_started_anew() -> None:
    registry = REGISTRY.partition("TABLE")[0]
    data = "from torch.utils.data import Dataset\nfrom registry import READERS\nclass Points(Dataset):\n"
    data += "    def __getitem__(self, index):\n        return READERS.get('triple')(index)\n"
    program = PROGRAM.replace("⟨above⟩", "").replace("⟨before⟩", "import triple").replace("⟨guarded⟩", "pass")
    files = {"registry.py": registry, "triple.py": TRIPLE, "data.py": data, "main.py": program}
    found = loader_of(files).payload.code
    assert found.imported_late() is not None
    assert found.left_behind() == found.changed_later() == found.imported_late()
    files["main.py"] = program.replace("import triple", "pass")
    assert loader_of(files).payload.code.left_behind() is None


PATCHED = {
    "a function of the project": ("from shared import scale", "scale(index)", "import shared\nshared.scale = abs"),
    "a function by its module": ("import shared", "shared.scale(index)", "import shared\nshared.scale = abs"),
    "a function of a library": ("import torch", "torch.sin(index)", "import torch as t\nt.sin = t.cos"),
}
NOT_PATCHED = {
    "another function": ("import shared", "shared.scale(index)", "import shared\nshared.other = abs"),
    "another function of a library": ("import torch", "torch.sin(index)", "import torch as t\nt.tan = t.cos"),
    "a function that is called": ("import shared", "shared.scale(index)", "import shared\nshared.scale(1)"),
}


def patched(imports: str, reads: str, patch: str, called: str) -> str:
    points = f"{imports}\nfrom torch.utils.data import Dataset\nclass Points(Dataset):\n"
    files = {
        "shared.py": "def scale(index):\n    return index\ndef other(index):\n    return index\n",
        "patches.py": f"{patch}\n",
        "data.py": f"{points}    def __getitem__(self, index):\n        return {reads}\n",
        "main.py": PROGRAM.replace("⟨above⟩", "").replace("⟨before⟩", called).replace("⟨guarded⟩", "pass"),
    }
    found = loader_of(files).payload.code.left_behind()
    return found.what if found is not None else ""


@pytest.mark.parametrize(("imports", "reads", "patch"), PATCHED.values(), ids=PATCHED.keys())
def test_something_else_is_put_in_the_place_of_what_workers_call(imports: str, reads: str, patch: str) -> None:
    *above, last = patch.splitlines()
    function = "\n".join([*above, "def patch():", f"    {last}"])
    assert patched(imports, reads, patch, "import patches") == last
    assert patched(imports, reads, function, "from patches import patch; patch()") == last


@pytest.mark.parametrize(("imports", "reads", "patch"), NOT_PATCHED.values(), ids=NOT_PATCHED.keys())
def test_what_workers_call_stays_in_its_place(imports: str, reads: str, patch: str) -> None:
    assert patched(imports, reads, patch, "import patches") == ""
