from __future__ import annotations

import sys
from pathlib import Path

import jsonschema
import pytest

from loaderlint.model.finding import Severity
from loaderlint.model.target import Accelerator, Platform
from loaderlint.settings import Settings, SettingsError, SettingsIndex, default_python, running_platform
from loaderlint.settings_files import line_of
from loaderlint.settings_table import defaults, known_keys, schema
from tests.conftest import WriteFiles

RUNNING = (sys.version_info[0], sys.version_info[1])


def settings(path: str = "train.py", **options: object) -> Settings:
    return SettingsIndex(overrides={key.replace("_", "-"): value for key, value in options.items()}).for_path(path)


def mistake(text: str, name: str = "loaderlint.toml") -> str:
    Path(name).write_text(text)
    with pytest.raises(SettingsError) as caught:
        settings()
    return str(caught.value)


# What is in force


def test_without_settings_the_target_is_where_loaderlint_runs(project: WriteFiles) -> None:
    (target,) = settings().targets
    assert (target.platform, target.python) == (running_platform(), RUNNING)
    assert (target.torch, target.accelerator, target.cpus) == (None, None, None)


def test_every_key_of_the_contract_is_understood(project: WriteFiles) -> None:
    project(
        {
            "pyproject.toml": """
            [tool.loaderlint]
            platforms = ["linux", "windows"]
            python = "3.12"
            torch = "2.6"
            accelerator = "cuda"
            cpus = 8
            select = ["LL"]
            ignore = ["LL6"]
            exclude = ["third_party/"]
            max-prefetch-factor = 3
            max-batches-in-flight = 24
            windows-workers = 1
            per-file-ignores = { "tests/**" = ["LL5"] }
            plugins = []
            [tool.loaderlint.loaders]
            "acme.data.build_loader" = { num_workers = "workers", batch_size = 2 }
            """
        }
    )
    found = settings()
    assert [target.platform for target in found.targets] == [Platform.LINUX, Platform.WINDOWS]
    for target in found.targets:
        assert (target.python, target.torch, target.accelerator) == ((3, 12), (2, 6), Accelerator.CUDA)
        assert target.cpus == 8
    assert (found.limits.max_prefetch_factor, found.limits.max_batches_in_flight) == (3, 24)
    assert found.limits.windows_workers == 1
    assert found.loaders == {"acme.data.build_loader": {"num_workers": "workers", "batch_size": 2}}


def test_targets_are_platforms_times_python_versions(project: WriteFiles) -> None:
    project({"loaderlint.toml": 'platforms = ["linux", "macos"]\npython = ["3.12", "3.14"]\n'})
    assert {(target.platform, target.python) for target in settings().targets} == {
        (Platform.LINUX, (3, 12)),
        (Platform.LINUX, (3, 14)),
        (Platform.MACOS, (3, 12)),
        (Platform.MACOS, (3, 14)),
    }


def test_a_repeated_platform_is_one_target(project: WriteFiles) -> None:
    assert len(settings(platforms=["linux", "linux"]).targets) == 1


def test_a_torch_version_with_a_build_tag_counts_by_its_first_two_numbers(project: WriteFiles) -> None:
    assert settings(torch="2.13.0+cu130").targets[0].torch == (2, 13)


@pytest.mark.parametrize(
    ("required", "expected"),
    [
        (None, f"3.{RUNNING[1]}"),
        (">=3.8", f"3.{RUNNING[1]}"),
        ("<3.8", "3.7"),
        ("==3.9.*", "3.9"),
        (">=3.20.5", "3.20"),
        ("nonsense", f"3.{RUNNING[1]}"),
        (">=4", f"3.{RUNNING[1]}"),
    ],
)
def test_python_is_the_running_one_or_the_nearest_the_project_admits(required: str | None, expected: str) -> None:
    assert default_python(required) == expected


def test_requires_python_of_the_nearest_project_decides(project: WriteFiles) -> None:
    project(
        {
            "pyproject.toml": '[project]\nrequires-python = "<3.8"\n',
            "inner/pyproject.toml": '[project]\nrequires-python = "<3.7"\n',
        }
    )
    assert settings("train.py").targets[0].python == (3, 7)
    assert settings("inner/train.py").targets[0].python == (3, 6)


