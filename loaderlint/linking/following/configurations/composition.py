"""Composes a Hydra configuration: the primary file, the files its defaults list chooses, and what a user can choose.

Follows ``hydra/_internal/defaults_list.py`` and ``hydra/core/default_element.py`` of Hydra 1.3
(https://hydra.cc/docs/advanced/defaults_list). The configuration is composed once as it stands and once for every other
option of a group, which the user chooses with ``group=option``: the values of two choices never meet.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.linking.things.kinds import ABSENT, Interpolation, Items, Possibilities, Possibility, Row, Thing
from loaderlint.linking.things.possibilities import distinct, under, unseen
from loaderlint.linking.things.settings import merged, nested
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumption, Assumptions
from loaderlint.model.source import Span
from loaderlint.model.value import Step

MOST_CHOICES = 200
"""More choices than this and only the configuration as it stands is composed."""
DEEPEST_DEFAULTS = 12
"""Configurations that choose each other; a longer way than this is unseen."""
ANYWHERE = Span("", 1, 1, 1, 1)
"""The place of the last step of trails that may end in any program: what is composed of files is the same in each."""
AS_IT_STANDS = "as it stands"
"""The answer to what was chosen when the user chose nothing."""


class Part(Struct, frozen=True, eq=False):
    """One configuration that a defaults list can choose.

    ``tree`` still holds its defaults list. ``package`` is what its header says, None without one.
    """

    tree: Items
    span: Span
    package: str | None = None


class Repository(Protocol):
    """The configurations by path: ``data/mnist`` is the option ``mnist`` of the group ``data``."""

    def part(self, path: str, trail: tuple[Step, ...]) -> Part | None:
        """Return a configuration, whose values come by this trail; None when there is no such configuration."""

    def options(self, group: str) -> Sequence[str]:
        """Return the options of a group."""

    def in_folders(self, group: str) -> Sequence[str]:
        """Return what stands in the folders of a group: its options, such as ``small/fast``, or those of groups."""

    def groups(self) -> Sequence[str]:
        """Return the groups of the topmost folder."""


class Choice(Struct, frozen=True):
    """An item of a defaults list: ``group`` is empty for a configuration named by its path.

    ``package`` is what ``@`` says, None without it.
    """

    group: str
    options: tuple[str, ...]
    span: Span
    package: str | None = None
    optional: bool = False
    override: bool = False

    @property
    def is_self(self) -> bool:
        """Whether it stands for the configuration that the list is written in."""
        return not self.group and self.options == ("_self_",)


class _Composer(Struct):
    """One composition. ``chosen`` are the options of groups that something other than their own item decides."""

    repository: Repository
    chosen: dict[str, tuple[str, ...]]
    appended: tuple[Choice, ...] = ()
    """What the user puts at the end of the primary configuration's defaults list."""
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The groups that were met, by the key that overrides them, and what was taken."""
    _around: list[str] = field(default_factory=list)
    """The configurations whose defaults lists are gone through; Hydra ends where one comes to itself again."""

    def composed(self, path: str, group: str, package: str, trail: tuple[Step, ...], depth: int = 0) -> Items | None:
        """Return a configuration with everything its defaults list chooses; None when there is no such file."""
        part = self.repository.part(path, trail)
        if part is None or depth > DEEPEST_DEFAULTS or path in self._around:
            return None
        own = Items({key: values for key, values in part.tree.entries.items() if key != "defaults"}, part.tree.complete)
        self._around.append(path)
        found = self._with_defaults(part, own, group, package, trail, depth)
        self._around.pop()
        return found

    def _with_defaults(
        self, part: Part, own: Items, group: str, package: str, trail: tuple[Step, ...], depth: int
    ) -> Items:
        own = _nested(package, own, part.span)
        choices = list(choices_of(part.tree))
        if not any(one.is_self for one in choices):
            choices.append(Choice("", ("_self_",), part.span))
        if depth == 0:
            choices.extend(self.appended)
        for one in choices:
            if one.override:
                self.chosen.setdefault(_key(one, group, package), one.options)
        layers: list[Items] = []
        # Hydra goes through a list from its end, so that what a later item overrides is known to the earlier ones.
        for one in reversed(choices):
            if one.is_self:
                layers.append(own)
            elif not one.override:
                layers.extend(reversed(list(self._layers(one, group, package, trail, depth))))
        composed = Items({})
        for layer in reversed(layers):
            composed = merged(composed, layer)
        return composed

    def _layers(self, choice: Choice, group: str, package: str, trail: tuple[Step, ...], depth: int) -> Iterator[Items]:
        """Yield what each option of one item brings; an option that is not there may bring anything."""
        options = choice.options
        if choice.group:
            key = _key(choice, group, package)
            options = self.chosen.get(key, options)
            self.groups.setdefault(key, options)
        for option in options:
            path = _absolute(posixpath.join(choice.group, option), group)
            if path.startswith("hydra/"):
                continue
            # The folder in which an option of a group stands is a part of its name, and of nothing else.
            inner = _absolute(choice.group, group) if choice.group else posixpath.dirname(path)
            header = self.repository.part(path, ())
            relative = choice.group or posixpath.dirname(option)
            said = choice.package if choice.package is not None else _header(header)
            where = _package(package, relative.lstrip("/").replace("/", ".") if said is None else said)
            note = f"{choice.group.lstrip('/')}: {option}" if choice.group else option
            layer = self.composed(path, inner, where, (Step(choice.span, note), *trail), depth + 1)
            if layer is not None:
                yield layer
            elif not choice.optional:
                yield _nested(where, Items({}, complete=False), choice.span)


def _nested(package: str, tree: Items, span: Span) -> Items:
    return nested(filter(None, package.split(".")), tree, span)


def _header(part: Part | None) -> str | None:
    """Return the package that a header says, which is absolute whatever it says."""
    if part is None or part.package is None or part.package == "_group_":
        return None
    return part.package if part.package.startswith("_global_") else f"_global_.{part.package}"


def _package(parent: str, package: str) -> str:
    """Return the package that a configuration lands in (``InputDefault._get_final_package``)."""
    joined = ".".join(filter(None, (parent, package)))
    _, globally, rest = joined.rpartition("_global_")
    return rest.lstrip(".") if globally else joined


def _absolute(path: str, group: str) -> str:
    return path.lstrip("/") if path.startswith("/") else posixpath.join(group, path)


def _key(choice: Choice, group: str, package: str) -> str:
    """Return the words that override the choice of a group, such as ``data`` or ``data@val``."""
    path = _absolute(choice.group, group)
    if choice.package is None:
        return path
    final = _package(package, choice.package.replace("_group_", path.replace("/", ".")))
    return path if final == path.replace("/", ".") else f"{path}@{final or '_global_'}"


def choices_of(tree: Items) -> Iterator[Choice]:
    """Yield the items of a configuration's defaults list."""
    for defaults in tree.entries.get("defaults", ()):
        for items in defaults.thing.items if isinstance(defaults.thing, Row) else ():
            for one in items:
                yield from _choices(one)


