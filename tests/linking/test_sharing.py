"""Written values that also serve something that is no loader."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

POOL = "from concurrent.futures import ThreadPoolExecutor\n"
PARSER = """
import argparse
from concurrent.futures import ThreadPoolExecutor
parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=⟦8⟧)
args = parser.parse_args()
DataLoader(data, num_workers=args.workers)
"""
FIELDS = """
from dataclasses import dataclass
from concurrent.futures import ThreadPoolExecutor
@dataclass
class Settings:
    workers: int = ⟦8⟧
settings = Settings()
DataLoader(data, num_workers=settings.workers)
"""
READS = (
    f"{IMPORT}{POOL}import yaml\ncfg = yaml.safe_load(open('x.yaml'))\nDataLoader(data, num_workers=cfg['workers'])\n"
)
PARAMETER = f"{POOL}def load(data, workers=⟦8⟧):\n    loader = DataLoader(data, num_workers=workers)\n"

SHARED: Cases = {
    "a constant": (f"{POOL}N = ⟦8⟧\nDataLoader(data, num_workers=N)\nThreadPoolExecutor(N)", {"8 shared"}),
    "a constant that another file gives away": (
        {
            "settings.py": "N = ⟦8⟧\n",
            "main.py": f"{IMPORT}{POOL}import settings\nDataLoader(data, num_workers=settings.N)\n"
            "ThreadPoolExecutor(max_workers=settings.N)\n",
        },
        {"8 shared"},
    ),
    "a flag's default": (f"{PARSER}ThreadPoolExecutor(args.workers)", {"8 shared", "open"}),
    "a field's default": (f"{FIELDS}ThreadPoolExecutor(settings.workers)", {"8 shared"}),
    "a key of a file": (
        {"main.py": f"{READS}ThreadPoolExecutor(cfg['workers'])\n", "x.yaml": "workers: ⟦8⟧\n"},
        {"8 shared"},
    ),
    "a parameter's default": (f"{PARAMETER}    ThreadPoolExecutor(workers)\nload(1)", {"8 shared"}),
    "a constant that ends the program": (
        "import sys\nN = ⟦8⟧\nif N == 0:\n    sys.exit()\nDataLoader(data, num_workers=N)",
        {"8 shared"},
    ),
    "a flag that is asserted": (f"{PARSER}assert args.workers > 0", {"8 shared", "open"}),
    "a flag that a function checks": (
        f"{PARSER}def check(given):\n    if given.workers < 1:\n        raise ValueError(given)\ncheck(args)",
        {"8 shared", "open"},
    ),
    "a flag that is waited for": (f"{PARSER}while not args.workers:\n    pass", {"8 shared", "open"}),
    "a flag that chooses what is run": (f"{PARSER}train() if args.workers else None", {"8 shared", "open"}),
    "a field that is checked where the object is made": (
        FIELDS.replace("⟦8⟧", "⟦8⟧\n    def __post_init__(self):\n        assert self.workers > 0"),
        {"8 shared"},
    ),
    "a field of a narrow type": (
        FIELDS.replace(": int", ": PositiveInt"),
        {"8 shared"},
    ),
    "a flag of a range": (
        """
        import click
        @click.command()
        @click.option("--workers", type=click.IntRange(1, 8), default=⟦8⟧)
        def main(workers):
            DataLoader(data, num_workers=workers)
        """,
        {"8 shared", "open"},
    ),
    "a key that is checked": (
        {"main.py": f"{READS}if cfg['workers'] < 1:\n    raise SystemExit\n", "x.yaml": "workers: ⟦8⟧\n"},
        {"8 shared"},
    ),
    "what a caller gives": (
        f"{PARAMETER.replace('=⟦8⟧', '')}    ThreadPoolExecutor(workers)\nload(1, ⟦8⟧)",
        {"8 shared"},
    ),
}

NOT_SHARED: Cases = {
    "a flag for two loaders": (
        f"{PARSER}DataLoader(data, num_workers=args.workers)\nThreadPoolExecutor(4)",
        {"8", "open"},
    ),
    "a flag that is printed and compared": (
        f"{PARSER}print(args.workers)\nif args.workers > 4:\n    print('many')",
        {"8", "open"},
    ),
    "a flag that says which options the loader gets": (
        PARSER.replace(
            "num_workers=args.workers)",
            "num_workers=args.workers, persistent_workers=args.workers > 0, timeout=9 if args.workers else 0)",
        ),
        {"8", "open"},
    ),
    "a flag that fills the loader's options": (
        PARSER.replace(
            "DataLoader(data, num_workers=args.workers)",
            "options = {}\nif args.workers > 0:\n    options['persistent_workers'] = True\n"
            "    options.update(prefetch_factor=4)\nDataLoader(data, num_workers=args.workers, **options)",
        ),
        {"8", "open"},
    ),
    "a flag that may be left out": (f"{PARSER}if args.workers is None:\n    raise ValueError", {"8", "open"}),
    "a flag beside another that is given away": (
        f"parser_of_another = 4\n{PARSER}ThreadPoolExecutor(args.threads)",
        {"8", "open"},
    ),
    "a field of the same name": (
        f"{FIELDS}class Other:\n    workers = 2\nThreadPoolExecutor(Other.workers)",
        {"8"},
    ),
    "a key of the same name under another": (
        {
            "main.py": f"{READS}ThreadPoolExecutor(cfg['pool']['workers'])\n",
            "x.yaml": "workers: ⟦8⟧\npool:\n  workers: 2\n",
        },
        {"8"},
    ),
    "a parameter that goes on to another loader": (
        f"{PARAMETER}    both(workers)\ndef both(n):\n    DataLoader(1, num_workers=n)\nload(1)",
        {"8"},
    ),
    "a flag kept in a dictionary of options": (
        f"{PARSER}options = dict(num_workers=args.workers)\nDataLoader(data, **options)",
        {"8", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), SHARED.values(), ids=SHARED.keys())
def test_values_that_something_else_is_given_too(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), NOT_SHARED.values(), ids=NOT_SHARED.keys())
def test_values_that_only_loaders_are_given(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected
