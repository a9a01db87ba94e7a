from __future__ import annotations

from textwrap import dedent

import pytest

from tests.linking.traced import loaders_of

LOADER = "loader = DataLoader(data)\n"

SET: dict[str, tuple[str, list[str]]] = {
    "nothing": (LOADER, []),
    "the batch size": (LOADER + "loader.batch_size = 8\n", ["batch_size 8 refused"]),
    "twice as much": (LOADER + "loader.batch_size *= 2\n", ["batch_size None refused"]),
    "a number in a name": (LOADER + "n = 2\nloader.num_workers = n\n", ["num_workers 2"]),
    "a number nobody sees": (LOADER + "loader.num_workers = count()\n", ["num_workers None"]),
    "by its name": (LOADER + "setattr(loader, 'drop_last', True)\n", ["drop_last True refused"]),
    "under another name": (LOADER + "other = loader\nother.dataset = data\n", ["dataset None refused"]),
    "in a function": (
        LOADER + "def change(one):\n    one.sampler = None\nchange(loader)\n",
        ["sampler None refused"],
    ),
    "in a method": (
        """
        class Data:
            def __init__(self):
                self.loader = DataLoader(data)
            def shrink(self):
                self.loader.batch_size = 1
        """,
        ["batch_size 1 refused"],
    ),
    "an attribute of its own": (LOADER + "loader.epoch = 8\n", []),
    "of something in it": (LOADER + "loader.dataset.batch_size = 8\n", []),
    "of something else": (LOADER + "args.batch_size = 8\n", []),
    "of an object with a loader": (
        """
        class Data:
            def __init__(self):
                self.loader = DataLoader(data)
                self.batch_size = 1
        one = Data()
        one.batch_size = 2
        """,
        [],
    ),
    "of one thing or another": (LOADER + "if wanted():\n    loader = other()\nloader.batch_size = 2\n", []),
    "caught": (LOADER + "try:\n    loader.batch_size = 2\nexcept Exception:\n    pass\n", []),
    "one of the errors caught": (
        LOADER + "try:\n    loader.batch_size = 2\nexcept (OSError, ValueError):\n    pass\n",
        [],
    ),
    "expected by unittest": (LOADER + "with self.assertRaises(ValueError):\n    loader.batch_size = 2\n", []),
    "expected by pytest": (LOADER + "with pytest.raises(ValueError, match='x'):\n    loader.batch_size = 2\n", []),
    "suppressed": (LOADER + "with contextlib.suppress(OSError, ValueError):\n    loader.batch_size = 2\n", []),
    "another error suppressed": (
        LOADER + "with contextlib.suppress(OSError):\n    loader.batch_size = 2\n",
        ["batch_size 2 refused"],
    ),
    "in a with of another kind": (LOADER + "with lock:\n    loader.batch_size = 2\n", ["batch_size 2 refused"]),
    "unlocked": (LOADER + "loader._DataLoader__initialized = False\nloader.batch_size = 2\n", []),
    "never reached": (LOADER + "if False:\n    loader.batch_size = 2\n", []),
}


@pytest.mark.parametrize(("text", "expected"), SET.values(), ids=SET.keys())
def test_what_is_set_on_a_loader(text: str, expected: list[str]) -> None:
    (loader,) = loaders_of(dedent(text))
    found = [f"{one.option} {one.constant}{' refused' * one.refused}" for one in loader.uses.options_set]
    assert found == expected
