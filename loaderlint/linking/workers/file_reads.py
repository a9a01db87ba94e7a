"""Which files a call reads, or asks about, by what its function is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.workers.file_paths import UNSEEN, texts_of
from loaderlint.linking.workers.file_writes import written_by
from loaderlint.linking.workers.top_level import imported
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.python_calls import keywords as keywords_of
from loaderlint.vocabulary.file_reads import FILE_KEYWORDS, READS_FIRST, READS_FOLDER, READS_ITSELF, READS_OWN_FOLDER

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def paths_read(evaluator: Evaluator, facts: PythonFacts, scope: Scope, call: ast.Call) -> Iterator[str]:
    """Yield the paths that a call reads, with marks for what is not seen of them."""
    name = called_name(call)
    if written_by(evaluator, facts, scope, call):
        return
    if name in READS_FIRST | READS_ITSELF:
        for path in _path(scope, call, name):
            yield from texts_of(evaluator, facts, scope, path)
    if name in READS_FOLDER | READS_OWN_FOLDER:
        own = isinstance(call.func, ast.Attribute) and name in READS_OWN_FOLDER and _is_path(scope, call.func.value)
        named = [call.func.value] if own and isinstance(call.func, ast.Attribute) else call.args[:1]
        for folder in named:
            # What was a sign for any text in a pattern (``rows/*.txt``) is a mark of its own in `texts_of`.
            yield from (
                text.partition("?")[0].rstrip("/") + f"/{UNSEEN}" for text in texts_of(evaluator, facts, scope, folder)
            )


def _path(scope: Scope, call: ast.Call, name: str) -> Iterator[ast.expr]:
    if isinstance(call.func, ast.Attribute) and name in READS_ITSELF and _is_path(scope, call.func.value):
        yield call.func.value
    if name in READS_FIRST:
        yield from call.args[:1]
        yield from (value for keyword, value in keywords_of(call).items() if keyword in FILE_KEYWORDS)


def _is_path(scope: Scope, owner: ast.expr) -> bool:
    """Return whether a method may be called on a path: on anything but what is imported by its name (``os.path``)."""
    name = dotted(owner)
    return name is None or next(imported(scope, name.partition(".")[0]), None) is None
