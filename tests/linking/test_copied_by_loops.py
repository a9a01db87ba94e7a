"""Loops that set each key of a mapping on something else, as ``vars(x).update(mapping)`` does at once."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

PARSED = (
    "import argparse, yaml\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--config', default='conf/train.yaml')\n"
    "parser.add_argument('--workers', type=int, default={})\nargs = parser.parse_args()\n"
    "with open(args.config) as file:\n    cfg = yaml.safe_load(file)\n"
)
READ = "DataLoader(1, num_workers=args.workers)\n"
INNER = "    for key, value in part.items():\n"
INNER_LOOKED_UP = "    for key, value in cfg[name].items():\n"
OVER = "for key, value in cfg.items():\n"


def program(loop: str, default: str = "⟦4⟧", text: str = "workers: ⟦2⟧\nrate: 0.1\n") -> dict[str, str]:
    """A program with a flag, a file that it reads unless the user names another one, and a loop over that."""
    return {"main.py": f"{IMPORT}{PARSED.format(default)}{loop}{READ}", "conf/train.yaml": text}


def in_parts(parts: str, over: str = "parts") -> str:
    """A program that lays the parts of something over each other."""
    loop = f"for part in {over}:\n{INNER}        options[key] = value\n"
    return f"from elsewhere import some\n{parts}\noptions = {{}}\n{loop}DataLoader(1, num_workers=options['workers'])\n"


def unfollowed(loop: str) -> dict[str, str]:
    """The same of which nothing that the file says is found."""
    return program(loop, text="workers: 2\nrate: 0.1\n")


SET: Cases = {
    "each key": (program(f"{OVER}    setattr(args, key, value)\n", "4"), {"2", "open"}),
    "each key, which it looks up": (program("for key in cfg:\n    setattr(args, key, cfg[key])\n", "4"), {"2", "open"}),
    "each key in order": (
        program("for key in sorted(cfg):\n    setattr(args, key, cfg[key])\n", "4"),
        {"2", "open"},
    ),
    "each pair in order": (
        program("for key, value in sorted(list(cfg.items())):\n    setattr(args, key, value)\n", "4"),
        {"2", "open"},
    ),
    "some of them in order": (
        program("for key in sorted(cfg)[:1]:\n    setattr(args, key, cfg[key])\n", text="workers: 2\nrate: 0.1\n"),
        {"4", "open"},
    ),
    "each key of them all": (program("for key in cfg.keys():\n    setattr(args, key, cfg[key])\n", "4"), {"2", "open"}),
    "in the dictionary of attributes": (program(f"{OVER}    vars(args)[key] = value\n", "4"), {"2", "open"}),
    "in the dictionary of attributes by another name": (
        program(f"held = args.__dict__\n{OVER}    held[key] = value\n", "4"),
        {"2", "open"},
    ),
    "in what vars gives by another name in a function": (
        program(
            f"def put(args, cfg):\n    held = vars(args)\n    {OVER}        held[key] = value\nput(args, cfg)\n", "4"
        ),
        {"2", "open"},
    ),
    "in the dictionary of attributes, lists apart": (
        program(
            f"held = args.__dict__\n{OVER}    if isinstance(value, list):\n        held[key] += value\n"
            "    else:\n        held[key] = value\n"
        ),
        {"2", "4", "open"},
    ),
    "those that are numbers": (
        program(f"{OVER}    if isinstance(value, (int, float)):\n        setattr(args, key, value)\n"),
        {"2", "4", "open"},
    ),
    "those that are lists": (
        program(
            f"{OVER}    if isinstance(value, (list, tuple)):\n        setattr(args, key, value)\n",
            text="workers: 2\nrate: 0.1\n",
        ),
        {"4", "open"},
    ),
    "those that are of a kind which is not seen": (
        program(
            f"from kinds import Kind\n{OVER}    if isinstance(value, Kind):\n        setattr(args, key, value)\n",
            text="workers: 2\nrate: 0.1\n",
        ),
        {"4", "open"},
    ),
    "in a copy of the dictionary of attributes": (
        program(f"held = dict(vars(args))\n{OVER}    held[key] = value\n", text="workers: 2\nrate: 0.1\n"),
        {"4", "open"},
    ),
    "in another dictionary of that name": (
        program(f"held = vars(args)\nheld = {{}}\n{OVER}    held[key] = value\n", text="workers: 2\nrate: 0.1\n"),
        {"4", "open"},
    ),
    "in the dictionary of attributes of another": (
        program(f"held = other().__dict__\n{OVER}    held[key] = value\n", text="workers: 2\nrate: 0.1\n"),
        {"4", "open"},
    ),
    "those that are flags": (
        program(f"{OVER}    if hasattr(args, key):\n        setattr(args, key, value)\n", "4"),
        {"2", "open"},
    ),
    "those that are flags, in other words": (
        program(f"{OVER}    if key in vars(args):\n        setattr(args, key, value)\n", "4"),
        {"2", "open"},
    ),
    "in a function": (
        program(f"def put(args, cfg):\n    {OVER}        setattr(args, key, value)\nput(args, cfg)\n", "4"),
        {"2", "open"},
    ),
    "of a dictionary that is written out": (
        "opt = {'workers': 4}\nfor key, value in {'workers': ⟦2⟧}.items():\n    opt[key] = value\n"
        "DataLoader(1, num_workers=opt['workers'])\n",
        {"2"},
    ),
    "those that something says": (
        program(f"{OVER}    if wanted(key):\n        setattr(args, key, value)\n"),
        {"2", "4", "open"},
    ),
    "those that are not passed over": (
        program(f"{OVER}    if key == 'rate':\n        continue\n    setattr(args, key, value)\n"),
        {"2", "4", "open"},
    ),
    "where the user says so": (
        program(f"if given():\n    {OVER}        setattr(args, key, value)\n"),
        {"2", "4", "open"},
    ),
    "none of that name": (
        program(f"{OVER}    setattr(args, key, value)\n", text="rate: 0.1\nworker: 2\n"),
        {"4", "open"},
    ),
}
IN_PARTS = "data:\n  name: a\ntrain:\n  workers: ⟦2⟧\n  rate: 0.1\n"
PARTS: Cases = {
    "of a list": (
        program(f"for part in [cfg]:\n{INNER}        setattr(args, key, value)\n", "⟦4⟧", "workers: 2\n"),
        {"4", "open"},
    ),
    "of a list that has a name": (
        program(
            "parts = [{'workers': 1, 'rate': 2}, {'workers': ⟦3⟧}]\n"
            f"for part in parts:\n{INNER}        setattr(args, key, value)\n",
            "4",
            "rate: 1\n",
        ),
        {"3", "open"},
    ),
    "of a list, of which some are passed over": (
        program(
            f"parts = [cfg]\nfor part in parts:\n    part = other(part)\n{INNER}        setattr(args, key, value)\n",
            text="workers: 2\n",
        ),
        {"4", "open"},
    ),
    "of a list, one of two last": (
        in_parts("parts = [{'workers': 1}, {'workers': ⟦2⟧} if some else {'workers': ⟦3⟧}]"),
        {"2", "3"},
    ),
    "of a list, an empty one of two last": (
        in_parts("parts = [{'workers': ⟦1⟧}, {'workers': ⟦2⟧} if some else {'rate': 3}]"),
        {"1", "2"},
    ),
    "of a list, what nobody saw last": (in_parts("parts = [{'workers': ⟦1⟧}, dict(some)]"), {"1", "open"}),
    "of a dictionary, one of two last": (
        in_parts(
            "parts = {'a': {'workers': 1}, 'b': {'workers': ⟦2⟧} if some else {'workers': ⟦3⟧}}", "parts.values()"
        ),
        {"2", "3"},
    ),
    "of a dictionary, perhaps a number last": (
        in_parts("parts = {'a': {'workers': ⟦1⟧}, 'b': {'workers': ⟦2⟧} if some else 3}", "parts.values()"),
        {"1", "2"},
    ),
    "of a dictionary, to which one may have been added": (
        in_parts("parts = {'a': {'workers': ⟦1⟧}}\nif some:\n    parts['b'] = {'workers': ⟦2⟧}", "parts.values()"),
        {"1", "2"},
    ),
    "of a list that nobody saw": (
        program(
            f"parts = some(cfg)\nfor part in parts:\n{INNER}        setattr(args, key, value)\n", text="workers: 2\n"
        ),
        {"4", "open"},
    ),
    "each key of each part": (
        program(f"for part in cfg.values():\n{INNER}        setattr(args, key, value)\n", "4", IN_PARTS),
        {"2", "open"},
    ),
    "each key of each part, which it looks up": (
        program(f"for name in cfg:\n{INNER_LOOKED_UP}        setattr(args, key, value)\n", "4", IN_PARTS),
        {"2", "open"},
    ),
    "each key of each part by its name": (
        program(f"for name, part in cfg.items():\n{INNER}        setattr(args, key, value)\n", "4", IN_PARTS),
        {"2", "open"},
    ),
    "each key of each part, in a dictionary": (
        program(
            f"made = {{}}\nfor part in cfg.values():\n{INNER}        made[key] = value\n"
            "args = argparse.Namespace(**made)\n",
            "4",
            IN_PARTS,
        ),
        {"2", "open"},
    ),
    "of the parts the last that gives the key": (
        program(
            f"for part in cfg.values():\n{INNER}        setattr(args, key, value)\n",
            "4",
            "data:\n  workers: 8\ntrain:\n  workers: ⟦2⟧\n",
        ),
        {"2", "open"},
    ),
    "of the parts none that gives the key": (
        program(f"for part in cfg.values():\n{INNER}        setattr(args, key, value)\n", text="data:\n  rate: 0.1\n"),
        {"4", "open"},
    ),
    "those of each part that something says": (
        program(
            f"for part in cfg.values():\n{INNER}        if wanted(key):\n            setattr(args, key, value)\n",
            text=IN_PARTS,
        ),
        {"2", "4", "open"},
    ),
    "what is in parts that something says": (
        program(
            "for part in cfg.values():\n    if wanted(part):\n        for key, value in part.items():\n"
            "            setattr(args, key, value)\n",
            text=IN_PARTS,
        ),
        {"2", "4", "open"},
    ),
}
NOT_FOLLOWED: Cases = {
    "what is in parts of the parts": (
        program(
            "for one in cfg.values():\n    for part in one.values():\n        for key, value in part.items():\n"
            "            setattr(args, key, value)\n",
            text="all:\n  train:\n    workers: 2\n",
        ),
        {"4", "open"},
    ),
    "what is in other parts": (
        program(
            f"for part in cfg.values():\n    part = other(part)\n{INNER}        setattr(args, key, value)\n",
            text=IN_PARTS.replace("⟦2⟧", "2"),
        ),
        {"4", "open"},
    ),
    "another value": (unfollowed(f"{OVER}    value = value + 1\n    setattr(args, key, value)\n"), {"4", "open"}),
    "a key made of it": (unfollowed(f"{OVER}    setattr(args, key.upper(), value)\n"), {"4", "open"}),
    "a value of another mapping": (
        unfollowed("for key in cfg:\n    setattr(args, key, other()[key])\n"),
        {"4", "open"},
    ),
    "what is under each key": (
        unfollowed(
            "for part in cfg.values():\n    for key, value in part.items():\n        setattr(args, key, value)\n"
        ),
        {"4", "open"},
    ),
    "some of them": (unfollowed(f"{OVER}    setattr(args, key, value)\n    break\n"), {"4", "open"}),
}
FLAGS = (
    "import argparse, yaml\nparser = argparse.ArgumentParser()\nparser.add_argument('--workers', type=int{})\n"
    "args = parser.parse_args()\nconfig = yaml.safe_load(open('train.yaml'))\nfor key, value in vars(args).items():\n"
)
NO_DEFAULT, ZERO = FLAGS.format(""), FLAGS.format(", default=⟦0⟧")


def laid_over(flags: str, loop: str) -> dict[str, str]:
    """A program that lays flags over what a file says, if the loop does."""
    read = "DataLoader(1, num_workers=config['workers'])\n"
    return {"main.py": f"{IMPORT}{flags}{loop}{read}", "train.yaml": "workers: ⟦2⟧\n"}


ASKING: Cases = {
    "those that are given": (
        laid_over(NO_DEFAULT, "    if value is not None:\n        config[key] = value\n"),
        {"2", "open"},
    ),
    "those that are no None": (
        laid_over(NO_DEFAULT, "    if not value == None:\n        config[key] = value\n"),
        {"2", "open"},
    ),
    "all but those that are not given": (
        laid_over(NO_DEFAULT, "    if value is None:\n        continue\n    config[key] = value\n"),
        {"2", "open"},
    ),
    "those that are given, and something else": (
        laid_over(NO_DEFAULT, "    if key in config and value is not None:\n        config[key] = value\n"),
        {"2", "open"},
    ),
    "those that count as true": (
        laid_over(ZERO.replace("⟦0⟧", "0"), "    if value:\n        config[key] = value\n"),
        {"2", "open"},
    ),
    "those that are given, with a default": (
        laid_over(ZERO, "    if value is not None:\n        config[key] = value\n"),
        {"0", "2", "open"},
    ),
    "those that are given, or something else": (
        laid_over(ZERO, "    if value or wanted(key):\n        config[key] = value\n"),
        {"0 shared", "2", "open"},
    ),
    "those that are not given": (
        laid_over(
            NO_DEFAULT.replace("type=int", "type=int, default=⟦None⟧"),
            "    if value is None:\n        config[key] = value\n",
        ),
        {"None", "2", "open"},
    ),
    "whatever they are": (
        laid_over(NO_DEFAULT.replace("type=int", "type=int, default=⟦None⟧"), "    config[key] = value\n").__or__(
            {"train.yaml": "workers: 2\n"}
        ),
        {"None", "open"},
    ),
    "those that something has none of yet": (
        program(f"{OVER}    if getattr(args, key) is None:\n        setattr(args, key, value)\n", "None"),
        {"2", "open"},
    ),
    "those that a dictionary has none of yet": (
        "opt = {'workers': None}\nfor key, value in {'workers': ⟦2⟧}.items():\n    if opt[key] is None:\n"
        "        opt[key] = value\nDataLoader(1, num_workers=opt['workers'])\n",
        {"2", "open"},
    ),
    "those that something else has none of yet": (
        program(f"{OVER}    if getattr(other, key) is None:\n        setattr(args, key, value)\n"),
        {"2", "4", "open"},
    ),
    "those of which something is asked that is not followed": (
        laid_over(ZERO.replace("⟦0⟧", "0"), "    if value != parser.get_default(key):\n        config[key] = value\n"),
        {"2 shared", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), [*SET.values(), *PARTS.values()], ids=[*SET, *PARTS])
def test_what_a_loop_sets(files: dict[str, str] | str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), ASKING.values(), ids=ASKING.keys())
def test_what_a_loop_sets_that_asks_about_the_value(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), NOT_FOLLOWED.values(), ids=NOT_FOLLOWED.keys())
def test_what_a_loop_sets_that_is_not_followed(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected
