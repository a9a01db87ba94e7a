"""Functions of sacred's experiments, which are handed what their configuration says."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, Files, met, traced

HEAD = IMPORT + "from sacred import Experiment\nex = Experiment('digits')\n"
CONFIG = "@ex.config\ndef config():\n    n = ⟦4⟧\n"
DEAD = "@ex.config\ndef config():\n    n = 4\n"
TURBO = "@ex.named_config\ndef turbo():\n    n = ⟦8⟧\n"
MAIN = "@ex.automain\ndef main(_config):\n    DataLoader(1, num_workers=_config['n'])\n"
BY_NAME = "@ex.automain\ndef main(n):\n    DataLoader(1, num_workers=n)\n"
CAPTURED = "@ex.capture\ndef load(size, n):\n    DataLoader(size, num_workers=n)\n@ex.main\ndef main():\n    load({})\n"
DEFAULT = "@ex.automain\ndef main(n={}):\n    DataLoader(1, num_workers=n)\n"


def program(*parts: str) -> dict[str, str]:
    return {"main.py": HEAD + "".join(parts)}


OTHER_KEY = "@ex.config\ndef config():\n    m = 4\n"
HOOK = "@ex.config_hook\ndef hook(config, command_name, logger):\n    {}\n"
SEED = "@ex.config\ndef config():\n    _seed = 4\n"
CASES: Cases = {
    "the whole configuration": (program(CONFIG, MAIN), {"4", "open"}),
    "by name": (program(CONFIG, BY_NAME), {"4", "open"}),
    "a copy of it": (
        program("import copy\n", CONFIG, MAIN.replace("    Data", "    _config = copy.deepcopy(_config)\n    Data")),
        {"4", "open"},
    ),
    "what the caller leaves out": (program(CONFIG, CAPTURED.format("1")), {"4", "open"}),
    "what the caller gives": (program(DEAD, CAPTURED.format("1, ⟦2⟧")), {"2"}),
    "before the default": (program(CONFIG, DEFAULT.format("2")), {"4", "open"}),
    "a default that nothing configures": (
        program(OTHER_KEY, DEFAULT.format("⟦2⟧")),
        {"2", "open"},
    ),
    "a named configuration": (program(CONFIG, TURBO, MAIN), {"4", "8", "open"}),
    "a later configuration": (program(DEAD, "@ex.config\ndef more():\n    n = ⟦6⟧\n", MAIN), {"6", "open"}),
    "dictionaries are joined": (
        program(
            "@ex.config\ndef config():\n    data = dict(n=⟦4⟧, m=1)\n",
            "ex.add_config({'data': {'m': 2}})\n",
            MAIN.replace("['n']", "['data']['n']"),
        ),
        {"4", "open"},
    ),
    "keywords are added": (program(DEAD, "ex.add_config(n=⟦6⟧)\n", MAIN), {"6", "open"}),
    "a dictionary is added by its name": (
        program(CONFIG, "ex.add_named_config('m', {'n': ⟦6⟧})\n", MAIN),
        {"4", "6", "open"},
    ),
    "a run updates it": (
        program(CONFIG, MAIN.replace("auto", ""), "ex.run(config_updates={'n': ⟦6⟧})\n"),
        {"4", "6", "open"},
    ),
    "a run updates nothing": (
        program(CONFIG, MAIN.replace("auto", ""), "ex.run('main', options={'n': 6})\n"),
        {"4", "open"},
    ),
    "what else is run": (program(CONFIG, MAIN, "theirs.run(config_updates={'n': 6})\n"), {"4", "open"}),
    "perhaps": (program(CONFIG, "if theirs():\n    ex.add_config(n=⟦6⟧)\n", MAIN), {"4", "6", "open"}),
    "a file is added": (
        {**program(DEAD, "ex.add_config('conf/base.yaml')\n", MAIN), "conf/base.yaml": "n: ⟦6⟧\n"},
        {"6", "open"},
    ),
    "a file that is not there": (program(CONFIG, "ex.add_config('conf/base.yaml')\n", MAIN), {"4", "open"}),
    "made in another file": (
        {
            "settings.py": HEAD.replace(IMPORT, "") + CONFIG,
            "main.py": IMPORT + "from settings import ex\n" + MAIN,
        },
        {"4", "open"},
    ),
    "another file configures it as well": (
        {
            "settings.py": HEAD.replace(IMPORT, "") + CONFIG,
            "main.py": IMPORT + "from settings import ex\n" + CONFIG.replace("4", "6") + MAIN,
        },
        {"4", "6", "open"},
    ),
    "another experiment": (
        program("other = Experiment('other')\n", DEAD.replace("ex.", "other."), MAIN),
        {"open"},
    ),
    "a hook may change it": (program(DEAD, HOOK.format("return theirs()"), MAIN), {"open"}),
    "a hook changes it": (program(DEAD, HOOK.format("config['n'] = 6; return config"), MAIN), {"open"}),
    "a hook gives it back": (program(CONFIG, HOOK.format("theirs(); return config"), MAIN), {"4", "open"}),
    "a hook gives nothing back": (program(CONFIG, HOOK.format("theirs()"), MAIN), {"4", "open"}),
    "a part of it": (program(DEAD, BY_NAME.replace("automain", "command(prefix='m')")), {"open"}),
    "what is no experiment": (program(DEAD, MAIN.replace("ex.", "theirs.")), {"open"}),
    "what sacred itself hands over": (
        program(
            "@ex.config\ndef config():\n    _seed = 4\n", BY_NAME.replace("(n)", "(_seed)").replace("=n", "=_seed")
        ),
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_functions_of_an_experiment_get_what_it_configures(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected


def test_what_two_named_configurations_give_meets_only_where_one_run_can_have_both() -> None:
    slow = "@ex.named_config\ndef slow():\n    n = 0\n    p = None\n"
    files = program(
        "@ex.config\ndef config():\n    n = 4\n    p = 2\n",
        slow,
        "@ex.automain\ndef main(_config):\n    DataLoader(1, num_workers=_config['n'], prefetch_factor=_config['p'])\n",
    )
    assert met(files) == {("4", "2"), ("0", "None")}
