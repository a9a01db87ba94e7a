"""Files and folders whose names tell the time with colons cannot be made on Windows."""

from __future__ import annotations

import pytest

from tests.linking.traced import traced

HEAD = "import datetime\nimport os\nimport time\nfrom datetime import datetime as dt\nfrom own import args, stamp\n"
LOADER = "\nDataLoader(data, num_workers=⟦2⟧)\n"

NAMED_AFTER_TIME = {
    "a text of now": "open(str(datetime.datetime.now()) + '.txt', 'w').write('started')",
    "in a folder": "out = open(os.path.join('logs', str(dt.now()) + '.txt'), 'w')",
    "in an f-string": "out = open(f'logs/{dt.now()}.txt', mode='a')",
    "a folder": "os.makedirs(os.path.join(args.out, f'run {dt.today()}'), exist_ok=True)",
    "a spelled time": "os.mkdir(dt.now().strftime('%Y-%m-%d %H:%M:%S'))",
    "a spelled time in an f-string": "os.mkdir(f'{args.out}/{dt.now().strftime(\"%H:%M:%S\")}')",
    "a time spelled by the module": "os.makedirs('logs/' + time.strftime('%T'))",
}
OTHERS = {
    "read": "open(str(dt.now()) + '.txt')",
    "without colons": "os.makedirs(dt.now().strftime('%Y-%m-%d_%H-%M-%S'))",
    "one colon": "open(dt.now().strftime('%H:%M'), 'w')",
    "colons taken away": "os.makedirs(str(dt.now()).replace(':', '-'))",
    "another way to spell it": "os.makedirs(f'{dt.now():%Y-%m-%d}')",
    "repr": "open(f'{stamp()!r}', 'w')",
    "what is not seen": "os.makedirs(str(stamp()))",
    "a number": "os.makedirs(str(dt.now().timestamp()))",
    "only written": "open('log.txt', 'w').write(str(dt.now()))",
    "printed": "print(str(dt.now()))",
    "another open": "args.open(str(dt.now()), 'w')",
    "on one way alone": "if args.log:\n    open(str(dt.now()), 'w')",
    "where the error is handled": "try:\n    os.mkdir(str(dt.now()))\nexcept OSError:\n    pass",
}


@pytest.mark.parametrize("statement", NAMED_AFTER_TIME.values(), ids=list(NAMED_AFTER_TIME))
def test_what_is_named_after_the_time_ends_a_program_on_windows(statement: str) -> None:
    assert traced(HEAD + statement + LOADER) == {"2 on linux, macos"}


@pytest.mark.parametrize("statement", OTHERS.values(), ids=list(OTHERS))
def test_other_files_and_folders_do_not(statement: str) -> None:
    assert traced(HEAD + statement + LOADER) == {"2"}


def test_it_does_so_in_a_function_that_is_called_before() -> None:
    started = "def start():\n    open(str(dt.now()), 'w').write('')\nstart()"
    assert traced(HEAD + started + LOADER) == {"2 on linux, macos"}
