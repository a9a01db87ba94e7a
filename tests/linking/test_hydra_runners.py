"""Decorators of a project that run a function with Hydra, as NeMo's does in its own repository."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loaders_of, traced

RUNNER = """import functools
from hydra._internal.utils import _run_hydra, get_args_parser
def hydra_runner(config_path='.', config_name=None, schema=None):
    def decorator(task_function):
        @functools.wraps(task_function)
        def wrapper(cfg_passthrough=None):
            if cfg_passthrough is not None:
                return task_function(cfg_passthrough)
            args = get_args_parser()
            _run_hydra(
                args=args.parse_args(),
                args_parser=args,
                task_function=task_function,
                config_path=config_path,
                config_name=config_name,
            )
        return wrapper
    return decorator
"""
TRAIN = "n: ⟦4⟧\n"
HIDDEN = "n: 4\n"


def program(decorator: str, runner: str = RUNNER, train: str = TRAIN, path: str = "conf/train.yaml") -> dict[str, str]:
    return {
        "runner.py": runner,
        "main.py": f"{IMPORT}from runner import hydra_runner\n@{decorator}\ndef main(cfg):\n"
        "    DataLoader(1, num_workers=cfg.n)\nmain()\n",
        path: train,
    }


NAMED = "hydra_runner(config_path='conf', config_name='train')"
CASES: Cases = {
    "path and name": (program(NAMED), {"4", "open"}),
    "by position": (program("hydra_runner('conf', 'train')"), {"4", "open"}),
    "the path is left to the factory": (program("hydra_runner(config_name='train')", path="train.yaml"), {"4", "open"}),
    "beside the function, not the decorator": (
        {
            **{
                f"tools/{path}" if path != "runner.py" else "lib/runner.py": text
                for path, text in program(NAMED).items()
            },
            "lib/conf/train.yaml": "n: 8\n",
        },
        {"4", "open"},
    ),
    "the factory names the file": (
        program(
            "hydra_runner()",
            RUNNER.replace("config_path=config_path", "config_path='conf'").replace(
                "config_name=config_name", "config_name='train'"
            ),
        ),
        {"4", "open"},
    ),
    "the factory works out the file": (
        program(NAMED, RUNNER.replace("config_name=config_name", "config_name=config_name + '2'"), HIDDEN),
        {"open"},
    ),
    "the factory gives its parameter another value": (
        program(
            NAMED,
            RUNNER.replace("    def decorator", "    config_name = theirs(config_name)\n    def decorator"),
            HIDDEN,
        ),
        {"open"},
    ),
    "a decorator with arguments that were not seen": (
        program("hydra_runner(config_path='conf', **theirs())", train=HIDDEN),
        {"open"},
    ),
    "another function is run": (
        program(NAMED, RUNNER.replace("task_function=task_function", "task_function=other"), HIDDEN),
        {"open"},
    ),
    "another library's": (
        program(NAMED, RUNNER.replace("hydra._internal.utils", "theirs"), HIDDEN),
        {"open"},
    ),
    "another decorator may be given back": (
        program(NAMED, f"{RUNNER}    return other\n".replace("    return decorator", "    return other"), HIDDEN),
        {"open"},
    ),
    "a schema in the place of a file": (
        program("hydra_runner(config_path=None, config_name='Train', schema=Train)", train=HIDDEN),
        {"open"},
    ),
    "handed on by a package under the module's own name": (
        {
            "nemo/config/__init__.py": "from nemo.config.hydra_runner import hydra_runner\n",
            "nemo/config/hydra_runner.py": RUNNER,
            "conf/train.yaml": TRAIN,
            "main.py": program(NAMED)["main.py"].replace("from runner", "from nemo.config"),
        },
        {"4", "open"},
    ),
    "where it is external, out of its module": (
        {
            "conf/train.yaml": TRAIN,
            "main.py": program(NAMED)["main.py"].replace("from runner", "from nemo.core.config.hydra_runner"),
        },
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_what_runs_a_function_with_hydra(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


OF_DORA = {
    "by name": ("hydra_main(config_path='conf', config_name='train', version_base='1.1')", {"4", "open"}),
    "by place, the name first": ("hydra_main('train', 'conf')", {"4", "open"}),
    "the path first, as Hydra has it": ("hydra_main('conf', 'train')", {"open"}),
    "another file": ("hydra_main('other', 'conf')", {"open"}),
    "another of its decorators": ("argparse_main('train', 'conf')", {"open"}),
}


@pytest.mark.parametrize("module", ["dora", "dora.hydra"])
@pytest.mark.parametrize(("decorator", "expected"), OF_DORA.values(), ids=OF_DORA.keys())
def test_a_function_that_dora_runs_gets_a_configuration(module: str, decorator: str, expected: set[str]) -> None:
    name = decorator.partition("(")[0]
    start = f"{IMPORT}from {module} import {name}\n@{decorator}\ndef main(cfg):\n"
    code = f"{start}    DataLoader(1, num_workers=cfg.n)\nmain()\n"
    assert traced({"main.py": code, "conf/train.yaml": TRAIN if "4" in expected else HIDDEN}) == expected


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        ("hydra_main('train', 'conf')", [("forkserver", "conf/train.yaml")]),
        ("hydra_main('other', 'conf')", []),
        ("theirs('train', 'conf')", []),
    ],
    ids=["composed", "another file", "another decorator"],
)
def test_a_start_method_of_the_configuration_is_the_programs(main: str, expected: list[tuple[str, str]]) -> None:
    code = (
        f"import multiprocessing\nfrom dora import hydra_main\nfrom library import theirs\n{IMPORT}"
        f"@{main}\ndef main(cfg):\n    multiprocessing.set_start_method(cfg.start)\n    DataLoader(1, num_workers=4)\n"
        "main()\n"
    )
    (loader,) = loaders_of({"main.py": code, "conf/train.yaml": "start: forkserver\n"})
    assert [(one.constant, one.span.path) for one in loader.program.start_methods] == expected
