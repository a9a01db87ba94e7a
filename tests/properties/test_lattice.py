"""Every combination of loader options: what the rules say of it is what torch does with it.

A combination is written as a call in a generated file, linted, and the same text is evaluated with torch. Torch stops
at the first thing it does not like, so its error is one of the findings' own; where it likes everything, so do the
rules.
"""

from __future__ import annotations

import ast
import itertools
import multiprocessing
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import torch
from torch.utils.data import (
    DataLoader,
    RandomSampler,
)

from loaderlint.model.finding import Finding
from tests.properties.whole_tool import after, fix, lint

pytestmark = [
    pytest.mark.filterwarnings("ignore:This DataLoader will create"),
    # torch's iterator complains when it is thrown away before it has got as far as its workers.
    pytest.mark.filterwarnings("ignore:Exception ignored in.*_MultiProcessingDataLoaderIter"),
    pytest.mark.skipif(
        multiprocessing.get_all_start_methods()[:1] != ["fork"] or sys.version_info >= (3, 14),
        reason="a first batch for each combination is quick where fork is the default",
    ),
]

ABSENT = object()

DROPPED = {
    "LL104": "multiprocessing_context",
    "LL201": "prefetch_factor",
    "LL202": "persistent_workers",
    "LL203": "multiprocessing_context",
    "LL204": "timeout",
    "LL206": "prefetch_factor",
}
"""The option that a rule's safe fix takes away. LL205's makes a number of ``num_workers``."""

WORKERS: Mapping[str, tuple[object, ...]] = {
    "num_workers": (ABSENT, 0, 2, True, -1, 0.0, 2.0, "2", None),
    "prefetch_factor": (ABSENT, None, 0, 2, 16, -1, 2.5, "2"),
    "persistent_workers": (ABSENT, True, False),
    "multiprocessing_context": (ABSENT, None, "fork", "spawn", "thread"),
    "timeout": (ABSENT, 0, 60, -1, "60", None),
}

BATCHES: Mapping[str, tuple[object, ...]] = {
    "num_workers": (ABSENT, 2),
    "prefetch_factor": (ABSENT, 2),
    "batch_size": (ABSENT, 4, 0, -1, 2.0, True, "4", None),
    "drop_last": (ABSENT, True, False, "False"),
    "shuffle": (ABSENT, True, False, None, "False", ""),
}


class Text(str):
    """Something that is written as it is, not as the text it is."""

    def __repr__(self) -> str:
        return str(self)


SAMPLES: Mapping[str, tuple[object, ...]] = {
    "dataset": (Text("rows"), Text("tensors"), Text("stream")),
    "sampler": (ABSENT, None, Text("SequentialSampler(rows)"), Text("BatchSampler(SequentialSampler(rows), 2, False)")),
    "batch_sampler": (ABSENT, None, Text("BatchSampler(SequentialSampler(rows), 2, False)")),
    "shuffle": (ABSENT, True, False, None),
    "drop_last": (ABSENT, True, False),
    "batch_size": (ABSENT, 1, 4, None, 0),
    "num_workers": (ABSENT, 2),
}

MENDABLE: Mapping[str, tuple[object, ...]] = {
    "num_workers": (ABSENT, 0, 2, 2.0, -1),
    "prefetch_factor": (ABSENT, 0, 2),
    "persistent_workers": (ABSENT, True),
    "multiprocessing_context": (ABSENT, "spawn", "thread"),
    "timeout": (ABSENT, 60, -1),
}
"""Without text as a worker count, which hides what else is wrong from torch and the rules alike."""

MENDABLE_SAMPLES: Mapping[str, tuple[object, ...]] = {
    **SAMPLES,
    "dataset": (Text("rows"), Text("tensors")),
    "sampler": (ABSENT, Text("SequentialSampler(rows)")),
    "shuffle": (ABSENT, True),
    "batch_size": (ABSENT, 4, None),
    "num_workers": (ABSENT,),
}
"""Without a stream, from which options are only taken away by fixes that are unsafe."""

FILE_LENGTH = 100
"""Loaders in one generated file; linting takes a little longer than in proportion to it."""

FIXED_FILE_LENGTH = 10
"""The same where it is fixed: every fix is proven on the whole file."""

DATASET = list(range(8))


