"""The same file in other clothes: line ends, encoding, indentation and edges as other people and editors have them."""

from __future__ import annotations

import re
from collections.abc import Callable

Twin = Callable[[str], bytes]


def as_it_is(text: str) -> bytes:
    return text.encode()


def with_crlf(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def with_byte_order_mark(text: str) -> bytes:
    return b"\xef\xbb\xbf" + text.encode()


def with_tabs(text: str) -> bytes:
    return re.sub(r"^(?: {4})+", lambda spaces: "\t" * (len(spaces[0]) // 4), text, flags=re.MULTILINE).encode()


def without_final_newline(text: str) -> bytes:
    return text.removesuffix("\n").encode()


def in_latin_1(text: str) -> bytes:
    return ("# -*- coding: latin-1 -*-\n" + text).encode("latin-1")


def with_form_feeds(text: str) -> bytes:
    return re.sub(r"\n\n\n(?=\S)", "\n\n\f\n", text).encode()


PYTHON_TWINS: list[Twin] = [
    with_crlf,
    with_byte_order_mark,
    with_tabs,
    without_final_newline,
    in_latin_1,
    with_form_feeds,
]
YAML_TWINS: list[Twin] = [with_crlf, with_byte_order_mark, without_final_newline]
