"""Reports built by hand: a configuration whose worker count a Windows finding is about, and whatever a test changes."""

from __future__ import annotations

from typing import Any

from loaderlint.model.edit import Fix, SetValue, TextEdit
from loaderlint.model.finding import Confidence, Finding, Severity, Site
from loaderlint.model.report import Report
from loaderlint.model.source import Language, Source, Span
from loaderlint.model.target import Platform, Target
from loaderlint.model.value import Step

CONFIG = "configs/train.yaml"
YAML = "data:\n  params:\n    num_workers: 4\n    batch_size: 8\n"
WINDOWS = Target(Platform.WINDOWS, (3, 12))
LINUX = Target(Platform.LINUX, (3, 12))
MACOS = Target(Platform.MACOS, (3, 12))


def span(path: str, line: int, column: int, end_column: int, end_line: int | None = None) -> Span:
    return Span(path, line, column, line if end_line is None else end_line, end_column)


def source(path: str, text: str, encoding: str = "utf-8") -> Source:
    return Source(path, f"/project/{path}", Language.of(path) or Language.PYTHON, text.encode(encoding), encoding)


WORKERS = span(CONFIG, 3, 18, 19)
SET_TO_0 = Fix("set num_workers to 0", (SetValue(WORKERS, 0),))


def finding(**changes: Any) -> Finding:
    """Return a finding at the 4 of the configuration; every field can be changed."""
    fields: dict[str, Any] = {
        "code": "LL101",
        "name": "workers-on-windows",
        "severity": Severity.WARNING,
        "confidence": Confidence.LIKELY,
        "message": "each of the 4 workers is a fresh interpreter. It imports the program again",
        "span": WORKERS,
        "platforms": frozenset({Platform.WINDOWS}),
        "site": Site(span("main.py", 204, 16, 2, 209), "torch.utils.data.DataLoader"),
        "trail": (Step(span("main.py", 64, 9, 40), "DataModuleFromConfig(num_workers=…)"),),
        "fix": SET_TO_0,
    }
    return Finding(**(fields | changes))


def report(*findings: Finding, **changes: Any) -> Report:
    """Return the report of a run for Linux and Windows that found these in the configuration."""
    fields: dict[str, Any] = {
        "targets": (LINUX, WINDOWS),
        "findings": findings,
        "edits": {one: (TextEdit(WORKERS, "0"),) for one in findings if one.fix is not None},
        "sources": {CONFIG: source(CONFIG, YAML)},
        "files_seen": 212,
        "files_read": 14,
    }
    return Report(**(fields | changes))
