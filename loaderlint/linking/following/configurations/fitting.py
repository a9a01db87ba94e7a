"""Which configuration files a program can be given: those that hold every key it reads on all its ways."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from loaderlint.linking.following.configurations.handing import calls_made_of
from loaderlint.linking.following.configurations.records import is_record
from loaderlint.linking.things import settings
from loaderlint.linking.things.classes import class_of, constructors
from loaderlint.linking.things.kinds import Class, CommandLine, External, Frame, Function, Items, Thing, end_of
from loaderlint.linking.things.made_calls import AnyCaller, Caller
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted, is_main_test, parameters
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Node, Scalar
from loaderlint.vocabulary.configurations import KEEPS_ITS_ARGUMENT

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

Keys: TypeAlias = frozenset[tuple[str, ...]]


class _Path(NamedTuple):
    """What a piece of code does to the value under some keys, and where: on this line, in these functions inside it."""

    kind: type[ast.expr_context]
    keys: tuple[str, ...]
    line: int
    functions: tuple[ast.AST, ...]

    def is_there_for(self, read: _Path) -> bool:
        """Return whether this may have set what another one of the same piece of code reads, before it does."""
        before = self.line <= read.line or self.functions != read.functions
        return before and read.keys[: len(self.keys)] == self.keys


class _Use(NamedTuple):
    """A piece of code that knows a part of a configuration by a name; ``keys`` lead from the root to that part.

    ``added`` are the keys that it gives that part itself, all at once: ``settings.update(vars(args))``.
    """

    part: ast.AST
    name: str
    keys: tuple[str, ...] = ()
    added: frozenset[_Path] = frozenset()


_Uses: TypeAlias = Iterator[_Use]

DEEPEST_USE = 3
"""Functions that hand a configuration on to each other; what is further away is not asked."""
_MERGES = frozenset({"omegaconf.OmegaConf.merge", "omegaconf.OmegaConf.unsafe_merge"})
_HANDS_ON = frozenset(
    {"typing.cast", "omegaconf.OmegaConf.create", "omegaconf.OmegaConf.to_container", "omegaconf.OmegaConf.to_object"}
)
"""Callables that return one of their arguments with the same keys, whatever else they are given."""
_METHODS = frozenset({"get", "items", "keys", "values", "update", "copy", "pop", "setdefault", "to_dict"})


def fits(root: Node | None, keys: Keys) -> bool:
    """Return whether a file holds all these keys; what its values stand for elsewhere may hold anything."""
    return isinstance(root, TreeMapping) and all(_holds(root, path) for path in keys)


def _holds(node: Node, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(node, TreeMapping) or node.tag is not None:
            return not isinstance(node, Scalar) or node.opaque
        entry = node.get(key)
        if entry is None:
            return False
        node = entry.value
    return True


def keys_read(evaluator: Evaluator, call: ast.Call, frame: Frame, *, merged: bool = False) -> Keys:
    """Return the keys that a program reads, unconditionally and by name, of what a call gives it.

    With ``merged`` they are also those that it reads after a merge with others, which may have had them as well.
    """

    def read() -> Keys:
        return _read_in(evaluator, _uses(evaluator, call, frame, DEEPEST_USE, merged))

    return evaluator.remembered(("keys read", id(call), merged), frame, read)


def keys_of_name(evaluator: Evaluator, name: str, facts: PythonFacts) -> Keys:
    """Return the keys that a program reads, unconditionally and by name, of what a dotted name of a file stands for."""
    uses = (
        use
        for scope in facts.scopes.values()
        for known_as in (name, *_other_names(scope, name))
        for use in _named(evaluator, known_as, Frame(facts, end_of(scope)), DEEPEST_USE)
    )
    return _read_in(evaluator, uses)


def _other_names(scope: Scope, name: str) -> list[str]:
    """Return the names that a scope gives to what a dotted name stands for, and to nothing else."""
    return [
        other
        for other, bindings in scope.bindings.items()
        if "." not in other
        and bindings
        and all(one.value is not None and dotted(one.value) == name for one in bindings)
    ]


def _read_in(evaluator: Evaluator, uses: _Uses) -> Keys:
    read: dict[tuple[str, ...], set[_Use]] = {}
    written: dict[tuple[str, ...], set[_Use]] = {}
    # Code that is reached in several ways knows the same under the same name.
    for use in dict.fromkeys(uses):
        every = (*use.added, *evaluator.paths_read.of(use.part, use.name))
        stores = [one for one in every if one.kind is ast.Store]
        for one in every:
            if one.kind is ast.Store:
                written.setdefault((*use.keys, *one.keys), set()).add(use)
            elif not any(store.is_there_for(one) for store in stores):
                read.setdefault((*use.keys, *one.keys), set()).add(use)
    # In which order pieces of code run is not known: what one of them sets may be there for the others.
    return frozenset(
        path
        for path, readers in read.items()
        if not any(path[: len(one)] == one and writers - readers for one, writers in written.items())
    )


def _uses(evaluator: Evaluator, call: ast.AST, frame: Frame, left: int, merged: bool) -> _Uses:
    """Yield the pieces of code that know what an expression gives, each with the name it has there."""
    scope = frame.scope
    frame = frame.at(end_of(scope))
    names: list[str] = []
    more = [""]
    while more:
        # What a name stands for may be made into an object under another name.
        more = [
            name
            for name, bindings in scope.bindings.items()
            if name not in names
            and any(
                one.kind in ("assign", "with")
                and one.value is not None
                and _is_it(evaluator, one.value, call, names, frame, merged)
                for one in bindings
            )
        ]
        names.extend(more)
    for name in names:
        yield from _named(evaluator, name, frame, left)
    if left and isinstance(scope.node, FunctionNode):
        yield from _returned(evaluator, call, names, frame, left, merged)


def _returned(evaluator: Evaluator, call: ast.AST, names: list[str], frame: Frame, left: int, merged: bool) -> _Uses:
    """Yield the pieces of code that know what a function returns, alone or as one of several things."""
    scope = frame.scope
    assert isinstance(scope.node, FunctionNode)
    alone = False
    places: set[int] = set()
    for value, _ in scope.returns:
        if isinstance(value, ast.Tuple):
            items = [_is_it(evaluator, item, call, names, frame, merged) for item in value.elts]
            places.update(place for place, is_it in enumerate(items) if is_it)
        elif value is not None:
            alone = alone or _is_it(evaluator, value, call, names, frame, merged)
    if not alone and not places:
        return
    for caller in _callers(evaluator, scope.node, frame):
        if isinstance(caller, Caller):
            if alone:
                yield from _uses(evaluator, caller.call, caller.frame, left - 1, merged)
            where = caller.frame.at(end_of(caller.frame.scope))
            for place in sorted(places):
                yield from _unpacked(evaluator, partial(is_, caller.call), place, where, left - 1)


def _callers(evaluator: Evaluator, function: FunctionNode, frame: Frame) -> Iterable[AnyCaller]:
    """Return who calls a function: each program that has its settings from it reads keys of its own.

    Where one call of it is being followed, it is that one alone; what is found in a frame without arguments holds for
    all calls.
    """
    if frame.caller is not None and frame.arguments is not None:
        call, where = frame.caller
        return (Caller(where, call),)
    scope = frame.scope
    owner = class_of(frame.facts, scope.parent) if scope.parent is not None else None
    return evaluator.callers.of(Function(frame.facts, function, scope, owner=owner)).by


def _named(evaluator: Evaluator, name: str, frame: Frame, left: int) -> _Uses:
    """Yield the pieces of code that know something under a name of one scope: its own, and those it is handed to."""
    # An attribute is known to all of its class, a name of the module to all of the file.
    part = frame.facts.tree if "." in name or frame.scope.parent is None else frame.scope.node
    yield _Use(part, name, added=_added(evaluator, name, part, frame))
    for site in frame.scope.calls if left else ():
        where = Frame(frame.facts, site.place)
        for call in _calls_with(evaluator, site.node, name, where):
            yield from _taken_by(evaluator, call, name, where, left)
    for row, place in _rows_with(frame.scope, name) if left else ():
        yield from _in_row(evaluator, row, place, frame, left)


def _added(evaluator: Evaluator, name: str, part: ast.AST, frame: Frame) -> frozenset[_Path]:
    """Return the keys of all that a scope lays over something of a name: those that stand on the command line."""
    found: set[_Path] = set()
    functions = () if part is frame.scope.node else (frame.scope.node,)
    for site in frame.scope.calls:
        match site.node:
            case ast.Call(ast.Attribute(owner, "update"), [given], []) if dotted(owner) == name:
                where = Frame(frame.facts, site.place)
                for one in evaluator.evaluate(given, where):
                    laid = one.thing
                    if isinstance(laid, CommandLine):
                        laid = evaluator.attributes_of(laid, one.span)
                    keys = laid.entries if isinstance(laid, Items) else ()
                    found.update(_Path(ast.Store, (key,), site.node.lineno, functions) for key in keys)
    return frozenset(found)


def _rows_with(scope: Scope, name: str) -> Iterator[tuple[str, int]]:
    """Yield the names of the tuples and lists that a scope writes with something known by a name in them, and where."""
    for row, bindings in scope.bindings.items():
        for value in (one.value for one in bindings if one.kind == "assign"):
            if isinstance(value, ast.Tuple | ast.List) and not any(isinstance(one, ast.Starred) for one in value.elts):
                yield from ((row, place) for place, item in enumerate(value.elts) if dotted(item) == name)


def _in_row(evaluator: Evaluator, row: str, place: int, frame: Frame, left: int) -> _Uses:
    """Yield the pieces of code that know an item of a tuple, where it is unpacked and where the tuple is handed to."""
    yield from _unpacked(evaluator, lambda value: dotted(value) == row, place, frame, left)
    for site in frame.scope.calls if left else ():
        for function, parameter, keys in _takers(evaluator, site.node, row, Frame(frame.facts, site.place)):
            if not keys:
                yield from _in_row(evaluator, parameter, place, Frame(function.facts, end_of(function.scope)), left - 1)


def _unpacked(evaluator: Evaluator, is_row: Callable[[ast.expr], bool], place: int, frame: Frame, left: int) -> _Uses:
    """Yield the pieces of code that know an item of a tuple under the name that a scope unpacks it to."""
    for name, bindings in frame.scope.bindings.items():
        if any(
            one.kind == "unpack" and one.index == (place,) and one.value is not None and is_row(one.value)
            for one in bindings
        ):
            yield from _named(evaluator, name, frame, left)


def _calls_with(evaluator: Evaluator, call: ast.Call, name: str, frame: Frame) -> Iterator[ast.Call]:
    """Yield a call, and those made of what it is handed where the name stands in a list of arguments for them."""
    yield call
    given = [*call.args, *(one.value for one in call.keywords)]
    listed = [item for one in given if isinstance(one, ast.Tuple | ast.List) for item in one.elts]
    if any(_keys_to(one, name) is not None for one in listed):
        for one in given:
            if dotted(one) is not None:
                yield from calls_made_of(evaluator, call, one, frame) or ()


def _taken_by(evaluator: Evaluator, call: ast.Call, name: str, frame: Frame, left: int) -> _Uses:
    """Yield the pieces of code that know something under the name of a parameter that a call hands it to."""
    given, keywords = _arguments_with(call, name)
    if not given and not keywords:
        return
    for one in evaluator.evaluate(call.func, frame):
        if isinstance(one.thing, Class):
            # An object keeps what it is given under the same name, whoever wrote its constructor.
            yield from (_Use(one.thing.node, f"self.{keyword}", keys) for keyword, keys in keywords.items())
    for function, parameter, keys in _takers(evaluator, call, name, frame):
        known = _named(evaluator, parameter, Frame(function.facts, end_of(function.scope)), left - 1)
        yield from (use._replace(keys=(*keys, *use.keys)) for use in known)


def _takers(
    evaluator: Evaluator, call: ast.Call, name: str, frame: Frame
) -> Iterator[tuple[Function, str, tuple[str, ...]]]:
    """Yield the functions that a call hands something of a name to: the parameter, and the keys that lead to it."""
    given, keywords = _arguments_with(call, name)
    for function, skip in _functions(evaluator, call.func, frame) if given or keywords else ():
        declared = [one.arg for one in parameters(function.node)][skip:]
        taken = {declared[position]: keys for position, keys in given.items() if position < len(declared)}
        taken.update((keyword, keys) for keyword, keys in keywords.items() if keyword in declared)
        yield from ((function, parameter, keys) for parameter, keys in sorted(taken.items()))


def _arguments_with(call: ast.Call, name: str) -> tuple[dict[int, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the arguments of a call that are something of a name, by position and by keyword, each with its keys."""
    positional = [
        item
        for one in call.args
        for item in (
            one.value.elts if isinstance(one, ast.Starred) and isinstance(one.value, ast.Tuple | ast.List) else [one]
        )
    ]
    given = {position: keys for position, one in enumerate(positional) if (keys := _keys_to(one, name)) is not None}
    keywords = {
        one.arg: keys
        for one in call.keywords
        if one.arg is not None and (keys := _keys_to(one.value, name)) is not None
    }
    return given, keywords