REQUIRED: dict[str, tuple[dict[str, str | bytes], tuple[int, int] | None]] = {
    "nothing": ({}, None),
    "one version": ({"requirements.txt": "numpy\ntorch==1.12.1  # as tried\n"}, (1, 12)),
    "one version with a build": ({"requirements.txt": "torch==1.12.1+cu113\n"}, (1, 12)),
    "a limit": ({"requirements-train.txt": "torch >=1.7, <2\n"}, (1, 13)),
    "at least": ({"requirements.txt": "torch>=1.7\n"}, None),
    "for some machines": ({"requirements.txt": "torch~=2.1.0; sys_platform == 'linux'\n"}, (2, 1)),
    "conda's channel and version": (
        {"environment.yml": "channels:\n  - pytorch\ndependencies:\n  - pytorch=1.12.1\n"},
        (1, 12),
    ),
    "conda's build": ({"environment_gpu.yaml": "dependencies:\n- pytorch::pytorch==1.8.0=py3.8_cuda11.1\n"}, (1, 8)),
    "pip's in conda's": ({"environment.yml": "dependencies:\n  - pip:\n    - 'torch==2.6.0'\n"}, (2, 6)),
    "a project's": ({"pyproject.toml": '[project]\ndependencies = ["numpy", "torch<2.0"]\n'}, (1, 13)),
    "two": ({"requirements.txt": "torch==1.7.0\n", "environment.yml": "- pytorch=1.9\n"}, (1, 9)),
    "one without a limit besides": ({"requirements.txt": "torch>=1.7\n", "environment.yml": "- pytorch=1.9\n"}, None),
    "one without any limit besides": (
        {"requirements.txt": "torch\n", "requirements-oldest.txt": "torch==2.5.1\n"},
        None,
    ),
    "none in conda's besides": (
        {"environment.yml": "channels:\n  - pytorch\n\n  # newest\ndependencies:\n- pytorch\n- pip:\n  - torch==1.9\n"},
        None,
    ),
    "conda's channels on one line": (
        {"environment.yml": "name: x\nchannels: [\n  pytorch]\ndependencies:\n- pytorch=1.9\n"},
        (1, 9),
    ),
    "one with its extras": ({"requirements.txt": "torch[opt-einsum]==2.0\n"}, (2, 0)),
    "limits in parentheses": ({"requirements.txt": "torch (>=1.7,<2)\n"}, (1, 13)),
    "a file with a byte order mark": ({"requirements.txt": b"\xef\xbb\xbftorch==1.12.1\n"}, (1, 12)),
    "other packages": ({"requirements.txt": "torchvision==0.9.0\ntorch-geometric==1.7.0\nmytorch==1.0\n"}, None),
    "nothing that can be read": ({"requirements.txt": b"torch==1.\xff\n", "environment.yml": "- pytorch=>1\n"}, None),
    "another folder's": ({"inner/requirements.txt": "torch==1.7.0\n"}, None),
}


@pytest.mark.parametrize(("files", "torch"), REQUIRED.values(), ids=REQUIRED.keys())
def test_torch_is_the_newest_that_the_requirements_admit(
    project: WriteFiles, files: dict[str, str | bytes], torch: tuple[int, int] | None
) -> None:
    project(files)
    assert settings("train.py").targets[0].torch == torch


def test_the_torch_that_requirements_admit_is_shown(project: WriteFiles) -> None:
    project({"requirements.txt": "torch<2\n"})
    assert {row.key: row.value for row in settings().rows()}["torch"] == "1.13"


def test_requirements_say_nothing_where_torch_is_given(project: WriteFiles) -> None:
    project({"requirements.txt": "torch==1.7.0\n", "inner/loaderlint.toml": "torch = '2.6'\n"})
    assert settings("inner/train.py").targets[0].torch == (2, 6)


@pytest.mark.parametrize(
    ("python", "torch"),
    [("3.10", (1, 12)), ("3.11", None), ("3.14", None), ("3.8", (1, 12))],
)
def test_requirements_say_nothing_of_a_python_that_their_torch_was_never_built_for(
    project: WriteFiles, python: str, torch: tuple[int, int] | None
) -> None:
    project({"requirements.txt": "torch==1.12.1\n", "loaderlint.toml": f"python = '{python}'\n"})
    assert settings("train.py").targets[0].torch == torch


def test_of_several_pythons_requirements_are_about_those_that_their_torch_was_built_for(project: WriteFiles) -> None:
    project({"requirements.txt": "torch<2.6\n", "loaderlint.toml": "python = ['3.13', '3.14']\n"})
    assert [one.torch for one in settings("train.py").targets] == [(2, 5), None]


