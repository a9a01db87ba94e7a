"""The fixes that several rules share: what should be true of a loader, whatever language it is written in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loaderlint.model.assumptions import CUDA, Cases, together
from loaderlint.model.edit import (
    AddOption,
    Drop,
    Edit,
    Fix,
    GuardEntryPoint,
    Hoist,
    OnlyWithWorkers,
    Remedy,
    SetValue,
    Unfixed,
)
from loaderlint.model.loader import WORKER_OPTIONS, Loader, arrives, left_out
from loaderlint.model.other_samples import other_samples
from loaderlint.model.payload import Touch
from loaderlint.model.source import Language, Span
from loaderlint.model.target import StartMethod, Target
from loaderlint.model.value import Candidate, Constant, SaidAlike, Value, meetings, met_in_runs

_SHARED = "the value also serves something else"
_SAME = "another loader gets the same value"
_NEEDED = "another loader, which may have workers of its own, gets the same value"
_STARTS_WITHIN = 10
"""Seconds in which a worker that is a fresh interpreter had begun wherever we tried it (LL503)."""
LONG_ENOUGH = 60
"""Seconds that are given to such workers where a program gave fewer than they may take."""


def single_process(loader: Loader, workers: Candidate, target: Target, count: int = 0) -> Remedy:
    """Return the fix that makes this worker count ``count``, and the zero-workers bundle when that is 0.

    torch raises when an option of the bundle stays behind (HAZARDS 1.3). A count that also serves something else than
    loaders stays as it is; the loader's own argument is changed instead.
    """
    argument = loader.num_workers.argument
    serves_others = workers.said_alike is not None or workers.serves_others
    at_the_call = loader.num_workers.at_the_call if serves_others else None
    positional = loader.callee in _OF_TORCH and workers.span == argument and workers.entry is None
    keyword = "num_workers" if positional and not at_the_call else ""
    edits: list[Edit] = [SetValue(at_the_call or workers.span, count, keyword=keyword)]
    if _cannot_be_set(workers) and not at_the_call:
        return _left_there(workers)
    if count == 0 and not at_the_call and workers.refuses_lower():
        return Unfixed("a declaration that it comes by may refuse 0")
    unseen, needed, shared = "", False, workers.serves_others and not at_the_call
    # At the call it is the count of every run that comes there which changes.
    counts = loader.asked_for_on(target) if at_the_call else (workers,)
    for option in WORKER_OPTIONS if count == 0 else ():
        dropped = _without_workers(loader, option, counts, target, follows=not at_the_call)
        edits.extend(one for one in dropped if one not in edits)
        places = {one.span for one in dropped}
        taken = [at for one in loader.option(option).written for span in places if (at := one.written_at(span))]
        for one in taken:
            if _cannot_be_set(one):
                return _left_there(one)
        shared = shared or any(one.serves_others for one in taken)
        needed = needed or any(one.needed_elsewhere() for one in taken)
        if not dropped and _comes_unseen(loader.option(option), counts, follows=not at_the_call):
            unseen = unseen or option
    title = f"set num_workers to {count}" + (" and drop what needs workers" if len(edits) > 1 else "")
    # What the loader's own argument becomes makes up for any count that comes to it.
    follows = workers.sources if at_the_call or argument is None else workers.sources | {argument}
    fix = Fix(title, tuple(edits), follows=follows, kept=_kept(workers) if at_the_call else "")
    if shared:
        return fix.unsafe(_SHARED)
    if needed:
        return fix.unsafe(_NEEDED)
    asked = unless_asked(fix, loader, "num_workers", *(WORKER_OPTIONS if count == 0 else ()))
    if asked is not fix:
        return asked
    if not at_the_call and _becomes_a_case(loader, workers, count, target):
        return fix.unsafe("several cases of the test then are one")
    if loader.may_be_guarded and any(isinstance(one, OnlyWithWorkers) for one in edits):
        return fix.unsafe("what torch refuses here is caught, and would be loaded on every platform")
    if unseen:
        return fix.unsafe(f"a {unseen} that was not seen may come, and would need workers")
    if count == 0:
        for option, place in loader.given_beside.items():
            if option not in loader.options:
                return fix.unsafe(f"the {option} of {place.place} may come to the same loader, and would need workers")
    reason = next(other_samples(loader, count, target), None)
    return fix if reason is None else fix.unsafe(reason)


def _becomes_a_case(loader: Loader, workers: Candidate, count: int, target: Target) -> bool:
    """Return whether a test that is written to run with several worker counts then runs twice with one."""
    cases = {one for one in workers.assumptions if isinstance(one.subject, Cases)}
    if not cases:
        return False
    return any(
        case.subject == one.subject and case.answer != one.answer
        for other in loader.num_workers.on(target).known
        if other.constant == count or other.starts_workers(target)
        for one in other.assumptions
        for case in cases
    )


_OF_TORCH = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})
"""The loader whose parameters are known by name and by position (``torch/utils/data/dataloader.py``, torch 2.13)."""


def _without_workers(
    loader: Loader, option: str, counts: Sequence[Candidate], target: Target, *, follows: bool
) -> list[Edit]:
    """Return what takes an option away from runs that have these counts, or one unseen at the loader's own call.

    What hangs on the count ``follows`` by itself where that changes.
    """
    value = loader.option(option)
    written = value.on(target).written
    beside_unseen = [] if follows else [one for one in written if loader.num_workers.open_beside(one)]
    met = [
        dependent
        for workers, dependent in [*met_in_runs(counts, written), *((None, one) for one in beside_unseen)]
        if arrives(option, dependent.constant)
        and dependent.constant != left_out(option, target)
        and not (follows and workers is not None and _goes_with(workers, dependent, option, written))
    ]
    met = list(dict.fromkeys(met))
    comes_unseen = _comes_unseen(value, counts, follows=follows)
    if not (met or comes_unseen):
        return []
    if _varies(loader.num_workers):
        conditional = _only_with_workers(loader, option, target)
        if conditional is not None:
            return [conditional]
        if not comes_unseen:
            return [_counted(one, option, target) or _dropped_here(value, option, one, target) for one in met]
    if comes_unseen:
        # Whatever the expression gives, only its place is known: the call's own argument, if it is one.
        return [] if value.argument is None else [Drop(value.argument, option, left_out(option, target))]
    return [_dropped_here(value, option, dependent, target) for dependent in met]


def _goes_with(workers: Candidate, dependent: Candidate, option: str, others: Sequence[Candidate]) -> bool:
    """Return whether an option is left out by itself where a worker count becomes 0: no other value takes its place."""
    count = workers.span
    gated = count in dependent.gates()
    if not (gated or (count in dependent.sources and count not in dependent.chosen_by())):
        return False
    return not any(
        count not in other.gates() and (count in other.chosen_by() or (gated and not _meet(workers, other)))
        for other in others
        if other != dependent and arrives(option, other.constant)
    )


def _meet(first: Candidate, second: Candidate) -> bool:
    return together(first.assumptions, second.assumptions) is not None


def _comes_unseen(value: Value, counts: Iterable[Candidate], *, follows: bool) -> bool:
    """Return whether something unseen may arrive, other than by a choice that asks for one of these counts first."""
    return value.open and not (follows and any(one.span in value.gates() for one in counts))


def _dropped_here(value: Value, option: str, dependent: Candidate, target: Target) -> Drop:
    """Return what takes an option from one loader: at its own call, where that can be, if the value serves others."""
    argument = value.at_the_call
    if argument is not None and (dependent.serves_others or dependent.names_context):
        return Drop(argument, option, _neutral(option, target), dependent.entry if dependent.span == argument else None)
    return _drop(option, dependent, target)


def drop(loader: Loader, option: str, written: Candidate, target: Target) -> Remedy:
    """Return the fix after which the option no longer arrives."""
    # The method that `get_context` is handed is no context: without one it gives the default context.
    if written.names_context:
        return dropped_at_the_call(loader, option, written, target)
    return unless_shared(Fix(f"drop {loader.spelled(option)}", (_drop(option, written, target),)), written)


def dropped_at_the_call(loader: Loader, option: str, written: Candidate, target: Target) -> Remedy:
    """Return the fix after which the loader's own call no longer gives the option, whatever else its value serves."""
    argument = loader.option(option).at_the_call
    if argument is None:
        fix = unless_shared(Fix(f"drop {loader.spelled(option)}", (_drop(option, written, target),)), written)
        return fix.unsafe(_SAME) if written.needed_elsewhere() else fix
    entry = written.entry if written.span == argument else None
    return Fix(f"drop {loader.spelled(option)}", (Drop(argument, option, _neutral(option, target), entry),))


