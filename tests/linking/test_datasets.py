from __future__ import annotations

from textwrap import dedent

import pytest

from loaderlint.model.payload import DatasetKind
from tests.linking.traced import loader_of

HEAD = """
import argparse
import torch
import webdataset as wds
from datasets import load_dataset
from torch.utils.data import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset
class Numbers(Dataset):
    def __init__(self, count=3):
        self.count = count
    def __len__(self):
        return self.count
class Stream(IterableDataset):
    pass
class Lines(Stream):
    pass
"""

MAP, ITERABLE, DATAPIPE = DatasetKind.MAP, DatasetKind.ITERABLE, DatasetKind.DATAPIPE

KINDS: dict[str, tuple[str, list[tuple[str, DatasetKind | None]]]] = {
    "a class": ("DataLoader(Numbers())", [("Numbers", MAP)]),
    "an iterable class": ("DataLoader(Stream())", [("Stream", ITERABLE)]),
    "an heir of one": ("DataLoader(Lines())", [("Lines", ITERABLE)]),
    "a generic one": (
        "class Typed(IterableDataset[int]):\n    pass\nDataLoader(Typed())",
        [("Typed", ITERABLE)],
    ),
    "one that inherits something unseen, too": (
        "from elsewhere import Mixin\nclass D(Mixin, Dataset):\n    pass\nDataLoader(D())",
        [("D", None)],
    ),
    "one that is iterable whatever else it inherits": (
        "from elsewhere import Mixin\nclass D(Mixin, IterableDataset):\n    pass\nDataLoader(D())",
        [("D", ITERABLE)],
    ),
    "a class without a base": ("class D:\n    pass\nDataLoader(D())", [("D", MAP)]),
    "a datapipe": (
        "from torch.utils.data import IterDataPipe\nclass D(IterDataPipe):\n    pass\nDataLoader(D())",
        [("D", DATAPIPE)],
    ),
    "a list": ("DataLoader([1, 2])", [("", MAP)]),
    "a subset of a stream is read by index": ("DataLoader(Subset(Stream(), [1]))", [("Subset", MAP)]),
    "a WebDataset after its methods": (
        "urls = wds.WebDataset(u)\nDataLoader(urls.shuffle(9).decode('rgb'))",
        [("WebDataset", ITERABLE)],
    ),
    "a streamed split": (
        "d = load_dataset(p, split='train', streaming=True)\nd = d.map(f)\nDataLoader(d.with_format('torch'))",
        [("load_dataset", ITERABLE)],
    ),
    "a split that is not streamed": ("DataLoader(load_dataset(p, split='train'))", [("load_dataset", None)]),
    "all splits": ("DataLoader(load_dataset(p, streaming=True))", [("load_dataset", None)]),
    "a split that may be streamed": (
        "def make(s):\n    return DataLoader(load_dataset(p, split='train', streaming=s))",
        [("load_dataset", None)],
    ),
    "what a method gives that gives something else": (
        "DataLoader(load_dataset(p, split='train', streaming=True).to_list())",
        [("load_dataset", None)],
    ),
    "another library's class": ("from elsewhere import D\nDataLoader(D())", [("D", None)]),
    "something unseen": ("def f(d):\n    return DataLoader(d)", []),
}


@pytest.mark.parametrize(("text", "expected"), KINDS.values(), ids=KINDS.keys())
def test_how_torch_takes_samples_from_a_dataset(text: str, expected: list[tuple[str, DatasetKind | None]]) -> None:
    found = loader_of(HEAD + dedent(text)).payload.datasets
    assert [(one.name, one.kind) for one in found] == expected


