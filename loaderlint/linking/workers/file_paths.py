"""What names files: the texts that a path may be, as far as they are seen, and names at the top level."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING

from loaderlint.linking.workers.top_level import Global, meant_by, reaches_top
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

NAMES_ALONE = frozenset({"Path", "abspath", "fspath", "join", "joinpath", "realpath", "str"})
"""Functions and methods that make a path of their arguments, and read no file."""
UNSEEN = "*"
"""What stands in a path for a part that is not seen."""
_MOST_TEXTS, _DEEPEST = 16, 8


def may_be(one: str, other: str) -> bool:
    """Return whether two paths may be of the same file, with marks for what is not seen of them.

    They are told apart by what is seen of their beginnings, where both begin in the same folder or both at the root,
    and of their ends. A path that is seen whole has no folders above it but those it names.
    """
    if UNSEEN not in one:
        one, other = other, one
    (start, _, _), (_, _, end) = one.partition(UNSEEN), one.rpartition(UNSEEN)
    (other_start, _, _), (_, _, other_end) = other.partition(UNSEEN), other.rpartition(UNSEEN)
    if UNSEEN not in one:
        return one == other
    if "/../" in one or "/../" in other:
        return True
    whole = UNSEEN not in other and not f"/{other.removeprefix('./')}".endswith(end)
    if whole or not (end.endswith(other_end) or other_end.endswith(end)):
        return False
    begun = [text.removeprefix("./") for text in (start, other_start)]
    if begun[0].startswith("/") != begun[1].startswith("/") or any(text.startswith("..") for text in begun):
        return True
    return begun[0].startswith(begun[1]) or begun[1].startswith(begun[0])


def texts_of(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr) -> Sequence[str]:
    """Return the texts that an expression may give, with a mark for every part that is not seen."""
    return _texts(evaluator, facts, scope, node, _DEEPEST)


def files_named(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr) -> Iterator[str]:
    """Yield what files an expression may name: paths, and names at the top level with the values they have there."""
    for text in texts_of(evaluator, facts, scope, node):
        seen = text.rpartition(UNSEEN)[2]
        # Where less than the last part of a path was seen, it may be any.
        if seen == text:
            yield text.removeprefix("./")
        elif "/" in seen.rstrip("/"):
            yield UNSEEN + seen
    for one in _at_top(evaluator, facts, scope, node):
        yield f"{one.path}:{one.name}"


def _texts(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr, left: int) -> Sequence[str]:
    """Return the texts that an expression may give, with a mark for every part that is not seen."""

    def joined(separator: str, nodes: Sequence[ast.expr]) -> Sequence[str]:
        several = [_texts(evaluator, facts, scope, one, left - 1) for one in nodes]
        return reduce(lambda before, more: _few(map(separator.join, product(before, more))), several or [[""]])

    match node:
        case _ if not left:
            return [UNSEEN]
        case ast.Constant(str(text)):
            return [text.replace(UNSEEN, "?")]
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
        case ast.Call(_, parts) if parts and called_name(node) in NAMES_ALONE:
            return joined("/", parts)
        case ast.Call(ast.Name("open"), [path, *_]):
            # A file that is open is told by its path.
            return joined("", (path,))
        case ast.Name(name) if _is_local(scope, name):
            return _texts_of(evaluator, facts, scope, name, left - 1)
        case ast.Name() | ast.Attribute():
            return _few(
                text
                for one in _at_top(evaluator, facts, scope, node)
                if (of := evaluator.project.python_in_passing(one.path)) is not None
                for text in _texts_of(evaluator, of, of.module, one.name, left - 1)
            )
    return [UNSEEN]


def _is_local(scope: Scope, name: str) -> bool:
    """Return whether a name is one of a function, which gives it a value."""
    return any(one.value is not None for one in scope.bindings.get(name, ())) and not reaches_top(scope, name)


def _texts_of(evaluator: Evaluator, facts: PythonFacts, scope: Scope, name: str, left: int) -> Sequence[str]:
    """Return the texts that the values of a name in its own scope may be."""
    bindings = scope.bindings.get(name, ())
    values = [one.value for one in bindings if one.value is not None and one.kind in ("assign", "with")]

    def texts() -> Sequence[str]:
        return _few(text for value in values for text in _texts(evaluator, facts, scope, value, left))

    return evaluator.remembered(("texts", scope.node, name, left), None, texts)


def _few(texts: Iterable[str]) -> Sequence[str]:
    """Return some texts, each once; where there is none, or where there are many, they may be any."""
    found = list(dict.fromkeys(texts))
    return found if 0 < len(found) <= _MOST_TEXTS else [UNSEEN]


def _at_top(evaluator: Evaluator, facts: PythonFacts, scope: Scope, node: ast.expr) -> Iterator[Global]:
    """Yield the names at the top level, with values there, that an expression may mean."""
    name = dotted(node)
    for one in meant_by(evaluator, facts, scope, name) if name and reaches_top(scope, name.partition(".")[0]) else ():
        of = evaluator.project.python_in_passing(one.path)
        if of is not None and any(binding.value is not None for binding in of.module.bindings.get(one.name, ())):
            yield one