def default_context(loader: Loader, asked: Candidate, target: Target) -> Remedy:
    """Return the fix after which a loader gets the default start method instead of one that is asked for.

    A context that is made elsewhere is made by the default: ``get_context`` raises before the loader has it, and with
    None it gives the default context (``multiprocessing/context.py``).
    """
    argument = loader.multiprocessing_context.argument
    if not asked.names_context or (argument is not None and argument.holds(asked.span)):
        return drop(loader, "multiprocessing_context", asked, target)
    return unless_shared(Fix("ask for the default start method", (SetValue(asked.span, None),)), asked)


def redundant(loader: Loader, option: str, written: Candidate, other: str, target: Target) -> Remedy:
    """Return the fix that drops an option which another leaves no room for, if the other always does so."""
    value, by_none = loader.option(other), other == "batch_size"
    if value.open or any((one.constant is None) is not by_none for one in value.known):
        return Unfixed(f"{loader.spelled(other)} is not always {'None' if by_none else 'given'}")
    return dropped_at_the_call(loader, option, written, target)


def _neutral(option: str, target: Target) -> Constant:
    return False if option == "shuffle" else left_out(option, target)


def unless_shared(fix: Fix, edited: Candidate) -> Remedy:
    """Return the fix, unsafe where the value it edits also serves something else than loaders."""
    if _cannot_be_set(edited):
        return _left_there(edited)
    return fix.unsafe(_SHARED) if edited.serves_others else fix


