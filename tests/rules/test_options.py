"""The rules about single options, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.edit import AddOption, Drop, SetValue
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.loader import Program
from loaderlint.model.payload import Payload
from loaderlint.model.target import Target
from loaderlint.model.value import Value
from loaderlint.rulebook import find
from tests.test_rules import (
    LINUX,
    LINUX_3_14,
    MACOS,
    SAFE_PROGRAM,
    WINDOWS,
    a_loader,
    assuming,
    at,
    check,
    cpus,
    the_finding,
    the_fix,
    written,
)


def with_torch(major: int, minor: int) -> Target:
    return replace(LINUX, torch=(major, minor))


class TestOptionUnknownToTorch:
    @pytest.mark.parametrize(
        ("option", "value", "torch", "severity"),
        [
            ("in_order", True, (2, 5), Severity.ERROR),
            ("in_order", False, (1, 13), Severity.ERROR),
            ("prefetch_factor", None, (1, 13), Severity.ERROR),
            ("pin_memory_device", "cuda", (2, 9), Severity.INFO),
        ],
    )
    def test_what_a_version_has_no_use_for_is_dropped(
        self, option: str, value: object, torch: tuple[int, int], severity: Severity
    ) -> None:
        given = written(value, entry=at(3))
        options: dict[str, Any] = {option: given}
        finding = the_finding("LL211", a_loader(num_workers=2, **options), with_torch(*torch))
        assert (finding.severity, finding.confidence) == (severity, Confidence.CERTAIN)
        (edit,) = the_fix(finding).edits
        assert isinstance(edit, Drop) and (edit.option, edit.entry) == (option, at(3))

    @pytest.mark.parametrize(
        ("option", "value", "torch"),
        [
            ("in_order", False, (2, 6)),
            ("prefetch_factor", None, (2, 0)),
            ("prefetch_factor", 2, (1, 13)),
            ("pin_memory_device", "cuda", (2, 8)),
            ("pin_memory_device", "", (2, 13)),
        ],
    )
    def test_what_it_has_is_quiet(self, option: str, value: object, torch: tuple[int, int]) -> None:
        options: dict[str, Any] = {option: value}
        assert check("LL211", a_loader(num_workers=2, **options), with_torch(*torch)) == []

    def test_an_unknown_version_is_quiet(self) -> None:
        loader = a_loader(in_order=True, prefetch_factor=None, pin_memory_device="cuda")
        assert check("LL211", loader, LINUX) == []

    def test_what_cannot_be_taken_away_has_no_fix(self) -> None:
        finding = the_finding("LL211", a_loader(in_order=True), with_torch(2, 5))
        assert (finding.fix, finding.help) == (None, "leave in_order out")

    def test_what_is_given_under_a_condition_may_be_given_where_torch_has_it(self) -> None:
        given = written(False, assumptions=assuming("'in_order' in parameters", True))
        assert the_finding("LL211", a_loader(in_order=given), with_torch(2, 5)).confidence is Confidence.POSSIBLE

    def test_an_option_of_a_framework_is_its_own(self) -> None:
        loader = replace(a_loader(in_order=True), spelling={"num_workers": "dataloader_num_workers"})
        assert check("LL211", loader, with_torch(2, 5)) == []


class TestPrefetchWithoutWorkers:
    def test_the_fix_names_the_option_as_the_call_does(self) -> None:
        spelling = {"prefetch_factor": "dataloader_prefetch_factor", "num_workers": "dataloader_num_workers"}
        loader = replace(a_loader(num_workers=0, prefetch_factor=4), spelling=spelling)
        assert the_fix(the_finding("LL201", loader, LINUX)).title == "drop dataloader_prefetch_factor"


class TestNoDeadline:
    @pytest.mark.parametrize(
        ("workers", "stuck"), [(1, "the only worker is stuck"), (4, "one of the 4 workers is stuck")]
    )
    def test_one_worker_alone_is_not_one_of_several(self, workers: int, stuck: str) -> None:
        assert stuck in the_finding("LL502", a_loader(num_workers=workers), LINUX).message

    def test_workers_without_a_deadline_get_one(self) -> None:
        finding = the_finding("LL502", a_loader(num_workers=4), LINUX)
        assert (finding.severity, finding.span) == (Severity.INFO, at(10))
        assert the_fix(finding).edits == (AddOption(at(50), "timeout", 300),)

    def test_it_is_off_by_default(self) -> None:
        assert not find("LL502").enabled_by_default

    def test_workers_that_come_and_go_get_one_when_they_are_there(self) -> None:
        some = Value((written(0), written(4)), argument=at(12))
        assert the_fix(the_finding("LL502", a_loader(num_workers=some), LINUX)).edits == (
            AddOption(at(50), "timeout", 300, at(12)),
        )
        nameless = Value((written(0), written(4)))
        assert the_finding("LL502", a_loader(num_workers=nameless), LINUX).fix is None

    @pytest.mark.parametrize(
        "options",
        [{}, {"num_workers": 0}, {"num_workers": 4, "timeout": 9}, {"num_workers": 4, "timeout": 0}],
    )
    def test_no_workers_and_a_deadline_of_ones_own_are_quiet(self, options: dict[str, Any]) -> None:
        assert check("LL502", a_loader(**options), LINUX) == []


class TestTimeoutBelowStartup:
    @pytest.mark.parametrize("target", [MACOS, WINDOWS, LINUX_3_14])
    def test_a_timeout_that_starting_a_worker_can_take_is_raised(self, target: Target) -> None:
        finding = the_finding("LL503", a_loader(timeout=5, num_workers=2), target)
        assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.LIKELY)
        assert the_fix(finding).edits == (SetValue(at(10), 60),)

    @pytest.mark.parametrize(
        ("options", "target"),
        [
            ({"timeout": 5, "num_workers": 2}, LINUX),
            ({"timeout": 10, "num_workers": 2}, MACOS),
            ({"timeout": 0, "num_workers": 2}, MACOS),
            ({"timeout": -1, "num_workers": 2}, MACOS),
            ({"timeout": "5", "num_workers": 2}, MACOS),
            ({"timeout": 5}, MACOS),
            ({"timeout": 5, "num_workers": 2, "multiprocessing_context": "fork"}, LINUX_3_14),
        ],
    )
    def test_others_are_quiet(self, options: dict[str, Any], target: Target) -> None:
        assert check("LL503", a_loader(**options), target) == []

    def test_a_timeout_of_other_runs_is_quiet(self) -> None:
        short = written(5, assumptions=assuming("debug", True))
        workers = Value(
            (written(0, assumptions=assuming("debug", True)), written(4, assumptions=assuming("debug", False)))
        )
        assert check("LL503", a_loader(timeout=short, num_workers=workers), MACOS) == []

    def test_a_number_that_serves_others_is_mended_unsafely(self) -> None:
        loader = a_loader(timeout=written(5, shared=True), num_workers=2)
        assert not the_fix(the_finding("LL503", loader, MACOS)).safe


class TestForcedForkOnMacos:
    def test_fork_asked_for_at_the_loader_becomes_spawn(self) -> None:
        finding = the_finding("LL114", a_loader(multiprocessing_context="fork", num_workers=2), MACOS)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.LIKELY, at(10))
        assert the_fix(finding).edits == (SetValue(at(10), "spawn"),)
        assert the_fix(finding).safe

    def test_fork_asked_for_by_the_process_is_found_once(self) -> None:
        program = Program(guarded=True, start_methods=(written("fork", 4),))
        some = Value((written(2), written(4, 11)))
        finding = the_finding("LL114", a_loader(program, num_workers=some), MACOS)
        assert finding.span == at(4)

    @pytest.mark.parametrize("target", [LINUX, LINUX_3_14, WINDOWS])
    def test_other_platforms_are_quiet(self, target: Target) -> None:
        assert check("LL114", a_loader(multiprocessing_context="fork", num_workers=2), target) == []

    @pytest.mark.parametrize(
        "options",
        [
            {"num_workers": 2},
            {"num_workers": 2, "multiprocessing_context": "spawn"},
            {"num_workers": 0, "multiprocessing_context": "fork"},
        ],
    )
    def test_other_ways_to_start_are_quiet(self, options: dict[str, Any]) -> None:
        assert check("LL114", a_loader(**options), MACOS) == []

    def test_the_fix_is_unsafe_where_the_work_may_not_pickle(self) -> None:
        loader = a_loader(SAFE_PROGRAM, Payload(seen=False), multiprocessing_context="fork", num_workers=2)
        assert not the_fix(the_finding("LL114", loader, MACOS)).safe


class TestMoreWorkersThanCpus:
    FOUR = replace(LINUX, cpus=4)

    def test_workers_above_the_cpus_become_as_many(self) -> None:
        finding = the_finding("LL302", a_loader(num_workers=16), self.FOUR)
        assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.CERTAIN)
        assert finding.message.startswith("16 workers take turns on 4 CPUs")
        assert the_fix(finding).edits == (SetValue(at(10), 4),)
        assert the_fix(finding).safe

    def test_an_expression_counts_as_what_it_gives_there(self) -> None:
        loader = a_loader(num_workers=cpus("os.cpu_count() * 2", lambda count: count * 2))
        assert "8 workers (os.cpu_count() * 2)" in the_finding("LL302", loader, self.FOUR).message
        assert check("LL302", a_loader(num_workers=cpus("os.cpu_count()", lambda count: count)), self.FOUR) == []

    @pytest.mark.parametrize("workers", [0, 3, 4, Value(open=True)])
    def test_no_more_than_the_cpus_is_quiet(self, workers: Any) -> None:
        assert check("LL302", a_loader(num_workers=workers), self.FOUR) == []

    def test_unknown_cpus_are_quiet(self) -> None:
        assert check("LL302", a_loader(num_workers=64), LINUX) == []

    def test_an_iterable_dataset_is_divided_among_its_workers(self) -> None:
        loader = a_loader(payload=Payload(seen=True, iterable=True), num_workers=16)
        assert not the_fix(the_finding("LL302", loader, self.FOUR)).safe
