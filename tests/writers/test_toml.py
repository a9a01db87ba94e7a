from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.model.edit import AddOption, Drop, Edit, MakeInteger, RemoveIgnore, SetValue
from loaderlint.model.source import Language, Source, Span
from loaderlint.model.value import Constant
from loaderlint.readers.toml import read
from loaderlint.readers.tree import Entry, Scalar, mappings
from loaderlint.writers import CannotRewrite, Rewritten, rewrite
from tests.readers.test_toml import SHAPES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

constants = st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec="utf-8"))


def source(text: str) -> Source:
    return Source("conf.toml", "/conf.toml", Language.TOML, text.encode())


def entries(file: Source) -> Iterator[Entry]:
    for document in read(file).documents:
        for _, mapping in mappings(document):
            yield from mapping.entries


def last(file: Source, key: str) -> Entry:
    return [entry for entry in entries(file) if entry.key == key][-1]


def setting(file: Source, key: str, constant: Constant) -> SetValue:
    return SetValue(last(file, key).value.span, constant)


def dropping(file: Source, key: str, neutral: Constant = None) -> Drop:
    entry = last(file, key)
    return Drop(entry.value.span, key, neutral, entry.span)


def outcome(text: str, *keys: str, neutral: Constant = None) -> Rewritten:
    return rewrite(source(text), [dropping(source(text), key, neutral) for key in keys])


def rewritten(file: Source, *edits: Edit) -> str:
    done = rewrite(file, edits)
    assert done.unsafe == ""
    return done.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("num_workers = 8  # per GPU\n", "num_workers = 0  # per GPU\n"),
        ("[data]\nnum_workers=8", "[data]\nnum_workers=0"),
        ("data.num_workers = 8\n", "data.num_workers = 0\n"),
        ("a = {x = 1, num_workers = 8}\n", "a = {x = 1, num_workers = 0}\n"),
        ("num_workers = '8'\n", "num_workers = 0\n"),
        ("\ufeff# é😀\r\nnum_workers = 8\r\n[a]\r\n", "\ufeff# é😀\r\nnum_workers = 0\r\n[a]\r\n"),
        ("[[a]]\nnum_workers = 4\n[[a]]\nnum_workers = 8\n", "[[a]]\nnum_workers = 4\n[[a]]\nnum_workers = 0\n"),
    ],
    ids=ascii,
)
def test_setting_a_value_changes_the_value_alone(before: str, after: str) -> None:
    file = source(before)
    assert rewritten(file, setting(file, "num_workers", 0)) == after


@pytest.mark.parametrize(
    ("old", "constant", "new"),
    [
        ('"spawn"', "fork", '"fork"'),
        ("'spawn'", "fork", "'fork'"),
        ("'spawn'", "it's", '"it\'s"'),
        ("'''\nspawn'''", "fork", "'fork'"),
        ("4", True, "true"),
        ("4", 0.5, "0.5"),
        ("4", float("inf"), "inf"),
        ("4", 'é"\x7f\n', '"é\\"\\u007f\\n"'),
    ],
)
def test_constants_are_typed_as_toml_types_them(old: str, constant: Constant, new: str) -> None:
    file = source(f"a = {old}\n")
    assert rewritten(file, setting(file, "a", constant)) == f"a = {new}\n"


def test_toml_has_no_null() -> None:
    file = source("a = 1\n")
    with pytest.raises(CannotRewrite, match="no null"):
        rewrite(file, [setting(file, "a", None)])


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("a = 1\nb = 2\nc = 3\n", "a", "b = 2\nc = 3\n"),
        ("a = 1\nb = 2\nc = 3\n", "bc", "a = 1\n"),
        ("a = 1\r\nb = 2", "b", "a = 1"),
        ("a = 1\n", "a", ""),
        ("\ufeffa = 1\nb = 2\n", "a", "\ufeffb = 2\n"),
        ("[x]\n  a = 1\n\n[y]\nb = 2\n", "a", "[x]\n\n[y]\nb = 2\n"),
        ("x.a = 1\nx.b = 2\n", "a", "x.b = 2\n"),
        ("'x y' . \"z\".a = 1\n'x y'.z.b = 2\n", "a", "'x y'.z.b = 2\n"),
        ("x = {a = 1, b = 2, c = 3}\n", "a", "x = {b = 2, c = 3}\n"),
        ("x = {a = 1, b = 2, c = 3}\n", "b", "x = {a = 1, c = 3}\n"),
        ("x = {a = 1, b = 2, c = 3}\n", "c", "x = {a = 1, b = 2}\n"),
        ("x = { a = 1 } # x\n", "a", "x = {} # x\n"),
        ("x = [{ y.a = 1, y.b = 2 }]\n", "a", "x = [{ y.b = 2 }]\n"),
        ("a = '''\nx\n'''\nb = 2\n", "a", "b = 2\n"),
    ],
    ids=ascii,
)
def test_an_entry_goes_with_its_lines_or_its_comma(before: str, keys: str, after: str) -> None:
    done = outcome(before, *keys)
    assert (done.text, done.unsafe) == (after, "")


