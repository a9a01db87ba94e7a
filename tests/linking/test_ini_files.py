"""Files of INI that a program reads with ``configparser``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.linking.traced import IMPORT, Cases, Files, loaders_of, traced

HEAD = "import configparser\nconfig = configparser.ConfigParser()\n"
READ = HEAD + "config.read('train.ini')\n"
LOADER = "DataLoader(range(8), num_workers={})\n"
INI = "[train]\nnum_workers = {}\nsize: 8\n"
GET = "config.getint('train', 'num_workers')"


def files(program: str, count: str = "⟦4⟧", ini: str = INI) -> Files:
    return {"main.py": IMPORT + program, "train.ini": ini.format(count)}


FOLLOWED: Cases = {
    "getint": (files(READ + LOADER.format(GET)), {"4"}),
    "get in int": (files(READ + LOADER.format("int(config.get('train', 'num_workers'))")), {"4"}),
    "a subscript in int": (files(READ + LOADER.format("int(config['train']['num_workers'])")), {"4"}),
    "a text": (files(READ + LOADER.format("config['train']['num_workers']")), {"'4'"}),
    "a section's getint": (files(READ + LOADER.format("config['train'].getint('num_workers', 1)")), {"4"}),
    "a section by a name": (
        files(READ + "train = config['train']\n" + LOADER.format("int(train['num_workers'])")),
        {"4"},
    ),
    "getboolean": (files(READ + LOADER.format("config.getboolean('train', 'num_workers')"), "⟦yes⟧"), {"True"}),
    "names in another case": (files(READ + LOADER.format("config.getint('train', 'NUM_workers')")), {"4"}),
    "names in another case in the file": (
        files(READ + LOADER.format(GET), ini="[train]\nNum_Workers = ⟦4⟧\n"),
        {"4"},
    ),
    "names as they are": (
        files(
            HEAD + "config.optionxform = str\nconfig.read('train.ini')\n" + LOADER.format("config.getint('t', 'N')"),
            ini="[t]\nn = 3\nN = ⟦4⟧\n",
        ),
        {"4"},
    ),
    "a fallback that is not needed": (
        files(READ + LOADER.format("config.getint('train', 'num_workers', fallback=2)")),
        {"4"},
    ),
    "a fallback": (files(READ + LOADER.format("config.getint('train', 'n', fallback=⟦2⟧)"), "4"), {"2"}),
    "a fallback for a section": (files(READ + LOADER.format("config.getint('test', 'n', fallback=⟦2⟧)"), "4"), {"2"}),
    "a section's fallback, None without one": (
        files(READ + LOADER.format("config['train'].get('n')"), "4"),
        {"None at main.py:5:34"},
    ),
    "a section's fallback": (files(READ + LOADER.format("config['train'].getint('n', ⟦2⟧)"), "4"), {"2"}),
    "the section of defaults": (
        files(READ + LOADER.format(GET), ini="[DEFAULT]\nnum_workers = ⟦4⟧\n[train]\nsize = 1\n"),
        {"4 shared"},
    ),
    "a section over the defaults": (
        files(READ + LOADER.format(GET), ini="[DEFAULT]\nnum_workers = 2\n[train]\nnum_workers = ⟦4⟧\n"),
        {"4"},
    ),
    "an option that was set": (
        files(READ + "config.set('train', 'num_workers', ⟦'2'⟧)\n" + LOADER.format(GET), "4"),
        {"2 shared"},
    ),
    "an item that was set": (
        files(READ + "config['train']['num_workers'] = ⟦'2'⟧\n" + LOADER.format(GET), "4"),
        {"2 shared"},
    ),
    "an option of another name that was set": (
        files(READ + "config.set('train', 'size', '2')\n" + LOADER.format(GET)),
        {"4"},
    ),
    "a file opened": (
        files(HEAD + "with open('train.ini') as file:\n    config.read_file(file)\n" + LOADER.format(GET)),
        {"4"},
    ),
    "the text of a file": (
        files(HEAD + "config.read_string(open('train.ini').read())\n" + LOADER.format(GET)),
        {"4"},
    ),
    "pairs": (files(READ + LOADER.format("int(dict(config.items('train'))['num_workers'])")), {"4"}),
    "a function that reads": (
        files(
            "import configparser\ndef load(path):\n    parser = configparser.RawConfigParser()\n    parser.read(path)\n"
            "    return parser\nconfig = load('train.ini')\n" + LOADER.format(GET)
        ),
        {"4"},
    ),
    "a function that sets an option": (
        files(
            READ + "def change(parser):\n    parser.set('train', 'num_workers', ⟦'2'⟧)\nchange(config)\n"
            "" + LOADER.format(GET),
            "4",
        ),
        {"2 shared"},
    ),
    "an attribute": (
        files(
            "from configparser import ConfigParser\nclass Trainer:\n    def __init__(self, path):\n"
            "        self.config = ConfigParser()\n        self.config.read(path)\n    def run(self):\n"
            "        DataLoader(1, num_workers=self.config.getint('train', 'num_workers'))\n"
            "Trainer('train.ini').run()\n"
        ),
        {"4"},
    ),
    "a file the user names by default": (
        files(
            "import argparse\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--config', default='train.ini')\n"
            "args = parser.parse_args()\n" + HEAD + "config.read(args.config)\n" + LOADER.format(GET)
        ),
        {"4", "open"},
    ),
}
FILES: Cases = {
    "a file over another": (
        {
            "main.py": IMPORT + READ + "config.read('mine.ini')\n" + LOADER.format(GET),
            "train.ini": INI.format("4"),
            "mine.ini": "[train]\nnum_workers = ⟦2⟧\n",
        },
        {"2"},
    ),
    "a file over another that it does not touch": (
        {
            "main.py": IMPORT + READ + "config.read('mine.ini')\n" + LOADER.format(GET),
            "train.ini": INI.format("⟦4⟧"),
            "mine.ini": "[train]\nsize = 2\n",
        },
        {"4"},
    ),
    "a file that the user names": (
        {
            "main.py": IMPORT + "import sys\n" + HEAD + "config.read(sys.argv[1])\n" + LOADER.format(GET),
            "train.ini": INI.format("⟦4⟧"),
            "other.ini": "[paths]\nsize = 2\n",
        },
        {"4", "open"},
    ),
    "several files in one call": (
        {
            "main.py": IMPORT + HEAD + "config.read(['train.ini', 'mine.ini'])\n" + LOADER.format(GET),
            "train.ini": INI.format("4"),
            "mine.ini": "[train]\nnum_workers = ⟦2⟧\n",
        },
        {"2"},
    ),
    "a parser with a converter of its own": (
        {
            "main.py": IMPORT + READ.replace("Parser()", "Parser(converters={'list': str.split})") + LOADER.format(GET),
            "train.ini": INI.format("⟦4⟧"),
        },
        {"4"},
    ),
    "a module that has it": (
        {
            "main.py": IMPORT + "from settings import config\n" + LOADER.format(GET),
            "settings.py": READ,
            "train.ini": INI.format("⟦4⟧"),
        },
        {"4"},
    ),
}
OPEN: Cases = {
    "no file": (HEAD + "config.read('none.ini')\n" + LOADER.format(GET), {"open"}),
    "nothing read": (files(HEAD + LOADER.format(GET), "4"), {"open"}),
    "another section": (files(READ + LOADER.format("config.getint('test', 'num_workers')"), "4"), {"open"}),
    "no truth": (files(READ + LOADER.format("config.getboolean('train', 'num_workers')"), "maybe"), {"open"}),
    "a section of defaults by another name": (
        files(
            READ.replace("Parser()", "Parser(default_section='train')")
            + LOADER.format("config.getint('test', 'num_workers', fallback=7)"),
            ini="[train]\nnum_workers = 4\n[test]\nsize = 1\n",
        ),
        {"open"},
    ),
    "an option set in one of two sections": (
        files(
            READ + "import sys\nconfig.set('train' if len(sys.argv) > 1 else 'test', 'num_workers', '2')\n"
            "" + LOADER.format(GET),
            ini=INI.format("⟦4⟧") + "[test]\nsize = 1\n",
        ),
        {"4", "open"},
    ),
    "defaults of a file nobody sees": (
        {
            "main.py": IMPORT + HEAD + "config.read('none.ini')\nconfig.read('train.ini')\n"
            "" + LOADER.format("config.getint('train', 'num_workers', fallback=⟦7⟧)"),
            "train.ini": "[train]\nsize = 1\n",
        },
        {"7", "open"},
    ),
    "an interpolation that was set": (
        files(
            READ + "config.set('train', 'num_workers', '%(size)s')\n" + LOADER.format("config['train']['num_workers']"),
            "4",
        ),
        {"open"},
    ),
    "no number": (files(READ + LOADER.format(GET), "four"), {"open"}),
    "an interpolation": (files(READ + LOADER.format(GET), "%(size)s"), {"open"}),
    "a comment behind it": (files(READ + LOADER.format(GET), "4 ; of 8"), {"open"}),
    "a parser with signs of its own": (
        files(
            "import configparser\nconfig = configparser.ConfigParser(delimiters='-')\nconfig.read('train.ini')\n"
            + LOADER.format(GET),
            "4",
        ),
        {"open"},
    ),
    "a parser that makes numbers in its own way": (
        files(READ.replace("Parser()", "Parser(converters={'int': them})") + LOADER.format(GET), "4"),
        {"open"},
    ),
    "several files of which one is not there": (
        files(HEAD + "config.read(['train.ini', 'mine.ini'])\n" + LOADER.format(GET)),
        {"4", "open"},
    ),
    "a file that the user names over another": (
        {
            "main.py": IMPORT + "import sys\n" + READ + "config.read(sys.argv[1])\n" + LOADER.format(GET),
            "train.ini": INI.format("⟦4⟧"),
            "other.ini": INI.format("2"),
        },
        {"4", "open"},
    ),
    "another library's parser": (
        files(READ.replace("import configparser", "import theirs as configparser") + LOADER.format(GET), "4"),
        {"open"},
    ),
    "names changed by a function": (
        files(
            HEAD + "config.optionxform = lambda name: name[1:]\nconfig.read('train.ini')\n" + LOADER.format(GET), "4"
        ),
        {"open"},
    ),
    "names that differ in their case alone": (
        files(READ + LOADER.format(GET), ini="[train]\nNUM_WORKERS = 4\nnum_workers = 2\n"),
        {"open"},
    ),
    "a file over it that is not there": (
        files(READ + "config.read('mine.ini')\n" + LOADER.format(GET)),
        {"4", "open"},
    ),
    "options set by names nobody sees": (
        files(READ + "import sys\nconfig.set('train', sys.argv[1], '2')\n" + LOADER.format(GET)),
        {"4", "open"},
    ),
    "a dictionary read": (files(READ + "config.read_dict({'train': {'x': 1}})\n" + LOADER.format(GET)), {"4"}),
    "a dictionary read that nobody sees": (
        files(READ + "from own import more\nconfig.read_dict(more)\n" + LOADER.format(GET)),
        {"4", "open"},
    ),
    "a text that is worked out": (
        files(READ + "config.read_string('[train]\\nnum_workers = %(size)s\\n')\n" + LOADER.format(GET), "4"),
        {"open"},
    ),
    "a text that is refused": (
        files(READ + "config.read_string('num_workers = 9')\n" + LOADER.format(GET)),
        {"4", "open"},
    ),
    "a section removed that nobody sees": (
        files(READ + "import sys\nconfig.remove_section(sys.argv[1])\n" + LOADER.format(GET)),
        {"4", "open"},
    ),
    "a fallback under a file nobody sees": (
        HEAD + "config.read('none.ini')\n" + LOADER.format("config.getint('train', 'n', fallback=⟦2⟧)"),
        {"2", "open"},
    ),
    "names as they are, asked for in another case": (
        files(
            HEAD + "config.optionxform = str\nconfig.read('train.ini')\n"
            "" + LOADER.format("config.getint('train', 'NUM_WORKERS')"),
            "4",
        ),
        {"open"},
    ),
}


@pytest.mark.parametrize(("project", "expected"), [*FOLLOWED.values(), *FILES.values()], ids=[*FOLLOWED, *FILES])
def test_what_a_file_of_ini_says_arrives(project: Files, expected: set[str]) -> None:
    assert traced(project) == expected


@pytest.mark.parametrize(("project", "expected"), OPEN.values(), ids=OPEN)
def test_what_is_not_sure_to_arrive_is_open(project: Files, expected: set[str]) -> None:
    assert traced(project) == expected


OVER = "config.read('over.ini')\n"
DEFAULT_OF_TWO = "[DEFAULT]\nnum_workers = 2\n"
NO_COUNT = "[train]\nsize = 1\n"
FALL_BACK = "config.getint('train', 'num_workers', fallback=7)"
IN_CAPITALS = "config['train'].getint('Num_Workers', 7)"
AS_CONFIGPARSER: dict[str, tuple[str, str, str, str]] = {
    "a section's own option is not lost to defaults read later": (
        OVER,
        GET,
        INI.format(4),
        f"{DEFAULT_OF_TWO}{NO_COUNT}",
    ),
    "defaults read later are those of sections read before": (OVER, FALL_BACK, NO_COUNT, DEFAULT_OF_TWO),
    "defaults over others": (OVER, GET, f"{DEFAULT_OF_TWO}{NO_COUNT}", "[DEFAULT]\nnum_workers = 8\n"),
    "defaults read before the section is": (OVER, FALL_BACK, f"{DEFAULT_OF_TWO}[test]\nx = 1\n", NO_COUNT),
    "a default that is set": (
        "config.set('DEFAULT', 'num_workers', '9')\n",
        GET,
        f"{DEFAULT_OF_TWO}{NO_COUNT}",
        "",
    ),
    "a default set as an item": ("config['DEFAULT']['num_workers'] = '9'\n", GET, f"{DEFAULT_OF_TWO}{NO_COUNT}", ""),
    "defaults given as a dictionary": (
        "config['DEFAULT'] = {'num_workers': '9'}\n" + OVER,
        FALL_BACK,
        NO_COUNT,
        NO_COUNT,
    ),
    "a section given as a dictionary": (
        "config['train'] = {'Num_Workers': '9'}\n" + OVER,
        FALL_BACK,
        INI.format(4),
        NO_COUNT,
    ),
    "a default where a section lost its own": (
        "config['train'].pop('num_workers')\n",
        FALL_BACK,
        f"{DEFAULT_OF_TWO}{INI.format(4)}",
        "",
    ),
    "a section asked in another case": ("", IN_CAPITALS, INI.format(4), ""),
    "a subscript in another case": ("", "int(config['train']['Num_Workers'])", INI.format(4), ""),
    "a dictionary made of a section, asked in another case": (
        "",
        "int(dict(config['train']).get('Num_Workers', 7))",
        INI.format(4),
        "",
    ),
    "an option that was removed": ("config.remove_option('train', 'Num_Workers')\n", FALL_BACK, INI.format(4), ""),
    "an option that was removed, with a default": (
        "config.remove_option('train', 'num_workers')\n",
        GET,
        f"{DEFAULT_OF_TWO}{INI.format(4)}",
        "",
    ),
    "another option that was removed": ("config.remove_option('train', 'size')\n", GET, INI.format(4), ""),
    "a section that was removed": ("config.remove_section('train')\n", FALL_BACK, INI.format(4), ""),
    "another section that was removed": (
        "config.remove_section('test')\n",
        FALL_BACK,
        f"{INI.format(4)}[test]\nx = 1\n",
        "",
    ),
    "defaults, which are no section to remove": (
        "config.remove_section('DEFAULT')\n",
        GET,
        f"{DEFAULT_OF_TWO}{NO_COUNT}",
        "",
    ),
    "a dictionary over a file": (
        "config.read_dict({'train': {'Num_Workers': 9}})\n",
        GET,
        INI.format(4),
        "",
    ),
    "a dictionary of another section over a file": (
        "config.read_dict({'test': {'num_workers': 9}})\n",
        GET,
        INI.format(4),
        "",
    ),
    "a text over a file": ("config.read_string('[train]\\nNum_Workers = 9\\n')\n", GET, INI.format(4), ""),
    "a text over a file that it does not touch": (
        "config.read_string('[DEFAULT]\\nnum_workers = 9\\n[test]\\nx = 1\\n')\n",
        GET,
        INI.format(4),
        "",
    ),
    "a text and its defaults": (
        "config.read_string('[DEFAULT]\\nnum_workers = 9\\n[test]\\nx = 1\\n')\n",
        "config.getint('test', 'num_workers')",
        INI.format(4),
        "",
    ),
    "the defaults themselves": ("", "config.getint('DEFAULT', 'num_workers')", f"{DEFAULT_OF_TWO}{NO_COUNT}", ""),
}
OVERRULED: Cases = {
    "variables of a call": (
        files(READ + LOADER.format("config.getint('train', 'num_workers', vars={'num_workers': '3'})"), "4"),
        {"open"},
    ),
    "variables of a section's call": (
        files(READ + LOADER.format("config['train'].getint('num_workers', vars={'num_workers': '3'})"), "4"),
        {"open"},
    ),
    "keywords that nobody sees": (
        files(READ + "from own import more\n" + LOADER.format("config.getint('train', 'num_workers', **more)"), "4"),
        {"open"},
    ),
    "an option set by a name in another case": (
        files(READ + "config['train']['Num_Workers'] = '2'\n" + LOADER.format(GET), "4"),
        {"open"},
    ),
    "the dictionary of defaults": (
        files(
            READ + "config.defaults()['num_workers'] = '2'\n" + LOADER.format(FALL_BACK.replace("7", "⟦7⟧")),
            ini=NO_COUNT,
        ),
        {"7", "open"},
    ),
    "a section that the user names": (
        files(
            READ + "import sys\n" + LOADER.format("config[sys.argv[1]].getint('num_workers')"),
            ini="[DEFAULT]\nnum_workers = ⟦2⟧\n[train]\nnum_workers = ⟦4⟧\n[test]\nsize = 1\n",
        ),
        {"4", "2 shared"},
    ),
}


@pytest.mark.parametrize(("does", "asks", "first", "second"), AS_CONFIGPARSER.values(), ids=AS_CONFIGPARSER)
def test_options_and_defaults_are_what_configparser_makes_of_them(
    does: str, asks: str, first: str, second: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.ini").write_text(first)
    (tmp_path / "over.ini").write_text(second)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(f"{READ}{does}count = {asks}", names)
    program = IMPORT + READ + does + LOADER.format(asks)
    (found,) = traced({"main.py": program, "train.ini": first, "over.ini": second})
    assert found.partition(" ")[0] == str(names["count"])


@pytest.mark.parametrize(("project", "expected"), OVERRULED.values(), ids=OVERRULED)
def test_what_a_program_may_say_otherwise_is_not_taken_for_sure(project: Files, expected: set[str]) -> None:
    assert traced(project) == expected


def test_a_file_of_ini_that_no_code_reads_holds_no_loader() -> None:
    assert traced({"main.py": "import configparser\n", "train.ini": "[loader]\nnum_workers = 4\nbatch_size = 2\n"}) == {
        "no loader"
    }


def test_a_file_that_configparser_refuses_gives_nothing() -> None:
    (loader,) = loaders_of(files(READ + LOADER.format(GET), "4", "num_workers = {}\n"))
    assert loader.num_workers.open
    assert not loader.num_workers.candidates
