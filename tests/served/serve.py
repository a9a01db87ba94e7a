"""Runs programs with torch loaded already: each request forks a process, which is as a fresh interpreter would be.

Loading torch, and what else the arguments name, takes longer than most of the programs do, and so does taking it all
apart at the end: a program's threads are waited for and its exit functions run, and that is all. A request is a line of
JSON, ``{"folder": …, "command": …, "environment": …, "printed": [file of the output, file of the errors], "deadline":
seconds}``, the command as Python takes it (``[script, argument, …]`` or ``["-c", code, argument, …]``); the answer is
the exit status, in JSON, too: null when the program ran into the deadline.
"""

from __future__ import annotations

import atexit
import importlib
import json
import multiprocessing.process
import os
import signal
import sys
import threading
from contextlib import suppress
from types import CodeType, ModuleType
from typing import Any, NoReturn


def become(folder: str, command: list[str], environment: dict[str, str], printed: list[str]) -> CodeType:
    """Make this process the one that ``python COMMAND ...`` would be in a folder; returns what it runs."""
    os.setsid()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, name in enumerate(printed, start=1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    os.chdir(folder)
    os.environ.update(environment)
    setattr(multiprocessing.process, "ORIGINAL_DIR", folder)  # noqa: B010
    importlib.reload(importlib.import_module("sitecustomize"))
    for drawing in {"random", "numpy.random", "torch"} & sys.modules.keys():
        # Every process draws the first seed of its generators itself.
        sys.modules[drawing].seed()
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    if command[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *command[2:]], ""
        return compile(command[1], "<string>", "exec")
    script = os.path.join(folder, command[0])
    sys.argv, sys.path[0] = list(command), os.path.dirname(script)
    main.__file__ = script
    with open(script, "rb") as file:
        return compile(file.read(), script, "exec", dont_inherit=True)


def run(code: CodeType) -> NoReturn:
    """Run a program in the main module, and end the process as Python would at its end."""
    status = 0
    try:
        exec(code, vars(sys.modules["__main__"]))
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        if not isinstance(leaving.code, int | None):
            print(leaving.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def status_of(child: int, deadline: float) -> int | None:
    """Return the exit status of a process, None when it had to be ended; what it started and left is ended, too."""

    def late(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, deadline)
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        return status
    except TimeoutError:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> None:
    """Answer requests until there are no more."""
    for name in ("torch.utils.data", *sys.argv[1:]):
        importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        deadline = request.pop("deadline")
        child = os.fork()
        if child == 0:
            run(become(**request))
        print(json.dumps(status_of(child, deadline)), flush=True)


main()
