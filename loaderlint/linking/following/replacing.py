"""Methods that give an attribute another value than what makes the object did: ``setup`` after ``self.n = -1``."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping

from loaderlint.linking.scopes.names import MUTATIONS, unbound
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Possibilities
from loaderlint.linking.things.possibilities import one_of, under
from loaderlint.model.assumptions import Assumption, Assumptions
from loaderlint.readers.python import Binding, Scope

AFTER_FIELDS = frozenset({"__post_init__", "__attrs_post_init__", "model_post_init"})
"""Methods that run when the fields of an object have their values (dataclasses, attrs, pydantic)."""
MAKING = AFTER_FIELDS | {"__init__"}
"""Methods that run for every object that is made."""


def always_runs(method: Scope) -> bool:
    """Return whether a method runs for every object that is made."""
    return method.name in MAKING


def by(methods: Iterable[tuple[Scope, str]], name: str) -> frozenset[str]:
    """Return which methods, each with what it calls its object, leave nothing of what an attribute was before them."""
    return frozenset(
        scope.name
        for scope, own in methods
        for bindings in [assignments(scope, own, name)]
        if bindings and not always_runs(scope) and not unbound(bindings, None)
    )


def assignments(method: Scope, own: str, name: str) -> list[Binding]:
    """Return the statements of a method that set an attribute of its object."""
    return [one for one in method.bindings.get(f"{own}.{name}", ()) if one.kind not in MUTATIONS]


def holds_open(given: Iterable[Binding], replaced: bool) -> bool:
    """Return whether all that a constructor gives an attribute stands for what a method is still to bring.

    None does, and so does a whole number below 1 where a method replaces it for certain.
    """
    return all(_is_none(one.value) or (replaced and _is_below_one(one.value)) for one in given)


def _is_none(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _is_below_one(value: ast.expr | None) -> bool:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        return isinstance(value.operand, ast.Constant) and type(value.operand.value) is int
    return isinstance(value, ast.Constant) and type(value.value) is int and value.value < 1


def told_apart(owner: Class, name: str, ways: Mapping[str, Possibilities], replacing: Collection[str]) -> Possibilities:
    """Return what an attribute holds, each value under the assumption that the method was the last to set it.

    Where a method has run that replaces it, what the object was made with is gone; so are several attributes known to
    be as they were before one method set them all, or as they are after.
    """
    return one_of(
        f"the method that sets {classes.subject(owner)}.{name}",
        (
            (method, under(values, _have_run(owner, method, replacing & ways.keys())))
            for method, values in ways.items()
            if values
        ),
    )


def _have_run(owner: Class, method: str, replacing: Collection[str]) -> Assumptions:
    ran = dict.fromkeys(replacing, 0) if method in MAKING else {method: 1}
    return frozenset(Assumption(f"whether {classes.subject(owner)}.{one} ran", answer) for one, answer in ran.items())
