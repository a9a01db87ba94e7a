"""Where files are that programs name: the same wherever it is asked first."""

from __future__ import annotations

import ast

import pytest

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.things import locations
from loaderlint.linking.things.kinds import Frame
from loaderlint.readers.python import Place
from tests.linking.traced import project_of

CLIMBING = """
import os
root = "a/b/train.yaml"
while not os.path.exists(root):
    folder = os.path.dirname(root)
    root = os.path.join(folder, "other.yaml")
"""


@pytest.mark.parametrize("first", ["root", "folder"])
def test_of_paths_that_are_made_of_each_other_each_is_found_whichever_is_asked_first(first: str) -> None:
    project, _ = project_of(CLIMBING)
    facts = project.python("main.py")
    assert facts is not None
    calls = [one for one in ast.walk(facts.tree) if isinstance(one, ast.Call) and len(one.args) > 0]
    named = {argument.id: argument for call in calls[1:] for argument in call.args if isinstance(argument, ast.Name)}
    evaluator = Evaluator(project)

    def paths(name: str) -> set[str | None]:
        frame = Frame(facts, Place(facts.module, 10))
        return {one.path if one is not None else None for one, _ in locations.of(evaluator, named[name], frame)}

    second = "folder" if first == "root" else "root"
    found = {name: paths(name) for name in (first, second)}
    assert found == {"root": {"a/b/train.yaml", None}, "folder": {"a/b", None}}
