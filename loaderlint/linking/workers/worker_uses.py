"""Where code that runs in a worker uses what an object, or a module, keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from loaderlint.linking.following.constructed import Circumstances, method_called, ways
from loaderlint.linking.following.running import STEPS, shortened
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance
from loaderlint.linking.things.unset import fills
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Arm, FunctionNode, Place, Scope, dotted
from loaderlint.readers.python import parameters as parameters_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

RUN_IN_WORKER = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "forward")
_MOST_METHODS = 60


class Use(Struct, frozen=True, eq=False):
    """One place that reads an attribute or a module's name.

    ``member`` is the attribute of it that is read there, ``[]`` where it is an item, empty where it is the whole.
    """

    name: str
    member: str
    node: ast.expr
    circumstances: Circumstances

    @property
    def indexes_by_parameter(self) -> bool:
        """Return whether it reads the item that a parameter of its function asks for: ``self.lines[index]``."""
        node, scope = self.node, self.circumstances[-1][1].scope.node
        if not isinstance(node, ast.Subscript) or not isinstance(scope, FunctionNode):
            return False
        return dotted(node.slice) in {one.arg for one in parameters_of(scope)}

    def touch(self, evaluator: Evaluator) -> Touch | None:
        """Return the place as rules see it, None where no run comes to it."""
        facts, (_, frame) = self.circumstances[-1][1].facts, self.circumstances[-1]
        with evaluator.steps(STEPS):
            found = ways(evaluator, self.circumstances)
        if not found:
            return None
        return Touch(facts.span(self.node), f"{shortened(facts.text(self.node))} in {frame.scope.name}", found[0])


class WorkerUses(Struct, eq=False):
    """What the methods of one object that run in a worker do with its attributes.

    ``uses`` are the attributes read, ``sets`` the names of those that are set anew, ``calls`` the last names of what is
    called. ``running`` are all the functions that run there.
    """

    running: Sequence[Function]
    uses: list[Use] = field(default_factory=list)
    sets: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    _places: dict[str, list[Place]] = field(default_factory=dict)
    _entries: dict[Scope, list[tuple[Scope, tuple[Arm, ...]] | None]] = field(default_factory=dict)
    """Where a method is come to from: another with the arms around the call, or None where others call it."""

    def renews(self, name: str) -> bool:
        """Return whether an attribute is set anew there though it has something already."""
        return any(not self._fills(name, one.scope, one.arms, ()) for one in self._places.get(name, ()))

    def enter(self, scope: Scope, around: Circumstances) -> None:
        """Note from where a method is come to."""
        entry = None
        if around:
            arms, frame = around[-1]
            entry = (frame.scope, arms)
        self._entries.setdefault(scope, []).append(entry)

    def set_in(self, scope: Scope, self_name: str) -> None:
        """Note what a method sets on its object."""
        for name, bindings in scope.bindings.items():
            places = [one.place for one in bindings if one.kind in ("assign", "augment", "with", "unpack")]
            if name.startswith(f"{self_name}.") and places:
                self.sets.add(name.removeprefix(f"{self_name}."))
                self._places.setdefault(name.removeprefix(f"{self_name}."), []).extend(places)

    def _fills(self, name: str, scope: Scope, arms: Sequence[Arm], through: tuple[Scope, ...]) -> bool:
        """Return whether a place of a method is only come to where its object does not have an attribute yet."""
        if any(fills(arm, _first_parameter(scope), name) for arm in arms):
            return True
        entries = self._entries.get(scope, ())
        return bool(entries) and all(
            entry is not None and (entry[0] in through or self._fills(name, *entry, (*through, scope)))
            for entry in entries
        )


def _first_parameter(scope: Scope) -> str:
    first = next(parameters_of(scope.node), None) if isinstance(scope.node, FunctionNode) else None
    return first.arg if first is not None else ""


def uses_of(evaluator: Evaluator, instance: Instance, running: Sequence[Function]) -> WorkerUses:
    """Return what worker code does with an object's attributes; ``running`` are all the functions that run there."""
    run = {id(one.node) for one in running}
    lineage = classes.lineage(evaluator, instance.of)
    found = WorkerUses(running)
    seen: set[Scope] = set()
    methods = (classes.nearest(lineage, name) for name in RUN_IN_WORKER)
    starts = [one for one in methods if one is not None and id(one[1].node) in run]
    own = {one.node for one in lineage}
    called = [
        (one, scope)
        for function in running
        for one, scope in [(classes.owner_of(function.facts, function.scope), function.scope)]
        if one is not None and one.node in own and scope.name not in ("__init__", *RUN_IN_WORKER)
    ]
    for owner, scope in (*starts, *called):
        if scope not in seen:
            # What one method calls on the same object is followed from there, under what that depends on.
            _follow(instance, lineage, owner, scope, (), found, seen)
    return found


