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
from loaderlint.linking.programs.object_names import (
    BUILT_IN,
    HOLDS,
    Following,
    Name,
    holder,
    innermost,
)
from loaderlint.linking.programs.object_uses import Use
from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.things.kinds import Frame, Instance, Items, Made, Row, Thing, Unseen
from loaderlint.linking.workers.names_read import CONSTRUCTORS
from loaderlint.linking.workers.top_level import full_name, meant_name, touch_at
from loaderlint.model.payload import Touch
from loaderlint.model.setting_names import words_of
from loaderlint.model.setting_words import CHANGES_ITS_ARGUMENT, HARMLESS_REPORTS, MUTATORS, REPORTING_LIBRARIES, words
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.lifetimes import CHANGES_ITS_OBJECT, CHANGES_NO_VALUE, COPIES, REORDERS, VIEWS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_NAMES = 600
"""Names that one object has in a program; where it has more, what is done with it is not known."""
_MOST_LOOKED_AT = 2000
"""Names of one object, with those of what may be a mere number, after which what is done with it is not known."""
_STAY = ("argparse.", "builtins.", "pathlib.", "os.", "torch.device", "torchvision.transforms")
"""What makes things that stay as they are, or of which `names_written` knows what is set."""
_SETTERS = frozenset({"__delattr__", "__delitem__", "__setattr__", "__setitem__", "delattr", "setattr"})
"""What sets the parts of what it is called on, or handed."""
_OF_ARRAYS = frozenset({"partition", "resize", "setfield"})
"""Methods that change an array, and give something new of a text or an image (numpy.org, ``numpy.ndarray``)."""
_OF_IMAGES = frozenset({"rotate"})
"""Methods of queues that give a new image (Pillow, "Image Module"): nobody takes what those of queues give."""
_METHODS = (MUTATORS | CHANGES_ITS_OBJECT | _SETTERS) - _OF_ARRAYS - _OF_IMAGES | {
    *("__iadd__", "__imul__", "__ior__", "difference_update", "intersection_update", "move_to_end"),
    *("symmetric_difference_update", "writelines"),
}
"""Methods that change what they are called on, whoever takes what they give (docs.python.org, "Built-in Types")."""
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


_MAKES_ARRAYS = words("""
    arange array as_tensor asarray empty eye from_numpy full full_like linspace logspace ones ones_like rand randint
    randn random.normal random.rand random.randint random.randn random.random randperm tensor zeros zeros_like
""")
"""Functions of NumPy and torch that make arrays and tensors (numpy.org, "Array creation"; pytorch.org, "Creation Ops").
"""
_NO_ARRAYS = words("all any argmax argmin dim item max mean min numel prod size std sum tobytes tolist var")
"""Methods of arrays that give numbers, lists or texts."""
_COPIED_WHOLE = ("PIL.", "cv2.", "numpy.", "pandas.", "polars.", "scipy.", "torch.")
"""Libraries whose things have all anew in a copy, or a sum (their own pages of ``copy``)."""
_DEEPEST = 8
"""Expressions inside of each other that may work an array out; deeper ones are numbers as well as arrays."""


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
    begun = [*around, *(one for maker in made for one in (*_itself(maker), *_handed(evaluator, maker)))]
    waiting = [*begun, *handed_by_callers(evaluator, begun)]
    told = set[Touch]()
    names, seen = set[tuple[int, str]](), set[tuple[int, str, bool, str | None]]()
    while waiting:
        one = waiting.pop(0)
        known = (id(one.scope), one.name, one.whole, one.held)
        if known in seen:
            continue
        seen.add(known)
        if one.element and len(seen) > _MOST_LOOKED_AT:
            yield touch_at(one.facts, _first(one))
            return
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


def handed_by_callers(evaluator: Evaluator, names: Iterable[Name]) -> Iterator[Name]:
    """Yield what those call an object who hand it to the functions in which it has names: ``begin(shared)``."""
    waiting, seen = list(names), set[tuple[int, str]]()
    for one in waiting:
        if one.scope.is_class:
            kept = [*_kept_from(one)]
            waiting += kept
            yield from kept
            continue
        taken = [each.arg for each in parameters(one.scope.node)] if isinstance(one.scope.node, FunctionNode) else []
        if one.name not in taken or (id(one.scope), one.name) in seen:
            continue
        seen.add((id(one.scope), one.name))
        owner = one.scope.parent if one.scope.parent is not None and one.scope.parent.is_class else None
        called = owner.name if owner is not None and one.scope.name in CONSTRUCTORS else one.scope.name
        at = taken.index(one.name) - (owner is not None and taken[0] in ("self", "cls"))
        for facts, site in evaluator.callers.sites(called):
            for found in _handed_to(evaluator, site, Frame(facts, site.place), one, at):
                waiting.append(found)
                yield found


