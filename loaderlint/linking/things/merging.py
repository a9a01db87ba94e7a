"""Merges into a configuration object: ``merge_from_file``, ``merge_from_list``, ``merge_from_other_cfg``.

yacs (``yacs/config.py``, 0.1.8): a merge goes key by key down the tree. A key that the object does not have is a
KeyError unless new ones are allowed there, and a value of another type than the one before a ValueError: such a file
cannot be given. Text is read as Python. fvcore (``fvcore/common/config.py``): the file's ``_BASE_``, relative to the
file itself, is merged first. mmengine's dictionaries have a ``merge`` of that kind. What sconf takes from the command
line replaces values of keys that are there (``Config.argv_update`` of ``sconf/config.py``, 0.2.5).
"""

from __future__ import annotations

import ast
import posixpath
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from types import NoneType
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.files.search_path import shared_folders
from loaderlint.linking.things import locations, many_files, overridden
from loaderlint.linking.things.dictionaries import entries_of, is_complete, joined
from loaderlint.linking.things.kinds import (
    ABSENT,
    UNSEEN,
    Absent,
    External,
    Frame,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Thing,
)
from loaderlint.linking.things.lazily import Lazily, overlaid
from loaderlint.linking.things.possibilities import choice, distinct, irremovable, under, unseen
from loaderlint.linking.things.trees import from_entry, written
from loaderlint.model.source import Language, Span
from loaderlint.readers.python import dotted
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Scalar
from loaderlint.readers.tree import Sequence as TreeSequence

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

BASE = "_BASE_"


def is_merge(call: ast.Call, name: str) -> bool:
    """Return whether a call merges something into the thing a dotted name stands for."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr in MERGES and dotted(function.value) == name


def merged(evaluator: Evaluator, one: Possibility, call: ast.Call, frame: Frame) -> Possibilities:
    """Return what a configuration object is after a merge into it."""
    assert isinstance(one.thing, Items) and isinstance(call.func, ast.Attribute)
    items = one.thing
    if not items.new_allowed and _was_handed_out(evaluator, dotted(call.func.value), frame):
        items = _allowing(items)
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg is not None)]
    span = frame.facts.span(call)
    if not given:
        return (replace(one, thing=uncertain(items, span)),)
    name = call.func.attr
    known: dict[object, Thing] = {}
    ways: list[Possibility] = []
    from_files: list[Possibility] = []
    for way in evaluator.evaluate(given[0], frame):
        if isinstance(way.thing, Made) and way.thing.callee.endswith(f".{LOADS}"):
            from_files.extend(under(_from_loaded(evaluator, one, way.thing, frame, span), way.assumptions))
            continue
        # Whatever is not seen does the same, however it comes about.
        key = way.thing if isinstance(way.thing, bool | str | Row | Items | TreeMapping | None) else UNSEEN
        if key not in known:
            known[key] = MERGES[name](evaluator, items, way.thing, frame, span)
        ways.extend(under((replace(one, thing=known[key]),), way.assumptions))
    if len(known) == 1 and not from_files:
        return (replace(one, thing=next(iter(known.values()))),)
    return joined([*ways, *from_files])


def _from_loaded(
    evaluator: Evaluator, one: Possibility, loaded: Made, frame: Frame, span: Span
) -> Iterator[Possibility]:
    """Yield a configuration object after what ``load_cfg`` read from a file was merged into it, as a file itself is."""
    assert isinstance(one.thing, Items)
    opened = loaded.call.args[0] if loaded.call.args else None
    for where, assumptions in locations.of(evaluator, opened, loaded.frame) if opened is not None else ():
        if where is not None and where.form is locations.Form.FILE:
            given = UNSEEN if where.given else where.path
            after = _from_file(evaluator, one.thing, given, frame if where.given else loaded.frame, span)
        else:
            after = uncertain(one.thing, span)
        yield from under((replace(one, thing=after),), assumptions)


def _was_handed_out(evaluator: Evaluator, name: str | None, frame: Frame) -> bool:
    """Return whether a function of a library got what a name stands for by now: it may have given it any keys.

    Python's own functions know nothing of such objects.
    """
    for site in frame.scope.calls:
        given = [*site.node.args, *(one.value for one in site.node.keywords)]
        if site.place.order < frame.place.order and any(dotted(one) == name for one in given):
            callees = (one.thing for one in evaluator.evaluate(site.node.func, Frame(frame.facts, site.place)))
            libraries = {one.name.partition(".")[0] for one in callees if isinstance(one, External)}
            if not libraries <= sys.stdlib_module_names:
                return True
    return False


def seen_as_objects(found: Sequence[Possibility], name: str, frame: Frame) -> Sequence[Possibility]:
    """Return things, those of a library that files are merged into under a name as objects that may have any keys.

    What such a file sets is known from then on, whatever was there before.
    """
    merges = [site for site in frame.facts.calls.get("merge_from_file", ()) if site.place.scope is frame.scope]
    if not merges or not any(isinstance(one.thing, Made | External) for one in found):
        return found
    if not any(is_merge(site.node, name) for site in merges):
        return found
    unknown = Items({}, complete=False, inherits=True, new_allowed=True)
    return [replace(one, thing=unknown) if isinstance(one.thing, Made | External) else one for one in found]


def _may_have_any_key(items: Items) -> bool:
    return items.new_allowed and not items.complete


def not_seen_below(items: Items, span: Span) -> Possibilities:
    """Return what something is set in under a key that was not seen: in a library's object again one of any keys."""
    if _may_have_any_key(items):
        return (Possibility(Items({}, complete=False, new_allowed=True), span),)
    return unseen(span)


