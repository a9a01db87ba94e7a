"""Calls that choose how tensors travel between processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS, Iterations, shortened
from loaderlint.linking.things.guards import guarded_place
from loaderlint.linking.things.kinds import External, Frame
from loaderlint.model.assumptions import together
from loaderlint.model.uses import SharingStrategy
from loaderlint.vocabulary.uses import SETS_SHARING_STRATEGY

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def sharing_strategies(
    evaluator: Evaluator, files: Iterable[str], runs: Iterable[Iterations]
) -> Iterator[SharingStrategy]:
    """Yield the strategies that the files of a program set, each where it was named."""
    ran, project = list(runs), evaluator.project
    for path in files:
        facts = project.python(path) if project.mentions(path, ["set_sharing_strategy"]) else None
        for site in facts.calls.get("set_sharing_strategy", ()) if facts is not None else ():
            assert facts is not None
            frame, scope = Frame(facts, site.place), site.place.scope
            arguments = [*site.node.args, *(one.value for one in site.node.keywords)]
            with evaluator.steps(STEPS):
                callees = evaluator.evaluate(site.node.func, frame)
                named = evaluator.evaluate(arguments[0], frame) if arguments else ()
                alternatives = evaluator.conditions(site.place.arms, frame)
            if not any(isinstance(one.thing, External) and one.thing.name in SETS_SHARING_STRATEGY for one in callees):
                continue
            if scope is facts.module:
                main_only = guarded_place(evaluator, facts, site.node, site.place)
            else:
                node = id(scope.node)
                main_only = any(node in run.scopes - run.importing for run in ran)
            span, what = facts.span(site.node), shortened(facts.text(site.node))
            for one in named:
                for conditions in alternatives:
                    met = together(one.assumptions, conditions)
                    if isinstance(one.thing, str) and met is not None:
                        yield SharingStrategy(span, what, met, strategy=one.thing, main_only=main_only)
                        break
