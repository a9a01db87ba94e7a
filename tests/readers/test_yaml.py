from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from loaderlint.readers import ReadError
from loaderlint.readers.tree import ConfigurationFacts, Entry, Mapping, Node, Scalar, Sequence, mappings
from loaderlint.readers.yaml import read
from tests.readers.yaml_shapes import ANCHORS, FOLDED, HYDRA, LISTS, MANY_DOCUMENTS, SHAPES, SPEECHBRAIN, TWICE, source

shapes = pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
parsers = pytest.mark.parametrize("pure", [False, True], ids=["C parser", "pure parser"])


def root(text: str, pure: bool = False) -> Mapping:
    node = read(source(text), pure=pure).documents[0].root
    assert isinstance(node, Mapping)
    return node


def entry(mapping: Mapping, *keys: str) -> Entry:
    for key in keys[:-1]:
        value = entry(mapping, key).value
        assert isinstance(value, Mapping)
        mapping = value
    found = mapping.get(keys[-1])
    assert found is not None
    return found


def scalar(mapping: Mapping, *keys: str) -> Scalar:
    value = entry(mapping, *keys).value
    assert isinstance(value, Scalar)
    return value


def one(text: str) -> Scalar:
    return scalar(root(f"key: {text}\n"), "key")


def described(facts: ConfigurationFacts) -> list[object]:
    """Everything the facts say, as values that compare by what they hold."""
    return [[_described(document.root) for document in facts.documents], facts.comments]


def _described(node: Node | None) -> object:
    if isinstance(node, Mapping):
        return (node.span, node.tag, node.anchor, node.flow, node.shared, [_entry(one) for one in node.entries])
    if isinstance(node, Sequence):
        return (node.span, node.tag, node.anchor, node.flow, node.shared, [_described(item) for item in node.items])
    return None if node is None else astuple(node)


def _entry(one: Entry) -> object:
    return (one.key, one.key_span, one.span, one.alias, one.merge, one.shared, _described(one.value))


def scalars(facts: ConfigurationFacts) -> Iterator[Scalar]:
    for document in facts.documents:
        for _, mapping in mappings(document):
            for found in mapping.entries:
                if isinstance(found.value, Scalar):
                    yield found.value


@shapes
def test_both_parsers_give_the_same_facts(text: str) -> None:
    assert described(read(source(text))) == described(read(source(text), pure=True))


@shapes
def test_line_ends_and_a_byte_order_mark_change_no_fact_but_the_first_lines_columns(text: str) -> None:
    plain = described(read(source("# first\n" + text)))
    assert described(read(source("# first\r\n" + text.replace("\n", "\r\n")))) == plain
    assert described(read(source("\ufeff\n" + text)))[0] == described(read(source("\n" + text)))[0]


@shapes
def test_every_scalar_stands_at_its_span(text: str) -> None:
    file = source(text)
    for found in scalars(read(file)):
        written = file.at(found.span)
        if not found.quoted:
            assert " ".join(written.split()) == found.text
        elif written[0] in "'\"":
            assert written[-1] == written[0]
        else:
            assert written[0] in "|>"


@shapes
def test_every_entry_holds_its_key_and_its_value(text: str) -> None:
    for document in read(source(text)).documents:
        for _, mapping in mappings(document):
            for found in mapping.entries:
                assert mapping.span.holds(found.span)
                assert found.span.start == found.key_span.start
                assert found.span.end == (found.alias or found.value.span).end


@parsers
def test_columns_count_characters_behind_wide_ones(pure: bool) -> None:
    found = scalar(root("é😀: {num_workers: 4}\n", pure), "é😀", "num_workers")
    assert (found.span.start, found.span.end) == ((1, 19), (1, 20))


@parsers
def test_a_byte_order_mark_is_a_character_of_the_first_line(pure: bool) -> None:
    assert scalar(root("\ufeffa: 1\nb: 2\n", pure), "a").span.start == (1, 5)
    assert scalar(root("\ufeffa: 1\nb: 2\n", pure), "b").span.start == (2, 4)


