"""Does the same work on several things at once, in processes that are forked from this one and end with their work."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from typing import NoReturn, TypeVar

from msgspec import Struct, field

CAN_FORK = sys.platform == "linux"
"""Elsewhere a process that is started begins with nothing, or the system's own libraries do not survive a fork."""
_AT_A_TIME = 1 << 16
"""Bytes that are taken out of a pipe at a time: what Linux lets stand in one."""

_Thing = TypeVar("_Thing")
_Made = TypeVar("_Made")


def default_processes() -> int:
    """Return how many processes work at a time where nobody says how many: each holds what it reads in memory."""
    return min(len(os.sched_getaffinity(0)), 4) if CAN_FORK else 1


class _Process(Struct):
    """A process at work: which of the things it has, and what it said so far."""

    pid: int
    number: int
    said: bytearray = field(default_factory=bytearray)


def each(work: Callable[[_Thing], _Made], things: Sequence[_Thing], processes: int) -> list[_Made]:
    """Return what the work makes of each thing, in their order; up to so many processes do it at a time.

    The first of the things are begun first. What a process cannot say, since the work raised an error, was ended, or
    made what cannot be pickled or read again, is worked out here, as is what no process could be started for: so errors
    are raised as if there had been no other process.
    """
    if not CAN_FORK or processes < 2 or len(things) < 2:
        return [work(one) for one in things]
    made = _said_by_processes(work, things, processes)
    return [made[number] if number in made else work(one) for number, one in enumerate(things)]


def _said_by_processes(work: Callable[[_Thing], _Made], things: Sequence[_Thing], processes: int) -> dict[int, _Made]:
    waiting = deque(range(len(things)))
    running: dict[int, _Process] = {}
    made: dict[int, _Made] = {}
    try:
        with DefaultSelector() as pipes:
            while waiting or running:
                while waiting and len(running) < processes:
                    number = waiting.popleft()
                    try:
                        pipe, pid = _started(work, things[number], running)
                    except OSError:
                        # The system has no more of them, or of pipes, to give, until one of ours ends.
                        break
                    running[pipe] = _Process(pid, number)
                    pipes.register(pipe, EVENT_READ)
                for key, _ in pipes.select() if running else ():
                    process = running[key.fd]
                    content = os.read(key.fd, _AT_A_TIME)
                    process.said += content
                    if not content:
                        pipes.unregister(key.fd)
                        os.close(key.fd)
                        del running[key.fd]
                        if os.waitpid(process.pid, 0)[1] == 0:
                            with suppress(Exception):
                                made[process.number] = pickle.loads(process.said)
    finally:
        for pipe, process in running.items():
            os.close(pipe)
            os.kill(process.pid, signal.SIGKILL)
            os.waitpid(process.pid, 0)
    return made


def _started(work: Callable[[_Thing], object], thing: _Thing, others: Iterable[int]) -> tuple[int, int]:
    """Return the pipe that a new process says the result in, and its number; ``others`` are pipes that are read, too.

    Nobody but this process holds a pipe's reading end: if it is killed, the others learn that nobody listens, and end.
    """
    reading, writing = os.pipe()
    try:
        pid = os.fork()
        if pid == 0:
            _work(work, thing, writing, (reading, *others))
    except OSError:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return reading, pid


def _work(work: Callable[[_Thing], object], thing: _Thing, pipe: int, not_ours: Iterable[int]) -> NoReturn:
    """Do the work and end the process without a word: whatever goes wrong is done again where it can be told."""
    code = 1
    try:
        for other in not_ours:
            os.close(other)
        said = pickle.dumps(work(thing), pickle.HIGHEST_PROTOCOL)
        with open(pipe, "wb") as file:
            file.write(said)
        code = 0
    finally:
        os._exit(code)
