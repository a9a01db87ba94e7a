"""Moving a lambda, local function or local class to the top of its module, where workers can look it up by name."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import cast

import libcst as cst
from libcst.metadata import Assignment, ClassScope, GlobalScope
from msgspec import Struct

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.ignores import is_about_assigned_lambda
from loaderlint.writers.python.captures import (
    Scopes,
    captures,
    check_attributes,
    is_settled,
    scopes_of,
    source_of,
    taken_names,
)
from loaderlint.writers.python.guarded_body import TopLevel, apart, blank_lines, guard_of, spaced
from loaderlint.writers.python.imports import with_import
from loaderlint.writers.python.lambdas import (
    Types,
    described,
    function_of,
    is_typed,
    types_said,
    with_behind,
    with_leading,
)
from loaderlint.writers.python.library import is_imported, named
from loaderlint.writers.python.line_length import TELLS_TOOLS
from loaderlint.writers.python.made_once import differences
from loaderlint.writers.python.places import nodes
from loaderlint.writers.python.replacing import Replacements, changed


def hoist(module: cst.Module, node: cst.CSTNode) -> tuple[cst.Module, str]:
    """Return the module with a definition at its top level, and why that is unsafe (empty when it is safe).

    ``node`` is a lambda, or a function or class inside a function or under the guard, of this very module. What it
    captures is handed over with `functools.partial`, which is unsafe: whether that pickles is not known. All nodes that
    do not hold a changed one stay the same objects. Raises `CannotRewrite` when what it captures cannot be handed over.
    """
    if isinstance(node, cst.Lambda):
        rewritten, reason = _of_lambda(scopes_of(module), node)
        asked = any(_is_of_function(match[1]) for match in _NAMED_BY.finditer(module.bytes))
        named = "its `__name__`, which is asked for, becomes another" if asked else ""
    elif isinstance(node, cst.FunctionDef | cst.ClassDef):
        scopes = scopes_of(module)
        hoisted = _local_definition(scopes, node)
        rewritten, reason = _top(scopes, node, hoisted)
        name = hoisted.definition.name.value
        renamed = name != node.name.value and _NAMED_BY.search(module.bytes)
        named = f"its `__name__` becomes {name!r}" if renamed else ""
    else:
        raise CannotRewrite("only a lambda, a function or a class can be hoisted")
    return rewritten, "; ".join(filter(None, (reason, named)))


def _of_lambda(scopes: Scopes, node: cst.Lambda) -> tuple[cst.Module, str]:
    assigned = _assigned(scopes, node)
    if assigned is not None and _is_lasting(scopes, assigned):
        return _in_place(scopes, node, assigned)
    if _is_method(scopes, node):
        return _in_class(scopes, node, assigned)
    hoisted = _assigned_lambda(scopes, node, assigned) if assigned is not None else _lambda(scopes, node)
    return _top(scopes, node, hoisted)


def _top(scopes: Scopes, node: cst.CSTNode, hoisted: _Hoisted) -> tuple[cst.Module, str]:
    rewritten = _rewritten(scopes, node, hoisted)
    reasons = [*_handed_over(scopes, node, hoisted.captured), *_differences(rewritten, hoisted.definition)]
    above = (line.comment.value for line in hoisted.definition.leading_lines if line.comment is not None)
    reasons.extend(f"`{comment}` above it may be about more than it" for comment in above if TELLS_TOOLS.match(comment))
    return rewritten, "; ".join(reasons)


_NAMED_BY = re.compile(rb"([\w)\]]{0,80})\.__(?:qual)?name__")
"""Code that asks for the name of a class or function."""


def _is_of_function(owner: bytes) -> bool:
    """Return whether what is asked for its name may be a function, by how it is written: ``type(data)`` is a class."""
    return owner not in (b"__class__", b"cls") and not owner.endswith(b")") and not owner[:1].isupper()


class _Hoisted(Struct, frozen=True):
    """What stands at the top of the module in the end, and what is put in place of which nodes."""

    definition: cst.FunctionDef | cst.ClassDef
    replacements: Replacements
    captured: tuple[str, ...] = ()


class _Assigned(Struct, frozen=True):
    """A statement ``name = lambda …``, alone on its line, with what it is annotated with."""

    name: str
    annotation: cst.BaseExpression | None
    line: cst.SimpleStatementLine
    assignment: Assignment
    only: bool

    @property
    def behind(self) -> cst.TrailingWhitespace:
        """What stands behind the statement, for a line that assigns no lambda."""
        behind = self.line.trailing_whitespace
        if behind.comment is None or not is_about_assigned_lambda(behind.comment.value):
            return behind
        return behind.with_changes(whitespace=cst.SimpleWhitespace(""), comment=None)


def _handed_over(scopes: Scopes, node: cst.CSTNode, captured: Sequence[str]) -> Iterator[str]:
    if captured:
        names = " and ".join(f"`{name}`" for name in captured)
        yield f"it takes {names} from {source_of(scopes.around(node))}, which must pickle"


def _assigned(scopes: Scopes, node: cst.Lambda) -> _Assigned | None:
    """Return the assignment whose whole value a lambda is, None when it is part of something else."""
    statement = scopes.parents[node]
    line = scopes.parents.get(statement)
    annotation = None
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
    elif isinstance(statement, cst.AnnAssign):
        target, annotation = statement.target, statement.annotation.annotation
    else:
        return None
    if not isinstance(target, cst.Name) or not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
        return None
    made = [one for one in scopes.around(node)[target.value] if isinstance(one, Assignment)]
    own = next((one for one in made if one.node is target), None)
    return _Assigned(target.value, annotation, line, own, len(made) == 1) if own is not None else None


def _is_lasting(scopes: Scopes, assigned: _Assigned) -> bool:
    """Return whether the assignment makes the module's own name, once, wherever the module is imported."""
    in_module = isinstance(assigned.assignment.scope, GlobalScope)
    return assigned.only and in_module and not _is_guarded(scopes, assigned.line)


