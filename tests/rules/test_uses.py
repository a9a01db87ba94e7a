"""The conditions and words of the rules about what a program does with a loader, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.edit import AddOption, BeginTurns, GuardEntryPoint, SetValue
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.loader import Loader, Program
from loaderlint.model.payload import Payload, Touch
from loaderlint.model.target import Accelerator, Platform, Target
from loaderlint.model.uses import (
    Iteration,
    Loop,
    OptionSet,
    Restart,
    Role,
    SharingStrategy,
    StartMethodCall,
    UntoldSampler,
    Uses,
)
from loaderlint.model.value import Value
from loaderlint.model.worker_code import WorkerCode
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

EPOCHS = Loop(at(70), "for epoch in range(3)", counts=True)
FOLDS = Loop(at(65), "for fold in folds")
IN_EPOCHS = Iteration(at(71), "loader", (EPOCHS,))


def used(*iterations: Iteration, role: Role | None = None, samplers: tuple[UntoldSampler, ...] = ()) -> Loader:
    """Make a loader with 2 workers that is used this way."""
    return replace(a_loader(num_workers=2), uses=Uses(iterations, role, samplers))


class TestEpochNeverSet:
    SAMPLER = UntoldSampler(at(40), "DistributedSampler(dataset)")

    def test_it_stands_at_the_sampler_and_names_the_loop(self) -> None:
        finding = the_finding("LL408", used(IN_EPOCHS, samplers=(self.SAMPLER,)), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.CERTAIN, at(40))
        assert finding.message.startswith("every turn of `for epoch in range(3)` gets the samples in the same order")
        assert "train.py:71" in finding.message
        assert finding.fix is None

    def test_the_fix_tells_it_where_both_have_names(self) -> None:
        sampler = replace(self.SAMPLER, names=((at(70), "sampler"),))
        by_name = replace(IN_EPOCHS, loops=(replace(EPOCHS, counter="epoch"),))
        fix = the_fix(the_finding("LL408", used(by_name, samplers=(sampler,)), LINUX))
        assert fix.edits == (BeginTurns(at(70), "sampler.set_epoch(epoch)"),)
        assert not fix.safe
        assert the_finding("LL408", used(IN_EPOCHS, samplers=(sampler,)), LINUX).fix is None
        assert the_finding("LL408", used(by_name, samplers=(self.SAMPLER,)), LINUX).fix is None

    @pytest.mark.parametrize(
        "loader",
        [
            used(IN_EPOCHS),
            used(samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, loops=()), samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, loops=(FOLDS,)), samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, loops=(replace(EPOCHS, once=True),)), samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, loops=(replace(EPOCHS, asked=True),)), samplers=(SAMPLER,)),
            used(replace(IN_EPOCHS, wrapped_by="accelerate.Accelerator.prepare"), samplers=(SAMPLER,)),
            used(IN_EPOCHS, role=Role.EVALUATION, samplers=(SAMPLER,)),
        ],
        ids=["told", "never iterated", "no loop", "no epochs", "one epoch", "asked", "a library's", "evaluation"],
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

    def test_the_fix_is_unsafe_where_what_follows_may_need_the_method(self) -> None:
        finding = the_finding("LL110", self.with_calls(replace(self.CALL, something_follows=True)), LINUX)
        assert not the_fix(finding).safe

    def test_a_module_that_a_launcher_may_import_is_not_surely_the_main_one(self) -> None:
        launched = replace(self.CALL, brought_in=Touch(at(3), "import_module(name)"))
        finding = the_finding("LL110", self.with_calls(launched), LINUX)
        assert finding.confidence is Confidence.LIKELY
        assert not the_fix(finding).safe
        assert "`import_module(name)`" in the_fix(finding).reason

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
        loader = self.with_restart(self.REBUILT, num_workers=2, persistent_workers=True)
        finding = the_finding("LL305", loader, LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.CERTAIN, at(72))
        assert finding.message == (
            "every turn of `for epoch in range(3)` makes this loader again of the same things and so starts 2 workers "
            "anew"
        )
        assert finding.fix is None

    def test_it_is_a_remark_where_nobody_keeps_workers_that_are_forked(self) -> None:
        forked = self.with_restart(self.REBUILT, num_workers=2)
        assert the_finding("LL305", forked, LINUX).severity is Severity.INFO
        assert the_finding("LL305", forked, MACOS).severity is Severity.WARNING
        one_batch = self.with_restart(self.ONE_BATCH, num_workers=2)
        assert the_finding("LL305", one_batch, LINUX).severity is Severity.WARNING

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


def of(role: Role, span_line: int = 50, **given: Any) -> Loader:
    return replace(a_loader(**given), span=at(span_line), uses=Uses(role=role))


def beside(loader: Loader, *others: Loader) -> Loader:
    uses = replace(loader.uses, beside=frozenset(one.span for one in others))
    return replace(loader, program=Program(guarded=True, loaders=(loader, *others)), uses=uses)


TRAINS = of(Role.TRAINING, 40, num_workers=8)
ROCM = Target(Platform.LINUX, (3, 12), accelerator=Accelerator.ROCM)
GPU = Target(Platform.LINUX, (3, 12), accelerator=Accelerator.CUDA)


class TestPersistentValidationWorkers:
    VALIDATES = of(Role.EVALUATION, num_workers=4, persistent_workers=written(True, 11))

    @pytest.mark.parametrize(("target", "system"), [(WINDOWS, "Windows"), (ROCM, "ROCm")])
    def test_it_stands_at_the_value_and_turns_it_off(self, target: Target, system: str) -> None:
        finding = the_finding("LL504", beside(self.VALIDATES, TRAINS), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.LIKELY, at(11))
        assert finding.message == (
            f"on {system} this validation loader keeps 4 workers alive beside those of the training loader at "
            "train.py:40"
        )
        assert the_fix(finding).edits == (SetValue(at(11), False),)
        assert the_fix(finding).safe
        assert at(10) in the_fix(finding).follows, "without workers there is nothing left to mend"

    def test_a_value_of_both_loaders_is_changed_at_the_call_of_one(self) -> None:
        shared = of(Role.TRAINING, 40, num_workers=8, persistent_workers=written(True, 11))
        fix = the_fix(the_finding("LL504", beside(self.VALIDATES, shared), WINDOWS))
        assert fix.edits == (SetValue(at(50), False),)

    def test_workers_that_remember_go_on_unsafely_as_new_ones(self) -> None:
        loader = replace(self.VALIDATES, payload=Payload(code=WorkerCode(remembers=True)))
        assert not the_fix(the_finding("LL504", beside(loader, TRAINS), WINDOWS)).safe

    def test_a_value_of_both_in_one_dictionary_has_no_fix(self) -> None:
        kept = Value((written(True, 11),))
        shared = of(Role.TRAINING, 40, num_workers=8, persistent_workers=kept)
        loader = of(Role.EVALUATION, num_workers=4, persistent_workers=kept)
        finding = the_finding("LL504", beside(loader, shared), WINDOWS)
        assert finding.fix is None
        assert finding.help == "give this loader `persistent_workers=False`"

    @pytest.mark.parametrize(
        "loader",
        [
            beside(VALIDATES),
            replace(beside(VALIDATES, TRAINS), uses=VALIDATES.uses),
            beside(VALIDATES, VALIDATES),
            beside(VALIDATES, of(Role.TRAINING, 40)),
            beside(of(Role.TRAINING, num_workers=4, persistent_workers=True), TRAINS),
            beside(of(Role.EVALUATION, num_workers=4), TRAINS),
            beside(of(Role.EVALUATION, num_workers=4, persistent_workers=False), TRAINS),
            beside(of(Role.EVALUATION, num_workers=0, persistent_workers=True), TRAINS),
        ],
        ids=[
            "alone",
            "other runs",
            "no training",
            "training without workers",
            "training",
            "silent",
            "off",
            "no workers",
        ],
    )
    def test_quiet(self, loader: Loader) -> None:
        assert check("LL504", loader, WINDOWS) == []

    @pytest.mark.parametrize("target", [LINUX, GPU, MACOS])
    def test_quiet_on_other_targets(self, target: Target) -> None:
        assert check("LL504", beside(self.VALIDATES, TRAINS), target) == []


class TestValidationForksBesidePinning:
    PINS = of(Role.TRAINING, 40, num_workers=8, pin_memory=True, persistent_workers=True)
    VALIDATES = of(Role.EVALUATION, num_workers=4)

    def test_a_training_loader_that_keeps_its_thread(self) -> None:
        finding = the_finding("LL505", beside(self.VALIDATES, self.PINS), GPU)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.INFO, Confidence.POSSIBLE, at(50))
        assert finding.message.startswith("this validation loader forks 4 workers while the pin-memory thread")

    def test_validation_amid_an_epoch(self) -> None:
        batches = Iteration(at(71), "train_loader")
        training = of(Role.TRAINING, 40, num_workers=8, pin_memory=True)
        training = replace(training, uses=Uses((batches,), Role.TRAINING))
        amid = Iteration(at(75), "val_loader", (Loop(batches.span, "for batch in train_loader"),))
        validates = replace(self.VALIDATES, uses=Uses((amid,), Role.EVALUATION))
        assert check("LL505", beside(validates, training), GPU) != []
        after = replace(validates, uses=Uses((IN_EPOCHS,), Role.EVALUATION))
        assert check("LL505", beside(after, training), GPU) == []

    @pytest.mark.parametrize(
        ("loader", "target"),
        [
            (beside(VALIDATES, PINS), Target(Platform.LINUX, (3, 12), accelerator=Accelerator.CPU)),
            (beside(VALIDATES, PINS), LINUX_3_14),
            (beside(VALIDATES, PINS), WINDOWS),
            (beside(VALIDATES), GPU),
            (beside(VALIDATES, replace(PINS, uses=Uses(role=Role.EVALUATION))), GPU),
            (beside(VALIDATES, of(Role.TRAINING, 40, num_workers=8, persistent_workers=True)), GPU),
            (beside(of(Role.EVALUATION), PINS), GPU),
        ],
        ids=["CPU", "forkserver", "Windows", "alone", "no training", "nothing pinned", "no workers"],
    )
    def test_quiet(self, loader: Loader, target: Target) -> None:
        assert check("LL505", loader, target) == []


class TestRespawnedEveryEpoch:
    def test_it_names_the_workers_and_the_loop_and_keeps_them(self) -> None:
        finding = the_finding("LL601", used(IN_EPOCHS), MACOS)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.INFO, Confidence.LIKELY, at(50))
        assert finding.message == (
            "2 workers started by spawn start again in every turn of `for epoch in range(3)`, at train.py:71"
        )
        assert the_fix(finding).edits == (AddOption(at(50), "persistent_workers", True, None),)
        assert the_fix(finding).safe

    def test_a_worker_count_that_varies_becomes_the_condition(self) -> None:
        several = Value((written(2), written(4, 11)), argument=at(52))
        loader = replace(a_loader(num_workers=several), uses=Uses((IN_EPOCHS,)))
        assert the_fix(the_finding("LL601", loader, MACOS)).edits == (
            AddOption(at(50), "persistent_workers", True, at(52)),
        )
        hidden = replace(a_loader(num_workers=replace(several, argument=None)), uses=Uses((IN_EPOCHS,)))
        assert the_finding("LL601", hidden, MACOS).fix is None

    def test_the_fix_is_unsafe_where_not_all_was_seen(self) -> None:
        loader = replace(used(IN_EPOCHS), payload=Payload())
        assert not the_fix(the_finding("LL601", loader, MACOS)).safe

    def test_the_fix_is_unsafe_where_the_program_may_change_the_data_set_out_of_sight(self) -> None:
        loader = replace(used(IN_EPOCHS), uses=Uses((IN_EPOCHS,), payload_touched=True))
        assert not the_fix(the_finding("LL601", loader, MACOS)).safe

    @pytest.mark.parametrize("code", [WorkerCode(changes=True), WorkerCode(remembers=True)], ids=["may", "does"])
    def test_the_fix_is_unsafe_where_worker_code_changes_what_it_keeps(self, code: WorkerCode) -> None:
        loader = replace(used(IN_EPOCHS), payload=Payload(seen=True, code=code))
        assert not the_fix(the_finding("LL601", loader, MACOS)).safe

    @pytest.mark.parametrize(
        "loader",
        [
            used(),
            used(replace(IN_EPOCHS, loops=())),
            used(replace(IN_EPOCHS, loops=(FOLDS,))),
            used(replace(IN_EPOCHS, wrapped_by="accelerate.Accelerator().prepare")),
            used(replace(IN_EPOCHS, several=True)),
            used(IN_EPOCHS, Iteration(at(75), "loader", (Loop(at(71), "for batch in loader"),))),
            replace(used(IN_EPOCHS), uses=Uses((IN_EPOCHS,), payload_changes=True)),
            replace(used(IN_EPOCHS), uses=Uses((IN_EPOCHS,), restarts=(Restart(at(50), "DataLoader()"),))),
            replace(a_loader(num_workers=2, persistent_workers=False), uses=Uses((IN_EPOCHS,))),
            replace(a_loader(num_workers=2, persistent_workers=Value(open=True)), uses=Uses((IN_EPOCHS,))),
            replace(a_loader(num_workers=0), uses=Uses((IN_EPOCHS,))),
        ],
        ids=[
            "unused",
            "once",
            "folds",
            "a library's",
            "zip",
            "within itself",
            "stale",
            "made again",
            "decided",
            "unseen",
            "no workers",
        ],
    )
    def test_quiet(self, loader: Loader) -> None:
        assert check("LL601", loader, MACOS) == []

    def test_quiet_under_fork_and_for_validation_on_windows(self) -> None:
        assert check("LL601", used(IN_EPOCHS), LINUX) == []
        assert check("LL601", used(IN_EPOCHS, role=Role.EVALUATION), WINDOWS) == []
        assert check("LL601", used(IN_EPOCHS, role=Role.EVALUATION), MACOS) != []


class TestWorkerTensorsKept:
    KEPT = Touch(at(60), "batches.append(batch)")

    def test_what_is_kept(self) -> None:
        loader = replace(a_loader(num_workers=2), uses=Uses(kept=(self.KEPT,)))
        finding = the_finding("LL307", loader, LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.INFO, Confidence.POSSIBLE, at(60))
        assert finding.message.startswith("`batches.append(batch)` keeps tensors that 2 workers loaded")

    def test_quiet(self) -> None:
        loader = replace(a_loader(num_workers=2), uses=Uses(kept=(self.KEPT,)))
        assert check("LL307", loader, MACOS) == []
        assert check("LL307", replace(loader, uses=Uses()), LINUX) == []
        assert check("LL307", replace(a_loader(num_workers=0), uses=loader.uses), LINUX) == []
