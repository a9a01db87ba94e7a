"""What a call that makes a loader gives each of its options, by torch's name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.following import instances
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.following.fields import is_field
from loaderlint.linking.following.parameters import is_dataclass
from loaderlint.linking.loaders.parsed_arguments import Parsed, value_given
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.loaders.trainer_calls import as_trainers_get_it
from loaderlint.linking.things import classes, dictionaries
from loaderlint.linking.things.kinds import ABSENT, Absent, Class, Frame, Instance, Possibilities, Possibility, Settings
from loaderlint.linking.things.loops import spread
from loaderlint.linking.things.possibilities import laid_over, settled, under, unseen
from loaderlint.model.loader import OBJECT_OPTIONS, TORCH_DEFAULTS
from loaderlint.model.source import Span


class Given(Struct, frozen=True, eq=False, dict=True):
    """What one option gets at a site, and the expression that hands it over there (None: a splat, or not given).

    It is followed when it is first read: what is no plain option (a dataset, a sampler) can be a long way.
    """

    follow: Callable[[], Possibilities]
    argument: Span | None = None

    @classmethod
    def known(cls, possibilities: Possibilities, argument: Span | None = None) -> Given:
        """Return what was followed already."""
        return cls(lambda: possibilities, argument)

    @cached_property
    def possibilities(self) -> Possibilities:
        """What the option can be."""
        return self.follow()


def options_of(evaluator: Evaluator, site: PythonSite) -> dict[str, Given]:
    """Return what a call gives each option, by torch's name."""
    if site.base is not None:
        base = PythonSite(site.base.frame, site.base.through[-1], site.callee, site.kind, skip=site.base.skip)
        handed = options_of(evaluator, base)
        return _at_the_call(handed, site) if site.base.untouched else handed
    if site.parsed is not None:
        return dict(_parsed_options(evaluator, site, site.parsed))
    with evaluator.steps(STEPS):
        given = _options_of(evaluator, site)
    return given if site.kind.accumulation == "" else _as_trainers_get_them(evaluator, site, given)


def _as_trainers_get_them(evaluator: Evaluator, site: PythonSite, given: dict[str, Given]) -> dict[str, Given]:
    """Return the options of training arguments, those of them that are set after they were made as they are then."""
    changed = {
        option: name
        for option, name in site.kind.spelling.items()
        if option in TORCH_DEFAULTS and name in evaluator.attributes_set
    }
    missing = Given.known((Possibility(ABSENT, site.span),))

    def arriving(option: str, name: str) -> Possibilities:
        return as_trainers_get_it(evaluator, name, given.get(option, missing).possibilities, site.makers, site.span)

    return {
        **given,
        **{option: _followed(evaluator, option, partial(arriving, option, name)) for option, name in changed.items()},
    }


def _parsed_options(evaluator: Evaluator, site: PythonSite, parsed: Parsed) -> Iterator[tuple[str, Given]]:
    """Yield what a user, or the fields of a class, give the options of training arguments."""
    summed = (site.kind.accumulation,) if site.kind.accumulation else ()
    for option, name in (*site.kind.spelling.items(), *zip(summed, summed, strict=True)):
        if name and (option in TORCH_DEFAULTS or option in summed):
            yield option, _followed(evaluator, option, partial(value_given, evaluator, parsed, name))


def _options_of(evaluator: Evaluator, site: PythonSite) -> dict[str, Given]:
    frame = site.frame
    arguments, keywords = site.arguments
    # Torch's own name is nothing to a callable that calls the option something else.
    names = {**dict.fromkeys(site.kind.spelling, ""), **{named: option for option, named in site.kind.spelling.items()}}
    names.update({named: option for option, named in site.kind.otherwise.items()})
    given: dict[str, Given] = {}
    hidden = site.partial
    others: Given | None = None
    taken = max((_positional_before(one) for one, _ in site.before if one is not None), default=0)
    positional, seen = spread(evaluator, arguments, frame)
    hidden = hidden or not seen
    for name, (argument, values) in zip(site.kind.positional[taken:], positional, strict=False):
        given[name] = (
            _handed(evaluator, name, argument, frame)
            if values is None
            else Given.known(values, frame.facts.span(argument))
        )
    if site.configured is not None:
        whole_trees = tuple(one for one in site.configured if isinstance(one.thing, Settings))
        besides = tuple(one for one in site.configured if not isinstance(one.thing, Settings))
        whole = dictionaries.as_items(evaluator, whole_trees)[0]
        given.update(
            {names.get(name, name): Given.known((*values, *besides)) for name, values in whole.entries.items()}
        )
        hidden = hidden or not whole.complete
    by_position = given
    given = dict(by_position)
    if site.kind.otherwise:
        # What stands for an option otherwise gives way to what names it.
        keywords = sorted(keywords, key=lambda one: one.arg not in site.kind.otherwise.values())
    for keyword in keywords if site.configured is None else ():
        if keyword.arg is not None:
            option = names.get(keyword.arg, keyword.arg)
            named = _handed(evaluator, option, keyword.value, frame, frame.facts.span(keyword))
            given[option] = _left_by(by_position.get(option), named)
            continue
        splatted = evaluator.evaluate(keyword.value, frame)
        splat = dictionaries.as_items(evaluator, splatted)[0]
        for name in splat.entries:
            option = names.get(name, name)
            brought = _followed(evaluator, option, partial(splat.entries.__getitem__, name))
            if option not in given or given[option] is by_position.get(option):
                given[option] = _left_by(by_position.get(option), brought)
        hidden = hidden or evaluator.may_be_filled(keyword.value, frame)
        if not splat.complete:
            others = _left_by(others, Given.known(dictionaries.missing(evaluator, splatted) or unseen(site.span)))
    for option in site.kind.positional if not seen else ():
        if option in given:
            # Where no keyword gives it, an argument that was not seen may.
            given[option] = _left_by(given[option], Given.known(unseen(site.span)))
    for option in (*TORCH_DEFAULTS, *OBJECT_OPTIONS) if site.before else ():
        before = partial(_given_before, evaluator, site, option)
        if option in given or not all(isinstance(one.thing, Absent) for one in before()):
            own = given.get(option, Given.known((Possibility(ABSENT, site.span),)))
            given[option] = Given.known(laid_over(own.possibilities, before), own.argument)
    if site.made_of is not None and not hidden and others is None:
        for option, followed in _of_fields(evaluator, site, site.made_of):
            given.setdefault(option, followed)
    if hidden or others is not None:
        unsaid = unseen(site.span) if hidden or others is None else others.possibilities
        for option in (*TORCH_DEFAULTS, *OBJECT_OPTIONS):
            # A splat nobody saw may hold any option; that it names a start method is too rare to keep rules silent.
            rare = option == "multiprocessing_context"
            values = (*unseen(site.span), Possibility(ABSENT, site.span)) if rare else unsaid
            given.setdefault(option, Given.known(values))
    for option in site.kind.own_defaults:
        given.setdefault(option, Given.known(unseen(site.span)))
    return given


