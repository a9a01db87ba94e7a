"""Reads values out of configuration trees, keeping the place each was written."""

from __future__ import annotations

from loaderlint.linking.things.kinds import UNSEEN, Possibilities, Possibility, Thing
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.source import Span
from loaderlint.model.value import Step
from loaderlint.readers.tree import Entry, Mapping, Node, Scalar

MISSING = "???"
"""What stands for a value that the user has to give (``omegaconf.MISSING``): reading it raises, so it never arrives."""


def child_of_tree(mapping: Mapping, key: str, reader: Span, text: str, *, removable: bool = False) -> Possibilities:
    """Return what a program gets for a key of a configuration mapping.

    ``reader`` and ``text`` are the place in the program that reads the key. ``removable`` says that the program can do
    without the key (a splat, ``.get``), so that taking the whole entry away means the option no longer arrives.
    """
    entry = mapping.get(key)
    if entry is None:
        return unseen(reader)
    return (from_entry(entry, reader, text, removable=removable),)


def from_entry(entry: Entry, reader: Span, text: str, *, removable: bool) -> Possibility:
    """Return the possibility that one entry of a configuration mapping brings."""
    node = entry.value
    trail = () if reader.path == node.span.path else (Step(reader, text),)
    return Possibility(written(node), node.span, entry.span if removable else None, trail, shared=entry.shared)


def written(node: Node) -> Thing:
    """Return the value that a node of a configuration tree stands for."""
    if not isinstance(node, Scalar):
        return node
    return UNSEEN if node.opaque or node.constant == MISSING else node.constant


def from_item(node: Node) -> Possibility:
    """Return the possibility that one item of a list in a configuration brings."""
    return Possibility(written(node), node.span, shared=node.shared)
