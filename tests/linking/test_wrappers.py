from __future__ import annotations

from textwrap import dedent

import pytest

from loaderlint.model.payload import Payload
from tests.linking.traced import loaders_of

HEAD = """
import functools
from functools import wraps
from torch.utils.data import Dataset
class Numbers(Dataset):
    def __init__(self, transform=None):
        self.transform = transform
    def __getitem__(self, index):
        return index
"""
TIMED = """
def timed(function):
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner
@timed
def keep(batch):
    return batch
"""
WRAPS = TIMED.replace("    def inner", "    @wraps(function)\n    def inner")
RETRY = """
def retry(times):
    def decorate(function):
        def run(*args):
            return function(*args)
        return run
    return decorate
@retry(3)
def keep(batch):
    return batch
"""
SINGLETON = """
def singleton(kind):
    class Wrapped(kind):
        pass
    return Wrapped
@singleton
class Points(Dataset):
    def __getitem__(self, index):
        return index
"""
USES = "DataLoader(Numbers(), collate_fn=keep)"


def payload(text: str) -> Payload:
    (loader,) = loaders_of(HEAD + dedent(text))
    return loader.payload


LOCAL: dict[str, tuple[str, str]] = {
    "a function": (TIMED + USES, "function keep given as collate_fn by timed"),
    "a function for the workers' start": (
        TIMED + "DataLoader(Numbers(), worker_init_fn=keep)",
        "function keep given as worker_init_fn by timed",
    ),
    "a function that a data set keeps": (
        TIMED + "DataLoader(Numbers(keep))",
        "function keep given as transform by timed",
    ),
    "a function in a partial": (
        TIMED + "DataLoader(Numbers(), collate_fn=functools.partial(keep, 2))",
        "function keep given as collate_fn by timed",
    ),
    "a function of a decorator with arguments": (RETRY + USES, "function keep given as collate_fn by retry(3)"),
    "a lambda of a decorator": (
        "def timed(f):\n    return lambda *a: f(*a)\n@timed\ndef keep(batch):\n    return batch\n" + USES,
        "function keep given as collate_fn by timed",
    ),
    "a function that another decorator keeps": (
        TIMED.replace("@timed", "def noted(f):\n    print(f)\n    return f\n@noted\n@timed") + USES,
        "function keep given as collate_fn by timed",
    ),
    "a function whose name another decorator gives on": (
        WRAPS.replace("@timed", "@timed\n@hidden").replace(
            "def timed", TIMED.split("@")[0].replace("timed", "hidden") + "def timed"
        )
        + USES,
        "function keep given as collate_fn by hidden",
    ),
    "a class": (SINGLETON + "DataLoader(Points())", "class Points given as dataset by singleton"),
}


@pytest.mark.parametrize(("text", "expected"), LOCAL.values(), ids=LOCAL.keys())
def test_a_decorator_gives_what_is_not_pickled_by_name(text: str, expected: str) -> None:
    (found,) = payload(text).unpicklable
    assert f"{found.kind} {found.name} {found.handed} by {found.decorator}" == expected


KEEP: dict[str, str] = {
    "one that wraps": WRAPS,
    "one that wraps, by its whole name": WRAPS.replace("@wraps", "@functools.wraps"),
    "one that updates the wrapper": TIMED.replace(
        "return inner", "functools.update_wrapper(inner, function)\n    return inner"
    ),
    "one that gives the updated wrapper": TIMED.replace(
        "return inner", "return functools.update_wrapper(inner, function)"
    ),
    "one that gives the wrapped": TIMED.replace("return inner", "return wraps(function)(inner)"),
    "one with arguments that wraps": RETRY.replace("        def run", "        @wraps(function)\n        def run"),
    "one that notes the function": """
KNOWN = []
def note(function):
    KNOWN.append(function)
    return function
@note
def keep(batch):
    return batch
""",
    "one that is called with its function or without": """
KNOWN = {}
def note(function=None):
    if function is None:
        def decorate(given):
            KNOWN[given] = True
            return given
        return decorate
    return function
@note
def keep(batch):
    return batch
""",
    "one of a registry": """
class Registry:
    def __init__(self):
        self.known = {}
    def register(self, name):
        def decorate(made):
            self.known[name] = made
            return made
        return decorate
KNOWN = Registry()
@KNOWN.register("keep")
def keep(batch):
    return batch
""",
    "one of a library": "import torch\n@torch.no_grad()\ndef keep(batch):\n    return batch\n",
    "one of Python's own": "@functools.lru_cache(maxsize=None)\ndef keep(batch):\n    return batch\n",
}


@pytest.mark.parametrize("text", KEEP.values(), ids=KEEP.keys())
def test_a_decorator_gives_what_is_pickled_by_name(text: str) -> None:
    found = payload(text + USES)
    assert found.unpicklable == ()
    assert found.seen


def test_a_class_that_is_decorated_pickles_where_the_decorator_gives_it_back() -> None:
    found = payload(SINGLETON.replace("return Wrapped", "return kind") + "DataLoader(Points())")
    assert (found.unpicklable, found.seen) == ((), True)


@pytest.mark.parametrize(
    "own", ["__qualname__ = kind.__qualname__", "def __reduce__(self):\n            return Points, ()"]
)
def test_a_local_class_that_says_how_it_is_pickled_may_be(own: str) -> None:
    found = payload(
        SINGLETON.replace("class Wrapped(kind):", f"class Wrapped(kind):\n        {own}") + "DataLoader(Points())"
    )
    assert found.unpicklable == ()


UNSEEN: dict[str, str] = {
    "one that renames": TIMED.replace("return inner", "inner.__qualname__ = function.__qualname__\n    return inner"),
    "one that updates the wrapper by name": TIMED.replace(
        "return inner", "functools.update_wrapper(wrapper=inner, wrapped=function)\n    return inner"
    ),
    "one that hands the wrapper on": TIMED.replace("return inner", "rename(inner)\n    return inner"),
    "one that gives one of two": TIMED.replace("return inner", "if off:\n        return function\n    return inner"),
    "one that gives an object": TIMED.replace("return inner", "return Numbers(inner)"),
    "one that a decorator makes": TIMED.replace("def timed", "from decorator import decorator\n@decorator\ndef timed"),
    "a class": """
class Timed:
    def __init__(self, function):
        self.function = function
@Timed
def keep(batch):
    return batch
""",
    "one that wraps in part": WRAPS.replace("wraps(function)", "wraps(function, assigned=['__doc__'])"),
    "one that is called by hand": WRAPS.replace("@timed", "") + "keep = timed(keep)\n",
    "one that wraps another": WRAPS.replace("wraps(function)", "wraps(print)"),
}


@pytest.mark.parametrize("text", UNSEEN.values(), ids=UNSEEN.keys())
def test_what_a_decorator_gives_may_not_be_seen(text: str) -> None:
    found = payload(text + USES)
    assert found.unpicklable == ()
    assert not found.seen


def test_a_method_that_is_decorated_may_not_be_pickled() -> None:
    held = dedent(TIMED.split("@")[0]) + (
        "class Letters(Dataset):\n    @timed\n    def keep(self, batch):\n        return batch\n"
        "data = Letters()\nDataLoader(data, collate_fn=data.keep)"
    )
    assert not payload(held).seen
    assert payload(held.replace("    @timed\n", "")).seen