def unless_asked(fix: Remedy, loader: Loader, *options: str) -> Remedy:
    """Return the fix of these options, unsafe where the program asks the loader for one of them."""
    asked = next((option for option in options if loader.option(option).read_back()), None)
    return fix if asked is None else fix.unsafe(f"the program asks the loader for its {asked}")


def _cannot_be_set(one: Candidate) -> bool:
    """Return whether a value cannot be changed where it stands, or would have to be in very many files."""
    return one.taken_out or one.said_alike is not None


def _left_there(one: Candidate) -> Unfixed:
    if one.said_alike is not None:
        return Unfixed(f"{_of_many_files(one, one.said_alike)}, and each would have to be changed")
    return Unfixed(f"{_comes_from(one)}, and cannot be set there")


def _comes_from(one: Candidate) -> str:
    return f"{one.shown} is taken out of what stands at {one.span.place}"


def _of_many_files(one: Candidate, alike: SaidAlike) -> str:
    return f"{len(alike.places)} files give {one.shown}"


def _kept(shared: Candidate) -> str:
    if shared.said_alike is not None:
        return _of_many_files(shared, shared.said_alike)
    if shared.taken_out:
        return _comes_from(shared)
    return f"the value in {shared.span.path} also serves something else"


def switched_off(loader: Loader, option: str, written: Candidate, others: Iterable[Loader] = ()) -> Remedy:
    """Return the fix after which the loader gets False for an option.

    It is changed at the loader's own call where the value serves others, such as other loaders that are to keep it, or
    is the answer to a question that others may ask, too: ``torch.cuda.is_available()``.
    """
    return unless_asked(_switched_off(loader, option, written, others), loader, option)


def _switched_off(loader: Loader, option: str, written: Candidate, others: Iterable[Loader]) -> Remedy:
    argument = loader.option(option).at_the_call
    title = f"set {loader.spelled(option)} to False"
    kept = any(one.span == written.span for other in others for one in other.option(option).known)
    serves_others = kept or written.serves_others or any(one.subject == CUDA for one in written.assumptions)
    if argument is not None and serves_others:
        return Fix(title, (SetValue(argument, False),), kept=_kept(written) if written.serves_others else "")
    fix = unless_shared(Fix(title, (SetValue(written.span, False),)), written)
    return fix.unsafe(_SAME) if kept else fix


