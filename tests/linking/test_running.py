from __future__ import annotations

from textwrap import dedent

import pytest

from tests.linking.traced import IMPORT, Files, loaders_of

LOADER = "loader = DataLoader(data, num_workers=2)\n"
HELD = "loaders = {'a': DataLoader(data, num_workers=2)}\n"

UNGUARDED: dict[str, tuple[Files, list[str]]] = {
    "for": (LOADER + "for batch in loader:\n    train(batch)\n", ["loader"]),
    "for over the call": (
        "for batch in DataLoader(data, num_workers=2):\n    pass\n",
        ["DataLoader(data, num_workers=2)"],
    ),
    "enumerate": (LOADER + "for i, batch in enumerate(loader):\n    pass\n", ["enumerate(loader)"]),
    "next and iter": (LOADER + "batch = next(iter(loader))\n", ["next(iter(loader))"]),
    "iter alone": (LOADER + "batches = iter(loader)\n", ["iter(loader)"]),
    "the method that iter calls": (LOADER + "batches = loader.__iter__()\n", ["loader.__iter__()"]),
    "its first batch": (LOADER + "batch = next(loader.__iter__())\n", ["loader.__iter__()"]),
    "a comprehension": (LOADER + "sizes = [len(batch) for batch in loader]\n", ["[len(batch) for batch in loader]"]),
    "list": (LOADER + "batches = list(loader)\n", ["list(loader)"]),
    "sum of a generator": (LOADER + "n = sum(1 for batch in loader)\n", ["(1 for batch in loader)"]),
    "tqdm": (LOADER + "from tqdm import tqdm\nfor batch in tqdm(loader):\n    pass\n", ["tqdm(loader)"]),
    "tqdm of enumerate": (
        LOADER + "from tqdm import tqdm\nfor i, b in tqdm(enumerate(loader), total=3):\n    pass\n",
        ["tqdm(enumerate(loader), total=3)"],
    ),
    "zip": (LOADER + "for a, b in zip(loader, range(3)):\n    pass\n", ["zip(loader, range(3))"]),
    "under a condition": (LOADER + "if wanted():\n    for batch in loader:\n        pass\n", ["loader"]),
    "in a loop of epochs": (LOADER + "for epoch in range(3):\n    for batch in loader:\n        pass\n", ["loader"]),
    "in a with": (LOADER + "with open(p) as f:\n    for batch in loader:\n        pass\n", ["loader"]),
    "in a try": (LOADER + "try:\n    for batch in loader:\n        pass\nexcept OSError:\n    pass\n", ["loader"]),
    "a dictionary of loaders": (
        "loaders = {'train': DataLoader(data, num_workers=2)}\nfor batch in loaders['train']:\n    pass\n",
        ["loaders['train']"],
    ),
    "each in a dictionary": (
        HELD + "rows = {n: [row for row in one] for n, one in loaders.items()}\n",
        ["{n: [row for row in one] for n, one in loaders.items()}"],
    ),
    "each in a dictionary, handed on": (
        HELD + "for name, one in loaders.items():\n    train(name, one)\n",
        ["loaders.items()"],
    ),
    "a function": (
        """
        def main():
            for batch in DataLoader(data, num_workers=2):
                pass
        main()
        """,
        ["main()"],
    ),
    "a function that calls a function": (
        """
        def train():
            for batch in DataLoader(data, num_workers=2):
                pass
        def main():
            train()
        main()
        """,
        ["main()"],
    ),
    "a function with a name like a guard": (
        """
        def __main__():
            for batch in DataLoader(data, num_workers=2):
                pass
        __main__()
        """,
        ["__main__()"],
    ),
    "a loader handed to a function": (
        """
        def train(loader):
            for batch in loader:
                pass
        train(DataLoader(data, num_workers=2))
        """,
        ["train(DataLoader(data, num_workers=2))"],
    ),
    "a loader a function gives": (
        """
        def load():
            return DataLoader(data, num_workers=2)
        for batch in load():
            pass
        """,
        ["load()"],
    ),
    "one of two loaders a function gives": (
        """
        def load():
            return 1, DataLoader(data, num_workers=2)
        _, loader = load()
        for batch in loader:
            pass
        """,
        ["loader"],
    ),
    "one of several things that accelerate prepares": (
        """
        from accelerate import Accelerator
        accelerator = Accelerator()
        loader = DataLoader(data, num_workers=2)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for batch in loader:
            model(batch)
        """,
        ["loader"],
    ),
    "one of two loaders that Fabric sets up": (
        """
        import lightning
        fabric = lightning.Fabric(accelerator="cpu")
        loader, other = fabric.setup_dataloaders(DataLoader(data, num_workers=2), rows)
        for batch in loader:
            pass
        """,
        ["loader"],
    ),
    "a method": (
        """
        class Trainer:
            def __init__(self):
                self.loader = DataLoader(data, num_workers=2)
            def train(self):
                for batch in self.loader:
                    pass
        Trainer().train()
        """,
        ["Trainer().train()"],
    ),
    "a method of an object kept": (
        """
        class Trainer:
            def __init__(self, loader):
                self.loader = loader
            def train(self):
                for batch in self.loader:
                    pass
        trainer = Trainer(DataLoader(data, num_workers=2))
        trainer.train()
        """,
        ["trainer.train()"],
    ),
    "a constructor": (
        """
        class Trainer:
            def __init__(self):
                for batch in DataLoader(data, num_workers=2):
                    pass
        Trainer()
        """,
        ["Trainer()"],
    ),
    "Lightning's trainer": (
        """
        from pytorch_lightning import Trainer
        loader = DataLoader(data, num_workers=2)
        trainer = Trainer(max_epochs=1)
        trainer.fit(model, loader)
        """,
        ["trainer.fit(model, loader)"],
    ),
    "Lightning's trainer and a data module": (
        """
        import lightning as L
        class Data(L.LightningDataModule):
            def train_dataloader(self):
                return DataLoader(data, num_workers=2)
        L.Trainer().fit(model, datamodule=Data())
        """,
        ["L.Trainer().fit(model, datamodule=Data())"],
    ),
    "Hugging Face's trainer": (
        """
        from transformers import Trainer, TrainingArguments
        arguments = TrainingArguments("out", dataloader_num_workers=2)
        trainer = Trainer(model=model, args=arguments)
        trainer.train()
        """,
        ["trainer.train()"],
    ),
    "fire": (
        """
        import fire
        def main():
            for batch in DataLoader(data, num_workers=2):
                pass
        fire.Fire(main)
        """,
        ["fire.Fire(main)"],
    ),
    "typer": (
        """
        import typer
        def main():
            for batch in DataLoader(data, num_workers=2):
                pass
        typer.run(main)
        """,
        ["typer.run(main)"],
    ),
    "sys.exit of what main gives": (
        """
        import sys
        def main():
            for batch in DataLoader(data, num_workers=2):
                pass
        sys.exit(main())
        """,
        ["main()"],
    ),
    "the other arm of the guard": (
        """
        loader = DataLoader(data, num_workers=2)
        if __name__ == "__main__":
            pass
        else:
            for batch in loader:
                pass
        """,
        ["loader"],
    ),
    "a test that is no guard": (
        LOADER + 'if __name__ != "__main__":\n    for batch in loader:\n        pass\n',
        ["loader"],
    ),
    "the process has no parent": (
        # Where a worker imports the main module, it knows of no parent yet (CPython, process.py, _bootstrap).
        LOADER
        + "import multiprocessing as mp\nif mp.parent_process() is None:\n    for batch in loader:\n        pass\n",
        ["loader"],
    ),
    "after the call for a notebook": (
        LOADER + "try:\n    get_ipython()\nexcept NameError:\n    pass\nfor batch in loader:\n    pass\n",
        ["loader"],
    ),
    "a shell that is imported": (
        LOADER + "from IPython import get_ipython\nget_ipython()\nfor batch in loader:\n    pass\n",
        ["loader"],
    ),
    "a shell that a function imports": (
        """
        def shell():
            from IPython import get_ipython
            get_ipython()
            for batch in DataLoader(data, num_workers=2):
                pass
        shell()
        """,
        ["shell()"],
    ),
    "a function by the name of the notebook's": (
        LOADER
        + "def get_ipython():\n    pass\nif 'get_ipython' in globals():\n    for batch in loader:\n        pass\n",
        ["loader"],
    ),
    "a notebook's name among others": (
        LOADER + "if 'google.colab' in ['google.colab']:\n    for batch in loader:\n        pass\n",
        ["loader"],
    ),
    "a notebook or an option": (
        LOADER + "import sys\nif 'ipykernel' in sys.modules or sys.argv[1:]:\n    for batch in loader:\n        pass\n",
        ["loader"],
    ),
    "where there is no notebook": (
        LOADER + "if 'get_ipython' not in globals():\n    for batch in loader:\n        pass\n",
        ["loader"],
    ),
    "a function called under another name": (
        """
        def train(name):
            if name == "__main__":
                for batch in DataLoader(data, num_workers=2):
                    pass
        train("__main__")
        """,
        ['train("__main__")'],
    ),
    "main called twice": (
        """
        def main():
            for batch in DataLoader(data, num_workers=2):
                pass
        main()
        main()
        """,
        ["main()"],
    ),
    "the body of a class": (
        """
        class Settings:
            loader = DataLoader(data, num_workers=2)
            first = next(iter(loader))
        """,
        ["next(iter(loader))"],
    ),
    "the body of a class in a function": (
        """
        def main():
            class Settings:
                first = next(iter(DataLoader(data, num_workers=2)))
        main()
        """,
        ["main()"],
    ),
    "a call in the body of a class": (
        """
        def first():
            return next(iter(DataLoader(data, num_workers=2)))
        class Settings:
            class Inner:
                batch = first()
        """,
        ["first()"],
    ),
    "an iterator of the project": (
        """
        class Batches:
            def __init__(self, loader):
                self.loader = loader
            def __iter__(self):
                for batch in self.loader:
                    yield batch
        batches = Batches(DataLoader(data, num_workers=2))
        for batch in batches:
            pass
        """,
        ["batches"],
    ),
    "an iterator of the project in a function": (
        """
        class Batches:
            def __init__(self, loader):
                self.loader = loader
            def __iter__(self):
                yield from self.loader
        def main():
            batches = Batches(DataLoader(data, num_workers=2))
            next(iter(batches))
        main()
        """,
        ["main()"],
    ),
    "a generator of what a loader gives": (
        LOADER + "def batches():\n    yield from loader\nfor batch in batches():\n    pass\n",
        ["batches()"],
    ),
    "a list that a loop fills": (
        """
        loaders = []
        for data in several:
            loaders.append(DataLoader(data, num_workers=2))
        for loader in loaders:
            for batch in loader:
                pass
        """,
        ["loader"],
    ),
    "one of a list that a loop fills": (
        """
        loaders = []
        for data in several:
            loaders.append(DataLoader(data, num_workers=2))
        batch = next(iter(loaders[0]))
        """,
        ["iter(loaders[0])"],
    ),
    "a dictionary that a loop fills": (
        """
        loaders = {}
        for name, data in several:
            loaders[name] = DataLoader(data, num_workers=2)
        for name, loader in loaders.items():
            for batch in loader:
                pass
        """,
        ["loader"],
    ),
}

