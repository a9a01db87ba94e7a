"""absl: flags defined anywhere in a program and read from one object.

``absl/flags/_defines.py``: ``DEFINE_integer(name, default, help)`` and its like return a holder whose ``value`` is the
flag's; ``absl.flags.FLAGS`` has every flag that the modules imported so far define, and an attribute set on it replaces
the flag's value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from loaderlint.linking.commandlines import config_files
from loaderlint.linking.commandlines.flags import Flag, default_values, flag_values
from loaderlint.linking.things import External, Frame, Made, Possibilities, one_of, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import PythonFacts

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

FLAGS = "absl.flags.FLAGS"
_DEFINES = "absl.flags.DEFINE_"


def held(evaluator: Evaluator, holder: Made) -> Possibilities | None:
    """Return what the holder that a definition returns has as its value, None for anything else that was made."""
    flag = _flag(holder.call, holder.frame) if _defines(holder.callee) else None
    return None if flag is None else _values(evaluator, flag)


def _defines(callee: str) -> bool:
    return callee.startswith(_DEFINES) or callee in config_files.DEFINES_FILE | config_files.DEFINES_OBJECT


def _values(evaluator: Evaluator, flag: Flag) -> Possibilities:
    defined_by = {
        one.thing.name
        for one in evaluator.evaluate(flag.declaration.func, flag.frame)
        if isinstance(one.thing, External)
    }
    if defined_by & config_files.DEFINES_FILE:
        return config_files.of_files(evaluator, flag)
    if defined_by & config_files.DEFINES_OBJECT:
        return config_files.of_object(evaluator, flag)
    required = flag.keyword("required")
    if isinstance(required, ast.Constant) and required.value is True:
        return unseen(flag.span)
    return flag_values(evaluator, flag, default_values(evaluator, flag))


def _flag(call: ast.Call, frame: Frame) -> Flag | None:
    """Return the flag that a definition declares, None where its name is not written."""
    keywords = {one.arg: one.value for one in call.keywords}
    name = call.args[0] if call.args else keywords.get("name")
    default = call.args[1] if len(call.args) > 1 else keywords.get("default")
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    return Flag(name.value, call, frame, default)


class DefinedFlags:
    """The flags that the files of a project define, worked out once."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._imported: dict[str, frozenset[str]] = {}

    @cached_property
    def _by_name(self) -> dict[str, list[Flag]]:
        found: dict[str, list[Flag]] = {}
        for facts in self._evaluator.project.all_python():
            for called, sites in facts.calls.items():
                for site in sites if called.startswith("DEFINE_") else ():
                    frame = Frame(facts, site.place)
                    flag = _flag(site.node, frame)
                    if flag is not None and self._is_definition(site.node, frame):
                        found.setdefault(flag.name, []).append(flag)
        return found

    def _is_definition(self, call: ast.Call, frame: Frame) -> bool:
        callee = self._evaluator.evaluate(call.func, frame)
        return any(isinstance(one.thing, External) and _defines(one.thing.name) for one in callee)

    def read(self, name: str, frame: Frame, span: Span) -> Possibilities:
        """Return what ``FLAGS.name`` can be where it is read: by its definition, or as some other code sets it."""
        defined = self._by_name.get(name, [])
        if len(defined) > 1:
            defined = [one for one in defined if self._together(one.frame.facts, frame.facts)]
        if not defined:
            self._evaluator.mentioned.add(name)
        ways = [(str(one.span), _values(self._evaluator, one)) for one in defined] or [("unseen", unseen(span))]
        return one_of(f"FLAGS.{name}", [*ways, *self._set(name)])

    def _set(self, name: str) -> Iterator[tuple[str, Possibilities]]:
        for facts, binding in self._evaluator.attributes_set.get(name, ()):
            node = binding.node
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if not isinstance(target, ast.Attribute) or target.attr != name:
                    continue
                where = Frame(facts, binding.place)
                owners = self._evaluator.evaluate(target.value, where)
                if any(isinstance(one.thing, External) and one.thing.name == FLAGS for one in owners):
                    values = self._evaluator.binding(binding, where)
                    ways = self._evaluator.conditions(binding.place.arms, where)
                    yield str(facts.span(node)), tuple(one for way in ways for one in under(values, way))

    def _together(self, one: PythonFacts, other: PythonFacts) -> bool:
        """Return whether some program of the project imports both files."""
        paths = {one.source.path, other.source.path}
        return any(paths <= self._reached(facts) for facts in self._evaluator.project.all_python())

    def _reached(self, facts: PythonFacts) -> frozenset[str]:
        """Return the paths of a file and of all the project's files it imports."""
        start = facts.source.path
        if start not in self._imported:
            reached = {start}
            waiting = [facts]
            while waiting:
                for path in self._imports(waiting.pop()):
                    inner = self._evaluator.project.python(path) if path not in reached else None
                    reached.add(path)
                    if inner is not None:
                        waiting.append(inner)
            self._imported[start] = frozenset(reached)
        return self._imported[start]

    def _imports(self, facts: PythonFacts) -> Iterator[str]:
        for scope in facts.scopes.values():
            for bindings in scope.bindings.values():
                for one in bindings:
                    for name in (one.target, one.target.rpartition(".")[0]) if one.kind == "import" else ():
                        path = self._evaluator.project.module(name, facts.source.path) if name.strip(".") else None
                        if path is not None:
                            yield path
