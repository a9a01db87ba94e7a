"""The command line: options in, exit code out; every decision is made by the rooms it calls.

``loaderlint [PATH ...]`` lints. A first argument that is a command's name is the command, so a folder of that name is
written ``./doctor``; no other path is ever taken for a command.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from msgspec.structs import replace

from loaderlint import __version__, cache, reports
from loaderlint.cache import Said
from loaderlint.context import Context, in_context, with_given
from loaderlint.discovery import Discovered, discover
from loaderlint.model.finding import Failure, Severity
from loaderlint.model.report import Report
from loaderlint.model.source import STDIN, Language
from loaderlint.model.target import Accelerator
from loaderlint.model.tracing import Asked
from loaderlint.processes import default_processes
from loaderlint.rulebook import RuleBookError
from loaderlint.selection import suggestion
from loaderlint.settings import SettingsError, SettingsIndex
from loaderlint.terminal import CannotShow, at_work, has_color, prepare, show, show_bytes, width

if TYPE_CHECKING:
    from loaderlint.linking.files.known import OtherFiles

CLEAN, FOUND, MISTAKE = 0, 1, 2
"""The exit codes of the contract."""

_FORMATS_TO_COME = ("jsonl", "sarif", "gitlab", "junit")
_PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}

app = typer.Typer(**_PLAIN)
commands = typer.Typer(**_PLAIN)


class Refusal(Exception):
    """What was asked for cannot be done; its text says why, in one line."""


Config = Annotated[
    str | None, typer.Option("--config", metavar="FILE", help="Use this settings file and look for no other.")
]
Isolated = Annotated[bool, typer.Option("--isolated", help="Use no settings file.")]


def run(arguments: Sequence[str]) -> int:
    """Run what the arguments ask for and return the exit code."""
    prepare()
    is_command = bool(arguments) and arguments[0] in _names(commands)
    try:
        if not is_command and all(one == STDIN or not one.startswith("-") for one in arguments):
            # There is nothing to parse, and typer's preparations take longer than to lint a file.
            lint(list(arguments))
        else:
            asked = typer.main.get_command(commands if is_command else app)
            asked.main(args=list(arguments), prog_name="loaderlint")
    except typer.Exit as done:
        return done.exit_code
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else MISTAKE
    except SettingsError as mistakes:
        show("".join(f"loaderlint: {one}\n" for one in mistakes.args), sys.stderr)
        return MISTAKE
    except (Refusal, RuleBookError, CannotShow) as mistake:
        show(f"loaderlint: {mistake}\n", sys.stderr)
        return MISTAKE
    return CLEAN


def _names(several: typer.Typer) -> tuple[str, ...]:
    return tuple(command.callback.__name__ for command in several.registered_commands if command.callback)


@app.command(
    epilog="""\b
Commands, when they are the first argument:
  rule    a rule's page, or the table of all rules
  trace   every loader: each option, the values that can reach it, their way
  config  the settings in force and where each comes from
