"""The scopes of a Python file: what is bound in them and under which conditions, and every call.

Expressions stay `ast` nodes: they are Python's own immutable-by-habit description of themselves, and only the reader
and the linker ever see them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.nodes import nodes_of

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode: TypeAlias = ast.Module | FunctionNode | ast.ClassDef | ast.Lambda
Block: TypeAlias = ast.With | ast.AsyncWith | ast.Try
"""A statement that may keep what goes wrong inside from getting out."""
Asks: TypeAlias = (
    ast.If
    | ast.While
    | ast.Assert
    | ast.Match
    | ast.match_case
    | ast.comprehension
    | ast.IfExp
    | ast.Compare
    | ast.BoolOp
    | ast.UnaryOp
    | ast.Subscript
)
"""What asks a question: the guard of a case, the ``if`` of a comprehension, ``not``, and what picks one of several."""


class Arm(Struct, frozen=True, eq=False):
    """One arm of a branching statement that a statement stands in.

    ``test`` is None where the branch has no condition to read (a loop body, an exception handler); ``place`` is where
    the test stands, ``truth`` the answer of the test that leads here. Of a ``try`` it says whether its body ran to the
    end. ``loop`` marks a body that can run again, ``ended`` that its loop came to its own end; no body of a loop
    is the arm that says whether it did, or a ``break`` left it.
    """

    owner: ast.AST
    test: ast.expr | None
    truth: bool
    loop: bool = False
    place: Place | None = None
    ended: bool = False

    def otherwise(self) -> Arm:
        """Return the other arm of the same test."""
        return replace(self, truth=not self.truth)

    def same(self, other: Arm) -> bool:
        """Return whether both are the same arm of the same statement."""
        return self.owner is other.owner and self.truth == other.truth

    def excludes(self, other: Arm) -> bool:
        """Return whether no single pass can run both arms."""
        return self.owner is other.owner and self.truth != other.truth


class Place(Struct, frozen=True, eq=False):
    """A statement's place in the run of its scope: ``order`` counts statements, ``arms`` are the branches around it."""

    scope: Scope
    order: int
    arms: tuple[Arm, ...] = ()

    def under(self, arm: Arm) -> Place:
        """Return the place of an expression inside this statement that is reached by one more arm."""
        return replace(self, arms=(*self.arms, arm))


class Suite(Struct, eq=False):
    """Statements that run one after the other: the orders of the first and last, and those that branch or leave.

    ``raising`` are the orders, over the whole file, of the statements that may raise an exception.
    """

    first: int
    last: int
    forks: list[Fork]
    raising: list[int] = field(default_factory=list)


class Fork(Struct, frozen=True, eq=False):
    """A statement that branches or leaves its block: its order, the last order inside, and its arms with their blocks.

    ``leaves`` says that a ``return``, ``break`` or ``continue`` stands in it.
    """

    node: ast.stmt
    order: int
    last: int
    branches: tuple[tuple[tuple[Arm, ...], Suite], ...] = ()
    leaves: bool = False


class Stop(Struct, frozen=True, eq=False, dict=True):
    """What may end a run of its scope: an error, an exit, an assert whose test fails, or a call that may not come back.

    ``call`` is that call, ``imported`` a module that not every platform has, ``needed`` what the call cannot do without
    and not every platform has: a command, or a colon in the name of a file. ``handled`` are the ``try`` and
    ``with`` statements around that handle errors, each with the last order of its body. ``kept`` says that what the
    call gives is used: it is there for that, and no check. Where it ``divides``, nothing goes on with a number of none.
    """

    place: Place
    call: ast.Call | None = None
    handled: tuple[tuple[ast.stmt, int], ...] = ()
    imported: str = ""
    kept: bool = False
    needed: str = ""
    divides: bool = False

    @property
    def own_method(self) -> Scope | None:
        """The method of the same class that is called on the object, where something may end the run in it."""
        around = self.place.scope.parent
        if self.call is None or not isinstance(self.call.func, ast.Attribute) or around is None or not around.is_class:
            return None
        return next((one for one in around.children if one.name == self.call.func.attr and one.stops), None)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names and dotted names it speaks of, those that the own method it calls does as well."""
        found = names_in(*(arm.test for arm in self.place.arms), self.call)
        for inside in self.own_method.stops if self.own_method is not None else ():
            found |= names_in(*(arm.test for arm in inside.place.arms), inside.call)
        return found


class Binding(Struct, frozen=True, eq=False):
    """One way a name gets its value.

    ``kind`` is ``assign``, ``unpack``, ``augment``, ``parameter``, ``import``, ``function``, ``class``, ``loop``,
    ``with``, ``item`` (``name[key] = value``), ``update`` (``name.update(...)``), ``setdefault``, ``pop``, ``clear``,
    ``list`` (a method that changes a list) or ``other``.
    ``value`` is the expression bound (the iterable of a loop, the context manager of a with, the call of an update;
    None for an item that was changed inside);
    ``key`` the subscript of an item; ``index`` the positions in an unpacking, one for each level; ``target`` the
    dotted name of an import, ``keys`` those that lead from the name to what an item or a method changes.
    ``inner`` is the place in the function that binds an outer name, ``called`` whether that function is called at
    ``place``.
    """

    name: str
    kind: str
    node: ast.AST
    place: Place
    value: ast.expr | None = None
    key: ast.expr | None = None
    index: tuple[int | slice, ...] = ()
    target: str = ""
    inner: Place | None = None
    called: bool = False
    keys: tuple[str | int, ...] = ()


ANY_GLOBAL = "globals()"
"""Under this name stand the changes of a module's names that nobody can tell: ``exec(...)``, ``globals()[key] = …``."""


