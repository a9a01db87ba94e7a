"""Settings: where they are written, how they merge, and what they say about one file.

``loaderlint.toml``, or ``[tool.loaderlint]`` in ``pyproject.toml``; the nearest file wins key by key over its parents,
up to one with ``root = true`` or the repository's root; the command line wins over all files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from loaderlint.model.finding import Severity
from loaderlint.model.limits import Limits
from loaderlint.model.target import Accelerator, Platform, Target
from loaderlint.paths import NO_PATTERNS, PathPatterns
from loaderlint.requirements import runs_on
from loaderlint.rulebook import RuleBookError, all_rules
from loaderlint.selection import EVERY_DEFAULT, Choice, Selection, names, unknown_selectors
from loaderlint.settings_files import Folder, Layer, SettingsError, command_line, read_folder, read_settings_file

if TYPE_CHECKING:
    from loaderlint.model.rule import Rule

__all__ = ["Setting", "Settings", "SettingsError", "SettingsIndex", "running_platform"]


class Setting(Struct, frozen=True):
    """One key's value, and the layers that say so, farthest first (none: it is the default)."""

    key: str
    value: Any
    layers: tuple[Layer, ...] = ()

    @property
    def where(self) -> str:
        """Where the value comes from: ``pyproject.toml:12``, ``--platform`` or ``default``."""
        return ", ".join(layer.where(self.key) for layer in self.layers) or "default"


class FileIgnores(Struct, frozen=True):
    """The rules that are off in the files some patterns pick."""

    patterns: PathPatterns
    selectors: tuple[str, ...]


class Settings(Struct, frozen=True, dict=True):
    """What is in force for the files of one folder.

    ``loaders`` are the user's wrappers: for each callable, torch's name of an option and where the callable takes it,
    by keyword or position from 0. ``written`` are the keys that somebody set, as they were written; ``folders`` says
    what the folder and its parents up to the repository's root tell, outermost first.
    """

    targets: tuple[Target, ...]
    limits: Limits = field(default_factory=Limits)
    selection: Selection = field(default_factory=Selection)
    file_ignores: tuple[FileIgnores, ...] = ()
    excludes: PathPatterns = NO_PATTERNS
    loaders: Mapping[str, Mapping[str, str | int]] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()
    min_severity: Severity = Severity.INFO
    pedantic: bool = False
    cwd: str = ""
    written: Mapping[str, Setting] = field(default_factory=dict)
    folders: tuple[Folder, ...] = ()

    @cached_property
    def line_length(self) -> int | None:
        """How long lines of Python shall be, as the nearest folder says that tells formatters; None where none does."""
        return next((one.line_length for one in reversed(self.folders) if one.line_length is not None), None)

    @cached_property
    def _rules(self) -> Mapping[str, type[Rule]]:
        return {rule.code: rule for rule in all_rules(self.plugins)}

    def selects(self, code: str, path: str) -> bool:
        """Return whether a rule is on in the file with this path (relative to the working folder)."""
        rule = self._rules.get(code)
        if rule is None or not self.selection.selects(rule):
            return False
        location = os.path.normpath(os.path.join(self.cwd, path))
        return not any(
            names(ignores.selectors, rule) and ignores.patterns.match(location) for ignores in self.file_ignores
        )

    def rows(self) -> tuple[Setting, ...]:
        """Return every key with the value in force, and where it comes from."""
        from loaderlint.settings_table import defaults

        targets = {
            "platforms": list(dict.fromkeys(target.platform.value for target in self.targets)),
            "python": list(dict.fromkeys(f"{target.python[0]}.{target.python[1]}" for target in self.targets)),
            "torch": next((f"{target.torch[0]}.{target.torch[1]}" for target in self.targets if target.torch), None),
        }
        values = {**defaults(), **targets}
        return tuple(self.written.get(key, Setting(key, value)) for key, value in values.items() if key != "root")


