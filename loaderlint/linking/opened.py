"""Configuration files that a program opens by name: YAML, JSON and TOML alike."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.things import Frame, Made, Possibilities, Possibility, under, unseen
from loaderlint.model.source import Span
from loaderlint.readers.tree import Scalar

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

READERS = frozenset(
    {
        "yaml.safe_load",
        "yaml.load",
        "yaml.full_load",
        "yaml.unsafe_load",
        "omegaconf.OmegaConf.load",
    }
)
"""Callables that return what a configuration file says; its name, handle or text is their first argument."""


def configuration(evaluator: Evaluator, node: ast.expr, frame: Frame, span: Span) -> Possibilities:
    """Return the root of the configuration file that an expression names, opens or has read."""
    found: list[Possibility] = []
    for one in _paths(evaluator, node, frame):
        facts = None
        if isinstance(one.thing, str):
            facts = evaluator.project.configuration(one.thing, frame.facts.source.path)
        root = facts.documents[0].root if facts is not None and facts.documents else None
        if root is None or isinstance(root, Scalar):
            found.extend(unseen(span, one.assumptions))
        else:
            found.append(Possibility(root, root.span, assumptions=one.assumptions))
    return tuple(found) or unseen(span)


def _paths(evaluator: Evaluator, node: ast.expr, frame: Frame) -> Possibilities:
    """Return the file names behind an expression: itself, or the one an open file was opened by."""
    found: list[Possibility] = []
    for one in evaluator.evaluate(node, frame):
        thing = one.thing
        if isinstance(thing, Made) and thing.callee in ("builtins.open", "io.open", "pathlib.Path") and thing.call.args:
            found.extend(under(_paths(evaluator, thing.call.args[0], thing.frame), one.assumptions))
        elif isinstance(thing, Made) and thing.callee == "os.path.join" and thing.call.args:
            found.extend(under(_paths(evaluator, thing.call.args[-1], thing.frame), one.assumptions))
        else:
            found.append(one)
    return tuple(found)
