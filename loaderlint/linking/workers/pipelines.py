"""Pipelines of webdataset whose workers all read every shard.

``webdataset/shardlists.py`` (1.0): a ``SimpleShardList`` gives all its shards to whoever iterates it. The
``WebDataset`` of ``compat.py`` puts ``split_by_worker`` behind it; a ``DataPipeline`` has the stages alone that it is
given (``pipeline.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import shortened
from loaderlint.linking.things.kinds import External, Made, Possibility
from loaderlint.model.payload import Touch
from loaderlint.vocabulary.sharding import SELECTS_SAMPLES, SHARD_LISTS, SHARD_PIPELINES, SHARES_OUT, WEBDATASET

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def unsplit(evaluator: Evaluator, dataset: Possibility) -> Iterator[Touch]:
    """Yield the list of shards that a pipeline begins with, where all its stages are seen and none tells workers apart.

    What a method adds to a pipeline may do that.
    """
    made = dataset.thing
    if not isinstance(made, Made) or made.callee not in SHARD_PIPELINES or not made.call.args:
        return
    facts, (first, *others) = made.frame.facts, made.call.args
    if SHARES_OUT.search(facts.text(made.call)) or not all(_leaves_shards(evaluator, one, made) for one in others):
        return
    lists = [one.thing for one in evaluator.evaluate(first, made.frame)]
    if all(isinstance(one, Made) and one.callee in SHARD_LISTS for one in lists):
        yield Touch(facts.span(first), shortened(facts.text(first)), dataset.assumptions, dataset.trail)


def _leaves_shards(evaluator: Evaluator, stage: ast.expr, pipeline: Made) -> bool:
    """Return whether a stage is one of the library's own, and none that leaves samples out by a function of others."""
    if isinstance(stage, ast.Starred):
        return False
    things = [one.thing for one in evaluator.evaluate(stage, pipeline.frame)]
    names = [one.callee if isinstance(one, Made) else one.name if isinstance(one, External) else "" for one in things]
    return all(
        one.startswith(WEBDATASET) and one.rpartition(".")[2] not in SELECTS_SAMPLES and not SHARES_OUT.search(one)
        for one in names
    )
