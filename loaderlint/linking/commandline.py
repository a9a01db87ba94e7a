"""Command lines: the flags a parser declares, and what each gives when the user says nothing.

``argparse``: CPython ``Lib/argparse.py`` (an argument's ``dest`` is its first long flag with dashes as underscores;
without ``type`` a value stays a string; a default that is a string is passed through ``type``). ``click``: the options
documentation ("Name Your Options").
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from loaderlint.linking.things import (
    CommandLine,
    Flag,
    Frame,
    Made,
    Possibilities,
    Possibility,
    choice,
    end_of,
    settled,
    under,
    unseen,
)
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText
from loaderlint.readers.python import FunctionNode, dotted

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_SWITCHES = {"store_true": True, "store_false": False}
_TEXT_ACTIONS = (None, "store")

_WRAPPERS = {
    "typer.Option": 0,
    "typer.Argument": 0,
    "dataclasses.field": None,
    "pydantic.Field": 0,
    "attr.ib": 0,
    "attrs.field": None,
    "attr.field": None,
}
"""Calls that stand for a default: the position of the default among their arguments (None: keyword only)."""


class CommandLines:
    """The parsers of a project and what they declare, worked out once."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._flags: dict[int, list[Flag]] | None = None
        self._defaults: dict[int, dict[str, tuple[ast.expr, Frame]]] = {}
        self._looking = False

    def parsed(self, parser: Made) -> CommandLine:
        """Return what ``parser.parse_args()`` gives."""
        flags: dict[str, Flag] = {}
        overrides: dict[str, tuple[ast.expr, Frame]] = {}
        for one in (*self._parents(parser), parser):
            flags.update((flag.name, flag) for flag in self._declared(one))
            overrides.update(self._defaults.get(id(one.call), {}))
        return CommandLine(flags, overrides)

    def _parents(self, parser: Made) -> Iterator[Made]:
        for keyword in parser.call.keywords:
            if keyword.arg == "parents" and isinstance(keyword.value, ast.List | ast.Tuple):
                for item in keyword.value.elts:
                    for one in self._evaluator.evaluate(item, parser.frame):
                        if isinstance(one.thing, Made):
                            yield one.thing

    def _declared(self, parser: Made) -> list[Flag]:
        if self._flags is None:
            if self._looking:
                return []
            self._looking = True
            found: dict[int, list[Flag]] = {}
            try:
                for facts in self._evaluator.project.all_python():
                    for method in ("add_argument", "set_defaults"):
                        for site in facts.calls.get(method, ()):
                            self._declaration(site.node, Frame(facts, site.place), found)
            finally:
                self._looking = False
            self._flags = found
        return self._flags.get(id(parser.call), [])

    def _declaration(self, call: ast.Call, frame: Frame, found: dict[int, list[Flag]]) -> None:
        if not isinstance(call.func, ast.Attribute):
            return
        for one in self._evaluator.evaluate(call.func.value, frame):
            if not isinstance(one.thing, Made):
                continue
            key = id(one.thing.call)
            if call.func.attr == "set_defaults":
                for keyword in call.keywords:
                    if keyword.arg is not None:
                        self._defaults.setdefault(key, {})[keyword.arg] = (keyword.value, frame)
                continue
            flag = declared_flag(call, frame)
            if flag is not None:
                found.setdefault(key, []).append(flag)

    def flag(self, command_line: CommandLine, name: str, span: Span) -> Possibilities:
        """Return what an attribute of a parsed command line can be: its default, or whatever the user gives."""
        return settled(command_line.changed.get(name), lambda: self._parsed(command_line, name, span))

    def _parsed(self, command_line: CommandLine, name: str, span: Span) -> Possibilities:
        flag = command_line.flags.get(name)
        override = command_line.overrides.get(name)
        if flag is not None:
            return flag_values(self._evaluator, flag, override)
        if override is not None:
            return self._evaluator.evaluate(*override)
        return unseen(span)


def declared_flag(call: ast.Call, frame: Frame) -> Flag | None:
    """Return the flag that an ``add_argument`` or ``click.option`` call declares, None when its name is not written."""
    names = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    keywords = {one.arg: one.value for one in call.keywords if one.arg is not None}
    written = keywords.get("dest")
    if isinstance(written, ast.Constant) and isinstance(written.value, str):
        name = written.value
    elif names:
        long = [one for one in names if one.startswith("--")]
        plain = [one for one in names if not one.startswith("-")]
        name = (plain or long or names)[0].lstrip("-").replace("-", "_")
    else:
        return None
    action = keywords.get("action")
    action_name = action.value if isinstance(action, ast.Constant) else (dotted(action) if action is not None else None)
    switch = _SWITCHES.get(action_name) if isinstance(action_name, str) else None
    text = action_name in _TEXT_ACTIONS and "type" not in keywords and "nargs" not in keywords
    return Flag(name, call, frame, keywords.get("default"), text, switch)


