from __future__ import annotations

import pytest

from loaderlint.model.target import Platform, Target
from loaderlint.model.value import CpuCount
from tests.linking.traced import IMPORT, Cases, loader_of, traced

WINDOWS, POSIX = "on windows", "on linux, macos"


def on_windows(test: str) -> tuple[str, set[str]]:
    return (
        f"import os, platform, sys\nDataLoader(data, num_workers=⟦0⟧ if {test} else ⟦8⟧)",
        {f"0 {WINDOWS}", f"8 {POSIX}"},
    )


def on_linux(test: str) -> tuple[str, set[str]]:
    return (
        f"import os, platform, sys\nDataLoader(data, num_workers=⟦8⟧ if {test} else ⟦0⟧)",
        {"8 on linux", "0 on macos, windows"},
    )


PLATFORMS: Cases = {
    **{
        test: on_windows(test)
        for test in (
            "sys.platform == 'win32'",
            "'win32' == sys.platform",
            "sys.platform.startswith('win')",
            "sys.platform in ('win32', 'cygwin')",
            "os.name == 'nt'",
            "platform.system() == 'Windows'",
            "platform.system().lower() == 'windows'",
            "platform.system() in ['Windows']",
            "not sys.platform != 'win32'",
            "sys.platform.lower().startswith('win')",
            "'win32' in sys.platform",
            "sys.platform == 'win32' or os.name == 'nt'",
            "os.name == 'nt' and True",
        )
    },
    **{
        test: on_linux(test)
        for test in (
            "sys.platform == 'linux'",
            "sys.platform.startswith('linux')",
            "'linux' in sys.platform",
            "platform.system() == 'Linux'",
            "sys.platform not in ('win32', 'darwin')",
            "os.name == 'posix' and sys.platform != 'darwin'",
        )
    },
    "a test that is always true": (
        "import sys\nDataLoader(data, num_workers=⟦8⟧ if 'linux' or 'macos' in sys.platform else 0)",
        {"8"},
    ),
    "a name that no platform has": (
        "import sys\nDataLoader(data, num_workers=0 if sys.platform == 'windows' else ⟦8⟧)",
        {"8"},
    ),
    "kept in a constant": (
        "import sys\nWINDOWS = sys.platform == 'win32'\nDataLoader(data, num_workers=⟦0⟧ if WINDOWS else ⟦8⟧)",
        {f"0 {WINDOWS}", f"8 {POSIX}"},
    ),
    "asked by a function": (
        """
        import os
        def is_windows():
            return os.name == "nt"
        DataLoader(data, num_workers=⟦0⟧ if is_windows() else ⟦8⟧)
        """,
        {f"0 {WINDOWS}", f"8 {POSIX}"},
    ),
    "imported by name": (
        "from sys import platform\nDataLoader(data, num_workers=⟦0⟧ if platform == 'win32' else ⟦8⟧)",
        {f"0 {WINDOWS}", f"8 {POSIX}"},
    ),
    "the function imported by name": (
        "from platform import system\nDataLoader(data, num_workers=⟦0⟧ if system() == 'Windows' else ⟦8⟧)",
        {f"0 {WINDOWS}", f"8 {POSIX}"},
    ),
    "a statement": (
        "import sys\nworkers = ⟦8⟧\nif sys.platform == 'win32':\n    workers = ⟦0⟧\n"
        "DataLoader(data, num_workers=workers)",
        {f"0 {WINDOWS}", f"8 {POSIX}"},
    ),
    "two questions": (
        """
        import sys
        if sys.platform == "win32":
            workers = ⟦0⟧
        elif sys.platform == "darwin":
            workers = ⟦2⟧
        else:
            workers = ⟦8⟧
        DataLoader(data, num_workers=workers)
        """,
        {f"0 {WINDOWS}", "2 on macos", "8 on linux"},
    ),
    "around the call": (
        "import sys\nif sys.platform == 'win32':\n    DataLoader(data, num_workers=⟦8⟧)",
        {f"8 {WINDOWS}"},
    ),
    "and an early return": (
        """
        import sys
        def load(data):
            if sys.platform == "win32":
                return None
            return DataLoader(data, num_workers=⟦8⟧)
        """,
        {f"8 {POSIX}"},
    ),
    "a factor": (
        "import sys\nDataLoader(data, num_workers=4 * (sys.platform != 'win32'))",
        {f"0 {WINDOWS} at main.py:3:30", f"4 {POSIX} at main.py:3:30"},
    ),
    "another library's platform": (
        "from elsewhere import platform\nDataLoader(data, num_workers=⟦0⟧ if platform == 'win32' else ⟦8⟧)",
        {"0", "8"},
    ),
}

