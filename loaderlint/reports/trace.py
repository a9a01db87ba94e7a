"""What can reach each option of a loader, where somebody wrote it, and the way it took."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, TypeAlias

from loaderlint.model.loader import WORKER_OPTIONS, Loader
from loaderlint.model.target import Platform
from loaderlint.model.value import CUDA, PLATFORM, Assumption, Candidate, CommandLineText, CpuCount, Value
from loaderlint.reports._lines import BLANK, Line, cells, line, paint, usable, visible, wrapped
from loaderlint.reports._style import CALM, FAINT, GOOD, STRONG
from loaderlint.reports._words import on_platforms
from loaderlint.reports.json import start, steps

FORMATS = ("json", "text")
"""The names `render` takes."""

_Row: TypeAlias = tuple[str | tuple[str, str], ...]

_BUNDLE = ("num_workers", *WORKER_OPTIONS)
_LONGEST = 32
"""Characters after which a constant or a condition is cut in the text."""

_NARROWEST_NOTE = 20
"""Cells a step's note has at least, even where the terminal has not."""


def render(loaders: Sequence[Loader], format: str, *, color: bool, width: int) -> str:
    """Return the loaders as text (a tree for each) or as JSON, version 1; it ends in a newline.

    In JSON a number worked out from the CPU count and the text of a command-line flag are given as the words for them,
    and a default that torch supplies stands at the loader.

    Raises:
        ValueError: when there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: choose from {', '.join(FORMATS)}")
    if format == "json":
        return json.dumps({"version": 1, "loaders": [_loader_json(one) for one in loaders]}, indent=2) + "\n"
    lines: list[Line] = [] if loaders else [line("No loaders found.")]
    for loader in loaders:
        if lines:
            lines.append(BLANK)
        lines.extend(_tree(loader, usable(width)))
    return paint(lines, color=color)


def _tree(loader: Loader, width: int) -> Iterator[Line]:
    """Yield the loader's line and a branch for each option, its candidates below one another in columns."""
    unread = "" if loader.consumer_seen else "  (no code was seen to read it)"
    yield line((str(loader.span), STRONG), "  ", (loader.callee, CALM), (unread, FAINT))
    names = _shown_options(loader)
    labels = [_label(loader, name) for name in names]
    label_cells = max(map(cells, labels))
    constant_cells = max((cells(_constant(one)) for name in names for one in loader.option(name).candidates), default=0)
    for name, label in zip(names, labels, strict=True):
        fork, below = ("└─ ", "   ") if name == names[-1] else ("├─ ", "│  ")
        head: _Row = ((fork, FAINT), (label, STRONG), " " * (label_cells - cells(label)))
        tail: _Row = ((below, FAINT), " " * label_cells)
        room = width - len(fork) - label_cells - 2
        for index, row in enumerate(_value(loader.option(name), constant_cells, room)):
            yield line(*(tail if index else head), "  ", *row)


def _shown_options(loader: Loader) -> list[str]:
    """Return the worker bundle, given or not, and then the other options that are given."""
    return [*_BUNDLE, *sorted(name for name in loader.options if name not in _BUNDLE)]


def _label(loader: Loader, name: str) -> str:
    spelt = loader.spelling.get(name, name)
    return name if spelt == name else f"{name} ({spelt})"


def _value(value: Value, constant_cells: int, room: int) -> Iterator[_Row]:
    """Yield the rows beside an option's name, the places and steps in a column of their own after the constants."""
    margin = " " * (constant_cells + 2)
    for candidate in value.candidates:
        constant = _constant(candidate)
        padding = " " * (len(margin) - cells(constant))
        if not candidate.written:
            yield constant, padding, ("torch's default", FAINT)
            continue
        yield (constant, GOOD), padding, str(candidate.span), *_conditions(candidate)
        for row in _steps(candidate, room - len(margin)):
            yield margin, *row
    if value.open or not value.candidates:
        unseen = "something loaderlint cannot see"
        yield ((f"or {unseen}" if value.candidates else unseen, FAINT),)


def _steps(candidate: Candidate, room: int) -> Iterator[_Row]:
    places = [visible(f"→ {step.span.path}:{step.span.line}") for step in candidate.trail]
    widest = max(map(cells, places), default=0)
    for place, step in zip(places, candidate.trail, strict=True):
        for index, note in enumerate(wrapped(visible(step.note), max(room - widest - 2, _NARROWEST_NOTE))):
            shown = "" if index else place
            yield (shown, FAINT), " " * (widest - cells(shown)), f"  {note}"


def _conditions(candidate: Candidate) -> _Row:
    words = ", ".join(filter(None, map(_words, _ordered(candidate))))
    return ((f"  {words}", CALM),) if words else ()


def _constant(candidate: Candidate) -> str:
    constant = candidate.constant
    text = str(constant) if isinstance(constant, CpuCount | CommandLineText) else repr(constant)
    return _shortened(visible(text))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _ordered(candidate: Candidate) -> list[Assumption]:
    """Return the assumptions in an order that does not change from run to run: platform, CUDA, then by place."""

    def order(one: Assumption) -> tuple[bool, bool, str, str]:
        return one.subject != PLATFORM, one.subject != CUDA, one.subject, str(one.answer)

    return sorted(candidate.assumptions, key=order)


def _words(assumption: Assumption) -> str:
    subject, answer = assumption.subject, assumption.answer
    if subject == PLATFORM and isinstance(answer, frozenset):
        platforms = [platform for platform in Platform if platform.value in answer]
        return "" if len(platforms) == len(Platform) else on_platforms(platforms) or "on no platform"
    if isinstance(answer, bool):
        return f"{'when' if answer else 'unless'} {_shortened(_test(subject))}"
    if isinstance(answer, int):
        return f"choice {answer + 1} at {subject}"
    return f"when {subject} is {'/'.join(sorted(answer)) if isinstance(answer, frozenset) else answer}"


def _test(subject: str) -> str:
    """Return the test itself of a subject such as ``train.py:main:args.debug``, which readers know it by."""
    *place, test = subject.split(":", 2)
    return test if len(place) == 2 and not test.isdecimal() else subject


def _loader_json(loader: Loader) -> dict[str, Any]:
    names = [name for name in _shown_options(loader) if name in loader.options]
    return {
        **start(loader.span),
        "callee": loader.callee,
        "options": {
            name: {
                "open": loader.options[name].open,
                "candidates": [_candidate_json(one) for one in loader.options[name].candidates],
            }
            for name in names
        },
    }


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    constant = candidate.constant
    unlike_json = isinstance(constant, CpuCount | CommandLineText) or (
        isinstance(constant, float) and not isfinite(constant)
    )
    return {
        "constant": str(constant) if unlike_json else constant,
        **start(candidate.span),
        "trail": steps(candidate.trail),
    }
