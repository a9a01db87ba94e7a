"""Which platforms a test such as ``sys.platform == "win32"`` is true on."""

from __future__ import annotations

import ast
from collections.abc import Collection

from loaderlint.model.target import Platform

EVERYWHERE = frozenset(Platform)


def platforms_where(test: ast.expr, sys_names: Collection[str]) -> frozenset[Platform] | None:
    """Return the platforms on which a test is true, None when it is no test of the platform.

    ``sys_names`` are the names under which the file knows the module ``sys``.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = platforms_where(test.operand, sys_names)
        return None if inner is None else EVERYWHERE - inner
    if isinstance(test, ast.BoolOp):
        parts = [platforms_where(value, sys_names) for value in test.values]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        every = frozenset.intersection if isinstance(test.op, ast.And) else frozenset.union
        return every(*known)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compared(test.left, test.ops[0], test.comparators[0], sys_names)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr == "startswith":
        spellings, prefixes = _spellings(test.func.value, sys_names), [_strings(one) for one in test.args]
        if spellings and len(prefixes) == 1 and prefixes[0]:
            return frozenset(one for one, text in spellings.items() if text.startswith(tuple(prefixes[0])))
    return None


def _compared(
    left: ast.expr, operator: ast.cmpop, right: ast.expr, sys_names: Collection[str]
) -> frozenset[Platform] | None:
    if isinstance(operator, ast.Eq | ast.NotEq) and isinstance(left, ast.Constant):
        left, right = right, left
    spellings, texts = _spellings(left, sys_names), _strings(right)
    if not spellings or texts is None:
        return None
    collection = isinstance(operator, ast.In | ast.NotIn)
    if collection is isinstance(right, ast.Constant):
        return None
    where = frozenset(platform for platform, text in spellings.items() if text in texts)
    if isinstance(operator, ast.Eq | ast.In):
        return where
    return EVERYWHERE - where if isinstance(operator, ast.NotEq | ast.NotIn) else None


def _spellings(node: ast.expr, sys_names: Collection[str]) -> dict[Platform, str]:
    """Return what an expression says on each platform, empty when it does not tell the platform."""
    called = isinstance(node, ast.Call) and not node.args and not node.keywords
    attribute = node.func if isinstance(node, ast.Call) else node
    match attribute:
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            is_sys = module in sys_names
        case ast.Attribute(value=ast.Call(func=ast.Name("__import__"), args=[ast.Constant(str(module))]), attr=name):
            is_sys = module == "sys"
        case _:
            return {}
    if is_sys and name == "platform" and not called:
        return {platform: platform.sys_platform for platform in Platform}
    if (module, name) == ("os", "name") and not called:
        return {platform: platform.os_name for platform in Platform}
    if (module, name) == ("platform", "system") and called:
        return {platform: platform.system for platform in Platform}
    return {}


def _strings(node: ast.expr) -> list[str] | None:
    items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    texts = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return texts if len(texts) == len(items) else None
