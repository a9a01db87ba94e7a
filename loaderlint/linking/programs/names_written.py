"""Where a program gives attributes and keys other values, by their names: an index, made once for a file."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.programs.object_uses import SHOWS
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.workers.names_read import ANY_NAME
from loaderlint.readers.python import Binding, Place, PythonFacts, Scope, owners_set
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import (
    CHANGES_FIRST,
    CHANGES_ITS_OBJECT,
    CHANGES_NO_VALUE,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_OF_THE_PROCESS = "os.environ"


class Written(NamedTuple):
    """Something that gives an attribute or key of an owner another value; ``within`` is the scope it stands in."""

    facts: PythonFacts
    within: Scope
    place: Place
    node: ast.AST
    owner: ast.expr


def names_written(evaluator: Evaluator, facts: PythonFacts) -> Mapping[str, Sequence[Written]]:
    """Return what a file writes, by the names of the attributes and keys; `ANY_NAME` for those that are worked out."""
    return evaluator.remembered(("names written", facts.source.path), None, lambda: _index(facts))


def _index(facts: PythonFacts) -> Mapping[str, Sequence[Written]]:
    found: dict[str, list[Written]] = {}
    for scope in facts.scopes.values():
        for dotted_name, bindings in scope.bindings.items():
            for one in bindings:
                for name, owner in _written_by(dotted_name, one):
                    place = one.inner or one.place
                    found.setdefault(name, []).append(Written(facts, place.scope, place, one.node, owner))
    for scope in facts.scopes.values():
        for site in scope.calls:
            for changed in _changed_by(site.node):
                found.setdefault(changed.attr, []).append(Written(facts, scope, site.place, site.node, changed.value))
    for change in facts.attribute_changes:
        name = str(change.name.value) if isinstance(change.name, ast.Constant) else ANY_NAME
        place = change.place
        found.setdefault(name, []).append(Written(facts, place.scope, place, change.owner, change.owner))
    return found


def _changed_by(call: ast.Call) -> Iterator[ast.Attribute]:
    """Yield the attributes whose values a call changes in place: ``self.mean.mul_(2)``, ``shuffle(self.order)``."""
    name = called_name(call)
    in_place = name.endswith("_") and not name.endswith("__") and name not in CHANGES_NO_VALUE
    if isinstance(call.func, ast.Attribute) and (in_place or name in CHANGES_ITS_OBJECT):
        yield from _shown(call.func.value)
    if call.args and (in_place or name in CHANGES_FIRST):
        yield from _shown(call.args[0])


def _shown(node: ast.expr) -> Iterator[ast.Attribute]:
    """Yield the attribute that an expression is a part, or shows the numbers, of."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr in SHOWS):
        node = node.value
    if isinstance(node, ast.Attribute):
        yield node


def _written_by(dotted_name: str, binding: Binding) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a binding writes, each with the expression for what it is written on."""
    if binding.kind in MUTATIONS:
        # What is changed in a part of something is known by the name of the part, and by its own.
        names = [*(one for one in binding.keys if isinstance(one, str)), *_keys(binding)]
        yield from ((name, _expression(dotted_name, binding)) for name in names)
        owner, _, last = dotted_name.rpartition(".")
        # Nobody looks at all that a process has.
        if owner and not (names and dotted_name == _OF_THE_PROCESS):
            yield last, _expression(owner, binding)
    elif "." in dotted_name:
        name = dotted_name.rpartition(".")[2]
        owners = list(owners_set(binding.node, name))
        yield name, owners[0] if owners else _expression(dotted_name.rpartition(".")[0], binding)


def _keys(binding: Binding) -> Iterator[str]:
    if isinstance(binding.key, ast.Constant) and isinstance(binding.key.value, str):
        yield binding.key.value
    if binding.kind == "update" and isinstance(binding.node, ast.Call):
        yield from (one.arg for one in binding.node.keywords if one.arg is not None)
        for one in binding.node.args:
            keys = one.keys if isinstance(one, ast.Dict) else ()
            yield from (key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


def _expression(dotted_name: str, binding: Binding) -> ast.expr:
    """Return an expression of a dotted name, which stands where a binding does."""
    node = ast.parse(dotted_name, mode="eval").body
    for one in ast.walk(node):
        ast.copy_location(one, binding.node)
    return node
