"""Writes training programs whose faults are known: the same loader in the many ways people write one."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

IMPORTS = {
    "from torch.utils.data import DataLoader": "DataLoader",
    "from torch.utils.data import DataLoader as Loader": "Loader",
    "from torch.utils.data import (\n    DataLoader,\n    Dataset,\n)": "DataLoader",
    "import torch.utils.data": "torch.utils.data.DataLoader",
    "import torch.utils.data as tud": "tud.DataLoader",
    "from torch.utils import data": "data.DataLoader",
    "import torch": "torch.utils.data.DataLoader",
}
"""Ways to import torch's loader, and what it is called then."""

HOMES = ("argument", "constant", "splat", "field", "flag", "parameter")
"""Where an option's value is written: in the call, in a constant, in a dictionary that the call takes apart, in a
dataclass, as a command-line flag's default, or as the default of a function that makes the loader."""

WITHOUT_WORKERS = {
    "prefetch_factor": "LL201",
    "persistent_workers": "LL202",
    "multiprocessing_context": "LL203",
    "timeout": "LL204",
}
"""The rule that an option breaks beside no workers."""

NEEDING_WORKERS: Mapping[str, object] = {
    "prefetch_factor": 4,
    "persistent_workers": True,
    "multiprocessing_context": "spawn",
    "timeout": 60,
}

FAULTY_WITH_WORKERS: Mapping[tuple[str, str], str] = {
    ("num_workers", "'2'"): "LL205",
    ("num_workers", "2.0"): "LL205",
    ("prefetch_factor", "0"): "LL206",
    ("prefetch_factor", "-1"): "LL206",
    ("prefetch_factor", "16"): "LL301",
    ("multiprocessing_context", "'thread'"): "LL104",
}
"""The rule that an option's value, as Python writes it, breaks beside workers."""


@dataclass(frozen=True)
class Option:
    """A loader option: its value, and where that is written."""

    name: str
    value: object
    home: str

    @property
    def constant(self) -> str:
        return self.name.upper()

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def argument(self) -> str | None:
        """What the call says for it; None where the call does not name it."""
        value = {
            "argument": repr(self.value),
            "constant": self.constant,
            "field": f"settings.{self.name}",
            "flag": f"args.{self.name}",
        }.get(self.home)
        return value and f"{self.name}={value}"


