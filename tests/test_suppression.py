"""Comments that accept findings, where they hold, and what is said about those that accept nothing."""

from __future__ import annotations

import pytest

from loaderlint.engine import Linted
from loaderlint.model.source import Language, Source
from loaderlint.suppression import Ignore, ignores
from tests.conftest import WriteFiles
from tests.running import after, found, linted, mended

IMPORT = "from torch.utils.data import DataLoader\n"
CALL = "DataLoader([], num_workers=4, prefetch_factor=16)"
BOTH_RULES = ["LL101 train.py:2", "LL301 train.py:2"]


def on_the_line(comment: str, project: WriteFiles, **settings: object) -> Linted:
    project({"train.py": f"{IMPORT}{CALL}  {comment}\n"})
    return linted(platforms=("windows",), **settings)


def read(text: str, path: str = "train.py") -> tuple[Ignore, ...]:
    language = Language.of(path)
    assert language is not None
    return ignores(Source(path, path, language, text.encode()))


# What a comment says


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("", BOTH_RULES),
        ("# loaderlint: ignore[LL101]", BOTH_RULES[1:]),
        ("# loaderlint: ignore[workers-on-windows]", BOTH_RULES[1:]),
        ("# loaderlint: ignore[LL101, high-prefetch]", []),
        ("# loaderlint: ignore[LL101,LL301]", []),
        ("#loaderlint:ignore[ LL101 , LL301 ]", []),
        ("# LOADERLINT: IGNORE[LL101]", BOTH_RULES[1:]),
        ("# loaderlint: ignore[ll101]", BOTH_RULES[1:]),
        ("# noqa: E501  LoaderLint: Ignore[LL101, high-prefetch] tried", []),
        ("# loaderlint: ignore[LL101] the machine is guarded, see [1]", BOTH_RULES[1:]),
        ("# loaderlint: ignore[LL101]  # loaderlint: ignore[LL301]", []),
        ("# noqa: E501  # loaderlint: ignore[LL101, LL301] tried", []),
        ("# noqa: E501  loaderlint: ignore[LL101, LL301] tried", []),
        ("# type: ignore[arg-type] loaderlint: ignore[LL101] loaderlint:ignore[high-prefetch]", []),
    ],
)
def test_a_comment_accepts_the_rules_it_names(comment: str, left: list[str], project: WriteFiles) -> None:
    result = on_the_line(comment, project)
    assert found(result) == left
    assert result.suppressed == 2 - len(left)


@pytest.mark.parametrize(
    "comment",
    [
        "# loaderlint: the machine is guarded",
        "# ignore[LL101]",
        "# loaderlint: see [1]",
        "# as loaderlint: ignores it",
        "# Loaderlint: the machine is guarded",
        "# LOADERLINT IGNORE[LL101]",
        "# see loaderlint: ignore[]",
        "# write `loaderlint: ignore[LL101]`",
        "# myloaderlint: ignore[LL101]",
    ],
)
def test_a_comment_of_another_form_is_none_of_ours(comment: str, project: WriteFiles) -> None:
    result = on_the_line(comment, project)
    assert (found(result), result.suppressed) == (BOTH_RULES, 0)


@pytest.mark.parametrize("names", ["", "[]", "[ , ]", " LL101", "-file", "-file[]"])
def test_a_comment_that_names_no_rule_accepts_nothing_and_says_so(names: str, project: WriteFiles) -> None:
    result = on_the_line(f"# loaderlint: ignore{names}", project)
    assert (found(result)[:2], result.suppressed) == (BOTH_RULES, 0)
    (idle,) = result.findings[2:]
    assert idle.message.startswith("this comment ignores nothing: it names no rule")
    assert idle.fix is None


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("ignroe[LL101]", "ignroe is neither ignore nor ignore-file; did you mean 'ignore'?"),
        ("ignored", "ignored is neither ignore nor ignore-file; did you mean 'ignore'?"),
        ("ignore_file[LL101]", "ignore_file is neither ignore nor ignore-file; did you mean 'ignore-file'?"),
        ("skip[LL101]", "skip is neither ignore nor ignore-file"),
        ("skip[workers-on-windows]", "skip is neither ignore nor ignore-file"),
        ("ignore-next-line[LL101]", "ignore-next-line is neither ignore nor ignore-file"),
    ],
)
def test_a_misspelt_comment_accepts_nothing_and_says_so(written: str, hint: str, project: WriteFiles) -> None:
    result = on_the_line(f"# loaderlint: {written}", project)
    assert (found(result)[:2], result.suppressed) == (BOTH_RULES, 0)
    (idle,) = result.findings[2:]
    assert (idle.message, idle.fix) == (f"this comment ignores nothing: {hint}", None)


