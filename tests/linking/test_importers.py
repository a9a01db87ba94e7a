"""What other files take from a module, however they import it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaderlint.discovery import ProjectFiles
from loaderlint.linking.files.importers import Importers
from loaderlint.model.imported import NOWHERE, Imported
from loaderlint.settings import SettingsIndex
from tests.conftest import WriteFiles
from tests.linking.traced import project_of

TRAIN = "net = object()\nrows = []\n"


def imported(files: dict[str, str], path: str = "train.py") -> Imported:
    """What the other files of a project take from one."""
    project, _ = project_of({path: TRAIN, **files})
    return Importers(project.sources, None).of(path)


@pytest.mark.parametrize(
    "text",
    [
        "from train import net, rows\n",
        "from train import (\n    net as model,\n    rows,\n)\n",
        "import train\nprint(train.net, len(train.rows))\n",
        "import train as t\nt.rows.append(t.net)\n",
        "def serve():\n    import json, train\n    return train.net(train.rows)\n",
        'import importlib\nmodule = importlib.import_module("train")\nprint(module.net, module.rows)\n',
        'import importlib as i\nprint(i.import_module("train").net, getattr(i.import_module("train"), "rows"))\n',
        'print(__import__("train").net, __import__("train").rows)\n',
        'import train\nprint(getattr(train, "net"), train.rows)\n',
        'from importlib import import_module as load\nprint(load("train").net, load("train").rows)\n',
        'import importlib\nload = importlib.import_module\nmodule = load("train")\nprint(module.net, module.rows)\n',
        'from importlib import import_module\nprint(vars(import_module("train"))["net"], __import__("train").rows)\n',
        'import train\nprint(vars(train)["net"], train.__dict__["rows"])\n',
        'from importlib import import_module\nmodule = import_module(name="train")\nprint(module.net, module.rows)\n',
        'from importlib import import_module\nNAME = "train"\nmodule = import_module(NAME)\nmodule.net(module.rows)\n',
        'import importlib\nmodule = importlib.import_module(f"train")\nprint(module.net, module.rows)\n',
        'import importlib\nfor name in ["a", "train"]:\n    m = importlib.import_module(name)\n    m.net(m.rows)\n',
        'from pkgutil import resolve_name\nprint(resolve_name("train:net"), resolve_name("train").rows)\n',
        'import pydoc\nprint(pydoc.locate("train.net.weight"), pydoc.locate(path="train.rows"))\n',
    ],
)
def test_the_names_another_file_takes(text: str) -> None:
    assert imported({"serve.py": text}) == Imported({"net": "serve.py", "rows": "serve.py"})


@pytest.mark.parametrize(
    "text",
    [
        "from . import train\nprint(train.net)\n",
        "from .train import net\n",
        "import pkg.train\nprint(pkg.train.net)\n",
        "from pkg import train as t\nprint(t.net)\n",
    ],
)
def test_the_names_another_file_of_a_package_takes(text: str) -> None:
    files = {"src/pkg/__init__.py": "", "src/pkg/serve.py": text}
    assert imported(files, "src/pkg/train.py") == Imported({"net": "src/pkg/serve.py"})


def test_a_star_takes_every_name() -> None:
    assert imported({"serve.py": "from train import *\nprint(net)\n"}) == Imported(every="serve.py")


@pytest.mark.parametrize("names", ["getattr(train, chosen)", "vars(train)[chosen]", "vars(train)", "train.__dict__"])
def test_a_name_that_is_computed_may_be_every_name(names: str) -> None:
    assert imported({"serve.py": f"import train\nprint({names})\n"}) == Imported(every="serve.py")


@pytest.mark.parametrize(
    "text",
    [
        'import runpy\nprint(runpy.run_module("train")["net"])\n',
        'import runpy\nprint(runpy.run_path(path_name="./train.py")["net"])\n',
        'import pathlib, runpy\nPATH = pathlib.Path(__file__).parent / "train.py"\nprint(runpy.run_path(PATH))\n',
        'from importlib.util import spec_from_file_location as spec\nmodule = made(spec("t", "train.py"))\n',
        'exec(open("train.py").read())\nprint(net)\n',
    ],
)
def test_code_that_is_run_gives_every_name(text: str) -> None:
    assert imported({"serve.py": text}) == Imported(every="serve.py", alone="serve.py")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("main.py", "import train\n"),
        ("main.py", 'import importlib\nimportlib.import_module("train")\n'),
        ("main.py", '__import__("train")\n'),
        ("run.sh", 'python -c "import train"\n'),
    ],
)
def test_a_module_that_is_imported_for_none_of_its_names_may_be_imported_to_run(path: str, text: str) -> None:
    assert imported({path: text}) == Imported(alone=path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[project.entry-points."models"]\nmodel = "train:net"\n'),
        ("serve.sh", "gunicorn train:net\n"),
        ("serve.sh", 'python -c "from train import net; print(net)"\n'),
        ("serve.sh", "python -c 'import torch, train; print(train.net)'\n"),
        ("compose.yaml", "services:\n  model:\n    command: gunicorn train:net\n"),
        ("compose.yaml", 'services:\n  model:\n    command: ["python", "-c", "from train import net; net()"]\n'),
        ("ci.yml", "steps:\n  - run: |\n      python - <<END\n      from train import (\n        net)\n      END\n"),
        ("setup.py", 'setup(name="x", entry_points={"console_scripts": ["run=train:net"]})\n'),
    ],
)
def test_entry_points_take_names(path: str, text: str) -> None:
    assert imported({path: text}) == Imported({"net": path})


def test_a_command_that_takes_several_names() -> None:
    text = 'python -c "from train import net, rows as r"\n'
    assert imported({"serve.sh": text}) == Imported({"net": "serve.sh", "rows": "serve.sh"})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    serve = tools.train:net\n"),
        ("tools/Dockerfile", 'CMD ["gunicorn", "train:net"]\n'),
        ("Procfile", "web: gunicorn tools.train:net\n"),
    ],
)
def test_files_above_a_module_take_names(path: str, text: str, project: WriteFiles) -> None:
    project({"tools/train.py": TRAIN, path: text})
    files = ProjectFiles(str(Path.cwd()), SettingsIndex())
    assert Importers({}, files).of("tools/train.py") == Imported({"net": path})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("serve.py", "import trainer\nimport json\nprint(json.net, trainer.net)\n"),
        ("serve.py", "import torch\nprint(train.net)\n"),
        ("pkg/serve.py", "from . import train\nprint(train.net)\n"),
        ("pkg/train.py", "net = 1\n"),
        ("serve.py", 'import runpy\nrunpy.run_path("train.py", run_name="__main__")\n'),
        ("serve.py", 'import runpy\nrunpy.run_path("other/train.py")\n'),
        ("serve.py", 'import importlib\nmodel = importlib.import_module(f"m.{name}")\ndata = load(split="train")\n'),
        ("run.sh", "python train.py --net 1\n"),
        ("tasks.toml", 'train = "net"\n'),
        ("run.sh", "#!/bin/sh\n# run it, never import train\npython train.py # nor serve train:net\n"),
        ("compose.yaml", "services:\n  model:\n    # you may import train\n    command: python train.py\n"),
        ("data.yaml", "train: images/train\nnames: [train, net]\n# how to import the train data\n"),
        ("compose.yaml", "services:\n  model:\n    image: me/train:net\n"),
    ],
)
def test_what_does_not_import_the_module(path: str, text: str) -> None:
    assert imported({path: text}) == NOWHERE


def test_modules_of_the_project_that_are_called_as_libraries() -> None:
    train = "import numpy as np\nimport test.tools\nfrom datasets import rows\nfrom torch import nn\n"
    files = {"train.py": train, "datasets/rows.py": "", "test/__init__.py": "", "test/tools.py": "", "numpy/a.yaml": ""}
    project, _ = project_of(files)
    assert Importers(project.sources, None).of("train.py").own == {"datasets", "test"}


def test_modules_of_the_project_by_what_leads_their_names() -> None:
    train = "import test.tools, numpy\nfrom . import near\nfrom .near import rows as r, more\nfrom datasets import *\n"
    files = {"train.py": train, "datasets.py": "", "test/__init__.py": "", "test/tools.py": "", "near.py": ""}
    project, _ = project_of({f"pkg/{path}": text for path, text in files.items()})
    words = {"r", "near", "test"}
    assert list(Importers(project.sources, None).modules("pkg/train.py", words)) == [
        (".test.", "pkg/test/__init__.py", words),
        (".test.tools.", "pkg/test/tools.py", words),
        (".near.", "pkg/near.py", words),
        (".near.", "pkg/near.py", {"rows"}),
        ("", "pkg/datasets.py", words),
    ]


def test_the_words_of_what_a_file_defines() -> None:
    train = (
        "import lib\n\n\ndef go():\n    return lib.start(Rows)\n\n\nclass Rows:\n    size = lib.SIZE\n\n\nlib.other()\n"
    )
    project, _ = project_of({"train.py": train})
    importers = Importers(project.sources, None)
    assert importers.words("train.py", {"go"}) == {"go", "lib", "start", "Rows", "size", "SIZE"}
    assert importers.words("train.py") >= {"lib", "start", "other"}
