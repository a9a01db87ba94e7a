"""The rules about threads that workers do without, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.edit import AddOption, Safety
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Payload
from loaderlint.model.target import Target
from loaderlint.model.uses import ThreadUse
from loaderlint.model.worker_code import WorkerCode
from tests.test_rules import LINUX, LINUX_3_14, MACOS, SAFE_PROGRAM, WINDOWS, a_loader, assuming, at, check, the_finding

USED = ThreadUse(at(30), "pool.submit(read)", threads="a pool", made=at(20), hangs=True, spawns=True, help="make it")
BEFORE = replace(USED, span=at(40), what="pool.map(read, paths)")


def using(used: ThreadUse = USED, *before: ThreadUse, num_workers: Any = 4, **options: Any) -> Loader:
    """Make a loader whose workers use threads, and whose program does before they start."""
    payload = Payload(seen=True, code=WorkerCode(inherited=(used,)))
    program = replace(SAFE_PROGRAM, threads=before)
    return a_loader(program=program, payload=payload, num_workers=num_workers, **options)


class TestLibraryUnsafeAfterFork:
    def test_what_is_used_before_and_inside_is_found_where_the_worker_waits(self) -> None:
        finding = the_finding("LL112", using(USED, BEFORE), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.LIKELY, at(30))
        assert "4 workers started by fork wait for ever at `pool.submit(read)`: a pool was used" in finding.message
        assert f"({at(40).place})" in finding.message
        assert finding.help == "make it"

    def test_what_was_not_tried_is_a_warning(self) -> None:
        used = replace(USED, hangs=False)
        finding = the_finding("LL112", using(used, BEFORE), LINUX)
        assert finding.severity is Severity.WARNING
        assert "can hang or raise" in finding.message

    def test_the_fix_spawns_the_workers(self) -> None:
        fix = the_finding("LL112", using(USED, BEFORE), LINUX).fix
        assert fix is not None
        assert (fix.safety, fix.edits) == (Safety.SAFE, (AddOption(at(50), "multiprocessing_context", "spawn"),))

    def test_there_is_none_where_that_is_no_help(self) -> None:
        assert the_finding("LL112", using(replace(USED, spawns=False), BEFORE), LINUX).fix is None

    def test_one_finding_tells_of_all_places(self) -> None:
        assert len(check("LL112", using(USED, BEFORE, replace(BEFORE, span=at(41))), LINUX)) == 1

    @pytest.mark.parametrize("other", [{"made": at(21)}, {"threads": "another pool"}])
    def test_other_threads_are_quiet(self, other: dict[str, Any]) -> None:
        assert check("LL112", using(USED, replace(BEFORE, **other)), LINUX) == []
        assert check("LL112", using(USED), LINUX) == []

    @pytest.mark.parametrize("target", [LINUX_3_14, MACOS, WINDOWS])
    def test_where_nothing_is_forked_it_is_quiet(self, target: Target) -> None:
        assert check("LL112", using(USED, BEFORE), target) == []

    def test_without_workers_it_is_quiet(self) -> None:
        assert check("LL112", using(USED, BEFORE, num_workers=0), LINUX) == []
        assert check("LL112", using(USED, BEFORE, multiprocessing_context="spawn"), LINUX) == []

    def test_runs_that_do_one_without_the_other_are_quiet(self) -> None:
        one, another = assuming("arguments.preload", True), assuming("arguments.preload", False)
        used, before = replace(USED, assumptions=one), replace(BEFORE, assumptions=another)
        assert check("LL112", using(used, before), LINUX) == []


class TestWorkerLibraryThreads:
    USES = ThreadUse(at(30), "cv2.resize(image)", threads="OpenCV", help="call setNumThreads")

    def loader(self, num_workers: Any, **facts: Any) -> Loader:
        code = WorkerCode(own_threads=(replace(self.USES, **facts),))
        return a_loader(payload=Payload(code=code), num_workers=num_workers)

    @pytest.mark.parametrize("target", [LINUX, MACOS, WINDOWS])
    def test_every_worker_with_threads_of_its_own_is_information(self, target: Target) -> None:
        finding = the_finding("LL604", self.loader(4), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.INFO, Confidence.LIKELY, at(30))
        assert finding.message.startswith("each of 4 workers runs OpenCV with a thread for every CPU")
        assert "hang" not in finding.message
        assert (finding.help, finding.fix) == ("call setNumThreads", None)

    @pytest.mark.parametrize("workers", [0, 1])
    def test_fewer_than_two_workers_are_quiet(self, workers: int) -> None:
        assert check("LL604", self.loader(workers), LINUX) == []
