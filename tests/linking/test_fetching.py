"""Files that fetch something of a registry, and say nothing of loaders: which of them are read."""

from __future__ import annotations

import pytest

from loaderlint.linking.files.project import Project
from loaderlint.linking.following.fetching import MOST_FETCHING
from loaderlint.linking.link import link
from loaderlint.model.source import Language, Source

REGISTRY = """
class Registry:
    def __init__(self):
        self.known = {}
    def register(self, name=None):
        def note(kind):
            self.known[name or kind.__name__] = kind
            return kind
        return note
    def get(self, name):
        return self.known[name]
    def names(self):
        return sorted(self.known)
KINDS = Registry()
OTHERS = Registry()
"""
MADE = """
from torch.utils.data import DataLoader
from kit.registry import KINDS
@KINDS.register()
class Made:
    def __init__(self, n):
        self.loader = DataLoader(range(9), num_workers=n)
"""
BUILD = "from kit.registry import KINDS\ndef build(settings):\n    return KINDS.get(settings.kind)(settings.n)\n"
FIND = "from kit.registry import KINDS\ndef find(kind):\n    return KINDS.get(kind)\n"
SETTINGS = "class Settings:\n    kind = 'Made'\n    n = 8\n"


def followed(texts: dict[str, str]) -> tuple[list[object], frozenset[str]]:
    """Return the worker counts that reach the loader where only its own file is known to matter, and what was read."""
    sources = {path: Source(path, f"/{path}", Language.PYTHON, text.encode()) for path, text in texts.items()}

    class Others:
        def paths(self) -> tuple[str, ...]:
            return tuple(sources)

        def content(self, path: str) -> bytes | None:
            return sources[path].content if path in sources else None

        def answers(self) -> None: ...

        def learn(self, answers: object) -> None: ...

        def read(self, path: str) -> Source | None:
            return sources.get(path)

        def exists(self, path: str) -> bool:
            return path in sources

    project = Project({"kit/made.py": sources["kit/made.py"]}, Others())
    (loader,) = link(project)
    return [one.constant for one in loader.options["num_workers"].candidates], frozenset(project.sources)


def package(**others: str) -> dict[str, str]:
    given = {f"kit/{name}.py": text for name, text in others.items()}
    return {"kit/__init__.py": "", "kit/registry.py": REGISTRY, "kit/made.py": MADE, **given}


@pytest.mark.parametrize(
    ("others", "program"),
    [
        ({"build": BUILD}, f"from kit.build import build\n{SETTINGS}build(Settings)\n"),
        ({"build": FIND}, "from kit.build import find\nfind('Made')(8)\n"),
        ({"build": FIND}, "from kit.build import find\nmake = find(input())\nmake(8)\n"),
        (
            {"build": "from kit import registry\ndef find(kind):\n    return registry.KINDS.get(kind)\n"},
            "from kit.build import find\nfind('Made')(8)\n",
        ),
    ],
    ids=["called where it is fetched", "called by who gets it", "kept by who gets it", "fetched by the module's name"],
)
def test_who_fetches_something_need_not_name_it_to_be_read(others: dict[str, str], program: str) -> None:
    texts = {**package(**others), "main.py": f"import kit.made\n{program}"}
    assert followed(texts)[0] == [8]


@pytest.mark.parametrize(
    "other",
    [
        "from kit.registry import OTHERS\nOTHERS.get('Thing')(2)\n",
        "from kit.registry import KINDS\n@KINDS.register()\ndef more(rows):\n    return rows\n",
        "from kit.registry import KINDS\nprint(KINDS.names())\n",
    ],
    ids=["of another registry", "only registers", "only asks for the names"],
)
def test_a_file_that_fetches_nothing_of_the_registry_is_not_read(other: str) -> None:
    counts, read = followed(
        {**package(build=FIND, other=other), "main.py": "from kit.build import find\nfind('Made')(8)\n"}
    )
    assert counts == [8]
    assert "kit/other.py" not in read


def test_what_very_many_files_fetch_is_not_looked_for_in_them() -> None:
    many = {f"part_{n}": f"from kit.registry import KINDS\nKINDS.get('Made')({n})\n" for n in range(MOST_FETCHING + 1)}
    counts, read = followed(package(**many))
    assert not counts
    assert not any("part_" in path for path in read)
