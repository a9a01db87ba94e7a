from __future__ import annotations

from textwrap import dedent

import pytest

from tests.linking.traced import IMPORT, Files, loaders_of

HEAD = f"import multiprocessing as mp\nimport torch\n{IMPORT}"
MAIN = "def main():\n    mp.set_start_method('spawn')\n    return 0\n"
RUN = """
if __name__ == '__main__':
    for batch in DataLoader(data, num_workers=2):
        pass
"""


def calls(files: Files) -> list[str]:
    (loader,) = loaders_of({"main.py": HEAD + dedent(files) + RUN} if isinstance(files, str) else files)
    found = []
    for one in loader.program.start_method_calls:
        set_before = f"after {one.after.line}" if one.after else ""
        run_again = f"again by {one.again.line}" if one.again else ""
        kind = set_before or run_again or ("guardable" if one.can_be_guarded else "elsewhere")
        found.append(f"{one.span.path}:{one.span.line} {kind}")
    return found


CALLS: dict[str, tuple[Files, list[str]]] = {
    "none": ("", []),
    "at the top": ("mp.set_start_method('spawn')", ["main.py:4 guardable"]),
    "torch's": ("torch.multiprocessing.set_start_method('spawn')", ["main.py:4 guardable"]),
    "on a branch": ("if wanted():\n    mp.set_start_method('spawn')", ["main.py:5 guardable"]),
    "not forced": ("mp.set_start_method('spawn', force=False)", ["main.py:4 guardable"]),
    "in a function called at the top": (
        "def prepare():\n    mp.set_start_method('spawn')\nprepare()\n",
        ["main.py:5 elsewhere"],
    ),
    "in a function that nothing calls": ("def prepare():\n    mp.set_start_method('spawn')\n", []),
    "forced": ("mp.set_start_method('spawn', force=True)", []),
    "forced by position": ("mp.set_start_method('spawn', True)", []),
    "who knows": ("mp.set_start_method('spawn', **options)", []),
    "caught": ("try:\n    mp.set_start_method('spawn')\nexcept (ValueError, RuntimeError):\n    pass", []),
    "another error caught": (
        "try:\n    mp.set_start_method('spawn')\nexcept ValueError:\n    pass",
        ["main.py:5 guardable"],
    ),
    "suppressed": (
        "import contextlib\nwith contextlib.suppress(RuntimeError):\n    mp.set_start_method('spawn')",
        [],
    ),
    "asked for": ("if mp.get_start_method(allow_none=True) != 'spawn':\n    mp.set_start_method('spawn')", []),
    "in the main process": ("if mp.parent_process() is None:\n    mp.set_start_method('spawn')", []),
    "under a guard of its own": ("if __name__ == '__main__':\n    mp.set_start_method('spawn')", []),
    "never reached": ("if False:\n    mp.set_start_method('spawn')", []),
    "a function of the project": ("def set_start_method(name):\n    pass\nset_start_method('spawn')", []),
    "a method of something": ("server.set_start_method('spawn')", []),
    "twice": (
        "def main():\n    mp.set_start_method('spawn')\n    mp.set_start_method('spawn')\n"
        "if __name__ == '__main__':\n    main()\n",
        ["main.py:6 after 5"],
    ),
    "at the top and again": (
        "mp.set_start_method('spawn', True)\ndef main():\n    mp.set_start_method('spawn')\n"
        "if __name__ == '__main__':\n    main()\n",
        ["main.py:6 after 4"],
    ),
    "once or once": (
        "if __name__ == '__main__':\n    if wanted():\n        mp.set_start_method('spawn')\n"
        "    else:\n        mp.set_start_method('fork')\n",
        [],
    ),
    "perhaps before": (
        "if __name__ == '__main__':\n    if wanted():\n        mp.set_start_method('spawn')\n"
        "    mp.set_start_method('fork')\n",
        [],
    ),
    "in a function that is called twice": (
        f"{MAIN}if __name__ == '__main__':\n    main()\n    main()\n",
        ["main.py:5 again by 9"],
    ),
    "in a function whose caller is called twice": (
        f"{MAIN}def run():\n    main()\nif __name__ == '__main__':\n    run()\n    run()\n",
        ["main.py:5 again by 11"],
    ),
    "in a function that is called once": (f"{MAIN}if __name__ == '__main__':\n    main()\n", []),
    "in a function that may be called again": (
        f"{MAIN}if __name__ == '__main__':\n    main()\n    if wanted():\n        main()\n",
        [],
    ),
    "in a function called twice that returns before": (
        "def main():\n    if ready():\n        return\n    mp.set_start_method('spawn')\n"
        "if __name__ == '__main__':\n    main()\n    main()\n",
        [],
    ),
    "in a function called twice, on a branch": (
        "def main():\n    if wanted():\n        mp.set_start_method('spawn')\n"
        "if __name__ == '__main__':\n    main()\n    main()\n",
        [],
    ),
    "in a function called twice that runs once": (
        f"import functools\n@functools.lru_cache\n{MAIN}if __name__ == '__main__':\n    main()\n    main()\n",
        [],
    ),
    "in a function called twice that ends the process": (
        f"{MAIN}    exit()\nif __name__ == '__main__':\n    main()\n    main()\n",
        [],
    ),
    "in a function whose second error is caught": (
        f"{MAIN}if __name__ == '__main__':\n    main()\n    try:\n        main()\n"
        "    except RuntimeError:\n        pass\n",
        [],
    ),
    "in a function that two processes call": (
        f"{MAIN}if __name__ == '__main__':\n    main()\n    mp.Process(target=main).start()\n",
        [],
    ),
    "forced in a function that is called twice": (
        "def main():\n    mp.set_start_method('spawn', force=True)\n"
        "if __name__ == '__main__':\n    main()\n    main()\n",
        [],
    ),
    "the second forced": (
        "if __name__ == '__main__':\n    mp.set_start_method('spawn')\n    mp.set_start_method('fork', force=True)\n",
        [],
    ),
    "in a module that the main module imports": (
        {
            "main.py": f"{HEAD}import workers\n{RUN}",
            "workers.py": "from multiprocessing import set_start_method\nset_start_method('spawn')\n",
        },
        ["workers.py:2 elsewhere"],
    ),
    "in a module that a function imports": (
        {
            "main.py": f"{HEAD}def late():\n    import workers\n{RUN}",
            "workers.py": "from multiprocessing import set_start_method\nset_start_method('spawn')\n",
        },
        [],
    ),
    "in a module imported under the guard": (
        {
            "main.py": f"{HEAD}if __name__ == '__main__':\n    import workers\n{RUN}",
            "workers.py": "from multiprocessing import set_start_method\nset_start_method('spawn')\n",
        },
        [],
    ),
    "in a module imported for types": (
        {
            "main.py": f"{HEAD}from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import workers\n{RUN}",
            "workers.py": "from multiprocessing import set_start_method\nset_start_method('spawn')\n",
        },
        [],
    ),
    "under the guard of another module": (
        {
            "main.py": f"{HEAD}import workers\n{RUN}",
            "workers.py": "import multiprocessing\nif __name__ == '__main__':\n"
            "    multiprocessing.set_start_method('spawn')\n",
        },
        [],
    ),
}