def _choices(one: Possibility) -> Iterator[Choice]:
    if isinstance(one.thing, str):
        words = one.thing.split()
        path, _, package = words[-1].partition("@") if words else ("", "", "")
        yield Choice("", (path,), one.span, package or None, "optional" in words[:-1])
    for key, values in one.thing.entries.items() if isinstance(one.thing, Items) else ():
        words = key.split()
        group, _, package = words[-1].partition("@") if words else ("", "", "")
        options = tuple(option for value in values for option in _options(value))
        place = values[0].entry or values[0].span if values else one.span
        yield Choice(
            group, options, place, package or None, "optional" in words[:-1], override="override" in words[:-1]
        )


def _options(value: Possibility) -> Iterator[str]:
    if isinstance(value.thing, Row):
        for items in value.thing.items:
            for item in items:
                yield from _options(item)
    elif value.thing is not None:
        # What is no name (an interpolation, a missing choice) names no file, so that it brings what nobody saw.
        yield str(value.thing) if isinstance(value.thing, str | int) else "???"


def composed(repository: Repository, name: str, subject: str, trail: tuple[Step, ...]) -> Items | None:
    """Return what a program composes of its primary configuration, None when there is no such file.

    ``subject`` is the question which options the user chose; ``trail`` the last steps of every value.
    """
    groups: dict[str, tuple[str, ...]] = {}
    first = chosen(repository, name, {}, trail, groups)
    if first is None:
        return None
    ways = {AS_IT_STANDS: first}
    others = list(_others(repository, groups))
    in_folders = list(_others_in_folders(repository, groups, MOST_CHOICES - len(others)))
    for key, option in (*others, *in_folders) if len(others) <= MOST_CHOICES else ():
        words = f"{key}={option}"
        said = (replace(trail[0], note=f"{trail[0].note} {words}"), *trail[1:])
        tree = chosen(repository, name, {key: option}, said)
        if tree is not None:
            ways[words] = tree
    return _joined([(frozenset({words}), tree) for words, tree in ways.items()], subject)


