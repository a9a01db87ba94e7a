from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.model.edit import AddOption, Drop, Edit, GuardEntryPoint, MakeInteger, RemoveIgnore, SetValue
from loaderlint.model.source import Source, Span
from loaderlint.model.value import Constant
from loaderlint.readers.tree import Entry, Mapping, Scalar, mappings
from loaderlint.readers.yaml import read
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.yaml import rewrite
from tests.readers.yaml_shapes import SHAPES, source

shapes = pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
parsers = pytest.mark.parametrize("pure", [False, True], ids=["C parser", "pure parser"])


def entries(file: Source) -> Iterator[tuple[Mapping, Entry]]:
    for document in read(file).documents:
        for _, mapping in mappings(document):
            for entry in mapping.entries:
                yield mapping, entry


def last(file: Source, key: str) -> Entry:
    return [entry for _, entry in entries(file) if entry.key == key][-1]


def setting(file: Source, key: str, constant: Constant) -> SetValue:
    return SetValue(last(file, key).value.span, constant)


def dropping(file: Source, key: str, neutral: Constant = None) -> Drop:
    entry = last(file, key)
    return Drop(entry.value.span, key, neutral, entry.span)


def rewritten(text: str, *edits: Edit) -> str:
    outcome = rewrite(source(text), edits)
    assert outcome.unsafe == ""
    return outcome.text


def set_to(text: str, constant: Constant, key: str = "num_workers") -> str:
    return rewritten(text, setting(source(text), key, constant))


def without(text: str, *keys: str) -> str:
    return rewritten(text, *(dropping(source(text), key) for key in keys))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("num_workers: 8  # per GPU\n", "num_workers: 0  # per GPU\n"),
        ("num_workers:   8", "num_workers:   0"),
        ("{num_workers: 8, a: [1]}\n", "{num_workers: 0, a: [1]}\n"),
        ("num_workers: &w 8\nval: *w\n", "num_workers: &w 0\nval: *w\n"),
        ("num_workers: !!int '8'\n", "num_workers: !!int 0\n"),
        ("num_workers: !ref <w>\n", "num_workers: 0\n"),
        ("num_workers: '8'\n", "num_workers: 0\n"),
        ("num_workers:\n", "num_workers: 0\n"),
        ("num_workers: # none\na: 1\n", "num_workers: 0 # none\na: 1\n"),
        ("num_workers: &w\na: *w\n", "num_workers: &w 0\na: *w\n"),
        ("{num_workers: , a: 1}\n", "{num_workers: 0 , a: 1}\n"),
        ("num_workers: >-\n  8\na: 1\n", "num_workers: 0\na: 1\n"),
        ("num_workers:\n  8\n", "num_workers:\n  0\n"),
        ("\ufeffnum_workers: 8\r\na: 1\r\n", "\ufeffnum_workers: 0\r\na: 1\r\n"),
        ("a: é😀\nb: {'é': 1, num_workers: 8}\n", "a: é😀\nb: {'é': 1, num_workers: 0}\n"),
        ("num_workers: 4\nnum_workers: 8\n", "num_workers: 4\nnum_workers: 0\n"),
        ('{"num_workers":8}\n', '{"num_workers":0}\n'),
    ],
    ids=ascii,
)
@parsers
def test_setting_a_value_changes_the_value_alone(before: str, after: str, pure: bool) -> None:
    file = source(before)
    assert rewrite(file, [setting(file, "num_workers", 0)], pure=pure).text == after


@pytest.mark.parametrize(
    ("old", "constant", "new"),
    [
        ("spawn", "fork", "fork"),
        ("'spawn'", "fork", "'fork'"),
        ("'spawn'", "it's", "'it''s'"),
        ('"spawn"', "fork", '"fork"'),
        ("spawn", "no", '"no"'),
        ("spawn", "4", '"4"'),
        ("spawn", "a: b # c", '"a: b # c"'),
        ("spawn", "é😀\n", '"é😀\\n"'),
        ("4", None, "null"),
        ("4", True, "true"),
        ("4", False, "false"),
        ("4", -1, "-1"),
        ("4", 0.5, "0.5"),
    ],
)
def test_constants_are_typed_as_the_file_types_them(old: str, constant: Constant, new: str) -> None:
    assert set_to(f"key: {old}\n", constant, "key") == f"key: {new}\n"


