"""Writes down what every real torch DataLoader of this process is given."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from typing import Any

from torch.utils.data import DataLoader

LOG = "LOADERLINT_TEST_LOG"
"""The environment variable that names the file to write to; set in every process the program starts, too."""


def install(log: str) -> None:
    """Have every DataLoader of this process append a line of JSON to the log before it is made.

    The line holds ``options``, all that ``DataLoader.__init__`` takes, and ``frames``, the file and line of every call
    on the way, innermost first.
    """
    original = DataLoader.__init__
    signature = inspect.signature(original)

    def recorded(self: Any, *arguments: Any, **keywords: Any) -> None:
        bound = signature.bind(self, *arguments, **keywords)
        bound.apply_defaults()
        options = {name: _plain(value) for name, value in bound.arguments.items() if name != "self"}
        with open(log, "a", encoding="utf-8") as file:
            file.write(json.dumps({"options": options, "frames": list(_frames())}) + "\n")
        original(self, *arguments, **keywords)

    setattr(DataLoader, "__init__", recorded)  # noqa: B010


def _plain(value: Any) -> Any:
    """Return a value as JSON says it: a start method for a context, the name of the class for other objects."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "get_start_method"):
        return value.get_start_method()
    return type(value).__name__


def _frames() -> Iterator[tuple[str, int]]:
    frame = sys._getframe(2)
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
