"""What should be true after a fix. How to type it is the business of each language's writer.

Every edit names places by `Span`. ``platforms`` narrows an edit: None means everywhere, otherwise the old value stays
on the other platforms (``0 if sys.platform == "win32" else 8`` in Python; configuration languages cannot say it).
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.model.source import Language, Span
from loaderlint.model.target import Platform
from loaderlint.model.value import Constant


class SetValue(Struct, frozen=True):
    """The value written at ``span`` is ``constant``.

    ``keyword`` is the name of the parameter that a positional argument is for: where a condition takes the place of a
    number, it may be given by this name, so that it can be read. ``may_import`` is False where every name of the file
    is a setting, so that a condition has to do without new ones. ``at_most`` says that less is as good: what is worked
    out there is held below the number, so that whoever runs the program still has a say.
    """

    span: Span
    constant: Constant
    platforms: frozenset[Platform] | None = None
    keyword: str = ""
    may_import: bool = True
    at_most: bool = False


class Drop(Struct, frozen=True):
    """The option whose value is written at ``span`` no longer arrives.

    ``entry`` is the keyword argument, key or item to remove; without one the value becomes ``neutral``. ``may_import``
    is that of `SetValue`.
    """

    span: Span
    option: str
    neutral: Constant
    entry: Span | None = None
    platforms: frozenset[Platform] | None = None
    may_import: bool = True


class OnlyWithWorkers(Struct, frozen=True):
    """The option whose argument stands at ``span`` arrives only when the count at ``workers`` is above 0."""

    span: Span
    option: str
    neutral: Constant
    workers: Span


class AddOption(Struct, frozen=True):
    """The loader called at ``span`` is also given ``option=constant``, only with workers when ``workers`` is a span."""

    span: Span
    option: str
    constant: Constant
    workers: Span | None = None


class MakeInteger(Struct, frozen=True):
    """The number that ``span`` gives is an integer: unquoted, floor-divided, declared ``type=int`` or converted."""

    span: Span


class WriteAs(Struct, frozen=True):
    """The expression at ``span`` is ``form``, where ``{}`` stands for what it was: ``{} % 2**32``."""

    span: Span
    form: str


class OnlyWithCuda(Struct, frozen=True):
    """The value written at ``span`` is whether there is CUDA, or False in a file that has no torch to ask."""

    span: Span


class BeginTurns(Struct, frozen=True):
    """Every turn of the loop that goes over what stands at ``span`` begins with ``statement``."""

    span: Span
    statement: str


class GuardEntryPoint(Struct, frozen=True):
    """The statement at ``span``, and whatever runs with it, no longer runs when the file is imported by a worker."""

    span: Span


class Hoist(Struct, frozen=True):
    """The lambda, local function or local class at ``span`` is defined at the top of its module."""

    span: Span


class AddKey(Struct, frozen=True):
    """The configuration mapping at ``span`` also says that ``key`` is ``constant``."""

    span: Span
    key: str
    constant: Constant


class Export(Struct, frozen=True):
    """The shell command at ``span`` finds the variable ``name`` set to ``value``, which may name other variables."""

    span: Span
    name: str
    value: str


class RemoveIgnore(Struct, frozen=True):
    """The suppression comment at ``span`` no longer names ``name``."""

    span: Span
    name: str


Edit: TypeAlias = (
    SetValue
    | Drop
    | OnlyWithWorkers
    | AddOption
    | MakeInteger
    | WriteAs
    | OnlyWithCuda
    | BeginTurns
    | GuardEntryPoint
    | Hoist
    | AddKey
    | Export
    | RemoveIgnore
)


class Safety(str, Enum):
    """Whether a fix may be applied without a human eye (RULES.md, "Safe fix" and "Unsafe fix")."""

    SAFE = "safe"
    UNSAFE = "unsafe"


class Fix(Struct, frozen=True):
    """Edits that belong together: all of them are made, or none.

    ``title`` says what will be true, in the imperative ("set num_workers to 0"). ``reason`` says why an unsafe fix is
    unsafe.
    ``follows`` are the places that the mended value was worked out from: it may follow by itself when one of them is
    mended. ``kept`` says what is left as it is and why, where the loader's own call is changed instead of the value.
    """

    title: str
    edits: tuple[Edit, ...]
    safety: Safety = Safety.SAFE
    reason: str = ""
    follows: frozenset[Span] = frozenset()
    kept: str = ""

    @property
    def safe(self) -> bool:
        """Whether the fix may be applied without ``--unsafe-fixes``."""
        return self.safety is Safety.SAFE

    def unsafe(self, reason: str) -> Fix:
        """Return this fix marked unsafe, keeping the first reason given."""
        return replace(self, safety=Safety.UNSAFE, reason=self.reason or reason)

    def joined(self, other: Fix) -> Fix:
        """Return the fix that does both, as unsafe as the less safe of the two."""
        edits = self.edits + tuple(edit for edit in other.edits if edit not in self.edits)
        both = replace(self, edits=edits, follows=self.follows | other.follows, kept=self.kept or other.kept)
        return both if other.safe else both.unsafe(other.reason)

    def narrowed(
        self, platforms: frozenset[Platform], only_there: Collection[Span] = (), settings: Collection[str] = ()
    ) -> Fix:
        """Return the fix that changes values on these platforms only; those at ``only_there`` arrive on no other.

        In the files of ``settings`` every name is one, so that nothing can be imported to ask for the platform.
        A value that stands in a language without conditionals changes everywhere, so the fix becomes unsafe; when it is
        a value that is set, and not one that only goes away, what follows from it changes everywhere, too.
        """
        values = [edit for edit in self.edits if isinstance(edit, SetValue | Drop) and edit.span not in only_there]
        edits = tuple(
            replace(one, platforms=platforms, may_import=one.span.path not in settings) if one in values else one
            for one in self.edits
        )
        narrowed = replace(self, edits=edits)
        everywhere = [edit for edit in values if Language.of(edit.span.path) is not Language.PYTHON]
        if not everywhere:
            return narrowed
        fix = self if any(isinstance(one, SetValue) for one in everywhere) else narrowed
        names = " and ".join(platform.display for platform in sorted(platforms))
        return fix.unsafe(
            f"{everywhere[0].span.path} has no conditionals: the value would change everywhere, not only on {names}; "
            f"keep a second file or an override for {names}"
        )


class Unfixed(Struct, frozen=True):
    """Why a finding gets no fix where others of its rule get one."""

    why: str

    def unsafe(self, reason: str) -> Unfixed:
        """Return the same, whatever else is against a fix."""
        return self


Remedy: TypeAlias = Fix | Unfixed
"""What a rule that fixes has to say of one finding."""


class TextEdit(Struct, frozen=True):
    """A stretch of a file and the text that takes its place: what a writer makes of edits, for reports and editors."""

    span: Span
    content: str
