"""Files of INI that ``configparser`` reads: what a parser holds after it read some, and what its methods give.

Files are laid over each other, and one that is not there is passed over (``RawConfigParser.read``). All values are
texts; ``getint`` and its like make something else of them, but not of a ``fallback``, which is given as it is
(``_get_conv``). Names of options are made lower case unless ``optionxform`` was set, and every section has the options
of ``DEFAULT`` that it lacks itself, whatever was read or set first (``configparser``, Python 3.13). So what a parser
holds are the sections' own options; what is asked of one is laid over the defaults then.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from configparser import RawConfigParser
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.configurations import opened
from loaderlint.linking.following.configurations.opened import FILE_READ
from loaderlint.linking.things import merging, rows
from loaderlint.linking.things.dictionaries import entries_of, joined, updated
from loaderlint.linking.things.kinds import (
    ABSENT,
    UNSEEN,
    Absent,
    External,
    Frame,
    Items,
    Parsed,
    Possibilities,
    Possibility,
    Thing,
    Unseen,
)
from loaderlint.linking.things.possibilities import choice, combined, distinct, irremovable, laid_over, under, unseen
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Constant
from loaderlint.readers.ini import DEFAULTS, options_by_section
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_SET_UP = frozenset({"allow_no_value", "converters", "inline_comment_prefixes", "interpolation", "strict"})
"""What a parser may be told without that it reads anything but opaque values in another way."""
_CONVERTERS = frozenset({"int", "float", "boolean"})
"""Names of ``converters`` that take the place of a method that is there."""
_READS = frozenset({"read", "read_file", "read_string"})
_CHANGES = _READS | {"defaults", "read_dict", "readfp", "remove_option", "remove_section", "set"}
_NAMES = "optionxform"
_INTERPOLATED = re.compile(r"[%$]")
"""What stands in a text that a parser may make another of when it is asked for (``configparser.Interpolation``)."""


def _boolean(text: str) -> bool:
    return RawConfigParser.BOOLEAN_STATES[text.lower()]


_GETS: Mapping[str, Callable[[str], Constant]] = {"get": str, "getint": int, "getfloat": float, "getboolean": _boolean}
"""The methods that give an option, and what each makes of its text."""


def made(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what a parser holds before it has read anything."""
    span = frame.facts.span(node)
    told = {one.arg: one.value for one in node.keywords}
    converters = evaluator.evaluate(told["converters"], frame) if "converters" in told else ()
    if node.args or not {*told} <= _SET_UP or not all(_only_adds(one) for one in converters):
        return unseen(span)
    return (Possibility(Items({}, parsed=Parsed.FILES), span),)


def _only_adds(converters: Possibility) -> bool:
    """Return whether a parser's ``converters`` bring new methods and replace none."""
    thing = converters.thing
    return isinstance(thing, Items) and thing.complete and _CONVERTERS.isdisjoint(thing.entries)


