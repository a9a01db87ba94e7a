"""Lines of styled text: the one way by which text reaches a terminal.

Everything passes through `line`, which makes control characters visible, so no file name and no line of code can send a
terminal an escape sequence, turn the reading direction, or fail to be encoded.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from rich.console import Console

WIDEST_PROSE = 100
"""Cells after which prose is hard to read, however wide the terminal is."""

_NARROWEST = 40
_TAB = "    "
_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"
"""Format characters that ordinary words and emoji are spelt with."""


class Line(Struct, frozen=True):
    """One line of output: pieces of text, each with a rich style (empty: none)."""

    pieces: tuple[tuple[str, str], ...] = ()

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self.pieces)


BLANK = Line()


def line(*pieces: str | tuple[str, str]) -> Line:
    """Return a line of these pieces, each a text or a text with its style, made safe to print."""
    pairs = ((piece, "") if isinstance(piece, str) else piece for piece in pieces)
    return Line(tuple((visible(text), style) for text, style in pairs))


def visible(text: str) -> str:
    r"""Return the text with what steers a terminal or cannot be encoded written out (``\x1b``, ``\u202e``)."""
    if text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character == "\t":
        return _TAB
    if character in _JOINERS or unicodedata.category(character) not in _ESCAPED:
        return character
    return character.encode("unicode_escape").decode("ascii")


def cells(text: str) -> int:
    """Return how many terminal cells the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def usable(width: int) -> int:
    """Return the width to lay text out in: the terminal's, but never so narrow that nothing fits."""
    return max(width, _NARROWEST)


def paragraphs(text: str, width: int, *, first: str = "", indent: str = "", style: str = "") -> Iterator[Line]:
    """Yield the text in lines of at most ``width`` cells: ``first`` leads the first line, ``indent`` the others.

    On a wide terminal lines get no longer than is comfortable to read. Line ends are kept; so is every indented line,
    which is code, and every word that is longer than a line.
    """
    lead: str | tuple[str, str] = (first, style)
    for row in text.splitlines() or [""]:
        room = min(usable(width), WIDEST_PROSE) - max(cells(first), cells(indent))
        for part in [row] if row[:1].isspace() else wrapped(visible(row), room):
            yield line(lead, part)
            lead = indent


def wrapped(text: str, room: int) -> Iterator[str]:
    """Yield the text in rows of at most ``room`` cells; a longer word has a row of its own."""
    words = text.split(" ")
    row = words[0]
    for word in words[1:]:
        if cells(row) + 1 + cells(word) <= room:
            row += " " + word
        else:
            yield row
            row = word
    yield row


def terminal(width: int = 80) -> Console:
    """Return a console that paints for a colour terminal of this width, whatever the environment says."""
    from rich.console import Console

    return Console(
        file=io.StringIO(),
        width=width,
        height=25,
        color_system="standard",
        force_terminal=True,
        force_jupyter=False,
        legacy_windows=False,
        no_color=False,
        highlight=False,
    )


def paint(lines: Iterable[Line], *, color: bool) -> str:
    """Return the lines as text, each with its newline; without ``color`` there are no escape codes at all.

    rich is imported only when there is something to colour, so a run that finds nothing never waits for it.
    """
    lines = tuple(lines)
    if not color or not any(style for one in lines for _, style in one.pieces):
        return "".join(one.plain + "\n" for one in lines)
    from rich.text import Text

    console = terminal()
    with console.capture() as painted:
        for one in lines:
            console.print(Text.assemble(*one.pieces), soft_wrap=True)
    return painted.get()
