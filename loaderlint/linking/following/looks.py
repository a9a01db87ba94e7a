"""Places of a file that ask a loader how long it is, what it was made of or whether it is there, and no more.

``DataLoader.__len__`` asks the sampler or the data set, and its options are attributes that it keeps; workers start
in ``__iter__`` (``torch/utils/data/dataloader.py``, 2.13).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import External, Frame, Items, Row
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts, Scope
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.uses import LOOKS_AT_LOADERS, PROGRESS_BARS, TELLS_OF_LOADERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def looks_in(evaluator: Evaluator, facts: PythonFacts) -> frozenset[int]:
    """Return the expressions of a file, by their identity, that are looked at where they stand and go nowhere."""
    key = ("looks", facts.source.path)
    return evaluator.once(key, frozenset[int](), lambda: frozenset(_looks_in(evaluator, facts)))


def _looks_in(evaluator: Evaluator, facts: PythonFacts) -> Iterator[int]:
    for site in (one for name in LOOKS_AT_LOADERS for one in facts.calls.get(name, ())):
        if not isinstance(site.node.func, ast.Name):
            continue
        callees = evaluator.evaluate(site.node.func, Frame(facts, site.place))
        names = [way.thing.name if isinstance(way.thing, External) else "" for way in callees]
        if names == [f"builtins.{site.node.func.id}"]:
            # A parameter, or another module's function, may have one of these names.
            yield from map(id, site.node.args)
    for node, _ in (one for name in TELLS_OF_LOADERS for one in facts.attributes.get(name, ())):
        if isinstance(node.ctx, ast.Load):
            yield id(node.value)
    for asks, _ in facts.tests:
        match asks:
            case ast.If(test) | ast.IfExp(test) | ast.UnaryOp(ast.Not(), test):
                yield id(test)
            case ast.Compare(left, [ast.Is() | ast.IsNot()], [ast.Constant(None)]):
                yield id(left)


def names_read(evaluator: Evaluator, facts: PythonFacts, scope: Scope) -> Mapping[str, Sequence[ast.Name]]:
    """Return the names that are read inside a scope, and inside what it defines, with the places."""
    key = ("names read in", facts.source.path, id(scope.node))
    return evaluator.once(key, {}, lambda: _names_read(scope.node))


def _names_read(node: ast.AST) -> Mapping[str, Sequence[ast.Name]]:
    found: dict[str, list[ast.Name]] = {}
    for one in nodes_of(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            found.setdefault(one.id, []).append(one)
    return found


def looks_at_each(evaluator: Evaluator, node: ast.stmt | ast.expr, iterated: ast.expr, frame: Frame) -> bool:
    """Return whether a loop goes over a collection and only looks at each thing in it: ``for k, v in held.items()``."""
    target = next((one for of, one in _loops(node) if of is iterated), None)
    collection = _collection(iterated)
    if target is None or collection is None:
        return False
    held = evaluator.evaluate(collection, frame)
    if not held or not all(isinstance(one.thing, Row | Items) for one in held):
        return False
    if collection is iterated and all(isinstance(one.thing, Items) for one in held):
        # A loop over a dictionary goes over its keys.
        return True
    each = _values_of(target, iterated)
    if each is None:
        return False
    looks = looks_in(evaluator, frame.facts)
    inside = frame.scope.node if isinstance(node, ast.For) else node
    for name in each:
        if frame.scope.parent is None and isinstance(node, ast.For) and name in frame.scope.readers:
            return False
        read = (one for one in nodes_of(inside) if isinstance(one, ast.Name) and one.id == name)
        if not all(id(one) in looks for one in read if isinstance(one.ctx, ast.Load)):
            return False
    return True


def _loops(node: ast.stmt | ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a loop or comprehension goes over, each with its target."""
    if isinstance(node, ast.For):
        yield node.iter, node.target
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        yield from ((one.iter, one.target) for one in node.generators)


def _values_of(target: ast.expr, iterated: ast.expr) -> list[str] | None:
    """Return the names that the things in a collection get in a loop, its keys and the turn aside; None for others."""
    match target:
        case ast.Name(name):
            return [name]
        case ast.Tuple([ast.Name(), ast.Name(name)]) if isinstance(iterated, ast.Call) and called_name(iterated) in (
            "items",
            "enumerate",
        ):
            return [name]
    return None


def _collection(iterated: ast.expr) -> ast.expr | None:
    """Return the collection that a loop goes over, whatever counts its turns or gives its items."""
    while isinstance(iterated, ast.Call):
        if called_name(iterated) in ("items", "values") and isinstance(iterated.func, ast.Attribute):
            iterated = iterated.func.value
        elif called_name(iterated) in PROGRESS_BARS and len(iterated.args) == 1:
            iterated = iterated.args[0]
        else:
            return None
    return iterated
