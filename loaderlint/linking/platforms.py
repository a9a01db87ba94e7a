"""What the platform answers: names of the operating system and start methods, under the platforms that give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from loaderlint.linking.things import Possibilities, Possibility, Row
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.value import PLATFORM, Assumption


def fact(name: str, span: Span) -> Possibilities | None:
    """Return what a platform constant such as ``sys.platform`` is on each platform; None for any other name."""
    spelled: dict[str, Callable[[Platform], str]] = {
        "sys.platform": lambda platform: platform.sys_platform,
        "os.name": lambda platform: platform.os_name,
    }
    return per_platform(spelled[name], span) if name in spelled else None


def start_methods(span: Span) -> Possibilities:
    """Return the list of the start methods there are, as ``get_all_start_methods`` gives it on each platform."""
    return tuple(
        replace(one, thing=Row(tuple((Possibility(name, span),) for name in str(one.thing).split())))
        for one in per_platform(lambda platform: " ".join(method.value for method in platform.start_methods), span)
    )


def per_platform(spell: Callable[[Platform], str], span: Span) -> Possibilities:
    """Return what is spelled in the way of each platform, once for those that spell it alike."""
    by_text: dict[str, list[str]] = {}
    for platform in Platform:
        by_text.setdefault(spell(platform), []).append(platform.value)
    return tuple(
        Possibility(text, span, assumptions=frozenset({Assumption(PLATFORM, frozenset(platforms))}))
        for text, platforms in by_text.items()
    )
