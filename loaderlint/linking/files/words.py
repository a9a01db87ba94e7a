"""Which words a file's text mentions, asked of each of its words once instead of the whole text."""

from __future__ import annotations

import re
import string

_OF_WORDS = frozenset(f"{string.ascii_letters}{string.digits}_".encode()) | frozenset(range(0x80, 0x100))
"""The bytes that words are made of; whatever is not ASCII may be a letter."""
_APART = bytes(one if one in _OF_WORDS else ord(" ") for one in range(0x100))
_WORD = re.compile(rb"[\w\x80-\xff]+")


def as_bytes(text: str) -> bytes:
    """Return a text as files have it; half a character, as file names that are no text hold, stands in none of them."""
    return text.encode(errors="surrogatepass")


def words_of(content: bytes) -> bytes:
    """Return the words of a text, each of them once, with spaces between."""
    return b" ".join(set(content.translate(_APART).split()))


class Wanted:
    """A piece of text that is looked for in many files, such as a name, ``.name`` or ``setattr(name,``."""

    def __init__(self, text: str) -> None:
        self._text = as_bytes(text)
        self._words = tuple(_WORD.findall(self._text))
        self._is_word = self._words == (self._text,)

    def is_in(self, content: bytes, words: bytes) -> bool:
        """Return whether a text holds it, in a longer word or not; ``words`` are those of the text (`words_of`)."""
        if self._is_word:
            return self._text in words
        return all(one in words for one in self._words) and self._text in content
