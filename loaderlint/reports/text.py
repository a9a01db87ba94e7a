"""The report for people: each finding with its code, its way to the loader, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Finding
from loaderlint.model.report import Report
from loaderlint.reports._frame import frame
from loaderlint.reports._lines import BLANK, Line, cells, line, paint, paragraphs
from loaderlint.reports._style import BAD, CALM, FAINT, GOOD, SEVERITY, STRONG, WARN, Style
from loaderlint.reports._summary import failure_lines, fixed_lines, statistics_lines, summary_lines
from loaderlint.reports._words import on_platforms

_INDENT = "  "


def render(report: Report, style: Style) -> str:
    """Return the whole report; with ``style.quiet`` and nothing to report, nothing."""
    blocks: list[Iterator[Line]] = []
    if style.statistics:
        blocks.append(statistics_lines(report))
    else:
        blocks.extend(_finding(report, one, style.width) for one in report.findings)
    blocks.append(failure_lines(report))
    if not style.quiet:
        blocks.append(fixed_lines(report))
        blocks.append(summary_lines(report, style))
    lines: list[Line] = []
    for block in map(tuple, blocks):
        if lines and block:
            lines.append(BLANK)
        lines.extend(block)
    return paint(lines, color=style.color)


def _finding(report: Report, finding: Finding, width: int) -> Iterator[Line]:
    yield _header(report, finding)
    yield from paragraphs(finding.message, width, first=_INDENT, indent=_INDENT)
    source = report.source(finding.span.path)
    code = () if source is None else tuple(frame(source, finding.span, width, SEVERITY[finding.severity]))
    if code:
        yield BLANK
        yield from code
    advice = (*_way(finding), *_error(finding, width), *_remedy(report, finding, width))
    if code and advice:
        yield BLANK
    yield from advice


def _header(report: Report, finding: Finding) -> Line:
    only = {target.platform for target in report.targets}
    everywhere = len(only) == 1 and finding.platforms == only
    where = "" if everywhere else on_platforms(finding.platforms)
    return line(
        (f"{finding.span}", STRONG),
        ": ",
        (f"{finding.severity.value} {finding.code}", SEVERITY[finding.severity]),
        f" {finding.name} ",
        (f"({finding.confidence.value})", FAINT),
        f" {where}" if where else "",
    )


def _way(finding: Finding) -> Iterator[Line]:
    steps = [(step.span, step.note) for step in finding.trail]
    site = finding.site
    if site is not None:
        arrived = steps[-1][0] if steps else finding.span
        if (arrived.path, arrived.line) != (site.span.path, site.span.line) and not site.span.holds(arrived):
            steps.append((site.span, site.callee))
    if not steps:
        return
    yield line(_INDENT, ("how it gets there:", CALM))
    places = [span.place for span, _ in steps]
    widest = max(map(cells, places))
    for place, (_, note) in zip(places, steps, strict=True):
        padding = " " * (widest - cells(place))
        yield line(_INDENT * 2, (place, FAINT), padding, f"  {note}")


def _error(finding: Finding, width: int) -> Iterator[Line]:
    if finding.error:
        yield from _labelled("error", finding.error, width, BAD)


def _remedy(report: Report, finding: Finding, width: int) -> Iterator[Line]:
    fix = finding.fix
    if fix is None:
        if finding.help:
            yield from _labelled("help", finding.help, width, CALM)
        if finding.unfixed:
            yield from _labelled("not fixed", finding.unfixed, width, WARN)
    elif not report.may_write(fix):
        yield from _labelled("not fixed", f"{fix.title}: a file could not be written", width, WARN)
    elif fix.safe:
        yield from _labelled("fix", f"{fix.title} (safe: --fix)", width, GOOD)
    else:
        reason = f"\n{fix.reason}" if fix.reason else ""
        yield from _labelled("fix", f"{fix.title} (unsafe: --fix --unsafe-fixes){reason}", width, WARN)


def _labelled(label: str, text: str, width: int, style: str) -> Iterator[Line]:
    yield from paragraphs(text, width, first=f"{_INDENT}{label}: ", indent=_INDENT * 2, style=style)
