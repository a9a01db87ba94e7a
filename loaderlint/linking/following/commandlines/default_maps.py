"""click: the defaults that a command is given from outside, which come before those of its options.

``click/core.py``: they are the ``default_map`` of its ``context_settings``, or of the call that runs it, which comes
before these (``BaseCommand.make_context``); a command without one has what the map of the group it belongs to holds
under its name (``Context.__init__``). It is named as its function is, with dashes (``click/decorators.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.things.kinds import ABSENT, Absent, Frame, Function, Items, Possibilities, Possibility, end_of
from loaderlint.linking.things.possibilities import one_of, settled, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, dotted
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_KEY = "default_map"
_SETTINGS = "context_settings"
_MAKERS = ("command", "group")
_DEEPEST = 4
"""Groups inside each other that are looked at."""


def of_command(evaluator: Evaluator, function: FunctionNode, frame: Frame, depth: int = 0) -> Possibilities:
    """Return the maps that a command can have: `ABSENT` or None where it has none, unseen where that is not seen.

    ``frame`` is the frame in which the function's decorators are read.
    """
    span = frame.facts.span(function)
    none = (Possibility(ABSENT, span),)
    declared: Possibilities = none
    for decorator in function.decorator_list:
        settings = keywords_of(decorator).get(_SETTINGS) if isinstance(decorator, ast.Call) else None
        if settings is not None:
            declared = tuple(
                way
                for one in evaluator.evaluate(settings, frame)
                for way in under(_in_settings(one, span), one.assumptions)
            )
    if any(_is_none(one) for one in declared) and depth < _DEEPEST:
        declared = _settled(declared, lambda: _of_groups(evaluator, function, frame, depth) or none)
    called = _of_calls(evaluator, function)
    if not called:
        return declared
    ways = [(str(place), _settled(given, lambda: declared)) for place, given in called]
    return one_of(f"how {function.name} is run", ways)


def laid_over(maps: Possibilities, name: str, defaults: Callable[[], Possibilities], span: Span) -> Possibilities:
    """Return what an option has by default where its command has one of some maps, and its own default beside."""
    found: list[Possibility] = []
    for one in maps:
        values = defaults() if _is_none(one) else settled(_entry(one, name, span), defaults)
        found.extend(under(values, one.assumptions))
    return tuple(found)


def _entry(one: Possibility, name: str, span: Span) -> Possibilities:
    if not isinstance(one.thing, Items):
        return unseen(span)
    missing = (Possibility(ABSENT, span),) if one.thing.complete else unseen(span)
    return one.thing.entries.get(name, missing)


def _is_none(one: Possibility) -> bool:
    return one.thing is None or isinstance(one.thing, Absent)


def _settled(maps: Possibilities, before: Callable[[], Possibilities]) -> Possibilities:
    """Return maps, and in the place of none the one that a command has then."""
    return settled(tuple(replace(one, thing=ABSENT) if _is_none(one) else one for one in maps), before)


def _in_settings(one: Possibility, span: Span) -> Possibilities:
    """Return the map in a command's settings; settings that are not seen mostly say how help is asked for."""
    if isinstance(one.thing, Items):
        return _entry(one, _KEY, span)
    none = (Possibility(ABSENT, span),)
    return one_of(f"{_KEY} of the settings at {span}", (("none", none), ("given", unseen(span))))


def _of_groups(evaluator: Evaluator, function: FunctionNode, frame: Frame, depth: int) -> Possibilities:
    """Return what the maps of the groups hold that a command belongs to, nothing where no group is seen."""
    found: list[tuple[str, Possibilities]] = []
    for owner, named in _groups(evaluator, function, frame):
        node, around = owner.node, owner.scope.parent
        if not isinstance(node, FunctionNode) or around is None:
            continue
        span = owner.facts.span(node)
        maps = of_command(evaluator, node, Frame(owner.facts, end_of(around)), depth + 1)
        below = (
            way for one in maps for way in under((one,) if _is_none(one) else _entry(one, named, span), one.assumptions)
        )
        found.append((str(span), tuple(below)))
    return one_of(f"the group of {function.name}", found)


def _groups(evaluator: Evaluator, function: FunctionNode, frame: Frame) -> Iterator[tuple[Function, str]]:
    """Yield the groups that a command is put into, each with the name that it has there."""
    named = function.name.lower().replace("_", "-")
    owners: list[tuple[ast.expr, Frame]] = []
    for decorator in function.decorator_list:
        made = decorator.func if isinstance(decorator, ast.Call) else decorator
        written = decorator.args[:1] if isinstance(decorator, ast.Call) else []
        if isinstance(decorator, ast.Call) and (name := keywords_of(decorator).get("name")) is not None:
            written = [name]
        if isinstance(made, ast.Attribute) and made.attr in _MAKERS:
            owners.append((made.value, frame))
        if (dotted(made) or "").rpartition(".")[2] in _MAKERS and written and isinstance(written[0], ast.Constant):
            named = str(written[0].value)
    for site in frame.facts.calls.get("add_command", ()):
        added = isinstance(site.node.func, ast.Attribute) and [dotted(one) for one in site.node.args[:1]]
        if isinstance(site.node.func, ast.Attribute) and added == [function.name]:
            owners.append((site.node.func.value, Frame(frame.facts, site.place)))
    for owner, where in owners:
        yield from ((one.thing, named) for one in evaluator.evaluate(owner, where) if isinstance(one.thing, Function))


def _of_calls(evaluator: Evaluator, function: FunctionNode) -> list[tuple[Span, Possibilities]]:
    """Return the maps that the calls of a command give it, none where no call gives one."""
    found: list[tuple[Span, Possibilities]] = []
    for facts, site, command in _sites(evaluator, function.name):
        frame = Frame(facts, site.place)
        run = [one.thing.node for one in evaluator.evaluate(command, frame) if isinstance(one.thing, Function)]
        if function not in run:
            continue
        given = keywords_of(site.node).get(_KEY)
        span = facts.span(site.node)
        found.append((span, (Possibility(ABSENT, span),) if given is None else evaluator.evaluate(given, frame)))
    return found


def _sites(evaluator: Evaluator, name: str) -> list[tuple[PythonFacts, CallSite, ast.expr]]:
    """Return the calls that may run a command of a name, and what each runs; none where no such call gives a map."""
    if not evaluator.project.code_mentions((_KEY,)):
        return []
    found: list[tuple[PythonFacts, CallSite, ast.expr]] = []
    for facts in evaluator.project.all_python():
        found.extend((facts, site, site.node.func) for site in facts.calls.get(name, ()))
        for site in facts.calls.get("main", ()):
            run = site.node.func
            if isinstance(run, ast.Attribute) and (dotted(run.value) or "").rpartition(".")[2] == name:
                found.append((facts, site, run.value))
    return found if any(_KEY in keywords_of(site.node) for _, site, _ in found) else []
