from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.model.edit import AddOption, Drop, Edit, MakeInteger, RemoveIgnore, SetValue
from loaderlint.model.source import Language, Source, Span
from loaderlint.model.value import Constant
from loaderlint.readers.json import read
from loaderlint.readers.tree import Entry, Scalar, mappings
from loaderlint.writers import CannotRewrite, rewrite

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text('ab\\"{,é', max_size=3), below, max_size=5),
    max_leaves=15,
)
constants = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec="utf-8"))
layouts = st.sampled_from(
    [
        {"indent": None},
        {"indent": 2},
        {"indent": "\t"},
        {"indent": None, "separators": (",", ":")},
        {"indent": 1, "separators": (" , ", " :\n")},
    ]
)


def source(text: str) -> Source:
    return Source("conf.json", "/conf.json", Language.JSON, text.encode())


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


def rewritten(file: Source, *edits: Edit) -> str:
    outcome = rewrite(file, edits)
    assert outcome.unsafe == ""
    return outcome.text


def without(text: str, *keys: str) -> str:
    return rewritten(source(text), *(dropping(source(text), key) for key in keys))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n\t"num_workers" : 8 ,\n\t"a": 1\n}', '{\n\t"num_workers" : 0 ,\n\t"a": 1\n}'),
        ('{"a": {"num_workers": 8}}\n', '{"a": {"num_workers": 0}}\n'),
        ('{"num_workers": "8"}', '{"num_workers": 0}'),
        ('\ufeff{"é😀": 1,\r\n"num_workers": 8}\r\n', '\ufeff{"é😀": 1,\r\n"num_workers": 0}\r\n'),
        ('{"num_workers": 4, "num_workers": 8}', '{"num_workers": 4, "num_workers": 0}'),
        ('[{"num_workers": 4}, {"num_workers": 8}]', '[{"num_workers": 4}, {"num_workers": 0}]'),
    ],
    ids=ascii,
)
def test_setting_a_value_changes_the_value_alone(before: str, after: str) -> None:
    file = source(before)
    assert rewritten(file, setting(file, "num_workers", 0)) == after


@pytest.mark.parametrize(
    ("constant", "written"),
    [(None, "null"), (True, "true"), (0, "0"), (0.5, "0.5"), ("fork", '"fork"'), ('a"b', '"a\\"b"')],
)
def test_constants_are_typed_as_json_types_them(constant: Constant, written: str) -> None:
    file = source('{"a": "spawn"}')
    assert rewritten(file, setting(file, "a", constant)) == f'{{"a": {written}}}'


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', "a", '{\n  "b": 2,\n  "c": 3\n}\n'),
        ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', "b", '{\n  "a": 1,\n  "c": 3\n}\n'),
        ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', "c", '{\n  "a": 1,\n  "b": 2\n}\n'),
        ('{\r\n  "a": 1,\r\n  "b": 2\r\n}', "b", '{\r\n  "a": 1\r\n}'),
        ('{"a": 1, "b": 2, "c": 3}', "a", '{"b": 2, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', "b", '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', "c", '{"a": 1, "b": 2}'),
        ('{"a": 1, "b": 2,\n "c": 3}', "b", '{"a": 1,\n "c": 3}'),
        ('{"a": 1,\n "b": 2, "c": 3}', "b", '{"a": 1,\n "c": 3}'),
        ('{"a":1,"b":2}', "b", '{"a":1}'),
        ('{"a": 1, "b": 2, "c": 3}', "bc", '{"a": 1}'),
        ('{"a": 1, "b": 2, "c": 3}', "ab", '{"c": 3}'),
        ('{\n  "a": 1,\n  "b": 2\n}', "ab", "{}"),
        ('{"a": {"b": 2}, "c": 3}', "b", '{"a": {}, "c": 3}'),
        ('{"a": 1, "a": 2}', "a", '{"a": 1, "a": null}'),
    ],
)
def test_an_entry_goes_with_one_comma(before: str, keys: str, after: str) -> None:
    assert without(before, *keys) == after


def test_a_number_is_made_an_integer() -> None:
    for written in ('"4"', "4.0", "4"):
        file = source(f'{{"num_workers": {written}}}')
        assert rewritten(file, MakeInteger(last(file, "num_workers").value.span)) == '{"num_workers": 4}'


@pytest.mark.parametrize("written", ['"auto"', "4.5", "null", "[4]"])
def test_what_is_no_whole_number_is_not_made_one(written: str) -> None:
    file = source(f'{{"num_workers": {written}}}')
    with pytest.raises(CannotRewrite):
        rewrite(file, [MakeInteger(last(file, "num_workers").value.span)])


def test_edits_that_contradict_each_other_are_refused() -> None:
    file = source('{"a": 1, "b": {"a": 2}}')
    drop = Drop(last(file, "b").value.span, "b", None, last(file, "b").span)
    twice: list[Edit] = [setting(file, "a", 0), setting(file, "a", 3)]
    inside: list[Edit] = [drop, setting(file, "a", 0)]
    for edits in (twice, inside):
        with pytest.raises(CannotRewrite, match="contradict"):
            rewrite(file, edits)


@pytest.mark.parametrize("text", ['{"a": 12}', '{"a": "x 1 y"}', '{"a1": 2}', "1"])
def test_a_place_that_is_no_single_value_is_refused(text: str) -> None:
    at = text.index("1")
    file = source(text)
    with pytest.raises(CannotRewrite):
        rewrite(file, [SetValue(file.span(at, at + 1), 0)])


@pytest.mark.parametrize("edit", [AddOption, RemoveIgnore])
def test_what_json_cannot_say_is_refused(edit: type[AddOption | RemoveIgnore]) -> None:
    span = Span("conf.json", 1, 2, 1, 5)
    with pytest.raises(CannotRewrite):
        rewrite(source('{"a": 1}'), [AddOption(span, "timeout", 0) if edit is AddOption else RemoveIgnore(span, "LL1")])


def test_a_file_that_is_no_json_is_refused() -> None:
    with pytest.raises(CannotRewrite, match="not valid JSON"):
        rewrite(source('{"a": 1,}'), [SetValue(Span("conf.json", 1, 7, 1, 8), 0)])


def test_comments_that_a_program_takes_away_stay() -> None:
    text = '{ // n\n  "n": 4, // "four"\n  "at": "http://a"\n}\n'
    start = text.index("4")
    file = source(text)
    assert rewritten(file, SetValue(file.span(start, start + 1), 0)) == text.replace("4", "0")


@given(values, layouts, st.data(), constants)
def test_a_program_reads_what_was_set_and_nothing_else_changes(
    value: object, layout: dict[str, object], data: st.DataObject, constant: Constant
) -> None:
    file = source(json.dumps(value, **layout))  # type: ignore[arg-type]
    scalars = [entry for entry in entries(file) if isinstance(entry.value, Scalar)]
    if not scalars:
        return
    entry = data.draw(st.sampled_from(scalars))
    text = rewritten(file, SetValue(entry.value.span, constant))
    start, end = file.offset(*entry.value.span.start), file.offset(*entry.value.span.end)
    assert text[:start] == file.text[:start]
    assert text[len(text) - (len(file.text) - end) :] == file.text[end:]
    assert repr(json.loads(text[start : len(text) - (len(file.text) - end)])) == repr(constant)


@given(values, layouts, st.data())
def test_what_is_dropped_is_gone_and_everything_else_is_as_it_was(
    value: object, layout: dict[str, object], data: st.DataObject
) -> None:
    file = source(json.dumps({"root": value}, **layout))  # type: ignore[arg-type]
    every = list(entries(file))
    chosen = data.draw(st.lists(st.sampled_from(every), unique_by=lambda one: one.span, max_size=3))
    apart = [one for one in chosen if not any(other is not one and other.span.holds(one.span) for other in chosen)]
    apart = [one for one in apart if isinstance(one.value, Scalar)]
    text = rewritten(file, *(Drop(one.value.span, one.key, None, one.span) for one in apart))
    kept = [(one.key, file.at(one.value.span)) for one in every if one not in apart and isinstance(one.value, Scalar)]
    after = source(text)
    assert [(one.key, after.at(one.value.span)) for one in entries(after) if isinstance(one.value, Scalar)] == kept
