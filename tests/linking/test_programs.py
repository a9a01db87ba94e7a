from __future__ import annotations

from textwrap import dedent, indent

import pytest

from loaderlint.model.loader import Program
from loaderlint.model.target import Platform, Target
from tests.linking.traced import IMPORT, loaders_of

LOADER = "loader = DataLoader(data, num_workers=2)\n"


def program(text: str) -> Program:
    (loader,) = loaders_of("import torch\nimport multiprocessing as mp\n" + dedent(text) + LOADER)
    return loader.program


START_METHODS: dict[str, tuple[str, list[str]]] = {
    "none": ("", []),
    "multiprocessing's": ("mp.set_start_method('spawn')\n", ["'spawn'"]),
    "torch's": ("torch.multiprocessing.set_start_method('spawn', force=True)\n", ["'spawn'"]),
    "imported by name": ("from multiprocessing import set_start_method\nset_start_method('fork')\n", ["'fork'"]),
    "by keyword": ("mp.set_start_method(method='forkserver')\n", ["'forkserver'"]),
    "a constant": ("METHOD = 'spawn'\nmp.set_start_method(METHOD)\n", ["'spawn'"]),
    "in a function": ("def main():\n    mp.set_start_method('spawn')\n", ["'spawn'"]),
    "in a try": ("try:\n    mp.set_start_method('spawn')\nexcept RuntimeError:\n    pass\n", ["'spawn'"]),
    "on one platform": (
        "import sys\nif sys.platform == 'darwin':\n    mp.set_start_method('fork')\n",
        ["'fork' on macos"],
    ),
    "where it may not be there, which is handled": (
        "try:\n    mp.set_start_method('fork')\nexcept ValueError:\n    pass\n",
        ["'fork' on linux, macos"],
    ),
    "where it may not be there, which is suppressed": (
        "with suppress(ValueError):\n    mp.set_start_method('fork')\n",
        ["'fork' on linux, macos"],
    ),
    "where it is there everywhere": (
        "try:\n    mp.set_start_method('spawn')\nexcept ValueError:\n    pass\n",
        ["'spawn'"],
    ),
    "where it may not be there, which is raised again": (
        "try:\n    mp.set_start_method('fork')\nexcept ValueError:\n    print('no')\n    raise\n",
        ["'fork'"],
    ),
    "where another error is handled": (
        "try:\n    mp.set_start_method('fork')\nexcept RuntimeError:\n    pass\n",
        ["'fork'"],
    ),
    "one that is nowhere, which is handled": (
        "try:\n    mp.set_start_method('frok')\nexcept ValueError:\n    pass\n",
        [],
    ),
    "never reached": ("if False:\n    mp.set_start_method('spawn')\n", []),
    "something unseen": ("mp.set_start_method(method())\n", []),
    "a context is no setting of the process": ("context = mp.get_context('spawn')\n", []),
}


@pytest.mark.parametrize(("text", "expected"), START_METHODS.values(), ids=START_METHODS.keys())
def test_start_methods(text: str, expected: list[str]) -> None:
    found = []
    for one in program(text).start_methods:
        platforms = [", ".join(sorted(answer)) for _, answer in one.assumptions if isinstance(answer, frozenset)]
        found.append(" on ".join([repr(one.constant), *platforms]))
    assert found == expected


PROCESSES: dict[str, tuple[str, list[str]]] = {
    "none": ("", []),
    "a process": ("mp.Process(target=work).start()\n", ["mp.Process(target=work)"]),
    "by another name": (
        "from torch.multiprocessing import Process as Child\nChild(target=work)\n",
        ["Child(target=work)"],
    ),
    "a pool": ("def main():\n    with mp.Pool(2) as pool:\n        pool.map(work, rows)\n", ["mp.Pool(2)"]),
    "of the default context": ("context = mp.get_context()\ncontext.Pool(2)\n", ["context.Pool(2)"]),
    "an executor": (
        "import concurrent.futures as futures\nfutures.ProcessPoolExecutor(2)\n",
        ["futures.ProcessPoolExecutor(2)"],
    ),
    "a class of its own": ("class Logger(mp.Process):\n    pass\n", ["class Logger"]),
    "told how": (
        "mp.get_context('spawn').Pool(2)\nfrom concurrent.futures import ProcessPoolExecutor\n"
        "ProcessPoolExecutor(2, mp_context=mp.get_context('spawn'))\n",
        [],
    ),
    "threads": ("import multiprocessing.pool\nmp.pool.ThreadPool(2)\n", []),
    "torch's, which are spawned": ("torch.multiprocessing.spawn(work, nprocs=2)\n", []),
    "another's": ("import psutil\npsutil.Process().memory_info()\n", []),
    "an object of the project": ("class Pool:\n    pass\nPool()\n", []),
}


