"""Finds the places in Python where loader options come together."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.files.loader_names import loader_names, possible_calls
from loaderlint.linking.following.configurations import instantiation, lazy_calls
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.loaders import loader_classes
from loaderlint.linking.loaders.bundles import bundles
from loaderlint.linking.loaders.loader_classes import BaseCall
from loaderlint.linking.loaders.parsed_arguments import Parsed, parsed_arguments
from loaderlint.linking.things import classes, settings
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Function,
    Instance,
    Made,
    Possibilities,
    Possibility,
    Settings,
)
from loaderlint.linking.things.made_calls import names_definition
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.python import CallSite, FunctionNode, Place, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_CALLABLES, TORCH_LOADER, LoaderCallable
from loaderlint.vocabulary.configurations import HYDRA_INSTANTIATORS
from loaderlint.vocabulary.sending import PARTIAL


class PythonSite(Struct, frozen=True, eq=False):
    """A call that makes a loader; where a subclass's constructor names the options, the call it makes of its base.

    ``skip`` positional arguments come before the loader's own. A ``partial`` call leaves options to be given later.
    ``before`` are the partial calls that the callee can be with their assumptions, None for the loader itself.
    ``configured`` is what holds the options of a call of ``instantiate``, its own keywords included.
    Where the call hands all options over in one dictionary, ``bundle`` is that argument. ``base`` is where
    a subclass hands its keyword arguments on to the library's constructor. ``ways`` are those in which the callee is a
    loader, where it can be something else. ``own_class`` is a class of the project that it can be and that iterates in
    a way of its own; it ``starts_workers`` unless all that it can be are such that never come to torch's iterator.
    ``parsed`` are training arguments that the call makes of what a user gives.
    ``made_of`` is the class of the project that is called where that has no constructor: its fields have defaults.
    """

    frame: Frame
    call: ast.Call
    callee: str
    kind: LoaderCallable
    skip: int = 0
    partial: bool = False
    configured: Possibilities | None = None
    bundle: ast.expr | None = None
    before: tuple[tuple[PythonSite | None, Assumptions], ...] = ()
    base: BaseCall | None = None
    ways: tuple[Assumptions, ...] = (NO_ASSUMPTIONS,)
    own_class: Class | None = None
    starts_workers: bool = True
    made_of: Class | None = None
    parsed: Parsed | None = None

    @property
    def span(self) -> Span:
        """Where the call stands, or the argument that holds the options."""
        return self.frame.facts.span(self.call if self.bundle is None else self.bundle)

    @property
    def makers(self) -> tuple[ast.Call, ...]:
        """The calls by which what is made here is told from what others make."""
        return (self.call,) if self.parsed is None else self.parsed.makers

    @property
    def arguments(self) -> tuple[list[ast.expr], list[ast.keyword]]:
        """The positional arguments and the keywords that the loader gets."""
        if self.bundle is not None:
            return [], [ast.keyword(None, self.bundle)]
        return self.call.args[self.skip :], self.call.keywords


def python_sites(evaluator: Evaluator, near: Set[str] | None = None) -> Iterator[PythonSite]:
    """Yield every call in the project that makes a loader, of those in the files that are ``near`` where some are."""
    names = loader_names(evaluator.project, evaluator.wrappers)
    every = list(evaluator.project.all_python())
    found = _found_in((facts for facts in every if near is None or facts.source.path in near), evaluator, names)
    if any(site.partial or site.base is not None or site.frame.scope.name == "__init__" for site in found):
        # Where such a call has its loaders depends on the others.
        found = _found_in(every, evaluator, names)
    # A partial call that is seen to be called makes its loaders there.
    called = {id(one.call) for site in found for one in _partials_before(site)}
    once = list(_each_once(evaluator, [site for site in found if id(site.call) not in called]))
    beside = (replace(site, kind=kind) for site in once for kind in site.kind.beside)
    bundled = (
        PythonSite(one.frame, one.call, one.method, TORCH_KIND, bundle=one.options) for one in bundles(evaluator)
    )
    parsed = (
        PythonSite(
            one.frame,
            one.call,
            one.library if one.owner is None else _name_of(one.owner),
            LOADER_CALLABLES[one.library],
            parsed=one,
        )
        for one in parsed_arguments(evaluator)
    )
    yield from (site for site in (*once, *beside, *bundled, *parsed) if near is None or site.span.path in near)


def _found_in(every: Iterable[PythonFacts], evaluator: Evaluator, names: frozenset[str]) -> list[PythonSite]:
    return [
        found
        for facts in every
        for site in possible_calls(facts.calls, names)
        if (found := _site(evaluator, facts, site)) is not None
    ]


def _each_once(evaluator: Evaluator, sites: Sequence[PythonSite]) -> Iterator[PythonSite]:
    """Yield the sites where a loader class of the project has its loaders: at its calls, or in its constructor."""
    calls = [site.call for site in sites if site.base is not None or not classes.is_super_init(site.call)]
    kept = [site for site in sites if not _made_at_calls(evaluator, site, calls)]
    bases = {id(site.call) for site in kept}
    yield from (site for site in kept if site.base is None or not any(id(one) in bases for one in site.base.through))


def _made_at_calls(evaluator: Evaluator, site: PythonSite, calls: Sequence[ast.Call]) -> bool:
    """Return whether a call of a base's constructor makes its loaders at the calls of its class, all of them seen."""
    owner = classes.owner_of(site.frame.facts, site.frame.scope)
    if owner is None or site.frame.scope.name != "__init__":
        return False
    own = classes.constructor(evaluator, owner)
    return own is not None and loader_classes.called_where_seen(evaluator, own, site.call, calls)


