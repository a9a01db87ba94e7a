"""What every rule is."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from loaderlint.model.edit import Fix, Remedy, Unfixed
from loaderlint.model.finding import START_METHOD, Confidence, Finding, Severity, Site
from loaderlint.model.job import Cpus, Job
from loaderlint.model.limits import Limits
from loaderlint.model.loader import Loader, Start
from loaderlint.model.payload import Met
from loaderlint.model.source import Span
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, Trail

_CHANGEABLE = "the program may change one of these options and leave the others before it makes the loader"


class Rule(ABC):
    """One way for data loading to go wrong.

    A subclass is one module of the rule book; its docstring is its page. ``confidence`` is what a finding of this rule
    has when ``check`` says nothing else. One that is ``on_every_target`` finds nothing in a loader unless it does so on
    each target of the project.
    """

    code: ClassVar[str]
    severity: ClassVar[Severity]
    confidence: ClassVar[Confidence]
    enabled_by_default: ClassVar[bool] = True
    on_every_target: ClassVar[bool] = False

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()

    @classmethod
    def name(cls) -> str:
        """The rule's name: its class name in kebab case, which is its module's name with dashes."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def page(cls) -> str:
        """The rule's page, in Markdown."""
        return inspect.cleandoc(cls.__doc__ or "")

    @classmethod
    def summary(cls) -> str:
        """The page's first line."""
        return cls.page().partition("\n")[0]

    @abstractmethod
    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield what goes wrong with this loader on this target."""

    def finding(
        self,
        loader: Loader,
        at: Candidate | Met | Job | Cpus,
        message: str,
        target: Target,
        *,
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        trail: Trail | None = None,
        error: str | None = None,
        help: str | None = None,
        fix: Remedy | None = None,
        start: Start | None = None,
    ) -> Finding:
        """Return a finding of this rule that stands at something somebody wrote.

        The message has `START_METHOD` where it says how workers ``start``.
        """
        confidence = confidence or type(self).confidence
        most = Confidence.CERTAIN if loader.consumer_seen else Confidence.LIKELY
        resting_on = (at,) if isinstance(at, Candidate) else loader.num_workers.written
        changeable = any(one.may_be_changed for one in resting_on)
        most = Confidence.LIKELY if changeable else most
        confidence = max(confidence, most if loader.asked_for else Confidence.POSSIBLE, key=lambda one: one.rank)
        if changeable and isinstance(fix, Fix) and (confidence is Confidence.POSSIBLE or len(fix.edits) > 1):
            fix = fix.unsafe(_CHANGEABLE)
        return Finding(
            code=self.code,
            name=self.name(),
            severity=severity or self.severity,
            confidence=confidence,
            message=message if start is None else message.replace(START_METHOD, start.method.value),
            span=at.span,
            platforms=frozenset({target.platform}),
            site=Site(loader.span, loader.callee),
            trail=at.trail if trail is None else trail,
            error=error,
            help=help,
            fix=fix if isinstance(fix, Fix) else None,
            unfixed=fix.why if isinstance(fix, Unfixed) else "",
            start=None if start is None else start.method,
            sentence="" if start is None else message,
        )


def place(span: Span) -> str:
    """Return a place as messages name it: ``configs/train.yaml:4``."""
    return span.place


def counted(workers: Candidate) -> str:
    """Return a worker count as messages name it: ``4 workers``, ``1 worker``, ``os.cpu_count() // 2 workers``."""
    many = int(workers.constant) if isinstance(workers.constant, bool) else workers.constant
    return f"{many} worker" if many == 1 else f"{many} workers"


def each_of(workers: Candidate) -> str:
    """Return the subject of what every worker does: ``each of the 4 workers``, ``the only worker``."""
    return "the only worker" if workers.constant == 1 else f"each of the {counted(workers)}"


def one_of(workers: Candidate) -> str:
    """Return the subject of what a single worker does: ``one of the 4 workers``, ``the only worker``."""
    return "the only worker" if workers.constant == 1 else f"one of the {counted(workers)}"
