"""The entries of a dictionary after one statement that changes some of them."""

from __future__ import annotations

import ast
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from loaderlint.linking.following import asked_of_values, turns
from loaderlint.linking.scopes.events import Event, Happened
from loaderlint.linking.scopes.names import varies
from loaderlint.linking.things import dictionaries, lazily, loops
from loaderlint.linking.things.alternatives import MOST_ALTERNATIVES, simplified
from loaderlint.linking.things.dictionaries import entries_of, is_complete, updated
from loaderlint.linking.things.kinds import (
    ABSENT,
    UNSEEN,
    Absent,
    Frame,
    Items,
    Possibilities,
    Possibility,
    Row,
    Unseen,
)
from loaderlint.linking.things.possibilities import choice, covering, distinct, laid_over, settled, under, unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.python import Arm, Binding, dotted
from loaderlint.readers.python_attributes import dictionary_of
from loaderlint.readers.python_calls import in_any_order
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def items_of(thing: Items | TreeMapping) -> Items:
    """Return a dictionary of code or of a configuration as one of code."""
    return thing if isinstance(thing, Items) else Items(entries_of(thing), is_complete(thing))


def after(evaluator: Evaluator, items: Items, change: Happened, frame: Frame) -> Items:
    """Return the entries after one statement that changes them, which may run only under conditions."""
    binding = change.event.binding
    where = frame.at(binding.place)
    arms = change.arms
    given = _set_at_turns(evaluator, change, where)
    copied = copied_by_loop(change.event.binding, change.arms) if given is None else None
    if copied is not None:
        given, arms = _copied(evaluator, copied, items, where), copied.arms
    elif given is not None:
        # It sets all of them: whether it is come to is what the arms around it say.
        arms = arms[:-2]
    elif gone := _gone_after_loop(evaluator, change, where):
        # It turns: whether it is come to is what the arms around it say.
        given = Items(dict.fromkeys(gone, (Possibility(ABSENT, where.facts.span(binding.node)),)))
        arms = tuple(arm for arm in arms if not (arm.loop or _asks_whether_there(arm, binding)))
    else:
        given = _given_by(evaluator, change.event, items, where)
    if given is None and (doubted := _may_go_in_loop(evaluator, binding, items, where)) is not None:
        # Which of them go, and whether all of those, the loop says: whether it is come to is what is around it.
        given = Items(dict.fromkeys(doubted, unseen(where.facts.span(binding.node))))
        arms = tuple(takewhile(lambda arm: not arm.loop, arms))
    if given is not None and copied is None and change.earlier_turn and varies(binding):
        # What an earlier turn of a loop worked out is worked out again at every turn.
        given = Items({key: unseen(where.facts.span(binding.node)) for key in given.entries}, given.complete)
    if given is None and _sets_each(change.event):
        here = where.facts.span(binding.node)
        return replace(items, entries={key: unseen(here) for key in items.entries})
    missing = ABSENT if items.complete else UNSEEN
    if given is None or not given.complete:
        # A key that was not seen may be any key.
        items = updated(items, Items({}, complete=False))
    if given is None:
        return items
    if change.turns:
        here = where.facts.span(binding.node)
        at_turns = {key: turns.at_turns(one, change.turns, here) for key, one in given.entries.items()}
        given = replace(given, entries=at_turns)
    alternatives = evaluator.conditions(arms, frame)
    entries: dict[str, Possibilities] = {}
    for key, values in given.entries.items():
        before = items.entries.get(key, (Possibility(missing, where.facts.span(binding.node)),))
        if binding.kind == "setdefault":
            values = laid_over(before, partial(tuple, values))
        else:
            values = covering(values, partial(tuple, before))
        if copied is not None or (binding.kind == "update" and not change.again):
            values = settled(values, partial(tuple, before))
        elif binding.kind == "update":
            values = _of_some_turn(values)
        after = [one for way in alternatives for one in under(values, way)]
        if arms:
            after = [*_left(evaluator, before, key, binding.name, arms, frame), *after]
        entries[key] = dictionaries.bounded(distinct(after), where.facts.span(binding.node))
    changed = lazily.overlaid(items.entries, entries)
    return replace(items, entries=changed, complete=items.complete and given.complete)


def _sets_each(event: Event) -> bool:
    """Return whether a loop over a dictionary sets each of its items anew, those apart that are dictionaries."""
    binding = event.binding
    loops = [arm.owner for arm in binding.place.arms if arm.loop and isinstance(arm.owner, ast.For)]
    if binding.kind != "item" or not isinstance(binding.key, ast.Name) or not loops:
        return False
    loop, asked = loops[-1], [arm.test for arm in binding.place.arms if not arm.loop]
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and loop.target.elts else loop.target
    over = loop.iter
    while isinstance(over, ast.Call):
        over = over.func.value if isinstance(over.func, ast.Attribute) else over.args[0] if over.args else over.func
    tells_dictionaries = all(
        test is not None and any(isinstance(one, ast.Name) and one.id == "dict" for one in ast.walk(test))
        for test in asked
    )
    of_loop = isinstance(first, ast.Name) and first.id == binding.key.id and dotted(over) == binding.name
    return of_loop and tells_dictionaries


def _set_at_turns(evaluator: Evaluator, change: Happened, frame: Frame) -> Items | None:
    """Return what a loop that is over set at its turns, each time under a key of that turn; None where it was not seen.

    ``frame`` is where it sets them.
    """
    binding = change.event.binding
    loop = _loop_it_ended(change) if binding.kind == "item" and binding.key is not None else None
    if loop is None or binding.value is None or binding.key is None:
        return None
    start = binding.place.arms[-1].place
    rows = evaluator.evaluate(loop.iter, frame.at(start) if start is not None else frame)
    turned = loops.items_of(rows[0]) if len(rows) == 1 else None
    if turned is None:
        return None
    span = frame.facts.span(binding.node)
    keys = evaluator.evaluate(binding.key, frame)
    values = dictionaries.entered(evaluator, binding.value, frame, span)
    found: dict[str, Possibilities] = {}
    for number in range(len(turned)):
        turn = choice(str(frame.facts.span(loop.iter)), number)
        names = [one.thing for one in loops.of_turn(keys, turn)]
        if len(names) != 1 or not isinstance(names[0], str):
            return None
        found[names[0]] = loops.of_turn(values, turn) or unseen(span)
    return Items(found)


def _loop_it_ended(change: Happened) -> ast.For | None:
    """Return the loop in whose body a statement stands, in no other, where every turn of it has run the statement."""
    around, ended = change.event.binding.place.arms, change.arms[-1:]
    if change.earlier_turn or not ended or list(map(id, around)) != list(map(id, change.arms[:-1])):
        return None
    loop = around[-1].owner if around and not any(one.loop for one in around[:-1]) else None
    over = ended[0].ended and ended[0].truth and ended[0].owner is loop
    return loop if over and isinstance(loop, ast.For) else None


class Copied(NamedTuple):
    """A loop that sets each key of a mapping to what it stands for there, and the arms in which it is come to.

    ``all_of_them`` says that it does so whatever the key is, ``in_parts`` that it does so with each of the mappings
    that stand in this one. ``asked`` are the arms in which it does so that ask about the value, ``asked_before`` those
    that ask about what was under the key before, each with how it is spelled there.
    """

    loop: ast.For
    mapping: ast.expr
    arms: tuple[Arm, ...]
    all_of_them: bool
    in_parts: bool = False
    asked: tuple[tuple[Arm, str], ...] = ()
    asked_before: tuple[tuple[Arm, str], ...] = ()


