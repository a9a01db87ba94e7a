"""Of the configurations that a user may name, those for another class than a program makes of it are not its own."""

from __future__ import annotations

import pytest

from tests.linking.traced import traced

WORK = (
    "from torch.utils.data import DataLoader\nclass {name}:\n    def __init__(self, cfg):\n        self.cfg = cfg\n"
    "    def run(self):\n        DataLoader(data, num_workers=self.cfg.workers)\n"
)
MAIN = (
    "import hydra\n@hydra.main(config_path='conf'{named})\ndef main(cfg):\n    {does}\nif __name__ == '__main__':\n"
    "    main()\n"
)
FILES = {
    "conf/first.yaml": "_target_: work.First\nworkers: ⟦2⟧\n",
    "conf/second.yaml": "_target_: others.Second\nworkers: ⟦3⟧\n",
    "conf/third.yaml": "workers: ⟦4⟧\n",
    "conf/fourth.yaml": "_target_: elsewhere.Fourth\nworkers: ⟦5⟧\n",
    "others.py": "class Second:\n    pass\n",
}
OF_CLASS = {2, 4, 5}
EVERY = {2, 3, 4, 5}


def found(files: dict[str, str]) -> set[int]:
    shown = traced({**FILES, **files})
    return {int(one[0]) for one in shown if one[0].isdigit()}


@pytest.mark.parametrize("named", ["", ", config_name='train_first'", ", config_name=None"])
def test_what_is_for_another_class_is_none_of_a_program_that_makes_its_own(named: str) -> None:
    program = WORK.format(name="First") + MAIN.format(named=named, does="First(cfg).run()")
    assert found({"work.py": program}) == OF_CLASS


def test_what_is_for_a_class_below_is_of_a_program_that_makes_the_one_above() -> None:
    below = "from work import First\nclass Second(First):\n    pass\n"
    program = WORK.format(name="First") + MAIN.format(named="", does="First(cfg).run()")
    assert found({"work.py": program, "others.py": below}) == EVERY


def test_a_program_that_names_its_configuration_takes_that_whatever_it_is_for() -> None:
    program = WORK.format(name="First") + MAIN.format(named=", config_name='second'", does="First(cfg).run()")
    assert found({"work.py": program}) == {3}


@pytest.mark.parametrize(
    "handed", ["instantiate(cfg)", "hydra.utils.call(config=cfg)", "start(cfg)", "start(config=cfg)"]
)
def test_a_program_that_hands_it_to_what_may_make_any_class_takes_every_one(handed: str) -> None:
    start = "from hydra.utils import instantiate\ndef start(config):\n    return instantiate(config)\n"
    program = WORK.format(name="First") + start + MAIN.format(named="", does=f"First(cfg).run(); {handed}")
    assert found({"work.py": program}) == EVERY


@pytest.mark.parametrize(
    "handed", ["print(cfg)", "OmegaConf.to_yaml(cfg)", "start(cfg.workers)", "instantiate(cfg.part)"]
)
def test_a_program_that_shows_it_or_hands_on_a_part_makes_its_own_class_alone(handed: str) -> None:
    start = (
        "from hydra.utils import instantiate\nfrom omegaconf import OmegaConf\ndef start(config):\n    return config\n"
    )
    program = WORK.format(name="First") + start + MAIN.format(named="", does=f"First(cfg).run(); {handed}")
    assert found({"work.py": program}) == OF_CLASS


def test_a_function_of_a_file_that_makes_nothing_of_configurations_takes_none_of_another_class() -> None:
    shown = "def show(config):\n    print(config)\n"
    program = "from shown import show\n" + WORK.format(name="First")
    program += MAIN.format(named="", does="First(cfg).run(); show(cfg)")
    assert found({"work.py": program, "shown.py": shown}) == OF_CLASS
    makes = shown + "    config = instantiate(config)\n"
    assert found({"work.py": program, "shown.py": makes}) == EVERY


def test_a_program_that_makes_no_class_of_its_configuration_takes_every_one() -> None:
    program = "from torch.utils.data import DataLoader\n" + MAIN.format(
        named="", does="DataLoader(data, num_workers=cfg.workers)"
    )
    assert found({"work.py": f"{program}\nclass First:\n    pass\n"}) == EVERY


def test_a_program_that_makes_a_class_of_a_part_takes_every_one() -> None:
    program = WORK.format(name="First").replace("self.cfg.workers", "self.cfg") + MAIN.format(
        named="", does="First(cfg.workers).run()"
    )
    assert found({"work.py": program}) == EVERY


def test_a_class_of_a_name_that_the_function_gives_says_nothing() -> None:
    program = WORK.format(name="First") + MAIN.format(named="", does="kind = First; kind(cfg).run()")
    assert found({"work.py": program}) == EVERY
