"""Callers: who calls each function of the project and makes objects of each class, in code and in configuration."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking import settings
from loaderlint.linking.classes import bases, class_of, is_super_init
from loaderlint.linking.things import (
    ABSENT,
    UNSEEN,
    Class,
    Frame,
    Function,
    Items,
    Possibilities,
    Possibility,
    Settings,
    under,
)
from loaderlint.model.source import Span
from loaderlint.model.value import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.readers.python import CallSite, PythonFacts, Scope, dotted
from loaderlint.vocabulary.keys import CONSUMERS

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


@dataclass(frozen=True, eq=False)
class Caller:
    """A call of a project function and the frame it stands in; ``skip`` positional arguments are not parameters."""

    frame: Frame
    call: ast.Call


@dataclass(frozen=True, eq=False)
class SettingsCaller:
    """A configuration that names a class or function and holds its keyword arguments, by parameter name."""

    arguments: Items
    span: Span
    assumptions: Assumptions = NO_ASSUMPTIONS

    def given(self, name: str) -> Possibilities:
        """Return what is handed over under a name; `Absent` where the name is left to its default."""
        missing = Possibility(ABSENT if self.arguments.complete else UNSEEN, self.span)
        return under(self.arguments.entries.get(name, (missing,)), self.assumptions)


AnyCaller: TypeAlias = Caller | SettingsCaller


def names_definition(callee: ast.expr, frame: Frame) -> bool:
    """Return whether a callee is a name, or an attribute of something imported, as classes and functions are called."""
    name = dotted(callee)
    root, _, attribute = (name or "").partition(".")
    scope: Scope | None = frame.scope
    while attribute and scope is not None:
        if root in scope.bindings:
            return any(one.kind in ("import", "class") for one in scope.bindings[root])
        scope = scope.parent
    return name is not None


MOST_CALLEE_STEPS = 120
"""Expressions followed to find out whether a call is one of a function."""


class Callers:
    """Who calls each function of the project, found by name and then by following the callee."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[int, tuple[AnyCaller, ...]] = {}
        self._by_name: dict[str, list[tuple[PythonFacts, CallSite]]] | None = None
        self._by_dotted_name: dict[str, list[tuple[str, SettingsCaller]]] | None = None

    def of(self, function: Function) -> tuple[AnyCaller, ...]:
        """Return the callers of a function; those of its class, and of its subclasses, for an ``__init__``."""
        key = id(function.node)
        if key not in self._known:
            # A function that is reached again while its callers are looked for has no callers there.
            self._known[key] = ()
            self._known[key] = tuple(self._find(function))
            constructor = function.owner is not None and function.scope.name == "__init__"
            self._evaluator.mentioned.add(
                function.owner.node.name if function.owner is not None and constructor else function.scope.name
            )
        return self._known[key]

    def _find(self, function: Function) -> Iterator[AnyCaller]:
        node = function.node
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        owner = function.owner
        if owner is not None and node.name == "__init__":
            yield from self.makers(owner)
            yield from self._super_calls(owner)
            return
        for facts, site in self.sites(node.name):
            frame = Frame(facts, site.place)
            if owner is None and not names_definition(site.node.func, frame):
                continue
            if any(isinstance(one.thing, Function) and one.thing.node is node for one in self._callee(site, frame)):
                yield Caller(frame, site.node)
        if owner is None:
            yield from self._configured(node.name, function.facts)

    def makers(self, owner: Class) -> Iterator[AnyCaller]:
        """Yield what makes an object of a class, or of a subclass without a constructor of its own."""
        for name in (owner.node.name, "cls"):
            for facts, site in self.sites(name):
                frame = Frame(facts, site.place)
                if not names_definition(site.node.func, frame):
                    continue
                made = (one.thing for one in self._callee(site, frame))
                if any(isinstance(thing, Class) and thing.node is owner.node for thing in made):
                    yield Caller(frame, site.node)
        yield from self._configured(owner.node.name, owner.facts)
        yield from self._evaluator.lightning.makers(owner)
        for heir in self._heirs(owner):
            if "__init__" not in heir.scope.bindings:
                yield from self.makers(heir)

    def _heirs(self, owner: Class) -> Iterator[Class]:
        for facts in self._evaluator.project.all_python():
            for scope in facts.scopes.values():
                node = scope.node
                if not isinstance(node, ast.ClassDef) or scope.parent is None or node is owner.node:
                    continue
                if not any(owner.node.name in ast.dump(base) for base in node.bases):
                    continue
                heir = class_of(facts, scope)
                if heir is not None and any(base.node is owner.node for base in bases(self._evaluator, heir)):
                    yield heir

    def _super_calls(self, owner: Class) -> Iterator[Caller]:
        for heir in self._heirs(owner):
            for scope in heir.scope.children:
                for site in scope.calls:
                    if is_super_init(site.node):
                        yield Caller(Frame(heir.facts, site.place), site.node)

    def _callee(self, site: CallSite, frame: Frame) -> Possibilities:
        with self._evaluator.steps(MOST_CALLEE_STEPS):
            return self._evaluator.evaluate(site.node.func, frame)

    def sites(self, name: str) -> Iterable[tuple[PythonFacts, CallSite]]:
        """Return the calls of anything by this name, and by the names it is imported as."""
        if self._by_name is None:
            self._by_name = {}
            for facts in self._evaluator.project.all_python():
                aliases: dict[str, set[str]] = {}
                for bound, bindings in facts.module.bindings.items():
                    for one in bindings:
                        last = one.target.rpartition(".")[2]
                        if one.kind == "import" and last != bound:
                            aliases.setdefault(bound, set()).add(last)
                for called, sites in facts.calls.items():
                    for meant in (called, *sorted(aliases.get(called, ()))):
                        self._by_name.setdefault(meant, []).extend((facts, site) for site in sites)
        return self._by_name.get(name, ())

    def _configured(self, name: str, facts: PythonFacts) -> Iterator[SettingsCaller]:
        if self._by_dotted_name is None:
            self._by_dotted_name = {}
            for dotted_name, caller in instantiations(self._evaluator):
                last = dotted_name.rpartition(".")[2]
                self._by_dotted_name.setdefault(last, []).append((dotted_name, caller))
        for dotted_name, caller in self._by_dotted_name.get(name, ()):
            module = dotted_name.rpartition(".")[0]
            if not module or facts.source.path in self._evaluator.project.modules_ending(module, caller.span.path):
                yield caller


