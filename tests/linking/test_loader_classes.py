"""Loader classes of the project: which of their calls are loaders, and what their constructors hand on."""

from __future__ import annotations

import ast

import pytest

from loaderlint.linking.files.loader_names import loader_names, possible_calls
from tests.linking.traced import loaders_of, project_of, traced

FORWARDING = """
class Loader(DataLoader):
    def __init__(self, device, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.device = device
"""
NAMING = """
class Loader(DataLoader):
    def __init__(self, data, workers=2):
        super().__init__(data, num_workers=workers)
"""


def shown(text: str) -> dict[int, set[object]]:
    """What can be the worker count of each loader of ``main.py``, by the line it stands at, the first line being 0."""
    found: dict[int, set[object]] = {}
    for loader in loaders_of(text):
        constants: set[object] = {one.constant for one in loader.num_workers.candidates}
        found[loader.span.line - 2] = constants | ({"open"} if loader.num_workers.open else set())
    return found


CALLS: dict[str, tuple[str, dict[int, set[object]]]] = {
    "a class that is a parameter's default": (
        """
        class Other:
            pass
        def make(data, *args, shuffle=False, kind=DataLoader, **kwargs):
            return kind(data, *args, shuffle=shuffle, **kwargs)
        make(d, 4, num_workers=8)
        make(d, 4, num_workers=3, kind=Other)
        """,
        {4: {8}},
    ),
    "a class that is a loader in some runs": (
        """
        class Other:
            pass
        kind = Other if fast else DataLoader
        kind(d, num_workers=2 if fast else 4)
        """,
        {4: {4}},
    ),
    "a class of two libraries, and none where neither is installed": (
        """
        try:
            from torch_geometric.loader import DataLoader
        except ImportError:
            DataLoader = None
        DataLoader(d, num_workers=2)
        """,
        {5: {2}},
    ),
    "each with its own options": (
        f"{FORWARDING}Loader(0, d, num_workers=8)\nLoader(0, d, num_workers=4)\nLoader(0, d)\n",
        {5: {8}, 6: {4}, 7: {0}},
    ),
    "positions after the class's own": (f"{FORWARDING}Loader(0, d, 2, True, None, None, 8)\n", {5: {8}}),
    "a constant of the constructor's": (
        """
        class Loader(DataLoader):
            def __init__(self, data, **kwargs):
                super().__init__(data, num_workers=3, **kwargs)
        Loader(d, batch_size=4)
        """,
        {4: {3}},
    ),
    "a default of the constructor's": (
        """
        class Loader(DataLoader):
            def __init__(self, data, num_workers=2, **kwargs):
                super().__init__(data, num_workers=num_workers, **kwargs)
        Loader(d)
        Loader(d, 6)
        Loader(d, num_workers=7)
        """,
        {4: {2}, 5: {6}, 6: {7}},
    ),
    "what the constructor adds to the keywords": (
        """
        class Loader(DataLoader):
            def __init__(self, data, **kwargs):
                kwargs.setdefault("num_workers", 2)
                super().__init__(data, **kwargs)
        Loader(d)
        Loader(d, num_workers=7)
        """,
        {5: {2}, 6: {7}},
    ),
    "what the constructor takes out of the keywords": (
        """
        class Loader(DataLoader):
            def __init__(self, data, **kwargs):
                kwargs["num_workers"] = 1
                super().__init__(data, **kwargs)
        Loader(d, num_workers=7)
        """,
        {5: {1}},
    ),
    "a splat of the call": (f"{FORWARDING}options = {{'num_workers': 5}}\nLoader(0, d, **options)\n", {6: {5}}),
    "the library's constructor by name": (
        """
        class Loader(DataLoader):
            def __init__(self, device, *args, **kwargs):
                DataLoader.__init__(self, *args, **kwargs)
        Loader(0, d, num_workers=8)
        """,
        {4: {8}},
    ),
    "a subclass without a constructor": (
        f"{FORWARDING}class Other(Loader):\n    pass\nOther(0, d, num_workers=8)\n",
        {7: {8}},
    ),
    "a subclass whose constructor hands on, too": (
        f"{FORWARDING}class Other(Loader):\n    def __init__(self, name, **kwargs):\n"
        "        super().__init__(0, **kwargs)\nOther('o', dataset=d, num_workers=8)\nLoader(0, d, num_workers=4)\n",
        {8: {8}, 9: {4}},
    ),
    "a subclass whose constructor names the option": (
        f"{FORWARDING}class Other(Loader):\n    def __init__(self, data, workers):\n"
        "        super().__init__(0, data, num_workers=workers)\nOther(d, 8)\nLoader(0, d, num_workers=4)\n",
        {7: {8}, 9: {4}},
    ),
}


