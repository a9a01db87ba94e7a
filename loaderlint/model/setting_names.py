"""What the name of a call says of what it sets up."""

from __future__ import annotations

import re
import sys

from loaderlint.model.process_state import READ_BY_WORKERS
from loaderlint.model.setting_words import (
    HARMLESS_ACTS,
    HARMLESS_ADDITIONS,
    HARMLESS_REPORTS,
    HARMLESS_SETTINGS,
    HARMLESS_WORDS,
    KNOWN_LIBRARIES,
    MUTATORS,
    OF_NO_CONCERN,
    REPORTING_LIBRARIES,
    SETTING_WORDS,
    STATE_WORDS,
)

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def is_setting(name: str) -> bool:
    """Return whether a call of what is imported by a dotted name sets up what workers may read, and may be repeated.

    Its last name says so, ``set_backend`` or ``registry.register``, or a table where that does not.
    """
    return name.startswith(READ_BY_WORKERS) or (says_that_it_sets(name) and not is_harmless(name))


def is_harmless(name: str, *, handed: bool = True) -> bool:
    """Return whether workers are known not to read what a call of what is imported by a dotted name sets up.

    ``handed``: whether it is given anything but constants. ``lib.train(net)`` trains, ``lib.train()`` may be a switch.
    """
    if name.startswith(READ_BY_WORKERS):
        return False
    first, words = words_of(name)
    if is_of_no_concern(name):
        return True
    if says_that_it_sets(name):
        harmless = HARMLESS_SETTINGS | HARMLESS_ADDITIONS if first == "add" else HARMLESS_SETTINGS
        return not harmless.isdisjoint(words)
    if _root(name) in KNOWN_LIBRARIES or first in HARMLESS_REPORTS:
        return True
    if not STATE_WORDS.isdisjoint(words) and "distributed" not in words:
        return False
    return (handed and first in HARMLESS_ACTS) or not HARMLESS_WORDS.isdisjoint(words)


def is_class(name: str) -> bool:
    """Return whether a dotted name is written as those of classes are."""
    return name.rpartition(".")[2][:1].isupper()


def says_that_it_sets(name: str) -> bool:
    """Return whether the last part of a dotted name begins with a verb for setting, or is one of a container's."""
    return name.rpartition(".")[2] in MUTATORS or words_of(name)[0] in SETTING_WORDS


def is_of_no_concern(name: str) -> bool:
    """Return whether a dotted name is that of something whose state workers do not read, whatever is set of it."""
    library = _root(name)
    known = library in REPORTING_LIBRARIES or (library in sys.stdlib_module_names and library != "builtins")
    return known or f"{name}.".startswith(OF_NO_CONCERN)


def words_of(name: str) -> tuple[str, list[str]]:
    """Return the first word of the last part of a dotted name, and all of them: ``set`` in ``cv2.setNumThreads``."""
    words = [word.lower() for word in _WORD.findall(name.rpartition(".")[2])]
    return next(iter(words), ""), words


def _root(name: str) -> str:
    return name.partition(".")[0]