LENGTHS: dict[str, dict[str, str | bytes]] = {
    "Ruff": {"pyproject.toml": "[tool.ruff]\nline-length = 100\n"},
    "Black": {"pyproject.toml": "[tool.black]\nline-length = 100\n"},
    "Ruff in a file of its own": {"ruff.toml": "line-length = 100\n"},
    "flake8": {".flake8": "[flake8]\nmax-line-length = 100\n"},
    "pycodestyle": {"setup.cfg": "[pycodestyle]\nmax_line_length = 100\n"},
    "flake8 in the settings of tox": {"tox.ini": "[tox]\nenvlist = %(x\n[flake8]\nmax-line-length = 100\n"},
    "editors": {
        ".editorconfig": "root = true\n[*]\nmax_line_length = 80\n[*.{md,py}]\nmax_line_length = 100\n[*.md]\n"
    },
    "what breaks lines, before what counts them": {
        "pyproject.toml": "[tool.black]\nline-length = 100\n",
        ".flake8": "[flake8]\nmax-line-length = 200\n",
    },
    "the nearest": {
        "pyproject.toml": "[tool.ruff]\nline-length = 80\n",
        "inner/.flake8": "[flake8]\nmax-line-length=100",
    },
}
NO_LENGTHS: dict[str, dict[str, str | bytes]] = {
    "nothing": {},
    "files that cannot be read": {"ruff.toml": "line-length = \n", "setup.cfg": "no section\n", ".editorconfig": "[\n"},
    "what is nested too deeply": {"ruff.toml": f"a = {'[' * 5000}{']' * 5000}\n"},
    "an integer that is too long": {"ruff.toml": f"line-length = {'9' * 5000}\n"},
    "no number": {"ruff.toml": "line-length = 'long'\n", ".editorconfig": "[*]\nmax_line_length = off\n"},
    "other languages": {".editorconfig": "[*.md]\nmax_line_length = 100\n[{*.js,py}]\n"},
}


@pytest.mark.parametrize("files", LENGTHS.values(), ids=LENGTHS)
def test_how_long_lines_shall_be_is_read_where_formatters_read_it(
    files: dict[str, str | bytes], project: WriteFiles
) -> None:
    project(files)
    assert settings("inner/train.py").line_length == 100


@pytest.mark.parametrize("files", NO_LENGTHS.values(), ids=NO_LENGTHS)
def test_how_long_lines_shall_be_may_be_said_nowhere(files: dict[str, str | bytes], project: WriteFiles) -> None:
    project(files)
    assert settings("inner/train.py").line_length is None


# Where settings come from


def test_the_nearest_file_wins_key_by_key(project: WriteFiles) -> None:
    project(
        {
            "pyproject.toml": '[tool.loaderlint]\nplatforms = ["windows"]\ncpus = 4\n',
            "inner/loaderlint.toml": "cpus = 16\n",
        }
    )
    (target,) = settings("inner/train.py").targets
    assert (target.platform, target.cpus) == (Platform.WINDOWS, 16)
    assert settings("train.py").targets[0].cpus == 4


def test_both_files_of_one_folder_count_and_loaderlint_toml_wins(project: WriteFiles) -> None:
    project({"pyproject.toml": '[tool.loaderlint]\ncpus = 4\ntorch = "2.6"\n', "loaderlint.toml": "cpus = 8\n"})
    (target,) = settings().targets
    assert (target.cpus, target.torch) == (8, (2, 6))


def test_root_ends_the_search(project: WriteFiles) -> None:
    project({"loaderlint.toml": "cpus = 4\n", "inner/loaderlint.toml": "root = true\n"})
    assert settings("inner/deep/train.py").targets[0].cpus is None


def test_the_repository_ends_the_search(project: WriteFiles, tmp_path: Path) -> None:
    project({"loaderlint.toml": "cpus = 4\n", "submodule/.git": "gitdir: elsewhere\n"})
    assert settings("submodule/train.py").targets[0].cpus is None


def test_a_settings_file_named_on_the_command_line_is_the_only_one(project: WriteFiles) -> None:
    project({"loaderlint.toml": 'cpus = 4\ntorch = "2.6"\n', "ci/other.toml": "cpus = 2\n"})
    (target,) = SettingsIndex(config="ci/other.toml").for_path("train.py").targets
    assert (target.cpus, target.torch) == (2, None)


def test_isolated_reads_no_settings_but_a_broken_one_is_no_mistake_either(project: WriteFiles) -> None:
    project({"loaderlint.toml": "cpus = = 4\n"})
    assert SettingsIndex(isolated=True).for_path("train.py").targets[0].cpus is None


