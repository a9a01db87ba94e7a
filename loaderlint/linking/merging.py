"""Merges into a configuration object: ``merge_from_file``, ``merge_from_list``, ``merge_from_other_cfg``.

yacs (``yacs/config.py``, 0.1.8): a merge goes key by key down the tree, and a key that the object does not have is a
KeyError, so that a file with such a key cannot be given. fvcore (``fvcore/common/config.py``): the file's ``_BASE_``,
relative to the file itself, is merged first. mmengine's dictionaries have a ``merge`` of that kind.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loaderlint.linking.dictionaries import entries_of, is_complete, joined
from loaderlint.linking.lazily import Lazily, overlaid
from loaderlint.linking.things import (
    Frame,
    Items,
    Possibilities,
    Possibility,
    Row,
    Thing,
    choice,
    distinct,
    irremovable,
    under,
    unseen,
)
from loaderlint.linking.trees import from_entry
from loaderlint.model.source import Span
from loaderlint.model.value import Assumption, Assumptions
from loaderlint.readers.python import dotted
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Scalar

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

BASE = "_BASE_"


def is_merge(call: ast.Call, name: str) -> bool:
    """Return whether a call merges something into the thing a dotted name stands for."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr in MERGES and dotted(function.value) == name


def merged(evaluator: Evaluator, one: Possibility, call: ast.Call, frame: Frame) -> Possibilities:
    """Return what a configuration object is after a merge into it."""
    assert isinstance(one.thing, Items) and isinstance(call.func, ast.Attribute)
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg is not None)]
    span = frame.facts.span(call)
    if not given:
        return (replace(one, thing=uncertain(one.thing, span)),)
    name = call.func.attr
    known: dict[object, Thing] = {}
    ways: list[Possibility] = []
    for way in evaluator.evaluate(given[0], frame):
        # Whatever is not seen does the same, however it comes about.
        key = way.thing if isinstance(way.thing, str | Row | Items | TreeMapping) else way.thing is None
        if key not in known:
            known[key] = MERGES[name](evaluator, one.thing, way.thing, frame, span)
        ways.extend(under((replace(one, thing=known[key]),), way.assumptions))
    if len(known) == 1:
        return (replace(one, thing=next(iter(known.values()))),)
    return joined(ways)


def uncertain(thing: Thing, span: Span) -> Thing:
    """Return a dictionary any of whose values may have been replaced by something unseen."""
    if not isinstance(thing, Items):
        return thing
    entries = thing.entries

    def values_of(key: str) -> Possibilities:
        inner = tuple(replace(one, thing=uncertain(one.thing, span)) for one in entries[key])
        leaf = any(not isinstance(one.thing, Items) for one in inner)
        return distinct((*inner, *unseen(span))) if leaf else inner

    return replace(thing, entries=Lazily.of(entries, values_of))


def _from_list(evaluator: Evaluator, items: Items, given: Thing, frame: Frame, span: Span) -> Thing:
    """``[key, value, key, value]``, each key with dots between its parts; values that are text are read as Python."""
    if given is None:
        return items
    if not isinstance(given, Row) or len(given.items) % 2:
        return uncertain(items, span)
    after: Thing = items
    for keys, values in zip(given.items[::2], given.items[1::2], strict=True):
        if len(keys) != 1 or not isinstance(keys[0].thing, str) or not isinstance(after, Items):
            return uncertain(items, span)
        after = _with(after, tuple(keys[0].thing.split(".")), tuple(_literal(one) for one in values))
    return after


def _literal(one: Possibility) -> Possibility:
    if not isinstance(one.thing, str):
        return one
    try:
        value = ast.literal_eval(one.thing)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return one
    return replace(one, thing=value) if value is None or isinstance(value, bool | int | float | str) else one


def _with(items: Items, path: tuple[str, ...], values: Possibilities) -> Items:
    """Return a tree of dictionaries with other values at a path."""
    key, rest = path[0], path[1:]
    if not rest:
        return replace(items, entries=overlaid(items.entries, {key: values}))
    before = items.entries.get(key, ())
    after = tuple(replace(one, thing=_with(one.thing, rest, values)) for one in before if isinstance(one.thing, Items))
    return replace(items, entries=overlaid(items.entries, {key: after})) if after else items


def _from_other(evaluator: Evaluator, items: Items, given: Thing, frame: Frame, span: Span) -> Thing:
    if not isinstance(given, Items | TreeMapping):
        return uncertain(items, span)
    return overwritten(items, given)


