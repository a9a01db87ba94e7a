"""Rewriting Python: libcst carries the edits out, `ast` proves that nothing else changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import libcst as cst

from loaderlint.model.edit import AddKey, Edit, Export, GuardEntryPoint, Hoist
from loaderlint.model.imported import NOWHERE, Imported
from loaderlint.model.source import Source
from loaderlint.writers.base import CannotRewrite, Rewritten
from loaderlint.writers.python.arms import of_both_arms
from loaderlint.writers.python.integers import held_below, of_declarations
from loaderlint.writers.python.line_length import fitted
from loaderlint.writers.python.moves import moved
from loaderlint.writers.python.options import COMMENT_LOST, edit_options
from loaderlint.writers.python.places import places_of
from loaderlint.writers.python.proof import parsed, prove
from loaderlint.writers.python.unread import options_unread

_MARK = "\ufeff"


def rewrite(
    source: Source, edits: Sequence[Edit], *, imported: Imported = NOWHERE, line_length: int | None = None
) -> Rewritten:
    """Return the source's text with the edits made, proven to differ in nothing else.

    ``imported`` is what other files take from this one, ``line_length`` how long the project says that lines shall be.
    Raises `CannotRewrite` with the reason when the edits cannot be made exactly.
    """
    try:
        return _rewritten(source, edits, imported, line_length)
    except RecursionError as error:
        raise CannotRewrite(f"what {source.path} nests, or calls in a row, is too deep to follow") from error
    except UnicodeError as error:
        raise CannotRewrite(f"{source.path} cannot hold the result: {error}") from error


def _rewritten(source: Source, edits: Sequence[Edit], imported: Imported, line_length: int | None) -> Rewritten:
    tree = parsed(source.text, source.path)
    places = places_of(source)
    edits = of_declarations(places, of_both_arms(places, held_below(places, edits)))
    foreign = next((edit for edit in edits if isinstance(edit, AddKey | Export)), None)
    if foreign is not None:
        raise CannotRewrite(f"Python cannot say {type(foreign).__name__}")
    options = [edit for edit in edits if not isinstance(edit, GuardEntryPoint | Hoist | AddKey | Export)]
    definitions = _once(places.definition(edit.span) for edit in edits if isinstance(edit, Hoist))
    guarded = _once(places.statement(edit.span) for edit in edits if isinstance(edit, GuardEntryPoint))
    edited = edit_options(places, tree, options, followed=[*definitions, *guarded])
    became = edited.became
    module, reasons = moved(
        edited.module, [became[one] for one in definitions], [became[one] for one in guarded], imported
    )
    mark = _MARK if source.text.startswith(_MARK) else ""
    text = _ending_as(source.text, module.bytes.decode(source.encoding).removeprefix(_MARK))
    broken = fitted(source.text.removeprefix(mark), text, module.default_indent, module.default_newline, line_length)
    proof = partial(prove, source, edits=edits, comments_may_go=edited.unsafe == COMMENT_LOST)
    try:
        proof(mark + broken)
    except CannotRewrite:
        # How lines are broken must not cost a fix.
        proof(mark + (broken := text))
    reasons = [*filter(None, [edited.unsafe]), *reasons, *options_unread(places, edits, source.text)]
    return Rewritten(mark + broken, "; ".join(dict.fromkeys(reasons)))


def _ending_as(before: str, after: str) -> str:
    """Return the text with the blanks that the file ended in, on lines of their own the last of which does not end."""
    blanks = before[len(before.rstrip(" \t\r\n")) :].lstrip(" \t")
    return after.rstrip(" \t\r\n") + blanks if blanks.endswith((" ", "\t")) else after


def _once(nodes: Iterable[cst.CSTNode]) -> list[cst.CSTNode]:
    return list(dict.fromkeys(nodes))
