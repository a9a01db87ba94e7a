from __future__ import annotations

import ast
from collections.abc import Iterator
from textwrap import indent

import pytest
from loaderlint.rules.cuda_in_forked_worker import CudaInForkedWorker
from loaderlint.rules.nested_workers import NestedWorkers
from loaderlint.rules.unpicklable_handle import UnpicklableHandle

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.following.loaders_behind import Behind, loaders_in
from loaderlint.linking.following.running import functions_run_by
from loaderlint.linking.things.kinds import Frame, Function
from loaderlint.linking.workers import payload, worker_code
from loaderlint.model.target import Platform, Target
from loaderlint.model.worker_code import WorkerCode
from tests.linking.traced import loaders_of

HEAD = """
import os, torch
from torch.utils.data import Dataset, IterableDataset, get_worker_info
from unseen import count
fast = torch.compile(torch.exp)
eager = torch.compile(torch.exp, backend='eager')
maybe = torch.compile(torch.exp, disable=count)
@torch.compile
def compiled(x):
    return x
def threads(count):
    torch.set_num_threads(4)
"""


def code(text: str) -> WorkerCode:
    return loaders_of(HEAD + text)[-1].payload.code


def item(body: str, base: str = "Dataset", more: str = "") -> WorkerCode:
    text = f"class Data({base}):\n    def __init__(self, loader=None):\n        self.loader = loader\n"
    return code(
        f"{text}    def __getitem__(self, index):\n{indent(body, ' ' * 8)}\n{more}\n"
        "data_loader = DataLoader(Data(), num_workers=2)\n"
    )


ENDS: dict[str, str] = {
    "at once": "raise StopIteration",
    "with a word": "if self.loader is None:\n    raise StopIteration('no more')",
    "what was read": "one = self.loader[index]\nif one is None:\n    raise StopIteration",
    "in a handler": "try:\n    return 1\nexcept StopIteration:\n    raise StopIteration from None",
    "in a loop": "for one in [1]:\n    pass\nelse:\n    raise StopIteration()",
    "with a file": "with open('x'):\n    raise StopIteration",
    "where something else is suppressed": "with suppress(KeyError):\n    raise StopIteration",
    "with a type and no index": "one: object = self.loader\nif one is None:\n    raise StopIteration",
    "past another handler": "try:\n    raise StopIteration\nexcept KeyError:\n    pass",
}
GOES_ON: dict[str, str] = {
    "beyond the end": "if index >= 8:\n    raise StopIteration\nreturn 1",
    "caught": "try:\n    raise StopIteration\nexcept (KeyError, StopIteration):\n    return 1",
    "caught by anything": "try:\n    raise StopIteration\nexcept:\n    return 1",
    "an index that is not there": "try:\n    return self.loader[index]\nexcept IndexError:\n    raise StopIteration",
    "a number made of the index": "first = index * 4\nif first >= 32:\n    raise StopIteration\nreturn first",
    "a number made of the index, with its type": "first: int = index * 4\nif first >= 32:\n    raise StopIteration",
    "a number named in the test": "if (first := index * 4) >= 32:\n    raise StopIteration",
    "a number named in a test before": "if (one := index * 4) > 1:\n    pass\nif one >= 32:\n    raise StopIteration",
    "suppressed": "import contextlib\nwith contextlib.suppress(StopIteration):\n    raise StopIteration\nreturn 1",
    "after the others returned": "if index < 9:\n    return index\nraise StopIteration",
    "another error": "raise IndexError",
    "in a function of its own": "def inner():\n    raise StopIteration\nreturn inner",
    "an iterator that may end": "return next(iter([]))",
}


@pytest.mark.parametrize("body", ENDS.values(), ids=list(ENDS))
def test_where_a_sample_ends_the_data(body: str) -> None:
    assert len(item(body).ends) == 1


@pytest.mark.parametrize("body", GOES_ON.values(), ids=list(GOES_ON))
def test_where_the_data_go_on(body: str) -> None:
    assert item(body).ends == ()


INSIDE: dict[str, str] = {
    "above a number": "if index > 5:\n    raise StopIteration\nreturn index",
    "a number": "if index == 7:\n    raise StopIteration()\nreturn index",
    "all but the first": "if index < 1:\n    return 1\nelse:\n    raise StopIteration",
    "a number before it": "if 5 < index:\n    raise StopIteration\nreturn index",
    "between two numbers": "if index > 2:\n    if index < 4:\n        raise StopIteration\nreturn index",
}
OUTSIDE: dict[str, str] = {
    "beyond the end": "if index >= 8:\n    raise StopIteration\nreturn index",
    "before the first": "if index < 0:\n    raise StopIteration\nreturn index",
    "the length": "if index >= len(self):\n    raise StopIteration\nreturn index",
    "between two numbers that none is": "if index > 5:\n    if index < 3:\n        raise StopIteration\nreturn index",
    "an index that is counted otherwise": "index = index - 3\nif index > 5:\n    raise StopIteration\nreturn index",
    "something unseen besides": "if index > 5 and self.loader:\n    raise StopIteration\nreturn index",
    "caught": "try:\n    if index > 5:\n        raise StopIteration\nexcept StopIteration:\n    return 1",
}


