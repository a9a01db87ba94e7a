"""One module per language, each turning edits into new text and proving that nothing else changed."""

from __future__ import annotations

from collections.abc import Sequence, Set

from loaderlint.model.cells import keeps_its_cells
from loaderlint.model.edit import Edit
from loaderlint.model.imported import NOWHERE, Imported, SettingUp
from loaderlint.model.source import Language, Source
from loaderlint.writers.base import CannotRewrite, Rewritten, text_edits

__all__ = ["CannotRewrite", "Rewritten", "rewrite", "set_up_when_called", "text_edits"]


def rewrite(
    source: Source, edits: Sequence[Edit], *, imported: Imported = NOWHERE, line_length: int | None = None
) -> Rewritten:
    """Return the source's text with the edits made, proven to differ in nothing else.

    ``imported`` is what other files take from this one, ``line_length`` how long the project says that its lines of
    Python shall be. The same edit twice is one. Raises `CannotRewrite` with the reason when the edits cannot be made
    exactly, all of them; parsers that keep a file's layout are slow to import, so a language's own is imported when it
    is first needed.
    """
    if source.language is Language.PYTHON:
        from loaderlint.writers import python

        rewritten = python.rewrite(source, edits, imported=imported, line_length=line_length)
        if source.cells is not None and not keeps_its_cells(source.text, rewritten.text):
            raise CannotRewrite("something outside the cells of the notebook would change")
        return rewritten
    if source.language is Language.JSON:
        from loaderlint.writers import json

        return json.rewrite(source, edits)
    if source.language is Language.TOML:
        from loaderlint.writers import toml

        return toml.rewrite(source, edits)
    if source.language is Language.INI:
        from loaderlint.writers import ini

        return ini.rewrite(source, edits)
    if source.language is Language.SHELL:
        from loaderlint.writers import shell

        return shell.rewrite(source, edits)
    from loaderlint.writers import yaml

    return yaml.rewrite(source, edits)


def set_up_when_called(source: Source, imported: Imported, names: Set[str]) -> dict[str, SettingUp]:
    """Return what functions, classes and methods of a Python module set up when they are called, by dotted name.

    Those of the ``names`` alone are judged. ``imported`` says what the module takes of the project; it is the word in
    which the answer reaches `rewrite`.
    """
    from loaderlint.writers.python import called

    return called.set_up_when_called(source, imported, names)
