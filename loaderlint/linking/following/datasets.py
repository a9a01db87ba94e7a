"""What a loader's dataset is: how torch takes samples from it, and how many it has where that is plain to see."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence, Set
from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import functions
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Instance,
    Made,
    Possibilities,
    Possibility,
    Row,
    end_of,
)
from loaderlint.linking.things.possibilities import never_none, under, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.payload import DatasetKind, Samples
from loaderlint.model.source import Span
from loaderlint.nodes import last_name, nodes_of
from loaderlint.readers.python import FunctionNode, Scope, dotted
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.datasets import (
    CONCATENATIONS,
    DATAPIPE_BASE,
    ENDLESS,
    FLUENT,
    ITERABLE_BASE,
    ITERABLE_DATASETS,
    KEEP_ROWS,
    MAP_BASE,
    MAP_DATASETS,
    NO_DATASETS,
    READ_FILES,
    REPEATING,
    REPEATING_ARGUMENTS,
    SIZED_TENSORS,
    SPLITS,
    STREAMED,
    STREAMED_METHODS,
    SUBSETS,
    TAKE_FROM_MEMORY,
    TENSOR_DATASETS,
    WHOLE_BATCHES,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_JOINED = 16
_DEEPEST_JOINED = 4
_MOST_LENGTHS = 64
"""More data sets joined at once, in each other, or together of more lengths than this are not counted."""
STEPS = 300
"""Expressions followed to find out what one dataset is."""
_DEEPEST_CHAIN = 12
"""Methods called on what the one before gave; a longer chain is not followed."""


def samples(evaluator: Evaluator, one: Possibility, batch_size: str, scope: Scope) -> Iterator[Samples]:
    """Yield what a thing is as a dataset, once for each length it can have; nothing where it was not seen.

    ``batch_size`` is what its loader is given under that name, as it is written in a scope.
    """
    thing = one.thing
    if not isinstance(thing, Instance | Made | Row):
        return
    with evaluator.steps(STEPS):
        kind = _kind(evaluator, one, 0)
        lengths = [*_lengths(evaluator, one)] if kind is DatasetKind.MAP else []
        endless = _is_endless(evaluator, thing)
        whole = _gives_whole_batches(evaluator, thing) or _is_told(evaluator, thing, batch_size, scope)
    name = thing.of.node.name if isinstance(thing, Instance) else ""
    in_memory = isinstance(thing, Made) and thing.callee in TENSOR_DATASETS
    if isinstance(thing, Made):
        name = thing.callee.partition("()")[0].rpartition(".")[2]
    works = (
        thing.callee in READ_FILES if isinstance(thing, Made) else kind is DatasetKind.MAP and _works(evaluator, thing)
    )
    dataset = Samples(one.span, name, kind, None, endless, in_memory, works, one.assumptions, whole)
    if not lengths:
        yield dataset
    for length, assumptions in lengths:
        yield replace(dataset, length=length, assumptions=assumptions)


def _works(evaluator: Evaluator, thing: Instance | Row) -> bool:
    """Return whether reading a sample calls more than what takes it out of memory."""
    owners = classes.lineage(evaluator, thing.of) if isinstance(thing, Instance) else ()
    reading = (scope for owner in owners for scope in owner.scope.children if scope.name == "__getitem__")
    calls = next((scope.calls for scope in reading), ())
    called = (one.node.func for one in calls)
    names = (last_name(one) for one in called)
    return any(name not in TAKE_FROM_MEMORY for name in names)


def is_iterable(evaluator: Evaluator, one: Possibility, asked: Possibilities) -> bool | None:
    """Return whether a dataset is of torch's class of iterable ones, None where it, or the question, is another."""
    if [_named(way.thing.name) if isinstance(way.thing, External) else None for way in asked] != [DatasetKind.ITERABLE]:
        return None
    kind = _kind(evaluator, one, 0)
    return None if kind is None else kind is not DatasetKind.MAP


def kind_of(evaluator: Evaluator, one: Possibility) -> DatasetKind | None:
    """Return how torch takes samples from a thing, None where it was not seen to be a dataset."""
    return _kind(evaluator, one, 0)


