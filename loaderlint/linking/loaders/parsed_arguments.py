"""Training arguments that transformers makes of what a user gives, with no call of their class in the project.

``HfArgumentParser`` makes one object of each class it is given (``transformers/hf_argparser.py``): a class with
fields of its own gives their defaults where the user gives nothing, the library's class gives its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.linking.following.commandlines import objects
from loaderlint.linking.following.fields import is_field
from loaderlint.linking.following.parameters import is_dataclass
from loaderlint.linking.loaders import loader_classes
from loaderlint.linking.loaders.trainer_calls import as_trainers_get_it
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import ABSENT, GIVEN, Class, External, Frame, Instance, Possibilities, Possibility
from loaderlint.linking.things.loops import items_of
from loaderlint.linking.things.possibilities import choice, distinct, under, unseen
from loaderlint.vocabulary.callables import NOT_AS_TORCH, SETTINGS_OF_TRAINERS
from loaderlint.vocabulary.commandlines import GIVE_OBJECTS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Parsed(Struct, frozen=True, eq=False):
    """Training arguments of one class that a call gives: the objects, none where the class is the library's own."""

    frame: Frame
    call: ast.Call
    library: str
    owner: Class | None = None
    made: Possibilities = ()

    @property
    def makers(self) -> tuple[ast.Call, ...]:
        """The calls that the objects are told apart by."""
        return tuple(one.thing.call for one in self.made if isinstance(one.thing, Instance) and one.thing.call)


def parsed_arguments(evaluator: Evaluator) -> Iterator[Parsed]:
    """Yield the training arguments that calls make of what a user gives."""
    for facts in evaluator.project.all_python():
        for name in GIVE_OBJECTS:
            for site in facts.calls.get(name, ()):
                yield from _given_by(evaluator, site.node, Frame(facts, site.place))


def _given_by(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Iterator[Parsed]:
    asked = objects.kinds_asked(evaluator, call, frame)
    if not asked:
        return
    rows = [items_of(one) or () for one in evaluator.evaluate(call, frame)]
    for place, kinds in enumerate(asked):
        for one in kinds:
            if isinstance(one.thing, External) and one.thing.name in SETTINGS_OF_TRAINERS:
                yield Parsed(frame, call, one.thing.name)
            library = loader_classes.library_base(evaluator, one.thing) if isinstance(one.thing, Class) else None
            if isinstance(one.thing, Class) and library in SETTINGS_OF_TRAINERS:
                made = tuple(each for row in rows if place < len(row) for each in row[place])
                yield Parsed(frame, call, library, one.thing, made)


def value_given(evaluator: Evaluator, parsed: Parsed, name: str) -> Possibilities:
    """Return what one of the arguments can be: what the user gives, its field's default, what is set afterwards."""
    span = parsed.frame.facts.span(parsed.call)
    if parsed.owner is not None and declares(evaluator, parsed.owner, name):
        found: list[Possibility] = []
        for one in parsed.made:
            held = evaluator.attribute_of(one.thing, name) if isinstance(one.thing, Instance) else ()
            found.extend(under(held or unseen(span), one.assumptions))
        made = distinct(found) or unseen(span)
        return as_trainers_get_it(evaluator, name, made, parsed.makers, span)
    if name in evaluator.attributes_set or name in NOT_AS_TORCH:
        # It may be set on these arguments, or on others; or the library's default is none of torch's.
        return unseen(span)
    key = f"{span}:{name}"
    left = Possibility(ABSENT, span, assumptions=choice(key, "default"))
    return (left, Possibility(GIVEN, span, assumptions=choice(key, "given")))


def declares(evaluator: Evaluator, owner: Class, name: str) -> bool:
    """Return whether a class of training arguments, or one it inherits from, has a field of its own of this name."""
    return any(is_dataclass(one) and is_field(one, name) for one in classes.lineage(evaluator, owner))