def _functions(evaluator: Evaluator, callee: ast.expr, frame: Frame) -> Iterator[tuple[Function, int]]:
    """Yield the functions that a call runs, with the number of parameters that the call does not give.

    Of several it may run, which one the file itself may say, none reads its keys on all ways.
    """
    called = {one.thing.node: one.thing for one in evaluator.evaluate(callee, frame) if isinstance(one.thing, _RUN)}
    for thing in called.values() if len(called) == 1 else ():
        if isinstance(thing, Function):
            yield thing, int(thing.receiver is not None)
        else:
            yield from ((constructor, 1) for constructor in constructors(thing))


_RUN = (Function, Class)


def _is_it(evaluator: Evaluator, value: ast.expr, call: ast.AST, names: list[str], frame: Frame, merged: bool) -> bool:
    """Return whether an expression is what a call gives, or has all its keys and no others but those a user adds.

    Where it is ``merged`` with others, it may have theirs, too.
    """
    if value is call or dotted(value) in names:
        return True
    if not isinstance(value, ast.Call) or not (value.args or value.keywords):
        return False
    given = [*value.args, *(one.value for one in value.keywords)]
    known = [one for one in given if _is_it(evaluator, one, call, names, frame, merged)]
    return len(known) == 1 and any(
        _keeps(evaluator, one.thing, known[0], [other for other in given if other is not known[0]], frame, merged)
        for one in evaluator.evaluate(value.func, frame)
    )


