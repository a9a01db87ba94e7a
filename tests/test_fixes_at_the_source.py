"""A fix edits the value where it was written, unless that also serves something that is no loader."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaderlint import cli
from tests.conftest import WriteFiles

PROGRAM = """
from concurrent.futures import ThreadPoolExecutor
{imports}
from torch.utils.data import DataLoader


{above}
def main():
{before}
    for batch in DataLoader(range(8), {option}):
        print(batch)
{after}

if __name__ == "__main__":
    main()
"""
ARGUMENTS = """
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
"""
FIELDS = """
@dataclass
class Settings:
    workers: int = 4

"""
CONFIGURATION = "    cfg = yaml.safe_load(open('configs/train.yaml'))\n"

SOURCES: dict[str, tuple[dict[str, str], str, str]] = {
    "a flag": ({"imports": "import argparse", "before": ARGUMENTS}, "args.workers", "train.py"),
    "a constant": ({"above": "WORKERS = 4\n\n"}, "WORKERS", "train.py"),
    "a field": (
        {"imports": "from dataclasses import dataclass", "above": FIELDS, "before": "    settings = Settings()"},
        "settings.workers",
        "train.py",
    ),
    "a key": ({"imports": "import yaml", "before": CONFIGURATION}, "cfg['workers']", "configs/train.yaml"),
}

each_source = pytest.mark.parametrize(("parts", "read", "path"), SOURCES.values(), ids=SOURCES.keys())


def write(project: WriteFiles, parts: dict[str, str], option: str, after: str = "") -> None:
    text = PROGRAM.format(**{"imports": "", "above": "", "before": "", **parts}, option=option, after=after)
    project({"train.py": text, "configs/train.yaml": "name: digits\nworkers: 4\n"})


def fix(*options: str) -> None:
    cli.run(["--platform", "windows", "--fix", *options, "train.py"])


@each_source
def test_the_source_is_changed_although_only_the_program_was_named(
    project: WriteFiles, parts: dict[str, str], read: str, path: str
) -> None:
    write(project, parts, f"num_workers={read}")
    before = Path(path).read_text()
    fix()
    assert Path(path).read_text() == before.replace("4", "0")


@each_source
def test_the_call_is_changed_where_the_source_serves_something_else(
    project: WriteFiles, parts: dict[str, str], read: str, path: str
) -> None:
    write(project, parts, f"num_workers={read}", f"    ThreadPoolExecutor({read})\n")
    program, configuration = Path("train.py").read_text(), Path("configs/train.yaml").read_text()
    fix()
    assert Path("train.py").read_text() == program.replace(f"num_workers={read}", "num_workers=0")
    assert Path("configs/train.yaml").read_text() == configuration


@each_source
def test_what_cannot_be_separated_is_changed_only_when_asked_and_says_why(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], parts: dict[str, str], read: str, path: str
) -> None:
    write(project, parts, f"**{{'num_workers': {read}}}", f"    ThreadPoolExecutor({read})\n")
    before = Path(path).read_text()
    fix()
    assert Path(path).read_text() == before
    assert "serves something else" in capsys.readouterr().out
    fix("--unsafe-fixes")
    assert Path(path).read_text() == before.replace("4", "0")


@each_source
def test_the_call_is_changed_where_the_program_refuses_the_number(
    project: WriteFiles, parts: dict[str, str], read: str, path: str
) -> None:
    write(project, parts, f"num_workers={read}, persistent_workers={read} > 0", f"    assert {read} > 0\n")
    program, configuration = Path("train.py").read_text(), Path("configs/train.yaml").read_text()
    fix()
    mended = Path("train.py").read_text().replace(", persistent_workers=False", "")
    assert mended == program.replace(f"num_workers={read}, persistent_workers={read} > 0", "num_workers=0")
    assert Path("configs/train.yaml").read_text() == configuration


def test_a_loader_that_is_asked_for_its_workers_keeps_them(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PROGRAM.format(imports="", above="", before="", option="num_workers=4", after="")
    text = text.replace("for batch in DataLoader(", "loader = DataLoader(").replace("        print(batch)\n", "")
    text = text.replace("num_workers=4):", "num_workers=4)\n    assert loader.num_workers > 0\n    print(list(loader))")
    project({"train.py": text})
    fix()
    assert Path("train.py").read_text() == text
    assert "asks the loader for its num_workers" in capsys.readouterr().out


ASKED_OF_ITERATOR = """
from torch.utils.data import DataLoader


def main():
    loader = DataLoader(range(8), num_workers=2, persistent_workers=True)
    iterator = iter(loader)
    print({asked})
    print(list(iterator))


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("asked", "keeps"),
    [
        ("[one.pid for one in iterator._workers]", True),
        ("iterator._num_workers", True),
        ("iter(loader)._worker_result_queue", True),
        ("loader.__iter__()._workers_status", True),
        ("loader._iterator._workers", True),
        ("getattr(iterator, '_workers')", True),
        ("iterator._num_yielded", False),
        ("pool._workers", False),
        ("iter([])._workers", False),
    ],
)
def test_a_loader_whose_iterator_is_asked_for_its_workers_keeps_them(
    project: WriteFiles, asked: str, keeps: bool
) -> None:
    text = ASKED_OF_ITERATOR.format(asked=asked)
    project({"train.py": text})
    cli.run(["--platform", "windows", "--select", "LL101", "--fix", "train.py"])
    assert (Path("train.py").read_text() == text) is keeps


