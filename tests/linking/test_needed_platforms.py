"""What ends a program on some platforms: loaders behind it are there on the others alone."""

from __future__ import annotations

import pytest

from loaderlint.model.target import Platform
from tests.linking.traced import Cases, loader_of, traced

NCCL = "import torch.distributed as dist\n"
LOADER = "DataLoader(data, num_workers=⟦2⟧)"
CUDA_THERE = {"2 with cuda"}
EITHER = "import torch\nnet = torch.nn.Linear(3, 1)\nif alone:\n    net.cuda()\n"

INNER = (
    "import torch\nimport torch.nn as nn\nclass Inner(nn.Module):\n    def __init__(self, size):\n"
    "        super().__init__()\n        self.weights = nn.ParameterList()\n        for one in range(size):\n"
    "            self.weights.append(nn.Parameter(torch.ones(one)))\n"
)

DATA_MODULE = f"""
import signal
import pytorch_lightning as pl
from torch.utils.data import DataLoader
class Numbers(pl.LightningDataModule):
    def __init__(self):
        self.train_dataloader = self.load
    def load(self):
        return {LOADER}
"""
BOUND: Cases = {
    "a signal before the trainer that asks a data module for its loader": (
        f"{DATA_MODULE}signal.signal(signal.SIGUSR1, stop)\npl.Trainer().fit(model, Numbers())",
        {"2 on linux, macos"},
    ),
    "NCCL": (f"{NCCL}dist.init_process_group('nccl')\n{LOADER}", {"2 on linux"}),
    "NCCL by its name": (
        f"{NCCL}dist.init_process_group(init_method='env://', backend='nccl')\n{LOADER}",
        {"2 on linux"},
    ),
    "NCCL in a function that is called before": (
        f"{NCCL}def set_up():\n    dist.init_process_group('nccl')\nset_up()\n{LOADER}",
        {"2 on linux"},
    ),
    "NCCL in functions whose results are kept": (
        f"{NCCL}def set_up(args):\n    dist.init_process_group('nccl')\n    return args\n"
        "def prepare(args):\n    return set_up(args)\n"
        f"def main(args):\n    config = prepare(args)\n    {LOADER}\nmain(1)",
        {"2 on linux"},
    ),
    "NCCL before the function that makes the loader is called": (
        f"{NCCL}def load():\n    return {LOADER}\ndef main():\n    dist.init_process_group('nccl')\n    load()\nmain()",
        {"2 on linux"},
    ),
    "NCCL two calls further out": (
        f"{NCCL}def load():\n    return {LOADER}\ndef run():\n    load()\n"
        "def main():\n    dist.init_process_group('nccl')\n    run()\nmain()",
        {"2 on linux"},
    ),
    "NCCL as the backend's default": (
        "import argparse\n" + NCCL + "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--backend', default='nccl', choices=['nccl'])\nargs = parser.parse_args()\n"
        f"dist.init_process_group(args.backend)\n{LOADER}",
        {"2 on linux", "2"},
    ),
    "NCCL where CUDA is": (
        f"{NCCL}import torch\nif torch.cuda.is_available():\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2 on linux with cuda", "2 without cuda"},
    ),
    "NCCL in a function that raises its error again": (
        f"{NCCL}def set_up():\n    try:\n        dist.init_process_group('nccl')\n    except RuntimeError as error:\n"
        f"        print(error)\n        raise\nset_up()\n{LOADER}",
        {"2 on linux"},
    ),
    "NCCL in functions that take another error": (
        f"{NCCL}def group():\n    dist.init_process_group('nccl')\n    return 0\n"
        "def set_up():\n    try:\n        rank = group()\n    except RuntimeError as error:\n"
        "        if 'port' in error.args[0]:\n            rank = 1\n        else:\n"
        "            raise RuntimeError(*error.args)\n"
        f"    return rank\nrank = set_up()\n{LOADER}",
        {"2 on linux"},
    ),
    "a number that is divided by that of the devices": (
        f"import torch\nbatch_size = 32 // torch.cuda.device_count()\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "NCCL by DeepSpeed": (
        f"import deepspeed\ndeepspeed.init_distributed(dist_backend='nccl')\n{LOADER}",
        {"2 on linux"},
    ),
    "NCCL where there is no group yet": (
        f"{NCCL}if not dist.is_initialized():\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2 on linux"},
    ),
    "NCCL where there is no group yet, asked the other way round, in a function": (
        "import torch, deepspeed\ndef set_up():\n    if torch.distributed.is_initialized():\n        print('again')\n"
        f"    else:\n        deepspeed.init_distributed('nccl')\nset_up()\n{LOADER}",
        {"2 on linux"},
    ),
    "what Apple alone has": (
        "import torch\nDataLoader(d, num_workers=⟦2⟧ if torch.backends.mps.is_available() else ⟦0⟧)",
        {"2 on macos", "0"},
    ),
    "what Apple alone has, by the name of a device": (
        "import torch\ndevice = 'mps' if torch.backends.mps.is_available() else 'cpu'\n"
        "DataLoader(d, num_workers=⟦0⟧ if device == 'cpu' else ⟦2⟧)",
        {"2 on macos", "0"},
    ),
    "a signal": (
        f"import signal\nsignal.signal(signal.SIGUSR1, stop)\n{LOADER}",
        {"2 on linux, macos"},
    ),
    "a module of Unix": (f"import fcntl\n{LOADER}", {"2 on linux, macos"}),
    "a package of Unix": (f"import horovod.torch as hvd\n{LOADER}", {"2 on linux, macos"}),
    "a module in a package of Linux, in a function": (
        f"def load():\n    from nvidia.dali.plugin import pytorch\n    return {LOADER}\nload()",
        {"2 on linux"},
    ),
    "a name of a module of Unix, in a function": (
        f"from resource import setrlimit\ndef load():\n    return {LOADER}\nload()",
        {"2 on linux, macos"},
    ),
    "a function of Linux whose result is used": (
        f"import os\nn = len(os.sched_getaffinity(0))\n{LOADER}",
        {"2 on linux"},
    ),
    "a function of Linux in the loader's own call": (
        "import os\nDataLoader(d, num_workers=⟦len(os.sched_getaffinity(0))⟧)",
        {"len(os.sched_getaffinity(0)) on linux"},
    ),
    "another platform ended before the call": (
        f"import sys\ndef main():\n    {LOADER}\nif sys.platform == 'win32':\n    sys.exit('not here')\nmain()",
        {"2 on linux, macos"},
    ),
    "a call on one platform alone": (
        f"import sys\ndef main():\n    {LOADER}\nif sys.platform == 'linux':\n    main()",
        {"2 on linux"},
    ),
    "what a command of Unix says is unpacked": (
        f"import os\n_, columns = os.popen('stty size', 'r').read().split()\n{LOADER}",
        {"2 on linux, macos"},
    ),
    "what a command of Unix says is unpacked into numbers": (
        f"import os\nrows, columns = map(int, os.popen('stty size').read().split())\n{LOADER}",
        {"2 on linux, macos"},
    ),
    "a word is taken of what a command of Unix says, in a function": (
        "import os\ndef width():\n    return int(os.popen('stty size').read().split()[1])\n"
        f"columns = width()\n{LOADER}",
        {"2 on linux, macos"},
    ),
    "a command of Unix is run": (
        f"from subprocess import check_output\nsize = check_output(['stty', 'size']).decode()\n{LOADER}",
        {"2 on linux, macos"},
    ),
    "a command of Unix behind a function that its file does not call": (
        f"import os\ndef mean(data):\n    {LOADER}\n_, n = os.popen('stty size').read().split()\n",
        {"2 on linux, macos"},
    ),
    "a layer on CUDA whatever is asked": (EITHER + f"else:\n    net.cuda(0)\n{LOADER}", {"2 on linux, windows"}),
    "a layer on CUDA in each of several arms, another call before it in one": (
        EITHER
        + f"elif one:\n    torch.cuda.set_device(int(one))\n    net.cuda()\nelse:\n    net = net.cuda()\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "a layer on CUDA in each of the arms of an arm": (
        EITHER
        + "else:\n    if one:\n        net.cuda()\n    else:\n        net = torch.nn.DataParallel(net).cuda()\n"
        + LOADER,
        {"2 on linux, windows"},
    ),
    "one of torchvision's models by its name": (
        f"import torchvision.models as models\nmodels.__dict__[name]().cuda()\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "an assert that there is CUDA": (f"import torch\nassert torch.cuda.is_available(), 'none'\n{LOADER}", CUDA_THERE),
    "an error where there is no CUDA, in a function": (
        f"import torch\ndef check():\n    if not torch.cuda.is_available():\n        raise RuntimeError\n"
        f"def main():\n    check()\n    {LOADER}\nmain()",
        CUDA_THERE,
    ),
    "a layer on CUDA": (f"import torch\nnet = torch.nn.Linear(3, 1).cuda()\n{LOADER}", {"2 on linux, windows"}),
    "a layer on CUDA that another method gives back": (
        f"import torch\nnet = torch.nn.Linear(3, 1).cuda().eval().requires_grad_(False)\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "a layer on CUDA that a function is handed first": (
        f"import torch\nwatch(torch.nn.DataParallel(torch.nn.Linear(3, 1).cuda()).train())\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "a model of one's own on CUDA": (
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.layer = nn.Linear(3, 1)\nnet = nn.DataParallel(Net())\nnet.cuda()\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "a model of one's own made of another on CUDA": (
        f"{INNER}class Net(nn.Module):\n    def __init__(self, size):\n        super().__init__()\n"
        f"        self.inner = Inner(size)\nNet(3).to('cuda')\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "a model of one's own on CUDA, or none for a name that nobody knows": (
        f"{INNER}def make(name):\n    if name == 'small':\n        net = Inner(1)\n    elif name == 'big':\n"
        f"        net = Inner(9)\n    else:\n        net = None\n    return net\nmake(name).cuda()\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "a known model moved to a device that is CUDA": (
        "import torch, torchvision\ndevice = torch.device('cuda:0')\nnet = torchvision.models.resnet18().to(device)\n"
        f"{LOADER}",
        {"2 on linux, windows"},
    ),
    "a tensor on CUDA, in a function": (
        f"import torch\ndef main():\n    ones = torch.ones(3).cuda()\n    {LOADER}\nmain()",
        {"2 on linux, windows"},
    ),
    "a layer on CUDA before the loader of the same turn": (
        f"import torch\nfor name in given():\n    net = torch.nn.Linear(3, 1)\n"
        f"    net = torch.nn.DataParallel(net.cuda())\n    {LOADER}",
        {"2 on linux, windows"},
    ),
    "a tensor on CUDA before the loader of the same turn of a function's loop": (
        f"import torch\ndef main():\n    while True:\n        ones = torch.ones(3).cuda()\n        {LOADER}\nmain()",
        {"2 on linux, windows"},
    ),
    "a division by the number of devices in the same turn": (
        f"import torch\nfor size in sizes:\n    batch_size = size // torch.cuda.device_count()\n    {LOADER}",
        {"2 on linux, windows"},
    ),
    "the device of CUDA is set": (f"import torch\ntorch.cuda.set_device(0)\n{LOADER}", {"2 on linux, windows"}),
    "the device of CUDA is asked for its name": (
        f"import torch\nname = torch.cuda.get_device_name()\n{LOADER}",
        {"2 on linux, windows"},
    ),
    "hasattr of what only some have": (
        "import os\nDataLoader(data, num_workers=⟦2⟧ if hasattr(os, 'fork') else ⟦0⟧)",
        {"2 on linux, macos", "0 on windows"},
    ),
    "hasattr of what only Windows has": (
        "import sys\nDataLoader(data, num_workers=⟦0⟧ if hasattr(sys, 'getwindowsversion') else ⟦2⟧)",
        {"2 on linux, macos", "0 on windows"},
    ),
    "the system by uname": (
        "import platform\nDataLoader(data, num_workers=⟦0⟧ if platform.uname().system == 'Windows' else ⟦2⟧)\n"
        "DataLoader(data, num_workers=⟦0⟧ if platform.uname()[0] == 'Windows' else ⟦2⟧)",
        {"2 on linux, macos", "0 on windows"},
    ),
    "the system by os.uname": (
        "import os\nDataLoader(data, num_workers=⟦2⟧ if os.uname().sysname == 'Linux' else ⟦0⟧)",
        {"2 on linux", "0 on macos"},
    ),
    "a module that is imported where it is asked": (
        "DataLoader(data, num_workers=⟦0⟧ if __import__('sys').platform == 'win32' else ⟦2⟧)",
        {"0 on windows", "2 on linux, macos"},
    ),
    "another module that is imported where it is asked": (
        "DataLoader(data, num_workers=⟦0⟧ if __import__('settings').platform == 'win32' else ⟦2⟧)",
        {"0", "2"},
    ),
    "one of several beginnings of the platform's name": (
        "import sys\nDataLoader(data, num_workers=⟦0⟧ if sys.platform.startswith(('win', 'cygwin')) else ⟦2⟧)",
        {"0 on windows", "2 on linux, macos"},
    ),
    "any of several beginnings of the platform's name": (
        "import sys\nDataLoader(data, num_workers=⟦0⟧ if any(sys.platform.startswith(one) for one in ('win', 'cyg'))"
        " else ⟦2⟧)",
        {"0 on windows", "2 on linux, macos"},
    ),
    "a pattern of the platform's name": (
        "import re, sys\nDataLoader(data, num_workers=⟦2⟧ if re.match('linux|darwin', sys.platform) else ⟦0⟧)",
        {"0 on windows", "2 on linux, macos"},
    ),
    "a variable of Windows": (
        "import os\nDataLoader(data, num_workers=⟦2⟧ if os.environ.get('OS', '') != 'Windows_NT' else ⟦0⟧)",
        {"0 on windows", "2 on linux, macos"},
    ),
    "what stands between the names of a path": (
        "import os\nDataLoader(data, num_workers=⟦2⟧ if os.sep == os.path.sep == '/' else ⟦0⟧)",
        {"0 on windows", "2 on linux, macos"},
    ),
    "the kind of a path": (
        "import pathlib\nDataLoader(data, num_workers=⟦0⟧ if isinstance(pathlib.Path(), pathlib.WindowsPath) else ⟦2⟧)",
        {"0 on windows", "2 on linux, macos"},
    ),
    "a function of Linux that is tried": (
        "import os\ntry:\n    os.sched_getaffinity(0)\n    n = ⟦2⟧\nexcept AttributeError:\n    n = ⟦0⟧\n"
        "DataLoader(data, num_workers=n)",
        {"2 on linux", "0"},
    ),
    "a module of Unix that is tried": (
        "try:\n    import fcntl\n    n = ⟦2⟧\nexcept ImportError:\n    n = ⟦0⟧\nDataLoader(data, num_workers=n)",
        {"2 on linux, macos", "0"},
    ),
    "a start method": (
        "import multiprocessing as mp\nDataLoader(data, num_workers=⟦2⟧ if mp.get_start_method() != 'spawn' else ⟦0⟧)",
        {"2 on linux", "0 on macos, windows"},
    ),
    "a part of the platform's name": (
        "import sys, platform\nDataLoader(data, num_workers=⟦0⟧ if sys.platform[:3] == 'win' else ⟦2⟧)\n"
        "DataLoader(data, num_workers=⟦0⟧ if platform.system().casefold() == 'windows' else ⟦2⟧)",
        {"2 on linux, macos", "0 on windows"},
    ),
    "a function of Linux": (f"import os\nos.sched_setaffinity(0, {{1}})\n{LOADER}", {"2 on linux"}),
}

FREE: Cases = {
    "a start method that the program sets": (
        "import multiprocessing as mp\nmp.set_start_method('fork')\n"
        "DataLoader(data, num_workers=⟦2⟧ if mp.get_start_method() == 'fork' else ⟦0⟧)",
        {"2", "0"},
    ),
    "a model of one's own that holds another only where that is asked for": (
        f"{INNER}class Net(nn.Module):\n    def __init__(self, size):\n        super().__init__()\n"
        f"        if size:\n            self.inner = Inner(size)\nNet(size).to('cuda')\n{LOADER}",
        {"2"},
    ),
    "nothing on CUDA, or a model": (f"{INNER}net = Inner(1) if big else make()\nnet.cuda()\n{LOADER}", {"2"}),
    "another backend": (f"{NCCL}dist.init_process_group('gloo')\n{LOADER}", {"2"}),
    "a backend that was not seen": (f"{NCCL}dist.init_process_group(backend)\n{LOADER}", {"2"}),
    "the backend that DeepSpeed chooses": (f"import deepspeed\ndeepspeed.init_distributed()\n{LOADER}", {"2"}),
    "another backend by DeepSpeed": (f"import deepspeed\ndeepspeed.init_distributed('gloo')\n{LOADER}", {"2"}),
    "NCCL where there is no group yet, and another may have made one": (
        f"{NCCL}def alone():\n    dist.init_process_group('gloo')\n"
        f"if not dist.is_initialized():\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2"},
    ),
    "NCCL where something else is not there yet": (
        f"{NCCL}import own\nif not own.is_initialized():\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2"},
    ),
    "a backend for each platform": (
        f"import sys\n{NCCL}dist.init_process_group('gloo' if sys.platform != 'linux' else 'nccl')\n{LOADER}",
        {"2"},
    ),
    "NCCL on Linux": (
        f"import sys\n{NCCL}if sys.platform == 'linux':\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2"},
    ),
    "NCCL where somebody asks for it": (
        f"{NCCL}if distributed:\n    dist.init_process_group('nccl')\n{LOADER}",
        {"2"},
    ),
    "a signal before one of two trainers that ask a data module for its loader": (
        f"{DATA_MODULE}def other():\n    pl.Trainer().test(model, Numbers())\n"
        "signal.signal(signal.SIGUSR1, stop)\npl.Trainer().fit(model, Numbers())",
        {"2"},
    ),
    "a signal after the trainer that asks a data module for its loader": (
        f"{DATA_MODULE}pl.Trainer().fit(model, Numbers())\nsignal.signal(signal.SIGUSR1, stop)",
        {"2"},
    ),
    "a signal where a command line runs the trainer": (
        f"{DATA_MODULE}from pytorch_lightning.cli import LightningCLI\ndef other():\n    LightningCLI(Model, Numbers)\n"
        "signal.signal(signal.SIGUSR1, stop)\npl.Trainer().fit(model, Numbers())",
        {"2"},
    ),
    "a signal where a command line of the project's own runs the trainer": (
        f"{DATA_MODULE}from pytorch_lightning.cli import LightningCLI\nclass Line(LightningCLI):\n    pass\n"
        "def other():\n    Line(Model, Numbers)\n"
        "signal.signal(signal.SIGUSR1, stop)\npl.Trainer().fit(model, Numbers())",
        {"2"},
    ),
    "a signal before the trainer, and another trainer is tuned": (
        f"{DATA_MODULE}def other():\n    Tuner(pl.Trainer()).lr_find(model, datamodule=Numbers())\n"
        "signal.signal(signal.SIGUSR1, stop)\npl.Trainer().fit(model, Numbers())",
        {"2"},
    ),
    "NCCL after the loader": (f"{NCCL}{LOADER}\ndist.init_process_group('nccl')", {"2"}),
    "NCCL where its error is handled": (
        f"{NCCL}try:\n    dist.init_process_group('nccl')\nexcept RuntimeError:\n    pass\n{LOADER}",
        {"2"},
    ),
    "NCCL in a function that takes its error by what that says": (
        f"{NCCL}def set_up():\n    try:\n        dist.init_process_group('nccl')\n    except RuntimeError as error:\n"
        "        if 'NCCL' in str(error):\n            print(error)\n        else:\n            raise\n"
        f"set_up()\n{LOADER}",
        {"2"},
    ),
    "NCCL in a function that returns where it takes the error": (
        f"{NCCL}def set_up():\n    try:\n        dist.init_process_group('nccl')\n    except RuntimeError:\n"
        f"        if alone():\n            return\n        raise\nset_up()\n{LOADER}",
        {"2"},
    ),
    "the number of the devices, by which nothing is divided": (
        f"import torch\nbatch_size = 32 * torch.cuda.device_count()\nn = torch.cuda.device_count()\n{LOADER}",
        {"2"},
    ),
    "a number that is divided by that of the devices where there are some": (
        f"import torch\nif torch.cuda.is_available():\n    size = 32 // torch.cuda.device_count()\n{LOADER}",
        {"2"},
    ),
    "NCCL behind a return where nobody asks for it": (
        f"import os\n{NCCL}def set_up():\n    if 'RANK' in os.environ:\n        print()\n    else:\n        return\n"
        f"    dist.init_process_group('nccl')\nset_up()\n{LOADER}",
        {"2"},
    ),
    "NCCL before one of two calls": (
        f"{NCCL}def load():\n    return {LOADER}\ndef one():\n    dist.init_process_group('nccl')\n    load()\n"
        "def other():\n    load()",
        {"2"},
    ),
    "NCCL where its error is suppressed": (
        f"import contextlib\n{NCCL}with contextlib.suppress(RuntimeError):\n"
        f"    dist.init_process_group('nccl')\n{LOADER}",
        {"2"},
    ),
    "a module of Unix whose absence is suppressed": (
        f"from contextlib import suppress\nwith suppress(ImportError):\n    import fcntl\n{LOADER}",
        {"2"},
    ),
    "a module beside this one by the name of one of Unix": (f"from .resource import data\n{LOADER}", {"2"}),
    "another module of the package around one of Linux": (f"from nvidia import smi\n{LOADER}", {"2"}),
    "a package of Unix where somebody asks for it": (
        f"if distributed:\n    import horovod.torch as hvd\n{LOADER}",
        {"2"},
    ),
    "a package of Unix whose absence is handled": (
        f"try:\n    import horovod.torch as hvd\nexcept ImportError:\n    hvd = None\n{LOADER}",
        {"2"},
    ),
    "what a command of Unix says is kept whole": (
        f"import os\nwords = os.popen('stty size').read().split()\n*words, = os.popen('stty').read().split()\n{LOADER}",
        {"2"},
    ),
    "what another command says is unpacked": (
        f"import os\n_, columns = os.popen('mode con').read().split()\n{LOADER}",
        {"2"},
    ),
    "a command of Unix after the loader": (f"import os\n{LOADER}\n_, n = os.popen('stty size').read().split()", {"2"}),
    "a layer that may be put on CUDA later": (
        f"import torch\nput = keep(lambda: torch.nn.Linear(3, 1).cuda().eval())\n{LOADER}",
        {"2"},
    ),
    "a layer on CUDA in one arm": (EITHER + LOADER, {"2"}),
    "a layer on CUDA in two of three arms": (EITHER + f"elif one:\n    net.cuda()\n{LOADER}", {"2"}),
    "what may have no tensors on CUDA in one of two arms": (
        EITHER + f"else:\n    made(net).cuda()\n{LOADER}",
        {"2"},
    ),
    "another dictionary of what may be models": (
        f"import others.models as models\nmodels.__dict__[name]().cuda()\n{LOADER}",
        {"2"},
    ),
    "a command of Unix after the call of a function": (
        f"import os\ndef mean():\n    {LOADER}\nmean()\n_, n = os.popen('stty size').read().split()",
        {"2"},
    ),
    "a command of Unix after something may have called a function": (
        f"import os\nfrom tasks import run\ndef mean():\n    {LOADER}\nrun(mean)\n"
        "_, n = os.popen('stty size').read().split()",
        {"2"},
    ),
    "a command of Unix after a decorator may have called a function": (
        f"import os\nfrom tasks import at_once\n@at_once\ndef mean():\n    {LOADER}\n"
        "_, n = os.popen('stty size').read().split()",
        {"2"},
    ),
    "a command of Unix after another function may have called it": (
        f"import os\nfrom tasks import run\ndef mean():\n    {LOADER}\ndef both():\n    run([mean])\nboth()\n"
        "_, n = os.popen('stty size').read().split()",
        {"2"},
    ),
    "a command of Unix that is tried": (
        "import os\ntry:\n    _, n = os.popen('stty size').read().split()\nexcept ValueError:\n    n = 80\n" + LOADER,
        {"2"},
    ),
    "a command of Unix on one platform": (
        f"import os, sys\nif sys.platform == 'linux':\n    _, n = os.popen('stty size').read().split()\n{LOADER}",
        {"2"},
    ),
    "a command of Unix through another shell": (
        f"import subprocess\nsubprocess.call(['stty', 'size'], shell=True)\n{LOADER}",
        {"2"},
    ),
    "a layer on CUDA where there is CUDA": (
        f"import torch\nnet = torch.nn.Linear(3, 1)\nif torch.cuda.is_available():\n    net.cuda()\n{LOADER}",
        {"2"},
    ),
    "a layer on a device that is CUDA where there is some": (
        "import torch\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
        f"net = torch.nn.Linear(3, 1).to(device)\n{LOADER}",
        {"2"},
    ),
    "a layer on a device that somebody gives": (
        "import argparse, torch\nparser = argparse.ArgumentParser()\nparser.add_argument('--device', default='cuda')\n"
        f"net = torch.nn.Linear(3, 1).to(torch.device(parser.parse_args().device))\n{LOADER}",
        {"2"},
    ),
    "a loss without parameters on CUDA": (
        f"import torch\nloss = torch.nn.CrossEntropyLoss().cuda()\n{LOADER}",
        {"2"},
    ),
    "a model that moves itself": (
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        self.layer = nn.Linear(3, 1)\n"
        f"    def cuda(self):\n        return self\nnet = Net().cuda()\n{LOADER}",
        {"2"},
    ),
    "what was not seen on CUDA": (f"net = make()\nnet.cuda()\n{LOADER}", {"2"}),
    "a device of CUDA that was not seen is set": (f"import torch\ntorch.cuda.set_device(rank)\n{LOADER}", {"2"}),
    "no device of CUDA is set": (f"import torch\ntorch.cuda.set_device(-1)\n{LOADER}", {"2"}),
    "a layer on CUDA in a loop before the loader": (
        f"import torch\nfor name in given():\n    torch.nn.Linear(3, 1).cuda()\n{LOADER}",
        {"2"},
    ),
    "a layer on CUDA after the loader in the same turn": (
        f"import torch\nfor name in given():\n    {LOADER}\n    torch.nn.Linear(3, 1).cuda()",
        {"2"},
    ),
    "a layer on CUDA in some turns": (
        f"import torch\nfor name in given():\n    if name:\n        torch.nn.Linear(3, 1).cuda()\n    {LOADER}",
        {"2"},
    ),
    "a layer that a turn may fail to move to CUDA": (
        "import torch\nfor name in given():\n    try:\n        torch.nn.Linear(3, 1).cuda()\n"
        f"    except AssertionError:\n        pass\n    {LOADER}",
        {"2"},
    ),
    "a division by the number of devices in a loop before the loader": (
        f"import torch\nfor size in sizes:\n    size = size // torch.cuda.device_count()\n{LOADER}",
        {"2"},
    ),
    "a layer on CUDA after the loader": (f"import torch\n{LOADER}\ntorch.nn.Linear(3, 1).cuda()", {"2"}),
    "a layer on CUDA that is tried": (
        f"import torch\ntry:\n    torch.nn.Linear(3, 1).cuda()\nexcept AssertionError:\n    pass\n{LOADER}",
        {"2"},
    ),
    "NCCL after the call": (
        f"{NCCL}def load():\n    {LOADER}\nload()\ndist.init_process_group('nccl')",
        {"2"},
    ),
    "a function of the same name": (f"from own import init_process_group\ninit_process_group('nccl')\n{LOADER}", {"2"}),
    "a signal of every platform": (f"import signal\nsignal.signal(signal.SIGTERM, stop)\n{LOADER}", {"2"}),
    "a signal where there is one": (
        f"import signal\nif hasattr(signal, 'SIGUSR1'):\n    signal.signal(signal.SIGUSR1, stop)\n{LOADER}",
        {"2"},
    ),
    "a module of Unix where there is one": (
        f"try:\n    import fcntl\nexcept ImportError:\n    fcntl = None\n{LOADER}",
        {"2"},
    ),
}


