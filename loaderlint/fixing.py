"""Lints, mends and lints again until nothing changes; every mend is proven, and nothing is written here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.called import Called
from loaderlint.engine import Linted, lint
from loaderlint.judging import Kept, SettingsFor
from loaderlint.linking.files.importers import Importers
from loaderlint.linking.files.known import OtherFiles, Readings
from loaderlint.model.edit import BeginTurns, Edit, Fix, GuardEntryPoint, MakeInteger, RemoveIgnore, SetValue, TextEdit
from loaderlint.model.finding import Failure, Finding
from loaderlint.model.imported import NOWHERE, Imported
from loaderlint.model.report import Report
from loaderlint.model.source import Language, Source
from loaderlint.suppression import UNUSED
from loaderlint.writers import CannotRewrite, Rewritten, rewrite, text_edits


def run(
    sources: Mapping[str, Source],
    named: frozenset[str],
    settings_for: SettingsFor,
    files: OtherFiles | None,
    *,
    fix: bool = False,
    unsafe_fixes: bool = False,
    changeable: frozenset[str] | None = None,
    typed: bool = True,
    outside: frozenset[str] = frozenset(),
    processes: int = 1,
) -> Report:
    """Return what was found and, with ``fix``, what the files become when it is mended.

    A fix counts when every writer it needs could prove its text, and linting the result shows its finding gone and
    nothing new that is as bad, anywhere in the project. One that does not is left out, with a line in the report that
    says why. Only the ``changeable`` files may change, all of them when it is None; no fix
    touches those ``outside`` of the project, where a link led. Without ``typed`` the report does
    not say what each fix types, which costs as much as making it. ``sources``, ``named`` and ``processes`` are those of
    `engine.lint`.
    """
    bench = _Bench(named, settings_for, files, unsafe_fixes, changeable, typed, outside, processes)
    if fix:
        bench.kept.readings = Readings()
    linted = bench.linted(sources, everywhere=fix)
    before = dict(linted.sources)
    current = dict(sources)
    fixed: list[Finding] = []
    edits: dict[Finding, tuple[TextEdit, ...]] = {}
    # Every round leaves fewer findings of one severity, and no more of those that are worse: there is a last one.
    while fix and (mended := bench.round(linted, current)) is not None:
        fixed.extend(mended.fixed)
        edits.update(mended.fixed)
        current, linted = mended.sources, mended.linted
        before = {**linted.sources, **before}
    if not fix:
        bench.refuse_what_changes_nothing(linted, current)
    findings: list[Finding] = []
    every = bench.settle(linted.findings, linted.sources)
    for finding, settled in every.items():
        left = replace(finding, fix=settled.fix)
        findings.append(left)
        edits[left] = settled.edits
    rewritten = {path: source.content for path, source in current.items() if source.content != before[path].content}
    return Report(
        targets=linted.targets,
        findings=tuple(findings),
        fixed=tuple(sorted(fixed, key=lambda one: one.order)),
        edits=edits,
        unproven=tuple(bench.unproven(linted.findings)),
        failures=linted.failures,
        sources=before,
        rewritten=dict(sorted(rewritten.items())),
        suppressed=linted.suppressed,
        held_back=linted.held_back,
        unreached=linted.unreached,
    )


class _Settled(Struct, frozen=True):
    """A finding's fix as the writers see it: what it would type, or nothing when none of them can make it."""

    fix: Fix | None = None
    edits: tuple[TextEdit, ...] = ()


class _Mended(Struct, frozen=True):
    """The project after one round: its sources, the findings mended with what was typed, and what the rules say now."""

    sources: dict[str, Source]
    fixed: Mapping[Finding, tuple[TextEdit, ...]]
    linted: Linted


