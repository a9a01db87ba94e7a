from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import loaderlint

CHECKOUT = Path(__file__).parent.parent
HEAVY = {"libcst", "pathspec", "pydantic", "rich", "ruamel", "torch", "typer"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the checkout, so that no build output is left in it."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in ("loaderlint", "rules"):
        shutil.copytree(CHECKOUT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        if (CHECKOUT / name).exists():
            shutil.copy(CHECKOUT / name, copy)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(copy / "out"), str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = (copy / "out").glob("*.whl")
    return built


def started(*arguments: str, path: Path | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({"PYTHONPATH": str(path)} if path else {})}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, env=environment, encoding="utf-8"
    )


def modules_of(report: str) -> set[str]:
    """The top-level modules that ``-X importtime`` reports."""
    return set(re.findall(r"\|\s+(\w+)(?:\.\w+)*$", report, flags=re.MULTILINE))


def test_the_wheel_holds_every_module_and_the_rule_book_under_its_installed_name(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    expected = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "loaderlint").rglob("*.py")}
    expected |= {f"loaderlint/rules/{path.name}" for path in (CHECKOUT / "rules").glob("*.py")}
    assert {name for name in inside if name.endswith(".py")} == expected
    assert "loaderlint/py.typed" in inside


def test_the_wheel_finds_its_rules(wheel: Path, tmp_path: Path) -> None:
    script = "import loaderlint.rules as book; from loaderlint.__main__ import main; print(book.__file__); main()"
    done = started("-c", script, "rule", "workers-on-windows", path=wheel, cwd=tmp_path)
    origin, _, page = done.stdout.partition("\n")
    assert done.returncode == 0
    assert origin.startswith(str(wheel))
    assert "LL101" in page


def test_the_wheel_says_its_version_and_needs(wheel: Path) -> None:
    (metadata,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/METADATA"))
    lines = zipfile.ZipFile(wheel).read(metadata).decode().splitlines()
    assert f"Version: {loaderlint.__version__}" in lines
    needed = [line for line in lines if line.startswith("Requires-Dist: ") and "extra ==" not in line]
    assert not any("torch" in line for line in needed)


def test_the_installed_package_resolves_the_rule_book_from_any_folder(tmp_path: Path) -> None:
    done = started("-c", "import loaderlint.rules; print(loaderlint.rules.__doc__)", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_hooks_are_valid_and_start_what_is_installed() -> None:
    manifest = CHECKOUT / ".pre-commit-hooks.yaml"
    assert started("-m", "pre_commit", "validate-manifest", str(manifest)).returncode == 0
    for hook in YAML(typ="safe").load(manifest):
        program, *options = hook["entry"].split()
        assert program in entry_points(group="console_scripts").names
        assert started("-m", "loaderlint", *options, "--help").returncode == 0


def test_version_imports_nothing_but_the_standard_library(tmp_path: Path) -> None:
    done = started("-X", "importtime", "-m", "loaderlint", "--version", cwd=tmp_path)
    assert done.stdout == f"loaderlint {loaderlint.__version__}\n"
    assert modules_of(done.stderr) & HEAVY == set()


def test_a_run_with_nothing_to_do_loads_no_parser_and_no_renderer(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("import setuptools\n")
    done = started("-X", "importtime", "-m", "loaderlint", cwd=tmp_path)
    assert done.returncode == 0
    assert modules_of(done.stderr) & (HEAVY - {"typer"}) == set()


def test_a_fix_does_without_the_matchers_of_libcst(tmp_path: Path) -> None:
    # To import them takes longer than all the rest of libcst.
    (tmp_path / "train.py").write_text("from torch.utils.data import DataLoader\nDataLoader([1], prefetch_factor=2)\n")
    done = started("-X", "importtime", "-m", "loaderlint", "--fix", "--isolated", cwd=tmp_path)
    assert (tmp_path / "train.py").read_text() == "from torch.utils.data import DataLoader\nDataLoader([1])\n"
    assert "libcst._nodes" in done.stderr
    assert "libcst.matchers" not in done.stderr