@pytest.mark.parametrize(
    "asking", ["loader.prefetch_factor == 8", "made().prefetch_factor == 8", "getattr(loader, 'prefetch_factor') == 8"]
)
def test_a_loader_that_is_asked_for_its_factor_keeps_it(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], asking: str
) -> None:
    above = "def made():\n    return DataLoader(range(8), num_workers=4, prefetch_factor=8)\n\n"
    text = PROGRAM.format(imports="", above=above, before="", option="", after="").replace(
        "for batch in DataLoader(range(8), ):", f"loader = made()\n    assert {asking}\n    for batch in loader:"
    )
    project({"train.py": text})
    cli.run(["--platform", "linux", "--fix", "train.py"])
    assert Path("train.py").read_text() == text
    assert "asks the loader for its prefetch_factor" in capsys.readouterr().out


ASKED = """
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.zeros(1).cuda()
    rows = TensorDataset(torch.zeros(8))
    train_loader = DataLoader(rows, num_workers=2, persistent_workers=True)
    val_loader = DataLoader(rows, num_workers=2, {given})
    assert val_loader.{asked}
    for epoch in range(2):
        for batch in train_loader:
            print(batch)
        for batch in val_loader:
            print(batch)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("given", "asked", "rule"),
    [
        ("persistent_workers=True", "persistent_workers", "LL504"),
        ("multiprocessing_context='fork'", "multiprocessing_context.get_start_method() == 'fork'", "LL106"),
    ],
)
def test_a_loader_that_is_asked_how_its_workers_live_keeps_that(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], given: str, asked: str, rule: str
) -> None:
    project({"train.py": ASKED.format(given=given, asked=asked)})
    cli.run(["--platform", "linux", "--platform", "windows", "--python", "3.12", "--select", rule, "train.py"])
    option = given.partition("=")[0]
    assert f"the program asks the loader for its {option}" in " ".join(capsys.readouterr().out.split())


def test_a_loader_that_no_run_comes_to_any_more_is_no_mended_loader(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = {"above": "WORKERS = 4\n\n", "before": "    if WORKERS == 0:\n        return"}
    write(project, parts, "**{'num_workers': WORKERS}")
    before = Path("train.py").read_text()
    fix("--unsafe-fixes")
    assert Path("train.py").read_text() == before
    assert "no run comes to a loader in train.py any more" in capsys.readouterr().out


def test_a_named_configuration_shows_what_it_does_to_a_loader_that_was_not(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    parts, read, path = SOURCES["a key"]
    write(project, parts, f"num_workers={read}")
    cli.run(["--platform", "windows", "--format", "concise", path])
    assert capsys.readouterr().out.startswith(f"{path}:2:10: LL101")


@pytest.mark.parametrize("unsafe", [(), ("--unsafe-fixes",)], ids=["safe fixes", "unsafe fixes"])
@pytest.mark.parametrize("resolver", ["oc.decode:${oc.env:WORKERS,4}", "oc.select:workers,4"])
def test_what_an_interpolation_asks_before_its_default_is_asked_still(
    project: WriteFiles, resolver: str, unsafe: tuple[str, ...]
) -> None:
    program = PROGRAM.format(
        imports="from omegaconf import OmegaConf",
        above="",
        before="    cfg = OmegaConf.load('configs/train.yaml')",
        option="num_workers=cfg.data.workers",
        after="",
    )
    project({"train.py": program, "configs/train.yaml": f"data:\n  workers: ${{{resolver}}}\n"})
    fix(*unsafe)
    assert resolver.rpartition(",")[0] in Path("configs/train.yaml").read_text()


def test_files_that_have_nothing_to_do_with_the_named_ones_are_left(project: WriteFiles) -> None:
    parts, read, path = SOURCES["a key"]
    write(project, parts, f"num_workers={read}")
    program = Path("train.py").read_text()
    project({"other.py": program, "configs/other.yaml": "workers: 4\n"})
    other = Path("other.py").read_text().replace("train.yaml", "other.yaml")
    Path("other.py").write_text(other)
    fix()
    assert Path(path).read_text() == "name: digits\nworkers: 0\n"
    assert Path("configs/other.yaml").read_text() == "workers: 4\n"


WAYS_OF_USING = {
    "arithmetic in another place": "    print(10 // {read})\n",
    "arithmetic under another name": "    count = {read}\n    print(10 // count)\n",
    "a function of the project that computes with it": "    show({read})\n",
    "a method of it": "    print(({read}).bit_length())\n",
    "a slice that is set": "    rows = list(range(8))\n    rows[{read} :] = []\n",
    "an item that is set": "    seconds = dict()\n    seconds[{read}] = 8\n",
    "a slice that is deleted": "    rows = list(range(8))\n    del rows[{read} :]\n",
    "a slice that is shown": "    rows = list(range(8))\n    print(rows[: {read}])\n",
    "a slice that is formatted": '    rows = list(range(8))\n    print(f"{{rows[: {read}]}}")\n',
}


@each_source
@pytest.mark.parametrize("use", WAYS_OF_USING.values(), ids=WAYS_OF_USING.keys())
def test_what_the_program_computes_with_stays_and_the_call_is_changed(
    project: WriteFiles, parts: dict[str, str], read: str, path: str, use: str
) -> None:
    show = "def show(number):\n    print(10 // number)\n\n\n"
    write(project, {**parts, "above": parts.get("above", "") + show}, f"num_workers={read}", use.format(read=read))
    before = {one: Path(one).read_text() for one in ("train.py", path)}
    fix()
    mended = Path("train.py").read_text()
    assert mended == before["train.py"].replace(f"num_workers={read}", "num_workers=0")
    assert path == "train.py" or Path(path).read_text() == before[path]


@each_source
def test_what_the_program_only_shows_is_changed_where_it_was_written(
    project: WriteFiles, parts: dict[str, str], read: str, path: str
) -> None:
    shown = f"    print({read}, f\"{{{read}}} workers\", 'workers: %d' % {read})\n    if {read} > 1:\n        print()\n"
    write(project, parts, f"num_workers={read}", shown)
    before = Path(path).read_text()
    fix()
    assert Path(path).read_text() == before.replace("4", "0")


def test_a_parameter_default_that_the_function_computes_with_stays(project: WriteFiles) -> None:
    loop = (
        "    for batch in DataLoader(range(8), num_workers=workers):\n        print(batch)\n    print(10 // workers)\n"
    )
    above = f"def run(workers=4):\n{loop}\n\n"
    write(project, {"above": above}, "num_workers=0", "    run()\n")
    before = Path("train.py").read_text()
    fix()
    assert Path("train.py").read_text() == before.replace("num_workers=workers", "num_workers=0")


@pytest.mark.parametrize(
    ("loop", "stays"),
    [
        ("    for name, number in cfg.items():\n        print(10 // number)\n", True),
        ("    print([10 // number for number in cfg.values()])\n", True),
        ("    print(dict(zip(cfg, [pow(2, number) for number in cfg.values()])))\n", True),
        ("    run = '-'.join(f'{name}={n}' for name, n in sorted(cfg.items()))\n    open(run)\n", True),
        ("    open('-'.join([f'{n}' for n in cfg.values()]))\n", True),
        ("    for name, number in cfg.items():\n        print(name, number)\n", False),
        ("    print('-'.join(f'{name}={n}' for name, n in sorted(cfg.items())))\n", False),
        ("    text = '-'.join(f'{name}={n}' for name, n in cfg.items())\n    print(text)\n", False),
    ],
)
def test_a_key_that_a_loop_over_its_dictionary_uses_stays(project: WriteFiles, loop: str, stays: bool) -> None:
    above = "cfg = {'workers': 4}\n\n\n"
    write(project, {"above": above}, "num_workers=cfg['workers']", loop)
    before = Path("train.py").read_text()
    fix()
    old = "num_workers=cfg['workers']" if stays else "'workers': 4"
    assert Path("train.py").read_text() == before.replace(old, old.replace("cfg['workers']" if stays else "4", "0"))


@pytest.mark.parametrize(
    "use",
    [
        "assert asdict(settings) == {'workers': 4}",
        "hashlib.sha1(json.dumps(asdict(settings)).encode())",
        "hashlib.sha1(repr(settings).encode())",
        "hashlib.sha1(str(settings).encode())",
        "os.makedirs(f'runs/{settings}')",
        "folder = f'runs/{settings}'\n    os.makedirs(folder)",
        "os.makedirs('_'.join(str(vars(settings)[key]) for key in ('workers', 'rate')))",
    ],
)
def test_a_field_whose_object_is_used_as_a_whole_stays(project: WriteFiles, use: str) -> None:
    parts, read, _ = SOURCES["a field"]
    parts = {**parts, "imports": "import hashlib\nimport json\nimport os\nfrom dataclasses import asdict, dataclass"}
    write(project, parts, f"num_workers={read}", f"    {use}\n")
    before = Path("train.py").read_text()
    fix()
    assert Path("train.py").read_text() == before.replace(f"num_workers={read}", "num_workers=0")


@pytest.mark.parametrize("flag", ["'workers'", "name"])
def test_a_default_that_the_program_asks_its_parser_for_stays(project: WriteFiles, flag: str) -> None:
    parts, read, _ = SOURCES["a flag"]
    write(project, parts, f"num_workers={read}", f"    print('as it was' if parser.get_default({flag}) else 'set')\n")
    before = Path("train.py").read_text()
    fix()
    assert Path("train.py").read_text() == before.replace(f"num_workers={read}", "num_workers=0")


@pytest.mark.parametrize("use", ["print('%(prefetch_factor)d' % OPTIONS)", "ThreadPoolExecutor(**OPTIONS)"])
def test_an_entry_that_its_whole_dictionary_is_used_with_stays(project: WriteFiles, use: str) -> None:
    above = "OPTIONS = {'num_workers': 0, 'prefetch_factor': 2}\n\n\n"
    write(project, {"above": above}, "**OPTIONS", f"    {use}\n")
    before = Path("train.py").read_text()
    fix()
    assert Path("train.py").read_text() == before


@pytest.mark.parametrize("read", ["more.pop('factor', 2)", "next(iter([2]))"])
def test_what_changes_something_when_it_is_read_is_put_under_no_condition(project: WriteFiles, read: str) -> None:
    loop = f"    return DataLoader(range(8), num_workers=workers, prefetch_factor={read}, **more)\n"
    above = f"def made(workers=4, **more):\n{loop}\n\n"
    write(project, {"above": above}, "num_workers=0", "    list(made())\n    list(made(0, factor=None))\n")
    before = Path("train.py").read_text()
    fix()
    assert Path("train.py").read_text() == before


NEEDED = {
    "taken out, with no default": ("OPTIONS.pop('prefetch_factor')", True),
    "taken out, with a default": ("OPTIONS.pop('prefetch_factor', None)", False),
    "deleted": ("del OPTIONS['prefetch_factor']", True),
    "read by subscript": ("print(OPTIONS['prefetch_factor'])", True),
    "read by get": ("print(OPTIONS.get('prefetch_factor'))", False),
    "asked for": ("'prefetch_factor' in OPTIONS", False),
    "demanded": ("assert 'prefetch_factor' in OPTIONS", True),
    "demanded together": ("assert 'num_workers' in OPTIONS and 'prefetch_factor' in OPTIONS", True),
    "missed": ("if 'prefetch_factor' not in OPTIONS:\n        raise SystemExit", True),
    "missed otherwise": ("known = 'prefetch_factor' in OPTIONS\n    if not known:\n        raise SystemExit", True),
    "matched": (
        "match OPTIONS:\n        case {'num_workers': _,\n              'prefetch_factor': _}:\n            pass",
        True,
    ),
    "written after a match": ("match OPTIONS:\n        case _:\n            {'prefetch_factor': 2}", False),
    "declared": ("TypedDict('Options', {'num_workers': int, 'prefetch_factor': int})(**OPTIONS)", True),
    "set": ("OPTIONS['prefetch_factor'] = 2", False),
    "listed": ("[OPTIONS[key] for key in ['prefetch_factor']]", True),
    "formatted": ("'{prefetch_factor}'.format_map(OPTIONS)", True),
    "formatted, another one": ("'{num_workers}'.format_map(OPTIONS)", False),
    "handed to a parameter without a default": ("shown(**OPTIONS)", True),
    "handed to a parameter with a default": ("given(**OPTIONS)", False),
}


@pytest.mark.parametrize(("use", "needed"), NEEDED.values(), ids=NEEDED.keys())
def test_a_key_that_the_program_cannot_do_without_stays(project: WriteFiles, use: str, needed: bool) -> None:
    functions = "def shown(prefetch_factor, **more):\n    pass\n\n\n" if "shown" in use else ""
    functions += "def given(prefetch_factor=2, **more):\n    pass\n\n\n"
    above = f"OPTIONS = {{'num_workers': 0, 'prefetch_factor': 2}}\n\n\n{functions}"
    write(project, {"above": above}, "**OPTIONS", f"    {use}\n")
    fix()
    after = Path("train.py").read_text()
    assert f"{{'num_workers': 0{', ' if needed else '}'}" in after
    assert ("'prefetch_factor': None" in after) is needed


FIELDS_OF_CLASSES = {
    "a dataclass": ("@dataclass\nclass Options:\n    num_workers: int\n    prefetch_factor: int\n", True),
    "a dataclass with a default": ("@dataclass\nclass Options:\n    prefetch_factor: int = 2\n", False),
    "a dataclass with a field": ("@dataclass\nclass Options:\n    prefetch_factor: int = field(repr=False)\n", True),
    "a field with a default": ("@dataclass\nclass Options:\n    prefetch_factor: int = field(default=2)\n", False),
    "a named tuple": ("class Options(NamedTuple):\n    num_workers: int\n    prefetch_factor: int\n", True),
    "a typed dictionary": ("class Options(TypedDict):\n    num_workers: int\n    prefetch_factor: int\n", True),
    "attrs": ("@attr.s\nclass Options:\n    prefetch_factor = attr.ib()\n", True),
    "pydantic": ("class Options(BaseModel):\n    prefetch_factor: int = Field(..., gt=0)\n", True),
    "pydantic with a default": ("class Options(BaseModel):\n    prefetch_factor: int = Field(2, gt=0)\n", False),
}


@pytest.mark.parametrize(("declared", "needed"), FIELDS_OF_CLASSES.values(), ids=FIELDS_OF_CLASSES.keys())
def test_a_key_that_is_a_required_field_stays(project: WriteFiles, declared: str, needed: bool) -> None:
    above = f"OPTIONS = {{'num_workers': 0, 'prefetch_factor': 2}}\n\n\n{declared}\n\n"
    write(project, {"above": above}, "**OPTIONS", "    print(Options)\n")
    fix()
    assert ("'prefetch_factor': None" in Path("train.py").read_text()) is needed


HOLDERS = {
    "types": ("from types import SimpleNamespace", "SimpleNamespace(**{'num_workers': 0, 'prefetch_factor': 2})"),
    "easydict": ("from easydict import EasyDict", "EasyDict({'num_workers': 0, 'prefetch_factor': 2})"),
}


@pytest.mark.parametrize(("imports", "made"), HOLDERS.values(), ids=HOLDERS.keys())
def test_a_key_that_is_read_as_an_attribute_stays(project: WriteFiles, imports: str, made: str) -> None:
    read = "num_workers=0, prefetch_factor=held.prefetch_factor"
    write(project, {"imports": imports, "above": f"held = {made}\n\n\n"}, read)
    fix()
    assert "'prefetch_factor': None" in Path("train.py").read_text()


OTHERWISE = {
    "a dictionary that is splatted": '**{**COMMON, "num_workers": 0}',
    "a dictionary made of it": "**dict(COMMON, num_workers=0)",
    "a union": '**(COMMON | {"num_workers": 0})',
}


@pytest.mark.parametrize("options", OTHERWISE.values(), ids=OTHERWISE.keys())
def test_what_another_loader_with_workers_gets_is_taken_away_only_when_asked(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], options: str
) -> None:
    above = "COMMON = dict(num_workers=4, persistent_workers=True, timeout=300)\n\n"
    text = PROGRAM.format(
        imports="", above=above, before="    DataLoader(range(8), **COMMON)", option=options, after=""
    )
    project({"train.py": text})
    cli.run(["--platform", "linux", "--fix", "train.py"])
    assert Path("train.py").read_text() == text
    assert "another loader, which may have workers of its own, gets the same value" in capsys.readouterr().out


@pytest.mark.parametrize("taken", ["workers, factor = COMMON.values()", "(_, workers), _ = COMMON.items()"])
def test_a_dictionary_whose_values_are_told_apart_by_their_order_keeps_them(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], taken: str
) -> None:
    above = "COMMON = dict(num_workers=2, prefetch_factor=4)\n\n"
    write(project, {"above": above, "before": f"    {taken}\n    print(workers)"}, "**COMMON")
    text = Path("train.py").read_text()
    fix()
    assert Path("train.py").read_text() == text
    assert "the value also serves something else" in capsys.readouterr().out


def test_an_option_that_was_not_seen_may_need_workers(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, {"imports": "from settings import options"}, "num_workers=4, **options()")
    text = Path("train.py").read_text()
    fix()
    assert Path("train.py").read_text() == text
    assert "that was not seen may come, and would need workers" in capsys.readouterr().out.replace("\n    ", " ")


@pytest.mark.parametrize(("other", "safe"), [("**COMMON", False), ("batch_size=4", True)])
def test_what_a_sampler_leaves_no_room_for_stays_where_another_loader_gets_it(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], other: str, safe: bool
) -> None:
    above = "COMMON = dict(shuffle=True)\n\n"
    before = f"    for batch in DataLoader(range(8), {other}):\n        print(batch)"
    parts = {"imports": "from torch.utils.data import SequentialSampler", "above": above, "before": before}
    write(project, parts, "sampler=SequentialSampler(range(8)), **COMMON")
    text = Path("train.py").read_text()
    cli.run(["--platform", "linux", "--fix", "train.py"])
    assert (Path("train.py").read_text() == text) is not safe
    assert ("another loader gets the same value" in capsys.readouterr().out) is not safe


COUNTS = {
    "a flag that has to be given": (ARGUMENTS.replace("default=4", "required=True"), "args.workers", False),
    "a key of a file that is not seen": ("    cfg = yaml.safe_load(open(input()))\n", "cfg['workers']", False),
    "what a caller gives": ("    workers = int(input())\n", "workers", False),
    "the CPUs of the machine": ("    workers = os.cpu_count()\n", "workers", False),
    "none": ("    workers = 0\n", "workers", True),
    "none, as torch has it": ("", None, True),
}


@pytest.mark.parametrize(("before", "count", "taken"), COUNTS.values(), ids=COUNTS.keys())
def test_an_option_is_taken_away_where_no_other_loader_that_gets_it_may_have_workers(
    project: WriteFiles, before: str, count: str | None, taken: bool
) -> None:
    given = f"num_workers={count}, " if count is not None else ""
    before += f"    for batch in DataLoader(range(8), {given}**COMMON):\n        print(batch)"
    above = "COMMON = dict(timeout=300)\n\n"
    parts = {"imports": "import argparse\nimport os\nimport yaml", "above": above, "before": before}
    write(project, parts, "num_workers=0, **COMMON")
    cli.run(["--platform", "linux", "--fix", "train.py"])
    assert ("timeout=300" not in Path("train.py").read_text()) is taken


def test_what_an_anchor_gives_to_another_loader_is_not_taken_from_it(project: WriteFiles) -> None:
    configuration = """
