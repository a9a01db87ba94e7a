"""Calls through a gRPC channel: of what the channel makes callable, and of the stub that is generated for a service."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Frame, Instance, Made
from loaderlint.vocabulary.forking import GRPC, GRPC_CALLABLES, KEPT

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_STUB = "Stub"
"""How the classes end that gRPC's compiler writes for services; they take the channel first."""


def channels_of(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Iterator[Made]:
    """Yield the channels that a call goes through: ``stub.Predict(request)``, ``predict(request)``."""
    for one in evaluator.evaluate(node.func, frame):
        made_by = one.thing.call.func if isinstance(one.thing, Made) else None
        if isinstance(one.thing, Made) and isinstance(made_by, ast.Attribute) and made_by.attr in GRPC_CALLABLES:
            yield from _channels(evaluator, made_by.value, one.thing.frame)
    for one in evaluator.evaluate(node.func.value, frame) if isinstance(node.func, ast.Attribute) else ():
        thing = one.thing
        if isinstance(thing, Made) and thing.callee.endswith(_STUB) and thing.call.args:
            yield from _channels(evaluator, thing.call.args[0], thing.frame)
        elif isinstance(thing, Instance) and thing.of.node.name.endswith(_STUB) and thing.call and thing.frame:
            for given in thing.call.args[:1]:
                yield from _channels(evaluator, given, thing.frame)


def _channels(evaluator: Evaluator, node: ast.expr, frame: Frame) -> Iterator[Made]:
    things = (one.thing for one in evaluator.evaluate(node, frame))
    yield from (one for one in things if isinstance(one, Made) and KEPT.get(one.callee) is GRPC)