def test_a_prefix_of_codes_or_all_means_the_rules_it_selects(project: WriteFiles) -> None:
    assert found(on_the_line("# loaderlint: ignore[LL1]", project)) == ["LL301 train.py:2"]
    assert found(on_the_line("# loaderlint: ignore[ALL]", project)) == []


# Where it stands


@pytest.mark.parametrize(
    "text",
    [
        "loader = DataLoader(\n    [],\n    num_workers=4,  # loaderlint: ignore[LL101]\n)\n",
        "loader = DataLoader(\n    [],\n    # loaderlint: ignore[LL101] we know\n    num_workers=4,\n)\n",
        "# loaderlint: ignore[LL101]\nloader = DataLoader([], num_workers=4)\n",
        "if True:\n    # loaderlint: ignore[LL101]\n    loader = DataLoader([], num_workers=4)\n",
        "loader = DataLoader([],  # loaderlint: ignore[LL101]\n    num_workers=4)\n",
        "# loaderlint: ignore[LL101]\nloader = DataLoader(\n    [],\n    shuffle=True,\n    num_workers=4,\n)\n",
        "loader = DataLoader(\n    [],\n    num_workers=4,\n    shuffle=True,\n)  # loaderlint: ignore[LL101]\n",
    ],
)
def test_a_comment_holds_for_the_finding_on_its_line_or_below_it(text: str, project: WriteFiles) -> None:
    project({"train.py": IMPORT + text})
    result = linted()
    assert (found(result), result.suppressed) == ([], 1)


@pytest.mark.parametrize(
    "text",
    [
        "loader = DataLoader([], num_workers=4)\n# loaderlint: ignore[LL101]\n",
        "# loaderlint: ignore[LL101]\n\nloader = DataLoader([], num_workers=4)\n",
        "x = 1  # loaderlint: ignore[LL101]\n\nloader = DataLoader([], num_workers=4)\n",
        "x = 1  # loaderlint: ignore[LL101]\nloader = DataLoader(\n    [],\n    x=1,\n    num_workers=4)\n",
        "loader = DataLoader(\n    [],\n    timeout=60, # loaderlint: ignore[LL101]\n    x=1,\n    num_workers=4)\n",
    ],
)
def test_a_comment_elsewhere_accepts_nothing(text: str, project: WriteFiles) -> None:
    project({"train.py": IMPORT + text})
    assert sorted(one.code for one in linted().findings) == ["LL101", "LL901"]