base: &base
  num_workers: 4
  persistent_workers: true
  timeout: 300
train:
  <<: *base
  shuffle: true
val:
  <<: *base
  num_workers: 2
"""
    before = CONFIGURATION + "    DataLoader(range(8), **cfg['train'])"
    text = PROGRAM.format(imports="import yaml", above="", before=before, option="**cfg['val']", after="")
    project({"train.py": text, "configs/train.yaml": configuration})
    fix()
    assert Path("configs/train.yaml").read_text() == configuration


def test_what_an_anchor_gives_to_loaders_alone_is_changed_where_it_is_written(project: WriteFiles) -> None:
    configuration = """
base: &base  # of both
  num_workers: 4
train:
  <<: *base
  shuffle: true
val:
  <<: *base
"""
    before = CONFIGURATION + "    DataLoader(range(8), **cfg['train'])"
    text = PROGRAM.format(imports="import yaml", above="", before=before, option="**cfg['val']", after="")
    project({"train.py": text, "configs/train.yaml": configuration})
    cli.run(["--platform", "windows", "--fix", "."])
    assert Path("train.py").read_text() == text
    assert Path("configs/train.yaml").read_text() == configuration.replace("4", "0")


def test_a_key_that_cannot_be_changed_because_it_is_shared_says_so(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    before = CONFIGURATION + "    ThreadPoolExecutor(cfg['num_workers'])"
    option = "num_workers=cfg['num_workers']"
    text = PROGRAM.format(imports="import yaml", above="", before=before, option=option, after="")
    project({"train.py": text, "configs/train.yaml": "batch_size: 8\nnum_workers: 4\n"})
    for options in ((), ("--fix",)):
        cli.run(["--platform", "windows", *options, "."])
        said = capsys.readouterr().out
        assert Path("train.py").read_text() == text
        assert "configs/train.yaml also serves something else, and changing the call is not enough" in said
        assert "(safe: --fix)" not in said


@pytest.mark.parametrize("platforms", [["windows"], ["windows", "linux"]])
def test_a_key_that_another_option_is_worked_out_from_is_left_to_that(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], platforms: list[str]
) -> None:
    option = "batch_size=32 // cfg['num_workers'], num_workers=cfg['num_workers']"
    text = PROGRAM.format(imports="import yaml", above="", before=CONFIGURATION, option=option, after="")
    project({"train.py": text, "configs/train.yaml": "num_workers: 4\nname: digits\n"})
    asked = [word for one in platforms for word in ("--platform", one)]
    cli.run([*asked, "."])
    assert "(safe: --fix)" in capsys.readouterr().out
    assert cli.run([*asked, "--fix", "."]) == 0
    assert "num_workers=0" in Path("train.py").read_text()
    assert Path("configs/train.yaml").read_text() == "num_workers: 4\nname: digits\n"


def test_what_kind_of_number_it_is_declared_to_be_makes_no_other_use_of_it(project: WriteFiles) -> None:
    kinds = ", ".join(f"kind_{number}=int" for number in range(200))
    parts, read, path = SOURCES["a field"]
    write(project, parts, f"num_workers={read}", after=f"    print(dict({kinds}))\n")
    fix()
    assert "workers: int = 0\n" in Path(path).read_text()


TAKEN_OUT = {
    "a range": ("    for workers in range(2, 5, 2):", "workers"),
    "a range under a name": ("    counts = range(3)\n    print(len(counts))", "counts[2]"),
    "numbers beside each other": ("    for size, workers in zip((8, 16), range(1, 3)):", "workers"),
    "a number that is counted": ("    for workers, size in enumerate((8, 16)):", "workers"),
    "a comprehension": ("    counts = [one for one in range(3)]", "counts[2]"),
    "several that are written": ("    for workers in (0, 2):\n        print({workers: 1})", "workers"),
    "a text that is split": ("    size, workers = '8x4'.split('x')", "int(workers)"),
    "a variable that is split": ("    tasks = os.environ.get('TASKS', '4(x2)')", "int(tasks.split('(')[0])"),
    "a variable that is set": ("    os.environ['WORKERS'] = '4'", "int(os.environ['WORKERS'])"),
    "a key": ("    workers = list({'4': 'few'})[0]", "int(workers)"),
    "a list of words": ("    cfg = OmegaConf.from_dotlist(['workers=4'])", "cfg.workers"),
    "words of a command line": (
        ARGUMENTS.replace("parse_args()", "parse_args(['--workers', '2'])").replace("default=4", "default=0"),
        "args.workers",
    ),
}


def taken_out(before: str, options: str) -> str:
    inside = "    " if before.splitlines()[-1].endswith(":") or before.startswith("    for") else ""
    loop = f"{inside}    for batch in DataLoader(range(8), {options}):\n{inside}        print(batch)"
    imports = "import argparse\nimport os\nfrom omegaconf import OmegaConf"
    return PROGRAM.format(imports=imports, above="", before=f"{before}\n{loop}", option="num_workers=0", after="")


@pytest.mark.parametrize(("before", "read"), TAKEN_OUT.values(), ids=TAKEN_OUT.keys())
def test_the_call_is_changed_where_the_value_is_only_taken_out_of_what_is_written(
    project: WriteFiles, before: str, read: str
) -> None:
    project({"train.py": taken_out(before, f"num_workers={read}")})
    fix()
    assert Path("train.py").read_text() == taken_out(before, "num_workers=0")


@pytest.mark.parametrize(("before", "read"), TAKEN_OUT.values(), ids=TAKEN_OUT.keys())
def test_nothing_is_set_where_the_value_is_only_taken_out_of_what_is_written(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], before: str, read: str
) -> None:
    text = taken_out(before, f"**{{'num_workers': {read}}}")
    project({"train.py": text})
    fix("--unsafe-fixes")
    assert Path("train.py").read_text() == text
    assert "is taken out of what stands at train.py:" in capsys.readouterr().out


SWITCH = """
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--keep", action="{action}")
    args = parser.parse_args()
