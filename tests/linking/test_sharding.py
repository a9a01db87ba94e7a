from __future__ import annotations

from textwrap import indent

import pytest

from tests.linking.traced import loader_of

HEAD = """
import glob, itertools, os, random
import numpy as np, torch
from torch.utils.data import Dataset, IterableDataset, get_worker_info
from unseen import Source
def own(items):
    return items[int(os.environ["RANK"]):]
def lines(path):
    for line in open(path):
        yield line
class Plain:
    def __iter__(self):
        yield from range(4)
class Shared:
    def __iter__(self):
        yield get_worker_info().id
"""


def repeated(
    body: str, init: str = "pass", options: str = "", base: str = "IterableDataset", made: str = ""
) -> list[str]:
    text = f"{HEAD}class Data({base}):\n    def __init__(self, given=None):\n{indent(init, ' ' * 8)}\n"
    text += f"    def __iter__(self):\n{indent(body, ' ' * 8)}\n"
    text += "    def helper(self):\n        return [1, 2]\ndef start(worker_id):\n    np.random.seed(worker_id)\n"
    text += "def share(worker_id):\n    get_worker_info().dataset.own = worker_id\n"
    text += f"DataLoader(Data({made}), num_workers=2{options})\n"
    return [one.what for one in loader_of(text).payload.code.repeated]


