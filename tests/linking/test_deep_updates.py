"""Functions of a project that lay one dictionary of dictionaries over another."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

UPDATE = """
import collections.abc
def update(under, over):
    for key, value in over.items():
        if isinstance(value, collections.abc.Mapping):
            under[key] = update(under.get(key, {}), value)
        else:
            under[key] = value
    return under
"""
IN_PLACE = """
def merge(under, over):
    \"\"\"Go into what is nested.\"\"\"
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(under.get(key), dict):
            merge(under[key], value)
        else:
            under[key] = value
"""
ROOM = """
def merge(under, over):
    import math
    for key, value in over.items():
        if key not in under:
            under[key] = dict()
        if isinstance(value, dict):
            merge(under[key], value)
        else:
            under[key] = value
"""
FILE = f"{IMPORT}import yaml\n{UPDATE}own = yaml.safe_load(open('c.yaml'))\n"
LOADER = "DataLoader(d, num_workers=c['data']['n'])\n"

CASES: Cases = {
    "a value is replaced": (f"{UPDATE}c = update({{'data': {{'n': 0}}}}, {{'data': {{'n': ⟦8⟧}}}})\n{LOADER}", {"8"}),
    "a value beside it is kept": (
        f"{UPDATE}c = update({{'data': {{'n': ⟦4⟧}}}}, {{'data': {{'m': 8}}, 'n': 2}})\n{LOADER}",
        {"4"},
    ),
    "a value is new": (f"{UPDATE}c = update({{}}, {{'data': {{'n': ⟦8⟧}}}})\n{LOADER}", {"8"}),
    "the first dictionary itself is changed": (
        f"{UPDATE}c = {{'data': {{'n': 0}}}}\nupdate(c, {{'data': {{'n': ⟦8⟧}}}})\n{LOADER}",
        {"8"},
    ),
    "it gives nothing back": (
        f"{IN_PLACE}c = {{'data': {{'n': 0, 'm': 1}}}}\nmerge(c, {{'data': {{'n': ⟦8⟧}}}})\n{LOADER}",
        {"8"},
    ),
    "it makes room first": (
        f"{ROOM}c = {{'data': {{'n': 0}}}}\nmerge(c, {{'data': {{'n': ⟦8⟧}}, 'more': {{'m': 1}}}})\n{LOADER}",
        {"8"},
    ),
    "a file is laid over defaults": (
        {
            "main.py": f"{FILE}c = update({{'data': {{'n': 0}}}}, own)\n{LOADER}",
            "c.yaml": "data:\n  n: ⟦4⟧\n",
        },
        {"4"},
    ),
    "a file leaves the default": (
        {
            "main.py": f"{FILE}c = update({{'data': {{'n': ⟦2⟧}}}}, own)\n{LOADER}",
            "c.yaml": "data:\n  m: 4\n",
        },
        {"2"},
    ),
    "defaults are laid over a file": (
        {
            "main.py": f"{FILE}c = update(own, {{'data': {{'m': 0}}}})\n{LOADER}",
            "c.yaml": "data:\n  n: ⟦4⟧\n",
        },
        {"4"},
    ),
    "something that was not seen may replace each value": (
        f"{UPDATE}c = update({{'data': {{'n': ⟦4⟧}}}}, ask())\n{LOADER}",
        {"4", "open"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_function_lays_over_a_dictionary_is_seen_in_it(case: str) -> None:
    files, expected = CASES[case]
    assert traced(files) == expected


OTHERS = {
    "it sets something else": UPDATE.replace("under[key] = value", "under[key] = value + ask()"),
    "it goes into the other dictionary": UPDATE.replace("under.get(key, {})", "over.get(key, {})"),
    "it calls another function": UPDATE.replace("= update(", "= ask("),
    "it asks for something else": UPDATE.replace("isinstance(value, collections.abc.Mapping)", "key in ask()"),
    "it takes away what stood there": UPDATE.replace(
        "        if isinstance", "        if key not in over:\n            under[key] = {}\n        if isinstance"
    ),
    "it does more": UPDATE.replace("    return under", "    under.clear()\n    return under"),
    "it gives back the other dictionary": UPDATE.replace("    return under", "    return ask(over)"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_function_that_does_anything_else_leaves_a_value_open(other: str) -> None:
    assert OTHERS[other] != UPDATE
    found = traced(f"{OTHERS[other]}c = update({{'data': {{'n': 0}}}}, {{'data': {{'n': 8}}}})\n{LOADER}")
    assert "open" in found