def _is_guarded(scopes: Scopes, node: cst.CSTNode) -> bool:
    outer = scopes.top_level(node)
    return isinstance(outer, cst.If) and guard_of(outer) is not None


def _differences(module: cst.Module, definition: cst.FunctionDef | cst.ClassDef) -> Iterator[str]:
    return differences(ast.parse(module.bytes), definition.name.value)


def _in_place(scopes: Scopes, node: cst.Lambda, assigned: _Assigned) -> tuple[cst.Module, str]:
    function = _function_of(scopes, node, assigned.name, (), assigned.annotation)
    function = with_behind(function, assigned.behind).with_changes(leading_lines=assigned.line.leading_lines)
    module = changed(scopes.module, {assigned.line: function})
    body = list(module.body)
    index = next(at for at, one in enumerate(body) if one is function)
    body[index] = spaced(body[index], 2 if index else 0)
    if index + 1 < len(body):
        body[index + 1] = spaced(body[index + 1], 2)
    module = _with_typing(module.with_changes(body=body), function, index)
    return module, "; ".join(_differences(module, function))


def _is_method(scopes: Scopes, node: cst.Lambda) -> bool:
    """Return whether a lambda is an attribute of a class itself: asked of an object, it is a method of that.

    A method is pickled by the name of its function, which has to be that of the attribute.
    """
    if not isinstance(scopes.around(node), ClassScope):
        return False
    inner: cst.CSTNode = node
    for outer in scopes.ancestors(node):
        if not isinstance(outer, cst.IfExp | cst.BooleanOperation | cst.NamedExpr):
            break
        inner = outer
    statement = scopes.parents[inner]
    return isinstance(statement, cst.Assign) or (
        # The fields of a data class and the like are kept in each object, as they are.
        isinstance(statement, cst.AnnAssign) and not _is_decorated(scopes, statement)
    )


def _is_decorated(scopes: Scopes, node: cst.CSTNode) -> bool:
    around = next(one for one in scopes.ancestors(node) if isinstance(one, cst.ClassDef))
    return bool(around.decorators)