def chosen(
    repository: Repository,
    name: str,
    choices: Mapping[str, str],
    trail: tuple[Step, ...],
    groups: dict[str, tuple[str, ...]] | None = None,
) -> Items | None:
    """Return what is composed where these options are chosen (``+group`` for one that no defaults list names).

    The groups that are met on the way, and what is taken of each, are put into ``groups``.
    """
    primary = repository.part(name, trail)
    if primary is None:
        return None
    appended = tuple(
        Choice(key.lstrip("+"), (option,), primary.span) for key, option in choices.items() if key.startswith("+")
    )
    replaced: dict[str, tuple[str, ...]] = {
        key: (option,) for key, option in choices.items() if not key.startswith("+")
    }
    composer = _Composer(repository, replaced, appended, {} if groups is None else groups)
    return composer.composed(name, "", _package("", _header(primary) or ""), trail)


def read_at(where: Span, tree: Items) -> Items:
    """Return a tree that was composed for programs `ANYWHERE` as it is read at a place."""
    return _Reading(where).tree(tree)


class _Reading(Struct, frozen=True, eq=False):
    """Remembers the trees that several choices share."""

    where: Span
    known: dict[int, Thing] = field(default_factory=dict)

    def tree(self, tree: Items) -> Items:
        """Return a mapping whose trails end at the place."""
        return replace(tree, entries={key: self._values(values) for key, values in tree.entries.items()})

    def _values(self, values: Possibilities) -> Possibilities:
        return tuple(map(self._value, values))

    def _value(self, one: Possibility) -> Possibility:
        trail = one.trail
        if trail and trail[-1].span == ANYWHERE:
            trail = (*trail[:-1], replace(trail[-1], span=self.where))
        return replace(one, thing=self._thing(one.thing), trail=trail)

    def _thing(self, thing: Thing) -> Thing:
        if not isinstance(thing, Items | Row):
            return thing
        if id(thing) not in self.known:
            self.known[id(thing)] = (
                self.tree(thing) if isinstance(thing, Items) else Row(tuple(map(self._values, thing.items)))
            )
        return self.known[id(thing)]


