"""Where a program looks into errors that come out of workers as others."""

from __future__ import annotations

import sys

import pytest

from loaderlint.model.uses import Hanging
from tests.linking.traced import loaders_of

PROGRAM = """
import errno
import re
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return open(str(index)).read()
TEXTS = {{}}
def report(problem):
    print(problem.errno)
def show(problem):
    print(str(problem))
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
    "an attribute by its name": ("OSError", "print(getattr(error, 'errno', None))"),
    "another name": ("OSError", "problem = error; print(problem.errno)"),
    "a function that asks": ("OSError", "report(error)"),
    "its text by a name": ("ValueError", "text = str(error); print(text == 'empty')"),
    "its text in another": ("ValueError", "print(f'{error}' == 'empty')"),
    "a part of its text": ("ValueError", "print(str(error)[:5])"),
    "its words": ("ValueError", "print(str(error).split())"),
    "how long its text is": ("ValueError", "print(len(str(error)))"),
    "what is found in its text": ("ValueError", "print(re.search('^empty', f'{error}'))"),
    "its text behind another": ("ValueError", "print('lost: ' + str(error) == 'lost: empty')"),
    "its text put into another": ("ValueError", "print('lost: %s' % error == 'lost: empty')"),
    "its text by a name with a type": ("ValueError", "text: str = str(error); print(text == 'empty')"),
    "whether it is not its text": ("ValueError", "print(str(error) != 'empty')"),
    "a function that asks by a keyword": ("OSError", "report(problem=error)"),
    "what is in a table for its text": ("ValueError", "print(TEXTS[str(error)])"),
}
NOT_TOLD = {
    "what its text holds": ("RuntimeError", "print('out of memory' in str(error))"),
    "what its text, by a name, holds": ("RuntimeError", "text = str(error); print('out of memory' in text)"),
    "what its text does not hold": ("RuntimeError", "print('out of memory' not in str(error))"),
    "a function that is handed something beside it": ("OSError", "print(error); report(problem=errno)"),
    "all of it": ("Exception", "print(error)"),
    "a text of it": ("Exception", "text = f'{error}'; print(text)"),
    "a function that shows it": ("Exception", "show(error)"),
    "the text of something else": ("Exception", "text = str(errno); print(text[:5])"),
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


MATCHED = """    match error:
        case {case}:
            print(error)"""


@pytest.mark.parametrize(("case", "told"), [("OSError(errno=2)", True), ("OSError()", False)], ids=["asks", "class"])
def test_a_pattern_looks_into_an_error(case: str, told: bool) -> None:
    does = "\n    " + MATCHED.format(case=case).replace("\n", "\n    ")
    assert hanging("fit(loader)", "OSError", does) == ([Hanging.TOLD] if told else [])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups of errors before Python 3.11")
@pytest.mark.parametrize(("does", "told"), [("print(error.exceptions)", True), ("print(error)", False)])
def test_groups_of_errors_are_looked_into(does: str, told: bool) -> None:
    text = PROGRAM.format(tried="fit(loader)", caught="OSError", does=does).replace("except", "except*", 1)
    (loader,) = loaders_of(text)
    assert [one.hanging for one in loader.uses.unsettled] == ([Hanging.TOLD] if told else [])


ONE_BY_ONE = """
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return open(str(index)).read()
def take(batches):
    return next(batches)
def forward(model, batch):
    return model(batch.to(next(model.parameters()).device))
def main(model):
    batches = iter(DataLoader(Rows(), num_workers=1))
    {loop}:
        {before}
        try:
            {tried}
        except StopIteration:
            break
        except OSError as error:
            print({shown})
if __name__ == "__main__":
    main(print)
"""
LOOPS = ("while True", "for step in range(8)")


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("tried", ["batch = next(batches)", "batch = batches.__next__()", "batch = take(batches)"])
@pytest.mark.parametrize(("shown", "told"), [("error.filename", True), ("error", False)])
def test_errors_of_one_batch_are_looked_into(loop: str, tried: str, shown: str, told: bool) -> None:
    (loader,) = loaders_of(ONE_BY_ONE.format(loop=loop, before="pass", tried=tried, shown=shown))
    assert [one.hanging for one in loader.uses.unsettled] == ([Hanging.TOLD] if told else [])


@pytest.mark.parametrize("loop", LOOPS)
def test_errors_of_what_is_done_with_a_batch_come_out_of_no_worker(loop: str) -> None:
    given = {"before": "batch = next(batches)", "tried": "forward(model, batch)", "shown": "error.filename"}
    (loader,) = loaders_of(ONE_BY_ONE.format(loop=loop, **given))
    assert not loader.uses.unsettled
