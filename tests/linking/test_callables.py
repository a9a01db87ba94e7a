from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, Files, loaders_of, traced

TORCH = "torch.utils.data.DataLoader"

CALLEES: dict[str, tuple[str, str | None]] = {
    "from torch.utils.data import DataLoader": ("DataLoader(d, num_workers=8)", TORCH),
    "from torch.utils.data import DataLoader as Loader": ("Loader(d, num_workers=8)", TORCH),
    "from torch.utils.data import Dataset, DataLoader": ("DataLoader(d, num_workers=8)", TORCH),
    "import torch": ("torch.utils.data.DataLoader(d, num_workers=8)", TORCH),
    "from hydra.utils import get_class": ("get_class('torch.utils.data.DataLoader')(d, num_workers=8)", TORCH),
    "from hydra.utils import get_class as named": ("named('torch.utils.data.Dataset')(d, num_workers=8)", None),
    "from hydra.utils import get_object": ("get_object('torch.utils.data.Sampler')(d, num_workers=8)", None),
    "from elsewhere import get_class": ("get_class('torch.utils.data.DataLoader')(d, num_workers=8)", None),
    "import torch as th": ("th.utils.data.DataLoader(d, num_workers=8)", TORCH),
    "import torch.utils.data": ("torch.utils.data.DataLoader(d, num_workers=8)", TORCH),
    "import torch.utils.data as tud": ("tud.DataLoader(d, num_workers=8)", TORCH),
    "from torch.utils import data": ("data.DataLoader(d, num_workers=8)", TORCH),
    "from torch.utils import data as D": ("D.DataLoader(d, num_workers=8)", TORCH),
    "from torch import utils": ("utils.data.DataLoader(d, num_workers=8)", TORCH),
    "from torch.utils.data.dataloader import DataLoader": (
        "DataLoader(d, num_workers=8)",
        "torch.utils.data.dataloader.DataLoader",
    ),
    "from torch.utils.data import *": ("DataLoader(d, num_workers=8)", TORCH),
    "from torch.utils.data import DataLoader\nLoader = DataLoader": ("Loader(d, num_workers=8)", TORCH),
    "import torch\nDL = torch.utils.data.DataLoader": ("DL(d, num_workers=8)", TORCH),
    "try:\n    from elsewhere import DataLoader\nexcept ImportError:\n    from torch.utils.data import DataLoader": (
        "DataLoader(d, num_workers=8)",
        TORCH,
    ),
    "from torchdata.stateful_dataloader import StatefulDataLoader": (
        "StatefulDataLoader(d, num_workers=8)",
        "torchdata.stateful_dataloader.StatefulDataLoader",
    ),
    "from monai.data import DataLoader": ("DataLoader(d, num_workers=8)", "monai.data.DataLoader"),
    "import monai": ("monai.data.DataLoader(d, num_workers=8)", "monai.data.DataLoader"),
    "from monai.data import ThreadDataLoader": (
        "ThreadDataLoader(d, 2, num_workers=8)",
        "monai.data.ThreadDataLoader",
    ),
    "from monai.data import ThreadDataLoader as Processes": (
        "Processes(d, num_workers=8, use_thread_workers=False)",
        "monai.data.ThreadDataLoader",
    ),
    "from monai.data import ThreadDataLoader as Threads": (
        "Threads(d, num_workers=8, use_thread_workers=True)",
        None,
    ),
    "from torch_geometric.loader import GraphSAINTNodeSampler": (
        "GraphSAINTNodeSampler(d, batch_size=6000, num_workers=8)",
        "torch_geometric.loader.GraphSAINTNodeSampler",
    ),
    "import dgl": (
        "dgl.dataloading.DataLoader(graph, ids, sampler, batch_size=1024, num_workers=8)",
        "dgl.dataloading.DataLoader",
    ),
    "from torch_geometric.loader import DataLoader": (
        "DataLoader(d, num_workers=8)",
        "torch_geometric.loader.DataLoader",
    ),
    "from torch_geometric.loader import NeighborLoader": (
        "NeighborLoader(d, num_neighbors=[1], num_workers=8)",
        "torch_geometric.loader.NeighborLoader",
    ),
    "from torch_geometric.loader import RandomNodeLoader": (
        "RandomNodeLoader(d, 4, num_workers=8)",
        "torch_geometric.loader.RandomNodeLoader",
    ),
    "from litdata.streaming import StreamingDataLoader": (
        "StreamingDataLoader(d, num_workers=8)",
        "litdata.streaming.StreamingDataLoader",
    ),
    "from streaming import StreamingDataLoader": (
        "StreamingDataLoader(d, num_workers=8)",
        "streaming.StreamingDataLoader",
    ),
    "import webdataset as wds": ("wds.WebLoader(d, num_workers=8)", "webdataset.WebLoader"),
    "from transformers import TrainingArguments": (
        "TrainingArguments('out', dataloader_num_workers=8)",
        "transformers.TrainingArguments",
    ),
    "from transformers import Seq2SeqTrainingArguments as Arguments": (
        "Arguments(dataloader_num_workers=8)",
        "transformers.Seq2SeqTrainingArguments",
    ),
    "from trl import SFTConfig": ("SFTConfig(dataloader_num_workers=8)", "trl.SFTConfig"),
    "from pytorch_lightning import LightningDataModule": (
        "LightningDataModule.from_datasets(d, num_workers=8)",
        "pytorch_lightning.LightningDataModule.from_datasets",
    ),
    "import lightning as L": (
        "L.LightningDataModule.from_datasets(d, num_workers=8)",
        "lightning.LightningDataModule.from_datasets",
    ),
    "from torch.utils.data import DataLoader\ndef pick():\n    return DataLoader": ("pick()(d, num_workers=8)", TORCH),
    "from torch.utils.data import DataLoader\ndef pick():\n    return DataLoader\nmade = pick()": (
        "made(d, num_workers=8)",
        TORCH,
    ),
    "from torch.utils.data import DataLoader\nKINDS = {'a': DataLoader}\ndef pick(k):\n    return KINDS[k]": (
        "pick('a')(d, num_workers=8)",
        TORCH,
    ),
    # And what only looks like a loader.
    "from torch.utils.data import DataLoader, Dataset\ndef pick():\n    return Dataset": (
        "pick()(d, num_workers=8)",
        None,
    ),
    "": ("DataLoader(d, num_workers=8)", None),
    "from elsewhere import DataLoader": ("DataLoader(d, num_workers=8)", None),
    "from dali.plugin import DataLoader as D": ("D(d, num_workers=8)", None),
    "def DataLoader(d, num_workers):\n    return d": ("DataLoader(d, num_workers=8)", None),
    "class DataLoader:\n    def __init__(self, d, num_workers):\n        pass": ("DataLoader(d, num_workers=8)", None),
    "from torch.utils.data import DataLoader\nDataLoader = make": ("DataLoader(d, num_workers=8)", None),
    "from monai.data import CacheDataset": ("CacheDataset(d, num_workers=8)", None),
    "from monai.apps import DecathlonDataset": ("DecathlonDataset(d, num_workers=8)", None),
    "from datasets import load_dataset": ("load_dataset(d).map(f, num_proc=8)", None),
    "import torch  # a tensor": ("torch.tensor(d, pin_memory=True)", None),
    "from pytorch_lightning import seed_everything": ("seed_everything(1, workers=True)", None),
    "from ray.train import ScalingConfig": ("ScalingConfig(num_workers=8)", None),
    "from streaming import StreamingDataset": ("StreamingDataset(local=d, num_workers=8)", None),
    "from litdata import optimize": ("optimize(fn=f, inputs=d, num_workers=8)", None),
    "import uvicorn": ("uvicorn.run(app, workers=8)", None),
    "import torch.utils.data as data": ("data.DataLoader", None),
    "from torch.utils.data import TensorDataset": ("TensorDataset(d)", None),
}


