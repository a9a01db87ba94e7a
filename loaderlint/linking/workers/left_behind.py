"""What a program changes after its modules were imported, and its workers read: a forked worker alone has that.

A worker that is started anew imports the modules again and finds what their top level leaves, which is something else
where that was drawn or asked of the clock.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING

from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.aliased import changed_defaults
from loaderlint.linking.workers.asks_for_main import asked_at_import, asked_in_workers
from loaderlint.linking.workers.called_objects import called_objects, changes_by_method
from loaderlint.linking.workers.changed_by_globals import changed_by_globals, speaks_of_globals
from loaderlint.linking.workers.changed_outside import changed_outside
from loaderlint.linking.workers.given_away import given_away
from loaderlint.linking.workers.made_once import drawn, is_looked_at, is_made_alike, keeps_results
from loaderlint.linking.workers.top_level import (
    Global,
    full_name,
    is_later,
    is_object,
    is_of_library,
    is_own_class,
    meant_by,
    reaches_top,
    touch_at,
)
from loaderlint.model.payload import Touch
from loaderlint.model.process_state import READ_BY_WORKERS
from loaderlint.model.setting_names import is_setting, words_of
from loaderlint.model.setting_words import SETTING_WORDS
from loaderlint.model.source import Span
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Binding, CallSite, FunctionNode, Place, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.running import DIFFERENT_IN_EACH_PROCESS, DRAWS, LOOKS, PROCESS_DEFAULTS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_OF_THE_PROCESS = Global("", "")
"""What all code of a process shares, such as how images are read."""
OF_TENSORS = Global("", "torch")
"""What all tensors of a process are made by, such as their default type."""


def left_behind(evaluator: Evaluator, running: Sequence[Function], *, settings: bool = True) -> Touch | None:
    """Return where a program changes what functions read that run in workers; None where that was not seen.

    ``settings``: those of libraries, which all code of a process shares, count as well.
    """

    def changed() -> Mapping[Global, list[Touch]]:
        found: dict[Global, list[Touch]] = {}
        for meant, touch in _changed(evaluator):
            found.setdefault(meant, []).append(touch)
        return found

    by_name = evaluator.remembered(("changed after import",), None, changed)
    if not running:
        return None
    shared = {OF_TENSORS, _OF_THE_PROCESS} if settings else {OF_TENSORS}
    reads = [(function, frozenset(read_of_modules(evaluator, function))) for function in running]
    read = shared.union(*(every for _, every in reads))
    own = spans_of(running)
    touches = [(meant, touch) for meant in read for touch in by_name.get(meant, ())]
    inside: dict[Global, list[Touch]] = {}
    outside: list[Touch] = []
    for meant, touch in touches:
        in_workers = any(span.holds(touch.span) for span in own)
        (inside.setdefault(meant, []) if in_workers else outside).append(touch)
    asked = (touch for function in running for touch in asked_in_workers(function))
    # What worker code writes is there for the workers that are started after it.
    around = changed_outside(evaluator, read)
    kept = _kept_by_workers(evaluator, reads, inside)
    return min((*outside, *kept, *asked, *around), key=place_of, default=None)


def _kept_by_workers(
    evaluator: Evaluator, reads: Sequence[tuple[Function, Set[Global]]], changes: Mapping[Global, Sequence[Touch]]
) -> Iterator[Touch]:
    """Yield what worker code changes of what it reads, where it is not known to make it alike in each process.

    What the program ran of it before, a forked worker goes on with; one that is started anew begins again.
    """
    functions = [one for one, _ in reads]
    draws = any(True for one in functions for _ in drawn(one))
    for one in functions:
        if isinstance(one.node, FunctionNode) and keeps_results(one.node):
            yield from drawn(one)
    for meant, touches in changes.items():
        changed = [one for one in dict.fromkeys(touches) if not _looks_alone(evaluator, functions, one)]
        readers = {id(one.node): one for one, every in reads if meant in every}
        alike = len(changed) == len(readers) == 1 and not draws
        if not (alike and all(is_made_alike(one, meant, changed[0]) for one in readers.values())):
            yield from changed


def _looks_alone(evaluator: Evaluator, functions: Sequence[Function], touch: Touch) -> bool:
    """Return whether a touch in worker code hands something on to what looks at it alone."""
    for one in functions:
        node = evaluator.remembered(("nodes by span", id(one.node)), None, partial(_nodes, one)).get(touch.span)
        if node is not None and is_looked_at(evaluator, one, node):
            return True
    return False


def _nodes(function: Function) -> Mapping[Span, ast.AST]:
    """Return the assignments and calls of a function by where they stand."""
    nodes = (one for one in nodes_of(function.node) if isinstance(one, ast.Assign | ast.Call))
    return {function.facts.span(one): one for one in nodes}


def spans_of(running: Sequence[Function]) -> Sequence[Span]:
    """Return where the functions stand that run in workers."""
    return [function.facts.span(function.node) for function in running if not isinstance(function.node, ast.Lambda)]


def place_of(touch: Touch) -> tuple[str, tuple[int, int]]:
    """Return what touches are ordered by."""
    return touch.span.path, touch.span.start


def _changed(evaluator: Evaluator) -> Iterator[tuple[Global, Touch]]:
    """Yield what functions of the project, and what stands under its guards, change of the top level of modules.

    A method that is called on an object may change it, unless it is known to look alone.
    """
    for facts in evaluator.project.all_python():
        if facts.source.cells is not None:
            # No worker that is started anew has anything of a notebook.
            continue
        later, by_globals = partial(is_later, evaluator, facts), speaks_of_globals(facts)
        for scope in facts.scopes.values():
            yield from changed_in(evaluator, facts, scope, later)
            yield from _changed_of_class(facts, scope)
            yield from changed_by_globals(facts, scope, later) if by_globals else ()
            yield from changed_defaults(facts, scope)
        yield from _drawn(facts)
        yield from asked_at_import(facts)


def changed_in(
    evaluator: Evaluator, facts: PythonFacts, scope: Scope, later: Callable[[ast.AST, Place], bool]
) -> Iterator[tuple[Global, Touch]]:
    """Yield what a scope changes of the top level of modules where it does so ``later`` than workers import them."""
    for name, bindings in scope.bindings.items():
        for one in bindings if _is_outside(facts, scope, name) else ():
            if one.kind in MUTATIONS and _is_module(evaluator, facts, scope, name.partition(".")[0]):
                # A function such as ``torch.sort``.
                continue
            if one.kind == "import" and not _is_another(facts, scope, name, one):
                continue
            if isinstance(one.node, ast.stmt | ast.expr) and (one.inner is not None or later(one.node, one.place)):
                touch = touch_at(facts, one.node)
                yield from ((meant, touch) for meant in meant_by(evaluator, facts, scope, name))
                if one.kind not in MUTATIONS and is_of_library(evaluator, facts, scope, name.partition(".")[0]):
                    yield of_library(scope, name), touch
                if full_name(scope, name).startswith(READ_BY_WORKERS):
                    yield _OF_THE_PROCESS, touch
    for site in scope.calls:
        yield from _changed_by_call(evaluator, facts, site, later)
    yield from _changed_by_decorators(evaluator, facts, scope, later)
    yield from given_away(evaluator, facts, scope, later)


def of_library(scope: Scope, name: str) -> Global:
    """Return what a dotted name means wherever it is imported from a library: ``torch.sin``."""
    return Global("", f"{full_name(scope, name)}.")


def _is_module(evaluator: Evaluator, facts: PythonFacts, scope: Scope, first: str) -> bool:
    """Return whether a name stands for a module of a library."""
    around: Scope | None = scope
    while around is not None:
        imports = [one for one in around.bindings.get(first, ()) if one.kind == "import"]
        if imports:
            modules = all(isinstance(one.node, ast.Import) for one in imports)
            return modules and is_of_library(evaluator, facts, scope, first)
        around = around.parent
    return False


def _is_another(facts: PythonFacts, scope: Scope, name: str, binding: Binding) -> bool:
    """Return whether an import may give a name of the top level another value than it has there."""
    if scope is not facts.module and name not in scope.outer_names:
        return False
    above = [one.target for one in facts.module.bindings.get(name, ()) if one is not binding]
    return not above or any(one != binding.target for one in above)


def _changed_of_class(facts: PythonFacts, scope: Scope) -> Iterator[tuple[Global, Touch]]:
    """Yield what a method changes of a collection that its class has for all objects: ``self.rows[index] = row``."""
    around = scope.parent
    if around is None or not around.is_class:
        return
    own = {name for name, bindings in around.bindings.items() if all(one.kind == "assign" for one in bindings)}
    changed: list[tuple[str, ast.AST]] = [
        (name, one.node)
        for name, bindings in scope.bindings.items()
        for one in bindings
        if one.kind in MUTATIONS and one.node is not None
    ]
    changed += [(owner, site.node) for site in scope.calls if (owner := _asked_to_change(site))]
    for node in _set_on_class(facts, scope):
        yield Global(facts.source.path, around.name), touch_at(facts, node)
    for name, node in changed:
        first, _, rest = name.partition(".")
        attribute = rest.partition(".")[0]
        if first == "self" and attribute in own:
            touch = touch_at(facts, node)
            yield Global(facts.source.path, around.name), touch
            # ``table = TABLE`` is another name for that.
            for one in around.bindings[attribute]:
                if isinstance(one.value, ast.Name):
                    yield Global(facts.source.path, one.value.id), touch


def _set_on_class(facts: PythonFacts, scope: Scope) -> Iterator[ast.AST]:
    """Yield where a method sets an attribute of its class by its object: ``self.__class__.n``, ``type(self).n``."""
    for name, bindings in scope.bindings.items():
        if name.startswith("self.__class__."):
            yield from (one.node for one in bindings)
    for change in facts.attribute_changes:
        match change.owner:
            case ast.Call(ast.Name("type"), [ast.Name("self")]) if change.place.scope is scope:
                yield change.owner


def _asked_to_change(site: CallSite) -> str:
    """Return what a method is called on that may change it."""
    owner, _, method = (dotted(site.node.func) or "").rpartition(".")
    return owner if method not in LOOKS else ""


def _changed_by_call(
    evaluator: Evaluator, facts: PythonFacts, site: CallSite, later: Callable[[ast.AST, Place], bool]
) -> Iterator[tuple[Global, Touch]]:
    name = dotted(site.node.func) or ""
    scope = site.place.scope
    found = [*_asked(evaluator, facts, scope, name), *called_objects(evaluator, facts, scope, name)]
    found += _patched(evaluator, facts, site, name)
    if _sets_up(evaluator, facts, site, name):
        tensors = full_name(scope, name).startswith(PROCESS_DEFAULTS)
        found.append(OF_TENSORS if tensors else _OF_THE_PROCESS)
    if found and later(site.node, site.place):
        touch = touch_at(facts, site.node)
        yield from ((one, touch) for one in found)


def _patched(evaluator: Evaluator, facts: PythonFacts, site: CallSite, name: str) -> Iterator[Global]:
    """Yield what a test's patch puts something else in the place of: ``mock.patch("settings.SCALE", 2)``."""
    patch = full_name(site.place.scope, name)
    match site.node.args:
        case [ast.Constant(str(text)), *_] if patch in ("unittest.mock.patch", "unittest.mock.patch.dict"):
            owner, _, attribute = text.rpartition(".")
            module = evaluator.project.module(owner, facts.source.path)
            module = facts.source.path if owner == "__main__" else module
            yield Global(module, attribute) if module else Global("", f"{text}.")
        case [ast.Constant("__main__")] if patch == "unittest.mock.patch.multiple":
            # The file itself is the one that runs, or may be.
            yield from (Global(facts.source.path, one.arg) for one in site.node.keywords if one.arg)
        case [owner, ast.Constant(str(attribute)), *_] if patch == "unittest.mock.patch.object" and dotted(owner):
            meant = meant_by(evaluator, facts, site.place.scope, f"{dotted(owner)}.{attribute}")
            yield from (one for one in meant if one.name == attribute)
            yield of_library(site.place.scope, f"{dotted(owner)}.{attribute}")


