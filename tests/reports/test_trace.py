from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from loaderlint.model.assumptions import CUDA, PLATFORM, Assumption, Question
from loaderlint.model.loader import WORKER_OPTIONS, Loader
from loaderlint.model.payload import Touch
from loaderlint.model.target import Platform
from loaderlint.model.tracing import Asked, Nothing, Traced
from loaderlint.model.value import Candidate, CommandLineText, CpuCount, Step, Value
from loaderlint.reports import trace
from tests.reports.build import WORKERS, span
from tests.reports.test_json import START, TEXT, every, exactly

SITE = span("main.py", 204, 16, 2, end_line=209)
TRAIL = (
    Step(span("main.py", 64, 9, 40), "DataModuleFromConfig(num_workers=…)"),
    Step(span("main.py", 180, 9, 40), "self.num_workers"),
)
HALF = CpuCount("os.cpu_count() // 2", lambda cpus: cpus // 2)
CANDIDATE = exactly(constant={}, **START, trail=every(exactly(**START, note=TEXT)))
OPTION = exactly(open={"type": "boolean"}, candidates=every(CANDIDATE))
LOADER = exactly(**START, callee=TEXT, options={"type": "object", "additionalProperties": OPTION})
VERSION_1 = exactly(version={"const": 1}, loaders=every(LOADER))
"""INTERFACE.md, the last paragraph of "JSON, version 1"."""


def candidate(constant: Any, line: int = 7, **changes: Any) -> Candidate:
    return Candidate(constant, span("train.py", line, 5, 6), **changes)


def assuming(**answers: Any) -> frozenset[Assumption]:
    subjects = {"platform": PLATFORM, "cuda": CUDA}
    return frozenset(Assumption(subjects.get(name, name), answer) for name, answer in answers.items())


def loader(**options: Value) -> Loader:
    return Loader(SITE, "torch.utils.data.DataLoader", options)


def text(*loaders: Loader, color: bool = False, width: int = 100) -> str:
    return trace.render(Traced(loaders), "text", color=color, width=width)


def parsed(*loaders: Loader) -> Any:
    return json.loads(trace.render(Traced(loaders), "json", color=True, width=80))


def test_a_loader_that_is_not_reached_says_what_ends_the_program_there() -> None:
    end = Touch(span("main.py", 12, 5, 40), 'init_process_group("nccl")')
    ended = dict.fromkeys((Platform.MACOS, Platform.WINDOWS), end)
    told = text(replace(loader(num_workers=Value((candidate(2),))), ended=ended))
    assert told.splitlines()[1] == '│  not reached on Windows and macOS: init_process_group("nccl") at main.py:12'


FULL = Loader(
    SITE,
    "torch.utils.data.DataLoader",
    {
        "pin_memory": Value(
            (
                candidate(True, assumptions=assuming(cuda=True)),
                candidate(False, 8, assumptions=assuming(cuda=False)),
            )
        ),
        "batch_size": Value(open=True),
        "num_workers": Value(
            (
                Candidate(4, WORKERS, trail=TRAIL, assumptions=assuming(platform=frozenset({"linux", "macos"}))),
                candidate(HALF, 9, assumptions=assuming(platform=frozenset({"windows"}))),
            ),
            open=True,
        ),
    },
    {"batch_size": "per_device_train_batch_size"},
)


def test_a_loader_is_a_tree_of_options_candidates_and_steps() -> None:
    assert text(FULL) == (
        """\
main.py:204:16  torch.utils.data.DataLoader
├─ num_workers                               4                    configs/train.yaml:3:18
│                                                                 on Linux and macOS
│                                                                 → main.py:64   DataModuleFromConfig(num_workers=…)
│                                                                 → main.py:180  self.num_workers
│                                            os.cpu_count() // 2  train.py:9:5  on Windows
│                                            or something loaderlint cannot see
├─ batch_size (per_device_train_batch_size)  something loaderlint cannot see
├─ pin_memory                                True                 train.py:7:5
│                                                                 when torch.cuda.is_available()
│                                            False                train.py:8:5
│                                                                 unless torch.cuda.is_available()
└─ not given: prefetch_factor=None, persistent_workers=False, multiprocessing_context=None,
   timeout=0 (torch's defaults)
"""
    )


def test_a_constant_of_one_place_is_shown_once_with_the_first_of_its_ways() -> None:
    ways = [
        candidate(
            4, trail=(Step(span("main.py", line, 1, 2), f"way {line}"),), assumptions=assuming(cuda=True, choice=line)
        )
        for line in (1, 2, 3, 4, 5)
    ]
    assert (
        text(loader(num_workers=Value(tuple(ways))))
        == """\
main.py:204:16  torch.utils.data.DataLoader
├─ num_workers  4  train.py:7:5  when torch.cuda.is_available()
│                  → main.py:1  way 1
│                  or
│                  → main.py:2  way 2
│                  or
│                  → main.py:3  way 3
│                  and 2 more ways
└─ not given: prefetch_factor=None, persistent_workers=False, multiprocessing_context=None,
   timeout=0 (torch's defaults)
"""
    )


def worked_out(files: int) -> Loader:
    """A worker count that is worked out from what stands in files, one of which its way names."""
    places = frozenset(span(f"{number}.yaml", 2, 9, 10) for number in range(files))
    named = Step(span("0.yaml", 2, 9, 10), "3")
    return loader(num_workers=Value((candidate(6, sources=places | {span("train.py", 3, 1, 2)}, trail=(named,)),)))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (1, None),
        (3, "from 1.yaml:2:9, 2.yaml:2:9"),
        (7, "from 1.yaml:2:9, 2.yaml:2:9, 3.yaml:2:9, 4.yaml:2:9 and 2 more"),
    ],
)
def test_a_constant_says_of_which_other_files_it_was_worked_out(files: int, said: str | None) -> None:
    rows = [row.lstrip("│ ") for row in text(worked_out(files)).splitlines()]
    assert [row for row in rows if row.startswith("from ")] == ([said] if said else [])


