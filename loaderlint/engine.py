"""Has the loaders of a project judged, part by part, and makes one finding of what says the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint import suppression
from loaderlint.judging import Judge, Judged, Kept, SettingsFor, of_parts
from loaderlint.linking.files.known import OtherFiles
from loaderlint.linking.files.project import Project
from loaderlint.linking.link import traced, traced_in
from loaderlint.model.edit import Fix, SetValue
from loaderlint.model.finding import START_METHOD, Confidence, Failure, Finding, Severity
from loaderlint.model.loader import Loader, Unreached
from loaderlint.model.source import Language, Source, Span
from loaderlint.model.target import Platform, StartMethod, Target
from loaderlint.model.tracing import Asked, Nothing, Traced
from loaderlint.rulebook import all_rules, find
from loaderlint.settings import Settings
from loaderlint.suppression import Ignore


class Linted(Struct, frozen=True):
    """What the rules say about a project: what is shown, and what is not and why.

    ``findings`` concern the named files; ``elsewhere`` are those that would be shown, too, had every file been named,
    and ``unselected`` the errors that rules which are off would have raised: no fix may bring one about.
    ``failures`` are the named files that could not be parsed. ``sources`` are all files that were read, by path.
    ``reached`` counts the loaders of each file whose worker count some value can be, as no value reaches one that no
    run comes to; ``unreached`` are those of the named files that no run iterates on some platform of their targets.
    ``unseen`` counts those whose worker count something unseen can be, besides what a user gives.
    """

    findings: tuple[Finding, ...] = ()
    elsewhere: tuple[Finding, ...] = ()
    unselected: tuple[Finding, ...] = ()
    suppressed: int = 0
    held_back: int = 0
    failures: tuple[Failure, ...] = ()
    targets: tuple[Target, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    reached: Mapping[str, int] = field(default_factory=dict)
    unseen: Mapping[str, int] = field(default_factory=dict)
    unreached: tuple[Unreached, ...] = ()


def trace(
    sources: Mapping[str, Source], asked: Sequence[Asked], settings_for: SettingsFor, files: OtherFiles | None
) -> Traced:
    """Return the loaders that stand in the files and lines that are asked for, each option followed as far as it goes.

    Where none stands, such as in a configuration file or at the call of a subclass, they are those that a value reaches
    from there. For ``sources`` see `lint`.
    """
    project = Project(sources, files)
    named = frozenset[str]().union(*(one.files for one in asked))
    wrappers = _wrappers(named, settings_for)
    if all(Language.of(path) is Language.PYTHON for path in named):
        loaders = traced_in(project, wrappers, named)
        standing = [[loader for loader in loaders if one.holds(loader.span)] for one in asked]
        if all(standing):
            return Traced(_once(standing), failures=_failures(project, named))
    loaders = traced(project, wrappers, named)
    written = {id(one): [*_written(one)] for one in loaders}
    found = [
        [loader for loader in loaders if one.holds(loader.span)]
        or [loader for loader in loaders if any(map(one.holds, written[id(loader)]))]
        for one in asked
    ]
    nothing = [
        Nothing(one, *_near(one, loaders, chain(*written.values())))
        for one, here in zip(asked, found, strict=True)
        if not (here or (one.files and project.failures.keys() >= one.files))
    ]
    return Traced(_once(found), tuple(nothing), _failures(project, named))


def _once(loaders: Iterable[Iterable[Loader]]) -> tuple[Loader, ...]:
    """Return the loaders of several lists, each once, in the order they stand in."""
    every = {id(one): one for several in loaders for one in several}
    return tuple(sorted(every.values(), key=lambda one: one.span))


def _near(asked: Asked, loaders: Iterable[Loader], written: Iterable[Span]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the lines of the file asked about that have a loader, and the others with something that reaches one."""
    if asked.line is None or asked.cells is not None:
        return (), ()
    standing = {one.span.line for one in loaders if one.span.path in asked.files}
    reaching = {span.line for span in written if span.path in asked.files} - standing
    return tuple(sorted(standing)), tuple(sorted(reaching))


def _written(loader: Loader) -> Iterator[Span]:
    """Yield the places where the values of a loader were written, those they were worked out from, and their way."""
    for value in loader.options.values():
        for candidate in value.written:
            yield candidate.span
            yield from candidate.sources
            yield from (step.span for step in candidate.trail)


