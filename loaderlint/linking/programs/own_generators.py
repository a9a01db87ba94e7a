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
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Frame, Function, Instance, Items, Made, Row, Thing
from loaderlint.linking.workers.payload import carried
from loaderlint.linking.workers.top_level import reaches_top, touch_at
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import CallSite, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.kept import RESEEDING
from loaderlint.vocabulary.seeding import GENERATORS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_SEEDED_ALWAYS = "Generator"
"""What begins with the same seed everywhere where it is given none (``torch.Generator``, "default_seed")."""
_DRAWS_NOTHING = frozenset({"isinstance", "print", "repr", "str", "type"})
"""Functions that may be handed a generator, and draw nothing of it."""
_NAMED = (ast.Name, ast.Attribute, ast.Subscript)
"""Expressions that stand for what was made elsewhere."""
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
    """Yield where a function draws from what its object, or its module, keeps, and did not seed that before."""
    if not any(True for name in GENERATORS for _ in evaluator.callers.sites(name)):
        return
    scope = function.scope
    named = [(site, kept) for site in scope.calls for one in _drawn_from(site.node) for kept in _kept_as(scope, one)]
    seeds = [(site, ast.dump(kept)) for site, kept in named if called_name(site.node) in RESEEDING]
    drawn = [(site, kept, Frame(function.facts, site.place, receiver=function.receiver)) for site, kept in named]
    drawn += [(site, kept, frame) for site in scope.calls for kept, frame in _bound_to(evaluator, function, site.node)]
    for site, kept, frame in drawn:
        if called_name(site.node) in RESEEDING:
            continue
        if any(text == ast.dump(kept) and _runs_before(seed, site) for seed, text in seeds):
            continue
        if any(map(_is_generator, _things_kept(evaluator, kept, frame))):
            yield touch_at(function.facts, site.node)


def _drawn_from(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what a call may draw from: what a method is called on, and all that is handed to what may draw."""
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    handed = arguments_of(call) if called_name(call) not in _DRAWS_NOTHING else []
    yield from (one for one in (*owner, *handed) if isinstance(one, _NAMED))


def _kept_as(scope: Scope, node: ast.expr) -> Iterator[ast.expr]:
    """Yield what is no name of a function itself that an expression stands for: ``self.rng`` for ``rng = self.rng``."""
    waiting = [node]
    for one in waiting:
        if isinstance(one, ast.Name) and not reaches_top(scope, one.id):
            given = (each.value for each in scope.bindings.get(one.id, ()) if each.kind == "assign")
            waiting += [value for value in given if isinstance(value, _NAMED) and value not in waiting]
        else:
            yield one


def _bound_to(evaluator: Evaluator, function: Function, call: ast.Call) -> Iterator[tuple[ast.expr, Frame]]:
    """Yield what kept methods are of: ``rng`` for ``self.draw`` after ``self.draw = rng.random``."""
    name = dotted(call.func) or ""
    if not name.startswith("self.") or function.receiver is None:
        return
    for owner in classes.lineage(evaluator, function.receiver.of):
        for scope in owner.scope.children:
            for binding in scope.bindings.get(name, ()):
                if isinstance(binding.value, ast.Attribute):
                    yield binding.value.value, Frame(owner.facts, binding.place, receiver=function.receiver)


def _runs_before(seed: CallSite, draw: CallSite) -> bool:
    """Return whether one call comes before another whenever that is come to: in its block, or in one around it."""
    always = all(any(arm.same(other) for other in draw.place.arms) for arm in seed.place.arms)
    places = [(one.place.order, one.node.lineno, one.node.col_offset) for one in (seed, draw)]
    return always and places[0] < places[1] and draw.node not in nodes_of(seed.node)


def _things_kept(evaluator: Evaluator, node: ast.expr, frame: Frame) -> Iterator[Thing]:
    """Yield what an expression stands for and, where that is a part of a list or a table, all that this has."""
    with evaluator.steps(STEPS):
        yield from (one.thing for one in evaluator.evaluate(node, frame))
        if not isinstance(node, ast.Subscript):
            return
        for one in evaluator.evaluate(node.value, frame):
            thing = one.thing
            parts = (
                thing.items if isinstance(thing, Row) else thing.entries.values() if isinstance(thing, Items) else ()
            )
            yield from (each.thing for part in parts for each in part)


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
