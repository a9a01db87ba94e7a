"""Where a program tells the errors that come out of a loader apart by what those of workers do not have.

A worker's error is made anew of a text of its own, which only holds that of the error it had
(``torch/_utils.py``, ``ExceptionWrapper.reraise``, 2.13): ``error.errno`` is None there, and its text another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from functools import cached_property

from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, PythonFacts, dotted, parameters
from loaderlint.readers.python_calls import called_name

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


def errors_told(files: Sequence[PythonFacts], iterated: WhileIterated) -> Iterator[Touch]:
    """Yield where what handles the errors of a loop over a loader, or of a batch, looks into them."""
    functions = _Functions(files)
    for facts in files:
        for block in facts.blocks:
            if isinstance(block, ast.With | ast.AsyncWith):
                told = [touch for item in block.items for touch in functions.told_by_context(item.context_expr)]
            else:
                told = [touch_at(facts, node) for handler in block.handlers for node in functions.told_by(handler)]
            if told and any(iterated.runs_in(facts, one) or iterated.takes_in(facts, one) for one in block.body):
                yield from told


class _Functions:
    """The functions of a program, which handlers may hand their errors to."""

    def __init__(self, files: Sequence[PythonFacts]) -> None:
        self._files = files

    @cached_property
    def _defined(self) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        scopes = (scope for facts in self._files for scope in facts.scopes.values())
        return {scope.name: scope.node for scope in scopes if isinstance(scope.node, FunctionNode)}

    @cached_property
    def _contexts(self) -> Sequence[tuple[str, Touch]]:
        """What looks into errors as a context is left, with the name of what makes that."""
        found: list[tuple[str, Touch]] = []
        for facts in self._files:
            for scope in (one for one in facts.scopes.values() if isinstance(one.node, FunctionNode)):
                if scope.name in _LEAVES and scope.parent is not None and isinstance(scope.node, FunctionNode):
                    taken = [one.arg for one in parameters(scope.node)][2:3]
                    told = [node for name in taken for node in self._told(scope.node.body, name, 0)]
                    found += [(scope.parent.name, touch_at(facts, node)) for node in told]
            for block in facts.blocks:
                if not isinstance(block, ast.With | ast.AsyncWith) and (name := _gives_way_in(facts, block)):
                    told = [node for handler in block.handlers for node in self.told_by(handler)]
                    found += [(name, touch_at(facts, node)) for node in told]
        return found

    def told_by_context(self, context: ast.expr) -> Iterator[Touch]:
        """Yield what looks into errors that leave a context: one of any object where its class is not seen."""
        name = called_name(context) if isinstance(context, ast.Call) else ""
        yield from (touch for made, touch in self._contexts if not name or name == made)

    def told_by(self, handler: ast.ExceptHandler) -> Iterator[ast.expr | ast.stmt]:
        """Yield what looks into an error that a handler names, where a sample may raise it."""
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {(dotted(one) or "").rpartition(".")[2] for one in types if one is not None}
        if not (names and names <= _OF_NO_SAMPLE):
            yield from self._told(handler.body, handler.name or "", 0)

    def _told(self, body: Sequence[ast.stmt], name: str, depth: int) -> Iterator[ast.expr | ast.stmt]:
        error = _Error(body, name)
        for node in (node for statement in body for node in nodes_of(statement)):
            if isinstance(node, ast.expr | ast.stmt) and (error.is_told_by(node) or self._hands_on(node, error, depth)):
                yield node

    def _hands_on(self, call: ast.expr | ast.stmt, error: _Error, depth: int) -> bool:
        """Return whether a function that is handed an error looks into it."""
        function = self._defined.get(called_name(call)) if isinstance(call, ast.Call) else None
        if function is None or not isinstance(call, ast.Call):
            return False
        taken = [one.arg for one in parameters(function)]
        if taken[:1] in (["self"], ["cls"]):
            taken = taken[1:]
        handed = [name for name, one in zip(taken, call.args, strict=False) if error.is_it(one)]
        handed += [one.arg for one in call.keywords if one.arg and error.is_it(one.value)]
        return any(depth == _DEEPEST or any(self._told(function.body, name, depth + 1)) for name in handed)


class _Error:
    """An error in the statements that handle it: its names, and those of its text."""

    def __init__(self, body: Sequence[ast.stmt], name: str) -> None:
        self._names: Set[str] = {name} - {""}
        self._texts: Set[str] = frozenset()
        given = [one for statement in body for node in nodes_of(statement) for one in _given(node)]
        known = -1
        while known < len(self._names) + len(self._texts):
            known = len(self._names) + len(self._texts)
            self._names |= {target for target, value in given if self.is_it(value)}
            self._texts |= {target for target, value in given if self._is_text(value)}

    def is_it(self, node: ast.expr) -> bool:
        """Return whether an expression is the error itself."""
        match node:
            case ast.Subscript(ast.Call(called), ast.Constant(1)):
                return _last(called) == "exc_info"
            case ast.Call(called, []):
                return dotted(called) == "sys.exception"
        return isinstance(node, ast.Name) and node.id in self._names

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


def _last(node: ast.expr) -> str:
    return (dotted(node) or "").rpartition(".")[2]


def _gives_way_in(facts: PythonFacts, block: ast.Try) -> str:
    """Return the name of the function around a block in which a context stands: ``try: yield``."""
    if not any(isinstance(node, ast.Yield) for statement in block.body for node in nodes_of(statement)):
        return ""
    inside = (
        one for one in facts.scopes.values() if isinstance(one.node, FunctionNode) and block in nodes_of(one.node)
    )
    return next((one.name for one in inside), "")


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement, or an expression, gives something."""
    match node:
        case ast.Assign([ast.Tuple([_, ast.Name(name), *_])], ast.Call(called) as value) if _last(called) == "exc_info":
            yield name, ast.Subscript(value, ast.Constant(1), ast.Load())
        case ast.Assign(targets, value):
            yield from ((one.id, value) for one in targets if isinstance(one, ast.Name))
        case ast.AnnAssign(ast.Name(name), _, ast.expr() as value) | ast.NamedExpr(ast.Name(name), value):
            yield name, value


def _looks_inside(case: ast.match_case) -> bool:
    """Return whether a case asks for more than the class of what it is about."""
    return any(isinstance(one, ast.MatchClass) and (one.patterns or one.kwd_attrs) for one in nodes_of(case.pattern))
