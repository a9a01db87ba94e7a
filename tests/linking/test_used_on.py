"""On which platforms a run comes from the call that makes a loader to where it is iterated."""

from __future__ import annotations

import pytest

from loaderlint.model.target import Platform, Target
from tests.linking.traced import Files, loaders_of

TOP = (
    "import sys\nimport torch\nimport torch.distributed as dist\nfrom torch.utils.data import DataLoader\n"
    "data = list(range(8))\nnet = torch.nn.Linear(3, 1)\n"
)
MADE = "DataLoader(data, num_workers=2)"
GO = "for batch in loader:\n    print(batch)\n"
KEPT = f"""
class Training:
    def __init__(self):
        self.net = torch.nn.Linear(3, 1)
        self.loader = {MADE}
        {{made}}
    def run(self):
        {{first}}
        for batch in self.loader:
            print(batch)
"""
RUNS = "def main():\n    training = Training()\n    {}\n    training.run()\nmain()\n"
RETURNED = f"def load():\n    loader = {MADE}\n    print(len(loader))\n    return loader\n"
SEVERAL = f"def load():\n    first = {MADE}\n    second = DataLoader(data)\n    return {{}}\n"
STEP = "def epoch(batches, net):\n    {}\n    for batch in batches:\n        net(batch)\n"

ENDED = {
    "the attributes of something else are asked for": f"loader = {MADE}\nprint(vars(sys))\nnet.cuda()\n{GO}",
    "the file is copied by its name": (
        f"from shutil import copyfile\nloader = {MADE}\ncopyfile('main.py', 'kept.py')\nnet.cuda()\n{GO}"
    ),
    "a model is moved between": f"loader = {MADE}\nnet.cuda()\n{GO}",
    "it is asked for its length before": (
        f"loader = {MADE}\nif loader is not None:\n    print(len(loader), loader.dataset)\nnet = net.to('cuda')\n{GO}"
    ),
    "in a function": (f"def main():\n    loader = {MADE}\n    net.cuda()\n    next(iter(loader))\nmain()\n"),
    "what iterates it is handed it later": (
        f"{STEP.format('pass')}def main():\n    loader = {MADE}\n    net.cuda()\n    epoch(loader, net)\nmain()\n"
    ),
    "what iterates it moves the model first": (
        f"{STEP.format('torch.cuda.synchronize()')}def main():\n    loader = {MADE}\n    epoch(loader, net)\nmain()\n"
    ),
    "what iterates it is handed the model, which it moves first": (
        f"{STEP.format('net.cuda()')}def main():\n    loader = {MADE}\n    epoch(loader, net)\nmain()\n"
    ),
    "by its name, where others are handed to the same function": (
        f"{STEP.format('pass')}def main():\n    loader = {MADE}\n    epoch([1], net)\n    net.cuda()\n"
        "    epoch(net=net, batches=loader)\nmain()\n"
    ),
    "it is returned": f"{RETURNED}def main():\n    loader = load()\n    net.cuda()\n    next(iter(loader))\nmain()\n",
    "it is returned among others": (
        f"{SEVERAL.format('first, second')}def main():\n    train, test = load()\n    for batch in test:\n"
        "        print(batch)\n    net.cuda()\n    for batch in train:\n        print(batch)\nmain()\n"
    ),
    "it is returned in a dictionary": (
        f"""{SEVERAL.format("{'train': first, 'test': second}")}def main():\n    loaders = load()\n"""
        "    next(iter(loaders['test']))\n    net.cuda()\n    next(iter(loaders['train']))\nmain()\n"
    ),
    "it is put into a dictionary": (
        f"def main():\n    loaders = {{}}\n    loaders['train'] = {MADE}\n    net.cuda()\n"
        "    next(iter(loaders['train']))\nmain()\n"
    ),
    "it is kept by an object that moves its model after": (
        KEPT.format(made="self.net.cuda()", first="pass") + RUNS.format("pass")
    ),
    "it is kept by an object that moves its model where it goes on": (
        KEPT.format(made="pass", first="self.net.cuda()") + RUNS.format("pass")
    ),
    "it is kept by an object, and the program moves a model": (
        KEPT.format(made="pass", first="pass") + RUNS.format("net.cuda()")
    ),
    "it is kept by an object that is handed it": (
        "class Training:\n    def __init__(self, net, loader):\n"
        "        self.net = torch.nn.Linear(3, 1).cuda()\n        self.loader = loader\n"
        "    def run(self):\n        for batch in self.loader:\n            print(batch)\n"
        f"def main():\n    training = Training(net, {MADE})\n    training.run()\nmain()\n"
    ),
    "it is set on an object": (
        f"class Kept:\n    pass\ndef main():\n    kept = Kept()\n    kept.loader = {MADE}\n    net.cuda()\n"
        "    next(iter(kept.loader))\nmain()\n"
    ),
    "another class keeps another under the same name": (
        "class Other:\n    def __init__(self):\n        self.loader = [1]\n        for one in self.loader:\n"
        "            print(one)\nOther()\n" + KEPT.format(made="self.net.cuda()", first="pass") + RUNS.format("pass")
    ),
}
OPEN = {
    "it is asked for by its name before": f"loader = {MADE}\nnext(iter(vars()['loader']))\nnet.cuda()\n{GO}",
    "a model is moved in the loop": f"loader = {MADE}\nfor batch in loader:\n    net.cuda()\n",
    "a model is moved before, and in an earlier turn": (
        f"loader = {MADE}\nfor turn in range(3):\n    for batch in loader:\n        print(batch)\n    net.cuda()\n"
    ),
    "a model is moved where there is CUDA": (f"loader = {MADE}\nif torch.cuda.is_available():\n    net.cuda()\n{GO}"),
    "a model is moved where somebody asks for it": (f"loader = {MADE}\nif '--cuda' in sys.argv:\n    net.cuda()\n{GO}"),
    "a model is moved where the error is handled": (
        f"loader = {MADE}\ntry:\n    net.cuda()\nexcept AssertionError:\n    pass\n{GO}"
    ),
    "it is iterated before and after": (f"loader = {MADE}\n{GO}net.cuda()\n{GO}"),
    "what iterates it is handed something else, which it moves first": (
        f"{STEP.format('net.cuda()')}def main():\n    loader = {MADE}\n    epoch(loader, sys)\nmain()\n"
    ),
    "what iterates it is handed a model that it moves, and before that something else": (
        f"{STEP.format('net.cuda()')}def main():\n    loader = {MADE}\n    epoch(loader, sys)\n    epoch(loader, net)\n"
        "main()\n"
    ),
    "what iterates it is handed it twice, and a model is moved between": (
        f"{STEP.format('pass')}def main():\n    loader = {MADE}\n    epoch(loader, net)\n    net.cuda()\n"
        "    epoch(loader, net)\nmain()\n"
    ),
    "something else takes it before": (
        f"from own import evaluate\nloader = {MADE}\nevaluate(loader)\nnet.cuda()\n{GO}"
    ),
    "something else takes what holds it": (
        f"from own import evaluate\ndef main():\n    loaders = [{MADE}]\n    evaluate(loaders)\n    net.cuda()\n"
        "    for batch in loaders[0]:\n        print(batch)\nmain()\n"
    ),
    "another caller moves nothing": (
        f"{RETURNED}def one():\n    loader = load()\n    net.cuda()\n    next(iter(loader))\n"
        "def other():\n    for batch in load():\n        print(batch)\nother()\none()\n"
    ),
    "nobody is seen to iterate it": f"{RETURNED}net.cuda()\n",
    "who calls what returns it is not seen": (
        f"from own import run\n{RETURNED}run(load)\ndef main():\n    loader = load()\n    net.cuda()\n"
        "    next(iter(loader))\nmain()\n"
    ),
    "it is returned among others, each of which is iterated": (
        f"{SEVERAL.format('first, second')}def main():\n    for loader in load():\n        print(len(loader))\n"
        "    net.cuda()\nmain()\n"
    ),
    "it is kept by an object that iterates it while it is made": (
        KEPT.format(made="self.run(); self.net.cuda()", first="pass") + RUNS.format("pass")
    ),
    "it is kept by an object, whose heirs move nothing": (
        KEPT.format(made="self.net.cuda()", first="pass")
        + f"class Other(Training):\n    def __init__(self):\n        self.loader = {MADE}\nOther().run()\n"
    ),
    "it is kept by an object that a library may ask": (
        f"from own import Base\n{KEPT.replace('Training:', 'Training(Base):').format(made='pass', first='pass')}"
        + RUNS.format("net.cuda()")
    ),
    "it is set on an object of a library": (
        f"from own import Runner\nrunner = Runner()\nrunner.loader = {MADE}\nrunner.run()\nnet.cuda()\n"
        "next(iter(runner.loader))\n"
    ),
    "it is kept by an object that is asked for names": (
        KEPT.format(made="pass", first="self.net.cuda()") + "def main():\n    training = Training()\n"
        "    next(iter(getattr(training, sys.argv[1])))\n    training.run()\nmain()\n"
    ),
    "a function reads its name": (
        f"loader = {MADE}\ndef first():\n    return next(iter(loader))\nfirst()\nnet.cuda()\n{GO}"
    ),
    "a generator goes on with it": (
        f"{RETURNED}def rows():\n    yield from load()\ndef main():\n    one = rows()\n    next(one)\n"
        "    net.cuda()\nmain()\n"
    ),
}
NCCL = {"a group of processes is made between": (f"loader = {MADE}\ndist.init_process_group('nccl')\n{GO}")}
_EVERYWHERE = frozenset(Platform)


