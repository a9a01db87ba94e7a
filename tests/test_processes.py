"""Work is done by other processes as it would be done here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loaderlint.processes import CAN_FORK, each

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="elsewhere nothing is forked")
HERE = os.getpid()


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_what_is_made_comes_in_the_order_of_the_things(processes: int) -> None:
    def work(number: int) -> tuple[int, str]:
        time.sleep(0.02 * (4 - number))
        return number, "x" * 200_000

    assert each(work, [0, 1, 2, 3], processes) == [(number, "x" * 200_000) for number in range(4)]


def test_each_thing_has_a_process_of_its_own() -> None:
    assert len({os.getpid(), *each(lambda _: os.getpid(), [0, 1, 2], 2)}) == 4


@pytest.mark.parametrize(("things", "processes"), [([0], 4), ([0, 1], 1)])
def test_no_process_is_started_for_what_is_done_one_after_the_other(things: list[int], processes: int) -> None:
    assert set(each(lambda _: os.getpid(), things, processes)) == {os.getpid()}


def test_no_more_work_at_a_time_than_may(tmp_path: Path) -> None:
    def work(number: int) -> int:
        (tmp_path / str(number)).touch()
        at_work = len(list(tmp_path.iterdir()))
        time.sleep(0.05)
        (tmp_path / str(number)).unlink()
        return at_work

    assert max(each(work, list(range(6)), 2)) <= 2


def test_an_error_is_raised_as_if_there_were_no_other_process() -> None:
    def work(number: int) -> int:
        if number == 2:
            raise LookupError(f"not {number}, said by {'another' if os.getpid() != HERE else 'this'}")
        return number

    with pytest.raises(LookupError, match="not 2, said by this"):
        each(work, [1, 2, 3], 2)


def test_what_a_process_could_not_say_is_worked_out_here() -> None:
    def work(number: int) -> int:
        if number == 2 and os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert each(work, [1, 2, 3], 2) == [1, 2, 3]


def test_what_cannot_be_sent_is_made_here() -> None:
    def work(number: int) -> Callable[[], int]:
        return lambda: number

    assert [made() for made in each(work, [1, 2], 2)] == [1, 2]


class Unreadable:
    """Something that can be pickled, and not be made again of that."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return int, ("no number",)


def test_what_cannot_be_read_again_is_made_here() -> None:
    assert [type(one) for one in each(lambda _: Unreadable(), [1, 2], 2)] == [Unreadable, Unreadable]


@pytest.mark.parametrize("started", [0, 1])
def test_where_no_process_can_be_started_the_work_is_done_here(started: int, monkeypatch: pytest.MonkeyPatch) -> None:
    forked: list[int] = []
    opened = len(os.listdir("/proc/self/fd"))
    fork = os.fork

    def refused() -> int:
        if len(forked) == started:
            raise BlockingIOError("Resource temporarily unavailable")
        forked.append(0)
        return fork()

    monkeypatch.setattr(os, "fork", refused)
    assert [pid == HERE for pid in each(lambda _: os.getpid(), [0, 1, 2], 2)].count(False) == started
    assert len(os.listdir("/proc/self/fd")) == opened


KILLED = """
import os, sys, time
from pathlib import Path
from loaderlint.processes import each
def work(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    while os.getppid() == parent:
        time.sleep(0.01)
    return b"x" * 1_000_000
parent = os.getpid()
each(work, [1, 2, 3], 3)
"""


def test_none_is_left_when_the_process_they_work_for_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)]) as parent:
        while len(list(tmp_path.iterdir())) < 3:
            time.sleep(0.01)
        parent.kill()
    until = time.monotonic() + 20
    left = {int(one.name) for one in tmp_path.iterdir()}
    while left and time.monotonic() < until:
        left = {pid for pid in left if _is_at_work(pid)}
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def _is_at_work(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


INTERRUPTS = """
import os, signal, sys, time
while len(os.listdir(sys.argv[1])) < 2:
    time.sleep(0.01)
os.kill(int(sys.argv[2]), signal.SIGINT)
"""


def test_an_interrupt_ends_all_of_them(tmp_path: Path) -> None:
    def work(number: int) -> None:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(60)

    command = [sys.executable, "-c", INTERRUPTS, str(tmp_path), str(os.getpid())]
    with subprocess.Popen(command), pytest.raises(KeyboardInterrupt):
        each(work, [1, 2], 2)
    for pid in (int(one.name) for one in tmp_path.iterdir()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