@parsers
@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029"])
def test_separators_end_a_line_for_yaml_but_not_for_spans(pure: bool, separator: str) -> None:
    found = root(f"a: 1 # x{separator}num_workers: 4\n", pure)
    assert scalar(found, "num_workers").constant == 4
    assert scalar(found, "num_workers").span.start == (1, 23)


@parsers
def test_an_empty_value_stands_behind_what_announces_it(pure: bool) -> None:
    file = source("a:   # nothing\nb: &x\nc: !!null\n\nd: {e, f: }\ng:\n-\n- 1\n")
    found = read(file, pure=pure).documents[0].root
    assert isinstance(found, Mapping)
    places = [scalar(found, *keys).span for keys in (("a",), ("b",), ("c",), ("d", "e"), ("d", "f"))]
    assert [(place.line, place.column) for place in places] == [(1, 3), (2, 6), (3, 10), (5, 6), (5, 10)]
    items = entry(found, "g").value
    assert isinstance(items, Sequence)
    assert items.items[0].span.start == (7, 2)


def test_anchor_and_tag_are_not_part_of_a_values_place() -> None:
    file = source("a: &w !!int 8\nb: !new:torch.nn.Linear\n  x: 1\nc: !ref &r <a> # note\n")
    found = root(file.text)
    assert file.at(scalar(found, "a").span) == "8"
    assert scalar(found, "a").anchor == "w"
    assert file.at(entry(found, "b").value.span) == "x: 1"
    assert entry(found, "b").value.tag == "!new:torch.nn.Linear"
    assert file.at(scalar(found, "c").span) == "<a>"


def test_a_block_ends_with_its_last_word() -> None:
    file = source(FOLDED)
    found = root(FOLDED)
    assert file.at(scalar(found, "script").span) == "|+\n  python train.py  # --workers 4"
    assert scalar(found, "script").text == "python train.py  # --workers 4\n\n"


PLAIN = """
    4 -4 +4 0 -0 00 0x1F 0o17 017 08 0_7 1_000 0b101 190:20:30 4.0 0. 1. 1_0.5 .5 -.5 1e-4 1.0e-4 1.e+3 12e03 e5
    190:20:30.15 .inf -.INF +.inf .nan yes No ON off TRUE y n ~ null Null NULL nULL None fork 1.2.3 ??? a=b
"""


@pytest.mark.parametrize("text", PLAIN.split())
def test_plain_scalars_are_what_pyyaml_makes_of_them(text: str) -> None:
    expected = pyyaml.safe_load(text)
    found = one(text).constant
    assert type(found) is type(expected)
    assert found == expected or text == ".nan"


@given(st.text("0123456789+-._:eExXbBoO", min_size=1, max_size=8))
def test_numbers_are_what_pyyaml_makes_of_them(text: str) -> None:
    try:
        expected = pyyaml.safe_load(f"key: {text}")["key"]
        found = one(text)
    except (pyyaml.YAMLError, ReadError, ValueError):
        return
    if not found.opaque:
        assert type(found.constant) is type(expected)
        assert found.constant == expected or str(expected) == "nan"


@pytest.mark.parametrize("text", ["'4'", '"4"', "!!str 4", "! 4", "'yes'", "'null'"])
def test_quotes_and_the_string_tag_make_text(text: str) -> None:
    assert isinstance(one(text).constant, str)
    assert not one(text).opaque


@pytest.mark.parametrize(("text", "constant"), [("!!int '4'", 4), ("!!float 4", 4.0), ("!!bool 'no'", False)])
def test_standard_tags_convert(text: str, constant: object) -> None:
    assert one(text).constant == constant
    assert type(one(text).constant) is type(constant)


@pytest.mark.parametrize(
    "text", ["!ref <num_workers>", "${data.workers}", "'${w}'", "'{{ workers }}'", "!env WORKERS", "2024-01-01", "0x_"]
)
def test_what_the_program_works_out_is_opaque(text: str) -> None:
    found = one(text)
    assert found.opaque
    assert found.constant == found.text


def test_a_number_with_more_digits_than_python_converts_is_opaque() -> None:
    assert one("9" * 5000).opaque


def test_an_alias_is_the_node_it_repeats() -> None:
    found = root(ANCHORS)
    repeated = entry(found, "loader", "num_workers")
    assert repeated.value is entry(found, "workers").value
    assert repeated.alias is not None
    assert repeated.alias.start == (3, 16)
    assert repeated.span.end == (3, 24)


