"""Statements that end a program where a command is missing that they run and take something of."""

from __future__ import annotations

import ast
from collections.abc import Callable

from loaderlint.readers.python_calls import called_name, keywords
from loaderlint.vocabulary.platforms import COMMANDS, FAIL_WITHOUT_COMMAND, READ_COMMANDS

_PASSED_ON = frozenset({"read", "readline", "decode", "strip", "split"})
"""Methods of what a command wrote that pass it on: nothing stays nothing, and in no words."""
_CONVERTED_BY = frozenset({"map", "list", "tuple", "int", "float"})
"""Built-in functions whose last argument may be that."""


def asks_command(statement: ast.stmt, name_of: Callable[[ast.expr], str]) -> tuple[ast.Call, str] | None:
    """Return the call by which a statement runs a command that not every platform has, and the command.

    That is where it fails without the command: ``os.popen`` itself gives an empty text, and one of no words does not
    unpack. ``name_of`` tells the dotted name that an expression stands for.
    """
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return) or statement.value is None:
        return None
    unpacked = isinstance(statement, ast.Assign) and any(map(_takes_some, statement.targets))
    in_words, node = False, statement.value
    while True:
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            unpacked, node = True, node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PASSED_ON:
            in_words |= node.func.attr == "split" and not node.args and not node.keywords
            node = node.func.value
        elif isinstance(node, ast.Call) and called_name(node) in _CONVERTED_BY and node.args:
            node = node.args[-1]
        else:
            break
    command = _command(node.args[0]) if isinstance(node, ast.Call) and node.args else ""
    if not isinstance(node, ast.Call) or command not in COMMANDS:
        return None
    name = name_of(node.func)
    fails = name in FAIL_WITHOUT_COMMAND and isinstance(node.args[0], ast.List) and "shell" not in keywords(node)
    return (node, command) if fails or (name in READ_COMMANDS and unpacked and in_words) else None


def _takes_some(target: ast.expr) -> bool:
    """Return whether what a target is given must hold something."""
    return isinstance(target, ast.Tuple | ast.List) and any(not isinstance(one, ast.Starred) for one in target.elts)


def _command(node: ast.expr) -> str:
    """Return the command that a written text, or a list of words, runs; nothing where it is not written out."""
    first = node.elts[0] if isinstance(node, ast.List) and node.elts else node
    text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return next(iter(text.split()), "")
