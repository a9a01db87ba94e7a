"""What can happen to a file on its way to a linter: each kind of mutation takes its bytes and gives back others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Mutation = Callable[[Random, bytes, bytes], bytes]
"""Returns a mutant of the first content; the second is that of some other file, to take something from."""

MEBIBYTE = 1 << 20
ODD_VALUES = rb"""
    -1 0 1e999 -0.0 nan .inf 0x_f 0o17 190:20:30 None ~ null True yes '' "4" [] {} [4] {a:4} b'4' ... !!int !env &a *a
    ${workers} {{workers}} $SLURM_CPUS_PER_TASK <<: |2- >+ # - ? % @ ` lambda:0 (yield) *x **x x:=4
""".split()
PIECES = (
    *(b"\\", b"#", b"'", b'"', b'"""', b"(", b")", b"[", b"]", b"{", b"}", b":", b",", b"=", b";", b"*", b"**", b"@"),
    *(b" # loaderlint: ignore", b" # loaderlint: ignore[LL201, x]", b"# loaderlint: ignore-file[ALL]\n"),
    *(b"async ", b"await ", b"global ", b"del ", b"import *\n", b"---\n", b"...\n", b"<<EOF\n", b"$(", b"`", b"&&"),
)
CODECS = ("latin-1", "cp1252", "utf-7", "utf-16", "utf-32", "shift_jis", "gb18030", "koi8-r", "cp037", "utf-8-sig")
COOKIES = (*CODECS, "hex", "rot13", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "none", "")
MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff", b"+/v8", b"\xef\xbb")
LINE_ENDS = (b"\n", b"\r\n", b"\r", b"\n\r", b"\r\r\n", b"\x0b", b"\x0c", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8")
TEXTS = ("é", "größe", "№ 数据", "🔥", "\u200b", "\u202e", "ﬁ", "İ", "\x7f", "\x1b[31m")
LINE = re.compile(rb"[^\n]*\n|[^\n]+")
TOKEN = re.compile(rb"\w+|[^\w\s]")
NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


def _pieces(content: bytes, pattern: re.Pattern[bytes]) -> list[bytes]:
    """Return the content in pieces, those that match the pattern at the odd places."""
    return re.split(b"(" + pattern.pattern + b")", content)


def _some(chance: Random, places: Sequence[int], most: int = 4) -> list[int]:
    return chance.sample(places, min(len(places), chance.randint(1, most)))


def _inserted(chance: Random, content: bytes, piece: bytes) -> bytes:
    place = chance.randrange(len(content) + 1)
    return content[:place] + piece + content[place:]


def _replaced(chance: Random, content: bytes, pattern: re.Pattern[bytes], by: Callable[[bytes], bytes]) -> bytes:
    """Return the content with a few of what matches replaced."""
    pieces = _pieces(content, pattern)
    for place in _some(chance, range(1, len(pieces), 2)):
        pieces[place] = by(pieces[place])
    return b"".join(pieces)


def truncated(chance: Random, content: bytes, other: bytes) -> bytes:
    """The content ends somewhere."""
    return content[: chance.randrange(len(content) + 1)]


def flipped(chance: Random, content: bytes, other: bytes) -> bytes:
    """Single bits are other bits."""
    changed = bytearray(content)
    for place in _some(chance, range(len(changed)), 8):
        changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


def other_encoding(chance: Random, content: bytes, other: bytes) -> bytes:
    """All of it, or a few characters, are in another encoding."""
    codec, text = chance.choice(CODECS), content.decode(errors="replace")
    if chance.random() < 0.4:
        return text.encode(codec, errors="replace")
    return _inserted(chance, content, chance.choice(TEXTS).encode(codec, errors="replace"))


def nul_bytes(chance: Random, content: bytes, other: bytes) -> bytes:
    """There are NUL bytes."""
    return _inserted(chance, content, b"\0" * chance.choice([1, 1, 2, 100]))


def surrogates(chance: Random, content: bytes, other: bytes) -> bytes:
    """Half characters stand where tokens stood, as escapes or as bytes."""
    odd = chance.choice(
        [rb'"\ud800"', rb'"\udfff\ud800"', rb"\ud83d", b"'\xed\xa0\x80'", b"\xed\xbf\xbf", b'"\\U00110000"']
    )
    return _replaced(chance, content, TOKEN, lambda token: odd)


def byte_order_marks(chance: Random, content: bytes, other: bytes) -> bytes:
    """There is a byte order mark, or two, or one where none can be."""
    mark = chance.choice(MARKS)
    return chance.choice(
        [mark + content, mark + mark + content, b"\n" + mark + content, _inserted(chance, content, mark)]
    )


def line_ends(chance: Random, content: bytes, other: bytes) -> bytes:
    """Lines end in several ways, some of which only look like ends."""
    ends = chance.sample(LINE_ENDS[: chance.choice([3, 3, len(LINE_ENDS)])], chance.randint(1, 3))
    return re.sub(rb"\r?\n", lambda end: chance.choice(ends), content)


def no_last_line_end(chance: Random, content: bytes, other: bytes) -> bytes:
    """The last line ends in another way, or not."""
    return content.rstrip(b"\r\n") + chance.choice([b"", b"\\", b" ", b"\t", b"\x1a", b"#", b"\n\n\n", b"\\\n"])


def form_feeds(chance: Random, content: bytes, other: bytes) -> bytes:
    """Lines begin with white space that is none of the usual."""
    odd = chance.choice([b"\f", b"\x0b", b"\x1c", b"\xc2\xa0", b"\xe3\x80\x80", b"\xef\xbb\xbf", b"\f\n"])
    return _replaced(chance, content, LINE, lambda line: odd + line)


def cookies(chance: Random, content: bytes, other: bytes) -> bytes:
    """One of the first lines names an encoding (PEP 263)."""
    cookie = f"# -*- coding: {chance.choice(COOKIES)} -*-".encode()
    lines = content.split(b"\n")
    lines.insert(chance.randrange(3), cookie)
    return b"\n".join(lines)


def tabs(chance: Random, content: bytes, other: bytes) -> bytes:
    """Tabs stand where spaces stood."""
    width, share = chance.choice([2, 4, 8]), chance.choice([0.1, 1])

    def tabbed(spaces: re.Match[bytes]) -> bytes:
        return b"\t" * (len(spaces[0]) // width) if chance.random() < share else spaces[0]

    return re.sub(rb"^ {2,}" if chance.random() < 0.7 else rb" +", tabbed, content, flags=re.MULTILINE)


def indents(chance: Random, content: bytes, other: bytes) -> bytes:
    """A few lines are indented otherwise."""
    change = chance.choice([lambda line: b" " + line, lambda line: b"    " + line, bytes.lstrip, lambda line: line[2:]])
    return _replaced(chance, content, LINE, change)


def lines_twice(chance: Random, content: bytes, other: bytes) -> bytes:
    """A few lines are there twice, or all of them."""
    return content * 2 if chance.random() < 0.1 else _replaced(chance, content, LINE, lambda line: line * 2)


def lines_removed(chance: Random, content: bytes, other: bytes) -> bytes:
    """A few lines are gone."""
    return _replaced(chance, content, LINE, lambda line: b"")


def lines_swapped(chance: Random, content: bytes, other: bytes) -> bytes:
    """A few lines have changed places."""
    return _swapped(chance, content, LINE)


def tokens_swapped(chance: Random, content: bytes, other: bytes) -> bytes:
    """A few tokens have changed places."""
    return _swapped(chance, content, TOKEN)


def _swapped(chance: Random, content: bytes, pattern: re.Pattern[bytes]) -> bytes:
    pieces = _pieces(content, pattern)
    places = _some(chance, range(1, len(pieces), 2))
    for place, piece in zip(places, [pieces[place] for place in [*places[1:], *places[:1]]], strict=True):
        pieces[place] = piece
    return b"".join(pieces)


def tokens_from_elsewhere(chance: Random, content: bytes, other: bytes) -> bytes:
    """A few tokens are those of another file."""
    tokens = TOKEN.findall(other) or [b""]
    return _replaced(chance, content, TOKEN, lambda token: chance.choice(tokens))


def odd_values(chance: Random, content: bytes, other: bytes) -> bytes:
    """Values, mostly numbers, are what nobody expects there."""
    values = [*ODD_VALUES, b"9" * 5000]
    return _replaced(chance, content, NUMBER if chance.random() < 0.8 else TOKEN, lambda token: chance.choice(values))


def odd_pieces(chance: Random, content: bytes, other: bytes) -> bytes:
    """A piece of syntax stands where it means something else."""
    return _inserted(chance, content, chance.choice([*PIECES, *ODD_VALUES]))


def comments(chance: Random, content: bytes, other: bytes) -> bytes:
    """A few lines end in a comment."""
    text = chance.choice([b"  # why", b"  # loaderlint: ignore", b"  # type: ignore", "  # größe".encode()])
    return _replaced(chance, content, LINE, lambda line: line.removesuffix(b"\n") + text + b"\n")


def spliced(chance: Random, content: bytes, other: bytes) -> bytes:
    """A stretch of another file stands in this one."""
    start = chance.randrange(len(other) + 1)
    return _inserted(chance, content, other[start : start + chance.choice([10, 200, 5000])])


def deep(chance: Random, content: bytes, other: bytes) -> bytes:
    """Something is nested, or repeated, far too deeply."""
    depth = chance.choice([20, 90, 150, 400, 1000, 5000, 50_000])
    before, after = chance.choice(
        [(b"[", b"]"), (b"(", b")"), (b"{a: ", b"}"), (b"-", b""), (b"not ", b""), (b"x.", b"")]
    )
    if chance.random() < 0.3:
        word = chance.choice([b"a:", b"if x:", b"- a:", b"for x in y:"])
        return content + b"\n".join(b" " * level + word for level in range(min(depth, 2000)))
    return _replaced(chance, content, NUMBER, lambda number: before * depth + number + after * depth)


def huge_line(chance: Random, content: bytes, other: bytes) -> bytes:
    """One line has up to 10 MiB."""
    filling = chance.choice([b"x", b"x ", b"\\", b"\xc3\xa9", b"'", b"1", b"a.", b"$x"])
    filling *= chance.choice([MEBIBYTE // 10, MEBIBYTE // 10, 10 * MEBIBYTE]) // len(filling)
    quoted = chance.choice([b"# " + filling, b'x = "' + filling + b'"', b"x: '" + filling + b"'"])
    lines = content.split(b"\n")
    lines.insert(chance.randrange(len(lines) + 1), quoted)
    return b"\n".join(lines)


def anchors(chance: Random, content: bytes, other: bytes) -> bytes:
    """There are bombs of aliases, circles of them, and anchors that nobody expects."""
    levels, width = chance.randint(3, 14), chance.choice([2, 10])
    lists = [b"a0: &a0 {num_workers: 0, prefetch_factor: 4}"]
    lists += [b"a%d: &a%d [%s]" % (n, n, b", ".join([b"*a%d" % (n - 1)] * width)) for n in range(1, levels)]
    merges = [one.replace(b"[", b"{<<: [").replace(b"]", b"]}") for one in lists]
    circle = [b"a: &a", b"  <<: *a", b"  num_workers: *a", b"b: &b [*b, *a]", b"*b : *b"]
    anchored = b"\n".join(chance.choice([lists, merges, circle]))
    if chance.random() < 0.5:
        return chance.choice([anchored + b"\n" + content, content + b"\n" + anchored + b"\n"])
    named = chance.choice([b"&a ", b"*a ", b"&a &b ", b"!!str ", b"!x &a ", b"<<: *a\n"])
    return _replaced(chance, content, NUMBER if chance.random() < 0.7 else TOKEN, lambda number: named + number)


def odd_cells(chance: Random, content: bytes, other: bytes) -> bytes:
    """One cell of the notebook is like none that an editor writes; what is no notebook stays as it is."""
    try:
        notebook = json.loads(content)
        cell: dict[str, Any] = chance.choice(notebook["cells"])
    except (ValueError, LookupError, TypeError):
        return content
    source = cell.get("source", "")
    text = "".join(source) if isinstance(source, list) else str(source)
    sources: list[object] = [None, 4, [None], [[text]], {}, text, text.splitlines(), [*text], text.splitlines(True) * 2]
    sources += [
        first + text for first in ("%%bash\n", "%%time\n", "%pip x\n", "!ls\n", "x = !ls\n", "\r", "\ufeff", "?\n")
    ]
    key = chance.choice(["source", "source", "source", "cell_type", "metadata", "outputs", "id"])
    cell[key] = chance.choice(sources if key == "source" else [None, 4, "code", "raw", [], {}, "\ud800"])
    if chance.random() < 0.2:
        notebook[chance.choice([*notebook])] = chance.choice([None, [], {}, 3, [cell], {"cells": [cell]}])
    indent, ascii_only = chance.choice([None, 0, 1, "\t"]), chance.random() < 0.5
    return json.dumps(notebook, indent=indent, ensure_ascii=ascii_only).encode(errors="surrogatepass")


KINDS: dict[str, Mutation] = {
    kind.__name__.replace("_", " "): kind
    for kind in (
        *(truncated, flipped, other_encoding, nul_bytes, surrogates, byte_order_marks, line_ends, no_last_line_end),
        *(form_feeds, cookies, tabs, indents, lines_twice, lines_removed, lines_swapped, tokens_swapped),
        *(tokens_from_elsewhere, odd_values, odd_pieces, comments, spliced, deep, huge_line, anchors, odd_cells),
    )
}
"""The kinds of mutation by what they are called."""