@pytest.mark.parametrize(("text", "expected"), PROCESSES.values(), ids=PROCESSES)
def test_processes_of_its_own(text: str, expected: list[str]) -> None:
    assert [one.what for one in program(text).processes] == expected


CUDA: dict[str, tuple[str, list[str]]] = {
    "a model moved": ("model = net().cuda()\n", ["net().cuda()"]),
    "moved to a device by name": ("model = net().to('cuda')\n", ["net().to('cuda')"]),
    "moved to a numbered device": ("model = net().to('cuda:1')\n", ["net().to('cuda:1')"]),
    "moved to a device kept": ("device = torch.device('cuda')\nmodel = net().to(device)\n", ["net().to(device)"]),
    "made on the device": ("x = torch.zeros(3, device='cuda')\n", ["torch.zeros(3, device='cuda')"]),
    "a device set": ("torch.cuda.set_device(0)\n", ["torch.cuda.set_device(0)"]),
    "a name asked": ("print(torch.cuda.get_device_name(0))\n", ["torch.cuda.get_device_name(0)"]),
    "a default device": ("torch.set_default_device('cuda')\n", ["torch.set_default_device('cuda')"]),
    "asking whether there is one": ("cuda = torch.cuda.is_available()\n", []),
    "counting them": ("n = torch.cuda.device_count()\n", []),
    "seeding": ("torch.cuda.manual_seed_all(1)\n", []),
    "the CPU": ("model = net().to('cpu')\n", []),
    "Apple's": ("model = net().to('mps')\n", []),
    "a type": ("x = net().to(torch.float32)\n", []),
    "a device nobody sees": ("model = net().to(device())\n", []),
    "a device made of a device": (
        "def as_device(name):\n    return torch.device(name)\nmodel = net().to(as_device(as_device('cuda')))\n",
        ["net().to(as_device(as_device('cuda')))"],
    ),
    "a device made of the one before": (
        """\
        class Epochs:
            def to(self, device="cpu"):
                if isinstance(device, str):
                    device = torch.device(device)
                self.device = device
                model.to(device)

            def again(self):
                self.to(self.device)
        """,
        [],
    ),
    "a benchmark setting": ("torch.backends.cudnn.benchmark = True\n", []),
}


@pytest.mark.parametrize(("text", "expected"), CUDA.values(), ids=CUDA.keys())
def test_what_touches_cuda_in_the_process(text: str, expected: list[str]) -> None:
    assert [one.what for one in program(text).cuda] == expected


def test_a_device_chosen_by_asking_assumes_that_there_is_one() -> None:
    found = program("device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\nmodel = net().to(device)\n")
    (touch,) = found.cuda
    assert [(one.subject, one.answer) for one in touch.assumptions] == [("torch.cuda.is_available()", True)]


COMPILED: dict[str, tuple[str, list[str]]] = {
    "a model": ("model = torch.compile(net())\n", ["torch.compile(net())"]),
    "imported by name": ("from torch import compile\nmodel = compile(net())\n", ["compile(net())"]),
    "a decorator": ("@torch.compile\ndef step(x):\n    return x\n", ["@torch.compile"]),
    "a decorator with arguments": (
        "@torch.compile(dynamic=True)\ndef step(x):\n    return x\n",
        ["torch.compile(dynamic=True)"],
    ),
    "a regular expression": ("import re\npattern = re.compile('a')\n", []),
    "Python's own": ("code = compile('1', 'f', 'eval')\n", []),
    "Keras' method": ("model = net()\nmodel.compile()\n", []),
    "never reached": ("if False:\n    model = torch.compile(net())\n", []),
}


@pytest.mark.parametrize(("text", "expected"), COMPILED.values(), ids=COMPILED.keys())
def test_what_makes_a_compiled_callable(text: str, expected: list[str]) -> None:
    assert [one.what for one in program(text).compiled] == expected


def test_a_program_knows_all_its_loaders() -> None:
    first, second = loaders_of("a = DataLoader(1, num_workers=2)\nb = DataLoader(2, num_workers=2)\n")
    assert [one.span for one in first.program.loaders] == [first.span, second.span]
    assert all(one.program == Program() for one in first.program.loaders)