HEADER = "from torch.utils.data import DataLoader\ndataset = list(range(8))\n"

HEADER_WITH_DATASETS = """\
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, SequentialSampler, TensorDataset


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(8))


rows, stream, tensors = Rows(), Stream(), TensorDataset(torch.arange(8))
"""

NAMES: dict[str, Any] = {"dataset": DATASET}
"""What the names in a call stand for."""
exec(HEADER_WITH_DATASETS, NAMES)


def calls(lattice: Mapping[str, tuple[object, ...]]) -> list[str]:
    """Return the text of one call for every combination."""
    combinations = (dict(zip(lattice, values, strict=True)) for values in itertools.product(*lattice.values()))
    return [
        f"DataLoader({', '.join([str(one.get('dataset', 'dataset')), *given])})"
        for one in combinations
        for given in [[f"{name}={one[name]!r}" for name in one if one[name] is not ABSENT and name != "dataset"]]
    ]


def header(texts: list[str]) -> str:
    """Return what stands above the calls in a file."""
    return HEADER if texts[0].startswith("DataLoader(dataset") else HEADER_WITH_DATASETS


def programs(texts: list[str], length: int = FILE_LENGTH) -> Iterator[tuple[list[str], str]]:
    """Yield some of the calls and the file they are written in, a line each below the header."""
    for start in range(0, len(texts), length):
        some = texts[start : start + length]
        yield some, header(some) + "".join(f"loader_{number} = {text}\n" for number, text in enumerate(some))


def in_force() -> dict[str, object]:
    major, minor = torch.__version__.split(".")[:2]
    rules = [*DROPPED, "LL205", "LL207", "LL208"]
    return {"select": rules, "platforms": ["linux"], "python": ["3.12"], "torch": f"{major}.{minor}"}


def findings_of_calls(program: str) -> dict[int, list[Finding]]:
    """Return the findings by the number of the call they stand in."""
    by_call: dict[int, list[Finding]] = {}
    first = 1 + program[: program.index("loader_0")].count("\n")
    for finding in lint({"train.py": program}, **in_force()).findings:
        by_call.setdefault(finding.span.line - first, []).append(finding)
    return by_call


class Torch:
    """Tries calls; loaders that differ in nothing their iterator looks at are iterated once."""

    def __init__(self) -> None:
        self._iterated: dict[tuple[str, ...], str | None] = {}

    def made(self, call: str) -> tuple[DataLoader[int] | None, str | None]:
        """Return the loader, or the error it dies with when it is made or at its first batch."""
        try:
            loader: DataLoader[int] = eval(call, NAMES)
        except (AssertionError, TypeError, ValueError) as error:
            return None, words(error)
        return loader, self._first_batch(loader)

    def _first_batch(self, loader: DataLoader[int]) -> str | None:
        looked_at = (
            "num_workers",
            "prefetch_factor",
            "persistent_workers",
            "timeout",
            "batch_size",
            "drop_last",
        )
        kinds = (loader.dataset, loader.sampler, loader.batch_sampler)
        state = (*(repr(getattr(loader, name)) for name in looked_at), *(type(one).__name__ for one in kinds))
        if state not in self._iterated:
            if loader.multiprocessing_context is not None:
                # Which of the methods that exist it is makes no difference to what torch refuses, only to how long.
                loader.multiprocessing_context = "fork"
            try:
                next(iter(loader))
                self._iterated[state] = None
            except (AssertionError, TypeError, ValueError) as error:
                self._iterated[state] = words(error)
        return self._iterated[state]


def words(error: Exception) -> str:
    # torch repeats a count of 0.0 as somebody wrote it; a finding says 0.
    text = str(error).replace("num_workers=0.0", "num_workers=0")
    # An object is shown by where it lies in memory.
    text = re.sub(r", but got (batch_)?sampler=<.*", "", text)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@pytest.fixture(scope="module")
def real() -> Iterator[Torch]:
    yield Torch()


