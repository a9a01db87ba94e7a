"""The report for programs: JSON, version 1.

The form is a contract: within version 1 a key may be added, but none is renamed or taken away. Non-ASCII text is
escaped, so the output can be written in any encoding, whatever a file name holds.
"""

from __future__ import annotations

import json
from typing import Any

from loaderlint import __version__
from loaderlint.model.finding import Failure, Finding
from loaderlint.model.report import Report
from loaderlint.model.source import Span
from loaderlint.model.target import Target
from loaderlint.model.value import Trail
from loaderlint.reports._style import Style
from loaderlint.reports._words import documentation, platform_order, version


def render(report: Report, style: Style) -> str:
    """Return the report as one JSON object; the style does not matter."""
    return json.dumps(_report(report), indent=2) + "\n"


def _report(report: Report) -> dict[str, Any]:
    return {
        "version": 1,
        "loaderlint": __version__,
        "targets": [_target(target) for target in report.targets],
        "files_seen": report.files_seen,
        "files_read": report.files_read,
        "findings": [_finding(report, one) for one in report.findings],
        "fixed": [_finding(report, one) for one in report.fixed],
        "errors": [_error(failure) for failure in report.failures],
        "summary": {
            "findings": len(report.findings),
            "fixed": len(report.fixed),
            "fixable": len(report.fixable),
            "unsafe_fixable": len(report.unsafe_fixable),
            "suppressed": report.suppressed,
            "files_changed": len(report.rewritten),
        },
    }


def _target(target: Target) -> dict[str, Any]:
    return {
        "platform": target.platform.value,
        "python": version(target.python),
        "torch": None if target.torch is None else version(target.torch),
        "accelerator": None if target.accelerator is None else target.accelerator.value,
        "cpus": target.cpus,
    }


def _finding(report: Report, finding: Finding) -> dict[str, Any]:
    site = finding.site
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "message": finding.message,
        **_stretch(finding.span),
        "platforms": [platform.value for platform in platform_order(finding.platforms)],
        "loader": None if site is None else {**start(site.span), "callee": site.callee},
        "trail": steps(finding.trail),
        "fix": _fix(report, finding),
        "url": documentation(finding.name),
    }


def _fix(report: Report, finding: Finding) -> dict[str, Any] | None:
    if finding.fix is None:
        return None
    return {
        "safety": finding.fix.safety.value,
        "title": finding.fix.title,
        "edits": [{**_stretch(edit.span), "content": edit.content} for edit in report.edits.get(finding, ())],
    }


def start(span: Span) -> dict[str, Any]:
    """Return a place by its first character; in a notebook the line is that of the cell."""
    cell = {} if span.cell is None else {"cell": span.cell}
    return {"path": span.path, **cell, "line": span.shown_line, "column": span.column}


def steps(trail: Trail) -> list[dict[str, Any]]:
    """Return the steps of a trail, each with its place and its note."""
    return [{**start(step.span), "note": step.note} for step in trail]


def _stretch(span: Span) -> dict[str, Any]:
    return {**start(span), "end_line": span.shown_end_line, "end_column": span.end_column}


def _error(failure: Failure) -> dict[str, Any]:
    cell = {} if failure.cell is None else {"cell": failure.cell}
    return {"path": failure.path, **cell, "line": failure.line, "column": failure.column, "message": failure.message}
