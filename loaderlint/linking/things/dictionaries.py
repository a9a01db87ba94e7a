"""Dictionaries with string keys: literals, splats, updates, and settings read from a file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.things import settings
from loaderlint.linking.things.alternatives import gathered, gathered_loosely
from loaderlint.linking.things.kinds import (
    ABSENT,
    UNSEEN,
    CommandLine,
    Frame,
    Instance,
    Items,
    Possibilities,
    Possibility,
    Settings,
    Thing,
)
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.possibilities import (
    MOST_COMBINATIONS,
    MOST_POSSIBILITIES,
    MOST_THINGS,
    POSSIBILITIES_KEPT,
    distinct,
    in_few,
    in_part,
    irremovable,
    laid_over,
    under,
    unseen,
)
from loaderlint.linking.things.trees import child_of_tree
from loaderlint.model.assumptions import Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.vocabulary.callables import OPTIONS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def entries_of(thing: Thing) -> Mapping[str, Possibilities]:
    """Return the entries of a dictionary or configuration mapping, of an object's settings, or none."""
    if isinstance(thing, Items):
        return thing.entries
    if isinstance(thing, TreeMapping):
        return {key: child_of_tree(thing, key, entry.span, key, removable=True) for key, entry in thing.merged.items()}
    if isinstance(thing, Settings):
        return settings.children(thing)
    return {}


def keys_of(thing: Items | TreeMapping | Settings) -> Iterable[str]:
    """Return the keys of a dictionary or configuration mapping, in order."""
    if isinstance(thing, Settings):
        return thing.here.entries
    return thing.merged if isinstance(thing, TreeMapping) else thing.entries


def is_complete(thing: Thing) -> bool:
    """Return whether a dictionary has no keys but the ones seen."""
    if isinstance(thing, Settings):
        return thing.here.complete
    return isinstance(thing, TreeMapping) or (isinstance(thing, Items) and thing.complete)


def updated(below: Items, *above: Items) -> Items:
    """Return the dictionary after updates; a key that an update may lack keeps what it had for that case.

    An update that was not seen in full may hold any key. OmegaConf's merge is `settings.merged`, that of yacs and
    mmengine `merging.overwritten`.
    """
    entries = dict(below.entries)
    complete = below.complete
    for items in above:
        missing = ABSENT if complete else UNSEEN
        complete = complete and items.complete
        if not items.complete:
            entries = {key: (*values, *unseen(values[0].span)) for key, values in entries.items()}
        for key, values in items.entries.items():
            before = entries.get(key) or tuple(Possibility(missing, one.span) for one in values[:1])
            entries[key] = laid_over(values, partial(tuple, before))
    return replace(below, entries=entries, complete=complete)


def joined(possibilities: Iterable[Possibility]) -> Possibilities:
    """Return possibilities that are all dictionaries, all mappings of OmegaConf, or all one object, as one.

    Its values say which of them they come from. What is the same in all of them assumes nothing; a dictionary that
    lacks a key makes it absent there.
    """
    ways = tuple(possibilities)
    if len(ways) < 2:
        return distinct(ways)
    common = frozenset.intersection(*(one.assumptions for one in ways))
    if all(isinstance(one.thing, Items | TreeMapping) for one in ways):
        return (replace(ways[0], thing=_joined_items(ways, common), assumptions=common),)
    if all(isinstance(one.thing, Settings) for one in ways):
        # What an interpolation stands for in each of them is settled, so that the one they make is its own root.
        here = _joined_items(ways, common)
        return (replace(ways[0], thing=Settings(here), assumptions=common),)
    first = ways[0].thing
    if isinstance(first, CommandLine | Instance) and all(_is_one_object(first, one.thing) for one in ways):
        changed = _joined_entries(
            [(one, one.thing.changed) for one in ways if isinstance(one.thing, type(first))], common
        )
        return (replace(ways[0], thing=replace(first, changed=changed), assumptions=common),)
    return distinct(ways)


def limited(possibilities: Possibilities, span: Span) -> Possibilities:
    """Return possibilities in as few as can be read; what even then are too many are unseen.

    Of texts that are equal it no longer matters where each was written: they tell what is meant, and are no setting
    themselves. Of what comes about in many ways some are kept; where even the things are too many, dictionaries become
    one, and mappings of OmegaConf another one.
    """
    for fewer in (gathered, partial(gathered, words=True), gathered_loosely):
        if len(possibilities) > MOST_POSSIBILITIES:
            possibilities = in_few(possibilities, fewer)
    if len(possibilities) > MOST_POSSIBILITIES:
        possibilities = in_part(_equal_texts_as_one(possibilities, span), span, POSSIBILITIES_KEPT)
    if len(possibilities) > MOST_THINGS:
        plain = [one for one in possibilities if isinstance(one.thing, Items | TreeMapping)]
        of_omegaconf = [one for one in possibilities if isinstance(one.thing, Settings)]
        others = [one for one in possibilities if not isinstance(one.thing, Items | TreeMapping | Settings)]
        possibilities = (*others, *joined(plain), *joined(of_omegaconf))
    return possibilities if len(possibilities) <= MOST_THINGS else unseen(span)


