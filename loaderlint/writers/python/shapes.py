"""The shapes that moved code has: guards, the use of a hoisted definition, its parameters."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from loaderlint.nodes import nodes_of
from loaderlint.writers.python.platforms import platforms_where

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Side(Enum):
    """Where a statement of a script stands."""

    OUTSIDE = "outside any guard"
    GUARDED = "under a guard"
    IMPORTED = "under a guard's else"


def by_side(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, Side]]:
    """Yield the statements of a module, those under its guards as well, with where they stand."""
    for statement in body:
        if isinstance(statement, ast.If) and _is_main_test(statement.test):
            yield from ((inner, Side.GUARDED) for inner in statement.body)
            yield from ((inner, Side.IMPORTED) for inner in statement.orelse)
        else:
            yield statement, Side.OUTSIDE


def _is_main_test(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, right = ast.unparse(test.left), ast.unparse(test.comparators[0])
    if isinstance(test.ops[0], ast.Eq):
        return {left, right} == {"__name__", "'__main__'"}
    texts = right.strip("([{,}])")
    return isinstance(test.ops[0], ast.In) and (left, texts) == ("__name__", "'__main__'") and texts != right


def imports_of(body: Sequence[ast.stmt], packages: Collection[str]) -> Counter[str]:
    """Return the statements that import just one of these packages, as they are dumped."""
    return Counter(
        ast.dump(statement)
        for statement in body
        if isinstance(statement, ast.Import) and len(statement.names) == 1 and statement.names[0].name in packages
    )


def belongs_to_imports(statement: ast.stmt) -> bool:
    """Return whether a statement is an import, or may stand above one: a docstring, a dunder such as ``__all__``."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            texts = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
            only_text = all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in texts)
            return only_text and name.startswith("__") and name.endswith("__")
    return False


class Use(Struct, frozen=True):
    """How a hoisted definition is used: its name, and what is handed over by `functools.partial`."""

    name: str
    captured: tuple[str, ...] = ()


def names_of_partial(tree: ast.Module) -> frozenset[str]:
    """Return how a module can call `functools.partial`."""
    imports = [node for node in nodes_of(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        f"{alias.asname or alias.name}.partial" if isinstance(node, ast.Import) else alias.asname or alias.name
        for node in imports
        for alias in node.names
        if (alias.name == "functools" and isinstance(node, ast.Import))
        or (alias.name == "partial" and isinstance(node, ast.ImportFrom) and node.module == "functools")
    }
    return frozenset(names)


def use_of(node: ast.AST, names_of_partial: Collection[str]) -> Use | None:
    """Return the use that an expression is of a definition, None when it is none."""
    if isinstance(node, ast.Name):
        return Use(node.id)
    if isinstance(node, ast.Call) and not node.keywords and ast.unparse(node.func) in names_of_partial:
        names = [argument.id for argument in node.args if isinstance(argument, ast.Name)]
        if names and len(names) == len(node.args):
            return Use(names[0], tuple(names[1:]))
    return None


def assigned(statement: ast.AST) -> tuple[str, ast.expr] | None:
    """Return the name and value of a statement that assigns one to one, else None."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    return (target.id, statement.value) if isinstance(target, ast.Name) and statement.value is not None else None


def without_leading(arguments: ast.arguments, captured: Sequence[str]) -> ast.arguments | None:
    """Return the parameters behind those with the captured names; None when they do not begin with these."""
    positional = [*arguments.posonlyargs, *arguments.args]
    if [one.arg for one in positional[: len(captured)]] != list(captured):
        return None
    before = min(len(captured), len(arguments.posonlyargs))
    return ast.arguments(
        arguments.posonlyargs[before:],
        arguments.args[len(captured) - before :],
        arguments.vararg,
        arguments.kwonlyargs,
        arguments.kw_defaults,
        arguments.kwarg,
        arguments.defaults,
    )


def without_annotations(arguments: ast.arguments) -> ast.arguments:
    """Return the parameters without annotations, which a lambda's cannot have."""

    def plain(one: ast.arg) -> ast.arg:
        return ast.arg(one.arg, None)

    return ast.arguments(
        [plain(one) for one in arguments.posonlyargs],
        [plain(one) for one in arguments.args],
        arguments.vararg and plain(arguments.vararg),
        [plain(one) for one in arguments.kwonlyargs],
        arguments.kw_defaults,
        arguments.kwarg and plain(arguments.kwarg),
        arguments.defaults,
    )


def repeated(node: ast.AST, constants: Sequence[ast.expr]) -> ast.expr | None:
    """Return what a list repeats in the place of as many constants, None where it repeats nothing: ``[x] * 3``."""
    match node:
        case ast.BinOp(left=ast.List(elts=[one]), op=ast.Mult(), right=ast.Constant(value=int(times))) if times == len(
            constants
        ) and all(isinstance(each, ast.Constant) for each in constants):
            return one
    return None


def nested(node: ast.IfExp, test: ast.expr, sys_names: Collection[str]) -> ast.IfExp:
    """Return a choice by a test and then by the platform as one within the other; any other choice as it is.

    ``0 if a or b else 4``, where ``b`` asks for the platform, says what ``0 if a else (0 if b else 4)`` does.
    """
    if not isinstance(node.test, ast.BoolOp) or platforms_where(node.test.values[-1], sys_names) is None:
        return node
    *first, last = node.test.values
    before = first[0] if len(first) == 1 else ast.BoolOp(node.test.op, first)
    if ast.dump(before) != ast.dump(test):
        return node
    inner = ast.IfExp(last, node.body, node.orelse)
    return (
        ast.IfExp(before, node.body, inner)
        if isinstance(node.test.op, ast.Or)
        else ast.IfExp(before, inner, node.orelse)
    )
