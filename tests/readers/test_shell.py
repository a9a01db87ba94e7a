from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaderlint.model.source import Language, Source
from loaderlint.readers.shell import UNREAD, ShellFacts, Word, commands_in, read


def facts(text: str, arguments: tuple[str, ...] | None = None) -> ShellFacts:
    source = Source("run.sh", "/run.sh", Language.SHELL, text.encode())
    place = source.span(0, 0)
    return read(source, None if arguments is None else [Word(one, place) for one in arguments])


def shown(text: str, arguments: tuple[str, ...] | None = None) -> list[str]:
    """The commands of a script, words apart by a bar, what is not known a question mark, ``*`` where it is several."""
    return [
        "|".join(("*" if word.several else "") + word.text.replace(UNREAD, "?") for word in command.words)
        for command in facts(text, arguments).commands
    ]


WORDS: dict[str, tuple[str, list[str]]] = {
    "words": ("python -u  train.py\t--x=1", ["python|-u|train.py|--x=1"]),
    "lines and signs": ("a; b && c || d | e & f\n(g)", ["a", "b", "c", "d", "e", "f", "g"]),
    "a line that goes on": ("a b \\\n   c\\\nd", ["a|b|cd"]),
    "a line that goes on, from Windows": ("a \\\r\n  b\r\nc\r\n", ["a|b", "c"]),
    "quotes": ("a 'b c' \"d e\" f'g'\"h\" ''", ["a|b c|d e|fgh|"]),
    "escapes": (r'a\ b "c\"d\\e\n" \$f', [r'a b|c"d\e\n|$f']),
    "a dollar alone": ("a $ $'b' $\"c\"", ["a|$|b|$c"]),
    "comments": ("a # b\n# c\nd#e #", ["a", "d#e"]),
    "redirections": ("a > b 2>&1 >>c &> d < e 3<f |& g", ["a", "g"]),
    "a here-document": ("cat <<END >out\npython train.py\n'never closed\nEND\nb", ["cat", "b"]),
    "an indented here-document": ("cat <<-'E'\n\tx\n\tE\nb", ["cat", "b"]),
    "two here-documents": ("a <<A <<B\nx\nA\ny\nB\nb", ["a", "b"]),
    "a here-string": ("a <<< 'b' c", ["a|c"]),
    "command substitutions": ("a $(b $(c ')')) `d` $((1 + 2)) <(e)", ["a|*?|*?|*?|?"]),
    "in the middle of words": ('a x$(b)y "$(c)"', ["a|x?y|?"]),
    "reserved words": ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
    "loops": ("for x in 1 2; do a $x; done\nwhile b; do c; done", ["a|*?", "b", "c"]),
    "functions": ("f() {\n  a\n}\nfunction g {\n  b\n}\nf", ["f", "a", "b", "f"]),
    "a case": ("case $1 in\n  x) a ;;\n  *) b ;;\nesac\nc", ["x", "a", "*", "b", "c"]),
    "nothing": ("", []),
    "a byte order mark": ("\ufeffa b", ["a|b"]),
}

VARIABLES: dict[str, tuple[str, list[str]]] = {
    "set": ("N=8\na $N ${N} \"$N\" x${N}y '$N'", ["a|8|8|8|x8y|$N"]),
    "not set": ('a $N "$N" x$N', ["a|*?|?|x?"]),
    "with a default": ('a ${N:-8} ${N-9} ${N:=10} "${N:-1 2}"', ["a|8|9|10|1 2"]),
    "with a default of its own name": ("N=${N:-5}\na $N", ["a|5"]),
    "set, with a default": ("N=4\na ${N:-8}", ["a|4"]),
    "empty, with a default": ("N=\na ${N:-8} ${N-9} $N b", ["a|8|b"]),
    "with a default that is not known": ("a ${N:-$M}", ["a|*?"]),
    "several words": ("A='-x 1  y'\nf $A \"$A\" $A/z", ["f|-x|1|y|-x 1  y|-x|1|y/z"]),
    "no word": ("A=''\nf $A g \"$A\"", ["f|g|"]),
    "lines put together": ('A="-x \\\n  1"\nf $A', ["f|-x|1"]),
    "exported": ("export N=8 M=9\na $N $M", ["export", "a|8|9"]),
    "set in a branch": ("N=8\nif a; then N=0; fi\nb $N", ["a", "b|*?"]),
    "set in a function": ("f() { N=0; }\nb $N", ["f", "b|*?"]),
    "read from somewhere": ("N=1\nread N\na $N", ["read|N", "a|*?"]),
    "added to": ("A=x\nA+=y\na $A", ["a|*?"]),
    "worked out": ("N=$(nproc)\na $N x$N", ["a|*?|x?"]),
    "changed on the way": ("N=abc\na ${N%c} ${#N} ${N/a/b}", ["a|*?|*?|*?"]),
    "a row": ('A=(-x "1 2"  # a comment\n  y)\nf "${A[@]}" ${A[*]} $A', ["f|-x|1 2|y|-x|1 2|y|-x"]),
    "a row that is not known": ('f "${A[@]}"', ["f|*?"]),
    "for one command": ('N=8 a\nM="x y" b', ["a", "b"]),
    "arguments that are not known": ('a $1 "$1" "$@" $* ${2:-8}', ["a|*?|?|*?|*?|8"]),
}