def test_json_has_a_step_for_each_file_that_a_constant_was_worked_out_from() -> None:
    (candidate_of,) = parsed(worked_out(7))["loaders"][0]["options"]["num_workers"]["candidates"]
    assert [(one["path"], one["note"]) for one in candidate_of["trail"]] == [
        *((f"{number}.yaml", "worked out from") for number in range(1, 7)),
        ("0.yaml", "3"),
    ]


def test_a_condition_that_holds_on_one_way_alone_is_none_of_the_constant() -> None:
    ways = (candidate(4, assumptions=assuming(debug=True)), candidate(4, assumptions=assuming(small=True)))
    assert "train.py:7:5\n" in text(loader(num_workers=Value(ways)))


def test_only_the_first_conditions_are_shown() -> None:
    many = candidate(4, assumptions=assuming(a=True, b=True, c=False, d=True, e=True))
    assert "train.py:7:5  when a, when b, unless c, …\n" in text(loader(num_workers=Value((many,))))


@pytest.mark.parametrize(
    ("assumptions", "words"),
    [
        (assuming(), ""),
        (assuming(platform=frozenset({"windows"})), "  on Windows"),
        (assuming(platform=frozenset({"linux", "windows", "macos"})), ""),
        (assuming(cuda=True, platform=frozenset({"linux"})), "  on Linux, when torch.cuda.is_available()"),
        (frozenset({Assumption(Question("args.debug", "train.py:main"), True)}), "  when args.debug"),
        (frozenset({Assumption(Question("args.debug", "train.py:main"), False)}), "  unless args.debug"),
        (frozenset({Assumption("train.py:12:5", 1)}), ""),
        (frozenset({Assumption("train.py:12:5", "default")}), ""),
        (frozenset({Assumption("train.py:12:5", True)}), "  when train.py:12"),
        (frozenset({Assumption("the branch", "b"), Assumption("a", False)}), "  unless a, when the branch is b"),
        (frozenset({Assumption(Question("n > 0", "train.py:main", "train.py:7:5"), True)}), "  when n > 0"),
        (frozenset({Assumption(Question("flags['a:b'] > 0", "train.py:"), True)}), "  when flags['a:b'] > 0"),
        (
            frozenset({Assumption("the branch at data/x.py:7:5 is taken", True)}),
            "  when the branch at data/x.py:7 is taken",
        ),
        (
            frozenset({Assumption("the method that sets data/x.py:Data.workers", "setup")}),
            "  when the method that sets Data.workers is setup",
        ),
        (frozenset({Assumption("the method that sets data/x.py:Data.workers", "__init__")}), ""),
        (
            frozenset({Assumption("what sets x.py:Data.workers", "y.py:45:9")}),
            "  when what sets Data.workers is y.py:45",
        ),
        (frozenset({Assumption("the file read at x.py:7:5", "a.json")}), "  when the file read at x.py:7 is a.json"),
        (frozenset({Assumption("the file read at x.py:7:5", "train.py")}), ""),
        (frozenset({Assumption("hydra train", frozenset({"b", "a"}))}), "  when hydra train is a/b"),
        (frozenset({Assumption("hydra train", frozenset("abcd"))}), "  when hydra train is a or one of 3 others"),
    ],
)
def test_assumptions_are_put_in_words(assumptions: frozenset[Assumption], words: str) -> None:
    told = text(loader(num_workers=Value((candidate(8, assumptions=assumptions),))))
    assert f"train.py:7:5{words}\n" in told


