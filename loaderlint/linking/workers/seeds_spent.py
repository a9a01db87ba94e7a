"""Where worker code asks which worker it is only to seed one random generator, which keeps no other apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from loaderlint.linking.things.kinds import Class, Function
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.kept import RESEEDING, WORKER_QUESTIONS
from loaderlint.vocabulary.seeding import GENERATORS


def asks_for_others(name: str, running: Sequence[Function], lineage: Sequence[Class]) -> bool:
    """Return whether all that worker code asks about its worker goes into the seeds of other attributes than ``name``.

    False where it asks nothing: somebody else may then.
    """
    asked = {id(site.node) for one in running for site in one.scope.calls if called_name(site.node) in WORKER_QUESTIONS}
    if not asked:
        return False
    spent = (
        id(question)
        for one in running
        for attribute, seeded in _seeded(one.scope)
        if attribute != name and _is_its_own(attribute, one.scope, lineage)
        for question in nodes_of(seeded)
    )
    return asked <= {*spent}


def _seeded(scope: Scope) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls that seed what an attribute of an object holds, or make it with a seed, by its name."""
    for site in scope.calls:
        owner, _, seeds = (dotted(site.node.func) or "").rpartition(".")
        if owner.count(".") == 1 and seeds in RESEEDING:
            yield owner.partition(".")[2], site.node
    for bound, bindings in scope.bindings.items():
        for one in bindings if bound.count(".") == 1 else ():
            if one.kind == "assign" and isinstance(one.value, ast.Call) and _makes(one.value):
                yield bound.partition(".")[2], one.value


def _makes(call: ast.Call) -> bool:
    """Return whether a call makes a generator, seeded where it is made or at once: ``Generator().manual_seed(…)``."""
    made = call.func.value if called_name(call) in RESEEDING and isinstance(call.func, ast.Attribute) else call
    return isinstance(made, ast.Call) and called_name(made) in GENERATORS


def _is_its_own(attribute: str, method: Scope, lineage: Sequence[Class]) -> bool:
    """Return whether an attribute is given nothing but what is made for it: it is no other name for another one."""
    around = method.parent.children if method.parent is not None else ()
    given = [
        binding.value
        for scope in (*around, *(one for owner in lineage for one in owner.scope.children))
        for bound, bindings in scope.bindings.items()
        if bound.partition(".")[2] == attribute
        for binding in bindings
    ]
    return bool(given) and all(
        (isinstance(one, ast.Call) and _makes(one)) or (isinstance(one, ast.Constant) and one.value is None)
        for one in given
    )
