"""Hydra programs that say where their configurations are by the root of the project, and modules that these make."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, loaders_of

DATA = (
    IMPORT + "class Data:\n    def __init__(self, loaders):\n        self.loaders = loaders\n"
    "    def train_dataloader(self):\n        return DataLoader(1, **self.loaders.get('train'))\n"
)
CONFIGURATIONS = {
    "data.py": DATA,
    "pyproject.toml": "",
    "conf/train.yaml": "defaults:\n  - data: small.yaml\n",
    "conf/data/small.yaml": "_target_: data.Data\nloaders:\n  train:\n    num_workers: 2\n",
    "conf/data/big.yaml": "_target_: data.Data\ndefaults:\n  - loaders: many.yaml\n",
}
MANY = {"conf/data/loaders/many.yaml": "train:\n  num_workers: 8\n"}


def program(root: str, parameters: str = "**PARAMETERS") -> dict[str, str]:
    return {
        "src/main.py": (
            f"import hydra, rootutils\nfrom pathlib import Path\nroot = {root}\n"
            "PARAMETERS = {'config_path': str(root / 'conf'), 'config_name': 'train.yaml'}\n"
            f"@hydra.main({parameters})\ndef main(cfg):\n"
            "    hydra.utils.instantiate(cfg.data, _recursive_=False).train_dataloader()\nmain()\n"
        )
    }


def reaching(files: dict[str, str]) -> set[str]:
    """What can reach the loader of the class; a file that nobody reads is one of its own."""
    (workers,) = (one.num_workers for one in loaders_of(files) if one.span.path == "data.py")
    return {str(one.constant) for one in workers.candidates} | ({"open"} if workers.open else set())


FOUND = {
    "by its markers": "rootutils.setup_root(__file__, indicator=['.git', 'pyproject.toml'], pythonpath=True)",
    "by one marker": "rootutils.find_root(search_from=__file__, indicator='pyproject.toml')",
    "by the markers there are for that": "rootutils.setup_root(__file__)",
    "by the file alone": "Path(__file__).parent.parent",
}
NOT_FOUND = {
    "a marker that is not there": "rootutils.setup_root(__file__, indicator='.elsewhere')",
    "from somewhere else": "rootutils.setup_root(somewhere(), indicator='pyproject.toml')",
    "a marker that nobody sees": "rootutils.setup_root(__file__, indicator=marker())",
}


@pytest.mark.parametrize("root", FOUND.values(), ids=FOUND.keys())
def test_the_configurations_are_in_a_folder_of_the_root(root: str) -> None:
    assert reaching({**program(root), **CONFIGURATIONS, **MANY}) == {"2", "8", "open"}


@pytest.mark.parametrize("root", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_a_root_that_is_not_found_holds_none(root: str) -> None:
    assert reaching({**program(root), **CONFIGURATIONS, **MANY}) == {"2", "open"}


def test_keywords_may_stand_beside_a_dictionary() -> None:
    only_path = program(FOUND["by the file alone"], "**PARAMETERS, version_base='1.3'")
    assert reaching({**only_path, **CONFIGURATIONS, **MANY}) == {"2", "8", "open"}


def test_a_dictionary_that_is_bound_twice_says_nothing() -> None:
    files = program(FOUND["by the file alone"])
    twice = {path: text.replace("@hydra", "PARAMETERS = other()\n@hydra") for path, text in files.items()}
    assert reaching({**twice, **CONFIGURATIONS, **MANY}) == {"2", "open"}


LISTS = {
    "one with a defaults list may be given more": (
        {
            "data.py": DATA,
            "a.yaml": "_target_: data.Data\ndefaults:\n  - loaders: many\n",
            "b.yaml": "_target_: data.Data\nloaders:\n  train:\n    num_workers: 2\n",
        },
        {"2", "open"},
    ),
    "one without is given what stands there": (
        {"data.py": DATA, "b.yaml": "_target_: data.Data\nloaders:\n  train:\n    num_workers: 2\n"},
        {"2"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), LISTS.values(), ids=LISTS.keys())
def test_what_a_configuration_says_to_make(files: dict[str, str], expected: set[str]) -> None:
    assert reaching(files) == expected
