"""What parsers give the flags that are declared without a default: ``ArgumentParser(argument_default=SUPPRESS)``.

CPython ``Lib/argparse.py``: ``add_argument`` takes the default of the parser for what is declared without one, a switch
too, and ``add_argument_group`` and ``add_mutually_exclusive_group`` take over that of what they are added to.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following.commandlines.flags import Flag, is_suppressed
from loaderlint.linking.following.commandlines.parsers import is_group, is_parser
from loaderlint.linking.things.kinds import Made, Possibilities
from loaderlint.linking.things.possibilities import distinct, under, unseen
from loaderlint.readers.python_calls import keywords

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DEFAULT = "argument_default"


def of_parser(evaluator: Evaluator, flag: Flag) -> Possibilities | None:
    """Return the default that a flag has from its parser: empty where it stands for no attribute; None without one."""
    function = flag.declaration.func
    if flag.default is not None or not isinstance(function, ast.Attribute):
        return None
    if not evaluator.project.code_mentions((_DEFAULT,)):
        return None
    parsers = evaluator.evaluate(function.value, flag.frame)
    said = [(one, _said(evaluator, one.thing)) for one in parsers]
    if all(values is None for _, values in said):
        return None
    found = [way for one, values in said for way in under(values or unseen(flag.span), one.assumptions)]
    return distinct(one for one in found if not is_suppressed(one))


def _said(evaluator: Evaluator, parser: object) -> Possibilities | None:
    """Return what a parser or a group of its flags is told the default is, None where it is told none."""
    while isinstance(parser, Made) and is_parser(parser):
        told = keywords(parser.call).get(_DEFAULT)
        if told is not None:
            values = evaluator.evaluate(told, parser.frame)
            return None if [one.thing for one in values] == [None] else values
        owner = parser.call.func
        if not is_group(parser) or not isinstance(owner, ast.Attribute):
            return None
        around = evaluator.evaluate(owner.value, parser.frame)
        parser = around[0].thing if len(around) == 1 else None
    return None