def test_options_not_given_are_shown_only_where_workers_depend_on_them() -> None:
    told = text(loader(num_workers=Value((candidate(8),))), width=120)
    assert told.endswith(
        "└─ not given: prefetch_factor=None, persistent_workers=False, multiprocessing_context=None, timeout=0 "
        "(torch's defaults)\n"
    )
    assert "batch_size" not in told and "pin_memory" not in told


def test_nothing_is_said_of_torchs_defaults_where_the_whole_bundle_is_given() -> None:
    given = {name: Value((candidate(None),)) for name in ("num_workers", *WORKER_OPTIONS)}
    assert "not given" not in text(loader(**given))
    assert text(loader(**given)).splitlines()[-1].startswith("└─ ")


def test_what_the_whole_loader_is_made_under_is_said_once() -> None:
    debug = assuming(debug=True)
    cuda = (candidate(True, assumptions=debug | assuming(cuda=True)), candidate(False, 8, assumptions=debug))
    told = text(loader(num_workers=Value((candidate(8, assumptions=debug),)), pin_memory=Value(cuda)))
    assert told.count("when debug") == 1
    assert told.splitlines()[1] == "│  when debug"
    assert "train.py:7:5  when torch.cuda.is_available()\n" in told


def test_what_may_come_from_elsewhere_is_no_condition_of_the_loader() -> None:
    debug = assuming(debug=True)
    workers = Value((candidate(8, assumptions=debug),), open=True)
    told = text(loader(num_workers=workers, pin_memory=Value((candidate(True),))))
    assert "train.py:7:5  when debug\n" in told


def test_what_the_user_gives_is_told_from_what_cannot_be_seen() -> None:
    given = Value((candidate(8),), open=True, by_user=True)
    assert "│               or what the user of the program gives\n" in text(loader(num_workers=given))


def test_a_default_that_reaches_a_given_option_is_torchs() -> None:
    default = Candidate(0, SITE, written=False)
    told = text(loader(num_workers=Value((candidate(8), default))))
    assert re.search(r"num_workers +8 +train\.py:7:5\n│ +0 +torch's default\n", told)


def test_a_mapping_that_no_code_reads_is_marked() -> None:
    assert "data.params  (no code was seen to read it)" in text(Loader(SITE, "data.params", consumer_seen=False))
    assert "no code" not in text(loader())


@pytest.mark.parametrize(
    ("constant", "shown"),
    [
        ("spawn", "'spawn'"),
        (True, "True"),
        (None, "None"),
        (2.5, "2.5"),
        (HALF, "os.cpu_count() // 2"),
        (CommandLineText("--workers"), "the text given to --workers"),
        ("x" * 50, "'" + "x" * 30 + "…"),
        ("\x1b[2J\u202e\ud800", r"'\x1b[2J\u202e\ud800'"),
    ],
)
def test_constants_are_shown_as_they_are_written(constant: Any, shown: str) -> None:
    assert f" {shown} " in text(loader(num_workers=Value((candidate(constant),))))


def nothing(name: str, line: int | None, **near: tuple[int, ...]) -> str:
    found = Traced(nothing=(Nothing(Asked(name, frozenset({name}), line), **near),))
    return trace.render(found, "text", color=False, width=200)


