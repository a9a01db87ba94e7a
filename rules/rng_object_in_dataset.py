"""LL402."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import CUDA
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.kept import Kept
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Touch
from loaderlint.model.rule import Rule, counted, each_of, place
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate


class RngObjectInDataset(Rule):
    """A dataset draws from a random generator that was made before the workers start.

    ## What it does
    Finds `numpy.random.default_rng(...)`, `RandomState`, `random.Random` and `torch.Generator` objects that a
    dataset, `collate_fn`, transform or their module makes once and that code in the workers draws from; less sure where
    it draws only under a condition. Quiet where the workers give it another state, or ask which worker they are.

    ## Why it breaks
    torch gives each worker its own seed for `torch`, `random` and `numpy.random`, but it knows nothing of other
    generators: each worker gets a copy in the same state, so all draw the same numbers, and workers that start again
    each epoch draw them again.

    ## Example
    ```python
    class Noisy(Dataset):
        def __init__(self):
            self.rng = np.random.default_rng()

        def __getitem__(self, index):
            return self.data[index] + self.rng.normal()
    ```

    ## Safe equivalent
    ```python
    class Noisy(Dataset):
        def __init__(self):
            self.rng = None

        def __getitem__(self, index):
            if self.rng is None:
                self.rng = np.random.default_rng(torch.initial_seed())
            return self.data[index] + self.rng.normal()
    ```
    Or draw from `np.random`, `random` or `torch` themselves, which torch seeds in every worker.

    ## Fix safety
    None: other numbers are drawn afterwards.

    ## Evidence
    `_worker_loop` in `torch/utils/data/_utils/worker.py`; torch, `notes/faq.rst`, "My data loader workers return
    identical random numbers". On torch 2.13.0 CPU, Python 3.11, Linux, 10 of 10 runs with two workers drew 8 different
    numbers in 16 items, and the same ones in the second epoch.
    """

    code = "LL402"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each generator that workers draw from as it was made."""
        for kept in loader.sent_on(target).kept:
            met = next(self._met(loader, kept, target), None) if kept.kind.draws else None
            if met is None:
                continue
            workers, used = met
            if _is_one(workers, target):
                confidence, who = Confidence.LIKELY, f"the {counted(workers)} draws the same random numbers every epoch"
            else:
                confidence, who = Confidence.CERTAIN, f"{each_of(workers)} draws the same random numbers"
            drawn = f"drawn from at {place(used.span)}"
            if not _always_draws(workers, kept, used):
                confidence, drawn = Confidence.LIKELY, f"{drawn}, on a path that not every item takes"
                who = f"{who} where it draws any"
            message = f"{who}: {kept.described} is made before they start and {drawn}"
            help = "make it in the worker, from `torch.initial_seed()`, or draw from the library's own generator"
            yield self.finding(loader, kept, message, target, confidence=confidence, help=help)

    def _met(self, loader: Loader, kept: Kept, target: Target) -> Iterator[tuple[Candidate, Touch]]:
        """Yield the worker counts that draw the same numbers, those above 1 first, each with a place that draws.

        Of the places, those that every item comes to are the first.
        """
        found = [
            (workers, used)
            for used in kept.used
            for workers, start in loader.worker_starts(target, kept, used)
            if not start.method.reimports or (kept.travels and not kept.kind.unpickling)
        ]
        found.sort(key=lambda one: not _always_draws(one[0], kept, one[1]))
        yield from (one for one in found if not _is_one(one[0], target))
        yield from (one for one in found if _is_one(one[0], target) and _starts_again(loader, one[0], target))


def _always_draws(workers: Candidate, kept: Kept, used: Touch) -> bool:
    """Return whether a worker comes to a place that draws whatever the answers are that nobody sees through."""
    asked = {subject for subject, answer in used.assumptions if isinstance(answer, bool) and subject != CUDA}
    return asked <= {subject for subject, _ in kept.assumptions | workers.assumptions}


def _is_one(workers: Candidate, target: Target) -> bool:
    return workers.number(target) == 1


def _starts_again(loader: Loader, workers: Candidate, target: Target) -> bool:
    """Return whether a loader with this worker count can start its workers anew each epoch."""
    both = loader.together("num_workers", "persistent_workers", target)
    return any(count is workers and not persistent.constant for count, persistent in both)
