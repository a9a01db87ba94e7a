"""Tests that only a device of CUDA passes: what they let through arrives where torch may have CUDA alone."""

from __future__ import annotations

import pytest

from tests.linking.traced import traced

HEAD = "import torch\nfrom own import args, device, make\n"


def _under(test: str, before: str = "") -> str:
    return f"{HEAD}{before}workers = ⟦4⟧ if {test} else ⟦0⟧\nDataLoader(data, num_workers=workers)"


ASKING = {
    "the type of a device": "device.type == 'cuda'",
    "the type of an attribute": "args.device.type == 'cuda'",
    "by identity": "args.device.type is 'cuda'",
    "the other way round": "'cuda' == args.device.type",
    "a name": "args.device == 'cuda:0'",
    "under a key": "args['device'] == 'cuda'",
    "the text of a device": "str(device) == 'cuda'",
    "its beginning": "args.device.startswith('cuda')",
    "a part of it": "'cuda' in str(args.device)",
    "among other questions": "args.fast and device.type == 'cuda'",
    "denied twice": "not device.type != 'cuda'",
}
NOT_ASKING = {
    "the type of the CPU": "device.type == 'cpu'",
    "one of several types": "device.type in ('cuda', 'mps')",
    "what is no device": "args.mode == 'cuda'",
    "a word in another text": "'cuda' in args.notes",
    "what only begins alike": "args.mode.startswith('cuda')",
}


@pytest.mark.parametrize("test", ASKING.values(), ids=list(ASKING))
def test_what_asks_for_a_device_of_cuda_holds_where_torch_may_have_it(test: str) -> None:
    assert traced(_under(test)) == {"4 on linux, windows", "0"}


@pytest.mark.parametrize("test", NOT_ASKING.values(), ids=list(NOT_ASKING))
def test_other_tests_hold_everywhere(test: str) -> None:
    assert traced(_under(test)) == {"4", "0"}


def test_what_another_type_than_cuda_leaves_over_is_cuda() -> None:
    assert traced(_under("device.type != 'cuda'")) == {"4", "0 on linux, windows"}


def test_what_may_be_let_through_for_another_reason_holds_everywhere() -> None:
    assert "4" in traced(_under("device.type == 'cuda' or args.fast"))


MADE = {
    "with a number": "torch.device('cuda:0')",
    "whose number is not seen": "torch.device(f'cuda:{args.rank}')",
    "with a number beside its type": "torch.device('cuda', args.rank)",
}


@pytest.mark.parametrize("made", MADE.values(), ids=list(MADE))
def test_the_number_of_a_device_is_no_part_of_its_type(made: str) -> None:
    text = _under("device.type == 'cuda'", f"device = {made}\n").replace("⟦0⟧", "0")
    assert traced(text) == {"4 on linux, windows"}


@pytest.mark.parametrize("name", ["args.device", "f'{args.kind}:0'", "f'cuda{args.rest}'"])
def test_a_device_that_is_not_seen_may_be_of_any_type(name: str) -> None:
    assert traced(_under("device.type == 'cpu'", f"device = torch.device({name})\n")) == {"4", "0"}


def test_a_device_that_is_there_everywhere_is_of_its_type_everywhere() -> None:
    text = _under("device.type == 'mps'", "device = torch.device('mps:0')\n").replace("⟦0⟧", "0")
    assert traced(text) == {"4"}
