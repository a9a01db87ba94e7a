"""click: options as decorators of the function they are handed to.

``click/core.py``, ``Option._parse_decls``: every option is a keyword of the function, by the name it is given without
dashes, else by the first of its flags with the longest dashes, in lower case; ``--pin/--no-pin`` is a flag and what
turns it off. An option takes its type from its default, so that a default that is no string is never replaced by one.
A switch is off where nobody says so (``Option.process_value``).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.commandlines import default_maps
from loaderlint.linking.following.commandlines.flags import Flag, declared_flag, default_values, flag_values, strings
from loaderlint.linking.things.kinds import External, Frame, Function, Items, Made, Possibilities, Possibility, end_of
from loaderlint.linking.things.possibilities import unseen
from loaderlint.readers.python import FunctionNode, dotted
from loaderlint.readers.python_calls import without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OPTIONS = ("option", "argument")


def options_of(evaluator: Evaluator, function: FunctionNode, frame: Frame) -> Items | None:
    """Return what click hands over to a function by its options, None for a function that is no command.

    ``frame`` is the frame in which the function's decorators are read.
    """
    entries: dict[str, Possibilities] = {}
    complete = True
    maps = default_maps.of_command(evaluator, function, frame)
    for decorator in function.decorator_list:
        flags, every = _declared(evaluator, decorator, frame)
        entries.update({flag.name: _values(evaluator, flag, maps) for flag in flags})
        complete = complete and every
    return Items(entries, complete) if entries else None


def is_command(function: FunctionNode) -> bool:
    """Return whether a decorator of a function is named like those that make commands of functions."""
    makers = map(without_arguments, function.decorator_list)
    return any((dotted(one) or "").rpartition(".")[2] in ("command", "group") for one in makers)


def _declared(evaluator: Evaluator, decorator: ast.expr, frame: Frame) -> tuple[list[Flag], bool]:
    """Return the options that a decorator declares, and whether it hands over nothing else.

    It is one of click's own, which may be kept in a name, or a function of the project that applies several of them.
    """
    if isinstance(decorator, ast.Call):
        if _calls_option(evaluator, decorator, frame):
            flag = _option(decorator, frame)
            return ([flag], True) if flag is not None else ([], False)
        if not any(isinstance(one.thing, Function) for one in evaluator.evaluate(decorator.func, frame)):
            return [], True
    flags: list[Flag] = []
    complete = True
    for one in evaluator.evaluate(decorator, frame):
        if isinstance(one.thing, Made) and _is_option(one.thing.callee):
            flag = _option(one.thing.call, one.thing.frame)
            flags.extend([flag] if flag is not None else [])
            complete = complete and flag is not None
            continue
        flags.extend(_applied(evaluator, one))
        complete = False
    return flags, complete


def _calls_option(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    if (dotted(call.func) or "").rpartition(".")[2] not in _OPTIONS:
        return False
    callees = evaluator.evaluate(call.func, frame)
    return any(isinstance(one.thing, External) and _is_option(one.thing.name) for one in callees)


def _is_option(name: str) -> bool:
    return name.startswith("click.") and name.rpartition(".")[2] in _OPTIONS


def _option(call: ast.Call, frame: Frame) -> Flag | None:
    flag = declared_flag(call, frame)
    name = _name(strings(call))
    return (
        replace(flag, name=name, text=_stays_text(flag), switch=_switch(flag), turned_off=_turned_off_by(flag))
        if flag is not None and name
        else None
    )


def _stays_text(flag: Flag) -> bool:
    """Return whether an option's value stays a string: it has the type of its default where it names none."""
    return flag.text and flag.keyword("type") is not None


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


def _values(evaluator: Evaluator, flag: Flag, maps: Possibilities) -> Possibilities:
    """Return what an option can give: its default, another that its command is given, or the user's value."""
    if flag.keyword("callback") is not None:
        return unseen(flag.span)
    return flag_values(
        evaluator, flag, default_maps.laid_over(maps, flag.name, lambda: _defaults(evaluator, flag), flag.span)
    )


def _defaults(evaluator: Evaluator, flag: Flag) -> Possibilities:
    """Return the defaults that an option itself is declared with."""
    if flag.default is None and any(flag.keyword(one) is not None for one in _CHANGES_WHAT_IS_LEFT_OUT):
        return unseen(flag.span)
    return default_values(evaluator, flag)


def _applied(evaluator: Evaluator, decorator: Possibility) -> list[Flag]:
    """Return the options that a function of the project adds to the command it decorates."""
    function = decorator.thing
    if not isinstance(function, Function):
        return []
    where = Frame(function.facts, end_of(function.scope))
    calls = (site.node for site in function.scope.calls if _calls_option(evaluator, site.node, where))
    return [flag for flag in (_option(one, where) for one in calls) if flag is not None]