@given(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["C"]))
)
def test_a_program_reads_the_constant_that_was_set(constant: Constant) -> None:
    for old in ("4", "'4'", '"4"'):
        found = pyyaml.safe_load(set_to(f"key: {old}\n", constant, "key"))["key"]
        assert found == constant
        assert type(found) is type(constant)


def test_a_text_that_single_quotes_cannot_hold_on_one_line_gets_double_ones() -> None:
    assert set_to("num_workers: 'x'\n", "a\nb") == 'num_workers: "a\\nb"\n'


def test_what_an_alias_repeats_can_go_where_the_alias_is_set() -> None:
    text = "a: {x: 1, workers: &w 4}\nb: {num_workers: *w}\n"
    alias = last(source(text), "num_workers").alias
    assert alias is not None
    assert rewritten(text, dropping(source(text), "workers"), SetValue(alias, 0)) == "a: {x: 1}\nb: {num_workers: 0}\n"


def test_a_tag_that_an_anchor_stands_before_is_said_to_decide_the_value() -> None:
    text = "num_workers: &w !count 4\n"
    with pytest.raises(CannotRewrite, match="the tag !count decides"):
        set_to(text, 0)


def test_an_entry_whose_key_is_quoted_merges_nothing_in() -> None:
    assert without('"<<": 1\nnum_workers: 4\n', "num_workers") == '"<<": 1\n'


def test_an_alias_can_be_replaced_by_a_value_of_its_own() -> None:
    text = "w: &w 8\ntrain: {num_workers: *w}\n"
    alias = last(source(text), "num_workers").alias
    assert alias is not None
    assert rewritten(text, SetValue(alias, 0)) == "w: &w 8\ntrain: {num_workers: 0}\n"


@pytest.mark.parametrize("text", ["num_workers: !!str 8\n", "num_workers: &w !ref <x>\n", "num_workers: [8]\n"])
def test_a_value_that_cannot_be_set_exactly_is_left(text: str) -> None:
    file = source(text)
    with pytest.raises(CannotRewrite):
        rewrite(file, [setting(file, "num_workers", 0)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\nprefetch_factor: 2\nb: 3\n", "a: 1\nb: 3\n"),
        ("a: 1\nprefetch_factor: 2", "a: 1"),
        ("a: 1\r\nprefetch_factor: 2\r\n", "a: 1\r\n"),
        ("a: 1\r\nprefetch_factor: 2", "a: 1"),
        ("prefetch_factor: 2\na: 1\n", "a: 1\n"),
        ("\ufeffprefetch_factor: 2\na: 1\n", "\ufeffa: 1\n"),
        ("d:\n    prefetch_factor: 2\n    a: 1\n", "d:\n    a: 1\n"),
        ("d:\n  a: 1\n\n  prefetch_factor:\n\n# next\ne: 1\n", "d:\n  a: 1\n\n\n# next\ne: 1\n"),
        ("- prefetch_factor: 2\n  a: 1\n", "- a: 1\n"),
        ("- - prefetch_factor: 2\n    a: 1\n", "- - a: 1\n"),
        ("- a: 1\n  prefetch_factor: 2\n- b: 1\n", "- a: 1\n- b: 1\n"),
        ("{a: 1, prefetch_factor: 2}\n", "{a: 1}\n"),
        ("{prefetch_factor: 2, a: 1}\n", "{a: 1}\n"),
        ("{a: 1, prefetch_factor: 2, b: 3}\n", "{a: 1, b: 3}\n"),
        ("{a: 1, prefetch_factor: 2,}\n", "{a: 1,}\n"),
        ("{\n  a: 1,\n  prefetch_factor: 2\n}\n", "{\n  a: 1\n}\n"),
        ("{\n  a: 1,\n  prefetch_factor: 2,\n}\n", "{\n  a: 1,\n}\n"),
        ("{\n  prefetch_factor: 2,\n  a: 1\n}\n", "{\n  a: 1\n}\n"),
        ("a: 1\nprefetch_factor: !ref <p>\n", "a: 1\n"),
        ("a: &x 1\nprefetch_factor: *x\n", "a: &x 1\n"),
        ("a: 1\nprefetch_factor: |\n  2\nb: 1\n", "a: 1\nb: 1\n"),
        ("a: 1\n'prefetch_factor': [\n  2\n]\nb: 1\n", "a: 1\nb: 1\n"),
        ("# above\na: 1\n# about it\nprefetch_factor: 2\n", "# above\na: 1\n# about it\n"),
    ],
    ids=ascii,
)
@parsers
def test_dropping_an_entry_takes_its_line_or_its_comma_along(before: str, after: str, pure: bool) -> None:
    file = source(before)
    outcome = rewrite(file, [dropping(file, "prefetch_factor")], pure=pure)
    assert (outcome.text, outcome.unsafe) == (after, "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("d:\n  prefetch_factor: 2\n", "d:\n  prefetch_factor: null\n"),
        ("prefetch_factor: 2 # note\n", "prefetch_factor: null # note\n"),
        ("d: {prefetch_factor: 2}\n", "d: {prefetch_factor: null}\n"),
        (
            "b: &b {prefetch_factor: 4}\nd:\n  <<: *b\n  prefetch_factor: 2\n",
            "b: &b {prefetch_factor: 4}\nd:\n  <<: *b\n  prefetch_factor: null\n",
        ),
        ("prefetch_factor: 4\na: 1\nprefetch_factor: 2\n", "prefetch_factor: 4\na: 1\nprefetch_factor: null\n"),
        ("w: &w 2\nd: {prefetch_factor: *w}\n", "w: &w 2\nd: {prefetch_factor: null}\n"),
        ("d: {prefetch_factor: !ref <p>}\n", "d: {prefetch_factor: null}\n"),
    ],
    ids=ascii,
)
@parsers
def test_an_entry_that_something_else_would_stand_in_for_becomes_neutral(before: str, after: str, pure: bool) -> None:
    file = source(before)
    outcome = rewrite(file, [dropping(file, "prefetch_factor")], pure=pure)
    assert (outcome.text, outcome.unsafe) == (after, "")


