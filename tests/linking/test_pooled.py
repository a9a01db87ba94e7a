"""Worker counts of a configuration that are read for pools, and those that may be a loader's all the same."""

from __future__ import annotations

import pytest

from tests.linking.traced import loaders_of

CONFIGURATION = "evaluate:\n  every: 25\n  num_workers: 5\n"
POOLS = "from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor\nfrom multiprocessing import Pool\n"
EXECUTOR = "def executor(workers, context=None):\n    return ProcessPoolExecutor(workers) if workers > 1 else None\n"
"""A function of the project, as in audiocraft's ``utils.py``."""

FOR_POOLS = {
    "an executor": "ProcessPoolExecutor(cfg.evaluate.num_workers)",
    "by its name": "ThreadPoolExecutor(max_workers=cfg.evaluate.num_workers)",
    "an attribute of an object": "ProcessPoolExecutor(self.cfg.evaluate.num_workers)",
    "by subscripts": "Pool(cfg['evaluate']['num_workers'])",
    "asked for": "Pool(cfg['evaluate'].get('num_workers', 4))",
    "by hand of a function": "executor(cfg.evaluate.num_workers, context=1)",
    "at least one": "Pool(max(1, cfg.evaluate.num_workers or 2))",
    "beside other keys": "Pool(cfg.evaluate.num_workers), print(cfg.evaluate.every)",
    "beside a method of that name": "Pool(cfg.evaluate.num_workers), self.evaluate(1), stage(1, self.evaluate)",
    "beside what is looked up elsewhere": "Pool(cfg.evaluate.num_workers)\n    one = self.loaders['evaluate']",
}

PERHAPS_FOR_LOADERS = {
    "nothing reads it": "Pool(4)",
    "nobody knows what for": "make(cfg.evaluate.num_workers)",
    "by hand of a method": "self.make(cfg.evaluate.num_workers)",
    "a library's function": "library.make(cfg.evaluate.num_workers)",
    "another argument of a pool": "Pool(4, cfg.evaluate.num_workers)",
    "a pool and something else": "Pool(cfg.evaluate.num_workers), make(cfg.evaluate.num_workers)",
    "kept": "workers = cfg.evaluate.num_workers; Pool(workers)",
    "the mapping is handed on": "Pool(cfg.evaluate.num_workers), make(cfg.evaluate)",
    "the mapping is handed on from another name": "Pool(cfg.evaluate.num_workers), make(options['evaluate'])",
    "the mapping is spread": "Pool(cfg.evaluate.num_workers), make(**cfg.evaluate)",
    "the mapping gets a name": "Pool(cfg.evaluate.num_workers); one = cfg.evaluate",
    "its items are read": "Pool(cfg.evaluate.num_workers), dict(cfg.evaluate.items())",
    "one of several is chosen": "Pool(cfg.evaluate.num_workers), make(cfg[stage].num_workers)",
    "another mapping's": "Pool(cfg.generate.num_workers)",
    "the same name elsewhere": "Pool(cfg.evaluate.data.num_workers)",
    "another key": "Pool(cfg.evaluate.every)",
}


def _project(code: str, configuration: str = CONFIGURATION) -> dict[str, str]:
    module = f"{POOLS}import library\n{EXECUTOR}def run(self, cfg, stage, options):\n    {code}\n    # num_workers\n"
    return {"main.py": module, "config.yaml": configuration}


@pytest.mark.parametrize("code", FOR_POOLS.values(), ids=FOR_POOLS.keys())
def test_a_count_read_for_a_pool_is_no_loaders(code: str) -> None:
    assert loaders_of(_project(code)) == ()


@pytest.mark.parametrize("code", PERHAPS_FOR_LOADERS.values(), ids=PERHAPS_FOR_LOADERS.keys())
def test_a_count_may_be_a_loaders_that_is_not_seen_to_be_read_for_a_pool_alone(code: str) -> None:
    assert [one.callee for one in loaders_of(_project(code))] == ["evaluate"]


def test_a_function_that_does_more_with_a_count_than_make_a_pool_may_make_a_loader() -> None:
    executor = "def executor(workers):\n    make(workers)\n    return Pool(workers)\n"
    files = {"main.py": f"{POOLS}{executor}executor(cfg.evaluate.num_workers)\n", "config.yaml": CONFIGURATION}
    assert [one.callee for one in loaders_of(files)] == ["evaluate"]


def test_a_file_that_hands_the_mapping_on_need_not_name_an_option() -> None:
    files = {**_project("Pool(cfg.evaluate.num_workers)"), "other.py": "import main\nmain.load(config.evaluate)\n"}
    assert [one.callee for one in loaders_of(files)] == ["evaluate"]


@pytest.mark.parametrize(
    ("path", "callees"),
    [("cfg.evaluate", []), ("cfg.stages.evaluate", []), ("cfg.others.evaluate", ["stages.evaluate"])],
)
def test_all_names_read_have_to_be_those_of_the_path(path: str, callees: list[str]) -> None:
    configuration = "stages:\n  evaluate:\n    num_workers: 5\n"
    files = _project(f"Pool({path}.num_workers)", configuration)
    assert [one.callee for one in loaders_of(files)] == callees


def test_a_loader_that_reads_the_key_as_well_is_told_of_it() -> None:
    module = (
        f"{POOLS}from torch.utils.data import DataLoader\nimport yaml\ncfg = yaml.safe_load(open('config.yaml'))\n"
        "Pool(cfg['evaluate']['num_workers'])\nDataLoader(1, num_workers=cfg['evaluate']['num_workers'])\n"
    )
    (loader,) = loaders_of({"main.py": module, "config.yaml": CONFIGURATION})
    assert [one.constant for one in loader.num_workers.candidates] == [5]