QUIET: dict[str, Files] = {
    "constructed only": LOADER,
    "constructed by a function that is called": """
        def load():
            return DataLoader(data, num_workers=2)
        loader = load()
        """,
    "another thing's iterator": LOADER + "batches = loader.dataset.__iter__()\n",
    "its method alone": LOADER + "begin = loader.__iter__\n",
    "its method in a function that is not called": LOADER + "def begin():\n    return loader.__iter__()\n",
    "its length asked": LOADER + "steps = len(loader)\nfor i in range(len(loader)):\n    pass\n",
    "iterated in a function nobody calls": LOADER + "def main():\n    for batch in loader:\n        pass\n",
    "iterated under the guard": LOADER + 'if __name__ == "__main__":\n    for batch in loader:\n        pass\n',
    "the guard the other way round": LOADER + "if '__main__' == __name__:\n    for batch in loader:\n        pass\n",
    "the guard with in": LOADER + "if __name__ in ('__main__',):\n    for batch in loader:\n        pass\n",
    "the guard with and": LOADER + 'if __name__ == "__main__" and ok():\n    for batch in loader:\n        pass\n',
    "the guard by the name of the process": """
        from multiprocessing import current_process
        loader = DataLoader(data, num_workers=2)
        if current_process().name == "MainProcess":
            for batch in loader:
                pass
        """,
    "the guard by the name of another process": """
        import torch.multiprocessing as mp
        loader = DataLoader(data, num_workers=2)
        if mp.current_process().name != "MainProcess":
            print("a worker")
        else:
            for batch in loader:
                pass
        """,
    "the guard in the function that is called": """
        def train(name):
            if name == "__main__":
                for batch in DataLoader(data, num_workers=2):
                    pass
        train(__name__)
        """,
    "the guard in a function around another": """
        def train():
            for batch in DataLoader(data, num_workers=2):
                pass
        def main():
            if __name__ == "__main__":
                train()
        main()
        """,
    "the guard of a notebook": LOADER + "if 'get_ipython' in globals():\n    for batch in loader:\n        pass\n",
    "the guard of a notebook's kernel": """
        import sys
        loader = DataLoader(data, num_workers=2)
        if "ipykernel" not in sys.modules:
            sys.exit()
        for batch in loader:
            pass
        """,
    "the guard of a notebook under a name": """
        import sys
        loader = DataLoader(data, num_workers=2)
        IN_COLAB = "google.colab" in sys.modules
        if IN_COLAB:
            for batch in loader:
                pass
        """,
    "the guard of a notebook under a name, in a function": """
        import sys
        IN_COLAB = "google.colab" in sys.modules
        def main():
            if IN_COLAB:
                for batch in DataLoader(data, num_workers=2):
                    pass
        main()
        """,
    "the guard of a notebook or of the main module": """
        import sys
        loader = DataLoader(data, num_workers=2)
        if __name__ == "__main__" or "google.colab" in sys.modules:
            for batch in loader:
                pass
        """,
    "the guard of what a notebook adds": """
        import builtins
        loader = DataLoader(data, num_workers=2)
        if hasattr(builtins, "__IPYTHON__"):
            for batch in loader:
                pass
        """,
    "the guard of a call that was tried": """
        loader = DataLoader(data, num_workers=2)
        try:
            get_ipython()
            NOTEBOOK = True
        except NameError:
            NOTEBOOK = False
        if NOTEBOOK:
            for batch in loader:
                pass
        """,
    "the guard of a call that was tried, in a function": """
        try:
            get_ipython()
            NOTEBOOK = True
        except NameError:
            NOTEBOOK = False
        def main():
            if NOTEBOOK:
                for batch in DataLoader(data, num_workers=2):
                    pass
        main()
        """,
    "the guard by the name of the process under a name, in a function": """
        from multiprocessing import current_process
        IS_MAIN = current_process().name == "MainProcess"
        def main():
            if IS_MAIN:
                for batch in DataLoader(data, num_workers=2):
                    pass
        main()
        """,
    "the guard under a name, in a function": """
        MAIN = __name__ == "__main__"
        def main():
            if MAIN:
                for batch in DataLoader(data, num_workers=2):
                    pass
        main()
        """,
    "the guard of a call that only a notebook knows": """
        loader = DataLoader(data, num_workers=2)
        try:
            get_ipython()
            for batch in loader:
                pass
        except NameError:
            pass
        """,
    "a function called under the guard": """
        def main():
            for batch in DataLoader(data, num_workers=2):
                pass
        if __name__ == "__main__":
            main()
        """,
    "a method called under the guard": """
        class Trainer:
            def __init__(self):
                self.loader = DataLoader(data, num_workers=2)
            def train(self):
                for batch in self.loader:
                    pass
        if __name__ == "__main__":
            Trainer().train()
        """,
    "a decorated command": """
        import click
        @click.command()
        def main():
            for batch in DataLoader(data, num_workers=2):
                pass
        if __name__ == "__main__":
            main()
        """,
    "another function of the module called": """
        def setup():
            pass
        def main():
            for batch in DataLoader(data, num_workers=2):
                pass
        setup()
        """,
    "a trainer made but not started": """
        from pytorch_lightning import Trainer
        loader = DataLoader(data, num_workers=2)
        trainer = Trainer(max_epochs=1)
        """,
    "something else with a method called fit": """
        from sklearn.svm import SVC
        loader = DataLoader(data, num_workers=2)
        SVC().fit(loader, 1)
        """,
    "another of the things that accelerate prepares": """
        from accelerate import Accelerator
        accelerator = Accelerator()
        loader = DataLoader(data, num_workers=2)
        rows, prepared = accelerator.prepare(rows, loader)
        for row in rows:
            print(row)
        """,
    "another name iterated": LOADER + "for one in others:\n    pass\n",
    "the data set iterated": LOADER + "for one in loader.dataset:\n    pass\n",
    "a name bound again": LOADER + "loader = [1, 2]\nfor one in loader:\n    pass\n",
    "the body of a class that makes it": "class Settings:\n    loader = DataLoader(data, num_workers=2)\n",
    "the body of a class under a guard": """
        if __name__ == "__main__":
            class Settings:
                first = next(iter(DataLoader(data, num_workers=2)))
        """,
    "a guard in the body of a class": """
        class Settings:
            if __name__ == "__main__":
                first = next(iter(DataLoader(data, num_workers=2)))
        """,
    "a method of a class that nothing calls": """
        class Settings:
            def first(self):
                return next(iter(DataLoader(data, num_workers=2)))
        """,
    "the body of a class in a function that nothing calls": """
        def main():
            class Settings:
                first = next(iter(DataLoader(data, num_workers=2)))
        """,
    "an iterator of the project that nothing iterates": """
        class Batches:
            def __init__(self, loader):
                self.loader = loader
            def __iter__(self):
                yield from self.loader
        batches = Batches(DataLoader(data, num_workers=2))
        print(batches.loader.batch_size)
        """,
    "an iterator of the project under a guard": """
        class Batches:
            def __init__(self, loader):
                self.loader = loader
            def __iter__(self):
                yield from self.loader
        if __name__ == "__main__":
            for batch in Batches(DataLoader(data, num_workers=2)):
                pass
        """,
    "an iterator of the project over something else": """
        class Names:
            def __init__(self, names):
                self.names = names
            def __iter__(self):
                yield from self.names
        loader = DataLoader(data, num_workers=2)
        for name in Names(["a", "b"]):
            print(name)
        """,
    "a generator that nothing calls": LOADER + "def batches():\n    yield from loader\n",
    "the length of each in a dictionary": HELD + "sizes = {name: len(one) for name, one in loaders.items()}\n",
    "the sum of the lengths": HELD + "print(sum(len(one) for one in loaders.values()))\n",
    "what each was made of": HELD + "for turn, one in enumerate([*loaders.values()]):\n    print(one.dataset)\n",
    "the keys of a dictionary": HELD + "for name in loaders:\n    wanted(name)\n",
    "the length of each in a list that a loop fills": """
        loaders = []
        for data in several:
            loaders.append(DataLoader(data, num_workers=2))
        for loader in loaders:
            print(len(loader))
        """,
    "a list that a loop fills, iterated under a guard": """
        loaders = []
        for data in several:
            loaders.append(DataLoader(data, num_workers=2))
        if __name__ == "__main__":
            for loader in loaders:
                for batch in loader:
                    pass
        """,
    "a list that is filled after it was iterated": """
        loaders = []
        for loader in loaders:
            for batch in loader:
                pass
        for data in several:
            loaders.append(DataLoader(data, num_workers=2))
        """,
    "a dictionary whose keys get what others of it hold": (
        LOADER
        + "rows = {}\n"
        + "".join(f"rows['a{place}'] = rows['b{place}']\n" for place in range(60))
        + "for row in rows['c']:\n    pass\n"
    ),
    "another list that a loop fills": """
        loaders, sizes = [], []
        for data in several:
            loaders.append(DataLoader(data, num_workers=2))
            sizes.append([len(data)])
        for size in sizes:
            for one in size:
                pass
        """,
}


