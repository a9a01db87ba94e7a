"""Batches on a CUDA device: where the tensors of a batch are put there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import functions
from loaderlint.linking.following.constructed import left_by_constructor, ways
from loaderlint.linking.following.running import STEPS, names_cuda, shortened
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.scopes.in_workers import asks_for_worker, told_apart
from loaderlint.linking.things.kinds import External, Frame, Function, Instance, Made
from loaderlint.linking.workers.returned import items_sent, sending
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, Place, dotted
from loaderlint.vocabulary.tensors import SAME_DEVICE_FUNCTIONS, SAME_DEVICE_METHODS, TENSOR_DATASETS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DEEPEST = 8
"""Expressions that give each other's tensors; deeper ones are not looked into."""


def batches_on_cuda(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[Touch]:
    """Yield where tensors of a loader's batches are put on a CUDA device, if the loader may pin them."""
    pins = given["pin_memory"].possibilities if "pin_memory" in given else ()
    if not any(one.thing is True for one in pins):
        return
    found: dict[Span, Touch] = {}
    tensors = _Tensors(evaluator)
    with evaluator.steps(STEPS):
        for function, _, assumptions, _ in sending(evaluator, given):
            _add(found, tensors.given_by(function, Frame(function.facts, Place(function.scope, 0)), 0), assumptions)
        items = [assumptions for assumptions, _ in items_sent(evaluator, given)]
        for one in given["dataset"].possibilities if "dataset" in given else ():
            thing = one.thing
            if isinstance(thing, Made) and thing.callee in TENSOR_DATASETS:
                for argument in thing.call.args:
                    for assumptions in items:
                        joint = together(assumptions, one.assumptions)
                        if joint is not None:
                            _add(found, tensors.of(argument, thing.frame, 0), joint)
    yield from found.values()


def _add(found: dict[Span, Touch], touches: Iterable[Touch], assumptions: Assumptions) -> None:
    for touch in touches:
        joint = together(touch.assumptions, assumptions)
        if joint is not None:
            found.setdefault(touch.span, Touch(touch.span, touch.what, joint))


class _Tensors:
    """Follows expressions to the places that put their tensors on CUDA."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def given_by(self, function: Function, frame: Frame, depth: int) -> Iterator[Touch]:
        """Yield where tensors are put on CUDA that a function returns or yields."""
        scope = function.scope
        returns = () if scope.yields or scope.name == "__iter__" else scope.returns
        given = [(value, place) for value, place in returns if value is not None]
        given += [(one.value, place) for one, place in scope.yielded if one.value is not None]
        for value, place in given:
            where = replace(frame, place=place, receiver=frame.receiver or function.receiver)
            yield from self._under(self.of(value, where, depth + 1), place, where)

    def of(self, node: ast.expr, frame: Frame, depth: int, *, whole: bool = False) -> Iterator[Touch]:
        """Yield where tensors that an expression holds are put on CUDA; with ``whole`` it must be such a tensor."""
        if depth > _DEEPEST:
            return
        if isinstance(node, ast.Call):
            yield from self._of_call(node, frame, depth)
        elif isinstance(node, ast.Name):
            yield from self._of_name(node, frame, depth, whole)
        elif isinstance(node, ast.Attribute):
            yield from self._of_attribute(node, frame, depth, whole)
        elif isinstance(node, ast.Subscript):
            # Which part of a dictionary or tuple is taken is not followed.
            yield from self.of(node.value, frame, depth + 1, whole=True)
        elif isinstance(node, ast.IfExp) and not asks_for_worker(node.test, frame.scope):
            for truth, assumptions, _ in self.evaluator.truth(node.test, frame):
                chosen = node.body if truth else node.orelse
                yield from _with(self.of(chosen, frame, depth + 1, whole=whole), assumptions)
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
            element = node.value if isinstance(node, ast.DictComp) else node.elt
            where = frame.at(frame.scope.inside.get(id(node), frame.place))
            yield from self.of(element, where, depth + 1)
        elif isinstance(node, ast.Starred):
            yield from self.of(node.value, frame, depth + 1)
        elif isinstance(node, ast.Dict | ast.Tuple | ast.List) and not whole:
            for part in node.values if isinstance(node, ast.Dict) else node.elts:
                yield from self.of(part, frame, depth + 1)

    def _of_call(self, node: ast.Call, frame: Frame, depth: int) -> Iterator[Touch]:
        function = node.func
        method = function.attr if isinstance(function, ast.Attribute) else ""
        if method in ("cuda", "to") and isinstance(function, ast.Attribute):
            if not self._is_module(function.value, frame):
                yield from self._put(node, frame, NO_ASSUMPTIONS if method == "cuda" else None)
            return
        if method in SAME_DEVICE_METHODS and isinstance(function, ast.Attribute):
            yield from self.of(function.value, frame, depth + 1, whole=True)
            return
        for one in self.evaluator.evaluate(function, frame):
            thing = one.thing
            if isinstance(thing, Function):
                inner = functions.frame_of_call(self.evaluator, thing, node, frame)
                yield from _with(self.given_by(thing, inner, depth + 1), one.assumptions)
            elif isinstance(thing, External) and thing.name in SAME_DEVICE_FUNCTIONS:
                for argument in [
                    *node.args[:1],
                    *(one.value for one in node.keywords if thing.name == "builtins.dict"),
                ]:
                    yield from _with(self.of(argument, frame, depth + 1), one.assumptions)
            elif isinstance(thing, External) and thing.name.startswith("torch.") and thing.name.count(".") == 1:
                yield from _with(self._put(node, frame, None), one.assumptions)

    def _put(self, node: ast.Call, frame: Frame, assumptions: Assumptions | None) -> Iterator[Touch]:
        """Yield a call as the place that puts a tensor on CUDA; None assumed: wherever it names such a device."""
        found = [] if assumptions is None else [assumptions]
        if assumptions is None:
            named = [one.value for one in node.keywords if one.arg == "device"]
            if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
                named += node.args[:1]
            for device in named:
                found.extend(names_cuda(self.evaluator, device, frame))
        for one in found:
            yield Touch(frame.facts.span(node), shortened(frame.facts.text(node)), one)

    def _is_module(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether an expression is no tensor but an object of the project, or a layer of torch."""
        return any(
            isinstance(one.thing, Instance)
            or (isinstance(one.thing, Made) and one.thing.callee.startswith("torch.nn."))
            for one in self.evaluator.evaluate(node, frame)
        )

    def _of_name(self, node: ast.Name, frame: Frame, depth: int, whole: bool) -> Iterator[Touch]:
        """Yield where what a name was last set to is put on CUDA, and what was put into it since."""
        scope = frame.scope
        while not scope.is_class and node.id not in scope.bindings and scope.parent is not None:
            scope = scope.parent
        inside = scope is frame.scope
        before = [one for one in scope.bindings.get(node.id, ()) if not inside or one.place.order < frame.place.order]
        sets = [one for one in before if one.kind in ("assign", "unpack", "parameter", "loop", "with", "other")]
        last = sets[-1] if sets else None
        if last is not None and last.kind == "assign" and last.value is not None:
            yield from self._under(self.of(last.value, frame.at(last.place), depth + 1, whole=whole), last.place, frame)
        for one in () if whole else _put_inside(before, last):
            for value in one.node.args if isinstance(one.node, ast.Call) else [one.value]:
                if value is not None:
                    yield from self._under(self.of(value, frame.at(one.place), depth + 1), one.place, frame)

    def _of_attribute(self, node: ast.Attribute, frame: Frame, depth: int, whole: bool) -> Iterator[Touch]:
        """Yield where what the constructor left on an object is put on CUDA."""
        receiver = frame.receiver
        if receiver is None or not isinstance(node.value, ast.Name) or node.value.id != "self":
            return
        for left in left_by_constructor(self.evaluator, receiver).get(node.attr, ()):
            found = list(self.of(left.value, left.frame, depth + 1, whole=whole and left.whole))
            for assumptions in ways(self.evaluator, left.circumstances) if found else ():
                yield from _with(found, assumptions)

    def _under(self, touches: Iterable[Touch], place: Place, frame: Frame) -> Iterator[Touch]:
        found = [] if told_apart(place) else list(touches)
        for assumptions in self.evaluator.conditions(place.arms, frame.at(place)) if found else ():
            yield from _with(found, assumptions)


def _put_inside(before: list[Binding], last: Binding | None) -> Iterator[Binding]:
    """Yield what was put into a dictionary or list since its name was set, and not replaced there."""
    since = [one for one in before if last is None or one.place.order > last.place.order]
    keys = [ast.dump(one.key) if one.key is not None else None for one in since]
    for index, one in enumerate(since):
        appended = isinstance(one.node, ast.Call) and (dotted(one.node.func) or "").endswith((".append", ".insert"))
        if (one.kind == "item" and keys[index] not in keys[index + 1 :]) or (one.kind == "list" and appended):
            yield one


def _with(touches: Iterable[Touch], assumptions: Assumptions) -> Iterator[Touch]:
    for touch in touches:
        joint = together(touch.assumptions, assumptions)
        if joint is not None:
            yield Touch(touch.span, touch.what, joint)
