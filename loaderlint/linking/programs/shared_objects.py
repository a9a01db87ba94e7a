"""What a program does, while a loader is iterated, with the objects that its data set was made of.

A list, an array or a table that others have as well is followed from name to name: to what it is given to, what views
it, the functions of the project that are handed it, and the attributes that these keep it in. It changes where what is
done with one of these names is known to change it, or is a call whose result nobody takes and that is none of a report.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.programs.object_names import BUILT_IN, HOLDS, Following, Name, holder, innermost
from loaderlint.linking.programs.object_uses import Use
from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.things.kinds import Frame, Instance, Items, Made, Row, Thing, Unseen
from loaderlint.linking.workers.top_level import full_name, meant_name, touch_at
from loaderlint.model.payload import Touch
from loaderlint.model.setting_names import words_of
from loaderlint.model.setting_words import CHANGES_ITS_ARGUMENT, HARMLESS_REPORTS, MUTATORS, REPORTING_LIBRARIES, words
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import VIEWS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_NAMES = 60
"""Names that one object has in a program; where it has more, what is done with it is not known."""
_MOST_LOOKED_AT = 150
"""Names after which those of what may be a mere number are looked at no more."""
_STAY = ("argparse.", "builtins.", "pathlib.", "os.", "torch.device", "torchvision.transforms")
"""What makes things that stay as they are, or of which `names_written` knows what is set."""
_SETTERS = frozenset({"__delattr__", "__delitem__", "__setattr__", "__setitem__", "delattr", "setattr"})
"""What sets the parts of what it is called on, or handed."""
_GIVES = ("assign", "loop")
"""Kinds of bindings that give a name what was made elsewhere, or one of several such things."""
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
_OUT: Mapping[str, int] = {"clip": 3, "matmul": 2, "dot": 2, **dict.fromkeys(_UNARY, 1), **dict.fromkeys(_BINARY, 2)}
"""Which argument of a function of NumPy gets the result (numpy.org, "Universal functions", and their own pages)."""


class Maker(NamedTuple):
    """A call that made what was sent; its ``own`` code, in the project, says what samples read of it."""

    call: ast.Call
    frame: Frame
    own: bool


def used_beside(
    evaluator: Evaluator,
    made: Sequence[Maker],
    around: Iterable[Name],
    parts: Set[str] | None,
    iterated: WhileIterated,
    files: Sequence[PythonFacts],
) -> Iterator[Touch]:
    """Yield what may change, while a loader is iterated, what was sent, or what that was made of.

    ``around`` are the names that code of workers reads of functions around it, ``parts`` are the names of what samples
    read of objects, None where they may read any. An object of more names than are looked at may change.
    """
    following = Following(evaluator, parts or frozenset(), files)
    waiting = [*around, *(one for maker in made for one in (*_itself(maker), *_handed(evaluator, maker)))]
    told = set[Touch]()
    names, seen = set[tuple[int, str]](), set[tuple[int, str, bool, str | None]]()
    while waiting:
        one = waiting.pop(0)
        known = (id(one.scope), one.name, one.whole, one.held)
        if known in seen:
            continue
        seen.add(known)
        if one.element and len(seen) > _MOST_LOOKED_AT:
            continue
        if not one.element:
            names.add(known[:2])
        if len(names) > _MOST_NAMES:
            yield touch_at(one.facts, _first(one))
            return
        waiting += [*following.held_as(one), *following.kept_by(one)]
        for use in following.uses(one):
            others = list(following.others(one, use))
            # What a function of the project does with it is looked for there.
            if use.held is None and not others and _matters(one, use, parts, iterated):
                is_method = isinstance(use.around[0], ast.Attribute) and isinstance(use.around[1], ast.Call)
                touch = touch_at(one.facts, use.around[1] if is_method else use.around[0])
                if touch not in told:
                    told.add(touch)
                    yield touch
            waiting += [*others, *following.beside(one, use)]


def _matters(one: Name, use: Use, parts: Set[str] | None, iterated: WhileIterated) -> bool:
    if _hands_on(one, use, iterated):
        return True
    if one.is_handed_later(use.node):
        return False
    return _changes(one, use, parts) and iterated.holds(one.facts, innermost(one.scope, use.node), use.node)


def _first(one: Name) -> ast.AST:
    named = (node for node in nodes_of(one.scope.node) if isinstance(node, ast.expr) and dotted(node) == one.name)
    return next(named, one.scope.node)


def _itself(maker: Maker) -> Iterator[Name]:
    """Yield the names of what a call made, of which parts may be changed."""
    scope = maker.frame.scope
    for name, bindings in scope.bindings.items() if maker.own else ():
        if any(one.value is maker.call for one in bindings):
            yield Name(maker.frame.facts, holder(scope, name), name, whole=False)


def _handed(evaluator: Evaluator, maker: Maker) -> Iterator[Name]:
    """Yield the names of what may be changed in place of all that an object was made of."""
    call, frame, handed = maker.call, maker.frame, maker.frame.place
    for seen in _sources(frame.scope, [*call.args, *(one.value for one in call.keywords)]):
        name = dotted(seen) or ""
        with evaluator.steps(STEPS):
            things = [one.thing for one in evaluator.evaluate(seen, frame)]
        if any(map(_may_change, things)):
            is_array = any(map(_is_array, things))
            added_to = is_array or any(isinstance(one, Items | Row) or _is_container(one) for one in things)
            yield Name(
                frame.facts,
                holder(frame.scope, name),
                name,
                whole=True,
                added_to=added_to,
                is_array=is_array,
                handed=handed,
            )
        elif any(isinstance(one, Instance) for one in things):
            yield Name(frame.facts, holder(frame.scope, name), name, whole=False)
        elif any(isinstance(one, Unseen) and not (one.given or one.replaced) for one in things):
            # It may be a number, or what reports.
            yield Name(frame.facts, holder(frame.scope, name), name, whole=True, element=True, handed=handed)


def _sources(scope: Scope, arguments: Sequence[ast.expr]) -> Iterator[ast.expr]:
    """Yield the names of what arguments are, are views of, or are lists of, and of what these are in turn."""
    waiting, names = list(arguments), set[str]()
    for argument in waiting:
        seen = _seen_through(scope, argument)
        match seen:
            case ast.List(several) | ast.Tuple(several) | ast.Set(several) | ast.BoolOp(values=several):
                waiting.extend(several)
            case ast.Dict(values=several):
                waiting.extend(several)
            case ast.Call(ast.Attribute(owner, "items" | "values"), []):
                waiting.append(owner)
            case ast.Call(args=several, keywords=named) if called_name(seen) in HOLDS:
                waiting += [*several, *(one.value for one in named)]
            case ast.IfExp(_, body, orelse):
                waiting += [body, orelse]
            case ast.Starred(inner) | ast.NamedExpr(_, inner):
                waiting.append(inner)
        name = dotted(seen)
        if name and name not in names:
            names.add(name)
            yield seen
            bindings = scope.bindings.get(name, ())
            waiting += [one.value for one in bindings if one.value is not None and one.kind in _GIVES]


def _may_change(thing: Thing) -> bool:
    """Return whether a thing is one of those that are changed in place."""
    if isinstance(thing, Made):
        return thing.callee in BUILT_IN or not thing.callee.startswith(_STAY)
    return isinstance(thing, Items | Row) or (isinstance(thing, Unseen) and thing.something)


def _is_array(thing: Thing) -> bool:
    return isinstance(thing, Made) and thing.callee.startswith(("numpy.", "torch."))


def _is_container(thing: Thing) -> bool:
    return isinstance(thing, Made) and thing.callee in BUILT_IN


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


def _changes(one: Name, use: Use, parts: Set[str] | None) -> bool:
    """Return whether what stands around an object is not known to leave it as it is."""
    node, first = use.node, use.around[0]
    match first:
        case ast.Subscript(value, ctx=context) | ast.Attribute(value, ctx=context) if value is node:
            if not isinstance(context, ast.Load):
                key = _key(first)
                return parts is None or key in parts if key is not None else one.whole or use.part
    return (one.whole or use.part) and _changes_whole(one, use)


def _changes_whole(one: Name, use: Use) -> bool:
    """Return whether an object is changed in place where something else is done with it than setting parts of it."""
    node, first = use.node, use.around[0]
    outer = use.around[1] if len(use.around) > 1 else None
    match first:
        case ast.Attribute(value, attribute) if value is node and isinstance(outer, ast.Call) and outer.func is first:
            if attribute == "update" and not outer.args and all(one.arg for one in outer.keywords):
                return False
            if _is_in_place(outer):
                return True
            ignored = not one.element and len(use.around) > 2 and isinstance(use.around[2], ast.Expr)
            return _method_changes(attribute, ignored=ignored)
        case ast.keyword(arg="out"):
            return True
        case ast.AugAssign(target) if target is node:
            return one.added_to
        case ast.Call() if node in first.args:
            name = _called(one.scope, first)
            if name in CHANGES_ITS_ARGUMENT or _is_in_place(first) or _ends_in_place(name):
                return first.args[0] is node
            owner, _, method = name.rpartition(".")
            if f"builtins.{owner}" in BUILT_IN and method in MUTATORS:
                return first.args[0] is node
            if name.startswith("numpy.") and _OUT.get(name.rpartition(".")[2]) == first.args.index(node):
                return True
            return isinstance(outer, ast.Expr) and not one.element and not _reports(name)
    return False


def _called(scope: Scope, call: ast.Call) -> str:
    """Return the full name of what is called, of which a name may be another one: ``pop = heapq.heappop``."""
    name = dotted(call.func)
    return full_name(scope, meant_name(scope, name) if name else called_name(call))


def _hands_on(one: Name, use: Use, iterated: WhileIterated) -> bool:
    """Return whether what changes an object gets a name by which it may be called, or is handed on with it.

    It is looked for by the name that it has then: ``take = rows.pop``, ``partial(setattr, options, "scale")``.
    """
    match use.around:
        case [ast.Attribute(value, name, ast.Load()) as bound, outer, *rest] if value is use.node:
            if isinstance(outer, ast.Call) and outer.func is bound:
                return False
            changes = name in _SETTERS or ((one.whole or use.part) and (name in MUTATORS or _ends_in_place(name)))
            around = [outer, *rest]
        case [ast.Call(args=[ast.Name() | ast.Attribute() as called, *_]) as call, *around] if use.node in call.args:
            name = full_name(one.scope, meant_name(one.scope, dotted(called) or ""))
            changes = called is not use.node and name in CHANGES_ITS_ARGUMENT | _SETTERS
        case _:
            return False
    match around:
        case [ast.Assign([ast.Name(given)]), *_]:
            return changes and iterated.speaks_of(given)
    return changes


def _is_in_place(call: ast.Call) -> bool:
    """Return whether a call is told to change what it is given: ``relu(rows, inplace=True)``."""
    told = (one.value for one in call.keywords if one.arg == _IN_PLACE)
    return any(not (isinstance(one, ast.Constant) and not one.value) for one in told)


def _ends_in_place(name: str) -> bool:
    """Return whether a name is that of what changes something in place, as torch has it: ``torch.clamp_``."""
    return name.endswith("_") and not name.endswith("__")


def _key(node: ast.Attribute | ast.Subscript) -> str | None:
    """Return the name of what is set of an object, None where it has none."""
    match node:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(str(name))):
            return name
    return None


def _method_changes(name: str, *, ignored: bool) -> bool:
    if name in MUTATORS or _ends_in_place(name):
        return True
    return ignored and words_of(name)[0] not in HARMLESS_REPORTS


def _reports(name: str) -> bool:
    first, last = name.partition(".")[0], name.rpartition(".")[2]
    return first in REPORTING_LIBRARIES or first in ("logging", "logger") or words_of(last)[0] in HARMLESS_REPORTS