WITH_NCCL = f"""
    import os, sys, torch.distributed as dist
    from torch.utils.data import DataLoader
    def test_load():
        return {LOADER}
    def main():
        dist.init_process_group('nccl')
        test_load()
    if __name__ == "__main__":
        ⟨run⟩
    """
BY_NAME: Cases = {
    "a command line made of the file": ({"train.py": WITH_NCCL.replace("⟨run⟩", "import fire; fire.Fire()")}, {"2"}),
    "globals": ({"train.py": WITH_NCCL.replace("⟨run⟩", "globals()[sys.argv[1]]()")}, {"2"}),
    "globals with get": ({"train.py": WITH_NCCL.replace("⟨run⟩", "globals().get(sys.argv[1])()")}, {"2"}),
    "globals into a name": ({"train.py": WITH_NCCL.replace("⟨run⟩", "run = globals()[sys.argv[1]]; run()")}, {"2"}),
    "the module itself": (
        {"train.py": WITH_NCCL.replace("⟨run⟩", "getattr(sys.modules[__name__], sys.argv[1])()")},
        {"2"},
    ),
    "text that is run": ({"train.py": WITH_NCCL.replace("⟨run⟩", "eval(sys.argv[1])()")}, {"2"}),
    "an installed command": (
        {
            "train.py": WITH_NCCL.replace("⟨run⟩", "main()"),
            "pyproject.toml": '[project.scripts]\nload = "train:test_load"\n',
        },
        {"2"},
    ),
    "an installed command of setup.py": (
        {
            "train.py": WITH_NCCL.replace("⟨run⟩", "main()"),
            "setup.py": "setup(entry_points={'console_scripts': ['load=train:test_load']})\n",
        },
        {"2"},
    ),
    "pytest": ({"test_train.py": WITH_NCCL.replace("⟨run⟩", "main()")}, {"2"}),
    "another installed command": (
        {
            "train.py": WITH_NCCL.replace("⟨run⟩", "main()"),
            "pyproject.toml": '[project.scripts]\nload = "train:main"\n',
        },
        {"2 on linux"},
    ),
    "a name that is written": ({"train.py": WITH_NCCL.replace("⟨run⟩", "globals()['main']()")}, {"2 on linux"}),
    "globals that are read": (
        {"train.py": WITH_NCCL.replace("⟨run⟩", "print(globals()[sys.argv[1]]); main()")},
        {"2 on linux"},
    ),
    "a command line made of a function": (
        {"train.py": WITH_NCCL.replace("⟨run⟩", "import fire; fire.Fire(main)")},
        {"2 on linux"},
    ),
    "nobody else": ({"train.py": WITH_NCCL.replace("⟨run⟩", "main()")}, {"2 on linux"}),
}