def lint(
    sources: Mapping[str, Source],
    named: frozenset[str],
    settings_for: SettingsFor,
    files: OtherFiles | None,
    *,
    everywhere: bool = False,
    kept: Kept | None = None,
    processes: int = 1,
) -> Linted:
    """Return the findings in the named files, and those elsewhere that are about loaders in them.

    ``sources`` are the named files and all others of the project that may matter: a value is judged by everything that
    reads it, and a loader by everything that feeds it, whichever of them were named. ``files`` finds further files,
    such as a module that is imported. The result depends on what the files say and on the settings, never on the order
    of anything. Findings elsewhere are complete only when they are asked for.
    What is ``kept`` goes from one call to the next. Parts of the project that have nothing to do with each other are
    judged in up to so many ``processes`` at a time.
    """
    kept = kept or Kept()
    project = Project(sources, files, kept.readings)
    settings_for = _of_named(named, settings_for)
    judge = Judge(_wrappers(named, settings_for), settings_for, anywhere=_has_ignores(named, sources, settings_for))
    said, merged = _found(project, named, judge, kept, processes, everywhere=everywhere)
    written = {
        path: suppression.settled(
            suppression.ignores(project.sources[path]), (one for one, _ in merged if one.span.path == path)
        )
        for path in sorted(project.sources)
    }
    findings: list[Finding] = []
    elsewhere: list[Finding] = []
    unselected: list[Finding] = []
    suppressed = 0
    for finding, about in merged:
        if not settings_for(finding.span.path).selects(finding.code, finding.span.path):
            unselected.extend([finding] if finding.severity is Severity.ERROR else [])
            continue
        accepted = any(ignore.accepts(finding) for ignore in written.get(finding.span.path, ()))
        if about.isdisjoint(named):
            elsewhere.extend([] if accepted else [finding])
        elif accepted:
            suppressed += 1
        else:
            findings.append(finding)
    # A file that cannot be parsed may be the one whose loader a comment elsewhere is about.
    judged = named - project.beside_failures
    comments, accepted_comments = _about_comments(written, said.anywhere, judged, settings_for)
    findings.extend(comments)
    shown = _shown(findings, settings_for)
    return Linted(
        findings=shown,
        elsewhere=_shown(elsewhere, settings_for),
        unselected=tuple(one for one in unselected if one.confidence is not Confidence.POSSIBLE),
        suppressed=suppressed + accepted_comments,
        held_back=len(findings) - len(shown),
        failures=_failures(project, named),
        targets=tuple(dict.fromkeys(target for path in sorted(named) for target in settings_for(path).targets)),
        sources=project.sources,
        reached=said.reached,
        unseen=said.unseen,
        unreached=tuple(one for one in said.unreached if one.span.path in named),
    )


def _found(
    project: Project, named: frozenset[str], judge: Judge, kept: Kept, processes: int, *, everywhere: bool
) -> tuple[Judged, tuple[tuple[Finding, frozenset[str]], ...]]:
    """Return what the rules say about the loaders that the named files have to do with, and what is to say of them.

    Most files have to do with few. What a finding points at, or its fix changes, may be read by more.
    """
    near = project.in_programs_with(named)
    if not everywhere and not near.issuperset(project.sources):
        said = of_parts(project, named, replace(judge, near=near), kept, processes)
        merged = tuple(_merged(said, judge.settings_for))
        about = [finding for finding, files in merged if not files.isdisjoint(named)]
        edits = (edit for finding in about if finding.fix is not None for edit in finding.fix.edits)
        places = {span.path for span in (*(one.span for one in about), *(edit.span for edit in edits))}
        if project.in_programs_with(named | places) <= near:
            return said, merged
    said = of_parts(project, named, judge, kept, processes)
    return said, tuple(_merged(said, judge.settings_for))


def _of_named(named: frozenset[str], settings_for: SettingsFor) -> SettingsFor:
    """Return the settings of the named files, which hold for every other file of the project, too.

    What is written beside files that nobody asked about is not read: it may be broken, or name plugins to import.
    """
    first = min(named, default="")
    return lambda path: settings_for(path if path in named else first)


def _failures(project: Project, named: frozenset[str]) -> tuple[Failure, ...]:
    return tuple(project.failures[path] for path in sorted(project.failures) if path in named)


def _wrappers(paths: Iterable[str], settings_for: SettingsFor) -> Mapping[str, Mapping[str, str | int]]:
    wrappers: dict[str, Mapping[str, str | int]] = {}
    for path in sorted(paths):
        wrappers.update(settings_for(path).loaders)
    return wrappers


