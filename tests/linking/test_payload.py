from __future__ import annotations

from textwrap import dedent

import pytest

from loaderlint.model.payload import Payload
from tests.linking.traced import loaders_of

HEAD = """
from functools import partial
import torch
from torch.utils.data import Dataset, IterableDataset
from torchvision import transforms
def named(batch):
    return batch
class Numbers(Dataset):
    def __init__(self, transform=None):
        self.transform = transform
    def __getitem__(self, index):
        return self.transform(index)
"""


def payload(text: str) -> Payload:
    (loader,) = loaders_of(HEAD + dedent(text))
    return loader.payload


def described(one: Payload) -> list[str]:
    return [
        " ".join((found.kind, found.name, found.handed.removeprefix("given "))).replace("  ", " ")
        for found in one.unpicklable
    ]


MADE_BY_A_CALL = """
class Pictures(Dataset):
    def __init__(self, crop):
        self.changes = self.set_up(crop)
    @staticmethod
    def set_up(crop):
        changes = []
        if crop:
            changes.append(transforms.Resize(4))
        changes.append(transforms.Lambda(CHANGE))
        return changes
def build(crop):
    return Pictures(crop)
DataLoader(build(True))
"""

UNPICKLABLE: dict[str, tuple[str, list[str]]] = {
    "what a method gives the data set that a call makes": (
        MADE_BY_A_CALL.replace("CHANGE", "lambda x: x / 2"),
        ["lambda kept as `self.changes`"],
    ),
    "a lambda": ("DataLoader(Numbers(), collate_fn=lambda b: b)", ["lambda as collate_fn"]),
    "a lambda with a name": ("f = lambda b: b\nDataLoader(Numbers(), collate_fn=f)", ["lambda as collate_fn"]),
    "a lambda by position": (
        "DataLoader(Numbers(), 8, True, None, None, 2, lambda b: b)",
        ["lambda as collate_fn"],
    ),
    "a lambda in a dictionary": (
        "o = {'collate_fn': lambda b: b}\nDataLoader(Numbers(), **o)",
        ["lambda as collate_fn"],
    ),
    "a lambda for the workers' start": (
        "DataLoader(Numbers(), worker_init_fn=lambda i: None)",
        ["lambda as worker_init_fn"],
    ),
    "a local function": (
        """
        def main():
            def collate(batch):
                return batch
            return DataLoader(Numbers(), collate_fn=collate)
        """,
        ["local function collate as collate_fn"],
    ),
    "a function of a function": (
        """
        def make():
            def collate(batch):
                return batch
            return collate
        DataLoader(Numbers(), collate_fn=make())
        """,
        ["local function collate as collate_fn"],
    ),
    "a partial of a lambda": (
        "DataLoader(Numbers(), collate_fn=partial(lambda n, b: b, 2))",
        ["lambda as collate_fn"],
    ),
    "a lambda handed to the data set": (
        "DataLoader(Numbers(transform=lambda x: x))",
        ["lambda as transform"],
    ),
    "a lambda handed to a data set kept in a name": (
        "data = Numbers(lambda x: x)\nDataLoader(data)",
        ["lambda as transform"],
    ),
    "a lambda among the transforms": (
        "DataLoader(Numbers(transforms.Compose([transforms.ToTensor(), transforms.Lambda(lambda x: x)])))",
        ["lambda as transform"],
    ),
    "a lambda that a data set keeps by another name": (
        """
        class Letters(Dataset):
            def __init__(self, transform):
                self.change = transform
        DataLoader(Letters(lambda x: x))
        """,
        ["lambda as transform"],
    ),
    "a lambda that a data set has where it is given none": (
        """
        class Letters(Dataset):
            def __init__(self, transform=None):
                if transform is None:
                    transform = lambda x: x
                self.change = transform
        DataLoader(Letters())
        """,
        ["lambda kept as `self.change`"],
    ),
    "a lambda that a library's data set is given by position": (
        "from monai.data import CacheDataset\nDataLoader(CacheDataset(files, lambda x: x))",
        ["lambda that is part of the dataset"],
    ),
    "a lambda that Hugging Face's trainer is given": (
        """
        from transformers import Trainer, TrainingArguments
        arguments = TrainingArguments("out", dataloader_num_workers=2)
        Trainer(model, arguments, data_collator=lambda batch: batch)
        """,
        ["lambda as collate_fn"],
    ),
    "a lambda that another object of a base is given": (
        """
        from torchvision.datasets import VisionDataset
        class Base(VisionDataset):
            def __init__(self, root, change):
                super().__init__(root, transform=change)
        class Images(Base):
            def __init__(self):
                self.root = "data"
        other = Base("data", lambda x: x)
        DataLoader(Images())
        """,
        [],
    ),
    "a constructor that is no plain method": (
        """
        class Images(Dataset):
            async def __init__(self, change):
                self.change = change
        DataLoader(Images(lambda x: x))
        """,
        ["lambda as change"],
    ),
    "a class with the name of a constructor": (
        """
        class Images(Dataset):
            class __init__:
                pass
        DataLoader(Images(lambda x: x))
        """,
        [],
    ),
    "a lambda that a trainer of other arguments is given": (
        """
        from transformers import Trainer, TrainingArguments
        arguments = TrainingArguments("out", dataloader_num_workers=2)
        Trainer(model, args=others(), data_collator=lambda batch: batch)
        """,
        [],
    ),
    "a lambda that a class hands to a library's constructor": (
        """
        from torchvision.datasets import VisionDataset
        class Images(VisionDataset):
            def __init__(self, root, transform=None):
                super().__init__(root, transform=transform)
        DataLoader(Images("data", lambda x: x))
        """,
        ["lambda as transform"],
    ),
    "a lambda that a class hands to its base by name": (
        """
        from torchvision.datasets import VisionDataset
        class Images(VisionDataset):
            def __init__(self, root, change):
                VisionDataset.__init__(self, root, transform=change)
        DataLoader(Images("data", lambda x: x))
        """,
        ["lambda as transform"],
    ),
    "a lambda that something else's constructor gets": (
        """
        from somewhere import Steps
        from torchvision.datasets import VisionDataset
        class Images(VisionDataset):
            def __init__(self, root, change):
                Steps.__init__(self, root, transform=change)
        DataLoader(Images("data", lambda x: x))
        """,
        [],
    ),
    "a lambda that a class hands past its base": (
        """
        from torchvision.datasets import VisionDataset
        class Base(VisionDataset):
            pass
        class Images(Base):
            def __init__(self, root, change):
                super(Base, self).__init__(root, None, change)
        DataLoader(Images("data", lambda x: x))
        """,
        ["lambda that is part of the dataset"],
    ),
    "a lambda that a class without a constructor is given": (
        """
        from torchvision.datasets import ImageFolder
        class Images(ImageFolder):
            pass
        DataLoader(Images("data", target_transform=lambda x: x))
        """,
        ["lambda as target_transform"],
    ),
    "a lambda that the constructor keeps from the library's": (
        """
        from torchvision.datasets import ImageFolder
        class Images(ImageFolder):
            def __init__(self, root, change):
                super().__init__(root)
                self.root = change(root)
        DataLoader(Images("data", lambda x: x))
        """,
        [],
    ),
    "a lambda that goes to the library's constructor with all others": (
        """
        from torchvision.datasets import ImageFolder
        class Images(ImageFolder):
            def __init__(self, *args, **options):
                super().__init__(*args, **options)
        DataLoader(Images("data", transform=lambda x: x))
        """,
        ["lambda as transform"],
    ),
    "a lambda in whose place the class sets another": (
        """
        from torchvision.datasets import VisionDataset
        class Images(VisionDataset):
            def __init__(self, root, transform):
                super().__init__(root, transform=transform)
                self.transform = named
        DataLoader(Images("data", lambda x: x))
        """,
        [],
    ),
    "a lambda that is asked while the data set is made": (
        "from torchvision.datasets import ImageFolder\nDataLoader(ImageFolder('a', is_valid_file=lambda path: True))",
        [],
    ),
    "a lambda that is asked while the data set is made, among others": (
        "from torchvision.datasets import ImageFolder\n"
        "options = {'is_valid_file': lambda path: True, 'transform': lambda x: x}\n"
        "DataLoader(ImageFolder('a', **options))",
        ["lambda as transform"],
    ),
    "a lambda that a class hands to the first of its bases": (
        """
        from somewhere import Steps
        from torchvision.datasets import VisionDataset
        class Images(Steps, VisionDataset):
            def __init__(self, change):
                super().__init__(change)
        DataLoader(Images(lambda x: x))
        """,
        [],
    ),
    "a lambda that a decorator's constructor gets": (
        """
        from dataclasses import InitVar, dataclass
        from torchvision.datasets import VisionDataset
        @dataclass
        class Images(VisionDataset):
            change: InitVar[object]
            def __post_init__(self, change):
                self.root = change("data")
        DataLoader(Images(lambda x: x))
        """,
        [],
    ),
    "a lambda that a class hands to a library that keeps nothing": (
        """
        from torch.utils.data import Dataset
        from somewhere import Steps
        class Images(Steps):
            def __init__(self, change):
                super().__init__(change)
        DataLoader(Images(lambda x: x))
        """,
        [],
    ),
    "a lambda among the transforms that a library's data set is given by position": (
        """
        from monai.data import Dataset as Files
        steps = transforms.Compose([transforms.Lambda(lambda x: x)])
        DataLoader(Files(files, steps))
        """,
        ["lambda that is part of the dataset"],
    ),
    "a lambda among the transforms that a library's data set is given by name": (
        """
        from monai.data import Dataset as Files
        DataLoader(Files(files, transform=transforms.Compose([lambda x: x])))
        """,
        ["lambda as transform"],
    ),
    "a lambda in a list": (
        "DataLoader([Numbers(), lambda x: x])",
        ["lambda that is part of the dataset"],
    ),
    "lambdas that a partial calls and hands over": (
        "DataLoader(Numbers(), collate_fn=partial(lambda n, b: b, lambda x: x))",
        ["lambda as collate_fn", "lambda that is part of the collate_fn"],
    ),
    "a lambda in the transforms of a library's data set": (
        """
        from torchvision.datasets import MNIST
        DataLoader(MNIST(p, transform=transforms.Lambda(lambda x: x)))
        """,
        ["lambda as transform"],
    ),
    "a lambda kept by the constructor": (
        """
        class Letters(Dataset):
            def __init__(self):
                self.transform = lambda x: x
        DataLoader(Letters())
        """,
        ["lambda kept as `self.transform`"],
    ),
    "a local class": (
        """
        def main():
            class Letters(Dataset):
                pass
            return DataLoader(Letters())
        """,
        ["local class Letters as dataset"],
    ),
    "a data set in a subset": (
        "from torch.utils.data import Subset\nDataLoader(Subset(Numbers(lambda x: x), [1]))",
        ["lambda as transform"],
    ),
    "a lambda kept by the constructor with something else": (
        """
        class Letters(Dataset):
            def __init__(self, size, transform):
                self.size, self.transform = size, transform
        DataLoader(Letters(8, lambda x: x))
        """,
        ["lambda kept as `self.transform`"],
    ),
    "a data set in parts": (
        "from torch.utils.data import random_split\n"
        "train, test = random_split(Numbers(lambda x: x), [6, 2])\nDataLoader(train)",
        ["lambda as transform"],
    ),
    "a data set in parts, one of them": (
        "from torch.utils.data import random_split\n"
        "parts = random_split(Numbers(lambda x: x), [6, 2])\nDataLoader(parts[0])",
        ["lambda as transform"],
    ),
    "a data set in parts kept by the constructor": (
        """
        from torch.utils.data import random_split
        class Data:
            def __init__(self):
                self.train, self.test = random_split(Numbers(lambda x: x), [6, 2])
        data = Data()
        DataLoader(data.train)
        """,
        ["lambda as transform"],
    ),
    "a lambda among the transforms of a list that grows": (
        """
        steps = [transforms.ToTensor()]
        steps.append(transforms.Lambda(lambda x: x))
        DataLoader(Numbers(transforms.Compose(steps)))
        """,
        ["lambda as transform"],
    ),
    "a local class's method": (
        """
        def main():
            class Collate:
                def __call__(self, batch):
                    return batch
            return DataLoader(Numbers(), collate_fn=Collate())
        """,
        ["local class Collate as collate_fn"],
    ),
}

