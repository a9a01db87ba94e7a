"""Configuration files that a program opens by name: YAML, JSON, TOML and INI alike."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.search_path import shared_folders
from loaderlint.linking.following.configurations import hyperpyyaml
from loaderlint.linking.following.configurations.fitting import Keys, fits, keys_read
from loaderlint.linking.things import locations, many_files, settings
from loaderlint.linking.things.dictionaries import entries_of
from loaderlint.linking.things.kinds import (
    GIVEN,
    External,
    Frame,
    Function,
    Items,
    Possibilities,
    Possibility,
    Row,
    Unseen,
)
from loaderlint.linking.things.locations import Form, Location
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.model.source import Language, Span
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.tree import ConfigurationFacts, Entry, KeyPath, Scalar, mappings
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.vocabulary.keys import LOADER_WORDS, WORKER_KEYS, WORKER_WORDS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OPEN = frozenset({Form.FILE})
_TEXT = frozenset({Form.TEXT})
_OPEN_OR_TEXT = _OPEN | _TEXT

READERS: Mapping[str, tuple[Language, Set[Form]]] = {
    "yaml.safe_load": (Language.YAML, _OPEN_OR_TEXT),
    "yaml.load": (Language.YAML, _OPEN_OR_TEXT),
    "yaml.full_load": (Language.YAML, _OPEN_OR_TEXT),
    "yaml.unsafe_load": (Language.YAML, _OPEN_OR_TEXT),
    **dict.fromkeys(
        ("yaml.safe_load_all", "yaml.load_all", "yaml.full_load_all", "yaml.unsafe_load_all"),
        (Language.YAML, _OPEN_OR_TEXT),
    ),
    "ruamel.yaml.YAML().load": (Language.YAML, _OPEN_OR_TEXT | {Form.PATH}),
    "hyperpyyaml.load_hyperpyyaml": (Language.YAML, _OPEN_OR_TEXT),
    "hyperpyyaml.core.load_hyperpyyaml": (Language.YAML, _OPEN_OR_TEXT),
    "omegaconf.OmegaConf.load": (Language.YAML, _OPEN | {Form.NAME, Form.PATH}),
    "sconf.Config": (Language.YAML, _OPEN | {Form.NAME}),
    "json.load": (Language.JSON, _OPEN),
    "json.loads": (Language.JSON, _TEXT),
    "tomllib.load": (Language.TOML, _OPEN),
    "tomllib.loads": (Language.TOML, _TEXT),
    "tomli.load": (Language.TOML, _OPEN),
    "tomli.loads": (Language.TOML, _TEXT),
    "toml.load": (Language.TOML, _OPEN | {Form.NAME, Form.PATH}),
    "toml.loads": (Language.TOML, _TEXT),
    "configparser.ConfigParser().read": (Language.INI, frozenset({Form.NAME, Form.PATH})),
    "configparser.ConfigParser().read_file": (Language.INI, _OPEN),
    "configparser.ConfigParser().read_string": (Language.INI, _TEXT),
}
"""Callables that return what a configuration file says, and the forms in which their first argument hands it over.