def drop_without_workers(loader: Loader, option: str, dependent: Candidate, target: Target) -> Remedy:
    """Return the fix for a worker option that meets a worker count of 0: drop it, or give it only with workers."""
    title = f"give {loader.spelled(option)} only when there are workers"
    conditional = _only_with_workers(loader, option, target) if _varies(loader.num_workers) else None
    if conditional is not None:
        return Fix(title, (conditional,))
    counted = _counted(dependent, option, target) if _varies(loader.num_workers) else None
    if counted is not None:
        fix = unless_shared(Fix(title, (counted,)), dependent)
        return fix.unsafe(_NEEDED) if dependent.needed_elsewhere() else fix
    if any(one.span == dependent.span for one in loader.num_workers.written):
        if loader.option(option).at_the_call is None:
            return Unfixed(f"{option} is the worker count itself, written at {dependent.span.place}")
        return dropped_at_the_call(loader, option, dependent, target)
    if dependent.serves_others and not _varies(loader.num_workers):
        return dropped_at_the_call(loader, option, dependent, target)
    fix = drop(loader, option, dependent, target)
    if _may_meet_workers(loader, option, dependent):
        return fix.unsafe("other runs of the same setting have workers")
    return fix.unsafe(_NEEDED) if dependent.needed_elsewhere() else fix


def _may_meet_workers(loader: Loader, option: str, dependent: Candidate) -> bool:
    """Return whether the setting that holds a candidate may arrive together with a worker count that is not 0."""
    same = [at for one in loader.option(option).written if (at := one.written_at(dependent.span)) is not None]
    counts = (workers for workers, _ in meetings(loader.num_workers.known, same))
    return any(map(loader.num_workers.open_beside, same)) or any(one.may_start_workers for one in counts)


def _varies(value: Value) -> bool:
    return value.open or len({candidate.constant for candidate in value.known}) > 1


def _only_with_workers(loader: Loader, option: str, target: Target) -> OnlyWithWorkers | None:
    argument, workers = loader.option(option).at_the_call, loader.num_workers.argument
    if argument is None or workers is None:
        return None
    return OnlyWithWorkers(argument, option, left_out(option, target), workers)


def _counted(dependent: Candidate, option: str, target: Target) -> OnlyWithWorkers | None:
    """Return what gives an option only with workers where the dictionary it is written in says how many there are."""
    workers = dependent.counted()
    return None if workers is None else OnlyWithWorkers(dependent.span, option, left_out(option, target), workers)


def _drop(option: str, dependent: Candidate, target: Target) -> Drop:
    return Drop(dependent.span, option, _neutral(option, target), dependent.entry)


def short_timeouts(loader: Loader, target: Target) -> list[Candidate]:
    """Return the timeouts that may pass before a worker of a fresh interpreter has begun."""
    given = ((one, one.number(target)) for one in loader.option("timeout").on(target).written)
    return [one for one, seconds in given if seconds is not None and 0 < seconds < _STARTS_WITHIN]


