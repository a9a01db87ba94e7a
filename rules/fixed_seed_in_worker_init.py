"""LL403."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import CUDA, Assumptions
from loaderlint.model.edit import Fix, Remedy, Unfixed, WriteAs
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted, each_of
from loaderlint.model.target import Target
from loaderlint.model.uses import Role
from loaderlint.model.value import Candidate, CpuCount
from loaderlint.model.worker_code import Seed, SeedOrigin


class FixedSeedInWorkerInit(Rule):
    """A `worker_init_fn` seeds with what is the same in every epoch.

    ## What it does
    Finds `np.random.seed`, `random.seed` and the like in a `worker_init_fn`, handed a number, the worker's number, or
    the old recipe `np.random.get_state()[1][0] + worker_id`. Quiet where the seed takes anything from torch, from a
    loop or from an object, or was not seen, where persistent workers are told apart by their number, where all that
    runs in the workers was seen and draws nothing of what is seeded, and for loaders that evaluate.

    ## Why it breaks
    torch seeds Python, NumPy (from 1.9 on) and itself in every worker, anew in every epoch. A fixed seed undoes that:
    the workers start again in every epoch and draw what they drew before, so augmentation repeats itself. A number
    alone makes the workers draw the same as each other, too.

    ## Example
    ```python
    def seed_worker(worker_id):
        np.random.seed(np.random.get_state()[1][0] + worker_id)

    loader = DataLoader(images, num_workers=4, worker_init_fn=seed_worker)
    ```

    ## Safe equivalent
    ```python
    def seed_worker(worker_id):
        np.random.seed(torch.initial_seed() % 2**32)
    ```
    From torch 1.9 on NumPy needs no `worker_init_fn` at all.

    ## Fix safety
    Unsafe: other random numbers are drawn, as they should be. `torch.initial_seed() % 2**32` takes the seed's place.
    There is no fix where code of the project seems to call the function itself, which would no longer seed as it asks.

    ## Evidence
    `torch/utils/data/_utils/worker.py`, `_worker_loop`; pytorch issues 5059 and 41329, pull request 56488. On torch
    2.13.0 CPU, Python 3.11, Linux, each of the three gave the same numbers in every epoch in 2 of 2 runs, and a number
    alone the same in both workers. `get_state()[1][0]` is the same in every worker and epoch, whatever torch drew.
    """

    code = "LL403"
    severity = Severity.WARNING
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each call that seeds."""
        if loader.uses.role is Role.EVALUATION:
            return
        for seed in loader.payload.code.seeds:
            if seed.origin is SeedOrigin.DRAWN:
                continue
            begun = [workers for workers, _ in loader.worker_starts(target, seed)]
            anew = [workers for workers in begun if _starts_anew(loader, workers, target)]
            alike = [one for one in begun if seed.origin is SeedOrigin.FIXED and _several(one, target)]
            if anew or alike:
                message = _message(seed, anew[0] if anew else None, alike[0] if alike else None)
                help = "leave it out: torch seeds every worker anew in every epoch"
                always = any(_asked(seed.assumptions) <= _asked(one.assumptions) for one in (*anew, *alike))
                yield self.finding(
                    loader,
                    seed,
                    message if always else f"where it runs, {message}",
                    target,
                    confidence=None if always else Confidence.LIKELY,
                    fix=_fix(seed),
                    help=help,
                )


def _asked(assumptions: Assumptions) -> set[str]:
    """Return what a run must have asked, and answered one way, under assumptions; the target settles the others."""
    yes_or_no = (one.subject for one in assumptions if isinstance(one.answer, bool) or one.answer == "given")
    return {subject for subject in yes_or_no if subject != CUDA}


def _starts_anew(loader: Loader, workers: Candidate, target: Target) -> bool:
    """Return whether the workers can be others in every epoch, as they are where they are not persistent."""
    pairs = loader.together("persistent_workers", "num_workers", target)
    return any(count is workers and not persistent.constant for persistent, count in pairs)


def _several(workers: Candidate, target: Target) -> bool:
    return isinstance(workers.constant, CpuCount) or (workers.number(target) or 0) > 1


def _message(seed: Seed, anew: Candidate | None, alike: Candidate | None) -> str:
    numbers = f"the random numbers of {seed.library}"
    if alike is None:
        return f"every epoch draws the same of {numbers}: `{seed.what}` seeds {_them(anew)} as it did before"
    when = ", in every epoch" if anew is not None else ""
    return f"{each_of(alike)} draws the same of {numbers}{when}: `{seed.what}` seeds them alike"


def _them(workers: Candidate | None) -> str:
    return "the workers" if workers is None else f"the {counted(workers)}"


def _fix(seed: Seed) -> Remedy:
    if seed.library == "every library":
        return Unfixed("it seeds torch itself as well")
    if seed.called_elsewhere:
        return Unfixed("the function is called elsewhere, too, and seeds whoever calls it")
    if not seed.torch:
        return Unfixed(f"{seed.span.path} does not import torch, whose seed it would be given")
    by = f"{seed.torch}.initial_seed()"
    fix = Fix(f"seed with {by}", (WriteAs(seed.span, f"{by} % 2**32"),))
    return fix.unsafe("other random numbers are drawn: every epoch and worker has its own")
