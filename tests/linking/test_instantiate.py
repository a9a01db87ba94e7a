"""What a call of Hydra's ``instantiate`` gives beside the mapping: by position, and by name."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, traced

HYDRA = "import hydra\nfrom hydra.utils import instantiate\n"
BUILD = "def made(dataset, workers={}):\n    return DataLoader(dataset, num_workers=workers)\n"
MAKE = "class Made:\n    def __init__(self, dataset, workers={}):\n        DataLoader(dataset, num_workers=workers)\n"

CALLS: dict[str, tuple[str, str, str, set[str]]] = {
    "by position": (BUILD.format(2), "instantiate(cfg.data, rows, ⟦8⟧)", "_target_: main.made", {"8"}),
    "by position, over what the file has by position": (
        BUILD.format(2),
        "instantiate(cfg.data, rows, ⟦8⟧)",
        "_target_: main.made\n  _args_: [1, 4]",
        {"8"},
    ),
    "for a constructor": (MAKE.format(2), "instantiate(cfg.data, rows, ⟦8⟧)", "_target_: main.Made", {"8"}),
    "for the constructor of a base": (
        MAKE.format(2) + "class Other(Made):\n    pass\n",
        "instantiate(cfg.data, rows, ⟦8⟧)",
        "_target_: main.Other",
        {"8"},
    ),
    "as many as do not reach the option": (
        BUILD.format("⟦2⟧"),
        "instantiate(cfg.data, rows)",
        "_target_: main.made",
        {"2"},
    ),
    "and by name": (BUILD.format(2), "instantiate(cfg.data, rows, workers=⟦8⟧)", "_target_: main.made", {"8"}),
    "beside what the file says": (
        BUILD.format(2),
        "instantiate(cfg.data, rows)",
        "_target_: main.made\n  workers: ⟦4⟧",
        {"4", "open"},
    ),
    "out of a list that was not seen": (
        BUILD.format(2),
        "instantiate(cfg.data, *rows)",
        "_target_: main.made",
        {"open"},
    ),
    "for a function that a decorator changes": (
        "@changed\n" + BUILD.format(2),
        "instantiate(cfg.data, rows, 8)",
        "_target_: main.made",
        {"open"},
    ),
}


@pytest.mark.parametrize(("made", "call", "settings", "expected"), CALLS.values(), ids=CALLS.keys())
def test_what_a_call_of_instantiate_gives(made: str, call: str, settings: str, expected: set[str]) -> None:
    main = f"@hydra.main(config_path='.', config_name='train')\ndef main(cfg):\n    return {call}\n"
    files = {"main.py": IMPORT + HYDRA + made + main, "train.yaml": f"data:\n  {settings}\n"}
    assert traced(files) == expected
