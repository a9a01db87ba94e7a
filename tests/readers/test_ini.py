from __future__ import annotations

from configparser import RawConfigParser

import pytest

from loaderlint.model.source import Language, Source
from loaderlint.readers import ReadError
from loaderlint.readers.ini import read
from loaderlint.readers.tree import Mapping, Node, Scalar, mappings

TRAIN = """# experiment 3
[DEFAULT]
seed = 7

[train]
num_workers = 4
Batch Size: 8
; not read
name=a = b
empty =

[paths]
"""

SHAPES = {
    "everything": TRAIN,
    "empty": "",
    "only a comment": "# nothing\n; more\n",
    "no space": "[a]\nb=1\nc:2",
    "both signs": "[a]\nb = c: d\ne : f = g\n",
    "an indented file": "  [a]\n  b = 1\n  c = 2\n",
    "blank lines": "\n\n[a]\n\nb = 1\n\n\n[b]\n",
    "brackets in a name": "[a [b] c]\nd = 1\n",
    "no defaults but their name": "[DEFAULT]\n[a]\nb = 1\n",
}

shapes = pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())


def source(text: str) -> Source:
    return Source("conf.ini", "/conf.ini", Language.INI, text.encode())


def root(text: str) -> Node:
    (document,) = read(source(text)).documents
    assert document.root is not None
    return document.root


def member(text: str, section: str, option: str) -> Scalar:
    node = root(text)
    for key in (section, option):
        assert isinstance(node, Mapping)
        entry = node.get(key)
        assert entry is not None
        node = entry.value
    assert isinstance(node, Scalar)
    return node


def said(node: Node) -> object:
    if isinstance(node, Mapping):
        return {key: said(entry.value) for key, entry in node.merged.items()}
    assert isinstance(node, Scalar)
    return node.constant


@shapes
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=ascii)
def test_the_tree_says_what_configparser_says(text: str, end: str) -> None:
    parser = RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text.replace("\n", end))
    expected = {name: dict(parser.items(name)) for name in parser.sections()}
    found = said(root(text.replace("\n", end)))
    assert isinstance(found, dict)
    assert found.pop("DEFAULT", {}) == dict(parser.defaults())
    assert found == expected


@shapes
def test_every_value_is_written_at_its_place(text: str) -> None:
    file = source(text)
    (document,) = read(file).documents
    for _, mapping in mappings(document):
        for entry in mapping.entries:
            if not entry.merge:
                assert file.at(entry.key_span) == entry.key
                assert entry.span.holds(entry.value.span) or isinstance(entry.value, Mapping)
            if isinstance(entry.value, Scalar):
                assert file.at(entry.value.span) == entry.value.text


def test_a_value_has_its_exact_place() -> None:
    node = member(TRAIN, "train", "num_workers")
    assert (node.constant, str(node.span), node.span.end) == ("4", "conf.ini:6:15", (6, 16))


def test_what_all_sections_have_is_shared() -> None:
    assert member(TRAIN, "train", "seed").shared
    assert not member(TRAIN, "train", "num_workers").shared


@pytest.mark.parametrize(
    "value", ["%(workers)s", "${paths:workers}", "4 ; of 8", "4 # of 8", "; 4", "50%", "4\n  5", "4\n\n  5"]
)
def test_what_depends_on_how_the_parser_is_set_up_is_opaque(value: str) -> None:
    assert member(f"[a]\nb = {value}\nc = 1\n", "a", "b").opaque
    assert not member(f"[a]\nb = {value}\nc = 1\n", "a", "c").opaque


@pytest.mark.parametrize("value", ["a#b", "a;b", "$HOME", "{x}", '"4"'])
def test_signs_in_the_middle_of_a_text_say_nothing(value: str) -> None:
    assert member(f"[a]\nb = {value}\n", "a", "b").constant == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = 1\n", "no section headers"),
        ("[a]\nb = 1\nb = 2\n", "^not valid INI: option 'b' in section 'a' already exists"),
        ("[a]\n[a]\n", "section 'a' already exists"),
        ("\ufeff[a]\n", "no section headers"),
    ],
    ids=ascii,
)
def test_what_configparser_refuses_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        read(source(text))


@pytest.mark.parametrize("name", ["network.cfg", "service.conf", "NETWORK.CFG"])
def test_nothing_is_known_of_what_has_another_format_under_the_same_suffix(name: str) -> None:
    text = "[layer]\nfilters = 32\n[layer]\nfilters = 64\n"
    (document,) = read(Source(name, f"/{name}", Language.INI, text.encode())).documents
    assert isinstance(document.root, Scalar) and document.root.opaque


def test_comments_are_lines_of_their_own() -> None:
    file = source("# one\n[a]\n  # two\nb = 1 # three\n; four\n")
    assert [file.at(one) for one in read(file).comments] == ["# one", "# two", "; four"]
