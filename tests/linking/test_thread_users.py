"""What uses threads in workers that only the main process has, and what started them there."""

from __future__ import annotations

from textwrap import indent

import pytest

from loaderlint.model.loader import Loader
from tests.linking.traced import loader_of

HEAD = """
import asyncio, fsspec, os, threading
import polars as pl
from concurrent.futures import ThreadPoolExecutor
from tokenizers import Tokenizer
from transformers import AutoTokenizer, BertTokenizer
from torch.utils.data import Dataset
pool = ThreadPoolExecutor(2)
other = ThreadPoolExecutor(2)
loop = asyncio.new_event_loop()
files = fsspec.filesystem("s3")
local = fsspec.filesystem("file")
frame = pl.read_csv("rows.csv")
lazy = pl.scan_csv("rows.csv")
fast = AutoTokenizer.from_pretrained("name")
slow = AutoTokenizer.from_pretrained("name", use_fast=False)
slower = BertTokenizer.from_pretrained("name")
rust = Tokenizer.from_file("tokenizer.json")
"""


def program(in_worker: str, in_main: str, around: str = "") -> Loader:
    """Make the loader of a program that does one thing in its workers and another before they start."""
    item = f"class Items(Dataset):\n    def __getitem__(self, index):\n{indent(in_worker, '        ')}\n"
    main = f"def main():\n{indent(in_main, '    ')}\n    for _ in DataLoader(Items(), num_workers=2):\n        pass\n"
    return loader_of(f"{HEAD}{around}\n{item}{main}if __name__ == '__main__':\n    main()\n")


def both(in_worker: str, in_main: str, around: str = "") -> set[str]:
    """Return the threads that are used in both."""
    loader = program(in_worker, in_main, around)
    before = {(use.threads, use.made) for use in loader.program.threads}
    return {use.threads for use in loader.payload.code.inherited if (use.threads, use.made) in before}


PARALLEL = "os.environ['TOKENIZERS_PARALLELISM'] = 'true'"
RUNS = "threading.Thread(target=loop.run_forever).start()"
HANDED = "asyncio.run_coroutine_threadsafe(index(), loop)"
A_TOKENIZER = "a tokenizer with TOKENIZERS_PARALLELISM=true"

FOUND: dict[str, tuple[str, str, str, str]] = {
    "an executor": ("pool.submit(int)", "pool.map(int, [])", "", "a ThreadPoolExecutor"),
    "by a function": ("helper()", "helper2()", "def helper():\n    pool.submit(int)\ndef helper2():\n    helper3()\n"
                      "def helper3():\n    pool.submit(abs)", "a ThreadPoolExecutor"),
    "an event loop": (HANDED, RUNS, "", "an asyncio event loop in a thread"),
    "an event loop by keyword": (f"{HANDED[:-5]} loop=loop)", RUNS, "", "an asyncio event loop in a thread"),
    "a file system": ("files.open(index)", "files.ls('.')", "", "an asynchronous file system"),
    "a frame": ("frame.filter(index)", "pl.read_csv('other.csv')", "", "polars"),
    "a chain": ("frame.lazy().group_by('a').agg().collect()", "frame.sort('a')", "", "polars"),
    "what was scanned": ("lazy.filter(index).collect()", "frame.sort('a')", "", "polars"),
    "a tokenizer": ("fast([a for a in index])", "fast(['a', 'b'])", PARALLEL, A_TOKENIZER),
    "texts with a name": ("texts = [a for a in index]\nfast(texts)", "fast(['a', 'b'])", PARALLEL, A_TOKENIZER),
    "its methods": ("rust.encode_batch(index)", "fast.batch_encode_plus(['a'])", PARALLEL, A_TOKENIZER),
    "set if it is not": ("rust.encode_batch(index)", "rust.encode_batch(['a'])",
                         "os.environ.setdefault('TOKENIZERS_PARALLELISM', 'True')", A_TOKENIZER),
    "set by another name": ("rust.encode_batch(index)", "rust.encode_batch(['a'])",
                            f"from os import environ as env\n{PARALLEL.replace('os.environ', 'env')}", A_TOKENIZER),
    "set by a name of its own": ("rust.encode_batch(index)", "rust.encode_batch(['a'])",
                                 f"import os as o\nenv = o.environ\n{PARALLEL.replace('os.environ', 'env')}",
                                 A_TOKENIZER),
}  # fmt: skip

