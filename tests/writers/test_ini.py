from __future__ import annotations

import pytest

from loaderlint.model.edit import Drop, MakeInteger, SetValue
from loaderlint.model.source import Language, Source
from loaderlint.model.value import Constant
from loaderlint.readers.ini import read
from loaderlint.readers.tree import Entry, mappings
from loaderlint.writers import CannotRewrite, rewrite


def source(text: str) -> Source:
    return Source("conf.ini", "/conf.ini", Language.INI, text.encode())


def entry(file: Source, key: str) -> Entry:
    found = [one for document in read(file).documents for _, part in mappings(document) for one in part.entries]
    return [one for one in found if one.key == key][-1]


def with_value(text: str, key: str, constant: Constant) -> str:
    file = source(text)
    return rewrite(file, [SetValue(entry(file, key).value.span, constant)]).text


def without(text: str, key: str, neutral: Constant = None) -> str:
    file = source(text)
    one = entry(file, key)
    return rewrite(file, [Drop(one.value.span, key, neutral, one.span)]).text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[data]\nnum_workers = 8\n", "[data]\nnum_workers = 0\n"),
        ("[data]\nnum_workers=8", "[data]\nnum_workers=0"),
        ("[data]\r\nnum_workers : 8\r\n# é😀\r\n", "[data]\r\nnum_workers : 0\r\n# é😀\r\n"),
        ("[a]\nnum_workers = 8\n[b]\nnum_workers = 8\n", "[a]\nnum_workers = 8\n[b]\nnum_workers = 0\n"),
        ("[DEFAULT]\nnum_workers = 8\n[b]\n", "[DEFAULT]\nnum_workers = 0\n[b]\n"),
        ("[a]\nnum_workers =\n", "[a]\nnum_workers =0\n"),
    ],
    ids=ascii,
)
def test_setting_a_value_changes_the_value_alone(before: str, after: str) -> None:
    assert with_value(before, "num_workers", 0) == after


@pytest.mark.parametrize(("constant", "typed"), [("fork", "fork"), (False, "false"), (True, "true"), (0.5, "0.5")])
def test_constants_are_typed_as_configparser_reads_them(constant: Constant, typed: str) -> None:
    assert with_value("[a]\nb = x\n", "b", constant) == f"[a]\nb = {typed}\n"


def test_ini_has_no_null() -> None:
    with pytest.raises(CannotRewrite, match="no null"):
        with_value("[a]\nb = 1\n", "b", None)


@pytest.mark.parametrize("constant", ["two\nlines", "[x]\ny = 1", " blank"])
def test_a_text_that_would_be_read_as_another_is_not_written(constant: str) -> None:
    with pytest.raises(CannotRewrite):
        with_value("[a]\nb = 1\n", "b", constant)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[x]\na = 1\nb = 2\n", "[x]\nb = 2\n"),
        ("[x]\nb = 2\na = 1", "[x]\nb = 2\n"),
        ("[x]\r\n  a = 1  \r\n\r\n[y]\r\n", "[x]\r\n\r\n[y]\r\n"),
    ],
    ids=ascii,
)
def test_an_option_goes_with_its_line(before: str, after: str) -> None:
    assert without(before, "a") == after


def test_an_option_goes_with_all_lines_of_its_value() -> None:
    assert without("[x]\na = 1\n  2\nb = 3\n", "a") == "[x]\nb = 3\n"


def test_a_text_of_a_number_is_made_that_of_an_integer() -> None:
    file = source("[x]\na = 4.0\n")
    assert rewrite(file, [MakeInteger(entry(file, "a").value.span)]).text == "[x]\na = 4\n"
