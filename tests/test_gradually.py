"""Rows that are worked out as far as somebody looks."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.gradually import Gradually


def test_no_more_is_worked_out_than_somebody_comes_to() -> None:
    worked_out: list[int] = []

    def source() -> Iterator[int]:
        for one in range(4):
            worked_out.append(one)
            yield one

    row = Gradually(source())
    assert worked_out == []
    assert bool(row)
    assert worked_out == [0]
    assert next(one for one in row if one == 1) == 1
    assert worked_out == [0, 1]
    assert row[-1] == 3
    assert worked_out == [0, 1, 2, 3]


def test_each_look_gives_the_whole_row() -> None:
    row = Gradually(one for one in "abc")
    assert next(iter(row)) == "a"
    assert [*row] == [*row] == ["a", "b", "c"]
    assert len(row) == 3
    assert row[1:] == ["b", "c"]


def test_an_empty_row_is_false() -> None:
    row = Gradually(iter(()))
    assert not row
    assert len(row) == 0


def test_two_looks_at_once_each_give_the_whole_row() -> None:
    row = Gradually(iter("abc"))
    assert list(zip(row, row, strict=True)) == [("a", "a"), ("b", "b"), ("c", "c")]


def test_rows_are_equal_by_what_they_hold() -> None:
    assert Gradually(iter("ab")) == Gradually(iter("ab"))
    assert Gradually(iter("ab")) == ("a", "b")
    assert Gradually(iter("ab")) != Gradually(iter("abc"))
    assert hash(Gradually(iter("ab"))) == hash(("a", "b"))
