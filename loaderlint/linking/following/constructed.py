"""What a constructor leaves on an object, with the helper methods and the constructors of bases that it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.linking.following import constructor_calls, functions
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance, Possibilities, end_of
from loaderlint.linking.things.possibilities import under
from loaderlint.linking.things.unset import fills_none
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.nodes import last_name, nodes_of
from loaderlint.readers.python import Arm, Binding, CallSite, FunctionNode, Scope, dotted
from loaderlint.readers.python import parameters as parameters_of
from loaderlint.readers.python_calls import element, is_super

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DEEPEST_HELPER = 4
"""Methods that a constructor calls through each other; deeper ones are not looked into."""

Circumstances: TypeAlias = tuple[tuple[tuple[Arm, ...], Frame], ...]
"""The arms that must be taken to come to a place, each with the frame that they are read in."""


class Left(Struct, frozen=True, eq=False):
    """An expression whose value an attribute has when the constructor is done.

    ``whole`` is False where the attribute holds it among others, as a list does what was appended.
    """

    value: ast.expr
    frame: Frame
    circumstances: Circumstances
    whole: bool = True


def left_by_constructor(evaluator: Evaluator, instance: Instance) -> dict[str, list[Left]]:
    """Return what each attribute of an object can hold once it is made, as far as the constructor gives it something.

    What is closed, deleted or replaced before the constructor ends is not left.
    """
    frame = constructor_calls.constructor_frame(evaluator, instance)
    if frame is None:
        return {}
    owner = classes.owner_of(frame.facts, frame.scope)
    run = _Run(evaluator, instance, classes.lineage(evaluator, instance.of))
    if owner is not None:
        run.method(owner, frame, (), 0)
    return {name: values for name, values in run.left.items() if values}


def put_inside(evaluator: Evaluator, left: Iterable[Left]) -> Iterator[Possibilities]:
    """Yield what a list or dictionary that an attribute holds was given, of all that a constructor left there."""
    for one in left:
        if not one.whole:
            put = evaluator.evaluate(one.value, one.frame)
            yield tuple(each for way in ways(evaluator, one.circumstances) for each in under(put, way))


def ways(evaluator: Evaluator, circumstances: Circumstances) -> list[Assumptions]:
    """Return the alternative assumptions under which a place is come to."""
    found = [NO_ASSUMPTIONS]
    for arms, frame in circumstances:
        if arms:
            taken = evaluator.conditions(arms, frame)
            joint = (together(before, one) for before in found for one in taken)
            found = list(dict.fromkeys(one for one in joint if one is not None))[:_MOST_WAYS]
    return found


_MOST_WAYS = 16


def method_called(lineage: Sequence[Class], owner: Class, self_name: str, call: ast.Call) -> tuple[Class, Scope] | None:
    """Return the method that a call inside a method of ``owner`` runs on the same object, with the class it is of."""
    function = call.func
    if not isinstance(function, ast.Attribute):
        return None
    above = [one.node for one in lineage].index(owner.node) + 1 if owner.node in [one.node for one in lineage] else 0
    searched: Sequence[Class] = ()
    if isinstance(function.value, ast.Name) and function.value.id == self_name:
        searched = lineage
    elif is_super(function.value):
        searched = lineage[above:]
    elif call.args and dotted(call.args[0]) == self_name:
        named = (dotted(function.value) or "").rpartition(".")[2]
        searched = [one for one in lineage if one.node.name == named]
    return classes.nearest(searched, function.attr)


class _Run(Struct, eq=False):
    """One run of a constructor, its statements in the order they stand in."""

    evaluator: Evaluator
    instance: Instance
    lineage: Sequence[Class]
    left: dict[str, list[Left]] = field(default_factory=dict)
    _running: list[Scope] = field(default_factory=list)

    def method(self, owner: Class, frame: Frame, around: Circumstances, depth: int) -> None:
        scope = frame.scope
        first = next(parameters_of(scope.node), None) if isinstance(scope.node, FunctionNode) else None
        if first is None or scope in self._running or depth > _DEEPEST_HELPER:
            return
        self._running.append(scope)
        for one in _in_order(scope, first.arg):
            self._read(one, first.arg, frame, around, depth)
            if isinstance(one, Binding):
                self._bound(one, first.arg, frame, around)
            else:
                self._called(one, owner, first.arg, frame, around, depth)
        self._running.pop()

    def _read(self, one: Binding | CallSite, self_name: str, frame: Frame, around: Circumstances, depth: int) -> None:
        """Run the properties that a call or an assignment reads: one may keep what it makes, as a cached one does."""
        where = frame.at(one.place)
        circumstances = (*around, (one.place.arms, where))
        for name in _read_of(one.node if isinstance(one, CallSite) else one.value, self_name):
            found = classes.nearest(self.lineage, name)
            if found is None:
                continue
            owner, scope = found
            decorators = scope.node.decorator_list if isinstance(scope.node, FunctionNode) else ()
            kinds = {last_name(each) for each in decorators}
            if kinds.isdisjoint(_READ_LIKE_ATTRIBUTES):
                continue
            inner = Frame(owner.facts, end_of(scope), receiver=self.instance, depth=frame.depth)
            self.method(owner, inner, circumstances, depth + 1)
            if "cached_property" in kinds:
                self._drop(name, circumstances)
                for value, place in scope.returns:
                    if value is not None:
                        there = inner.at(place)
                        self.left.setdefault(name, []).append(Left(value, there, (*circumstances, (place.arms, there))))

    def _bound(self, binding: Binding, self_name: str, frame: Frame, around: Circumstances) -> None:
        name = binding.name.removeprefix(f"{self_name}.")
        if "." in name:
            return
        circumstances = (*around, (self._leaving_open(binding.place.arms, self_name), frame.at(binding.place)))
        if binding.kind in ("item", "list"):
            if _empties(binding):
                self._drop_inside(name, circumstances)
                return
            values = binding.node.args if isinstance(binding.node, ast.Call) else [binding.value]
            for value in values:
                if value is not None and _adds(binding):
                    self.left.setdefault(name, []).append(Left(value, frame.at(binding.place), circumstances, False))
            return
        if binding.kind in ("update", "setdefault", "pop", "augment"):
            return
        self._drop(name, circumstances)
        value = _bound_value(binding)
        if value is not None:
            self.left.setdefault(name, []).append(Left(value, frame.at(binding.place), circumstances))

    def _leaving_open(self, arms: tuple[Arm, ...], self_name: str) -> tuple[Arm, ...]:
        """Return the arms without those that are taken since an attribute is still None at that time."""
        none = [name for name, left in self.left.items() if left and all(_is_none(one) for one in left)]
        return tuple(arm for arm in arms if not any(fills_none(arm, self_name, name) for name in none))

    def _drop(self, name: str, circumstances: Circumstances) -> None:
        """Forget what an attribute held before, but for what the same run cannot have given it."""
        arms = _arms(circumstances)
        if any(isinstance(arm.owner, ast.Try) and not arm.truth for arm in arms):
            # A handler replaces what was not made.
            return
        before = self.left.get(name, [])
        if before:
            self.left[name] = [one for one in before if _is_apart(one, arms)]

    def _drop_inside(self, name: str, circumstances: Circumstances) -> None:
        """Forget what was put inside an attribute, which a loop through its keys puts None in place of."""
        arms = _arms(circumstances)
        before = self.left.get(name, [])
        if before:
            self.left[name] = [one for one in before if one.whole or _is_apart(one, arms)]

    def _called(
        self, site: CallSite, owner: Class, self_name: str, frame: Frame, around: Circumstances, depth: int
    ) -> None:
        where = frame.at(site.place)
        circumstances = (*around, (self._leaving_open(site.place.arms, self_name), where))
        called = dotted(site.node.func) or ""
        if called.startswith(f"{self_name}.") and called.endswith(".close") and called.count(".") == 2:
            self._drop(called.split(".")[1], circumstances)
            return
        method = method_called(self.lineage, owner, self_name, site.node)
        if method is None or method[1].yields or not isinstance(method[1].node, FunctionNode):
            return
        # ``Base.method(self, …)`` hands the object over like anything else.
        handed = isinstance(site.node.func, ast.Attribute) and not _is_on_object(site.node.func.value, self_name)
        receiver = None if handed else self.instance
        function = Function(method[0].facts, method[1].node, method[1], receiver, method[0])
        inner = functions.frame_of_call(self.evaluator, function, site.node, where)
        # What a helper calls is followed as far as what the constructor itself calls.
        inner = replace(inner, receiver=self.instance, depth=frame.depth)
        self.method(method[0], inner, circumstances, depth + 1)


def _is_apart(left: Left, arms: Sequence[Arm]) -> bool:
    """Return whether what was left was so in other runs than those that take some arms."""
    return any(arm.excludes(other) for arm in arms for other in _arms(left.circumstances))


def _empties(binding: Binding) -> bool:
    """Return whether a loop puts None under each key: ``for key in self.files: self.files[key] = None``."""
    none = isinstance(binding.value, ast.Constant) and binding.value.value is None
    return binding.kind == "item" and none and any(arm.loop for arm in binding.place.arms)


def _is_none(left: Left) -> bool:
    return left.whole and isinstance(left.value, ast.Constant) and left.value.value is None


def _is_on_object(owner: ast.expr, self_name: str) -> bool:
    """Return whether a method is called on the object itself, and not on a class that is given the object."""
    return is_super(owner) or (isinstance(owner, ast.Name) and owner.id == self_name)


_READ_LIKE_ATTRIBUTES = frozenset({"property", "cached_property"})
"""Decorators of methods that run where an attribute is read (``builtins.property``, ``functools.cached_property``)."""


def _read_of(node: ast.AST | None, self_name: str) -> dict[str, None]:
    """Return the attributes of its object that an expression in a method reads, each once."""
    every = nodes_of(node) if node is not None else ()
    return dict.fromkeys(
        one.attr
        for one in every
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load) and dotted(one.value) == self_name
    )


def _bound_value(binding: Binding) -> ast.expr | None:
    """Return the expression whose value a binding gives, one of a row where several are unpacked."""
    value = binding.value if binding.kind in ("assign", "unpack") else None
    for index in binding.index:
        if not isinstance(value, ast.Tuple | ast.List) or not isinstance(index, int):
            return None
        value = element(value, index)
    return value


def _adds(binding: Binding) -> bool:
    """Return whether a change of a list or dictionary puts its arguments, or its value, inside."""
    if not isinstance(binding.node, ast.Call):
        return True
    return isinstance(binding.node.func, ast.Attribute) and binding.node.func.attr in ("append", "insert")


def _arms(circumstances: Circumstances) -> list[Arm]:
    return [arm for arms, _ in circumstances for arm in arms]


def _in_order(scope: Scope, self_name: str) -> Iterator[Binding | CallSite]:
    """Yield what a method sets on its object and the calls it makes; those of a statement come before it sets."""
    bindings = [one for name, several in scope.bindings.items() if name.startswith(f"{self_name}.") for one in several]
    both: list[tuple[int, int, Binding | CallSite]] = [(one.place.order, 0, one) for one in scope.calls]
    both.extend((one.place.order, 1, one) for one in bindings)
    yield from (one for _, _, one in sorted(both, key=lambda one: one[:2]))
