"""What runs when a file is imported, what iterates which loader, and what the process does before its workers start."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field

from loaderlint.linking.following import stops
from loaderlint.linking.following.loaders_behind import Behind, loaders_in
from loaderlint.linking.following.looks import looks_at_each
from loaderlint.linking.scopes.caught import is_caught
from loaderlint.linking.scopes.in_workers import told_apart
from loaderlint.linking.things import classes, platforms
from loaderlint.linking.things.guards import guarded_place
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
)
from loaderlint.linking.things.possibilities import EVERY_PLATFORM
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.model.value import Candidate
from loaderlint.nodes import last_name
from loaderlint.readers.python import CallSite, FunctionNode, Place, PythonFacts, Scope, ScopeNode, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.running import CUDA_STARTERS, RUNNERS, TRAINER_METHODS, TRAINERS
from loaderlint.vocabulary.sending import PARTIAL

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_RUNNER_NAMES = frozenset(name.rpartition(".")[2] for name in RUNNERS)
_CUDA_NAMES = frozenset(name.rpartition(".")[2] for name in CUDA_STARTERS) | {"set_default_device"}
MOST_FUNCTIONS = 200
STEPS = 150
"""Expressions followed for one question about what a program does; options are followed without such a limit."""
_STEPS_OF_CALLEE = 1000
"""Expressions followed for what a call in worker code runs.

