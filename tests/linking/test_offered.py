"""Whether the default of a parameter that the project always gives is one for those who install the project."""

from __future__ import annotations

import pytest

from tests.linking.traced import traced

BUILD = """\
from torch.utils.data import DataLoader
{listed}
def build(data, workers={default}):
    return DataLoader(data, num_workers=workers)
"""
CLASS = """\
from torch.utils.data import DataLoader
class Images:
    def __init__(self, data, workers={default}):
        self.data, self.workers = data, workers
    def loader(self):
        return DataLoader(self.data, num_workers=self.workers)
"""
DECLARED = {"pyproject.toml": '[project]\nname = "images"\n'}
USED = "from images.making import build\nbuild(data, ⟦3⟧)\n"
USED_OF_PACKAGE = {"train.py": "from images import build\nbuild(data, ⟦3⟧)\n"}


def making(default: str, listed: str = "") -> str:
    return BUILD.format(default=default, listed=listed)


Cases = dict[str, tuple[dict[str, str], set[str]]]

OFFERED: Cases = {
    "listed in its module": (
        {**DECLARED, "images/__init__.py": "", "images/making.py": making("⟦4⟧", '__all__ = ["build"]')},
        {"3", "4", "open"},
    ),
    "imported by its package": (
        {**DECLARED, "images/__init__.py": "from .making import build\n", "images/making.py": making("⟦4⟧")},
        {"3", "4", "open"},
    ),
    "imported with all names by its package": (
        {**DECLARED, "images/__init__.py": "from .making import *\n", "images/making.py": making("⟦4⟧")},
        {"3", "4", "open"},
    ),
    "in a package in src": (
        {
            "setup.py": 'from setuptools import setup\nsetup(\n    name="images",\n)\n',
            "src/images/__init__.py": "from .making import build\n",
            "src/images/making.py": making("⟦4⟧"),
        },
        {"3", "4", "open"},
    ),
    "in a package whose parts have names as well": (
        {
            "setup.py": 'if __name__ == "__main__":\n    setup(\n        name="images",\n        ext_modules=[\n'
            '            extension(\n                name="_fast",\n            ),\n        ],\n    )\n',
            "images/__init__.py": "from .making import build\n",
            "images/making.py": making("⟦4⟧"),
        },
        {"3", "4", "open"},
    ),
    "in a package beside two of which none is set up": (
        {
            "setup.py": 'parts = [\n    dict(\n        name="images"\n    ),\n    dict(\n        name="b"\n    ),\n]\n',
            "images/__init__.py": "from .making import build\n",
            "images/making.py": making("4"),
        },
        {"3"},
    ),
    "of which another module's namesake is offered": (
        {
            **DECLARED,
            "images/__init__.py": "from .serving import build\n",
            "images/serving.py": "def build(): pass\n",
            "images/making.py": making("4"),
        },
        {"3"},
    ),
    "offered by nobody": (
        {**DECLARED, "images/__init__.py": "", "images/making.py": making("4")},
        {"3"},
    ),
    "of a package that is not installed": (
        {"images/__init__.py": "from .making import build\n", "images/making.py": making("4", '__all__ = ["build"]')},
        {"3"},
    ),
    "of a package beside settings of tools alone": (
        {
            "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
            "images/__init__.py": "from .making import build\n",
            "images/making.py": making("4"),
        },
        {"3"},
    ),
    "of a script beside the package": (
        {**DECLARED, "images/making.py": making("4", '__all__ = ["build"]')},
        {"3"},
    ),
    "defined by its package itself": (
        {**DECLARED, "images/__init__.py": making("⟦4⟧"), **USED_OF_PACKAGE},
        {"3", "4", "open"},
    ),
    "defined by its package beside a dictionary with the name of a list": (
        {**DECLARED, "images/__init__.py": making("⟦4⟧", '__all__ = {"build": 1}'), **USED_OF_PACKAGE},
        {"3", "4", "open"},
    ),
    "defined by its package, which leaves it out": (
        {**DECLARED, "images/__init__.py": making("4", '__all__ = ["load"]'), **USED_OF_PACKAGE},
        {"3"},
    ),
    "defined by its package, which makes its list anew": (
        {**DECLARED, "images/__init__.py": making("4", "__all__ = sorted(names())"), **USED_OF_PACKAGE},
        {"3"},
    ),
    "defined by a private package itself": (
        {
            **DECLARED,
            "images/__init__.py": "",
            "images/_making/__init__.py": making("4"),
            "train.py": "from images._making import build\nbuild(data, ⟦3⟧)\n",
        },
        {"3"},
    ),
    "defined by a package that is not installed": (
        {"images/__init__.py": making("4"), **USED_OF_PACKAGE},
        {"3"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), OFFERED.values(), ids=OFFERED.keys())
def test_defaults_of_functions_that_are_offered(files: dict[str, str], expected: set[str]) -> None:
    assert traced({"train.py": USED, **files}) == expected


@pytest.mark.parametrize(
    ("package", "default", "expected"),
    [("from .making import Images\n", "⟦4⟧", {"3", "4", "open"}), ("", "4", {"3"})],
    ids=["offered", "not offered"],
)
def test_defaults_of_classes_that_are_offered(package: str, default: str, expected: set[str]) -> None:
    files = {**DECLARED, "images/__init__.py": package, "images/making.py": CLASS.format(default=default)}
    used = "from images.making import Images\nImages(data, ⟦3⟧).loader()\n"
    assert traced({**files, "train.py": used}) == expected


SETTINGS = """\
from dataclasses import dataclass
@dataclass
class Settings:
    workers: int = {default}
"""
BY_CONSTRUCTOR = """\
class Settings:
    def __init__(self, workers={default}):
        self.workers = workers
"""
TAKES_SETTINGS = """\
from torch.utils.data import DataLoader
from images.settings import Settings
def build(data, settings: Settings):
    return DataLoader(data, num_workers=settings.workers)
"""
KEEPS_ONE = "from images.settings import Settings\nspare = Settings(workers={workers})\n"
HANDS_ONE = "from images.making import build\nbuild(data, Settings(workers=⟦3⟧))\n"


def with_settings(settings: str, package: str, workers: str, used: str) -> dict[str, str]:
    files = {**DECLARED, "images/__init__.py": package, "images/settings.py": settings}
    return {**files, "images/making.py": TAKES_SETTINGS, "train.py": KEEPS_ONE.format(workers=workers) + used}


OBJECTS: Cases = {
    "called in the project, too": (
        with_settings(SETTINGS.format(default="⟦4⟧"), "from .making import build\n", "8", HANDS_ONE),
        {"3", "4", "open"},
    ),
    "called in the project, too, with an object that has a constructor": (
        with_settings(BY_CONSTRUCTOR.format(default="⟦4⟧"), "from .making import build\n", "8", HANDS_ONE),
        {"3", "4", "open"},
    ),
    "called by the project alone": (
        with_settings(SETTINGS.format(default="4"), "", "8", HANDS_ONE),
        {"3"},
    ),
    "called by nobody in the project": (
        with_settings(SETTINGS.format(default="4"), "from .making import build\n", "⟦8⟧", ""),
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), OBJECTS.values(), ids=OBJECTS.keys())
def test_objects_handed_to_functions_that_are_offered(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_the_default_of_a_private_method_is_none_for_users() -> None:
    text = (
        "from torch.utils.data import DataLoader\nclass Images:\n"
        "    def loader(self):\n        return self._made(⟦3⟧)\n"
        "    def _made(self, workers=4):\n        return DataLoader(1, num_workers=workers)\n"
    )
    files = {**DECLARED, "images/__init__.py": "from .making import Images\n", "images/making.py": text}
    assert traced(files) == {"3"}


PASSING = """\
from torch.utils.data import DataLoader
def build(data, **options):
    return DataLoader(data, **options)
"""
PASSED_ON: dict[str, tuple[str, set[str]]] = {
    "left out by the project's own call": ("from images.making import build\nbuild(1)\n", {"0 unwritten", "open"}),
    "given by the project's own call": ("from images.making import build\nbuild(1, num_workers=⟦3⟧)\n", {"3", "open"}),
    "left out by one call, given by another": (
        "from images.making import build\nbuild(1)\nbuild(1, num_workers=⟦3⟧)\n",
        {"0 unwritten", "3", "open"},
    ),
    "perhaps left out": ("from images.making import build\nbuild(1, **more())\n", {"open"}),
    "called by nobody": ("", {"open"}),
}


@pytest.mark.parametrize(("text", "expected"), PASSED_ON.values(), ids=PASSED_ON.keys())
def test_an_option_that_users_may_pass_on_has_the_default_that_the_project_leaves_it(
    text: str, expected: set[str]
) -> None:
    files = {**DECLARED, "images/__init__.py": "from .making import build\n", "images/making.py": PASSING}
    assert traced({**files, "train.py": text}) == expected


def test_packages_are_looked_for_no_further_up_than_there_are_folders() -> None:
    files = {"/away/pyproject.toml": DECLARED["pyproject.toml"], "/away/images/__init__.py": ""}
    files["/away/images/making.py"] = making("4") + "build(data, ⟦3⟧)\n"
    assert traced(files) == {"3"}