class _Bench(Struct):
    """What stays the same between rounds, and the fixes the last round found wanting, with the reasons.

    ``tried`` is what came of each file and the edits that were tried on it, from the first round on.
    """

    named: frozenset[str]
    settings_for: SettingsFor
    files: OtherFiles | None
    unsafe_fixes: bool
    changeable: frozenset[str] | None
    typed: bool
    outside: frozenset[str]
    processes: int
    refused: dict[Finding, str] = field(default_factory=dict)
    kept: Kept = field(default_factory=Kept)
    tried: dict[tuple[Source, str], Rewritten | CannotRewrite] = field(default_factory=dict)
    called: Called | None = None

    def linted(self, sources: Mapping[str, Source], *, everywhere: bool) -> Linted:
        """Return what the rules say; what they said of parts that did not change since is not worked out again."""
        return lint(
            sources,
            self.named,
            self.settings_for,
            self.files,
            everywhere=everywhere,
            kept=self.kept,
            processes=self.processes,
        )

    def round(self, linted: Linted, sources: Mapping[str, Source]) -> _Mended | None:
        """Return the project after as many of the fixes as can be made side by side, None when none can."""
        self.refused.clear()
        settled: dict[Finding, _Settled] = {}
        while batch := self._batch(linted, settled):
            while True:
                try:
                    after = self._rewritten(batch, linted.sources, sources)
                    again = self.linted(after, everywhere=True)
                    wrong = _wrong_with(batch, linted, again)
                    if wrong is None:
                        fixed = {replace(one, fix=settled[one].fix): settled[one].edits for one in batch}
                        return _Mended(after, fixed, again)
                except CannotRewrite as error:
                    wrong = _Wrong(str(error))
                if len(batch) == 1:
                    break
                batch = _suspected(batch, wrong)
            self.refused[batch[0]] = wrong.reason
        return None

    def _batch(self, linted: Linted, settled: dict[Finding, _Settled]) -> list[Finding]:
        """Return the findings to mend in one go, adding to ``settled`` how each is mended."""
        while True:
            batch = _side_by_side([one for one in linted.findings if self._wanted(one, settled.get(one))])
            unsettled = [one for one in batch if one not in settled]
            if not unsettled:
                return batch
            settled.update(self.settle(unsettled, linted.sources))

    def _wanted(self, finding: Finding, settled: _Settled | None) -> bool:
        fix = settled.fix if settled is not None else finding.fix
        if fix is None or not (fix.safe or self.unsafe_fixes) or finding in self.refused:
            return False
        return self.changeable is None or self.changeable >= _paths(fix)

    def _rewritten(
        self, batch: Iterable[Finding], read: Mapping[str, Source], sources: Mapping[str, Source]
    ) -> dict[str, Source]:
        """Return the sources after the edits of a batch; raises `CannotRewrite` when they cannot all be made."""
        fixes = [one.fix for one in batch if one.fix is not None]
        after = dict(sources)
        for path in sorted({path for fix in fixes for path in _paths(fix)}):
            source = read[path]
            outcome = self._rewrite(source, [edit for fix in fixes for edit in fix.edits], read)
            if outcome.unsafe and not self.unsafe_fixes:
                raise CannotRewrite(outcome.unsafe)
            after[path] = replace(source, content=outcome.text.encode(source.encoding))
        return after

    def _rewrite(self, source: Source, edits: Iterable[Edit], read: Mapping[str, Source]) -> Rewritten:
        """Return a file after those of the edits that are about it; what was tried before is not tried again."""
        if source.path in self.outside:
            raise CannotRewrite(f"{source.path} is a link to a file outside of the project")
        own = [edit for edit in edits if edit.span.path == source.path]
        guards = any(isinstance(edit, GuardEntryPoint) for edit in own)
        imported = self._imported(source.path, read) if guards else NOWHERE
        # Edits that set True and 1 are equal, but not as text.
        tried = source, repr(own)
        if tried not in self.tried:
            try:
                length = self.settings_for(source.path).line_length
                self.tried[tried] = rewrite(source, own, imported=imported, line_length=length)
            except CannotRewrite as error:
                self.tried[tried] = error
        outcome = self.tried[tried]
        if isinstance(outcome, CannotRewrite):
            raise CannotRewrite(str(outcome)) from outcome
        return outcome

    def _imported(self, path: str, read: Mapping[str, Source]) -> Imported:
        """Return what other files take from a file, and it from them; no fix changes that."""
        if self.called is None:
            self.called = Called(Importers(read, self.files))
        return self.called.imported(path)

    def refuse_what_changes_nothing(self, linted: Linted, sources: Mapping[str, Source]) -> None:
        """Refuse the fixes of loaders' calls after which a setting is found that nothing more is seen to read.

        No other fix is tried before it is asked for: only these leave what the finding points at as it is.
        """
        settled = self.settle([one for one in linted.findings if _leaves_setting(one)], linted.sources)
        batch = _apart([one for one, made in settled.items() if made.fix is not None and made.fix.safe])
        if not batch:
            return
        after = self._rewritten(batch, linted.sources, sources)
        again = self.linted(after, everywhere=False)
        found = Counter(map(_kind, again.findings))
        for finding in batch:
            kind = _kind(finding)
            wrong = _wrong_with([finding], linted, again)
            if wrong is not None and found[kind] >= sum(_kind(one) == kind for one in linted.findings):
                self.refused[finding] = wrong.reason

    def settle(self, findings: Sequence[Finding], read: Mapping[str, Source]) -> dict[Finding, _Settled]:
        """Return each finding's fix as the writers see it.

        Where nobody asks what a fix would type, fixes that touch different places are tried together: what can be made
        and is safe together is so by itself, and each try costs a parse of the whole file.
        """
        if self.typed:
            return {one: self.settled(one, read) for one in findings}
        settled: dict[Finding, _Settled] = {}
        waiting = [one for one in findings if one.fix is not None and one not in self.refused]
        while waiting:
            batch = _apart(waiting)
            waiting = [one for one in waiting if one not in batch]
            for group in _in_the_same_files(batch):
                self._settle_together(group, read, settled)
        return {one: settled.get(one, _Settled()) for one in findings}

    def _settle_together(
        self, batch: Sequence[Finding], read: Mapping[str, Source], settled: dict[Finding, _Settled]
    ) -> None:
        if len(batch) == 1:
            settled[batch[0]] = self.settled(batch[0], read)
            return
        edits = [edit for one in batch if one.fix is not None for edit in one.fix.edits]
        try:
            outcomes = [self._rewrite(read[path], edits, read) for path in sorted({edit.span.path for edit in edits})]
        except CannotRewrite:
            outcomes = []
        if outcomes and not any(one.unsafe for one in outcomes):
            settled.update((one, _Settled(one.fix)) for one in batch)
            return
        half = len(batch) // 2
        self._settle_together(batch[:half], read, settled)
        self._settle_together(batch[half:], read, settled)

    def settled(self, finding: Finding, read: Mapping[str, Source]) -> _Settled:
        """Return a finding's fix by itself: unsafe where the writers say so, none where they cannot make it."""
        fix = finding.fix
        if fix is None or finding in self.refused:
            return _Settled()
        typed: list[TextEdit] = []
        try:
            for path in sorted(_paths(fix)):
                outcome = self._rewrite(read[path], fix.edits, read)
                if outcome.unsafe:
                    fix = fix.unsafe(outcome.unsafe)
                typed.extend(text_edits(read[path], outcome.text))
        except CannotRewrite as error:
            self.refused[finding] = str(error)
            return _Settled()
        return _Settled(fix, tuple(typed))

    def unproven(self, left: Iterable[Finding]) -> Iterator[Failure]:
        """Yield why each finding that is left could not be mended, where its fix was tried and found wanting."""
        for finding in left:
            reason = self.refused.get(finding)
            if reason is not None:
                message = f"{finding.code} {finding.name} cannot be fixed: {reason}"
                span = finding.span
                yield Failure(span.path, message, span.shown_line, span.column, span.cell)


