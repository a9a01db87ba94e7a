"""What a script sets up for its workers: it stays outside the guard, or the fix says that it does not reach them."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from loaderlint.model.imported import NOWHERE, Imported, SettingUp
from loaderlint.writers.python.guard import guard

HEAD = """\
import argparse, builtins, csv, ctypes, decimal, gettext, importlib, mimetypes, os, random, sqlite3, sys
import numpy as np
import torch
import torchvision
from absl import app, flags, logging
from PIL import PngImagePlugin
import cv2, datasets, monai, sklearn, wandb
import readers
import transforms as T
from config import cfg, get_config
from data import Rows, TABLE, set_backend
from torch.utils.data import DataLoader
from unittest import mock
import matplotlib.pyplot as plt


class Words:
    known = {}
    size = 1

    @classmethod
    def configure(cls, **options):
        for name, value in options.items():
            setattr(cls, name, value)

    @staticmethod
    def load():
        Words.known.update(a=1)

    @staticmethod
    def read(path):
        with open(path) as file:
            Words.known.update(word.split() for word in file)


def merge():
    cfg.merge(scale=10)


class Reader:
    def __init__(self, scale=1):
        self.scale = scale

    def install(self):
        cfg.merge(scale=args.scale)


class Installed(Reader):
    def __init__(self):
        cfg.merge(scale=args.scale)


class Inherited(Installed):
    def __init__(self):
        super().__init__()


class Scaled:
    def __enter__(self):
        self.reader = Reader()
        return self.reader

    def __exit__(self, *error):
        cfg.merge(scale=args.scale)

    def install(self):
        self.reader.install()


class Quick:
    @property
    def ready(self):
        return True

    @ready.setter
    def ready(self, value):
        cfg.merge(open("scale"))

    def __getitem__(self, index):
        cfg.merge(open("scale"))

    def __len__(self):
        cfg.merge(open("scale"))

    def __iter__(self):
        cfg.merge(open("scale"))


class Called:
    def __call__(self):
        cfg.merge(open("scale"))


class Plain:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def install(self):
        return super().install()


def seed_everything():
    random.seed(1)
    np.random.seed(1)


