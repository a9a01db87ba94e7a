"""Which rules are on: selectors are codes, code prefixes (``LL1``), rule names, or ``ALL``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.nearest import nearest

if TYPE_CHECKING:
    from loaderlint.model.rule import Rule

ALL = "ALL"
EVERY_DEFAULT = "LL"
GROUPS = ("LL1", "LL2", "LL3", "LL4", "LL5", "LL6", "LL9")
"""The chapters of the rule book: each may be named whether or not this version has a rule in it."""


class Choice(Struct, frozen=True):
    """What one voice asks for: the more specific selector decides, and of two equals the one that ignores."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def verdict(self, rule: type[Rule]) -> bool | None:
        """Return whether the rule is on, or None when no selector is about it."""
        wanted = _reach(self.select, rule, spares_optional=True)
        unwanted = _reach(self.ignore, rule, spares_optional=False)
        return wanted > unwanted if wanted or unwanted else None


class Selection(Struct, frozen=True):
    """The choices of settings files and command line, later ones over earlier ones."""

    choices: tuple[Choice, ...] = (Choice((EVERY_DEFAULT,)),)

    def selects(self, rule: type[Rule]) -> bool:
        """Return whether the rule is on."""
        verdicts = (choice.verdict(rule) for choice in reversed(self.choices))
        return next((verdict for verdict in verdicts if verdict is not None), False)


def names(selectors: Iterable[str], rule: type[Rule]) -> bool:
    """Return whether any of the selectors is about the rule."""
    return _reach(selectors, rule, spares_optional=False) > 0


def _reach(selectors: Iterable[str], rule: type[Rule], *, spares_optional: bool) -> int:
    """Return how specific the closest selector is that is about the rule; 0 when none is."""
    return max((_specificity(selector, rule, spares_optional) for selector in selectors), default=0)


def _specificity(selector: str, rule: type[Rule], spares_optional: bool) -> int:
    if selector == ALL:
        return 1
    if selector == rule.name():
        return len(rule.code)
    if not rule.code.startswith(selector):
        return 0
    if selector == EVERY_DEFAULT and spares_optional and not rule.enabled_by_default:
        return 0
    return len(selector)


def all_selectors(rules: Sequence[type[Rule]]) -> tuple[str, ...]:
    """Return everything a selector may be: ``ALL``, prefixes and codes in order, then names."""
    codes = {rule.code for rule in rules}
    prefixes = {code[:length] for code in codes for length in range(len(EVERY_DEFAULT), len(code))}
    return (
        ALL,
        *sorted(codes | prefixes | {EVERY_DEFAULT, *GROUPS}),
        *sorted(rule.name() for rule in rules),
    )


def unknown_selectors(selectors: Iterable[str], rules: Sequence[type[Rule]]) -> list[str]:
    """Return what is wrong with the selectors that name nothing."""
    known = all_selectors(rules)
    return [f"there is no rule {one!r}{suggestion(one, known)}" for one in selectors if one not in known]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean '…'?`` with the nearest known word, or nothing when none is near."""
    meant = nearest(word, known, cutoff=0.5)
    return "" if meant is None else f"; did you mean {meant!r}?"