def _in_class(scopes: Scopes, node: cst.Lambda, assigned: _Assigned | None) -> tuple[cst.Module, str]:
    """Return the module with a lambda of a class as a method of that, where it stands."""
    if assigned is None:
        raise CannotRewrite("it is a method of its class, and assigned with something else")
    around = scopes.parents[scopes.parents[assigned.line]]
    if not isinstance(around, cst.ClassDef) or not isinstance(around.body, cst.IndentedBlock):
        raise CannotRewrite("it is a method of its class on some condition")
    if scopes.parents[around] is not scopes.module:
        raise CannotRewrite("it is a method of a class that is not at the top level of its module")
    if assigned.annotation is not None and around.bases:
        raise CannotRewrite("it is a field of its class, or a method of that")
    if assigned.name.startswith("__") and not assigned.name.endswith("__"):
        raise CannotRewrite(f"it is a method, and `{assigned.name}` another name outside its class")
    function = _function_of(scopes, node, assigned.name, (), assigned.annotation)
    if assigned.annotation is None and function.params.params:
        # Nobody says the type of ``self``.
        first, *others = function.params.params
        parameters = function.params.with_changes(params=[first.with_changes(annotation=None), *others])
        function = function.with_changes(params=parameters)
    function = with_behind(function, assigned.behind).with_changes(leading_lines=assigned.line.leading_lines)
    body = cast(Sequence[TopLevel], around.body.body)
    index = body.index(assigned.line)
    method = spaced(function, 1 if index else 0)
    behind = [spaced(one, 1) for one in body[index + 1 : index + 2]]
    block = around.body.with_changes(body=[*body[:index], method, *behind, *body[index + 2 :]])
    module = changed(scopes.module, {around.body: block})
    top = next(at for at, one in enumerate(scopes.module.body) if one is around)
    return _with_typing(module, function, top), ""


def _assigned_lambda(scopes: Scopes, node: cst.Lambda, assigned: _Assigned) -> _Hoisted:
    captured = captures(scopes, node)
    check_attributes(scopes, assigned.assignment)
    # A field of a class stays: it is read by ways that the file's scopes do not show.
    only_here = assigned.only and not isinstance(assigned.assignment.scope, ClassScope)
    besides = assigned.assignment if only_here and not captured else None
    name = _fresh((assigned.name,), "lambda", taken_names(scopes, node, besides))
    function = _function_of(scopes, node, name, captured, assigned.annotation)
    if name == assigned.name:
        comments = [line for line in assigned.line.leading_lines if line.comment is not None]
        function = with_behind(function, assigned.behind).with_changes(leading_lines=comments)
        return _Hoisted(function, {assigned.line: cst.RemoveFromParent()})
    replacements = {node: _use(scopes, node, name, captured), assigned.line.trailing_whitespace: assigned.behind}
    return _Hoisted(function, replacements, captured)


def _lambda(scopes: Scopes, node: cst.Lambda) -> _Hoisted:
    captured = captures(scopes, node)
    name = _fresh(described(scopes, node), "lambda", taken_names(scopes, node))
    return _Hoisted(_function_of(scopes, node, name, captured), {node: _use(scopes, node, name, captured)}, captured)


def _local_definition(scopes: Scopes, node: cst.FunctionDef | cst.ClassDef) -> _Hoisted:
    scope = scopes.around(node)
    if isinstance(scope, GlobalScope) and not _is_guarded(scopes, node):
        raise CannotRewrite("it stands at the top level of its module already")
    if any(isinstance(outer, cst.ClassDef) for outer in list(scopes.ancestors(node))[1:2]):
        raise CannotRewrite("it is a method")
    made = [one for one in scope[node.name.value] if isinstance(one, Assignment)]
    own = next((one for one in made if one.node is node), None)
    if own is None:
        raise CannotRewrite("its name is not one of the function around it")
    captured = captures(scopes, node)
    check_attributes(scopes, own)
    only = len(made) == 1
    if captured and (node.decorators if isinstance(node, cst.FunctionDef) else ()):
        raise CannotRewrite("it is decorated, and takes names from " + source_of(scope))
    kind = "function" if isinstance(node, cst.FunctionDef) else "class"
    name = _fresh((node.name.value,), kind, taken_names(scopes, node, own if only and not captured else None))
    references = [access.node for access in own.references]
    comments = [line for line in node.leading_lines if line.comment is not None]
    moved = node.with_changes(leading_lines=comments)
    if captured or not only:
        if any(scopes.holds(node, one) for one in references):
            raise CannotRewrite("it names itself, and would take more arguments there")
        if isinstance(moved, cst.FunctionDef):
            moved = moved.with_changes(params=with_leading(moved.params, captured))
        target = cst.AssignTarget(cst.Name(node.name.value))
        alias = cst.SimpleStatementLine([cst.Assign([target], _use(scopes, node, name, captured))])
        blank = [line for line in node.leading_lines if line.comment is None]
        return _Hoisted(
            moved.with_changes(name=cst.Name(name)), {node: alias.with_changes(leading_lines=blank)}, captured
        )
    replacements: dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel] = {node: cst.RemoveFromParent()}
    if name != node.name.value:
        renamed = {_first_name(one): cst.Name(name) for one in references}
        inside: Replacements = {old: new for old, new in renamed.items() if scopes.holds(node, old)}
        moved = changed(moved, inside).with_changes(name=cst.Name(name))
        replacements.update({old: new for old, new in renamed.items() if old not in inside})
    return _Hoisted(moved, replacements)


