from __future__ import annotations

import sys
from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.model.source import Language, Source
from loaderlint.readers import ReadError
from loaderlint.readers.toml import read
from loaderlint.readers.tree import ConfigurationFacts, Mapping, Node, Scalar, Sequence, mappings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TRAIN = """# experiment 3
title = "debug"  # not a run

[training]
num_workers = 4
steps = 1_000
lr = 3e-4
resume = false
data.loader = { pin_memory = true, "prefetch factor" = 2 }

[training.optimizer]
betas = [
  0.9,  # first
  0.95,
]

[[dataset]]
path = 'C:\\data'
[[dataset.subset]]
repeats = 0x10
[[dataset.subset]]
since = 2024-05-01 07:32:00
[[dataset]]
path = \"\"\"
two
lines\"\"\"
"""

SHAPES = {
    "everything": TRAIN,
    "empty": "",
    "only a comment": "# nothing",
    "dotted keys": "a.b.c = 1\na.b.d = 2\na.e = 3\n\"x.y\".z = 4\na . 'f' = 5\n",
    "a table before its parent": "[a.b]\nc = 1\n[a]\nd = 2\n[e]\n[a.f]\ng = 3\n",
    "empty tables": "[a]\n[b.c]\n[[d]]\n[[d]]\n[d.e]\n",
    "inline tables": "a = {}\nb = { c.d = 1, e = [ { f = 1 }, { f = 2 } ] }\n",
    "arrays": "a = []\nb = [[1, 2], ['x'], []]\nc = [ # x\n 1 # y\n , # z\n 2 ]\n",
    "strings": "a = ''\nb = \"\"\ne = \"# \\\" \\u00e9\"\nf = ''''''\n",
    "strings of several lines": "c = '''\n'x' # no comment'''''\nd = \"\"\"\\\n  \\\"\"\" x\"\"\"\n",
    "numbers": "a = +1\nb = -0.5e-3\nc = 0b11\nd = inf\ne = nan\nf = 1_0.0_1\n",
    "dates": "a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00.5\nc = 1979-05-27\nd = 07:32:00 # x\n",
    "keys like values": "1 = 2\ntrue = false\n1979-05-27 = 'x'\n",
    "no space": "a=1\nb={c=2,d=[3]}#x\n",
    "multi-line strings in an array": "a = ['''\n]''', \"\"\"\n[x]\n\"\"\"]\nb = 1\n",
}

shapes = pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())


def source(text: str) -> Source:
    return Source("conf.toml", "/conf.toml", Language.TOML, text.encode())


def root(facts: ConfigurationFacts) -> Node:
    (document,) = facts.documents
    assert document.root is not None
    return document.root


def member(text: str, *keys: str) -> Scalar:
    node = root(read(source(text)))
    for key in keys:
        assert isinstance(node, Mapping)
        entry = node.get(key)
        assert entry is not None
        node = entry.value
    assert isinstance(node, Scalar)
    return node


def said(node: Node) -> object:
    """What a program gets for a node, a date as its text."""
    if isinstance(node, Mapping):
        return {entry.key: said(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [said(item) for item in node.items]
    return node.constant


def undated(value: object) -> object:
    if isinstance(value, dict):
        return {key: undated(below) for key, below in value.items()}
    if isinstance(value, list):
        return [undated(below) for below in value]
    return str(value) if isinstance(value, date | datetime | time) else value


@shapes
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=ascii)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=ascii)
def test_the_tree_says_what_tomllib_says(text: str, end: str, mark: str) -> None:
    written = text.replace("\n", end)
    assert repr(said(root(read(source(mark + written))))) == repr(undated(tomllib.loads(written)))


@shapes
def test_every_node_is_written_at_its_place(text: str) -> None:
    file = source(text)
    (document,) = read(file).documents
    for _, mapping in mappings(document):
        for entry in mapping.entries:
            assert mapping.span.holds(entry.span)
            assert entry.span.holds(entry.key_span)
            assert entry.span.holds(entry.value.span)
            assert tomllib.loads(f"{file.at(entry.key_span)} = 1") == {entry.key: 1}
            if isinstance(entry.value, Scalar):
                written = tomllib.loads(f"value = {file.at(entry.value.span)}")["value"]
                assert repr(undated(written)) == repr(entry.value.constant)


def test_a_value_has_its_exact_place() -> None:
    node = member(TRAIN, "training", "num_workers")
    assert (node.constant, str(node.span), node.span.end) == (4, "conf.toml:5:15", (5, 16))
    assert str(member(TRAIN, "training", "data", "loader", "prefetch factor").span) == "conf.toml:9:56"


def test_columns_count_characters_and_a_byte_order_mark_is_one() -> None:
    assert str(member('\ufeff"é😀" = 1', "é😀").span) == "conf.toml:1:9"


def test_comments_are_those_outside_strings() -> None:
    file = source(TRAIN + "x = '# none' # one")
    found = [file.at(one) for one in read(file).comments]
    assert found == ["# experiment 3", "# not a run", "# first", "# one"]


@pytest.mark.parametrize("text", ["1979-05-27", "07:32:00", "'${oc.env:WORKERS}'", '"{{ workers }}"'])
def test_dates_and_what_some_other_program_works_out_are_opaque(text: str) -> None:
    assert member(f"a = {text}", "a").opaque


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb = \n", 2),
        ("a = 1\na = 2\n", 2),
        ("[a]\n\n[a]\n", 3),
        ('{"a": 1}', 1),
        ("a = [1,\n", 2),
        ("a: 1\n", 1),
    ],
)
def test_what_tomllib_refuses_is_an_error_at_its_line(text: str, line: int) -> None:
    with pytest.raises(ReadError) as raised:
        read(source(text))
    assert raised.value.line == line


@pytest.mark.parametrize("text", ["a = " + "[" * 300 + "]" * 300, "a = " + "[" * 100_000, "a = " + "9" * 10_000])
def test_what_would_take_a_program_down_is_an_error(text: str) -> None:
    with pytest.raises(ReadError):
        read(source(text))


@given(
    st.lists(st.sampled_from([*SHAPES.values(), *"[]{}=.,'\"#\n ab1", "[a]\n", "a.b = 1\n", '"""', "'''", "\ufeff"]))
)
def test_any_text_is_read_as_tomllib_reads_it_or_refused(parts: list[str]) -> None:
    text = "".join(parts)
    try:
        facts = read(source(text))
    except ReadError as error:
        assert source(text).offset(error.line, error.column) <= len(text) + 1
    else:
        assert repr(said(root(facts))) == repr(undated(tomllib.loads(text.removeprefix("\ufeff"))))
