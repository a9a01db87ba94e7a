"""Very many configuration files among which the user chooses are followed as one, and none of their places is lost."""

from __future__ import annotations

from collections.abc import Container

import pytest

from loaderlint.linking.link import link
from loaderlint.linking.things import many_files
from loaderlint.linking.things.many_files import MOST_FILES
from loaderlint.model.edit import Drop, Fix, Unfixed
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import drop_without_workers
from loaderlint.model.source import Span
from loaderlint.model.target import Platform, Target
from loaderlint.model.value import Candidate, SaidAlike, Value, Written
from tests.linking.traced import IMPORT, project_of, rendered

START = (
    "import argparse, yaml\nparser = argparse.ArgumentParser()\nparser.add_argument('--config')\n"
    "parser.add_argument('--debug', action='store_true')\nargs = parser.parse_args()\n"
)
READERS = {
    "PyYAML": "with open(args.config) as file:\n    cfg = yaml.safe_load(file)\n",
    "OmegaConf": "from omegaconf import OmegaConf\ncfg = OmegaConf.load(args.config)\n",
    "yacs": "from yacs.config import CfgNode\ncfg = CfgNode({'num_workers': 9, 'mode': 'fast', 'ahead': 2})\n"
    "cfg.merge_from_file(args.config)\n",
}
MANY = MOST_FILES + 8
LINUX = Target(Platform.LINUX, (3, 12))


def many(read: str, says: str, *, first: str = "⟦4⟧", differing: bool = False) -> dict[str, str]:
    """A program and very many files, of which only the last one says that it is for debugging."""
    counts = [str(number) if differing else "4" for number in range(MANY)]
    files = {f"conf/{number:03}.yaml": f"num_workers: {count}\nmode: fast\n" for number, count in enumerate(counts)}
    files["conf/000.yaml"] = f"num_workers: {first}\nmode: fast\n"
    files["conf/999.yaml"] = f"num_workers: {900 if differing else 4}\nmode: debug\n"
    return {"main.py": f"{IMPORT}{START}{read}{says}DataLoader(1, num_workers=workers)\n", **files}


def traced(files: dict[str, str]) -> set[str]:
    """What can reach the workers of the program's loader: each file is settings of a loader, too."""
    project, marks = project_of(files)
    (workers,) = (one.num_workers for one in link(project) if one.span.path == "main.py")
    return {rendered(one, marks) for one in workers.candidates} | ({"open"} if workers.open else set())


