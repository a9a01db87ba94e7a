"""Whether anything that runs in workers may draw the random numbers of a library."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, External, Frame, Function, Instance, Made, Thing, Unseen
from loaderlint.linking.workers.top_level import full_name, imported
from loaderlint.readers.python import CallSite, Place, PythonFacts, Scope, dotted, parameters
from loaderlint.vocabulary.drawing import DRAW_NOTHING, GENERATORS, draws_no_more
from loaderlint.vocabulary.running import DRAWS_OF_TORCH

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_KNOWN_BASES = ("abc.", "builtins.", "collections.", "torch.utils.data.", "typing.")
_MOST_FILES = 50
"""Files that worker code imports; more are not looked into."""


class Draws:
    """What draws in the workers of one loader: the functions that run there, and the libraries that are sent things of.

    ``sent`` is what travels into the workers, ``seen`` whether that is all. A library is taken to be drawn from where
    a file that worker code stands in, or one that this imports, may do so: methods of objects are not followed.
    """

    def __init__(self, evaluator: Evaluator, running: Iterable[Function], sent: Iterable[Thing], seen: bool) -> None:
        self._evaluator = evaluator
        self._running = list(running)
        self._sent = list(sent)
        self._seen = seen

    def may_draw(self, library: str) -> bool:
        """Return whether workers may draw the random numbers of a library, as its name is said in messages."""
        if library not in GENERATORS or not self._seen or any(self._is_handed(one, library) for one in self._running):
            return True
        objects = [one.receiver for one in self._running if one.receiver is not None]
        objects += [one for one in self._sent if isinstance(one, Instance)]
        owners = [owner for one in objects for owner in classes.lineage(self._evaluator, one.of)]
        if any(not self._is_known(owner) for owner in owners):
            return True
        if any(_may_draw(one, library) for one in self._sent):
            return True
        running = (one.facts for one in self._running if not _is_known(one, library))
        return self._in_files([*running, *(one.facts for one in owners)], library)

    def _is_known(self, owner: Class) -> bool:
        """Return whether all of the base classes were seen, or draw nothing."""
        frame = Frame(owner.facts, owner.place)
        found = [one.thing for base in owner.node.bases for one in self._evaluator.evaluate(base, frame)]
        foreign = [one.name if isinstance(one, External) else "" for one in found if not isinstance(one, Class)]
        return all(one.startswith(_KNOWN_BASES) for one in foreign)

    def _is_handed(self, function: Function, library: str) -> bool:
        """Return whether a function calls or looks into what somebody hands it who was not followed."""
        outer = _parameters_around(function.scope)
        names = [one.arg for one in parameters(function.node)]
        owners = classes.lineage(self._evaluator, function.receiver.of) if function.receiver is not None else []
        kept = {name for owner in owners for name in _kept_parameters(owner)}
        for used, is_called in _used(function.node):
            first, _, rest = (dotted(used) or "").partition(".")
            attribute = rest.partition(".")[0]
            if function.receiver is not None and names[:1] == [first] and attribute in kept:
                with self._evaluator.steps(STEPS):
                    found = self._evaluator.attribute_of(function.receiver, attribute)
            elif first in outer or (first in names and not rest and is_called):
                with self._evaluator.steps(STEPS):
                    found = self._evaluator.evaluate(used, Frame(function.facts, Place(function.scope, 0)))
            else:
                continue
            if not found or any(_may_draw(one.thing, library) for one in found):
                return True
        return False

    def _in_files(self, begun: Iterable[PythonFacts], library: str) -> bool:
        """Return whether files may draw, or what they import, directly or not."""
        project = self._evaluator.project
        waiting, seen = list(begun), set[str]()
        while waiting:
            facts = waiting.pop()
            path = facts.source.path
            if path in seen:
                continue
            seen.add(path)
            if len(seen) > _MOST_FILES or _draws(facts.tree, library):
                return True
            for names in _imported(facts.tree):
                files = [project.python(one) for name in names for one in project.modules(name, path)]
                if not files and not draws_no_more(names[0], library):
                    return True
                for file in files:
                    if file is None:
                        return True
                    waiting.append(file)
        return False


def drawn_by(scope: Scope, sites: Iterable[CallSite]) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of a scope that draw random numbers which all of a process shares, each with whose they are."""
    for site in sites:
        first, _, _ = (dotted(site.node.func) or "").partition(".")
        name = full_name(scope, dotted(site.node.func) or "") if any(True for _ in imported(scope, first)) else ""
        for library, module in GENERATORS.items():
            drawn = name.removeprefix(f"{module}.").partition(".")[0] if name.startswith(f"{module}.") else ""
            if drawn and drawn not in DRAW_NOTHING[library]:
                yield library, site.node
        if name.startswith(DRAWS_OF_TORCH) and not any(one.arg == "generator" for one in site.node.keywords):
            yield "torch", site.node


