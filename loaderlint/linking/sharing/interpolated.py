"""Which interpolations of configurations may take a value that is written in one: ``${data.num_workers}``."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from loaderlint.linking.files.project import Project
from loaderlint.linking.following.configurations.overrides import is_group, keys_of
from loaderlint.model.source import Language, Span
from loaderlint.readers.tree import KeyPath, Mapping, Node, Scalar, mappings
from loaderlint.vocabulary.keys import CONSUMERS

_NAMED = re.compile(r"\$\{\s*(?:oc\.select\s*:\s*)?(?P<dots>\.*)(?P<keys>[\w\-.\[\]]*[\w\-]\]?)\s*[},]")
"""An interpolation that names a key, by itself or in a longer text: ``${data.workers}``, ``${data[workers]}``."""
_KEY = re.compile(r"[\w\-]+")


class Interpolation(NamedTuple):
    """A place that takes the value of a key, and the key it gives that to, where it stands in a file of its own.

    It gives it to none that says anything where what that is a key of names what it is for, which need be no loader.
    """

    span: Span
    gives: str
    takes: KeyPath
    relative: bool


class Interpolations:
    """The interpolations in the files of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._found: dict[str, Sequence[Interpolation]] = {}

    def of(self, span: Span) -> Iterator[Interpolation]:
        """Yield those that may take what is written at a place."""
        keys = keys_of(self._project, span)
        if keys is not None:
            yield from (one for one in self._taking(keys[-1]) if self._may_mean(one, keys, span.path))
        elif Language.of(span.path) is Language.PYTHON:
            for name in self._keys_in_python(span):
                yield from (one for one in self._taking(name) if one.span.path == span.path)

    def _keys_in_python(self, span: Span) -> Iterator[str]:
        """Yield the keys and fields that what is written at a place is the value of."""
        facts = self._project.python(span.path)
        for node in ast.walk(facts.tree) if facts is not None and "${" in facts.source.text else ():
            for name, value in _named_values(node):
                if facts is not None and facts.span(value) == span:
                    yield name

    def _taking(self, key: str) -> Sequence[Interpolation]:
        """Return the interpolations of a key with this name."""
        if key not in self._found:
            every = (*self._in_configurations(key), *self._in_python(key))
            self._found[key] = [one for one in every if one.takes[-1] == key]
        return self._found[key]

    def _in_configurations(self, key: str) -> Iterator[Interpolation]:
        for facts in self._project.configuration_files_with(tuple(f"{key}{end}" for end in "}, ]")):
            for document in facts.documents:
                for _, mapping in mappings(document):
                    named = any(mapping.get(one) is not None for one in CONSUMERS)
                    for entry in mapping.entries:
                        for scalar in _scalars(entry.value):
                            yield from _written(scalar.text, scalar.span, "" if named else entry.key)

    def _in_python(self, key: str) -> Iterator[Interpolation]:
        for facts in self._project.all_python():
            text = facts.source.text
            for node in ast.walk(facts.tree) if "${" in text and key in text else ():
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from _written(node.value, facts.span(node), "")

    def _may_mean(self, one: Interpolation, keys: KeyPath, path: str) -> bool:
        """Return whether an interpolation names a value of a file, under whatever name that is composed.

        A file has the name of its folder, unless it names a package of its own or a defaults list does; that is then
        no folder's name.
        """
        if one.relative:
            same = min(len(one.takes), len(keys))
            return one.takes[-same:] == keys[-same:]
        package = one.takes[: len(one.takes) - len(keys)]
        if one.takes[len(package) :] != keys:
            return False
        own = not package or package[-1] == posixpath.basename(posixpath.dirname(path))
        return own or not is_group(self._project, "/".join(package))


def _named_values(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the values that stand under keys, in fields and keyword arguments, each with its name."""
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
        case (
            ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) | ast.keyword(arg=str(name), value=value)
        ):
            yield name, value


def _scalars(node: Node) -> Iterator[Scalar]:
    """Yield what stands under a key itself, or in the lists there."""
    if isinstance(node, Scalar):
        yield node
    elif not isinstance(node, Mapping):
        yield from (scalar for item in node.items for scalar in _scalars(item))


def _written(text: str, span: Span, gives: str) -> Iterator[Interpolation]:
    for match in _NAMED.finditer(text):
        yield Interpolation(span, gives, tuple(_KEY.findall(match["keys"])), bool(match["dots"]))