DECLARED = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int)
parser.add_argument(
    "--workers",
    type=int,
    default=4,
    help="processes that load",
)
args = parser.parse_args()
loader = DataLoader([], num_workers=args.workers)
"""


@pytest.mark.parametrize(("line", "holds"), [(4, False), (5, True), (6, False), (8, True), (9, False), (10, True)])
def test_a_comment_where_a_flag_is_declared_holds_as_at_a_loader(line: int, holds: bool, project: WriteFiles) -> None:
    lines = (IMPORT + DECLARED).splitlines()
    lines[line - 1] += "  # loaderlint: ignore[LL101]"
    project({"train.py": "\n".join(lines) + "\n"})
    assert sorted(found(linted())) == ([] if holds else ["LL101 train.py:8", f"LL901 train.py:{line}"])


def test_a_comment_above_the_declaration_of_a_flag_holds(project: WriteFiles) -> None:
    text = DECLARED.replace("parser.add_argument(\n", "# loaderlint: ignore[LL101]\nparser.add_argument(\n")
    project({"train.py": IMPORT + text})
    assert found(linted()) == []


def test_a_comment_behind_a_finding_is_not_about_the_one_below_it(project: WriteFiles) -> None:
    comment = "  # loaderlint: ignore[LL101] the small one"
    project(
        {"train.py": f"{IMPORT}train = DataLoader([], num_workers=2){comment}\nval = DataLoader([], num_workers=4)\n"}
    )
    result = linted()
    assert (found(result), result.suppressed) == (["LL101 train.py:3"], 1)


@pytest.mark.parametrize("line", [3, 4, 5, 6, 7])
def test_a_comment_holds_on_any_line_of_a_finding_of_several(line: int, project: WriteFiles) -> None:
    lines = (
        IMPORT
        + "loader = DataLoader([], num_workers=2, collate_fn=(\n    lambda batch: [\n        batch\n    ]\n))\nx = 1\n"
    ).splitlines()
    project({"train.py": "\n".join(lines) + "\n"})
    (finding,) = linted(select=["LL103", "LL901"]).findings
    assert (finding.code, finding.span.line, finding.span.end_line) == ("LL103", 3, 5)
    lines[line - 1] += "  # loaderlint: ignore[LL103]"
    project({"train.py": "\n".join(lines) + "\n"})
    assert found(linted(select=["LL103", "LL901"])) == ([] if line < 7 else ["LL103 train.py:3", "LL901 train.py:7"])


def test_comments_hold_in_yaml(project: WriteFiles) -> None:
    project(
        {
            "one.yaml": "data:\n  num_workers: 4  # loaderlint: ignore[workers-on-windows] guarded\n  batch_size: 8\n",
            "two.yaml": "data:\n  # loaderlint: ignore[LL101]\n  num_workers: 4\n  batch_size: 8\n",
            "three.yaml": "# loaderlint: ignore-file[LL101]\n---\ndata:\n  num_workers: 4\n  batch_size: 8\n",
            "four.yaml": "data:\n  num_workers: 4\n  batch_size: 8  # loaderlint: ignore[LL301]\n",
            "five.yaml": 'data:\n  name: "# loaderlint: ignore-file[LL101]"\n  num_workers: 4\n  batch_size: 8\n',
        }
    )
    result = linted()
    assert found(result) == ["LL101 five.yaml:3", "LL101 four.yaml:2", "LL901 four.yaml:3"]
    assert result.suppressed == 3


def test_a_comment_holds_where_the_value_stands_not_where_the_loader_does(project: WriteFiles) -> None:
    options, train = "WORKERS = 4{}\n", IMPORT + "from options import WORKERS\nDataLoader([], num_workers=WORKERS){}\n"
    comment = "  # loaderlint: ignore[LL101]"
    project({"options.py": options.format(comment), "train.py": train.format("")})
    assert found(linted()) == []
    project({"options.py": options.format(""), "train.py": train.format(comment)})
    assert found(linted()) == ["LL101 options.py:1", "LL901 train.py:3"]


# The whole file


@pytest.mark.parametrize(
    "text",
    [
        "# loaderlint: ignore-file[LL101]\n",
        "#!/usr/bin/env python\n# A licence.\n\n# loaderlint: ignore-file[workers-on-windows] not here\n",
        "\n\n# loaderlint: ignore-file[LL101]\n\n",
        "\ufeff# loaderlint: ignore-file[LL101]\n",
    ],
)
def test_a_comment_above_all_code_holds_for_the_file(text: str, project: WriteFiles) -> None:
    project({"train.py": f"{text}{IMPORT}one = DataLoader([], num_workers=4)\ntwo = DataLoader([], num_workers=4)\n"})
    result = linted()
    assert (found(result), result.suppressed) == ([], 2)


@pytest.mark.parametrize(
    "text",
    [
        IMPORT + "# loaderlint: ignore-file[LL101]\n",
        IMPORT.strip() + "  # loaderlint: ignore-file[LL101]\n",
        '"""A docstring."""\n# loaderlint: ignore-file[LL101]\n' + IMPORT,
    ],
)
def test_a_comment_for_the_file_below_the_first_code_means_nothing_and_says_so(text: str, project: WriteFiles) -> None:
    project({"train.py": text + "loader = DataLoader([], num_workers=4)\n"})
    result = linted()
    assert sorted(one.code for one in result.findings) == ["LL101", "LL901"]
    assert "means nothing below the first line of code" in next(
        one.message for one in result.findings if one.code == "LL901"
    )


# What is no comment


@pytest.mark.parametrize(
    "text",
    [
        'TEXT = "# loaderlint: ignore-file[LL101]"\n',
        '"""\n# loaderlint: ignore-file[LL101]\n"""\n',
        'TEXT = """\n# loaderlint: ignore[LL101]"""; ',
        'f"{1}# loaderlint: ignore[LL101]"; ',
    ],
)
def test_what_stands_in_a_string_is_no_comment(text: str, project: WriteFiles) -> None:
    project({"train.py": text + IMPORT + "loader = DataLoader([], num_workers=4)\n"})
    assert [one.code for one in linted().findings] == ["LL101"]