def _first_name(node: cst.CSTNode) -> cst.Name:
    while isinstance(node, cst.Attribute):
        node = node.value
    if not isinstance(node, cst.Name):
        raise CannotRewrite("it is named in a string")
    return node


def _fresh(names: Sequence[str], kind: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken: one of these, or the first with what it was before, or that with a number."""
    taken = {*taken, *keyword.kwlist}
    stem = names[0] if names[0].endswith("_function") else f"{names[0]}_{kind}"
    candidates = (*names, stem, *(f"{stem}_{number}" for number in range(2, len(taken) + 3)))
    return next(one for one in candidates if one not in taken)


def _use(scopes: Scopes, at: cst.CSTNode, name: str, captured: Sequence[str]) -> cst.BaseExpression:
    """Return how the hoisted definition is named where it stood: by its name, or as a partial with what it captures."""
    if not captured:
        return cst.Name(name)
    arguments = [cst.Arg(cst.Name(one)) for one in (name, *captured)]
    return cst.Call(named(scopes, "functools", "partial", at), arguments)


def _function_of(
    scopes: Scopes,
    node: cst.Lambda,
    name: str,
    captured: Sequence[str],
    annotation: cst.BaseExpression | None = None,
) -> cst.FunctionDef:
    types = None
    if annotation is not None and not captured and is_settled(scopes, node, annotation):
        types = types_said(annotation, node)
    if types is None and (annotation is not None or is_typed(scopes.module)):
        anything = named(scopes, "typing", "Any", scopes.module)
        types = Types(repeat(anything), anything)
    return function_of(node, name, captured, types)


def _rewritten(scopes: Scopes, node: cst.CSTNode, hoisted: _Hoisted) -> cst.Module:
    """Return the module with the definition before the statement that held it, and the imports it needs."""
    index = _index(scopes, node)
    module = changed(scopes.module, hoisted.replacements)
    before = module.body[index - 1] if index else None
    definition = apart(before, hoisted.definition, 2 if index or module.header else 0)
    body: list[TopLevel] = [*module.body[:index], definition, *module.body[index:]]
    if index + 1 < len(body):
        body[index + 1] = spaced(body[index + 1], 2)
    module = module.with_changes(body=body)
    if hoisted.captured and not is_imported(module, "functools", "partial"):
        module = with_import(module, "functools", "functools", index)
    return _with_typing(module, hoisted.definition, index)


def _index(scopes: Scopes, node: cst.CSTNode) -> int:
    """Return where the definition goes: before the statement that holds the node and the lines right above it.

    A definition whose defaults, decorators, annotations or bases may need one of these lines goes right behind them.
    """
    holder = scopes.top_level(node)
    body = scopes.module.body
    index = next(at for at, one in enumerate(body) if one is holder)
    parameters = node.params if isinstance(node, cst.Lambda | cst.FunctionDef) else None
    evaluated = parameters is None or any(
        one.default is not None or one.annotation is not None for one in nodes(parameters) if isinstance(one, cst.Param)
    )
    if evaluated or (isinstance(node, cst.FunctionDef) and (node.decorators or node.returns is not None)):
        return index
    while index and not blank_lines(body[index]) and _is_plain(body[index - 1]):
        index -= 1
    return index


def _is_plain(statement: TopLevel) -> bool:
    """Return whether a statement is one line that neither imports nor only says something."""
    return isinstance(statement, cst.SimpleStatementLine) and not any(
        isinstance(one, cst.Import | cst.ImportFrom)
        or (isinstance(one, cst.Expr) and not isinstance(one.value, cst.Call))
        for one in statement.body
    )


def _with_typing(module: cst.Module, function: cst.FunctionDef | cst.ClassDef, index: int) -> cst.Module:
    """Return the module with an import of `typing` if it has none that a function's annotations ask for."""
    anything = cst.Attribute(cst.Name("typing"), cst.Name("Any"))
    asked = any(isinstance(one, cst.Annotation) and one.annotation.deep_equals(anything) for one in nodes(function))
    return (
        with_import(module, "typing", "typing", index) if asked and not is_imported(module, "typing", "Any") else module
    )
