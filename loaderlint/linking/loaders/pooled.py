"""Worker counts of a configuration that a program reads for a pool of processes or threads, not for a loader.

The program says so itself where it names the mapping and the key together, as ``cfg.evaluate.num_workers`` does, and
gives what it reads to a pool.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from typing import TypeAlias

from loaderlint.linking.files.words import as_bytes
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things.kinds import External, Frame, Function, Thing
from loaderlint.nodes import last_name
from loaderlint.readers.python import PythonFacts, parameters
from loaderlint.readers.python_calls import arguments
from loaderlint.readers.tree import KeyPath
from loaderlint.vocabulary.pools import POOL_NAMES, POOLS

_Read: TypeAlias = tuple[ast.expr, ast.expr]
"""What reads a key, and what it is read from."""

_ASKS = frozenset({"get", "pop"})
_METHODS = frozenset({*_ASKS, "copy", "items", "keys", "setdefault", "update", "values"})
"""Methods of a mapping, which are no keys of it."""
_PASSES_ON = frozenset({"int", "max", "min"})
MOST_CALLS = 3
"""Functions of a project that hand a worker count on to each other before it comes to a pool."""


class PoolCounts:
    """The worker counts that the code of a project reads for pools."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._files: dict[str, _KeysRead] = {}
        self._known: dict[tuple[KeyPath, str], bool] = {}

    def has(self, path: KeyPath, key: str) -> bool:
        """Return whether a key of the mapping at a path is read for a pool wherever both their names are.

        That is not known where the mapping is handed on as a whole, nor where a key of this name is read from one that
        is chosen while the program runs: that may be for a loader.
        """
        if not path or not self._evaluator.project.code_mentions(POOL_NAMES):
            return False
        if (path, key) not in self._known:
            self._known[path, key] = self._is_for_pools(path, key)
        return self._known[path, key]

    def _is_for_pools(self, path: KeyPath, key: str) -> bool:
        project = self._evaluator.project
        reads = _reads_in_text(path[-1], key)
        naming = (facts for facts in project.all_python() if reads.search(facts.source.content))
        owners: set[str] = set()
        for here in map(self._read_in, naming):
            for node, mapping in here.by_key.get(key, ()):
                if _is_at(mapping, path):
                    if not self._is_count(here, node):
                        return False
                    owners.add(last_name(_owner(mapping)))
        if not owners or any(self._read_in(facts).is_chosen(key) for facts in project.all_python()):
            return False
        # What hands the mapping on need not name any option of a loader.
        word = re.compile(rb"\b" + re.escape(as_bytes(path[-1])) + rb"\b")
        return not any(self._read_in(facts).hands_on(path, owners) for facts in project.python_files_with(word))

    def _read_in(self, facts: PythonFacts) -> _KeysRead:
        path = facts.source.path
        if path not in self._files:
            self._files[path] = _KeysRead(facts)
        return self._files[path]

    def _is_count(self, here: _KeysRead, node: ast.expr, depth: int = 0) -> bool:
        """Return whether an expression is how many processes or threads a pool gets."""
        given, call = here.given_to(node)
        site = here.facts.sites.get(id(call))
        if site is None:
            return False
        with self._evaluator.steps(STEPS):
            callees = [one.thing for one in self._evaluator.evaluate(site.node.func, Frame(here.facts, site.place))]
        return bool(callees) and all(self._takes_count(one, site.node, given, depth) for one in callees)

    def _takes_count(self, callee: Thing, call: ast.Call, given: ast.AST, depth: int) -> bool:
        if isinstance(callee, External) and callee.name in POOLS:
            count = POOLS[callee.name]
            return arguments(call, [count]).get(count) is given
        if not isinstance(callee, Function) or callee.owner or isinstance(callee.node, ast.Lambda):
            return False
        if depth == MOST_CALLS or any(isinstance(one, ast.Starred) for one in call.args):
            return False
        by_place = [one.arg for one in (*callee.node.args.posonlyargs, *callee.node.args.args)]
        named = [name for name, value in arguments(call, by_place).items() if value is given]
        declared = {one.arg for one in parameters(callee.node)}
        return len(named) == 1 and named[0] in declared and self._is_parameter_count(callee, named[0], depth)

    def _is_parameter_count(self, function: Function, name: str, depth: int) -> bool:
        """Return whether a parameter goes to pools and nowhere else; what it is compared with does not matter."""
        here = self._read_in(function.facts)
        reads = [one for one in ast.walk(function.node) if isinstance(one, ast.Name) and one.id == name]
        used = [one for one in reads if not isinstance(here.around.get(id(one)), ast.Compare)]
        return bool(used) and all(
            isinstance(one.ctx, ast.Load) and self._is_count(here, one, depth + 1) for one in used
        )


