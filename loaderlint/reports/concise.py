"""One line per finding, as editors and ``grep`` like it."""

from __future__ import annotations

from loaderlint.model.finding import Finding
from loaderlint.model.report import Report
from loaderlint.reports._lines import Line, line, paint
from loaderlint.reports._style import CALM, STRONG, Style
from loaderlint.reports._summary import failure_lines, fixed_lines, statistics_lines, summary_lines
from loaderlint.reports._words import first_sentence


def render(report: Report, style: Style) -> str:
    """Return ``path:line:column: CODE [severity] message`` lines; ``[*]`` marks what ``--fix`` mends.

    Failures follow as lines of the same form; then, unless quiet, what was fixed and the sums.
    """
    lines = list(statistics_lines(report)) if style.statistics else [_finding(report, one) for one in report.findings]
    lines.extend(failure_lines(report))
    if not style.quiet:
        lines.extend(fixed_lines(report))
        lines.extend(summary_lines(report, style))
    return paint(lines, color=style.color)


def _finding(report: Report, finding: Finding) -> Line:
    fixable = finding.fix is not None and finding.fix.safe and report.may_write(finding.fix)
    return line(
        (f"{finding.span}", STRONG),
        f": {finding.code} [{finding.severity.value}] ",
        ("[*] ", CALM) if fixable else "",
        first_sentence(finding.message),
    )
