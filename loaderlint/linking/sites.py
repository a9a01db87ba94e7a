"""Finds the places where loader options come together, in Python and in configuration."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loaderlint.linking import callers, classes, dictionaries, instantiation, settings
from loaderlint.linking.bundles import bundles
from loaderlint.linking.escapes import may_be_filled
from loaderlint.linking.evaluate import Evaluator
from loaderlint.linking.loader_names import loader_names, possible_calls
from loaderlint.linking.things import (
    ABSENT,
    Absent,
    Class,
    External,
    Frame,
    Function,
    Made,
    Possibilities,
    Possibility,
    Settings,
    distinct,
    irremovable,
    under,
    unseen,
)
from loaderlint.model.loader import TORCH_DEFAULTS, Loader
from loaderlint.model.source import Span
from loaderlint.model.target import Platform
from loaderlint.model.value import PLATFORM, Assumption, Assumptions, Candidate, CommandLineText, CpuCount, Value
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.vocabulary.callables import LOADER_CALLABLES, TORCH_LOADER, LoaderCallable


@dataclass(frozen=True, eq=False)
class PythonSite:
    """A call that makes a loader; for a subclass with a constructor of its own, the call it makes of its base.

    ``skip`` positional arguments come before the loader's own. A ``partial`` call leaves options to be given later.
    ``configured`` is what holds the options of a call of ``instantiate``, its own keywords included.
    Where the call hands all options over in one dictionary, ``bundle`` is that argument.
    """

    frame: Frame
    call: ast.Call
    callee: str
    kind: LoaderCallable
    skip: int = 0
    partial: bool = False
    configured: Possibilities | None = None
    bundle: ast.expr | None = None

    @property
    def span(self) -> Span:
        """Where the call stands, or the argument that holds the options."""
        return self.frame.facts.span(self.call if self.bundle is None else self.bundle)

    @property
    def arguments(self) -> tuple[list[ast.expr], list[ast.keyword]]:
        """The positional arguments and the keywords that the loader gets."""
        if self.bundle is not None:
            return [], [ast.keyword(None, self.bundle)]
        return self.call.args[self.skip :], self.call.keywords


@dataclass(frozen=True, eq=False)
class Given:
    """What one option gets at a site, and the expression that hands it over there (None: a splat, or not given)."""

    possibilities: Possibilities
    argument: Span | None = None


def python_sites(evaluator: Evaluator) -> Iterator[PythonSite]:
    """Yield every call in the project that makes a loader."""
    names = loader_names(evaluator.project, evaluator.wrappers)
    for facts in evaluator.project.all_python():
        for site in possible_calls(facts.calls, names):
            found = _site(evaluator, facts, site)
            if found is not None:
                yield found
    for one in bundles(evaluator):
        yield PythonSite(one.frame, one.call, one.method, TORCH_KIND, bundle=one.options)


def _site(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> PythonSite | None:
    frame = Frame(facts, site.place)
    if _is_meant_to_fail(facts, site.node):
        return None
    if classes.is_super_init(site.node):
        return _base_call(evaluator, frame, site)
    if not callers.names_definition(site.node.func, frame):
        return None
    for one in evaluator.evaluate(site.node.func, frame):
        if isinstance(one.thing, External | Function):
            name = one.thing.name if isinstance(one.thing, External) else _name_of(one.thing)
            kind = LOADER_CALLABLES.get(name) or _wrapper(evaluator, name)
            if kind is not None:
                return PythonSite(frame, site.node, name, kind)
            kind = LOADER_CALLABLES.get(name.removesuffix(".__init__"))
            if kind is not None:
                return PythonSite(frame, site.node, name.removesuffix(".__init__"), kind, skip=1)
            if name in instantiation.INSTANTIATE:
                return _instantiated(evaluator, frame, site.node)
            if name == "functools.partial" and site.node.args:
                return _partial(evaluator, frame, site.node)
        elif isinstance(one.thing, Class):
            callee = loader_base(evaluator, one.thing)
            if callee is not None and not _has_constructor(evaluator, one.thing):
                return PythonSite(frame, site.node, _name_of(one.thing), LOADER_CALLABLES[callee])
    return None


def _instantiated(evaluator: Evaluator, frame: Frame, call: ast.Call) -> PythonSite | None:
    """Return the site of an ``instantiate`` whose configuration names nothing but one library's loader."""
    found = instantiation.configured(evaluator, call, frame)
    things = [one.thing for one in found if isinstance(one.thing, Settings)]
    targets = [target.thing for thing in things for target in settings.child(thing, "_target_") or ()]
    names = {target for target in targets if isinstance(target, str)}
    name = names.pop() if len(names) == 1 else ""
    kind = LOADER_CALLABLES.get(name)
    if kind is None:
        return None
    evaluator.instantiations.at_calls.update(one.span for one in found if isinstance(one.thing, Settings))
    partial = any("_partial_" in thing.here.entries for thing in things)
    return PythonSite(frame, call, name, kind, skip=1, partial=partial, configured=found)


