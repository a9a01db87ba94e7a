"""Writing a lambda as a function: its name, its parameters, its body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import libcst as cst

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.captures import Scopes
from loaderlint.writers.python.places import nodes

_NAMED_AFTER_CALLEE: Mapping[str, str] = {"Lambda": "transform"}

_TYPE = re.compile(r"#\s*type:(?!\s*ignore\b)")


def described(scopes: Scopes, node: cst.Lambda) -> str:
    """Return the name for a lambda: of the keyword, item or name it is given to, else after what it is handed to."""
    for outer in scopes.ancestors(node):
        if isinstance(outer, cst.Arg):
            if outer.keyword is not None:
                return outer.keyword.value
            call = scopes.parents[outer]
            function = call.func if isinstance(call, cst.Call) else None
            last = function.attr if isinstance(function, cst.Attribute) else function
            callee = last.value if isinstance(last, cst.Name) else "function"
            if callee == "staticmethod":
                # It gives what it is handed.
                continue
            return _NAMED_AFTER_CALLEE.get(callee, f"{_snake_case(callee)}_function")
        if isinstance(outer, cst.DictElement) and isinstance(outer.key, cst.SimpleString):
            key = outer.key.evaluated_value
            if isinstance(key, str) and key.isidentifier():
                return key if len(key) > 2 else f"{key}_function"
        if isinstance(outer, cst.Assign):
            target = outer.targets[0].target
            last = target.attr if isinstance(target, cst.Attribute) else target
            return last.value if isinstance(last, cst.Name) else "function"
        if isinstance(outer, cst.BaseStatement):
            break
    return "function"


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


@dataclass(frozen=True)
class Types:
    """What a function is annotated with: its parameters, one after the other, and its result."""

    parameters: Iterable[cst.BaseExpression]
    result: cst.BaseExpression


def types_said(annotation: cst.BaseExpression, node: cst.Lambda) -> Types | None:
    """Return the types that ``Callable[[…], …]`` says of a lambda, None when an annotation does not say them."""
    match annotation:
        case cst.Subscript(
            value=cst.Name("Callable") | cst.Attribute(attr=cst.Name("Callable")),
            slice=[
                cst.SubscriptElement(cst.Index(cst.List(elements))),
                cst.SubscriptElement(cst.Index(result)),
            ],
        ) if len(elements) == len(node.params.params) and _is_plain(node.params):
            return Types([one.value for one in elements], result)
    return None


def _is_plain(parameters: cst.Parameters) -> bool:
    """Return whether there are only parameters that can be given by position."""
    return parameters.with_changes(params=()).deep_equals(cst.Parameters())


def function_of(node: cst.Lambda, name: str, captured: Iterable[str], types: Types | None) -> cst.FunctionDef:
    """Return a lambda as a function with the captured names as leading parameters, annotated if there are types."""
    parameters = with_leading(node.params, captured)
    if types is not None:
        parameters = _annotated(parameters, iter(types.parameters))
    returned = cst.SimpleStatementLine([cst.Return(_on_its_own(node.body))])
    return cst.FunctionDef(
        cst.Name(name),
        parameters,
        cst.IndentedBlock([returned]),
        returns=cst.Annotation(types.result.deep_clone()) if types is not None else None,
    )


def with_behind(function: cst.FunctionDef, behind: cst.TrailingWhitespace) -> cst.FunctionDef:
    """Return a function of one line with what stood behind the statement it was, a comment among it, behind that line.

    Raises `CannotRewrite` for a comment that says the type of what the statement assigned (PEP 484).
    """
    if behind.comment is not None and _TYPE.match(behind.comment.value):
        raise CannotRewrite(f"the comment {behind.comment.value!r} is about what it is assigned to")
    returned = function.body.body[0].with_changes(trailing_whitespace=behind)
    return function.with_changes(body=function.body.with_changes(body=[returned]))


def _on_its_own(body: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression as it can stand outside brackets: in parentheses when it goes over several lines."""
    breaks = any(isinstance(one, cst.ParenthesizedWhitespace) for one in nodes(body))
    if not breaks or body.lpar or isinstance(body, cst.Call | cst.List | cst.Dict | cst.Set | cst.Subscript):
        return body
    return body.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def with_leading(parameters: cst.Parameters, captured: Iterable[str]) -> cst.Parameters:
    """Return the parameters with others in front."""
    leading = [cst.Param(cst.Name(name)) for name in captured]
    if parameters.posonly_params:
        return parameters.with_changes(posonly_params=[*leading, *parameters.posonly_params])
    return parameters.with_changes(params=[*leading, *parameters.params])


def is_typed(module: cst.Module) -> bool:
    """Return whether every function of the module says what it returns."""
    functions = [one for one in nodes(module) if isinstance(one, cst.FunctionDef)]
    return bool(functions) and all(one.returns is not None for one in functions)


def _annotated(parameters: cst.Parameters, types: Iterator[cst.BaseExpression]) -> cst.Parameters:
    def typed(one: cst.Param) -> cst.Param:
        return one.with_changes(annotation=cst.Annotation(next(types).deep_clone()))

    stars = {
        name: typed(one)
        for name, one in (("star_arg", parameters.star_arg), ("star_kwarg", parameters.star_kwarg))
        if isinstance(one, cst.Param)
    }
    return parameters.with_changes(
        posonly_params=[typed(one) for one in parameters.posonly_params],
        params=[typed(one) for one in parameters.params],
        kwonly_params=[typed(one) for one in parameters.kwonly_params],
        **stars,
    )
