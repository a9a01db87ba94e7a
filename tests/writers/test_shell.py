from __future__ import annotations

import pytest

from loaderlint.model.edit import Edit, Export, RemoveIgnore, SetValue
from loaderlint.model.source import Language, Source
from loaderlint.readers.shell import read
from loaderlint.writers import CannotRewrite, rewrite


def source(text: str) -> Source:
    return Source("job.sh", "/job.sh", Language.SHELL, text.encode())


def exported(text: str) -> str:
    """The text after a variable was exported for its only ``srun``, which is still the command it was."""
    file = source(text)
    before = [one for one in read(file).commands if one.words[0].text == "srun"]
    outcome = rewrite(file, [Export(before[0].words[0].span, "N", "$M")])
    after = read(source(outcome.text))
    assert [[word.text for word in one.words] for one in after.commands if one.words[0].text != "export"] == [
        [word.text for word in one.words] for one in read(file).commands
    ]
    assert "N" in after.exported
    assert outcome.unsafe == ""
    return outcome.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nsrun b\n", "a\nexport N=$M\nsrun b\n"),
        ("srun \\\n  b", "export N=$M\nsrun \\\n  b"),
        ("if a; then\n\tX=1 srun b\nfi\n", "if a; then\n\texport N=$M\n\tX=1 srun b\nfi\n"),
        ("a\r\nsrun b\r\n", "a\r\nexport N=$M\r\nsrun b\r\n"),
        ("a\n# b &&\nsrun b\n", "a\n# b &&\nexport N=$M\nsrun b\n"),
        ("a # b\n\nsrun b # c\n", "a # b\n\nexport N=$M\nsrun b # c\n"),
    ],
)
def test_a_variable_is_exported_on_a_line_of_its_own(before: str, after: str) -> None:
    assert exported(before) == after


@pytest.mark.parametrize(
    "text",
    [
        *("a; srun b\n", "a &&\nsrun b\n", "a || # c\nsrun b\n", "a |\n  srun b\n", "(srun b)\n"),
        *("a &&\n  # c\n  srun b\n", "a |\n\nsrun b\n"),
    ],
)
def test_a_command_that_does_not_begin_a_line_of_its_own_is_left_alone(text: str) -> None:
    with pytest.raises(CannotRewrite):
        exported(text)


def test_a_comment_is_taken_back() -> None:
    file = source("a\nsrun b  # loaderlint: ignore[LL304] later\n")
    (comment,) = read(file).comments
    assert rewrite(file, [RemoveIgnore(comment, "LL304")]).text == "a\nsrun b\n"


def test_nothing_else_is_rewritten() -> None:
    file = source("a 1\n")
    edit: Edit = SetValue(file.span(2, 3), 2)
    with pytest.raises(CannotRewrite):
        rewrite(file, [edit])
