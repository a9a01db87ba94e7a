"""Which entries of a YAML mapping can be taken away, and what text goes with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.yaml_tokens import Member, Token

_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)+")
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")
_REST_OF_FLOW_LINE = re.compile(r"[ \t]*(?:,[ \t]*)?(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")
_COMMA = re.compile(r"[ \t]*,")
_LAST_LINE_END = re.compile(r"(?:\r\n|\r|\n)\Z")


def removable(stream: Sequence[Token], entries: Sequence[Member], chosen: Collection[int]) -> frozenset[int]:
    """Return those of the chosen entries, by number, that can go without a program getting another value instead.

    Without it a program would get a mapping that is no longer one (all entries are chosen), a value that is merged in,
    or that of another entry with the same key.
    """
    left = {stream[entry.key].says.value for number, entry in enumerate(entries) if number not in chosen}
    merges = any(
        stream[entry.key].says.value == "<<" and not stream[entry.key].says.style
        for number, entry in enumerate(entries)
        if number not in chosen
    )
    if not left or merges:
        return frozenset()
    return frozenset(number for number in chosen if stream[entries[number].key].says.value not in left)


def removals(
    text: str, stream: Sequence[Token], mapping: Token, entries: Sequence[Member], ends: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield the stretches of text that go with some of a mapping's entries.

    ``ends`` gives, by number, the entries that go and the offset at which each ends. An entry goes with its lines when
    nothing else stands on them; else, in braces or behind the dash of a list item, with the text up to the next entry.
    The last one in braces takes the comma before it along, unless it has one itself. Raises `CannotRewrite` for an
    entry that is written otherwise.
    """
    flow = mapping.says.style == "flow"
    rest = _REST_OF_FLOW_LINE if flow else _REST_OF_LINE
    for run in _runs(sorted(ends)):
        starts = [stream[entries[number].key].start for number in run]
        lines = [_lines(text, start, ends[number], rest) for start, number in zip(starts, run, strict=True)]
        following = run[-1] + 1
        before = text[: starts[0]].rstrip()
        if all(line is not None for line in lines):
            yield from (line for line in lines if line is not None)
            if flow and following == len(entries) and not _COMMA.match(text, ends[run[-1]]):
                comma = _COMMA.match(text, stream[entries[run[0] - 1].last].end)
                yield from [comma.span()] if comma else []
        elif following < len(entries) and (flow or _DASHES.fullmatch(text, _line_start(text, starts[0]), starts[0])):
            yield starts[0], stream[entries[following].key].start
        elif flow and before.endswith(","):
            yield len(before) - 1, ends[run[-1]]
        else:
            raise CannotRewrite("an entry shares its line with something else")


def joined(text: str, stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the stretches in order, those that touch as one; a file without a line end at its end gets none."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    if found and found[-1][1] == len(text) and not _LAST_LINE_END.search(text):
        line_end = _LAST_LINE_END.search(text[: found[-1][0]])
        if line_end:
            found[-1] = line_end.start(), found[-1][1]
    return found


def _runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _line_start(text: str, offset: int) -> int:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return start + text.startswith("\ufeff", start)


def _lines(text: str, start: int, end: int, rest: re.Pattern[str]) -> tuple[int, int] | None:
    """Return the lines that ``text[start:end]`` has to itself, but for a comment behind it; None when it has none."""
    line_start, found = _line_start(text, start), rest.match(text, end)
    if text[line_start:start].strip(" \t") or not found:
        return None
    return line_start, found.end()
