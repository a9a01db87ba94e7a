"""Callers: who calls each function of the project and makes objects of each class, in code and in configuration."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.files.references import HandedOn, References, last_names, references, takes_long_to_follow
from loaderlint.linking.following import called_by_name, fetching, hierarchy, subclasses, told
from loaderlint.linking.following.configurations import argparse_args
from loaderlint.linking.following.configurations.configured_callers import ConfiguredCallers
from loaderlint.linking.following.configurations.handing import (
    call_of_partial,
    calls_made_of,
    default_given,
    is_partial,
    parameter_given,
)
from loaderlint.linking.following.configurations.opened import beside_named_files
from loaderlint.linking.following.hooks import HookCalls
from loaderlint.linking.things.classes import bases, class_of, has_decorator, is_super_init, lineage, owner_of
from loaderlint.linking.things.kinds import (
    Class,
    Frame,
    Function,
    Items,
    LeftOut,
    Made,
    Possibilities,
    Possibility,
    Thing,
    Unseen,
)
from loaderlint.linking.things.made_calls import (
    AnyCaller,
    Called,
    Caller,
    SettingsCaller,
    in_tests,
    may_bind,
    names_definition,
    without_first,
)
from loaderlint.linking.things.offered import is_offered
from loaderlint.linking.things.possibilities import choice, under
from loaderlint.model.assumptions import Assumptions
from loaderlint.readers.python import CallSite, PythonFacts, Scope, called_by, dotted
from loaderlint.readers.python_calls import called_name, called_remotely, makes_remote
from loaderlint.readers.tree import Scalar, mappings
from loaderlint.vocabulary.callables import LOOKS
from loaderlint.vocabulary.running import MAKES_REMOTE

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_Matches: TypeAlias = Callable[[Thing], bool]
_Binds: TypeAlias = Callable[[ast.Call], bool]

_UNFINISHED = Called(elsewhere=True)
"""The answer about a function that has no name, or is reached again while its callers are looked for."""


MOST_CALLEE_STEPS = 120
"""Expressions followed to find out whether a call is one of a function."""
MOST_LOOK_UP_STEPS = 2500
"""The same where the callee is itself what a call gives, such as a class looked up by a name from a configuration."""
_MOST_NAMES = 12
"""Other names of one function that are looked for."""


class _Followed(Struct, frozen=True):
    """What a callee was found to be; ``settled`` when it was that twice."""

    found: Possibilities
    settled: bool


class Callers:
    """Who calls each function of the project, found by name and then by following the callee."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._hooks = HookCalls(evaluator)
        self.importable: dict[str, set[str]] = {}
        """For each function and class that callers were looked for, the names one of which its importers mention."""
        self._followed_before: dict[ast.expr, _Followed] = {}
        self._configured = ConfiguredCallers(evaluator)
        self._classes_named: dict[str, frozenset[str]] = {}

    def forget(self) -> None:
        """Forget which callers configurations name: they may be others once all of those were followed."""
        self._configured.forget()

    @cached_property
    def _references(self) -> References:
        return references(self._evaluator.project.all_python())

    def ask_imported(self) -> None:
        """Look for callers in all files that matter now; who was found to call something stays as it was."""
        self.__dict__.pop("_references", None)
        self._classes_named.clear()

    def of(self, function: Function) -> Called:
        """Return the callers of a function; those of its class, and of its subclasses, for an ``__init__``."""
        owner = function.owner
        if owner is not None and function.scope.name == "__init__":
            kind = f"making {id(owner.node)}"
            called = self._remembered(
                function.node, owner.node.name, owner.facts, lambda: self._of_constructor(owner), kind
            )
            return self._seen_by_users(called, owner.facts, owner.scope)
        name = called_by(function.scope)
        if name is None:
            return _UNFINISHED
        facts = function.facts if owner is None else None
        called = self._remembered(function.node, name, facts, lambda: self._of_function(function, name))
        seen = self._seen_by_users(called, function.facts, function.scope)
        by_name = not seen.for_users and called_by_name.may_be_called(self._evaluator, function)
        return replace(seen, for_users=True) if by_name else seen

    def makers(self, owner: Class) -> Called:
        """Return what makes an object of a class, or of a subclass without a constructor of its own."""
        called = self._remembered(owner.node, owner.node.name, owner.facts, lambda: self._of_class(owner))
        return self._seen_by_users(called, owner.facts, owner.scope)

    def making(self, owner: Class) -> Called:
        """Return what makes objects of just this class."""
        called = self._remembered(
            owner.scope.node, owner.node.name, owner.facts, lambda: self._of_class_alone(owner), "alone"
        )
        return self._seen_by_users(called, owner.facts, owner.scope)

    def is_made(self, owner: Class, without: Collection[LeftOut] = ()) -> bool:
        """Return whether something makes objects of just this class besides some calls, or may do so out of sight."""
        made = self.making(owner)
        if made.elsewhere or (without and made.by and made.for_users):
            return True
        return any(not isinstance(one, Caller) or (one.call, owner.node, None) not in without for one in made.by)

    def base_calls(self, owner: Class) -> Iterator[Caller]:
        """Yield the calls of a constructor by those of the subclasses: ``super().__init__`` and ``Base.__init__``."""
        for heir in self.heirs(owner):
            for site in (site for scope in heir.scope.children for site in scope.calls):
                function = site.node.func
                frame = Frame(heir.facts, site.place)
                if is_super_init(site.node):
                    yield Caller(frame, site.node)
                elif isinstance(function, ast.Attribute) and function.attr == "__init__":
                    named = self._evaluator.evaluate(function.value, frame)
                    if any(isinstance(one.thing, Class) and one.thing.node is owner.node for one in named):
                        yield Caller(frame, without_first(site.node))
            if "__init__" not in heir.scope.bindings:
                yield from self.base_calls(heir)

    def heirs(self, owner: Class) -> tuple[Class, ...]:
        """Return the classes that have a class as a direct base."""
        known = self._evaluator.relatives
        if owner.node in known.heirs:
            return known.heirs[owner.node]
        named = self._references.heirs.get(owner.node.name, ())
        every = (class_of(facts, scope) for facts, scope in named if scope.node is not owner.node)
        maybe = [one for one in every if one is not None]
        found = tuple(one for one in maybe if any(base.node is owner.node for base in bases(self._evaluator, one)))
        if all(one.node in known.bases for one in maybe):
            known.heirs[owner.node] = found
        return found

    def has_heirs(self, name: str) -> bool:
        """Return whether a class of the project inherits from anything by this name."""
        return bool(self._references.heirs.get(name))

    def names_class(self, owner: str, method: str) -> bool:
        """Return whether some call of a method names the class it is to be the one of: ``Base.run(self)``."""
        if method not in self._classes_named:
            written = ((dotted(site.node.func) or "").split(".") for _, site in self.sites(method))
            self._classes_named[method] = frozenset(one[-2] for one in written if len(one) > 1 and one[-1] == method)
        return owner in self._classes_named[method]

    def sites(self, name: str) -> Iterable[tuple[PythonFacts, CallSite]]:
        """Return the calls of anything by this name, and by the names it is imported as."""
        return self._references.calls.get(name, ())

    def _seen_by_users(self, called: Called, facts: PythonFacts, scope: Scope) -> Called:
        """Return who calls a function or class of a file, with whether it is there for those who use the project."""
        path = facts.source.path
        by_nobody_else = not in_tests(path) and all(in_tests(one.path) for one in called.by)
        named = scope.parent if scope.parent is not None and scope.parent.is_class else scope
        at_the_top = named.parent is facts.module and not scope.name.startswith("_")
        offered = at_the_top and not in_tests(path) and is_offered(self._evaluator.project, facts, named.name)
        return replace(called, for_users=by_nobody_else or offered, offered=offered and not by_nobody_else)

    def note_takers(self, names: Iterable[str]) -> None:
        """Note the files of the functions and classes that are given something by one of these names: they may call it.

        Nothing else in such a file need say what it is.
        """
        for one in (handed for name in names for handed in self._references.handed_on.get(name, ())):
            given = parameter_given(self._evaluator, one.site.node, one.argument, Frame(one.facts, one.site.place))
            if given is not None:
                self._evaluator.takers.add(given[0].facts.source.path)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The strings that stand as values in configuration files."""
        every = (one for file in self._evaluator.project.all_configuration_files() for one in file.documents)
        entries = (entry for one in every for _, mapping in mappings(one) for entry in mapping.entries)
        return frozenset(one.value.text for one in entries if isinstance(one.value, Scalar))

    def _remembered(
        self, node: ast.AST, name: str, facts: PythonFacts | None, find: Callable[[], Called], kind: str = ""
    ) -> Called:
        """Return the answer, worked out once, and note what the files of further callers must mention.

        Whoever calls a function or class of ``facts`` imports it; a method (None) can be called without an import.
        """
        if name in self._words:
            # Who looks it up by that name may be in a file that says nothing of loaders.
            self._evaluator.mentioned.update(("getattr(", "globals()"))
        called = self._evaluator.once(("callers", id(node), kind), _UNFINISHED, find)
        if facts is not None:
            self._evaluator.mentioned.add(name)
            self.importable.setdefault(name, set()).update(_module_names(facts.source.path))
        elif not called.by:
            self._evaluator.mentioned.add(name)
        return called

    def _of_function(self, function: Function, name: str) -> Called:
        node = function.node

        def is_it(thing: Thing) -> bool:
            return isinstance(thing, Function) and thing.node is node

        found = self._calls_of(
            name,
            is_it,
            lambda call: may_bind(call, function),
            method=function.owner is not None,
            registered=fetching.is_registered(self._evaluator, node, function.facts, function.scope),
        )
        offered = self._evaluator.outside.of_function(function)
        by: tuple[AnyCaller, ...] = found.by
        if offered is not None:
            runs_command = self._evaluator.outside.is_click_command(function)
            by = (*(one for one in by if not runs_command or _gives_by_name(one)), SettingsCaller(*offered))
        if function.owner is not None:
            # A class above may call it on its own object, in one of very many files that mention its name.
            above = (one.facts for one in lineage(self._evaluator, function.owner))
            self._evaluator.takers.update(facts.source.path for facts in above if name in facts.calls)
            hooked = [
                caller
                for facts, site in self._hooks.of(name)
                if may_bind(site.node, function)
                for caller in self._callers_at(facts, site, is_it)
            ]
            return Called((*by, *hooked), found.elsewhere or bool(hooked))
        if name in function.facts.calls:
            # Its own file need not import it.
            self._evaluator.takers.add(function.facts.source.path)
        return Called((*by, *self._configured.of(name, function.facts)), found.elsewhere)

    def _of_constructor(self, owner: Class) -> Called:
        makers = self.makers(owner)
        return Called((*makers.by, *self.base_calls(owner)), makers.elsewhere)

    def _of_class(self, owner: Class) -> Called:
        alone = self._of_class_alone(owner)
        called = [*alone.by]
        elsewhere = alone.elsewhere or self._evaluator.outside.fills(owner)
        for heir in self.heirs(owner):
            if "__init__" not in heir.scope.bindings:
                makers = self.makers(heir)
                called.extend(makers.by)
                elsewhere = elsewhere or makers.elsewhere
        return Called(tuple(called), elsewhere)

    def _of_class_alone(self, owner: Class) -> Called:
        def is_owner(thing: Thing) -> bool:
            return isinstance(thing, Class) and thing.node is owner.node

        registered = fetching.is_registered(self._evaluator, owner.node, owner.facts, owner.scope)
        registered = registered or subclasses.enters_itself(self._evaluator, owner)
        found = self._calls_of(owner.node.name, is_owner, registered=registered)
        called: list[AnyCaller] = [*found.by, *self._configured.of(owner.node.name, owner.facts)]
        called.extend(self._evaluator.lightning.makers(owner))
        called.extend(argparse_args.makers(self._evaluator, owner, self.sites(argparse_args.METHOD)))
        offered = self._evaluator.outside.of_class(owner)
        if offered is not None:
            called.append(SettingsCaller(*offered))
        for facts, site in self._references.calls.get("cls", ()):
            called.extend(self._callers_at(facts, site, is_owner))
        return Called(tuple(replace(one, making=owner) for one in called), found.elsewhere)

    # --- calls by name, and of what is handed on ---

    def _calls_of(
        self,
        name: str,
        matches: _Matches,
        binds: _Binds = lambda call: True,
        *,
        method: bool = False,
        registered: bool = False,
    ) -> Called:
        """Return the calls of something by its name and the names it goes by where it is handed on."""
        called: dict[int, list[Caller]] = {}
        found = self._references
        elsewhere = False
        names = [name, *(sorted(found.fetched) if registered or name in found.collected else ())]
        for one in names:
            sites = [*found.calls.get(one, ())]
            if one in found.collected or (registered and one == name):
                sites.extend(self._references.unnamed)
            if one == name and not method:
                sites.extend(called_by_name.that_may_give(self._evaluator, found.looked_up, name))
            for facts, site in sites:
                if not binds(site.node) or not (method or one != name or self._may_name(facts, site)):
                    continue
                if id(site.node) not in called:
                    called[id(site.node)] = list(self._callers_at(facts, site, matches))
                    elsewhere = elsewhere or self._is_looked_up_elsewhere(called[id(site.node)])
                    if method and not elsewhere and not called[id(site.node)]:
                        elsewhere = told.may_run(self._evaluator, facts, site, matches)
            further, handed, lost = self._handed_on(one, matches, binds)
            elsewhere = elsewhere or lost
            for caller in handed:
                called.setdefault(id(caller.call), []).append(caller)
            further |= found.aliases.get(one, set())
            names.extend(sorted(other for other in further if other not in names))
            if len(names) > _MOST_NAMES + len(found.fetched):
                elsewhere = True
                break
        by = tuple(each for some in called.values() for each in some)
        # What is registered and not seen to be fetched is fetched in a way that is not followed.
        unfetched = registered and all(called_name(one.call) == name for one in by)
        return Called(by, elsewhere or unfetched)

    def _is_looked_up_elsewhere(self, by: Iterable[Caller]) -> bool:
        """Return whether what ``getattr`` finds for one of these calls can have a name that was not seen, too."""
        looked_up = (one for one in by if isinstance(one.call.func, ast.Call))
        ways = (way for one in looked_up for way in beside_named_files(self._followed(one.call.func, one.frame)))
        return any(isinstance(way.thing, Unseen) for way in ways)

    def _may_name(self, facts: PythonFacts, site: CallSite) -> bool:
        function = called_remotely(site.node) or site.node.func
        return not isinstance(function, ast.Name | ast.Attribute) or names_definition(
            function, Frame(facts, site.place)
        )

    def _callers_at(self, facts: PythonFacts, site: CallSite, matches: _Matches) -> Iterator[Caller]:
        frame = Frame(facts, site.place)
        for one in (*self._followed(site.node.func, frame), *self._remote(site.node, frame)):
            where = self._where_called(site.node.func, frame, one.thing) if matches(one.thing) else None
            if where is not None:
                yield Caller(where, _without_object(site.node, one.thing), one.assumptions)

    def _where_called(self, callee: ast.expr, frame: Frame, called: Thing) -> Frame | None:
        """Return the frame of a call as it is where what is called is this; None where it is never called there."""
        if not isinstance(called, Function) or called.receiver is None or called.owner is None:
            return frame
        running = hierarchy.in_method(self._evaluator, called.owner, called.scope).running
        on = self._evaluator.any_object(called.receiver.of, running)
        return hierarchy.calling(self._evaluator, frame, callee, on)

    def _remote(self, call: ast.Call, frame: Frame) -> Iterator[Possibility]:
        """Yield what another process calls: ``Class.remote(...)`` of what Ray makes of a class or function."""
        callee = called_remotely(call)
        for one in self._meant(callee, frame) if callee is not None else ():
            family = lineage(self._evaluator, one.thing) if isinstance(one.thing, Class) else ()
            if not any("remote" in above.scope.bindings for above in family):
                yield one

    def _meant(self, node: ast.expr, frame: Frame) -> Iterator[Possibility]:
        """Yield what an expression can be, and for what is made callable from other processes what that is made of."""
        for one in self._followed(node, frame):
            made = one.thing
            if isinstance(made, Made) and made.callee in MAKES_REMOTE and made.call.args:
                yield from under(self._followed(made.call.args[0], made.frame), one.assumptions)
            else:
                yield one

    def _handed_on(self, name: str, matches: _Matches, binds: _Binds) -> tuple[set[str], list[Caller], bool]:
        """Return the parameters that take something of this name, the calls made of it, and whether it gets lost."""
        taken: set[str] = set()
        made: list[Caller] = []
        lost = False
        for one in self._references.handed_on.get(name, ()):
            frame = Frame(one.facts, one.site.place)
            given = [way for way in self._meant(one.argument, frame) if matches(way.thing)]
            if not given:
                continue
            if makes_remote(one.site.node):
                taken.update(last_names(one.site.node))
                continue
            calls = calls_made_of(self._evaluator, one.site.node, one.argument, frame)
            if calls is not None:
                calls = self._once_called(one, frame, calls, binds)
                made.extend(
                    Caller(frame, _without_object(call, way.thing), way.assumptions) for call in calls for way in given
                )
                continue
            parameter = parameter_given(self._evaluator, one.site.node, one.argument, frame)
            kept_as = default_given(one.site.node, one.argument)
            if kept_as is not None:
                taken.add(kept_as)
            elif parameter is None:
                lost = lost or not _only_looks(one.site.node)
            else:
                taken.add(parameter[1])
                self._evaluator.takers.add(parameter[0].facts.source.path)
        return taken, made, lost

    def _once_called(self, handed: HandedOn, frame: Frame, calls: list[ast.Call], binds: _Binds) -> list[ast.Call]:
        """Return the calls made of what a ``partial`` is given: one for each seen call of it, and those not seen.

        What is not seen may give more, or nothing more where that can be a call.
        """
        partial = handed.site.node
        names = list(last_names(partial)) if is_partial(self._evaluator, partial, frame) else []
        if not names:
            return calls

        def is_it(thing: Thing) -> bool:
            return isinstance(thing, Made) and thing.call is partial

        key = ("called later", id(partial))
        found = self._evaluator.once(key, _UNFINISHED, lambda: self._calls_of(names[-1], is_it))
        later = [call_of_partial(partial, one) for one in found.by if isinstance(one, Caller)]
        return later if later and not found.elsewhere else [*later, *calls, *filter(binds, [call_of_partial(partial)])]

    def _followed(self, node: ast.expr, frame: Frame) -> Possibilities:
        """Return what a callee can be, followed once for all the functions that share the name it has.

        Where it is asked for while that is being followed further out, it is followed again until it is the same twice.
        What was not followed to its end, for who asks has few steps left or lies deep, does not count.
        """
        before, too_deep = self._followed_before.get(node), self._evaluator.times_too_deep
        if before is not None and before.settled:
            return before.found
        found = self._evaluator.remembered(("followed", node), frame, lambda: self._follow(node, frame))
        if self._evaluator.ran_out or (self._evaluator.lies_deep and self._evaluator.times_too_deep > too_deep):
            return found
        if before is None or found is not before.found:
            settled = before is not None and _told(found) == _told(before.found)
            self._followed_before[node] = _Followed(found, settled)
        return found

    def _follow(self, node: ast.expr, frame: Frame) -> Possibilities:
        """Return what an expression can be, where one of a dictionary's values is chosen by a key that was not seen."""
        dear = takes_long_to_follow(node, frame.scope)
        with self._evaluator.steps(MOST_LOOK_UP_STEPS if dear else MOST_CALLEE_STEPS):
            found = self._evaluator.evaluate(node, frame)
            keys = self._evaluator.evaluate(node.slice, frame) if isinstance(node, ast.Subscript) else ()
            chosen = any(not one.constant for one in keys) and any(isinstance(one.thing, Unseen) for one in found)
            if isinstance(node, ast.Subscript) and chosen:
                subject = str(frame.facts.span(node.slice))
                found = tuple(
                    value
                    for one in self._evaluator.evaluate(node.value, frame)
                    if isinstance(one.thing, Items)
                    for key, values in one.thing.entries.items()
                    for value in under(values, one.assumptions, choice(subject, key))
                )
        return found


