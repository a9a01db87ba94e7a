"""LL407."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.kept import Kept
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Touch
from loaderlint.model.rule import Rule, counted, place
from loaderlint.model.target import StartMethod, Target
from loaderlint.model.value import Candidate


class HandleSharedAcrossFork(Rule):
    """Forked workers read through one file handle that was opened before they start.

    ## What it does
    Finds files, archives, video readers, HDF5 files and LMDB environments that a dataset opens in its constructor, or
    its module when it is imported, and that `__getitem__` and the like read through, where two or more workers are
    forked. Quiet about what has no place of its own to share: `os.pread`, `mmap`, `np.memmap`, LMDB with `lock=False`;
    and about SQLite, which was only read without harm.

    ## Why it breaks
    A forked worker inherits the handle, and with it the place in the file: while one worker seeks, another reads. A
    file or tar archive then gives wrong records without an error, a zip or npz archive errors. LMDB with its default
    lock counts readers by process, and a forked one takes a new slot with every read, until none is left.

    ## Example
    ```python
    class Records(Dataset):
        def __init__(self, path):
            self.file = open(path, "rb")

        def __getitem__(self, index):
            self.file.seek(index * 64)
            return self.file.read(64)
    ```

    ## Safe equivalent
    ```python
    class Records(Dataset):
        def __init__(self, path):
            self.path, self.file = path, None

        def __getitem__(self, index):
            if self.file is None:
                self.file = open(self.path, "rb")
            self.file.seek(index * 64)
            return self.file.read(64)
    ```
    For LMDB `lmdb.open(path, readonly=True, lock=False)` is enough; `readonly=True` alone keeps the lock.

    ## Fix safety
    None: where a handle is first needed is for somebody who knows the dataset to say.

    ## Evidence
    fork(2), "open file descriptions"; LMDB, `lmdb.h`, "Use an MDB_env* in the process which opened it, without
    fork()ing"; pytorch issue 11929 (HDF5). On torch 2.13.0 CPU, Python 3.11, Linux, with four workers: files 7 of 11
    runs and tar archives 5 of 5 gave wrong records, zip and npz archives 16 of 16 raised, LMDB raised from the 127th
    read on in every run. h5py 3.16 never went wrong, HDF5 1.10 did; hence only possible. Video readers were not
    measured (lerobot issue 4526).
    """

    code = "LL407"
    severity = Severity.ERROR
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each handle that forked workers read through."""
        for kept in loader.sent_on(target).kept:
            met = next(_met(loader, kept, target), None) if kept.kind.sharing else None
            if met is not None:
                workers, used = met
                yield self.finding(
                    loader,
                    kept,
                    f"{counted(workers)} started by fork {kept.kind.sharing}: {kept.described} is opened before they "
                    f"start and used at {place(used.span)}",
                    target,
                    confidence=kept.kind.sharing_confidence,
                    help="open it in the worker, when it is first used",
                )


def _met(loader: Loader, kept: Kept, target: Target) -> Iterator[tuple[Candidate, Touch]]:
    """Yield the worker counts above 1 that share a handle by fork, each with a place that uses it."""
    for used in kept.used:
        for workers, start in loader.worker_starts(target, kept, used):
            if start.method is StartMethod.FORK and workers.number(target) != 1:
                yield workers, used
