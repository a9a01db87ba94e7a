"""What modules read outside of their process as they are imported, and a program changes later."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.workers.read_at_import import ReadAtImport
from loaderlint.linking.workers.surroundings import changed_parts, read_changed
from loaderlint.linking.workers.top_level import Global
from loaderlint.linking.workers.written_files import WrittenFiles
from loaderlint.model.payload import Touch
from loaderlint.readers.python import PythonFacts, Scope

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def changed_outside(evaluator: Evaluator, read: Iterable[Global]) -> Iterator[Touch]:
    """Yield where a program changes what names at the top level hang on: the environment, the folder, or files."""

    def at_import() -> ReadAtImport:
        def met(facts: PythonFacts, scope: Scope, nodes: Sequence[ast.AST]) -> Touch | None:
            return read_changed(evaluator, facts, scope, nodes) or files.met(facts, scope, nodes)

        return ReadAtImport(evaluator, met)

    files = evaluator.remembered(("written files",), None, lambda: WrittenFiles(evaluator))
    if files.lost is not None:
        yield files.lost
    if changed_parts(evaluator) or files.exist:
        hanging = evaluator.remembered(("read at import",), None, at_import)
        yield from (touch for one in read if (touch := hanging.of(one)) is not None)
