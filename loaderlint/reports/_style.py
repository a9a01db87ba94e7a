"""How a report is to look."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from loaderlint.model.finding import Severity

BAD = "bold red"
WARN = "bold yellow"
NOTE = "bold blue"
GOOD = "green"
CALM = "cyan"
FAINT = "dim"
STRONG = "bold"

SEVERITY: Mapping[Severity, str] = MappingProxyType({Severity.ERROR: BAD, Severity.WARNING: WARN, Severity.INFO: NOTE})
"""The rich style of each severity."""


class Style(Struct, frozen=True):
    """What the caller knows about its reader: a terminal with colours or not, its width in cells, how much to say."""

    color: bool
    width: int
    statistics: bool = False
    quiet: bool = False
    verbose: bool = False
