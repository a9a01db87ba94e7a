"""Defaults of ``getattr`` for what may be a command line that was not followed there."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, traced

ASKS = f"{IMPORT}def load(options):\n    DataLoader(data, num_workers=⟨asked⟩)\n"
BY_GETATTR = "getattr(options, 'data.n_workers', 2)"
DECLARES = {
    "the flag": "parser.add_argument('--data.n_workers', type=int, default=4)\n",
    "the flag with hyphens": "parser.add_argument('-w', '--data.n-workers', type=int, default=4)\n",
    "the flag on a line of its own": 'parser.add_argument(\n    "--data.n_workers",\n    default=4,\n)\n',
    "a destination": "parser.add_argument('--cpu', dest='data.n_workers', default=4)\n",
    "a word without hyphens": "parser.add_argument('data.n_workers', type=int)\n",
    "a flag of absl": "flags.DEFINE_integer('data.n_workers', 4, 'how many')\n",
}
OTHERS = {
    "another flag": "parser.add_argument('--data.n_workers_more', default=4)\n",
    "a flag of which it is the beginning": "parser.add_argument('--data.n_workers.more', default=4)\n",
    "a flag of which it is the end": "parser.add_argument('--train.data.n_workers', default=4)\n",
    "a flag with another destination": "parser.add_argument('--cpu', dest='workers', default=4)\n",
    "a text beside flags": "parser.add_argument('--cpu')\nprint('data.n_workers')\n",
    "a flag of nobody's": "start('--data.n_workers')\n",
}


def files(declaring: str, asked: str) -> dict[str, str]:
    return {
        "options.py": f"def add(parser):\n    {declaring.replace(chr(10), chr(10) + '    ').rstrip()}\n",
        "main.py": f"from options import add\n{ASKS.replace('⟨asked⟩', asked)}",
    }


@pytest.mark.parametrize("declaring", DECLARES.values(), ids=DECLARES)
def test_what_may_be_a_command_line_has_what_one_declares(declaring: str) -> None:
    assert traced(files(declaring, BY_GETATTR)) == {"open"}


@pytest.mark.parametrize("declaring", OTHERS.values(), ids=OTHERS)
def test_what_no_command_line_declares_may_be_missing(declaring: str) -> None:
    assert traced(files(declaring, BY_GETATTR.replace("2", "⟦2⟧"))) == {"2", "open"}


@pytest.mark.parametrize("declaring", DECLARES.values(), ids=DECLARES)
def test_a_dictionary_need_not_have_what_a_command_line_declares(declaring: str) -> None:
    assert traced(files(declaring, "options.get('data.n_workers', ⟦2⟧)")) == {"2", "open"}


def test_an_object_of_the_project_has_no_attribute_for_a_flag_of_that_name() -> None:
    texts = files(DECLARES["the flag"], BY_GETATTR.replace("2", "⟦2⟧"))
    made = "class Options:\n    size = 1\nload(Options())\n"
    assert traced({**texts, "main.py": texts["main.py"] + made}) == {"2", "open"}