@pytest.mark.parametrize(("project", "found"), BY_NAME.values(), ids=BY_NAME.keys())
def test_who_calls_a_function_by_its_name_may_do_so_on_any_platform(project: str, found: set[str]) -> None:
    assert traced(project) == found


ENDS = {
    "a call": (f"{NCCL}dist.init_process_group('nccl')\n{LOADER}", "dist.init_process_group('nccl')", 3),
    "a call in a function": (
        f"{NCCL}def inner():\n    dist.init_process_group('nccl')\ndef set_up():\n    inner()\nset_up()\n{LOADER}",
        "dist.init_process_group('nccl')",
        4,
    ),
    "a call before the function": (
        f"{NCCL}def load():\n    return {LOADER}\ndef main():\n    dist.init_process_group('nccl')\n    load()\nmain()",
        "dist.init_process_group('nccl')",
        6,
    ),
    "a constructor": (
        f"{NCCL}class Trainer:\n    def __init__(self):\n        self.set_up()\n        self.epoch = 0\n"
        "    def set_up(self):\n        dist.init_process_group('nccl')\n    def fit(self):\n"
        f"        while self.epoch < 9:\n            {LOADER}\n            self.epoch += 1\nTrainer().fit()",
        "dist.init_process_group('nccl')",
        8,
    ),
    "an import": (f"import fcntl\n{LOADER}", "import fcntl", 2),
    "an import of a part of a package": (
        f"def load():\n    import horovod.torch as hvd\n    return {LOADER}\nload()",
        "import horovod.torch as hvd",
        3,
    ),
    "a command": (
        f"import os\n_, n = os.popen('stty size').read().split()\n{LOADER}",
        "os.popen('stty size')",
        3,
    ),
    "a command at the end of a file": (
        f"import os\ndef mean(data):\n    {LOADER}\n_, n = os.popen('stty size').read().split()\n",
        "os.popen('stty size')",
        5,
    ),
    "a test": (
        f"import sys\nif sys.platform == 'win32':\n    sys.exit('not here')\n{LOADER}",
        "sys.platform == 'win32'",
        3,
    ),
    "a branch": (f"import os\nif os.name != 'nt':\n    {LOADER}", "os.name != 'nt'", 3),
}