def _before(items: Items, tree: bool, span: Span) -> Possibilities:
    """Return what stood under a key that was not seen; where a file brings a ``tree``, it was one if it was there."""
    if tree and _may_have_any_key(items):
        return not_seen_below(items, span)
    return (Possibility(ABSENT if items.complete else UNSEEN, span),)


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


def _replaceable(items: Items, span: Span) -> Items:
    """Return a tree of dictionaries of which each value may be replaced by one that the user gives at a place."""
    entries = items.entries

    def values_of(key: str) -> Possibilities:
        trees = tuple(
            replace(one, thing=_replaceable(one.thing, span)) for one in entries[key] if isinstance(one.thing, Items)
        )
        leaves = tuple(one for one in entries[key] if not isinstance(one.thing, Items))
        given = unseen(span, overridden.replaced(span)) if leaves else ()
        return distinct((*trees, *under(leaves, overridden.shipped(span)), *given))

    return replace(items, entries=Lazily.of(entries, values_of))


def _from_list(evaluator: Evaluator, items: Items, given: Thing, frame: Frame, span: Span) -> Thing:
    """``[key, value, key, value]``, each key with dots between its parts; values that are text are read as Python."""
    if given is None:
        return items
    if not isinstance(given, Row):
        return _replaceable(items, span)
    if len(given.items) % 2:
        return uncertain(items, span)
    after: Thing = items
    for keys, values in zip(given.items[::2], given.items[1::2], strict=True):
        if len(keys) != 1 or not isinstance(keys[0].thing, str) or not isinstance(after, Items):
            return uncertain(items, span)
        replaced = _with(after, tuple(keys[0].thing.split(".")), tuple(_literal(one) for one in values))
        if replaced is None:
            return uncertain(items, span)
        after = replaced
    return after


def _literal(one: Possibility) -> Possibility:
    """Return what yacs makes of a value: text is read as Python, where it is that (``_decode_cfg_value``)."""
    read = _as_python(one.thing) if isinstance(one.thing, str) else one.thing
    return one if read is one.thing else replace(one, thing=read)


@lru_cache(maxsize=4096)
def _as_python(text: str) -> Thing:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value if value is None or isinstance(value, bool | int | float | str) else UNSEEN


def _replaces(thing: Thing, before: Possibilities) -> bool:
    """Return whether yacs lets a value take the place of another (``_check_and_coerce_cfg_value_type``)."""
    kind = _kind(thing)
    if kind is None:
        return True
    others = (_kind(one.thing) for one in before)
    return any(other is None or other is kind or NoneType in (kind, other) for other in others)


def _kind(thing: Thing) -> type | None:
    """Return the type of a value, None where it is not known; a list and a tuple replace each other."""
    if isinstance(thing, Items | TreeMapping):
        return dict
    if isinstance(thing, Row | TreeSequence):
        return list
    return type(thing) if thing is None or isinstance(thing, bool | int | float | str) else None


def _with(items: Items, path: tuple[str, ...], values: Possibilities) -> Items | None:
    """Return a tree of dictionaries with other values at a path, None where there is no such value to replace."""
    key, rest = path[0], path[1:]
    before = items.entries.get(key)
    if before is None:
        return None
    if not rest:
        kept = tuple(one for one in values if _replaces(one.thing, before))
        return replace(items, entries=overlaid(items.entries, {key: kept})) if kept else None
    inner = [(one, _with(one.thing, rest, values)) for one in before if isinstance(one.thing, Items)]
    after = tuple(replace(one, thing=thing) for one, thing in inner if thing is not None)
    return replace(items, entries=overlaid(items.entries, {key: after})) if after else None


def _allowing_new(evaluator: Evaluator, items: Items, given: Thing, frame: Frame, span: Span) -> Thing:
    return _allowing(items) if given is True else items


def _allowing(items: Items) -> Items:
    """Return a tree of dictionaries all of which new keys may be merged into."""

    def values_of(key: str) -> Possibilities:
        values = items.entries[key]
        return tuple(
            replace(one, thing=_allowing(one.thing)) if isinstance(one.thing, Items) else one for one in values
        )

    return replace(items, entries=Lazily.of(items.entries, values_of), new_allowed=True)


def _from_other(evaluator: Evaluator, items: Items, given: Thing, frame: Frame, span: Span) -> Thing:
    if not isinstance(given, Items | TreeMapping):
        return uncertain(items, span)
    return overwritten(items, given, span)