def test_the_command_line_wins_over_files(project: WriteFiles) -> None:
    project({"loaderlint.toml": 'platforms = ["windows"]\nmin-severity = "error"\n'})
    found = settings(platforms=[Platform.MACOS], min_severity=Severity.INFO)
    assert found.targets[0].platform is Platform.MACOS
    assert found.min_severity is Severity.INFO


def test_each_key_says_where_it_comes_from(project: WriteFiles) -> None:
    project({"pyproject.toml": '[project]\nname = "x"\n\n[tool.loaderlint]\n# a comment\nignore = ["LL2"]\n'})
    where = {row.key: row.where for row in settings(platforms=["linux"], ignore=["LL1"]).rows()}
    assert where["platforms"] == "--platform"
    assert where["ignore"] == "pyproject.toml:6, --ignore"
    assert where["cpus"] == "default"


# Which rules are on


@pytest.mark.parametrize(
    ("given", "on", "off"),
    [
        ({}, {"LL101", "LL201"}, set()),
        ({"select": ["LL1"]}, {"LL101", "LL102"}, {"LL201"}),
        ({"select": ["workers-on-windows"]}, {"LL101"}, {"LL102"}),
        ({"ignore": ["LL1"]}, {"LL201"}, {"LL101"}),
        ({"ignore": ["LL101"]}, {"LL102"}, {"LL101"}),
        ({"select": ["LL101"], "ignore": ["LL1"]}, {"LL101"}, {"LL102", "LL201"}),
        ({"select": ["LL2"], "extend-select": ["LL101"]}, {"LL101", "LL201"}, {"LL102"}),
        ({"select": ["LL1"], "ignore": ["LL1"]}, set(), {"LL101", "LL201"}),
        ({"select": ["ALL"], "ignore": ["LL2"]}, {"LL101"}, {"LL201"}),
        ({"select": []}, set(), {"LL101", "LL201"}),
    ],
)
def test_the_more_specific_selector_decides(
    given: dict[str, list[str]], on: set[str], off: set[str], project: WriteFiles
) -> None:
    project({"loaderlint.toml": "".join(f"{key} = {value!r}\n" for key, value in given.items())})
    for found in (settings(), SettingsIndex(isolated=True, overrides=given).for_path("train.py")):
        assert {code for code in on | off if found.selects(code, "train.py")} == on


PLUGIN = """
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.rule import Rule

class {name}(Rule):
    code = "{code}"
    severity = Severity.INFO
    confidence = Confidence.LIKELY
    enabled_by_default = {default}

    def check(self, loader, target):
        yield from ()
"""


