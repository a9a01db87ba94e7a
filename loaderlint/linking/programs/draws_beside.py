"""Where a program draws random numbers of which samples, or their order, draw too: in one process they share them.

Samples draw from NumPy's and Python's in workers that have their own. An order that is drawn as it goes along is drawn
some batches ahead of them. Where nothing seeds, each run draws others anyway.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.loaders_behind import loaders_in
from loaderlint.linking.following.running import STEPS, Iterated, Iterations, may_run
from loaderlint.linking.programs.meanwhile import from_then_on
from loaderlint.linking.programs.own_generators import own_generators
from loaderlint.linking.programs.reaching_samples import SAMPLERS, instances
from loaderlint.linking.programs.while_iterated import words_in
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Made
from loaderlint.linking.workers.draws import drawn_by
from loaderlint.linking.workers.payload import carried
from loaderlint.linking.workers.top_level import full_name, touch_at
from loaderlint.model.payload import Touch
from loaderlint.model.setting_words import REPORTING_LIBRARIES
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Binding, CallSite, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.drawing import GENERATORS
from loaderlint.vocabulary.running import DRAWS_OF_TORCH

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_SIDE_BY_SIDE = frozenset({"zip", "zip_longest"})
"""Functions that begin all they are given before they take anything."""
_BEGINS = frozenset({"__iter__", "cycle", "enumerate", "islice", "iter", "zip"})
"""Functions that begin what they are given at once, and take from it when they are asked themselves."""
_IN_LAYERS = frozenset({"alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "gumbel_softmax", "rrelu"})
"""Functions of ``torch.nn.functional`` that draw (pytorch.org, "torch.nn.functional")."""
_IN_PLACE = frozenset({"cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_", "uniform_"})
"""Methods of tensors that fill them with what they draw (pytorch.org, "In-place random sampling")."""
_DRAWING_LAYERS = frozenset(
    {"AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout", "RReLU"}
)
"""Layers that draw in each batch that they train on (pytorch.org, "torch.nn")."""
_IS_LOSS = re.compile(r"(?!AdaptiveLogSoftmax|Linear).*Loss")
"""Losses have no weights to draw, but for two that are made of layers (torch 2.13.0, ``dir(torch.nn)``)."""
_DRAW_NOTHING = frozenset(
    REPORTING_LIBRARIES | sys.stdlib_module_names | {"PIL", "cv2", "numpy", "pandas", "scipy", "sklearn", "torch"}
)
"""Libraries whose classes draw none of torch's numbers as they are made, but for torch's own layers."""
_MAKE_LAYERS = ("timm.", "torchvision.models.")
"""Where functions make layers, too."""
_SETS = frozenset({"set_rng_state"})
"""Functions of torch that set what is drawn from then on."""


def draws_beside(
    evaluator: Evaluator,
    site: PythonSite,
    given: Mapping[str, Given],
    runs: Sequence[Iterations],
    by_samples: frozenset[str],
) -> Iterator[Touch]:
    """Yield where a program draws, as it iterates a loader or later, of what samples, or their order, draw as well."""
    yield from own_generators(evaluator, site, given, runs)
    if _seeds(evaluator):
        ordered = _is_drawn(evaluator, given)
        yield from _begun_beside(evaluator, site, runs) if ordered else ()
        if _seeds(evaluator, but="seed"):
            yield from _drawn_of_torch(evaluator, site, given, runs, ordered=ordered)
    ordering = list(_drawn_in_order(evaluator, given))
    shared = (by_samples & GENERATORS.keys()) | {library for library, _ in ordering}
    if not shared or not _seeds(evaluator):
        return
    yield from (touch for library, touch in ordering if library in by_samples)
    for part in dict.fromkeys(from_then_on(evaluator, site.call, runs)):
        for library, call in drawn_by(part.scope, part.sites):
            if library in shared:
                yield touch_at(part.facts, call)


def _drawn_of_torch(
    evaluator: Evaluator,
    site: PythonSite,
    given: Mapping[str, Given],
    runs: Sequence[Iterations],
    *,
    ordered: bool,
) -> Iterator[Touch]:
    """Yield where samples are seen to draw torch's random numbers, which their order, or the program, draws as well.

    What libraries draw for samples, such as those of torchvision, is no more seen than what layers draw.
    """
    _, running = carried(evaluator, given, site.frame)
    drawn = [touch_at(one.facts, call) for one in running for call in _of_torch(one.scope, one.scope.calls)]
    if not drawn:
        return
    yield from drawn if ordered else ()
    inside = {id(one.node) for one in running}
    for part in dict.fromkeys(from_then_on(evaluator, site.call, runs)):
        if id(part.scope.node) not in inside:
            yield from (touch_at(part.facts, call) for call in _of_torch(part.scope, part.sites))
    for facts in evaluator.project.all_python():
        for name in sorted(facts.calls.keys() & _DRAWING_LAYERS):
            yield from (touch_at(facts, one.node) for one in facts.calls[name])


def _of_torch(scope: Scope, sites: Iterable[CallSite]) -> Iterator[ast.Call]:
    """Yield the calls that draw torch's random numbers, by what they are called."""
    every = list(sites)
    yield from (call for library, call in drawn_by(scope, every) if library == "torch")
    for one in every:
        name = called_name(one.node)
        if name in _IN_LAYERS | _IN_PLACE and not any(each.arg == "generator" for each in one.node.keywords):
            yield one.node


