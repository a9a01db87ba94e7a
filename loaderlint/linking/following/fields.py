"""Fields of the objects of classes whose constructor is made for them: dataclasses, attrs, pydantic."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following import arguments, library_attributes, parameters
from loaderlint.linking.following.commandlines.defaults import SIMPLE_PARSING
from loaderlint.linking.things import classes, dictionaries
from loaderlint.linking.things.kinds import (
    ABSENT,
    Absent,
    Class,
    External,
    Frame,
    Instance,
    Possibilities,
    Possibility,
    end_of,
)
from loaderlint.linking.things.made_calls import AnyCaller, Caller, SettingsCaller
from loaderlint.linking.things.possibilities import irremovable, one_of, settled, under, unseen
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import keywords as keywords_of
from loaderlint.readers.python_calls import without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_NO_FIELDS = ("ClassVar", "KW_ONLY")
"""What a name is annotated with that is no field (``dataclasses._is_type``, ``_process_class``, Python 3.13)."""
_FOR_CONSTRUCTOR = "InitVar"
"""What one is annotated with that the constructor alone gets."""


class _Field(NamedTuple):
    """Whether objects keep a field, their constructor takes it, and takes it by its place."""

    kept: bool
    taken: bool
    by_place: bool


def is_field(owner: Class, name: str) -> bool:
    """Return whether a class-level name is a field: annotated, in a class without a constructor of its own."""
    if "__init__" in owner.scope.bindings:
        return False
    return any(_declares_field(one.node) for one in owner.scope.bindings.get(name, ()))


def _declares_field(node: ast.AST) -> bool:
    """Return whether a statement of a class body declares a field: with an annotation, or by attrs' own call."""
    if isinstance(node, ast.AnnAssign):
        return _annotated(node) not in _NO_FIELDS
    call = node.value if isinstance(node, ast.Assign) else None
    return isinstance(call, ast.Call) and dotted(call.func) in ("attr.ib", "attr.attrib", "attrs.field", "attr.field")


def given(
    evaluator: Evaluator,
    instance: Instance,
    owner: Class,
    name: str,
    default: Possibilities,
    span: Span,
    handed_up: Sequence[Caller],
) -> Possibilities:
    """Return what a field of an object holds: what made it gives, or its default where that leaves the field out.

    ``handed_up`` are the calls that fill the fields where a constructor of a class below makes the object.
    """
    makers: list[AnyCaller]
    elsewhere = for_users = filled = False
    if handed_up:
        makers = [*handed_up]
    elif instance.call is not None and instance.frame is not None:
        makers = [Caller(instance.frame, instance.call)]
    else:
        made = evaluator.callers.makers(instance.of)
        own = (one for one in made.by if not parameters.is_left_out(one, instance))
        makers = [*own, *evaluator.callers.base_calls(instance.of)]
        elsewhere, for_users = made.elsewhere, made.for_users
        filled = evaluator.outside.fills(instance.of)
    user = f"{classes.subject(owner)}.{name}"
    by_users = one_of(user, (("default", default), ("given", unseen(span))))
    if not makers:
        return by_users
    more = library_attributes.takes_more_before(evaluator, owner)
    order = [] if more else taken_by_constructor(evaluator, owner, by_place=True)
    keyword = _keyword(evaluator, owner, name)
    removable = any(
        arguments.is_neutral(one.value, name)
        for one in owner.node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == name
    )
    ways: list[Possibilities] = []
    for maker in makers:
        values: Possibilities
        if isinstance(maker, SettingsCaller):
            given = _under_keyword(maker.given, name, keyword, span)
            values = parameters.stepped(
                given if removable else irremovable(given), span, f"{owner.node.name}({name}=…)"
            )
        else:
            values = under(_of_call(evaluator, maker, order, name, keyword), maker.assumptions)
            values = values if removable else irremovable(values)
        held = settled(values, lambda: default)
        ways.append(one_of(user, (("default", held), ("given", unseen(span)))) if filled else held)
    if elsewhere or _reads_environment(evaluator, owner):
        ways.append(unseen(span))
    if for_users:
        ways.append(by_users)
    return one_of(classes.subject(owner), enumerate(ways)) or unseen(span)


