"""Whether a loader gives a first batch at all: what the rules say of a combination is what torch does with it.

1440 combinations of dataset, ``sampler``, ``batch_sampler``, ``shuffle``, ``drop_last`` and ``batch_size``, besides
those of `test_lattice`: each is linted, made, and asked for a batch. torch raises when the loader is made, or at the
first batch, or gives no batch and says nothing, or works; the rules must say the same, in its words where it has some.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest
import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, SequentialSampler, TensorDataset

from loaderlint.model.finding import Finding
from tests.properties.test_lattice import ABSENT, words
from tests.properties.whole_tool import lint

RULES = ("LL206", "LL207", "LL208", "LL411")

HEAD = """import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, SequentialSampler, TensorDataset
class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(8))
"""

DATASETS = ("list(range(8))", "TensorDataset(torch.arange(8))", "Stream()", "[]")


class Written(str):
    """An expression that stands in the call as it is."""

    def __repr__(self) -> str:
        return str(self)


IN_ORDER = Written("SequentialSampler(range(8))")
IN_PAIRS = Written("BatchSampler(SequentialSampler(range(8)), 2, False)")

LATTICE: Mapping[str, tuple[object, ...]] = {
    "sampler": (ABSENT, IN_ORDER, IN_PAIRS),
    "batch_sampler": (ABSENT, IN_PAIRS),
    "shuffle": (ABSENT, True, 0, "False", ""),
    "drop_last": (ABSENT, True, False),
    "batch_size": (ABSENT, 4, 16, None),
}

FILE_LENGTH = 140
"""Loaders in one generated file; linting takes a little longer than in proportion to it."""

NOTHING_TO_SHUFFLE = "ValueError: num_samples should be a positive integer value, but got num_samples=0"
"""What torch says of an empty dataset that is to be shuffled, which no rule is about."""


class Outcome(NamedTuple):
    """What torch does with a call: its error, None where it has none, and whether there is a first batch."""

    error: str | None
    batch: bool = False


def calls(lattice: Mapping[str, tuple[object, ...]]) -> list[str]:
    """Return the text of one call for every combination."""
    found = []
    for values in itertools.product(*lattice.values()):
        given = [f"{name}={value!r}" for name, value in zip(lattice, values, strict=True) if value is not ABSENT]
        found.append(f"DataLoader({', '.join(['dataset', *given])})")
    return found


def programs(dataset: str, texts: list[str], length: int = FILE_LENGTH) -> Iterator[tuple[list[str], str]]:
    """Yield some of the calls and the file they are written in."""
    for start in range(0, len(texts), length):
        some = texts[start : start + length]
        lines = [f"{HEAD}dataset = {dataset}", *(f"loader_{number} = {text}" for number, text in enumerate(some))]
        yield some, "\n".join(lines) + "\n"


FIRST_LINE = HEAD.count("\n") + 2


def in_force() -> dict[str, object]:
    major, minor = torch.__version__.split(".")[:2]
    return {"select": list(RULES), "platforms": ["linux"], "python": ["3.12"], "torch": f"{major}.{minor}"}


def findings_of_calls(program: str) -> dict[int, list[Finding]]:
    """Return the findings by the number of the call they stand in."""
    by_call: dict[int, list[Finding]] = {}
    for finding in lint({"train.py": program}, **in_force()).findings:
        by_call.setdefault(finding.span.line - FIRST_LINE, []).append(finding)
    return by_call


class Stream(IterableDataset):  # type: ignore[misc]
    """Eight numbers, as the generated files have them."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(8))


def tried(call: str, dataset: str) -> Outcome:
    """Make a loader and ask it for a batch."""
    names: dict[str, Any] = {
        "BatchSampler": BatchSampler,
        "DataLoader": DataLoader,
        "SequentialSampler": SequentialSampler,
        "Stream": Stream,
        "TensorDataset": TensorDataset,
        "torch": torch,
    }
    names["dataset"] = eval(dataset, names)
    try:
        return Outcome(None, any(True for _ in eval(call, names)))
    except (AssertionError, IndexError, TypeError, ValueError) as error:
        return Outcome(words(error))


def agree(findings: list[Finding], outcome: Outcome, dataset: str, call: str) -> bool:
    """Return whether the rules say of a call what torch does with it."""
    said = [one.error for one in findings if one.error is not None]
    silent = {one.code for one in findings if one.error is None and "shuffle" not in one.message}
    if outcome.error == NOTHING_TO_SHUFFLE:
        return dataset == "[]" and said == []
    if outcome.error is not None and not any(outcome.error.startswith(one) for one in said):
        # A list that is handed several indices, or one that it does not have, fails itself and not the loader.
        reads = outcome.error.startswith(("TypeError: list indices", "IndexError"))
        return reads and said == [] and ("LL207" in silent or "batch_size=None" in call or dataset == "[]")
    if outcome.error is None and said:
        return False
    nothing = outcome == Outcome(None, batch=False) and dataset in DATASETS[:2]
    if outcome.error is None and IN_ORDER in call:
        # How many samples a sampler gives is its own business.
        return "LL411" not in silent
    return outcome.error is not None or ("LL411" in silent) is nothing


@pytest.mark.parametrize("dataset", DATASETS)
def test_what_the_rules_say_of_a_combination_is_what_torch_does(dataset: str) -> None:
    texts = calls(LATTICE)
    assert len(texts) * len(DATASETS) == 1440
    differing = []
    outcomes = {"refused": 0, "accepted": 0}
    for some, program in programs(dataset, texts):
        findings = findings_of_calls(program)
        for number, call in enumerate(some):
            outcome = tried(call, dataset)
            outcomes["accepted" if outcome.error is None else "refused"] += 1
            if not agree(findings.get(number, []), outcome, dataset, call):
                differing.append((call, outcome, [(one.code, one.error) for one in findings.get(number, ())]))
    assert differing == []
    assert min(outcomes.values()) > 20, outcomes
