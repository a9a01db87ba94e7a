"""Methods of what is made of a class that stands under a key of a long table: it takes many steps to see which."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

TABLE = """
class Rows:
    def loader(self, workers):
        return DataLoader(1, num_workers=workers)
class Others:
    def loader(self, workers):
        return workers
KINDS = {{{}, "rows": Rows}}
""".format(", ".join(f'"other{number}": Others' for number in range(200)))
TRAINING = """
class Training:
    def __init__(self, kind):
        self.data = {made}
    def load(self):
        return {called}
"""


def training(made: str, called: str = "self.data.loader({})", given: str = '"rows"', workers: str = "⟦4⟧") -> str:
    return TABLE + TRAINING.format(made=made, called=called.format(workers)) + f"Training({given}).load()\n"


CASES: Cases = {
    "by the key it is given": (training("KINDS[kind]()"), {"4"}),
    "by a key that is written": (training('KINDS["rows"]()'), {"4"}),
    "given in another way": (training("KINDS[kind]()", "self.data.loader(workers={})"), {"4"}),
}
OTHERS: Cases = {
    "another class": (training("KINDS[kind]()", given='"other7"', workers="4"), {"open"}),
    "another class by a key that is written": (training('KINDS["other7"]()', workers="4"), {"open"}),
    "another method": (training("KINDS[kind]()", "self.data.unloader({})", workers="4"), {"open"}),
    "another attribute": (training("KINDS[kind]()", "self.rows.loader({})", workers="4"), {"open"}),
    "a key nobody sees": (training("KINDS[kind]()", given="option()", workers="4"), {"open"}),
    "a table nobody sees": (training("UNKNOWN[kind]()", workers="4"), {"open"}),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_a_call_of_its_method_is_found(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), OTHERS.values(), ids=OTHERS.keys())
def test_a_call_of_something_else_is_none(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
