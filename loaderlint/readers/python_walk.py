"""One walk over a Python module, in source order, that notes its scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loaderlint.readers.python_scopes import (
    ANY_GLOBAL,
    Arm,
    Binding,
    Block,
    CallSite,
    FunctionNode,
    Place,
    Scope,
    dotted,
    is_main_test,
    parameters,
)

_LEAVES_CALLS = {"exit", "sys.exit", "os._exit", "quit"}
_ITERATES = {"iter", "enumerate", "list", "tuple", "zip", "tqdm", "next", "islice", "cycle", "chain", "sum", "sorted"}
_MUTATES = {"update", "setdefault", "pop"}


class Walked(NamedTuple):
    """What a module holds.

    ``scopes`` are all scopes by the identity of their node, ``calls`` every call by the last part of the callee's name,
    ``guard`` the first ``if __name__ == "__main__":`` at the top, ``blocks`` every ``with`` and ``try``.
    """

    module: Scope
    scopes: dict[int, Scope]
    calls: dict[str, list[CallSite]]
    guard: ast.If | None
    blocks: list[Block]


def walk(tree: ast.Module) -> Walked:
    """Return the scopes and calls of a module.

    Raises:
        RecursionError: its expressions are too deeply nested.
    """
    walking = _Walk(tree)
    walking.body(tree.body, walking.module, ())
    return Walked(walking.module, walking.scopes, walking.calls, walking.guard, walking.blocks)


class _Walk:
    """One walk over a module, in source order."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None, "")
        self.scopes: dict[int, Scope] = {id(tree): self.module}
        self.calls: dict[str, list[CallSite]] = {}
        self.guard: ast.If | None = None
        self.blocks: list[Block] = []
        self.order = 0

    def body(self, statements: Iterable[ast.stmt], scope: Scope, arms: tuple[Arm, ...]) -> None:
        for statement in statements:
            self.order += 1
            place = Place(scope, self.order, arms)
            self.statement(statement, place)
            escaped = _escape(statement, place)
            if escaped is not None:
                arms = (*arms, escaped)

    def statement(self, node: ast.stmt, place: Place) -> None:
        handler = getattr(self, f"on_{type(node).__name__}", None)
        if handler is not None:
            handler(node, place)
        else:
            self.expressions(node, place)

    def bind(self, name: str, kind: str, node: ast.AST, place: Place, **more: object) -> None:
        scope = place.scope
        if name in scope.outer_names and scope.parent is not None:
            outer = scope.parent
            while outer.parent is not None and name not in outer.bindings:
                outer = outer.parent
            place = Place(outer, place.order, (*place.arms, Arm(node, None, True)))
            scope = outer
        binding = Binding(name, kind, node, place, **more)  # type: ignore[arg-type]
        scope.bindings.setdefault(name, []).append(binding)
        owner, _, attribute = name.rpartition(".")
        if owner and attribute:
            scope.set_on.setdefault(owner, []).append(binding)

    # --- statements that bind ---

    def on_Assign(self, node: ast.Assign, place: Place) -> None:
        self.expression(node.value, place)
        for target in node.targets:
            self.target(target, node.value, node, place)

    def on_AnnAssign(self, node: ast.AnnAssign, place: Place) -> None:
        if node.value is not None:
            self.expression(node.value, place)
            self.target(node.target, node.value, node, place)
        elif isinstance(node.target, ast.Name) and place.scope.is_class:
            self.bind(node.target.id, "other", node, place)

    def on_AugAssign(self, node: ast.AugAssign, place: Place) -> None:
        self.expression(node.value, place)
        self.parts(node.target, place)
        name = dotted(node.target)
        if name is not None:
            self.bind(name, "augment", node, place, value=node.value)
        elif isinstance(node.target, ast.Subscript):
            self.item(node.target, None, node, place)

    def target(self, target: ast.expr, value: ast.expr, node: ast.AST, place: Place) -> None:
        self.parts(target, place)
        name = dotted(target)
        if name is not None:
            self.bind(name, "assign", node, place, value=value)
        elif isinstance(target, ast.Tuple | ast.List):
            for index, item in enumerate(target.elts):
                item_name = dotted(item)
                if item_name is not None:
                    self.bind(item_name, "unpack", node, place, value=value, index=index)
                else:
                    self.unknown(item, node, place)
        elif isinstance(target, ast.Subscript):
            self.item(target, value, node, place)

    def item(self, target: ast.Subscript, value: ast.expr | None, node: ast.AST, place: Place) -> None:
        while isinstance(target.value, ast.Subscript):
            # What changes deep inside an item leaves the item itself unknown.
            target, value = target.value, None
        base = dotted(target.value)
        if base is not None:
            self.bind(base, "item", node, place, value=value, key=target.slice)
        elif _is_globals(target.value):
            self.named_global(target.slice, value, node, place)

    def named_global(self, key: ast.expr, value: ast.expr | None, node: ast.AST, place: Place) -> None:
        """Bind what ``globals()[key]`` sets; a key that is not written out may be any name."""
        name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ANY_GLOBAL
        inside = place.scope
        while inside.parent is not None:
            inside = inside.parent
        arms = place.arms if inside is place.scope else (*place.arms, Arm(node, None, True))
        kind = "other" if name == ANY_GLOBAL or value is None or inside is not place.scope else "assign"
        inside.bindings.setdefault(name, []).append(
            Binding(name, kind, node, Place(inside, place.order, arms), value=value)
        )

    def unknown(self, target: ast.expr, node: ast.AST, place: Place) -> None:
        """Bind whatever a target holds to something that is not followed."""
        if isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self.unknown(item, node, place)
        elif isinstance(target, ast.Starred):
            self.unknown(target.value, node, place)
        elif isinstance(target, ast.Subscript):
            self.item(target, None, node, place)
        elif (name := dotted(target)) is not None:
            self.bind(name, "other", node, place)

    def parts(self, target: ast.expr, place: Place) -> None:
        """Read the expressions inside a target, such as the index of a subscript."""
        if isinstance(target, ast.Attribute | ast.Subscript):
            self.expressions(target, place)
        elif isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self.parts(item, place)
        elif isinstance(target, ast.Starred):
            self.parts(target.value, place)

    def on_Delete(self, node: ast.Delete, place: Place) -> None:
        for target in node.targets:
            self.parts(target, place)
            if isinstance(target, ast.Subscript) and (name := dotted(target.value)) is not None:
                self.bind(name, "pop", node, place, key=target.slice)

    def on_Import(self, node: ast.Import, place: Place) -> None:
        for alias in node.names:
            first = alias.name.partition(".")[0]
            bound, target = (alias.asname, alias.name) if alias.asname else (first, first)
            self.bind(bound, "import", node, place, target=target)

    def on_ImportFrom(self, node: ast.ImportFrom, place: Place) -> None:
        base = "." * node.level + (node.module or "")
        separator = "" if base.endswith(".") or not base else "."
        for alias in node.names:
            self.bind(alias.asname or alias.name, "import", node, place, target=f"{base}{separator}{alias.name}")

    def on_Global(self, node: ast.Global, place: Place) -> None:
        place.scope.outer_names.update(node.names)

    def on_Nonlocal(self, node: ast.Nonlocal, place: Place) -> None:
        place.scope.outer_names.update(node.names)

    def on_FunctionDef(self, node: FunctionNode, place: Place) -> None:
        for decorator in node.decorator_list:
            self.expression(decorator, place)
        self.defaults(node, place)
        self.bind(node.name, "function", node, place)
        inner = self.enter(node, node.name, place.scope)
        self.body(node.body, inner, ())

    on_AsyncFunctionDef = on_FunctionDef

    def on_ClassDef(self, node: ast.ClassDef, place: Place) -> None:
        for expression in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.expression(expression, place)
        self.bind(node.name, "class", node, place)
        inner = Scope(node, place.scope, node.name)
        place.scope.children.append(inner)
        self.scopes[id(node)] = inner
        self.body(node.body, inner, ())

    def defaults(self, node: FunctionNode | ast.Lambda, place: Place) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.expression(default, place)

    def enter(self, node: FunctionNode | ast.Lambda, name: str, parent: Scope) -> Scope:
        inner = Scope(node, parent, name)
        parent.children.append(inner)
        self.scopes[id(node)] = inner
        place = Place(inner, self.order)
        for parameter in parameters(node):
            self.bind(parameter.arg, "parameter", parameter, place)
        return inner

    # --- statements that branch ---

    def on_If(self, node: ast.If, place: Place) -> None:
        if place.scope.parent is None and is_main_test(node.test) and self.guard is None:
            self.guard = node
        self.expression(node.test, place)
        self.body(node.body, place.scope, (*place.arms, Arm(node, node.test, True, place=place)))
        self.body(node.orelse, place.scope, (*place.arms, Arm(node, node.test, False, place=place)))

    def on_For(self, node: ast.For | ast.AsyncFor, place: Place) -> None:
        self.expression(node.iter, place)
        place.scope.iterations.append((node.iter, node, place))
        inside = (*place.arms, Arm(node, None, True, loop=True))
        self.parts(node.target, place)
        names = node.target.elts if isinstance(node.target, ast.Tuple | ast.List) else [node.target]
        for index, target in enumerate(names):
            name = dotted(target)
            if name is None:
                self.unknown(target, node, Place(place.scope, self.order, inside))
            else:
                position = index if len(names) > 1 else None
                where = Place(place.scope, self.order, inside)
                self.bind(name, "loop", node, where, value=node.iter, index=position)
        self.body(node.body, place.scope, inside)
        self.body(node.orelse, place.scope, place.arms)

    on_AsyncFor = on_For

    def on_While(self, node: ast.While, place: Place) -> None:
        self.expression(node.test, place)
        self.body(node.body, place.scope, (*place.arms, Arm(node, None, True, loop=True)))
        self.body(node.orelse, place.scope, place.arms)

    def on_With(self, node: ast.With | ast.AsyncWith, place: Place) -> None:
        self.blocks.append(node)
        for item in node.items:
            self.expression(item.context_expr, place)
            if item.optional_vars is None:
                continue
            self.parts(item.optional_vars, place)
            if (name := dotted(item.optional_vars)) is not None:
                self.bind(name, "with", node, place, value=item.context_expr)
            else:
                self.unknown(item.optional_vars, node, place)
        self.body(node.body, place.scope, place.arms)

    on_AsyncWith = on_With

    def on_Try(self, node: ast.Try, place: Place) -> None:
        self.blocks.append(node)
        self.body(node.body, place.scope, place.arms)
        for handler in node.handlers:
            arms = (*place.arms, Arm(handler, None, True))
            if handler.type is not None:
                self.expression(handler.type, place)
            if handler.name is not None:
                self.bind(handler.name, "other", handler, Place(place.scope, self.order, arms))
            self.body(handler.body, place.scope, arms)
        self.body(node.orelse, place.scope, place.arms)
        self.body(node.finalbody, place.scope, place.arms)

    on_TryStar = on_Try

    def on_Match(self, node: ast.Match, place: Place) -> None:
        self.expression(node.subject, place)
        for case in node.cases:
            arms = (*place.arms, Arm(case, None, True))
            inside = Place(place.scope, self.order, arms)
            for name in _captured(case.pattern):
                self.bind(name, "other", node, inside)
            if case.guard is not None:
                self.expression(case.guard, inside)
            self.body(case.body, place.scope, arms)

    def on_Return(self, node: ast.Return, place: Place) -> None:
        if node.value is not None:
            self.expression(node.value, place)
        place.scope.returns.append((node.value, place))

    # --- expressions ---

    def expressions(self, node: ast.AST, place: Place) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expression(child, place)
            elif isinstance(child, ast.stmt):
                self.statement(child, place)
            else:
                self.expressions(child, place)

    def expression(self, node: ast.expr, place: Place) -> None:
        if isinstance(node, ast.Constant | ast.Name):
            return
        if isinstance(node, ast.Call):
            self.call(node, place)
        elif isinstance(node, ast.Lambda):
            self.defaults(node, place)
            inner = self.enter(node, "<lambda>", place.scope)
            # The body comes after the parameters, which are bound where the lambda stands.
            inside = Place(inner, self.order + 1)
            self.expression(node.body, inside)
            inner.returns.append((node.body, inside))
            return
        elif isinstance(node, ast.NamedExpr):
            self.bind(node.target.id, "assign", node, place, value=node.value)
        elif isinstance(node, ast.Yield | ast.YieldFrom):
            place.scope.yields = True
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            for generator in node.generators:
                place.scope.iterations.append((generator.iter, node, place))
                inside = Place(place.scope, place.order, (*place.arms, Arm(node, None, True, loop=True)))
                name = dotted(generator.target)
                if name is None:
                    self.unknown(generator.target, node, inside)
                else:
                    self.bind(name, "loop", node, inside, value=generator.iter)
        self.expressions(node, place)

    def call(self, node: ast.Call, place: Place) -> None:
        site = CallSite(node, place)
        place.scope.calls.append(site)
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        self.calls.setdefault(name, []).append(site)
        if name in _ITERATES:
            for argument in node.args:
                place.scope.iterations.append((argument, node, place))
        if _changes_globals(node, place):
            self.named_global(node.func, None, node, place)
        if name in _MUTATES and isinstance(function, ast.Attribute) and (base := dotted(function.value)) is not None:
            key = node.args[0] if name != "update" and node.args else None
            self.bind(base, name, node, place, value=node, key=key)