def flag_values(evaluator: Evaluator, flag: Flag, override: tuple[ast.expr, Frame] | None = None) -> Possibilities:
    """Return what a flag can give: the default somebody wrote, and the user's own value, which is unseen.

    A flag without ``type`` gives a string whenever the user gives it.
    """
    span = flag.frame.facts.span(flag.declaration)
    subject = str(span)
    spelled = next(
        (
            one.value
            for one in flag.declaration.args
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.startswith("-")
        ),
        flag.name,
    )
    default, frame = override or (flag.default, flag.frame)
    values: Possibilities
    if flag.switch is not None and default is None:
        values = (Possibility(not flag.switch, span),)
    elif default is not None:
        values = tuple(_converted(one, flag) for one in evaluator.evaluate(default, frame))
    elif _is_required(flag.declaration):
        values = ()
    else:
        values = (Possibility(None, span),)
    defaults = under((one.step(span, f"{spelled} default") for one in values), choice(subject, "default"))
    if flag.switch is not None:
        return (*defaults, *under((Possibility(flag.switch, span),), choice(subject, "given")))
    if flag.text and not any(isinstance(one.thing, str) or one.thing is None for one in values):
        text = Possibility(CommandLineText(spelled), span).step(span, f"{spelled} without type")
        return (*defaults, *under((text,), choice(subject, "given")))
    return (*defaults, *unseen(span, choice(subject, "given")))


def _is_required(declaration: ast.Call) -> bool:
    """Return whether a declaration without a default says that the user must give the flag."""
    keywords = {one.arg: one.value for one in declaration.keywords}
    required = keywords.get("required")
    if required is not None:
        return not (isinstance(required, ast.Constant) and not required.value)
    first = declaration.args[0] if declaration.args else None
    positional = isinstance(first, ast.Constant) and isinstance(first.value, str) and not first.value.startswith("-")
    return positional and "nargs" not in keywords


def _converted(default: Possibility, flag: Flag) -> Possibility:
    """Return a default as the parser hands it over: a string goes through ``type=int``."""
    kind = next((one.value for one in flag.declaration.keywords if one.arg == "type"), None)
    if isinstance(default.thing, str) and isinstance(kind, ast.Name) and kind.id == "int":
        try:
            return replace(default, thing=int(default.thing))
        except ValueError:
            return default
    return default


def option_of_decorator(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, name: str, frame: Frame
) -> Possibilities | None:
    """Return what a ``click.option`` above a function gives its parameter, None when there is none."""
    if isinstance(function, ast.Lambda):
        return None
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or (dotted(decorator.func) or "").rpartition(".")[2] != "option":
            continue
        parent = frame.scope.parent
        assert parent is not None
        flag = declared_flag(decorator, Frame(frame.facts, end_of(parent)))
        if flag is not None and flag.name == name:
            # click takes the type from the default, so a default that is no string is never replaced by a string.
            return flag_values(evaluator, Flag(flag.name, decorator, flag.frame, flag.default, False, flag.switch))
    return None


def _made_by(evaluator: Evaluator, factory: ast.expr, frame: Frame) -> Possibilities:
    """Return the object that a field's factory makes when it is called without arguments."""
    call = ast.copy_location(ast.Call(factory, [], []), factory)
    return evaluator.evaluate(call, frame)


def unwrapped(evaluator: Evaluator, possibilities: Possibilities) -> Possibilities:
    """Return the possibilities with the default in place of its declaration, such as ``typer.Option(4)``."""
    found: list[Possibility] = []
    for one in possibilities:
        thing = one.thing
        if not isinstance(thing, Made) or thing.callee not in _WRAPPERS:
            found.append(one)
            continue
        position = _WRAPPERS[thing.callee]
        default = next((keyword.value for keyword in thing.call.keywords if keyword.arg == "default"), None)
        if default is None and position is not None and len(thing.call.args) > position:
            default = thing.call.args[position]
        factory = next((keyword.value for keyword in thing.call.keywords if keyword.arg == "default_factory"), None)
        if default is None and factory is not None:
            found.extend(under(_made_by(evaluator, factory, thing.frame), one.assumptions))
        elif default is None:
            found.extend(unseen(one.span, one.assumptions))
        else:
            found.extend(under(evaluator.evaluate(default, thing.frame), one.assumptions))
    return tuple(found)