def _kind(evaluator: Evaluator, one: Possibility, depth: int) -> DatasetKind | None:
    thing = one.thing
    if isinstance(thing, Row):
        return DatasetKind.MAP
    if isinstance(thing, Instance):
        return _kind_of_class(evaluator, thing)
    if not isinstance(thing, Made) or depth > _DEEPEST_CHAIN:
        return None
    if thing.callee in SPLITS:
        return DatasetKind.MAP if thing.part is not None else None
    # Many chains share their beginnings, where each method may be called on what several branches gave.
    key = "dataset kind", id(thing.call)
    return evaluator.remembered(key, thing.frame, lambda: _kind_of_made(evaluator, thing, depth))


def _kind_of_made(evaluator: Evaluator, thing: Made, depth: int) -> DatasetKind | None:
    made_by, called, _ = thing.callee.partition("().")
    if not called:
        if thing.callee in STREAMED:
            return DatasetKind.ITERABLE if _streams(evaluator, thing) else None
        return _named(thing.callee)
    function = thing.call.func
    goes_on = made_by.startswith(FLUENT) or thing.callee.rpartition(".")[2] in STREAMED_METHODS
    if not goes_on or not isinstance(function, ast.Attribute):
        return None
    kinds = {_kind(evaluator, before, depth + 1) for before in evaluator.evaluate(function.value, thing.frame)}
    return kinds.pop() if len(kinds) == 1 else None


def _streams(evaluator: Evaluator, made: Made) -> bool:
    """Return whether ``load_dataset`` gives one stream: without ``split`` it gives a dictionary of them."""
    given = {one.arg: one.value for one in made.call.keywords}
    streaming = evaluator.evaluate(given["streaming"], made.frame) if "streaming" in given else ()
    return "split" in given and bool(streaming) and all(one.thing is True for one in streaming)


def _named(name: str) -> DatasetKind | None:
    last = name.rpartition(".")[2]
    if last == ITERABLE_BASE or name in ITERABLE_DATASETS:
        return DatasetKind.ITERABLE
    if last == DATAPIPE_BASE:
        return DatasetKind.DATAPIPE
    return DatasetKind.MAP if last == MAP_BASE or name in MAP_DATASETS else None


def _kind_of_class(evaluator: Evaluator, instance: Instance) -> DatasetKind | None:
    """Return the kind of a project class; whatever else it inherits, one iterable base makes it iterable."""
    kinds: set[DatasetKind | None] = set()
    for owner in classes.lineage(evaluator, instance.of):
        for base in owner.node.bases:
            named = base.value if isinstance(base, ast.Subscript) else base
            for way in evaluator.evaluate(named, Frame(owner.facts, owner.place)):
                name = way.thing.name if isinstance(way.thing, External) else ""
                if not isinstance(way.thing, Class) and name not in NO_DATASETS:
                    kinds.add(_named(name))
    for kind in (DatasetKind.DATAPIPE, DatasetKind.ITERABLE):
        if kind in kinds:
            return kind
    return None if None in kinds else DatasetKind.MAP


# --- how many samples there are ---


def _is_endless(evaluator: Evaluator, thing: Instance | Made | Row) -> bool:
    """Return whether a dataset gives samples for ever: ``while True`` in its iteration, or a method that repeats it."""
    if isinstance(thing, Made):
        return any(f".{name}" in thing.callee for name in REPEATING) or any(
            isinstance(one, ast.keyword) and one.arg in REPEATING_ARGUMENTS for one in nodes_of(thing.call)
        )
    if not isinstance(thing, Instance):
        return False
    lineage = classes.lineage(evaluator, thing.of)
    if any(_calls_endless(evaluator, owner) for owner in lineage):
        return True
    methods = [
        scope.node for owner in lineage for scope in owner.scope.children if isinstance(scope.node, FunctionNode)
    ]
    asked = {name for one in methods if one.name == "__iter__" for name in _methods_asked(one)}
    return any(map(_goes_on, methods)) or (bool(asked) and any(map(_goes_on, _methods_named(evaluator, asked))))


def _goes_on(method: FunctionNode) -> bool:
    """Return whether a ``while True`` stands in a method."""
    return any(
        isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        for node in nodes_of(method)
    )


def _methods_asked(method: ast.AST) -> Iterator[str]:
    """Yield the names of the methods of other objects that a method calls: ``batches`` in ``self.task.batches()``."""
    for node in nodes_of(method):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and not isinstance(function.value, ast.Name):
            yield function.attr


