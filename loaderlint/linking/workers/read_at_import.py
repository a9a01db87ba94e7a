"""What names at the top level of modules hang on that was read when their modules were imported.

A name hangs on what its statement reads, on what the functions read that this calls, on the names that it looks at, and
on what the ``if``, loop or block around it asked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.workers.made_once import keeps_results
from loaderlint.linking.workers.top_level import Global, meant_by, reaches_top, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

Met: TypeAlias = Callable[[PythonFacts, Scope, Sequence[ast.AST]], Touch | None]
"""Gives where a program changes what some nodes of a scope read."""

_MAKES = frozenset({"__init__", "__new__", "__post_init__"})
"""Methods that run where an object is made."""
_DEEPEST = 40
"""Functions and modules that are followed through each other."""


class ReadAtImport:
    """The names at the top level of modules whose values hang on what a program changes after their import."""

    def __init__(self, evaluator: Evaluator, met: Met) -> None:
        self._evaluator = evaluator
        self._met = met
        self._by_path: dict[str, dict[str, Touch]] = {}
        self._inside: dict[int, Touch | None] = {}
        self._depth = 0

    def of(self, meant: Global) -> Touch | None:
        """Return where the program changes what a name hangs on; None where that was not seen."""
        return self._names(meant.path).get(meant.name)

    def _names(self, path: str) -> dict[str, Touch]:
        if path not in self._by_path:
            # Modules that import each other have what was found so far.
            found = self._by_path[path] = {}
            facts = self._evaluator.project.python_uncounted(path)
            if facts is not None and facts.source.cells is None:
                self._follow(facts, facts.tree.body, None, found)
        return self._by_path[path]

    def _follow(
        self, facts: PythonFacts, statements: Iterable[ast.stmt], around: Touch | None, found: dict[str, Touch]
    ) -> None:
        """Add the names that statements change and that hang on something, or stand in what does (``around``)."""
        for statement in statements:
            if statement is facts.guard:
                continue
            suites = [*_suites(statement)]
            nodes = [*_at_import(statement, {id(one) for suite in suites for one in suite})]
            touch = around or self._touch(facts, facts.module, nodes) or self._kept(facts, statement)
            if touch is not None:
                for name in _changed(statement, nodes):
                    found.setdefault(name, touch)
            for suite in suites:
                self._follow(facts, suite, touch, found)

    def _kept(self, facts: PythonFacts, statement: ast.stmt) -> Touch | None:
        """Return what a function reads that keeps what it gave, as the top level keeps a value."""
        if isinstance(statement, FunctionNode) and keeps_results(statement):
            return self._in_function(facts, facts.scopes[id(statement)])
        return None

    def _touch(self, facts: PythonFacts, scope: Scope, nodes: Sequence[ast.AST]) -> Touch | None:
        """Return where something is changed that nodes read themselves, by the names in them, or by what they call.

        What lies deeper than is followed counts as changed where it begins.
        """
        if self._depth == _DEEPEST:
            return touch_at(facts, nodes[0]) if nodes else None
        self._depth += 1
        try:
            return self._met(facts, scope, nodes) or next(
                (
                    touch
                    for node in nodes
                    for touch in (self._by_name(facts, scope, node), self._by_call(facts, scope, node))
                    if touch is not None
                ),
                None,
            )
        finally:
            self._depth -= 1

    def _by_name(self, facts: PythonFacts, scope: Scope, node: ast.AST) -> Touch | None:
        if isinstance(node, ast.ImportFrom):
            names = [one.asname or one.name for one in node.names]
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            names = [dotted(node) or ""]
        else:
            return None
        seen = (name for name in names if reaches_top(scope, name.partition(".")[0]))
        meant = (one for name in seen for one in meant_by(self._evaluator, facts, scope, name))
        return next((touch for one in meant if (touch := self.of(one)) is not None), None)

    def _by_call(self, facts: PythonFacts, scope: Scope, node: ast.AST) -> Touch | None:
        name = dotted(node.func) if isinstance(node, ast.Call) else None
        for meant in meant_by(self._evaluator, facts, scope, name) if name else ():
            of = self._evaluator.project.python_uncounted(meant.path)
            for called in _called(of.module, meant.name, name or "") if of is not None else ():
                touch = self._in_function(of, called) if of is not None else None
                if touch is not None:
                    return touch
        return None

    def _in_function(self, facts: PythonFacts, scope: Scope) -> Touch | None:
        key = id(scope.node)
        if key not in self._inside:
            self._inside[key] = None
            self._inside[key] = self._touch(facts, scope, [*ast.walk(scope.node)])
        return self._inside[key]


def _called(module: Scope, name: str, written: str) -> Iterator[Scope]:
    """Yield the functions that a call runs of what has a name at the top level: those that make it, of a class."""
    last = written.rpartition(".")[2]
    for one in module.children:
        if one.name == name and one.is_class:
            yield from (inner for inner in one.children if inner.name in (_MAKES if last == name else {last}))
        elif one.name == name:
            yield one


def _suites(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """Yield the statements that stand in another one and run as it does."""
    if isinstance(statement, FunctionNode | ast.ClassDef):
        return
    for part in ("body", "orelse", "finalbody"):
        yield getattr(statement, part, ())
    for part in ("handlers", "cases"):
        yield from (one.body for one in getattr(statement, part, ()))


def _at_import(statement: ast.stmt, besides: Set[int]) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that run when it does: of a function its decorators and defaults alone."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        body = {id(one) for one in node.body} if isinstance(node, FunctionNode) else set[int]()
        waiting.extend(one for one in ast.iter_child_nodes(node) if id(one) not in body and id(one) not in besides)


def _changed(statement: ast.stmt, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that a statement gives values to, or changes the values of."""
    if isinstance(statement, FunctionNode | ast.ClassDef):
        yield statement.name
        return
    for node in nodes:
        if isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield _root(node)
        elif isinstance(node, ast.Call) and isinstance(statement, ast.Expr):
            # What gives back nothing that anybody takes may fill what it is called on or handed.
            yield _root(node.func) if isinstance(node.func, ast.Attribute) else ""
            yield from (one.id for one in node.args if isinstance(one, ast.Name))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
