from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loaderlint.model.report import Report
from loaderlint.reports import diff
from tests.reports.build import source

APPLIED_BY = {"git apply": ["git", "apply", "-"], "patch": ["patch", "-p1", "--binary", "--quiet"]}


def changing(path: str, before: str, after: str, encoding: str = "utf-8") -> Report:
    """Return the report of a run that would rewrite one file."""
    return Report(sources={path: source(path, before, encoding)}, rewritten={path: after.encode(encoding)})


def applied(folder: Path, tool: str, report: Report) -> dict[str, bytes]:
    """Return the files after the tool applied the diff to what they were before."""
    command = APPLIED_BY[tool]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    for path, one in report.sources.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(one.content)
    patch = diff.render(report, color=False).encode("utf-8")
    ran = subprocess.run(command, input=patch, cwd=folder, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
    return {path: (folder / path).read_bytes() for path in report.sources}


def test_the_diff_is_unified_with_the_prefixes_of_git() -> None:
    assert diff.render(changing("conf/a.yaml", "a: 1\nworkers: 4\n", "a: 1\nworkers: 0\n"), color=False) == (
        "--- a/conf/a.yaml\n+++ b/conf/a.yaml\n@@ -1,2 +1,2 @@\n a: 1\n-workers: 4\n+workers: 0\n"
    )


def test_a_missing_last_newline_is_marked() -> None:
    assert diff.render(changing("a.yaml", "workers: 4", "workers: 0"), color=False) == (
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n"
        "-workers: 4\n\\ No newline at end of file\n+workers: 0\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize("tool", APPLIED_BY)
@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.yaml", "a: 1\nworkers: 4\n", "a: 1\nworkers: 0\n"),
        ("deep/er/a.yaml", "workers: 4", "workers: 0"),
        ("a.py", "x = 4", "x = 4\n"),
        ("a.py", "x = 4\n", "import sys\nx = 0"),
        ("a.yaml", "a: 1\r\nworkers: 4\r\nb: 2\r\n", "a: 1\r\nworkers: 0\r\nb: 2\r\n"),
        ("a.yaml", "a: 1\r\nworkers: 4", "a: 1\r\nworkers: 0"),
        ("a.py", "x = 4\ry = 4\r", "x = 0\ry = 4\r"),
        ("a.py", "\ufeffx = 4\n\x0c\ny = '\x1b\u2028'\nz = 4\n", "\ufeffx = 0\n\x0c\ny = '\x1b\u2028'\nz = 4\n"),
        ("a.py", "\n" * 9 + "x = 4\n" + "\n" * 9, "\n" * 9 + "x = 0\n" + "\n" * 9),
        ("a folder/a file.py", "x = 4\n", "x = 0\n"),
        ("größe/語.py", "x = 4\n", "x = 0\n"),
        ("--- a.py", "-- x = 4\n", "-- x = 0\n"),
    ],
)
def test_the_diff_can_be_applied(tmp_path: Path, tool: str, path: str, before: str, after: str) -> None:
    assert applied(tmp_path, tool, changing(path, before, after)) == {path: after.encode()}


@pytest.mark.parametrize("path", ['a"b.py', "back\\slash.py", "tab\there.py", "new\nline.py"])
def test_a_name_that_must_be_quoted_can_be_applied(tmp_path: Path, path: str) -> None:
    assert applied(tmp_path, "git apply", changing(path, "x = 4\n", "x = 0\n")) == {path: b"x = 0\n"}


def test_several_files_are_one_diff_in_order_of_their_paths(tmp_path: Path) -> None:
    paths = ("b.yaml", "a.py", "c/d.yaml")
    both = Report(sources={path: source(path, "x: 4") for path in paths}, rewritten=dict.fromkeys(paths, b"x: 0"))
    headers = [row for row in diff.render(both, color=False).splitlines() if row.startswith("---")]
    assert headers == ["--- a/a.py", "--- a/b.yaml", "--- a/c/d.yaml"]
    assert set(applied(tmp_path, "git apply", both).values()) == {b"x: 0"}


LINES = st.lists(st.sampled_from(["x = 4", "", "\r", "y = 0\r", "-- z", "@@"]), max_size=8).map("\n".join)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=LINES.filter(bool), after=LINES.filter(bool))
def test_any_change_of_lines_can_be_applied(tmp_path: Path, before: str, after: str) -> None:
    if before != after:
        assert applied(tmp_path, "git apply", changing("a.py", before, after)) == {"a.py": after.encode()}


def test_a_file_is_decoded_as_it_was_read() -> None:
    report = changing("a.py", "# coding: latin-1\nx = 'é', 4\n", "# coding: latin-1\nx = 'é', 0\n", "latin-1")
    assert "-x = 'é', 4\n+x = 'é', 0\n" in diff.render(report, color=False)


@pytest.mark.parametrize("color", [True, False])
def test_nothing_to_change_is_an_empty_diff(color: bool) -> None:
    assert diff.render(Report(sources={"a.py": source("a.py", "x = 4\n")}), color=color) == ""


def test_a_diff_for_a_terminal_is_colored_and_sends_no_escape_code_of_the_file() -> None:
    told = diff.render(changing("a.py", "x = '\x1b[2J'\r\n", "y = '\x1b[2J'\r\n"), color=True)
    assert "\x1b[31m-x = '\\x1b[2J'\x1b[0m\n\x1b[32m+y = '\\x1b[2J'\x1b[0m\n" in told
    assert "\r" not in told
