"""Naming something of the standard library at a place in a module."""

from __future__ import annotations

import libcst as cst
from libcst.metadata import BuiltinScope, GlobalScope

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.captures import Scopes


def named(scopes: Scopes, package: str, attribute: str, at: cst.CSTNode) -> cst.Name | cst.Attribute:
    """Return an expression for a package's attribute, by an import at the top of the module if there is one.

    Raises `CannotRewrite` when that name means something else there.
    """
    expression = _by_import(scopes.module, package, attribute)
    name = (expression.value if isinstance(expression, cst.Attribute) else expression) if expression else None
    root = name.value if isinstance(name, cst.Name) else package
    scope = scopes.around(at)
    while not isinstance(scope, GlobalScope | BuiltinScope):
        if any(one.name == root for one in scope.assignments):
            raise CannotRewrite(f"`{root}` means something else here")
        scope = scope.parent
    if expression is None and any(one.name == root for one in scopes.everything.assignments):
        raise CannotRewrite(f"`{root}` means something else in this file")
    return expression or cst.Attribute(cst.Name(package), cst.Name(attribute))


def is_imported(module: cst.Module, package: str, attribute: str) -> bool:
    """Return whether an import at the top of the module gives a package, or an attribute of it, a name."""
    return _by_import(module, package, attribute) is not None


def _by_import(module: cst.Module, package: str, attribute: str) -> cst.Name | cst.Attribute | None:
    for statement in module.body:
        for one in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(one, cst.Import):
                for alias in one.names:
                    if alias.evaluated_name == package:
                        return cst.Attribute(cst.Name(alias.evaluated_alias or package), cst.Name(attribute))
            elif isinstance(one, cst.ImportFrom) and isinstance(one.module, cst.Name) and one.module.value == package:
                for alias in one.names if not isinstance(one.names, cst.ImportStar) else ():
                    if alias.evaluated_name == attribute:
                        return cst.Name(alias.evaluated_alias or attribute)
    return None
