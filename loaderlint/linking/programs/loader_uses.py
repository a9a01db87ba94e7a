"""What a program does with a loader: where it makes iterators of it, in which loops, and what for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.loops_around import heads_around, loops_around
from loaderlint.linking.following.running import STEPS, Iterated, Iterations, shortened
from loaderlint.linking.programs.changed_payload import is_set_outside, may_change
from loaderlint.linking.programs.epochs import told_no_epoch
from loaderlint.linking.programs.kept_batches import changes_batches, kept_batches
from loaderlint.linking.programs.options_set import options_set
from loaderlint.linking.programs.restarts import restarts
from loaderlint.linking.programs.touched_payload import may_be_touched
from loaderlint.linking.things.chains import begun_by
from loaderlint.linking.things.kinds import Frame, Instance, Items, Made, Possibility, Row
from loaderlint.model.payload import Touch
from loaderlint.model.uses import Iteration, Role, Uses
from loaderlint.nodes import last_name
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.uses import (
    DISTRIBUTED_SAMPLERS,
    EVALUATION_WORDS,
    KEEP_ITERATORS,
    PASS_ON,
    TRAINING_WORDS,
    WITHOUT_GRADIENTS,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_DEEPEST_WAY = 5
"""Calls between an iterated expression and a loader; a longer way is not looked at."""
_SAMPLERS = frozenset(name.rpartition(".")[2] for name in DISTRIBUTED_SAMPLERS)


def words_that_matter(facts: PythonFacts) -> frozenset[str]:
    """Return the words that a file must hold to say more of the loaders of this one."""
    return frozenset({"set_epoch"}) if _SAMPLERS & facts.calls.keys() else frozenset()


def uses_of(
    evaluator: Evaluator,
    site: PythonSite,
    given: Mapping[str, Given],
    runs: Sequence[Iterations],
    files: Sequence[str],
) -> Uses:
    """Return what the programs that iterate a loader do with it; ``files`` are those they consist of."""
    found: dict[object, Iteration] = {}
    kept: list[Touch] = []
    heads: dict[ast.expr, Frame] = {}
    for run in runs:
        made_in = {loop.span for loop in loops_around(evaluator, run, site.frame)}
        for place in _outermost(run.places.get(id(site.call), ())):
            one = _iteration(evaluator, site, run, place, made_in)
            if one is not None:
                found.setdefault((one.span, one.loops), one)
                heads.update(heads_around(evaluator, run, place.frame, id(site.call)))
                kept.extend(kept_batches(place) if not one.wrapped_by else ())
    iterations = tuple(found.values())
    role = _named_role(site)
    if role is None:
        roles = {one.role for one in iterations}
        role = roles.pop() if len(roles) == 1 else None
    loader = Made(site.callee, site.call, site.frame)
    shuffling = tuple(told_no_epoch(evaluator, loader, given, files, heads)) if iterations else ()
    changes = bool(iterations) and may_change(evaluator, given)
    may_persist = not changes and "persistent_workers" not in given and any(one.epochs for one in iterations)
    restarted = dict.fromkeys(one for run in runs for one in restarts(evaluator, site, run))
    return Uses(
        iterations,
        role,
        shuffling,
        options_set(evaluator, site.call),
        restarts=tuple(restarted),
        kept=tuple(dict.fromkeys(kept)),
        payload_changes=changes,
        payload_touched=may_persist and may_be_touched(evaluator, site, given, files),
        payload_set=is_set_outside(evaluator, site, given),
        changes_batches=any(changes_batches(place) for run in runs for place in run.places.get(id(site.call), ())),
    )


def _outermost(places: Iterable[Iterated]) -> Iterator[Iterated]:
    """Yield the places that are no part of another: of ``for b in enumerate(tqdm(loader))`` the whole iterable."""
    every = {id(one.expression): one for one in places if not one.takes_one}
    inner = {id(node) for one in every.values() for node in ast.walk(one.expression) if node is not one.expression}
    yield from (one for key, one in every.items() if key not in inner)


def _iteration(
    evaluator: Evaluator, site: PythonSite, run: Iterations, place: Iterated, made_in: Iterable[object]
) -> Iteration | None:
    with evaluator.steps(STEPS):
        way = _Search(evaluator, site.call).way(place.expression, place.frame)
    if way is None:
        return None
    own = {id(node) for node in ast.walk(place.expression)}
    if any(made.callee.rpartition(".")[2] in KEEP_ITERATORS and id(made.call) not in own for made in way):
        return None
    facts = place.frame.facts
    loops = tuple(loop for loop in loops_around(evaluator, run, place.frame, id(site.call)) if loop.span not in made_in)
    wrapped = next((made.callee for made in way if not made.callee.startswith(PASS_ON)), "")
    trained = isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Attribute)
    what = shortened(facts.text(place.node if isinstance(place.node, ast.Call) else place.expression))
    role = None if trained else _role_of(place)
    several = _makes_several(evaluator, place, site.call)
    held = place.makes_iterator and _is_bound(place)
    return Iteration(facts.span(place.expression), what, loops, role, wrapped, several, held, place.assumptions)


def _is_bound(place: Iterated) -> bool:
    """Return whether what a place makes is given a name."""
    return any(one.value is place.node for several in place.frame.scope.bindings.values() for one in several)


def _makes_several(evaluator: Evaluator, place: Iterated, call: ast.Call) -> bool:
    """Return whether several arguments of what is iterated lead to the loader: ``zip(loader, loader)``."""
    if not isinstance(place.expression, ast.Call) or len(place.expression.args) < 2:
        return False
    arguments = [one for one in place.expression.args if not isinstance(one, ast.Starred)]
    with evaluator.steps(STEPS):
        ways = [_Search(evaluator, call).way(one, place.frame) for one in arguments]
    return sum(way is not None for way in ways) > 1


class _Search:
    """A search for the way from an expression to a loader's call.

    What was met is not looked into again where no more calls are left to go: many values stand for the same things.
    """

    def __init__(self, evaluator: Evaluator, call: ast.Call) -> None:
        self._evaluator = evaluator
        self._call = call
        self._met: dict[object, int] = {}

    def way(self, expression: ast.expr, frame: Frame, depth: int = 0) -> tuple[Made, ...] | None:
        """Return the library calls between an expression and the call, outermost first; None where it is no way."""
        if depth > _DEEPEST_WAY or self._was_met((expression, frame), depth):
            return None
        for one in self._evaluator.evaluate(expression, frame):
            way = self._way_from(one, depth)
            if way is not None:
                return way
        return None

    def _way_from(self, one: Possibility, depth: int) -> tuple[Made, ...] | None:
        thing = one.thing
        inside: Iterable[Possibility] = ()
        if isinstance(thing, Made):
            if thing.call is self._call:
                return ()
            if self._was_met(thing, depth):
                return None
            inside = begun_by(self._evaluator, thing)
            for argument in (*thing.call.args, *(keyword.value for keyword in thing.call.keywords)):
                if not isinstance(argument, ast.Starred):
                    way = self.way(argument, thing.frame, depth + 1)
                    if way is not None:
                        return (thing, *way)
        elif isinstance(thing, Instance):
            return () if thing.call is self._call else None
        elif isinstance(thing, Row | Items):
            if self._was_met(thing, depth):
                return None
            several = thing.items if isinstance(thing, Row) else thing.entries.values()
            inside = (item for items in several for item in items)
        for item in inside if depth < _DEEPEST_WAY else ():
            way = self._way_from(item, depth + 1)
            if way is not None:
                return (thing, *way) if isinstance(thing, Made) else way
        return None

    def _was_met(self, what: object, depth: int) -> bool:
        if self._met.get(what, depth + 1) <= depth:
            return True
        self._met[what] = depth
        return False


# --- what the batches are for ---


def _role_of(place: Iterated) -> Role | None:
    """Return what the code around an iteration does with the batches."""
    facts, scope, span = place.frame.facts, place.frame.scope, place.frame.facts.span(place.expression)
    if isinstance(place.node, ast.For | ast.AsyncFor):
        body = [node for statement in place.node.body for node in ast.walk(statement)]
        if any(isinstance(node, ast.Call) and called_name(node) == "backward" for node in body):
            return Role.TRAINING
        if any(isinstance(node, ast.With) and _without_gradients(node) for node in body):
            return Role.EVALUATION
    if isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
        decorators = (one.func if isinstance(one, ast.Call) else one for one in scope.node.decorator_list)
        if any(last_name(one) in WITHOUT_GRADIENTS for one in decorators):
            return Role.EVALUATION
    for block in facts.blocks:
        if isinstance(block, ast.With) and _without_gradients(block) and facts.span(block).holds(span):
            return Role.EVALUATION
    modes = [
        called_name(site.node)
        for site in scope.calls
        if site.place.order < place.frame.place.order
        and isinstance(site.node.func, ast.Attribute)
        and not site.node.args
        and site.node.func.attr in ("train", "eval")
    ]
    return {"eval": Role.EVALUATION, "train": Role.TRAINING}.get(modes[-1]) if modes else None


def _without_gradients(block: ast.With) -> bool:
    contexts = (item.context_expr for item in block.items)
    return any(isinstance(one, ast.Call) and called_name(one) in WITHOUT_GRADIENTS for one in contexts)


def _named_role(site: PythonSite) -> Role | None:
    """Return what a loader is for by the names it is kept under, else by that of the function or data set it is of."""
    scope = site.frame.scope
    kept = [
        name.rpartition(".")[2]
        for name, bindings in scope.bindings.items()
        if any(one.value is site.call for one in bindings)
    ]
    dataset = site.call.args[: 1 if site.skip == 0 else 0] + [
        one.value for one in site.call.keywords if one.arg == "dataset"
    ]
    for names in (kept, [_scope_name(scope)], [dotted(one) or "" for one in dataset]):
        words = {word for name in names for word in _words(name)}
        training, evaluation = bool(words & TRAINING_WORDS), bool(words & EVALUATION_WORDS)
        if training is not evaluation:
            return Role.TRAINING if training else Role.EVALUATION
        if training:
            return None
    return None


def _scope_name(scope: Scope) -> str:
    return scope.name if scope.is_function else ""


def _words(name: str) -> Iterator[str]:
    for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name):
        yield word.lower()
        for ending in ("loader", "set", "dataloader", "dataset", "data"):
            if len(word) > len(ending) and word.endswith(ending):
                yield word.removesuffix(ending).lower()