"""
)
def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Files or folders; - is standard input.", show_default="."),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Rewrite the files with all safe fixes.")] = False,
    unsafe_fixes: Annotated[
        bool,
        typer.Option(
            "--unsafe-fixes", help="With --fix, also make the fixes that change behaviour or need a human eye."
        ),
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would write; write nothing.")] = False,
    select: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="Rules to use: codes, prefixes, names or ALL.")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="RULE", help="Rules to leave out.")] = None,
    extend_select: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="Rules to use besides those of the settings.")
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(metavar="linux|windows|macos", help="A platform the project runs on (repeatable)."),
    ] = None,
    python: Annotated[
        list[str] | None, typer.Option(metavar="VERSION", help="A Python version it runs on (repeatable).")
    ] = None,
    torch: Annotated[str | None, typer.Option(metavar="VERSION", help="The torch version it runs on.")] = None,
    accelerator: Annotated[Accelerator | None, typer.Option(help="What it computes on.")] = None,
    cpus: Annotated[int | None, typer.Option(metavar="N", help="The CPUs it may use.")] = None,
    shm: Annotated[str | None, typer.Option(metavar="SIZE", hidden=True)] = None,
    min_severity: Annotated[Severity | None, typer.Option(help="Hide findings below this severity.")] = None,
    pedantic: Annotated[
        bool, typer.Option("--pedantic", help="Also show what depends on values that were not seen.")
    ] = False,
    format: Annotated[str, typer.Option("--format", metavar="FORMAT", help=f"{', '.join(reports.FORMATS)}.")] = "text",
    output: Annotated[str | None, typer.Option(metavar="FILE", help="Write the report to a file.")] = None,
    stdin_filename: Annotated[
        str | None, typer.Option(metavar="PATH", help="The name of what comes on standard input.")
    ] = None,
    config: Config = None,
    isolated: Isolated = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Processes that work at a time, by default up to 4; 1 except on Linux."),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Say nothing again that an earlier run said of the same files.")
    ] = False,
    cache_dir: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where reports are kept; by default your user cache.")
    ] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 although findings are left.")] = False,
    exit_non_zero_on_fix: Annotated[
        bool, typer.Option("--exit-non-zero-on-fix", help="Exit with 1 when something was fixed.")
    ] = False,
    statistics: Annotated[bool, typer.Option("--statistics", help="Count findings by rule.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print findings and failures only.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more about the run.")] = False,
    add_ignores: Annotated[bool, typer.Option("--add-ignores", hidden=True)] = False,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", hidden=True)] = None,
    baseline: Annotated[str | None, typer.Option(metavar="FILE", hidden=True)] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Find PyTorch data-loading hangs, crashes and silent data bugs before training starts."""
    if version:
        show(f"loaderlint {__version__}\n")
        return
    _refuse({"--shm": shm, "--add-ignores": add_ignores, "--reason": reason, "--baseline": baseline})
    if fix and diff:
        raise Refusal("--fix writes what --diff only shows: give one of them")
    _check_format(format)
    if diff and format != "text":
        raise Refusal(f"--diff shows a unified diff, and no report as {format}: give one of --diff and --format")
    settings = _settings(
        config,
        isolated,
        {
            "select": _listed(select),
            "ignore": _listed(ignore),
            "extend-select": _listed(extend_select),
            "platforms": platform,
            "python": python,
            "torch": torch,
            "accelerator": accelerator,
            "cpus": cpus,
            "min-severity": min_severity,
            "pedantic": pedantic or None,
        },
    )
    named = paths or ["."]
    if named[0] in _names(commands) and not os.path.exists(named[0]):
        raise Refusal(f"`{named[0]}` is a command, and so comes before all options: loaderlint {named[0]} ...")
    stdin = sys.stdin.buffer.read() if STDIN in named else b""
    discovered = discover(named, settings, stdin=stdin, stdin_filename=stdin_filename)
    if output and _is_linted(output, discovered):
        raise Refusal(f"--output {output} would overwrite a file that is linted")
    context = in_context(discovered, named, settings)
    is_piped_through = fix and STDIN in named
    stream = sys.stderr if is_piped_through else sys.stdout
    color = has_color(stream) and not output
    looks = {"color": color, "statistics": statistics, "quiet": quiet, "verbose": verbose}

    def work(files: OtherFiles) -> Said:
        with at_work("following loaders", sys.stderr):
            report = _linted(
                context,
                files,
                fix=fix or diff,
                write=fix,
                unsafe_fixes=unsafe_fixes,
                typed=format == "json",
                processes=jobs or default_processes(),
            )
        if is_piped_through:
            show_bytes(_to_standard_output(report, discovered.stdin, stdin), sys.stdout)
        code = _exit_code(report, diff=diff, exit_zero=exit_zero, exit_non_zero_on_fix=exit_non_zero_on_fix)
        return Said(_diff(report, color) if diff else _rendered(report, format, **looks), code)

    if fix or diff or no_cache:
        said = work(context.project)
    else:
        where = {"folder": context.settings.cwd, "project": context.project.root}
        asked = {**where, "paths": named, "format": format, "width": width(), "exit-zero": exit_zero, **looks}
        said = _said_before(context, asked, work, cache_dir)
    if output:
        _save(said.text, output)
    else:
        show(said.text, stream)
    raise typer.Exit(said.code)


def _refuse(options: Mapping[str, object]) -> None:
    for option, value in options.items():
        if value:
            raise Refusal(f"{option} is not in this version yet")


def _check_format(format: str) -> None:
    if format in reports.FORMATS:
        return
    listed = ", ".join(reports.FORMATS)
    if format in _FORMATS_TO_COME:
        raise Refusal(f"--format {format} is not in this version yet, which has {listed}")
    raise Refusal(f"there is no format {format!r}{suggestion(format, reports.FORMATS) or f'; there are {listed}'}")


