"""Fields whose class looks at what they are given: pydantic's validators and types, attrs' converters and validators.

What a validator or converter makes of a value was not seen. A value that is only checked is not changed for a loader's
sake, since the check may refuse the new one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.looking_validators import only_looks
from loaderlint.linking.following.restricted import is_narrow, refuses
from loaderlint.linking.things import classes
from loaderlint.linking.things.dictionaries import entries_of
from loaderlint.linking.things.kinds import UNSEEN, Class, Frame, Instance, Items, Possibilities, Possibility, end_of
from loaderlint.linking.things.lazily import Lazily
from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, dotted
from loaderlint.readers.python_calls import without_arguments
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.vocabulary.configurations import MODELS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OF_A_FIELD = frozenset({"field_validator", "validator"})
_OF_ALL_FIELDS = frozenset({"model_validator", "root_validator"})
_KINDS: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}


def stored(evaluator: Evaluator, owner: Class, name: str, values: Possibilities) -> Possibilities:
    """Return what a field of a class holds where these are the values it is given."""
    family = classes.lineage(evaluator, owner)
    if any(_is_made_over(evaluator, one, name) for one in family):
        return tuple(replace(one, thing=UNSEEN, trail=()) for one in values)
    kinds = [kind for one in family for field, kind in classes.fields(one) if field == name]
    if kinds and any(_is_model(evaluator, one) for one in family):
        values = tuple(_converted(evaluator, one, kinds[0], owner) for one in values)
    if any(_is_checked(one, name) for one in family):
        return tuple(replace(one, shared=True) for one in values)
    return values


def _is_made_over(evaluator: Evaluator, owner: Class, name: str) -> bool:
    """Return whether a validator or converter of a class may make something else of a field's value."""
    for function, decorator in _decorated(owner):
        last = last_name(without_arguments(decorator))
        if last in _OF_ALL_FIELDS and not only_looks(evaluator, owner, function):
            return True
        if last in _OF_A_FIELD and isinstance(decorator, ast.Call):
            named = [one.value if isinstance(one, ast.Constant) else "*" for one in decorator.args]
            if name in named or "*" in named:
                return True
    for target, kind, value in _declarations(owner):
        if target == name:
            annotated = kind is not None and any(last_name(one).endswith("Validator") for one in ast.walk(kind))
            if annotated or any(one.arg == "converter" for one in _arguments(value)):
                return True
    return False


def _is_checked(owner: Class, name: str) -> bool:
    for _, decorator in _decorated(owner):
        if dotted(decorator) == f"{name}.validator" or last_name(without_arguments(decorator)) in _OF_ALL_FIELDS:
            return True
    return any(
        target == name and ((kind is not None and is_narrow(kind)) or (value is not None and refuses(value)))
        for target, kind, value in _declarations(owner)
    )


def _decorated(owner: Class) -> Iterator[tuple[FunctionNode, ast.expr]]:
    """Yield the methods of a class with what decorates them."""
    for statement in owner.node.body:
        if isinstance(statement, FunctionNode):
            yield from ((statement, decorator) for decorator in statement.decorator_list)


def _declarations(owner: Class) -> Iterator[tuple[str, ast.expr | None, ast.expr | None]]:
    """Yield what a class body assigns or annotates: the name, the annotation and the value."""
    for one in owner.node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id, one.annotation, one.value
        elif isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
            yield one.targets[0].id, None, one.value


def _arguments(value: ast.expr | None) -> list[ast.keyword]:
    return value.keywords if isinstance(value, ast.Call) else []


def _is_model(evaluator: Evaluator, owner: Class) -> bool:
    decorators = map(without_arguments, owner.node.decorator_list)
    if any((dotted(one) or last_name(one)).startswith("pydantic") for one in decorators):
        return True
    return not MODELS.isdisjoint(classes.foreign_bases(evaluator, owner))


def _converted(evaluator: Evaluator, one: Possibility, annotation: ast.expr, owner: Class) -> Possibility:
    """Return a value as pydantic keeps it in a field of a type: a dictionary becomes an object, digits a number."""
    if isinstance(one.thing, Items | TreeMapping):
        return _as_object(evaluator, one, one.thing, annotation, owner)
    kind = _KINDS.get(dotted(annotation) or "")
    # A default that is None is kept unlooked at.
    if not one.constant or kind is None or one.thing is None or type(one.thing) is kind:
        return one
    if kind is int and isinstance(one.thing, str) and one.thing.isdecimal():
        return replace(one, thing=int(one.thing))
    return replace(one, thing=UNSEEN, trail=())


def _as_object(
    evaluator: Evaluator, one: Possibility, thing: Items | TreeMapping, annotation: ast.expr, owner: Class
) -> Possibility:
    frame = Frame(owner.facts, end_of(owner.scope))
    named = [part for part in ast.walk(annotation) if isinstance(part, ast.Name | ast.Attribute)]
    made = [way.thing for part in named for way in evaluator.evaluate(part, frame) if isinstance(way.thing, Class)]
    if not made:
        return one
    if len(made) != 1 or dotted(annotation) is None:
        return replace(one, thing=UNSEEN, trail=())
    of = made[0]
    entries = entries_of(thing)
    given = Lazily.of(entries, lambda name: stored(evaluator, of, name, entries[name]))
    call = evaluator.remembered(("made of a field", id(annotation)), frame, lambda: ast.Call(annotation, [], []))
    return replace(one, thing=Instance(of, ast.copy_location(call, annotation), frame, changed=given))