@pytest.mark.parametrize(("files", "expected"), CALLS.values(), ids=CALLS.keys())
def test_calls_that_raise(files: Files, expected: list[str]) -> None:
    assert calls(files) == expected


FOLLOWS = {
    "a module of the project": ("from locks import LOCK", True),
    "a module that nobody saw": ("import accelerate", True),
    "a lock": ("lock = mp.Lock()", True),
    "a function of the project": ("def prepare():\n    pass\nprepare()", True),
    "a module of Python's": ("import os", False),
    "a module of torch": ("import torch.nn as nn", False),
    "a function that is called later": ("def prepare():\n    mp.Lock()", False),
    "a lock under the guard": ("if __name__ == '__main__':\n    lock = mp.Lock()", False),
    "a number": ("size = int('4')", False),
}


@pytest.mark.parametrize(("text", "expected"), FOLLOWS.values(), ids=FOLLOWS.keys())
def test_what_follows_a_call(text: str, expected: bool) -> None:
    main = f"{HEAD}mp.set_start_method('spawn')\n{text}\n{RUN}"
    (loader,) = loaders_of({"main.py": main, "locks.py": "import multiprocessing as mp\nLOCK = mp.Lock()\n"})
    (call,) = loader.program.start_method_calls
    assert call.something_follows is expected
