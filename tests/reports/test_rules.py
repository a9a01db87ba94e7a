from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule
from loaderlint.model.target import Target
from loaderlint.reports import rules


class WorkersOnWindows(Rule):
    """Worker processes are started on Windows.

    ## What it does
    Finds `num_workers` above 0.

    ## Example
    ```python
    loader = DataLoader(dataset, num_workers=4)
    ```
    """

    code = "LL101"
    severity = Severity.WARNING
    confidence = Confidence.LIKELY

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        yield from ()


class NoDeadline(WorkersOnWindows):
    """A worker that is stuck keeps the whole job waiting, and nothing ends it because no timeout was ever given."""

    code = "LL502"
    severity = Severity.INFO
    confidence = Confidence.CERTAIN
    enabled_by_default = False


def test_a_page_is_its_markdown_under_a_title() -> None:
    assert rules.page(WorkersOnWindows, color=False, width=80) == (
        """\
# workers-on-windows (LL101)

Severity **warning**, confidence **likely**, on by default.

Worker processes are started on Windows.

## What it does
Finds `num_workers` above 0.

## Example
```python
loader = DataLoader(dataset, num_workers=4)
```
"""
    )


def test_a_page_says_how_to_turn_a_rule_on() -> None:
    page = rules.page(NoDeadline, color=False, width=80)
    assert "Severity **info**, confidence **certain**, off by default (`--extend-select LL502`)." in page


def test_a_page_for_a_terminal_is_laid_out() -> None:
    page = rules.page(WorkersOnWindows, color=True, width=60)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", page)
    assert page != plain and "\x1b" not in plain
    assert "#" not in plain and "`" not in plain and "loader = DataLoader(dataset, num_workers=4)" in plain
    assert all(len(row) <= 60 for row in plain.splitlines())


def test_the_table_lists_rules_by_code_with_their_first_line() -> None:
    assert rules.table([NoDeadline, WorkersOnWindows], "text", color=False, width=80) == (
        """\
LL101  workers-on-windows  warning, likely
       Worker processes are started on Windows.
LL502  no-deadline  info, certain  off by default
       A worker that is stuck keeps the whole job waiting, and nothing ends it
       because no timeout was ever given.
"""
    )


def test_the_colored_table_says_the_same() -> None:
    both = [rules.table([NoDeadline, WorkersOnWindows], "text", color=color, width=80) for color in (True, False)]
    assert both[0] != both[1] == re.sub(r"\x1b\[[0-9;]*m", "", both[0])


def test_the_table_for_machines_says_all_there_is() -> None:
    told = json.loads(rules.table([NoDeadline, WorkersOnWindows], "json", color=True, width=80))
    assert told["version"] == 1
    assert [one["code"] for one in told["rules"]] == ["LL101", "LL502"]
    assert told["rules"][1] == {
        "code": "LL502",
        "name": "no-deadline",
        "severity": "info",
        "confidence": "certain",
        "enabled_by_default": False,
        "summary": "A worker that is stuck keeps the whole job waiting, and nothing ends it because no timeout was "
        "ever given.",
    }


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="choose from json, text"):
        rules.table([], "sarif", color=False, width=80)
