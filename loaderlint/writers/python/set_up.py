"""What a script sets up for its workers: the state of imported modules and objects, and of its own classes.

A forked worker has whatever the script set up before. A spawned one imports the script without what is under the guard,
so ``cfg.merge(scale=10)`` there does not reach it, and its samples silently differ.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from loaderlint.writers.python.bindings import bound_by, canonical, dotted, imported, local_names, own_scope, root
from loaderlint.writers.python.effect_free import (
    HARMLESS_LIBRARIES,
    HARMLESS_WORDS,
    READ_BY_WORKERS,
    SETTING_WORDS,
)
from loaderlint.writers.python.names import MUTATORS

SETS_UP = "sets up"
MAY_SET_UP = "may set up"

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def is_setting(name: str) -> bool:
    """Return whether a call of what is imported by a dotted name sets up what workers may read, and may be repeated.

    For a known library a table says so; for anything else its last name: ``set_backend``, ``registry.register``.
    """
    last = name.rpartition(".")[2]
    named = last in MUTATORS or any(word in SETTING_WORDS for word in _words(last)[:1])
    return name.startswith(READ_BY_WORKERS) or (named and not is_harmless(name))


def is_harmless(name: str) -> bool:
    """Return whether workers are known not to read what a call of what is imported by a dotted name sets up."""
    if name.startswith(READ_BY_WORKERS):
        return False
    last = name.rpartition(".")[2]
    # A class is called for the object it makes, which nobody else knows of.
    return _is_of_no_concern(name) or last[:1].isupper() or not HARMLESS_WORDS.isdisjoint(_words(last))


def _is_of_no_concern(name: str) -> bool:
    """Return whether a dotted name is that of a library whose state workers do not read."""
    return root(name) in HARMLESS_LIBRARIES or root(name) in sys.stdlib_module_names


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


@dataclass
class SetUp:
    """Finds what the statements of one module set up; ``functions`` and ``classes`` are those it defines once."""

    tree: ast.Module
    functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef]
    classes: Mapping[str, ast.ClassDef]
    _imports: dict[str, str] = field(init=False)
    _bound: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._imports = imported(self.tree.body)
        self._bound = frozenset(name for node in own_scope(self.tree.body) for name in bound_by(node))

    def by(self, nodes: Iterable[ast.stmt], *, runs: bool = False) -> str:
        """Return `SETS_UP` or `MAY_SET_UP` when statements do for the workers, with what they call; else "".

        Of what ``runs`` the loaders counts what it plainly sets up itself: most that it calls comes after them.
        """
        verbs = set(self._verbs(nodes, None if runs else set()))
        return next((verb for verb in (SETS_UP, MAY_SET_UP) if verb in verbs and not (runs and verb == MAY_SET_UP)), "")

    def _verbs(self, nodes: Iterable[ast.AST], called: set[ast.AST] | None) -> Iterator[str]:
        for node in own_scope(nodes):
            match node:
                case ast.Expr(value=ast.Call() as call):
                    yield self._called(call)
                case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                    yield SETS_UP if self._is_shared(node) else ""
            if isinstance(node, ast.Call) and called is not None:
                inner = self._own(dotted(node.func) or "")
                if inner is not None and inner not in called:
                    called.add(inner)
                    outer, self._bound = self._bound, self._bound | local_names(inner)
                    yield from self._verbs(inner.body, called)
                    self._bound = outer

    def _called(self, call: ast.Call) -> str:
        """Judge a call whose result nobody takes."""
        path = dotted(call.func) or ""
        if path in ("setattr", "delattr") and call.args:
            return SETS_UP if self._is_shared(call.args[0]) else ""
        if path == "exec":
            return MAY_SET_UP
        if self._own(path) is not None:
            return ""
        if not path:
            outer = call.func
            if not isinstance(outer, ast.Attribute) or not self._is_shared(outer.value):
                return ""
            return SETS_UP if is_setting(outer.attr) else "" if is_harmless(outer.attr) else MAY_SET_UP
        if root(path) in self.classes and "." in path:
            return SETS_UP if is_setting(path) else MAY_SET_UP
        if not self._is_foreign(root(path)) or is_harmless(name := canonical(path, self._imports)):
            return ""
        return SETS_UP if is_setting(name) else MAY_SET_UP

    def _is_shared(self, node: ast.expr) -> bool:
        """Return whether workers have what an expression is in their own process, whatever the script does to it.

        That is a class or function of the module, and what another module holds.
        """
        match node:
            case ast.Name(id=name) if name in self.classes or name in self.functions or name == "cls":
                return True
            case ast.Name(id=name):
                return self._is_foreign(name) and not _is_of_no_concern(canonical(name, self._imports))
            case ast.Attribute(attr="__class__") | ast.Call(func=ast.Name(id="type" | "globals")):
                return True
            case ast.Attribute(value=value):
                path = canonical(dotted(node) or "", self._imports)
                return path.startswith(READ_BY_WORKERS) or self._is_shared(value)
            case ast.Call(func=ast.Name(id="getattr" | "vars"), args=[value, *_]) | ast.Subscript(value=value):
                return self._is_shared(value)
            case ast.Call(func=function):
                return self._is_shared(function)
        return False

    def _is_foreign(self, name: str) -> bool:
        """Return whether a name is another module's: imported, if only by ``from … import *``."""
        return name in self._imports or (name not in self._bound and not hasattr(builtins, name))

    def _own(self, path: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the module's own function that a dotted path is, or the class's own method."""
        if path in self.functions:
            return self.functions[path]
        owner, _, name = path.rpartition(".")
        return method_of(self.classes.get(owner), name)


def method_of(definition: ast.ClassDef | None, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the method that the body of a class defines."""
    body = definition.body if definition is not None else ()
    methods = [one for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name]
    return methods[-1] if methods else None
