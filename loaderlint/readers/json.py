"""Reads JSON into the tree of `loaderlint.readers.tree`, every node with its exact place.

What is JSON, and what it says, is what the standard library's ``json.loads`` makes of it, which is what programs call;
only the places are found here. JSON has no comments; some programs cut them off each line before they read it.
"""

from __future__ import annotations

import json
import re

from msgspec import Struct, field

from loaderlint.model.source import Source
from loaderlint.readers import ReadError
from loaderlint.readers.tree import DEEPEST, ConfigurationFacts, Document, Entry, Mapping, Node, Scalar, Sequence

_TOKEN = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+')
_INTERPOLATION = re.compile(r"\$\{|\{\{")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARK = "\ufeff"


def read(source: Source, sign: str = "") -> ConfigurationFacts:
    """Return what the file says; a key that stands twice is there twice, and `Mapping.get` gives the last.

    Where there is a ``sign``, each line ends before it, whatever it stands in. Raises `ReadError` for what
    ``json.loads`` refuses (comments, trailing commas) and for what is nested too deeply. A byte order mark is passed
    over, as by programs that open the file as ``utf-8-sig``.
    """
    shift = len(_MARK) if source.text.startswith(_MARK) else 0
    text = re.sub(f"{re.escape(sign)}[^\r\n]*", _blanks, source.text) if sign else source.text
    try:
        json.loads(text[shift:])
    except json.JSONDecodeError as error:
        raise ReadError(error.msg, *source.position(error.pos + shift)) from error
    except (RecursionError, ValueError) as error:  # An integer of thousands of digits is a ValueError.
        raise ReadError(f"not valid JSON: {error}") from error
    composer = _Composer(source)
    for match in _TOKEN.finditer(text, shift):
        composer.take(match[0], match.start(), match.end())
    return ConfigurationFacts(source, (Document(source.path, composer.root),))


def _blanks(cut: re.Match[str]) -> str:
    return " " * len(cut[0])


class _Open(Struct):
    """An object or array whose end has not come yet; keys and values of an object alternate in ``parts``."""

    start: int
    mapping: bool
    parts: list[Node] = field(default_factory=list)


class _Composer(Struct):
    """Builds each node when its last token has come; the tokens are those of valid JSON."""

    source: Source
    root: Node | None = None
    above: list[_Open] = field(default_factory=list)

    def take(self, token: str, start: int, end: int) -> None:
        """Take the next token, which stands at these offsets."""
        if token in "{[":
            self.above.append(_Open(start, token == "{"))
            if len(self.above) > DEEPEST:
                line, column = self.source.position(start)
                raise ReadError(f"nested more than {DEEPEST} levels deep", line, column)
        elif token in "}]":
            self._place(self._closed(self.above.pop(), end))
        else:
            self._place(self._scalar(token, start, end))

    def _place(self, node: Node) -> None:
        if self.above:
            self.above[-1].parts.append(node)
        else:
            self.root = node

    def _closed(self, done: _Open, end: int) -> Node:
        span = self.source.span(done.start, end)
        if done.mapping:
            return Mapping(tuple(map(self._entry, done.parts[::2], done.parts[1::2])), span, flow=True)
        return Sequence(tuple(done.parts), span, flow=True)

    def _entry(self, key: Node, value: Node) -> Entry:
        assert isinstance(key, Scalar)
        place = self.source.span(self.source.offset(*key.span.start), self.source.offset(*value.span.end))
        return Entry(key.text, key.span, value, place)

    def _scalar(self, token: str, start: int, end: int) -> Scalar:
        span = self.source.span(start, end)
        constant = json.loads(token)
        if not isinstance(constant, str):
            return Scalar(constant, span, token)
        if _SURROGATE.search(constant):  # An escape that names half a character: nothing can print it.
            return Scalar(token, span, token, quoted=True, opaque=True)
        return Scalar(constant, span, constant, quoted=True, opaque=_INTERPOLATION.search(constant) is not None)
