"""Who is called by a configuration: the functions and classes of the project that one names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.configurations import configured_calls
from loaderlint.linking.things.kinds import Class, Frame, Function, end_of
from loaderlint.linking.things.made_calls import SettingsCaller
from loaderlint.readers.python import PythonFacts

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class ConfiguredCallers:
    """The calls that configurations ask for, by the last part of the name they give."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._by_last_name: dict[str, list[tuple[str, SettingsCaller]]] | None = None

    def forget(self) -> None:
        """Forget them: they may be others once all configurations were followed."""
        self._by_last_name = None

    def of(self, name: str, facts: PythonFacts) -> Iterator[SettingsCaller]:
        """Yield the calls that may be of what a file defines under a name."""
        if self._by_last_name is None:
            # Whoever asks while these are being found is told of none.
            self._by_last_name = {}
            self._by_last_name = self._found()
        for dotted_name, caller in self._by_last_name.get(name, ()):
            # Who composes the configuration may be in a file that says nothing of loaders.
            self._evaluator.mentioned.update(("hydra.main", "hydra.utils", "hydra import"))
            module = dotted_name.rpartition(".")[0]
            paths = self._evaluator.project.modules_ending(module, caller.span.path) if module else []
            if not module or facts.source.path in paths or self._is_handed_on(name, facts, paths):
                yield caller

    def _found(self) -> dict[str, list[tuple[str, SettingsCaller]]]:
        found: dict[str, list[tuple[str, SettingsCaller]]] = {}
        for callers in (configured_calls.instantiations, configured_calls.of_users):
            for dotted_name, caller in callers(self._evaluator):
                found.setdefault(dotted_name.rpartition(".")[2], []).append((dotted_name, caller))
        return found

    def _is_handed_on(self, name: str, facts: PythonFacts, paths: Iterable[str]) -> bool:
        """Return whether one of some modules imports a name of another one: a package says what it offers."""
        return any(facts.source.path in self._brought_in(name, path) for path in paths)

    def _brought_in(self, name: str, path: str) -> frozenset[str]:
        """Return the files that define what a module imports under a name."""
        facts = self._evaluator.project.python(path)
        bound = facts.module.bindings.get(name, ()) if facts is not None else ()
        if facts is None or not any(one.kind == "import" for one in bound):
            return frozenset()

        def follow() -> frozenset[str]:
            end = end_of(facts.module)
            found = self._evaluator.bound(
                name, Frame(facts, end), None, facts.span(facts.module.bindings[name][0].node)
            )
            things = (one.thing for one in found if isinstance(one.thing, Class | Function))
            return frozenset(one.facts.source.path for one in things if one.scope.name == name)

        return self._evaluator.once(("brought in", path, name), frozenset(), follow)