def bounded(possibilities: Possibilities, span: Span) -> Possibilities:
    """Return what stands under a key, in few where it comes about in more ways than what uses it can be told under.

    Who reads it sees few of them in any case (`limited`); until then each dictionary made of others multiplies them.
    """
    return limited(possibilities, span) if len(possibilities) > MOST_COMBINATIONS else possibilities


def _equal_texts_as_one(possibilities: Iterable[Possibility], span: Span) -> Possibilities:
    found: list[Possibility] = []
    texts: dict[str, list[Possibility]] = {}
    for one in possibilities:
        if isinstance(one.thing, str):
            texts.setdefault(one.thing, []).append(one)
        else:
            found.append(one)
    for text, same in texts.items():
        places = frozenset[Span]().union(*(one.places for one in same))
        found.extend(
            Possibility(text, span, assumptions=assumptions, sources=places)
            for assumptions in gathered((one.assumptions for one in same), words=True)
        )
    return tuple(found)


def _is_one_object(one: CommandLine | Instance, other: Thing) -> bool:
    """Return whether two things are one command line, or one object, on which different attributes were set."""
    if isinstance(one, CommandLine):
        return isinstance(other, CommandLine) and one.declarations is other.declarations and one.words is other.words
    made = isinstance(other, Instance) and one.of.node is other.of.node and one.call is other.call
    return (
        made
        and isinstance(other, Instance)
        and one.frame is other.frame
        and one.given is other.given
        and one.copied == other.copied
    )


def _joined_items(ways: Possibilities, common: Assumptions) -> Items:
    every = (one.thing.here if isinstance(one.thing, Settings) else one.thing for one in ways)
    first = next((thing for thing in every if isinstance(thing, Items)), Items({}))
    entries = _joined_entries([(one, entries_of(one.thing)) for one in ways], common)
    return replace(first, entries=entries, complete=all(is_complete(one.thing) for one in ways))


def _joined_entries(
    by_way: list[tuple[Possibility, Mapping[str, Possibilities]]], common: Assumptions
) -> Mapping[str, Possibilities]:
    def joined_values(key: str) -> Possibilities:
        given = [own.get(key) or (_missing(one),) for one, own in by_way]
        if all(values is given[0] for values in given):
            return given[0]
        told = zip(by_way, given, strict=True)
        return joined(way for (one, _), values in told for way in under(values, one.assumptions - common))

    return Lazily.of(dict.fromkeys(key for _, own in by_way for key in own), joined_values)


def _missing(one: Possibility) -> Possibility:
    incomplete = isinstance(one.thing, Items | Settings) and not is_complete(one.thing)
    return Possibility(UNSEEN if incomplete else ABSENT, one.span)


def display(evaluator: Evaluator, node: ast.Dict, frame: Frame, span: Span) -> Possibility:
    """Return the dictionary that braces make."""
    items = Items({})
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            items = updated(items, *as_items(evaluator, evaluator.evaluate(value, frame)))
        elif (name := _key(evaluator, key, frame)) is not None:
            entry = frame.facts.between(key, value)
            note = f"{name!r}: {frame.facts.text(value)}"
            given = tuple(
                one.step(entry, note) if one.constant and one.entry != entry else one
                for one in entered(evaluator, value, frame, entry)
            )
            # Who reads a key by the name it is kept in was not asked.
            kept = _kept(evaluator, name, given) if isinstance(key, ast.Constant) else irremovable(given)
            items = updated(items, Items({name: kept}))
        else:
            items = Items(items.entries, complete=False)
    return Possibility(items, span)


def _key(evaluator: Evaluator, key: ast.expr, frame: Frame) -> str | None:
    """Return the key of an entry where it is one text in every run: written there, in a constant or by a function."""
    if isinstance(key, ast.Constant):
        return key.value if isinstance(key.value, str) else None
    found = evaluator.evaluate(key, frame) if isinstance(key, ast.Name | ast.Attribute | ast.Call) else ()
    one = found[0] if len(found) == 1 else None
    return one.thing if one is not None and isinstance(one.thing, str) and not one.assumptions else None


