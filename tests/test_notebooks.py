"""Notebooks: read as one Python text, written back cell by cell, shown by cell and line."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint import cli
from loaderlint.model.cells import keeps_its_cells, parted
from loaderlint.model.source import Language, Source
from loaderlint.notebooks import NotebookError, as_python, put_back
from tests.conftest import WriteFiles

IMPORTS = "import torch\nfrom torch.utils.data import DataLoader"
LOADER = "loader = DataLoader(\n    [1, 2],\n    num_workers=0,\n    prefetch_factor=2,\n)"


def code(source: str | Sequence[str]) -> dict[str, Any]:
    written = source if isinstance(source, str) else list(source)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": written}


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def a_notebook(*cells: dict[str, Any], language: str = "python", **layout: Any) -> bytes:
    metadata = {"kernelspec": {"name": "kernel", "display_name": "kernel", "language": language}}
    whole = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, **{"indent": 1, "ensure_ascii": False, **layout}).encode()


def text_of(*cells: dict[str, Any]) -> str:
    text = as_python(a_notebook(*cells))
    assert text is not None
    return text


def sources(notebook: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ("x = 1", "x = 1"),
        ("%matplotlib inline\nx = 1", "pass  # notebook: %matplotlib inline\nx = 1"),
        ("if x:\n    !ls", "if x:\n    pass  # notebook: !ls"),
        ("files = !ls *.py\nx = 1", "pass  # notebook: files = !ls *.py\nx = 1"),
        ("torch.nn?", "pass  # notebook: torch.nn?"),
        ("%%time\nx = 1", "# notebook: %%time\nx = 1"),
        ("\n%%capture out\nx = 1", "\n# notebook: %%capture out\nx = 1"),
        ("\r!ls\ry\r\nz\r", "# notebook: \r# notebook: !ls\r# notebook: y\r\n# notebook: z\r"),
        ("%%bash\nls -l", "# notebook: %%bash\n# notebook: ls -l"),
        ("%%writefile data.py\nx = 1", "# notebook: %%writefile data.py\n# notebook: x = 1"),
        ("this is no Python", "# notebook: this is no Python"),
        ('print("%d" \n      % x)', 'print("%d" \n      % x)'),
        ("await trained", "await trained"),
        ("", ""),
    ],
)
def test_what_is_no_python_is_read_as_a_comment(cell: str, read: str) -> None:
    text = text_of(code(cell))
    assert text == f"# a notebook, cell by cell\n# %% cell 1\n{read}\n"
    assert parted(text) == {1: cell}


def test_cells_are_counted_among_all_cells() -> None:
    prose = {"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}
    assert parted(text_of(prose, code("x = 1"), prose, code("y = 2\n"))) == {2: "x = 1", 4: "y = 2\n"}


CELLS = st.lists(
    st.one_of(
        st.text(st.sampled_from("ab1 =%!?\"'#\n\r\té😀\\(:\f\ufeff"), max_size=40),
        st.sampled_from([IMPORTS, LOADER, "%time x = 1", "%%bash\nls", "# %%", "x = 1\n\n", "\r!ls", "\ufeffx = 1"]),
    ),
    max_size=5,
)


@given(CELLS, st.booleans(), st.sampled_from([None, 1, 4]), st.booleans())
def test_a_text_that_did_not_change_leaves_every_byte(
    cells: list[str], as_lines: bool, indent: int | None, ascii_only: bool
) -> None:
    written = [code(lines(one) if as_lines else one) for one in cells]
    file = a_notebook(*written, indent=indent, ensure_ascii=ascii_only)
    text = as_python(file)
    assert text is not None
    ast.parse(text)
    assert put_back(file, text) == file
    assert [*parted(text).values()] == cells


@given(CELLS, CELLS, st.booleans(), st.sampled_from([None, 1, 4]))
def test_changed_cells_hold_what_the_text_holds(
    before: list[str], after: list[str], as_lines: bool, indent: int | None
) -> None:
    both = list(zip(before, after, strict=False))
    file = a_notebook(*(code(lines(one) if as_lines else one) for one, _ in both), indent=indent)
    text = as_python(a_notebook(*(code(one) for _, one in both)))
    assert text is not None
    written = put_back(file, text)
    assert sources(written) == [one for _, one in both]
    rest, was = json.loads(written), json.loads(file)
    for cell in (*rest["cells"], *was["cells"]):
        del cell["source"]
    assert rest == was


def test_only_the_changed_line_is_typed_anew() -> None:
    cell = code(lines(LOADER))
    file = a_notebook(code(lines(IMPORTS)), cell, {"cell_type": "raw", "metadata": {}, "source": "é"}, indent=2)
    text = text_of(code(lines(IMPORTS)), cell)
    after = put_back(file, text.replace("    prefetch_factor=2,\n", ""))
    assert after == file.replace(b'        "    prefetch_factor=2,\\n",\n', b"")


def test_a_file_of_escapes_gets_escapes() -> None:
    file = a_notebook(code(["x = 'é'\n", "y = 1"]), ensure_ascii=True)
    assert put_back(file, text_of(code("x = 'éé'\ny = 1"))).isascii()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no valid JSON"),
        (b"{", "no valid JSON"),
        (b"[" * 100_000, "no valid JSON"),
        (a_notebook(code("x")).replace(b"x", b"\xed\xa0\x80"), "no valid JSON"),
        (b"[]", "no list of cells"),
        (b'{"worksheets": []}', "no list of cells"),
        (a_notebook({"cell_type": "code", "source": [1]}), "the source of cell 1 is no text"),
        (a_notebook({"cell_type": "code", "source": {}}), "the source of cell 1 is no text"),
        (a_notebook(code("# %% cell 7")), "cell 1 has a line that only loaderlint writes"),
        (a_notebook(code("x = '\ud800'"), ensure_ascii=True), "half of a character"),
    ],
)
def test_what_is_no_notebook_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(NotebookError, match=reason):
        as_python(content)


def test_a_notebook_of_another_language_is_none_of_ours() -> None:
    assert as_python(a_notebook(code("x <- 1"), language="R")) is None


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        ("# a notebook, cell by cell\n# %% cell 1\ny = 2\n# %% cell 3\npass  # notebook: %time\n", True),
        ("# a notebook, cell by cell\n# %% cell 1\npass  # notebook: %time\n# %% cell 3\n", False),
        ("# a notebook, cell by cell\nimport sys\n# %% cell 1\nx\n# %% cell 3\npass  # notebook: %time\n", False),
        ("# a notebook, cell by cell\n# %% cell 1\nx\npass  # notebook: %time\n", False),
    ],
)
def test_a_rewritten_text_must_keep_its_cells(after: str, kept: bool) -> None:
    before = "# a notebook, cell by cell\n# %% cell 1\nx = 1\n# %% cell 3\npass  # notebook: %time\n"
    assert keeps_its_cells(before, after) is kept


def test_a_span_counts_lines_inside_its_cell() -> None:
    notebook = a_notebook({"cell_type": "markdown", "metadata": {}, "source": "x"}, code("a\nb"), code("q = 1"))
    source = Source("a.ipynb", "/a.ipynb", Language.PYTHON, (as_python(notebook) or "").encode(), notebook=notebook)
    span = source.span(source.text.index("q"), source.text.index("q") + 1)
    assert (str(span), span.cell, span.shown_line) == ("a.ipynb:cell 3:1:1", 3, 1)
    assert source.cells is not None
    assert source.cells.line(3, 1) == span.line
    assert [source.cells.line(2, line) for line in (1, 2, 3)] == [3, 4, None]
    assert source.cells.line(1, 1) is None


# Through the command line


def run(*arguments: str) -> int:
    return cli.run(arguments)


def test_findings_name_cell_and_line(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.ipynb": a_notebook(code(lines(IMPORTS)), code(lines(LOADER)))})
    assert run("--format", "json", "train.ipynb") == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert [finding[key] for key in ("path", "cell", "line", "column")] == ["train.ipynb", 2, 4, 21]
    (edit,) = finding["fix"]["edits"]
    assert [edit["cell"], edit["line"], edit["end_line"]] == [2, 4, 5]
    run("train.ipynb")
    shown = capsys.readouterr().out
    assert shown.startswith("train.ipynb:cell 2:4:21: error LL201")
    assert "4 |     prefetch_factor=2," in shown
    run("--format", "github", "train.ipynb")
    about = "::error file=train.ipynb,title=LL201 prefetch-without-workers"
    assert capsys.readouterr().out.startswith(f"{about}::train.ipynb:cell 2:4:21:")


def test_a_fix_changes_its_line_and_no_other_byte(project: WriteFiles) -> None:
    picture = {**code("show()"), "outputs": [{"output_type": "display_data", "data": {"image/png": "A" * 1000}}]}
    before = a_notebook(code(lines(IMPORTS)), picture, code(lines(LOADER)))
    project({"train.ipynb": before})
    assert run("--fix", "--quiet", "train.ipynb") == 0
    assert Path("train.ipynb").read_bytes() == before.replace(b'    "    prefetch_factor=2,\\n",\n', b"")


TAKING = ("!prepare --jobs {N}", "!prepare --jobs $N", "files = !prepare --jobs {N}", "%run prepare.py --jobs $N")


@pytest.mark.parametrize("taking", [*TAKING, "%%bash -s $N\nprepare --jobs $1"])
def test_a_number_that_a_command_takes_stays(project: WriteFiles, taking: str) -> None:
    loader = (
        "from torch.utils.data import DataLoader\nfor batch in DataLoader(range(8), num_workers=N):\n    print(batch)"
    )
    project({"n.ipynb": a_notebook(code("N = 4"), code(taking), code(loader))})
    run("--fix", "--platform", "windows", "n.ipynb")
    assert "N = 4" in Path("n.ipynb").read_text()
    assert "num_workers=0" in Path("n.ipynb").read_text()


def test_a_notebook_on_standard_input_comes_back_fixed(
    project: WriteFiles, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    import io
    import sys

    before = a_notebook(code(lines(IMPORTS)), code(lines(LOADER)))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(before)))
    run("--fix", "--stdin-filename", "train.ipynb", "-")
    assert capfdbinary.readouterr().out == before.replace(b'    "    prefetch_factor=2,\\n",\n', b"")


@pytest.mark.parametrize("language", ["R", "julia"])
def test_other_languages_and_broken_notebooks_do_no_harm(
    project: WriteFiles, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    project({"other.ipynb": a_notebook(code("DataLoader <- 1"), language=language), "broken.ipynb": b'{"DataLoader'})
    assert run("other.ipynb") == 0
    capsys.readouterr()
    assert run(".") == 2
    assert "broken.ipynb:1:1: error: this notebook is no valid JSON" in capsys.readouterr().out


def test_an_ignore_comment_in_a_cell_accepts_a_finding(project: WriteFiles) -> None:
    accepted = LOADER.replace("prefetch_factor=2,", "prefetch_factor=2,  # loaderlint: ignore[LL201]")
    project({"train.ipynb": a_notebook(code(lines(IMPORTS)), code(lines(accepted)))})
    assert run("train.ipynb") == 0


def test_a_notebook_needs_no_guard(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    loop = "for batch in DataLoader([1, 2], num_workers=2):\n    pass"
    project({"train.ipynb": a_notebook(code(IMPORTS), code(loop)), "train.py": f"{IMPORTS}\n\n{loop}\n"})
    run("--platform", "macos", "--format", "concise", "--quiet")
    (found,) = capsys.readouterr().out.splitlines()
    assert found.startswith("train.py:4:14: LL102 [error] [*] starting 2 workers by spawn raises")


def test_what_a_notebook_defines_is_no_reason_to_spawn(project: WriteFiles) -> None:
    dataset = (
        "class Images(torch.utils.data.Dataset):\n    def __len__(self):\n        return 2\n"
        "    def __getitem__(self, index):\n        return torch.ones(1).cuda()"
    )
    loop = "torch.zeros(1).cuda()\nfor batch in DataLoader(Images(), num_workers=2):\n    pass"
    before = a_notebook(code(IMPORTS), code(dataset), code(loop))
    project({"train.ipynb": before})
    assert run("--platform", "linux", "--python", "3.12", "--fix", "--unsafe-fixes", "--quiet") == 1
    assert Path("train.ipynb").read_bytes() == before


LOADS = "DataLoader([1, 2], num_workers=4)"
FOUR = 'num_workers=0 if sys.platform == "win32" else 4'
LOADED = LOADS.replace("num_workers=4", FOUR)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["", IMPORTS, LOADS], ["", f"import sys\n\n{IMPORTS}", LOADED]),
        (["%%bash\n\nls", IMPORTS, LOADS], ["%%bash\n\nls", f"import sys\n\n{IMPORTS}", LOADED]),
        (["!pip install torch", IMPORTS, LOADS], ["!pip install torch", f"import sys\n\n{IMPORTS}", LOADED]),
        (["# Setup\n\nx = 1", IMPORTS, LOADS], ["# Setup\n\nx = 1", f"import sys\n\n{IMPORTS}", LOADED]),
        (["", f"%%time\n{IMPORTS}", LOADS], ["", f"%%time\nimport sys\n\n{IMPORTS}", LOADED]),
        (["", f"# Imports\n{IMPORTS}", LOADS], ["", f"import sys\n\n# Imports\n{IMPORTS}", LOADED]),
        (["", "import os", f"{IMPORTS}\n{LOADS}"], ["", "import os", f"import sys\n\n{IMPORTS}\n{LOADED}"]),
        (
            ["", "import os\nprint(net)", f"import time\n{IMPORTS}\n{LOADS}"],
            ["", "import os\nprint(net)", f"import sys\nimport time\n{IMPORTS}\n{LOADED}"],
        ),
        (
            ["import os", "workers = 4", IMPORTS, "DataLoader([1, 2], num_workers=workers)"],
            [
                "import os\nimport sys",
                'workers = 0 if sys.platform == "win32" else 4',
                IMPORTS,
                "DataLoader([1, 2], num_workers=workers)",
            ],
        ),
        (
            ["x = 1", "workers = 4", IMPORTS, "DataLoader([1, 2], num_workers=workers)"],
            [
                "x = 1",
                'import sys\n\nworkers = 0 if sys.platform == "win32" else 4',
                IMPORTS,
                "DataLoader([1, 2], num_workers=workers)",
            ],
        ),
    ],
)
def test_an_import_joins_the_first_cell_with_imports(before: list[str], after: list[str], project: WriteFiles) -> None:
    project({"train.ipynb": a_notebook(*map(code, before))})
    run("--platform", "linux", "--platform", "windows", "--select", "LL101", "--fix", "--unsafe-fixes", "train.ipynb")
    assert sources(Path("train.ipynb").read_bytes()) == after


@pytest.mark.parametrize("place", ["train.ipynb:cell 2:1", "train.ipynb:cell 2:4:21", "train.ipynb"])
def test_trace_takes_the_places_it_prints(place: str, project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.ipynb": a_notebook(code(IMPORTS), code(LOADER))})
    assert run("trace", place) == 0
    assert capsys.readouterr().out.startswith("train.ipynb:cell 2:1:10  torch.utils.data.DataLoader\n")


def test_trace_says_where_there_is_nothing(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    project({"train.ipynb": a_notebook(code(IMPORTS), code(LOADER))})
    run("trace", "train.ipynb:cell 1:1")
    assert capsys.readouterr().out.startswith("No loader stands at train.ipynb:cell 1:1, and")
    assert run("trace", "train.ipynb:cell 9:1") == 2
    assert "there is no such line in a cell with code" in capsys.readouterr().err
