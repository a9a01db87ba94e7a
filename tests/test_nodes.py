from __future__ import annotations

import ast

import pytest

from loaderlint.nodes import nodes_of

TEXTS = [
    "",
    "x = f(a.b[0], *c, **d)\n",
    "class A:\n    def f(self): return [i for i in self if i]\n",
    "del x, (y, z.w)\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_node_comes_in_the_order_of_walk_but_for_what_names_are_there_for(text: str) -> None:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        walked = [one for one in ast.walk(node) if one is node or not isinstance(one, ast.expr_context)]
        assert [*map(id, nodes_of(node))] == [*map(id, walked)]


def test_nodes_are_looked_up_once() -> None:
    tree = ast.parse("x = [1, 2]\n")
    assert nodes_of(tree) is nodes_of(tree)
