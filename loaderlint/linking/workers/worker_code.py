"""What the code that runs inside workers does there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.loader_names import may_be_one_of, names_of
from loaderlint.linking.following.loaders_behind import loaders_in
from loaderlint.linking.following.running import STEPS, shortened
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.scopes.in_workers import asks_for_worker, told_apart
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, External, Frame, Function, Instance, Made, Possibility
from loaderlint.linking.workers.asks_for_main import asked_for_process
from loaderlint.linking.workers.changed_in_workers import changes_in_workers, changes_tensors, remembers
from loaderlint.linking.workers.draws import Draws, drawn_by
from loaderlint.linking.workers.ends import stops
from loaderlint.linking.workers.exhausted import exhausted
from loaderlint.linking.workers.file_paths import UNSEEN
from loaderlint.linking.workers.file_reads import paths_read
from loaderlint.linking.workers.imported_late import imported_late
from loaderlint.linking.workers.left_behind import left_behind
from loaderlint.linking.workers.on_cuda import batches_on_cuda
from loaderlint.linking.workers.process_wide import process_wide
from loaderlint.linking.workers.read_anew import read_anew, set_after_read
from loaderlint.linking.workers.read_back import read_back
from loaderlint.linking.workers.returned import called, unsendable
from loaderlint.linking.workers.seeding import seeds, seeds_what_is_drawn
from loaderlint.linking.workers.sharding import repeated
from loaderlint.linking.workers.thread_users import used_in_workers
from loaderlint.linking.workers.worker_threads import threads_in_workers
from loaderlint.model.assumptions import together
from loaderlint.model.gradually import Gradually, first_of
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.model.value import CpuCount
from loaderlint.model.worker_code import CompiledCall, Exhausted, Nested, WorkerCode
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, dotted, parameters
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MOST_ITERATIONS = 60
"""Loops in the worker code of one loader that are looked into for loaders of their own."""
_PICKS = frozenset({"sampler", "batch_sampler", "drop_last"})
"""Options of a loader that may leave indexes out."""
_LONGEST = 10_000
"""A longer dataset is not looked through index by index."""


def worker_code(
    evaluator: Evaluator,
    given: Mapping[str, Given],
    running_now: Callable[[], Mapping[str, Sequence[Function]]],
    draws_now: Callable[[], Draws],
    *,
    workers: bool,
) -> WorkerCode:
    """Return what a loader's code does in its workers; ``running_now`` gives the functions that run there, by option.

    Without ``workers`` it is what that code does to whoever runs it.
    """
    anywhere = WorkerCode(
        ends=tuple(_ends(evaluator, given)),
        exhausted=tuple(_exhausted(evaluator, given)),
        nested=Gradually(_nested(evaluator, running_now)),
        on_cuda=tuple(batches_on_cuda(evaluator, given)),
    )
    if not workers:
        return anywhere
    running, draws = running_now(), draws_now()
    starting, everything = running["worker_init_fn"], _every(running)
    late = cache(partial(imported_late, evaluator, everything, frozenset(_files_of(given))))
    return replace(
        anywhere,
        unsendable=unsendable(evaluator, given),
        repeated=tuple(repeated(evaluator, given, starting)),
        seeds=tuple(seeds(evaluator, given, everything, draws)),
        threads=tuple(_threads(evaluator, everything)),
        compiled=Gradually(_compiled_calls(evaluator, everything)),
        inherited=used_in_workers(evaluator, everything, _collating(evaluator, given)),
        own_threads=threads_in_workers(evaluator, everything),
        asks_worker=any(asks_for_worker(site.node, one.scope) for one in everything for site in one.scope.calls),
        changes=changes_in_workers(everything),
        changes_tensors=changes_tensors(evaluator, everything),
        remembers=remembers(evaluator, given, running),
        left_behind=cache(lambda: left_behind(evaluator, everything) or late()),
        changed_later=cache(lambda: left_behind(evaluator, everything, settings=False) or late()),
        imported_late=late,
        read_anew=cache(partial(read_anew, evaluator, everything)),
        set_after_read=cache(partial(set_after_read, evaluator, everything)),
        process_wide=first_of(process_wide(evaluator, everything)),
        told_process=first_of(touch for one in everything for touch in asked_for_process(one)),
        read_back=first_of(read_back(evaluator, everything)),
        reads=tuple(_files_read(evaluator, everything)),
        draws=frozenset(library for one in everything for library, _ in drawn_by(one.scope, one.scope.calls)),
        draws_seeded=_is_given(given, "worker_init_fn") and seeds_what_is_drawn(starting, draws),
    )


def _files_read(evaluator: Evaluator, running: Sequence[Function]) -> Iterator[str]:
    """Yield the paths of the files that functions read whose last part is seen."""
    for one in running:
        for site in one.scope.calls:
            for path in paths_read(evaluator, one.facts, one.scope, site.node):
                if UNSEEN not in path.rpartition("/")[2]:
                    yield path.removeprefix("./")


def _collating(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[Function]:
    """Yield the functions of a ``collate_fn`` that torch hands the items of a batch."""
    for one in given["collate_fn"].possibilities if "collate_fn" in given else ():
        yield from called(evaluator, one, ("__call__",))


def _is_given(given: Mapping[str, Given], option: str) -> bool:
    return option in given and any(one.thing is not None for one in given[option].possibilities)


def _files_of(given: Mapping[str, Given]) -> Iterator[str]:
    """Yield the paths of the files that define what a loader is given."""
    for option in ("dataset", "collate_fn", "worker_init_fn"):
        for one in given[option].possibilities if option in given else ():
            match one.thing:
                case Instance(of=Class(facts=facts)) | Function(facts=facts):
                    yield facts.source.path


def _touches(evaluator: Evaluator, function: Function, site: CallSite, one: Possibility) -> Iterator[Touch]:
    """Yield a call as something that is met, where it is by what was found of it."""
    facts = function.facts
    if told_apart(site.place):
        return
    for conditions in evaluator.conditions(site.place.arms, Frame(facts, site.place, receiver=function.receiver)):
        joint = together(one.assumptions, conditions)
        if joint is not None:
            yield Touch(facts.span(site.node), shortened(facts.text(site.node)), joint)
            return


# --- the end of the data ---


def _ends(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[Touch]:
    """Yield where reading one sample of a map-style dataset says that the data are at their end."""
    for one in given["dataset"].possibilities if "dataset" in given else ():
        if isinstance(one.thing, Instance) and _is_iterated(evaluator, one.thing):
            continue
        for function in called(evaluator, one, ("__getitem__",)):
            node = function.node
            if isinstance(node, FunctionNode) and not function.scope.yields:
                index = [parameter.arg for parameter in parameters(node)][1:2]
                once = all(len(function.scope.bindings[name]) == 1 for name in index)
                known = range(_length(evaluator, one.thing, given)) if once else ()
                for statement in stops(node.body, index, known):
                    facts = function.facts
                    yield Touch(facts.span(statement), facts.text(statement), one.assumptions, one.trail)


def _exhausted(evaluator: Evaluator, given: Mapping[str, Given]) -> Iterator[Exhausted]:
    """Yield where a map-style dataset takes more items of an iterator than that has."""
    for one in given["dataset"].possibilities if "dataset" in given else ():
        if isinstance(one.thing, Instance) and not _is_iterated(evaluator, one.thing):
            for function in called(evaluator, one, ("__getitem__",)):
                if any(called_name(site.node) == "next" for site in function.scope.calls):
                    length = _length(evaluator, one.thing, given)
                    for place in exhausted(evaluator, one.thing, function, length):
                        yield replace(place, assumptions=one.assumptions, trail=one.trail)


def _length(evaluator: Evaluator, dataset: object, given: Mapping[str, Given]) -> int:
    """Return how many indexes, from 0 on, the loader is sure to give a dataset; 0 where that was not seen."""
    method = classes.method(evaluator, dataset, "__len__") if isinstance(dataset, Instance) else None
    if method is None or not _PICKS.isdisjoint(given) or len(method.scope.returns) != 1:
        return 0
    value, place = method.scope.returns[0]
    frame = Frame(method.facts, place, receiver=method.receiver)
    lengths = [one.thing for one in evaluator.evaluate(value, frame)] if value is not None else []
    return min((one if type(one) is int and one <= _LONGEST else 0 for one in lengths), default=0)


def _is_iterated(evaluator: Evaluator, dataset: Instance) -> bool:
    above = (
        name for owner in classes.lineage(evaluator, dataset.of) for name in classes.foreign_bases(evaluator, owner)
    )
    return any(name.endswith(("IterableDataset", "IterDataPipe")) for name in above)


# --- loaders inside workers ---


def _every(running: Mapping[str, Sequence[Function]]) -> list[Function]:
    """Return functions, each once, whatever they run for."""
    return list({id(one.node): one for functions in running.values() for one in functions}.values())


def _nested(evaluator: Evaluator, running: Callable[[], Mapping[str, Sequence[Function]]]) -> Iterator[Nested]:
    """Yield the loops of worker code over loaders, one for each loader."""
    seen: set[int] = set()
    left = _MOST_ITERATIONS
    for function in _every(running()):
        facts = function.facts
        for expression, _, place in function.scope.iterations if "loader" in facts.source.text.lower() else ():
            left -= 1
            frame = Frame(facts, place, receiver=function.receiver)
            looked_into = left > 0 and not told_apart(place)
            for one in loaders_in(evaluator, expression, frame) if looked_into else ():
                span = _span_of(evaluator, one.call) if one.call not in seen else None
                seen.add(one.call)
                if span is not None:
                    yield Nested(facts.span(expression), shortened(facts.text(expression)), span, one.assumptions)


def _span_of(evaluator: Evaluator, call: int) -> Span | None:
    """Return where a call stands, by its identity; None for one that asks for the worker how many it is to have."""
    for facts in evaluator.project.all_python():
        site = facts.sites.get(call)
        if site is not None:
            given = [*site.node.args, *(one.value for one in site.node.keywords)]
            asks = told_apart(site.place) or any(asks_for_worker(one, site.place.scope) for one in given)
            return None if asks else facts.span(site.node)
    return None


# --- threads and compiled functions ---


def _threads(evaluator: Evaluator, running: Sequence[Function]) -> Iterator[Touch]:
    """Yield where worker code has torch compute with several threads."""
    for function in running:
        for site in function.scope.calls:
            given = [*site.node.args, *(one.value for one in site.node.keywords)][:1]
            if called_name(site.node) != "set_num_threads" or not given:
                continue
            frame = Frame(function.facts, site.place, receiver=function.receiver)
            with evaluator.steps(STEPS):
                if not _is(evaluator, site.node.func, frame, "torch.set_num_threads"):
                    continue
                for one in evaluator.evaluate(given[0], frame):
                    several = isinstance(one.thing, int) and one.thing > 1
                    if several or isinstance(one.thing, CpuCount):
                        yield from _touches(evaluator, function, site, one)
                        break


def _is(evaluator: Evaluator, node: ast.expr, frame: Frame, *names: str) -> bool:
    return any(isinstance(one.thing, External) and one.thing.name in names for one in evaluator.evaluate(node, frame))


def _compiled_calls(evaluator: Evaluator, running: Sequence[Function]) -> Iterator[CompiledCall]:
    """Yield the calls of worker code to what ``torch.compile`` gave."""
    names = evaluator.remembered(("names of what is compiled",), None, lambda: _names_compiled(evaluator))
    inside = {id(function.node) for function in running}
    for function in running if names else ():
        for site in function.scope.calls:
            if not may_be_one_of(site.node.func, names):
                continue
            with evaluator.steps(STEPS):
                made = _compiled(evaluator, site, function)
                if made is None:
                    continue
                one, facts, span = made
                for touch in _touches(evaluator, function, site, one):
                    elsewhere = _is_called_outside(evaluator, site, one, {facts, function.facts}, inside)
                    yield CompiledCall(touch.span, touch.what, span, elsewhere, touch.assumptions)


def _names_compiled(evaluator: Evaluator) -> frozenset[str]:
    """Return the names that something compiled can be called by, none where nothing compiles."""
    compiling = [facts for facts in evaluator.project.all_python() if "compile" in facts.source.text]
    decorated = {
        scope.name
        for facts in compiling
        for scope in facts.scopes.values()
        if isinstance(scope.node, FunctionNode) and any(map(_compiles, scope.node.decorator_list))
    }
    makers = names_of(evaluator.project, {"compile"}) if compiling else frozenset[str]()
    if not decorated and not any(makers & facts.calls.keys() for facts in compiling):
        return frozenset()
    return names_of(evaluator.project, {*decorated, *(f"{name}()" for name in makers)})


def _compiles(decorator: ast.expr) -> bool:
    name = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) or ""
    return name.rpartition(".")[2] == "compile"


def _compiled(evaluator: Evaluator, site: CallSite, function: Function) -> tuple[Possibility, PythonFacts, Span] | None:
    """Return what a call calls, where that is compiled, with where it was."""
    for one in evaluator.evaluate(site.node.func, Frame(function.facts, site.place, receiver=function.receiver)):
        thing = one.thing
        if isinstance(thing, Made) and thing.callee == "torch.compile":
            if not _by_inductor(evaluator, thing.call, thing.frame):
                return None
            return one, thing.frame.facts, thing.frame.facts.span(thing.call)
        if isinstance(thing, Function) and isinstance(thing.node, FunctionNode):
            for decorator in thing.node.decorator_list:
                if dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) == "torch.compile":
                    # A decorator is read in the scope around the function.
                    around = Frame(thing.facts, thing.scope.defined) if thing.scope.defined is not None else None
                    if isinstance(decorator, ast.Call) and not _by_inductor(evaluator, decorator, around):
                        return None
                    return one, thing.facts, thing.facts.span(decorator)
    return None


def _by_inductor(evaluator: Evaluator, call: ast.Call, frame: Frame | None) -> bool:
    """Return whether a call of ``torch.compile`` compiles, and by the backend that keeps threads for it."""
    wanted = {"backend": "inductor", "disable": False}
    for keyword in call.keywords:
        if keyword.arg is None:
            return False
        if keyword.arg in wanted:
            things = [one.thing for one in evaluator.evaluate(keyword.value, frame)] if frame is not None else []
            if not things or any(thing != wanted[keyword.arg] for thing in things):
                return False
    return True


def _is_called_outside(
    evaluator: Evaluator, site: CallSite, one: Possibility, files: set[PythonFacts], inside: set[int]
) -> bool:
    """Return whether something else than worker code calls the same, in a file that knows it."""
    for facts in files:
        for other in facts.calls.get(called_name(site.node), ()):
            if id(other.place.scope.node) in inside:
                continue
            for met in evaluator.evaluate(other.node.func, Frame(facts, other.place)):
                same = isinstance(met.thing, Made) and isinstance(one.thing, Made) and met.thing.call is one.thing.call
                if same or (
                    isinstance(met.thing, Function)
                    and isinstance(one.thing, Function)
                    and met.thing.node is one.thing.node
                ):
                    return True
    return False
