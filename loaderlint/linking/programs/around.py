"""Which files make one program, and what that program does around its loaders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.files.imports import Imports
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.following.running import (
    Iterations,
    compile_touches,
    cuda_touches,
    iterations,
    start_methods,
)
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.programs.accumulation import accumulation
from loaderlint.linking.programs.arriving import arriving
from loaderlint.linking.programs.changed_datasets import changes_between_epochs
from loaderlint.linking.programs.draws_beside import draws_beside
from loaderlint.linking.programs.in_one_run import in_one_run
from loaderlint.linking.programs.iterated_together import iterated_together
from loaderlint.linking.programs.jobs import jobs
from loaderlint.linking.programs.loaded_by_name import loaded_by_name
from loaderlint.linking.programs.loader_uses import uses_of
from loaderlint.linking.programs.own_processes import own_processes
from loaderlint.linking.programs.run_by_pytest import is_a_program, run_by_pytest
from loaderlint.linking.programs.sharing_strategies import sharing_strategies
from loaderlint.linking.programs.start_method_calls import start_method_calls
from loaderlint.linking.programs.unsettled import unsettled
from loaderlint.linking.programs.used_on import used_on
from loaderlint.linking.things.guards import end_of_workers
from loaderlint.linking.workers.thread_users import used_before
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.gradually import Gradually, first_of
from loaderlint.model.job import Job
from loaderlint.model.loader import Loader, Program
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.model.uses import Role, StartMethodCall
from loaderlint.model.value import Candidate
from loaderlint.readers.python import PythonFacts, ScopeNode

_Before: TypeAlias = Callable[[Touch, ScopeNode], bool]


class Programs:
    """The programs of a project: every file that can be started, with the files it imports."""

    def __init__(
        self,
        evaluator: Evaluator,
        sites: Sequence[tuple[PythonSite, Loader]],
        given: Sequence[Mapping[str, Given]],
    ) -> None:
        self._evaluator = evaluator
        self._sites = sites
        self._given = given
        self._imports = Imports(evaluator.project)
        self._iterations: dict[str, Iterations] = {}
        self._facts: dict[str, _FileFacts] = {}
        self._methods: dict[str, tuple[tuple[Candidate, bool], ...]] = {}
        self._calls: dict[str, tuple[StartMethodCall, ...]] = {}

    def joined(self) -> tuple[Loader, ...]:
        """Return the loaders, each with the program that iterates it."""
        sites = zip(self._sites, self._given, strict=True)
        joined = [self._with_program(site, loader, given) for (site, loader), given in sites]
        alone = {one.span: replace(one, program=Program()) for one in joined}
        return tuple(replace(one, program=_with_loaders(one.program, alone)) for one in joined)

    def _with_program(self, site: PythonSite, loader: Loader, given: Mapping[str, Given]) -> Loader:
        path = site.frame.facts.source.path
        unguarded: list[Touch] = []
        runs: dict[str, Iterations] = {}
        files = {path}
        started: list[Job] = []
        for entry in sorted(self._imports.users(path)):
            run = self._run(entry)
            if self._evaluator.project.launches.of(entry) and run.makes(site.call, site.frame.scope.node):
                started.extend(jobs(self._evaluator, loader, entry, self._imports.brought_in(entry)))
            at_import = run.at_import.get(id(site.call), [])
            if at_import or id(site.call) in run.guarded:
                runs[entry] = run
            if entry == path or at_import or id(site.call) in run.guarded:
                files |= self._imports.brought_in(entry)
        for entry, run in runs.items():
            other_programs = runs.keys() - self._imports.brought_in(entry)
            tested = run_by_pytest(self._evaluator, entry) if id(site.call) in run.at_import else None
            if tested is not None and not is_a_program(self._evaluator, entry):
                # Its workers import pytest's main file, not this one.
                continue
            for touch in run.at_import.get(id(site.call), []):
                workers = arriving(self._evaluator, site, loader, run.frames_at(site.call, touch), other_programs)
                brought_in = tested or loaded_by_name(self._evaluator, entry)
                unguarded.append(replace(touch, workers=workers, brought_in=brought_in))
            unguarded = [*_reached(unguarded, end), end] if (end := self._end_of_workers(entry)) else unguarded
        guarded = False if unguarded else (True if runs else None)
        ran = tuple(runs.values())
        before: _Before = partial(self._before, ran, id(site.call))
        program = self._program(path, files, guarded)
        calls = tuple(one for entry in runs for one in self._start_method_calls(entry))
        program = replace(program, start_method_calls=tuple(dict.fromkeys(calls)))
        if loader.may_have_workers:
            program = self._beside_workers(program, files, ran, before)
        threads = tuple(used_before(self._evaluator, loader.payload.code.inherited, sorted(files), before))
        program = replace(program, jobs=tuple(started), threads=threads)
        uses = uses_of(self._evaluator, site, given, ran, sorted(files))
        if loader.may_have_workers:
            hanging = Gradually(unsettled(self._evaluator, site, given, ran, files, loader.payload))
            drawing = draws_beside(self._evaluator, site, given, ran, loader.payload.code.draws)
            iterated_on = used_on(self._evaluator, site, loader.platforms)
            uses = replace(uses, unsettled=hanging, draws_beside=first_of(drawing), iterated_on=iterated_on)
        if any(one.constant for one in loader.option("persistent_workers").known):
            changes = changes_between_epochs(self._evaluator, site, given, ran, uses.iterations)
            second = iterated_together(self._evaluator, site, ran)
            others = [other for other, _ in self._sites if other.frame.facts.source.path in files]
            beside = frozenset(in_one_run(self._evaluator, site, others, ran or (self._run(path),)))
            uses = replace(uses, changes=tuple(changes), together=tuple(second), beside=beside)
        if uses.role is Role.TRAINING and not site.kind.accumulation:
            loader = replace(loader, accumulation=accumulation(self._evaluator, sorted(files)))
        return replace(loader, unguarded=tuple(unguarded), program=program, uses=uses)

    def _end_of_workers(self, entry: str) -> Touch | None:
        facts = self._evaluator.project.python(entry)
        return end_of_workers(self._evaluator, facts) if facts is not None else None

    def _start_method_calls(self, entry: str) -> tuple[StartMethodCall, ...]:
        if entry not in self._calls:
            self._calls[entry] = tuple(start_method_calls(self._evaluator, entry, self._run))
        return self._calls[entry]

    def _run(self, path: str) -> Iterations:
        if path not in self._iterations:
            facts = self._evaluator.project.python(path)
            self._iterations[path] = iterations(self._evaluator, facts) if facts is not None else Iterations()
        return self._iterations[path]

    def _program(self, made_in: str, files: set[str], guarded: bool | None) -> Program:
        asked = [(path, *one) for path in sorted(files) for one in self._start_methods_in(path)]
        everywhere = {one.span for _, one, as_main in asked if not as_main}
        alone = {one.span: path for path, one, _ in asked if one.span not in everywhere}
        return Program(
            guarded,
            tuple(one for _, one, _ in asked),
            loaders=tuple(loader for site, loader in self._sites if site.frame.facts.source.path in files),
            apart={span: self._apart(path, made_in) for span, path in alone.items()},
        )

    def _apart(self, main: str, made_in: str) -> frozenset[str]:
        """Return the files that come to a loader, but never in the program that a main file is."""
        others = self._imports.users(made_in) - self._evaluator.project.brought_in([main])
        return frozenset(one for one in others if loaded_by_name(self._evaluator, one) is None)

    def _beside_workers(
        self, program: Program, files: set[str], runs: Sequence[Iterations], before: _Before
    ) -> Program:
        """Return the program with what else it does that its workers may suffer from."""
        paths = sorted(files)
        return replace(
            program,
            cuda=Gradually(one for path in paths for one, scope in self._facts_of(path).cuda if before(one, scope)),
            compiled=Gradually(one for path in paths for one in self._facts_of(path).compiled),
            processes=Gradually(one for path in paths for one in self._facts_of(path).processes),
            sharing_strategies=tuple(sharing_strategies(self._evaluator, sorted(files), runs)),
        )

    def _start_methods_in(self, path: str) -> tuple[tuple[Candidate, bool], ...]:
        if path not in self._methods:
            project = self._evaluator.project
            facts = project.python(path) if project.mentions(path, ["set_start_method"]) else None
            self._methods[path] = tuple(start_methods(self._evaluator, facts)) if facts is not None else ()
        return self._methods[path]

    def _facts_of(self, path: str) -> _FileFacts:
        if path not in self._facts:
            facts = self._evaluator.project.python(path)
            if facts is None:
                return _FileFacts()
            self._facts[path] = _FileFacts(
                Gradually(self._cuda_of(facts)),
                Gradually(compile_touches(self._evaluator, facts)),
                Gradually(own_processes(self._evaluator, facts)),
            )
        return self._facts[path]

    def _cuda_of(self, facts: PythonFacts) -> Iterator[tuple[Touch, ScopeNode]]:
        """Yield where a file touches CUDA outside the workers, one place of a scope for each set of assumptions."""
        in_workers = {touch.span for _, loader in self._sites for touch in loader.payload.cuda}
        for scope in facts.scopes.values():
            seen: set[Assumptions] = set()
            for touch in cuda_touches(self._evaluator, facts, scope):
                if touch.span not in in_workers and touch.assumptions not in seen:
                    seen.add(touch.assumptions)
                    yield touch, scope.node
                if NO_ASSUMPTIONS in seen:
                    break

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset(name for facts in self._evaluator.project.all_python() for name in facts.calls)

    def _before(self, runs: Sequence[Iterations], call: int, touch: Touch, scope: ScopeNode) -> bool:
        """Return whether a touch can come before the workers of a loader start, as far as that was seen.

        It cannot in a function that nothing calls, nor below the only place that iterates the loader.
        """
        name = getattr(scope, "name", "")
        if runs and name and name not in self._called and not any(id(scope) in run.scopes for run in runs):
            return False
        return not runs or any(
            call in run.again
            or not any(
                where == id(scope) and span.path == touch.span.path and touch.span.start > span.end
                for where, span in run.once.get(call, ())
            )
            for run in runs
        )


def _reached(touches: Sequence[Touch], end: Touch) -> list[Touch]:
    """Return the touches that a worker comes to before what ends it, and those of other files."""
    return [one for one in touches if one.span.path != end.span.path or one.span < end.span]


def _with_loaders(program: Program, by_span: Mapping[Span, Loader]) -> Program:
    """Return the program with its loaders as they were found, each with what the program does with it."""
    return replace(program, loaders=tuple(by_span.get(one.span, one) for one in program.loaders))


class _FileFacts(Struct, frozen=True):
    """What one file does to the process, each CUDA touch with the function (or module) it stands in."""

    cuda: Sequence[tuple[Touch, ScopeNode]] = ()
    compiled: Sequence[Touch] = ()
    processes: Sequence[Touch] = ()
