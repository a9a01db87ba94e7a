"""Where a program goes through one loader twice at the same time: in ``zip``, in nested loops, by two iterators.

That it is one loader must be plain: the same name stands for it in both places. One call that makes loaders may have
made two of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.running import STEPS, Iterated, Iterations, shortened
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Frame, Instance, Made
from loaderlint.model.assumptions import together
from loaderlint.model.persistence import Together
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, CallSite, FunctionNode, dotted, parameters
from loaderlint.readers.python_calls import called_name, keywords

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.sites import PythonSite

_SIDE_BY_SIDE = frozenset({"zip", "zip_longest"})
"""Functions that advance all they are given in turn."""
_WHOLE = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "any", "all"})
"""Functions that go through what they are given to its end before they return."""


class _Named(NamedTuple):
    """A place that iterates a loader, and the name that stands for the loader there."""

    place: Iterated
    name: str

    @property
    def varies(self) -> bool:
        """Whether the name may stand for another loader from one place of its scope to the next."""
        return len(_given(self.place.frame, self.name)) > 1

    def varies_in(self, loop: ast.For | ast.AsyncFor) -> bool:
        """Return whether a name may stand for another loader from one turn, or one place, of a loop to the next."""
        given = _given(self.place.frame, self.name)
        return len(given) > 1 and any(
            one.inner is not None or any(arm.owner is loop for arm in one.place.arms) for one in given
        )


def iterated_together(evaluator: Evaluator, site: PythonSite, runs: Sequence[Iterations]) -> Iterator[Together]:
    """Yield the places that make a second iterator of a loader while a first one is in use."""
    found: dict[Span, Together] = {}
    for run in runs:
        named = [
            _Named(place, name)
            for place in run.places.get(id(site.call), ())
            if (name := _name_in(evaluator, site.call, place.expression, place.frame)) is not None
        ]
        steady = [one for one in named if not one.varies]
        for first, second in (*_zipped(named), *_nested(named, run), *_both_kept(steady), *_kept_in_loop(steady)):
            joint = together(first.assumptions, second.assumptions)
            facts = second.frame.facts
            span = facts.span(second.expression)
            if joint is not None:
                other = first.frame.facts.span(first.expression)
                found.setdefault(span, Together(span, shortened(facts.text(second.expression)), joint, other=other))
    yield from (one for span, one in found.items() if not any(other != span and other.holds(span) for other in found))


def _name_in(evaluator: Evaluator, call: ast.Call, expression: ast.expr, frame: Frame) -> str | None:
    """Return the name inside an iterated expression that stands for what a call made, and for nothing else."""
    for node in ast.walk(expression):
        name = dotted(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if name is None or not isinstance(node, ast.expr):
            continue
        with evaluator.steps(STEPS):
            things = [one.thing for one in evaluator.evaluate(node, frame)]
        if things and all(isinstance(one, Made | Instance) and one.call is call for one in things):
            return name
    return None


def _given(frame: Frame, name: str) -> list[Binding]:
    """Return what gives a name its values in a scope."""
    return [one for one in frame.scope.bindings.get(name, ()) if one.kind not in MUTATIONS]


def _zipped(named: Iterable[_Named]) -> Iterator[tuple[Iterated, Iterated]]:
    """Yield the arguments of one ``zip`` that go through the same loader."""
    seen: dict[tuple[int, str], Iterated] = {}
    for place, name in named:
        if _is_taken_whole(place.expression):
            continue
        if isinstance(place.node, ast.Call) and called_name(place.node) in _SIDE_BY_SIDE:
            first = seen.setdefault((id(place.node), name), place)
            if first is not place and first.expression is not place.expression:
                yield first, place


def _nested(named: Sequence[_Named], run: Iterations) -> Iterator[tuple[Iterated, Iterated]]:
    """Yield the loops over a loader with what iterates it again inside: there, or in a function called there."""
    for first in named:
        outer, outer_name = first
        if not isinstance(outer.node, ast.For | ast.AsyncFor) or _is_taken_whole(outer.expression):
            continue
        if first.varies_in(outer.node):
            continue
        body = outer.node.body
        for second in named:
            inner, inner_name = second
            if inner.node is outer.node or inner.expression is outer.expression or inner.takes_one:
                continue
            if inner.frame.scope is outer.frame.scope:
                is_inside = _is_inside(inner.frame, outer.node)
                if is_inside and inner_name == outer_name and not _leaves_after(body, inner.expression):
                    yield outer, inner
                continue
            if second.varies:
                continue
            for caller, call in run.called_at.get(id(inner.frame.scope.node), ()):
                is_inside = caller.scope is outer.frame.scope and _is_inside(caller, outer.node)
                if is_inside and _leaves_after(body, call):
                    continue
                if is_inside and outer_name in _names_outside(inner_name, inner.frame, call):
                    yield outer, inner


def _is_taken_whole(expression: ast.expr) -> bool:
    """Return whether a loader is gone through to its end before what an expression gives is gone through."""
    return any(
        isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp)
        or (isinstance(node, ast.Call) and called_name(node) in _WHOLE)
        for node in ast.walk(expression)
    )


def _leaves_after(body: Sequence[ast.stmt], node: ast.expr, breaks: tuple[type[ast.stmt], ...] = (ast.Break,)) -> bool:
    """Return whether every path that ran an expression in a loop's body leaves the loop before its next turn."""
    holds = [any(one is node for one in ast.walk(statement)) for statement in body]
    if not any(holds):
        return False
    around, *rest = body[holds.index(True) :]
    inside = () if isinstance(around, ast.For | ast.AsyncFor | ast.While) else breaks
    blocks = [getattr(around, name, []) for name in ("body", "orelse", "finalbody")]
    if not isinstance(around, FunctionNode) and any(_leaves_after(one, node, inside) for one in blocks):
        return True
    return _leaves([around] if isinstance(around, ast.Return) else rest, breaks)


