"""What other files take from a module by importing it, and what it takes from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Imported:
    """What the other files of a project take from a module, each time with the path of one that does.

    ``names`` are single names. ``every`` takes all public names, by a star. ``alone`` imports the module and takes no
    name of it: it may do so to run it. ``own`` are the first names of what the module itself imports of the project.
    ``setting`` says of its functions, classes and methods whether they change more than what they give back when they
    are called, by the dotted names that the module's imports give them (a dot leads those that say from where): each
    "sets up" something, "may set up" something, or "" where their code shows nothing of the kind.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    every: str = ""
    alone: str = ""
    own: frozenset[str] = frozenset()
    setting: Mapping[str, str] = field(default_factory=dict)


NOWHERE = Imported()
"""A module that no other file imports."""