@pytest.mark.parametrize(
    ("selectors", "on"),
    [
        (["LL"], False),
        (["LL6"], True),
        (["LL699"], True),
        (["slow-in-the-extreme"], True),
        (["ALL"], True),
    ],
)
def test_a_rule_that_is_off_by_default_is_on_when_asked_for(
    selectors: list[str], on: bool, project: WriteFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    project({"optional_rules.py": PLUGIN.format(name="SlowInTheExtreme", code="LL699", default=False)})
    project({"loaderlint.toml": 'plugins = ["optional_rules"]\n'})
    assert settings(select=selectors).selects("LL699", "train.py") is on
    assert settings(extend_select=selectors).selects("LL699", "train.py") is on


def test_a_rule_of_a_plugin_can_be_selected_by_its_own_prefix(
    project: WriteFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    project({"house_rules.py": PLUGIN.format(name="HouseRule", code="HR001", default=True)})
    project({"loaderlint.toml": 'plugins = ["house_rules"]\n'})
    assert settings(extend_select=["HR"]).selects("HR001", "train.py")
    assert not settings().selects("HR001", "train.py")


def test_a_plugin_that_cannot_be_imported_is_a_mistake_at_its_line(project: WriteFiles) -> None:
    message = mistake('cpus = 1\nplugins = ["no_such_module_anywhere"]\n')
    assert message.startswith("loaderlint.toml:2: ")
    assert "no_such_module_anywhere" in message


def test_chapters_without_a_rule_in_this_version_may_be_named(project: WriteFiles) -> None:
    assert settings(ignore=["LL6"]).selects("LL101", "train.py")


def test_select_on_the_command_line_starts_afresh(project: WriteFiles) -> None:
    project({"loaderlint.toml": 'extend-select = ["LL2"]\nignore = ["LL101"]\n'})
    found = settings(select=["LL1"])
    assert found.selects("LL101", "train.py")
    assert not found.selects("LL201", "train.py")


def test_ignore_and_extend_select_on_the_command_line_add_and_have_the_last_word(project: WriteFiles) -> None:
    project({"loaderlint.toml": 'ignore = ["LL101", "LL2"]\n'})
    found = settings(ignore=["LL102"], extend_select=["LL2"])
    on = {code for code in ("LL101", "LL102", "LL103", "LL201") if found.selects(code, "train.py")}
    assert on == {"LL103", "LL201"}


def test_per_file_ignores_are_relative_to_their_settings_file(project: WriteFiles) -> None:
    project({"inner/loaderlint.toml": 'per-file-ignores = { "tests/**" = ["LL1", "prefetch-without-workers"] }\n'})
    found = settings("inner/tests/test_train.py")
    assert not found.selects("LL101", "inner/tests/test_train.py")
    assert not found.selects("LL201", "inner/tests/deep/test_train.py")
    assert found.selects("LL202", "inner/tests/test_train.py")
    assert found.selects("LL101", "inner/train.py")
    assert found.selects("LL101", "tests/test_train.py")


# Mistakes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cpus = 8\nplaforms = []\n", "loaderlint.toml:2: unknown key 'plaforms'; did you mean 'platforms'?"),
        ("max_prefetch_factor = 8\n", "loaderlint.toml:1: unknown key 'max_prefetch_factor'; did you mean 'max-"),
        ("zzz = 1\n", "loaderlint.toml:1: unknown key 'zzz'"),
        ('\ncpus = "8"\n', "loaderlint.toml:2: cpus should be a valid integer, and is '8'"),
        ("cpus = 0\n", "loaderlint.toml:1: cpus should be greater than or equal to 1, and is 0"),
        ("cpus = true\n", "loaderlint.toml:1: cpus should be a valid integer, and is True"),
        ("python = 3.10\n", "loaderlint.toml:1: python should be in quotes, and is 3.1"),
        ('python = "2.7"\n', "loaderlint.toml:1: python should be a version such as '3.12', and is '2.7'"),
        ('python = ["3"]\n', "loaderlint.toml:1: python[0] should be a version such as '3.12', and is '3'"),
        (
            'platforms = [\n  "linux",\n  "win32",\n]\n',
            "loaderlint.toml:1: platforms[1] should be 'linux', 'windows' or 'macos', and is 'win32'",
        ),
        ('accelerator = "tpu"\n', "loaderlint.toml:1: accelerator should be 'cuda', 'rocm', 'mps' or 'cpu', and is"),
        ("torch = 2.3\n", "loaderlint.toml:1: torch should be in quotes, and is 2.3"),
        ('select = "LL1"\n', "loaderlint.toml:1: select should be a list such as ['LL1'], and is 'LL1'"),
        ("select = 3\n", "loaderlint.toml:1: select should be a valid list, and is 3"),
        (
            '[tool.loaderlint]\nselect = ["LL1"]\n',
            "loaderlint.toml:1: unknown key 'tool': in this file the keys stand by themselves, without [tool.",
        ),
        ('select = ["LL8"]\n', "loaderlint.toml:1: there is no rule 'LL8'"),
        (
            'ignore = [\n  "LL1",\n  "worker-on-windows",\n]\n',
            "loaderlint.toml:1: there is no rule 'worker-on-windows'; did you mean 'workers-on-windows'?",
        ),
        ('select = ["all"]\n', "loaderlint.toml:1: there is no rule 'all'; did you mean 'ALL'?"),
        ('[per-file-ignores]\n"a" = ["LL1"]\n"b" = ["LLX"]\n', "loaderlint.toml:3: there is no rule 'LLX'"),
        ('per-file-ignores = ["a"]\n', "loaderlint.toml:1: per-file-ignores should be a table"),
        ('exclude = ["!"]\n', "loaderlint.toml:1: '!' is no gitignore pattern"),
        (
            '[loaders]\n"a.b" = { num_worker = 1 }\n',
            "loaderlint.toml:2: loaders['a.b'] has no option 'num_worker'; did you mean 'num_workers'?",
        ),
        ('[loaders]\n"a.b" = { num_workers = -1 }\n', "loaderlint.toml:2: loaders['a.b']['num_workers'] should be"),
        ("cpus = = 8\n", "loaderlint.toml:1: "),
        ("cpus = [\n1,\n", "loaderlint.toml:2: "),
    ],
)
def test_a_mistake_names_file_line_and_what_is_meant(text: str, expected: str, project: WriteFiles) -> None:
    assert mistake(text).startswith(expected)


