"""Configuration that a program reads from a file it names: JSON and TOML, by every way to say where the file is."""

from __future__ import annotations

import pytest

from loaderlint.linking.link import link
from tests.linking.traced import IMPORT, Cases, loaders_of, project_of, traced

READ = f"import json\nimport re\nimport tomllib\nimport os\nfrom pathlib import Path\n{IMPORT}"
LOAD = "DataLoader(1, num_workers=config['num_workers'])\n"
JSON = '{"num_workers": ⟦4⟧}'
TOML = "num_workers = ⟦4⟧\n"


def read(how: str, settings: str = JSON, path: str = "conf/train.json", program: str = "main.py") -> dict[str, str]:
    return {program: f"{READ}{how}\n{LOAD}", path: settings}


DOCUMENTS = "num_workers: 8\n---\nnum_workers: ⟦4⟧\n---\njust a text\n"


def documents(how: str) -> dict[str, str]:
    return read(f"import yaml\n{how}", DOCUMENTS, "c.yaml")


READERS: Cases = {
    "one document of several": (documents("config = list(yaml.safe_load_all(open('c.yaml')))[1]"), {"4"}),
    "one document of several under a name": (
        documents("every = list(yaml.safe_load_all(open('c.yaml')))\nconfig = every[1]"),
        {"4"},
    ),
    "documents taken apart": (documents("_, config, _ = yaml.load_all(open('c.yaml'), yaml.SafeLoader)"), {"4"}),
    "a document that is a text": (
        read("import yaml\nconfig = list(yaml.safe_load_all(open('c.yaml')))[1]", "num_workers: 8\n--- a\n", "c.yaml"),
        {"open", "8 at c.yaml:1:14"},
    ),
    "json.load of open": (read("config = json.load(open('conf/train.json'))"), {"4"}),
    "json.load under with": (read("with open('conf/train.json') as f:\n    config = json.load(f)"), {"4"}),
    "json.loads of what was read": (
        read("with open('conf/train.json') as f:\n    data = f.read()\nconfig = json.loads(data)"),
        {"4"},
    ),
    "json.loads of a path's text": (read("config = json.loads(Path('conf/train.json').read_text())"), {"4"}),
    "json.load of a path that is opened": (
        read("with Path('conf/train.json').open() as f:\n    config = json.load(f)"),
        {"4"},
    ),
    "tomllib.load": (
        read("with open('conf/train.toml', 'rb') as f:\n    config = tomllib.load(f)", TOML, "conf/train.toml"),
        {"4"},
    ),
    "tomllib.loads": (
        read("config = tomllib.loads(Path('conf/train.toml').read_text())", TOML, "conf/train.toml"),
        {"4"},
    ),
    "toml.load of a name": (
        read("import toml\nconfig = toml.load('conf/train.toml')", TOML, "conf/train.toml"),
        {"4"},
    ),
    "tomli under tomllib's name": (
        read("import tomli as toml_reader\nconfig = toml_reader.load(open('c.toml', 'rb'))", TOML, "c.toml"),
        {"4"},
    ),
    "a helper": (
        read(
            "def load(path):\n    with open(path) as f:\n        return json.load(f)\nconfig = load('conf/train.json')"
        ),
        {"4"},
    ),
    "text that looks like a name": (
        read("import yaml\nconfig = {'num_workers': yaml.safe_load('c.yaml')['workers']}", "workers: 4\n", "c.yaml"),
        {"open"},
    ),
    "a name that ruamel.yaml takes for text": (
        read(
            "from ruamel.yaml import YAML\nconfig = {'num_workers': YAML().load('c.yaml')['workers']}",
            "workers: 4\n",
            "c.yaml",
        ),
        {"open"},
    ),
    "a path that ruamel.yaml opens": (
        read(
            "from ruamel.yaml import YAML\nconfig = {'num_workers': YAML().load(Path('c.yaml'))['workers']}",
            "workers: ⟦4⟧\n",
            "c.yaml",
        ),
        {"4"},
    ),
    "a path that OmegaConf opens": (
        read(
            "from omegaconf import OmegaConf\nc = OmegaConf.load(Path('conf') / 'c.yaml')\n"
            "config = {'num_workers': c.workers}",
            "workers: ⟦4⟧\n",
            "conf/c.yaml",
        ),
        {"4"},
    ),
    "json.loads of a name": (read("config = json.loads('conf/train.json')", '{"num_workers": 4}'), {"open"}),
    "json.load of text": (
        read("config = json.load(open('conf/train.json').read())", '{"num_workers": 4}'),
        {"open"},
    ),
    "text taken for a name": (
        read("config = json.load(open(open('conf/train.json').read()))", '{"num_workers": 4}'),
        {"open"},
    ),
    "an ordered dictionary": (
        read(
            "from collections import OrderedDict\nconfig = json.load(open('conf/train.json'), object_hook=OrderedDict)"
        ),
        {"4"},
    ),
    "a hook of the project's own": (
        read("config = json.load(open('conf/train.json'), object_hook=halve)", '{"num_workers": 4}'),
        {"open"},
    ),
    "another reader": (read("config = pickle.load(open('conf/train.json'))", '{"num_workers": 4}'), {"open"}),
    "a file that is not there": (read("config = json.load(open('conf/debug.json'))", '{"num_workers": 4}'), {"open"}),
    "a list": (read("config = json.load(open('conf/train.json'))[0]", '[{"num_workers": ⟦4⟧}]'), {"4"}),
    "past the end of a list": (
        read("config = json.load(open('conf/train.json'))[1]", '[{"num_workers": 4}]'),
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), READERS.values(), ids=READERS.keys())
def test_files_that_a_program_reads(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


COMMENTED = '{ // "num_workers": 8\n  "num_workers": ⟦4⟧  // threads\n}\n'
UNREAD = '{ "num_workers": 4  // threads\n}\n'


def summed(turn: str, start: str = "''", made: str = "json.loads(text)", settings: str = COMMENTED) -> dict[str, str]:
    """A program that adds something to a text at every turn of a loop over its file."""
    loop = f"text = {start}\nwith open('c.json') as f:\n    for line in f:\n        {turn}\n"
    return read(f"{loop}config = {made}", settings, "c.json")


def joined(text: str, settings: str = COMMENTED, made: str = "json.loads(text)") -> dict[str, str]:
    return read(f"f = open('c.json')\ntext = {text}\nconfig = {made}", settings, "c.json")


LINE_BY_LINE: Cases = {
    "added in a loop": (summed("text += line.split('//')[0] + '\\n'"), {"4"}),
    "added in a loop under another name": (
        summed("line = line.split('//')[0] + '\\n'\n        text += line"),
        {"4"},
    ),
    "added in a loop as they are": (summed("text += line", settings=JSON), {"4"}),
    "by a helper": (
        read(
            "def load(path):\n    text = ''\n    with open(path) as f:\n        for line in f:\n"
            "            text += line.partition('//')[0]\n    return json.loads(text)\nconfig = load('c.json')",
            COMMENTED,
            "c.json",
        ),
        {"4"},
    ),
    "joined": (joined("''.join(line.split('//')[0] for line in f)"), {"4"}),
    "joined with another sign": (
        joined("'\\n'.join([one.split('#')[0].strip() for one in f])", COMMENTED.replace("//", "#")),
        {"4"},
    ),
    "joined as they are": (joined("''.join(f.readlines())", JSON), {"4"}),
    "joined as they are, of YAML": (
        read("import yaml\nf = open('c.yaml')\nconfig = yaml.safe_load(''.join(f))", "num_workers: ⟦4⟧\n", "c.yaml"),
        {"4"},
    ),
    "joined of a text's lines": (
        joined("''.join(line.split('//')[0] for line in Path('c.json').read_text().splitlines())"),
        {"4"},
    ),
    "cut off by a pattern": (joined("re.sub('//.*', '', f.read())"), {"4"}),
    "cut off by another pattern": (
        joined("re.sub('a[/]{2}.*', '', f.read())", '{"num_workers": 4}'),
        {"open"},
    ),
    "something put in its place": (joined("re.sub('4.*', '8', f.read())", '{"num_workers": 4}'), {"open"}),
    "of a file the user names": (
        {
            "main.py": f"import sys\n{READ}text = ''.join(line.split('//')[0] for line in open(sys.argv[1]))\n"
            f"config = json.loads(text)\n{LOAD}",
            "a.json": COMMENTED,
        },
        {"4", "open"},
    ),
    "a sign that stands in a text": (
        joined("''.join(line.split('//')[0] for line in f)", '{"num_workers": 4, "at": "http://a"}'),
        {"open"},
    ),
    "part of a line that was not seen": (joined("''.join(clean(line) for line in f)", '{"num_workers": 4}'), {"open"}),
    "some of the lines": (joined("''.join(line for line in f if line.strip())", '{"num_workers": 4}'), {"open"}),
    "what stands after a sign": (joined("''.join(line.split('=')[1] for line in f)", '{"num_workers": 4}'), {"open"}),
    "another text before it": (summed("text += line", start="given()", settings='{"num_workers": 4}'), {"open"}),
    "a loop that ends early": (
        summed("text += line\n        if done(text):\n            break", settings='{"num_workers": 4}'),
        {"open"},
    ),
    "blanks taken away of YAML": (
        read(
            "import yaml\nf = open('c.yaml')\nconfig = yaml.safe_load(''.join(line.strip() for line in f))",
            "num_workers: 4\n",
            "c.yaml",
        ),
        {"open", "4 at c.yaml:1:14"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), LINE_BY_LINE.values(), ids=LINE_BY_LINE.keys())
def test_text_put_together_line_by_line(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_text_put_together_line_by_line_may_be_gone_through() -> None:
    files = summed("text += line.split('//')[0]", made="json.loads(text)\nfor sign in text:\n    print(sign)")
    assert traced(files) == {"4"}


@pytest.mark.parametrize(
    "files",
    [
        summed("text += line", settings=UNREAD),
        joined("''.join(line.split('#')[0] for line in f)", UNREAD),
        joined("open('c.json').read()", UNREAD),
    ],
)
def test_comments_that_nobody_takes_away_are_no_json(files: dict[str, str]) -> None:
    project, _ = project_of(files)
    (loader,) = link(project)
    assert not loader.option("num_workers").written
    assert set(project.failures) == {"c.json"}


PLACES: Cases = {
    "from the working folder above": (
        read("config = json.load(open('conf/train.json'))", program="src/tools/main.py"),
        {"4"},
    ),
    "os.path.join": (read("config = json.load(open(os.path.join('conf', 'train.json')))"), {"4"}),
    "beside the file, os.path": (
        read(
            "here = os.path.dirname(os.path.abspath(__file__))\n"
            "config = json.load(open(os.path.join(here, '..', 'conf', 'train.json')))",
            program="src/main.py",
        ),
        {"4"},
    ),
    "beside the file, pathlib": (
        read(
            "ROOT = Path(__file__).resolve().parent.parent\n"
            "config = json.loads((ROOT / 'conf' / 'train.json').read_text())",
            program="src/main.py",
        ),
        {"4"},
    ),
    "beside the file and not in the working folder": (
        read("config = json.load(open(Path(__file__).parent / 'conf/train.json'))", program="src/main.py")
        | {"conf/train.json": '{"num_workers": 4}', "src/conf/train.json": '{"num_workers": ⟦2⟧}'},
        {"2"},
    ),
    **{
        path: (
            read(
                f"HERE = Path(__file__).parent\nname = 'train'\nconfig = json.load(open({path}))",
                path="src/conf/train.json",
                program="src/main.py",
            ),
            {"4"},
        )
        for path in (
            "os.fspath(HERE / 'conf/train.json')",
            "os.fspath(path=HERE / 'conf/train.json')",
            "os.fsdecode(HERE / 'conf/train.json')",
            "os.fsencode(HERE / 'conf/train.json')",
            "(HERE / 'conf/train.json').__fspath__()",
            "file=HERE / 'conf/train.json'",
            "os.fspath(HERE) + '/conf/train.json'",
            "str(HERE) + f'/conf/{name}.json'",
            "f'{HERE}/conf/train.json'",
            "f'{HERE}/conf/{name}.json'",
            "'%s/conf/train.json' % HERE",
            "os.path.dirname(__file__) + '/conf/train.json'",
        )
    },
    "text that begins with a path and goes on with another name": (
        read("config = json.load(open(str(Path(__file__).parent) + '-conf/train.json'))", '{"num_workers": 4}'),
        {"open"},
    ),
    "text that begins with a folder nobody saw": (
        read("config = json.load(open(f'{folder()}/train.json'))", '{"num_workers": 4}', "train.json"),
        {"open"},
    ),
    "in a folder nobody saw": (
        read("config = json.load(open(os.path.join(folder(), 'train.json')))", '{"num_workers": 4}', "train.json"),
        {"open"},
    ),
    "one of two": (
        read("config = json.load(open('a.json' if debug else 'conf/train.json'))") | {"a.json": '{"num_workers": ⟦0⟧}'},
        {"4", "0"},
    ),
    "one that was seen or one that was not": (
        read("config = json.load(open(find() if debug else 'conf/train.json'))"),
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), PLACES.values(), ids=PLACES.keys())
def test_where_a_program_finds_its_file(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def named(declaration: str, files: dict[str, str], program: str = "main.py") -> dict[str, str]:
    text = (
        f"import argparse\n{READ}parser = argparse.ArgumentParser()\n{declaration}\nargs = parser.parse_args()\n"
        f"config = json.load(open(args.config))\n{LOAD}"
    )
    return {program: text, **files}


CONVERTS = """
def convert(given):
    made = argparse.Namespace()
    for key, value in given.items():
        if isinstance(value, dict):
            new = convert(value)
        else:
            new = value
        setattr(made, key, new)
    return made
"""
LOAD_NESTED = "DataLoader(1, num_workers=config.data.num_workers)"


def in_folder(files: dict[str, str], program: str = "main.py") -> dict[str, str]:
    """Return a program that reads the file of a folder that the user names."""
    whole = named("parser.add_argument('--config', required=True)", files, program)
    text = whole[program].replace("args.config", "os.path.join('conf', args.config)")
    return {**whole, program: f"import os\n{text}"}


TWO = {"a.json": '{"num_workers": ⟦4⟧}', "b.json": '{"num_workers": ⟦0⟧}'}

NAMED: Cases = {
    "required: any of those that are there": (
        named("parser.add_argument('--config', required=True)", TWO),
        {"4", "0", "open"},
    ),
    "without a default": (named("parser.add_argument('--config')", TWO), {"4", "0", "open"}),
    "an empty default": (named("parser.add_argument('--config', default='')", TWO), {"4", "0", "open"}),
    "a default": (named("parser.add_argument('--config', default='a.json')", TWO), {"4", "0", "open"}),
    "files of another language and of other things": (
        named(
            "parser.add_argument('--config')",
            {"a.json": '{"num_workers": ⟦4⟧}', "b.toml": "num_workers = 0\n", "c.json": '{"workers": 2}'},
        ),
        {"4", "open"},
    ),
    "settings typed on the command line": (
        {
            path: text.replace("json.load(open(args.config))", "json.loads(args.config)")
            for path, text in named("parser.add_argument('--config')", {"a.json": '{"num_workers": 4}'}).items()
        },
        {"open"},
    ),
    "the nearest files": (
        named(
            "parser.add_argument('--config')",
            {"one/a.json": '{"num_workers": ⟦4⟧}', "two/b.json": '{"num_workers": 0}'},
            "one/main.py",
        ),
        {"4", "open"},
    ),
    "one of which a function makes a namespace, the dictionaries in it, too": (
        {
            path: text.replace("config = ", f"{CONVERTS}config = convert(")
            .replace("(args.config))", "(args.config)))")
            .replace(LOAD, f"{LOAD_NESTED}")
            for path, text in named(
                "parser.add_argument('--config')",
                {"a.json": '{"data": {"num_workers": ⟦4⟧}}', "b.json": '{"data": {"num_workers": ⟦0⟧}}'},
            ).items()
        },
        {"4", "0", "open"},
    ),
    "one of a folder": (
        in_folder({"conf/a.json": '{"num_workers": ⟦4⟧}', "other/b.json": '{"num_workers": 0}'}),
        {"4", "open"},
    ),
    "one of a folder beside the program": (
        in_folder({"run/conf/a.json": '{"num_workers": ⟦4⟧}', "b.json": '{"num_workers": 0}'}, "run/main.py"),
        {"4", "open"},
    ),
    "one of a folder around the file of the program": (
        {
            path: text.replace("'conf'", "os.path.dirname(__file__), 'conf'")
            for path, text in in_folder(
                {"run/conf/a.json": '{"num_workers": ⟦4⟧}', "conf/b.json": '{"num_workers": 0}'}, "run/main.py"
            ).items()
        },
        {"4", "open"},
    ),
    "one of a folder that is not in the project": (
        {
            path: text.replace("'conf'", "'/conf'")
            for path, text in in_folder({"conf/a.json": '{"num_workers": 4}'}).items()
        },
        {"open"},
    ),
    "one of a folder that nobody sees": (
        {
            path: text.replace("'conf'", "folder()")
            for path, text in in_folder({"conf/a.json": '{"num_workers": 4}'}).items()
        },
        {"open"},
    ),
    "the key under another parent": (
        named("parser.add_argument('--config')", {"a.json": '{"data": {"num_workers": 4}}'}),
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), NAMED.values(), ids=NAMED.keys())
def test_a_file_named_on_the_command_line(files: dict[str, str], expected: set[str]) -> None:
    loaders = traced(files)
    assert {one for one in loaders if "at " not in one} == expected


def opened(kind: str, config: str = "json.load(args.config)", more: str = "") -> dict[str, str]:
    """A program that hands on what a flag of some type gives, which the user may name a file by."""
    whole = named(f"parser.add_argument('--config', type={kind}{more})", TWO)
    return {path: text.replace("json.load(open(args.config))", config) for path, text in whole.items()}


def unopened(kind: str, config: str = "json.load(args.config)", more: str = "") -> dict[str, str]:
    """The same where no file is found."""
    return {path: text.replace("⟦", "").replace("⟧", "") for path, text in opened(kind, config, more).items()}


OPENED: Cases = {
    "to be read": (opened("argparse.FileType('r')"), {"4", "0", "open"}),
    "without a mode": (opened("argparse.FileType()", more=", required=True"), {"4", "0", "open"}),
    "a default": (opened("argparse.FileType('rb')", more=", default='a.json'"), {"4", "0", "open"}),
    "to be written": (unopened("argparse.FileType('w')"), {"open"}),
    "a mode that somebody else gives": (unopened("argparse.FileType(elsewhere())"), {"open"}),
    "a name alone": (unopened("str"), {"open"}),
    "another type": (unopened("elsewhere.FileType()"), {"open"}),
    "several of them": (unopened("argparse.FileType()", more=", nargs='*'"), {"open"}),
    "the settings themselves": (unopened("argparse.FileType()", "json.loads(args.config)"), {"open"}),
}


@pytest.mark.parametrize(("files", "expected"), OPENED.values(), ids=OPENED.keys())
def test_a_file_that_the_command_line_opens(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def in_text(text: str, files: dict[str, str], declaration: str = "parser.add_argument('--task')") -> dict[str, str]:
    return {path: one.replace("args.config", text) for path, one in named(declaration, files).items()}


TASKS = {"tasks/red/a.json": '{"num_workers": ⟦4⟧}', "tasks/blue/a.json": '{"num_workers": ⟦0⟧}'}
UNREAD_TASKS = {path: text.replace("⟦", "").replace("⟧", "") for path, text in TASKS.items()}
TASKS_NAMED = {**UNREAD_TASKS, **dict([*TASKS.items()][:1])}

IN_TEXT: Cases = {
    "a folder of the user's": (in_text("f'./tasks/{args.task}/a.json'", TASKS), {"4", "0", "open"}),
    "a file of the user's": (
        in_text("f'tasks/red/{args.task}.json'", TASKS_NAMED),
        {"4", "open"},
    ),
    "all of the name": (in_text("f'{args.task}'", TWO), {"4", "0", "open"}),
    "a default": (
        in_text(
            "f'tasks/{args.task}/a.json'",
            {"tasks/red/a.json": '{"num_workers": ⟦4⟧}'},
            "parser.add_argument('--task', default='red')",
        ),
        {"4", "open"},
    ),
    "a name of the program's own": (
        in_text("f'tasks/{TASK}/a.json'", TASKS_NAMED, "TASK = 'red'"),
        {"4"},
    ),
    "one name at two places": (
        in_text(
            "f'{args.task}/{args.task}.json'",
            {"a/a.json": '{"num_workers": ⟦4⟧}', "a/b.json": '{"num_workers": 0}'},
        ),
        {"4", "open"},
    ),
    "two options": (
        in_text(
            "f'tasks/{args.task}/{args.name}.json'",
            {**TASKS, "tasks/red/b.json": '{"num_workers": ⟦2⟧}'},
            "parser.add_argument('--task')\nparser.add_argument('--name')",
        ),
        {"4", "0", "2", "open"},
    ),
    "a name between two texts": (in_text("'tasks/' + args.task + '/a.json'", TASKS), {"4", "0", "open"}),
    "a text that goes on": (in_text("f'tasks/{args.task}' + '/a.json'", TASKS), {"4", "0", "open"}),
    "texts joined": (in_text("'/'.join(('tasks', 'red')) + '/a.json'", TASKS_NAMED), {"4"}),
    "texts joined that nobody sees": (in_text("'/'.join(names()) + '/a.json'", UNREAD_TASKS), {"open"}),
    "a text of a name that has names in it": (
        in_text(
            "f'{FOLDER}/{args.name}.json'", TASKS_NAMED, "FOLDER = 'tasks/' + 'red'\nparser.add_argument('--name')"
        ),
        {"4", "open"},
    ),
    "marks of a text": (in_text("'tasks/%s/a.json' % args.task", TASKS), {"4", "0", "open"}),
    "several marks": (in_text("'%s/%s/a.json' % ('tasks', args.task)", TASKS), {"4", "0", "open"}),
    "a mark of a number": (in_text("'tasks/%d/a.json' % args.task", UNREAD_TASKS), {"open"}),
    "more than there are marks": (in_text("'tasks/%s/a.json' % ('red', args.task)", UNREAD_TASKS), {"open"}),
    "braces": (in_text("'tasks/{}/a.json'.format(args.task)", TASKS), {"4", "0", "open"}),
    "braces with a name and a number": (
        in_text("'{0}/{name}/a.json'.format('tasks', name=args.task)", TASKS),
        {"4", "0", "open"},
    ),
    "braces in a way of their own": (in_text("'tasks/{:>3}/a.json'.format(args.task)", UNREAD_TASKS), {"open"}),
    "braces with too little": (in_text("'tasks/{}/{}.json'.format(args.task)", UNREAD_TASKS), {"open"}),
    "braces of what is given as a whole": (in_text("'tasks/{}/a.json'.format(*args.task)", UNREAD_TASKS), {"open"}),
    "a folder that nobody sees": (in_text("f'tasks/{task()}/a.json'", UNREAD_TASKS), {"open"}),
    "a name in a way of its own": (in_text("f'tasks/{args.task!r}/a.json'", UNREAD_TASKS), {"open"}),
    "a name above the folder": (in_text("f'../tasks/{args.task}/a.json'", UNREAD_TASKS), {"open"}),
}


@pytest.mark.parametrize(("files", "expected"), IN_TEXT.values(), ids=IN_TEXT.keys())
def test_a_file_named_in_a_text_with_names(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_a_file_and_a_module_named_by_one_option_belong_together() -> None:
    module = f"{IMPORT}def load(config):\n    return DataLoader(1, num_workers=config['num_workers'])\n"
    files = {
        "main.py": f"import argparse, importlib\n{READ}parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--task')\nargs = parser.parse_args()\n"
        "config = json.load(open(f'tasks/{args.task}/a.json'))\n"
        "module = importlib.import_module(f'tasks.{args.task}.data')\ngetattr(module, 'load')(config)\n",
        **UNREAD_TASKS,
        "tasks/red/data.py": module,
        "tasks/blue/data.py": module,
        "tasks/blue/model.py": module,
    }
    found = {one.span.path: {str(way.span) for way in one.num_workers.written} for one in loaders_of(files)}
    assert found == {
        "tasks/red/data.py": {"tasks/red/a.json:1:17"},
        "tasks/blue/data.py": {"tasks/blue/a.json:1:17"},
        "tasks/blue/model.py": set(),
    }


def recorded(definition: str, made: str = "Record(config)", settings: str = '{"data": {"num_workers": ⟦4⟧}}') -> Cases:
    text = f"{READ}{definition}\nconfig = json.load(open('a.json'))\nh = {made}\n"
    return {
        definition: ({"main.py": f"{text}DataLoader(1, num_workers=h.data.num_workers)\n", "a.json": settings}, {"4"})
    }


def broken(definition: str, made: str = "Record(config)") -> Cases:
    ((key, (files, _)),) = recorded(definition, made, '{"data": {"num_workers": 4}}').items()
    return {key: (files, {"open"})}


PATHS = "import sys, argparse\nfrom sconf import Config\n"
USED = "DataLoader(1, num_workers=config.data.count)\n"
NESTED = "data:\n  count: ⟦4⟧\n"


def with_paths(code: str, text: str = NESTED) -> dict[str, str]:
    return {"main.py": f"{IMPORT}{PATHS}{code}{USED}", "a.yaml": text}


CONFIGS: Cases = {
    "a file": (with_paths("config = Config('a.yaml')\n"), {"4"}),
    "a file that the user names": (
        with_paths(
            "parser = argparse.ArgumentParser()\nparser.add_argument('--config', required=True)\n"
            "args, rest = parser.parse_known_args()\nconfig = Config(args.config)\nconfig.argv_update(rest)\n"
        ),
        {"4", "open"},
    ),
    "a file and what the user gives": (with_paths("config = Config('a.yaml')\nconfig.argv_update()\n"), {"4", "open"}),
    "a file and what the user gives, by name": (
        with_paths("config = Config('a.yaml')\nconfig.argv_update(argv=sys.argv[1:])\n"),
        {"4", "open"},
    ),
    "a file and another value": (
        with_paths("config = Config('a.yaml')\nconfig.argv_update()\nconfig.data.count = ⟦2⟧\n", "data: {}\n"),
        {"2"},
    ),
    "a file under another one": (
        with_paths("config = Config('b.yaml', default='a.yaml')\n", NESTED.replace("⟦4⟧", "4")),
        {"open"},
    ),
    "a file and what the program gives": (
        with_paths("config = Config('a.yaml')\nconfig.argv_update(['--count', '2'])\n"),
        {"4", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CONFIGS.values(), ids=CONFIGS.keys())
def test_objects_made_of_a_file_by_its_name(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


CONVERTING = (
    "class Record(dict):\n"
    "    def __init__(self, given=None, path=None, growing=False):\n"
    "        given = {} if given is None else given\n"
    "        path = [] if path is None else path\n"
    "        for k, v in given.items():\n"
    "            if type(v) is dict:\n"
    "                given[k] = Record(v, path=path + [k])\n"
    "        super(Record, self).__init__(given)\n"
    "    def __getattr__(self, name):\n        return self[name]\n"
)

RECORDS: Cases = {
    **recorded(CONVERTING),
    **recorded(CONVERTING.replace("type(v) is dict", "isinstance(v, dict)"), "Record(path=['a'], given=config)"),
    **recorded(
        "class Record(dict):\n"
        "    def __init__(self, *args, **kwargs):\n"
        "        super(Record, self).__init__(*args, **kwargs)\n"
        "        self.__dict__ = self\n"
    ),
    **recorded("class Record(dict):\n    __getattr__ = dict.__getitem__\n    __setattr__ = dict.__setitem__\n"),
    **recorded(
        "class Record(dict):\n    def __init__(self, d):\n        dict.__init__(self, d)\n    __getattr__ = dict.get\n"
    ),
    **recorded(
        "class Record(dict):\n    __getattr__ = dict.__getitem__\n"
        "    def __missing__(self, name):\n        raise AttributeError(name)\n"
    ),
    **recorded("class Record(dict):\n    __getattr__ = dict.get\n    __delattr__ = dict.__delitem__\n"),
    **recorded(
        "class Record(dict):\n    __getattr__ = dict.get\n    __dir__ = dict.keys\n    __str__ = dict.__str__\n"
    ),
    **recorded(
        "class Record(dict):\n"
        "    def __init__(self, d):\n"
        "        super().__init__()\n"
        "        for k, v in d.items():\n            setattr(self, k, v)\n            self[k] = v\n"
        "    __getattr__ = dict.get\n"
    ),
    **recorded(
        "class Record(dict):\n"
        "    def __getattr__(self, name):\n"
        "        try:\n            return self[name]\n"
        "        except KeyError:\n            raise AttributeError(name)\n"
    ),
    **recorded(
        "class Record:\n"
        "    def __init__(self, **kwargs):\n"
        "        for k, v in kwargs.items():\n"
        "            if type(v) == dict:\n                v = Record(**v)\n"
        "            self[k] = v\n"
        "    def __getitem__(self, key):\n        return getattr(self, key)\n"
        "    def __setitem__(self, key, value):\n        return setattr(self, key, value)\n",
        "Record(**config)",
    ),
    **recorded(
        "class Record:\n"
        "    def __init__(self, d):\n"
        "        for key, value in d.items():\n"
        "            if isinstance(value, (list, tuple)):\n"
        "                setattr(self, key, [Record(x) if isinstance(x, dict) else x for x in value])\n"
        "            else:\n"
        "                setattr(self, key, Record(value) if isinstance(value, dict) else value)\n"
    ),
    **recorded(
        "class Record:\n    def __init__(self, **entries):\n        self.__dict__.update(entries)\n", "Record(**config)"
    ),
}

NO_RECORDS: Cases = {
    **broken(CONVERTING.replace("Record(v,", "Record(override(v),")),
    **broken(CONVERTING.replace("given[k]", "given[k.lower()]")),
    **broken(CONVERTING.replace("if given is None else given", "if given is None else override(given)")),
    **broken(CONVERTING, "Record(path=config)"),
    **broken("class Record(dict):\n    def __getattr__(self, name):\n        return self[name.upper()]\n"),
    **broken(
        "class Record(dict):\n    __getattr__ = dict.__getitem__\n    def __missing__(self, key):\n        return 0\n"
    ),
    **broken(
        "class Record:\n"
        "    def __init__(self, d):\n"
        "        for k, v in d.items():\n            setattr(self, k, override(v))\n"
    ),
    **broken(
        "class Record:\n"
        "    def __init__(self, d):\n"
        "        for k, v in d.items():\n            if k in KNOWN:\n                setattr(self, k, v)\n"
    ),
    **broken(
        "class Record(dict):\n    def __init__(self, d):\n        super().__init__(d)\n        self['data'] = {}\n"
    ),
    **broken(
        "class Record:\n"
        "    def __init__(self, d):\n"
        "        for k, v in d.items():\n            setattr(self, k, v)\n            self.data = override(k)\n"
    ),
    **broken(
        "class Record:\n"
        "    def __init__(self, d):\n"
        "        for k, v in d.items():\n            if type(v) is dict:\n                setattr(self, k, Record(v))\n"
        "            else:\n                setattr(self, k, v)\n            self.data = override(k)\n"
    ),
    **broken(
        "class Record(dict):\n    def __init__(self, d):\n        super().__init__(d, **override(d))\n"
        "    __getattr__ = dict.get\n"
    ),
    **{
        key: value
        for base in ("super().__init__(override(d))", "super().__init__()", "dict.__init__(self, override(d))")
        for key, value in broken(
            f"class Record(dict):\n    def __init__(self, d):\n        {base}\n    __getattr__ = dict.get\n"
        ).items()
    },
    **broken("class Record(dict):\n    __getattr__ = dict.__len__\n"),
    **broken(
        "class Record(dict):\n    __getattr__ = dict.__getitem__\n"
        "    def __missing__(self, name):\n        return override(name)\n"
    ),
    **broken("class Record(dict):\n    __getattr__ = dict.get\n    __getitem__ = dict.pop\n"),
}


@pytest.mark.parametrize(("files", "expected"), [*RECORDS.values(), *NO_RECORDS.values()], ids=[*RECORDS, *NO_RECORDS])
def test_classes_that_hold_nothing_but_what_they_are_given(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


FILLS_ITSELF = """
import argparse, yaml
def load(path):
    settings = dict()
    documents = yaml.load_all(open(path), Loader=yaml.Loader)
    for document in documents:
        for key, value in document.items():
            settings[key] = value
    return settings
class Dot(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    def __init__(self, given=None):
        given = dict() if not given else given
        for key, value in given.items():
            if hasattr(value, 'keys'):
                value = Dot(value)
            self[key] = value
class Settings(Dot):
    def __init__(self, path):
        super(Dot, self).__init__()
        read = load(path)
        held = Dot(read)
        for key, value in held.items():
            setattr(self, key, value)
    __getattr__ = Dot.__getitem__
    __setattr__ = Dot.__setitem__
parser = argparse.ArgumentParser()
parser.add_argument('--config', required=True)
hp = Settings(parser.parse_args().config)
DataLoader(1, num_workers=hp.train.num_workers)
"""
DOCUMENTS = "name: x\n---\ntrain:\n  num_workers: 4\n---\nmodel: y\n"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"4", "open"}),
        ({"setattr(self, key, value)": "self[key] = value"}, {"4", "open"}),
        ({"    __getattr__ = Dot.__getitem__\n    __setattr__ = Dot.__setitem__\n": ""}, {"4", "open"}),
        ({"    __getattr__ = Dot.__getitem__\n": "    __getattr__ = Dot.get\n"}, {"4", "open"}),
        ({"    __getattr__ = Dot.__getitem__\n": "    __getattr__ = Dot.__len__\n"}, {"open"}),
        ({"setattr(self, key, value)": "setattr(self, key, override(value))"}, {"open"}),
        ({"setattr(self, key, value)": "setattr(self, key.lower(), value)"}, {"open"}),
        ({"setattr(self, key, value)": "setattr(self, key, value)\n            self.train = 1"}, {"open"}),
        ({"setattr(self, key, value)": "setattr(self, key, value)\n        self.train = 1"}, {"open"}),
        ({"held.items():": "override(held).items():"}, {"open"}),
        ({"held.items():": "path.items():"}, {"open"}),
        ({"held = Dot(read)": "held = override(read)"}, {"open"}),
        ({"held = Dot(read)": "held = Dot(read)\n        held = self.more(held)"}, {"open"}),
        ({"held = Dot(read)": "held = fill(self, read)"}, {"open"}),
        ({"held = Dot(read)": "held = Dot(read)\n        override(held)"}, {"open"}),
        ({"    __setattr__ = Dot.__setitem__\n": "    __setattr__ = override(Dot)\n"}, {"open"}),
        ({"class Settings(Dot)": "class Settings(Dot, override)"}, {"open"}),
        ({"class Settings(Dot)": "class Settings(override)"}, {"open"}),
        (
            {
                "class Settings(Dot)": "class Odd(dict):\n    def __getattr__(self, name):\n"
                "        return override(name)\n"
                "class Settings(Odd)",
                "Dot.__": "Odd.__",
                "super(Dot, self)": "super()",
            },
            {"open"},
        ),
    ],
)
def test_a_dictionary_that_fills_itself_from_a_file(changes: dict[str, str], expected: set[str]) -> None:
    main = (
        f"{IMPORT}from elsewhere import override\ndef fill(target, given):\n    target.update(override)\n"
        f"    return given\n{FILLS_ITSELF}"
    )
    for written, instead in changes.items():
        assert written in main
        main = main.replace(written, instead)
    (workers,) = (
        one.num_workers for one in loaders_of({"main.py": main, "a.yaml": DOCUMENTS}) if one.span.path == "main.py"
    )
    found = {f"{one.constant}" for one in workers.candidates if str(one.span) == "a.yaml:4:16"}
    assert found | ({"open"} if workers.open else set()) == expected
    assert len(workers.candidates) == len(found)
