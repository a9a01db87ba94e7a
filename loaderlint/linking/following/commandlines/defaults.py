"""Defaults inside the declaration of a parameter or field: ``typer.Option(4)``, ``dataclasses.field(default=4)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following.configurations.handing import call_of_partial
from loaderlint.linking.things.kinds import Frame, Made, Possibilities, Possibility
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.readers.python_calls import keywords as keywords_of
from loaderlint.vocabulary.sending import PARTIAL

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

SIMPLE_PARSING = ("simple_parsing", "simple_parsing.helpers", "simple_parsing.helpers.fields")
"""Where simple_parsing has its functions that declare fields (``simple_parsing/helpers/fields.py``, 0.1)."""
_WRAPPERS = {
    "typer.Option": 0,
    "typer.Argument": 0,
    "dataclasses.field": None,
    "pydantic.Field": 0,
    "attr.ib": 0,
    "attrs.field": None,
    "attr.field": None,
    **{f"{home}.field": 0 for home in SIMPLE_PARSING},
    **{f"{home}.flag": 0 for home in SIMPLE_PARSING},
    **{f"{home}.choice": None for home in SIMPLE_PARSING},
    "transformers.hf_argparser.HfArg": None,
    "attr.Factory": None,
    "attrs.Factory": None,
}
"""Calls that stand for a default: the position of the default among their arguments (None: keyword only)."""


_MAKES_ITS_DEFAULT = frozenset(f"{home}.mutable_field" for home in SIMPLE_PARSING)
"""Calls that make the default themselves: ``mutable_field(Config, size=3)`` is a field of ``Config(size=3)``."""
_OF_FIELDS = ("init", "repr", "hash", "compare", "metadata")
"""What ``mutable_field`` takes for the field itself, by place as well."""


def _made_by(evaluator: Evaluator, factory: ast.expr, frame: Frame) -> Possibilities:
    """Return the object that a field's factory makes when it is called without arguments."""
    found: list[Possibility] = []
    for one in evaluator.evaluate(factory, frame):
        if isinstance(one.thing, Made) and one.thing.callee == PARTIAL and one.thing.call.args:
            found.extend(under(of_partial(evaluator, one.thing), one.assumptions))
    if found:
        return tuple(found)
    call = ast.copy_location(ast.Call(factory, [], []), factory)
    return evaluator.evaluate(call, frame)


def of_partial(evaluator: Evaluator, partial: Made) -> Possibilities:
    """Return what a ``functools.partial`` gives when it is called without more."""
    call = evaluator.remembered(("partial called", partial.call), None, lambda: call_of_partial(partial.call))
    return evaluator.evaluate(call, partial.frame)


def unwrapped(evaluator: Evaluator, possibilities: Possibilities) -> Possibilities:
    """Return the possibilities with the default in place of its declaration, such as ``typer.Option(4)``."""
    found: list[Possibility] = []
    for one in possibilities:
        thing = one.thing
        if isinstance(thing, Made) and thing.callee in _MAKES_ITS_DEFAULT:
            found.extend(under(_made_for_field(evaluator, thing), one.assumptions) or unseen(one.span))
            continue
        if not isinstance(thing, Made) or thing.callee not in _WRAPPERS or _names_its_default(evaluator, thing):
            found.append(one)
            continue
        position = _WRAPPERS[thing.callee]
        given = keywords_of(thing.call)
        default = given.get("default")
        if default is None and position is not None and len(thing.call.args) > position:
            default = thing.call.args[position]
        factory = given.get("default_factory", given.get("factory"))
        if factory is None and thing.callee.endswith(".Factory") and thing.call.args:
            factory = thing.call.args[0]
        if default is None and factory is not None:
            found.extend(under(_made_by(evaluator, factory, thing.frame), one.assumptions))
        elif default is None:
            found.extend(unseen(one.span, one.assumptions))
        else:
            found.extend(under(evaluator.evaluate(default, thing.frame), one.assumptions))
    return tuple(found)


def _made_for_field(evaluator: Evaluator, field: Made) -> Possibilities:
    """Return the object that ``mutable_field(make, …)`` has a field start from."""
    call = field.call
    if not call.args or any(one.arg is None for one in call.keywords) or len(call.args) > 1:
        return ()
    given = [one for one in call.keywords if one.arg not in _OF_FIELDS]

    def made() -> ast.Call:
        return ast.copy_location(ast.Call(call.args[0], [], given), call)

    return evaluator.evaluate(evaluator.remembered(("made for field", call), None, made), field.frame)


def _names_its_default(evaluator: Evaluator, field: Made) -> bool:
    """Return whether the default of a field is the name of one of its choices: ``choice({"a": 1}, default="a")``."""
    if not field.callee.endswith(".choice") or not field.call.args:
        return False
    return not all(one.constant for one in evaluator.evaluate(field.call.args[0], field.frame))