"""

SWITCHES: dict[str, tuple[str, str, str]] = {
    "no workers": (
        "num_workers=0, persistent_workers=args.keep",
        "num_workers=0, persistent_workers=False",
        "store_true",
    ),
    "no workers, unless the flag is given": (
        "num_workers=0, persistent_workers=args.keep",
        "num_workers=0, persistent_workers=False",
        "store_false",
    ),
    "no count": ("persistent_workers=args.keep", "persistent_workers=False", "store_true"),
    "a count that the user gives": (
        "num_workers=args.workers, persistent_workers=args.keep",
        "num_workers=args.workers, persistent_workers=args.keep and args.workers > 0",
        "store_true",
    ),
}


@pytest.mark.parametrize(("before", "after", "action"), SWITCHES.values(), ids=SWITCHES.keys())
def test_a_switch_that_needs_workers_is_dropped_at_the_call(
    project: WriteFiles, before: str, after: str, action: str
) -> None:
    def program(option: str) -> str:
        parts = {"imports": "import argparse", "above": "", "before": SWITCH.format(action=action)}
        return PROGRAM.format(**parts, option=option, after="")

    project({"train.py": program(before)})
    cli.run(["--platform", "linux", "--select", "LL202", "--fix", "train.py"])
    assert " ".join(Path("train.py").read_text().split()) == " ".join(program(after).split())


def test_a_switch_that_comes_in_a_dictionary_is_set_nowhere(
    project: WriteFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = {"imports": "import argparse", "above": "", "before": SWITCH.format(action="store_true")}
    text = PROGRAM.format(**parts, option="**{'persistent_workers': args.keep}", after="")
    project({"train.py": text})
    cli.run(["--platform", "linux", "--select", "LL202", "--fix", "--unsafe-fixes", "train.py"])
    assert Path("train.py").read_text() == text
    assert "True is taken out of what stands at train.py:" in capsys.readouterr().out


READ_BY_ANOTHER_NAME: dict[str, tuple[str, str, str, str, bool]] = {
    "given two names": ("", "    workers = seed = 4", "workers", "print(seed)", False),
    "given two names for loaders": ("", "    workers = more = 4", "workers", "DataLoader([1], num_workers=more)", True),
    "where it is named": ("", "    torch.manual_seed((workers := 4))", "workers", "", False),
    "named in a test": ("", "    if (workers := 4):\n        print()", "workers", "", True),
    "in a text under a name": ("", "    workers = 4\n    path = f'w{workers}.pt'", "workers", "open(path)", False),
    "in a text of a path": (
        "",
        "    workers = 4\n    path = Path('.') / f'w{workers}.pt'",
        "workers",
        "open(path)",
        False,
    ),
    "in a text that is only shown": (
        "",
        "    workers = 4\n    text = f'{workers} it is'",
        "workers",
        "print(text)",
        True,
    ),
    "a text that is asked for another": (
        "WORKERS = '4'\n\n\n",
        "",
        "int(WORKERS)",
        "DataLoader([1], num_workers=int(WORKERS.strip()) // 8)",
        False,
    ),
    "in globals": ("WORKERS = 4\n\n\n", "", "WORKERS", "ThreadPoolExecutor(globals()['WORKERS'])", False),
    "by a name in a variable": (
        FIELDS,
        "    settings = Settings()",
        "settings.workers",
        "[8 // getattr(settings, name) for name in ('workers', 'size')]",
        False,
    ),
    "copied by a name in a variable": (
        FIELDS,
        "    settings = Settings()",
        "settings.workers",
        "[setattr(settings, name, getattr(settings, name)) for name in ('workers', 'size')]",
        True,
    ),
    "by another name in a variable": (
        FIELDS,
        "    settings = Settings()",
        "settings.workers",
        "[8 // getattr(settings, name) for name in ('size',)]",
        True,
    ),
    "by an interpolation": (
        "",
        "    cfg = OmegaConf.create({'n': 4, 'threads': '${n}', 'loader': {'num_workers': '${n}'}})",
        "cfg.loader.num_workers",
        "torch.set_num_threads(cfg.threads)",
        False,
    ),
    "by an interpolation for a loader": (
        "",
        "    cfg = OmegaConf.create({'n': 4, 'loader': {'num_workers': '${n}'}})",
        "cfg.loader.num_workers",
        "torch.set_num_threads(2)",
        True,
    ),
}


@pytest.mark.parametrize(
    ("above", "before", "read", "use", "at_the_source"), READ_BY_ANOTHER_NAME.values(), ids=READ_BY_ANOTHER_NAME.keys()
)
def test_a_value_that_something_else_has_by_another_name_stays(
    project: WriteFiles, above: str, before: str, read: str, use: str, at_the_source: bool
) -> None:
    library = "from dataclasses import dataclass\nfrom pathlib import Path"
    imports = f"{library}\nimport torch\nfrom omegaconf import OmegaConf"
    parts = {"imports": imports, "above": above, "before": before}
    write(project, parts, f"num_workers={read}", f"    {use}\n")
    text = Path("train.py").read_text()
    fix()
    at_the_call = text.replace(f"num_workers={read}", "num_workers=0")
    assert Path("train.py").read_text() == (text.replace("4", "0") if at_the_source else at_the_call)


LISTED = """
import torch
from torch.utils.data import DataLoader

