"""Which files make one program, and what that program does around its loaders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from loaderlint.linking.evaluate import Evaluator
from loaderlint.linking.running import (
    Iterations,
    compile_touches,
    cuda_touches,
    iterations,
    start_methods,
)
from loaderlint.linking.sites import PythonSite
from loaderlint.model.loader import Loader, Program, Touch
from loaderlint.model.value import Candidate
from loaderlint.readers.python import PythonFacts


class Programs:
    """The programs of a project: every file that can be started, with the files it imports."""

    def __init__(self, evaluator: Evaluator, sites: Sequence[tuple[PythonSite, Loader]]) -> None:
        self._evaluator = evaluator
        self._sites = sites
        self._iterations: dict[str, Iterations] = {}
        self._facts: dict[str, tuple[tuple[Candidate, ...], tuple[Touch, ...], tuple[Touch, ...]]] = {}

    def joined(self) -> tuple[Loader, ...]:
        """Return the loaders, each with the program that iterates it."""
        return tuple(self._with_program(site, loader) for site, loader in self._sites)

    @cached_property
    def _imports(self) -> dict[str, frozenset[str]]:
        """The paths of the project files that each file imports."""
        found: dict[str, frozenset[str]] = {}
        for facts in self._evaluator.project.all_python():
            found[facts.source.path] = frozenset(self._imported_by(facts))
        return found

    def _imported_by(self, facts: PythonFacts) -> Iterable[str]:
        project, importer = self._evaluator.project, facts.source.path
        for scope in facts.scopes.values():
            for bindings in scope.bindings.values():
                for one in bindings:
                    if one.kind == "import":
                        base = one.target.rpartition(".")[0]
                        for name in (one.target, base):
                            path = project.module(name, importer) if name.strip(".") or name else None
                            if path is not None and path != importer:
                                yield path

    def _reached_from(self, path: str) -> frozenset[str]:
        reached = {path}
        waiting = [path]
        while waiting:
            for one in self._imports.get(waiting.pop(), ()):
                if one not in reached:
                    reached.add(one)
                    waiting.append(one)
        return frozenset(reached)

    @cached_property
    def _closures(self) -> dict[str, frozenset[str]]:
        return {path: self._reached_from(path) for path in self._imports}

    def _with_program(self, site: PythonSite, loader: Loader) -> Loader:
        path = site.frame.facts.source.path
        unguarded: list[Touch] = []
        guarded = False
        files = {path}
        for entry, reached in self._closures.items():
            if path not in reached:
                continue
            run = self._run(entry)
            at_import = run.at_import.get(id(site.call), [])
            unguarded.extend(at_import)
            guarded = guarded or id(site.call) in run.guarded
            if entry == path or at_import or id(site.call) in run.guarded:
                files |= reached
        program = self._program(files, False if unguarded else (True if guarded else None))
        return replace(loader, unguarded=tuple(unguarded), program=program)

    def _run(self, path: str) -> Iterations:
        if path not in self._iterations:
            facts = self._evaluator.project.python(path)
            self._iterations[path] = iterations(self._evaluator, facts) if facts is not None else Iterations()
        return self._iterations[path]

    def _program(self, files: set[str], guarded: bool | None) -> Program:
        methods: list[Candidate] = []
        cuda: list[Touch] = []
        compiled: list[Touch] = []
        for path in sorted(files):
            one_methods, one_cuda, one_compiled = self._facts_of(path)
            methods.extend(one_methods)
            cuda.extend(one_cuda)
            compiled.extend(one_compiled)
        loaders = tuple(loader for site, loader in self._sites if site.frame.facts.source.path in files)
        return Program(guarded, tuple(methods), tuple(cuda), tuple(compiled), loaders)

    def _facts_of(self, path: str) -> tuple[tuple[Candidate, ...], tuple[Touch, ...], tuple[Touch, ...]]:
        if path not in self._facts:
            facts = self._evaluator.project.python(path)
            if facts is None:
                return (), (), ()
            worker_spans = {touch.span for _, loader in self._sites for touch in loader.payload.cuda}
            touches = (
                touch
                for scope in facts.scopes.values()
                for touch in cuda_touches(self._evaluator, facts, scope)
                if touch.span not in worker_spans
            )
            self._facts[path] = (
                tuple(start_methods(self._evaluator, facts)),
                # One place is enough to know that the process touches CUDA, and each costs following a device.
                tuple(islice(touches, 1)),
                tuple(compile_touches(self._evaluator, facts)),
            )
        return self._facts[path]
