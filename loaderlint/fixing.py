"""Lints, mends and lints again until nothing changes; every mend is proven, and nothing is written here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from loaderlint.engine import Linted, SettingsFor, lint
from loaderlint.linking.project import OtherFiles
from loaderlint.model.edit import Edit, Fix, GuardEntryPoint, TextEdit
from loaderlint.model.finding import Failure, Finding
from loaderlint.model.report import Report
from loaderlint.model.source import Source
from loaderlint.writers import CannotRewrite, rewrite, text_edits

_MOST_ROUNDS = 20


def run(
    sources: Mapping[str, Source],
    named: frozenset[str],
    settings_for: SettingsFor,
    files: OtherFiles | None,
    *,
    fix: bool,
    unsafe_fixes: bool,
) -> Report:
    """Return what was found and, with ``fix``, what the files become when it is mended.

    A fix counts when every writer it needs could prove its text, and linting the result shows its finding gone and no
    new one. One that does not is left out, with a line in the report that says why.
    """
    bench = _Bench(named, settings_for, files, unsafe_fixes)
    linted = lint(sources, named, settings_for, files)
    read = linted.sources or sources
    fixed: list[Finding] = []
    current = dict(sources)
    if fix:
        for _ in range(_MOST_ROUNDS):
            mended = bench.round(linted, current)
            if mended is None:
                break
            fixed.extend(mended.findings)
            current, linted = mended.sources, mended.linted
    findings, edits = bench.settled(linted)
    rewritten = {path: source.content for path, source in current.items() if source.content != _before(read, path)}
    return Report(
        targets=linted.targets,
        findings=findings,
        fixed=tuple(sorted(fixed, key=lambda one: one.order)),
        edits=edits,
        unproven=tuple(bench.unproven.values()),
        failures=linted.failures,
        sources=read,
        rewritten=dict(sorted(rewritten.items())),
        suppressed=linted.suppressed,
        held_back=linted.held_back,
    )


def _before(sources: Mapping[str, Source], path: str) -> bytes | None:
    source = sources.get(path)
    return source.content if source is not None else None


@dataclass(frozen=True)
class _Mended:
    """The project after one round: its sources, what was mended, and what the rules say now."""

    sources: dict[str, Source]
    findings: tuple[Finding, ...]
    linted: Linted


class _Bench:
    """What stays the same between rounds, and the fixes found wanting."""

    def __init__(
        self, named: frozenset[str], settings_for: SettingsFor, files: OtherFiles | None, unsafe_fixes: bool
    ) -> None:
        self._named = named
        self._settings_for = settings_for
        self._files = files
        self._unsafe_fixes = unsafe_fixes
        self.unproven: dict[tuple[str, str, str], Failure] = {}

    def round(self, linted: Linted, sources: Mapping[str, Source]) -> _Mended | None:
        """Return the project after as many of the fixes as can be made side by side, None when none can."""
        wanted = [one for one in linted.findings if self._wanted(one)]
        batch = _side_by_side(wanted)
        return self._tried(batch, linted, sources) if batch else None

    def _wanted(self, finding: Finding) -> bool:
        fix = finding.fix
        return fix is not None and (fix.safe or self._unsafe_fixes) and _identity(finding) not in self.unproven

    def _tried(self, batch: Sequence[Finding], linted: Linted, sources: Mapping[str, Source]) -> _Mended | None:
        """Return the project after a batch of fixes, or after the first part of it that passes its proof."""
        reason = "linting again still shows it, or something new"
        try:
            after = self._rewritten(batch, linted.sources or sources, sources)
            again = lint(after, self._named, self._settings_for, self._files)
            if _proven(batch, linted, again):
                return _Mended(after, tuple(batch), again)
        except CannotRewrite as error:
            reason = str(error)
        if len(batch) == 1:
            self._refuse(batch[0], reason)
            return self.round(linted, sources)
        half = len(batch) // 2
        return self._tried(batch[:half], linted, sources)

    def _refuse(self, finding: Finding, reason: str) -> None:
        message = f"{finding.code} {finding.name} was not fixed: {reason}"
        self.unproven[_identity(finding)] = Failure(finding.span.path, message, *finding.span.start)

    def _rewritten(
        self, batch: Iterable[Finding], read: Mapping[str, Source], sources: Mapping[str, Source]
    ) -> dict[str, Source]:
        """Return the sources after the edits of a batch; raises `CannotRewrite` when one of them cannot be made."""
        by_path: dict[str, list[Edit]] = {}
        for finding in batch:
            assert finding.fix is not None
            for edit in finding.fix.edits:
                by_path.setdefault(edit.span.path, []).append(edit)
        after = dict(sources)
        for path, edits in sorted(by_path.items()):
            source = read[path]
            outcome = rewrite(source, edits, imported_names=self._imported_names(path, edits, read))
            if outcome.unsafe and not self._unsafe_fixes:
                raise CannotRewrite(outcome.unsafe)
            after[path] = replace(source, content=outcome.text.encode(source.encoding))
        return after

    def _imported_names(self, path: str, edits: Iterable[Edit], read: Mapping[str, Source]) -> frozenset[str]:
        """Return the names that other files of the project import from a file whose entry point is to be guarded."""
        if not any(isinstance(edit, GuardEntryPoint) for edit in edits):
            return frozenset()
        from loaderlint.linking.importers import imported_names

        return imported_names(path, read, self._files)

    def settled(self, linted: Linted) -> tuple[tuple[Finding, ...], dict[Finding, tuple[TextEdit, ...]]]:
        """Return the findings left with their fixes as the writers see them, and what each fix would type.

        A fix that no writer can make is taken away; one that turns out unsafe is marked so.
        """
        findings: list[Finding] = []
        edits: dict[Finding, tuple[TextEdit, ...]] = {}
        for finding in linted.findings:
            settled, typed = self._settled(finding, linted.sources or {})
            findings.append(settled)
            if typed:
                edits[settled] = typed
        return tuple(findings), edits

    def _settled(self, finding: Finding, read: Mapping[str, Source]) -> tuple[Finding, tuple[TextEdit, ...]]:
        if finding.fix is None or _identity(finding) in self.unproven:
            return replace(finding, fix=None), ()
        fix: Fix = finding.fix
        typed: list[TextEdit] = []
        try:
            for path in sorted({edit.span.path for edit in fix.edits}):
                edits = [edit for edit in fix.edits if edit.span.path == path]
                outcome = rewrite(read[path], edits, imported_names=self._imported_names(path, edits, read))
                if outcome.unsafe:
                    fix = fix.unsafe(outcome.unsafe)
                typed.extend(text_edits(read[path], outcome.text))
        except CannotRewrite as error:
            self._refuse(finding, str(error))
            return replace(finding, fix=None), ()
        return replace(finding, fix=fix), tuple(typed)


def _identity(finding: Finding) -> tuple[str, str, str]:
    """Return what stays of a finding when lines move."""
    return finding.code, finding.span.path, finding.message


def _side_by_side(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings whose fixes touch different places, the first of each place."""
    chosen: list[Finding] = []
    taken: list[Edit] = []
    for finding in findings:
        assert finding.fix is not None
        edits = finding.fix.edits
        if any(_collide(edit, other) for edit in edits for other in taken if edit != other):
            continue
        chosen.append(finding)
        taken.extend(edits)
    return chosen


def _collide(first: Edit, second: Edit) -> bool:
    one, other = first.span, second.span
    if one.path != other.path:
        return False
    if isinstance(first, GuardEntryPoint) or isinstance(second, GuardEntryPoint):
        # A guard moves whole statements, so it goes alone; several statements go under one guard at once.
        return not (isinstance(first, GuardEntryPoint) and isinstance(second, GuardEntryPoint))
    return one.start < other.end and other.start < one.end


def _proven(batch: Iterable[Finding], before: Linted, after: Linted) -> bool:
    """Return whether every fixed finding is gone and no other appeared.

    Places move, so findings are counted by file and rule.
    """
    expected = Counter((one.code, one.span.path) for one in before.findings)
    expected.subtract((one.code, one.span.path) for one in batch)
    found = Counter((one.code, one.span.path) for one in after.findings)
    failed = {one.path for one in after.failures} - {one.path for one in before.failures}
    return not failed and all(found[key] <= max(expected[key], 0) for key in found)
