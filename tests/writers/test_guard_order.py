"""Whatever a script consists of: under the guard it does what it did, and an import finds what it found."""

from __future__ import annotations

import ast
import io
from collections import Counter
from contextlib import redirect_stdout
from random import Random

import libcst as cst
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from loaderlint.model.imported import Imported
from loaderlint.writers.python.guard import guard

STATEMENTS = (
    "a = 1",
    "a = a + 1",
    "a, b = 2, 3",
    "b = a",
    "b = [a, a]",
    "del a",
    "def f():\n    return a",
    "def f():\n    return b",
    "def f(x=a):\n    return x",
    "def bump():\n    global a\n    a += 1",
    "def fill(into):\n    into.append(a)",
    "bump()",
    "a = f()",
    "print('f', f())",
    "print('a', a)",
    "print('b', b)",
    "items = []",
    "items = [1]",
    "items.append(a)",
    "items += [b]",
    "other = items",
    "other.append(5)",
    "fill(items)",
    "print('items', items)",
    "total = sum(items)",
    "print('total', total)",
    "class C:\n    value = a\n    both = [x for x in (a, a)]",
    "class D(C):\n    def value(self):\n        return b",
    "print('class', C.value)",
    "for a in range(3):\n    print('loop', a)",
    "for a in range(3):\n    b = a",
    "if a > 1:\n    b = 10\nelse:\n    b = 20",
    "if a > 1:\n    print('more', a)",
    "try:\n    import json as b\nexcept ImportError:\n    b = None",
    "import json as a",
    "from math import tau as b",
    "while a < 4:\n    a += 1",
    "with open('/dev/null') as handle:\n    b = handle.name",
    "max = min",
    "print('largest', max(1, 2))",
    "print('walrus', (b := a))",
    "b = [c := 7 for _ in 'x']",
    "f = lambda: a",
    "assert a != 99",
    "table = {'a': a}",
    "table['a'] = b",
    "print('table', table)",
    "if __name__ == '__main__':\n    a = 50\n    print('main', a)",
    "if '__main__' == __name__: print('short', a)",
)


def runnable(lines: list[str]) -> str:
    """Return a script of the lines that do not fail where they stand, whether it is run or imported."""
    kept = ["a = 0", "b = 0"]
    for line in lines:
        code = "\n".join([*kept, line]) + "\n"
        try:
            run(code, "__main__")
            run(code, "somewhere")
        except (NameError, TypeError, AttributeError, ValueError):
            continue
        kept.append(line)
    return "\n".join([*kept, "print('last')"]) + "\n"


scripts = st.lists(st.sampled_from(STATEMENTS), min_size=2, max_size=14).map(runnable)


def run(code: str, name: str) -> tuple[str, dict[str, object]]:
    printed = io.StringIO()
    names: dict[str, object] = {"__name__": name}
    with redirect_stdout(printed):
        exec(compile(code, "script.py", "exec"), names)
    return printed.getvalue(), names


def shown(value: object) -> str:
    return f"<{type(value).__name__}>" if callable(value) or isinstance(value, type(ast)) else repr(value)


def runs(code: str) -> list[int]:
    """Return the indexes of the statements at module level that print."""
    return [
        index
        for index, node in enumerate(ast.parse(code).body)
        if isinstance(node, ast.Expr | ast.For) and "print" in ast.unparse(node)
    ]


def flattened(code: str) -> list[str]:
    """Return a module's statements, those of its guards in place of the guards."""
    statements: list[str] = []
    for node in ast.parse(code).body:
        guarded = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
        statements += [ast.unparse(one) for one in (node.body if guarded and isinstance(node, ast.If) else [node])]
    return statements


@settings(max_examples=300, report_multiple_bugs=False, deadline=None)
@given(scripts, st.sets(st.sampled_from(["a", "b", "f", "items", "C", "table", "total"])), st.randoms())
def test_a_guarded_script_does_what_it_did_and_imports_find_what_they_found(
    code: str, imported: set[str], random: Random
) -> None:
    before, made_before = run(code, "__main__")
    _, names_before = run(code, "somewhere")
    new, unsafe = guard(
        cst.parse_module(code), [random.choice(runs(code))], Imported(dict.fromkeys(imported, "other.py"))
    )
    assert Counter(flattened(new.code)) == Counter(flattened(code))
    assume(not unsafe)
    after, made_after = run(new.code, "__main__")
    assert after == before, new.code
    assert {name: shown(made_after[name]) for name in made_after} == {n: shown(made_before[n]) for n in made_before}
    printed, names_after = run(new.code, "somewhere")
    assert printed == "", new.code
    for name in imported & names_before.keys():
        assert shown(names_after.get(name)) == shown(names_before[name]), new.code