def copied_by_loop(binding: Binding, arms: tuple[Arm, ...]) -> Copied | None:
    """Return the loop that is over in which a statement copies a mapping, None for any other statement.

    ``for key, value in mapping.items(): setattr(x, key, value)``, or ``for key in mapping: x[key] = mapping[key]``. One
    around it may go through the mappings of another mapping: ``for part in mapping.values()``.
    """
    places = [place for place, arm in enumerate(arms) if arm.loop and isinstance(arm.owner, ast.For)]
    if binding.kind != "item" or not isinstance(binding.key, ast.Name) or not places or not arms[-1].ended:
        return None
    around = list(dict.fromkeys(one for place in places if isinstance(one := arms[place].owner, ast.For)))
    loop, last = around[0], around[-1]
    mapping = _mapping_copied(last, binding.key.id, binding.value) if len(around) <= _MOST_LOOPS_COPYING else None
    if mapping is not None and last is not loop:
        mapping = _mapping_of_parts(loop, mapping)
    if mapping is None:
        return None
    names = {one.id for each in around for one in ast.walk(each.target) if isinstance(one, ast.Name)}
    stored = [one for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    if sum(one.id in names for one in stored) > len(names):
        return None
    leaves = any(isinstance(one, ast.Break | ast.Continue | ast.Return) for one in ast.walk(loop))
    inside = [arm for arm in binding.place.arms if arm.owner not in around and arm not in arms[: places[0]]]
    asked = all(_asks_whether_there(arm, binding) for arm in inside)
    every = asked and not leaves and not any(one.orelse for one in around)
    value = ast.unparse(binding.value) if binding.value is not None else ""
    of_value = tuple((arm, value) for arm in inside if asked_of_values.speaks_of(arm.test, value))
    before = [form.format(binding.name, binding.key.id) for form in _FORMS_OF_AN_ENTRY]
    of_before = tuple((arm, form) for arm in inside for form in before if asked_of_values.speaks_of(arm.test, form))
    return Copied(loop, mapping, arms[: places[0]], every, last is not loop, of_value, of_before)


_FORMS_OF_AN_ENTRY = ("{0}[{1}]", "{0}.get({1})", "vars({0})[{1}]", "getattr({0}, {1})", "getattr({0}, {1}, None)")
"""How a program spells what something has under a key."""
_MOST_LOOPS_COPYING = 2
"""The loops in each other that are followed: through a mapping, and through the mappings in it."""


def _mapping_of_parts(loop: ast.For, part: ast.expr) -> ast.expr | None:
    """Return the mapping or list of whose values each is a part at one turn of a loop, None for any other loop."""
    match loop.target, loop.iter, part:
        case ast.Name(name), ast.Call(ast.Attribute(whole, "values"), [], []), ast.Name(given) if name == given:
            return whole
        case ast.Name(name), ast.Name() as row, ast.Name(given) if name == given:
            return row
        case ((ast.Name(key) | ast.Tuple([ast.Name(key), ast.Name()])), _, _):
            return _mapping_copied(loop, key, part)
    return None


def _mapping_copied(loop: ast.For, key: str, value: ast.expr | None) -> ast.expr | None:
    """Return the mapping that a loop goes through whose keys and values are these, None for any other loop."""
    over, target = in_any_order(loop.iter), loop.target
    is_items = isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and not over.args
    match target, value:
        case ast.Tuple(elts=[ast.Name(first), ast.Name(second)]), ast.Name(given):
            if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and is_items:
                fits = over.func.attr == "items" and (first, second) == (key, given)
                return over.func.value if fits else None
        case ast.Name(first), ast.Subscript(held, ast.Name(asked)):
            if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and is_items:
                over = over.func.value if over.func.attr == "keys" else over
            is_same = dotted(held) is not None and dotted(held) == dotted(over)
            return held if is_same and first == key == asked else None
    return None


def _asks_whether_there(arm: Arm, binding: Binding) -> bool:
    """Return whether an arm is taken for the keys that a thing has already: ``if hasattr(x, key)``."""
    match arm.test:
        case ast.Call(ast.Name("hasattr"), [owner, ast.Name(name)]):
            return arm.truth and dotted(owner) == binding.name and name == getattr(binding.key, "id", None)
        case ast.Compare(ast.Name(name), [ast.In()], [held]):
            inside = dictionary_of(held) or held
            return arm.truth and dotted(inside) == binding.name and name == getattr(binding.key, "id", None)
    return False


def _copied(evaluator: Evaluator, copied: Copied, before: Items, frame: Frame) -> Items:
    """Return what a loop sets: of a mapping some keys of which it may pass over, what was there before, too."""
    place = copied.loop.iter
    whole = evaluator.evaluate(copied.mapping, frame)
    if copied.in_parts:
        whole = tuple(replace(one, thing=_parts_of(evaluator, one)) for one in whole)
    (given,) = dictionaries.as_items(evaluator, whole)
    if copied.all_of_them:
        return given
    here = frame.facts.span(place)
    passing = {key: asked_of_values.passing(copied.asked, values, here) for key, values in given.entries.items()}
    # Where it was asked of what was there before, which of that stays is not seen.
    before_it = unseen(here) if copied.asked_before else (Possibility(ABSENT, here),)
    return replace(given, entries={key: (*values, *before_it) for key, values in passing.items()})


def _parts_of(evaluator: Evaluator, whole: Possibility) -> Items:
    """Return what the mappings in a mapping or list hold, one over the other; what is no mapping holds nothing."""
    thing = whole.thing
    if isinstance(thing, Row):
        together, parts = Items({}, complete=thing.in_order is None), thing.items
    elif isinstance(thing, Items | TreeMapping):
        together, parts = Items({}, complete=is_complete(thing)), tuple(entries_of(thing).values())
    else:
        return Items({}, complete=False)
    for values in parts:
        each = tuple(replace(one, thing=_part(one)) for one in values)
        together = updated(together, *dictionaries.as_items(evaluator, each))
    return together


def _part(one: Possibility) -> Items:
    if isinstance(one.thing, Items | TreeMapping):
        return items_of(one.thing)
    return Items({}, complete=one.constant or isinstance(one.thing, Absent))


def _gone_after_loop(evaluator: Evaluator, change: Happened, frame: Frame) -> list[str]:
    """Return the keys that a loop over just them has taken out, each at its turn; none where that was not seen.

    It may ask of each before whether it is there.
    """
    binding, arms = change.event.binding, change.event.binding.place.arms
    inside = [*takewhile(lambda arm: not arm.loop, reversed(arms))]
    turning = arms[-len(inside) - 1] if len(inside) < len(arms) else None
    if binding.kind != "pop" or binding.key is None or turning is None or not isinstance(turning.owner, ast.For):
        return []
    loop = turning.owner
    over = [arm.owner for arm in change.arms if arm.loop and arm.ended and arm.truth] == [loop]
    if not over or any(isinstance(one, ast.Break) for one in ast.walk(loop)):
        return []
    if not inside:
        keys = evaluator.evaluate(binding.key, frame)
        turn = str(frame.facts.span(loop.iter))
        told = [one.thing for one in keys if {subject for subject, _ in one.assumptions} == {turn}]
        names = [one for one in told if isinstance(one, str)]
        if len(names) == len(keys):
            return names
    named = isinstance(binding.key, ast.Name) and dotted(loop.target) == binding.key.id
    if not named or not all(_asks_whether_there(arm, binding) for arm in inside) or turning.place is None:
        return []
    rows = evaluator.evaluate(loop.iter, frame.at(turning.place))
    items = loops.items_of(rows[0]) if len(rows) == 1 else None
    names = [one.thing for item in items or () for one in item if isinstance(one.thing, str)]
    return names if items and all(map(_is_one_text, items)) else []


def _is_one_text(item: Possibilities) -> bool:
    return len(item) == 1 and isinstance(item[0].thing, str)


def _may_go_in_loop(evaluator: Evaluator, binding: Binding, items: Items, frame: Frame) -> list[str] | None:
    """Return the keys that a loop may take out, by a name it works out; None where a statement is none of that kind.

    What it may have taken out is neither surely there nor surely gone: its value is no more than possible.
    """
    if binding.kind != "pop" or binding.key is None or not any(arm.loop for arm in binding.place.arms):
        return None
    keys = evaluator.evaluate(binding.key, frame)
    names = [one.thing for one in keys if isinstance(one.thing, str)]
    return names if len(names) == len(keys) else [*items.entries]


def _of_some_turn(values: Possibilities) -> Possibilities:
    """Return what several turns of a loop leave under a key: unseen where some of them may not give it at all."""
    lacking = [one for one in values if isinstance(one.thing, Absent)]
    return unseen(lacking[0].span) if lacking else values


def _left(
    evaluator: Evaluator, before: Possibilities, key: str, name: str, arms: tuple[Arm, ...], frame: Frame
) -> list[Possibility]:
    """Return what is left under a key where a change to it is not come to.

    What is there was there when one of the arms asked for just that key: it is left by the other arms alone.
    """
    left = [one for way in otherwise(evaluator, arms, frame) for one in under(before, way)]
    others = tuple(arm for arm in arms if not _asks_for(arm, key, name))
    if len(others) == len(arms):
        return left
    there = tuple(one for one in before if not isinstance(one.thing, Absent | Unseen))
    ways = otherwise(evaluator, others, frame) if others else []
    return [
        *(one for one in left if isinstance(one.thing, Absent | Unseen)),
        *(one for way in ways for one in under(there, way)),
    ]


def _asks_for(arm: Arm, key: str, name: str) -> bool:
    """Return whether an arm is taken where a dictionary has a key: ``if "shuffle" in options.keys()``."""
    test = arm.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, ast.Constant):
        return False
    held = test.comparators[0]
    if isinstance(held, ast.Call) and isinstance(held.func, ast.Attribute) and held.func.attr == "keys":
        held = held.func.value
    asked = isinstance(test.ops[0], ast.In if arm.truth else ast.NotIn)
    return asked and test.left.value == key and dotted(held) == name


