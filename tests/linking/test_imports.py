from __future__ import annotations

import pytest

from loaderlint.linking.files.search_path import SearchPath
from tests.linking.traced import IMPORT, Cases, loader_of, traced

READS_N = f"{IMPORT}{{}}\nDataLoader(data, num_workers=N)\n"
READS_MODULE = f"{IMPORT}{{}}\nDataLoader(data, num_workers=constants.N)\n"


def of_applications(module: str, n: str = "⟦8⟧") -> dict[str, str]:
    """A program that calls what it finds in a module by a name of its own, one of two that there are."""
    run = f"import importlib\ndef run(name, n):\n    importlib.import_module({module}).main(n)\n"
    return {
        "main.py": f"{run}run('fast', {n})\nrun('slow', 4)\n",
        "apps/fast/train.py": f"{IMPORT}def main(n):\n    DataLoader(data, num_workers=n)\n",
        "apps/slow/train.py": "def main(n):\n    print(n)\n",
    }


ITSELF = f"{IMPORT}class Made:\n    def __init__(self, n):\n        DataLoader(data, num_workers=n)\n"

IMPORTS: Cases = {
    "a class of the script itself, which can be found again by that name": (
        {"train.py": f"{ITSELF}def main():\n    from train import Made as M\n    M(⟦8⟧)\nmain()\n"},
        {"8"},
    ),
    "a class of the script itself, from a folder above it": (
        {"tools/train.py": f"{ITSELF}def main():\n    from tools.train import Made\n    Made(⟦8⟧)\nmain()\n"},
        {"8"},
    ),
    "a library that a module of a package is named after": (
        {
            "pkg/__init__.py": "",
            "pkg/train.py": f"{ITSELF}def main():\n    from train import Made\n    Made(8)\nmain()\n",
        },
        {"open"},
    ),
    "what a library has that a script is named after, and the script has not": (
        {"train.py": "def main():\n    from train import DataLoader\n    DataLoader(1, num_workers=8)\nmain()\n"},
        {"no loader"},
    ),
    "a function of the name of its module, handed on by the package": (
        {
            "main.py": READS_N.format("from pkg import make\nN = make()"),
            "pkg/__init__.py": "from pkg.make import make\n",
            "pkg/make.py": "def make():\n    return ⟦8⟧\n",
        },
        {"8"},
    ),
    "a module whose package binds the name of another one's": (
        {
            "main.py": READS_MODULE.format("from pkg import constants"),
            "pkg/__init__.py": "from pkg.others import constants as others\n",
            "pkg/constants.py": "N = ⟦8⟧\n",
            "pkg/others.py": "constants = None\n",
        },
        {"8"},
    ),
    "a module by its full name where the package has a function of that name": (
        {
            "main.py": READS_N.format("from pkg.make import N"),
            "pkg/__init__.py": "from pkg.make import make\n",
            "pkg/make.py": "N = ⟦8⟧\ndef make():\n    return 4\n",
        },
        {"8"},
    ),
    "torch inside of a package that has a torch of its own": (
        {
            "pkg/__init__.py": "",
            "pkg/torch/__init__.py": "",
            "pkg/models/__init__.py": "",
            "pkg/models/net.py": "import torch\ntorch.utils.data.DataLoader(1, num_workers=⟦8⟧)\n",
        },
        {"8"},
    ),
    "another module of a package by its name alone": (
        {
            "pkg/__init__.py": "",
            "pkg/constants.py": "N = ⟦8⟧\n",
            "pkg/models/__init__.py": "",
            "pkg/models/net.py": READS_N.format("from constants import N"),
        },
        {"8"},
    ),
    "a torch that stands beside the program": (
        {
            "torch/__init__.py": "class DataLoader:\n    pass\n",
            "main.py": "import torch\ntorch.DataLoader(1, num_workers=8)\n",
        },
        {"no loader"},
    ),
    "from the package": (
        {"pkg/load.py": READS_MODULE.format("from . import constants"), "pkg/constants.py": "N = ⟦8⟧\n"},
        {"8"},
    ),
    "from a module of the package": (
        {"pkg/load.py": READS_N.format("from .constants import N"), "pkg/constants.py": "N = ⟦8⟧\n"},
        {"8"},
    ),
    "from the package above": (
        {"pkg/sub/load.py": READS_N.format("from ..constants import N"), "pkg/constants.py": "N = ⟦8⟧\n"},
        {"8"},
    ),
    "from further above than there are folders": (
        {"pkg/load.py": READS_N.format("from ...constants import N"), "elsewhere/constants.py": "N = 8\n"},
        {"open"},
    ),
    "under another name": (
        {"main.py": READS_N.format("from constants import M as N"), "constants.py": "M = ⟦8⟧\n"},
        {"8"},
    ),
    "handed on by a package": (
        {
            "main.py": READS_N.format("from pkg import N"),
            "pkg/__init__.py": "from .constants import N\n",
            "pkg/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a module of a package by its full name": (
        {
            "main.py": IMPORT + "import pkg.constants\nDataLoader(data, num_workers=pkg.constants.N)\n",
            "pkg/__init__.py": "",
            "pkg/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a module of a folder that is no package by its full name": (
        {
            "main.py": IMPORT + "import pkg.sub.constants\nDataLoader(data, num_workers=pkg.sub.constants.N)\n",
            "pkg/sub/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a module of a folder that is no package": (
        {"main.py": READS_MODULE.format("from pkg import constants"), "pkg/constants.py": "N = ⟦8⟧\n"},
        {"8"},
    ),
    "inside a function": (
        {
            "main.py": IMPORT + "def f():\n    from constants import N\n    return DataLoader(d, num_workers=N)\n",
            "constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "by the name it has in a larger repository that keeps a copy of the project": (
        {
            "setup.py": "setup(\n    name='mine',\n    version='1')\n",
            "mine/__init__.py": "",
            "tools/main.py": READS_N.format("from vast.repo.mine.tools.constants import N"),
            "tools/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "by a name of a larger repository, where the project's own package does not stand in it": (
        {
            "setup.py": "setup(\n    name='mine',\n    version='1')\n",
            "mine/__init__.py": "",
            "tools/main.py": READS_N.format("from vast.repo.tools.constants import N"),
            "tools/constants.py": "N = 8\n",
        },
        {"open"},
    ),
    "by the name of a package of another project that is called as one of the folders": (
        {
            "setup.py": "setup(\n    name='mine',\n    version='1')\n",
            "mine/__init__.py": "",
            "utils/__init__.py": "",
            "main.py": READS_N.format("from torch.utils.constants import N"),
            "constants.py": "N = 8\n",
        },
        {"open"},
    ),
    "by a name in a larger repository whose first part is known here": (
        {
            "setup.py": "setup(\n    name='mine',\n    version='1')\n",
            "mine/__init__.py": "",
            "vast/__init__.py": "",
            "main.py": READS_N.format("from vast.mine.constants import N"),
            "constants.py": "N = 8\n",
        },
        {"open"},
    ),
    "by a name in a larger repository, where two names are declared": (
        {
            "setup.py": "setup(name='mine')\nsetup(name='other')\n",
            "mine/__init__.py": "",
            "main.py": READS_N.format("from vast.mine.constants import N"),
            "constants.py": "N = 8\n",
        },
        {"open"},
    ),
    "whichever of two can be imported": (
        {
            "main.py": READS_N.format("try:\n    from fast import N\nexcept ImportError:\n    from slow import N"),
            "fast.py": "N = ⟦8⟧\n",
            "slow.py": "N = ⟦2⟧\n",
        },
        {"8", "2"},
    ),
    "everything": (
        {"main.py": READS_N.format("from constants import *"), "constants.py": "N = ⟦8⟧\n"},
        {"8"},
    ),
    "everything that a package has from everything of a module": (
        {
            "main.py": READS_N.format("from pkg import *"),
            "pkg/__init__.py": "from .constants import *\n",
            "pkg/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "everything of two modules: the last one counts": (
        {
            "main.py": READS_N.format("from one import *\nfrom other import *"),
            "one.py": "N = 2\n",
            "other.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "everything of two packages: the last one takes everything of a module that has it not": (
        {
            "main.py": READS_N.format("from pkg import N"),
            "pkg/__init__.py": "from .one import *\nfrom .other import *\n",
            "pkg/one.py": "N = ⟦8⟧\n",
            "pkg/other/__init__.py": "from .inner import *\n",
            "pkg/other/inner.py": "M = 2\n",
        },
        {"8"},
    ),
    "everything of two packages: the last one takes everything of a module that has it too": (
        {
            "main.py": READS_N.format("from pkg import N"),
            "pkg/__init__.py": "from .one import *\nfrom .other import *\n",
            "pkg/one.py": "N = 2\n",
            "pkg/other/__init__.py": "from .inner import *\n",
            "pkg/other/inner.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "everything that __all__ lists": (
        {"main.py": READS_N.format("from constants import *"), "constants.py": "__all__ = ['N']\nN = ⟦8⟧\n"},
        {"8"},
    ),
    "a package hands on a function under another name": (
        {
            "main.py": "import pkg as p\np.make_loader(data)\n",
            "pkg/__init__.py": "from .data import get_loader as make_loader\n",
            "pkg/data.py": IMPORT + "def get_loader(data, n=⟦8⟧):\n    return DataLoader(data, num_workers=n)\n",
        },
        {"8"},
    ),
    "a package hands on another function under that name": (
        {
            "main.py": "import pkg\npkg.make_loader(data, 2)\n",
            "pkg/__init__.py": "from .other import load as make_loader\n",
            "pkg/other.py": "def load(data, n): ...\n",
            "pkg/data.py": IMPORT + "def get_loader(data, n=⟦8⟧):\n    return DataLoader(data, num_workers=n)\n",
        },
        {"8", "open"},
    ),
    "everything but what __all__ leaves out": (
        {"main.py": READS_N.format("from constants import *"), "constants.py": "__all__ = ['M']\nN = 8\n"},
        {"open"},
    ),
    "everything but what is private": (
        {
            "main.py": IMPORT + "from constants import *\nDataLoader(data, num_workers=_N)\n",
            "constants.py": "_N = 8\n",
        },
        {"open"},
    ),
    "a module of the project beats one of the same name elsewhere": (
        {
            "one/main.py": READS_N.format("from constants import N"),
            "one/constants.py": "N = ⟦8⟧\n",
            "other/constants.py": "N = 2\n",
        },
        {"8"},
    ),
    "a package does not see its own modules as top-level ones": (
        {
            "train.py": "import models.load\n",
            "models/__init__.py": "",
            "models/load.py": READS_N.format("from constants import N"),
            "models/constants.py": "N = 2\n",
            "constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "the first module of the name that has what is imported": (
        {
            "tools/main.py": READS_N.format("from utils import N"),
            "tools/utils.py": "M = 2\n",
            "utils.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a package before a module of the same name": (
        {
            "main.py": READS_N.format("from constants import N"),
            "constants.py": "N = 2\n",
            "constants/__init__.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "src layout": (
        {
            "scripts/train.py": READS_N.format("from pkg.constants import N"),
            "src/pkg/__init__.py": "",
            "src/pkg/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a package beside a setup.py further down": (
        {
            "apps/train.py": READS_N.format("from pkg.constants import N"),
            "libraries/pkg/setup.py": "",
            "libraries/pkg/pkg/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a folder that nothing puts on the path": (
        {"scripts/train.py": READS_N.format("from constants import N"), "elsewhere/constants.py": "N = 8\n"},
        {"open"},
    ),
    "a folder put on the path": (
        {
            "scripts/train.py": READS_N.format(
                "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'elsewhere'))\n"
                "from constants import N"
            ),
            "elsewhere/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "one of several folders put on the path": (
        {
            "scripts/train.py": READS_N.format("import sys\nsys.path.append(folder)\nfrom constants import N"),
            "one/constants.py": "N = 8\n",
            "other/constants.py": "N = 2\n",
        },
        {"open"},
    ),
    "a package put on the path by a script": (
        {
            "train.py": READS_N.format("import sys\nsys.path.append('core')\nfrom constants import N"),
            "core/__init__.py": "",
            "core/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a folder of its own package put on the path": (
        {
            "pkg/__init__.py": "",
            "pkg/run/__init__.py": "",
            "pkg/run/train.py": READS_N.format("import sys\nsys.path.append('../config')\nfrom constants import N"),
            "pkg/config/__init__.py": "",
            "pkg/config/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    **{
        f"a folder inside another package put on the path: {change}": (
            {
                "pkg/__init__.py": "",
                "pkg/train.py": READS_N.format(
                    f"import os, sys\nfrom pathlib import Path\n{change}\nfrom constants import N"
                ),
                "other/__init__.py": "",
                "other/sub/__init__.py": "",
                "other/sub/constants.py": "N = ⟦8⟧\n",
                "third/__init__.py": "",
                "third/constants.py": "N = 9\n",
            },
            {"8"},
        )
        for change in (
            "sys.path.insert(0, 'other/sub')",
            "sys.path.append('./other/sub/')",
            "sys.path.insert(\n    0,\n    os.path.join(os.path.dirname(__file__), '..', 'other', 'sub'),\n)",
            "sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + '/../other/sub')",
            "sys.path.append(str(Path(__file__).parent.parent / 'other' / 'sub'))",
            "sys.path.append(f'{os.path.dirname(__file__)}/../other/sub')",
            "sys.path.extend(['more', 'other/sub'])",
            "sys.path += ['other/sub']",
        )
    },
    **{
        f"another folder than that of a module inside another package put on the path: {change}": (
            {
                "pkg/__init__.py": "",
                "pkg/train.py": READS_N.format(f"import os, sys\n{change}\nfrom constants import N"),
                "other/__init__.py": "",
                "other/sub/__init__.py": "",
                "other/sub/constants.py": "N = 8\n",
            },
            {"open"},
        )
        for change in (
            "sys.path.insert(0, 'other')",
            "sys.path.insert(0, 'sub')",
            "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))",
            "sys.path.insert(0, folder)  # 'other/sub'",
            "sys.path.remove('other/sub')",
            "# sys.path.append('other/sub')",
            "print(sys.path, 'other/sub')",
        )
    },
    "a module inside another package": (
        {
            "pkg/__init__.py": "",
            "pkg/train.py": READS_N.format("import sys\nsys.path.append(folder)\nfrom constants import N"),
            "other/__init__.py": "",
            "other/constants.py": "N = 8\n",
        },
        {"open"},
    ),
    "a module inside no package, for a file inside one": (
        {
            "tests/__init__.py": "",
            "tests/train.py": READS_N.format("import sys\nsys.path.append('../common')\nfrom constants import N"),
            "common/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "a module beside one called setup inside a package": (
        {
            "pkg/__init__.py": "",
            "pkg/train.py": READS_N.format("from constants import N"),
            "other/__init__.py": "",
            "other/trainer/__init__.py": "",
            "other/trainer/setup.py": "",
            "other/trainer/constants.py": "N = 8\n",
        },
        {"open"},
    ),
    "by importlib": (
        {
            "main.py": READS_MODULE.format("import importlib\nconstants = importlib.import_module('pkg.constants')"),
            "pkg/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "by importlib, what is called being of the module": (of_applications("f'apps.{name}.train'"), {"8"}),
    "by importlib, the module put together": (of_applications("'apps.' + name + '.train'"), {"8"}),
    "by importlib, the module not to be seen": (of_applications("f'apps.{named()}.train'", n="8"), {"open"}),
    "by importlib, relative": (
        {
            "pkg/main.py": READS_MODULE.format(
                "from importlib import import_module\nconstants = import_module('.constants', __package__)"
            ),
            "pkg/constants.py": "N = ⟦8⟧\n",
        },
        {"8"},
    ),
    "by importlib, which module is not written": (
        {
            "main.py": READS_MODULE.format("import importlib\nconstants = importlib.import_module(f'pkg.{name}')"),
            "pkg/constants.py": "N = 8\n",
        },
        {"open"},
    ),
    "modules that import each other": (
        {"main.py": READS_N.format("from other import N"), "other.py": "from main import N\n"},
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), IMPORTS.values(), ids=IMPORTS.keys())
def test_imports(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


LIVE = IMPORT + "import constants\ndef load():\n    return DataLoader(data, num_workers=constants.N)\n"
COPY = IMPORT + "from constants import N\ndef load():\n    return DataLoader(data, num_workers=N)\n"

SET_ELSEWHERE: Cases = {
    "by the file that reads it": (
        {
            "constants.py": "N = 4\n",
            "main.py": IMPORT + "import constants\nconstants.N = ⟦0⟧\nDataLoader(data, num_workers=constants.N)\n",
        },
        {"0"},
    ),
    "by a third file": (
        {
            "constants.py": "N = ⟦4⟧\n",
            "data.py": LIVE,
            "run.py": "import constants, data\nconstants.N = ⟦0⟧\ndata.load()\n",
        },
        {"4", "0"},
    ),
    "by a third file that calls the module something else": (
        {
            "pkg/constants.py": "N = ⟦4⟧\n",
            "pkg/data.py": LIVE.replace("import constants", "from pkg import constants"),
            "run.py": "import pkg.constants as c\nfrom pkg import data\nc.N = ⟦0⟧\ndata.load()\n",
        },
        {"4", "0"},
    ),
    "to something unseen": (
        {
            "constants.py": "N = ⟦4⟧\n",
            "data.py": LIVE,
            "run.py": "import constants, data, sys\nconstants.N = int(sys.argv[1])\ndata.load()\n",
        },
        {"4", "open"},
    ),
    "for the module's own functions": (
        {
            "data.py": IMPORT + "N = ⟦4⟧\ndef load():\n    return DataLoader(data, num_workers=N)\n",
            "run.py": "import data\ndata.N = ⟦0⟧\ndata.load()\n",
        },
        {"4", "0"},
    ),
    "after it may have been copied": (
        {
            "constants.py": "N = ⟦4⟧\n",
            "data.py": COPY,
            "run.py": "import constants, data\nconstants.N = 0\ndata.load()\n",
        },
        {"4", "open"},
    ),
    "on another module": (
        {
            "constants.py": "N = ⟦4⟧\n",
            "others.py": "N = 2\n",
            "data.py": LIVE,
            "run.py": "import others, data\nothers.N = 0\ndata.load()\n",
        },
        {"4"},
    ),
    "on an object": (
        {
            "constants.py": "N = ⟦4⟧\n",
            "data.py": LIVE,
            "run.py": "import data\nclass Box:\n    pass\nconstants = Box()\nconstants.N = 0\ndata.load()\n",
        },
        {"4"},
    ),
    "by a function that says global": (
        "N = ⟦4⟧\ndef quick():\n    global N\n    N = ⟦0⟧\ndef load():\n    return DataLoader(data, num_workers=N)\n",
        {"4", "0"},
    ),
    "by globals()": (
        "N = 4\nglobals()['N'] = ⟦8⟧\nDataLoader(data, num_workers=N)\n",
        {"8"},
    ),
    "by globals() under a name that is not written": (
        "N = ⟦4⟧\nfor key, value in given():\n    globals()[key] = value\nDataLoader(data, num_workers=N)\n",
        {"4", "open"},
    ),
    "by globals().update": (
        "N = ⟦4⟧\nglobals().update(given())\nDataLoader(data, num_workers=N)\n",
        {"4", "open"},
    ),
    "by a module on itself": (
        "import sys\nN = 4\nsetattr(sys.modules[__name__], 'N', ⟦8⟧)\nDataLoader(data, num_workers=N)\n",
        {"8"},
    ),
    "by globals() in a function": (
        "N = ⟦4⟧\ndef take(key, value):\n    globals()[key] = value\n"
        "def load():\n    return DataLoader(data, num_workers=N)\n",
        {"4", "open"},
    ),
    "by a file that is executed": (
        "N = ⟦4⟧\nexec(open('configurator.py').read())\nDataLoader(data, num_workers=N)\n",
        {"4", "open"},
    ),
    "by a file that is executed before": (
        "exec(open('configurator.py').read())\nN = ⟦4⟧\nDataLoader(data, num_workers=N)\n",
        {"4"},
    ),
    "by a file that is executed for its own sake": (
        "N = ⟦4⟧\nsettings = {}\nexec(open('settings.py').read(), settings)\nDataLoader(data, num_workers=N)\n",
        {"4"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), SET_ELSEWHERE.values(), ids=SET_ELSEWHERE.keys())
def test_names_of_a_module_that_are_set_elsewhere(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_a_name_that_modules_take_from_each_other_by_a_star_is_none_and_ends_no_run() -> None:
    loader = loader_of(
        {
            "main.py": "from torch.utils.data import DataLoader, Dataset\nfrom pkg import helper\n"
            "class Rows(Dataset):\n    def __getitem__(self, index):\n        return helper(index)\n"
            "loader = DataLoader(Rows(), num_workers=2)\n",
            "pkg/__init__.py": "from pkg.one import *\n",
            "pkg/one.py": "from pkg import helper\n",
        }
    )
    assert loader.payload.kept == ()


def test_of_several_folders_with_the_name_that_is_put_on_the_path_the_nearest_is_meant() -> None:
    near, far = "pkg/sub/constants.py", "sub/constants.py"
    packages = ("pkg/__init__.py", "pkg/sub/__init__.py", "sub/__init__.py")
    for paths in ({near, far}, {far}):
        search = SearchPath(frozenset({*packages, *paths}))
        assert search.modules("constants", "pkg/train.py", ("sub",)) == ((near,) if near in paths else (far,))


_COLLECTS = (
    "import importlib, os\nfor file in os.listdir(os.path.dirname(__file__)):\n"
    "    module = importlib.import_module('pkg.' + file[:-3])\n"
    "    for attribute in dir(module):\n        {kept}\n"
)
_SETTINGS = "class Settings:\n    def __init__(self, workers):\n        self.workers = workers\n"


def _of_a_package(kept: str = "globals()[attribute] = getattr(module, attribute)", count: str = "8") -> dict[str, str]:
    return {
        "main.py": f"{IMPORT}from pkg import Settings\nDataLoader(data, num_workers=Settings({count}).workers)\n",
        "pkg/__init__.py": _COLLECTS.format(kept=kept),
        "pkg/settings.py": _SETTINGS,
        "pkg/other.py": "from pkg.settings import Settings\n",
    }


COLLECTED: dict[str, tuple[dict[str, str], set[str]]] = {
    "one by one": (_of_a_package(count="⟦8⟧"), {"8", "open"}),
    "all at once": (_of_a_package("globals().update(vars(module))", "⟦8⟧"), {"8", "open"}),
    "set on the module itself": (
        _of_a_package("setattr(sys.modules[__name__], attribute, getattr(module, attribute))", "⟦8⟧"),
        {"8", "open"},
    ),
    "brought by a star": (
        {**_of_a_package(), "main.py": _of_a_package(count="⟦8⟧")["main.py"].replace("import Settings", "import *")},
        {"8", "open"},
    ),
    "no name of its own that a star brings": (
        {
            **_of_a_package(),
            "main.py": _of_a_package()["main.py"].replace("import Settings", "import *"),
            "pkg/settings.py": "",
        },
        {"open"},
    ),
    "set on another module": (
        _of_a_package("setattr(sys.modules[name], attribute, getattr(module, attribute))"),
        {"open"},
    ),
    "another of the same name": ({**_of_a_package(), "pkg/other.py": _SETTINGS}, {"open"}),
    "in a package of the package": (
        {**_of_a_package(), "pkg/settings.py": "", "pkg/inner/__init__.py": _SETTINGS},
        {"open"},
    ),
    "kept elsewhere": (_of_a_package("kept[attribute] = getattr(module, attribute)"), {"open"}),
    "a name that is written out": (_of_a_package("globals()['Other'] = getattr(module, attribute)"), {"open"}),
}


@pytest.mark.parametrize(("files", "expected"), COLLECTED.values(), ids=COLLECTED.keys())
def test_what_a_package_collects_of_its_modules(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