@pytest.mark.parametrize(("text", "expected"), CALLS.values(), ids=CALLS.keys())
def test_calls_of_a_class_that_hands_its_keywords_on_are_loaders(text: str, expected: dict[int, set[object]]) -> None:
    assert shown(text) == expected


BESIDES: dict[str, tuple[str, dict[int, set[object]]]] = {
    "a call whose callee may be another class": (
        f"{FORWARDING}kind = Loader if some() else DataLoader\nkind(0, d, num_workers=8)\n",
        {6: {8}},
    ),
    "and a call of its own": (
        f"{FORWARDING}kind = Loader if some() else DataLoader\nkind(0, d, num_workers=8)\nLoader(0, d, num_workers=4)",
        {6: {8}, 7: {4}},
    ),
    "handed to something out of sight": (
        f"import elsewhere\n{FORWARDING.strip()}\nelsewhere.register(Loader)\nLoader(0, d, num_workers=8)\n",
        {6: {8}},
    ),
    "a subclass that hands on is handed to something out of sight": (
        f"import elsewhere\n{FORWARDING.strip()}\nclass Other(Loader):\n    def __init__(self, name, **kwargs):\n"
        "        super().__init__(0, **kwargs)\nelsewhere.register(Other)\nOther('o', num_workers=8)\n",
        {9: {8}},
    ),
}


@pytest.mark.parametrize(("text", "expected"), BESIDES.values(), ids=BESIDES.keys())
def test_calls_that_are_seen_are_the_loaders_whatever_else_may_call_the_class(
    text: str, expected: dict[int, set[object]]
) -> None:
    assert shown(text) == expected


IN_THE_CONSTRUCTOR: dict[str, tuple[str, dict[int, set[object]]]] = {
    "the constructor names the options": (f"{NAMING}Loader(d, 8)\nLoader(d)\n", {3: {8, 2}}),
    "nobody is seen to call it": (FORWARDING, {3: {"open"}}),
    "the call of the base has an alternative": (
        """
        class Loader(DataLoader):
            def __init__(self, data, **kwargs):
                if data:
                    super().__init__(data, **kwargs)
                else:
                    super().__init__([], num_workers=0)
        Loader(d, num_workers=8)
        """,
        {4: {8}, 6: {0}},
    ),
}


@pytest.mark.parametrize(("text", "expected"), IN_THE_CONSTRUCTOR.values(), ids=IN_THE_CONSTRUCTOR.keys())
def test_the_call_of_the_base_is_the_loader_where(text: str, expected: dict[int, set[object]]) -> None:
    assert shown(text) == expected


def test_the_argument_of_a_call_is_the_keyword_that_the_constructor_hands_on() -> None:
    (loader,) = loaders_of(f"{FORWARDING}Loader(0, d, num_workers=8, prefetch_factor=some())\n")
    assert loader.num_workers.argument == loader.num_workers.candidates[0].span
    assert loader.prefetch_factor.argument is not None


def test_what_the_constructor_changes_is_no_argument_of_the_call() -> None:
    (loader,) = loaders_of(
        """
        class Loader(DataLoader):
            def __init__(self, data, **kwargs):
                kwargs["prefetch_factor"] = some()
                super().__init__(data, **kwargs)
        Loader(d, num_workers=8, prefetch_factor=4)
        """
    )
    assert loader.prefetch_factor.argument is None


def test_a_loader_chosen_by_what_very_many_callers_give_is_seen() -> None:
    chooses = """\
import sys
from torch.utils.data import DataLoader
class Other(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
def load(kind):
    chosen = DataLoader if kind == sys.argv[1] else Other
    return chosen(data, num_workers=⟦4⟧)
"""
    calls = "".join(f"load(str({number} + {number}) + sys.argv[2])\n" for number in range(300))
    assert traced({"main.py": chooses + calls}) == {"4"}


CHOSEN = "kind = ⟨class⟩ if wanted else DataLoader\nkind(d, num_workers=2)"
OWN_CLASSES: dict[str, tuple[str, str | None]] = {
    "no loader of torch's": (f"class Own:\n    def __iter__(self):\n        yield 1\n{CHOSEN}", "Own"),
    "a subclass that iterates itself": (
        f"class Own(DataLoader):\n    def __iter__(self):\n        yield from self.dataset\n{CHOSEN}",
        "Own",
    ),
    "a subclass that has its own iterator, alone": (
        "class Own(DataLoader):\n    def _get_iterator(self):\n        return Iterator(self)\nOwn(d, num_workers=2)",
        "Own",
    ),
    "a subclass that iterates what torch's does": (
        "class Own(DataLoader):\n    def __iter__(self):\n        for batch in super().__iter__():\n"
        f"            yield batch.half()\n{CHOSEN}",
        None,
    ),
    "a subclass that iterates as torch's does": (f"class Own(DataLoader):\n    pass\n{CHOSEN}", None),
    "no class of the project": ("DataLoader(d, num_workers=2)", None),
}