CUDA: Cases = {
    "asked at the call": (
        "import torch\nDataLoader(data, num_workers=⟦8⟧ if torch.cuda.is_available() else ⟦0⟧)",
        {"8 with cuda", "0 without cuda"},
    ),
    "asked earlier": (
        "import torch\ncuda = torch.cuda.is_available()\nDataLoader(data, num_workers=⟦8⟧ if cuda else ⟦0⟧)",
        {"8 with cuda", "0 without cuda"},
    ),
    "asked with another wish": (
        "import torch\ncuda = wanted and torch.cuda.is_available()\nDataLoader(data, num_workers=⟦8⟧ if cuda else ⟦0⟧)",
        {"8 with cuda", "0 without cuda", "0"},
    ),
    "imported by name": (
        "from torch.cuda import is_available\nDataLoader(data, num_workers=⟦8⟧ if is_available() else ⟦0⟧)",
        {"8 with cuda", "0 without cuda"},
    ),
    "another accelerator is another question": (
        "import torch\nDataLoader(data, num_workers=⟦8⟧ if torch.xpu.is_available() else ⟦0⟧)",
        {"8", "0"},
    ),
}

ARITHMETIC: Cases = {
    "a product": ("N = 2\nDataLoader(data, num_workers=⟦N * 4⟧)", {"8"}),
    "a floor division": ("SIZE = 32\nDataLoader(data, num_workers=⟦SIZE // 4⟧)", {"8"}),
    "a division is a float": ("SIZE = 32\nDataLoader(data, num_workers=⟦SIZE / 4⟧)", {"8.0"}),
    "by zero": ("DataLoader(data, num_workers=8 // 0)", {"open"}),
    "a power": ("DataLoader(data, num_workers=⟦2 ** 3⟧)", {"8"}),
    "a shift": ("DataLoader(data, num_workers=⟦1 << 3⟧)", {"8"}),
    "a shift of no integer": ("DataLoader(data, num_workers=1.5 << 3)", {"open"}),
    "an enormous power": ("DataLoader(data, num_workers=9 ** 999999)", {"open"}),
    "the length of a row": ("gpus = [0, 1]\nDataLoader(data, num_workers=⟦len(gpus)⟧)", {"2"}),
    "the length of one of a row and something unseen": (
        "gpus = [0, 1] if few else unknown()\nDataLoader(data, num_workers=⟦len(gpus)⟧)",
        {"2", "open"},
    ),
    "the sum of one of a row and something unseen": (
        "counts = [1, 2] if few else unknown()\nDataLoader(data, num_workers=⟦sum(counts)⟧)",
        {"3", "open"},
    ),
    "a table by a text in another spelling": (
        "workers = {'Plain': ⟦2⟧, 'Stream': 3}\nDataLoader(data, num_workers=workers['plain'.capitalize()])",
        {"2"},
    ),
    "a table by a text without its beginning": (
        "workers = {'a': ⟦2⟧, 'b': 3}\nDataLoader(data, num_workers=workers['set-a'.replace('set-', '')])",
        {"2"},
    ),
    "a text method that is handed what it does not take": (
        "workers = {'a': 2, 'b': 3}\nDataLoader(data, num_workers=workers['a'.replace(1, None)])",
        {"open"},
    ),
    "a row that is repeated": (
        "counts = [⟦4⟧] * 2\nfor name, count in zip(names, counts):\n    DataLoader(data, num_workers=count)",
        {"4"},
    ),
    "a row that is repeated, the number first": ("DataLoader(data, num_workers=(3 * (0, ⟦4⟧))[5])", {"4"}),
    "a row behind another": ("first, second = [⟦4⟧] + [2]\nDataLoader(data, num_workers=first)", {"4"}),
    "a range that nothing counts": ("DataLoader(data, num_workers=len(range(10 ** 30)))", {"open"}),
    "a row that grows without end": ("gpus = [0] * 100 * 100\nDataLoader(data, num_workers=len(gpus))", {"open"}),
    "two rows that grow without end": (
        "one = [0] * 100\ntwo = one + one\nDataLoader(data, num_workers=len(two))",
        {"open"},
    ),
    "the length of two rows": ("gpus = [0] * 3 + [1]\nDataLoader(data, num_workers=⟦len(gpus)⟧)", {"4"}),
    "a row that is repeated never": ("DataLoader(data, num_workers=⟦len([0, 1] * -1)⟧)", {"0"}),
    "a row repeated as often as was not seen": ("DataLoader(data, num_workers=([4] * many())[0])", {"open"}),
    "a row behind what was not seen": ("DataLoader(data, num_workers=(more() + [4])[0])", {"open"}),
    "a row repeated more often than is followed": ("DataLoader(data, num_workers=([4] * 10 ** 9)[0])", {"open"}),
    "a row times a row": ("DataLoader(data, num_workers=([4] * [2])[0])", {"open"}),
    "a repeated row is not None": ("N = [4] * more\nDataLoader(data, num_workers=0 if N is None else ⟦8⟧)", {"8"}),
    "the length of something unseen": ("DataLoader(data, num_workers=len(gpus()))", {"open"}),
    "the sum of a row": ("DataLoader(data, num_workers=⟦sum((1, 2))⟧)", {"3"}),
    "of strings": ("DataLoader(data, num_workers='8' * 3)", {"open"}),
    "with something unseen": ("DataLoader(data, num_workers=count() // 2)", {"open"}),
    "min of two": ("DataLoader(data, num_workers=⟦min(8, 4)⟧)", {"4"}),
    "min of a list": ("DataLoader(data, num_workers=⟦min([8, 4])⟧)", {"4"}),
    "max": ("DataLoader(data, num_workers=⟦max(0, 4)⟧)", {"4"}),
    "min with something unseen": ("DataLoader(data, num_workers=min(count(), 4))", {"open"}),
    "int of a float": ("DataLoader(data, num_workers=int(⟦8.0⟧))", {"8"}),
    "int of a string": ("DataLoader(data, num_workers=int(⟦'8'⟧))", {"8"}),
    "int of no number": ("DataLoader(data, num_workers=int('many'))", {"open"}),
    "round": ("DataLoader(data, num_workers=⟦round(7.6)⟧)", {"8"}),
    "abs": ("DataLoader(data, num_workers=⟦abs(-8)⟧)", {"8"}),
    "or": ("N = 0\nDataLoader(data, num_workers=N or ⟦8⟧)", {"8"}),
    "or after a number": ("N = ⟦2⟧\nDataLoader(data, num_workers=N or 8)", {"2"}),
    "or after something unseen": ("DataLoader(data, num_workers=n or ⟦8⟧)", {"8", "open"}),
    "and": ("N = 2\nDataLoader(data, num_workers=N and ⟦8⟧)", {"8"}),
    "and after zero": ("N = 0\nDataLoader(data, num_workers=⟦N and 8⟧)", {"0"}),
    "a comparison": ("N = 2\nDataLoader(data, num_workers=⟦8⟧ if N > 1 else 0)", {"8"}),
    "a chained comparison": (
        "N = 2\nDataLoader(data, num_workers=⟦8⟧ if 0 < N < 3 else 0)",
        {"8"},
    ),
    "a comparison of unlike things": ("N = None\nDataLoader(data, num_workers=⟦8⟧ if N > 1 else ⟦0⟧)", {"8", "0"}),
    "isinstance is not asked": ("DataLoader(data, num_workers=⟦8⟧ if isinstance(n, int) else ⟦0⟧)", {"8", "0"}),
    "a list is not None": ("N = [1]\nDataLoader(data, num_workers=⟦8⟧ if N is not None else 0)", {"8"}),
    "a dictionary is not None": ("N = {}\nDataLoader(data, num_workers=0 if N is None else ⟦8⟧)", {"8"}),
    "a length, a number, a text and a sum that were not seen are not None": (
        """
        def load(given, workers):
            return DataLoader(data, num_workers=0 if given is None else workers)
        load(len(data), ⟦1⟧)
        load(int(more), ⟦2⟧)
        load(str(more), ⟦3⟧)
        load(more() * 2, ⟦4⟧)
        load(-more(), ⟦5⟧)
        load(f"{more}", ⟦6⟧)
        load([one for one in more], ⟦7⟧)
        load(max(more, 1), ⟦8⟧)
        """,
        {"1", "2", "3", "4", "5", "6", "7", "8"},
    ),
    "what a name holds that was added to is not None": (
        "N = more\nN += 1\nDataLoader(data, num_workers=⟦8⟧ if None is not N else 0)",
        {"8"},
    ),
    "what a library gives, shifts by or merges may be None": (
        """
        def load(given, workers):
            return DataLoader(data, num_workers=⟦0⟧ if given is None else workers)
        load(more(), ⟦1⟧)
        load(more() >> 2, ⟦2⟧)
        load(more() | {}, ⟦3⟧)
        load(max([more]), ⟦4⟧)
        """,
        {"0", "1", "2", "3", "4"},
    ),
    "a number that was not seen may be equal to another": (
        "DataLoader(data, num_workers=⟦8⟧ if len(data) == 0 else ⟦0⟧)",
        {"8", "0"},
    ),
    "a configuration is not None": (
        """
        from omegaconf import OmegaConf
        N = OmegaConf.create({"data": {"size": 1}})
        DataLoader(data, num_workers=0 if N.data is None else ⟦8⟧)
        """,
        {"8"},
    ),
    "whether two lists are one is not asked": (
        "N = [1]\nM = N\nDataLoader(data, num_workers=⟦8⟧ if N is M else ⟦0⟧)",
        {"8", "0"},
    ),
    "an environment variable": (
        "import os\nDataLoader(data, num_workers=int(os.environ.get('WORKERS', ⟦4⟧)))",
        {"4", "open"},
    ),
    "an environment variable that is not converted": (
        "import os\nDataLoader(data, num_workers=os.environ.get('WORKERS', ⟦4⟧))",
        {"4", "the text given to $WORKERS at main.py:3:30"},
    ),
    "the length of something": ("DataLoader(data, num_workers=len(many))", {"open"}),
    "an enormous product": ("DataLoader(data, num_workers=10 ** 11 * 10 ** 11)", {"open"}),
}

