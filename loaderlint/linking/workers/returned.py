"""What a worker gives back: the batch that the collate function returns, or the items where it hands them on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
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
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.source import Span
from loaderlint.model.worker_code import Unsendable
from loaderlint.readers.python import Scope, dotted, parameters
from loaderlint.vocabulary.kept import PICKLES_ITSELF
from loaderlint.vocabulary.sending import (
    DEFAULTDICT,
    GENERATOR,
    GRADIENT,
    HANDS_ON,
    KEEPS_GRAPH,
    LAMBDA,
    LAYERS,
    LOCAL_CLASS,
    LOCAL_FUNCTION,
    MODULES,
    PARAMETERS,
    PARTIAL,
    ROWS_OF_LAYERS,
    STACKS,
    SWITCHES_GRADIENTS,
    UNSENDABLE,
    WITHOUT_GRADIENTS,
    WRAPPERS,
    Unpickled,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DEEPEST = 6
"""Containers inside each other; deeper ones are not looked into."""
_REGROUPING = frozenset({"tuple", "list", "zip"})
"""Functions that give what they are given in another order (``tuple(zip(*batch))``)."""
_DIFFERENTIABLE = (ast.Add, ast.Sub, ast.Mult, ast.MatMult, ast.Div, ast.Pow)
"""Operators whose result has a graph where an operand requires grad."""
_GIVES_ONE_ITEM = ("__getitem__", "__getitems__", "__iter__", "__next__")


def unsendable(evaluator: Evaluator, given: Mapping[str, Given]) -> tuple[Unsendable, ...]:
    """Return what a loader's workers cannot send to the main process, as far as it was seen.

    torch's own collate refuses an item that is no tensor, number, text or container at once, with workers or without;
    a ``defaultdict`` it makes again as it is (``torch/utils/data/_utils/collate.py``, ``collate``, 2.13).
    """
    found: dict[Span, Unsendable] = {}
    for function, role, assumptions, collated in sending(evaluator, given):
        with evaluator.steps(STEPS):
            for one in _Batch(evaluator, role, collated).given_by(function, assumptions):
                found.setdefault(one.span, one)
    for function, assumptions, places in _stacking(evaluator, given):
        with evaluator.steps(STEPS):
            for one in _Batch(evaluator, "dataset", False).with_graphs(function, assumptions, places):
                found.setdefault(one.span, one)
    return tuple(found.values())


def _stacking(
    evaluator: Evaluator, given: Mapping[str, Given]
) -> Iterator[tuple[Function, Assumptions, frozenset[int | None]]]:
    """Yield the functions whose items a ``collate_fn`` puts into one tensor, and which parts of them: None for all."""
    for one in _possibilities(given, "collate_fn"):
        for collate in called(evaluator, one, ("__call__",)):
            places = frozenset(stacked_places(evaluator, collate))
            for dataset in _possibilities(given, "dataset") if places else ():
                joint = together(one.assumptions, dataset.assumptions)
                if joint is not None:
                    yield from ((function, joint, places) for function in called(evaluator, dataset, _GIVES_ONE_ITEM))


def sending(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[tuple[Function, str, Assumptions, bool]]:
    """Yield the functions whose results are sent, and whether torch's own collate comes before that."""
    for one in _possibilities(given, "collate_fn"):
        for function in called(evaluator, one, ("__call__",)):
            yield function, "collate_fn", one.assumptions, False
    ways = list(items_sent(evaluator, given))
    for one in _possibilities(given, "dataset"):
        for function in called(evaluator, one, _GIVES_ONE_ITEM):
            for assumptions, collated in ways:
                joint = together(one.assumptions, assumptions)
                if joint is not None:
                    yield function, "dataset", joint, collated