QUIET: dict[str, tuple[str, str, str]] = {
    "another executor": ("pool.submit(int)", "other.submit(int)", ""),
    "in workers alone": ("pool.submit(int)", "pass", ""),
    "in the main process alone": ("pass", "pool.submit(int)", ""),
    "made in the worker": ("mine = ThreadPoolExecutor()\nmine.submit(int)", "pool.submit(int)", ""),
    "one for each process": ("own().submit(int)", "own().submit(int)",
                             "pools = {0: pool}\ndef own():\n    return pools[os.getpid()]"),
    "a loop that no thread runs": (HANDED, "loop.run_until_complete(main2())", ""),
    "local files": ("local.open(index)", "local.ls('.')", ""),
    "rows": ("frame.row(index)", "frame.sort('a')", ""),
    "what is not collected": ("lazy.filter(index)", "frame.sort('a')", ""),
    "tokenizers left alone": ("fast([a for a in index])", "fast(['a', 'b'])", ""),
    "tokenizers switched off": ("fast([a for a in index])", "fast(['a', 'b'])", PARALLEL.replace("true", "false")),
    "tokenizers switched off later": ("fast([a for a in index])", "fast(['a', 'b'])",
                                      f"{PARALLEL}\n{PARALLEL.replace('true', '0')}"),
    "tokenizers switched off later by another name": (
        "fast([a for a in index])", "fast(['a', 'b'])",
        f"{PARALLEL}\nfrom os import environ as env\n{PARALLEL.replace('true', '0').replace('os.environ', 'env')}"),
    "what is set of a dictionary": ("fast([a for a in index])", "fast(['a', 'b'])",
                                    f"environ = {{}}\n{PARALLEL.replace('os.environ', 'environ')}"),
    "one text": ("fast(index)", "fast(['a', 'b'])", PARALLEL),
    "a slow tokenizer": ("slow([a for a in index])", "slow(['a', 'b'])", PARALLEL),
    "another slow tokenizer": ("slower([a for a in index])", "slower(['a', 'b'])", PARALLEL),
    "never called": ("pool.submit(int)", "pass", "def unused():\n    pool.submit(int)"),
}  # fmt: skip


@pytest.mark.parametrize(("in_worker", "in_main", "around", "what"), FOUND.values(), ids=list(FOUND))
def test_threads_that_are_used_before_and_inside_are_found(
    in_worker: str, in_main: str, around: str, what: str
) -> None:
    assert both(in_worker, in_main, around) == {what}


@pytest.mark.parametrize(("in_worker", "in_main", "around"), QUIET.values(), ids=list(QUIET))
def test_other_uses_are_not(in_worker: str, in_main: str, around: str) -> None:
    assert both(in_worker, in_main, around) == set()


BATCHES: dict[str, tuple[str, bool]] = {
    "what it is handed": ("fast(batch, padding=True)", True),
    "one of what it is handed": ("fast(batch[0])", False),
    "another of its parameters": ("fast(text)", False),
    "what it makes one text": ("batch = ' '.join(batch)\n    return fast(batch)", False),
}


@pytest.mark.parametrize(("body", "found"), BATCHES.values(), ids=list(BATCHES))
@pytest.mark.parametrize("texts", ["['a', 'b']", "['a'] * 100"])
def test_what_a_collate_function_is_handed_is_a_batch(body: str, found: bool, texts: str) -> None:
    text = f"{HEAD}{PARALLEL}\ntexts = {texts}\ndef collate(batch, text=''):\n    return {body}\n"
    text = text.replace("return batch =", "batch =")
    text += "def main():\n    fast(texts, padding=True)\n"
    text += "    for _ in DataLoader(texts, num_workers=2, collate_fn=collate):\n        pass\nmain()\n"
    loader = loader_of(text)
    assert [use.threads for use in loader.payload.code.inherited] == [A_TOKENIZER] * found
    assert [use.threads for use in loader.program.threads] == [A_TOKENIZER] * found


def test_spawned_workers_make_their_own_where_a_module_makes_it() -> None:
    (use,) = program("pool.submit(int)", "pool.submit(int)").payload.code.inherited
    assert use.spawns
    (use,) = program("frame.sort('a')", "frame.sort('a')").payload.code.inherited
    assert use.spawns


def test_what_the_dataset_keeps_is_followed() -> None:
    text = """
class Items(Dataset):
    def __init__(self):
        self.pool = ThreadPoolExecutor()
        self.pool.submit(int)
    def __getitem__(self, index):
        return self.pool.submit(abs, index)
DataLoader(Items(), num_workers=2)
"""
    loader = loader_of(HEAD + text)
    (used,), (before,) = loader.payload.code.inherited, loader.program.threads
    assert (used.what, before.what) == ("self.pool.submit(abs, index)", "self.pool.submit(int)")
    assert used.made == before.made
    assert not used.spawns
