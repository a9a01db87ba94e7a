"""Where a program puts modules in the place of others, or takes them away: no worker has what ``sys.modules`` has."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from loaderlint.linking.programs.object_names import innermost
from loaderlint.linking.workers.top_level import full_name, is_later, touch_at
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts, dotted
from loaderlint.vocabulary.lifetimes import CHANGES_ITS_OBJECT

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_CHANGES = CHANGES_ITS_OBJECT | {"__delitem__", "__setitem__"}


def modules_replaced(evaluator: Evaluator, files: Sequence[PythonFacts], inside: Set[int]) -> Iterator[Touch]:
    """Yield where something is done so later than workers import the file, other than ``inside`` of what they run."""
    for facts in files:
        for node, _ in facts.attributes.get("modules", ()):
            scope = innermost(facts.module, node)
            if full_name(scope, dotted(node) or "") != "sys.modules" or id(scope.node) in inside:
                continue
            for changed in nodes_of(scope.node):
                if _changes(changed, node) and is_later(evaluator, facts, changed, place_in(scope, node)):
                    yield touch_at(facts, changed)


def _changes(node: ast.AST, modules: ast.Attribute) -> bool:
    """Return whether an expression puts something into the dictionary of modules, or sets what one of these has."""
    match node:
        case ast.Subscript(owner, _, ast.Store() | ast.Del()):
            return owner is modules
        case ast.Attribute(ast.Subscript(owner), _, ast.Store() | ast.Del()):
            return owner is modules
        case ast.Call(ast.Attribute(owner, name)):
            return owner is modules and name in _CHANGES
        case ast.Call(ast.Name("setattr" | "delattr"), [ast.Subscript(owner), *_]):
            return owner is modules
    return False
