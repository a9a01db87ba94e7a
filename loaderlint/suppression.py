"""Comments that accept a finding: ``# loaderlint: ignore[names] reason`` and ``# loaderlint: ignore-file[names]``."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from loaderlint.model.edit import Fix, RemoveIgnore
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.rule import Rule
from loaderlint.model.source import Language, Source, Span
from loaderlint.model.target import Platform

_MARK = "loaderlint:"
_COMMENT = re.compile(r"#\s*loaderlint:\s*(ignore-file|ignore)\[([^\]]*)\]")


@dataclass(frozen=True)
class Ignore:
    """One name in one ignore comment; ``line`` is the comment's, ``alone`` says that nothing else stands on it."""

    name: str
    comment: Span
    place: Span
    alone: bool
    whole_file: bool

    def accepts(self, finding: Finding) -> bool:
        """Return whether this name accepts the finding where it stands."""
        if self.name not in (finding.code, finding.name) or finding.span.path != self.comment.path:
            return False
        if self.whole_file:
            return True
        first = finding.span.line - (1 if self.alone else 0)
        return first <= self.comment.line <= finding.span.end_line


def ignores(source: Source) -> tuple[Ignore, ...]:
    """Return the ignore comments of a file, one for each name they hold."""
    if _MARK not in source.text:
        return ()
    found: list[Ignore] = []
    first_block = True
    for comment, alone in _comments(source):
        match = _COMMENT.search(source.at(comment))
        if match is None:
            continue
        whole_file = match.group(1) == "ignore-file"
        first_block = comment.line <= _first_code_line(source)
        if whole_file and not first_block:
            continue
        start = source.offset(*comment.start)
        offset = match.start(2)
        for written in match.group(2).split(","):
            name = written.strip()
            if name:
                begin = start + offset + (len(written) - len(written.lstrip()))
                found.append(Ignore(name, comment, source.span(begin, begin + len(name)), alone, whole_file))
            offset += len(written) + 1
    return tuple(found)


def _first_code_line(source: Source) -> int:
    for number, line in enumerate(source.lines, start=1):
        text = line.strip().lstrip("\ufeff")
        if text and not text.startswith(("#", "%YAML", "---")):
            return number
    return len(source.lines)


def _comments(source: Source) -> Iterator[tuple[Span, bool]]:
    """Yield the comments of a file with whether each stands alone on its line."""
    if source.language is Language.YAML:
        from loaderlint.readers import ReadError, yaml

        try:
            comments: Iterable[Span] = yaml.read(source).comments
        except ReadError:
            return
    else:
        comments = _python_comments(source)
    for comment in comments:
        yield comment, not source.lines[comment.line - 1][: comment.column - 1].strip().lstrip("\ufeff")


def _python_comments(source: Source) -> Iterator[Span]:
    mark = 1 if source.text.startswith("\ufeff") else 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text[mark:]).readline):
            if token.type == tokenize.COMMENT and _MARK in token.string:
                line, column = token.start
                shift = mark if line == 1 else 0
                yield Span(source.path, line, column + 1 + shift, line, token.end[1] + 1 + shift)
    except (tokenize.TokenError, SyntaxError):
        return


def unused(
    rule: type[Rule],
    written: Sequence[Ignore],
    used: Iterable[Ignore],
    known: frozenset[str],
    platforms: frozenset[Platform],
) -> Iterator[Finding]:
    """Yield a finding for every name that accepts nothing, or that no rule has."""
    done = set(used)
    for one in written:
        if one in done:
            continue
        if one.name in known:
            message = f"{one.name} is ignored here, but it finds nothing here"
        else:
            message = f"{one.name} is ignored here, but no rule has this code or name"
        yield Finding(
            code=rule.code,
            name=rule.name(),
            severity=Severity.WARNING,
            confidence=Confidence.CERTAIN,
            message=message,
            span=one.place,
            platforms=platforms,
            fix=Fix(f"remove {one.name} from the comment", (RemoveIgnore(one.comment, one.name),)),
        )
