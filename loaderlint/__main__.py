"""Where a process starts: ``--version`` is answered before anything is imported."""

from __future__ import annotations

import gc
import os
import sys

OBJECTS_BETWEEN_COLLECTIONS = 1_000_000
"""New objects after which Python looks for garbage among the youngest; by default 700 (``gc.get_threshold()``)."""
COLLECTIONS_BETWEEN_DEEPER_ONES = 1000
"""So many of these before it looks among older ones, too; by default 10."""


class _Ended(BaseException):
    """Raised where somebody ends the process, so that it leaves nothing half done behind, as by an interrupt."""


def _end(number: int, frame: object) -> None:
    raise _Ended(number)


def main() -> int:
    """Run the command line and return the exit code (INTERFACE.md, "Exit codes")."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from loaderlint import __version__

        print(f"loaderlint {__version__}")
        return 0
    import signal
    import threading

    # Nearly all that is made stays to the end; looking for garbage among it as often as usual takes a quarter of a run.
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, COLLECTIONS_BETWEEN_DEEPER_ONES, COLLECTIONS_BETWEEN_DEEPER_ONES)
    # A handler can only be set in the main thread, where somebody may call this from another.
    alone = threading.current_thread() is threading.main_thread()
    # Windows has no terminal that hangs up.
    for one in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)) if alone else ():
        if signal.getsignal(one) is signal.SIG_DFL:
            signal.signal(one, _end)
    try:
        from loaderlint.cli import run

        return run(arguments)
    except (KeyboardInterrupt, _Ended, RuntimeError) as error:
        # Before Python 3.12 what is raised while a class is made comes as the cause of a RuntimeError (`__set_name__`).
        ended = error.__cause__ if isinstance(error, RuntimeError) else error
        if isinstance(ended, _Ended):
            return 128 + int(ended.args[0])
        if isinstance(ended, KeyboardInterrupt):
            return 128 + signal.SIGINT
        raise
    finally:
        # All of it goes with the process; to look for garbage among it before that takes a seventh of a long run.
        gc.freeze()


if __name__ == "__main__":
    # `python -m` puts the working folder on the path, where a linted file could pass for a module that we import.
    if sys.path[:1] in ([""], [os.getcwd()]):
        del sys.path[0]
    sys.exit(main())