@pytest.mark.parametrize(("imports", "call", "callee"), [(key, *value) for key, value in CALLEES.items()])
@pytest.mark.parametrize("inside", [False, True], ids=["at the top", "in a function"])
def test_callees(imports: str, call: str, callee: str | None, inside: bool) -> None:
    text = f"{imports}\n{call}\n"
    if inside and "*" in imports:
        return
    if inside:
        text = "def main(d, app, make):\n" + "".join(f"    {line}\n" for line in text.splitlines())
    assert [one.callee for one in loaders_of({"main.py": text})] == ([callee] if callee else [])


WRAPPED = "from torch.utils.data import DataLoader\ndef make(*args, **options):\n    DataLoader(*args, **options)\n"

POSITIONS: dict[str, tuple[str, str, set[str]]] = {
    "torch's sixth is num_workers": (
        "from torch.utils.data import DataLoader\nDataLoader(d, 8, True, None, None, ⟦4⟧)",
        "num_workers",
        {"4"},
    ),
    "by position in one call of a wrapper, by name in another": (
        f"{WRAPPED}make(d, num_workers=⟦8⟧)\nmake(d, 4, True, None, None, ⟦3⟧)\nmake(d)",
        "num_workers",
        {"8", "3", "0 unwritten"},
    ),
    "by name, or by a position that is not seen": (
        f"{WRAPPED}make(d, num_workers=⟦8⟧)\nmake(*elsewhere())",
        "num_workers",
        {"8", "open"},
    ),
    "what torch takes by name alone has no position that is not seen": (
        f"{WRAPPED}make(d, prefetch_factor=⟦8⟧)\nmake(*elsewhere())",
        "prefetch_factor",
        {"8", "None unwritten"},
    ),
    "torch's second is batch_size": (
        "from torch.utils.data import DataLoader\nDataLoader(d, ⟦8⟧)",
        "batch_size",
        {"8"},
    ),
    "a sampler of graphs makes batches of its own": (
        "from torch_geometric.loader import GraphSAINTNodeSampler\nGraphSAINTNodeSampler(d, batch_size=6000)",
        "batch_size",
        {"1 unwritten"},
    ),
    "MONAI's second is num_workers": ("from monai.data import DataLoader\nDataLoader(d, ⟦4⟧)", "num_workers", {"4"}),
    "MONAI's second is not batch_size": (
        "from monai.data import DataLoader\nDataLoader(d, 4)",
        "batch_size",
        {"1 unwritten"},
    ),
    "PyG's third is shuffle": (
        "from torch_geometric.loader import DataLoader\nDataLoader(d, 8, ⟦True⟧)",
        "shuffle",
        {"True"},
    ),
    "a starred argument hides what comes after it": (
        "from torch.utils.data import DataLoader\nDataLoader(*both)",
        "num_workers",
        {"open"},
    ),
    "a starred argument hides nothing that is written": (
        "from torch.utils.data import DataLoader\nDataLoader(*both, num_workers=⟦4⟧)",
        "num_workers",
        {"4"},
    ),
    "TrainingArguments' worker count": (
        "from transformers import TrainingArguments\nTrainingArguments('o', dataloader_num_workers=⟦4⟧)",
        "num_workers",
        {"4"},
    ),
    "TrainingArguments' prefetch factor": (
        "from transformers import TrainingArguments\nTrainingArguments('o', dataloader_prefetch_factor=⟦4⟧)",
        "prefetch_factor",
        {"4"},
    ),
    "TrainingArguments' splat": (
        "from transformers import TrainingArguments\no = {'dataloader_num_workers': ⟦4⟧}\nTrainingArguments('o', **o)",
        "num_workers",
        {"4"},
    ),
    "torch's name means nothing to TrainingArguments": (
        "from transformers import TrainingArguments\nTrainingArguments('o', num_workers=4)",
        "num_workers",
        {"0 unwritten"},
    ),
    "a context by name": (
        "from torch.utils.data import DataLoader\nDataLoader(d, multiprocessing_context=⟦'spawn'⟧)",
        "multiprocessing_context",
        {"'spawn'"},
    ),
    "a context object": (
        "import multiprocessing as mp\nfrom torch.utils.data import DataLoader\n"
        "DataLoader(d, multiprocessing_context=mp.get_context(⟦'fork'⟧))",
        "multiprocessing_context",
        {"'fork'"},
    ),
    "a context object nobody sees": (
        "from torch.utils.data import DataLoader\nDataLoader(d, multiprocessing_context=context())",
        "multiprocessing_context",
        {"open"},
    ),
}


