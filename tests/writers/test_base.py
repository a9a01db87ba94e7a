from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.model.edit import TextEdit
from loaderlint.model.source import Language, Source, Span
from loaderlint.writers.base import CannotRewrite, Replacement, splice, text_edits

texts = st.lists(st.sampled_from(["a", "b: 1", "é😀", "  c", "\t", "\ufeff", "\u2028", "\f", "\n", "\r\n", "\r"])).map(
    "".join
)


def source(text: str) -> Source:
    return Source("a.py", "/project/a.py", Language.PYTHON, text.encode())


def applied(file: Source, edits: tuple[TextEdit, ...]) -> str:
    """The text an editor arrives at: each span is replaced in the text as it was."""
    replacements = [
        Replacement(file.offset(*edit.span.start), file.offset(*edit.span.end), edit.content) for edit in edits
    ]
    return splice(file.text, replacements)


@given(texts, texts)
def test_applying_the_edits_gives_the_new_text(before: str, after: str) -> None:
    file = source(before)
    assert applied(file, text_edits(file, after)) == after


def test_an_edit_holds_only_the_characters_that_differ() -> None:
    file = source("a: 1\nnum_workers: 8  # all\nb: 2\n")
    assert text_edits(file, "a: 1\nnum_workers: 0  # all\nb: 2\n") == (TextEdit(Span("a.py", 2, 14, 2, 15), "0"),)


def test_a_removed_line_is_one_edit() -> None:
    file = source("a: 1\r\nb: 2\r\nc: 3\r\n")
    assert text_edits(file, "a: 1\r\nc: 3\r\n") == (TextEdit(Span("a.py", 2, 1, 3, 1), ""),)


def test_edits_far_apart_stay_apart() -> None:
    file = source("a: 1\nb: 2\nc: 3\n")
    edits = text_edits(file, "a: 4\nb: 2\nc: 5\n")
    assert [edit.span.line for edit in edits] == [1, 3]


def test_the_same_text_needs_no_edit() -> None:
    assert text_edits(source("a: 1\n"), "a: 1\n") == ()


def test_splicing_replaces_every_stretch_of_the_text_as_it_was() -> None:
    assert splice("abcdef", [Replacement(4, 5, ""), Replacement(0, 1, "xyz"), Replacement(2, 2, "-")]) == "xyzb-cdf"


def test_the_same_replacement_twice_is_one() -> None:
    assert splice("abc", [Replacement(1, 2, "x"), Replacement(1, 2, "x")]) == "axc"


@pytest.mark.parametrize(
    "second",
    [Replacement(1, 3, "y"), Replacement(2, 4, "x"), Replacement(1, 1, "x")],
    ids=["same", "overlap", "insert"],
)
def test_replacements_that_contradict_each_other_are_refused(second: Replacement) -> None:
    with pytest.raises(CannotRewrite, match="contradict"):
        splice("abcdef", [Replacement(1, 3, "x"), second])