@pytest.mark.parametrize(("files", "expected"), UNGUARDED.values(), ids=UNGUARDED.keys())
def test_what_iterates_a_loader_whenever_the_file_is_imported(files: str, expected: list[str]) -> None:
    (loader,) = loaders_of(dedent(files))
    assert [one.what for one in loader.unguarded] == expected
    assert loader.program.guarded is False


@pytest.mark.parametrize("files", QUIET.values(), ids=QUIET.keys())
def test_what_iterates_nothing_at_import(files: str) -> None:
    (loader,) = loaders_of(dedent(files))
    assert loader.unguarded == ()
    assert loader.program.guarded is not False


PACKAGE = {
    "app/__init__.py": "",
    "app/train.py": "from torch.utils.data import DataLoader\ndef main():\n    next(iter(DataLoader([1])))\n",
}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("app/__main__.py", "from .train import main\nmain()\n", []),
        ("app/__main__.py", "from app.train import main\nmain()\n", ["main()"]),
        (
            "app/__main__.py",
            "try:\n    from .train import main\nexcept ImportError:\n    from train import main\nmain()\n",
            ["main()"],
        ),
        ("app/run.py", "from .train import main\nmain()\n", ["main()"]),
    ],
)
def test_workers_run_no_main_file_of_a_package_that_is_run_by_its_name(
    path: str, text: str, expected: list[str]
) -> None:
    (loader,) = loaders_of({**PACKAGE, path: text})
    assert [one.what for one in loader.unguarded] == expected
    assert loader.program.guarded is not bool(expected)


