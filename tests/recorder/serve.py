"""Runs programs with torch loaded already: each request forks a process that runs one and records its loaders.

A request is a line of JSON, ``{"folder": …, "command": [script, argument, …], "log": …}``; the answer is one, too:
``{"status": exit status, "output": what the program printed}``.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import traceback
from typing import NoReturn

import record

DEADLINE = 60
"""Seconds after which a program is ended. The slowest takes about 3 on two idle cores."""


def run(folder: str, command: list[str], log: str, output: str) -> NoReturn:
    """Run a script as ``python SCRIPT ARGUMENT ...`` in a folder would, and leave the process."""
    signal.alarm(DEADLINE)
    printed = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    os.chdir(folder)
    os.environ[record.LOG] = log
    here = os.path.dirname(os.path.abspath(record.__file__))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
    sys.argv = list(command)
    sys.path[0] = os.path.dirname(os.path.abspath(command[0]))
    record.install(log)
    status = 0
    try:
        runpy.run_path(command[0], run_name="__main__")
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main() -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        output = request["log"] + ".output"
        child = os.fork()
        if child == 0:
            run(request["folder"], request["command"], request["log"], output)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with open(output, encoding="utf-8", errors="replace") as file:
            print(json.dumps({"status": status, "output": file.read()}), flush=True)


main()
