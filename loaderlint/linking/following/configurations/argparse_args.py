"""``DataModule.from_argparse_args(args)``: Lightning 1 makes an object of what a parsed command line holds.

``pytorch_lightning/utilities/argparse.py``, ``from_argparse_args``, 1.9: the parameters of the constructor for which
the namespace has an attribute take that, the keyword arguments of the call go before it, others keep their defaults.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import names_read, parameters
from loaderlint.linking.following.commandlines import parsed
from loaderlint.linking.things import classes, dictionaries
from loaderlint.linking.things.kinds import (
    ABSENT,
    Class,
    CommandLine,
    Frame,
    Instance,
    Items,
    Possibilities,
    Possibility,
)
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.made_calls import SettingsCaller
from loaderlint.linking.things.possibilities import distinct, laid_over, under, unseen
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.readers.python import parameters as parameters_of
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.vocabulary.callables import DATA_MODULES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

METHOD = "from_argparse_args"


def object_made(evaluator: Evaluator, owner: Possibility, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return the object that ``owner.from_argparse_args(...)`` makes; None where Lightning gives it no such method."""
    of = _class(owner)
    if of is None or not _is_lightnings(evaluator, of):
        return None
    if classes.constructor(evaluator, of) is None:
        return unseen(frame.facts.span(node))

    def made() -> Instance:
        where = Frame(of.facts, of.place)
        return Instance(of, classes.plain_call(of), where, given=_given(evaluator, of, node, frame).entries)

    instance = evaluator.remembered((METHOD, node, of.node), frame, made)
    return (Possibility(instance, frame.facts.span(node)),)


def makers(
    evaluator: Evaluator, owner: Class, sites: Iterable[tuple[PythonFacts, CallSite]]
) -> Iterator[SettingsCaller]:
    """Yield the calls among some of ``from_argparse_args`` that make an object of just this class."""
    for facts, site in sites:
        function, frame = site.node.func, Frame(facts, site.place)
        if not isinstance(function, ast.Attribute):
            continue
        for one in evaluator.evaluate(function.value, frame):
            of = _class(one)
            if of is not None and of.node is owner.node and _is_lightnings(evaluator, of):
                given = _given(evaluator, of, site.node, frame)
                yield SettingsCaller(
                    _where_called(evaluator, given, site.node, frame), facts.span(site.node), one.assumptions
                )


def _class(owner: Possibility) -> Class | None:
    """Return the class whose class methods a thing has."""
    thing = owner.thing.of if isinstance(owner.thing, Instance) else owner.thing
    return thing if isinstance(thing, Class) else None


def _is_lightnings(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether the method of a class is the one that Lightning's data modules have."""
    above = classes.lineage(evaluator, owner)
    return not any(METHOD in one.scope.bindings or classes.is_made_over(evaluator, one, METHOD) for one in above) and (
        any(name in DATA_MODULES for one in above for name in classes.foreign_bases(evaluator, one))
    )


def _given(evaluator: Evaluator, owner: Class, call: ast.Call, frame: Frame) -> Items:
    """Return what the constructor of a class is given, by parameter; `Absent` where it takes its default."""
    span = frame.facts.span(call)
    namespace = arguments_of(call, ("args",)).get("args")
    keywords = [one for one in call.keywords if one.arg != "args"]
    besides = dictionaries.items_of_call(evaluator, ast.Call(call.func, [], keywords), frame)
    constructor = classes.constructor(evaluator, owner)
    if namespace is None or constructor is None:
        return Items({}, complete=False)
    taken = constructor.node.args
    named = [one.arg for one in parameters_of(constructor.node) if one not in (taken.vararg, taken.kwarg)][1:]

    def arriving(name: str) -> Possibilities:
        found = laid_over(besides.entries.get(name), lambda: of_namespace(name) if name in named else ())
        return found if besides.complete else (*found, *unseen(span))

    def of_namespace(name: str) -> Possibilities:
        every = evaluator.evaluate(namespace, frame)
        held = names_read.handed(evaluator, every, namespace, call, frame)
        return distinct(way for one in held for way in under(held_by(one, name), one.assumptions))

    def held_by(one: Possibility, name: str) -> Possibilities:
        absent = (Possibility(ABSENT, span),)
        if isinstance(one.thing, CommandLine):
            return parsed.attribute(evaluator, one.thing, name, span, missing=absent)
        if isinstance(one.thing, Items):
            return one.thing.entries.get(name) or (absent if one.thing.complete else unseen(span))
        return unseen(span)

    return Items(Lazily.followed(evaluator, [*named, *besides.entries], arriving), besides.complete)


def _where_called(evaluator: Evaluator, given: Items, call: ast.Call, frame: Frame) -> Items:
    """Return what a call gives under the conditions under which it is made."""
    if not (frame.place.arms or frame.scope.checks):
        return given

    def arriving(name: str) -> Possibilities:
        ways = parameters.conditions_of_call(evaluator, frame, call)
        return distinct(one for way in ways for one in under(given.entries[name], way))

    return replace(given, entries=Lazily.followed(evaluator, given.entries, arriving))
