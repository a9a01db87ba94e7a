"""OmegaConf configurations: trees whose values may stand for other values of the same tree.

A tree is made of `Items` and `Row`, its interpolations kept as they were written. `Settings` is the way a program looks
at one of its mappings: what an interpolation stands for is asked for when the program reads it, as OmegaConf does
(https://omegaconf.readthedocs.io/en/2.3_branch/usage.html#variable-interpolation).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Set

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.linking.things import interpolation, overridden
from loaderlint.linking.things.kinds import (
    ABSENT,
    GIVEN,
    REPLACED,
    UNSEEN,
    Absent,
    Interpolation,
    Items,
    Possibilities,
    Possibility,
    Row,
    Settings,
    Thing,
)
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.possibilities import choice, covering, distinct, irremovable, laid_over, under, unseen
from loaderlint.linking.things.trees import MISSING
from loaderlint.model.assumptions import together
from loaderlint.model.source import Span
from loaderlint.model.value import Step
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Node, Scalar
from loaderlint.readers.tree import Sequence as TreeSequence

MOST_VALUES = 50_000
"""A configuration with more values than this, its aliases written out, is unseen."""

OF_USER = Items({}, complete=False)
"""What the user writes on the command line: it replaces values that are there."""


def is_of_user(one: Possibility) -> bool:
    """Return whether a configuration is what a user writes on the command line."""
    return isinstance(one.thing, Settings) and one.thing.here is OF_USER


def tree_of(node: Node, trail: tuple[Step, ...] = ()) -> Possibility:
    """Return a piece of a configuration file as a tree; ``trail`` is the way every value of it takes."""
    tree, size = _Growing(trail).tree(node)
    return Possibility(tree if size <= MOST_VALUES else UNSEEN, node.span, trail=trail)


class _Growing(Struct, frozen=True, eq=False):
    """Makes a tree of nodes. What an alias repeats is one tree, so that a file of nested aliases stays small."""

    trail: tuple[Step, ...]
    known: dict[int, tuple[Thing, int]] = field(default_factory=dict)

    def tree(self, node: Node) -> tuple[Thing, int]:
        """Return a node as a tree, and how many values it holds."""
        if id(node) not in self.known:
            self.known[id(node)] = self._tree(node)
        return self.known[id(node)]

    def _tree(self, node: Node) -> tuple[Thing, int]:
        if isinstance(node, TreeMapping):
            below = {key: (entry, self.tree(entry.value)) for key, entry in node.merged.items()}
            entries = {
                key: (Possibility(thing, entry.value.span, entry.span, self.trail, shared=entry.shared),)
                for key, (entry, (thing, _)) in below.items()
            }
            return Items(entries), 1 + sum(size for _, (_, size) in below.values())
        if isinstance(node, TreeSequence):
            items = [(item, self.tree(item)) for item in node.items]
            row = Row(tuple((Possibility(thing, item.span, trail=self.trail),) for item, (thing, _) in items))
            return row, 1 + sum(size for _, (_, size) in items)
        return _scalar(node), 1


def _scalar(node: Scalar) -> Thing:
    if "${" in node.text and node.tag is None:
        return Interpolation(node.text)
    return UNSEEN if node.opaque else node.constant


def as_tree(one: Possibility) -> Possibility:
    """Return a thing that a program makes a configuration of as a tree."""
    thing = one.thing
    # A list of files has thousands of these, and is asked for again and again.
    if isinstance(thing, str):
        return replace(one, thing=Interpolation(thing)) if "${" in thing else one
    if isinstance(thing, Settings):
        return replace(one, thing=thing.here)
    if isinstance(thing, TreeMapping | TreeSequence):
        return replace(one, thing=tree_of(thing).thing)
    if isinstance(thing, Items):
        return replace(one, thing=replace(thing, entries={key: trees(values) for key, values in thing.entries.items()}))
    if isinstance(thing, Row):
        return replace(one, thing=Row(tuple(trees(item) for item in thing.items)))
    return one


def trees(possibilities: Iterable[Possibility]) -> Possibilities:
    """Return things that a program puts into a configuration as trees."""
    return tuple(as_tree(one) for one in possibilities)


def seen_as_settings(one: Possibility) -> Possibility:
    """Return a tree as the program sees it, the root of its own configuration."""
    return replace(one, thing=Settings(one.thing)) if isinstance(one.thing, Items) else one


def seen_in_place_of(before: Thing, tree: Items) -> Settings:
    """Return a tree that was made of a thing and others; a part of a configuration stays one, without changing it.

    What ``OmegaConf.merge`` returns is a copy of its first argument, with the same parent (2.3, ``omegaconf.py``).
    """
    return Settings(tree, before.above, before.key) if isinstance(before, Settings) else Settings(tree)


def merged(below: Items, above: Items) -> Items:
    """Return the tree that ``OmegaConf.merge`` makes: mappings are joined, everything else is replaced.

    A missing value (``???``) replaces nothing (``BaseContainer._map_merge``, OmegaConf 2.3).
    """
    entries = dict(below.entries)
    if not above.complete:
        entries = {key: (*values, *unseen(values[0].span)) for key, values in entries.items()}
    for key, values in above.entries.items():
        before = entries.get(key)
        element = below.elements.get(key) or None
        given = values if element is None else tuple(_of_elements(one, element) for one in values)
        if before is not None:
            entries[key] = _merged_values(before, given)
        else:
            entries[key] = given if below.complete else irremovable(given)
    kind = below if below.entries else above
    return replace(kind, entries=entries, complete=below.complete and above.complete)


def _of_elements(one: Possibility, element: Possibilities) -> Possibility:
    """Return a list with each of its mappings merged into what a dataclass says its elements are."""
    if not isinstance(one.thing, Row):
        return one
    return replace(one, thing=Row(tuple(_merged_values(element, item) for item in one.thing.items)))


def takes(below: Items, above: Items) -> bool:
    """Return whether a tree lets another one be merged into it: a dataclass has no fields besides its own.

    OmegaConf raises ``ConfigKeyError`` for any other key (the structured configurations page of its documentation).
    """
    for key, values in above.entries.items():
        before = below.entries.get(key)
        if before is None:
            # What a test of the program may have set there is there in some runs alone.
            if below.fixed and not above.fixed and not any(isinstance(one.thing, Absent) for one in values):
                return False
            continue
        lower = [one.thing for one in before]
        for one in values:
            trees = [thing for thing in lower if isinstance(thing, Items)]
            if isinstance(one.thing, Items) and len(trees) == len(lower) and not _any_takes(trees, one.thing):
                return False
    return True


def _any_takes(trees: Iterable[Items], above: Items) -> bool:
    return any(takes(tree, above) for tree in trees)


def _merged_values(below: Possibilities, above: Possibilities) -> Possibilities:
    found: list[Possibility] = []
    for one in covering(above, lambda: below):
        if isinstance(one.thing, Absent) or one.thing == MISSING:
            found.extend(under(below, one.assumptions))
        elif not isinstance(one.thing, Items):
            found.append(one)
        else:
            for lower in below:
                joint = together(lower.assumptions, one.assumptions)
                if joint is not None:
                    thing = merged(lower.thing, one.thing) if isinstance(lower.thing, Items) else one.thing
                    found.append(replace(one, thing=thing, assumptions=joint))
    return distinct(found)


def replaceable(tree: Items, where: Span, *, new_keys: bool = False) -> Items:
    """Return a tree of which the user may replace every value that is there, as on a command line, at a place.

    ``new_keys`` says that he may add others, as in a file of his own.
    """
    return _Replaceable(where, new_keys).tree(tree)


class _Replaceable(Struct, frozen=True, eq=False):
    """Remembers the trees that several aliases repeat."""

    where: Span
    new_keys: bool
    known: dict[int, Items] = field(default_factory=dict)

    def tree(self, tree: Items) -> Items:
        """Return a tree with something unseen beside every value."""
        if id(tree) not in self.known:
            entries = {key: self._values(values) for key, values in tree.entries.items()}
            complete = tree.complete and not self.new_keys
            self.known[id(tree)] = replace(tree, entries=entries, complete=complete)
        return self.known[id(tree)]

    def _values(self, values: Possibilities) -> Possibilities:
        found = tuple(
            replace(one, thing=self.tree(one.thing)) if isinstance(one.thing, Items) else one for one in values
        )
        leaves = [one for one in found if not isinstance(one.thing, Items | Absent)]
        if not leaves:
            return found
        if self.new_keys:
            return (*found, *unseen(leaves[0].span))
        kept = (
            one
            for value in found
            for one in ((value,) if isinstance(value.thing, Items) else under((value,), overridden.shipped(self.where)))
        )
        given = Possibility(REPLACED, leaves[0].span, assumptions=overridden.replaced(self.where))
        return (*kept, given)


def nested(path: Iterable[str], inner: Items, span: Span) -> Items:
    """Return a tree that holds another one under a path of keys."""
    for key in reversed(tuple(path)):
        inner = Items({key: (Possibility(inner, span),)})
    return inner


def child(settings: Settings, key: str, depth: int = 0) -> Possibilities | None:
    """Return what a program gets for a key, None where it is not there; values not given stay `Absent`.

    Each key is followed once: one that stands for itself is unseen.
    """
    values = settings.here.entries.get(key)
    if values is None:
        return None
    if key not in settings.known:
        settings.known[key] = unseen(values[0].span)
        try:
            settings.known[key] = distinct(
                way for one in values for way in under(_seen(one, settings, key, depth), one.assumptions)
            )
        except RecursionError:
            # Who asks from less far away is to get an answer.
            del settings.known[key]
            raise
    return settings.known[key]


def _seen(one: Possibility, settings: Settings, key: str, depth: int) -> Possibilities:
    thing = one.thing
    if isinstance(thing, Items):
        return (replace(one, thing=Settings(thing, settings, key)),)
    if isinstance(thing, Row):
        inside = Settings(Items({str(index): items for index, items in enumerate(thing.items)}), settings, key)
        rows = tuple(
            tuple(way for item in items for way in _seen(item, inside, str(index), depth))
            for index, items in enumerate(thing.items)
        )
        return (replace(one, thing=Row(rows)),)
    if isinstance(thing, Interpolation):
        return interpolation.resolved(one, thing.text, settings, depth)
    return unseen(one.span) if thing == MISSING else (one,)


def mappings(root: Possibility, keys: Set[str]) -> Iterator[Possibility]:
    """Yield every mapping of a configuration that holds a key, once, as the program sees it, the outermost first.

    ``keys`` are those of which one will do.
    """
    holding = _Holding(keys)
    seen: set[int] = set()
    waiting = deque([root])
    while waiting:
        one = waiting.popleft()
        if isinstance(one.thing, Settings) and id(one.thing.here) not in seen:
            seen.add(id(one.thing.here))
            if not keys.isdisjoint(one.thing.here.entries):
                yield one
            for key, values in one.thing.here.entries.items():
                for value in filter(holding.anywhere_in, values):
                    for way in _seen(value, one.thing, key, 0):
                        waiting.extend(under((way,), one.assumptions))
        elif isinstance(one.thing, Row) and id(one.thing) not in seen:
            seen.add(id(one.thing))
            for items in one.thing.items:
                for item in items:
                    waiting.extend(under((item,), one.assumptions))


class _Holding(Struct, frozen=True, eq=False):
    """Tells what holds a key at any depth. Most of a configuration does not, and need not be seen as a program does."""

    keys: Set[str]
    known: dict[int, bool] = field(default_factory=dict)

    def anywhere_in(self, one: Possibility) -> bool:
        """Return whether a mapping or list holds a mapping with one of the keys, or is one."""
        thing = one.thing
        if not isinstance(thing, Items | Row):
            return False
        if id(thing) not in self.known:
            self.known[id(thing)] = self._anywhere_in(thing)
        return self.known[id(thing)]

    def _anywhere_in(self, thing: Items | Row) -> bool:
        if isinstance(thing, Items) and not self.keys.isdisjoint(thing.entries):
            return True
        below = thing.entries.values() if isinstance(thing, Items) else thing.items
        return any(self.anywhere_in(one) for values in below for one in values)


def read(settings: Settings, key: str, span: Span, text: str) -> Possibilities:
    """Return what a program gets that reads a key, at ``span`` and with these words; it cannot do without the key."""
    if settings.here is OF_USER:
        return (Possibility(GIVEN, span),)
    found = [one for one in child(settings, key) or unseen(span) if not isinstance(one.thing, Absent)]
    return irremovable(one.step(span, text) if one.constant else one for one in found) or unseen(span)


def got(settings: Settings, key: str, default: Possibilities, span: Span, text: str) -> Possibilities:
    """Return what ``get`` gives for a key: the default where it is missing, whatever stands for that."""
    values = child(settings, key)
    if values is None:
        if settings.here.complete:
            return default
        another = GIVEN if settings.here is OF_USER else UNSEEN
        given = Possibility(another, span, assumptions=choice(str(span), "given"))
        return (given, *under(default, choice(str(span), "missing")))
    return laid_over(tuple(one.step(span, text) if one.constant else one for one in values), lambda: default)


def parts(settings: Settings, key: str) -> Possibilities:
    """Return what stands under a key as it was written, mappings as the program sees them."""
    return tuple(
        replace(one, thing=Settings(one.thing, settings, key)) if isinstance(one.thing, Items) else one
        for one in settings.here.entries.get(key, ())
    )


def children(settings: Settings) -> Mapping[str, Possibilities]:
    """Return what a program gets for each key that is there."""
    return Lazily.of(settings.here.entries, lambda key: child(settings, key) or ())


def replaced(settings: Settings, here: Items) -> Settings:
    """Return the mapping with something else written in it; all interpolations of its configuration see that."""
    above = settings.above
    if above is None:
        return Settings(here)
    values = tuple(
        replace(one, thing=here) if one.thing is settings.here else one
        for one in above.here.entries.get(settings.key, ())
    )
    around = replace(above.here, entries={**above.here.entries, settings.key: values})
    return Settings(here, replaced(above, around), settings.key)


def selected(settings: Settings, path: Iterable[str], span: Span, depth: int = 0) -> Possibilities:
    """Return what stands at the end of a path of keys, `Absent` where one of them is not there."""
    found: Possibilities = (Possibility(settings, span),)
    for key in path:
        found = tuple(way for one in found for way in under(_below(one, key, depth), one.assumptions))
    return found


def _below(one: Possibility, key: str, depth: int) -> Possibilities:
    thing = one.thing
    if isinstance(thing, Settings):
        below = child(thing, key, depth)
        if below is not None:
            return below
        return (Possibility(ABSENT, one.span),) if thing.here.complete else unseen(one.span)
    if isinstance(thing, Row) and key.isdigit() and int(key) < len(thing.items):
        return thing.items[int(key)]
    return (one,) if isinstance(thing, Absent) else unseen(one.span)
