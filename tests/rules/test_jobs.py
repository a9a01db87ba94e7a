"""The conditions and words of the rules about where a program runs, on jobs made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.assumptions import PLATFORM, Assumption
from loaderlint.model.edit import AddKey, Export, SetValue
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.job import Cpus, Job, Ranks, Runner
from loaderlint.model.loader import Loader, Program
from loaderlint.model.source import Span
from loaderlint.model.value import CpuCount, Value
from tests.test_rules import LINUX, WINDOWS, a_loader, at, check, the_finding, the_fix, written

SHM = "shm-too-small"
CPUS = "job-cpus-below-workers"
SERVICE = Span("compose.yaml", 2, 3, 2, 8)
SETTINGS = Span("compose.yaml", 3, 5, 4, 20)
HALF = CpuCount("os.cpu_count() // 2", lambda cpus: cpus // 2)


def counts(*constants: Any, **facts: Any) -> Value:
    return Value(tuple(written(one, line) for line, one in enumerate(constants, start=30)), **facts)


def with_job(num_workers: Value, *, prefetch_factor: Any = None, **facts: Any) -> Loader:
    """A loader whose program is started by one job."""
    job = Job(SERVICE, facts.pop("runner", Runner.COMPOSE), "train.py", "train", num_workers, **facts)
    options = {} if prefetch_factor is None else {"prefetch_factor": prefetch_factor}
    return a_loader(Program(jobs=(job,)), num_workers=Value(open=True), **options)


def small(num_workers: Value, **facts: Any) -> Loader:
    return with_job(num_workers, **{"small_shm": True, "settings": SETTINGS, **facts})


def test_a_service_with_small_memory_gets_more() -> None:
    finding = the_finding(SHM, small(counts(8)), LINUX)
    assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.LIKELY, SERVICE)
    assert finding.message == (
        "workers die when up to 17 batches outgrow 64 MB of shared memory: "
        "8 workers x 2, and the one in use, of train.py:50 in service train"
    )
    assert finding.error is not None and "No space left on device" in finding.error
    assert (the_fix(finding).safe, the_fix(finding).edits) == (True, (AddKey(SETTINGS, "shm_size", "8gb"),))


def test_the_factor_of_the_loader_counts() -> None:
    finding = the_finding(SHM, small(counts(1), prefetch_factor=4), LINUX)
    assert "up to 5 batches outgrow 64 MB of shared memory: 1 worker x 4" in finding.message


def test_a_count_of_cpus_has_no_number() -> None:
    finding = the_finding(SHM, small(counts(HALF)), LINUX)
    assert "when their batches outgrow 64 MB of shared memory: os.cpu_count() // 2 workers x 2" in finding.message


def test_settings_that_others_share_are_not_changed_by_a_safe_fix() -> None:
    fix = the_fix(the_finding(SHM, small(counts(8), settings_shared=True), LINUX))
    assert (fix.safe, fix.reason) == (False, "other services have the same settings")


@pytest.mark.parametrize(
    ("runner", "word"), [(Runner.DOCKER, "--shm-size=8g"), (Runner.KUBERNETES, "medium: Memory")], ids=str
)
def test_where_nothing_is_rewritten_the_finding_says_what_to_do(runner: Runner, word: str) -> None:
    finding = the_finding(SHM, small(counts(8), runner=runner, settings=None), LINUX)
    assert finding.fix is None
    assert finding.help is not None and word in finding.help


def test_a_container_is_linux_whatever_the_target() -> None:
    on_linux = written(8, assumptions=frozenset({Assumption(PLATFORM, frozenset({"linux"}))}))
    on_windows = written(0, assumptions=frozenset({Assumption(PLATFORM, frozenset({"windows"}))}))
    assert check(SHM, small(Value((on_linux, on_windows))), WINDOWS)


@pytest.mark.parametrize(
    "loader",
    [
        small(counts(8), small_shm=False),
        small(counts(0)),
        small(counts(0, 8)),
        small(counts(8, open=True)),
        small(counts()),
        small(counts("8")),
        a_loader(num_workers=8),
    ],
    ids=["large memory", "no workers", "possibly no workers", "an unseen count", "none", "a text", "no job"],
)
def test_what_keeps_shared_memory_out_of_question(loader: Loader) -> None:
    assert check(SHM, loader, LINUX) == []


def given(number: float, text: str = "4", lost: Span | None = None) -> Cpus:
    return Cpus(at(7, "job.sh"), number, text, lost)


def below(num_workers: Value, cpus: Cpus | None) -> list[Finding]:
    return check(CPUS, with_job(num_workers, runner=Runner.SLURM, cpus=cpus), LINUX)


def test_fewer_cpus_than_workers() -> None:
    (finding,) = below(counts(8), given(4))
    assert (finding.severity, finding.confidence, finding.span) == (
        Severity.WARNING,
        Confidence.CERTAIN,
        at(7, "job.sh"),
    )
    assert finding.message == "8 workers take turns on 4 CPUs: the job gives no more to the loader at train.py:50"
    assert finding.help == "give the job 8 CPUs, or its loader no more workers than it has"
    assert finding.fix is None


def test_cpus_that_srun_does_not_take_over_are_handed_on() -> None:
    (finding,) = below(counts(8), given(1, "4", at(3, "job.sh")))
    assert finding.confidence is Confidence.LIKELY
    assert finding.message == (
        "8 workers of train.py:50 take turns on 1 CPU: from Slurm 22.05 on this srun does not give its tasks the 4 of "
        "job.sh:3"
    )
    export = Export(at(7, "job.sh"), "SRUN_CPUS_PER_TASK", "$SLURM_CPUS_PER_TASK")
    assert (the_fix(finding).safe, the_fix(finding).edits) == (True, (export,))


@pytest.mark.parametrize(
    ("num_workers", "cpus"),
    [
        (counts(4), given(4)),
        (counts(2), given(4)),
        (counts(2, 8), given(4)),
        (counts(8, open=True), given(4)),
        (counts(HALF), given(4)),
        (counts(0), given(0.5)),
        (counts(8), None),
        (counts(1), given(1, "4", at(3, "job.sh"))),
    ],
    ids=["as many", "more", "possibly more", "unseen", "a count of CPUs", "no workers", "no number", "one for one"],
)
def test_what_keeps_cpus_out_of_question(num_workers: Value, cpus: Cpus | None) -> None:
    assert below(num_workers, cpus) == []


def test_part_of_a_cpu_is_less_than_one_worker() -> None:
    (finding,) = below(counts(1), given(0.5, "500m"))
    assert finding.message == "1 worker takes turns on 500m CPUs: the job gives no more to the loader at train.py:50"


def test_every_rank_of_a_job_has_its_workers() -> None:
    loader = with_job(counts(2), runner=Runner.SLURM, cpus=given(4), ranks=Ranks(at(8, "job.sh"), 4))
    finding = the_finding(CPUS, loader, LINUX)
    assert finding.message.startswith("4 x 2 workers take turns on 4 CPUs")
    assert finding.help is not None and "8 CPUs" in finding.help


MANY = "more-workers-than-cpus"


@pytest.mark.parametrize(
    ("num_workers", "cpus", "said", "why"),
    [
        (counts(6), 8, "12 workers take turns on 8 CPUs", None),
        (counts(1), 1, "2 workers take turns on 1 CPU:", "2 ranks have not even one CPU each"),
        (counts(CpuCount("os.cpu_count()", lambda cpus: cpus)), 8, "16 workers take turns on 8 CPUs", "how many ranks"),
    ],
    ids=["a number", "fewer CPUs than ranks", "a count of CPUs"],
)
def test_ranks_share_the_cpus_of_a_machine(num_workers: Value, cpus: int, said: str, why: str | None) -> None:
    loader = with_job(num_workers, runner=Runner.SHELL, ranks=Ranks(at(8, "job.sh"), 2))
    finding = the_finding(MANY, loader, replace(LINUX, cpus=cpus))
    assert finding.message.startswith(said)
    if why is None:
        assert the_fix(finding).edits == (SetValue(at(30), 4),)
    else:
        assert finding.fix is None
        assert why in finding.unfixed


def test_the_ranks_of_a_job_that_says_its_cpus_are_spoken_of_once() -> None:
    loader = with_job(counts(8), runner=Runner.SLURM, cpus=given(8), ranks=Ranks(at(8, "job.sh"), 2))
    assert check(MANY, loader, replace(LINUX, cpus=8)) == []
    assert len(check(CPUS, loader, LINUX)) == 1
