"""What ``first + second`` makes of two datasets (``torch/utils/data/dataset.py``, 2.13, ``__add__`` of the classes)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from loaderlint.linking.following.datasets import kind_of
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Frame, Instance, Made, Possibilities, Possibility, Unseen
from loaderlint.model.payload import DatasetKind

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_JOINED = {
    DatasetKind.ITERABLE: "torch.utils.data.ChainDataset",
    DatasetKind.MAP: "torch.utils.data.ConcatDataset",
}


def added(evaluator: Evaluator, node: ast.BinOp, frame: Frame, otherwise: Possibilities) -> Possibilities:
    """Return what an addition gives that joins datasets, and for any other what was seen of it (``otherwise``)."""
    if not isinstance(node.op, ast.Add) or not all(isinstance(one.thing, Unseen) for one in otherwise):
        return otherwise
    kinds = {_kind(evaluator, one) for one in evaluator.evaluate(node.left, frame)}
    joins = _JOINED.get(kind) if len(kinds) == 1 and (kind := kinds.pop()) is not None else None
    if joins is None:
        return otherwise
    call = evaluator.remembered(("joined by adding", id(node)), None, lambda: _call(joins, node))
    return (Possibility(Made(joins, call, frame), frame.facts.span(node)),)


def _kind(evaluator: Evaluator, one: Possibility) -> DatasetKind | None:
    """Return of which kind a dataset is that is added to as torch's classes are; None for anything else."""
    if not isinstance(one.thing, Instance | Made):
        return None
    if isinstance(one.thing, Instance) and classes.method(evaluator, one.thing, "__add__") is not None:
        return None
    return kind_of(evaluator, one)


def _call(joins: str, node: ast.BinOp) -> ast.Call:
    """Return the call that the addition stands for: ``ChainDataset([first, second])``."""
    parts = ast.copy_location(ast.List([node.left, node.right], ast.Load()), node)
    name = ast.copy_location(ast.Name(joins.rpartition(".")[2], ast.Load()), node)
    return ast.copy_location(ast.Call(name, [parts], []), node)
