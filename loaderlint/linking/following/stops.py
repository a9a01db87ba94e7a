"""Under which assumptions a run comes to a place that errors, asserts and checking functions before it let pass."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from loaderlint.linking.following import functions, needs_cuda
from loaderlint.linking.following.checking_functions import checking_function
from loaderlint.linking.following.groups import but_for_group
from loaderlint.linking.following.trainer_runs import trainer_runs
from loaderlint.linking.scopes.raised_again import gets_out
from loaderlint.linking.things import classes
from loaderlint.linking.things.alternatives import joined
from loaderlint.linking.things.guards import NOTEBOOK, ends_in_notebook
from loaderlint.linking.things.importable import Need, imports
from loaderlint.linking.things.kinds import Frame, Function, end_of
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.operations import truth_of
from loaderlint.linking.things.platforms import needed, on
from loaderlint.linking.things.possibilities import EVERY_PLATFORM, choice, platforms_of, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, Question
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Arm, FunctionNode, Place, PythonFacts, Scope, Stop, names_in, parameters
from loaderlint.readers.python_branches import may_need_cuda
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary import platforms

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MAY_NEED_PLATFORM = platforms.LAST_NAMES | platforms.MAY_NEED_CUDA
_NONE = frozenset[str]()
_STEPS = 150
"""Expressions followed to find out what one statement lets pass."""
_DEEPEST = 2
"""Calls of checking functions that are followed into each other."""
_MOST_CALLERS = 16
"""A function that more than these call is taken to be called on every platform."""
_PLACES_REMEMBERED = 4096
"""The same places are come to over and over, those of one function at a time."""
_MOST_CALLERS_DEEP = 4
"""Calls around a place that are looked at for what lets no run pass on some platforms."""


def conditions_at(evaluator: Evaluator, frame: Frame, handed: ast.Call | None = None) -> list[Assumptions]:
    """Return the alternative assumptions under which a run comes to a place: its arms are taken, no stop ended it.

    Where the place is a call that was ``handed`` something, only what speaks of the same names counts as a stop, and
    what ends the run on some platforms.
    """
    return _passing(evaluator, frame, None if handed is None else names_in(handed))


def conditions_of_end(evaluator: Evaluator, frame: Frame, names: Collection[str]) -> list[Assumptions]:
    """Return the alternative assumptions under which a function comes to its end, as far as stops speak of names."""
    return _passing(evaluator, frame.at(end_of(frame.scope)), names)


def conditions_about(evaluator: Evaluator, frame: Frame, names: Collection[str]) -> list[Assumptions]:
    """Return the alternative assumptions under which a run comes to a place, as far as stops speak of names."""
    return _passing(evaluator, frame, names)


def conditions_of_body(evaluator: Evaluator, node: ast.Try, frame: Frame) -> list[Assumptions]:
    """Return the alternatives under which the body of a ``try`` comes to its end, by all that it needs."""
    ways = [choice(NOTEBOOK, True) if ends_in_notebook(evaluator, node, frame) else NO_ASSUMPTIONS]
    for stop in _inside(node, frame.scope):
        rest = stop.place.arms[len(_shared(stop.place.arms, frame.place.arms)) :]
        if _readable(rest):
            ways = joined(ways, _let_pass(evaluator, stop, rest, frame, 0)) or ways
    return ways


@lru_cache(_PLACES_REMEMBERED)
def _inside(node: ast.Try, scope: Scope) -> tuple[Stop, ...]:
    """Return what may end the run of the body of a ``try``, but for calls that have no need of a platform."""
    return tuple(
        stop
        for stop in scope.stops
        if any(owner is node for owner, _ in stop.handled[:1]) and (stop.call is None or _needs_platform(stop))
    )


def _passing(evaluator: Evaluator, frame: Frame, names: Collection[str] | None) -> list[Assumptions]:
    """Return the alternatives under which a run comes to a place; only stops that speak of the names count, if any."""
    ways = evaluator.conditions(frame.place.arms, frame)
    defined = frame.scope.defined
    if names is None and frame.scope.is_function and defined is not None and defined.arms:
        # A function is there to be run only where its definition was come to.
        ways = joined(ways, evaluator.conditions(defined.arms, Frame(frame.facts, defined)))
    same = frozenset(one for one in _subjects(ways) if isinstance(one, Question))
    for stop, arms in _before(frame.place):
        asked = not stop.kept and (names is None or not stop.names.isdisjoint(names))
        if asked or _is_of_platforms(evaluator, stop, frame.facts) or _is_handed_model(stop, frame):
            again = same if not asked or _needs_platform(stop) else _NONE
            # Where nothing is left, the way on was not seen.
            ways = joined(ways, _let_pass(evaluator, stop, arms, frame, 0, again)) or ways
    every = _on_every_arm(frame.place)
    return joined(ways, _let_one_pass(evaluator, every, frame)) or ways if every else ways


@lru_cache(_PLACES_REMEMBERED)
def _on_every_arm(place: Place) -> tuple[tuple[Stop, ...], ...]:
    """Return the stops on each of the ways to a place, where every way there has some, whatever is answered before it.

    They are calls that may need a platform, such as those by which each arm of a test moves a model to CUDA.
    """
    found: dict[tuple[Arm, ...], tuple[tuple[Stop, ...], ...]] = {}
    for stop, arms in _before(place):
        if arms and stop.call is not None and called_name(stop.call) in _MAY_NEED_PLATFORM:
            found[arms] = ((*found.get(arms, ((),))[0], stop),)
    waiting, joint = list(found), set[tuple[Arm, ...]]()
    while waiting:
        one = waiting.pop()
        around = one[:-1]
        other = next((arms for arms in found if _is_other_arm(arms, one)), None)
        if other is not None and around not in joint:
            joint.add(around)
            before = found.get(around, ((),))
            found[around] = tuple((*first, *then) for first in before for then in (*found[other], *found[one]))
            waiting.extend([around] if around else [])
    return found.get((), ())


def _is_other_arm(arms: tuple[Arm, ...], others: tuple[Arm, ...]) -> bool:
    """Return whether two places stand in the two arms of one test, and under the same answers around it."""
    return len(arms) == len(others) == len(_shared(arms, others)) + 1 and arms[-1].excludes(others[-1])


def _let_one_pass(evaluator: Evaluator, every: Iterable[Iterable[Stop]], frame: Frame) -> list[Assumptions]:
    """Return the alternatives under which a run goes on behind all stops on one of some ways."""
    found: list[Assumptions] = []
    for stops in every:
        ways = [NO_ASSUMPTIONS]
        for stop in stops:
            ways = joined(ways, _back(evaluator, stop, frame.at(stop.place)))
        found.extend(ways)
    return list(dict.fromkeys(found))


def _back(evaluator: Evaluator, stop: Stop, frame: Frame) -> list[Assumptions]:
    def found() -> list[Assumptions]:
        with evaluator.steps(_STEPS):
            return _comes_back(evaluator, stop, frame, 0)

    return evaluator.remembered(("comes back", id(stop)), frame, found)


def platforms_at(evaluator: Evaluator, frame: Frame, depth: int = 0) -> frozenset[str]:
    """Return the platforms on which a run comes to a place: of all its callers seen, and of the modules they are in.

    There are none where every call seen stands under conditions that are never met.
    """
    here = EVERY_PLATFORM.intersection(*(one.platforms for one in _needs(evaluator, frame)))
    for where in (frame, *_definition(frame)):
        here &= platforms_in(_passing(evaluator, where, ()))
    scope, node = frame.scope, frame.scope.node
    if depth == _MOST_CALLERS_DEEP or not isinstance(node, FunctionNode):
        return here

    def called() -> frozenset[str]:
        function = Function(frame.facts, node, scope, owner=classes.owner_of(frame.facts, scope))
        found = evaluator.callers.of(function)
        calls = [(one.frame, _called_on(one)) for one in found.by if isinstance(one, Caller)]
        if found.elsewhere or found.for_users or not 0 < len(calls) == len(found.by):
            runs = trainer_runs(evaluator, function.owner) if function.owner is not None else []
            calls = [*calls, *((one, EVERY_PLATFORM) for one in runs)] if runs else []
        if not 0 < len(calls) <= _MOST_CALLERS:
            return EVERY_PLATFORM
        return frozenset[str]().union(*(platforms_at(evaluator, one, depth + 1) & some for one, some in calls))

    return here & evaluator.once(("platforms of calls", id(node), depth), EVERY_PLATFORM, called)


def _called_on(one: Caller) -> frozenset[str]:
    """Return the platforms on which a call is one of a function, wherever a run comes to it.

    What a method calls on its own object it may call while that is made, before the constructor comes to its end.
    """
    callee = one.call.func
    owner = callee.value if isinstance(callee, ast.Attribute) else None
    own = isinstance(owner, ast.Name) and classes.names_receiver(one.frame, owner.id)
    return EVERY_PLATFORM if own else platforms_of(one.assumptions)


def ended_on(evaluator: Evaluator, frame: Frame, platform: str, depth: int = 0) -> Touch | None:
    """Return what keeps a run on a platform from coming to a place; None where no one thing alone does."""
    for where in (frame, *_definition(frame)):
        for arm in where.place.arms:
            kept_out = arm.test is not None and platform not in platforms_in(evaluator.conditions((arm,), where))
            if arm.test is not None and kept_out and _has_answer(evaluator, arm, arm.test, where, platform):
                return _touch(where.facts, arm.test)
        if (ended := _ended_before(evaluator, where, platform)) is not None:
            return ended
    for need in _needs(evaluator, frame):
        if platform not in need.platforms:
            return _touch(need.facts, need.node)
    node = frame.scope.node
    if depth == _MOST_CALLERS_DEEP or not isinstance(node, FunctionNode):
        return None
    function = Function(frame.facts, node, frame.scope, owner=classes.owner_of(frame.facts, frame.scope))
    # A method runs on an object that was made before.
    made = classes.constructor(evaluator, function.owner) if function.owner is not None else None
    before = Frame(made.facts, end_of(made.scope)) if made is not None and made.node is not node else None
    if before is not None and (ended := _ended_before(evaluator, before, platform)) is not None:
        return ended
    calls = (one for one in evaluator.callers.of(function).by if isinstance(one, Caller))
    return next(filter(None, (ended_on(evaluator, one.frame, platform, depth + 1) for one in calls)), None)


def _needs(evaluator: Evaluator, frame: Frame) -> tuple[Need, ...]:
    """Return what a file needs for somebody to come to a place in it.

    A function that only other files can call runs when all of its own file has run.
    """
    scope, facts = frame.scope, frame.facts
    if scope.parent is not facts.module or not isinstance(scope.node, FunctionNode) or _may_run_before(scope, facts):
        return evaluator.importable.needs(facts)
    return evaluator.importable.needs_to_its_end(facts)


def _may_run_before(function: Scope, facts: PythonFacts) -> bool:
    """Return whether a function at the top of a file may run before that ends: it is named there, or decorated."""
    name, node = function.name, function.node
    named = name in facts.calls or name in facts.module.reads or name in facts.module.readers
    return named or bool(isinstance(node, FunctionNode) and node.decorator_list)


def _ended_before(evaluator: Evaluator, frame: Frame, platform: str) -> Touch | None:
    """Return what ends each run of a platform that would come to a place of a scope, None where no one thing does."""
    ends = (_stopped_on(evaluator, stop, arms, frame, platform) for stop, arms in _before(frame.place))
    return next(filter(None, ends), None)


def _has_answer(evaluator: Evaluator, arm: Arm, test: ast.expr, frame: Frame, platform: str) -> bool:
    """Return whether a test is answered on a platform: where what it asks about is never made there, it is not."""
    answers = evaluator.truth(test, frame.at(arm.place or frame.place))
    return platform in platforms_in(way for _, way, _ in answers)


def _stopped_on(
    evaluator: Evaluator, stop: Stop, arms: Collection[Arm], frame: Frame, platform: str, depth: int = 0
) -> Touch | None:
    """Return what ends the run of a platform at a stop: what the platform lacks, or the test it stands under."""
    if platform in platforms_in(passed := _let_pass(evaluator, stop, arms, frame, depth)) or not passed:
        return None
    facts, tests = frame.facts, [arm.test for arm in arms if arm.test is not None]
    if stop.call is not None and not _needs_platform(stop) and depth < _DEEPEST:
        where = frame.at(stop.place)
        function = checking_function(evaluator, stop.call, where)
        if function is not None:
            inside = functions.frame_of_call(evaluator, function, stop.call, where)
            for one in function.scope.stops:
                ended = _stopped_on(evaluator, one, one.place.arms, inside, platform, depth + 1)
                if ended is not None:
                    return ended
    if stop.imported:
        bound = (one.node for several in stop.place.scope.bindings.values() for one in several)
        return next((_touch(facts, one) for one in bound if imports(one, stop.imported)), None)
    return _touch(facts, stop.call or tests[-1]) if stop.call is not None or tests else None


def _touch(facts: PythonFacts, node: ast.AST) -> Touch:
    return Touch(facts.span(node), facts.text(node))


def platforms_in(ways: Iterable[Assumptions]) -> frozenset[str]:
    """Return the platforms on which some of alternative assumptions hold."""
    return frozenset[str]().union(*map(platforms_of, ways))


def _definition(frame: Frame) -> Iterator[Frame]:
    """Yield the place of the definition, in its module, of what a frame lies in: all before it has run."""
    scope = frame.scope
    while scope.parent is not None and scope.parent is not frame.facts.module:
        scope = scope.parent
    if scope.parent is not None and scope.defined is not None:
        yield Frame(frame.facts, scope.defined)


@lru_cache(_PLACES_REMEMBERED)
def _before(place: Place) -> tuple[tuple[Stop, tuple[Arm, ...]], ...]:
    """Return what may end the run before it comes to a place, each with the arms that lead there and not to the place.

    What the place's own arms exclude has not happened, and an error that is handled ends nothing.
    """
    found: list[tuple[Stop, tuple[Arm, ...]]] = []
    for stop in takewhile(lambda one: one.place.order < place.order, place.scope.stops):
        arms = stop.place.arms
        rest = arms[len(_shared(arms, place.arms)) :]
        handled = any(
            place.order > last and not any(arm.owner is owner and arm.truth for arm in place.arms)
            for owner, last in stop.handled
        )
        if not handled and _readable(rest) and not any(one.excludes(other) for one in rest for other in place.arms):
            found.append((stop, rest))
    return tuple(found)


def _shared(arms: tuple[Arm, ...], others: tuple[Arm, ...]) -> list[Arm]:
    """Return the arms that two places begin with."""
    return [one for one, _ in takewhile(lambda both: both[0] is both[1], zip(arms, others, strict=False))]


def _readable(arms: Collection[Arm]) -> bool:
    return all(arm.test is not None and not arm.loop for arm in arms)


def _let_pass(
    evaluator: Evaluator,
    stop: Stop,
    arms: Collection[Arm],
    frame: Frame,
    depth: int,
    same: frozenset[str] = _NONE,
) -> list[Assumptions]:
    """Return the alternatives under which a stop does not end the run: its arms are not all taken, its call comes back,
    or a ``return`` before it was the way to the end of the function.

    The answers of tests that nobody can see through are left out, for those may let all pass, but for the ``same`` that
    the place behind assumes; what the values that are asked about assume themselves is kept. Every place behind a stop
    asks, most with the same arms left to take.
    """
    key = ("let pass", id(stop), len(arms), frame.place.order == end_of(frame.scope).order, depth, same)
    where = frame.at(stop.place)
    return evaluator.remembered(key, where, lambda: _let_past(evaluator, stop, arms, frame, depth, same))


def _let_past(
    evaluator: Evaluator, stop: Stop, arms: Collection[Arm], frame: Frame, depth: int, same: frozenset[str]
) -> list[Assumptions]:
    where = frame.at(stop.place)
    with evaluator.steps(_STEPS):
        arms = but_for_group(evaluator, stop, arms, frame)
        back = _comes_back(evaluator, stop, where, depth, same)
        if back == [NO_ASSUMPTIONS] or not all(_may_be_taken(evaluator, arm, where, same) for arm in arms):
            return [NO_ASSUMPTIONS]
        taken, passed = [NO_ASSUMPTIONS], list[Assumptions]()
        for arm in arms:
            passed.extend(joined(taken, evaluator.conditions((arm.otherwise(),), where)))
            taken = joined(taken, evaluator.conditions((arm,), where))
        there = platforms_in(taken)
        if any(way == on(platforms_of(way)) and there <= platforms_of(way) for way in back):
            # Nobody comes to the stop on the platforms that it ends.
            return [NO_ASSUMPTIONS]
        ways = [*passed, *joined(taken, back), *_returned_before(evaluator, stop, frame)]
        return _known(ways, _subjects(back) | _subjects(_of_values(evaluator, arms, where)) | same)


def _returned_before(evaluator: Evaluator, stop: Stop, frame: Frame) -> Iterator[Assumptions]:
    """Yield the alternatives under which a function, at whose end the frame stands, has come back before a stop.

    A ``return`` that the arms of the stop exclude is none: that these are not all taken is known already.
    """
    if frame.place.order == end_of(frame.scope).order:
        for _, place in frame.scope.returns:
            excluded = any(one.excludes(other) for one in place.arms for other in stop.place.arms)
            if place.order < stop.place.order and not excluded:
                yield from evaluator.conditions(place.arms, frame.at(place))


def _may_be_taken(evaluator: Evaluator, arm: Arm, frame: Frame, same: frozenset[str]) -> bool:
    """Return whether a test was seen to give the answer that leads to an arm, or is one of the ``same`` questions."""
    assert arm.test is not None
    where = frame.at(arm.place) if arm.place is not None else frame
    if same and not same.isdisjoint(_subjects(evaluator.conditions((arm,), frame))):
        return True
    return any(truth_of(one.thing) is arm.truth for one in evaluator.evaluate(arm.test, where))


def _known(ways: Iterable[Assumptions], kept: Collection[str]) -> list[Assumptions]:
    """Return alternatives apart from the answers of tests that nobody can see through, but for those to be kept."""
    return [
        frozenset(one for one in way if not isinstance(one.subject, Question) or one.subject in kept) for way in ways
    ]


def _of_values(evaluator: Evaluator, arms: Iterable[Arm], frame: Frame) -> Iterator[Assumptions]:
    """Yield what the values assume that the tests of arms are about."""
    for arm in arms:
        where = frame.at(arm.place) if arm.place is not None else frame
        for node in nodes_of(arm.test) if arm.test is not None else ():
            if isinstance(node, ast.Name | ast.Attribute):
                yield from (one.assumptions for one in evaluator.evaluate(node, where))


def _subjects(ways: Iterable[Assumptions]) -> frozenset[str]:
    return frozenset(one.subject for way in ways for one in way)


def _comes_back(
    evaluator: Evaluator, stop: Stop, frame: Frame, depth: int, same: frozenset[str] = _NONE
) -> list[Assumptions]:
    """Return the alternatives under which a run goes on behind a stop; a call may come back always as far as known."""
    always, call = [NO_ASSUMPTIONS], stop.call
    if stop.imported:
        if evaluator.project.modules_ending(stop.imported, frame.facts.source.path):
            return always
        return [on(platforms.MODULES[stop.imported])]
    if stop.needed:
        return [on(platforms.NEEDED[stop.needed])]
    if call is None:
        return []
    if called_name(call) in platforms.LAST_NAMES:
        return needed(evaluator, call, frame)
    needs = stop.divides or may_need_cuda(call)
    if needs and (ways := needs_cuda.conditions_after(evaluator, call, frame)):
        return ways
    if depth == _DEEPEST:
        return always
    function = checking_function(evaluator, call, frame)
    if function is None:
        return always
    inside = functions.frame_of_call(evaluator, function, call, frame)
    ways = always
    for stop in function.scope.stops:
        if not _readable(stop.place.arms) or not gets_out(stop.handled):
            continue
        if not (stop.kept or stop.handled) or _is_of_platforms(evaluator, stop, function.facts):
            passed = _let_pass(evaluator, stop, stop.place.arms, inside, depth + 1, same)
            # Other errors may be taken all the same.
            ways = joined(ways, [on(platforms_in(passed))] if stop.handled else passed)
    return ways


def _is_of_platforms(evaluator: Evaluator, stop: Stop, facts: PythonFacts, depth: int = 0) -> bool:
    """Return whether a stop ends the run on some platforms alone: by what it needs, by its tests, or by what it calls.

    Nobody asks here what is handed to the function around: the answer is one for all its calls.
    """

    def found_out() -> bool:
        if stop.imported or _needs_platform(stop):
            return True
        frame = _handed_nothing(evaluator, facts, stop.place.scope)
        with evaluator.steps(_STEPS):
            asked = ((arm.test, frame.at(arm.place or stop.place)) for arm in stop.place.arms if arm.test is not None)
            if not stop.kept and any(_tells_platforms(evaluator, test, where) for test, where in asked):
                return True
            if stop.call is None:
                return False
            if may_need_cuda(stop.call):
                ways = needs_cuda.conditions_after(evaluator, stop.call, frame.at(stop.place))
                if ways is not None and platforms_in(ways) != EVERY_PLATFORM:
                    return True
            if depth == _DEEPEST:
                return False
            function = checking_function(evaluator, stop.call, frame.at(stop.place))
        if function is None:
            return False
        return any(_is_of_platforms(evaluator, one, function.facts, depth + 1) for one in function.scope.stops)

    return evaluator.once(("of platforms", id(stop), depth), False, found_out, _STEPS)


def _is_handed_model(stop: Stop, frame: Frame) -> bool:
    """Return whether a stop may move to CUDA what one call of a function, which is being followed, hands over."""
    function = stop.call.func if stop.call is not None else None
    if not isinstance(function, ast.Attribute) or function.attr not in platforms.MAY_NEED_CUDA:
        return False
    return isinstance(function.value, ast.Name) and function.value.id in (frame.arguments or ())


def _needs_platform(stop: Stop) -> bool:
    """Return whether what a stop calls may be, or may ask for, what only some platforms have."""
    named = stop.call is not None and called_name(stop.call) in platforms.LAST_NAMES
    return named or stop.divides or bool(stop.needed)


def _tells_platforms(evaluator: Evaluator, test: ast.expr, frame: Frame) -> bool:
    """Return whether a test gives an answer on some platforms alone."""
    return any(platforms_of(ways) != EVERY_PLATFORM for _, ways, _ in evaluator.truth(test, frame))


def _handed_nothing(evaluator: Evaluator, facts: PythonFacts, scope: Scope) -> Frame:
    """Return the frame of a scope whose parameters hold what nobody sees."""
    node = scope.node

    def entered() -> Frame:
        handed = parameters(node) if isinstance(node, FunctionNode) else ()
        given = {one.arg: unseen(facts.span(one)) for one in handed}
        return Frame(facts, end_of(scope), given)

    return evaluator.remembered(("handed nothing", id(scope)), None, entered)
