"""Whole runs: files in, exit code, report and files out."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from loaderlint.cli import run
from tests.conftest import WriteFiles

SCRIPT = """\
from torch.utils.data import DataLoader


def load(dataset):
    return DataLoader(dataset, num_workers=0, prefetch_factor=2)
"""
MENDED = SCRIPT.replace(", prefetch_factor=2", "")
WORKERS = SCRIPT.replace("num_workers=0, prefetch_factor=2", "num_workers=4")
CODE = "LL201"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(arguments)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_finding_is_shown_and_exits_with_1(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT})
    code, out, err = said(capsys, "--format", "concise", "--quiet")
    assert (code, err) == (1, "")
    assert out.startswith("train.py:5:63: LL201")
    assert said(capsys, "--exit-zero", "--quiet")[0] == 0


def test_without_fix_nothing_is_written(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT})
    said(capsys)
    said(capsys, "--diff")
    assert Path("train.py").read_text() == SCRIPT


def test_fix_writes_and_a_second_time_changes_nothing(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT.replace("\n", "\r\n")})
    assert said(capsys, "--fix", "--exit-non-zero-on-fix")[0] == 1
    assert Path("train.py").read_bytes() == MENDED.replace("\n", "\r\n").encode()
    assert said(capsys, "--fix", "--exit-non-zero-on-fix")[0] == 0
    assert Path("train.py").read_bytes() == MENDED.replace("\n", "\r\n").encode()


def test_fix_exits_with_0_when_all_was_fixed(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT})
    assert said(capsys, "--fix")[0] == 0


def test_diff_is_a_patch_that_does_what_fix_does(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT})
    code, out, err = said(capsys, "--diff")
    assert (code, err) == (1, "")
    try:
        subprocess.run(["git", "apply", "-p1"], input=out.encode(), check=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    assert Path("train.py").read_text() == MENDED
    assert said(capsys, "--diff") == (0, "", "")


def test_a_file_that_cannot_be_parsed_exits_with_2_and_the_rest_goes_on(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"broken.py": "from torch.utils.data import DataLoader\ndef (:\n", "train.py": SCRIPT})
    code, out, _ = said(capsys, "--format", "json")
    report = json.loads(out)
    assert code == 2
    assert [(one["path"], one["line"]) for one in report["errors"]] == [("broken.py", 2)]
    assert [one["code"] for one in report["findings"]] == [CODE]
    assert said(capsys, "--exit-zero")[0] == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms take no such name")
@pytest.mark.parametrize("options", [(), ("--format", "json"), ("--format", "concise"), ("--diff",), ("--fix",)])
def test_a_file_whose_name_is_no_text_is_linted_like_the_others(options: tuple[str, ...], project: WriteFiles) -> None:
    project({"train.py": SCRIPT})
    named = os.fsdecode(b"bad\xff.py")
    Path(named).write_text("from torch.utils.data import DataLoader\nfor one in DataLoader([1], num_workers=2): ...\n")
    code = run(("--platform", "windows", *options))
    assert code == (0 if options == ("--fix",) else 1)
    assert ("__main__" in Path(named).read_text()) is (options == ("--fix",))


@pytest.mark.parametrize("name", ["settings.json", "settings.toml"])
def test_json_and_toml_of_another_dialect_are_errors_only_where_they_are_named(
    name: str, project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({name: '// {"num_workers": 4,}\n', "train.py": "from torch.utils.data import DataLoader\n"})
    assert said(capsys)[0] == 0
    code, out, _ = said(capsys, "--format", "json", name)
    assert code == 2
    assert [(one["path"], one["line"]) for one in json.loads(out)["errors"]] == [(name, 1)]


def test_a_write_that_fails_exits_with_2_and_the_finding_is_left(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"train.py": SCRIPT, "other.py": SCRIPT})
    Path("train.py").chmod(stat.S_IREAD)
    code, out, _ = said(capsys, "--fix", "--format", "json")
    report = json.loads(out)
    assert code == 2
    assert [one["path"] for one in report["errors"]] == ["train.py"]
    assert [one["path"] for one in report["findings"]] == ["train.py"]
    assert [one["path"] for one in report["fixed"]] == ["other.py"]
    assert Path("train.py").read_text() == SCRIPT


def test_the_report_says_what_was_looked_at(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT, "setup.py": "", "conf/a.yaml": "name: x\n"})
    report = json.loads(said(capsys, "--format", "json")[1])
    assert (report["files_seen"], report["files_read"]) == (3, 1)


def test_options_and_settings_decide_targets_and_rules(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": WORKERS, "loaderlint.toml": 'platforms = ["windows"]\n'})
    assert "LL101" in said(capsys, "--format", "concise")[1]
    assert said(capsys, "--platform", "linux")[0] == 0
    assert said(capsys, "--ignore", "workers-on-windows")[0] == 0
    assert said(capsys, "--select", "LL2")[0] == 0
    assert said(capsys, "--min-severity", "error")[0] == 0
    assert said(capsys, "--isolated", "--platform", "linux")[0] == 0


def test_a_report_can_go_to_a_file(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT})
    assert said(capsys, "--format", "json", "--output", "report.json") == (1, "", "")
    assert json.loads(Path("report.json").read_text())["summary"]["findings"] == 1


def test_standard_input_is_linted_under_its_name(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, SCRIPT.encode())
    code, out, _ = said(capsys, "-", "--stdin-filename", "pkg/train.py", "--format", "concise")
    assert code == 1
    assert out.startswith("pkg/train.py:5:")


def test_fixing_standard_input_prints_the_result_and_writes_no_file(
    project: WriteFiles, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    project({"train.py": "on disk\n"})
    feed(monkeypatch, b"\xef\xbb\xbf" + SCRIPT.encode())
    assert run(["--fix", "-", "--stdin-filename", "train.py"]) == 0
    out, err = capsysbinary.readouterr()
    assert out == b"\xef\xbb\xbf" + MENDED.encode()
    assert b"1 fixed" in err
    assert Path("train.py").read_text() == "on disk\n"


def test_fixing_standard_input_that_cannot_be_parsed_gives_it_back(
    project: WriteFiles, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, b"DataLoader(\n")
    assert run(["--fix", "-"]) == 2
    assert capsysbinary.readouterr().out == b"DataLoader(\n"


def test_values_are_followed_into_files_that_were_not_named(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project(
        {
            "options.py": "WORKERS = 4\n",
            "train.py": SCRIPT.replace("num_workers=0, prefetch_factor=2", "num_workers=WORKERS").replace(
                "\n\n\ndef", "\nfrom options import WORKERS\n\n\ndef"
            ),
        }
    )
    report = json.loads(said(capsys, "--platform", "windows", "--format", "json", "train.py")[1])
    assert [one["path"] for one in report["findings"]] == ["options.py"]


@pytest.mark.parametrize("named", ["train.py", "data.py", "."])
def test_a_script_that_runs_a_loader_of_another_file_is_found_whatever_is_named(
    named: str, project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    making = (
        "from torch.utils.data import DataLoader\n\n\ndef load():\n    return DataLoader(range(8), num_workers=2)\n"
    )
    running = "from data import load\n\nfor batch in load():\n    print(batch)\n"
    project({"data.py": making, "train.py": running, "tools.py": "def load():\n    return 1\n"})
    report = json.loads(said(capsys, "--platform", "macos", "--format", "json", named)[1])
    assert [(one["code"], one["path"]) for one in report["findings"]] == [("LL102", "train.py")]


def test_trace_shows_the_loaders_of_a_file_or_a_line(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT + "\n\n" + MENDED})
    assert said(capsys, "trace", "train.py")[1].count("torch.utils.data.DataLoader") == 2
    (loader,) = json.loads(said(capsys, "trace", "train.py:5", "--format", "json")[1])["loaders"]
    assert loader["line"] == 5
    assert [one["constant"] for one in loader["options"]["prefetch_factor"]["candidates"]] == [2]
    assert json.loads(said(capsys, "trace", "train.py:1", "--format", "json")[1])["loaders"] == []


READS_OPTIONS = """\
from options import WORKERS
from torch.utils.data import DataLoader

