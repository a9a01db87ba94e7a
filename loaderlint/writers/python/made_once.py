"""What differs when the module makes a definition once that a function made at each of its calls."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterator, Mapping

from loaderlint.model.setting_words import KNOWN_LIBRARIES
from loaderlint.writers.python.bindings import always_imported, canonical, dotted, overlap, root
from loaderlint.writers.python.names import Names, uses
from loaderlint.writers.python.shapes import Definition, Side, by_side

_LIBRARIES = sys.stdlib_module_names | KNOWN_LIBRARIES

_MADE_ALIKE = frozenset(
    {"abs", "bool", "bytes", "classmethod", "complex", "float", "frozenset", "int", "max", "min", "property"}
    | {"range", "round", "slice", "staticmethod", "str", "tuple"}
    | {"dataclasses.field", "pathlib.Path", "re.compile", "torch.Size", "torch.device"}
)
"""What makes, of what does not change, something that does not change."""

_REACHES_WORKERS = "os.environ"
"""What workers get as it is when they start: the environment (docs.python.org, ``subprocess``, ``env``)."""


def differences(tree: ast.Module, name: str) -> Iterator[str]:
    """Yield why a definition at the top of a module may do something else than it did inside a function.

    What it is made with is evaluated when the module is imported, and is one object for all calls. And workers that
    import the module find its names as the module sets them, whatever the program has made of them.
    """
    imports = always_imported(tree.body)
    module = _Module(tree, imports, name)
    definition = next(one for one in tree.body if isinstance(one, Definition) and one.name == name)
    for value in _made_with(definition):
        if not module.is_fixed(value):
            yield f"`{ast.unparse(value)}` is then evaluated once, when the module is imported"
            break
    for decorator in definition.decorator_list:
        if not module.is_of_a_library(decorator.func if isinstance(decorator, ast.Call) else decorator):
            yield f"`@{ast.unparse(decorator)}` is then applied once, when the module is imported, and in each worker"
            break
    if isinstance(definition, ast.ClassDef) and (above := _told_of_its_classes(tree, definition)):
        yield f"`{above}` is then told of it when the module is imported, and in each worker"
    if any(map(_changes_its_class, ast.walk(definition))):
        yield "it changes its class, which is then the same for all calls"
    for path in sorted(module.changes):
        if root(path) == name:
            yield f"it changes `{path}`, which is then the same for all calls"
            break
    for path in sorted(module.reads):
        if module.is_changed(path) and canonical(path, imports) != _REACHES_WORKERS:
            yield f"it reads `{path}`, which the program changes, and workers find as the module sets it"
            break


def _made_with(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that are evaluated when a definition is made: defaults, and what a class body says."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            yield from (one for one in (*node.args.defaults, *node.args.kw_defaults) if one is not None)
        case ast.ClassDef():
            yield from (one.value if isinstance(one, ast.Subscript) else one for one in node.bases)
            yield from (one.value for one in node.keywords)
            for statement in node.body:
                yield from _made_with(statement)
        case ast.Assign() | ast.AnnAssign():
            yield from [node.value] if node.value is not None else []
        case ast.stmt():
            for inner in ast.iter_child_nodes(node):
                yield from [inner] if isinstance(inner, ast.expr) else _made_with(inner)
    if isinstance(node, Definition):
        for decorator in node.decorator_list:
            yield from _given(decorator) if isinstance(decorator, ast.Call) else ()


_TELL_NOBODY = frozenset({"ABCMeta", "EnumMeta", "EnumType"})
"""Metaclasses of Python that keep no list of the classes they make."""


def _told_of_its_classes(tree: ast.Module, definition: ast.ClassDef) -> str:
    """Return the class above one, or the metaclass, that is told when it is made; nothing where none in its file is."""
    by_name = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)}
    waiting, seen = [definition], set[str]()
    while waiting:
        one = waiting.pop()
        methods = {inner.name for inner in one.body if isinstance(inner, ast.FunctionDef)}
        metaclasses = [
            name for keyword in one.keywords if keyword.arg == "metaclass" and (name := dotted(keyword.value))
        ]
        if one is not definition and "__init_subclass__" in methods:
            return one.name
        told = next((name for name in metaclasses if name.rpartition(".")[2] not in _TELL_NOBODY), None)
        if told is not None:
            return told
        seen.add(one.name)
        waiting += [by_name[name] for base in one.bases if (name := dotted(base) or "") in by_name and name not in seen]
    return ""


def _changes_its_class(node: ast.AST) -> bool:
    """Return whether something sets an attribute or item of the class of an object: ``type(self).made += 1``."""
    match node:
        case ast.Attribute(value=owner, ctx=ast.Store()) | ast.Subscript(value=owner, ctx=ast.Store()):
            pass
        case _:
            return False
    return any(
        (isinstance(one, ast.Attribute) and one.attr == "__class__")
        or (isinstance(one, ast.Name) and one.id == "cls")
        or (isinstance(one, ast.Call) and dotted(one.func) == "type")
        for one in ast.walk(owner)
    )


def _given(node: ast.Call) -> Iterator[ast.expr]:
    yield from node.args
    yield from (one.value for one in node.keywords)


class _Module:
    """A module with what its program changes while it runs, and with what one of its definitions reads when called."""

    def __init__(self, tree: ast.Module, imports: Mapping[str, str], name: str) -> None:
        self._imports = imports
        self._classes = {one.name for one in tree.body if isinstance(one, ast.ClassDef)}
        later: dict[str, Names] = {}
        changed: dict[str, frozenset[str]] = {}
        guarded: set[str] = set()
        for statement, side in by_side(tree.body):
            used = uses([statement], imports, {})
            for bound in used.now.binds:
                later[bound] = later.get(bound, Names()).joined(used.later)
                changed[bound] = later[bound].binds | later[bound].changes
            if side is Side.GUARDED:
                guarded |= used.now.binds | used.now.changes
        reached = _reached(name, later)
        self.changes: Collection[str] = later[name].changes
        self.reads = frozenset(path for one in reached for path in later[one].reads)
        self._changed = guarded.union(*(paths for one, paths in changed.items() if one not in reached))

    def is_changed(self, path: str) -> bool:
        """Return whether what a path stands for may be set, or changed in place, while the program runs."""
        return overlap({path}, self._changed)

    def is_of_a_library(self, node: ast.expr) -> bool:
        """Return whether a name stands for a builtin, or for what a known library has."""
        path = canonical(dotted(node) or "", self._imports)
        return hasattr(builtins, path) or (root(dotted(node) or "") in self._imports and root(path) in _LIBRARIES)

    def is_fixed(self, node: ast.expr) -> bool:
        """Return whether an expression gives each call the same: what cannot change, or one object of the module."""
        match node:
            case ast.Constant() | ast.Name():
                return True
            case ast.Attribute():
                path = dotted(node) or ""
                return (self.is_of_a_library(node) or root(path) in self._classes) and not self.is_changed(path)
            case ast.Lambda():
                parts = _made_with(node)
            case ast.Call() if canonical(dotted(node.func) or "", self._imports) in _MADE_ALIKE:
                parts = _given(node)
            case ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.Compare() | ast.IfExp() | ast.Tuple() | ast.Starred():
                parts = _operands(node)
            case ast.JoinedStr() | ast.FormattedValue():
                parts = _operands(node)
            case _:
                return False
        return all(self.is_fixed(one) for one in parts)


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    return (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))


def _reached(name: str, later: Mapping[str, Names]) -> frozenset[str]:
    """Return the names of a definition and of all that it calls, or may call, in turn."""
    reached: set[str] = set()
    pending = [name]
    while pending:
        one = pending.pop()
        if one not in reached:
            reached.add(one)
            pending += later[one].roots & later.keys()
    return frozenset(reached)
