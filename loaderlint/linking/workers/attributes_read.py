"""Which attributes of their objects the functions that run in workers read: what else an object holds stays unasked."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Function
from loaderlint.nodes import nodes_of
from loaderlint.vocabulary.sending import REACHES_IN

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def attributes_read(evaluator: Evaluator, running: Iterable[Function]) -> set[str]:
    """Return the names of the attributes that functions read, and the properties among these.

    One whose method is called by name, ``self.spectrum.transform(wave)``, runs that method and is not called itself,
    unless the method gives what is in it, or calls it.
    """
    found: set[str] = set()
    for function in running:
        read = _attributes_in(function.node)
        if function.receiver is not None:
            for owner in classes.lineage(evaluator, function.receiver.of):
                for scope in owner.scope.children:
                    if scope.name in read:
                        read |= _attributes_in(scope.node)
        found |= read
    return found


def _attributes_in(node: ast.AST) -> set[str]:
    called = (one.func for one in nodes_of(node) if isinstance(one, ast.Call))
    owners = {id(one.value) for one in called if isinstance(one, ast.Attribute) and one.attr not in REACHES_IN}
    read = (one for one in nodes_of(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load))
    return {one.attr for one in read if id(one) not in owners}
