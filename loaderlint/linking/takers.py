"""The names under which the functions and classes of a project take what their calls give by position."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from loaderlint.readers.python import Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name

_OBJECTS = (["self"], ["cls"])
"""The first parameters of methods, which calls on an object do not give."""


class Takers:
    """What the functions and classes among some scopes take, by the last names they are called by."""

    def __init__(self, scopes: Iterable[Scope]) -> None:
        self._functions: dict[str, list[list[str]]] = {}
        self._classes: dict[str, list[ast.ClassDef]] = {}
        self._made: dict[str, list[list[str]]] = {}
        self._stands_for: dict[str, set[str]] = {}
        for scope in scopes:
            if isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._functions.setdefault(scope.name, []).append(_declared(scope.node))
            elif isinstance(scope.node, ast.ClassDef):
                self._classes.setdefault(scope.name, []).append(scope.node)
            for name, meant in _other_names(scope):
                self._stands_for.setdefault(name, set()).add(meant)

    def given(self, call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
        """Yield what a call gives by position, with the names by which what it may mean takes that."""
        if called_name(call) == "partial" and call.args:
            yield from self.given(ast.Call(call.args[0], call.args[1:], []))
        for declared in self._taking(call):
            yield from zip(call.args, declared, strict=False)

    def _taking(self, call: ast.Call) -> Iterator[list[str]]:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        # A method called on its class is given the object: ``Base.__init__(self, count)``.
        on_class = owner is not None and not self._classes.keys().isdisjoint(self._meant_by(_last(owner)))
        for called in self._meant_by(called_name(call)):
            for declared in self._functions.get(called, ()):
                is_given = declared[:1] not in _OBJECTS or (on_class and declared[0] == "self")
                yield declared if is_given else declared[1:]
            if called in self._classes and called not in self._made:
                self._made[called] = [self._made_with(one, ()) for one in self._classes[called]]
            yield from self._made.get(called, ())

    def _meant_by(self, name: str) -> Iterable[str]:
        """Return a name and all that it may stand for: by an import, or since it is bound to that."""
        found = dict.fromkeys([name])
        waiting = [name]
        while waiting:
            new = sorted(self._stands_for.get(waiting.pop(), set()) - found.keys())
            found.update(dict.fromkeys(new))
            waiting += new
        return found

    def _made_with(self, made: ast.ClassDef, below: tuple[ast.ClassDef, ...]) -> list[str]:
        """Return what a class is called with: the parameters of its constructor, or else its fields."""
        own = [one for one in made.body if isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__new__")]
        if own:
            return _declared(own[0])[1:]
        below = (made, *below)
        bases = ([one for one in self._classes.get(_last(base), ()) if one not in below] for base in made.bases)
        # Which of several classes of one name it is, the name alone does not say.
        inherited = [name for above in bases if len(above) == 1 for name in self._made_with(above[0], below)]
        fields = (one.target for one in made.body if isinstance(one, ast.AnnAssign))
        return list(dict.fromkeys([*inherited, *(one.id for one in fields if isinstance(one, ast.Name))]))


def _other_names(scope: Scope) -> Iterator[tuple[str, str]]:
    """Yield the last parts of the names that a scope binds to what has another name, with that name."""
    for name, bindings in scope.bindings.items():
        bound = name.rpartition(".")[2]
        for one in bindings:
            value = one.value if one.kind == "assign" else None
            meant = one.target.rpartition(".")[2] if one.kind == "import" else _last(value) if value else ""
            if meant not in ("", bound):
                yield bound, meant


def _declared(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [one.arg for one in parameters(node)]


def _last(node: ast.expr) -> str:
    """Return the last part of a dotted name, nothing of another expression."""
    return (dotted(node) or "").rpartition(".")[2]
