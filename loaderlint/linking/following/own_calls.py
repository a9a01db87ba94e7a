"""Private methods that nothing but methods of the same object call: they run where one of those does.

PEP 8, "Method Names and Instance Variables": one leading underscore is for what only the class and its heirs use.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence, Set
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.files.words import as_bytes
from loaderlint.linking.following import never_called
from loaderlint.linking.scopes.aliases import receiver_in
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, External, Frame
from loaderlint.readers.python import PythonFacts, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_Method: TypeAlias = tuple[Class, str]

_CALM_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})
"""Classes outside the project that call no private method of a class below them."""


def callers_of(evaluator: Evaluator, owner: Class, method: str, family: Collection[Class]) -> Sequence[_Method]:
    """Return the methods that call a private method of a class on their own object, by their classes.

    There are none where anything else may call it, as far as that is seen.
    """
    if not method.startswith("_") or method.endswith("__"):
        return ()
    key = ("own calls", id(owner.node), method)
    return evaluator.remembered(key, None, lambda: tuple(_found(evaluator, owner, method, family)))


def _found(evaluator: Evaluator, owner: Class, method: str, family: Collection[Class]) -> list[_Method]:
    sites = evaluator.callers.sites(method)
    related = [*classes.lineage(evaluator, owner)[1:], *family]
    if not sites or not all(_is_known(evaluator, one) for one in family):
        return []
    evaluator.mentioned.add(method)
    found: list[_Method] = []
    called: dict[PythonFacts, set[ast.AST]] = {}
    for facts, site in sites:
        scope = site.place.scope
        caller, own = classes.owner_of(facts, scope), receiver_in(scope)
        if caller is None or own is None or dotted(site.node.func) != f"{own}.{method}":
            return []
        found.append((caller, scope.name))
        called.setdefault(facts, set()).add(site.node.func)
    if any(_names_otherwise(facts, method, called.get(facts, set())) for facts in evaluator.project.all_python()):
        return []
    return [] if never_called.is_looked_up(evaluator, related, method) else found


def _names_otherwise(facts: PythonFacts, name: str, called: Set[ast.AST]) -> bool:
    """Return whether a file names a method elsewhere than in its definitions and in these calls."""
    content, written = facts.source.content, as_bytes(name)
    # Each call that is known stands in the text once: where nothing is left, no tree has to be walked.
    if content.count(written) <= content.count(b"def " + written) + len(called):
        return False
    named = (
        node
        for node in ast.walk(facts.tree)
        if (isinstance(node, ast.Attribute) and node.attr == name)
        or (isinstance(node, ast.Name) and node.id == name)
        or (isinstance(node, ast.Constant) and node.value == name)
    )
    return any(node not in called for node in named)


def _is_known(evaluator: Evaluator, kind: Class) -> bool:
    """Return whether all that a class inherits from is seen, or calls no private methods of it."""
    return all(
        isinstance(way.thing, Class) or (isinstance(way.thing, External) and way.thing.name in _CALM_BASES)
        for one in classes.lineage(evaluator, kind)
        for base in one.node.bases
        for way in evaluator.evaluate(base.value if isinstance(base, ast.Subscript) else base, _around(one))
    )


def _around(kind: Class) -> Frame:
    return Frame(kind.facts, kind.place)
