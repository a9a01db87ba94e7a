"""One walk over a Python module, in source order, that notes its scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias, TypeGuard

from msgspec.structs import replace

from loaderlint.readers.python_attributes import AttributeChange, dictionary_of, is_passed_on, set_by_call
from loaderlint.readers.python_bindings import Bound, changes_globals, is_own_module
from loaderlint.readers.python_branches import SWALLOWING, Leaving, captured, may_end, may_raise, pattern_test
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.python_scopes import (
    Arm,
    Asks,
    Block,
    CallSite,
    Fork,
    FunctionNode,
    Place,
    Scope,
    Suite,
    dotted,
    is_main_test,
    parameters,
)

_ITERATES = {"iter", "enumerate", "list", "tuple", "zip", "tqdm", "next", "islice", "cycle", "chain", "sum", "sorted"}


Branches: TypeAlias = tuple[tuple[tuple[Arm, ...], Suite], ...]
"""The blocks of a statement, each with the arms that lead to it."""
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class Walked(NamedTuple):
    """What a module holds.

    ``scopes`` are all scopes by the identity of their node, ``calls`` every call by the last part of the callee's name,
    ``guard`` the first ``if __name__ == "__main__":`` at the top, ``blocks`` every ``with`` and ``try``,
    ``operations`` every operation on two operands, ``tests`` every comparison and whatever asks a question and is not
    text, ``attribute_changes`` the attributes set otherwise than by a dotted name.
    """

    module: Scope
    scopes: dict[int, Scope]
    calls: dict[str, list[CallSite]]
    guard: ast.If | None
    blocks: list[Block]
    operations: list[tuple[ast.BinOp, Place]]
    tests: list[tuple[Asks, Place]]
    attribute_changes: list[AttributeChange]


def walk(tree: ast.Module) -> Walked:
    """Return the scopes and calls of a module.

    Raises:
        RecursionError: its expressions are too deeply nested.
    """
    walking = _Walk(tree)
    walking.module.flow = walking.body(tree.body, walking.module, ())
    walking.through_dictionaries()
    return Walked(
        walking.module,
        walking.scopes,
        walking.calls,
        walking.guard,
        walking.blocks,
        walking.operations,
        walking.tests,
        walking.attribute_changes,
    )


class _Walk(Bound):
    """One walk over a module, in source order."""

    def __init__(self, tree: ast.Module) -> None:
        super().__init__()
        self.module = Scope(tree, None, "")
        self.scopes: dict[int, Scope] = {id(tree): self.module}
        self.calls: dict[str, list[CallSite]] = {}
        self.guard: ast.If | None = None
        self.blocks: list[Block] = []
        self.operations: list[tuple[ast.BinOp, Place]] = []
        self.tests: list[tuple[Asks, Place]] = []
        self.order = 0
        self.raising: list[int] = []
        self.leaving = Leaving(tree)

    def body(self, statements: Iterable[ast.stmt], scope: Scope, arms: tuple[Arm, ...]) -> Suite:
        block = Suite(self.order + 1, self.order, [], self.raising)
        for statement in statements:
            self.order += 1
            place = Place(scope, self.order, arms)
            if may_raise(statement):
                self.raising.append(self.order)
            branches = self.statement(statement, place)
            leaves = self.leaving.block(statement, place)
            if branches or leaves:
                inside = any(one.leaves for _, branch in branches for one in branch.forks)
                returns = isinstance(statement, ast.Return | ast.Break | ast.Continue)
                block.forks.append(Fork(statement, place.order, self.order, branches, returns or inside))
            if (stop := self.leaving.stop(statement, place)) is not None:
                scope.stops.append(stop)
            arms = (*arms, *self.leaving.escapes(statement, place))
        block.last = self.order
        return block

    def statement(self, node: ast.stmt, place: Place) -> Branches:
        handler = getattr(self, f"on_{type(node).__name__}", None)
        if handler is None:
            self.expressions(node, place)
            return ()
        return handler(node, place) or ()

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
            if (held := dictionary_of(value)) is not None:
                self.stands_for(place.scope, name, held)
            if (owner := dictionary_of(target)) is not None and dotted(owner) != dotted(value):
                self.attribute_changes.append(AttributeChange(owner, None, place))
        elif isinstance(target, ast.Tuple | ast.List):
            self.unpack(target, "unpack", value, node, place)
        elif isinstance(target, ast.Subscript):
            self.item(target, value, node, place)

    def parts(self, target: ast.expr, place: Place) -> None:
        """Read the expressions inside a target, such as the index of a subscript."""
        if isinstance(target, ast.Attribute | ast.Subscript):
            self.expressions(target, place)
            if _asks(target):
                self.tests.append((target, place))
            if isinstance(target, ast.Attribute) and dotted(target) is None:
                name = ast.copy_location(ast.Constant(target.attr), target)
                self.attribute_changes.append(AttributeChange(target.value, name, place))
        elif isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self.parts(item, place)
        elif isinstance(target, ast.Starred):
            self.parts(target.value, place)

    def on_Delete(self, node: ast.Delete, place: Place) -> None:
        for target in node.targets:
            self.parts(target, place)
            if isinstance(target, ast.Subscript):
                self.changed(target.value, "pop", node, place, key=target.slice)
            elif (name := dotted(target)) is not None:
                # Behind an attribute of an object there may be one of its class.
                self.bind(name, "other" if "." in name else "delete", node, place)

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
        inner = self.enter(node, node.name, place)
        inner.flow = self.body(node.body, inner, ())

    on_AsyncFunctionDef = on_FunctionDef

    def on_ClassDef(self, node: ast.ClassDef, place: Place) -> None:
        for expression in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.expression(expression, place)
        self.bind(node.name, "class", node, place)
        inner = Scope(node, place.scope, node.name, defined=place)
        place.scope.children.append(inner)
        self.scopes[id(node)] = inner
        inner.flow = self.body(node.body, inner, ())
        for method in inner.children:
            method.stops = [one for one in method.stops if may_end(one)]

    def defaults(self, node: FunctionNode | ast.Lambda, place: Place) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.expression(default, place)

    def enter(self, node: FunctionNode | ast.Lambda, name: str, defined: Place) -> Scope:
        inner = Scope(node, defined.scope, name, defined=defined)
        defined.scope.children.append(inner)
        self.scopes[id(node)] = inner
        place = Place(inner, self.order)
        for parameter in parameters(node):
            self.bind(parameter.arg, "parameter", parameter, place)
        return inner

    # --- statements that branch ---

    def on_If(self, node: ast.If, place: Place) -> Branches:
        if place.scope.parent is None and is_main_test(node.test) and self.guard is None:
            self.guard = node
        self.tests.append((node, place))
        self.expression(node.test, place)
        return tuple(
            self.branch(body, place, Arm(node, node.test, truth, place=place))
            for body, truth in ((node.body, True), (node.orelse, False))
        )

    def branch(self, body: list[ast.stmt], place: Place, *arms: Arm) -> tuple[tuple[Arm, ...], Suite]:
        """Read a block that runs where the arms are taken."""
        return arms, self.body(body, place.scope, (*place.arms, *arms))

    def on_For(self, node: ast.For | ast.AsyncFor, place: Place) -> Branches:
        self.expression(node.iter, place)
        place.scope.iterations.append((node.iter, node, place))
        turn = Arm(node, None, True, loop=True, place=place)
        self.parts(node.target, place)
        self.order += 1
        first = self.order
        self.loop_target(node.target, node.iter, node, Place(place.scope, first, (*place.arms, turn)))
        turns = self.branch(node.body, place, turn)
        turns[1].first = first
        return turns, self.branch(node.orelse, place)

    on_AsyncFor = on_For

    def loop_target(self, target: ast.expr, iterated: ast.expr, node: ast.AST, place: Place) -> None:
        name = dotted(target)
        if name is not None:
            self.bind(name, "loop", node, place, value=iterated)
        elif isinstance(target, ast.Tuple | ast.List):
            self.unpack(target, "loop", iterated, node, place)
        else:
            self.unknown(target, node, place)

    def on_Assert(self, node: ast.Assert, place: Place) -> None:
        self.tests.append((node, place))
        self.expressions(node, place)

    def on_While(self, node: ast.While, place: Place) -> Branches:
        self.tests.append((node, place))
        self.expression(node.test, place)
        turns = self.branch(node.body, place, Arm(node, node.test, True, loop=True, place=place))
        return turns, self.branch(node.orelse, place)

    def on_With(self, node: ast.With | ast.AsyncWith, place: Place) -> Branches:
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
        stops = place.scope.stops
        before = len(stops)
        body = self.branch(node.body, place)
        if any(
            isinstance(one.context_expr, ast.Call) and called_name(one.context_expr) in SWALLOWING for one in node.items
        ):
            stops[before:] = [replace(one, handled=(*one.handled, (node, body[1].last))) for one in stops[before:]]
        return (body,)

    on_AsyncWith = on_With

    def on_Try(self, node: ast.Try, place: Place) -> Branches:
        """Return the body, the handlers, what runs after the body, and what runs in any case, in this order."""
        self.blocks.append(node)
        stops = place.scope.stops
        before = len(stops)
        body = self.branch(node.body, place)
        if node.handlers:
            stops[before:] = [replace(one, handled=(*one.handled, (node, body[1].last))) for one in stops[before:]]
        handled: list[tuple[tuple[Arm, ...], Suite]] = []
        arms: tuple[Arm, ...] = (Arm(node, None, False),)
        for handler in node.handlers:
            taken = (*arms, Arm(handler, None, True)) if len(node.handlers) > 1 else arms
            self.order += 1
            first = self.order
            if handler.type is not None:
                self.expression(handler.type, Place(place.scope, first, (*place.arms, *taken)))
            if handler.name is not None:
                self.bind(handler.name, "other", handler, Place(place.scope, first, (*place.arms, *taken)))
            branch = self.branch(handler.body, place, *taken)
            branch[1].first = first
            handled.append(branch)
            arms = (*arms, Arm(handler, None, False))
        orelse = self.branch(node.orelse, place, *([Arm(node, None, True)] if node.handlers else []))
        return body, *handled, orelse, self.branch(node.finalbody, place)

    on_TryStar = on_Try

    def on_Match(self, node: ast.Match, place: Place) -> Branches:
        """Return the cases; each is reached where none before it matched."""
        self.tests.append((node, place))
        self.expression(node.subject, place)
        cases: list[tuple[tuple[Arm, ...], Suite]] = []
        arms: tuple[Arm, ...] = ()
        for case in node.cases:
            self.order += 1
            test = pattern_test(node.subject, case)
            taken = (*arms, Arm(case, test, True, place=place))
            inside = Place(place.scope, self.order, (*place.arms, *taken))
            first = self.order
            for name, value in captured(case.pattern, node.subject):
                self.bind(name, "assign" if value is not None else "other", node, inside, value=value)
            if case.guard is not None:
                self.tests.append((case, inside))
                self.expression(case.guard, inside)
            branch = self.branch(case.body, place, *taken)
            branch[1].first = first
            cases.append(branch)
            arms = (*arms, Arm(case, test, False, place=place))
        return (*cases, (arms, Suite(self.order + 1, self.order, [])))

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
        if isinstance(node, ast.Constant):
            return
        if isinstance(node, ast.Name):
            place.scope.reads.setdefault(node.id, []).append(place)
            return
        if isinstance(node, ast.Call):
            self.call(node, place)
        elif isinstance(node, ast.BinOp):
            self.operations.append((node, place))
        elif _asks(node):
            self.tests.append((node, place))
        elif isinstance(node, ast.JoinedStr):
            before = len(self.tests)
            self.expressions(node, place)
            # What a text shows depends on no more than what is shown, but for what is picked from something else.
            self.tests[before:] = [one for one in self.tests[before:] if isinstance(one[0], ast.Subscript)]
            return
        elif isinstance(node, ast.Lambda):
            self.defaults(node, place)
            inner = self.enter(node, "<lambda>", place)
            # The body comes after the parameters, which are bound where the lambda stands.
            inside = Place(inner, self.order + 1)
            self.expression(node.body, inside)
            inner.returns.append((node.body, inside))
            return
        elif isinstance(node, ast.IfExp):
            self.tests.append((node, place))
            self.expression(node.test, place)
            for branch, truth in ((node.body, True), (node.orelse, False)):
                self.expression(branch, place.under(Arm(node, node.test, truth, place=place)))
            return
        elif isinstance(node, ast.BoolOp):
            self.tests.append((node, place))
            for operand in node.values:
                self.expression(operand, place)
                place = place.under(Arm(operand, operand, isinstance(node.op, ast.And), place=place))
            return
        elif isinstance(node, ast.NamedExpr):
            self.bind(node.target.id, "assign", node, place, value=node.value)
        elif isinstance(node, ast.Yield | ast.YieldFrom):
            place.scope.yielded.append((node, place))
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            self.comprehension(node, place)
            return
        self.expressions(node, place)

    def comprehension(self, node: Comprehension, place: Place) -> None:
        """Read a comprehension; its names are seen inside it alone, from each ``for`` on."""
        inside = place
        for generator in node.generators:
            self.expression(generator.iter, inside)
            place.scope.iterations.append((generator.iter, node, inside))
            turn = Arm(generator, None, True, loop=True, place=inside)
            inside = Place(place.scope, place.order, (*inside.arms, turn))
            self.parts(generator.target, inside)
            self.loop_target(generator.target, generator.iter, node, inside)
            if generator.ifs:
                self.tests.append((generator, inside))
            for test in generator.ifs:
                self.expression(test, inside)
                inside = Place(place.scope, place.order, (*inside.arms, Arm(test, test, True, place=inside)))
        place.scope.inside[id(node)] = inside
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.expression(part, inside)

    def call(self, node: ast.Call, place: Place) -> None:
        site = CallSite(node, place)
        place.scope.calls.append(site)
        function = node.func
        name = called_name(node)
        self.calls.setdefault(name, []).append(site)
        if name in _ITERATES:
            for argument in node.args:
                place.scope.iterations.append((argument, node, place))
        if changes_globals(node, place):
            self.named_global(node.func, None, node, place)
        match node:
            case ast.Call(ast.Attribute(owner, "__iter__"), []):
                place.scope.iterations.append((owner, node, place))
            case ast.Call(ast.Name("setattr"), [module, key, value]) if is_own_module(module):
                self.named_global(key, value, node, place)
        for change in set_by_call(node):
            if not is_passed_on(place.scope, node):
                self.attribute(change, node, place)
        if isinstance(function, ast.Attribute):
            self.method(node, function, place)


def _asks(node: ast.expr) -> TypeGuard[ast.Compare | ast.UnaryOp | ast.Subscript]:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant)
    )
