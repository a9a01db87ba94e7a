from __future__ import annotations

import json
from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from loaderlint import __version__
from loaderlint.model.finding import Failure
from loaderlint.model.report import Report
from loaderlint.model.target import Accelerator, Platform, Target
from loaderlint.reports import render
from tests.reports.build import CONFIG, SET_TO_0, finding, report

POSITION = {"type": "integer", "minimum": 1}
COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string"}
TEXT_OR_NULL = {"type": ["string", "null"]}
PLATFORM = {"enum": ["linux", "windows", "macos"]}


def exactly(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has all these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def every(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


START = {"path": TEXT, "line": POSITION, "column": POSITION}
STRETCH = START | {"end_line": POSITION, "end_column": POSITION}
FINDING = exactly(
    code=TEXT,
    name=TEXT,
    severity={"enum": ["error", "warning", "info"]},
    confidence={"enum": ["certain", "likely", "possible"]},
    message=TEXT,
    **STRETCH,
    platforms=every(PLATFORM),
    loader={"anyOf": [{"type": "null"}, exactly(**START, callee=TEXT)]},
    trail=every(exactly(**START, note=TEXT)),
    fix={
        "anyOf": [
            {"type": "null"},
            exactly(safety={"enum": ["safe", "unsafe"]}, title=TEXT, edits=every(exactly(**STRETCH, content=TEXT))),
        ]
    },
    url=TEXT,
)
TARGET = exactly(
    platform=PLATFORM,
    python={"type": "string", "pattern": r"^\d+\.\d+$"},
    torch=TEXT_OR_NULL,
    accelerator={"enum": ["cuda", "rocm", "mps", "cpu", None]},
    cpus={"type": ["integer", "null"]},
)
SUMMARY = exactly(
    findings=COUNT, fixed=COUNT, fixable=COUNT, unsafe_fixable=COUNT, suppressed=COUNT, files_changed=COUNT
)
VERSION_1 = exactly(
    version={"const": 1},
    loaderlint=TEXT,
    targets=every(TARGET),
    files_seen=COUNT,
    files_read=COUNT,
    findings=every(FINDING),
    fixed=every(FINDING),
    errors=every(exactly(**START, message=TEXT)),
    summary=SUMMARY,
)
"""INTERFACE.md, "JSON, version 1"."""


def parsed(report: Report) -> Any:
    return json.loads(render(report, "json", color=True, width=80))


def in_order(schema: Any, value: Any) -> bool:
    """Return whether every object has its keys in the order of its schema."""
    if isinstance(value, list):
        return all(in_order(schema["items"], one) for one in value)
    if isinstance(value, dict):
        schema = schema["anyOf"][1] if "anyOf" in schema else schema
        known = schema["properties"]
        return list(value) == list(known) and all(in_order(known[key], one) for key, one in value.items())
    return True


def test_the_report_has_the_form_of_version_1() -> None:
    jsonschema.validate(parsed(report()), VERSION_1)
    jsonschema.validate(parsed(_full()), VERSION_1)


def test_keys_stand_in_the_order_of_the_contract() -> None:
    assert in_order(VERSION_1, parsed(_full()))


def _full() -> Report:
    targets = (Target(Platform.LINUX, (3, 14), (2, 6), Accelerator.ROCM, 8), Target(Platform.WINDOWS, (3, 12)))
    return report(
        finding(),
        finding(fix=SET_TO_0.unsafe("shared"), site=None, trail=(), platforms=frozenset(Platform)),
        targets=targets,
        fixed=(finding(fix=None),),
        failures=(Failure("broken.py", "invalid syntax", 3, 7),),
        rewritten={CONFIG: b""},
        suppressed=3,
    )


def test_a_finding_says_all_that_is_known() -> None:
    assert parsed(report(finding()))["findings"] == [
        {
            "code": "LL101",
            "name": "workers-on-windows",
            "severity": "warning",
            "confidence": "likely",
            "message": "each of the 4 workers is a fresh interpreter. It imports the program again",
            "path": "configs/train.yaml",
            "line": 3,
            "column": 18,
            "end_line": 3,
            "end_column": 19,
            "platforms": ["windows"],
            "loader": {"path": "main.py", "line": 204, "column": 16, "callee": "torch.utils.data.DataLoader"},
            "trail": [{"path": "main.py", "line": 64, "column": 9, "note": "DataModuleFromConfig(num_workers=…)"}],
            "fix": {
                "safety": "safe",
                "title": "set num_workers to 0",
                "edits": [
                    {
                        "path": "configs/train.yaml",
                        "line": 3,
                        "column": 18,
                        "end_line": 3,
                        "end_column": 19,
                        "content": "0",
                    }
                ],
            },
            "url": "loaderlint rule workers-on-windows",
        }
    ]


def test_everything_else_is_counted() -> None:
    told = parsed(_full())
    del told["findings"], told["fixed"]
    assert told == {
        "version": 1,
        "loaderlint": __version__,
        "targets": [
            {"platform": "linux", "python": "3.14", "torch": "2.6", "accelerator": "rocm", "cpus": 8},
            {"platform": "windows", "python": "3.12", "torch": None, "accelerator": None, "cpus": None},
        ],
        "files_seen": 212,
        "files_read": 14,
        "errors": [{"path": "broken.py", "line": 3, "column": 7, "message": "invalid syntax"}],
        "summary": {
            "findings": 2,
            "fixed": 1,
            "fixable": 1,
            "unsafe_fixable": 1,
            "suppressed": 3,
            "files_changed": 1,
        },
    }


def test_platforms_have_one_order() -> None:
    assert parsed(_full())["findings"][1]["platforms"] == ["linux", "windows", "macos"]


@given(text=st.text(st.characters()))
def test_any_text_survives_and_any_output_encoding_can_hold_it(text: str) -> None:
    told = render(report(finding(message=text)), "json", color=False, width=80)
    assert told.isascii()
    assert json.loads(told)["findings"][0]["message"] == text
