"""Which of a project's Python configurations inherit from a part of them: by their texts, there may be very many."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING

from loaderlint.readers.python import PythonFacts

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

PARTS = "_base_"
"""The folder of what configurations are put together from, and the name under which a file says what it inherits."""
LONGEST_INHERITANCE = 10
"""Files that inherit from each other; a longer chain is not followed."""
_MOST_HEIRS = 32
"""Of more heirs than this that say different things of their batches only those are taken that do so of workers."""
_NAMED = re.compile(r"""["']([^"'\n]+\.py)["']""")
_INHERITS = re.compile(rf"^{PARTS}\s*=", re.MULTILINE)
_OF_WORKERS = re.compile(r"^.*worker.*$", re.MULTILINE)
_OF_LOADERS = re.compile(r"^.*(?:worker|batch|per_gpu).*$", re.MULTILINE)


def is_part(facts: PythonFacts) -> bool:
    """Return whether a file is no configuration by itself, only what others take in."""
    return _stands_among_parts(facts.source.path) and "model" not in facts.module.bindings


def _stands_among_parts(path: str) -> bool:
    return PARTS in path.split("/")


def heirs(evaluator: Evaluator, part: PythonFacts) -> tuple[str, ...]:
    """Return the paths of the configurations that inherit from a part, one of those that say the same of loaders."""
    texts, inherited = evaluator.remembered(("inheriting",), None, lambda: _inheriting(evaluator))
    own = part.source.path
    every = [path for path, read in inherited.items() if own in read and not _stands_among_parts(path)]

    def differing(said: re.Pattern[str]) -> tuple[str, ...]:
        def says(path: str) -> frozenset[str]:
            files = {path, *inherited[path]} - {own}
            return frozenset(line.strip() for file in files for line in said.findall(texts.get(file, "")))

        return tuple({says(path): path for path in reversed(every)}.values())

    found = differing(_OF_LOADERS)
    return found if len(found) <= _MOST_HEIRS else differing(_OF_WORKERS)


def _inheriting(evaluator: Evaluator) -> tuple[Mapping[str, str], Mapping[str, Set[str]]]:
    """Return the texts of the files that inherit from others, and the paths of all that each of them takes in."""
    mentioning = evaluator.project.python_mentioning(PARTS)
    texts = {path: text for path, text in mentioning if _INHERITS.search(text)}
    named = {path: _named(path, text) for path, text in texts.items()}
    return texts, {path: _taken_in(path, named) for path in texts}


def _named(path: str, text: str) -> tuple[str, ...]:
    folder = posixpath.dirname(path)
    return tuple(posixpath.normpath(posixpath.join(folder, one)) for one in _NAMED.findall(text))


def _taken_in(path: str, named: Mapping[str, Iterable[str]]) -> Set[str]:
    found: set[str] = set()
    waiting = {path}
    for _ in range(LONGEST_INHERITANCE):
        waiting = {base for one in waiting for base in named.get(one, ())} - found
        found |= waiting
    return found
