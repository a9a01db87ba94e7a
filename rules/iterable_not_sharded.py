"""LL401."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, each_of
from loaderlint.model.target import Target
from loaderlint.model.value import CpuCount


class IterableNotSharded(Rule):
    """Every worker yields all samples of an iterable dataset.

    ## What it does
    Finds an `IterableDataset` of two or more workers whose `__iter__` reads the same in each of them, followed from
    what it yields to the files, ranges or lists it is made of, each part of a `ChainDataset` (`first + second`) by
    itself, and a `DataPipeline` of webdataset that begins with a `SimpleShardList` and has no stage that splits by
    worker. Quiet where anything on that way asks for its worker, wraps a source that may share itself out, draws at
    random, or was not seen. A rank shares out among processes alone, where the constructor alone sets it or
    `torch.distributed` tells it; any other may count workers, and is quiet. So it is of a slice (`files[rank::world]`):
    one by constants or by such a rank gives every worker the same.

    ## Why it breaks
    Each worker has a copy of the dataset and iterates all of it. torch shares out indices, and an iterable dataset has
    none, so every sample arrives once for each worker. Nothing warns.

    ## Example
    ```python
    class Lines(IterableDataset):
        def __iter__(self):
            yield from open(self.path)

    loader = DataLoader(Lines("train.txt"), num_workers=4)
    ```

    ## Safe equivalent
    ```python
    class Lines(IterableDataset):
        def __iter__(self):
            worker = get_worker_info()
            first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
            yield from islice(open(self.path), first, None, step)
    ```
    With several processes, share out by rank as well.

    ## Fix safety
    There is no fix: how to share out best depends on what is read.

    ## Evidence
    The `torch.utils.data` page, "Iterable-style datasets", and `IterableDataset` in `torch/utils/data/dataset.py`. On
    torch 2.13.0 CPU, Python 3.11, Linux, two workers gave each of 100 samples twice, under fork and spawn, in 3 of 3
    runs, without a warning; sharded by `islice` or by `worker_init_fn`, once.
    """

    code = "LL401"
    severity = Severity.ERROR
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each source that several workers read alike."""
        for source in loader.payload.code.repeated:
            for workers, _ in loader.worker_starts(target, source):
                if not isinstance(workers.constant, CpuCount) and (workers.number(target) or 0) < _SEVERAL:
                    continue
                copies = "one copy" if isinstance(workers.constant, CpuCount) else f"{workers.constant} copies"
                each = " for each worker" if isinstance(workers.constant, CpuCount) else ""
                message = (
                    f"{each_of(workers)} yields every sample, {copies} of each{each}: nothing shares out "
                    f"`{source.what}` among them"
                )
                help = "let each worker yield its own part: ask torch.utils.data.get_worker_info() in __iter__"
                yield self.finding(loader, source, message, target, help=help)
                break


_SEVERAL = 2