def test_what_is_also_used_elsewhere_is_shared() -> None:
    found = root(ANCHORS)
    assert scalar(found, "workers").shared
    assert scalar(found, "loader", "prefetch_factor").shared
    assert entry(found, "loader", "num_workers").shared
    assert not entry(found, "val", "num_workers").shared
    assert not entry(found, "train", "shuffle").shared


def test_an_anchor_that_nothing_repeats_shares_nothing() -> None:
    assert not scalar(root("loader: &loader\n  num_workers: 4\n"), "loader", "num_workers").shared


def test_an_anchor_given_twice_belongs_to_the_later_node_from_there_on() -> None:
    found = root("a: &x 1\nb: *x\nc: &x 2\nd: *x\n")
    assert (scalar(found, "b").constant, scalar(found, "d").constant) == (1, 2)


def test_merged_entries_keep_their_own_place() -> None:
    found = entry(root(ANCHORS), "train").value
    assert isinstance(found, Mapping)
    merged = found.get("prefetch_factor")
    assert merged is not None
    assert merged.span.line == 4
    assert [one.key for one in found.entries] == ["<<", "shuffle"]


MERGES = [
    "a: &a {x: 1, y: 1}\nb: {x: 2, <<: *a}\n",
    "a: &a {x: 1, y: 1}\nb: {<<: [*a, {x: 3, z: 3}]}\n",
    "a: &a {x: 1}\nb: {<<: *a, <<: {x: 4}}\n",
    "a: &a {x: 1}\nc: &c {<<: *a, y: 2}\nb: {<<: *c, z: 5}\n",
    "a: &a {x: 1, x: 2}\nb: {<<: *a}\n",
]


@pytest.mark.parametrize("text", MERGES)
def test_merging_gives_what_pyyaml_gives(text: str) -> None:
    found = entry(root(text), "b").value
    assert isinstance(found, Mapping)
    values = {key: one.value.constant for key, one in found.merged.items() if isinstance(one.value, Scalar)}
    assert values == pyyaml.safe_load(text)["b"]


def test_a_quoted_merge_key_is_a_key() -> None:
    found = entry(root("a: &a {x: 1}\nb: {'<<': *a}\n"), "b").value
    assert isinstance(found, Mapping)
    assert found.get("x") is None
    assert found.get("<<") is not None


def test_a_key_that_stands_twice_is_there_twice_and_the_last_counts() -> None:
    found = root(TWICE)
    assert [one.key for one in found.entries] == ["num_workers", "batch_size", "num_workers"]
    assert scalar(found, "num_workers").constant == 0


def test_every_document_of_a_file_is_read() -> None:
    documents = read(source(MANY_DOCUMENTS)).documents
    assert [document.root is None for document in documents] == [False, True, False]


@parsers
def test_a_key_without_value_does_not_reach_into_the_next_document(pure: bool) -> None:
    found = entry(root("? num_workers\n---\n- 1\n", pure), "num_workers")
    assert found.span.end == (1, 14)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "\ufeff"])
def test_a_file_without_content_has_no_root(text: str) -> None:
    assert all(document.root is None for document in read(source(text)).documents)


def test_key_paths_lead_to_every_mapping() -> None:
    paths = [path for path, _ in mappings(read(source(LISTS)).documents[0])]
    assert paths == [(), ("loaders", "0"), ("loaders", "2")]


def test_a_mapping_reached_twice_is_yielded_once() -> None:
    paths = [path for path, _ in mappings(read(source("a: &a {x: 1}\nb: *a\n")).documents[0])]
    assert paths == [(), ("a",)]


@parsers
def test_comments_are_told_from_text_that_looks_like_one(pure: bool) -> None:
    text = (
        HYDRA
        + FOLDED
        + SPEECHBRAIN
        + 'a: "x # y"\nb: it#is\nc: !t x#y\nd: [1, # in a list\n 2]\ne: |  # header\n  # text\n'
    )
    file = source(text)
    assert [file.at(span) for span in read(file, pure=pure).comments] == [
        "# @package _global_",
        "# Needs to be divisible by the number of devices",
        "# no comment inside",
        "# in a list",
        "# header",
    ]


