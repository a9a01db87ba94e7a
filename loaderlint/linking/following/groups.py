"""Tests that ask whether there is a group of processes, and on which platforms a program can have made one."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Frame, Made
from loaderlint.linking.things.platforms import needed, on
from loaderlint.linking.things.possibilities import platforms_of
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.readers.python import Arm, Stop
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.platforms import HAS_GROUP, LAST_NAMES, MAKE_GROUPS_THEMSELVES, MAKES_GROUP

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def where_there_is_one(evaluator: Evaluator, test: ast.expr, frame: Frame) -> Assumptions:
    """Return what is assumed of the platform where a test is true that asks for a group, nothing of any other test."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        found = (where_there_is_one(evaluator, one, frame) for one in test.values)
        return next((one for one in found if one), NO_ASSUMPTIONS)
    if not isinstance(test, ast.Call | ast.Name | ast.Attribute):
        return NO_ASSUMPTIONS
    there = made_on(evaluator)
    return there if there and _asks_for_group(evaluator, test, frame) else NO_ASSUMPTIONS


def made_on(evaluator: Evaluator) -> Assumptions:
    """Return what is assumed of the platform where the project has made a group, nothing where that may be any."""
    return evaluator.once(("groups of processes",), NO_ASSUMPTIONS, lambda: _made_on(evaluator))


def but_for_group(evaluator: Evaluator, stop: Stop, arms: Collection[Arm], frame: Frame) -> Collection[Arm]:
    """Return the arms but for those that ask for the group that a stop makes, where no call makes one everywhere.

    Whoever finds the group there has come by the stop before.
    """
    if stop.call is None or called_name(stop.call) not in LAST_NAMES:
        return arms
    asking = [arm for arm in arms if _is_about_group(evaluator, arm, frame.at(arm.place or stop.place))]
    if not asking:
        return arms
    if any(NO_ASSUMPTIONS in needed(evaluator, call, place) for call, place in _makers(evaluator)):
        return arms
    return [arm for arm in arms if arm not in asking]


def _is_about_group(evaluator: Evaluator, arm: Arm, frame: Frame) -> bool:
    test = arm.test.operand if isinstance(arm.test, ast.UnaryOp) and isinstance(arm.test.op, ast.Not) else arm.test
    return isinstance(test, ast.Call) and _asks_for_group(evaluator, test, frame)


def _asks_for_group(evaluator: Evaluator, test: ast.expr, frame: Frame) -> bool:
    things = [one.thing for one in evaluator.evaluate(test, frame)]
    return len(things) == 1 and isinstance(things[0], Made) and things[0].callee == HAS_GROUP


def _made_on(evaluator: Evaluator) -> Assumptions:
    """Return the assumption that some call of the project can make a group; none where nothing or a library does."""
    ways = [way for call, place in _makers(evaluator) for way in needed(evaluator, call, place)]
    there = on(frozenset[str]().union(*map(platforms_of, ways))) if ways else NO_ASSUMPTIONS
    # All files are looked through for these words only where the answer depends on them.
    words = sorted(MAKE_GROUPS_THEMSELVES) if there else ()
    by_library = any(True for word in words for _ in evaluator.project.python_mentioning(word))
    return NO_ASSUMPTIONS if by_library else there


def _makers(evaluator: Evaluator) -> list[tuple[ast.Call, Frame]]:
    """Return the calls of the project that go by the name of what makes a group."""
    sites = (one for name in sorted(MAKES_GROUP) for one in evaluator.callers.sites(name))
    return [(site.node, Frame(facts, site.place)) for facts, site in sites]