def _methods_named(evaluator: Evaluator, names: Set[str]) -> Iterator[FunctionNode]:
    """Yield the methods of the project by some names, whichever classes they are of: which one runs is not known."""
    for name in sorted(names):
        for path, _ in evaluator.project.python_mentioning(f"def {name}("):
            facts = evaluator.project.python(path)
            for scope in facts.scopes.values() if facts is not None else ():
                if scope.name == name and isinstance(scope.node, FunctionNode):
                    yield scope.node


def _calls_endless(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether a method of a class calls what gives things for ever."""
    for name in sorted(ENDLESS):
        last = name.rpartition(".")[2]
        for site in owner.facts.calls.get(last, ()):
            if site.place.scope.parent is not owner.scope or (last == "repeat" and len(site.node.args) > 1):
                continue
            callees = evaluator.evaluate(site.node.func, Frame(owner.facts, site.place))
            if any(isinstance(one.thing, External) and one.thing.name == name for one in callees):
                return True
    return False


def _gives_whole_batches(evaluator: Evaluator, thing: Instance | Made | Row) -> bool:
    """Return whether a dataset is told the batch size, and may give each worker whole batches by itself."""
    if isinstance(thing, Made):
        return thing.callee in WHOLE_BATCHES
    if not isinstance(thing, Instance):
        return False
    return any(
        _deals_batches(owner) or any(name in WHOLE_BATCHES for name in classes.foreign_bases(evaluator, owner))
        for owner in classes.lineage(evaluator, thing.of)
    )


def _is_told(evaluator: Evaluator, thing: Instance | Made | Row, batch_size: str, scope: Scope) -> bool:
    """Return whether a dataset is made with its loader's batch size, by name, and its file asks which worker it is."""
    if not isinstance(thing, Instance) or thing.call is None or thing.frame is None or thing.frame.scope is not scope:
        return False
    handed = {dotted(one) for one in (*thing.call.args, *(keyword.value for keyword in thing.call.keywords))}
    asks = any("get_worker_info" in owner.facts.calls for owner in classes.lineage(evaluator, thing.of))
    return asks and batch_size in handed


def _deals_batches(owner: Class) -> bool:
    """Return whether a method that asks which worker it runs in reckons with the size of a batch, too."""
    asking = {site.place.scope for site in owner.facts.calls.get("get_worker_info", ())}
    return any(
        scope.parent is owner.scope and any(name.lower().endswith("batch_size") for name in _names_in(scope.node))
        for scope in asking
    )


def _names_in(node: ast.AST) -> Iterator[str]:
    for one in nodes_of(node):
        if isinstance(one, ast.Name | ast.Attribute):
            yield one.id if isinstance(one, ast.Name) else one.attr


def counted(evaluator: Evaluator, of: Possibilities, span: Span) -> Possibilities | None:
    """Return what ``len`` gives of data sets whose length is seen, unseen for any other; None where it is of none."""
    lengths = [[] if isinstance(one.thing, Row) else [*_lengths(evaluator, one)] for one in of]
    if not any(lengths):
        return None
    found: list[Possibility] = []
    for one, several in zip(of, lengths, strict=True):
        found.extend(Possibility(length, span, assumptions=way, sources=one.places) for length, way in several)
        found.extend(() if several else never_none(unseen(span, one.assumptions)))
    return tuple(found)


def _lengths(
    evaluator: Evaluator, one: Possibility, inside: tuple[ast.Call, ...] = ()
) -> Iterator[tuple[int, Assumptions]]:
    """Yield how long a data set can be that is a part of what some calls make, which are ``inside`` each other.

    What is split into itself, or joined to itself, has no length that is seen.
    """
    thing = one.thing
    if isinstance(thing, Row):
        # A row of other things, such as the two parts of a split, may be taken apart unseen.
        if all(len(item) == 1 and item[0].constant for item in thing.items):
            yield len(thing.items), one.assumptions
    elif isinstance(thing, Instance):
        yield from _returned_length(evaluator, thing, one.assumptions)
    elif isinstance(thing, Made) and thing.callee in SUBSETS:
        indices = arguments(thing.call, ["dataset", "indices"]).get("indices")
        if indices is None or not is_new(indices) or _may_get_others(evaluator):
            return
        for way in evaluator.evaluate(indices, thing.frame):
            joint = together(one.assumptions, way.assumptions)
            if isinstance(way.thing, Row) and way.thing.items and joint is not None:
                yield len(way.thing.items), joint
    elif isinstance(thing, Made) and thing.callee in SPLITS:
        if thing.part is not None and thing.call not in inside and not _may_get_others(evaluator):
            yield from _part_lengths(evaluator, thing, thing.part, one.assumptions, (*inside, thing.call))
    elif isinstance(thing, Made) and thing.callee in CONCATENATIONS:
        if thing.call not in inside:
            yield from _joined_lengths(evaluator, thing, one.assumptions, (*inside, thing.call))
    elif isinstance(thing, Made) and thing.callee in TENSOR_DATASETS:
        for tensor in thing.call.args[:1]:
            for way in evaluator.evaluate(tensor, thing.frame):
                for rows, assumptions in _rows(evaluator, way):
                    joint = together(one.assumptions, assumptions)
                    if joint is not None:
                        yield rows, joint


def _joined_lengths(
    evaluator: Evaluator, joined: Made, assumptions: Assumptions, inside: tuple[ast.Call, ...]
) -> Iterator[tuple[int, Assumptions]]:
    """Yield how many samples the data sets have together that stand in the brackets a joined one is given.

    How often a loop joins another to what it has is not counted.
    """
    if any(arm.loop for arm in joined.frame.place.arms):
        return
    given = arguments(joined.call, ["datasets"]).get("datasets")
    parts = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    if not parts or len(parts) > _MOST_JOINED or len(inside) > _DEEPEST_JOINED:
        return
    found = [(0, assumptions)]
    for part in parts:
        ways = () if isinstance(part, ast.Starred) else evaluator.evaluate(part, joined.frame)
        lengths = [one for way in ways for one in _lengths(evaluator, way, inside)]
        found = [
            (before + length, joint)
            for before, met in found
            for length, also in lengths
            if (joint := together(met, also)) is not None
        ][:_MOST_LENGTHS]
    yield from found


def _part_lengths(
    evaluator: Evaluator, split: Made, part: int, assumptions: Assumptions, inside: tuple[ast.Call, ...]
) -> Iterator[tuple[int, Assumptions]]:
    """Yield how many samples a part of a split has: the number at its position, or that share of the whole.

    A list that is no longer being made where it stands may have grown; where its numbers add up to the whole, it has
    not. Where they do not add up to a whole that is seen, torch raises (``random_split``).
    """
    given = arguments(split.call, ["dataset", "lengths"])
    if "dataset" not in given or "lengths" not in given:
        return
    wholes = [
        (length, met)
        for whole in evaluator.evaluate(given["dataset"], split.frame)
        for length, met in _lengths(evaluator, whole, inside)
    ]
    for way in evaluator.evaluate(given["lengths"], split.frame):
        items = way.thing.items if isinstance(way.thing, Row) and way.thing.in_order is None else ()
        if not -len(items) <= part < len(items) or any(len(item) != 1 for item in items):
            continue
        numbers = [item[0].thing for item in items]
        around = together(assumptions, way.assumptions, *(item[0].assumptions for item in items))
        alone = numbers[part] if not wholes and is_new(given["lengths"]) else None
        if type(alone) is int and alone > 1 and around is not None:
            # A 1 may be all of it, as a share.
            yield alone, around
        for length, met in wholes:
            shared, joint = _shared(length, numbers), together(around or NO_ASSUMPTIONS, met)
            if shared is not None and around is not None and joint is not None:
                yield shared[part], joint


def _shared(whole: int, numbers: Sequence[object]) -> Sequence[int] | None:
    """Return how many of ``whole`` samples each part gets, None where that is not seen or torch refuses it."""
    known = [one for one in numbers if isinstance(one, int | float) and one >= 0]
    if len(known) < len(numbers):
        return None
    if math.isclose(sum(known), 1) and sum(known) <= 1:
        counts = [math.floor(whole * one) for one in known]
        left = whole - sum(counts)
        return [count + left // len(counts) + (place < left % len(counts)) for place, count in enumerate(counts)]
    counts = [one for one in known if isinstance(one, int)]
    return counts if len(counts) == len(known) and sum(counts) == whole else None


def is_new(row: ast.expr) -> bool:
    """Return whether a row is made where it stands: nobody has added to it."""
    match row:
        case ast.List(items) | ast.Tuple(items):
            return not any(isinstance(one, ast.Starred) for one in items)
        case ast.Call(ast.Name("list" | "tuple"), [inner]):
            return is_new(inner)
        case ast.Call(ast.Name("range")):
            return True
    return False


def _may_get_others(evaluator: Evaluator) -> bool:
    """Return whether somebody sets or changes the ``indices`` of what may be a subset: what no class calls its own."""
    return any(
        not classes.names_receiver(Frame(facts, binding.place), binding.name.rpartition(".")[0])
        for facts, binding in evaluator.attributes_set.get("indices", ())
    )


def _returned_length(
    evaluator: Evaluator, instance: Instance, assumptions: Assumptions
) -> Iterator[tuple[int, Assumptions]]:
    """Yield the numbers that ``__len__`` gives, nothing where it works one out, or gives something unseen as well.

    What it counts, ``len(self.files)``, is often filled by a method or by whoever made the object.
    """
    method = classes.method(evaluator, instance, "__len__")
    if method is None or method.scope.calls:
        return
    found = functions.returned_by(evaluator, method, Frame(method.facts, end_of(method.scope), receiver=instance))
    for way in found if all(type(one.thing) is int for one in found) else ():
        joint = together(assumptions, way.assumptions)
        if isinstance(way.thing, int) and way.thing >= 0 and joint is not None:
            yield way.thing, joint


def _rows(evaluator: Evaluator, one: Possibility) -> Iterator[tuple[int, Assumptions]]:
    """Yield how many rows a tensor has whose size, or whose items, stand in the call that makes it."""
    thing = one.thing
    if not isinstance(thing, Made):
        return
    made_by, called, method = thing.callee.rpartition("().")
    if called and method in KEEP_ROWS and made_by.startswith("torch.") and isinstance(thing.call.func, ast.Attribute):
        for way in under(evaluator.evaluate(thing.call.func.value, thing.frame), one.assumptions):
            yield from _rows(evaluator, way)
        return
    if not thing.call.args or any(isinstance(given, ast.Starred) for given in thing.call.args):
        return
    first = evaluator.evaluate(thing.call.args[0], thing.frame)
    if thing.callee in SIZED_TENSORS:
        yield from _numbers(first, one.assumptions)
    elif thing.callee == "torch.arange":
        yield from _steps(evaluator, thing, one.assumptions)
    elif thing.callee == "torch.tensor":
        for way in first:
            joint = together(one.assumptions, way.assumptions)
            if isinstance(way.thing, Row) and joint is not None:
                yield len(way.thing.items), joint


def _steps(evaluator: Evaluator, made: Made, assumptions: Assumptions) -> Iterator[tuple[int, Assumptions]]:
    """Yield how many numbers ``torch.arange`` gives (its page: ``ceil((end - start) / step)``)."""
    given = arguments(made.call, ("end",) if len(made.call.args) == 1 else ("start", "end", "step"))
    parts: list[list[tuple[float, Assumptions]]] = []
    for name, default in (("start", 0), ("end", None), ("step", 1)):
        ways = evaluator.evaluate(given[name], made.frame) if name in given else ()
        parts.append([(way.thing, way.assumptions) for way in ways if isinstance(way.thing, int | float)])
        if default is not None and name not in given:
            parts[-1].append((default, NO_ASSUMPTIONS))
    for (start, first), (end, second), (step, third) in product(*parts):
        joint = together(assumptions, first, second, third)
        if joint is not None and step > 0 and end > start:
            yield math.ceil((end - start) / step), joint


def _numbers(sizes: Possibilities, assumptions: Assumptions = NO_ASSUMPTIONS) -> Iterator[tuple[int, Assumptions]]:
    for way in sizes:
        joint = together(assumptions, way.assumptions)
        if joint is None:
            continue
        if type(way.thing) is int:
            yield way.thing, joint
        elif isinstance(way.thing, Row) and way.thing.items:
            yield from _numbers(way.thing.items[0], joint)
