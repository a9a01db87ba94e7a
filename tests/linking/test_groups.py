"""Where a program can have made a group of processes by NCCL alone, a loader that asks for one is on Linux."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

TOGETHER, ALONE = "DataLoader(data, num_workers=⟦2⟧)", "DataLoader(data, num_workers=⟦3⟧)"
TOP = "import argparse, os, sys\nimport torch\nimport torch.distributed as dist\n"
EITHER = f"    if {{}}:\n        {TOGETHER}\n    else:\n        {ALONE}\n"
MAIN = "def main():\n    if len(sys.argv) > 1:\n        dist.init_process_group({})\n    load()\nmain()"
ARGUMENTS = (
    f"{TOP}parser = argparse.ArgumentParser()\nparser.add_argument('--ranks', type=int, default=1)\n"
    "args = parser.parse_args()\n"
)


def asked(test: str, backend: str = "'nccl'", before: str = "") -> str:
    return f"{TOP}{before}def load():\n{EITHER.format(test)}{MAIN.format(backend)}"


LINUX, ANYWHERE = {"2 on linux", "3"}, {"2", "3"}
PROJECTS: Cases = {
    "whether there is a group": (asked("dist.is_initialized()"), LINUX),
    "whether there can be a group, and is one": (asked("dist.is_available() and dist.is_initialized()"), LINUX),
    "whether there is none": (
        asked("not dist.is_initialized()").replace("⟦2⟧", "⟦4⟧").replace("⟦3⟧", "⟦2⟧").replace("⟦4⟧", "⟦3⟧"),
        LINUX,
    ),
    "whether there is a group, by a name": (
        asked("there").replace("def load():\n", "def load():\n    there = dist.is_initialized()\n"),
        LINUX,
    ),
    "whether there is a group, in a function": (
        asked(
            "there()", before="def there():\n    if not dist.is_initialized():\n        return False\n    return True\n"
        ),
        LINUX,
    ),
    "a group by another backend": (asked("dist.is_initialized()", "'gloo'"), ANYWHERE),
    "a group by the backend that torch chooses": (asked("dist.is_initialized()", ""), ANYWHERE),
    "a group by the backend that a user gives": (asked("dist.is_initialized()", "sys.argv[1]"), ANYWHERE),
    "one of two groups by another backend": (
        asked("dist.is_initialized()", before="def other():\n    dist.init_process_group('gloo')\n"),
        ANYWHERE,
    ),
    "a library may make a group": (asked("dist.is_initialized()", before="import accelerate\n"), ANYWHERE),
    "a library's function makes a group for the device": (
        asked("dist.is_initialized()", before="from timm.utils import init_distributed_device\n"),
        ANYWHERE,
    ),
    "a library that makes no group": (asked("dist.is_initialized()", before="import timm\n"), LINUX),
    "either a group or something else, by a name": (
        asked("there", before="from own import many, more\nthere = dist.is_initialized() if many else more()\n"),
        ANYWHERE,
    ),
    "what needs CUDA where there is a group": (
        f"{TOP}def main():\n    if len(sys.argv) > 1:\n        dist.init_process_group('nccl')\n"
        f"    if dist.is_initialized():\n        torch.cuda.set_device(0)\n    {TOGETHER}\nmain()",
        {"2"},
    ),
    "nothing makes a group": (f"{TOP}def load():\n{EITHER.format('dist.is_initialized()')}load()", ANYWHERE),
    "another function of that name": (
        asked("own.is_initialized()", before="import own\n"),
        ANYWHERE,
    ),
    "either a group or something else": (
        asked("dist.is_initialized() or many", before="from own import many\n"),
        {*ANYWHERE, "2 on linux", "3 on linux"},
    ),
    "what made the group is asked again": (
        f"{TOP}from own import many\ndef main():\n    if many:\n        dist.init_process_group('nccl')\n"
        f"{EITHER.format('many')}main()",
        LINUX,
    ),
    "a parameter that made the group is asked again": (
        f"{TOP}import fire\ndef main(many=False):\n    if many:\n        dist.init_process_group('nccl')\n"
        f"{EITHER.format('many')}fire.Fire(main)",
        LINUX,
    ),
    "what is set by what a user gives is asked again": (
        f"{ARGUMENTS}args.many = args.ranks > 1\nif args.many:\n    dist.init_process_group('nccl')\n"
        f"if args.many:\n    {TOGETHER}\nelse:\n    {ALONE}\n",
        LINUX,
    ),
    "what a function sets where it makes the group is asked behind it": (
        f"{ARGUMENTS}def set_up():\n    if 'RANK' in os.environ:\n        args.rank = int(os.environ['RANK'])\n"
        "    else:\n        args.many = False\n        return\n    args.many = True\n"
        f"    dist.init_process_group('nccl')\ndef main():\n    set_up()\n{EITHER.format('args.many')}main()",
        LINUX,
    ),
    "something else is asked": (
        f"{TOP}from own import many, more\ndef main():\n    if many:\n        dist.init_process_group('nccl')\n"
        f"{EITHER.format('more')}main()",
        ANYWHERE,
    ),
    "what made the group is another thing since": (
        f"{TOP}from own import many, count\ndef main():\n    many = count()\n    if many:\n"
        f"        dist.init_process_group('nccl')\n    many = count()\n{EITHER.format('many')}main()",
        ANYWHERE,
    ),
}


@pytest.mark.parametrize(("project", "found"), PROJECTS.values(), ids=PROJECTS.keys())
def test_a_loader_for_a_group_is_where_the_program_can_make_one(project: str, found: set[str]) -> None:
    assert traced(project) == found


NEEDING = """
import torch
import torch.distributed as dist
from own import args, net
from torch.utils.data.distributed import DistributedSampler
def set_up():
    dist.init_process_group(⟨backend⟩)
