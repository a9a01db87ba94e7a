"""Dictionaries with string keys: literals, splats, updates, and settings read from a file."""

from __future__ import annotations

from collections.abc import Mapping

from loaderlint.linking.things import Absent, Items, Possibilities, Thing, under, unseen
from loaderlint.linking.trees import child_of_tree
from loaderlint.readers.tree import Mapping as TreeMapping


def entries_of(thing: Thing) -> Mapping[str, Possibilities]:
    """Return the entries of a dictionary or configuration mapping, of an object's settings, or none."""
    if isinstance(thing, Items):
        return thing.entries
    if isinstance(thing, TreeMapping):
        return {key: child_of_tree(thing, key, entry.span, key, removable=True) for key, entry in thing.merged.items()}
    return {}


def is_complete(thing: Thing) -> bool:
    """Return whether a dictionary has no keys but the ones seen."""
    return isinstance(thing, TreeMapping) or (isinstance(thing, Items) and thing.complete)


def overlaid(below: Items, *above: Items) -> Items:
    """Return the dictionary after updates; a key that an update may lack keeps what it had for that case.

    An update that was not seen in full may hold any key.
    """
    entries = dict(below.entries)
    complete = below.complete
    for items in above:
        complete = complete and items.complete
        if not items.complete:
            entries = {key: (*values, *unseen(values[0].span)) for key, values in entries.items()}
        for key, values in items.entries.items():
            missing = [one for one in values if isinstance(one.thing, Absent)]
            kept = [one for lack in missing for one in under(entries.get(key, (lack,)), lack.assumptions)]
            entries[key] = (*(one for one in values if not isinstance(one.thing, Absent)), *kept)
    return Items(entries, complete)
