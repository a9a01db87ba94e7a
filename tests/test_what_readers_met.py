"""What people met when they first used loaderlint or read its code, each kept as the smallest program that shows it."""

from __future__ import annotations

import pytest

from loaderlint.model.finding import Confidence
from tests.conftest import WriteFiles
from tests.running import found, linted, mended

IMPORT = "from torch.utils.data import DataLoader\n"
MAIN = f"{IMPORT}def main():\n    for batch in DataLoader([1], num_workers=2):\n        pass\n"


@pytest.mark.parametrize(
    "guard",
    [
        'is_main = __name__ == "__main__"\nif is_main:\n    main()\n',
        'if __name__ != "__main__":\n    pass\nelse:\n    main()\n',
        'if __name__.endswith("__main__"):\n    main()\n',
    ],
)
def test_a_guard_is_known_by_what_it_comes_to_in_a_worker(guard: str, project: WriteFiles) -> None:
    project({"train.py": MAIN + guard})
    assert found(linted(select=["LL102"])) == []


@pytest.mark.parametrize("test", ['if __name__ != "__main__":\n    main()\n', "if ready():\n    main()\n"])
def test_another_condition_is_no_guard(test: str, project: WriteFiles) -> None:
    project({"train.py": MAIN + test})
    assert found(linted(select=["LL102"])) == ["LL102 train.py:6"]


def test_an_iteration_whose_error_is_caught_is_likely_at_most(project: WriteFiles) -> None:
    project({"train.py": f"{MAIN}try:\n    main()\nexcept RuntimeError:\n    pass\n"})
    (finding,) = linted(select=["LL102"]).findings
    assert (finding.confidence, finding.error) == (Confidence.LIKELY, None)


@pytest.mark.parametrize(
    "text",
    [
        'def fill(k):\n    k["num_workers"] = 4\ndef go():\n    k = dict(prefetch_factor=2)\n    fill(k)\n'
        "    DataLoader([1], **k)\n",
        'K = dict(prefetch_factor=2)\ndef setup():\n    K["num_workers"] = 4\ndef go():\n    DataLoader([1], **K)\n',
    ],
)
def test_a_dictionary_that_something_else_fills_may_hold_workers(text: str, project: WriteFiles) -> None:
    project({"train.py": IMPORT + text})
    assert found(linted(select=["LL201"])) == []


def test_a_dictionary_that_nothing_else_fills_holds_what_was_seen(project: WriteFiles) -> None:
    project({"train.py": f"{IMPORT}def go():\n    k = dict(prefetch_factor=2)\n    DataLoader([1], **k)\n"})
    assert found(linted(select=["LL201"])) == ["LL201 train.py:3"]


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\nwith pytest.raises(ValueError):\n    DataLoader([1], prefetch_factor=2)\n",
        "unit.assertRaises(ValueError, lambda: DataLoader([1], prefetch_factor=2))\n",
    ],
)
def test_a_loader_that_a_test_expects_to_fail_is_none(project: WriteFiles, text: str) -> None:
    project({"train.py": IMPORT + text})
    assert found(linted(select=["LL201"])) == []


def test_an_option_that_was_not_seen_is_dropped_with_the_workers(project: WriteFiles) -> None:
    project({"train.py": f"{IMPORT}DataLoader([1], num_workers=4, prefetch_factor=factor())\n"})
    report = mended(select=["LL101"])
    assert report.rewritten["train.py"].decode().endswith("DataLoader([1], num_workers=0, prefetch_factor=None)\n")


def test_a_splat_that_was_not_seen_makes_the_fix_unsafe(project: WriteFiles) -> None:
    project({"train.py": f"{IMPORT}def go(**more):\n    DataLoader([1], num_workers=4, **more)\n"})
    (finding,) = linted(select=["LL101"]).findings
    assert finding.fix is not None
    assert not finding.fix.safe


def test_settings_beside_files_that_nobody_named_are_not_read(project: WriteFiles) -> None:
    project(
        {
            "pyproject.toml": "",
            "tests/bad/loaderlint.toml": "bogus = 1\n",
            "tests/bad/one.py": f"{IMPORT}DataLoader([1])\n",
            "src/train.py": f"{IMPORT}DataLoader([1], num_workers=2)\n",
        }
    )
    assert found(linted("src")) == ["LL101 src/train.py:2"]


def test_an_ignore_for_a_gpu_is_not_unused_where_there_is_none(project: WriteFiles) -> None:
    text = (
        f"{IMPORT}class Images:\n    def __getitem__(self, i):\n"
        "        return load(i).cuda()  # loaderlint: ignore[LL105]\n"
        "def go():\n    DataLoader(Images(), num_workers=2)\n"
    )
    project({"train.py": text})
    assert found(linted(platforms=("linux",), accelerator="cpu", select=["LL105", "LL901"])) == []
