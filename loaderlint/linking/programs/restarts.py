"""Loops whose every turn starts a loader's workers anew without need."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.loops_around import loop_of, loops_around
from loaderlint.linking.following.running import STEPS, Iterated, Iterations, shortened
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance, Module
from loaderlint.model.uses import Restart
from loaderlint.readers.python import Arm, Place, Scope
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.uses import PURE_FUNCTIONS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.sites import PythonSite


def restarts(evaluator: Evaluator, site: PythonSite, run: Iterations) -> Iterator[Restart]:
    """Yield the loops of a program that make a loader again of the same things, or take single batches from it."""
    places = run.places.get(id(site.call), [])
    arm = _innermost_loop(site.frame.place)
    if arm is not None and places and site.bundle is None:
        loop = loop_of(evaluator, arm, site.frame)
        around = (one for place in places for one in loops_around(evaluator, run, place.frame, id(site.call)))
        iterated = any(loop.span == one.span for one in around)
        if loop.counts and not loop.once and iterated and not _changes(evaluator, site, arm):
            facts = site.frame.facts
            yield Restart(site.span, shortened(facts.text(site.call)), loop=loop)
    for place in places:
        arm = _innermost_loop(place.frame.place)
        if arm is None or not _takes_one(place) or any(arm.same(one) for one in site.frame.place.arms):
            continue
        loop = loop_of(evaluator, arm, place.frame)
        if (
            loop.counts
            and not loop.once
            and not _is_of_epochs(evaluator, run, place, arm)
            and _begins(evaluator, place)
        ):
            facts = place.frame.facts
            what = shortened(f"next({facts.text(place.node)})")
            yield Restart(facts.span(place.node), what, place.assumptions, loop=loop, one_batch=True)


def _innermost_loop(place: Place) -> Arm | None:
    """Return the loop in whose every turn a place runs, None where a condition stands between or there is no loop."""
    last = place.arms[-1] if place.arms else None
    return last if last is not None and last.loop and not isinstance(last.owner, ast.comprehension) else None


def _begins(evaluator: Evaluator, place: Iterated) -> bool:
    """Return whether ``iter(loader)`` begins anew: a class of the project may keep one iterator for all turns."""
    assert isinstance(place.node, ast.Call)
    with evaluator.steps(STEPS):
        made = [one.thing for one in evaluator.evaluate(place.expression, place.frame)]
    kinds = [classes.lineage(evaluator, thing.of) for thing in made if isinstance(thing, Instance)]
    own = (classes.nearest(kind, "__iter__") for kind in kinds)
    return all(_passes_on(found[1]) for found in own if found is not None)


def _passes_on(method: Scope) -> bool:
    """Return whether an ``__iter__`` begins an iterator of something else, or goes through something it keeps."""
    calls = any(called_name(site.node) in ("iter", "__iter__") for site in method.calls)
    loops = (expression for expression, node, _ in method.iterations if isinstance(node, ast.For | ast.AsyncFor))
    return calls or any(isinstance(one, ast.Attribute) for one in loops)


def _takes_one(place: Iterated) -> bool:
    """Return whether a place makes an iterator for a single batch: ``next(iter(loader))``."""
    calls = (one.node for one in place.frame.scope.calls)
    return place.makes_iterator and any(called_name(call) == "next" and call.args[:1] == [place.node] for call in calls)


def _is_of_epochs(evaluator: Evaluator, run: Iterations, taken: Iterated, arm: Arm) -> bool:
    """Return whether a loop goes over epochs: some other loop or function inside goes over batches."""
    span = loop_of(evaluator, arm, taken.frame).span
    for loader, places in run.places.items():
        for place in places:
            if place.node is taken.node or (isinstance(place.node, ast.Call) and _wraps(place.node, taken.node)):
                continue
            if any(loop.span == span for loop in loops_around(evaluator, run, place.frame, loader)):
                return True
    scope = taken.frame.scope
    return any(
        isinstance(node, ast.For | ast.AsyncFor) and any(one.same(arm) for one in place.arms)
        for _, node, place in scope.iterations
    )


def _wraps(call: ast.Call, node: ast.AST) -> bool:
    return any(argument is node for argument in call.args)


# --- what a turn may change ---


def _changes(evaluator: Evaluator, site: PythonSite, arm: Arm) -> bool:
    """Return whether a turn may change what a loader is made of, or whether that was not seen."""
    call, frame = site.call, site.frame
    arguments = [*call.args, *(one.value for one in call.keywords)]
    inside = [node for argument in arguments for node in ast.walk(argument)]
    if any(isinstance(node, ast.Call) and not _is_pure(node) for node in inside):
        return True
    if any(isinstance(node, ast.Await | ast.Yield | ast.NamedExpr | ast.comprehension | ast.Lambda) for node in inside):
        return True
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    return any(_may_change(evaluator, name, frame, arm, call) for name in sorted(names))


def _is_pure(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in PURE_FUNCTIONS


def _may_change(evaluator: Evaluator, name: str, frame: Frame, arm: Arm, call: ast.Call) -> bool:
    scope = frame.scope
    bound = [
        one
        for known, bindings in scope.bindings.items()
        if known == name or known.startswith(f"{name}.")
        for one in bindings
    ]
    if any(_in_loop(one.place, arm) for one in bound):
        return True
    with evaluator.steps(STEPS):
        things = [one.thing for one in evaluator.evaluate(ast.copy_location(ast.Name(name, ast.Load()), call), frame)]
    plain = bool | int | float | str | Function | Class | Module
    if all(thing is None or isinstance(thing, plain) for thing in things):
        return False
    return _handed_on(name, scope, arm, call) or _known_elsewhere(name, scope, frame.facts.scopes.values())


def _in_loop(place: Place, arm: Arm) -> bool:
    return any(one.same(arm) for one in place.arms)


def _handed_on(name: str, scope: Scope, arm: Arm, loader: ast.Call) -> bool:
    """Return whether a call in the loop gets a thing, or is one of its own methods."""
    for site in scope.calls:
        if site.node is loader or not _in_loop(site.place, arm) or _is_pure(site.node):
            continue
        owners = [site.node.func.value] if isinstance(site.node.func, ast.Attribute) else []
        given = [*owners, *site.node.args, *(one.value for one in site.node.keywords)]
        inner = {id(node) for node in ast.walk(loader)}
        for one in given:
            if any(isinstance(node, ast.Name) and node.id == name and id(node) not in inner for node in ast.walk(one)):
                return True
    return False


def _known_elsewhere(name: str, scope: Scope, every: Iterable[Scope]) -> bool:
    """Return whether another function reads the same variable, which may then change what it holds."""
    owner: Scope | None = scope
    while owner is not None and name not in owner.bindings:
        owner = owner.parent
    return any(
        one is not scope and one is not owner and name in one.reads and name not in one.bindings for one in every
    )
