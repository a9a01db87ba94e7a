"""What a run says: one module per format, found by being there.

A format is a module of this package whose ``render(report, style)`` returns the whole text; its name is the format's
name. Modules that begin with an underscore are shared parts.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from loaderlint.model.report import Report
from loaderlint.reports._style import Style

_OTHER_COMMANDS = frozenset({"diff", "rules", "trace"})
"""What ``--diff``, ``loaderlint rule`` and ``loaderlint trace`` print: no formats of a report."""

FORMATS: tuple[str, ...] = tuple(
    sorted(
        module.name
        for module in iter_modules(__path__)
        if not module.name.startswith("_") and module.name not in _OTHER_COMMANDS
    )
)
"""The names `render` takes."""


def render(
    report: Report,
    format: str,
    *,
    color: bool,
    width: int,
    statistics: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> str:
    """Return the report in one of `FORMATS`, ready to be written as it stands: empty, or ending in a newline.

    ``color`` and ``width`` (in terminal cells), ``statistics`` (counts by rule instead of findings), ``quiet``
    (findings and failures only) and ``verbose`` concern the formats for people; those for machines always say the same.

    Raises:
        ValueError: when there is no such format.
    """
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: choose from {', '.join(FORMATS)}")
    module = import_module(f"{__name__}.{format}")
    text: str = module.render(report, Style(color, width, statistics, quiet, verbose))
    return text