@pytest.mark.parametrize(("project", "what", "line"), ENDS.values(), ids=ENDS.keys())
def test_a_loader_says_what_ends_the_program_before_it(project: str, what: str, line: int) -> None:
    ended = loader_of(project.replace("⟦", "").replace("⟧", "")).ended
    assert Platform.LINUX not in ended
    assert (ended[Platform.WINDOWS].what, ended[Platform.WINDOWS].span.line) == (what, line)


CHECK = "import sys\ndef check():\n    if sys.platform == 'win32':\n        sys.exit('not here')\n"
ASKED_BY: dict[str, str] = {
    "a function that is called": CHECK + "def main():\n    check()\n    ⟨load⟩\nmain()",
    "a function that such a function calls": CHECK
    + "def set_up():\n    check()\ndef main():\n    set_up()\n    ⟨load⟩\nmain()",
    "a test": "import sys\ndef main():\n    if sys.platform == 'win32':\n"
    "        sys.exit('not here')\n    ⟨load⟩\nmain()",
    "a constant": "import sys\nWINDOWS = sys.platform == 'win32'\ndef main():\n    if WINDOWS:\n"
    "        sys.exit('not here')\n    ⟨load⟩\nmain()",
    "a name of another": "from sys import exit, platform\ndef main():\n    if platform == 'win32':\n"
    "        exit('not here')\n    ⟨load⟩\nmain()",
    "a function that answers": "import os, sys\ndef on_windows():\n    return os.name == 'nt'\ndef main():\n"
    "    if on_windows():\n        sys.exit('not here')\n    ⟨load⟩\nmain()",
    "hasattr": "import os\ndef main():\n    assert hasattr(os, 'fork')\n    ⟨load⟩\nmain()",
    "a branch": "import sys\nWINDOWS = sys.platform == 'win32'\ndef main():\n"
    "    if not WINDOWS:\n        ⟨load⟩\nmain()",
}
"""Programs that do not go on, on Windows; each asks for the platform in another way."""