⟨needing⟩
DataLoader(data, num_workers=⟦2⟧)
"""


@pytest.mark.parametrize(
    "needing",
    [
        "sampler = DistributedSampler(data)",
        "sampler = torch.utils.data.distributed.DistributedSampler(data, shuffle=True)",
        "model = torch.nn.parallel.DistributedDataParallel(net, device_ids=[0])",
    ],
)
def test_what_needs_a_group_is_there_where_one_can_be_made(needing: str) -> None:
    text = NEEDING.replace("⟨needing⟩", needing)
    assert traced(text.replace("⟨backend⟩", "'nccl'")) == {"2 on linux"}
    assert traced(text.replace("⟨backend⟩", "args.backend")) == {"2"}
    assert traced(text.replace("⟨backend⟩", "'gloo'")) == {"2"}
    assert traced(text.replace("⟨backend⟩", "'nccl'") + "import accelerate\n") == {"2"}


@pytest.mark.parametrize(
    "needing",
    [
        "sampler = DistributedSampler(data, num_replicas=2, rank=0)",
        "sampler = DistributedSampler(data, 2, 0)",
        "sampler = DistributedSampler(*args.given)",
        "sampler = DistributedSampler(data, **args.options)",
        "model = torch.nn.parallel.DistributedDataParallel(net, process_group=args.group)",
        "if args.many:\n    sampler = DistributedSampler(data)",
        "sampler = DistributedSampler(data) if args.many else None",
        "sampler = args.DistributedSampler(data)",
    ],
)
def test_what_may_do_without_a_group_is_there_everywhere(needing: str) -> None:
    assert traced(NEEDING.replace("⟨needing⟩", needing).replace("⟨backend⟩", "'nccl'")) == {"2"}


def test_a_module_that_two_imports_bring_is_one() -> None:
    text = "import torch\nimport torch.distributed\nimport torch.distributed as dist\n"
    text += "torch.distributed.init_process_group('nccl')\nDataLoader(data, num_workers=⟦2⟧)\n"
    assert traced(text) == {"2 on linux"}