def items_of_call(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Items:
    """Return the dictionary that a call's arguments make: mappings first, then keywords and splats in order."""
    if not node.args and all(one.arg is not None for one in node.keywords):
        given_as = {one.arg: one for one in node.keywords if one.arg is not None}
        return Items(Lazily.followed(evaluator, given_as, lambda key: _entry(evaluator, given_as[key], frame)))
    items = Items({})
    for argument in node.args:
        items = updated(items, *as_items(evaluator, evaluator.evaluate(argument, frame)))
    # A keyword cannot be given twice, so no splat replaces one that is written out.
    for keyword in sorted(node.keywords, key=lambda one: one.arg is not None):
        if keyword.arg is None:
            items = updated(items, *as_items(evaluator, evaluator.evaluate(keyword.value, frame)))
        else:
            items = updated(items, Items({keyword.arg: _entry(evaluator, keyword, frame)}))
    return items


def _entry(evaluator: Evaluator, keyword: ast.keyword, frame: Frame) -> Possibilities:
    assert keyword.arg is not None
    return _kept(evaluator, keyword.arg, entered(evaluator, keyword.value, frame, frame.facts.span(keyword)))


def _kept(evaluator: Evaluator, key: str, values: Possibilities) -> Possibilities:
    """Return what stands under a key of a dictionary; where some program reads the key itself, it has to stay."""
    removable = [one for one in values if one.entry is not None]
    # To ask whether a key is read takes a look through all text, and most keys hold no option: a text or an object
    # under another name than an option's stays, unasked.
    may_be_option = key in OPTIONS or any(one.thing is None or isinstance(one.thing, int | float) for one in removable)
    if removable and (not may_be_option or evaluator.project.reads_key(key)):
        return irremovable(values)
    return values


def entered(evaluator: Evaluator, value: ast.expr, frame: Frame, entry: Span) -> Possibilities:
    """Return what an expression can be where it is one removable entry of a call or dictionary."""
    span = frame.facts.span(value)
    return tuple(replace(one, entry=entry) if one.span == span else one for one in evaluator.evaluate(value, frame))


_TOLD_APART_IN_A_STEP = 64
"""So many ways in which an entry comes about are told apart while one expression is followed."""


def as_items(evaluator: Evaluator, possibilities: Possibilities) -> list[Items]:
    """Return one dictionary that holds, for every key, what any of the possible dictionaries gives it.

    None is no dictionary: it raises wherever one is splatted, or others are updated with it.
    """
    possibilities = tuple(one for one in possibilities if one.thing is not None) or possibilities
    things = [_dictionary_of(evaluator, one) for one in possibilities]
    ways = [(one, thing, entries_of(thing)) for one, thing in zip(possibilities, things, strict=True)]

    def joint(key: str) -> Possibilities:
        found: list[Possibility] = []
        span = possibilities[0].span
        for one, thing, own in ways:
            missing: Thing = ABSENT if is_complete(thing) else UNSEEN
            given = own.get(key) or (Possibility(missing, one.span),)
            found.extend(under(given, one.assumptions))
        # Dozens of dictionaries, each in dozens of ways, take as long to tell apart as following many expressions.
        too_far = evaluator.step(span, len(found) // _TOLD_APART_IN_A_STEP)
        return too_far or _kept(evaluator, key, bounded(tuple(found), span))

    keys = dict.fromkeys(key for _, _, own in ways for key in own)
    return [Items(Lazily.followed(evaluator, keys, joint), all(is_complete(thing) for thing in things))]


def missing(evaluator: Evaluator, possibilities: Possibilities) -> Possibilities:
    """Return what is under a key that none of the possible dictionaries was seen to have: nothing in those seen whole.

    None is no dictionary, as in `as_items`.
    """
    things = ((one, _dictionary_of(evaluator, one)) for one in possibilities if one.thing is not None)
    return distinct(
        Possibility(ABSENT if is_complete(thing) else UNSEEN, one.span, assumptions=one.assumptions)
        for one, thing in things
    )


def _dictionary_of(evaluator: Evaluator, one: Possibility) -> Thing:
    """Return a thing as the dictionary it is where it is splatted; a command line may hold more than was seen.

    An object stands for its attributes, which ``vars`` and ``__dict__`` give: it is no dictionary itself.
    """
    thing = one.thing
    if not isinstance(thing, CommandLine | Instance):
        return thing
    return evaluator.attributes_of(thing, one.span) or thing
