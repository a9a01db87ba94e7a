"""Reads INI into the tree of `loaderlint.readers.tree`: a mapping of sections, each a mapping of texts.

What is INI, and what it says, is what ``configparser`` makes of it (``RawConfigParser._read``, Python 3.13); only the
places are found here, and what was found is compared with its answer. Where the two differ nothing in the file is taken
for known. Names of options stand as they are written. What depends on how the program sets its parser up is opaque: an
interpolation, what may be a comment behind a value, and a value of several lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as LookUp
from configparser import Error, RawConfigParser

from msgspec import Struct, field

from loaderlint.model.source import Source, Span
from loaderlint.readers import ReadError
from loaderlint.readers.tree import MERGE, ConfigurationFacts, Document, Entry, Mapping, Node, Scalar

DEFAULTS = "DEFAULT"
"""The section whose options every other has as well."""

_HEADER = re.compile(r"\[(?P<name>.+)\]")
_OPTION = re.compile(r"(?P<key>.*?)\s*(?:(?P<sign>[=:])\s*(?P<value>.*))?$")
_WORKED_OUT = re.compile(r"%|\$\{|(?:^|\s)[#;]")
_TAKEN = re.compile(r"%\((?P<basic>[^)]+)\)s|\$\{(?:[^:}]*:)?(?P<extended>[^:}]+)\}")
"""An option that another takes the value of: ``%(name)s``, ``${name}``, ``${section:name}``.

