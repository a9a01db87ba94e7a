"""Dictionaries that a project's own decorators put what they decorate into, under a name that they are given.

So the registries of many projects are written: ``@register("base")`` gives a function that does ``KINDS[name] = kind``,
and ``KINDS[name]`` or ``KINDS.get(name)`` finds the kind again. The dictionary is a module's, or an attribute of the
class that the decorator is a method of.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.following.configurations import registries
from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.things.kinds import Class, Frame, Function, Items, Possibilities, Possibility, end_of
from loaderlint.linking.things.lazily import overlaid
from loaderlint.linking.things.possibilities import one_of, unseen
from loaderlint.nodes import last_name
from loaderlint.readers.python import Binding, FunctionNode, PythonFacts, Scope, default_of, dotted, parameters
from loaderlint.readers.python_calls import without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


MOST_STEPS_OF_DECORATORS = 1000
"""Expressions followed to find out what decorators put away, of which none are charged to whoever asks."""


class _Entering(Struct, frozen=True, eq=False):
    """A statement that puts what is decorated into a dictionary, and the function that stands as the decorator."""

    decorator: Scope
    binding: Binding
    path: tuple[str, ...]
    """The keys that lead from the dictionary to the one inside it that is meant."""


class _Decorated(Struct, frozen=True, eq=False):
    """A function or class at the top of a file, and one of its decorators."""

    facts: PythonFacts
    binding: Binding
    decorator: ast.expr


def with_decorated(
    evaluator: Evaluator, found: Possibilities, facts: PythonFacts, name: str, owner: Class | None = None
) -> Possibilities:
    """Return what a dictionary of a module or class holds with what decorators put into it."""
    if not any(isinstance(one.thing, Items) for one in found):
        return found
    around = facts.module if owner is None else owner.scope
    for path, more in _entered_in(evaluator, facts, around, name, owner):
        found = tuple(_laid_in(one, path, more) for one in found)
    return found


_Entered: TypeAlias = tuple[tuple[str, ...], Mapping[str, Possibilities]]
"""What is put into a dictionary, or into one inside it, with the keys that lead there."""


def _entered_in(
    evaluator: Evaluator, facts: PythonFacts, around: Scope, name: str, owner: Class | None
) -> tuple[_Entered, ...]:
    nothing: tuple[_Entered, ...] = ()
    enters: tuple[_Entering, ...] = evaluator.once(
        ("entering", id(around), name), (), lambda: tuple(_entering(around, name, owner))
    )
    if not enters:
        return nothing
    return evaluator.once(
        ("decorated", id(around), name),
        nothing,
        lambda: tuple((one.path, more) for one in enters if (more := _entered(evaluator, one, facts))),
        MOST_STEPS_OF_DECORATORS,
    )


def is_registered(evaluator: Evaluator, node: ast.AST, facts: PythonFacts, scope: Scope) -> bool:
    """Return whether a decorator registers a function or class; who fetches it need not name it, but matters."""
    if not registries.is_registered(node):
        return False
    if scope.parent is not None:
        frame = Frame(facts, scope.defined or end_of(scope.parent))
        nowhere: frozenset[tuple[str, str]] = frozenset()
        fetching = evaluator.once(
            ("fetching", id(node)),
            nowhere,
            lambda: frozenset(_fetching(evaluator, node, frame)),
            MOST_STEPS_OF_DECORATORS,
        )
        evaluator.takers.update(path for path, _ in fetching)
        evaluator.mentioned.update(name for _, name in fetching)
    return True


def _fetching(evaluator: Evaluator, node: ast.AST, frame: Frame) -> Iterator[tuple[str, str]]:
    """Yield the functions that give what decorators of a function or class have put away: who calls them matters."""
    for decorator in node.decorator_list if isinstance(node, FunctionNode | ast.ClassDef) else ():
        for one in evaluator.evaluate(without_arguments(decorator), frame):
            scope = one.thing.scope if isinstance(one.thing, Function) else None
            if scope is None or scope.parent is None or not isinstance(one.thing, Function):
                continue
            words = {word for inside in (scope, *scope.children) for word in _put_under(inside)}
            for each in scope.parent.children if words else ():
                if _gives_what_is_under(each, words):
                    yield one.thing.facts.source.path, each.name


def _put_under(scope: Scope) -> Iterator[frozenset[str]]:
    """Yield what a scope calls each dictionary that it puts something into, with the keys that lead into that."""
    for name, bindings in scope.bindings.items():
        for one in bindings:
            if one.kind == "item" and one.value is not None:
                yield frozenset({name.rpartition(".")[2], *(key for key in one.keys if isinstance(key, str))})


def _gives_what_is_under(function: Scope, words: Iterable[frozenset[str]]) -> bool:
    """Return whether a function returns something out of one of these dictionaries."""
    for value, _ in function.returns:
        if value is not None:
            named = {read for one in ast.walk(value) if (read := _word(one)) is not None}
            if any(each <= named for each in words):
                return True
    return False


def _word(node: ast.AST) -> str | None:
    match node:
        case ast.Name(word) | ast.Attribute(attr=word) | ast.Constant(str(word)):
            return word
    return None


def _laid_in(one: Possibility, path: Sequence[str], more: Mapping[str, Possibilities]) -> Possibility:
    """Return a dictionary with what decorators put into it, or into one inside it.

    Files that were not read may hold more of what stands under such a decorator.
    """
    if not isinstance(one.thing, Items):
        return one
    items = one.thing
    if not path:
        return replace(one, thing=replace(items, entries=overlaid(items.entries, more), complete=False))
    inside = items.entries.get(path[0], ())
    filled = {path[0]: tuple(_laid_in(way, path[1:], more) for way in inside)} if inside else {}
    return replace(one, thing=replace(items, entries=overlaid(items.entries, filled)))


def _entering(around: Scope, name: str, owner: Class | None) -> Iterator[_Entering]:
    """Yield the statements of decorators that stand in a module or class which put something into a dictionary."""
    for function in around.children:
        if not isinstance(function.node, FunctionNode):
            continue
        receiver = receiver_in(function)
        known_as = [name] if owner is None else [f"{receiver}.{name}", f"{owner.node.name}.{name}"]
        own = [one.arg for one in parameters(function.node)][receiver is not None :]
        inside = [(one, [each.arg for each in _parameters(one)]) for one in function.children]
        for scope, taken in ((function, own), *inside):
            for binding in (one for each in known_as for one in scope.bindings.get(each, ())):
                path = [one for one in binding.keys if isinstance(one, str)]
                enters = binding.kind == "item" and len(path) == len(binding.keys) and binding.value is not None
                # A decorator is called with the one thing that it decorates.
                if enters and taken and dotted(binding.value) == taken[0] and not scope.bindings[taken[0]][1:]:
                    yield _Entering(function, binding, tuple(path))


def _parameters(scope: Scope) -> Iterable[ast.arg]:
    return parameters(scope.node) if isinstance(scope.node, FunctionNode) else ()


def _entered(evaluator: Evaluator, entering: _Entering, facts: PythonFacts) -> Mapping[str, Possibilities]:
    """Return what one statement puts into its dictionary, by the keys that were seen."""
    ways: dict[str, list[tuple[str, Possibilities]]] = {}
    for one in _all_decorated(evaluator).get(entering.decorator.name, ()):
        frame = Frame(one.facts, one.binding.place)
        callees = evaluator.evaluate(without_arguments(one.decorator), frame)
        if not any(isinstance(way.thing, Function) and way.thing.node is entering.decorator.node for way in callees):
            continue
        span = one.facts.span(one.binding.node)
        made = [way for way in evaluator.binding(one.binding, frame) if isinstance(way.thing, Function | Class)]
        for key in _key(evaluator, entering, one, frame) if made else ():
            if isinstance(key.thing, str):
                ways.setdefault(key.thing, []).append((str(span), tuple(made)))
    here = facts.span(entering.binding.node)
    # Which of two under one name is there at last depends on what is imported, and when.
    return {
        key: one_of(f"the {key} entered at {here}", every) if len(every) > 1 else every[0][1]
        for key, every in ways.items()
    }


def _key(evaluator: Evaluator, entering: _Entering, decorated: _Decorated, frame: Frame) -> Possibilities:
    """Return the key that something is put under: what its decorator is given, or its own name."""
    span = decorated.facts.span(decorated.decorator)
    key = entering.binding.key
    name = decorated.binding.name
    if isinstance(key, ast.Attribute) and key.attr in ("__name__", "__qualname__"):
        return (Possibility(name, span),)
    if isinstance(key, ast.BoolOp) and isinstance(key.op, ast.Or):
        key = key.values[0]
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return (Possibility(key.value, span),)
    node = entering.decorator.node
    if not isinstance(key, ast.Name) or not isinstance(node, FunctionNode):
        return unseen(span)
    taken = [one.arg for one in parameters(node)][receiver_in(entering.decorator) is not None :]
    if key.id not in taken:
        return unseen(span)
    given = _argument(decorated.decorator, taken, key.id)
    if given is None:
        default = default_of(node, key.id)
        # Without a name of its own it goes by the one that it has.
        return (
            (Possibility(name, span),) if isinstance(default, ast.Constant) and default.value is None else unseen(span)
        )
    return evaluator.evaluate(given, frame)


def _argument(decorator: ast.expr, taken: Sequence[str], name: str) -> ast.expr | None:
    """Return what a decorator is given for a parameter, None where it is left out."""
    if not isinstance(decorator, ast.Call):
        return None
    named = next((one.value for one in decorator.keywords if one.arg == name), None)
    position = taken.index(name)
    return decorator.args[position] if named is None and position < len(decorator.args) else named


def _all_decorated(evaluator: Evaluator) -> Mapping[str, Sequence[_Decorated]]:
    """Return everything at the top of a file that stands under a decorator, by the last name of that."""

    def found() -> Mapping[str, Sequence[_Decorated]]:
        every: dict[str, list[_Decorated]] = {}
        for facts in evaluator.project.all_python():
            for binding in (one for bindings in facts.module.bindings.values() for one in bindings):
                if isinstance(binding.node, FunctionNode | ast.ClassDef) and binding.kind in ("class", "function"):
                    for decorator in binding.node.decorator_list:
                        made = last_name(without_arguments(decorator))
                        every.setdefault(made, []).append(_Decorated(facts, binding, decorator))
        return every

    return evaluator.once(("all that is decorated",), {}, found)