def _partials_before(site: PythonSite) -> Iterator[PythonSite]:
    for one, _ in site.before:
        if one is not None:
            yield one
            yield from _partials_before(one)


def _site(evaluator: Evaluator, facts: PythonFacts, site: CallSite) -> PythonSite | None:
    frame = Frame(facts, site.place)
    if _is_meant_to_fail(facts, site.node, site.place):
        return None
    if classes.is_super_init(site.node):
        return _base_call(evaluator, frame, site)
    if not (names_definition(site.node.func, frame) or _is_kept(evaluator, site.node.func)):
        return None
    with evaluator.steps(MOST_CALLEE_STEPS):
        callees = evaluator.evaluate(site.node.func, frame)
    found = _called_partial(evaluator, frame, site.node, callees) or _called(evaluator, frame, site.node, callees)
    if found is None:
        return None
    own = [one.thing for one in callees if isinstance(one.thing, Class)]
    starts = len(own) < len(callees) or any(loader_classes.starts_workers(evaluator, one) for one in own)
    different = next((one for one in own if loader_classes.iterates_itself(evaluator, one)), None)
    found = replace(found, own_class=different, starts_workers=starts)
    ways = tuple(one.assumptions for one in callees if _may_make_loader(evaluator, one))
    return found if len(ways) == len(callees) else replace(found, ways=ways)


def _may_make_loader(evaluator: Evaluator, callee: Possibility) -> bool:
    """Return whether what a call calls is a loader, or nothing that was seen to be something else."""
    thing = callee.thing
    if isinstance(thing, Class):
        return loader_classes.library_base(evaluator, thing) is not None
    if isinstance(thing, External | Function):
        name = (thing.name if isinstance(thing, External) else _name_of(thing)).removesuffix(".__init__")
        return name in (*LOADER_CALLABLES, *HYDRA_INSTANTIATORS, PARTIAL) or _wrapper(evaluator, name) is not None
    return True