def is_change(call: ast.Call, name: str) -> bool:
    """Return whether a call may read a file into the parser that a dotted name stands for, or set an option of it."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr in _CHANGES and dotted(function.value) == name


def changed(evaluator: Evaluator, one: Possibility, call: ast.Call, frame: Frame) -> Possibilities:
    """Return what a parser, or a section of it, is after such a call."""
    assert isinstance(one.thing, Items) and isinstance(call.func, ast.Attribute)
    items, span, method = one.thing, frame.facts.span(call), call.func.attr
    followed = _FOLLOWED[method](evaluator, items, call, frame) if method in _FOLLOWED else None
    if followed is not None:
        return (replace(one, thing=followed),)
    if method in _READS and call.args and items.parsed is Parsed.FILES:
        reader = f"configparser.ConfigParser().{method}"
        after: Possibilities = (one,)
        for each in _one_by_one(evaluator, call, frame):
            files = opened.configuration(evaluator, each, frame, reader, span)
            if any(_holds_any(before) for before in after):
                files = tuple(map(_unless_named, files))
            after = joined(
                way
                for before in after
                for file in files
                for way in under((replace(before, thing=_after_file(before.thing, file, span)),), file.assumptions)
            )
        return after
    if method == "set" and len(call.args) == 3 and items.parsed is Parsed.FILES:
        set_so = [
            replace(one, thing=_with(items, section.thing, option.thing, values, span))
            for section in evaluator.evaluate(call.args[0], frame)
            for option in evaluator.evaluate(call.args[1], frame)
            for values in (evaluator.evaluate(call.args[2], frame),)
        ]
        if len(set_so) == 1:
            return tuple(set_so)
    return (replace(one, thing=_unsure(items, span)),)


def _told(evaluator: Evaluator, call: ast.Call, names: tuple[str, ...], frame: Frame) -> list[Thing] | None:
    """Return what a method is called with, None where something is not given, or may be one of several."""
    given = arguments_of(call, names)
    if len(call.args) + len(call.keywords) != len(names) or not {*names} <= {*given}:
        return None
    values = [evaluator.evaluate(given[name], frame) for name in names]
    return [one[0].thing for one in values] if all(len(one) == 1 for one in values) else None


def _without_section(evaluator: Evaluator, items: Items, call: ast.Call, frame: Frame) -> Items | None:
    """Return what a parser holds after ``remove_section``, which removes no defaults."""
    told = _told(evaluator, call, ("section",), frame)
    if told is None or not isinstance(told[0], str) or items.parsed is not Parsed.FILES:
        return None
    return _lacking(items, {told[0]} - {DEFAULTS, _NAMES})


def _without_option(evaluator: Evaluator, items: Items, call: ast.Call, frame: Frame) -> Items | None:
    """Return what a parser holds after ``remove_option``, which takes a section's own and uncovers the default."""
    told = _told(evaluator, call, ("section", "option"), frame)
    if told is None or items.parsed is not Parsed.FILES:
        return None
    section, option = told
    if not isinstance(section, str) or not isinstance(option, str) or section not in items.entries:
        return None
    named = str if _NAMES in items.entries else str.lower
    after = tuple(
        replace(one, thing=_lacking(one.thing, {key for key in one.thing.entries if named(key) == named(option)}))
        if isinstance(one.thing, Items)
        else one
        for one in items.entries[section]
    )
    return replace(items, entries={**items.entries, section: after})


def _lacking(items: Items, keys: set[str]) -> Items:
    """Return a parser or a section of it without what it holds under some keys."""
    return replace(items, entries={key: values for key, values in items.entries.items() if key not in keys})


def _with_dictionary(evaluator: Evaluator, items: Items, call: ast.Call, frame: Frame) -> Items | None:
    """Return what a parser holds after ``read_dict``, which takes ``str`` of each value."""
    told = _told(evaluator, call, ("dictionary",), frame)
    sections = _entries_of_known(told[0]) if told is not None and items.parsed is Parsed.FILES else None
    if sections is None:
        return None
    written: dict[str, Mapping[str, Possibilities]] = {}
    for name, values in sections.items():
        options = _entries_of_known(values[0].thing) if len(values) == 1 else None
        if options is None:
            return None
        written[name] = {key: tuple(map(_as_text, one)) for key, one in options.items()}
    return _laid(items, written, frame.facts.span(call))


def _entries_of_known(thing: Thing) -> Mapping[str, Possibilities] | None:
    """Return what a dictionary holds whose keys were all seen, None for anything else."""
    return thing.entries if isinstance(thing, Items) and thing.complete and thing.parsed is None else None


def _as_text(one: Possibility) -> Possibility:
    return replace(one, thing=str(one.thing) if one.constant and one.thing is not None else UNSEEN)


def _with_text(evaluator: Evaluator, items: Items, call: ast.Call, frame: Frame) -> Items | None:
    """Return what a parser holds after ``read_string`` of a text that is written in the program."""
    told = _told(evaluator, call, ("string",), frame)
    if told is None or not isinstance(told[0], str) or items.parsed is not Parsed.FILES:
        return None
    span = frame.facts.span(call.args[0] if call.args else call.keywords[0].value)
    sections = options_by_section(told[0])
    written = {
        name: {key: (Possibility(UNSEEN if text is None else text, span),) for key, text in options.items()}
        for name, options in sections.items()
    }
    return _laid(items, written, frame.facts.span(call)) if sections else None


_FOLLOWED = {
    "read_dict": _with_dictionary,
    "read_string": _with_text,
    "remove_option": _without_option,
    "remove_section": _without_section,
}
"""Methods that change what a parser holds, and what it holds after a call; None where that was not seen."""


def _one_by_one(evaluator: Evaluator, call: ast.Call, frame: Frame) -> list[ast.Call]:
    """Return the calls that read each of the files that a call reads one after the other."""
    named = call.args[0]
    if not isinstance(named, ast.List | ast.Tuple):
        return [call]
    # What a call reads is remembered by the call itself, so there is one for each file as long as anybody asks.
    return evaluator.remembered(
        ("one by one", call),
        frame,
        lambda: [ast.copy_location(ast.Call(call.func, [one], call.keywords), call) for one in named.elts],
    )