def start_method(loader: Loader, method: StartMethod, asked_by: Candidate | None, target: Target) -> Remedy:
    """Return the fix that starts this loader's workers by ``method``, if that does not break the program.

    A fresh interpreter needs a guarded entry point, picklable work and time to begin, so the guard, the hoisted
    callables and a longer timeout are part of the fix. It is unsafe where the guard or all that has to pickle was not
    seen, and where the program sets up what forked workers have. What is asked for the whole process stays where that
    starts others, too, which may need what only a fork gives them.
    """
    asked = loader.program.start_methods
    process_wide = asked_by is not None and any(one.span == asked_by.span for one in asked)
    other = next(iter(loader.program.processes), None) if process_wide else None
    if other is not None and len({one.constant for one in asked}) == 1:
        asked_by = None
    edits: list[Edit] = [_context(loader, method) if asked_by is None else SetValue(asked_by.span, method.value)]
    short = short_timeouts(loader, target) if method.reimports else []
    changed = [*([] if asked_by is None else [asked_by]), *short]
    for candidate in changed:
        if _cannot_be_set(candidate):
            return _left_there(candidate)
    payload = loader.payload
    there = f"workers started by {method.value}"
    for end in loader.unguarded:
        if end.ends:
            return Unfixed(f"{there} import the program's main file, and end at `{end.what}` ({end.span.place})")
    for one in payload.in_notebook:
        return Unfixed(f"{there} cannot import the {one.kind} {one.handed}, which is defined in a notebook")
    for one in payload.unpicklable:
        if one.captures:
            return Unfixed(f"{there} need what pickles, and the {one.kind} {one.handed} uses names from around it")
        if one.decorator:
            made = f"what `@{one.decorator}` makes of the {one.kind} {one.handed}"
            return Unfixed(f"{there} need what pickles, and not {made}")
    for kept in payload.kept:
        if kept.travels and (kept.kind.pickling or kept.kind.unpickling):
            return Unfixed(f"{there} cannot be sent {kept.described}")
    edits.extend(Hoist(one.span) for one in payload.unpicklable)
    edits.extend(GuardEntryPoint(one.span) for one in loader.unguarded)
    edits.extend(SetValue(candidate.span, LONG_ENOUGH) for candidate in short)
    title = f"start the workers by {method.value}" + (f" and set timeout to {LONG_ENOUGH}" if short else "")
    asked_for = ("multiprocessing_context", "timeout") if short else ("multiprocessing_context",)
    fix = unless_asked(Fix(title, tuple(edits)), loader, *asked_for)
    if any(candidate.serves_others for candidate in changed):
        return fix.unsafe(_SHARED)
    if asked_by is not None and other is not None:
        return fix.unsafe(f"`{other.what}` ({other.span.place}) starts another process by the same method")
    for touch in loader.unguarded:
        if touch.brought_in is not None:
            return fix.unsafe(not_run_if_guarded(touch.brought_in))
    if loader.program.guarded is None:
        return fix.unsafe("the program's entry point was not seen, so it may lack a __main__ guard")
    if not payload.seen:
        return fix.unsafe("not all that travels into the workers was seen, so some of it may not pickle")
    for kept in payload.kept:
        if kept.travels and kept.kind.copied:
            return fix.unsafe(f"{there} are each sent all the values of {kept.described}")
    if payload.model:
        return fix.unsafe(f"a model is sent, and {there} share its parameters with the program, which may train it")
    if payload.code.changes_tensors or loader.uses.payload_set:
        whose = "worker code" if payload.code.changes_tensors else "the program"
        return fix.unsafe(f"{whose} changes what is sent, and {there} share the tensors of that with the program")
    if (change := payload.code.left_behind()) is not None:
        return fix.unsafe(
            f"`{change.what}` ({change.span.place}) changes what workers read, and {there} import it anew"
        )
    if (late := payload.code.set_after_read()) is not None:
        return fix.unsafe(begun_with(late))
    return fix


def begun_with(change: Touch) -> str:
    """Return why it is unsafe to have workers import what reads the surroundings that a file sets later."""
    return f"`{change.what}` ({change.span.place}) changes what was read above it, and workers begin with it"


def not_run_if_guarded(brought_in: Touch) -> str:
    """Return why it is unsafe to put what a module runs under its guard."""
    return f"`{brought_in.what}` ({brought_in.span.place}) may import the module, and then nothing under the guard runs"


def added(loader: Loader, option: str, constant: Constant) -> Remedy:
    """Return the fix that gives the loader an option that needs workers, if something says when it has some."""
    workers = loader.num_workers.argument if _varies(loader.num_workers) else None
    if Language.of(loader.span.path) is not Language.PYTHON:
        return Unfixed(f"{option} is added to calls only, and the loader's options stand in {loader.span.path}")
    if _varies(loader.num_workers) and workers is None:
        return Unfixed(f"{option} needs workers, and nothing in the call says how many there are")
    return Fix(f"set {option} to {constant}", (AddOption(loader.span, loader.spelled(option), constant, workers),))


def _context(loader: Loader, method: StartMethod) -> AddOption:
    workers: Span | None = loader.num_workers.argument if _varies(loader.num_workers) else None
    name = loader.spelling.get("multiprocessing_context", "multiprocessing_context")
    return AddOption(loader.span, name, method.value, workers)
