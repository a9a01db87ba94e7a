"""Registries: functions and classes that are kept under a name by a decorator such as ``@DATASETS.register()``.

``get(name)`` gives what was registered under a name: its own in fvcore (``fvcore/common/registry.py``); another
where the decorator gives one, as in OpenMMLab's (``register_module`` of ``mmengine/registry/registry.py``, 0.10).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.linking.things.kinds import Class, Frame, Function, Instance, Made, Possibilities, Possibility, Thing
from loaderlint.linking.things.possibilities import choice, under
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import Binding, FunctionNode, PythonFacts
from loaderlint.readers.python_calls import without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_REGISTERS = ("register", "register_module")


class _Entry(Struct, frozen=True, eq=False):
    """Something registered under a name, None where the name was not seen."""

    name: str | None
    thing: Function | Class


class Registries:
    """What every registry of a project holds, by the call that makes the registry."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._entries: dict[int, list[_Entry]] | None = None

    def got(self, registry: Thing, keys: Possibilities, span: Span) -> Possibilities | None:
        """Return what ``registry.get(key)`` can give, None when nothing was seen to be registered there."""
        entries = self._of(registry)
        if not entries:
            return None
        found: list[Possibility] = []
        for key in keys:
            unseen_key = not isinstance(key.thing, str)
            for one in entries:
                if unseen_key or one.name in (key.thing, None):
                    assumed = choice(str(span), one.name or one.thing.scope.name) if unseen_key else frozenset()
                    found.extend(under((Possibility(one.thing, span),), key.assumptions, assumed))
        return tuple(found) or None

    def _of(self, registry: Thing) -> list[_Entry]:
        if not isinstance(registry, Instance | Made) or registry.call is None:
            return []
        if self._entries is None:
            self._entries = {}
            for facts in self._evaluator.project.all_python():
                for binding, decorator in _registered(facts):
                    self._note(facts, binding, decorator)
        return self._entries.get(id(registry.call), [])

    def _note(self, facts: PythonFacts, binding: Binding, decorator: ast.expr) -> None:
        assert self._entries is not None
        made = without_arguments(decorator)
        assert isinstance(made, ast.Attribute)
        frame = Frame(facts, binding.place)
        for held in self._evaluator.binding(binding, frame):
            if not isinstance(held.thing, Function | Class):
                continue
            entry = _Entry(_name_given(decorator, held.thing.scope.name), held.thing)
            for one in self._evaluator.evaluate(made.value, frame):
                if isinstance(one.thing, Instance | Made) and one.thing.call is not None:
                    self._entries.setdefault(id(one.thing.call), []).append(entry)


def is_registered(node: ast.AST) -> bool:
    """Return whether a function or class stands under a decorator that registers it."""
    return isinstance(node, FunctionNode | ast.ClassDef) and any(
        "regist" in last_name(without_arguments(one)).lower() for one in node.decorator_list
    )


def _registered(facts: PythonFacts) -> Iterator[tuple[Binding, ast.expr]]:
    for bindings in facts.module.bindings.values():
        for one in bindings:
            if isinstance(one.node, FunctionNode | ast.ClassDef):
                for decorator in one.node.decorator_list:
                    made = without_arguments(decorator)
                    if isinstance(made, ast.Attribute) and made.attr in _REGISTERS:
                        yield one, decorator


def _name_given(decorator: ast.expr, own: str) -> str | None:
    """Return the name a decorator registers something under, its own without one; None for one that is not written."""
    given = [*decorator.args, *(one.value for one in decorator.keywords)] if isinstance(decorator, ast.Call) else []
    if not given:
        return own
    return next((one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)), None)