@pytest.mark.parametrize(("text", "option", "expected"), POSITIONS.values(), ids=POSITIONS.keys())
def test_how_callables_take_their_options(text: str, option: str, expected: set[str]) -> None:
    assert traced({"main.py": text}, option) == expected


OWN_ARGUMENTS = (
    "from dataclasses import dataclass, field\nfrom transformers import TrainingArguments\n@dataclass\n"
    "class Own(TrainingArguments):\n    dataloader_num_workers: int = "
)

SUBCLASSES: dict[str, tuple[Files, set[str]]] = {
    "without a constructor": ("class Loader(DataLoader):\n    pass\nLoader(d, num_workers=⟦8⟧)", {"8"}),
    "without a constructor, by position": (
        "class Loader(DataLoader):\n    pass\nLoader(d, 4, True, None, None, ⟦8⟧)",
        {"8"},
    ),
    "of a subclass": (
        "class One(DataLoader):\n    pass\nclass Two(One):\n    pass\nTwo(d, num_workers=⟦8⟧)",
        {"8"},
    ),
    "with a constructor that hands a parameter on": (
        """
        class Loader(DataLoader):
            def __init__(self, data, workers=4):
                super().__init__(data, num_workers=workers)
        Loader(d, workers=⟦8⟧)
        """,
        {"8"},
    ),
    "with a constructor that writes the option": (
        """
        class Loader(DataLoader):
            def __init__(self, data):
                super().__init__(data, num_workers=⟦8⟧)
        Loader(d)
        """,
        {"8"},
    ),
    "with a constructor that hands keywords on": (
        """
        class Loader(DataLoader):
            def __init__(self, data, **kwargs):
                super().__init__(data, **kwargs)
        Loader(d, num_workers=⟦8⟧)
        """,
        {"8"},
    ),
    "with a constructor that hands everything on": (
        """
        class Loader(DataLoader):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
        Loader(d, num_workers=⟦8⟧)
        """,
        {"8"},
    ),
    "super() in full": (
        """
        class Loader(DataLoader):
            def __init__(self, data, workers):
                super(Loader, self).__init__(data, num_workers=workers)
        Loader(d, ⟦8⟧)
        """,
        {"8"},
    ),
    "the base's constructor by name": (
        """
        class Loader(DataLoader):
            def __init__(self, data, workers):
                DataLoader.__init__(self, data, num_workers=workers)
        Loader(d, ⟦8⟧)
        """,
        {"8"},
    ),
    "a dictionary built for the base": (
        """
        class Loader(DataLoader):
            def __init__(self, data, batch_size, shuffle, split, num_workers):
                self.init_kwargs = {
                    'dataset': data,
                    'batch_size': batch_size,
                    'num_workers': num_workers,
                }
                super().__init__(**self.init_kwargs)
        class Digits(Loader):
            def __init__(self, batch_size, num_workers=⟦1⟧):
                super().__init__(1, batch_size, True, 0.1, num_workers)
        """,
        {"1", "open"},
    ),
    "in another file": (
        {
            "base.py": f"{IMPORT}class Loader(DataLoader):\n    pass\n",
            "main.py": "from base import Loader\nLoader(d, num_workers=⟦8⟧)\n",
        },
        {"8"},
    ),
    "a subclass of another library's loader": (
        {"main.py": "from elsewhere import DataLoader\nclass L(DataLoader):\n    pass\nL(d, num_workers=8)\n"},
        {"no loader"},
    ),
    "a class that only holds a loader": (
        """
        class Loader:
            def __init__(self, data, workers):
                self.loader = DataLoader(data, num_workers=workers)
        Loader(d, ⟦8⟧)
        """,
        {"8"},
    ),
    "training arguments of one's own": (
        {
            "main.py": "from dataclasses import dataclass\nfrom transformers import TrainingArguments\n@dataclass\n"
            "class Arguments(TrainingArguments):\n    rank: int = 4\nArguments('o', dataloader_num_workers=⟦8⟧)\n"
        },
        {"8"},
    ),
    "training arguments of one's own with another default": (
        {
            "main.py": f"{OWN_ARGUMENTS}field(default=⟦8⟧)\n"
            "@dataclass\nclass Arguments(Own):\n    rank: int = 4\nArguments('o')\n"
        },
        {"8"},
    ),
    "training arguments of one's own that are given another number": (
        {"main.py": f"{OWN_ARGUMENTS}8\nOwn('o', dataloader_num_workers=⟦2⟧)\n"},
        {"2"},
    ),
    "a factory that chooses the class": (
        """
        class Loader(DataLoader):
            pass
        def make(data, infinite, workers):
            loader = Loader if infinite else DataLoader
            return loader(data, num_workers=workers)
        make(d, some(), ⟦8⟧)
        """,
        {"8"},
    ),
    "a class taken out of a module by name is not seen": (
        """
        import torch.utils.data as data
        getattr(data, name)(d, num_workers=8)
        """,
        {"no loader"},
    ),
    "a partial of a loader": (
        "from functools import partial\nmake = partial(DataLoader, num_workers=⟦8⟧)\nmake(d)",
        {"8"},
    ),
    "a partial that a loop makes of itself": (
        """
        from functools import partial
        make = partial(DataLoader, num_workers=⟦8⟧)
        for size in sizes:
            make = partial(make, batch_size=size)
        make(d)
        """,
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), SUBCLASSES.values(), ids=SUBCLASSES.keys())
def test_subclasses_and_wrappers(files: Files, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("decorated", "workers"), [("@dataclass", [8]), ("", [0])])
def test_only_a_dataclass_makes_its_objects_with_the_defaults_of_its_fields(decorated: str, workers: list[int]) -> None:
    (loader,) = loaders_of(f"{OWN_ARGUMENTS.replace('@dataclass', decorated)}8\nOwn('o')\n")
    assert [one.constant for one in loader.num_workers.candidates if one.constant is not None] == workers


