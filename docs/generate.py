"""Writes what the documentation says of rules and settings: `python docs/generate.py`, from the top of the checkout.

Nothing here is written by hand twice: a rule's page is its docstring, the table and the JSON are what
`loaderlint rule` prints, the schema is that of `loaderlint config schema`. `tests/test_docs.py` fails when a file is
stale, missing or left over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from loaderlint.model.rule import Rule
from loaderlint.reports import rules as reports
from loaderlint.rulebook import all_rules
from loaderlint.settings_table import schema

HERE = Path(__file__).resolve().parent

FAMILIES: Mapping[str, str] = {
    "LL1": "How a worker is born",
    "LL2": "Options that contradict each other",
    "LL3": "More than the machine has",
    "LL4": "Wrong data, no error",
    "LL5": "Waiting for ever",
    "LL6": "Slower than it needs to be (off by default: `--extend-select LL6`)",
    "LL9": "About loaderlint itself",
}
"""What the rules of one code prefix are about."""

_WIDTH = 120


def generated() -> dict[str, str]:
    """Return the text of every generated file, by its path below ``docs/``."""
    rules = all_rules()
    pages = {f"rules/{rule.name()}.md": reports.page(rule, color=False, width=_WIDTH) for rule in rules}
    return {
        **pages,
        "rules/README.md": "".join(_table(rules)),
        "rules.json": reports.table(rules, "json", color=False, width=_WIDTH),
        "settings.schema.json": json.dumps(schema(), indent=2) + "\n",
    }


def present() -> set[str]:
    """Return the paths below ``docs/`` of the files that are there and are generated."""
    written = [*HERE.glob("rules/*.md"), *HERE.glob("*.json")]
    return {path.relative_to(HERE).as_posix() for path in written}


def _table(rules: tuple[type[Rule], ...]) -> Iterator[str]:
    yield "# The rules\n"
    for prefix, about in FAMILIES.items():
        yield f"\n## {prefix}: {about}\n\n"
        yield "| code | name | what it finds | severity, confidence |\n| --- | --- | --- | --- |\n"
        for rule in rules:
            if rule.code.startswith(prefix):
                standing = f"{rule.severity.value}, {rule.confidence.value}"
                standing += "" if rule.enabled_by_default else ", off by default"
                yield f"| {rule.code} | [{rule.name()}]({rule.name()}.md) | {rule.summary()} | {standing} |\n"


def main() -> None:
    """Write every generated file, and remove those of rules that are gone."""
    texts = generated()
    for gone in present() - texts.keys():
        (HERE / gone).unlink()
    for path, text in texts.items():
        (HERE / path).parent.mkdir(exist_ok=True)
        (HERE / path).write_bytes(text.encode())


if __name__ == "__main__":
    main()