def test_an_option_whose_key_must_stay_becomes_neutral() -> None:
    text = "persistent_workers: true\na: 1\n"
    span = last(source(text), "persistent_workers").value.span
    assert rewritten(text, Drop(span, "persistent_workers", False)) == "persistent_workers: false\na: 1\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\nb: 2\nc: 3\nd: 4\n", "a: 1\nd: 4\n"),
        ("a: 1\nb: 2\nc: 3", "a: 1"),
        ("{a: 1, b: 2, c: 3, d: 4}\n", "{a: 1, d: 4}\n"),
        ("{a: 1, b: 2, c: 3}\n", "{a: 1}\n"),
        ("{b: 2, c: 3, a: 1}\n", "{a: 1}\n"),
        ("{b: 2, a: 1, c: 3}\n", "{a: 1}\n"),
        ("- b: 2\n  c: 3\n  a: 1\n", "- a: 1\n"),
        ("d:\n  b: 2\n  c: 3\n", "d:\n  b: null\n  c: null\n"),
    ],
)
def test_entries_of_one_mapping_are_dropped_together(before: str, after: str) -> None:
    assert without(before, "b", "c") == after


def test_the_zero_workers_bundle_is_one_rewrite() -> None:
    text = SHAPES["OLMo"]
    file = source(text)
    edits: list[Edit] = [
        setting(file, "num_workers", 0),
        dropping(file, "prefetch_factor"),
        dropping(file, "persistent_workers"),
    ]
    assert rewritten(text, *edits) == text.replace("num_workers: 16", "num_workers: 0").replace(
        "  prefetch_factor: 8\n  persistent_workers: true\n", ""
    )


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nprefetch_factor: 2  # batches each\n",
        "{\n  prefetch_factor: 2, # batches each\n  a: 1\n}\n",
        "- prefetch_factor: 2 # batches each\n  a: 1\n",
        "a: 1\nprefetch_factor:\n  # batches each\n  2\n",
        "a: 1\nprefetch_factor: | # batches each\n  2\n",
        "a: 1\nprefetch_factor: &p # batches each\n  2\n",
        "a: 1\nprefetch_factor: !!int # batches each\n  2\n",
    ],
)
def test_dropping_a_commented_entry_is_unsafe(text: str) -> None:
    file = source(text)
    outcome = rewrite(file, [dropping(file, "prefetch_factor")])
    assert outcome.unsafe == "a comment would be lost"
    assert "batches each" not in outcome.text


