"""Attributes set under names that are worked out: ``setattr(cfg, key, value)``, ``cfg.__dict__.update(...)``.

What such a change gives was not seen, so an attribute that it may have set can be anything besides what it was.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loaderlint.linking.classes import lineage
from loaderlint.linking.things import Class, CommandLine, Frame, Instance, Module, Thing
from loaderlint.readers.python import Place, PythonFacts, dotted

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_STEPS = 120


@dataclass(frozen=True, eq=False)
class _Change:
    """A change of attributes by names that are worked out: of what, where, and how the names begin and end."""

    target: ast.expr
    place: Place
    start: str = ""
    end: str = ""

    def may_set(self, name: str) -> bool:
        return name.startswith(self.start) and name.endswith(self.end) and not self._is_undone(name)

    def _is_undone(self, name: str) -> bool:
        """Return whether the same function goes on to set the attribute itself, whatever happens."""
        later = self.place.scope.bindings.get(f"{dotted(self.target)}.{name}", ())
        return any(one.kind == "assign" and not one.place.arms and one.place.order > self.place.order for one in later)


class Blurred:
    """The classes, modules and command lines of a project whose attributes are set by name."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._changes: dict[int, list[_Change]] | None = None

    def may_set(self, thing: Instance | Class | Module | CommandLine, name: str) -> bool:
        """Return whether an attribute of a thing may be set by a name that is worked out."""
        if self._changes is None:
            # What is asked while the changes themselves are followed is answered without them.
            self._changes = {}
            self._changes = self._found()
        if not self._changes:
            return False
        owner = thing.of if isinstance(thing, Instance) else thing
        keys = [id(one.node) for one in lineage(self._evaluator, owner)] if isinstance(owner, Class) else _key(owner)
        return any(one.may_set(name) for key in keys for one in self._changes.get(key, ()))

    def _found(self) -> dict[int, list[_Change]]:
        found: dict[int, list[_Change]] = {}
        for facts in self._evaluator.project.all_python():
            for change in _changes(facts):
                with self._evaluator.steps(_STEPS):
                    changed = self._evaluator.evaluate(change.target, Frame(facts, change.place))
                for key in {key for one in changed for key in _key(one.thing)}:
                    found.setdefault(key, []).append(change)
        return found


def _key(thing: Thing) -> list[int]:
    if isinstance(thing, Instance):
        return [id(thing.of.node)]
    if isinstance(thing, Class):
        return [id(thing.node)]
    if isinstance(thing, Module):
        return [id(thing.facts)]
    if isinstance(thing, CommandLine):
        return [id(CommandLine)]
    return []


def _changes(facts: PythonFacts) -> Iterator[_Change]:
    """Yield where a file sets attributes by names that are worked out."""
    for site in facts.calls.get("setattr", ()):
        arguments = site.node.args
        if isinstance(site.node.func, ast.Name) and len(arguments) == 3:
            yield _Change(arguments[0], site.place, *_ends(arguments[1]))
    for site in facts.calls.get("update", ()):
        function = site.node.func
        held = function.value if isinstance(function, ast.Attribute) else None
        if isinstance(held, ast.Attribute) and held.attr == "__dict__":
            yield _Change(held.value, site.place)
        elif isinstance(held, ast.Call) and isinstance(held.func, ast.Name) and held.func.id == "vars" and held.args:
            yield _Change(held.args[0], site.place)


def _ends(node: ast.expr) -> tuple[str, str]:
    """Return how a name that an expression works out begins and ends."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value, node.value
    if not isinstance(node, ast.JoinedStr):
        return "", ""
    first, last = node.values[0], node.values[-1]
    start = first.value if isinstance(first, ast.Constant) else ""
    end = last.value if isinstance(last, ast.Constant) else ""
    return str(start), str(end)