def instantiations(evaluator: Evaluator) -> Iterator[tuple[str, SettingsCaller]]:
    """Yield every dotted name that a configuration mapping says to call, with the arguments it gives."""
    for facts in evaluator.project.configuration_files_with(tuple(CONSUMERS)):
        for document in facts.documents:
            root = settings.seen_as_settings(settings.tree_of(document.root)) if document.root is not None else None
            for one in settings.mappings(root) if root is not None else ():
                yield from called(one)


def called(one: Possibility) -> Iterator[tuple[str, SettingsCaller]]:
    """Yield what a mapping of a configuration says to call."""
    if not isinstance(one.thing, Settings):
        return
    for key, arguments in CONSUMERS.items():
        for name in settings.child(one.thing, key) or ():
            if not isinstance(name.thing, str):
                continue
            if not arguments:
                entries = {other: given for other, given in settings.children(one.thing).items() if other != key}
                items = Items(entries, one.thing.here.complete)
                yield name.thing, SettingsCaller(items, one.span, name.assumptions)
                continue
            inner = settings.child(one.thing, arguments)
            if inner is None and (key == "class_path" or "." in name.thing):
                # Called with nothing: ``target`` is a common word, a class is called by its dotted name.
                yield name.thing, SettingsCaller(Items({}, one.thing.here.complete), one.span, name.assumptions)
            for given in inner or ():
                joint = together(name.assumptions, given.assumptions)
                if isinstance(given.thing, Settings) and joint is not None:
                    items = Items(settings.children(given.thing), given.thing.here.complete)
                    yield name.thing, SettingsCaller(items, given.span, joint)