GUARDED = {name for name in QUIET if "guard" in name or name == "a decorated command"}


@pytest.mark.parametrize("name", sorted(QUIET))
def test_a_program_is_guarded_only_when_its_iteration_was_seen_under_a_guard(name: str) -> None:
    (loader,) = loaders_of(dedent(str(QUIET[name])))
    assert (loader.program.guarded is True) is (name in GUARDED)


ENDING_WORKERS = {
    "an error under another name": 'if __name__ != "__main__": raise ImportError',
    "an exit in another process": 'if mp.current_process().name != "MainProcess": raise SystemExit',
    "an assert": 'assert __name__ == "__main__", "a script"',
    "an exit behind the guard": 'if __name__ == "__main__": pass\nelse: sys.exit()',
}


@pytest.mark.parametrize("statement", ENDING_WORKERS.values(), ids=ENDING_WORKERS.keys())
def test_what_ends_workers_that_import_the_main_file_is_found_in_place_of_what_follows(statement: str) -> None:
    run = "for batch in DataLoader(data, num_workers=2): pass\n"
    (loader,) = loaders_of(f"import sys\nimport torch.multiprocessing as mp\n{statement}\n{run}")
    assert [touch.ends for touch in loader.unguarded] == [True]
    assert loader.program.guarded is False


