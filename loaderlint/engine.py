"""Asks every rule about every loader on every target, and makes one finding of what says the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from loaderlint import suppression
from loaderlint.linking.link import link
from loaderlint.linking.project import OtherFiles, Project
from loaderlint.model.finding import Confidence, Failure, Finding
from loaderlint.model.loader import Loader
from loaderlint.model.source import Source
from loaderlint.model.target import Platform, Target
from loaderlint.rulebook import all_rules
from loaderlint.settings import Settings

SettingsFor = Callable[[str], Settings]

_LATEST_FORK_FREE_PYTHON = (3, 14)


@dataclass(frozen=True)
class Linted:
    """What the rules say about a project: what is shown, and what is not and why."""

    findings: tuple[Finding, ...] = ()
    suppressed: int = 0
    held_back: int = 0
    failures: tuple[Failure, ...] = ()
    targets: tuple[Target, ...] = ()
    sources: Mapping[str, Source] | None = None


def trace(
    sources: Mapping[str, Source], named: frozenset[str], settings_for: SettingsFor, files: OtherFiles | None
) -> tuple[Loader, ...]:
    """Return the loaders that stand in the named files, each option followed as far as it goes."""
    project = Project(sources, files)
    return tuple(one for one in link(project, _wrappers(named, settings_for)) if one.span.path in named)


def lint(
    sources: Mapping[str, Source], named: frozenset[str], settings_for: SettingsFor, files: OtherFiles | None
) -> Linted:
    """Return the findings in the named files, and those elsewhere that are about loaders in them.

    The result depends on what the files say and on the settings, never on the order of anything.
    """
    project = Project(sources, files)
    loaders = link(project, _wrappers(named, settings_for))
    raised: list[Finding] = []
    for loader in loaders:
        settings = settings_for(loader.span.path)
        found = [
            one
            for one in _judge(loader, settings.targets, settings)
            if one.span.path in named or loader.span.path in named
        ]
        raised.extend(found)
    targets = tuple(dict.fromkeys(target for path in sorted(named) for target in settings_for(path).targets))
    merged = _merged(raised, settings_for)
    kept, used, suppressed = _suppressed(project, merged, loaders, named, settings_for)
    kept.extend(used)
    shown = [one for one in kept if _is_shown(one, settings_for(one.span.path))]
    failures = tuple(project.failures[path] for path in sorted(project.failures) if path in named)
    return Linted(
        tuple(sorted(shown, key=lambda one: one.order)),
        suppressed,
        len(kept) - len(shown),
        failures,
        targets,
        project.sources,
    )


def _wrappers(named: Iterable[str], settings_for: SettingsFor) -> Mapping[str, Mapping[str, str | int]]:
    wrappers: dict[str, Mapping[str, str | int]] = {}
    for path in sorted(named):
        wrappers.update(settings_for(path).loaders)
    return wrappers


def _judge(loader: Loader, targets: Iterable[Target], settings: Settings) -> Iterable[Finding]:
    for rule_class in all_rules(settings.plugins):
        rule = rule_class(settings.limits)
        for target in targets:
            for finding in rule.check(loader, target):
                if settings.selects(finding.code, finding.span.path):
                    yield finding


def _merged(findings: Iterable[Finding], settings_for: SettingsFor) -> list[Finding]:
    """Return one finding for each place and rule: on all its platforms, with all its edits, narrowed to them."""
    by_place: dict[tuple[object, str], list[Finding]] = {}
    for finding in findings:
        by_place.setdefault((finding.span, finding.code), []).append(finding)
    merged = []
    for same in by_place.values():
        first = min(same, key=lambda one: (one.confidence.rank, one.severity.rank))
        platforms = frozenset[Platform]().union(*(one.platforms for one in same))
        fix = first.fix
        for one in same:
            fix = None if fix is None or one.fix is None else fix.joined(one.fix)
        every = frozenset(target.platform for target in settings_for(first.span.path).targets)
        if fix is not None and platforms != every:
            fix = fix.narrowed(platforms)
        merged.append(replace(first, platforms=platforms, fix=fix))
    return merged


def _suppressed(
    project: Project,
    findings: Sequence[Finding],
    loaders: Sequence[Loader],
    named: frozenset[str],
    settings_for: SettingsFor,
) -> tuple[list[Finding], list[Finding], int]:
    """Return the findings no comment accepts, those about comments that accept nothing, and how many were accepted."""
    written = {path: suppression.ignores(project.sources[path]) for path in sorted(project.sources)}
    written = {path: ignores for path, ignores in written.items() if ignores}
    if not written:
        return list(findings), [], 0
    kept = [one for one in findings if not any(ignore.accepts(one) for ignore in written.get(one.span.path, ()))]
    everywhere = [one for loader in loaders for one in _judge_everywhere(loader, settings_for(loader.span.path))]
    about_comments: list[Finding] = []
    for path, ignores in written.items():
        settings = settings_for(path)
        rules = all_rules(settings.plugins)
        rule = next(one for one in rules if one.name() == "unused-ignore")
        if path not in named or not settings.selects(rule.code, path):
            continue
        used = [ignore for ignore in ignores if any(ignore.accepts(one) for one in everywhere)]
        known = frozenset(name for one in rules for name in (one.code, one.name()))
        platforms = frozenset(target.platform for target in settings.targets)
        about_comments.extend(suppression.unused(rule, ignores, used, known, platforms))
    return kept, about_comments, len(findings) - len(kept)


def _judge_everywhere(loader: Loader, settings: Settings) -> Iterable[Finding]:
    """Yield what any rule says on any platform: an ignore for Windows is not unused because this run is about Linux."""
    first = settings.targets[0]
    targets = list(settings.targets)
    for platform in Platform:
        targets.extend(
            replace(first, platform=platform, python=python) for python in {first.python, _LATEST_FORK_FREE_PYTHON}
        )
    for rule_class in all_rules(settings.plugins):
        rule = rule_class(settings.limits)
        for target in targets:
            yield from rule.check(loader, target)


def _is_shown(finding: Finding, settings: Settings) -> bool:
    if finding.severity.rank > settings.min_severity.rank:
        return False
    return settings.pedantic or finding.confidence is not Confidence.POSSIBLE
