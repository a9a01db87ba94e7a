"""Where code asks whether it runs in the main process: a forked worker is answered as that was, one started anew not.

CPython ``Lib/multiprocessing/spawn.py``, ``_fixup_main_from_path``: the main file is imported as ``__mp_main__``, which
``sys.modules["__main__"]`` is then as well. ``Lib/multiprocessing/process.py``: each process has a name of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.top_level import Global, full_name, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name

_MAIN = frozenset({"__main__", "__mp_main__"})
_PROCESSES = frozenset({"current_process", "parent_process"})
"""Functions of ``multiprocessing`` that tell which process it is."""
_NUMBERS = frozenset({"os.getpid", "os.getppid"})
"""Functions that tell it by its number."""


def asked_at_import(facts: PythonFacts) -> Iterator[tuple[Global, Touch]]:
    """Yield the names at the top level of a file whose values hang on which process imports it."""
    for name, bindings in facts.module.bindings.items():
        for one in bindings:
            for node in ast.walk(one.value) if one.value is not None and one.kind != "loop" else ():
                if node is one.value and _is_name_of_module(node):
                    yield Global(facts.source.path, name), touch_at(facts, one.node)
                elif _asks(facts.module, node) or _asks_process(facts.module, node):
                    yield Global(facts.source.path, name), touch_at(facts, node)


def asked_in_workers(function: Function) -> Iterator[Touch]:
    """Yield where a function asks for the main module, which is another one in workers that are started anew."""
    if "__main__" in function.facts.source.text:
        yield from (touch_at(function.facts, one) for one in ast.walk(function.node) if _asks(function.scope, one))


def own_name_read(function: Function) -> Iterator[Touch]:
    """Yield where a function reads the name of its module, which the main file has for the main process alone.

    What reports has it for its messages: ``logging.getLogger(__name__)``.
    """
    if "__name__" not in function.facts.source.text or function.facts.guard is None:
        return
    reporting = {
        id(one) for site in function.scope.calls if called_name(site.node) == "getLogger" for one in site.node.args
    }
    for node in ast.walk(function.node):
        if _is_name_of_module(node) and id(node) not in reporting and isinstance(node, ast.expr):
            yield touch_at(function.facts, node)


def asked_for_process(function: Function) -> Iterator[Touch]:
    """Yield where what a function gives, or whether it gives it, hangs on which process it runs in.

    What each process has for itself is opened alike in all: ``if self.pid != os.getpid(): self.file = open(path)``.
    """
    scope = function.scope
    if not any(_tells(scope, site.node) for site in scope.calls):
        return
    told = {
        name
        for name, bindings in scope.bindings.items()
        if any(_tells(scope, node) for one in bindings if one.value is not None for node in ast.walk(one.value))
    }
    for node in ast.walk(function.node):
        decides = _decides(node)
        asked = _but_for_keys(decides) if decides is not None else ()
        if decides is not None and any(_tells(scope, one) or getattr(one, "id", None) in told for one in asked):
            yield touch_at(function.facts, decides)


def _decides(node: ast.AST) -> ast.expr | None:
    """Return what a statement or expression hangs on, or gives, unless that decides about handles and reports alone."""
    match node:
        case ast.If(test, body, orelse):
            return test if any(not _keeps_or_reports(one) for one in (*body, *orelse)) else None
        case ast.IfExp(test) | ast.Assert(test):
            return test
        case ast.Return(value) | ast.Yield(value):
            return value
    return None


def _keeps_or_reports(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [None]
    kept = all(isinstance(one, ast.Attribute | ast.Subscript) for one in targets)
    return kept or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call))


def _but_for_keys(node: ast.AST) -> Iterator[ast.AST]:
    """Yield an expression and all in it but what something is kept by: ``self.files[os.getpid()]``."""
    yield node
    for one in [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node):
        yield from _but_for_keys(one)


def _tells(scope: Scope, node: ast.AST) -> bool:
    """Return whether a call tells which process it is made in."""
    if not isinstance(node, ast.Call):
        return False
    return _asks_process(scope, node) or full_name(scope, dotted(node.func) or "") in _NUMBERS


def _asks(scope: Scope, node: ast.AST) -> bool:
    match node:
        case ast.Compare(left, [ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn()], [right]):
            sides = (left, right)
            return any(map(_is_name_of_module, sides)) and any(map(_names_main, sides))
        case ast.Subscript(modules, ast.Constant(str(name))):
            return name in _MAIN and full_name(scope, dotted(modules) or "") == "sys.modules"
        case ast.Name(id):
            return full_name(scope, id) in _MAIN
    return False


def _is_name_of_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "__name__"


def _names_main(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Constant) and one.value in _MAIN for one in ast.walk(node))


def _asks_process(scope: Scope, node: ast.AST) -> bool:
    name = full_name(scope, dotted(node.func) or "") if isinstance(node, ast.Call) else ""
    return "multiprocessing" in name and name.rpartition(".")[2] in _PROCESSES