def test_what_comes_before_the_end_of_workers_is_found_as_well() -> None:
    (loader,) = loaders_of('for batch in DataLoader(data, num_workers=2): pass\nassert __name__ == "__main__"\n')
    assert [touch.ends for touch in loader.unguarded] == [False, True]


OTHER_FILES: dict[str, tuple[dict[str, str], list[str]]] = {
    "a loader imported and iterated": (
        {
            "data.py": IMPORT + LOADER,
            "main.py": "from data import loader\nfor batch in loader:\n    pass\n",
        },
        ["main.py:2:14 loader"],
    ),
    "a loader read from its module": (
        {
            "data.py": IMPORT + LOADER,
            "main.py": "import data\nfor batch in data.loader:\n    pass\n",
        },
        ["main.py:2:14 data.loader"],
    ),
    "a function imported and called": (
        {
            "train.py": f"{IMPORT}def main():\n    for batch in DataLoader(1, num_workers=2):\n        pass\n",
            "main.py": "from train import main\nmain()\n",
        },
        ["main.py:2:1 main()"],
    ),
    "a function imported and called under a guard": (
        {
            "train.py": f"{IMPORT}def main():\n    for batch in DataLoader(1, num_workers=2):\n        pass\n",
            "main.py": 'from train import main\nif __name__ == "__main__":\n    main()\n',
        },
        [],
    ),
    "a loader iterated by the file that is imported": (
        {
            "data.py": f"{IMPORT}{LOADER}for batch in loader:\n    pass\n",
            "main.py": 'import data\nif __name__ == "__main__":\n    pass\n',
        },
        ["data.py:3:14 loader"],
    ),
    "a loader iterated by a function of the file that makes it": (
        {
            "data.py": f"{IMPORT}{LOADER}def run():\n    for batch in loader:\n        pass\n",
            "main.py": "import data\ndata.run()\n",
        },
        ["main.py:2:1 data.run()"],
    ),
    "a loader imported and not iterated": (
        {"data.py": IMPORT + LOADER, "main.py": "from data import loader\nprint(len(loader))\n"},
        [],
    ),
}