PICKLES: dict[str, str] = {
    "what a method gives the data set that a call makes": MADE_BY_A_CALL.replace("CHANGE", "named"),
    "what a method gives a data set that the call does not make": MADE_BY_A_CALL.replace(
        "CHANGE", "lambda x: x / 2"
    ).replace("return Pictures(crop)", "return Numbers()"),
    "a function of the module": "DataLoader(Numbers(), collate_fn=named)",
    "a partial of a function of the module": "DataLoader(Numbers(), collate_fn=partial(named, 2))",
    "a static method": """
        class Tools:
            @staticmethod
            def collate(batch):
                return batch
        DataLoader(Numbers(), collate_fn=Tools.collate)
        """,
    "a method of the data set": """
        class Letters(Dataset):
            def collate(self, batch):
                return batch
        data = Letters()
        DataLoader(data, collate_fn=data.collate)
        """,
    "an object of a class of the module": """
        class Collate:
            def __call__(self, batch):
                return batch
        DataLoader(Numbers(), collate_fn=Collate())
        """,
    "None": "DataLoader(Numbers(), collate_fn=None, worker_init_fn=None)",
    "a lambda that stays in the main process": "DataLoader(Numbers(), sampler=make(lambda x: x))",
    "a lambda called while making the data set": "DataLoader(list(map(lambda x: x, [1, 2])))",
    "a lambda used inside a method": """
        class Letters(Dataset):
            def __getitem__(self, index):
                return sorted([2, 1], key=lambda x: x)
        DataLoader(Letters())
        """,
    "a lambda kept by another object": """
        class Trainer:
            def __init__(self):
                self.loss = lambda x: x
                self.loader = DataLoader(Numbers())
        """,
    "a library's transforms": "DataLoader(Numbers(transforms.Compose([transforms.ToTensor()])))",
    "a lambda that the data set calls and does not keep": """
        class Letters(Dataset):
            def __init__(self, read):
                self.data = read(3)
        DataLoader(Letters(lambda n: [n]))
        """,
}