@pytest.mark.parametrize(
    "text", ["a: 1\nprefetch_factor: '2 # x'\n", "a: 1\nprefetch_factor: 2#x\n", "a: |\n  # b\nprefetch_factor: 2\n"]
)
def test_what_only_looks_like_a_comment_is_not_lost(text: str) -> None:
    file = source(text)
    assert rewrite(file, [dropping(file, "prefetch_factor")]).unsafe == ""


@pytest.mark.parametrize(
    "text",
    [
        "? prefetch_factor\n: 2\na: 1\n",
        "a: 1\nprefetch_factor: &p 2\nb: *p\n",
        "a: &p 1\nprefetch_factor: &p 2\nb: *p\n",
        "d: {prefetch_factor: [2]}\n",
        "{a: 1, # note\n prefetch_factor: 2}\n",
    ],
)
def test_an_entry_that_cannot_be_dropped_exactly_is_left(text: str) -> None:
    file = source(text)
    with pytest.raises(CannotRewrite):
        rewrite(file, [dropping(file, "prefetch_factor")])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'4'", "4"),
        ('"4"', "4"),
        ("4.0", "4"),
        ("'4.0'", "4"),
        ("4", "4"),
        ("!!int '4'", "!!int 4"),
        ("-1.", "-1"),
        ("'1_0'", "10"),
    ],
)
def test_making_an_integer_unquotes_and_takes_off_the_point(before: str, after: str) -> None:
    text = f"num_workers: {before} # all\n"
    span = last(source(text), "num_workers").value.span
    assert rewritten(text, MakeInteger(span)) == f"num_workers: {after} # all\n"


@pytest.mark.parametrize("text", ["4.5", "'four'", ".inf", ".nan", "'1e999'", "", "'${w}'"])
def test_what_is_no_whole_number_is_left(text: str) -> None:
    file = source(f"num_workers: {text}\n")
    with pytest.raises(CannotRewrite, match="whole number"):
        rewrite(file, [MakeInteger(last(file, "num_workers").value.span)])


@pytest.mark.parametrize(
    ("before", "names", "after"),
    [
        ("a: 1  # loaderlint: ignore[x, y] reason\n", ["x"], "a: 1  # loaderlint: ignore[y] reason\n"),
        ("a: 1  # loaderlint: ignore[x, y] reason\n", ["x", "y"], "a: 1\n"),
        ("a: 1  # loaderlint: ignore[x]\nb: 2\n", ["x"], "a: 1\nb: 2\n"),
        ("a: 1  # keep  # loaderlint: ignore[x] reason\n", ["x"], "a: 1  # keep\n"),
        ("a: 1  # loaderlint: ignore[x] reason  # keep\n", ["x"], "a: 1  # keep\n"),
        ("  # loaderlint: ignore[x] reason\r\na: 1\r\n", ["x"], "a: 1\r\n"),
        ("a: 1\n# loaderlint: ignore[x]", ["x"], "a: 1\n"),
        ("\ufeff# loaderlint: ignore-file[x]\na: 1\n", ["x"], "\ufeffa: 1\n"),
        ("# loaderlint: ignore[x, y, z]\na: 1\n", ["z", "x"], "# loaderlint: ignore[y]\na: 1\n"),
    ],
    ids=ascii,
)
def test_an_unused_name_leaves_the_comment(before: str, names: list[str], after: str) -> None:
    comment = read(source(before)).comments[0]
    assert rewritten(before, *(RemoveIgnore(comment, name) for name in names)) == after


def test_a_name_that_the_comment_does_not_hold_cannot_be_removed() -> None:
    file = source("a: 1  # loaderlint: ignore[x]\n")
    with pytest.raises(CannotRewrite, match="does not name y"):
        rewrite(file, [RemoveIgnore(read(file).comments[0], "y")])


def test_a_comment_that_is_text_is_not_touched() -> None:
    text = "a: |\n  # loaderlint: ignore[x]\n"
    with pytest.raises(CannotRewrite, match="something else"):
        rewrite(source(text), [RemoveIgnore(Span("configs/train.yaml", 2, 3, 2, 26), "x")])