CPUS = {
    "os.cpu_count()": {1: 1, 16: 16},
    "os.cpu_count() // 2": {1: 0, 16: 8},
    "min(os.cpu_count(), 8)": {1: 1, 16: 8},
    "min([os.cpu_count(), 32, 8])": {1: 1, 16: 8},
    "max(1, os.cpu_count() - 1)": {1: 1, 16: 15},
    "int(os.cpu_count() / 4)": {1: 0, 16: 4},
    "multiprocessing.cpu_count()": {1: 1, 16: 16},
    "len(os.sched_getaffinity(0))": {1: 1, 16: 16},
    "os.cpu_count() or 4": {1: 1, 16: 16},
    "(os.cpu_count() or 1) // 2": {1: 0, 16: 8},
}


@pytest.mark.parametrize(("files", "expected"), PLATFORMS.values(), ids=PLATFORMS.keys())
def test_platforms(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), CUDA.values(), ids=CUDA.keys())
def test_cuda(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), ARITHMETIC.values(), ids=ARITHMETIC.keys())
def test_arithmetic(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("text", "numbers"), CPUS.items(), ids=CPUS.keys())
def test_a_count_of_cpus_stays_a_formula(text: str, numbers: dict[int, int]) -> None:
    (workers,) = loader_of(f"import multiprocessing, os\nDataLoader(data, num_workers={text})").num_workers.candidates
    assert isinstance(workers.constant, CpuCount)
    targets = {cpus: Target(Platform.LINUX, (3, 12), cpus=cpus) for cpus in numbers}
    assert {cpus: workers.number(target) for cpus, target in targets.items()} == numbers