def otherwise(evaluator: Evaluator, arms: tuple[Arm, ...], frame: Frame) -> list[Assumptions]:
    """Return the alternatives under which not all of the arms are taken: one of them is the first that is not.

    Where those are too many to be told apart, whatever was before may be left.
    """
    # That a loop came to its end says no more than that it turned.
    asked = [arm for arm in arms if not arm.ended]
    if not asked or not all(arm.test is not None or isinstance(arm.owner, ast.Try) for arm in asked):
        return [NO_ASSUMPTIONS]
    firsts = ((*asked[:before], arm.otherwise()) for before, arm in enumerate(asked))
    ways = simplified(way for taken in firsts for way in evaluator.conditions(taken, frame))
    return ways if len(ways) <= MOST_ALTERNATIVES else [NO_ASSUMPTIONS]


def _one_gone(keys: Possibilities, before: Items, span: Span) -> Items | None:
    """Return what is left under each of several keys of which one is taken out, None where one was not seen."""
    names = [one.thing for one in keys if isinstance(one.thing, str)]
    if len(names) < len(keys):
        return None
    absent = (Possibility(ABSENT, span),)
    missing = absent if before.complete else unseen(span)
    return Items(
        {
            name: tuple(
                way
                for one in keys
                for way in under(absent if one.thing == name else before.entries.get(name, missing), one.assumptions)
            )
            for name in names
        }
    )


