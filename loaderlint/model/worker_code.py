"""What the code that runs inside workers does there, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from loaderlint.model.source import Span
from loaderlint.model.value import NO_ASSUMPTIONS, Assumptions, Trail

if TYPE_CHECKING:
    from loaderlint.model.payload import Touch


@dataclass(frozen=True)
class Unsendable:
    """Something a worker gives back that cannot be pickled, so that it never arrives in the main process.

    ``what`` is what it is in words (``"a lambda"``), ``error`` what the worker prints, ``role`` the option whose code
    gives it.
    """

    span: Span
    what: str
    error: str
    role: str
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()


@dataclass(frozen=True)
class WorkerCode:
    """What ``dataset``, ``collate_fn`` and ``worker_init_fn`` do inside a worker.

    ``unsendable`` is what they give back and a worker cannot send. ``repeated`` is what an iterable dataset reads in
    every worker alike: each gives all samples.
    """

    unsendable: tuple[Unsendable, ...] = ()
    repeated: tuple[Touch, ...] = ()


NOTHING_DONE = WorkerCode()
"""What is known of code that was not looked at."""