def _changed_by_decorators(
    evaluator: Evaluator, facts: PythonFacts, scope: Scope, later: Callable[[ast.AST, Place], bool]
) -> Iterator[tuple[Global, Touch]]:
    """Yield what decorators may change that are no calls: the object of ``@READERS.register``, or of ``@READERS``."""
    for child in scope.children:
        for node in child.node.decorator_list if isinstance(child.node, FunctionNode | ast.ClassDef) else ():
            name = dotted(node)
            if name is None or child.defined is None:
                continue
            found = (*_asked(evaluator, facts, scope, name), *called_objects(evaluator, facts, scope, name))
            if found and later(node, child.defined):
                yield from ((one, touch_at(facts, node)) for one in found)


def _asked(evaluator: Evaluator, facts: PythonFacts, scope: Scope, name: str) -> Iterator[Global]:
    """Yield what a method is called on, by its dotted name, that may change it."""
    owner, _, method = name.rpartition(".")
    first = name.partition(".")[0]
    if owner and reaches_top(scope, first) and (method not in LOOKS or changes_by_method(evaluator, method)):
        for one in meant_by(evaluator, facts, scope, owner):
            # What is imported is another file's, and a function or class is none that a call on it changes.
            if one.path != facts.source.path or is_object(facts, first) or method == "register":
                yield one