def _partial(evaluator: Evaluator, frame: Frame, call: ast.Call) -> PythonSite | None:
    for one in evaluator.evaluate(call.args[0], frame):
        kind = LOADER_CALLABLES.get(one.thing.name) if isinstance(one.thing, External) else None
        if kind is not None and isinstance(one.thing, External):
            return PythonSite(frame, call, one.thing.name, kind, skip=1, partial=True)
    return None


def _base_call(evaluator: Evaluator, frame: Frame, site: CallSite) -> PythonSite | None:
    owner = classes.owner_of(frame.facts, frame.scope)
    if owner is None or frame.scope.name != "__init__":
        return None
    callee = loader_base(evaluator, owner)
    if callee is None or any(_has_constructor(evaluator, base) for base in classes.bases(evaluator, owner)):
        return None
    return PythonSite(frame, site.node, _name_of(owner), LOADER_CALLABLES[callee])


def _is_meant_to_fail(facts: PythonFacts, call: ast.Call) -> bool:
    """Return whether a call stands in a test's ``with pytest.raises(...)`` or ``self.assertRaises(...)``."""
    if not any(name in facts.calls for name in _EXPECTS_AN_ERROR):
        return False
    span = facts.span(call)
    return any(
        isinstance(block, ast.With)
        and any(_name_called(item.context_expr) in _EXPECTS_AN_ERROR for item in block.items)
        and facts.span(block).holds(span)
        for block in facts.blocks
    )


_EXPECTS_AN_ERROR = ("raises", "assertRaises", "assertRaisesRegex")


def _name_called(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def loader_base(evaluator: Evaluator, owner: Class) -> str | None:
    """Return the library loader that a project class descends from, None when it is no loader."""
    for one in classes.lineage(evaluator, owner):
        frame = Frame(one.facts, one.place)
        for base in one.node.bases:
            for thing in (way.thing for way in evaluator.evaluate(base, frame)):
                if isinstance(thing, External) and thing.name in LOADER_CALLABLES:
                    return thing.name
    return None


def _has_constructor(evaluator: Evaluator, owner: Class) -> bool:
    return any("__init__" in one.scope.bindings for one in classes.lineage(evaluator, owner))


def _wrapper(evaluator: Evaluator, name: str) -> LoaderCallable | None:
    """Return how a callable of the project's settings takes its options, None when the settings do not name it."""
    for dotted_name, options in evaluator.wrappers.items():
        if name == dotted_name or name.endswith(f".{dotted_name}"):
            by_position = {place: option for option, place in options.items() if isinstance(place, int)}
            positional = tuple(by_position.get(place, "") for place in range(max(by_position, default=-1) + 1))
            spelling = {option: place for option, place in options.items() if isinstance(place, str)}
            return LoaderCallable(positional, spelling)
    return None


def _name_of(owner: Class | Function) -> str:
    module = owner.facts.source.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"{module}.{owner.scope.qualified()}".lstrip(".")


def options_of(evaluator: Evaluator, site: PythonSite) -> dict[str, Given]:
    """Return what a call gives each option, by torch's name.

    What is no plain option (a dataset, a sampler) can be a long way to follow, so only so many steps of it are taken.
    """
    frame = site.frame
    arguments, keywords = site.arguments
    # Torch's own name is nothing to a callable that calls the option something else.
    names = {**dict.fromkeys(site.kind.spelling, ""), **{named: option for option, named in site.kind.spelling.items()}}
    given: dict[str, Given] = {}
    hidden = site.partial
    for name, argument in zip(site.kind.positional, arguments, strict=False):
        if isinstance(argument, ast.Starred):
            hidden = True
            break
        with evaluator.steps(_steps_for(name)):
            given[name] = Given(evaluator.evaluate(argument, frame), frame.facts.span(argument))
    if site.configured is not None:
        settled = tuple(one for one in site.configured if isinstance(one.thing, Settings))
        besides = tuple(one for one in site.configured if not isinstance(one.thing, Settings))
        whole = dictionaries.as_items(evaluator, settled)[0]
        given.update({names.get(name, name): Given((*values, *besides)) for name, values in whole.entries.items()})
        hidden = hidden or not whole.complete
    for keyword in keywords if site.configured is None else ():
        if keyword.arg is not None:
            option = names.get(keyword.arg, keyword.arg)
            with evaluator.steps(_steps_for(option)):
                possibilities = dictionaries.entered(evaluator, keyword.value, frame, frame.facts.span(keyword))
            given[option] = Given(possibilities, frame.facts.span(keyword.value))
            continue
        splat = dictionaries.as_items(evaluator, evaluator.evaluate(keyword.value, frame))[0]
        for name, values in splat.entries.items():
            given.setdefault(names.get(name, name), Given(values))
        hidden = hidden or not splat.complete or may_be_filled(keyword.value, frame)
    if hidden:
        for option in TORCH_DEFAULTS:
            # A splat nobody saw may hold any option; that it names a start method is too rare to keep rules silent.
            left_out = (Possibility(ABSENT, site.span),) if option == "multiprocessing_context" else ()
            given.setdefault(option, Given((*unseen(site.span), *left_out)))
    return given


def _steps_for(option: str) -> int:
    return 3000 if option in TORCH_DEFAULTS else 800


def loader_of(evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given]) -> Loader | None:
    """Return the loader a call makes, None when the call can never be reached."""
    ways = evaluator.conditions(site.frame.place.arms, site.frame)
    if not ways:
        return None
    options = {
        option: value_of(evaluator, option, one, ways, site.span)
        for option, one in given.items()
        if option in TORCH_DEFAULTS
    }
    return Loader(site.span, site.callee, options, site.kind.spelling)