@pytest.mark.parametrize(
    ("near", "told"),
    [
        ({}, "The same holds for the rest of the file."),
        ({"loaders": (9,)}, "Loaders of this file: line 9."),
        ({"values": (3, 4)}, "Values that reach one: lines 3 and 4."),
        ({"loaders": (5, 9), "values": (3,)}, "Loaders of this file: lines 5 and 9. Values that reach one: line 3."),
        ({"loaders": tuple(range(1, 11))}, "Loaders of this file: lines 1, 2, 3, 4, 5, 6, 7, 8 and 2 more."),
    ],
)
def test_where_nothing_is_what_stands_near_is_said(near: dict[str, tuple[int, ...]], told: str) -> None:
    first = "No loader stands at train.py:7, and no value written on that line reaches one."
    assert " ".join(nothing("train.py", 7, **near).split()) == f"{first} {told}"


def test_where_nothing_is_in_a_file_or_folder_that_is_said() -> None:
    assert nothing("data", None) == "No loader stands in data, and no value written there reaches one.\n"
    assert nothing(".", None) == "No loader stands in this folder, and no value written there reaches one.\n"


def test_loaders_are_apart_by_a_blank_line() -> None:
    assert text(FULL, FULL) == text(FULL) + "\n" + text(FULL)


def test_color_changes_nothing_but_the_colors() -> None:
    assert "\x1b" not in text(FULL)
    assert re.sub(r"\x1b\[[0-9;]*m", "", text(FULL, color=True)) == text(FULL)


def test_long_notes_are_wrapped_beside_their_place() -> None:
    step = Step(span("main.py", 3, 1, 2), "a note of " + "many words " * 12 + "end")
    told = text(loader(num_workers=Value((candidate(8, trail=(step,)),))), width=100)
    assert max(map(len, told.splitlines())) <= 100
    assert " ".join(re.sub("[→│]", "", told).split()).count("many words") == 12


@given(note=st.text(st.characters()), width=st.integers(-1, 200))
def test_no_text_can_break_the_tree_or_reach_the_terminal(note: str, width: int) -> None:
    odd = candidate(note, trail=(Step(span(note, 1, 1, 2), note),), assumptions=frozenset({Assumption(note, note)}))
    told = text(loader(num_workers=Value((odd,)), **{"odd": Value(())}), width=width)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", told)


def test_json_has_the_form_of_version_1() -> None:
    jsonschema.validate(parsed(), VERSION_1)
    jsonschema.validate(parsed(FULL), VERSION_1)


def test_json_gives_each_candidate_with_its_place_and_trail() -> None:
    (one,) = parsed(FULL)["loaders"]
    assert list(one) == ["path", "line", "column", "callee", "options"]
    assert list(one["options"]) == ["num_workers", "batch_size", "pin_memory"]
    assert one["options"]["num_workers"] == {
        "open": True,
        "candidates": [
            {
                "constant": 4,
                "path": "configs/train.yaml",
                "line": 3,
                "column": 18,
                "trail": [
                    {"path": "main.py", "line": 64, "column": 9, "note": "DataModuleFromConfig(num_workers=…)"},
                    {"path": "main.py", "line": 180, "column": 9, "note": "self.num_workers"},
                ],
            },
            {"constant": "os.cpu_count() // 2", "path": "train.py", "line": 9, "column": 5, "trail": []},
        ],
    }


def test_json_gives_a_candidate_once_however_many_assumptions_it_arrives_under() -> None:
    ways = (candidate(4, assumptions=assuming(debug=True)), candidate(4, assumptions=assuming(debug=False)))
    (one,) = parsed(loader(num_workers=Value(ways)))["loaders"]
    assert len(one["options"]["num_workers"]["candidates"]) == 1


@pytest.mark.parametrize(
    ("constant", "written"),
    [(None, "null"), (True, "true"), (2.5, "2.5"), ("spawn", '"spawn"'), (float("nan"), '"nan"'), (1e999, '"inf"')],
)
def test_json_keeps_the_type_of_a_constant_that_json_has(constant: Any, written: str) -> None:
    told = trace.render(Traced((loader(num_workers=Value((candidate(constant),))),)), "json", color=False, width=80)
    assert f'"constant": {written},' in told


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="choose from json, text"):
        trace.render(Traced(), "sarif", color=False, width=80)
