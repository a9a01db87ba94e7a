"""The calls that make Hugging Face's trainers, and the training arguments each of them gets."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.linking.things.kinds import Frame, Instance, Made, Possibilities, Unseen
from loaderlint.linking.things.possibilities import distinct, unseen
from loaderlint.model.source import Span

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class TrainerCall(Struct, frozen=True, eq=False):
    """A call that makes a trainer, with the expression of the training arguments it is given."""

    frame: Frame
    call: ast.Call
    arguments: ast.expr


def trainers_given(evaluator: Evaluator, makers: Collection[ast.Call]) -> Iterator[TrainerCall]:
    """Yield the calls that make a trainer of the training arguments which one of some calls makes."""
    for facts in evaluator.project.all_python():
        for call in (one for name, calls in facts.calls.items() if name.endswith("Trainer") for one in calls):
            named = [one.value for one in call.node.keywords if one.arg == "args"] or call.node.args[1:2]
            frame = Frame(facts, call.place)
            if any(
                isinstance(one.thing, Made | Instance) and any(one.thing.call is maker for maker in makers)
                for one in (evaluator.evaluate(named[0], frame) if named else ())
            ):
                yield TrainerCall(frame, call.node, named[0])


def as_trainers_get_it(
    evaluator: Evaluator, name: str, made: Possibilities, makers: Collection[ast.Call], span: Span
) -> Possibilities:
    """Return what one of the training arguments is where trainers get them.

    It is what they were ``made`` with unless the project sets an attribute of its name.
    """
    if name not in evaluator.attributes_set:
        return made
    found = [
        one
        for trainer in trainers_given(evaluator, makers)
        for one in evaluator.evaluate(_attribute(trainer.arguments, name), trainer.frame)
    ]
    if found and not any(isinstance(one.thing, Unseen) for one in found):
        return distinct(found)
    # Not every way was seen: one of them may leave it alone.
    return distinct([*found, *made, *unseen(span)])


def _attribute(owner: ast.expr, name: str) -> ast.expr:
    return ast.copy_location(ast.Attribute(owner, name, ast.Load()), owner)
