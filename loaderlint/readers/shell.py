"""Reads shell scripts into commands: words with their exact places, variables put in as far as the script sets them.

Nothing is executed. What only a run can tell (a command substitution, a variable from outside, a loop's variable) is
`UNREAD` inside a word. The grammar is that of the POSIX shell with bash's arrays and here-strings; of a script that
does not fit it nothing is read. ``#SBATCH`` lines are those of Slurm: comments above the first command
(https://slurm.schedmd.com/sbatch.html).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from loaderlint.model.source import Source, Span

UNREAD = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands in a word's text for what only a run of the script can tell."""

_BLANK = re.compile(r"(?:[ \t]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\r\n]*")
_REDIRECTION = re.compile(r"(?:\d+|&)?(?P<sign><<<|<<-?|<>|<&|>&|>>|>\||<|>)(?![(])")
_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<sign>\+?=)")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_PARAMETER = re.compile(
    r"(?P<name>[A-Za-z_]\w*|[0-9@*])(?:(?P<all>\[[@*]\])|(?P<sign>:?[-=])(?P<default>.*))?", re.DOTALL
)
_DIRECTIVE = re.compile(r"#SBATCH(?=[ \t])")
_MOST_PUT_IN = 1_000_000
"""Characters that variables stand for in all; a script in which they stand for more is not read."""
_PLAIN = re.compile(r"[^\s;&|()<>\\'\"$`]+|[^\S \t\r\n]|[<>]")
_PLAIN_QUOTED = re.compile(r'[^"$`\\]+')
_ENDS_A_WORD = frozenset(" \t\r\n;&|()<>")
_SEPARATORS = frozenset(";&|()\n")
_HEADS = frozenset({"for", "select", "case"})
_OPENS = frozenset({"if", "while", "until", "{", *_HEADS})
_CLOSES = frozenset({"fi", "done", "esac", "}"})
_RESERVED = frozenset({"then", "elif", "else", "do", "!", "time", *_OPENS, *_CLOSES})
"""Words that may stand before a command and are none themselves."""
_SOURCES = frozenset({"source", "."})
_ACTIVATES = re.compile(r"(^|/)(activate|conda\.sh)$")
"""Files that activate an environment of Python, and set nothing else."""
_SET_BY_SLURM = ("SLURM_", "SRUN_", "SBATCH_")
_DECLARES = frozenset({"export", "declare", "local", "readonly", "typeset"})


class Word(Struct, frozen=True):
    """One word of a command as the shell hands it over.

    ``several`` says that it may turn out as any number of words, none included: an unquoted ``$ARGS``, a ``"$@"``.
    """

    text: str
    span: Span
    several: bool = False

    @property
    def read(self) -> bool:
        """Whether all of the word is known."""
        return UNREAD not in self.text


class Command(Struct, frozen=True, eq=False):
    """One simple command, its assignments and redirections left out; ``span`` runs from its first word to its last.

    ``given`` are the variables set for this command alone.
    """

    words: tuple[Word, ...]
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def span(self) -> Span:
        """Where it stands, from its first word to its last."""
        first, last = self.words[0].span, self.words[-1].span
        return first._replace(end_line=last.end_line, end_column=last.end_column) if first < last else first


class ShellFacts(Struct, frozen=True, eq=False):
    """What one script says.

    ``directives`` are the words of its ``#SBATCH`` lines, ``exported`` the variables that it hands to what it starts,
    and ``comments`` the places of all comments. ``sources`` says that it runs another file, which may set and export
    whatever it likes.
    """

    source: Source
    commands: tuple[Command, ...] = ()
    directives: tuple[Word, ...] = ()
    exported: frozenset[str] = frozenset()
    comments: tuple[Span, ...] = ()
    sources: bool = False


def read(source: Source, arguments: Sequence[Word] | None = None) -> ShellFacts:
    """Return what a script says when it is started with these arguments (None: whoever starts it gives them)."""
    reader = _Reader(source.text, source.span, arguments)
    try:
        reader.run()
    except _CannotRead:
        return ShellFacts(source)
    directives: list[Word] = []
    for start, end in reader.directives:
        line = _Reader(source.text[:end], source.span, None, start)
        try:
            line.run()
        except _CannotRead:
            continue
        directives.extend(word for command in line.commands for word in command.words)
    comments = tuple(source.span(start, end) for start, end in reader.comments)
    return ShellFacts(
        source, tuple(reader.commands), tuple(directives), frozenset(reader.exported), comments, reader.sources
    )


