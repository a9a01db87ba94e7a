"""Comments that accept a finding: ``# loaderlint: ignore[names] reason`` and ``# loaderlint: ignore-file[names]``."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.model.edit import Fix, RemoveIgnore
from loaderlint.model.finding import Finding
from loaderlint.model.rule import Rule
from loaderlint.model.source import Language, Source, Span
from loaderlint.model.target import Platform
from loaderlint.nearest import nearest
from loaderlint.readers import ReadError, configuration, shell
from loaderlint.selection import suggestion

UNUSED = "unused-ignore"
"""The name of the rule about the comments themselves."""

_MARK = "loaderlint:"
_PREFIX = re.compile(r"LL\d*")
_NAMED = re.compile(r"LL\d+|ALL|[a-z]+(?:-[a-z0-9]+)+")
"""What looks like the code or name of a rule."""
_COMMENT = re.compile(
    r"(?P<begun>[#;]\s*|(?<=\s))loaderlint:\s*(?P<word>[\w-]+)(?:\[(?P<names>[^\]]*)\])?", re.IGNORECASE
)
"""What a comment begins with, in capitals or not, as it is with what other tools are told.

Where it stands behind that, or other words (``# noqa: E501  loaderlint: ignore[LL301]``), it has to be one of our words
and name something."""
_WORDS = frozenset({"ignore", "ignore-file"})
"""What a comment of ours begins with. One that begins with another word is prose, unless it names rules in brackets or
is no more than a word that looks like one of these."""


class Ignore(Struct, frozen=True):
    """One name in one ignore comment, an empty one where it names nothing.

    ``misspelt`` is the word it begins with, where that is none of ours: it accepts nothing.
    ``place`` is where the name stands in it, and ``misplaced`` says that it is about the whole file but stands below
    the first block of comments, where it means nothing. One that stands ``alone`` on its line is about what is below;
    another ``reaches_down`` to that where it is about nothing on its own line.
    """

    name: str
    comment: Span
    place: Span
    whole_file: bool
    misplaced: bool = False
    alone: bool = False
    reaches_down: bool = True
    misspelt: str = ""

    def means(self, code: str, name: str) -> bool:
        """Return whether this is the code or name of a rule, the beginning of its code, or ``ALL``, in any case."""
        if self.name.lower() in (name, "all"):
            return True
        written = self.name.upper()
        return _PREFIX.fullmatch(written) is not None and code.startswith(written)

    def accepts(self, finding: Finding) -> bool:
        """Return whether this name accepts the finding where it stands."""
        if not self.means(finding.code, finding.name) or finding.span.path != self.comment.path:
            return False
        if self.whole_file:
            return not self.misplaced
        # The loader's own call, and the one that declares the flag whose default it gets.
        calls = [step.span for step in finding.trail] + ([] if finding.site is None else [finding.site.span])
        if any(call.holds(finding.span) and self._stands_at(call) for call in calls):
            return True
        return finding.span.line - self.reaches_down <= self.comment.line <= finding.span.end_line

    def _stands_at(self, call: Span) -> bool:
        """Return whether the comment stands where a call begins or ends, or above it on a line of its own."""
        return self.comment.line in (call.line - self.alone, call.line, call.end_line)


def ignores(source: Source) -> tuple[Ignore, ...]:
    """Return the ignore comments of a file, one for each name they hold; none for a file that cannot be parsed."""
    if not _has_mark(source.text):
        return ()
    found: list[Ignore] = []
    first_line_of_code = _first_line_of_code(source)
    for comment in _comments(source):
        start = source.offset(*comment.start)
        alone = not source.lines[comment.line - 1][: comment.column - 1].strip()
        for match in _COMMENT.finditer(source.at(comment)):
            word, names = match["word"].lower(), (match["names"] or "").strip(" ,")
            if not match["begun"] and not (word in _WORDS and names):
                continue
            whole_file = word == "ignore-file"
            misplaced = whole_file and comment.line >= first_line_of_code
            place = source.span(start + match.start(), start + match.end())
            if word not in _WORDS:
                if _is_misspelt(match, source.at(comment)):
                    found.append(Ignore("", comment, place, whole_file, alone=alone, misspelt=word))
                continue
            if not names:
                found.append(Ignore("", comment, place, whole_file, misplaced, alone))
                continue
            offset = start + match.start("names")
            for written in match["names"].split(","):
                name = written.strip()
                if name:
                    begin = offset + len(written) - len(written.lstrip())
                    place = source.span(begin, begin + len(name))
                    found.append(Ignore(name, comment, place, whole_file, misplaced, alone))
                offset += len(written) + 1
    return tuple(found)


def _is_misspelt(match: re.Match[str], comment: str) -> bool:
    """Return whether a comment that begins with a word of others looks as if it were to accept something."""
    alone = match.end() == len(comment.rstrip()) and _meant(match["word"].lower()) is not None
    return alone or any(_NAMED.fullmatch(one.strip()) for one in (match["names"] or "").split(","))


def _meant(word: str) -> str | None:
    return nearest(word, _WORDS, cutoff=0.75)


def settled(written: Sequence[Ignore], raised: Iterable[Finding]) -> tuple[Ignore, ...]:
    """Return the comments of a file, each that stands behind what it accepts a finding of as one about that alone."""
    findings = list(raised)
    behind = (replace(one, reaches_down=one.alone) for one in written)
    return tuple(own if any(map(own.accepts, findings)) else one for one, own in zip(written, behind, strict=True))


def _has_mark(text: str) -> bool:
    return _MARK in text or _MARK in text.lower()


def _first_line_of_code(source: Source) -> int:
    for number, line in enumerate(source.lines, start=1):
        text = line.lstrip("\ufeff").strip()
        if text and not text.startswith(("#", ";", "%YAML", "---")):
            return number
    return len(source.lines) + 1


def _comments(source: Source) -> Iterable[Span]:
    """Return the comments of a file that may be about us; none when it cannot be parsed."""
    if source.language is Language.SHELL:
        return shell.read(source).comments
    if not source.language.is_configuration:
        return _python_comments(source)
    try:
        return configuration.read(source).comments
    except ReadError:
        return ()


def _python_comments(source: Source) -> Iterator[Span]:
    mark = 1 if source.text.startswith("\ufeff") else 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text[mark:], newline=None).readline):
            if token.type == tokenize.COMMENT and _has_mark(token.string):
                line, column = token.start
                shift = mark if line == 1 else 0
                yield Span(source.path, line, column + 1 + shift, line, token.end[1] + 1 + shift, source.cells)
    except (tokenize.TokenError, SyntaxError):
        return


def unused(
    rule: type[Rule],
    written: Sequence[Ignore],
    raised: Sequence[Finding],
    known: frozenset[str],
    platforms: frozenset[Platform],
) -> tuple[list[Finding], int]:
    """Return a finding of ``rule`` for every name that accepts none of what was raised, or that no rule has.

    The rule is itself one that a comment can name; the second result counts what such comments accept.
    """
    own = [one for one in written if one.name in (rule.code, rule.name())]
    others = [one for one in written if one not in own]
    idle = [_unused(rule, one, known, platforms) for one in others if not any(map(one.accepts, raised))]
    kept = [finding for finding in idle if not any(one.accepts(finding) for one in own)]
    useless = [_unused(rule, one, known, platforms) for one in own if not any(map(one.accepts, idle))]
    return [*kept, *useless], len(idle) - len(kept)


def _unused(rule: type[Rule], ignore: Ignore, known: frozenset[str], platforms: frozenset[Platform]) -> Finding:
    name = ignore.name
    if ignore.misspelt:
        meant = _meant(ignore.misspelt)
        hint = f"; did you mean {meant!r}?" if meant else ""
        message = f"this comment ignores nothing: {ignore.misspelt} is neither ignore nor ignore-file{hint}"
    elif not name:
        message = "this comment ignores nothing: it names no rule in brackets, as ignore[workers-on-windows] does"
    elif not any(ignore.means(one, one) for one in known):
        message = f"{name} is ignored here, but no rule has this code or name{suggestion(name, known)}"
    elif ignore.misplaced:
        message = f"ignore-file means nothing below the first line of code, so {name} is not ignored"
    else:
        message = f"{name} is ignored here, but it finds nothing here"
    return Finding(
        code=rule.code,
        name=rule.name(),
        severity=rule.severity,
        confidence=rule.confidence,
        message=message,
        span=ignore.place,
        platforms=platforms,
        fix=Fix(f"remove {name} from the comment", (RemoveIgnore(ignore.comment, name),)) if name else None,
        unfixed="" if name else "what it is to ignore is not known",
    )
