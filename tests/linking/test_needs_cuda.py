"""What is put on CUDA before a loader is made ends a program on macOS, which has none."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

LOADER = "DataLoader(data, num_workers=⟦2⟧)"
CUDA = {"2 on linux, windows"}
MADE = "import torch\nfrom own import make\nmodel = make()\n"
TRAINING = (
    "import torch\nclass Training:\n    def __init__(self, model):\n        self.model = {}\n        self.epoch = 0\n"
    f"    def run(self):\n        {LOADER}\n"
)
LAYER = "torch.nn.Linear(3, 1)"
RUN = f"training = Training({LAYER})\n{LOADER.replace('2', '3')}\n"

BOUND: Cases = {
    "the device that is shown after something else": (
        f"import torch\nprint('cuda', torch.cuda.current_device(), torch.cuda.device_count())\n{LOADER}",
        CUDA,
    ),
    "the device that is handed to a function after something else": (
        f"import torch\ndef show(*what):\n    print(what)\nshow(1, str(torch.cuda.get_device_name(0)))\n{LOADER}",
        CUDA,
    ),
    "a model of a library that is asked for its parameters": (
        f"{MADE}model.cuda()\ntorch.optim.SGD(model.parameters(), lr=0.1)\n{LOADER}",
        CUDA,
    ),
    "a model of a library that is asked for its parameters before": (
        f"{MADE}optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nmodel = model.to('cuda')\n{LOADER}",
        CUDA,
    ),
    "a model of a library, moved where it is made, that is trained": (
        f"import torch\nfrom own import make\nmodel = make().cuda()\nmodel.train()\n{LOADER}",
        CUDA,
    ),
    "a model of a library, wrapped and moved, that is stored": (
        f"import torch\nfrom own import make\nmodel = torch.nn.DataParallel(make()).cuda()\n"
        f"def save():\n    torch.save(model.state_dict(), 'model.pt')\n{LOADER}",
        CUDA,
    ),
    "a model of a library that an object keeps, asked in another method": (
        "import torch\nfrom own import make\nclass Training:\n    def __init__(self):\n        self.model = make()\n"
        f"        self.model.cuda()\n    def run(self):\n        self.model.eval()\n        {LOADER}\nTraining().run()",
        CUDA,
    ),
    "a parameter that is asked for its parameters": (
        "import torch\ndef run(model):\n    model.cuda()\n    torch.optim.SGD(model.parameters(), lr=0.1)\n"
        f"    {LOADER}\nfrom own import make\nrun(make())",
        CUDA,
    ),
    "a loss of torch's with weights": (
        f"import torch\nfrom own import make\nloss = torch.nn.CrossEntropyLoss(make()).cuda()\nloss.train()\n{LOADER}",
        CUDA,
    ),
    "a loss of torch's with weights by keyword": (
        f"import torch\nfrom own import make\nloss = torch.nn.BCEWithLogitsLoss(pos_weight=make()).cuda()\n"
        f"loss.train()\n{LOADER}",
        CUDA,
    ),
    "a loss of one's own that has a constructor": (
        "import torch\nfrom own import make\nclass Loss(torch.nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n        self.inner = make()\nloss = Loss().cuda()\nloss.train()\n{LOADER}",
        CUDA,
    ),
    "a loss of one's own below another library's": (
        f"from own import Base\nclass Loss(Base):\n    pass\nloss = Loss().cuda()\nloss.train()\n{LOADER}",
        CUDA,
    ),
    "a model by the name of its kind": (f"import timm\nmodel = timm.create_model('resnet18').cuda()\n{LOADER}", CUDA),
    "a model of a hub": (f"import torch\nmodel = torch.hub.load('facebook/dino', 'vit').to('cuda')\n{LOADER}", CUDA),
    "a trained model": (
        f"from transformers import AutoModel\nmodel = AutoModel.from_pretrained('bert').cuda()\n{LOADER}",
        CUDA,
    ),
    "one of torchvision's models that getattr finds": (
        f"from torchvision import models\nmodel = getattr(models, name)(pretrained=True).cuda()\n{LOADER}",
        CUDA,
    ),
    "a constructor that moves its model": (
        f"{TRAINING.format(f'{LAYER}.cuda()')}{RUN}",
        {"3 on linux, windows", "2"},
    ),
    "the constructor of a base": (
        f"{TRAINING.format(f'{LAYER}.cuda()')}class Longer(Training):\n    def __init__(self, model):\n"
        f"        super().__init__(model)\n        self.more = 1\nlonger = Longer(1)\n{LOADER.replace('2', '3')}",
        {"3 on linux, windows", "2"},
    ),
    "a model whose constructor moves a layer": (
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.layer = nn.Linear(3, 1).cuda()\nnet = Net()\n{LOADER}",
        CUDA,
    ),
    "a tensor that is made there": (f"import torch\nones = torch.ones(3, device='cuda')\n{LOADER}", CUDA),
    "a tensor that is made on a device": (
        f"import torch\ndevice = torch.device('cuda:0')\nfixed = torch.randn(3, device=device)\n{LOADER}",
        CUDA,
    ),
    "a tensor on one of the devices": (
        f"import sys\nimport torch\ndevice = f'cuda:{{sys.argv[1]}}'\nones = torch.ones(3, device=device)\n{LOADER}",
        CUDA,
    ),
    "a layer that is made there": (f"from torch import nn\nnet = nn.Linear(3, 1, device='cuda')\n{LOADER}", CUDA),
    "a generator that is made there": (f"import torch\nnumbers = torch.Generator(device='cuda')\n{LOADER}", CUDA),
    "the default of all tensors": (
        f"import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n{LOADER}",
        CUDA,
    ),
    "the default of all tensors by its class": (
        f"import torch\ntorch.set_default_tensor_type(torch.cuda.FloatTensor)\n{LOADER}",
        CUDA,
    ),
    "the default device": (f"import torch\ntorch.set_default_device('cuda')\n{LOADER}", CUDA),
    "a tensor by its class there": (f"import torch\nones = torch.cuda.FloatTensor([1])\n{LOADER}", CUDA),
    "the device of a rank": (
        f"import torch\nimport torch.distributed as dist\ntorch.cuda.set_device(dist.get_rank())\n{LOADER}",
        CUDA,
    ),
    "a tensor in a variable": (
        "import torch\nfrom torch.autograd import Variable\nx = torch.rand(2)\nx = Variable(x)\n"
        f"x = x.cuda()\n{LOADER}",
        CUDA,
    ),
    "a tensor of a class": (f"import torch\nx = torch.FloatTensor(2, 3).cuda()\n{LOADER}", CUDA),
    "a device by its name": (f"import torch\ntorch.cuda.set_device('cuda:1')\n{LOADER}", CUDA),
    "a device that is made, of whatever type": (
        "import torch\nfrom own import args\n"
        "device = torch.device('cuda', args.gpu) if args.gpu >= 0 else torch.device('cpu')\n"
        f"torch.cuda.set_device(device)\n{LOADER}",
        CUDA,
    ),
    **{
        f"the device of the process by {given}": (f"import os\nimport torch\n{given}\n{LOADER}", CUDA)
        for given in (
            "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))",
            "rank = int(os.environ['SLURM_LOCALID'])\ntorch.cuda.set_device(rank)",
            "torch.cuda.set_device(int(os.environ.get('LOCAL_RANK', 0)))",
            "torch.cuda.set_device(int(os.getenv('LOCAL_RANK', '0')))",
            "torch.cuda.set_device(int(os.getenv('LOCAL_RANK')))",
        )
    },
    "events that are timed": (f"import torch\nstart = torch.cuda.Event(enable_timing=True)\n{LOADER}", CUDA),
}
FREE: Cases = {
    "the device that is shown where there is one": (
        f"import torch\nif torch.cuda.is_available():\n    print(1, torch.cuda.current_device())\n{LOADER}",
        {"2"},
    ),
    "how many devices there are, shown after something else": (
        f"import torch\nprint('cuda', torch.cuda.device_count(), torch.cuda.is_available())\n{LOADER}",
        {"2"},
    ),
    "a device that is shown when somebody calls it": (
        f"import torch\nprint(1, lambda: torch.cuda.current_device())\n{LOADER}",
        {"2"},
    ),
    "a function of that name of another module": (
        f"import torch\nfrom own import cuda\nprint(1, cuda.current_device())\n{LOADER}",
        {"2"},
    ),
    "a thing of a library that is asked for nothing": (f"{MADE}model.cuda()\nmodel.name = 'first'\n{LOADER}", {"2"}),
    "a loss of a library beside a model": (
        f"{MADE}from own import loss\nmeasure = loss()\nmeasure.cuda()\nmodel.train()\n{LOADER}",
        {"2"},
    ),
    "another name is asked for its parameters": (
        f"{MADE}model.cuda()\ndef run(model):\n    model.train()\n{LOADER}",
        {"2"},
    ),
    "what holds it is asked for its parameters": (
        f"{MADE}model.inner.cuda()\nmodel.train()\n{LOADER}",
        {"2"},
    ),
    "a model of a library where there is CUDA": (
        f"{MADE}model.train()\nif torch.cuda.is_available():\n    model.cuda()\n{LOADER}",
        {"2"},
    ),
    "a model of one's own that moves itself": (
        "import torch.nn as nn\nclass Net(nn.Module):\n    def cuda(self):\n        return self\n"
        f"net = Net()\nnet.cuda()\nnet.train()\n{LOADER}",
        {"2"},
    ),
    "a model of a library that may go to another device": (
        "import torch\nfrom own import make\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
        f"model = make()\nmodel.to(device)\nmodel.train()\n{LOADER}",
        {"2"},
    ),
    "a constructor that moves its model where there is CUDA": (
        f"{TRAINING.format(f'{LAYER}.cuda() if torch.cuda.is_available() else {LAYER}')}{RUN}",
        {"2", "3"},
    ),
    "a constructor that moves what it is handed, which has no tensors": (
        f"{TRAINING.format('model.cuda()')}{RUN.replace(LAYER, 'torch.nn.CrossEntropyLoss()')}",
        {"2", "3"},
    ),
    "a class that is made later": (
        f"{TRAINING.format(f'{LAYER}.cuda()')}{LOADER.replace('2', '3')}\ntraining = Training(1)\n",
        {"2", "3"},
    ),
    "a class whose making is tried": (
        f"{TRAINING.format(f'{LAYER}.cuda()')}try:\n    training = Training(1)\nexcept Exception:\n    pass\n"
        + LOADER.replace("2", "3"),
        {"2", "3"},
    ),
    "another dictionary that getattr asks": (
        f"from others import models\nmodel = getattr(models, name)().cuda()\n{LOADER}",
        {"2"},
    ),
    "a tensor on a device that was not seen": (
        f"import torch\nfrom own import device\nones = torch.ones(3, device=device)\n{LOADER}",
        {"2"},
    ),
    "a tensor on another device": (f"import torch\nones = torch.ones(3, device='cpu')\n{LOADER}", {"2"}),
    "a tensor of one's own there": (f"from own import ones\nones(3, device='cuda')\n{LOADER}", {"2"}),
    "a device that nothing is made on": (f"import torch\ndevice = torch.device('cuda')\n{LOADER}", {"2"}),
    "a tensor there that is tried": (
        f"import torch\ntry:\n    torch.ones(3, device='cuda')\nexcept Exception:\n    pass\n{LOADER}",
        {"2"},
    ),
    "a tensor there that a function makes later": (
        f"import torch\ndef noise():\n    return torch.randn(3, device='cuda')\n{LOADER}",
        {"2"},
    ),
    "another default of all tensors": (
        f"import torch\ntorch.set_default_tensor_type('torch.DoubleTensor')\n{LOADER}",
        {"2"},
    ),
    "the default of all tensors where there is CUDA": (
        "import torch\nkind = 'torch.cuda.FloatTensor' if torch.cuda.is_available() else 'torch.FloatTensor'\n"
        f"torch.set_default_tensor_type(kind)\n{LOADER}",
        {"2"},
    ),
    **{
        f"a device that may be none by {given}": (f"import os\nimport torch\n{given}\n{LOADER}", {"2"})
        for given in (
            "torch.cuda.set_device(int(os.environ.get('LOCAL_RANK', -1)))",
            "torch.cuda.set_device(int(os.environ.get('LOCAL_RANK', '-1')))",
            "torch.cuda.set_device(int(os.environ['GPU']))",
            "rank = int(os.environ['LOCAL_RANK'])\nif alone:\n    rank = -1\ntorch.cuda.set_device(rank)",
            "torch.cuda.set_device(int(os.environ.get('LOCAL_RANK', other)))",
        )
    },
    "what is not seen in a variable": (
        "import torch\nfrom torch.autograd import Variable\nfrom own import x\nx = Variable(x)\n"
        f"x = x.cuda()\n{LOADER}",
        {"2"},
    ),
    "a class of one's own": (f"from own import FloatTensor\nx = FloatTensor(2, 3).cuda()\n{LOADER}", {"2"}),
    "the device of a rank in another group": (
        "import torch\nimport torch.distributed as dist\nfrom own import group\n"
        f"torch.cuda.set_device(dist.get_rank(group))\n{LOADER}",
        {"2"},
    ),
    "what CUDA answers without any": (
        f"import torch\ntorch.cuda.empty_cache()\ntorch.cuda.manual_seed_all(1)\n{LOADER}",
        {"2"},
    ),
    "a loss of torch's that is trained": (
        f"import torch\nloss = torch.nn.MSELoss().cuda()\nloss.train()\n{LOADER}",
        {"2"},
    ),
    "a loss of torch's that is asked for its parameters": (
        f"import torch\nloss = torch.nn.CrossEntropyLoss(reduction='sum').cuda()\nlist(loss.parameters())\n{LOADER}",
        {"2"},
    ),
    "a loss of one's own that makes nothing": (
        "import torch\nclass Loss(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
        f"loss = Loss().cuda()\nlist(loss.parameters())\n{LOADER}",
        {"2"},
    ),
    "events of threads": (f"import threading\nstart = threading.Event()\n{LOADER}", {"2"}),
}


@pytest.mark.parametrize(("project", "found"), [*BOUND.values(), *FREE.values()], ids=[*BOUND, *FREE])
def test_a_loader_behind_what_is_put_on_cuda_is_there_where_there_may_be_some(project: str, found: set[str]) -> None:
    assert traced(project) == found
