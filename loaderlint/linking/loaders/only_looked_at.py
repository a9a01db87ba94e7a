"""Loaders that code makes to look at them alone: it asks for their length, and no worker ever starts.

``DataLoader.__len__`` asks the sampler or the data set; workers start in ``__iter__``
(``torch/utils/data/dataloader.py``, 2.13). A loader that nothing is done with may be meant for whoever imports its
file, or stand in an example.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.things.kinds import External, Frame
from loaderlint.readers.python import PythonFacts, Scope

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OF_TORCH = "torch.utils.data."
_LOOK = ("bool", "hash", "id", "isinstance", "len", "print", "repr", "str", "type")
"""Functions of Python that iterate no loader they are given."""
_TAKE_ALL_NAMES = ("compile", "eval", "exec", "globals", "locals", "vars")
"""Functions of Python by which code gets at what no name in it stands for."""


def is_only_looked_at(evaluator: Evaluator, site: PythonSite) -> bool:
    """Return whether all that code does with a loader of torch's is to ask how long it is, or what."""
    if site.own_class is not None or not site.callee.startswith(_OF_TORCH):
        return False
    facts = site.frame.facts
    path = facts.source.path
    looked_at = evaluator.once(
        ("only looked at", path), frozenset[int](), lambda: frozenset(_only_looked_at(evaluator, facts))
    )
    return id(site.call) in looked_at


def _only_looked_at(evaluator: Evaluator, facts: PythonFacts) -> Iterator[int]:
    """Yield the calls, by their identity, whose results have one name in a file that is handed to nothing else."""
    if any(facts.calls.get(name) for name in _TAKE_ALL_NAMES):
        return
    imported = bool(evaluator.project.direct_users(facts.source.path))
    looks: dict[tuple[int, str], int] = {}
    scopes: dict[int, Scope] = {}
    for one in (one for name in _LOOK for one in facts.calls.get(name, ())):
        if not isinstance(one.node.func, ast.Name):
            continue
        scope = one.place.scope
        callees = evaluator.evaluate(one.node.func, Frame(facts, one.place))
        names = [way.thing.name if isinstance(way.thing, External) else "" for way in callees]
        if names != [f"builtins.{one.node.func.id}"]:
            # A parameter, or another module's function, may have one of these names.
            continue
        scopes[id(scope)] = scope
        for argument in one.node.args:
            if isinstance(argument, ast.Call):
                # ``len(DataLoader(…))``: nothing else has it.
                yield id(argument)
            elif isinstance(argument, ast.Name):
                key = (id(scope), argument.id)
                looks[key] = looks.get(key, 0) + 1
    for (of, name), count in looks.items():
        scope = scopes[of]
        if scope.is_class or (scope.parent is None and imported) or name in scope.outer_names:
            continue
        call = _only_value(scope, name)
        if call is not None and len(scope.reads.get(name, ())) == count and not scope.readers.get(name):
            yield id(call)


def _only_value(scope: Scope, name: str) -> ast.Call | None:
    """Return the call whose result a name of a scope stands for, and no other name."""
    bindings = scope.bindings.get(name, ())
    match [one.node for one in bindings]:
        case [ast.Assign(targets=[ast.Name()], value=ast.Call() as call)]:
            return call
        case [ast.AnnAssign(target=ast.Name(), value=ast.Call() as call)]:
            return call
    return None