def _reads_environment(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether the fields of a class can be set by environment variables (pydantic's ``BaseSettings``)."""
    names = (dotted(base) or "" for one in classes.lineage(evaluator, owner) for base in one.node.bases)
    return any(name.rpartition(".")[2] == "BaseSettings" for name in names)


def fields_of(evaluator: Evaluator, owner: Class) -> list[str]:
    """Return the names of the fields that objects of a class keep, inherited ones first."""
    return [name for name, one in _fields(evaluator, owner).items() if one.kept]


def annotated_names(evaluator: Evaluator, owner: Class) -> list[str]:
    """Return all that a dataclass notes of its annotations, fields or not: ``__dataclass_fields__``."""
    family = reversed(classes.lineage(evaluator, owner))
    written = (one for each in family for one in each.node.body if isinstance(one, ast.AnnAssign))
    return [one.target.id for one in written if isinstance(one.target, ast.Name) and _annotated(one) != "KW_ONLY"]


def taken_by_constructor(evaluator: Evaluator, owner: Class, *, by_place: bool = False) -> list[str]:
    """Return the names of the fields that the constructor takes, in its order; of those ``by_place`` alone if asked."""
    return [name for name, one in _fields(evaluator, owner).items() if one.taken and (one.by_place or not by_place)]


def _fields(evaluator: Evaluator, owner: Class) -> dict[str, _Field]:
    found: dict[str, _Field] = {}
    for one in reversed(classes.lineage(evaluator, owner)):
        made = (decorator for decorator in one.node.decorator_list if isinstance(decorator, ast.Call))
        by_place = not any(_says("kw_only", decorator, truth=True) for decorator in made)
        for statement in one.node.body:
            targets = [statement.target] if isinstance(statement, ast.AnnAssign) else getattr(statement, "targets", [])
            by_place = by_place and _annotated(statement) != "KW_ONLY"
            if _declares_field(statement) and len(targets) == 1 and isinstance(targets[0], ast.Name):
                value = getattr(statement, "value", None)
                found[targets[0].id] = _Field(
                    kept=_annotated(statement) != _FOR_CONSTRUCTOR,
                    taken=not _says("init", value, truth=False),
                    by_place=by_place and not _says("kw_only", value, truth=True),
                )
    return found


def _annotated(statement: ast.AST) -> str:
    """Return the last part of the name of what a statement annotates a name with, a text's as well."""
    annotation = statement.annotation if isinstance(statement, ast.AnnAssign) else None
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.partition("[")[0].rpartition(".")[2]
    return last_name(annotation.value if isinstance(annotation, ast.Subscript) else annotation)


def _says(keyword: str, call: ast.expr | None, *, truth: bool) -> bool:
    """Return whether a call gives a keyword that is not known to be otherwise."""
    given = keywords_of(call).get(keyword) if isinstance(call, ast.Call) else None
    return given is not None and not (isinstance(given, ast.Constant) and bool(given.value) is not truth)


def _of_call(evaluator: Evaluator, maker: Caller, order: list[str], name: str, keyword: str | None) -> Possibilities:
    call, frame = maker.call, maker.frame
    span = frame.facts.span(call)
    for position, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            return unseen(span)
        if position < len(order) and order[position] == name:
            return evaluator.evaluate(argument, frame)
    return _under_keyword(lambda word: _keyword_of_call(evaluator, maker, word), name, keyword, span)


def _keyword_of_call(evaluator: Evaluator, maker: Caller, name: str) -> Possibilities:
    call, frame = maker.call, maker.frame
    span = frame.facts.span(call)
    splatted: Possibilities = ()
    for keyword in call.keywords:
        if keyword.arg == name:
            return dictionaries.entered(evaluator, keyword.value, frame, frame.facts.span(keyword))
        if keyword.arg is None:
            items = dictionaries.as_items(evaluator, evaluator.evaluate(keyword.value, frame))[0]
            splatted = items.entries.get(name, () if items.complete else unseen(span))
    return splatted or (Possibility(ABSENT, span),)


def _under_keyword(given: Callable[[str], Possibilities], name: str, keyword: str | None, span: Span) -> Possibilities:
    """Return what is given for a field under the keyword that stands for it (None: not seen which).

    Whether a field with a keyword of its own also goes by its name is a setting of the class, or of one above it
    (pydantic's ``populate_by_name``).
    """
    if keyword == name:
        return given(name)
    by_name = all(isinstance(one.thing, Absent) for one in given(name))
    if keyword is None:
        return (*unseen(span), Possibility(ABSENT, span))
    return given(keyword) if by_name else (*given(keyword), *unseen(span))


def _keyword(evaluator: Evaluator, owner: Class, name: str) -> str | None:
    """Return the keyword that a constructor takes a field by, None where that is worked out at run time.

    pydantic: "Field aliases"; attrs: "Private attributes and aliases", where leading underscores are no part of it.
    What simple_parsing calls an alias is another flag of the command line (``simple_parsing/helpers/fields.py``, 0.1).
    """
    for binding in owner.scope.bindings.get(name, ()):
        call = binding.node.value if isinstance(binding.node, ast.AnnAssign | ast.Assign) else None
        written = keywords_of(call) if isinstance(call, ast.Call) else {}
        alias = written.get("validation_alias", written.get("alias"))
        if alias is not None and isinstance(call, ast.Call) and not _declares_flags(evaluator, owner, call):
            return alias.value if isinstance(alias, ast.Constant) and isinstance(alias.value, str) else None
    return name.lstrip("_") if any(_is_attrs(one) for one in owner.node.decorator_list) else name


def _declares_flags(evaluator: Evaluator, owner: Class, field: ast.Call) -> bool:
    callees = evaluator.evaluate(field.func, Frame(owner.facts, end_of(owner.scope)))
    names = (one.thing.name for one in callees if isinstance(one.thing, External))
    return any(name.rpartition(".")[0] in SIMPLE_PARSING for name in names)


def _is_attrs(decorator: ast.expr) -> bool:
    made = without_arguments(decorator)
    return dotted(made) in ("define", "frozen", "attrs.define", "attrs.frozen", "attr.s", "attr.attrs", "attr.define")
