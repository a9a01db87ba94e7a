"""Calls that configurations ask for: the names they hold, and the arguments that stand beside those."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.configurations import reworked, users_files
from loaderlint.linking.things import settings
from loaderlint.linking.things.kinds import Items, Possibility, Settings
from loaderlint.linking.things.made_calls import SettingsCaller
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.model.assumptions import together
from loaderlint.vocabulary.keys import CONSUMERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DEFAULTS = "defaults"


def instantiations(evaluator: Evaluator) -> Iterator[tuple[str, SettingsCaller]]:
    """Yield every dotted name that a configuration mapping says to call, with the arguments it gives."""
    yield from evaluator.instantiations.callers
    for facts in evaluator.project.configuration_files_with(tuple(CONSUMERS)):
        if facts.source.path in evaluator.instantiations.files:
            continue
        for document in facts.documents:
            root = settings.seen_as_settings(settings.tree_of(document.root)) if document.root is not None else None
            for one in settings.mappings(root, CONSUMERS.keys()) if root is not None else ():
                yield from ((name, _as_called(evaluator, caller)) for name, caller in called(one))


def _as_called(evaluator: Evaluator, caller: SettingsCaller) -> SettingsCaller:
    """Return a call that a configuration asks for as the project's own code may make it."""
    open_ones = reworked.keys(evaluator) & caller.arguments.entries.keys()
    entries = {key: (*caller.arguments.entries[key], *unseen(caller.span)) for key in open_ones}
    if not entries:
        return caller
    return replace(caller, arguments=replace(caller.arguments, entries={**caller.arguments.entries, **entries}))


def of_users(evaluator: Evaluator) -> Iterator[tuple[str, SettingsCaller]]:
    """Yield every dotted name that users' own files may say to call, with arguments that nobody has seen."""
    theirs = users_files.paths(evaluator)
    named: dict[str, SettingsCaller] = {}
    for name, caller in instantiations(evaluator) if theirs else ():
        if caller.span.path in theirs:
            named.setdefault(name, caller)
    for name, caller in named.items():
        yield name, SettingsCaller(Items({}, complete=False), caller.span)


def called(one: Possibility) -> Iterator[tuple[str, SettingsCaller]]:
    """Yield what a mapping of a configuration says to call."""
    if not isinstance(one.thing, Settings):
        return
    for key, arguments in CONSUMERS.items():
        for name in under(settings.child(one.thing, key) or (), one.assumptions):
            if not isinstance(name.thing, str):
                continue
            if not arguments:
                given = settings.children(one.thing)
                entries = {other: values for other, values in given.items() if other not in (key, _DEFAULTS)}
                # What the files of a defaults list say comes beside what stands here (Hydra, "The Defaults List").
                complete = one.thing.here.complete and _DEFAULTS not in given
                yield name.thing, SettingsCaller(Items(entries, complete), one.span, name.assumptions)
                continue
            inner = settings.child(one.thing, arguments)
            if inner is None and (key == "class_path" or "." in name.thing):
                # Called with nothing: ``target`` is a common word, a class is called by its dotted name.
                yield name.thing, SettingsCaller(Items({}, one.thing.here.complete), one.span, name.assumptions)
            for held in inner or ():
                joint = together(name.assumptions, held.assumptions)
                if isinstance(held.thing, Settings) and joint is not None:
                    items = Items(settings.children(held.thing), held.thing.here.complete)
                    yield name.thing, SettingsCaller(items, held.span, joint)
