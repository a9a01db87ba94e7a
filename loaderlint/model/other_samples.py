"""Why samples may be others, or come in another order, once a loader has fewer workers or none."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.loader import Loader
from loaderlint.model.payload import Touch
from loaderlint.model.target import Target


def other_samples(loader: Loader, count: int, target: Target) -> Iterator[str]:
    """Yield the reasons why a loader may give others with this many workers than with more; those that cost most last.

    A worker is a process of its own. It has copies of what the program has, and random numbers of its own.
    """
    yield from _with_fewer(loader, without="without workers" if count == 0 else "")
    if count == 0:
        yield from _of_the_library(loader, target)
        yield from _in_one_process(loader, target)


def _with_fewer(loader: Loader, without: str) -> Iterator[str]:
    """Yield what hangs on how many workers there are."""
    code = loader.payload.code
    if loader.own_class is not None:
        own = loader.own_class
        yield f"`{own.what}` ({own.span.place}) may be made there, and iterates in a way of its own"
    if code.asks_worker:
        gives = "gives None without them" if without else "says something else of fewer workers"
        yield f"code that runs in workers asks get_worker_info, which {gives}"
    if code.draws_seeded:
        yield "worker_init_fn seeds each worker, and other workers then draw for a sample"
    if code.remembers:
        others = without or "with fewer workers"
        yield f"a sample depends on those its process read before, which are others {others}"


def _of_the_library(loader: Loader, target: Target) -> Iterator[str]:
    """Yield what torch, or the library that makes the loader, does in another way without workers."""
    if _shares_iterator(loader, target):
        yield "iterators that are one while the workers persist are several without workers"
    if loader.payload.worker_init_fn is not None:
        yield "worker_init_fn never runs without workers"
    if loader.payload.iterable or _makes_batches(loader):
        yield "an IterableDataset may yield other samples, or in another order, without workers"
    if loader.spelled("num_workers") in _OF_BUILDERS:
        yield "the library that makes this loader may set persistent_workers, which torch refuses without workers"


def _in_one_process(loader: Loader, target: Target) -> Iterator[str]:
    """Yield what samples and the program do to each other in one process, and not across two."""
    code, uses = loader.payload.code, loader.uses
    if uses.payload_set and _keeps_workers(loader, target):
        yield "the program changes what the workers have copies of, which reaches the samples at once then"
    if uses.changes_batches and _may_hand_out_what_is_kept(loader):
        yield "the program changes its batches, which may be parts of the data set itself without workers"
    if (drawn := uses.draws_beside()) is not None:
        yield f"{_at(drawn)} draws from random numbers that samples, or their order, share then"
    if (ending := code.process_wide()) is not None:
        yield f"{_at(ending)} changes or ends all of its process, which without workers is the one that trains"
    if (told := code.told_process()) is not None:
        yield f"{_at(told)} hangs on which process it is, which is one without workers"
    if (read := code.read_back()) is not None:
        yield f"{_at(read)} reads what samples change, which workers have copies of"
    if _imports_anew(loader, target) and (later := code.changed_later()) is not None:
        yield (
            f"{_at(later)} changes what the code of workers reads, and workers that import it anew have none of that"
        )
    if (unsettled := next(iter(uses.unsettled), None)) is not None:
        yield f"{_at(unsettled)} {unsettled.hanging.value}"


def _at(touch: Touch) -> str:
    return f"`{touch.what}` ({touch.span.place})"


def _imports_anew(loader: Loader, target: Target) -> bool:
    """Return whether workers may begin as new processes on the target, which know nothing of what the program did."""
    starts = loader.starts_on(target)
    return not starts or any(one.method.reimports for one in starts)


_OF_BUILDERS = frozenset({"workers_per_gpu"})
"""Worker counts of configurations that a builder may give ``persistent_workers=True`` to unless told otherwise.

``mmseg/datasets/builder.py``, ``build_dataloader`` (mmsegmentation 0.27).
"""


def _shares_iterator(loader: Loader, target: Target) -> bool:
    """Return whether two iterators in use at a time are one, which resets it, as workers that persist have one."""
    persistent = loader.option("persistent_workers").on(target).written
    return bool(loader.uses.together) and any(one.constant for one in persistent)


def _keeps_workers(loader: Loader, target: Target) -> bool:
    """Return whether workers may go on with the copies that they got first, from one epoch to the next."""
    persistent = loader.option("persistent_workers").on(target)
    return persistent.open or any(one.constant for one in persistent.written)


def _may_hand_out_what_is_kept(loader: Loader) -> bool:
    """Return whether a batch may be something else than the new tensors that ``default_collate`` makes of samples."""
    sizes = loader.option("batch_size").written
    return loader.payload.collate_fn is not None or any(one.constant is None for one in sizes)


def _makes_batches(loader: Loader) -> bool:
    """Return whether the data set makes its own batches, as most iterable ones do, and was not seen to be another."""
    alone = any(one.constant is None for one in loader.option("batch_size").written)
    return alone and not loader.payload.seen and not loader.option("batch_sampler").written
