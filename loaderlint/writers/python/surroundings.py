"""What the names of a module are at one place of it, and which of its functions a call or a ``with`` runs there."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, islice
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.writers.python.arguments import Function
from loaderlint.writers.python.bindings import (
    bound_by,
    canonical,
    dotted,
    local_names,
    names_in,
    other_names,
    own_scope,
    root,
)
from loaderlint.writers.python.definitions import (
    classes_of,
    first_methods,
    functions_of,
    handed_to_be_called,
    made_by_calls,
    made_of,
    used_as_values,
)


class Surroundings(Struct, frozen=True):
    """What the names of a module are at one place of it.

    ``functions`` and ``classes`` are those that the module defines in any scope, ``values`` the functions it keeps or
    hands on. ``bound`` are the names bound at the place, ``imports`` those that stand for what is imported, ``makers``
    these and the names of what a call returned, with what was called. ``objects`` are the classes whose objects a name
    holds, ``held`` the names of what all have that import the module.
    """

    functions: Mapping[str, Sequence[Function]]
    classes: Mapping[str, ast.ClassDef]
    values: frozenset[str]
    bound: frozenset[str]
    imports: Mapping[str, str]
    makers: Mapping[str, str]
    objects: Mapping[str, frozenset[str]]
    held: frozenset[str]

    def inside(
        self,
        inner: Function,
        owner: str = "",
        handed: Mapping[str, str] = MappingProxyType({}),
        *,
        held: bool = False,
    ) -> Surroundings:
        """Return what the names are inside a function, or a method of the class ``owner``, of an object that is held.

        ``handed`` are its parameters that stand for what is imported.
        """
        local = local_names(inner)
        names = {**handed, **other_names(inner.body, {**self.imports, **handed})}
        around = frozenset(one.name for one in self.classes.values() if inner in one.body)
        of_owner = {"self": frozenset({owner}), "cls": frozenset({owner}), "super": around}
        found = replace(
            self,
            bound=self.bound | local,
            imports={**self.imports, **names},
            makers={**self.makers, **names},
            objects={**self.objects, **of_owner},
            held=self.held - local | ({"self"} if held else frozenset()),
        )
        for node in own_scope(inner.body):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if found.is_held(value):
                    found = replace(found, held=found.held | {name})
        return found

    def own(self, node: ast.AST) -> Iterator[tuple[Function, str]]:
        """Yield the functions of the module that a call or a context runs, each with the class it is a method of."""
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                yield from ((one, "") for one in self.functions[name])
            case ast.Call(func=ast.Name(id=name)) if name in self.classes:
                yield from self.methods([name], MAKERS)
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name)):
                yield from self._inherited(name)
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if owners := self.classes_of(value):
                yield from self.methods(owners, (name,))
            case ast.Call(func=function):
                yield from self.methods(self.classes_of(function), ("__call__",))
            case ast.withitem(context_expr=value):
                yield from self.methods(self.classes_of(value), CONTEXT_METHODS)
            case ast.Attribute(value=value, attr=name):
                yield from self.methods(self.classes_of(value), (name,))
            case ast.Name():
                for owner in self.classes_of(node):
                    yield from self.methods([owner], self._unnamed_methods(owner))

    def run_by(self, node: ast.AST) -> Iterator[tuple[Function, str]]:
        """Yield what `own` does, the functions of the module that a call is handed, and those it may be a call of."""
        own = list(self.own(node))
        yield from own
        if not isinstance(node, ast.Call):
            return
        names = {one.id for one in handed_to_be_called(node) if isinstance(one, ast.Name) and one.id in self.functions}
        match node.func:
            case ast.Attribute(value=value, attr=name) if not (
                self.classes_of(value) or self._begins_elsewhere(value) or self._is_made_elsewhere(value)
            ):
                yield from self.methods(self.classes, (name,))
            case ast.Name() | ast.Subscript() if not (own or self._begins_elsewhere(node.func)):
                names |= self.values
        yield from ((one, "") for name in sorted(names) for one in self.functions[name])

    def handed(self, call: ast.Call, inner: Function) -> dict[str, str]:
        """Return the parameters of a function that a call hands what is imported, with what they stand for."""
        parameters = [one.arg for one in [*inner.args.posonlyargs, *inner.args.args]]
        if parameters[:1] in (["self"], ["cls"]):
            del parameters[0]
        given = [*zip(parameters, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
        paths = [(name, canonical(dotted(value) or "", self.imports), value) for name, value in given if name]
        return {
            name: path
            for name, path, value in paths
            if path.count(".") < _LONGEST and root(dotted(value) or "") in self.imports
        }

    def is_held(self, node: ast.expr) -> bool:
        """Return whether an expression is, or is part of, what all have that import the module."""
        match node:
            case ast.Name(id=name):
                return name in self.held
            case ast.Attribute(value=value) | ast.Subscript(value=value):
                return self.is_held(value)
            case ast.Call(func=ast.Attribute(value=value, attr="get" | "setdefault")):
                return self.is_held(value)
        return False

    def is_foreign(self, name: str) -> bool:
        """Return whether a name is another module's: imported, if only by ``from … import *``."""
        return name in self.imports or (name not in self.bound and not hasattr(builtins, name))

    def _begins_elsewhere(self, node: ast.expr) -> bool:
        """Return whether what an expression begins with is a builtin or another module's."""
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        return isinstance(node, ast.Name) and (self.is_foreign(node.id) or node.id not in self.bound)

    def _is_made_elsewhere(self, node: ast.expr) -> bool:
        """Return whether an expression is a name for what a call of another module's function returned."""
        made = self.makers.get(root(dotted(node) or ""), "")
        return bool(made) and root(made) not in self.bound.difference(self.imports)

    def classes_of(self, node: ast.expr) -> Iterable[str]:
        """Return the classes of the module that an expression is, or may be an object of."""
        match node:
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name in self.classes:
                return [name]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return sorted(self.objects.get(name, ()))
        return []

    def methods(self, owners: Iterable[str], names: Iterable[str]) -> Iterator[tuple[Function, str]]:
        """Yield the methods of these names that objects of some classes have, each with the class of the object."""
        for owner in owners:
            for name in names:
                yield from ((found, owner) for found in first_methods(self._lineage(owner), name))

    def method_names(self, owner: str) -> frozenset[str]:
        """Return the names of the methods of a class, inherited ones too."""
        return frozenset(
            one.name for definition in self._lineage(owner) for one in definition.body if isinstance(one, Function)
        )

    def _inherited(self, name: str) -> Iterator[tuple[Function, str]]:
        """Yield what ``super()`` finds in a method: what comes behind the class around it."""
        around = self.objects.get("super", ())
        for owner in self.objects.get("self", ()):
            behind = dropwhile(lambda one: one.name not in around, self._lineage(owner))
            yield from ((found, owner) for found in first_methods(islice(behind, 1, None), name))

    def bases(self, owners: Iterable[str]) -> Iterator[ast.expr]:
        """Return what classes of the module inherit from, and what those of the module among it do in turn."""
        return (base for owner in owners for one in self._lineage(owner) for base in one.bases)

    def _lineage(self, owner: str) -> Iterator[ast.ClassDef]:
        """Yield a class of the module and those of the module it inherits from, the nearest first."""
        seen: set[str] = set()
        waiting = [owner]
        while waiting:
            definition = self.classes.get(one := waiting.pop(0))
            if definition is None or one in seen:
                continue
            seen.add(one)
            yield definition
            waiting += [dotted(base) or "" for base in definition.bases]

    def _unnamed_methods(self, owner: str) -> Iterator[str]:
        """Yield the methods of a class that operators and builtins call; those of a dataset are its workers'."""
        bases = (dotted(base) or "" for base in self.bases([owner]))
        if not any(base.endswith(("Dataset", "Sampler")) for base in bases):
            named = {*MAKERS, *CONTEXT_METHODS, "__call__"}
            yield from sorted(one for one in self.method_names(owner) - named if one.startswith("__"))


