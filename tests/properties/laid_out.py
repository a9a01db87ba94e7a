"""Writes loader calls, dictionaries of options and YAML mappings in the layouts people use.

Every piece says which of its items is at fault, so what `--fix` must leave is known to the last character: the same
piece, written without those items.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Table
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

HEADS = (
    ("", "#!/usr/bin/env python\n", "# Licence.\n\n"),
    ("", '"""Trains."""\n', '"""Trains.\n\nLong.\n"""\n\n'),
    ("", "from __future__ import annotations\n", "from __future__ import annotations\n\n"),
    (
        *(
            "",
            "import os\n",
            "import os, re\n",
            "import os; import re\n",
            "import os.path\n\n\n# torch\n",
            "import zlib\n\n",
        ),
        *("import sys\n", "import sys as system\n", "from sys import argv\n", "from os import (\n    path,\n)\n"),
        "try:\n    import sys\nexcept ImportError:\n    sys = None\n",
    ),
    ("", "import torch\n", "\nif True:\n    import typing\n\n", "os = 4\n"),
    ("from torch.utils.data import DataLoader\n", "# why\nfrom torch.utils.data import DataLoader  # noqa\n"),
)
"""What stands at the top of a file, part by part."""

BELOW = """

def main():
    return DataLoader(range(8), num_workers=4)


if __name__ == "__main__":
    main()
"""


def heads() -> st.SearchStrategy[str]:
    """The top of a file, down to where its loader class is imported."""
    return st.tuples(*(st.sampled_from(parts) for parts in HEADS)).map("".join)


FAULTY = {"prefetch_factor": "4", "persistent_workers": "True", "timeout": "60", "multiprocessing_context": '"spawn"'}
"""Options that torch refuses without workers, as Python writes them."""

SOUND = {"batch_size": "2", "shuffle": "not True", "drop_last": "False", "collate_fn": "collate(1, *[2])"}

PLACES = (
    "loader = {}",
    "loader = {}; print(loader)",
    "loader: object = {}  # to train with",
    "loader, size = {}, 4",
    "loader = keep({})",
    "loader = {} if dataset else None",
    "loaders = {{'train': {}, 'val': None}}",
    "def load():\n{unit}return {}\n\n\nload()",
    "class Data:\n{unit}def load(self):\n{unit}{unit}self.loader = {}\n\n\nData().load()",
    "for batch in {}:\n{unit}print(batch)",
    "if dataset:\n{unit}with keep(4):\n{unit}{unit}loader = {}\nelse:\n{unit}loader = None",
)
"""Where a call stands."""

ABOVE = """from contextlib import nullcontext as keep

from torch.utils.data import DataLoader

dataset = list(range(8))


def collate(*numbers):
    return list


