"""Every case of ``fixtures/rules``, through the command line: what is found, what the fix writes, what stays quiet."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from loaderlint import cli
from loaderlint.rulebook import all_rules, find
from tests.rule_cases import RULES, Case, Quiet, cases, contents, quiet_cases

CASES = cases()
every_case = pytest.mark.parametrize("case", CASES, ids=str)
FEWEST = 4


Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run loaderlint in a folder, as a user would from inside it; returns its exit code and its JSON report."""

    def run_in(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
        monkeypatch.chdir(folder)
        code = cli.run([*arguments, "--format", "json"])
        output, errors = capsys.readouterr()
        report: dict[str, Any] = json.loads(output)
        assert (report.get("errors", []), errors) == ([], "")
        return code, report

    return run_in


def found(report: dict[str, Any]) -> tuple[str, ...]:
    return tuple(sorted(f"{one['code']} {one['path']}:{one['line']}" for one in report["findings"]))


def fixing(case: Case) -> Sequence[str]:
    return ("--fix", "--unsafe-fixes") if case.fix == "unsafe" else ("--fix",)


@every_case
def test_a_bad_case_has_exactly_its_findings(case: Case, run: Run, tmp_path: Path) -> None:
    code, report = run(case.bad(tmp_path / "project"), *case.options)
    assert found(report) == case.findings
    assert code == 1


@pytest.mark.parametrize("case", [case for case in CASES if case.fix != "none"], ids=str)
def test_the_fix_writes_exactly_the_good_case(case: Case, run: Run, tmp_path: Path) -> None:
    project = case.bad(tmp_path / "project")
    code, report = run(project, *fixing(case), *case.options)
    assert contents(project) == contents(case.good(tmp_path / "good"))
    assert found(report) == ()
    assert code == 0


@pytest.mark.parametrize("case", [case for case in CASES if case.fix != "safe"], ids=str)
def test_what_has_no_safe_fix_is_left_as_it_is(case: Case, run: Run, tmp_path: Path) -> None:
    project = case.bad(tmp_path / "project")
    code, report = run(project, "--fix", *case.options)
    assert contents(project) == contents(case.bad(tmp_path / "bad"))
    assert found(report) == case.findings
    assert code == 1


FIXING = {case.folder.parent.name for case in CASES if case.fix != "none"}


@pytest.mark.parametrize(
    "case", [one for one in CASES if one.fix == "none" and one.folder.parent.name in FIXING], ids=str
)
def test_what_a_rule_that_fixes_others_leaves_says_why(
    case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(case.bad(tmp_path / "project"))
    cli.run([*case.options])
    told = capsys.readouterr().out
    assert len(re.findall(r"(?m)^  not fixed: |\(unsafe: ", told)) == len(case.findings), told


@pytest.mark.parametrize("case", [case for case in CASES if case.fix != "none" or case.mended_by_hand], ids=str)
def test_a_good_case_is_clean_and_stays_as_it_is(case: Case, run: Run, tmp_path: Path) -> None:
    project = case.good(tmp_path / "project")
    code, report = run(project, *fixing(case), *case.options)
    assert found(report) == ()
    assert report["summary"]["fixed"] == 0
    assert code == 0
    assert contents(project) == contents(case.good(tmp_path / "good"))


@pytest.mark.parametrize("quiet", quiet_cases(), ids=str)
def test_a_quiet_case_has_no_finding_of_its_rule(quiet: Quiet, run: Run, tmp_path: Path) -> None:
    project = tmp_path / "project"
    if quiet.path.is_dir():
        shutil.copytree(quiet.path, project, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        project.mkdir()
        shutil.copy(quiet.path, project)
    assert bool(run(project, "trace", ".")[1]["loaders"]) == quiet.has_loader, "quiet.toml says otherwise"
    code_of_rule = find(quiet.rule).code
    assert [line for line in found(run(project, *quiet.options)[1]) if line.startswith(code_of_rule)] == []


def test_every_rule_has_cases_and_as_many_that_are_quiet() -> None:
    bad = Counter(case.folder.parent.name for case in CASES)
    quiet = Counter(case.rule for case in quiet_cases())
    for rule in all_rules():
        assert bad[rule.name()] >= FEWEST, rule.name()
        assert quiet[rule.name()] >= FEWEST, rule.name()


def test_only_what_no_fix_mends_is_mended_by_hand() -> None:
    for case in CASES:
        assert any(case.folder.glob("good*")) == (case.fix != "none"), case
        assert not (case.mended_by_hand and case.fix != "none"), case


def test_every_case_is_a_case_of_its_own_rule() -> None:
    assert {path.name for path in RULES.iterdir() if path.is_dir()} == {rule.name() for rule in all_rules()}
    for case in CASES:
        assert any(line.startswith(find(case.folder.parent.name).code) for line in case.findings), case