def commands_in(text: str, span: Span) -> tuple[Command, ...]:
    """Return the commands of a script that stands in a string, such as ``bash -c "..."``: all at the string's place."""
    reader = _Reader(text, lambda start, end: span, None)
    try:
        reader.run()
    except _CannotRead:
        return ()
    return tuple(reader.commands)


class _CannotRead(Exception):
    """The text is no shell script, as far as it is known here."""


class _Reader:
    """Reads a text from one place on, a command at a time, and keeps what the variables hold so far."""

    def __init__(
        self, text: str, span: Callable[[int, int], Span], arguments: Sequence[Word] | None, start: int = 0
    ) -> None:
        self.commands: list[Command] = []
        self.comments: list[tuple[int, int]] = []
        self.directives: list[tuple[int, int]] = []
        self.exported: set[str] = set()
        self.sources = False
        self._text = text
        self._span = span
        self._at = start
        self._arguments = arguments
        self._variables: dict[str, str | tuple[Word, ...]] = {}
        self._depth = 0
        self._words: list[Word] = []
        self._given: dict[str, str] = {}
        self._documents: list[tuple[str, bool]] = []
        self._put_in = 0

    def run(self) -> None:
        """Read everything."""
        if self._text.startswith("\ufeff", self._at):
            self._at += 1
        while self._at < len(self._text):
            blank = _BLANK.match(self._text, self._at)
            if blank:
                self._at = blank.end()
                continue
            self._next(self._text[self._at])
        self._end()

    def _next(self, sign: str) -> None:
        redirection = _REDIRECTION.match(self._text, self._at)
        if sign == "\r":
            self._at += 1
        elif sign == "#":
            self._comment()
        elif redirection:
            self._at = redirection.end()
            self._redirect(redirection["sign"])
        elif sign in _SEPARATORS:
            self._at += 1
            self._end()
            if sign == "\n":
                self._skip_documents()
        else:
            self._part()

    def _comment(self) -> None:
        found = _COMMENT.match(self._text, self._at)
        assert found is not None
        begins_line = self._at == 0 or self._text[self._at - 1] == "\n"
        directive = _DIRECTIVE.match(self._text, self._at)
        if directive and begins_line and not self.commands and not self._words and not self._variables:
            self.directives.append((directive.end(), found.end()))
        self.comments.append((found.start(), found.end()))
        self._at = found.end()

    def _redirect(self, sign: str) -> None:
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        start = self._at
        self._word(whole=True)
        if sign in ("<<", "<<-"):
            written = self._text[start : self._at]
            self._documents.append((re.sub(r"[\"'\\]", "", written), sign == "<<-"))

    def _skip_documents(self) -> None:
        for end, indented in self._documents:
            while self._at < len(self._text):
                line_end = self._text.find("\n", self._at)
                line_end = len(self._text) if line_end < 0 else line_end
                line = self._text[self._at : line_end].rstrip("\r")
                self._at = line_end + 1
                if (line.lstrip("\t") if indented else line) == end:
                    break
        self._documents.clear()

    # --- commands ---

    def _part(self) -> None:
        """Read an assignment or the next words of a command."""
        assignment = _ASSIGNMENT.match(self._text, self._at)
        if assignment and (not self._words or self._words[0].text in _DECLARES):
            self._at = assignment.end()
            self._assign(assignment["name"], assignment["sign"])
            return
        found = self._word()
        word = found[0].text if found else ""
        if self._words and self._words[0].text == "function" and word == "{":
            self._words.clear()
        if self._words or word not in _RESERVED:
            self._words.extend(found)
            return
        self._depth = max(0, self._depth + (word in _OPENS) - (word in _CLOSES))
        if word in _HEADS:
            self._head(word)

    def _head(self, word: str) -> None:
        """Read the first line of a ``for`` or ``case``: no command, but the variable of a loop takes many values."""
        first = None
        while self._at < len(self._text) and self._text[self._at] not in ";\n":
            blank = _BLANK.match(self._text, self._at)
            if blank:
                self._at = blank.end()
            elif self._text[self._at] in _ENDS_A_WORD:
                self._at += 1
            else:
                words = self._word(whole=True)
                first = first or (words[0].text if words else None)
        if word != "case" and first is not None:
            self._variables[first] = UNREAD

    def _assign(self, name: str, sign: str) -> None:
        value: str | tuple[Word, ...]
        value = self._row() if self._text.startswith("(", self._at) else self._one_text()
        if self._words:
            self.exported.add(name)
        elif not isinstance(value, tuple):
            self._given[name] = value
        known = sign == "=" and self._depth == 0
        self._variables[name] = value if known else UNREAD

    def _row(self) -> tuple[Word, ...]:
        """Read the items of an array, ``(...)``."""
        self._at += 1
        found: list[Word] = []
        while not self._text.startswith(")", self._at):
            if self._at >= len(self._text):
                raise _CannotRead
            blank = re.compile(r"\s+").match(self._text, self._at) or _BLANK.match(self._text, self._at)
            if blank:
                self._at = blank.end()
            elif self._text[self._at] == "#":
                self._comment()
            else:
                start = self._at
                found.extend(self._word())
                if self._at == start:
                    raise _CannotRead
        self._at += 1
        return tuple(found)

    def _one_text(self) -> str:
        words = self._word(whole=True)
        return words[0].text if words else ""

    def _end(self) -> None:
        if self._words and self._words[0].text == "export":
            self.exported.update(word.text.partition("=")[0] for word in self._words[1:])
        if len(self._words) > 1 and self._words[0].text in _SOURCES and not _ACTIVATES.search(self._words[1].text):
            self.sources = True
        if self._words and self._words[0].text == "read":
            self._variables.update((word.text, UNREAD) for word in self._words[1:])
        if self._words:
            self.commands.append(Command(tuple(self._words), dict(self._given)))
        self._words.clear()
        self._given.clear()

    # --- words ---

    def _word(self, *, whole: bool = False) -> list[Word]:
        """Read one word as the words it stands for; ``whole`` says that the shell does not split it here."""
        return _WordReader(self, whole).read()

    def variable(self, name: str) -> str | tuple[Word, ...] | None:
        """Return what a variable or a parameter of the script holds; None where the script does not set it."""
        if name in "@*" and self._arguments is not None:
            return tuple(self._arguments)
        if name.isdigit() and self._arguments is not None and name != "0":
            number = int(name) - 1
            return self._arguments[number].text if number < len(self._arguments) else None
        value = self._variables.get(name)
        words = value if isinstance(value, tuple) else ()
        self._put_in += sum(len(word.text) + 1 for word in words) if words else len(value or "")
        if self._put_in > _MOST_PUT_IN:
            raise _CannotRead
        return value