@pytest.mark.parametrize("program", ASKED_BY.values(), ids=ASKED_BY.keys())
@pytest.mark.parametrize("deep", [0, 1, 2])
def test_it_makes_no_difference_how_many_calls_away_the_platform_is_asked_for(program: str, deep: int) -> None:
    calls = "".join(f"def load_{one}():\n    load_{one - 1}()\n" for one in range(1, deep + 1))
    load = f"def load_0():\n    {LOADER}\n{calls}" + program.replace("⟨load⟩", f"load_{deep}()")
    assert traced(load) == {"2 on linux, macos"}
    assert traced(program.replace("⟨load⟩", LOADER)) == {"2 on linux, macos"}


@pytest.mark.parametrize(("project", "found"), [*BOUND.values(), *FREE.values()], ids=[*BOUND, *FREE])
def test_a_loader_is_there_where_a_run_comes_to_it(project: str, found: set[str]) -> None:
    assert traced(project) == found


def test_a_module_of_the_project_is_not_one_of_unix() -> None:
    files = {
        "train.py": f"import resource\nfrom torch.utils.data import DataLoader\n{LOADER}",
        "resource.py": "limit = 8\n",
    }
    assert traced(files) == {"2"}


@pytest.mark.parametrize("first", ["b", "e"])
def test_the_order_of_functions_changes_nothing(first: str) -> None:
    functions = {
        "a": "def a():\n    b()\n",
        "b": "def b():\n    DataLoader(data, num_workers=2)\n    c()\n",
        "c": "def c():\n    d()\n",
        "d": "def d():\n    e()\n",
        "e": "def e():\n    DataLoader(data, num_workers=3)\n",
    }
    in_order = [functions.pop(first), *functions.values()]
    main = f"{NCCL}def main():\n    dist.init_process_group('nccl')\n    a()\nmain()\n"
    found = {one.partition(" at ")[0] for one in traced("".join(in_order) + main)}
    assert "2 on linux" in found
    assert found == {one.partition(" at ")[0] for one in traced("".join(sorted(in_order)) + main)}