@pytest.mark.parametrize(("files", "expected"), OTHER_FILES.values(), ids=OTHER_FILES.keys())
def test_iterations_in_other_files(files: dict[str, str], expected: list[str]) -> None:
    (loader,) = loaders_of(files)
    assert [f"{one.span} {one.what}" for one in loader.unguarded] == expected


def test_each_of_two_loaders_has_its_own_iterations() -> None:
    train, test = loaders_of(
        "train = DataLoader(1, num_workers=2)\ntest = DataLoader(2, num_workers=2)\nfor batch in train:\n    pass\n"
    )
    assert [one.what for one in train.unguarded] == ["train"]
    assert test.unguarded == ()


HANDED = f"{IMPORT}def train(loader):\n    for batch in loader:\n        pass\n"
OWN = f"from train import train\n{IMPORT}train(DataLoader(1, num_workers=0))\n"
OTHERS: dict[str, dict[str, str]] = {
    "in a function that it does not run": {
        "train.py": f"{HANDED}def from_settings():\n    train(DataLoader(2, num_workers=2))\n",
        "main.py": OWN,
    },
    "in another program": {"train.py": HANDED, "main.py": OWN, "other.py": OWN.replace("=0", "=2")},
}


@pytest.mark.parametrize("files", OTHERS.values(), ids=OTHERS.keys())
def test_a_run_iterates_none_of_the_loaders_that_are_made(files: dict[str, str]) -> None:
    (other,) = [one for one in loaders_of(files) if one.num_workers.candidates[0].constant == 2]
    assert "main.py" not in {one.span.path for one in other.unguarded}


