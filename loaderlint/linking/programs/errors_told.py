"""Where a program tells the errors that come out of a loader apart by what those of workers do not have.

A worker's error is made anew of a text of its own, which only holds that of the error it had
(``torch/_utils.py``, ``ExceptionWrapper.reraise``, 2.13): ``error.errno`` is None there, and its text another.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING

from loaderlint.linking.programs.object_names import innermost
from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.workers.top_level import full_name, is_of_library, touch_at
from loaderlint.model.payload import Touch
from loaderlint.nodes import last_name, nodes_of
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OF_NO_SAMPLE = frozenset({"CalledProcessError", "KeyboardInterrupt", "StopIteration", "SystemExit", "TimeoutExpired"})
"""Errors that no sample raises, or that come out of no worker."""
_OF_ALL = frozenset({"__class__", "__traceback__", "add_note", "with_traceback"})
"""Attributes that all errors have, and that workers' errors have as well."""
_LOOKS_INTO = frozenset(
    {"count", "endswith", "find", "findall", "finditer", "fullmatch", "index", "len", "match", "partition"}
    | {"removeprefix", "removesuffix", "rfind", "rindex", "rpartition", "rsplit", "search", "split", "splitlines"}
    | {"startswith", "sub"}
)
"""What looks into a text that it is called on, or handed (docs.python.org, ``str`` and ``re``)."""
_ASKS = frozenset({"getattr", "hasattr", "vars"})
"""Functions that ask for the attributes of what they are handed first."""
_DEEPEST = 3
"""Functions that hand an error on to each other; deeper ones may look into it."""
_LEAVES = frozenset({"__aexit__", "__exit__"})
"""Methods that are handed the error with which a context is left, after its class."""


def errors_told(evaluator: Evaluator, files: Sequence[PythonFacts], iterated: WhileIterated) -> Iterator[Touch]:
    """Yield where what handles the errors of a loop over a loader, or of a batch, looks into them."""
    functions = _Functions(evaluator, files)
    for facts in files:
        for block in facts.blocks:
            if isinstance(block, ast.With | ast.AsyncWith):
                told = [touch for item in block.items for touch in functions.told_by_context(facts, item.context_expr)]
            else:
                told = [
                    touch_at(facts, node) for handler in block.handlers for node in functions.told_by(facts, handler)
                ]
            if told and any(iterated.runs_in(facts, one) or iterated.takes_in(facts, one) for one in block.body):
                yield from told