def test_the_same_edit_twice_is_one() -> None:
    file = source("num_workers: 8\nprefetch_factor: 2\n")
    edits: list[Edit] = [setting(file, "num_workers", 0), dropping(file, "prefetch_factor")]
    assert rewrite(file, edits + edits) == rewrite(file, edits)


def test_edits_that_contradict_each_other_are_refused() -> None:
    file = source("num_workers: 8\nprefetch_factor: 2\n")
    contradictions: list[list[Edit]] = [
        [setting(file, "num_workers", 0), setting(file, "num_workers", 2)],
        [setting(file, "prefetch_factor", 4), dropping(file, "prefetch_factor")],
    ]
    for edits in contradictions:
        with pytest.raises(CannotRewrite, match="contradict"):
            rewrite(file, edits)


def test_edits_that_yaml_has_no_words_for_are_refused() -> None:
    span = Span("configs/train.yaml", 1, 1, 1, 2)
    for edit in (GuardEntryPoint(span), AddOption(span, "timeout", 60)):
        with pytest.raises(CannotRewrite, match="YAML cannot say"):
            rewrite(source("a: 1\n"), [edit])


def test_a_place_without_a_value_or_an_entry_is_refused() -> None:
    file, span = source("a: 1\nb: 2\n"), Span("configs/train.yaml", 1, 2, 1, 4)
    for edit in (SetValue(span, 0), Drop(span, "a", None, span)):
        with pytest.raises(CannotRewrite):
            rewrite(file, [edit])


def test_a_file_that_is_no_yaml_is_refused() -> None:
    with pytest.raises(CannotRewrite, match="not valid YAML"):
        rewrite(source("a: b: c\n"), [SetValue(Span("configs/train.yaml", 1, 1, 1, 2), 0)])


@shapes
@parsers
def test_every_scalar_of_every_shape_can_be_set_and_no_byte_beside_it_changes(text: str, pure: bool) -> None:
    for ending in ("\n", "\r\n"):
        file = source(text.replace("\n", ending))
        for _, entry in entries(file):
            value = entry.value
            if not isinstance(value, Scalar) or value.tag is not None or value.span.start == value.span.end:
                continue
            start, end = file.offset(*value.span.start), file.offset(*value.span.end)
            outcome = rewrite(file, [SetValue(value.span, 7)], pure=pure)
            assert outcome.text == file.text[:start] + "7" + file.text[end:]


@shapes
@parsers
def test_every_entry_of_every_shape_goes_becomes_neutral_or_is_left(text: str, pure: bool) -> None:
    file = source(text)
    before = len(list(entries(file)))
    for mapping, entry in entries(file):
        try:
            outcome = rewrite(file, [Drop(entry.value.span, entry.key, None, entry.span)], pure=pure)
        except CannotRewrite:
            assert not isinstance(entry.value, Scalar) or entry.value.shared
            continue
        keys = [one.key for one in mapping.entries]
        if len(keys) == 1 or keys.count(entry.key) > 1 or ("<<" in keys and not entry.merge):
            assert "null" in outcome.text
            assert len(list(entries(source(outcome.text)))) == before
        else:
            assert len(list(entries(source(outcome.text)))) < before


@given(st.data())
def test_rewriting_keeps_every_byte_outside_the_edited_lines(data: st.DataObject) -> None:
    file = source(data.draw(st.sampled_from(list(SHAPES.values()))))
    plain = [
        entry
        for mapping, entry in entries(file)
        if isinstance(entry.value, Scalar) and entry.alias is None and entry.value.tag is None and not mapping.flow
    ]
    chosen = data.draw(st.lists(st.sampled_from(plain), unique_by=lambda entry: entry.span, max_size=4))
    edits = [
        SetValue(entry.value.span, data.draw(st.integers() | st.booleans()))
        if data.draw(st.booleans())
        else Drop(entry.value.span, entry.key, None, entry.span)
        for entry in chosen
    ]
    try:
        after = rewrite(file, edits).text.splitlines()
    except CannotRewrite:
        return
    edited = {line for edit in edits for line in range(edit.span.line, edit.span.end_line + 1)}
    kept = [line for number, line in enumerate(file.text.splitlines(), start=1) if number not in edited]
    # The entry behind a dropped first one of a list item moves up to the dash.
    remaining = iter([line.lstrip(" -") for line in after])
    assert all(line.lstrip(" -") in remaining for line in kept)
