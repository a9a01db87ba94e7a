"""What ``hydra.utils.instantiate`` makes: the mapping it is given names what is called and holds the arguments.

``instantiate(config, *args, **kwargs)`` merges its keywords over the mapping and calls ``_target_`` with what is there,
after every mapping inside. Its positional arguments take the place of those that the mapping has as ``_args_``
(``hydra/_internal/instantiate/_instantiate2.py``, 1.3).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import functions
from loaderlint.linking.following.configurations import configured_calls, hydra, structured
from loaderlint.linking.following.configurations.composition import Part
from loaderlint.linking.following.configurations.located import located
from loaderlint.linking.things import classes, dictionaries, settings, trees
from loaderlint.linking.things.kinds import (
    UNSEEN,
    Class,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Settings,
    end_of,
)
from loaderlint.linking.things.made_calls import SettingsCaller, is_plain, names_definition
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.tree import Mapping
from loaderlint.vocabulary.configurations import HYDRA_INSTANTIATORS
from loaderlint.vocabulary.keys import WORKER_KEYS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


STEPS_OF_ALL_CALLS = 20_000
"""Expressions followed for all calls of ``instantiate`` in a project, the questions inside included.

What the calls after those are given is made all the same where a configuration is composed that says so.
"""
_TARGET = frozenset({"_target_"})
_POSITIONAL = "_args_"
_OWN_KEYS = frozenset({*_TARGET, _POSITIONAL, "_recursive_", "_convert_", "_partial_"})


def configured(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Possibilities:
    """Return the mapping that a call of ``instantiate`` makes something of, its own arguments merged over it."""
    span = frame.facts.span(call)
    node = arguments_of(call, ("config",)).get("config")
    if node is None or isinstance(node, ast.Starred):
        return unseen(span)
    merges = len(call.args) > 1 or any(one.arg != "config" for one in call.keywords)
    above: Items | None = None
    found: list[Possibility] = []
    for one in evaluator.evaluate(node, frame):
        tree = one if isinstance(one.thing, Settings) else structured.tree(evaluator, one)
        seen = settings.seen_as_settings(tree) if isinstance(tree.thing, Items) else tree
        if isinstance(seen.thing, Settings):
            here = seen.thing.here
            if merges:
                # Most mappings are not seen: what would be merged over those is not followed.
                above = _given(evaluator, call, frame) if above is None else above
                here = settings.merged(here, above)
            found.append(replace(seen, thing=settings.replaced(seen.thing, here)))
        else:
            found.extend(unseen(span, one.assumptions))
    return tuple(found)


def _given(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Items:
    """Return the arguments of a call of ``instantiate`` that are merged over the mapping it is given."""
    keywords = [one for one in call.keywords if one.arg != "config"]
    given = dictionaries.items_of_call(evaluator, ast.Call(call.func, [], keywords), frame)
    entries = {key: settings.trees(values) for key, values in given.entries.items()}
    positional = call.args[1:]
    if positional:
        unpacked = any(isinstance(one, ast.Starred) for one in positional)
        row = UNSEEN if unpacked else Row(tuple(settings.trees(evaluator.evaluate(one, frame)) for one in positional))
        entries[_POSITIONAL] = (Possibility(row, frame.facts.span(call)),)
    return Items(entries, given.complete)


def made(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Possibilities:
    """Return what a call of ``instantiate`` gives back."""
    span = frame.facts.span(call)
    found: list[Possibility] = []
    for one in configured(evaluator, call, frame):
        targets = (settings.child(one.thing, "_target_") or ()) if isinstance(one.thing, Settings) else ()
        for target in targets or unseen(span):
            values = _made(evaluator, target, call, frame) if isinstance(target.thing, str) else unseen(span)
            found.extend(under(values, one.assumptions))
    return tuple(found) or unseen(span)


def _made(evaluator: Evaluator, target: Possibility, call: ast.Call, frame: Frame) -> Possibilities:
    span = frame.facts.span(call)
    found: list[Possibility] = []
    for one in located(evaluator, (target,)):
        if isinstance(one.thing, Class):
            found.append(Possibility(Instance(one.thing), span))
        elif isinstance(one.thing, Function):
            where = Frame(one.thing.facts, end_of(one.thing.scope), depth=frame.depth + 1)
            found.extend(functions.returned_by(evaluator, one.thing, where))
        elif isinstance(one.thing, External):
            found.append(Possibility(Made(one.thing.name, call, frame), span))
    return tuple(found) or unseen(span)


class Instantiations:
    """Everything in a project that Hydra makes, by configurations composed and followed to ``instantiate``."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.files: set[str] = set()
        """The configuration files that are part of a composition; alone they say nothing."""
        self.at_calls: set[Span] = set()
        """The mappings that make a loader at a call of ``instantiate``, which is where the loader is said to be."""

    @cached_property
    def stored(self) -> dict[str, Part]:
        """The configurations that the project keeps in Hydra's ``ConfigStore``, by path."""
        return structured.stored(self._evaluator)

    @cached_property
    def callers(self) -> tuple[tuple[str, SettingsCaller], ...]:
        """What is called by its dotted name, with the arguments it is given."""
        found: list[tuple[str, SettingsCaller]] = []
        followed: set[Span] = set()
        for possibilities in self._asked_for():
            found.extend(_callers(self._evaluator, possibilities, followed))
        # What no call was seen to ask for is made all the same: the configuration says what it is for.
        known = frozenset(followed)
        for possibilities in self._composed():
            found.extend(_callers(self._evaluator, possibilities, set(), known))
        # Whatever was worked out on the way did not know of these callers.
        self._evaluator.forget()
        return tuple(found)

    def settles(self, mapping: Mapping, consumer: str | None) -> bool:
        """Return whether the compositions say all there is to a mapping of a file.

        They do where it names what it is for, and where its worker count is left in none of them.
        """
        if mapping.span.path not in self.files:
            return False
        workers = (entry for entry in mapping.entries if entry.key in WORKER_KEYS)
        return consumer is not None or not any(entry.value.span in self._left for entry in workers)

    @cached_property
    def _left(self) -> frozenset[Span]:
        """The places of the worker counts that are there in some composition."""
        return frozenset(
            value.span
            for possibilities in self._composed()
            for root in possibilities
            for one in settings.mappings(root, WORKER_KEYS)
            if isinstance(one.thing, Settings)
            for key in WORKER_KEYS & one.thing.here.entries.keys()
            for value in one.thing.here.entries[key]
            if value.constant and value.thing != trees.MISSING
        )

    def _asked_for(self) -> Iterator[Possibilities]:
        """Yield what the calls of ``instantiate`` are given, of so many calls as the steps for all of them reach."""
        last = self._evaluator.steps_taken + STEPS_OF_ALL_CALLS
        for name in ("instantiate", "call"):
            for facts, site in self._evaluator.callers.sites(name):
                if self._evaluator.steps_taken > last:
                    return
                frame = Frame(facts, site.place)
                if "hydra" in facts.source.text and is_instantiate(self._evaluator, site.node, frame):
                    yield configured(self._evaluator, site.node, frame)

    def _composed(self) -> Iterator[Possibilities]:
        for facts in self._evaluator.project.all_python():
            if "hydra" not in facts.source.text:
                continue
            for scope in facts.scopes.values():
                first = next(parameters(scope.node), None) if isinstance(scope.node, FunctionNode) else None
                if isinstance(scope.node, FunctionNode) and scope.node.decorator_list and first is not None:
                    frame = Frame(facts, end_of(scope))
                    yield hydra.configuration(self._evaluator, scope.node, first, frame) or ()
            for site in facts.calls.get("compose", ()):
                yield self._evaluator.evaluate(site.node, Frame(facts, site.place))


