"""One module per language, each turning a `Source` into facts: what one file says, and where it says it."""

from __future__ import annotations


class ReadError(Exception):
    """A file is not what its name says it is; nothing of it can be relied on.

    ``line`` and ``column`` count from 1, in characters, and say where reading stopped.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
