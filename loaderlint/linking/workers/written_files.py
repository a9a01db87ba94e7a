"""What modules read of files when they are imported, and a program writes later: a worker reads what it wrote.

A file is told by what names it: a text, or a name at the top level of a module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING

from loaderlint.linking.workers.called_before import keeps_results
from loaderlint.linking.workers.top_level import Global, is_later, meant_by, reaches_top, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_WRITES_ITSELF = frozenset({"touch", "unlink", "write_bytes", "write_text"})
"""Methods that change the file whose path they are called on."""
_WRITES_FIRST = frozenset({"save", "savetxt", "savez", "to_csv", "to_json", "to_parquet", "to_pickle"})
"""Functions and methods that change the file they are handed first, such as numpy's and those of pandas."""
_WRITES_SECOND = frozenset({"dump", "save"})
"""Functions that change the file they are handed second, such as torch's and joblib's."""
_OF_THE_SYSTEM = frozenset({"copy", "copyfile", "move", "remove", "rename", "replace", "unlink"})
"""Functions of ``os`` and ``shutil`` that change the last of the files they are handed."""


def changed_files(evaluator: Evaluator) -> Iterator[tuple[Global, Touch]]:
    """Yield the names at the top level whose values were read of files that the program writes after that."""
    every = list(evaluator.project.all_python())
    written: dict[str, Touch] = {}
    writers: set[str] = set()
    for facts in every:
        for scope in facts.scopes.values():
            for site in scope.calls:
                files = _written(site.node)
                if any(isinstance(one, ast.Name) and _is_handed(scope, one.id) for one in files):
                    writers.add(scope.name)
                if files and is_later(evaluator, facts, site.node, site.place):
                    named = {name for one in files for name in _files(evaluator, facts, scope, one)}
                    written.update({name: touch_at(facts, site.node) for name in named})
    for facts in every if writers else ():
        for site in (one for name in writers for one in facts.calls.get(name, ())):
            if is_later(evaluator, facts, site.node, site.place):
                handed = {
                    name for one in _handed(site.node) for name in _files(evaluator, facts, site.place.scope, one)
                }
                written.update({name: touch_at(facts, site.node) for name in handed if name not in written})
    for facts in every if written else ():
        yield from _read(evaluator, facts, written)


def _is_handed(scope: Scope, name: str) -> bool:
    """Return whether a name is that of a parameter of a function, which has no other value there."""
    bindings = scope.bindings.get(name, ())
    return bool(bindings) and all(one.kind == "parameter" for one in bindings)


def _handed(call: ast.Call) -> Sequence[ast.expr]:
    return [*call.args, *(one.value for one in call.keywords)]


def _written(call: ast.Call) -> list[ast.expr]:
    """Return what names the file that a call changes."""
    name, arguments = called_name(call), call.args
    method = call.func.value if isinstance(call.func, ast.Attribute) else None
    if name == "open":
        of_path = method is not None and not (arguments[1:] or _mode(arguments[:1]) is None)
        mode = _mode(arguments[:1] if of_path else [*arguments[1:2], *_keyword(call, "mode")])
        writes = mode is not None and not set("wax+").isdisjoint(mode)
        named = [method] if of_path and method is not None else arguments[:1]
        return named if writes else []
    if isinstance(method, ast.Name) and method.id in ("os", "shutil"):
        return arguments[:2][-1:] if name in _OF_THE_SYSTEM else []
    found = [method] if name in _WRITES_ITSELF and method is not None else []
    found += arguments[:1] if name in _WRITES_FIRST else []
    return found + (arguments[1:2] if name in _WRITES_SECOND else [])


def _mode(written: list[ast.expr]) -> str | None:
    """Return the mode that a file is opened in, None for what is no mode."""
    match written:
        case [ast.Constant(str(mode))] if set(mode) <= set("rwaxbt+U"):
            return mode
    return None


def _keyword(call: ast.Call, name: str) -> list[ast.expr]:
    return [value for one, value in keywords_of(call).items() if one == name]


def _files(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr) -> Iterator[str]:
    """Yield what files an expression may name: texts, and names at the top level with the values they have there."""
    match node:
        case ast.Constant(str(text)):
            yield text.removeprefix("./")
        case ast.Call(_, [inner]) if called_name(node) in ("Path", "str"):
            yield from _files(evaluator, facts, scope, inner)
        case ast.Name() | ast.Attribute() if (name := dotted(node)) and reaches_top(scope, name.partition(".")[0]):
            for one in meant_by(evaluator, facts, scope, name):
                of = evaluator.project.python(one.path)
                bindings = of.module.bindings.get(one.name, ()) if of is not None else ()
                values = [binding.value for binding in bindings if binding.value is not None]
                yield from (f"{one.path}:{one.name}" for _ in values[:1])
                if of is not None and len(values) == 1 and not isinstance(values[0], ast.Name | ast.Attribute):
                    yield from _files(evaluator, of, of.module, values[0])


def _read(evaluator: Evaluator, facts: PythonFacts, written: Mapping[str, Touch]) -> Iterator[tuple[Global, Touch]]:
    """Yield the names at the top level of a file whose values hang on what is written."""
    path, module = facts.source.path, facts.module
    for scope in (module, *(one for one in module.children if one.is_class)):
        found: dict[str, Touch] = {}
        bound = (one for bindings in scope.bindings.values() for one in bindings if one.value is not None)
        for one in sorted(bound, key=lambda binding: binding.place.order):
            assert one.value is not None
            handed = (found[other] for other in _names(one.value) if other in found)
            touch = next(chain(_meetings(evaluator, facts, scope, one.value, written), handed), None)
            if touch is not None:
                found[one.name] = touch
        yield from ((Global(path, name if scope is module else scope.name), touch) for name, touch in found.items())
    for scope in module.children:
        if isinstance(scope.node, FunctionNode) and keeps_results(scope.node):
            for site in scope.calls:
                met = _meetings(evaluator, facts, scope, site.node, written)
                yield from ((Global(path, scope.name), touch) for touch in met)


def _meetings(
    evaluator: Evaluator, facts: PythonFacts, scope: Scope, value: ast.expr, written: Mapping[str, Touch]
) -> Iterator[Touch]:
    """Yield where a file is written that is named in the calls of an expression, or in a function it calls."""
    for call in ast.walk(value):
        if not isinstance(call, ast.Call) or _written(call):
            continue
        yield from _named(evaluator, facts, scope, call, written)
        for meant in meant_by(evaluator, facts, scope, dotted(call.func) or ""):
            of = evaluator.project.python(meant.path)
            for function in of.module.children if of is not None else ():
                if of is not None and function.name == meant.name and not function.is_class:
                    for site in function.calls:
                        yield from _named(evaluator, of, function, site.node, written)


def _named(
    evaluator: Evaluator, facts: PythonFacts, scope: Scope, call: ast.Call, written: Mapping[str, Touch]
) -> Iterator[Touch]:
    """Yield where a file is written that a call names, but does not write."""
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    for one in (*_handed(call), *owner) if not _written(call) else ():
        yield from (written[name] for name in _files(evaluator, facts, scope, one) if name in written)


def _names(value: ast.expr) -> Set[str]:
    return {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
