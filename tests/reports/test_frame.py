from __future__ import annotations

import pytest
from rich.cells import cell_len

from loaderlint.model.source import Span
from loaderlint.reports._frame import frame
from tests.reports.build import source, span


def framed(code: str, place: Span, width: int = 80) -> str:
    return "".join(line.plain + "\n" for line in frame(source("a.py", code), place, width, ""))


def at(code: str, part: str) -> Span:
    """Return the span of a part of the code's only line."""
    column = code.index(part) + 1
    return span("a.py", 1, column, column + len(part))


def underlined(code: str, part: str, width: int = 80) -> tuple[str, str]:
    """Return the displayed line and what of it stands above the carets, cell by cell."""
    rows = framed(code, at(code, part), width).splitlines()
    shown, carets = rows[0][len("  1 | ") :], rows[1][len("    | ") :]
    first, end = carets.index("^"), len(carets)
    cell, above = 0, ""
    for character in shown:
        if first <= cell < end:
            above += character
        cell += cell_len(character)
    return shown, above


@pytest.mark.parametrize(
    ("code", "part", "above"),
    [
        ("loader(num_workers=8)", "8", "8"),
        ("\tloader(num_workers=8)", "8", "8"),
        ("x\ty\tz(8)", "z(8)", "z(8)"),
        ('collate("日本語", 8)', "8", "8"),
        ('collate("日本語", 8)', "本語", "本語"),
        ("e\u0301 = f(8)", "f(8)", "f(8)"),
        ('f("\x1b", 8)', "8", "8"),
        ('f("\x1b", 8)', "\x1b", r"\x1b"),
        ("\ufeffworkers = 8", "8", "8"),
        ("x\u00a0=\u30008", "8", "8"),
    ],
)
def test_carets_stand_under_the_span_whatever_is_before_it(code: str, part: str, above: str) -> None:
    assert underlined(code, part)[1] == above


@pytest.mark.parametrize("wide", ["x", "語", "\t", "\x1b"])
def test_a_long_line_is_cut_around_the_span(wide: str) -> None:
    code = wide * 200 + "num_workers=8" + wide * 200
    shown, above = underlined(code, "num_workers=8", width=60)
    assert above == "num_workers=8"
    assert shown.startswith("…") and shown.endswith("…")
    assert cell_len(shown) <= 60 - len("  1 | ")


def test_a_long_line_whose_span_is_in_view_is_cut_at_its_end_only() -> None:
    shown, above = underlined("workers = 8  # " + "x" * 200, "8", width=60)
    assert above == "8"
    assert shown.startswith("workers") and shown.endswith("x…")


def test_the_lines_around_a_cut_line_are_left_out() -> None:
    code = "before\n" + "x" * 200 + "8\nafter"
    assert [row[2:3] for row in framed(code, span("a.py", 2, 201, 202)).splitlines()] == ["2", " "]


def test_a_span_longer_than_the_line_is_underlined_to_the_edge() -> None:
    code = "x" * 500
    carets = framed(code, at(code, code), width=60).splitlines()[1]
    assert len(carets) == 60 and carets.endswith("^" * 54)


def test_blank_lines_around_the_span_are_left_out() -> None:
    assert framed("\n\nworkers = 8\n\n", span("a.py", 3, 11, 12)) == "  3 | workers = 8\n    |           ^\n"


def test_line_numbers_are_aligned() -> None:
    code = "\n".join(f"x{number}" for number in range(1, 12))
    assert framed(code, span("a.py", 9, 1, 3)) == "   8 | x8\n   9 | x9\n     | ^^\n  10 | x10\n"


def test_a_short_call_over_several_lines_is_shown_whole() -> None:
    code = "loader = DataLoader(\n    dataset,\n)\n"
    assert framed(code, span("a.py", 1, 10, 2, end_line=3)) == (
        """\
  1 | loader = DataLoader(
    |          ^^^^^^^^^^^
  2 |     dataset,
  3 | )
    | ^
"""
    )


def test_the_middle_of_a_long_call_is_left_out() -> None:
    code = "loader = DataLoader(\n" + "    x,\n" * 20 + "    y=1)\nafter\n"
    assert framed(code, span("a.py", 1, 10, 9, end_line=22)) == (
        """\
   1 | loader = DataLoader(
     |          ^^^^^^^^^^^
   2 |     x,
  ...
  22 |     y=1)
     |     ^^^^
  23 | after
"""
    )


def test_a_mapping_that_ends_where_the_next_line_begins_is_not_underlined_there() -> None:
    assert "after" not in framed("a:\n  b: 1\nafter: 2", span("a.py", 1, 1, 1, end_line=3)).partition("^")[0]
    assert framed("a:\n  b: 1\nafter: 2", span("a.py", 1, 1, 1, end_line=3)).splitlines()[-1] == "  3 | after: 2"


@pytest.mark.parametrize("line", [-1, 0, 3, 99])
def test_a_place_outside_the_file_has_no_frame(line: int) -> None:
    assert framed("one\ntwo", span("a.py", line, 1, 2)) == ""


@pytest.mark.parametrize("column", [-5, 0, 3, 99])
def test_a_column_outside_its_line_is_moved_into_it(column: int) -> None:
    rows = framed("one", span("a.py", 1, column, column + 3)).splitlines()
    assert rows[0] == "  1 | one"
    assert 1 <= rows[1].count("^") <= 3
