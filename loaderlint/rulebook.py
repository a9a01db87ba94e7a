"""The rules there are: those of the rule book, found by being there, and those of a project's plugins."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from loaderlint.nearest import nearest

if TYPE_CHECKING:
    from loaderlint.model.rule import Rule

_BOOK = "loaderlint.rules"


class RuleBookError(Exception):
    """A plugin that cannot be imported, a rule without a code, or two rules with one code or name."""


class RuleFailed(RuleBookError):
    """A rule that broke while it looked at a loader."""


class UnknownRule(LookupError):
    """A name or code that no rule has; ``nearest`` is the closest one there is, None when none is close."""

    def __init__(self, asked: str, nearest: str | None) -> None:
        hint = f"; did you mean {nearest}?" if nearest else ""
        super().__init__(f"there is no rule {asked!r}{hint}")
        self.asked = asked
        self.nearest = nearest


def all_rules(plugins: Sequence[str] = ()) -> tuple[type[Rule], ...]:
    """Return every rule, sorted by code.

    ``plugins`` are the dotted names of modules or packages with rules of a project's own (INTERFACE.md, "Settings").

    Raises:
        RuleBookError: a plugin cannot be imported, a rule has no code, or two rules have the same code or name.
    """
    return _collect(tuple(plugins))


def find(name_or_code: str, plugins: Sequence[str] = ()) -> type[Rule]:
    """Return the rule with this name or code, in upper or lower case.

    Raises:
        UnknownRule: there is none; the error names the nearest.
        RuleBookError: as `all_rules`.
    """
    by_key = {key: rule for rule in all_rules(plugins) for key in (rule.code, rule.name())}
    for key in (name_or_code.upper(), name_or_code.lower()):
        if key in by_key:
            return by_key[key]
    raise UnknownRule(name_or_code, nearest(name_or_code.replace("_", "-"), by_key))


@cache
def _collect(plugins: tuple[str, ...]) -> tuple[type[Rule], ...]:
    rules: dict[str, type[Rule]] = {}
    for module in _modules((_BOOK, *plugins)):
        for rule in _defined_in(module):
            if not hasattr(rule, "code"):
                raise RuleBookError(f"the rule {rule.__name__} of {module.__name__} has no code")
            for key in (rule.code, rule.name()):
                other = rules.setdefault(key, rule)
                if other is not rule:
                    raise RuleBookError(f"{key} is the rule of both {other.__module__} and {rule.__module__}")
    return tuple(sorted(set(rules.values()), key=lambda rule: rule.code))


def _modules(names: Sequence[str]) -> Iterator[ModuleType]:
    for name in names:
        module = _imported(name)
        yield module
        for found in pkgutil.iter_modules(getattr(module, "__path__", ()), f"{name}."):
            yield _imported(found.name)


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:  # a plugin's own code runs here and may fail in any way
        raise RuleBookError(f"plugin {name} cannot be imported: {type(error).__name__}: {error}") from error


def _defined_in(module: ModuleType) -> Iterator[type[Rule]]:
    # A run in which no file has to do with loaders needs no rules, nor all that they are told of.
    from loaderlint.model.rule import Rule

    for member in vars(module).values():
        own = inspect.isclass(member) and member.__module__ == module.__name__
        if own and issubclass(member, Rule) and not inspect.isabstract(member):
            yield member