@pytest.fixture(params=tuple(READERS.values()), ids=tuple(READERS))
def read(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def everywhere(*others: int) -> set[str]:
    """What the files say alike, at the place of each but the first, whose place has a mark, and of some others."""
    numbers = [number for number in (*range(MANY), 999) if number not in (0, *others)]
    return {f"4 at conf/{number:03}.yaml:1:14" for number in numbers}


def test_what_they_say_alike_has_a_place_in_each_of_them(read: str) -> None:
    assert traced(many(read, "workers = cfg['num_workers']\n")) == {"4", "open", *everywhere()}


def test_the_way_of_what_they_say_alike_is_each_files_own(read: str) -> None:
    project, _ = project_of(many(read, "workers = cfg['num_workers']\n"))
    (workers,) = (one.num_workers for one in link(project) if one.span.path == "main.py")
    for one in workers.candidates:
        assert {step.span.path for step in one.trail} <= {"main.py", one.span.path}
    chosen = {one.span.path: {answer for _, answer in one.assumptions} for one in workers.candidates}
    files = {*project.sources} - {"main.py"}
    assert all(frozenset({path}) in chosen[path] for path in files)


def test_what_is_worked_out_of_what_they_say_alike_depends_on_all_of_them(read: str) -> None:
    project, _ = project_of(many(read, "workers = cfg['num_workers'] * 2\n"))
    (workers,) = (one.num_workers for one in link(project) if one.span.path == "main.py")
    (doubled,) = workers.candidates
    assert (doubled.constant, doubled.span.path) == (8, "main.py")
    assert {one.path for one in doubled.sources} >= {*project.sources} - {"main.py"}


def test_what_stands_beside_them_is_not_lost(read: str) -> None:
    set_to_none = "if args.debug:\n    cfg['num_workers'] = ⟦0⟧\nworkers = cfg['num_workers']\n"
    assert traced(many(read, set_to_none)) == {"4", "0", "open", *everywhere()}
    found = traced(many(read, set_to_none, differing=True))
    assert {"0", "4", "7 at conf/007.yaml:1:14", "900 at conf/999.yaml:1:14", "open"} <= found


def test_what_only_one_of_them_leads_to_is_found(read: str) -> None:
    where_debugging = "workers = ⟦0⟧ if cfg['mode'] == 'debug' else cfg['num_workers']\n"
    assert traced(many(read, where_debugging)) == {"0", "4", "open", *everywhere(999)}
    elsewhere = "workers = cfg['num_workers'] if cfg['mode'] == 'debug' else ⟦0⟧\n"
    assert traced(many(read, elsewhere)) == {"0", "4 at conf/999.yaml:1:14", "open"}


def test_what_none_of_them_leads_to_is_not_theirs(read: str) -> None:
    says = "workers = cfg['num_workers'] if cfg['mode'] == 'slow' else ⟦0⟧\n"
    assert traced(many(read, says, first="4")) == {"0", "open"}


def test_what_one_of_them_says_elsewhere_stays_its_own() -> None:
    files = many(READERS["OmegaConf"], "workers = cfg.num_workers\n", first="${few}")
    files["conf/000.yaml"] += "few: ⟦1⟧\n"
    files["conf/001.yaml"] = "num_workers: ⟦4⟧\nmode: fast\nfew: 2\n"
    assert traced(files) == {"1", "4", "open", *everywhere(1)}


def test_what_too_many_of_them_say_to_be_compared_one_by_one_is_said_once(
    read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_files, "MOST_TOLD_APART", MANY - 1)
    assert traced(many(read, "workers = cfg['num_workers']\n")) == {"4", "open"}


KINDS = """{}
def test(data):
    DataLoader(1, num_workers=data['num_workers'])
def train(data):
    DataLoader(2, num_workers=data['num_workers'])
def load(part):
    if part['kind'] == 'test':
        test(part['data'])
    else:
        train(part['data'])
for part in cfg['parts']:
    load(part)
"""


@pytest.mark.parametrize("files", [2, MOST_FILES // 2, MOST_FILES, MANY])
def test_a_part_goes_where_what_stands_beside_it_says(files: int) -> None:
    parts = "parts:\n- kind: train\n  data:\n    num_workers: 3\n- kind: test\n  data:\n    num_workers: 5\n"
    texts = {f"conf/{number:03}.yaml": parts for number in range(files)}
    project, _ = project_of({"main.py": IMPORT + START + KINDS.format(READERS["PyYAML"]), **texts})
    tested, trained = (one.num_workers for one in link(project) if one.span.path == "main.py")
    assert [(one.constant, one.span.path) for one in sorted(tested.candidates, key=lambda one: one.span)] == [
        (5, path) for path in texts
    ]
    assert [(one.constant, one.span.path) for one in sorted(trained.candidates, key=lambda one: one.span)] == [
        (3, path) for path in texts
    ]
    assert tested.open
    assert trained.open


BOTH = "settings = dict(num_workers=cfg['num_workers'], prefetch_factor=cfg['ahead'])\nDataLoader(1, **settings)\n"


def both(read: str, without_workers: Container[int], ahead: str = "2") -> Loader:
    """The loader of a program that takes its worker count and its prefetch factor from very many files."""
    files = {
        f"conf/{number:03}.yaml": f"num_workers: {0 if number in without_workers else 4}\nahead: {ahead}\n"
        for number in range(MANY)
    }
    project, _ = project_of({"main.py": f"{IMPORT}{START}{read}{BOTH}", **files})
    return next(one for one in link(project) if one.span.path == "main.py")


def test_what_too_many_say_alike_stands_where_a_run_takes_it_from(read: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_files, "MOST_TOLD_APART", MANY - 1)
    loader = both(read, {20, 25})
    (factor,) = loader.prefetch_factor.written
    assert factor.span.path == "conf/000.yaml"
    found = [
        (given, workers)
        for given, workers in loader.written_together("prefetch_factor", "num_workers", LINUX)
        if workers.constant == 0
    ]
    assert [(given.span, workers.span.path) for given, workers in found] == [
        (Span("conf/020.yaml", 2, 8, 2, 9), "conf/020.yaml"),
        (Span("conf/025.yaml", 2, 8, 2, 9), "conf/025.yaml"),
    ]
    for given, workers in found:
        assert {step.span.path for step in given.trail} <= {"main.py", workers.span.path}
        assert drop_without_workers(loader, "prefetch_factor", given, LINUX) == Fix(
            "drop prefetch_factor", (Drop(given.span, "prefetch_factor", None, given.entry),)
        )


def test_what_each_of_too_many_says_is_changed_in_none_of_them(read: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_files, "MOST_TOLD_APART", 6)
    loader = both(read, range(20))
    ((given, _),) = (
        pair for pair in loader.written_together("prefetch_factor", "num_workers", LINUX) if pair[1].constant == 0
    )
    assert given.span.path == "conf/000.yaml"
    assert drop_without_workers(loader, "prefetch_factor", given, LINUX) == Unfixed(
        "20 files give 2, and each would have to be changed"
    )


def test_a_value_that_files_inherit_may_meet_workers_in_another_of_them() -> None:
    one, other, count = (Span(f"conf/{name}.yaml", 1, 1, 1, 2) for name in ("own", "base", "count"))
    chosen = many_files.chosen
    alike = SaidAlike(
        "file",
        {
            "a": Written(one, None, (), False),
            "b": Written(other, None, (), False),
            "c": Written(other, None, (), False),
        },
    )
    factor = Candidate(2, one, said_alike=alike)
    none, some = (
        Candidate(0, count, assumptions=chosen("file", ["a", "b"])),
        Candidate(4, count, assumptions=chosen("file", ["c"])),
    )
    options = {"prefetch_factor": Value((factor,)), "num_workers": Value((none, some))}
    loader = Loader(one, "torch.utils.data.DataLoader", options)
    own, shared = (factor.written_at(span) for span in (one, other))
    assert own is not None
    assert shared is not None
    fix = drop_without_workers(loader, "prefetch_factor", own, LINUX)
    assert isinstance(fix, Fix)
    assert fix.safe
    fix = drop_without_workers(loader, "prefetch_factor", shared, LINUX)
    assert isinstance(fix, Fix)
    assert not fix.safe
