"""Making the number an expression gives an integer."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.expressions import code, literal
from loaderlint.writers.python.layout import with_keyword
from loaderlint.writers.python.places import nodes

_DECLARES_OPTION = ("add_argument", "option", "argument")
"""``argparse`` and click: callees whose ``type`` says what the text on the command line becomes."""

_TYPER = ("Option", "Argument")


def integer(node: cst.BaseExpression, place: Callable[[cst.BaseExpression], cst.BaseExpression]) -> cst.BaseExpression:
    """Return the expression that gives an integer.

    A literal is written as one, a division becomes a floor division, a command line's option is declared ``type=int``,
    anything else is converted. ``place`` adds the parentheses the place asks for. Raises `CannotRewrite` for a text
    that is no number, and for an option that already becomes something else.
    """
    if isinstance(node, cst.Call) and _last_name(node.func) in _DECLARES_OPTION:
        return _declared_integer(node)
    if isinstance(node, cst.Call) and _last_name(node.func) in _TYPER:
        raise CannotRewrite("Typer takes the type of an option from its annotation")
    known = literal(node)
    if known is not None:
        return place(_literal_integer(known[0]))
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide) and not _has_float(node):
        divide = node.operator
        floor = cst.FloorDivide(whitespace_before=divide.whitespace_before, whitespace_after=divide.whitespace_after)
        return node.with_changes(operator=floor)
    inner = node.with_changes(lpar=[], rpar=[]) if not isinstance(node, cst.GeneratorExp | cst.Tuple) else node
    return cst.Call(cst.Name("int"), [cst.Arg(inner)])


def _literal_integer(value: object) -> cst.BaseExpression:
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        raise CannotRewrite(f"{value!r} is no integer") from None
    return cst.parse_expression(str(number))


def _has_float(node: cst.BaseExpression) -> bool:
    return any(isinstance(inner, cst.Float) for inner in nodes(node))


def _last_name(node: cst.BaseExpression) -> str:
    name = node.attr if isinstance(node, cst.Attribute) else node
    return name.value if isinstance(name, cst.Name) else ""


def _declared_integer(call: cst.Call) -> cst.Call:
    keywords = {argument.keyword.value: argument for argument in call.args if argument.keyword is not None}
    action = keywords.get("action")
    if action is not None and literal(action.value) != ("store",):
        raise CannotRewrite("the option takes no value, so it has no type")
    declared = keywords.get("type")
    if declared is None:
        declared_call = with_keyword(call, "type", cst.Name("int"))
        assert isinstance(declared_call, cst.Call)
        return declared_call
    if code(declared.value) not in ("float", "str", "int"):
        raise CannotRewrite(f"the option is declared type={code(declared.value)} already")
    arguments = [
        argument.with_changes(value=cst.Name("int")) if argument is declared else argument for argument in call.args
    ]
    return call.with_changes(args=arguments)
