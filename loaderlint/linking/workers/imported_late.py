"""What modules change of others as they are imported, where the main process alone imports them.

Readers that a module registers are there in forked workers. A worker that is started anew imports no module that a
function of the main process imports, and finds the registry without them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.given_away import is_changeable
from loaderlint.linking.workers.late_imports import LateImports
from loaderlint.linking.workers.left_behind import OF_TENSORS, changed_in, place_of, read_of_modules, spans_of
from loaderlint.linking.workers.set_on_modules import set_on_modules
from loaderlint.linking.workers.top_level import Global, imported, meant_by, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import FunctionNode, Place, PythonFacts, Scope, dotted
from loaderlint.vocabulary.running import PROCESS_DEFAULTS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def imported_late(evaluator: Evaluator, running: Sequence[Function], sent: Set[str]) -> Touch | None:
    """Return where modules that the main process alone imports change what functions read that run in workers.

    ``sent`` are the paths of the files that define what is sent to the workers, which import them.
    """
    late = evaluator.remembered(("late imports",), None, lambda: LateImports(evaluator))
    if not running or not late.exist:
        return None
    read = {meant for function in running for meant in read_of_modules(evaluator, function)} | {OF_TENSORS}
    by_path: dict[str, set[Global]] = {}
    for meant in read.union(*(_changeable(evaluator, one) for one in read)):
        by_path.setdefault(meant.path, set()).add(meant)
    touches = [
        touch
        for path, met in by_path.items()
        for facts in _changing(evaluator, late, path, met)
        for meant, several in _changed_by(evaluator, facts).items()
        for touch in (several if meant in met else ())
    ]
    paths = late.besides(sent, spans_of(running)) if touches else ()
    return min((one for one in touches if one.span.path in paths), key=place_of, default=None)


def _changing(evaluator: Evaluator, late: LateImports, path: str, met: Set[Global]) -> Iterable[PythonFacts]:
    """Return the modules imported late that may change some of what a file has at its top, or a library (no path)."""
    if not path:
        # What is of no file of the project is a library's: ``torch.sin.``.
        settings = late.mentioning(name.rpartition(".")[2] for name in PROCESS_DEFAULTS) if OF_TENSORS in met else ()
        attributes = {one.name.split(".")[-2] for one in met if "." in one.name}
        return {one.source.path: one for one in (*settings, *late.setters(attributes))}.values()
    changed = {one.name for one in met if _changeable(evaluator, one)}
    facts = evaluator.project.python_in_passing(path)
    around = {scope.name for scope in facts.module.children} if facts is not None else set()
    called = {one for one in around if not _changed_inside(evaluator, Global(path, one)).isdisjoint(met)}
    # A function, or a number, can only be set to another.
    replaced = late.replacing(path, {one.name for one in met})
    return {one.source.path: one for one in (*late.users(path, changed, called), *replaced)}.values()


def _changeable(evaluator: Evaluator, meant: Global) -> Set[Global]:
    """Return all that a name means which stands for an object or a class; none for a function or a number."""
    found = _meant(evaluator, meant)
    return found if any(is_changeable(evaluator, one) or _is_class(evaluator, one) for one in found) else set()


def _meant(evaluator: Evaluator, named: Global) -> Set[Global]:
    """Return what a name at the top level of a module means: that, and what the module imports for it."""
    found: set[Global] = set()
    waiting = [named]
    while waiting:
        one = waiting.pop()
        facts = evaluator.project.python_in_passing(one.path) if one not in found else None
        found.add(one)
        if facts is not None and next(imported(facts.module, one.name), None) is not None:
            waiting.extend(meant_by(evaluator, facts, facts.module, one.name))
    return found


def _is_class(evaluator: Evaluator, meant: Global) -> bool:
    facts = evaluator.project.python_in_passing(meant.path)
    return facts is not None and any(one.kind == "class" for one in facts.module.bindings.get(meant.name, ()))


def _changed_by(evaluator: Evaluator, facts: PythonFacts) -> Mapping[Global, list[Touch]]:
    """Return what the top level of a module changes of the top level of others."""

    def changed() -> Mapping[Global, list[Touch]]:
        found: dict[Global, list[Touch]] = {}
        own = changed_in(evaluator, facts, facts.module, _is_no_import)
        # Whatever a module has is another thing where another module puts that in its place.
        replaced = set(set_on_modules(evaluator, facts, facts.module))
        for named, touch in chain(own, _by_functions(evaluator, facts)):
            for meant in {named} if not named.path else _changeable(evaluator, named):
                if meant.path != facts.source.path:
                    found.setdefault(meant, []).append(touch)
        for meant, touch in replaced:
            if meant.path != facts.source.path:
                found.setdefault(meant, []).append(touch)
        return found

    return evaluator.remembered(("changed by import", facts.source.path), None, changed)


def _is_no_import(node: ast.AST, place: Place) -> bool:
    return not isinstance(node, ast.Import | ast.ImportFrom)


def _anyway(node: ast.AST, place: Place) -> bool:
    return True


def _by_functions(evaluator: Evaluator, facts: PythonFacts) -> Iterator[tuple[Global, Touch]]:
    """Yield what functions of other modules change that a module calls at its top, decorators among them."""
    called: list[tuple[ast.expr, ast.expr]] = [(site.node, site.node.func) for site in facts.module.calls]
    for scope in facts.module.children:
        if isinstance(scope.node, FunctionNode | ast.ClassDef):
            called += [(one, one) for one in scope.node.decorator_list if not isinstance(one, ast.Call)]
        if isinstance(scope.node, ast.ClassDef):
            # ``__init_subclass__`` is called for each class that inherits it.
            called += [(one, one) for one in scope.node.bases]
    for node, function in called:
        meant = set(meant_by(evaluator, facts, facts.module, dotted(function) or ""))
        for one in {inner for named in meant for inner in _meant(evaluator, named)}:
            if one.path != facts.source.path:
                yield from ((changed, touch_at(facts, node)) for changed in _changed_inside(evaluator, one))


def _changed_inside(evaluator: Evaluator, called: Global) -> Set[Global]:
    """Return what a function changes of the top level of modules when it is called, or a class that is inherited."""
    return evaluator.remembered(("changed inside", called), None, lambda: _changed_by_call(evaluator, called))


def _changed_by_call(evaluator: Evaluator, called: Global) -> Set[Global]:
    facts = evaluator.project.python_in_passing(called.path)
    found: set[Global] = set()
    waiting: list[Scope] = []
    for scope in facts.module.children if facts is not None else ():
        if scope.name == called.name:
            hooks = [one for one in scope.children if one.name == "__init_subclass__"]
            waiting.extend(hooks if scope.is_class else [scope])
    while facts is not None and waiting:
        scope = waiting.pop()
        found.update(meant for meant, _ in changed_in(evaluator, facts, scope, _anyway))
        waiting.extend(scope.children)
    return found
