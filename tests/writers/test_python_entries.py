from __future__ import annotations

import pytest

from loaderlint.model.edit import Drop, RemoveIgnore, SetValue
from loaderlint.writers import Rewritten
from tests.writers.marked import (
    WINDOWS,
    Cases,
    Edits,
    add_spawn,
    add_spawn_with_workers,
    drop_prefetch,
    drop_two,
    neutral,
    rewritten,
)

DROP: Cases = {
    "the only argument": ("DataLoader(⟦prefetch_factor=⟦2⟧⟧)\n", drop_prefetch, "DataLoader()\n"),
    "the last of a line": ("f(ds, ⟦prefetch_factor=⟦2⟧⟧)\n", drop_prefetch, "f(ds)\n"),
    "the first of a line": ("f(⟦prefetch_factor=⟦2⟧⟧, n=4)\n", drop_prefetch, "f(n=4)\n"),
    "one between two": ("f(ds, ⟦prefetch_factor=⟦2⟧⟧, n=4)\n", drop_prefetch, "f(ds, n=4)\n"),
    "one in redundant parentheses": ("f(ds, ⟦prefetch_factor=(⟦2⟧)⟧, n=4)\n", drop_prefetch, "f(ds, n=4)\n"),
    "one before a splat": ("f(⟦prefetch_factor=⟦2⟧⟧, **kwargs)\n", drop_prefetch, "f(**kwargs)\n"),
    "one of several on their lines": (
        "f(\n    ds,  # data\n    # two each\n    ⟦prefetch_factor=⟦2⟧⟧,\n    n=4,  # four\n)\n",
        drop_prefetch,
        "f(\n    ds,  # data\n    # two each\n    n=4,  # four\n)\n",
    ),
    "the last with a trailing comma": (
        "f(\n    ds,\n    ⟦prefetch_factor=⟦2⟧⟧,\n)\n",
        drop_prefetch,
        "f(\n    ds,\n)\n",
    ),
    "the last without a trailing comma": (
        "f(\n    ds,  # data\n    ⟦prefetch_factor=⟦2⟧⟧\n)\n",
        drop_prefetch,
        "f(\n    ds  # data\n)\n",
    ),
    "the last of a hanging call": (
        "f(ds,\n  n=4,\n  ⟦prefetch_factor=⟦2⟧⟧)\n",
        drop_prefetch,
        "f(ds,\n  n=4)\n",
    ),
    "the last of a hanging call behind a comment": (
        "f(ds,  # data\n  ⟦prefetch_factor=⟦2⟧⟧)\n",
        drop_prefetch,
        "f(ds  # data\n  )\n",
    ),
    "one that shares its line": (
        "f(\n    ds, ⟦prefetch_factor=⟦2⟧⟧,  # both\n    n=4,\n)\n",
        drop_prefetch,
        "f(\n    ds,  # both\n    n=4,\n)\n",
    ),
    "the only one on its line": ("f(\n    ⟦prefetch_factor=⟦2⟧⟧,\n)\n", drop_prefetch, "f()\n"),
    "two neighbours": ("f(⟦timeout=⟦9⟧⟧, ⟦prefetch_factor=⟦2⟧⟧, n=4)\n", drop_two, "f(n=4)\n"),
    "all there are": ("f(⟦timeout=⟦9⟧⟧, ⟦prefetch_factor=⟦2⟧⟧)\n", drop_two, "f()\n"),
    "a key": ("d = {'n': 4, ⟦'prefetch_factor': ⟦2⟧⟧}\n", drop_prefetch, "d = {'n': 4}\n"),
    "a key on its line": (
        "d = {\n    'n': 4,\n    ⟦'prefetch_factor': ⟦2⟧⟧,\n    **more,\n}\n",
        drop_prefetch,
        "d = {\n    'n': 4,\n    **more,\n}\n",
    ),
    "the last key with a trailing comma": (
        "d = {\n    'n': 4,\n    ⟦'prefetch_factor': ⟦2⟧⟧,\n}\n",
        drop_prefetch,
        "d = {\n    'n': 4,\n}\n",
    ),
    "the only key": ("d = {⟦'prefetch_factor': ⟦2⟧⟧}\n", drop_prefetch, "d = {}\n"),
    "a key whose value is in parentheses": (
        "d = {⟦'prefetch_factor': (⟦2⟧⟧), 'n': 4}\n",
        drop_prefetch,
        "d = {'n': 4}\n",
    ),
    "a keyword of a method": (
        "d.update(n=4, ⟦prefetch_factor=⟦2⟧⟧)\n",
        drop_prefetch,
        "d.update(n=4)\n",
    ),
    "one on its line, with CRLF line ends": (
        "f(\r\n    ds,\r\n    ⟦prefetch_factor=⟦2⟧⟧,\r\n    n=4)\r\n",
        drop_prefetch,
        "f(\r\n    ds,\r\n    n=4)\r\n",
    ),
    "one on its line, with tabs and no final newline": (
        "if x:\n\tf(\n\t\tds,\n\t\t⟦prefetch_factor=⟦2⟧⟧\n\t)",
        drop_prefetch,
        "if x:\n\tf(\n\t\tds\n\t)",
    ),
    "a keyword of dict": ("d = dict(n=4, ⟦prefetch_factor=⟦2⟧⟧)\n", drop_prefetch, "d = dict(n=4)\n"),
    "an assignment": (
        "d = {}\n⟦d['prefetch_factor'] = ⟦2⟧⟧\nf(**d)\n",
        drop_prefetch,
        "d = {}\nf(**d)\n",
    ),
    "an assignment between blank lines": (
        "d = {}\n\n⟦d['prefetch_factor'] = ⟦2⟧⟧\n\nf(**d)\n",
        drop_prefetch,
        "d = {}\n\nf(**d)\n",
    ),
    "an assignment below a comment": (
        "d = {}\n# two each\n⟦d['prefetch_factor'] = ⟦2⟧⟧\nf(**d)\n",
        drop_prefetch,
        "d = {}\n# two each\nf(**d)\n",
    ),
    "the last assignment below a comment": (
        "if x:\n    d = {}\n    # two each\n    ⟦d['prefetch_factor'] = ⟦2⟧⟧\nf(**d)\n",
        drop_prefetch,
        "if x:\n    d = {}\n    # two each\nf(**d)\n",
    ),
    "all of a block": (
        "if x:\n    ⟦d['prefetch_factor'] = ⟦2⟧⟧\nf(**d)\n",
        drop_prefetch,
        "if x:\n    pass\nf(**d)\n",
    ),
    "all of a block on one line": (
        "if x: ⟦d['prefetch_factor'] = ⟦2⟧⟧\nf(**d)\n",
        drop_prefetch,
        "if x: pass\nf(**d)\n",
    ),
    "one assignment of a line": (
        "a = 1; ⟦d['prefetch_factor'] = ⟦2⟧⟧\n",
        drop_prefetch,
        "a = 1\n",
    ),
    "a positional argument, by its neutral value": (
        "f(ds, ⟦⟦2⟧⟧, 3)\n",
        lambda at: [Drop(at[1], "prefetch_factor", None, at[0])],
        "f(ds, None, 3)\n",
    ),
    "a value that is read by name": ("prefetch = ⟦2⟧\n", neutral, "prefetch = None\n"),
    "on one platform alone, keeping the keyword": (
        "import sys\nf(⟦prefetch_factor=⟦2⟧⟧)\n",
        lambda at: [Drop(at[1], "prefetch_factor", None, at[0], WINDOWS)],
        'import sys\nf(prefetch_factor=None if sys.platform == "win32" else 2)\n',
    ),
    "beside a value of the same call": (
        "f(\n    num_workers=⟦4⟧,\n    ⟦prefetch_factor=⟦2⟧⟧,\n)\n",
        lambda at: [SetValue(at[0], 0), Drop(at[2], "prefetch_factor", None, at[1])],
        "f(\n    num_workers=0,\n)\n",
    ),
    "beside a value in a call inside": (
        "f(g(n=⟦4⟧), ⟦prefetch_factor=⟦2⟧⟧)\n",
        lambda at: [SetValue(at[0], 0), Drop(at[2], "prefetch_factor", None, at[1])],
        "f(g(n=0))\n",
    ),
    "in calls inside each other": (
        "f(g(⟦timeout=⟦9⟧⟧), ⟦prefetch_factor=⟦2⟧⟧)\n",
        drop_two,
        "f(g())\n",
    ),
}

