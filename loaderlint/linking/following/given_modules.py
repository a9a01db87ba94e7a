"""Modules that the user of a program names whole: ``importlib.import_module(args.config)``."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Frame, Module, Possibilities, Possibility, Unseen
from loaderlint.linking.things.possibilities import one_of, unseen
from loaderlint.linking.things.templates import MOST_NAMED
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def named(evaluator: Evaluator, name: Possibility, frame: Frame, span: Span) -> Possibilities:
    """Return the modules that a name can mean which the user gives, of folders put on ``sys.path`` for them.

    Any other name that was not seen means nothing that was.
    """
    given = isinstance(name.thing, CommandLineText) or (isinstance(name.thing, Unseen) and name.thing.given)
    paths = _modules_on_path(evaluator, frame.facts.source.path) if given else []
    if not 0 < len(paths) <= MOST_NAMED:
        return unseen(span)
    read = ((path, evaluator.project.python(path)) for path in paths)
    ways = [(path, (Possibility(Module(facts), span),)) for path, facts in read if facts is not None]
    return one_of(f"the module named at {name.span}", [*ways, ("another", unseen(span))])


def _modules_on_path(evaluator: Evaluator, importer: str) -> list[str]:
    """Return the modules in the folders that a file puts on the path, beside it or beside a folder above it."""
    project, beside = evaluator.project, posixpath.dirname(importer)
    found: list[str] = []
    for folder in project.folders_put_on_path(importer):
        homes = dict.fromkeys((posixpath.join(beside, folder), folder))
        home = next((one for one in homes if project.folder(one)), None)
        if home is not None:
            found.extend(posixpath.join(home, one) for one in project.folder(home) if one.endswith(".py"))
    return [one for one in found if posixpath.basename(one) != "__init__.py"]
