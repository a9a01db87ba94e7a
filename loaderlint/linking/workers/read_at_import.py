"""What names at the top level of modules hang on that was read when their modules were imported.

A name hangs on what its statement reads, on what the functions read that this calls, on the names that it looks at, and
on what the ``if``, loop or block around it asked. What cannot be told apart but by its name may be any of that name: a
method, or a property, of an object.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from loaderlint.linking.workers.made_once import keeps_results
from loaderlint.linking.workers.top_level import Global, imported, is_of_library, meant_by, reaches_top
from loaderlint.model.payload import Touch
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

Met: TypeAlias = Callable[[PythonFacts, Scope, Sequence[ast.AST]], Touch | None]
"""Gives where a program changes what some nodes of a scope read."""

_MAKES = frozenset({"__init__", "__new__", "__post_init__"})
"""Methods that run where an object is made."""


class _Code(Struct, frozen=True, eq=False):
    """Nodes of a scope that run together: those of a statement at the top level, or of a function."""

    facts: PythonFacts
    scope: Scope
    nodes: Sequence[ast.AST]


class ReadAtImport:
    """The names at the top level of modules whose values hang on what a program changes after their import."""

    def __init__(self, evaluator: Evaluator, met: Met) -> None:
        self._evaluator = evaluator
        self._met = met
        self._touches: dict[Global, Touch | None] = {}
        self._unchanged = set[_Code]()
        self._by_path: dict[str, Mapping[str, Sequence[_Code]]] = {}
        self._inside: dict[int, _Code] = {}

    def of(self, meant: Global) -> Touch | None:
        """Return where the program changes what a name hangs on; None where that was not seen."""
        if meant not in self._touches:
            self._touches[meant] = self._touch(self._giving(meant))
        return self._touches[meant]

    def _touch(self, begun: Iterable[_Code]) -> Touch | None:
        """Return where something is changed that code reads itself, or that what it hangs on reads; the nearest."""
        waiting, seen = deque(begun), set[_Code]()
        while waiting:
            code = waiting.popleft()
            if code in seen or code in self._unchanged:
                continue
            seen.add(code)
            touch = self._met(code.facts, code.scope, code.nodes)
            if touch is not None:
                return touch
            waiting.extend(self._hangs_on(code))
        self._unchanged |= seen
        return None

    def _hangs_on(self, code: _Code) -> Iterator[_Code]:
        """Yield what gives the names in code their values, and what it runs."""
        for name in dict.fromkeys(_names(code.nodes)):
            if reaches_top(code.scope, name.partition(".")[0]):
                for meant in meant_by(self._evaluator, code.facts, code.scope, name):
                    yield from self._giving(meant)
        for node in code.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield from (self._function(*one) for one in self._properties.get(node.attr, ()))
            for called in _called(node):
                yield from self._run(code, called)

    def _run(self, code: _Code, called: ast.expr) -> Iterator[_Code]:
        """Yield the functions that run where something is called."""
        name = dotted(called) or ""
        meant = [*meant_by(self._evaluator, code.facts, code.scope, name)] if name else []
        last = name.rpartition(".")[2]
        found = [
            function
            for one in meant
            for function in self._functions(one, _MAKES if name == last or last == one.name else {last})
        ]
        yield from found
        if found or not isinstance(called, ast.Attribute):
            return
        if not is_of_library(self._evaluator, code.facts, code.scope, name.partition(".")[0]):
            yield from (self._function(*one) for one in self._methods.get(called.attr, ()))

    def _functions(self, meant: Global, methods: Set[str]) -> Iterator[_Code]:
        """Yield the function that a name at the top level means, or some methods of the class, inherited ones too."""
        waiting, seen = [meant], set[Global]()
        while waiting:
            one = waiting.pop()
            of = self._evaluator.project.python_in_passing(one.path) if one not in seen else None
            seen.add(one)
            if of is None:
                continue
            others = [dotted(value) or "" for value in _values(of.module, one.name)]
            if next(imported(of.module, one.name), None) is not None:
                others.append(one.name)
            for scope in of.module.children:
                if scope.name == one.name and isinstance(scope.node, ast.ClassDef):
                    yield from (self._function(of, inner) for inner in scope.children if inner.name in methods)
                    others += (dotted(base) or "" for base in scope.node.bases)
                elif scope.name == one.name:
                    yield self._function(of, scope)
            waiting.extend(other for name in others for other in meant_by(self._evaluator, of, of.module, name))

    def _function(self, facts: PythonFacts, scope: Scope) -> _Code:
        key = id(scope.node)
        if key not in self._inside:
            self._inside[key] = _Code(facts, scope, [*ast.walk(scope.node)])
        return self._inside[key]

    @cached_property
    def _methods(self) -> Mapping[str, Sequence[tuple[PythonFacts, Scope]]]:
        """The methods of all classes by their names."""
        found: dict[str, list[tuple[PythonFacts, Scope]]] = {}
        for facts in self._evaluator.project.all_python():
            for scope in facts.scopes.values():
                if scope.parent is not None and scope.parent.is_class and isinstance(scope.node, FunctionNode):
                    found.setdefault(scope.name, []).append((facts, scope))
        return found

    @cached_property
    def _properties(self) -> Mapping[str, Sequence[tuple[PythonFacts, Scope]]]:
        """The methods that run where an attribute is asked for, by its name."""
        found = (
            (name, [one for one in several if _is_property(one[1].node)]) for name, several in self._methods.items()
        )
        return {name: several for name, several in found if several}

    def _giving(self, meant: Global) -> Sequence[_Code]:
        """Return the code that gives a name at the top level its value, or decides whether it gets it."""
        path = meant.path
        if path not in self._by_path:
            found: dict[str, list[_Code]] = {}
            facts = self._evaluator.project.python_in_passing(path)
            if facts is not None and facts.source.cells is None:
                self._note(facts, facts.tree.body, (), found)
            self._by_path[path] = found
        return self._by_path[path].get(meant.name, ())

    def _note(
        self,
        facts: PythonFacts,
        statements: Iterable[ast.stmt],
        around: Sequence[_Code],
        found: dict[str, list[_Code]],
    ) -> None:
        """Add the code of statements, and of those ``around`` them, to what is ``found`` for the names they change."""
        for statement in statements:
            if statement is facts.guard:
                continue
            suites = [*_suites(statement)]
            apart = () if _decides(statement) else suites
            nodes = [*_at_import(statement, {id(one) for suite in apart for one in suite})]
            codes = [_Code(facts, facts.module, nodes), *around]
            if isinstance(statement, FunctionNode) and keeps_results(statement):
                # The top level keeps what it gave as it keeps a value.
                codes.append(self._function(facts, facts.scopes[id(statement)]))
            for name in {*_changed(statement, nodes)}:
                found.setdefault(name, []).extend(codes)
            for suite in suites:
                self._note(facts, suite, codes, found)


def _values(module: Scope, name: str) -> Iterator[ast.expr]:
    """Yield what a name at the top level is set to."""
    yield from (one.value for one in module.bindings.get(name, ()) if one.kind == "assign" and one.value is not None)


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names, dotted ones too, that nodes look at or import."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            yield from (one.asname or one.name for one in node.names)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield dotted(node) or ""


def _called(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a node calls, or hands to what may call it: ``map(read, rows)``."""
    if isinstance(node, ast.Call):
        handed = (*node.args, *(one.value for one in node.keywords))
        yield from (node.func, *(one for one in handed if isinstance(one, ast.Name | ast.Attribute)))
    elif isinstance(node, FunctionNode | ast.ClassDef):
        yield from (one for one in node.decorator_list if not isinstance(one, ast.Call))


def _is_property(node: ast.AST) -> bool:
    decorators = node.decorator_list if isinstance(node, FunctionNode) else ()
    return any((dotted(one) or "").endswith("property") for one in decorators)


def _decides(statement: ast.stmt) -> bool:
    """Return whether what stands in a statement decides what else of it runs: by an error, or the end of a loop."""
    if isinstance(statement, ast.With):
        around = [one.context_expr for one in statement.items]
        return any(isinstance(one, ast.Call) and called_name(one) == "suppress" for one in around)
    loops = isinstance(statement, ast.For | ast.While)
    early = loops and any(isinstance(one, ast.Break | ast.Continue) for one in ast.walk(statement))
    return early or bool(getattr(statement, "handlers", ()))


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
