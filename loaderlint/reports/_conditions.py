"""What a value assumes, in the words of the program it is of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from loaderlint.model.assumptions import CUDA, PLATFORM, Assumption, Question
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.torch_asked import TorchAsked
from loaderlint.reports._lines import visible
from loaderlint.reports._words import on_platforms

if TYPE_CHECKING:
    from loaderlint.model.loader import Loader, Unreached

_MOST_ANSWERS = 3
"""Answers to one question that a condition names."""
_MOST_CONDITIONS = 3
"""As many are shown; the rest is only counted."""
_LONGEST = 60
"""Characters after which a condition is cut."""
_WHICH_WAY = frozenset(
    {"default", "given", "set", "unset", "missing", "turned off", "own", "none", "nothing", "__init__"}
)
"""Answers that say which of its ways a value took, as its steps do."""

_FILE_BEFORE_NAME = re.compile(r"[^\s:/]+(?:/[^\s:]+)*\.pyi?:(?=[^\W\d])")
_COLUMN = re.compile(r"(\.\w+:\d+):\d+\b")


def in_words(assumptions: Iterable[Assumption], place: Span) -> str:
    """Return what is assumed of something written at a place: platform, CUDA, then the tests, in the same order always.

    Which caller or which default it was is no condition: the steps show it. Nor is it that the file is read in which
    the place lies.
    """

    def order(one: Assumption) -> tuple[bool, bool, str, str]:
        return one.subject != PLATFORM, one.subject != CUDA, one.subject, str(one.answer)

    words = list(dict.fromkeys(filter(None, (_words(one, place.path) for one in sorted(assumptions, key=order)))))
    more = len(words) - _MOST_CONDITIONS
    return ", ".join([*words[:_MOST_CONDITIONS], *(["…"] if more > 0 else [])])


def ended(loader: Loader | Unreached, platform: Platform) -> str:
    """Return what ends the runs that would come to a loader on a platform; where that is not one thing, the loader."""
    end = loader.ended.get(platform)
    what, span = ("the loader", loader.span) if end is None else (shortened(end.what, _LONGEST), end.span)
    return f"{what} at {_named(str(span))}"


def _words(assumption: Assumption, path: str) -> str:
    subject, answer = assumption.subject, assumption.answer
    if subject == PLATFORM and isinstance(answer, frozenset):
        platforms = [platform for platform in Platform if platform.value in answer]
        return "" if len(platforms) == len(Platform) else on_platforms(platforms) or "on no platform"
    if isinstance(answer, bool):
        test = subject.test if isinstance(subject, Question | TorchAsked) else _named(subject)
        return f"{'when' if answer else 'unless'} {shortened(test, _LONGEST)}"
    answers = answer if isinstance(answer, frozenset) else (answer,)
    words = sorted(one for one in answers if isinstance(one, str))
    # Numbers say which call it was.
    if not words or words == [path] or answer in _WHICH_WAY:
        return ""
    return f"when {_named(subject)} is {_one_of([_named(one) for one in words])}"


def _one_of(answers: Sequence[str]) -> str:
    """Return several answers in a few words: a configuration can be chosen in dozens of ways."""
    if len(answers) <= _MOST_ANSWERS:
        return "/".join(answers)
    return f"{answers[0]} or one of {len(answers) - 1} others"


def _named(text: str) -> str:
    """Return a text in which things of the program go by their names alone, and places by their lines."""
    return _COLUMN.sub(r"\1", _FILE_BEFORE_NAME.sub("", text))


def shortened(text: str, longest: int) -> str:
    """Return a text safe to show, its end cut off where it is longer than that."""
    shown = visible(text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