def test_comments_of_a_file_that_cannot_be_parsed_are_not_judged(project: WriteFiles) -> None:
    project({"train.py": IMPORT + "DataLoader([], num_workers=4  # loaderlint: ignore[LL101]\n"})
    result = linted()
    assert (found(result), len(result.failures)) == ([], 1)


def test_comments_are_not_judged_while_a_file_of_the_project_cannot_be_parsed(project: WriteFiles) -> None:
    files: dict[str, str | bytes] = {
        "options.py": "WORKERS = 4  # loaderlint: ignore[LL101]\n",
        "train.py": IMPORT + "from options import WORKERS\nDataLoader([], num_workers=WORKERS\n",
    }
    project(files)
    assert found(linted("options.py")) == []
    project({"train.py": IMPORT})
    assert found(linted("options.py")) == ["LL901 options.py:1"]


# Line ends and marks


def test_comments_hold_in_toml_and_json_has_none(project: WriteFiles) -> None:
    project(
        {
            "one.toml": "[data]\nnum_workers = 4  # loaderlint: ignore[workers-on-windows] guarded\nbatch_size = 8\n",
            "two.toml": "# loaderlint: ignore-file[LL101]\n[data]\nnum_workers = 4\nbatch_size = 8\n",
            "three.toml": '[data]\nname = "# loaderlint: ignore[LL101]"\nnum_workers = 4\nbatch_size = 8\n',
            "four.json": '{"#": "# loaderlint: ignore-file[LL101]",\n"num_workers": 4, "batch_size": 8}\n',
        }
    )
    result = linted()
    assert found(result) == ["LL101 four.json:2", "LL101 three.toml:3"]