class _KeysRead:
    """The keys that a file reads by name, of whatever it may be, and what each expression stands right inside."""

    def __init__(self, facts: PythonFacts) -> None:
        self.facts = facts
        self.around: dict[int, ast.AST] = {}
        self.by_key: dict[str, list[_Read]] = {}
        self._read_further: set[int] = set()
        for around in ast.walk(facts.tree):
            for node in ast.iter_child_nodes(around):
                self.around[id(node)] = around
            read = _key_read(around)
            if read is not None and isinstance(around, ast.expr):
                owner, key = read
                self.by_key.setdefault(key, []).append((around, owner))
                self._read_further.add(id(owner))

    def given_to(self, node: ast.AST) -> tuple[ast.AST, ast.AST | None]:
        """Return the argument that an expression is or decides about, and the call that is given it, if there is one.

        ``max(1, workers)`` and ``workers or 4`` are how many there are as well.
        """
        while True:
            around = self.around.get(id(node))
            if isinstance(around, ast.keyword):
                return node, self.around.get(id(around))
            if isinstance(around, ast.Call):
                if node is around.func or last_name(around.func) not in _PASSES_ON:
                    return node, None if node is around.func else around
            elif not isinstance(around, ast.BoolOp | ast.BinOp):
                return node, None
            node = around

    def is_chosen(self, key: str) -> bool:
        """Return whether a key is read from what is looked up by a key that is no text."""
        return any(
            isinstance(owner, ast.Subscript) and _key_read(owner) is None for _, owner in self.by_key.get(key, ())
        )

    def hands_on(self, path: KeyPath, owners: Set[str]) -> bool:
        """Return whether a mapping is read without a key of it being read right there.

        What is read from something else than the ``owners`` of a configuration counts where it is given to a call; an
        attribute of ``self`` that is not one of theirs is none of a configuration.
        """
        for node, owner in self.by_key.get(path[-1], ()):
            if id(node) in self._read_further or not _is_at(node, path):
                continue
            around = self.around.get(id(node))
            if isinstance(around, ast.Call) and around.func is node:
                continue
            name = last_name(owner)
            given = isinstance(around, ast.Call | ast.keyword | ast.Starred)
            if name in owners or (given and name not in ("self", "cls")):
                return True
        return False


def _reads_in_text(mapping: str, key: str) -> re.Pattern[bytes]:
    """Return what every file holds that reads a key by both names; few files are looked into for it."""
    between = r"['\"\])\s]*[.\[]\s*(?:(?:get|pop)\s*\(\s*)?['\"]?"
    return re.compile(as_bytes(rf"\b{re.escape(mapping)}\b{between}{re.escape(key)}\b"))


def _key_read(node: ast.AST) -> tuple[ast.expr, str] | None:
    """Return what a key is read from, and the key: ``x.key``, ``x["key"]`` and ``x.get("key")``."""
    if isinstance(node, ast.Attribute):
        return None if node.attr in _METHODS else (node.value, node.attr)
    if isinstance(node, ast.Subscript):
        return _with_text(node.value, node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ASKS and node.args:
        return _with_text(node.func.value, node.args[0])
    return None


def _with_text(owner: ast.expr, key: ast.expr) -> tuple[ast.expr, str] | None:
    return (owner, key.value) if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def _keys(node: ast.expr) -> Iterator[str]:
    """Yield the keys that lead to what is read, the last first; the name that all is read from is none of them."""
    read = _key_read(node)
    while read is not None:
        node, key = read
        yield key
        read = _key_read(node)


def _is_at(node: ast.expr, path: KeyPath) -> bool:
    """Return whether an expression can be the mapping at a path, as far as the keys that it reads tell."""
    keys = [*_keys(node)]
    return bool(keys) and all(key == part for key, part in zip(keys, reversed(path), strict=False))


def _owner(node: ast.expr) -> ast.expr:
    read = _key_read(node)
    return node if read is None else read[0]