Those of nerfstudio take 646 at most; it is ``params[:, 0].reshape`` that takes 7,000 where a class has a ``reshape``.
"""


class Run(Struct, frozen=True, eq=False):
    """A scope that runs, the top-level expression that set it off, and whether that happens under the guard alone."""

    frame: Frame
    cause: ast.expr | None
    guarded: bool = False


class _Entry(NamedTuple):
    """A call, or what is ``iterated``, where it stands, and the top-level expression that leads to it."""

    frame: Frame
    node: ast.expr
    cause: ast.expr
    iterated: bool = False


class Iterated(Struct, frozen=True, eq=False):
    """A place where running a file iterates something that holds a loader; ``node`` is the loop, or the call."""

    expression: ast.expr
    node: ast.stmt | ast.expr
    frame: Frame
    assumptions: Assumptions

    @property
    def makes_iterator(self) -> bool:
        """Whether it is a call that makes an iterator: ``iter(loader)`` or ``loader.__iter__()``."""
        return isinstance(self.node, ast.Call) and called_name(self.node) in ("iter", "__iter__")

    @property
    def takes_one(self) -> bool:
        """Whether it is a call that takes from an iterator that was made before it: ``next(batches)``."""
        return isinstance(self.node, ast.Call) and called_name(self.node) == "next"


class Iterations(Struct, eq=False):
    """What running a file iterates, by the identity of the call that makes the loader.

    ``at_import`` holds the top-level expressions that do so whenever the file is imported, ``guarded`` what happens
    under the guard. ``once`` are the places that are no part of a loop, each with its scope; what is iterated in a
    loop is iterated ``again``. ``scopes`` are the functions that were seen to run, ``places`` all places that iterate,
    and ``called_at`` the calls of a function, by the identity of its node. ``importing`` are the scopes that
    run whenever the file is imported. ``made_in`` are the frames in which a call makes the loaders that a top-level
    expression leads to, None among them where they were not all seen.
    """

    at_import: dict[int, list[Touch]] = field(default_factory=dict)
    guarded: set[int] = field(default_factory=set)
    once: dict[int, list[tuple[int, Span]]] = field(default_factory=dict)
    again: set[int] = field(default_factory=set)
    scopes: set[int] = field(default_factory=set)
    importing: set[int] = field(default_factory=set)
    places: dict[int, list[Iterated]] = field(default_factory=dict)
    called_at: dict[int, list[tuple[Frame, ast.Call]]] = field(default_factory=dict)
    made_in: dict[tuple[int, Span], list[Frame | None]] = field(default_factory=dict)

    def makes(self, call: ast.Call, scope: ScopeNode) -> bool:
        """Return whether the run iterates the loader that a call in a scope makes, or reaches the scope."""
        return id(call) in self.at_import or id(call) in self.guarded or id(scope) in self.scopes

    def frames_at(self, call: ast.Call, touch: Touch) -> Iterator[Frame | None]:
        """Yield the frames in which a call makes its loader for what a touch leads to, None where one was not seen."""
        for (made, span), frames in self.made_in.items():
            if made == id(call) and touch.span.holds(span):
                yield from frames


def iterations(evaluator: Evaluator, facts: PythonFacts) -> Iterations:
    """Return what running a file iterates, at import and under its guard."""
    result = Iterations()
    runs = list(_runs(evaluator, facts, result.called_at))
    result.scopes.update(id(run.frame.scope.node) for run in runs)
    for run in runs:
        if not run.guarded:
            result.importing.add(id(run.frame.scope.node))
        for expression, node, place in run.frame.scope.iterations:
            _note(evaluator, facts, result, run, expression, node, place)
        for site in run.frame.scope.calls:
            for expression in _trained(evaluator, site, run.frame.at(site.place)):
                _note(evaluator, facts, result, run, expression, site.node, site.place)
        for given, place in run.frame.scope.yielded:
            if isinstance(given, ast.YieldFrom):
                _note(evaluator, facts, result, run, given.value, given, place)
    return result


def _header(node: ast.stmt | ast.expr) -> ast.expr:
    """Return the expression that stands for an iteration: the iterable of a loop, or the expression itself."""
    if isinstance(node, ast.For | ast.AsyncFor):
        return node.iter
    assert isinstance(node, ast.expr)
    return node


def _note(
    evaluator: Evaluator,
    facts: PythonFacts,
    result: Iterations,
    run: Run,
    expression: ast.expr,
    node: ast.stmt | ast.expr,
    place: Place,
) -> None:
    frame = run.frame.at(place)
    if not loaders_in(evaluator, expression, frame) or looks_at_each(evaluator, node, expression, frame):
        return
    found = _made_by_run(evaluator, loaders_in(evaluator, expression, frame), facts, result)
    guarded = run.guarded or (bool(found) and guarded_place(evaluator, frame.facts, expression, place))
    cause = run.cause or _header(node)
    for call, assumptions, frames in found:
        result.places.setdefault(call, []).append(Iterated(expression, node, frame, assumptions))
        if not any(arm.loop for arm in frame.place.arms):
            result.once.setdefault(call, []).append((id(frame.scope.node), frame.facts.span(expression)))
        else:
            result.again.add(call)
        if guarded:
            result.guarded.add(call)
            continue
        touches = result.at_import.setdefault(call, [])
        span = facts.span(cause)
        result.made_in.setdefault((call, span), []).extend(frames)
        touches[:] = [touch for touch in touches if not span.holds(touch.span)]
        if not any(touch.span.holds(span) for touch in touches):
            caught = is_caught(facts, cause, "RuntimeError")
            comes_to_it = together(assumptions, platforms.on(stops.platforms_at(evaluator, frame)))
            if comes_to_it is not None:
                touches.append(Touch(span, shortened(facts.text(cause)), comes_to_it, caught=caught))


def _made_by_run(evaluator: Evaluator, loaders: list[Behind], facts: PythonFacts, result: Iterations) -> list[Behind]:
    """Return those of the loaders that running a file was seen to make, all where it was seen to make none.

    A function that iterates what it is handed is handed other loaders in other programs. Methods may run without a call
    that shows it, as properties do.
    """
    if len(loaders) < 2:
        return loaders
    run = evaluator.project.brought_in([facts.source.path])

    def is_made(frame: Frame | None) -> bool:
        if frame is None:
            return False
        if not frame.scope.is_function:
            return frame.facts.source.path in run
        plain = isinstance(frame.scope.node, FunctionNode) and not frame.scope.node.decorator_list
        called = plain and frame.scope.parent is frame.facts.module
        return not called or id(frame.scope.node) in result.scopes

    return [one for one in loaders if any(map(is_made, one.frames))] or loaders


def shortened(text: str) -> str:
    """Return a stretch of code short enough to stand in a sentence."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def _runs(
    evaluator: Evaluator, facts: PythonFacts, called_at: dict[int, list[tuple[Frame, ast.Call]]]
) -> Iterator[Run]:
    """Yield the scopes that run when a file is imported, then those that a guard sets off, noting their callers."""
    entries: list[_Entry] = []
    for frame in _with_class_bodies(Frame(facts, Place(facts.module, 0))):
        yield Run(frame, None)
        entries.extend(_entries(evaluator, frame, None))
    for guarded in (False, True):
        seen: set[tuple[int, int]] = set()
        under_guard: list[_Entry] = []
        for entry in entries:
            yield from _called(evaluator, entry, guarded, seen, under_guard, called_at)
        entries = under_guard