def is_instantiate(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    """Return whether a call is one of Hydra's ``instantiate``."""
    if not names_definition(call.func, frame):
        return False
    names = (one.thing.name for one in evaluator.evaluate(call.func, frame) if isinstance(one.thing, External))
    return any(name in HYDRA_INSTANTIATORS for name in names)


def _callers(
    evaluator: Evaluator, possibilities: Possibilities, followed: set[Span], known: frozenset[Span] = frozenset()
) -> Iterator[tuple[str, SettingsCaller]]:
    """Yield what each mapping says to call; ``followed`` takes the places that say so, ``known`` ones are left out."""
    for root in possibilities:
        for one in settings.mappings(root, _TARGET):
            assert isinstance(one.thing, Settings)
            targets = settings.child(one.thing, "_target_") or ()
            places = {target.span for target in targets}
            followed |= places
            if places and not places <= known:
                for name, caller in configured_calls.called(one):
                    yield name, _arguments(evaluator, name, caller)


def _arguments(evaluator: Evaluator, name: str, caller: SettingsCaller) -> SettingsCaller:
    """Return a call with all that it gives by the names of parameters, and nothing that is for Hydra itself."""
    entries = caller.arguments.entries
    by_position = _by_position(evaluator, name, caller) if _POSITIONAL in entries else {}
    partial = any(one.thing is not False for one in entries.get("_partial_", ())) or by_position is None
    own = Items(
        {**{key: values for key, values in entries.items() if key not in _OWN_KEYS}, **(by_position or {})},
        caller.arguments.complete and not partial,
    )
    return replace(caller, arguments=own)


def _by_position(evaluator: Evaluator, name: str, caller: SettingsCaller) -> dict[str, Possibilities] | None:
    """Return what a call gives by position, by the names of the parameters; None where that was not seen."""
    rows = [one.thing for one in caller.arguments.entries[_POSITIONAL]]
    things = [one.thing for one in located(evaluator, (Possibility(name, caller.span),))]
    if len(rows) != 1 or not isinstance(rows[0], Row) or len(things) != 1:
        return None
    function = classes.constructor(evaluator, things[0]) if isinstance(things[0], Class) else things[0]
    if not isinstance(function, Function) or not is_plain(function.node):
        return None
    declared = [*function.node.args.posonlyargs, *function.node.args.args]
    taken = declared[1:] if isinstance(things[0], Class) else declared
    return {one.arg: values for one, values in zip(taken, rows[0].items, strict=False)}
