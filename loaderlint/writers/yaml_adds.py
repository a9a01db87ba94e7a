"""Where a YAML mapping takes another entry, and how that is typed in the mapping's own style."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loaderlint.model.edit import AddKey
from loaderlint.writers.base import CannotRewrite, Replacement
from loaderlint.writers.yaml_scalars import Typed, typed
from loaderlint.writers.yaml_tokens import Member, Saying, Token

_REST_OF_LINE = re.compile(r"[ \t]*(?:[ \t]#[^\r\n]*)?(\r\n|\r|\n|\Z)")
_LINE_END = re.compile(r"\r\n|\r|\n")


def added(
    text: str, stream: Sequence[Token], mapping: Token, entries: Sequence[Member], edit: AddKey
) -> tuple[Replacement, int, tuple[Saying, Saying]]:
    """Return the text of a new entry, the index of the token it stands before, and what its own two tokens say.

    In braces it comes last. Otherwise it gets a line of its own, below the first plain entry that has a line to itself.
    Raises `CannotRewrite` for a mapping that is written otherwise, or has the key.
    """
    if any(stream[one.key].says.value == edit.key for one in entries):
        raise CannotRewrite(f"{edit.key} is there already")
    value = typed(edit.constant, "")
    says = (Saying("Scalar", edit.key), _says(value))
    written = f"{edit.key}: {value.written}"
    if mapping.says.style == "flow":
        last = entries[-1]
        end = stream[last.last].end
        return Replacement(end, end, f", {written}"), last.last + 1, says
    for entry in entries:
        start, end = stream[entry.key].start, stream[entry.last].end
        line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
        indentation = text[line_start:start]
        rest = _REST_OF_LINE.match(text, end)
        own_line = not indentation.strip(" ") and rest is not None and not _LINE_END.search(text, start, end)
        if own_line and rest is not None and stream[entry.last].says.kind == "Scalar":
            line_end = rest[1] or (_LINE_END.search(text) or ["\n"])[0]
            if rest[1]:
                return Replacement(rest.end(), rest.end(), f"{indentation}{written}{line_end}"), entry.last + 1, says
            return Replacement(rest.end(), rest.end(), f"{line_end}{indentation}{written}"), entry.last + 1, says
    raise CannotRewrite("no plain entry of the mapping has a line to itself")


def _says(value: Typed) -> Saying:
    return Saying("Scalar", value.value, style=value.style)
