"""What a program asks of a thing as of a model that has parameters: for these, to store them, or to be trained.

An optimizer refuses a model without any: "optimizer got an empty parameter list" (``torch/optim/optimizer.py``, 2.13).
The rest a model without any answers as well, which nobody trains or stores; what was seen to be one is told apart by
who asks here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Frame
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.tensors import ASK_FOR_PARAMETERS, MODEL_WRAPPERS, MODULE_ITSELF_METHODS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NOTHING = frozenset[tuple[int, str]]()
_UNNAMED = dict[int, str]()


def is_asked_for_parameters(evaluator: Evaluator, node: ast.expr, frame: Frame) -> bool:
    """Return whether what an expression stands for is asked for its parameters under a name that it has around it.

    That is what it is read from, and what it is kept as: itself, moved, or wrapped.
    """
    facts, scope = frame.facts, frame.scope
    asked = evaluator.once(("asked for parameters", facts.source.path), _NOTHING, lambda: _asked_in(facts))
    if not asked:
        return False
    kept = evaluator.once(("names of what is moved", id(scope)), _UNNAMED, lambda: _kept_as(scope))
    inside = [*_same_model(node)]
    names = [dotted(one) for one in inside] + [kept.get(id(one)) for one in inside]
    return any(name is not None and (_owner(scope, name), name) in asked for name in names)


def _asked_in(facts: PythonFacts) -> frozenset[tuple[int, str]]:
    """Return the names whose parameters a file asks for, each with what it is a name of: a scope, or a class."""
    sites = (site for method in ASK_FOR_PARAMETERS for site in facts.calls.get(method, ()))
    asked = ((site.place.scope, dotted(site.node.func)) for site in sites)
    names = ((scope, name.rpartition(".")[0]) for scope, name in asked if name is not None)
    return frozenset((_owner(scope, name), name) for scope, name in names if name)


def _owner(scope: Scope, name: str) -> int:
    """Return what a dotted name is one of: the class whose object's attribute it is, or the scope that binds it."""
    root, _, attribute = name.partition(".")
    around: Scope | None = scope
    while around is not None and root not in around.bindings:
        around = around.parent
    is_receiver = around is not None and around.parent is not None and around.parent.is_class and attribute
    return id(around.parent if is_receiver and around is not None else around)


def _kept_as(scope: Scope) -> dict[int, str]:
    """Return the names that a scope gives to what stands for the same model as an expression, by its identity."""
    given = ((name, one.value) for name, bound in scope.bindings.items() for one in bound if one.kind == "assign")
    return {id(one): name for name, value in given if value is not None for one in _same_model(value)}


def _same_model(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression, and those inside that stand for the same model: moved, or wrapped."""
    yield node
    match node:
        case ast.Call(ast.Attribute(value, method)) if method in MODULE_ITSELF_METHODS:
            yield from _same_model(value)
        case ast.Call(args=[first, *_]) if called_name(node) in MODEL_WRAPPERS:
            yield from _same_model(first)
