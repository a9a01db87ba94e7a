"""What a program does, while a loader is iterated, with the objects that its data set was made of.

A list, an array or a table that others have as well is followed from name to name: to what it is given to, what views
it, the functions of the project that are handed it, and the attributes that these keep it in. It changes where what is
done with one of these names is known to change it, or is a call whose result nobody takes and that is none of a report.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.programs.object_uses import SHOWS, Use, Uses
from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance, Items, Made, Row, Thing, Unseen
from loaderlint.linking.workers.top_level import full_name, touch_at
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Touch
from loaderlint.model.setting_names import words_of
from loaderlint.model.setting_words import CHANGES_ITS_ARGUMENT, HARMLESS_REPORTS, MUTATORS, REPORTING_LIBRARIES, words
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import GOES_THROUGH, GOES_THROUGH_PAIRED, VIEWS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_NAMES = 60
"""Names that one object has in a program; where it has more, what is done with it is not known."""
_CONTAINERS = frozenset({f"builtins.{name}" for name in ("bytearray", "dict", "list", "set", "sorted")})
_STAY = ("argparse.", "builtins.", "pathlib.", "os.", "torch.device", "torchvision.transforms")
"""What makes things that stay as they are, or of which `names_written` knows what is set."""
_IN_PLACE = "inplace"
_UNARY = words("""
    abs absolute arccos arcsin arctan cbrt ceil cos cosh deg2rad exp exp2 expm1 fabs floor invert isfinite isinf isnan
    log log10 log1p log2 logical_not negative positive rad2deg reciprocal rint sign sin sinh sqrt square tan tanh trunc
""")
_BINARY = words("""
    add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide equal floor_divide fmax fmin fmod greater
    greater_equal hypot left_shift less less_equal logaddexp logical_and logical_or logical_xor maximum minimum mod
    multiply not_equal power remainder right_shift subtract true_divide
