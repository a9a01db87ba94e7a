from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

PROGRAM = (
    IMPORT
    + """
from absl import app, flags
from ml_collections.config_flags import config_flags
FLAGS = flags.FLAGS
config_flags.DEFINE_config_file("config", None, "Settings.", lock_config=True)
def train(config):
    return DataLoader(range(config.data.size), num_workers=config.data.num_workers)
def main(argv):
    train(FLAGS.config)
app.run(main)
"""
)
SHARED = """
import ml_collections
def get_default_config():
    config = ml_collections.ConfigDict()
    config.data = data = ml_collections.ConfigDict()
    data.size = 8
    data.num_workers = {}
    return config
"""
LARGE = """
from configs.shared import get_default_config
def get_config():
    config = get_default_config()
    data = config.data
    data.num_workers = ⟦3⟧
    return config
"""
SMALL = """
from configs.shared import get_default_config
def get_config():
    config = get_default_config()
    config.data.size = 4
    return config
"""
UNFIT = """
import ml_collections
def get_config():
    config = ml_collections.ConfigDict()
    config.data = ml_collections.ConfigDict()
    config.data.num_workers = 7
    return config
"""

FILES: Cases = {
    "every file that gives a configuration": (
        {
            "main.py": PROGRAM,
            "configs/shared.py": SHARED.format("⟦2⟧"),
            "configs/large.py": LARGE,
            "configs/small.py": SMALL,
        },
        {"2", "3", "open"},
    ),
    "a file that replaces what the shared one gives": (
        {"main.py": PROGRAM, "configs/shared.py": SHARED.format("2"), "configs/large.py": LARGE},
        {"3", "open"},
    ),
    "a file that lacks what the program reads": (
        {"main.py": PROGRAM, "configs/unfit.py": UNFIT},
        {"open"},
    ),
    "a file read unless another one is named": (
        {
            "main.py": PROGRAM.replace("None", "'configs/unfit.py'").replace("range(config.data.size)", "1"),
            "configs/unfit.py": UNFIT.replace("7", "⟦7⟧"),
        },
        {"7", "open"},
    ),
    "a file read unless another one is named that is not there": (
        {"main.py": PROGRAM.replace("None", "'configs/other.py'"), "configs/unfit.py": UNFIT},
        {"open"},
    ),
    "the holder of the flag": (
        {
            "main.py": PROGRAM.replace("config_flags.D", "CONFIG = config_flags.D").replace(
                "FLAGS.config)", "CONFIG.value)"
            ),
            "configs/shared.py": SHARED.format("2"),
            "configs/large.py": LARGE,
            "configs/unfit.py": UNFIT,
        },
        {"3", "open"},
    ),
    "a flag for an object": (
        {
            "main.py": PROGRAM.replace(
                'config_file("config", None, "Settings.", lock_config=True)', 'config_dict("config", get_config())'
            ).replace("import app, flags", "import app, flags\nfrom unfit import get_config"),
            "unfit.py": UNFIT.replace("7", "⟦7⟧"),
        },
        {"7", "open"},
    ),
    "a flag of another library": (
        {"main.py": PROGRAM.replace("ml_collections", "other"), "configs/unfit.py": UNFIT},
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FILES.values(), ids=FILES.keys())
def test_configurations_that_a_flag_names(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
