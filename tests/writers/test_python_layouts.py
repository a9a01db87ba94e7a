"""Whatever a call looks like, edits change what they are about and no other character that matters."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from loaderlint.model.edit import AddOption, Drop, OnlyWithWorkers, SetValue
from loaderlint.model.source import Source, Span
from loaderlint.writers import Rewritten, rewrite
from tests.writers.marked import CLOSING, OPENING, WINDOWS, marked

NAMES = st.sampled_from(["a", "batch_size", "num_workers", "timeout", "pin_memory"])
SPACES = st.sampled_from(["", " ", "  "])
BREAKS = st.sampled_from(["", " ", "\n    ", "\n    # about it\n    ", "  # aside\n        ", "\n", " \\\n  "])
VALUES = st.sampled_from(
    ["4", "(4)", "( x)", "g(x, y=1)", "'a'", "[1, 2]", "lambda: 0", "x if y else z", "a or b", "-1", "{'k': 1}", "'é'"]
)


@st.composite
def calls(draw: st.DrawFn) -> str:
    """A call with one to four keyword arguments, each marked, and the value marked in each."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    text = draw(BREAKS)
    for index, name in enumerate(names):
        value = draw(VALUES)
        value = f"({OPENING}{value[1:-1]}{CLOSING})" if value[0] == "(" else f"{OPENING}{value}{CLOSING}"
        value = value.replace(f"{OPENING} ", f" {OPENING}")
        text += f"{OPENING}{name}{draw(SPACES)}={draw(SPACES)}{value}{CLOSING}{draw(SPACES)}"
        if index < len(names) - 1 or draw(st.booleans()):
            text += ","
        text += draw(BREAKS)
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    return f"import sys\nloader = f({text})  # the loader\nafter()\n".replace("\n", ends)


def call_of(text: str) -> ast.Call:
    statement = ast.parse(text).body[1]
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.value, ast.Call)
    return statement.value


def keywords(text: str) -> dict[str | None, str]:
    return {one.arg: ast.unparse(one.value) for one in call_of(text).keywords}


def span_of(source: Source, node: ast.expr) -> Span:
    line, end_line = source.lines[node.lineno - 1], source.lines[(node.end_lineno or 0) - 1]
    column = len(line.encode()[: node.col_offset].decode())
    end_column = len(end_line.encode()[: node.end_col_offset].decode())
    return Span(source.path, node.lineno, column + 1, node.end_lineno or 0, end_column + 1)


@settings(deadline=None)
@given(calls(), st.data())
def test_setting_a_value_changes_no_other_character(text: str, data: st.DataObject) -> None:
    source, spans = marked(text)
    value = data.draw(st.sampled_from(spans[1::2]))
    start, end = source.offset(*value.start), source.offset(*value.end)
    assert rewrite(source, [SetValue(value, 17)]) == Rewritten(source.text[:start] + "17" + source.text[end:])


@settings(deadline=None)
@given(calls(), st.data())
def test_dropping_entries_leaves_the_others_as_they_were(text: str, data: st.DataObject) -> None:
    source, spans = marked(text)
    entries = list(zip(spans[::2], spans[1::2], strict=True))
    dropped = data.draw(st.lists(st.sampled_from(entries), min_size=1, unique=True))
    result = rewrite(source, [Drop(value, "timeout", 0, entry) for entry, value in dropped])
    gone = {source.at(entry).partition("=")[0].strip() for entry, _ in dropped}
    assert keywords(result.text) == {name: value for name, value in keywords(source.text).items() if name not in gone}
    assert all(source.at(entry) in result.text for entry, value in entries if (entry, value) not in dropped)
    assert result.unsafe or result.text.count("#") == source.text.count("#")


@settings(deadline=None)
@given(calls(), st.data())
def test_narrowing_a_value_keeps_the_old_one_word_for_word(text: str, data: st.DataObject) -> None:
    source, spans = marked(text)
    value = data.draw(st.sampled_from(spans[1::2]))
    result = rewrite(source, [SetValue(value, 17, WINDOWS)])
    start, end = source.offset(*value.start), source.offset(*value.end)
    assert result.text.startswith(source.text[:start])
    assert result.text.endswith(source.text[end:])
    assert source.at(value) in result.text[start : len(result.text) - len(source.text) + end]


@settings(deadline=None)
@given(calls())
def test_adding_an_option_leaves_the_others_as_they_were(text: str) -> None:
    source, spans = marked(text)
    result = rewrite(source, [AddOption(span_of(source, call_of(source.text)), "prefetch_factor", 2)])
    assert keywords(result.text) == {**keywords(source.text), "prefetch_factor": "2"}
    assert all(source.at(entry) in result.text for entry in spans[::2])
    assert result.text.count("#") == source.text.count("#")
    assert result.unsafe == ""


@settings(deadline=None)
@given(calls(), st.data(), st.sampled_from([("prefetch_factor", None), ("persistent_workers", False), ("timeout", 0)]))
def test_a_condition_is_not_added_twice(text: str, data: st.DataObject, option: tuple[str, bool | int | None]) -> None:
    source, _ = marked(text)
    index = data.draw(st.integers(0, len(call_of(source.text).keywords) - 1))

    def once(source: Source) -> Source:
        workers = source.text.index("after")
        value = span_of(source, call_of(source.text).keywords[index].value)
        edit = OnlyWithWorkers(value, *option, source.span(workers, workers + len("after")))
        return Source(
            source.path, source.location, source.language, rewrite(source, [edit]).text.encode(), source.encoding
        )

    first = once(source)
    assert "after > 0" in first.text
    assert once(first).text == first.text
