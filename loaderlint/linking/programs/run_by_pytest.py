"""Files of tests: what runs them imports them, and is itself the main file that their workers import again.

pytest, "Conventions for Python test discovery"; ``python -m unittest`` has the same names by default. CPython,
``Lib/multiprocessing/spawn.py``, ``get_preparation_data``: a worker gets the path of ``__main__``, which is pytest's.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.model.payload import Touch
from loaderlint.readers.python import FunctionNode, PythonFacts, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_RUNNER = "pytest"
_FOR_ALL = "conftest.py"
"""The file that pytest imports for the tests of its folder, whatever is in it."""


def run_by_pytest(evaluator: Evaluator, path: str) -> Touch | None:
    """Return where a file has what shows that pytest imports it, None where nothing does."""
    facts = evaluator.project.python(path)
    node = next(_of_tests(facts), None) if facts is not None else None
    return Touch(facts.span(node), _RUNNER) if facts is not None and node is not None else None


def is_a_program(evaluator: Evaluator, path: str) -> bool:
    """Return whether a file of tests can be started by itself as well, as its guard shows."""
    facts = evaluator.project.python(path)
    return facts is not None and facts.guard is not None


def _of_tests(facts: PythonFacts) -> Iterator[ast.stmt]:
    name = posixpath.basename(facts.source.path)
    if name == _FOR_ALL:
        yield from facts.tree.body[:1]
    elif name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py")):
        yield from (one for one in facts.tree.body if _is_test(one, facts) or _has_tests(one))


def _is_test(node: ast.stmt, facts: PythonFacts) -> bool:
    """Return whether a function is a test, or gives something to tests: a script calls its ``test_model`` itself.

    Under the file's guard one may do so with its tests, too.
    """
    if not isinstance(node, FunctionNode):
        return False
    guard = facts.span(facts.guard) if facts.guard is not None else None
    for site in facts.calls.get(node.name, ()):
        if guard is None or not guard.start <= facts.span(site.node).start < guard.end:
            return False
    decorators = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return node.name.startswith("test_") or any((dotted(one) or "").endswith("fixture") for one in decorators)


def _has_tests(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ClassDef):
        return False
    named = node.name.startswith("Test") or any((dotted(one) or "").endswith("TestCase") for one in node.bases)
    return named and any(isinstance(one, FunctionNode) and one.name.startswith("test") for one in node.body)
