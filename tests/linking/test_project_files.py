"""Which of a project's files are read, and how often."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from loaderlint.linking.files.project import Project
from loaderlint.linking.link import link
from loaderlint.model.assumptions import PLATFORM
from loaderlint.model.source import Language, Source
from loaderlint.model.value import Candidate

TEXTS = {"a.yaml": "workers: 4\n", "b.yaml": "seed: 1\n", "bad.yaml": "workers: [\n", "main.py": "workers = 4\n"}


class Folder:
    """Files of a folder, and the paths of those whose content was asked for."""

    def __init__(self, texts: Mapping[str, str] = TEXTS) -> None:
        self.texts = texts
        self.asked: list[str] = []

    def paths(self) -> tuple[str, ...]:
        return tuple(path for path in self.texts if Language.of(path) is not None)

    def content(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self.texts[path].encode() if path in self.texts else None

    def exists(self, path: str) -> bool:
        return path in self.texts

    def answers(self) -> None: ...

    def learn(self, answers: object) -> None: ...

    def read(self, path: str) -> Source | None:
        language = Language.of(path)
        assert language is not None
        return Source(path, f"/project/{path}", language, self.texts[path].encode())


def test_configuration_files_are_searched_once_for_the_same_words() -> None:
    folder = Folder()
    project = Project({}, folder)
    found = [[file.source.path for file in project.configuration_files_with(("workers:",))] for _ in range(3)]
    assert found == [["a.yaml"]] * 3
    assert folder.asked == ["a.yaml", "b.yaml", "bad.yaml"]
    assert [file.source.path for file in project.configuration_files_with(("seed:",))] == ["b.yaml"]


def test_a_file_nobody_named_that_cannot_be_parsed_is_no_failure_however_often_it_is_found() -> None:
    project = Project({}, Folder())
    for _ in range(2):
        assert [file.source.path for file in project.configuration_files_with(("workers:",))] == ["a.yaml"]
        assert not project.failures


def test_a_configuration_file_that_was_opened_is_not_one_of_those_that_may_matter() -> None:
    project = Project({}, Folder())
    assert project.configuration("b.yaml", "main.py") is not None
    assert list(project.all_configuration_files()) == []
    assert set(project.sources) == {"b.yaml"}


def test_a_module_that_was_imported_is_one_of_those_that_may_matter_only_when_it_mentions_what_is_asked_for() -> None:
    project = Project({}, Folder())
    assert project.python("main.py") is not None
    assert list(project.all_python()) == []
    assert project.read_mentions(["workers"])
    assert [facts.source.path for facts in project.all_python()] == ["main.py"]


def test_a_start_method_may_be_set_in_a_file_that_is_not_read() -> None:
    main = (
        "import multiprocessing as mp\nimport methods\nfrom torch.utils.data import DataLoader\n"
        "DataLoader(1, num_workers=2 if mp.get_start_method() == 'fork' else 0)\n"
    )
    folder = Folder({"main.py": main, "methods.py": "import torch\ntorch.multiprocessing.set_start_method('fork')\n"})
    source = folder.read("main.py")
    assert source is not None
    (loader,) = link(Project({"main.py": source}, folder))
    assert {one.constant for one in loader.num_workers.candidates} >= {2, 0}
    assert all(not on_platform(one) for one in loader.num_workers.candidates)


def on_platform(candidate: Candidate) -> bool:
    return any(one.subject == PLATFORM for one in candidate.assumptions)


def test_commands_that_setup_cfg_declares_are_found_beside_setup_py() -> None:
    texts = {
        "a/setup.py": "import setuptools\nsetuptools.setup()\n",
        "a/setup.cfg": "[options.entry_points]\nconsole_scripts =\n    train = train:main\n",
        "a/train.py": "def main():\n    pass\n",
    }
    assert Project({}, Folder(texts)).entry_points == {("a/train.py", "main")}


LOADERLESS: dict[str, tuple[str, str]] = {
    "a function calls it": ("run(make, 3)", "def run(job, n):\n    job(n)\n"),
    "a function calls it with what it is given in a row": (
        "run(make, given=(3,))",
        "def run(job, given=()):\n    job(*given)\n",
    ),
    "a function hands it on": (
        "run(make, 3)",
        "def call(function, n):\n    function(n)\ndef run(job, n):\n    call(job, n)\n",
    ),
    "an object keeps it": (
        "run(make).start(3)",
        "class run:\n    def __init__(self, job):\n        self.job = job\n"
        "    def start(self, n):\n        self.job(n)\n",
    ),
    "a function makes the class it is given": (
        "run(DataLoader, dataset=[1], num_workers=3)",
        "def run(kind, **given):\n    return kind(**given)\n",
    ),
}


@pytest.mark.parametrize(("handed", "runner"), LOADERLESS.values(), ids=LOADERLESS.keys())
def test_what_is_handed_to_a_file_that_says_nothing_of_loaders_is_called_there(handed: str, runner: str) -> None:
    main = (
        "from torch.utils.data import DataLoader\nfrom runner import run\n"
        "def make(n):\n    return DataLoader([1], num_workers=n)\n"
    )
    folder = Folder({"main.py": f"{main}{handed}\n", "runner.py": runner})
    source = folder.read("main.py")
    assert source is not None
    loaders = link(Project({"main.py": source}, folder))
    assert {one.constant for loader in loaders for one in loader.num_workers.candidates} >= {3}


ENGINE = """
def begin(loader, epoch):
    if hasattr(loader.dataset, "set_epoch"):
        loader.dataset.set_epoch(epoch)