def at_top_level(tree: ast.Module, imports: Mapping[str, str], held: frozenset[str] = frozenset()) -> Surroundings:
    """Return what the names of a module are at its top level; ``imports`` and ``held`` as for `Surroundings`."""
    functions, classes = functions_of(tree), classes_of(tree)
    objects: dict[str, frozenset[str]] = {}
    for name, made in made_of(tree, classes):
        objects[name] = objects.get(name, frozenset()) | {made}
    bound = {name for node in own_scope(tree.body) for name in bound_by(node)}
    comprehensions = (one for one in ast.walk(tree) if isinstance(one, ast.comprehension))
    return Surroundings(
        functions,
        classes,
        values=used_as_values(tree, functions),
        bound=frozenset(bound | {name.id for one in comprehensions for name in names_in(one.target)}),
        imports=imports,
        makers={**{name: canonical(made, imports) for name, made in made_by_calls(tree)}, **imports},
        objects=objects,
        held=held,
    )


_LONGEST = 5
"""Names in a dotted path that is followed: a function may hand itself ``node.next`` again and again."""

MAKERS = ("__new__", "__init__", "__post_init__")
"""The methods that making an object calls."""

CONTEXT_METHODS = ("__enter__", "__exit__", "__aenter__", "__aexit__")
"""The methods that a ``with`` calls."""