def _handed_to(evaluator: Evaluator, site: CallSite, frame: Frame, one: Name, at: int) -> Iterator[Name]:
    """Yield the names of what a call hands over under a name, which a function takes at a place."""
    spread = next((place for place, each in enumerate(site.node.args) if isinstance(each, ast.Starred)), None)
    args = [each.value if isinstance(each, ast.Starred) else each for each in site.node.args]
    handed = args[at : at + 1] if spread is None or at < spread else args[spread:]
    handed += [each.value for each in site.node.keywords if each.arg in (one.name, None)]
    for argument in handed:
        name = dotted(argument)
        if name is not None:
            yield one._replace(facts=frame.facts, scope=holder(frame.scope, name), name=name, handed=frame.place)
        else:
            for found in _names_in(evaluator, [argument], frame):
                yield found._replace(whole=found.whole and one.whole, held=one.held)


def _kept_from(one: Name) -> Iterator[Name]:
    """Yield what constructors call an object that they keep by its name: ``rows`` in ``self.kept = rows``."""
    for scope in (each for each in one.scope.children if each.name in CONSTRUCTORS):
        for binding in scope.bindings.get(one.name, ()):
            if isinstance(binding.value, ast.Name):
                yield one._replace(scope=holder(scope, binding.value.id), name=binding.value.id, handed=None)


def _handed(evaluator: Evaluator, maker: Maker) -> Iterator[Name]:
    """Yield the names of what may be changed in place of all that an object was made of."""
    yield from _names_in(evaluator, [*maker.call.args, *(one.value for one in maker.call.keywords)], maker.frame)


def _names_in(evaluator: Evaluator, arguments: Sequence[ast.expr], frame: Frame) -> Iterator[Name]:
    """Yield the names of what may be changed in place of all that is handed over."""
    handed = frame.place
    for source in _sources(frame.scope, arguments):
        seen, name = source.node, dotted(source.node) or ""
        with evaluator.steps(STEPS):
            things = [one.thing for one in evaluator.evaluate(seen, frame)]
        is_worked_out = _gives_array(frame.scope, seen, 0)
        lists = [isinstance(one, Items | Row) or _is_container(one) for one in things]
        is_unseen = any(isinstance(one, Unseen) and not (one.given or one.replaced) for one in things)
        if source.new and not all(lists):
            if not is_worked_out and (is_unseen or any(map(_may_be_list, things))):
                # It may be a list, whose copy has the same things in it.
                yield Name(frame.facts, holder(frame.scope, name), name, whole=False, element=True, handed=handed)
            continue
        if is_worked_out or any(map(_may_change, things)):
            is_array = is_worked_out or any(map(_is_array, things))
            added_to = is_array or any(lists)
            # A copy of a list has the same things in it.
            yield Name(
                frame.facts,
                holder(frame.scope, name),
                name,
                whole=not (source.copied and all(lists)),
                added_to=added_to,
                is_array=is_array,
                handed=handed,
            )
        elif any(isinstance(one, Instance) for one in things):
            yield Name(frame.facts, holder(frame.scope, name), name, whole=False)
        elif is_unseen:
            # It may be a number, or what reports.
            yield Name(frame.facts, holder(frame.scope, name), name, whole=True, element=True, handed=handed)


class _Source(NamedTuple):
    """What an argument is made of: itself, what is ``copied`` into another list, or all ``new`` if it is no list."""

    node: ast.expr
    copied: bool = False
    new: bool = False

    def inside(self, other: _Source) -> _Source:
        """Return what this is of something that is made of it in turn."""
        return _Source(self.node, self.copied or other.copied, self.new or other.new)


def _sources(scope: Scope, arguments: Sequence[ast.expr]) -> Iterator[_Source]:
    """Yield the names of what arguments are, are views of, or are lists of, and of what these are in turn."""
    waiting, names = [_Source(one) for one in arguments], set[tuple[str, bool, bool]]()
    for one in waiting:
        seen = _Source(_seen_through(scope, one.node)).inside(one)
        if _is_sliced(one.node):
            # What is taken out of a list by a slice is a list of its own, but for an array.
            seen = seen._replace(copied=True)
        waiting += [part.inside(seen) for part in _held_in(seen.node)]
        name = dotted(seen.node)
        if name and (name, seen.copied, seen.new) not in names:
            names.add((name, seen.copied, seen.new))
            yield seen
            given = [each.value for each in scope.bindings.get(name, ()) if each.kind in _GIVES]
            waiting += [_Source(value).inside(seen) for value in given if value is not None]


