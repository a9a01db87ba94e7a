"""What a program changes between epochs of the objects that a loader's workers have copies of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.constructed import left_by_constructor
from loaderlint.linking.following.loaders_behind import loaders_in
from loaderlint.linking.following.loops_around import loops_around
from loaderlint.linking.following.running import STEPS, Iterations, shortened
from loaderlint.linking.programs.made_anew import lightning_makes_anew, loops_that_make_anew
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Frame, Instance, Made, Thing
from loaderlint.linking.things.loops import items_of
from loaderlint.linking.things.possibilities import choice
from loaderlint.linking.workers.payload import carried
from loaderlint.linking.workers.worker_uses import RUN_IN_WORKER, Use, uses_of
from loaderlint.model.assumptions import Assumptions, together
from loaderlint.model.persistence import Change
from loaderlint.model.source import Span
from loaderlint.model.uses import Iteration
from loaderlint.readers.python import Binding, FunctionNode, Place, PythonFacts, Scope, dotted, owners_set
from loaderlint.readers.python import parameters as parameters_of
from loaderlint.vocabulary.persistence import EPOCH_HOOKS, HOOKED
from loaderlint.vocabulary.sending import WRAPPERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_SETS = ("assign", "augment", "unpack")
_MOST_CALLERS = 50
"""Functions that lead to a change or an iteration; conditions further out are not looked at."""
_ASK_FOR_KIND = frozenset({"callable", "hasattr", "isinstance"})
_COPIED = frozenset({"dataset", "collate_fn"})
"""Options and attributes of a loader that its workers have copies of."""


class _Read(NamedTuple):
    """An object whose attribute worker code reads, and the first place that does."""

    instance: Instance
    use: Use


_FILLED = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
"""Expressions for lists and the like, of which a worker has a copy of its own whatever is put into them."""


class _Changed(NamedTuple):
    """A place that changes an attribute: the expression for the object, and the statement or call that does it."""

    owner: ast.expr
    node: ast.AST
    facts: PythonFacts
    place: Place


def changes_between_epochs(
    evaluator: Evaluator,
    site: PythonSite,
    given: Mapping[str, Given],
    runs: Sequence[Iterations],
    iterations: Iterable[Iteration],
) -> Iterator[Change]:
    """Yield what each epoch changes of the objects that a loader's workers got before the first."""
    epochs = {loop.span for one in iterations for loop in one.loops if loop.counts and not loop.once}
    if epochs:
        epochs -= loops_that_make_anew(evaluator, id(site.call), runs)
    hooked = site.frame.scope.name == "train_dataloader"
    if not (epochs or hooked) or "_iterator" in evaluator.attributes_set:
        # Who takes a loader's iterator away starts its workers again.
        return
    if lightning_makes_anew(evaluator):
        return
    places = [one.frame for run in runs for one in run.places.get(id(site.call), ())]
    seen: set[Span] = set()
    for (holder, attribute), reads in _read_by_workers(evaluator, site, given).items():
        for changed in _changes_of(evaluator, reads, attribute):
            span = changed.facts.span(changed.node)
            if span in seen or not _is_copied(evaluator, site, given, changed, reads):
                continue
            frame = Frame(changed.facts, changed.place)
            if not (_in_epochs(evaluator, runs, frame, epochs) or _is_hook(evaluator, frame)):
                continue
            with evaluator.steps(STEPS):
                ways = evaluator.conditions(changed.place.arms, frame)
            if ways:
                seen.add(span)
                use = reads[0].use
                read = use.circumstances[-1][1].facts.span(use.node)
                what = shortened(changed.facts.text(changed.node))
                between = _between_epochs(evaluator, ways, frame, epochs)
                asked = places if between else [frame, *places]
                picked = any(_in_some_turns(runs, one) for one in asked)
                way = (between or ways)[0]
                yield Change(span, what, way, attribute=attribute, holder=holder, read=read, picked=picked)


