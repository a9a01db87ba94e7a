"""Writes small programs that hand numbers about before they make loaders with them, and runs them for real.

Every number written is another one, so that where it arrives tells where it came from. What a program cannot know are
its flags, each read at one place only; they have every combination of answers in turn.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from contextlib import suppress
from itertools import product
from types import CodeType, ModuleType
from unittest.mock import patch

from hypothesis import strategies as st

MOST_FLAGS = 4
HEADER = """\
from contextlib import suppress
from copy import deepcopy
from functools import partial
from flags import flag1, flag2, flag3, flag4
from flags import fail_if
from torch.utils.data import DataLoader
"""


class Writing:
    """A program being written: its lines, and what it can use at this point."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.flags = 0
        self.number = 0
        self.definitions = 0
        self.turning = False
        """Whether this is inside a loop."""
        self.guarded = False
        """Whether this is inside a body where nothing may raise but what is written to."""

    def pick(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def chance(self) -> bool:
        return self.draw(st.booleans())

    def constant(self) -> str:
        self.number += 1
        return str(self.number + 1)

    def flag(self, names: tuple[str, ...]) -> str:
        """A question: one nobody can answer, or, when there are enough of those, one about a number."""
        if self.flags < MOST_FLAGS and self.draw(st.integers(0, 3)):
            self.flags += 1
            return f"flag{self.flags}"
        if self.turning:
            return "0 > 0"
        return f"{self.pick(*names)} {self.pick('>', '<=', '==', '!=')} {self.draw(st.integers(0, self.number + 1))}"

    def value(self, names: tuple[str, ...]) -> str:
        kinds = ["constant", "constant", "name", "name", "sum", "choice", "half", "or"]
        if self.turning:
            # What a turn works out of an earlier one's is not followed, and what depends on it may be anything.
            return f"({self.constant()} if {self.flag(names)} else {self.constant()})"
        kind = self.pick(*kinds, *(() if self.guarded else ("max", "item", "not")))
        if kind == "name":
            return self.pick(*names)
        if kind == "sum":
            return f"{self.pick(*names)} + {self.constant()}"
        if kind == "half":
            return f"{self.pick(*names)} // 2"
        if kind == "max":
            return f"max({self.pick(*names)}, {self.constant()})"
        if kind == "or":
            return f"({self.pick(*names)} and {self.constant()})"
        if kind == "not":
            return f"int(not {self.pick(*names)})"
        if kind == "item":
            return f"({self.pick(*names)}, {self.constant()})[{self.pick('0', '1', '-1')}]"
        if kind == "choice":
            return f"({self.constant()} if {self.flag(names)} else {self.pick(*names)})"
        return self.constant()

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # --- statements ---

    def block(self, depth: int, names: tuple[str, ...], inside: str, most: int = 2) -> None:
        for _ in range(self.draw(st.integers(1, most))):
            self.statement(depth, names, inside)

    def statement(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        kinds = ["assign", "assign", "pair", *([] if self.turning else ["augment"])]
        if depth < 2:
            kinds += ["if", "if", "for", "while", "match"]
        if not self.guarded:
            kinds += ["loader", "loader"]
        if depth < 2 and not self.guarded:
            kinds += ["try", "with", "rows", "settings"]
        if "loop" in inside:
            kinds += ["continue"]
        if "function" in inside and depth == 1:
            kinds += ["return"]
        if depth == 0:
            kinds += ["function", "function", "object", "partial", "global", "lambda"]
        getattr(self, f"on_{self.pick(*kinds)}")(depth, names, inside)

    def on_assign(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"{self.pick(*names)} = {self.value(names)}")

    def on_pair(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        first, second = names[:2]
        text = self.pick("{}, {} = {}, {}", "{}, *{} = {}, {}")
        if "*" in text:
            self.line(depth, f"{first}, *(rest,) = {self.value(names)}, {self.value(names)}")
            self.line(depth, f"{second} = rest")
        else:
            self.line(depth, text.format(first, second, self.value(names), self.value(names)))

    def on_augment(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"{self.pick(*names)} {self.pick('+=', '//=', '*=', '%=')} {self.constant()}")

    def on_loader(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"DataLoader(data, num_workers={self.pick(self.pick(*names), self.value(names))})")

    def on_if(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"if {self.flag(names)}:")
        self.block(depth + 1, names, inside)
        if self.chance():
            self.line(depth, "else:")
            self.block(depth + 1, names, inside)

    def on_for(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"for {self.pick(*names)} in ({self.value(names)}, {self.value(names)}):")
        turning, self.turning = self.turning, True
        self.block(depth + 1, names, f"{inside} loop")
        self.turning = turning
        if self.chance():
            self.line(depth, "else:")
            self.block(depth + 1, names, inside, 1)

    def on_while(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"while {self.flag(names)}:")
        turning, self.turning = self.turning, True
        self.block(depth + 1, names, inside.replace("loop", ""))
        self.turning = turning
        self.line(depth + 1, "break")

    def on_try(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, "try:")
        self.guarded = True
        if self.chance():
            self.block(depth + 1, names, inside, 1)
        if self.flags < MOST_FLAGS:
            self.flags += 1
            self.line(depth + 1, f"fail_if(flag{self.flags})")
        else:
            self.line(depth + 1, "raise ValueError")
        self.block(depth + 1, names, inside, 2)
        self.guarded = False
        self.line(depth, "except ValueError:")
        self.block(depth + 1, names, inside, 2)
        if self.chance():
            self.line(depth, "finally:")
            self.block(depth + 1, names, "", 1)

    def on_match(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"match {self.value(names)}:")
        self.line(depth + 1, f"case {self.draw(st.integers(1, self.number + 1))}:")
        self.block(depth + 2, names, inside, 1)
        if self.chance():
            self.line(depth + 1, "case _:")
            self.block(depth + 2, names, inside, 1)

    def on_with(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, "with suppress(ValueError):")
        self.guarded = True
        self.block(depth + 1, names, inside, 1)
        if self.flags < MOST_FLAGS:
            self.flags += 1
            self.line(depth + 1, f"fail_if(flag{self.flags})")
        self.block(depth + 1, names, inside, 1)
        self.guarded = False

    def on_rows(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        row = f"({self.value(names)}, {self.value(names)})"
        condition = self.pick("", f" if i > {self.draw(st.integers(0, self.number))}")
        made = self.pick(
            f"[DataLoader(data, num_workers=i) for i in {row}{condition}]",
            f"{{s: DataLoader(data, num_workers={self.constant()} if s == 'train' else {self.pick(*names)})"
            " for s in ('train', 'test')}",
            f"for i in [i + {self.constant()} for i in {row}]: DataLoader(data, num_workers=i)",
            f"for s, i in zip('ab', {row}): DataLoader(data, num_workers=i)",
            f"for s, i in dict(a={self.constant()}, b={self.pick(*names)}).items(): DataLoader(data, num_workers=i)",
        )
        self.line(depth, made)

    def on_settings(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        start = self.pick("{{}}", '{{"num_workers": {}}}', "dict(num_workers={})").format(self.value(names))
        self.line(depth, f"settings = {start.replace('{{}}', '{}')}")
        for _ in range(self.draw(st.integers(0, 3))):
            within = depth
            if self.chance():
                self.line(depth, f"if {self.flag(names)}:")
                within += 1
            change = self.pick(
                'settings["num_workers"] = {}',
                "settings.update(num_workers={})",
                'settings.update({{"num_workers": {}}})',
                'settings.setdefault("num_workers", {})',
                'settings = {{**settings, "num_workers": {}}}',
                "settings = settings | dict(num_workers={})",
                "settings |= dict(num_workers={})",
                'settings.pop("num_workers", {})',
                "settings = dict(settings, num_workers={})",
                "settings = deepcopy(settings); settings['num_workers'] = {}",
                'settings = {{k: v for k, v in settings.items() if k != "{}"}}',
            )
            self.line(within, change.format(self.value(names)))
        self.line(
            depth,
            self.pick("DataLoader(data, **settings)", 'DataLoader(data, num_workers=settings.get("num_workers", 0))'),
        )

    def on_continue(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"if {self.flag(names)}:")
        self.line(depth + 1, "continue")

    def on_return(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(depth, f"if {self.flag(names)}:")
        self.line(depth + 1, f"return {self.value(names)}")

    # --- definitions ---

    def on_function(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.definitions += 1
        name = f"function{self.definitions}"
        flags = self.flags
        self.line(0, f"def {name}(p, q={self.constant()}):")
        self.line(1, f"r = {self.constant()}")
        self.block(1, ("p", "q", "r"), "function")
        self.line(1, f"DataLoader(data, num_workers={self.value(('p', 'q', 'r'))})")
        self.line(1, f"return {self.value(('p', 'q', 'r'))}")
        # Two calls of one function would answer its flags alike, which nobody can see from one call alone.
        for _ in range(1 if self.flags > flags else 2):
            given = self.pick("{}", "{}, {}", "{}, q={}", "*({}, {})", "**dict(p={})", "q={}, p={}")
            call = given.format(self.value(names), self.value(names))
            self.line(0, f"{self.pick('', self.pick(*names) + ' = ')}{name}({call})")

    def on_lambda(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.definitions += 1
        make = f"make{self.definitions}"
        self.line(0, f"{make} = lambda p: DataLoader(data, num_workers={self.pick('p', self.value(names))})")
        self.line(0, f"{make}({self.value(names)})")

    def on_partial(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.line(0, f"make = partial(DataLoader, num_workers={self.value(names)})")
        if self.chance():
            self.line(0, "make(data)")
        self.line(0, f"make(data, num_workers={self.value(names)})")

    def on_global(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.definitions += 1
        chosen = self.pick(*names)
        self.line(0, f"def change{self.definitions}():")
        self.line(1, f"global {chosen}")
        if self.chance():
            self.line(1, f"if {self.flag(names)}:")
            self.line(2, f"{chosen} = {self.constant()}")
        else:
            self.line(1, f"{chosen} = {self.constant()}")
        self.line(0, f"change{self.definitions}()")

    def on_object(self, depth: int, names: tuple[str, ...], inside: str) -> None:
        self.definitions += 1
        name = f"Class{self.definitions}"
        own = ("p",)
        self.line(0, f"class {name}:")
        self.line(1, f"n = {self.constant()}")
        self.line(1, f"m = {self.constant()}")
        self.line(1, f"def __init__(self, p={self.constant()}):")
        if self.chance():
            self.line(2, f"if {self.flag(('p',))}:")
            self.line(3, f"self.n = {self.value(own)}")
        else:
            self.line(2, f"self.n = {self.value(own)}")
        if self.chance():
            self.line(2, f"self.n {self.pick('+=', '//=')} {self.constant()}")
        if self.chance():
            self.line(1, "@property")
            self.line(1, f"def m(self): return self.n {self.pick('+', '//', '*')} {self.constant()}")
        made = name
        if self.chance():
            made = f"{name}Heir"
            self.line(0, f"class {made}({name}):")
            self.line(1, f"m = {self.constant()}" if self.chance() else "pass")
            if self.chance():
                self.line(1, "def __init__(self, **kwargs):")
                self.line(2, f"super().__init__(p={self.constant()}, **kwargs)")
                self.line(2, f"self.n = {self.pick('', 'self.n + ')}{self.constant()}")
                made_call = f"{made}()"
            else:
                made_call = f"{made}({self.value(names)})"
        else:
            made_call = f"{made}({self.pick('', self.value(names))})"
        self.line(0, f"thing = {made_call}")
        if self.chance():
            self.line(0, f"thing.n = {self.value(names)}")
        read = self.pick("thing.n", "thing.m", 'getattr(thing, "n")', f'getattr(thing, "z", {self.constant()})')
        self.line(0, f"DataLoader(data, num_workers={read})")


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, int]:
    """A program, and how many flags it reads."""
    writing = Writing(draw)
    for name in ("a", "b", "c"):
        writing.line(0, f"{name} = {writing.constant()}")
    writing.block(0, ("a", "b", "c"), "", 4)
    writing.line(0, f"DataLoader(data, num_workers={draw(st.sampled_from(['a', 'b', 'c']))})")
    return HEADER + "\n".join(writing.lines) + "\n", writing.flags


class Flag:
    """Something nobody can see through; each time it is asked it may answer otherwise."""

    def __init__(self, answers: tuple[bool, ...]) -> None:
        self.answers = answers
        self.asked = 0

    def __bool__(self) -> bool:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def arrivals(text: str, flags: int) -> dict[int, set[object]]:
    """What each line's loader is really given, over all answers of the flags; None where nothing is given."""
    found: dict[int, set[object]] = defaultdict(set)
    code = compile(text, "main.py", "exec")
    # A loop has two turns at most, and no flag is asked anywhere else more than once.
    answers = tuple(product((False, True), repeat=2))
    for given in product(answers, repeat=flags):
        run(code, [*given, *[(False,)] * (MOST_FLAGS - flags)], found)
    return found


def run(code: CodeType, answers: list[tuple[bool, ...]], found: dict[int, set[object]]) -> None:
    """Run a program once with a stand-in for the loader that notes what it is given at each line."""

    def fail_if(flag: Flag) -> None:
        if flag:
            raise ValueError

    class DataLoader:
        def __init__(self, data: object, **options: object) -> None:
            found[sys._getframe(1).f_lineno].add(options.get("num_workers"))

    flags = ModuleType("flags")
    flags.__dict__.update({f"flag{index + 1}": Flag(one) for index, one in enumerate(answers)}, fail_if=fail_if)
    data = ModuleType("torch.utils.data")
    data.__dict__["DataLoader"] = DataLoader
    with patch.dict(sys.modules, {"flags": flags, "torch.utils.data": data}), suppress(ValueError):
        exec(code, {"__name__": "main", "data": []})
