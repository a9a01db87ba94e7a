"""Whether worker code may change what its process keeps, which it meets in its next sample, or its next epoch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Frame, Function, Made, end_of
from loaderlint.linking.workers.aliased import is_collection
from loaderlint.linking.workers.cached_draws import keeps_what_is_drawn
from loaderlint.linking.workers.changed_samples import changes_samples
from loaderlint.linking.workers.made_once import drawn
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import CHANGES_BY_FUNCTION, ITERATORS, PUTS, TAKES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__", "__setstate__", "__getstate__", "__reduce__"})
_TAKES_OR_PUTS = frozenset(
    {
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "popleft",
        "read",
        "readline",
        "readlines",
        "remove",
        "reverse",
        "seek",
        "setdefault",
        "sort",
        "update",
        "__next__",
        "__setattr__",
    }
)
"""Methods that change the object they are called on, or how far it was read."""
_NEW = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)


def changes_in_workers(functions: Iterable[Function]) -> bool:
    """Return whether one of the functions may change anything that it did not make itself."""
    return any(
        isinstance(function.node, FunctionNode)
        and function.node.name not in _CONSTRUCTORS
        and any(not _is_new(function.node, owner) for owner in _changed(function.node))
        for function in functions
    )


def changes_tensors(evaluator: Evaluator, functions: Iterable[Function]) -> bool:
    """Return whether one of the functions may change a tensor in place that it did not make itself.

    What is nothing but lists, dictionaries and numbers wherever its class or module gives it a value is none.
    """
    known: dict[ast.AST, frozenset[str]] = {}
    for function in functions:
        if not isinstance(function.node, FunctionNode) or function.node.name in _CONSTRUCTORS:
            continue
        own = _own_names(function.node)
        for one in _written_into(function.node):
            if not _outlasts(own, one):
                continue
            owners = classes.lineage(evaluator, function.owner) if function.owner is not None else []
            scopes = (*(owner.scope for owner in owners), function.facts.module)
            for scope in scopes:
                if scope.node not in known:
                    known[scope.node] = _no_tensors(scope)
            if not any(dotted(one) in names for names in (known[scope.node] for scope in scopes)):
                return True
    return False


def _written_into(function: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions for what a function changes in place, if they are tensors."""
    for node in nodes_of(function):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield _without_keys(node)
        elif isinstance(node, ast.AugAssign):
            yield _without_keys(node.target)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name.endswith("_") and not name.endswith("__"):
                yield _without_keys(node.func.value)
            yield from (one.value for one in node.keywords if one.arg == "out")


def _no_tensors(scope: Scope) -> frozenset[str]:
    """Return the names of a module, or the attributes that a class has, whose values are all lists or numbers."""
    values: dict[str, list[ast.expr | None]] = {}
    for around in (scope, *(scope.children if scope.is_class else ())):
        for name, bindings in around.bindings.items():
            named = f"self.{name}" if around is scope and scope.is_class else name
            values.setdefault(named, []).extend(one.value for one in bindings if one.kind in ("assign", "unpack"))
    return frozenset(name for name, several in values.items() if several and all(map(_is_no_tensor, several)))


def _is_no_tensor(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Constant):
        return value.value is not None
    return value is not None and is_collection(value)


def remembers(evaluator: Evaluator, given: Mapping[str, Given], running: Mapping[str, Sequence[Function]]) -> bool:
    """Return whether what functions give, by option, may depend on how often they were called before, in one process.

    That is where they count (``self.given += 1``), collect or take away what does not belong to the sample asked for,
    and look at it, or look at what they keep of the sample before (``self.last = index``). What is kept by the sample's
    number, such as a cache, gives the same whatever came before; a sample that is changed where it is kept does not,
    nor what is kept of a sample where random numbers are drawn: an epoch that finds it there draws none.
    """
    functions = [one for functions in running.values() for one in functions]
    nodes = [one.node for one in functions if isinstance(one.node, FunctionNode)]
    called = [node for node in nodes if node.name not in _CONSTRUCTORS]
    ways = [evaluator.remembered(("goes on", node), None, partial(_going_on, node)) for node in called]
    moved = {one for every, _ in ways for one in every}
    looked_at = {one for _, every in ways for one in every}
    if any(name in looked_at or taken for name, taken in moved):
        return True
    if any(map(_counts_what_it_keeps, called)):
        return True
    if any(map(_keeps_by_key, called)) and any(True for one in functions for _ in drawn(one)):
        return True
    stored = ((one, value) for one in functions for value in _stored_by_key(one.node))
    if keeps_what_is_drawn(evaluator, functions, stored):
        return True
    if any(_goes_on(evaluator, one) or _is_told_by_decorators(evaluator, one) for one in functions):
        return True
    files = {one.facts.source.path: one.facts.source.text for one in functions}
    return any(_NUMBERS_WHAT_IS_NEW.search(text) for text in files.values()) or changes_samples(
        evaluator, given, running
    )


