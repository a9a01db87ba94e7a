"""What operators give for things that were seen. Nothing is run but arithmetic on numbers of sane size."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from loaderlint.linking.things.comparisons import COMPARISONS
from loaderlint.linking.things.kinds import (
    UNSEEN,
    Class,
    External,
    Function,
    Instance,
    Items,
    Made,
    Module,
    Row,
    Thing,
    Unseen,
)
from loaderlint.linking.things.templates import WRITTEN
from loaderlint.model.value import Constant, CpuCount
from loaderlint.vocabulary.library_classes import COUNT_AS_TRUE


def _small(power: float) -> float:
    """Return a power or shift of sane size; any other is a TypeError."""
    if abs(power) <= 40:
        return power
    raise TypeError


_ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: lambda base, power: operator.pow(base, _small(power)),
    ast.LShift: lambda number, places: operator.lshift(number, _small(places)),
    ast.RShift: lambda number, places: operator.rshift(number, _small(places)),
}

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], object]] = {
    **COMPARISONS,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
}


_SIZES = (*range(1, 257), 384, 512, 1024)
"""How many CPUs machines have that a program may ask for theirs."""


def computed(things: list[Thing], apply: Callable[[list[object]], object], text: str) -> Thing:
    """Return what an operation gives for these things: a constant, a number from the CPU count, or the unseen.

    ``text`` is the operation as somebody wrote it.
    """
    if any(isinstance(thing, CpuCount) for thing in things):
        if not all(isinstance(thing, CpuCount | bool | int | float | None) for thing in things):
            return UNSEEN

        def at(cpus: int) -> Constant:
            result = apply([one.compute(cpus) if isinstance(one, CpuCount) else one for one in things])
            return result if isinstance(result, bool | int | float | str) else None

        try:
            kinds = {type(at(cpus)) for cpus in (1, 8)}
        except (TypeError, ValueError, ArithmeticError):
            return UNSEEN
        if kinds == {bool}:
            # A comparison with the machine's size can go either way.
            try:
                answers = {at(cpus) for cpus in _SIZES}
            except (TypeError, ValueError, ArithmeticError):
                return UNSEEN
            return answers.pop() if len(answers) == 1 else UNSEEN
        return CpuCount(text, at)
    if not all(thing is None or isinstance(thing, bool | int | float | str) for thing in things):
        return UNSEEN
    try:
        result = apply(list(things))
    except (TypeError, ValueError, ArithmeticError):
        return UNSEEN
    return result if result is None or isinstance(result, bool | int | float | str) else UNSEEN


def number(value: object) -> float:
    """Return a number of sane size; anything else is a TypeError."""
    if isinstance(value, int | float) and abs(value) < 10**12:
        return value
    raise TypeError


def arithmetic(kind: ast.operator, values: list[object]) -> object:
    """Return the result for two numbers of sane size; anything else is a TypeError."""
    apply = _ARITHMETIC.get(type(kind))
    if apply is None:
        raise TypeError
    return apply(number(values[0]), number(values[1]))


def comparison(kind: ast.cmpop, values: list[object]) -> object:
    """Return the answer of a comparison of two constants."""
    return _COMPARISONS[type(kind)](values[0], values[1])


def is_object(thing: Thing) -> bool:
    """Return whether a thing is surely no None; a class of another library is told by its name from a function."""
    if isinstance(thing, Made):
        return thing.callee.rpartition(".")[2][:1].isupper()
    return isinstance(thing, Function | Class | Instance | Module | Items | Row)


_NEVER_NONE = frozenset(
    {WRITTEN, *(f"builtins.{name}" for name in ("bool", "dict", "float", "int", "len", "list", "set", "str", "tuple"))}
)
"""Calls of the language that give no None."""


def is_something(thing: Thing) -> bool:
    """Return whether a thing is surely not None, though it may be a constant that was not seen."""
    if isinstance(thing, Unseen):
        return thing.something or thing.truth is True
    return is_object(thing) or (isinstance(thing, Made) and thing.callee in _NEVER_NONE)


def is_class(thing: Thing) -> bool:
    """Return whether a thing is a class; one of another library is told by the way it is spelled."""
    last = thing.name.rpartition(".")[2] if isinstance(thing, External) else ""
    return isinstance(thing, Class) or (last[:1].isupper() and not last.isupper())


def same_class(one: Thing, other: Thing) -> bool | None:
    """Return whether two things are one class, None where that was not seen: a library may give a class many names."""
    if isinstance(one, Class) and isinstance(other, Class):
        return one.node is other.node
    if not is_class(one) or not is_class(other):
        return None
    (module, name), (other_module, other_name) = _named(one), _named(other)
    if isinstance(one, Class) or isinstance(other, Class):
        return False if name != other_name else None
    if module in _ONE_NAME_EACH and other_module in _ONE_NAME_EACH:
        return name == other_name
    return True if (module, name) == (other_module, other_name) else None


def _named(thing: Thing) -> tuple[str, str]:
    """Return the dotted name of the module that a class of a library was taken from, and its own."""
    module, _, name = thing.name.rpartition(".") if isinstance(thing, External) else ("", "", "")
    return module, thing.node.name if isinstance(thing, Class) else name


_ONE_NAME_EACH = frozenset(
    f"torch.utils.data{module}" for module in ("", ".dataloader", ".dataset", ".distributed", ".sampler")
)
"""Modules that give each class one name, which is the same in all of them (``torch/utils/data/__init__.py``)."""


def truth_of(thing: Thing) -> bool | None:
    """Return whether a thing counts as true in a test, None when that was not seen."""
    if thing is None or isinstance(thing, bool | int | float | str):
        return bool(thing)
    if isinstance(thing, Unseen):
        return thing.truth
    if isinstance(thing, Function | Class | Instance | Module):
        return True
    if isinstance(thing, Made) and is_object(thing):
        # An empty sampler or list of transforms, which may count as false, is given to no loader.
        filled = thing.callee.endswith(("Sampler", "Compose"))
        return True if filled or thing.callee.startswith(COUNT_AS_TRUE) else None
    if isinstance(thing, CpuCount):
        # A machine has a CPU, and arithmetic that gives 0 for one CPU only is not worth a second arm.
        return bool(thing.compute(8))
    if isinstance(thing, Items):
        return bool(thing.entries) if thing.complete else None
    if isinstance(thing, Row):
        return bool(thing.items)
    return None