def _paths(fix: Fix) -> frozenset[str]:
    return frozenset(edit.span.path for edit in fix.edits)


def _leaves_setting(finding: Finding) -> bool:
    """Return whether a fix leaves the setting that a finding points at to others, and gives its loader another."""
    if finding.fix is None or not finding.fix.kept or Language.of(finding.span.path) is Language.PYTHON:
        return False
    return any(isinstance(edit, SetValue) and edit.platforms is None for edit in finding.fix.edits)


def _turn(finding: Finding) -> tuple[bool, int]:
    """Return when a finding is mended: the worst first, and what is said about ignore comments last.

    A mended finding may uncover one whose turn is later: an option that could not work now asks for too much, and what
    a comment accepted is gone.
    """
    return finding.name == UNUSED, finding.severity.rank


def _apart(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings whose fixes touch different places, the first of each place."""
    chosen: list[Finding] = []
    taken: list[Edit] = []
    for finding in findings:
        edits = finding.fix.edits if finding.fix is not None else ()
        if any(_collide(edit, other) for edit in edits for other in taken if edit != other):
            continue
        chosen.append(finding)
        taken.extend(edits)
    return chosen


def _in_the_same_files(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return the findings in groups, those together whose fixes are about one file."""
    groups: list[tuple[frozenset[str], list[Finding]]] = []
    for finding in findings:
        paths = _paths(finding.fix) if finding.fix is not None else frozenset()
        met = [one for one in groups if not paths.isdisjoint(one[0])]
        groups = [one for one in groups if one not in met]
        groups.append(
            (paths.union(*(one for one, _ in met)), [*(each for _, several in met for each in several), finding])
        )
    return [several for _, several in groups]


def _side_by_side(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings whose turn it is and whose fixes touch different places, the first of each place.

    One that may follow by itself from the fix of another waits for that, where not all wait for one another.
    """
    turn = min(map(_turn, findings), default=None)
    places = {edit.span: finding for finding in findings if finding.fix for edit in finding.fix.edits}
    waiting = [one for one in findings if _turn(one) == turn]
    first = [one for one in waiting if not (one.fix and any(places.get(at, one) is not one for at in one.fix.follows))]
    return _apart(first or waiting)


def _collide(first: Edit, second: Edit) -> bool:
    one, other = first.span, second.span
    beside = any(isinstance(first, kind) and isinstance(second, kind) for kind in (RemoveIgnore, BeginTurns))
    if one.path != other.path or beside:
        return False
    if isinstance(first, GuardEntryPoint) or isinstance(second, GuardEntryPoint):
        # A guard moves whole statements, so it goes alone; several statements go under one guard at once.
        return not (isinstance(first, GuardEntryPoint) and isinstance(second, GuardEntryPoint))
    return one.start < other.end and other.start < one.end


class _Wrong(Struct, frozen=True):
    """What is wrong with a project after some fixes, and the file in which that shows, as far as it is one."""

    reason: str
    path: str = ""


def _suspected(batch: list[Finding], wrong: _Wrong) -> list[Finding]:
    """Return the part of a batch to try next: what has to do with the file that is wrong, or else its first half."""
    near = [one for one in batch if one.span.path == wrong.path or (one.fix and wrong.path in _paths(one.fix))]
    return near if near and len(near) < len(batch) else batch[: len(batch) // 2]


def _wrong_with(batch: Sequence[Finding], before: Linted, after: Linted) -> _Wrong | None:
    """Return what is wrong with the project after a batch of fixes, None when they are proven.

    Every finding of the batch must be gone, every loader be there with all that was seen of it, and no other finding
    have appeared anywhere, but for those whose turn is later. Places move, so findings are counted by file and rule.
    """
    expected = Counter(map(_kind, _everywhere(before)))
    expected.subtract(map(_kind, batch))
    found = Counter(map(_kind, _everywhere(after)))
    for finding in _everywhere(after):
        kind = _kind(finding)
        if found[kind] > expected[kind] and _turn(finding) <= _turn(batch[0]):
            kept = (one.fix.kept for one in batch if _kind(one) == kind and one.fix is not None and one.fix.kept)
            if why := next(kept, ""):
                return _Wrong(f"{why}, and changing the call is not enough", finding.span.path)
            shows = "still shows" if kind in map(_kind, batch) else "shows"
            reason = f"linting again {shows} {finding.code} {finding.name} in {finding.span.path}"
            return _Wrong(reason, finding.span.path)
    for path in sorted(before.reached):
        # A number that the program refuses ends the run before the loader, and nothing is found where nothing runs.
        if path in after.sources and after.reached.get(path, 0) < before.reached[path]:
            return _Wrong(f"no run comes to a loader in {path} any more", path)
    # What number a text from outside is converted to, nobody sees.
    converted = any(isinstance(edit, MakeInteger) for one in batch if one.fix is not None for edit in one.fix.edits)
    for path in sorted(before.reached) if not converted else ():
        # Where the place that was changed held more than the value, such as a list, nothing is seen of it any more.
        if after.unseen.get(path, 0) > before.unseen.get(path, 0):
            return _Wrong(f"the worker count of a loader in {path} would not be seen any more", path)
    unparsed = set(after.failures) - set(before.failures)
    path = min((one.path for one in unparsed), default="")
    return _Wrong(f"{path} could not be parsed again", path) if path else None


def _everywhere(linted: Linted) -> tuple[Finding, ...]:
    return (*linted.findings, *linted.elsewhere, *linted.unselected)


def _kind(finding: Finding) -> tuple[str, str]:
    return finding.name, finding.span.path
