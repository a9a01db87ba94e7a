"""Making the number an expression gives an integer, or no larger than another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst
from msgspec.structs import replace

from loaderlint.model.edit import Edit, MakeInteger, SetValue, WriteAs
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.expressions import code, literal
from loaderlint.writers.python.layout import with_keyword
from loaderlint.writers.python.places import Places, nodes

_DECLARES_OPTION = ("add_argument", "option", "argument")
"""``argparse`` and click: callees whose ``type`` says what the text on the command line becomes."""

_TYPES = ("float", "str", "int")
"""Types that an option may be declared with, and is declared ``type=int`` instead."""

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


def held_below(places: Places, edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits; ``min(..., 4)`` stands for the number 4 where less is as good, unless it replaces a number."""
    return [_held_below(places, edit) if isinstance(edit, SetValue) and edit.at_most else edit for edit in edits]


def _held_below(places: Places, edit: SetValue) -> Edit:
    node = places.expressions.get(edit.span)
    if node is None or edit.platforms is not None or literal(node) is not None:
        return replace(edit, at_most=False)
    return WriteAs(edit.span, f"min({{}}, {edit.constant})")


def of_declarations(places: Places, edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits, with those of the declarations in which what becomes an integer is the default.

    What the user gives such an option is text or a float as well, until it is declared ``type=int``, and must then be
    one of its choices as an integer. Raises `CannotRewrite` where what may be chosen is not written down.
    """
    found = list(edits)
    for edit in edits:
        node = places.expressions.get(edit.span) if isinstance(edit, MakeInteger) else None
        call = _declaration(places, node) if node is not None else None
        if call is not None:
            wanted = (call, *_texts_to_choose(call))
            declaring = (MakeInteger(places.span(places.positions[one])) for one in wanted)
            found += [one for one in declaring if one not in found]
    return found


def _declaration(places: Places, node: cst.CSTNode) -> cst.Call | None:
    """Return the call that declares an option, of that or of a default that is no integer until it is declared so."""
    if isinstance(node, cst.Call):
        return node if _last_name(node.func) in _DECLARES_OPTION else None
    argument = places.parents.get(node)
    call = places.parents.get(argument) if argument is not None else None
    if not isinstance(argument, cst.Arg) or not isinstance(call, cst.Call):
        return None
    is_default = argument.keyword is not None and argument.keyword.value == "default"
    if not is_default or _last_name(call.func) not in _DECLARES_OPTION:
        return None
    declared = _keyword(call, "type")
    if isinstance(declared, cst.Call) and _last_name(declared.func) == "Choice":
        raise CannotRewrite(f"the option is declared type={code(declared)} already")
    kind = code(declared) if declared is not None else "str"
    needed = isinstance(node, cst.SimpleString) or (isinstance(node, cst.Integer | cst.Float) and kind == "float")
    return call if needed and kind in _TYPES else None


def _texts_to_choose(call: cst.Call) -> list[cst.BaseExpression]:
    """Return the texts that the user of an option chooses from, as it is declared."""
    choices = _keyword(call, "choices")
    if choices is None or (isinstance(choices, cst.Call) and _last_name(choices.func) == "range"):
        return []
    if not isinstance(choices, cst.List | cst.Tuple | cst.Set):
        raise CannotRewrite(f"the option is one of {code(choices)}, which may be texts")
    offered = [one.value for one in choices.elements]
    if not all(isinstance(one, cst.SimpleString | cst.Integer) for one in offered):
        raise CannotRewrite(f"the option is one of {code(choices)}, which are not all numbers")
    return [one for one in offered if isinstance(one, cst.SimpleString)]


def _keyword(call: cst.Call, name: str) -> cst.BaseExpression | None:
    given = (one.value for one in call.args if one.keyword is not None and one.keyword.value == name)
    return next(given, None)


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
    if code(declared.value) not in _TYPES:
        raise CannotRewrite(f"the option is declared type={code(declared.value)} already")
    arguments = [
        argument.with_changes(value=cst.Name("int")) if argument is declared else argument for argument in call.args
    ]
    return call.with_changes(args=arguments)