@pytest.mark.parametrize(("text", "expected"), UNPICKLABLE.values(), ids=UNPICKLABLE.keys())
def test_what_does_not_pickle(text: str, expected: list[str]) -> None:
    assert described(payload(text)) == expected


@pytest.mark.parametrize("text", PICKLES.values(), ids=PICKLES.keys())
def test_what_pickles(text: str) -> None:
    assert described(payload(text)) == []


def test_the_place_of_a_lambda_is_where_it_is_written() -> None:
    (loader,) = loaders_of("f = lambda b: b\nDataLoader([1], collate_fn=f)")
    assert [str(one.span) for one in loader.payload.unpicklable] == ["main.py:2:5"]


CAPTURES: dict[str, tuple[str, tuple[str, ...]]] = {
    "nothing": ("def main(size):\n    return DataLoader(Numbers(), collate_fn=lambda b: b)", ()),
    "a parameter": ("def main(size):\n    return DataLoader(Numbers(), collate_fn=lambda b: b[:size])", ("size",)),
    "two locals": (
        "def main():\n    a, b = 1, 2\n    return DataLoader(Numbers(), collate_fn=lambda x: x + a + b)",
        ("a", "b"),
    ),
    "a module's name is no capture": ("SIZE = 2\nDataLoader(Numbers(), collate_fn=lambda b: b[:SIZE])", ()),
    "its own parameter is none": ("def main(b):\n    return DataLoader(Numbers(), collate_fn=lambda b: b)", ()),
    "the object": (
        """
        class Data:
            def load(self):
                return DataLoader(Numbers(), collate_fn=lambda b: b[:self.size])
        """,
        ("self",),
    ),
    "a local of a function inside": (
        """
        def main(size):
            def collate(batch):
                def inner(x):
                    return x + size
                return [inner(one) for one in batch]
            return DataLoader(Numbers(), collate_fn=collate)
        """,
        ("size",),
    ),
}


