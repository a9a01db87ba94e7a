"""What a YAML scalar is to a program: YAML 1.1 as PyYAML 6.0 resolves it, which is what training code loads.

OmegaConf and jsonargparse widen the floats (``1e-4`` is a string here, as for PyYAML); no loader option depends on it.
"""

from __future__ import annotations

import re

from msgspec import Struct

from loaderlint.model.value import Constant

_STANDARD = "tag:yaml.org,2002:"
_INTERPOLATION = re.compile(r"\$\{|\{\{")

_BOOLEANS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_BOOLEAN = re.compile(r"yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF")
_NULL = re.compile(r"~|null|Null|NULL|")
_INTEGER = re.compile(
    r"[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
)
_FLOAT = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?"
)


class Resolved(Struct, frozen=True):
    """A scalar's constant; ``opaque`` when the program works it out, and the constant is only the text."""

    constant: Constant
    opaque: bool = False


def resolve(text: str, plain: bool, tag: str | None) -> Resolved:
    """Return what a scalar is to a program.

    ``plain`` says that it is neither quoted nor a block. ``tag`` is the explicit tag in its long form
    (``tag:yaml.org,2002:int``), None without one.
    """
    if tag is not None and tag != "!":
        return _tagged(text, tag)
    if _INTERPOLATION.search(text):
        return Resolved(text, opaque=True)
    if not plain or tag == "!":
        return Resolved(text)
    return _plain(text)


def _plain(text: str) -> Resolved:
    if _NULL.fullmatch(text):
        return Resolved(None)
    if _BOOLEAN.fullmatch(text):
        return Resolved(_BOOLEANS[text.lower()])
    try:
        if _INTEGER.fullmatch(text):
            return Resolved(_integer(text))
        if _FLOAT.fullmatch(text):
            return Resolved(_float(text))
    except ValueError:
        # The pattern lets through what no loader can convert, such as `0x_` or an integer of 5,000 digits.
        return Resolved(text, opaque=True)
    return Resolved(text, opaque=_TIMESTAMP.fullmatch(text) is not None)


def _tagged(text: str, tag: str) -> Resolved:
    try:
        if tag == _STANDARD + "str":
            return Resolved(text, opaque=_INTERPOLATION.search(text) is not None)
        if tag == _STANDARD + "int":
            return Resolved(_integer(text))
        if tag == _STANDARD + "float":
            return Resolved(_float(text))
        if tag == _STANDARD + "bool":
            return Resolved(_BOOLEANS[text.lower()])
        if tag == _STANDARD + "null":
            return Resolved(None)
    except (ValueError, KeyError):
        pass
    return Resolved(text, opaque=True)


def _integer(text: str) -> int:
    """Convert as ``SafeConstructor.construct_yaml_int`` does; raises ValueError."""
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits[1:] if digits[:1] in ("+", "-") else digits
    if digits == "0":
        return 0
    if digits.startswith("0b"):
        return sign * int(digits[2:], 2)
    if digits.startswith("0x"):
        return sign * int(digits[2:], 16)
    if digits.startswith("0"):
        return sign * int(digits, 8)
    value = 0
    for part in digits.split(":"):
        value = value * 60 + int(part)
    return sign * value


def _float(text: str) -> float:
    """Convert as ``SafeConstructor.construct_yaml_float`` does; raises ValueError."""
    digits = text.replace("_", "").lower()
    sign = -1.0 if digits.startswith("-") else 1.0
    digits = digits[1:] if digits[:1] in ("+", "-") else digits
    if digits in (".inf", ".nan"):
        return sign * float(digits[1:])
    value = 0.0
    for part in digits.split(":"):
        value = value * 60 + float(part)
    return sign * value
