"""Loaders that code makes to look at them alone: it asks for their length, and no worker ever starts.

So it is with one of several that a function returns where no caller takes it: ``train, _ = loaders()``. Any other one
that nothing is done with may be meant for whoever imports its file, or stand in an example.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.looks import looks_in, names_read
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Function
from loaderlint.linking.things.made_calls import Caller
from loaderlint.readers.python import PythonFacts, Scope

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OF_TORCH = "torch.utils.data."
_TAKE_ALL_NAMES = ("compile", "eval", "exec", "globals", "locals", "vars")
"""Functions of Python by which code gets at what no name in it stands for."""
_TAKE_ANY_ATTRIBUTE = ("attrgetter", "getattr", "setattr")
"""Functions by which code gets at attributes that it does not name."""


def is_only_looked_at(evaluator: Evaluator, site: PythonSite) -> bool:
    """Return whether all that code does with a loader of torch's is to ask how long it is, or what."""
    if site.own_class is not None or not site.callee.startswith(_OF_TORCH):
        return False
    facts = site.frame.facts
    if any(facts.calls.get(name) for name in _TAKE_ALL_NAMES):
        return False
    looks = looks_in(evaluator, facts)
    if id(site.call) in looks:
        # ``len(DataLoader(…))``: nothing else has it.
        return True
    imported = bool(evaluator.project.direct_users(facts.source.path))
    scope = site.frame.scope
    kept = _only_name(scope, site.call)
    if isinstance(kept, ast.Attribute):
        return not imported and _is_own_attribute(facts, scope, kept, looks)
    if kept is None or scope.is_class or (scope.parent is None and imported) or kept.id in scope.outer_names:
        return False
    read = names_read(evaluator, facts, scope).get(kept.id, ())
    if not read or scope.readers.get(kept.id):
        return False
    others = [one for one in read if id(one) not in looks]
    return not others or _is_left_by_callers(evaluator, facts, scope, others)


def _is_left_by_callers(evaluator: Evaluator, facts: PythonFacts, scope: Scope, read: Sequence[ast.Name]) -> bool:
    """Return whether a function only returns what some names stand for, among other things, and no caller takes it."""
    if not isinstance(scope.node, ast.FunctionDef) or scope.node.decorator_list or scope.yields:
        return False
    rows = [value for value, _ in scope.returns if isinstance(value, ast.Tuple)]
    places = {(index, len(row.elts)) for row in rows for index, one in enumerate(row.elts) if one in read}
    returned = sum(one in read for row in rows for one in row.elts)
    if len(places) != 1 or returned < len(read) or len(rows) < len(scope.returns):
        return False
    called = evaluator.callers.of(Function(facts, scope.node, scope, owner=classes.owner_of(facts, scope)))
    if called.elsewhere or not called.by:
        return False
    index, length = places.pop()
    return all(isinstance(one, Caller) and _leaves(evaluator, one, index, length) for one in called.by)


def _leaves(evaluator: Evaluator, caller: Caller, index: int, length: int) -> bool:
    """Return whether a caller unpacks what a function returns, and never reads the name that one part of it gets."""
    scope = caller.frame.scope
    for bindings in scope.bindings.values():
        for one in bindings:
            match one.node:
                case ast.Assign([ast.Tuple(targets)], value) if value is caller.call and len(targets) == length:
                    name = targets[index]
                    if not isinstance(name, ast.Name) or not scope.is_function or name.id in scope.outer_names:
                        return False
                    return not names_read(evaluator, caller.frame.facts, scope).get(name.id)
    return False


def _only_name(scope: Scope, call: ast.Call) -> ast.Name | ast.Attribute | None:
    """Return the name or attribute that stands for the result of a call in a scope, and for nothing else there."""
    for bindings in scope.bindings.values():
        match [one.node for one in bindings]:
            case [ast.Assign(targets=[ast.Name() | ast.Attribute() as name], value=value)] if _gives(value, call):
                return name
            case [ast.AnnAssign(target=ast.Name() | ast.Attribute() as name, value=value)] if _gives(value, call):
                return name
    return None


def _gives(value: ast.expr | None, call: ast.Call) -> bool:
    """Return whether an expression gives the result of a call, or one thing else where it does not make it."""
    return value is call or (isinstance(value, ast.IfExp) and call in (value.body, value.orelse))


def _is_own_attribute(facts: PythonFacts, scope: Scope, kept: ast.Attribute, looks: frozenset[int]) -> bool:
    """Return whether a loader is an attribute of ``self`` that its file alone can read, and only looks at.

    A class that derives from another has methods that may iterate it, and so have those that derive from it.
    """
    owner = scope.parent
    if owner is None or not isinstance(owner.node, ast.ClassDef) or owner.node.bases or owner.node.keywords:
        return False
    if not (isinstance(scope.node, ast.FunctionDef) and isinstance(kept.value, ast.Name)):
        return False
    if any(facts.calls.get(name) for name in _TAKE_ANY_ATTRIBUTE) or "__dict__" in facts.attributes:
        return False
    others = [node for node, _ in facts.attributes.get(kept.attr, ()) if node is not kept]
    return bool(others) and all(id(one) in looks for one in others)
