"""What must hold when a mutant is linted and fixed, whatever its bytes are."""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import itertools
import json
import os
import re
import sys
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from loaderlint.cli import run
from loaderlint.discovery import decoded
from loaderlint.model.source import NOTEBOOK, Language, Source
from loaderlint.vocabulary.prefilter import may_matter

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIMIT = 10
"""Seconds of processor time that a run may take."""
REFUSED = (
    "as a key",
    "without loss",
    "levels deep",
    "is UTF-16",
    "deeply nested",
    "nested too deeply",
    " is not ",
    "is no text",
    "no notebook of format 4",
    "half a character",
    "only loaderlint writes",
    "no anchor",
    "<document start>",
)
"""What loaderlint says of files that a parser takes and that it leaves alone."""
OPTIONS = ("--isolated", "--pedantic", "--platform=linux", "--platform=windows", "--python=3.14", "--cpus=4")

LONG = 100_000
"""Characters beyond which YAML is parsed by the C parser alone, which refuses a little of what the other reads."""

Files: TypeAlias = dict[str, bytes]
Said: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Mutant:
    """A mutated file, and the project it is tried in; ``origin`` is the file it was made of."""

    number: int
    kind: str
    origin: str
    path: str
    files: Files
    unsafe: bool


class Wrong(Exception):
    """Raised with what a run did that no run may do."""


def tried(one: Mutant, folder: Path) -> Said:
    """Return the report of fixing a mutant in an empty folder; raises `Wrong`, or what loaderlint fell over."""
    (folder / ".git").mkdir()
    write(folder, one.files)
    fix = ("--fix", "--unsafe-fixes") if one.unsafe else ("--fix",)
    said = answer(folder, one, *fix)
    check_unreadable(one, said)
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    if after.keys() != one.files.keys():
        raise Wrong(f"files came or went: {sorted(after.keys() ^ one.files.keys())}")
    changed = [path for path in after if after[path] != one.files[path]]
    if bool(changed) != bool(said["fixed"]):
        raise Wrong(f"{len(said['fixed'])} findings are said to be fixed, and {len(changed)} files changed")
    for path in changed:
        check_written(path, one.files[path], after[path], said["fixed"])
    if changed:
        again = answer(folder, one, *fix)
        if again["fixed"] or places(again["findings"]) != places(said["findings"]):
            raise Wrong("a second run finds or mends something else")
        write(folder, one.files)
        check_gone(answer(folder, one)["findings"], said["fixed"], again["findings"])
    return said


def write(folder: Path, files: Files) -> None:
    """Write files into a folder."""
    for path, content in files.items():
        (folder / path).write_bytes(content)


def answer(folder: Path, one: Mutant, *options: str) -> Said:
    """Return the report of a run over a mutant, which holds together."""
    out, err = io.StringIO(), io.StringIO()
    os.chdir(folder)
    start = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([*OPTIONS, *options, "--format=json", "./" + one.path])
    if (took := time.process_time() - start) > LIMIT:
        raise Wrong(f"it took {took:.1f} s")
    if err.getvalue():
        raise Wrong(f"standard error says: {err.getvalue()}")
    said: Said = json.loads(out.getvalue())
    if code != (2 if said["errors"] else 1 if said["findings"] else 0):
        raise Wrong(f"exit code {code}")
    for place in (*said["errors"], *said["findings"]):
        lines = len(re.split(rb"\r\n?|\n", (folder / place["path"]).read_bytes()))
        placed = place["column"] >= 1 and place["line"] >= 1 and ("cell" in place or place["line"] <= lines)
        if not (placed and place["message"].strip()):
            raise Wrong(f"no place, or nothing said: {place}")
    return said


def check_unreadable(one: Mutant, said: Said) -> None:
    """Raise `Wrong` when a file that cannot be parsed is no error, or one that can be is."""
    errors = [error["message"] for error in said["errors"] if error["path"] == one.path]
    # A YAML file without a loader's word may be a template of anything, and is nobody's mistake.
    if any(words in error for error in errors for words in REFUSED) or not may_matter(one.files[one.path]):
        return
    if one.path.endswith((".yaml", ".yml")) and is_disputed(one.files[one.path]):
        return
    reason = unparsed(one.path, one.files[one.path])
    if reason and said["files_read"] and not errors:
        raise Wrong(f"nothing is said of {reason}")
    if errors and not reason:
        raise Wrong(f"it can be parsed, but: {errors[0]}")


def unparsed(path: str, content: bytes) -> str:
    """Return why content cannot be parsed, without asking loaderlint; nothing when it can be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if path.endswith(".py"):
                ast.parse(content)
            elif path.endswith((".json", NOTEBOOK)):
                json.loads(content.decode("utf-8-sig"))
            elif path.endswith(".toml"):
                tomllib.loads(content.decode("utf-8-sig"))
            elif path.endswith((".yaml", ".yml")):
                check_yaml(content.decode())
    except (ValueError, SyntaxError, RecursionError, MemoryError, LookupError, yaml.YAMLError) as error:
        return repr(error)
    return ""


def check_yaml(text: str) -> None:
    """Raise PyYAML's error when neither of its parsers reads a text; the one in Python takes long for a long one."""
    try:
        deque(yaml.parse(text, Loader=yaml.CSafeLoader), maxlen=0)
    except yaml.YAMLError:
        if len(text) > LONG:
            raise
        deque(yaml.parse(text, Loader=yaml.SafeLoader), maxlen=0)


