"""What a script sets up for its workers: the state of imported modules and objects, and of its own classes.

A forked worker has whatever the script set up before. A spawned one imports the script without what is under the guard,
so ``cfg.merge(scale=10)`` there does not reach it, and its samples silently differ.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import dropwhile, islice, takewhile
from types import MappingProxyType

from loaderlint.writers.python.arguments import Function
from loaderlint.writers.python.bindings import (
    bound_by,
    called_path,
    canonical,
    dotted,
    evaluated,
    local_names,
    names_in,
    other_names,
    own_scope,
    paths_in,
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
from loaderlint.writers.python.names import MUTATORS, container
from loaderlint.writers.python.setting_names import (
    is_class,
    is_harmless,
    is_of_no_concern,
    is_setting,
    says_that_it_sets,
    words_of,
)
from loaderlint.writers.python.setting_words import (
    CHANGES_ITS_ARGUMENT,
    ENTERING_NAMES,
    HARMLESS_ELSEWHERE,
    HARMLESS_WORDS,
    KNOWN_LIBRARIES,
    READ_BY_WORKERS,
    RESULTLESS_WORDS,
    STARTING_CALLS,
    STARTING_NAMES,
    STARTING_WORDS,
)

SETS_UP = "sets up"
MAY_SET_UP = "may set up"


@dataclass
class SetUp:
    """Finds what the statements of one module set up.

    ``functions`` and ``classes`` are those it defines once, ``imports`` what its imports bind. ``drawn_with`` are the
    libraries of reports and drawings that worker code uses as well. ``elsewhere`` says what the functions, classes and
    methods of the project's other modules set up when they are called, ``held`` are the names under which the module
    keeps what all have that import it: none where it is the script itself. A call that nobody takes the result of is
    for something else, unless it is of what is seen to set up nothing.
    """

    tree: ast.Module
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    imports: Mapping[str, str]
    drawn_with: Collection[str] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    held: frozenset[str] = frozenset()
    _all: dict[str, list[Function]] = field(init=False)
    _classes: dict[str, ast.ClassDef] = field(init=False)
    _values: frozenset[str] = field(init=False)
    _objects: dict[str, frozenset[str]] = field(init=False)
    _bound: frozenset[str] = field(init=False)
    _makers: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._all = functions_of(self.tree)
        self._classes = classes_of(self.tree)
        self._values = used_as_values(self.tree, self._all)
        self._objects = {}
        for name, made in made_of(self.tree, self._classes):
            self._objects[name] = self._objects.get(name, frozenset()) | {made}
        self._bound = frozenset(name for node in own_scope(self.tree.body) for name in bound_by(node))
        self._bound |= {
            name.id
            for one in ast.walk(self.tree)
            if isinstance(one, ast.comprehension)
            for name in names_in(one.target)
        }
        self._makers = {name: canonical(made, self.imports) for name, made in made_by_calls(self.tree)} | dict(
            self.imports
        )

    def by(self, nodes: Iterable[ast.stmt], *, runs: bool = False) -> str:
        """Return `SETS_UP` or `MAY_SET_UP` when statements do for the workers, with what they call; else "".

        Of what ``runs`` the loaders counts what it plainly sets up itself, in contexts around them, and in functions
        it calls, before their first loop: most that these call comes after the loaders.
        """
        nodes = list(nodes)
        if not runs:
            return _surest(self._verbs(nodes, set()))
        around = [
            item for node in evaluated(nodes) if isinstance(node, ast.With | ast.AsyncWith) for item in node.items
        ]
        found = {*self._verbs(nodes, None), *self._verbs(around, set()), *self._before_loops(nodes)}
        return SETS_UP if SETS_UP in found else ""

    def _before_loops(self, nodes: Iterable[ast.AST]) -> Iterator[str]:
        """Judge how the functions begin that some nodes call: what they plainly do themselves before any loop."""
        for node in evaluated(nodes):
            for inner, owner in self._own(node) if isinstance(node, ast.Call) else ():
                yield from self._inside(inner, owner, None, body=list(takewhile(_loops_not, inner.body)))

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

    def _verbs(self, nodes: Iterable[ast.AST], called: set[_Judged] | None) -> Iterator[str]:
        for node in evaluated(nodes):
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
                case ast.AugAssign(target=ast.Name() as target):
                    # What a list or an array becomes by it, all have that import it; a number is another.
                    yield MAY_SET_UP if self._is_shared(target) else ""
                case ast.Global():
                    yield SETS_UP if self.held.intersection(node.names) else ""
                case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
                    names = [canonical(dotted(one) or "", self.imports) for one in decorators if self._is_shared(one)]
                    yield SETS_UP if any(map(is_setting, names)) else ""
                case ast.Call():
                    yield self._by_name(node)
                    yield from self._by_other_modules(node) if called is not None else ()
                case ast.withitem(context_expr=ast.Call(func=value) | value):
                    yield from (self._elsewhere(f"{dotted(value)}.{method}") for method in _CONTEXT)
            if called is not None:
                for inner, owner in self._run_by(node):
                    held = isinstance(node, ast.Call) and self._is_held(node.func)
                    handed = self._handed(node, inner) if isinstance(node, ast.Call) else {}
                    if (inner, owner, frozenset(handed.items())) in called:
                        continue
                    if len(called) == _MOST_JUDGED:
                        yield MAY_SET_UP
                    else:
                        yield from self._inside(inner, owner, called, handed, held=held)

    def _inside(
        self,
        inner: Function,
        owner: str,
        called: set[_Judged] | None,
        handed: Mapping[str, str] = MappingProxyType({}),
        *,
        held: bool = False,
        body: Sequence[ast.stmt] | None = None,
    ) -> Iterator[str]:
        """Judge what a function of the module does, or a method of the class ``owner``, of an object that is held.

        ``handed`` are its parameters that stand for what is imported, ``body`` is the part of it that is judged.
        """
        if called is not None:
            called.add((inner, owner, frozenset(handed.items())))
        outer = self._bound, self._objects, self.held, self.imports, self._makers
        local = local_names(inner)
        self._bound = self._bound | local
        self.held = self.held - local | ({"self"} if held else frozenset())
        names = {**handed, **other_names(inner.body, {**self.imports, **handed})}
        self.imports, self._makers = {**self.imports, **names}, {**self._makers, **names}
        for node in own_scope(inner.body):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._is_held(value):
                    self.held |= {name}
        around = {one.name for one in self._classes.values() if inner in one.body}
        of_owner = {"self": frozenset({owner}), "cls": frozenset({owner}), "super": frozenset(around)}
        self._objects = {**self._objects, **of_owner}
        yield from self._verbs(inner.body if body is None else body, called)
        self._bound, self._objects, self.held, self.imports, self._makers = outer

    def _handed(self, call: ast.Call, inner: Function) -> dict[str, str]:
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
        path = called_path(call)
        match call.func:
            case ast.Attribute(value=value, attr=method) if owners := self._classes_of(value):
                yield from self._of_bases(owners, f".{method}")
            case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_]):
                yield self._elsewhere(f"{dotted(value)}.{name}")
            case ast.Call() | ast.Lambda():
                yield from map(self._elsewhere, paths_in(call.func))
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
        words = words_of(path)[1]
        first = root(path)
        if not HARMLESS_ELSEWHERE.isdisjoint(words) or not (first in self._makers or self._is_foreign(first)):
            return ""
        return self.elsewhere.get(canonical(path, self._makers), "")

    def _by_name(self, call: ast.Call) -> str:
        """Judge a call by the name of what is called, whoever takes its result."""
        path = dotted(call.func) or ""
        name = canonical(path, self.imports)
        if name in CHANGES_ITS_ARGUMENT and any(map(self._is_shared, call.args[:1])):
            return SETS_UP
        if self._is_foreign(root(path)):
            says = words_of(name)[0] in RESULTLESS_WORDS and self._is_setting(name) and not is_class(name)
            if (
                (says and not self._is_seen_through(name))
                or name.startswith(STARTING_CALLS)
                or _makes_symbols_global(call)
            ):
                return SETS_UP
        if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS and self._is_held(call.func.value):
            return SETS_UP
        later = [ast.Call(one, [], []) for one in handed_to_be_called(call)]
        return MAY_SET_UP if any(map(self._starts, [call, *later])) else ""

    def _starts(self, call: ast.Call) -> bool:
        """Return whether the name of what is called says that something begins with it, and nothing else is known."""
        if next(self._own(call), None) is not None or canonical(called_path(call), self._makers) in self.elsewhere:
            return False
        match call.func:
            case ast.Attribute(attr=name) if name in ENTERING_NAMES:
                return True
            case ast.Attribute(attr=name) | ast.Name(id=name):
                first, words = words_of(name)
                says = first in STARTING_WORDS or name in STARTING_NAMES
                return says and HARMLESS_WORDS.isdisjoint(words) and not is_class(name) and self._is_shared(call.func)
        return False

    def _called(self, call: ast.Call) -> str:
        """Judge a call whose result nobody takes."""
        path = dotted(call.func) or ""
        if path in _SETTERS and call.args:
            return SETS_UP if self._is_shared(call.args[0]) or self._is_of_a_library(call.args[0]) else ""
        if path.endswith(".__init__") and [dotted(one) for one in call.args[:1]] == ["self"]:
            # That of a class inherited from.
            return ""
        if path in ("__import__", "exec"):
            return MAY_SET_UP
        if next(self._own(call), None) is not None or path in self._classes:
            return ""
        if not path:
            outer = call.func
            if isinstance(outer, ast.Call | ast.Lambda):
                # What is made to be called at once may be anything of the modules it names.
                return MAY_SET_UP if any(self._is_shared(one) for one in names_in(outer)) else ""
            if not isinstance(outer, ast.Attribute) or not self._is_shared(outer.value):
                return ""
            return SETS_UP if is_setting(outer.attr) else "" if is_harmless(outer.attr) else MAY_SET_UP
        if root(path) in self.classes and "." in path:
            return SETS_UP if is_setting(path) else MAY_SET_UP
        name = canonical(path, self._makers)
        if not self._is_foreign(root(path)) and not (self._is_held(call.func) and "." in path):
            return ""
        if self._is_seen_through(name):
            return ""
        handed = any(not isinstance(one, ast.Constant) for one in [*call.args, *(kw.value for kw in call.keywords)])
        return SETS_UP if self._is_setting(name) else "" if is_harmless(name, handed=handed) else MAY_SET_UP

    def _is_seen_through(self, name: str) -> bool:
        """Return whether a call is one of the project's own that is seen to set up nothing."""
        return self.elsewhere.get(name) == ""

    def _is_setting(self, name: str) -> bool:
        return is_setting(name) or (root(name) in self.drawn_with and says_that_it_sets(name))

    def _is_shared(self, node: ast.expr) -> bool:
        """Return whether workers have what an expression is in their own process, whatever the script does to it.

        That is a class or function of the module, and what another module holds.
        """
        match node:
            case ast.Name(id=name) if name in {*self.classes, *self.functions, *self.held, "cls"}:
                return True
            case ast.Name(id=name):
                known = canonical(name, self.imports)
                return self._is_foreign(name) and not (root(known) in KNOWN_LIBRARIES or is_of_no_concern(known))
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
        of_concern = root(name) in self.drawn_with or not is_of_no_concern(name)
        return path is not None and root(path) in self.imports and of_concern

    def _is_foreign(self, name: str) -> bool:
        """Return whether a name is another module's: imported, if only by ``from … import *``."""
        return name in self.imports or (name not in self._bound and not hasattr(builtins, name))

    def _run_by(self, node: ast.AST) -> Iterator[tuple[Function, str]]:
        """Yield what `_own` does, the functions of the module that a call is handed, and those it may be a call of."""
        own = list(self._own(node))
        yield from own
        if not isinstance(node, ast.Call):
            return
        names = {one.id for one in handed_to_be_called(node) if isinstance(one, ast.Name) and one.id in self._all}
        match node.func:
            case ast.Attribute(value=value, attr=name) if not (
                self._classes_of(value) or self._begins_elsewhere(value) or self._is_made_elsewhere(value)
            ):
                yield from self._methods(self._classes, (name,))
            case ast.Name() | ast.Subscript() if not (own or self._begins_elsewhere(node.func)):
                names |= self._values
        yield from ((one, "") for name in sorted(names) for one in self._all[name])

    def _own(self, node: ast.AST) -> Iterator[tuple[Function, str]]:
        """Yield the functions of the module that a call or a context runs, each with the class it is a method of."""
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in self._all:
                yield from ((one, "") for one in self._all[name])
            case ast.Call(func=ast.Name(id=name)) if name in self._classes:
                yield from self._methods([name], _MAKERS)
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name)):
                yield from self._inherited(name)
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if owners := self._classes_of(value):
                yield from self._methods(owners, (name,))
            case ast.Call(func=function):
                yield from self._methods(self._classes_of(function), ("__call__",))
            case ast.withitem(context_expr=value):
                yield from self._methods(self._classes_of(value), _CONTEXT)
            case ast.Attribute(value=value, attr=name):
                yield from self._methods(self._classes_of(value), (name,))
            case ast.Name():
                for owner in self._classes_of(node):
                    yield from self._methods([owner], self._unnamed_methods(owner))

    def _unnamed_methods(self, owner: str) -> Iterator[str]:
        """Yield the methods of a class that operators and builtins call; those of a dataset are its workers'."""
        bases = {dotted(base) or "" for one in self._lineage(owner) for base in one.bases}
        if not any(base.endswith(("Dataset", "Sampler")) for base in bases):
            named = {*_MAKERS, *_CONTEXT, "__call__"}
            yield from sorted(one for one in self._method_names(owner) - named if one.startswith("__"))

    def _begins_elsewhere(self, node: ast.expr) -> bool:
        """Return whether what an expression begins with is a builtin or another module's."""
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        return isinstance(node, ast.Name) and (self._is_foreign(node.id) or node.id not in self._bound)

    def _is_made_elsewhere(self, node: ast.expr) -> bool:
        """Return whether an expression is a name for what a call of another module's function returned."""
        made = self._makers.get(root(dotted(node) or ""), "")
        return bool(made) and root(made) not in self._bound.difference(self.imports)

    def _classes_of(self, node: ast.expr) -> Iterable[str]:
        """Return the classes of the module that an expression is, or may be an object of."""
        match node:
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name in self._classes:
                return [name]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return sorted(self._objects.get(name, ()))
        return []

    def _methods(self, owners: Iterable[str], names: Iterable[str]) -> Iterator[tuple[Function, str]]:
        for owner in owners:
            for name in names:
                yield from ((found, owner) for found in first_methods(self._lineage(owner), name))

    def _inherited(self, name: str) -> Iterator[tuple[Function, str]]:
        """Yield what ``super()`` finds in a method: what comes behind the class around it."""
        around = self._objects.get("super", ())
        for owner in self._objects.get("self", ()):
            behind = dropwhile(lambda one: one.name not in around, self._lineage(owner))
            yield from ((found, owner) for found in first_methods(islice(behind, 1, None), name))

    def _lineage(self, owner: str) -> Iterator[ast.ClassDef]:
        """Yield a class of the module and those of the module it inherits from, the nearest first."""
        seen: set[str] = set()
        waiting = [owner]
        while waiting:
            definition = self._classes.get(one := waiting.pop(0))
            if definition is None or one in seen:
                continue
            seen.add(one)
            yield definition
            waiting += [dotted(base) or "" for base in definition.bases]


