"""Programs and the configuration files they are run with, where a list of the project says which belong together.

``Recipe(file_path="train.py", configs=[Config(file_path="small.yaml")])`` names one program and its files; whatever
starts the program reads the list. What the program makes of the file it is given, its decorator hands to its function.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.files.search_path import shared_folders
from loaderlint.linking.following.configurations import opened
from loaderlint.linking.things import many_files, settings
from loaderlint.linking.things.kinds import Frame, Function, Possibilities, end_of
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Step
from loaderlint.readers.python import FunctionNode, PythonFacts, parameters

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def configuration(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, node: ast.arg, frame: Frame
) -> Possibilities:
    """Return what a parameter that a decorator fills can be: a file the program is run with, or one of the user's."""
    span = frame.facts.span(node)
    if isinstance(function, ast.Lambda) or frame.scope.parent is not frame.facts.module:
        return unseen(span)
    if [one.arg for one in parameters(function)] != [node.arg] or not _reads_a_file(evaluator, function, frame):
        return unseen(span)
    program = frame.facts.source.path
    evaluator.mentioned.add(posixpath.basename(program))
    nothing: tuple[tuple[str, Step], ...] = ()
    found = evaluator.once(("run with", program), nothing, lambda: tuple(_run_with(evaluator, program)))
    steps = dict(found)
    files = [file for path in steps if (file := evaluator.project.configuration_file(path)) is not None]
    ways: list[tuple[str, Possibilities]] = []
    for file in opened.few_of(files):
        root = file.documents[0].root if len(file.documents) == 1 else None
        if root is not None:
            tree = settings.tree_of(root, (steps[file.source.path],))
            ways.append((file.source.path, (tree,)))
    run_with = many_files.one_of(f"the file {program} is run with", [*ways, ("another", unseen(span))])
    return tuple(map(settings.seen_as_settings, run_with))


def _reads_a_file(evaluator: Evaluator, function: FunctionNode, frame: Frame) -> bool:
    """Return whether the only decorator of a function stands in a file of the project that reads configurations."""
    if len(function.decorator_list) != 1:
        return False
    made = evaluator.evaluate(function.decorator_list[0], Frame(frame.facts, end_of(frame.facts.module)))
    return bool(made) and all(
        isinstance(one.thing, Function) and opened.READER_NAMES & one.thing.facts.calls.keys() for one in made
    )


def _run_with(evaluator: Evaluator, program: str) -> Iterator[tuple[str, Step]]:
    """Yield the configuration files of the project that stand in one literal with a program and with no other."""
    name = posixpath.basename(program)
    for facts in evaluator.project.all_python():
        if f'{name}"' in facts.source.text or f"{name}'" in facts.source.text:
            for path, span in _named_with(evaluator, facts, program):
                yield path, Step(span, facts.source.at(span))


def _named_with(evaluator: Evaluator, facts: PythonFacts, program: str) -> Iterator[tuple[str, Span]]:
    words = [
        (one.value, facts.span(one))
        for one in ast.walk(facts.tree)
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and Language.of(one.value) is not None
    ]
    literals = [
        facts.span(one) for one in ast.walk(facts.tree) if isinstance(one, ast.Call | ast.Dict | ast.List | ast.Tuple)
    ]
    together: list[Span] = []
    # The innermost first.
    for literal in reversed(literals):
        inside = [(word, span) for word, span in words if literal.holds(span)]
        programs = {word for word, _ in inside if Language.of(word) is Language.PYTHON}
        files = [(word, span) for word, span in inside if _is_configuration(word)]
        if not programs or not files or any(literal.holds(one) for one in together):
            continue
        together.append(literal)
        if len(programs) == 1 and _path_of(evaluator, next(iter(programs)), facts.source.path) == program:
            for word, span in files:
                path = _path_of(evaluator, word, facts.source.path)
                if path is not None:
                    yield path, span


def _is_configuration(word: str) -> bool:
    language = Language.of(word)
    return language is not None and language.is_configuration


def _path_of(evaluator: Evaluator, word: str, near: str) -> str | None:
    """Return the only file of the project whose path ends in these words, of several the one that is nearest."""
    found = [path for path in evaluator.project.paths if path == word or path.endswith(f"/{word}")]
    most = max((shared_folders(path, near) for path in found), default=0)
    nearest = [path for path in found if shared_folders(path, near) == most]
    return nearest[0] if len(nearest) == 1 else None