def _iterated_on(files: Files) -> frozenset[Platform]:
    first = min(loaders_of(files), key=lambda one: one.span)
    return first.uses.iterated_on().platforms


@pytest.mark.parametrize("text", ENDED.values(), ids=ENDED)
def test_no_run_iterates_it_where_something_between_is_not_there(text: str) -> None:
    assert _iterated_on({"main.py": TOP + text}) == _EVERYWHERE - {Platform.MACOS}


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_it_may_be_iterated_everywhere(text: str) -> None:
    assert _iterated_on({"main.py": TOP + text}) == _EVERYWHERE


@pytest.mark.parametrize("text", NCCL.values(), ids=NCCL)
def test_nccl_is_on_linux_alone(text: str) -> None:
    assert _iterated_on({"main.py": TOP + text}) == {Platform.LINUX}


def test_what_workers_need_is_asked_for_there_alone() -> None:
    (loader,) = loaders_of({"main.py": TOP + ENDED["a model is moved between"]})
    macos, linux = Target(Platform.MACOS, (3, 14)), Target(Platform.LINUX, (3, 14))
    assert not loader.workers_on(macos)
    assert not list(loader.worker_starts(macos))
    assert len(loader.asked_for_on(macos)) == 1
    assert len(loader.workers_on(linux)) == 1


def test_it_is_said_what_ends_the_run_before() -> None:
    (loader,) = loaders_of({"main.py": TOP + ENDED["in a function"]})
    assert {one: end.what for one, end in loader.uses.iterated_on().ended.items()} == {Platform.MACOS: "net.cuda()"}
