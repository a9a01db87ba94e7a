"""The rules about what becomes of batches, and about loaders that have little to do, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.edit import Drop, OnlyWithCuda, SetValue
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.payload import DatasetKind, Payload, Samples
from loaderlint.model.target import Accelerator
from loaderlint.model.value import Object, Value
from loaderlint.rulebook import find
from tests.test_rules import LINUX, a_loader, assuming, at, check, the_finding, the_fix, written

STREAM = Samples(at(5), "Stream", DatasetKind.ITERABLE)
TEN = Samples(at(5), "Numbers", DatasetKind.MAP, length=10)
TENSORS = Samples(at(5), "TensorDataset", DatasetKind.MAP, in_memory=True)


def holding(*datasets: Samples, **facts: Any) -> Payload:
    return Payload(seen=True, datasets=datasets, **facts)


class TestDropLastPerWorker:
    def test_every_worker_drops_its_own(self) -> None:
        loader = a_loader(payload=holding(STREAM), drop_last=True, batch_size=4, num_workers=8)
        finding = the_finding("LL409", loader, LINUX)
        assert (finding.severity, finding.confidence, finding.fix) == (Severity.WARNING, Confidence.CERTAIN, None)
        assert finding.message == "each of the 8 workers drops its own last batch of Stream where that is incomplete"

    @pytest.mark.parametrize(
        ("dataset", "options"),
        [
            (STREAM, {"drop_last": False, "batch_size": 4, "num_workers": 8}),
            (STREAM, {"drop_last": True, "batch_size": 4, "num_workers": 1}),
            (STREAM, {"drop_last": True, "batch_size": 4}),
            (STREAM, {"drop_last": True, "num_workers": 8}),
            (STREAM, {"drop_last": True, "batch_size": None, "num_workers": 8}),
            (TEN, {"drop_last": True, "batch_size": 4, "num_workers": 8}),
            (replace(STREAM, endless=True), {"drop_last": True, "batch_size": 4, "num_workers": 8}),
            (replace(STREAM, kind=None), {"drop_last": True, "batch_size": 4, "num_workers": 8}),
        ],
    )
    def test_where_nothing_is_lost_it_is_quiet(self, dataset: Samples, options: dict[str, Any]) -> None:
        assert check("LL409", a_loader(payload=holding(dataset), **options), LINUX) == []

    def test_a_stream_of_other_runs_is_quiet(self) -> None:
        stream = replace(STREAM, assumptions=assuming("streaming", True))
        given = written(True, assumptions=assuming("streaming", False))
        loader = a_loader(payload=holding(stream), drop_last=given, batch_size=4, num_workers=8)
        assert check("LL409", loader, LINUX) == []
        unrelated = written(True, assumptions=assuming("training", True))
        loader = a_loader(payload=holding(stream), drop_last=unrelated, batch_size=4, num_workers=8)
        assert the_finding("LL409", loader, LINUX).confidence is Confidence.POSSIBLE


class TestWholeEpochDropped:
    def test_fewer_samples_than_a_batch_takes_give_none(self) -> None:
        finding = the_finding("LL411", a_loader(payload=holding(TEN), drop_last=True, batch_size=32), LINUX)
        assert (finding.severity, finding.confidence, finding.fix) == (Severity.ERROR, Confidence.CERTAIN, None)
        assert finding.span == at(10)
        assert "has 10 samples (train.py:5) and a batch takes 32" in finding.message

    @pytest.mark.parametrize(
        ("dataset", "options"),
        [
            (TEN, {"drop_last": True, "batch_size": 10}),
            (TEN, {"drop_last": False, "batch_size": 32}),
            (TEN, {"drop_last": True}),
            (TEN, {"drop_last": True, "batch_size": None}),
            (TEN, {"drop_last": True, "batch_size": Value(open=True)}),
            (TEN, {"drop_last": True, "batch_size": 32, "sampler": Object("RandomSampler")}),
            (TEN, {"drop_last": True, "batch_size": 32, "sampler": Value(open=True)}),
            (TEN, {"drop_last": True, "batch_size": 32, "batch_sampler": Object("Own")}),
            (replace(TEN, length=None), {"drop_last": True, "batch_size": 32}),
            (replace(TEN, length=0), {"drop_last": True, "batch_size": 32}),
        ],
    )
    def test_enough_samples_or_an_unknown_number_are_quiet(self, dataset: Samples, options: dict[str, Any]) -> None:
        assert check("LL411", a_loader(payload=holding(dataset), **options), LINUX) == []

    def test_a_batch_size_of_other_runs_is_quiet(self) -> None:
        few = replace(TEN, assumptions=assuming("debug", True))
        many = replace(TEN, length=1000, assumptions=assuming("debug", False))
        small = written(2, assumptions=assuming("debug", True))
        large = written(64, assumptions=assuming("debug", False))
        sizes = Value((small, large))
        assert check("LL411", a_loader(payload=holding(few, many), drop_last=True, batch_size=sizes), LINUX) == []


class TestWorkersForTensorsInMemory:
    def test_workers_that_have_nothing_to_load_go(self) -> None:
        loader = a_loader(payload=holding(TENSORS), num_workers=4, prefetch_factor=2)
        finding = the_finding("LL606", loader, LINUX)
        assert finding.severity is Severity.INFO
        edits = the_fix(finding).edits
        assert edits[0] == SetValue(at(10), 0)
        assert [edit.option for edit in edits if isinstance(edit, Drop)] == ["prefetch_factor"]

    def test_it_is_off_by_default(self) -> None:
        assert not find("LL606").enabled_by_default
        assert not find("LL602").enabled_by_default

    @pytest.mark.parametrize(
        ("payload", "workers"),
        [
            (holding(TENSORS), 0),
            (holding(TEN), 4),
            (holding(TENSORS, TEN), 4),
            (holding(), 4),
            (holding(TENSORS, collate_fn=at(3)), 4),
        ],
    )
    def test_others_are_quiet(self, payload: Payload, workers: int) -> None:
        assert check("LL606", a_loader(payload=payload, num_workers=workers), LINUX) == []


class TestPinMemoryWithoutEffect:
    @pytest.mark.parametrize(
        ("accelerator", "why"),
        [(Accelerator.CPU, "there is no accelerator"), (Accelerator.MPS, "MPS takes no pinned memory")],
    )
    def test_what_nobody_reads_is_not_pinned(self, accelerator: Accelerator, why: str) -> None:
        finding = the_finding("LL602", a_loader(pin_memory=True), replace(LINUX, accelerator=accelerator))
        assert finding.severity is Severity.INFO
        assert why in finding.message
        assert the_fix(finding).edits == (OnlyWithCuda(at(10)),)

    @pytest.mark.parametrize("accelerator", [None, Accelerator.CUDA, Accelerator.ROCM])
    def test_where_it_may_help_it_is_quiet(self, accelerator: Accelerator | None) -> None:
        assert check("LL602", a_loader(pin_memory=True), replace(LINUX, accelerator=accelerator)) == []

    @pytest.mark.parametrize("options", [{}, {"pin_memory": False}, {"pin_memory": Value(open=True)}])
    def test_what_is_not_pinned_is_quiet(self, options: dict[str, Any]) -> None:
        assert check("LL602", a_loader(**options), replace(LINUX, accelerator=Accelerator.CPU)) == []