def test_the_program_of_a_loader_reaches_over_the_files_it_imports() -> None:
    (loader,) = loaders_of(
        {
            "model.py": "import torch\ndef build():\n    return torch.zeros(3).cuda()\n",
            "main.py": f"{IMPORT}from model import build\nbuild()\n{LOADER}for batch in loader:\n    pass\n",
        }
    )
    assert [one.what for one in loader.program.cuda] == ["torch.zeros(3).cuda()"]


def test_a_function_that_nothing_calls_does_nothing_to_the_program() -> None:
    text = f"import torch\n{IMPORT}def unused():\n    torch.zeros(3).cuda()\n{LOADER}for batch in loader:\n    pass\n"
    (loader,) = loaders_of({"main.py": text})
    assert not loader.program.cuda


def test_what_stands_below_the_only_iteration_comes_too_late_for_the_workers() -> None:
    (loader,) = loaders_of({"main.py": f"import torch\n{IMPORT}{LOADER}for batch in loader:\n    pass\nmodel.cuda()\n"})
    assert not loader.program.cuda


def test_what_stands_below_an_iteration_comes_before_the_next_epoch() -> None:
    text = f"{IMPORT}{LOADER}for epoch in range(2):\n    for batch in loader:\n        pass\n    model.cuda()\n"
    (loader,) = loaders_of({"main.py": text})
    assert [one.what for one in loader.program.cuda] == ["model.cuda()"]


def test_a_file_that_is_not_imported_is_another_program() -> None:
    (loader,) = loaders_of(
        {
            "other.py": "import torch\nimport multiprocessing\nmultiprocessing.set_start_method('spawn')\n"
            "model = torch.compile(net()).cuda()\n",
            "main.py": f"{IMPORT}{LOADER}for batch in loader:\n    pass\n",
        }
    )
    assert not (loader.program.cuda or loader.program.compiled or loader.program.start_methods)


def test_a_program_that_builds_its_loader_in_another_file_counts_for_it() -> None:
    (loader,) = loaders_of(
        {
            "data.py": f"{IMPORT}def load():\n    return DataLoader(1, num_workers=2)\n",
            "main.py": "import multiprocessing\nfrom data import load\n"
            "if __name__ == '__main__':\n    multiprocessing.set_start_method('spawn')\n"
            "    for batch in load():\n        pass\n",
        }
    )
    assert [one.constant for one in loader.program.start_methods] == ["spawn"]
    assert loader.program.guarded is True


LINUX = Target(Platform.LINUX, (3, 12))
SHARED = f"{IMPORT}def load(n):\n    return DataLoader(data, num_workers=n)\n"
SPAWNS = "import multiprocessing as mp\nfrom shared import load\n"
UNDER_GUARD = "if __name__ == '__main__':\n    mp.set_start_method('spawn')\n    for batch in load(0):\n        pass\n"
ITERATES = "for batch in load(2):\n    pass\n"
CHECKS = f"from shared import load\n{ITERATES}"


def methods_of_workers(files: dict[str, str]) -> set[str]:
    (loader,) = loaders_of({"shared.py": SHARED, **files})
    return {start.method.value for _, start in loader.worker_starts(LINUX)}


def test_a_start_method_of_one_main_file_starts_no_workers_that_only_another_program_has() -> None:
    assert methods_of_workers({"train.py": SPAWNS + UNDER_GUARD, "checks.py": CHECKS}) == {"fork"}


STARTED: dict[str, dict[str, str]] = {
    "of its own program": {"train.py": SPAWNS + UNDER_GUARD.replace("(0)", "(2)")},
    "set where the file is imported": {
        "train.py": f"{SPAWNS}mp.set_start_method('spawn')\nfor batch in load(2):\n    pass\n",
    },
    "of a file that the main file brings in": {
        "train.py": "import checks\n" + SPAWNS + UNDER_GUARD,
        "checks.py": "from shared import load\ndef check():\n" + indent(ITERATES, "    "),
    },
    "of a file that is brought in by a name that a run shows": {
        "train.py": "import importlib, sys\n" + SPAWNS + UNDER_GUARD + "    importlib.import_module(sys.argv[1])\n",
        "checks.py": CHECKS,
    },
    "of the shared function itself": {
        "shared.py": SHARED.replace("(n)", "(n=2)"),
        "train.py": SPAWNS + UNDER_GUARD.replace("(0)", "()"),
    },
}


@pytest.mark.parametrize("files", STARTED.values(), ids=STARTED.keys())
def test_a_start_method_starts_the_workers_of_its_own_program(files: dict[str, str]) -> None:
    assert "spawn" in methods_of_workers(files)
