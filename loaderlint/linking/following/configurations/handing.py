"""Functions handed to something that calls them: which call that makes of it, with which arguments."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from loaderlint.linking.following.configurations import lazy_calls
from loaderlint.linking.things.classes import constructors
from loaderlint.linking.things.kinds import Class, External, Frame, Function, Possibilities
from loaderlint.linking.things.made_calls import Caller
from loaderlint.readers.python import parameters as parameters_of
from loaderlint.vocabulary.running import HANDERS, HANDING_METHODS, Hander

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_Taker: TypeAlias = Class | Function


def calls_made_of(evaluator: Evaluator, call: ast.Call, argument: ast.expr, frame: Frame) -> list[ast.Call] | None:
    """Return the calls that are made of a function handed over as ``argument``, None when that is not known."""
    hander = _hander(evaluator, call, frame)
    if hander is None:
        return lazy_calls.written_down(evaluator, call, argument, frame)
    if _given(call, hander.function) is not argument:
        return None
    function = argument
    hidden = [_unseen(call) for _ in range(hander.hidden)]
    positional: Sequence[ast.expr] = ()
    keywords: list[ast.keyword] = []
    if hander.arguments is None:
        start = hander.function[0] + 1
        positional = call.args[start:]
        keywords = [one for one in call.keywords if one.arg != hander.function[1]]
    else:
        together = _given(call, hander.arguments)
        positional = [_located(ast.Starred(together, ast.Load()), call)] if together is not None else []
        named = _given(call, hander.keywords) if hander.keywords is not None else None
        keywords = [_located(ast.keyword(None, named), call)] if named is not None else []
    if hander.later:
        keywords = [_located(ast.keyword(None, _unseen(call)), call), *keywords]
    return [_located(ast.Call(function, [*hidden, *positional], keywords), call)]


def is_partial(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    """Return whether a call hands what it is given to nobody yet, but makes something of it that is called later."""
    hander = _hander(evaluator, call, frame)
    return hander is not None and hander.later


def taken_by(evaluator: Evaluator, caller: Caller) -> Hander | None:
    """Return how the function is taken that a caller hands on to be called, None where it calls the function itself."""
    frame = caller.frame
    sites = (one.node for one in frame.scope.calls if one.place is frame.place)
    handers = (_hander(evaluator, one, frame) for one in sites if _is_located_at(caller.call, one))
    return next((one for one in handers if one is not None), None)


def _is_located_at(made: ast.Call, written: ast.Call) -> bool:
    return (made.lineno, made.col_offset, made.end_lineno, made.end_col_offset) == (
        written.lineno,
        written.col_offset,
        written.end_lineno,
        written.end_col_offset,
    )


class GivenElsewhere(ast.Constant):
    """What a later call gives, where the call that it makes stands: it is read in the frame of that later call."""

    def __init__(self, written: ast.expr, later: Caller) -> None:
        super().__init__(...)
        self.written = written
        self.later = later

    def evaluated(self, evaluator: Evaluator) -> Possibilities:
        """Return what the later call gives, one step further on its way."""
        facts = self.later.frame.facts
        callee = facts.text(self.later.call.func)
        given = evaluator.evaluate(self.written, self.later.frame)
        return tuple(one.step(facts.span(self.later.call), f"{callee}(…)") for one in given)


def call_of_partial(made: ast.Call, later: Caller | None = None) -> ast.Call:
    """Return the call that a later call of a partial makes, as it stands where the partial is made.

    Without a later call nothing more is given.
    """
    if later is None:
        return _located(ast.Call(made.args[0], made.args[1:], made.keywords), made)

    def given(written: ast.expr) -> ast.expr:
        if isinstance(written, ast.Starred):
            return _located(ast.Starred(given(written.value)), made)
        return _located(GivenElsewhere(written, later), made)

    positional = [given(one) for one in later.call.args]
    keywords = [_located(ast.keyword(one.arg, given(one.value)), made) for one in later.call.keywords]
    before = [one for one in made.keywords if one.arg is None or one.arg not in {later.arg for later in keywords}]
    return _located(ast.Call(made.args[0], [*made.args[1:], *positional], [*before, *keywords]), made)


def default_given(call: ast.Call, argument: ast.expr) -> str | None:
    """Return the attribute of a command line that ``set_defaults(name=argument)`` fills, None for any other call."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "set_defaults":
        return None
    return next((one.arg for one in call.keywords if one.value is argument), None)


def parameter_given(
    evaluator: Evaluator, call: ast.Call, argument: ast.expr, frame: Frame
) -> tuple[_Taker, str] | None:
    """Return the project function or class that takes an argument, and the name of its parameter; None for others.

    It may be that of a function handed over beside it: ``partial(run, make=argument)``.
    """
    hander = _hander(evaluator, call, frame)
    handed = _given(call, hander.function) if hander is not None else None
    if handed is not None:
        made = calls_made_of(evaluator, call, handed, frame) or ()
        return next((found for one in made if (found := _parameter_given(evaluator, one, argument, frame))), None)
    return _parameter_given(evaluator, call, argument, frame)


def _parameter_given(
    evaluator: Evaluator, call: ast.Call, argument: ast.expr, frame: Frame
) -> tuple[_Taker, str] | None:
    for one in evaluator.evaluate(call.func, frame):
        thing = one.thing
        if not isinstance(thing, _Taker):
            continue
        function = thing if isinstance(thing, Function) else next(iter(constructors(thing)), None)
        if function is None:
            continue
        names = [one.arg for one in (*function.node.args.posonlyargs, *function.node.args.args)]
        if isinstance(thing, Class) or function.receiver is not None:
            names = names[1:]
        for keyword in call.keywords:
            if keyword.value is argument and keyword.arg in {one.arg for one in parameters_of(function.node)}:
                return thing, keyword.arg
        for name, given in zip(names, call.args, strict=False):
            if given is argument:
                return thing, name
    return None


def _hander(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Hander | None:
    things = [one.thing for one in evaluator.evaluate(call.func, frame)]
    for thing in things:
        if isinstance(thing, External):
            return HANDERS.get(thing.name)
        if isinstance(thing, Function | Class):
            return None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return HANDING_METHODS.get(name)


def _given(call: ast.Call, place: tuple[int, str]) -> ast.expr | None:
    """Return the argument at a position or under a name."""
    position, name = place
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if any(isinstance(one, ast.Starred) for one in call.args[: position + 1]):
        return None
    return call.args[position] if 0 <= position < len(call.args) else None


def _unseen(call: ast.Call) -> ast.expr:
    """Return an expression that nobody can follow."""
    return _located(ast.Constant(...), call)


_Node = TypeVar("_Node", bound=ast.AST)


def _located(node: _Node, call: ast.Call) -> _Node:
    return ast.copy_location(node, call)
