"""Where a program tells the errors that come out of a loader apart by what those of workers do not have.

A worker's error is made anew of a text of its own, which only holds that of the error it had
(``torch/_utils.py``, ``ExceptionWrapper.reraise``, 2.13): ``error.errno`` is None there, and its text another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import PythonFacts, dotted
from loaderlint.readers.python_calls import called_name

_OF_NO_SAMPLE = frozenset({"CalledProcessError", "KeyboardInterrupt", "StopIteration", "SystemExit", "TimeoutExpired"})
"""Errors that no sample raises, or that come out of no worker."""
_OF_ALL = frozenset({"__class__", "__traceback__", "add_note", "with_traceback"})
"""Attributes that all errors have, and that workers' errors have as well."""
_LOOKS_INTO = frozenset({"endswith", "fullmatch", "match", "startswith"})


def errors_told(files: Sequence[PythonFacts], iterated: WhileIterated) -> Iterator[Touch]:
    """Yield where what handles the errors of a loop over a loader looks into them."""
    for facts in files:
        for block in facts.blocks:
            if not isinstance(block, ast.Try):
                continue
            told = [node for handler in block.handlers for node in _told(handler)]
            if told and any(iterated.runs_in(facts, one) for one in block.body):
                yield from (touch_at(facts, node) for node in told)


def _told(handler: ast.ExceptHandler) -> Iterator[ast.expr]:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {(dotted(one) or "").rpartition(".")[2] for one in types if one is not None}
    if handler.name is None or (names and names <= _OF_NO_SAMPLE):
        return
    for statement in handler.body:
        for node in nodes_of(statement):
            match node:
                case ast.Attribute(ast.Name(name), attribute) if name == handler.name and attribute not in _OF_ALL:
                    yield node
                case ast.Compare(left, operators, others) if not any(
                    isinstance(one, ast.In | ast.NotIn | ast.Is | ast.IsNot) for one in operators
                ):
                    if any(_is_text(one, handler.name) for one in (left, *others)):
                        yield node
                case ast.Call(ast.Attribute(owner), arguments) if called_name(node) in _LOOKS_INTO:
                    if any(_is_text(one, handler.name) for one in (owner, *arguments)):
                        yield node


def _is_text(node: ast.expr, error: str) -> bool:
    """Return whether an expression gives the text of an error."""
    match node:
        case ast.Call(ast.Name("str" | "repr"), [ast.Name(name)]):
            return name == error
        case ast.Call(ast.Attribute(inner)):
            return _is_text(inner, error)
    return False
