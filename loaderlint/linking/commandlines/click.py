"""click: options as decorators of the function they are handed to.

``click/core.py``, ``Option._parse_decls``: every option is a keyword of the function, by the name it is given without
dashes, else by the first of its flags with the longest dashes, in lower case; ``--pin/--no-pin`` is a flag and what
turns it off. An option takes its type from its default, so that a default that is no string is never replaced by one.
A switch is off where nobody says so (``Option.process_value``).
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from loaderlint.linking.commandlines.flags import Flag, declared_flag, default_values, flag_values, strings
from loaderlint.linking.things import (
    External,
    Frame,
    Function,
    Items,
    Possibilities,
    Possibility,
    choice,
    end_of,
    under,
    unseen,
)
from loaderlint.readers.python import FunctionNode, dotted

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_OPTIONS = ("option", "argument")


def options_of(evaluator: Evaluator, function: FunctionNode, frame: Frame) -> Items | None:
    """Return what click hands over to a function by its options, None for a function that is no command.

    ``frame`` is the frame in which the function's decorators are read.
    """
    entries: dict[str, Possibilities] = {}
    complete = True
    for decorator in function.decorator_list:
        for flag in _declared(evaluator, decorator, frame):
            entries[flag.name] = _values(evaluator, flag)
        complete = complete and isinstance(decorator, ast.Call)
    return Items(entries, complete) if entries else None


def _declared(evaluator: Evaluator, decorator: ast.expr, frame: Frame) -> list[Flag]:
    """Return the options that a decorator declares: one of click's own, or a function that applies several of them."""
    if not isinstance(decorator, ast.Call):
        functions = evaluator.evaluate(decorator, frame)
        return [flag for one in functions for flag in _applied(evaluator, one)]
    if (dotted(decorator.func) or "").rpartition(".")[2] not in _OPTIONS:
        return []
    callee = evaluator.evaluate(decorator.func, frame)
    if not any(isinstance(one.thing, External) and one.thing.name.startswith("click.") for one in callee):
        return []
    flag = declared_flag(decorator, frame)
    name = _name(strings(decorator))
    return [replace(flag, name=name, text=False, switch=_switch(flag))] if flag is not None and name else []


def _name(declared: tuple[str, ...]) -> str | None:
    """Return the keyword that an option or argument becomes."""
    for one in declared:
        if one.isidentifier():
            return one if len(declared) > 1 else one.lower()
    flags = [one for one in (_on(written) for written in declared) if one]
    longest = max(flags, key=lambda one: len(one) - len(one.lstrip("-/")), default="")
    return longest.lstrip("-/").replace("-", "_").lower() or None


def _on(written: str) -> str:
    """Return the flag that turns an option on, of what may be written with another that turns it off."""
    return written.partition(_divider(written))[0].rstrip()


def _divider(written: str) -> str:
    return ";" if written.startswith("/") else "/"


def _turned_off_by(flag: Flag) -> bool:
    """Return whether an option has a flag that turns it off."""
    return any(_divider(one) in one for one in flag.spellings)


def _switch(flag: Flag) -> bool | None:
    is_flag = flag.keyword("is_flag")
    says_so = isinstance(is_flag, ast.Constant) and is_flag.value is True
    return True if (says_so or _turned_off_by(flag)) and flag.keyword("flag_value") is None else None


_CHANGES_WHAT_IS_LEFT_OUT = ("flag_value", "count", "multiple", "nargs", "prompt")
"""Parameters of an option that stand for another value than None where neither the user nor a default says one."""


def _values(evaluator: Evaluator, flag: Flag) -> Possibilities:
    """Return what an option can give: its default, or the user's own value."""
    span = flag.span
    if flag.keyword("callback") is not None:
        return unseen(span)
    defaults = default_values(evaluator, flag)
    if flag.default is None and any(flag.keyword(one) is not None for one in _CHANGES_WHAT_IS_LEFT_OUT):
        defaults = unseen(span)
    values = flag_values(evaluator, flag, defaults)
    if flag.switch is None or not _turned_off_by(flag):
        return values
    return (*values, *under((Possibility(False, span),), choice(str(span), "turned off")))


def _applied(evaluator: Evaluator, decorator: Possibility) -> list[Flag]:
    """Return the options that a function of the project adds to the command it decorates."""
    function = decorator.thing
    if not isinstance(function, Function):
        return []
    where = Frame(function.facts, end_of(function.scope))
    return [flag for site in function.scope.calls for flag in _declared(evaluator, site.node, where)]