def _others(repository: Repository, groups: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield the options that the user can choose besides those taken: ``group=option``, ``+experiment=option``.

    A group that no defaults list names is chosen with a plus; one whose files say that they change the whole
    configuration is there for that.
    """
    for key, taken in groups.items():
        group = key.partition("@")[0]
        if group.startswith("hydra"):
            continue
        for option in repository.options(group):
            if taken != (option,):
                yield key, option
    for group in repository.groups():
        if group in groups or group == "hydra":
            continue
        for option in repository.options(group):
            if _is_global(repository.part(f"{group}/{option}", ())):
                yield f"+{group}", option


def _others_in_folders(
    repository: Repository, groups: Mapping[str, tuple[str, ...]], most: int
) -> Iterator[tuple[str, str]]:
    """Yield the options in folders that the user can choose, where they are no more than so many; else none.

    A folder in a group may hold another group. Its files are options of the group where one that is taken stands in a
    folder, too, and where they say that they change the whole configuration.
    """
    met = {key.partition("@")[0] for key in groups}
    unnamed = {group: () for group in repository.groups() if group not in met}
    found: list[tuple[str, str]] = []
    for key, taken in {**groups, **{f"+{group}": () for group in unnamed}}.items():
        group = key.partition("@")[0].lstrip("+")
        if group.startswith("hydra"):
            continue
        groups_in = tuple(f"{one.removeprefix(f'{group}/')}/" for one in met if one.startswith(f"{group}/"))
        options = [one for one in repository.in_folders(group) if not one.startswith(groups_in)]
        if len(options) + len(found) > most:
            return
        found.extend(
            (key, option)
            for option in options
            if taken != (option,)
            and (any("/" in one for one in taken) or _is_global(repository.part(f"{group}/{option}", ())))
        )
    yield from found


def _is_global(part: Part | None) -> bool:
    return part is not None and part.package == "_global_"


def _joined(ways: list[tuple[frozenset[str], Items]], subject: str) -> Items:
    """Return one tree for several, each value assuming the choices that lead to it."""
    if all(tree is ways[0][1] for _, tree in ways):
        return ways[0][1]
    entries: dict[str, Possibilities] = {}
    for key in dict.fromkeys(key for _, tree in ways for key in tree.entries):
        absent = (Possibility(ABSENT, _any_span(ways, key)),)
        given = [
            (chosen, one)
            for chosen, tree in ways
            for one in tree.entries.get(key, absent if tree.complete else unseen(absent[0].span))
        ]
        entries[key] = _values(given, frozenset().union(*(chosen for chosen, _ in ways)), subject)
    return Items(entries, all(tree.complete for _, tree in ways))


def _any_span(ways: list[tuple[frozenset[str], Items]], key: str) -> Span:
    return next(tree.entries[key][0].span for _, tree in ways if tree.entries.get(key))


def _values(given: list[tuple[frozenset[str], Possibility]], every: frozenset[str], subject: str) -> Possibilities:
    mappings = [(chosen, one) for chosen, one in given if isinstance(one.thing, Items)]
    found: list[Possibility] = []
    if mappings:
        trees = [(chosen, one.thing) for chosen, one in mappings if isinstance(one.thing, Items)]
        together = frozenset[str]().union(*(chosen for chosen, _ in mappings))
        joint = replace(mappings[0][1], thing=_joined(trees, subject), assumptions=NO_ASSUMPTIONS)
        found.extend(under((joint,), _assumed(together, every, subject)))
    same: dict[tuple[object, ...], tuple[frozenset[str], Possibility]] = {}
    for chosen, one in given:
        if not isinstance(one.thing, Items):
            key = (type(one.thing), _comparable(one.thing), one.span, one.assumptions)
            before = same.get(key)
            same[key] = (chosen, one) if before is None else (before[0] | chosen, before[1])
    for chosen, one in same.values():
        found.extend(under((one,), _assumed(chosen, every, subject)))
    return distinct(found)


def _comparable(thing: Thing) -> object:
    if isinstance(thing, Interpolation):
        return thing.text
    return thing if thing is None or isinstance(thing, bool | int | float | str) else id(thing)


def _assumed(chosen: frozenset[str], every: frozenset[str], subject: str) -> Assumptions:
    return NO_ASSUMPTIONS if chosen == every else frozenset({Assumption(subject, chosen)})
