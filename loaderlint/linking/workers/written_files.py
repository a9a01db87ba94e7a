"""What modules read of files when they are imported, and a program writes later: a worker reads what it wrote.

A file is told by what names it: the end of its path, as far as that is seen, or a name at the top level of a module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain, islice, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from loaderlint.linking.workers.file_writes import keeps_open, written_by
from loaderlint.linking.workers.made_once import keeps_results
from loaderlint.linking.workers.top_level import EVERY_IMPORT, Global, is_later, meant_by, reaches_top, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAMES_ALONE = frozenset({"Path", "abspath", "fspath", "join", "joinpath", "realpath", "str"})
"""Functions and methods that make a path of their arguments, and read no file."""
_UNSEEN = "*"
"""What stands in a path for a part that is not seen."""
_MOST_TEXTS, _DEEPEST = 16, 8

_Written: TypeAlias = dict[str, dict[str, Touch]]
"""Where files are written, by the last part of their paths, and by the whole of what was seen of these."""


class _Write(NamedTuple):
    """A call that changes files, by what names them."""

    facts: PythonFacts
    site: CallSite
    named: Sequence[ast.expr]


def changed_files(evaluator: Evaluator) -> Mapping[Global, Touch]:
    """Return the names at the top level whose values were read of files that the program writes after that.

    ``EVERY_IMPORT`` is one of them where what imports a file writes is written later as well: it is lost then.
    """
    return evaluator.remembered(("changed files",), None, lambda: dict(_changed_files(evaluator)))


def _changed_files(evaluator: Evaluator) -> Iterator[tuple[Global, Touch]]:
    written: _Written = {}
    at_import: _Written = {}
    writers: set[str] = set()
    for one in _writes(evaluator):
        scope = one.site.place.scope
        if any(isinstance(node, ast.Name) and _is_handed(scope, node.id) for node in one.named):
            writers.add(scope.name)
        later = is_later(evaluator, one.facts, one.site.node, one.site.place)
        _note(written if later else at_import, evaluator, one)
        if not later and _is_kept(evaluator, one):
            yield EVERY_IMPORT, touch_at(one.facts, one.site.node)
    for name in sorted(writers):
        for facts in evaluator.project.all_python():
            for site in facts.calls.get(name, ()):
                later = is_later(evaluator, facts, site.node, site.place)
                _note(written if later else at_import, evaluator, _Write(facts, site, _handed(site.node)))
    for file in (one for several in at_import.values() for one in several):
        yield from ((EVERY_IMPORT, touch) for touch in _met(written, file))
    for facts in evaluator.project.all_python() if written else ():
        yield from _read(evaluator, facts, written)


def _writes(evaluator: Evaluator) -> Iterator[_Write]:
    for facts in evaluator.project.all_python():
        for scope in facts.scopes.values():
            for site in scope.calls:
                named = written_by(evaluator, facts, scope, site.node)
                if named:
                    yield _Write(facts, site, named)


def _note(written: _Written, evaluator: Evaluator, write: _Write) -> None:
    """Add the files that a call changes to those that are ``written``."""
    touch = touch_at(write.facts, write.site.node)
    for node in write.named:
        for file in _files(evaluator, write.facts, write.site.place.scope, node):
            written.setdefault(file.rpartition("/")[2], {}).setdefault(file, touch)


def _met(written: _Written, file: str) -> Iterator[Touch]:
    """Yield where what may be a file is written."""
    return (touch for other, touch in written.get(file.rpartition("/")[2], {}).items() if _may_be(file, other))


def _may_be(one: str, other: str) -> bool:
    """Return whether two paths may be of the same file, whose beginnings may be unseen."""
    if not (one + other).count(_UNSEEN):
        return one == other
    ends = [f"/{name}".removeprefix(f"/{_UNSEEN}") for name in (one, other)]
    shorter, longer = sorted(ends, key=len)
    unseen = _UNSEEN in (one if shorter == ends[0] else other)
    return shorter == longer or (unseen and longer.endswith(shorter))


def _is_kept(evaluator: Evaluator, write: _Write) -> bool:
    """Return whether the top level of a file keeps what it opened to write it: others write by that later."""
    scope, call = write.site.place.scope, write.site.node
    bound = (one.value for bindings in scope.bindings.values() for one in bindings if one.kind == "assign")
    return any(one is call for one in bound) and keeps_open(evaluator, write.facts, scope, call)


def _is_handed(scope: Scope, name: str) -> bool:
    """Return whether a name is that of a parameter of a function, which has no other value there."""
    bindings = scope.bindings.get(name, ())
    return bool(bindings) and all(one.kind == "parameter" for one in bindings)


def _handed(call: ast.Call) -> Sequence[ast.expr]:
    return [*call.args, *(one.value for one in call.keywords)]


def _files(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr) -> Iterator[str]:
    """Yield what files an expression may name: paths, and names at the top level with the values they have there."""
    for text in _texts(evaluator, facts, scope, node, _DEEPEST):
        seen = text.rpartition(_UNSEEN)[2]
        # Where less than the last part of a path was seen, it may be any.
        if seen == text:
            yield text.removeprefix("./")
        elif "/" in seen.rstrip("/"):
            yield _UNSEEN + seen
    for one in _at_top(evaluator, facts, scope, node):
        yield f"{one.path}:{one.name}"


def _texts(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr, left: int) -> Sequence[str]:
    """Return the texts that an expression may give, with a mark for every part that is not seen."""

    def joined(separator: str, nodes: Sequence[ast.expr]) -> Sequence[str]:
        several = [_texts(evaluator, facts, scope, one, left - 1) for one in nodes]
        return [separator.join(parts) for parts in islice(product(*several), _MOST_TEXTS)]

    match node:
        case _ if not left:
            return [_UNSEEN]
        case ast.Constant(str(text)):
            return [text.replace(_UNSEEN, "?")]
        case ast.BinOp(one, ast.Div(), other):
            return joined("/", (one, other))
        case ast.BinOp(one, ast.Add(), other):
            return joined("", (one, other))
        case ast.JoinedStr(parts):
            return joined("", parts)
        case ast.FormattedValue(inner, -1, None):
            return joined("", (inner,))
        case ast.Call(ast.Attribute(owner, "joinpath"), parts):
            return joined("/", (owner, *parts))
        case ast.Call(_, parts) if parts and called_name(node) in _NAMES_ALONE:
            return joined("/", parts)
        case ast.Name(name) if _is_local(scope, name):
            return _texts_of(evaluator, facts, scope, name, left - 1)
        case ast.Name() | ast.Attribute():
            found = [
                text
                for one in _at_top(evaluator, facts, scope, node)
                if (of := evaluator.project.python(one.path)) is not None
                for text in _texts_of(evaluator, of, of.module, one.name, left - 1)
            ]
            return found[:_MOST_TEXTS] or [_UNSEEN]
    return [_UNSEEN]


def _is_local(scope: Scope, name: str) -> bool:
    """Return whether a name is one of a function, which gives it a value."""
    return any(one.value is not None for one in scope.bindings.get(name, ())) and not reaches_top(scope, name)


def _texts_of(evaluator: Evaluator, facts: PythonFacts, scope: Scope, name: str, left: int) -> Sequence[str]:
    """Return the texts that the values of a name in its own scope may be."""
    values = [one.value for one in scope.bindings.get(name, ()) if one.value is not None and one.kind == "assign"]
    found = [text for value in values[:_MOST_TEXTS] for text in _texts(evaluator, facts, scope, value, left)]
    return found[:_MOST_TEXTS] or [_UNSEEN]


def _at_top(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr) -> Iterator[Global]:
    """Yield the names at the top level, with values there, that an expression may mean."""
    name = dotted(node)
    for one in meant_by(evaluator, facts, scope, name) if name and reaches_top(scope, name.partition(".")[0]) else ():
        of = evaluator.project.python(one.path)
        if of is not None and any(binding.value is not None for binding in of.module.bindings.get(one.name, ())):
            yield one


def _read(evaluator: Evaluator, facts: PythonFacts, written: _Written) -> Iterator[tuple[Global, Touch]]:
    """Yield the names at the top level of a file whose values hang on what is written."""
    path, module = facts.source.path, facts.module
    for scope in (module, *(one for one in module.children if one.is_class)):
        found: dict[str, Touch] = {}
        bound = (one for bindings in scope.bindings.values() for one in bindings if one.value is not None)
        for one in sorted(bound, key=lambda binding: binding.place.order):
            assert one.value is not None
            handed = (found[other] for other in _names(one.value) if other in found)
            touch = next(chain(_meetings(evaluator, facts, scope, one.value, written), handed), None)
            if touch is not None:
                found[one.name] = touch
        yield from ((Global(path, name if scope is module else scope.name), touch) for name, touch in found.items())
    for scope in module.children:
        if isinstance(scope.node, FunctionNode) and keeps_results(scope.node):
            for site in scope.calls:
                met = _meetings(evaluator, facts, scope, site.node, written)
                yield from ((Global(path, scope.name), touch) for touch in met)


def _meetings(
    evaluator: Evaluator, facts: PythonFacts, scope: Scope, value: ast.expr, written: _Written
) -> Iterator[Touch]:
    """Yield where a file is written that is named in the calls of an expression, or in a function it calls."""
    for call in ast.walk(value):
        if not isinstance(call, ast.Call) or written_by(evaluator, facts, scope, call):
            continue
        yield from _named(evaluator, facts, scope, call, written)
        for meant in meant_by(evaluator, facts, scope, dotted(call.func) or ""):
            of = evaluator.project.python(meant.path)
            for function in of.module.children if of is not None else ():
                if of is not None and function.name == meant.name and not function.is_class:
                    for site in function.calls:
                        yield from _named(evaluator, of, function, site.node, written)


def _named(
    evaluator: Evaluator, facts: PythonFacts, scope: Scope, call: ast.Call, written: _Written
) -> Iterator[Touch]:
    """Yield where a file is written that a call names, but does not write."""
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    reads = called_name(call) not in _NAMES_ALONE and not written_by(evaluator, facts, scope, call)
    for one in (*_handed(call), *owner) if reads else ():
        yield from (touch for file in _files(evaluator, facts, scope, one) for touch in _met(written, file))


def _names(value: ast.expr) -> Set[str]:
    return {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