def test_a_run_iterates_what_a_property_makes_beside_what_it_makes_itself() -> None:
    held = f"{HANDED}class Data:\n    @property\n    def later(self):\n        return DataLoader(2, num_workers=2)\n"
    files = {
        "train.py": held,
        "main.py": f"from train import Data, train\n{IMPORT}train(DataLoader(1))\ndata = Data()\ntrain(data.later)\n",
    }
    (other,) = [one for one in loaders_of(files) if "train.py" in one.span.path]
    assert [one.span.path for one in other.unguarded] == ["main.py"]


def test_a_run_iterates_what_the_function_makes_that_it_calls() -> None:
    files = {
        "train.py": f"{HANDED}def from_settings():\n    train(DataLoader(2, num_workers=2))\n",
        "main.py": f"from train import from_settings, train\n{IMPORT}from_settings()\ntrain(DataLoader(1))\n",
    }
    (other,) = [one for one in loaders_of(files) if "train.py" in one.span.path]
    assert [one.what for one in other.unguarded] == ["from_settings()"]


def test_an_iteration_assumes_the_platform_that_the_loader_was_made_on() -> None:
    (loader,) = loaders_of(
        "import sys\nif sys.platform == 'linux':\n    for batch in DataLoader(1, num_workers=2):\n        pass\n"
    )
    (workers,) = loader.num_workers.candidates
    assert [sorted(answer) for _, answer in workers.assumptions if isinstance(answer, frozenset)] == [["linux"]]