def _listed(values: Iterable[str] | None) -> list[str] | None:
    """Return the values of a repeatable option, each of which may be several, separated by commas."""
    if not values:
        return None
    listed = [one.strip() for value in values for one in value.split(",") if one.strip()]
    if not listed:
        raise Refusal("an option that takes rules was given none: name a code, a prefix, a rule or ALL")
    return listed


def _settings(config: str | None, isolated: bool, overrides: Mapping[str, object] | None = None) -> SettingsIndex:
    if config and isolated:
        raise Refusal("--config names the settings that --isolated leaves out: give one of them")
    given = {key: value for key, value in (overrides or {}).items() if value is not None}
    return SettingsIndex(config=config, isolated=isolated, overrides=given)


def _said_before(
    context: Context, asked: Mapping[str, object], work: Callable[[OtherFiles], Said], folder: str | None
) -> Said:
    """Return what is kept of an earlier run that was asked the same, or what the work says, which is kept."""
    if cache.is_off() or not context.sources or context.has_plugins:
        return work(context.project)
    reports_kept = cache.Cache(cache.place(folder))
    question = cache.question(asked, context.sources, context.circumstances())
    said = reports_kept.said(question, context.project)
    if said is None:
        files = cache.Watched(context.project)
        said = work(files)
        reports_kept.keep(question, files, said)
    return said


def _linted(
    context: Context, files: OtherFiles, *, fix: bool, write: bool, unsafe_fixes: bool, typed: bool, processes: int
) -> Report:
    """Return the report of a run; with ``fix`` of what it mends, which ``write`` puts into the files.

    ``files`` are those of the project; ``typed`` asks for what each fix would type.
    """
    discovered, settings = context.discovered, context.settings
    report = Report(targets=settings.for_folder(settings.cwd).targets)
    if context.sources:
        from loaderlint.fixing import run
        from loaderlint.saving import save

        # What an editor pipes through must come back on its own: no other file may change with it.
        changeable = frozenset({discovered.stdin}) if discovered.stdin is not None else None
        lint = partial(
            run,
            named=context.named,
            settings_for=settings.for_path,
            files=files,
            typed=typed,
            outside=context.outside,
            processes=processes,
        )
        report = lint(context.sources, fix=fix, unsafe_fixes=unsafe_fixes, changeable=changeable)
        if write:
            report = save(report, context.sources, lint, unwritten=discovered.stdin)
    return replace(
        report,
        failures=(*discovered.failures, *filter(discovered.counts, report.failures)),
        files_seen=discovered.files_seen,
        files_read=len(discovered.sources),
        excluded=discovered.excluded,
    )


def _to_standard_output(report: Report, name: str | None, stdin: bytes) -> bytes:
    """Return what comes back of standard input: the fixed file, or what came in where nothing was fixed."""
    if name is None or name not in report.rewritten:
        return stdin
    from loaderlint.notebooks import on_disk

    return on_disk(replace(report.sources[name], content=report.rewritten[name])).content


def _exit_code(report: Report, *, diff: bool, exit_zero: bool, exit_non_zero_on_fix: bool) -> int:
    if report.failures:
        return MISTAKE
    if diff:
        return FOUND if report.rewritten and not exit_zero else CLEAN
    if exit_non_zero_on_fix and report.fixed:
        return FOUND
    return FOUND if report.findings and not exit_zero else CLEAN


def _diff(report: Report, color: bool) -> str:
    """Return the diff alone, and say on standard error what went wrong."""
    from loaderlint.reports import diff

    unsaid = Report(failures=(*report.failures, *report.unproven), sources=report.sources)
    show(_rendered(unsaid, "concise", has_color(sys.stderr), quiet=True), sys.stderr)
    return diff.render(report, color=color)


def _rendered(report: Report, format: str, color: bool, **looks: bool) -> str:
    return reports.render(report, format, color=color, width=width(), **looks)


def _is_linted(output: str, discovered: Discovered) -> bool:
    """Return whether a file is linted that nobody takes for the last report, which is met where it was saved."""
    linted = [path for path in discovered.sources if (language := Language.of(path)) and not language.is_anybodys]
    place = Path(output).resolve()
    return any(Path(path).resolve() == place for path in (*discovered.given, *linted))


