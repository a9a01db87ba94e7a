"""What the loop over a loader does that reaches its samples, or their order: at once where it has no workers.

With workers the indices were handed out some batches ago, and what was sent is theirs, or shared, but was read before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, TypeGuard

from loaderlint.linking.following.loaders_behind import loaders_in
from loaderlint.linking.following.running import STEPS, Iterations
from loaderlint.linking.programs.meanwhile import Part, loops_over, with_called
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Instance, Made, Thing
from loaderlint.linking.workers.file_paths import files_named, may_be
from loaderlint.linking.workers.file_writes import starts_programs, written_by
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.model.payload import Payload, Touch
from loaderlint.readers.python import FunctionNode, Place, dotted, parameters

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_SETS = MUTATIONS | {"assign", "augment", "unpack"}
SAMPLERS = frozenset({"sampler", "batch_sampler"})


def reaching_samples(
    evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given], runs: Sequence[Iterations], payload: Payload
) -> Iterator[Touch]:
    """Yield where the loop over a loader changes what its samples, or their order, hang on."""
    samplers = list(watched(evaluator, given))
    handed = frozenset(_texts_handed(evaluator, given))
    for loop, frame in dict(loops_over(site.call, runs)).items():
        for part in with_called(evaluator, loop, frame) if samplers or payload.code.reads or handed else ():
            for sampler in samplers:
                yield from _changes_object(evaluator, site, part, sampler)
            yield from _writes(evaluator, part, payload.code.reads, handed)


# --- samplers ---


def instances(evaluator: Evaluator, given: Mapping[str, Given], options: Set[str]) -> Iterator[Instance]:
    """Yield the objects of the project that options get, themselves or inside of those of torch."""
    waiting: list[Thing] = [one.thing for option in options & given.keys() for one in given[option].possibilities]
    seen = set[int]()
    for thing in waiting:
        if isinstance(thing, Instance):
            yield thing
        elif isinstance(thing, Made) and thing.callee.startswith("torch.utils.data.") and id(thing.call) not in seen:
            seen.add(id(thing.call))
            with evaluator.steps(STEPS):
                inner = [evaluator.evaluate(one, thing.frame) for one in thing.call.args[:1]]
            waiting += [one.thing for several in inner for one in several]


def watched(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[Instance]:
    """Yield the samplers of the project that look at themselves as they go along, and not only as they begin."""
    yield from (one for one in instances(evaluator, given, SAMPLERS) if _goes_along(evaluator, one))


def _goes_along(evaluator: Evaluator, sampler: Instance) -> bool:
    """Return whether a sampler looks at itself as it goes along, and not only as it begins."""
    method = classes.method(evaluator, sampler, "__iter__")
    if method is None or not method.scope.yields:
        return method is None or not all(_is_all_there(value) for value, _ in method.scope.returns)
    own = next((one.arg for one in parameters(method.node)), "") if isinstance(method.node, FunctionNode) else ""
    loops = [one for one in ast.walk(method.node) if isinstance(one, ast.For | ast.While)]
    looked_at = [node for loop in loops for statement in loop.body for node in ast.walk(statement)]
    gone_over = [
        *(loop.iter for loop in loops if isinstance(loop, ast.For)),
        *(one.value for one, _ in method.scope.yielded if isinstance(one, ast.YieldFrom)),
    ]
    return any(isinstance(one, ast.Name) and one.id == own for one in looked_at) or any(
        isinstance(one, ast.Attribute) for one in gone_over
    )


def _is_all_there(value: ast.expr | None) -> bool:
    """Return whether all indices are worked out where a method returns them: ``iter(torch.randperm(9).tolist())``."""
    match value:
        case ast.Call(ast.Name("iter"), [ast.Call(ast.Attribute() | ast.Name() as made)]):
            return (dotted(made) or "").rpartition(".")[2] not in {"filter", "map", "zip"}
    return False


def _changes_object(evaluator: Evaluator, site: PythonSite, part: Part, sampler: Instance) -> Iterator[Touch]:
    """Yield where a part of a program has a sampler change itself, or changes an attribute of it."""
    changing = {
        scope.name
        for owner in classes.lineage(evaluator, sampler.of)
        for scope in owner.scope.children
        if any(name.startswith("self.") for name in scope.bindings) and not scope.name.startswith("__")
    }

    def is_it(node: ast.expr, place: Place) -> bool:
        if isinstance(node, ast.Attribute) and node.attr in SAMPLERS:
            behind = loaders_in(evaluator, node.value, part.frame(place))
            if any(one.call == id(site.call) for one in behind):
                return True
        with evaluator.steps(STEPS):
            things = [one.thing for one in evaluator.evaluate(node, part.frame(place))]
        return any(isinstance(one, Instance) and one.call is sampler.call is not None for one in things)

    for call in part.sites:
        function = call.node.func
        if isinstance(function, ast.Attribute) and function.attr in changing and is_it(function.value, call.place):
            yield touch_at(part.facts, call.node)
    for one in part.bindings:
        if one.kind in _SETS and "." in one.name:
            owners = (node.value for node in ast.walk(one.node) if _is_attribute(node, one.name))
            yield from (touch_at(part.facts, one.node) for owner in owners if is_it(owner, one.place))


def _is_attribute(node: ast.AST, name: str) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and dotted(node) == name


# --- files ---


def _texts_handed(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[str]:
    """Yield the texts that data sets are made of, which may be paths."""
    for one in instances(evaluator, given, {"dataset"}):
        for argument in arguments_of(one.call) if one.call is not None and one.frame is not None else ():
            with evaluator.steps(STEPS):
                things = [each.thing for each in evaluator.evaluate(argument, one.frame)] if one.frame else []
            yield from (each for each in things if isinstance(each, str) and each)


def _writes(evaluator: Evaluator, part: Part, read: Sequence[str], handed: Set[str]) -> Iterator[Touch]:
    """Yield where a part of a program writes a file that samples read, or may by a path that they were handed."""
    for site in part.sites if read or handed else ():
        named = written_by(evaluator, part.facts, part.scope, site.node)
        for one in named if handed else ():
            with evaluator.steps(STEPS):
                things = [each.thing for each in evaluator.evaluate(one, part.frame(site.place))]
            if any(isinstance(each, str) and each in handed for each in things):
                yield touch_at(part.facts, site.node)
        files = (file for one in named for file in files_named(evaluator, part.facts, part.scope, one))
        written = any(":" not in file and may_be(file, other) for file in files for other in read)
        # Which files another program writes is not seen.
        if written or (read and starts_programs(part.scope, site.node)):
            yield touch_at(part.facts, site.node)


def arguments_of(call: ast.Call) -> Sequence[ast.expr]:
    """Return what a call is handed, by position and by name."""
    return [*call.args, *(one.value for one in call.keywords)]