def _called(evaluator: Evaluator, frame: Frame, call: ast.Call, callees: Possibilities) -> PythonSite | None:
    """Return the site of a call whose callee can be a loader, or something that makes one, None when it cannot."""
    for one in callees:
        if isinstance(one.thing, External | Function):
            name = one.thing.name if isinstance(one.thing, External) else _name_of(one.thing)
            kind = LOADER_CALLABLES.get(name) or _wrapper(evaluator, name)
            if kind is not None:
                return None if _has_others(kind, call) else PythonSite(frame, call, name, kind)
            kind = LOADER_CALLABLES.get(name.removesuffix(".__init__"))
            if kind is not None:
                return PythonSite(frame, call, name.removesuffix(".__init__"), kind, skip=1)
            if name in HYDRA_INSTANTIATORS:
                return _instantiated(evaluator, frame, call)
            if name == PARTIAL and call.args:
                return _partial(evaluator, frame, call)
        elif isinstance(one.thing, Made | Instance):
            later = _called_later(evaluator, one.thing, frame, call)
            if later is not None:
                return later
        elif isinstance(one.thing, Class):
            made = _subclass_call(evaluator, one.thing, frame, call, alone=len(callees) == 1)
            if made is not None:
                return made
    return None


def _called_later(evaluator: Evaluator, lazy: Made | Instance, frame: Frame, call: ast.Call) -> PythonSite | None:
    """Return the site of a call of a library's loader that a configuration writes down, to be made by the program."""
    later = lazy_calls.call_later(lazy, call, frame)
    if later is None or lazy.frame is None:
        return None
    for one in evaluator.evaluate(later.func, lazy.frame):
        kind = LOADER_CALLABLES.get(one.thing.name) if isinstance(one.thing, External) else None
        if kind is not None and isinstance(one.thing, External):
            return PythonSite(frame, later, one.thing.name, kind)
    return None


def _has_others(kind: LoaderCallable, call: ast.Call) -> bool:
    """Return whether a call asks for threads in the place of worker processes, or for loaders of its own choice."""
    given = (one.value for one in call.keywords if one.arg is not None and one.arg in (kind.threads, kind.maker))
    return any(not (isinstance(one, ast.Constant) and one.value is False) for one in given)


def _subclass_call(
    evaluator: Evaluator, owner: Class, frame: Frame, call: ast.Call, *, alone: bool
) -> PythonSite | None:
    """Return the site of a call of a class, None where it is no loader, or names the options in its constructor."""
    callee = loader_classes.library_base(evaluator, owner)
    if callee is None:
        return None
    if classes.constructor(evaluator, owner) is None:
        return PythonSite(frame, call, _name_of(owner), LOADER_CALLABLES[callee], made_of=owner)
    base = loader_classes.called(evaluator, owner, call, frame) if alone else None
    return _handing_on(owner, frame, call, callee, base)


def _handing_on(owner: Class, frame: Frame, call: ast.Call, callee: str, base: BaseCall | None) -> PythonSite | None:
    """Return the site of a call whose options arrive at the library's constructor as ``base``."""
    return PythonSite(frame, call, _name_of(owner), LOADER_CALLABLES[callee], base=base) if base is not None else None


def _instantiated(evaluator: Evaluator, frame: Frame, call: ast.Call) -> PythonSite | None:
    """Return the site of an ``instantiate`` whose configuration names nothing but one library's loader."""
    if not evaluator.project.writes_out(_NAMES):
        return None
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


def _partial(
    evaluator: Evaluator, frame: Frame, call: ast.Call, around: tuple[ast.Call, ...] = ()
) -> PythonSite | None:
    """Return the site of a ``partial`` of a library's loader or of such a partial, but for the calls it stands in."""
    if call in around:
        # In a loop, ``make = partial(make, …)`` is a partial of itself.
        return None
    with evaluator.steps(MOST_CALLEE_STEPS):
        made = evaluator.evaluate(call.args[0], frame)
    nested = _called_partial(evaluator, frame, call, made, (*around, call))
    if nested is not None:
        return replace(nested, skip=1, partial=True)
    for one in made:
        kind = LOADER_CALLABLES.get(one.thing.name) if isinstance(one.thing, External) else None
        if kind is not None and isinstance(one.thing, External):
            return PythonSite(frame, call, one.thing.name, kind, skip=1, partial=True)
    return None


