"""Environment variables: given by whoever starts a program, or set by the program itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import platforms
from loaderlint.linking.things.kinds import Frame, Possibilities, Possibility
from loaderlint.linking.things.possibilities import choice, under, unseen
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText
from loaderlint.readers.python import Binding, Scope

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAMES = ("os.environ", "environ")
_ANY = ""
"""Under this name stand the changes of variables whose names are not written."""


def read(evaluator: Evaluator, node: ast.Call, frame: Frame, span: Span) -> Possibilities:
    """Return what ``os.environ.get`` or ``os.getenv`` gives: a string when the variable is set, else the default."""
    if not node.args:
        return unseen(span)
    name = frame.facts.text(node.args[0]).strip("\"'")
    before = _set_before(evaluator, name, frame)
    if before is not None:
        return before
    default = evaluator.evaluate(node.args[1], frame) if len(node.args) > 1 else (Possibility(None, span),)
    of_platform = platforms.of_environment(name, default, span)
    if of_platform is not None:
        return of_platform
    # Wherever a variable is read that only the program's starter sets, it is set or it is not.
    only_from_outside = isinstance(node.args[0], ast.Constant) and not is_set_somewhere(evaluator, name)
    subject = f"${name}" if only_from_outside else str(span)
    given = under((Possibility(CommandLineText(f"${name}"), span),), choice(subject, "set"))
    return (*given, *under(default, choice(subject, "unset")), *_set_somewhere(evaluator, name, span))


def item(evaluator: Evaluator, name: str, frame: Frame, span: Span) -> Possibilities:
    """Return what ``os.environ[name]`` gives."""
    before = _set_before(evaluator, name, frame)
    if before is not None:
        return before
    of_platform = platforms.of_environment(name, (), span)
    if of_platform is not None:
        return of_platform
    return (Possibility(CommandLineText(f"${name}"), span), *_set_somewhere(evaluator, name, span))


def _set_before(evaluator: Evaluator, name: str, frame: Frame) -> Possibilities | None:
    """Return what a variable was set to in the same scope, or at the top of the file, whatever happened; else None."""
    for scope in (frame.scope, frame.facts.module):
        changes = [one for one in _changes_in(scope) if scope is not frame.scope or one.place.order < frame.place.order]
        matching = [one for one in changes if _name_of(one) in (name, _ANY)]
        last = matching[-1] if matching else None
        if last is None:
            continue
        if last.kind == "item" and last.value is not None and not last.place.arms and _name_of(last) == name:
            where = Frame(frame.facts, last.place) if scope is not frame.scope else frame
            # What a program puts there has to be a text, which no setting is.
            return tuple(replace(one, taken_out=True) for one in evaluator.evaluate(last.value, where))
        return None
    return None


def _set_somewhere(evaluator: Evaluator, name: str, span: Span) -> Possibilities:
    """Return the unseen where the program itself may set a variable."""
    return unseen(span) if is_set_somewhere(evaluator, name) else ()


def is_set_somewhere(evaluator: Evaluator, name: str) -> bool:
    """Return whether the project itself may set a variable of the environment."""
    changed = evaluator.once(("environment",), frozenset[str](), lambda: _changed(evaluator))
    return name in changed or _ANY in changed


def _changed(evaluator: Evaluator) -> frozenset[str]:
    """Return the names of the variables that the project sets."""
    scopes = (scope for facts in evaluator.project.all_python() for scope in facts.scopes.values())
    return frozenset(_name_of(one) for scope in scopes for one in _changes_in(scope))


def _changes_in(scope: Scope) -> list[Binding]:
    changes = [one for name in _NAMES for one in scope.bindings.get(name, ())]
    return sorted((one for one in changes if one.kind in MUTATIONS), key=lambda one: one.place.order)


def _name_of(change: Binding) -> str:
    """Return the name of the variable that is set, `_ANY` where it is not written."""
    return change.key.value if isinstance(change.key, ast.Constant) and isinstance(change.key.value, str) else _ANY
