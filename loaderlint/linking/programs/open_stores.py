"""Files that a program keeps open to write them in parts, and samples read: tables of arrays, and data bases."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Function, Instance
from loaderlint.linking.workers.file_paths import UNSEEN, may_be, texts_of
from loaderlint.linking.workers.top_level import full_name, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_ONLY_READS = frozenset({"c", "r", "ro"})
_STORES: Mapping[str, tuple[int, str]] = {
    "h5py.File": (1, "r"),
    "lmdb.open": (1, ""),
    "numpy.lib.format.open_memmap": (1, "r+"),
    "numpy.load": (1, "r"),
    "numpy.memmap": (2, "r+"),
    "shelve.open": (1, "c+"),
    "sqlite3.connect": (1, ""),
    "zarr.open": (1, "a"),
}
"""What opens such files, with the place of the mode and what it is without one.

docs.h5py.org, "File Objects" (3); lmdb.readthedocs.io, "Environment class"; numpy.org, ``numpy.memmap`` and
``open_memmap``; docs.python.org, ``shelve`` and ``sqlite3``; zarr.readthedocs.io, ``zarr.open``.
"""
_LAST = frozenset(name.rpartition(".")[2] for name in _STORES)

_PATHS = frozenset({"database", "file", "filename", "name", "path", "store"})
"""Keywords of theirs for the path."""


class _Store(NamedTuple):
    """What a call of a library opens: a path, with marks for what is not seen of it."""

    library: str
    path: str

    @property
    def is_seen(self) -> bool:
        """Whether the last part of the path is."""
        return UNSEEN not in self.path.rpartition("/")[2]


def stores_written(
    evaluator: Evaluator,
    sent: Sequence[Instance],
    running: Sequence[Function],
    files: Sequence[PythonFacts],
    iterated: WhileIterated,
) -> Iterator[Touch]:
    """Yield what a program opened to write in parts, and speaks of while it iterates a loader whose samples read it."""
    making = [classes.constructor(evaluator, one.of) for one in sent]
    readers = [*running, *(one for one in making if one is not None)]
    read = {
        store
        for one in readers
        for site in one.scope.calls
        for store in _stores(evaluator, one.facts, one.scope, site.node)
    }
    inside = {id(one.node) for one in readers}
    for facts in files if read else ():
        for site in (site for name in sorted(_LAST & facts.calls.keys()) for site in facts.calls[name]):
            scope = site.place.scope
            if id(scope.node) in inside or not _may_write(scope, site.node):
                continue
            stores = _stores(evaluator, facts, scope, site.node)
            if any(_may_be_same(one, other) for one in stores for other in read) and (
                iterated.holds(facts, scope, site.node) or any(map(iterated.speaks_of, _names(scope, site.node)))
            ):
                yield touch_at(facts, site.node)


def _stores(evaluator: Evaluator, facts: PythonFacts, scope: Scope, call: ast.Call) -> Iterator[_Store]:
    name = full_name(scope, dotted(call.func) or "")
    if name in _STORES:
        given = [*call.args[:1], *(one.value for one in call.keywords if one.arg in _PATHS)]
        for path in (path for named in given for path in texts_of(evaluator, facts, scope, named)):
            yield _Store(name.partition(".")[0], path.removeprefix("./"))


def _may_be_same(one: _Store, other: _Store) -> bool:
    """Return whether two calls may open the same: a path that is not seen may be another such, none that is."""
    if one.is_seen is not other.is_seen:
        return False
    return (one.is_seen or one.library == other.library) and may_be(one.path, other.path)


def _may_write(scope: Scope, call: ast.Call) -> bool:
    name = full_name(scope, dotted(call.func) or "")
    if name not in _STORES:
        return False
    position, default = _STORES[name]
    given = keywords_of(call)
    mode = given.get("mode", given.get("mmap_mode", call.args[position] if len(call.args) > position else None))
    if isinstance(given.get("readonly"), ast.Constant) and name == "lmdb.open":
        return False
    if mode is None:
        return default not in _ONLY_READS
    return not (isinstance(mode, ast.Constant) and mode.value in _ONLY_READS)


def _names(scope: Scope, call: ast.Call) -> Iterator[str]:
    """Yield the last names of what a call gives."""
    for name, bindings in scope.bindings.items():
        if any(one.value is call and one.kind == "assign" for one in bindings):
            yield name.rpartition(".")[2]
