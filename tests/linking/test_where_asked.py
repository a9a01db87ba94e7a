"""One test asked at the top of a module and in its functions: one question where it has one answer, else several."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Files, met

TOGETHER = {("0", "None"), ("8", "4")}
APART = {("0", "None"), ("0", "4"), ("8", "None"), ("8", "4")}

LOCAL = "import os\nlocal = 'SLURM_JOB_ID' not in os.environ\n"
WORKERS = "workers = 0 if local else 8\n"
LOAD = "def load(d):\n    return DataLoader(d, num_workers=workers, prefetch_factor=None if local else 4)\n"
HERE = LOCAL + WORKERS + LOAD

SAME: dict[str, Files] = {
    "a name": HERE,
    "a name that is asked of, not asked of": LOCAL
    + WORKERS
    + """
def load(d):
    options = {}
    if not local:
        options['prefetch_factor'] = 4
    return DataLoader(d, num_workers=workers, **options)
""",
    "a name bound to what a call gives": "local = ask()\n" + WORKERS + LOAD,
    "a name and a constant": "size = ask()\nworkers = 0 if size < 2 else 8\n"
    "def load(d):\n    return DataLoader(d, num_workers=workers, prefetch_factor=None if size < 2 else 4)\n",
    "in a method": LOCAL
    + WORKERS
    + "class Data:\n    def load(self, d):\n"
    + "        return DataLoader(d, num_workers=workers, prefetch_factor=None if local else 4)\n",
    "a function's answer used in another": LOCAL
    + "def workers():\n    return 0 if local else 8\n"
    + "def load(d):\n    return DataLoader(d, num_workers=workers(), prefetch_factor=None if local else 4)\n",
    "a variable of the environment": """
import os
workers = 0 if os.environ.get('DEBUG') else 8
def load(d):
    return DataLoader(d, num_workers=workers, prefetch_factor=None if os.environ.get('DEBUG') else 4)
""",
    "a variable of the environment, compared": """
import os
workers = 0 if os.getenv('DEBUG', '0') == '1' else 8
def load(d):
    return DataLoader(d, num_workers=workers, prefetch_factor=None if os.getenv('DEBUG', '0') == '1' else 4)
""",
    "whether a variable is in the environment": """
import os
workers = 8 if 'SLURM_JOB_ID' in os.environ else 0
def load(d):
    return DataLoader(d, num_workers=workers, prefetch_factor=4 if 'SLURM_JOB_ID' in os.environ else None)
""",
    "a name brought in from another module": {
        "settings.py": LOCAL + WORKERS,
        "main.py": f"{IMPORT}from settings import local, workers\n{LOAD}",
    },
    "a name brought in through another module": {
        "settings.py": LOCAL + WORKERS,
        "common/__init__.py": "from settings import local, workers\n",
        "main.py": f"{IMPORT}from common import local, workers\n{LOAD}",
    },
    "the machine, in two functions": """
import torch
def workers():
    return 8 if torch.accelerator.current_accelerator() is not None else 0
def factor():
    found = torch.accelerator.current_accelerator()
    if found is None:
        return None
    return 4
def load(d):
    return DataLoader(d, num_workers=workers(), prefetch_factor=factor())
""",
    "the machine, by several names": """
import torch
from torch import cuda
from torch.cuda import device_count
class Data:
    def __init__(self):
        self.gpus = cuda.device_count()
        self.workers = 8 if self.gpus > 1 else 0
    def load(self, d):
        return DataLoader(d, num_workers=self.workers, prefetch_factor=4 if device_count() > 1 else None)
""",
    "the kind of the machine's accelerator": """
import torch
def workers():
    found = torch.accelerator.current_accelerator()
    return 8 if found and found.type == 'cuda' else 0
def load(d):
    found = torch.accelerator.current_accelerator()
    return DataLoader(d, num_workers=workers(), prefetch_factor=4 if found and found.type == 'cuda' else None)
""",
}
DIFFERENT: dict[str, Files] = {
    "a name that a function sets anew": HERE + "def use_cluster():\n    global local\n    local = ask()\n",
    "a name that only a function sets": "def begin():\n    global local\n    local = ask()\nbegin()\n" + WORKERS + LOAD,
    "a name that is bound twice": LOCAL + WORKERS + "local = ask()\n" + LOAD,
    "a name of the function's own": LOCAL
    + WORKERS
    + "def load(d):\n    local = ask()\n"
    + "    return DataLoader(d, num_workers=workers, prefetch_factor=None if local else 4)\n",
    "a name of the function around": LOCAL
    + WORKERS
    + "def begin(local):\n    def load(d):\n"
    + "        return DataLoader(d, num_workers=workers, prefetch_factor=None if local else 4)\n"
    + "    load(1)\nbegin(ask())\n",
    "a list that a function adds to": "local = ask()\n" + WORKERS + "def add():\n    local.append(1)\n" + LOAD,
    "what a call gives at another time": "workers = 0 if ready() else 8\n"
    "def load(d):\n    return DataLoader(d, num_workers=workers, prefetch_factor=None if ready() else 4)\n",
    "a variable of the environment that the program sets": """
import os
workers = 0 if os.environ.get('DEBUG', '0') == '1' else 8
def begin():
    os.environ['DEBUG'] = ask()
def load(d):
    return DataLoader(d, num_workers=workers, prefetch_factor=None if os.environ.get('DEBUG', '0') == '1' else 4)
""",
    "two variables of the environment": """
import os
workers = 0 if 'DEBUG' in os.environ else 8
def load(d):
    return DataLoader(d, num_workers=workers, prefetch_factor=None if 'TEST' in os.environ else 4)
""",
    "a name that another module sets on the one that binds it": {
        "settings.py": LOCAL + WORKERS,
        "main.py": f"{IMPORT}import settings\nfrom settings import local, workers\nsettings.local = ask()\n{LOAD}",
    },
    "names of two modules": {
        "settings.py": LOCAL + WORKERS,
        "main.py": f"{IMPORT}from settings import workers\nlocal = ask()\n{LOAD}",
    },
    "the machine, for different things": """
import torch
def workers():
    return 8 if torch.cuda.device_count() > 1 else 0
def load(d):
    return DataLoader(d, num_workers=workers(), prefetch_factor=4 if torch.cuda.device_count() > 2 else None)
""",
    "the machine, whose devices the program hides": """
import os
import torch
def workers():
    return 8 if torch.cuda.device_count() > 1 else 0
def load(d):
    n = workers()
    os.environ['CUDA_VISIBLE_DEVICES'] = '0'
    return DataLoader(d, num_workers=n, prefetch_factor=4 if torch.cuda.device_count() > 1 else None)
""",
    "the machine, for a device that a caller names": """
import torch
def workers():
    return 8 if torch.cuda.is_bf16_supported(ask()) else 0
def load(d):
    return DataLoader(d, num_workers=workers(), prefetch_factor=4 if torch.cuda.is_bf16_supported(ask()) else None)
""",
}


@pytest.mark.parametrize("files", SAME.values(), ids=SAME.keys())
def test_one_question_wherever_it_is_asked(files: Files) -> None:
    assert met(files) == TOGETHER


@pytest.mark.parametrize("files", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_questions_that_may_be_answered_differently(files: Files) -> None:
    assert met(files) == APART
