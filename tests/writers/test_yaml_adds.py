from __future__ import annotations

import pytest

from loaderlint.model.edit import AddKey, Edit, SetValue
from loaderlint.readers.tree import Mapping, mappings
from loaderlint.readers.yaml import read
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.yaml import rewrite
from tests.readers.yaml_shapes import source


def added(text: str, path: tuple[str, ...] = ("services", "a"), key: str = "shm_size", *, pure: bool = False) -> str:
    """The text after a key was added to the mapping that keys lead to, read again to hold it."""
    (document,) = read(source(text)).documents
    (mapping,) = [one for keys, one in mappings(document) if keys == path]
    outcome = rewrite(source(text), [AddKey(mapping.span, key, "8gb")], pure=pure)
    assert outcome.unsafe == ""
    (after,) = read(source(outcome.text)).documents
    (changed,) = [one for keys, one in mappings(after) if keys == path]
    assert isinstance(changed, Mapping)
    assert {entry.key for entry in changed.entries} == {entry.key for entry in mapping.entries} | {key}
    return outcome.text


ADDED: dict[str, tuple[str, str]] = {
    "below the first entry": (
        "services:\n  a:\n    image: x\n    command: y\n",
        'services:\n  a:\n    image: x\n    shm_size: "8gb"\n    command: y\n',
    ),
    "below its comment": (
        "services:\n  a:\n    image: x # y\n    # z\n    b: 1\n",
        'services:\n  a:\n    image: x # y\n    shm_size: "8gb"\n    # z\n    b: 1\n',
    ),
    "below the first that is plain": (
        "services:\n  a:\n    <<: *b\n    build:\n      context: .\n    image: x\n",
        'services:\n  a:\n    <<: *b\n    build:\n      context: .\n    image: x\n    shm_size: "8gb"\n',
    ),
    "not inside a text of several lines": (
        "services:\n  a:\n    command: >\n      x\n      y\n    image: z\n",
        'services:\n  a:\n    command: >\n      x\n      y\n    image: z\n    shm_size: "8gb"\n',
    ),
    "at the end of a file without a line end": (
        "services:\n  a:\n    image: x",
        'services:\n  a:\n    image: x\n    shm_size: "8gb"',
    ),
    "with the file's line ends": (
        "services:\r\n  a:\r\n    image: x\r\n",
        'services:\r\n  a:\r\n    image: x\r\n    shm_size: "8gb"\r\n',
    ),
    "in braces": (
        "services: {a: {image: x, command: [y, z] }}\n",
        'services: {a: {image: x, command: [y, z], shm_size: "8gb" }}\n',
    ),
    "in braces of several lines": (
        "services:\n  a: {\n    image: x,\n    b: 1,\n  }\n",
        'services:\n  a: {\n    image: x,\n    b: 1, shm_size: "8gb",\n  }\n',
    ),
    "with an anchor": (
        "services:\n  a: &a\n    image: x\n",
        'services:\n  a: &a\n    image: x\n    shm_size: "8gb"\n',
    ),
}


@pytest.mark.parametrize("pure", [False, True], ids=["C parser", "pure parser"])
@pytest.mark.parametrize(("before", "after"), ADDED.values(), ids=ADDED.keys())
def test_a_key_is_added_in_the_mappings_own_style(before: str, after: str, pure: bool) -> None:
    anchored = before.replace("services:", "x: &b {c: 1}\nservices:", 1) if "*b" in before else before
    expected = after.replace("services:", "x: &b {c: 1}\nservices:", 1) if "*b" in before else after
    assert added(anchored, pure=pure) == expected


def test_a_key_is_not_added_behind_the_dash_of_a_list() -> None:
    before = "a:\n  - image: x\n    command: y\n"
    assert added(before, path=("a", "0")) == before + '    shm_size: "8gb"\n'


@pytest.mark.parametrize(
    "text",
    [
        "services:\n  a:\n    build:\n      context: .\n",
        "services:\n  a:\n    shm_size: 1gb\n    image: x\n",
        "services:\n  a:\n    command: |\n      x\n",
    ],
    ids=["no plain entry", "the key is there", "a text of several lines alone"],
)
def test_where_a_key_cannot_be_added(text: str) -> None:
    with pytest.raises(CannotRewrite):
        added(text)


def test_a_key_goes_where_a_mapping_is_written() -> None:
    file = source("a:\n  b: 1\n")
    with pytest.raises(CannotRewrite):
        rewrite(file, [AddKey(file.span(8, 9), "shm_size", "8gb")])


def test_a_key_is_added_beside_another_edit() -> None:
    file = source("a:\n  b: 1\n  c: 2\n")
    (document,) = read(file).documents
    inner = next(one for keys, one in mappings(document) if keys == ("a",))
    edits: list[Edit] = [AddKey(inner.span, "d", 3), SetValue(inner.entries[1].value.span, 4)]
    assert rewrite(file, edits).text == "a:\n  b: 1\n  d: 3\n  c: 4\n"