def _drawn_in_order(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[tuple[str, Touch]]:
    """Yield what samplers draw for one index, or batch, after the other."""
    for sampler in instances(evaluator, given, SAMPLERS):
        method = classes.method(evaluator, sampler, "__iter__")
        if method is not None and method.scope.yields:
            looped = [one for one in method.scope.calls if any(arm.loop for arm in one.place.arms)]
            for library, call in drawn_by(method.scope, looped):
                yield library, touch_at(method.facts, call)


def _is_drawn(evaluator: Evaluator, given: Mapping[str, Given]) -> bool:
    """Return whether a loader draws its order of torch's random numbers, which all code shares."""
    if any(one.thing is not None for one in (given["generator"].possibilities if "generator" in given else ())):
        return False
    if any(one.thing for one in (given["shuffle"].possibilities if "shuffle" in given else ())):
        return True
    samplers = [one.thing for name in SAMPLERS & given.keys() for one in given[name].possibilities]
    for one in (one for one in samplers if isinstance(one, Made) and one.callee.endswith("BatchSampler")):
        with evaluator.steps(STEPS):
            samplers += [each.thing for inner in one.call.args[:1] for each in evaluator.evaluate(inner, one.frame)]
    if any(isinstance(one, Made) and one.callee.endswith("RandomSampler") for one in samplers):
        return True
    methods = [classes.method(evaluator, one, "__iter__") for one in instances(evaluator, given, SAMPLERS)]
    scopes = [one.scope for one in methods if one is not None]
    return any(library == "torch" for scope in scopes for library, _ in drawn_by(scope, scope.calls))


def _begun_beside(evaluator: Evaluator, site: PythonSite, runs: Sequence[Iterations]) -> Iterator[Touch]:
    """Yield what draws, or seeds, between the begin of an iterator and its first batch.

    An iterator that has workers asks for its order as it begins, one without them as it gives its first batch
    (``torch/utils/data/dataloader.py``, ``_reset`` and ``_next_index``).
    """
    yield from _unpacked(evaluator, site)
    for place in (place for run in runs for place in run.places.get(id(site.call), ())):
        facts, node = place.frame.facts, place.node
        if isinstance(node, ast.Call) and called_name(node) in _SIDE_BY_SIDE:
            beside = [one for one in node.args if one is not place.expression and not _holds(one, place.expression)]
            if any(loaders_in(evaluator, one, place.frame) for one in beside):
                yield touch_at(facts, node)
        begun = place.expression
        several = begun.args if isinstance(begun, ast.Call) and called_name(begun) in _SIDE_BY_SIDE else []
        if sum(bool(loaders_in(evaluator, one, place.frame)) for one in several) > 1:
            yield touch_at(facts, begun)
        if isinstance(node, ast.GeneratorExp) or (isinstance(node, ast.Call) and called_name(node) in _BEGINS):
            yield from _until_first(evaluator, place)


def _unpacked(evaluator: Evaluator, site: PythonSite) -> Iterator[Touch]:
    """Yield where several loaders that stand in one list are begun side by side: ``zip(*both)``."""
    facts = site.frame.facts
    for one in (one for name in sorted(_SIDE_BY_SIDE) for one in facts.calls.get(name, ())):
        for argument in (each for each in one.node.args if isinstance(each, ast.Starred)):
            behind = {each.call for each in loaders_in(evaluator, argument.value, Frame(facts, one.place))}
            if len(behind) > 1 and id(site.call) in behind:
                yield touch_at(facts, one.node)


def _until_first(evaluator: Evaluator, place: Iterated) -> Iterator[Touch]:
    """Yield what draws, seeds or begins another iterator after one was made, and before it is asked."""
    facts, scope = place.frame.facts, place.frame.scope
    last = place.node.end_lineno or 0
    names = {name for name, several in scope.bindings.items() for one in several if _gives(one, place.node)}
    read = [one for one in nodes_of(scope.node) if isinstance(one, ast.Name | ast.Attribute) and dotted(one) in names]
    asked = min((one.lineno for one in read if one.lineno > last and isinstance(one.ctx, ast.Load)), default=0)
    for call in (one for one in scope.calls if place.node.lineno <= one.node.lineno < asked):
        if call.node is place.node or call.place.order < place.frame.place.order:
            continue
        name = full_name(scope, dotted(call.node.func) or called_name(call.node))
        begins = any(loaders_in(evaluator, one, place.frame.at(call.place)) for one in _begun_by(call.node))
        inside = _draws_inside(evaluator, call.node, place.frame.at(call.place))
        if begins or _draws(name) or inside or _may_make_layers(evaluator, call.node, name):
            yield touch_at(facts, call.node)


def _begun_by(call: ast.Call) -> list[ast.expr]:
    """Return what a call makes an iterator of: ``iter(loader)`` or ``loader.__iter__()``."""
    match call:
        case ast.Call(ast.Attribute(owner, "__iter__"), []):
            return [owner]
    return call.args if called_name(call) == "iter" else []


def _draws_inside(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    """Return whether what a call of the project's runs speaks of layers, or of what draws or seeds."""
    if not may_run(evaluator, call):
        return False
    with evaluator.steps(STEPS):
        found = [one.thing for one in evaluator.evaluate(call.func, frame)]
    words = (word for one in found if isinstance(one, Function | Class) for word in words_in(one.facts, one.node))
    return any(word == "nn" or word.startswith(("manual_seed", "rand", "seed")) for word in words)


def _may_make_layers(evaluator: Evaluator, call: ast.Call, name: str) -> bool:
    """Return whether a call is of an imported class that is not seen: a model's weights may be drawn there."""
    library, _, inside = name.partition(".")
    if library == "torchvision" or may_run(evaluator, call):
        return name.startswith(_MAKE_LAYERS)
    is_class = inside.rpartition(".")[2][:1].isupper()
    return (is_class and library not in _DRAW_NOTHING) or name.startswith(_MAKE_LAYERS)


def _draws(name: str) -> bool:
    last = name.rpartition(".")[2]
    if name.startswith("torch.nn.init.") or last in _IN_LAYERS | _IN_PLACE | _SETS:
        return True
    makes_layers = name.startswith("torch.nn.") and last[:1].isupper() and not _IS_LOSS.fullmatch(last)
    return makes_layers or name.startswith(DRAWS_OF_TORCH) or "seed" in last.lower()


def _gives(binding: Binding, made: ast.AST) -> bool:
    """Return whether a binding gives a name what is made, or one of several things that are."""
    value = binding.value
    return value is made or (isinstance(value, ast.Tuple) and any(one is made for one in value.elts))


def _holds(node: ast.expr, inner: ast.expr) -> bool:
    return any(one is inner for one in nodes_of(node))


def _seeds(evaluator: Evaluator, but: str = "") -> bool:
    """Return whether a program seeds anything, by the name of what it calls: torch by no mere ``seed``."""

    def seeds() -> bool:
        names = (name for facts in evaluator.project.all_python() for name in facts.calls)
        return any("seed" in name.lower() and name != but for name in names)

    return evaluator.remembered(("seeds", but), None, seeds)
