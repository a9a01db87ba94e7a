"""LL101."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import single_process
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target


class WorkersOnWindows(Rule):
    """Worker processes are started on Windows.

    ## What it does
    Finds a worker count that is above `windows-workers` (0 unless the project sets it) on a Windows target.

    ## Why it breaks
    Windows does support workers, but each is a fresh interpreter that imports the program again and unpickles its
    work. Unless the program is guarded and its work pickles, the run stops there; if so, every epoch waits for them.
    Of a notebook there is nothing to import: its workers have no name that a cell defines, guard or not.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4)
    ```

    ## Safe equivalent
    ```python
    loader = DataLoader(dataset, num_workers=0 if sys.platform == "win32" else 4)
    ```
    If the program is guarded and its work pickles, keep the workers and set `windows-workers = 4`.

    ## Fix safety
    Safe, but slower: the samples stay, and options that need workers go with the last one. Where workers persisted, a
    loader that shuffles draws another order from its second epoch on. Unsafe when a `worker_init_fn` would no longer
    run, the dataset is iterable, makes its own batches, counts what it gave before (`self.given += 1`) or changes a
    sample where it is kept (`row = self.rows[index]; row *= 2`), and when what runs in workers changes or ends all of
    its process (`torch.manual_seed`, `torch.backends`, `os.environ`, `sys.exit`) or asks which one that is
    (`get_worker_info`, `os.getpid`).
    Unsafe when the program changes what the code of workers reads after its modules were imported (`global THRESHOLD`),
    which workers on Windows never have, reads what these change (`data.log`), or changes batches that may be parts of
    the data set (`batch_size=None`, a `collate_fn`). What samples read has to be settled, as far as that is seen:
    anything that may run while the loader is iterated, and writes an attribute or key of a name that samples read on
    what may be the same object (`options.scale += 1`), or changes an array, a list or a table that they share in place,
    by a name that it is seen to have, makes it unsafe; it is followed into containers (`state["rows"]`), to functions
    that are handed it, and to those that run beside it (`map`, threads, hooks). So do a sampler that is told something,
    a file that is written, or may be by another program, a variable of the environment, layers and parameters that
    samples are made with, copies that pickle as something else (`__getstate__`), errors that workers cannot hand on and
    the program tells apart, or looks into (`error.errno`), and modes that it sets for itself alone
    (`decimal.getcontext().prec = 3`, `torch.no_grad()`, `warnings.simplefilter("error")`). What changes between epochs
    is there for the next workers, unless these persist. So it is when it seeds and draws from then on what samples
    draw, too, of `random`, NumPy and, where their code is seen to (`torch.rand`), torch, what a sampler draws as it
    goes along, or of torch's between the begin of a loader that shuffles and its first batch, as two in one `zip` do;
    when samples draw from a seeded generator that they keep and do not seed before each draw, or a loop from that of
    its order (`torch.Generator`), when the program reads a file that samples write, and when it changes `sys.modules`
    or its own names by that, `globals()` or a patch. It sees the common ways of these, not all: no generator that a
    loop or a call gives the sample, no module that is handed to a function. Unsafe when code asks the loader for its
    options, two iterators in use at a time share the workers that persist (LL406), the call may make a class of the
    project that iterates in a way of its own, a `try` takes what torch refuses, a library's builder may keep
    `persistent_workers` (`workers_per_gpu`), code may give what needs workers beside a setting that nobody was
    seen to read, or the number also serves something else. There is no fix where a declaration that the number comes
    by may refuse 0 (`click.IntRange(min=1)`) and the call cannot be changed instead.

    ## Evidence
    "Platform-specific behaviors" of the `torch.utils.data` page; torch's Windows notes (`notes/windows.rst`); pytorch
    issues 25302 (eight guarded workers run), 51344 (a notebook that freezes), 12831 (slow epochs). Not measured on
    Windows; on Linux (torch 2.13.0 CPU, Python 3.11) a spawned worker took 2 to 3 s. CPython,
    `multiprocessing/spawn.py`, `get_preparation_data`: a main module without a file is not imported.
    """

    code = "LL101"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each worker count above the limit."""
        for workers in loader.workers_on(target) if target.windows else ():
            number = workers.number(target)
            if number is not None and number <= self.limits.windows_workers:
                continue
            message = f"starting {counted(workers)} on Windows takes a fresh interpreter for each, {_again(loader)}"
            fix = single_process(loader, workers, target, self.limits.windows_workers)
            yield self.finding(loader, workers, message, target, fix=fix)


def _again(loader: Loader) -> str:
    """Return what a fresh interpreter does before the first batch, and what stops the run there."""
    payload = loader.payload
    pickles = payload.seen and not (payload.unpicklable or payload.in_notebook)
    if loader.span.cells is not None:
        # The kernel's main module has no file that a worker could import.
        if pickles:
            return "which imports what its work needs before the first batch"
        return "which gets its work by pickle: if that does not pickle, or a cell defines it, the run stops there"
    if loader.program.guarded and pickles:
        return "which imports the program again before the first batch"
    return "which imports the program again: without a guard, or with work that does not pickle, the run stops there"