def _held_in(node: ast.expr) -> Iterator[_Source]:
    """Yield what an expression may be, puts into what it gives, or copies there."""
    match node:
        case ast.List(several) | ast.Tuple(several) | ast.Set(several):
            for one in several:
                yield _Source(one.value, copied=True) if isinstance(one, ast.Starred) else _Source(one)
        case ast.BoolOp(values=several) | ast.Dict(values=several):
            yield from map(_Source, several)
        case ast.BinOp(left, ast.Add(), right):
            yield from (_Source(one, copied=True, new=True) for one in (left, right))
        case ast.BinOp(left, ast.Mult()) | ast.Call(ast.Attribute(left, "copy"), []):
            yield _Source(left, copied=True, new=True)
        case ast.ListComp(element, [part]) | ast.SetComp(element, [part]):
            if ast.dump(element) == ast.dump(part.target).replace("Store()", "Load()"):
                yield _Source(part.iter, copied=True)
        case ast.Call(ast.Attribute(owner, "items" | "values"), []):
            yield _Source(owner)
        case ast.Call(args=[one], keywords=named) if called_name(node) in COPIES:
            yield _Source(one, copied=True, new=called_name(node) == "copy")
            yield from (_Source(each.value) for each in named)
        case ast.Call(args=several, keywords=named) if called_name(node) in HOLDS:
            yield from map(_Source, (*several, *(one.value for one in named)))
        case ast.IfExp(_, body, orelse):
            yield from map(_Source, (body, orelse))
        case ast.NamedExpr(_, inner):
            yield _Source(inner)


def _is_sliced(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _may_change(thing: Thing) -> bool:
    """Return whether a thing is one of those that are changed in place."""
    if isinstance(thing, Made):
        return thing.callee in BUILT_IN or not thing.callee.startswith(_STAY)
    return isinstance(thing, Items | Row) or (isinstance(thing, Unseen) and thing.something)


def _may_be_list(thing: Thing) -> bool:
    """Return whether what a library made may be a list, of which a copy has the same things."""
    return isinstance(thing, Made) and _may_change(thing) and not thing.callee.startswith(_COPIED_WHOLE)


def _is_array(thing: Thing) -> bool:
    return isinstance(thing, Made) and thing.callee.startswith(("numpy.", "torch."))


def _gives_array(scope: Scope, node: ast.expr, depth: int) -> bool:
    """Return whether an expression works an array out of others: ``np.arange(8)[::-1].copy() * 2``."""
    match node:
        case _ if depth > _DEEPEST:
            return False
        case ast.BinOp(left, _, right):
            return _gives_array(scope, left, depth + 1) or _gives_array(scope, right, depth + 1)
        case ast.Subscript(value=owner) | ast.UnaryOp(operand=owner):
            return _gives_array(scope, owner, depth + 1)
        case ast.Call(ast.Name() | ast.Attribute() as called) if _makes_array(full_name(scope, dotted(called) or "")):
            return True
        case ast.Call(ast.Attribute(owner, name)) if name not in _NO_ARRAYS:
            return _gives_array(scope, owner, depth + 1)
        case ast.Name(name):
            given = [one.value for one in scope.bindings.get(name, ()) if one.kind == "assign"]
            return any(_gives_array(scope, one, depth + 1) for one in given if one is not None)
    return False


def _makes_array(name: str) -> bool:
    library, _, function = name.partition(".")
    return library in ("numpy", "torch") and function in _MAKES_ARRAYS


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
            return _method_changes(one, attribute, ignored=ignored)
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
            if called_name(first) in REORDERS and isinstance(first.func, ast.Attribute):
                # A generator's: ``rng.shuffle(rows)``.
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
            changes = name in _SETTERS or ((one.whole or use.part) and (name in _METHODS or _ends_in_place(name)))
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
    return name.endswith("_") and not name.endswith("__") and name not in CHANGES_NO_VALUE


def _key(node: ast.Attribute | ast.Subscript) -> str | None:
    """Return the name of what is set of an object, None where it has none."""
    match node:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(str(name))):
            return name
    return None


def _method_changes(one: Name, name: str, *, ignored: bool) -> bool:
    if name in _METHODS or _ends_in_place(name) or (one.is_array and name in _OF_ARRAYS):
        return True
    return ignored and words_of(name)[0] not in HARMLESS_REPORTS


def _reports(name: str) -> bool:
    first, last = name.partition(".")[0], name.rpartition(".")[2]
    return first in REPORTING_LIBRARIES or first in ("logging", "logger") or words_of(last)[0] in HARMLESS_REPORTS