@pytest.mark.parametrize(("text", "expected"), CAPTURES.values(), ids=CAPTURES.keys())
def test_captures(text: str, expected: tuple[str, ...]) -> None:
    (found,) = payload(text).unpicklable
    assert found.captures == expected


def test_a_lambda_on_one_platform_alone_says_so() -> None:
    found = payload("import sys\nDataLoader(Numbers(), collate_fn=named if sys.platform == 'win32' else lambda b: b)")
    (one,) = found.unpicklable
    assert [sorted(answer) for _, answer in one.assumptions if isinstance(answer, frozenset)] == [["linux", "macos"]]


ITERABLE: dict[str, tuple[str, bool | None]] = {
    "an iterable data set": ("class D(IterableDataset):\n    pass\nDataLoader(D())", True),
    "a map-style data set": ("DataLoader(Numbers())", False),
    "an heir of an iterable data set": (
        "class A(IterableDataset):\n    pass\nclass B(A):\n    pass\nDataLoader(B())",
        True,
    ),
    "something unseen": ("DataLoader(make())", None),
    "a class of another library": ("from elsewhere import D\nDataLoader(D())", None),
}


@pytest.mark.parametrize(("text", "expected"), ITERABLE.values(), ids=ITERABLE.keys())
def test_whether_the_data_set_is_iterable(text: str, expected: bool | None) -> None:
    assert payload(text).iterable is expected


