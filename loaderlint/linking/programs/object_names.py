"""From name to name of one object in a program: what it is given to, handed to, kept in and taken out of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.programs.meanwhile import comes_after
from loaderlint.linking.programs.object_uses import ANY_KEY, SHOWS, Use, Uses
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance, Items, Made, Row, Thing, Unseen
from loaderlint.linking.workers.top_level import imported
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, Place, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_NAMES
from loaderlint.vocabulary.lifetimes import COPIES, GOES_THROUGH, GOES_THROUGH_PAIRED, PUTS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_GOES = GOES_THROUGH | GOES_THROUGH_PAIRED
HOLDS = (
    COPIES
    | _GOES
    | {"Namespace", "SimpleNamespace", "WeakSet", "WeakValueDictionary", "AttrDict", "EasyDict", "deque", "partial"}
)
"""What gives a container of what it is handed, by the last part of its name."""
_PUTS = PUTS | {"__setitem__", "put", "put_nowait", "register", "setdefault", "update"}
"""Methods that put what they are handed into what they are called on."""


BUILT_IN = frozenset({f"builtins.{name}" for name in ("bytearray", "dict", "list", "set", "sorted")})
"""What makes containers that Python has of its own."""
CONTAINERS = (
    BUILT_IN
    | {f"collections.{name}" for name in ("ChainMap", "OrderedDict", "UserDict", "UserList", "defaultdict", "deque")}
    | {f"{name}.{kind}" for name in ("queue", "multiprocessing") for kind in ("Queue", "SimpleQueue")}
    | {"queue.LifoQueue", "queue.PriorityQueue", "weakref.WeakSet", "weakref.WeakValueDictionary"}
)
"""What makes a container whose methods do nothing but put, or take (docs.python.org, the pages of these modules)."""


class Name(NamedTuple):
    """A name that an object has in a scope; what changes it as a ``whole`` matters, or a part of it alone.

    One that is ``added_to`` in place is the same object after ``+=``. One that is an ``element`` may be a mere number,
    which no call changes that is handed it; those of an array are arrays. It may be the name of a container that the
    object is ``held`` in, by this key. Nothing changes it that comes before the place where it is ``handed`` on.
    """

    facts: PythonFacts
    scope: Scope
    name: str
    whole: bool
    added_to: bool = False
    element: bool = False
    held: str | None = None
    is_array: bool = False
    handed: Place | None = None

    def is_handed_later(self, node: ast.expr) -> bool:
        """Return whether it is only handed on after something is done with it, each time."""
        scope = self.scope
        if self.handed is None or self.handed.scope is not scope or innermost(scope, node) is not scope:
            return False
        return "." not in self.name and not comes_after(place_in(scope, node), self.handed)

    def stays(self, *, element: bool) -> bool:
        """Return whether what is added to another name of it, or of an element, is added to it."""
        return self.added_to and (self.is_array or not element)


class _Taken(NamedTuple):
    """What a function, or a class, calls what it is handed."""

    facts: PythonFacts
    scope: Scope
    name: str


class Following:
    """From name to name of one object, in the files of a program."""

    def __init__(self, evaluator: Evaluator, parts: Set[str], files: Sequence[PythonFacts]) -> None:
        self._evaluator = evaluator
        self._files = files
        self._uses = Uses(parts)

    def uses(self, one: Name) -> Iterator[Use]:
        """Yield where an object is used, with what functions of the project give back when they are handed it."""
        scope = one.scope.node
        named = self._uses.of_name(scope, one.name, one.held, whole=one.whole)
        waiting = [use for use in named if not _is_hidden(one, innermost(one.scope, use.node))]
        for use in waiting:
            yield use
            match use.around:
                case [ast.Call() as call, *_] if use.node is not call.func:
                    key = ANY_KEY
                case [ast.keyword(arg=name), ast.Call() as call, *_]:
                    key = name or ANY_KEY
                case _:
                    continue
            if any(map(self._is_given_back, self._taken(one, use))):
                waiting.extend(self._uses.of(scope, call, part=use.part, element=use.element, held=use.held))
            elif self._is_held_by(one, call):
                held = key if use.held is None else ANY_KEY
                waiting.extend(self._uses.of(scope, call, part=use.part, held=held, whole=one.whole))

    def _is_given_back(self, taken: _Taken) -> bool:
        uses = self._uses.of_name(taken.scope.node, taken.name) if taken.scope.is_function else ()
        return any(isinstance(one.around[0], ast.Return | ast.Lambda) for one in uses)

    def _is_held_by(self, one: Name, call: ast.Call) -> bool:
        """Return whether what a call gives is a container of what it is handed."""
        if called_name(call) in HOLDS:
            return True
        return any(
            isinstance(each, Made) and each.callee == "collections.namedtuple"
            for each in self._things(call.func, Frame(one.facts, place_in(one.scope, call)))
        )

    def _things(self, node: ast.expr, frame: Frame) -> Sequence[Thing]:
        with self._evaluator.steps(STEPS):
            return [one.thing for one in self._evaluator.evaluate(node, frame)]

    def others(self, one: Name, use: Use) -> Iterator[Name]:
        """Yield the other names that an object gets where its own stands: parameters, attributes, further names."""
        whole, inner = one.whole or use.part, innermost(one.scope, use.node)
        for name, element in _given(use):
            if element and use.held and not isinstance(use.around[0], ast.Attribute):
                # What is gone through of a container that has a name for it are names, or nothing of it.
                continue
            added = one.stays(element=use.element or element)
            held = None if element else use.held
            of_parts = whole or (element and use.held is None)
            yield Name(
                one.facts,
                holder(inner, name),
                name,
                of_parts,
                added,
                element=one.element or (element and use.held is None),
                held=held,
                is_array=one.is_array,
            )
        yield from self._holding(one, use, seen=True)
        for taken in self._taken(one, use):
            added = one.stays(element=use.element)
            yield Name(*taken, whole, added, element=one.element, held=use.held, is_array=one.is_array)

    def _holding(self, one: Name, use: Use, *, seen: bool) -> Iterator[Name]:
        """Yield the containers that an object is put into, those that were ``seen`` to be some, or those that were not.

        What others do that methods of containers are called may be anything: ``scaler.update(rows)``.
        """
        whole = one.whole or use.part
        for owner, name, key in _put_into(use):
            if next(imported(one.scope, name.partition(".")[0]), None):
                continue
            if (owner is None or self._is_container(one, owner)) is seen:
                scope = holder(one.scope, name)
                yield Name(one.facts, scope, name, whole, one.added_to, held=key, is_array=one.is_array)

    def _is_container(self, one: Name, owner: ast.expr) -> bool:
        """Return whether an expression, or all that its name is given, is seen to be a container."""
        name = dotted(owner) or ""
        given = [each for each in holder(one.scope, name).bindings.get(name, ()) if each.kind not in MUTATIONS]
        if given and all(each.kind == "assign" and each.value is not None for each in given):
            return all(self._is_seen(each.value, Frame(one.facts, each.place)) for each in given if each.value)
        return self._is_seen(owner, Frame(one.facts, place_in(one.scope, owner)))

    def _is_seen(self, node: ast.expr, frame: Frame) -> bool:
        things = self._things(node, frame)
        return bool(things) and all(
            isinstance(each, Items | Row) or (isinstance(each, Made) and each.callee in CONTAINERS) for each in things
        )

    def beside(self, one: Name, use: Use) -> Iterator[Name]:
        """Yield what functions of the project call an object that they may be handed by what runs them: ``map``.

        What may be a container of it is among them.
        """
        yield from self._holding(one, use, seen=False)
        yield from (Name(*taken, one.whole or use.part, element=True) for taken in self._beside(one, use))

    def _taken(self, one: Name, use: Use) -> Iterator[_Taken]:
        """Yield the functions of the project that are handed an object, with the names of their parameters."""
        match use.around:
            case [ast.Call() as call, *_] if use.node in call.args:
                taken_as: int | str = call.args.index(use.node)
            case [ast.keyword(arg=str(keyword)), ast.Call() as call, *_]:
                taken_as = keyword
            case _:
                return
        for thing in self._things(call.func, Frame(one.facts, place_in(one.scope, call))):
            function = classes.constructor(self._evaluator, thing) if isinstance(thing, Class) else thing
            if isinstance(function, Function) and isinstance(function.node, FunctionNode):
                taken = [each.arg for each in parameters(function.node)][function.owner is not None :]
                names = taken[taken_as : taken_as + 1] if isinstance(taken_as, int) else [taken_as]
                yield from (_Taken(function.facts, function.scope, name) for name in names)
            elif isinstance(thing, Class):
                names = [name for name, _ in classes.fields(thing)]
                kept = names[taken_as : taken_as + 1] if isinstance(taken_as, int) else [taken_as]
                yield from (_Taken(thing.facts, thing.scope, f"self.{name}") for name in kept if name in names)

    def _beside(self, one: Name, use: Use) -> Iterator[_Taken]:
        match use.around:
            case [ast.Call() as call, *_] if use.node is not call.func:
                pass
            case [ast.keyword(), ast.Call() as call, *_]:
                pass
            case [ast.Attribute(value=owner), ast.Call() as call, *_] if owner is use.node:
                pass
            case _:
                return
        if called_name(call) in LOADER_NAMES:
            return
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            if argument is use.node or not isinstance(argument, ast.Name | ast.Attribute | ast.Lambda):
                continue
            for thing in self._things(argument, Frame(one.facts, place_in(one.scope, call))):
                if isinstance(thing, Function):
                    taken = [each.arg for each in parameters(thing.node)][thing.owner is not None :]
                    yield from (_Taken(thing.facts, thing.scope, name) for name in taken)

    def kept_by(self, one: Name) -> Iterator[Name]:
        """Yield what an attribute of an object is called by its own class: ``self.rows``."""
        owner, _, attribute = one.name.rpartition(".")
        if not owner or owner == "self" or not attribute:
            return
        node = next((node for node, _ in one.facts.attributes.get(attribute, ()) if dotted(node) == one.name), None)
        if node is None:
            return
        scope = innermost(one.facts.module, node)
        for thing in self._things(node.value, Frame(one.facts, place_in(scope, node))):
            for each in classes.lineage(self._evaluator, thing.of) if isinstance(thing, Instance) else ():
                yield one._replace(facts=each.facts, scope=each.scope, name=f"self.{attribute}")

    def held_as(self, one: Name) -> Iterator[Name]:
        """Yield what an attribute of the objects of a class is called outside of it: ``holder.rows``.

        What is not seen to be another object may be one of them, but for what a class says of its own.
        """
        if not (one.scope.is_class and one.name.startswith("self.")):
            return
        attribute = one.name.partition(".")[2]
        if attribute in SHOWS:
            return
        asked: set[tuple[int, str]] = set()
        for facts in self._files:
            for node, _ in facts.attributes.get(attribute, ()):
                name = dotted(node)
                if name not in (None, one.name):
                    scope = innermost(facts.module, node)
                    if (id(scope), name) in asked:
                        continue
                    asked.add((id(scope), name))
                    if self._is_object_of(node.value, Frame(facts, place_in(scope, node)), one.scope):
                        yield one._replace(facts=facts, scope=scope, name=name)

    def _is_object_of(self, node: ast.expr, frame: Frame, owner: Scope) -> bool:
        things = self._things(node, frame)
        own = isinstance(node, ast.Name) and classes.class_around(frame, node.id) is not None
        if not own and any(isinstance(one, Unseen) and one.something for one in things):
            return True
        objects = (one for one in things if isinstance(one, Instance))
        return any(each.scope is owner for one in objects for each in classes.lineage(self._evaluator, one.of))


def _given(use: Use) -> Iterator[tuple[str, bool]]:
    """Yield the names that are given what an expression stands for, and whether an element of that alone."""
    node = use.node
    match use.around:
        case [ast.Assign(targets, value), *_] if value is node:
            given = [(target, False) for target in targets]
        case [ast.AnnAssign(target, _, value) | ast.NamedExpr(target, value), *_] if value is node:
            given = [(target, False)]
        case [
            ast.For(target, iterated) | ast.AsyncFor(target, iterated) | ast.comprehension(target, iterated),
            *_,
        ] if iterated is node:
            given = [(target, True)]
        case [
            ast.Call(ast.Name(name)),
            ast.For(target) | ast.AsyncFor(target) | ast.comprehension(target),
            *_,
        ] if name in _GOES:
            given = [(target, True)]
        case [
            ast.Attribute(attr=name),
            ast.Call(),
            ast.For(target) | ast.AsyncFor(target) | ast.comprehension(target),
            *_,
        ] if name in _GOES:
            given = [(target, True)]
        case [ast.Tuple(values) | ast.List(values), ast.Assign(targets), *_]:
            given = [(one, False) for target in targets for one in _paired(target, values, node)]
        case _:
            return
    for target, element in given:
        inner = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        names = (dotted(one.value if isinstance(one, ast.Starred) else one) for one in inner)
        yield from ((name, element or inner[0] is not target) for name in names if name)


def _put_into(use: Use) -> Iterator[tuple[ast.expr | None, str, str]]:
    """Yield the names of the containers, and objects, that an object is put into where it stands, each with the key.

    Where a method puts it there, what that is called on stands first: no other may know the method.
    """
    node = use.node
    match use.around:
        case [ast.Assign(targets, value), *_] if value is node:
            for target in targets:
                match target:
                    case ast.Subscript(owner, ast.Constant(str(key))):
                        yield from ((None, name, key) for name in _container(owner))
                    case ast.Subscript(owner):
                        yield from ((None, name, ANY_KEY) for name in _container(owner))
                    case ast.Attribute(ast.Name(name), key) if name != "self":
                        yield None, name, key
        case [ast.Call(ast.Attribute(owner, name)) as call, *_] if name in _PUTS and node in call.args:
            yield from ((owner, name, ANY_KEY) for name in _container(owner))
        case [ast.keyword(arg=key), ast.Call(ast.Attribute(owner, "update")), *_]:
            yield from ((owner, name, key or ANY_KEY) for name in _container(owner))


def _container(node: ast.expr) -> Iterator[str]:
    """Yield the name of what an expression takes containers out of: ``self.groups`` in ``self.groups[key].inner()``."""
    while dotted(node) is None:
        match node:
            case ast.Subscript(owner) | ast.Attribute(owner) | ast.Call(ast.Attribute(owner)):
                node = owner
            case _:
                return
    yield dotted(node) or ""


def _paired(target: ast.expr, values: Sequence[ast.expr], node: ast.expr) -> Iterator[ast.expr]:
    """Yield what one of several values is given to: ``first`` in ``first, second = rows, 2``."""
    if isinstance(target, ast.Tuple | ast.List) and len(target.elts) == len(values):
        yield from (one for one, value in zip(target.elts, values, strict=True) if value is node)


def holder(scope: Scope, name: str) -> Scope:
    """Return the scope in which a name is looked for: where it is bound, the class for an attribute of its objects."""
    first, above = name.partition(".")[0], scope.parent
    if first == "self" and "." in name and above is not None and above.is_class:
        return above
    around: Scope | None = scope
    while around is not None:
        bound = any(one.kind not in MUTATIONS for one in around.bindings.get(first, ()))
        if bound and first not in around.outer_names and (around is scope or not around.is_class):
            return around
        around = around.parent
    return scope


def _is_hidden(one: Name, inner: Scope) -> bool:
    """Return whether a function inside of a scope has something else of its own by the same name."""
    first, around = one.name.partition(".")[0], inner
    while around is not one.scope and around.parent is not None:
        if not around.is_class and first in around.bindings and first not in around.outer_names and "." not in one.name:
            return any(binding.kind not in MUTATIONS for binding in around.bindings[first])
        around = around.parent
    return False


def innermost(scope: Scope, node: ast.expr | ast.stmt | ast.ExceptHandler) -> Scope:
    """Return the innermost function of a scope that an expression, or a statement, stands in."""
    for child in scope.children:
        if not isinstance(child.node, ast.Module):
            first, last = child.node.lineno, child.node.end_lineno or 0
            # Beside a lambda there is more in its lines.
            if first <= node.lineno <= last and (
                not isinstance(child.node, ast.Lambda) or node in nodes_of(child.node)
            ):
                return innermost(child, node)
    return scope
