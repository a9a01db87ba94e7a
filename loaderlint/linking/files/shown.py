"""Calls that only show a value, and the texts in which they do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from functools import cached_property

from loaderlint.linking.files.project import Project
from loaderlint.nodes import last_name
from loaderlint.readers.python import CallSite, PythonFacts
from loaderlint.readers.python_calls import called_name

_FUNCTIONS = frozenset({"print", "format"})
"""Python's own functions that write a value out."""
_METHODS = frozenset({"info", "debug", "warning", "warn", "format"})
"""Methods of loggers and strings, and functions of ``warnings``, that only write values out."""
_MODULES = re.compile(r"(logging|warnings)\.")
_LOGGERS = frozenset({"log"})
"""Methods that do so where what they belong to is called a logger, or is the object itself: no ``math.log``."""
_WRITES = frozenset(
    {
        *("error", "critical", "exception", "fatal", "log", "write", "writelines", "set_description", "set_postfix"),
        *("set_description_str", "set_postfix_str", "set_title", "title", "suptitle", "add_text", "exit", "fail"),
    }
)
"""Methods of loggers, files, progress bars and plots, and ends of programs, that do no more with a text."""
_ERRORS = re.compile(r"(Error|Exception|Warning|Exit)$")


class Shows:
    """Which calls of a project only show what they are given: not those of functions that it defines itself."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def __call__(self, call: ast.Call, facts: PythonFacts) -> bool:
        """Return whether a call does no more than show a value."""
        function, name = call.func, called_name(call)
        if name in self._defined:
            return False
        if isinstance(function, ast.Name):
            imported = [one.target for one in facts.module.bindings.get(name, ())]
            return name in _FUNCTIONS if not imported else all(_MODULES.match(one) for one in imported)
        if not isinstance(function, ast.Attribute):
            return False
        owner = last_name(function.value)
        return name in _METHODS or (name in _LOGGERS and (owner == "self" or "log" in owner.lower()))

    def writes(self, call: ast.Call) -> bool:
        """Return whether a call only shows the text it is given: an error is raised to be read."""
        name = called_name(call)
        return name not in self._defined and (name in _WRITES or _ERRORS.search(name) is not None)

    def sites(self, facts: PythonFacts) -> Iterator[CallSite]:
        """Yield the calls of a file that only show something."""
        for name in (_FUNCTIONS | _METHODS | _LOGGERS) & facts.calls.keys():
            yield from (site for site in facts.calls[name] if self(site.node, facts))

    @cached_property
    def _defined(self) -> Set[str]:
        """The names of the functions and methods of the project."""
        return frozenset(scope.name for facts in self._project.all_python() for scope in facts.scopes.values())


def formatted(value: ast.expr) -> Iterator[ast.expr]:
    """Yield what stands in the texts that an expression is, or holds."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case ast.JoinedStr(values=parts):
                yield from (one.value for one in parts if isinstance(one, ast.FormattedValue))
            case ast.BinOp(right=right) as text if is_text(text):
                yield from right.elts if isinstance(right, ast.Tuple) else [right]
            case ast.Call(args=given, keywords=named) as call if called_name(call) == "format":
                yield from (*given, *(one.value for one in named))
            case ast.Call(func=ast.Attribute(attr="join"), args=parts):
                waiting += [one.elt if isinstance(one, ast.GeneratorExp | ast.ListComp) else one for one in parts]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                waiting += parts
            case ast.BinOp(left=left, op=ast.Add(), right=right) | ast.IfExp(body=left, orelse=right):
                waiting += [left, right]
            case ast.Dict(values=parts):
                waiting += parts
            case ast.Starred(value=held):
                waiting.append(held)
            case ast.Call(keywords=named) as call if called_name(call) in ("update", "setdefault", "dict"):
                waiting += [*call.args, *(one.value for one in named)]


def is_text(node: ast.BinOp) -> bool:
    """Return whether an operation is ``"..." % value``."""
    return isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