SEEN: dict[str, tuple[str, bool]] = {
    "a data set of the module": ("DataLoader(Numbers())", True),
    "a data set of the module and a function of it": ("DataLoader(Numbers(), collate_fn=named)", True),
    "something unseen": ("DataLoader(make())", False),
    "no data set": ("DataLoader(**options())", False),
    "another library's object": ("from elsewhere import D\nDataLoader(D())", False),
    "a function of another library": ("from elsewhere import collate\nDataLoader(Numbers(), collate_fn=collate)", True),
    "a parameter": ("def load(data):\n    return DataLoader(data)", False),
    "a range": ("DataLoader(range(8))", True),
}


@pytest.mark.parametrize(("text", "expected"), SEEN.values(), ids=SEEN.keys())
def test_whether_all_that_travels_was_seen(text: str, expected: bool) -> None:
    assert payload(text).seen is expected


_PLACED = """
class D(Dataset):
    def __init__(self, device="cpu"):
        self.device = device
    def __getitem__(self, index):
        return torch.ones(3).to(self.device)
"""

IN_WORKERS: dict[str, tuple[str, list[str]]] = {
    "reading an item": (
        """
        class D(Dataset):
            def __getitem__(self, index):
                return torch.ones(3).cuda()
        DataLoader(D())
        """,
        ["torch.ones(3).cuda()"],
    ),
    "reading an item, which goes on meanwhile": (
        """
        class D(Dataset):
            def __getitem__(self, index):
                return torch.ones(3).cuda(non_blocking=True)
        DataLoader(D())
        """,
        ["torch.ones(3).cuda(non_blocking=True)"],
    ),
    "reading an item by a method of one's own": (
        """
        class D(Dataset):
            def __getitem__(self, index):
                return index.cuda(version=12)
        DataLoader(D())
        """,
        [],
    ),
    "a helper of reading an item": (
        """
        class D(Dataset):
            def __getitem__(self, index):
                return self.load(index)
            def load(self, index):
                return torch.ones(3).to("cuda")
        DataLoader(D())
        """,
        ['torch.ones(3).to("cuda")'],
    ),
    "collating": (
        """
        def collate(batch):
            return torch.stack(batch).to("cuda:0")
        DataLoader(Numbers(), collate_fn=collate)
        """,
        ['torch.stack(batch).to("cuda:0")'],
    ),
    "a transform": (
        """
        class Move:
            def __call__(self, x):
                return x.cuda()
        DataLoader(Numbers(Move()))
        """,
        ["x.cuda()"],
    ),
    "a transform that another transform has": (
        """
        class Move:
            def __call__(self, x):
                return x.cuda()
        class All:
            def __init__(self):
                self.parts = [Move()]
            def __call__(self, x):
                for one in self.parts:
                    x = one(x)
                return x
        DataLoader(Numbers(All()))
        """,
        ["x.cuda()"],
    ),
    **{
        f"a transform reached by {reach}": (
            f"""
            def move(x):
                return x.cuda()
            class D(Dataset):
                def __init__(self):
                    self.move = move
                    self.steps = {{"move": move}}
                def __getitem__(self, index):
                    return {reach}(index)
            DataLoader(D())
            """,
            ["x.cuda()"],
        )
        for reach in (
            *("self.steps['move']", "self.steps.get('move')", "self.steps.__getitem__('move')", "self.move.__call__"),
            *("self.steps.copy()['move']", "self.steps.pop('move')", "self.steps.setdefault('move', None)"),
        )
    },
    "a transform that a property gives": (
        """
        class Move:
            def __call__(self, x):
                return x.cuda()
        class D(Dataset):
            def __init__(self):
                self._move = Move()
            @property
            def move(self):
                return self._move
            def __getitem__(self, index):
                return self.move(index)
        DataLoader(D())
        """,
        ["x.cuda()"],
    ),
    "what only the constructor calls": (
        """
        class Move:
            def __call__(self, x):
                return x.cuda()
        class D(Dataset):
            def __init__(self, x):
                self.move = Move()
                self.x = self.move(x).cpu()
            def __getitem__(self, index):
                return self.x[index]
        DataLoader(D(3))
        """,
        [],
    ),
    "the constructor runs in the main process": (
        """
        class D(Dataset):
            def __init__(self):
                self.data = torch.ones(3).cuda()
            def __getitem__(self, index):
                return index
        DataLoader(D())
        """,
        [],
    ),
    "another class": (
        """
        class Net:
            def __call__(self, x):
                return x.cuda()
        DataLoader(Numbers())
        """,
        [],
    ),
    "moving to the device of just this object": (
        _PLACED + 'D("cuda")[0]\nDataLoader(D())\n',
        [],
    ),
    "moving to a device that this object was given": (
        _PLACED + 'D()[0]\nDataLoader(D("cuda"))\n',
        ["torch.ones(3).to(self.device)"],
    ),
    "moving to the device of one of two objects": (
        _PLACED + 'DataLoader([D(), D("cuda"), D()])\n',
        ["torch.ones(3).to(self.device)"],
    ),
    "moving to a device that an object is given once it is there": (
        _PLACED + 'data = D()\ndata.device = "cuda"\nDataLoader(data)\n',
        ["torch.ones(3).to(self.device)"],
    ),
    "moving to the CPU": (
        """
        def collate(batch):
            return torch.stack(batch).to("cpu")
        DataLoader(Numbers(), collate_fn=collate)
        """,
        [],
    ),
}