def _keeps_by_key(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function stores something under a key of what outlasts it."""
    own = _own_names(function)
    targets = (one for one in nodes_of(function) if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store))
    return any(_outlasts(own, one) for one in targets)


def _counts_what_it_keeps(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether what a function gives may hang on how much it has kept by keys so far: ``len(self.cache)``.

    One that is compared bounds a cache.
    """
    own = _own_names(function)
    kept = {
        _collection(one)
        for one in nodes_of(function)
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and _outlasts(own, one)
    }
    compared = {id(each) for node in nodes_of(function) if isinstance(node, ast.Compare) for each in nodes_of(node)}
    return bool(kept) and any(
        isinstance(node, ast.Call)
        and called_name(node) in _COUNTS
        and id(node) not in compared
        and any(ast.unparse(one) in kept for one in node.args)
        for node in nodes_of(function)
    )


_COUNTS = frozenset({"len", "list", "max", "min", "sorted", "sum"})
"""Functions whose result hangs on all that a collection has."""


def _stored_by_key(function: ast.AST) -> Iterator[ast.expr]:
    """Yield what a function stores under a key of what outlasts it: ``cache[index] = row``, ``setdefault``."""
    outlasts = partial(_outlasts, _own_names(function))
    for node in nodes_of(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                if any(isinstance(one, ast.Subscript) and outlasts(one) for one in targets):
                    yield value
            case ast.Call(ast.Attribute(value=of, attr="setdefault"), [_, value]) if outlasts(of):
                yield value


_SETS = frozenset({"setattr", "__setattr__"})
_NUMBERS_WHAT_IS_NEW = re.compile(
    r"\b__missing__\b|\bdefaultdict\(\s*(?:lambda\s*:\s*(?:len|next)\b|[\w.]+\.__(?:len|next)__)"
)
"""Dictionaries that give what they did not have so far a value that hangs on what they have."""


def _is_told_by_decorators(evaluator: Evaluator, function: Function) -> bool:
    """Return whether a decorator of the project's puts something around a function that may keep what came before."""
    node = function.node
    for decorator in node.decorator_list if isinstance(node, FunctionNode) else ():
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        with evaluator.steps(STEPS):
            found = evaluator.evaluate(called, Frame(function.facts, function.scope.defined or end_of(function.scope)))
        for one in found:
            if isinstance(one.thing, Function) and any(_may_keep(inner) for inner in nodes_of(one.thing.node)):
                return True
    return False


def _may_keep(node: ast.AST) -> bool:
    if isinstance(node, ast.AugAssign | ast.Nonlocal | ast.Global):
        return True
    if isinstance(node, ast.Attribute | ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Call) and called_name(node) in TAKES | PUTS | CHANGES_BY_FUNCTION


def _goes_on(evaluator: Evaluator, function: Function) -> bool:
    """Return whether a function goes on in an iterator where an earlier call left it."""
    own = _own_names(function.node)
    for expression, _, place in function.scope.iterations:
        if isinstance(expression, ast.Attribute | ast.Name) and _outlasts(own, expression):
            with evaluator.steps(STEPS):
                found = evaluator.evaluate(expression, Frame(function.facts, place, receiver=function.receiver))
            if any(isinstance(one.thing, Made) and one.thing.callee.startswith(ITERATORS) for one in found):
                return True
    return False


def _going_on(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[set[tuple[str, bool]], set[str]]:
    """Return what goes on with every call of a function (`_moved`), and what it looks at, as it is written."""
    return set(_moved(function)), set(map(ast.unparse, _looked_at(function)))


def _moved(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, bool]]:
    """Yield what goes on with every call of a function, as it is written, and whether the change itself looks at it."""
    outlasts = partial(_outlasts, _own_names(function))
    told = {id(node.value) for node in nodes_of(function) if isinstance(node, ast.Expr)}

    for node in nodes_of(function):
        if isinstance(node, ast.AugAssign) and outlasts(node.target):
            yield _collection(node.target), False
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target, value in _stored(node, node.value):
                if not outlasts(target):
                    continue
                if isinstance(target, ast.Subscript):
                    if not _worked_out_from(function, value).isdisjoint({ast.unparse(target), _collection(target)}):
                        yield _collection(target), False
                elif _keeps_what_was_asked(function, target, value, _read_until(node, target)):
                    yield ast.unparse(target), True
        elif isinstance(node, ast.Delete):
            yield from ((_collection(one), False) for one in node.targets if outlasts(one))
        elif isinstance(node, ast.Call):
            changed = _changed_by(node)
            if changed is not None and outlasts(changed[0]):
                yield ast.unparse(changed[0]), changed[1] and (id(node) not in told or called_name(node) in _SETS)


def _stored(node: ast.Assign | ast.AnnAssign, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a statement gives values to, each with its own where several stand on both sides."""
    waiting = [(one, value) for one in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    while waiting:
        match waiting.pop():
            case ((ast.Tuple(elts=to) | ast.List(elts=to)), of):
                several = isinstance(of, ast.Tuple | ast.List) and len(of.elts) == len(to)
                values = of.elts if isinstance(of, ast.Tuple | ast.List) and several else [of] * len(to)
                waiting.extend(zip(to, values, strict=True))
            case target, of:
                yield target, of


def _worked_out_from(function: ast.AST, value: ast.expr) -> set[str]:
    """Return what a value is worked out from, as it is written, itself or under names that were given before.

    What is stored under its name, as it was looked up, was mostly looked for first, and is new where it was not there:
    a cache.
    """
    stored = value.id if isinstance(value, ast.Name) else None
    given = [(name, one, at) for name, one, at in _given_names(function) if at < value.lineno]
    worked_out = [value] if stored is None else []
    waiting, seen = _names_in(value), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        ways = [one for known, one, _ in given if known == name]
        if name == stored and not _is_augmented(function, name):
            ways = [one for one in ways if not _is_looked_up(one)]
        worked_out += ways
        waiting |= {inner for one in ways for inner in _names_in(one)}
    return {text for one in worked_out for text in _read_in(one)}


def _given_names(function: ast.AST) -> Iterator[tuple[str, ast.expr, int]]:
    """Yield each name that gets a value in a function, with that value and its line."""
    for node in nodes_of(function):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            targets = [node.target]
        else:
            continue
        if node.value is not None:
            names = (one for target in targets for one in nodes_of(target) if isinstance(one, ast.Name))
            yield from ((one.id, node.value, node.lineno) for one in names if isinstance(one.ctx, ast.Store))


def _is_augmented(function: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name
        for node in nodes_of(function)
    )


def _is_looked_up(value: ast.expr) -> bool:
    """Return whether a value is taken out of a collection as it is: ``self.cache[index]``, ``cache.get(index)``."""
    return isinstance(value, ast.Subscript) or (isinstance(value, ast.Call) and called_name(value) == "get")


def _names_in(value: ast.expr) -> set[str]:
    return {one.id for one in nodes_of(value) if isinstance(one, ast.Name)}


def _read_in(value: ast.expr) -> set[str]:
    return {ast.unparse(one) for one in nodes_of(value) if isinstance(one, ast.Subscript | ast.Attribute | ast.Name)}


def _changed_by(call: ast.Call) -> tuple[ast.expr, bool] | None:
    """Return what a call changes, and whether what it gives back hangs on how often that was done before."""
    function, arguments = call.func, call.args
    name = called_name(call)
    if name in CHANGES_BY_FUNCTION and arguments:
        return arguments[0], name in TAKES
    if name == "next" and isinstance(function, ast.Name) and arguments:
        return arguments[0], True
    if name in _SETS and len(arguments) > 1:
        # Which attribute that is may be known to those alone who run it.
        return ast.Attribute(arguments[0], "", ast.Load()), True
    if isinstance(function, ast.Attribute) and name in TAKES | PUTS:
        return function.value, name in TAKES
    return None


def _own_names(function: ast.AST) -> frozenset[str]:
    """Return the names that a function takes or gives a value to, but for those that belong to what is around it."""
    own, outer = set[str](), set[str]()
    for one in nodes_of(function):
        match one:
            case ast.arg(name) | ast.Name(name, ast.Store() | ast.Del()):
                own.add(name)
            case ast.Global(names) | ast.Nonlocal(names):
                outer.update(names)
    return frozenset(own - outer)


def _outlasts(own: frozenset[str], node: ast.expr) -> bool:
    """Return whether something is kept by the object whose method this is, or by the module.

    ``own`` are the function's own names.
    """
    while isinstance(node, ast.Attribute | ast.Subscript):
        if _is_kept(node):
            return True
        node = node.value
    return isinstance(node, ast.Name) and node.id not in own


def _collection(target: ast.expr) -> str:
    """Return what is changed where a target gets another value, as it is written, without the key it is kept by."""
    return ast.unparse(_without_keys(target))


def _without_keys(target: ast.expr) -> ast.expr:
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _read_until(node: ast.Assign | ast.AnnAssign, target: ast.expr) -> tuple[int, int]:
    """Return the place up to which all is read before a target gets its value: of several, every value is."""
    if isinstance(node.value, ast.Tuple | ast.List):
        return node.value.end_lineno or 0, node.value.end_col_offset or 0
    return target.lineno, target.col_offset


def _keeps_what_was_asked(
    function: ast.FunctionDef | ast.AsyncFunctionDef, target: ast.expr, value: ast.expr, until: tuple[int, int]
) -> bool:
    """Return whether a value hangs on this call, or those before, and is stored where the function looked before.

    What is made once, of what the object itself says, such as a handle, is the same for all calls.
    """
    text = ast.unparse(target)
    made_anew = _unless_it_is_there(value, text)
    read = {ast.unparse(one) for one in nodes_of(made_anew) if isinstance(one, ast.Attribute | ast.Name)}
    if text in read:
        return True
    arguments = function.args
    taken = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)} - {"self", "cls"}
    made = {one.id for one in nodes_of(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    before = (one for one in _looked_at(function) if (one.lineno, one.col_offset) < until)
    return not read.isdisjoint(taken | made) and any(ast.unparse(one) == text for one in before)


def _unless_it_is_there(value: ast.expr, text: str) -> ast.expr:
    """Return what is stored where nothing is there yet: ``self.file = self.file or open(path)``."""
    match value:
        case ast.BoolOp(op=ast.Or(), values=[there, other]) if ast.unparse(there) == text:
            return other
        case ast.IfExp(body=there, orelse=other) | ast.IfExp(body=other, orelse=there) if ast.unparse(there) == text:
            return other
    return value


def _looked_at(function: ast.AST) -> Iterator[ast.expr]:
    """Yield the names and attributes that a function reads, but those it only changes."""
    changing = {
        id(node.func.value)
        for node in nodes_of(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKES | PUTS
    }
    for node in nodes_of(function):
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in changing:
            yield node


def _is_kept(node: ast.expr) -> bool:
    """Return whether something is an attribute of the object whose method this is, or of one of its attributes."""
    while isinstance(node, ast.Attribute):
        node = node.value
        if isinstance(node, ast.Name):
            return node.id == "self"
    return False


def _changed(function: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the expressions for what a function changes; None where that is a name outside it."""
    for node in nodes_of(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield node.value
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TAKES_OR_PUTS:
            yield node.func.value
        elif isinstance(node, ast.Call) and called_name(node) in CHANGES_BY_FUNCTION | {"next", "setattr"}:
            yield node.args[0] if node.args else None


def _is_new(function: ast.AST, owner: ast.expr | None) -> bool:
    """Return whether a name stands for nothing but displays of the function itself: ``sample = {}``."""
    if not isinstance(owner, ast.Name):
        return False
    stored = [
        node
        for node in nodes_of(function)
        if (isinstance(node, ast.Name) and node.id == owner.id and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.arg) and node.arg == owner.id)
    ]
    made = [
        target
        for node in nodes_of(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, _NEW)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id == owner.id
    ]
    return bool(stored) and len(stored) == len(made)