def overwritten(items: Items, given: Items | TreeMapping) -> Items:
    """Return a tree of dictionaries with another merged into it key by key."""
    changes: dict[str, Possibilities] = {}
    for key, values in entries_of(given).items():
        before = items.entries.get(key, ())
        below, above = [one.thing for one in before], [one.thing for one in values]
        if len(below) == len(above) == 1 and isinstance(below[0], Items) and isinstance(above[0], Items | TreeMapping):
            changes[key] = (replace(before[0], thing=overwritten(below[0], above[0])),)
        else:
            # Without its entry in a file an option is what the object had before, not what torch takes.
            changes[key] = irremovable(values)
    entries = overlaid(items.entries, changes)
    return replace(items, entries=entries, complete=items.complete and is_complete(given))


# --- files ---


@dataclass(frozen=True, eq=False)
class _Given:
    """A configuration file that can be given, with the files it inherits from, the nearest last."""

    path: str
    layers: tuple[TreeMapping, ...]


def _from_file(evaluator: Evaluator, items: Items, given: Thing, frame: Frame, span: Span) -> Thing:
    """Return the object after a file was merged into it: the one that is named, else any of the project that fits."""
    if isinstance(given, str):
        facts = evaluator.project.configuration(given, frame.facts.source.path)
        named = None if facts is None else _given(evaluator, items, facts.source.path)
        if named is None:
            return uncertain(items, span)
        after: Thing = items
        for layer in named.layers:
            assert isinstance(after, Items)
            after = overwritten(after, layer)
        return after
    every = list(_fitting(evaluator, items))
    return _from_any(items, every, str(span), span)


def _fitting(evaluator: Evaluator, items: Items) -> Iterator[_Given]:
    """Yield the configuration files of the project whose keys the object has: any of them can be given."""
    words = tuple(f"{key}:" for key in items.entries)
    for facts in evaluator.project.configuration_files_with(words):
        given = _given(evaluator, items, facts.source.path)
        if given is not None:
            yield given


def _given(evaluator: Evaluator, items: Items, path: str) -> _Given | None:
    """Return a file with what it inherits, None when merging it would be an error."""
    layers: list[TreeMapping] = []
    following, seen = path, set[str]()
    while following not in seen:
        seen.add(following)
        facts = evaluator.project.configuration_file(following)
        root = facts.documents[0].root if facts is not None and len(facts.documents) == 1 else None
        if not isinstance(root, TreeMapping) or not root.merged:
            return None
        layers.insert(0, root)
        base = root.get(BASE)
        if base is None or not items.inherits:
            break
        if not isinstance(base.value, Scalar) or not isinstance(base.value.constant, str):
            return None
        following = posixpath.normpath(posixpath.join(posixpath.dirname(following), base.value.constant))
    fits = all(_fits(items, layer, items.inherits) for layer in layers)
    return _Given(path, tuple(layers)) if fits else None


def _fits(items: Items, tree: TreeMapping, inherits: bool) -> bool:
    for key, entry in tree.merged.items():
        if key == BASE and inherits:
            continue
        below = items.entries.get(key)
        if below is None:
            return False
        nested = below[0].thing
        if not isinstance(nested, Items) or not nested.entries:
            continue
        if not isinstance(entry.value, TreeMapping) or not _fits(nested, entry.value, False):
            return False
    return True


def _from_any(items: Items, files: list[_Given], subject: str, span: Span) -> Items:
    """Return the object after one of several files, or one nobody has seen, was merged into it."""
    every = frozenset(one.path for one in files)
    elsewhere = unseen(span, choice(subject, "another file"))

    def values_of(key: str) -> Possibilities:
        values = items.entries[key]
        if len(values) == 1 and isinstance(values[0].thing, Items) and values[0].thing.entries:
            inner = [_Given(one.path, tuple(_below(one.layers, key))) for one in files]
            return (replace(values[0], thing=_from_any(values[0].thing, inner, subject, span)),)
        setting = {one.path: entry for one in files if (entry := _last(one.layers, key)) is not None}
        new = [way for path, way in setting.items() for way in under((way,), _file(subject, {path}))]
        others = every - setting.keys()
        kept = values if others == every else under(values, _file(subject, others)) if others else ()
        return distinct((*kept, *new, *elsewhere))

    return replace(items, entries=Lazily.of(items.entries, values_of))


def _file(subject: str, paths: Iterable[str]) -> Assumptions:
    return frozenset({Assumption(subject, frozenset(paths))})


def _below(layers: Iterable[TreeMapping], key: str) -> Iterator[TreeMapping]:
    for layer in layers:
        entry = layer.get(key)
        if entry is not None and isinstance(entry.value, TreeMapping):
            yield entry.value


def _last(layers: Iterable[TreeMapping], key: str) -> Possibility | None:
    found = [entry for layer in layers if (entry := layer.get(key)) is not None]
    return from_entry(found[-1], found[-1].span, key, removable=False) if found else None


MERGES = {
    "merge_from_file": _from_file,
    "merge_from_list": _from_list,
    "merge_from_other_cfg": _from_other,
    "merge": _from_other,
}
"""The methods that merge their argument into the object they are called on."""