@dataclass(frozen=True)
class Program:
    """A program of one file, in the parts that ways of writing it differ in.

    ``layout`` is ``"line"``, ``"lines"`` or ``"lines,"`` (with a trailing comma). ``entry`` is ``"guarded"``,
    ``"called"`` (a function that the module calls) or ``"module"``. ``comments`` are written behind the argument of
    that number, where the layout has a line for it.
    """

    options: tuple[Option, ...]
    statement: str = "from torch.utils.data import DataLoader"
    layout: str = "line"
    entry: str = "guarded"
    comments: Mapping[int, str] | None = None

    @property
    def codes(self) -> frozenset[str]:
        """The rules it breaks on Linux."""
        values = {option.name: option.value for option in self.options}
        if not values.get("num_workers"):
            return frozenset(code for name, code in WITHOUT_WORKERS.items() if name in values)
        faults = ((name, repr(value)) for name, value in values.items())
        return frozenset(FAULTY_WITH_WORKERS[one] for one in faults if one in FAULTY_WITH_WORKERS)

    def home_of(self, name: str) -> str | None:
        return next((option.home for option in self.options if option.name == name), None)

    @property
    def text(self) -> str:
        """The file."""
        at = {home: [option for option in self.options if option.home == home] for home in HOMES}
        lines = ['"""Trains on the digits 0 to 7 (é)."""', ""]
        lines += ["import argparse"] if at["flag"] else []
        lines += ["from dataclasses import dataclass"] if at["field"] else []
        lines += [self.statement, "", "dataset = list(range(8))"]
        lines += [f"{option.constant} = {option.value!r}  # how it is loaded" for option in at["constant"]]
        if at["field"]:
            lines += [
                "",
                "",
                "@dataclass",
                "class Settings:",
                '    """The settings."""',
                "",
                "    name: str = 'digits'",
            ]
            lines += [f"    {option.name}: object = {option.value!r}" for option in at["field"]]
        if at["parameter"]:
            lines += ["", "", *self._wrapper()]
        body = self._body(at["flag"], at["field"], at["splat"])
        if self.entry == "module":
            return "\n".join([*lines, "", *body, ""])
        main = ["", "", "def main():", *(f"    {line}" if line else "" for line in body), "    return loader", "", ""]
        if self.entry == "called":
            return "\n".join([*lines, *main, "loader = main()", ""])
        return "\n".join([*lines, *main, 'if __name__ == "__main__":', "    loader = main()", ""])

    def _wrapper(self) -> list[str]:
        required = [option.name for option in self.options if option.home != "parameter"]
        given = [f"{option.name}={option.value!r}" for option in self.options if option.home == "parameter"]
        arguments = ["dataset", "batch_size=2", *(f"{option.name}={option.name}" for option in self.options)]
        head = f"def make_loader({', '.join(['dataset', *required, *given])}):"
        return [head, f"    return {IMPORTS[self.statement]}({', '.join(arguments)})"]

    def _body(self, flags: list[Option], fields: list[Option], splat: list[Option]) -> list[str]:
        lines = []
        if flags:
            lines.append("parser = argparse.ArgumentParser()")
            lines += [f'parser.add_argument("{one.flag}", type=int, default={one.value!r})' for one in flags]
            lines.append("args = parser.parse_args()")
        if fields:
            lines.append("settings = Settings()")
        if splat:
            lines += ["options = {", *(f'    "{one.name}": {one.value!r},' for one in splat), "}"]
        return [*lines, "# the loader", *self._call(splat), "for batch in loader:", "    print(batch)"]

    def _call(self, splat: list[Option]) -> list[str]:
        wrapped = any(option.home == "parameter" for option in self.options)
        callee = "make_loader" if wrapped else IMPORTS[self.statement]
        arguments = ["dataset", *([] if wrapped else ["batch_size=2"])]
        arguments += [option.argument for option in self.options if option.argument is not None]
        arguments += ["**options"] if splat else []
        if self.layout == "line":
            return [f"loader = {callee}({', '.join(arguments)})  # é"]
        lines = [f"loader = {callee}("]
        for number, argument in enumerate(arguments):
            comma = "," if number < len(arguments) - 1 or self.layout == "lines," else ""
            comment = (self.comments or {}).get(number, "")
            lines.append(f"    {argument}{comma}{comment and '  # ' + comment}")
        return [*lines, ")"]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program with at least one fault."""
    values = draw(st.one_of(_without_workers(), _with_workers()))
    names = draw(st.permutations(list(values)))
    return Program(
        options=tuple(Option(name, values[name], draw(_homes(name, values[name]))) for name in names),
        statement=draw(st.sampled_from(sorted(IMPORTS))),
        layout=draw(st.sampled_from(["line", "lines", "lines,"])),
        entry=draw(st.sampled_from(["guarded", "called", "module"])),
        comments=draw(st.dictionaries(st.integers(0, 6), st.sampled_from(["why", "é"]), max_size=2)),
    )


@st.composite
def _without_workers(draw: st.DrawFn) -> dict[str, object]:
    names = draw(st.lists(st.sampled_from(sorted(NEEDING_WORKERS)), min_size=1, unique=True))
    count: dict[str, object] = draw(st.sampled_from([{}, {"num_workers": 0}]))
    return {**count, **{name: NEEDING_WORKERS[name] for name in names}}


@st.composite
def _with_workers(draw: st.DrawFn) -> dict[str, object]:
    name, written = draw(st.sampled_from(sorted(FAULTY_WITH_WORKERS)))
    value: object = ast.literal_eval(written)
    harmless = draw(st.fixed_dictionaries({}, optional={"timeout": st.just(60), "persistent_workers": st.just(True)}))
    if name == "num_workers":
        return {**harmless, name: value}
    return {**harmless, "num_workers": 2, name: value}


def _homes(name: str, value: object) -> st.SearchStrategy[str]:
    """Return where the value of an option can stand; a flag's values are integers."""
    return st.sampled_from([home for home in HOMES if home != "flag" or type(value) is int])


