"""An entry that the program cannot do without stays, with a value that says as much as none."""

from __future__ import annotations

import pytest

from tests.properties.whole_tool import LINUX, after, fix

IMPORT = "from torch.utils.data import DataLoader\n"

WRAPPER = """
def make_loader(dataset, prefetch_factor{default}, num_workers=0):
    return DataLoader(dataset, num_workers=num_workers, prefetch_factor=prefetch_factor)
"""
REQUIRED = WRAPPER.format(default="")
DEFAULTED = WRAPPER.format(default="=2")
OPTIONAL = WRAPPER.format(default="=None")

NEEDED = {
    "a parameter without a default": f"{REQUIRED}make_loader([1], prefetch_factor=⟦4⟧)\n",
    "the same, from a dictionary": f"{REQUIRED}options = {{'prefetch_factor': ⟦4⟧}}\nmake_loader([1], **options)\n",
    "a parameter whose default is another factor": f"{DEFAULTED}make_loader([1], prefetch_factor=⟦4⟧)\n",
    "a constructor's parameter": """
class Loaders:
    def __init__(self, prefetch_factor):
        self.prefetch_factor = prefetch_factor
    def loader(self):
        return DataLoader([1], prefetch_factor=self.prefetch_factor)
Loaders(prefetch_factor=⟦4⟧).loader()
""",
    "a field without a default": """
from dataclasses import dataclass
@dataclass
class Settings:
    prefetch_factor: int | None
settings = Settings(prefetch_factor=⟦4⟧)
DataLoader([1], prefetch_factor=settings.prefetch_factor)
""",
    "a key read by subscript": """
options = {"prefetch_factor": ⟦4⟧}
DataLoader([1], prefetch_factor=options["prefetch_factor"])
""",
    "a key that something else reads by subscript": """
options = dict(prefetch_factor=⟦4⟧)
DataLoader([1], **options)
print(options["prefetch_factor"])
""",
}

NOT_NEEDED = {
    "a parameter whose default is torch's": (
        f"{OPTIONAL}make_loader([1], prefetch_factor=4)\n",
        f"{OPTIONAL}make_loader([1])\n",
    ),
    "a key read with get": (
        "options = {'prefetch_factor': 4}\nDataLoader([1], prefetch_factor=options.get('prefetch_factor'))\n",
        "options = {}\nDataLoader([1], prefetch_factor=options.get('prefetch_factor'))\n",
    ),
    "a key that is set by subscript, never read": (
        "options = {'prefetch_factor': 4}\nother = {}\nother['prefetch_factor'] = 1\nDataLoader([1], **options)\n",
        "options = {}\nother = {}\nother['prefetch_factor'] = 1\nDataLoader([1], **options)\n",
    ),
}


def fixed(text: str) -> str:
    files = {"main.py": IMPORT + text}
    return after(files, fix(files, **LINUX))["main.py"].decode().removeprefix(IMPORT)


@pytest.mark.parametrize("text", NEEDED.values(), ids=NEEDED)
def test_what_the_program_needs_becomes_neutral(text: str) -> None:
    assert fixed(text.replace("⟦4⟧", "4")) == text.replace("⟦4⟧", "None")


@pytest.mark.parametrize(("text", "mended"), NOT_NEEDED.values(), ids=NOT_NEEDED)
def test_what_the_program_can_do_without_goes(text: str, mended: str) -> None:
    assert fixed(text) == mended
