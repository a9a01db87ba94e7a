"""Flags: what one declaration of a command line says, and what its flag gives when the user says nothing.

``argparse``: CPython ``Lib/argparse.py`` (an argument's ``dest`` is its first long flag with dashes as underscores;
without ``type`` a value stays a string; a default that is a string is passed through ``type``). ``click``: the options
documentation ("Name Your Options").
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Set
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.things import dictionaries, loops, templates
from loaderlint.linking.things.kinds import (
    FILE_GIVEN,
    GIVEN,
    SOMETHING_GIVEN,
    UNSEEN,
    Absent,
    External,
    Frame,
    Made,
    Possibilities,
    Possibility,
)
from loaderlint.linking.things.possibilities import choice, combined, under, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import arguments as arguments_of
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


class Flag(Struct, frozen=True, eq=False):
    """One declared flag of a command line.

    ``text`` says that the user's value stays a string, ``number`` that it becomes a float, ``something`` that it is
    never None, whatever else it becomes; ``switch`` is what a flag without a value gives, and ``turned_off`` that
    another flag gives the opposite, as ``--no-pin`` does beside ``--pin``. ``names`` are the strings it is declared by,
    and ``turn`` is assumed of the loops around its declaration, which may declare others.
    """

    name: str
    declaration: ast.Call
    frame: Frame
    default: ast.expr | None
    names: tuple[str, ...] = ()
    turn: Assumptions = NO_ASSUMPTIONS
    text: bool = False
    number: bool = False
    something: bool = False
    switch: bool | None = None
    turned_off: bool = False

    @property
    def span(self) -> Span:
        """Where it is declared."""
        return self.frame.facts.span(self.declaration)

    @property
    def spellings(self) -> tuple[str, ...]:
        """The words that announce its value on a command line; none for a positional argument."""
        return tuple(one for one in self.names if one.startswith("-"))

    @property
    def subject(self) -> str:
        """What an assumption about whether the user names it speaks of."""
        return str(self.span) if self.names == strings(self.declaration) else f"{self.span} {self.name}"

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

    @property
    def splats(self) -> list[ast.keyword]:
        """What may bring its declaration further keywords."""
        return [one for one in self.declaration.keywords if one.arg is None]

    def values(self, evaluator: Evaluator, node: ast.expr) -> Possibilities:
        """Return what an expression of its declaration can be at its own turn of the loops around it."""
        found = evaluator.evaluate(node, self.frame)
        return loops.of_turn(found, self.turn) if self.turn else found


def strings(call: ast.Call) -> tuple[str, ...]:
    """Return the positional arguments of a declaration that are strings: the names of its flag."""
    return tuple(one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str))


def name_of(call: ast.Call, given: tuple[str, ...] | None = None) -> str | None:
    """Return what a flag is called where it is read, by the call that declares it: ``n_cpu`` for ``-n, --n-cpu``.

    ``given`` are the names it is declared by where they are not written in the call.
    """
    names = strings(call) if given is None else given
    written = keywords_of(call).get("dest")
    if isinstance(written, ast.Constant) and isinstance(written.value, str):
        return written.value
    if not names:
        return None
    long = [one for one in names if one.startswith("--")]
    plain = [one for one in names if not one.startswith("-")]
    return (plain or long or names)[0].lstrip("-").replace("-", "_")


def declared_flag(
    call: ast.Call, frame: Frame, names: tuple[str, ...] | None = None, turn: Assumptions = NO_ASSUMPTIONS
) -> Flag | None:
    """Return the flag that an ``add_argument`` or ``click.option`` call declares, None when its name is not written.

    ``names`` are those it is declared by where they are worked out, at a ``turn`` of the loops around it.
    """
    name, keywords = name_of(call, names), keywords_of(call)
    if name is None:
        return None
    flag = Flag(name, call, frame, keywords.get("default"), strings(call) if names is None else names, turn)
    kind = keywords.get("type")
    alone = flag.action in _TEXT_ACTIONS and not flag.splats and "nargs" not in keywords
    text, number = alone and (kind is None or _leaves_text(kind, frame)), alone and _gives_float(kind, frame)
    if _is_both_ways(flag):
        return replace(flag, switch=True, turned_off=True)
    something = text or number or (alone and _gives_constant(kind, frame))
    return replace(flag, text=text, number=number, something=something, switch=_SWITCHES.get(flag.action or ""))


def _leaves_text(kind: ast.expr, frame: Frame) -> bool:
    """Return whether a type leaves a string as it is: ``str``, ``lambda text: text``."""
    match kind:
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=given)]), body=ast.Name(id=returned)):
            return given == returned
    return _is_builtin(kind, "str", frame)


def _gives_float(kind: ast.expr | None, frame: Frame) -> bool:
    return kind is not None and (_is_builtin(kind, "float", frame) or dotted(kind) == _FLOAT_OF_CLICK)


def _gives_constant(kind: ast.expr | None, frame: Frame) -> bool:
    return kind is not None and any(_is_builtin(kind, name, frame) for name in _BUILTIN_TYPES)


def _is_builtin(kind: ast.expr, name: str, frame: Frame) -> bool:
    return (
        isinstance(kind, ast.Name)
        and kind.id == name
        and name not in {**frame.scope.bindings, **frame.facts.module.bindings}
    )


_FLOAT_OF_CLICK = "click.FLOAT"
_PARSER = "argparse.ArgumentParser"


def worked_out(
    evaluator: Evaluator, call: ast.Call, frame: Frame, turns: Set[str]
) -> list[tuple[tuple[str, ...], Assumptions, Assumptions]] | None:
    """Return the names by which a call declares flags that are not written there; None where they all are.

    Each comes with the turn of the loops around it, of which ``turns`` are the subjects, and what else it assumes;
    names that were not seen are none.
    """
    destination = [one.value for one in call.keywords if one.arg == "dest"]
    if all(isinstance(one, ast.Constant) for one in (*call.args, *destination)):
        return None
    arguments, complete = loops.spread(evaluator, call.args, frame)
    named = [*arguments, *((one, None) for one in destination)]
    given_as = [texts(evaluator, node, frame) if values is None else values for node, values in named]
    found: dict[tuple[tuple[str, ...], Assumptions, Assumptions], None] = {}
    for values, assumptions, _ in combined(*given_as) if complete else ():
        given = [one.thing for one in values if not isinstance(one.thing, Absent)]
        names = tuple(one for one in given if isinstance(one, str))
        turn = frozenset(one for one in assumptions if one.subject in turns)
        found[names if len(names) == len(given) else (), turn, assumptions - turn] = None
    return [*found] or [((), NO_ASSUMPTIONS, NO_ASSUMPTIONS)]


def texts(evaluator: Evaluator, node: ast.expr, frame: Frame) -> Possibilities:
    """Return what text in a declaration can be: a sum of texts, or one with names in it, is put together."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return tuple(templates.spelled_out(evaluator, evaluator.evaluate(node, frame)))
    span = frame.facts.span(node)
    found: list[Possibility] = []
    for (left, right), assumptions, _ in combined(*(texts(evaluator, one, frame) for one in (node.left, node.right))):
        known = isinstance(left.thing, str) and isinstance(right.thing, str)
        found.append(Possibility(f"{left.thing}{right.thing}" if known else UNSEEN, span, assumptions=assumptions))
    return tuple(found) or unseen(span)


