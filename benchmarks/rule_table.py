"""What shows that each rule is right: its fixtures, what real torch does with them, and what its page cites.

    python benchmarks/rule_table.py

prints a row for each rule: the shapes it is found in, the files it stays quiet in, how many of the bad programs die,
hang or give wrong data as ``tests/test_witness.py`` runs them and how many of the good ones deliver their batches
(``gpu`` where only a CUDA device shows it), how many sources its page names, and whether it was tried here.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from loaderlint.rulebook import all_rules
from tests.rule_cases import cases, quiet_cases

_SOURCES = (
    r"[\w./-]+\.(?:py|cpp|h|rst|md)\b",
    r"\bissues? \d+(?:(?:,| and) \d+)*",
    r"`[\w.]+` page",
    r'"[A-Z][^"]+"',
    r"`_?[A-Z]\w+\.\w+`",
)
"""How the evidence of a rule's page names its sources: files, issues, pages, headings, members of torch's classes."""
_MEASURED = re.compile(r"on torch \d|(?:tried|seen|measured|on) [^.]*\d+\.\d+", re.IGNORECASE)
_OUTCOMES = {"error": "dies", "hangs_after": "hangs", "shows": "wrong data", "delivers": "delivers"}


def rows() -> Iterator[tuple[str, ...]]:
    """Yield a row for each rule, by code."""
    positive, negative = Counter[str](), Counter[str]()
    outcomes: dict[str, Counter[str]] = {}
    for case in cases():
        rule = case.folder.parent.name
        positive[rule] += 1
        seen = outcomes.setdefault(rule, Counter())
        if case.witness is not None:
            seen["gpu"] += case.witness.gpu
            said = (word for field, word in _OUTCOMES.items() if getattr(case.witness, field) is not None)
            seen.update(said)
    negative.update(quiet.rule for quiet in quiet_cases())
    for rule in all_rules():
        name = rule.name()
        evidence = (rule.__doc__ or "").partition("## Evidence")[2]
        shown = outcomes.get(name, Counter())
        witness = ", ".join(f"{count} {word}" for word, count in sorted(shown.items()) if count) or "none"
        sources = {one for pattern in _SOURCES for one in re.findall(pattern, " ".join(evidence.split()))}
        tried = "yes" if _MEASURED.search(evidence) else "no"
        yield rule.code, name, str(positive[name]), str(negative[name]), witness, str(len(sources)), tried


def main() -> None:
    """Print the table."""
    table = [("code", "rule", "found in", "quiet in", "witnesses", "sources", "tried"), *rows()]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()
