"""Where generators of random numbers of one's own are drawn from by samples, or their order, and by others as well.

Workers have copies of those that samples keep, which begin again with each of them. An order is drawn some batches
ahead of the loop over a loader that has workers, and with its last batch (``torch/utils/data/sampler.py``,
``RandomSampler``: even of an order without replacement something is drawn in the end).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS, Iterations
from loaderlint.linking.programs.meanwhile import Part, loops_over, with_called
from loaderlint.linking.programs.reaching_samples import SAMPLERS, arguments_of, instances
from loaderlint.linking.things.kinds import Frame, Function, Instance, Made, Thing
from loaderlint.linking.workers.payload import carried
from loaderlint.linking.workers.top_level import reaches_top, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import CallSite, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.kept import RESEEDING
from loaderlint.vocabulary.seeding import GENERATORS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_SEEDED_ALWAYS = "Generator"
"""What begins with the same seed everywhere where it is given none (``torch.Generator``, "default_seed")."""
_DEEPEST = 4
"""Samplers inside of each other; those further in may be handed any generator."""


def own_generators(
    evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given], runs: Sequence[Iterations]
) -> Iterator[Touch]:
    """Yield where samples draw from a generator that they keep, and where a loop draws from that of its order."""
    _, running = carried(evaluator, given, site.frame)
    for function in running:
        yield from _drawn_by_samples(evaluator, function)
    ordering = [one for one in _handed(evaluator, given) if _is_generator(one)]
    if not ordering:
        return
    calls = {id(one.call) for one in ordering}
    for loop, frame in dict(loops_over(site.call, runs)).items():
        for part in with_called(evaluator, loop, frame):
            for one in part.sites:
                if one.node is not site.call and _uses(evaluator, part, one, calls):
                    yield touch_at(part.facts, one.node)


def _drawn_by_samples(evaluator: Evaluator, function: Function) -> Iterator[Touch]:
    """Yield where a function draws from what its object, or its module, keeps, and does not seed that itself."""
    scope = function.scope
    calls = [(one, owner) for one in scope.calls for owner in _drawn_from(one.node)]
    seeded = {dotted(owner) for one, owner in calls if called_name(one.node) in RESEEDING}
    for one, owner in calls:
        name = dotted(owner)
        if name is None or name in seeded:
            continue
        first, dot, _ = name.partition(".")
        if not dot and not reaches_top(scope, first):
            continue
        with evaluator.steps(STEPS):
            found = evaluator.evaluate(owner, Frame(function.facts, one.place, receiver=function.receiver))
        if any(_is_generator(each.thing) for each in found):
            yield touch_at(function.facts, one.node)


def _drawn_from(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what a call may draw from: what a method is called on, and what is handed it as a generator."""
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name | ast.Attribute):
        yield call.func.value
    for one in call.keywords:
        if one.arg in ("generator", "rng", "random_state") and isinstance(one.value, ast.Name | ast.Attribute):
            yield one.value


def _is_generator(thing: Thing) -> bool:
    """Return whether a thing is a generator that draws the same in each run: it was seeded, or always is."""
    if not isinstance(thing, Made):
        return False
    call = thing.call
    if called_name(call) in RESEEDING and isinstance(call.func, ast.Attribute):
        return isinstance(call.func.value, ast.Call) and called_name(call.func.value) in GENERATORS
    name = called_name(call)
    return name in GENERATORS and (bool(arguments_of(call)) or name == _SEEDED_ALWAYS)


def _handed(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[Made]:
    """Yield what libraries make that a loader is handed to draw its order by, itself or inside of its samplers."""
    options = [one.thing for one in (given["generator"].possibilities if "generator" in given else ())]
    samplers = [one.thing for name in sorted(SAMPLERS & given.keys()) for one in given[name].possibilities]
    waiting: list[tuple[Thing, int]] = [(one, _DEEPEST) for one in options]
    waiting += [(one, 0) for one in (*samplers, *instances(evaluator, given, SAMPLERS))]
    for thing, depth in waiting:
        if isinstance(thing, Made):
            yield thing
        if not isinstance(thing, Made | Instance) or thing.call is None or thing.frame is None or depth == _DEEPEST:
            continue
        for argument in arguments_of(thing.call):
            with evaluator.steps(STEPS):
                waiting += [(one.thing, depth + 1) for one in evaluator.evaluate(argument, thing.frame)]


def _uses(evaluator: Evaluator, part: Part, site: CallSite, calls: set[int]) -> bool:
    """Return whether a call is handed, or called on, what one of some calls made."""
    owner = [site.node.func.value] if isinstance(site.node.func, ast.Attribute) else []
    for one in (*owner, *arguments_of(site.node)):
        if isinstance(one, ast.Name | ast.Attribute):
            with evaluator.steps(STEPS):
                found = evaluator.evaluate(one, part.frame(site.place))
            if any(isinstance(each.thing, Made) and id(each.thing.call) in calls for each in found):
                return True
    return False
