"""What a statement of a module binds, reads and changes, at once and later.

"At once" is when the statement runs at module level; "later" is what stands in function bodies and lambdas, which run
when they are called. Scopes follow the language reference, "Naming and binding": class bodies read their own names and
the module's, comprehensions have a scope of their own but evaluate their first iterable outside it, an assignment
expression in a comprehension binds outside it, and ``global`` makes a function bind the module's name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from loaderlint.model.setting_words import MUTATORS
from loaderlint.writers.python.arguments import Function, handed_over, only_reads
from loaderlint.writers.python.bindings import bound_by, called_path, dotted, imported, local_names, root

_LOOKING_THROUGH = frozenset({"__main__", "eval", "exec", "globals", "sys.modules"})
"""What gives all names of a module, or runs text that may hold any."""


class Names(Struct, frozen=True):
    """Names and dotted paths, as they are written in the module.

    ``binds`` are names bound or deleted in the module's scope; ``reads`` and ``calls`` dotted paths (``args.lr``);
    ``changes`` the paths of objects changed in place; ``passes`` names handed to a call, or called a method of, which
    may change them.
    """

    binds: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    passes: frozenset[str] = frozenset()

    @property
    def roots(self) -> frozenset[str]:
        """The first part of every path that is read."""
        return frozenset(root(path) for path in self.reads)

    @property
    def any(self) -> bool:
        """Whether any name of the module may be read: where all of them are looked through, or text is run."""
        return not _LOOKING_THROUGH.isdisjoint({*self.reads, *map(root, self.calls)})

    def joined(self, other: Names) -> Names:
        """Return both together."""
        return Names(
            self.binds | other.binds,
            self.reads | other.reads,
            self.calls | other.calls,
            self.changes | other.changes,
            self.passes | other.passes,
        )


class Uses(Struct, frozen=True):
    """What a statement does with names at once, and what the functions in it do when they are called."""

    now: Names
    later: Names


def container(node: ast.expr) -> ast.expr:
    """Return what ``x[…][…]`` takes an item of; any other expression as it is."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def uses(nodes: Iterable[ast.stmt], imports: Mapping[str, str], functions: Mapping[str, Function]) -> Uses:
    """Return what statements of a module do with its names.

    ``imports`` are the module's as ``always_imported`` gives them, ``functions`` those it defines once.
    """
    reader = _Reader(imports, functions)
    for node in nodes:
        reader.visit(node)
    return Uses(reader.now.frozen(), reader.later.frozen())


def uses_of_function(node: Function | ast.Lambda, imports: Mapping[str, str]) -> Names:
    """Return what a function does with its module's names when it is called."""
    reader = _Reader(imports, {})
    reader.body_of(node)
    return reader.later.frozen()


class _Growing(Struct):
    binds: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    passes: set[str] = field(default_factory=set)

    def frozen(self) -> Names:
        return Names(
            frozenset(self.binds),
            frozenset(self.reads),
            frozenset(self.calls),
            frozenset(self.changes),
            frozenset(self.passes),
        )


class _Scope(Struct):
    """One scope around the node being read: its names, and whether inner scopes see them (a class body's do not)."""

    names: set[str]
    kind: str


