"""Rewrites YAML by splicing exact places: nothing is ever dumped, so every byte outside them stays as it was.

The proof is made of the parser's events, which spell a document's tree in order: those of the new text must be those of
the old one, but for the values that were set and the entries that were dropped or added. Comments need no proof of
their own: they are bytes outside the places, and would change an event if they stopped being comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from loaderlint.model.edit import AddKey, Drop, Edit, MakeInteger, RemoveIgnore, SetValue
from loaderlint.model.source import Source, Span
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite, Replacement, Rewritten, splice
from loaderlint.writers.ignores import replacement_without
from loaderlint.writers.scalars import whole
from loaderlint.writers.yaml_adds import added
from loaderlint.writers.yaml_drops import joined, removable, removals
from loaderlint.writers.yaml_scalars import fits, typed
from loaderlint.writers.yaml_tokens import STANDARD, Member, Saying, Token, holds_comment, members, repeated, tokens

_CONTRADICTION = "two edits contradict each other"
_BETWEEN_TOKENS = re.compile(r"#[^\r\n]*|\s")


def rewrite(source: Source, edits: Iterable[Edit], *, pure: bool = False) -> Rewritten:
    """Return the source's text with these edits made.

    `SetValue`, `Drop`, `MakeInteger`, `AddKey` and `RemoveIgnore` are known here. An edit's platforms are not looked
    at, since YAML has no conditionals. ``pure`` forces ruamel.yaml's Python parser. Raises `CannotRewrite` when an edit
    cannot be made, when two contradict each other, or when anything else would change.
    """
    plan = _Plan(source, pure)
    plan.add(dict.fromkeys(edits))
    text = splice(source.text, plan.replacements)
    if tuple(token.says for token in tokens(text, pure=pure)) != plan.expected():
        raise CannotRewrite("something else in the file would change")
    return Rewritten(text, "a comment would be lost" if plan.loses_comment() else "")


class _Plan:
    """What will be spliced, and what the tokens must say then."""

    def __init__(self, source: Source, pure: bool) -> None:
        self.source = source
        self.stream = tokens(source.text, pure=pure)
        self.replacements: list[Replacement] = []
        self.changed: dict[int, Saying] = {}
        self.gone: set[int] = set()
        self.added: dict[int, tuple[Saying, ...]] = {}
        self.cleared: list[tuple[int, int]] = []

    def add(self, edits: Iterable[Edit]) -> None:
        """Plan all edits; entries of one mapping are dropped together, and so are names of one comment."""
        drops: dict[int, Drop] = {}
        ignored: dict[Span, list[str]] = {}
        for edit in edits:
            if isinstance(edit, SetValue):
                self._set(edit.span, edit.constant)
            elif isinstance(edit, MakeInteger):
                self._set(edit.span, self._whole(edit.span))
            elif isinstance(edit, Drop) and edit.entry is None:
                self._set(edit.span, edit.neutral)
            elif isinstance(edit, Drop) and edit.entry is not None:
                drops[self.source.offset(*edit.entry.start)] = edit
            elif isinstance(edit, AddKey):
                self._add_key(edit)
            elif isinstance(edit, RemoveIgnore):
                ignored.setdefault(edit.span, []).append(edit.name)
            else:
                raise CannotRewrite(f"YAML cannot say {type(edit).__name__}")
        self._drop(drops)
        self.replacements.extend(replacement_without(self.source, span, names) for span, names in ignored.items())

    def expected(self) -> tuple[Saying, ...]:
        """Return what the tokens of the new text must say."""
        for alias, anchored in repeated(self.stream).items():
            if anchored in self.gone and alias not in self.gone and alias not in self.changed:
                raise CannotRewrite("an alias repeats what would go")
        said: list[Saying] = []
        for index, token in enumerate(self.stream):
            said.extend(self.added.get(index, ()))
            if index not in self.gone:
                said.append(self.changed.get(index, token.says))
        return tuple(said)

    def loses_comment(self) -> bool:
        """Return whether a comment stands in what is taken away with a value or an entry."""
        text = self.source.text
        return any(holds_comment(text, self.stream, start, end) for start, end in self.cleared)

    def _set(self, span: Span, constant: Constant) -> None:
        self._write(self._find(span), self._offsets(span), constant)

    def _whole(self, span: Span) -> int:
        text = self.stream[self._find(span)].says.value
        number = whole(text)
        if number is None:
            raise CannotRewrite(f"{text!r} is no whole number")
        return number

    def _offsets(self, span: Span) -> tuple[int, int]:
        return self.source.offset(*span.start), self.source.offset(*span.end)

    def _find(self, span: Span) -> int:
        """Return the index of the scalar or alias that is written at ``span``."""
        start, end = self._offsets(span)
        for index, token in enumerate(self.stream):
            if token.says.kind not in ("Scalar", "Alias") or token.end < end:
                continue
            if token.start <= start if start < end else self._empty_at(token, start):
                return index
        raise CannotRewrite(f"no single value is written at {span}")

    def _empty_at(self, token: Token, place: int) -> bool:
        """Return whether an empty value belongs to ``place``; parsers put it there or where the next token begins."""
        says = token.says
        if says.kind != "Scalar" or says.value or says.style:
            return False
        return token.start <= place or not _BETWEEN_TOKENS.sub("", self.source.text[place : token.start])

    def _write(self, index: int, place: tuple[int, int], constant: Constant) -> None:
        """Plan that the scalar or alias at ``index``, whose value is written at ``place``, becomes a constant."""
        token, (start, end) = self.stream[index], place
        new = typed(constant, token.says.style)
        anchor, tag = (token.says.anchor, token.says.tag) if token.says.kind == "Scalar" else (None, None)
        if tag is not None and not fits(tag, constant):
            if anchor is not None or tag.startswith(STANDARD):
                raise CannotRewrite(f"the tag {tag} decides what the value is")
            start, tag = token.start, None
        gap = " " if start == end and self.source.text[start - 1 : start].strip(" \t") else ""
        self.replacements.append(Replacement(start, end, gap + new.written))
        self.cleared.append((start, end))
        says = Saying("Scalar", new.value, anchor, tag, new.style)
        if self.changed.setdefault(index, says) != says:
            raise CannotRewrite(_CONTRADICTION)

    def _add_key(self, edit: AddKey) -> None:
        start = self.source.offset(*edit.span.start)
        for mapping, entries in members(self.stream).items():
            if (entries and self.stream[entries[0].key].start == start) or self.stream[mapping].start == start:
                replacement, index, says = added(self.source.text, self.stream, self.stream[mapping], entries, edit)
                self.replacements.append(replacement)
                self.added[index] = (*self.added.get(index, ()), *says)
                return
        raise CannotRewrite(f"no mapping is written at {edit.span}")

    def _drop(self, drops: dict[int, Drop]) -> None:
        text, stream = self.source.text, self.stream
        waiting = dict(drops)
        stretches: list[tuple[int, int]] = []
        for mapping, entries in members(stream).items():
            starts = {stream[entry.key].start: number for number, entry in enumerate(entries)}
            chosen = {starts[start]: waiting.pop(start) for start in tuple(waiting) if start in starts}
            removed = removable(stream, entries, chosen)
            ends: dict[int, int] = {}
            for number, drop in chosen.items():
                assert drop.entry is not None
                if number in removed:
                    ends[number] = self.source.offset(*drop.entry.end)
                    self.gone.update(range(entries[number].key, entries[number].last + 1))
                else:
                    self._neutralise(entries[number], drop)
            stretches.extend(removals(text, stream, stream[mapping], entries, ends))
        if waiting:
            raise CannotRewrite(f"no entry is written at {next(iter(waiting.values())).entry}")
        self.cleared.extend(stretches)
        self.replacements.extend(Replacement(start, end, "") for start, end in joined(text, stretches))

    def _neutralise(self, entry: Member, drop: Drop) -> None:
        token = self.stream[entry.value]
        if token.says.kind == "Alias":
            self._write(entry.value, (token.start, token.end), drop.neutral)
        elif token.says.kind == "Scalar":
            self._write(entry.value, self._offsets(drop.span), drop.neutral)
        else:
            raise CannotRewrite(f"{drop.option} holds more than a value")
