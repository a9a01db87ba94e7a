"""The rules about what workers do with devices, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from loaderlint.model.assumptions import CUDA, NO_ASSUMPTIONS, Assumption, Assumptions
from loaderlint.model.edit import Safety, SetValue
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Payload, Touch
from loaderlint.model.target import Accelerator, Platform, Target
from loaderlint.model.value import Value
from loaderlint.model.worker_code import WorkerCode
from tests.test_rules import LINUX, MACOS, WINDOWS, a_loader, at, check, the_finding, written

ON_GPU = frozenset({Assumption(CUDA, True)})
WITHOUT = Target(Platform.LINUX, (3, 12), accelerator=Accelerator.CPU)
ROCM = Target(Platform.LINUX, (3, 12), accelerator=Accelerator.ROCM)


def giving_cuda(assumptions: Assumptions = NO_ASSUMPTIONS, **options: Any) -> Loader:
    """Make a loader whose batch is put on CUDA at line 30."""
    code = WorkerCode(on_cuda=(Touch(at(30), "images.cuda()", assumptions),))
    return a_loader(payload=Payload(code=code), **options)


class TestPinnedDeviceTensor:
    @pytest.mark.parametrize("target", [LINUX, WINDOWS, ROCM])
    @pytest.mark.parametrize("workers", [0, 4])
    def test_pinning_what_is_on_the_gpu_is_found_where_it_is_asked_for(self, target: Target, workers: int) -> None:
        pinned = written(True)
        finding = the_finding("LL212", giving_cuda(pin_memory=pinned, num_workers=workers), target)
        assert (finding.severity, finding.confidence, finding.span) == (
            Severity.ERROR,
            Confidence.CERTAIN,
            pinned.span,
        )
        assert "`images.cuda()`" in finding.message
        assert finding.error is not None and "only dense CPU tensors can be pinned" in finding.error

    def test_the_fix_turns_pinning_off(self) -> None:
        pinned = written(True)
        fix = the_finding("LL212", giving_cuda(pin_memory=pinned), LINUX).fix
        assert fix is not None
        assert (fix.safety, fix.edits) == (Safety.SAFE, (SetValue(pinned.span, False),))

    @pytest.mark.parametrize("options", [{}, {"pin_memory": False}])
    def test_without_pinning_it_is_quiet(self, options: dict[str, Any]) -> None:
        assert check("LL212", giving_cuda(**options), LINUX) == []

    def test_what_is_not_put_on_the_gpu_is_quiet(self) -> None:
        assert check("LL212", a_loader(pin_memory=True), LINUX) == []

    def test_without_cuda_it_is_quiet(self) -> None:
        assert check("LL212", giving_cuda(pin_memory=True), WITHOUT) == []

    def test_runs_that_pin_and_runs_that_use_the_gpu_may_be_others(self) -> None:
        pinned = written(True, assumptions=frozenset({Assumption(CUDA, False)}))
        assert check("LL212", giving_cuda(ON_GPU, pin_memory=pinned), MACOS) == []
        assert len(check("LL212", giving_cuda(ON_GPU, pin_memory=True), LINUX)) == 1

    def test_whether_there_is_a_gpu_is_not_changed_for_the_loader_alone(self) -> None:
        asked = Value((written(True, assumptions=ON_GPU),), argument=at(50))
        fix = the_finding("LL212", giving_cuda(pin_memory=asked), LINUX).fix
        assert fix is not None
        assert (fix.safety, fix.edits) == (Safety.SAFE, (SetValue(at(50), False),))
