"""absl: flags defined anywhere in a program and read from one object.

``absl/flags/_defines.py``: ``DEFINE_integer(name, default, help)`` and its like return a holder whose ``value`` is the
flag's; ``absl.flags.FLAGS`` has every flag that the modules imported so far define, and an attribute set on it replaces
the flag's value. A default goes through the flag's parser like what the user gives
(``absl/flags/_argument_parser.py``); ``DEFINE_alias(name, original)`` is another name of a flag.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.imports import Imports
from loaderlint.linking.following.commandlines import config_files
from loaderlint.linking.following.commandlines.flags import Flag, default_values, flag_values
from loaderlint.linking.things.kinds import UNSEEN, External, Frame, Made, Possibilities, Possibility, Row, Thing
from loaderlint.linking.things.possibilities import one_of, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import arguments as arguments_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

FLAGS = "absl.flags.FLAGS"


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


def held(evaluator: Evaluator, holder: Made) -> Possibilities | None:
    """Return what the holder that a definition returns has as its value, None for anything else that was made."""
    flag = _flag(holder.call, holder.frame) if _defines(holder.callee) else None
    return None if flag is None else _values(evaluator, flag)


def _defines(callee: str) -> bool:
    return callee in _DEFINES | config_files.DEFINES_FILE | config_files.DEFINES_OBJECT


def _values(evaluator: Evaluator, flag: Flag) -> Possibilities:
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
    if isinstance(required, ast.Constant) and required.value is True:
        return unseen(flag.span)
    kind = next(iter(defined_by)).removeprefix(_PREFIX) if len(defined_by) == 1 else ""
    defaults = tuple(_read(one, kind) for one in default_values(evaluator, flag))
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
        ways = [(str(one.span), _values(self._evaluator, one)) for one in defined] or [("unseen", unseen(span))]
        names = (name, *self._aliases.get(name, ()))
        return one_of(f"FLAGS.{name}", [*ways, *(way for one in names for way in self._set(one))])

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