def test_the_first_start_method_depends_on_python() -> None:
    text = "import multiprocessing as mp\nDataLoader(data, multiprocessing_context=mp.get_all_start_methods()[0])"
    assert traced(text, "multiprocessing_context") == {"open"}


def test_a_loader_is_on_the_platforms_that_its_own_branch_asks_for() -> None:
    loader = loader_of("import sys\nif sys.platform == 'linux':\n    DataLoader(data, num_workers=2)")
    assert loader.platforms == {Platform.LINUX}


@pytest.mark.parametrize("name", ["an assert that there is CUDA", "an error where there is no CUDA, in a function"])
def test_a_loader_behind_a_question_for_cuda_is_on_no_platform_that_has_none(name: str) -> None:
    text = BOUND[name][0]
    assert isinstance(text, str)
    assert loader_of(text).platforms == {Platform.LINUX, Platform.WINDOWS}


MAIN = f"from torch.utils.data import DataLoader\nfrom utils import limit\n{LOADER}"
BUILD = """
class custom_build_ext(build_ext):
    def build_extensions(self):
        default_compiler_so = self.compiler.compiler_so
setup(ext_modules=[Extension("ops.fast_nms", ["fast_nms.pyx"])], cmdclass={"build_ext": custom_build_ext})
"""
IMPORTED: dict[str, tuple[dict[str, str], set[str]]] = {
    "a module of Unix": ({"utils.py": "import resource\nlimit = 2\n"}, {"2 on linux, macos"}),
    "a package of Unix": ({"utils.py": "import SharedArray as sa\nlimit = 2\n"}, {"2 on linux, macos"}),
    "a package of the project": (
        {"utils.py": "import horovod.torch\nlimit = 2\n", "horovod/__init__.py": "", "horovod/torch.py": ""},
        {"2"},
    ),
    "a command of Unix": (
        {"utils.py": "import os\nlimit, _ = os.popen('stty size', 'r').read().split()\n"},
        {"2 on linux, macos"},
    ),
    "a command of Unix in a function": (
        {"utils.py": "import os\ndef limit():\n    rows, _ = os.popen('stty size', 'r').read().split()\n"},
        {"2"},
    ),
    "a command of Unix that is tried": (
        {"utils.py": "import os\ntry:\n    limit, _ = os.popen('stty size').read().split()\nexcept:\n    limit = 2\n"},
        {"2"},
    ),
    "a module of Unix further on": (
        {"utils.py": "from more import *\n", "more.py": "from .more.far import limit\n", "far.py": "import fcntl\n"},
        {"2"},
    ),
    "a module of Unix in a package": (
        {"utils/__init__.py": "from .far import limit\n", "utils/far.py": "import fcntl\nlimit = 2\n"},
        {"2 on linux, macos"},
    ),
    "modules that import each other": (
        {"utils.py": "import far\nlimit = 2\n", "far.py": "import utils\nfrom resource import getrlimit\n"},
        {"2 on linux, macos"},
    ),
    "what only a Unix compiler builds": (
        {"utils.py": "from ops.fast_nms import nms\nlimit = 2\n", "ops/__init__.py": "", "ops/setup.py": BUILD},
        {"2 on linux, macos"},
    ),
    "what any compiler builds": (
        {
            "utils.py": "from ops.fast_nms import nms\nlimit = 2\n",
            "ops/__init__.py": "",
            "ops/setup.py": BUILD.replace("compiler_so", "compiler_type"),
        },
        {"2"},
    ),
    "a module of the same name as one that is built": (
        {
            "utils.py": "from ops.fast_nms import nms\nlimit = 2\n",
            "ops/__init__.py": "",
            "ops/fast_nms.py": "nms = None\n",
            "ops/setup.py": BUILD,
        },
        {"2"},
    ),
    "in a function": ({"utils.py": "def limit():\n    import resource\n"}, {"2"}),
    "where it is tried": ({"utils.py": "try:\n    import resource\nexcept ImportError:\n    limit = 2\n"}, {"2"}),
    "on one platform": ({"utils.py": "import os\nif os.name == 'posix':\n    import resource\nlimit = 2\n"}, {"2"}),
    "a module of the project": ({"utils.py": "import resource\nlimit = 2\n", "resource.py": ""}, {"2"}),
}