BROKEN = {
    "a: b: c\n": (1, 5),
    "a: [1, 2\nb: 3\n": (2, 2),
    "a: *nowhere\n": (1, 4),
    "a: 1\n\tb: 2\n": (2, 1),
    "ok: 1\n{% if x %}\na: 1\n": (2, 2),
    "ok: 1\nworkers: {{ workers }}\n": (2, 11),
    "? [a, b]\n: 1\n": (1, 3),
    "a: \x00\n": (1, 4),
    "a: 1\nb: \x1b[0m\n": (2, 4),
    "a: 'never closed\n": (2, 1),
    "\ufeffa: b: c\n": (1, 6),
    "é: 😀: x\n": (1, 5),
}


@parsers
@pytest.mark.parametrize("text", BROKEN, ids=ascii)
def test_what_is_no_yaml_is_an_error_at_its_place(text: str, pure: bool) -> None:
    with pytest.raises(ReadError) as error:
        read(source(text), pure=pure)
    assert error.value.message
    assert (error.value.line, error.value.column) == BROKEN[text]


@parsers
@pytest.mark.parametrize(
    "text", ['a: "\\ud800"', 'a: "\\UFFFFFFFF"', "%YAML 2.0\n---\na: 1\n", "a: !bad!x 1"], ids=ascii
)
def test_what_only_one_parser_objects_to_by_itself_is_an_error_for_both(text: str, pure: bool) -> None:
    with pytest.raises(ReadError):
        read(source(text), pure=pure)


@parsers
@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "&x [" * 3000 + "]" * 3000])
def test_deep_nesting_is_an_error(text: str, pure: bool) -> None:
    with pytest.raises(ReadError, match="levels deep"):
        read(source(text), pure=pure)


def test_nesting_by_aliases_is_an_error_when_as_deep() -> None:
    text = "- &a0 [x]\n" + "".join(f"- &a{level} [*a{level - 1}]\n" for level in range(1, 1000))
    with pytest.raises(ReadError, match="levels deep"):
        read(source(text))


def test_an_alias_inside_its_own_anchor_is_opaque() -> None:
    found = root("a: &a\n  self: *a\n  x: 1\n")
    assert scalar(found, "a", "self").opaque
    assert scalar(found, "a", "self").text == "*a"


@pytest.mark.parametrize(
    "bomb", ["[*{0}, *{0}, *{0}, *{0}, *{0}, *{0}, *{0}, *{0}, *{0}]", "{{<<: [*{0}, *{0}], p: *{0}, q: *{0}}}"]
)
def test_alias_bombs_are_read_and_walked_at_once(bomb: str) -> None:
    names = [f"a{level}" for level in range(60)]
    lines = [f"{name}: &{name} {bomb.format(before)}" for before, name in pairwise(names)]
    text = "\n".join(["a0: &a0 {num_workers: 4}", *lines]) + "\n"
    begun = time.perf_counter()
    document = read(source(text)).documents[0]
    merged = [mapping.merged for _, mapping in mappings(document)]
    assert merged
    assert time.perf_counter() - begun < 2


@given(st.text("ab:-?#&*!|>'\"%@`{}[], \t\n\r\\~<01.\x85\u2028\ufeff😀", max_size=40), st.booleans())
def test_any_text_is_read_or_refused_with_a_place_inside_it(text: str, pure: bool) -> None:
    file = source(text)
    try:
        facts = read(file, pure=pure)
    except ReadError as error:
        assert 1 <= error.line <= len(file.lines)
        assert 1 <= error.column <= len(file.lines[error.line - 1]) + 2
    else:
        for found in scalars(facts):
            assert file.span(file.offset(*found.span.start), file.offset(*found.span.end)) == found.span


def test_a_colon_inside_a_plain_scalar_of_a_flow_sequence_is_read_as_programs_read_it() -> None:
    text = "devices: [cuda:0, cuda:1]\nnum_workers: 4\n"
    assert scalar(root(text), "num_workers").text == "4"
    assert scalar(root(text), "num_workers").span.line == 2