def train(loader):
    for epoch in range(3):
        begin(loader, epoch)
        for batch in loader:
            print(batch)
"""


@pytest.mark.parametrize(("called", "count"), [("set_epoch", 1), ("show", 0)])
def test_a_file_that_says_nothing_of_loaders_may_change_what_workers_keep(called: str, count: int) -> None:
    main = (
        "from torch.utils.data import DataLoader, Dataset\nfrom runner import train\n"
        "class D(Dataset):\n    epoch = 0\n    def set_epoch(self, epoch):\n        self.epoch = epoch\n"
        "    def show(self, epoch):\n        print(epoch)\n"
        "    def __getitem__(self, index):\n        return self.epoch\n"
        "train(DataLoader(D(), num_workers=2, persistent_workers=True))\n"
    )
    folder = Folder({"main.py": main, "runner.py": ENGINE.replace(".set_epoch", f".{called}")})
    source = folder.read("main.py")
    assert source is not None
    (loader,) = link(Project({"main.py": source}, folder))
    assert [one.picked for one in loader.uses.changes] == [False] * count


def test_a_file_is_counted_among_those_that_may_matter_once() -> None:
    project = Project({}, Folder())
    assert project.count(["main.py"])
    assert [facts.source.path for facts in project.all_python()] == ["main.py"]
    assert not project.count(["main.py"])


LOADER_OF_A_MODULE = "from torch.utils.data import DataLoader\nloader = DataLoader(1, num_workers=2)\n"
ITERATED_ELSEWHERE: dict[str, dict[str, str]] = {
    "by its importer": {"run.py": "from data import loader\nfor batch in loader:\n    pass\n"},
    "through another module": {
        "again.py": "from data import loader as batches\n",
        "run.py": "from again import batches\nfor batch in batches:\n    pass\n",
    },
    "by a function of its module": {"run.py": "import data\ndata.run()\n"},
}


@pytest.mark.parametrize("others", ITERATED_ELSEWHERE.values(), ids=ITERATED_ELSEWHERE.keys())
def test_whoever_imports_a_module_that_makes_a_loader_is_read_whatever_its_words(others: Mapping[str, str]) -> None:
    text = f"{LOADER_OF_A_MODULE}def run():\n    for batch in loader:\n        pass\n"
    folder = Folder({"data.py": text, **others})
    data = folder.read("data.py")
    assert data is not None
    (loader,) = link(Project({"data.py": data}, folder))
    assert [one.span.path for one in loader.unguarded] == ["run.py"]


def test_whoever_imports_a_module_that_makes_no_loader_at_import_is_not_read() -> None:
    text = LOADER_OF_A_MODULE.replace("loader =", "def load():\n    return")
    folder = Folder({"data.py": text, "run.py": "import data\nprint(data.__doc__)\n"})
    data = folder.read("data.py")
    assert data is not None
    project = Project({"data.py": data}, folder)
    assert [one.unguarded for one in link(project)] == [()]
    assert set(project.sources) == {"data.py"}


def test_what_one_part_imports_says_nothing_about_the_files_of_another() -> None:
    loads = "from torch.utils.data import DataLoader\nimport helper\nDataLoader(helper.data, num_workers=2)\n"
    texts = {f"{part}/{name}": text for part in "ab" for name, text in (("main.py", loads), ("helper.py", "data = 1"))}
    sources = {path: source for path in texts if (source := Folder(texts).read(path)) and path.endswith("main.py")}
    project = Project(sources, Folder(texts))
    first, second = map(project.part, project.parts())
    first.count_imported()
    for part, folder in (first, "a"), (second, "b"):
        assert part.python(f"{folder}/helper.py") is not None
    assert [facts.source.path for facts in first.all_python()] == ["a/helper.py", "a/main.py"]
    assert [facts.source.path for facts in second.all_python()] == ["b/main.py"]


SETS_A_GLOBAL = {
    "state.py": "_N = None\ndef get():\n    return _N\ndef start(n):\n    set_n(n)\n"
    "def set_n(n):\n    global _N\n    _N = n\n",
    "data.py": "from torch.utils.data import DataLoader\nfrom state import get\n"
    "def load():\n    return DataLoader([1], num_workers=get())\n",
    "main.py": "from data import load\nfrom state import start\nstart(8)\nload()\n",
}
"""A program whose values go through a file that says nothing of loaders and is the only one to call its function."""


def test_a_function_may_be_called_in_its_own_file_alone() -> None:
    folder = Folder(SETS_A_GLOBAL)
    source = folder.read("data.py")
    assert source is not None
    (loader,) = link(Project({"data.py": source}, folder))
    assert {candidate.constant for candidate in loader.num_workers.candidates} == {8}


def test_a_function_that_nobody_calls_sets_nothing() -> None:
    folder = Folder({**SETS_A_GLOBAL, "main.py": "from data import load\nload()\n"})
    source = folder.read("data.py")
    assert source is not None
    (loader,) = link(Project({"data.py": source}, folder))
    assert {candidate.constant for candidate in loader.num_workers.candidates} == {None}
    assert not loader.num_workers.open


def test_what_nobody_calls_is_given_what_nobody_sees() -> None:
    folder = Folder({name: text for name, text in SETS_A_GLOBAL.items() if name != "main.py"})
    source = folder.read("data.py")
    assert source is not None
    (loader,) = link(Project({"data.py": source}, folder))
    assert {candidate.constant for candidate in loader.num_workers.candidates} == {None}
    assert loader.num_workers.open
