"""What the lists hold that a data set of data sets is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Made, Possibilities
from loaderlint.linking.things.possibilities import under
from loaderlint.readers.python import Binding, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.persistence import TELLS
from loaderlint.vocabulary.sending import WRAPPERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def filled(evaluator: Evaluator, made: Made) -> Iterator[Possibilities]:
    """Yield what was added to a list of data sets that is joined to one, each under what its place assumes.

    The list begins empty in the same function, nothing but ``append`` changes it and nobody else gets it: what is added
    in a loop is in it as soon as the loop turns once, and torch joins no empty list (``ConcatDataset`` in
    ``torch/utils/data/dataset.py``).
    """
    given = made.call.args[0] if made.callee in WRAPPERS and made.call.args else None
    if not isinstance(given, ast.Name):
        return
    bindings = made.frame.scope.bindings.get(given.id, ())
    if not bindings or not _begins_empty(bindings[0]):
        return
    added = [(one, _appended(one)) for one in bindings[1:]]
    if any(value is None or one.place.order > made.frame.place.order for one, value in added):
        return
    if _is_given_away(given.id, made):
        return
    for one, value in added:
        assert value is not None
        values = evaluator.evaluate(value, made.frame.at(one.place))
        for conditions in evaluator.conditions(one.place.arms, made.frame):
            yield under(values, conditions)


def _is_given_away(name: str, made: Made) -> bool:
    """Return whether a list gets another name, or goes to another call, which may change it."""
    scope = made.frame.scope
    taken = [binding.value for bindings in scope.bindings.values() for binding in bindings if binding.kind == "assign"]
    for site in scope.calls:
        if site.node is not made.call and called_name(site.node) not in TELLS:
            taken += [*site.node.args, *(one.value for one in site.node.keywords)]
    return any(_is_in(name, one) for one in taken)


def _is_in(name: str, node: ast.expr | None) -> bool:
    """Return whether an expression is what has a name, or may hold it: a tuple of it and others, one of two arms."""
    match node:
        case ast.Name(found):
            return found == name
        case ast.List(inside) | ast.Tuple(inside) | ast.Set(inside) | ast.Dict(values=inside):
            return any(_is_in(name, one) for one in inside)
        case ast.IfExp(body=first, orelse=second):
            return _is_in(name, first) or _is_in(name, second)
    return False


def _begins_empty(binding: Binding) -> bool:
    value = binding.value if binding.kind == "assign" and not binding.index else None
    if isinstance(value, ast.Call):
        return dotted(value.func) == "list" and not value.args and not value.keywords
    return isinstance(value, ast.List) and not value.elts


def _appended(binding: Binding) -> ast.expr | None:
    """Return what a change of a list adds at its end, None where it is another change."""
    call = binding.node if binding.kind == "list" and binding.inner is None else None
    appends = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append"
    return call.args[0] if appends and isinstance(call, ast.Call) and len(call.args) == 1 else None
