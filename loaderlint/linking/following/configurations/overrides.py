"""Words of a command line that take the place of settings: ``python train.py data.num_workers=8``.

Hydra's override grammar (https://hydra.cc/docs/advanced/override_grammar/basic/), as far as it replaces one value, and
OmegaConf's dotlist, which is the same. A word that chooses a file of a group, such as ``data=imagenet``, answers what
the candidates of that composition assume; any other choice of files may bring anything.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.following.configurations.composition import AS_IT_STANDS
from loaderlint.model.assumptions import Assumption, together
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate, Step
from loaderlint.readers.shell import UNREAD, Word
from loaderlint.readers.tree import KeyPath, Mapping, mappings
from loaderlint.readers.yaml_scalars import resolve

_OVERRIDE = re.compile(r"\+{0,2}(?P<key>[\w.]+)=(?P<value>.*)", re.DOTALL)
HYDRA = "hydra "
"""What the subjects of assumptions about compositions begin with."""
_CHOOSES_FILES = ("-c", "-m", "--config", "--multirun", "--package", "--experimental")
"""Flags of Hydra's programs by which other configurations are read, or several runs are made."""


class _Override(Struct, frozen=True):
    """One word that replaces a setting."""

    keys: KeyPath
    text: str
    word: Word


def overridden(
    project: Project, candidates: Sequence[Candidate], words: Sequence[Word]
) -> tuple[Candidate, ...] | None:
    """Return the candidates of an option with what a command line puts in their place; None where nobody can tell."""
    others = [word for word in words if not word.text.startswith("-")]
    if len(others) != len(words) and any(word.text.startswith(_CHOOSES_FILES) for word in words):
        return None
    chosen = [word.text.lstrip("+") for word in others if _chooses(project, word)]
    overrides = [_override(word) for word in others if not _chooses(project, word)]
    composed = _composed(candidates, chosen)
    if None in overrides or composed is None:
        return None
    found: list[Candidate] = []
    for one in composed:
        replaced = _replaced(project, one, [other for other in overrides if other is not None])
        if replaced is None:
            return None
        found.append(replaced)
    return tuple(found)


def _composed(candidates: Sequence[Candidate], chosen: Sequence[str]) -> tuple[Candidate, ...] | None:
    """Return the candidates of the composition that was chosen; None where that is none of those followed."""
    answers: dict[str, set[object]] = {}
    for candidate in candidates:
        for subject, answer in candidate.assumptions:
            if subject.startswith(HYDRA):
                answers.setdefault(subject, set()).update(answer if isinstance(answer, frozenset) else {answer})
    answer = AS_IT_STANDS if not chosen else chosen[0]
    if len(chosen) > 1 or any(answer not in known for known in answers.values()) or (chosen and not answers):
        return None
    assumed = frozenset(Assumption(subject, answer) for subject in answers)
    return tuple(one for one in candidates if together(one.assumptions, assumed) is not None)


def _replaced(project: Project, one: Candidate, overrides: Sequence[_Override]) -> Candidate | None:
    """Return a candidate, or what the last override puts in its place; None where nobody can tell."""
    keys = keys_of(project, one.span)
    about = [other for other in overrides if _may_mean(other, keys)]
    if not about:
        return one
    last = about[-1]
    constant = resolve(last.text, True, None)
    known = keys is not None and all(_means(other, keys, one.span.path) for other in about)
    if not known or UNREAD in last.text or constant.opaque:
        return None
    trail = (Step(last.word.span, last.word.text), *one.trail)
    return replace(one, constant=constant.constant, span=last.word.span, entry=None, trail=trail)


def _override(word: Word) -> _Override | None:
    match = _OVERRIDE.fullmatch(word.text)
    return _Override(tuple(match["key"].split(".")), match["value"], word) if match is not None else None


def _chooses(project: Project, word: Word) -> bool:
    """Return whether a word chooses a file of a group: its key is a path, or the name of a folder of files."""
    key, joined, _ = word.text.lstrip("+").partition("=")
    return bool(joined) and "." not in key and ("/" in key or "@" in key or is_group(project, key))


def is_group(project: Project, key: str) -> bool:
    """Return whether a folder of configurations has this name, from which the word chooses one."""
    return any(f"/{key}/" in f"/{path}" for path in project.paths if Language.of(path) is Language.YAML)


def keys_of(project: Project, span: Span) -> KeyPath | None:
    """Return the keys that lead to a value in its configuration file, None for what stands elsewhere."""
    language = Language.of(span.path)
    facts = project.configuration_file(span.path) if language is not None and language.is_configuration else None
    for document in facts.documents if facts is not None else ():
        for path, mapping in mappings(document):
            for entry in mapping.entries:
                if not isinstance(entry.value, Mapping) and entry.value.span == span:
                    return (*path, entry.key)
    return None


def _may_mean(override: _Override, keys: KeyPath | None) -> bool:
    """Return whether an override may be about a value: its last key is that of the value, or one of worker counts."""
    return "worker" in override.keys[-1].lower() if keys is None else override.keys[-1] == keys[-1]


def _means(override: _Override, keys: KeyPath, path: str) -> bool:
    """Return whether an override names a value of a file by its whole path: that of its group, and its keys."""
    group = override.keys[: len(override.keys) - len(keys)]
    folders = tuple(posixpath.dirname(path).split("/"))
    return override.keys[len(group) :] == keys and (not group or folders[-len(group) :] == group)
