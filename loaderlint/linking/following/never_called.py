"""Methods that nothing calls by their own name: what is handed on of them runs only where it was come to.

A class that binds ``self.test_dataloader = self._test_dataloader`` under a condition has no such method without it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.files.words import as_bytes
from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, External, Frame, Thing
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.readers.python import FunctionNode, Place, PythonFacts, Scope, dotted
from loaderlint.vocabulary.callables import DATA_MODULES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_PUTS_TOGETHER = re.compile(rb"\bgetattr\((?:\s*\n|[^\n]*(?:[+%]|[fF][\"']|\w\())|[\"']_\w*(?:[\"']\s*\+|[{%])")
"""Where ``getattr`` is called with more than plain names and texts, or on further lines; how a private name begins."""
_MOST_WAYS = 4
"""Where a method is handed on in more ways than this, only what they have in common is kept of the conditions."""


def conditions_of_handing_on(evaluator: Evaluator, frame: Frame) -> list[Assumptions]:
    """Return the alternatives under which the method a frame is in is handed on; no conditions where it may be called.

    A method that is not private may be called by whoever uses the project, and one of a class that inherits from what
    is not known by what that is.
    """
    owner, method = classes.owner_of(frame.facts, frame.scope), frame.scope
    if owner is None or not method.name.startswith("_") or method.name.endswith("__"):
        return [NO_ASSUMPTIONS]
    places = evaluator.remembered(("handed on", method.node), None, lambda: _handed_on_at(evaluator, owner, method))
    ways = [way for one in places for way in evaluator.conditions(one.arms, Frame(owner.facts, one))]
    if not places or len(ways) > _MOST_WAYS:
        return [frozenset.intersection(*ways)] if ways else [NO_ASSUMPTIONS]
    return ways


def _handed_on_at(evaluator: Evaluator, owner: Class, method: Scope) -> tuple[Place, ...]:
    """Return the places where a method of an object becomes an attribute of it; none where others may name it."""
    name = method.name
    evaluator.mentioned.add(name)
    if not isinstance(method.node, FunctionNode) or method.node.decorator_list or evaluator.callers.heirs(owner):
        return ()
    bound = [
        (one.place, node)
        for scope in owner.scope.children
        for key, bindings in scope.bindings.items()
        if key.startswith(f"{receiver_in(scope)}.")
        for one in bindings
        if one.kind == "assign" and one.value is not None
        for node in _uncalled(one.value)
        if node.attr == name
    ]
    if not bound or not _is_known(evaluator, owner) or is_looked_up(evaluator, classes.lineage(evaluator, owner), name):
        return ()
    lineage = [one.scope for one in classes.lineage(evaluator, owner)]
    named = [node for facts in evaluator.project.all_python() for node in _names_of(facts, name, lineage)]
    handed_on = {node for _, node in bound}
    return tuple(place for place, node in bound if node in named) if handed_on.issuperset(named) else ()


def _is_known(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether nothing a class inherits from, or is made over by, calls private methods of it."""
    for one in classes.lineage(evaluator, owner):
        if one.node.decorator_list or one.node.keywords:
            return False
        for base in one.node.bases:
            things = [way.thing for way in evaluator.evaluate(base, Frame(one.facts, one.place))]
            if not all(isinstance(thing, Class) or _is_data_module(thing) for thing in things):
                return False
    return True


def _is_data_module(thing: Thing) -> bool:
    return isinstance(thing, External) and thing.name in DATA_MODULES


def _names_of(facts: PythonFacts, name: str, lineage: Collection[Scope]) -> Iterator[ast.AST]:
    """Yield what names a method in a file, but for what classes besides its lineage have of that name themselves."""
    if as_bytes(name) not in facts.source.content:
        return
    others = {
        node
        for scope in facts.scopes.values()
        if scope.parent is not None and scope.parent.is_class and scope.parent not in lineage
        if name in scope.parent.bindings
        for node in ast.walk(scope.node)
        if isinstance(node, ast.Attribute) and dotted(node) == f"{receiver_in(scope)}.{name}"
    }
    for node in ast.walk(facts.tree):
        is_named = isinstance(node, ast.Name) and node.id == name
        is_written = isinstance(node, ast.Constant) and node.value == name
        if is_named or is_written or (isinstance(node, ast.Attribute) and node.attr == name and node not in others):
            yield node


def _uncalled(value: ast.expr) -> Iterator[ast.Attribute]:
    """Yield the attributes in an expression that are not called there."""
    called = {node.func for node in ast.walk(value) if isinstance(node, ast.Call)}
    yield from (node for node in ast.walk(value) if isinstance(node, ast.Attribute) and node not in called)


def is_looked_up(evaluator: Evaluator, related: Collection[Class], name: str) -> bool:
    """Return whether ``getattr`` may give a method of some related classes somewhere in the project."""
    # What puts a name together may stand in a file that says nothing of loaders.
    every = (*evaluator.project.all_python(), *evaluator.project.python_files_with(_PUTS_TOGETHER))
    sites = ((facts, site) for facts in every for site in facts.calls.get("getattr", ()))
    bodies = [one.scope for one in related]
    return any(_looks_up(evaluator, Frame(facts, site.place), site.node, name, bodies) for facts, site in sites)


def _looks_up(evaluator: Evaluator, frame: Frame, call: ast.Call, name: str, bodies: Collection[Scope]) -> bool:
    """Return whether ``getattr`` may give a method by a name that is put together, or asked for of the own object.

    A name that stands somewhere as it is was found there. The own object is asked in the bodies of its classes alone.
    """

    def is_it(asked: ast.expr) -> bool:
        return re.fullmatch(_spelled(evaluator, frame, asked), name) is not None

    match call.args:
        case [_, ast.JoinedStr() | ast.BinOp() | ast.Call() as asked, *_]:
            return is_it(asked)
        case [_, ast.Name(asked), *_] if any(
            isinstance(one.value, ast.JoinedStr | ast.BinOp) and is_it(one.value)
            for one in frame.scope.bindings.get(asked, ())
        ):
            return True
        case [ast.Name(holder), asked, *_] if frame.scope.parent in bodies:
            return holder == receiver_in(frame.scope) and not isinstance(asked, ast.Constant)
    return False


def _spelled(evaluator: Evaluator, frame: Frame, node: ast.expr) -> str:
    """Return the pattern of the texts that an expression can put together, by the pieces that are written there.

    What goes by a name in capitals is a constant (PEP 8).
    """
    match node:
        case ast.Constant(str(text)):
            return re.escape(text)
        case ast.JoinedStr(pieces):
            return "".join(_spelled(evaluator, frame, one) for one in pieces)
        case ast.FormattedValue(ast.Name() as value, -1, None):
            return _spelled(evaluator, frame, value)
        case ast.BinOp(first, ast.Add(), second):
            return _spelled(evaluator, frame, first) + _spelled(evaluator, frame, second)
        case ast.Name(constant) if constant.isupper():
            texts = [one.thing for one in evaluator.evaluate(node, frame)]
            if all(isinstance(one, str) for one in texts):
                return f"(?:{'|'.join(re.escape(str(one)) for one in texts)})"
    return ".*"