@pytest.mark.parametrize("path", ["train.py", "train.yaml"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_names_are_found_at_their_places_whatever_the_line_ends(path: str, end: str, mark: str) -> None:
    lines = ["# loaderlint: ignore-file[LL301]", "a: 1  # loaderlint: ignore[LL101,  é] é", ""]
    first, second, third = read(mark + end.join(lines), path)
    assert (first.name, first.place.line, first.place.column) == ("LL301", 1, 27 + len(mark))
    assert (first.whole_file, first.misplaced) == (True, False)
    assert (second.name, second.place.start, second.place.end) == ("LL101", (2, 28), (2, 33))
    assert (third.name, third.place.start) == ("é", (2, 36))
    assert third.comment.end == (2, 40)


# Comments that accept nothing


def test_each_name_that_accepts_nothing_is_a_finding_at_the_name(project: WriteFiles) -> None:
    result = on_the_line("# loaderlint: ignore[LL101, LL203, LL301, persistent-without-workers] tried", project)
    assert [(one.code, one.span.column) for one in result.findings] == [("LL901", 80), ("LL901", 94)]
    assert [one.message.split(" is ")[0] for one in result.findings] == ["LL203", "persistent-without-workers"]


def test_a_name_that_no_rule_has_is_a_finding_that_names_the_nearest(project: WriteFiles) -> None:
    (unknown,) = [
        one for one in on_the_line("# loaderlint: ignore[worker-on-windows]", project).findings if one.code == "LL901"
    ]
    assert unknown.message.endswith("no rule has this code or name; did you mean 'workers-on-windows'?")


def test_only_the_useless_name_is_removed(project: WriteFiles) -> None:
    line = f"{CALL}  # loaderlint: ignore[LL101, LL203, high-prefetch, gone] tried\n"
    project({"train.py": IMPORT + line})
    report = mended()
    assert after(report, "train.py") == IMPORT + line.replace(" LL203,", "").replace(", gone", "")
    assert [one.code for one in report.fixed] == ["LL901", "LL901"]


def test_what_another_tool_is_told_stays_when_the_last_name_goes(project: WriteFiles) -> None:
    text = f"{IMPORT}loader = DataLoader([])  # noqa: E501"
    project({"train.py": f"{text}  loaderlint: ignore[LL101] old loaderlint: ignore[LL204]\n"})
    assert after(mended(), "train.py") == f"{text}\n"


def test_a_comment_goes_with_its_last_name(project: WriteFiles) -> None:
    project(
        {
            "train.py": f"# loaderlint: ignore-file[LL204]\r\n{IMPORT}loader = DataLoader([])"
            "  # loaderlint: ignore[LL101] old\r\n",
            "train.yaml": "# LOADERLINT: IGNORE[LL101]\nnum_workers: 0  # loaderlint: ignore[LL101]  # none\n",
        }
    )
    report = mended()
    assert after(report, "train.py") == f"{IMPORT}loader = DataLoader([])\r\n"
    assert after(report, "train.yaml") == "num_workers: 0  # none\n"


@pytest.mark.parametrize("mark", ["#", ";"])
def test_comments_in_ini_accept_what_is_written_below_them(project: WriteFiles, mark: str) -> None:
    accepted = f"{mark} loaderlint: ignore[LL101] measured\n"
    project(
        {
            "main.py": f"{IMPORT}import configparser\nc = configparser.ConfigParser()\nc.read('a.ini')\n"
            "loader = DataLoader([], num_workers=c.getint('d', 'n'))\n",
            "a.ini": f"[d]\n{accepted}n = 4\n{accepted}m = 4\n",
        }
    )
    report = mended()
    assert after(report, "a.ini") == f"[d]\n{accepted}n = 4\nm = 4\n"


def test_a_comment_about_a_platform_that_this_run_is_not_about_is_not_useless(project: WriteFiles) -> None:
    project({"train.py": IMPORT + "loader = DataLoader([], num_workers=4)  # loaderlint: ignore[LL101] guarded\n"})
    for platforms in (("linux",), ("macos",), ("linux", "macos")):
        assert linted(platforms=platforms).findings == ()


def test_a_comment_about_a_rule_that_is_off_is_not_useless(project: WriteFiles) -> None:
    assert found(on_the_line("# loaderlint: ignore[LL101, LL301]", project, ignore=["LL1", "LL3"])) == []


def test_a_comment_about_a_loader_in_a_file_that_was_not_named_is_not_useless(project: WriteFiles) -> None:
    project(
        {
            "options.py": "WORKERS = 4  # loaderlint: ignore[LL101] guarded\n",
            "train.py": IMPORT + "from options import WORKERS\nloader = DataLoader([], num_workers=WORKERS)\n",
        }
    )
    assert found(linted("options.py")) == []
    assert mended("options.py").rewritten == {}


def test_comments_in_files_that_were_not_named_are_not_judged(project: WriteFiles) -> None:
    project({"other.py": "x = 1  # loaderlint: ignore[LL101]\n", "train.py": IMPORT + "loader = DataLoader([])\n"})
    assert found(linted("train.py")) == []
    assert found(linted()) == ["LL901 other.py:1"]


def test_the_rule_about_comments_can_be_turned_off(project: WriteFiles) -> None:
    assert found(on_the_line("# loaderlint: ignore[LL203]", project, ignore=["unused-ignore"])) == BOTH_RULES


def test_the_rule_about_comments_can_itself_be_ignored(project: WriteFiles) -> None:
    text = "x = 1  # loaderlint: ignore[LL101, unused-ignore] for the branch to come\n"
    project({"train.py": text})
    result = linted()
    assert (found(result), result.suppressed) == ([], 1)
    project({"train.py": text.replace("LL101, ", "")})
    assert found(linted()) == ["LL901 train.py:1"]


def test_what_a_comment_accepts_is_not_fixed(project: WriteFiles) -> None:
    project(
        {
            "train.py": IMPORT
            + "loader = DataLoader([], num_workers=0, prefetch_factor=2)  # loaderlint: ignore[LL201]\n"
        }
    )
    report = mended()
    assert (report.rewritten, report.fixed, report.suppressed) == ({}, (), 1)


def test_a_comment_in_a_shell_script_accepts_and_is_taken_back(project: WriteFiles) -> None:
    loop = "if __name__ == '__main__':\n    for x in DataLoader([1], num_workers=4):\n        print(x)\n"
    accepted = "srun -c 2 python train.py  # loaderlint: ignore[LL304] a test run\n"
    project({"train.py": IMPORT + loop, "run.sh": accepted})
    assert found(linted("run.sh")) == []
    assert linted(platforms=("linux",)).suppressed == 1
    project({"train.py": IMPORT + loop, "run.sh": accepted.replace("-c 2", "-c 4")})
    assert found(linted("run.sh")) == ["LL901 run.sh:1"]
    assert after(mended("run.sh"), "run.sh") == "srun -c 4 python train.py\n"