@pytest.mark.parametrize("lattice", [WORKERS, BATCHES, SAMPLES], ids=["worker options", "batch options", "samplers"])
def test_a_combination_has_findings_exactly_where_torch_raises_and_in_its_words(
    lattice: Mapping[str, tuple[object, ...]], real: Torch
) -> None:
    differing: list[Any] = []
    verdicts = {"refused": 0, "accepted": 0}
    for some, program in programs(calls(lattice)):
        findings = findings_of_calls(program)
        for number, call in enumerate(some):
            said = {one.error for one in findings.get(number, ()) if one.error is not None}
            error = real.made(call)[1]
            verdicts["accepted" if error is None else "refused"] += 1
            if (error is None and said) or (error is not None and error not in said):
                differing.append((call, error, sorted(said)))
    assert differing == []
    assert min(verdicts.values()) > 50, verdicts


def test_a_finding_without_an_error_is_data_in_another_order_than_was_asked_for(real: Torch) -> None:
    silent = 0
    for some, program in programs(calls(BATCHES)):
        for number, findings in findings_of_calls(program).items():
            if findings and all(one.error is None for one in findings):
                loader, error = real.made(some[number])
                assert error is None
                assert loader is not None
                assert isinstance(loader.sampler, RandomSampler), some[number]
                assert "shuffle='False'" in some[number]
                silent += 1
    assert silent > 0


@dataclass(frozen=True)
class Mended:
    """A call before and after ``--fix``, with what was found before and what is found afterwards."""

    before: str
    found: tuple[Finding, ...]
    after: str
    left: tuple[Finding, ...]


@cache
def mended(*lattice: tuple[str, tuple[object, ...]]) -> list[Mended]:
    calls_mended = []
    for some, program in programs(calls(dict(lattice)), FIXED_FILE_LENGTH):
        found = findings_of_calls(program)
        report = fix({"train.py": program}, **in_force())
        assert report.unproven == ()
        fixed = after({"train.py": program}, report)["train.py"].decode()
        left = findings_of_calls(fixed)
        for number, (call, new_call) in enumerate(zip(some, calls_in(fixed), strict=True)):
            calls_mended.append(Mended(call, tuple(found.get(number, ())), new_call, tuple(left.get(number, ()))))
    return calls_mended


@pytest.mark.parametrize("lattice", [MENDABLE, MENDABLE_SAMPLES], ids=["worker options", "samplers"])
def test_what_the_safe_fixes_leave_is_accepted_unless_a_finding_without_one_is_left(
    lattice: Mapping[str, tuple[object, ...]], real: Torch
) -> None:
    every = mended(*lattice.items())
    for one in every:
        without_fix = [finding.code for finding in one.found if finding.fix is None]
        assert [finding.code for finding in one.left] == without_fix, one.before
        error = real.made(one.after)[1]
        assert (error is None) == (without_fix == []), (one.before, one.after, error)
    assert sum(one.before != one.after for one in every) > len(every) / 2


def test_a_fix_takes_away_the_options_its_findings_name_and_keeps_every_other_as_it_was_written() -> None:
    for one in mended(*MENDABLE.items()):
        codes = {finding.code for finding in one.found if finding.fix is not None}
        expected = options(one.before)
        for code in codes:
            expected.pop(DROPPED.get(code, ""), None)
        if "LL205" in codes:
            expected["num_workers"] = "2"
        assert options(one.after) == expected, one.before


@pytest.mark.parametrize(("text", "number"), [("'4'", "4"), ("' 2 '", "2"), ("'0'", "0"), ("2.0", "2")])
def test_a_worker_count_that_is_no_integer_becomes_the_one_that_was_meant(text: str, number: str, real: Torch) -> None:
    program = f"from torch.utils.data import DataLoader\n\nloader = DataLoader(dataset, num_workers={text})\n"
    assert real.made(f"DataLoader(dataset, num_workers={text})")[1] is not None
    fixed = after({"train.py": program}, fix({"train.py": program}, **in_force()))["train.py"].decode()
    assert fixed == program.replace(text, number)
    assert real.made(f"DataLoader(dataset, num_workers={number})")[1] is None


def calls_in(program: str) -> list[str]:
    """Return the text of the calls of a file, in order."""
    values = [one.value for one in ast.parse(program).body if isinstance(one, ast.Assign)]
    texts = [ast.get_source_segment(program, one) for one in values[1:]]
    return [text for text in texts if text is not None]


def options(call: str) -> dict[str | None, str]:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    return {one.arg: ast.unparse(one.value) for one in node.keywords}
