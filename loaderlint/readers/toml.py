"""Reads TOML into the tree of `loaderlint.readers.tree`, every node with its exact place.

What is TOML, and what it says, is what ``tomllib`` makes of it; only the places are found here, and what was found is
compared with ``tomllib``'s answer. Where the two differ nothing in the file is taken for known.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time

from msgspec import Struct, field

from loaderlint.model.source import Source, Span
from loaderlint.model.value import Constant
from loaderlint.readers import ReadError
from loaderlint.readers.tree import DEEPEST, ConfigurationFacts, Document, Entry, Mapping, Node, Scalar, Sequence

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MARK = "\ufeff"
_INTERPOLATION = re.compile(r"\$\{|\{\{")
_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")

_BLANK = re.compile(r"[ \t\r\n]+")
_COMMENT = re.compile(r"#[^\r\n]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{1,2}(?!"))?'
    r"|'''.*?'''(?:'{1,2}(?!'))?"
    r'|"(?:[^"\\\r\n]|\\.)*"'
    r"|'[^'\r\n]*'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\r\n]*[^,\]}#\s]")


def read(source: Source) -> ConfigurationFacts:
    """Return what the file says. Raises `ReadError` for what ``tomllib`` refuses and for what is nested too deeply."""
    shift = len(_MARK) if source.text.startswith(_MARK) else 0
    scanner = _Scanner(source, shift)
    try:
        said = tomllib.loads(source.text[shift:])
        root = scanner.document()
    except tomllib.TOMLDecodeError as error:
        raise _refused(source, str(error)) from error
    except _Lost:
        root = _unknown(source)
    except (RecursionError, ValueError) as error:  # An integer of thousands of digits is a ValueError.
        raise ReadError(f"not valid TOML: {error}") from error
    else:
        root = root if _same(root, said) else _unknown(source)
    return ConfigurationFacts(source, (Document(source.path, root),), tuple(scanner.comments))


def _refused(source: Source, message: str) -> ReadError:
    place = _POSITION.search(message)
    if place is None:
        return ReadError(message)
    reason = message[: place.start()]
    if place["line"] is None:
        return ReadError(reason, *source.position(len(source.text)))
    return ReadError(reason, int(place["line"]), int(place["column"]))


def _unknown(source: Source) -> Node:
    """Return a root of which nothing is known: its place is the whole file."""
    return Scalar(source.text, source.span(0, len(source.text)), source.text, opaque=True)


def _same(node: Node, said: object) -> bool:
    """Return whether a node is what ``tomllib`` says stands there."""
    if isinstance(node, Mapping):
        keys = [entry.key for entry in node.entries]
        return (
            isinstance(said, dict) and keys == [*said] and all(_same(one.value, said[one.key]) for one in node.entries)
        )
    if isinstance(node, Sequence):
        return isinstance(said, list) and len(said) == len(node.items) and all(map(_same, node.items, said))
    return repr(node.constant) == repr(_constant(said))


def _constant(said: object) -> Constant:
    """Return a value of ``tomllib``'s as a constant: a date or time as its text."""
    if isinstance(said, bool | int | float | str):
        return said
    return str(said)


class _Lost(Exception):
    """Raised where valid TOML is not what the scanner takes it for."""


class _Member(Struct):
    """A key where it first stands (offsets), and what it holds: a value, a table or an array of tables being filled."""

    start: int
    end: int
    value: Node | _Table | list[_Table]


class _Table(Struct):
    """A table while it is being filled; ``place`` is where it counts as written as long as nothing is in it."""

    place: int
    members: dict[str, _Member] = field(default_factory=dict)

    def below(self, key: str, start: int, end: int) -> _Table:
        """Return the table under a key that stands at these offsets, made where there is none; the last of an array."""
        value = self.members.setdefault(key, _Member(start, end, _Table(end))).value
        if isinstance(value, list):
            return value[-1]
        if not isinstance(value, _Table):
            raise _Lost
        return value


