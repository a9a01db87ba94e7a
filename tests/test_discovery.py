from __future__ import annotations

import codecs
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from loaderlint.discovery import LARGEST, Discovered, ProjectFiles, decoded, discover, project_root
from loaderlint.model.source import Language, Source
from loaderlint.settings import SettingsIndex
from tests.conftest import WriteFiles

LOADER = "from torch.utils.data import DataLoader\n"
KEY = "num_workers: 4\n"


def look(*paths: str, stdin: bytes = b"", stdin_filename: str | None = None) -> Discovered:
    return discover(paths or (".",), SettingsIndex(), stdin=stdin, stdin_filename=stdin_filename)


def seen(*paths: str) -> list[str]:
    return list(look(*paths).sources)


# Which files


def test_a_folder_gives_its_files_of_our_languages_in_order(project: WriteFiles) -> None:
    project({"b.py": LOADER, "a/c.yaml": KEY, "a/d.YML": KEY, "e.pyi": LOADER, "f.txt": LOADER, "g.toml": KEY})
    project({"h.json": KEY, "i.ini": KEY, "j.cfg": KEY, "k.CONF": KEY, "l.inix": KEY})
    assert seen() == ["a/c.yaml", "a/d.YML", "b.py", "e.pyi", "g.toml", "h.json", "i.ini", "j.cfg", "k.CONF"]


@pytest.mark.parametrize("name", ["data.json", "data.toml", "data.ini"])
def test_json_toml_and_ini_of_the_size_of_data_are_not_read(name: str, project: WriteFiles) -> None:
    project({name: KEY + " " * LARGEST, "data.yaml": KEY + " " * LARGEST})
    assert seen() == ["data.yaml"]
    assert ProjectFiles(str(Path.cwd()), SettingsIndex()).read(name) is None


@pytest.mark.parametrize(
    ("name", "table"), [("loaderlint.toml", "loaders"), ("pyproject.toml", "tool.loaderlint.loaders")]
)
def test_settings_files_are_no_configuration_of_loaders(name: str, table: str, project: WriteFiles) -> None:
    project({name: f'[{table}]\n"acme.load" = {{ num_workers = "threads" }}\n'})
    assert seen() == seen(name) == []


@pytest.mark.parametrize("name", ["a.json", "a.toml", "a.cfg"])
def test_json_toml_and_ini_that_are_no_text_are_failures_only_where_they_are_named(
    name: str, project: WriteFiles
) -> None:
    project({"a.py": LOADER, name: b"num_workers \xff"})
    assert look().failures == ()
    (failure,) = look(name).failures
    assert "is not UTF-8" in failure.message


def test_a_file_whose_bytes_cannot_matter_is_seen_but_not_read(project: WriteFiles) -> None:
    project({"train.py": LOADER, "setup.py": "import setuptools\n"})
    found = look()
    assert (list(found.sources), found.files_seen) == (["train.py"], 2)


def test_a_wrapper_of_the_settings_makes_a_file_matter(project: WriteFiles) -> None:
    project({"train.py": "build_stream(threads=4)\n", "other.py": "build(threads=4)\n"})
    assert seen() == []
    project({"loaderlint.toml": '[loaders]\n"acme.build_stream" = { num_workers = "threads" }\n'})
    assert seen() == ["train.py"]


def test_what_does_not_matter_by_its_own_settings_may_by_those_of_the_working_folder(project: WriteFiles) -> None:
    project({"train.py": LOADER, "a/load.py": "build_stream(threads=4)\n", "b/load.py": "build_stream(threads=4)\n"})
    project({"loaderlint.toml": '[loaders]\n"acme.build_stream" = { num_workers = "threads" }\n'})
    project({"a/loaderlint.toml": '[loaders]\n"acme.other" = { num_workers = "threads" }\n'})
    found = look()
    assert list(found.sources) == ["b/load.py", "train.py"]
    assert not any(location.endswith("load.py") for location in found.immaterial)
    assert set(ProjectFiles(str(Path.cwd()), SettingsIndex()).sources(found.immaterial)) >= {"a/load.py"}


def test_what_was_read_and_does_not_matter_is_not_read_again(project: WriteFiles) -> None:
    project({"train.py": LOADER, "setup.py": "import setuptools\n"})
    immaterial = look().immaterial
    project({"setup.py": LOADER})
    files = ProjectFiles(str(Path.cwd()), SettingsIndex())
    assert set(files.sources(immaterial)) == {"train.py"}
    assert set(files.sources()) == {"setup.py", "train.py"}