def _of_fields(evaluator: Evaluator, site: PythonSite, owner: Class) -> Iterator[tuple[str, Given]]:
    """Yield what a class gives the options that its own fields stand for, as training arguments with other defaults."""
    made_by_fields = [one for one in classes.lineage(evaluator, owner) if is_dataclass(one)]
    declared = {name for one in made_by_fields for name in one.scope.bindings if is_field(one, name)}
    for option, name in site.kind.spelling.items():
        if name in declared:
            default = partial(instances.declared, evaluator, Instance(owner, site.call, site.frame), name)
            yield option, _followed(evaluator, option, default)


def _left_by(first: Given | None, second: Given) -> Given:
    """Return what an option gets where one way of giving it may leave it to another."""
    if first is None:
        return second
    return Given(lambda: settled(first.possibilities, lambda: second.possibilities), second.argument or first.argument)


def _at_the_call(given: Mapping[str, Given], site: PythonSite) -> dict[str, Given]:
    """Return what a constructor hands on, with the site's own arguments: those are what a fix can edit together."""
    spelled = {named: option for option, named in site.kind.spelling.items()}
    written = {spelled.get(one.arg, one.arg): one.value for one in site.call.keywords if one.arg is not None}
    own = {
        option: site.frame.facts.span(written[option])
        for option, one in given.items()
        if option in written and one.argument is None
    }
    return {
        option: replace(one, argument=own.get(option)) if option in TORCH_DEFAULTS else one
        for option, one in given.items()
    }


def _positional_before(site: PythonSite) -> int:
    before = max((_positional_before(one) for one, _ in site.before if one is not None), default=0)
    return before + len(site.call.args) - site.skip


def _given_before(evaluator: Evaluator, site: PythonSite, option: str) -> Possibilities:
    """Return what the partial calls before a call give an option it leaves out."""
    found: list[Possibility] = []
    for one, assumptions in site.before:
        given = options_of(evaluator, replace(one, partial=False)).get(option) if one is not None else None
        values = given.possibilities if given is not None else (Possibility(ABSENT, site.span),)
        found.extend(under(values, assumptions))
        if one is not None and any(".keywords" in frame.facts.source.text for frame in (one.frame, site.frame)):
            # ``make.keywords["num_workers"] = 0`` changes what the partial call gave.
            found.extend(unseen(site.span, assumptions))
    return tuple(found)


STEPS = 3000
"""Expressions followed for one option of a loader, or for the conditions it is made under."""
_STEPS_FOR_OTHERS = 800
"""Expressions followed for what is no plain option: a dataset, a sampler, a function."""


def _handed(evaluator: Evaluator, option: str, value: ast.expr, frame: Frame, entry: Span | None = None) -> Given:
    """Return what an argument gives an option; ``entry`` is the keyword that can be taken away whole."""
    if entry is None:
        return _followed(evaluator, option, partial(evaluator.evaluate, value, frame), frame.facts.span(value))
    work = partial(dictionaries.entered, evaluator, value, frame, entry)
    return _followed(evaluator, option, work, frame.facts.span(value))


def _followed(
    evaluator: Evaluator, option: str, work: Callable[[], Possibilities], argument: Span | None = None
) -> Given:
    """Return what an option gets where that is still to be followed, as far as its steps reach."""

    def follow() -> Possibilities:
        with evaluator.steps(STEPS if option in TORCH_DEFAULTS else _STEPS_FOR_OTHERS):
            return work()

    return Given(follow, argument)
