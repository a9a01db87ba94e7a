"""What torch makes of the value of one option, whatever the other options are.

Sources: ``DataLoader.__init__`` and the iterators in ``torch/utils/data/dataloader.py``, ``BatchSampler.__init__`` in
``sampler.py`` (2.13); every form was run (WITNESS B).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.model.finding import Confidence
from loaderlint.model.loader import Loader
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, CommandLineText, Constant, CpuCount, Object

_MADE = "torch raises when the loader is made"
_ITERATED = "torch raises at the first batch"
_FLOAT = "TypeError: 'float' object cannot be interpreted as an integer"
_ASSERTION_HAS_WORDS = (2, 10)
_SOME_CPUS = 8
_SOME_FLOAT = 1.0


class Refusal(Struct, frozen=True):
    """Why a value is wrong and what it leads to, and the text that is printed (None where nothing is)."""

    why: str
    error: str | None

    def is_handled(self, loader: Loader) -> bool:
        """Return whether the code around the loader takes the error: what it refuses may be given to be refused."""
        return self.why.endswith(_MADE) and (self.error or "").partition(":")[0] in loader.handled


def refusal(option: str, written: Candidate, target: Target) -> Refusal | None:
    """Return what torch has against this value of an option on the target, or None where it is fine."""
    wrong = _JUDGES[option](arriving(written, target), target)
    given = isinstance(written.constant, CommandLineText)
    if wrong is None or not given or wrong.error is None:
        return wrong
    # Which number a user gives is not known.
    return replace(wrong, error=wrong.error.replace(f"={_SOME_FLOAT}", "=…"))


def how_sure(given: Candidate) -> Confidence | None:
    """Return how sure it is that a run raises: whoever may give a float may as well leave the default."""
    constant = given.constant
    return Confidence.LIKELY if isinstance(constant, CommandLineText) and constant.number else None


def arriving(written: Candidate, target: Target) -> Constant:
    """Return what reaches torch; where the CPU count matters but is unknown, a value it would have on most machines."""
    constant = written.constant
    if isinstance(constant, CommandLineText) and constant.number:
        return _SOME_FLOAT
    if isinstance(constant, CommandLineText | Object):
        return str(constant)
    if not isinstance(constant, CpuCount):
        return constant
    number = constant.compute(target.cpus or _SOME_CPUS)
    negative = isinstance(number, int | float) and number < 0
    return 0 if negative and target.cpus is None else number


def _num_workers(value: Constant, target: Target) -> Refusal | None:
    if value is None or isinstance(value, str):
        return _uncomparable(value)
    if value < 0:
        error = "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        return Refusal(f"below 0: {_MADE}", f"ValueError: {error}")
    return Refusal(f"a float: {_ITERATED}", _FLOAT) if isinstance(value, float) and value != 0 else None


def _prefetch_factor(value: Constant, target: Target) -> Refusal | None:
    if isinstance(value, str):
        return _uncomparable(value)
    if value is None or (isinstance(value, int) and value > 0):
        return None
    if value < 0:
        return Refusal(f"below 0: {_MADE}", "ValueError: prefetch_factor option should be non-negative")
    if value > 0:
        return Refusal(f"a float: {_ITERATED}", _FLOAT)
    if target.torch is not None and target.torch < _ASSERTION_HAS_WORDS:
        return Refusal(f"not above 0: {_ITERATED}", "AssertionError")
    error = "AssertionError: prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"
    return Refusal(f"not above 0: {_ITERATED}", error)


def _timeout(value: Constant, target: Target) -> Refusal | None:
    if value is None or isinstance(value, str):
        return _uncomparable(value)
    if value >= 0:
        return None
    return Refusal(f"below 0: {_MADE}", "ValueError: timeout option should be non-negative")


def _batch_size(value: Constant, target: Target) -> Refusal | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return None
    error = f"ValueError: batch_size should be a positive integer value, but got batch_size={value}"
    return Refusal(f"not a whole number above 0: {_MADE}", error)


def _drop_last(value: Constant, target: Target) -> Refusal | None:
    if isinstance(value, bool):
        return None
    error = f"ValueError: drop_last should be a boolean value, but got drop_last={value}"
    return Refusal(f"not a boolean: {_MADE}", error)


def _shuffle(value: Constant, target: Target) -> Refusal | None:
    if not isinstance(value, str) or value.lower() in ("", "true", "yes", "on", "1"):
        return None
    return Refusal("and any text is true: the samples are shuffled", None)


def _uncomparable(value: Constant) -> Refusal:
    error = f"TypeError: '<' not supported between instances of '{type(value).__name__}' and 'int'"
    return Refusal(f"not a number: {_MADE}", error)


_JUDGES: Mapping[str, Callable[[Constant, Target], Refusal | None]] = {
    "num_workers": _num_workers,
    "prefetch_factor": _prefetch_factor,
    "timeout": _timeout,
    "batch_size": _batch_size,
    "drop_last": _drop_last,
    "shuffle": _shuffle,
}
