"""Which names a scope of a module binds, and what its imports stand for."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from loaderlint.writers.python.arguments import Function

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def root(path: str) -> str:
    """Return the name a dotted path begins with."""
    return path.partition(".")[0]


def dotted(node: ast.expr) -> str | None:
    """Return ``a.b.c`` for a chain of attributes that begins with a name, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def called_path(call: ast.Call) -> str:
    """Return the dotted name of what is called, of a method of what a class just made too: ``Rows().fill()``."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        return f"{dotted(function.value.func) or ''}.{function.attr}"
    return dotted(function) or ""


def canonical(path: str, imports: Mapping[str, str]) -> str:
    """Return a dotted path with its first name replaced by what an import binds it to."""
    first, dot, rest = path.partition(".")
    return imports.get(first, first) + dot + rest


def overlap(some: Collection[str], others: Collection[str]) -> bool:
    """Return whether a dotted path is, or is part of, one of the others, or the other way round."""
    return any(
        one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.") for one in some for other in others
    )


def imported(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Return what the imports in one scope bind: the name, and the dotted name of what it stands for.

    A relative import keeps its leading dots. ``import a.b`` binds ``a``.
    """
    bound: dict[str, str] = {}
    for node in own_scope(nodes):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound[alias.asname or root(alias.name)] = alias.name if alias.asname else root(alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (f"{node.module}." if node.module else "")
            for alias in node.names:
                if alias.name != "*":
                    bound[alias.asname or alias.name] = module + alias.name
    return bound


def imported_anywhere(tree: ast.Module) -> dict[str, str]:
    """Return what the imports in all scopes of a module bind, as `imported` does.

    So do names that nothing else binds, where one module alone can have them: ``from dominate.tags import *``.
    """
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {**_of_the_only_star(tree, imports), **imported(imports)}


def _of_the_only_star(tree: ast.Module, imports: Iterable[ast.Import | ast.ImportFrom]) -> dict[str, str]:
    stars = [one for one in imports if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
    if len(stars) != 1:
        return {}
    module = "." * stars[0].level + (f"{stars[0].module}." if stars[0].module else "")
    bound = {name for node in ast.walk(tree) for name in bound_by(node)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    read = {name.id for name in names_in(tree)}
    return {name: module + name for name in sorted(read - bound) if not hasattr(builtins, name)}


def imported_once(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names that one import of a scope binds, and none of the scopes inside it."""
    imports = [one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Import | ast.ImportFrom)]
    everywhere = [name for one in imports for name in imported([one])]
    return frozenset(name for name in imported(nodes) if everywhere.count(name) == 1)


def always_imported(nodes: Sequence[ast.AST]) -> dict[str, str]:
    """Return the names of a scope that only imports bind, each to one thing.

    ``name = None``, for what is missing, does not count.
    """
    missing = set(_set_to_none(nodes))
    bound: dict[str, set[str]] = {}
    for node in own_scope(nodes):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, target in imported([node]).items():
                bound.setdefault(name, set()).add(target)
        elif node not in missing:
            for name in bound_by(node):
                bound.setdefault(name, set()).add("")
    return {name: min(targets) for name, targets in bound.items() if len(targets) == 1 and targets != {""}}


def other_names(nodes: Sequence[ast.AST], imports: Mapping[str, str]) -> dict[str, str]:
    """Return the names that a scope binds once, to something imported: ``FLAGS = flags.FLAGS``, with what they mean."""
    bound = [name for node in own_scope(nodes) for name in bound_by(node)]
    found: dict[str, str] = {}
    for node in nodes:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Name() | ast.Attribute() as value)
            ):
                path = dotted(value) or ""
                if bound.count(name) == 1 and root(path) in imports:
                    found[name] = canonical(path, imports)
    return found


def _set_to_none(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in own_scope(nodes):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None:
            yield from node.targets


def named_as_own(imports: Mapping[str, str], own: Collection[str]) -> dict[str, str]:
    """Return what imports bind, with a leading dot where it is of one of the project's own modules.

    A relative import of it would say as much, and no library of that name is meant.
    """
    return {name: f".{target}" if root(target) in own else target for name, target in imports.items()}


def local_names(node: Function | ast.Lambda) -> frozenset[str]:
    """Return the names of a function's own scope: its parameters and what it binds, less what it declares global."""
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    bound = {one.arg for one in parameters}
    elsewhere: set[str] = set()
    for inner in own_scope(body):
        bound.update(bound_by(inner))
        if isinstance(inner, ast.Global | ast.Nonlocal):
            elsewhere.update(inner.names)
    return frozenset(bound - elsewhere)


def own_scope(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield all nodes of one scope: the definitions in it, but not what stands in their bodies."""
    for node in nodes:
        yield node
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            continue
        if isinstance(node, _COMPREHENSIONS):
            yield from (inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
            continue
        yield from own_scope(ast.iter_child_nodes(node))


def evaluated(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield all nodes that run with some, those of comprehensions too: no bodies of functions, lambdas and classes."""
    for node in nodes:
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield from evaluated(ast.iter_child_nodes(node))


def bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names a single node binds or deletes in its scope."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.NamedExpr):
        yield node.target.id
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from imported([node])
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def names_in(node: ast.AST) -> Iterator[ast.Name]:
    """Yield all names in a node, whatever scope they are in."""
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))


def paths_in(node: ast.expr) -> Iterator[str]:
    """Yield all names and dotted paths in an expression, as they are written."""
    return (path for one in ast.walk(node) if isinstance(one, ast.expr) and (path := dotted(one)))
