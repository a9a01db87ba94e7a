from __future__ import annotations

import pytest

from loaderlint.model.edit import AddOption, Drop, GuardEntryPoint, Hoist, SetValue
from loaderlint.model.imported import Imported
from loaderlint.writers import CannotRewrite, Rewritten, rewrite
from tests.writers.marked import WINDOWS, Cases, Edits, marked, rewritten

MOVED: Cases = {
    "a lambda": (
        "import torch\n\nloader = f(ds, collate_fn=⟦lambda b: g(b)⟧)\n",
        lambda at: [Hoist(at[0])],
        "import torch\n\n\ndef collate_fn(b):\n    return g(b)\n\n\nloader = f(ds, collate_fn=collate_fn)\n",
    ),
    "two lambdas that read alike": (
        "a = f(collate_fn=⟦lambda b: b⟧)\nb = f(collate_fn=⟦lambda b: b⟧)\n",
        lambda at: [Hoist(at[0]), Hoist(at[1])],
        "def collate_fn(b):\n    return b\n\n\ndef collate_fn_lambda(b):\n    return b\n\n\n"
        "a = f(collate_fn=collate_fn)\nb = f(collate_fn=collate_fn_lambda)\n",
    ),
    "an assigned lambda with what says that it may be one": (
        "def main():\n    collate = ⟦lambda b: b⟧  # noqa: E731\n    return f(collate_fn=collate)\n",
        lambda at: [Hoist(at[0])],
        "def collate(b):\n    return b\n\n\ndef main():\n    return f(collate_fn=collate)\n",
    ),
    "a lambda of the module with what says that it may be one": (
        "collate = ⟦lambda b: b⟧  #NOQA:E731\nf(collate_fn=collate)\n",
        lambda at: [Hoist(at[0])],
        "def collate(b):\n    return b\n\n\nf(collate_fn=collate)\n",
    ),
    "an assigned lambda with a comment": (
        "def main():\n    # Above.\n    collate = ⟦lambda b: b⟧  # noqa: E731, as it is\n"
        "    return f(collate_fn=collate)\n",
        lambda at: [Hoist(at[0])],
        "# Above.\ndef collate(b):\n    return b  # noqa: E731, as it is\n\n\n"
        "def main():\n    return f(collate_fn=collate)\n",
    ),
    "a local function and a lambda that calls it": (
        "def main():\n    ⟦def pad(b):\n        return b⟧\n\n    return f(collate_fn=⟦lambda b: pad(b)⟧)\n",
        lambda at: [Hoist(at[0]), Hoist(at[1])],
        "def pad(b):\n    return b\n\n\ndef collate_fn(b):\n    return pad(b)\n\n\n"
        "def main():\n    return f(collate_fn=collate_fn)\n",
    ),
    "a script's loop": (
        "import torch\n\n⟦for batch in loader():\n    print(batch)⟧\n",
        lambda at: [GuardEntryPoint(at[0])],
        'import torch\n\nif __name__ == "__main__":\n    for batch in loader():\n        print(batch)\n',
    ),
    "a value, a lambda and the loop around both": (
        "import torch\n\n⟦for batch in f(num_workers=⟦4⟧, collate_fn=⟦lambda b: b⟧, ⟦timeout=⟦5⟧⟧):\n"
        "    print(batch)⟧\n",
        lambda at: [
            GuardEntryPoint(at[0]),
            SetValue(at[1], 0, WINDOWS),
            Hoist(at[2]),
            Drop(at[4], "timeout", 0, at[3]),
        ],
        "import sys\n\nimport torch\n\n\ndef collate_fn(b):\n    return b\n\n\n"
        'if __name__ == "__main__":\n'
        '    for batch in f(num_workers=0 if sys.platform == "win32" else 4,\n'
        "                   collate_fn=collate_fn):\n"
        "        print(batch)\n",
    ),
    "an option and the loop around its call, with the file's tabs and line ends": (
        "import torch\r\n\r\nif x:\r\n\ty = 1\r\n\r\n⟦for batch in ⟦f(ds)⟧:\r\n\tprint(batch)⟧",
        lambda at: [GuardEntryPoint(at[0]), AddOption(at[1], "multiprocessing_context", "spawn")],
        'import torch\r\n\r\nif x:\r\n\ty = 1\r\n\r\nif __name__ == "__main__":\r\n'
        '\tfor batch in f(ds, multiprocessing_context="spawn"):\r\n\t\tprint(batch)',
    ),
    "the same move twice": (
        "⟦train()⟧\n",
        lambda at: [GuardEntryPoint(at[0]), GuardEntryPoint(at[0])],
        'if __name__ == "__main__":\n    train()\n',
    ),
}


