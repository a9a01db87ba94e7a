from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.model.source import Language, Source
from loaderlint.readers import ReadError
from loaderlint.readers.json import read
from loaderlint.readers.tree import Mapping, Node, Scalar, Sequence, mappings

TRAIN = """{
  "train": {
    "batch_size": 16, "num_workers": 4,
    "betas": [0.8, 9.9e-1], "pin_memory": true, "seed": null
  }
}
"""

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=4), below, max_size=4),
    max_leaves=12,
)


def source(text: str) -> Source:
    return Source("conf.json", "/conf.json", Language.JSON, text.encode())


def root(text: str) -> Node:
    (document,) = read(source(text)).documents
    assert document.root is not None
    return document.root


def member(text: str, *keys: str) -> Node:
    node = root(text)
    for key in keys:
        assert isinstance(node, Mapping)
        entry = node.get(key)
        assert entry is not None
        node = entry.value
    return node


def said(node: Node) -> object:
    """What a program gets for a node."""
    if isinstance(node, Mapping):
        return {entry.key: said(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [said(item) for item in node.items]
    return node.constant


@given(values, st.sampled_from([None, 2, "\t"]), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_the_tree_says_what_json_loads_says(value: object, indent: int | str | None, ascii: bool, end: str) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii).replace("\n", end)
    assert repr(said(root(text))) == repr(json.loads(text))


@given(values)
def test_every_node_is_written_at_its_place(value: object) -> None:
    file = source(json.dumps(value, indent=1))
    (document,) = read(file).documents
    for _, mapping in mappings(document):
        assert json.loads(file.at(mapping.span)) == said(mapping)
        for entry in mapping.entries:
            assert json.loads(file.at(entry.key_span)) == entry.key
            assert json.loads(file.at(entry.value.span)) == said(entry.value)
            assert json.loads("{" + file.at(entry.span) + "}") == {entry.key: said(entry.value)}


def test_a_value_has_its_exact_place() -> None:
    node = member(TRAIN, "train", "num_workers")
    assert isinstance(node, Scalar)
    assert (node.constant, str(node.span), node.span.end) == (4, "conf.json:3:38", (3, 39))


def test_columns_count_characters_and_a_byte_order_mark_is_one() -> None:
    assert str(member('\ufeff{"é😀": {"a": 1}}', "é😀", "a").span) == "conf.json:1:15"


def test_of_a_key_that_stands_twice_the_last_one_counts() -> None:
    node = member('{"a": 1, "a": 2}', "a")
    assert isinstance(node, Scalar)
    assert node.constant == 2


@pytest.mark.parametrize("text", ['"${oc.env:WORKERS}"', '"{{ workers }}"', '"\\ud800"'])
def test_what_some_other_program_works_out_is_opaque(text: str) -> None:
    node = root(text)
    assert isinstance(node, Scalar)
    assert node.opaque


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n  // workers\n  "a": 1\n}', 2, 3),
        ('{"a": 1,}', 1, 8),
        ("", 1, 1),
        ("\ufeff", 1, 2),
        ('{"a": 1} {"b": 2}', 1, 10),
        ("{'a': 1}", 1, 2),
        ('{"a": 08}', 1, 8),
    ],
    ids=ascii,
)
def test_what_json_loads_refuses_is_an_error_at_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(ReadError) as raised:
        read(source(text))
    # CPython moved the place it names for a trailing comma.
    assert raised.value.line == line
    assert abs(raised.value.column - column) <= 1


def test_comments_that_a_program_takes_away_leave_every_node_at_its_place() -> None:
    (document,) = read(source('{ // "a": 2\r\n  "a": 1, // one\n  "b": [3] //\n}\n'), "//").documents
    assert document.root is not None
    assert said(document.root) == {"a": 1, "b": [3]}
    assert isinstance(document.root, Mapping)
    assert [str(entry.value.span) for entry in document.root.entries] == ["conf.json:2:8", "conf.json:3:8"]
    with pytest.raises(ReadError):
        read(source('{"a": "http://b"}'), "//")


@pytest.mark.parametrize(
    "text", ["[" * 300 + "]" * 300, "[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, "9" * 10_000]
)
def test_what_would_take_a_program_down_is_an_error(text: str) -> None:
    with pytest.raises(ReadError):
        read(source(text))


@given(st.text('{}[]",:\\/-0123456789truefalsn \n\ufeff'))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read(source(text))
    except ReadError as error:
        assert source(text).offset(error.line, error.column) <= len(text)
