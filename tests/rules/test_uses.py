"""The conditions and words of the rules about what a program does with a loader, on loaders made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loaderlint.model.edit import GuardEntryPoint
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.loader import Loader, Program
from loaderlint.model.payload import Touch
from loaderlint.model.uses import Iteration, Loop, OptionSet, Restart, Role, SharingStrategy, StartMethodCall, Uses
from loaderlint.model.value import Value
from tests.test_rules import LINUX, WINDOWS, a_loader, assuming, at, check, the_finding, the_fix, written
from tests.test_rules import assuming_platform as on_platforms

EPOCHS = Loop(at(70), "for epoch in range(3)", counts=True)
FOLDS = Loop(at(65), "for fold in folds")
IN_EPOCHS = Iteration(at(71), "loader", (EPOCHS,))


def used(*iterations: Iteration, role: Role | None = None, samplers: tuple[Touch, ...] = ()) -> Loader:
    """Make a loader with 2 workers that is used this way."""
    return replace(a_loader(num_workers=2), uses=Uses(iterations, role, samplers))


class TestEpochNeverSet:
    SAMPLER = Touch(at(40), "DistributedSampler(dataset)")

    def test_it_stands_at_the_sampler_and_names_the_loop(self) -> None:
        finding = the_finding("LL408", used(IN_EPOCHS, samplers=(self.SAMPLER,)), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.CERTAIN, at(40))
        assert finding.message.startswith("every turn of `for epoch in range(3)` gets the samples in the same order")
        assert "train.py:71" in finding.message
        assert finding.fix is None

    @pytest.mark.parametrize(
        "loader",
        [
            used(IN_EPOCHS),
            used(samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, loops=()), samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, loops=(FOLDS,)), samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, loops=(replace(EPOCHS, once=True),)), samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, wrapped_by="accelerate.Accelerator.prepare"), samplers=(SAMPLER,)),
            used(IN_EPOCHS, role=Role.EVALUATION, samplers=(SAMPLER,)),
        ],
        ids=["told", "never iterated", "no loop", "no epochs", "one epoch", "a library's", "evaluation"],
    )
    def test_quiet(self, loader: Loader) -> None:
        assert check("LL408", loader, LINUX) == []

    def test_a_sampler_and_an_iteration_of_different_runs_never_meet(self) -> None:
        sampler = replace(self.SAMPLER, assumptions=assuming("args.distributed", True))
        alone = replace(IN_EPOCHS, assumptions=assuming("args.distributed", False))
        assert check("LL408", used(alone, samplers=(sampler,)), LINUX) == []
        assert check("LL408", used(alone, IN_EPOCHS, samplers=(sampler,)), LINUX) != []

    def test_a_sampler_of_another_platform_is_quiet(self) -> None:
        sampler = replace(self.SAMPLER, assumptions=on_platforms("linux"))
        assert check("LL408", used(IN_EPOCHS, samplers=(sampler,)), WINDOWS) == []


class TestStartMethodSetAtImport:
    CALL = StartMethodCall(at(5), "mp.set_start_method('spawn')", in_workers=True, can_be_guarded=True)

    @staticmethod
    def with_calls(*calls: StartMethodCall, method: str = "spawn", workers: int = 2) -> Loader:
        program = Program(guarded=True, start_methods=(written(method, 5),), start_method_calls=calls)
        return a_loader(program, num_workers=workers)

    def test_it_names_the_workers_and_moves_the_call_under_the_guard(self) -> None:
        finding = the_finding("LL110", self.with_calls(self.CALL), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.CERTAIN, at(5))
        assert finding.message.startswith("each of 2 workers started by spawn imports the main module and runs")
        assert finding.error == "RuntimeError: context has already been set"
        assert the_fix(finding).edits == (GuardEntryPoint(at(5)),)
        assert the_fix(finding).safe

    def test_a_call_elsewhere_has_no_fix(self) -> None:
        finding = the_finding("LL110", self.with_calls(replace(self.CALL, can_be_guarded=False)), LINUX)
        assert finding.fix is None
        assert finding.help is not None

    def test_no_worker_imports_anything_under_fork_or_without_workers(self) -> None:
        assert check("LL110", self.with_calls(self.CALL, method="fork"), LINUX) == []
        assert check("LL110", self.with_calls(self.CALL, workers=0), LINUX) == []
        assert check("LL110", self.with_calls(), LINUX) == []

    def test_a_second_call_raises_without_any_worker(self) -> None:
        second = replace(self.CALL, after=at(3))
        finding = the_finding("LL110", self.with_calls(second, workers=0), LINUX)
        assert finding.message == "`mp.set_start_method('spawn')` raises: the start method was set at train.py:3 before"
        assert finding.fix is None

    def test_a_call_on_another_platform_is_quiet(self) -> None:
        elsewhere = replace(self.CALL, assumptions=on_platforms("macos"))
        assert check("LL110", self.with_calls(elsewhere, replace(elsewhere, after=at(3))), LINUX) == []


class TestOptionSetAfterConstruction:
    BATCHES = OptionSet(at(60), "loader.batch_size = 8", option="batch_size", refused=True, constant=8)
    WORKERS = OptionSet(at(60), "loader.num_workers = 2", option="num_workers", constant=2)

    @staticmethod
    def with_options(*options: OptionSet, **given: Any) -> Loader:
        return replace(a_loader(**given), uses=Uses(options_set=options))

    def test_what_torch_refuses(self) -> None:
        finding = the_finding("LL209", self.with_options(self.BATCHES), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(60))
        assert finding.message == (
            "`loader.batch_size = 8` raises: torch refuses another batch_size for the loader made at train.py:50"
        )
        assert finding.error == "ValueError: batch_size attribute should not be set after DataLoader is initialized"
        assert finding.fix is None

    @pytest.mark.parametrize("given", [{}, {"num_workers": 0}])
    def test_workers_that_come_too_late(self, given: dict[str, int]) -> None:
        finding = the_finding("LL209", self.with_options(self.WORKERS, **given), LINUX)
        assert finding.message.startswith("`loader.num_workers = 2` comes too late: the loader at train.py:50")

    @pytest.mark.parametrize(
        "loader",
        [
            with_options(WORKERS, num_workers=4),
            with_options(WORKERS, num_workers=Value(open=True)),
            with_options(replace(WORKERS, constant=0)),
            with_options(replace(WORKERS, constant=None)),
            with_options(WORKERS, replace(WORKERS, option="prefetch_factor")),
            with_options(replace(WORKERS, option="prefetch_factor")),
            with_options(replace(BATCHES, assumptions=on_platforms("windows"))),
            with_options(
                replace(WORKERS, assumptions=assuming("args.many", True)),
                num_workers=written(0, assumptions=assuming("args.many", False)),
            ),
        ],
        ids=["with workers", "unseen", "none", "who knows", "prefetch, too", "prefetch", "Windows", "never together"],
    )
    def test_quiet(self, loader: Loader) -> None:
        assert check("LL209", loader, LINUX) == []


class TestLoaderRebuiltInLoop:
    REBUILT = Restart(at(72), "DataLoader(data, num_workers=2)", loop=EPOCHS)
    ONE_BATCH = Restart(at(73), "next(iter(loader))", loop=EPOCHS, one_batch=True)

    @staticmethod
    def with_restart(restart: Restart, **given: Any) -> Loader:
        return replace(a_loader(**given), uses=Uses(restarts=(restart,)))

    def test_a_loader_made_again(self) -> None:
        finding = the_finding("LL305", self.with_restart(self.REBUILT, num_workers=2), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.CERTAIN, at(72))
        assert finding.message == (
            "every turn of `for epoch in range(3)` makes this loader again of the same things and so starts 2 workers "
            "anew"
        )
        assert finding.fix is None

    def test_an_iterator_for_one_batch(self) -> None:
        finding = the_finding("LL305", self.with_restart(self.ONE_BATCH, num_workers=2), LINUX)
        assert finding.message.startswith("`next(iter(loader))` starts 2 workers in every turn of `for epoch in")

    def test_kept_workers_serve_the_next_iterator_but_not_the_next_loader(self) -> None:
        kept = self.with_restart(self.REBUILT, num_workers=2, persistent_workers=True)
        assert check("LL305", kept, LINUX) != []
        assert check("LL305", replace(kept, uses=Uses(restarts=(self.ONE_BATCH,))), LINUX) == []
        unseen = self.with_restart(self.ONE_BATCH, num_workers=2, persistent_workers=Value(open=True))
        assert check("LL305", unseen, LINUX) == []

    @pytest.mark.parametrize("given", [{}, {"num_workers": 0}, {"num_workers": Value(open=True)}])
    def test_quiet_without_workers(self, given: dict[str, Any]) -> None:
        assert check("LL305", self.with_restart(self.REBUILT, **given), LINUX) == []
        assert check("LL305", replace(self.with_restart(self.REBUILT, num_workers=2), uses=Uses()), LINUX) == []


class TestFileSystemSharing:
    CALL = SharingStrategy(at(5), "mp.set_sharing_strategy('file_system')", strategy="file_system")
    IN_MAIN = replace(CALL, main_only=True)

    @staticmethod
    def with_calls(*calls: SharingStrategy, method: str | None = None, workers: int = 2) -> Loader:
        methods = (written(method, 5),) if method is not None else ()
        program = Program(guarded=True, start_methods=methods, sharing_strategies=calls)
        return a_loader(program, num_workers=workers)

    @pytest.mark.parametrize(
        "loader",
        [with_calls(CALL), with_calls(IN_MAIN), with_calls(CALL, method="spawn"), with_calls(CALL, IN_MAIN)],
        ids=["at the top", "forked", "imported by spawned workers", "both"],
    )
    def test_files_that_stay_are_worth_a_word(self, loader: Loader) -> None:
        findings = check("LL308", loader, LINUX)
        assert {(one.severity, one.confidence, one.span) for one in findings} == {
            (Severity.INFO, Confidence.CERTAIN, at(5))
        }
        assert "keeps what 2 workers load in named files of /dev/shm" in findings[0].message

    def test_spawned_workers_that_never_run_the_call_are_a_warning(self) -> None:
        finding = the_finding("LL308", self.with_calls(self.IN_MAIN, method="spawn"), LINUX)
        assert finding.severity is Severity.WARNING
        assert finding.message.startswith(
            "2 workers started by spawn never run `mp.set_sharing_strategy('file_system')`"
        )

    def test_quiet(self) -> None:
        assert check("LL308", self.with_calls(), LINUX) == []
        assert check("LL308", self.with_calls(self.CALL), WINDOWS) == []
        assert check("LL308", self.with_calls(self.CALL, workers=0), LINUX) == []
        assert check("LL308", self.with_calls(replace(self.CALL, strategy="file_descriptor")), LINUX) == []
        assert check("LL308", self.with_calls(replace(self.CALL, assumptions=on_platforms("macos"))), LINUX) == []