def _is_both_ways(flag: Flag) -> bool:
    return (flag.action or "").rpartition(".")[2] == _BOTH_WAYS


def default_values(evaluator: Evaluator, flag: Flag, set_before: Possibilities | None = None) -> Possibilities:
    """Return what a flag gives when the user says nothing; none where the user has to say something.

    ``set_before`` are defaults that were set for its name before it was declared without a default of its own.
    """
    span = flag.span
    if flag.default is None and flag.splats:
        spread = ast.Call(flag.declaration.func, [], flag.splats)
        given = dictionaries.items_of_call(evaluator, spread, flag.frame).entries.get("default") or unseen(span)
        return loops.of_turn(given, flag.turn) if flag.turn else given
    if flag.default is None and set_before is not None:
        return set_before
    if flag.switch is not None and flag.default is None and not _is_both_ways(flag):
        return (Possibility(not flag.switch, span, taken_out=True),)
    if flag.default is None:
        return () if _is_required(flag) else (Possibility(None, span),)
    if _is_never_left_out(flag):
        return ()
    return tuple(one for one in flag.values(evaluator, flag.default) if not is_suppressed(one))


def is_suppressed(one: Possibility) -> bool:
    """Return whether a default stands for no attribute at all."""
    return isinstance(one.thing, External) and one.thing.name == "argparse.SUPPRESS"


def flag_values(evaluator: Evaluator, flag: Flag, defaults: Possibilities) -> Possibilities:
    """Return what a flag can give: one of its defaults, or the user's own value, which is unseen.

    A flag without ``type`` gives a string whenever the user gives it, one that is declared ``type=float`` a float.
    """
    span = flag.span
    values = tuple(way for one in defaults for way in converted(evaluator, one, flag))
    unsaid = under((one.step(span, f"{flag.spelled} default") for one in values), choice(flag.subject, "default"))
    alike = str | float if flag.number else str
    told_apart = not any(isinstance(one.thing, alike) or one.thing is None for one in values)
    return (*unsaid, *user_values(evaluator, flag, told_apart=told_apart))


