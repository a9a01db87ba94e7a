"""Small pieces of prose that several reports share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loaderlint.model.target import Platform, Target

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'])")


def counted(number: int, noun: str) -> str:
    """Return the number with its noun: ``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: Sequence[str]) -> str:
    """Return the words as prose lists them: ``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def platform_order(platforms: Iterable[Platform]) -> list[Platform]:
    """Return the platforms in the order every report names them: Linux, Windows, macOS."""
    return sorted(platforms, key=list(Platform).index)


def on_platforms(platforms: Iterable[Platform]) -> str:
    """Return ``on Windows and macOS``, or nothing when there are no platforms."""
    names = [platform.display for platform in platform_order(platforms)]
    return f"on {listed(names)}" if names else ""


def version(numbers: tuple[int, int]) -> str:
    """Return a version as people write it: ``3.12``."""
    return ".".join(map(str, numbers))


def described(target: Target) -> str:
    """Return a target in words: ``Windows (Python 3.12, torch 2.6, cuda, 8 CPUs)``, without what is unknown."""
    facts = [f"Python {version(target.python)}"]
    if target.torch is not None:
        facts.append(f"torch {version(target.torch)}")
    if target.accelerator is not None:
        facts.append(target.accelerator.value)
    if target.cpus is not None:
        facts.append(counted(target.cpus, "CPU"))
    return f"{target.platform.display} ({', '.join(facts)})"


def first_sentence(text: str) -> str:
    """Return the first sentence of a message, on one line."""
    first_line = (text.strip().splitlines() or [""])[0]
    return _SENTENCE_END.split(first_line, maxsplit=1)[0]


def documentation(name: str) -> str:
    """Return where a rule is explained: the command that prints its page, as there is no web site to point to."""
    return f"loaderlint rule {name}"
