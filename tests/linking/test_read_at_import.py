"""What names hang on that modules read of their surroundings as they are imported, and a program changes later."""

from __future__ import annotations

import pytest

from tests.linking.test_left_behind import changed, read_anew
from tests.linking.traced import loader_of

HANGING = {
    "another name": "FOUND = ⟨read⟩\nSCALE = int(FOUND)",
    "what a function reads": "def found():\n    return ⟨read⟩\nSCALE = found()",
    "what a function reads that another calls": (
        "def found():\n    return ⟨read⟩\ndef more():\n    return found()\nSCALE = more()"
    ),
    "a condition": "if ⟨read⟩:\n    SCALE = 2",
    "the other way of a condition": "if not ⟨read⟩:\n    pass\nelse:\n    SCALE = 2",
    "a loop": "for row in ⟨read⟩:\n    CACHE.append(row)",
    "a function that is told what to fill": "def fill(rows, row):\n    pass\nfill(CACHE, ⟨read⟩)",
    "a default": "def scaled(by=⟨read⟩):\n    return by\nSCALE = scaled",
    "an object that is made": "class Found:\n    def __init__(self):\n        self.row = ⟨read⟩\nSCALE = Found()",
    "what a class gives": (
        "class Found:\n    @staticmethod\n    def row():\n        return ⟨read⟩\nSCALE = Found.row()"
    ),
    "what a function keeps that reads a name below it": (
        "from functools import cache\n@cache\ndef SCALE():\n    return FOUND\nFOUND = ⟨read⟩"
    ),
    "functions that call each other": (
        "def even(n):\n    return odd(n - 1)\ndef odd(n):\n    return even(n - 1) if n else found()\n"
        "def found():\n    return ⟨read⟩\nMORE = even(2)\nSCALE = odd(3)"
    ),
    "what is done where reading fails": "try:\n    MORE = ⟨read⟩\nexcept KeyError:\n    SCALE = 2",
    "what is done after reading did not fail": "try:\n    ⟨read⟩\n    SCALE = 2\nexcept KeyError:\n    pass",
    "what is done where no error was suppressed": (
        "from contextlib import suppress\nwith suppress(KeyError):\n    MORE = ⟨read⟩\n    SCALE = 2"
    ),
    "a loop that ends early": "while True:\n    if ⟨read⟩:\n        break\n    CACHE.append(1)",
    "a function that is handed over to be called": "def found(row):\n    return ⟨read⟩\nSCALE = [*map(found, 'ab')]",
    "a function that is handed over by a keyword": "def found(row):\n    return ⟨read⟩\nSCALE = max('ab', key=found)",
    "a function that decorates": "def found(function):\n    return ⟨read⟩\n@found\ndef SCALE():\n    pass",
    "a class that has another name": (
        "class Found:\n    def __init__(self):\n        self.row = ⟨read⟩\nMORE = Found\nSCALE = MORE()"
    ),
    "a property": "class Found:\n    @property\n    def row(self):\n        return ⟨read⟩\nSCALE = Found().row",
    "a property of an object that has a name": (
        "from functools import cached_property\nclass Found:\n    @cached_property\n    def row(self):\n"
        "        return ⟨read⟩\nFOUND = Found()\nSCALE = FOUND.row"
    ),
    "a method of an object that has a name": (
        "class Found:\n    def row(self):\n        return ⟨read⟩\nFOUND = Found()\nSCALE = FOUND.row()"
    ),
    "a method that a constructor calls": (
        "class Found:\n    def __init__(self):\n        self.row = self.read()\n    def read(self):\n"
        "        return ⟨read⟩\nSCALE = Found()"
    ),
    "a constructor that is inherited": (
        "class Found:\n    def __init__(self):\n        self.row = ⟨read⟩\nclass More(Found):\n    pass\nSCALE = More()"
    ),
}
NOT_HANGING = {
    "a name that no worker reads": "FOUND = ⟨read⟩\nMORE = FOUND",
    "what a function reads later": "def found():\n    return ⟨read⟩\nMORE = found",
    "a function of the same name as a local": "def found():\n    SCALE = ⟨read⟩\n    return SCALE",
    "a condition of something else": "if ⟨read⟩:\n    MORE = 2\nSCALE = 2",
    "an object that reads when it is asked": (
        "class Found:\n    def row(self):\n        return ⟨read⟩\nSCALE = Found()"
    ),
    "a class that reads in another method": "class Found:\n    def row(self):\n        return ⟨read⟩\nSCALE = Found",
    "what a function keeps that reads another name": (
        "from functools import cache\n@cache\ndef SCALE():\n    return MORE\nFOUND = ⟨read⟩\nMORE = 2"
    ),
    "what stands after reading that may fail": "try:\n    MORE = ⟨read⟩\nexcept KeyError:\n    pass\nSCALE = 2",
    "what stands beside reading under a lock": "with LOCK:\n    MORE = ⟨read⟩\n    SCALE = 2",
    "a loop that goes to its end": "for row in 'ab':\n    CACHE.append(row)\n    MORE = ⟨read⟩",
    "a function that is handed over beside another": (
        "def found(row):\n    return ⟨read⟩\nMORE = [*map(found, 'ab')]\nSCALE = [*map(int, '12')]"
    ),
    "a property that nobody asks for": (
        "class Found:\n    row = 2\n    @property\n    def more(self):\n        return ⟨read⟩\nSCALE = Found().row"
    ),
    "a constructor of a class that inherits": (
        "class Found:\n    pass\nclass More(Found):\n    def __init__(self):\n        self.row = ⟨read⟩\n"
        "SCALE = Found()"
    ),
    "under the guard": "if __name__ == '__main__':\n    MORE = ⟨read⟩",
}
OUTSIDE = {
    "the environment": ("os.environ['MODE']", "os.environ['MODE'] = '2'"),
    "whether a variable is there": ("'MODE' in os.environ", "os.environ['MODE'] = '2'"),
    "the folder": ("np.load('a.npy')", "os.chdir('/')"),
    "the words of the command line": ("parser.parse_args()", "sys.argv[1:] = []"),
    "a file": ("np.load('a.npy')", "np.save('a.npy', 1)"),
    "whether a file is there": ("os.path.exists('a.npy')", "np.save('a.npy', 1)"),
    "what is in a folder": ("os.listdir('rows')", "open('rows/1', 'w')"),
    "the files by a pattern": ("glob.glob('rows/*.txt')", "open('rows/1', 'w')"),
    "the files of a path": ("list(Path('rows').iterdir())", "open('rows/1', 'w')"),
    "the text of a path that has a name": ("ROWS.read_text()", "open(f'rows/{unseen()}', 'w')"),
    "a path that has a name, opened": ("ROWS.open()", "open('rows/1', 'w')"),
    "the files of a path that has a name": ("list(FOLDER.iterdir())", "open('rows/1', 'w')"),
    "a file that is written by another way": ("np.load('rows/1')", "open(f'data/../rows/{unseen()}', 'w')"),
    "a file whose name is not seen": ("open(unseen())", "open('rows/1', 'w')"),
}
INSIDE = {
    "another variable": ("'SIZE' in os.environ", "os.environ['MODE'] = '2'"),
    "a file by its whole path": ("np.load('/a.npy')", "os.chdir('/')"),
    "words that it is given": ("parser.parse_args(['-v'])", "sys.argv[1:] = []"),
    "another file": ("os.path.exists('b.npy')", "np.save('a.npy', 1)"),
    "another folder": ("os.listdir('rows')", "open('more/1', 'w')"),
    "another path that has a name": ("ROWS.read_text()", "open('more/1', 'w')"),
    "a path that begins otherwise": ("np.load('a.npy')", "open(f'rows/{unseen()}', 'w')"),
    "another folder that is filled": ("np.load('a.npy')", "archive.extractall('rows')"),
    "a name that is no file's": ("print('a')", "torch.save(1, unseen())"),
}
READERS = (
    "import glob, os, sys\nimport numpy as np\nfrom pathlib import Path\nFOLDER = Path('rows')\nROWS = Path('rows/1')\n"
)