LENGTHS: dict[str, tuple[str, list[int | None]]] = {
    "a list": ("DataLoader([1, 2])", [2]),
    "a range": ("DataLoader(range(8))", [8]),
    "the two parts of a split": ("DataLoader((Numbers(), Numbers()))", [None]),
    "the list of a range": ("DataLoader(list(range(8)))", [8]),
    "a list that grows": ("data = []\nfor i in range(3):\n    data.append(i)\nDataLoader(data)", []),
    "tensors": ("DataLoader(TensorDataset(torch.randn(10, 3), torch.zeros(10)))", [10]),
    "tensors whose size is a row": ("DataLoader(TensorDataset(torch.zeros((10, 3))))", [10]),
    "tensors whose size has a name": ("N = 12\ndata = torch.ones(N, 3)\nDataLoader(TensorDataset(data))", [12]),
    "numbers in a row": ("DataLoader(TensorDataset(torch.arange(8)))", [8]),
    "numbers between two": ("DataLoader(TensorDataset(torch.arange(4, 8)))", [4]),
    "tensors of another size later": ("DataLoader(TensorDataset(torch.randn(10, 3).reshape(3, 10)))", [None]),
    "tensors from a file": ("DataLoader(TensorDataset(torch.load(p)))", [None]),
    "a class that says so": ("class D(Dataset):\n    def __len__(self):\n        return 5\nDataLoader(D())", [5]),
    "a class that is told": ("DataLoader(Numbers(7))", [7]),
    "a class that is told by default": ("DataLoader(Numbers())", [3]),
    "a class that is told one of two": ("DataLoader(Numbers(7 if torch.cuda.is_available() else 8))", [7, 8]),
    "a class that is told something unseen": ("def f(n):\n    return DataLoader(Numbers(n))", [None]),
    "a class whose base says so": ("class D(Numbers):\n    pass\nDataLoader(D(4))", [4]),
    "a class that counts files": (
        "class D(Dataset):\n    def __len__(self):\n        return len(self.files)\nDataLoader(D())",
        [None],
    ),
    "a stream that says so": (
        "class D(IterableDataset):\n    def __len__(self):\n        return 5\nDataLoader(D())",
        [None],
    ),
    "a subset": ("DataLoader(Subset(Numbers(), [0, 1]))", [2]),
    "a subset beside a class that has indices of its own": (
        "class Order:\n    def __init__(self):\n        self.indices = []\nDataLoader(Subset(Numbers(), [0, 1]))",
        [2],
    ),
    "a subset whose indices grow": (
        "def f():\n    part = Subset(Numbers(), [0])\n    part.indices.extend([1, 2])\n    return DataLoader(part)",
        [None],
    ),
    "a subset of other indices": (
        "part = Subset(Numbers(), [0])\nloader = DataLoader(part)\nloader.dataset.indices = [1, 2]",
        [None],
    ),
    "a subset that another set is added to": (
        "part = Subset(Numbers(), [0])\npart += Numbers()\nDataLoader(part)",
        [],
    ),
    "several that are joined": ("DataLoader(ConcatDataset([Numbers(), Subset(Numbers(), [0, 1])]))", [5]),
    "several that are added": ("DataLoader(Numbers(4) + Numbers(5))", [9]),
    "several that are joined, one of two": (
        "DataLoader(ConcatDataset([Numbers(1), Numbers(7 if torch.cuda.is_available() else 8)]))",
        [8, 9],
    ),
    "several that are joined, one not seen": ("DataLoader(ConcatDataset([Numbers(), given()]))", [None]),
    "several that are joined, some not seen": ("DataLoader(ConcatDataset([Numbers(), *given()]))", [None]),
    "several that are joined of a list": ("every = [Numbers()]\nDataLoader(ConcatDataset(every))", [None]),
    "several that are joined again and again": (
        "every = Numbers()\nfor _ in range(3):\n    every = ConcatDataset([every, Numbers()])\nDataLoader(every)",
        [None],
    ),
    "several that are added again and again": (
        "every = Numbers()\nfor _ in range(3):\n    every = every + Numbers()\nDataLoader(every)",
        [],
    ),
    "a list read by a class": ("class D(Dataset):\n    pass\nDataLoader(D())", [None]),
}


@pytest.mark.parametrize(("text", "expected"), LENGTHS.values(), ids=LENGTHS.keys())
def test_how_many_samples_there_are(text: str, expected: list[int | None]) -> None:
    assert [one.length for one in loader_of(HEAD + dedent(text)).payload.datasets] == expected


TASKS = """
class Ending:
    def samples(self):
        yield 1
class D(IterableDataset):
    def __init__(self, task):
        self.task = task
    def __iter__(self):
        return self.task.samples()
"""
ENDLESS: dict[str, tuple[str, bool]] = {
    "a class that ends": (
        "class D(IterableDataset):\n    def __iter__(self):\n        yield 1\nDataLoader(D())",
        False,
    ),
    "a class that never ends": (
        "class D(IterableDataset):\n    def __iter__(self):\n        while True:\n            yield 1\nDataLoader(D())",
        True,
    ),
    "a class whose iteration another object does": (f"{TASKS}DataLoader(D(Ending()))", False),
    "a class whose iteration an object may do that never ends": (
        f"{TASKS}class Other:\n    def samples(self):\n        while True:\n            yield 1\nDataLoader(D(task))",
        True,
    ),
    "a class beside one that never ends": (
        f"{TASKS}class Other:\n    def others(self):\n        while True:\n            yield 1\nDataLoader(D(task))",
        False,
    ),
    "a WebDataset": ("DataLoader(wds.WebDataset(u).shuffle(9))", False),
    "a WebDataset drawn from again and again": ("DataLoader(wds.WebDataset(u, resampled=True).shuffle(9))", True),
    "a WebDataset that is repeated": ("d = wds.WebDataset(u)\nDataLoader(d.repeat().shuffle(9))", True),
}


