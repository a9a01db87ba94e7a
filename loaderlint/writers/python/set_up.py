"""What a script sets up for its workers: the state of imported modules and objects, and of its own classes.

A forked worker has whatever the script set up before. A spawned one imports the script without what is under the guard,
so ``cfg.merge(scale=10)`` there does not reach it, and its samples silently differ.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import dropwhile, islice

from loaderlint.writers.python.bindings import bound_by, canonical, dotted, local_names, own_scope, root
from loaderlint.writers.python.effect_free import (
    ENTERING_NAMES,
    HARMLESS_ACTS,
    HARMLESS_ADDITIONS,
    HARMLESS_ELSEWHERE,
    HARMLESS_SETTINGS,
    HARMLESS_WORDS,
    KNOWN_LIBRARIES,
    OF_NO_CONCERN,
    READ_BY_WORKERS,
    REPORTING_LIBRARIES,
    RESULTLESS_WORDS,
    SETTING_WORDS,
    STARTING_CALLS,
    STARTING_NAMES,
    STARTING_WORDS,
)
from loaderlint.writers.python.names import MUTATORS, container

SETS_UP = "sets up"
MAY_SET_UP = "may set up"

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_setting(name: str) -> bool:
    """Return whether a call of what is imported by a dotted name sets up what workers may read, and may be repeated.

    Its last name says so, ``set_backend`` or ``registry.register``, or a table where that does not.
    """
    return name.startswith(READ_BY_WORKERS) or (_says_that_it_sets(name) and not is_harmless(name))


def is_harmless(name: str) -> bool:
    """Return whether workers are known not to read what a call of what is imported by a dotted name sets up."""
    if name.startswith(READ_BY_WORKERS):
        return False
    first, words = _words_of(name)
    if _is_of_no_concern(name):
        return True
    if _says_that_it_sets(name):
        harmless = HARMLESS_SETTINGS | HARMLESS_ADDITIONS if first == "add" else HARMLESS_SETTINGS
        return not harmless.isdisjoint(words)
    return root(name) in KNOWN_LIBRARIES or first in HARMLESS_ACTS or not HARMLESS_WORDS.isdisjoint(words)


def is_class(name: str) -> bool:
    """Return whether a dotted name is written as those of classes are."""
    return name.rpartition(".")[2][:1].isupper()


def _says_that_it_sets(name: str) -> bool:
    return name.rpartition(".")[2] in MUTATORS or _words_of(name)[0] in SETTING_WORDS


def _is_of_no_concern(name: str) -> bool:
    """Return whether a dotted name is that of something whose state workers do not read, whatever is set of it."""
    library = root(name)
    known = library in REPORTING_LIBRARIES or (library in sys.stdlib_module_names and library != "builtins")
    return known or f"{name}.".startswith(OF_NO_CONCERN)


def _words_of(name: str) -> tuple[str, list[str]]:
    """Return the first word of the last part of a dotted name, and all of them: ``set`` in ``cv2.setNumThreads``."""
    words = [word.lower() for word in _WORD.findall(name.rpartition(".")[2])]
    return next(iter(words), ""), words


@dataclass
class SetUp:
    """Finds what the statements of one module set up.

    ``functions`` and ``classes`` are those it defines once, ``imports`` what its imports bind. ``drawn_with`` are the
    libraries of reports and drawings that worker code uses as well. ``elsewhere`` says what the functions, classes and
    methods of the project's other modules set up when they are called, ``held`` are the names under which the module
    keeps what all have that import it: none where it is the script itself. A call that nobody takes the result of is
    for something else, unless it is of what is ``seen`` to set up nothing.
    """

    tree: ast.Module
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    imports: Mapping[str, str]
    drawn_with: Collection[str] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    held: frozenset[str] = frozenset()
    seen: Collection[str] = ()
    _objects: dict[str, frozenset[str]] = field(init=False)
    _bound: frozenset[str] = field(init=False)
    _makers: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._objects = {}
        for name, made in _made_of(self.tree, self.classes):
            self._objects[name] = self._objects.get(name, frozenset()) | {made}
        self._bound = frozenset(name for node in own_scope(self.tree.body) for name in bound_by(node))
        self._bound |= {name.id for name in _named_by_comprehensions(self.tree)}
        self._makers = {name: canonical(made, self.imports) for name, made in _made(self.tree)} | dict(self.imports)

    def by(self, nodes: Iterable[ast.stmt], *, runs: bool = False) -> str:
        """Return `SETS_UP` or `MAY_SET_UP` when statements do for the workers, with what they call; else "".

        Of what ``runs`` the loaders counts what it plainly sets up itself, and in contexts around them: most that it
        calls comes after them.
        """
        if not runs:
            return _surest(self._verbs(nodes, set()))
        around = [
            item for node in _evaluated(nodes) if isinstance(node, ast.With | ast.AsyncWith) for item in node.items
        ]
        return SETS_UP if SETS_UP in {*self._verbs(nodes, None), *self._verbs(around, set())} else ""

    def by_calls(self, names: Set[str]) -> Iterator[tuple[str, str]]:
        """Yield what functions, classes and methods of these names set up when they are called, by dotted name."""
        for name in sorted(self.functions.keys() & names):
            yield name, _surest(self._inside(self.functions[name], "", set()))
        for name in sorted(self.classes.keys() & names):
            yield name, _surest([*self._inside_all([name], _MAKERS), *self._of_bases([name], "")])
            for base in (canonical(dotted(base) or "", self.imports) for base in self._foreign_bases([name])):
                inherited = (one for one in self.elsewhere if one.startswith(f"{base}."))
                yield from ((name + one.removeprefix(base), self.elsewhere[one]) for one in inherited)
            for method in self._method_names(name):
                yield f"{name}.{method}", _surest(self._inside_all([name], [method]))
        for name in sorted(self.held & self._objects.keys() & names):
            for method in {one for owner in self._objects[name] for one in self._method_names(owner)}:
                found = self._methods(self._objects[name], [method])
                yield (
                    f"{name}.{method}",
                    _surest(verb for one, owner in found for verb in self._inside(one, owner, set(), held=True)),
                )

    def _method_names(self, owner: str) -> frozenset[str]:
        return frozenset(
            one.name for definition in self._lineage(owner) for one in definition.body if isinstance(one, Function)
        )

    def _inside_all(self, owners: Iterable[str], names: Iterable[str]) -> Iterator[str]:
        for method, owner in self._methods(owners, names):
            yield from self._inside(method, owner, set())

    def _verbs(self, nodes: Iterable[ast.AST], called: set[ast.AST] | None) -> Iterator[str]:
        for node in _evaluated(nodes):
            match node:
                case (
                    ast.Expr(value=ast.Call() as call)
                    | ast.Expr(value=ast.ListComp(elt=ast.Call() as call) | ast.SetComp(elt=ast.Call() as call))
                    | ast.Expr(value=ast.DictComp(value=ast.Call() as call))
                    | ast.Assign(targets=[ast.Name("_")], value=ast.Call() as call)
                ):
                    yield self._called(call)
                case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                    yield SETS_UP if self._is_shared(node) or self._is_of_a_library(node) else ""
                case ast.Global():
                    yield SETS_UP if self.held.intersection(node.names) else ""
                case ast.Call():
                    yield self._by_name(node)
                    yield from self._by_other_modules(node) if called is not None else ()
                case ast.withitem(context_expr=ast.Call(func=value) | value):
                    yield from (self._elsewhere(f"{dotted(value)}.{method}") for method in _CONTEXT)
            if called is not None:
                for inner, owner in self._own(node):
                    held = isinstance(node, ast.Call) and self._is_held(node.func)
                    yield from self._inside(inner, owner, called, held=held) if inner not in called else ()

    def _inside(self, inner: Function, owner: str, called: set[ast.AST], *, held: bool = False) -> Iterator[str]:
        """Judge what a function of the module does, or a method of the class ``owner``, of an object that is held."""
        called.add(inner)
        outer = self._bound, self._objects, self.held, self.functions
        local = local_names(inner)
        self._bound = self._bound | local
        self.held = self.held - local | ({"self"} if held else frozenset())
        self.functions = {**self.functions, **{one.name: one for one in inner.body if isinstance(one, Function)}}
        for node in own_scope(inner.body):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._is_held(value):
                    self.held |= {name}
        around = {one.name for one in self.classes.values() if inner in one.body}
        of_owner = {"self": frozenset({owner}), "cls": frozenset({owner}), "super": frozenset(around)}
        self._objects = {**self._objects, **of_owner}
        yield from self._verbs(inner.body, called)
        self._bound, self._objects, self.held, self.functions = outer

    def _is_held(self, node: ast.expr) -> bool:
        """Return whether an expression is, or is part of, what all have that import the module."""
        match node:
            case ast.Name(id=name):
                return name in self.held
            case ast.Attribute(value=value) | ast.Subscript(value=value):
                return self._is_held(value)
            case ast.Call(func=ast.Attribute(value=value, attr="get" | "setdefault")):
                return self._is_held(value)
        return False

    def _by_other_modules(self, call: ast.Call) -> Iterator[str]:
        """Judge a call by what the project's other modules do when it calls something of theirs."""
        path = _called_path(call)
        match call.func:
            case ast.Attribute(value=value, attr=method) if owners := self._classes_of(value):
                yield from self._of_bases(owners, f".{method}")
            case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_]):
                yield self._elsewhere(f"{dotted(value)}.{name}")
            case ast.Call() | ast.Lambda():
                yield from map(self._elsewhere, _paths_in(call.func))
            case ast.Name(id="map" | "filter") if call.args:
                yield self._elsewhere(dotted(call.args[0]) or "")
        yield from self._of_bases([path], "") if path in self.classes else [self._elsewhere(path)]

    def _of_bases(self, owners: Iterable[str], member: str) -> Iterator[str]:
        """Yield what a member of the classes that are inherited from other modules sets up, or making an object."""
        yield from (self._elsewhere(f"{dotted(base)}{member}") for base in self._foreign_bases(owners))

    def _foreign_bases(self, owners: Iterable[str]) -> Iterator[ast.expr]:
        return (base for owner in owners for one in self._lineage(owner) for base in one.bases)

    def _elsewhere(self, path: str) -> str:
        """Return what calling something of the project's other modules sets up, unless nobody minds by its name."""
        words = _words_of(path)[1]
        first = root(path)
        if not HARMLESS_ELSEWHERE.isdisjoint(words) or not (first in self._makers or self._is_foreign(first)):
            return ""
        return self.elsewhere.get(canonical(path, self._makers), "")

    def _by_name(self, call: ast.Call) -> str:
        """Judge a call by the name of what is called, whoever takes its result."""
        path = dotted(call.func) or ""
        name = canonical(path, self.imports)
        if self._is_foreign(root(path)):
            says = _words_of(name)[0] in RESULTLESS_WORDS and self._is_setting(name) and not is_class(name)
            if (says and name not in self.seen) or name.startswith(STARTING_CALLS) or _makes_symbols_global(call):
                return SETS_UP
        if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS and self._is_held(call.func.value):
            return SETS_UP
        return MAY_SET_UP if self._starts(call) else ""

    def _starts(self, call: ast.Call) -> bool:
        """Return whether the name of what is called says that something begins with it, and nothing else is known."""
        if next(self._own(call), None) is not None or canonical(_called_path(call), self._makers) in self.elsewhere:
            return False
        match call.func:
            case ast.Attribute(attr=name) if name in ENTERING_NAMES:
                return True
            case ast.Attribute(attr=name) | ast.Name(id=name):
                first, words = _words_of(name)
                says = first in STARTING_WORDS or name in STARTING_NAMES
                return says and HARMLESS_WORDS.isdisjoint(words) and not is_class(name) and self._is_shared(call.func)
        return False

    def _called(self, call: ast.Call) -> str:
        """Judge a call whose result nobody takes."""
        path = dotted(call.func) or ""
        if path in ("setattr", "delattr") and call.args:
            return SETS_UP if self._is_shared(call.args[0]) or self._is_of_a_library(call.args[0]) else ""
        if path.endswith(".__init__") and [dotted(one) for one in call.args[:1]] == ["self"]:
            # That of a class inherited from.
            return ""
        if path in ("__import__", "exec"):
            return MAY_SET_UP
        if next(self._own(call), None) is not None or path in self.classes:
            return ""
        if not path:
            outer = call.func
            if isinstance(outer, ast.Call | ast.Lambda):
                # What is made to be called at once may be anything of the modules it names.
                return MAY_SET_UP if any(self._is_shared(one) for one in _names_in(outer)) else ""
            if not isinstance(outer, ast.Attribute) or not self._is_shared(outer.value):
                return ""
            return SETS_UP if is_setting(outer.attr) else "" if is_harmless(outer.attr) else MAY_SET_UP
        if root(path) in self.classes and "." in path:
            return SETS_UP if is_setting(path) else MAY_SET_UP
        name = canonical(path, self._makers)
        if not self._is_foreign(root(path)) and not (self._is_held(call.func) and "." in path):
            return ""
        return SETS_UP if self._is_setting(name) else "" if is_harmless(name) or name in self.seen else MAY_SET_UP

    def _is_setting(self, name: str) -> bool:
        return is_setting(name) or (root(name) in self.drawn_with and _says_that_it_sets(name))

    def _is_shared(self, node: ast.expr) -> bool:
        """Return whether workers have what an expression is in their own process, whatever the script does to it.

        That is a class or function of the module, and what another module holds.
        """
        match node:
            case ast.Name(id=name) if name in {*self.classes, *self.functions, *self.held, "cls"}:
                return True
            case ast.Name(id=name):
                known = canonical(name, self.imports)
                return self._is_foreign(name) and not (root(known) in KNOWN_LIBRARIES or _is_of_no_concern(known))
            case ast.Attribute(attr="__class__") | ast.Call(func=ast.Name(id="type" | "globals")):
                return True
            case ast.Attribute(value=value):
                path = canonical(dotted(node) or "", self.imports)
                return path.startswith(READ_BY_WORKERS) or self._is_shared(value)
            case ast.Call(func=ast.Name(id="getattr" | "vars"), args=[value, *_]) | ast.Subscript(value=value):
                return self._is_shared(value)
            case ast.Call(func=function):
                return self._is_shared(function)
        return False

    def _is_of_a_library(self, node: ast.expr) -> bool:
        """Return whether a dataset may read what an attribute or item of a library is set to."""
        path = dotted(container(node))
        name = canonical(path or "", self.imports)
        of_concern = root(name) in self.drawn_with or not _is_of_no_concern(name)
        return path is not None and root(path) in self.imports and of_concern

    def _is_foreign(self, name: str) -> bool:
        """Return whether a name is another module's: imported, if only by ``from … import *``."""
        return name in self.imports or (name not in self._bound and not hasattr(builtins, name))

    def _own(self, node: ast.AST) -> Iterator[tuple[Function, str]]:
        """Yield the functions of the module that a call or a context runs, each with the class it is a method of."""
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                yield self.functions[name], ""
            case ast.Call(func=ast.Name(id=name)) if name in self.classes:
                yield from self._methods([name], _MAKERS)
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name)):
                yield from self._inherited(name)
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if owners := self._classes_of(value):
                yield from self._methods(owners, (name,))
            case ast.Call(func=function):
                yield from self._methods(self._classes_of(function), ("__call__",))
            case ast.withitem(context_expr=value):
                yield from self._methods(self._classes_of(value), _CONTEXT)

    def _classes_of(self, node: ast.expr) -> Iterable[str]:
        """Return the classes of the module that an expression is, or may be an object of."""
        match node:
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name in self.classes:
                return [name]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return sorted(self._objects.get(name, ()))
        return []

    def _methods(self, owners: Iterable[str], names: Iterable[str]) -> Iterator[tuple[Function, str]]:
        for owner in owners:
            for name in names:
                found = _first(self._lineage(owner), name)
                if found is not None:
                    yield found, owner

    def _inherited(self, name: str) -> Iterator[tuple[Function, str]]:
        """Yield what ``super()`` finds in a method: what comes behind the class around it."""
        around = self._objects.get("super", ())
        for owner in self._objects.get("self", ()):
            behind = dropwhile(lambda one: one.name not in around, self._lineage(owner))
            found = _first(islice(behind, 1, None), name)
            if found is not None:
                yield found, owner

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


