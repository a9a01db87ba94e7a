"""The rules about what worker code does, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loaderlint.model.assumptions import PLATFORM, Assumption
from loaderlint.model.edit import SetValue, WriteAs
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.loader import Loader, Program
from loaderlint.model.payload import Payload, Touch
from loaderlint.model.value import Candidate, Value
from loaderlint.model.worker_code import CompiledCall, Nested, Seed, SeedOrigin, Unsendable, WorkerCode
from tests.test_rules import LINUX, WINDOWS, a_loader, at, check, cpus, the_finding, the_fix, written


def running(code: WorkerCode, **options: Any) -> Loader:
    return a_loader(payload=Payload(seen=True, code=code), **options)


class TestUnsendableBatch:
    CODE = WorkerCode(unsendable=(Unsendable(at(3), "a lambda", "AttributeError: …", "collate_fn"),))

    @pytest.mark.parametrize("target", [LINUX, WINDOWS])
    def test_it_never_comes_however_workers_start(self, target: Any) -> None:
        finding = the_finding("LL501", running(self.CODE, num_workers=4), target)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(3))
        assert "4 workers cannot send a lambda, which collate_fn gives" in finding.message
        assert finding.error == "AttributeError: …"
        assert finding.fix is None

    def test_a_tensor_is_detached(self) -> None:
        tensor = Unsendable(at(3), "a tensor with its graph", "RuntimeError: …", "collate_fn", graph=True)
        fix = the_fix(the_finding("LL501", running(WorkerCode(unsendable=(tensor,)), num_workers=4), LINUX))
        assert fix.edits == (WriteAs(at(3), "{}.detach()"),)
        assert fix.safe
        item = replace(tensor, role="dataset")
        assert not the_fix(the_finding("LL501", running(WorkerCode(unsendable=(item,)), num_workers=4), LINUX)).safe

    def test_without_workers_it_arrives(self) -> None:
        assert check("LL501", running(self.CODE), LINUX) == []


class TestIterableNotSharded:
    CODE = WorkerCode(repeated=(Touch(at(3), "range(8)"),))

    def test_each_worker_gives_all_samples(self) -> None:
        finding = the_finding("LL401", running(self.CODE, num_workers=4), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.LIKELY, at(3))
        assert finding.message.startswith("each of the 4 workers yields every sample, 4 copies of each")

    @pytest.mark.parametrize("workers", [0, 1, True])
    def test_one_worker_gives_them_once(self, workers: int) -> None:
        assert check("LL401", running(self.CODE, num_workers=workers), LINUX) == []

    def test_as_many_workers_as_cpus_are_taken_to_be_several(self) -> None:
        many = running(self.CODE, num_workers=written(cpus("os.cpu_count()", lambda count: count)))
        assert "one copy of each for each worker" in the_finding("LL401", many, LINUX).message


class TestSeeds:
    @staticmethod
    def seeded(origin: SeedOrigin, torch: str = "torch", library: str = "NumPy", **options: Any) -> Loader:
        seed = Seed(at(3), "np.random.seed(x)", library, origin, torch)
        return running(WorkerCode(seeds=(seed,)), **options)

    @pytest.mark.parametrize("origin", [SeedOrigin.WORKER, SeedOrigin.STATE])
    def test_workers_that_start_anew_draw_what_they_drew(self, origin: SeedOrigin) -> None:
        finding = the_finding("LL403", self.seeded(origin, num_workers=4), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.WARNING, Confidence.CERTAIN, at(3))
        assert finding.message.startswith("every epoch draws the same of the random numbers of NumPy")
        assert the_fix(finding).edits == (WriteAs(at(3), "torch.initial_seed() % 2**32"),)
        assert not the_fix(finding).safe

    def test_persistent_workers_go_on_and_are_told_apart_by_their_number(self) -> None:
        assert check("LL403", self.seeded(SeedOrigin.WORKER, num_workers=4, persistent_workers=True), LINUX) == []

    def test_a_number_makes_several_workers_alike(self) -> None:
        finding = the_finding("LL403", self.seeded(SeedOrigin.FIXED, num_workers=4), LINUX)
        assert "each of the 4 workers draws the same of the random numbers of NumPy, in every epoch" in finding.message
        finding = the_finding("LL403", self.seeded(SeedOrigin.FIXED, num_workers=4, persistent_workers=True), LINUX)
        assert "in every epoch" not in finding.message
        assert check("LL403", self.seeded(SeedOrigin.FIXED, num_workers=1, persistent_workers=True), LINUX) == []
        finding = the_finding("LL403", self.seeded(SeedOrigin.FIXED, num_workers=1), LINUX)
        assert finding.message.startswith("every epoch draws the same")

    def test_what_only_some_runs_seed_with_is_said_of_those(self) -> None:
        debugs = frozenset({Assumption("config.debug", True)})
        seed = Seed(at(3), "np.random.seed(x)", "NumPy", SeedOrigin.WORKER, "torch", assumptions=debugs)
        finding = the_finding("LL403", running(WorkerCode(seeds=(seed,)), num_workers=4), LINUX)
        assert finding.confidence is Confidence.LIKELY
        assert finding.message.startswith("where it runs, every epoch draws the same of the random numbers of NumPy")
        asked_first = Value((Candidate(4, at(5), assumptions=debugs),))
        finding = the_finding("LL403", running(WorkerCode(seeds=(seed,)), num_workers=asked_first), LINUX)
        assert finding.confidence is Confidence.CERTAIN
        on_linux = frozenset({Assumption(PLATFORM, frozenset({"linux"}))})
        settled = running(WorkerCode(seeds=(replace(seed, assumptions=on_linux),)), num_workers=4)
        assert the_finding("LL403", settled, LINUX).confidence is Confidence.CERTAIN

    def test_there_is_no_fix_where_the_file_does_not_know_torch(self) -> None:
        assert the_finding("LL403", self.seeded(SeedOrigin.FIXED, "", num_workers=4), LINUX).fix is None
        of_all = self.seeded(SeedOrigin.FIXED, library="every library", num_workers=4)
        assert the_finding("LL403", of_all, LINUX).fix is None

    def test_a_seed_of_63_bits_is_too_big(self) -> None:
        loader = self.seeded(SeedOrigin.DRAWN, num_workers=4)
        finding = the_finding("LL404", loader, LINUX)
        assert (finding.severity, finding.confidence) == (Severity.ERROR, Confidence.CERTAIN)
        assert the_fix(finding).edits == (WriteAs(at(3), "{} % 2**32"),)
        assert the_fix(finding).safe
        assert check("LL403", loader, LINUX) == []
        assert check("LL404", self.seeded(SeedOrigin.WORKER, num_workers=4), LINUX) == []

    @pytest.mark.parametrize("origin", list(SeedOrigin))
    def test_without_workers_nothing_is_seeded(self, origin: SeedOrigin) -> None:
        assert check("LL403", self.seeded(origin), LINUX) + check("LL404", self.seeded(origin), LINUX) == []


class TestStopIterationInDataset:
    CODE = WorkerCode(ends=(Touch(at(3), "raise StopIteration"),))

    @pytest.mark.parametrize("workers", [0, 4])
    def test_the_epoch_ends_with_workers_or_without(self, workers: int) -> None:
        finding = the_finding("LL410", running(self.CODE, num_workers=workers), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(3))
        assert finding.message.startswith("the epoch ends without an error at the first sample")

    def test_where_the_dataset_is_another_it_does_not(self) -> None:
        elsewhere = frozenset({Assumption(PLATFORM, frozenset({"windows"}))})
        code = WorkerCode(ends=(Touch(at(3), "raise StopIteration", elsewhere),))
        assert check("LL410", running(code), LINUX) == []
        assert len(check("LL410", running(code), WINDOWS)) == 1


class TestForkedWorkers:
    THREADS = WorkerCode(threads=(Touch(at(3), "torch.set_num_threads(4)"),))
    COMPILED = WorkerCode(compiled=(CompiledCall(at(3), "f(x)", at(2), called_outside=True),))

    @pytest.mark.parametrize(("rule", "code"), [("LL113", THREADS), ("LL115", COMPILED)])
    def test_only_forked_workers_wait(self, rule: str, code: WorkerCode) -> None:
        finding = the_finding(rule, running(code, num_workers=4), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.LIKELY, at(3))
        assert finding.message.startswith("4 workers started by fork can wait for ever")
        assert check(rule, running(code), LINUX) == []
        assert check(rule, running(code, num_workers=4), WINDOWS) == []
        assert check(rule, running(code, num_workers=4, multiprocessing_context="spawn"), LINUX) == []

    def test_what_nothing_else_was_seen_to_compile_is_only_possible(self) -> None:
        alone = WorkerCode(compiled=(CompiledCall(at(3), "f(x)", at(2)),))
        loader = running(alone, num_workers=4)
        assert the_finding("LL115", loader, LINUX).confidence is Confidence.POSSIBLE
        same = replace(loader, program=Program(compiled=(Touch(at(2), "torch.compile(f)"),)))
        assert the_finding("LL115", same, LINUX).confidence is Confidence.POSSIBLE
        other = replace(loader, program=Program(compiled=(Touch(at(9), "torch.compile(g)"),)))
        assert the_finding("LL115", other, LINUX).confidence is Confidence.LIKELY


class TestNestedWorkers:
    @staticmethod
    def around(inner: Loader, **options: Any) -> Loader:
        code = WorkerCode(nested=(Nested(at(3), "inner", inner.span),))
        return replace(running(code, **options), program=Program(guarded=True, loaders=(inner,)))

    @staticmethod
    def inner(**options: Any) -> Loader:
        return replace(a_loader(**options), span=at(40))

    def test_the_inner_loader_gets_no_workers(self) -> None:
        inner = self.inner(num_workers=written(2, 20), prefetch_factor=written(4, 21))
        finding = the_finding("LL210", self.around(inner, num_workers=4), LINUX)
        assert (finding.severity, finding.confidence, finding.span) == (Severity.ERROR, Confidence.CERTAIN, at(20))
        assert "each of the 4 workers raises when it iterates `inner` (train.py:3)" in finding.message
        assert "with 2 workers of its own" in finding.message
        assert the_fix(finding).edits[0] == SetValue(at(20), 0)
        assert len(the_fix(finding).edits) == 2
        assert the_fix(finding).safe

    def test_which_of_several_callers_made_the_inner_loader_is_not_told(self) -> None:
        inner = self.inner(num_workers=Value((written(2, 20), written(3, 30))))
        findings = check("LL210", self.around(inner, num_workers=4), LINUX)
        assert [one.confidence for one in findings] == [Confidence.POSSIBLE, Confidence.POSSIBLE]

    def test_without_workers_on_either_side_nothing_is_nested(self) -> None:
        assert check("LL210", self.around(self.inner(num_workers=2)), LINUX) == []
        assert check("LL210", self.around(self.inner(), num_workers=4), LINUX) == []

    def test_a_count_that_both_have_is_changed_at_the_inner_loader(self) -> None:
        both = written(4, 10)
        inner = self.inner(num_workers=Value((both,), argument=at(41)))
        outer = self.around(inner, num_workers=both)
        outer = replace(outer, program=replace(outer.program, loaders=(inner, outer)))
        assert the_fix(the_finding("LL210", outer, LINUX)).edits == (SetValue(at(41), 0),)