@pytest.mark.parametrize("folder", [".venv", "node_modules", "build", "lib/site-packages", ".tox/py311", "__pycache__"])
def test_folders_of_other_peoples_code_are_skipped(folder: str, project: WriteFiles) -> None:
    project({f"{folder}/train.py": LOADER, "train.py": LOADER})
    assert seen() == ["train.py"]


def test_a_virtual_environment_is_skipped_whatever_its_name(project: WriteFiles) -> None:
    project({"py311/pyvenv.cfg": "", "py311/lib/train.py": LOADER})
    assert seen() == []


def test_a_skipped_folder_is_looked_at_when_it_is_named(project: WriteFiles) -> None:
    project({"build/train.py": LOADER})
    assert seen("build") == ["build/train.py"]
    assert seen("build/train.py") == ["build/train.py"]


def test_a_file_named_build_is_no_skipped_folder(project: WriteFiles) -> None:
    project({"build.py": LOADER, "venv.yaml": KEY})
    assert seen() == ["build.py", "venv.yaml"]


def test_what_is_named_twice_is_one_source(project: WriteFiles) -> None:
    project({"a/train.py": LOADER})
    found = look("a/train.py", "./a/../a/train.py", "a")
    assert (list(found.sources), found.files_seen) == (["a/train.py"], 1)


