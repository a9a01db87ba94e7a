"""Mending: what is changed together, what is proven, what is left as it was and why."""

from __future__ import annotations

import io
import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from loaderlint import cli, fixing
from loaderlint.model.edit import Safety
from loaderlint.model.report import Report
from loaderlint.model.source import Source
from loaderlint.writers import Rewritten
from tests.conftest import WriteFiles
from tests.running import BOTH, after, found, mended

IMPORT = "from torch.utils.data import DataLoader\n"
CONTRADICTION = IMPORT + "loader = DataLoader([], num_workers=0, prefetch_factor=2)\n"
MENDED = IMPORT + "loader = DataLoader([], num_workers=0)\n"
MODULE = (
    IMPORT
    + """

class Data:
    def __init__(self, num_workers=None):
        self.num_workers = num_workers

    def train_dataloader(self):
        return DataLoader(
            [],
            num_workers=self.num_workers,
            prefetch_factor=2,
        )
"""
)
CONFIGURATION = "data:\n  target: main.Data\n  params:\n    num_workers: 4  # fast enough\n"
COMMENTED = MODULE.replace("prefetch_factor=2,", "prefetch_factor=2,  # two are ready")
REFUSED = IMPORT + "int = float\nloader = DataLoader([], num_workers=8 / 2)\n"
"""Its division cannot be made an integer by `int`, which means something else here."""

posix_links = pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")

RULES = '''
from abc import abstractmethod

from loaderlint.model.edit import Fix, SetValue
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.rule import Rule


class _OnWorkers(Rule):
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    @property
    @abstractmethod
    def wrong(self): ...

    def check(self, loader, target):
        for workers in loader.num_workers.on(target).written:
            if workers.constant in self.wrong:
                fix = Fix("count on", (SetValue(workers.span, workers.constant + 1),))
                yield self.finding(loader, workers, f"{workers.constant} workers", target, fix=fix)


class NeverEnough(_OnWorkers):
    """Whatever the count, it should be one more."""

    code = "ACM100"
    wrong = range(50, 60)


class UnluckyTen(_OnWorkers):
    """Ten is too round."""

    code = "ACM103"
    wrong = (10,)


class UnluckySeven(_OnWorkers):
    """Seven workers bring bad luck."""

    code = "ACM101"
    wrong = (7,)


class UnluckyEight(_OnWorkers):
    """So do eight."""

    code = "ACM102"
    wrong = (8,)
'''