"""


@dataclass(frozen=True)
class Item:
    """An argument, or an item of a mapping; ``above`` and ``behind`` are comments, where the layout has lines."""

    name: str
    value: str
    above: str = ""
    behind: str = ""

    @property
    def faulty(self) -> bool:
        return self.name in FAULTY


@dataclass(frozen=True)
class Call:
    """A loader call; its options are written in the call, or in a dictionary before it.

    ``layout`` is ``"line"``, ``"lines"``, ``"lines,"`` (with a trailing comma) or ``"aligned"`` (under the first item).
    """

    items: tuple[Item, ...]
    layout: str = "line"
    form: str = "call"
    place: str = PLACES[0]
    unit: str = "    "
    equals: str = "="
    quote: str = '"'

    @property
    def mended(self) -> Call:
        """The call without what is at fault."""
        return replace(self, items=tuple(item for item in self.items if not item.faulty))

    @property
    def text(self) -> str:
        """The file."""
        template = self.place.replace("{unit}", self.unit)
        before, after = (part.replace("{{", "{").replace("}}", "}") for part in template.split("{}"))
        arguments = tuple(replace(one, value=one.value.replace('"', self.quote)) for one in self.items)
        if self.form == "call":
            return ABOVE + before + self._laid_out(before, "DataLoader(", ["dataset"], arguments, ")") + after + "\n"
        opening, closing = ("dict(", ")") if self.form == "dict" else ("{", "}")
        options = "options = " + self._laid_out("options = ", opening, [], arguments, closing)
        return f"{ABOVE}{options}\n{before}DataLoader(dataset, **options){after}\n"

    def _laid_out(self, before: str, opening: str, first: Sequence[str], items: Sequence[Item], closing: str) -> str:
        said = [*(Item("", one) for one in first), *items]
        written = [self._written(one, closing) for one in said]
        if self.layout == "line" or not said:
            return opening + ", ".join(written) + closing
        margin = before[before.rfind("\n") + 1 :]
        outside = margin[: len(margin) - len(margin.lstrip())]
        inside = outside + re.sub(r"\S", " ", margin.lstrip() + opening) if self.aligned else outside + self.unit
        text = opening if self.aligned else opening + "\n" + inside
        for number, (item, one) in enumerate(zip(said, written, strict=True), start=1):
            comma = "," if number < len(said) or self.layout == "lines," else ""
            above = f"# {item.above}\n{inside}" if item.above and not self.aligned else ""
            behind = f"  # {item.behind}" if item.behind and not self.aligned else ""
            text += f"{above}{one}{comma}{behind}" + ("\n" + inside if number < len(said) else "")
        return text + closing if self.aligned else f"{text}\n{outside}{closing}"

    def _written(self, item: Item, closing: str) -> str:
        if closing == "}":
            return f"{self.quote}{item.name}{self.quote}: {item.value}"
        return item.name + self.equals + item.value if item.name else item.value

    @property
    def aligned(self) -> bool:
        return self.layout == "aligned"


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """A call that gives at least one option that needs workers, and has none."""
    return Call(
        items=draw(_items({**SOUND, "num_workers": "0"})),
        layout=draw(st.sampled_from(["line", "lines", "lines,", "aligned"])),
        form=draw(st.sampled_from(["call", "call", "dict", "braces"])),
        place=draw(st.sampled_from(PLACES)),
        unit=draw(st.sampled_from(["    ", "  ", "\t"])),
        equals=draw(st.sampled_from(["=", "=", " = "])),
        quote=draw(st.sampled_from("'\"")),
    )


@st.composite
def _items(draw: st.DrawFn, sound: Table[str, str]) -> tuple[Item, ...]:
    """Items of which some are at fault; a comment belongs to one that is not."""
    faulty = draw(st.lists(st.sampled_from(sorted(FAULTY)), min_size=1, max_size=3, unique=True))
    others = draw(st.lists(st.sampled_from(sorted(sound)), max_size=4, unique=True))
    names = draw(st.permutations([*faulty, *others]))
    values = {**FAULTY, **sound}
    comments = {name: draw(st.sampled_from(["", "", "why", "(é,"])) for name in others}
    behind = {name: draw(st.booleans()) for name in others}
    return tuple(
        Item(name, values[name], *(("", comments[name]) if behind[name] else (comments[name], "")))
        if name in others
        else Item(name, values[name])
        for name in names
    )


YAML_VALUES = {
    "prefetch_factor": ("4", "!!int 4", "&factor 4"),
    "persistent_workers": ("true", "yes", "&keep True"),
    "timeout": ("60", "60.0", "!!float 60"),
    "multiprocessing_context": ("spawn", '"spawn"', "'spawn'", ">-\n{inside}  spawn"),
}
"""How YAML writes the options that are at fault; ``{inside}`` is the indentation of the entries."""

YAML_SOUND = {"batch_size": "2", "shuffle": "false", "drop_last": "'no # no'", "num_workers": "0"}


USERS = ("again: *loader\n", "again:\n  <<: *loader\n  num_workers: 2\n", "again: {<<: [*loader], shuffle: true}\n")


@dataclass(frozen=True)
class Mapping:
    """A YAML file with the mapping of a loader in it.

    ``style`` is ``"block"``, ``"item"`` (of a sequence), ``"flow"``, ``"lines"`` or ``"lines,"`` (flow over lines).
    ``user`` is what follows, such as another mapping that takes its entries from this one: the fault may be none there.
    """

    items: tuple[Item, ...]
    style: str = "block"
    indent: int = 2
    quote: str = ""
    anchor: str = ""
    start: str = ""
    user: str = ""

    @property
    def mended(self) -> Mapping:
        """The mapping without what is at fault; one that is used again stays, for who uses it may have workers."""
        has_workers = "num_workers" in self.user
        return self if has_workers else replace(self, items=tuple(item for item in self.items if not item.faulty))

    @property
    def text(self) -> str:
        """The file."""
        step = " " * self.indent
        entries = [Item("_target_", "torch.utils.data.DataLoader"), *self.items]
        end = f"epochs: 3\n{self.user}"
        head = f"{self.start}# The data é.\ndata:\n{step}name: digits\n{step}loader:{self.anchor}"
        written = [self._written(one, step * 2) for one in entries]
        if self.style == "flow":
            return f"{head} {{{', '.join(written)}}}  # all of it\n{end}"
        inside = step * 2 + ("  " if self.style == "item" else "")
        flow = self.style.startswith("lines")
        text = ""
        for number, (item, one) in enumerate(zip(entries, written, strict=True), start=1):
            comma = "," if flow and (number < len(entries) or self.style == "lines,") else ""
            above = f"{inside}# {item.above}\n" if item.above else ""
            text += f"{above}{inside}{one}{comma}{item.behind and '  # ' + item.behind}\n"
        if flow:
            return f"{head} {{\n{text}{step}}}\n{end}"
        if self.style == "item":
            return f"{head}\n{step * 2}- {text.removeprefix(inside)}{step * 2}- last\n{end}"
        return f"{head}\n{text}{end}"

    def _written(self, item: Item, inside: str) -> str:
        return f"{self.quote}{item.name}{self.quote}: {item.value.replace('{inside}', inside + '  ')}"


@st.composite
def mappings(draw: st.DrawFn) -> Mapping:
    """A mapping that gives at least one option that needs workers, and has none."""
    style = draw(st.sampled_from(["block", "block", "item", "flow", "lines", "lines,"]))
    items = []
    for item in draw(_items(YAML_SOUND)):
        ways = YAML_VALUES.get(item.name, (item.value,))
        items.append(replace(item, value=draw(st.sampled_from(ways if style in ("block", "item") else ways[:3]))))
    anchor = draw(st.sampled_from(["", " &loader"])) if style != "item" else ""
    return Mapping(
        items=tuple(items),
        style=style,
        indent=draw(st.sampled_from([2, 4])),
        quote=draw(st.sampled_from(["", "", '"', "'"])),
        anchor=anchor,
        start=draw(st.sampled_from(["", "---\n", "%YAML 1.1\n---\n"])),
        user=draw(st.sampled_from(["", "", *USERS])) if anchor else "",
    )