LOSES_COMMENT = {
    "behind an argument on its line": "f(\n    ds,\n    ⟦prefetch_factor=⟦2⟧⟧,  # two each\n)\n",
    "inside an argument": "f(ds, ⟦prefetch_factor=g(  # two each\n    ⟦2⟧)⟧)\n",
    "behind an assignment": "⟦d['prefetch_factor'] = ⟦2⟧⟧  # two each\n",
    "behind a key": "d = {\n    'n': 4,\n    ⟦'prefetch_factor': ⟦2⟧⟧,  # two each\n}\n",
}

ADD_OPTION: Cases = {
    "a call on one line": (
        "⟦f(ds, n=4)⟧\n",
        add_spawn,
        'f(ds, n=4, multiprocessing_context="spawn")\n',
    ),
    "a call without arguments": ("⟦f()⟧\n", add_spawn, 'f(multiprocessing_context="spawn")\n'),
    "a call with a trailing comma": (
        "⟦f(\n    ds,\n    n=4,  # four\n)⟧\n",
        add_spawn,
        'f(\n    ds,\n    n=4,  # four\n    multiprocessing_context="spawn",\n)\n',
    ),
    "a call with one argument on its line": (
        "⟦f(\n    ds\n)⟧\n",
        add_spawn,
        'f(\n    ds,\n    multiprocessing_context="spawn"\n)\n',
    ),
    "a hanging call": (
        "⟦f(ds,\n  n=4)⟧\n",
        add_spawn,
        'f(ds,\n  n=4,\n  multiprocessing_context="spawn")\n',
    ),
    "several arguments on a line of their own": (
        "⟦f(\n    ds, n=4\n)⟧\n",
        add_spawn,
        'f(\n    ds, n=4, multiprocessing_context="spawn"\n)\n',
    ),
    "before a splat": (
        "⟦f(ds, **kwargs)⟧\n",
        add_spawn,
        'f(ds, multiprocessing_context="spawn", **kwargs)\n',
    ),
    "before a splat on its line": (
        "⟦f(\n    ds,  # data\n    # the rest\n    **kwargs,\n)⟧\n",
        add_spawn,
        'f(\n    ds,  # data\n    multiprocessing_context="spawn",\n    # the rest\n    **kwargs,\n)\n',
    ),
    "a call inside another": (
        "f(⟦g(\n    ds,\n)⟧, n=4)\n",
        add_spawn,
        'f(g(\n    ds,\n    multiprocessing_context="spawn",\n), n=4)\n',
    ),
    "a dictionary": (
        "d = ⟦{'n': 4}⟧\n",
        add_spawn,
        "d = {'n': 4, 'multiprocessing_context': 'spawn'}\n",
    ),
    "only with workers": (
        "⟦f(num_workers=⟦n⟧)⟧\n",
        add_spawn_with_workers,
        'f(num_workers=n, multiprocessing_context="spawn" if n > 0 else None)\n',
    ),
    "only where there are workers": (
        "import sys\n⟦f(num_workers=⟦4⟧)⟧\n",
        lambda at: [*add_spawn_with_workers(at), SetValue(at[1], 0, WINDOWS)],
        'import sys\nf(num_workers=0 if sys.platform == "win32" else 4,\n'
        '  multiprocessing_context=None if sys.platform == "win32" else "spawn")\n',
    ),
    "in place of what is dropped": (
        "⟦f(ds, ⟦timeout=⟦60⟧⟧)⟧\n",
        lambda at: [*add_spawn(at), Drop(at[2], "timeout", 0, at[1])],
        'f(ds, multiprocessing_context="spawn")\n',
    ),
}

