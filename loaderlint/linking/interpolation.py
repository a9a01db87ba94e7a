"""What ``${…}`` stands for in an OmegaConf configuration.

A path names another key, counted from the root or, with dots in front, from where it is written; a colon calls a
resolver (https://omegaconf.readthedocs.io/en/2.3_branch/grammar.html). Text with more around it is a string made of
parts, and no setting of a loader is one.
"""

from __future__ import annotations

import re
from dataclasses import replace

from loaderlint.linking import settings as configuration
from loaderlint.linking.things import (
    UNSEEN,
    Absent,
    Possibilities,
    Possibility,
    Settings,
    choice,
    irremovable,
    settled,
    under,
    unseen,
)
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
    found: Possibilities
    if path is not None:
        found = _named(one, path, settings, depth)
    else:
        resolver = _RESOLVER.fullmatch(inner)
        found = unseen(one.span) if resolver is None else _called(one, resolver, settings, depth)
    found = tuple(replace(way, trail=(*way.trail, *one.trail)) for way in found)
    return irremovable(way.step(one.span, text) if way.constant else way for way in found)


def _at(one: Possibility, path: re.Match[str], settings: Settings, depth: int) -> Possibilities:
    dots, keys = len(path["dots"]), path["keys"]
    above = settings.path[: len(settings.path) - (dots - 1)] if dots else ()
    if dots > len(settings.path) + 1:
        return unseen(one.span)
    root = Settings(settings.root, settings.root)
    return configuration.selected(root, (*above, *_KEY.findall(keys)), one.span, depth + 1)


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
        return (
            (*given, *under(_default(one, rest, text=True), choice(f"${first.strip()}", "unset"))) if comma else given
        )
    path = _PATH.fullmatch(first.strip())
    if name == "oc.select" and path is not None:
        default = _default(one, rest, text=False) if comma else (replace(one, thing=None, trail=()),)
        return settled(_at(one, path, settings, depth), lambda: default)
    if name == "oc.decode":
        inner = resolved(replace(one, trail=()), arguments, settings, depth + 1)
        return tuple(way for text in inner for way in _decoded(text))
    return unseen(one.span)


def _default(one: Possibility, written: str, *, text: bool) -> Possibilities:
    written = written.strip()
    quoted = len(written) > 1 and written[0] == written[-1] and written[0] in "'\""
    value = resolve(written[1:-1] if quoted else written, not quoted, None)
    if value.opaque:
        return unseen(one.span)
    constant = value.constant
    if text and constant is not None:
        constant = str(constant)
    return (replace(one, thing=constant, trail=()),)


def _decoded(one: Possibility) -> Possibilities:
    """Return what ``oc.decode`` makes of a string: what the same text is without quotes."""
    if not isinstance(one.thing, str):
        return (one,) if one.thing is None else unseen(one.span, one.assumptions)
    value = resolve(one.thing, True, None)
    return unseen(one.span, one.assumptions) if value.opaque else (replace(one, thing=value.constant),)