def _read_by_workers(
    evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given]
) -> dict[tuple[str, str], list[_Read]]:
    """Return the attributes that worker code reads and does not set itself, by the class and the attribute's name."""
    objects, running = carried(evaluator, given, site.frame)
    found: dict[tuple[str, str], list[_Read]] = {}
    for one in objects:
        uses = uses_of(evaluator, one.instance, running)
        lineage = classes.lineage(evaluator, one.instance.of)
        for use in uses.uses:
            if use.name not in uses.sets and classes.nearest(lineage, use.name) is None:
                found.setdefault((one.instance.of.node.name, use.name), []).append(_Read(one.instance, use))
                for part in _parts(evaluator, one.instance, use, whole=[each.instance for each in objects]):
                    found.setdefault((part.of.node.name, use.member), []).append(_Read(part, use))
    return found


def _parts(evaluator: Evaluator, instance: Instance, use: Use, whole: Sequence[Instance]) -> Iterator[Instance]:
    """Yield the objects whose attribute is read through one that has them: ``self.mix.strength``."""
    classes_copied = {one.of.node for one in whole}
    for one in evaluator.attribute_of(instance, use.name) if use.member not in ("", "[]") else ():
        thing = one.thing
        if not isinstance(thing, Instance) or thing.of.node not in classes_copied:
            continue
        if classes.nearest(classes.lineage(evaluator, thing.of), use.member) is None:
            yield thing


def _changes_of(evaluator: Evaluator, reads: Sequence[_Read], attribute: str) -> Iterator[_Changed]:
    """Yield the places that may change an attribute of these objects: from outside, or by a method they have."""
    for facts, binding in evaluator.attributes_set.get(attribute, ()):
        where = Frame(facts, binding.place)
        if binding.kind == "augment" and any(_is_made(evaluator, read.instance, attribute) for read in reads):
            continue
        if binding.kind in _SETS and not classes.names_receiver(where, binding.name.rpartition(".")[0]):
            for owner in owners_set(binding.node, attribute):
                yield _Changed(owner, binding.node, facts, binding.place)
    filled = any(_is_filled(evaluator, read.instance, attribute) for read in reads)
    for facts, binding in evaluator.attributes_set.get(attribute, ()) if filled else ():
        receives = classes.names_receiver(Frame(facts, binding.place), binding.name.rpartition(".")[0])
        if binding.kind in MUTATIONS and not receives:
            for owner in _owners_of(binding):
                yield _Changed(owner, binding.node, facts, binding.place)
    setting = {
        scope.name
        for read in reads
        for owner in classes.lineage(evaluator, read.instance.of)
        for scope in owner.scope.children
        if _sets(evaluator, read.instance, scope, attribute)
    }
    for name in sorted(setting):
        for facts, site in evaluator.callers.sites(name):
            if isinstance(site.node.func, ast.Attribute):
                yield _Changed(site.node.func.value, site.node, facts, site.place)


def _sets(evaluator: Evaluator, instance: Instance, method: Scope, attribute: str) -> bool:
    """Return whether a method gives its object's attribute another value when somebody calls it."""
    first = next(parameters_of(method.node), None) if isinstance(method.node, FunctionNode) else None
    if first is None or method.name.startswith("__") or method.name in RUN_IN_WORKER:
        return False
    kinds = {one.kind for one in method.bindings.get(f"{first.arg}.{attribute}", ())}
    if kinds & MUTATIONS and _is_filled(evaluator, instance, attribute):
        return True
    return bool(kinds & set(_SETS)) and (kinds != {"augment"} or not _is_made(evaluator, instance, attribute))


def _is_filled(evaluator: Evaluator, instance: Instance, attribute: str) -> bool:
    """Return whether an attribute is a list, dictionary or set that no code of its object's class fills in a worker."""
    left = [one.value for one in left_by_constructor(evaluator, instance).get(attribute, ()) if one.whole]
    fills = {
        scope.name
        for owner in classes.lineage(evaluator, instance.of)
        for scope in owner.scope.children
        if any(one.kind in MUTATIONS for one in scope.bindings.get(f"self.{attribute}", ()))
    }
    return bool(left) and all(isinstance(one, _FILLED) for one in left) and not _run_there(evaluator, instance, fills)


