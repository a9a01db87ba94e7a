"""What a lambda, function or class inside a function takes from around it, and whether that can be handed over."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from typing import TypeAlias, cast

import libcst as cst
from libcst.metadata import (
    Access,
    Assignment,
    BaseAssignment,
    BuiltinScope,
    FunctionScope,
    GlobalScope,
    MetadataWrapper,
    Scope,
    ScopeProvider,
)
from msgspec import Struct

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.guarded_body import guard_of
from loaderlint.writers.python.places import nodes, parents_in

Definition: TypeAlias = cst.Lambda | cst.FunctionDef | cst.ClassDef

_UNPICKLABLE_CALLS = frozenset(
    {"Condition", "Event", "File", "Generator", "Lock", "RLock", "Semaphore", "ThreadPoolExecutor", "connect", "open"}
)
"""Last names of calls that return what does not pickle: open files and databases, locks, ``torch.Generator``."""


class Scopes(Struct, frozen=True):
    """A module with its scopes. ``order`` gives each node's place in the text."""

    module: cst.Module
    scopes: Mapping[cst.CSTNode, Scope | None]
    parents: Mapping[cst.CSTNode, cst.CSTNode]
    order: Mapping[cst.CSTNode, int]

    def around(self, node: cst.CSTNode) -> Scope:
        """Return the scope a node stands in."""
        scope = self.scopes.get(node)
        while scope is None and node in self.parents:
            node = self.parents[node]
            scope = self.scopes.get(node)
        if scope is None:
            raise CannotRewrite("the scope it stands in was not found")
        return scope

    def inside(self, node: Definition) -> Scope:
        """Return the scope of a definition's body."""
        return next(scope for one in nodes(node.body) if (scope := self.scopes.get(one)) is not None)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def holds(self, outer: cst.CSTNode, node: cst.CSTNode) -> bool:
        """Return whether a node is another, or stands in it."""
        return node is outer or any(one is outer for one in self.ancestors(node))

    def top_level(self, node: cst.CSTNode) -> cst.CSTNode:
        """Return the statement of the module that holds a node."""
        return next(one for one in (node, *self.ancestors(node)) if self.parents.get(one) is self.module)

    @property
    def everything(self) -> Scope:
        """The module's own scope."""
        return self.around(self.module).globals


def scopes_of(module: cst.Module) -> Scopes:
    """Return a module with its scopes; its nodes stay the same objects."""
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    scopes = cast(Mapping[cst.CSTNode, Scope | None], wrapper.resolve(ScopeProvider))
    return Scopes(module, scopes, parents_in(module), {node: place for place, node in enumerate(nodes(module))})


def captures(scopes: Scopes, node: Definition) -> tuple[str, ...]:
    """Return the names that a definition reads from the functions around it, or from under the guard, in their order.

    Raises `CannotRewrite` when one of them cannot be handed over once: it is rebound afterwards, is ``self`` or
    ``cls``, or is known not to pickle; or when the definition itself hangs on such a name.
    """
    _check_own_scope(scopes, node)
    found: list[str] = []
    for access in _accesses(scopes, node):
        name = _name_of(access)
        outside = [one for one in access.referents if isinstance(one, Assignment) and not scopes.holds(node, one.node)]
        if name is None or name in found or len(outside) < len(access.referents):
            continue
        local = _is_local(scopes, outside)
        if _at_definition(scopes, node, access) and (local or not _is_settled(scopes, node, outside)):
            raise CannotRewrite(f"its definition needs `{name}`, which the module does not have where it would stand")
        if not local:
            continue
        if not isinstance(node, cst.Lambda | cst.FunctionDef):
            raise CannotRewrite(f"the class takes `{name}` from {source_of(outside[0].scope)}")
        _check_handed_over(scopes, node, name, outside)
        found.append(name)
    return tuple(found)


def source_of(scope: Scope) -> str:
    """Return what a scope is to a definition that takes a name from there which the workers' module does not have."""
    return "under the guard" if isinstance(scope, GlobalScope) else "the function around it"