""")
_GOES = GOES_THROUGH | GOES_THROUGH_PAIRED
_OUT: Mapping[str, int] = {"clip": 3, "matmul": 2, "dot": 2, **dict.fromkeys(_UNARY, 1), **dict.fromkeys(_BINARY, 2)}
"""Which argument of a function of NumPy gets the result (numpy.org, "Universal functions", and their own pages)."""


class Maker(NamedTuple):
    """A call that made what was sent; its ``own`` code, in the project, says what samples read of it."""

    call: ast.Call
    frame: Frame
    own: bool


class _Name(NamedTuple):
    """A name that an object has in a scope; what changes it as a ``whole`` matters, or a part of it alone.

    One that is ``added_to`` in place is the same object after ``+=``. One that is an ``element`` may be a mere number,
    which no call changes that is handed it.
    """

    facts: PythonFacts
    scope: Scope
    name: str
    whole: bool
    added_to: bool = False
    element: bool = False


def used_beside(
    evaluator: Evaluator,
    made: Sequence[Maker],
    parts: Set[str],
    iterated: WhileIterated,
    files: Sequence[PythonFacts],
) -> Iterator[Touch]:
    """Yield what may change, while a loader is iterated, what was sent, or what that was made of.

    ``parts`` are the names of what samples read of objects. An object of more names than are looked at may change.
    """
    following = _Following(evaluator, parts, files)
    waiting = [one for maker in made for one in (*_itself(maker), *_handed(evaluator, maker))]
    seen: set[tuple[int, str]] = set()
    while waiting:
        one = waiting.pop(0)
        if (id(one.scope), one.name) in seen:
            continue
        if len(seen) == _MOST_NAMES:
            yield touch_at(one.facts, _first(one))
            return
        seen.add((id(one.scope), one.name))
        waiting.extend(following.held_as(one))
        for use in following.uses(one):
            others = list(following.others(one, use))
            # What a function of the project does with it is looked for there.
            matters = not others and (one.whole or use.part) and _changes(one, use)
            if matters and iterated.holds(one.facts, _innermost(one.scope, use.node), use.node):
                is_method = isinstance(use.around[0], ast.Attribute) and isinstance(use.around[1], ast.Call)
                yield touch_at(one.facts, use.around[1] if is_method else use.around[0])
            waiting.extend(others)


def _first(one: _Name) -> ast.AST:
    named = (node for node in nodes_of(one.scope.node) if isinstance(node, ast.expr) and dotted(node) == one.name)
    return next(named, one.scope.node)


def _itself(maker: Maker) -> Iterator[_Name]:
    """Yield the names of what a call made, of which parts may be changed."""
    scope = maker.frame.scope
    for name, bindings in scope.bindings.items() if maker.own else ():
        if any(one.value is maker.call for one in bindings):
            yield _Name(maker.frame.facts, _holder(scope, name), name, whole=False)


def _handed(evaluator: Evaluator, maker: Maker) -> Iterator[_Name]:
    """Yield the names of what may be changed in place of all that an object was made of."""
    call, frame = maker.call, maker.frame
    for seen in _sources(frame.scope, [*call.args, *(one.value for one in call.keywords)]):
        name = dotted(seen) or ""
        with evaluator.steps(STEPS):
            things = [one.thing for one in evaluator.evaluate(seen, frame)]
        if any(map(_may_change, things)):
            added_to = any(isinstance(one, Items | Row) or _is_array(one) for one in things)
            yield _Name(frame.facts, _holder(frame.scope, name), name, whole=True, added_to=added_to)
        elif any(isinstance(one, Instance) for one in things):
            yield _Name(frame.facts, _holder(frame.scope, name), name, whole=False)


def _sources(scope: Scope, arguments: Sequence[ast.expr]) -> Iterator[ast.expr]:
    """Yield the names of what arguments are, are views of, or are lists of, and of what these are in turn."""
    waiting, names = list(arguments), set[str]()
    for argument in waiting:
        seen = _seen_through(scope, argument)
        match seen:
            case ast.List(several) | ast.Tuple(several) | ast.BoolOp(values=several):
                waiting.extend(several)
            case ast.IfExp(_, body, orelse):
                waiting += [body, orelse]
            case ast.Starred(inner) | ast.NamedExpr(_, inner):
                waiting.append(inner)
        name = dotted(seen)
        if name and name not in names:
            names.add(name)
            yield seen
            bindings = scope.bindings.get(name, ())
            waiting += [one.value for one in bindings if one.value is not None and one.kind == "assign"]


def _may_change(thing: Thing) -> bool:
    """Return whether a thing is one of those that are changed in place."""
    if isinstance(thing, Made):
        return thing.callee in _CONTAINERS or not thing.callee.startswith(_STAY)
    return isinstance(thing, Items | Row) or (isinstance(thing, Unseen) and thing.something)


def _is_array(thing: Thing) -> bool:
    return isinstance(thing, Made) and (thing.callee in _CONTAINERS or thing.callee.startswith(("numpy.", "torch.")))


def _seen_through(scope: Scope, node: ast.expr) -> ast.expr:
    """Return what an expression is a view of: ``table`` in ``torch.from_numpy(table)[0].data``."""
    while True:
        match node:
            case ast.Call(ast.Attribute(owner, name), arguments) if name in VIEWS:
                of_library = full_name(scope, dotted(owner) or "").startswith(("numpy", "torch"))
                if of_library and not arguments:
                    return node
                node = arguments[0] if of_library else owner
            case ast.Attribute(value=owner, attr="data" | "T") | ast.Subscript(value=owner):
                node = owner
            case _:
                return node


def _changes(one: _Name, use: Use) -> bool:
    """Return whether what stands around an object is not known to leave it as it is."""
    node, first = use.node, use.around[0]
    outer = use.around[1] if len(use.around) > 1 else None
    match first:
        case ast.Subscript(value, ctx=context) | ast.Attribute(value, ctx=context) if value is node:
            if not isinstance(context, ast.Load):
                return not _is_named(first)
            if isinstance(first, ast.Attribute) and isinstance(outer, ast.Call) and outer.func is first:
                if first.attr == "update" and not outer.args and all(one.arg for one in outer.keywords):
                    return False
                if _is_in_place(outer):
                    return True
                ignored = not one.element and len(use.around) > 2 and isinstance(use.around[2], ast.Expr)
                return _method_changes(first.attr, ignored=ignored)
        case ast.keyword(arg="out"):
            return True
        case ast.AugAssign(target) if target is node:
            return one.added_to
        case ast.Call() if node in first.args:
            name = full_name(one.scope, dotted(first.func) or called_name(first))
            if name in CHANGES_ITS_ARGUMENT or _is_in_place(first) or _ends_in_place(name):
                return first.args[0] is node
            if name.startswith("numpy.") and _OUT.get(name.rpartition(".")[2]) == first.args.index(node):
                return True
            return isinstance(outer, ast.Expr) and not one.element and not _reports(name)
    return False


def _is_in_place(call: ast.Call) -> bool:
    """Return whether a call is told to change what it is given: ``relu(rows, inplace=True)``."""
    told = (one.value for one in call.keywords if one.arg == _IN_PLACE)
    return any(not (isinstance(one, ast.Constant) and not one.value) for one in told)


def _ends_in_place(name: str) -> bool:
    """Return whether a name is that of what changes something in place, as torch has it: ``torch.clamp_``."""
    return name.endswith("_") and not name.endswith("__")


def _is_named(node: ast.Attribute | ast.Subscript) -> bool:
    """Return whether what is set has a name, by which `names_written` knows it."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key is None or (isinstance(key, ast.Constant) and isinstance(key.value, str))