def _keeps(
    evaluator: Evaluator, called: Thing, given: ast.expr, others: list[ast.expr], frame: Frame, merged: bool
) -> bool:
    """Return whether a call gives back the keys of one of its arguments and no others, unless they are ``merged``."""
    if isinstance(called, Class):
        return not others and is_record(evaluator, called)
    if not isinstance(called, External):
        return False
    if called.name in _MERGES:
        # What the user writes on the command line replaces what is there.
        return merged or all(settings.is_of_user(one) for other in others for one in evaluator.evaluate(other, frame))
    return called.name in _HANDS_ON or (not others and called.name in KEEPS_ITS_ARGUMENT)


class PathsRead:
    """The keys that each piece of code reads or writes of a name, looked for once."""

    def __init__(self) -> None:
        self._known: dict[tuple[ast.AST, str], tuple[_Path, ...]] = {}
        self._accesses: dict[ast.AST, dict[str, list[_Access]]] = {}
        self._own_names: dict[ast.AST, frozenset[str]] = {}

    def of(self, part: ast.AST, name: str) -> tuple[_Path, ...]:
        """Return the keys with what happens to each, without those that are read only sometimes."""
        if (part, name) not in self._known:
            self._known[part, name] = tuple(self._paths(part, name))
        return self._known[part, name]

    def _paths(self, part: ast.AST, name: str) -> Iterator[_Path]:
        if part not in self._accesses:
            self._accesses[part] = _accesses(part)
        for one in self._accesses[part].get(name.partition(".")[0], ()):
            stored = not isinstance(one.node.ctx, ast.Load)
            chain = _chain(one.node, name) if stored or not one.sometimes else None
            if chain and not any(name in self._own(function) for function in one.functions):
                yield _Path(ast.Store if stored else ast.Load, chain, one.node.lineno, one.functions)

    def _own(self, function: ast.AST) -> frozenset[str]:
        """Return the names that stand for something of a function's own inside it."""
        if function not in self._own_names:
            self._own_names[function] = _own_names(function)
        return self._own_names[function]


