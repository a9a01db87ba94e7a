"""Which keys of its dictionaries a program cannot do without, going by its text."""

from __future__ import annotations

import re

_ASKS = re.compile(r"""(?:\.(?:get|setdefault)|hasattr\([^()]*,)\s*\(?\s*$""")
"""What stands before a key that may be missing."""
_FALLS_BACK = re.compile(r"""(?:\.pop\s*\(|getattr\([^()]*,)\s*$""")
"""What stands before a key that may be missing where a default follows it."""


def needs_key(text: str, key: str) -> bool:
    """Return whether Python text names a key in a way that a dictionary without it does not survive, or may not."""
    if key not in text:
        return False
    quoted = re.compile(rf"""(["']){re.escape(key)}\1""")
    return any(_needs(text, one.start(), one.end()) for one in quoted.finditer(text)) or _formats(text, key)


def _needs(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 80) : start], text[end : end + 80].lstrip()
    if after.startswith(":") or re.match(r"(?:not\s+)?in\b|\]\s*=[^=]", after):
        # It is written there, or it is asked whether it is.
        return False
    if _ASKS.search(before):
        return False
    return not (_FALLS_BACK.search(before) and after.startswith(","))


def _formats(text: str, key: str) -> bool:
    """Return whether text may be formatted with a key: ``"%(key)s" % values``, ``"{key}".format_map(values)``."""
    if f"%({key})" in text:
        return True
    return ".format" in text and re.search(rf"\{{{re.escape(key)}\b", text) is not None