def _leaves(statements: Iterable[ast.stmt], breaks: tuple[type[ast.stmt], ...]) -> bool:
    """Return whether every path through statements ends what they stand in."""
    for one in statements:
        if isinstance(one, (ast.Return, ast.Raise, *breaks)):
            return True
        if isinstance(one, ast.If) and _leaves(one.body, breaks) and _leaves(one.orelse, breaks):
            return True
        if isinstance(one, ast.With | ast.AsyncWith) and _leaves(one.body, breaks):
            return True
        if any(isinstance(inner, ast.Continue) for inner in ast.walk(one)):
            return False
    return False


def _is_inside(frame: Frame, loop: ast.AST) -> bool:
    return any(arm.loop and arm.owner is loop for arm in frame.place.arms)


def _names_outside(name: str, inner: Frame, call: ast.Call) -> Iterator[str]:
    """Yield what a call names the thing that a name stands for in the function it runs."""
    function = inner.scope.node
    if not isinstance(function, FunctionNode):
        return
    named = [one.arg for one in parameters(function)]
    if classes.owner_of(inner.facts, inner.scope) is not None and isinstance(call.func, ast.Attribute):
        receiver, named = named[:1], named[1:]
        if name.partition(".")[0] in receiver:
            yield f"{dotted(call.func.value)}.{name.partition('.')[2]}"
    given = {**dict(zip(named, call.args, strict=False)), **keywords(call)}
    if name in given:
        yield dotted(given[name]) or ""


def _kept(named: Iterable[_Named]) -> list[tuple[_Named, Binding]]:
    """Return the calls of ``iter`` whose iterators are kept under a name, with that."""
    return [
        (one, binding)
        for one in named
        if one.place.makes_iterator
        if not _is_taken_whole(one.place.expression)
        if (binding := _kept_as(one.place)) is not None
    ]


def _kept_in_loop(named: Sequence[_Named]) -> Iterator[tuple[Iterated, Iterated]]:
    """Yield the calls of ``iter`` with the loops over the same loader in or after which their iterators advance."""
    for first, kept in _kept(named):
        for place, name in named:
            loop = place.node
            if name != first.name or not isinstance(loop, ast.For | ast.AsyncFor) or _is_taken_whole(place.expression):
                continue
            comes_after = place.frame.scope is kept.place.scope and kept.place.order < place.frame.place.order
            if comes_after and (_advanced_inside(kept, loop) or _advanced_behind(kept, place)):
                yield first.place, place


def _both_kept(named: Sequence[_Named]) -> Iterator[tuple[Iterated, Iterated]]:
    """Yield the two calls of ``iter`` whose iterators are both advanced after the second was made."""
    made = _kept(named)
    for first, kept in made:
        for second, other in made:
            same = first.name == second.name and first.place.frame.scope is second.place.frame.scope
            if not same or kept.name == other.name or kept.place.order >= other.place.order:
                continue
            if _advanced_after(kept, other.place.order) and _advanced_after(other, other.place.order):
                yield first.place, second.place


def _kept_as(place: Iterated) -> Binding | None:
    """Return the only name under which a call's result is kept in its scope."""
    for name, bindings in place.frame.scope.bindings.items():
        if "." not in name and len(bindings) == 1 and bindings[0].value is place.node:
            return bindings[0]
    return None


def _takes_from(site: CallSite, kept: Binding) -> bool:
    return called_name(site.node) == "next" and _is_first(site.node, kept.name)


def _advanced_after(kept: Binding, order: int) -> bool:
    """Return whether something takes from an iterator after a place of its scope."""
    scope = kept.place.scope
    taken = [site.place for site in scope.calls if _takes_from(site, kept)]
    taken.extend(place for iterated, _, place in scope.iterations if dotted(iterated) == kept.name)
    return any(place.order > order for place in taken)


def _advanced_inside(kept: Binding, loop: ast.For | ast.AsyncFor) -> bool:
    """Return whether a loop takes from an iterator in its turns, and comes to another turn after that."""
    return any(
        _takes_from(site, kept)
        and any(arm.loop and arm.owner is loop for arm in site.place.arms)
        and not _leaves_after(loop.body, site.node)
        for site in kept.place.scope.calls
    )


def _advanced_behind(kept: Binding, loop: Iterated) -> bool:
    """Return whether something takes from an iterator wherever a loop has ended, or in the next turn of one around it.

    Where that stands under no other test than the loop does, it is come to.
    """
    ended = loop.frame.place
    turns = [
        arm
        for arm in ended.arms
        if isinstance(arm.owner, ast.For | ast.AsyncFor | ast.While) and arm.loop
        if not any(arm.same(one) for one in kept.place.arms)
        if not _leaves_after(arm.owner.body, loop.expression)
    ]
    for site in kept.place.scope.calls:
        arms = site.place.arms
        if _takes_from(site, kept) and len(arms) <= len(ended.arms):
            alike = all(one.same(other) for one, other in zip(arms, ended.arms, strict=False))
            again = any(arm.same(one) for arm in turns for one in arms)
            if alike and (again or site.place.order > ended.order):
                return True
    return False


def _is_first(call: ast.Call, name: str) -> bool:
    return bool(call.args) and dotted(call.args[0]) == name