def _called_partial(
    evaluator: Evaluator, frame: Frame, call: ast.Call, callees: Possibilities, around: tuple[ast.Call, ...] = ()
) -> PythonSite | None:
    """Return the site of a call whose callee can be a partial of a library's loader, None when it cannot."""
    before: list[tuple[PythonSite | None, Assumptions]] = []
    for one in callees:
        thing = one.thing
        if isinstance(thing, Made) and thing.callee == PARTIAL and thing.call.args:
            before.append((_partial(evaluator, thing.frame, thing.call, around), one.assumptions))
        elif isinstance(thing, External) and thing.name in LOADER_CALLABLES:
            before.append((None, one.assumptions))
    partials = [one for one, _ in before if one is not None]
    if not partials or len({one.callee for one in partials}) > 1:
        return None
    return PythonSite(frame, call, partials[0].callee, partials[0].kind, before=tuple(before))


_NAMES = frozenset(LOADER_CALLABLES)
MOST_CALLEE_STEPS = 500
"""Expressions followed to find out whether a call makes a loader."""


def _is_kept(evaluator: Evaluator, callee: ast.expr) -> bool:
    """Return whether a callee is given by a call, kept in a dictionary, or on an object under a name of no method's."""
    if isinstance(callee, ast.Subscript | ast.Call):
        return True
    name = dotted(callee)
    return name is not None and name.rpartition(".")[2] not in evaluator.project.definitions


def _base_call(evaluator: Evaluator, frame: Frame, site: CallSite) -> PythonSite | None:
    owner = classes.owner_of(frame.facts, frame.scope)
    if owner is None or frame.scope.name != "__init__":
        return None
    with evaluator.steps(MOST_CALLEE_STEPS):
        callee = loader_classes.library_base(evaluator, owner)
    if callee is None:
        return None
    above = classes.bases(evaluator, owner)
    if any(classes.constructor(evaluator, base) is not None for base in above):
        base = loader_classes.called_by_heir(evaluator, owner, site.node, frame)
        found = _handing_on(owner, frame, site.node, callee, base)
    else:
        found = PythonSite(frame, site.node, _name_of(owner), LOADER_CALLABLES[callee])
    starts = loader_classes.starts_workers(evaluator, owner)
    return replace(found, starts_workers=starts) if found is not None else None


def _is_meant_to_fail(facts: PythonFacts, call: ast.Call, place: Place) -> bool:
    """Return whether a call stands in a test's ``with pytest.raises(...)``, or in a lambda that it hands over there.

    So it does in a test that is marked to fail.
    """
    if _is_marked_to_fail(place.scope):
        return True
    expecting = [site.node for name in _EXPECTS_AN_ERROR for site in facts.calls.get(name, ())]
    if not expecting:
        return False
    span = facts.span(call)
    handed = (one for expects in expecting for one in expects.args if isinstance(one, ast.Lambda))
    return any(facts.span(one).holds(span) for one in handed) or any(
        isinstance(block, ast.With)
        and any(_expects_an_error(item.context_expr) for item in block.items)
        and facts.span(block).holds(span)
        for block in facts.blocks
    )


def _is_marked_to_fail(scope: Scope | None) -> bool:
    """Return whether a function or class, or one around it, is a test with ``@pytest.mark.xfail``."""
    while scope is not None:
        marks = scope.node.decorator_list if isinstance(scope.node, FunctionNode | ast.ClassDef) else ()
        names = (dotted(one.func if isinstance(one, ast.Call) else one) or "" for one in marks)
        if any(name.endswith("mark.xfail") for name in names):
            return True
        scope = scope.parent
    return False


_EXPECTS_AN_ERROR = ("raises", "assertRaises", "assertRaisesRegex")


def _expects_an_error(manager: ast.expr) -> bool:
    return isinstance(manager, ast.Call) and called_name(manager) in _EXPECTS_AN_ERROR


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


TORCH_KIND = LOADER_CALLABLES[TORCH_LOADER]
"""How torch's own loader takes its options."""