def _names_in(node: ast.AST) -> Iterator[ast.Name]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))


def _named_by_comprehensions(tree: ast.Module) -> Iterator[ast.Name]:
    return (name for one in ast.walk(tree) if isinstance(one, ast.comprehension) for name in _names_in(one.target))


def _evaluated(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield all nodes that run with some, those of comprehensions too: no bodies of functions, lambdas and classes."""
    for node in nodes:
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            yield from _evaluated(ast.iter_child_nodes(node))


def _makes_symbols_global(call: ast.Call) -> bool:
    """Return whether the library that a call loads lends its symbols to those loaded later."""
    given = [*call.args, *(one.value for one in call.keywords)]
    return any((dotted(one) or "").rpartition(".")[2] == "RTLD_GLOBAL" for one in given)


_MAKERS = ("__new__", "__init__", "__post_init__")
"""The methods that making an object calls."""

_CONTEXT = ("__enter__", "__exit__", "__aenter__", "__aexit__")
"""The methods that a ``with`` calls."""


def _made_of(tree: ast.Module, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, str]]:
    """Yield the names, of attributes too, that a module gives to objects of its classes, with the class."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=ast.Call(func=ast.Name(id=made))):
                pass
            case (
                ast.AnnAssign(target=target, value=ast.Call(func=ast.Name(id=made)))
                | ast.withitem(context_expr=ast.Call(func=ast.Name(id=made)), optional_vars=ast.Name() as target)
            ):
                targets = [target]
            case _:
                continue
        if made in classes:
            yield from (((dotted(one) or "").rpartition(".")[2], made) for one in targets)


def _made(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module gives to what calls return, with the dotted name of what is called."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)) if path := dotted(function):
                yield name, path


def _paths_in(node: ast.expr) -> Iterator[str]:
    return (path for one in ast.walk(node) if isinstance(one, ast.expr) and (path := dotted(one)))


def _called_path(call: ast.Call) -> str:
    """Return the dotted name of what is called, of a method of what a class just made too: ``Rows().fill()``."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        return f"{dotted(function.value.func) or ''}.{function.attr}"
    return dotted(function) or ""


def _surest(verbs: Iterable[str]) -> str:
    """Return `SETS_UP` where it is among the verbs, else `MAY_SET_UP` where that is, else ""."""
    found = set(verbs)
    return next((verb for verb in (SETS_UP, MAY_SET_UP) if verb in found), "")


def _first(definitions: Iterable[ast.ClassDef], name: str) -> Function | None:
    """Return the method of a name that the first class to have one defines."""
    return next((found for one in definitions if (found := method_of(one, name)) is not None), None)


def method_of(definition: ast.ClassDef | None, name: str) -> Function | None:
    """Return the method that the body of a class defines."""
    body = definition.body if definition is not None else ()
    methods = [one for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name]
    return methods[-1] if methods else None
