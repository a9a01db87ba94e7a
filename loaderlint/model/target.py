"""Where a project says it runs, and what follows from that for the workers' start method.

Start-method facts: CPython ``Lib/multiprocessing/context.py`` and the ``multiprocessing`` page's "Contexts and start
methods" (forkserver became the default on Linux in 3.14); HAZARDS 1.1.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class StartMethod(str, Enum):
    """How ``multiprocessing`` makes a worker."""

    FORK = "fork"
    SPAWN = "spawn"
    FORKSERVER = "forkserver"

    @property
    def reimports(self) -> bool:
        """Whether a worker begins as a fresh interpreter that imports the main module and unpickles its work."""
        return self is not StartMethod.FORK


class Platform(str, Enum):
    """An operating system; WSL counts as Linux."""

    LINUX = "linux"
    WINDOWS = "windows"
    MACOS = "macos"

    @property
    def display(self) -> str:
        """The name as it is written in prose."""
        return {"linux": "Linux", "windows": "Windows", "macos": "macOS"}[self.value]

    @property
    def sys_platform(self) -> str:
        """What ``sys.platform`` says there."""
        return {"linux": "linux", "windows": "win32", "macos": "darwin"}[self.value]

    @property
    def os_name(self) -> str:
        """What ``os.name`` says there."""
        return "nt" if self is Platform.WINDOWS else "posix"

    @property
    def system(self) -> str:
        """What ``platform.system()`` says there."""
        return {"linux": "Linux", "windows": "Windows", "macos": "Darwin"}[self.value]

    @property
    def may_have_cuda(self) -> bool:
        """Whether there is a torch with CUDA or ROCm for it (pytorch.org, "Get Started": none for macOS)."""
        return self is not Platform.MACOS

    @property
    def start_methods(self) -> tuple[StartMethod, ...]:
        """The start methods ``multiprocessing`` has there, as ``multiprocessing/context.py`` lists them."""
        if self is Platform.WINDOWS:
            return (StartMethod.SPAWN,)
        return (StartMethod.FORK, StartMethod.SPAWN, StartMethod.FORKSERVER)

    @property
    def default_start_methods(self) -> tuple[StartMethod, ...]:
        """The start methods that are the default there, in one version of Python or another."""
        return (StartMethod.FORK, StartMethod.FORKSERVER) if self is Platform.LINUX else (StartMethod.SPAWN,)


class Accelerator(str, Enum):
    """What tensors are computed on."""

    CUDA = "cuda"
    ROCM = "rocm"
    MPS = "mps"
    CPU = "cpu"


class Target(Struct, frozen=True):
    """One environment a project runs in. None means unknown: a rule that needs the fact says nothing."""

    platform: Platform
    python: tuple[int, int]
    torch: tuple[int, int] | None = None
    accelerator: Accelerator | None = None
    cpus: int | None = None

    @property
    def windows(self) -> bool:
        """Whether this is Windows."""
        return self.platform is Platform.WINDOWS

    @property
    def start_methods(self) -> tuple[StartMethod, ...]:
        """The start methods ``multiprocessing`` has here."""
        return self.platform.start_methods

    @property
    def default_start_method(self) -> StartMethod:
        """The start method in force when nobody sets one."""
        if self.platform is not Platform.LINUX:
            return StartMethod.SPAWN
        return StartMethod.FORKSERVER if self.python >= (3, 14) else StartMethod.FORK

    @property
    def cuda(self) -> bool | None:
        """Whether ``torch.cuda.is_available()`` is true here (it is for ROCm, too); None when unknown."""
        if not self.platform.may_have_cuda:
            return False
        if self.accelerator is None:
            return None
        return self.accelerator in (Accelerator.CUDA, Accelerator.ROCM)
