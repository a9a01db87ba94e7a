"""The rules about what worker code does, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from loaderlint.model.edit import WriteAs
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.payload import Payload, Touch
from loaderlint.model.worker_code import Seed, SeedOrigin, Unsendable, WorkerCode
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
