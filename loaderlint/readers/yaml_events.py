"""A YAML file as the parser's events, and where exactly what they name is written.

Both of ruamel.yaml's parsers are used, the C one and the pure one it falls back to, and both must tell the same. Of
their marks only the index is taken: they disagree about which characters end a line. Nothing is ever constructed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from loaderlint.model.source import Source, Span
from loaderlint.readers import ReadError
from loaderlint.readers.tree import DEEPEST

if TYPE_CHECKING:
    from ruamel.yaml.events import Event, ScalarEvent

_UNPRINTABLE = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TWINS = str.maketrans({"\x85": "\n", "\u2028": "\n", "\u2029": "\n", "\ufeff": "\u2060"})

_LARGEST_READ_TWICE = 1_000_000
"""Characters beyond which a file the C parser refuses is not given to the pure one, which is nine times as slow."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_TAG = re.compile(r"!<[^>]*>|![^\s,\[\]{}]*")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*(?:#[^\r\n]*)?")
_COMMENT = re.compile(r"[&*!][^\s,\[\]{}]*|^%[^\r\n]*|(?P<comment>#[^\r\n]*)", re.MULTILINE)


class Stretch(Struct, frozen=True):
    """Characters ``start`` up to ``end`` of a `Script`'s text."""

    start: int
    end: int


class Script(Struct, frozen=True):
    """A source and its text as the parser gets it: an offset into ``text`` is ``shift`` less than into the source's.

    The byte order mark is left out. Characters that the parsers take differently stand as one that both take as PyYAML
    takes them: line ends of YAML 1.1 (NEL, LS and PS) as line feeds, a byte order mark further on as a word joiner.
    """

    source: Source
    shift: int
    text: str

    @staticmethod
    def of(source: Source) -> Script:
        """Return the source as the parser gets it."""
        shift = 1 if source.text.startswith("\ufeff") else 0
        return Script(source, shift, source.text[shift:].translate(_TWINS))

    def span(self, start: int, end: int) -> Span:
        """Return the span of ``text[start:end]``."""
        return self.source.span(start + self.shift, end + self.shift)

    def error(self, message: str, offset: int) -> ReadError:
        """Return the error that stands at this offset."""
        return ReadError(message, *self.source.position(max(0, min(offset, len(self.text))) + self.shift))

    def events(self, pure: bool) -> list[Event]:
        """Return the events of the whole file; ``pure`` forces the Python parser.

        Raises `ReadError` where the file is not YAML, or nested deeper than `DEEPEST`.
        """
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError
        from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent

        unprintable = _UNPRINTABLE.search(self.text)
        if unprintable:
            name = f"U+{ord(unprintable[0]):04X}"
            raise self.error(f"the control character {name} is not allowed in YAML", unprintable.start())
        events: list[Event] = []
        depth = 0
        try:  # The parsers answer bad input with more than their own errors: assertions, and whatever chr() raises.
            for event in YAML(typ="safe", pure=pure).parse(self.text):
                depth += isinstance(event, CollectionStartEvent)
                depth -= isinstance(event, CollectionEndEvent)
                self.check_depth(depth, event.start_mark.index)
                if _SURROGATE.search(getattr(event, "value", None) or ""):
                    raise self.error("an escape names half a character", event.start_mark.index)
                events.append(event)
        except ReadError:
            raise
        except MarkedYAMLError as error:
            if not pure and len(self.text) <= _LARGEST_READ_TWICE:
                # Only the pure parser reads a colon inside a plain scalar of ``[cuda:0, cuda:1]``, as PyYAML does.
                return self.events(pure=True)
            mark = error.problem_mark or error.context_mark
            problem = error.problem or error.context or "not valid YAML"
            raise self.error(str(problem), mark.index if mark else 0) from error
        except Exception as error:
            raise self.error(f"not valid YAML: {error}", events[-1].end_mark.index if events else 0) from error
        return events

    def check_depth(self, depth: int, offset: int) -> None:
        """Raise `ReadError` when something is nested too deeply for a program to follow."""
        if depth > DEEPEST:
            raise self.error(f"nested more than {DEEPEST} levels deep", offset)

    def after_properties(self, event: Any) -> int:
        """Return the end of a node's anchor and tag, which come in either order; its start when it has none."""
        offset: int = event.start_mark.index
        for _ in range((event.anchor is not None) + (event.tag is not None)):
            offset = self._after_blank(offset)
            if self.text.startswith("&", offset):
                offset += 1 + len(str(event.anchor))
            else:
                tag = _TAG.match(self.text, offset)
                offset = tag.end() if tag else offset
        return offset

    def content(self, event: Any) -> int:
        """Return where a node that is not empty begins, its anchor and tag left out."""
        return self._after_blank(self.after_properties(event))

    def scalar(self, event: ScalarEvent, announced_by: str, written_to: int) -> Stretch:
        """Return where a scalar is written, its anchor and tag left out.

        An empty one, as in ``key:``, is placed right behind its anchor or tag or the sign that announces it, which is
        looked for from ``written_to`` on; the parsers place it there or at the next token.
        """
        if event.style or event.value:
            start, end = self.content(event), event.end_mark.index
            if event.style in ("|", ">"):
                end = start + len(self.text[start:end].rstrip(" \t\r\n"))
            return Stretch(start, end)
        place = self.after_properties(event)
        if event.anchor is None and event.tag is None:
            sign = self._after_blank(written_to)
            place = sign + 1 if announced_by and self.text.startswith(announced_by, sign) else written_to
        return Stretch(place, place)

    def comments(self, scalars: Iterable[Stretch]) -> tuple[Span, ...]:
        """Return the comments: what begins with ``#`` outside every scalar, anchor, tag and directive.

        ``scalars`` come in the order they are written.
        """
        found: list[Span] = []
        offset = 0
        for scalar in (*scalars, Stretch(len(self.text), len(self.text))):
            header = _BLOCK_HEADER.match(self.text, scalar.start, scalar.end)
            gap_end = header.end() if header else scalar.start
            for match in _COMMENT.finditer(self.text, offset, gap_end):
                if match["comment"] is not None:
                    found.append(self.span(*match.span()))
            offset = max(offset, scalar.end)
        return tuple(found)

    def _after_blank(self, offset: int) -> int:
        """Return where the next token begins: white space, line ends and comments skipped."""
        found = _BLANK.match(self.text, offset)
        return found.end() if found else offset
