"""What a constructor hands up where it calls the one above in several places."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

BASE = """
        import sys
        class Base:
            def __init__(self, workers, *, name="all"):
                self.workers = workers
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        class Own(Base):
            def __init__(self, workers, fast, **rest):
                {body}
        Own({given}).load(1)
        """


def own(body: str, given: str) -> str:
    return BASE.format(body=body.replace("\n", "\n" + " " * 16), given=given)


ONE_OF_SEVERAL: Cases = {
    "in the arms of a branch": (
        own("if fast:\n    super().__init__(workers)\nelse:\n    Base.__init__(self, workers)", "⟦4⟧, option()"),
        {"4"},
    ),
    "other values in each arm": (
        own("if fast:\n    super().__init__(⟦8⟧)\nelse:\n    super().__init__(⟦2⟧)", "1, option()"),
        {"8", "2"},
    ),
    "in the arm that is taken": (
        own("if fast:\n    super().__init__(⟦8⟧)\nelse:\n    super().__init__(2)", "1, True"),
        {"8"},
    ),
    "by a dictionary in one arm, by name in the other": (
        own(
            'rest["workers"] = workers\n'
            "if sys.version_info >= (3, 11):\n    super().__init__(**rest)\n"
            "else:\n    Base.__init__(self=self, **rest)",
            "⟦4⟧, True",
        ),
        {"4"},
    ),
    "beside a call that gives nothing for what is needed": (
        own("if fast:\n    super().__init__(workers)\nelse:\n    super().__init__()", "⟦4⟧, option()"),
        {"4"},
    ),
}
EACH_A_WAY: Cases = {
    "the second in an arm": (
        own("super().__init__(⟦8⟧)\nif fast:\n    Base.__init__(self, ⟦2⟧)", "1, option()"),
        {"8", "2"},
    ),
    "in two branches": (
        own("if fast:\n    super().__init__(⟦8⟧)\nif not fast:\n    super().__init__(⟦2⟧)", "1, option()"),
        {"8", "2"},
    ),
    "in the arms of a branch in a loop": (
        own(
            "for one in rest:\n    if one:\n        super().__init__(⟦8⟧)\n    else:\n        super().__init__(⟦2⟧)",
            "1, option()",
        ),
        {"8", "2"},
    ),
    "what is not seen in one arm": (
        own("if fast:\n    super().__init__(unknown())\nelse:\n    super().__init__(⟦2⟧)", "1, option()"),
        {"2", "open"},
    ),
    "not the default of the base, where a call gives too little": (
        own("if fast:\n    super().__init__(name=2)\nelse:\n    super().__init__(unknown())", "1, option()"),
        {"open"},
    ),
}


@pytest.mark.parametrize(("code", "workers"), ONE_OF_SEVERAL.values(), ids=ONE_OF_SEVERAL.keys())
def test_one_of_several_calls_hands_up(code: str, workers: set[str]) -> None:
    assert traced(code) == workers


@pytest.mark.parametrize(("code", "workers"), EACH_A_WAY.values(), ids=EACH_A_WAY.keys())
def test_what_several_calls_hand_up_is_each_a_way_and_nothing_else_is(code: str, workers: set[str]) -> None:
    assert traced(code) == workers
