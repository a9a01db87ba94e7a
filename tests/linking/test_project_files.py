"""Which of a project's files are read, and how often."""

from __future__ import annotations

from loaderlint.linking.project import Project
from loaderlint.model.source import Language, Source

TEXTS = {"a.yaml": "workers: 4\n", "b.yaml": "seed: 1\n", "bad.yaml": "workers: [\n", "main.py": "workers = 4\n"}


class Folder:
    """Files of a folder, and the paths of those whose content was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def paths(self) -> tuple[str, ...]:
        return tuple(TEXTS)

    def content(self, path: str) -> bytes | None:
        self.asked.append(path)
        return TEXTS[path].encode()

    def read(self, path: str) -> Source | None:
        language = Language.of(path)
        assert language is not None
        return Source(path, f"/project/{path}", language, TEXTS[path].encode())


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
