"""Lines that edits make longer than any line of the file was."""

from __future__ import annotations

import pytest

from loaderlint.writers import rewrite
from tests.writers.marked import Cases, Edits, marked, rewritten, zero_on_windows

_LONG = "x = " + "1" * 96 + "\n"
"""A line of 100 characters, so that the file's own length is 100."""
_HANGING = "import sys\nf(\n    1,\n)\n"
_ALIGNED = "import sys\n"

BROKEN: Cases = {
    "behind the bracket where the file does so": (
        _HANGING + "loader = DataLoader(dataset, batch_size=batch_size, num_workers=⟦4⟧)\n",
        zero_on_windows,
        _HANGING
        + "loader = DataLoader(\n"
        + '    dataset, batch_size=batch_size, num_workers=0 if sys.platform == "win32" else 4\n'
        + ")\n",
    ),
    "behind the bracket with the arguments as they are set apart": (
        _HANGING + "loader = DataLoader(data,batch_size=8 , num_workers=⟦4⟧,  drop_last=True)\n",
        zero_on_windows,
        _HANGING
        + "loader = DataLoader(\n"
        + '    data,batch_size=8 , num_workers=0 if sys.platform == "win32" else 4,  drop_last=True\n'
        + ")\n",
    ),
    "behind the bracket where calls end on another line for what they are given": (
        _HANGING + "g([\n    1,\n])\nh([\n    1,\n])\n"
        "loader = DataLoader(dataset, batch_size=batch_size, num_workers=⟦4⟧)\n",
        zero_on_windows,
        _HANGING
        + "g([\n    1,\n])\nh([\n    1,\n])\n"
        + "loader = DataLoader(\n"
        + '    dataset, batch_size=batch_size, num_workers=0 if sys.platform == "win32" else 4\n'
        + ")\n",
    ),
    "one on each line where one is too short for all": (
        _HANGING + "if True:\n    loader = DataLoader(the_dataset, batch_size=batch_size, num_workers=⟦4⟧)\n",
        zero_on_windows,
        _HANGING
        + "if True:\n    loader = DataLoader(\n"
        + "        the_dataset,\n        batch_size=batch_size,\n"
        + '        num_workers=0 if sys.platform == "win32" else 4,\n    )\n',
    ),
    "below the first argument elsewhere": (
        _ALIGNED + "loader = DataLoader(dataset, batch_size=8, num_workers=⟦4⟧, drop_last=True)\n",
        zero_on_windows,
        _ALIGNED
        + "loader = DataLoader(dataset, batch_size=8,\n"
        + '                    num_workers=0 if sys.platform == "win32" else 4, drop_last=True)\n',
    ),
    "below the first argument where the file does so more often": (
        _HANGING
        + "g(1,\n  2)\nh(1,\n  2)\n"
        + "loader = DataLoader(dataset, batch_size=8, num_workers=⟦4⟧, last=True)\n",
        zero_on_windows,
        _HANGING
        + "g(1,\n  2)\nh(1,\n  2)\n"
        + "loader = DataLoader(dataset, batch_size=8,\n"
        + '                    num_workers=0 if sys.platform == "win32" else 4, last=True)\n',
    ),
    "among lines below the first argument": (
        _ALIGNED
        + "batches = DataLoader(dataset,\n                     batch_size=n, num_workers=⟦4⟧, pin_memory=True)\n",
        zero_on_windows,
        _ALIGNED
        + "batches = DataLoader(dataset,\n"
        + '                     batch_size=n, num_workers=0 if sys.platform == "win32" else 4,\n'
        + "                     pin_memory=True)\n",
    ),
    "one on each line where the brackets stand around it": (
        _HANGING
        + "loader = DataLoader(\n    datasets, batch_size=batch_size, num_workers=⟦most_of_workers⟧, shuffle=True\n)\n",
        zero_on_windows,
        _HANGING
        + "loader = DataLoader(\n    datasets,\n    batch_size=batch_size,\n"
        + '    num_workers=0 if sys.platform == "win32" else most_of_workers,\n    shuffle=True,\n)\n',
    ),
    "between the parameters of a function": (
        _ALIGNED + "def loader(dataset, batch_size=8, *, num_workers=⟦4⟧, drop_last=(True)) -> None: pass\n",
        zero_on_windows,
        _ALIGNED
        + 'def loader(dataset, batch_size=8, *, num_workers=0 if sys.platform == "win32" else 4,\n'
        + "           drop_last=(True)) -> None: pass\n",
    ),
    "between the parameters behind their bracket": (
        _HANGING + "async def loaders(data, *more, batch=8, num_workers=⟦4⟧, last=True):\n    pass\n",
        zero_on_windows,
        _HANGING
        + "async def loaders(\n"
        + '    data, *more, batch=8, num_workers=0 if sys.platform == "win32" else 4, last=True\n'
        + "):\n    pass\n",
    ),
    "among parameters below the first": (
        _ALIGNED + "def loader(dataset,\n           batch=8, shuffle=True, num_workers=⟦4⟧, pin_memory=True): pass\n",
        zero_on_windows,
        _ALIGNED
        + 'def loader(dataset,\n           batch=8, shuffle=True, num_workers=0 if sys.platform == "win32" else 4,\n'
        + "           pin_memory=True): pass\n",
    ),
    "where only a text or an address is longer": (
        f'"""\n{"t" * 100}\n"""\n# {"c" * 100}\nlink = "https://{"a" * 100}"\n{_ALIGNED}'
        + "loader = DataLoader(dataset, batch_size=8, num_workers=⟦4⟧, drop_last=True)\n",
        zero_on_windows,
        f'"""\n{"t" * 100}\n"""\n# {"c" * 100}\nlink = "https://{"a" * 100}"\n{_ALIGNED}'
        + "loader = DataLoader(dataset, batch_size=8,\n"
        + '                    num_workers=0 if sys.platform == "win32" else 4, drop_last=True)\n',
    ),
    "with tabs and the line ends of the file": (
        "import sys\r\nif True:\r\n\tloader = DataLoader(datasets, batch_size=16, num_workers=⟦4⟧)\r\n",
        zero_on_windows,
        "import sys\r\nif True:\r\n\tloader = DataLoader(datasets, batch_size=16,\r\n"
        '\t\tnum_workers=0 if sys.platform == "win32" else 4)\r\n',
    ),
    "with more tabs than the lines below a loop has": (
        "import sys\nif True:\n\tfor batch in DataLoader(datasets, batch_size=16, num_workers=⟦4⟧):\n"
        "\t\tprint(batch)\n",
        zero_on_windows,
        "import sys\nif True:\n\tfor batch in DataLoader(datasets, batch_size=16,\n"
        '\t\t\tnum_workers=0 if sys.platform == "win32" else 4):\n\t\tprint(batch)\n',
    ),
    "with tabs outside of all blocks": (
        "import sys\nif True:\n\tf()\nloader = DataLoader(datasets, batch_size=16, num_workers=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nif True:\n\tf()\nloader = DataLoader(datasets, batch_size=16,\n"
        '\tnum_workers=0 if sys.platform == "win32" else 4)\n',
    ),
    "with spaces behind the tabs where the file has them": (
        "import sys\nif True:\n\tprint(1,\n\t      2)\n"
        "\tloader = DataLoader(datasets, batch_size=16, num_workers=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nif True:\n\tprint(1,\n\t      2)\n\tloader = DataLoader(datasets, batch_size=16,\n"
        '\t                    num_workers=0 if sys.platform == "win32" else 4)\n',
    ),
    "with tabs where only texts, comments and empty lines have spaces": (
        'import sys\nif True:\n\t"""A\n\t  B\n\t"""\n\t # C\n\t \n'
        "\tloader = DataLoader(datasets, batch_size=16, num_workers=⟦4⟧)\n",
        zero_on_windows,
        'import sys\nif True:\n\t"""A\n\t  B\n\t"""\n\t # C\n\t \n'
        "\tloader = DataLoader(datasets, batch_size=16,\n"
        '\t\tnum_workers=0 if sys.platform == "win32" else 4)\n',
    ),
    "behind its own bracket, whatever the first argument begins with": (
        _HANGING + "loader = DataLoader((other or dataset), batch_size=8, num_workers=⟦4⟧, pin_memory=True)\n",
        zero_on_windows,
        _HANGING
        + "loader = DataLoader(\n    (other or dataset),\n    batch_size=8,\n"
        + '    num_workers=0 if sys.platform == "win32" else 4,\n    pin_memory=True,\n)\n',
    ),
    "a dictionary, which may hold another": (
        _HANGING + 'options = {**common, "batch_size": batch_size, "num_workers": ⟦4⟧, **more_of_the_same}\n',
        zero_on_windows,
        _HANGING
        + 'options = {\n    **common,\n    "batch_size": batch_size,\n'
        + '    "num_workers": 0 if sys.platform == "win32" else 4,\n    **more_of_the_same,\n}\n',
    ),
    "where the line ends inside a string": (
        _ALIGNED + 'loader = DataLoader(dataset, batch_size=8, num_workers=⟦4⟧, drop_last=True, name="""a  \nb""")\n',
        zero_on_windows,
        _ALIGNED
        + "loader = DataLoader(dataset, batch_size=8,\n"
        + '                    num_workers=0 if sys.platform == "win32" else 4, drop_last=True,\n'
        + '                    name="""a  \nb""")\n',
    ),
    "below a comment": (
        _HANGING + "# as fast as it goes\nloader = DataLoader(dataset, batch_size=batch_size, num_workers=⟦4⟧)\n",
        zero_on_windows,
        _HANGING
        + "# as fast as it goes\nloader = DataLoader(\n"
        + '    dataset, batch_size=batch_size, num_workers=0 if sys.platform == "win32" else 4\n'
        + ")\n",
    ),
    "with a line for what is too long itself": (
        _ALIGNED + "make(dataset, number_of_all_the_worker_processes=⟦maximum_of_all_workers⟧, last=True)\n",
        zero_on_windows,
        _ALIGNED
        + "make(dataset,\n"
        + '     number_of_all_the_worker_processes=0 if sys.platform == "win32" else maximum_of_all_workers,\n'
        + "     last=True)\n",
    ),
    "with the bracket closed where the file closes most": (
        "import sys\nf(\n    1)\ng(\n    1,\n    2)\nh(\n    1\n)\n"
        "loader = DataLoader(dataset, batch_size=batch_size, num_workers=⟦4⟧)\n",
        zero_on_windows,
        "import sys\nf(\n    1)\ng(\n    1,\n    2)\nh(\n    1\n)\n"
        + "loader = DataLoader(\n"
        + '    dataset, batch_size=batch_size, num_workers=0 if sys.platform == "win32" else 4)\n',
    ),
    "with the bracket closed behind the last of many": (
        "import sys\nf(\n    1)\n"
        "loader = DataLoader(the_dataset, batch_size, True, sampler, num_workers=⟦4⟧, drop_last=1)\n",
        zero_on_windows,
        "import sys\nf(\n    1)\n"
        + "loader = DataLoader(\n    the_dataset,\n    batch_size,\n    True,\n    sampler,\n"
        + '    num_workers=0 if sys.platform == "win32" else 4,\n    drop_last=1)\n',
    ),
    "in the call that is edited, not inside another": (
        _ALIGNED + "loader = make(one(1, 2), DataLoader(dataset, 8, True, num_workers=⟦4⟧), 'é', two(1, 2))\n",
        zero_on_windows,
        _ALIGNED
        + "loader = make(\n    one(1, 2),\n"
        + "    DataLoader(dataset, 8, True, num_workers=0 if sys.platform == 'win32' else 4),\n"
        + "    'é',\n    two(1, 2),\n)\n",
    ),
}
KEPT: Cases = {
    "a line that was too long before": (
        f'{_HANGING}fetch("https://example.org/{"a" * 36}", folder_for_all_that_comes,\n      mode)\n'
        + "f(num_workers=⟦4⟧)\n",
        zero_on_windows,
        f'{_HANGING}fetch("https://example.org/{"a" * 36}", folder_for_all_that_comes,\n      mode)\n'
        + 'f(num_workers=0 if sys.platform == "win32" else 4)\n',
    ),
    "a line that is no longer than another": (
        _LONG + _HANGING + "loader = DataLoader(datasets, num_workers=⟦4⟧)\n",
        zero_on_windows,
        _LONG + _HANGING + 'loader = DataLoader(datasets, num_workers=0 if sys.platform == "win32" else 4)\n',
    ),
    "a line with a comment": (
        _HANGING + "loader = DataLoader(dataset, batch_size=8, num_workers=⟦4⟧)  # noqa: S001\n",
        zero_on_windows,
        _HANGING
        + 'loader = DataLoader(dataset, batch_size=8, num_workers=0 if sys.platform == "win32" else 4)  # noqa: S001\n',
    ),
    "a line below a comment that tells a tool something": (
        _HANGING + "# yapf: disable\nloader = DataLoader(dataset, batch_size=8, num_workers=⟦4⟧, shuffle=True)\n",
        zero_on_windows,
        _HANGING
        + "# yapf: disable\n"
        + 'loader = DataLoader(dataset, batch_size=8, num_workers=0 if sys.platform == "win32" else 4, shuffle=True)\n',
    ),
    "a line with no argument but the one that is edited": (
        _HANGING
        + "loader = DataLoader(\n    dataset,\n    number_of_all_the_worker_processes=⟦maximum_of_workers⟧,\n)\n",
        zero_on_windows,
        _HANGING
        + "loader = DataLoader(\n    dataset,\n"
        + '    number_of_all_the_worker_processes=0 if sys.platform == "win32" else maximum_of_workers,\n)\n',
    ),
    "a line without a call": (
        _HANGING + "number_of_all_the_worker_processes = ⟦maximum_of_all_workers⟧\n",
        zero_on_windows,
        _HANGING + 'number_of_all_the_worker_processes = 0 if sys.platform == "win32" else maximum_of_all_workers\n',
    ),
}