def _check_own_scope(scopes: Scopes, node: Definition) -> None:
    """Raise `CannotRewrite` when the definition rebinds a name around it, or needs to know the class it stands in."""
    for one in nodes(node):
        if isinstance(one, cst.Nonlocal):
            own = scopes.inside(node)
            names = {made.name for made in own.assignments}
            if scopes.around(one) is own or any(item.name.value not in names for item in one.names):
                raise CannotRewrite("it binds a name of the function around it (nonlocal)")
        is_super = isinstance(one, cst.Name) and one.value in ("super", "__class__")
        if is_super and not any(isinstance(outer, cst.ClassDef) for outer in _between(scopes, one, node)):
            raise CannotRewrite("it takes `super` from the class around it")
        if isinstance(one, cst.Name) and _is_mangled(scopes, one, node):
            raise CannotRewrite(f"it uses `{one.value}`, a private name of the class around it")


def _is_mangled(scopes: Scopes, name: cst.Name, node: Definition) -> bool:
    """Return whether a name in a definition is one that the class around that makes private.

    The language reference, "Private name mangling": two leading underscores, and not as many trailing ones.
    """
    if not name.value.startswith("__") or name.value.endswith("__"):
        return False
    own = any(isinstance(one, cst.ClassDef) and scopes.holds(one.body, name) for one in _between(scopes, name, node))
    return not own and any(isinstance(one, cst.ClassDef) for one in scopes.ancestors(node))


def check_attributes(scopes: Scopes, assignment: Assignment) -> None:
    """Raise `CannotRewrite` when the function around a definition sets attributes of it, which workers never run."""
    for access in assignment.references:
        name = _name_of(access)
        outer, around = access.node, scopes.parents[access.node]
        while isinstance(around, cst.Attribute):
            outer, around = around, scopes.parents[around]
        if scopes.holds(assignment.node, outer):
            continue
        is_set = isinstance(around, cst.AssignTarget | cst.Del) or (
            isinstance(around, cst.AnnAssign | cst.AugAssign) and around.target is outer
        )
        if is_set and isinstance(outer, cst.Attribute):
            raise CannotRewrite(f"an attribute of `{name}` is set, which a worker does not do")