class _Reader(ast.NodeVisitor):
    def __init__(self, imports: Mapping[str, str], functions: Mapping[str, Function]) -> None:
        self.now = _Growing()
        self.later = _Growing()
        self._imports = imports
        self._functions = functions
        self._scopes: list[_Scope] = []

    @property
    def _found(self) -> _Growing:
        return self.later if any(scope.kind == "function" for scope in self._scopes) else self.now

    def _global(self, name: str) -> bool:
        """Whether a load of the name reaches the module's scope."""
        for scope in reversed(self._scopes):
            if name in scope.names and (scope.kind != "class" or scope is self._scopes[-1]):
                return False
        return True

    def _bind(self, name: str) -> None:
        for scope in reversed(self._scopes):
            if scope.kind == "class":
                scope.names.add(name)
                return
            if scope.kind == "function" and name in scope.names:
                return
        self._found.binds.add(name)

    def _read(self, path: str) -> None:
        if self._global(root(path)):
            self._found.reads.add(path)

    def _change(self, path: str | None) -> None:
        if path is not None and self._global(root(path)):
            self._found.changes.add(path)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._read(node.id)
            return
        if isinstance(node.ctx, ast.Del):
            self._read(node.id)
        self._bind(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = dotted(node)
        if path is None:
            self.generic_visit(node)
            return
        self._read(path)
        if not isinstance(node.ctx, ast.Load):
            self._change(path)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        match node:
            case ast.Subscript(value=ast.Call(func=ast.Name(id="globals")), slice=ast.Constant(value=str(name))):
                self._found.reads.add(name)
                if not isinstance(node.ctx, ast.Load):
                    self._found.changes.add(name)
                return
        if not isinstance(node.ctx, ast.Load):
            self._change(dotted(container(node)))
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._value_first(node.value, *node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self._value_first(node.value, node.target)

    def visit_For(self, node: ast.For) -> None:
        self._value_first(node.iter, node.target, *node.body, *node.orelse)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> None:
        self._value_first(node.iter, node.target, *node.body, *node.orelse)

    def _value_first(self, *nodes: ast.AST) -> None:
        for node in nodes:
            self.visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._read(node.target.id)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        inner = [scope for scope in self._scopes if scope.kind != "comprehension"]
        outer, self._scopes = self._scopes, inner
        self._bind(node.target.id)
        self._scopes = outer

    def visit_Call(self, node: ast.Call) -> None:
        path = dotted(node.func)
        if path is not None and self._global(root(path)):
            self._called_on(*path.rpartition(".")[::2])
        called = called_path(node)
        if called and self._global(root(called)):
            self._found.calls.add(called)
        handed = handed_over(node, path or ast.unparse(node.func), self._functions)
        self._found.passes.update(name for name in handed if self._global(name))
        self.generic_visit(node)

    def _called_on(self, owner: str, method: str) -> None:
        """Note that a method was called; a module's own function (``random.seed``) does not change the module."""
        if not owner or (root(owner) in self._imports and (method not in MUTATORS or "." not in owner)):
            return
        if method in MUTATORS or method.startswith(("add", "set", "register")) or method.endswith("_"):
            self._found.changes.add(owner)
        elif not only_reads(method):
            self._found.passes.add(root(owner))

    def visit_Import(self, node: ast.Import) -> None:
        for name in imported([node]):
            self._bind(name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for name in imported([node]):
            self._bind(name)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._definition(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._definition(node)

    def _definition(self, node: Function) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
            path = dotted(decorator)
            if path is not None and self._global(root(path)):
                self._found.calls.add(path)
        self._signature(node.args)
        if node.returns is not None:
            self.visit(node.returns)
        self._bind(node.name)
        self.body_of(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._signature(node.args)
        self.body_of(node)

    def _signature(self, arguments: ast.arguments) -> None:
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            if default is not None:
                self.visit(default)
        for one in ast.walk(arguments):
            if isinstance(one, ast.arg) and one.annotation is not None:
                self.visit(one.annotation)

    def body_of(self, node: Function | ast.Lambda) -> None:
        """Read what a function does when it is called."""
        self._scopes.append(_Scope(set(local_names(node)), "function"))
        for inner in [node.body] if isinstance(node, ast.Lambda) else node.body:
            self.visit(inner)
        self._scopes.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for outside in [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]:
            self.visit(outside)
            path = dotted(outside)
            if path is not None and self._global(root(path)):
                self._found.calls.add(path)
        self._bind(node.name)
        self._scopes.append(_Scope({"__module__", "__qualname__"}, "class"))
        for inner in node.body:
            self.visit(inner)
        self._scopes.pop()

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node.generators, [node.elt])

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, [node.key, node.value])

    def _comprehension(self, generators: list[ast.comprehension], results: list[ast.expr]) -> None:
        self.visit(generators[0].iter)
        targets = {name for one in generators for inner in ast.walk(one.target) for name in bound_by(inner)}
        self._scopes.append(_Scope(targets, "comprehension"))
        for position, generator in enumerate(generators):
            if position:
                self.visit(generator.iter)
            for condition in generator.ifs:
                self.visit(condition)
        for result in results:
            self.visit(result)
        self._scopes.pop()