class _Functions:
    """The functions of a program, which handlers may hand their errors to."""

    def __init__(self, evaluator: Evaluator, files: Sequence[PythonFacts]) -> None:
        self._evaluator = evaluator
        self._files = files

    @cached_property
    def _defined(self) -> dict[str, Scope]:
        scopes = (scope for facts in self._files for scope in facts.scopes.values())
        return {scope.name: scope for scope in scopes if isinstance(scope.node, FunctionNode)}

    @cached_property
    def _contexts(self) -> Sequence[tuple[str, Touch]]:
        """What looks into errors as a context is left, with the name of what makes that."""
        found: list[tuple[str, Touch]] = []
        for facts in self._files:
            for scope in facts.scopes.values():
                if scope.name in _LEAVES and scope.parent is not None and isinstance(scope.node, FunctionNode):
                    told = self._told(scope.node.body, _Error(scope, scope.node.body, *_handed_at_end(scope.node)), 0)
                    found += [(scope.parent.name, touch_at(facts, node)) for node in told]
            for block in facts.blocks:
                if not isinstance(block, ast.With | ast.AsyncWith) and _gives_way(block):
                    name = innermost(facts.module, block).name
                    told = (node for handler in block.handlers for node in self.told_by(facts, handler))
                    found += [(name, touch_at(facts, node)) for node in told]
        return found

    @cached_property
    def _own_contexts(self) -> Set[str]:
        """The names of all that says by itself, and in no other class or context, what is done as it is left."""
        found = set[str]()
        for scope in (one for facts in self._files for one in facts.scopes.values()):
            if scope.name in _LEAVES and scope.parent is not None:
                goes_on = any(called_name(one.node) in _LEAVES for one in scope.calls)
                found |= set() if goes_on else {scope.parent.name}
            elif isinstance(scope.node, FunctionNode) and any(map(_makes_context, scope.node.decorator_list)):
                goes_on = any(isinstance(one, ast.With | ast.AsyncWith) for one in nodes_of(scope.node))
                found |= set() if goes_on else {scope.name}
        return found

    def told_by_context(self, facts: PythonFacts, context: ast.expr) -> Iterator[Touch]:
        """Yield what looks into errors that leave a context: one of any object where it is not seen which that is."""
        if not self._contexts:
            return
        name = called_name(context) if isinstance(context, ast.Call) else ""
        first = (dotted(context.func) or "").partition(".")[0] if isinstance(context, ast.Call) else ""
        scope = innermost(facts.module, context)
        if is_of_library(self._evaluator, facts, scope, first) or (hasattr(builtins, first) and first == name):
            return
        exactly = name in self._own_contexts and name in (first, "")
        yield from (touch for made, touch in self._contexts if not exactly or name == made)

    def told_by(self, facts: PythonFacts, handler: ast.ExceptHandler) -> Iterator[ast.expr | ast.stmt]:
        """Yield what looks into an error that a handler names, where a sample may raise it."""
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {(dotted(one) or "").rpartition(".")[2] for one in types if one is not None}
        if not (names and names <= _OF_NO_SAMPLE):
            error = _Error(innermost(facts.module, handler), handler.body, handler.name or "")
            yield from self._told(handler.body, error, 0)

    def _told(self, body: Sequence[ast.stmt], error: _Error, depth: int) -> Iterator[ast.expr | ast.stmt]:
        for node in (node for statement in body for node in nodes_of(statement)):
            if isinstance(node, ast.expr | ast.stmt) and (error.is_told_by(node) or self._hands_on(node, error, depth)):
                yield node

    def _hands_on(self, call: ast.expr | ast.stmt, error: _Error, depth: int) -> bool:
        """Return whether a function that is handed an error looks into it."""
        function = self._defined.get(called_name(call)) if isinstance(call, ast.Call) else None
        if function is None or not isinstance(function.node, FunctionNode) or not isinstance(call, ast.Call):
            return False
        body, taken = function.node.body, [one.arg for one in parameters(function.node)]
        if taken[:1] in (["self"], ["cls"]):
            taken = taken[1:]
        handed = [name for name, one in zip(taken, call.args, strict=False) if error.is_it(one)]
        handed += [one.arg for one in call.keywords if one.arg and error.is_it(one.value)]
        return any(
            depth == _DEEPEST or any(self._told(body, _Error(function, body, name), depth + 1)) for name in handed
        )


