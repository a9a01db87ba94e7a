"""Names at the top level of a file that get values by the dictionary of all of them: ``globals().update(settings)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from loaderlint.linking.workers.top_level import Global, touch_at
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Place, PythonFacts, Scope


def changed_by_globals(
    facts: PythonFacts, scope: Scope, later: Callable[[ast.AST, Place], bool]
) -> Iterator[tuple[Global, Touch]]:
    """Yield the names that a scope gives values to so, where it does ``later`` than workers import the file."""
    sites = [one for one in facts.calls.get("globals", ()) if one.place.scope is scope and later(one.node, one.place)]
    calls = {id(one.node) for one in sites}
    for node in nodes_of(scope.node) if sites else ():
        match node:
            case ast.Call(ast.Attribute(owner, "update"), arguments, keywords) if id(owner) in calls:
                named = [one.arg for one in keywords]
                keys = [key for one in arguments for key in (one.keys if isinstance(one, ast.Dict) else [None])]
                named += [_text(key) for key in keys]
            case ast.Subscript(owner, key, ast.Store()) if id(owner) in calls:
                named = [_text(key)]
            case _:
                continue
        names = {one for one in named if one is not None} if None not in named else facts.module.bindings.keys()
        yield from ((Global(facts.source.path, name), touch_at(facts, node)) for name in sorted(names))


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