def ends_of(body: str, length: str = "8", options: str = "") -> int:
    text = "class Data(Dataset):\n    def __init__(self, loader=None):\n        self.loader = loader\n"
    text += f"    def __len__(self):\n        return {length}\n"
    text += f"    def __getitem__(self, index):\n{indent(body, ' ' * 8)}\n"
    return len(code(f"{text}data_loader = DataLoader(Data(), num_workers=2{options})\n").ends)


@pytest.mark.parametrize("body", INSIDE.values(), ids=list(INSIDE))
def test_a_sample_below_the_length_ends_the_data(body: str) -> None:
    assert ends_of(body) == 1


@pytest.mark.parametrize("body", OUTSIDE.values(), ids=list(OUTSIDE))
def test_an_index_that_no_sampler_gives_ends_nothing(body: str) -> None:
    assert ends_of(body) == 0


@pytest.mark.parametrize(
    ("length", "options", "found"),
    [
        ("8", ", shuffle=True", 1),
        ("6", "", 0),
        ("len(self.loader)", "", 0),
        ("8 if self.loader else 3", "", 0),
        ("8", ", sampler=own", 0),
        ("8", ", batch_sampler=own", 0),
        ("8", ", batch_size=5, drop_last=True", 0),
    ],
)
def test_an_index_is_below_the_length_where_all_below_it_are_given(length: str, options: str, found: int) -> None:
    assert ends_of(INSIDE["above a number"], length, options) == found


def test_an_iterable_dataset_may_end() -> None:
    assert item("raise StopIteration", "IterableDataset").ends == ()


THREADS: dict[str, tuple[str, list[str]]] = {
    "several": ("torch.set_num_threads(2)", ["torch.set_num_threads(2)"]),
    "all": ("torch.set_num_threads(os.cpu_count())", ["torch.set_num_threads(os.cpu_count())"]),
    "in a helper": ("threads(1)", ["torch.set_num_threads(4)"]),
    "in the main process": ("if get_worker_info() is None:\n    torch.set_num_threads(8)", []),
    "by a name": ("info = get_worker_info()\nif not info:\n    torch.set_num_threads(8)", []),
    "after workers left": ("if get_worker_info():\n    return\ntorch.set_num_threads(8)", []),
    "in a worker": ("if get_worker_info() is not None:\n    torch.set_num_threads(8)", ["torch.set_num_threads(8)"]),
    "in a worker alone": (
        "info = get_worker_info()\nif info is None:\n    return\ntorch.set_num_threads(8)",
        ["torch.set_num_threads(8)"],
    ),
    "in a worker, perhaps": (
        "if (info := get_worker_info()) and index:\n    torch.set_num_threads(8)",
        ["torch.set_num_threads(8)"],
    ),
    "in one of them": ("if get_worker_info().id == 0:\n    torch.set_num_threads(8)", []),
    "unless in a worker": ("if not (get_worker_info() and index):\n    torch.set_num_threads(8)", []),
    "a helper of the main process": ("if get_worker_info() is None:\n    threads(1)", []),
    "one": ("torch.set_num_threads(1)", []),
    "unseen": ("torch.set_num_threads(count)", []),
    "of another library": ("count.set_num_threads(4)", []),
}


@pytest.mark.parametrize(("body", "found"), THREADS.values(), ids=list(THREADS))
def test_where_worker_code_asks_for_threads(body: str, found: list[str]) -> None:
    assert [one.what for one in item(body).threads] == found


COMPILED: dict[str, tuple[str, list[tuple[str, bool]]]] = {
    "made by a call": ("return fast(index)", [("fast(index)", False)]),
    "decorated": ("return compiled(index)", [("compiled(index)", False)]),
    "by another backend": ("return eager(index)", []),
    "perhaps not": ("return maybe(index)", []),
    "only handed on": ("return map(fast, [index])", []),
    "as it was before": ("return torch.exp(index)", []),
}


