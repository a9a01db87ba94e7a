"""Registries: functions and classes that are kept under a name by a decorator such as ``@DATASETS.register()``.

``get(name)`` gives what was registered under a name: its own in fvcore (``fvcore/common/registry.py``); another
where the decorator gives one, as in OpenMMLab's (``register_module`` of ``mmengine/registry/registry.py``, 0.10).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
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

REGISTERS = ("register", "register_module")
"""The methods of a registry that put something into it."""
MOST_STEPS_OF_REGISTRIES = 20_000
"""Expressions followed to find out what all registries of a project hold."""
MOST_STEPS_OF_AN_ENTRY = 60
"""Expressions followed to find out which registry a decorator is of."""


class _Entry(Struct, frozen=True, eq=False):
    """Something registered under a name, None where the name was not seen."""

    name: str | None
    thing: Function | Class


class Registries:
    """What every registry of a project holds, by the call that makes the registry."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

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

    def _of(self, registry: Thing) -> Sequence[_Entry]:
        if not isinstance(registry, Instance | Made) or registry.call is None:
            return ()
        # Whoever asks first may have few steps left: what there is does not depend on that.
        nothing: Mapping[int, Sequence[_Entry]] = {}
        every = self._evaluator.once(("registries",), nothing, self._every, MOST_STEPS_OF_REGISTRIES)
        return every.get(id(registry.call), ())

    def _every(self) -> Mapping[int, Sequence[_Entry]]:
        found: dict[int, list[_Entry]] = {}
        for facts in self._evaluator.project.all_python():
            for binding, decorator in _registered(facts):
                for call, entry in self._entered(facts, binding, decorator):
                    found.setdefault(id(call), []).append(entry)
        return found

    def _entered(self, facts: PythonFacts, binding: Binding, decorator: ast.expr) -> Iterator[tuple[ast.Call, _Entry]]:
        """Yield what a decorator registers, each with the call that made the registry."""
        made = without_arguments(decorator)
        assert isinstance(made, ast.Attribute)
        frame = Frame(facts, binding.place)
        with self._evaluator.steps(MOST_STEPS_OF_AN_ENTRY):
            registries = self._evaluator.evaluate(made.value, frame)
            held = self._evaluator.binding(binding, frame)
        for entered in (one.thing for one in held):
            if isinstance(entered, Function | Class):
                entry = _Entry(_name_given(decorator, entered.scope.name), entered)
                for one in registries:
                    if isinstance(one.thing, Instance | Made) and one.thing.call is not None:
                        yield one.thing.call, entry


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
                    if isinstance(made, ast.Attribute) and made.attr in REGISTERS:
                        yield one, decorator


def _name_given(decorator: ast.expr, own: str) -> str | None:
    """Return the name a decorator registers something under, its own without one; None for one that is not written.

    What a keyword that is no name says may be a part of it: ``@KINDS.register(suffix="fast")``, ``namespace="fast"``.
    """
    if not isinstance(decorator, ast.Call) or not (decorator.args or decorator.keywords):
        return own
    names = [*decorator.args, *(one.value for one in decorator.keywords if _is_name(one.arg or ""))]
    return next((one.value for one in names if isinstance(one, ast.Constant) and isinstance(one.value, str)), None)


def _is_name(keyword: str) -> bool:
    """Return whether a keyword says what something is called: ``name``, ``module_name``."""
    return keyword.rpartition("_")[2] == "name"