def _between(scopes: Scopes, inner: cst.CSTNode, outer: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for one in scopes.ancestors(inner):
        yield one
        if one is outer:
            return


def _accesses(scopes: Scopes, node: Definition) -> Iterator[Access]:
    """Yield the places in a definition where a name is read, in the order of the text."""
    inner = {scope for one in nodes(node) if (scope := scopes.scopes.get(one)) is not None}
    reads = {access for scope in inner for access in scope.accesses if scopes.holds(node, access.node)}
    yield from sorted(reads, key=lambda access: scopes.order[access.node])


def _name_of(access: Access) -> str | None:
    node: cst.CSTNode = access.node
    while isinstance(node, cst.Attribute):
        node = node.value
    return node.value if isinstance(node, cst.Name) else None


def _is_local(scopes: Scopes, assignments: list[Assignment]) -> bool:
    """Return whether a name is bound only where a worker does not have it: in a function, or under the guard."""
    if not assignments:
        return False
    if not all(isinstance(one.scope, GlobalScope) for one in assignments):
        return True
    holders = [scopes.top_level(one.node) for one in assignments]
    return all(isinstance(one, cst.If) and guard_of(one) is not None for one in holders)


def _is_settled(scopes: Scopes, node: Definition, assignments: list[Assignment]) -> bool:
    """Return whether a name of the module is bound before the statement that holds the node, and only once."""
    before = scopes.order[scopes.top_level(node)]
    made = [one for one in assignments if scopes.order[scopes.top_level(one.node)] < before]
    return len(made) == len(assignments) <= 1


def is_settled(scopes: Scopes, node: Definition, expression: cst.BaseExpression) -> bool:
    """Return whether all names of an expression mean the same at the top of the module, where the node would stand."""
    around = scopes.around(node)
    for one in nodes(expression):
        outer = scopes.parents[one]
        if isinstance(one, cst.Name) and not (isinstance(outer, cst.Attribute) and one is outer.attr):
            made = [other for other in around[one.value] if isinstance(other, Assignment)]
            of_module = all(isinstance(other.scope, GlobalScope) for other in made)
            if not around[one.value] or not of_module or not _is_settled(scopes, node, made):
                return False
    return True


def _at_definition(scopes: Scopes, node: Definition, access: Access) -> bool:
    """Return whether a name is read when the definition is made: in a default, decorator, annotation or base class."""
    body = node.body
    in_function = any(isinstance(one, cst.FunctionDef | cst.Lambda) for one in _between(scopes, access.node, body))
    return not scopes.holds(body, access.node) or (isinstance(node, cst.ClassDef) and not in_function)


def _check_handed_over(scopes: Scopes, node: Definition, name: str, assignments: list[Assignment]) -> None:
    if name in ("self", "cls", "super", "__class__"):
        raise CannotRewrite(f"it takes `{name}` from the method around it")
    scope = assignments[0].scope
    if not isinstance(scope, FunctionScope | GlobalScope):
        raise CannotRewrite(f"it takes `{name}`, which changes from one round to the next")
    for one in scope[name]:
        if isinstance(one, Assignment):
            _check_pickles(scopes, name, one)
            _check_bound_before(scopes, node, name, one, scope)


def _check_bound_before(scopes: Scopes, node: Definition, name: str, one: Assignment, scope: Scope) -> None:
    if isinstance(one.node, cst.Param):
        return
    loops = [outer for outer in scopes.ancestors(node) if isinstance(outer, cst.For | cst.While)]
    if (
        scopes.order[one.node] > scopes.order[node]
        or scopes.holds(_statement(scopes, one.node), node)
        or any(scopes.holds(loop, one.node) for loop in loops if scopes.around(loop) is scope)
        or scopes.around(one.node) is not scope
    ):
        raise CannotRewrite(f"it takes `{name}`, which is bound again after it")


def _check_pickles(scopes: Scopes, name: str, one: Assignment) -> None:
    if isinstance(one.node, cst.FunctionDef | cst.ClassDef):
        raise CannotRewrite(f"it takes `{name}`, a local definition, which cannot be pickled")
    if isinstance(one.node, cst.Param):
        return
    holder = _statement(scopes, one.node)
    if isinstance(holder, cst.Import | cst.ImportFrom):
        raise CannotRewrite(
            f"it takes `{name}`, an import, from {source_of(one.scope)}, and not one at the top of the file"
        )
    values = [holder.value] if isinstance(holder, cst.Assign | cst.AnnAssign) else []
    if isinstance(holder, cst.With):
        values = [item.item for item in holder.items]
    if any(isinstance(value, cst.Lambda | cst.GeneratorExp) or _makes_unpicklable(value) for value in values):
        raise CannotRewrite(f"it takes `{name}`, which cannot be pickled")


def _makes_unpicklable(value: cst.BaseExpression | None) -> bool:
    if not isinstance(value, cst.Call):
        return False
    function = value.func
    last = function.attr if isinstance(function, cst.Attribute) else function
    return isinstance(last, cst.Name) and last.value in _UNPICKLABLE_CALLS


def _statement(scopes: Scopes, node: cst.CSTNode) -> cst.CSTNode:
    """Return the innermost statement that holds a node."""
    kinds = (cst.BaseSmallStatement, cst.BaseCompoundStatement)
    return next(one for one in (node, *scopes.ancestors(node)) if isinstance(one, kinds))


def taken_names(scopes: Scopes, node: Definition, besides: BaseAssignment | None = None) -> frozenset[str]:
    """Return the names a new definition of the module must not have, lest something else mean it.

    These are the module's own, those its code expects from elsewhere (builtins, star imports), and the local names
    around the node, without the assignment ``besides``.
    """
    taken = set(dir(builtins))
    for scope in {one for one in scopes.scopes.values() if one is not None}:
        for access in scope.accesses:
            others = [one for one in access.referents if one is not besides]
            own = len(others) < len(access.referents)
            if not own and all(isinstance(one.scope, GlobalScope | BuiltinScope) for one in others):
                taken.add(_name_of(access) or "")
    taken.update(one.name for one in scopes.everything.assignments if one is not besides)
    scope = scopes.around(node)
    while not isinstance(scope, GlobalScope | BuiltinScope):
        taken.update(one.name for one in scope.assignments if one is not besides)
        scope = scope.parent
    return frozenset(taken)
