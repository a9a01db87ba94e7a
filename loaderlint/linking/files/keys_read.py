"""Which keys of its dictionaries a program cannot do without, going by its text and by what it declares."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from loaderlint.model.source import Source
from loaderlint.readers.python import FunctionNode, PythonFacts, default_of, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.python_calls import keywords as keywords_of

_ASKS = re.compile(r"""(?:\.(?:get|setdefault)|hasattr\([^()]*,)\s*\(?\s*$""")
"""What stands before a key that may be missing."""
_FALLS_BACK = re.compile(r"""(?:\.pop\s*\(|getattr\([^()]*,)\s*$""")
"""What stands before a key that may be missing where a default follows it."""
_IS_IN = re.compile(r"(not\s+)?in\b")
"""What stands after a key that is asked for."""
_DEMANDS = re.compile(r"(?m)(?:^[ \t]*assert\b|\bnot\b)[^\n]*\Z")
"""What stands before a key that is asked for where a program does not go on without it."""
_ENDS = re.compile(r"\b(?:raise|assert|exit|_exit)\b")
"""What ends a program, or says that it may: of a test with this close after it, any answer may be the demanded one."""
_PATTERN = re.compile(r"(?m)^[ \t]*case\b(?:(?!:[ \t]*$)[\s\S])*\Z")
"""The beginning of a pattern of ``match`` that has not come to its end."""
_A_TYPE = re.compile(r":\s*(?:int|bool|float|str|Optional|Union|NotRequired|Required|Any)\b(?!\s*\()")
"""What stands after a key that is declared by its type: ``TypedDict("Options", {"num_workers": int})``."""
_IN_QUOTES = re.compile(r"""(?=(["'])(\w+)\1)""")
"""A word in quotes; what stands between the end of a text and the beginning of the next is taken for such as well."""
_IN_FORMAT = re.compile(r"%\((\w+)\)|\{(\w+)")


class KeysNamed:
    """Python sources by the keys that they may need: the words that stand in quotes there, or are formatted with."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._every: list[Source] = []
        self._naming: dict[str, list[Source]] = {}
        self._needed: set[str] = set()
        self._looked_through: dict[str, int] = {}

    def add(self, source: Source) -> None:
        """Look through a file, once."""
        if source.path in self._paths:
            return
        self._paths.add(source.path)
        self._every.append(source)
        quoted = {key for _, key in _IN_QUOTES.findall(source.text)}
        for key in quoted.union(*_IN_FORMAT.findall(source.text)):
            self._naming.setdefault(sys.intern(key), []).append(source)

    def needs(self, key: str) -> bool:
        """Return whether one of them names a key in a way that a dictionary without it may not survive."""
        if key in self._needed:
            return True
        sources = self._naming.get(key, []) if key.isidentifier() else self._every
        later = sources[self._looked_through.get(key, 0) :]
        if any(needs_key(one.text, key) for one in later):
            self._needed.add(key)
        self._looked_through[key] = len(sources)
        return key in self._needed


def needs_key(text: str, key: str) -> bool:
    """Return whether Python text names a key in a way that a dictionary without it does not survive, or may not."""
    quoted = (f"{quote}{key}{quote}" for quote in ("'", '"'))
    return any(_needs(text, start, start + len(one)) for one in quoted for start in _places(text, one)) or _formats(
        text, key
    )


def _places(text: str, word: str) -> Iterator[int]:
    """Yield where a word begins: a search for it as it stands takes a sixth of what one for a pattern takes."""
    start = text.find(word)
    while start >= 0:
        yield start
        start = text.find(word, start + 1)


def _needs(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 400) : start], text[end : end + 400].lstrip()
    if after.startswith(":"):
        # It is written there, unless it is matched with, or declared.
        return _PATTERN.search(before) is not None or _A_TYPE.match(after) is not None
    if re.match(r"\]\s*=[^=]", after):
        return False
    asked = _IS_IN.match(after)
    if asked is not None:
        return bool(asked[1] or _DEMANDS.search(before) or _ENDS.search(after))
    if _ASKS.search(before):
        return False
    return not (_FALLS_BACK.search(before) and after.startswith(","))


def required(facts: PythonFacts) -> Iterator[str]:
    """Yield what the functions and classes of a file have no default for: their parameters and fields."""
    for scope in facts.scopes.values():
        if isinstance(scope.node, FunctionNode):
            yield from (one.arg for one in parameters(scope.node) if default_of(scope.node, one.arg) is None)
        elif scope.is_class and "__init__" not in scope.bindings:
            # A dataclass, a named tuple, a model of pydantic or attrs; what is no more than annotated is taken for one.
            for name, bindings in scope.bindings.items():
                if any(_is_required(one.node) for one in bindings):
                    yield name


def _is_required(declaration: ast.AST) -> bool:
    """Return whether a statement of a class body declares a field without a default."""
    value = declaration.value if isinstance(declaration, ast.AnnAssign | ast.Assign) else None
    if not isinstance(value, ast.Call):
        return isinstance(declaration, ast.AnnAssign) and value is None
    if called_name(value) not in _FIELDS:
        return False
    positional = value.args[:1] if called_name(value) == "Field" else []
    given = keywords_of(value)
    defaults = [*positional, *(given[one] for one in ("default", "default_factory", "factory") if one in given)]
    return all(isinstance(one, ast.Constant) and one.value is ... for one in defaults)


_FIELDS = frozenset({"field", "Field", "ib", "attrib"})
"""The calls that declare a field (dataclasses, pydantic, attrs); pydantic's ``Field(...)`` has no default."""


def _formats(text: str, key: str) -> bool:
    """Return whether text may be formatted with a key: ``"%(key)s" % values``, ``"{key}".format_map(values)``."""
    if f"%({key})" in text:
        return True
    if ".format" not in text:
        return False
    ends = (start + len(key) + 1 for start in _places(text, f"{{{key}"))
    return any(not re.match(r"\w", text[end : end + 1]) for end in ends)