def _method_changes(name: str, *, ignored: bool) -> bool:
    if name in MUTATORS or _ends_in_place(name):
        return True
    return ignored and words_of(name)[0] not in HARMLESS_REPORTS


def _reports(name: str) -> bool:
    first, last = name.partition(".")[0], name.rpartition(".")[2]
    return first in REPORTING_LIBRARIES or first in ("logging", "logger") or words_of(last)[0] in HARMLESS_REPORTS


class _Following:
    """From name to name of one object, in the files of a program."""

    def __init__(self, evaluator: Evaluator, parts: Set[str], files: Sequence[PythonFacts]) -> None:
        self._evaluator = evaluator
        self._files = files
        self._uses = Uses(parts)

    def uses(self, one: _Name) -> Iterator[Use]:
        """Yield where an object is used, with what functions of the project give back when they are handed it."""
        named = self._uses.of_name(one.scope.node, one.name)
        waiting = [use for use in named if not _is_hidden(one, _innermost(one.scope, use.node))]
        for use in waiting:
            yield use
            call = use.around[1] if isinstance(use.around[0], ast.keyword) else use.around[0]
            if isinstance(call, ast.Call) and any(self._is_given_back(*taken) for taken in self._taken(one, use)):
                waiting.extend(self._uses.of(one.scope.node, call, part=use.part, element=use.element))

    def _is_given_back(self, function: Function, name: str) -> bool:
        uses = self._uses.of_name(function.node, name)
        return any(isinstance(one.around[0], ast.Return | ast.Lambda) for one in uses)

    def others(self, one: _Name, use: Use) -> Iterator[_Name]:
        """Yield the other names that an object gets where its own stands: parameters, attributes, further names."""
        whole = one.whole or use.part
        for name, element in _given(use):
            added = one.added_to and not use.element and not element
            yield _Name(
                one.facts, _holder(one.scope, name), name, whole or element, added, element=one.element or element
            )
        for function, name in self._taken(one, use):
            added = one.added_to and not use.element
            yield _Name(function.facts, function.scope, name, whole, added, element=one.element)

    def _taken(self, one: _Name, use: Use) -> Iterator[tuple[Function, str]]:
        """Yield the functions of the project that are handed an object, with the names of their parameters."""
        match use.around:
            case [ast.Call() as call, *_] if use.node in call.args:
                taken_as: int | str = call.args.index(use.node)
            case [ast.keyword(arg=str(keyword)), ast.Call() as call, *_]:
                taken_as = keyword
            case _:
                return
        evaluator = self._evaluator
        with evaluator.steps(STEPS):
            found = [each.thing for each in evaluator.evaluate(call.func, Frame(one.facts, place_in(one.scope, call)))]
        for thing in found:
            function = classes.constructor(evaluator, thing) if isinstance(thing, Class) else thing
            if isinstance(function, Function) and isinstance(function.node, FunctionNode):
                taken = [each.arg for each in parameters(function.node)][function.owner is not None :]
                names = taken[taken_as : taken_as + 1] if isinstance(taken_as, int) else [taken_as]
                yield from ((function, name) for name in names)

    def held_as(self, one: _Name) -> Iterator[_Name]:
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
                    scope = _innermost(facts.module, node)
                    if (id(scope), name) in asked:
                        continue
                    asked.add((id(scope), name))
                    if self._is_object_of(node.value, Frame(facts, place_in(scope, node)), one.scope):
                        yield _Name(facts, scope, name, one.whole, one.added_to, element=one.element)

    def _is_object_of(self, node: ast.expr, frame: Frame, owner: Scope) -> bool:
        with self._evaluator.steps(STEPS):
            things = [one.thing for one in self._evaluator.evaluate(node, frame)]
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
        case [ast.For(target, iterated) | ast.AsyncFor(target, iterated), *_] if iterated is node:
            given = [(target, True)]
        case [ast.Call(ast.Name(name)), ast.For(target) | ast.AsyncFor(target), *_] if name in _GOES:
            given = [(target, True)]
        case [ast.Attribute(attr=name), ast.Call(), ast.For(target) | ast.AsyncFor(target), *_] if name in _GOES:
            given = [(target, True)]
        case [ast.Tuple(values) | ast.List(values), ast.Assign(targets), *_]:
            given = [(one, False) for target in targets for one in _paired(target, values, node)]
        case _:
            return
    for target, element in given:
        inner = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        names = (dotted(one.value if isinstance(one, ast.Starred) else one) for one in inner)
        yield from ((name, element or inner[0] is not target) for name in names if name)


