"""What runs in the main process alone: code that asks for it, or for the notebook that no worker runs in."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import MAIN, External, Frame, Possibilities, Possibility
from loaderlint.linking.things.possibilities import choice, one_of
from loaderlint.model.assumptions import together
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.readers.python import Arm, Block, CallSite, Place, PythonFacts, Scope, is_main_test

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_STEPS = 150
"""Expressions followed to find out whether a place is guarded."""
_OF_A_NOTEBOOK = frozenset({"get_ipython", "__IPYTHON__", "ipykernel", "google.colab"})
"""Names and modules that are there in a notebook or in IPython, not in a worker that was started from it."""
_ASKED_FOR = _OF_A_NOTEBOOK | {"__main__", "MainProcess"}
"""What a program asks for to tell where it runs."""
_HOLD_THEM = frozenset({"sys.modules", *(f"builtins.{name}" for name in ("globals", "locals", "vars", "dir"))})
"""What holds those names and modules, or gives what holds them."""
_BUILTINS = frozenset({"builtins", "builtins.__builtins__"})
NOTEBOOK = "in a notebook"
"""Subject of the assumption that this runs in a notebook or in IPython, and in no worker that was started from it."""


def in_notebook(evaluator: Evaluator, node: ast.Compare, frame: Frame) -> Possibilities | None:
    """Return whether there is what a notebook has, as ``"google.colab" in sys.modules`` asks; None for other tests."""
    sought, span = node.left, frame.facts.span(node)
    if not isinstance(sought, ast.Constant) or sought.value not in _OF_A_NOTEBOOK:
        return None
    among = node.comparators[0]
    asked = among.func if isinstance(among, ast.Call) and not among.args else among
    held = [one.thing for one in evaluator.evaluate(asked, frame)]
    if not all(isinstance(one, External) and one.name in _HOLD_THEM for one in held):
        return None
    # A file may define or import what goes by that name.
    return None if sought.value in frame.facts.module.bindings else _answering(span, isinstance(node.ops[0], ast.In))


def of_notebook(module: str, name: str, span: Span) -> Possibilities | None:
    """Return whether ``builtins`` has what only a notebook puts there; None for any other attribute."""
    return _answering(span) if module in _BUILTINS and name in _OF_A_NOTEBOOK else None


def _answering(span: Span, answer: bool = True) -> Possibilities:
    """Return what gives this answer in a notebook and the other one elsewhere."""
    return one_of(NOTEBOOK, ((where, (Possibility(where is answer, span),)) for where in (True, False)))


def process_name(span: Span) -> Possibilities:
    """Return what ``multiprocessing.current_process().name`` is: a worker has its own when it imports the main module.

    CPython, ``Lib/multiprocessing/spawn.py``, ``prepare``, and ``process.py``, ``BaseProcess.__init__``.
    """
    return one_of(MAIN, ((True, (Possibility("MainProcess", span),)), (False, (Possibility("Process-1", span),))))


def guarded_place(evaluator: Evaluator, facts: PythonFacts, node: ast.AST, place: Place) -> bool:
    """Return whether a node at a place runs only in the main process, not in a worker that imports its file.

    A worker imports no notebook: its main module has no file (CPython, ``Lib/multiprocessing/spawn.py``,
    ``get_preparation_data``), nor the ``__main__.py`` of a package that is run by its name (``_fixup_main_from_name``).
    In a function only tests that speak of the main process or a notebook are looked at.
    """
    body = place.scope
    if body.is_class and body.defined is not None and guarded_place(evaluator, facts, body.node, body.defined):
        return True
    top = body.runs_at_import
    main_alone = facts.source.cells is not None or (top and _is_run_by_name(evaluator, facts))
    if main_alone or any(_asks_for_main(arm) for arm in place.arms):
        return True
    frame = Frame(facts, place)
    if _after_notebook_call(evaluator, node, frame):
        return True
    tests = [arm.test for arm in place.arms if arm.test is not None]
    anywhere = top or "get_ipython" in facts.calls
    if not (tests if anywhere else any(_speaks_of_process(evaluator, one, facts) for one in tests)):
        return False
    in_a_worker = choice(MAIN, False) | choice(NOTEBOOK, False)
    with evaluator.steps(_STEPS):
        ways = evaluator.conditions(place.arms, frame)
    return bool(ways) and all(together(one, in_a_worker) is None for one in ways)


def _is_run_by_name(evaluator: Evaluator, facts: PythonFacts) -> bool:
    """Return whether a file is the ``__main__.py`` of a package, which ``python -m`` runs: it imports from around it.

    That fails where it is run by its path.
    """
    path = facts.source.path
    if posixpath.basename(path) != "__main__.py":
        return False
    relative = any(isinstance(one, ast.ImportFrom) and one.level for one in facts.tree.body)
    return relative and all(module != path for module, _ in evaluator.project.entry_points)


def end_of_workers(evaluator: Evaluator, facts: PythonFacts) -> Touch | None:
    """Return the first test at the top of a main file that ends each worker which imports it; None without one.

    ``if __name__ != "__main__": raise ImportError`` keeps a worker from what follows, and from ever being one: the
    import of the main file is how it begins, and an error or ``sys.exit()`` there ends it.
    """
    for stop in () if _is_run_by_name(evaluator, facts) else facts.module.stops:
        arms, frame = stop.place.arms, Frame(facts, stop.place)
        tests = [arm.test for arm in arms if arm.test is not None and not arm.loop]
        if stop.call is not None or stop.imported or stop.handled or not tests or len(tests) < len(arms):
            continue
        with evaluator.steps(_STEPS):
            if all(_taken_by_workers_alone(evaluator, arm, frame) for arm in arms):
                return Touch(facts.span(tests[-1]), facts.text(tests[-1]), ends=True)
    return None


def _taken_by_workers_alone(evaluator: Evaluator, arm: Arm, frame: Frame) -> bool:
    """Return whether every worker takes an arm, and the main process does not, or not always."""
    if arm.test is None or is_main_test(arm.test):
        return not arm.truth
    answers = evaluator.truth(arm.test, frame.at(arm.place or frame.place))
    return any(answer is arm.truth and way == choice(MAIN, False) for answer, way, _ in answers)


def only_under_guard(scope: Scope) -> bool:
    """Return whether a module has a function or class under its guard alone: a worker that imports the file has none.

    A worker imports the main module as ``__mp_main__`` (CPython, ``Lib/multiprocessing/spawn.py``, ``prepare``).
    """
    module = scope.parent
    made = module.bindings.get(scope.name, ()) if module is not None and module.parent is None else ()
    return bool(made) and all(any(_asks_for_main(arm) for arm in one.place.arms) for one in made)


def _asks_for_main(arm: Arm) -> bool:
    """Return whether an arm is taken only in the main module."""
    return arm.test is not None and arm.truth and is_main_test(arm.test)


def _speaks_of_process(evaluator: Evaluator, test: ast.expr, facts: PythonFacts) -> bool:
    """Return whether a test, or what the file binds the names in it to, holds what is asked for to tell a worker."""

    def looked_through() -> bool:
        named = (one.id for one in ast.walk(test) if isinstance(one, ast.Name))
        values = (one.value for name in named for one in facts.module.bindings.get(name, ()))
        asked = (one for part in (test, *values) if part is not None for one in ast.walk(part))
        return any(isinstance(one, ast.Constant) and one.value in _ASKED_FOR for one in asked)

    return evaluator.remembered(("speaks of process", test), None, looked_through)


def _after_notebook_call(evaluator: Evaluator, node: ast.AST, frame: Frame) -> bool:
    """Return whether ``get_ipython()`` always comes before a node: where there is no IPython, it raises a NameError."""
    return any(
        call.place.order < frame.place.order
        and all(_ran_on(frame.facts, block, node, frame.place) for block in _around(frame.facts, call.node))
        for call in _notebook_calls(evaluator, frame)
    )


def ends_in_notebook(evaluator: Evaluator, node: ast.Try, frame: Frame) -> bool:
    """Return whether the body of a ``try`` comes to its end in a notebook alone: ``get_ipython()`` stands in it."""
    body = frame.facts.between(node.body[0], node.body[-1])
    return any(body.holds(frame.facts.span(call.node)) for call in _notebook_calls(evaluator, frame))


def _notebook_calls(evaluator: Evaluator, frame: Frame) -> Iterator[CallSite]:
    """Yield the calls of what the notebook puts among the builtins that stand under no other branches than a place."""
    for call in frame.facts.calls.get("get_ipython", ()):
        if call.place.scope is frame.scope and call.place.arms == frame.place.arms[: len(call.place.arms)]:
            called = [one.thing for one in evaluator.evaluate(call.node.func, Frame(frame.facts, call.place))]
            if all(isinstance(one, External) and one.name == "builtins.get_ipython" for one in called):
                yield call


def _around(facts: PythonFacts, node: ast.AST) -> Iterator[Block]:
    span = facts.span(node)
    return (one for one in facts.blocks if facts.between(one.body[0], one.body[-1]).holds(span))


def _ran_on(facts: PythonFacts, block: Block, node: ast.AST, place: Place) -> bool:
    """Return whether a node stands in the body of a ``try`` or ``with``, or runs only where that came to its end."""
    return block in _around(facts, node) or any(arm.owner is block and arm.truth for arm in place.arms)
