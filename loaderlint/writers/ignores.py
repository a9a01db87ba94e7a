"""Comments that switch rules off: taking names out of ours, which are written alike in Python, YAML, TOML and INI."""

from __future__ import annotations

import re

from loaderlint.model.source import Source, Span
from loaderlint.writers.base import CannotRewrite, Replacement

_DIRECTIVE = re.compile(
    r"(?:[#;]\s*|(?<=\s))loaderlint:\s*ignore(?:-file)?\[(?P<names>[^\]]*)\](?:(?!\sloaderlint:)[^#])*",
    re.IGNORECASE,
)
_ASSIGNED_LAMBDA = re.compile(r"#\s*noqa:\s*E731\s*", re.IGNORECASE)


def is_about_assigned_lambda(comment: str) -> bool:
    """Return whether a comment says nothing but that its line may assign a lambda, which E731 of pycodestyle is about.

    Where no lambda is assigned any more it has nothing to say, and is itself reported (RUF100).
    """
    return _ASSIGNED_LAMBDA.fullmatch(comment) is not None


def without_name(comment: str, name: str) -> str:
    """Return a comment that no longer suppresses a name; empty when nothing else was in it.

    The directive goes with its last name and its reason; what stands behind a further ``#`` stays. Raises
    `CannotRewrite` when the comment does not suppress the name.
    """
    for directive in _DIRECTIVE.finditer(comment):
        names = [one.strip() for one in directive["names"].split(",")]
        if name not in names:
            continue
        kept = [one for one in names if one and one != name]
        if kept:
            return comment[: directive.start("names")] + ", ".join(kept) + comment[directive.end("names") :]
        before, after = comment[: directive.start()].rstrip(), comment[directive.end() :]
        return f"{before}  {after}" if before and after else before or after
    raise CannotRewrite(f"the comment does not name {name}")


def replacement_without(source: Source, span: Span, names: list[str]) -> Replacement:
    """Return what takes these names out of the comment at ``span``.

    A comment that is left empty goes with the white space before it, or with its whole line when it stood there alone.
    Raises `CannotRewrite` when the comment does not suppress one of the names.
    """
    comment = source.at(span)
    for name in names:
        comment = without_name(comment, name)
    start, end = source.offset(*span.start), source.offset(*span.end)
    if comment:
        return Replacement(start, end, comment)
    before = source.lines[span.line - 1][: span.column - 1]
    kept = before.rstrip(" \t")
    if kept not in ("", "\ufeff"):
        return Replacement(start - len(before) + len(kept), end, "")
    line_end = source.offset(span.line + 1, 1) if span.line < len(source.lines) else end
    return Replacement(start - len(before) + len(kept), line_end, "")
