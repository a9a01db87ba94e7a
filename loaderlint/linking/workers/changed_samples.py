"""Samples that are changed where they are kept: what is read of them next hangs on how often that was done before."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.running import STEPS, may_run
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.scopes.in_workers import told_apart
from loaderlint.linking.things.kinds import Class, Frame, Function, Made, Possibilities, Unseen
from loaderlint.linking.workers.lifetimes import KEPT, NEW, PART, UNKNOWN, Callee, Layers, Outcome, holding, outcome
from loaderlint.linking.workers.returned import called
from loaderlint.readers.python import FunctionNode, dotted, parameters
from loaderlint.vocabulary.sending import PARTIAL

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__", "__setstate__", "__getstate__", "__reduce__"})
_READS = frozenset({"__getitem__", "__getitems__"})


def changes_samples(
    evaluator: Evaluator, given: Mapping[str, Given], running: Mapping[str, Sequence[Function]]
) -> bool:
    """Return whether functions that run in workers, by option, change an element of what outlasts their call.

    One that is only stored by a key, from what stands under others, is the same however often that is done.
    """
    calls = _Calls(evaluator)
    samples = NEW
    bound = _bound(given["collate_fn"].possibilities if "collate_fn" in given else ())
    for role, functions in running.items():
        for function in functions:
            node = function.node
            name = node.name if isinstance(node, FunctionNode) else ""
            if name in _CONSTRUCTORS:
                continue
            batch = holding([samples]) if role == "collate_fn" else NEW
            before = bound if role == "collate_fn" and function is functions[0] else {}
            place = sum(isinstance(key, int) for key in before)
            taken = _given_before(function) | _taken(function, {**before, place: batch})
            done = calls.outcome(function, taken)
            if done.changes:
                return True
            if name in _READS:
                samples = min(samples, done.returned)
    return False


def _bound(collating: Possibilities) -> dict[str | int, Layers]:
    """Return what a ``functools.partial`` hands every call of a ``collate_fn``, by position and by name."""
    for one in collating:
        if isinstance(one.thing, Made) and one.thing.callee == PARTIAL:
            call = one.thing.call
            names = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
            return dict.fromkeys([*range(len(call.args) - 1), *names], PART)
    return {}


def _given_before(function: Function) -> dict[str, Layers]:
    """Return the parameters of a function that get the same object in every call that gives them none."""
    arguments = function.node.args
    pairs = [
        *zip(reversed([*arguments.posonlyargs, *arguments.args]), reversed(arguments.defaults), strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return {one.arg: PART for one, default in pairs if default is not None and not isinstance(default, ast.Constant)}


def _taken(function: Function, given: Mapping[str | int, Layers], on: Layers = KEPT) -> dict[str, Layers]:
    """Return the layers of a function's parameters, of those it is given by position or name, and called on."""
    node = function.node
    names = [one.arg for one in parameters(node)]
    decorators = {one.id for one in getattr(node, "decorator_list", ()) if isinstance(one, ast.Name)}
    bound = function.owner is not None and "staticmethod" not in decorators
    taken = {names[0]: on} if bound and names else {}
    positional = names[1:] if bound else names
    for key, layers in given.items():
        if isinstance(key, str) and key in names:
            taken[key] = layers
        elif isinstance(key, int) and key < len(positional):
            taken[positional[key]] = layers
    return taken


class _Calls:
    """What calls inside worker code do, each function looked into once for the same kind of arguments."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[tuple[ast.AST, tuple[tuple[str, Layers], ...]], Outcome] = {}

    def outcome(self, function: Function, taken: Mapping[str, Layers]) -> Outcome:
        key = function.node, tuple(sorted(taken.items()))
        if key not in self._known:
            self._known[key] = Outcome()
            self._known[key] = outcome(function.node, function.scope, taken, self._inside(function))
        return self._known[key]

    def _outcome_of_call(self, function: Function, taken: Mapping[str, Layers]) -> Outcome:
        done = self.outcome(function, {**_given_before(function), **taken})
        return replace(done, returned=PART) if _is_remembered(function) else done

    def _inside(self, function: Function) -> Callee:
        places = {id(site.node): site.place for site in function.scope.calls}

        def callee(call: ast.Call, on: Layers, given: Mapping[str | int, Layers]) -> Outcome | None:
            place = places.get(id(call))
            least = min(on, *given.values(), NEW)
            if place is None or told_apart(place) or (least == NEW and not may_run(self._evaluator, call)):
                return None
            frame = Frame(function.facts, place, receiver=function.receiver)
            with self._evaluator.steps(STEPS):
                ways = list(self._evaluator.evaluate(call.func, frame))
            done = [
                self._outcome_of_call(one, _taken(one, given, on))
                for way in ways
                for one in called(self._evaluator, way, ("__call__",))
            ]
            if any(isinstance(way.thing, Class) for way in ways):
                done.append(Outcome(holding(given.values())))
            if any(isinstance(way.thing, Unseen) for way in ways):
                done.append(UNKNOWN)
            if not done:
                return None
            return Outcome(
                min(one.returned for one in done),
                any(one.changes for one in done),
                seen=all(one.seen for one in done),
            )

        return callee


def _is_remembered(function: Function) -> bool:
    """Return whether a function gives the same object again where it is asked the same (`functools.cache`)."""
    decorators = [
        dotted(one.func if isinstance(one, ast.Call) else one) for one in getattr(function.node, "decorator_list", ())
    ]
    return any((name or "").rpartition(".")[2] in ("cache", "lru_cache") for name in decorators)