def user_values(evaluator: Evaluator, flag: Flag, *, told_apart: bool = True) -> Possibilities:
    """Return what a flag gives when the user names it.

    ``told_apart`` says that a string, or a float, tells the user's value from a default.
    """
    span, given = flag.span, choice(flag.subject, "given")
    if flag.switch is not None:
        # The declaration says what the flag gives, but is not that value: nothing else can stand there.
        on = Possibility(flag.switch, span, assumptions=given, taken_out=True).step(span, flag.spelled)
        off = Possibility(not flag.switch, span, assumptions=choice(flag.subject, "turned off"), taken_out=True)
        return (on, off.step(span, f"{flag.spelled} turned off")) if flag.turned_off else (on,)
    constant = flag.keyword("const") if flag.action == "store_const" else None
    if constant is not None:
        return under(flag.values(evaluator, constant), given)
    if flag.something and _is_true_of_any_word(evaluator, flag):
        return (Possibility(True, span, assumptions=given, taken_out=True).step(span, f"{flag.spelled} of type bool"),)
    if (flag.text or flag.number) and told_apart:
        text = Possibility(CommandLineText(flag.spelled, flag.number), span, assumptions=given)
        kind = flag.keyword("type")
        typed = "without type" if kind is None else f"of type {flag.frame.facts.text(kind)}"
        return (text.step(span, f"{flag.spelled} {typed}"),)
    if _opens_files(evaluator, flag):
        return (Possibility(FILE_GIVEN, span, assumptions=given),)
    return (Possibility(SOMETHING_GIVEN if flag.something else GIVEN, span, assumptions=given),)


def _is_true_of_any_word(evaluator: Evaluator, flag: Flag) -> bool:
    """Return whether a flag is True whatever the user says: ``bool("False")`` is, too, and nobody says nothing at all.

    Other parsers than Python's own read the word.
    """
    kind, function = flag.keyword("type"), flag.declaration.func
    if kind is None or not _is_builtin(kind, "bool", flag.frame) or not isinstance(function, ast.Attribute):
        return False
    found = [one.thing for one in evaluator.evaluate(function.value, flag.frame)]
    return bool(found) and all(isinstance(one, Made) and one.callee.startswith(_PARSER) for one in found)


def _is_required(flag: Flag) -> bool:
    """Return whether the declaration of a flag without a default says that the user must give it."""
    required = flag.keyword("required")
    if required is not None:
        return not (isinstance(required, ast.Constant) and not required.value)
    return bool(flag.names) and not flag.spellings and flag.keyword("nargs") is None


def _is_never_left_out(flag: Flag) -> bool:
    """Return whether argparse ends the program where the user does not say the flag, whatever its default.

    Click takes the default. ``argparse.py``, ``ArgumentParser._parse_known_args``: "the following arguments are
    required".
    """
    required = flag.keyword("required")
    declares = isinstance(flag.declaration.func, ast.Attribute) and flag.declaration.func.attr == "add_argument"
    return declares and isinstance(required, ast.Constant) and required.value is True


def converted(evaluator: Evaluator, given: Possibility, flag: Flag) -> Possibilities:
    """Return what a parser hands over for a default or a word: a string goes through ``type``, all else stays."""
    kind = flag.keyword("type")
    if kind is None or not isinstance(given.thing, str | CommandLineText):
        return (given,)
    if isinstance(given.thing, str) and _opens_files(evaluator, flag):
        name = given.thing
        call = evaluator.remembered(("opened", id(kind), name), flag.frame, lambda: _opened(kind, name))
        return (replace(given, thing=Made("builtins.open", call, flag.frame)),)
    for one in flag.values(evaluator, kind):
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


def _opens_files(evaluator: Evaluator, flag: Flag) -> bool:
    """Return whether the type of a flag opens the file of that name to read it (``argparse.py``, ``FileType``)."""
    kind = flag.keyword("type")
    alone = flag.action in _TEXT_ACTIONS and flag.keyword("nargs") is None
    if not isinstance(kind, ast.Call) or not alone:
        return False
    mode = arguments_of(kind, ("mode",)).get("mode")
    reads = mode is None or (isinstance(mode, ast.Constant) and str(mode.value).startswith("r"))
    found = [one.thing for one in flag.values(evaluator, kind)] if reads else []
    return bool(found) and all(isinstance(one, Made) and one.callee == "argparse.FileType" for one in found)


def _opened(kind: ast.expr, name: str) -> ast.Call:
    """Return the call that opens a file as ``FileType`` does."""
    call = ast.Call(ast.Name("open", ast.Load()), [ast.Constant(name)], [])
    return ast.fix_missing_locations(ast.copy_location(call, kind))