class SettingsIndex:
    """Answers which settings hold for a file, reading each settings file once.

    ``config`` is the only settings file looked at; ``isolated`` says that none is; ``overrides`` are keys and values
    given on the command line. A mistake in these raises `SettingsError` at once, one in a settings file that has to
    be found when it is first needed.
    """

    def __init__(
        self,
        cwd: str | None = None,
        *,
        config: str | None = None,
        isolated: bool = False,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self.cwd = cwd or os.getcwd()
        self._overrides = command_line(overrides or {}, self.cwd)
        self._only: tuple[Layer, ...] | None = () if isolated else None
        if config is not None:
            self._only = (read_settings_file(os.path.abspath(os.path.join(self.cwd, config)), self.cwd),)
        self._folders: dict[str, Folder] = {}
        self._settings: dict[str, Settings] = {}

    def for_path(self, path: str) -> Settings:
        """Return the settings of a file, named absolutely or relative to the working folder."""
        return self.for_folder(os.path.dirname(os.path.join(self.cwd, path)))

    def for_folder(self, folder: str) -> Settings:
        """Return the settings of the files in a folder, named absolutely or relative to the working folder."""
        folder = os.path.normpath(os.path.join(self.cwd, folder))
        if folder not in self._settings:
            folders = self._up_to_repository(folder)
            layers = _in_force(folders) if self._only is None else self._only
            self._settings[folder] = _merged(layers, self._overrides, folders, self.cwd)
        return self._settings[folder]

    def _up_to_repository(self, folder: str) -> tuple[Folder, ...]:
        """Return what the folder and its parents up to the repository's root say, outermost first."""
        found: list[Folder] = []
        while True:
            if folder not in self._folders:
                self._folders[folder] = read_folder(folder, self.cwd, with_settings=self._only is None)
            found.append(self._folders[folder])
            parent = os.path.dirname(folder)
            if self._folders[folder].is_repository or parent == folder:
                return tuple(reversed(found))
            folder = parent


def _in_force(folders: tuple[Folder, ...]) -> tuple[Layer, ...]:
    """Return the layers that count, farthest first: those from the last ``root = true`` on."""
    roots = [index for index, folder in enumerate(folders) if folder.is_root]
    return tuple(layer for folder in folders[roots[-1] if roots else 0 :] for layer in folder.layers)


def _required_python(folders: tuple[Folder, ...]) -> str | None:
    return next((folder.requires_python for folder in reversed(folders) if folder.requires_python), None)


def _required_torch(folders: tuple[Folder, ...], asked: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the torch that requirements admit; none where it was never built for the Python that is asked for."""
    torch = next((folder.torch for folder in reversed(folders) if folder.torch), None)
    return torch if torch is None or asked is None or runs_on(torch, asked) else None


def _merged(layers: tuple[Layer, ...], overrides: Layer, folders: tuple[Folder, ...], cwd: str) -> Settings:
    """Return the settings that layers, farthest first, and the command line make together."""
    written = {key: Setting(key, value, (layer,)) for layer in layers for key, value in layer.values.items()}
    _check_rule_names(written, overrides)
    selection = _selection(written, overrides)
    if "select" in overrides.values:
        written = {key: setting for key, setting in written.items() if key not in _ADDED}
    for key, value in overrides.values.items():
        before = written.get(key)
        if before and key in _ADDED:
            written[key] = Setting(key, [*before.value, *overrides.values[key]], (*before.layers, overrides))
        else:
            written[key] = Setting(key, value, (overrides,))

    def given(key: str, otherwise: Any) -> Any:
        return written[key].value if key in written else otherwise

    limits = Limits()
    return Settings(
        targets=_targets(given, folders),
        limits=Limits(
            max_prefetch_factor=given("max-prefetch-factor", limits.max_prefetch_factor),
            max_batches_in_flight=given("max-batches-in-flight", limits.max_batches_in_flight),
            windows_workers=given("windows-workers", limits.windows_workers),
        ),
        selection=selection,
        file_ignores=tuple(
            FileIgnores(_patterns(written["per-file-ignores"], pattern), tuple(selectors))
            for pattern, selectors in given("per-file-ignores", {}).items()
        ),
        excludes=_patterns(written["exclude"], *given("exclude", ())) if "exclude" in written else NO_PATTERNS,
        loaders=given("loaders", {}),
        plugins=tuple(given("plugins", ())),
        min_severity=Severity(given("min-severity", Severity.INFO)),
        pedantic=given("pedantic", False),
        cwd=cwd,
        written=written,
        folders=folders,
    )


_ADDED = ("extend-select", "ignore")
"""The keys whose values on the command line add to those of the settings files."""


def _selection(written: Mapping[str, Setting], overrides: Layer) -> Selection:
    """Return the selection: ``--select`` starts afresh, ``--extend-select`` and ``--ignore`` have the last word."""
    asked = overrides.values
    asked_for = Choice((*asked.get("select", ()), *asked.get("extend-select", ())), tuple(asked.get("ignore", ())))
    if "select" in asked:
        return Selection((asked_for,))
    values = {key: tuple(setting.value) for key, setting in written.items() if key in ("select", *_ADDED)}
    selected = (*values.get("select", (EVERY_DEFAULT,)), *values.get("extend-select", ()))
    return Selection((Choice(selected, values.get("ignore", ())), asked_for))


def _check_rule_names(written: Mapping[str, Setting], overrides: Layer) -> None:
    """Raise `SettingsError` for the selectors that no rule answers to."""
    chosen: list[tuple[Layer, tuple[str, ...], Sequence[str]]] = []
    for key in ("select", *_ADDED):
        if key in written:
            chosen.append((written[key].layers[-1], (key,), written[key].value))
        if key in overrides.values:
            chosen.append((overrides, (key,), overrides.values[key]))
    if "per-file-ignores" in written:
        setting = written["per-file-ignores"]
        chosen.extend((setting.layers[-1], (setting.key, pattern), value) for pattern, value in setting.value.items())
    plugins = written.get("plugins")
    if not chosen and not plugins:
        return
    try:
        rules = all_rules(tuple(plugins.value) if plugins else ())
    except RuleBookError as error:
        place = f"{plugins.where}: " if plugins else ""
        raise SettingsError(f"{place}{error}") from error
    unknown = [
        f"{layer.where(*keys)}: {message}"
        for layer, keys, selectors in chosen
        for message in unknown_selectors(selectors, rules)
    ]
    if unknown:
        raise SettingsError(*unknown)


def _patterns(setting: Setting, *lines: str) -> PathPatterns:
    return PathPatterns(setting.layers[-1].folder, lines)


def _targets(given: Callable[[str, Any], Any], folders: tuple[Folder, ...]) -> tuple[Target, ...]:
    """Return one target for each platform and Python version."""
    asked = given("python", None)
    pythons = asked or default_python(_required_python(folders))
    torch = given("torch", None)
    accelerator = given("accelerator", None)
    return tuple(
        Target(
            platform=Platform(platform),
            python=_version(python),
            torch=_version(torch) if torch else _required_torch(folders, _version(python) if asked else None),
            accelerator=Accelerator(accelerator) if accelerator else None,
            cpus=given("cpus", None),
        )
        for platform in dict.fromkeys(given("platforms", None) or [running_platform()])
        for python in dict.fromkeys([pythons] if isinstance(pythons, str) else pythons)
    )


def _version(text: str) -> tuple[int, int]:
    major, minor, *_ = text.split(".")
    return int(major), int(minor)


def running_platform() -> Platform:
    """Return the platform loaderlint runs on; what is neither Windows nor macOS behaves as Linux."""
    return {"win32": Platform.WINDOWS, "darwin": Platform.MACOS}.get(sys.platform, Platform.LINUX)


def default_python(required: str | None) -> str:
    """Return the version of the interpreter loaderlint runs on, or the nearest that ``requires-python`` admits."""
    running = sys.version_info[:2]
    if required is not None:
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        try:
            admitted = SpecifierSet(required)
        except InvalidSpecifier:
            admitted = SpecifierSet()
        by_distance = sorted(range(_MINOR_VERSIONS), key=lambda minor: (abs(minor - running[1]), -minor))
        for minor in by_distance:
            if any(admitted.contains(f"3.{minor}.{patch}") for patch in (0, _LAST_PATCH)):
                return f"3.{minor}"
    return f"{running[0]}.{running[1]}"


_MINOR_VERSIONS = 40
_LAST_PATCH = 99
