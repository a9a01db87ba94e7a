"""Names of a module that its functions set by ``global``, read after functions of other files called those."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, met, traced

OPTIONS = "workers = {}\nahead = None\ndef setup(fast=True):\n    global workers, ahead\n{}"
ALWAYS = "    workers = {}\n    ahead = 4\n"
IF_FAST = "    if fast:\n        workers = {}\n        ahead = 4\n"
STOP = "def stop():\n    global workers\n    workers = 0\n"
LOADERS = f"""{IMPORT}import options
def load():
    DataLoader(d, num_workers=options.workers, prefetch_factor=options.ahead)
"""
COPIED = f"{IMPORT}from options import workers\ndef load():\n    DataLoader(d, num_workers=workers)\n"
METHOD = "class Setting:\n    def {}(self):\n        options.setup()\n"
PROCESSES = (
    "from multiprocessing import Process\nfrom threading import Thread\nfrom torch.multiprocessing import spawn\n"
)
MAIN = PROCESSES + "import options\nimport loaders\ndef main():\n{}if __name__ == '__main__':\n    main()\n"
FIRST = "    options.setup()\n    loaders.load()\n"


def program(options: str, main: str, loaders: str = LOADERS) -> dict[str, str]:
    return {"options.py": options, "loaders.py": loaders, "main.py": MAIN.format(main)}


SET = OPTIONS.format("0", ALWAYS.format("⟦2⟧"))
MAYBE_SET = OPTIONS.format("⟦0⟧", ALWAYS.format("⟦2⟧"))
UNSET = OPTIONS.format("⟦0⟧", ALWAYS.format("2"))

CASES: Cases = {
    "before": (program(SET, FIRST), {"2"}),
    "afterwards": (program(UNSET, "    loaders.load()\n    options.setup()\n"), {"0"}),
    "in some runs": (program(MAYBE_SET, "    if asked():\n        options.setup()\n    loaders.load()\n"), {"0", "2"}),
    "beside a function that nothing calls": (program(SET + STOP, FIRST), {"2"}),
    "before another one": (
        program(
            OPTIONS.format("1", ALWAYS.format("2")) + STOP.replace("= 0", "= ⟦0⟧"),
            "    options.setup()\n    options.stop()\n    loaders.load()\n",
        ),
        {"0"},
    ),
    "in what is called": (program(SET, "    start()\n    loaders.load()\ndef start():\n    options.setup()\n"), {"2"}),
    "in a branch that the call takes": (program(OPTIONS.format("0", IF_FAST.format("⟦2⟧")), FIRST), {"2"}),
    "in a branch that the call does not take": (
        program(OPTIONS.format("⟦0⟧", IF_FAST.format("2")), FIRST.replace("setup()", "setup(False)")),
        {"0"},
    ),
    "in a branch that nobody sees": (
        program(OPTIONS.format("⟦0⟧", IF_FAST.format("⟦2⟧")), FIRST.replace("setup()", "setup(asked())")),
        {"0", "2"},
    ),
    "where an error may keep a function from it": (
        program(
            OPTIONS.format(
                "⟦0⟧", "    try:\n        import fast\n        workers = ⟦2⟧\n    except ImportError:\n        pass\n"
            ),
            FIRST,
        ),
        {"0", "2"},
    ),
    "where an error may keep a run from calling it": (
        program(
            MAYBE_SET, "    try:\n        options.setup()\n    except OSError:\n        pass\n    loaders.load()\n"
        ),
        {"0", "2"},
    ),
    "where an error keeps a run from reading it too": (
        program(SET, "    try:\n        options.setup()\n        loaders.load()\n    except OSError:\n        pass\n"),
        {"2"},
    ),
    "by a function that is handed on": (
        program(MAYBE_SET, "    Thread(target=options.setup).start()\n    loaders.load()\n"),
        {"0", "2"},
    ),
    "by a function that its decorator hands on": (
        program(MAYBE_SET.replace("def setup", "@theirs.hook\ndef setup"), "    theirs.begin()\n    loaders.load()\n"),
        {"0", "2"},
    ),
    "by a method that a library calls": (
        program(
            MAYBE_SET,
            "    Setting().start()\n    loaders.load()\n" + METHOD.format("run").replace("ing:", "ing(Thread):"),
        ),
        {"0", "2"},
    ),
    "by a method that Python calls": (
        program(MAYBE_SET, "    list(Setting())\n    loaders.load()\n" + METHOD.format("__iter__")),
        {"0", "2"},
    ),
    "by a method that nothing calls": (program(UNSET, "    loaders.load()\n" + METHOD.format("begin")), {"0"}),
    "before another process reads it": (
        program(MAYBE_SET, "    options.setup()\n    Process(target=loaders.load).start()\n"),
        {"0", "2"},
    ),
    "in the process that reads it": (
        program(SET, "    spawn(work)\ndef work(rank):\n    options.setup()\n    loaders.load()\n"),
        {"2"},
    ),
    "in another process": (
        program(MAYBE_SET, "    Process(target=options.setup).start()\n    loaders.load()\n"),
        {"0", "2"},
    ),
    "before a thread reads it": (
        program(SET, "    options.setup()\n    Thread(target=loaders.load).start()\n"),
        {"2"},
    ),
    "in another program": (
        {
            **program(UNSET, "    loaders.load()\n"),
            "other.py": "import options\nif __name__ == '__main__':\n    options.setup()\n",
        },
        {"0"},
    ),
    "as a module is imported": (
        {**program(MAYBE_SET, "    loaders.load()\n"), "other.py": "import options\noptions.setup()\n"},
        {"0", "2"},
    ),
    "of a library": ({"options.py": MAYBE_SET, "loaders.py": LOADERS}, {"0", "2"}),
    "before a function of the same file": (
        {
            "options.py": f"{IMPORT}{SET}def load():\n    DataLoader(d, num_workers=workers)\n",
            "main.py": MAIN.replace("import loaders\n", "").format(FIRST.replace("loaders.", "options.")),
        },
        {"2"},
    ),
    "after it was copied": (program(UNSET, FIRST, COPIED), {"0"}),
    "before it is copied": (
        {
            "options.py": SET.replace("0", "⟦0⟧", 1),
            "loaders.py": COPIED,
            "main.py": "import options\noptions.setup()\nimport loaders\nloaders.load()\n",
        },
        {"0", "2"},
    ),
    "before a function that copies it": (
        {
            "options.py": MAYBE_SET,
            "loaders.py": COPIED,
            "main.py": MAIN.replace("import loaders\n", "").format(
                "    options.setup()\n    import loaders\n    loaders.load()\n"
            ),
        },
        {"0", "2"},
    ),
    "before it is read as a module is imported": (
        program(
            UNSET,
            FIRST,
            f"{IMPORT}import options\nn = options.workers\ndef load():\n    DataLoader(d, num_workers=n)\n",
        ),
        {"0"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_what_a_name_of_another_module_is_when_it_is_read(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


TOGETHER = {
    "by one call": (FIRST, {("2", "4")}),
    "by one call in some runs": (
        "    if asked():\n        options.setup()\n    loaders.load()\n",
        {("0", "None"), ("2", "4")},
    ),
    "in a branch that nobody sees": ("    options.setup(asked())\n    loaders.load()\n", {("0", "None"), ("2", "4")}),
    "before one of them is set again": (
        "    options.setup()\n    if asked():\n        options.stop()\n    loaders.load()\n",
        {("2", "4"), ("0", "4")},
    ),
}


@pytest.mark.parametrize(("main", "expected"), TOGETHER.values(), ids=TOGETHER.keys())
def test_names_that_are_set_together(main: str, expected: set[tuple[str, str]]) -> None:
    sets = IF_FAST if "asked())" in main else ALWAYS
    assert met(program(OPTIONS.format("0", sets.format("2")) + STOP, main)) == expected
