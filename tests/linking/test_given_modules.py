"""Modules that the user of a program names whole, out of the folders that it puts on the path for them."""

import pytest

from tests.linking.traced import IMPORT, Cases, traced

_HEAD = f"import argparse, importlib, sys\n{IMPORT}parser = argparse.ArgumentParser()\n"
_READ = (
    "cfg = importlib.import_module(args.config).cfg\n"
    "def load(cfg):\n    return DataLoader(1, num_workers=cfg.workers)\nload(cfg)\n"
)
_SETTINGS = "from types import SimpleNamespace\ncfg = SimpleNamespace()\ncfg.workers = {}\n"


def _program(path: str = "sys.path.append('configs')", option: str = "'-c', '--config'", read: str = _READ) -> str:
    return f"{_HEAD}{path}\nparser.add_argument({option})\nargs = parser.parse_args()\n{read}"


def _seen(program: str, folder: str = "") -> dict[str, str]:
    return {
        f"{folder}main.py": program,
        f"{folder}configs/small.py": _SETTINGS.format("⟦2⟧"),
        f"{folder}configs/large.py": _SETTINGS.format("⟦8⟧"),
    }


def _unseen(program: str) -> dict[str, str]:
    return {path: text.replace("⟦", "").replace("⟧", "") for path, text in _seen(program).items()}


CASES: Cases = {
    "text": (_seen(_program()), {"2", "8", "open"}),
    "of a type": (_seen(_program(option="'--config', type=str, required=True")), {"2", "8", "open"}),
    "below a folder": (_seen(_program(), "solution/"), {"2", "8", "open"}),
    "beside others that have no settings": ({**_seen(_program()), "configs/tools.py": "N = 1\n"}, {"2", "8", "open"}),
    "settings that begin with those of another": (
        {
            "main.py": _program(),
            "configs/usual.py": _SETTINGS.format("⟦8⟧"),
            "configs/large.py": "from usual import cfg\ncfg.size = 2\n",
        },
        {"8", "open"},
    ),
    "no folder on the path": (_unseen(_program("")), {"open"}),
    "another folder on the path": (_unseen(_program("sys.path.append('models')")), {"open"}),
    "a name that is not the user's": (_unseen(_program(read=_READ.replace("args.config", "chosen()"))), {"open"}),
    "something else of the module": (_unseen(_program(read=_READ.replace(".cfg", ".settings"))), {"open"}),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_a_module_that_the_user_names(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
