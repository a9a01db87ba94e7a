"""Flags that a program changes once they are declared: ``parser._option_string_actions["--workers"].default = 0``.

CPython ``Lib/argparse.py``: an action says what its flag gives when the user does not name it (``default``), or names
it (``type``, ``const``), under which name (``dest``); a parser finds it among its ``_actions``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.following.commandlines.flags import Flag
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Frame, Items, Made, Possibility, Unseen
from loaderlint.readers.python import Place, PythonFacts, owners_set

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OF_AN_ACTION = ("const", "default", "dest", "nargs", "type")
_OF_A_PARSER = ("_action_groups", "_actions", "_defaults", "_group_actions", "_option_string_actions")
_BY_SPELLING = "_option_string_actions"
_ACTION_TAKEN = re.compile(
    r"\b_action|_actions\b|\._(optionals|positionals)\b|(?:[=(\[,]|return)\s*[\w.]+\.add_argument\("
)
_ACTION_KEPT = re.compile(r"^[ \t]*(?![\w.]+\.add_argument\()\S.*\.add_argument\(", re.MULTILINE)
"""A call that declares a flag and is no statement of its own: something may keep what it gives."""
_REMOVES = ("_handle_conflict_resolve", "_remove_action")
"""Methods of a parser that take flags from it."""


class _Change(NamedTuple):
    """A change of flags: that of a name, or of a spelling, or that a call declares; of any, where none is said."""

    name: str | None = None
    spelling: str | None = None
    declaration: ast.Call | None = None

    def may_be_of(self, flag: Flag) -> bool:
        """Return whether it may be this flag that is changed."""
        if self.declaration is not None:
            return self.declaration is flag.declaration
        if self.spelling is not None:
            return self.spelling in flag.spellings
        return self.name in (None, flag.name)


_ANY = _Change()


def is_changed(evaluator: Evaluator, flag: Flag) -> bool:
    """Return whether a program may change what a flag gives after it was declared."""
    unfinished: tuple[_Change, ...] = ()
    changes = evaluator.once(("changed actions",), unfinished, lambda: tuple(dict.fromkeys(_changes(evaluator))))
    return any(one.may_be_of(flag) for one in changes)


def _changes(evaluator: Evaluator) -> Iterator[_Change]:
    if any(name in facts.calls for facts in evaluator.project.all_python() for name in _REMOVES):
        yield _ANY
    for name in _OF_A_PARSER:
        for facts, binding in evaluator.attributes_set.get(name, ()):
            if not classes.names_receiver(Frame(facts, binding.place), binding.name.partition(".")[0]):
                yield _ANY
    held = any(map(_may_hold_actions, evaluator.project.all_python()))
    for facts, place, owner, name in _owners(evaluator):
        # What sets an attribute on something else by a name that is not written is common, and a long way to follow.
        if held or isinstance(owner, ast.Call):
            yield from _changed(evaluator, owner, name, Frame(facts, place))


def _owners(evaluator: Evaluator) -> Iterator[tuple[PythonFacts, Place, ast.expr, str]]:
    """Yield what gets other attributes as those of an action are called, with the attribute; an empty one for any."""
    for name in _OF_AN_ACTION:
        for facts, binding in evaluator.attributes_set.get(name, ()):
            if not classes.names_receiver(Frame(facts, binding.place), binding.name.rpartition(".")[0]):
                yield from ((facts, binding.place, one, name) for one in owners_set(binding.node, name))
    for facts in evaluator.project.all_python():
        for change in facts.attribute_changes:
            match change.name:
                case ast.Constant(str(written)) if written not in _OF_AN_ACTION:
                    continue
                case ast.Constant(str(written)):
                    yield facts, change.place, change.owner, written
                case _:
                    yield facts, change.place, change.owner, ""


def _changed(evaluator: Evaluator, owner: ast.expr, attribute: str, frame: Frame) -> Iterator[_Change]:
    """Yield the flags that something may be an action of; an unseen thing with another default may be any."""
    match owner:
        case ast.Subscript(ast.Attribute(attr=named), ast.Constant(str(spelling))) if named == _BY_SPELLING:
            yield _Change(spelling=spelling)
            return
    found = [way for one in evaluator.evaluate(owner, frame) for way in _flags_of(one, attribute)]
    taken = _ANY not in found or any(map(_hands_actions, evaluator.project.all_python()))
    yield from (one for one in found if taken or one != _ANY)


def _hands_actions(facts: PythonFacts) -> bool:
    """Return whether a file takes an action from where it is declared, or from its parser."""
    return _ACTION_TAKEN.search(facts.source.text) is not None


def _may_hold_actions(facts: PythonFacts) -> bool:
    """Return whether a file may do more with what declares a flag than declare it."""
    text = facts.source.text
    return _hands_actions(facts) or (".add_argument(" in text and _ACTION_KEPT.search(text) is not None)


def _flags_of(one: Possibility, attribute: str) -> Iterator[_Change]:
    match one.thing:
        case Items(entries={"dest": ways}):
            yield from (_Change(name=way.thing if isinstance(way.thing, str) else None) for way in ways)
        case Made(callee=callee, call=call) if callee.endswith("add_argument"):
            yield _Change(declaration=call)
        case Unseen() if attribute == "default":
            yield _ANY
        case Made(callee=callee) if attribute == "default" and callee.startswith("builtins."):
            # ``next(one for one in parser._actions if one.dest == "workers")``
            yield _ANY
