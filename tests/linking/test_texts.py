"""Texts that are taken apart and put together again: the name of a module and of what is in it, out of one text."""

import pytest

from tests.linking.traced import IMPORT, Files, traced

_LOADERS = {
    "pkg/__init__.py": "",
    "pkg/data.py": "def settings(count):\n    return {'num_workers': count}\n",
}


def _located(body: str, written: str = "'pkg.data.settings'") -> Files:
    main = (
        f"import importlib\n{IMPORT}def load(path):\n    {body}\n"
        f"DataLoader(data, num_workers=load({written})(⟦4⟧)['num_workers'])\n"
    )
    return {"main.py": main, **_LOADERS}


LOCATED = {
    "split once from its end": "module, name = path.rsplit('.', 1)",
    "split once from its end, by name": "module, name = path.rsplit('.', maxsplit=1)",
    "parted at the last sign": "module, _, name = path.rpartition('.')",
    "split, all but the last piece joined": "name = path.split('.')[-1]; module = '.'.join(path.split('.')[:-1])",
    "split, the rest joined": "*module, name = path.split('.'); module = '.'.join(module)",
}


@pytest.mark.parametrize("body", LOCATED.values(), ids=LOCATED.keys())
def test_what_is_looked_up_by_a_text_with_its_module(body: str) -> None:
    assert traced(_located(f"{body}\n    return getattr(importlib.import_module(module), name)")) == {"4"}


def test_what_a_library_looks_up_by_a_text() -> None:
    assert traced(_located("import pydoc\n    return pydoc.locate(path)")) == {"4"}


def test_what_a_file_looks_up_in_itself() -> None:
    text = (
        f"import importlib\n{IMPORT}def settings(count):\n    return {{'num_workers': count}}\ndef load(path):\n"
        "    module, name = path.rsplit('.', 1)\n    return getattr(importlib.import_module(module), name)\n"
        "DataLoader(data, num_workers=load('main.settings')(⟦4⟧)['num_workers'])\n"
    )
    assert traced({"main.py": text}) == {"4"}


def test_what_a_script_looks_up_in_itself() -> None:
    text = _located("module, name = path.rsplit('.', 1)\n    return getattr(importlib.import_module(module), name)")
    assert isinstance(text, dict)
    main = text["main.py"].replace("pkg.data", "main")
    assert traced({"main.py": f"{text['pkg/data.py']}{main}"}) == {"4"}


OTHERS = {
    "parted at the first sign": "module, _, name = path.partition('.')",
    "all but the first piece": "name = path.split('.')[-1]; module = '.'.join(path.split('.')[1:])",
    "split at nothing": "module, name = path.rsplit('', 1)",
    "split at what nobody saw": "module, name = path.rsplit(sign, 1)",
    "cut where nobody saw": "name = path.split('.')[-1]; module = '.'.join(path.split('.')[:end])",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_what_is_looked_up_by_another_text_is_not_seen(body: str) -> None:
    text = _located(f"{body}\n    return getattr(importlib.import_module(module), name)")
    assert isinstance(text, dict)
    files = {path: one.replace("⟦", "").replace("⟧", "") for path, one in text.items()}
    assert traced(files) == {"open"}


PIECES: dict[str, tuple[str, set[str]]] = {
    "the pieces of a text": ("sizes = ⟦'2,4'.split(',')⟧\nDataLoader(data, num_workers=int(sizes[1]))", {"4 shared"}),
    "part of a list": ("sizes = [2, ⟦4⟧, 8]\nDataLoader(data, num_workers=sizes[:-1][-1])", {"4"}),
    "part of a list from an end that was not seen": (
        "sizes = [2, 4, 8]\nDataLoader(data, num_workers=sizes[start:][0])",
        {"open"},
    ),
    "part of a list with no step": ("sizes = [2, 4, 8]\nDataLoader(data, num_workers=sizes[::0][0])", {"open"}),
    "part of a list that is longer than it": ("sizes = [2, ⟦4⟧]\nDataLoader(data, num_workers=sizes[1:9][0])", {"4"}),
    "one of two lists": (
        "sizes = [2, ⟦4⟧] if quick else [2, ⟦8⟧, 16]\nDataLoader(data, num_workers=sizes[:2][-1])",
        {"4", "8"},
    ),
    "a list that is added to later": (
        "sizes = [2, ⟦4⟧]\nfirst = sizes[:2]\nsizes.append(8)\nDataLoader(data, num_workers=first[-1])",
        {"4"},
    ),
    "a list that was added to": (
        "sizes = [2]\nsizes.append(⟦4⟧)\nDataLoader(data, num_workers=sizes[:2][-1])",
        {"4"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), PIECES.values(), ids=PIECES.keys())
def test_parts_of_rows_and_texts(text: str, expected: set[str]) -> None:
    assert traced(text) == expected