train = DataLoader([1], num_workers=WORKERS)
val = DataLoader([1], num_workers=0)
"""


def test_trace_of_a_place_where_no_loader_stands_shows_those_it_reaches(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"options.py": "WORKERS = 4\nDEPTH = 2\n", "train.py": READS_OPTIONS})

    def lines(place: str) -> list[int]:
        return [one["line"] for one in json.loads(said(capsys, "trace", place, "--format", "json")[1])["loaders"]]

    assert lines("options.py") == lines("options.py:1") == [4]
    assert lines("options.py:2") == []
    assert lines("train.py") == [4, 5]


SUBCLASS = """\
from torch.utils.data import DataLoader


class Loader(DataLoader):
    def __init__(self, data, workers):
        super().__init__(data, num_workers=workers)


train = Loader([1], 4)
val = print(1)
"""


def test_trace_takes_several_places_and_shows_each_loader_once(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"options.py": "WORKERS = 4\n", "train.py": READS_OPTIONS, "other.py": READS_OPTIONS})

    def places(*asked: str) -> list[str]:
        told = said(capsys, "trace", "--format", "json", *asked)[1]
        return [f"{one['path']}:{one['line']}" for one in json.loads(told)["loaders"]]

    assert places("train.py:5", "other.py:4") == ["other.py:4", "train.py:5"]
    assert places("train.py", "train.py:5:7", "options.py") == ["other.py:4", "train.py:4", "train.py:5"]
    assert places(".") == places("train.py", "other.py")


def test_trace_of_a_line_with_nothing_on_it_says_so_and_what_stands_near(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"options.py": "WORKERS = 4\nDEPTH = 2\n", "train.py": READS_OPTIONS})
    code, out, err = said(capsys, "trace", "options.py:2", "train.py:1")
    assert (code, err) == (0, "")
    assert " ".join(out.split()) == (
        "No loader stands at options.py:2, and no value written on that line reaches one. "
        "Values that reach one: line 1. "
        "No loader stands at train.py:1, and no value written on that line reaches one. "
        "Loaders of this file: lines 4 and 5."
    )


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("train.py:6", "train.py:6: the file ends at line 5"),
        ("train.py:0", "train.py:0: lines count from 1"),
        ("train.py:9:4", "train.py:9: the file ends at line 5"),
        (".:5", ".:5: this is a folder, and a line is one of a file"),
        ("./gone.py:5", "gone.py:1: there is no such file or folder"),
        ("vendored.py", "vendored.py:1: the settings exclude this file"),
    ],
)
def test_trace_of_a_place_that_does_not_exist_is_a_mistake(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], place: str, told: str
) -> None:
    settings = "exclude = ['vendored.py']\n"
    project({"train.py": READS_OPTIONS, "vendored.py": READS_OPTIONS, "loaderlint.toml": settings})
    assert said(capsys, "trace", place) == (2, "", f"loaderlint: {told}\n")
    code, out, _ = said(capsys, "trace", place, "train.py:5")
    assert code == 2
    assert out.startswith("train.py:5:7")


def test_trace_of_standard_input(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project({"options.py": "WORKERS = 4\n"})
    feed(monkeypatch, READS_OPTIONS.encode())
    assert said(capsys, "trace", "-")[1].startswith("-:4:9  torch.utils.data.DataLoader\n")


def test_trace_of_the_call_of_a_subclass_shows_the_loader_in_its_constructor(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"train.py": SUBCLASS})

    def lines(line: int) -> list[int]:
        told = said(capsys, "trace", f"train.py:{line}", "--format", "json")[1]
        return [one["line"] for one in json.loads(told)["loaders"]]

    assert lines(9) == [6]
    assert lines(10) == []


def test_trace_of_what_cannot_be_read_exits_with_2(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "trace", "gone.py:3")
    assert code == 2
    assert err.startswith("loaderlint: gone.py:")


def test_a_report_whose_reader_goes_away_is_no_error(project: WriteFiles) -> None:
    project({f"train_{number}.py": SCRIPT for number in range(20)})
    process = subprocess.Popen([sys.executable, "-m", "loaderlint"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1


@pytest.mark.parametrize("name", ["train.py", "book.ipynb", "loader.json"])
def test_a_report_takes_the_place_of_no_linted_file(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    project({"train.py": SCRIPT, "book.ipynb": '{"cells": []}', "loader.json": '{"num_workers": 4}'})
    before = Path(name).read_text()
    code, _, error = said(capsys, name, "--output", f"./{name}")
    assert (code, Path(name).read_text()) == (2, before)
    assert f"--output ./{name} would overwrite a file that is linted" in error


def test_a_report_may_take_the_place_of_the_last(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.py": SCRIPT})
    for _ in range(2):
        assert said(capsys, "--format", "json", "--output", "report.json") == (1, "", "")


def test_a_report_takes_the_place_of_no_file_that_is_met(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"train.py": SCRIPT})
    assert said(capsys, "--output", "train.py")[0] == 2
    assert Path("train.py").read_text() == SCRIPT
