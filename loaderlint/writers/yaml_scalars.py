"""How a constant is typed in YAML so that every loader of it, 1.1 or 1.2, reads the same constant back."""

from __future__ import annotations

import json
import math
import re

from msgspec import Struct

from loaderlint.model.value import Constant
from loaderlint.writers.yaml_tokens import STANDARD

_PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_NOT_STRINGS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


class Typed(Struct, frozen=True):
    """A constant as it is typed, and what the parser makes of that: the value, and the style by its quote."""

    written: str
    value: str
    style: str = ""


def typed(constant: Constant, style: str) -> Typed:
    """Return how a constant is typed; a string keeps the quotes it had (``style``), if any, where they can hold it."""
    if isinstance(constant, str):
        return _string(constant, style)
    plain = _plain(constant)
    return Typed(plain, plain)


def _plain(constant: bool | int | float | None) -> str:
    if constant is None:
        return "null"
    if isinstance(constant, bool):
        return "true" if constant else "false"
    if isinstance(constant, int):
        return str(constant)
    if math.isnan(constant):
        return ".nan"
    if math.isinf(constant):
        return ".inf" if constant > 0 else "-.inf"
    # YAML 1.1 wants a point and a signed exponent: 1e-05 is a string to it.
    mantissa, exponent, power = repr(constant).partition("e")
    return (mantissa if "." in mantissa else f"{mantissa}.0") + exponent + power


def _string(text: str, style: str) -> Typed:
    if style == "'" and text.isprintable():
        return Typed("'" + text.replace("'", "''") + "'", text, "'")
    if style != '"' and _PLAIN_WORD.fullmatch(text) and text.lower() not in _NOT_STRINGS:
        return Typed(text, text)
    return Typed(json.dumps(text, ensure_ascii=False), text, '"')


def fits(tag: str, constant: Constant) -> bool:
    """Return whether a value with this explicit tag still is ``constant`` when that is typed behind it."""
    names = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}
    return tag == STANDARD + names[type(constant)]
