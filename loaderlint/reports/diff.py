"""What ``--fix`` would write, as a unified diff that ``git apply`` and ``patch -p1`` take."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from loaderlint.model.report import Report
from loaderlint.model.source import Source
from loaderlint.reports._lines import Line, line, paint
from loaderlint.reports._style import STRONG

_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_QUOTED = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def render(report: Report, *, color: bool) -> str:
    r"""Return the diff of every file that changes, by path, or an empty string when none does.

    Without ``color`` the files' characters stand as they are, line ends included, so that the diff can be applied:
    write it without newline translation and in the files' encoding. With ``color`` it is for a terminal, and control
    characters are written out.
    """
    rows = [
        row
        for path, content in sorted(report.rewritten.items())
        for row in _file(report.sources[path], content.decode(report.sources[path].encoding))
    ]
    return paint((_painted(row) for row in rows), color=True) if color else "".join(rows)


def _file(source: Source, after: str) -> Iterator[str]:
    """Yield the file's part of the diff: each line with its end, as ``diff -u`` has them."""
    old, new = _name(f"a/{source.path}"), _name(f"b/{source.path}")
    for row in unified_diff(_rows(source.text), _rows(after), old, new):
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"


def _rows(text: str) -> list[str]:
    """Return the lines as git and patch count them: only a line feed ends one."""
    rows = text.split("\n")
    return [row + "\n" for row in rows[:-1]] + [last for last in rows[-1:] if last]


def _name(path: str) -> str:
    """Return a file name as git writes it in a diff: quoted where it must be, a tab after one with spaces."""
    quoted = "".join(_QUOTED.get(character, character) for character in path)
    if quoted != path:
        return f'"{quoted}"'
    return f"{path}\t" if " " in path else path


def _painted(row: str) -> Line:
    text = row.rstrip("\r\n")
    return line((text, STRONG if text.startswith(("--- ", "+++ ")) else _STYLES.get(text[:1], "")))