@pytest.mark.parametrize(("before", "edits", "after"), MOVED.values(), ids=MOVED)
def test_code_moves_together_with_options(before: str, edits: Edits, after: str) -> None:
    assert rewritten(before, edits) == Rewritten(after)


def test_what_a_lambda_captures_is_handed_over_unsafely() -> None:
    result = rewritten("def main(k):\n    return f(collate_fn=⟦lambda b: b[k]⟧)\n", lambda at: [Hoist(at[0])])
    assert "import functools" in result.text
    assert "def collate_fn(k, b):\n    return b[k]\n" in result.text
    assert "functools.partial(collate_fn, k)" in result.text
    assert "`k`" in result.unsafe


def test_reasons_are_given_together() -> None:
    before = (
        "def main(k):\n    return f(\n        collate_fn=⟦lambda b: b[k]⟧,\n        ⟦timeout=⟦5⟧⟧,  # long\n    )\n"
    )
    result = rewritten(before, lambda at: [Hoist(at[0]), Drop(at[2], "timeout", 0, at[1])])
    assert result.unsafe.startswith("a comment would be lost; ")
    assert "`k`" in result.unsafe


def test_a_name_that_other_files_import_stays_outside_the_guard() -> None:
    source, spans = marked("loader = f()\n⟦for batch in loader:\n    print(batch)⟧\n")
    result = rewrite(source, [GuardEntryPoint(spans[0])], imported=Imported({"loader": "serve.py"}))
    assert result.text.startswith("loader = f()\n")


@pytest.mark.parametrize(
    ("before", "edits", "reason"),
    [
        ("x = ⟦1⟧\n", lambda at: [Hoist(at[0])], "no lambda, function or class stands at train.py:1:5"),
        ("⟦# nothing⟧\nx = 1\n", lambda at: [GuardEntryPoint(at[0])], "no statement stands at train.py:1:1"),
        (
            "f(⟦prefetch_factor=⟦lambda: 2⟧⟧)\n",
            lambda at: [Hoist(at[1]), Drop(at[1], "prefetch_factor", None, at[0])],
            "two edits contradict each other at train.py:1:3",
        ),
    ],
)
def test_what_cannot_be_moved_is_refused(before: str, edits: Edits, reason: str) -> None:
    with pytest.raises(CannotRewrite) as refusal:
        rewritten(before, edits)
    assert str(refusal.value) == reason


LOOP = "for batch in loader:\n    print(batch)"
ENDS = {
    "blanks on lines of their own, the last without an end": "\n        \n    ",
    "blanks behind an empty line": "\n\n  ",
    "tabs": "\n\t",
    "blanks behind CR LF": "\r\n    \r\n  ",
    "blanks behind the last statement": "  ",
    "no line end": "",
    "a line end": "\n",
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
def test_what_is_put_under_a_guard_ends_as_the_file_did(end: str) -> None:
    newline = "\r\n" if "\r" in end else "\n"
    before = LOOP.replace("\n", newline)
    guarded = f'if __name__ == "__main__":{newline}    {before.replace(newline, f"{newline}    ")}'
    result = rewritten(f"⟦{before}⟧{end}", lambda at: [GuardEntryPoint(at[0])])
    assert result == Rewritten(f"{guarded}{end}")


def test_what_was_defined_last_still_ends_the_file() -> None:
    result = rewritten(f"⟦{LOOP}⟧\n\n\nclass Last:\n    pass\n    \n  ", lambda at: [GuardEntryPoint(at[0])])
    assert result.text.endswith("class Last:\n    pass\n    \n  ")