def test_a_comment_that_goes_with_its_line_makes_the_edit_unsafe() -> None:
    done = outcome("a = 1  # why\nb = 2\n", "a")
    assert (done.text, done.unsafe) == ("b = 2\n", "a comment would be lost")


def test_a_table_that_would_be_gone_keeps_its_entry_with_a_neutral_value() -> None:
    assert outcome("x.a = 1\n", "a", neutral=False).text == "x.a = false\n"
    with pytest.raises(CannotRewrite, match="no null"):
        outcome("x.a = 1\n", "a")


def test_a_number_is_made_an_integer() -> None:
    for written in ('"4"', "'4'", "4.0", "4"):
        file = source(f"num_workers = {written}\n")
        assert rewritten(file, MakeInteger(last(file, "num_workers").value.span)) == "num_workers = 4\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 1  # loaderlint: ignore[LL101]\n", "a = 1\n"),
        ("# loaderlint: ignore[LL101]\na = 1\n", "a = 1\n"),
        ("a = 1  # loaderlint: ignore[LL101, LL202] why\n", "a = 1  # loaderlint: ignore[LL202] why\n"),
    ],
)
def test_a_name_goes_from_an_ignore_comment(before: str, after: str) -> None:
    file = source(before)
    (comment,) = read(file).comments
    assert rewritten(file, RemoveIgnore(comment, "LL101")) == after


def test_edits_of_one_file_are_made_together() -> None:
    file = source("# loaderlint: ignore[LL101]\nnum_workers = 8\nprefetch_factor = 4\npin = true\n")
    (comment,) = read(file).comments
    edits: list[Edit] = [
        setting(file, "num_workers", 0),
        dropping(file, "prefetch_factor"),
        RemoveIgnore(comment, "LL101"),
    ]
    assert rewritten(file, *edits) == "num_workers = 0\npin = true\n"


def test_edits_that_contradict_each_other_are_refused() -> None:
    file = source("a = 1\nx = { b = 2 }\n")
    twice: list[Edit] = [setting(file, "a", 0), setting(file, "a", 3)]
    inside: list[Edit] = [dropping(file, "x"), setting(file, "b", 0)]
    for edits in (twice, inside):
        with pytest.raises(CannotRewrite, match="contradict"):
            rewrite(file, edits)


@pytest.mark.parametrize("text", ["a = 12\n", "a = 'x 1 y'\n", "a1 = 2\n", "# 1\n", "a = 0.1\n", "[t1]\n"])
def test_a_place_that_is_no_single_value_is_refused(text: str) -> None:
    at = text.index("1")
    file = source(text)
    with pytest.raises(CannotRewrite):
        rewrite(file, [SetValue(file.span(at, at + 1), 0)])


def test_what_toml_cannot_say_is_refused() -> None:
    with pytest.raises(CannotRewrite):
        rewrite(source("a = 1\n"), [AddOption(Span("conf.toml", 1, 1, 1, 2), "timeout", 0)])


shapes = st.sampled_from([text for text in SHAPES.values() if text.strip()])


@given(shapes, st.sampled_from(["\n", "\r\n"]), st.data(), constants)
def test_a_program_reads_what_was_set_and_nothing_else_changes(
    text: str, end: str, data: st.DataObject, constant: Constant
) -> None:
    file = source(text.replace("\n", end))
    scalars = [entry.value for entry in entries(file) if isinstance(entry.value, Scalar)]
    if not scalars:
        return
    span = data.draw(st.sampled_from(scalars)).span
    after = rewritten(file, SetValue(span, constant))
    head, tail = file.text[: file.offset(*span.start)], file.text[file.offset(*span.end) :]
    assert after.startswith(head)
    assert after.endswith(tail)
    typed = after[len(head) : len(after) - len(tail)]
    assert repr(tomllib.loads(f"value = {typed}")["value"]) == repr(constant)


@given(shapes, st.sampled_from(["\n", "\r\n"]), st.data())
def test_what_is_dropped_is_gone_and_everything_else_is_as_it_was(text: str, end: str, data: st.DataObject) -> None:
    file = source(text.replace("\n", end))
    every = [entry for entry in entries(file) if isinstance(entry.value, Scalar)]
    if not every:
        return
    gone = data.draw(st.sampled_from(every))
    try:
        after = source(rewrite(file, [Drop(gone.value.span, gone.key, None, gone.span)]).text)
    except CannotRewrite as error:
        assert str(error) == "TOML has no null"
        return
    kept = [(one.key, file.at(one.value.span)) for one in every if one is not gone]
    assert [(one.key, after.at(one.value.span)) for one in entries(after) if isinstance(one.value, Scalar)] == kept
