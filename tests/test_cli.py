from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import loaderlint
from loaderlint.cli import run
from tests.conftest import WriteFiles

Captured = pytest.CaptureFixture[str]


def said(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    code = run(arguments)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


# Commands


def test_nothing_to_lint_is_no_finding(project: WriteFiles, capsys: Captured) -> None:
    project({"setup.py": "import setuptools\n"})
    code, out, err = said(capsys)
    assert (code, err) == (0, "")
    assert "No findings in 1 file" in out


def test_a_file_that_is_named_although_it_is_excluded_is_said_to_be(project: WriteFiles, capsys: Captured) -> None:
    project({"loaderlint.toml": "exclude = ['old/']\n", "old/a.py": "", "old/b.py": "", "new.py": ""})
    code, out, err = said(capsys, "old/a.py")
    assert (code, err) == (0, "")
    assert out == "No findings in 0 files.\nNot looked at: old/a.py, which the settings exclude.\n"
    named = said(capsys, "new.py", "old/b.py", "old/a.py")[1]
    assert "Not looked at: old/b.py and 1 other file, which the settings exclude." in named
    assert said(capsys, "old")[1] == "No findings in 0 files.\nNot looked at: old, which the settings exclude.\n"
    assert said(capsys, "--quiet", "old/a.py")[1] == ""
    assert "exclude" not in said(capsys, ".")[1]


@pytest.mark.parametrize("name", ["rule", "trace", "config", "doctor", "lint"])
def test_a_path_is_never_mistaken_for_a_command(name: str, project: WriteFiles, capsys: Captured) -> None:
    project({f"{name}/empty.py": ""})
    code, out, _ = said(capsys, f"./{name}")
    assert code == 0
    assert "No findings in 1 file" in out


def test_a_folder_that_is_named_as_no_command_needs_no_prefix(project: WriteFiles, capsys: Captured) -> None:
    project({"lint/empty.py": "", "rules/empty.py": ""})
    assert "No findings in 2 files" in said(capsys, "lint", "rules")[1]


def test_a_command_is_only_the_first_argument(project: WriteFiles, capsys: Captured) -> None:
    project({"rule/empty.py": ""})
    assert "No findings in 1 file" in said(capsys, "--verbose", "rule")[1]


def test_version_and_help(capsys: Captured) -> None:
    assert said(capsys, "--version") == (0, f"loaderlint {loaderlint.__version__}\n", "")
    code, out, _ = said(capsys, "--help")
    assert code == 0
    for word in ("--unsafe-fixes", "--extend-select", "trace", "config"):
        assert word in out


def test_every_option_of_the_contract_parses(project: WriteFiles, capsys: Captured) -> None:
    options = (
        "--select LL --ignore LL6,LL101 --extend-select LL2 --platform linux --platform windows --python 3.14 "
        "--python 3.12 --torch 2.8 --accelerator rocm --cpus 8 --min-severity warning --pedantic --format json "
        "--output report.json --stdin-filename x.py --isolated --jobs 2 --no-cache --cache-dir d --exit-zero "
        "--exit-non-zero-on-fix --statistics -q -v --fix --unsafe-fixes"
    )
    assert said(capsys, *options.split()) == (0, "", "")
    report = json.loads(Path("report.json").read_text())
    assert [(one["platform"], one["python"]) for one in report["targets"]] == [
        ("linux", "3.14"),
        ("linux", "3.12"),
        ("windows", "3.14"),
        ("windows", "3.12"),
    ]
    assert {(one["torch"], one["accelerator"], one["cpus"]) for one in report["targets"]} == {("2.8", "rocm", 8)}


# Mistakes: exit code 2, one line, no traceback


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone.py"], "gone.py"),
        (["--fo"], "No such option"),
        (["--no-cache", "trace", "x.py"], "`trace` is a command, and so comes before all options: loaderlint trace"),
        (["--platform", "beos"], "loaderlint: --platform: platforms[0] should be "),
        (["--python", "2.7"], "--python: python[0] should be a version such as '3.12', and is '2.7'"),
        (["--python", "three"], "--python: python[0] should be a version such as '3.12', and is 'three'"),
        (["--torch", "new"], "--torch: torch should be a version such as '2.6', and is 'new'"),
        (["--cpus", "0"], "--cpus: cpus should be greater than or equal to 1"),
        (["--cpus", "many"], "--cpus"),
        (["--jobs", "0"], "--jobs"),
        (["--select", "LL1,worker-on-windows"], "did you mean 'workers-on-windows'?"),
        (["--select", "LL2O1"], "did you mean 'LL201'?"),
        (["--ignore", "LL1Ol"], "did you mean 'LL101'?"),
        (["--select", "LL2O"], "did you mean 'LL20'?"),
        (["--format", "jsn"], "did you mean 'json'?"),
        (["--format", "sarif"], "--format sarif is not in this version yet"),
        (["--baseline", "b.json"], "--baseline is not in this version yet"),
        (["--add-ignores"], "--add-ignores is not in this version yet"),
        (["--shm", "64m"], "--shm is not in this version yet"),
        (["--fix", "--diff"], "give one of them"),
        (["--diff", "--format", "json"], "--diff shows a unified diff, and no report as json"),
        (["rule", "LL10x"], "there is no rule 'LL10x'"),
        (["--config", "gone.toml"], "gone.toml"),
        (["--config", "x.toml", "--isolated"], "give one of them"),
        (["--output", "no/such/folder/report"], "no/such/folder/report"),
        (["rule", "worker-on-windows"], "did you mean workers-on-windows?"),
        (["rule", "--format", "yaml"], "there is no format 'yaml' here"),
        (["config", "gone"], "gone: there is no such file or folder"),
        (["doctor"], "doctor is not in this version yet"),
        (["doctor", "--deadline", "60", "train.py"], "doctor is not in this version yet"),
        (["trace"], "PATH"),
    ],
)
def test_a_mistake_is_said_and_exits_with_2(
    arguments: list[str], message: str, project: WriteFiles, capsys: Captured
) -> None:
    code, out, err = said(capsys, *arguments)
    assert code == 2
    assert message in out + err