class _WordReader:
    """Reads one word: its pieces are joined as they come, and split where an unquoted variable holds spaces."""

    def __init__(self, reader: _Reader, whole: bool) -> None:
        self._reader = reader
        self._text = reader._text
        self._start = reader._at
        self._whole = whole
        self._done: list[tuple[str, bool] | Word] = []
        self._piece: str | None = None
        self._loose = True
        self._many = False

    def read(self) -> list[Word]:
        """Return the words that the one at the reader's place stands for, and move behind it."""
        reader = self._reader
        while reader._at < len(self._text):
            sign = self._text[reader._at]
            if self._text.startswith(("<(", ">("), reader._at):
                reader._at += 2
                self._balanced("(", ")")
                self._add(UNREAD, quoted=True)
            elif sign in _ENDS_A_WORD:
                break
            elif sign == "\\":
                self._escaped()
            elif sign == "'":
                reader._at += 1
                self._add(self._up_to("'"), quoted=True)
            elif sign == '"':
                reader._at += 1
                self._quoted()
            elif sign in "$`":
                self._expansion(quoted=False)
            else:
                plain = _PLAIN.match(self._text, reader._at)
                assert plain is not None
                reader._at = plain.end()
                self._add(plain[0], quoted=False, literal=True)
        self._flush()
        span = reader._span(self._start, reader._at)
        return [one if isinstance(one, Word) else _word_of(*one, span) for one in self._done]

    def _escaped(self) -> None:
        reader = self._reader
        following = self._text[reader._at + 1 : reader._at + 2]
        reader._at += 2
        if following == "\r" and self._text.startswith("\n", reader._at):
            reader._at += 1
        elif following != "\n":
            self._add(following, quoted=True)

    def _up_to(self, end: str) -> str:
        reader = self._reader
        found = self._text.find(end, reader._at)
        if found < 0:
            raise _CannotRead
        text = self._text[reader._at : found]
        reader._at = found + 1
        return text

    def _quoted(self) -> None:
        reader = self._reader
        self._add("", quoted=True)
        while not self._text.startswith('"', reader._at):
            if reader._at >= len(self._text):
                raise _CannotRead
            sign = self._text[reader._at]
            if sign in "$`":
                self._expansion(quoted=True)
            elif sign == "\\":
                following = self._text[reader._at + 1 : reader._at + 2]
                reader._at += 2
                if following == "\r":
                    reader._at += self._text.startswith("\n", reader._at)
                elif following != "\n":
                    self._add(following if following in '"$`\\' else f"\\{following}", quoted=True)
            else:
                plain = _PLAIN_QUOTED.match(self._text, reader._at)
                assert plain is not None
                reader._at = plain.end()
                self._add(plain[0], quoted=True)
        reader._at += 1

    def _expansion(self, *, quoted: bool) -> None:
        reader = self._reader
        sign = self._text[reader._at]
        reader._at += 1
        if sign == "`":
            self._up_to("`")
            self._add(UNREAD, quoted=quoted)
        elif self._text.startswith("(", reader._at):
            reader._at += 1
            self._balanced("(", ")")
            self._add(UNREAD, quoted=quoted)
        elif self._text.startswith("{", reader._at):
            start = reader._at + 1
            reader._at = start
            self._balanced("{", "}")
            self._parameter(self._text[start : reader._at - 1], quoted)
        elif self._text.startswith("'", reader._at) and not quoted:
            reader._at += 1
            text = self._up_to("'")
            self._add(UNREAD if "\\" in text else text, quoted=True)
        elif name := _NAME.match(self._text, reader._at):
            reader._at = name.end()
            self._parameter(name[0], quoted)
        else:
            self._add("$", quoted=True)

    def _balanced(self, opens: str, closes: str) -> None:
        """Move behind the sign that closes what was opened; quotes hide signs."""
        reader = self._reader
        depth = 1
        while depth:
            if reader._at >= len(self._text):
                raise _CannotRead
            sign = self._text[reader._at]
            reader._at += 1
            if sign == "\\":
                reader._at += 1
            elif sign in "'\"" and not (sign == "'" and opens == "{"):
                while not self._text.startswith(sign, reader._at):
                    if reader._at >= len(self._text):
                        raise _CannotRead
                    reader._at += 2 if self._text[reader._at] == "\\" and sign == '"' else 1
                reader._at += 1
            else:
                depth += (sign == opens) - (sign == closes)

    def _parameter(self, written: str, quoted: bool) -> None:
        found = _PARAMETER.fullmatch(written)
        if found is None:
            self._add(UNREAD, quoted=quoted)
            return
        value = self._reader.variable(found["name"])
        if isinstance(value, tuple):
            if found["all"] or found["name"] in "@*":
                if not self._piece:
                    self._piece = None
                self._flush()
                self._done.extend(value)
            else:
                self._add(value[0].text if value else "", quoted=quoted)
            return
        if found["sign"] and (value is None or (not value and found["sign"].startswith(":"))):
            default = found["default"].strip("\"'")
            may_be_set = self._reader.sources or found["name"].startswith(_SET_BY_SLURM)
            value = UNREAD if may_be_set or re.search(r"[$`\\]", default) else default
        if value is None:
            # "$@" is as many words as there are arguments, quoted or not.
            self._many = self._many or found["name"] == "@" or bool(found["all"])
            self._add(UNREAD, quoted=quoted)
        else:
            self._add(value, quoted=quoted)

    def _add(self, text: str, *, quoted: bool, literal: bool = False) -> None:
        if quoted or literal or self._whole:
            self._piece = (self._piece or "") + text
            self._loose = self._loose and not quoted
            return
        parts = text.split()
        if text[:1].isspace():
            self._flush()
        for part in parts[:-1]:
            self._piece = (self._piece or "") + part
            self._flush()
        if parts:
            self._piece = (self._piece or "") + parts[-1]
        if text[-1:].isspace():
            self._flush()

    def _flush(self) -> None:
        if self._piece is not None:
            self._done.append((self._piece, self._loose or self._many))
            self._piece = None
            self._loose = True
            self._many = False


def _word_of(text: str, loose: bool, span: Span) -> Word:
    return Word(text, span, loose and bool(text) and not text.strip(UNREAD))
