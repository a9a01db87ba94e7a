"""Calls that detectron2's ``LazyCall`` writes down for ``instantiate`` to make later: ``L(load)(num_workers=4)``.

What comes of it is a configuration (``detectron2/config/lazy.py``): the program and its command line may set any key to
something else before the call is made, and give others. So each argument is one of two that can arrive. The same holds
for what NeMo-Run's ``Config(load, num_workers=4)`` holds (``nemo_run/config.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Class, External, Frame, Instance, Made

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_LAZY_CALLS = frozenset({"detectron2.config.LazyCall", "detectron2.config.lazy.LazyCall"})
_CONFIGURED = frozenset(f"{home}.{name}" for home in ("nemo_run", "nemo_run.config") for name in ("Config", "Partial"))
_TARGET = "_target_"


class Changed(ast.Name):
    """The test whether a key of a configuration is changed before the call is made; no program writes it."""


def written_down(evaluator: Evaluator, wrapped: ast.Call, function: ast.expr, frame: Frame) -> list[ast.Call] | None:
    """Return the calls that ``L(function)(...)`` writes down of a function, None where ``L`` is something else.

    ``wrapped`` is the call ``L(function)`` or ``Config(function, ...)``. A key that the same scope sets anew is none of
    theirs.
    """
    if len(wrapped.args) != 1 or wrapped.args[0] is not function:
        return None
    things = [way.thing for way in evaluator.evaluate(wrapped.func, frame)]
    if any(isinstance(one, External) and one.name in _CONFIGURED for one in things):
        return list(_made_of(wrapped, function, frame))
    if wrapped.keywords or not any(_is_lazy_call(one) for one in things):
        return None
    written = [site.node for site in frame.facts.calls.get("", ()) if site.node.func is wrapped]
    return [made for call in written for made in _made_of(call, function, frame)]


def call_later(lazy: Made | Instance, call: ast.Call, frame: Frame) -> ast.Call | None:
    """Return the call that ``L(function)(...)`` writes down, None where ``L`` is something else.

    ``lazy`` is what ``L(function)`` gave, ``call`` the call of that. A name that is bound anew holds another.
    """
    kind = lazy.of if isinstance(lazy, Instance) else External(lazy.callee)
    if lazy.call is None or len(lazy.call.args) != 1 or lazy.call.keywords or not _is_lazy_call(kind):
        return None
    return next(_made_of(call, lazy.call.args[0], frame), None)


def _is_lazy_call(thing: object) -> bool:
    """Return whether something is detectron2's class, or one of the project that notes its target as that does."""
    if isinstance(thing, External):
        return thing.name in _LAZY_CALLS
    if not isinstance(thing, Class):
        return False
    noting = (one for one in thing.scope.children if one.name == "__call__")
    return any(isinstance(one, ast.Constant) and one.value == _TARGET for each in noting for one in ast.walk(each.node))


def _made_of(call: ast.Call, function: ast.expr, frame: Frame) -> Iterator[ast.Call]:
    names = [name for name, bound in frame.scope.bindings.items() if any(one.value is call for one in bound)]
    if any(frame.scope.bindings[name][-1].value is not call for name in names):
        return
    keywords = [ast.keyword(None, _unseen(call))]
    for one in call.keywords:
        set_anew = any(f"{name}.{one.arg}" in frame.scope.bindings for name in names)
        if one.arg is None or set_anew or _is_interpolated(one.value):
            value = _unseen(one.value)
        else:
            value = _unless_overridden(one.arg, one.value)
        keywords.append(ast.keyword(one.arg, value))
    located = [ast.copy_location(one, call) for one in keywords]
    yield ast.copy_location(ast.Call(function, [], located), call)


def _is_interpolated(value: ast.expr) -> bool:
    """Return whether an argument is a text that ``instantiate`` makes another value of: ``"${train.workers}"``.

    The configuration is one of OmegaConf, which resolves it (``detectron2/config/instantiate.py``).
    """
    return isinstance(value, ast.Constant) and isinstance(value.value, str) and "${" in value.value


def _unless_overridden(key: str, value: ast.expr) -> ast.expr:
    """Return what an argument is where nothing changes it, as a trace says.

    Each key has a name of its own: what changes one leaves the others.
    """
    changed = ast.copy_location(Changed(f"{key} of the configuration is changed", ast.Load()), value)
    return ast.copy_location(ast.BoolOp(ast.Or(), [changed, value]), value)


def _unseen(node: ast.expr) -> ast.expr:
    """Return an expression that nobody can follow."""
    return ast.copy_location(ast.Constant(...), node)