def _is_known(function: Function, library: str) -> bool:
    """Return whether all that a function calls was seen to draw nothing of a library, as one that only seeds."""
    scope = function.scope
    for site in scope.calls:
        name = dotted(site.node.func) or ""
        whole = full_name(scope, name) if any(True for _ in imported(scope, name.partition(".")[0])) else ""
        if not draws_no_more(whole, library):
            return False
    return all(drawn != library for drawn, _ in drawn_by(scope, scope.calls))


def _may_draw(thing: Thing, library: str) -> bool:
    """Return whether nobody knows what a thing is, or it comes from a library that may draw.

    What the user of a program gives on its command line does not.
    """
    name = thing.callee if isinstance(thing, Made) else thing.name if isinstance(thing, External) else ""
    return (isinstance(thing, Unseen) and not thing.given) or (bool(name) and not draws_no_more(name, library))


def _parameters_around(scope: Scope) -> set[str]:
    found: set[str] = set()
    outer = scope.parent
    while outer is not None:
        found |= {name for name, bindings in outer.bindings.items() if any(one.kind == "parameter" for one in bindings)}
        outer = outer.parent
    return found


def _kept_parameters(owner: Class) -> Iterator[str]:
    """Yield the attributes whose values a constructor takes from its parameters."""
    for scope in owner.scope.children:
        if scope.name != "__init__" or not isinstance(scope.node, ast.FunctionDef):
            continue
        receiver, *handed = [one.arg for one in parameters(scope.node)] or [""]
        for name, bindings in scope.bindings.items():
            values = [one.value for one in bindings if one.value is not None]
            names = {one for value in values for one in _names_of_values(value)}
            if name.startswith(f"{receiver}.") and not names.isdisjoint(handed):
                yield name.removeprefix(f"{receiver}.")


def _names_of_values(node: ast.AST) -> Iterator[str]:
    """Yield the names an expression may take its value from: which of some items it takes is no value of it."""
    if isinstance(node, ast.Name):
        yield node.id
    within = [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node)
    for one in within:
        yield from _names_of_values(one)


def _used(function: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what a function calls, takes an item of, or goes through, and whether it calls it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            yield node.func, True
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield node.value, False
        elif isinstance(node, ast.For | ast.comprehension):
            yield node.iter, False


def _imported(tree: ast.Module) -> Iterator[tuple[str, ...]]:
    """Yield the dotted names of what a file imports, of each those that may be a module's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((one.name,) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            dot = "." if node.module else ""
            yield from ((f"{base}{dot}{one.name}", base) for one in node.names)


def _draws(tree: ast.Module, library: str) -> bool:
    """Return whether a file may draw a library's random numbers: it names something of its module but to seed it."""
    module = GENERATORS[library]
    root, harmless = module.partition(".")[0], DRAW_NOTHING[library]
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            known |= {
                one.asname or root: one.name if one.asname else root for one in node.names if _is_of(one.name, root)
            }
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_of(node.module or "", root):
            if any(one.name == "*" for one in node.names):
                return True
            known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in inner:
            first, _, rest = (dotted(node) or "").partition(".")
            full = f"{known[first]}.{rest}".rstrip(".") if first in known else ""
            behind = full.removeprefix(f"{module}.").partition(".")[0]
            if full in (root, module) or (full.startswith(f"{module}.") and behind not in harmless):
                return True
    return False


def _is_of(name: str, root: str) -> bool:
    return name == root or name.startswith(f"{root}.")
