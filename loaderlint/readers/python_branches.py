"""What a statement's branches ask, what they bind, and which of them leave."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property

from loaderlint.readers.python_calls import called_name, is_super
from loaderlint.readers.python_commands import asks_command
from loaderlint.readers.python_file_names import named_after_time
from loaderlint.readers.python_scopes import (
    Arm,
    Binding,
    FunctionNode,
    Place,
    Scope,
    Stop,
    default_of,
    dotted,
    parameters,
)
from loaderlint.vocabulary import asserting, platforms, tensors

SWALLOWING = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})
"""Last names of what handles errors as a context: ``contextlib.suppress``, pytest's and unittest's."""
_LEAVING_CALLS = frozenset({"exit", "sys.exit", "os._exit", "quit"})
"""What ends the program, by dotted names; ``exit`` and ``quit`` are builtins."""

_OF_A_PARSER = frozenset({"error", "exit"})
"""Methods of ``argparse.ArgumentParser`` that end the program; nobody logs with something called a parser."""
_OF_ONE_VALUE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)
"""Statements that evaluate one expression, and do nothing more than keep what it gives."""


class Leaving:
    """Which statements of a module leave their block or may end the run of their scope."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree

    @cached_property
    def _parsers(self) -> frozenset[str]:
        """The names that are bound anywhere in the module to what a call such as ``ArgumentParser(...)`` gives."""
        found: set[str | None] = set()
        for one in ast.walk(self._tree):
            if isinstance(one, ast.Assign) and self._makes_a_parser(one.value):
                found.update(map(dotted, one.targets))
            elif isinstance(one, ast.AnnAssign | ast.NamedExpr) and self._makes_a_parser(one.value):
                found.add(dotted(one.target))
        return frozenset(one for one in found if one is not None)

    def escapes(self, statement: ast.stmt, place: Place) -> Iterator[Arm]:
        """Yield the arms that everything after a statement stands in because its other arms leave the block.

        After what leaves it in any case that is an arm that is never taken. Where an ``if`` or its ``elif`` may leave,
        what comes after has passed both of their tests.
        """
        if self._always_leaves(statement, place):
            never = ast.copy_location(ast.Constant(False), statement)
            yield Arm(statement, never, True, place=place)
        elif isinstance(statement, ast.If):
            left = next((truth for truth, body in _ways(statement) if body and self._leaves(body, place)), None)
            if left is not None:
                taken = Arm(statement, statement.test, not left, place=place)
                yield taken
                inside = dict(_ways(statement))[not left]
                if len(inside) == 1 and isinstance(inside[0], ast.If):
                    yield from self.escapes(inside[0], place.under(taken))
        elif isinstance(statement, ast.Try) and statement.handlers:
            if all(self._leaves(handler.body, place) for handler in statement.handlers):
                yield Arm(statement, None, True)
            elif self._leaves(statement.body, place) or (statement.orelse and self._leaves(statement.orelse, place)):
                yield Arm(statement, None, False)

    def _always_leaves(self, statement: ast.stmt, place: Place) -> bool:
        """Return whether what comes after a statement in its block never runs: a ``with`` may take the error in it."""
        if isinstance(statement, ast.If) and statement.orelse:
            return all(self._always_leaves(body[-1], place) for body in (statement.body, statement.orelse))
        return self.block(statement, place)

    def _leaves(self, body: list[ast.stmt], place: Place) -> bool:
        last = body[-1]
        if isinstance(last, ast.If):
            return bool(last.orelse) and self._leaves(last.body, place) and self._leaves(last.orelse, place)
        if isinstance(last, ast.With):
            return self._leaves(last.body, place)
        return self.block(last, place)

    def block(self, statement: ast.stmt, place: Place) -> bool:
        """Return whether nothing after a statement of the same block runs."""
        if isinstance(statement, ast.Return | ast.Raise | ast.Continue | ast.Break):
            return True
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            called = dotted(statement.value.func) or ""
            return self._ends_the_program(called, place.scope) or self._is_of_a_parser(called, place.scope)
        return False

    def _ends_the_program(self, called: str, scope: Scope) -> bool:
        """Return whether a name is one of what ends the program, going by what is bound to its first part."""
        root, dot, rest = called.partition(".")
        bound = _bindings_of(root, scope)
        if bound:
            return all(one.kind == "import" and f"{one.target}{dot}{rest}" in _LEAVING_CALLS for one in bound)
        return called in _LEAVING_CALLS and root not in self._defined

    def _is_of_a_parser(self, called: str, scope: Scope) -> bool:
        """Return whether a method that ends the program is called on what has a parser's name, or was bound to one."""
        name, _, method = called.rpartition(".")
        if not name or method not in _OF_A_PARSER:
            return False
        given = [_value_of(one) for one in _bindings_of(name, scope)]
        known = [one for one in given if one is not None]
        makes = any(map(self._makes_a_parser, known))
        if name.endswith("parser"):
            return makes or not known or not all(isinstance(one, ast.Call) for one in known)
        return makes if known else name in self._parsers

    def _makes_a_parser(self, value: ast.expr | None) -> bool:
        """Return whether an expression is a call of something called a parser: ``argparse.ArgumentParser(...)``."""
        if not isinstance(value, ast.Call) or not called_name(value).lower().endswith("parser"):
            return False
        own = self._defined.get(called_name(value))
        return not isinstance(own, ast.ClassDef) or any((dotted(base) or "").endswith("Parser") for base in own.bases)

    @cached_property
    def _defined(self) -> Mapping[str, ast.stmt]:
        """The functions and classes of the module, by name: those that are defined below a place as well."""
        return {
            one.name: one
            for one in self._tree.body
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }

    def stop(self, statement: ast.stmt, place: Place) -> Stop | None:
        """Return how a statement may end the run of its scope other than by a return, None where it does not."""
        if isinstance(statement, ast.Assert):
            return Stop(place.under(Arm(statement, statement.test, False, place=place)))
        if isinstance(statement, ast.Raise | ast.Expr) and self.block(statement, place):
            return Stop(place)
        if isinstance(statement, ast.Expr) and (test := _asserted(statement.value, place.scope)) is not None:
            return Stop(place.under(Arm(statement, test, False, place=place)))
        if (asked := asks_command(statement, lambda one: _imported_name(one, place.scope))) is not None:
            return Stop(place, asked[0], needed=asked[1])
        if (named := named_after_time(statement, lambda one: _imported_name(one, place.scope))) is not None:
            return Stop(place, named, needed=platforms.COLON)
        if isinstance(statement, _OF_ONE_VALUE) and (divisor := _divides_by_cuda(statement.value)) is not None:
            return Stop(place, divisor, kept=True, divides=True)
        if isinstance(statement, _OF_ONE_VALUE) and isinstance(statement.value, ast.Call):
            for call in _calls_in(statement.value):
                if getattr(call.func, "attr", "") in platforms.LAST_NAMES:
                    return Stop(place, call)
                if may_need_cuda(call):
                    return Stop(place, call, kept=True)
            for one in statement.value.args[1:]:
                # Of what is handed over later, only what is sure to need CUDA comes before what the call itself does.
                for call in _calls_in(one):
                    if _imported_name(call.func, place.scope) in platforms.CUDA_FUNCTIONS:
                        return Stop(place, call, kept=True)
            if _may_be_of_project(statement.value.func, place.scope):
                return Stop(place, statement.value, kept=not isinstance(statement, ast.Expr))
            return None
        modules: list[str] = []
        if isinstance(statement, ast.Import):
            modules = [one.name for one in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.level == 0:
            modules = [f"{statement.module}.{one.name}" for one in statement.names]
        return next((Stop(place, imported=one) for one in map(platforms.module_of_some, modules) if one), None)


def _ways(statement: ast.If) -> tuple[tuple[bool, list[ast.stmt]], ...]:
    """Return the bodies of an ``if`` by the answer of its test."""
    return (True, statement.body), (False, statement.orelse)


def _calls_in(node: ast.expr) -> Iterator[ast.Call]:
    """Yield a call, and those it is made of first: what its method is called on, what it is handed first."""
    if isinstance(node, ast.Call):
        yield node
        if isinstance(node.func, ast.Attribute):
            yield from _calls_in(node.func.value)
        yield from (call for one in node.args[:1] for call in _calls_in(one))


def may_need_cuda(call: ast.Call) -> bool:
    """Return whether a call goes by the name of what needs CUDA, or of what makes a thing on a device it is given.

    So do what needs a group of processes, whose backend may be that of CUDA, and what makes one to train.
    """
    name = called_name(call)
    named = isinstance(call.func, ast.Attribute) and name in platforms.MAY_NEED_CUDA
    named = named or name in platforms.MAY_NEED_GROUP
    told = "strategy" if name == platforms.MAKES_GROUP_TO_TRAIN else "device" if name in tensors.ON_DEVICE else None
    return named or (told is not None and any(one.arg == told for one in call.keywords))


def _divides_by_cuda(value: ast.expr | None) -> ast.Call | None:
    """Return the call that counts devices where a value is divided by their number."""
    match value:
        case ast.BinOp(_, ast.Div() | ast.FloorDiv() | ast.Mod(), ast.Call(ast.Attribute(attr=name)) as divisor):
            return divisor if name in platforms.MAY_COUNT_CUDA else None
    return None


def may_end(stop: Stop) -> bool:
    """Return whether a stop may end a run at all; a call of an own method does where something may end that."""
    return stop.call is None or not _is_of_receiver(stop.call.func, stop.place.scope) or stop.own_method is not None


def _may_be_of_project(function: ast.expr, scope: Scope) -> bool:
    """Return whether a callee may be a function of the project: a name, one of something imported, an own method.

    So may be one that a class inherits.
    """
    inherited = isinstance(function, ast.Attribute) and is_super(function.value)
    if isinstance(function, ast.Name) or inherited or _is_of_receiver(function, scope):
        return True
    root, _, _ = (dotted(function) or "").partition(".")
    imported = (one.target for one in _bindings_of(root, scope) if one.kind == "import")
    return any(one.partition(".")[0] not in sys.stdlib_module_names for one in imported)


def _imported_name(node: ast.expr, scope: Scope) -> str:
    """Return the dotted name of what an expression stands for where that is imported and nothing else, or nothing."""
    root, dot, rest = (dotted(node) or "").partition(".")
    found = {f"{one.target}{dot}{rest}" if one.kind == "import" else "" for one in _bindings_of(root, scope)}
    return found.pop() if len(found) == 1 else ""


def _bindings_of(name: str, scope: Scope | None) -> list[Binding]:
    """Return the bindings of a name, so far, in the innermost scope that has some; methods see none of their class."""
    around = scope
    while around is not None and (name not in around.bindings or (around.is_class and around is not scope)):
        around = around.parent
    return around.bindings[name] if around is not None else []


def _value_of(binding: Binding) -> ast.expr | None:
    """Return the expression that a binding gives its name, a parameter its default."""
    node = binding.place.scope.node
    if binding.kind == "parameter" and isinstance(node, FunctionNode):
        return default_of(node, binding.name)
    return binding.value


def _is_of_receiver(function: ast.expr, scope: Scope) -> bool:
    """Return whether a callee is a method of the object that the method around it is called on."""
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    if scope.parent is None or not scope.parent.is_class or not isinstance(scope.node, FunctionNode):
        return False
    first = next(parameters(scope.node), None)
    return first is not None and first.arg == function.value.id


def _asserted(value: ast.expr, scope: Scope | None) -> ast.expr | None:
    """Return what a call of a function that asserts asks to be true; None for any other expression."""
    if not isinstance(value, ast.Call) or called_name(value) not in asserting.LAST_NAMES or not value.args:
        return None
    name = dotted(value.func) or ""
    while scope is not None and "." not in name:
        name = next((one.target for one in scope.bindings.get(name, ()) if one.target), name)
        scope = scope.parent
    return value.args[0] if name in asserting.FUNCTIONS else None


def may_raise(statement: ast.stmt) -> bool:
    """Return whether a statement, what is inside its branches left aside, can end in an exception."""
    if isinstance(statement, ast.Raise | ast.Import | ast.ImportFrom | ast.Assert | ast.Delete):
        return True
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    waiting: list[ast.AST] = [*ast.iter_child_nodes(statement)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call | ast.Await) or (
            isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load)
        ):
            return True
        if not isinstance(node, ast.stmt | ast.excepthandler | ast.match_case | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def positions(target: ast.Tuple | ast.List) -> Iterator[tuple[int | slice, ast.expr]]:
    """Yield the names an unpacking binds with the position each takes: from the end behind a starred one."""
    starred = next((index for index, item in enumerate(target.elts) if isinstance(item, ast.Starred)), None)
    behind = 0 if starred is None else len(target.elts) - starred - 1
    for index, item in enumerate(target.elts):
        if isinstance(item, ast.Starred):
            yield slice(index, -behind or None), item.value
        elif starred is not None and index > starred:
            yield index - len(target.elts), item
        else:
            yield index, item


def pattern_test(subject: ast.expr, case: ast.match_case) -> ast.expr | None:
    """Return the question a case asks as an expression, None where it is about more than equality.

    The language reference, "The match statement": a value pattern compares with ``==``, a literal ``None``, ``True`` or
    ``False`` with ``is``, a class pattern asks ``isinstance``; that what it names is there is taken as given.
    """
    test = _pattern(subject, case.pattern)
    if test is None or case.guard is None:
        return test
    if any(True for _ in captured(case.pattern, subject)):
        return None
    return ast.copy_location(ast.BoolOp(ast.And(), [test, case.guard]), subject)


def _pattern(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    test: ast.expr | None = None
    if isinstance(pattern, ast.MatchValue):
        test = ast.Compare(subject, [ast.Eq()], [pattern.value])
    elif isinstance(pattern, ast.MatchSingleton):
        test = ast.Compare(subject, [ast.Is()], [ast.copy_location(ast.Constant(pattern.value), pattern)])
    elif isinstance(pattern, ast.MatchAs):
        test = ast.Constant(True) if pattern.pattern is None else _pattern(subject, pattern.pattern)
    elif isinstance(pattern, ast.MatchClass):
        if not pattern.patterns and all(_takes_any(one) for one in pattern.kwd_patterns):
            test = ast.Call(ast.copy_location(ast.Name("isinstance", ast.Load()), subject), [subject, pattern.cls], [])
    elif isinstance(pattern, ast.MatchOr):
        tests = [_pattern(subject, one) for one in pattern.patterns]
        known = [one for one in tests if one is not None]
        test = ast.BoolOp(ast.Or(), known) if len(known) == len(tests) else None
    return None if test is None else ast.copy_location(test, subject)


def _takes_any(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def captured(pattern: ast.pattern, subject: ast.expr) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the names a pattern binds when it matches, each with what it stands for, None where that is not said.

    That is the subject or, in the pattern of a class, an attribute of it: ``case Namespace(workers=n)``.
    """
    stands_for: dict[ast.AST, ast.expr] = {pattern: subject}
    for inner in ast.walk(pattern):
        whole = stands_for.get(inner)
        if isinstance(inner, ast.MatchClass) and whole is not None:
            for attribute, part in zip(inner.kwd_attrs, inner.kwd_patterns, strict=True):
                stands_for[part] = ast.copy_location(ast.Attribute(whole, attribute, ast.Load()), part)
        elif isinstance(inner, ast.MatchAs) and inner.name is not None:
            yield inner.name, whole
        elif isinstance(inner, ast.MatchStar) and inner.name is not None:
            yield inner.name, None
        elif isinstance(inner, ast.MatchMapping) and inner.rest is not None:
            yield inner.rest, None