@pytest.mark.parametrize(
    ("platform", "hint"),
    [
        ("Linux", "; did you mean 'linux'?"),
        ("win32", "; did you mean 'windows'?"),
        ("darwin", "; did you mean 'macos'?"),
        ("beos", ""),
    ],
)
def test_a_platform_of_another_name_is_told_which_was_meant(platform: str, hint: str, project: WriteFiles) -> None:
    assert mistake(f'platforms = ["{platform}"]\n').endswith(f"or 'macos', and is '{platform}'{hint}")


def test_a_mistake_in_pyproject_is_named_at_its_line_there(project: WriteFiles) -> None:
    text = '[tool.other]\nplaforms = 1\n\n[tool.loaderlint]\ncpus = 8\nplaforms = ["linux"]\n'
    assert mistake(text, "pyproject.toml").startswith("pyproject.toml:6: unknown key 'plaforms'")


def test_a_table_that_is_none_is_a_mistake(project: WriteFiles) -> None:
    message = mistake("[tool]\nloaderlint = 3\n", "pyproject.toml")
    assert message == "pyproject.toml:2: tool.loaderlint should be a table"


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000 + "]" * 5000], ids=["too long", "nested too deeply"])
def test_a_value_that_no_parser_takes_is_a_mistake(value: str, project: WriteFiles) -> None:
    assert mistake(f"cpus = {value}\n").startswith("loaderlint.toml:1: ")


def test_a_settings_file_that_is_not_utf_8_is_a_mistake_at_its_line(project: WriteFiles) -> None:
    project({"loaderlint.toml": b"cpus = 8\n# caf\xe9\n"})
    with pytest.raises(SettingsError, match=r"^loaderlint\.toml:2: this file is not UTF-8"):
        settings()


def test_a_broken_pyproject_matters_only_when_it_speaks_of_loaderlint(project: WriteFiles) -> None:
    project({"pyproject.toml": "[project\n"})
    assert settings().targets
    assert mistake("[project\n[tool.loaderlint]\n", "pyproject.toml").startswith("pyproject.toml:1: ")


def test_a_mistake_on_the_command_line_names_the_option(project: WriteFiles) -> None:
    with pytest.raises(SettingsError, match=r"^--python: python\[0\] should be a version"):
        settings(python=["three"])
    with pytest.raises(SettingsError, match=r"^--extend-select: there is no rule 'LL999'"):
        settings(extend_select=["LL999"])


def test_a_settings_file_that_is_missing_is_a_mistake(project: WriteFiles) -> None:
    with pytest.raises(SettingsError, match=r"^gone\.toml: "):
        SettingsIndex(config="gone.toml")


@pytest.mark.parametrize(
    ("text", "keys", "line"),
    [
        ("a = 1\nb = 2\n", ("b",), 2),
        ('text = """\nb = 1\n"""\nb = 2\n', ("b",), 4),
        ("[t]\na = [\n  1,\n  2,\n]\nb = 3\n", ("t", "a"), 2),
        ("[t]\na = [\n  1,\n  2,\n]\nb = 3\n", ("t", "b"), 6),
        ("t.a = 1\nt.b = 2\n", ("t", "b"), 2),
        ("# b\r\nt = { a = 1, b = 2 }\r\n", ("t", "b"), 2),
        ('[t]\n"b c" = 2\n', ("t", "b c"), 2),
        ("[t.b]\nc = 1\n", ("t", "b"), 1),
        ("a = 1\nt = { a = 1 }\n", ("t", "gone"), 2),
        ("a = 1\n", ("gone",), 1),
    ],
)
def test_the_line_of_a_key_is_where_its_statement_begins(text: str, keys: tuple[str, ...], line: int) -> None:
    assert line_of(text, keys) == line


# The schema


def test_the_schema_admits_the_defaults_and_refuses_unknown_keys_and_rules() -> None:
    described = schema()
    jsonschema.Draft202012Validator.check_schema(described)
    jsonschema.validate(defaults(), described)
    mistakes: list[dict[str, object]] = [
        {"plaforms": []},
        {"select": ["LL8"]},
        {"ignore": ["worker-on-windows"]},
        {"per-file-ignores": {"tests/**": ["LL8"]}},
        {"cpus": 0},
    ]
    for wrong in mistakes:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, described)


def test_the_schema_names_and_describes_every_key() -> None:
    properties = schema()["properties"]
    assert set(properties) == set(known_keys())
    assert all(one.get("description") for one in properties.values())
