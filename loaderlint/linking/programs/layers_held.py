"""Layers and parameters that samples are made with: a model is trained, and workers have copies of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.needs_cuda import has_layers, is_layer
from loaderlint.linking.following.running import STEPS
from loaderlint.linking.programs.reaching_samples import arguments_of, instances
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Frame, Function, Instance
from loaderlint.linking.workers.top_level import full_name, touch_at
from loaderlint.model.payload import Payload, Touch
from loaderlint.readers.python import FunctionNode, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import VIEWS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_PARAMETERS = frozenset(
    {"bias", "buffers", "data", "named_buffers", "named_parameters", "parameters", "state_dict", "weight"}
)
"""What gives the tensors of a layer that an optimizer changes in place."""
_GATHERS = frozenset({"dict", "iter", "list", "set", "tuple", "OrderedDict"})
"""What makes a container of the same things."""
_GOES_OVER = frozenset({"items", "values"})


def layers_held(
    evaluator: Evaluator,
    site: PythonSite,
    given: Mapping[str, Given],
    payload: Payload,
    running: Sequence[Function],
) -> Iterator[Touch]:
    """Yield what gives samples layers, parameters, or what shows these."""
    if payload.model:
        yield touch_at(site.frame.facts, site.call)
    for one in instances(evaluator, given, {"dataset"}):
        if one.call is not None and one.frame is not None and _shares_parameters(evaluator, one):
            yield touch_at(one.frame.facts, one.call)
    for function in running:
        for call in function.scope.calls:
            name = call.node.func
            frame = Frame(function.facts, call.place, receiver=function.receiver)
            outside = isinstance(name, ast.Name) and _is_object_outside(function.scope, name.id)
            if outside and _is_model(evaluator, name, frame):
                yield touch_at(function.facts, call.node)


def _is_object_outside(scope: Scope, name: str) -> bool:
    """Return whether a name stands for something that was made around a function: no function, class or module."""
    around: Scope | None = scope.parent
    if name in scope.bindings:
        return False
    while around is not None:
        if name in around.bindings and not around.is_class:
            return all(one.kind not in ("class", "function", "import") for one in around.bindings[name])
        around = around.parent
    return False


def _shares_parameters(evaluator: Evaluator, dataset: Instance) -> bool:
    """Return whether a data set keeps the numbers that are a model's parameters: ``model.weight.detach().numpy()``."""
    call, frame = dataset.call, dataset.frame
    if call is None or frame is None:
        return False
    handed_to = (model for argument in arguments_of(call) for model in _models_of(argument, frame.scope))
    if any(_is_model(evaluator, one, frame) for one in handed_to):
        return True
    method = classes.method(evaluator, dataset, "__init__")
    if method is None or not isinstance(method.node, FunctionNode):
        return False
    taken = [one.arg for one in parameters(method.node)][1:]
    kept = [one.value for name, several in method.scope.bindings.items() if "." in name for one in several]
    shown = (model for value in kept if value is not None for model in _models_of(value, method.scope))
    names = {one.id for one in shown if isinstance(one, ast.Name)}
    handed = [*zip(taken, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
    return any(_is_model(evaluator, value, frame) for name, value in handed if name in names)


def _models_of(node: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Yield what an expression may show parameters of: ``model.head`` in ``model.head.weight.detach().numpy()``."""
    shown = False
    while True:
        match node:
            case ast.Call(_, [inner, *_]) if _gives_the_same(node, scope):
                node = inner
                continue
            case ast.ListComp(ast.Name(element), [one]) | ast.GeneratorExp(ast.Name(element), [one]):
                names = {each.id for each in ast.walk(one.target) if isinstance(each, ast.Name)}
                if element not in names:
                    return
                node = one.iter
                continue
            case ast.List([element]) | ast.Tuple([element]) | ast.Starred(element):
                node = element
                continue
            case ast.Call(ast.Attribute(owner, name)) if name in VIEWS | _PARAMETERS | _GOES_OVER:
                shown = shown or name in _PARAMETERS
                node = owner
            case ast.Attribute(owner, name):
                shown = shown or name in _PARAMETERS
                node = owner
            case ast.Subscript(owner):
                node = owner
            case _:
                return
        if shown:
            yield node


def _gives_the_same(call: ast.Call, scope: Scope) -> bool:
    """Return whether a call gives what it is handed first, or a view or container of that: ``np.asarray(weight)``."""
    if isinstance(call.func, ast.Name) and call.func.id in _GATHERS:
        return True
    of_library = full_name(scope, dotted(call.func) or "").startswith(("numpy.", "torch."))
    return of_library and called_name(call) in VIEWS


def _is_model(evaluator: Evaluator, node: ast.expr, frame: Frame) -> bool:
    with evaluator.steps(STEPS):
        things = [one.thing for one in evaluator.evaluate(node, frame)]
    return any(is_layer(one) or (isinstance(one, Instance) and has_layers(evaluator, one)) for one in things)
