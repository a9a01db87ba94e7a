"""One of very many configuration files that the user chooses: all of them as one, which says what comes from which.

What several files say alike under a key is followed once, as the first of them says it, and may come from any of them.
So nothing that only some of them say is lost; what arrives somewhere is each file's own again (`told_apart`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from loaderlint.linking.things import possibilities
from loaderlint.linking.things.dictionaries import entries_of, is_complete
from loaderlint.linking.things.kinds import ABSENT, UNSEEN, Alike, Items, Possibilities, Possibility
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.possibilities import under
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumption, Assumptions, together
from loaderlint.model.source import Span
from loaderlint.model.value import SaidAlike, Written
from loaderlint.readers.tree import Mapping as TreeMapping

MOST_FILES = 32
"""More files than this are taken as one."""
MOST_TOLD_APART = 64
"""What more places than this say alike stays one candidate: rules compare each of one option with each of another."""


def one_of(subject: str, ways: Sequence[tuple[str, Possibilities]], most: int = MOST_FILES) -> Possibilities:
    """Return what comes of several files, by their paths, each assuming that the user chose it.

    More than ``most`` of them are taken as one.
    """
    if len(ways) <= most:
        return possibilities.one_of(subject, ways)
    mappings = {path: given[0] for path, given in ways if _is_mapping(given)}
    others = [(path, given) for path, given in ways if path not in mappings]
    joint = [_as_one(subject, mappings)] if mappings else []
    return (*joint, *(one for path, given in others for one in under(given, chosen(subject, [path]))))


def chosen(subject: str, paths: Iterable[str]) -> Assumptions:
    """Return the assumption that the user chose one of some files."""
    return frozenset({Assumption(subject, frozenset(paths))})


def by_value(subject: str, values: Mapping[str, Possibility]) -> list[tuple[list[str], Possibility]]:
    """Return what files give a key, by their paths: of very many, what the first gives of all that give a constant."""
    if len(values) <= MOST_FILES:
        return [([path], one) for path, one in values.items()]
    same: dict[tuple[type, object], list[str]] = {}
    for path, one in values.items():
        same.setdefault((type(one.thing), one.thing if one.constant else id(one.thing)), []).append(path)
    return [(paths, _standing_for(subject, {path: values[path] for path in paths})) for paths in same.values()]


def _standing_for(subject: str, said: Mapping[str, Possibility]) -> Possibility:
    first = next(iter(said.values()))
    return replace(first, alike=Alike(subject, frozenset(one.span for one in said.values()), said))


def said_alike(one: Possibility) -> SaidAlike | None:
    """Return where each of the files says it that a possibility stands for; None where it stands for no other."""
    alike = one.alike
    first = None if alike is None else next(iter(alike.said.values()))
    if alike is None or first is None or one.span != first.span:
        return None
    since = one.trail[len(first.trail) :]
    written = {
        path: Written(
            said.span,
            said.entry if one.entry == first.entry else one.entry,
            (*said.trail, *since),
            one.shared or said.shared,
        )
        for path, said in alike.said.items()
    }
    return SaidAlike(alike.subject, written)


def told_apart(one: Possibility) -> Iterator[Possibility]:
    """Yield what each of the files gives that a possibility stands for; itself where it stands for no other.

    Files that inherit what they say say it at one place. Where another place took over what they say, they are what it
    was worked out from (`Possibility.places`).
    """
    alike = one.alike
    first = None if alike is None else next(iter(alike.said.values()))
    at_one_place: dict[Span, list[str]] = {}
    for path, said in alike.said.items() if alike is not None else ():
        at_one_place.setdefault(said.span, []).append(path)
    if alike is None or first is None or one.span != first.span or len(at_one_place) > MOST_TOLD_APART:
        yield one
        return
    since = one.trail[len(first.trail) :]
    for paths in at_one_place.values():
        said = alike.said[paths[0]]
        assumptions = together(one.assumptions, chosen(alike.subject, paths))
        if assumptions is not None:
            yield replace(
                said,
                thing=one.thing,
                entry=said.entry if one.entry == first.entry else one.entry,
                trail=(*said.trail, *since),
                assumptions=assumptions,
                sources=one.sources,
                shared=one.shared or said.shared,
                taken_out=one.taken_out,
            )


def _is_mapping(given: Possibilities) -> bool:
    return len(given) == 1 and isinstance(given[0].thing, Items | TreeMapping) and not given[0].assumptions


def _as_one(subject: str, mappings: Mapping[str, Possibility]) -> Possibility:
    """Return the mapping that stands for those of some files, which assumes that the user chose one of them."""
    entries = {path: entries_of(one.thing) for path, one in mappings.items()}
    keys = dict.fromkeys(key for own in entries.values() for key in own)
    first = next(iter(mappings.values()))

    def values_of(key: str) -> Possibilities:
        missing = {path: ABSENT if is_complete(one.thing) else UNSEEN for path, one in mappings.items()}
        given = {path: own.get(key) or (Possibility(missing[path], first.span),) for path, own in entries.items()}
        return _joined(subject, given)

    complete = all(is_complete(one.thing) for one in mappings.values())
    return replace(first, thing=Items(Lazily.of(keys, values_of), complete), assumptions=chosen(subject, mappings))


def _joined(subject: str, given: Mapping[str, Possibilities]) -> Possibilities:
    """Return what files give one key: their mappings as one, and what they say alike once."""
    mappings = {path: values[0] for path, values in given.items() if _is_mapping(values)}
    found: list[Possibility] = [_as_one(subject, mappings)] if mappings else []
    alone = {path: values[0] for path, values in given.items() if len(values) == 1 and path not in mappings}
    for paths, one in by_value(subject, alone):
        found.extend(under((one,), chosen(subject, paths) if len(paths) < len(given) else NO_ASSUMPTIONS))
    for path, values in given.items():
        if path not in mappings and path not in alone:
            found.extend(under(values, chosen(subject, [path])))
    return tuple(found)
