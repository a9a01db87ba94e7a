"""Small projects, the places of an option's values marked in their text, and what linking makes of them.

In a table of cases every place marked ``⟦like this⟧`` is one where a candidate was written, and there are no others:
what is expected are the candidates in words, `rendered`, such as ``"8"``, ``"0 on windows"``, ``"0 unwritten"`` or
``"open"``. A candidate at a place without a mark is followed by that place, a mark without a candidate is ``missed``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from textwrap import dedent
from typing import TypeAlias

from loaderlint.linking.files.project import Project
from loaderlint.linking.link import link
from loaderlint.model.assumptions import CUDA, PLATFORM
from loaderlint.model.loader import Loader
from loaderlint.model.source import Language, Source, Span
from loaderlint.model.value import Candidate, meetings

IMPORT = "from torch.utils.data import DataLoader\n"

Files: TypeAlias = str | Mapping[str, str]
"""Texts by path; one text alone is ``main.py``, where ``DataLoader`` is already imported."""
Cases: TypeAlias = dict[str, tuple[Files, set[str]]]
"""By what is special about it: the project, and the candidates expected."""

_MARK = re.compile("⟦|⟧")


def project_of(files: Files) -> tuple[Project, frozenset[Span]]:
    """The project these texts make, and the places marked in them."""
    texts = {"main.py": IMPORT + dedent(files)} if isinstance(files, str) else files
    sources: dict[str, Source] = {}
    marks: set[Span] = set()
    for path, text in texts.items():
        pieces = _MARK.split(dedent(text))
        language = Language.of(path)
        assert language is not None
        content = "".join(pieces).encode()
        source = Source(path, f"/project/{path}", language.as_written(content), content)
        sources[path] = source
        ends = [sum(map(len, pieces[: index + 1])) for index in range(len(pieces) - 1)]
        marks.update(source.span(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True))
    return Project(sources), frozenset(marks)


def loaders_of(files: Files) -> tuple[Loader, ...]:
    """The loaders of a project, in the order they stand in."""
    return link(project_of(files)[0])


def loader_of(files: Files) -> Loader:
    """The only loader of a project."""
    (loader,) = loaders_of(files)
    return loader


def traced(files: Files, option: str = "num_workers") -> set[str]:
    """What can reach an option of the project's loaders."""
    project, marks = project_of(files)
    found: set[str] = set()
    seen: set[Span] = set()
    loaders = link(project)
    assert not project.failures
    for loader in loaders:
        value = loader.option(option)
        seen.update(one.span for one in value.written)
        found.update(rendered(one, marks) for one in value.candidates)
        if value.open:
            found.add("open")
    missed = {f"missed {mark}" for mark in marks - seen}
    return found | missed | (set() if loaders else {"no loader"})


def rendered(candidate: Candidate, marks: Iterable[Span]) -> str:
    """A candidate in words: its constant, what is special about it, and its place where that is not marked."""
    constant = candidate.constant
    words = [repr(constant) if constant is None or isinstance(constant, bool | int | float | str) else str(constant)]
    for assumption in sorted(candidate.assumptions, key=lambda one: one.subject):
        if assumption.subject == PLATFORM and isinstance(assumption.answer, frozenset):
            words.append("on " + ", ".join(sorted(assumption.answer)))
        elif assumption.subject == CUDA:
            words.append("with cuda" if assumption.answer else "without cuda")
    if candidate.serves_others:
        words.append("shared")
    if not candidate.written:
        words.append("unwritten")
    elif candidate.span not in marks:
        words.append(f"at {candidate.span}")
    return " ".join(words)


def met(files: Files, first: str = "num_workers", second: str = "prefetch_factor") -> set[tuple[str, str]]:
    """The pairs of constants that two options of the only loader can have in the same run."""
    loader = loader_of(files)
    pairs = meetings(loader.option(first).candidates, loader.option(second).candidates)
    return {(repr(one.constant), repr(other.constant)) for one, other in pairs}
