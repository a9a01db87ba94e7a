"""Dictionaries read by attribute that fill themselves: ``Settings(path)``, which reads a file and keeps every key."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from loaderlint.linking.following import functions
from loaderlint.linking.following.configurations import records
from loaderlint.linking.things.classes import bases, constructors
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance, Possibilities

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class _Filling(NamedTuple):
    """The constructor of a class, and the loop at its end that keeps every key of something it worked out."""

    constructor: Function
    loop: ast.For
    source: ast.expr


def made(evaluator: Evaluator, owner: Class, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return the dictionary that a call of a class makes, None where its objects are no such dictionaries."""
    filling = evaluator.once(("fills itself", id(owner.node)), None, lambda: _filling(evaluator, owner))
    if filling is None:
        return None
    during = replace(filling.constructor, receiver=Instance(owner, node, frame))
    inside = functions.frame_of_call(evaluator, during, node, frame)
    bound = (one for named in filling.constructor.scope.bindings.values() for one in named)
    turns = next((one.place for one in bound if one.kind == "loop" and one.node is filling.loop), None)
    return None if turns is None else evaluator.evaluate(filling.source, inside.at(turns))


def _filling(evaluator: Evaluator, owner: Class) -> _Filling | None:
    above = bases(evaluator, owner)
    own = constructors(owner)
    if (
        len(owner.node.bases) != 1
        or len(above) != 1
        or len(own) != 1
        or not _is_attribute_dictionary(evaluator, above[0])
    ):
        return None
    others = [one for one in owner.node.body if one is not own[0].node and not records.says_nothing(one)]
    if not all(records.is_attribute_access(one, above[0].node.name) for one in others):
        return None
    node = own[0].node
    if not isinstance(node, ast.FunctionDef) or not node.args.args:
        return None
    match [one for one in node.body if not records.says_nothing(one)]:
        case [*before, ast.For(iter=ast.Call(ast.Attribute(source, "items"), [], [])) as loop]:
            receiver = node.args.args[0].arg
            if records.sets_each(loop, receiver, set(_worked_out(before, receiver)), above[0]):
                return _Filling(own[0], loop, source)
    return None


def _is_attribute_dictionary(evaluator: Evaluator, owner: Class) -> bool:
    return records.is_record(evaluator, owner) and records.is_dictionary(evaluator, owner)


def _worked_out(statements: Iterable[ast.stmt], receiver: str) -> Iterable[str]:
    """Yield the names that statements give to what has nothing to do with the object; nothing where one does more."""
    found: list[str] = []
    for one in statements:
        match one:
            case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super")), "__init__"), [], [])):
                continue
            case ast.Assign([ast.Name(name)], value) if not _names(value, receiver):
                found.append(name)
            case _:
                return ()
    return found


def _names(value: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value))