def is_disputed(content: bytes) -> bool:
    """Return whether some parsers of YAML read a text and others do not, so that both answers are right.

    An empty key without a question mark and a tab before a comment are YAML 1.2, a byte order mark in the middle is
    nothing to libyaml.
    """
    text = content.decode(errors="replace")
    if len(text) > LONG:
        return False
    parsers: list[Callable[[str], Iterable[object]]] = [
        partial(yaml.parse, Loader=yaml.CSafeLoader),
        partial(yaml.parse, Loader=yaml.SafeLoader),
        YAML(pure=True).parse,
    ]
    return len({_reads(parse, text) for parse in parsers}) > 1


def _reads(parse: Callable[[str], Iterable[object]], text: str) -> bool:
    try:
        deque(parse(text), maxlen=0)
    except (yaml.YAMLError, YAMLError, RecursionError, ValueError):
        return False
    return True


def check_written(path: str, before: bytes, after: bytes, fixed: Sequence[Said]) -> None:
    """Raise `Wrong` when what was written does not parse, or is something else than the fixes say."""
    reason = unparsed(path, after)
    if reason and not unparsed(path, before):
        raise Wrong(f"{path} parses no more: {reason}")
    several = [[edit for edit in one["fix"]["edits"] if edit["path"] == path] for one in fixed]
    edits = [edit for edits in several for edit in edits]
    if not edits:
        raise Wrong(f"{path} was written, and no fix is about it")
    language = Language.of(path)
    assert language is not None
    source, now = (decoded(content, path, path, language) for content in (before, after))
    if not (isinstance(source, Source) and isinstance(now, Source)):
        raise Wrong(f"{path} can be decoded no more")
    if path.endswith(NOTEBOOK):
        if bare(before) != bare(after):
            raise Wrong("something outside the cells has changed")
    elif spliced(source, edits) != now.text and (sum(map(bool, several)) == 1 or more_than(source, now, edits)):
        raise Wrong(f"{path} has changed elsewhere than the fixes say")


def bare(notebook: bytes) -> Said:
    """Return what a notebook holds but the sources of its cells."""
    held: Said = json.loads(notebook)
    return {**held, "cells": [isinstance(cell, dict) and {**cell, "source": ""} for cell in held["cells"]]}


def spliced(source: Source, edits: Sequence[Said]) -> str | None:
    """Return the text with the edits made, None when they are not all about this text."""
    try:
        places = [
            (source.offset(edit["line"], edit["column"]), source.offset(edit["end_line"], edit["end_column"]))
            for edit in edits
        ]
    except IndexError:
        return None
    made = sorted({(*place, edit["content"]) for place, edit in zip(places, edits, strict=True)}, reverse=True)
    text = source.text
    for start, end, content in made:
        text = text[:start] + content + text[end:]
    apart = all(later[0] >= earlier[1] for later, earlier in itertools.pairwise(made))
    return text if apart else None


def more_than(source: Source, now: Source, edits: Sequence[Said]) -> bool:
    """Return whether more lines have changed than edits of several rounds, each in the text of its own, say."""
    matcher = difflib.SequenceMatcher(None, source.text.splitlines(), now.text.splitlines(), autojunk=False)
    hunks = [hunk[1:] for hunk in matcher.get_opcodes() if hunk[0] != "equal"]
    gone = sum(end - start for start, end, _, _ in hunks)
    come = sum(end - start for _, _, start, end in hunks)
    say_gone = sum(1 + int(one["end_line"]) - int(one["line"]) for one in edits)
    say_come = sum(len(f"{one['content']}.".splitlines()) for one in edits)
    return gone > say_gone or come > say_come


def places(findings: Sequence[Said]) -> list[tuple[object, ...]]:
    """Return what makes the findings of two runs over the same files the same."""
    return [(one["path"], one.get("cell"), one["line"], *fault(one)) for one in findings]


def fault(finding: Said) -> tuple[str, str]:
    """Return what findings of the same fault share."""
    return finding["code"], finding["message"]


def check_gone(before: Sequence[Said], fixed: Sequence[Said], after: Sequence[Said]) -> None:
    """Raise `Wrong` when a finding of the files as they were is said to be fixed and still shows."""
    left = Counter(map(fault, before))
    for one, count in Counter(map(fault, fixed)).items():
        if left[one] >= count and Counter(map(fault, after))[one] > left[one] - count:
            raise Wrong(f"said to be fixed and still there: {one[0]} {one[1]}")