def test_an_operation_remembers_the_places_it_was_worked_out_from() -> None:
    loader = loader_of("N = 4\nDataLoader(data, num_workers=N, persistent_workers=N > 0)")
    (workers,) = loader.num_workers.candidates
    (persistent,) = loader.option("persistent_workers").candidates
    assert persistent.constant is True
    assert workers.span in persistent.sources


def test_a_conditional_expression_remembers_what_its_test_was_worked_out_from() -> None:
    loader = loader_of("N = 4\nDataLoader(data, num_workers=N, prefetch_factor=2 if N else None)")
    (workers,) = loader.num_workers.candidates
    (prefetch,) = loader.prefetch_factor.candidates
    assert prefetch.constant == 2
    assert workers.span in prefetch.sources


def test_what_a_test_depends_on_in_another_run_has_no_part_in_a_value() -> None:
    workers = loader_of(
        {
            "data.py": f"{IMPORT}def load(workers=None):\n"
            "    DataLoader(1, num_workers=workers if workers is not None else 4)\n",
            "few.py": "from data import load\nload()\n",
            "none.py": "from data import load\nload(None)\n",
            "some.py": "from data import load\nload(2)\n",
        }
    ).num_workers
    files = [(one.constant, sorted({source.path for source in one.sources})) for one in workers.candidates]
    assert sorted(files) == [(2, ["data.py", "some.py"]), (4, ["data.py"]), (4, ["data.py", "none.py"])]


