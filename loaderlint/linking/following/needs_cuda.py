"""Which calls raise where torch has no CUDA: a model or tensor is moved there, or torch is asked about the device.

"Torch not compiled with CUDA enabled" (``torch/cuda/__init__.py``, ``_lazy_init``, 2.13).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from loaderlint.linking.following import groups
from loaderlint.linking.following.asked_for_parameters import is_asked_for_parameters
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, External, Frame, Instance, Made, Thing
from loaderlint.linking.things.platforms import name_of_callee, on
from loaderlint.linking.things.possibilities import WITH_CUDA
from loaderlint.linking.things.templates import beginning
from loaderlint.model.assumptions import Assumptions, together
from loaderlint.readers.python_calls import arguments, called_name, keywords
from loaderlint.vocabulary.platforms import (
    BACKENDS,
    COUNTS_CUDA,
    CUDA_FUNCTIONS,
    GROUPED_STRATEGIES,
    GROUPED_STRATEGY_CLASSES,
    MAKES_GROUP_TO_TRAIN,
    NEED_GROUP,
    ON_DEVICES,
    RANKS,
    SETS_DEFAULT,
    SETS_DEVICE,
    TRAINERS_OF,
)
from loaderlint.vocabulary.tensors import (
    LOAD_MODELS,
    MAKE_MODELS,
    MAKES_TENSORS,
    MODEL_LIBRARIES,
    MODELS_AROUND,
    TENSOR_CLASSES,
    VARIABLES,
    WITH_PARAMETERS,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_ON_CUDA = ("cuda", "torch.cuda.")
"""How the names of CUDA's devices begin, and those of the types of tensors on them."""
_MODULE = "torch.nn.Module"
_MAKERS = MAKES_TENSORS | TENSOR_CLASSES | MAKE_MODELS
"""What makes a tensor, or a model with parameters."""
_AROUND = MODELS_AROUND | VARIABLES
"""What has the parameters of what it is given first, or is that tensor."""
_RANK = "torch.distributed.get_rank"
_DEEPEST = 4
"""Devices made of each other, and models around each other; deeper ones are not looked into."""


def conditions_after(evaluator: Evaluator, call: ast.Call, frame: Frame) -> list[Assumptions] | None:
    """Return the alternatives under which a run goes on behind a call that needs CUDA; None where it may need none."""
    function = call.func
    needing: Callable[[Evaluator, Thing], bool]
    if isinstance(function, ast.Attribute) and _moves_to_cuda(evaluator, call, frame):
        needing, given = _has_tensors, evaluator.evaluate(function.value, frame)
        # None has no such method: nobody goes on with it.
        given = tuple(one for one in given if one.thing is not None)
        if is_asked_for_parameters(evaluator, call, frame):
            needing = _may_have_tensors
    else:
        name = name_of_callee(evaluator, call, frame)
        if name in CUDA_FUNCTIONS or name in COUNTS_CUDA or _is_put_on_cuda(evaluator, name, call, frame):
            return [on(WITH_CUDA)]
        if name in NEED_GROUP and not _is_told_of_group(call, NEED_GROUP[name]):
            return [groups.made_on(evaluator)]
        if name.startswith(TRAINERS_OF) and _trains_by_nccl(evaluator, call, frame):
            return [on(BACKENDS["nccl"])]
        device = arguments(call, ["device"]).get("device") if name in SETS_DEVICE else None
        if device is None:
            return None
        if _is_rank_given(evaluator, device, frame):
            return [on(WITH_CUDA)]
        needing, given = _is_device, evaluator.evaluate(device, frame)
    answers = [(one.assumptions, needing(evaluator, one.thing)) for one in given]
    if not any(needs for _, needs in answers):
        return None
    if all(needs for _, needs in answers):
        return [on(WITH_CUDA)]
    ways = (together(assumptions, on(WITH_CUDA)) if needs else assumptions for assumptions, needs in answers)
    return [one for one in ways if one is not None]


