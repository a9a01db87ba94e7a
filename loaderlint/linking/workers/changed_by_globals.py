"""Names at the top level of a file that get values by the dictionary of all of them: ``globals().update(settings)``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Set

from loaderlint.linking.workers.top_level import Global, full_name, meant_name, touch_at
from loaderlint.model.payload import Touch
from loaderlint.nodes import last_name, nodes_of
from loaderlint.readers.python import Place, PythonFacts, Scope, dotted

_ALL = frozenset({"builtins.globals", "globals"})
_OF_A_MODULE = frozenset({"builtins.vars", "vars"})
_RUNS = frozenset({"builtins.exec", "exec"})
_READS = frozenset({"copy", "get", "items", "keys", "values"})
"""Methods of a dictionary that look at it."""
_LOOK = frozenset({"dict", "len", "list", "print", "sorted", "str"})
"""Functions that look at the dictionary they are handed."""
_IMPORTS = frozenset({"__import__", "import_module"})
_SETS = frozenset({"delattr", "object", "setattr"})
"""What sets, or patches, an attribute of what it is handed first: ``patch.object(module, "SCALE", 2)``."""
_SPEAK = re.compile(r"\b(?:__import__|exec|globals|import_module|modules|vars)\b")


def speaks_of_globals(facts: PythonFacts) -> bool:
    """Return whether a file holds a word by which it may come to that dictionary."""
    return _SPEAK.search(facts.source.text) is not None


def changed_by_globals(
    facts: PythonFacts, scope: Scope, later: Callable[[ast.AST, Place], bool]
) -> Iterator[tuple[Global, Touch]]:
    """Yield the names that a scope gives values to so, where it does ``later`` than workers import the file.

    What is handed that dictionary may give any of them another value, and so may a text that is run.
    """
    around = _modules(scope) if scope is not facts.module and _speaks_of_modules(facts) else None
    calls = {
        id(one.node): _called(scope, one.node, around or frozenset())
        for one in scope.calls
        if later(one.node, one.place)
    }
    given = {key for key, name in calls.items() if name in _ALL or name in _OF_A_MODULE}
    named: list[tuple[ast.AST, str | None]] = []
    if given or around is not None:
        modules = around or frozenset()
        names = {name for name, value in _given(scope) if id(value) in given}
        named += [
            (node, name)
            for node in nodes_of(scope.node)
            for name in changed_in_table(
                node, lambda one: _is_it(one, given, names, modules), lambda one: _is_module(one, modules)
            )
        ]
    if any(name in _RUNS for name in calls.values()):
        named += [
            (one.node, None) for one in scope.calls if calls.get(id(one.node)) in _RUNS and not one.node.args[2:3]
        ]
    for node, name in named:
        every = [name] if name is not None else sorted(facts.module.bindings)
        yield from ((Global(facts.source.path, one), touch_at(facts, node)) for one in every)


def _called(scope: Scope, call: ast.Call, modules: Set[str]) -> str:
    """Return the full name of what is called, where that is short: ``globals``, by any name."""
    name = dotted(call.func)
    full = full_name(scope, meant_name(scope, name)) if name else ""
    if full in _OF_A_MODULE:
        return full if any(_is_module(one, modules) for one in call.args) else ""
    return full


def _speaks_of_modules(facts: PythonFacts) -> bool:
    named = "modules" in facts.attributes or "modules" in facts.module.bindings
    return named or not _IMPORTS.isdisjoint(facts.calls)


def _modules(scope: Scope) -> Set[str]:
    """Return the names, in a scope and around it, of the module that it stands in: ``me = sys.modules[__name__]``."""
    found, around = set[str](), scope
    while True:
        found |= {name for name, value in _given(around) if _is_module(value, frozenset())}
        if around.parent is None:
            return found
        around = around.parent


def _is_module(node: ast.expr, modules: Set[str]) -> bool:
    """Return whether an expression is the module that it stands in: ``sys.modules[__name__]``, by any of its names."""
    match node:
        case ast.Subscript(owner, key):
            return last_name(owner) == "modules" and _is_own_name(key)
        case ast.Call(ast.Attribute(owner, "get"), [key, *_]) if last_name(owner) == "modules":
            return _is_own_name(key)
        case ast.Call(called, [key, *_]):
            return last_name(called) in _IMPORTS and _is_own_name(key)
    return isinstance(node, ast.Name) and node.id in modules


def _is_own_name(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id == "__name__") or _text(node) == "__main__"


def _given(scope: Scope) -> Iterator[tuple[str, ast.expr]]:
    for name, several in scope.bindings.items():
        yield from ((name, one.value) for one in several if one.value is not None)


def _is_it(node: ast.expr, given: set[int], names: set[str], modules: Set[str]) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "__dict__" and _is_module(node.value, modules):
        return True
    return id(node) in given or (isinstance(node, ast.Name) and node.id in names)


def changed_in_table(
    node: ast.AST, is_it: Callable[[ast.expr], bool], is_module: Callable[[ast.expr], bool]
) -> Iterator[str | None]:
    """Yield the names that a node gives values to by the dictionary of all, or their module, None for any of them.

    What is handed that dictionary may change it, but for what is known to look at it.
    """
    match node:
        case ast.Call(ast.Attribute(owner, method), arguments, keywords) if is_it(owner):
            if method == "update":
                yield from (one.arg for one in keywords)
                for one in arguments:
                    yield from (_text(key) for key in (one.keys if isinstance(one, ast.Dict) else [None]))
            elif method in ("__delitem__", "__setitem__", "pop", "setdefault"):
                yield _text(arguments[0]) if arguments else None
            elif method not in _READS:
                yield None
        case ast.Subscript(owner, key, ast.Store() | ast.Del()) if is_it(owner):
            yield _text(key)
        case ast.AugAssign(owner) if is_it(owner):
            yield None
        case ast.Attribute(owner, name, ast.Store() | ast.Del()) if is_module(owner):
            yield name
        case ast.Call(called, [owner, key, *_]) if last_name(called) in _SETS and is_module(owner):
            yield _text(key)
        case ast.Call(ast.Attribute(_, "multiple"), [owner], keywords) if is_module(owner):
            yield from (one.arg for one in keywords)
        case ast.Call(ast.Name("eval"), [ast.Constant(str(text)), *_]) if "(" not in text:
            pass
        case ast.Call(called, arguments, keywords):
            looks = isinstance(called, ast.Name) and called.id in _LOOK
            if not looks and any(is_it(one) for one in (*arguments, *(each.value for each in keywords))):
                yield None


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