def _follow(
    instance: Instance,
    lineage: Sequence[Class],
    owner: Class,
    scope: Scope,
    around: Circumstances,
    found: WorkerUses,
    seen: set[Scope],
) -> None:
    node, first = scope.node, _first_parameter(scope)
    found.enter(scope, around)
    if not first or scope in seen or len(seen) >= _MOST_METHODS:
        return
    seen.add(scope)
    placed = list(_placed(scope))
    frame = Frame(owner.facts, Place(scope, 0), receiver=instance)
    found.set_in(scope, first)
    found.calls.update((dotted(site.node.func) or "").rpartition(".")[2] for site in scope.calls)
    for read, member, whole in reads(node):
        if not isinstance(read, ast.Attribute) or dotted(read) != f"{first}.{read.attr}":
            continue
        place = place_of(placed, read, scope)
        circumstances = (*around, (place.arms, frame.at(place)))
        found.uses.append(Use(read.attr, member, whole, circumstances))
        method = classes.nearest(lineage, read.attr)
        if method is not None:
            _follow(instance, lineage, *method, circumstances, found, seen)
    for site in scope.calls:
        above = method_called(lineage, owner, first, site.node)
        if above is not None:
            _follow(instance, lineage, *above, (*around, (site.place.arms, frame.at(site.place))), found, seen)


def touch_in(evaluator: Evaluator, function: Function, node: ast.expr) -> Touch | None:
    """Return the place of an expression in a function that runs in a worker, None where no run comes to it."""
    place = place_of(_placed(function.scope), node, function.scope)
    frame = Frame(function.facts, place, receiver=function.receiver)
    return Use("", "", node, ((place.arms, frame),)).touch(evaluator)


def reads(node: ast.AST) -> Iterator[tuple[ast.expr, str, ast.expr]]:
    """Yield what is read below a node: the name or attribute, what is read of it, and the code that does so."""
    for parent in nodes_of(node):
        for child in ast.iter_child_nodes(parent):
            if not isinstance(child, ast.Attribute | ast.Name) or not isinstance(child.ctx, ast.Load):
                continue
            if isinstance(parent, ast.Attribute):
                yield child, parent.attr, parent
            elif isinstance(parent, ast.Subscript) and child is parent.value:
                yield child, "[]", parent
            elif not _asks_only(parent):
                yield child, "", child


def _asks_only(parent: ast.AST) -> bool:
    """Return whether an expression only asks whether something is there."""
    if isinstance(parent, ast.Compare):
        return all(isinstance(one, ast.Is | ast.IsNot) for one in parent.ops)
    if isinstance(parent, ast.Call):
        return dotted(parent.func) in ("len", "hasattr", "isinstance", "bool")
    return isinstance(parent, ast.If | ast.UnaryOp | ast.BoolOp | ast.Assert)


def place_in(scope: Scope, node: ast.expr | ast.stmt) -> Place:
    """Return where an expression of a scope stands, as far as statements and calls tell."""
    return place_of(_placed(scope), node, scope)


def _placed(scope: Scope) -> Iterator[tuple[ast.AST, Place]]:
    """Yield the statements and calls of a scope whose places are known."""
    yield from ((site.node, site.place) for site in scope.calls)
    yield from ((value, place) for value, place in scope.returns if value is not None)
    yield from ((one.node, one.place) for several in scope.bindings.values() for one in several)
    yield from ((iterated, place) for iterated, _, place in scope.iterations)


def place_of(placed: Iterable[tuple[ast.AST, Place]], node: ast.expr | ast.stmt, scope: Scope) -> Place:
    """Return where an expression stands: the place of the smallest statement or call around it that is known."""
    around = [
        (_size(other), place)
        for other, place in placed
        if place.scope is scope and _start(other) <= _start(node) and _end(node) <= _end(other)
    ]
    return min(around, key=lambda one: one[0], default=((0, 0), Place(scope, 0)))[1]


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def _size(node: ast.AST) -> tuple[int, int]:
    (line, column), (end_line, end_column) = _start(node), _end(node)
    return end_line - line, end_column - column
