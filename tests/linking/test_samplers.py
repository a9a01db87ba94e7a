from __future__ import annotations

import pytest

from loaderlint.model.value import meetings
from tests.linking.traced import Cases, loader_of, traced

HEAD = """
import argparse
from torch.utils.data import BatchSampler, Dataset, DistributedSampler, IterableDataset, RandomSampler
parser = argparse.ArgumentParser()
parser.add_argument("--distributed", action="store_true")
args = parser.parse_args()
class Own:
    pass
"""

SAMPLERS: Cases = {
    "none": ("DataLoader(d)", {"None unwritten"}),
    "none written": ("DataLoader(d, sampler=⟦None⟧)", {"None"}),
    "torch's": ("DataLoader(d, sampler=⟦RandomSampler(d)⟧)", {"RandomSampler"}),
    "by position": ("DataLoader(d, 8, False, ⟦RandomSampler(d)⟧)", {"RandomSampler"}),
    "in a dictionary": ("o = {'sampler': ⟦RandomSampler(d)⟧}\nDataLoader(d, **o)", {"RandomSampler"}),
    "in a dictionary nobody sees": ("def f(**o):\n    return DataLoader(d, **o)", {"open"}),
    "the project's own": ("DataLoader(d, sampler=⟦Own()⟧)", {"Own"}),
    "a list": ("DataLoader(d, sampler=⟦[1, 2]⟧)", {"an object"}),
    "of a function of another library, which may give None": (
        "from elsewhere import make\nDataLoader(d, sampler=make(d))",
        {"open"},
    ),
    "of a class of another library": (
        "from elsewhere import Make\nDataLoader(d, sampler=⟦Make(d)⟧)",
        {"Make"},
    ),
    "of a function": (
        "def make(d):\n    return ⟦RandomSampler(d)⟧\nDataLoader(d, sampler=make(d))",
        {"RandomSampler"},
    ),
    "a parameter": ("def f(s):\n    return DataLoader(d, sampler=s)", {"open"}),
    "of a partial call": (
        "from functools import partial\nmake = partial(DataLoader, sampler=⟦RandomSampler(d)⟧)\nmake(d)",
        {"RandomSampler"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), SAMPLERS.values(), ids=SAMPLERS.keys())
def test_which_sampler_a_loader_gets(files: str, expected: set[str]) -> None:
    assert traced(HEAD + files, "sampler") == expected


def test_torch_s_own_batch_sampler_is_told_from_others() -> None:
    (one,) = (
        loader_of(HEAD + "DataLoader(d, batch_sampler=BatchSampler(RandomSampler(d), 2, True))")
        .option("batch_sampler")
        .candidates
    )
    assert getattr(one.constant, "batches", False) is True


SHUFFLES = {
    "is None": "sampler is None",
    "is None in a condition": "False if sampler is not None else True",
    "not": "not sampler",
    "not with a name": "shuffle",
    "the same question": "not args.distributed",
}


@pytest.mark.parametrize("shuffle", SHUFFLES.values(), ids=SHUFFLES.keys())
def test_what_asks_for_the_sampler_does_not_meet_it(shuffle: str) -> None:
    text = f"""
sampler = DistributedSampler(d) if args.distributed else None
shuffle = sampler is None
DataLoader(d, sampler=sampler, shuffle={shuffle})
"""
    assert sampler_met(HEAD + text) == {("None", True), ("DistributedSampler", False)}


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("isinstance(Stream(), IterableDataset)", {"True"}),
        ("isinstance(Own(), IterableDataset)", {"False"}),
        ("isinstance(Own(), Dataset)", {"open"}),
        ("isinstance(make(), IterableDataset)", {"open"}),
        ("isinstance(Stream(), (IterableDataset, list))", {"open"}),
        ("Own() is None", {"False"}),
        ("Own is not None", {"True"}),
        ("[] is None", {"False"}),
        ("make() is None", {"open"}),
    ],
)
def test_what_is_known_of_objects(test: str, expected: set[str]) -> None:
    text = f"{HEAD}class Stream(IterableDataset):\n    pass\nDataLoader(d, shuffle=⟦{test}⟧)"
    missed = {"missed"} if expected == {"open"} else set()
    found = traced(text, "shuffle")
    assert {one.split()[0] for one in found} == expected | missed


OPEN_CONDITIONS: dict[str, str] = {
    "a setting that a list may replace": """
c = CfgNode()
c.GPUS = 1
c.merge_from_list(args.opts)
chosen = DistributedSampler(d) if c.GPUS > 1 else None
DataLoader(d, shuffle=chosen is None, sampler=chosen)
""",
    "a setting that a list may replace, asked elsewhere": """
def pick(gpus):
    return DistributedSampler(d) if gpus > 1 else None
c = CfgNode()
c.GPUS = 1
c.merge_from_list(args.opts)
chosen = pick(c.GPUS)
DataLoader(d, shuffle=False if chosen else True, sampler=chosen)
""",
    "a setting that a list may replace, asked the other way round": """
c = CfgNode()
c.ALONE = True
c.merge_from_list(args.opts)
chosen = None if not not c.ALONE else DistributedSampler(d)
DataLoader(d, shuffle=not chosen, sampler=chosen)
""",
    "a number that a function gives another value": """
size = 1
def become(name):
    global size
    size = sizes[name]
def many():
    return size
def load(**options):
    n = many()
    if n > 1:
        mix = options.pop("shuffle", True)
        options["sampler"] = DistributedSampler(d, shuffle=mix)
    return DataLoader(d, **options)
load(shuffle=True)
""",
}


