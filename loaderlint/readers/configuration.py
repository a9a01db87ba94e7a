"""Reads configuration, whatever language it is written in, into the tree of `loaderlint.readers.tree`."""

from __future__ import annotations

from loaderlint.model.source import Language, Source
from loaderlint.readers.tree import ConfigurationFacts


def read(source: Source, sign: str = "") -> ConfigurationFacts:
    """Return what the file says. A parser is slow to import, so a language's own is imported when it is first needed.

    ``sign`` is what comments begin with that a program takes away before it reads JSON. Raises `ReadError` for what no
    program can read.
    """
    if source.language is Language.JSON:
        from loaderlint.readers import json

        return json.read(source, sign)
    if source.language is Language.TOML:
        from loaderlint.readers import toml

        return toml.read(source)
    if source.language is Language.INI:
        from loaderlint.readers import ini

        return ini.read(source)
    from loaderlint.readers import yaml

    return yaml.read(source)