def _run_there(evaluator: Evaluator, instance: Instance, methods: set[str]) -> bool:
    """Return whether worker code of an object's class is, or calls, one of some methods."""
    return not methods.isdisjoint(RUN_IN_WORKER) or not methods.isdisjoint(uses_of(evaluator, instance, ()).calls)


def _owners_of(binding: Binding) -> Iterator[ast.expr]:
    """Yield the expression for the object whose list, dictionary or set a statement or call changes in place."""
    for node in ast.walk(binding.node):
        if isinstance(node, ast.Attribute) and dotted(node) == binding.name:
            yield node.value
            return


def _is_made(evaluator: Evaluator, instance: Instance, attribute: str) -> bool:
    """Return whether a call made what is kept, such as a tensor: ``+=`` writes into what workers may share."""
    return any(isinstance(one.value, ast.Call) for one in left_by_constructor(evaluator, instance).get(attribute, ()))


def _is_copied(
    evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given], changed: _Changed, reads: Sequence[_Read]
) -> bool:
    """Return whether what is changed is one of the objects, or what the loader says it is made of."""
    owner, frame = changed.owner, Frame(changed.facts, changed.place)
    things: list[Thing] = [*_kept_by_loader(evaluator, site, given, owner, frame)]
    with evaluator.steps(STEPS):
        things.extend(one.thing for one in evaluator.evaluate(owner, frame))
    return any(
        isinstance(one, Instance)
        and one.of.node is read.instance.of.node
        and (one.call is None or read.instance.call is None or one.call is read.instance.call)
        for one in things
        for read in reads
    )


def _kept_by_loader(
    evaluator: Evaluator, site: PythonSite, given: Mapping[str, Given], node: ast.expr, frame: Frame
) -> list[Instance]:
    """Return the objects that an expression such as ``loader.dataset.dataset`` stands for."""
    names: list[str] = []
    while isinstance(node, ast.Attribute) and node.attr in _COPIED and not _names_data_module(node.value):
        names.insert(0, node.attr)
        node = node.value
    things = _kept_by_data_module(evaluator, site, node, frame)
    is_loader = any(isinstance(one, Made) and one.call is site.call for one in things)
    if not things or is_loader:
        if not names or names[0] not in given or not (is_loader or _is_loader(evaluator, site, node, frame)):
            return []
        things = [one.thing for one in given[names.pop(0)].possibilities]
    for name in names:
        around = [one for one in things if isinstance(one, Made) and one.callee in WRAPPERS and one.call.args]
        with evaluator.steps(STEPS):
            things = [
                inner.thing
                for one in around
                if name == "dataset"
                for inner in evaluator.evaluate(one.call.args[0], one.frame)
            ]
    return [one for one in things if isinstance(one, Instance)]


def _names_data_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "datamodule"


def _kept_by_data_module(evaluator: Evaluator, site: PythonSite, node: ast.expr, frame: Frame) -> list[Thing]:
    """Return what ``trainer.datamodule.train`` stands for in a hook, where that is of the loader's own data module."""
    owner = classes.owner_of(site.frame.facts, site.frame.scope)
    if not isinstance(node, ast.Attribute) or not _names_data_module(node.value) or owner is None:
        return []
    if not _is_hook(evaluator, frame) or not classes.inherits(evaluator, owner, {"LightningDataModule"}):
        return []
    with evaluator.steps(STEPS):
        return [one.thing for one in evaluator.attribute_of(evaluator.any_object(owner), node.attr)]


def _is_loader(evaluator: Evaluator, site: PythonSite, node: ast.expr, frame: Frame) -> bool:
    if any(one.call == id(site.call) for one in loaders_in(evaluator, node, frame)):
        return True
    named = (dotted(node) or "").rpartition(".")[2]
    return named == site.frame.scope.name == "train_dataloader" and _is_hook(evaluator, frame)


