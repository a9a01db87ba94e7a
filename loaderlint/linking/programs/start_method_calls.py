"""Calls of ``set_start_method`` that raise, because they run again in every worker or twice in one process."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.following.running import STEPS, Iterations, shortened
from loaderlint.linking.programs.called_again import called_again
from loaderlint.linking.programs.loaded_by_name import loaded_by_name
from loaderlint.linking.programs.run_by_pytest import is_a_program, run_by_pytest
from loaderlint.linking.scopes.caught import is_caught
from loaderlint.linking.things.guards import guarded_place
from loaderlint.linking.things.kinds import External, Frame
from loaderlint.model.assumptions import together
from loaderlint.model.uses import StartMethodCall
from loaderlint.readers.python import Binding, CallSite, Place, PythonFacts, is_for_types
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.uses import ASKS_FOR_PROCESS, MAKE_NO_PROCESSES, SETS_START_METHOD

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_FILES = 200


class _Ran(Struct, frozen=True, eq=False):
    """A call that was seen to run in a program; ``raises`` says that nothing keeps it from raising a second time."""

    facts: PythonFacts
    site: CallSite
    call: StartMethodCall
    raises: bool


def start_method_calls(
    evaluator: Evaluator, entry: str, run_of: Callable[[str], Iterations]
) -> Iterator[StartMethodCall]:
    """Yield the calls that can raise in the program that begins with a file, each once for each way to raise."""
    ran = list(_ran(evaluator, entry, run_of))
    main = evaluator.project.python(entry)
    in_notebook = main is not None and main.source.cells is not None
    tested = run_by_pytest(evaluator, entry) if ran else None
    brought_in = tested or (loaded_by_name(evaluator, entry) if ran else None)
    imported_again = not in_notebook and (tested is None or is_a_program(evaluator, entry))
    for one in ran:
        # A worker imports no notebook and no file of tests, and what these import only where what it is sent needs it.
        if one.raises and one.call.in_workers and imported_again and not _names_module(one.site.place):
            yield replace(one.call, brought_in=brought_in)
    for one in ran:
        before = next((other for other in ran if other is not one and _comes_before(other, one)), None)
        if not one.raises:
            continue
        if before is not None:
            yield replace(one.call, after=before.call.span)
        elif (again := called_again(run_of(entry), one.site.place, "RuntimeError")) is not None:
            yield replace(one.call, again=again)


def _ran(evaluator: Evaluator, entry: str, run_of: Callable[[str], Iterations]) -> Iterator[_Ran]:
    for facts in _imported_with(evaluator, entry):
        for site in facts.calls.get("set_start_method", ()):
            scope = site.place.scope
            run = run_of(facts.source.path)
            at_top = scope is facts.module
            guarded = at_top and guarded_place(evaluator, facts, site.node, site.place)
            if guarded and facts.source.path != entry:
                continue
            if not at_top and id(scope.node) not in run_of(entry).scopes | run.importing:
                continue
            frame = Frame(facts, site.place)
            with evaluator.steps(STEPS):
                callees = evaluator.evaluate(site.node.func, frame)
                alternatives = evaluator.conditions(site.place.arms, frame)
            if not any(isinstance(one.thing, External) and one.thing.name in SETS_START_METHOD for one in callees):
                continue
            imported = (at_top and not guarded) or id(scope.node) in run.importing
            here = at_top and facts.source.path == entry
            raises = not (_forces(site.node) or is_caught(facts, site.node, "RuntimeError") or _is_asked(site.place))
            for assumptions in alternatives[:1]:
                what = shortened(facts.text(site.node))
                span = facts.span(site.node)
                call = StartMethodCall(
                    span,
                    what,
                    assumptions,
                    in_workers=imported,
                    can_be_guarded=here,
                    something_follows=here and _something_follows(evaluator, facts, site),
                )
                yield _Ran(facts, site, call, raises)


def _imported_with(evaluator: Evaluator, entry: str) -> Iterator[PythonFacts]:
    """Yield the file a program begins with and all that it imports at the top of its files, under no guard."""
    seen: set[str] = set()
    waiting = [entry]
    while waiting and len(seen) < _MOST_FILES:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        facts = evaluator.project.python(path)
        if facts is None:
            continue
        yield facts
        for bindings in facts.module.bindings.values():
            for one in bindings:
                if not _is_imported(evaluator, facts, one):
                    continue
                for name in (one.target, one.target.rpartition(".")[0]) if one.kind == "import" else ():
                    imported = evaluator.project.module(name, path) if name else None
                    if imported is not None:
                        waiting.append(imported)


def _is_imported(evaluator: Evaluator, facts: PythonFacts, binding: Binding) -> bool:
    """Return whether a top-level import runs in every process that runs the file, a notebook's in the one there is."""
    if is_for_types(binding.place):
        return False
    return facts.source.cells is not None or not guarded_place(evaluator, facts, binding.node, binding.place)


def _something_follows(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> bool:
    """Return whether what the main module does after a call, outside of the guard, may need the method it sets.

    Locks and queues take the method that is set and let nobody set another (``multiprocessing/context.py``,
    ``get_context``). Modules of the project, and unknown ones, may make some when they are imported.
    """
    for bindings in facts.module.bindings.values():
        for one in bindings:
            if one.kind != "import" or one.place.order < site.place.order:
                continue
            names = (one.target, one.target.rpartition(".")[0])
            own = any(evaluator.project.module(name, facts.source.path) is not None for name in names if name)
            if own or one.target.partition(".")[0] not in MAKE_NO_PROCESSES:
                return True
    for other in facts.module.calls:
        if other.place.order <= site.place.order or guarded_place(evaluator, facts, other.node, other.place):
            continue
        name = called_name(other.node)
        with evaluator.steps(STEPS):
            callees = evaluator.evaluate(other.node.func, Frame(facts, other.place))
        if name in evaluator.project.definitions or any(
            isinstance(one.thing, External) and "multiprocessing." in one.thing.name for one in callees
        ):
            return True
    return False


def _comes_before(first: _Ran, second: _Ran) -> bool:
    """Return whether a call was seen to run before another in one process."""
    if together(first.call.assumptions, second.call.assumptions) is None:
        return False
    one, other = first.site.place, second.site.place
    if any(arm.excludes(another) for arm in one.arms for another in other.arms):
        return False
    if one.scope is other.scope:
        # On a branch of its own it may not have run.
        return one.order < other.order and all(arm in other.arms for arm in one.arms)
    return first.call.in_workers and not second.call.in_workers and not one.arms


def _forces(call: ast.Call) -> bool:
    """Return whether a call may have ``force=True``, by name, position or splat."""
    given = [one.value for one in call.keywords if one.arg in ("force", None)] + call.args[1:]
    return any(not (isinstance(one, ast.Constant) and one.value is False) for one in given)


def _is_asked(place: Place) -> bool:
    """Return whether a condition around a call asks for the start method, or for what process this is."""
    return any(isinstance(node, ast.Call) and called_name(node) in ASKS_FOR_PROCESS for node in _asked(place))


def _names_module(place: Place) -> bool:
    """Return whether a condition around a call asks for what module this is: in a worker that is another."""
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in _asked(place))


def _asked(place: Place) -> Iterator[ast.AST]:
    """Yield what the conditions around a place are made of."""
    for arm in place.arms:
        if arm.test is not None:
            yield from ast.walk(arm.test)