def overwritten(
    items: Items, given: Items | TreeMapping, span: Span, read: Callable[[Possibility], Possibility] | None = None
) -> Items:
    """Return a tree of dictionaries with another merged into it key by key, each value as ``read`` makes it.

    ``span`` is where that is asked for: a key that the other may have besides those seen gives something unseen.
    """
    if not is_complete(given):
        unsure = uncertain(items, span)
        assert isinstance(unsure, Items)
        items = unsure
    changes: dict[str, Possibilities] = {}
    for key, values in entries_of(given).items():
        before = items.entries.get(key, ())
        if not before and _may_have_any_key(items):
            before = _before(items, any(isinstance(one.thing, TreeMapping) for one in values), span)
        tree = before[0].thing if len(before) == 1 else None
        after: list[Possibility] = []
        for one in values:
            if isinstance(one.thing, Absent) and before:
                after.extend(under(before, one.assumptions))
            elif isinstance(tree, Items) and isinstance(one.thing, Items | TreeMapping):
                merged_tree = replace(before[0], thing=overwritten(tree, one.thing, span, read))
                after.extend(under((merged_tree,), one.assumptions))
            else:
                # Without its entry in a file an option is what the object had before, not what torch takes.
                after.extend(irremovable([read(one) if read is not None else one]))
        changes[key] = tuple(after)
    entries = overlaid(items.entries, changes)
    return replace(items, entries=entries, complete=items.complete and is_complete(given))


# --- files ---


class _Given(Struct, frozen=True, eq=False):
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
            after = overwritten(after, layer, span, _literal)
        return after
    program = frame.facts.source.path
    # Where the first of many stands for all that say the same, it is the one that lies nearest to the program.
    every = sorted(_fitting(evaluator, items), key=lambda one: -shared_folders(one.path, program))
    if _may_have_any_key(items):
        # Nothing but where they lie tells which of the files are for this program.
        nearest = shared_folders(every[0].path, program) if every else 0
        every = [one for one in every if shared_folders(one.path, program) == nearest]
    return _from_any(items, every, str(span), span)


def _fitting(evaluator: Evaluator, items: Items) -> Iterator[_Given]:
    """Yield the configuration files of the project whose keys the object has: any of them can be given."""
    words = tuple(f"{key}:" for key in items.entries)
    project = evaluator.project
    any_key = _may_have_any_key(items)
    for facts in project.all_configuration_files() if any_key else project.configuration_files_with(words):
        given = _given(evaluator, items, facts.source.path) if facts.source.language is Language.YAML else None
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
        if below is None and items.new_allowed:
            continue
        value = written(entry.value)
        if below is None or not _replaces(_as_python(value) if isinstance(value, str) else value, below):
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
        values = items.entries.get(key) or _before(
            items, any(True for one in files for _ in _below(one.layers, key)), span
        )
        tree = values[0].thing
        if len(values) == 1 and isinstance(tree, Items) and (tree.entries or not tree.complete):
            inner = [_Given(one.path, tuple(_below(one.layers, key))) for one in files]
            return (replace(values[0], thing=_from_any(tree, inner, subject, span)),)
        setting = {one.path: entry for one in files if (entry := _last(one.layers, key)) is not None}
        told_apart = many_files.by_value(subject, setting)
        new = [way for paths, one in told_apart for way in under((one,), many_files.chosen(subject, paths))]
        others = every - setting.keys()
        kept = values if others == every else under(values, many_files.chosen(subject, others)) if others else ()
        return distinct((*kept, *new, *elsewhere))

    brought = (key for one in files for layer in one.layers for key in layer.merged if key != BASE)
    return replace(items, entries=Lazily.of(dict.fromkeys((*items.entries, *brought)), values_of))


def _below(layers: Iterable[TreeMapping], key: str) -> Iterator[TreeMapping]:
    for layer in layers:
        entry = layer.get(key)
        if entry is not None and isinstance(entry.value, TreeMapping):
            yield entry.value


def _last(layers: Iterable[TreeMapping], key: str) -> Possibility | None:
    found = [entry for layer in layers if (entry := layer.get(key)) is not None]
    return _literal(from_entry(found[-1], found[-1].span, key, removable=False)) if found else None


def _from_command_line(evaluator: Evaluator, items: Items, given: Thing, frame: Frame, span: Span) -> Thing:
    """``["--key", "value"]`` of whoever starts the program: each key that is there may get another value.

    What the program writes itself names keys by their last parts, and is not followed.
    """
    return uncertain(items, span) if isinstance(given, Row) else _replaceable(items, span)


LOADS = "load_cfg"
"""The method of yacs that gives what an open file says."""

MERGES = {
    "merge_from_file": _from_file,
    "merge_from_list": _from_list,
    "argv_update": _from_command_line,
    "merge_from_other_cfg": _from_other,
    "merge": _from_other,
    "set_new_allowed": _allowing_new,
}
"""The methods that merge their argument into the object they are called on, or say what may be merged."""
