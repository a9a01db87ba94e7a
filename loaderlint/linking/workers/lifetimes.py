"""How much of what a function handles is made anew in that very call, and what it changes of the rest.

A value is measured by its layers: ``NEW`` where nothing of it outlasts the call, 2 for a new list of new tuples of
things that outlast it, 1 for a new list of such things, ``PART`` for one of them itself, and ``KEPT`` for what an
object or a module keeps under a name, whose parts are such things.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, Scope, parameters
from loaderlint.vocabulary.lifetimes import (
    CHANGES_FIRST,
    CHANGES_ITS_OBJECT,
    CHANGES_NO_VALUE,
    COPIES,
    ELEMENTS,
    FACTS,
    GOES_THROUGH,
    GOES_THROUGH_PAIRED,
    REORDERS,
    VIEWS,
)

Layers: TypeAlias = float
NEW: Layers = math.inf
KEPT: Layers = 0.5
PART: Layers = 0.0

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Outcome(Struct, frozen=True):
    """What one call of a function gives back, and whether it changes a part of what outlasts it, where it was seen."""

    returned: Layers = NEW
    changes: bool = False
    seen: bool = True


UNKNOWN = Outcome(seen=False)


Callee: TypeAlias = Callable[[ast.Call, Layers, Mapping[str | int, Layers]], Outcome | None]
"""What a call does, given the layers of what it is called on and of its arguments; None for what is not looked into."""


def element(layers: Layers) -> Layers:
    """Return the layers of what something holds."""
    return PART if layers <= 1 else layers - 1


def holding(parts: Iterable[Layers]) -> Layers:
    """Return the layers of a new collection of things."""
    return 1 + math.floor(min(parts)) if (parts := [one for one in parts if one < NEW]) else NEW


def outcome(function: FunctionNode | ast.Lambda, scope: Scope, given: Mapping[str, Layers], callee: Callee) -> Outcome:
    """Return what a call of a function does that is given parameters with these layers; others are new."""
    run = _Run({one.arg: given.get(one.arg, NEW) for one in parameters(function)}, scope, callee)
    if isinstance(function, ast.Lambda):
        run.returned = run.layers(function.body)
    else:
        run.suite(function.body)
    return Outcome(run.returned, run.changes)


class _Run:
    """One run through the statements of a function, in their order, with both arms of a condition taken."""

    def __init__(self, names: dict[str, Layers], scope: Scope, callee: Callee) -> None:
        self._names = names
        self._scope = scope
        self._callee = callee
        self._read: set[str] = set()
        self.returned = NEW
        self.changes = False

    # --- statements ---

    def suite(self, statements: Iterable[ast.stmt]) -> None:
        for one in statements:
            self._statement(one)
            if isinstance(one, _LEAVES):
                return

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value)
            case ast.AugAssign():
                self._augment(node)
            case ast.Return(value=ast.expr() as value):
                self.returned = min(self.returned, self.layers(value))
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Subscript | ast.Attribute):
                        self._change(self.layers(target.value))
            case ast.If(test=test, body=body, orelse=orelse):
                self._untold(test)
                self._arms(body, orelse)
            case ast.For(target=target, iter=iterable) | ast.AsyncFor(target=target, iter=iterable):
                self._go_through(target, iterable)
                self._repeat(node.body, node.orelse)
            case ast.While(test=test, body=body, orelse=orelse):
                self._untold(test)
                self._repeat(body, orelse)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    entered = self.layers(item.context_expr)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, entered)
                self.suite(body)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                self._arms(body, ())
                self._arms(*(one.body for one in handlers), ())
                self._arms(orelse, ())
                self.suite(finalbody)
            case ast.Match(subject=subject, cases=cases):
                held = element(self.layers(subject))
                for case in cases:
                    for one in ast.walk(case.pattern):
                        if isinstance(one, ast.MatchAs | ast.MatchStar) and one.name is not None:
                            self._names[one.name] = held
                self._arms(*(case.body for case in cases), ())
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                taken = {one.arg: NEW for one in parameters(node)}
                inner = _Run({**self._names, **taken}, self._scope, self._callee)
                inner.suite(node.body)
                self.changes = self.changes or inner.changes
                self._names[node.name] = NEW
            case ast.ClassDef():
                self._names[node.name] = NEW
            case _:
                self._all_in(node)

    def _all_in(self, node: ast.AST) -> None:
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.expr):
                self.layers(one)
            elif isinstance(one, ast.stmt):
                self._statement(one)
            else:
                self._all_in(one)

    def _arms(self, *arms: Iterable[ast.stmt]) -> None:
        """Run through several suites of which one runs: a name is afterwards what it can be of any that ends."""
        before = dict(self._names)
        after: list[dict[str, Layers]] = []
        for statements in arms:
            arm = list(statements)
            self._names = dict(before)
            self.suite(arm)
            if not arm or not isinstance(arm[-1], _LEAVES):
                after.append(self._names)
        self._names = {
            name: min(one[name] for one in after if name in one) for names in after for name in names
        } or before

    def _repeat(self, body: Iterable[ast.stmt], orelse: Iterable[ast.stmt]) -> None:
        statements = list(body)
        read = set(self._read)
        for _ in range(2):
            before = dict(self._names)
            self._read = set(read)
            self.suite(statements)
            self._names = {name: min(layers, before.get(name, NEW)) for name, layers in self._names.items()}
        self.suite(orelse)

    # --- what gets a value ---

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ((ast.Tuple(elts=to) | ast.List(elts=to)), (ast.Tuple(elts=of) | ast.List(elts=of))) if len(to) == len(
                of
            ):
                for part, layers in zip(to, [self.layers(one) for one in of], strict=True):
                    self._bind(part, layers)
            case _:
                self._bind(target, self.layers(value))

    def _go_through(self, target: ast.expr, iterable: ast.expr) -> None:
        """Give a target the elements of an iterable: of several that go along with each other, each of its own."""
        match target, iterable:
            case ast.Tuple(elts=to), ast.Call(func=ast.Name(id="zip"), args=of) if len(to) == len(of):
                for part, one in zip(to, of, strict=True):
                    self._bind(part, element(self.layers(one)))
            case ast.Tuple(elts=[place, part]), ast.Call(func=ast.Name(id="enumerate"), args=[one, *_]):
                self._bind(place, NEW)
                self._bind(part, element(self.layers(one)))
            case _:
                self._bind(target, element(self.layers(iterable)))

    def _bind(self, target: ast.expr, layers: Layers) -> None:
        match target:
            case ast.Name(id=name):
                self._names[name] = KEPT if name in self._scope.outer_names else layers
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    starred = isinstance(part, ast.Starred)
                    self._bind(
                        part.value if isinstance(part, ast.Starred) else part, layers if starred else element(layers)
                    )
            case ast.Subscript(value=owner, slice=key):
                if self.layers(owner) == PART and (_varies(key) or ast.unparse(target) in self._read):
                    self._change(PART)
            case ast.Attribute(value=owner):
                if self.layers(owner) == PART and ast.unparse(target) in self._read:
                    self._change(PART)

    def _augment(self, node: ast.AugAssign) -> None:
        self.layers(node.value)
        match node.target:
            case ast.Name() as name:
                if not _is_text(node.value):
                    self._change(self.layers(name))
            case ast.Subscript(value=owner, slice=key):
                held = self.layers(owner)
                self._change(held)
                if held >= 1 and not isinstance(key, ast.Slice | ast.Tuple):
                    self._change(element(held))
            case ast.Attribute(value=owner):
                self._change(self.layers(owner))

    def _change(self, layers: Layers) -> None:
        self.changes = self.changes or layers == PART

    # --- expressions ---

    def _untold(self, test: ast.expr) -> None:
        """Run through a test: what it looks at is no value that is worked on."""
        before = set(self._read)
        self.layers(test)
        self._read = before

    def layers(self, node: ast.expr) -> Layers:
        """Return how much of a value is made anew, having noted what working it out changes."""
        match node:
            case ast.Name(id=name):
                return self._names[name] if name in self._names else _of_outer(self._scope, name)
            case ast.Attribute(value=owner, attr=attribute):
                self._read.add(ast.unparse(node))
                held = self.layers(owner)
                return NEW if attribute in FACTS else held if held in (KEPT, NEW) else element(held)
            case ast.Subscript(value=owner, slice=key):
                self.layers(key)
                self._read.add(ast.unparse(node))
                return element(self.layers(owner))
            case ast.Call():
                return self._call(node)
            case ast.NamedExpr(target=target, value=value):
                layers = self.layers(value)
                self._bind(target, layers)
                return layers
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._untold(test)
                return min(self.layers(body), self.layers(orelse))
            case ast.BoolOp(values=values):
                return min([self.layers(one) for one in values])
            case ast.Starred(value=value) | ast.Await(value=value):
                return self.layers(value)
            case ast.Yield(value=value) | ast.YieldFrom(value=value):
                layers = self.layers(value) if value is not None else NEW
                self.returned = min(self.returned, holding([layers]) if isinstance(node, ast.Yield) else layers)
                return NEW
            case ast.Lambda():
                return NEW
            case _ if isinstance(node, _COMPREHENSIONS):
                return self._comprehension(node)
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return holding([self.layers(one) if key else element(self.layers(one)) for key, one in pairs])
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return holding(
                    element(self.layers(one)) if isinstance(one, ast.Starred) else self.layers(one) for one in parts
                )
            case ast.BinOp(left=left, op=operator, right=right):
                held = holding([element(self.layers(left)), element(self.layers(right))])
                # Of lists, too, there is a sum and a multiple, which hold their elements.
                return held if isinstance(operator, ast.Add | ast.Mult | ast.BitOr) else NEW
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.expr):
                self.layers(one)
        return NEW

    def _comprehension(self, node: ast.expr) -> Layers:
        assert isinstance(node, _COMPREHENSIONS)
        before = dict(self._names)
        for one in node.generators:
            self._go_through(one.target, one.iter)
            for test in one.ifs:
                self._untold(test)
        layers = self.layers(node.value if isinstance(node, ast.DictComp) else node.elt)
        self._names = before
        return holding([layers])

    def _call(self, node: ast.Call) -> Layers:
        given: dict[str | int, Layers] = {}
        for place, argument in enumerate(node.args):
            given[place] = self.layers(argument)
        for index, keyword in enumerate(node.keywords):
            given[keyword.arg or f"**{index}"] = self.layers(keyword.value)
        function = node.func
        on = self.layers(function.value) if isinstance(function, ast.Attribute) else NEW
        done = self._callee(node, on, given)
        returned = NEW
        if done is not None:
            self.changes = self.changes or done.changes
            returned = done.returned
            if done.seen:
                return returned
        name = last_name(function)
        if isinstance(function, ast.Attribute) and name == "get" and node.args:
            self._read.add(ast.unparse(ast.Subscript(function.value, node.args[0], ast.Load())))
        self._note_changes(name, on, given)
        if name == "dict":
            # What is given by a keyword stands under it as it is.
            return holding(element(one) if isinstance(key, int) else one for key, one in given.items())
        if name.endswith("_") and not name.startswith("_"):
            return on
        back = _given_back(name, min(on, *given.values(), NEW))
        if back is None:
            # What is unknown may give back what it was given, but for the methods of a value.
            kept = isinstance(function, ast.Name) or on == KEPT
            back = min(given.values(), default=NEW) if done is not None and kept else NEW
        return min(returned, back)

    def _note_changes(self, name: str, on: Layers, given: Mapping[str | int, Layers]) -> None:
        in_place = name.endswith("_") and not name.startswith("_") and name not in CHANGES_NO_VALUE
        if in_place or name in CHANGES_ITS_OBJECT:
            self._change(on)
        first = given.get(0, NEW)
        if name in CHANGES_FIRST or "inplace" in given:
            self._change(PART if name in REORDERS and first == KEPT else first)
        self._change(given.get("out", NEW))


def _of_outer(scope: Scope, name: str) -> Layers:
    """Return the layers of what a name stands for that a function does not give a value: modules and classes stay."""
    around: Scope | None = scope
    while around is not None:
        bindings = around.bindings.get(name, ())
        if bindings and not around.is_class:
            return NEW if all(one.kind in ("import", "function", "class") for one in bindings) else KEPT
        around = around.parent
    return NEW


def _given_back(name: str, layers: Layers) -> Layers | None:
    """Return the layers of what a function gives back that is known by its name, and the least of what it is given."""
    if layers == NEW:
        return NEW
    if name in COPIES:
        return holding([element(layers)])
    if name in VIEWS:
        return PART if layers == KEPT else layers
    if name in ELEMENTS:
        return element(layers)
    if name in GOES_THROUGH:
        return holding([element(layers)])
    return 1 + holding([element(layers)]) if name in GOES_THROUGH_PAIRED else None


def _varies(key: ast.expr) -> bool:
    """Return whether a key can be another one every time."""
    return not isinstance(key, ast.Constant)


def _is_text(value: ast.expr) -> bool:
    return any(
        isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in ast.walk(value)
    )
