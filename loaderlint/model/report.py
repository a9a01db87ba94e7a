"""What one run found and did: the value every report format is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.model.finding import Failure, Finding

if TYPE_CHECKING:
    from loaderlint.model.edit import Fix, TextEdit
    from loaderlint.model.loader import Unreached
    from loaderlint.model.source import Source
    from loaderlint.model.target import Target


class Report(Struct, frozen=True):
    """The outcome of a run.

    ``findings`` are those left, ``fixed`` those mended by ``--fix`` (or that would be, by ``--diff``). Their places are
    those of the text they were found in: for findings left, the text after all fixes (`source`); for one that is fixed,
    the text its fix was made in, which an earlier round of fixes may have changed already. ``edits`` is what a writer
    types, or would type, for a finding's fix; a finding left whose fix no writer could prove has its fix taken away and
    a line in ``unproven``. ``sources`` are the files read, as they were before any fix, by path; ``rewritten`` the
    new content of those that change. ``held_back`` counts the findings of possible confidence, or below
    ``--min-severity``, that were not shown; ``suppressed`` those an ignore comment or a baseline accepts.
    ``unreached`` are the loaders that no run iterates on some platform of the targets.
    ``excluded`` are the files and folders that were named although the settings exclude them. ``unwritable`` are the
    files that this run's fixes could not be written to, with those that share a fix with them.
    """

    targets: tuple[Target, ...] = ()
    findings: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    edits: Mapping[Finding, tuple[TextEdit, ...]] = field(default_factory=dict)
    unproven: tuple[Failure, ...] = ()
    failures: tuple[Failure, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    rewritten: Mapping[str, bytes] = field(default_factory=dict)
    files_seen: int = 0
    files_read: int = 0
    suppressed: int = 0
    held_back: int = 0
    unreached: tuple[Unreached, ...] = ()
    excluded: tuple[str, ...] = ()
    unwritable: frozenset[str] = frozenset()

    def source(self, path: str) -> Source | None:
        """Return a file as it is after the fixes, as the findings left have it; None when it was not read."""
        source = self.sources.get(path)
        return replace(source, content=self.rewritten[path]) if source and path in self.rewritten else source

    @property
    def fixable(self) -> tuple[Finding, ...]:
        """The findings left that ``--fix`` would mend."""
        return tuple(one for one in self.findings if one.fix is not None and one.fix.safe and self.may_write(one.fix))

    @property
    def unsafe_fixable(self) -> tuple[Finding, ...]:
        """The findings left that only ``--fix --unsafe-fixes`` would mend."""
        return tuple(
            one for one in self.findings if one.fix is not None and not one.fix.safe and self.may_write(one.fix)
        )

    def may_write(self, fix: Fix) -> bool:
        """Return whether every file that a fix changes took what was written to it, or was written nothing."""
        return self.unwritable.isdisjoint(edit.span.path for edit in fix.edits)
