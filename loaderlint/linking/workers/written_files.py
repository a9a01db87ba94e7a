"""What modules read of files when they are imported, and a program writes later: a worker reads what it wrote.

A file is told by what names it: the end of its path, as far as that is seen, or a name at the top level of a module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from loaderlint.linking.workers.file_paths import NAMES_ALONE, UNSEEN, files_named, may_be, texts_of
from loaderlint.linking.workers.file_reads import paths_read
from loaderlint.linking.workers.file_writes import keeps_open, starts_programs, written_by, written_into
from loaderlint.linking.workers.top_level import is_later, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, Scope, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_Written: TypeAlias = dict[str, dict[str, Touch]]
"""Where files are written, by the last part of their paths, and by the whole of what was seen of these."""


class _Write(NamedTuple):
    """A call that changes files, by what names them; or the folders ``into`` which it writes some."""

    facts: PythonFacts
    site: CallSite
    named: Sequence[ast.expr]
    into: Sequence[ast.expr] = ()


class WrittenFiles:
    """The files that a program writes after its modules were imported."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._written: _Written = {}
        self._vaguely: dict[str, Touch] = {}
        self._known: dict[str, Touch | None] = {}
        self.lost: Touch | None = None
        """Where something is written that the import of a module writes over, or opens anew, in each worker."""
        self._note_all()

    @property
    def exist(self) -> bool:
        """Whether any file is written."""
        return bool(self._written or self._vaguely)

    def met(self, facts: PythonFacts, scope: Scope, nodes: Iterable[ast.AST]) -> Touch | None:
        """Return where a file is written that calls among some nodes read, or only name."""
        calls = (one for one in nodes if isinstance(one, ast.Call)) if self.exist else ()
        return next((touch for call in calls for touch in self._named(facts, scope, call)), None)

    def _named(self, facts: PythonFacts, scope: Scope, call: ast.Call) -> Iterator[Touch]:
        """Yield where a file is written that a call names, but does not write."""
        evaluator = self._evaluator
        if called_name(call) in NAMES_ALONE or written_by(evaluator, facts, scope, call):
            return
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        for one in (*_handed(call), *owner):
            yield from (
                touch for file in files_named(evaluator, facts, scope, one) for touch in _met(self._written, file)
            )
        for path in paths_read(evaluator, facts, scope, call):
            touch = self._met_by(path)
            if touch is not None:
                yield touch

    def _met_by(self, path: str) -> Touch | None:
        """Return where a file is written that is not known to be another than one that is read."""
        if path not in self._known:
            vague = (touch for other, touch in self._vaguely.items() if may_be(path, other))
            # What is read of an unseen name may be whatever is written.
            plain = (each for by_path in self._written.values() for each in by_path.items()) if UNSEEN in path else ()
            written = (touch for other, touch in plain if ":" not in other and may_be(path, other))
            self._known[path] = min((*vague, *written), key=lambda one: (one.span.path, one.span.start), default=None)
        return self._known[path]

    def _note_all(self) -> None:
        evaluator, lost = self._evaluator, list[Touch]()
        at_import: _Written = {}
        writers: dict[str, set[str]] = {}
        for one in _writes(evaluator):
            scope = one.site.place.scope
            handed = {node.id for node in one.named if isinstance(node, ast.Name) and _is_handed(scope, node.id)}
            if handed:
                writers.setdefault(scope.name, set()).update(_places(scope, handed))
            later = is_later(evaluator, one.facts, one.site.node, one.site.place)
            _note(self._written if later else at_import, evaluator, one)
            if later and not handed:
                self._note_vaguely(one)
            if not later and _is_kept(evaluator, one):
                lost.append(touch_at(one.facts, one.site.node))
        for name, places in sorted(writers.items()):
            for facts in evaluator.project.all_python():
                for site in facts.calls.get(name, ()):
                    later = is_later(evaluator, facts, site.node, site.place)
                    write = _Write(facts, site, _handed(site.node))
                    _note(self._written if later else at_import, evaluator, write)
                    if later:
                        self._note_vaguely(write._replace(named=_at(site.node, places)))
        lost += (touch for several in at_import.values() for file in several for touch in _met(self._written, file))
        self.lost = min(lost, key=lambda one: (one.span.path, one.span.start), default=None)

    def _note_vaguely(self, write: _Write) -> None:
        """Add the files that a call changes of whose names not enough is seen."""
        for path in _vague(self._evaluator, write):
            self._vaguely.setdefault(path, touch_at(write.facts, write.site.node))