@pytest.mark.parametrize(("text", "expected"), IN_WORKERS.values(), ids=IN_WORKERS.keys())
def test_what_touches_cuda_in_a_worker(text: str, expected: list[str]) -> None:
    assert [one.what for one in payload(text).cuda] == expected


def test_what_touches_cuda_is_met_where_the_object_is_sent_that_does() -> None:
    text = _PLACED + (
        "import sys\nfast = sys.platform == 'linux'\n"
        "data = D('cuda') if fast else D()\nDataLoader(data, num_workers=0 if fast else 2)\n"
    )
    (touch,) = payload(text).cuda
    assert [answer for _, answer in touch.assumptions] == [frozenset({"linux"})]


def test_the_workers_start_function_is_where_it_is_handed_over() -> None:
    assert payload("DataLoader(Numbers())").worker_init_fn is None
    assert payload("DataLoader(Numbers(), worker_init_fn=None)").worker_init_fn is None
    given = payload("DataLoader(Numbers(), worker_init_fn=named)").worker_init_fn
    assert given is not None and given.column == 38


def test_of_more_things_than_are_looked_at_the_rest_is_not_seen() -> None:
    transforms = ", ".join("lambda one: one" for _ in range(1000))
    found = payload(f"DataLoader(Numbers([{transforms}]), num_workers=2)")
    assert 0 < len(found.unpicklable) < 1000
    assert not found.seen


MODELS = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.by = 2
class Given(Dataset):
    def __init__(self, what):
        self.what = what
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return self.what(index)
DataLoader(Given(⟨what⟩), num_workers=2)
"""


@pytest.mark.parametrize(
    ("what", "model"),
    [
        ("Net()", True),
        ("nn.Linear(2, 2)", True),
        ("nn.Sequential(nn.ReLU(), nn.Linear(2, 2))", True),
        ("nn.Sequential(nn.ReLU(), Scale())", False),
        ("nn.functional.one_hot(rows)", False),
        ("Scale()", False),
        ("torch.ones(2)", False),
    ],
)
def test_a_model_travels_where_what_is_sent_has_layers(what: str, model: bool) -> None:
    assert payload(MODELS.replace("⟨what⟩", what)).model is model


UNLESS_GIVEN = """
class Pairs(Dataset):
    def __init__(self, change=None):
        if change:
            self.change = change
        else:
            self.change = lambda one: one
    def __getitem__(self, index):
        return self.change(index)
class Flip:
    def __call__(self, one):
        return one
DataLoader(Pairs(⟨given⟩), num_workers=2)
"""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("transforms.Compose([Flip()])", []),
        ("transforms.ToTensor()", []),
        ("Flip()", []),
        ("", ["lambda kept as `self.change`"]),
        ("None", ["lambda kept as `self.change`"]),
        ("unseen(1)", ["lambda kept as `self.change`"]),
        ("transforms.compose_all([])", ["lambda kept as `self.change`"]),
        ("other.Compose([Flip()])", []),
        ("other.Changes([Flip()])", ["lambda kept as `self.change`"]),
    ],
)
def test_what_stands_in_where_no_transform_is_given_does_not_travel_beside_one(given: str, found: list[str]) -> None:
    assert described(payload(UNLESS_GIVEN.replace("⟨given⟩", given))) == found
