"""Classes with type parameters: ``Base[T]`` is inherited from, and called, as the class itself."""

from __future__ import annotations

import sys

import pytest

from tests.linking.traced import Cases, traced

GENERIC: Cases = {
    "one that is inherited from": (
        """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Base(Generic[T]):
            def __init__(self, workers=1):
                self.workers = workers
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        class Own(Base[int]):
            def __init__(self):
                super().__init__(workers=⟦3⟧)
        Own().load(1)
        """,
        {"3"},
    ),
    "one far above": (
        """
        from typing import Generic, Protocol, TypeVar
        T = TypeVar("T")
        S = TypeVar("S")
        class Shape(Generic[T, S], Protocol[T, S]):
            data: T
        class Base(Shape[T, S]):
            workers = ⟦2⟧
        class Own(Base[int, str]):
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        Own().load(1)
        """,
        {"2"},
    ),
    "one that is called": (
        """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Options(Generic[T]):
            def __init__(self, workers):
                self.workers = workers
        DataLoader(1, num_workers=Options[int](⟦5⟧).workers)
        """,
        {"5"},
    ),
}
OTHERS: Cases = {
    "a class that says itself what it gives": (
        """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Base(Generic[T]):
            def __class_getitem__(cls, kind):
                return made_for(kind)
            def __init__(self, workers=1):
                self.workers = workers
        class Own(Base[int]):
            def load(self, data):
                return DataLoader(data, num_workers=self.workers)
        Own(4).load(1)
        """,
        {"open"},
    ),
    "a class whose metaclass says what it gives": (
        """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Made(type):
            def __getitem__(cls, kind):
                return made_for(kind)
        class Base(Generic[T], metaclass=Made):
            workers = 1
        DataLoader(1, num_workers=Base[int].workers)
        """,
        {"open"},
    ),
    "an enumeration, which gives its member": (
        """
        from enum import Enum
        class Sizes(Enum):
            workers = 1
            few = 2
        DataLoader(1, num_workers=Sizes["few"].workers)
        """,
        {"open"},
    ),
    "a class without type parameters": (
        """
        class Base(Library):
            workers = 1
        DataLoader(1, num_workers=Base[int].workers)
        """,
        {"open"},
    ),
}


OWN_PARAMETERS = """
class Base[T]:
    def __init__(self, workers):
        self.workers = workers
class Own(Base[int]):
    def load(self, data):
        return DataLoader(data, num_workers=self.workers)
Own(⟦4⟧).load(1)
"""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are read by Python 3.12 (PEP 695)")
def test_a_class_with_type_parameters_of_its_own_is_the_class() -> None:
    assert traced(OWN_PARAMETERS) == {"4"}


@pytest.mark.parametrize(("code", "workers"), GENERIC.values(), ids=GENERIC.keys())
def test_a_class_of_a_type_is_the_class(code: str, workers: set[str]) -> None:
    assert traced(code) == workers


@pytest.mark.parametrize(("code", "workers"), OTHERS.values(), ids=OTHERS.keys())
def test_what_else_a_class_gives_for_a_key_is_open(code: str, workers: set[str]) -> None:
    assert traced(code) == workers
