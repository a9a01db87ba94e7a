"""What can reach each option of a loader, where somebody wrote it, and the way it took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import Any, TypeAlias

from msgspec import Struct

from loaderlint.model.assumptions import Assumption
from loaderlint.model.loader import TORCH_DEFAULTS, WORKER_OPTIONS, Loader
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.tracing import Nothing, Traced
from loaderlint.model.value import Candidate, CommandLineText, CpuCount, Step, Trail, Value
from loaderlint.reports._conditions import ended, in_words, shortened
from loaderlint.reports._lines import BLANK, Line, cells, line, paint, paragraphs, usable, visible, wrapped
from loaderlint.reports._style import CALM, FAINT, GOOD, STRONG
from loaderlint.reports._words import on_platforms, platform_order
from loaderlint.reports.json import start, steps

FORMATS = ("json", "text")
"""The names `render` takes."""

_Row: TypeAlias = tuple[str | tuple[str, str], ...]

_BUNDLE = ("num_workers", *WORKER_OPTIONS)
_LONGEST = 32
"""Characters after which a constant is cut in the text."""

_MOST_LINES = 8
_MOST_PLACES = 4
"""Of the places that a value was worked out from as many are shown; JSON has them all."""
_MOST_WAYS = 3
_NARROWEST_NOTE = 20
"""Cells a step's note has at least, even where the terminal has not."""


def render(traced: Traced, format: str, *, color: bool, width: int) -> str:
    """Return what was traced as text (a tree for each loader) or as JSON, version 1; each line ends in a newline.

    In JSON a number worked out from the CPU count and the text of a command-line flag are given as the words for them,
    and a default that torch supplies stands at the loader.

    Raises:
        ValueError: when there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: choose from {', '.join(FORMATS)}")
    if format == "json":
        return json.dumps({"version": 1, "loaders": [_loader_json(one) for one in traced.loaders]}, indent=2) + "\n"
    blocks: list[Iterable[Line]] = [
        *(_tree(loader, usable(width)) for loader in traced.loaders),
        *(paragraphs(_told(one), width) for one in traced.nothing),
    ]
    lines: list[Line] = []
    for block in blocks:
        if lines:
            lines.append(BLANK)
        lines.extend(block)
    return paint(lines, color=color)


def _told(nothing: Nothing) -> str:
    """Return that nothing was found where somebody looked, and what stands near."""
    asked = nothing.asked
    where = "this folder" if asked.name == "." else asked.name
    if asked.line is None:
        return f"No loader stands in {where}, and no value written there reaches one."
    told = f"No loader stands at {asked.place}, and no value written on that line reaches one."
    if asked.cells is not None:
        return told
    if not (nothing.loaders or nothing.values):
        return f"{told} The same holds for the rest of the file."
    near = (("Loaders of this file", nothing.loaders), ("Values that reach one", nothing.values))
    return " ".join([told, *(f"{what}: {_lines(where)}." for what, where in near if where)])


def _lines(numbers: Sequence[int]) -> str:
    """Return line numbers in words, those of a long row left out that come last."""
    shown = [*map(str, numbers[:_MOST_LINES])]
    more = len(numbers) - len(shown)
    last = f"{more} more" if more else shown.pop()
    before = ", ".join(shown)
    return f"line{'s' if before else ''} {before}{' and ' if before else ''}{last}"


def _tree(loader: Loader, width: int) -> Iterator[Line]:
    """Yield the loader's line and a branch for each option, its candidates below one another in columns.

    What is left to torch of the worker bundle is one branch together.
    """
    unread = "" if loader.consumer_seen else "  (no code was seen to read it)"
    yield line((str(loader.span), STRONG), "  ", (loader.callee, CALM), (unread, FAINT))
    everywhere = _everywhere(loader)
    conditions = in_words(everywhere, loader.span)
    for words in wrapped(conditions, width - 3) if conditions else ():
        yield line(("│  ", FAINT), (words, CALM))
    ends: dict[str, list[Platform]] = {}
    for platform in platform_order(loader.ended):
        ends.setdefault(ended(loader, platform), []).append(platform)
    for end, platforms in ends.items():
        for words in wrapped(f"not reached {on_platforms(platforms)}: {end}", width - 3):
            yield line(("│  ", FAINT), (words, CALM))
    sources = {name: _sources(loader.option(name), everywhere) for name in _given(loader)}
    labels = {name: _label(loader, name) for name in sources}
    label_cells = max(map(cells, labels.values()), default=0)
    constant_cells = max((cells(one.constant) for several in sources.values() for one in several), default=0)
    left_out = ", ".join(f"{name}={TORCH_DEFAULTS[name]}" for name in _BUNDLE if name not in sources)
    for name, several in sources.items():
        last = name == [*sources][-1] and not left_out
        fork, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        head: _Row = ((fork, FAINT), (labels[name], STRONG), " " * (label_cells - cells(labels[name])))
        tail: _Row = ((below, FAINT), " " * label_cells)
        room = width - len(fork) - label_cells - 2
        for index, row in enumerate(_value(loader.option(name), several, constant_cells, room)):
            yield line(*(tail if index else head), "  ", *row)
    if left_out:
        told = wrapped(f"not given: {left_out} (torch's defaults)", width - 3)
        for index, text in enumerate(told):
            yield line(("   " if index else "└─ ", FAINT), (text, FAINT))


def _given(loader: Loader) -> list[str]:
    """Return the options that are given, those of the worker bundle first."""
    named = [name for name in _BUNDLE if name in loader.options]
    return [*named, *sorted(name for name in loader.options if name not in _BUNDLE)]


class _Source(Struct, frozen=True):
    """A constant where it was written: what it was worked out from, what holds on all its ways, and the ways."""

    constant: str
    span: Span | None
    worked_out_from: tuple[Span, ...]
    conditions: str
    ways: tuple[Trail, ...]


def _sources(value: Value, everywhere: frozenset[Assumption]) -> list[_Source]:
    """Return the candidates of a value, those that differ in their ways alone made one; torch's default comes last."""
    same: dict[tuple[str, Span | None], list[Candidate]] = {}
    for one in sorted(value.candidates, key=lambda one: not one.written):
        same.setdefault((_constant(one), one.span if one.written else None), []).append(one)
    return [
        _Source(
            constant,
            span,
            tuple(sorted({place for one in several for place in one.worked_out_from})),
            in_words(_common(several) - everywhere, several[0].span),
            tuple(dict.fromkeys(one.trail for one in several)),
        )
        for (constant, span), several in same.items()
    ]


