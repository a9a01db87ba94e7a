"""Where code that runs in workers changes what all of its process has, or ends that."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS, shortened
from loaderlint.linking.scopes.in_workers import told_apart
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import External, Frame, Function
from loaderlint.linking.workers.top_level import full_name, is_of_library, meant_name, reaches_top
from loaderlint.model.payload import Touch
from loaderlint.model.setting_names import is_class, is_setting, words_of
from loaderlint.model.setting_words import REPORTING_LIBRARIES, RESULTLESS_WORDS
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import CallSite, Scope, dotted
from loaderlint.vocabulary.process_wide import CHANGES_THE_PROCESS, ENDS_THE_PROCESS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAMES = frozenset(name.rpartition(".")[2] for name in CHANGES_THE_PROCESS)
_SET = ("assign", "augment", "unpack")
"""Kinds of bindings by which an attribute of something gets another value."""

_OF_PYTHON = frozenset({"os.environ", "sys.meta_path", "sys.modules", "sys.path"})
"""Dictionaries and lists that all of a process has."""


def process_wide(evaluator: Evaluator, running: Sequence[Function]) -> Iterator[Touch]:
    """Yield where functions end their process, or change what all of it has: by a call, or what others keep in it.

    What is changed for a block alone (``with``) is taken back. What the project itself keeps is not looked at.
    """
    for function in running:
        text = function.facts.text
        changes = [
            *_ends(function),
            *_settings_called(evaluator, function),
            *_settings_changed(evaluator, function),
        ]
        yield from (Touch(function.facts.span(node), shortened(text(node))) for node in changes)


def _ends(function: Function) -> Iterator[ast.expr]:
    for site in function.scope.calls:
        name = full_name(function.scope, dotted(site.node.func) or "")
        first = name.partition(".")[0]
        if name in ENDS_THE_PROCESS and reaches_top(function.scope, first) and not told_apart(site.place):
            yield site.node
    for node in nodes_of(function.node):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name) and node.exc.id in ENDS_THE_PROCESS:
            yield node.exc


def _settings_called(evaluator: Evaluator, function: Function) -> Iterator[ast.expr]:
    sites = [one for one in function.scope.calls if not told_apart(one.place) and any(map(_may_set, _names(one)))]
    entered, ignored = set[int](), set[int]()
    for node in nodes_of(function.node) if sites else ():
        if isinstance(node, ast.With | ast.AsyncWith):
            entered |= {id(item.context_expr) for item in node.items}
        elif isinstance(node, ast.Expr):
            ignored.add(id(node.value))
        elif isinstance(node, ast.Lambda):
            ignored.add(id(node.body))
    for site in sites:
        frame = Frame(function.facts, site.place, receiver=function.receiver)
        with evaluator.steps(STEPS):
            found = evaluator.evaluate(site.node.func, frame)
        called = [one.thing.name for one in found if isinstance(one.thing, External)]
        known = any(one in CHANGES_THE_PROCESS for one in called)
        # What sets something has no result that anybody takes.
        if id(site.node) not in entered and (known or (id(site.node) in ignored and any(map(_sets, called)))):
            yield site.node


def _names(site: CallSite) -> Iterator[str]:
    """Yield the last names that what is called may have where it is defined."""
    function = site.node.func
    if isinstance(function, ast.Attribute):
        yield function.attr
    if not isinstance(function, ast.Name):
        return
    yield function.id
    scope: Scope | None = site.place.scope
    while scope is not None:
        for one in scope.bindings.get(function.id, ()):
            name = one.target if one.kind == "import" else dotted(one.value) if one.value is not None else None
            yield (name or "").rpartition(".")[2]
        scope = scope.parent


def _may_set(name: str) -> bool:
    return name in _NAMES or words_of(name)[0] in RESULTLESS_WORDS


def _sets(name: str) -> bool:
    """Return whether the name of a library's function says that it sets something of the library."""
    builtin = name.startswith("builtins.")
    return not builtin and words_of(name)[0] in RESULTLESS_WORDS and is_setting(name) and not is_class(name)


def _settings_changed(evaluator: Evaluator, function: Function) -> Iterator[ast.AST]:
    """Yield where attributes and items of what is imported get other values: ``torch.backends``, ``os.environ``."""
    facts, scope = function.facts, function.scope
    ignored = {id(node.value) for node in nodes_of(function.node) if isinstance(node, ast.Expr)}
    for name, bindings in scope.bindings.items():
        changes = [one for one in bindings if one.kind in MUTATIONS or ("." in name and one.kind in _SET)]
        if not changes:
            continue
        meant = meant_name(scope, name)
        first = meant.partition(".")[0]
        if not reaches_top(scope, first) or not is_of_library(evaluator, facts, scope, first):
            continue
        full = full_name(scope, meant)
        if full.partition(".")[0] in REPORTING_LIBRARIES:
            continue
        for one in changes:
            # `numpy.append(row, 1)` is called like a list's method, but gives back what it makes.
            is_function = isinstance(one.node, ast.Call) and full not in _OF_PYTHON and id(one.node) not in ignored
            if not is_function and not told_apart(one.place):
                yield one.node
