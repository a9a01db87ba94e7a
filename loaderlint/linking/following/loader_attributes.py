"""Options that are read back from a loader of torch: ``loader.num_workers``.

Torch keeps them as they were given (``DataLoader.__init__``, ``torch/utils/data/dataloader.py``, 2.13); another batch
size than that of its batch sampler it has none, and how many batches a worker loads ahead it settles itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes, dictionaries
from loaderlint.linking.things.kinds import ABSENT, UNSEEN, Absent, Frame, Made, Possibilities, Possibility
from loaderlint.linking.things.possibilities import distinct, irremovable, settled, unseen
from loaderlint.model.loader import TORCH_DEFAULTS
from loaderlint.model.source import Span
from loaderlint.readers.python import owners_set
from loaderlint.vocabulary.callables import LOADER_CALLABLES
from loaderlint.vocabulary.uses import LOADERS_OF_TORCH

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CHANGED_BY_TORCH = ("shuffle", "multiprocessing_context")
"""Options that are no attributes, or hold something else than was given."""


def read(evaluator: Evaluator, loader: Made, name: str, span: Span) -> Possibilities | None:
    """Return what an attribute of a loader holds, None where it is none of the options that torch keeps as given."""
    if loader.callee not in LOADERS_OF_TORCH or name not in TORCH_DEFAULTS or name in _CHANGED_BY_TORCH:
        return None
    if is_set_on(evaluator, loader, name):
        return unseen(span)
    if name == "batch_size" and not all(_is_left_out(one) for one in _given(evaluator, loader, "batch_sampler")):
        return unseen(span)
    made_at = loader.frame.facts.span(loader.call)
    default = (Possibility(TORCH_DEFAULTS[name], made_at, taken_out=True),)
    found = settled(_given(evaluator, loader, name), lambda: default)
    if name == "prefetch_factor" and any(one.thing is None for one in found):
        # With workers it is 2 then.
        return unseen(span)
    return distinct(irremovable(found))


def is_set_on(evaluator: Evaluator, made: Made, name: str) -> bool:
    """Return whether an attribute is set on what a call of a library made."""
    changed = evaluator.once(("set on loaders", name), frozenset[int](), lambda: _changed(evaluator, name))
    return id(made.call) in changed


def _is_left_out(one: Possibility) -> bool:
    return one.thing is None or isinstance(one.thing, Absent)


def _given(evaluator: Evaluator, loader: Made, name: str) -> Possibilities:
    """Return what a call gives an option; an `Absent` among them stands for nothing."""
    call, frame = loader.call, loader.frame
    positional = LOADER_CALLABLES[loader.callee].positional
    place = positional.index(name) if name in positional else len(call.args)
    if any(isinstance(one, ast.Starred) for one in call.args[: place + 1]):
        return unseen(frame.facts.span(call))
    if place < len(call.args):
        return evaluator.evaluate(call.args[place], frame)
    made = dictionaries.items_of_call(evaluator, ast.Call(call.func, [], call.keywords), frame)
    splats = (one.value for one in call.keywords if one.arg is None)
    complete = made.complete and not any(evaluator.may_be_filled(one, frame) for one in splats)
    missing = Possibility(ABSENT if complete else UNSEEN, frame.facts.span(call))
    return made.entries.get(name) or (missing,)


def _changed(evaluator: Evaluator, name: str) -> frozenset[int]:
    """Return the calls of libraries that make what an attribute is set on after it was made."""
    return frozenset(
        id(one.thing.call)
        for where, target in _targets(evaluator, name)
        for one in evaluator.evaluate(target, where)
        if isinstance(one.thing, Made)
    )


def _targets(evaluator: Evaluator, name: str) -> Iterator[tuple[Frame, ast.expr]]:
    """Yield what an attribute of some name, or of any, is set on, but for an object that sets its own."""
    for facts, binding in evaluator.attributes_set.get(name, ()):
        where = Frame(facts, binding.place)
        if binding.kind not in MUTATIONS and not classes.names_receiver(where, binding.name.rpartition(".")[0]):
            yield from ((where, one) for one in owners_set(binding.node, name))
    for facts in evaluator.project.all_python():
        for site in facts.calls.get("setattr", ()):
            match site.node.args:
                case [owner, asked, _] if not isinstance(asked, ast.Constant):
                    yield Frame(facts, site.place), owner