@pytest.mark.parametrize(("files", "expected"), IMPORTED.values(), ids=IMPORTED.keys())
def test_a_loader_is_there_where_all_that_its_file_imports_can_be(files: dict[str, str], expected: set[str]) -> None:
    assert traced({"main.py": MAIN, **files}) == expected


def test_a_loader_says_which_import_of_another_file_ends_the_program() -> None:
    files = {"main.py": MAIN.replace("⟦2⟧", "2"), "utils.py": "import os\nimport resource\nlimit = 2\n"}
    end = loader_of(files).ended[Platform.WINDOWS]
    assert (end.what, end.span.place) == ("import resource", "utils.py:2")


CHOSEN = """
    import sys
    from torch.utils.data import DataLoader
    def on_windows():
        return DataLoader(data, num_workers=⟦2⟧)
    def elsewhere():
        return DataLoader(data, num_workers=⟦4⟧)
    class OnWindows:
        def load(self):
            return DataLoader(data, num_workers=⟦6⟧)
    class Elsewhere:
        def load(self):
            return DataLoader(data, num_workers=⟦8⟧)
    def main():
        ⟨run⟩
    main()
    """
APART = {"2 on windows", "4 on linux, macos", "6 on windows", "8 on linux, macos"}
CHOICES: dict[str, tuple[str, set[str]]] = {
    "by the platform": (
        "(on_windows if sys.platform == 'win32' else elsewhere)()\n"
        "        (OnWindows() if sys.platform == 'win32' else Elsewhere()).load()",
        APART,
    ),
    "into a name": (
        "make = on_windows if sys.platform == 'win32' else elsewhere; make()\n"
        "        rows = OnWindows() if sys.platform == 'win32' else Elsewhere(); rows.load()",
        APART,
    ),
    "from a dictionary": (
        "{'win32': on_windows, 'linux': elsewhere, 'darwin': elsewhere}[sys.platform]()\n"
        "        {'win32': OnWindows, 'linux': Elsewhere, 'darwin': Elsewhere}[sys.platform]().load()",
        APART,
    ),
    "and elsewhere, too": (
        "make = on_windows if sys.platform == 'win32' else elsewhere; make(); on_windows()\n"
        "        rows = OnWindows() if sys.platform == 'win32' else Elsewhere(); rows.load(); OnWindows().load()",
        {"2", "4 on linux, macos", "6", "8 on linux, macos"},
    ),
    "by what nobody sees": (
        "make = on_windows if fast else elsewhere; make()\n"
        "        rows = OnWindows() if fast else Elsewhere(); rows.load()",
        {"2", "4", "6", "8"},
    ),
}


@pytest.mark.parametrize(("run", "found"), CHOICES.values(), ids=CHOICES.keys())
def test_a_function_that_is_chosen_by_the_platform_runs_there_alone(run: str, found: set[str]) -> None:
    assert traced({"main.py": CHOSEN.replace("⟨run⟩", run)}) == found