COUNTED = {
    "up to the number of CPUs": ("range(0, os.cpu_count() + 1, 2)", {0, 2}, True),
    "down from the number of CPUs": ("range(os.cpu_count(), 0, -1)", {2, 1}, True),
    "from a number that a small machine does not have": ("range(4, os.cpu_count())", set(), True),
    "from what nobody sees up to the number of CPUs": ("range(least, os.cpu_count())", set(), True),
    "up to a number": ("range(0, 3, 2)", {0, 2}, False),
}


@pytest.mark.parametrize(("over", "numbers", "more"), COUNTED.values(), ids=COUNTED.keys())
def test_what_a_loop_over_a_range_counts_through(over: str, numbers: set[int], more: bool) -> None:
    workers = loader_of(f"import os\nfor n in {over}:\n    DataLoader(data, num_workers=n)\n").num_workers
    assert {one.constant for one in workers.candidates} == numbers
    assert workers.open is more


@pytest.mark.parametrize("test", ["os.cpu_count() >= 32", "os.cpu_count() < 10", "os.cpu_count() == 48"])
def test_how_many_cpus_a_machine_has_can_go_either_way(test: str) -> None:
    loader = loader_of(f"import os\nworkers = 4\nif {test}:\n    workers = 8\nDataLoader(data, num_workers=workers)\n")
    assert {one.constant for one in loader.num_workers.candidates} == {4, 8}


def test_every_machine_has_a_cpu() -> None:
    loader = loader_of("import os\nDataLoader(data, num_workers=4 if os.cpu_count() > 0 else 2)\n")
    assert {one.constant for one in loader.num_workers.candidates} == {4}


@pytest.mark.parametrize(
    "test", ["64 / (os.cpu_count() - 6) > 2", "3 ** os.cpu_count() > 5", "1 % (os.cpu_count() - 40) > 0"]
)
def test_what_fails_on_some_machines_can_go_either_way_on_others(test: str) -> None:
    loader = loader_of(f"import os\nworkers = 4\nif {test}:\n    workers = 8\nDataLoader(data, num_workers=workers)\n")
    assert {one.constant for one in loader.num_workers.candidates} == {4, 8}
