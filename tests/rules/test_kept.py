"""The rules about what a dataset keeps from before its workers start, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.kept import Kept, Kind
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Payload, Touch
from loaderlint.model.target import Accelerator, Platform, Target
from loaderlint.model.value import CpuCount, Value
from tests.test_rules import LINUX, LINUX_3_14, MACOS, WINDOWS, a_loader, assuming, at, check, the_finding, written

USED = (Touch(at(30), "self.it.read in __getitem__"),)
FILE = Kind("open file", "TypeError: cannot pickle it", sharing="read wrong records")
RNG = Kind("random.Random", draws=True)
LIST = Kind("list", grows=True)
GENERATOR = Kind("torch.Generator", unpickling="RuntimeError: unable to resize file", draws=True)


def keeping(kind: Kind, num_workers: Any = 4, used: tuple[Touch, ...] = USED, **facts: Any) -> Loader:
    """Make a loader whose dataset keeps something made at line 20."""
    options = {name: facts.pop(name) for name in ("persistent_workers", "multiprocessing_context") if name in facts}
    kept = Kept(at(20), kind, "Records", "self.it", used=used, **facts)
    return a_loader(payload=Payload(seen=True, kept=(kept,)), num_workers=num_workers, **options)


class TestUnpicklableHandle:
    @pytest.mark.parametrize("target", [WINDOWS, MACOS, LINUX_3_14])
    def test_what_does_not_pickle_is_found_where_it_is_made(self, target: Target) -> None:
        finding = the_finding("LL108", keeping(FILE, used=()), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(20))
        assert "the open file that Records keeps as `self.it`" in finding.message
        assert (finding.error, finding.fix) == ("TypeError: cannot pickle it", None)

    def test_the_message_counts_the_workers_and_says_how_they_start(self) -> None:
        assert the_finding("LL108", keeping(FILE, 1), MACOS).message.startswith("starting 1 worker by spawn raises")
        assert "by forkserver" in the_finding("LL108", keeping(FILE), LINUX_3_14).message

    def test_a_fork_inherits_it(self) -> None:
        assert check("LL108", keeping(FILE), LINUX) == []
        assert check("LL108", keeping(FILE, multiprocessing_context="fork"), MACOS) == []
        assert len(check("LL108", keeping(FILE, multiprocessing_context="spawn"), LINUX)) == 1

    @pytest.mark.parametrize("kind", [RNG, GENERATOR, LIST])
    def test_what_pickles_is_quiet(self, kind: Kind) -> None:
        assert check("LL108", keeping(kind), MACOS) == []

    def test_what_does_not_travel_is_quiet(self) -> None:
        assert check("LL108", keeping(FILE, travels=False), MACOS) == []

    @pytest.mark.parametrize("workers", [0, Value(open=True)])
    def test_no_workers_are_quiet(self, workers: Any) -> None:
        assert check("LL108", keeping(FILE, workers), MACOS) == []

    def test_what_another_run_keeps_is_quiet(self) -> None:
        workers = written(4, assumptions=assuming("arguments.keep", False))
        assert check("LL108", keeping(FILE, workers, assumptions=assuming("arguments.keep", True)), MACOS) == []
        assert len(check("LL108", keeping(FILE, workers, assumptions=assuming("arguments.keep", False)), MACOS)) == 1

    def test_no_fix_spawns_the_workers_of_what_does_not_pickle(self) -> None:
        target = Target(Platform.LINUX, (3, 12), accelerator=Accelerator.CUDA)
        touch = Touch(at(31), "image.cuda()")
        kept = Kept(at(20), FILE, "Records", "self.it")
        alone = a_loader(payload=Payload(seen=True, cuda=(touch,)), num_workers=4)
        keeping = a_loader(payload=Payload(seen=True, cuda=(touch,), kept=(kept,)), num_workers=4)
        assert the_finding("LL105", alone, target).fix is not None
        assert the_finding("LL105", keeping, target).fix is None


class TestTorchGeneratorInWorker:
    @pytest.mark.parametrize("target", [WINDOWS, MACOS, LINUX_3_14])
    def test_a_generator_is_found_whether_it_is_used_or_not(self, target: Target) -> None:
        finding = the_finding("LL116", keeping(GENERATOR, used=()), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(20))
        assert finding.message.startswith("each of the 4 workers started by ")
        assert finding.error == "RuntimeError: unable to resize file"

    def test_a_fork_inherits_it(self) -> None:
        assert check("LL116", keeping(GENERATOR), LINUX) == []

    @pytest.mark.parametrize("kind", [FILE, RNG])
    def test_other_things_are_quiet(self, kind: Kind) -> None:
        assert check("LL116", keeping(kind), MACOS) == []

    def test_what_does_not_travel_is_quiet(self) -> None:
        assert check("LL116", keeping(GENERATOR, travels=False), MACOS) == []


class TestRngObjectInDataset:
    @pytest.mark.parametrize("target", [LINUX, LINUX_3_14, MACOS, WINDOWS])
    def test_several_workers_draw_the_same(self, target: Target) -> None:
        finding = the_finding("LL402", keeping(RNG), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.CERTAIN, at(20))
        assert finding.message.startswith("each of the 4 workers draws the same random numbers")
        assert "train.py:30" in finding.message

    def test_one_worker_draws_the_same_in_every_epoch(self) -> None:
        finding = the_finding("LL402", keeping(RNG, 1), LINUX)
        assert finding.confidence is Confidence.LIKELY
        assert finding.message.startswith("the 1 worker draws the same random numbers every epoch")

    def test_one_worker_that_goes_on_is_quiet(self) -> None:
        assert check("LL402", keeping(RNG, 1, persistent_workers=True), LINUX) == []
        assert len(check("LL402", keeping(RNG, 2, persistent_workers=True), LINUX)) == 1

    def test_of_several_counts_the_larger_is_named(self) -> None:
        counts = Value((written(1), written(6, 11)))
        assert "each of the 6 workers" in the_finding("LL402", keeping(RNG, counts), LINUX).message

    @pytest.mark.parametrize("loader", [keeping(RNG, 0), keeping(RNG, used=()), keeping(FILE)])
    def test_nothing_drawn_in_workers_is_quiet(self, loader: Loader) -> None:
        assert check("LL402", loader, LINUX) == []

    def test_a_module_makes_it_again_in_a_fresh_interpreter(self) -> None:
        assert check("LL402", keeping(RNG, travels=False), MACOS) == []
        assert len(check("LL402", keeping(RNG, travels=False), LINUX)) == 1

    def test_a_worker_that_dies_of_it_draws_nothing(self) -> None:
        assert check("LL402", keeping(GENERATOR), MACOS) == []
        assert len(check("LL402", keeping(GENERATOR), LINUX)) == 1

    def test_a_place_that_other_runs_come_to_is_quiet(self) -> None:
        used = (Touch(at(30), "self.it.random()", assuming("self.train", True)),)
        assert check("LL402", keeping(RNG, used=used, assumptions=assuming("self.train", False)), LINUX) == []
        finding = the_finding("LL402", keeping(RNG, used=used, assumptions=assuming("self.train", True)), LINUX)
        assert finding.confidence is Confidence.CERTAIN

    def test_a_place_that_not_every_item_comes_to_is_said_to_be_one(self) -> None:
        retry = Touch(at(30), "self.it.choice(self.good)", assuming("item is None", True))
        finding = the_finding("LL402", keeping(RNG, used=(retry,)), LINUX)
        assert finding.confidence is Confidence.LIKELY
        assert finding.message.startswith("each of the 4 workers draws the same random numbers where it draws any: ")
        assert finding.message.endswith("drawn from at train.py:30, on a path that not every item takes")

    def test_a_place_that_every_item_comes_to_goes_before_one_under_a_condition(self) -> None:
        retry = Touch(at(30), "self.it.choice(self.good)", assuming("item is None", True))
        finding = the_finding("LL402", keeping(RNG, used=(retry, Touch(at(31), "self.it.random()"))), LINUX)
        assert (finding.confidence, "drawn from at train.py:31" in finding.message) == (Confidence.CERTAIN, True)


class TestHandleSharedAcrossFork:
    def test_forked_workers_share_it(self) -> None:
        finding = the_finding("LL407", keeping(FILE), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.LIKELY, at(20))
        assert finding.message.startswith("4 workers started by fork read wrong records")
        assert "train.py:30" in finding.message

    def test_what_a_module_opens_is_shared_as_well(self) -> None:
        assert len(check("LL407", keeping(FILE, travels=False), LINUX)) == 1

    @pytest.mark.parametrize("confidence", Confidence)
    def test_how_sure_it_is_depends_on_what_is_shared(self, confidence: Confidence) -> None:
        kind = Kind("archive", sharing="fail", sharing_confidence=confidence)
        assert the_finding("LL407", keeping(kind), LINUX).confidence is confidence

    @pytest.mark.parametrize("target", [LINUX_3_14, MACOS, WINDOWS])
    def test_a_fresh_interpreter_shares_nothing(self, target: Target) -> None:
        assert check("LL407", keeping(FILE), target) == []

    @pytest.mark.parametrize(
        "loader",
        [keeping(FILE, 0), keeping(FILE, 1), keeping(FILE, used=()), keeping(RNG), keeping(Kind("lock", "no"))],
    )
    def test_nothing_shared_is_quiet(self, loader: Loader) -> None:
        assert check("LL407", loader, LINUX) == []

    def test_all_the_cpus_are_several_workers(self) -> None:
        many = CpuCount("os.cpu_count()", lambda count: count)
        assert "os.cpu_count() workers" in the_finding("LL407", keeping(FILE, many), LINUX).message


class TestCopyOnWriteGrowth:
    def test_what_forked_workers_index_grows(self) -> None:
        finding = the_finding("LL306", keeping(LIST), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.INFO, Confidence.POSSIBLE, at(20))
        assert finding.message.startswith("each of the 4 workers comes to hold a copy of the list")
        assert "train.py:30" in finding.message

    def test_one_worker_copies_as_well(self) -> None:
        assert "the only worker " in the_finding("LL306", keeping(LIST, 1), LINUX).message

    @pytest.mark.parametrize("target", [LINUX_3_14, MACOS, WINDOWS])
    def test_a_fresh_interpreter_has_its_own(self, target: Target) -> None:
        assert check("LL306", keeping(LIST), target) == []

    @pytest.mark.parametrize("loader", [keeping(LIST, 0), keeping(LIST, used=()), keeping(FILE), keeping(RNG)])
    def test_nothing_that_grows_is_quiet(self, loader: Loader) -> None:
        assert check("LL306", loader, LINUX) == []
