"""Asks every rule about every loader, a part of the project at a time; what was followed is let go of with each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.linking.files.known import Basis, Readings, Seen
from loaderlint.linking.files.project import Project
from loaderlint.linking.link import link_part
from loaderlint.model.finding import Finding
from loaderlint.model.limits import Limits
from loaderlint.model.loader import Loader, Unreached
from loaderlint.model.source import Span
from loaderlint.model.target import Accelerator, Platform, Target
from loaderlint.processes import each
from loaderlint.rulebook import RuleFailed, all_rules
from loaderlint.settings import Settings

SettingsFor = Callable[[str], Settings]

_FIRST_PYTHON_WITHOUT_FORK = (3, 14)
"""From here on Linux starts workers by forkserver (`Target.default_start_method`)."""
_OLD_TORCH = (1, 13)


class Raised(Struct, frozen=True):
    """A finding, and where the loader stands that it was raised about."""

    finding: Finding
    loader: Span


class Judged(Struct, frozen=True):
    """What the rules say about some loaders, without these: a loader holds on to all that was read and followed for it.

    ``anywhere`` is what they would say on any target, where that was asked for. ``arrivals`` are the platforms of the
    targets on which each written value arrives at a loader, worked out or as it is. ``settings_files`` are the files of
    Python that are read as settings. ``reached`` counts the loaders of each file whose worker count some value can be,
    as no value reaches one that no run comes to; ``unreached`` are those that no run iterates on some platform of their
    targets. ``unseen`` counts those whose worker count something unseen can be, besides what a user gives.
    """

    raised: tuple[Raised, ...] = ()
    anywhere: tuple[Finding, ...] = ()
    arrivals: Mapping[Span, frozenset[Platform]] = {}
    settings_files: frozenset[str] = frozenset()
    reached: Mapping[str, int] = {}
    unseen: Mapping[str, int] = {}
    unreached: tuple[Unreached, ...] = ()


class Judge(Struct, frozen=True):
    """What judges the parts of a project; with ``anywhere`` it also asks what the rules would say on any target.

    ``wrappers`` and ``near`` are those of `link`.
    """

    wrappers: Mapping[str, Mapping[str, str | int]]
    settings_for: SettingsFor
    anywhere: bool = False
    near: frozenset[str] | None = None

    def of(self, part: Project) -> Judged:
        """Return what the rules say about the loaders of a part of a project."""
        return _judged(link_part(part, self.wrappers, self.near), self.settings_for, anywhere=self.anywhere)


class _Said(Struct, frozen=True):
    """What is said about a part, with what was read for it; ``basis`` and ``mentioned`` are what it depends on.

    The part is that of some files, judged for those that are ``near`` or all (`Judge`).
    """

    of: tuple[frozenset[str], frozenset[str] | None, bool]
    basis: Basis
    mentioned: Mapping[re.Pattern[bytes], bool]
    judged: Judged
    seen: Seen

    def holds(self, project: Project) -> bool:
        """Return whether it would be said again."""
        unchanged = self.basis == project.basis(self.basis.given)
        return unchanged and all(project.programs_mention(words) is one for words, one in self.mentioned.items())


class Kept(Struct):
    """What is kept from one look at a project to the next: between two rounds of fixes few files change.

    ``readings`` are kept where most of what changes is read again.
    """

    readings: Readings | None = None
    said: dict[tuple[frozenset[str], frozenset[str] | None, bool], _Said] = field(default_factory=dict)


def of_parts(project: Project, named: frozenset[str], judge: Judge, kept: Kept, processes: int) -> Judged:
    """Return what the rules say about the loaders of the parts that the named files belong to.

    The project learns what was read for them. What is ``kept`` of a part that did not change is said again. Where their
    files are large enough to repay it, several of the others are judged at the same time, each process ending with its
    parts and what was read for them.
    """

    def outcome(bundle: Iterable[frozenset[str]]) -> tuple[list[_Said], object]:
        said: list[_Said] = []
        for paths in bundle:
            part = project.part(paths)
            judged = judge.of(part)
            of = paths, judge.near, judge.anywhere
            said.append(_Said(of, part.basis(part.asked), project.mentioned, judged, part.seen))
        return said, project.answers()

    parts = list(project.parts(named))
    known = (kept.said.get((paths, judge.near, judge.anywhere)) for paths in parts)
    again = {one.of[0]: one for one in known if one is not None and one.holds(project)}
    new = ((paths, project.size(paths)) for paths in parts if paths not in again)
    for said, answers in each(outcome, list(_bundles(new)), processes):
        project.learn_answers(answers)
        again.update((one.of[0], one) for one in said)
    for one in again.values():
        kept.said[one.of] = one
        project.learn(one.seen)
    return together(again[paths].judged for paths in parts)


def _bundles(parts: Iterable[tuple[frozenset[str], int]]) -> Iterator[list[frozenset[str]]]:
    """Yield the files of parts, given with their sizes, in bundles that are worth a process each: the largest first."""
    bundle: list[frozenset[str]] = []
    total = 0
    for paths, size in sorted(parts, key=lambda one: one[1], reverse=True):
        bundle.append(paths)
        total += size
        if total >= WORTH_A_PROCESS:
            yield bundle
            bundle, total = [], 0
    if bundle:
        yield bundle


WORTH_A_PROCESS = 1 << 16
"""Bytes of files that may matter whose loaders take much longer to follow than a process to start."""


def _judged(loaders: Iterable[Loader], settings_for: SettingsFor, *, anywhere: bool) -> Judged:
    loaders = sorted(loaders, key=lambda one: one.span)
    return Judged(
        raised=tuple(
            Raised(finding, one.span)
            for one in loaders
            for finding in _judge(one, settings_for(one.span.path).targets, settings_for(one.span.path))
        ),
        anywhere=tuple(
            finding for one in (loaders if anywhere else ()) for finding in _anywhere(one, settings_for(one.span.path))
        ),
        arrivals=_arrivals(loaders, settings_for),
        settings_files=frozenset[str]().union(*(one.settings_files for one in loaders)),
        reached=Counter(one.span.path for one in loaders if one.num_workers.open or one.num_workers.known),
        unseen=Counter(one.span.path for one in loaders if one.num_workers.open and not one.num_workers.by_user),
        unreached=tuple(
            one.unreached
            for one in loaders
            if not one.unreached.platforms.issuperset(target.platform for target in settings_for(one.span.path).targets)
        ),
    )


def together(several: Iterable[Judged]) -> Judged:
    """Return what is said about all the loaders that several parts of a project have, as if they were of one."""
    parts = list(several)
    arrivals: dict[Span, frozenset[Platform]] = {}
    for part in parts:
        for span, platforms in part.arrivals.items():
            arrivals[span] = arrivals.get(span, frozenset()) | platforms
    return Judged(
        raised=tuple(sorted(chain.from_iterable(one.raised for one in parts), key=lambda one: one.loader)),
        anywhere=tuple(chain.from_iterable(one.anywhere for one in parts)),
        arrivals=arrivals,
        settings_files=frozenset[str]().union(*(one.settings_files for one in parts)),
        reached=sum((Counter(one.reached) for one in parts), Counter[str]()),
        unseen=sum((Counter(one.unseen) for one in parts), Counter[str]()),
        unreached=tuple(sorted(chain.from_iterable(one.unreached for one in parts), key=lambda one: one.span)),
    )


def _judge(loader: Loader, targets: Iterable[Target], settings: Settings) -> Iterator[Finding]:
    targets = [one for one in targets if one.platform in loader.platforms]
    for rule_class in all_rules(settings.plugins):
        rule = rule_class(settings.limits)
        try:
            said = [list(rule.check(loader, target)) for target in targets]
        except Exception as error:
            # A rule of a project's own may break; it is named, and the others still speak.
            raise RuleFailed(f"{rule.code} {rule.name()} failed on {loader.span}: {error!r}") from error
        if all(said) or not rule.on_every_target:
            yield from chain.from_iterable(said)


def _anywhere(loader: Loader, settings: Settings) -> Iterator[Finding]:
    """Yield what any rule says on any target: an ignore for Windows is not unused because this run is about Linux."""
    first = settings.targets[0]
    anywhere = [
        replace(first, platform=platform, python=python, torch=torch, accelerator=accelerator)
        for platform in Platform
        for python in (first.python, _FIRST_PYTHON_WITHOUT_FORK)
        for torch in (first.torch, _OLD_TORCH)
        for accelerator in (first.accelerator, Accelerator.CUDA)
    ]
    strict = replace(settings, limits=Limits(max_prefetch_factor=1, max_batches_in_flight=1))
    for target in (*settings.targets, *anywhere):
        yield from _judge(loader, [target], settings)
    yield from _judge(loader, anywhere, strict)


def _arrivals(loaders: Iterable[Loader], settings_for: SettingsFor) -> Mapping[Span, frozenset[Platform]]:
    arrivals: dict[Span, frozenset[Platform]] = {}
    for loader in loaders:
        for target in settings_for(loader.span.path).targets:
            for value in loader.options.values():
                for candidate in value.on(target).known:
                    for span in (candidate.span, *candidate.sources):
                        arrivals[span] = arrivals.get(span, frozenset()) | {target.platform}
    return arrivals