CHUNKS = """
from torch.utils.data import get_worker_info
def own(numbers, chunk):
    info = get_worker_info()
    for place, number in enumerate(numbers):
        if place // chunk % info.num_workers == info.id:
            yield number
class Chunks(IterableDataset):
    def __init__(self, numbers, chunk=1):
        self.numbers, self.chunk = numbers, chunk
    def __iter__(self):
        yield from own(self.numbers, self.chunk)
class Pairs(Chunks):
    pass
"""
TOLD: dict[str, tuple[str, bool]] = {
    "the batch size": (
        "def load(d, size):\n    return DataLoader(Chunks(d, chunk=size), batch_size=size)",
        True,
    ),
    "the batch size under a name": (
        "def load(d, size):\n    c = Pairs(d, size)\n    return DataLoader(c, batch_size=size)",
        True,
    ),
    "an attribute": ("DataLoader(Chunks(d, args.size), args.size)", True),
    "another number": ("def load(d, size, n):\n    return DataLoader(Chunks(d, chunk=n), batch_size=size)", False),
    "nothing": ("def load(d, size):\n    return DataLoader(Chunks(d), batch_size=size)", False),
    "the size of another scope": (
        "def made(d, size):\n    return Chunks(d, size)\n"
        "def load(d, size):\n    return DataLoader(made(d, 3), batch_size=size)",
        False,
    ),
}


@pytest.mark.parametrize(("text", "expected"), TOLD.values(), ids=TOLD.keys())
def test_what_asks_for_its_worker_and_is_told_the_batch_size_gives_whole_batches(text: str, expected: bool) -> None:
    assert [one.whole_batches for one in loader_of(HEAD + CHUNKS + text).payload.datasets] == [expected]


def test_what_is_told_the_batch_size_and_never_asks_for_its_worker_gives_each_all_of_them() -> None:
    text = "class D(IterableDataset):\n    def __init__(self, size):\n        self.size = size\nDataLoader(D(n), n)"
    assert not any(one.whole_batches for one in loader_of(HEAD + text).payload.datasets)


@pytest.mark.parametrize(("text", "expected"), ENDLESS.values(), ids=ENDLESS.keys())
def test_whether_samples_come_for_ever(text: str, expected: bool) -> None:
    assert [one.endless for one in loader_of(HEAD + text).payload.datasets] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DataLoader(TensorDataset(torch.load(p)))", [True]),
        ("DataLoader(Numbers())", [False]),
        ("class D(TensorDataset):\n    pass\nDataLoader(D(x))", [False]),
    ],
)
def test_tensors_in_memory_are_told_from_what_may_work_on_them(text: str, expected: list[bool]) -> None:
    assert [one.in_memory for one in loader_of(HEAD + text).payload.datasets] == expected


def test_a_dataset_of_one_branch_assumes_it() -> None:
    one, other = loader_of(HEAD + "DataLoader(Stream() if f() else Numbers())").payload.datasets
    assert (one.kind, other.kind) == (ITERABLE, MAP)
    assert one.assumptions != other.assumptions


def test_the_argument_that_collates_is_where_it_is_handed_over() -> None:
    assert loader_of(HEAD + "DataLoader(Numbers())").payload.collate_fn is None
    given = loader_of(HEAD + "DataLoader(Numbers(), collate_fn=f)").payload.collate_fn
    assert given is not None and given.column == 34


READING = {
    "a file for each sample": ("return read(self.paths[index])", True),
    "a transform": ("return self.transform(self.rows[index])", True),
    "a conversion": ("return torch.tensor(self.rows[index]), len(self.rows)", False),
    "rows": ("return self.rows[index]", False),
}


@pytest.mark.parametrize(("body", "expected"), READING.values(), ids=READING.keys())
def test_what_works_for_a_sample(body: str, expected: bool) -> None:
    rows = f"class Rows(Numbers):\n    def __getitem__(self, index):\n        {body}\nclass Part(Rows):\n    pass\n"
    for name in ("Rows", "Part"):
        assert [one.works for one in loader_of(HEAD + rows + f"DataLoader({name}())").payload.datasets] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from torchvision.datasets import ImageFolder\nDataLoader(ImageFolder('train'))", [True]),
        ("DataLoader(TensorDataset(torch.zeros(3)))", [False]),
        ("DataLoader([1.0, 2.0])", [False]),
        ("DataLoader(Lines())", [False]),
        ("DataLoader(load('train'))", [False]),
    ],
)
def test_what_is_known_to_work_for_a_sample(text: str, expected: list[bool]) -> None:
    assert [one.works for one in loader_of(HEAD + text).payload.datasets] == expected


def test_a_data_set_that_takes_the_place_of_the_whole_it_is_a_part_of_may_have_any_length() -> None:
    program = (
        "from torch.utils.data import random_split\n"
        "class Data:\n    def __init__(self, rows):\n        self.rows = rows\n"
        "    def split(self):\n        self.rows, self.rest = random_split(self.rows, [90, 10])\n"
        "    def loader(self):\n        return DataLoader(self.rows, num_workers=2, drop_last=True)\n"
        "data = Data(range(100))\ndata.split()\ndata.split()\nprint(len(data.loader()))\n"
    )
    loader = loader_of(program)
    assert {one.length for one in loader.payload.datasets} == {100, None}
