"""Where a program puts modules in the place of others, or takes them away: no worker has what ``sys.modules`` has."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from loaderlint.linking.programs.object_names import innermost
from loaderlint.linking.workers.changed_by_globals import changed_in_table
from loaderlint.linking.workers.top_level import full_name, is_later, touch_at
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def modules_replaced(evaluator: Evaluator, files: Sequence[PythonFacts], inside: Set[int]) -> Iterator[Touch]:
    """Yield where something is done so later than workers import the file, other than ``inside`` of what they run."""
    for facts in files:
        for node, _ in facts.attributes.get("modules", ()):
            scope = innermost(facts.module, node)
            if full_name(scope, dotted(node) or "") != "sys.modules":
                continue
            names = {name for name, several in scope.bindings.items() if any(one.value is node for one in several)}
            for changed in nodes_of(scope.node):
                if isinstance(changed, ast.expr | ast.stmt) and _changes(changed, node, names):
                    within = innermost(scope, changed)
                    if id(within.node) not in inside and is_later(evaluator, facts, changed, place_in(within, changed)):
                        yield touch_at(facts, changed)


def _changes(node: ast.expr | ast.stmt, modules: ast.Attribute, names: Set[str]) -> bool:
    """Return whether an expression puts something into the dictionary of modules, or sets what one of these has."""

    def is_it(one: ast.expr) -> bool:
        return one is modules or (isinstance(one, ast.Name) and one.id in names)

    def is_module(one: ast.expr) -> bool:
        return isinstance(one, ast.Subscript) and is_it(one.value)

    return any(True for _ in changed_in_table(node, is_it, is_module))
