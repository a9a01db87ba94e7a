"""What a script sets up for its workers: the state of imported modules and objects, and of its own classes.

A forked worker has whatever the script set up before. A spawned one imports the script without what is under the guard,
so ``cfg.merge(scale=10)`` there does not reach it, and its samples silently differ.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import takewhile
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.model.imported import SettingUp
from loaderlint.model.process_state import READ_BY_WORKERS
from loaderlint.model.setting_names import (
    is_class,
    is_harmless,
    is_of_no_concern,
    is_setting,
    says_that_it_sets,
    words_of,
)
from loaderlint.model.setting_words import (
    CHANGES_ITS_ARGUMENT,
    ENTERING_NAMES,
    HARMLESS_ELSEWHERE,
    HARMLESS_WORDS,
    KNOWN_LIBRARIES,
    MUTATORS,
    RESULTLESS_WORDS,
    STARTING_CALLS,
    STARTING_NAMES,
    STARTING_WORDS,
)
from loaderlint.writers.python.arguments import Function
from loaderlint.writers.python.bindings import called_path, canonical, dotted, evaluated, names_in, paths_in, root
from loaderlint.writers.python.definitions import handed_to_be_called
from loaderlint.writers.python.names import container
from loaderlint.writers.python.surroundings import CONTEXT_METHODS, MAKERS, Surroundings

NOTHING, POSSIBLE, CERTAIN = SettingUp


class SetUp(Struct, frozen=True):
    """Finds what the statements of one module set up.

    ``surroundings`` are those of its top level, where nothing is held if the module is the script itself.
    ``functions`` and ``classes`` are those it defines once. ``drawn_with`` are the libraries of reports and drawings
    that worker code uses as well. ``elsewhere`` says what the functions, classes and methods of the project's other
    modules set up when they are called. A call that nobody takes the result of is for something else, unless it is of
    what is seen to set up nothing.
    """

    surroundings: Surroundings
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    drawn_with: Collection[str] = ()
    elsewhere: Mapping[str, SettingUp] = field(default_factory=dict)

    def by(self, nodes: Iterable[ast.stmt], *, runs: bool = False) -> SettingUp:
        """Return whether statements set something up for the workers, with what they call.

        Of what ``runs`` the loaders counts what it plainly sets up itself, in contexts around them, and in functions
        it calls, before their first loop: most that these call comes after the loaders.
        """
        nodes = list(nodes)
        if not runs:
            return _surest(self._judged(self.surroundings, nodes, set()))
        around = [
            item for node in evaluated(nodes) if isinstance(node, ast.With | ast.AsyncWith) for item in node.items
        ]
        found = {
            *self._judged(self.surroundings, nodes, None),
            *self._judged(self.surroundings, around, set()),
            *self._before_loops(self.surroundings, nodes),
        }
        return CERTAIN if CERTAIN in found else NOTHING

    def behind(self, nodes: Sequence[ast.stmt], imported: Collection[str]) -> SetUp:
        """Return what finds it behind some statements: behind ``net = net.Net()`` the name is no module any more.

        ``imported`` are the names that one import alone binds.
        """
        match nodes:
            case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function))] if name in imported:
                here = self.surroundings
                imports = {one: path for one, path in here.imports.items() if one != name}
                makers = {**here.makers, name: canonical(dotted(function) or "", here.makers)}
                return replace(self, surroundings=replace(here, imports=imports, makers=makers))
        return self

    def _before_loops(self, here: Surroundings, nodes: Iterable[ast.AST]) -> Iterator[SettingUp]:
        """Judge how the functions begin that some nodes call: what they plainly do themselves before any loop."""
        for node in evaluated(nodes):
            for inner, owner in here.own(node) if isinstance(node, ast.Call) else ():
                yield from self._inside(here, inner, owner, None, body=list(takewhile(_loops_not, inner.body)))

    def by_calls(self, names: Set[str]) -> Iterator[tuple[str, SettingUp]]:
        """Yield what functions, classes and methods of these names set up when they are called, by dotted name."""
        here = self.surroundings
        for name in sorted(self.functions.keys() & names):
            yield name, _surest(self._inside(here, self.functions[name], "", set()))
        for name in sorted(self.classes.keys() & names):
            yield name, _surest([*self._inside_all(here, [name], MAKERS), *self._of_bases(here, [name], "")])
            for base in (canonical(dotted(base) or "", here.imports) for base in here.bases([name])):
                inherited = (one for one in self.elsewhere if one.startswith(f"{base}."))
                yield from ((name + one.removeprefix(base), self.elsewhere[one]) for one in inherited)
            for method in here.method_names(name):
                yield f"{name}.{method}", _surest(self._inside_all(here, [name], [method]))
        for name in sorted(here.held & here.objects.keys() & names):
            for method in {one for owner in here.objects[name] for one in here.method_names(owner)}:
                found = here.methods(here.objects[name], [method])
                yield (
                    f"{name}.{method}",
                    _surest(verb for one, owner in found for verb in self._inside(here, one, owner, set(), held=True)),
                )

    def _inside_all(self, here: Surroundings, owners: Iterable[str], names: Iterable[str]) -> Iterator[SettingUp]:
        for method, owner in here.methods(owners, names):
            yield from self._inside(here, method, owner, set())

    def _judged(self, here: Surroundings, nodes: Iterable[ast.AST], called: set[_Judged] | None) -> Iterator[SettingUp]:
        """Judge what some nodes do, with the functions of the module they run, but not again those ``called``.

        None are followed where ``called`` is None.
        """
        for node in evaluated(nodes):
            match node:
                case (
                    ast.Expr(value=ast.Call() as call)
                    | ast.Expr(value=ast.ListComp(elt=ast.Call() as call) | ast.SetComp(elt=ast.Call() as call))
                    | ast.Expr(value=ast.DictComp(value=ast.Call() as call))
                    | ast.Assign(targets=[ast.Name("_")], value=ast.Call() as call)
                ):
                    yield self._called(here, call)
                case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                    yield CERTAIN if self._is_shared(here, node) or self._is_of_a_library(here, node) else NOTHING
                case ast.AugAssign(target=ast.Name() as target):
                    # What a list or an array becomes by it, all have that import it; a number is another.
                    yield POSSIBLE if self._is_shared(here, target) else NOTHING
                case ast.Global():
                    yield CERTAIN if here.held.intersection(node.names) else NOTHING
                case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
                    names = [
                        canonical(dotted(one) or "", here.imports) for one in decorators if self._is_shared(here, one)
                    ]
                    yield CERTAIN if any(map(is_setting, names)) else NOTHING
                case ast.Call():
                    yield self._by_name(here, node)
                    yield from self._by_other_modules(here, node) if called is not None else ()
                case ast.withitem(context_expr=ast.Call(func=value) | value):
                    yield from (self._elsewhere(here, f"{dotted(value)}.{method}") for method in CONTEXT_METHODS)
            if called is not None:
                for inner, owner in here.run_by(node):
                    held = isinstance(node, ast.Call) and here.is_held(node.func)
                    handed = here.handed(node, inner) if isinstance(node, ast.Call) else {}
                    if (inner, owner, frozenset(handed.items())) in called:
                        continue
                    if len(called) == _MOST_JUDGED:
                        yield POSSIBLE
                    else:
                        yield from self._inside(here, inner, owner, called, handed, held=held)

    def _inside(
        self,
        here: Surroundings,
        inner: Function,
        owner: str,
        called: set[_Judged] | None,
        handed: Mapping[str, str] = MappingProxyType({}),
        *,
        held: bool = False,
        body: Sequence[ast.stmt] | None = None,
    ) -> Iterator[SettingUp]:
        """Judge what a function of the module does: ``body``, where only a part of it counts.

        The rest is what `Surroundings.inside` takes.
        """
        if called is not None:
            called.add((inner, owner, frozenset(handed.items())))
        return self._judged(here.inside(inner, owner, handed, held=held), inner.body if body is None else body, called)

    def _by_other_modules(self, here: Surroundings, call: ast.Call) -> Iterator[SettingUp]:
        """Judge a call by what the project's other modules do when it calls something of theirs."""
        path = called_path(call)
        match call.func:
            case ast.Attribute(value=value, attr=method) if owners := here.classes_of(value):
                yield from self._of_bases(here, owners, f".{method}")
            case ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_]):
                yield self._elsewhere(here, f"{dotted(value)}.{name}")
            case ast.Call() | ast.Lambda():
                yield from (self._elsewhere(here, one) for one in paths_in(call.func))
            case ast.Name(id="map" | "filter") if call.args:
                yield self._elsewhere(here, dotted(call.args[0]) or "")
        yield from self._of_bases(here, [path], "") if path in self.classes else [self._elsewhere(here, path)]

    def _of_bases(self, here: Surroundings, owners: Iterable[str], member: str) -> Iterator[SettingUp]:
        """Yield what a member of the classes that are inherited from other modules sets up, or making an object."""
        yield from (self._elsewhere(here, f"{dotted(base)}{member}") for base in here.bases(owners))

    def _elsewhere(self, here: Surroundings, path: str) -> SettingUp:
        """Return what calling something of the project's other modules sets up, unless nobody minds by its name."""
        words = words_of(path)[1]
        first = root(path)
        if not HARMLESS_ELSEWHERE.isdisjoint(words) or not (first in here.makers or here.is_foreign(first)):
            return NOTHING
        return self.elsewhere.get(canonical(path, here.makers), NOTHING)

    def _by_name(self, here: Surroundings, call: ast.Call) -> SettingUp:
        """Judge a call by the name of what is called, whoever takes its result."""
        path = dotted(call.func) or ""
        name = canonical(path, here.imports)
        if name in CHANGES_ITS_ARGUMENT and any(self._is_shared(here, one) for one in call.args[:1]):
            return CERTAIN
        if here.is_foreign(root(path)):
            says = words_of(name)[0] in RESULTLESS_WORDS and self._is_setting(name) and not is_class(name)
            if (
                (says and not self._is_seen_through(name))
                or name.startswith(STARTING_CALLS)
                or _makes_symbols_global(call)
            ):
                return CERTAIN
        if isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS and here.is_held(call.func.value):
            return CERTAIN
        later = [ast.Call(one, [], []) for one in handed_to_be_called(call)]
        return POSSIBLE if any(self._starts(here, one) for one in [call, *later]) else NOTHING

    def _starts(self, here: Surroundings, call: ast.Call) -> bool:
        """Return whether the name of what is called says that something begins with it, and nothing else is known."""
        if next(here.own(call), None) is not None or canonical(called_path(call), here.makers) in self.elsewhere:
            return False
        match call.func:
            case ast.Attribute(attr=name) if name in ENTERING_NAMES:
                return True
            case ast.Attribute(attr=name) | ast.Name(id=name):
                first, words = words_of(name)
                says = first in STARTING_WORDS or name in STARTING_NAMES
                return (
                    says
                    and HARMLESS_WORDS.isdisjoint(words)
                    and not is_class(name)
                    and self._is_shared(here, call.func)
                )
        return False

    def _called(self, here: Surroundings, call: ast.Call) -> SettingUp:
        """Judge a call whose result nobody takes."""
        path = dotted(call.func) or ""
        if path in _SETTERS and call.args:
            return (
                CERTAIN if self._is_shared(here, call.args[0]) or self._is_of_a_library(here, call.args[0]) else NOTHING
            )
        if path.endswith(".__init__") and [dotted(one) for one in call.args[:1]] == ["self"]:
            # That of a class inherited from.
            return NOTHING
        if path in ("__import__", "exec"):
            return POSSIBLE
        if next(here.own(call), None) is not None or path in here.classes:
            return NOTHING
        if not path:
            outer = call.func
            if isinstance(outer, ast.Call | ast.Lambda):
                # What is made to be called at once may be anything of the modules it names.
                return POSSIBLE if any(self._is_shared(here, one) for one in names_in(outer)) else NOTHING
            if not isinstance(outer, ast.Attribute) or not self._is_shared(here, outer.value):
                return NOTHING
            return CERTAIN if is_setting(outer.attr) else NOTHING if is_harmless(outer.attr) else POSSIBLE
        if root(path) in self.classes and "." in path:
            return CERTAIN if is_setting(path) else POSSIBLE
        name = canonical(path, here.makers)
        if not here.is_foreign(root(path)) and not (here.is_held(call.func) and "." in path):
            return NOTHING
        if self._is_seen_through(name):
            return NOTHING
        handed = any(not isinstance(one, ast.Constant) for one in [*call.args, *(kw.value for kw in call.keywords)])
        return CERTAIN if self._is_setting(name) else NOTHING if is_harmless(name, handed=handed) else POSSIBLE

    def _is_seen_through(self, name: str) -> bool:
        """Return whether a call is one of the project's own that is seen to set up nothing."""
        return self.elsewhere.get(name) is NOTHING

    def _is_setting(self, name: str) -> bool:
        return is_setting(name) or (root(name) in self.drawn_with and says_that_it_sets(name))

    def _is_shared(self, here: Surroundings, node: ast.expr) -> bool:
        """Return whether workers have what an expression is in their own process, whatever the script does to it.

        That is a class or function of the module, and what another module holds.
        """
        match node:
            case ast.Name(id=name) if name in {*self.classes, *self.functions, *here.held, "cls"}:
                return True
            case ast.Name(id=name):
                known = canonical(name, here.imports)
                return here.is_foreign(name) and not (root(known) in KNOWN_LIBRARIES or is_of_no_concern(known))
            case ast.Attribute(attr="__class__") | ast.Call(func=ast.Name(id="type" | "globals")):
                return True
            case ast.Attribute(value=value):
                path = canonical(dotted(node) or "", here.imports)
                return path.startswith(READ_BY_WORKERS) or self._is_shared(here, value)
            case ast.Call(func=ast.Name(id="getattr" | "vars"), args=[value, *_]) | ast.Subscript(value=value):
                return self._is_shared(here, value)
            case ast.Call(func=function):
                return self._is_shared(here, function)
        return False

    def _is_of_a_library(self, here: Surroundings, node: ast.expr) -> bool:
        """Return whether a dataset may read what an attribute or item of a library is set to."""
        path = dotted(container(node))
        name = canonical(path or "", here.imports)
        of_concern = root(name) in self.drawn_with or not is_of_no_concern(name)
        return path is not None and root(path) in here.imports and of_concern


def _loops_not(node: ast.stmt) -> bool:
    return not any(isinstance(one, ast.For | ast.AsyncFor | ast.While) for one in ast.walk(node))


def _makes_symbols_global(call: ast.Call) -> bool:
    """Return whether the library that a call loads lends its symbols to those loaded later."""
    given = [*call.args, *(one.value for one in call.keywords)]
    return any((dotted(one) or "").rpartition(".")[2] == "RTLD_GLOBAL" for one in given)


_Judged = tuple[Function, str, frozenset[tuple[str, str]]]
"""A function that was looked into, the class it is a method of, and what was handed to it."""

_MOST_JUDGED = 1000
"""Times functions are looked into for one statement, one again for all that is handed to it."""

_SETTERS = ("setattr", "delattr", "object.__setattr__", "object.__delattr__", "type.__setattr__")


def _surest(found: Iterable[SettingUp]) -> SettingUp:
    return max(found, default=NOTHING)
