"""absl: flags defined anywhere in a program and read from one object.

``absl/flags/_defines.py``: ``DEFINE_integer(name, default, help)`` and its like return a holder whose ``value`` is the
flag's; ``absl.flags.FLAGS`` has every flag that the modules imported so far define, and an attribute set on it replaces
the flag's value. A default goes through the flag's parser like what the user gives
(``absl/flags/_argument_parser.py``); ``DEFINE_alias(name, original)`` is another name of a flag. ``FLAGS[name].value``
is the flag's value, too, ``FLAGS.get_flag_value(name, default)`` gives the default where that is None, and
``FLAGS.set_default(name, value)`` and ``set_default(holder, value)`` put another default in the place of the first
(``absl/flags/_flagvalues.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from loaderlint.linking.files.imports import Imports
from loaderlint.linking.following.commandlines import config_files
from loaderlint.linking.following.commandlines.flags import Flag, default_values, flag_values
from loaderlint.linking.things.kinds import UNSEEN, External, Frame, Items, Made, Possibilities, Possibility, Row, Thing
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.possibilities import one_of, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import CallSite, Place, PythonFacts, dotted
from loaderlint.readers.python_calls import arguments as arguments_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

FLAGS = "absl.flags.FLAGS"
ONE_OF_FLAGS = f"{FLAGS}[]."
"""How the name of what ``FLAGS[name]`` gives begins."""


def _boolean(default: Thing) -> Thing:
    if isinstance(default, str):
        return {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}.get(default.lower(), UNSEEN)
    return bool(default) if isinstance(default, int) and default in (0, 1) else UNSEEN


def _float(default: Thing) -> Thing:
    return float(default) if isinstance(default, int | float | str) and not isinstance(default, bool) else UNSEEN


def _integer(default: Thing) -> Thing:
    if isinstance(default, str):
        base = {"0o": 8, "0x": 16}.get(default[:2] if len(default) > 2 else "", 10)
        return int(default, base)
    return default if isinstance(default, int) and not isinstance(default, bool) else UNSEEN


def _string(default: Thing) -> Thing:
    return default if isinstance(default, str) else UNSEEN


_PARSERS: Mapping[str, Callable[[Thing], Thing]] = {
    "string": _string,
    "enum": _string,
    "integer": _integer,
    "float": _float,
    "bool": _boolean,
    "boolean": _boolean,
    "enum_class": lambda default: UNSEEN,
}
"""What a flag makes of its default, by the last part of the name of what defines it."""
_LISTS: Mapping[str, Callable[[Thing], Thing]] = {
    "list": _string,
    "spaceseplist": _string,
    "multi_string": _string,
    "multi_enum": _string,
    "multi_integer": _integer,
    "multi_float": _float,
    "multi_enum_class": lambda default: UNSEEN,
}
"""What a flag that holds a list makes of each of its items."""
_SWITCHES = ("bool", "boolean")
"""Flags that are named without a value, and with ``no`` in front to turn them off."""
_PREFIX = "absl.flags.DEFINE_"
_DEFINES = frozenset(f"{_PREFIX}{kind}" for kind in ("alias", *_PARSERS, *_LISTS))


def held(evaluator: Evaluator, holder: Made, frame: Frame) -> Possibilities | None:
    """Return what the holder that a definition returns has as its value where it is read, None for anything else."""
    flag = _flag(holder.call, holder.frame) if _defines(holder.callee) else None
    return None if flag is None else evaluator.defined_flags.held_by(flag, frame)


def method(evaluator: Evaluator, node: ast.Call, name: str, frame: Frame, span: Span) -> Possibilities | None:
    """Return what a method of ``FLAGS`` gives, None for one that is not known."""
    if name == "flag_values_dict":
        return (Possibility(Items(evaluator.defined_flags.every(frame, span), complete=False), span),)
    if name != "get_flag_value":
        return None
    given = arguments_of(node, ("name", "default"))
    if set(given) != {"name", "default"}:
        return unseen(span)
    found: list[Possibility] = []
    for asked in evaluator.evaluate(given["name"], frame):
        values = (
            evaluator.defined_flags.read(asked.thing, frame, span) if isinstance(asked.thing, str) else unseen(span)
        )
        for one in values:
            instead = evaluator.evaluate(given["default"], frame) if one.thing is None else (one,)
            found.extend(under(instead, asked.assumptions, one.assumptions))
    return tuple(found)


def _defines(callee: str) -> bool:
    return callee in _DEFINES | config_files.DEFINES_FILE | config_files.DEFINES_OBJECT


def _values(evaluator: Evaluator, flag: Flag, frame: Frame) -> Possibilities:
    defined_by = {
        one.thing.name
        for one in evaluator.evaluate(flag.declaration.func, flag.frame)
        if isinstance(one.thing, External)
    }
    if defined_by & config_files.DEFINES_FILE:
        return config_files.of_files(evaluator, flag)
    if defined_by & config_files.DEFINES_OBJECT:
        return config_files.of_object(evaluator, flag)
    original = _original(flag) if _is_alias(flag) else None
    if original is not None:
        return evaluator.defined_flags.read(original, flag.frame, flag.span)
    required = flag.keyword("required")
    given = evaluator.defined_flags.defaults(flag, frame)
    if isinstance(required, ast.Constant) and required.value is True and given is None:
        return unseen(flag.span)
    kind = next(iter(defined_by)).removeprefix(_PREFIX) if len(defined_by) == 1 else ""
    defaults = tuple(_read(one, kind) for one in (default_values(evaluator, flag) if given is None else given))
    values = flag_values(
        evaluator, replace(flag, switch=True, turned_off=True) if kind in _SWITCHES else flag, defaults
    )
    # What the user gives stands where the flag says what it is: in the place of the call itself no value can stand.
    arguments = [*flag.declaration.args, *(one.value for one in flag.declaration.keywords)]
    said = flag.frame.facts.between(arguments[0], arguments[-1])
    return tuple(replace(one, span=said) if one.span == flag.span else one for one in values)


def _is_alias(flag: Flag) -> bool:
    return (dotted(flag.declaration.func) or "").endswith("DEFINE_alias")


def _original(flag: Flag) -> str | None:
    """Return the name of the flag that an alias stands for."""
    call = flag.declaration
    name = call.args[1] if len(call.args) > 1 else flag.keyword("original_name")
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else None


def _read(default: Possibility, kind: str) -> Possibility:
    """Return a default as the parser of its flag reads it; None stays None."""
    thing = default.thing
    if thing is None:
        return default
    if kind in _LISTS:
        if not isinstance(thing, Row):
            return replace(default, thing=UNSEEN)
        items = tuple(tuple(_parsed(one, _LISTS[kind]) for one in item) for item in thing.items)
        return replace(default, thing=Row(items))
    return _parsed(default, _PARSERS.get(kind, lambda default: UNSEEN))


def _parsed(one: Possibility, parse: Callable[[Thing], Thing]) -> Possibility:
    try:
        parsed = parse(one.thing)
    except (ValueError, OverflowError):
        parsed = UNSEEN
    return one if parsed is one.thing else replace(one, thing=parsed)


def _flag(call: ast.Call, frame: Frame) -> Flag | None:
    """Return the flag that a definition declares, None where its name is not written or it is no flag of ``FLAGS``."""
    given = arguments_of(call, ("name", "default"))
    name, default = given.get("name"), given.get("default")
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or "flag_values" in given:
        return None
    return Flag(name.value, call, frame, default)


class _ItemSet(NamedTuple):
    """Where the value of one of all flags is set: ``FLAGS["workers"].value = 2``."""

    facts: PythonFacts
    place: Place
    owner: ast.expr

    @property
    def span(self) -> Span:
        return self.facts.span(self.owner)


def _ran_before(place: Place, frame: Frame) -> bool:
    """Return whether a statement surely ran in the scope in which something is read."""
    return place.scope is frame.scope and not place.arms and place.order < frame.place.order


class DefinedFlags:
    """The flags that the files of a project define, worked out once."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._imports = Imports(evaluator.project, further=True)

    @cached_property
    def _by_name(self) -> dict[str, list[Flag]]:
        found: dict[str, list[Flag]] = {}
        for facts in self._evaluator.project.all_python():
            for called, sites in facts.calls.items():
                for site in sites if called.startswith("DEFINE_") else ():
                    frame = Frame(facts, site.place)
                    flag = _flag(site.node, frame)
                    if flag is not None and self._is_definition(site.node, frame):
                        found.setdefault(flag.name, []).append(flag)
        return found

    @cached_property
    def _aliases(self) -> dict[str, list[str]]:
        """The other names of each flag, by which it is set as well."""
        found: dict[str, list[str]] = {}
        for flags in self._by_name.values():
            for flag in flags:
                original = _original(flag) if _is_alias(flag) else None
                if original is not None:
                    found.setdefault(original, []).append(flag.name)
        return found

    def _is_definition(self, call: ast.Call, frame: Frame) -> bool:
        callee = self._evaluator.evaluate(call.func, frame)
        return any(isinstance(one.thing, External) and _defines(one.thing.name) for one in callee)

    def read(self, name: str, frame: Frame, span: Span) -> Possibilities:
        """Return what ``FLAGS.name`` can be where it is read: by its definition, or as some other code sets it."""
        defined = self._by_name.get(name, [])
        if len(defined) > 1:
            # Some program of the project imports both files.
            together = self._imports.together(frame.facts.source.path)
            defined = [one for one in defined if one.frame.facts.source.path in together]
        if not defined:
            self._evaluator.mentioned.add(name)
        ways = [(str(one.span), _values(self._evaluator, one, frame)) for one in defined] or [("unseen", unseen(span))]
        return self._with_set(name, ways, frame)

    def held_by(self, flag: Flag, frame: Frame) -> Possibilities:
        """Return what the holder of a flag has as its value where it is read."""
        return self._with_set(flag.name, [(str(flag.span), _values(self._evaluator, flag, frame))], frame)

    def _with_set(self, name: str, ways: list[tuple[str, Possibilities]], frame: Frame) -> Possibilities:
        """Return what a flag is by its definition, or as other code sets it: all that it is where that surely ran."""
        for one in (name, *self._aliases.get(name, ())):
            ways.extend(self._set(one))
            for item in self._items_set.get(one, ()):
                ways = [*([] if _ran_before(item.place, frame) else ways), (str(item.span), self._given_to(item))]
        return one_of(f"FLAGS.{name}", ways)

    def every(self, frame: Frame, span: Span) -> Mapping[str, Possibilities]:
        """Return the values of all flags by their names, each worked out when it is read."""
        return Lazily.of(self._by_name, lambda name: self.read(name, frame, span))

    def defaults(self, flag: Flag, read: Frame) -> Possibilities | None:
        """Return the defaults of a flag, as it is read, where others than its own are set; None where there are none.

        What is set right before it is read, or as the module is loaded that defines it, is the default for sure.
        """
        evaluator = self._evaluator
        found: Possibilities | None = None
        for facts, site in self._default_calls:
            frame = Frame(facts, site.place)
            if not self._names(site.node, flag, frame):
                continue
            given = arguments_of(site.node, ("name", "value")).get("value")
            values = evaluator.evaluate(given, frame) if given is not None else unseen(facts.span(site.node))
            ways = evaluator.conditions(site.place.arms, frame)
            set_there = tuple(one for way in ways for one in under(values, way))
            loaded = facts is flag.frame.facts and site.place.scope is facts.module and not site.place.arms
            always = _ran_before(site.place, read) or (loaded and read.scope is not facts.module)
            before = default_values(evaluator, flag) if found is None else found
            subject = f"the default of FLAGS.{flag.name} since {facts.span(site.node)}"
            found = set_there if always else one_of(subject, [("before", before), ("set", set_there)])
        return found

    @cached_property
    def _default_calls(self) -> list[tuple[PythonFacts, CallSite]]:
        """The calls that set another default of a flag."""
        return [
            (facts, site)
            for facts in self._evaluator.project.all_python()
            for site in facts.calls.get("set_default", ())
        ]

    def _names(self, call: ast.Call, flag: Flag, frame: Frame) -> bool:
        """Return whether a call of ``set_default`` is about a flag: of ``FLAGS`` by its name, else by its holder."""
        evaluator = self._evaluator
        named = arguments_of(call, ("name", "value"))
        what = named.get("name", named.get("flag_holder"))
        if what is None:
            return False
        asked = evaluator.evaluate(what, frame)
        if any(isinstance(one.thing, Made) and one.thing.call is flag.declaration for one in asked):
            return True
        if not any(one.thing == flag.name for one in asked) or not isinstance(call.func, ast.Attribute):
            return False
        if len(self._by_name.get(flag.name, ())) > 1:
            together = self._imports.together(frame.facts.source.path)
            if flag.frame.facts.source.path not in together:
                return False
        owners = evaluator.evaluate(call.func.value, frame)
        return any(isinstance(one.thing, External) and one.thing.name == FLAGS for one in owners)

    @cached_property
    def _items_set(self) -> Mapping[str, list[_ItemSet]]:
        """Where ``FLAGS[name].value`` is set, by the names of the flags."""
        found: dict[str, list[_ItemSet]] = {}
        for facts in self._evaluator.project.all_python():
            for change in facts.attribute_changes:
                match change.owner, change.name:
                    case ast.Subscript(owner, ast.Constant(str(name))), ast.Constant("value"):
                        owners = self._evaluator.evaluate(owner, Frame(facts, change.place))
                        if any(isinstance(one.thing, External) and one.thing.name == FLAGS for one in owners):
                            found.setdefault(name, []).append(_ItemSet(facts, change.place, change.owner))
        return found

    def _given_to(self, item: _ItemSet) -> Possibilities:
        """Return what a statement sets the value of a flag to."""
        frame = Frame(item.facts, item.place)
        for node in ast.walk(item.facts.tree):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if len(targets) == 1 and isinstance(targets[0], ast.Attribute) and targets[0].value is item.owner:
                assert isinstance(node, ast.Assign)
                values = self._evaluator.evaluate(node.value, frame)
                ways = self._evaluator.conditions(item.place.arms, frame)
                return tuple(one for way in ways for one in under(values, way))
        return unseen(item.span)

    def _set(self, name: str) -> Iterator[tuple[str, Possibilities]]:
        for facts, binding in self._evaluator.attributes_set.get(name, ()):
            node = binding.node
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if not isinstance(target, ast.Attribute) or target.attr != name:
                    continue
                where = Frame(facts, binding.place)
                owners = self._evaluator.evaluate(target.value, where)
                if any(isinstance(one.thing, External) and one.thing.name == FLAGS for one in owners):
                    values = self._evaluator.binding(binding, where)
                    ways = self._evaluator.conditions(binding.place.arms, where)
                    yield str(facts.span(node)), tuple(one for way in ways for one in under(values, way))
