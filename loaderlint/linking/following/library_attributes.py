"""Attributes that a class of a library gives its objects: what its constructor is given under the same names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following import loader_attributes, parameters
from loaderlint.linking.things import classes, dictionaries
from loaderlint.linking.things.kinds import (
    ABSENT,
    UNSEEN,
    Class,
    Frame,
    Instance,
    Made,
    Possibilities,
    Possibility,
    end_of,
)
from loaderlint.linking.things.made_calls import AnyCaller, Caller, SettingsCaller
from loaderlint.linking.things.possibilities import one_of, settled, under, unseen
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.vocabulary.keys import LOADER_WORDS, WORKER_WORDS
from loaderlint.vocabulary.library_classes import KEEPING_CLASSES, KEPT_NAMES, NAMESPACES, KeepingClass

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def read(evaluator: Evaluator, made: Made, name: str, span: Span) -> Possibilities | None:
    """Return what an object that a library's class makes keeps under a name, None where it keeps nothing under it."""
    keeping = KEEPING_CLASSES.get(made.callee)
    if keeping is None or name not in keeping.names:
        return None
    if loader_attributes.is_set_on(evaluator, made, name):
        return unseen(span)
    return settled(given(evaluator, Caller(made.frame, made.call), keeping, name), lambda: unseen(span))


HELD = "what a library's class was given as "
"""What the callee of a call begins with that stands for such an object: what it is is followed only where asked."""


MOST_STEPS_OF_HELD = 150
"""Expressions followed for what such an object is: what hundreds of tests hand over is not worth their time."""


def held(instance: Instance, name: str, span: Span) -> Possibilities:
    """Return the object with settings that an object keeps under a name."""
    call = ast.copy_location(ast.Call(ast.Name(f"{HELD}{name}"), [], []), instance.of.node)
    frame = Frame(instance.of.facts, end_of(instance.of.scope), receiver=instance)
    return (Possibility(Made(f"{HELD}{name}", call, frame), span),)


_STEPS_OF_BASES = 60
"""Expressions followed for what a class inherits from, which is asked once."""


def may_ask(name: str) -> bool:
    """Return whether an attribute of such an object may be a setting of loaders: much else is asked of it, too."""
    return name in KEPT_NAMES or any(word in name.lower() for word in (*LOADER_WORDS, *WORKER_WORDS))


def keeping(evaluator: Evaluator, owner: Class, name: str) -> KeepingClass | None:
    """Return the class of a library that a class inherits from and that keeps something under a name."""
    if evaluator.once(("is a namespace", owner.node), False, lambda: _is_namespace(evaluator, owner), _STEPS_OF_BASES):
        return KeepingClass(frozenset({name}))
    if name not in KEPT_NAMES:
        return None
    above = (base for one in classes.lineage(evaluator, owner) for base in classes.foreign_bases(evaluator, one))
    found = (KEEPING_CLASSES.get(base) for base in above)
    return next((one for one in found if one is not None and name in one.names), None)


def _is_namespace(evaluator: Evaluator, owner: Class) -> bool:
    return any(base in NAMESPACES for one in classes.lineage(evaluator, owner) for base in _named_so(evaluator, one))


def _named_so(evaluator: Evaluator, owner: Class) -> Iterator[str]:
    """Yield the bases of a class from outside the project, where one of them is called as a namespace is."""
    if any(last_name(one).endswith("Namespace") for one in owner.node.bases):
        yield from classes.foreign_bases(evaluator, owner)


def takes_more_before(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether a call that makes an object gives first what a library's class declares, then its own fields."""
    above = (base for one in classes.lineage(evaluator, owner) for base in classes.foreign_bases(evaluator, one))
    return any(base in KEEPING_CLASSES and not KEEPING_CLASSES[base].holders for base in above)


def of_makers(evaluator: Evaluator, instance: Instance, kept: KeepingClass, name: str, span: Span) -> Possibilities:
    """Return what an object keeps of what makes it, where the project gives its class no constructor."""
    makers: list[AnyCaller]
    others = False
    if instance.call is not None and instance.frame is not None:
        makers = [Caller(instance.frame, instance.call)]
    else:
        made = evaluator.callers.makers(instance.of)
        makers = [one for one in made.by if not parameters.is_left_out(one, instance)]
        others = made.elsewhere or made.for_users or evaluator.outside.fills(instance.of)
    ways = [one.given(name) if isinstance(one, SettingsCaller) else given(evaluator, one, kept, name) for one in makers]
    if others:
        ways.append(unseen(span))
    return settled(one_of(classes.subject(instance.of), enumerate(ways)), lambda: unseen(span))


def given(evaluator: Evaluator, caller: Caller, kept: KeepingClass, name: str) -> Possibilities:
    """Return what a call gives a parameter of a library's constructor; an `Absent` among it stands for nothing."""
    call, frame = caller.call, caller.frame
    span = frame.facts.span(call)
    positional = kept.positional.index(name) if name in kept.positional else len(call.args)
    starred = any(isinstance(one, ast.Starred) for one in call.args[: positional + 1])
    if positional < len(call.args) and not starred:
        return under(evaluator.evaluate(call.args[positional], frame), caller.assumptions)
    named = dictionaries.items_of_call(evaluator, ast.Call(call.func, [], call.keywords), frame)
    missing = Possibility(ABSENT if named.complete and not starred else UNSEEN, span)
    return under(named.entries.get(name) or (missing,), caller.assumptions)
