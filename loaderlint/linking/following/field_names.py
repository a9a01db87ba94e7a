"""The names of a class's fields, as a program asks for them that keeps those of its settings alone.

``dataclasses.fields``, and ``__dataclass_fields__`` that has those for the class or its constructor alone, too
(``dataclasses.py``, Python 3.13), pydantic's ``model_fields`` and
``__fields__`` (``pydantic/main.py``, 2.14), and the parameters of the constructor that a dataclass has
(``inspect.signature``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from loaderlint.linking.following import fields, parameters
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Thing,
)
from loaderlint.linking.things.possibilities import under
from loaderlint.model.source import Span
from loaderlint.readers.python_calls import keywords as keywords_of
from loaderlint.vocabulary.configurations import FIELDS_OF_DATACLASSES, FIELDS_OF_MODELS, MODELS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.things.kinds import Frame

FIELDS = "dataclasses.fields"
"""What gives the fields of a dataclass, or of an object of one, each with its ``name``."""
SIGNATURE = "inspect.signature"
"""What says which ``parameters`` a call takes."""
_FIELD = "dataclasses.Field"
"""What stands for what is told of a field."""


def listed(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return the fields that ``fields(Class)`` gives, None where they are not those of a dataclass that was seen."""
    span = frame.facts.span(node)
    found: list[Possibility] = []
    for one in evaluator.evaluate(node.args[0], frame) if len(node.args) == 1 else ():
        names = _of_dataclass(evaluator, one.thing, fields.fields_of)
        if names is None:
            return None
        # No constant of the program's own stands where a field is named: nobody edits it there.
        listed_fields = tuple(
            (Possibility(Items({"name": _text(name, span)}, complete=False), span),) for name in names
        )
        found.extend(under((Possibility(Row(listed_fields), span),), one.assumptions))
    return tuple(found) or None


def by_name(evaluator: Evaluator, thing: Thing, name: str, span: Span) -> Possibilities | None:
    """Return what an attribute of a class gives that holds its fields by name, None for any other attribute."""
    names: list[str] | None = None
    if name == FIELDS_OF_DATACLASSES:
        names = _of_dataclass(evaluator, thing, fields.annotated_names)
    elif name in FIELDS_OF_MODELS and isinstance(thing, Class):
        bases = {base for one in classes.lineage(evaluator, thing) for base in classes.foreign_bases(evaluator, one)}
        names = fields.fields_of(evaluator, thing) if bases and bases <= MODELS else None
    elif name == "parameters" and isinstance(thing, Made) and thing.callee == SIGNATURE and len(thing.call.args) == 1:
        kinds = [one.thing for one in evaluator.evaluate(thing.call.args[0], thing.frame)]
        kind = kinds[0] if len(kinds) == 1 else None
        own = isinstance(kind, Class) and classes.constructor(evaluator, kind) is None and not _may_lack_its_own(kind)
        names = _of_dataclass(evaluator, kind, fields.taken_by_constructor) if own else None
    if names is None:
        return None
    return (Possibility(Items({one: (Possibility(External(_FIELD), span),) for one in names}), span),)


def _of_dataclass(
    evaluator: Evaluator, thing: Thing, names_of: Callable[[Evaluator, Class], list[str]]
) -> list[str] | None:
    """Return the names of a dataclass's fields, None where something else may give it others."""
    owner = thing.of if isinstance(thing, Instance) else thing
    if not isinstance(owner, Class):
        return None
    family = classes.lineage(evaluator, owner)
    if any([*classes.foreign_bases(evaluator, one)] for one in family) or not all(map(parameters.is_dataclass, family)):
        return None
    return names_of(evaluator, owner)


def _may_lack_its_own(kind: Class) -> bool:
    """Return whether a dataclass may be made without a constructor, ``@dataclass(init=False)``."""
    return any(isinstance(one, ast.Call) and "init" in keywords_of(one) for one in kind.node.decorator_list)


def _text(name: str, span: Span) -> Possibilities:
    return (Possibility(name, span, taken_out=True),)
