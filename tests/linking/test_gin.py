"""Functions under ``@gin.configurable``, whose parameters a file of the user may bind."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, Files, traced

TRAIN = "import gin\n@gin.configurable\ndef train(size=1, n={}):\n    DataLoader(size, num_workers=n)\n"
MADE = (
    "import gin\nfrom dataclasses import dataclass\n@{}\nclass Trainer:\n{}    def __init__(self, n={}):\n"
    "        self.n = n\n    def run(self):\n        DataLoader(1, num_workers=self.n)\nTrainer({}).run()\n"
)
CASES: Cases = {
    "a default that every call leaves": (TRAIN.format("⟦4⟧") + "train()\n", {"4", "open"}),
    "what the only call gives": (TRAIN.format("4") + "train(n=⟦2⟧)\n", {"2"}),
    "a call that gives it and one that does not": (
        TRAIN.format("⟦4⟧") + "train(n=⟦2⟧)\ntrain(1)\n",
        {"2", "4", "open"},
    ),
    "a decorator with arguments": (
        TRAIN.replace("able\n", "able('train', denylist=['size'])\n").format("⟦4⟧") + "train()\n",
        {"4", "open"},
    ),
    "nothing calls it": (TRAIN.format("⟦4⟧"), {"4", "open"}),
    "what has no default": (TRAIN.replace("n={}", "*, n") + "train()\n", {"open"}),
    "a class": (MADE.format("gin.configurable", "", "⟦4⟧", ""), {"4", "open"}),
    "a class whose caller gives it": (MADE.format("gin.configurable", "", "4", "n=⟦2⟧"), {"2"}),
    "a constructor": (MADE.format("theirs", "    @gin.configurable\n", "⟦4⟧", ""), {"4", "open"}),
    "a class under another decorator": (MADE.format("dataclass", "", "⟦4⟧", ""), {"4"}),
    "another library's decorator": (
        TRAIN.replace("import gin", "import theirs as gin").format("4") + "train()\n",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_what_gin_does_not_bind_is_the_default(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected
