"""Each rule's conditions and words, on loaders made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.assumptions import CUDA, Assumption, Assumptions, Question
from loaderlint.model.cells import Cells
from loaderlint.model.edit import AddOption, Drop, Fix, GuardEntryPoint, Hoist, MakeInteger, OnlyWithWorkers, SetValue
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.limits import Limits
from loaderlint.model.loader import Loader, Program
from loaderlint.model.payload import Handing, Payload, Touch, Unpicklable
from loaderlint.model.source import Span
from loaderlint.model.target import Accelerator, Platform, Target
from loaderlint.model.value import Candidate, CommandLineText, CpuCount, Value
from loaderlint.model.worker_code import WorkerCode
from loaderlint.rulebook import find

LINUX = Target(Platform.LINUX, (3, 12))
LINUX_3_14 = Target(Platform.LINUX, (3, 14))
WINDOWS = Target(Platform.WINDOWS, (3, 12))
MACOS = Target(Platform.MACOS, (3, 12))
SAFE_PROGRAM = Program(guarded=True)
SEEN = Payload(seen=True)


def at(line: int, path: str = "train.py") -> Span:
    return Span(path, line, 1, line, 9)


def written(constant: Any, line: int = 10, **facts: Any) -> Candidate:
    return Candidate(constant, at(line), **facts)


def a_loader(program: Program = SAFE_PROGRAM, payload: Payload = SEEN, **options: Any) -> Loader:
    """Make a loader at line 50; an option is a constant (written at line 10, 11, ...), a candidate or a whole value."""
    values: dict[str, Value] = {}
    for line, (name, option) in enumerate(options.items(), start=10):
        if not isinstance(option, Value):
            option = Value((option if isinstance(option, Candidate) else written(option, line),), argument=at(50))
        values[name] = option
    return Loader(at(50), "torch.utils.data.DataLoader", values, program=program, payload=payload)


def check(rule: str, loader: Loader, target: Target, **limits: int) -> list[Finding]:
    return list(find(rule)(Limits(**limits)).check(loader, target))


def the_finding(rule: str, loader: Loader, target: Target, **limits: int) -> Finding:
    findings = check(rule, loader, target, **limits)
    assert len(findings) == 1, findings
    return findings[0]


def the_fix(finding: Finding) -> Fix:
    assert finding.fix is not None
    return finding.fix


def assuming(subject: str, answer: bool | int | str) -> Assumptions:
    return frozenset({Assumption(subject, answer)})


def cpus(text: str, compute: Any) -> CpuCount:
    return CpuCount(text, compute)


class TestWorkersOnWindows:
    def test_workers_on_windows_are_found_at_the_number(self) -> None:
        finding = the_finding("LL101", a_loader(num_workers=4), WINDOWS)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.LIKELY, at(10))
        assert finding.message.startswith("starting 4 workers on Windows")
        assert the_fix(finding).edits == (SetValue(at(10), 0),)
        assert the_fix(finding).safe

    def test_the_message_does_not_claim_that_workers_hang(self) -> None:
        assert "hang" not in the_finding("LL101", a_loader(num_workers=1), WINDOWS).message

    @pytest.mark.parametrize("guarded", [True, False, None])
    @pytest.mark.parametrize(
        ("payload", "words"),
        [
            (Payload(seen=True), "which imports what its work needs before the first batch"),
            (Payload(seen=False), "or a cell defines it, the run stops there"),
            (Payload((Unpicklable(at(20), "lambda", "collate_fn"),), seen=True), "the run stops there"),
            (Payload(in_notebook=(Unpicklable(at(20), "class", "dataset"),), seen=True), "the run stops there"),
        ],
        ids=["work that pickles", "work that was not seen", "a lambda", "a class of a cell"],
    )
    def test_workers_of_a_notebook_import_no_program(self, payload: Payload, words: str, guarded: bool | None) -> None:
        loader = a_loader(Program(guarded=guarded), payload=payload, num_workers=4)
        in_cell = replace(loader, span=loader.span._replace(path="train.ipynb", cells=Cells((1,), (1,))))
        message = the_finding("LL101", in_cell, WINDOWS).message
        assert message.endswith(words)
        assert "program" not in message
        assert "guard" not in message

    @pytest.mark.parametrize(
        ("payload", "guarded", "words"),
        [
            (Payload(seen=True), True, "which imports the program again before the first batch"),
            (Payload(seen=True), None, "the run stops there"),
            (Payload(seen=False), True, "the run stops there"),
            (Payload(in_notebook=(Unpicklable(at(20), "class", "dataset"),), seen=True), True, "the run stops there"),
        ],
    )
    def test_workers_of_a_script_import_it_again(self, payload: Payload, guarded: bool | None, words: str) -> None:
        message = the_finding(
            "LL101", a_loader(Program(guarded=guarded), payload=payload, num_workers=4), WINDOWS
        ).message
        assert "which imports the program again" in message
        assert message.endswith(words)

    @pytest.mark.parametrize("target", [LINUX, LINUX_3_14, MACOS])
    def test_other_platforms_are_quiet(self, target: Target) -> None:
        assert check("LL101", a_loader(num_workers=4), target) == []

    @pytest.mark.parametrize("loader", [a_loader(), a_loader(num_workers=0), a_loader(num_workers=Value(open=True))])
    def test_no_workers_and_an_unseen_count_are_quiet(self, loader: Loader) -> None:
        assert check("LL101", loader, WINDOWS) == []

    def test_the_arm_that_does_not_run_on_windows_is_quiet(self) -> None:
        elsewhere = assuming_platform("linux", "macos")
        here = assuming_platform("windows")
        both = Value((written(8, assumptions=elsewhere), written(0, 11, assumptions=here)))
        assert check("LL101", a_loader(num_workers=both), WINDOWS) == []

    def test_a_project_can_allow_some_workers(self) -> None:
        assert check("LL101", a_loader(num_workers=2), WINDOWS, windows_workers=2) == []
        finding = the_finding("LL101", a_loader(num_workers=8), WINDOWS, windows_workers=2)
        assert the_fix(finding).edits == (SetValue(at(10), 2),)

    def test_an_unknown_cpu_count_is_above_any_limit(self) -> None:
        many = cpus("os.cpu_count()", lambda count: count)
        finding = the_finding("LL101", a_loader(num_workers=many), WINDOWS, windows_workers=2)
        assert "os.cpu_count() workers" in finding.message

    def test_what_needs_workers_goes_with_them(self) -> None:
        loader = a_loader(num_workers=4, prefetch_factor=2, persistent_workers=True, timeout=0)
        edits = the_fix(the_finding("LL101", loader, WINDOWS)).edits
        assert [edit.option for edit in edits if isinstance(edit, Drop)] == ["prefetch_factor", "persistent_workers"]

    @pytest.mark.parametrize(
        "loader",
        [
            a_loader(num_workers=Value((written(4, shared=True),))),
            a_loader(num_workers=4, payload=Payload(seen=True, iterable=True)),
            a_loader(num_workers=4, payload=Payload(seen=True, worker_init_fn=at(3))),
        ],
        ids=["shared value", "iterable dataset", "worker_init_fn"],
    )
    def test_the_fix_is_unsafe_where_it_changes_more_than_speed(self, loader: Loader) -> None:
        assert not the_fix(the_finding("LL101", loader, WINDOWS)).safe

    @pytest.mark.parametrize(("starts", "found"), [(True, ["LL101", "LL301"]), (False, [])])
    def test_nothing_is_said_of_workers_that_never_start(self, starts: bool, found: list[str]) -> None:
        loader = replace(a_loader(num_workers=4, prefetch_factor=16), starts_workers=starts)
        assert [one.code for rule in ("LL101", "LL301") for one in check(rule, loader, WINDOWS)] == found

    @pytest.mark.parametrize("starts", [True, False])
    def test_torch_refuses_what_needs_workers_of_any_loader(self, starts: bool) -> None:
        loader = replace(a_loader(num_workers=0, prefetch_factor=4), starts_workers=starts)
        assert check("LL201", loader, WINDOWS)

    @pytest.mark.parametrize("refusal_is_caught", [True, False])
    def test_what_torch_refuses_is_not_made_to_load_where_that_is_caught(self, refusal_is_caught: bool) -> None:
        counts = Value((written(4, 10), written(0, 10)), argument=at(50))
        loader = a_loader(num_workers=counts, prefetch_factor=2)
        fix = the_fix(the_finding("LL101", replace(loader, may_be_guarded=refusal_is_caught), WINDOWS))
        assert fix.safe is not refusal_is_caught

    @pytest.mark.parametrize(
        ("options", "safe"),
        [({"num_workers": 4}, False), ({"num_workers": 4, "prefetch_factor": None}, True)],
        ids=["one that the settings do not give", "one that they take away"],
    )
    def test_what_code_gives_beside_settings_needs_the_workers(self, options: dict[str, Any], safe: bool) -> None:
        loader = replace(a_loader(**options), given_beside={"prefetch_factor": at(70, "data.py")})
        assert the_fix(the_finding("LL101", loader, WINDOWS)).safe is safe

    def test_a_smaller_count_keeps_what_code_gives_beside_settings(self) -> None:
        loader = replace(a_loader(num_workers=4), given_beside={"prefetch_factor": at(70, "data.py")})
        assert the_fix(the_finding("LL101", loader, WINDOWS, windows_workers=2)).safe

    def test_what_needs_the_workers_of_other_runs_goes_where_the_call_of_all_is_changed(self) -> None:
        train, evaluate = assuming("who calls", "train"), assuming("who calls", "evaluate")
        counts = Value(
            (written(4, shared=True, assumptions=train), written(8, 20, shared=True, assumptions=evaluate)),
            argument=at(50),
        )
        persistent = Value((written(True, 21, assumptions=evaluate),), argument=at(51))
        for finding in check("LL101", a_loader(num_workers=counts, persistent_workers=persistent), WINDOWS):
            wanted = [OnlyWithWorkers(at(51), "persistent_workers", False, at(50))]
            assert [one for one in the_fix(finding).edits if not isinstance(one, SetValue)] == wanted

    def test_what_needs_workers_stays_in_runs_whose_own_count_is_not_changed(self) -> None:
        train, evaluate = assuming("who calls", "train"), assuming("who calls", "evaluate")
        counts = Value((written(4, assumptions=train), written(8, 20, assumptions=evaluate)), argument=at(50))
        persistent = Value((written(True, 21, assumptions=evaluate),), argument=at(51))
        found = check("LL101", a_loader(num_workers=counts, persistent_workers=persistent), WINDOWS)
        assert [len(the_fix(one).edits) for one in found] == [1, 2]

    @pytest.mark.parametrize(("asked", "edits"), [(10, 1), (99, 2)])
    def test_what_is_unseen_stays_where_it_goes_with_the_workers(self, asked: int, edits: int) -> None:
        unseen = Value(open=True, argument=at(51), gates=lambda: frozenset({at(asked)}))
        fix = the_fix(the_finding("LL101", a_loader(num_workers=written(4, 10), prefetch_factor=unseen), WINDOWS))
        assert (fix.safe, len(fix.edits)) == (True, edits)

    def test_a_shared_value_stays_and_the_argument_of_the_loader_is_changed(self) -> None:
        fix = the_fix(the_finding("LL101", a_loader(num_workers=written(4, shared=True)), WINDOWS))
        assert fix.safe
        assert fix.edits == (SetValue(at(50), 0),)

    def test_a_mapping_that_no_code_was_seen_to_read_stays_likely(self) -> None:
        loader = replace(a_loader(num_workers=4), consumer_seen=False)
        assert the_finding("LL101", loader, WINDOWS).confidence is Confidence.LIKELY


def assuming_platform(*platforms: str) -> Assumptions:
    return frozenset({Assumption("the platform", frozenset(platforms))})


ITERATES = Touch(at(60), "for batch in loader:")


class TestUnguardedEntryPoint:
    @staticmethod
    def unguarded(*touches: Touch, **options: Any) -> Loader:
        return replace(a_loader(Program(guarded=False), **options), unguarded=touches or (ITERATES,))

    @pytest.mark.parametrize(("target", "method"), [(WINDOWS, "spawn"), (MACOS, "spawn"), (LINUX_3_14, "forkserver")])
    def test_iterating_at_import_is_found_where_workers_import_the_file(self, target: Target, method: str) -> None:
        finding = the_finding("LL102", self.unguarded(num_workers=4), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(60))
        assert finding.message.startswith(f"starting 4 workers by {method} raises")
        assert "`for batch in loader:`" in finding.message
        assert the_fix(finding).edits == (GuardEntryPoint(at(60)),)

    def test_asking_for_spawn_counts_on_every_platform(self) -> None:
        assert check("LL102", self.unguarded(num_workers=1, multiprocessing_context="spawn"), LINUX)

    def test_the_first_statement_is_found_and_its_fix_guards_them_all(self) -> None:
        again = Touch(at(70), "next(iter(loader))")
        (first,) = check("LL102", self.unguarded(again, ITERATES, num_workers=2), WINDOWS)
        assert first.span == at(60)
        assert the_fix(first).edits == (GuardEntryPoint(at(60)), GuardEntryPoint(at(70)))

    def test_fork_is_quiet(self) -> None:
        assert check("LL102", self.unguarded(num_workers=4), LINUX) == []
        assert check("LL102", self.unguarded(num_workers=4, multiprocessing_context="fork"), MACOS) == []

    def test_no_workers_is_quiet(self) -> None:
        assert check("LL102", self.unguarded(num_workers=0), WINDOWS) == []
        assert check("LL102", self.unguarded(), WINDOWS) == []

    def test_a_loader_that_is_only_made_at_import_is_quiet(self) -> None:
        assert check("LL102", a_loader(num_workers=4), WINDOWS) == []

    def test_a_statement_that_does_not_run_on_the_target_is_quiet(self) -> None:
        elsewhere = Touch(at(60), "for batch in loader:", assumptions=assuming_platform("linux"))
        assert check("LL102", self.unguarded(elsewhere, num_workers=4), WINDOWS) == []

    def test_a_statement_that_never_meets_the_workers_is_quiet(self) -> None:
        debugging = Touch(at(60), "next(iter(loader))", assumptions=assuming("debug", True))
        many = written(4, assumptions=assuming("debug", False))
        assert check("LL102", self.unguarded(debugging, num_workers=many), WINDOWS) == []

    def test_the_main_file_of_a_package_may_be_run_by_the_name_of_that(self) -> None:
        loader = self.unguarded(Touch(at(60)._replace(path="tool/__main__.py"), "main()"), num_workers=4)
        finding = the_finding("LL102", loader, WINDOWS)
        assert finding.confidence is Confidence.POSSIBLE
        assert finding.message.endswith("reaches `main()` again, where it is run by its path")

    def test_a_module_that_a_launcher_may_import_is_not_surely_the_main_one(self) -> None:
        launched = replace(ITERATES, brought_in=Touch(at(3), "import_module(name)"))
        finding = the_finding("LL102", self.unguarded(launched, num_workers=4), WINDOWS)
        assert finding.confidence is Confidence.LIKELY
        assert finding.message.endswith("again, where it is the program's main file")
        assert not the_fix(finding).safe
        assert "`import_module(name)`" in the_fix(finding).reason

    def test_the_fix_is_unsafe_where_workers_then_import_no_module_that_adds_to_what_they_read(self) -> None:
        payload = Payload(code=WorkerCode(imported_late=lambda: Touch(at(3), "READERS.add(read)")), seen=True)
        found = the_finding("LL102", replace(self.unguarded(num_workers=4), payload=payload), WINDOWS)
        assert not the_fix(found).safe
        assert "`READERS.add(read)`" in the_fix(found).reason
        assert the_fix(the_finding("LL102", self.unguarded(num_workers=4), WINDOWS)).safe

    def test_the_fix_is_unsafe_where_workers_begin_with_what_the_file_set_after_it_read_that(self) -> None:
        payload = Payload(code=WorkerCode(set_after_read=lambda: Touch(at(3), "os.environ['MODE'] = '2'")), seen=True)
        found = the_finding("LL102", replace(self.unguarded(num_workers=4), payload=payload), WINDOWS)
        assert not the_fix(found).safe
        assert "`os.environ['MODE'] = '2'`" in the_fix(found).reason


class TestUnpicklableWorkerCallable:
    LAMBDA = Unpicklable(at(20), "lambda", "collate_fn")
    LOCAL = Unpicklable(at(21), "local function", "worker_init_fn", "seed")
    CAPTURES = Unpicklable(at(22), "local class", "dataset", "Data", captures=("root", "size"))

    def loader(self, *unpicklable: Unpicklable, **options: Any) -> Loader:
        return a_loader(payload=Payload(unpicklable, seen=True), **(options or {"num_workers": 4}))

    @pytest.mark.parametrize("target", [WINDOWS, MACOS, LINUX_3_14])
    def test_a_lambda_is_found_where_workers_get_pickled_work(self, target: Target) -> None:
        finding = the_finding("LL103", self.loader(self.LAMBDA), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(20))
        assert finding.message.endswith("raises: the lambda given as collate_fn cannot be pickled")
        assert the_fix(finding).edits == (Hoist(at(20)),)
        assert the_fix(finding).safe

    def test_where_nothing_was_seen_to_iterate_the_loader_it_is_not_certain(self) -> None:
        finding = the_finding("LL103", replace(self.loader(self.LAMBDA), program=Program()), WINDOWS)
        assert finding.confidence is Confidence.LIKELY

    def test_each_is_found_at_its_own_place_with_its_name(self) -> None:
        first, second = check("LL103", self.loader(self.LAMBDA, self.LOCAL), WINDOWS)
        assert second.span == at(21)
        assert "the local function seed given as worker_init_fn" in second.message
        assert first.fix != second.fix

    @pytest.mark.parametrize(
        ("handing", "words"),
        [
            (Handing.GIVEN, "the local function seed given as start cannot be pickled"),
            (Handing.PART, "the local function seed that is part of the start cannot be pickled"),
            (Handing.KEPT, "the local function seed kept as `self.start` cannot be pickled"),
        ],
    )
    def test_how_each_came_there_is_said(self, handing: Handing, words: str) -> None:
        one = replace(self.LOCAL, role="start", handing=handing)
        assert the_finding("LL103", self.loader(one), WINDOWS).message.endswith(f"raises: {words}")
        in_cell = replace(one, kind="function")
        payload = Payload(in_notebook=(in_cell,), seen=True)
        message = the_finding("LL109", a_loader(payload=payload, num_workers=4), WINDOWS).message
        said = words.removeprefix("the local ").removesuffix(" cannot be pickled")
        assert f"raises: the {said} is defined in this notebook, which" in message

    def test_what_captures_is_hoisted_by_hand(self) -> None:
        fix = the_fix(the_finding("LL103", self.loader(self.CAPTURES), WINDOWS))
        assert not fix.safe
        assert "root, size" in fix.reason

    def test_what_a_decorator_makes_of_a_function_is_not_hoisted(self) -> None:
        decorated = Unpicklable(at(23), "function", "collate_fn", "keep", decorator="timed")
        finding = the_finding("LL103", self.loader(decorated), WINDOWS)
        assert finding.message.endswith("given as collate_fn is what `@timed` makes of it, which cannot be pickled")
        assert finding.fix is None
        assert "functools.wraps" in finding.unfixed

    def test_fork_is_quiet(self) -> None:
        assert check("LL103", self.loader(self.LAMBDA), LINUX) == []

    def test_no_workers_is_quiet(self) -> None:
        assert check("LL103", self.loader(self.LAMBDA, num_workers=0), WINDOWS) == []

    def test_work_that_pickles_is_quiet(self) -> None:
        assert check("LL103", self.loader(), WINDOWS) == []

    def test_a_lambda_that_is_only_used_without_workers_is_quiet(self) -> None:
        debugging = replace(self.LAMBDA, assumptions=assuming("debug", True))
        many = written(4, assumptions=assuming("debug", False))
        assert check("LL103", self.loader(debugging, num_workers=many), WINDOWS) == []


class TestUnavailableStartMethod:
    def test_fork_on_windows_is_found_with_torchs_words(self) -> None:
        entry = at(11)
        loader = a_loader(num_workers=4, multiprocessing_context=written("fork", 12, entry=entry))
        finding = the_finding("LL104", loader, WINDOWS)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(12))
        assert finding.message == "multiprocessing_context is 'fork', which Windows does not have: torch raises"
        assert finding.error == (
            "ValueError: multiprocessing_context option should specify a valid start method in ['spawn'], "
            "but got multiprocessing_context='fork'"
        )
        assert the_fix(finding).edits == (Drop(at(12), "multiprocessing_context", None, entry),)

    @pytest.mark.parametrize(
        ("target", "there"),
        [
            (LINUX, "['fork', 'spawn', 'forkserver']"),
            (MACOS, "['spawn', 'fork', 'forkserver']"),
            (WINDOWS, "['spawn']"),
        ],
    )
    def test_a_misspelt_method_is_found_everywhere(self, target: Target, there: str) -> None:
        finding = the_finding("LL104", a_loader(num_workers=4, multiprocessing_context="spwan"), target)
        assert "'spwan', which is no start method" in finding.message
        assert finding.error is not None
        assert there in finding.error

    @pytest.mark.parametrize("target", [LINUX, MACOS])
    @pytest.mark.parametrize("method", ["fork", "spawn", "forkserver", None])
    def test_a_method_that_is_there_is_quiet(self, target: Target, method: str | None) -> None:
        assert check("LL104", a_loader(num_workers=4, multiprocessing_context=method), target) == []

    def test_without_workers_it_is_not_this_rules_business(self) -> None:
        assert check("LL104", a_loader(num_workers=0, multiprocessing_context="fork"), WINDOWS) == []

    def test_an_unseen_worker_count_does_not_hide_it(self) -> None:
        loader = a_loader(num_workers=Value(open=True), multiprocessing_context="fork")
        assert check("LL104", loader, WINDOWS)

    def test_set_start_method_is_found_and_becomes_spawn(self) -> None:
        loader = a_loader(Program(guarded=True, start_methods=(written("forkserver", 30),)))
        finding = the_finding("LL104", loader, WINDOWS)
        assert finding.span == at(30)
        assert finding.error == "ValueError: cannot find context for 'forkserver'"
        assert the_fix(finding).edits == (SetValue(at(30), "spawn"),)
        assert check("LL104", loader, LINUX) == []

    def test_a_misspelt_set_start_method_is_not_guessed(self) -> None:
        loader = a_loader(Program(guarded=True, start_methods=(written("thread", 30),)))
        assert the_finding("LL104", loader, LINUX).fix is None

    def test_a_call_that_does_not_run_on_windows_is_quiet(self) -> None:
        elsewhere = written("fork", 30, assumptions=assuming_platform("linux", "macos"))
        assert check("LL104", a_loader(Program(guarded=True, start_methods=(elsewhere,))), WINDOWS) == []


CUDA_CALL = Touch(at(40), "image.cuda()")


class TestCudaInForkedWorker:
    PROGRAM = replace(SAFE_PROGRAM, cuda=(CUDA_CALL,))
    LOADER = a_loader(PROGRAM, Payload(cuda=(CUDA_CALL,), seen=True), num_workers=4)

    def test_it_is_likely_where_the_main_process_was_not_seen_to_use_cuda(self) -> None:
        loader = a_loader(payload=self.LOADER.payload, num_workers=4)
        assert the_finding("LL105", loader, LINUX).confidence is Confidence.LIKELY

    def test_cuda_in_a_forked_worker_is_found_where_it_is_touched(self) -> None:
        finding = the_finding("LL105", self.LOADER, LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(40))
        assert finding.message.startswith("`image.cuda()` runs in 4 workers started by fork")
        assert finding.error is not None
        assert finding.error.startswith("RuntimeError: Cannot re-initialize CUDA in forked subprocess.")
        assert the_fix(finding).edits == (AddOption(at(50), "multiprocessing_context", "spawn"),)
        assert the_fix(finding).safe

    def test_spawn_is_no_fix_where_a_decorator_makes_what_does_not_pickle(self) -> None:
        decorated = Unpicklable(at(23), "function", "collate_fn", "keep", decorator="timed")
        payload = replace(self.LOADER.payload, unpicklable=(decorated,))
        finding = the_finding("LL105", replace(self.LOADER, payload=payload), LINUX)
        assert finding.fix is None
        assert "not what `@timed` makes of the function given as collate_fn" in finding.unfixed

    def test_fork_that_was_asked_for_is_changed_where_it_was_asked_for(self) -> None:
        loader = a_loader(payload=self.LOADER.payload, num_workers=4, multiprocessing_context="fork")
        assert the_fix(the_finding("LL105", loader, LINUX)).edits == (SetValue(at(11), "spawn"),)

    @pytest.mark.parametrize("target", [WINDOWS, MACOS, LINUX_3_14])
    def test_workers_that_are_not_forked_are_quiet(self, target: Target) -> None:
        assert check("LL105", self.LOADER, target) == []

    @pytest.mark.parametrize("accelerator", [Accelerator.CPU, Accelerator.MPS])
    def test_a_target_without_cuda_is_quiet(self, accelerator: Accelerator) -> None:
        assert check("LL105", self.LOADER, replace(LINUX, accelerator=accelerator)) == []

    def test_rocm_counts_as_cuda(self) -> None:
        assert check("LL105", self.LOADER, replace(LINUX, accelerator=Accelerator.ROCM))

    def test_cuda_in_the_main_process_alone_is_not_this_rules_business(self) -> None:
        assert check("LL105", a_loader(Program(guarded=True, cuda=(CUDA_CALL,)), num_workers=4), LINUX) == []

    def test_no_workers_is_quiet(self) -> None:
        assert check("LL105", a_loader(payload=self.LOADER.payload, num_workers=0), LINUX) == []

    def test_the_fix_is_unsafe_where_the_entry_point_was_not_seen(self) -> None:
        loader = a_loader(Program(guarded=None), self.LOADER.payload, num_workers=4)
        assert not the_fix(the_finding("LL105", loader, LINUX)).safe

    def test_the_guard_and_the_hoist_are_part_of_the_fix(self) -> None:
        payload = replace(self.LOADER.payload, unpicklable=(Unpicklable(at(20), "lambda", "collate_fn"),))
        loader = replace(a_loader(Program(guarded=False), payload, num_workers=4), unguarded=(ITERATES,))
        edits = the_fix(the_finding("LL105", loader, LINUX)).edits
        assert edits[1:] == (Hoist(at(20)), GuardEntryPoint(at(60)))


class TestForkAfterCuda:
    PROGRAM = Program(guarded=True, cuda=(Touch(at(5), "model.cuda()"), Touch(at(6), "torch.cuda.synchronize()")))

    def test_fork_that_is_asked_for_is_likely_and_found_there(self) -> None:
        finding = the_finding("LL106", a_loader(self.PROGRAM, num_workers=4, multiprocessing_context="fork"), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.LIKELY, at(11))
        assert finding.message.startswith("forking 4 workers from a process that touches CUDA (train.py:5) can hang")
        assert the_fix(finding).edits == (SetValue(at(11), "spawn"),)

    def test_fork_by_default_is_only_possible_and_found_at_the_first_touch(self) -> None:
        finding = the_finding("LL106", a_loader(self.PROGRAM, num_workers=4), LINUX)
        assert (finding.confidence, finding.span) == (Confidence.POSSIBLE, at(5))
        assert the_fix(finding).edits == (AddOption(at(50), "multiprocessing_context", "spawn"),)

    def test_fork_for_the_whole_program_is_found_where_it_is_set(self) -> None:
        program = replace(self.PROGRAM, start_methods=(written("fork", 30),))
        finding = the_finding("LL106", a_loader(program, num_workers=4), LINUX)
        assert (finding.confidence, finding.span) == (Confidence.LIKELY, at(30))

    @pytest.mark.parametrize("method", ["spawn", "forkserver"])
    def test_other_start_methods_are_quiet(self, method: str) -> None:
        assert check("LL106", a_loader(self.PROGRAM, num_workers=4, multiprocessing_context=method), LINUX) == []

    @pytest.mark.parametrize("target", [WINDOWS, MACOS, LINUX_3_14])
    def test_other_defaults_are_quiet(self, target: Target) -> None:
        assert check("LL106", a_loader(self.PROGRAM, num_workers=4), target) == []

    def test_a_target_without_cuda_is_quiet(self) -> None:
        loader = a_loader(self.PROGRAM, num_workers=4, multiprocessing_context="fork")
        assert check("LL106", loader, replace(LINUX, accelerator=Accelerator.CPU)) == []

    def test_a_program_without_cuda_and_a_loader_without_workers_are_quiet(self) -> None:
        assert check("LL106", a_loader(num_workers=4, multiprocessing_context="fork"), LINUX) == []
        assert check("LL106", a_loader(self.PROGRAM, num_workers=0), LINUX) == []

    def test_a_touch_behind_is_available_is_quiet_without_cuda(self) -> None:
        behind = Touch(at(5), "model.cuda()", assumptions=assuming(CUDA, True))
        loader = a_loader(Program(guarded=True, cuda=(behind,)), num_workers=4, multiprocessing_context="fork")
        assert check("LL106", loader, LINUX)
        assert check("LL106", loader, replace(LINUX, accelerator=Accelerator.MPS)) == []


class TestForkWithCompile:
    PROGRAM = Program(guarded=True, compiled=(Touch(at(7), "torch.compile(model)"),))

    def test_fork_that_is_asked_for_is_likely(self) -> None:
        finding = the_finding("LL107", a_loader(self.PROGRAM, num_workers=6, multiprocessing_context="fork"), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.LIKELY, at(11))
        assert the_fix(finding).edits == (SetValue(at(11), "spawn"),)

    def test_the_message_says_that_no_run_here_hung(self) -> None:
        message = the_finding("LL107", a_loader(self.PROGRAM, num_workers=6), LINUX).message
        assert "can hang" in message
        assert "on CPU with torch 2.13 none of our runs hung" in message

    @pytest.mark.parametrize(
        ("torch", "confidence"),
        [(None, Confidence.POSSIBLE), ((2, 4), Confidence.POSSIBLE), ((2, 3), Confidence.LIKELY)],
    )
    def test_fork_by_default_is_likely_only_before_torch_2_4(
        self, torch: tuple[int, int] | None, confidence: Confidence
    ) -> None:
        finding = the_finding("LL107", a_loader(self.PROGRAM, num_workers=6), replace(LINUX, torch=torch))
        assert (finding.confidence, finding.span) == (confidence, at(7))

    def test_spawn_no_workers_and_nothing_compiled_are_quiet(self) -> None:
        assert check("LL107", a_loader(self.PROGRAM, num_workers=6, multiprocessing_context="spawn"), LINUX) == []
        assert check("LL107", a_loader(self.PROGRAM, num_workers=0), LINUX) == []
        assert check("LL107", a_loader(num_workers=6, multiprocessing_context="fork"), LINUX) == []
        assert check("LL107", a_loader(self.PROGRAM, num_workers=6), WINDOWS) == []


class TestMixedStartMethods:
    SPAWNED = replace(a_loader(num_workers=4, multiprocessing_context=written("spawn", 80)), span=at(81))

    def beside(self, *others: Loader, **options: Any) -> Loader:
        loader = a_loader(**options)
        return replace(loader, program=replace(SAFE_PROGRAM, loaders=(*others, loader)))

    def test_a_loader_left_at_fork_beside_a_spawned_one_is_found(self) -> None:
        finding = the_finding("LL111", self.beside(self.SPAWNED, num_workers=2), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.LIKELY, at(50))
        assert finding.message.startswith("these workers can hang or raise: they start by fork")
        assert the_fix(finding).edits == (AddOption(at(50), "multiprocessing_context", "spawn"),)

    def test_the_loader_that_asks_is_quiet_itself(self) -> None:
        spawned = self.beside(a_loader(num_workers=2), num_workers=4, multiprocessing_context="spawn")
        assert check("LL111", spawned, LINUX) == []

    def test_where_spawn_is_the_default_nothing_is_mixed(self) -> None:
        assert check("LL111", self.beside(self.SPAWNED, num_workers=2), WINDOWS) == []
        assert check("LL111", self.beside(self.SPAWNED, num_workers=2), MACOS) == []

    def test_loaders_without_workers_are_quiet(self) -> None:
        assert check("LL111", self.beside(self.SPAWNED, num_workers=0), LINUX) == []
        idle = a_loader(num_workers=0, multiprocessing_context="spawn")
        assert check("LL111", self.beside(idle, num_workers=2), LINUX) == []

    def test_loaders_that_agree_and_loaders_alone_are_quiet(self) -> None:
        assert check("LL111", self.beside(a_loader(num_workers=4), num_workers=2), LINUX) == []
        assert check("LL111", self.beside(num_workers=2), LINUX) == []

    def test_a_loader_that_starts_one_way_or_the_other_is_not_mixed_with_itself(self) -> None:
        ways = (written(None, 80), written("forkserver", 81))
        assert check("LL111", self.beside(num_workers=2, multiprocessing_context=Value(ways)), LINUX) == []

    def test_loaders_that_start_alike_on_each_side_of_a_condition_are_quiet(self) -> None:
        spawned = written("spawn", 80, assumptions=frozenset({Assumption("train.py:79", True)}))
        left_out = written(None, 82, assumptions=frozenset({Assumption("train.py:79", False)}))
        both = Value((spawned, left_out))
        other = replace(a_loader(num_workers=4, multiprocessing_context=both), span=at(81))
        assert check("LL111", self.beside(other, num_workers=2, multiprocessing_context=both), LINUX) == []

    def test_a_loader_that_is_not_forked_itself_is_quiet(self) -> None:
        forked = a_loader(num_workers=4, multiprocessing_context="fork")
        assert check("LL111", self.beside(forked, num_workers=2), MACOS) == []
        forkserver = a_loader(num_workers=4, multiprocessing_context="forkserver")
        assert check("LL111", self.beside(forkserver, num_workers=2, multiprocessing_context="spawn"), LINUX) == []

    def test_a_loader_that_asks_for_fork_beside_spawn_is_found_where_it_asks(self) -> None:
        fork = written("fork", 11)
        finding = the_finding("LL111", self.beside(self.SPAWNED, num_workers=2, multiprocessing_context=fork), LINUX)
        assert finding.span == at(11)
        assert SetValue(at(11), "spawn") in the_fix(finding).edits


@pytest.mark.parametrize(
    ("asked", "confidence"),
    [
        (Question("count_workers(args) > 0", "data.py:build", "", frozenset({"count_workers"})), Confidence.POSSIBLE),
        (Question("enough(args.n_cpu)", "data.py:build", "", frozenset({"enough", "n_cpu"})), Confidence.POSSIBLE),
        (Question("args.keep", "workers/data.py:build", "workers/train.py", frozenset({"keep"})), Confidence.CERTAIN),
        ("the branch at workers/data.py:4:1 is taken", Confidence.CERTAIN),
    ],
    ids=lambda one: one.test if isinstance(one, Question) else None,
)
def test_an_option_given_where_workers_were_asked_for_is_only_possible_beside_none(
    asked: str, confidence: Confidence
) -> None:
    given = written(True, assumptions=frozenset({Assumption(asked, True)}))
    none = written(0, known_as=lambda: frozenset({"n_cpu"}))
    loader = a_loader(num_workers=none, persistent_workers=given)
    assert the_finding("LL202", loader, LINUX).confidence is confidence


def test_values_given_where_workers_were_asked_for_are_only_possibly_refused() -> None:
    asked = Question("num_workers > 0", "data.py:Data", "", frozenset({"num_workers"}))
    none = written(0, assumptions=frozenset({Assumption(asked, False)}))
    assert the_finding("LL206", a_loader(num_workers=2, prefetch_factor=none), LINUX).confidence is Confidence.POSSIBLE
    forkserver = written("forkserver", assumptions=frozenset({Assumption(asked, True)}))
    loader = a_loader(num_workers=2, multiprocessing_context=forkserver)
    assert the_finding("LL104", loader, WINDOWS).confidence is Confidence.POSSIBLE


NEEDING_WORKERS = [
    ("LL201", "prefetch_factor", 4, "when the loader is made"),
    ("LL202", "persistent_workers", True, "when the loader is made"),
    ("LL203", "multiprocessing_context", "spawn", "when the loader is made"),
    ("LL204", "timeout", 60, "at the first batch"),
]


@pytest.mark.parametrize(("rule", "option", "constant", "when"), NEEDING_WORKERS, ids=lambda one: str(one))
class TestOptionsThatNeedWorkers:
    def test_a_written_zero_is_where_the_trail_ends(self, rule: str, option: str, constant: Any, when: str) -> None:
        finding = the_finding(rule, a_loader(**{option: constant}, num_workers=0), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(10))
        assert finding.message == f"{option} is {constant!r} but num_workers is 0 (train.py:11): torch raises {when}"
        assert [(step.span, step.note) for step in finding.trail] == [(at(11), "num_workers is 0")]
        assert finding.error
        assert the_fix(finding).safe

    def test_an_absent_count_is_zero_and_said_to_be_absent(
        self, rule: str, option: str, constant: Any, when: str
    ) -> None:
        finding = the_finding(rule, a_loader(**{option: constant}), LINUX)
        assert "but num_workers is not given, so 0: torch raises" in finding.message
        assert finding.trail[-1].span == at(50)

    def test_an_absent_count_may_arrive_unseen(self, rule: str, option: str, constant: Any, when: str) -> None:
        alone = a_loader(**{option: constant})
        assert the_finding(rule, replace(alone, consumer_seen=False), LINUX).confidence is Confidence.POSSIBLE
        absent = Value((Candidate(0, at(50), written=False),), open=True)
        splat = a_loader(**{option: constant}, num_workers=absent)
        assert the_finding(rule, splat, LINUX).confidence is Confidence.POSSIBLE

    def test_a_count_that_can_be_zero_is_enough(self, rule: str, option: str, constant: Any, when: str) -> None:
        either = Value((written(8, 11), written(0, 12)), argument=at(51))
        finding = the_finding(rule, a_loader(**{option: constant}, num_workers=either), LINUX)
        (edit,) = the_fix(finding).edits
        assert isinstance(edit, OnlyWithWorkers)
        assert (edit.option, edit.workers) == (option, at(51))

    def test_a_setting_that_cannot_be_conditional_is_dropped_unsafely(
        self, rule: str, option: str, constant: Any, when: str
    ) -> None:
        setting: Any = Value((Candidate(constant, at(3, "train.yaml"), entry=at(3, "train.yaml")),))
        either = Value((Candidate(8, at(2, "train.yaml")), Candidate(0, at(2, "debug.yaml"))))
        fix = the_fix(the_finding(rule, a_loader(**{option: setting}, num_workers=either), LINUX))
        assert not fix.safe
        assert isinstance(fix.edits[0], Drop)

    def test_workers_are_quiet(self, rule: str, option: str, constant: Any, when: str) -> None:
        assert check(rule, a_loader(**{option: constant}, num_workers=1), LINUX) == []

    def test_an_unseen_count_is_quiet(self, rule: str, option: str, constant: Any, when: str) -> None:
        assert check(rule, a_loader(**{option: constant}, num_workers=Value(open=True)), LINUX) == []

    def test_the_option_left_out_or_off_is_quiet(self, rule: str, option: str, constant: Any, when: str) -> None:
        off: Any = {"persistent_workers": False, "timeout": 0}.get(option)
        assert check(rule, a_loader(num_workers=0), LINUX) == []
        assert check(rule, a_loader(**{option: off}, num_workers=0), LINUX) == []

    def test_a_condition_on_the_workers_is_quiet(self, rule: str, option: str, constant: Any, when: str) -> None:
        many, none = assuming("workers > 0", True), assuming("workers > 0", False)
        counts = Value((written(8, 11, assumptions=many), written(0, 12, assumptions=none)))
        given: Any = Value((written(constant, 13, assumptions=many), written(None, 14, assumptions=none)))
        assert check(rule, a_loader(**{option: given}, num_workers=counts), LINUX) == []

    def test_a_cpu_count_counts_as_workers_until_it_is_known_to_make_none(
        self, rule: str, option: str, constant: Any, when: str
    ) -> None:
        half = cpus("os.cpu_count() // 2", lambda count: count // 2)
        loader = a_loader(**{option: constant}, num_workers=half)
        assert check(rule, loader, LINUX) == []
        assert check(rule, loader, replace(LINUX, cpus=1))

    def test_the_frameworks_own_names_are_used(self, rule: str, option: str, constant: Any, when: str) -> None:
        spelling: Mapping[str, str] = {option: f"dataloader_{option}", "num_workers": "dataloader_num_workers"}
        loader = replace(a_loader(**{option: constant}), spelling=spelling)
        finding = the_finding(rule, loader, LINUX)
        assert finding.message.startswith(f"dataloader_{option} is {constant!r} but dataloader_num_workers is not")
        assert finding.error is None


def test_before_torch_2_0_a_prefetch_factor_of_2_is_as_good_as_none() -> None:
    old = replace(LINUX, torch=(1, 13))
    assert check("LL201", a_loader(num_workers=0, prefetch_factor=2), old) == []
    assert the_finding("LL201", a_loader(num_workers=0, prefetch_factor=4), old).error is None


@pytest.mark.parametrize("counts", [(0,), (0, 4)])
def test_a_shared_option_is_dropped_at_a_call_that_never_has_workers(counts: tuple[int, ...]) -> None:
    shared = Value((written(True, 11, shared=True),), argument=at(50))
    loader = a_loader(num_workers=Value(tuple(written(one) for one in counts)), persistent_workers=shared)
    fix = the_fix(the_finding("LL202", loader, LINUX))
    assert (fix.safe, fix.edits[0].span) == ((True, at(50)) if counts == (0,) else (False, at(11)))


def test_before_torch_2_10_the_error_about_a_timeout_has_no_words() -> None:
    loader = a_loader(num_workers=0, timeout=5)
    assert the_finding("LL204", loader, replace(LINUX, torch=(2, 9))).error == "AssertionError"


@pytest.mark.parametrize("refused_anyway", [-1, "60"])
def test_a_timeout_that_torch_refuses_with_workers_too_is_left_to_the_rule_about_values(refused_anyway: Any) -> None:
    assert check("LL204", a_loader(num_workers=0, timeout=refused_anyway), LINUX) == []
    assert check("LL206", a_loader(num_workers=0, timeout=refused_anyway), LINUX)


class TestInvalidWorkerCount:
    @pytest.mark.parametrize(
        ("constant", "start", "error"),
        [
            ("4", "num_workers is '4', not a number", "between instances of 'str' and 'int'"),
            (None, "num_workers is None, not a number", "between instances of 'NoneType' and 'int'"),
            (-1, "num_workers is -1, below 0", "num_workers option should be non-negative"),
            (4.0, "num_workers is 4.0, a float", "'float' object cannot be interpreted"),
            (2.5, "num_workers is 2.5, a float", "'float' object cannot be interpreted"),
            (
                cpus("os.cpu_count() / 2", lambda count: count / 2),
                "num_workers is os.cpu_count() / 2, a float",
                "float",
            ),
            (CommandLineText("--workers"), "num_workers is the text given to --workers, not", "'str' and 'int'"),
        ],
    )
    def test_what_is_no_count_is_found(self, constant: Any, start: str, error: str) -> None:
        finding = the_finding("LL205", a_loader(num_workers=constant), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(10))
        assert finding.message.startswith(start)
        assert finding.error is not None
        assert error in finding.error

    def test_a_user_may_give_a_float_of_0(self) -> None:
        finding = the_finding("LL205", a_loader(num_workers=CommandLineText("--workers", True)), LINUX)
        assert finding.confidence is Confidence.LIKELY
        assert finding.message.startswith("num_workers is the number given to --workers, a float")

    @pytest.mark.parametrize(
        ("constant", "handled", "expected"),
        [
            (-1, {"ValueError"}, Confidence.POSSIBLE),
            (-1, {"TypeError"}, Confidence.CERTAIN),
            ("4", {"TypeError"}, Confidence.POSSIBLE),
            (2.5, {"TypeError", "ValueError"}, Confidence.CERTAIN),
        ],
    )
    def test_what_the_code_around_the_loader_takes_is_not_certain(
        self, constant: Any, handled: set[str], expected: Confidence
    ) -> None:
        loader = replace(a_loader(num_workers=constant), handled=frozenset(handled))
        assert the_finding("LL205", loader, LINUX).confidence is expected

    @pytest.mark.parametrize(
        "constant", [0, 4, True, False, 0.0, cpus("os.cpu_count()", lambda n: n), cpus("n - 12", lambda n: n - 12)]
    )
    def test_what_torch_takes_is_quiet(self, constant: Any) -> None:
        assert check("LL205", a_loader(num_workers=constant), LINUX) == []

    def test_absent_and_unseen_counts_are_quiet(self) -> None:
        assert check("LL205", a_loader(), LINUX) == []
        assert check("LL205", a_loader(num_workers=Value(open=True)), LINUX) == []

    def test_a_known_cpu_count_shows_what_falls_below_zero(self) -> None:
        few = cpus("os.cpu_count() - 12", lambda count: count - 12)
        assert check("LL205", a_loader(num_workers=few), replace(LINUX, cpus=4))
        assert check("LL205", a_loader(num_workers=few), replace(LINUX, cpus=16)) == []

    @pytest.mark.parametrize(
        "constant", ["4", " 8 ", 4.0, cpus("os.cpu_count() / 2", lambda n: n / 2), CommandLineText("--workers")]
    )
    def test_a_plain_number_is_made_an_integer(self, constant: Any) -> None:
        assert the_fix(the_finding("LL205", a_loader(num_workers=constant), LINUX)).edits == (MakeInteger(at(10)),)

    @pytest.mark.parametrize("constant", [-1, None, "auto", "", "-2", 0.5])
    def test_what_was_meant_is_not_guessed(self, constant: Any) -> None:
        assert the_finding("LL205", a_loader(num_workers=constant), LINUX).fix is None

    def test_a_default_inside_a_refused_expression_is_found_with_it(self) -> None:
        whole, inner = Span("train.py", 10, 20, 10, 50), Span("train.py", 10, 45, 10, 48)
        text = Value((Candidate("4", inner), Candidate(CommandLineText("$WORKERS"), whole)))
        assert the_finding("LL205", a_loader(num_workers=text), LINUX).span == whole

    def test_a_shared_value_is_changed_unsafely(self) -> None:
        assert not the_fix(the_finding("LL205", a_loader(num_workers=written("4", shared=True)), LINUX)).safe

    def test_a_default_in_place_of_which_a_word_is_asked_for_is_mended_unsafely(self) -> None:
        default = written("4", assumptions=assuming("--workers", "default"))
        given = assuming("--workers", "given")
        for way, safe in ((given, True), (given | assuming("workers == 'auto'", False), False)):
            loader = a_loader(num_workers=Value((default,), open=True, unseen=(way,)))
            assert the_fix(the_finding("LL205", loader, LINUX)).safe is safe


class TestInvalidOptionValue:
    def test_which_float_a_user_gives_is_not_made_up(self) -> None:
        finding = the_finding("LL206", a_loader(batch_size=CommandLineText("--batch-size", True)), LINUX)
        assert finding.confidence is Confidence.LIKELY
        assert finding.error is not None and finding.error.endswith("but got batch_size=…")

    @pytest.mark.parametrize(
        ("option", "constant", "error"),
        [
            ("prefetch_factor", 0, "AssertionError: prefetch_factor must be greater than 0"),
            ("prefetch_factor", -1, "ValueError: prefetch_factor option should be non-negative"),
            ("prefetch_factor", 2.5, "TypeError: 'float' object cannot be interpreted as an integer"),
            ("prefetch_factor", "2", "TypeError: '<' not supported between instances of 'str' and 'int'"),
            ("timeout", -1, "ValueError: timeout option should be non-negative"),
            ("timeout", None, "TypeError: '<' not supported between instances of 'NoneType' and 'int'"),
            ("timeout", "60", "TypeError: '<' not supported between instances of 'str' and 'int'"),
            ("batch_size", 0, "ValueError: batch_size should be a positive integer value, but got batch_size=0"),
            ("batch_size", -4, "but got batch_size=-4"),
            ("batch_size", 2.0, "but got batch_size=2.0"),
            ("batch_size", "32", "but got batch_size=32"),
            ("batch_size", True, "but got batch_size=True"),
            ("batch_size", CommandLineText("--batch"), "ValueError: batch_size should be a positive integer"),
            ("drop_last", "no", "ValueError: drop_last should be a boolean value, but got drop_last=no"),
        ],
    )
    def test_what_torch_refuses_is_found_with_its_words(self, option: str, constant: Any, error: str) -> None:
        finding = the_finding("LL206", a_loader(num_workers=4, **{option: constant}), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(11))
        assert finding.message.startswith(f"{option} is ")
        assert "torch raises" in finding.message
        assert finding.error is not None
        assert error in finding.error

    @pytest.mark.parametrize(
        ("error", "expected"), [("ValueError", Confidence.POSSIBLE), ("TypeError", Confidence.CERTAIN)]
    )
    def test_what_the_code_around_the_loader_takes_is_not_certain(self, error: str, expected: Confidence) -> None:
        loader = replace(a_loader(num_workers=4, timeout=-1), handled=frozenset({error}))
        assert the_finding("LL206", loader, LINUX).confidence is expected

    @pytest.mark.parametrize("text", ["False", "no", "0"])
    def test_text_that_shuffles_against_its_words_is_found(self, text: str) -> None:
        finding = the_finding("LL206", a_loader(shuffle=text), LINUX)
        assert finding.message == f"shuffle is {text!r}, and any text is true: the samples are shuffled"
        assert finding.error is None

    @pytest.mark.parametrize(
        ("option", "constant"),
        [
            ("prefetch_factor", 1),
            ("prefetch_factor", None),
            ("timeout", 0),
            ("timeout", 0.5),
            ("batch_size", 1),
            ("batch_size", None),
            ("drop_last", True),
            ("shuffle", None),
            ("shuffle", "true"),
        ],
    )
    def test_what_torch_takes_is_quiet(self, option: str, constant: Any) -> None:
        assert check("LL206", a_loader(num_workers=4, **{option: constant}), LINUX) == []

    def test_a_factor_without_workers_is_not_this_rules_business(self) -> None:
        assert check("LL206", a_loader(num_workers=0, prefetch_factor=0), LINUX) == []
        assert check("LL206", a_loader(prefetch_factor=-1), LINUX) == []

    def test_a_factor_that_is_the_worker_count_itself_never_meets_workers_as_0(self) -> None:
        count = Value((written(0),), open=True)
        loader = a_loader(num_workers=count, prefetch_factor=count)
        assert check("LL206", loader, LINUX) == []
        assert "is the worker count itself" in the_finding("LL201", loader, LINUX).unfixed

    def test_an_unseen_worker_count_does_not_hide_a_wrong_factor(self) -> None:
        assert check("LL206", a_loader(num_workers=Value(open=True), prefetch_factor=0), LINUX)

    def test_a_factor_that_only_arrives_without_workers_is_quiet(self) -> None:
        many, none = assuming("workers > 0", True), assuming("workers > 0", False)
        counts = Value((written(8, 11, assumptions=many), written(0, 12, assumptions=none)))
        factor = written(0, 13, assumptions=none)
        assert check("LL206", a_loader(num_workers=counts, prefetch_factor=factor), LINUX) == []

    def test_only_the_factor_has_a_fix(self) -> None:
        factor = the_finding("LL206", a_loader(num_workers=4, prefetch_factor=0), LINUX)
        assert the_fix(factor).edits == (Drop(at(11), "prefetch_factor", None),)
        assert the_finding("LL206", a_loader(batch_size=0), LINUX).fix is None

    def test_before_torch_2_10_the_assertion_has_no_words(self) -> None:
        loader = a_loader(num_workers=4, prefetch_factor=0)
        assert the_finding("LL206", loader, replace(LINUX, torch=(2, 9))).error == "AssertionError"


class TestHighPrefetch:
    def test_a_factor_above_the_limit_becomes_the_limit(self) -> None:
        finding = the_finding("LL301", a_loader(num_workers=1, prefetch_factor=16), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.CERTAIN, at(11))
        assert "batches in memory: prefetch_factor is above max-prefetch-factor (4)" in finding.message
        assert the_fix(finding).edits == (SetValue(at(11), 4),)

    def test_workers_times_the_factor_is_limited_too(self) -> None:
        finding = the_finding("LL301", a_loader(num_workers=12, prefetch_factor=4), LINUX)
        assert finding.message == (
            "48 batches are held in memory, above max-batches-in-flight (32): prefetch_factor is 4 with 12 workers"
        )
        assert the_fix(finding).edits == (SetValue(at(11), 2),)

    def test_the_factor_never_becomes_less_than_1(self) -> None:
        loader = a_loader(num_workers=64, prefetch_factor=2)
        assert the_fix(the_finding("LL301", loader, LINUX)).edits == (SetValue(at(11), 1),)

    def test_a_factor_of_1_cannot_be_lowered(self) -> None:
        finding = the_finding("LL301", a_loader(num_workers=64, prefetch_factor=1), LINUX)
        assert finding.fix is None
        assert finding.help is not None

    def test_the_most_workers_of_any_run_count(self) -> None:
        counts = Value((written(2, 11), written(16, 12)))
        finding = the_finding("LL301", a_loader(num_workers=counts, prefetch_factor=4), LINUX)
        assert finding.message.startswith("64 batches are held in memory")
        assert finding.message.endswith("with up to 16 workers")

    def test_a_cpu_count_counts_when_it_is_known(self) -> None:
        loader = a_loader(num_workers=cpus("os.cpu_count()", lambda count: count), prefetch_factor=4)
        assert check("LL301", loader, LINUX) == []
        assert check("LL301", loader, replace(LINUX, cpus=32))

    def test_an_unseen_worker_count_leaves_the_factors_own_limit(self) -> None:
        assert check("LL301", a_loader(num_workers=Value(open=True), prefetch_factor=16), LINUX)
        assert check("LL301", a_loader(num_workers=Value(open=True), prefetch_factor=4), LINUX) == []

    def test_a_factor_beside_a_written_zero_needs_a_count_that_was_not_seen(self) -> None:
        none = Value((written(0),), open=True)
        finding = the_finding("LL301", a_loader(num_workers=none, prefetch_factor=16), LINUX)
        assert finding.confidence is Confidence.POSSIBLE
        asked = replace(none, by_user=True)
        finding = the_finding("LL301", a_loader(num_workers=asked, prefetch_factor=16), LINUX)
        assert finding.confidence is Confidence.CERTAIN

    @pytest.mark.parametrize(
        "loader",
        [
            a_loader(num_workers=8, prefetch_factor=4),
            a_loader(num_workers=64),
            a_loader(num_workers=64, prefetch_factor=None),
            a_loader(num_workers=0, prefetch_factor=16),
            a_loader(prefetch_factor=16),
        ],
        ids=["within both", "torch's default", "None", "no workers", "absent workers"],
    )
    def test_what_is_within_the_limits_or_not_given_is_quiet(self, loader: Loader) -> None:
        assert check("LL301", loader, LINUX) == []

    def test_the_limits_are_the_projects_own(self) -> None:
        loader = a_loader(num_workers=4, prefetch_factor=16)
        assert check("LL301", loader, LINUX, max_prefetch_factor=16, max_batches_in_flight=64) == []

    def test_a_shared_factor_is_changed_unsafely(self) -> None:
        factor = written(16, 11, shared=True)
        assert not the_fix(the_finding("LL301", a_loader(num_workers=1, prefetch_factor=factor), LINUX)).safe


def test_unused_ignore_says_nothing_about_a_loader() -> None:
    assert check("LL901", a_loader(num_workers=4), WINDOWS) == []
