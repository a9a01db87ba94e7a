"""What the rules about worker options without workers share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader, arrives
from loaderlint.model.remedy import drop_without_workers
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, CommandLineText, Step

from ._counts import asks_for_workers


class NeedsWorkers(Rule):
    """An option that torch refuses when there are no workers.

    ``option`` is torch's name for it, ``refused_when`` the moment torch raises.
    """

    severity = Severity.ERROR
    confidence = Confidence.CERTAIN
    option: ClassVar[str]
    refused_when: ClassVar[str] = "when the loader is made"

    @abstractmethod
    def error(self, target: Target) -> str | None:
        """Return what torch prints on the target, or None where that is not known."""

    def refused(self, given: Candidate, target: Target) -> bool:
        """Return whether the target's torch refuses this value beside a worker count of 0."""
        return not isinstance(given.constant, CommandLineText) and arrives(self.option, given.constant)

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each written value of the option that meets a worker count of 0."""
        name, count = loader.spelled(self.option), loader.spelled("num_workers")
        found: set[Candidate] = set()
        for given, workers in loader.written_together(self.option, "num_workers", target):
            if workers.number(target) != 0 or given in found or not self.refused(given, target):
                continue
            found.add(given)
            zero = f"{count} is 0" if workers.written else f"{count} is not given, so 0"
            where = f" ({place(workers.span)})" if workers.written else ""
            shown = f"{given.shown} with {given.switch}" if given.switch else given.shown
            unseen = not workers.written and (loader.num_workers.open or not loader.consumer_seen)
            unseen = unseen or loader.may_be_guarded or asks_for_workers(given, workers)
            unseen = unseen or given.may_be_changed or workers.may_be_changed
            yield self.finding(
                loader,
                given,
                f"{name} is {shown} but {zero}{where}: torch raises {self.refused_when}",
                target,
                confidence=Confidence.POSSIBLE if unseen else None,
                trail=(*given.trail, Step(workers.span, zero)),
                error=self.error(target) if name == self.option else None,
                fix=drop_without_workers(loader, self.option, given, target),
            )
