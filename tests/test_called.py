"""What a file's calls into the project's other modules set up, as far as their own code says."""

from __future__ import annotations

import pytest

from loaderlint.called import Called
from loaderlint.linking.files.importers import Importers
from loaderlint.model.imported import SettingUp
from tests.linking.traced import project_of

HEAD = """\
import builtins, logging, torch
import unknown
from collections import defaultdict

TABLE = {}
ROWS = defaultdict(list)
size = 1
logger = logging.getLogger()


class Registry:
    def __init__(self):
        self.names = []

    def register(self, name):
        self.names.append(name)

    def __len__(self):
        return len(self.names)


READERS = Registry()


def helper():
    ROWS["a"].append(1)


"""


def setting(files: dict[str, str], path: str = "train.py") -> dict[str, SettingUp]:
    """What the calls of a file set up, those alone that do."""
    project, _ = project_of(files)
    found = Called(Importers(project.sources, None)).imported(path).setting
    return {name: verb for name, verb in found.items() if verb}


def of_go(body: str) -> SettingUp:
    """What ``lib.go()`` sets up when this is its body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return setting({"train.py": "import lib\nlib.go()\n", "lib.py": f"{HEAD}def go(given=None):\n{lines}"}).get(
        ".lib.go", SettingUp.NOTHING
    )


@pytest.mark.parametrize(
    "body",
    [
        'TABLE["a"] = 1',
        "TABLE.update(a=1)",
        'return ROWS["a"].append(1)',
        "global size\nsize = 2",
        "global made\nmade = 2",
        "return helper()",
        'rows = TABLE\nrows["a"] = 1',
        'rows = TABLE.setdefault("a", {})\nrows["b"] = 1',
        'return READERS.register("a")',
        "Registry.size = 3",
        "builtins.size = 3",
        "unknown.size = 3",
        "torch.set_default_dtype(given)",
        "def inner():\n    helper()\nreturn inner()",
    ],
)
def test_a_function_that_changes_more_than_what_it_gives_back(body: str) -> None:
    assert of_go(body) == SettingUp.CERTAIN


@pytest.mark.parametrize("body", ["unknown.prepare()", "return unknown.start()"])
def test_a_function_that_may_change_more(body: str) -> None:
    assert of_go(body) == SettingUp.POSSIBLE


@pytest.mark.parametrize(
    "body",
    [
        "return given",
        "rows = {}\nrows['a'] = 1\nreturn rows",
        "TABLE = {}\nTABLE['a'] = 1",
        "logger.info('rows')\nlogger.setLevel(3)",
        "torch.manual_seed(given)\ntorch.backends.cudnn.benchmark = True",
        "return len(READERS)",
        "given.rows = 3\ngiven.append(3)",
        "def inner():\n    helper()\nreturn inner",
        "rows = Registry()\nrows.register('a')\nreturn rows",
    ],
)
def test_a_function_that_changes_only_what_it_gives_back(body: str) -> None:
    assert of_go(body) == SettingUp.NOTHING


CHAIN = {
    "lib/__init__.py": "from .core import *\nfrom .core import start as begin\nfrom . import core\n",
    "lib/core.py": "from .state import ROWS, Base\ndef start():\n    ROWS.append(1)\nclass Core(Base):\n    pass\n",
    "lib/state.py": "ROWS = []\n\n\nclass Base:\n    def __init__(self):\n        ROWS.append(self)\n",
}


@pytest.mark.parametrize(
    ("imports", "names"),
    [
        ("import lib\nlib.start, lib.core.Core, lib.begin", {".lib.start", ".lib.core.Core", ".lib.begin"}),
        ("import lib.core\nlib.core.start, lib.core.Core", {".lib.core.start", ".lib.core.Core"}),
        ("from lib import core\ncore.start, core.Core", {".lib.core.start", ".lib.core.Core"}),
        ("from lib.core import start as go\ngo()", {".lib.core.start"}),
        ("from lib.core import *\nstart, Core", {"start", "Core"}),
        ("def main():\n    from lib import begin\n    begin()", {".lib.begin"}),
    ],
)
def test_the_names_by_which_a_file_calls_them(imports: str, names: set[str]) -> None:
    assert names <= setting({**CHAIN, "train.py": f"{imports}\n"}).keys()


def test_a_relative_import() -> None:
    files = {**CHAIN, "lib/train.py": "from . import core\nfrom .core import start\nstart()\n"}
    assert ".core.start" in setting(files, "lib/train.py")


def test_modules_that_import_each_other() -> None:
    files = {
        "train.py": "import one\none.go()\n",
        "one.py": "import two\nROWS = []\n\n\ndef go():\n    return two.go()\n",
        "two.py": "import one\n\n\ndef go():\n    one.ROWS.append(1)\n",
    }
    assert setting(files)[".one.go"] == SettingUp.CERTAIN


def test_a_method_that_is_inherited_and_one_that_is_replaced() -> None:
    fills = "(self):\n        ROWS.append(1)\n"
    base = f"ROWS = []\nclass Base:\n    def fill{fills}    def more{fills}"
    lib = "from base import Base\n\n\nclass Rows(Base):\n    def more(self):\n        return self\n"
    found = setting({"train.py": "from lib import Rows\nRows().fill()\n", "lib.py": lib, "base.py": base})
    assert ".lib.Rows.fill" in found
    assert ".lib.Rows.more" not in found


def test_the_constructor_of_a_base_class_that_is_called_by_its_name() -> None:
    lib = "from unknown import Base\n\n\nclass Rows(Base):\n    def __init__(self):\n        Base.__init__(self)\n"
    assert setting({"train.py": "from lib import Rows\nRows()\n", "lib.py": lib}) == {}


def test_a_call_of_what_is_seen_to_set_up_nothing() -> None:
    files = {
        "train.py": "import lib\nlib.go()\n",
        "lib.py": "import tools\n\n\ndef go(net):\n    tools.prepare(net)\n    return tools.set_rate(net)\n",
        "tools.py": "def prepare(net):\n    net.rate = 1\n\n\ndef set_rate(net):\n    net.rate = 2\n",
    }
    assert setting(files) == {}
    assert setting({**files, "tools.py": ""}) == {".lib.go": SettingUp.CERTAIN}


def test_a_module_that_cannot_be_parsed_says_nothing() -> None:
    assert setting({"train.py": "import lib\nlib.go()\n", "lib.py": "def go(:\n"}) == {}
