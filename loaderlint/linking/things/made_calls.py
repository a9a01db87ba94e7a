"""A call as somebody makes it, in code or in a configuration, and whether it can be one of a function."""

from __future__ import annotations

import ast
from typing import TypeAlias

from msgspec import Struct

from loaderlint.linking.things.kinds import ABSENT, UNSEEN, Class, Frame, Function, Items, Possibilities, Possibility
from loaderlint.linking.things.possibilities import under
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, Scope, dotted
from loaderlint.readers.python_calls import called_name


class Caller(Struct, frozen=True, eq=False):
    """A call of a project function, the frame it stands in, and what is assumed when it is that function's.

    ``making`` is the class of the object it makes, where it makes one.
    """

    frame: Frame
    call: ast.Call
    assumptions: Assumptions = NO_ASSUMPTIONS
    making: Class | None = None

    @property
    def path(self) -> str:
        """The file it stands in."""
        return self.frame.facts.source.path


class SettingsCaller(Struct, frozen=True, eq=False):
    """A configuration that names a class or function and holds its keyword arguments, by parameter name.

    ``making`` is the class of the object it makes, where it makes one.
    """

    arguments: Items
    span: Span
    assumptions: Assumptions = NO_ASSUMPTIONS
    making: Class | None = None

    @property
    def path(self) -> str:
        """The file it stands in."""
        return self.span.path

    def given(self, name: str) -> Possibilities:
        """Return what is handed over under a name; `Absent` where the name is left to its default."""
        missing = Possibility(ABSENT if self.arguments.complete else UNSEEN, self.span)
        return under(self.arguments.entries.get(name, (missing,)), self.assumptions)


AnyCaller: TypeAlias = Caller | SettingsCaller


class Called(Struct, frozen=True):
    """Who calls a function, and whether code that is not followed may call it as well.

    ``for_users`` says that whoever uses the project calls it: the project itself does not, or in its tests alone, or it
    can be called by its name. ``offered`` says that those are others than the project, which calls it as well.
    """

    by: tuple[AnyCaller, ...] = ()
    elsewhere: bool = False
    for_users: bool = False
    offered: bool = False


def in_tests(path: str) -> bool:
    """Return whether a file holds tests, going by its path as pytest does."""
    *folders, name = path.split("/")
    return not _TESTS.isdisjoint(folders) or name.startswith(("test_", "conftest.")) or name.endswith("_test.py")


_TESTS = frozenset({"test", "tests"})


def names_definition(callee: ast.expr, frame: Frame) -> bool:
    """Return whether a callee is a name, or an attribute of something imported, as classes and functions are called.

    The module may be imported on the spot: ``importlib.import_module(name).main(settings)``.
    """
    if isinstance(callee, ast.Attribute) and _imports(callee.value):
        return True
    name = dotted(callee)
    root, _, attribute = (name or "").partition(".")
    scope: Scope | None = frame.scope
    while attribute and scope is not None:
        if root in scope.bindings:
            return any(one.kind in ("import", "class") or _imports(one.value) for one in scope.bindings[root])
        scope = scope.parent
    return name is not None


def _imports(value: ast.expr | None) -> bool:
    """Return whether an expression imports a module by its name: ``importlib.import_module("data")``."""
    return isinstance(value, ast.Call) and called_name(value) == "import_module"


def without_first(call: ast.Call) -> ast.Call:
    """Return a call with all that it gives but the first argument."""
    return ast.copy_location(ast.Call(call.func, call.args[1:], call.keywords), call)


def is_plain(function: FunctionNode | ast.Lambda) -> bool:
    """Return whether a function takes what its parameters say: no decorator may have changed that."""
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return all(dotted(one) in ("staticmethod", "classmethod") for one in decorators)


def may_bind(call: ast.Call, function: Function) -> bool:
    """Return whether a call can be one of a function, by its arguments alone (a decorator may have changed them).

    The first parameter of a method may be given or not: ``self.load(path)`` and ``Base.load(self, path)``.
    """
    node = function.node
    if not is_plain(node):
        return True
    declared = node.args
    keywords = [one.arg for one in call.keywords if one.arg is not None]
    if declared.kwarg is None and not {*keywords} <= {one.arg for one in (*declared.args, *declared.kwonlyargs)}:
        return False
    if any(isinstance(one, ast.Starred) for one in call.args):
        return True
    positional = len(declared.posonlyargs) + len(declared.args)
    if declared.vararg is None and len(call.args) > positional:
        return False
    required = positional - len(declared.defaults) + sum(default is None for default in declared.kw_defaults)
    receiver = 0 if function.owner is None else 1
    return len(keywords) < len(call.keywords) or len(call.args) + len(keywords) >= required - receiver
