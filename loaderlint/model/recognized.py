"""Values that are told apart by some of what they hold."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct


class Recognized(Struct, frozen=True, eq=False):
    """A value that is another of its class when all is equal but what it has ``beside``.

    That is what nobody compares, such as a function that answers a question when somebody asks it.
    """

    beside: ClassVar[frozenset[str]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Recognized) or type(other) is not type(self):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__struct_fields__ if name not in self.beside)