@pytest.fixture
def rules_of_our_own(project: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn on a plugin with four rules, and nothing else: each of them raises the count by one."""
    project(
        {
            "plugins/rules_for_tests_of_fixing.py": RULES,
            "loaderlint.toml": 'plugins = ["rules_for_tests_of_fixing"]\nselect = ["ACM"]\nexclude = ["plugins/"]\n',
        }
    )
    monkeypatch.syspath_prepend(str(tmp_path / "plugins"))


def reasons(report: Report) -> list[str]:
    return [f"{one.path}:{one.line}: {one.message}" for one in report.unproven]


# All or nothing


def test_one_fix_changes_a_configuration_and_the_code_that_reads_it(project: WriteFiles) -> None:
    project({"main.py": MODULE, "train.yaml": CONFIGURATION})
    report = mended()
    assert [one.code for one in report.fixed] == ["LL101"]
    assert report.findings == ()
    assert after(report, "train.yaml") == CONFIGURATION.replace("4", "0")
    assert after(report, "main.py") == MODULE.replace("            prefetch_factor=2,\n", "")


def test_a_call_is_broken_where_the_project_says_how_long_lines_shall_be(project: WriteFiles) -> None:
    line = IMPORT + 'if __name__ == "__main__":\n    list(DataLoader([], batch_size=8, num_workers=4))\n'
    project({"train.py": line, "short/train.py": line, "short/ruff.toml": "line-length = 72\n"})
    report = mended(platforms=BOTH)
    assert '8, num_workers=0 if sys.platform == "win32" else 4))\n' in after(report, "train.py")
    assert '8,\n                    num_workers=0 if sys.platform == "win32" else 4))\n' in after(
        report, "short/train.py"
    )


def test_a_file_is_not_changed_when_another_part_of_the_fix_is_unsafe(project: WriteFiles) -> None:
    project({"main.py": COMMENTED, "train.yaml": CONFIGURATION})
    report = mended()
    assert (report.rewritten, report.fixed) == ({}, ())
    (left,) = report.findings
    assert left.fix is not None
    assert left.fix.safety is Safety.UNSAFE
    assert "comment" in left.fix.reason
    assert report.unsafe_fixable == (left,)


def test_an_unsafe_fix_is_made_when_asked_for(project: WriteFiles) -> None:
    project({"main.py": COMMENTED, "train.yaml": CONFIGURATION})
    report = mended(unsafe_fixes=True)
    assert report.findings == ()
    assert after(report, "train.yaml") == CONFIGURATION.replace("4", "0")
    assert "prefetch_factor" not in after(report, "main.py")


def test_a_fix_that_the_writer_refuses_leaves_every_byte_and_says_why(project: WriteFiles) -> None:
    project({"train.py": REFUSED, "other.py": CONTRADICTION})
    report = mended(platforms=("linux",))
    assert found(report) == ["LL205 train.py:3"]
    assert report.findings[0].fix is None
    assert list(report.rewritten) == ["other.py"]
    (reason,) = reasons(report)
    assert reason.startswith(
        "train.py:3: LL205 invalid-worker-count cannot be fixed: the name int means something else"
    )


def test_many_fixes_that_cannot_be_made_do_not_stop_the_one_that_can(project: WriteFiles) -> None:
    project({**{f"train_{number}.py": REFUSED for number in range(150)}, "zebra.py": CONTRADICTION})
    report = mended(platforms=("linux",))
    assert len(report.unproven) == 150
    assert list(report.rewritten) == ["zebra.py"]


# Proof


@pytest.mark.usefixtures("rules_of_our_own")
def test_a_fix_after_which_the_finding_is_still_there_is_not_made(project: WriteFiles) -> None:
    project({"train.py": IMPORT + "loader = DataLoader([], num_workers=51)\n"})
    report = mended()
    assert report.rewritten == {}
    assert found(report) == ["ACM100 train.py:2"]
    assert reasons(report) == [
        "train.py:2: ACM100 never-enough cannot be fixed: linting again still shows ACM100 never-enough in train.py"
    ]


@pytest.mark.usefixtures("rules_of_our_own")
def test_a_fix_that_brings_another_finding_is_not_made(project: WriteFiles) -> None:
    project({"train.py": IMPORT + "loader = DataLoader([], num_workers=7)\n"})
    report = mended()
    assert (report.rewritten, found(report)) == ({}, ["ACM101 train.py:2"])
    assert reasons(report)[0].endswith("linting again shows ACM102 unlucky-eight in train.py")


@pytest.mark.usefixtures("rules_of_our_own")
@pytest.mark.parametrize("several", ["range(10, 11)", "map(int, '10'.split())", "'10'.split()"])
def test_a_fix_after_which_an_option_is_seen_no_more_is_not_made(project: WriteFiles, several: str) -> None:
    loop = f"for workers in {several}:\n    loader = DataLoader([], num_workers=int(workers))\n"
    project({"train.py": IMPORT + loop + "DataLoader([], num_workers=10)\n"})
    report = mended()
    assert report.rewritten == {"train.py": (IMPORT + loop + "DataLoader([], num_workers=11)\n").encode()}
    assert all(
        reason.endswith("the worker count of a loader in train.py would not be seen any more")
        for reason in reasons(report)
    )


@pytest.mark.usefixtures("rules_of_our_own")
def test_a_fix_that_brings_a_finding_in_a_file_that_was_not_named_is_not_made(project: WriteFiles) -> None:
    reader = IMPORT + "from options import WORKERS\nloader = DataLoader([], num_workers=WORKERS)\n"
    project(
        {
            "options.py": "WORKERS = 10\n",
            "train.py": reader,
            "other.py": reader.replace("=WORKERS", "=WORKERS - 4"),
        }
    )
    report = mended("train.py")
    assert report.rewritten == {}
    assert reasons(report)[0].endswith("linting again shows ACM101 unlucky-seven in other.py")


@pytest.mark.usefixtures("rules_of_our_own")
def test_what_can_be_proven_is_mended_beside_what_cannot(project: WriteFiles) -> None:
    calls = "".join(f"DataLoader([], num_workers={count})\n" for count in (51, 8, 7, 8, 52, 8))
    project({"train.py": IMPORT + calls})
    report = mended()
    assert after(report, "train.py") == IMPORT + calls.replace("=8", "=9")
    assert found(report) == ["ACM100 train.py:2", "ACM101 train.py:4", "ACM100 train.py:6"]
    assert len(report.unproven) == 3


@pytest.mark.usefixtures("rules_of_our_own")
def test_a_fix_by_the_same_words_at_another_place_is_not_refused_with_it(project: WriteFiles) -> None:
    two = IMPORT + "DataLoader([], num_workers={})\nDataLoader([], num_workers={})\n"
    project({"train.py": two.format(7, 8)})
    report = mended()
    assert after(report, "train.py") == two.format(7, 9)


# Rounds


def test_two_fixes_in_one_call_are_both_made(project: WriteFiles) -> None:
    project(
        {"train.py": IMPORT + "loader = DataLoader([], num_workers=0, prefetch_factor=2, persistent_workers=True)\n"}
    )
    report = mended()
    assert after(report, "train.py") == MENDED
    assert [one.code for one in report.fixed] == ["LL201", "LL202"]


def test_fixes_of_one_place_are_made_one_after_the_other_until_nothing_changes(project: WriteFiles) -> None:
    project({"train.py": IMPORT + "loader = DataLoader([], num_workers='4', prefetch_factor=16)\n"})
    report = mended(platforms=BOTH)
    assert report.findings == ()
    assert sorted(one.code for one in report.fixed) == ["LL101", "LL205", "LL301"]
    assert 'num_workers=0 if sys.platform == "win32" else 4' in after(report, "train.py")


def test_fixing_again_changes_nothing(project: WriteFiles) -> None:
    files: dict[str, str | bytes] = {
        "train.py": IMPORT + "loader = DataLoader([], num_workers='4', prefetch_factor=16, timeout=-1)\n",
        "main.py": MODULE,
        "refused.py": REFUSED,
        "train.yaml": CONFIGURATION,
    }
    project(files)
    first = mended(platforms=BOTH, unsafe_fixes=True)
    assert len(first.rewritten) >= 3
    project(dict(first.rewritten))
    second = mended(platforms=BOTH, unsafe_fixes=True)
    assert (second.rewritten, second.fixed) == ({}, ())
    assert found(second) == found(first)


def test_spawn_guard_and_hoisting_come_together(project: WriteFiles) -> None:
    project(
        {
            "train.py": """\
import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor([index]).cuda()


def main():
    loader = DataLoader(Numbers(), num_workers=2, collate_fn=lambda batch: batch[0])
    print(len(list(loader)))


main()
"""
        }
    )
    report = mended(platforms=("linux",))
    assert found(report) == []
    text = after(report, "train.py")
    assert 'multiprocessing_context="spawn"' in text
    assert 'if __name__ == "__main__":\n    main()\n' in text
    assert "lambda" not in text
    assert "\n\ndef collate_fn(batch):\n    return batch[0]\n" in text


def test_two_limits_on_one_shared_value_are_both_kept(project: WriteFiles) -> None:
    project(
        {
            "train.py": IMPORT
            + "FACTOR = 16\n"
            + "one = DataLoader([], num_workers=4, prefetch_factor=FACTOR)\n"
            + "other = DataLoader([], num_workers=16, prefetch_factor=FACTOR)\n"
        }
    )
    report = mended(platforms=("linux",))
    assert (found(report), reasons(report)) == ([], [])
    assert "FACTOR = 2\n" in after(report, "train.py")


def test_an_ignore_that_a_fix_makes_useless_goes_with_it(project: WriteFiles) -> None:
    line = "loader = DataLoader([], num_workers=4, prefetch_factor=16)  # loaderlint: ignore[LL301] tried\n"
    project({"train.py": IMPORT + line})
    report = mended()
    assert after(report, "train.py") == MENDED
    assert [one.code for one in report.fixed] == ["LL101", "LL901"]


def test_a_writer_that_leaves_what_cannot_be_parsed_is_not_believed(
    project: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    project({"notes.py": "print('num_workers')  # loaderlint: ignore[LL101]\n"})
    monkeypatch.setattr(fixing, "rewrite", lambda *_, **__: Rewritten("print('num_workers'\n"))
    report = mended()
    assert (report.rewritten, found(report)) == ({}, ["LL901 notes.py:1"])
    assert reasons(report)[0].endswith("cannot be fixed: notes.py could not be parsed again")


# What is reported


def test_what_was_fixed_is_listed_by_its_place_whatever_was_mended_first(project: WriteFiles) -> None:
    warned = IMPORT + "loader = DataLoader([], num_workers=4)\n"
    project({"zebra.py": CONTRADICTION, "ant.py": warned + CONTRADICTION})
    report = mended("zebra.py", "ant.py")
    assert [(one.code, one.span.path) for one in report.fixed] == [
        ("LL101", "ant.py"),
        ("LL201", "ant.py"),
        ("LL201", "zebra.py"),
    ]
    assert list(report.rewritten) == ["ant.py", "zebra.py"]


def test_what_was_fixed_is_listed_with_what_was_typed(project: WriteFiles) -> None:
    project({"main.py": MODULE, "train.yaml": CONFIGURATION})
    report = mended()
    (fixed,) = report.fixed
    assert [edit.span.path for edit in report.edits[fixed]] == ["main.py", "train.yaml"]
    for path in ("main.py", "train.yaml"):
        edits = [edit for edit in report.edits[fixed] if edit.span.path == path]
        assert typed(report.sources[path], edits) == after(report, path)


def typed(source: Source, edits: list[Any]) -> str:
    """Return the text of a source after an editor has typed these edits."""
    text = source.text
    for edit in sorted(edits, key=lambda one: one.span, reverse=True):
        text = text[: source.offset(*edit.span.start)] + edit.content + text[source.offset(*edit.span.end) :]
    return text


def test_what_is_left_comes_with_what_its_fix_would_type(project: WriteFiles) -> None:
    project({"train.py": CONTRADICTION})
    report = mended(fix=False)
    (left,) = report.findings
    assert report.rewritten == {}
    assert typed(report.sources["train.py"], list(report.edits[left])) == MENDED


def test_places_of_what_is_left_are_those_after_the_fixes(project: WriteFiles) -> None:
    call = "loader = DataLoader(\n    [],\n    num_workers=0,\n    prefetch_factor=2,\n)\n"
    project({"train.py": IMPORT + call + "other = DataLoader([], num_workers=-1)\n"})
    report = mended()
    (left,) = report.findings
    source = report.source("train.py")
    assert source is not None
    assert (source.at(left.span), left.span.line) == ("-1", 6)


# Whole runs


def test_json_has_the_edits_of_what_is_left_and_of_what_was_fixed(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"train.py": CONTRADICTION})
    edit = {"path": "train.py", "line": 2, "column": 38, "end_line": 2, "end_column": 57, "content": ""}
    cli.run(["--format", "json"])
    assert json.loads(capsys.readouterr().out)["findings"][0]["fix"]["edits"] == [edit]
    cli.run(["--fix", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert report["findings"] == []
    assert report["fixed"][0]["fix"]["edits"] == [edit]
    assert report["summary"]["files_changed"] == 1
    assert (report["summary"]["fixable"], report["summary"]["unsafe_fixable"]) == (0, 0)


@pytest.mark.parametrize(("read_only", "promised"), [(True, False), (False, True)])
def test_a_fix_that_could_not_be_written_is_not_promised_again(
    read_only: bool, promised: bool, project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"other.py": CONTRADICTION})
    if read_only:
        Path("other.py").chmod(stat.S_IREAD)
    assert cli.run(["--fix"] if read_only else ["--no-cache"]) == (2 if read_only else 1)
    out = capsys.readouterr().out
    assert ("fixable" in out, "safe: --fix" in out, "not fixed: " in out) == (promised, promised, not promised)


def test_unsafe_fixes_without_fix_shows_what_it_could_do(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"main.py": COMMENTED, "train.yaml": CONFIGURATION})
    assert cli.run(["--unsafe-fixes", "--platform", "windows"]) == 1
    assert "unsafe: --fix --unsafe-fixes" in " ".join(capsys.readouterr().out.split())
    assert Path("main.py").read_text() == COMMENTED


def test_what_is_left_is_shown_in_the_code_as_it_is_after_the_fixes(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    call = "loader = DataLoader(\n    [],\n    num_workers=0,\n    prefetch_factor=2,\n)\n"
    project({"train.py": IMPORT + call + "other = DataLoader([], num_workers=-1)\n"})
    assert cli.run(["--fix"]) == 1
    assert "6 | other = DataLoader([], num_workers=-1)\n" in capsys.readouterr().out


def test_files_that_share_a_fix_are_written_together_or_not_at_all(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"main.py": MODULE, "train.yaml": CONFIGURATION, "other.py": CONTRADICTION})
    Path("train.yaml").chmod(stat.S_IREAD)
    assert cli.run(["--fix", "--platform", "windows", "--format", "json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert Path("main.py").read_text() == MODULE
    assert Path("other.py").read_text() == MENDED
    assert [(one["path"], one["message"]) for one in report["errors"]] == [("train.yaml", "the file is read-only")]
    assert [(one["path"], one["line"]) for one in report["findings"]] == [("train.yaml", 4)]
    assert {edit["path"] for edit in report["findings"][0]["fix"]["edits"]} == {"main.py", "train.yaml"}
    assert [one["path"] for one in report["fixed"]] == ["other.py"]
    assert report["summary"]["files_changed"] == 1


def test_a_file_that_cannot_be_parsed_does_not_keep_others_from_being_fixed(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = IMPORT + "DataLoader([], num_workers=0, prefetch_factor=2\n"
    project({"broken.py": broken, "train.py": CONTRADICTION, "train.yaml": "num_workers: [\n"})
    assert cli.run(["--fix", "--format", "json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in report["errors"]] == ["broken.py", "train.yaml"]
    assert Path("train.py").read_text() == MENDED
    assert Path("broken.py").read_text() == broken


def test_trace_of_a_file_that_cannot_be_parsed_says_so_and_exits_with_2(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"broken.py": IMPORT + "DataLoader([], num_workers=0\n", "train.py": CONTRADICTION})
    assert cli.run(["trace", "broken.py"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("loaderlint: broken.py:2: ")
    assert cli.run(["trace", "."]) == 2
    assert "train.py:2:10" in capsys.readouterr().out
    assert cli.run(["trace", "train.py"]) == 0


# Standard input


def piped(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], content: str, *arguments: str
) -> tuple[int, bytes, bytes]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    code = cli.run(["--fix", "--platform", "windows", *arguments])
    out, err = capsysbinary.readouterr()
    return code, out, err


def test_fixing_standard_input_changes_no_other_file(
    project: WriteFiles, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    content = MODULE + "\n\nloader = DataLoader([], num_workers=0, timeout=5)\n"
    project({"main.py": "", "train.yaml": CONFIGURATION})
    code, out, err = piped(monkeypatch, capsysbinary, content, "--stdin-filename", "main.py", "-")
    assert code == 1
    assert out.decode() == content.replace(", timeout=5", "")
    assert b"train.yaml:4:18: warning LL101" in err
    assert (Path("main.py").read_text(), Path("train.yaml").read_text()) == ("", CONFIGURATION)


def test_standard_input_without_a_name_is_fixed_as_a_python_file_is(
    project: WriteFiles, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    content = MODULE + "\n\nloader = DataLoader([], num_workers=4)\n"
    project({"main.py": ""})
    results = [
        piped(monkeypatch, capsysbinary, content, "--platform", "linux", *name, "-")[:2]
        for name in ((), ("--stdin-filename", "main.py"))
    ]
    assert results[0] == results[1]
    assert b'num_workers=0 if sys.platform == "win32" else 4' in results[0][1]


def test_standard_input_is_judged_by_the_files_beside_its_name(
    project: WriteFiles, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    project({"package/.git/HEAD": "", "package/train.yaml": CONFIGURATION.replace("4", "2"), "package/main.py": MODULE})
    code, out, err = piped(
        monkeypatch, capsysbinary, CONFIGURATION, "--stdin-filename", "package/train.yaml", "--format", "concise", "-"
    )
    assert (code, out.decode()) == (1, CONFIGURATION)
    assert err.startswith(b"package/train.yaml:4:18: LL101")


def test_standard_input_named_beside_files_is_all_that_is_fixed(
    project: WriteFiles, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    project({"train.py": CONTRADICTION})
    code, out, _ = piped(monkeypatch, capsysbinary, CONTRADICTION, "-", "train.py")
    assert (code, out.decode()) == (1, MENDED)
    assert Path("train.py").read_text() == CONTRADICTION


@posix_links
def test_a_link_that_was_met_is_not_followed_out_of_the_project(
    project: WriteFiles, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"home/pyproject.toml": "", "home/inner/real.txt": CONTRADICTION, "away/train.txt": CONTRADICTION})
    home, away = tmp_path / "home", tmp_path / "away" / "train.txt"
    (home / "out.py").symlink_to(away)
    (home / "within.py").symlink_to(Path("inner", "real.txt"))
    assert cli.run(["--fix", "home"]) == 1
    assert away.read_text() == CONTRADICTION
    assert (home / "inner" / "real.txt").read_text() == MENDED
    assert "home/out.py is a link to a file outside of the project" in capsys.readouterr().out
    assert cli.run(["--fix", "home/out.py"]) == 0
    assert away.read_text() == MENDED


@posix_links
def test_a_file_of_two_names_is_written_once_and_fixed_under_both(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"train.py": CONTRADICTION})
    Path("second.py").hardlink_to("train.py")
    assert cli.run(["--fix", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in report["fixed"]] == ["second.py", "train.py"]
    assert Path("second.py").read_text() == Path("train.py").read_text() == MENDED