ARRIVING: dict[str, tuple[str, set[str]]] = {
    "behind a layer on CUDA": (
        f"import torch\n{LOADER}net = torch.nn.Linear(3, 1).cuda()\nfor batch in loader:\n    pass\n",
        {"linux", "windows"},
    ),
    "before a layer on CUDA": (
        f"import torch\n{LOADER}for batch in loader:\n    pass\nnet = torch.nn.Linear(3, 1).cuda()\n",
        set(),
    ),
    "behind a signal, in a function": (
        f"import signal\ndef main():\n    signal.signal(signal.SIGUSR1, stop)\n    {LOADER}    list(loader)\nmain()\n",
        {"linux", "macos"},
    ),
}


@pytest.mark.parametrize(("text", "platforms"), ARRIVING.values(), ids=ARRIVING.keys())
def test_an_iteration_assumes_the_platforms_on_which_a_run_comes_to_it(text: str, platforms: set[str]) -> None:
    (loader,) = loaders_of(text)
    (touch,) = loader.unguarded
    assert [set(one) for _, one in touch.assumptions if isinstance(one, frozenset)] == (
        [platforms] if platforms else []
    )


WRAPPED = {
    "data.py": f"""{IMPORT}
class Batches:
    def __init__(self, opt):
        self.loader = DataLoader(range(3), num_workers=int(opt.workers))
    def load(self):
        return self
    def __iter__(self):
        for batch in self.loader:
            yield batch
def create(opt):
    return Batches(opt).load()
""",
    "options.py": """
import argparse
class Options:
    def parse(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=6)
        return parser.parse_args()
""",
}
OPENED = "from data import create\nfrom options import Options\nopt = Options().parse()\n"
ALL = OPENED + "for batch in create(opt):\n    pass\n"
NONE = OPENED + "opt.workers = 0\nfor batch in create(opt):\n    pass\n"


@pytest.mark.parametrize(("train", "test"), [("train.py", "test.py"), ("a.py", "b.py")], ids=["after", "before"])
def test_of_an_object_that_two_programs_make_each_iterates_the_loader_of_its_own_settings(
    train: str, test: str
) -> None:
    (loader,) = loaders_of({**WRAPPED, train: ALL, test: NONE})
    arriving = {one.span.path: one.workers for one in loader.unguarded}
    counts = {one.span: one.constant for one in loader.num_workers.known}
    assert {counts[span] for span in arriving[train] or ()} == {6}
    assert {counts[span] for span in arriving[test] or ()} == {0}


def test_of_an_object_that_two_programs_make_alike_each_iterates_the_loader_with_its_workers() -> None:
    (loader,) = loaders_of({**WRAPPED, "train.py": ALL, "test.py": ALL})
    assert {one.span.path for one in loader.unguarded} == {"train.py", "test.py"}
    assert all(one.meets(count) for one in loader.unguarded for count in loader.num_workers.known)
