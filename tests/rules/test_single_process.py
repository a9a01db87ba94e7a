"""The rules about loading without workers, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.edit import SetValue
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.kept import Kept, Kind
from loaderlint.model.loader import Loader, Program
from loaderlint.model.payload import DatasetKind, Payload, Samples, Touch
from loaderlint.model.target import Target
from loaderlint.model.uses import Role, Uses
from loaderlint.model.value import Candidate, Value
from tests.test_rules import (
    LINUX,
    LINUX_3_14,
    MACOS,
    WINDOWS,
    a_loader,
    assuming,
    at,
    check,
    the_finding,
    the_fix,
    written,
)
from tests.test_rules import assuming_platform as on_platforms


class TestUncompensatedSingleProcess:
    @staticmethod
    def accumulating(steps: Any = 2, batch_size: Any = 4, num_workers: Any = 0) -> Loader:
        """Make a loader whose options stand at lines 10 and 11, and what is accumulated at line 12."""
        value = steps if isinstance(steps, Value) else Value((written(steps, 12),))
        return replace(a_loader(batch_size=batch_size, num_workers=num_workers), accumulation=value)

    def test_it_stands_at_the_worker_count_and_says_what_would_be_the_same(self) -> None:
        finding = the_finding("LL605", self.accumulating(), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.INFO, Confidence.LIKELY, at(11))
        assert "waits for 2 batches of 4" in finding.message
        assert "1 of 8 would be the same 8 samples" in finding.message

    def test_an_accumulation_of_two_is_undone_but_may_not_fit(self) -> None:
        fix = the_fix(the_finding("LL605", self.accumulating(), LINUX))
        assert fix.edits == (SetValue(at(10), 8), SetValue(at(12), 1))
        assert not fix.safe

    @pytest.mark.parametrize(
        ("steps", "advice"), [(8, ("batch 8", "accumulation 4")), (9, ("batch 12", "accumulation 3"))]
    )
    def test_more_is_said_and_not_done(self, steps: int, advice: tuple[str, str]) -> None:
        finding = the_finding("LL605", self.accumulating(steps), LINUX)
        assert finding.fix is None
        assert finding.help is not None
        assert all(words in finding.help for words in (*advice, "train.py:10", "train.py:12"))

    def test_another_loader_that_trains_with_the_same_trainer_keeps_the_fix_away(self) -> None:
        validating = replace(a_loader(), span=at(60), uses=Uses(role=Role.EVALUATION))
        for other, fixed in ((validating, True), (replace(validating, uses=Uses(role=Role.TRAINING)), False)):
            loader = replace(self.accumulating(), program=Program(loaders=(other,)))
            assert (the_finding("LL605", loader, LINUX).fix is not None) is fixed

    @pytest.mark.parametrize(
        "value",
        [
            Value((written(4, 10), written(8, 13))),
            Value((written(4, 10),), open=True),
            Value((written(4, 10, sources=frozenset({at(3)})),)),
        ],
        ids=["several", "perhaps another", "worked out"],
    )
    def test_a_batch_size_that_is_not_one_written_number_is_not_doubled(self, value: Value) -> None:
        assert the_finding("LL605", self.accumulating(batch_size=value), LINUX).fix is None

    @pytest.mark.parametrize(
        "loader",
        [
            accumulating(steps=1),
            accumulating(steps=True),
            accumulating(steps=Value()),
            accumulating(steps=Value(open=True)),
            accumulating(batch_size=None),
            accumulating(batch_size=Value(open=True)),
            accumulating(num_workers=2),
            accumulating(num_workers=Value((written(0), written(4)))),
            accumulating(num_workers=Value((written(0),), open=True)),
            accumulating(num_workers=Value((Candidate(0, at(50), written=False),))),
            replace(accumulating(), uses=Uses(role=Role.EVALUATION)),
        ],
    )
    def test_it_is_quiet(self, loader: Loader) -> None:
        assert check("LL605", loader, LINUX) == []

    def test_what_a_user_may_give_is_no_reason_to_be_quiet(self) -> None:
        count = Value((written(0, 11),), open=True, by_user=True)
        assert len(check("LL605", self.accumulating(num_workers=count), LINUX)) == 1

    def test_only_what_meets_in_one_run(self) -> None:
        workers = written(0, 11, assumptions=assuming("arguments.small", True))
        for answer, count in ((True, 1), (False, 0)):
            batch = written(4, 10, assumptions=assuming("arguments.small", answer))
            assert len(check("LL605", self.accumulating(batch_size=batch, num_workers=workers), LINUX)) == count

    def test_a_count_of_one_platform(self) -> None:
        here = written(0, 11, assumptions=on_platforms("windows"))
        there = written(8, 13, assumptions=on_platforms("linux", "macos"))
        loader = self.accumulating(num_workers=Value((here, there)))
        assert check("LL605", loader, LINUX) == []
        assert len(check("LL605", loader, WINDOWS)) == 1


PICTURES = Samples(at(5), "Pictures", DatasetKind.MAP, works=True)


class TestSingleProcessLoading:
    @staticmethod
    def training(*datasets: Samples, role: Role | None = Role.TRAINING, num_workers: Any = 0, **sent: Any) -> Loader:
        """Make a loader whose worker count stands at line 10."""
        payload = Payload(seen=True, datasets=datasets or (PICTURES,), **sent)
        return replace(a_loader(num_workers=num_workers, payload=payload), uses=Uses(role=role))

    @pytest.mark.parametrize("target", [LINUX, LINUX_3_14])
    def test_it_stands_at_the_worker_count_and_gives_a_number_to_start_from(self, target: Target) -> None:
        finding = the_finding("LL603", self.training(), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.INFO, Confidence.LIKELY, at(10))
        assert "waits for every batch" in finding.message
        assert finding.help is not None
        assert "len(os.sched_getaffinity(0))" in finding.help
        assert finding.fix is None

    def test_a_loader_that_says_nothing_has_no_workers(self) -> None:
        loader = self.training()
        assert the_finding("LL603", replace(loader, options={}), LINUX).span == loader.span

    def test_a_memory_map_is_not_in_the_way(self) -> None:
        mapped = Kept(at(3), Kind("memory map", copied=True), "Pictures", "self.rows")
        assert the_finding("LL603", self.training(kept=(mapped,)), LINUX).span == at(10)

    @pytest.mark.parametrize("target", [WINDOWS, MACOS])
    def test_other_platforms_are_quiet(self, target: Target) -> None:
        assert check("LL603", self.training(), target) == []

    @pytest.mark.parametrize(
        "loader",
        [
            training(num_workers=2),
            training(num_workers=Value((written(0), written(2)))),
            training(num_workers=Value((written(0),), open=True, by_user=True)),
            training(role=None),
            training(role=Role.EVALUATION),
            training(replace(PICTURES, works=False)),
            training(PICTURES, replace(PICTURES, works=False)),
            training(replace(PICTURES, kind=DatasetKind.ITERABLE)),
            training(cuda=(Touch(at(3), "image.cuda()"),)),
            training(kept=(Kept(at(3), Kind("HDF5 file"), "Pictures", "self.file"),)),
            replace(training(), payload=Payload(seen=True)),
            replace(training(), program=Program()),
        ],
    )
    def test_it_is_quiet(self, loader: Loader) -> None:
        assert check("LL603", loader, LINUX) == []