def _with_class_bodies(frame: Frame) -> Iterator[Frame]:
    """Yield the frame of a scope that runs, and those of the classes it defines: their bodies run with it."""
    yield frame
    for scope in frame.scope.children:
        if scope.is_class:
            yield from _with_class_bodies(Frame(frame.facts, Place(scope, 0)))


def _entries(evaluator: Evaluator, frame: Frame, cause: ast.expr | None) -> Iterator[_Entry]:
    """Yield what a scope that runs calls and, where the project has iterators of its own, what it iterates."""
    for site in frame.scope.calls:
        yield _Entry(frame.at(site.place), site.node, cause or site.node)
    if "__iter__" in evaluator.project.definitions:
        for expression, node, place in frame.scope.iterations:
            yield _Entry(frame.at(place), expression, cause or _header(node), iterated=True)


def _called(
    evaluator: Evaluator,
    entry: _Entry,
    guarded: bool,
    seen: set[tuple[int, int]],
    under_guard: list[_Entry],
    called_at: dict[int, list[tuple[Frame, ast.Call]]],
) -> Iterator[Run]:
    waiting = [entry]
    while waiting and len(seen) < MOST_FUNCTIONS:
        one = waiting.pop(0)
        call = one.node if isinstance(one.node, ast.Call) and not one.iterated else None
        if call is not None and not may_run(evaluator, call):
            continue
        if not guarded and guarded_place(evaluator, one.frame.facts, one.node, one.frame.place):
            under_guard.append(one)
            continue
        entered = _entered(evaluator, one.frame, call) if call is not None else _iterators(evaluator, one)
        for scope_frame in entered:
            node = id(scope_frame.scope.node)
            if call is not None:
                called_at.setdefault(node, []).append((one.frame, call))
            made_by = scope_frame.receiver.call if scope_frame.receiver is not None and one.iterated else None
            if (node, id(made_by)) in seen:
                continue
            seen.add((node, id(made_by)))
            for frame in _with_class_bodies(scope_frame):
                yield Run(frame, one.cause, guarded)
                waiting.extend(_entries(evaluator, frame, one.cause))


def _iterators(evaluator: Evaluator, entry: _Entry) -> Iterator[Frame]:
    """Yield the frames of the methods ``__iter__`` that the project gives what is iterated."""
    with evaluator.steps(STEPS):
        iterated = evaluator.evaluate(entry.node, entry.frame)
    for one in iterated:
        method = classes.method(evaluator, one.thing, "__iter__") if isinstance(one.thing, Instance) else None
        if method is not None:
            yield _inside(method)


def _entered(evaluator: Evaluator, frame: Frame, call: ast.Call) -> Iterator[Frame]:
    """Yield the frames of the project functions that a call runs."""
    with evaluator.steps(STEPS):
        called = (*evaluator.evaluate(call.func, frame), *_chosen(evaluator, call.func, frame))
        callees = [found for one in called for found in _completed(evaluator, one)]
    for one in callees:
        thing = one.thing
        if isinstance(thing, Function):
            yield _inside(thing)
        elif isinstance(thing, Class):
            for owner in classes.lineage(evaluator, thing):
                for scope in owner.scope.children:
                    if scope.name in ("__init__", "__post_init__"):
                        yield Frame(owner.facts, Place(scope, 0), receiver=evaluator.any_object(thing))
    if any(isinstance(one.thing, External) and one.thing.name in RUNNERS for one in callees) or _is_runner_of_made(
        evaluator, call.func, frame
    ):
        for argument in call.args[:1]:
            for way in evaluator.evaluate(argument, frame):
                if isinstance(way.thing, Function):
                    yield _inside(way.thing)


