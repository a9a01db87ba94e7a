"""What mends a number that is written as a text or a float."""

from __future__ import annotations

from loaderlint.model.edit import Fix, MakeInteger, Remedy, Unfixed
from loaderlint.model.remedy import unless_shared
from loaderlint.model.target import Target
from loaderlint.model.value import Candidate, CommandLineText, Value, asks_no_more

from ._refusals import arriving


def made_integer(value: Value, written: Candidate, target: Target, what: str) -> Remedy:
    """Return the fix after which a written number, which is an option's ``value`` or one of them, is an integer."""
    number = arriving(written, target)
    if isinstance(written.constant, str):
        plain = written.constant.strip().isdecimal()
    else:
        plain = isinstance(number, str) or (isinstance(number, float) and number >= 1)
    fix = Fix(f"make the {what} an integer", (MakeInteger(written.span),))
    if not plain:
        return Unfixed("what number was meant is not known")
    given = frozenset(one for one in written.assumptions if one.answer == "given")
    asked = isinstance(written.constant, CommandLineText) and not asks_no_more(written, given)
    if written.taken_out:
        return unless_shared(fix, written)
    if asked or (isinstance(written.constant, str) and _is_asked(value, written)):
        return fix.unsafe("the program asks what it was given, which may be a word")
    return unless_shared(fix, written)


def _is_asked(value: Value, default: Candidate) -> bool:
    """Return whether a test decides what becomes of the text that a user gives in place of a default."""
    instead = {(subject, "given") for subject, answer in default.assumptions if answer == "default"}
    subjects = {subject for subject, _ in default.assumptions}
    ways = (*value.unseen, *(one.assumptions for one in value.candidates))
    given = (way for way in ways if not instead.isdisjoint((subject, answer) for subject, answer in way))
    return any(isinstance(answer, bool) and subject not in subjects for way in given for subject, answer in way)
