"""Objects that a user chooses one of to start from, each by a command: ``{"small": Config(n=1), "big": Config(n=8)}``.

``tyro/extras/_base_configs.py`` (1.0): ``subcommand_type_from_defaults`` makes a union of them, for ``tyro.cli``;
``overridable_config_cli`` is given each with a description before it, and returns the one that the user chooses.
``simple_parsing/helpers/subgroups.py`` (0.1): a field that ``subgroups`` declares holds what the one makes that the
user names, a class or a ``partial`` of it, or an object.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.following.commandlines.defaults import SIMPLE_PARSING, of_partial
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Instance, Items, Made, Possibilities, Possibility, Row
from loaderlint.linking.things.possibilities import under
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.commandlines import CHOOSES_A_DEFAULT
from loaderlint.vocabulary.sending import PARTIAL

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def commands_of(evaluator: Evaluator, one: Possibility) -> Mapping[str, Possibilities]:
    """Return the objects that a union was made of, by their commands; none where not all of them were seen."""
    union = one.thing
    if not isinstance(union, Made) or union.callee not in CHOOSES_A_DEFAULT:
        return {}
    given = arguments(union.call, ("defaults",)).get("defaults")
    return under_each(_of_table(evaluator, given, union.frame), one)


def under_each(objects: Mapping[str, Possibilities], one: Possibility) -> Mapping[str, Possibilities]:
    """Return what can be chosen, each under what is assumed of the table."""
    return {name: under(ways, one.assumptions) for name, ways in objects.items()}


def described(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Mapping[str, Possibilities]:
    """Return the objects among which ``overridable_config_cli`` has the user choose; none where not all were seen."""
    return _of_table(evaluator, arguments(call, ("configs",)).get("configs"), frame, described=True)


def of_field(evaluator: Evaluator, one: Possibility) -> Mapping[str, Possibilities]:
    """Return the objects that a field declared by ``subgroups`` can hold; none where not all of them were seen."""
    field = one.thing
    if not isinstance(field, Made) or field.callee not in _SUBGROUPS:
        return {}
    given = arguments(field.call, ("subgroups",)).get("subgroups")
    return under_each(_of_table(evaluator, given, field.frame), one)


_SUBGROUPS = frozenset(f"{home}.subgroups" for home in (*SIMPLE_PARSING, "simple_parsing.helpers.subgroups"))


def _of_table(
    evaluator: Evaluator, given: ast.expr | None, frame: Frame, *, described: bool = False
) -> Mapping[str, Possibilities]:
    tables = evaluator.evaluate(given, frame) if given is not None else ()
    if len(tables) != 1 or not isinstance(tables[0].thing, Items) or not tables[0].thing.complete:
        return {}
    found: dict[str, Possibilities] = {}
    for name, ways in tables[0].thing.entries.items():
        if described:
            ways = _after_description(ways)
        made = tuple(each for way in ways for each in _object(evaluator, way))
        if not made or not all(isinstance(way.thing, Instance) for way in made):
            return {}
        found[name] = under(made, tables[0].assumptions)
    return found


def _after_description(ways: Possibilities) -> Possibilities:
    pairs = [(way, way.thing.items) for way in ways if isinstance(way.thing, Row)]
    if len(pairs) < len(ways) or any(len(items) != 2 for _, items in pairs):
        return ()
    return tuple(one for way, (_, objects) in pairs for one in under(objects, way.assumptions))


def _object(evaluator: Evaluator, one: Possibility) -> Possibilities:
    """Return an object that can be chosen: itself, or what a class or a ``partial`` of it makes without more."""
    thing = one.thing
    if isinstance(thing, Class):
        frame = Frame(thing.facts, thing.place)
        return (Possibility(Instance(thing, classes.plain_call(thing), frame), one.span, assumptions=one.assumptions),)
    if isinstance(thing, Made) and thing.callee == PARTIAL and thing.call.args:
        return under(of_partial(evaluator, thing), one.assumptions)
    return (one,)