class CallSite(Struct, frozen=True, eq=False):
    """A call and where it stands."""

    node: ast.Call
    place: Place


class Scope(Struct, eq=False):
    """A module, function, class or lambda: what is bound in it, and what it returns.

    ``bindings`` are listed by the name bound; those of an attribute also stand in ``set_on``, by what they are set on.
    ``defined`` is the place of its definition, ``reads`` are the places where a name is read, ``inside`` the places
    inside comprehensions by their identity, ``flow`` the way its statements run, ``yielded`` what a generator gives,
    ``stops`` what may end it before its last statement.
    """

    node: ScopeNode
    parent: Scope | None
    name: str
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    set_on: dict[str, list[Binding]] = field(default_factory=dict)
    returns: list[tuple[ast.expr | None, Place]] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    children: list[Scope] = field(default_factory=list)
    outer_names: set[str] = field(default_factory=set)
    defined: Place | None = None
    reads: dict[str, list[Place]] = field(default_factory=dict)
    inside: dict[int, Place] = field(default_factory=dict)
    flow: Suite = field(default_factory=lambda: Suite(0, 0, []))
    yielded: list[tuple[ast.Yield | ast.YieldFrom, Place]] = field(default_factory=list)
    iterations: list[tuple[ast.expr, ast.stmt | ast.expr, Place]] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    _readers: dict[str, list[Scope]] | None = None

    @property
    def is_class(self) -> bool:
        """Whether this is a class body, whose names its methods do not see."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def runs_at_import(self) -> bool:
        """Whether it runs when its file is imported: the module, or the body of a class at its top level."""
        return self.parent is None or (self.is_class and self.parent.runs_at_import)

    @property
    def checks(self) -> bool:
        """Whether something may end a run of it besides the calls that are there for what they give."""
        return any(not one.kept for one in self.stops)

    @property
    def is_function(self) -> bool:
        """Whether this is a function or lambda."""
        return isinstance(self.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)

    @property
    def readers(self) -> Mapping[str, Sequence[Scope]]:
        """The scopes defined right here that read a name, or hold one that does, by the name; asked of a read file."""
        if self._readers is None:
            self._readers = {}
            for child in self.children:
                for name in dict.fromkeys((*child.reads, *child.readers)):
                    self._readers.setdefault(name, []).append(child)
        return self._readers

    @property
    def yields(self) -> bool:
        """Whether this is a generator."""
        return bool(self.yielded)

    def qualified(self) -> str:
        """Return the dotted name inside the module."""
        parts = []
        scope: Scope | None = self
        while scope is not None and scope.parent is not None:
            parts.append(scope.name)
            scope = scope.parent
        return ".".join(reversed(parts))

    def child(self, node: ast.AST) -> Scope:
        """Return the scope of a function, class or lambda defined right here."""
        return next(one for one in self.children if one.node is node)


def is_main_test(test: ast.expr) -> bool:
    """Return whether an ``if`` test is true only in the main module: ``__name__ == "__main__"`` in any spelling."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(is_main_test(value) for value in test.values)
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return False
    sides = (test.left, test.comparators[0])
    names = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    mains = any(_is_main_text(side) for side in sides)
    return names and mains and isinstance(test.ops[0], ast.Eq | ast.In | ast.Is)


def is_for_types(place: Place) -> bool:
    """Return whether a place is one that only type checkers come to: ``if TYPE_CHECKING:`` (typing's documentation)."""
    tests = (arm.test for arm in place.arms if arm.truth and arm.test is not None)
    return any((dotted(test) or "").endswith("TYPE_CHECKING") for test in tests)


def _is_main_text(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return len(node.elts) == 1 and _is_main_text(node.elts[0])
    return isinstance(node, ast.Constant) and node.value == "__main__"


@lru_cache(maxsize=1 << 16)
def dotted(node: ast.expr) -> str | None:
    """Return ``a.b.c`` for a chain of attributes on a name, None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def names_in(*nodes: ast.AST | None) -> frozenset[str]:
    """Return the names and dotted names in expressions."""
    found: set[str] = set()
    for node in nodes:
        for one in nodes_of(node) if node is not None else ():
            if isinstance(one, ast.Name):
                found.add(one.id)
            elif isinstance(one, ast.Attribute) and (name := dotted(one)) is not None:
                found.add(name)
    return frozenset(found)


def called_by(scope: Scope) -> str | None:
    """Return the name that a function is called by where it is defined; None for a lambda without exactly one name."""
    if not isinstance(scope.node, ast.Lambda) or scope.parent is None:
        return scope.name
    names = [
        name
        for name, bindings in scope.parent.bindings.items()
        for one in bindings
        if one.kind == "assign" and one.value is scope.node and "." not in name
    ]
    return names[0] if len(names) == 1 else None


def parameters(node: FunctionNode | ast.Lambda) -> Iterator[ast.arg]:
    """Yield a function's parameters in the order they are declared."""
    arguments = node.args
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg:
        yield arguments.kwarg


def keyword_names(node: FunctionNode | ast.Lambda) -> frozenset[str]:
    """Return the names by which a call can give a function's parameters: ``*args`` and ``**kwargs`` go by none."""
    return frozenset(one.arg for one in (*node.args.args, *node.args.kwonlyargs))


def default_of(node: FunctionNode | ast.Lambda, name: str) -> ast.expr | None:
    """Return the expression of a parameter's default, None when it has none."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    for parameter, default in zip(reversed(positional), reversed(arguments.defaults), strict=False):
        if parameter.arg == name:
            return default
    for parameter, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if parameter.arg == name:
            return keyword_default
    return None