def _is_runner_of_made(evaluator: Evaluator, callee: ast.expr, frame: Frame) -> bool:
    """Return whether a callee is a method, of what a library made, that calls what it is given first."""
    if not isinstance(callee, ast.Attribute) or callee.attr not in _RUNNER_NAMES:
        return False
    with evaluator.steps(STEPS):
        made = [one.thing.callee for one in evaluator.evaluate(callee.value, frame) if isinstance(one.thing, Made)]
    return any(f"{one}().{callee.attr}" in RUNNERS for one in made)


def _chosen(evaluator: Evaluator, callee: ast.expr, frame: Frame) -> Possibilities:
    """Return what is called by a key that was not seen: ``{"train": train, "test": test}[args.command](args)``."""
    if not isinstance(callee, ast.Subscript) or any(one.constant for one in evaluator.evaluate(callee.slice, frame)):
        return ()
    collections = [one.thing for one in evaluator.evaluate(callee.value, frame)]
    every = (values for one in collections if isinstance(one, Items) for values in one.entries.values())
    return tuple(one for values in every for one in values)


def _completed(evaluator: Evaluator, callee: Possibility) -> Possibilities:
    """Return what a callee runs: itself, or what a ``functools.partial`` was made of."""
    thing = callee.thing
    if isinstance(thing, Made) and thing.callee == PARTIAL and thing.call.args:
        return evaluator.evaluate(thing.call.args[0], thing.frame)
    return (callee,)


def may_run(evaluator: Evaluator, call: ast.Call) -> bool:
    """Return whether the name of what is called leaves open that it is a function of the project, or runs one.

    One of several functions that stand in a dictionary has no name.
    """
    if isinstance(call.func, ast.Subscript):
        return isinstance(call.func.value, ast.Dict | ast.Name)
    name = called_name(call)
    project = evaluator.project
    return name in project.definitions or name in project.partials or name in _RUNNER_NAMES


def _inside(function: Function) -> Frame:
    return Frame(function.facts, Place(function.scope, 0), receiver=function.receiver)


def functions_run_by(
    evaluator: Evaluator, entries: Iterable[Function], left: list[Function] | None = None
) -> Iterator[Function]:
    """Yield the functions given, which run in a worker, and all project functions they call there, each once.

    What was not looked into any more is ``left``.
    """
    seen: set[int] = set()
    waiting = list(entries)
    while waiting and len(seen) < MOST_FUNCTIONS:
        function = waiting.pop(0)
        if id(function.node) in seen:
            continue
        seen.add(id(function.node))
        yield function
        for site in function.scope.calls:
            if not may_run(evaluator, site.node) or told_apart(site.place):
                continue
            frame = Frame(function.facts, site.place, receiver=function.receiver)
            with evaluator.steps(_STEPS_OF_CALLEE):
                callees = evaluator.evaluate(site.node.func, frame)
            waiting.extend(one.thing for one in callees if isinstance(one.thing, Function))
    if left is not None:
        left.extend(one for one in waiting if id(one.node) not in seen)


def _trained(evaluator: Evaluator, site: CallSite, frame: Frame) -> Iterator[ast.expr]:
    """Yield the expressions whose loaders a trainer iterates in a call such as ``trainer.fit(model, data)``."""
    function = site.node.func
    if not isinstance(function, ast.Attribute) or function.attr not in TRAINER_METHODS:
        return
    trainers = [words for words, methods in TRAINERS.items() if function.attr in methods]
    made = [one.thing.callee for one in evaluator.evaluate(function.value, frame) if isinstance(one.thing, Made)]
    if any(words in callee for callee in made for words in trainers):
        yield function.value
        yield from (argument for argument in site.node.args if not isinstance(argument, ast.Starred))
        yield from (keyword.value for keyword in site.node.keywords)


# --- what the process does ---


def start_methods(evaluator: Evaluator, facts: PythonFacts) -> Iterator[tuple[Candidate, bool]]:
    """Yield the start methods that a file sets for the whole process, and whether only as the main file.

    Where the error about one that is not there is handled, it is set where it is there.
    """
    for site in facts.calls.get("set_start_method", ()):
        arguments = [*site.node.args, *(one.value for one in site.node.keywords if one.arg == "method")]
        frame = Frame(facts, site.place)
        if not arguments:
            continue
        handled = is_caught(facts, site.node, "ValueError", for_good=True)
        as_main = site.place.scope is facts.module and guarded_place(evaluator, facts, site.node, site.place)
        for ways in evaluator.conditions(site.place.arms, frame):
            for one in evaluator.evaluate(arguments[0], frame):
                if not isinstance(one.thing, str):
                    continue
                there = platforms.with_start_method(one.thing) if handled else EVERY_PLATFORM
                joint = together(one.assumptions, ways, platforms.on(there))
                if joint is not None and there:
                    yield Candidate(one.thing, one.span, None, one.trail, joint, one.sources), as_main