def test_a_mistake_in_settings_names_file_and_line(project: WriteFiles, capsys: Captured) -> None:
    project({"pyproject.toml": '[tool.loaderlint]\nplaforms = ["linux"]\n', "empty.py": ""})
    code, out, err = said(capsys)
    assert (code, out) == (2, "")
    assert err == "loaderlint: pyproject.toml:2: unknown key 'plaforms'; did you mean 'platforms'?\n"


def test_all_mistakes_in_a_settings_file_are_named_at_once(project: WriteFiles, capsys: Captured) -> None:
    project({"loaderlint.toml": 'plaforms = ["linux"]\ncpus = 0\npython = ["3.12", 3.13]\n', "empty.py": ""})
    assert said(capsys)[2].splitlines() == [
        "loaderlint: loaderlint.toml:1: unknown key 'plaforms'; did you mean 'platforms'?",
        "loaderlint: loaderlint.toml:2: cpus should be greater than or equal to 1, and is 0",
        "loaderlint: loaderlint.toml:3: python[1] should be in quotes, and is 3.13",
    ]
    project({"loaderlint.toml": 'select = ["LL77"]\nignore = ["LL1", "hihg-prefetch"]\n'})
    assert [line.partition(";")[0] for line in said(capsys)[2].splitlines()] == [
        "loaderlint: loaderlint.toml:1: there is no rule 'LL77'",
        "loaderlint: loaderlint.toml:2: there is no rule 'hihg-prefetch'",
    ]


def test_usage_errors_are_plain_text(project: WriteFiles, capsys: Captured) -> None:
    _, _, err = said(capsys, "--nonsense")
    assert err.isascii()
    assert "\x1b" not in err


# rule and config


def test_the_table_of_rules_and_a_page(capsys: Captured) -> None:
    assert "workers-on-windows" in said(capsys, "rule")[1]
    by_name = said(capsys, "rule", "workers-on-windows")[1]
    assert by_name == said(capsys, "rule", "LL101")[1]
    assert "LL101" in by_name


def test_the_beginning_of_codes_stands_for_the_rules_that_it_selects(capsys: Captured) -> None:
    code, out, _ = said(capsys, "rule", "ll2")
    assert code == 0
    assert [line[:5] for line in out.splitlines() if line.startswith("LL")][:2] == ["LL201", "LL202"]
    assert "LL101" not in out
    listed = json.loads(said(capsys, "rule", "LL11", "--format", "json")[1])["rules"]
    assert {one["code"][:4] for one in listed} == {"LL11"}


def test_rules_for_machines(capsys: Captured) -> None:
    every = json.loads(said(capsys, "rule", "--format", "json")[1])
    one = json.loads(said(capsys, "rule", "LL101", "--format", "json")[1])
    assert one["rules"][0] in every["rules"]
    assert len(one["rules"]) == 1