class _Access(NamedTuple):
    """A chain of attributes and items as far as it is written, and where: in these functions, perhaps sometimes."""

    node: ast.Attribute | ast.Subscript
    sometimes: bool
    functions: tuple[ast.AST, ...]


def _accesses(part: ast.AST) -> dict[str, list[_Access]]:
    """Return what a piece of code reads or writes, by the name that each chain begins with."""
    found: dict[str, list[_Access]] = {}
    waiting: list[tuple[ast.AST, bool, tuple[ast.AST, ...]]] = [(part, False, ())]
    while waiting:
        node, sometimes, functions = waiting.pop()
        if isinstance(node, ast.Subscript | ast.Attribute):
            root: ast.AST = node
            while isinstance(root, ast.Subscript | ast.Attribute):
                if isinstance(root, ast.Subscript):
                    waiting.append((root.slice, sometimes, functions))
                root = root.value
            if isinstance(root, ast.Name):
                found.setdefault(root.id, []).append(_Access(node, sometimes, functions))
            else:
                waiting.append((root, sometimes, functions))
            continue
        inside = (*functions, node) if node is not part and isinstance(node, _FUNCTIONS) else functions
        always = _always(node)
        # What is called is a method and no key.
        method = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        for child in ast.iter_child_nodes(node):
            written = method.value if method is not None and child is method else child
            waiting.append((written, sometimes or (always is not None and child not in always), inside))
    return found


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _own_names(function: ast.AST) -> frozenset[str]:
    assert isinstance(function, _FUNCTIONS)
    every = [*ast.walk(function)]
    declared = {name for one in every if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names}
    stored = {one.id for one in every if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return frozenset({one.arg for one in parameters(function)} | (stored - declared))


def _always(node: ast.AST) -> list[ast.AST] | None:
    """Return the parts of a node that run whenever it does; None where all do."""
    if isinstance(node, ast.If):
        return [node.test, *node.body] if is_main_test(node.test) else [node.test]
    if isinstance(node, ast.IfExp | ast.While):
        return [node.test]
    if isinstance(node, ast.BoolOp):
        return node.values[:1]  # type: ignore[return-value]
    if isinstance(node, ast.Try):
        return [*node.orelse, *node.finalbody]
    return None


def _chain(node: ast.expr, name: str) -> tuple[str, ...] | None:
    """Return the keys of ``name["a"]["b"].c``, as far as they are written; None for anything else."""
    keys: list[str] = []
    while dotted(node) != name:
        if isinstance(node, ast.Subscript):
            written = node.slice.value if isinstance(node.slice, ast.Constant) else None
            keys = [written, *keys] if isinstance(written, str) else []
            node = node.value
        elif isinstance(node, ast.Attribute):
            keys = [] if node.attr in _METHODS else [node.attr, *keys]
            node = node.value
        else:
            return None
    return tuple(keys)


def _keys_to(node: ast.expr, name: str) -> tuple[str, ...] | None:
    """Return the keys of ``name.a["b"]`` where all of them are written; None for anything else."""
    if dotted(node) == name:
        return ()
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    elif isinstance(node, ast.Attribute):
        key = node.attr
    else:
        return None
    above = _keys_to(node.value, name)
    return (*above, key) if above is not None and isinstance(key, str) else None
