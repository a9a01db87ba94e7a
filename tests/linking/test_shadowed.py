from __future__ import annotations

import pytest

from tests.linking.traced import Files, loaders_of

SHADOWED: dict[str, tuple[Files, list[tuple[str, str, str]]]] = {
    "a dictionary that is splatted": (
        "o = {'num_workers': 2, 'num_workers': 4}\nDataLoader(d, **o)",
        [("num_workers", "2", "4")],
    ),
    "a dictionary that is read": (
        "o = {'workers': 2, 'other': 1, 'workers': 4}\nDataLoader(d, num_workers=o['workers'])",
        [("num_workers", "2", "4")],
    ),
    "by what comes from elsewhere": (
        "def f(n=1):\n    o = {'num_workers': 2, 'pin_memory': True, 'num_workers': n}\n"
        "    return DataLoader(d, **o)\nf(8)",
        [("num_workers", "2", "n")],
    ),
    "in one of two arms": (
        "def f(n):\n    o = {'num_workers': 2, 'num_workers': n} if cuda else {}\n    return DataLoader(d, **o)\nf(8)",
        [("num_workers", "2", "n")],
    ),
    "what comes from elsewhere, once": (
        "def f(n):\n    o = {'num_workers': n, 'pin_memory': True}\n    return DataLoader(d, **o)\nf(8)",
        [],
    ),
    "the same from elsewhere twice": (
        "def f(n):\n    o = {'num_workers': n, 'num_workers': n}\n    return DataLoader(d, **o)\nf(8)",
        [],
    ),
    "the mapping around it": (
        "inner = {'num_workers': 4}\no = {'data': {'num_workers': 2}, 'data': inner}\nDataLoader(d, **o['data'])",
        [],
    ),
    "three times": (
        "o = {'num_workers': 2, 'num_workers': 3, 'num_workers': 4}\nDataLoader(d, **o)",
        [("num_workers", "2", "4"), ("num_workers", "3", "4")],
    ),
    "the same value twice": ("o = {'num_workers': 4, 'num_workers': 4}\nDataLoader(d, **o)", []),
    "once": ("o = {'num_workers': 4}\nDataLoader(d, **o)", []),
    "in two dictionaries": ("o = {'num_workers': 4}\nDataLoader(d, **{**o, 'num_workers': 2})", []),
    "another key": ("o = {'a': 1, 'num_workers': 4, 'a': 2}\nDataLoader(d, **o)", []),
    "a mapping of a configuration": (
        {"a.yaml": "data:\n  num_workers: 2\n  batch_size: 8\n  num_workers: 4\n"},
        [("num_workers", "2", "4")],
    ),
    "a merged mapping": (
        {"a.yaml": "base: &base\n  num_workers: 2\n  batch_size: 8\ndata:\n  <<: *base\n  num_workers: 4\n"},
        [],
    ),
    "JSON": (
        {"a.json": '{"data": {"num_workers": 2, "batch_size": 8, "num_workers": 4}}'},
        [("num_workers", "2", "4")],
    ),
}


@pytest.mark.parametrize(("files", "expected"), SHADOWED.values(), ids=SHADOWED.keys())
def test_what_is_lost_where_a_key_stands_twice(files: Files, expected: list[tuple[str, str, str]]) -> None:
    lost = {one.span: (one.option, one.what, one.kept) for loader in loaders_of(files) for one in loader.shadowed}
    assert [lost[span] for span in sorted(lost)] == expected