REPEATED: dict[str, tuple[str, str, str]] = {
    "a range": ("for i in range(8):\n    yield i", "pass", "range(8)"),
    "an iterator of a range": ("return iter(range(8))", "pass", "iter(range(8))"),
    "what is taken one by one": (
        "it = iter(range(8))\nwhile True:\n    try:\n        yield next(it)\n    except StopIteration:\n        return",
        "pass",
        "range(8)",
    ),
    "what is taken one by one until its end": (
        "it = iter(range(8))\ntry:\n    while True:\n        yield next(it)\nexcept StopIteration:\n    pass",
        "pass",
        "range(8)",
    ),
    "what is taken one by one of the object": (
        "while True:\n    try:\n        x = next(self.it)\n    except StopIteration:\n        break\n    yield x",
        "self.it = iter(range(8))",
        "self.it",
    ),
    "a buffer of what is read": (
        "held = []\nfor x in self.all:\n    held.append(x)\n    if len(held) > 2:\n        yield held.pop(0)\n"
        "yield from held",
        "self.all = [1]",
        "self.all",
    ),
    "a file": ("yield from open('x')", "pass", "open('x')"),
    "a file with a name": ("with open('x') as f:\n    for line in f:\n        yield line", "pass", "f"),
    "files": (
        "for path in self.paths:\n    yield from lines(path)",
        "self.paths = sorted(glob.glob('*'))",
        "self.paths",
    ),
    "files in another order": (
        "random.shuffle(self.paths)\nfor path in self.paths:\n    yield path",
        "self.paths = glob.glob('*')",
        "self.paths",
    ),
    "lines read before": (
        "for line in self.lines:\n    yield line",
        "self.lines = [x for x in open('x')]",
        "self.lines",
    ),
    "a list that was filled": (
        "for i in self.all:\n    yield i",
        "self.all = []\nfor x in open('x'):\n    self.all.append(x)",
        "self.all",
    ),
    "an array": ("for row in self.rows:\n    yield row", "self.rows = np.load('x')", "self.rows"),
    "a helper's list": ("for i in self.helper():\n    yield i", "pass", "self.helper()"),
    "an object of the project": ("yield from Plain()", "pass", "Plain()"),
    "a map": ("return map(len, open('x'))", "pass", "map(len, open('x'))"),
    "a rank that was asked for in the constructor": (
        "yield from self.all",
        "self.all = [1]\nself.rank = int(os.environ['RANK'])",
        "self.all",
    ),
    "the part of a rank": (
        "for i in range(8):\n    if i % self.world_size == self.rank:\n        yield i",
        "self.rank, self.world_size = 0, 2",
        "range(8)",
    ),
    "a range by rank": (
        "for i in range(self.rank, 8, self.world_size):\n    yield i",
        "self.rank = torch.distributed.get_rank()\nself.world_size = 2",
        "range(self.rank, 8, self.world_size)",
    ),
    "the part of a rank that torch tells": (
        "rank = torch.distributed.get_rank()\nfor i in range(8):\n    if i % 2 == rank:\n        yield i",
        "pass",
        "range(8)",
    ),
    "every other one": ("yield from self.all[::2]", "self.all = [1]", "self.all[::2]"),
    "a step of the constructor's": (
        "yield from self.all[self.first::self.step]",
        "self.all = [1]\nself.first = self.step = 1",
        "self.all[self.first::self.step]",
    ),
    "a slice by rank": (
        "yield from self.all[torch.distributed.get_rank() :: 2]",
        "self.all = [1]",
        "self.all[torch.distributed.get_rank() :: 2]",
    ),
    "a slice by a rank with a name": (
        "rank = torch.distributed.get_rank() if torch.distributed.is_initialized() else 0\n"
        "world = torch.distributed.get_world_size()\nfor path in self.all[rank::world]:\n    yield path",
        "self.all = [1]",
        "self.all[rank::world]",
    ),
    "a slice by a rank of the constructor's": (
        "yield from self.all[self.rank :: self.world_size]",
        "self.all = [1]\nself.rank, self.world_size = 0, 2",
        "self.all[self.rank :: self.world_size]",
    ),
    "what the constructor cuts by rank": (
        "yield from self.all",
        "self.all = [1, 2][torch.distributed.get_rank() :: 2]",
        "self.all",
    ),
}
NOT_REPEATED: dict[str, tuple[str, str]] = {
    "asks": ("info = get_worker_info()\nfor i in range(8):\n    yield i", "pass"),
    "a helper that asks": ("for i in own([1, 2]):\n    yield i", "pass"),
    "a step that a worker is told": (
        "self.first = int(open('of_my_own').read())\nyield from self.all[self.first::2]",
        "self.all = [1]\nself.first = 0",
    ),
    "a step of a worker": ("info = get_worker_info()\nyield from self.all[info.id::2]", "self.all = [1]"),
    "a step by a rank that is not torch's": ("rank = Source.rank()\nyield from self.all[rank::2]", "self.all = [1]"),
    "a step that is not seen": ("yield from self.all[Source.first()::2]", "self.all = [1]"),
    "islice": ("yield from itertools.islice(range(8), 1, None, 2)", "pass"),
    "what it was given": ("yield from self.given", "self.given = given"),
    "an unseen source": ("yield from self.source", "self.source = Source()"),
    "an object that asks": ("yield from Shared()", "pass"),
    "a source that is replaced": ("yield from self.all", "self.all = [1]\nself.all = Source()"),
    "draws": ("for i in range(8):\n    yield torch.randn(2)", "pass"),
    "a buffer of what is not seen": (
        "held = []\nfor x in Source():\n    held.append(x)\n    if len(held) > 2:\n        yield held.pop(0)\n"
        "yield from held",
        "pass",
    ),
    "a buffer that asks": (
        "held = []\nfor x in Shared():\n    held.append(x)\n    if len(held) > 2:\n        yield held.pop(0)\n"
        "yield from held",
        "pass",
    ),
    "what is taken one by one, and begins anew": (
        "it = iter(range(8))\nwhile True:\n    try:\n        yield next(it)\n    except StopIteration:\n"
        "        it = iter(range(8))",
        "pass",
    ),
    "what is taken one by one, and is not seen": (
        "it = iter(Source())\nwhile True:\n    try:\n        yield next(it)\n    except StopIteration:\n        return",
        "pass",
    ),
    "what is taken one by one with a step of its own": (
        "it = iter(range(get_worker_info().id, 8, 2))\nwhile True:\n    try:\n        yield next(it)\n"
        "    except StopIteration:\n        return",
        "pass",
    ),
    "no end": ("while True:\n    for i in range(8):\n        yield i", "pass"),
    "nothing iterated": ("yield 1", "pass"),
    "a rank that a helper tells": (
        "rank = Source.rank()\nfor i in range(8):\n    if i % 2 == rank:\n        yield i",
        "pass",
    ),
    "a rank that is no number": (
        "for i in range(8):\n    if self.rank() == i % 2:\n        yield i",
        "self.rank = given",
    ),
    "a rank that an object has": (
        "for i in range(8):\n    if self.rank.own == i:\n        yield i",
        "self.rank = given",
    ),
    "a rank that is set while it is iterated": (
        "self.rank = given()\nfor i in range(8):\n    if i % 2 == self.rank:\n        yield i",
        "self.rank = 0",
    ),
    "a rank that counts workers": (
        "rank = self.rank * get_worker_info().num_workers\nfor i in range(8):\n    if i % 4 == rank:\n        yield i",
        "self.rank = 0",
    ),
    "a rank that nothing sets": ("for i in range(8):\n    if i % 2 == self.rank:\n        yield i", "pass"),
}


@pytest.mark.parametrize(("body", "init", "what"), REPEATED.values(), ids=list(REPEATED))
def test_what_every_worker_reads_alike_is_found(body: str, init: str, what: str) -> None:
    assert repeated(body, init)[:1] == [what]


