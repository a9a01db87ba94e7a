"""Whether all was seen that a program does, outside of its workers, with what it sent to them.

Safe is what is known: whoever gets at the data set in a way that was not followed, or holds what it was made of, may
change it between epochs. `changed_payload` says what was seen to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from loaderlint.linking.files.imports import Imports
from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    Class,
    CommandLine,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Module,
    Possibility,
    Row,
    Unseen,
)
from loaderlint.linking.workers.names_read import CONSTRUCTORS
from loaderlint.linking.workers.payload import carried
from loaderlint.linking.workers.worker_uses import RUN_IN_WORKER, place_in
from loaderlint.model.value import CommandLineText, CpuCount
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope
from loaderlint.readers.python import parameters as parameters_of
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_NAMES
from loaderlint.vocabulary.persistence import (
    BRINGS_IN,
    KEPT_BY_LIBRARIES,
    KEPT_BY_LOADERS,
    PLAIN_BASES,
    REACHES_BY_NAME,
    REACHES_LATER,
    TELLS,
)
from loaderlint.vocabulary.sending import CARRIERS
from loaderlint.vocabulary.uses import KEEP_ITERATORS, PASS_ON

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_DEEPEST = 6
"""Expressions inside each other that something was made of; deeper ones are not looked into."""
_MOST_READ = 40
"""Files of a program that nobody asked for so far; where there are more, not all was seen."""
_SHARES = frozenset({"from_numpy", "as_tensor", "asarray"})
"""Functions whose result has the values of what they are given, not a copy."""
_KEEPS_NOTHING = TELLS | LOADER_NAMES | KEEP_ITERATORS | frozenset({"append", "extend", "super"})
"""Calls that do nothing to what they are given; what is in a list is looked for where it is taken out."""
_Argument: TypeAlias = tuple[ast.expr, Frame]


def may_be_touched(evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given], files: Iterable[str]) -> bool:
    """Return whether a program of these files may do something with what a loader sent that was not seen."""
    program = _program(evaluator, files)
    if program is None or any(not BRINGS_IN.isdisjoint(facts.calls) for facts in program):
        return True
    return _Payload(evaluator, site, given, program).is_touched()


def _program(evaluator: Evaluator, files: Iterable[str]) -> list[PythonFacts] | None:
    """Return some files and all that they bring in, None where too many of these were never asked for."""
    project, imports = evaluator.project, Imports(evaluator.project)
    known = {facts.source.path for facts in project.all_python()}
    found: dict[str, PythonFacts] = {}
    waiting, unread, seen = list(files), 0, set[str]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        unread += path not in known
        if unread > _MOST_READ:
            return None
        facts = project.python(path)
        if facts is not None:
            found[path] = facts
            waiting.extend(imports.imported_by(facts))
    return list(found.values())


class _Payload:
    """What one loader sends to its workers, and the code of its program that may get at it."""

    def __init__(
        self, evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given], program: Sequence[PythonFacts]
    ) -> None:
        self._evaluator = evaluator
        self._site = site
        self._given = given
        self._program = program
        objects, running = carried(evaluator, given, site.frame)
        self._instances = [one.instance for one in objects]
        self._in_workers = {id(one.node) for one in running}
        self._owners = {
            id(owner.node): owner for one in self._instances for owner in classes.lineage(evaluator, one.of)
        }

    def is_touched(self) -> bool:
        """Return whether some code may change what was sent, or hold what it was made of."""
        return (
            any(map(self._changes_itself, self._owners.values()))
            or self._is_held_elsewhere()
            or any(self._is_reached_by_name(facts) or self._is_handed_on(facts) for facts in self._program)
            or any(
                self._is_reached(node, around, facts)
                for facts in self._program
                for name in sorted(facts.attributes.keys() & self._names)
                for node, around in facts.attributes[name]
            )
        )

    # --- what it has ---

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of all that its objects have."""
        own = {name for one in self._owners.values() for name in _members(one) if not name.startswith("__")}
        return KEPT_BY_LOADERS | own | (KEPT_BY_LIBRARIES if self._has_more else frozenset())

    @cached_property
    def _has_more(self) -> bool:
        """Whether libraries give some of it attributes that the project's code does not show."""
        bases = (name for one in self._owners.values() for name in classes.foreign_bases(self._evaluator, one))
        return any(name.rpartition(".")[2] not in PLAIN_BASES for name in bases) or any(
            not isinstance(one.thing, Instance | Function | None)
            for role in ("dataset", "collate_fn")
            if role in self._given
            for one in self._given[role].possibilities
        )

    def _changes_itself(self, owner: Class) -> bool:
        """Return whether a method may change its object that neither a worker nor the constructor alone calls."""
        methods = [one for one in owner.scope.children if isinstance(one.node, FunctionNode)]
        made_by = {called_name(site.node) for one in methods if one.name.startswith("__init__") for site in one.calls}
        return any(
            _changes_receiver(one)
            for one in methods
            if one.name not in (CONSTRUCTORS | made_by) and id(one.node) not in self._in_workers
        )

    # --- who gets at it ---

    def _is_reached(self, node: ast.Attribute, around: ast.AST, facts: PythonFacts) -> bool:
        """Return whether an attribute may be one of what was sent, at a place where that matters."""
        if _only_tells(node, around):
            return False
        parts = KEPT_BY_LOADERS - {"__dict__"}
        if node.attr in parts and isinstance(around, ast.Attribute) and not self._has_more:
            # What is done with it stands in the attribute around it.
            return False
        scope = _scope_of(facts, node)
        frame = Frame(facts, place_in(scope, node))
        if self._runs_in_worker(scope) or self._comes_before(node, facts, scope):
            return False
        if isinstance(node.value, ast.Name):
            owner = classes.class_around(frame, node.value.id)
            if owner is not None:
                return False
        with self._evaluator.steps(STEPS):
            if not self._may_be_sent(self._evaluator.evaluate(node.value, frame)):
                return False
            if not isinstance(node.ctx, ast.Load):
                return True
            found = self._evaluator.evaluate(node, frame)
        return not (found and all(self._tells(one, around, node) for one in found))

    def _may_be_sent(self, found: Iterable[Possibility]) -> bool:
        things = [one.thing for one in found]
        return not things or any(map(self._is_sent, things))

    def _is_sent(self, thing: object) -> bool:
        """Return whether a thing may be one of those that were sent."""
        if isinstance(thing, Instance):
            same = [one for one in self._instances if id(one.of.node) == id(thing.of.node)]
            related = any(id(one.node) in self._owners for one in classes.lineage(self._evaluator, thing.of))
            known = thing.call is not None and all(one.call is not None for one in same)
            return related and not (same and known and all(one.call is not thing.call for one in same))
        if isinstance(thing, Made):
            return thing.callee.startswith((*CARRIERS, "copy.", "builtins."))
        if isinstance(thing, Unseen):
            return not (thing.given or thing.replaced)
        return isinstance(thing, Class) and id(thing.node) in self._owners

    @staticmethod
    def _tells(one: Possibility, around: ast.AST, node: ast.Attribute) -> bool:
        """Return whether what is read is a plain value, or a method that only says something and is called here."""
        if one.constant or isinstance(one.thing, CpuCount | CommandLineText):
            return True
        called = isinstance(around, ast.Call) and around.func is node
        return called and isinstance(one.thing, Function) and _says_something(one.thing)

    def _runs_in_worker(self, scope: Scope | None) -> bool:
        while scope is not None:
            if id(scope.node) in self._in_workers:
                return True
            around = scope.parent
            if around is not None and id(around.node) in self._owners and scope.name in RUN_IN_WORKER:
                return True
            scope = around
        return False

    def _comes_before(self, node: ast.expr, facts: PythonFacts, scope: Scope) -> bool:
        """Return whether a place is run before the loader is made, each time."""
        made = self._site.frame
        return (
            facts is made.facts
            and scope is made.scope
            and not any(arm.loop for arm in made.place.arms)
            and facts.span(node).end <= self._site.span.start
        )

    def _is_reached_by_name(self, facts: PythonFacts) -> bool:
        """Return whether code may get at an attribute whose name is worked out: ``setattr(data, name, value)``."""
        for site in (site for name in sorted(REACHES_BY_NAME & facts.calls.keys()) for site in facts.calls[name]):
            owner = [site.node.func.value] if isinstance(site.node.func, ast.Attribute) else []
            given = [*owner, *site.node.args]
            if self._runs_in_worker(site.place.scope) or self._comes_before(site.node, facts, site.place.scope):
                continue
            named = {one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)}
            if named and named.isdisjoint(self._names):
                continue
            if called_name(site.node) in REACHES_LATER:
                return True
            with self._evaluator.steps(STEPS):
                reached = [self._evaluator.evaluate(one, Frame(facts, site.place)) for one in given[:2]]
            if any(map(self._may_be_sent, reached)) or not given:
                return True
        return False

    def _is_handed_on(self, facts: PythonFacts) -> bool:
        """Return whether code that was not followed is given the loader or what it sent: ``refresh(loader, epoch)``."""
        return any(
            isinstance(argument, ast.Name | ast.Attribute)
            and self._may_name(argument)
            and self._is_given_away(argument, site.node, Frame(facts, site.place))
            for name, sites in facts.calls.items()
            if name not in _KEEPS_NOTHING
            for site in sites
            for argument in _arguments(site.node)
        )

    def _may_name(self, node: ast.Name | ast.Attribute) -> bool:
        name = node.id if isinstance(node, ast.Name) else node.attr
        return name in self._names_given or any(word in name.lower() for word in ("load", "data"))

    @cached_property
    def _names_given(self) -> frozenset[str]:
        """The names by which functions know the loader or what it sent where they make it."""
        made = [(self._site.call, self._site.frame), *((one.call, one.frame) for one in self._instances)]
        return frozenset(
            name.rpartition(".")[2]
            for call, frame in made
            if call is not None and frame is not None
            for name, bindings in frame.scope.bindings.items()
            if any(one.value is call for one in bindings)
        )

    def _is_given_away(self, argument: ast.expr, call: ast.Call, frame: Frame) -> bool:
        with self._evaluator.steps(STEPS):
            given = [one.thing for one in self._evaluator.evaluate(argument, frame)]
            if not any(self._is_loader(one) or (isinstance(one, Instance) and self._is_sent(one)) for one in given):
                return False
            callees = [one.thing for one in self._evaluator.evaluate(call.func, frame)]
        return not callees or not all(map(_is_followed, callees))

    def _is_loader(self, thing: object) -> bool:
        return isinstance(thing, Made | Instance) and thing.call is self._site.call

    # --- who holds what it was made of ---

    def _is_held_elsewhere(self) -> bool:
        waiting = [*self._handed_to_loader(), *self._handed_to_objects()]
        return any(self._is_held(node, frame, 0) for node, frame in waiting)

    def _handed_to_loader(self) -> Iterator[_Argument]:
        frame = self._site.frame
        spans = [one.argument for role, one in self._given.items() if role in ("dataset", "collate_fn")]
        for node in (*self._site.call.args, *(one.value for one in self._site.call.keywords)):
            if frame.facts.span(node) in spans:
                yield node, frame

    def _handed_to_objects(self) -> Iterator[_Argument]:
        for one in self._instances:
            if one.call is not None and one.frame is not None:
                for node in (*one.call.args, *(keyword.value for keyword in one.call.keywords)):
                    yield node, one.frame

    def _is_held(self, node: ast.expr, frame: Frame, depth: int) -> bool:
        """Return whether something else may hold what an expression gives, and change it."""
        if depth > _DEEPEST:
            return True
        inside: Iterable[ast.expr] = ()
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            with self._evaluator.steps(STEPS):
                found = self._evaluator.evaluate(node, frame)
            if found and all(map(_stays, found)):
                made = [one.thing for one in found if isinstance(one.thing, Made)]
                return any(self._is_held(one, each.frame, depth + 1) for each in made for one in _arguments(each.call))
            if isinstance(node, ast.Name | ast.Attribute):
                return self._has_another_holder(node, frame)
            if isinstance(node, ast.Subscript):
                return self._is_held(node.value, frame, depth + 1)
            return self._gives_what_is_held(node, frame, depth)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            inside = node.elts
        elif isinstance(node, ast.Dict):
            inside = node.values
        elif isinstance(node, ast.Starred | ast.NamedExpr):
            inside = [node.value]
        elif isinstance(node, ast.IfExp):
            inside = [node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            inside = node.values
        return any(self._is_held(one, frame, depth + 1) for one in inside)

    def _gives_what_is_held(self, node: ast.Call, frame: Frame, depth: int) -> bool:
        """Return whether a call may give what something else holds as well."""
        if called_name(node) in _SHARES:
            return any(self._is_held(one, frame, depth + 1) for one in _arguments(node))
        with self._evaluator.steps(STEPS):
            callees = [one.thing for one in self._evaluator.evaluate(node.func, frame)]
        return any(
            not isinstance(one, Function)
            or any(not _is_made_there(value, one.scope) for value, _ in one.scope.returns if value is not None)
            for one in callees
            if not isinstance(one, External | Made | Class)
        )

    def _has_another_holder(self, node: ast.Name | ast.Attribute, frame: Frame) -> bool:
        """Return whether what a name stands for is used anywhere else in a way that may change it."""
        if isinstance(node, ast.Attribute):
            return any(
                other is not node
                and not _only_tells(other, around)
                and not (isinstance(other.ctx, ast.Store) and isinstance(around, ast.Assign | ast.AnnAssign))
                and not self._comes_before(other, facts, _scope_of(facts, other))
                for facts in self._program
                for other, around in facts.attributes.get(node.attr, ())
            )
        scope: Scope | None = frame.scope
        while scope is not None and node.id not in scope.bindings:
            scope = scope.parent
        kinds = {one.kind for one in scope.bindings[node.id]} if scope is not None else {"import"}
        if scope is None or not kinds.isdisjoint({"import", "parameter"}):
            return True
        return any(
            isinstance(other, ast.Name)
            and other is not node
            and other.id == node.id
            and not _only_tells(other, around)
            and not (isinstance(other.ctx, ast.Store) and _gives_something_new(around))
            and not (self._comes_before(other, frame.facts, _scope_of(frame.facts, other)) and _lets_go(around))
            for around in ast.walk(scope.node)
            for other in ast.iter_child_nodes(around)
        )


def _members(owner: Class) -> Iterator[str]:
    """Yield the names of the methods and attributes that a class gives its objects."""
    yield from owner.scope.bindings
    for method in owner.scope.children:
        first = next(parameters_of(method.node), None) if isinstance(method.node, FunctionNode) else None
        if first is not None:
            yield from (
                name.split(".")[1] for name in (*method.bindings, *method.set_on) if name.startswith(f"{first.arg}.")
            )


def _changes_receiver(method: Scope) -> bool:
    first = next(parameters_of(method.node), None) if isinstance(method.node, FunctionNode) else None
    return first is not None and any(name.startswith(f"{first.arg}.") for name in (*method.bindings, *method.set_on))


def _says_something(function: Function) -> bool:
    """Return whether a method changes nothing, and gives nothing that its object holds."""
    scope = function.scope
    plain = all(called_name(site.node) in TELLS for site in scope.calls)
    sets = any("." in name or "[" in name for name in scope.bindings) or bool(scope.outer_names or scope.yields)
    fresh = (ast.Call, ast.Constant, ast.Compare, ast.BinOp, ast.JoinedStr)
    return plain and not sets and all(isinstance(value, fresh) for value, _ in scope.returns if value is not None)


def _is_followed(callee: object) -> bool:
    """Return whether what a function does with what it is given is known, or looked for where its code stands."""
    if isinstance(callee, External | Made):
        name = callee.name if isinstance(callee, External) else callee.callee
        return name.startswith((*PASS_ON, *CARRIERS, "torch."))
    return isinstance(callee, Function | Class | Instance)


def _only_tells(node: ast.expr, around: ast.AST) -> bool:
    """Return whether an expression is read where nobody can keep what it gives: ``len(data)``, or by a loader made."""
    if isinstance(around, ast.keyword):
        return False
    if isinstance(around, ast.Call) and node is not around.func:
        return isinstance(around.func, ast.Name) and around.func.id in TELLS | LOADER_NAMES
    return isinstance(around, ast.Compare | ast.FormattedValue)


def _lets_go(around: ast.AST) -> bool:
    """Return whether a name stands where what it stands for is not given another one."""
    return isinstance(around, ast.Attribute | ast.Subscript)


def _stays(one: Possibility) -> bool:
    """Return whether a thing cannot be changed, or who changes it is looked for by the names of what it has."""
    thing = one.thing
    if isinstance(thing, Made):
        return thing.callee.startswith((*CARRIERS, "builtins.range", "pathlib."))
    if isinstance(thing, Unseen):
        return thing.given or thing.replaced
    return not isinstance(thing, Row | Items | CommandLine) and (
        one.constant or isinstance(thing, External | Function | Class | Instance | Module | CpuCount | CommandLineText)
    )


def _is_made_there(node: ast.expr, scope: Scope) -> bool:
    """Return whether what a function gives is its own: no name from around it, and no part of anything."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return all(
        isinstance(one, ast.Constant | ast.ListComp | ast.DictComp | ast.SetComp | ast.Call)
        or (
            isinstance(one, ast.Name)
            and one.id not in scope.outer_names
            and bool(scope.bindings.get(one.id))
            and all(each.value is not None and _is_new(each.value) for each in scope.bindings[one.id])
        )
        for one in parts
    )


def _gives_something_new(statement: ast.AST) -> bool:
    """Return whether a statement gives a name something that no other name stands for."""
    return (
        isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None and _is_new(statement.value)
    )


def _is_new(value: ast.expr) -> bool:
    """Return whether an expression makes what it gives, as displays and calls do, rather than naming it."""
    return not isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.IfExp | ast.BoolOp | ast.NamedExpr)


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from (*call.args, *(one.value for one in call.keywords))


def _scope_of(facts: PythonFacts, node: ast.expr) -> Scope:
    """Return the innermost scope around an expression."""
    span = facts.span(node)
    around = [
        scope
        for scope in facts.scopes.values()
        if scope.parent is not None and not isinstance(scope.node, ast.Module) and facts.span(scope.node).holds(span)
    ]
    return max(around, key=lambda one: facts.span(one.node).start, default=facts.module)
