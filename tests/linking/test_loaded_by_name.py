from __future__ import annotations

from textwrap import dedent

import pytest

from loaderlint.linking.files.project import Project
from loaderlint.linking.link import link
from loaderlint.model.source import Language, Source
from tests.linking.traced import IMPORT, loader_of, loaders_of

EXPERIMENT = f"{IMPORT}for batch in DataLoader(data, num_workers=2):\n    pass\n"


def launched(launcher: str, *, path: str = "experiments/small.py", **others: str) -> list[str]:
    """The code that may bring in an experiment of a project whose ``run.py`` is a launcher."""
    files = {path: EXPERIMENT, "run.py": dedent(launcher), "experiments/__init__.py": ""}
    files.update({name.replace("_", "."): text for name, text in others.items()})
    loader = loader_of(files)
    assert loader.unguarded
    return [one.brought_in.what for one in loader.unguarded if one.brought_in is not None]


MAY_BE: dict[str, tuple[str, str]] = {
    "of a package": ('import importlib\nimportlib.import_module("experiments." + name)', "importlib.import_module("),
    "of another name": ("from importlib import import_module as load\nload(name)", "load(name)"),
    "that a function is given": (
        """
        import importlib
        def load(name):
            return importlib.import_module(name)
        load("experiments.small")
        """,
        "importlib.import_module(name)",
    ),
    "put together before": (
        """
        import importlib, sys
        module = f"experiments.{sys.argv[1]}"
        importlib.import_module(module)
        """,
        "importlib.import_module(module)",
    ),
    "formatted": ('import importlib\nimportlib.import_module("experiments.%s" % name)', "importlib.import_module("),
    "relative to a package that is written": (
        'import importlib\nimportlib.import_module(f".{name}", package="experiments")',
        "importlib.import_module(",
    ),
    "imported by a builtin": ('__import__("experiments." + name)', "__import__("),
    "run": ('import runpy\nrunpy.run_module(f"experiments.{name}", run_name="job")', "runpy.run_module("),
    "run by its path": (
        'import os, runpy\nrunpy.run_path(os.path.join("experiments", name + ".py"))',
        "runpy.run_path(",
    ),
    "loaded by its path": (
        """
        import glob, importlib.util
        for path in glob.glob("experiments/*.py"):
            importlib.util.spec_from_file_location("experiment", path)
        """,
        "importlib.util.spec_from_file_location(",
    ),
    "of a folder": (
        """
        from importlib.machinery import SourceFileLoader
        from pathlib import Path
        SourceFileLoader("experiment", str(Path(__file__).parent / "experiments" / f"{name}.py")).load_module()
        """,
        "SourceFileLoader(",
    ),
    "imported by code": ('exec("import " + name)', 'exec("import " + name)'),
    "imported by code that is written": (
        'import sys\nsys.path.insert(0, "experiments")\nexec("import small")',
        "exec(",
    ),
    "read and run": ('with open(f"experiments/{name}.py") as f:\n    exec(f.read())', "exec(f.read())"),
    "in one of the texts that a test is given": (
        """
        import pytest
        @pytest.mark.parametrize("line", ["import models.unet", "from experiments import small"])
        def test_imports(line):
            exec(line, {})
        """,
        "exec(line, {})",
    ),
    "in texts that a test is given from elsewhere": (
        """
        import pytest
        @pytest.mark.parametrize("line", LINES)
        def test_imports(line):
            exec(line, {})
        """,
        "exec(line, {})",
    ),
    "in a text that a test is given beside a row that was not seen": (
        """
        import pytest
        @pytest.mark.parametrize("line", ["import models.unet", *LINES])
        def test_imports(line):
            exec(line, {})
        """,
        "exec(line, {})",
    ),
    "located": ('from pydoc import locate\nlocate("experiments.small.loader")', "locate("),
    "one of many": (
        "import importlib\nlist(map(importlib.import_module, names))",
        "importlib.import_module",
    ),
}


