"""What every writer shares: how edits are refused, how they come out, and how text is spliced and compared."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from msgspec import Struct

from loaderlint.model.edit import TextEdit
from loaderlint.model.source import Source


class CannotRewrite(Exception):
    """Raised with the reason why edits cannot be made exactly; nothing was changed."""


class Rewritten(Struct, frozen=True):
    """A file's new text; ``unsafe`` says why the edits turned out unsafe (a comment would be lost), empty when safe."""

    text: str
    unsafe: str = ""


class Replacement(Struct, frozen=True, order=True):
    """The characters ``start`` up to ``end`` (offsets into a text, from 0) become ``content``."""

    start: int
    end: int
    content: str


def splice(text: str, replacements: Iterable[Replacement]) -> str:
    """Return the text with the replacements made; the same replacement twice is one.

    Raises `CannotRewrite` when two of them contradict each other: they overlap, or insert at one place.
    """
    pieces: list[str] = []
    position = 0
    before: Replacement | None = None
    for replacement in sorted(set(replacements)):
        if before is not None and (replacement.start < before.end or replacement.start == before.start):
            raise CannotRewrite("two edits contradict each other")
        pieces.append(text[position : replacement.start])
        pieces.append(replacement.content)
        position = replacement.end
        before = replacement
    pieces.append(text[position:])
    return "".join(pieces)


def text_edits(source: Source, new_text: str) -> tuple[TextEdit, ...]:
    """Return the smallest stretches of the source whose replacement makes it ``new_text``, in order.

    Lines are compared first; what changed is then trimmed to the characters that differ.
    """
    old_lines, new_lines = source.text.splitlines(keepends=True), new_text.splitlines(keepends=True)
    old_offsets = _offsets(old_lines)
    edits: list[TextEdit] = []
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        old, new = "".join(old_lines[old_start:old_end]), "".join(new_lines[new_start:new_end])
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        start, end = old_offsets[old_start] + head, old_offsets[old_end] - tail
        edits.append(TextEdit(source.span(start, end), new[head : len(new) - tail]))
    return tuple(edits)


def _offsets(lines: Iterable[str]) -> list[int]:
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return offsets


def _common(first: str, second: str) -> int:
    """Return how many characters the two begin with in common."""
    length = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        length += 1
    return length
