"""What the loop over a loader does that reaches its samples, or their order: at once where it has no workers.

With workers the indices were handed out some batches ago, and what was sent is theirs, or shared, but was read before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, TypeGuard

from loaderlint.linking.following.loaders_behind import loaders_in
from loaderlint.linking.following.running import STEPS, Iterations
from loaderlint.linking.programs.kept_batches import changed_by
from loaderlint.linking.programs.meanwhile import Part, loops_over, with_called
from loaderlint.linking.programs.shared_objects import seen_through
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.scopes.own_nodes import own_nodes
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Instance, Made, Thing
from loaderlint.linking.workers.file_paths import files_named, may_be
from loaderlint.linking.workers.file_writes import written_by
from loaderlint.linking.workers.top_level import full_name, touch_at
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Payload, Touch
from loaderlint.readers.python import FunctionNode, Place, Scope, dotted, parameters

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_SETS = MUTATIONS | {"assign", "augment", "unpack"}
_ARRAYS = ("numpy.", "torch.")
_LIBRARIES = ("numpy", "torch")
_MOST_THINGS = 20
SAMPLERS = frozenset({"sampler", "batch_sampler"})


def reaching_samples(
    evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given], runs: Sequence[Iterations], payload: Payload
) -> Iterator[Touch]:
    """Yield where the loop over a loader changes what its samples, or their order, hang on."""
    samplers = [one for one in instances(evaluator, given, SAMPLERS) if _goes_along(evaluator, one)]
    datasets = [*instances(evaluator, given, {"dataset"})]
    handed = list(_handed(evaluator, site, given, [*datasets, *samplers]))
    arrays = frozenset(_arrays(evaluator, [*datasets, *samplers]))
    for loop, frame in dict(loops_over(site.call, runs)).items():
        yield from _changes_handed(loop, handed)
        deeper = samplers or arrays or payload.code.reads
        for part in with_called(evaluator, loop, frame) if deeper else ():
            yield from _changes_arrays(evaluator, part, arrays)
            for sampler in samplers:
                yield from _changes_object(evaluator, site, part, sampler)
            yield from _writes(evaluator, part, payload.code.reads)


# --- what was handed over ---


def instances(evaluator: Evaluator, given: Mapping[str, Given], options: Set[str]) -> Iterator[Instance]:
    """Yield the objects of the project that options get, themselves or inside of those of torch."""
    waiting: list[Thing] = [one.thing for option in options & given.keys() for one in given[option].possibilities]
    for thing in waiting:
        if isinstance(thing, Instance):
            yield thing
        elif isinstance(thing, Made) and thing.callee.startswith("torch.utils.data.") and len(waiting) < _MOST_THINGS:
            with evaluator.steps(STEPS):
                inner = [evaluator.evaluate(one, thing.frame) for one in thing.call.args[:1]]
            waiting += [one.thing for several in inner for one in several]


def _handed(
    evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given], made: Sequence[Instance]
) -> Iterator[tuple[Scope, str]]:
    """Yield the names, each with its scope, of what objects were made of, and of a list that picks the samples."""
    for one in made:
        if one.call is not None and one.frame is not None:
            scope = one.frame.scope
            yield from ((scope, _path(scope, argument)) for argument in arguments_of(one.call))
    for keyword in site.call.keywords:
        if keyword.arg in SAMPLERS and not any(instances(evaluator, given, {keyword.arg})):
            yield site.frame.scope, _path(site.frame.scope, keyword.value)


def _path(scope: Scope, node: ast.expr) -> str:
    """Return the name of what an expression is, or shows the data of; an empty one where it is something new."""
    return dotted(seen_through(scope, node)) or ""


def _changes_handed(part: Part, handed: Sequence[tuple[Scope, str]]) -> Iterator[Touch]:
    """Yield where a loop changes in place what has one of the names."""
    names = {name for scope, name in handed if scope is part.scope and name}
    for node, changed in _changed_in(part) if names else ():
        if isinstance(node, ast.AugAssign) and not _may_be_array(part.scope, node.target):
            continue
        if _path(part.scope, changed) in names:
            yield touch_at(part.facts, node)


def _arrays(evaluator: Evaluator, made: Sequence[Instance]) -> Iterator[ast.Call]:
    """Yield the calls that made the arrays and tensors which objects were made of, or of views of them."""
    for one in made:
        for argument in arguments_of(one.call) if one.call is not None else ():
            assert one.frame is not None
            with evaluator.steps(STEPS):
                things = [of.thing for of in evaluator.evaluate(seen_through(one.frame.scope, argument), one.frame)]
            yield from (of.call for of in things if isinstance(of, Made) and of.callee.startswith(_ARRAYS))


def _changes_arrays(evaluator: Evaluator, part: Part, arrays: Set[ast.Call]) -> Iterator[Touch]:
    """Yield where a part of a program changes arrays in place, by whatever name it has them."""
    for node, changed in _changed_in(part) if arrays else ():
        base = seen_through(part.scope, changed)
        if dotted(base):
            with evaluator.steps(STEPS):
                things = [one.thing for one in evaluator.evaluate(base, part.frame(place_in(part.scope, base)))]
            if any(isinstance(one, Made) and one.call in arrays for one in things):
                yield touch_at(part.facts, node)


def _changed_in(part: Part) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield what a part of a program changes in place, each with the statement, call or target that does so."""
    within = part.loop.body if isinstance(part.loop, ast.For | ast.AsyncFor | ast.While) else [part.scope.node]
    for node in (one for statement in within for one in (statement, *own_nodes(statement))):
        if not isinstance(node, ast.Attribute):
            yield from ((node, changed) for changed in changed_by(node))


def _may_be_array(scope: Scope, node: ast.expr) -> bool:
    """Return whether ``+=`` changes something in place: a number, or a text, is another one then."""
    if not isinstance(node, ast.Name):
        return True
    values = [one.value for one in scope.bindings.get(node.id, ()) if one.kind == "assign"]
    return any(
        isinstance(one, ast.Call) and full_name(scope, dotted(one.func) or "").startswith(_ARRAYS) for one in values
    )


# --- samplers ---


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


def _writes(evaluator: Evaluator, part: Part, read: Sequence[str]) -> Iterator[Touch]:
    """Yield where a part of a program writes a file that samples read."""
    for site in part.sites if read else ():
        named = written_by(evaluator, part.facts, part.scope, site.node)
        files = (file for one in named for file in files_named(evaluator, part.facts, part.scope, one))
        if any(":" not in file and may_be(file, other) for file in files for other in read):
            yield touch_at(part.facts, site.node)


def arguments_of(call: ast.Call) -> Sequence[ast.expr]:
    """Return what a call is handed, by position and by name."""
    return [*call.args, *(one.value for one in call.keywords)]
