"""Whether a statement of a script runs something, or only defines, sets up and builds.

Free of effects are literals, operators, comprehensions over them, reading a name, attribute or item, the calls that
``effect_free`` lists, and calls of the module's own functions and classes whose bodies are free of effects themselves.
Any other call has effects, and so has iterating what may be a loader.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from msgspec import Struct, field

from loaderlint.model.setting_names import is_class, is_harmless, is_setting
from loaderlint.model.setting_words import MUTATORS
from loaderlint.writers.python.bindings import canonical, dotted, local_names, root
from loaderlint.writers.python.definitions import method_of
from loaderlint.writers.python.effect_free import (
    CONSTRUCTORS,
    HARMLESS_CONTEXTS,
    ITERATING_BUILTINS,
    PLAIN_BASES,
    PLAIN_DECORATORS,
    PURE_BUILTINS,
    PURE_CALLS,
    PURE_METHODS,
    PURE_MODULES,
    SETTINGS,
)
from loaderlint.writers.python.hash_order import in_order_of_hashes, is_set
from loaderlint.writers.python.names import container


class Kind(IntEnum):
    """What a statement does when its module is imported, the least first."""

    DEFINES = 0
    """It imports or defines; whatever it does besides belongs to the definition."""
    BUILDS = 1
    """It binds names to values, free of effects."""
    SETS_UP = 2
    """It sets up the process, the same however often it runs; a worker is to be set up alike."""
    CONSTRUCTS = 3
    """It builds a dataset or loader: free of effects, but nothing a worker repeats without need."""
    RUNS = 4
    """It has effects."""


Function = ast.FunctionDef | ast.AsyncFunctionDef


class Effects(Struct):
    """Judges the statements of one module in their order.

    ``imports`` are the module's imported names; ``functions`` and ``classes`` those it defines once, at its top level.
    ``objects`` collects the names bound to what is no plain value so far: iterating or changing one is an effect.
    ``sets`` collects those bound to sets of texts: going through one in its order gives each process something else.
    Each function is judged once for all its calls, until there are more objects.
    """

    imports: Mapping[str, str]
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    objects: set[str] = field(default_factory=set)
    sets: set[str] = field(default_factory=set)
    _handed: frozenset[str] = frozenset()
    _judging: list[str] = field(default_factory=list)
    _known: dict[tuple[str, bool], Kind] = field(default_factory=dict)

    def kind(self, nodes: Sequence[ast.stmt]) -> Kind:
        """Return what the statements of one line do, and remember what they bind."""
        kind = self._most(nodes, frozenset())
        if kind <= Kind.BUILDS and any(_defines(node) for node in nodes):
            return Kind.DEFINES
        if kind >= Kind.CONSTRUCTS:
            for node in nodes:
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                        self.objects.add(inner.id)
            self._known.clear()
        return kind

    def _most(self, nodes: Iterable[ast.stmt], own: frozenset[str]) -> Kind:
        most = Kind.DEFINES
        for node in nodes:
            most = max(most, self._statement(node, own))
            if most is Kind.RUNS:
                break
        return most

    def _statement(self, node: ast.stmt, own: frozenset[str]) -> Kind:
        """Judge a statement; ``own`` are the local names of the function it stands in, none at module level."""
        if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return Kind.DEFINES
        if in_order_of_hashes(node, self.sets):
            return Kind.RUNS
        match node:
            case ast.Pass() | ast.Global() | ast.Break() | ast.Continue() | ast.Raise():
                return Kind.BUILDS
            case ast.Delete(targets=targets):
                return max(self._target(one, own) for one in targets)
            case ast.Assign(targets=targets, value=value):
                names = {one.id for one in targets if isinstance(one, ast.Name)}
                self.sets = self.sets | names if is_set(value, self.sets) else self.sets - names
                return max(self._expression(value), *(self._target(one, own) for one in targets))
            case ast.AnnAssign(target=target, value=value):
                return max(self._expression(value) if value else Kind.BUILDS, self._target(target, own))
            case ast.AugAssign(target=target, value=value):
                return max(self._expression(value), self._target(target, own))
            case ast.Expr(value=ast.Call() as call):
                return self._called_for_effect(call, own)
            case ast.Expr(value=value):
                return self._expression(value)
            case ast.Return(value=value):
                return self._expression(value) if value else Kind.BUILDS
            case ast.Assert(test=test):
                return self._expression(test)
            case ast.If(test=test, body=body, orelse=orelse):
                return max(self._expression(test), self._most([*body, *orelse], own))
            case ast.For(target=target, iter=iterated, body=body, orelse=orelse):
                return max(self._iterated(iterated), self._target(target, own), self._most([*body, *orelse], own))
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                # A message about an optional package that is missing does not make its import something that runs.
                handled = [] if any(map(_defines, body)) else [one for handler in handlers for one in handler.body]
                return self._most([*body, *handled, *orelse, *final], own)
            case ast.With(items=items, body=body) if all(self._harmless(item.context_expr) for item in items):
                return self._most(body, own)
        return Kind.RUNS

    def _target(self, node: ast.expr, own: frozenset[str]) -> Kind:
        match node:
            case ast.Name(id=name):
                return Kind.RUNS if _in_function(own) and name not in own else Kind.BUILDS
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return max((self._target(one, own) for one in elements), default=Kind.BUILDS)
            case ast.Starred(value=value):
                return self._target(value, own)
        path = dotted(container(node))
        if path is None:
            return self._reached_by_call(node)
        if not _in_function(own) and root(path) in self.imports:
            return Kind.SETS_UP
        if _in_function(own) and self._is_class(root(path)):
            return Kind.SETS_UP
        return Kind.BUILDS if self._plain(root(path), own) else Kind.RUNS

    def _reached_by_call(self, node: ast.expr) -> Kind:
        """Judge changing an attribute or item of what a function of another module returns for no arguments."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        if not isinstance(node, ast.Call) or node.args or node.keywords:
            return Kind.RUNS
        path = dotted(node.func)
        if path is None or root(path) not in self.imports:
            return Kind.RUNS
        # A class is called for the object it makes, which nobody else knows of.
        name = self._canonical(path)
        return Kind.RUNS if is_harmless(name) or is_class(name) else Kind.SETS_UP

    def _is_class(self, name: str) -> bool:
        """Return whether a name is a class of this module, or what a class method calls its own."""
        return name in self.classes or name == "cls"

    def _plain(self, name: str, own: frozenset[str]) -> bool:
        """Return whether an object may be changed without anything else noticing."""
        return name in own if _in_function(own) else name not in self.objects and name not in self.imports

    def _called_for_effect(self, call: ast.Call, own: frozenset[str]) -> Kind:
        path = dotted(call.func)
        if path is None:
            return self._expression(call)
        if path == "setattr" and len(call.args) == 3:
            attribute = ast.Attribute(call.args[0], "", ast.Store())
            return max(self._arguments(call), self._target(attribute, own))
        name = self._canonical(path)
        if name in SETTINGS or (root(path) in self.imports and is_setting(name)):
            return max(self._arguments(call), Kind.SETS_UP)
        owner, _, method = path.rpartition(".")
        if _in_function(own) and method in MUTATORS and self._is_class(root(owner)):
            return max(self._arguments(call), Kind.SETS_UP)
        if owner and method in MUTATORS and method != "register" and self._plain(root(owner), own):
            return max(self._arguments(call), Kind.BUILDS)
        return self._expression(call)

    def _expression(self, node: ast.expr) -> Kind:
        """Judge an expression, from `Kind.BUILDS` on."""
        match node:
            case ast.Lambda(args=arguments):
                defaults = [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]
                return max((self._expression(one) for one in defaults), default=Kind.BUILDS)
            case ast.Call():
                return self._call(node)
            case ast.Await() | ast.Yield() | ast.YieldFrom():
                return Kind.RUNS
            case ast.ListComp(generators=generators) | ast.SetComp(generators=generators):
                parts = [self._comprehension(generators), self._expression(node.elt)]
                return max(parts)
            case ast.GeneratorExp(generators=generators):
                return max(self._comprehension(generators), self._expression(node.elt))
            case ast.DictComp(generators=generators):
                return max(self._comprehension(generators), self._expression(node.key), self._expression(node.value))
        children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        return max((self._expression(child) for child in children), default=Kind.BUILDS)

    def _comprehension(self, generators: Sequence[ast.comprehension]) -> Kind:
        iterated = max(self._iterated(one.iter) for one in generators)
        return max(iterated, *(self._expression(test) for one in generators for test in one.ifs), Kind.BUILDS)

    def _iterated(self, node: ast.expr) -> Kind:
        """Judge an expression that is iterated: iterating a loader, or what is not known, has effects."""
        return Kind.RUNS if self._mentions_object([node]) else self._expression(node)

    def _mentions_object(self, nodes: Sequence[ast.expr]) -> bool:
        names = {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        return not names.isdisjoint(self.objects | self._handed)

    def _arguments(self, call: ast.Call) -> Kind:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        return max((self._expression(one) for one in given), default=Kind.BUILDS)

    def _call(self, call: ast.Call) -> Kind:
        arguments = self._arguments(call)
        path = dotted(call.func)
        if path is None:
            pure = isinstance(call.func, ast.Attribute) and call.func.attr in PURE_METHODS
            return max(arguments, self._expression(call.func)) if pure else Kind.RUNS
        if root(path) in self.imports:
            return max(arguments, self._imported(self._canonical(path), call))
        owner, _, name = path.rpartition(".")
        own_method = method_of(self.classes.get(owner), name)
        if owner and own_method is None:
            return arguments if name in PURE_METHODS else Kind.RUNS
        unknown = self._mentions_object(call.args) or self._mentions_object([one.value for one in call.keywords])
        if own_method is not None:
            return max(arguments, self._body(path, [own_method], unknown))
        if name in self.functions:
            return max(arguments, self._body(name, [self.functions[name]], unknown))
        if name in self.classes:
            return max(arguments, self._instance(name, unknown))
        if name in PURE_BUILTINS and hasattr(builtins, name) and name not in self.objects | self._handed:
            iterated = [self._iterated(one) for one in call.args] if name in ITERATING_BUILTINS else []
            return max([arguments, *iterated])
        return Kind.RUNS

    def _imported(self, name: str, call: ast.Call) -> Kind:
        if name in CONSTRUCTORS:
            return Kind.CONSTRUCTS
        on_device = any(keyword.arg == "device" for keyword in call.keywords)
        if name in PURE_CALLS and not on_device:
            return Kind.BUILDS
        return Kind.BUILDS if any(name.startswith(f"{module}.") for module in PURE_MODULES) else Kind.RUNS

    def _instance(self, name: str, unknown: bool) -> Kind:
        """Judge making an instance of a class of this module; ``unknown`` as for `_body`."""
        node = self.classes[name]
        decorators = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
        if node.keywords or any(self._named(one) not in PLAIN_DECORATORS for one in decorators):
            return Kind.RUNS
        inherited = Kind.BUILDS
        for base in node.bases:
            of = self._named(base.value if isinstance(base, ast.Subscript) else base)
            if of in self.classes and of != name and of not in self._judging:
                inherited = max(inherited, self._instance(of, unknown))
            elif of not in PLAIN_BASES:
                return Kind.RUNS
        makers = {"__init__", "__new__", "__post_init__"}
        bodies = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name in makers]
        factories = [one.value for one in node.body if isinstance(one, ast.AnnAssign) and one.value is not None]
        fields = max((self._expression(one) for one in factories), default=Kind.BUILDS)
        made = max(inherited, fields, self._body(name, bodies, unknown))
        return Kind.CONSTRUCTS if made < Kind.RUNS else made

    def _body(self, name: str, functions: Sequence[Function], unknown: bool) -> Kind:
        """Judge running functions; ``unknown``: they are handed an object, so iterating a parameter runs."""
        if name in self._judging:
            return Kind.RUNS
        known = self._known.get((name, unknown))
        if known is None:
            self._judging.append(name)
            known = max((self._function(one, unknown) for one in functions), default=Kind.BUILDS)
            self._judging.pop()
            self._known[name, unknown] = known
        return known

    def _function(self, node: Function, unknown: bool) -> Kind:
        decorators = {dotted(one) for one in node.decorator_list}
        if isinstance(node, ast.AsyncFunctionDef) or decorators - {"classmethod", "staticmethod"}:
            return Kind.RUNS
        parameters = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        own = local_names(node) - parameters | {"self"}
        outside, self._handed = self._handed, frozenset(parameters if unknown else ())
        most = self._most([one for one in node.body if not _begins_super(one)], frozenset(own))
        self._handed = outside
        return max(most, Kind.BUILDS)

    def _harmless(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._named(node.func) in HARMLESS_CONTEXTS

    def _named(self, node: ast.expr) -> str:
        return self._canonical(dotted(node) or "")

    def _canonical(self, path: str) -> str:
        return canonical(path, self.imports)


def _defines(node: ast.stmt) -> bool:
    """Return whether a statement imports or defines anything at module level."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return True
    return any(_defines(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))


def _in_function(own: frozenset[str]) -> bool:
    return bool(own)


def _begins_super(node: ast.stmt) -> bool:
    """Return whether this is ``super().__init__(…)``: the bases are judged by themselves."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"))):
            return True
    return False