MOST_OF_ANYTHING = 10**18
"""An integer beyond this is no setting, and Python refuses to write the longest ones down."""


def value_of(evaluator: Evaluator, option: str, given: Given, ways: Iterable[Assumptions], site: Span) -> Value:
    """Return an option's value from what was followed: constants become candidates, anything else leaves it open."""
    candidates: list[Candidate] = []
    is_open = False
    for one in distinct(
        way for assumptions in ways for way in under(_method_name(evaluator, option, given), assumptions)
    ):
        thing = one.thing
        if isinstance(thing, Absent):
            candidates.append(Candidate(TORCH_DEFAULTS[option], site, assumptions=one.assumptions, written=False))
        elif isinstance(thing, int) and abs(thing) > MOST_OF_ANYTHING:
            is_open = True
        elif thing is None or isinstance(thing, bool | int | float | str | CpuCount | CommandLineText):
            candidates.append(
                Candidate(thing, one.span, one.entry, one.trail, one.assumptions, one.sources, shared=one.shared)
            )
        else:
            is_open = True
    return Value(tuple(_platforms_joined(candidates)), is_open, given.argument)


def _method_name(evaluator: Evaluator, option: str, given: Given) -> Possibilities:
    """Return the possibilities, with ``get_context("spawn")`` read as the start method it names."""
    if option != "multiprocessing_context":
        return given.possibilities
    found: list[Possibility] = []
    for one in given.possibilities:
        thing = one.thing
        if isinstance(thing, Made) and thing.callee.rpartition(".")[2] == "get_context" and thing.call.args:
            found.extend(under(evaluator.evaluate(thing.call.args[0], thing.frame), one.assumptions))
        else:
            found.append(one)
    return tuple(found)


def _platforms_joined(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates with those that differ in nothing but their platforms made one."""
    joined: dict[object, Candidate] = {}
    for one in candidates:
        rest = frozenset(way for way in one.assumptions if way.subject != PLATFORM)
        key = (type(one.constant), one.constant, one.span, one.entry, rest, one.written)
        before = joined.get(key)
        platforms = _platforms(one) | (_platforms(before) if before is not None else frozenset())
        if platforms == frozenset(platform.value for platform in Platform):
            assumptions = rest
        else:
            assumptions = rest | {Assumption(PLATFORM, platforms)}
        joined[key] = Candidate(
            one.constant,
            one.span,
            one.entry,
            one.trail,
            assumptions,
            one.sources | (before.sources if before is not None else frozenset()),
            one.written,
            one.shared,
        )
    return list(joined.values())


def _platforms(candidate: Candidate) -> frozenset[str]:
    for assumption in candidate.assumptions:
        if assumption.subject == PLATFORM and isinstance(assumption.answer, frozenset):
            return assumption.answer
    return frozenset(platform.value for platform in Platform)


def configured_loaders(evaluator: Evaluator) -> Iterator[Loader]:
    """Yield the loaders that a configuration mapping makes by naming a library's loader."""
    for name, caller in callers.instantiations(evaluator):
        kind = LOADER_CALLABLES.get(name)
        if kind is not None and caller.span not in evaluator.instantiations.at_calls:
            given = {key: caller.given(key) for key in caller.arguments.entries}
            yield loader_of_settings(evaluator, given, caller.span, name, kind)


def loader_of_settings(
    evaluator: Evaluator,
    settings: Mapping[str, Possibilities],
    span: Span,
    callee: str,
    kind: LoaderCallable,
    *,
    consumer_seen: bool = True,
) -> Loader:
    """Return the loader whose options are the keys of a configuration mapping, which stands at ``span``."""
    options: dict[str, Value] = {}
    keys = {key.lower(): values for key, values in settings.items()}
    for option in TORCH_DEFAULTS:
        values = keys.get(kind.spelling.get(option, option))
        if values is not None:
            given = Given(values if consumer_seen else irremovable(values))
            options[option] = value_of(evaluator, option, given, (frozenset(),), span)
    return Loader(span, callee, options, kind.spelling, consumer_seen=consumer_seen)


TORCH_KIND = LOADER_CALLABLES[TORCH_LOADER]
"""How torch's own loader takes its options."""
