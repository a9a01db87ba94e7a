"""What the reports for people say after the findings: failures, what was fixed, and the sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from loaderlint.model.finding import Failure
from loaderlint.model.report import Report
from loaderlint.reports._conditions import ended
from loaderlint.reports._lines import Line, line
from loaderlint.reports._style import BAD, CALM, FAINT, GOOD, STRONG, WARN, Style
from loaderlint.reports._words import counted, described, listed, platform_order

_MOST_ENDS = 3
"""Places where runs end on a platform that are named."""


def failure_lines(report: Report) -> Iterator[Line]:
    """Yield one line for each file that could not be read, parsed or written, and each fix that was not made."""
    for failure in report.failures:
        yield line((_place(failure), STRONG), ": ", ("error", BAD), f": {_one_line(failure.message)}")
    for failure in report.unproven:
        yield line((_place(failure), STRONG), ": ", ("not fixed", WARN), f": {_one_line(failure.message)}")


def _place(failure: Failure) -> str:
    cell = "" if failure.cell is None else f"cell {failure.cell}:"
    return f"{failure.path}:{cell}{failure.line}:{failure.column}"


def _one_line(message: str) -> str:
    return " ".join(message.split())


def fixed_lines(report: Report) -> Iterator[Line]:
    """Yield the findings that were fixed, by file."""
    if not report.fixed:
        return
    fixed = sorted(report.fixed, key=lambda one: one.order)
    files = len(report.rewritten) or len({one.span.path for one in fixed})
    yield line((f"Fixed {counted(len(fixed), 'finding')} in {counted(files, 'file')}:", GOOD))
    for path, group in groupby(fixed, key=lambda one: one.span.path):
        yield line("  ", (path, STRONG))
        for one in group:
            done = f": {one.fix.title}" if one.fix else ""
            yield line("    ", (f"{one.span}".removeprefix(f"{path}:"), FAINT), f" {one.code} {one.name}{done}")


def statistics_lines(report: Report) -> Iterator[Line]:
    """Yield a line per rule, the most frequent first: count, code, how many ``--fix`` mends (all, some, none), name."""
    counts = Counter((one.code, one.name) for one in report.findings)
    fixable = Counter((one.code, one.name) for one in report.fixable)
    widest = max((len(str(count)) for count in counts.values()), default=0)
    for (code, name), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        mended = fixable[code, name]
        mark = "*" if mended == count else "-" if mended else " "
        yield line(f"{count:{widest}}  ", (code, STRONG), "  ", (f"[{mark}]", CALM), f"  {name}")


def summary_lines(report: Report, style: Style) -> Iterator[Line]:
    """Yield the sums: what was found and can be fixed, what was not shown and, when asked for, what was looked at."""
    failed = len({failure.path for failure in report.failures})
    if report.findings or report.fixed:
        yield line((_found(report), STRONG))
    else:
        # What could not be checked is counted below, and may have findings.
        checked = max(report.files_seen - failed, 0)
        yield line(f"No findings in {counted(checked, 'file')}.")
    if report.excluded:
        first, *others = report.excluded
        more = f" and {counted(len(others), 'other file')}" if others else ""
        yield line(f"Not looked at: {first}{more}, which the settings exclude.")
    if failed:
        yield line((f"{counted(failed, 'file')} could not be checked or written.", BAD))
    hidden = []
    if report.held_back:
        hidden.append(f"{report.held_back} held back (--pedantic and --min-severity decide)")
    if report.suppressed:
        hidden.append(f"{report.suppressed} suppressed")
    if hidden:
        yield line(f"Not shown: {', '.join(hidden)}.")
    if style.verbose:
        yield line(f"Looked at {counted(report.files_seen, 'file')}, read {report.files_read}.")
        yield line(f"Checked for {listed([described(target) for target in report.targets]) or 'no platform'}.")
        yield from map(line, _unreached(report))


def _unreached(report: Report) -> Iterator[str]:
    """Yield how many loaders no run iterates on a platform that was checked for, and what ends the runs there."""
    for platform in platform_order({target.platform for target in report.targets}):
        loaders = [one for one in report.unreached if platform not in one.platforms]
        if loaders:
            ends = list(dict.fromkeys(ended(one, platform) for one in loaders))
            more = [f"{len(ends) - _MOST_ENDS} more"] if len(ends) > _MOST_ENDS else []
            are = "loader is" if len(loaders) == 1 else "loaders are"
            yield f"{len(loaders)} {are} not iterated on {platform.display}: {listed([*ends[:_MOST_ENDS], *more])}."


def _found(report: Report) -> str:
    found = counted(len(report.findings) + len(report.fixed), "finding")
    done, parts = "", []
    if report.fixed:
        done = f"{len(report.fixed)} fixed, {len(report.findings) or 'none'} left"
    if report.fixable:
        parts.append(f"{len(report.fixable)} fixable with --fix")
    if report.unsafe_fixable:
        more = "more " if report.fixable else ""
        option = "--unsafe-fixes" if report.fixable else "--fix --unsafe-fixes"
        parts.append(f"{len(report.unsafe_fixable)} {more}{'' if more else 'fixable '}with {option}")
    details = "; ".join(filter(None, (done, ", ".join(parts))))
    return f"Found {found} ({details})." if details else f"Found {found}."
