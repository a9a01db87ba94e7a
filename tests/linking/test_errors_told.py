"""Where a program looks into errors that come out of workers as others."""

from __future__ import annotations

import pytest

from loaderlint.model.uses import Hanging
from tests.linking.traced import loaders_of

PROGRAM = """
import errno
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return open(str(index)).read()
def fit(loader):
    for batch in loader:
        print(batch)
def other(loader):
    return len(loader)
def main():
    loader = DataLoader(Rows(), num_workers=1)
    try:
        {tried}
    except {caught} as error:
        {does}
    fit(loader)
if __name__ == "__main__":
    main()
"""
TOLD = {
    "an attribute": ("OSError", "print(error.errno == errno.ENOENT)"),
    "its arguments": ("(ValueError, KeyError)", "print(error.args[0])"),
    "its text": ("ValueError", "print(str(error) == 'empty')"),
    "how its text begins": ("Exception", "print(str(error).startswith('empty'))"),
    "its text in small letters": ("Exception", "print('empty' == str(error).lower())"),
}
NOT_TOLD = {
    "what its text holds": ("RuntimeError", "print('out of memory' in str(error))"),
    "all of it": ("Exception", "print(error)"),
    "where it was": ("Exception", "print(error.__traceback__)"),
    "an error of other programs": ("CalledProcessError", "print(error.returncode)"),
}


def hanging(tried: str, caught: str, does: str) -> list[Hanging]:
    (loader,) = loaders_of(PROGRAM.format(tried=tried, caught=caught, does=does))
    return [one.hanging for one in loader.uses.unsettled]


@pytest.mark.parametrize(("caught", "does"), TOLD.values(), ids=TOLD)
@pytest.mark.parametrize("tried", ["fit(loader)", "for batch in loader: print(batch)"])
def test_errors_are_looked_into(tried: str, caught: str, does: str) -> None:
    assert hanging(tried, caught, does) == [Hanging.TOLD]


@pytest.mark.parametrize(("caught", "does"), NOT_TOLD.values(), ids=NOT_TOLD)
def test_errors_are_alike_in_what_is_looked_at(caught: str, does: str) -> None:
    assert hanging("fit(loader)", caught, does) == []


@pytest.mark.parametrize(("caught", "does"), TOLD.values(), ids=TOLD)
def test_errors_of_other_code_come_out_of_no_worker(caught: str, does: str) -> None:
    assert hanging("other(loader)", caught, does) == []