@pytest.mark.parametrize(("before", "edits", "after"), BROKEN.values(), ids=BROKEN)
def test_a_call_is_broken_where_its_line_grew_longer_than_the_files_longest(
    before: str, edits: Edits, after: str
) -> None:
    assert rewritten(before, edits).text == after


@pytest.mark.parametrize(("before", "edits", "after"), KEPT.values(), ids=KEPT)
def test_a_line_stays_one(before: str, edits: Edits, after: str) -> None:
    assert rewritten(before, edits).text == after


def test_a_length_that_the_project_declares_is_the_measure() -> None:
    line = "loader = DataLoader(dataset, batch_size=8, num_workers=⟦4⟧)\n"
    source, spans = marked(f"{_LONG}{_HANGING}{line}")
    edited = zero_on_windows(spans)
    whole = 'loader = DataLoader(dataset, batch_size=8, num_workers=0 if sys.platform == "win32" else 4)\n'
    assert rewrite(source, edited).text == f"{_LONG}{_HANGING}{whole}"
    assert rewrite(source, edited, line_length=120).text == f"{_LONG}{_HANGING}{whole}"
    assert rewrite(source, edited, line_length=80).text == (
        f"{_LONG}{_HANGING}loader = DataLoader(\n"
        '    dataset, batch_size=8, num_workers=0 if sys.platform == "win32" else 4\n)\n'
    )
