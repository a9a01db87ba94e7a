"""Whether worker code keeps what something may have drawn: without workers, each epoch finds that of the first."""

from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

PROGRAM = """
import random
import numpy as np
import torch
import shared
from elsewhere import made
from shared import CROP as CROP_AGAIN
from functools import lru_cache
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms
RNG = np.random.default_rng(0)
CROP = transforms.RandomCrop(3)
class Scale:
    def __call__(self, row):
        return row * 2
class Noise:
    def __call__(self, row):
        return row + random.random()
SCALE = Scale()
@lru_cache(maxsize=None)
def drawn(index):
    return index + random.random()
@lru_cache(maxsize=None)
def doubled(index):
    return index * 2
class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform
        self.cache = {}
        self.rng = np.random.default_rng(0)
        self.own = random.Random(0)
        self.items = [1]
    def load(self, index):
        return self.items[index]
    def changed(self, index):
        return self.transform(self.load(index))
    def __getitem__(self, index):
        ⟨body⟩
        return row
loader = DataLoader(Rows(⟨transform⟩), num_workers=2)
"""
SHARED = """
from torchvision import transforms
CROP = transforms.RandomCrop(3)
class Scale:
    def __call__(self, row):
        return row * 2
SCALE = Scale()
def load(index):
    return index
"""
CACHE = "if index not in self.cache:\n    self.cache[index] = ⟨value⟩\nrow = self.cache[index]"
IN_STEPS = "row = self.cache.get(index)\nif row is None:\n    row = self.load(index)\n    row = self.transform(row)"


def remembers(body: str, transform: str = "made()") -> bool:
    lines = body.replace("\n", "\n        ")
    main = PROGRAM.replace("⟨body⟩", lines).replace("⟨transform⟩", transform)
    (loader,) = loaders_of({"main.py": main, "shared.py": SHARED})
    return loader.payload.code.remembers


DRAWN = {
    "what a callable gives that was not seen": ("self.transform(index)", "made()"),
    "what one of a library gives": ("self.transform(index)", "transforms.RandomCrop(3)"),
    "what one gives that a method calls": ("self.changed(index)", "made()"),
    "what one of the project gives that draws": ("self.transform(index)", "Noise()"),
    "what a generator of the object gives": ("index + self.rng.normal()", "Scale()"),
    "what a generator of Python gives": ("index + self.own.random()", "Scale()"),
    "what a generator of the module gives": ("index + RNG.normal()", "Scale()"),
    "what one gives that a module holds": ("CROP(index)", "Scale()"),
    "what one gives that another module holds": ("shared.CROP(index)", "Scale()"),
    "what one gives that is imported": ("CROP_AGAIN(index)", "Scale()"),
    "what one gives that is made on the spot": ("transforms.RandomCrop(3)(index)", "Scale()"),
    "what is mapped": ("list(map(self.transform, [index]))", "made()"),
    "what is mapped by one of the project that draws": ("list(map(self.transform, [index]))", "Noise()"),
    "what one of several gives": ("[one(index) for one in [CROP]]", "Scale()"),
    "a tensor that is filled": ("torch.empty(3).uniform_()", "Scale()"),
}
NOT_DRAWN = {
    "what one of the project gives that a module holds": ("SCALE(index)", "made()"),
    "what one of the project gives that another module holds": ("shared.SCALE(index)", "made()"),
    "what a function gives that another module has": ("shared.load(index)", "made()"),
    "what a function of a library gives": ("np.load(index)", "made()"),
    "what is mapped by one of the project": ("list(map(self.transform, [index]))", "Scale()"),
    "what is mapped by a function": ("list(map(str, [index]))", "made()"),
    "what a method of a file gives": ("open(index).read()", "made()"),
    "what a method loads": ("self.load(index)", "made()"),
    "what a file holds": ("open(index).read()", "made()"),
    "what one of the project gives": ("self.transform(index)", "Scale()"),
    "what one of the project gives that a method calls": ("self.changed(index)", "Scale()"),
    "a tensor that is filled with a number": ("torch.empty(3).fill_(1)", "made()"),
    "what its result is kept for": ("doubled(index)", "made()"),
}


@pytest.mark.parametrize(("value", "transform"), DRAWN.values(), ids=DRAWN.keys())
def test_what_may_be_drawn_is_kept_by_a_key(value: str, transform: str) -> None:
    assert remembers(CACHE.replace("⟨value⟩", value), transform)
    assert remembers(f"row = self.cache.setdefault(index, {value})", transform)
    assert remembers(f"row = {value}\nself.cache[index] = row", transform)


@pytest.mark.parametrize(("value", "transform"), NOT_DRAWN.values(), ids=NOT_DRAWN.keys())
def test_what_is_not_drawn_is_kept_by_a_key(value: str, transform: str) -> None:
    assert not remembers(CACHE.replace("⟨value⟩", value), transform)
    assert not remembers(f"row = {value}\nself.cache[index] = row", transform)


def test_what_is_drawn_for_what_is_kept_in_steps() -> None:
    assert remembers(f"{IN_STEPS}\n    self.cache[index] = row")
    assert not remembers(f"{IN_STEPS}\n    self.cache[index] = row", "Scale()")


@pytest.mark.parametrize("transform", ["made()", "Noise()", "transforms.RandomCrop(3)"])
def test_what_is_drawn_by_what_has_a_local_name(transform: str) -> None:
    value = "change = self.transform\nif index not in self.cache:\n    self.cache[index] = change(index)\nrow = 1"
    assert remembers(value, transform)
    assert not remembers(value, "Scale()")


def test_the_result_of_a_function_that_draws_is_kept() -> None:
    assert remembers("row = drawn(index)")
    assert not remembers("row = doubled(index)")


@pytest.mark.parametrize(
    "body",
    [
        CACHE.replace("⟨value⟩", "self.load(index)") + "\nrow = self.transform(row)",
        "row = {}\nrow['x'] = self.transform(index)",
        "row = {}\nrow['x'] = self.rng.normal()",
    ],
)
def test_what_is_drawn_for_what_is_not_kept(body: str) -> None:
    assert not remembers(body)
