"""What goes through a set in its order: texts hash otherwise in every process, so that each has an order of its own.

That is so unless ``PYTHONHASHSEED`` is set (https://docs.python.org/3/reference/datamodel.html#object.__hash__).
Numbers hash the same everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

_MAKES_SETS = frozenset({"set", "frozenset"})
_WITHOUT_ORDER = _MAKES_SETS | {"all", "any", "len", "max", "min", "sorted", "sum"}
"""Builtins whose result is the same in whatever order they get what they go through; with a ``key``, ties keep it."""
_THROUGH = frozenset({"filter", "iter", "list", "map", "tuple"})
"""Builtins that give what they go through one by one, none of it twice or left out for where it stands."""
_TEXTS = frozenset({"ascii", "format", "repr", "str"})
_IN_ORDER = _THROUGH | _TEXTS | {"dict", "enumerate", "fromkeys", "join", "next", "zip"}
_OF_SETS = frozenset({"copy", "difference", "intersection", "symmetric_difference", "union"})
_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)


def in_order_of_hashes(node: ast.AST, sets: Collection[str]) -> bool:
    """Return whether an expression's value hangs on the order of a set; ``sets`` are the names bound to some."""
    match node:
        case ast.Lambda():
            return False
        case ast.Name(id="hash"):
            return True
        case ast.Call(ast.Name(id=name), given, keywords) if name in _WITHOUT_ORDER:
            if not any(one.arg == "key" for one in keywords):
                return any(_some_in_order_of_hashes(one, sets) for one in given)
            through: list[ast.expr] = given
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name), given) if name in _IN_ORDER:
            through = given
        case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            through = [one.iter for one in node.generators]
        case ast.For(iter=iterated) | ast.Starred(value=iterated):
            through = [iterated]
        case ast.Assign(targets=targets, value=value) if any(isinstance(one, ast.Tuple | ast.List) for one in targets):
            through = [value]
        case ast.FormattedValue(value=value):
            through = [value]
        case _:
            through = []
    if any(is_set(one, sets) for one in through):
        return True
    return any(in_order_of_hashes(one, sets) for one in ast.iter_child_nodes(node) if _is_evaluated(one))


def _some_in_order_of_hashes(node: ast.AST, sets: Collection[str]) -> bool:
    """Return whether what is gone through hangs on the order of a set, in whatever order it comes itself."""
    match node:
        case ast.Call(ast.Name(id=name), given) if name in _THROUGH:
            inner: list[ast.AST] = [*given]
        case ast.ListComp() | ast.GeneratorExp():
            inner = [node.elt, *(part for one in node.generators for part in (one.iter, *one.ifs))]
        case _:
            return in_order_of_hashes(node, sets)
    return any(_some_in_order_of_hashes(one, sets) for one in inner)


def is_set(node: ast.expr, sets: Collection[str]) -> bool:
    """Return whether an expression is a set of what may be texts."""
    match node:
        case ast.Name(id=name):
            return name in sets
        case ast.Set(elts=elements):
            return not all(isinstance(one, ast.Constant) and isinstance(one.value, int) for one in elements)
        case ast.Call(ast.Name(id=name), [ast.Call(ast.Name(id="range"))]) if name in _MAKES_SETS:
            return False
        case ast.Call(ast.Name(id=name)) if name in _MAKES_SETS:
            return True
        case ast.Call(ast.Attribute(value=inner, attr=name)) if name in _OF_SETS:
            return is_set(inner, sets)
        case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, _OPERATORS):
            return is_set(left, sets) or is_set(right, sets)
    return isinstance(node, ast.SetComp)


def _is_evaluated(node: ast.AST) -> bool:
    """Return whether this is evaluated with what it stands in, and no statement of a block."""
    return isinstance(node, ast.expr | ast.keyword | ast.comprehension)
