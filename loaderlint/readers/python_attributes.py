"""Ways to set an attribute besides ``x.name = value``: by its name, and in the dictionary that holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from loaderlint.readers.python_scopes import Place, Scope, dotted


class NamedAttribute(NamedTuple):
    """An attribute that is set by its name, on what an expression gives.

    ``name`` is None where it may be any, ``value`` where it is not what the attribute holds from then on.
    """

    owner: ast.expr
    name: ast.expr | None
    value: ast.expr | None

    @property
    def binds(self) -> str | None:
        """The dotted name that is bound as by an assignment, None where it is not written or the value is not."""
        owner = dotted(self.owner)
        name = self.name.value if isinstance(self.name, ast.Constant) else None
        return f"{owner}.{name}" if owner and isinstance(name, str) and self.value is not None else None


class AttributeChange(NamedTuple):
    """Where an attribute of a thing is set that has no dotted name, or whose own name or value is not written.

    ``name`` is None where any attribute may be set. ``fills`` says that only what counts as false is set anew:
    ``setattr(x, name, getattr(x, name) or y)``.
    """

    owner: ast.expr
    name: ast.expr | None
    place: Place
    fills: bool = False


def fills(change: NamedAttribute) -> bool:
    """Return whether an attribute stays as it is where that counts as true, and is set where it does not."""
    match change:
        case NamedAttribute(owner, name, ast.BoolOp(ast.Or(), [ast.Call(ast.Name("getattr"), [of, key, *_]), *_])):
            return name is not None and ast.dump(of) == ast.dump(owner) and ast.dump(key) == ast.dump(name)
    return False


def dictionary_of(node: ast.expr) -> ast.expr | None:
    """Return the thing whose attributes an expression gives as a dictionary, None for any other expression."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "__dict__" else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
        return None
    if node.func.id == "vars":
        return node.args[0]
    named = node.args[1] if len(node.args) == 2 else None
    is_dictionary = node.func.id == "getattr" and isinstance(named, ast.Constant) and named.value == "__dict__"
    return node.args[0] if is_dictionary else None


def set_by_call(node: ast.Call) -> Iterator[NamedAttribute]:
    """Yield what a call sets: ``setattr``, ``x.__setattr__``, ``mock.patch.object``, or a change of ``vars(x)``."""
    function, arguments = node.func, node.args
    if isinstance(function, ast.Name):
        if function.id == "setattr" and len(arguments) == 3:
            yield NamedAttribute(*arguments)
    elif isinstance(function, ast.Attribute):
        if function.attr == "__setattr__":
            yield from _by_method(function.value, arguments)
        elif function.attr == "setattr" and len(arguments) == 3:
            # pytest's ``monkeypatch``, which takes it back after the test.
            yield NamedAttribute(arguments[0], arguments[1], None)
        elif function.attr == "object" and (dotted(function) or "").endswith("patch.object") and len(arguments) > 1:
            yield NamedAttribute(arguments[0], arguments[1], None)
        elif function.attr in _CHANGES and (owner := dictionary_of(function.value)) is not None:
            yield from _in_dictionary(owner, function.attr, node)


_CHANGES = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__", "__delitem__"})


def _by_method(owner: ast.expr, arguments: list[ast.expr]) -> Iterator[NamedAttribute]:
    if len(arguments) == 3:
        yield NamedAttribute(*arguments)
    elif len(arguments) == 2:
        yield NamedAttribute(owner, *arguments)


def is_passed_on(scope: Scope, node: ast.Call) -> bool:
    """Return whether a class's own ``__setattr__`` sets just what it is told to, which is no change by itself."""
    given = [dotted(one) or "" for one in node.args]
    return scope.name == "__setattr__" and all(
        [binding.kind for binding in scope.bindings.get(name, ())] == ["parameter"] for name in given
    )


def _in_dictionary(owner: ast.expr, method: str, node: ast.Call) -> Iterator[NamedAttribute]:
    if method == "__setitem__" and len(node.args) == 2:
        yield NamedAttribute(owner, *node.args)
        return
    if method != "update":
        yield NamedAttribute(owner, node.args[0] if node.args else None, None)
        return
    for argument in (*node.args, *(one.value for one in node.keywords if one.arg is None)):
        keys = argument.keys if isinstance(argument, ast.Dict) else [None]
        values = argument.values if isinstance(argument, ast.Dict) else [None]
        yield from (NamedAttribute(owner, key, value) for key, value in zip(keys, values, strict=True))
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield NamedAttribute(owner, ast.copy_location(ast.Constant(keyword.arg), keyword), keyword.value)


def owners_set(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """Yield the expressions on which a statement, or a call that sets attributes by name, sets one of this name."""
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute):
            if isinstance(one.ctx, ast.Store) and one.attr == name:
                yield one.value
        elif isinstance(one, ast.Subscript):
            owner = dictionary_of(one.value) if isinstance(one.ctx, ast.Store) else None
            if owner is not None and _is_text(one.slice, name):
                yield owner
    if isinstance(node, ast.Call):
        yield from (one.owner for one in set_by_call(node) if one.name is not None and _is_text(one.name, name))


def _is_text(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text