def _is_globals(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "globals"


def _changes_globals(node: ast.Call, place: Place) -> bool:
    """Return whether a call may give any name of the module another value."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr == "update" and _is_globals(function.value)
    if not (isinstance(function, ast.Name) and function.id == "exec"):
        return False
    return (place.scope.parent is None and len(node.args) == 1) or any(_is_globals(one) for one in node.args[1:])


def _captured(pattern: ast.pattern) -> Iterator[str]:
    """Yield the names that a pattern binds when it matches."""
    for inner in ast.walk(pattern):
        if isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name is not None:
            yield inner.name
        elif isinstance(inner, ast.MatchMapping) and inner.rest is not None:
            yield inner.rest


def _escape(statement: ast.stmt, place: Place) -> Arm | None:
    """Return the arm that everything after an ``if`` stands in when one of its arms leaves the block."""
    if not isinstance(statement, ast.If):
        return None
    if _leaves(statement.body):
        return Arm(statement, statement.test, False, place=place)
    if statement.orelse and _leaves(statement.orelse):
        return Arm(statement, statement.test, True, place=place)
    return None


def _leaves(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return dotted(last.value.func) in _LEAVES_CALLS
    return isinstance(last, ast.If) and bool(last.orelse) and _leaves(last.body) and _leaves(last.orelse)