@pytest.mark.parametrize(("text", "own"), OWN_CLASSES.values(), ids=OWN_CLASSES.keys())
def test_a_call_that_may_make_a_class_which_iterates_in_its_own_way(text: str, own: str | None) -> None:
    (loader,) = loaders_of(text.replace("⟨class⟩", "Own"))
    assert (loader.own_class.what if loader.own_class is not None else None) == own


ITERATE = {
    "by themselves": ("def __iter__(self):\n        yield from self.dataset", False),
    "by what they keep": ("def __iter__(self):\n        return iter(self.batches)", False),
    "by themselves, and count": (
        "def __iter__(self):\n        yield 1\n    def __len__(self):\n        return 1",
        False,
    ),
    "as torch's does": ("pass", True),
    "by what is handed the loader": ("def __iter__(self):\n        return Batches(self)", True),
    "by a function that is handed the loader": ("def __iter__(self):\n        yield from batches(of=self)", True),
    "what torch's does": ("def __iter__(self):\n        return map(half, super().__iter__())", True),
    "what torch's does, by its name": ("def __iter__(self):\n        yield from DataLoader.__iter__(self)", True),
    "what torch's iterator does": ("def __iter__(self):\n        yield from self._get_iterator()", True),
    "with an iterator that is like torch's": ("def _get_iterator(self):\n        return Iterator(self)", True),
    "what torch's does, elsewhere": (
        "def __iter__(self):\n        yield from self.all()\n    def all(self):\n        return super().__iter__()",
        True,
    ),
    "with a class of torch's": ("def __iter__(self):\n        return _SingleProcessDataLoaderIter(self)", True),
}


@pytest.mark.parametrize(("body", "starts"), ITERATE.values(), ids=ITERATE.keys())
def test_classes_that_never_come_to_torchs_iterator_start_no_workers(body: str, starts: bool) -> None:
    own = f"class Own(DataLoader):\n    {body}\n"
    naming = f"{own}    def __init__(self, data, workers):\n        super().__init__(data, num_workers=workers)\n"
    for text in (
        f"{own}Own(d, num_workers=2)",
        f"{naming}Own(d, 2)",
        f"{own}class Heir(Own): pass\nHeir(d, num_workers=2)",
    ):
        (loader,) = loaders_of(text)
        assert loader.starts_workers is starts


ROWS = "def __iter__(self):\n        yield 1\n"
OTHERS = {
    "one of several": f"class Own(DataLoader):\n    {ROWS}kind = Own if n else DataLoader\nkind(d, num_workers=2)",
    "one that comes behind torch's": f"class Rows:\n    {ROWS}class Own(DataLoader, Rows): pass\nOwn(d, num_workers=2)",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_a_loader_that_may_iterate_as_torchs_does_may_start_workers(text: str) -> None:
    (loader,) = loaders_of(text)
    assert loader.starts_workers


PATCHED = "def patched(kind):\n    init = kind.__init__\n    def after(*args): init(*args)\n    kind.__init__ = after\n"
CONSTRUCTOR_CALLS = {
    "torch's own": ("class Own(DataLoader):\n    def __init__(self): DataLoader.__init__(self, d)", True),
    "an heir's": (
        "class Own(DataLoader): pass\nclass Other(Own):\n    def __init__(self): Own.__init__(self, d)",
        True,
    ),
    "one that was handed over": (f"{PATCHED}patched(DataLoader)", True),
    "that of an object's class": ("class Own(DataLoader):\n    def again(self): self.__init__(d)", False),
    "another class's": ("class Own(names.Space):\n    def __init__(self): names.Space.__init__(self, d)", False),
    "another that was handed over": (f"{PATCHED}patched(names.Space)", False),
    "one of two that are no loaders": ("def one(): pass\npartial(one if n else names.two, d)", False),
    "one of two, one of which is": ("partial(DataLoader if n else names.two, d)", True),
}


@pytest.mark.parametrize(("text", "possible"), CONSTRUCTOR_CALLS.values(), ids=CONSTRUCTOR_CALLS.keys())
def test_only_what_may_be_a_loaders_by_its_name_is_followed(text: str, possible: bool) -> None:
    project, _ = project_of(text)
    facts = project.python("main.py")
    assert facts is not None
    callees = [ast.unparse(one.node.func) for one in possible_calls(facts.calls, loader_names(project, ()))]
    assert bool(callees) is possible