@pytest.mark.parametrize(("read", "change"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_what_was_read_at_import_is_changed(read: str, change: str) -> None:
    above = f"{READERS}SCALE = {read}"
    assert changed(above=above, before=change) == read_anew(above=above, before=change) == change


@pytest.mark.parametrize(("read", "change"), INSIDE.values(), ids=INSIDE.keys())
def test_what_was_read_at_import_stays_as_it_was(read: str, change: str) -> None:
    assert changed(above=f"{READERS}SCALE = {read}", before=change) == ""


@pytest.mark.parametrize("above", HANGING.values(), ids=HANGING.keys())
def test_what_workers_read_hangs_on_what_was_read_at_import(above: str) -> None:
    for read, change in (OUTSIDE["the environment"], OUTSIDE["a file"]):
        assert changed(above=READERS + above.replace("⟨read⟩", read), before=change) == change


@pytest.mark.parametrize("above", NOT_HANGING.values(), ids=NOT_HANGING.keys())
def test_what_workers_read_hangs_on_nothing_that_was_read_at_import(above: str) -> None:
    for read, change in (OUTSIDE["the environment"], OUTSIDE["a file"]):
        assert changed(above=READERS + above.replace("⟨read⟩", read), before=change) == ""


def test_what_another_module_offers_that_it_imports_hangs_on_what_that_one_read() -> None:
    points = "from torch.utils.data import Dataset\nfrom package import SCALE\nclass Points(Dataset):\n"
    main = "import os\nfrom torch.utils.data import DataLoader\nfrom data import Points\ndef main():\n"
    main += "    os.environ['MODE'] = '2'\n    for row in DataLoader(Points(), num_workers=2):\n        print(row)\n"
    files = {
        "package/__init__.py": "from package.settings import SCALE\n",
        "package/settings.py": "import os\nfrom package import other\nSCALE = other.scale(os.environ['MODE'])\n",
        "package/other.py": "from package import settings\ndef scale(mode):\n    return int(mode)\n",
        "data.py": f"{points}    def __getitem__(self, index):\n        return index * SCALE\n",
        "main.py": f"{main}if __name__ == '__main__':\n    main()\n",
    }
    found = loader_of(files).payload.code.left_behind()
    assert found is not None and found.what == "os.environ['MODE'] = '2'"
    files["package/settings.py"] = "import os\nSCALE = 2\nMORE = os.environ['MODE']\n"
    assert loader_of(files).payload.code.left_behind() is None


def test_a_class_that_is_imported_by_another_name_is_made_by_its_constructor() -> None:
    """So is one that the package offers where a module of it has it."""
    main = (
        "import os\nfrom torch.utils.data import DataLoader, Dataset\nfrom package import Found as Own\nSCALE = Own()\n"
    )
    main += "class Points(Dataset):\n    def __getitem__(self, index):\n        return index * SCALE.row\ndef main():\n"
    main += "    os.environ['MODE'] = '2'\n    for row in DataLoader(Points(), num_workers=2):\n        print(row)\n"
    module = "import os\nclass Found:\n    def __init__(self):\n        self.row = {}\n"
    for row, what in ("os.environ['MODE']", "os.environ['MODE'] = '2'"), ("2", None):
        files = {
            "package/__init__.py": "from package.module import Found\n",
            "package/module.py": module.format(row),
            "main.py": f"{main}if __name__ == '__main__':\n    main()\n",
        }
        found = loader_of(files).payload.code.left_behind()
        assert (found.what if found is not None else None) == what


@pytest.mark.parametrize(("count", "found"), [(15, ""), (40, "np.save('rows/39', 1)")])
def test_a_path_that_is_one_of_very_many_may_be_any(count: int, found: str) -> None:
    """A few are told apart, whether a name has them or a part of a path."""
    paths = "".join(f"ROW = '{n}'\n" for n in range(count))
    for read in "'rows/' + ROW", "f'rows/{ROW}'", "os.path.join('rows', ROW)":
        assert changed(above=f"{READERS}{paths}SCALE = np.load({read})", before="np.save('rows/39', 1)") == found


def test_a_path_that_went_by_many_names_is_known() -> None:
    """Each has the value of the one before from many places."""
    paths = "".join(f"path_{n} = path_{n - 1}\n" * 16 for n in range(1, 7))
    above = f"{READERS}path_0 = 'a.npy'\n{paths}SCALE = np.load(path_6)"
    assert changed(above=above, before="np.save('a.npy', 1)") == "np.save('a.npy', 1)"
    assert changed(above=above, before="np.save('b.npy', 1)") == ""


@pytest.mark.parametrize("read", ["os.environ['MODE']", "1"])
def test_what_many_functions_hand_on_is_followed_to_its_end(read: str) -> None:
    calls = "".join(f"def found_{n}():\n    return found_{n - 1}()\n" for n in range(1, 300))
    above = f"{READERS}def found_0():\n    return {read}\n{calls}SCALE = found_299()"
    change = "os.environ['MODE'] = '2'"
    assert changed(above=above, before=change) == (change if "MODE" in read else "")