def _in_epochs(evaluator: Evaluator, runs: Sequence[Iterations], frame: Frame, epochs: set[Span]) -> bool:
    """Return whether a place runs in a loop whose turns each iterate the loader."""
    return any(
        loop.span in epochs
        for run in runs
        if frame.scope.parent is None or id(frame.scope.node) in run.scopes
        for loop in loops_around(evaluator, run, frame)
    )


def _between_epochs(
    evaluator: Evaluator, ways: Sequence[Assumptions], frame: Frame, epochs: set[Span]
) -> list[Assumptions]:
    """Return the ways to a place in a turn of its loop of epochs that comes to it and is not the first nor the last.

    Workers have their copies before such a turn, and go on with them after it.
    """
    loops = [arm for arm in frame.place.arms if arm.loop]
    owner = loops[0].owner if len(loops) == 1 else None
    if not isinstance(owner, ast.For) or loops[0].place is None:
        return []
    span = frame.facts.span(owner.iter)
    with evaluator.steps(STEPS):
        turns = [items_of(one) or () for one in evaluator.evaluate(owner.iter, frame.at(loops[0].place))]
    last = min(map(len, turns), default=0) - 1
    inner = [choice(str(span), turn) for turn in range(1, last)]
    certain = [turn for turn in inner if _comes_to(evaluator, frame, turn)] if span in epochs else []
    return [way for way in ways if any(turn <= way for turn in certain)]


def _comes_to(evaluator: Evaluator, frame: Frame, turn: Assumptions) -> bool:
    """Return whether the conditions on the number of the epoch that decide whether a place runs all hold in a turn."""
    for arm in frame.place.arms:
        if arm.test is None or arm.loop or not _asks_for_turn(arm.test, frame):
            continue
        with evaluator.steps(STEPS):
            answers = evaluator.truth(arm.test, frame.at(arm.place or frame.place))
        if {answer for answer, way, _ in answers if together(way, turn) is not None} != {arm.truth}:
            return False
    return True


def _in_some_turns(runs: Sequence[Iterations], frame: Frame) -> bool:
    """Return whether a condition on the number of the epoch decides whether a place runs."""
    waiting, seen = [frame], set[int]()
    while waiting and len(seen) < _MOST_CALLERS:
        where = waiting.pop(0)
        if any(arm.test is not None and not arm.loop and _asks_for_turn(arm.test, where) for arm in where.place.arms):
            return True
        if id(where.scope.node) not in seen:
            seen.add(id(where.scope.node))
            waiting.extend(caller for run in runs for caller, _ in run.called_at.get(id(where.scope.node), ()))
    return False


def _asks_for_turn(test: ast.expr, frame: Frame) -> bool:
    """Return whether a condition asks for a variable of a loop around it, an argument, or what is called an epoch."""
    names = {dotted(node) or "" for node in _walk(test) if isinstance(node, ast.Name | ast.Attribute)}
    loops = [arm.owner for arm in frame.place.arms if arm.loop]
    turning = {
        node.id
        for loop in loops
        for part in ([loop.target] if isinstance(loop, ast.For | ast.AsyncFor) else [loop])
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    if not loops and isinstance(frame.scope.node, FunctionNode):
        turning.update(one.arg for one in parameters_of(frame.scope.node))
    return bool(names & turning) or any("epoch" in one.lower() for one in names)


def _walk(test: ast.expr) -> Iterator[ast.AST]:
    """Yield the parts of a condition, without those that only ask what kind of object something is."""
    waiting: list[ast.AST] = [test]
    while waiting:
        node = waiting.pop()
        if not (isinstance(node, ast.Call) and dotted(node.func) in _ASK_FOR_KIND):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def _is_hook(evaluator: Evaluator, frame: Frame) -> bool:
    """Return whether a place is in a method that Lightning calls in every epoch."""
    owner = classes.owner_of(frame.facts, frame.scope)
    return owner is not None and frame.scope.name in EPOCH_HOOKS and classes.inherits(evaluator, owner, HOOKED)