@pytest.mark.parametrize(("body", "init"), NOT_REPEATED.values(), ids=list(NOT_REPEATED))
def test_what_may_be_shared_out_is_not_found(body: str, init: str) -> None:
    assert repeated(body, init) == []


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("", 1),
        (", worker_init_fn=None", 1),
        (", worker_init_fn=start", 1),
        (", worker_init_fn=share", 0),
        (", worker_init_fn=unknown", 0),
    ],
)
def test_a_function_that_tells_the_dataset_its_part_shares_it_out(options: str, found: int) -> None:
    assert len(repeated("yield from range(8)", options=options)) == found


@pytest.mark.parametrize("base", ["Dataset", "Source", "IterableDataset, Source", "object"])
def test_only_torch_s_own_iterable_datasets_are_left_to_themselves(base: str) -> None:
    assert repeated("yield from range(8)", base=base) == []


def test_a_source_that_is_given_is_followed_to_where_it_is_made() -> None:
    body, init = "yield from self.given", "self.given = given"
    assert repeated(body, init, made="[1, 2]") == ["self.given"]
    assert repeated(body, init, made="Plain()") == ["self.given"]
    assert repeated(body, init, made="Shared()") == []


JOINED = """
from torch.utils.data import ChainDataset, ConcatDataset, Dataset, IterableDataset, get_worker_info
class Counted(IterableDataset):
    def __init__(self, count):
        self.count = count
    def __iter__(self):
        return iter(range(self.count))
class Shared(IterableDataset):
    def __iter__(self):
        yield get_worker_info().id
class Adds(Counted):
    def __add__(self, other):
        return Shared()
class Rows(Dataset):
    def __getitem__(self, index):
        return index
    def __len__(self):
        return 4
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("Counted(4) + Counted(5)", True),
        ("Counted(4) + Counted(5) + Counted(6)", True),
        ("Shared() + Counted(5)", True),
        ("ChainDataset([Counted(4), Counted(5)])", True),
        ("ChainDataset([ChainDataset([Counted(4)]), Shared()])", True),
        ("ChainDataset([Shared(), Shared()])", False),
        ("Shared() + Shared()", False),
        ("Adds(4) + Counted(5)", False),
        ("Rows() + Rows()", False),
        ("ChainDataset(unseen)", False),
    ],
)
def test_a_chain_repeats_what_its_parts_do(made: str, found: bool) -> None:
    loader = loader_of(f"{JOINED}DataLoader({made}, num_workers=2)\n")
    assert {one.what for one in loader.payload.code.repeated} == ({"iter(range(self.count))"} if found else set())


@pytest.mark.parametrize(
    ("made", "iterable"),
    [
        ("Counted(4) + Counted(5)", True),
        ("Rows() + Rows()", False),
        ("Rows() + unseen", False),
        ("ConcatDataset([Rows()]) + Rows()", False),
        ("Adds(4) + Counted(5)", None),
        ("unseen + Counted(5)", None),
        ("[1] + [2]", False),
        ("1 + 2", None),
    ],
)
def test_datasets_that_are_added_are_of_the_kind_of_the_first(made: str, iterable: bool | None) -> None:
    assert loader_of(f"{JOINED}DataLoader({made}, num_workers=2)\n").payload.iterable is iterable


STAGES = {
    "none that shares out": ("wds.SimpleShardList(urls), wds.tarfile_to_samples(), wds.shuffle(8)", True),
    "one that is named and not called": ("wds.SimpleShardList(urls), wds.non_empty, wds.tarfile_to_samples()", True),
    "one for each worker": ("wds.SimpleShardList(urls), wds.split_by_worker, wds.tarfile_to_samples()", False),
    "one of its own": ("wds.SimpleShardList(urls), own, wds.tarfile_to_samples()", False),
    "one that is not seen": ("wds.SimpleShardList(urls), made(), wds.tarfile_to_samples()", False),
    "several that are not seen": ("wds.SimpleShardList(urls), *made()", False),
    "one that selects": ("wds.SimpleShardList(urls), wds.tarfile_to_samples(), wds.select(own)", False),
    "shards that are drawn": ("wds.ResampledShards(urls), wds.tarfile_to_samples()", False),
    "no shards": ("Source(urls), wds.tarfile_to_samples()", False),
}


@pytest.mark.parametrize(("stages", "found"), STAGES.values(), ids=list(STAGES))
def test_a_pipeline_shares_out_by_its_stages_alone(stages: str, found: bool) -> None:
    text = f"{HEAD}import webdataset as wds\ndata = wds.DataPipeline({stages})\nDataLoader(data, num_workers=2)\n"
    assert [one.what for one in loader_of(text).payload.code.repeated] == ["wds.SimpleShardList(urls)"] * found


def test_a_dataset_of_the_library_shares_out_by_itself() -> None:
    text = f"{HEAD}import webdataset as wds\ndata = wds.WebDataset(urls).shuffle(8)\nDataLoader(data, num_workers=2)\n"
    assert loader_of(text).payload.code.repeated == ()
