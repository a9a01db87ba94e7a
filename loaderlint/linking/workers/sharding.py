"""Whether an iterable dataset gives every worker all of its samples."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS, functions_run_by, shortened
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
)
from loaderlint.linking.things.possibilities import under
from loaderlint.linking.workers.pipelines import unsplit
from loaderlint.linking.workers.taken_by_next import taken_by_next
from loaderlint.model.payload import Touch
from loaderlint.readers.python import Binding, Place, PythonFacts, dotted
from loaderlint.vocabulary.datasets import CHAINS
from loaderlint.vocabulary.sharding import (
    AMONG_PROCESSES,
    BASES,
    DECORATES,
    DRAWS,
    GIVES_THE_SAME,
    ITERABLE,
    PASSES_ON,
    PASSING_METHODS,
    REORDERS,
    SHARES_OUT,
    TELLS_PROCESSES,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_SHARES_OUT_AT_START = ("dataset", "worker_info")
"""Words of a ``worker_init_fn`` that tells its worker's copy of the dataset what to read."""
_DEEPEST = 8
"""Names and calls followed into each other from what is iterated to what it is made of."""


def repeated(evaluator: Evaluator, given: Mapping[str, Given], starting: Sequence[Function]) -> Iterator[Touch]:
    """Yield what an iterable dataset reads in every worker alike, where nothing shares it out among them.

    ``starting`` are the functions that run when a worker starts. A dataset whose way is not seen to the end, from what
    its ``__iter__`` yields to what everybody can read, is taken to share it out.
    """
    init = given.get("worker_init_fn")
    if init is not None and any(not isinstance(one.thing, Function | None) for one in init.possibilities):
        return
    if any(word in one.facts.text(one.node) for one in starting for word in _SHARES_OUT_AT_START):
        return
    for one in _iterated(evaluator, given["dataset"].possibilities, 0) if "dataset" in given else ():
        if isinstance(one.thing, Made):
            yield from unsplit(evaluator, one)
        if isinstance(one.thing, Instance):
            with evaluator.steps(STEPS * 4):
                source = _Reading(evaluator).source(one.thing)
            if source is not None:
                facts, node = source
                yield Touch(facts.span(node), shortened(facts.text(node)), one.assumptions, one.trail)


def _iterated(evaluator: Evaluator, datasets: Possibilities, depth: int) -> Iterator[Possibility]:
    """Yield datasets, of chains what these iterate one after the other: each part is shared out or not by itself."""
    for one in datasets:
        thing = one.thing
        if not isinstance(thing, Made) or thing.callee not in CHAINS or depth > _DEEPEST:
            yield one
            continue
        for given in thing.call.args[:1]:
            for row in under(evaluator.evaluate(given, thing.frame), one.assumptions):
                for part in row.thing.items if isinstance(row.thing, Row) else ():
                    yield from _iterated(evaluator, under(part, row.assumptions), depth + 1)


