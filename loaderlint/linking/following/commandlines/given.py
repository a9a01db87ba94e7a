"""What users give."""

from __future__ import annotations

import ast

from loaderlint.linking.things.kinds import ABSENT, GIVEN, Possibilities, Possibility
from loaderlint.linking.things.possibilities import choice, under
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText


def float_given(subject: str, name: str, declared: Span, annotation: Span) -> Possibilities:
    """Return what a user gives for a name that a library reads as a float: nothing, or some float.

    ``typer/main.py`` (0.20), ``get_click_type``: click makes a float of what is given for a parameter so annotated.
    """
    key = f"{subject}:{name}"
    flag = f"--{name.replace('_', '-')}"
    number = CommandLineText(flag, number=True)
    # The annotation says what the flag gives, but is not that value: no count can stand there.
    given = Possibility(number, annotation, assumptions=choice(key, "given"), taken_out=True)
    left = under((Possibility(ABSENT, declared),), choice(key, "default"))
    return (*left, given.step(annotation, f"{flag} of type float"))


def left_or_given(
    subject: str, name: str, span: Span, annotation: ast.expr | None = None, *, default: object = None
) -> Possibilities:
    """Return what a user gives for a name: nothing, or something nobody sees.

    ``annotation`` is the one that the library reads what the user writes by: a ``bool`` is one of two, and whoever
    gives the one that is the ``default`` gives nothing new. They stand where the name is declared.
    """
    key = f"{subject}:{name}"
    left = under((Possibility(ABSENT, span),), choice(key, "default"))
    if not (isinstance(annotation, ast.Name) and annotation.id == "bool"):
        return (*left, Possibility(GIVEN, span, assumptions=choice(key, "given")))
    # The declaration says what the switch gives, but is not that value: nothing else can stand there.
    return (
        *left,
        *(
            Possibility(answer, span, assumptions=choice(key, way), taken_out=True).step(span, f"{flag}{name}")
            for answer, way, flag in ((True, "given", "--"), (False, "turned off", "--no-"))
            if answer is not default
        ),
    )
