"""Values of a loader's options that a later one of the same mapping takes the place of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.following.running import shortened
from loaderlint.model.loader import Loader, Shadowed
from loaderlint.model.source import Language, Span
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts
from loaderlint.readers.tree import Entry, mappings


class _Entry(NamedTuple):
    """An entry of a mapping: its value in words, where that stands, and where one that came from elsewhere passed."""

    what: str
    span: Span
    passed: Span


def with_shadowed(project: Project, loaders: Iterable[Loader]) -> Iterator[Loader]:
    """Yield the loaders, each with what is lost of its options; a key that says the same twice loses nothing."""
    known: dict[str, Mapping[Span, tuple[Shadowed, ...]]] = {}
    for loader in loaders:
        found: dict[Span, Shadowed] = {}
        for option, value in loader.options.items():
            for one in value.written:
                for span in one.places:
                    if span.path not in known:
                        known[span.path] = _twice_in(project, span.path)
                    for lost in known[span.path].get(span, ()):
                        found[lost.span] = replace(lost, option=option, trail=one.trail, assumptions=one.assumptions)
        yield replace(loader, shadowed=tuple(found.values())) if found else loader


def _twice_in(project: Project, path: str) -> Mapping[Span, tuple[Shadowed, ...]]:
    """Return the values of a file that win over others of their mapping, each with those that are lost."""
    found: dict[Span, tuple[Shadowed, ...]] = {}
    if Language.of(path) is Language.PYTHON:
        facts = project.python(path)
        for written in _keys_of_displays(facts) if facts is not None else ():
            _gather(found, written)
        return found
    configuration = project.configuration_file(path)
    for document in configuration.documents if configuration is not None else ():
        for _, mapping in mappings(document):
            keys: dict[str, list[_Entry]] = {}
            for entry in mapping.entries:
                if not entry.merge:
                    keys.setdefault(entry.key, []).append(_Entry(_said(entry), entry.value.span, entry.value.span))
            _gather(found, keys)
    return found


def _keys_of_displays(facts: PythonFacts) -> Iterator[dict[str, list[_Entry]]]:
    for node in nodes_of(facts.tree):
        if isinstance(node, ast.Dict) and len(node.keys) > 1:
            keys: dict[str, list[_Entry]] = {}
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    entry = _Entry(shortened(facts.text(value)), facts.span(value), facts.between(key, value))
                    keys.setdefault(key.value, []).append(entry)
            yield keys


def _said(entry: Entry) -> str:
    constant = getattr(entry.value, "text", None)
    return constant if isinstance(constant, str) else "value"


def _gather(found: dict[Span, tuple[Shadowed, ...]], keys: Mapping[str, list[_Entry]]) -> None:
    for written in keys.values():
        kept = written[-1]
        lost = tuple(
            Shadowed(one.span, "", one.what, kept.what, kept.span) for one in written[:-1] if one.what != kept.what
        )
        if lost:
            found[kept.span] = found[kept.passed] = lost
