"""What the platform answers, each answer under the platforms that give it, and on which a call can be made at all."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.things.kinds import External, Frame, Possibilities, Possibility
from loaderlint.linking.things.possibilities import EVERY_PLATFORM, under
from loaderlint.model.assumptions import NO_ASSUMPTIONS, PLATFORM, START_METHOD, Assumption, Assumptions, together
from loaderlint.model.source import Span
from loaderlint.model.target import Platform, StartMethod
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.platforms import (
    ATTRIBUTES,
    BACKENDS,
    FUNCTIONS,
    ON_SIGNALS,
    SIGNALS,
    UNIX,
    VARIABLES_OF_WINDOWS,
    WITH_BACKEND,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_NAMES_OF_SYSTEM = {"platform.uname": "system", "os.uname": "sysname"}
"""Functions that describe the machine, and what each names its system; it comes first in both."""


def fact(name: str, span: Span) -> Possibilities | None:
    """Return what a platform constant such as ``sys.platform`` is on each platform; None for any other name."""
    spelled: dict[str, Callable[[Platform], str]] = {
        "sys.platform": lambda platform: platform.sys_platform,
        "os.name": lambda platform: platform.os_name,
        **dict.fromkeys(("os.sep", "os.path.sep"), lambda platform: "\\" if platform is Platform.WINDOWS else "/"),
    }
    return per_platform(spelled[name], span) if name in spelled else None


def of_uname(callee: str, part: object, span: Span) -> Possibilities | None:
    """Return what ``platform.uname()`` or ``os.uname()`` says of the system on each platform that has it, else None."""
    asked = part in (_NAMES_OF_SYSTEM.get(callee), 0) and not isinstance(part, bool)
    if callee not in _NAMES_OF_SYSTEM or not asked:
        return None
    return under(per_platform(lambda platform: platform.system, span), on(FUNCTIONS.get(callee, EVERY_PLATFORM)))


def of_environment(name: str, unset: Possibilities, span: Span) -> Possibilities | None:
    """Return a variable that Windows itself sets, and what it is ``unset`` elsewhere; None for any other variable."""
    if name not in VARIABLES_OF_WINDOWS:
        return None
    there = Possibility(VARIABLES_OF_WINDOWS[name], span, assumptions=on(EVERY_PLATFORM - UNIX))
    return (there, *under(unset, on(UNIX)))


def is_path_of(kind: str, span: Span) -> Possibilities | None:
    """Return whether what ``Path()`` makes is of one of the two kinds of paths; None for any other class."""
    given_on = {"pathlib.PosixPath": UNIX, "pathlib.WindowsPath": EVERY_PLATFORM - UNIX}.get(kind)
    return None if given_on is None else _answers(given_on, span)


def start_method(span: Span) -> Possibilities:
    """Return what ``get_start_method()`` gives on each platform where the program has set none."""
    by_method: dict[StartMethod, frozenset[str]] = {}
    for platform in Platform:
        for method in platform.default_start_methods:
            by_method[method] = by_method.get(method, frozenset()) | {platform.value}
    return tuple(
        Possibility(method.value, span, assumptions=on(some) | {Assumption(START_METHOD, method.value)})
        for method, some in by_method.items()
    )


def has_attribute(module: str, name: str, span: Span) -> Possibilities | None:
    """Return whether a module has what only some platforms give it; None for any other attribute."""
    given_on = UNIX if module == "signal" and name in SIGNALS else ATTRIBUTES.get(f"{module}.{name}")
    if given_on is None:
        return None
    return _answers(given_on, span)


def _answers(given_on: frozenset[str], span: Span) -> Possibilities:
    """Return yes on some platforms and no on the others."""
    return tuple(
        Possibility(answer, span, assumptions=on(some))
        for answer, some in ((True, given_on), (False, EVERY_PLATFORM - given_on))
    )


def has_start_method(asked: Possibility, span: Span) -> Possibilities:
    """Return whether one of what ``get_all_start_methods`` gives is this; in which order it does depends on Python."""
    by_platform = per_platform(lambda platform: " ".join(method.value for method in platform.start_methods), span)
    return tuple(replace(one, thing=asked.thing in str(one.thing).split()) for one in by_platform)


def with_start_method(name: str) -> frozenset[str]:
    """Return the platforms whose Python has a start method of this name."""
    return frozenset(one.value for one in Platform if any(name == method.value for method in one.start_methods))


def per_platform(spell: Callable[[Platform], str], span: Span) -> Possibilities:
    """Return what is spelled in the way of each platform, once for those that spell it alike."""
    by_text: dict[str, list[str]] = {}
    for platform in Platform:
        by_text.setdefault(spell(platform), []).append(platform.value)
    return tuple(
        Possibility(text, span, assumptions=frozenset({Assumption(PLATFORM, frozenset(platforms))}))
        for text, platforms in by_text.items()
    )


def needed(evaluator: Evaluator, call: ast.Call, frame: Frame) -> list[Assumptions]:
    """Return the alternatives under which there is what a call needs: a function, a signal or a backend."""
    name = name_of_callee(evaluator, call, frame)
    if name in FUNCTIONS:
        return [on(FUNCTIONS[name])]
    if name in ON_SIGNALS and call.args:
        signal = (dotted(call.args[0]) or "").rpartition(".")[2]
        return [on(ON_SIGNALS[name]) if signal in SIGNALS else NO_ASSUMPTIONS]
    if name not in WITH_BACKEND:
        return [NO_ASSUMPTIONS]
    first = WITH_BACKEND[name]
    backend = arguments(call, [first]).get(first)
    if backend is None:
        return [NO_ASSUMPTIONS]
    found: list[Assumptions] = []
    for one in evaluator.evaluate(backend, frame):
        where = BACKENDS.get(one.thing) if isinstance(one.thing, str) else None
        way = one.assumptions if where is None else together(one.assumptions, on(where))
        found.extend(() if way is None else (way,))
    return found


def name_of_callee(evaluator: Evaluator, call: ast.Call, frame: Frame) -> str:
    """Return the dotted name of what a call calls in a library, whichever import brings it; "" for anything else."""
    names = {one.thing.name if isinstance(one.thing, External) else "" for one in evaluator.evaluate(call.func, frame)}
    return next(iter(names)) if len(names) == 1 else ""


def on(some: frozenset[str]) -> Assumptions:
    """Return the assumption that the platform is one of some, none where they are all there are."""
    if some == EVERY_PLATFORM:
        return NO_ASSUMPTIONS
    return frozenset({Assumption(PLATFORM, some)})
