"""Names of a module that its functions set by ``global``, read after functions of other files called those.

``options.setup()`` in ``main()``, then ``options.WORKERS`` in what ``main()`` calls. A function that nothing calls sets
nothing, and what one function sets is set together: that it has run is one question for all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from loaderlint.linking.following.configurations import handing
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.scopes.set_in_run import Order, Settings
from loaderlint.linking.scopes.uses import runs_of
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Possibilities, Possibility
from loaderlint.linking.things.made_calls import Caller
from loaderlint.linking.things.possibilities import choice, distinct, under
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, FunctionNode, Place, PythonFacts, Scope, is_main_test

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_SCOPES = 60
"""Functions that lead to where a name is set or read; of more it is not followed in which order they run."""
_MOST_FUNCTIONS = 4
"""Where more functions than this may have set a name, what it is without them is not tied to their not having run."""


def read(evaluator: Evaluator, facts: PythonFacts, name: str, frame: Frame, span: Span) -> Possibilities | None:
    """Return what a module's name is where a frame reads it; None where no order was seen in which functions set it."""
    setting = _set_by_functions(facts, name)
    if not setting or frame.scope is facts.module:
        return None
    key = ("set by functions", facts.source.path, name, frame.place)
    last = evaluator.remembered(key, None, lambda: _last(evaluator, facts, [*setting], frame))
    if last is None:
        return None
    tied = len(last) > 1
    found: list[Possibility] = []
    for place in last:
        if place is None:
            ways = _ways_past(evaluator, facts, [one for one in last if one is not None])
            found.extend(one for way in ways for one in under(evaluator.bound_at_import(name, facts, span), way))
            continue
        where = Frame(facts, place)
        ran = _has_run(facts, place, True) if tied else NO_ASSUMPTIONS
        for way in evaluator.conditions(place.arms, where):
            found.extend(under(evaluator.binding(setting[place], where), way, ran))
    return distinct(found) or None


def _imported_late(evaluator: Evaluator) -> Set[str]:
    """Return the paths of what a function somewhere imports, and what that may bring in."""
    project = evaluator.project
    paths = {
        path
        for facts in project.all_python()
        for scope in facts.scopes.values()
        if scope.parent is not None
        for path in _imported_in(evaluator, facts, scope, -1)
    }
    return project.brought_in(paths) if paths else frozenset()


def _imported_in(evaluator: Evaluator, facts: PythonFacts, scope: Scope, since: int) -> Iterator[str]:
    """Yield the paths of the project's modules that a scope imports after a place in its order."""
    for ways in scope.bindings.values():
        for one in ways:
            if one.kind == "import" and one.place.order > since:
                names = (one.target, one.target.rpartition(".")[0])
                found = (evaluator.project.module(name, facts.source.path) for name in names if name.strip("."))
                yield from (path for path in found if path is not None)


def _set_by_functions(facts: PythonFacts, name: str) -> Mapping[Place, Binding]:
    """Return the places in functions that set a module's name; none where the module itself runs one of them."""
    every = {one.inner: one for one in facts.module.bindings.get(name, ()) if one.inner is not None}
    if any(one.kind in MUTATIONS for one in every.values()):
        return {}
    runs = (run for place in every for run in runs_of(place.scope, facts.module))
    return {} if any(run.place is not None for run in runs) else every


def _ways_past(evaluator: Evaluator, facts: PythonFacts, places: Sequence[Place]) -> list[Assumptions]:
    """Return the ways in which none of some places set a name: its function has not run, or took another branch."""
    if len(places) > _MOST_FUNCTIONS:
        return [NO_ASSUMPTIONS]
    ways = [NO_ASSUMPTIONS]
    for place in places:
        ran = _has_run(facts, place, True)
        where = Frame(facts, place)
        past = (way | ran for arm in place.arms for way in evaluator.conditions((arm.otherwise(),), where))
        each = [_has_run(facts, place, False), *past]
        ways = [joint for one in ways for way in each if (joint := together(one, way)) is not None]
    return ways