@pytest.mark.parametrize("text", OPEN_CONDITIONS.values(), ids=OPEN_CONDITIONS.keys())
def test_a_test_has_one_answer_in_a_run_though_only_one_of_its_values_was_seen(text: str) -> None:
    pairs = sampler_met(f"{HEAD}from yacs.config import CfgNode\n{text}")
    assert {(sampler, bool(shuffle)) for sampler, shuffle in pairs} == {("None", True), ("DistributedSampler", False)}


OPERANDS_HEAD = f"""{HEAD}
from yacs.config import CfgNode
c = CfgNode()
c.GPUS, c.TRAIN, c.CHOSEN = 1, True, None
c.merge_from_list(args.opts)
other = None if c.TRAIN else make()
sampler = {{sampler}}
DataLoader(d, sampler=sampler, shuffle={{shuffle}})
"""
OPERANDS: dict[str, tuple[str, str]] = {
    "what goes on behind the first": ("None if c.TRAIN else DistributedSampler(d)", "c.TRAIN and True"),
    "what the first stops": ("DistributedSampler(d) if c.TRAIN else None", "not (c.TRAIN or False)"),
    "what is given where the first goes on": ("c.CHOSEN and DistributedSampler(d)", "not c.CHOSEN"),
    "None where the first stops": ("c.CHOSEN and DistributedSampler(d)", "sampler is None"),
    "the last": ("DistributedSampler(d) if c.TRAIN and c.GPUS > 1 else None", "c.TRAIN and not c.GPUS > 1"),
    "another that comes first": ("DistributedSampler(d) if c.GPUS > 1 else None", "not (other or sampler)"),
    "an old conditional": ("c.TRAIN and DistributedSampler(d) or None", "not c.TRAIN"),
}


@pytest.mark.parametrize(("sampler", "shuffle"), OPERANDS.values(), ids=OPERANDS.keys())
def test_an_operand_has_one_answer_in_a_run_though_only_one_of_its_values_was_seen(sampler: str, shuffle: str) -> None:
    pairs = sampler_met(OPERANDS_HEAD.format(sampler=sampler, shuffle=shuffle))
    assert ("None", True) in pairs
    assert ("DistributedSampler", True) not in pairs


def test_operands_of_two_settings_that_a_list_may_replace_have_answers_of_their_own() -> None:
    sampler, shuffle = "DistributedSampler(d) if c.TRAIN and c.GPUS > 1 else None", "c.TRAIN and not c.CHOSEN"
    assert ("DistributedSampler", True) in sampler_met(OPERANDS_HEAD.format(sampler=sampler, shuffle=shuffle))


def test_tests_of_two_settings_that_a_list_may_replace_have_answers_of_their_own() -> None:
    text = """
from yacs.config import CfgNode
c = CfgNode()
c.GPUS, c.NODES = 1, 1
c.merge_from_list(args.opts)
chosen = DistributedSampler(d) if c.GPUS > 1 else None
DataLoader(d, shuffle=False if c.NODES > 1 else True, sampler=chosen)
"""
    assert ("DistributedSampler", True) in sampler_met(HEAD + text)


def sampler_met(files: str) -> set[tuple[str, object]]:
    """The pairs of sampler and shuffle that the only loader can have in the same run."""
    loader = loader_of(files)
    pairs = meetings(loader.option("sampler").candidates, loader.option("shuffle").candidates)
    return {(one.shown, other.constant) for one, other in pairs}


FILLED = """
def fill(options, defaults, length):
    for key, value in defaults.items():
        options[key] = value
    if length < 10:
        options["sampler"] = RandomSampler(d)
        if {test}:
            options.pop("shuffle")
    return DataLoader(d, **options)
def get(options, defaults, length):
    return fill({{"shuffle": True}}, defaults, length)
"""


@pytest.mark.parametrize("test", ["'shuffle' in options", "'shuffle' in options.keys()"])
def test_what_is_seen_under_a_key_is_taken_out_where_the_key_is_asked_for(test: str) -> None:
    assert ("RandomSampler", True) not in sampler_met(HEAD + FILLED.format(test=test))


@pytest.mark.parametrize("test", ["'batch_size' in options", "'shuffle' in defaults", "'shuffle' not in options"])
def test_what_is_seen_under_a_key_may_stay_where_something_else_is_asked(test: str) -> None:
    assert ("RandomSampler", True) in sampler_met(HEAD + FILLED.format(test=test))