@dataclass(frozen=True)
class Configured:
    """A program whose loader's options come from a YAML file, written in block or in flow style."""

    values: Mapping[str, object]
    flow: bool = False
    comments: Mapping[str, str] | None = None

    @property
    def codes(self) -> frozenset[str]:
        """The rules it breaks on Linux."""
        return Program(tuple(Option(name, value, "argument") for name, value in self.values.items())).codes

    @property
    def files(self) -> dict[str, str]:
        """The files, by path."""
        return {"main.py": _CONFIGURED, "train.yaml": self.text}

    @property
    def text(self) -> str:
        """The YAML file."""
        written = {name: _as_yaml(value) for name, value in self.values.items()}
        lines = ["# The digits é.", "data:", "  target: main.Digits"]
        if self.flow:
            items = ", ".join(f"{name}: {value}" for name, value in {"batch_size": "2", **written}.items())
            return "\n".join([*lines, f"  params: {{{items}}}  # all of them", "epochs: 3", ""])
        lines += ["  params:", "    batch_size: 2"]
        for name, value in written.items():
            comment = (self.comments or {}).get(name, "")
            lines.append(f"    {name}: {value}{comment and '  # ' + comment}")
        return "\n".join([*lines, "epochs: 3  # and no more", ""])


@st.composite
def configured_programs(draw: st.DrawFn) -> Configured:
    """A configured program with at least one fault."""
    values = draw(st.one_of(_without_workers(), _with_workers()))
    names = draw(st.permutations(list(values)))
    comments = draw(st.dictionaries(st.sampled_from(names), st.just("why é"), max_size=2))
    return Configured({name: values[name] for name in names}, draw(st.booleans()), comments)


def run(text: str | bytes, *arguments: str, name: str = "__main__") -> dict[str, Any]:
    """Run a program in this process; return its loader's options and the first sample of each of its batches."""
    program: dict[str, Any] = {"__name__": name}
    printed = io.StringIO()
    before = sys.argv
    sys.argv = ["main.py", *arguments]
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "main.py", "exec"), program)
    finally:
        sys.argv = before
    # Taken out, because persistent workers that are left to the garbage collector take seconds to go.
    loader = program.pop("loader", None)
    firsts = [int(found) for found in re.findall(r"tensor\(\[(\d+)", printed.getvalue())]
    names = ("num_workers", "prefetch_factor", "persistent_workers", "timeout")
    return {"loader": loader and {name: getattr(loader, name) for name in names}, "batches": firsts}


def _as_yaml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value) if value == "2" else str(value)


_CONFIGURED = """\
import importlib

import yaml
from torch.utils.data import DataLoader


def instantiate_from_config(config):
    module, name = config["target"].rsplit(".", 1)
    return getattr(importlib.import_module(module), name)(**config.get("params", {}))


class Digits:
    def __init__(
        self,
        batch_size=1,
        num_workers=0,
        prefetch_factor=None,
        persistent_workers=False,
        multiprocessing_context=None,
        timeout=0,
    ):
        self.batch_size = batch_size
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.persistent_workers = persistent_workers
        self.multiprocessing_context = multiprocessing_context
        self.timeout = timeout

    def train_dataloader(self):
        return DataLoader(
            list(range(8)),
            batch_size=self.batch_size,
            num_workers=self.num_workers,
            prefetch_factor=self.prefetch_factor,
            persistent_workers=self.persistent_workers,
            multiprocessing_context=self.multiprocessing_context,
            timeout=self.timeout,
        )


def main():
    with open("train.yaml", encoding="utf-8-sig") as file:
        config = yaml.safe_load(file)
    for batch in instantiate_from_config(config["data"]).train_dataloader():
        print(batch)


if __name__ == "__main__":
    main()
"""
