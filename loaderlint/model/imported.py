"""What other files take from a module by importing it, and what it takes from them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from msgspec import Struct, field


class SettingUp(IntEnum):
    """Whether what runs changes more than what it gives back, the surest last."""

    NOTHING = 0
    """Its code shows nothing of the kind."""
    POSSIBLE = 1
    """It may, by its name or by what it calls."""
    CERTAIN = 2
    """It does."""

    @property
    def verb(self) -> str:
        """What a message says of it; nothing is said of what sets up nothing."""
        return ("", "may set up", "sets up")[self]


class Imported(Struct, frozen=True):
    """What the other files of a project take from a module, each time with the path of one that does.

    ``names`` are single names. ``every`` takes all public names, by a star. ``alone`` imports the module and takes no
    name of it: it may do so to run it. ``own`` are the first names of what the module itself imports of the project.
    ``setting`` says of its functions, classes and methods what they set up when they are called, by the dotted names
    that the module's imports give them (a dot leads those that say from where).
    """

    names: Mapping[str, str] = field(default_factory=dict)
    every: str = ""
    alone: str = ""
    own: frozenset[str] = frozenset()
    setting: Mapping[str, SettingUp] = field(default_factory=dict)

    @property
    def importer(self) -> str:
        """The path of a file that imports the module, whatever it takes from it; empty where none does."""
        return self.alone or self.every or min(self.names.values(), default="")


NOWHERE = Imported()
"""A module that no other file imports."""