def _has_run(facts: PythonFacts, place: Place, ran: bool) -> Assumptions:
    """Return the assumption that the function which holds a place has run before what it sets is read, or has not."""
    return choice(f"{place.scope.name} at {facts.span(place.scope.node)} has run", ran)


def _last(evaluator: Evaluator, facts: PythonFacts, sets: Sequence[Place], frame: Frame) -> Settings | None:
    """Return the places that may have set a name last where a frame reads it; None where that was not seen."""
    calls = _Calls(evaluator)
    if not all(calls.follow(facts, one) for one in sets) or not calls.follow(frame.facts, frame.place):
        return None
    reading = calls.leading_to(frame.place)
    at_any_time = [one for one in sets if calls.may_run_unseen(one, reading)]
    found: set[Place | None] = {None, *at_any_time} if at_any_time else set()
    if frame.scope.parent is None and not any(id(frame.scope) in calls.leading_to(one) for one in sets):
        # What a module reads as it is imported, such as what it copies, was set by what ran before the import.
        late = evaluator.remembered(("imported late",), None, lambda: _imported_late(evaluator))
        before = frame.facts.source.path in late or any(calls.may_run_before_an_import(one) for one in sets)
        return None if before else frozenset({None})
    order = Order(sets, frame.place, calls)
    for start in calls.starts(frame.place):
        if calls.begins_anew(start):
            found |= order.through(start, frozenset({None}))[1]
        else:
            # Whoever calls it may have called any function before that is called at all; of a library any there is.
            found.add(None)
            found.update([one for one in sets if calls.is_called(one)] or sets)
    return frozenset(found)