def _sets_up(evaluator: Evaluator, facts: PythonFacts, site: CallSite, name: str) -> bool:
    """Return whether a call sets something up for the whole process: that of a library, by what its name says.

    What sets something has no result that anybody takes.
    """
    scope = site.place.scope
    full = full_name(scope, name)
    known = full.startswith((*PROCESS_DEFAULTS, *READ_BY_WORKERS))
    sets = known or (is_setting(full) and words_of(full)[0] in SETTING_WORDS)
    if not sets or full.startswith(_OF_NO_SAMPLE):
        return False
    if not is_of_library(evaluator, facts, scope, name.partition(".")[0]):
        return False
    return known or any(isinstance(one, ast.Expr) and one.value is site.node for one in nodes_of(scope.node))


_OF_NO_SAMPLE = (
    *("cv2.ocl.", "cv2.setNumThreads", "importlib.import_module", "pandas.set_option"),
    *("torch.multiprocessing.set_sharing_strategy", "torch.set_float32_matmul_precision"),
)
"""What most programs call to look a class up, to show something or to be faster, and no sample hangs on."""


def _drawn(facts: PythonFacts) -> Iterator[tuple[Global, Touch]]:
    """Yield what the top level of a file gives something else in each process that imports it."""
    seeded = any(
        "seed" in name and any(one.place.scope is facts.module for one in sites) for name, sites in facts.calls.items()
    )
    for site in facts.module.calls:
        full = full_name(facts.module, dotted(site.node.func) or "")
        if not full.startswith(DIFFERENT_IN_EACH_PROCESS) and (seeded or not full.startswith(DRAWS)):
            continue
        touch = touch_at(facts, site.node)
        for name, bindings in facts.module.bindings.items():
            values = (one.value for one in bindings if one.value is not None)
            if any(facts.span(value).holds(touch.span) for value in values):
                yield Global(facts.source.path, name.partition(".")[0]), touch
        for handed in site.node.args:
            if isinstance(handed, ast.Name):
                yield Global(facts.source.path, handed.id), touch
    for name, bindings in facts.module.bindings.items():
        for one in bindings:
            if one.value is not None and one.kind == "assign" and _is_in_any_order(one.value):
                yield Global(facts.source.path, name), touch_at(facts, one.value)


