"""The files a run looks at together with the rest of their project, which decides what a value in them means."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.discovery import Discovered, ProjectFiles, project_root
from loaderlint.model.source import STDIN, Source
from loaderlint.settings import SettingsIndex


class Context(Struct, frozen=True, dict=True):
    """What was named, the project around it, and the settings in force."""

    discovered: Discovered
    project: ProjectFiles
    settings: SettingsIndex

    @property
    def named(self) -> frozenset[str]:
        """The paths of the named files that may matter."""
        return self.discovered.running | self.discovered.sources.keys()

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        """The named files and all others of the project that may matter; nothing where none of the named ones may."""
        if not self.named:
            return {}
        named = {source.location for source in self.discovered.sources.values()}
        met = self.project.sources(self.discovered.immaterial)
        others = {path: one for path, one in met.items() if one.location not in named}
        return {**others, **self.discovered.sources}

    @cached_property
    def outside(self) -> frozenset[str]:
        """The paths of links, of those nobody named, that lead out of the folder of the project."""
        within = os.path.join(os.path.realpath(self.project.root), "")
        met = (one for path, one in self.sources.items() if path not in self.discovered.given)
        leading_out = (one.path for one in met if not one.location.startswith(within))
        return frozenset(path for path in leading_out if os.path.islink(os.path.join(self.settings.cwd, path)))

    @property
    def has_plugins(self) -> bool:
        """Whether some rules are a project's own, whose code may read whatever it likes."""
        return any(self.settings.for_folder(folder).plugins for folder in self._folders)

    def circumstances(self) -> Iterator[object]:
        """Yield what a report depends on besides the content of files, each with a ``repr`` that tells it apart."""
        yield self.settings.cwd, self.project.root, self.project.paths(), sorted(self.outside)
        found = self.discovered
        yield sorted(found.sources), found.failures, found.files_seen, found.stdin
        yield sorted(found.given), found.excluded, sorted(found.running)
        for folder in self._folders:
            in_force = self.settings.for_folder(folder)
            yield folder, in_force, in_force.line_length

    @cached_property
    def _folders(self) -> Sequence[str]:
        """The working folder and those that the files stand in."""
        cwd = self.settings.cwd
        return sorted({cwd, *(os.path.dirname(os.path.join(cwd, path)) for path in self.sources)})


def in_context(discovered: Discovered, paths: Sequence[str], settings: SettingsIndex) -> Context:
    """Return what was found at some paths, in the project that they are part of."""
    named = [discovered.stdin or path if path == STDIN else path for path in paths]
    try:
        together = os.path.commonpath([os.path.normpath(os.path.join(settings.cwd, path)) for path in named])
    except ValueError:  # different drives on Windows
        together = settings.cwd
    return Context(discovered, ProjectFiles(project_root(together), settings), settings)


def with_given(context: Context) -> Context:
    """Return the context with every file that was named one by one, whatever it says."""
    found = context.discovered
    others = {path: context.project.read(path) for path in found.given if path not in found.sources}
    read = {path: one for path, one in others.items() if one is not None}
    return replace(context, discovered=replace(found, sources={**found.sources, **read}))
