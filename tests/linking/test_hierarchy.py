"""Objects known only by a base class: the subclasses that somebody really makes decide."""

from __future__ import annotations

import pytest

from loaderlint.linking.following import callers
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class
from loaderlint.readers.python import PythonFacts, Scope
from tests.linking.traced import IMPORT, Cases, traced

BASE = """
class Base:
    workers = 4
    def load(self):
        return DataLoader(data, num_workers=self.workers)
"""

FAMILIES: Cases = {
    "an attribute that every class made replaces": (
        BASE + "class One(Base):\n    workers = ⟦8⟧\nclass Two(Base):\n    workers = ⟦2⟧\nOne().load()\nTwo().load()\n",
        {"8", "2"},
    ),
    "an attribute that some class made keeps": (
        BASE.replace("4", "⟦4⟧")
        + "class One(Base):\n    workers = ⟦8⟧\nclass Two(Base):\n    pass\nOne().load()\nTwo().load()\n",
        {"8", "4"},
    ),
    "a class that nobody makes": (
        BASE + "class One(Base):\n    workers = ⟦8⟧\nclass Two(Base):\n    workers = 2\nOne().load()\n",
        {"8"},
    ),
    "a family nobody makes": (
        BASE.replace("4", "⟦4⟧") + "class One(Base):\n    workers = ⟦8⟧\n",
        {"8", "4"},
    ),
    "the base is made, too": (
        BASE.replace("4", "⟦4⟧") + "class One(Base):\n    workers = ⟦8⟧\nOne().load()\nBase().load()\n",
        {"8", "4"},
    ),
    "a subclass of a subclass": (
        BASE + "class One(Base):\n    workers = 2\nclass More(One):\n    workers = ⟦8⟧\nMore().load()\n",
        {"8"},
    ),
    "a hook of an abstract base": (
        """
        from abc import ABC, abstractmethod
        class Base(ABC):
            @abstractmethod
            def workers(self):
                ...
            def load(self):
                return DataLoader(data, num_workers=self.workers())
        class One(Base):
            def workers(self):
                return ⟦8⟧
        One().load()
        """,
        {"8"},
    ),
    "a hook that is handed its arguments": (
        """
        class Base:
            def make(self, workers):
                raise NotImplementedError
            def fit(self):
                return self.make(⟦8⟧)
        class One(Base):
            def make(self, workers=4):
                return DataLoader(data, num_workers=workers)
        One().fit()
        """,
        {"8"},
    ),
    "an attribute that each constructor sets": (
        """
        class Base:
            def load(self):
                return DataLoader(data, num_workers=self.workers)
        class One(Base):
            def __init__(self):
                self.workers = ⟦8⟧
        class Two(Base):
            def __init__(self, workers):
                self.workers = workers
        One().load()
        Two(⟦2⟧).load()
        """,
        {"8", "2"},
    ),
    "through two constructors": (
        """
        class Base:
            def __init__(self, workers):
                self.workers = workers
            def load(self):
                return DataLoader(data, num_workers=self.workers)
        class Middle(Base):
            def __init__(self, workers=4, **more):
                super().__init__(workers=workers)
        class One(Middle):
            def __init__(self, **more):
                super().__init__(**more)
        One(workers=⟦8⟧).load()
        """,
        {"8"},
    ),
    "through a class without a constructor": (
        """
        class Base:
            def __init__(self, workers):
                self.workers = workers
            def load(self):
                return DataLoader(data, num_workers=self.workers)
        class Middle(Base):
            pass
        class One(Middle):
            def __init__(self):
                super().__init__(⟦8⟧)
        One().load()
        """,
        {"8"},
    ),
    "the base's constructor by name": (
        """
        class Base:
            def __init__(self, workers):
                self.workers = workers
            def load(self):
                return DataLoader(data, num_workers=self.workers)
        class One(Base):
            def __init__(self):
                Base.__init__(self, ⟦8⟧)
        One().load()
        """,
        {"8"},
    ),
    "a mixin": (
        """
        class Loading:
            def load(self):
                return DataLoader(data, num_workers=self.workers)
        class One(Loading):
            workers = ⟦8⟧
        One().load()
        """,
        {"8"},
    ),
    "a method that the base's own is called by": (
        """
        class Base:
            def load(self, workers=4):
                return DataLoader(data, num_workers=workers)
        class One(Base):
            def load(self):
                return super().load(⟦8⟧)
        One().load()
        """,
        {"8"},
    ),
    "in files of their own": (
        {
            "base.py": IMPORT + BASE,
            "one.py": "from base import Base as Parent\nclass One(Parent):\n    workers = ⟦8⟧\n",
            "main.py": "from one import One\nOne().load()\n",
        },
        {"8"},
    ),
    "a class that puts another method in the place of this one": (
        BASE.replace("4", "⟦4⟧")
        + """
class One(Base):
    workers = 8
    def load(self):
        return None
One().load()
Base().load()
""",
        {"4"},
    ),
    "a class whose own method calls this one": (
        BASE.replace("4", "⟦4⟧")
        + """
class One(Base):
    workers = ⟦8⟧
    def load(self):
        return super().load()
One().load()
Base().load()
""",
        {"8", "4"},
    ),
    "a class whose own method calls this one by the base's name": (
        BASE.replace("4", "⟦4⟧")
        + """
class One(Base):
    workers = ⟦8⟧
    def load(self):
        return Base.load(self)
One().load()
Base().load()
""",
        {"8", "4"},
    ),
    "a class that calls this method by another one of its own": (
        BASE.replace("4", "⟦4⟧")
        + """
class One(Base):
    workers = ⟦8⟧
    def load(self):
        return None
    def other(self):
        return super().load()
One().other()
Base().load()
""",
        {"8", "4"},
    ),
    "a class that puts another method in the place of this one on some platform": (
        BASE.replace("4", "⟦4⟧")
        + """
import os
class One(Base):
    workers = ⟦8⟧
    if os.environ.get("FAST"):
        def load(self):
            return None
One().load()
Base().load()
""",
        {"8", "4"},
    ),
    "a class below one that puts another method in the place of this one": (
        BASE.replace("4", "⟦4⟧")
        + """
class Middle(Base):
    def load(self):
        return None
class One(Middle):
    workers = 8
    def load(self):
        return super().load()
One().load()
Base().load()
""",
        {"4"},
    ),
    "a method of a name that each class has for itself": (
        """
        class Base:
            workers = ⟦4⟧
            def load(self):
                return self.__load()
            def __load(self):
                return DataLoader(data, num_workers=self.workers)
        class One(Base):
            workers = ⟦8⟧
            def __load(self):
                return None
        One().load()
        Base().load()
        """,
        {"8", "4"},
    ),
    "what a method gives an attribute, and another in its place": (
        """
        class Base:
            def __init__(self):
                self.setup()
            def setup(self):
                self.workers = 4
            def load(self):
                return DataLoader(data, num_workers=self.workers)
        class One(Base):
            def setup(self):
                self.workers = ⟦8⟧
        One().load()
        """,
        {"8"},
    ),
    "what a method gives an attribute, and what another one adds": (
        """
        class Base:
            def __init__(self):
                self.setup()
            def setup(self):
                self.workers = ⟦4⟧
            def load(self):
                return DataLoader(data, num_workers=self.workers)
        class One(Base):
            def setup(self):
                super().setup()
                self.more = 8
        One().load()
        """,
        {"4"},
    ),
    "what a constructor gives an attribute that a class has another one for": (
        """
        class Base:
            workers = ⟦2⟧
            def __init__(self):
                self.workers = 4
            def load(self):
                return DataLoader(data, num_workers=self.workers)
        class One(Base):
            def __init__(self):
                self.more = 8
        One().load()
        """,
        {"2"},
    ),
    "a property that a class has for itself": (
        """
        class Base:
            workers = ⟦4⟧
            @property
            def options(self):
                return dict(num_workers=self.workers)
            def load(self):
                return DataLoader(data, **self.options)
        class One(Base):
            workers = 8
            @property
            def options(self):
                return dict(num_workers=⟦1⟧)
        One().load()
        Base().load()
        """,
        {"4", "1"},
    ),
    "two options of one class meet": (
        BASE.replace("num_workers=self.workers", "num_workers=self.workers, batch_size=self.size")
        + "class One(Base):\n    workers = ⟦8⟧\n    size = 1\nOne().load()\n",
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FAMILIES.values(), ids=FAMILIES.keys())
def test_families_of_classes(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


_BASE = "class Base:\n    def __init__(self, workers=⟦{0}⟧):\n        self.workers = workers\n"
_LOAD = "    def load(self):\n        return DataLoader(data, num_workers=self.workers)\n"

CONSTRUCTED: Cases = {
    "by a constructor that hands something up": (
        _BASE.format(1).replace("⟦1⟧", "1")
        + "class A(Base):\n    def __init__(self):\n        super().__init__(⟦2⟧)\n"
        + _LOAD
        + "class B(Base):\n    def __init__(self):\n        super().__init__(8)\nA().load()\nB()\nBase(5)\n",
        {"2"},
    ),
    "by a constructor that names the base": (
        _BASE.format(1).replace("⟦1⟧", "1")
        + "class A(Base):\n    def __init__(self, n):\n        Base.__init__(self, n)\n"
        + _LOAD
        + "A(⟦2⟧).load()\nBase(5)\n",
        {"2"},
    ),
    "by a constructor that names another class whose name ends like the base's as well": (
        _BASE.format(1).replace("⟦1⟧", "1")
        + "class OtherBase:\n    def __init__(self, workers):\n        pass\n"
        + "class A(Base):\n    def __init__(self):\n        OtherBase.__init__(self, 7)\n"
        + "        Base.__init__(self, ⟦2⟧)\n"
        + _LOAD
        + "A().load()\nBase(5)\n",
        {"2"},
    ),
    "by a constructor above one that hands on what it gets": (
        _BASE.format(1).replace("⟦1⟧", "1")
        + "class A(Base):\n    def __init__(self, n):\n        super().__init__(n)\n"
        + "class B(A):\n    def __init__(self):\n        super().__init__(⟦3⟧)\n"
        + _LOAD
        + "B().load()\nA(5)\n",
        {"3"},
    ),
    "by one that leaves the default": (
        _BASE.format(1)
        + "class A(Base):\n    def __init__(self):\n        super().__init__()\n"
        + _LOAD
        + "A().load()\nBase(5)\n",
        {"1"},
    ),
    "by an inherited constructor": (
        _BASE.format(1).replace("⟦1⟧", "1") + "class A(Base):\n" + _LOAD + "A(⟦2⟧).load()\nBase(5)\n",
        {"2"},
    ),
    "by an inherited constructor, read from outside": (
        _BASE.format(1).replace("⟦1⟧", "1")
        + "class A(Base):\n    pass\nclass B(Base):\n    pass\nB(5)\nDataLoader(data, num_workers=A(⟦2⟧).workers)\n",
        {"2"},
    ),
    "of any class of the family": (
        _BASE.format(1).replace("⟦1⟧", "1")
        + _LOAD
        + "class A(Base):\n    pass\nclass B(Base):\n    def __init__(self):\n        super().__init__(⟦3⟧)\n"
        + "A(⟦2⟧).load()\nB().load()\nBase(⟦5⟧).load()\n",
        {"2", "3", "5"},
    ),
    "under conditions, in two ways": (
        _BASE.format(1).replace("⟦1⟧", "1")
        + "class A(Base):\n    def __init__(self):\n        if some():\n            super().__init__(⟦2⟧)\n"
        + "        else:\n            super().__init__(⟦3⟧)\n"
        + _LOAD
        + "A().load()\n",
        {"2", "3"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CONSTRUCTED.values(), ids=CONSTRUCTED.keys())
def test_a_base_is_constructed_with_what_the_class_of_the_object_gives_it(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(
    ("constructor", "rounds", "expected"),
    [
        ("pass", "rounds: int", "open"),
        ("pass", "rounds: int = ⟦4⟧", "4"),
        ("Dataset.__init__(self)", "rounds: int = ⟦4⟧", "4"),
        ("super().__init__()", "rounds: int = ⟦4⟧", "4"),
        ("super().__init__(⟦3⟧)", "rounds: int = 4", "3"),
    ],
)
def test_a_constructor_leaves_the_fields_that_another_longer_file_declares(
    constructor: str, rounds: str, expected: str
) -> None:
    files = {
        "base.py": "# Far down in its file.\n" * 40 + f"class Random:\n    {rounds}\n",
        "main.py": IMPORT
        + "from torch.utils.data import Dataset\nfrom base import Random\n"
        + f"class Images(Dataset, Random):\n    def __init__(self):\n        {constructor}\n"
        + _LOAD.replace("workers=self.workers", "workers=self.rounds")
        + "Images().load()\n",
    }
    assert traced(files) == {expected}


_HANDING = """
class Base:
    def __init__(self, workers):
        self.workers = workers
        self.setup(self.workers)
    def setup(self, workers):
        pass
"""
_LOADS = "        self.loader = DataLoader(data, num_workers=workers)\n"
_FIRST = "class First(Base):\n    def setup(self, workers):\n" + _LOADS

HANDED_DOWN: Cases = {
    "what another heir was made with": (
        _HANDING + _FIRST + "class Second(Base):\n    def setup(self, n):\n        pass\nFirst(⟦8⟧)\nSecond(4)\n",
        {"8"},
    ),
    "what another heir was made with, straight from the constructor's parameter": (
        _HANDING.replace("setup(self.workers)", "setup(workers)")
        + _FIRST
        + "class Second(Base):\n    def setup(self, n):\n        pass\nFirst(⟦8⟧)\nSecond(4)\n",
        {"8"},
    ),
    "what another heir was made with, through another method": (
        _HANDING.replace(
            "        self.setup(self.workers)\n",
            "        self.prepare(workers)\n    def prepare(self, workers):\n        self.setup(workers)\n",
        )
        + _FIRST
        + "class Second(Base):\n    def setup(self, n):\n        pass\nFirst(⟦8⟧)\nSecond(4)\n",
        {"8"},
    ),
    "what an heir below was made with": (
        _HANDING + _FIRST + "class Second(First):\n    pass\nFirst(⟦8⟧)\nSecond(⟦4⟧)\n",
        {"8", "4"},
    ),
    "what an heir below hands up": (
        _HANDING
        + _FIRST
        + "class Second(First):\n    def __init__(self):\n        super().__init__(⟦4⟧)\n"
        + "class Third(Base):\n    def __init__(self):\n        super().__init__(2)\n"
        + "    def setup(self, n):\n        pass\nFirst(⟦8⟧)\nSecond()\nThird()\n",
        {"8", "4"},
    ),
    "what an heir with a method in the place of this one was made with": (
        _HANDING.replace("        pass\n", _LOADS)
        + "class First(Base):\n    def setup(self, workers):\n        pass\nFirst(8)\nBase(⟦4⟧)\n",
        {"4"},
    ),
    "what an heir whose method calls this one was made with": (
        _HANDING.replace("        pass\n", _LOADS)
        + "class First(Base):\n    def setup(self, workers):\n        super().setup(workers)\nFirst(⟦8⟧)\nBase(⟦4⟧)\n",
        {"8", "4"},
    ),
    "what an heir that leaves the method alone was made with": (
        _HANDING.replace("        pass\n", _LOADS)
        + "class First(Base):\n    def setup(self, workers):\n        pass\nclass Second(Base):\n    pass\n"
        + "First(8)\nSecond(⟦4⟧)\n",
        {"4"},
    ),
    "what is handed to the method of some other object": (
        _HANDING
        + _FIRST
        + "class Second(Base):\n    def setup(self, n):\n        First.setup(self, n)\nFirst(⟦8⟧)\nSecond(⟦4⟧)\n",
        {"8", "4"},
    ),
}


_OVERRIDDEN = """
class Base:
    workers = ⟦4⟧
    def loaders(self):
        return self._make()
    def _make(self):
        return self._load(self.workers)
    def _load(self, n):
        return DataLoader(data, num_workers=n)
class One(Base):
    workers = {of_heir}
    def loaders(self):
        {overriding}
One().loaders()
Base().loaders()
"""
"""A family in which a private method has one caller, which a subclass replaces."""
_ONLY_LOADS = "return self._load(⟦8⟧)"

RUN_WHERE_CALLED: Cases = {
    "a private method whose only caller is replaced": (
        _OVERRIDDEN.format(of_heir="2", overriding=_ONLY_LOADS),
        {"4", "8"},
    ),
    "the caller in its place calls it, too": (
        _OVERRIDDEN.format(of_heir="⟦2⟧", overriding="return self._make() or " + _ONLY_LOADS.removeprefix("return ")),
        {"4", "2", "8"},
    ),
    "the caller in its place calls the one above": (
        _OVERRIDDEN.format(
            of_heir="⟦2⟧", overriding="return super().loaders() or " + _ONLY_LOADS.removeprefix("return ")
        ),
        {"4", "2", "8"},
    ),
    "a private method that others call as well": (
        _OVERRIDDEN.format(of_heir="⟦2⟧", overriding=_ONLY_LOADS) + "def preview(one):\n    return one._make()\n",
        {"4", "2", "8"},
    ),
    "a private method that is handed on": (
        _OVERRIDDEN.format(of_heir="⟦2⟧", overriding=_ONLY_LOADS) + "later = [One()._make]\n",
        {"4", "2", "8"},
    ),
    "a private method that is looked up by its name": (
        _OVERRIDDEN.format(of_heir="⟦2⟧", overriding=_ONLY_LOADS)
        + "def preview(one, what):\n    return getattr(one, f'_{what}')()\n",
        {"4", "2", "8"},
    ),
    "a class above that is not seen may call it": (
        "from framework import Loads\n"
        + _OVERRIDDEN.replace("Base:", "Base(Loads):").format(of_heir="⟦2⟧", overriding=_ONLY_LOADS),
        {"4", "2", "8"},
    ),
    "a public method": (
        _OVERRIDDEN.replace("_make", "make").format(of_heir="⟦2⟧", overriding=_ONLY_LOADS),
        {"4", "2", "8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), RUN_WHERE_CALLED.values(), ids=RUN_WHERE_CALLED.keys())
def test_a_private_method_runs_on_the_objects_whose_methods_call_it(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), HANDED_DOWN.values(), ids=HANDED_DOWN.keys())
def test_an_object_hands_its_own_methods_what_it_was_made_with(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_an_object_of_one_of_very_many_heirs_hands_its_method_what_it_was_made_with() -> None:
    other = "from base import Base\nclass Other(Base):\n    def setup(self, n):\n        pass\nOther(4)\n"
    others = {f"other{n}.py": other.replace("Other", f"Other{n}") for n in range(32)}
    files = {
        "base.py": _HANDING,
        "first.py": IMPORT + "from base import Base\n" + _FIRST,
        "main.py": "from first import First\nFirst(⟦8⟧)\n",
    }
    assert traced({**files, **others}) == {"8"}


RECIPES = 20


def asked_about(recipes: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often it is asked which class a definition is, while one base has so many heirs, each a script's own."""
    asked: list[str] = []

    def counted(facts: PythonFacts, scope: Scope) -> Class | None:
        asked.append(scope.name)
        return classes.class_of(facts, scope)

    recipe = "class Recipe(Base):\n    def fit(self):\n        return self.load()\n\nRecipe().fit()\n"
    scripts = {f"recipe{one}.py": f"from base import Base\n\n{recipe}" for one in range(recipes)}
    with monkeypatch.context() as patched:
        patched.setattr(callers, "class_of", counted)
        assert traced({"base.py": IMPORT + BASE.replace("4", "⟦4⟧"), **scripts}) == {"4"}
    return len(asked)


def test_many_heirs_of_one_class_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (asked_about(count, monkeypatch) for count in (RECIPES, 2 * RECIPES))
    assert many <= 2 * few + RECIPES
