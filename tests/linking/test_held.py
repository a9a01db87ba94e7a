"""Things known under several names and things inside objects: what is done to them by one is there by the other."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

SETTINGS = "class Settings:\n    def __init__(self, n=4):\n        self.n = n\n"
READ = "DataLoader(data, num_workers=trainer.settings.n)"

TRAINER = f"""{SETTINGS.replace("=4", "=⟦4⟧")}
class Trainer:
    def __init__(self):
        self.settings = Settings()
"""

OTHER_NAMES: Cases = {
    "set by the first name, read by the second": (
        f"{SETTINGS}first = Settings()\nsecond = first\nfirst.n = ⟦2⟧\nDataLoader(data, num_workers=second.n)",
        {"2"},
    ),
    "a key set by the first name, read by the second": (
        "first = {'n': 4}\nsecond = first\nfirst['n'] = ⟦2⟧\nDataLoader(data, num_workers=second['n'])",
        {"2"},
    ),
    "the first name stands for another object by then": (
        f"{SETTINGS.replace('=4', '=⟦4⟧')}first = Settings()\nsecond = first\nfirst = Settings()\nfirst.n = 2\n"
        "DataLoader(data, num_workers=second.n)",
        {"4"},
    ),
    "set before there was a second name": (
        "first = {'n': 4}\nfirst['n'] = ⟦2⟧\nsecond = first\nDataLoader(data, num_workers=second['n'])",
        {"2"},
    ),
    "a copy stays as it was": (
        "first = {'n': ⟦4⟧}\nsecond = dict(first)\nfirst['n'] = 2\nDataLoader(data, num_workers=second['n'])",
        {"4"},
    ),
    "a constructor keeps what it is handed, and changes it": (
        f"{SETTINGS}class Trainer:\n    def __init__(self, settings):\n        self.settings = settings\n"
        f"        self.settings.n = ⟦2⟧\nsettings = Settings()\nTrainer(settings)\n"
        "DataLoader(data, num_workers=settings.n)",
        {"2"},
    ),
    "changed under the name of the parameter, read as an attribute": (
        f"{SETTINGS}class Trainer:\n    def __init__(self, settings):\n        self.settings = settings\n"
        f"        settings.n = ⟦2⟧\ntrainer = Trainer(Settings())\n{READ}",
        {"2"},
    ),
}

# Which methods ran is told from calls on a name; inside the object itself any of them may have run before.
HELD: Cases = {
    "a method sets an attribute of what the object holds": (
        f"{TRAINER.replace('⟦4⟧', '4')}    def debug(self):\n        self.settings.n = ⟦2⟧\n"
        f"trainer = Trainer()\ntrainer.debug()\n{READ}",
        {"2"},
    ),
    "a method sets a key of a dictionary that the object holds": (
        "class Trainer:\n    def __init__(self):\n        self.settings = {'n': ⟦4⟧}\n    def debug(self):\n"
        "        self.settings['n'] = ⟦2⟧\n    def load(self):\n"
        "        return DataLoader(data, num_workers=self.settings['n'])\ntrainer = Trainer()\n"
        "trainer.debug()\ntrainer.load()",
        {"4", "2"},
    ),
    "a method updates a dictionary that the object holds": (
        "class Trainer:\n    def __init__(self):\n        self.settings = {'n': ⟦4⟧}\n    def debug(self):\n"
        "        self.settings.update(n=⟦2⟧)\n    def load(self):\n"
        "        return DataLoader(data, num_workers=self.settings['n'])\nTrainer().load()",
        {"4", "2"},
    ),
    "the constructor of a subclass does": (
        f"{SETTINGS}class Trainer:\n    def __init__(self):\n        self.settings = Settings()\n"
        f"class Debug(Trainer):\n    def __init__(self):\n        super().__init__()\n        self.settings.n = ⟦2⟧\n"
        f"trainer = Debug()\n{READ}",
        {"2"},
    ),
    "a method of another class does that to its own": (
        f"{TRAINER}class Other:\n    def __init__(self):\n        self.settings = Settings()\n"
        f"    def debug(self):\n        self.settings.n = 2\nOther().debug()\ntrainer = Trainer()\n{READ}",
        {"4"},
    ),
    "a method sets another attribute": (
        f"{TRAINER}    def debug(self):\n        self.settings.m = 2\ntrainer = Trainer()\ntrainer.debug()\n{READ}",
        {"4"},
    ),
    "after the fields have their values": (
        """
        from dataclasses import dataclass, field
        @dataclass
        class Settings:
            n: int = 4
        @dataclass
        class Trainer:
            settings: Settings = field(default_factory=Settings)
            def __post_init__(self):
                self.settings.n = ⟦2⟧
        trainer = Trainer()
        DataLoader(data, num_workers=trainer.settings.n)
        """,
        {"2"},
    ),
    "after the fields have their values, under a condition": (
        """
        from dataclasses import dataclass, field
        @dataclass
        class Settings:
            n: int = ⟦4⟧
        @dataclass
        class Trainer:
            debug: bool = unknown()
            settings: Settings = field(default_factory=Settings)
            def __post_init__(self):
                if self.debug:
                    self.settings.n = ⟦2⟧
        trainer = Trainer()
        DataLoader(data, num_workers=trainer.settings.n)
        """,
        {"4", "2"},
    ),
}


@pytest.mark.parametrize("case", OTHER_NAMES)
def test_a_change_under_one_name_is_there_under_the_other(case: str) -> None:
    files, expected = OTHER_NAMES[case]
    assert traced(files) == expected


@pytest.mark.parametrize("case", HELD)
def test_methods_change_what_their_object_holds(case: str) -> None:
    files, expected = HELD[case]
    assert traced(files) == expected
