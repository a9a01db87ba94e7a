"""Annotations on a pull request: GitHub Actions workflow commands.

Form and escaping follow ``actions/toolkit``, ``packages/core/src/command.ts``. The runner takes columns only where an
annotation begins and ends on one line (``actions/runner``, ``IssueCommandExtension``), so a longer one has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from loaderlint.model.finding import Failure, Finding, Severity
from loaderlint.model.report import Report
from loaderlint.reports._lines import visible
from loaderlint.reports._style import Style
from loaderlint.reports._words import on_platforms

_COMMANDS: Mapping[Severity, str] = MappingProxyType(
    {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
)


def render(report: Report, style: Style) -> str:
    """Return one workflow command per finding and failure; the style does not matter."""
    commands = [_finding(one) for one in report.findings] + [_failure(one) for one in report.failures]
    return "".join(command + "\n" for command in commands)


def _finding(finding: Finding) -> str:
    span = finding.span
    if span.cell is not None:
        # GitHub shows no notebook by lines: the message says where it is.
        properties: dict[str, str | int] = {"file": span.path, "title": f"{finding.code} {finding.name}"}
        return _command(_COMMANDS[finding.severity], properties, "\n".join([f"{span}:", *_message(finding)]))
    properties = {"file": span.path, "line": span.line, "endLine": span.end_line}
    if span.line == span.end_line:
        properties |= {"col": span.column, "endColumn": span.end_column}
    properties["title"] = f"{finding.code} {finding.name}"
    return _command(_COMMANDS[finding.severity], properties, "\n".join(_message(finding)))


def _message(finding: Finding) -> Iterator[str]:
    where = on_platforms(finding.platforms)
    yield f"{finding.message} ({where})" if where else finding.message
    if finding.error:
        yield f"error: {finding.error}"
    if finding.fix is not None:
        yield f"fix: {finding.fix.title} ({finding.fix.safety.value})"
        return
    if finding.help:
        yield f"help: {finding.help}"
    if finding.unfixed:
        yield f"not fixed: {finding.unfixed}"


def _failure(failure: Failure) -> str:
    properties: dict[str, str | int] = {"file": failure.path, "line": failure.line, "col": failure.column}
    return _command("error", properties | {"title": "loaderlint"}, failure.message)


def _command(name: str, properties: Mapping[str, str | int], message: str) -> str:
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(message)}"


def _data(text: str) -> str:
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "%0A".join(visible(row).replace("%", "%25") for row in rows)


def _property(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace(":", "%3A").replace(",", "%2C")
    return visible(escaped)