class _Calls:
    """The calls in all files by which a run may come to some places."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._facts: dict[int, PythonFacts] = {}
        self._above: dict[int, dict[int, Scope]] = {}
        """The scopes that call a function, by the function."""
        self._made: dict[int, list[tuple[Place, Scope]]] = {}
        self._unseen: set[int] = set()
        """The functions that may be called where that is not seen."""
        self._apart: set[int] = set()
        """The functions that other processes may call, which begin with what nothing has set."""
        self._handing: set[Place] = set()
        """Where functions are handed on: what they set may be set later, or in another process alone."""

    def follow(self, facts: PythonFacts, place: Place) -> bool:
        """Look for all that leads to a place; return whether it is little enough."""
        waiting = [(facts, place.scope)]
        while waiting:
            facts, scope = waiting.pop()
            if id(scope) in self._above:
                continue
            if len(self._above) == _MOST_SCOPES:
                return False
            self._facts[id(scope)] = facts
            self._above[id(scope)] = {}
            if not scope.is_function:
                if scope.parent is not None:
                    return False
                continue
            for caller in self._callers(facts, scope):
                above = caller.frame.scope
                self._above[id(scope)][id(above)] = above
                self._made.setdefault(id(above), []).append((caller.frame.place, scope))
                hander = handing.taken_by(self._evaluator, caller)
                if hander is not None:
                    self._handing.add(caller.frame.place)
                    self._apart.update({id(scope)} if hander.apart else ())
                waiting.append((caller.frame.facts, above))
        return True

    def _callers(self, facts: PythonFacts, scope: Scope) -> Iterator[Caller]:
        if not isinstance(scope.node, FunctionNode):
            self._unseen.add(id(scope))
            return
        owner = classes.owner_of(facts, scope)
        called = self._evaluator.callers.of(Function(facts, scope.node, scope, owner=owner))
        callers = [one for one in called.by if isinstance(one, Caller)]
        named = any(scope.name in one.reads for one in facts.scopes.values())
        otherwise = not callers and (named or self._is_called_by_others(scope, scope.node, owner))
        if called.elsewhere or called.offered or len(callers) < len(called.by) or otherwise:
            self._unseen.add(id(scope))
        yield from callers

    def _is_called_by_others(self, scope: Scope, node: FunctionNode, owner: Class | None) -> bool:
        """Return whether Python, a library or what decorates a function may call it: a thread its ``run``."""
        if _is_of_python(scope.name) or _is_decorated(node):
            return True
        above = classes.lineage(self._evaluator, owner) if owner is not None else ()
        return any(any(classes.foreign_bases(self._evaluator, one)) for one in above)

    def starts(self, place: Place) -> list[Scope]:
        """Return where a run begins that comes to a place: a module, what another process or something unseen calls."""
        every = self._scopes_leading_to(place)
        return [one for one in every if not self._above[id(one)] or id(one) in self._unseen | self._apart]

    def begins_anew(self, start: Scope) -> bool:
        """Return whether a run begins at one of the `starts` with nothing set: a module, or in another process."""
        return start.parent is None or (id(start) in self._apart and id(start) not in self._unseen)

    def is_called(self, place: Place) -> bool:
        """Return whether anything calls the function that holds a place."""
        return bool(self._above[id(place.scope)]) or id(place.scope) in self._unseen

    def may_run_unseen(self, place: Place, reading: Set[int] = frozenset()) -> bool:
        """Return whether a run may come to a place at any time: from what is unseen, or as a module is imported.

        When the modules call it that are ``reading`` what it sets is seen.
        """
        every = self._scopes_leading_to(place)
        if any(id(one) in self._unseen for one in every):
            return True
        made = (
            at
            for one in every
            if one.parent is None and id(one) not in reading
            for at, _ in self._made.get(id(one), ())
        )
        return any(not any(arm.test is not None and is_main_test(arm.test) for arm in at.arms) for at in made)

    def may_run_before_an_import(self, place: Place) -> bool:
        """Return whether a scope that leads to a place goes on to import modules of the project after it did."""
        if self.may_run_unseen(place):
            return True
        leading = self._scopes_leading_to(place)
        return any(
            any(_imported_in(self._evaluator, self._facts[id(one)], one, at.order))
            for one in leading
            for at, _ in self._made.get(id(one), ())
        )

    def _scopes_leading_to(self, place: Place) -> list[Scope]:
        found = {id(place.scope): place.scope}
        waiting = [place.scope]
        while waiting:
            further = {key: one for key, one in self._above[id(waiting.pop())].items() if key not in found}
            found.update(further)
            waiting.extend(further.values())
        return [*found.values()]

    def leading_to(self, place: Place) -> Set[int]:
        """Return the scopes from which a run may come to a place, by their identities."""
        return {id(one) for one in self._scopes_leading_to(place)}

    def made_in(self, scope: Scope) -> Iterable[tuple[Place, Scope]]:
        """Return the calls in a scope, and what they call."""
        return self._made.get(id(scope), ())

    def handed_on(self, scope: Scope) -> Iterable[Scope]:
        """Return nothing: of what a scope hands on it is not seen when it is called, which `may_run_unseen` says."""
        return ()

    def may_be_passed_by(self, place: Place) -> bool:
        """Return whether a run of a place's scope may not come to the place, by the branches around it."""
        if place in self._handing:
            return True
        where = Frame(self._facts[id(place.scope)], place)
        return any(
            self._evaluator.conditions((arm.otherwise(),), where)
            for arm in place.arms
            if arm.test is None or not is_main_test(arm.test)
        )


def _is_of_python(name: str) -> bool:
    """Return whether Python itself calls a function by its name, other than what makes an object."""
    return name.startswith("__") and name.endswith("__") and name != "__init__"


def _is_decorated(function: FunctionNode) -> bool:
    """Return whether a function stands under a decorator that may call it, or hand it on to what does."""
    plain = sum(classes.has_decorator(function, one) for one in ("staticmethod", "classmethod"))
    return len(function.decorator_list) > plain
