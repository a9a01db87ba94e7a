"""Writes what the fixes changed: the files of one fix are all written, or none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from loaderlint.model.finding import Failure, Finding
from loaderlint.model.report import Report
from loaderlint.model.source import Source
from loaderlint.notebooks import on_disk
from loaderlint.writers.files import WriteError, write

Lint = Callable[[Mapping[str, Source]], Report]


def save(report: Report, sources: Mapping[str, Source], lint: Lint, *, unwritten: str | None = None) -> Report:
    """Write the files that the fixes of a report changed and return the report of what then holds.

    When a file cannot be written, those that share a fix with it keep their content, too. Their findings are then as
    ``lint`` finds them in ``sources`` (see `fixing.run`) with what was written, and a failure says why. ``unwritten``
    is the path of standard input, which is no file.
    """
    failures: list[Failure] = []
    for group in _groups(report.fixed):
        changes = [(path, report.rewritten[path]) for path in group if path in report.rewritten and path != unwritten]
        failures.extend(_write_all([(report.sources[path], content) for path, content in changes]))
    if not failures:
        return report
    lost = {path for group in _groups(report.fixed) for path in group if not group.isdisjoint(_paths(failures))}
    written = {path: content for path, content in report.rewritten.items() if path not in lost}
    now = {
        path: replace(source, content=written.get(path, source.content))
        for path, source in {**sources, **{path: report.sources[path] for path in written}}.items()
    }
    found = lint(now)
    fixed = tuple(one for one in report.fixed if one.fix is None or lost.isdisjoint(_touched(one)))
    return replace(
        found,
        fixed=fixed,
        edits={**found.edits, **{one: report.edits[one] for one in fixed if one in report.edits}},
        unproven=report.unproven,
        failures=(*report.failures, *failures),
        sources=report.sources,
        rewritten=written,
        unwritable=frozenset(lost),
        files_seen=report.files_seen,
        files_read=report.files_read,
    )


def _groups(fixed: Iterable[Finding]) -> list[set[str]]:
    """Return the paths that fixes change, those together that one fix, or a chain of them, changes together."""
    groups: list[set[str]] = []
    for finding in fixed:
        paths = _touched(finding)
        joined = paths.union(*(group for group in groups if group & paths))
        groups = [*(group for group in groups if not group & paths), joined]
    return sorted(groups, key=sorted)


def _touched(finding: Finding) -> set[str]:
    return {edit.span.path for edit in finding.fix.edits} if finding.fix is not None else set()


def _paths(failures: Iterable[Failure]) -> set[str]:
    return {failure.path for failure in failures}


def _write_all(changes: Sequence[tuple[Source, bytes]]) -> list[Failure]:
    """Write several files, and take back those already written when one cannot be; return what could not be done."""
    for number, (source, content) in enumerate(changes):
        try:
            _write(source, content)
        except WriteError as error:
            return [Failure(source.path, str(error)), *_take_back(changes[:number])]
        except BaseException:
            # Somebody ends the process between the files of one fix.
            _take_back(changes[:number])
            raise
    return []


def _write(source: Source, content: bytes) -> None:
    """Write what the file of a source holds when its text is ``content``."""
    write(on_disk(source), on_disk(replace(source, content=content)).content)


def _take_back(changes: Iterable[tuple[Source, bytes]]) -> list[Failure]:
    failures: list[Failure] = []
    for source, content in changes:
        try:
            _write(replace(source, content=content), source.content)
        except WriteError as error:
            failures.append(Failure(source.path, f"this file is left half fixed: {error}"))
    return failures
