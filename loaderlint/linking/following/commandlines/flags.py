"""Flags: what one declaration of a command line says, and what its flag gives when the user says nothing.

``argparse``: CPython ``Lib/argparse.py`` (an argument's ``dest`` is its first long flag with dashes as underscores;
without ``type`` a value stays a string; a default that is a string is passed through ``type``). ``click``: the options
documentation ("Name Your Options").
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import GIVEN, External, Frame, Possibilities, Possibility, choice, under, unseen
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_SWITCHES = {"store_true": True, "store_false": False}
_TEXT_ACTIONS = (None, "store")
_BOTH_WAYS = "BooleanOptionalAction"
"""The action that adds ``--no-pin`` to ``--pin``; where the user names neither, its default is None as any other's."""

_BUILTIN_TYPES: Mapping[str, Callable[[str], int | float | bool]] = {
    "int": int,
    "float": float,
    "bool": bool,
}
"""What the types of the language make of a string."""


@dataclass(frozen=True, eq=False)
class Flag:
    """One declared flag of a command line.

    ``text`` says that the user's value stays a string; ``switch`` is what a flag without a value gives, and
    ``turned_off`` that another flag gives the opposite, as ``--no-pin`` does beside ``--pin``.
    """

    name: str
    declaration: ast.Call
    frame: Frame
    default: ast.expr | None
    text: bool = False
    switch: bool | None = None
    turned_off: bool = False

    @property
    def span(self) -> Span:
        """Where it is declared."""
        return self.frame.facts.span(self.declaration)

    @property
    def spellings(self) -> tuple[str, ...]:
        """The words that announce its value on a command line; none for a positional argument."""
        return tuple(one for one in strings(self.declaration) if one.startswith("-"))

    @property
    def spelled(self) -> str:
        """How a user would name it."""
        return next(iter(self.spellings), self.name)

    @property
    def action(self) -> str | None:
        """The action its declaration names, None when it names none."""
        action = self.keyword("action")
        if isinstance(action, ast.Constant):
            return str(action.value)
        return dotted(action) if action is not None else None

    def keyword(self, name: str) -> ast.expr | None:
        """Return one keyword of the declaration."""
        return keywords_of(self.declaration).get(name)


def strings(call: ast.Call) -> tuple[str, ...]:
    """Return the positional arguments of a declaration that are strings: the names of its flag."""
    return tuple(one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str))


def name_of(call: ast.Call) -> str | None:
    """Return what a flag is called where it is read, by the call that declares it: ``n_cpu`` for ``-n, --n-cpu``."""
    names = strings(call)
    written = keywords_of(call).get("dest")
    if isinstance(written, ast.Constant) and isinstance(written.value, str):
        return written.value
    if not names:
        return None
    long = [one for one in names if one.startswith("--")]
    plain = [one for one in names if not one.startswith("-")]
    return (plain or long or names)[0].lstrip("-").replace("-", "_")


def declared_flag(call: ast.Call, frame: Frame) -> Flag | None:
    """Return the flag that an ``add_argument`` or ``click.option`` call declares, None when its name is not written."""
    name, keywords = name_of(call), keywords_of(call)
    if name is None:
        return None
    flag = Flag(name, call, frame, keywords.get("default"))
    text = flag.action in _TEXT_ACTIONS and "type" not in keywords and "nargs" not in keywords
    if _is_both_ways(flag):
        return replace(flag, switch=True, turned_off=True)
    return replace(flag, text=text, switch=_SWITCHES.get(flag.action or ""))


def _is_both_ways(flag: Flag) -> bool:
    return (flag.action or "").rpartition(".")[2] == _BOTH_WAYS


def default_values(evaluator: Evaluator, flag: Flag, set_before: Possibilities | None = None) -> Possibilities:
    """Return what a flag gives when the user says nothing; none where the user has to say something.

    ``set_before`` are defaults that were set for its name before it was declared without a default of its own.
    """
    span = flag.span
    if flag.default is None and set_before is not None:
        return set_before
    if flag.switch is not None and flag.default is None and not _is_both_ways(flag):
        return (Possibility(not flag.switch, span, taken_out=True),)
    if flag.default is None:
        return () if _is_required(flag.declaration) else (Possibility(None, span),)
    return tuple(one for one in evaluator.evaluate(flag.default, flag.frame) if not _is_suppressed(one))


def _is_suppressed(one: Possibility) -> bool:
    """Return whether a default stands for no attribute at all."""
    return isinstance(one.thing, External) and one.thing.name == "argparse.SUPPRESS"


def flag_values(evaluator: Evaluator, flag: Flag, defaults: Possibilities) -> Possibilities:
    """Return what a flag can give: one of its defaults, or the user's own value, which is unseen.

    A flag without ``type`` gives a string whenever the user gives it.
    """
    span = flag.span
    values = tuple(way for one in defaults for way in converted(evaluator, one, flag))
    unsaid = under((one.step(span, f"{flag.spelled} default") for one in values), choice(str(span), "default"))
    text_in_any_case = any(isinstance(one.thing, str) or one.thing is None for one in values)
    return (*unsaid, *user_values(evaluator, flag, told_apart=not text_in_any_case))


def user_values(evaluator: Evaluator, flag: Flag, *, told_apart: bool = True) -> Possibilities:
    """Return what a flag gives when the user names it.

    ``told_apart`` says that a string tells the user's value from a default.
    """
    span, given = flag.span, choice(str(flag.span), "given")
    if flag.switch is not None:
        # The declaration says what the flag gives, but is not that value: nothing else can stand there.
        on = Possibility(flag.switch, span, assumptions=given, taken_out=True).step(span, flag.spelled)
        off = Possibility(not flag.switch, span, assumptions=choice(str(span), "turned off"), taken_out=True)
        return (on, off.step(span, f"{flag.spelled} turned off")) if flag.turned_off else (on,)
    constant = flag.keyword("const") if flag.action == "store_const" else None
    if constant is not None:
        return under(evaluator.evaluate(constant, flag.frame), given)
    if flag.text and told_apart:
        text = Possibility(CommandLineText(flag.spelled), span, assumptions=given)
        return (text.step(span, f"{flag.spelled} without type"),)
    return (Possibility(GIVEN, span, assumptions=given),)


def _is_required(declaration: ast.Call) -> bool:
    """Return whether a declaration without a default says that the user must give the flag."""
    keywords = {one.arg: one.value for one in declaration.keywords}
    required = keywords.get("required")
    if required is not None:
        return not (isinstance(required, ast.Constant) and not required.value)
    names = strings(declaration)
    return bool(names) and not any(one.startswith("-") for one in names) and "nargs" not in keywords


def converted(evaluator: Evaluator, given: Possibility, flag: Flag) -> Possibilities:
    """Return what a parser hands over for a default or a word: a string goes through ``type``, all else stays."""
    kind = flag.keyword("type")
    if kind is None or not isinstance(given.thing, str | CommandLineText):
        return (given,)
    for one in evaluator.evaluate(kind, flag.frame):
        name = one.thing.name.removeprefix("builtins.") if isinstance(one.thing, External) else ""
        if name == "str":
            return (given,)
        if name not in _BUILTIN_TYPES or isinstance(given.thing, CommandLineText):
            break
        try:
            return (replace(given, thing=_BUILTIN_TYPES[name](given.thing)),)
        except ValueError:
            break
    return unseen(given.span, given.assumptions)