def _merged(said: Judged, settings_for: SettingsFor) -> Iterator[tuple[Finding, frozenset[str]]]:
    """Yield one finding for each place and rule with the files it is about: its own and those of its loaders.

    It stands for all its loaders and platforms, so its fix makes the edits of every one, on those platforms alone.
    """
    by_place: dict[tuple[Span, str], list[tuple[Finding, str]]] = {}
    for one in said.raised:
        by_place.setdefault((one.finding.span, one.finding.code), []).append((one.finding, one.loader.path))
    for (span, _), raised in by_place.items():
        same = [finding for finding, _ in raised]
        about = frozenset({span.path, *(path for _, path in raised)})
        platforms = frozenset[Platform]().union(*(one.platforms for one in same))
        every = frozenset(target.platform for path in about for target in settings_for(path).targets)
        first = min(same, key=lambda one: (one.confidence.rank, one.severity.rank))
        fix = _joined(one.fix for one in same)
        if fix is not None and platforms != every:
            places = [edit.span for edit in fix.edits]
            only_there = [one for one in places if one in said.arrivals and said.arrivals[one] <= platforms]
            fix = fix.narrowed(platforms, only_there, said.settings_files)
        unfixed = next((one.unfixed for one in same if one.unfixed), "") if fix is None else ""
        message = _with_every_start(first, same)
        yield replace(first, message=message, platforms=platforms, fix=fix, unfixed=unfixed), about


def _with_every_start(first: Finding, same: Iterable[Finding]) -> str:
    """Return the message of the first finding; where workers start otherwise on another platform, it says on which."""
    there: dict[StartMethod, set[Platform]] = {}
    for one in (first, *same):
        # Another number of workers there is another sentence.
        if one.start is not None and one.sentence == first.sentence:
            there.setdefault(one.start, set()).update(one.platforms)
    if first.start is None or len(there) < 2:
        return first.message
    named = [
        f"{start.value} ({', '.join(one.display for one in Platform if one in platforms)})"
        for start, platforms in there.items()
    ]
    return first.sentence.replace(START_METHOD, " or ".join(named))


def _joined(fixes: Iterable[Fix | None]) -> Fix | None:
    """Return the fix that does what all of them do; None when one place has none, as the others are not enough.

    Of two numbers for one value the smaller is kept: fixes lower numbers to a limit, and so both limits hold.
    """
    several = list(fixes)
    joined = several[0]
    for fix in several[1:]:
        joined = joined.joined(fix) if joined is not None and fix is not None else None
    if joined is None:
        return None
    least: dict[Span, float] = {}
    for edit in joined.edits:
        if isinstance(edit, SetValue) and isinstance(edit.constant, int | float):
            least[edit.span] = min(edit.constant, least.get(edit.span, edit.constant))
    kept = [
        one
        for one in joined.edits
        if not isinstance(one, SetValue) or least.get(one.span, one.constant) == one.constant
    ]
    return replace(joined, edits=tuple(kept))


def _has_ignores(named: frozenset[str], sources: Mapping[str, Source], settings_for: SettingsFor) -> bool:
    """Return whether some named file holds an ignore comment, and is to be told of those that ignore nothing."""
    return any(
        suppression.ignores(sources[path])
        for path in named & sources.keys()
        if settings_for(path).selects(find(suppression.UNUSED).code, path)
    )


def _about_comments(
    written: Mapping[str, Sequence[Ignore]], raised: Sequence[Finding], named: frozenset[str], settings_for: SettingsFor
) -> tuple[list[Finding], int]:
    """Return what is to say about the ignore comments in these files, and how much of it a comment accepts.

    ``raised`` is what the rules would say on any target.
    """
    rule = find(suppression.UNUSED)
    findings: list[Finding] = []
    accepted = 0
    for path in sorted(named):
        ignores = written.get(path, ())
        settings = settings_for(path)
        if not ignores or not settings.selects(rule.code, path):
            continue
        known = frozenset(name for one in all_rules(settings.plugins) for name in (one.code, one.name()))
        platforms = frozenset(target.platform for target in settings.targets)
        kept, also_accepted = suppression.unused(rule, ignores, raised, known, platforms)
        findings.extend(kept)
        accepted += also_accepted
    return findings, accepted


def _shown(findings: Iterable[Finding], settings_for: SettingsFor) -> tuple[Finding, ...]:
    shown = (one for one in findings if _is_shown(one, settings_for(one.span.path)))
    return tuple(sorted(shown, key=lambda one: one.order))


def _is_shown(finding: Finding, settings: Settings) -> bool:
    if finding.severity.rank > settings.min_severity.rank:
        return False
    return settings.pedantic or finding.confidence is not Confidence.POSSIBLE
