"""However many processes work on the parts of a project, what is said is the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from loaderlint import cache
from loaderlint.cli import run
from loaderlint.engine import lint
from loaderlint.judging import WORTH_A_PROCESS, Kept
from loaderlint.linking.files.known import Readings
from loaderlint.model.source import Language, Source
from loaderlint.settings import SettingsIndex
from tests.conftest import WriteFiles

WORTH_IT = "#" * WORTH_A_PROCESS + "\n"
LOADS = (
    "import yaml\nfrom torch.utils.data import DataLoader\nfrom sizes import WORKERS\n"
    "config = yaml.safe_load(open('train.yaml'))\n"
    "for batch in DataLoader([1], num_workers=WORKERS): print(batch)\n"
    "for batch in DataLoader([1], num_workers=config['workers'], prefetch_factor=2): print(batch)\n"
)
FILES: dict[str, str | bytes] = {
    **{
        f"{part}/{name}": text
        for part in "abc"
        for name, text in (
            ("main.py", LOADS + WORTH_IT),
            ("sizes.py", "WORKERS = 4\n"),
            ("train.yaml", "workers: 0\n"),
        )
    },
    "d/main.py": LOADS.replace("WORKERS)", "8)  # loaderlint: ignore[LL101, LL305]"),
    "d/train.yaml": "workers: [\n",
    "e/main.py": "from torch.utils.data import DataLoader\nDataLoader(\n",
}
Ask = Callable[..., str]


@pytest.fixture
def ask(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> Ask:
    """A project of several parts; calling it gives what is printed on both streams."""
    project(FILES)

    def asked(*arguments: str) -> str:
        run(["--platform", "windows", "--platform", "linux", *arguments])
        return "".join(capsys.readouterr())

    return asked


@pytest.mark.parametrize("arguments", [(), ("--format", "json"), ("--diff", "--unsafe-fixes"), ("-v", "a", "d")])
def test_any_number_of_processes_says_the_same(arguments: tuple[str, ...], ask: Ask) -> None:
    alone = ask(*arguments, "--no-cache", "--jobs", "1")
    assert "LL" in alone or "sys.platform" in alone
    assert ask(*arguments, "--no-cache", "--jobs", "3") == alone


def test_a_fix_writes_the_same(ask: Ask, project: WriteFiles) -> None:
    def written() -> dict[str, bytes]:
        return {path: Path(path).read_bytes() for path in FILES}

    ask("--fix", "--jobs", "1")
    alone = written()
    assert alone["a/main.py"] != FILES["a/main.py"]
    project(FILES)
    ask("--fix", "--jobs", "3")
    assert written() == alone


@pytest.mark.parametrize("changed", ["a/sizes.py", "c/train.yaml", "b/main.py"])
def test_what_is_kept_of_a_run_knows_what_other_processes_read(
    changed: str, ask: Ask, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(cache.OFF)
    folder = str(tmp_path_factory.mktemp("kept"))
    before = ask("--cache-dir", folder, "--jobs", "3")
    assert ask("--cache-dir", folder, "--jobs", "1") == before
    text = Path(changed).read_text()
    Path(changed).write_text(text.replace("WORKERS = 4", "WORKERS = 0").replace("workers: 0", "workers: 2")[:90])
    after = ask("--cache-dir", folder, "--jobs", "3")
    assert after != before
    assert after == ask("--no-cache", "--jobs", "1")


def _source(path: str, text: str) -> Source:
    language = Language.of(path)
    assert language is not None
    return Source(path, f"/project/{path}", language, text.encode())


PARTS = {
    path: _source(path, text)
    for path, text in {
        "a/main.py": "from torch.utils.data import DataLoader\nDataLoader([1], num_workers=0, prefetch_factor=2)\n",
        "b/main.py": "from torch.utils.data import DataLoader\nDataLoader([1], num_workers=0, prefetch_factor=2)\n",
        "run.sh": "srun --cpus-per-task=4 python b/main.py\n",
    }.items()
}
ALL = frozenset(PARTS)


@pytest.mark.parametrize(
    ("path", "text", "again"),
    [
        ("a/main.py", "from torch.utils.data import DataLoader\nDataLoader([1], num_workers=0)\n", {"b/main.py"}),
        ("run.sh", "srun --cpus-per-task=8 python b/main.py\n", set()),
    ],
)
def test_a_part_that_did_not_change_is_not_looked_at_again(path: str, text: str, again: set[str]) -> None:
    settings = SettingsIndex(isolated=True)
    kept = Kept(Readings())
    first = lint(PARTS, ALL, settings.for_path, None, kept=kept)
    before = dict(kept.said)
    after = {**PARTS, path: replace(PARTS[path], content=text.encode())}
    second = lint(after, ALL, settings.for_path, None, kept=kept)
    assert {min(of[0]) for of, one in kept.said.items() if one is before.get(of)} == again
    assert second == lint(after, ALL, settings.for_path, None)
    assert first == lint(PARTS, ALL, settings.for_path, None)


READS = (
    "import os\nimport yaml\nfrom torch.utils.data import DataLoader\n"
    "if __name__ == '__main__':\n"
    "    config = yaml.safe_load(open({}))\n"
    "    DataLoader([1], num_workers=config['num_workers'], prefetch_factor=2)\n"
)
READ_FROM_ANOTHER_PART = {
    path: _source(path, text)
    for path, text in {
        "a/main.py": READS.format('os.path.join("b", "settings", "train.yaml")'),
        "b/main.py": READS.format('"settings/train.yaml"'),
        "b/settings/train.yaml": "num_workers: 0\n",
    }.items()
}


def test_a_part_is_looked_at_again_where_a_file_of_another_changed_that_it_read() -> None:
    sources = READ_FROM_ANOTHER_PART
    settings, kept, every = SettingsIndex(isolated=True), Kept(Readings()), frozenset(sources)
    first = lint(sources, every, settings.for_path, None, kept=kept)
    assert [(one.code, one.span.path) for one in first.findings] == [("LL201", "a/main.py"), ("LL201", "b/main.py")]
    assert {min(paths) for paths, _, _ in kept.said} == {"a/main.py", "b/main.py"}
    path = "b/settings/train.yaml"
    after = {**sources, path: replace(sources[path], content=b"num_workers: 2\n")}
    assert lint(after, every, settings.for_path, None, kept=kept) == lint(after, every, settings.for_path, None)


def test_what_is_asked_otherwise_is_looked_at_again() -> None:
    settings = SettingsIndex(isolated=True)
    kept = Kept()
    lint(PARTS, ALL, settings.for_path, None, kept=kept)
    one = frozenset({"a/main.py"})
    assert lint(PARTS, one, settings.for_path, None, kept=kept) == lint(PARTS, one, settings.for_path, None)
