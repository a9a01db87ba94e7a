"""What worker code keeps, or never has, and fixes that change how many processes run it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from loaderlint.model.edit import AddOption, Edit, Fix, SetValue
from loaderlint.model.kept import Kept, Kind
from loaderlint.model.loader import Loader, Program
from loaderlint.model.payload import Payload, Touch
from loaderlint.model.remedy import start_method
from loaderlint.model.target import StartMethod
from loaderlint.model.uses import Unsettled, Uses
from loaderlint.model.value import Candidate
from loaderlint.model.worker_code import WorkerCode
from tests.test_rules import LINUX, SEEN, WINDOWS, a_loader, at, the_finding, the_fix, written

REMEMBERS = WorkerCode(remembers=True)
LEFT_BEHIND = WorkerCode(changed_later=lambda: Touch(at(3), "THRESHOLD = 100"))
READ_BACK = WorkerCode(read_back=lambda: Touch(at(3), "data.log"))
TOLD = WorkerCode(told_process=lambda: Touch(at(3), "os.getpid() == self.main"))


def with_code(code: WorkerCode) -> Loader:
    return replace(a_loader(num_workers=4), payload=Payload(seen=True, code=code))


@pytest.mark.parametrize(
    ("code", "safe"),
    [(WorkerCode(), True), (REMEMBERS, False), (LEFT_BEHIND, False), (TOLD, False), (READ_BACK, False)],
    ids=["none", "keeps", "lacks", "asks which process", "is read"],
)
def test_workers_are_taken_away_safely_where_their_code_does_the_same_without_them(
    code: WorkerCode, safe: bool
) -> None:
    assert the_fix(the_finding("LL101", with_code(code), WINDOWS)).safe is safe


@pytest.mark.parametrize(
    ("code", "safe"),
    [
        (WorkerCode(), True),
        (REMEMBERS, False),
        (LEFT_BEHIND, True),
        (WorkerCode(draws_seeded=True), False),
        (WorkerCode(asks_worker=True), False),
    ],
    ids=["none", "keeps", "lacks", "draws what is seeded", "asks which worker"],
)
def test_fewer_workers_give_the_same_where_none_remembers(code: WorkerCode, safe: bool) -> None:
    target = replace(LINUX, cpus=2)
    assert the_fix(the_finding("LL302", with_code(code), target)).safe is safe


@pytest.mark.parametrize(
    ("uses", "payload", "safe"),
    [
        (Uses(), SEEN, True),
        (Uses(payload_set=True), SEEN, True),
        (Uses(changes_batches=True), SEEN, True),
        (Uses(changes_batches=True), replace(SEEN, collate_fn=at(3)), False),
        (Uses(unsettled=(Unsettled(at(3), "picks.update(1)"),)), SEEN, False),
        (Uses(draws_beside=lambda: Touch(at(3), "random.random()")), SEEN, False),
    ],
    ids=[
        "nothing",
        "sets what was sent before workers begin",
        "changes batches",
        "changes batches of its own making",
        "reaches samples",
        "draws beside them",
    ],
)
def test_workers_are_taken_away_safely_where_the_program_does_the_same_without_them(
    uses: Uses, payload: Payload, safe: bool
) -> None:
    loader = replace(a_loader(num_workers=4), payload=payload, uses=uses)
    assert the_fix(the_finding("LL101", loader, WINDOWS)).safe is safe


@pytest.mark.parametrize(("persistent", "safe"), [(True, False), (False, True)])
def test_workers_that_are_kept_are_taken_away_safely_where_they_keep_what_the_program_has(
    persistent: bool, safe: bool
) -> None:
    loader = replace(a_loader(num_workers=4, persistent_workers=persistent), payload=SEEN, uses=Uses(payload_set=True))
    assert the_fix(the_finding("LL101", loader, WINDOWS)).safe is safe


@pytest.mark.parametrize(("own", "safe"), [(None, True), (Touch(at(5), "Own"), False)], ids=["torch's", "own"])
def test_workers_are_taken_away_safely_where_no_class_of_the_project_may_be_the_loader(
    own: Touch | None, safe: bool
) -> None:
    loader = replace(a_loader(num_workers=4), payload=SEEN, own_class=own)
    assert the_fix(the_finding("LL101", loader, WINDOWS)).safe is safe


def test_single_samples_may_be_parts_of_the_data_set() -> None:
    loader = replace(a_loader(num_workers=4, batch_size=None), payload=SEEN, uses=Uses(changes_batches=True))
    assert not the_fix(the_finding("LL101", loader, WINDOWS)).safe


MAPPED = Kept(at(4), Kind("memory map", copied=True), "Numbers", "self.rows")


@pytest.mark.parametrize(
    ("uses", "payload", "safe"),
    [
        (Uses(), SEEN, True),
        (Uses(payload_set=True), SEEN, False),
        (Uses(), replace(SEEN, code=WorkerCode(changes_tensors=True)), False),
        (Uses(), replace(SEEN, model=True), False),
        (Uses(), replace(SEEN, code=WorkerCode(set_after_read=lambda: Touch(at(3), "os.environ['A'] = '2'"))), False),
        (Uses(), replace(SEEN, kept=(MAPPED,)), False),
        (Uses(), replace(SEEN, kept=(replace(MAPPED, travels=False),)), True),
    ],
    ids=[
        "nothing",
        "set by the program",
        "written into by workers",
        "a model",
        "what a file set after it read that",
        "a memory map",
        "a memory map that stays",
    ],
)
def test_workers_are_spawned_safely_where_nothing_is_shared_or_copied_that_was_not(
    uses: Uses, payload: Payload, safe: bool
) -> None:
    loader = replace(a_loader(num_workers=4), payload=payload, uses=uses)
    remedy = start_method(loader, StartMethod.SPAWN, None, LINUX)
    assert isinstance(remedy, Fix)
    assert remedy.safe is safe


ASKED = written("fork", 5)
FREELY = written("spawn", 6)


@pytest.mark.parametrize(
    ("asked", "others", "edits", "safe"),
    [
        ((ASKED,), (), (SetValue(at(5), "spawn"),), True),
        ((ASKED,), (Touch(at(3), "Pool(2)"),), (AddOption(at(50), "multiprocessing_context", "spawn", None),), True),
        ((ASKED, FREELY), (Touch(at(3), "Pool(2)"),), (SetValue(at(5), "spawn"),), False),
    ],
    ids=["workers alone", "a pool", "a pool that may be spawned"],
)
def test_other_processes_start_as_before(
    asked: tuple[Candidate, ...], others: tuple[Touch, ...], edits: tuple[Edit, ...], safe: bool
) -> None:
    program = Program(guarded=True, start_methods=asked, processes=others)
    loader = replace(a_loader(num_workers=4), payload=SEEN, program=program)
    remedy = start_method(loader, StartMethod.SPAWN, ASKED, LINUX)
    assert isinstance(remedy, Fix)
    assert remedy.edits == edits
    assert remedy.safe is safe


def test_what_the_loader_asks_for_itself_is_no_other_process_s() -> None:
    program = Program(guarded=True, start_methods=(ASKED,), processes=(Touch(at(3), "Pool(2)"),))
    loader = replace(a_loader(num_workers=4, multiprocessing_context="fork"), payload=SEEN, program=program)
    (own,) = loader.multiprocessing_context.known
    remedy = start_method(loader, StartMethod.SPAWN, own, LINUX)
    assert isinstance(remedy, Fix)
    assert remedy.edits == (SetValue(own.span, "spawn"),)
    assert remedy.safe