def _given_by(evaluator: Evaluator, event: Event, before: Items, frame: Frame) -> Items | None:
    binding = event.binding
    span = frame.facts.span(binding.node)
    if event.key:
        return Items({event.key: evaluator.binding(binding, frame)})
    if binding.kind == "clear":
        return Items({key: (Possibility(ABSENT, span),) for key in before.entries})
    if binding.kind == "list":
        return Items({})
    if binding.kind == "update":
        assert isinstance(binding.value, ast.Call)
        return dictionaries.items_of_call(evaluator, binding.value, frame)
    keys = evaluator.evaluate(binding.key, frame) if binding.key is not None else ()
    if binding.kind == "pop" and len(keys) > 1 and not any(arm.loop for arm in binding.place.arms):
        return _one_gone(keys, before, span)
    if len(keys) != 1 or not isinstance(keys[0].thing, str):
        return None
    key = keys[0].thing
    if binding.kind == "pop":
        return Items({key: (Possibility(ABSENT, span),)})
    value = binding.value
    if binding.kind == "setdefault":
        assert isinstance(value, ast.Call)
        if len(value.args) < 2:
            return Items({key: (Possibility(None, span),)})
        value = value.args[1]
    return Items({key: dictionaries.entered(evaluator, value, frame, span) if value is not None else unseen(span)})