def _paired(target: ast.expr, values: Sequence[ast.expr], node: ast.expr) -> Iterator[ast.expr]:
    """Yield what one of several values is given to: ``first`` in ``first, second = rows, 2``."""
    if isinstance(target, ast.Tuple | ast.List) and len(target.elts) == len(values):
        yield from (one for one, value in zip(target.elts, values, strict=True) if value is node)


def _holder(scope: Scope, name: str) -> Scope:
    """Return the scope in which a name is looked for: that of the class where it is an attribute of its objects."""
    around = scope.parent
    return around if name.startswith("self.") and around is not None and around.is_class else scope


def _is_hidden(one: _Name, inner: Scope) -> bool:
    """Return whether a function inside of a scope has something else of its own by the same name."""
    first, around = one.name.partition(".")[0], inner
    while around is not one.scope and around.parent is not None:
        if not around.is_class and first in around.bindings and first not in around.outer_names and "." not in one.name:
            return any(binding.kind not in MUTATIONS for binding in around.bindings[first])
        around = around.parent
    return False


def _innermost(scope: Scope, node: ast.expr) -> Scope:
    """Return the innermost function of a scope that an expression stands in."""
    for child in scope.children:
        if not isinstance(child.node, ast.Module):
            first, last = child.node.lineno, child.node.end_lineno or 0
            # Beside a lambda there is more in its lines.
            if first <= node.lineno <= last and (
                not isinstance(child.node, ast.Lambda) or node in nodes_of(child.node)
            ):
                return _innermost(child, node)
    return scope