def _loops_not(node: ast.stmt) -> bool:
    return not any(isinstance(one, ast.For | ast.AsyncFor | ast.While) for one in ast.walk(node))


def _makes_symbols_global(call: ast.Call) -> bool:
    """Return whether the library that a call loads lends its symbols to those loaded later."""
    given = [*call.args, *(one.value for one in call.keywords)]
    return any((dotted(one) or "").rpartition(".")[2] == "RTLD_GLOBAL" for one in given)


_Judged = tuple[Function, str, frozenset[tuple[str, str]]]
"""A function that was looked into, the class it is a method of, and what was handed to it."""

_LONGEST = 5
"""Names in a dotted path that is followed: a function may hand itself ``node.next`` again and again."""

_MOST_JUDGED = 1000
"""Times functions are looked into for one statement, one again for all that is handed to it."""

_SETTERS = ("setattr", "delattr", "object.__setattr__", "object.__delattr__", "type.__setattr__")

_MAKERS = ("__new__", "__init__", "__post_init__")
"""The methods that making an object calls."""

_CONTEXT = ("__enter__", "__exit__", "__aenter__", "__aexit__")
"""The methods that a ``with`` calls."""


def _surest(verbs: Iterable[str]) -> str:
    """Return `SETS_UP` where it is among the verbs, else `MAY_SET_UP` where that is, else ""."""
    found = set(verbs)
    return next((verb for verb in (SETS_UP, MAY_SET_UP) if verb in found), "")