class _Reading:
    """One walk from the ``__iter__`` of a dataset to what it reads."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._iterated: list[Instance] = []

    def source(self, dataset: Instance) -> tuple[PythonFacts, ast.expr] | None:
        """Return the first thing that every worker reads alike; None where a worker may read what is its own."""
        own = self._iterator_of(dataset)
        if own is None or not self._left_to_itself(dataset):
            return None
        first: tuple[PythonFacts, ast.expr] | None = None
        waiting, known = [own], {id(own.node)}
        while waiting:
            function = waiting.pop(0)
            if not (self._is_the_same_everywhere(function) and self._counted_is_the_same(function)):
                return None
            for node, place, goes_on in self._read_by(function):
                frame = Frame(function.facts, place, receiver=function.receiver)
                if not (self._same(node, frame, 0) and self._is_seen(node, frame)):
                    return None
                if first is None and not (goes_on or self._is_looked_through(node, frame)):
                    first = function.facts, node
            for met in functions_run_by(self.evaluator, [function]):
                # What gives samples by itself is looked through as `__iter__` is; other helpers are only read.
                if met.scope.yields and id(met.node) not in known:
                    known.add(id(met.node))
                    waiting.append(met)
                elif not self._is_the_same_everywhere(met):
                    return None
            for inner in self._iterated:
                iterator = self._iterator_of(inner)
                if iterator is not None and id(iterator.node) not in known:
                    known.add(id(iterator.node))
                    waiting.append(iterator)
        return first

    def _iterator_of(self, dataset: Instance) -> Function | None:
        return classes.method(self.evaluator, dataset, "__iter__")

    def _left_to_itself(self, dataset: Instance) -> bool:
        """Return whether a class is one of torch's iterable datasets, and no other library's or unseen one."""
        above: list[str] = []
        for owner in classes.lineage(self.evaluator, dataset.of):
            if SHARES_OUT.search(owner.facts.text(owner.node)):
                return False
            for base in owner.node.bases:
                inner = base.value if isinstance(base, ast.Subscript) else base
                for one in self.evaluator.evaluate(inner, Frame(owner.facts, owner.place)):
                    if isinstance(one.thing, External):
                        above.append(one.thing.name)
                    elif not isinstance(one.thing, Class):
                        return False
        return set(above) <= BASES and any(name in ITERABLE for name in above)

    def _is_the_same_everywhere(self, function: Function) -> bool:
        """Return whether the code of a function names nothing that differs between workers, and comes to an end.

        What a decorator makes of a function is not followed.
        """
        if any((dotted(one) or "").rpartition(".")[2] not in DECORATES for one in _decorators(function)):
            return False
        text = function.facts.text(function.node)
        ended = {id(one.loop) for one in taken_by_next(function.node)}
        ends = not any(
            isinstance(arm.owner, ast.While) and isinstance(arm.test, ast.Constant) and id(arm.owner) not in ended
            for _, place in function.scope.yielded
            for arm in place.arms
        )
        told = SHARES_OUT.search(text) or DRAWS.search(REORDERS.sub("", text))
        return ends and not told and self._asks_for_process_alone(function)

    def _asks_for_process_alone(self, function: Function) -> bool:
        """Return whether all that goes by the name of a rank in a function tells processes apart, and no workers.

        So does what the constructor alone sets, before the workers get their copies, and what torch.distributed tells.
        """
        named = (one for one in ast.walk(function.node) if isinstance(one, ast.Name | ast.Attribute))
        words = ((one, one.attr if isinstance(one, ast.Attribute) else one.id) for one in named)
        return all(self._is_of_process(one, function) for one, word in words if AMONG_PROCESSES.search(word))

    def _is_of_process(self, node: ast.Name | ast.Attribute, function: Function) -> bool:
        frame = Frame(function.facts, Place(function.scope, 0), receiver=function.receiver)
        if isinstance(node, ast.Name) and node.id in function.scope.bindings:
            values = [one.value if one.kind == "assign" else None for one in function.scope.bindings[node.id]]
            return all(one is not None and self._told_by_torch(one, frame) for one in values)
        name = dotted(node) or ""
        if name.startswith("self."):
            return _is_calculated_with(node, function) and self._set_by_constructors_alone(name, function.receiver)
        return self._told_by_torch(node, frame)

    def _told_by_torch(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether an expression is made of constants and of what `torch.distributed` tells."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name | ast.Attribute):
            things = [one.thing for one in self.evaluator.evaluate(node, frame)]
            return all(isinstance(one, External) and one.name.startswith(TELLS_PROCESSES) for one in things)
        parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
        return bool(parts) and all(self._told_by_torch(one, frame) for one in parts)

    def _set_by_constructors_alone(self, name: str, receiver: Instance | None) -> bool:
        owners = classes.lineage(self.evaluator, receiver.of) if receiver is not None else ()
        setting = [one for owner in owners for one in owner.scope.children if name in one.bindings]
        return bool(setting) and all(one.name == "__init__" for one in setting)

    def _counted_is_the_same(self, function: Function) -> bool:
        """Return whether what is yielded in loops that only count (``for _ in range(n)``) was followed to its end."""
        counters = {
            id(by)
            for node, by, _ in function.scope.iterations
            if isinstance(by, ast.For) and isinstance(node, ast.Call) and dotted(node.func) == "range" and _counts(by)
        }
        for one, place in function.scope.yielded if counters else ():
            innermost = next((arm for arm in reversed(place.arms) if arm.loop), None)
            if innermost is None or id(innermost.owner) not in counters or one.value is None:
                continue
            if not self._same(one.value, Frame(function.facts, place, receiver=function.receiver), 0):
                return False
        return True

    def _read_by(self, function: Function) -> Iterator[tuple[ast.expr, Place, bool]]:
        """Yield what a generator iterates, or what a function gives that returns an iterator.

        What is only made another list or iterator of goes on to where that is read.
        """
        scope = function.scope
        for node, by, place in scope.iterations:
            yield node, place, isinstance(by, ast.Call)
        yield from ((one.value, place, False) for one, place in scope.yielded if isinstance(one, ast.YieldFrom))
        places = {id(site.node): site.place for site in scope.calls}
        for one in taken_by_next(function.node):
            if id(one.call) in places:
                source, place = _made_iterator_of(one.call.args[0], places[id(one.call)])
                yield source, place, False
        if not scope.yields:
            yield from ((value, place, False) for value, place in scope.returns if value is not None)

    def _is_looked_through(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether a call is one of a generator of the project, which reads something else in its turn."""
        callees = self.evaluator.evaluate(node.func, frame) if isinstance(node, ast.Call) else ()
        return any(isinstance(one.thing, Function) and one.thing.scope.yields for one in callees)

    # --- what is the same in every worker ---

    def _is_seen(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether what is iterated is no element of a list, or one that is seen itself: it may share out."""
        bindings = frame.scope.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
        return all(one.kind not in ("loop", "unpack") for one in bindings) or all(
            self._thing(one, 0) for one in self.evaluator.evaluate(node, frame)
        )

    def _same(self, node: ast.expr, frame: Frame, depth: int) -> bool:
        if depth > _DEEPEST:
            return False
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.JoinedStr):
            return True
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
            return all(self._same(one.iter, frame, depth + 1) for one in node.generators)
        if isinstance(node, ast.Call):
            return self._call(node, frame, depth)
        if isinstance(node, ast.Subscript):
            return self._same_part(node.slice, frame, depth) and self._same(node.value, frame, depth + 1)
        if isinstance(node, ast.Name) and self._name(node, frame, depth):
            return True
        found = self.evaluator.evaluate(node, frame)
        return all(self._thing(one, depth) for one in found) or self._attribute(node, frame, depth)

    def _same_part(self, index: ast.expr, frame: Frame, depth: int) -> bool:
        """Return whether a slice takes the same of a list in every worker: none of its numbers tells workers apart."""
        bounds = (index.lower, index.upper, index.step) if isinstance(index, ast.Slice) else ()
        return all(one is None or self._same_number(one, frame, depth + 1) for one in bounds)

    def _same_number(self, node: ast.expr, frame: Frame, depth: int) -> bool:
        """Return whether a number is constant, told by `torch.distributed`, or what the constructor alone had."""
        if depth > _DEEPEST:
            return False
        if self._told_by_torch(node, frame):
            return True
        if isinstance(node, ast.Name):
            bindings = frame.scope.bindings.get(node.id, ())
            return bool(bindings) and all(self._same_bound(one, frame, depth) for one in bindings)
        if isinstance(node, ast.Attribute):
            name = dotted(node) or ""
            return name.startswith("self.") and self._set_by_constructors_alone(name, frame.receiver)
        parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
        calculated = isinstance(node, ast.BinOp | ast.UnaryOp | ast.IfExp | ast.Compare)
        return calculated and all(self._same_number(one, frame, depth + 1) for one in parts)

    def _same_bound(self, binding: Binding, frame: Frame, depth: int) -> bool:
        if binding.kind == "parameter":
            # What a constructor is given is given before the workers get their copies.
            return frame.scope.name == "__init__"
        if binding.kind != "assign" or binding.value is None:
            return False
        return self._same_number(binding.value, frame.at(binding.place), depth + 1)

    def _call(self, node: ast.Call, frame: Frame, depth: int) -> bool:
        name = (dotted(node.func) or "").rpartition(".")[2]
        if name == "range":
            return True
        if name == "open" and any(self._is_a_device(one, frame) for one in node.args[:1]):
            return False
        if name in PASSES_ON and node.args:
            handed = node.args[1:] if name in ("map", "filter") else node.args
            return all(not isinstance(one, ast.Starred) and self._same(one, frame, depth + 1) for one in handed)
        callees = self.evaluator.evaluate(node.func, frame)
        if any(isinstance(one.thing, Function) for one in callees):
            return all(self._function(one.thing, depth) for one in callees)
        if isinstance(node.func, ast.Attribute) and node.func.attr in PASSING_METHODS:
            return self._same(node.func.value, frame, depth + 1)
        return all(self._thing(one, depth) for one in self.evaluator.evaluate(node, frame))

    def _is_a_device(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether a path is one of a pipe or device, of which each worker reads what the others left."""
        things = [one.thing for one in self.evaluator.evaluate(node, frame)]
        return any(isinstance(thing, str) and thing.startswith(("/dev/", "/proc/")) for thing in things)

    def _function(self, thing: object, depth: int) -> bool:
        """Return whether a function of the project gives the same everywhere; generators are looked through anyway."""
        if not isinstance(thing, Function):
            return False
        if thing.scope.yields:
            return True
        returns = [(value, place) for value, place in thing.scope.returns if value is not None]
        return bool(returns) and all(
            self._same(value, Frame(thing.facts, place, receiver=thing.receiver), depth + 1) for value, place in returns
        )

    def _name(self, node: ast.Name, frame: Frame, depth: int) -> bool:
        bindings = frame.scope.bindings.get(node.id, ())
        return bool(bindings) and all(self._binding(one, frame, depth) for one in bindings)

    def _binding(self, binding: Binding, frame: Frame, depth: int) -> bool:
        if binding.kind in ("list", "pop", "clear"):
            # What is left of it, or put into it, is of what is iterated.
            return True
        if binding.kind not in ("assign", "unpack", "loop", "with") or binding.value is None:
            return False
        return self._same(binding.value, frame.at(binding.place), depth + 1)

    def _attribute(self, node: ast.expr, frame: Frame, depth: int) -> bool:
        """Return whether all that the methods of the object set its attribute to is the same everywhere."""
        if not isinstance(node, ast.Attribute) or frame.receiver is None or dotted(node.value) != "self":
            return False
        name = f"self.{node.attr}"
        set_to = [
            (owner, binding)
            for owner in classes.lineage(self.evaluator, frame.receiver.of)
            for scope in owner.scope.children
            for binding in scope.bindings.get(name, ())
        ]
        return any(one.kind == "assign" for _, one in set_to) and all(
            self._binding(one, Frame(owner.facts, one.place, receiver=frame.receiver), depth) for owner, one in set_to
        )

    def _thing(self, one: Possibility, depth: int) -> bool:
        thing = one.thing
        if isinstance(thing, Instance):
            if all(known.of.node is not thing.of.node for known in self._iterated):
                self._iterated.append(thing)
            return self._iterator_of(thing) is None or self._left_to_itself_or_plain(thing)
        if isinstance(thing, Row):
            return all(self._thing(way, depth) for way in _objects_in(thing))
        if isinstance(thing, Made):
            return thing.callee.startswith(GIVES_THE_SAME)
        return isinstance(thing, str | Items)

    def _left_to_itself_or_plain(self, inner: Instance) -> bool:
        """Return whether the bases of an object that is iterated leave it to the project what it gives."""
        lineage = classes.lineage(self.evaluator, inner.of)
        if any(SHARES_OUT.search(owner.facts.text(owner.node)) for owner in lineage):
            return False
        return self._left_to_itself(inner) or all(
            not list(classes.foreign_bases(self.evaluator, owner)) for owner in lineage
        )


def _made_iterator_of(node: ast.expr, place: Place) -> tuple[ast.expr, Place]:
    """Return what an iterator is made of by its only name in a scope, with where that is; else itself."""
    bound = place.scope.bindings.get(node.id, []) if isinstance(node, ast.Name) else []
    made = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" else None
    if isinstance(made, ast.Call) and dotted(made.func) == "iter" and len(made.args) == 1:
        return made.args[0], bound[0].place
    return node, place


def _is_calculated_with(node: ast.expr, function: Function) -> bool:
    """Return whether an expression stands for a number: what is called or has parts may ask for its worker."""
    around = [one for one in ast.walk(function.node) if any(inner is node for inner in ast.iter_child_nodes(one))]
    return all(
        isinstance(one, ast.BinOp | ast.Compare | ast.Slice)
        or (isinstance(one, ast.Call) and dotted(one.func) == "range" and one.func is not node)
        for one in around
    )


def _decorators(function: Function) -> Sequence[ast.expr]:
    return getattr(function.node, "decorator_list", ())


def _objects_in(row: Row) -> Iterator[Possibility]:
    """Yield the objects of the project that a list holds: each gives what its own ``__iter__`` says."""
    for item in row.items:
        yield from (way for way in item if isinstance(way.thing, Instance))


def _counts(loop: ast.For) -> bool:
    """Return whether a loop never reads its own variable."""
    names = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
    read = (one.id for statement in loop.body for one in ast.walk(statement) if isinstance(one, ast.Name))
    return names.isdisjoint(read)