def _save(text: str, output: str) -> None:
    try:
        Path(output).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise Refusal(f"{output}: {error.strerror or error}") from error


Format = Annotated[str, typer.Option("--format", metavar="FORMAT", help="text or json.")]


@commands.command()
def rule(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME|CODE", help="The rule, or how codes begin; all rules without one.")
    ] = None,
    format: Format = "text",
) -> None:
    """Print a rule's page, or the table of all rules or of those whose codes begin alike."""
    from loaderlint.reports import rules
    from loaderlint.rulebook import UnknownRule, all_rules, find

    _check_text_or_json(format)
    color = has_color(sys.stdout)
    begun = (name or "").upper()
    several = [one for one in all_rules() if one.code.startswith(begun) and one.code != begun]
    try:
        asked = several or [find(name or "")]
    except UnknownRule as error:
        raise Refusal(str(error)) from error
    if not several and format == "text":
        show(rules.page(asked[0], color=color, width=width()))
    else:
        show(rules.table(asked, format, color=color, width=width()))


@commands.command()
def trace(
    places: Annotated[list[str], typer.Argument(metavar="PATH[:LINE]", help="Files or folders, or lines of files.")],
    format: Format = "text",
    config: Config = None,
    isolated: Isolated = False,
) -> None:
    """Print every loader: each option, the values that can reach it, and the way they took."""
    from loaderlint import engine
    from loaderlint.places import asked_at, place
    from loaderlint.reports import trace as tracing

    _check_text_or_json(format)
    settings = _settings(config, isolated)
    named = [place(one) for one in places]
    paths = [one.path for one in named]
    stdin = sys.stdin.buffer.read() if STDIN in paths else b""
    each = [discover([path], settings, stdin=stdin) for path in paths]
    discovered = reduce(Discovered.joined, each)
    context = with_given(in_context(discovered, paths, settings))
    discovered = context.discovered
    asked = [
        asked_at(where, found, discovered.sources)
        for where, found in zip(named, each, strict=True)
        if found.sources or not found.failures
    ]
    known = [one for one in asked if isinstance(one, Asked)]
    sources = context.sources if any(one.files for one in known) else {}
    traced = engine.trace(sources, known, settings.for_path, context.project)
    failures = (
        *discovered.failures,
        *(one for one in asked if isinstance(one, Failure)),
        *filter(discovered.counts, traced.failures),
    )
    for failure in failures:
        show(f"loaderlint: {failure.path}:{failure.line}: {failure.message}\n", sys.stderr)
    show(tracing.render(traced, format, color=has_color(sys.stdout), width=width()))
    raise typer.Exit(MISTAKE if failures else CLEAN)


@commands.command()
def config(
    path: Annotated[
        str, typer.Argument(metavar="PATH|schema", help="The file or folder they hold for, or their JSON schema.")
    ] = ".",
    format: Format = "text",
    config: Config = None,
    isolated: Isolated = False,
) -> None:
    """Print the settings in force and where each comes from; `config schema` prints their JSON schema."""
    _check_text_or_json(format)
    if path == "schema":
        from loaderlint.settings_table import schema

        show(json.dumps(schema(), indent=2) + "\n")
        return
    if not os.path.exists(path):
        raise Refusal(f"{path}: there is no such file or folder")
    settings = _settings(config, isolated)
    in_force = settings.for_folder(path) if os.path.isdir(path) else settings.for_path(path)
    rows = in_force.rows()
    if format == "json":
        by_key = {row.key: {"value": row.value, "from": row.where} for row in rows}
        show(json.dumps({"version": 1, "settings": by_key}, indent=2) + "\n")
    else:
        show("".join(f"{row.key} = {_shown(row.value)}  # {row.where}\n" for row in rows))


def _shown(value: object) -> str:
    return "(not set)" if value is None else json.dumps(value)


def _check_text_or_json(format: str) -> None:
    if format not in ("text", "json"):
        raise Refusal(f"there is no format {format!r} here; there are text, json")


@commands.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def doctor(context: typer.Context) -> NoReturn:
    """Not in this version yet: run a real loader under a deadline and say what hangs."""
    raise Refusal("doctor is not in this version yet (a folder of that name is linted as ./doctor)")
