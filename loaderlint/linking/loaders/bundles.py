"""Loaders that a framework's method makes of a dictionary of options, as ``brain.fit(train_loader_kwargs=…)`` does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.linking.things.classes import lineage
from loaderlint.linking.things.kinds import Class, External, Frame, Instance, Thing
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.vocabulary.callables import LOADER_BUNDLES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Bundle(Struct, frozen=True, eq=False):
    """One dictionary of options that a call hands to the method that makes the loader."""

    frame: Frame
    call: ast.Call
    options: ast.expr
    method: str


def bundles(evaluator: Evaluator) -> Iterator[Bundle]:
    """Yield the dictionaries of options that the project hands to methods known to make loaders of them."""
    for name, methods in LOADER_BUNDLES.items():
        for method, keywords in methods.items():
            for facts in evaluator.project.all_python():
                for site in facts.calls.get(method, ()):
                    given = [one for one in site.node.keywords if one.arg in keywords]
                    if given and _is_method_of(evaluator, name, site, facts):
                        frame = Frame(facts, site.place)
                        yield from (Bundle(frame, site.node, one.value, f"{name}.{method}") for one in given)


def _is_method_of(evaluator: Evaluator, name: str, site: CallSite, facts: PythonFacts) -> bool:
    """Return whether a method is called on an object of a project class that descends from the framework's."""
    function = site.node.func
    if not isinstance(function, ast.Attribute):
        return False
    owners = [one.thing for one in evaluator.evaluate(function.value, Frame(facts, site.place))]
    return any(isinstance(one, Instance) and _descends(evaluator, one.of, name) for one in owners)


def _descends(evaluator: Evaluator, owner: Class, name: str) -> bool:
    return any(
        _is_named(way.thing, name)
        for one in lineage(evaluator, owner)
        for base in one.node.bases
        for way in evaluator.evaluate(base, Frame(one.facts, one.place))
    )


def _is_named(thing: Thing, name: str) -> bool:
    """Return whether a class is the framework's, which the project may be itself."""
    library, _, last = name.partition(".")
    if isinstance(thing, External):
        return thing.name.startswith(f"{library}.") and thing.name.rpartition(".")[2] == last
    return isinstance(thing, Class) and thing.node.name == last and thing.facts.source.path.startswith(f"{library}/")