def test_a_file_outside_the_working_folder_keeps_its_absolute_name(
    project: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project({"train.py": LOADER, "inner/x.txt": ""})
    monkeypatch.chdir(tmp_path / "inner")
    assert seen("../train.py") == [(tmp_path / "train.py").as_posix()]


def test_a_path_that_does_not_exist_is_a_failure_and_the_rest_goes_on(project: WriteFiles) -> None:
    project({"train.py": LOADER})
    found = look("gone.py", "train.py")
    assert [failure.path for failure in found.failures] == ["gone.py"]
    assert list(found.sources) == ["train.py"]


@pytest.mark.parametrize("name", ["notes.txt", "train.ipynb.bak", "Makefile"])
def test_a_named_file_of_another_language_is_a_failure(name: str, project: WriteFiles) -> None:
    project({name: LOADER})
    (failure,) = look(name).failures
    assert "Python, notebooks, YAML, JSON, TOML, INI and shell" in failure.message


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs permissions that hold for this user")
def test_a_file_or_folder_that_may_not_be_read_is_a_failure(project: WriteFiles) -> None:
    project({"closed/train.py": LOADER, "secret.py": LOADER})
    os.chmod("closed", 0)
    os.chmod("secret.py", 0)
    assert {failure.path for failure in look().failures} == {"closed", "secret.py"}
    os.chmod("closed", 0o700)


# Ignore files


def test_ignore_files_hold_where_they_stand_and_the_innermost_decides(project: WriteFiles) -> None:
    project(
        {
            ".gitignore": "# comment\noutputs/\n*.gen.py\n",
            "outputs/a.py": LOADER,
            "src/outputs/b.py": LOADER,
            "src/c.gen.py": LOADER,
            "src/.gitignore": "!kept.gen.py\n/d.py\n",
            "src/kept.gen.py": LOADER,
            "src/d.py": LOADER,
            "src/deep/d.py": LOADER,
            "d.py": LOADER,
        }
    )
    assert seen() == ["d.py", "src/deep/d.py", "src/kept.gen.py"]


def test_ignore_files_above_the_named_folder_hold(project: WriteFiles) -> None:
    project({".gitignore": "generated_*.py\n", "src/generated_a.py": LOADER, "src/b.py": LOADER})
    assert seen("src") == ["src/b.py"]


def test_what_is_ignored_is_looked_at_when_it_is_named(project: WriteFiles) -> None:
    project({".gitignore": "outputs/\n", "outputs/a.py": LOADER, "outputs/deep/b.py": LOADER})
    assert seen("outputs") == ["outputs/a.py", "outputs/deep/b.py"]
    assert seen("outputs/a.py") == ["outputs/a.py"]


def test_the_repositorys_private_excludes_hold(project: WriteFiles) -> None:
    project({".git/info/exclude": "scratch.py\n", "scratch.py": LOADER, "train.py": LOADER})
    assert seen() == ["train.py"]


def test_an_ignore_file_outside_the_repository_does_not_hold(
    project: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project({".gitignore": "*.py\n", "submodule/.git/HEAD": "", "submodule/train.py": LOADER})
    assert seen() == ["submodule/train.py"]
    monkeypatch.chdir(tmp_path / "submodule")
    assert seen() == ["train.py"]


def test_a_line_that_is_no_pattern_ignores_nothing(project: WriteFiles) -> None:
    project({".gitignore": "!\n\n  \ntrain.py\n", "train.py": LOADER, "other.py": LOADER})
    assert seen() == ["other.py"]


def test_ignoring_agrees_with_git(project: WriteFiles) -> None:
    files: dict[str, str | bytes] = {
        f"{folder}{name}": LOADER
        for folder in ("", "a/", "a/b/", "doc/", "a/doc/")
        for name in ("x.py", "y.py", "frotz.yaml", "#hash.py", "tail .py")
    }
    project(files)
    project(
        {
            ".gitignore": "/x.py\na/*\n!a/b/\ndoc/frotz.yaml\n**/y.py\n\\#hash.py\n",
            "a/b/.gitignore": "*.py\n!x.py\n",
        }
    )
    os.rmdir(".git")
    try:
        subprocess.run(["git", "init", "--quiet"], check=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    )
    expected = {name for name in listed.stdout.split("\0") if name in files}
    assert expected
    assert set(seen()) == expected


# Excludes of settings


def test_excludes_hold_for_walks_and_for_named_files(project: WriteFiles) -> None:
    project(
        {
            "loaderlint.toml": 'exclude = ["third_party/", "legacy_*.py"]\n',
            "third_party/a.py": LOADER,
            "src/third_party/b.py": LOADER,
            "src/legacy_c.py": LOADER,
            "src/d.py": LOADER,
        }
    )
    assert seen() == ["src/d.py"]
    assert seen("third_party/a.py", "src/legacy_c.py", "src/d.py") == ["src/d.py"]
    assert look("third_party/a.py").failures == ()


def test_excludes_are_relative_to_their_settings_file(project: WriteFiles) -> None:
    project(
        {
            "inner/loaderlint.toml": 'exclude = ["/data.py"]\n',
            "data.py": LOADER,
            "inner/data.py": LOADER,
            "inner/deep/data.py": LOADER,
        }
    )
    assert seen() == ["data.py", "inner/deep/data.py"]


# Links


def link(target: str, name: str, *, is_folder: bool = False) -> None:
    try:
        os.symlink(target, name, target_is_directory=is_folder)
    except OSError:
        pytest.skip("symbolic links cannot be made here")


def test_a_link_keeps_its_own_name_and_is_written_through(project: WriteFiles, tmp_path: Path) -> None:
    project({"shared/real.txt": LOADER})
    link("shared/real.txt", "train.py")
    (source,) = look().sources.values()
    assert source.path == "train.py"
    assert source.location == os.path.realpath(tmp_path / "shared" / "real.txt")


def test_each_file_is_met_once_under_its_own_name(project: WriteFiles) -> None:
    project({"real.py": LOADER})
    link("real.py", "a_link.py")
    link("real.py", "z_link.py")
    assert seen() == ["real.py"]
    assert seen("z_link.py", "real.py") == ["real.py"]
    assert seen("z_link.py") == ["z_link.py"]


def test_links_that_go_in_circles_or_nowhere_end(project: WriteFiles) -> None:
    project({"a/train.py": LOADER})
    link("..", "a/up", is_folder=True)
    link("circle.py", "circle.py")
    link("gone.py", "nowhere.py")
    assert seen() == ["a/train.py"]
    assert [failure.path for failure in look("circle.py", "nowhere.py").failures] == ["circle.py", "nowhere.py"]


def test_a_very_deep_tree_is_walked(project: WriteFiles) -> None:
    deep = "/".join(["d"] * 400)
    project({f"{deep}/train.py": LOADER})
    assert seen() == [f"{deep}/train.py"]


# Standard input


@pytest.mark.parametrize("name", [None, "train.py"])
def test_standard_input_that_is_no_python_is_a_failure_whatever_it_holds(name: str | None, project: WriteFiles) -> None:
    found = look("-", stdin=b"x = 1\ny = (\n", stdin_filename=name)
    (failure,) = found.failures
    assert (failure.path, failure.line) == (name or "-", 2)
    assert found.sources == {}


def test_standard_input_that_is_yaml_is_read_whatever_it_holds(project: WriteFiles) -> None:
    found = look("-", stdin=b"a: [1\nb: }\n", stdin_filename="a.yaml")
    assert (found.stdin, found.failures) == ("a.yaml", ())
    project({"a.yaml": "a: [1\nb: }\n"})
    assert look("a.yaml").sources == {}


@pytest.mark.parametrize(
    ("content", "name"),
    [(b"", None), (b"x = '\\d'\n", "a.py"), (b"x: (\n", "a.json"), (b"y = (\n", "third_party/a.py")],
    ids=["nothing", "a warning", "another language", "excluded"],
)
def test_standard_input_that_python_reads_or_that_is_none_is_no_failure(
    content: bytes, name: str | None, project: WriteFiles
) -> None:
    project({"loaderlint.toml": 'exclude = ["third_party/"]\n'})
    assert look("-", stdin=content, stdin_filename=name).failures == ()


def test_standard_input_takes_name_language_and_settings_from_its_filename(project: WriteFiles) -> None:
    found = look("-", stdin=KEY.encode(), stdin_filename="configs/train.yaml")
    (source,) = found.sources.values()
    assert (source.path, source.language, found.stdin) == ("configs/train.yaml", Language.YAML, "configs/train.yaml")
    assert found.files_seen == 1


def test_standard_input_without_a_name_is_python(project: WriteFiles) -> None:
    (source,) = look("-", stdin=LOADER.encode()).sources.values()
    assert (source.path, source.language) == ("-", Language.PYTHON)


def test_standard_input_that_the_settings_exclude_is_no_source(project: WriteFiles) -> None:
    project({"loaderlint.toml": 'exclude = ["third_party/"]\n'})
    assert look("-", stdin=LOADER.encode(), stdin_filename="third_party/a.py").sources == {}


def test_standard_input_of_another_language_is_a_failure(project: WriteFiles) -> None:
    (failure,) = look("-", stdin=b"", stdin_filename="notes.txt").failures
    assert failure.path == "notes.txt"


# Bytes and text


def decode(content: bytes, language: Language = Language.PYTHON) -> Source | str:
    read = decoded(content, "x", "/x", language)
    assert read is not None
    return read if isinstance(read, Source) else f"{read.line}: {read.message}"


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        (b"", "utf-8", ""),
        (b"x = 1\r\ny = '\x0c'\r", "utf-8", "x = 1\r\ny = '\x0c'\r"),
        (b"\xef\xbb\xbfx = 1\n", "utf-8", "\ufeffx = 1\n"),
        (b"\xef\xbb\xbf# coding: utf-8\n", "utf-8", "\ufeff# coding: utf-8\n"),
        ("x = 'é'\n".encode(), "utf-8", "x = 'é'\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso-8859-1", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n\x80\n", "cp1252", None),
    ],
)
def test_python_says_its_encoding_and_text_becomes_the_same_bytes_again(
    content: bytes, encoding: str, text: str | None
) -> None:
    source = decode(content)
    assert isinstance(source, Source)
    assert source.encoding == encoding
    assert source.text.encode(source.encoding) == content
    assert text is None or source.text == text


def test_yaml_is_utf_8_whatever_its_comments_say() -> None:
    source = decode("# coding: latin-1\nname: é\n".encode(), Language.YAML)
    assert isinstance(source, Source)
    assert source.text.endswith("é\n")


@pytest.mark.parametrize(
    ("content", "language", "message"),
    [
        (b"x = 1\ny = '\xe9'\n", Language.PYTHON, "2: byte 0xe9 is not UTF-8"),
        (b"'\xe9'\n", Language.PYTHON, "1: byte 0xe9 is not UTF-8"),
        (b"a: 1\nb: \xe9\n", Language.YAML, "2: byte 0xe9 is not UTF-8"),
        (b"# coding: klingon\n", Language.PYTHON, "1: unknown encoding: klingon"),
        (b"# coding: rot13\nx = 1\n", Language.PYTHON, "1: this file cannot be decoded as rot13"),
        (b"# coding: utf-7\nx = '+AGE-'\n", Language.PYTHON, "1: this file cannot be decoded as utf-7"),
        ("num_workers: 4\n".encode("utf-16"), Language.YAML, "1: this file is UTF-16"),
        ("x = 1\n".encode("utf-16"), Language.PYTHON, "1: this file is UTF-16"),
    ],
)
def test_what_is_no_text_is_a_failure_at_its_line(content: bytes, language: Language, message: str) -> None:
    read = decode(content, language)
    assert isinstance(read, str)
    assert read.startswith(message)


def test_a_utf_16_file_is_a_failure_only_when_it_may_matter(project: WriteFiles) -> None:
    project({"train.yaml": KEY.encode("utf-16"), "other.yaml": "name: x\n".encode("utf-16")})
    assert [failure.path for failure in look().failures] == ["train.yaml"]


def test_what_begins_as_utf_16_and_goes_on_otherwise_is_a_failure(project: WriteFiles) -> None:
    project({"train.py": codecs.BOM_UTF16_LE + LOADER.encode()})
    assert [failure.path for failure in look().failures] == ["train.py"]


def test_an_undecodable_file_that_cannot_matter_is_no_failure(project: WriteFiles) -> None:
    project({"other.py": b"x = '\xe9'\n"})
    assert look().failures == ()


# The rest of the project


def test_a_project_is_the_nearest_folder_with_a_mark(project: WriteFiles, tmp_path: Path) -> None:
    project({"pkg/pyproject.toml": "", "pkg/src/train.py": LOADER, "tools/train.py": LOADER})
    assert project_root(str(tmp_path / "pkg" / "src" / "train.py")) == str(tmp_path / "pkg")
    assert project_root(str(tmp_path / "pkg")) == str(tmp_path / "pkg")
    assert project_root(str(tmp_path / "tools")) == str(tmp_path)


def test_project_files_are_all_files_with_or_without_loader_words(project: WriteFiles, tmp_path: Path) -> None:
    project(
        {
            ".gitignore": "gone.py\n",
            "train.py": LOADER,
            "options.py": "WORKERS = 4\n",
            "conf/a.yaml": "workers: 4\n",
            "gone.py": "",
            "bad.py": b"x = '\xe9'\n",
        }
    )
    files = ProjectFiles(str(tmp_path), SettingsIndex())
    assert files.paths() == ("bad.py", "conf/a.yaml", "options.py", "train.py")
    options = files.read("options.py")
    assert options is not None
    assert (options.path, options.text) == ("options.py", "WORKERS = 4\n")
    assert files.read("options.py") == options
    for unreadable in ("bad.py", "gone.py", "nowhere.py"):
        assert files.read(unreadable) is None


def test_a_home_folder_is_no_project(project: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project({"train.py": LOADER})
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert ProjectFiles(str(tmp_path), SettingsIndex()).paths() == ()


def test_the_folder_for_temporary_files_is_no_project_but_one_inside_is(
    project: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project({"train.py": LOADER, "mine/train.py": LOADER})
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert ProjectFiles(str(tmp_path), SettingsIndex()).paths() == ()
    assert ProjectFiles(str(tmp_path / "mine"), SettingsIndex()).paths() == ("mine/train.py",)


def test_what_was_cloned_into_a_projects_folder_is_another_project_and_a_submodule_is_none(
    project: WriteFiles, tmp_path: Path
) -> None:
    project({"train.py": "", "clone/.git/HEAD": "", "clone/a.py": "", "part/.git": "gitdir: ../.git/modules/part\n"})
    project({"part/b.py": "", ".git/HEAD": ""})
    assert ProjectFiles(str(tmp_path), SettingsIndex()).paths() == ("part/b.py", "train.py")
    assert ProjectFiles(str(tmp_path / "clone"), SettingsIndex()).paths() == ("clone/a.py",)
    assert discover(["."], SettingsIndex()).files_seen == 3


@pytest.mark.parametrize(("content", "looked_at"), [(b"\n", []), (b"x = 1\n", []), (b"DataLoader\n", ["-"])])
def test_standard_input_in_which_nothing_can_matter_is_not_looked_at(
    content: bytes, looked_at: list[str], project: WriteFiles
) -> None:
    project({"train.py": LOADER})
    assert [*look("-", stdin=content).sources] == looked_at
