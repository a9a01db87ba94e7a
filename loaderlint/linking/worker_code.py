"""What the code that runs inside workers does there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.options import Given
from loaderlint.linking.returned import unsendable
from loaderlint.linking.seeding import seeds
from loaderlint.linking.sharding import repeated
from loaderlint.linking.things import Function
from loaderlint.model.worker_code import WorkerCode

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


def worker_code(
    evaluator: Evaluator, given: Mapping[str, Given], running: Mapping[str, Sequence[Function]]
) -> WorkerCode:
    """Return what a loader's code does in its workers; ``running`` are the functions that run there, by option."""
    starting = running.get("worker_init_fn", ())
    everything = [function for functions in running.values() for function in functions]
    return WorkerCode(
        unsendable=unsendable(evaluator, given),
        repeated=tuple(repeated(evaluator, given, starting)),
        seeds=tuple(seeds(evaluator, given, everything)),
    )