class Data:
    def __init__(self, workers):
        self.loader = DataLoader(range(8), num_workers=workers)

if __name__ == "__main__":
    count = 4
    data = Data(workers=count)
    print([getattr(torch, name)(3) for name in ("Data", "zeros")])
"""


def test_what_a_class_is_given_is_not_read_by_the_name_of_the_class(project: WriteFiles) -> None:
    project({"train.py": LISTED})
    fix()
    assert Path("train.py").read_text() == LISTED.replace("count = 4", "count = 0")


INTERPOLATED = {
    "for threads": ("threads: ${data.workers}\n", False),
    "in a text": ("name: run with ${data.workers}\n", False),
    "from beside": ("more:\n  threads: ${..data.workers}\n", False),
    "with a default": ("threads: ${oc.select:data.workers,2}\n", False),
    "with a blank": ("threads: ${data.workers }\n", False),
    "in brackets": ("threads: ${data[workers]}\n", False),
    "in a list": ('threads: ["${data.workers}"]\n', False),
    "under another package": ("threads: ${mine.data.workers}\n", False),
    "for what is named and no loader": ("scaling:\n  _target_: Scaling\n  num_workers: ${data.workers}\n", False),
    "for another loader": ("val:\n  num_workers: ${data.workers}\n", True),
    "of the package of another folder": ("threads: ${more.data.workers}\n", True),
    "of another key beside": ("more:\n  threads: ${..other.workers}\nother:\n  workers: 2\n", True),
    "of another key": ("threads: ${other.workers}\nother:\n  workers: 2\n", True),
}


@pytest.mark.parametrize(("beside", "at_the_source"), INTERPOLATED.values(), ids=INTERPOLATED.keys())
def test_a_key_that_an_interpolation_takes_for_something_else_stays(
    project: WriteFiles, beside: str, at_the_source: bool
) -> None:
    program = PROGRAM.format(
        imports="from omegaconf import OmegaConf",
        above="",
        before="    cfg = OmegaConf.load('configs/train.yaml')",
        option="num_workers=cfg.data.workers",
        after="",
    )
    configuration = f"data:\n  workers: 4\n{beside}"
    project({"train.py": program, "configs/train.yaml": configuration, "configs/more/other.yaml": "name: other\n"})
    fix()
    at_the_call = program.replace("num_workers=cfg.data.workers", "num_workers=0")
    assert Path("train.py").read_text() == (program if at_the_source else at_the_call)
    mended = configuration.replace("4", "0") if at_the_source else configuration
    assert Path("configs/train.yaml").read_text() == mended


def test_what_names_a_value_stays(project: WriteFiles, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, {}, "num_workers=(count := 4)", "    ThreadPoolExecutor(count)\n")
    before = Path("train.py").read_text()
    fix("--unsafe-fixes")
    assert Path("train.py").read_text() == before
    assert "also gives a name its value" in capsys.readouterr().out


def test_what_has_two_names_stays_where_one_is_read_for_something_else_too(project: WriteFiles) -> None:
    write(project, {"before": "    first = workers = 4"}, "num_workers=workers", "    pow(2, workers)\n")
    before = Path("train.py").read_text()
    fix()
    assert Path("train.py").read_text() == before.replace("num_workers=workers", "num_workers=0")


def test_what_a_configuration_is_asked_for_by_a_path_stays(project: WriteFiles) -> None:
    imports, before = "from omegaconf import OmegaConf", "    cfg = OmegaConf.load('configs/train.yaml')"
    use = "    pow(2, OmegaConf.select(cfg, 'data.workers'))\n"
    write(project, {"imports": imports, "before": before}, "num_workers=cfg.data.workers", use)
    project({"configs/train.yaml": "data:\n  workers: 4\n"})
    program = Path("train.py").read_text()
    fix()
    assert Path("configs/train.yaml").read_text() == "data:\n  workers: 4\n"
    assert Path("train.py").read_text() == program.replace("num_workers=cfg.data.workers", "num_workers=0")


def test_what_is_named_for_nothing_else_is_changed_where_it_is_written(project: WriteFiles) -> None:
    write(project, {}, "num_workers=(count := 4)", "    print('done')\n")
    fix()
    assert "num_workers=(count := 0)" in Path("train.py").read_text()


COMMAND = """
import click
from torch.utils.data import DataLoader


