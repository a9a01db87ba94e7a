"""What ``${…}`` stands for in an OmegaConf configuration.

A path names another key, counted from the root or, with dots in front, from where it is written; a colon calls a
resolver (https://omegaconf.readthedocs.io/en/2.3_branch/grammar.html). Text with more around it is a string made of
parts, and no setting of a loader is one.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from loaderlint.linking.things import settings as configuration
from loaderlint.linking.things.kinds import UNSEEN, Absent, Possibilities, Possibility, Settings
from loaderlint.linking.things.possibilities import choice, irremovable, laid_over, under, unseen
from loaderlint.readers.yaml_scalars import resolve

MOST_IN_A_ROW = 12
"""Interpolations that stand for each other; a longer way than this is unseen."""

_WHOLE = re.compile(r"\$\{\s*(?P<inner>(?:[^{}]|\$\{[^{}]*\})*?)\s*\}")
_PATH = re.compile(r"(?P<dots>\.*)(?P<keys>[\w\-]+(?:\.[\w\-]+|\[\w+\])*)")
_KEY = re.compile(r"[\w\-]+")
_RESOLVER = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\s*:\s*(?P<arguments>.*)", re.DOTALL)


def resolved(one: Possibility, text: str, settings: Settings, depth: int) -> Possibilities:
    """Return what an interpolation that is written in one of the settings' keys stands for."""
    whole = _WHOLE.fullmatch(text.strip())
    if whole is None or depth > MOST_IN_A_ROW:
        return unseen(one.span)
    inner = whole["inner"]
    path = _PATH.fullmatch(inner)
    resolver = _RESOLVER.fullmatch(inner)
    found = unseen(one.span)
    if path is not None:
        found = _named(one, path, settings, depth)
    elif resolver is not None:
        start = len(text) - len(text.lstrip()) + whole.start("inner")
        found = _called(_piece(one, text, start, len(inner)), resolver, settings, depth)
    found = tuple(replace(way, trail=(*way.trail, *one.trail)) for way in found)
    return irremovable(way.step(one.span, text) if way.constant else way for way in found)


def _piece(one: Possibility, text: str, start: int, length: int) -> Possibility:
    """Return an interpolation narrowed to a piece of its text; an empty place where it is not written as it reads."""
    span = one.span
    quote = span.end_column - span.column - len(text)
    if span.line != span.end_line or quote not in (0, 2):
        return replace(one, span=span._replace(end_line=span.line, end_column=span.column), trail=())
    column = span.column + quote // 2 + start
    return replace(one, span=span._replace(column=column, end_column=column + length), trail=())


def _at(one: Possibility, path: re.Match[str], settings: Settings, depth: int) -> Possibilities:
    start: Settings | None = settings if path["dots"] else settings.root
    for _ in path["dots"][1:]:
        start = start and start.above
    if start is None:
        return unseen(one.span)
    return configuration.selected(start, _KEY.findall(path["keys"]), one.span, depth + 1)


def _named(one: Possibility, path: re.Match[str], settings: Settings, depth: int) -> Possibilities:
    """Return what the key that an interpolation names can be; where there is none, the program fails."""
    found = _at(one, path, settings, depth)
    return tuple(replace(way, thing=UNSEEN) if isinstance(way.thing, Absent) else way for way in found)


def _called(one: Possibility, resolver: re.Match[str], settings: Settings, depth: int) -> Possibilities:
    """Return what a resolver of OmegaConf's own gives; one that the project registers is unseen.

    ``oc.env`` gives a string, its default included (``omegaconf/resolvers/oc/__init__.py``, 2.3).
    """
    name, arguments = resolver["name"], resolver["arguments"]
    first, comma, rest = arguments.partition(",")
    if name == "oc.env" and "{" not in first:
        given = unseen(one.span, choice(f"${first.strip()}", "set"))
        default = _default(one, resolver, rest, text=True) if comma else ()
        return (*given, *under(default, choice(f"${first.strip()}", "unset")))
    path = _PATH.fullmatch(first.strip())
    if name == "oc.select" and path is not None:
        default = _default(one, resolver, rest, text=False) if comma else (replace(one, thing=None),)
        return laid_over(_at(one, path, settings, depth), lambda: default)
    if name == "oc.decode":
        argument = _piece(one, resolver.string, resolver.start("arguments"), len(arguments))
        return tuple(way for text in resolved(argument, arguments, settings, depth + 1) for way in _decoded(text))
    return unseen(one.span)


def _default(one: Possibility, resolver: re.Match[str], written: str, *, text: bool) -> Possibilities:
    """Return the last argument of a resolver, at the place of its own characters: nothing else is the default's."""
    written = written.lstrip()
    place = _piece(one, resolver.string, resolver.end() - len(written), len(written.rstrip()))
    written = written.rstrip()
    quoted = len(written) > 1 and written[0] == written[-1] and written[0] in "'\""
    value = resolve(written[1:-1] if quoted else written, not quoted, None)
    if value.opaque or place.span.start == place.span.end:
        return unseen(one.span)
    constant = value.constant
    if text and constant is not None:
        constant = str(constant)
    return (replace(place, thing=constant),)


def _decoded(one: Possibility) -> Possibilities:
    """Return what ``oc.decode`` makes of a string: what the same text is without quotes."""
    if not isinstance(one.thing, str):
        return (one,) if one.thing is None else unseen(one.span, one.assumptions)
    value = resolve(one.thing, True, None)
    return unseen(one.span, one.assumptions) if value.opaque else (replace(one, thing=value.constant),)