def _label(loader: Loader, name: str) -> str:
    spelt = loader.spelling.get(name, name)
    return name if spelt == name else f"{name} ({spelt})"


def _value(value: Value, sources: Sequence[_Source], constant_cells: int, room: int) -> Iterator[_Row]:
    """Yield the rows beside an option's name, the places and steps in a column of their own after the constants."""
    margin = " " * (constant_cells + 2)
    for source in sources:
        padding = " " * (len(margin) - cells(source.constant))
        if source.span is None:
            yield source.constant, padding, ("torch's default", FAINT)
            continue
        place = visible(str(source.span))
        beside = cells(place) + 2 + cells(source.conditions) <= room - len(margin)
        conditions: _Row = ((f"  {source.conditions}", CALM),) if source.conditions and beside else ()
        yield (source.constant, GOOD), padding, place, *conditions
        below = wrapped(source.conditions, max(room - len(margin), _NARROWEST_NOTE)) if not beside else ()
        yield from ((margin, (words, CALM)) for words in below)
        origins = _origins(source.worked_out_from)
        for words in wrapped(origins, max(room - len(margin), _NARROWEST_NOTE)) if origins else ():
            yield margin, (words, FAINT)
        for row in _ways(source.ways, room - len(margin)):
            yield margin, *row
    if value.open or not sources:
        unseen = "what the user of the program gives" if value.by_user else "something loaderlint cannot see"
        yield ((f"or {unseen}" if sources else unseen, FAINT),)


def _origins(places: Sequence[Span]) -> str:
    """Return in words what a value was worked out from, nothing where its steps say so."""
    shown = ", ".join(visible(str(one)) for one in places[:_MOST_PLACES])
    more = len(places) - _MOST_PLACES
    return f"from {shown}{f' and {more} more' if more > 0 else ''}" if places else ""


def _ways(ways: Sequence[Trail], room: int) -> Iterator[_Row]:
    """Yield the steps of the first few ways."""
    for index, trail in enumerate(ways[:_MOST_WAYS]):
        if index:
            yield (("or", FAINT),)
        yield from _steps(trail, room)
    more = len(ways) - _MOST_WAYS
    if more > 0:
        yield ((f"and {more} more way{'s' if more > 1 else ''}", FAINT),)


def _steps(trail: Trail, room: int) -> Iterator[_Row]:
    places = [visible(f"→ {step.span.place}") for step in trail]
    widest = max(map(cells, places), default=0)
    for place, step in zip(places, trail, strict=True):
        for index, note in enumerate(wrapped(visible(step.note), max(room - widest - 2, _NARROWEST_NOTE))):
            shown = "" if index else place
            yield (shown, FAINT), " " * (widest - cells(shown)), f"  {note}"


def _constant(candidate: Candidate) -> str:
    constant = candidate.constant
    text = str(constant) if isinstance(constant, CpuCount | CommandLineText) else repr(constant)
    return shortened(text, _LONGEST)


def _common(candidates: Iterable[Candidate]) -> frozenset[Assumption]:
    return frozenset[Assumption].intersection(*(one.assumptions for one in candidates))


def _everywhere(loader: Loader) -> frozenset[Assumption]:
    """Return what the loader is made under alone: what every value assumes of an option that gets no other value.

    A single option says that beside its values.
    """
    if len(loader.options) == 1:
        return frozenset()
    closed = [value for value in loader.options.values() if value.candidates and not value.open]
    return frozenset[Assumption]().union(*(_common(value.candidates) for value in closed))


def _loader_json(loader: Loader) -> dict[str, Any]:
    return {
        **start(loader.span),
        "callee": loader.callee,
        "options": {
            name: {
                "open": loader.options[name].open,
                "candidates": _different(map(_candidate_json, loader.options[name].candidates)),
            }
            for name in _given(loader)
        },
    }


def _different(candidates: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the candidates without repetitions: JSON does not say what each assumes."""
    return list({json.dumps(one): one for one in candidates}.values())


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    constant = candidate.constant
    unlike_json = isinstance(constant, CpuCount | CommandLineText) or (
        isinstance(constant, float) and not isfinite(constant)
    )
    return {
        "constant": str(constant) if unlike_json else constant,
        **start(candidate.span),
        "trail": [*steps(_origin_steps(candidate)), *steps(candidate.trail)],
    }


def _origin_steps(candidate: Candidate) -> Trail:
    """Return a step for each place in other files that a computed candidate was worked out from."""
    return tuple(Step(one, "worked out from") for one in candidate.worked_out_from)
