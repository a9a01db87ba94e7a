"""Which libraries run threads of their own in every worker."""

from __future__ import annotations

import pytest

from tests.linking.traced import loader_of

HEAD = """
import os
import cv2
from tokenizers import Tokenizer
from transformers import AutoTokenizer
from torch.utils.data import Dataset
fast = AutoTokenizer.from_pretrained("name")
slow = AutoTokenizer.from_pretrained("name", use_fast=False)
"""


def found(in_worker: str, around: str = "") -> set[str]:
    """Return the libraries whose threads are started by one line of worker code."""
    item = f"class Items(Dataset):\n    def __getitem__(self, index):\n        {in_worker}\n"
    loader = loader_of(f"{HEAD}{around}\n{item}DataLoader(Items(), num_workers=2)\n")
    return {f"{use.what} of {use.threads}" for use in loader.payload.code.own_threads}


@pytest.mark.parametrize("call", ["cv2.resize(index, (2, 2))", "cv2.warpAffine(index)", "cv2.cvtColor(index, 1)"])
def test_functions_that_share_an_image_out_are_found(call: str) -> None:
    assert found(call) == {f"{call} of OpenCV"}


@pytest.mark.parametrize("call", ["fast(['a', 'b'])", "fast([a for a in index])", "fast.batch_encode_plus(index)"])
def test_batches_of_texts_are_found(call: str) -> None:
    assert found(call) == {f"{call} of a fast tokenizer"}


@pytest.mark.parametrize("setting", ["os.environ['TOKENIZERS_PARALLELISM'] = 'true'", "pass"])
def test_tokenizers_keep_their_threads_where_nothing_switches_them_off(setting: str) -> None:
    assert found("fast(['a', 'b'])", setting) == {"fast(['a', 'b']) of a fast tokenizer"}


@pytest.mark.parametrize(
    "call", ["cv2.imread(index)", "cv2.imdecode(index, 1)", "index.resize(2)", "fast(index)", "slow(['a', 'b'])"]
)
def test_other_calls_are_not(call: str) -> None:
    assert found(call) == set()


@pytest.mark.parametrize(
    "around", ["cv2.setNumThreads(0)", "def start(index):\n    cv2.setNumThreads(1)", "import mmengine"]
)
def test_opencv_held_back_anywhere_is_quiet(around: str) -> None:
    assert found("cv2.resize(index, (2, 2))", around) == set()


@pytest.mark.parametrize("value", ["'false'", "'0'", "str(False)"])
def test_tokenizers_switched_off_are_quiet(value: str) -> None:
    assert found("fast(['a', 'b'])", f"os.environ['TOKENIZERS_PARALLELISM'] = {value}") == set()