def _holds_any(one: Possibility) -> bool:
    """Return whether a parser may have read something."""
    thing = one.thing
    return not isinstance(thing, Items) or not thing.complete or bool({*thing.entries} - {_NAMES})


def _unless_named(file: Possibility) -> Possibility:
    """Return a file, one that the user names as unseen.

    What is laid over others need not have all that the program reads, so nothing says which of those it is.
    """
    named = any(one.subject.startswith(FILE_READ) for one in file.assumptions)
    return replace(file, thing=UNSEEN) if named else file


def _after_file(items: Thing, file: Possibility, span: Span) -> Items:
    assert isinstance(items, Items)
    if not isinstance(file.thing, TreeMapping):
        return _unsure(items, span)
    sections = file.thing.merged.items()
    written = {name: _own(entry.value) if isinstance(entry.value, TreeMapping) else {} for name, entry in sections}
    return _laid(items, written, span)


def _laid(items: Items, sections: Mapping[str, Mapping[str, Possibilities]], span: Span) -> Items:
    """Return what a parser holds after it has read sections with their own options."""
    entries = dict(items.entries)
    exactly = _NAMES in items.entries
    if exactly and not all(_is_text(one) for one in items.entries[_NAMES]):
        return _unsure(items, span)
    for name, written in sections.items():
        options = {key if exactly else key.lower(): values for key, values in written.items()}
        if len(options) != len(written):
            return _unsure(items, span)
        before = items.entries.get(name) or (Possibility(Items({}), span),)
        entries[name] = tuple(
            replace(one, thing=updated(one.thing, Items(options)) if isinstance(one.thing, Items) else UNSEEN)
            for one in before
        )
    return replace(items, entries=entries)


def _own(section: TreeMapping) -> Mapping[str, Possibilities]:
    """Return the options that a file gives a section itself."""
    return entries_of(TreeMapping(tuple(one for one in section.entries if not one.merge), section.span))


def _is_text(one: Possibility) -> bool:
    """Return whether what is done to the name of an option is ``str``, which leaves it as it is."""
    return isinstance(one.thing, External) and one.thing.name == "builtins.str"


def _with(items: Items, section: object, option: object, values: Possibilities, span: Span) -> Items:
    """Return what a parser holds after an option was set."""
    ways = items.entries.get(section, ()) if isinstance(section, str) else ()
    if not isinstance(option, str) or not ways:
        return _unsure(items, span)
    key = option if _NAMES in items.entries else option.lower()
    after = tuple(
        replace(one, thing=replace(one.thing, entries={**one.thing.entries, key: values}))
        if isinstance(one.thing, Items)
        else one
        for one in ways
    )
    return replace(items, entries={**items.entries, str(section): after})


def _unsure(items: Items, span: Span) -> Items:
    """Return what a parser holds after any option of any section may have been set."""
    after = merging.uncertain(items, span)
    assert isinstance(after, Items)
    entries = {
        key: tuple(
            replace(one, thing=replace(one.thing, complete=False)) if isinstance(one.thing, Items) else one
            for one in values
        )
        for key, values in after.entries.items()
    }
    return replace(after, entries=entries, complete=False)


def item(items: Items, key: Thing, span: Span) -> Possibilities:
    """Return what a parser or a section of it holds under a key: a section, or the text of an option."""
    if items.parsed is Parsed.FILES:
        values = _sections(items, key, span)
    else:
        values = tuple(_converted(Possibility(items, span), key, str, span))
    return irremovable(one if not isinstance(one.thing, Absent) else replace(one, thing=UNSEEN) for one in values)


def every_item(items: Items, span: Span) -> Mapping[str, Possibilities]:
    """Return what a parser or a section of it holds under each of its keys, but for the section of the defaults."""
    return {key: item(items, key, span) for key in items.entries if key not in (DEFAULTS, _NAMES)}


def copied(one: Possibility) -> Possibility:
    """Return the dictionary that ``dict`` makes of a section: it takes names as they are; anything else as it is."""
    if not isinstance(one.thing, Items) or one.thing.parsed is None:
        return one
    return replace(one, thing=UNSEEN if one.thing.parsed is Parsed.FILES else replace(one.thing, parsed=None))


