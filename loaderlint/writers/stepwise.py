"""Rewrites a language whose text is plain data, one place after the other, each step proven by the language's parser.

Where a value stands in the data is not worked out from the text but asked of the parser: a word that stands nowhere
else is put in its place, and found in what comes out. After every step the data must be what it was, but for that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, TypeAlias

from msgspec import Struct

from loaderlint.model.edit import Drop, Edit, MakeInteger, RemoveIgnore, SetValue
from loaderlint.model.source import Source
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite, Rewritten
from loaderlint.writers.ignores import replacement_without
from loaderlint.writers.scalars import whole

_CONTRADICTION = "two edits contradict each other"

Way: TypeAlias = tuple[str | int, ...]
"""The keys and indices from the root of the data down to a value."""


class Removal(Struct, frozen=True):
    """The stretch of text that goes with an entry; ``comment`` says that a comment stands in it."""

    start: int
    end: int
    comment: bool = False


class Dialect(Struct, frozen=True):
    """What differs from language to language.

    ``parse`` gives a text's data or raises ValueError. ``typed`` says how a constant is typed in place of a value's
    text; ``removal`` what goes with the entry that is written at two offsets. Both raise `CannotRewrite`.
    ``plain`` says that every value is text and no sign marks it as such.
    """

    name: str
    parse: Callable[[str], Any]
    typed: Callable[[Constant, str], str]
    removal: Callable[[str, int, int], Removal]
    plain: bool = False


class _Place(Struct, frozen=True):
    """The stretch of the source's text that edits are about."""

    start: int
    end: int


def rewrite(source: Source, edits: Iterable[Edit], dialect: Dialect) -> Rewritten:
    """Return the source's text with these edits made.

    `SetValue`, `Drop`, `MakeInteger` and `RemoveIgnore` are known here. An edit's platforms are not looked at, since
    there are no conditionals. Raises `CannotRewrite` when an edit cannot be made, when two contradict each other, or
    when anything else would change.
    """
    text, unsafe = source.text, ""
    # From the end of the file backwards, so that the places before stay where they are.
    for place, same in _by_place(source, edits):
        if all(isinstance(edit, RemoveIgnore) for edit in same):
            text = _without_names(text, source, [edit for edit in same if isinstance(edit, RemoveIgnore)], dialect)
        elif len(same) > 1:
            raise CannotRewrite(_CONTRADICTION)
        else:
            text, lost = _made(text, source, same[0], place, dialect)
            unsafe = unsafe or ("a comment would be lost" if lost else "")
    return Rewritten(text, unsafe)


def _by_place(source: Source, edits: Iterable[Edit]) -> Iterator[tuple[_Place, list[Edit]]]:
    places: dict[_Place, list[Edit]] = {}
    for edit in dict.fromkeys(edits):
        span = edit.entry if isinstance(edit, Drop) and edit.entry is not None else edit.span
        places.setdefault(_Place(source.offset(*span.start), source.offset(*span.end)), []).append(edit)
    following: _Place | None = None
    for place in sorted(places, key=lambda one: (one.start, one.end), reverse=True):
        if following is not None and place.end > following.start:
            raise CannotRewrite(_CONTRADICTION)
        following = place
        yield place, places[place]


def _made(text: str, source: Source, edit: Edit, place: _Place, dialect: Dialect) -> tuple[str, bool]:
    """Return the text after one edit, and whether a comment is lost."""
    start, end = source.offset(*edit.span.start), source.offset(*edit.span.end)
    if isinstance(edit, SetValue):
        return _set(text, start, end, edit.constant, dialect), False
    if isinstance(edit, MakeInteger):
        return _set(text, start, end, _integer(text, start, end, dialect), dialect), False
    if isinstance(edit, Drop) and edit.entry is None:
        return _set(text, start, end, edit.neutral, dialect), False
    if isinstance(edit, Drop):
        without = _without_entry(text, start, end, place, dialect)
        return without or (_set(text, start, end, edit.neutral, dialect), False)
    raise CannotRewrite(f"{dialect.name} cannot say {type(edit).__name__}")


def _set(text: str, start: int, end: int, constant: Constant, dialect: Dialect) -> str:
    before, way = _found(text, start, end, dialect)
    typed = dialect.typed(constant, text[start:end])
    after = text[:start] + typed + text[end:]
    wanted = deepcopy(before)
    _holder(wanted, way)[way[-1]] = typed if dialect.plain else constant
    _prove(after, wanted, dialect)
    return after


def _integer(text: str, start: int, end: int, dialect: Dialect) -> int:
    data, way = _found(text, start, end, dialect)
    value = _holder(data, way)[way[-1]]
    number = whole(str(value))
    if number is None:
        raise CannotRewrite(f"{value!r} is no whole number")
    return number


def _without_entry(text: str, start: int, end: int, place: _Place, dialect: Dialect) -> tuple[str, bool] | None:
    """Return the text without an entry, None when taking it away would change something else.

    Another entry of the same key would count, or a table that is written nowhere else would be gone.
    """
    before, way = _found(text, start, end, dialect)
    removal = dialect.removal(text, place.start, place.end)
    after = text[: removal.start] + text[removal.end :]
    wanted = deepcopy(before)
    del _holder(wanted, way)[way[-1]]
    try:
        _prove(after, wanted, dialect)
    except CannotRewrite:
        return None
    return after, removal.comment


def _without_names(text: str, source: Source, edits: list[RemoveIgnore], dialect: Dialect) -> str:
    change = replacement_without(source, edits[0].span, [edit.name for edit in edits])
    after = text[: change.start] + change.content + text[change.end :]
    _prove(after, _parsed(text, dialect), dialect)
    return after


def _found(text: str, start: int, end: int, dialect: Dialect) -> tuple[Any, Way]:
    """Return a text's data, and where in it the value is that is written at these offsets."""
    word = "loaderlint"
    while word in text:
        word += "-"
    typed = word if dialect.plain else f'"{word}"'
    marked = _parsed(f"{text[:start]}{typed}{text[end:]}", dialect)
    ways = [way for way, value in _leaves(marked) if value == word]
    if len(ways) != 1 or not ways[0]:
        raise CannotRewrite("no single value is written there")
    return _parsed(text, dialect), ways[0]


def _parsed(text: str, dialect: Dialect) -> Any:
    try:
        return dialect.parse(text)
    except (ValueError, RecursionError) as error:
        raise CannotRewrite(f"the text is not valid {dialect.name}: {error}") from error


def _leaves(data: Any) -> Iterator[tuple[Way, Any]]:
    waiting: list[tuple[Way, Any]] = [((), data)]
    while waiting:
        way, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(((*way, key), below) for key, below in value.items())
        elif isinstance(value, list):
            waiting.extend(((*way, index), below) for index, below in enumerate(value))
        else:
            yield way, value


def _holder(data: Any, way: Way) -> Any:
    for key in way[:-1]:
        data = data[key]
    return data


def _prove(text: str, wanted: Any, dialect: Dialect) -> None:
    # The text Python gives of data tells 1 from 1.0 and True, and a NaN from nothing.
    if repr(_parsed(text, dialect)) != repr(wanted):
        raise CannotRewrite("something else in the file would change")