parser = argparse.ArgumentParser()
args = parser.parse_args()
print("rows")
"""

LOOP = "for batch in DataLoader(Rows(), num_workers=2):\n    print(batch)\n"


def guarded(code: str) -> tuple[str, str]:
    """Guard a script that iterates a loader in its last statement."""
    module = cst.parse_module(HEAD + code + "\n" + LOOP)
    new, unsafe = guard(module, {len(module.body) - 1}, NOWHERE)
    return new.code, unsafe


@pytest.mark.parametrize(
    "code",
    [
        "cfg.merge(scale=10)",
        "cfg.scale = 10",
        'set_backend("torch")',
        "Rows.configure(size=3)",
        "Words.configure(size=3)",
        "Words.load()",
        "Words.size = 3",
        "merge()",
        'setattr(Rows, "scale", 10)',
        'setattr(Words, "size", 10)',
        'Rows.names.append("b")',
        "TABLE.append(3)",
        'for name, value in {"scale": 10}.items():\n    setattr(readers, name, value)',
        'T.register("triple", lambda row: 3 * row)',
        "decimal.getcontext().prec = 3",
        "get_config().scale = 3",
        "csv.field_size_limit(10_000_000)",
        "torch.serialization.add_safe_globals([Words])",
        "readers.register_train_datasets()",
        "readers.set_device(0)",
        'flags.DEFINE_integer("scale", 1, "")\nflags.mark_flag_as_required("scale")',
        "flags.FLAGS(sys.argv)",
        'torch.ops.load_library("rows.so")',
        "PngImagePlugin.MAX_TEXT_CHUNK = 1024",
        'torchvision.datasets.folder.IMG_EXTENSIONS = (".raw",)',
        "readers.set_args(int(sys.argv[1]))",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_default_device(0)",
        "torch.set_default_tensor_type(torch.DoubleTensor)",
        "monai.data.set_track_meta(False)",
        'sklearn.set_config(transform_output="pandas")',
        "datasets.disable_caching()",
        "cv2.setNumThreads(0)",
        "torch.set_grad_enabled(False)",
        'gettext.install("rows")',
        'mimetypes.init(["rows.types"])',
        'importlib.import_module("plugins")',
        'os.add_dll_directory("lib")',
        "sqlite3.register_adapter(Words, str)",
        'plt.switch_backend("agg")',
        'plt.rcParams.update({"figure.dpi": 120})',
        '__import__("plugins")',
        'ctypes.CDLL("rows.so", mode=ctypes.RTLD_GLOBAL)',
        'sys.stdout.reconfigure(encoding="utf-8")',
        "FLAGS = flags.FLAGS\nFLAGS(sys.argv)",
        "settings = readers.settings\nsettings.scale = 10",
    ],
)
def test_what_sets_up_the_workers_stays_outside(code: str) -> None:
    new, unsafe = guarded(code)
    assert f"\n{code}\n" in new
    assert unsafe == ""


@pytest.mark.parametrize(
    "code",
    [
        "cfg.merge(args)",
        "readers.set_args(args)",
        "readers.update_config_from_args(args)",
        "readers.set_debug(args.fast)",
        "flags.FLAGS(args.rest)",
        "torch.ops.load_library(args.library)",
        "torch.classes.load_library(args.library)",
        "PngImagePlugin.MAX_TEXT_CHUNK = args.chunk",
        "torchvision.datasets.folder.IMG_EXTENSIONS = (args.kind,)",
        "torchvision.datasets.folder.IMG_EXTENSIONS[0] = args.kind",
        'setattr(torchvision.datasets.folder, "IMG_EXTENSIONS", args.kinds)',
        "torch.distributions.Distribution.set_default_validate_args(args.fast)",
        "torch.set_grad_enabled(args.train)",
        "importlib.import_module(args.plugin)",
        "[readers.register(one) for one in args.readers]",
        "{one: set_backend(one) for one in args.readers}",
        "(lambda: readers.register(args.reader))()",
        'getattr(readers, "register")(args.reader)',
        "_ = readers.install(args.root)",
        "readers.start(args.root)",
        'vars(builtins)["scale"] = args.scale',
        "cfg.scale = args.scale",
        "Rows.configure(size=args.size)",
        "Words.size = args.size",
        "Rows.size = args.size",
        "Rows.sizes[0] = args.size",
        "Words.configure(size=args.size)",
        'Words.read("words.txt")',
        'readers.load("prod")',
        "random.seed(1); readers.install()",
        'rows = Rows(open("rows"))\ntype(rows).scale = 10',
        'rows = Rows(open("rows"))\nrows.__class__.scale = 10',
        "csv.field_size_limit(args.limit)",
        'exec(open("settings").read())',
        'globals()["SCALE"] = args.scale',
        'if args.fast:\n    set_backend("torch")',
        'vars(readers)["scale"] = args.scale',
        "readers.register_train_datasets(args.root)",
        "readers.setup_train_rows()",
        "torch.set_default_tensor_type(args.type)",
        "torch.set_default_device(args.device)",
        "monai.data.set_track_meta(args.meta)",
        "sklearn.set_config(transform_output=args.output)",
        "old = set_backend(args.backend)\nprint(old)",
        "FLAGS = flags.FLAGS\nFLAGS(args.rest)",
        'SCALE = flags.DEFINE_integer("scale", args.scale, "")',
        "register = readers.REGISTRY.register\nregister(args.reader)",
        "settings = readers.settings\nsettings.scale = args.scale",
        "readers.Registry(args.root)",
        "machine = readers.startMachine(args.path)",
        "print(readers.init(args.root))",
        "known = [readers.register(one) for one in args.readers]",
        "known = any(readers.register(one) for one in args.readers)",
        "__import__(args.plugin)",
        "torch.no_grad().__enter__()",
        "context = readers.scaled(3)\ncontext.__enter__()",
        'rows = ctypes.CDLL("rows.so", ctypes.RTLD_GLOBAL)',
        'sys.modules["rows"] = readers.made(args.rows)',
        'mock.patch("readers.SCALE", 10).start()',
        'patched = mock.patch("readers.SCALE", args.scale)\npatched.start()',
        "print(set_backend(args.backend))",
        'with set_backend(args.backend):\n    print("set")',
        "reader = Installed()",
        "reader = Reader()\nreader.install()",
        "reader = Installed()\nreader.install()",
        "Reader(2).install()",
        "reader = Reader()\n\n\ndef plain():\n    reader = Plain()\n    return reader\n\n\nreader.install()",
        "reader = Inherited()",
        "scaled = Scaled()\nscaled.install()",
        "called = Called()\ncalled()",
        "Called()()",
        'with Scaled():\n    print("scaled")',
        'scaled = Scaled()\nwith scaled as reader:\n    print("scaled")',
        # Whichever definition of a name is called, and of whichever class an object is.
        "def run():\n    def inner():\n        cfg.merge(args)\n\n    inner()\n\n\nrun()",
        "def run():\n    class Inner:\n        def go(self):\n            cfg.merge(args)\n\n"
        "    Inner().go()\n\n\nrun()",
        "def run():\n    print(1)\n\n\ndef run():\n    cfg.merge(args)\n\n\nrun()",
        "if args:\n    def run():\n        cfg.merge(args)\nelse:\n    def run():\n        print(1)\n\n\nrun()",
        "run = lambda: readers.set_scale(args)\nrun()",
        "for step in (Plain(), Reader()):\n    step.install()",
        "for step in (merge,):\n    step()",
        'steps = {"merge": merge}\nsteps["merge"]()',
        "steps = [Reader()]\nsteps[0].install()",
        "def made():\n    return Reader()\n\n\nreader = made()\nreader.install()",
        "readers.call(merge)",
        "import threading\nthread = threading.Thread(target=merge)",
        "import functools\nmerging = functools.partial(merge)\nmerging()",
        "class Quiet(Scaled):\n    def install(self):\n        self.go()\n\n    def go(self):\n        print(1)\n\n\n"
        "class Loud(Quiet):\n    def go(self):\n        cfg.merge(args)\n\n\n"
        "def run():\n    Quiet().install()\n    Loud().install()\n\n\nrun()",
        "class Round(Round):\n    def go(self):\n        cfg.merge(args)\n\n\nRound().go()",
        "class Later:\n    async def __aexit__(self, *error):\n        cfg.merge(args)\n\n\n"
        "async def run():\n    async with Later():\n        print(1)\n\n\nrun()",
        "class Early:\n    async def __aenter__(self):\n        cfg.merge(args)\n\n\n"
        "async def run():\n    async with Early():\n        print(1)\n\n\nrun()",
        # Whatever what is imported is called.
        "def run():\n    settings = readers.settings\n    settings.scale = args.scale\n\n\nrun()",
        "def run(settings):\n    settings.scale = args.scale\n\n\nrun(readers.settings)",
        "def run(merge):\n    merge(args)\n\n\nrun(readers.merge)",
        "def run():\n    @T.register\n    def scale(x):\n        return x\n\n    print(scale)\n\n\nrun()",
        "object.__setattr__(readers, 'scale', args.scale)",
        "readers.test_mode(True)",
        "readers.run_config(args)",
        "readers.init_device_scale(args)",
        "TABLE *= args.scale",
        "random.shuffle(TABLE)",
        "settings: dict = readers.settings\nsettings['scale'] = args.scale",
        "import urllib.request\nurllib.request.install_opener(args.opener)",
        "sys.setrecursionlimit(args.depth)",
        "import tempfile\ntempfile.tempdir = args.folder",
        "readers.train()",
        "readers.eval(True)",
        "import threading\nthread = threading.Thread(target=readers.start)",
        "import nets.crnn as crnn\ncrnn.install(args)\ncrnn = crnn.Net(args)",
        "import nets.crnn as crnn\nif args.fast:\n    crnn = crnn.Net(args)\ncrnn.install(args)",
        "import nets.crnn as crnn\ncrnn = crnn.Net(args)\nimport nets.crnn as crnn\ncrnn.install(args)",
        "from dominate.tags import *\nfrom readers import *\nh3(args.title)",
        "from readers import *\nh3(args.title)",
        # Whatever calls a method of the module's classes.
        "import threading\nthread = threading.Thread(target=Reader().install)",
        "print(Quick().ready)",
        "quick = Quick()\nquick.ready = open('scale')",
        "for step in Quick():\n    print(step)",
        "print(Quick()[0])",
        "quick = Quick()\nprint(len(quick))",
    ],
)
def test_what_does_not_reach_the_workers_makes_it_unsafe(code: str) -> None:
    new, unsafe = guarded(code)
    assert f"\n{code.splitlines()[-1]}\n" not in new
    assert unsafe.endswith("up what the workers may read, and under the guard it does not reach them")


@pytest.mark.parametrize(
    "code",
    [
        "random.seed(args.seed)",
        "seed_everything()",
        "readers.set_seed(args.seed)",
        "readers.setup_logger(args.log)",
        "readers.download(args.root)",
        'readers.mkdirs("out")',
        'os.makedirs("out", exist_ok=True)',
        "os.environ['CUDA_VISIBLE_DEVICES'] = args.gpu",
        "sys.stdout = readers.Tee(args.log)",
        "torch.backends.cudnn.benchmark = args.fast",
        "torch._dynamo.config.suppress_errors = args.fast",
        "logging.set_verbosity(args.level)",
        "logging.get_absl_handler().setFormatter(args.format)",
        "app.run(print)",
        "net = readers.net()\nnet.configure(args)\nnet.layers[0].rate = 0.1",
        "readers.add_arguments(parser)",
        "readers.set_logger(args.log)",
        "readers.init_distributed_mode(args)",
        "torch.cuda.set_device(args.gpu)",
        "[print(one) for one in args.names]",
        "_ = os.system(args.command)",
        "torch.set_num_threads(args.threads)",
        "wandb.config.update(vars(args))",
        "options = readers.merge_options(args)",
        "reader = Reader(args.scale)",
        "plain = Plain()\nplain.install()\nprint(plain)",
        'with Plain() as plain:\n    plain.install()\n    print("plain")',
        "datasets.load_all(args.root)",
        "net = readers.net()\n[one.requires_grad_(False) for one in net.parameters()]",
        "patches = readers.patch_embed(args.size)\nnet = readers.PatchEmbed(args.size)\nnet = readers.init_net(args)",
        "timer = readers.start_timer()",
        "print(wandb.init())",
        "plt.switch_backend(args.backend)",
        'plt.rcParams["figure.dpi"] = args.dpi',
        "readers.save_config(args)",
        "net = readers.net()\nnet.apply(seed_everything)",
        "transform = T.Compose(merge)",
        "names = list(args.names)\nrandom.shuffle(names)",
        "steps = args.steps\nsteps *= 2",
        "readers.train(args)",
        "model = readers.train()",
        "import threading\nthread = threading.Thread(target=print)",
        "import nets.crnn as crnn\ncrnn = crnn.Net(args)\ncrnn.install(args)",
        "import dominate, dominate.tags\nwith dominate.document(args.title):\n    dominate.tags.h3(args.title)",
        "import dominate\nfrom dominate.tags import *\nwith dominate.document(args.title):\n    h3(args.title)",
        "class Reading(readers.Dataset):\n    def __getitem__(self, index):\n        readers.set_scale(index)\n\n\n"
        "rows = Reading()\nprint(len(rows))",
    ],
)
def test_what_workers_do_not_read_goes_under_the_guard(code: str) -> None:
    new, unsafe = guarded(code)
    assert f"\n{code.splitlines()[-1]}\n" not in new
    assert unsafe == ""


@pytest.mark.parametrize("code", ["plt.switch_backend(args.backend)", 'plt.rcParams["figure.dpi"] = args.dpi'])
def test_what_drawings_look_like_matters_where_workers_draw(code: str) -> None:
    draws = (
        "def collate_fn(rows):\n    return plt.figure(rows)\n\n\nloader = DataLoader([], 2, collate_fn=collate_fn)\n"
    )
    _, unsafe = guarded(draws + code)
    assert unsafe.endswith("up what the workers may read, and under the guard it does not reach them")


def test_what_is_patched_around_a_loop_makes_it_unsafe() -> None:
    loop = LOOP.replace("\n", "\n    ")
    module = cst.parse_module(f'{HEAD}with mock.patch("readers.SCALE", 10):\n    {loop}')
    _, unsafe = guard(module, {len(module.body) - 1}, NOWHERE)
    assert "sets up what the workers may read" in unsafe


def test_a_module_of_the_project_is_no_library_of_its_name() -> None:
    module = cst.parse_module(f"{HEAD}datasets.load_all(args.root)\n{LOOP}")
    runs = {len(module.body) - 1}
    assert guard(module, runs, NOWHERE)[1] == ""
    _, unsafe = guard(module, runs, Imported(own=frozenset({"datasets"})))
    assert unsafe.startswith("`datasets.load_all(args.root)` may set up what the workers may read")


@pytest.mark.parametrize(
    "code",
    [
        "ok = readers.open_all()",
        "print(max(readers.open_all(), 3))",
        'print(f"{T.Rows.filled(args)}")',
        "rows = T.Rows(args)\nfilled = rows.filled()",
        "filled = T.Rows(args).filled()",
        "with T.Rows(args) as rows:\n    print(rows)",
        'ok = getattr(readers, "open_all")()',
        "ok = list(map(readers.open_all, args.names))",
        "opened = [readers.open_all(one) for one in args.names]",
        "class Own(T.Rows):\n    pass\n\n\nfilled = Own(args).filled()",
        "def prepare():\n    return readers.open_all()\n\n\nprint(prepare())",
        "open_all = readers.open_all\nok = open_all(args)",
    ],
)
def test_what_other_modules_of_the_project_set_up_is_told(code: str) -> None:
    module = cst.parse_module(f"{HEAD}{code}\n{LOOP}")
    runs = {len(module.body) - 1}
    assert guard(module, runs, Imported(own=frozenset({"readers", "transforms"})))[1] == ""
    setting = dict.fromkeys(
        (".readers.open_all", ".transforms.Rows.filled", ".transforms.Rows.__enter__"), SettingUp.CERTAIN
    )
    _, unsafe = guard(module, runs, Imported(own=frozenset({"readers", "transforms"}), setting=setting))
    assert unsafe.endswith("sets up what the workers may read, and under the guard it does not reach them")


@pytest.mark.parametrize(
    "code",
    ["loader = DataLoader(Rows(), collate_fn=readers.open_all)\nprint(loader)", "print(readers.log_all(args))"],
)
def test_what_is_handed_on_or_only_reports_sets_up_nothing(code: str) -> None:
    module = cst.parse_module(f"{HEAD}{code}\n{LOOP}")
    setting = dict.fromkeys((".readers.open_all", ".readers.log_all"), SettingUp.CERTAIN)
    _, unsafe = guard(module, {len(module.body) - 1}, Imported(own=frozenset({"readers"}), setting=setting))
    assert unsafe == ""


def test_what_is_set_up_between_two_runs_of_a_loader_makes_it_unsafe() -> None:
    code = dedent(
        """
        for scale in (1, 2):
            cfg.merge(scale=scale)
            for batch in DataLoader(Rows(), num_workers=2):
                print(batch)
        """
    )
    module = cst.parse_module(HEAD + code)
    _, unsafe = guard(module, {len(module.body) - 1}, NOWHERE)
    assert unsafe.startswith("`for scale in (1, 2):` sets up what the workers may read")


@pytest.mark.parametrize(
    "between",
    ["scale = 3", "readers.mode = 'validation'", "Words.size = 5"],
)
def test_what_is_bound_anew_between_two_loops_stays_behind_the_first(between: str) -> None:
    collate = "scale = 2\n\n\ndef collate(rows):\n    return scale, readers.mode, Words.size, rows\n\n\n"
    loop = "for batch in loader:\n    print(batch)\n"
    made = "loader = DataLoader(TABLE, num_workers=2, collate_fn=collate)\n"
    module = cst.parse_module(f"{HEAD}{collate}{made}{loop}{between}\n{loop}")
    end = len(module.body)
    guarded, unsafe = guard(module, {end - 3, end - 1}, NOWHERE)
    assert "under the guard" in unsafe
    assert guarded.code.index(loop.splitlines()[0]) < guarded.code.index(between)


@pytest.mark.parametrize(
    ("first", "between", "unsafe"),
    [
        ("os.environ['SCALE'] = '2'", "os.environ['SCALE'] = '3'", True),
        ("os.environ['SCALE'] = '2'", "if TABLE:\n    os.environ['SCALE'] = '3'", True),
        ("os.environ['SCALE'] = '2'", "os.environ['OTHER'] = '3'", False),
        ("os.environ.setdefault('SCALE', '2')", "os.environ['SCALE'] = '3'", False),
        ("pass", "os.environ['SCALE'] = '3'", False),
    ],
)
def test_a_variable_of_the_environment_that_workers_would_set_back_makes_it_unsafe(
    first: str, between: str, unsafe: bool
) -> None:
    collate = "def collate(rows):\n    return os.environ['SCALE'], rows\n\n\n"
    loop = "for batch in DataLoader(TABLE, num_workers=2, collate_fn=collate):\n    print(batch)\n"
    module = cst.parse_module(f"{HEAD}{collate}{first}\n{loop}{between}\n{loop}")
    end = len(module.body)
    _, why = guard(module, {end - 3, end - 1}, NOWHERE)
    assert why.endswith("sets SCALE, and each worker sets it back when it imports the file") if unsafe else why == ""


@pytest.mark.parametrize("between", ["count = 3", "print(scale)"])
def test_what_no_worker_reads_is_bound_anew_safely(between: str) -> None:
    collate = "scale = 2\ncount = 0\n\n\ndef collate(rows):\n    return scale, rows\n\n\n"
    loop = "for batch in loader:\n    print(batch, count)\n"
    made = "loader = DataLoader(TABLE, num_workers=2, collate_fn=collate)\n"
    module = cst.parse_module(f"{HEAD}{collate}{made}{loop}{between}\n{loop}")
    end = len(module.body)
    _, unsafe = guard(module, {end - 3, end - 1}, NOWHERE)
    assert unsafe == ""


def test_what_comes_behind_the_loaders_does_not_matter() -> None:
    module = cst.parse_module(HEAD + LOOP + "readers.finish(args)\n")
    _, unsafe = guard(module, {len(module.body) - 2}, NOWHERE)
    assert unsafe == ""


def test_what_the_functions_that_run_the_loaders_change_comes_too_late_to_matter() -> None:
    code = "def train():\n    for batch in loader:\n        cfg.step = 1\n    readers.finish()\n\n\ntrain()\n"
    module = cst.parse_module(HEAD + code)
    _, unsafe = guard(module, {len(module.body) - 1}, NOWHERE)
    assert unsafe == ""


@pytest.mark.parametrize(
    ("begins", "setting", "unsafe"),
    [
        ("cfg.scale = args.scale", {}, True),
        ("if args.fast:\n        cfg.scale = 2", {}, True),
        ("readers.set_scale(args.scale)", {}, True),
        ("readers.set_scale(args.scale)", {"readers.set_scale": SettingUp.CERTAIN}, True),
        ("readers.set_rate(net, 1)", {"readers.set_rate": SettingUp.NOTHING}, False),
        ("scale = args.scale", {}, False),
    ],
)
def test_what_the_function_that_runs_the_loaders_begins_with_has_to_reach_them(
    begins: str, setting: dict[str, SettingUp], unsafe: bool
) -> None:
    code = f"def train():\n    {begins}\n    for batch in loader:\n        cfg.step = 1\n\n\ntrain()\n"
    module = cst.parse_module(HEAD + code)
    _, reason = guard(module, {len(module.body) - 1}, Imported(setting=setting))
    assert ("sets up what the workers may read" in reason) is unsafe


def test_functions_that_hand_on_one_thing_or_another_are_not_looked_into_without_end() -> None:
    last = 12
    steps = "".join(
        f"def f{at}({names}):\n    f{at + 1}({names.replace(f'p{at}', 'readers.one')})\n"
        f"    f{at + 1}({names.replace(f'p{at}', 'readers.other')})\n\n\n"
        for at in range(last)
        for names in [", ".join(f"p{one}" for one in range(last))]
    )
    begin = ", ".join(map(str, range(last)))
    _, unsafe = guarded(f"{steps}def f{last}(*given):\n    print(given)\n\n\nf0({begin})")
    assert "may set up what the workers may read" in unsafe


def test_the_local_names_of_a_function_are_nobody_elses() -> None:
    _, unsafe = guarded("def blank(rows):\n    copy = rows.clone()\n    copy[0] = 1\n    rows[0] = 1\n\n\nblank(args)")
    assert unsafe == ""
