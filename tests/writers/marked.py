"""Python sources for tests, the places that edits are about marked in the text, and the edits most often made there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from loaderlint.model.edit import AddOption, Drop, Edit, MakeInteger, OnlyWithWorkers, SetValue
from loaderlint.model.source import Language, Source, Span
from loaderlint.model.target import Platform
from loaderlint.writers import Rewritten, rewrite

OPENING, CLOSING = "⟦", "⟧"
WINDOWS = frozenset({Platform.WINDOWS})
MACOS = frozenset({Platform.MACOS})

Spans: TypeAlias = Sequence[Span]
Edits: TypeAlias = Callable[[Spans], list[Edit]]
Cases: TypeAlias = dict[str, tuple[str, Edits, str]]
"""By what is special about it: the file before, the edits of its marked places, and the file after."""


def marked(text: str, encoding: str = "utf-8") -> tuple[Source, Spans]:
    """Return the source without its marks, and what they mark, in the order in which the marks open."""
    plain: list[str] = []
    open_marks: list[int] = []
    offsets: list[tuple[int, int]] = []
    for character in text:
        if character == OPENING:
            open_marks.append(len(offsets))
            offsets.append((len(plain), 0))
        elif character == CLOSING:
            index = open_marks.pop()
            offsets[index] = (offsets[index][0], len(plain))
        else:
            plain.append(character)
    source = Source("train.py", "/train.py", Language.PYTHON, "".join(plain).encode(encoding), encoding)
    return source, [source.span(start, end) for start, end in offsets]


def rewritten(before: str, edits: Edits) -> Rewritten:
    """Return what becomes of a marked file."""
    source, spans = marked(before)
    return rewrite(source, edits(spans))


def zero(spans: Spans) -> list[Edit]:
    return [SetValue(spans[0], 0)]


def zero_on_windows(spans: Spans) -> list[Edit]:
    return [SetValue(spans[0], 0, WINDOWS)]


def drop_prefetch(spans: Spans) -> list[Edit]:
    """The first mark is the entry, the second its value."""
    return [Drop(spans[1], "prefetch_factor", None, spans[0])]


def drop_two(spans: Spans) -> list[Edit]:
    return [Drop(spans[1], "timeout", 0, spans[0]), Drop(spans[3], "prefetch_factor", None, spans[2])]


def neutral(spans: Spans) -> list[Edit]:
    return [Drop(spans[0], "prefetch_factor", None)]


def prefetch_with_workers(spans: Spans) -> list[Edit]:
    """The first mark is the worker count, the second the prefetch factor."""
    return [OnlyWithWorkers(spans[1], "prefetch_factor", None, spans[0])]


def persistent_with_workers(spans: Spans) -> list[Edit]:
    return [OnlyWithWorkers(spans[1], "persistent_workers", False, spans[0])]


def add_spawn(spans: Spans) -> list[Edit]:
    return [AddOption(spans[0], "multiprocessing_context", "spawn")]


def add_spawn_with_workers(spans: Spans) -> list[Edit]:
    return [AddOption(spans[0], "multiprocessing_context", "spawn", spans[1])]


def make_integer(spans: Spans) -> list[Edit]:
    return [MakeInteger(spans[0])]