def _without_object(call: ast.Call, called: Thing) -> ast.Call:
    """Return a call without the object where it gives that by position, as a method of a class is called."""
    if not isinstance(called, Function) or called.receiver is not None or has_decorator(called.node, "staticmethod"):
        return call
    return without_first(call) if owner_of(called.facts, called.scope) is not None else call


def _told(found: Possibilities) -> list[tuple[object, Assumptions]]:
    """Return what tells one answer of what a callee can be from another."""
    things = (one.thing for one in found)
    named = (id(one.node) if isinstance(one, Class | Function) else one for one in things)
    return list(zip(named, (one.assumptions for one in found), strict=True))


def _gives_by_name(caller: AnyCaller) -> bool:
    """Return whether a call names parameters: ``main()`` runs a command of click on what the user writes."""
    return not isinstance(caller, Caller) or bool(caller.call.keywords)


def _only_looks(call: ast.Call) -> bool:
    """Return whether a call that is given a class or function makes no call of it that is not looked for elsewhere."""
    name = called_name(call)
    # What a LightningCLI makes of the classes it is given is worked out in `lightning`.
    return name in LOOKS or name.endswith("CLI")


def _module_names(path: str) -> set[str]:
    """Return the names one of which an import of the file at a path holds."""
    return {*path.removesuffix(".py").split("/")[-3:]} - {"__init__", ".", "..", ""}