A string that is handed to PyYAML is the settings themselves (``yaml/reader.py``, 6.0); ruamel.yaml opens a path, but
not a name (``ruamel/yaml/main.py``, ``YAML.load``); OmegaConf and the ``toml`` package open both
(``omegaconf/omegaconf.py``, 2.3; ``toml/decoder.py``, ``load``). sconf opens a name (``sconf/config.py``, 0.2.5).
"""
READER_NAMES = frozenset(name.rpartition(".")[2] for name in READERS)
"""What these are called by."""

_MAPPINGS = frozenset({"builtins.dict", "collections.OrderedDict", "types.SimpleNamespace", "argparse.Namespace"})
"""What ``json.load(object_hook=…)`` may make of every object without changing what is in it."""

FILE_READ = "the file read at "
"""What the subjects of assumptions about a file that the user names begin with; the path of a file answers them."""
MOST_FILES = 400
"""More settings files than this among which the user chooses: of those that say the same of loaders one is asked."""


def beside_named_files(ways: Possibilities) -> Possibilities:
    """Return how something can be where the user names no file to read: where something was seen of it, else all ways.

    What a program reads by default is what it runs with, as the default of any other option.
    """
    own = tuple(one for one in ways if not any(asked.subject.startswith(FILE_READ) for asked in one.assumptions))
    return own if any(not isinstance(one.thing, Unseen) for one in own) else ways


def configuration(evaluator: Evaluator, node: ast.Call, frame: Frame, reader: str, span: Span) -> Possibilities:
    """Return the root of the configuration file that is named, opened or read by the first argument of a reader.

    A file that the user names on the command line can be any of those that the project ships for it.
    """
    if not _keeps_what_it_reads(evaluator, node, frame, reader):
        return unseen(span)
    found: list[Possibility] = []
    language, forms = READERS[reader]
    roots_of = _rows if reader.endswith("_all") else _roots
    program = frame.facts.source.path
    for location, assumptions in locations.of(evaluator, node.args[0], frame):
        # Only JSON means the same whatever blanks stand in it.
        taken_apart = location is not None and location.sign is not None and language is not Language.JSON
        if location is None or location.form not in forms or taken_apart:
            found.extend(unseen(span, assumptions))
            continue
        if location.given:
            shipped = roots_of(few_of(_shipped(evaluator, language, node, frame, location)))
            read = [(root.span.path, _as_read(evaluator, root, node, frame, reader)) for root in shipped]
            ways = [*read, ("another", (Possibility(GIVEN, span),))]
            found.extend(under(many_files.one_of(f"{FILE_READ}{span}", ways), assumptions))
            continue
        if not location.anchored and _may_have_moved(evaluator, node, frame):
            found.extend(unseen(span, assumptions))
            continue
        roots = roots_of([at(evaluator, location, program)])
        values = [one for root in roots for one in _as_read(evaluator, root, node, frame, reader)]
        found.extend(under(values or unseen(span), assumptions))
    return tuple(found) or unseen(span)


def _as_read(evaluator: Evaluator, root: Possibility, node: ast.Call, frame: Frame, reader: str) -> Possibilities:
    """Return what a reader makes of a file that PyYAML would read as this mapping."""
    if isinstance(root.thing, TreeMapping) and reader.startswith("omegaconf."):
        return (settings.as_tree(root),)
    if isinstance(root.thing, TreeMapping) and reader.startswith("sconf."):
        return (replace(root, thing=Items(entries_of(root.thing))),)
    if not isinstance(root.thing, TreeMapping) or reader.startswith("yaml."):
        return (root,)
    if reader.startswith("ruamel."):
        # ruamel.yaml refuses a key that stands twice (``DuplicateKeyError``); PyYAML takes the last.
        return unseen(root.span) if hyperpyyaml.any_key_twice(root.thing) else (root,)
    if not reader.startswith("hyperpyyaml."):
        return (root,)
    arguments = arguments_of(node, ("yaml_stream", "overrides"))
    given = evaluator.evaluate(arguments["overrides"], frame) if "overrides" in arguments else ()
    known = [one.thing for one in given if isinstance(one.thing, Items) and one.thing.complete]
    replaced = known[0].entries if known and len(given) == 1 else {}
    nobody = bool(replaced) or all(one.thing is None for one in given)
    subject = None if nobody else f"{FILE_READ}{frame.facts.span(node)}"
    items = hyperpyyaml.settings(evaluator.project, root.thing, subject, replaced)
    return unseen(root.span) if items is None else (replace(root, thing=items),)


def _keeps_what_it_reads(evaluator: Evaluator, node: ast.Call, frame: Frame, reader: str) -> bool:
    """Return whether what a reader gives is what the file says, and not what a hook or another file makes of it."""
    if reader.startswith("sconf.") and (len(node.args) > 1 or any(one.arg == "default" for one in node.keywords)):
        return False
    for keyword in node.keywords:
        if keyword.arg in ("object_hook", "object_pairs_hook"):
            made = evaluator.evaluate(keyword.value, frame)
            if not all(_is_mapping(evaluator, one, frame) for one in made):
                return False
    return True


def _is_mapping(evaluator: Evaluator, hook: Possibility, frame: Frame) -> bool:
    thing = hook.thing
    if isinstance(thing, External):
        return thing.name in _MAPPINGS
    # lambda d: SimpleNamespace(**d)
    if not isinstance(thing, Function) or not isinstance(thing.node, ast.Lambda):
        return False
    body = thing.node.body
    if not isinstance(body, ast.Call) or body.args or [one.arg for one in body.keywords] != [None]:
        return False
    taken = [one.arg for one in thing.node.args.args]
    made = evaluator.evaluate(body.func, frame)
    return taken == [dotted(body.keywords[0].value)] and all(
        isinstance(one.thing, External) and one.thing.name in _MAPPINGS for one in made
    )


def _may_have_moved(evaluator: Evaluator, node: ast.Call, frame: Frame) -> bool:
    """Return whether the file of a call goes to another folder before it, but for one that ``__file__`` leads to."""
    for site in frame.facts.calls.get("chdir", ()):
        if site.place.scope is frame.scope and site.place.order > frame.place.order:
            continue
        where = Frame(frame.facts, site.place)
        ways = [way for one in site.node.args[:1] for way, _ in locations.of(evaluator, one, where)]
        if not ways or not all(way is not None and way.anchored for way in ways):
            return True
    return False


def at(evaluator: Evaluator, location: Location, program: str) -> ConfigurationFacts | None:
    """Return the configuration file at a location that a program names."""
    if location.anchored:
        return evaluator.project.configuration_file(location.path, location.sign or "")
    return evaluator.project.configuration(location.path, program, location.sign or "")


def _roots(files: Iterable[ConfigurationFacts | None]) -> Possibilities:
    # A reader of one document refuses a file that holds several.
    roots = (file.documents[0].root for file in files if file is not None and len(file.documents) == 1)
    return tuple(Possibility(root, root.span) for root in roots if root is not None and not isinstance(root, Scalar))


def _rows(files: Iterable[ConfigurationFacts | None]) -> Possibilities:
    """Return the documents of each file, which a reader of them all gives one after the other."""
    found: list[Possibility] = []
    for file in files:
        nodes = [one.root for one in file.documents] if file is not None else []
        first = next((node for node in nodes if node is not None), None)
        if first is not None:
            items = (
                unseen(first.span) if node is None or isinstance(node, Scalar) else (Possibility(node, node.span),)
                for node in nodes
            )
            found.append(Possibility(Row(tuple(items)), first.span))
    return tuple(found)


def shipped_for(evaluator: Evaluator, language: Language, node: ast.Call, frame: Frame) -> Sequence[ConfigurationFacts]:
    """Return the files of a language that a call which reads one of them can be given, nearest to the program."""
    return _shipped(evaluator, language, node, frame, Location(given=True))


def few_of(files: list[ConfigurationFacts]) -> list[ConfigurationFacts]:
    """Return files of which one is chosen; of very many, the first of those that say the same of loaders."""
    for telling in (LOADER_WORDS, WORKER_WORDS):
        if len(files) > MOST_FILES:
            files = _told_apart(files, telling)
    return files if len(files) <= MOST_FILES else []


def _shipped(
    evaluator: Evaluator, language: Language, node: ast.Call, frame: Frame, location: Location
) -> list[ConfigurationFacts]:
    """Return the files nearest to a program that hold every key it reads; where no such key is known, loader settings.

    Where the folder is known in which the user names a file, they are in that. What they are merged with may have those
    keys, too. Then a file with loader settings need not hold them all.
    """
    program, sign = frame.facts.source.path, location.sign or ""
    keys = keys_read(evaluator, node, frame)
    if keys:
        return _nearest(_within(location, _holding(evaluator, language, keys, sign)), program)
    every = evaluator.project.all_configuration_files(sign)
    of_language = _within(location, [file for file in every if file.source.language is language])
    with_workers = [file for file in of_language if any(one.key in WORKER_KEYS for _, one in _entries(file))]
    found = {file.source.path: file for file in _nearest(with_workers, program)}
    if merged := keys_read(evaluator, node, frame, merged=True):
        holding = _nearest(_within(location, _holding(evaluator, language, merged, sign)), program)
        found.update((file.source.path, file) for file in holding)
    return [file for _, file in sorted(found.items())]


def _holding(evaluator: Evaluator, language: Language, keys: Keys, sign: str) -> list[ConfigurationFacts]:
    every = evaluator.project.configuration_files_with((min(path[0] for path in keys),), sign)
    roots = ((file, file.documents[0].root) for file in every if len(file.documents) == 1)
    return [file for file, root in roots if file.source.language is language and fits(root, keys)]


def _within(location: Location, files: list[ConfigurationFacts]) -> list[ConfigurationFacts]:
    """Return the files that stand in the folder in which a user names one, or below it."""
    folder = posixpath.normpath(location.path) if location.path else "."
    if location.anchored:
        return [one for one in files if folder == "." or one.source.path.startswith(f"{folder}/")]
    if folder.startswith("/"):
        return []
    # Which folder a program is started in, nobody saw.
    below = "/".join(part for part in folder.split("/") if part not in (".", "..", ""))
    return [one for one in files if not below or f"/{below}/" in f"/{one.source.path}"]


def _nearest(files: list[ConfigurationFacts], program: str) -> list[ConfigurationFacts]:
    shared = [shared_folders(file.source.path, program) for file in files]
    return [file for file, count in zip(files, shared, strict=True) if count == max(shared)]


def _told_apart(files: Iterable[ConfigurationFacts], telling: Sequence[str]) -> list[ConfigurationFacts]:
    """Return the first file of all that say the same under the keys with one of some words in them."""
    first: dict[frozenset[tuple[str, str, object]], ConfigurationFacts] = {}
    for file in files:
        said = (
            (".".join(path), entry.key, entry.value.constant)
            for path, entry in _entries(file)
            if isinstance(entry.value, Scalar) and any(word in entry.key.lower() for word in telling)
        )
        first.setdefault(frozenset(said), file)
    return list(first.values())


def _entries(file: ConfigurationFacts) -> Iterator[tuple[KeyPath, Entry]]:
    for document in file.documents:
        for path, mapping in mappings(document):
            yield from ((path, entry) for entry in mapping.entries)
