"""What ends a program on some platforms: loaders behind it are there on the others alone."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

NCCL = "import torch.distributed as dist\n"
LOADER = "DataLoader(data, num_workers=⟦2⟧)"

BOUND: Cases = {
    "NCCL": (f"{NCCL}dist.init_process_group('nccl')\n{LOADER}", {"2 on linux"}),
    "NCCL by its name": (
        f"{NCCL}dist.init_process_group(init_method='env://', backend='nccl')\n{LOADER}",
        {"2 on linux"},
    ),
    "NCCL in a function that is called before": (
        f"{NCCL}def set_up():\n    dist.init_process_group('nccl')\nset_up()\n{LOADER}",
        {"2 on linux"},
    ),
    "NCCL before the function that makes the loader is called": (
        f"{NCCL}def load():\n    return {LOADER}\ndef main():\n    dist.init_process_group('nccl')\n    load()\nmain()",
        {"2 on linux"},
    ),
    "NCCL two calls further out": (
        f"{NCCL}def load():\n    return {LOADER}\ndef run():\n    load()\n"
        "def main():\n    dist.init_process_group('nccl')\n    run()\nmain()",
        {"2 on linux"},
    ),
    "NCCL as the backend's default": (
        "import argparse\n" + NCCL + "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--backend', default='nccl', choices=['nccl'])\nargs = parser.parse_args()\n"
        f"dist.init_process_group(args.backend)\n{LOADER}",
        {"2 on linux", "2"},
    ),
    "NCCL where CUDA is": (
        f"{NCCL}import torch\nif torch.cuda.is_available():\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2 on linux with cuda", "2 without cuda"},
    ),
    "a signal": (
        f"import signal\nsignal.signal(signal.SIGUSR1, stop)\n{LOADER}",
        {"2 on linux, macos"},
    ),
    "a module of Unix": (f"import fcntl\n{LOADER}", {"2 on linux, macos"}),
    "a name of a module of Unix, in a function": (
        f"from resource import setrlimit\ndef load():\n    return {LOADER}\nload()",
        {"2 on linux, macos"},
    ),
    "a function of Linux": (f"import os\nos.sched_setaffinity(0, {{1}})\n{LOADER}", {"2 on linux"}),
}

FREE: Cases = {
    "another backend": (f"{NCCL}dist.init_process_group('gloo')\n{LOADER}", {"2"}),
    "a backend that was not seen": (f"{NCCL}dist.init_process_group(backend)\n{LOADER}", {"2"}),
    "a backend for each platform": (
        f"import sys\n{NCCL}dist.init_process_group('gloo' if sys.platform != 'linux' else 'nccl')\n{LOADER}",
        {"2"},
    ),
    "NCCL on Linux": (
        f"import sys\n{NCCL}if sys.platform == 'linux':\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2"},
    ),
    "NCCL where somebody asks for it": (
        f"{NCCL}if distributed:\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2"},
    ),
    "NCCL after the loader": (f"{NCCL}{LOADER}\ndist.init_process_group('nccl')", {"2"}),
    "NCCL where its error is handled": (
        f"{NCCL}try:\n    dist.init_process_group('nccl')\nexcept RuntimeError:\n    pass\n{LOADER}",
        {"2"},
    ),
    "NCCL before one of two calls": (
        f"{NCCL}def load():\n    return {LOADER}\ndef one():\n    dist.init_process_group('nccl')\n    load()\n"
        "def other():\n    load()",
        {"2"},
    ),
    "a function of the same name": (f"from own import init_process_group\ninit_process_group('nccl')\n{LOADER}", {"2"}),
    "a signal of every platform": (f"import signal\nsignal.signal(signal.SIGTERM, stop)\n{LOADER}", {"2"}),
    "a signal where there is one": (
        f"import signal\nif hasattr(signal, 'SIGUSR1'):\n    signal.signal(signal.SIGUSR1, stop)\n{LOADER}",
        {"2"},
    ),
    "a module of Unix where there is one": (
        f"try:\n    import fcntl\nexcept ImportError:\n    fcntl = None\n{LOADER}",
        {"2"},
    ),
}


@pytest.mark.parametrize(("project", "found"), [*BOUND.values(), *FREE.values()], ids=[*BOUND, *FREE])
def test_a_loader_is_there_where_a_run_comes_to_it(project: str, found: set[str]) -> None:
    assert traced(project) == found