LIGHTNING: dict[str, tuple[str, set[str]]] = {
    "a hook": (
        """
        import lightning as L
        class Data(L.LightningDataModule):
            def __init__(self, workers: int = 4):
                super().__init__()
                self.workers = workers
            def train_dataloader(self):
                return DataLoader(1, num_workers=self.workers)
        Data(workers=⟦8⟧)
        """,
        {"8"},
    ),
    "a helper of the hooks": (
        """
        import lightning as L
        class Data(L.LightningDataModule):
            def train_dataloader(self):
                return self._loader(1, ⟦8⟧)
            def val_dataloader(self):
                return self._loader(2, ⟦0⟧)
            def _loader(self, data, workers):
                return DataLoader(data, num_workers=workers)
        """,
        {"8", "0"},
    ),
    "a base class and its child": (
        """
        import lightning as L
        class Base(L.LightningDataModule):
            def __init__(self, workers=2, **kwargs):
                super().__init__()
                self.workers = workers
            def train_dataloader(self):
                return DataLoader(1, num_workers=self.workers)
        class Child(Base):
            def __init__(self, size, **kwargs):
                super().__init__(**kwargs)
        Child(1, workers=⟦8⟧)
        """,
        {"8"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), LIGHTNING.values(), ids=LIGHTNING.keys())
def test_data_modules(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


LAMBDAS: Cases = {
    "called by position and by keyword": (
        "load = lambda n: DataLoader(data, num_workers=n)\nload(⟦1⟧)\nload(n=⟦2⟧)",
        {"1", "2"},
    ),
    "a default that one call leaves": (
        "load = lambda n=⟦4⟧: DataLoader(data, num_workers=n)\nload()\nload(n=⟦2⟧)",
        {"4", "2"},
    ),
    "a default that every call overrides": (
        "load = lambda n=4: DataLoader(data, num_workers=n)\nload(⟦2⟧)",
        {"2"},
    ),
    "all that it is given handed on": (
        "load = lambda *given, **options: DataLoader(*given, **options)\nload(data, 8, num_workers=⟦2⟧)",
        {"2"},
    ),
    "called in a function around it": (
        "def main(n):\n    load = lambda shuffle: DataLoader(data, num_workers=n)\n    load(True)\nmain(⟦3⟧)",
        {"3"},
    ),
    "handed to something that is not seen": (
        "load = lambda n=⟦4⟧: DataLoader(data, num_workers=n)\nrun(load)",
        {"4", "open"},
    ),
    "without a name": ("run(lambda n: DataLoader(data, num_workers=n))", {"open"}),
    "its name stands for another one when it is called": (
        "load = lambda n: DataLoader(data, num_workers=n)\nload = lambda n: n\nload(4)",
        {"open"},
    ),
    "of a class": (
        "class Data:\n    load = lambda self, n: DataLoader(data, num_workers=n)\nData().load(3)",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), LAMBDAS.values(), ids=LAMBDAS.keys())
def test_lambdas_are_called_by_their_name(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_a_call_that_is_looked_at_while_it_is_being_followed_is_found_afterwards() -> None:
    assert traced(
        """\
        import argparse
        def outer(runner, cfg):
            return DataLoader(data, batch_size=runner.count(cfg))
        class Runner:
            def count(self, cfg):
                if cfg.again:
                    outer(Runner(), cfg)
                self.loader = DataLoader(data, num_workers=cfg.workers)
                return 3
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        parser.add_argument("--again", action="store_true")
        outer(Runner(), parser.parse_args())
        """
    ) == {"4", "open", "0 unwritten"}