class _Scanner(Struct):
    """Walks over the text of valid TOML once; ``offset`` is how far it has come."""

    source: Source
    offset: int
    comments: list[Span] = field(default_factory=list)
    depth: int = 0

    def document(self) -> Node:
        """Return the whole file's table."""
        root = table = _Table(self.offset)
        while self._after_blank() < len(self.source.text):
            if self._takes("[["):
                table = self._new_table(root, [*self._keys()])
                self._expect("]]")
            elif self._takes("["):
                table = root
                for key, start, end in self._keys():
                    table = table.below(key, start, end)
                self._expect("]")
            else:
                self._assignment(table)
        return self._frozen(root)

    def _new_table(self, root: _Table, keys: list[tuple[str, int, int]]) -> _Table:
        table = root
        for key, start, end in keys[:-1]:
            table = table.below(key, start, end)
        key, start, end = keys[-1]
        tables = table.members.setdefault(key, _Member(start, end, [])).value
        if not isinstance(tables, list):
            raise _Lost
        tables.append(_Table(end))
        return tables[-1]

    def _assignment(self, table: _Table) -> None:
        *above, (key, start, end) = self._keys()
        for outer, outer_start, outer_end in above:
            table = table.below(outer, outer_start, outer_end)
        self._expect("=")
        if key in table.members:
            raise _Lost
        table.members[key] = _Member(start, end, self._value())

    def _keys(self) -> Iterator[tuple[str, int, int]]:
        """Yield the parts of a dotted key with the offsets of each."""
        while True:
            start = self._after_blank()
            match = _STRING.match(self.source.text, start) or _BARE_KEY.match(self.source.text, start)
            if match is None:
                raise _Lost
            self.offset = match.end()
            quoted = match[0][0] in "'\""
            yield str(_parsed(match[0])) if quoted else match[0], start, match.end()
            if not self._takes("."):
                return

    def _value(self) -> Node:
        start = self._after_blank()
        self.depth += 1
        if self.depth > DEEPEST:
            raise ReadError(f"nested more than {DEEPEST} levels deep", *self.source.position(start))
        node: Node
        if self._takes("["):
            items: list[Node] = []
            while not self._takes("]"):
                items.append(self._value())
                self._takes(",")
            node = Sequence(tuple(items), self.source.span(start, self.offset), flow=True)
        elif self._takes("{"):
            table = _Table(start)
            while not self._takes("}"):
                self._assignment(table)
                self._takes(",")
            node = self._frozen(table, self.source.span(start, self.offset))
        else:
            node = self._scalar(start)
        self.depth -= 1
        return node

    def _scalar(self, start: int) -> Scalar:
        match = _STRING.match(self.source.text, start) or _PLAIN.match(self.source.text, start)
        if match is None:
            raise _Lost
        self.offset = match.end()
        span = self.source.span(start, self.offset)
        said = _parsed(match[0])
        constant = _constant(said)
        opaque = isinstance(said, date | datetime | time)
        if isinstance(said, str):
            return Scalar(said, span, said, quoted=True, opaque=_INTERPOLATION.search(said) is not None)
        return Scalar(constant, span, match[0], opaque=opaque)

    def _frozen(self, table: _Table, span: Span | None = None) -> Mapping:
        """Return a filled table; ``span`` is given where it stands in braces, else its entries say where it stands."""
        entries: list[Entry] = []
        for key, member in table.members.items():
            value: Node
            if isinstance(member.value, _Table):
                value = self._frozen(member.value)
            elif isinstance(member.value, list):
                tables = tuple(map(self._frozen, member.value))
                value = Sequence(tables, _around(tables))
            else:
                value = member.value
            key_span = self.source.span(member.start, member.end)
            entries.append(Entry(key, key_span, value, _between(key_span, value.span)))
        if span is not None:
            return Mapping(tuple(entries), span, flow=True)
        return Mapping(tuple(entries), _around(entries) if entries else self.source.span(table.place, table.place))

    def _after_blank(self) -> int:
        """Pass over white space, line ends and comments; return the offset of what comes next."""
        while match := _BLANK.match(self.source.text, self.offset) or _COMMENT.match(self.source.text, self.offset):
            if match[0].startswith("#"):
                self.comments.append(self.source.span(*match.span()))
            self.offset = match.end()
        return self.offset

    def _takes(self, sign: str) -> bool:
        """Pass over a sign and return True when it comes next."""
        if not self.source.text.startswith(sign, self._after_blank()):
            return False
        self.offset += len(sign)
        return True

    def _expect(self, sign: str) -> None:
        if not self._takes(sign):
            raise _Lost


def _parsed(token: str) -> object:
    """Return the value of a token that stands for one."""
    try:
        return tomllib.loads(f"value = {token}")["value"]
    except tomllib.TOMLDecodeError as error:
        raise _Lost from error


def _around(parts: Iterable[Entry | Node]) -> Span:
    """Return the place from the first of the parts to the last."""
    places = [part.span for part in parts]
    first, last = min(places), max(places, key=lambda one: one.end)
    return _between(first, last)


def _between(first: Span, last: Span) -> Span:
    return Span(first.path, first.line, first.column, last.end_line, last.end_column)