Which of them a parser works out depends on how it was set up (``configparser.BasicInterpolation`` and its like).
"""
_COMMENTS = ("#", ";")
_PLACE = re.compile(r"^While reading from .*? \[line +\d+\]: ")
"""What the parser says of the place, which we know better."""


def read(source: Source) -> ConfigurationFacts:
    """Return what the file says. Raises `ReadError` for what ``configparser`` refuses, such as a name given twice.

    Only in ``.ini``: other formats have the same suffixes, such as the networks in Darknet's ``.cfg`` that repeat their
    sections, and nothing in a file of one of those is known.
    """
    try:
        parser = _parsed(source.text)
    except Error as error:
        if not source.path.lower().endswith(".ini"):
            return ConfigurationFacts(source, (Document(source.path, _opaque(source)),), ())
        reason, line = _PLACE.sub("", error.message).partition("\n")[0], int(getattr(error, "lineno", None) or 1)
        raise ReadError(f"not valid INI: {reason}", line) from error
    scanned = _Scanned(source, _taken_in(source.text))
    for number in range(1, len(source.lines) + 1):
        scanned.take(number)
    said: dict[str, dict[str, str]] = {name: dict(parser.items(name)) for name in parser.sections()}
    said[DEFAULTS] = dict(parser.defaults())
    root = scanned.root()
    same = isinstance(root, Mapping) and _says(root, said)
    known = root if same else _opaque(source)
    return ConfigurationFacts(source, (Document(source.path, known),), tuple(scanned.comments))


def options_by_section(text: str) -> LookUp[str, LookUp[str, str | None]]:
    """Return the options that a text gives each section itself, None for one that the program's parser works out.

    There are none where ``configparser`` refuses the text.
    """
    try:
        # No section can have the empty name, so that the defaults are lent to none.
        parser = _parsed(text, defaults="")
    except Error:
        return {}
    return {name: {key: _as_it_stands(value) for key, value in parser.items(name)} for name in parser.sections()}


def _parsed(text: str, defaults: str = DEFAULTS) -> RawConfigParser:
    """Return a parser that has read a text, names of options as they are written.

    ``defaults`` names the section that is lent to all others. Raises ``configparser.Error``.
    """
    parser = RawConfigParser(allow_no_value=True, default_section=defaults)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser


def _as_it_stands(value: str | None) -> str | None:
    worked_out = value is None or "\n" in value or _WORKED_OUT.search(value)
    return None if worked_out else value


def _taken_in(text: str) -> frozenset[str]:
    return frozenset((one["basic"] or one["extended"]).lower() for one in _TAKEN.finditer(text))


def _opaque(source: Source) -> Scalar:
    return Scalar(source.text, source.span(0, len(source.text)), source.text, opaque=True)


def _says(root: Mapping, said: dict[str, dict[str, str]]) -> bool:
    """Return whether a tree is what ``configparser`` says stands there; an opaque value may be any."""
    found = {entry.key: entry.value for entry in root.entries}
    if {*found} | {DEFAULTS} != {*said}:
        return False
    for name, section in found.items():
        options = section.merged if isinstance(section, Mapping) else {}
        if {*options} != {*said[name]}:
            return False
        values = ((key, entry.value) for key, entry in options.items())
        if any(isinstance(one, Scalar) and not one.opaque and one.text != said[name][key] for key, one in values):
            return False
    return True


class _Section(Struct):
    """A section while it is being read: where its name stands, and its options."""

    name: Span
    entries: dict[str, Entry] = field(default_factory=dict)


class _Scanned(Struct):
    """What was found so far.

    ``taken`` are the names in interpolations, in lower case; ``indent`` is that of the option being read, which deeper
    lines go on with.
    """

    source: Source
    taken: frozenset[str]
    sections: dict[str, _Section] = field(default_factory=dict)
    comments: list[Span] = field(default_factory=list)
    section: _Section | None = None
    option: str = ""
    indent: int = 0

    def take(self, number: int) -> None:
        """Read the next line."""
        line = self.source.lines[number - 1]
        text = line.strip()
        start = len(line) - len(line.lstrip())
        if not text:
            return
        if text.startswith(_COMMENTS):
            self.comments.append(self._span(number, start, len(line)))
            return
        if self.section is not None and self.option and start > self.indent:
            self._go_on(number, line)
            return
        self.indent = start
        header = _HEADER.match(text)
        if header is not None:
            name = self._span(number, start + header.start("name"), start + header.end("name"))
            self.section, self.option = self.sections.setdefault(header["name"], _Section(name)), ""
        elif self.section is not None:
            self._option(number, text, start)

    def _option(self, number: int, text: str, start: int) -> None:
        assert self.section is not None
        match = _OPTION.match(text)
        assert match is not None
        self.option = match["key"]
        key = self._span(number, start + match.start("key"), start + match.end("key"))
        span = key if match["sign"] is None else self._span(number, start + match.start("value"), start + len(text))
        value = match["value"] or ""
        opaque = match["sign"] is None or _WORKED_OUT.search(value) is not None
        scalar = Scalar(value, span, value, opaque=opaque, shared=self._is_default or self._is_taken)
        self.section.entries[self.option] = Entry(self.option, key, scalar, _between(key, span))

    def _go_on(self, number: int, line: str) -> None:
        """Take a line for more of the value before it, which nobody needs to know."""
        assert self.section is not None
        before = self.section.entries[self.option]
        end = self._span(number, 0, len(line.rstrip()))
        span = _between(before.value.span, end)
        text = f"{before.value.text}\n{line.strip()}" if isinstance(before.value, Scalar) else ""
        value = Scalar(text, span, text, opaque=True, shared=self._is_default)
        self.section.entries[self.option] = Entry(before.key, before.key_span, value, _between(before.key_span, end))

    @property
    def _is_taken(self) -> bool:
        """Whether an interpolation names the option, in whatever section."""
        return self.option.lower() in self.taken

    @property
    def _is_default(self) -> bool:
        return self.section is self.sections.get(DEFAULTS)

    def root(self) -> Node:
        """Return the whole file's sections."""
        defaults = self.sections.get(DEFAULTS)
        lent = _frozen(defaults, None) if defaults is not None else None
        sections = {name: _frozen(one, None if one is defaults else lent) for name, one in self.sections.items()}
        entries = tuple(
            Entry(name, self.sections[name].name, one, _between(self.sections[name].name, one.span))
            for name, one in sections.items()
        )
        return Mapping(entries, self.source.span(0, len(self.source.text)))

    def _span(self, line: int, start: int, end: int) -> Span:
        return Span(self.source.path, line, start + 1, line, end + 1)


def _frozen(section: _Section, defaults: Mapping | None) -> Mapping:
    own = tuple(section.entries.values())
    span = _between(own[0].span, own[-1].span) if own else section.name
    lent = (Entry(MERGE, section.name, defaults, section.name, merge=True),) if defaults is not None else ()
    return Mapping((*lent, *own), span)


def _between(first: Span, last: Span) -> Span:
    return Span(first.path, first.line, first.column, last.end_line, last.end_column)