def items_sent(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[tuple[Assumptions, bool]]:
    """Yield what is assumed where the items themselves are sent, and whether torch's own collate comes before that."""
    for one in _possibilities(given, "collate_fn"):
        if one.thing is None:
            yield one.assumptions, True
        elif _gives_items(evaluator, one):
            yield one.assumptions, False
    if "collate_fn" not in given:
        yield NO_ASSUMPTIONS, True
    if "batch_sampler" not in given:
        for one in _possibilities(given, "batch_size"):
            if one.thing is None:
                yield one.assumptions, False


def _possibilities(given: Mapping[str, Given], option: str) -> Possibilities:
    return given[option].possibilities if option in given else ()


def called(evaluator: Evaluator, one: Possibility, names: tuple[str, ...]) -> Iterator[Function]:
    """Yield the functions that a callable, or the methods of these names that an object, is called by."""
    thing = one.thing
    if isinstance(thing, Function) and names == ("__call__",):
        yield thing
    elif isinstance(thing, Instance):
        methods = (classes.called_as(evaluator, thing, name) for name in names)
        yield from (one for one in methods if one is not None)
    elif isinstance(thing, Made) and thing.call.args and (thing.callee in WRAPPERS or thing.callee == PARTIAL):
        with evaluator.steps(STEPS):
            inside = evaluator.evaluate(thing.call.args[0], thing.frame)
        for held in inside:
            for way in held.thing.items if isinstance(held.thing, Row) else ((held,),):
                for item in way:
                    yield from called(evaluator, item, names)


def _gives_items(evaluator: Evaluator, one: Possibility) -> bool:
    """Return whether a ``collate_fn`` gives the items as they are."""
    if isinstance(one.thing, External):
        return one.thing.name in HANDS_ON
    return any(_hands_on(function) for function in called(evaluator, one, ("__call__",)))


def _hands_on(function: Function) -> bool:
    """Return whether a collate function gives the items as they are, only in other containers."""
    taken = [one.arg for one in parameters(function.node) if function.owner is None or one.arg != "self"][:1]
    return bool(function.scope.returns) and all(
        value is not None and taken == [_regrouped(value)] for value, _ in function.scope.returns
    )


def _regrouped(node: ast.expr) -> str | None:
    while isinstance(node, ast.Call | ast.Starred):
        if isinstance(node, ast.Starred):
            node = node.value
        elif dotted(node.func) in _REGROUPING and len(node.args) == 1 and not node.keywords:
            node = node.args[0]
        else:
            return None
    return node.id if isinstance(node, ast.Name) else None


def stacked_places(evaluator: Evaluator, function: Function) -> Iterator[int | None]:
    """Yield which parts of the items a collate function gives as one tensor: None for the items as a whole."""
    taken = next((one.arg for one in parameters(function.node) if function.owner is None or one.arg != "self"), None)
    for value, place in function.scope.returns if taken is not None else ():
        frame = Frame(function.facts, place, receiver=function.receiver)
        written = _written(value, frame) if value is not None else None
        if isinstance(written, ast.Dict):
            parts: list[ast.expr] = written.values
        else:
            parts = written.elts if isinstance(written, ast.Tuple | ast.List) else [written] if written else []
        for part in (_written(one, frame) for one in parts):
            if isinstance(part, ast.Call) and part.args and taken is not None:
                with evaluator.steps(STEPS):
                    callees = [one.thing for one in evaluator.evaluate(part.func, frame)]
                if callees and all(isinstance(one, External) and one.name in STACKS for one in callees):
                    yield from _places_in(part.args[0], taken, function.scope)


def _places_in(node: ast.expr, taken: str, scope: Scope) -> Iterator[int | None]:
    """Yield which parts of the items a list holds: ``batch``, ``[one[0] for one in batch]``, ``zip(*batch)``."""
    if isinstance(node, ast.Name) and node.id != taken:
        bindings = scope.bindings.get(node.id, ())
        only = bindings[0] if len(bindings) == 1 else None
        if only is not None and only.kind == "assign" and isinstance(only.value, ast.ListComp):
            yield from _places_in(only.value, taken, scope)
        elif only is not None and only.kind == "unpack" and only.value is not None and len(only.index) == 1:
            is_zip = isinstance(only.value, ast.Call) and dotted(only.value.func) == "zip"
            if is_zip and _regrouped(only.value) == taken and isinstance(only.index[0], int):
                yield only.index[0]
        return
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        over, target = node.generators[0], node.generators[0].target
        if over.ifs or not isinstance(target, ast.Name) or dotted(over.iter) != taken:
            return
        element = node.elt
        if isinstance(element, ast.Name) and element.id == target.id:
            yield None
        elif isinstance(element, ast.Subscript) and dotted(element.value) == target.id:
            index = element.slice
            if isinstance(index, ast.Constant) and isinstance(index.value, int):
                yield index.value
    elif _regrouped(node) == taken and len(scope.bindings.get(taken, ())) == 1:
        yield None


def _makes_plain(scope: Scope) -> bool:
    """Return whether a function may make a ``defaultdict`` one that pickles.

    What the evaluator takes for the dictionary itself, ``dict(counts)``, is one.
    """
    return any(dotted(site.node.func) == "dict" for site in scope.calls) or any(
        name.endswith(".default_factory") for name in scope.bindings
    )


class _Batch:
    """One batch or item, looked through for what cannot be sent."""

    def __init__(self, evaluator: Evaluator, role: str, collated: bool) -> None:
        self.evaluator = evaluator
        self.role = role
        self.collated = collated
        self.made_plain = False
        self.asked: list[Class] = []

    def given_by(self, function: Function, assumptions: Assumptions) -> Iterator[Unsendable]:
        """Yield what a function returns or yields that cannot be sent."""
        scope = function.scope
        self.made_plain = _makes_plain(scope)
        for value, frame, joint in self._given(function, assumptions):
            yield from self._expression(value, frame, joint, 0)

    def with_graphs(
        self, function: Function, assumptions: Assumptions, places: frozenset[int | None]
    ) -> Iterator[Unsendable]:
        """Yield the tensors that a function gives, whole or at some places of a tuple, and that require grad."""
        for value, frame, joint in self._given(function, assumptions):
            parts = value.elts if isinstance(value, ast.Tuple) else []
            wanted = [value] if None in places else [one for place, one in enumerate(parts) if place in places]
            for part in wanted:
                written = _written(part, frame)
                if self._requires_grad(written, frame):
                    yield from self._found(frame.facts.span(written), GRADIENT, joint)

    def _given(self, function: Function, assumptions: Assumptions) -> Iterator[tuple[ast.expr, Frame, Assumptions]]:
        """Yield what a function returns or yields, and what is assumed there."""
        scope = function.scope
        returns = () if scope.yields or scope.name == "__iter__" else scope.returns
        given = [(value, place) for value, place in returns if value is not None]
        given += [
            (one.value, place) for one, place in scope.yielded if isinstance(one, ast.Yield) and one.value is not None
        ]
        for value, place in given:
            frame = Frame(function.facts, place, receiver=function.receiver)
            for met in self.evaluator.conditions(place.arms, frame):
                joint = together(assumptions, met)
                if joint is not None:
                    yield value, frame, joint

    def _expression(self, node: ast.expr, frame: Frame, assumptions: Assumptions, depth: int) -> Iterator[Unsendable]:
        if depth > _DEEPEST:
            return
        written = _written(node, frame)
        if isinstance(written, ast.Dict | ast.Tuple | ast.List):
            for part in written.values if isinstance(written, ast.Dict) else written.elts:
                yield from self._expression(part, frame, assumptions, depth + 1)
        if isinstance(written, ast.ListComp):
            yield from self._expression(written.elt, frame, assumptions, depth + 1)
        kind = GENERATOR if isinstance(written, ast.GeneratorExp) else None
        if isinstance(written, ast.Call):
            kind = self._of_call(written, frame) or (GRADIENT if self._keeps_graph(written, frame) else None)
        if isinstance(written, ast.BinOp) and isinstance(written.op, _DIFFERENTIABLE):
            kind = GRADIENT if self._requires_grad(written, frame) else None
        if kind is not None:
            yield from self._found(frame.facts.span(written), kind, assumptions)
        elif not (isinstance(written, ast.Dict | ast.Tuple | ast.List) and written is node):
            for one in self.evaluator.evaluate(node, frame):
                yield from self._thing(one, assumptions, depth)

    def _of_call(self, node: ast.Call, frame: Frame) -> Unpickled | None:
        """Return what a call gives that cannot be sent and that is no thing: a generator, a tensor with its graph."""
        for one in self.evaluator.evaluate(node.func, frame):
            thing = one.thing
            if isinstance(thing, Function) and thing.scope.yields and not _is_decorated(thing):
                return GENERATOR
            if isinstance(thing, Made) and self._learns(thing) and not self._minds_gradients(frame, thing.frame):
                return GRADIENT
            if isinstance(thing, Instance) and self._gives_graphs(thing):
                return GRADIENT
        return None

    def _gives_graphs(self, model: Instance) -> bool:
        """Return whether whatever the ``forward`` of a module of the project gives is computed by layers of its own."""
        forward = classes.method(self.evaluator, model, "forward")
        own_call = classes.method(self.evaluator, model, "__call__")
        if forward is None or own_call is not None or model.of in self.asked or _is_decorated(forward):
            return False
        # Whoever has the model may freeze it, in whichever file.
        if self._anybody_says(WITHOUT_GRADIENTS) or not classes.inherits(self.evaluator, model.of, MODULES):
            return False
        given = [
            (value, Frame(forward.facts, place, receiver=model))
            for value, place in forward.scope.returns
            if value is not None
        ]
        self.asked.append(model.of)
        computed = all(self._requires_grad(_written(value, inside), inside) for value, inside in given)
        self.asked.pop()
        return bool(given) and computed

    def _learns(self, made: Made) -> bool:
        """Return whether what is made is a layer with parameters, or a row of modules with one."""
        inside = made.call.args if made.callee in ROWS_OF_LAYERS else []
        return made.callee in LAYERS or any(
            isinstance(one.thing, Made) and one.thing.callee in LAYERS
            for given in inside
            if isinstance(given, ast.Call)
            for one in self.evaluator.evaluate(given, made.frame)
        )

    def _requires_grad(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether an expression gives a tensor that requires grad: a parameter, or what is computed with one."""
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            return isinstance(node.op, _DIFFERENTIABLE) and any(self._requires_grad(one, frame) for one in sides)
        if isinstance(node, ast.Call):
            return (
                self._is_leaf(node, frame) or self._of_call(node, frame) is GRADIENT or self._keeps_graph(node, frame)
            )
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Attribute) and self._requires_grad(node.value, frame)
        if not isinstance(node, ast.Attribute | ast.Name):
            return False
        found = [one.thing for one in self.evaluator.evaluate(node, frame)]
        return bool(found) and all(isinstance(one, Made) and self._is_parameter(one, frame) for one in found)

    def _keeps_graph(self, node: ast.Call, frame: Frame) -> bool:
        """Return whether a call makes a tensor of another with its graph, or one of several that hold one with it."""
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in KEEPS_GRAPH:
            return self._requires_grad(_written(function.value, frame), frame)
        several = node.args[0] if node.args else None
        if not isinstance(several, ast.List | ast.Tuple):
            return False
        things = [one.thing for one in self.evaluator.evaluate(function, frame)]
        joins = bool(things) and all(isinstance(one, External) and one.name in STACKS for one in things)
        return joins and any(self._requires_grad(_written(one, frame), frame) for one in several.elts)

    def _is_parameter(self, made: Made, frame: Frame) -> bool:
        if made.callee in PARAMETERS:
            return not self._minds_gradients(frame, made.frame)
        changed = any("requires_grad_" in one.facts.source.text for one in (frame, made.frame))
        return not changed and self._is_leaf(made.call, made.frame)

    def _is_leaf(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether a tensor is made that requires grad, so that what is computed with it has a graph."""
        asked = node.keywords if isinstance(node, ast.Call) else []
        if not any(
            one.arg == "requires_grad" and isinstance(one.value, ast.Constant) and one.value.value for one in asked
        ):
            return False
        made = self.evaluator.evaluate(node, frame)
        torchs = all(isinstance(one.thing, Made) and one.thing.callee.startswith("torch.") for one in made)
        return torchs and not self._anybody_says(SWITCHES_GRADIENTS)

    def _minds_gradients(self, *frames: Frame) -> bool:
        """Return whether one of the files says anything of what requires grad, or any file of no gradients."""
        said = (word in frame.facts.source.text for frame in frames for word in WITHOUT_GRADIENTS)
        return any(said) or self._anybody_says(SWITCHES_GRADIENTS)

    def _anybody_says(self, words: tuple[str, ...]) -> bool:
        """Return whether any file of the project has one of some words in it."""
        files = self.evaluator.project.all_python
        return self.evaluator.once(
            ("gradients", words), True, lambda: any(word in one.source.text for one in files() for word in words)
        )

    def _thing(self, one: Possibility, assumptions: Assumptions, depth: int) -> Iterator[Unsendable]:
        joint = together(one.assumptions, assumptions)
        if joint is None or depth > _DEEPEST:
            return
        thing = one.thing
        parts: list[Possibility] = []
        if isinstance(thing, Row):
            parts = [way for item in thing.items for way in item]
        elif isinstance(thing, Items):
            parts = [way for item in thing.entries.values() for way in item]
        for part in parts:
            yield from self._thing(part, joint, depth + 1)
        kind = self._kind(thing)
        if kind is not None:
            yield from self._found(one.span, kind, joint, one)

    def _kind(self, thing: object) -> Unpickled | None:
        if isinstance(thing, Function):
            if isinstance(thing.node, ast.Lambda):
                return LAMBDA
            return LOCAL_FUNCTION if thing.owner is None and _is_local(thing) else None
        if isinstance(thing, Instance):
            if _is_local(thing.of) and not any(
                name in owner.scope.bindings
                for owner in classes.lineage(self.evaluator, thing.of)
                for name in PICKLES_ITSELF
            ):
                return LOCAL_CLASS
            return None
        if not isinstance(thing, Made):
            return None
        if thing.callee == "collections.defaultdict":
            made_by = [one for given in thing.call.args[:1] for one in self.evaluator.evaluate(given, thing.frame)]
            is_local = bool(made_by) and all(self._kind(one.thing) is not None for one in made_by)
            return DEFAULTDICT if is_local and not self.made_plain else None
        return UNSENDABLE.get(thing.callee)

    def _found(
        self, span: Span, kind: Unpickled, assumptions: Assumptions, one: Possibility | None = None
    ) -> Iterator[Unsendable]:
        if not self.collated or kind is DEFAULTDICT:
            trail = one.trail if one is not None else ()
            yield Unsendable(span, kind.words, kind.error, self.role, assumptions, trail, kind is GRADIENT)


def _written(node: ast.expr, frame: Frame) -> ast.expr:
    """Return what a name of the function was set to, where that is one expression; else the node itself."""
    if not isinstance(node, ast.Name):
        return node
    bindings = frame.scope.bindings.get(node.id, ())
    only = bindings[0] if len(bindings) == 1 else None
    if only is None or only.kind != "assign" or only.value is None or only.place.arms != frame.place.arms:
        return node
    return only.value if isinstance(only.value, ast.GeneratorExp | ast.Call) else node


def _is_local(one: Function | Class) -> bool:
    """Return whether a function or class is defined in a function and no name of its module stands for it."""
    around = one.scope.parent
    if around is None or one.scope.name in around.outer_names:
        return False
    while around is not None:
        if around.is_function:
            return True
        around = around.parent
    return False


def _is_decorated(function: Function) -> bool:
    return not isinstance(function.node, ast.Lambda) and bool(function.node.decorator_list)