@pytest.mark.parametrize(("body", "found"), COMPILED.values(), ids=list(COMPILED))
def test_where_worker_code_calls_what_is_compiled(body: str, found: list[tuple[str, bool]]) -> None:
    assert [(one.what, one.called_outside) for one in item(body).compiled] == found


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("from torch import compile as quick\nsharp = quick(torch.exp)", "sharp(index)"),
        ("by_name = {'exp': torch.compile(torch.exp)}", "by_name['exp'](index)"),
        ("def made():\n    return torch.compile(torch.exp)", "made()(index)"),
        ("other = fast", "other(index)"),
    ],
    ids=["imported by another name", "kept in a dictionary", "given by a function", "by another name"],
)
def test_what_is_compiled_is_known_by_whatever_name_it_has(before: str, call: str) -> None:
    found = code(
        f"{before}\nclass Data(Dataset):\n    def __getitem__(self, index):\n        return {call}\n"
        "loader = DataLoader(Data(), num_workers=2)\n"
    )
    assert [one.what for one in found.compiled] == [call]


def test_something_else_than_worker_code_calls_the_same() -> None:
    (call,) = item("return compiled(index)", more="compiled(1)").compiled
    assert call.called_outside
    (call,) = item("return fast(index)", more="def train():\n    return fast(1)").compiled
    assert call.called_outside


NESTED: dict[str, tuple[str, list[str]]] = {
    "a loop": ("for one in DataLoader(range(8)):\n    pass", ["DataLoader(range(8))"]),
    "a list": ("loader = DataLoader(range(8))\nreturn list(loader)", ["loader"]),
    "the first batch": ("return next(iter(DataLoader(range(8))))", ["iter(DataLoader(range(8)))"]),
    "its length": ("return len(DataLoader(range(8)))", []),
    "one that asks": ("return list(DataLoader(range(8), num_workers=0 if get_worker_info() else 2))", []),
    "a count that asks": ("n = 0 if get_worker_info() else 2\nreturn list(DataLoader(range(8), num_workers=n))", []),
    "no loader": ("return [one for one in range(8)]", []),
}


@pytest.mark.parametrize(("body", "found"), NESTED.values(), ids=list(NESTED))
def test_where_worker_code_iterates_a_loader(body: str, found: list[str]) -> None:
    assert [one.what for one in item(body).nested] == found


def test_a_loader_that_the_dataset_keeps_is_found_where_it_is_made() -> None:
    text = "class Data(Dataset):\n    def __init__(self):\n        self.loader = DataLoader(range(8))\n"
    text += "    def __getitem__(self, index):\n        return [one for one in self.loader]\n"
    text += "DataLoader(Data(), num_workers=2)\n"
    inner, outer = loaders_of(HEAD + text)
    assert [one.loader for one in outer.payload.code.nested] == [inner.span]
    assert inner.payload.code.nested == ()


@pytest.mark.parametrize(("workers", "looked"), [(2, True), (0, False)])
def test_whether_worker_code_iterates_loaders_is_asked_where_there_are_workers(
    workers: int, looked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[ast.expr] = []

    def counted(evaluator: Evaluator, expression: ast.expr, frame: Frame) -> list[Behind]:
        asked.append(expression)
        return loaders_in(evaluator, expression, frame)

    monkeypatch.setattr(worker_code, "loaders_in", counted)
    text = "class Data(Dataset):\n    def __getitem__(self, index):\n"
    text += "        return list(DataLoader(range(8), num_workers=1))\n"
    *_, outer = loaders_of(HEAD + text + f"DataLoader(Data(), num_workers={workers})\n")
    assert asked == []
    found = list(NestedWorkers().check(outer, Target(Platform.LINUX, (3, 12))))
    assert (bool(asked), bool(found)) == (looked, looked)


@pytest.mark.parametrize(("workers", "looked"), [(2, True), (0, False)])
def test_what_runs_in_workers_is_followed_where_there_are_workers(
    workers: int, looked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Function] = []

    def counted(evaluator: Evaluator, entries: list[Function], left: list[Function] | None) -> Iterator[Function]:
        asked.extend(entries)
        return functions_run_by(evaluator, entries, left)

    monkeypatch.setattr(payload, "functions_run_by", counted)
    text = "class Data(Dataset):\n    def __init__(self):\n        self.file = open('data')\n"
    text += "    def __getitem__(self, index):\n        return self.file.read(index)\n"
    (loader,) = loaders_of(HEAD + text + f"DataLoader(Data(), num_workers={workers})\n")
    target = Target(Platform.WINDOWS, (3, 12))
    found = [one for rule in (UnpicklableHandle(), CudaInForkedWorker()) for one in rule.check(loader, target)]
    assert (bool(asked), bool(found)) == (looked, looked)
    assert loader.payload.kept
    assert asked