REMOVE_IGNORE = {
    "one name of two": (
        "f()  ⟦# loaderlint: ignore[a, b] slow disk⟧\n",
        ["a"],
        "f()  # loaderlint: ignore[b] slow disk\n",
    ),
    "the last name": ("f()  ⟦# loaderlint: ignore[a] slow disk⟧\ng()\n", ["a"], "f()\ng()\n"),
    "both names": ("f()  ⟦# loaderlint: ignore[a, b]⟧\n", ["a", "b"], "f()\n"),
    "a line of its own": ("x = 1\n    ⟦# loaderlint: ignore[a]⟧\nf()\n", ["a"], "x = 1\nf()\n"),
    "a line of a call": (
        "f(\n    # first\n    ⟦# loaderlint: ignore[a]⟧\n    n=4,\n)\n",
        ["a"],
        "f(\n    # first\n    n=4,\n)\n",
    ),
    "the last line of a file": ("f()\n⟦# loaderlint: ignore-file[a]⟧\n", ["a"], "f()\n"),
    "beside another tool's": ("f()  # noqa  ⟦# loaderlint: ignore[a]⟧\n", ["a"], "f()  # noqa\n"),
}


@pytest.mark.parametrize(("before", "edits", "after"), DROP.values(), ids=DROP)
def test_an_entry_goes_and_the_layout_stays(before: str, edits: Edits, after: str) -> None:
    assert rewritten(before, edits) == Rewritten(after)


@pytest.mark.parametrize(("before", "edits", "after"), ADD_OPTION.values(), ids=ADD_OPTION)
def test_an_option_is_added_in_the_layout_there_is(before: str, edits: Edits, after: str) -> None:
    assert rewritten(before, edits) == Rewritten(after)


@pytest.mark.parametrize("before", LOSES_COMMENT.values(), ids=LOSES_COMMENT)
def test_a_dropped_entry_takes_its_comment_with_it_only_unsafely(before: str) -> None:
    result = rewritten(before, drop_prefetch)
    assert "two each" not in result.text
    assert "prefetch_factor" not in result.text
    assert result.unsafe == "a comment would be lost"


@pytest.mark.parametrize(("before", "names", "after"), REMOVE_IGNORE.values(), ids=REMOVE_IGNORE)
def test_names_go_from_suppressions(before: str, names: list[str], after: str) -> None:
    assert rewritten(before, lambda at: [RemoveIgnore(at[0], name) for name in names]) == Rewritten(after)