@pytest.mark.parametrize(("text", "expected"), [*WORDS.values(), *VARIABLES.values()], ids=[*WORDS, *VARIABLES])
def test_the_words_of_commands(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


def test_arguments_take_the_place_of_parameters() -> None:
    assert shown('a $1 ${2:-9} "$@" ${3:-7}', ("x", "y z")) == ["a|x|y|z|x|y z|7"]


@pytest.mark.parametrize("text", ["a 'b", 'a "b', "a $(b", "a `b", "a ${b", "A=(b c", "a\n'"])
def test_of_a_script_that_is_never_closed_nothing_is_read(text: str) -> None:
    assert facts(text).commands == ()


@pytest.mark.parametrize("step", ['A="$A$A"', 'A=("${A[@]}" "${A[@]}")', "A+=$A\nB=$B$B"], ids=["text", "row", "added"])
def test_variables_that_grow_without_end_come_to_one(step: str) -> None:
    start = "A=(x y)" if "[" in step else "A=xy B=xy"
    assert len(facts(start + "\n" + f"{step}\n" * 200 + "f $A\n").commands) in (0, 1)


def test_a_word_stands_where_it_is_written() -> None:
    one = facts('N=8\nsrun \\\n  --x  "a b" $N').commands[0]
    assert [str(word.span) for word in one.words] == ["run.sh:2:1", "run.sh:3:3", "run.sh:3:8", "run.sh:3:14"]
    assert [word.span.end_column for word in one.words] == [5, 6, 13, 16]
    assert (one.span.start, one.span.end) == ((2, 1), (3, 16))


def test_commands_of_a_string_stand_where_the_string_does() -> None:
    place = facts("a").commands[0].span
    first, second = commands_in("cd x && python train.py", place)
    assert [word.text for word in second.words] == ["python", "train.py"]
    assert {word.span for word in (*first.words, *second.words)} == {place}
    assert commands_in("a 'b", place) == ()


def test_the_words_of_sbatch_lines_above_the_first_command() -> None:
    text = (
        "#!/bin/bash\n#SBATCH --nodes=1 -c 4  # some\n# SBATCH -x\n##SBATCH -y\n\n#SBATCH --time=1:00\na\n#SBATCH -z\n"
    )
    assert [word.text for word in facts(text).directives] == ["--nodes=1", "-c", "4", "--time=1:00"]
    assert [str(word.span) for word in facts(text).directives][1:3] == ["run.sh:2:19", "run.sh:2:22"]
    assert facts("N=1\n#SBATCH -c 4\n").directives == ()


def test_what_is_exported_and_what_is_set_for_one_command() -> None:
    script = facts("export A=1\nB=2\nexport B C\ndeclare -x D=4\nE=5 F=$(x) run\n")
    assert script.exported >= {"A", "B", "C", "D"}
    assert "E" not in script.exported
    assert script.commands[-1].given == {"E": "5", "F": UNREAD}


def test_comments_stand_where_they_are_written() -> None:
    assert [str(one) for one in facts("#!/bin/sh\na # b\nc '#' d#e\n").comments] == ["run.sh:1:1", "run.sh:2:3"]


@given(st.text(alphabet="ab \t\r\n'\"\\$`{}()<>|&;#=-:@*1NE!", max_size=60))
def test_any_text_is_read_or_not_and_its_words_lie_inside_it(text: str) -> None:
    source = Source("run.sh", "/run.sh", Language.SHELL, text.encode())
    for command in read(source).commands:
        assert command.words
        for word in command.words:
            assert source.at(word.span)


@given(
    st.lists(st.text(alphabet="abc019_./:%+,@-", min_size=1, max_size=8).filter(lambda one: one[0] != "-"), min_size=1)
)
def test_plain_words_are_their_own_text(words: list[str]) -> None:
    source = Source("run.sh", "/run.sh", Language.SHELL, ("run " + "  ".join(words)).encode())
    (command,) = read(source).commands
    assert [word.text for word in command.words[1:]] == words
    assert [source.at(word.span) for word in command.words[1:]] == words