def _moves_to_cuda(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    if called_name(call) != "to":
        return called_name(call) == "cuda"
    device = arguments(call, ["device"]).get("device")
    return device is not None and _is_always_cuda(evaluator, device, frame, 0)


def _is_put_on_cuda(evaluator: Evaluator, name: str, call: ast.Call, frame: Frame) -> bool:
    """Return whether what torch makes in a call, or what it makes from then on, is put on a CUDA device."""
    if name in SETS_DEFAULT:
        device = call.args[0] if call.args else None
    elif name in MAKES_TENSORS or name.startswith("torch.nn.") or name == "torch.Generator":
        device = keywords(call).get("device")
    else:
        return False
    return device is not None and _is_always_cuda(evaluator, device, frame, 0)


def _is_told_of_group(call: ast.Call, own: Collection[str]) -> bool:
    """Return whether a call may be given what it would ask the group for: by these names, by position or by a splat."""
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return starred or len(call.args) > 1 or any(one.arg in (None, *own) for one in call.keywords)


def _trains_by_nccl(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    """Return whether a trainer of Lightning's makes a group on CUDA, whose backend nobody chooses but Lightning."""
    given = keywords(call)
    if called_name(call) != MAKES_GROUP_TO_TRAIN or "strategy" not in given:
        return False
    return _is_grouped(_only(evaluator, given["strategy"], frame)) and any(
        thing in asking or (name == "gpus" and isinstance(thing, int) and not isinstance(thing, bool) and thing > 0)
        for name, asking in ON_DEVICES.items()
        if name in given and isinstance(thing := _only(evaluator, given[name], frame), int | str)
    )


def _is_grouped(strategy: Thing) -> bool:
    if isinstance(strategy, str):
        return strategy.startswith(GROUPED_STRATEGIES)
    if not isinstance(strategy, Made) or not strategy.callee.endswith(GROUPED_STRATEGY_CLASSES) or strategy.call.args:
        return False
    return all(one.arg not in (None, "process_group_backend") for one in strategy.call.keywords)


def _only(evaluator: Evaluator, node: ast.expr, frame: Frame) -> Thing:
    """Return what an expression is whatever is asked and whoever runs the program, None where it may be several."""
    found = evaluator.evaluate(node, frame)
    return found[0].thing if len(found) == 1 and not found[0].assumptions else None


def _is_always_cuda(evaluator: Evaluator, node: ast.expr, frame: Frame, depth: int) -> bool:
    """Return whether an expression is a CUDA device or a type there, whatever is asked and whoever runs the program."""
    thing = _only(evaluator, node, frame) if depth <= _DEEPEST else None
    if isinstance(thing, Made) and thing.callee == "torch.device" and thing.call.args:
        return _is_always_cuda(evaluator, thing.call.args[0], thing.frame, depth + 1)
    name = thing.name if isinstance(thing, External) else beginning(thing)
    return isinstance(name, str) and name.startswith(_ON_CUDA)


def _is_device(evaluator: Evaluator, thing: Thing) -> bool:
    """Return whether a thing is a device or the number of one: a negative one asks for none, and no rank is negative.

    ``torch.distributed.get_rank`` refuses to answer where there is no group (``distributed_c10d.py``, 2.13), and a
    device that is none of CUDA's is refused: "Expected a cuda device" (``torch/cuda/_utils.py``, 2.13).
    """
    if isinstance(thing, Made):
        is_rank = thing.callee == _RANK and not thing.call.args and not thing.call.keywords
        return is_rank or thing.callee == "torch.device"
    if isinstance(thing, str):
        return thing.startswith(_ON_CUDA)
    return isinstance(thing, int) and not isinstance(thing, bool) and thing >= 0


def _is_rank_given(evaluator: Evaluator, node: ast.expr, frame: Frame) -> bool:
    """Return whether an expression is the number that whoever starts the processes gives each of them."""
    if isinstance(node, ast.Name):
        bound = frame.scope.bindings.get(node.id, ())
        if len(bound) == 1 and bound[0].kind == "assign" and isinstance(bound[0].value, ast.Call):
            return _is_rank_given(evaluator, bound[0].value, frame.at(bound[0].place))
    if not isinstance(node, ast.Call) or called_name(node) != "int" or len(node.args) != 1:
        return False
    # Of None there is no number.
    given = [one.thing for one in evaluator.evaluate(node.args[0], frame) if one.thing is not None]
    return any(one in RANKS for one in given) and all(
        one in RANKS or (isinstance(one, int | str) and str(one).isdecimal()) for one in given
    )


def _has_tensors(evaluator: Evaluator, thing: Thing, depth: int = 0) -> bool:
    """Return whether a thing is a tensor, or a model that was seen to have parameters: without any nothing is moved."""
    if isinstance(thing, Instance):
        return not _moves_itself(evaluator, thing) and has_layers(evaluator, thing)
    if not isinstance(thing, Made):
        return False
    if thing.callee in _AROUND and thing.call.args and depth < _DEEPEST:
        inside = evaluator.evaluate(thing.call.args[0], thing.frame)
        return all(_has_tensors(evaluator, one.thing, depth + 1) for one in inside)
    callee = thing.callee
    if callee in _MAKERS or callee.startswith(MODEL_LIBRARIES) or is_layer(thing):
        return True
    return callee.endswith(LOAD_MODELS)


def _may_have_tensors(evaluator: Evaluator, thing: Thing) -> bool:
    """Return whether what is asked for its parameters may have some: what moves itself may do otherwise.

    torch's losses have none but for their weights (``nn/modules/loss.py``, 2.13), and what makes nothing has none.
    """
    if isinstance(thing, Made) and thing.callee.startswith("torch.nn.") and thing.callee.endswith("Loss"):
        return bool(thing.call.args) or any("weight" in (one.arg or "weight") for one in thing.call.keywords)
    if not isinstance(thing, Instance):
        return True
    return not _moves_itself(evaluator, thing) and not _makes_nothing(evaluator, thing.of)


def _makes_nothing(evaluator: Evaluator, of: Class) -> bool:
    """Return whether a class is a module of torch's that has no constructor, nor inherits one from elsewhere."""
    lineage = classes.lineage(evaluator, of)
    foreign = {base for one in lineage for base in classes.foreign_bases(evaluator, one)}
    return foreign == {_MODULE} and classes.constructor(evaluator, of) is None


def _moves_itself(evaluator: Evaluator, instance: Instance) -> bool:
    lineage = classes.lineage(evaluator, instance.of)
    return any(name in one.scope.bindings for one in lineage for name in ("cuda", "to", "_apply"))


def is_layer(thing: object) -> bool:
    """Return whether a thing is a layer of torch's with parameters, or is made of some."""
    if not isinstance(thing, Made) or not thing.callee.startswith("torch.nn."):
        return False
    return any(isinstance(one, ast.Call) and called_name(one) in WITH_PARAMETERS for one in ast.walk(thing.call))


def has_layers(evaluator: Evaluator, instance: Instance) -> bool:
    """Return whether an object is a module of torch's that makes layers: a transform may be one that makes none."""
    of = instance.of
    return evaluator.remembered(("layers", id(of.node)), None, lambda: _makes_layers(evaluator, of, 0))


def _makes_layers(evaluator: Evaluator, of: Class, depth: int) -> bool:
    """Return whether a class is one of modules whose methods make layers, or other modules of the project that do."""
    if depth > _DEEPEST or not classes.inherits(evaluator, of, {"Module"}):
        return False
    owners = classes.lineage(evaluator, of)
    sites = [
        (owner, site) for owner in owners for scope in owner.scope.children if scope.is_function for site in scope.calls
    ]
    if any(called_name(site.node) in WITH_PARAMETERS for _, site in sites):
        return True
    kept = ((owner, site) for owner, site in sites if site.place.scope.name == "__init__" and not site.place.arms)
    inside = (
        one.thing
        for owner, site in kept
        if isinstance(site.node.func, ast.Name)
        for one in evaluator.evaluate(site.node.func, Frame(owner.facts, site.place))
    )
    return any(isinstance(one, Class) and _makes_layers(evaluator, one, depth + 1) for one in inside)
