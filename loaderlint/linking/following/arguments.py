"""What one call hands over, by parameter name; each argument is followed when somebody reads it, as most never are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.following import changes, doubts, names_read
from loaderlint.linking.following.commandlines import defaults
from loaderlint.linking.following.commandlines.given import left_or_given
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import dictionaries
from loaderlint.linking.things.classes import owner_of
from loaderlint.linking.things.kinds import (
    ABSENT,
    Absent,
    Frame,
    Function,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Unseen,
    end_of,
    leaves_out,
)
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.made_calls import Caller, is_plain
from loaderlint.linking.things.possibilities import MOST_WAYS, irremovable, settled, under, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.loader import TORCH_DEFAULTS
from loaderlint.model.source import Span
from loaderlint.readers.python import (
    FunctionNode,
    PythonFacts,
    Scope,
    default_of,
    keyword_names,
    owners_set,
    parameters,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Arguments(Mapping[str, Possibilities]):
    """What one call hands a function, by parameter name; ``*args`` hide the positional parameters behind them.

    What a parameter needs, because leaving it out means something else or nothing at all, cannot be removed.
    """

    def __init__(
        self, evaluator: Evaluator, caller: Caller, function: FunctionNode | ast.Lambda, *, skip_first: bool
    ) -> None:
        self._evaluator = evaluator
        self._frame = caller.frame
        self._call = caller.call
        self._function = function
        taken = function.args
        positional = [one.arg for one in (*taken.posonlyargs, *taken.args)]
        self._positional = positional[1:] if skip_first else positional
        self._declared = dict.fromkeys(one.arg for one in parameters(function))
        self._keywords = {one.arg: one for one in caller.call.keywords if one.arg is not None}
        self._splats = [one.value for one in caller.call.keywords if one.arg is None]

    def __getitem__(self, name: str) -> Possibilities:
        given = self._given(name)
        if given is None:
            raise KeyError(name)
        return given if name not in self._declared or neutral_default(self._function, name) else irremovable(given)

    def __iter__(self) -> Iterator[str]:
        return (name for name in {**self._declared, **dict.fromkeys(self._keywords)} if self._given(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def refused(self) -> bool:
        """Whether the call raises ``TypeError``, as a dictionary that it spreads holds a key no parameter takes."""
        decorated = not is_plain(self._function)
        return self._function.args.kwarg is None and not decorated and any(map(self._brings_more, self._splats))

    def _brings_more(self, splat: ast.expr) -> bool:
        if isinstance(splat, ast.Name) and len(self._frame.scope.reads.get(splat.id, ())) > 1:
            # Whatever else is done with it may take the key out.
            return False
        ways = self._evaluator.evaluate(splat, self._frame) if isinstance(splat, ast.Name | ast.Dict) else ()
        items = ways[0].thing if len(ways) == 1 else None
        if not isinstance(items, Items):
            return False
        own = keyword_names(self._function)
        more = (items.entries[key] for key in items.entries if key not in own)
        return any(values and not any(isinstance(one.thing, Absent | Unseen) for one in values) for values in more)

    def _given(self, name: str) -> Possibilities | None:
        taken = self._function.args
        if taken.vararg is not None and name == taken.vararg.arg:
            return self._further()
        if taken.kwarg is not None and name not in self._declared:
            return None
        if taken.kwarg is not None and name == taken.kwarg.arg:
            return self._others()
        if name in self._keywords:
            keyword = self._keywords[name]
            span = self._frame.facts.span(keyword)
            entered = dictionaries.entered(self._evaluator, keyword.value, self._frame, span)
            return names_read.handed(self._evaluator, entered, keyword.value, self._call, self._frame)
        given = self._by_place(name) if name in self._positional else None
        return given or self._splatted(name)

    def _by_place(self, name: str) -> Possibilities | None:
        """Return what stands at the place of a parameter; None where nothing does, whatever ``*args`` hold."""
        place = self._positional.index(name)
        ways = self._in_order()
        if all(place >= len(one.given) and one.hidden is None for one in ways):
            return None
        found: list[Possibility] = []
        for one in ways:
            if place < len(one.given):
                found.extend(under(self._followed(one.given[place]), one.assumptions))
            elif one.hidden is not None:
                found.extend(unseen(one.hidden, one.assumptions))
            else:
                left_out = (Possibility(ABSENT, self._frame.facts.span(self._call)),)
                found.extend(under(self._splatted(name) or left_out, one.assumptions))
        return tuple(found)

    def _splatted(self, name: str) -> Possibilities | None:
        found: Possibilities | None = None
        if name not in self._positional and all(name != one.arg for one in self._function.args.kwonlyargs):
            return None
        for splat in self._splats:
            ways, span = self._evaluator.evaluate(splat, self._frame), self._frame.facts.span(splat)
            items = dictionaries.as_items(self._evaluator, ways)[0]
            if name in items.entries:
                found = items.entries[name]
            elif not items.complete and found is None:
                found = left_or_given(str(span), name, span) if _may_be_empty(splat, ways) else unseen(span)
        return found

    def _further(self) -> Possibilities:
        """Return what ``*args`` takes."""
        found: list[Possibility] = []
        for one in self._in_order():
            if one.hidden is not None:
                found.extend(unseen(one.hidden, one.assumptions))
                continue
            row = Row(tuple(self._followed(given) for given in one.given[len(self._positional) :]))
            found.append(Possibility(row, self._frame.facts.span(self._call), assumptions=one.assumptions))
        return tuple(found)

    def _others(self) -> Possibilities:
        """Return what ``**kwargs`` takes."""
        own = keyword_names(self._function)
        keywords = [one for one in self._call.keywords if one.arg not in own]
        items = dictionaries.items_of_call(self._evaluator, ast.Call(self._call.func, [], keywords), self._frame)
        rest = Lazily.of((key for key in items.entries if key not in own), items.entries.__getitem__)
        return (Possibility(Items(rest, items.complete), self._frame.facts.span(self._call)),)

    def _followed(self, given: ast.expr | Possibilities) -> Possibilities:
        if not isinstance(given, ast.expr):
            return given
        found = self._evaluator.evaluate(given, self._frame)
        return names_read.handed(self._evaluator, found, given, self._call, self._frame)

    def _in_order(self) -> list[_Positional]:
        """Return the positional arguments, once for each number of them that a splat among them can bring."""
        ways = [_Positional()]
        for argument in self._call.args:
            if not isinstance(argument, ast.Starred):
                ways = [one.followed_by([argument]) for one in ways]
                continue
            rows = self._evaluator.evaluate(argument.value, self._frame)
            span = self._frame.facts.span(argument)
            lengths = {len(one.thing.items) if isinstance(one.thing, Row) else None for one in rows}
            if len(lengths) == 1 and None not in lengths:
                columns = zip(*(_cells(one) for one in rows), strict=True)
                cells = [tuple(value for cell in column for value in cell) for column in columns]
                ways = [one.followed_by(cells) for one in ways]
            elif len(rows) * len(ways) > MOST_WAYS:
                ways = [one.hidden_behind(span) for one in ways]
            else:
                ways = [way for one in ways for row in rows for way in one.splatted(row, span)]
        return ways


def _may_be_empty(splat: ast.expr, ways: Possibilities) -> bool:
    """Return whether what a call spreads was written by the program and nobody saw anything of it.

    It may as well leave a parameter to its default; what stands for later changes of a call (``...``) comes with them.
    """
    return not isinstance(splat, ast.Constant) and all(isinstance(one.thing, Unseen | Made) for one in ways)


class _Positional(Struct, frozen=True):
    """Arguments in the order of their places, the splat behind which the rest is hidden, and what all that assumes."""

    given: tuple[ast.expr | Possibilities, ...] = ()
    hidden: Span | None = None
    assumptions: Assumptions = NO_ASSUMPTIONS

    def followed_by(self, more: Sequence[ast.expr | Possibilities]) -> _Positional:
        return self if self.hidden is not None else replace(self, given=(*self.given, *more))

    def hidden_behind(self, splat: Span) -> _Positional:
        return self if self.hidden is not None else replace(self, hidden=splat)

    def splatted(self, row: Possibility, splat: Span) -> Iterator[_Positional]:
        """Yield these arguments followed by those of one row, nothing where the two do not meet."""
        assumptions = together(self.assumptions, row.assumptions)
        if assumptions is not None:
            assuming = replace(self, assumptions=assumptions)
            yield assuming.followed_by(row.thing.items) if isinstance(row.thing, Row) else assuming.hidden_behind(splat)


def _cells(row: Possibility) -> list[Possibilities]:
    assert isinstance(row.thing, Row)
    return [under(item, row.assumptions) for item in row.thing.items]


def bound(evaluator: Evaluator, caller: Caller, function: Function, *, skip_first: bool) -> Mapping[str, Possibilities]:
    """Return what one call gives every parameter of a function, its defaults where the call leaves one out."""
    given = Arguments(evaluator, caller, function.node, skip_first=skip_first)
    return with_defaults(evaluator, given, caller, function, skip_first=skip_first)


def with_defaults(
    evaluator: Evaluator,
    given: Mapping[str, Possibilities],
    caller: Caller,
    function: Function,
    *,
    skip_first: bool,
) -> Mapping[str, Possibilities]:
    """Return what every parameter of a function takes: what is given for it, its default where that is absent."""
    span = caller.frame.facts.span(caller.call)

    def taken(name: str) -> Possibilities:
        return settled(given.get(name), lambda: left_out(name))

    def left_out(name: str) -> Possibilities:
        default = default_of(function.node, name)
        if default is None:
            return unseen(span)
        return default_value(evaluator, default, function.facts, function.scope, name)

    names = [one.arg for one in parameters(function.node)]
    return Lazily.followed(evaluator, names[1:] if skip_first else names, taken)


def default_value(
    evaluator: Evaluator, default: ast.expr, facts: PythonFacts, scope: Scope, name: str
) -> Possibilities:
    """Return what the default of a parameter is: worked out once, where the definition of its function runs."""
    assert scope.parent is not None
    where = Frame(facts, scope.defined or end_of(scope.parent))
    found = defaults.unwrapped(evaluator, evaluator.evaluate(default, where))
    if changes.can_change(found):
        found = _kept_between_calls(evaluator, found, facts, scope, name)
    return (*found, *unseen(facts.span(default))) if _are_replaced(evaluator, scope) else found


def _kept_between_calls(
    evaluator: Evaluator, found: Possibilities, facts: PythonFacts, scope: Scope, name: str
) -> Possibilities:
    """Return what a default is at any call: the one object serves all of them, and keeps what each does to it."""
    rebound = (one.place for one in scope.bindings.get(name, ()) if one.kind not in {*MUTATIONS, "parameter"})
    until = min((place.order for place in rebound if not place.arms), default=None)
    done = [
        event
        for event in evaluator.effects.changing(Frame(facts, end_of(scope)), name)
        # What was missing at the first call is there at the others, and is not given again.
        if event.binding.kind != "setdefault" and (until is None or event.order < until)
    ]
    if not done or not _is_called_again(evaluator, facts, scope):
        return found
    for event in done:
        found = tuple(doubts.doubted(one, event, facts.span(event.binding.node)) for one in found)
    return found


def _is_called_again(evaluator: Evaluator, facts: PythonFacts, scope: Scope) -> bool:
    """Return whether more than one call of a function is written, or one that a loop repeats."""
    if not isinstance(scope.node, FunctionNode | ast.Lambda):
        return False
    by = evaluator.callers.of(Function(facts, scope.node, scope, owner=owner_of(facts, scope))).by
    return len(by) > 1 or any(arm.loop for one in by if isinstance(one, Caller) for arm in one.frame.place.arms)


def _are_replaced(evaluator: Evaluator, scope: Scope) -> bool:
    """Return whether some code gives a function other defaults: ``function.__defaults__ = (…)``."""
    return any(
        isinstance(one.thing, Function) and one.thing.node is scope.node
        for name in ("__defaults__", "__kwdefaults__")
        for facts, binding in evaluator.attributes_set.get(name, ())
        for owner in owners_set(binding.node, name)
        for one in evaluator.evaluate(owner, Frame(facts, binding.place))
    )


def spread_over(given: Items, function: FunctionNode | ast.Lambda, span: Span) -> Mapping[str, Possibilities]:
    """Return what a dictionary hands over where it holds all keyword arguments of a call, by parameter name."""
    declared = [one.arg for one in parameters(function)]
    taken = function.args.kwarg
    rest = [key for key in given.entries if key not in keyword_names(function)]

    def handed(name: str) -> Possibilities:
        if taken is not None and name == taken.arg:
            return (Possibility(Items(Lazily.of(rest, given.entries.__getitem__), given.complete), span),)
        return given.entries[name] if name in given.entries else unseen(span)

    known = [name for name in declared if name in given.entries or not given.complete]
    return Lazily.of(dict.fromkeys([*known, *([taken.arg] if taken is not None else [])]), handed)


def neutral_default(function: FunctionNode | ast.Lambda, name: str) -> bool:
    """Return whether a parameter left out means the same as torch's own default for the option of that name."""
    return is_neutral(default_of(function, name), name)


def is_neutral(default: ast.expr | None, name: str) -> bool:
    """Return whether a default (None: there is none) means the same as torch's own for the option of that name."""
    if not isinstance(default, ast.Constant):
        return False
    return leaves_out(default.value) or (name in TORCH_DEFAULTS and default.value == TORCH_DEFAULTS[name])