def _is_in_any_order(value: ast.expr) -> bool:
    """Return whether a value is made of what a set gives one after the other: texts hash differently in each process.

    A set itself is there to be asked what is in it.
    """
    if _is_set(value):
        return False
    inside = list(nodes_of(value))
    ordered = any(isinstance(one, ast.Call) and called_name(one) in _IN_ORDER for one in inside)
    return not ordered and any(_is_set(one) for one in inside)


def _is_set(node: ast.AST) -> bool:
    called = isinstance(node, ast.Call) and called_name(node) in ("set", "frozenset")
    return called or isinstance(node, ast.Set | ast.SetComp)


_IN_ORDER = frozenset({"len", "max", "min", "sorted"})
"""What of a set does not hang on its order."""


def _is_outside(facts: PythonFacts, scope: Scope, name: str) -> bool:
    """Return whether what a scope binds under a name belongs to the top level: what it only changes in place."""
    if scope is facts.module:
        return True
    first = name.partition(".")[0]
    changing = "." in name or first in scope.outer_names or any(one.kind in MUTATIONS for one in scope.bindings[name])
    return changing and (is_own_class(scope, first) or reaches_top(scope, first))


def read_of_modules(evaluator: Evaluator, function: Function) -> Iterator[Global]:
    """Yield what a function reads of the top level of modules, its own class included."""
    for node in nodes_of(function.node):
        name = dotted(node) if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) else None
        first = (name or "").partition(".")[0]
        if name and (is_own_class(function.scope, first) or reaches_top(function.scope, first)):
            yield from meant_by(evaluator, function.facts, function.scope, name)
            yield of_library(function.scope, name)
    around: Scope | None = function.scope.parent
    while around is not None and around.is_class:
        yield Global(function.facts.source.path, around.name)
        around = around.parent