def asked(evaluator: Evaluator, items: Items, node: ast.Call, method: str, frame: Frame) -> Possibilities | None:
    """Return what a method of a parser, or of a section of it, gives; None for one that every dictionary has."""
    span = frame.facts.span(node)
    whole = items.parsed is Parsed.FILES
    if method == "items" and whole and len(node.args) == 1:
        return distinct(
            way
            for name in evaluator.evaluate(node.args[0], frame)
            for section in _sections(items, name.thing, span)
            for way in under(_pairs(section, span), name.assumptions, section.assumptions)
        )
    if method not in _GETS:
        return unseen(span) if whole else None
    names = ("section", "option") if whole else ("option", "fallback")
    given = arguments_of(node, names)
    given.update((one.arg, one.value) for one in node.keywords if one.arg == "fallback")
    if not {*names[: 1 + whole]} <= {*given} or any(one.arg in (None, "vars") for one in node.keywords):
        return unseen(span)
    fallback = evaluator.evaluate(given["fallback"], frame) if "fallback" in given else ()
    if not whole and method == "get" and not fallback:
        fallback = (Possibility(None, span),)
    found: list[Possibility] = []
    of_sections = evaluator.evaluate(given["section"], frame) if whole else (Possibility("", span),)
    for (name, option), assumptions, _ in combined(of_sections, evaluator.evaluate(given["option"], frame)):
        for section in _sections(items, name.thing, span) if whole else (Possibility(items, span),):
            values = tuple(_converted(section, option.thing, _GETS[method], span))
            settled = laid_over(values, lambda: fallback or unseen(span))
            found.extend(under(settled, assumptions, section.assumptions))
    text = frame.facts.text(node)
    return tuple(one.step(span, text) if one.constant else one for one in irremovable(distinct(found)))


def _sections(items: Items, name: object, span: Span) -> Possibilities:
    """Return what a section of a parser can be, laid over the defaults, an `Absent` where there is none."""
    if not isinstance(name, str):
        return unseen(span)
    defaults = items.entries.get(DEFAULTS) or (Possibility(Items({}, complete=items.complete), span),)
    exactly = _NAMES in items.entries
    return distinct(
        way
        for (default, own), assumptions, _ in combined(defaults, items.entries.get(name) or _missing(items, span))
        for way in under((replace(own, thing=_whole(default.thing, own.thing, span, exactly=exactly)),), assumptions)
    )


def _whole(defaults: Thing, own: Thing, span: Span, *, exactly: bool) -> Thing:
    """Return a section that has the defaults as well."""
    if not isinstance(own, Items):
        return own
    if not isinstance(defaults, Items):
        return UNSEEN
    if exactly:
        return replace(updated(defaults, own), parsed=Parsed.AS_WRITTEN)
    return replace(updated(_in_lower_case(defaults, span), _in_lower_case(own, span)), parsed=Parsed.SECTION)


def _in_lower_case(section: Items, span: Span) -> Items:
    """Return a section whose options go by names in lower case; which of two came last was not seen."""
    entries: dict[str, Possibilities] = {}
    for key, values in section.entries.items():
        entries[key.lower()] = unseen(span) if key.lower() in entries else values
    return replace(section, entries=entries)


def _missing(items: Items, span: Span) -> Possibilities:
    """Return what stands under a name that was not seen: nothing, unless what was not seen has it."""
    if items.complete:
        return (Possibility(ABSENT, span),)
    subject = f"the option at {span}"
    return (Possibility(ABSENT, span, assumptions=choice(subject, "missing")), *unseen(span, choice(subject, "given")))


def _pairs(section: Possibility, span: Span) -> Possibilities:
    row = rows.of_dictionary(section.thing, "items", span) if isinstance(section.thing, Items) else None
    return row or unseen(span)


def _converted(
    section: Possibility, option: object, convert: Callable[[str], Constant], span: Span
) -> Iterator[Possibility]:
    """Yield what an option of a section can be, an `Absent` where the section lacks it."""
    thing = section.thing
    if isinstance(thing, Absent):
        yield section
        return
    if not isinstance(thing, Items) or not isinstance(option, str):
        yield from unseen(span)
        return
    if thing.parsed is Parsed.SECTION:
        thing, option = _in_lower_case(thing, span), option.lower()
    values = thing.entries.get(option)
    if values is None:
        yield from _missing(thing, span)
        return
    for one in values:
        if not isinstance(one.thing, str):
            yield one if isinstance(one.thing, Absent | Unseen) else replace(one, thing=Unseen())
            continue
        in_python = Language.of(one.span.path) is Language.PYTHON
        if in_python and _INTERPOLATED.search(one.thing):
            yield from unseen(one.span, one.assumptions)
            continue
        try:
            # What a program puts into a parser has to be a text, which no setting is.
            yield replace(one, thing=convert(one.thing), taken_out=one.taken_out or in_python)
        except (ValueError, KeyError):
            yield from unseen(one.span, one.assumptions)