def _writes(evaluator: Evaluator) -> Iterator[_Write]:
    for facts in evaluator.project.all_python():
        for scope in facts.scopes.values():
            for site in scope.calls:
                named = [
                    one
                    for one in written_by(evaluator, facts, scope, site.node)
                    if not _is_open(evaluator, facts, scope, one)
                ]
                into = written_into(facts, scope, site.node)
                if named or into or starts_programs(scope, site.node):
                    yield _Write(facts, site, named, into)


def _note(written: _Written, evaluator: Evaluator, write: _Write) -> None:
    """Add the files that a call changes to those that are ``written``."""
    touch = touch_at(write.facts, write.site.node)
    for node in write.named:
        for file in files_named(evaluator, write.facts, write.site.place.scope, node):
            written.setdefault(file.rpartition("/")[2], {}).setdefault(file, touch)


def _met(written: _Written, file: str) -> Iterator[Touch]:
    """Yield where what may be a file is written."""
    return (touch for other, touch in written.get(file.rpartition("/")[2], {}).items() if may_be(file, other))


def _is_kept(evaluator: Evaluator, write: _Write) -> bool:
    """Return whether the top level of a file keeps what it opened to write it: others write by that later."""
    scope, call = write.site.place.scope, write.site.node
    bound = (one.value for bindings in scope.bindings.values() for one in bindings if one.kind == "assign")
    return any(one is call for one in bound) and keeps_open(evaluator, write.facts, scope, call)


def _is_handed(scope: Scope, name: str) -> bool:
    """Return whether a name is that of a parameter of a function, which has no other value there."""
    bindings = scope.bindings.get(name, ())
    return bool(bindings) and all(one.kind == "parameter" for one in bindings)


def _places(scope: Scope, handed: Set[str]) -> Iterator[str]:
    """Yield the names of some parameters, and their places in a call (``1``)."""
    bound = scope.parent is not None and scope.parent.is_class
    taken = [one.arg for one in parameters(scope.node)][bound:] if isinstance(scope.node, FunctionNode) else []
    yield from handed
    yield from (str(place) for place, name in enumerate(taken) if name in handed)


def _at(call: ast.Call, places: Set[str]) -> Sequence[ast.expr]:
    """Return what a call hands over at some places."""
    by_name = (value for name, value in keywords_of(call).items() if name in places)
    return [*(one for place, one in enumerate(call.args) if str(place) in places), *by_name]


def _is_open(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr) -> bool:
    """Return whether what a call writes to was opened before, which is looked at by itself."""
    values = [one.value for one in scope.bindings.get(node.id, ())] if isinstance(node, ast.Name) else [node]
    return bool(values) and all(
        isinstance(one, ast.Call) and bool(keeps_open(evaluator, facts, scope, one)) for one in values
    )


def _handed(call: ast.Call) -> Sequence[ast.expr]:
    return [*call.args, *(one.value for one in call.keywords)]


def _vague(evaluator: Evaluator, write: _Write) -> Iterator[str]:
    """Yield the paths that a call may write of which a part is not seen."""
    scope = write.site.place.scope

    def texts(node: ast.expr) -> Sequence[str]:
        return texts_of(evaluator, write.facts, scope, node)

    for one in write.into:
        yield from (f"{text.rstrip('/')}/{UNSEEN}".removeprefix("./") for text in texts(one))
    for one in write.named:
        # What ends in all of a file's own name is compared by that (`files_named`).
        yield from (text for text in texts(one) if UNSEEN in text.rpartition("/")[2])
    if starts_programs(scope, write.site.node):
        yield UNSEEN