class _Error:
    """An error in the statements that handle it: its names, those of its text, and those of it behind its class."""

    def __init__(self, scope: Scope, body: Sequence[ast.stmt], name: str, behind: str = "") -> None:
        self._scope = scope
        self._names: Set[str] = {name} - {""}
        self._behind: Set[str] = {behind} - {""}
        self._texts: Set[str] = frozenset()
        given = [one for statement in body for node in nodes_of(statement) for one in _given(node)]
        known = -1
        while known < len(self._names) + len(self._texts) + len(self._behind):
            known = len(self._names) + len(self._texts) + len(self._behind)
            self._behind |= {target for target, value in given if self._is_behind(value)}
            self._names |= {target for target, value in given if self.is_it(value)}
            self._texts |= {target for target, value in given if self._is_text(value)}

    def is_it(self, node: ast.expr) -> bool:
        """Return whether an expression is the error itself."""
        match node:
            case ast.Subscript(several, ast.Constant(1) | ast.UnaryOp(ast.USub(), ast.Constant(2))):
                return self._is_behind(several)
            case ast.Call(called, []):
                return full_name(self._scope, dotted(called) or "") == "sys.exception"
        return isinstance(node, ast.Name) and node.id in self._names

    def _is_behind(self, node: ast.expr) -> bool:
        """Return whether an expression is an error's class, the error, and where it was raised."""
        if isinstance(node, ast.Call) and not node.args:
            return full_name(self._scope, dotted(node.func) or "") == "sys.exc_info"
        return isinstance(node, ast.Name) and node.id in self._behind

    def is_told_by(self, node: ast.expr | ast.stmt) -> bool:
        """Return whether an expression, or a statement by itself, looks into the error or its text."""
        match node:
            case ast.Attribute(owner, attribute):
                return self.is_it(owner) and attribute not in _OF_ALL
            case ast.Compare(left, operators, others):
                asks = any(isinstance(one, ast.In | ast.NotIn | ast.Is | ast.IsNot) for one in operators)
                return not asks and any(self._is_text(one) for one in (left, *others))
            case ast.Subscript(owner, key):
                return self._is_text(owner) or self._is_text(key)
            case ast.Match(subject, cases):
                looks = any(map(_looks_inside, cases))
                return self._is_text(subject) or (self.is_it(subject) and looks)
            case ast.Call(ast.Name(name), [asked, *_]) if name in _ASKS and self.is_it(asked):
                return True
            case ast.Call(function, arguments) if called_name(node) in _LOOKS_INTO:
                called_on = [function.value] if isinstance(function, ast.Attribute) else []
                return any(self._is_text(one) for one in (*called_on, *arguments))
        return False

    def _is_text(self, node: ast.expr) -> bool:
        """Return whether an expression gives the text of the error, or one that is made of it."""
        match node:
            case ast.Name(name):
                return name in self._texts
            case ast.Call(ast.Name("str" | "repr" | "format"), [one, *_]):
                return self.is_it(one) or self._is_text(one)
            case ast.Call(ast.Attribute(inner, "format"), arguments):
                return self._is_text(inner) or any(self.is_it(one) or self._is_text(one) for one in arguments)
            case ast.Call(ast.Attribute(inner)) | ast.Subscript(inner):
                return self._is_text(inner)
            case ast.JoinedStr(parts):
                shown = [one.value for one in parts if isinstance(one, ast.FormattedValue)]
                return any(self.is_it(one) or self._is_text(one) for one in shown)
            case ast.BinOp(left, ast.Add() | ast.Mod(), right):
                inside = right.elts if isinstance(right, ast.Tuple) else [right]
                return any(self.is_it(one) or self._is_text(one) for one in (left, *inside))
        return False


def _handed_at_end(method: FunctionNode) -> tuple[str, str]:
    """Return what a method that is called as a context is left calls the error, and all that it is handed."""
    taken = method.args.vararg
    names = [one.arg for one in parameters(method)]
    if taken is not None and names[1:2] == [taken.arg]:
        return "", taken.arg
    return next(iter(names[2:3]), ""), ""


def _makes_context(decorator: ast.expr) -> bool:
    return last_name(decorator) in ("asynccontextmanager", "contextmanager")


def _gives_way(block: ast.Try) -> bool:
    """Return whether the block that a context is left by stands where this one does: ``try: yield``."""
    return any(isinstance(node, ast.Yield) for statement in block.body for node in nodes_of(statement))


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement, or an expression, gives something."""
    match node:
        case ast.Assign([ast.Tuple([_, ast.Name(name), _])], value):
            yield name, ast.Subscript(value, ast.Constant(1), ast.Load())
        case ast.Assign(targets, value):
            yield from ((one.id, value) for one in targets if isinstance(one, ast.Name))
        case ast.AnnAssign(ast.Name(name), _, ast.expr() as value) | ast.NamedExpr(ast.Name(name), value):
            yield name, value


def _looks_inside(case: ast.match_case) -> bool:
    """Return whether a case asks for more than the class of what it is about."""
    return any(isinstance(one, ast.MatchClass) and (one.patterns or one.kwd_attrs) for one in nodes_of(case.pattern))