def test_config_says_what_is_in_force_and_why(project: WriteFiles, capsys: Captured) -> None:
    project(
        {
            "pyproject.toml": '[tool.loaderlint]\nplatforms = ["windows"]\n',
            "inner/loaderlint.toml": 'ignore = ["LL2"]\n',
        }
    )
    lines = said(capsys, "config", "inner")[1].splitlines()
    assert 'platforms = ["windows"]  # pyproject.toml:2' in lines
    assert 'ignore = ["LL2"]  # inner/loaderlint.toml:1' in lines
    assert "torch = (not set)  # default" in lines
    at_the_top = json.loads(said(capsys, "config", "--format", "json")[1])
    assert at_the_top["settings"]["ignore"] == {"value": [], "from": "default"}
    isolated = json.loads(said(capsys, "config", "--isolated", "--format", "json")[1])
    assert isolated["settings"]["platforms"]["from"] == "default"


def test_config_prints_the_schema(capsys: Captured) -> None:
    assert "max-prefetch-factor" in json.loads(said(capsys, "config", "schema")[1])["properties"]


# Streams


def test_fixing_standard_input_gives_back_what_needs_no_fix(
    project: WriteFiles, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = "x = 'é'\r\n".encode()
    project({"loaderlint.toml": 'exclude = ["third_party/"]\n'})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run(["--fix", "--stdin-filename", "third_party/x.py", "-"]) == 0
    out, err = capsysbinary.readouterr()
    assert out == content
    assert b"No findings" in err


def test_standard_input_that_is_no_yaml_is_a_mistake(
    project: WriteFiles, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    project({})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: [1\nb: }\n")))
    code, out, _ = said(capsys, "--stdin-filename", "a.yaml", "-")
    assert code == 2
    assert out.startswith("a.yaml:2:2: error: ")


def started(
    *arguments: str, stdin: int | None = None, environment: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "loaderlint", *arguments]
    return subprocess.Popen(
        command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}
    )


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = started("rule", "--format", "json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0


ENDS_ITSELF = """
import os, signal, sys
# Whoever runs the tests, such as nohup, may have it ignored.
signal.signal(signal.{signal}, signal.SIG_DFL)
{when} = os.{name}
def told_to_end(*arguments, **options):
    os.kill(os.getpid(), signal.{signal})
    return {when}(*arguments, **options)
os.{name} = told_to_end
from loaderlint.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without a word")
@pytest.mark.parametrize(("signal", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
@pytest.mark.parametrize("name", ["fsync", "replace", "utime"])
def test_a_process_that_is_told_to_end_leaves_no_file_of_its_own(
    project: WriteFiles, name: str, signal: str, code: int
) -> None:
    bad = "from torch.utils.data import DataLoader\nDataLoader(rows, prefetch_factor=2)\n"
    project({"train.py": bad})
    program = ENDS_ITSELF.format(when="before", name=name, signal=signal)
    ended = subprocess.run(
        [sys.executable, "-c", program, "--fix", "--no-cache", "--isolated", "train.py"], capture_output=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, b"", b"")
    assert sorted(one.name for one in Path().iterdir()) == [".git", "train.py"]
    assert Path("train.py").read_text() == bad


ENDS_WHILE_IMPORTED = """
import os, signal, sys, types
signal.signal(signal.{signal}, signal.default_int_handler if signal.{signal} == signal.SIGINT else signal.SIG_DFL)
class Attribute:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.{signal})
class Module(types.ModuleType):
    @property
    def run(self):
        class Imported:
            attribute = Attribute()
sys.modules["loaderlint.cli"] = Module("loaderlint.cli")
from loaderlint.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without a word")
@pytest.mark.parametrize(("signal", "code"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_process_that_is_told_to_end_while_a_class_is_made_ends_quietly(signal: str, code: int) -> None:
    ended = subprocess.run([sys.executable, "-c", ENDS_WHILE_IMPORTED.format(signal=signal)], capture_output=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_an_interrupt_ends_quietly_with_130() -> None:
    import signal

    process = started("-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stderr is not None
    wait_until_it_reads(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert b"Traceback" not in process.stderr.read()


def wait_until_it_reads(process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has everything imported: it has then taken the byte that is on offer."""
    import time

    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()
    if sys.platform == "linux":
        import fcntl
        import termios

        while int.from_bytes(fcntl.ioctl(process.stdin, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder):
            time.sleep(0.01)
    else:
        time.sleep(3)


def test_output_for_a_stream_that_lacks_a_character_is_escaped(project: WriteFiles) -> None:
    process = started("gône.py", environment={"PYTHONIOENCODING": "ascii"})
    out, err = process.communicate()
    assert process.returncode == 2
    assert b"g\\xf4ne.py" in out
    assert err == b""