def cuda_touches(
    evaluator: Evaluator, facts: PythonFacts, scope: Scope, receiver: Instance | None = None
) -> Iterator[Touch]:
    """Yield the calls of a scope that make the process touch CUDA, run on an object where it is a method of one."""
    for site in scope.calls:
        if told_apart(site.place):
            continue
        frame = Frame(facts, site.place, receiver=receiver)
        with evaluator.steps(STEPS):
            ways = list(_touches(evaluator, site.node, frame))
            alternatives = evaluator.conditions(site.place.arms, frame) if ways else []
        for conditions in alternatives:
            for assumptions in ways:
                joint = together(assumptions, conditions)
                if joint is not None:
                    yield Touch(facts.span(site.node), shortened(facts.text(site.node)), joint)
                    break


def _touches(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Iterator[Assumptions]:
    function = call.func
    if isinstance(function, ast.Attribute):
        if function.attr == "cuda" and _CUDA_TAKES.issuperset(one.arg for one in call.keywords):
            owner = dotted(function.value)
            if owner != "torch":
                yield NO_ASSUMPTIONS
                return
        if function.attr == "to":
            for argument in call.args[:1]:
                yield from names_cuda(evaluator, argument, frame)
    name = last_name(function)
    for one in evaluator.evaluate(function, frame) if name in _CUDA_NAMES else ():
        if isinstance(one.thing, External) and one.thing.name in CUDA_STARTERS:
            yield NO_ASSUMPTIONS
            return
        if isinstance(one.thing, External) and one.thing.name == "torch.set_default_device":
            for argument in call.args[:1]:
                yield from names_cuda(evaluator, argument, frame)
    for keyword in call.keywords:
        if keyword.arg == "device":
            yield from names_cuda(evaluator, keyword.value, frame)


_CUDA_TAKES = frozenset({"device", "non_blocking", "memory_format"})
"""The arguments of ``Tensor.cuda`` (``torch/_tensor_docs.py``, 2.13); that of a module takes the first."""


def names_cuda(
    evaluator: Evaluator, node: ast.expr, frame: Frame, within: frozenset[tuple[ast.Call, int, int]] = frozenset()
) -> Iterator[Assumptions]:
    """Yield what is assumed wherever an expression, such as an argument ``device``, stands for a CUDA device.

    ``within`` are the calls it stands in, each with what it was called with: ``device = torch.device(device)`` may run
    in a loop, and says nothing again.
    """
    for one in evaluator.evaluate(node, frame):
        thing = one.thing
        if isinstance(thing, Made) and thing.callee == "torch.device" and thing.call.args:
            here = (thing.call, id(thing.frame.arguments), id(thing.frame.receiver))
            if here in within:
                continue
            for assumptions in names_cuda(evaluator, thing.call.args[0], thing.frame, within | {here}):
                joint = together(assumptions, one.assumptions)
                if joint is not None:
                    yield joint
        elif isinstance(thing, str) and thing.startswith("cuda"):
            yield one.assumptions


def compile_touches(evaluator: Evaluator, facts: PythonFacts) -> Iterator[Touch]:
    """Yield the places of a file that make a compiled callable: ``torch.compile(...)``, called or as a decorator."""
    for site in facts.calls.get("compile", ()):
        frame = Frame(facts, site.place)
        if any(
            isinstance(one.thing, External) and one.thing.name == "torch.compile"
            for one in evaluator.evaluate(site.node.func, frame)
        ):
            for conditions in evaluator.conditions(site.place.arms, frame):
                yield Touch(facts.span(site.node), shortened(facts.text(site.node)), conditions)
                break
    for scope in facts.scopes.values():
        if isinstance(scope.node, ast.FunctionDef):
            for decorator in scope.node.decorator_list:
                if dotted(decorator) == "torch.compile":
                    yield Touch(facts.span(decorator), "@torch.compile")
