"""The rule book for readers: one rule's page, and the table of all rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from loaderlint.model.rule import Rule
from loaderlint.reports._lines import WIDEST_PROSE, Line, line, paint, paragraphs, terminal, usable, visible
from loaderlint.reports._style import FAINT, SEVERITY, STRONG

FORMATS = ("json", "text")
"""The names `table` takes."""


def page(rule: type[Rule], *, color: bool, width: int) -> str:
    """Return a rule's page: its Markdown under a title, or that Markdown laid out for a terminal with ``color``."""
    markdown = "\n\n".join((f"# {rule.name()} ({rule.code})", _standing(rule), rule.page())).rstrip() + "\n"
    return _laid_out(markdown, width) if color else markdown


def _standing(rule: type[Rule]) -> str:
    state = "on by default" if rule.enabled_by_default else f"off by default (`--extend-select {rule.code}`)"
    return f"Severity **{rule.severity.value}**, confidence **{rule.confidence.value}**, {state}."


def _laid_out(markdown: str, width: int) -> str:
    from rich.markdown import Markdown

    safe = "\n".join(map(visible, markdown.split("\n")))
    console = terminal(min(usable(width), WIDEST_PROSE))
    with console.capture() as laid_out:
        console.print(Markdown(safe, code_theme="ansi_dark", hyperlinks=False))
    return laid_out.get()


def table(rules: Sequence[type[Rule]], format: str, *, color: bool, width: int) -> str:
    """Return all rules in order of their codes, as text or as JSON (``{"version": 1, "rules": [...]}``).

    Raises:
        ValueError: when there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: choose from {', '.join(FORMATS)}")
    ordered = sorted(rules, key=lambda rule: rule.code)
    if format == "json":
        return json.dumps({"version": 1, "rules": [_rule(rule) for rule in ordered]}, indent=2) + "\n"
    return paint(_rows(ordered, width), color=color)


def _rule(rule: type[Rule]) -> dict[str, str | bool]:
    return {
        "code": rule.code,
        "name": rule.name(),
        "severity": rule.severity.value,
        "confidence": rule.confidence.value,
        "enabled_by_default": rule.enabled_by_default,
        "summary": rule.summary(),
    }


def _rows(rules: Sequence[type[Rule]], width: int) -> Iterator[Line]:
    for rule in rules:
        state = "" if rule.enabled_by_default else "  off by default"
        yield line(
            (rule.code, STRONG),
            "  ",
            (rule.name(), STRONG),
            "  ",
            (rule.severity.value, SEVERITY[rule.severity]),
            (f", {rule.confidence.value}{state}", FAINT),
        )
        yield from paragraphs(rule.summary(), width, first=" " * 7, indent=" " * 7)