@pytest.mark.parametrize(("launcher", "expected"), MAY_BE.values(), ids=MAY_BE.keys())
def test_a_launcher_may_bring_in_a_module(launcher: str, expected: str) -> None:
    (found,) = launched(launcher)
    assert found.startswith(expected)


OTHERS: dict[str, str] = {
    "of another package": 'import importlib\nimportlib.import_module("models." + name)',
    "of another package, put together before": 'import importlib\nm = f"models.{name}"\nimportlib.import_module(m)',
    "of another package, one of two": """
        import importlib
        for module in ("models.unet", "models.resnet"):
            importlib.import_module(module)
        """,
    "relative to another package": 'import importlib\nimportlib.import_module("." + name, package="models")',
    "of another folder": 'import os, runpy\nrunpy.run_path(os.path.join("configs", name))',
    "that ends in another way": 'import importlib\nimportlib.import_module(f"experiments.{name}_model")',
    "that is read and run": 'with open("experiments/version.py") as f:\n    exec(f.read())',
    "of another folder, read and run": 'exec(open(f"configs/{name}.py").read())',
    "imported by code from another package": 'exec(f"from models.{name} import Net")',
    "in texts that a test is given": """
        import pytest
        @pytest.mark.parametrize(("line", "fails"), [("import models", 1), pytest.param("from models import unet", 0)])
        def test_imports(line, fails):
            exec(line, {})
        """,
    "in code that imports nothing": 'exec("settings.%s = value" % name)',
    "of an object's own": "def find(self, name):\n    self.locate(name)",
    "run as the program": 'import runpy\nrunpy.run_module("experiments." + name, run_name="__main__")',
}


@pytest.mark.parametrize("launcher", OTHERS.values(), ids=OTHERS.keys())
def test_a_launcher_brings_in_others_alone(launcher: str) -> None:
    assert launched(launcher) == []


def test_many_unseen_pieces_beside_each_other_are_one() -> None:
    pieces = "".join(f"{{n{index}}}" for index in range(30))
    name = "of_a_name_that_is_rather_long_and_ends_otherwise"
    assert launched(f'import importlib\nimportlib.import_module(f"{pieces}Q")', path=f"experiments/{name}.py") == []


def test_a_module_that_brings_in_others_does_not_bring_in_itself() -> None:
    loader = loader_of({"train.py": f"import importlib\nnet = importlib.import_module(name)\n{EXPERIMENT}"})
    assert [one.brought_in for one in loader.unguarded] == [None]


def test_nothing_brings_in_a_notebook() -> None:
    sources = {
        path: Source(path, f"/project/{path}", Language.PYTHON, text.encode())
        for path, text in {"small.ipynb": EXPERIMENT, "run.py": "__import__(name)\n"}.items()
    }
    (loader,) = link(Project(sources))
    assert [one.brought_in for one in loader.unguarded] == [None]


def test_a_class_that_a_configuration_names_brings_in_its_module() -> None:
    defines = f"class Net:\n    pass\n{EXPERIMENT}"
    run = "import hydra\n@hydra.main(config_name='conf')\ndef main(cfg):\n    hydra.utils.instantiate(cfg)\n"
    for named, expected in (("lib.Net", ["_target_: lib.Net"]), ("other.Net", [])):
        files = {
            "lib.py": defines,
            "other.py": "class Net:\n    pass\n",
            "run.py": run,
            "conf.yaml": f"_target_: {named}\n",
        }
        (loader,) = loaders_of(files)
        assert [one.brought_in.what for one in loader.unguarded if one.brought_in is not None] == expected


def test_a_call_that_sets_the_start_method_stands_in_a_module_that_may_be_brought_in() -> None:
    sets = f"import torch.multiprocessing as mp\nmp.set_start_method('spawn')\n{EXPERIMENT}"
    files = {"experiments/small.py": sets, "run.py": "__import__('experiments.' + name)\n"}
    (call,) = loader_of(files).program.start_method_calls
    assert call.brought_in is not None
    (call,) = loader_of({"experiments/small.py": sets}).program.start_method_calls
    assert call.brought_in is None
