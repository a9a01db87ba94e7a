"""OmegaConf: the calls that load, make, merge and read a configuration (https://omegaconf.readthedocs.io/en/2.3_branch).

What the user writes on the command line (``from_cli``, ``from_dotlist``) can replace any value that is there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.configurations import opened, structured
from loaderlint.linking.things import settings
from loaderlint.linking.things.dictionaries import joined
from loaderlint.linking.things.kinds import ABSENT, Absent, Frame, Items, Possibilities, Possibility, Row, Settings
from loaderlint.linking.things.possibilities import MOST_POSSIBILITIES, combined, laid_over, under, unseen
from loaderlint.model.assumptions import Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.python import dotted
from loaderlint.readers.yaml_scalars import resolve

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

PREFIX = "omegaconf.OmegaConf."
"""What the dotted names of all these calls start with."""
MAKERS = frozenset({"omegaconf.DictConfig", "omegaconf.dictconfig.DictConfig"})
"""The class of what ``OmegaConf.create`` makes of a mapping, called itself."""


def call(evaluator: Evaluator, name: str, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return what ``OmegaConf.<name>(...)`` gives, None for a call that is not known."""
    known = _CALLS.get(name)
    return None if known is None else known(evaluator, node, frame)


def _loaded(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    span = frame.facts.span(node)
    if not node.args:
        return unseen(span)
    found = opened.configuration(evaluator, node, frame, f"{PREFIX}load", span)
    return tuple(settings.seen_as_settings(settings.as_tree(one)) for one in found)


def _created(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    span = frame.facts.span(node)
    if not node.args:
        return (settings.seen_as_settings(Possibility(Items({}), span)),)
    return _as_settings(evaluator, evaluator.evaluate(node.args[0], frame))


def _as_settings(evaluator: Evaluator, possibilities: Iterable[Possibility]) -> Possibilities:
    return tuple(
        one if isinstance(one.thing, Settings) else settings.seen_as_settings(structured.tree(evaluator, one))
        for one in possibilities
    )


def _kept(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return the same configuration: a container of plain dictionaries holds what it holds."""
    return evaluator.evaluate(node.args[0], frame) if node.args else unseen(frame.facts.span(node))


def _merged(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    span = frame.facts.span(node)
    operands = list(_operands(evaluator, node.args, frame))
    found: list[Possibility] = []
    for combination, assumptions, _ in _few_combinations(operands):
        joint = _laid_over_each_other(combination, span)
        if isinstance(joint, Items):
            thing = settings.seen_in_place_of(combination[0].thing, joint) if combination else Settings(joint)
            found.append(Possibility(thing, span, assumptions=assumptions))
    return tuple(found) or unseen(span)


def _few_combinations(
    operands: Iterable[Possibilities],
) -> list[tuple[tuple[Possibility, ...], Assumptions, frozenset[Span]]]:
    """Return the combinations of operands that can meet; where there are too many, those of each operand in one."""
    told_apart = combined(*operands)
    if told_apart and len(told_apart) <= MOST_POSSIBILITIES:
        return told_apart
    return combined(*map(_in_one, operands)) or told_apart


def _in_one(possibilities: Possibilities) -> Possibilities:
    """Return what an operand can be, all its mappings as one, whose values say which of them they come from."""
    trees = [one for one in possibilities if isinstance(one.thing, Settings)]
    return (*joined(trees), *(one for one in possibilities if not isinstance(one.thing, Settings)))


def _laid_over_each_other(combination: Iterable[Possibility], span: Span) -> Items | Absent:
    """Return the tree that several make at a place, the last one on top; `ABSENT` where one of them refuses another."""
    joint = Items({})
    for one in combination:
        tree = one.thing.here if isinstance(one.thing, Settings) else one.thing
        if tree is settings.OF_USER:
            joint = settings.replaceable(joint, span)
        elif not isinstance(tree, Items):
            # Whatever it is, it may replace each value of those before it, and no value of those after it.
            joint = settings.replaceable(joint, span, new_keys=True)
        elif settings.takes(joint, tree):
            joint = settings.merged(joint, tree)
        else:
            return ABSENT
    return joint


def _operands(evaluator: Evaluator, arguments: Iterable[ast.expr], frame: Frame) -> Iterator[Possibilities]:
    for argument in arguments:
        if not isinstance(argument, ast.Starred):
            yield _as_operands(evaluator, evaluator.evaluate(argument, frame))
            continue
        rows = evaluator.evaluate(argument.value, frame)
        if len(rows) == 1 and isinstance(rows[0].thing, Row) and not rows[0].assumptions:
            yield from (_as_operands(evaluator, item) for item in rows[0].thing.items)
        else:
            yield unseen(frame.facts.span(argument))


def _as_operands(evaluator: Evaluator, possibilities: Iterable[Possibility]) -> Possibilities:
    return tuple(one if isinstance(one.thing, Settings) else structured.tree(evaluator, one) for one in possibilities)


def _of_user(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what stands on the command line, or what a list in the program says."""
    user = Possibility(Settings(settings.OF_USER), frame.facts.span(node))
    rows = evaluator.evaluate(node.args[0], frame) if node.args else ()
    return tuple(
        settings.seen_as_settings(replace(one, thing=dotted_list(one.thing, one.span)))
        if isinstance(one.thing, Row)
        else replace(user, assumptions=one.assumptions)
        for one in rows
    ) or (user,)


def dotted_list(row: Row, span: Span) -> Items:
    """Return the tree that items such as ``data.num_workers=4`` make."""
    tree = Items({})
    for values in row.items:
        one = values[0]
        path, given, text = one.thing.partition("=") if isinstance(one.thing, str) else ("", "", "")
        if len(values) > 1 or not given:
            tree = settings.merged(tree, Items({}, complete=False))
            continue
        above, _, key = path.rpartition(".")
        value = resolve(text, True, None)
        leaf = unseen(one.span) if value.opaque else (replace(one, thing=value.constant, taken_out=True),)
        tree = settings.merged(tree, settings.nested(filter(None, above.split(".")), Items({key: leaf}), span))
    return tree


def _selected(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    span = frame.facts.span(node)
    keywords = {one.arg: one.value for one in node.keywords}
    arguments = [*node.args[:2], *(keywords[name] for name in ("cfg", "key")[len(node.args) :] if name in keywords)]
    if len(arguments) < 2:
        return unseen(span)
    default = evaluator.evaluate(keywords["default"], frame) if "default" in keywords else (Possibility(None, span),)
    found: list[Possibility] = []
    for (one, key), assumptions, _ in combined(*(evaluator.evaluate(argument, frame) for argument in arguments)):
        if isinstance(one.thing, Settings) and isinstance(key.thing, str):
            values = settings.selected(one.thing, key.thing.split("."), span)
            found.extend(under(laid_over(values, lambda: default), assumptions))
        else:
            found.extend(unseen(span, assumptions))
    text = frame.facts.text(node)
    return tuple(one.step(span, text) if one.constant else one for one in found) or unseen(span)


def is_change(call: ast.Call, name: str) -> bool:
    """Return whether a call changes in place the configuration that a dotted name stands for.

    ``OmegaConf.update(name, "a.b", value)`` sets one key; ``name.merge_with(other)`` lays another one over it,
    ``merge_with_cli`` and ``merge_with_dotlist`` what a user or a list gives (``omegaconf/basecontainer.py``, 2.3).
    """
    function = call.func
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "update" and len(call.args) > 2:
        return (dotted(function.value) or "").endswith("OmegaConf") and dotted(call.args[0]) == name
    return function.attr in _LAY_OVER and dotted(function.value) == name


def changed(evaluator: Evaluator, one: Possibility, call: ast.Call, frame: Frame) -> Possibilities:
    """Return what a configuration is after a call that changes it in place."""
    thing = one.thing
    if not isinstance(thing, Settings) or not isinstance(call.func, ast.Attribute):
        return (one,)
    span = frame.facts.span(call)
    if call.func.attr in _LAY_OVER:
        operands = list(_LAY_OVER[call.func.attr](evaluator, call, frame))
    else:
        keys = evaluator.evaluate(call.args[1], frame)
        values = settings.trees(evaluator.evaluate(call.args[2], frame))
        operands = [tuple(_set(key, values, span) for key in keys)]
    found: list[Possibility] = []
    for combination, assumptions, _ in combined((replace(one, thing=thing.here),), *operands):
        here = _laid_over_each_other(combination, span)
        if isinstance(here, Items):
            found.append(replace(one, thing=settings.replaced(thing, here), assumptions=assumptions))
    return tuple(found) or (one,)


def _set(key: Possibility, values: Possibilities, span: Span) -> Possibility:
    if not isinstance(key.thing, str):
        return replace(key, thing=Items({}, complete=False))
    above, _, last = key.thing.rpartition(".")
    return replace(key, thing=settings.nested(filter(None, above.split(".")), Items({last: values}), span))


_LAY_OVER: Mapping[str, Callable[[Evaluator, ast.Call, Frame], Iterable[Possibilities]]] = {
    "merge_with": lambda evaluator, call, frame: _operands(evaluator, call.args, frame),
    "merge_with_cli": lambda evaluator, call, frame: (_of_user(evaluator, call, frame),),
    "merge_with_dotlist": lambda evaluator, call, frame: (_of_user(evaluator, call, frame),),
}
"""Methods that lay others over a configuration in place, with what gives those."""
_CALLS: Mapping[str, Callable[[Evaluator, ast.Call, Frame], Possibilities]] = {
    "load": _loaded,
    "create": _created,
    "structured": _created,
    "to_container": _kept,
    "to_object": _kept,
    "masked_copy": _kept,
    "merge": _merged,
    "unsafe_merge": _merged,
    "from_cli": _of_user,
    "from_dotlist": _of_user,
    "select": _selected,
}
