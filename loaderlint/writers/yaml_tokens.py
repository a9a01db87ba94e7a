"""A YAML text as the parser's events: what the writer finds its places in, and proves itself by.

The reader has a tree of its own; the writer parses once more, so that its proof does not rest on what the reader
thought.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct

from loaderlint.writers.base import CannotRewrite

_TWINS = str.maketrans({"\x85": "\n", "\u2028": "\n", "\u2029": "\n", "\ufeff": "\u2060"})
"""Characters that ruamel.yaml's two parsers take differently, and what both take as PyYAML takes the original."""

_HASH = re.compile(r"(?:^|(?<=[\s,\[\]{}\"']))#")
_LINE_END = re.compile(r"[\r\n]")

STANDARD = "tag:yaml.org,2002:"
"""What ``!!`` stands for in a tag."""


class Saying(Struct, frozen=True):
    """All that a token says, apart from where: two texts whose tokens say the same have equal trees."""

    kind: str
    value: str = ""
    anchor: str | None = None
    tag: str | None = None
    style: str = ""


class Token(Struct, frozen=True):
    """One event of the parser, at offsets into the text; a node's anchor and tag stand between them, too."""

    start: int
    end: int
    says: Saying


class Member(Struct, frozen=True):
    """One entry of a mapping, by the indices of its key's token and of its value's first and last."""

    key: int
    value: int
    last: int


def tokens(text: str, *, pure: bool = False) -> tuple[Token, ...]:
    """Return a text's tokens; ``pure`` forces ruamel.yaml's Python parser. Raises `CannotRewrite` if it is not YAML."""
    from ruamel.yaml import YAML

    shift = 1 if text.startswith("\ufeff") else 0
    try:
        return tuple(
            Token(event.start_mark.index + shift, event.end_mark.index + shift, _saying(event))
            for event in YAML(typ="safe", pure=pure).parse(text[shift:].translate(_TWINS))
        )
    except Exception as error:  # The parsers answer bad input with assertions and ValueError, too.
        if not pure:
            # The pure parser reads what PyYAML reads and the C one does not: ``[cuda:0, cuda:1]``.
            return tokens(text, pure=True)
        raise CannotRewrite(f"the text is not valid YAML: {error}") from error


def _saying(event: object) -> Saying:
    kind = type(event).__name__.removesuffix("Event")
    flow = "flow" if getattr(event, "flow_style", False) else ""
    tag = getattr(event, "tag", None)
    return Saying(
        kind=kind,
        value=getattr(event, "value", None) or "",
        anchor=getattr(event, "anchor", None),
        tag=None if tag is None else str(tag),
        style=getattr(event, "style", None) or flow,
    )


def members(stream: Sequence[Token]) -> dict[int, tuple[Member, ...]]:
    """Return the entries of every mapping, by the index of the mapping's first token."""
    found: dict[int, tuple[Member, ...]] = {}
    above: list[tuple[int, list[tuple[int, int]]]] = []
    for index, token in enumerate(stream):
        kind = token.says.kind
        if kind in ("MappingStart", "SequenceStart"):
            above.append((index, []))
            continue
        if kind in ("MappingEnd", "SequenceEnd"):
            first, children = above.pop()
            if kind == "MappingEnd":
                pairs = zip(children[::2], children[1::2], strict=True)
                found[first] = tuple(Member(key[0], value[0], value[1]) for key, value in pairs)
        elif kind in ("Scalar", "Alias"):
            first = index
        else:
            continue
        if above:
            above[-1][1].append((first, index))
    return found


def repeated(stream: Sequence[Token]) -> dict[int, int]:
    """Return, by the index of each alias's token, the index of the node's first token that it repeats."""
    found: dict[int, int] = {}
    anchors: dict[str, int] = {}
    for index, token in enumerate(stream):
        anchor = token.says.anchor
        if anchor is None:
            continue
        if token.says.kind != "Alias":
            anchors[anchor] = index
        elif anchor in anchors:
            found[index] = anchors[anchor]
    return found


def holds_comment(text: str, stream: Sequence[Token], start: int, end: int) -> bool:
    """Return whether a comment may begin in ``text[start:end]``: a ``#`` outside the content of every scalar."""
    starts = [token.start for token in stream]
    for match in _HASH.finditer(text, start, end):
        token = stream[bisect_right(starts, match.start()) - 1]
        if token.says.kind != "Scalar" or match.start() >= token.end:
            return True
        header = token.says.style in ("|", ">") and not _LINE_END.search(text, token.start, match.start())
        if header or token.says.anchor is not None or token.says.tag is not None:
            return True
    return False