@click.command()
@click.option("--workers", type={kind}, default=4)
def main({taken}):
    options = dict(num_workers={workers})
    for batch in DataLoader(range(8), {given}):
        print(batch)


if __name__ == "__main__":
    main()
"""
KEYWORDS = {"taken": "**kwargs", "workers": "kwargs['workers']", "given": "**options"}
NAMED = {"taken": "workers", "workers": "1", "given": "num_workers=workers"}
COMMANDS = {
    "a range above 0, which click holds defaults to": ("click.IntRange(min=1)", KEYWORDS, ("default=4", "default=4")),
    "a range from 0": ("click.IntRange(min=0)", KEYWORDS, ("default=4", "default=0")),
    "a number": ("int", KEYWORDS, ("default=4", "default=0")),
    "a range above 0 beside a call of its own": (
        "click.IntRange(min=1)",
        NAMED,
        ("num_workers=workers", "num_workers=0"),
    ),
}


@pytest.mark.parametrize(("kind", "parts", "changed"), COMMANDS.values(), ids=COMMANDS.keys())
def test_a_default_never_becomes_what_its_declaration_refuses(
    project: WriteFiles, capsys: pytest.CaptureFixture[str], kind: str, parts: dict[str, str], changed: tuple[str, str]
) -> None:
    text = COMMAND.format(kind=kind, **parts)
    project({"train.py": text})
    fix("--unsafe-fixes")
    assert Path("train.py").read_text() == text.replace(*changed)
    refused = "not fixed: a declaration that it comes by may refuse 0"
    assert (refused in capsys.readouterr().out) is (changed[0] == changed[1])
