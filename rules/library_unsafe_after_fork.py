"""LL112."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.edit import Unfixed
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader, Start
from loaderlint.model.remedy import start_method
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.source import Span
from loaderlint.model.target import StartMethod, Target
from loaderlint.model.uses import ThreadUse
from loaderlint.model.value import Candidate


class LibraryUnsafeAfterFork(Rule):
    """Forked workers use a library whose threads stayed behind in the main process.

    ## What it does
    Finds what the main process uses before the workers are forked and worker code uses again: polars, one and the
    same `ThreadPoolExecutor` or `ProcessPoolExecutor`, an asyncio event loop that a thread runs, and batches of texts
    for a fast tokenizer where the program sets `TOKENIZERS_PARALLELISM` to true. A file system of gcsfs, s3fs, or
    fsspec with a remote protocol is a warning; a `ProcessPoolExecutor` and a gRPC channel are shown with `--pedantic`
    only. Quiet about what the workers make themselves.

    ## Why it breaks
    A forked worker inherits what the library knows of its threads, but not the threads. It hands them work and waits
    for them for ever.

    ## Example
    ```python
    pool = ThreadPoolExecutor(4)
    names = list(pool.map(name_of, paths))

    class Images(Dataset):
        def __getitem__(self, index):
            return pool.submit(read, paths[index]).result()
    ```

    ## Safe equivalent
    ```python
    class Images(Dataset):
        pool = None

        def __getitem__(self, index):
            if self.pool is None:
                self.pool = ThreadPoolExecutor(4)
            return self.pool.submit(read, paths[index]).result()
    ```
    Or start the workers with `multiprocessing_context="spawn"`. For tokenizers leave `TOKENIZERS_PARALLELISM` alone.

    ## Fix safety
    Safe where the program is guarded, all its work was seen to pickle and nothing is set up for it that only a fork
    has: the workers are spawned. Otherwise unsafe. Unsafe, too, where somebody writes into what is sent, whose tensors
    spawned workers share with the program, where that holds a model, or a memory map, of which each gets a copy. None
    for tokenizers, where the setting is to go, and for what was not made at the top of a module, where a spawned worker
    makes its own. A `timeout` under 10 seconds becomes 60, as spawned workers may take longer to begin (LL503).

    ## Evidence
    docs.pola.rs, "Multiprocessing"; filesystem_spec issue 835 and gcsfs issue 379 (not tried, hence a warning). On
    torch 2.13.0 CPU, Python 3.11, Linux `ThreadPoolExecutor`, asyncio, polars and tokenizers hung in 10 of 10 runs
    each; the first three did not under spawn, `ThreadPoolExecutor` and polars not where only the workers used them.
    `ProcessPoolExecutor` was not tried. With polars `filter`, `sort`, `join`, `agg`, `collect` and reading a file hung
    in one run each, rows and plain columns did not; with tokenizers 0.23.3 batches hung and single texts did not. Calls
    through a gRPC channel that the main process had used raised in the workers with grpcio 1.60.2 and 1.71.2 ("Socket
    operation on non-socket", 3 of 3 runs each); with 1.85.1 they did not (3 runs) unless `GRPC_ENABLE_FORK_SUPPORT` was
    set to 0 (hung, 2 of 2). Where only the workers used it they never did.
    """

    code = "LL112"
    severity = Severity.ERROR
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each kind of threads that forked workers wait for."""
        seen: set[tuple[str, Span | None]] = set()
        for used, before, workers, start in _met(loader, target):
            if (used.threads, used.made) in seen:
                continue
            seen.add((used.threads, used.made))
            happens = "wait for ever" if used.hangs else "can hang or raise"
            message = (
                f"{counted(workers)} started by fork {happens} at `{used.what}`: {used.threads} was used before they "
                f"start ({place(before.span)}), and threads do not come along"
            )
            severity = Severity.ERROR if used.hangs else Severity.WARNING
            fix = start_method(loader, StartMethod.SPAWN, start.asked_by, target) if used.spawns else _not_spawned(used)
            sure = Confidence.LIKELY if used.known else Confidence.POSSIBLE
            yield self.finding(
                loader, used, message, target, severity=severity, confidence=sure, help=used.help, fix=fix
            )


def _not_spawned(used: ThreadUse) -> Unfixed:
    if used.made is None:
        return Unfixed("the setting is to go, however the workers start")
    return Unfixed("it is not made at the top of a module, where a spawned worker would make its own")


def _met(loader: Loader, target: Target) -> Iterator[tuple[ThreadUse, ThreadUse, Candidate, Start]]:
    """Yield what forked workers use, each with a place that uses it before they start."""
    for used in loader.payload.code.inherited:
        for before in loader.program.threads:
            if (before.threads, before.made) == (used.threads, used.made):
                for workers, start in loader.worker_starts(target, used, before):
                    if start.method is StartMethod.FORK:
                        yield used, before, workers, start
