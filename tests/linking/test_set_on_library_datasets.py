"""What is set on a library's data set after it was made travels into workers with it."""

from __future__ import annotations

import pytest

from loaderlint.model.payload import Payload
from tests.linking.traced import loaders_of

HEAD = """from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
class Pictures(ImageFolder):
    def __getitem__(self, index):
        return super().__getitem__(index)
class Turned(ImageFolder):
    def __init__(self, folder):
        super().__init__(folder)
        self.transform = turn
def turn(picture):
    return picture
"""
LOADS = "DataLoader(rows, num_workers=2)\n"


def payload(text: str) -> Payload:
    (loader,) = loaders_of(HEAD + text)
    return loader.payload


TRAVELS = {
    "set on what a library made": "rows = ImageFolder('a')\nrows.target_transform = lambda label: 2 * label\n",
    "set on an object of a class of one's own": "rows = Pictures('a')\nrows.transform = lambda picture: picture\n",
    "in the place of what the constructor keeps": "rows = Turned('a')\nrows.transform = lambda picture: picture\n",
    "where it is made": (
        "def load():\n    made = ImageFolder('a')\n    made.transform = lambda picture: picture\n    return made\n"
        "rows = load()\n"
    ),
    "on one condition": "rows = ImageFolder('a')\nif large():\n    rows.transform = lambda picture: picture\n",
}


@pytest.mark.parametrize("text", TRAVELS.values(), ids=TRAVELS)
def test_a_lambda_that_is_set_travels(text: str) -> None:
    assert [one.kind for one in payload(text + LOADS).unpicklable] == ["lambda"]


STAYS = {
    "nothing is set": (f"rows = ImageFolder('a')\n{LOADS}", True),
    "a function is set": (f"rows = ImageFolder('a')\nrows.transform = turn\n{LOADS}", True),
    "another one is set on": (
        f"rows = ImageFolder('a')\nother = ImageFolder('b')\nother.transform = lambda picture: picture\n{LOADS}",
        True,
    ),
    "another attribute is set": (f"rows = ImageFolder('a')\nrows.classes = ['cat']\n{LOADS}", True),
    "it is set anew": (
        f"rows = ImageFolder('a')\nrows.transform = lambda a: a\nmean(rows)\nrows.transform = turn\n{LOADS}",
        False,
    ),
    "it is set later": (f"rows = ImageFolder('a')\n{LOADS}rows.transform = lambda picture: picture\n", False),
    "another function sets it": (
        f"rows = ImageFolder('a')\ndef plain():\n    rows.transform = lambda picture: picture\n{LOADS}",
        False,
    ),
}


@pytest.mark.parametrize(("text", "seen"), STAYS.values(), ids=STAYS)
def test_what_may_not_be_there_does_not_travel(text: str, seen: bool) -> None:
    found = payload(text)
    assert found.unpicklable == ()
    assert found.seen is seen
