from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loaders_of, met, traced

PARSER = "import argparse\nparser = argparse.ArgumentParser()\n"
USE = "args = parser.parse_args()\nDataLoader(data, num_workers=args.workers)\n"

PARSED = "args = parser.parse_args()\n"
VARS = f"{PARSED}given = vars(args)\n"


def declared(arguments: str, use: str = USE) -> str:
    return f"{PARSER}parser.add_argument({arguments})\n{use}"


DECLARATIONS: Cases = {
    "a default": (declared("'--workers', type=int, default=⟦4⟧"), {"4", "open"}),
    "a short flag beside it": (declared("'-j', '--workers', type=int, default=⟦4⟧"), {"4", "open"}),
    "dashes": (
        declared(
            "'--num-workers', type=int, default=⟦4⟧",
            "args = parser.parse_args()\nDataLoader(data, num_workers=args.num_workers)",
        ),
        {"4", "open"},
    ),
    "a short flag alone": (
        declared("'-j', type=int, default=⟦4⟧", "args = parser.parse_args()\nDataLoader(data, num_workers=args.j)"),
        {"4", "open"},
    ),
    "dest=": (declared("'--cpu', '-c', dest='workers', type=int, default=⟦4⟧"), {"4", "open"}),
    "a name other than dest is not filled": (declared("'--workers', dest='cpu', type=int, default=4"), {"open"}),
    "a default in another flag": (
        f"{PARSER}parser.add_argument('--size', default=8)\n"
        f"parser.add_argument('--workers', type=int, default=⟦4⟧)\n{USE}",
        {"4", "open"},
    ),
    "a constant as default": ("N = ⟦4⟧\n" + declared("'--workers', type=int, default=N"), {"4", "open"}),
    "no default": (declared("'--workers', type=int"), {"None at main.py:4:1", "open"}),
    "required": (declared("'--workers', type=int, required=True"), {"open"}),
    "required: its default never arrives": (
        declared("'--workers', type=int, required=True, default=4"),
        {"open"},
    ),
    "not required: its default arrives": (
        declared("'--workers', type=int, required=False, default=⟦4⟧"),
        {"4", "open"},
    ),
    "a positional argument": (declared("'workers', type=int"), {"open"}),
    "a positional argument that may be left out": (
        declared("'workers', type=int, nargs='?', default=⟦4⟧"),
        {"4", "open"},
    ),
    "no type: a string whenever the user gives it": (
        declared("'--workers', default=⟦4⟧"),
        {"4", "the text given to --workers at main.py:4:1"},
    ),
    "a string as default and no type is its own matter": (declared("'--workers', default=⟦'4'⟧"), {"'4'", "open"}),
    "a string as default goes through type": (declared("'--workers', type=int, default=⟦'4'⟧"), {"4", "open"}),
    "a type of the project's own": (declared("'--workers', type=count, default=⟦4⟧"), {"4", "open"}),
    "any word is true": (
        declared("'--fast', type=bool, default=True", f"{PARSED}DataLoader(d, num_workers=⟦2⟧ if args.fast else 4)"),
        {"2"},
    ),
    "any word is true in a group": (
        f"{PARSER}group = parser.add_argument_group('data')\ngroup.add_argument('--fast', type=bool, default=True)\n"
        f"{PARSED}DataLoader(d, num_workers=⟦2⟧ if args.fast else 4)",
        {"2"},
    ),
    "any word is true where none is not": (
        declared("'--fast', type=bool, default=False", f"{PARSED}DataLoader(d, num_workers=⟦2⟧ if args.fast else ⟦4⟧)"),
        {"2", "4"},
    ),
    "another parser reads the word": (
        declared(
            "'--fast', type=bool, default=True", f"{PARSED}DataLoader(d, num_workers=⟦2⟧ if args.fast else ⟦4⟧)"
        ).replace("import argparse", "import jsonargparse as argparse"),
        {"2", "4"},
    ),
    "a type of the same name reads the word": (
        "def bool(text):\n    return text in ('yes', 'true')\n"
        + declared(
            "'--fast', type=bool, default=True", f"{PARSED}DataLoader(d, num_workers=⟦2⟧ if args.fast else ⟦4⟧)"
        ),
        {"2", "4"},
    ),
    "store_true": (
        f"{PARSER}⟦parser.add_argument('--workers', action='store_true')⟧\n{USE}",
        {"False shared", "True shared"},
    ),
    "a flag with another that turns it off": (
        declared("'--workers', action=argparse.BooleanOptionalAction, default=⟦True⟧"),
        {"True", "True shared at main.py:4:1", "False shared at main.py:4:1"},
    ),
    "a flag with another that turns it off, and no default": (
        f"{PARSER}⟦parser.add_argument('--workers', action=argparse.BooleanOptionalAction)⟧\n{USE}",
        {"None", "True shared", "False shared"},
    ),
    "a flag with another that turns it off, which the program gives": (
        declared(
            "'--workers', action=argparse.BooleanOptionalAction, default=False",
            "args = parser.parse_args([⟦'--workers'⟧])\nDataLoader(data, num_workers=args.workers)",
        ),
        {"True shared at main.py:5:28", "missed main.py:5:27"},
    ),
    "true or false, as a function of the project reads it": (
        declared("'--workers', type=truth, default=⟦True⟧"),
        {"True", "open"},
    ),
    "store_false": (
        f"{PARSER}⟦parser.add_argument('--workers', action='store_false')⟧\n{USE}",
        {"False shared", "True shared"},
    ),
    "the environment as default": (
        "import os\n" + declared("'--workers', default=os.environ.get('WORKERS', ⟦4⟧)"),
        {"4", "the text given to $WORKERS at main.py:5:42", "the text given to --workers at main.py:5:1"},
    ),
    "the environment as default goes through type": (
        "import os\n" + declared("'--workers', type=int, default=os.environ.get('WORKERS', ⟦4⟧)"),
        {"4", "open"},
    ),
    "the environment as default, type=str": (
        "import os\n" + declared("'--workers', type=str, default=os.environ.get('WORKERS', ⟦'4'⟧)"),
        {"'4'", "the text given to $WORKERS at main.py:5:52", "open"},
    ),
    "vars(...).get": (
        declared("'--workers', type=int, default=⟦4⟧", VARS + "DataLoader(data, num_workers=given.get('workers', 9))"),
        {"4", "open"},
    ),
    "vars(...).get of what no flag gives": (
        declared("'--other', type=int, default=4", VARS + "DataLoader(data, num_workers=given.get('workers', ⟦9⟧))"),
        {"9"},
    ),
    "vars(...).pop": (
        declared("'--workers', type=int, default=⟦4⟧", VARS + "DataLoader(data, num_workers=given.pop('workers'))"),
        {"4", "open"},
    ),
    "__dict__": (
        declared(
            "'--workers', type=int, default=⟦4⟧", f"{PARSED}DataLoader(data, num_workers=args.__dict__['workers'])"
        ),
        {"4", "open"},
    ),
    "an item of vars(...) set": (
        declared(
            "'--workers', type=int, default=4",
            VARS + "given['workers'] = ⟦2⟧\nDataLoader(data, num_workers=given['workers'])",
        ),
        {"2", "open"},
    ),
    "vars(...) updated": (
        declared(
            "'--workers', type=int, default=4",
            VARS + "given.update(workers=⟦2⟧)\nDataLoader(data, num_workers=given['workers'])",
        ),
        {"2", "open"},
    ),
    "a copy of vars(...) updated": (
        declared(
            "'--workers', type=int, default=⟦4⟧",
            f"{PARSED}given = dict(vars(args))\ngiven.update(workers=2)\nDataLoader(data, num_workers=args.workers)",
        ),
        {"4", "open"},
    ),
    "choices": (declared("'--workers', type=int, choices=[0, 4], default=⟦4⟧"), {"4", "open"}),
    "int() around it leaves the string's place": (
        declared(
            "'--workers', default=⟦4⟧",
            "args = parser.parse_args()\nDataLoader(data, num_workers=int(args.workers))",
        ),
        {"4", "open"},
    ),
    "set_defaults": (
        f"{PARSER}parser.add_argument('--workers', type=int, default=4)\nparser.set_defaults(workers=⟦8⟧)\n{USE}",
        {"8", "open"},
    ),
    "two flags of one name: the default is the first one's": (
        f"{PARSER}parser.add_argument('--workers', type=int, default=⟦4⟧)\n"
        f"parser.add_argument('--no-workers', dest='workers', action='store_const', const=⟦0⟧)\n{USE}",
        {"4", "0", "open"},
    ),
    "a default of the second flag of a name is none": (
        f"{PARSER}parser.add_argument('--workers', type=int, default=⟦4⟧)\n"
        f"parser.add_argument('--threads', dest='workers', type=int, default=8)\n{USE}",
        {"4", "open"},
    ),
    "a flag declared again takes the place of the first": (
        "import argparse\nparser = argparse.ArgumentParser(conflict_handler='resolve')\n"
        f"parser.add_argument('--workers', type=int, default=4)\n"
        f"parser.add_argument('--workers', type=int, default=⟦8⟧)\n{USE}",
        {"8", "open"},
    ),
    "set_defaults of something never declared": (f"{PARSER}parser.set_defaults(workers=⟦8⟧)\n{USE}", {"8"}),
    "a flag never declared": (f"{PARSER}{USE}", {"open"}),
    "a name nobody can read": (declared("name, default=4"), {"open"}),
}

DEFAULTS = "{'workers': ⟦4⟧, 'size': 8}"
LOOPED = "parser.add_argument('--' + name, type=int, default=value)"


def looped(over: str, *body: str, before: str = "") -> str:
    """A parser of which a loop declares the flags."""
    return f"{PARSER}{before}\nfor name, value in {over}:\n" + "".join(f"    {line}\n" for line in body) + USE


NAMES: Cases = {
    "a sum of texts": (declared("'--' + 'workers', type=int, default=⟦4⟧"), {"4", "open"}),
    "a constant in text": (
        "KIND = 'workers'\n" + declared("f'--{KIND}', type=int, default=⟦4⟧"),
        {"4", "open"},
    ),
    "one that was not seen": (declared("'--' + kind(), type=int, default=4"), {"open"}),
    "one that was not seen beside one that is written": (
        f"{PARSER}parser.add_argument('--' + kind(), default=8)\n"
        f"parser.add_argument('--workers', type=int, default=⟦4⟧)\n{USE}",
        {"4", "open"},
    ),
    "one that was not seen may be what is asked for with a default": (
        declared("'--' + kind()", f"{PARSED}DataLoader(data, num_workers=getattr(args, 'workers', ⟦2⟧))"),
        {"2", "open"},
    ),
    "a destination that is worked out": (
        "WHERE = 'workers'\n" + declared("'--cpu', dest=WHERE, type=int, default=⟦4⟧"),
        {"4", "open"},
    ),
    "one of two": (
        "name = 'workers' if fast() else 'threads'\n" + declared("'--' + name, type=int, default=⟦4⟧"),
        {"4", "open"},
    ),
    "those of a row": (
        f"{PARSER}for name in ['size', 'workers']:\n    parser.add_argument('--' + name, type=int, default=⟦4⟧)\n{USE}",
        {"4", "open"},
    ),
    "those of a dictionary": (looped(f"{DEFAULTS}.items()", LOOPED), {"4", "open"}),
    "keys that look their values up": (
        f"DEFAULTS = {DEFAULTS}\n{PARSER}for name in DEFAULTS:\n"
        f"    parser.add_argument('--' + name, type=int, default=DEFAULTS[name])\n{USE}",
        {"4", "open"},
    ),
    "those of pairs": (looped("[('workers', ⟦4⟧), ('size', 8)]", LOOPED), {"4", "open"}),
    "names and settings that are spread": (
        looped("[(['--workers', '-w'], {'default': ⟦4⟧, 'type': int})]", "parser.add_argument(*name, **value)"),
        {"4", "open"},
    ),
    "those of a dictionary that a function takes from another": (
        """
        def defaults():
            found = dict(workers=⟦4⟧, size=8)
            found.update(more=3)
            return found
        def add(parser, values):
            for name, value in values.items():
                kind = type(value)
                if isinstance(value, bool):
                    kind = to_bool
                parser.add_argument(f"--{name}", default=value, type=kind)
        import argparse
        parser = argparse.ArgumentParser()
        add(parser, defaults())
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4 shared", "open"},
    ),
    "a function that is told each": (
        f"{PARSER}def add(parser, name, value):\n    {LOOPED}\n"
        f"add(parser, 'workers', ⟦4⟧)\nadd(parser, 'size', 8)\n{USE}",
        {"4", "open"},
    ),
    "two of one loop are given or left out each by itself": (
        looped("[('workers', ⟦4⟧), ('size', ⟦8⟧)]", LOOPED).replace("args.workers", "args.workers or args.size"),
        {"4", "8", "open"},
    ),
    "what its loop leaves out": (
        looped(f"{DEFAULTS}.items()".replace("⟦4⟧", "4"), "if name == 'workers':", "    continue", LOOPED),
        {"open"},
    ),
    "what its turn asks for": (
        looped(f"{DEFAULTS}.items()", "if name != 'size':", f"    {LOOPED}"),
        {"4", "open"},
    ),
    "another at the turn of another value": (
        looped(f"{DEFAULTS}.items()".replace("⟦4⟧", "4"), "if value > 4:", f"    {LOOPED}"),
        {"open"},
    ),
    "keys that were not all seen": (
        looped("values.items()", LOOPED, before="values = {'workers': 4, **more()}"),
        {"open"},
    ),
    "words that stand in the program": (
        looped(f"{DEFAULTS}.items()".replace("⟦4⟧", "4"), LOOPED).replace("_args()", "_args(['--workers', '⟦7⟧'])"),
        {"7 shared"},
    ),
    "further settings that were not seen": (declared("'--workers', type=int, **more()"), {"open"}),
}

FROM_FILE = f"""{IMPORT}import argparse
import yaml
with open("settings.yml") as file:
    settings = yaml.safe_load(file)
parser = argparse.ArgumentParser()
for section in settings.keys():
    group = parser.add_argument_group(section)
    for name in settings[section].keys():
        group.add_argument("--" + name, default=settings[section][name], type=int)
args = parser.parse_args()
"""
BY_GROUP = """given = {}
for group in parser._action_groups:
    named = {one.dest: getattr(args, one.dest, None) for one in group._group_actions}
    given[group.title] = named
"""
IN_FILE = "model:\n  depth: 3\ndata:\n  workers: ⟦4⟧\n"

NAMED_IN_FILES: dict[str, tuple[dict[str, str], set[str]]] = {
    "sections of a file": (
        {"settings.yml": IN_FILE, "main.py": f"{FROM_FILE}DataLoader(data, num_workers=args.workers)\n"},
        {"4", "open"},
    ),
    "sections of a file in which others are left out": (
        {
            "settings.yml": f"version: 3\n{IN_FILE}",
            "main.py": FROM_FILE.replace(
                "    group =", "    if not isinstance(settings[section], dict):\n        continue\n    group ="
            )
            + "DataLoader(data, num_workers=args.workers)\n",
        },
        {"4", "open"},
    ),
    "sections of a file, read again by group": (
        {
            "settings.yml": IN_FILE,
            "main.py": f"{FROM_FILE}{BY_GROUP}DataLoader(data, num_workers=given['data']['workers'])\n",
        },
        {"4", "open"},
    ),
    "a section of a file that another group holds": (
        {
            "settings.yml": IN_FILE.replace("⟦4⟧", "4"),
            "main.py": f"{FROM_FILE}{BY_GROUP}DataLoader(data, num_workers=given['model'].get('workers', ⟦2⟧))\n",
        },
        {"2"},
    ),
    "a key that its file lacks": (
        {
            "settings.yml": IN_FILE.replace("⟦4⟧", "4"),
            "main.py": f"{FROM_FILE}DataLoader(data, num_workers=args.data)\n",
        },
        {"open"},
    ),
}

GROUPS = """
import argparse
parser = argparse.ArgumentParser()
group = parser.add_argument_group("data")
group.add_argument("--workers", type=int, default=⟦4⟧)
other = parser.add_argument_group("model")
other.add_argument("--depth", type=int, default=3)
parser.add_argument("--size", type=int, default=8)
args = parser.parse_args()
sections = {}
for each in parser._action_groups:
    sections[each.title] = {one.dest: getattr(args, one.dest, None) for one in each._group_actions}
"""

ACTIONS: Cases = {
    "a group by its title": (GROUPS + "DataLoader(data, num_workers=sections['data']['workers'])", {"4", "open"}),
    "a flag of another group": (
        GROUPS.replace("⟦4⟧", "4") + "DataLoader(data, num_workers=sections['model'].get('workers', ⟦2⟧))",
        {"2"},
    ),
    "a flag of the parser itself": (
        GROUPS.replace("⟦4⟧", "4").replace("=8", "=⟦8⟧") + "DataLoader(data, num_workers=sections['options']['size'])",
        {"8", "open"},
    ),
    "an exclusive group in a group": (
        GROUPS.replace("group.add_argument(", "group.add_mutually_exclusive_group().add_argument(")
        + "DataLoader(data, num_workers=sections['data']['workers'])",
        {"4", "open"},
    ),
    "as objects": (
        GROUPS.replace("= {one.", "= argparse.Namespace(**{one.").replace("actions}", "actions})")
        + "DataLoader(data, num_workers=sections['data'].workers)",
        {"4", "open"},
    ),
    "without those of the parser itself, whatever they are called": (
        GROUPS
        + "del sections['options' if new() else 'optional arguments']\n"
        + "DataLoader(data, num_workers=sections['data']['workers'])",
        {"4", "open"},
    ),
    "all flags": (
        declared("'--workers', type=int, default=⟦4⟧", PARSED)
        + "given = {one.dest: getattr(args, one.dest) for one in parser._actions}\n"
        + "DataLoader(data, num_workers=given['workers'])",
        {"4", "open"},
    ),
    "a flag that is declared later": (
        f"{PARSER}names = [one.dest for one in parser._actions]\nparser.add_argument('--workers', default=4)\n"
        f"{PARSED}given = {{one: getattr(args, one) for one in names}}\n"
        "DataLoader(data, num_workers=given.get('workers', ⟦2⟧))",
        {"2"},
    ),
    "a group whose title was not seen": (
        GROUPS.replace("⟦4⟧", "4").replace('"model"', "title()")
        + "DataLoader(data, num_workers=sections['data']['workers'])",
        {"open"},
    ),
    "a flag whose name was not seen": (
        GROUPS.replace("⟦4⟧", "4").replace('"--depth"', "flag()")
        + "DataLoader(data, num_workers=sections['data']['workers'])",
        {"open"},
    ),
    "a flag that is not always declared": (
        GROUPS.replace("⟦4⟧", "4").replace("other.add", "if deep():\n    other.add")
        + "DataLoader(data, num_workers=sections['data']['workers'])",
        {"open"},
    ),
    "a parser with commands": (
        GROUPS.replace("⟦4⟧", "4").replace("args =", "parser.add_subparsers().add_parser('train')\nargs =")
        + "DataLoader(data, num_workers=sections['data']['workers'])",
        {"open"},
    ),
}

OTHERS = "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Data:\n    workers: int = 0\n"
NESTED = f"""{IMPORT}from dataclasses import dataclass
import tyro
from others import Data
from {{}} import DEFAULT
@dataclass(frozen=True)
class Config:
    data: Data = {{}}
config = tyro.cli(Config)
DataLoader(1, num_workers=config.data.workers)
"""

SEVERAL = f"""{PARSER}parser.add_argument("--size", type=int, default=8)
parser.add_argument("--workers", type=int, default=⟦4⟧)
"""
PARSER_OF = "argparse.ArgumentParser("


PLAIN = "import argparse\nparser = argparse.ArgumentParser()\n"


def set_after(statement: str, reached: bool) -> tuple[str, set[str]]:
    """A program that sets something of its actions, and what reaches its loader: the default, unless it may be it."""
    text = f"{SEVERAL}{statement}\n{USE}"
    return (text, {"4", "open"}) if reached else (text.replace("⟦4⟧", "4"), {"open"})


def asked(attribute: str, parser: str = SEVERAL, reached: bool = True) -> tuple[str, set[str]]:
    """A program that reads a flag by what its action is called."""
    text = f"{parser}{PARSED}DataLoader(data, num_workers=getattr(args, parser.{attribute}.dest))\n"
    return (text, {"4", "open"}) if reached else (text.replace("⟦4⟧", "4"), {"open"})


IN_GROUPS = """import argparse
parser = argparse.ArgumentParser()
group, other = parser.add_argument_group("a"), parser.add_argument_group("b")
parser.add_argument_group("empty")
other.add_argument("--size", type=int, default=8)
group.add_argument("--depth", type=int, default=3)
parser.add_argument("--workers", type=int, default=⟦4⟧)
parser.add_argument("more")
"""

ACTIONS |= {
    "an action by its place": asked("_actions[2]"),
    "an action by its place from the end": asked("_actions[-1]"),
    "an action of a group that every parser has": asked("_action_groups[1]._group_actions[2]"),
    "an action among those of groups": asked("_actions[3]", IN_GROUPS),
    "an action of groups without its own": asked("_action_groups[1]._group_actions[1]", IN_GROUPS),
    "an action of a group by a place that hangs on which were made before": asked(
        "_action_groups[2]._group_actions[0]",
        IN_GROUPS.replace('"--depth"', '"--workers", dest="depth"').replace("default=3", "default=⟦4⟧", 1),
        reached=False,
    ),
    "an action without help before it": asked("_actions[1]", SEVERAL.replace(PARSER_OF, f"{PARSER_OF}add_help=False")),
    "an action with what may be help before it": asked(
        "_actions[1]", SEVERAL.replace(PARSER_OF, f"{PARSER_OF}add_help=helps()"), reached=False
    ),
    "an action of a parser of which not all was seen": asked(
        "_actions[2]", SEVERAL.replace(PARSER_OF, f"{PARSER_OF}**settings"), reached=False
    ),
    "an action of a parser that is made of a row": asked(
        "_actions[2]", SEVERAL.replace(PARSER_OF, f"{PARSER_OF}*settings"), reached=False
    ),
    "an action of a parser that is made by position": asked(
        "_actions[2]", SEVERAL.replace(PARSER_OF, f"{PARSER_OF}'a', None, None, None, []"), reached=False
    ),
    "an action of a parser with parents that were not seen": asked(
        "_actions[2]", SEVERAL.replace(PARSER_OF, f"{PARSER_OF}parents=[common()]"), reached=False
    ),
    "an action of a parser with parents that are not written": asked(
        "_actions[2]", SEVERAL.replace(PARSER_OF, f"{PARSER_OF}parents=common"), reached=False
    ),
    "an action of a parser of a library": asked(
        "_actions[2]", SEVERAL.replace("argparse", "jsonargparse"), reached=False
    ),
    "an action of a group, which has those of its parser": asked(
        "_action_groups[0]._actions[2]", SEVERAL, reached=False
    ),
    "a default that is set by place": set_after("parser._actions[2].default = 0", reached=False),
    "another default that is set by place": set_after("parser._actions[1].default = 0", reached=True),
    "a default that is set by a place that is not seen": set_after("parser._actions[place()].default = 0", False),
    "a default that is set by the place in a group": set_after(
        "parser._action_groups[1]._group_actions[2].default = 0", reached=False
    ),
    "a default that is set in a group that is not seen": set_after(
        "parser._optionals._group_actions[1].default = 0", reached=False
    ),
    "a default that is set by how it is spelled": set_after(
        "parser._option_string_actions['--workers'].default = 0", reached=False
    ),
    "another default that is set by how it is spelled": set_after(
        "parser._option_string_actions['--size'].default = 0", reached=True
    ),
    "a default that is set by its name": set_after("setattr(parser._actions[2], 'default', 0)", reached=False),
    "a type that is set by place": set_after("parser._actions[2].type = str", reached=False),
    "a default that is set in a loop": set_after("for one in parser._actions:\n    one.default = 0", reached=False),
    "a default that is set on the next": set_after(
        "next(one for one in parser._actions if one.dest == 'workers').default = 0", reached=False
    ),
    "a default that is set on what declares it": set_after(
        "parser.add_argument('--depth', default=3).default = 0", reached=True
    ),
    "its default that is set on what declares it": (
        f"{PLAIN}parser.add_argument('--workers', type=int, default=4).default = 0\n{USE}",
        {"open"},
    ),
    "a default that is set on what a lambda declares": (
        f"{PLAIN}add = lambda to: to.add_argument('--workers', default=4)\nflag = add(parser)\nflag.default = 0\n{USE}",
        {"open"},
    ),
    "a default that is set on what several lines declare": (
        f"{PLAIN}flag = (\n    parser.add_argument('--workers', default=4)\n)\nflag.default = 0\n{USE}",
        {"open"},
    ),
    "an attribute of something unseen, whichever it is": set_after(
        "for name, value in found().items():\n    setattr(kept(), name, value)", reached=True
    ),
    "a default of something else": set_after("field.default = 0", reached=True),
    "a title that is set": set_after("parser._optionals.title = 'settings'", reached=True),
    "flags that are taken away": set_after("parser._remove_action(parser._actions[1])", reached=False),
    "flags that are taken from the list": set_after("parser._actions.pop()", reached=False),
}

PARSERS: Cases = {
    "parents": (
        """
        import argparse
        common = argparse.ArgumentParser(add_help=False)
        common.add_argument("--workers", type=int, default=⟦4⟧)
        parser = argparse.ArgumentParser(parents=[common])
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a group": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("data")
        group.add_argument("--workers", type=int, default=⟦4⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a class that adds its own, in a method called as simple_parsing's": (
        """
        import argparse
        class Data:
            @classmethod
            def add_arguments(cls, parser):
                group = parser.add_argument_group(title="data")
                group.add_argument("--workers", type=int, default=⟦4⟧)
        parser = argparse.ArgumentParser()
        Data.add_arguments(parser)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "an object that sets defaults in a method called as the parser's": (
        """
        import argparse
        class Data:
            def set_defaults(self, parser):
                parser.set_defaults(workers=⟦4⟧)
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=8)
        Data().set_defaults(parser)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "an object that is called for another parser": (
        """
        import argparse
        class Data:
            def set_defaults(self, parser):
                parser.set_defaults(workers=2)
        other, parser = argparse.ArgumentParser(), argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦8⟧)
        Data().set_defaults(other)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "open"},
    ),
    "a parser of a class of its own": (
        """
        import argparse
        class Parser(argparse.ArgumentParser):
            def add_argument(self, *names, **options):
                return super().add_argument(*names, **{**options, "default": 2})
        parser = Parser()
        parser.add_argument("--workers", type=int, default=4)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
    "a group in a group": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("data").add_mutually_exclusive_group()
        group.add_argument("--workers", type=int, default=⟦4⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a command of its own": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        train = parser.add_subparsers().add_parser("train")
        train.add_argument("--workers", type=int, default=⟦4⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "two parsers do not mix": (
        """
        import argparse
        other = argparse.ArgumentParser()
        other.add_argument("--workers", type=int, default=8)
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "imported by name": (
        """
        from argparse import ArgumentParser
        parser = ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "parse_known_args": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        args, rest = parser.parse_known_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "parse_known_args by index": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        args = parser.parse_known_args()[0]
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a helper builds the parser": (
        """
        import argparse
        def get_parser():
            parser = argparse.ArgumentParser()
            parser.add_argument("--workers", type=int, default=⟦4⟧)
            return parser
        def main():
            args = get_parser().parse_args()
            DataLoader(data, num_workers=args.workers)
        main()
        """,
        {"4", "open"},
    ),
    "a helper fills the parser": (
        """
        import argparse
        def add_arguments(parser):
            parser.add_argument("--workers", type=int, default=⟦4⟧)
        def main():
            parser = argparse.ArgumentParser()
            add_arguments(parser)
            args = parser.parse_args()
            DataLoader(data, num_workers=args.workers)
        main()
        """,
        {"4", "open"},
    ),
    "a helper parses": (
        """
        import argparse
        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("--workers", type=int, default=⟦4⟧)
            return parser.parse_args()
        args = parse()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "handed to a function": (
        """
        import argparse
        def main(args):
            DataLoader(data, num_workers=args.workers)
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        main(parser.parse_args())
        """,
        {"4", "open"},
    ),
    "read by a function from the module": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        def main():
            DataLoader(data, num_workers=args.workers)
        if __name__ == "__main__":
            args = parser.parse_args()
            main()
        """,
        {"4", "open"},
    ),
    "kept by an object": (
        """
        import argparse
        class Trainer:
            def __init__(self, args):
                self.args = args
            def load(self):
                return DataLoader(data, num_workers=self.args.workers)
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        Trainer(parser.parse_args()).load()
        """,
        {"4", "open"},
    ),
    "vars(args) by key": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        args = vars(parser.parse_args())
        DataLoader(data, num_workers=args["workers"])
        """,
        {"4", "open"},
    ),
    "vars(args) splatted into a function": (
        """
        import argparse
        def main(workers, size):
            DataLoader(data, num_workers=workers)
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        parser.add_argument("--size", type=int, default=32)
        main(**vars(parser.parse_args()))
        """,
        {"4", "open"},
    ),
    "vars(args) splatted into the loader": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--num_workers", type=int, default=⟦4⟧)
        DataLoader(data, **vars(parser.parse_args()))
        """,
        {"4", "open"},
    ),
    "getattr with a default, the flag there": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=getattr(args, "workers", 8))
        """,
        {"4", "open"},
    ),
    "getattr with a default, the flag missing": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        args = parser.parse_args()
        DataLoader(data, num_workers=getattr(args, "workers", ⟦8⟧))
        """,
        {"8"},
    ),
    "getattr with a name nobody sees": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=4)
        args = parser.parse_args()
        DataLoader(data, num_workers=getattr(args, name, 8))
        """,
        {"open"},
    ),
    "a parser of another library": (
        """
        from elsewhere import Options
        parser = Options()
        parser.add_argument("--workers", type=int, default=4)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
    "a subclass of ArgumentParser": (
        """
        import argparse
        class Parser(argparse.ArgumentParser):
            pass
        parser = Parser()
        parser.add_argument("--workers", type=int, default=4)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
}

SWITCHES = ("one", "two", "three", "four", "five", "slow")
TAMED = "".join(f"def tame_{one}(args):\n    if args.{one}:\n        args.n_{one} = 1\n" for one in SWITCHES[:-1])

FILLED = """parser.add_argument('--workers', type=int, default=⟦0⟧)
args = parser.parse_args()
for key in saved:
    if key in [⟨names⟩]:
        setattr(args, key, getattr(args, key) or getattr(saved, key, ''))
    elif key not in vars(args):
        vars(args).update({key: saved[key]})
DataLoader(data, num_workers=args.workers)
"""

CHANGED: Cases = {
    "after parsing, under a name of some, where it counts as false": (
        f"{PARSER}{FILLED.replace('⟨names⟩', repr('workers')).replace('⟦0⟧', '0')}",
        {"open"},
    ),
    "after parsing, under a name of some others, where it counts as false": (
        f"{PARSER}{FILLED.replace('⟨names⟩', repr('size'))}".replace(
            "elif key not in vars(args)", "elif key in ['id']"
        ),
        {"0 shared", "open"},
    ),
    "after parsing, in a loop over some, where it counts as false": (
        f"{PARSER}{FILLED.replace('in saved', 'in [⟨names⟩]').replace('if key in [⟨names⟩]', 'if key')}".replace(
            "⟨names⟩", "'size', 'workers'"
        )
        .replace("⟦0⟧", "0")
        .replace("    elif key not in vars(args):\n        vars(args).update({key: saved[key]})\n", ""),
        {"open"},
    ),
    "after parsing, in a loop over some others": (
        f"{PARSER}{FILLED.replace('in saved', 'in [⟨names⟩]').replace('if key in [⟨names⟩]', 'if key')}".replace(
            "⟨names⟩", "'size', 'seed'"
        ).replace("    elif key not in vars(args):\n        vars(args).update({key: saved[key]})\n", ""),
        {"0 shared", "open"},
    ),
    "after parsing, under names not seen, where it counts as false": (
        f"{PARSER}{FILLED.replace('if key in [⟨names⟩]', 'if key')}".replace(
            "    elif key not in vars(args):\n        vars(args).update({key: saved[key]})\n", ""
        ),
        {"0 shared", "open"},
    ),
    "after parsing, under any name": (
        f"{PARSER}{FILLED.replace('⟨names⟩', repr('workers'))}".replace("getattr(args, key) or ", ""),
        {"0", "open"},
    ),
    "after parsing, in many functions, each in one case": (
        f"{PARSER}parser.add_argument('--workers', type=int, default=⟦4⟧)\n"
        + "".join(f"parser.add_argument('--{one}', action='store_true')\n" for one in SWITCHES)
        + f"{TAMED}def tame_slow(args):\n    if not args.slow:\n        return\n    args.workers = ⟦1⟧\n"
        + "def main(args):\n"
        + "".join(f"    tame_{one}(args)\n" for one in SWITCHES)
        + "    DataLoader(data, num_workers=args.workers)\nmain(parser.parse_args())\n",
        {"4", "1", "open"},
    ),
    "after parsing, in one case of a function, read in that case": (
        f"{PARSER}parser.add_argument('--workers', type=int, default=4)\n"
        "parser.add_argument('--slow', action='store_true')\n"
        "def tame(args):\n    if args.slow:\n        args.workers = ⟦1⟧\n"
        "args = parser.parse_args()\ntame(args)\nif args.slow:\n    DataLoader(data, num_workers=args.workers)\n",
        {"1"},
    ),
    "after parsing": (
        declared("'--workers', type=int, default=4", "args = parser.parse_args()\nargs.workers = ⟦1⟧\n")
        + "DataLoader(data, num_workers=args.workers)",
        {"1"},
    ),
    "after parsing, in one case": (
        declared("'--workers', type=int, default=⟦4⟧", "args = parser.parse_args()\nif quick():\n    ")
        + "args.workers = ⟦0⟧\nDataLoader(data, num_workers=args.workers)",
        {"0", "4", "open"},
    ),
    "after parsing, by another function": (
        """
        import argparse
        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("--workers", type=int, default=4)
            args = parser.parse_args()
            args.workers = ⟦1⟧
            return args
        args = parse()
        DataLoader(data, num_workers=args.workers)
        """,
        {"1"},
    ),
    "after parsing, by a function that is given them": (
        """
        import argparse
        def tame(args):
            args.workers = ⟦1⟧
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=4)
        args = parser.parse_args()
        tame(args)
        DataLoader(data, num_workers=args.workers)
        """,
        {"1"},
    ),
    "after parsing, in the module, read in a function": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=4)
        args = parser.parse_args()
        args.workers = ⟦1⟧
        def main():
            DataLoader(data, num_workers=args.workers)
        main()
        """,
        {"1"},
    ),
    "halved": (
        declared("'--workers', type=int, default=4", "args = parser.parse_args()\n")
        + "args.workers = ⟦args.workers // 2⟧\nDataLoader(data, num_workers=args.workers)",
        {"2", "open"},
    ),
    "halved in place": (
        declared("'--workers', type=int, default=4", "args = parser.parse_args()\n")
        + "⟦args.workers //= 2⟧\nDataLoader(data, num_workers=args.workers)",
        {"2", "open"},
    ),
    "another attribute changed": (
        declared("'--workers', type=int, default=⟦4⟧", "args = parser.parse_args()\nargs.size = 1\n")
        + "DataLoader(data, num_workers=args.workers)",
        {"4", "open"},
    ),
}

FILES: Cases = {
    "a parser built in another file": (
        {
            "options.py": "import argparse\ndef get_parser():\n    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--workers', type=int, default=⟦4⟧)\n    return parser\n",
            "main.py": f"{IMPORT}from options import get_parser\nargs = get_parser().parse_args()\n"
            "DataLoader(data, num_workers=args.workers)\n",
        },
        {"4", "open"},
    ),
    "a parser filled in another file": (
        {
            "options.py": "def add_arguments(parser):\n    parser.add_argument('--workers', type=int, default=⟦4⟧)\n",
            "main.py": f"{IMPORT}import argparse\nfrom options import add_arguments\n"
            "parser = argparse.ArgumentParser()\nadd_arguments(parser)\nargs = parser.parse_args()\n"
            "DataLoader(data, num_workers=args.workers)\n",
        },
        {"4", "open"},
    ),
    "a parser that a class fills whose method simple_parsing has, too": (
        {
            "data.py": "class Data:\n    @classmethod\n    def add_arguments(cls, parser):\n"
            "        group = parser.add_argument_group('data')\n"
            "        group.add_argument('--workers', type=int, default=⟦4⟧)\n",
            "main.py": f"{IMPORT}import argparse\nfrom data import Data\n"
            "parser = argparse.ArgumentParser()\nData.add_arguments(parser)\nargs = parser.parse_args()\n"
            "DataLoader(data, num_workers=args.workers)\n",
        },
        {"4", "open"},
    ),
    "a parser that a module fills by a function of that name": (
        {
            "options.py": "def add_arguments(parser):\n    parser.add_argument('--workers', type=int, default=⟦4⟧)\n",
            "main.py": f"{IMPORT}import argparse, options\n"
            "parser = argparse.ArgumentParser()\noptions.add_arguments(parser)\nargs = parser.parse_args()\n"
            "DataLoader(data, num_workers=args.workers)\n",
        },
        {"4", "open"},
    ),
    "another parser that a class fills": (
        {
            "data.py": "class Data:\n    @classmethod\n    def add_arguments(cls, parser):\n"
            "        parser.add_argument('--workers', type=int, default=4)\n",
            "main.py": f"{IMPORT}import argparse\nfrom data import Data\n"
            "parser = argparse.ArgumentParser()\nData.add_arguments(argparse.ArgumentParser())\n"
            "args = parser.parse_args()\nDataLoader(data, num_workers=args.workers)\n",
        },
        {"open"},
    ),
    "a class that nobody has fill the parser": (
        {
            "data.py": "class Data:\n    @classmethod\n    def add_arguments(cls, parser):\n"
            "        parser.add_argument('--workers', type=int, default=4)\n",
            "main.py": f"{IMPORT}import argparse\nfrom data import Data\n"
            "parser = argparse.ArgumentParser()\nargs = parser.parse_args()\n"
            "DataLoader(data, num_workers=args.workers)\n",
        },
        {"open"},
    ),
    "arguments handed to a file that builds the loader": (
        {
            "data.py": f"{IMPORT}def load(data, args):\n    return DataLoader(data, num_workers=args.workers)\n",
            "main.py": "import argparse\nfrom data import load\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--workers', type=int, default=⟦4⟧)\nload(1, parser.parse_args())\n",
        },
        {"4", "open"},
    ),
    "two programs with a flag of the same name": (
        {
            "data.py": f"{IMPORT}def load(data, workers):\n    return DataLoader(data, num_workers=workers)\n",
            "train.py": "import argparse\nfrom data import load\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--workers', type=int, default=⟦4⟧)\nload(1, parser.parse_args().workers)\n",
            "test.py": "import argparse\nfrom data import load\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--workers', type=int, default=⟦0⟧)\nload(1, parser.parse_args().workers)\n",
        },
        {"4", "0", "open"},
    ),
    "the base options of a class": (
        {
            "options.py": "import argparse\nclass Options:\n    def initialize(self, parser):\n"
            "        parser.add_argument('--threads', type=int, default=⟦4⟧)\n        return parser\n"
            "    def parse(self):\n        parser = self.initialize(argparse.ArgumentParser())\n"
            "        return parser.parse_args()\n",
            "main.py": f"{IMPORT}from options import Options\nopt = Options().parse()\n"
            "DataLoader(data, num_workers=opt.threads)\n",
        },
        {"4", "open"},
    ),
}

DECORATED: Cases = {
    "click.option": (
        """
        import click
        @click.command()
        @click.option("--workers", default=⟦4⟧)
        def main(workers):
            DataLoader(data, num_workers=workers)
        """,
        {"4", "open"},
    ),
    "click.option, whose default a required one takes": (
        """
        import click
        @click.command()
        @click.option("--workers", default=⟦4⟧, required=True)
        def main(workers):
            DataLoader(data, num_workers=workers)
        """,
        {"4", "open"},
    ),
    "click.option with a short flag and a type": (
        """
        import click
        @click.command()
        @click.option("-j", "--num-workers", type=int, default=⟦4⟧, show_default=True)
        def main(num_workers):
            DataLoader(data, num_workers=num_workers)
        """,
        {"4", "open"},
    ),
    "click.option kept in a name": (
        """
        import click
        workers_option = click.option("--workers", default=⟦4⟧)
        @click.command()
        @workers_option
        def main(workers):
            DataLoader(data, num_workers=workers)
        main()
        """,
        {"4", "open"},
    ),
    "click.option that a function's result applies": (
        """
        import click
        def options(lowest):
            def added(function):
                return click.option("--workers", default=⟦4⟧)(function)
            return added
        @click.command()
        @options(0)
        @click.option("--size", default=1)
        def main(size, workers=7):
            DataLoader(data, num_workers=workers)
        main()
        """,
        {"4", "open"},
    ),
    "a parameter that no click.option fills keeps its default": (
        """
        import click
        def noisy(prefix):
            return lambda function: function
        size_option = click.option("--size", default=1)
        @click.command()
        @size_option
        def main(size, workers=⟦7⟧):
            DataLoader(data, num_workers=workers)
        main()
        """,
        {"7"},
    ),
    "click.option with a name of its own": (
        """
        import click
        @click.command()
        @click.option("--cpu", "workers", default=⟦4⟧)
        def main(workers):
            DataLoader(data, num_workers=workers)
        """,
        {"4", "open"},
    ),
    "click.option for another parameter": (
        """
        import click
        @click.command()
        @click.option("--size", default=4)
        def main(size, workers):
            DataLoader(data, num_workers=workers)
        """,
        {"open"},
    ),
    "typer.Option": (
        """
        import typer
        def main(workers: int = typer.Option(⟦4⟧, "--workers")):
            DataLoader(data, num_workers=workers)
        typer.run(main)
        """,
        {"4", "open"},
    ),
    "typer's plain default": (
        """
        import typer
        app = typer.Typer()
        @app.command()
        def main(workers: int = ⟦4⟧):
            DataLoader(data, num_workers=workers)
        """,
        {"4", "open"},
    ),
    "typer.Option without a default": (
        """
        import typer
        def main(workers: int = typer.Option(...)):
            DataLoader(data, num_workers=workers)
        typer.run(main)
        """,
        {"open"},
    ),
    "fire": (
        """
        import fire
        def main(workers=⟦4⟧):
            DataLoader(data, num_workers=workers)
        fire.Fire(main)
        """,
        {"4", "open"},
    ),
}


FOLLOWED: Cases = {
    "tyro: a nested dataclass": (
        """
        from dataclasses import dataclass, field
        import tyro
        @dataclass
        class Data:
            workers: int = ⟦2⟧
        @dataclass
        class Config:
            data: Data = field(default_factory=Data)
            size: int = 32
        def main(cfg):
            DataLoader(data, num_workers=cfg.data.workers, batch_size=cfg.size)
        main(tyro.cli(Config))
        """,
        {"2", "open"},
    ),
    "tyro: a nested dataclass that starts from an object of another file": (
        {
            "others.py": f"{OTHERS}DEFAULT = Data(workers=⟦2⟧)\n",
            "main.py": NESTED.format("others", "DEFAULT"),
        },
        {"2", "open"},
    ),
    "tyro: a nested dataclass that starts from an object that is not seen": (
        {"others.py": OTHERS, "main.py": NESTED.format("elsewhere", "DEFAULT")},
        {"open"},
    ),
    "tyro: a nested dataclass that starts from a part of an object that is not seen": (
        {"others.py": OTHERS, "main.py": NESTED.format("elsewhere", "DEFAULT.data")},
        {"open"},
    ),
    "tyro: a nested dataclass that starts from no object": (
        {"others.py": OTHERS.replace("0", "⟦0⟧"), "main.py": NESTED.format("elsewhere", "None")},
        {"0", "open"},
    ),
    "tyro: a nested dataclass without a default": (
        """
        from dataclasses import dataclass, field
        import tyro
        @dataclass
        class Data:
            workers: int = ⟦2⟧
        @dataclass
        class Config:
            data: Data
        cfg = tyro.cli(Config)
        DataLoader(data, num_workers=cfg.data.workers)
        """,
        {"2", "open"},
    ),
    "tyro: a default object replaces the default of the field": (
        """
        from dataclasses import dataclass, field
        import tyro
        @dataclass
        class Config:
            workers: int = 2
        cfg = tyro.cli(Config, default=Config(workers=⟦8⟧))
        DataLoader(data, num_workers=cfg.workers)
        """,
        {"8", "open"},
    ),
    "tyro: a union is a choice of commands": (
        """
        from dataclasses import dataclass, field
        import tyro
        from typing import Union
        @dataclass
        class Train:
            workers: int = ⟦2⟧
        @dataclass
        class Eval:
            workers: int = ⟦0⟧
        cfg = tyro.cli(Union[Train, Eval])
        DataLoader(data, num_workers=cfg.workers)
        """,
        {"0", "2", "open"},
    ),
    "tyro: a function": (
        """
        import tyro
        def main(workers: int = ⟦4⟧):
            DataLoader(data, num_workers=workers)
        if __name__ == "__main__":
            tyro.cli(main)
        """,
        {"4", "open"},
    ),
    "tyro: a function that takes a dataclass": (
        """
        import tyro
        from dataclasses import dataclass
        @dataclass
        class Config:
            workers: int = ⟦2⟧
        def main(config: Config, seed: int = 0):
            DataLoader(data, num_workers=config.workers)
        if __name__ == "__main__":
            tyro.cli(main)
        """,
        {"2", "open"},
    ),
    "tyro: a function that the project calls as well": (
        """
        import tyro
        def main(workers: int = ⟦4⟧):
            DataLoader(data, num_workers=workers)
        def test():
            main(workers=⟦2⟧)
        if __name__ == "__main__":
            tyro.cli(main)
        """,
        {"2", "4", "open"},
    ),
    "simple_parsing: add_arguments": (
        """
        from simple_parsing import ArgumentParser
        from dataclasses import dataclass
        @dataclass
        class Config:
            workers: int = ⟦2⟧
        parser = ArgumentParser()
        parser.add_arguments(Config, dest="cfg")
        parser.add_argument("--size", type=int, default=8)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.cfg.workers, batch_size=args.size)
        """,
        {"2", "open"},
    ),
    "simple_parsing: parse": (
        """
        import simple_parsing
        from dataclasses import dataclass
        @dataclass
        class Config:
            workers: int = ⟦2⟧
        def main():
            cfg = simple_parsing.parse(Config)
            DataLoader(data, num_workers=cfg.workers)
        main()
        """,
        {"2", "open"},
    ),
    "HfArgumentParser: from a JSON file or the command line": (
        """
        import sys, os
        from transformers import HfArgumentParser
        from dataclasses import dataclass, field
        @dataclass
        class DataArgs:
            workers: int = field(default=⟦2⟧, metadata={"help": "x"})
        def main():
            parser = HfArgumentParser((DataArgs,))
            if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
                args, = parser.parse_json_file(json_file=os.path.abspath(sys.argv[1]))
            else:
                (args,) = parser.parse_args_into_dataclasses()
            DataLoader(data, num_workers=args.workers)
        main()
        """,
        {"2", "open"},
    ),
    "HfArgumentParser: parse_dict": (
        """
        from transformers import HfArgumentParser
        from dataclasses import dataclass, field
        @dataclass
        class DataArgs:
            workers: int = field(default=2, metadata={"help": "x"})
            size: int = 3
        args, = HfArgumentParser(DataArgs).parse_dict({"workers": ⟦6⟧})
        DataLoader(data, num_workers=args.workers, batch_size=args.size)
        """,
        {"6"},
    ),
    "click: options as keywords": (
        """
        import click
        @click.command()
        @click.option("--workers", "num_workers", default=⟦4⟧, type=int)
        @click.option("--seed", default=1)
        def main(**kwargs):
            DataLoader(data, num_workers=kwargs["num_workers"])
        main()
        """,
        {"4", "open"},
    ),
    "click: a command of a group that hands its keywords on": (
        """
        import click
        @click.group()
        def cli(): pass
        @cli.command()
        @click.option("--num-workers", default=⟦4⟧)
        def train(**opts):
            run(**opts)
        def run(num_workers):
            DataLoader(data, num_workers=num_workers)
        cli()
        """,
        {"4", "open"},
    ),
    "click: options that a function of the project adds": (
        """
        import click
        def common(f):
            f = click.option("--workers", default=⟦4⟧)(f)
            return f
        @click.command()
        @common
        def main(workers):
            DataLoader(data, num_workers=workers)
        """,
        {"4", "open"},
    ),
    "typer: Annotated": (
        """
        import typer
        from typing import Annotated
        app = typer.Typer()
        @app.command()
        def main(workers: Annotated[int, typer.Option("--workers")] = ⟦4⟧):
            DataLoader(data, num_workers=workers)
        """,
        {"4", "open"},
    ),
    "typer: a command that another one calls": (
        """
        import typer
        app = typer.Typer()
        @app.command()
        def main(workers: int = typer.Option(⟦4⟧)):
            DataLoader(data, num_workers=workers)
        @app.command()
        def other():
            main(workers=⟦2⟧)
        """,
        {"4", "2", "open"},
    ),
    "fire: a command of the program itself": (
        """
        import fire
        def main(data=1, workers=2):
            DataLoader(data, num_workers=workers)
        fire.Fire(main, command=["--workers", "8"])
        """,
        {"open"},
    ),
    "fire: a command of the program itself, by position, for a class": (
        """
        import fire
        class App:
            def __init__(self, workers=2):
                self.workers = workers
            def train(self):
                DataLoader(1, num_workers=self.workers)
        fire.Fire(App, "train --workers 8")
        """,
        {"open"},
    ),
    "fire: what the user wrote, handed over": (
        """
        import sys, fire
        def main(data=1, workers=⟦2⟧):
            DataLoader(data, num_workers=workers)
        fire.Fire(main, command=sys.argv[1:])
        """,
        {"2", "open"},
    ),
    "fire: a command of the program itself beside those of users": (
        """
        import fire
        def main(data=1, workers=⟦2⟧):
            DataLoader(data, num_workers=workers)
        def test():
            fire.Fire(main, command=["--workers=8"])
        fire.Fire(main)
        """,
        {"2", "open"},
    ),
    "fire: a dictionary of functions": (
        """
        import fire
        def train(workers=⟦4⟧): DataLoader(data, num_workers=workers)
        def quick(): train(workers=⟦0⟧)
        if __name__ == "__main__":
            fire.Fire({"train": train, "quick": quick})
        """,
        {"4", "0", "open"},
    ),
    "fire: a class": (
        """
        import fire
        class App:
            def __init__(self, workers=⟦4⟧): self.workers = workers
            def train(self, size=8): DataLoader(data, num_workers=self.workers, batch_size=size)
            def smoke(self): self.train(size=2)
        def test(): App(workers=⟦1⟧).smoke()
        fire.Fire(App)
        """,
        {"4", "1", "open"},
    ),
    "absl: FLAGS": (
        """
        from absl import app, flags
        FLAGS = flags.FLAGS
        flags.DEFINE_integer("workers", ⟦4⟧, "help")
        _SIZE = flags.DEFINE_integer("size", 8, "help")
        def main(_):
            DataLoader(data, num_workers=FLAGS.workers, batch_size=_SIZE.value)
        app.run(main)
        """,
        {"4", "open"},
    ),
    "a function for each command": (
        """
        import argparse
        def train(args): DataLoader(data, num_workers=args.workers)
        def evaluate(args): DataLoader(data, num_workers=args.workers)
        parser = argparse.ArgumentParser()
        sub = parser.add_subparsers(dest="command", required=True)
        t = sub.add_parser("train")
        t.add_argument("--workers", type=int, default=⟦4⟧)
        t.set_defaults(func=train)
        e = sub.add_parser("eval")
        e.add_argument("--workers", type=int, default=⟦0⟧)
        e.set_defaults(func=evaluate)
        args = parser.parse_args()
        args.func(args)
        """,
        {"4", "0", "open"},
    ),
    "a command that was asked for": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        sub = parser.add_subparsers(dest="command", required=True)
        t = sub.add_parser("train")
        t.add_argument("--workers", type=int, default=⟦4⟧)
        e = sub.add_parser("eval")
        e.add_argument("--workers", type=int, default=0)
        args = parser.parse_args()
        if args.command == "train":
            DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "words in the program": (
        """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("--workers", type=int, default=8)
        p.add_argument("--gpus", nargs="+")
        p.add_argument("--debug", action="store_true")
        args = p.parse_args(["--gpus", "0", "1", "--debug", "--workers", "⟦4⟧"])
        DataLoader(data, num_workers=args.workers)
        """,
        {"4 shared"},
    ),
    "after parsing, by a function under a condition": (
        """
        import argparse
        def setup(args):
            if args.debug:
                args.workers = ⟦0⟧
        def noop(args): print(args)
        p = argparse.ArgumentParser()
        p.add_argument("--workers", type=int, default=⟦8⟧)
        p.add_argument("--debug", action="store_true")
        args = p.parse_args()
        setup(args)
        noop(args)
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "0", "open"},
    ),
    "defaults from a file that the user names": (
        """
        import argparse, yaml
        config_parser = parser = argparse.ArgumentParser(add_help=False)
        parser.add_argument("-c", "--config", default="", type=str)
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("x")
        group.add_argument("-j", "--workers", type=int, default=⟦4⟧)
        def _parse():
            args_config, remaining = config_parser.parse_known_args()
            if args_config.config:
                with open(args_config.config) as f:
                    cfg = yaml.safe_load(f)
                    parser.set_defaults(**cfg)
            args = parser.parse_args(remaining)
            text = yaml.safe_dump(args.__dict__)
            return args, text
        def main():
            args, text = _parse()
            DataLoader(data, num_workers=args.workers)
        main()
        """,
        {"4", "open"},
    ),
}


def handed(calls: str, default: str = "⟦4⟧", parameter: str = "argv") -> str:
    """A program whose function parses the words that it is handed, in another function."""
    return f"""
        import argparse, sys
        def read(argv):
            parser = argparse.ArgumentParser()
            parser.add_argument("--workers", type=int, default={default})
            parser.add_argument("--ahead", type=int, default=8)
            return parser.parse_args(argv)
        def main({parameter}):
            args = read(argv)
            DataLoader(data, num_workers=args.workers, prefetch_factor=args.ahead)
        {calls}
        """


WORDS: Cases = {
    "handed on by functions": (handed("main(['--workers', '⟦2⟧'])", "4"), {"2 shared"}),
    "handed on by functions, without the flag": (handed("main(['--ahead', '2'])"), {"4"}),
    "handed on by functions, beside what the user writes": (
        handed("main(sys.argv[1:]); main(['--workers', '⟦2⟧'])"),
        {"4", "2 shared", "open"},
    ),
    "handed on by functions, or none": (
        handed("main(); main(['--workers', '⟦2⟧'])", parameter="argv=None"),
        {"4", "2 shared", "open"},
    ),
    "handed on by functions, one of them unseen": (
        handed("main(['--workers', '⟦2⟧']); main(['--workers', count()])", "4"),
        {"2 shared", "open"},
    ),
    "handed on by functions, to another parser": (
        handed("def other(argv): return argv\n        main(sys.argv[1:]); other(['--workers', '2'])"),
        {"4", "open"},
    ),
    "after a choice of commands": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers()
        train = commands.add_parser("train")
        train.add_argument("--workers", type=int, default=⟦4⟧)
        debug = commands.add_parser("debug")
        debug.add_argument("--workers", type=int, default=0)
        args = parser.parse_args(["train"])
        DataLoader(data, num_workers=args.workers)
        """,
        {"4"},
    ),
    "split from one string": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=8)
        args = parser.parse_args("--workers ⟦4⟧".split())
        DataLoader(data, num_workers=args.workers)
        """,
        {"4 shared"},
    ),
    "joined by an equals sign": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=8)
        args = parser.parse_args(["--workers=⟦4⟧"])
        DataLoader(data, num_workers=args.workers)
        """,
        {"4 shared"},
    ),
    "none at all leave the default": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦8⟧)
        args = parser.parse_args([])
        DataLoader(data, num_workers=args.workers)
        """,
        {"8"},
    ),
    "one that nobody sees": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=8)
        args = parser.parse_args(["--workers", count])
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
    "a word that is no flag's": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦8⟧)
        args = parser.parse_args(["--other", "4"])
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "open"},
    ),
    "beside flags that a library declares": (
        """
        import argparse
        from pytorch_lightning import Trainer
        parser = Trainer.add_argparse_args(argparse.ArgumentParser())
        parser.add_argument("--workers", type=int, default=8)
        args = parser.parse_args(["--gpus", "0", "--workers", "⟦4⟧", "--devices", "-1", "--fast_dev_run"])
        DataLoader(data, num_workers=args.workers)
        """,
        {"4 shared"},
    ),
    "none beside flags that a library declares": (
        """
        import argparse
        from pytorch_lightning import Trainer
        parser = Trainer.add_argparse_args(argparse.ArgumentParser())
        parser.add_argument("--workers", type=int, default=⟦8⟧)
        parser.add_argument("--size", type=int, default=1)
        args = parser.parse_args(["--gpus", "0", "--size", "2"])
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "open"},
    ),
    "one that may be a known flag shortened": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("-j", "--workers", type=int, default=⟦8⟧)
        args = parser.parse_args(["--workers", "2", "-j4"])
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "open"},
    ),
    "one for an argument without a flag": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("workers", type=int, nargs="?", default=⟦8⟧)
        args = parser.parse_args(["4"])
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "open"},
    ),
    "none for an argument without a flag": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("workers", type=int, nargs="?", default=⟦8⟧)
        args = parser.parse_args([])
        DataLoader(data, num_workers=args.workers)
        """,
        {"8"},
    ),
    "a namespace that nobody gives": (
        """
        import argparse
        def parse(args=None, namespace=None):
            parser = argparse.ArgumentParser()
            parser.add_argument('--workers', type=int, default=⟦4⟧)
            return parser.parse_args(args=args, namespace=namespace)
        args = parse()
        DataLoader(1, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a namespace that holds values already": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=8)
        args = parser.parse_args(namespace=before)
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
}

ORDER: Cases = {
    "a default that a flag declared later has itself": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.set_defaults(workers=4)
        parser.add_argument("--workers", type=int, default=⟦8⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "open"},
    ),
    "a default for a flag declared later without one": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.set_defaults(workers=⟦4⟧)
        parser.add_argument("--workers", type=int)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a default set after parsing is dead": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦8⟧)
        args = parser.parse_args()
        parser.set_defaults(workers=4)
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "open"},
    ),
    "a default set under a condition": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦8⟧)
        if quick():
            parser.set_defaults(workers=⟦0⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"8", "0", "open"},
    ),
    "defaults from a dictionary": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=8)
        parser.set_defaults(**{"workers": ⟦4⟧})
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a default that stands for no attribute": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=argparse.SUPPRESS)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
    "a default of the parser that stands for no attribute": (
        """
        import argparse
        parser = argparse.ArgumentParser(argument_default=argparse.SUPPRESS)
        parser.add_argument("--workers", type=int)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
    "a default of the parser, of a group of its flags": (
        """
        import argparse
        parser = argparse.ArgumentParser(argument_default=argparse.SUPPRESS)
        group = parser.add_argument_group("data")
        group.add_argument("--workers", type=int)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
    "a default of the parser that is a number": (
        """
        import argparse
        parser = argparse.ArgumentParser(argument_default=⟦3⟧)
        parser.add_argument("--workers", type=int)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"3", "open"},
    ),
    "a default of the parser beside one of the flag's own": (
        """
        import argparse
        parser = argparse.ArgumentParser(argument_default=argparse.SUPPRESS)
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a default of the parser beside one that was set": (
        """
        import argparse
        parser = argparse.ArgumentParser(argument_default=argparse.SUPPRESS)
        parser.set_defaults(workers=⟦4⟧)
        parser.add_argument("--workers", type=int)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "open"},
    ),
    "a default of another parser": (
        """
        import argparse
        other = argparse.ArgumentParser(argument_default=argparse.SUPPRESS)
        parser = argparse.ArgumentParser(argument_default=None)
        ⟦parser.add_argument("--workers", type=int)⟧
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"None", "open"},
    ),
    "a default of the parser that nobody saw": (
        """
        import argparse
        parser = argparse.ArgumentParser(argument_default=wanted())
        parser.add_argument("--workers", type=int)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
    "a constant in place of a value": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--fast", dest="workers", action="store_const", const=⟦0⟧, default=⟦4⟧)
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"4", "0"},
    ),
    "a string default that its type cannot read": (
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default="many")
        args = parser.parse_args()
        DataLoader(data, num_workers=args.workers)
        """,
        {"open"},
    ),
}


def click_option(declaration: str, parameter: str) -> str:
    return f"""
        import click
        @click.command()
        @click.option({declaration})
        def main({parameter}):
            DataLoader(data, num_workers={parameter})
        main()
        """


def jsonargparse_of(body: str, use: str = "job = auto_cli(Job)") -> str:
    return f"""
from jsonargparse import auto_cli
class Job:
{body}
{use}
DataLoader(data, num_workers=job.workers)
"""


CONSTRUCTED = "    def __init__(self, workers: int = ⟦3⟧): self.workers = workers"

UNION = {
    "base.py": """
        from dataclasses import dataclass, field
        from torch.utils.data import DataLoader
        @dataclass
        class DataConfig:
            workers: int = ⟦4⟧
            def setup(self): return Data(self)
        class Data:
            config: DataConfig
            def __init__(self, config: DataConfig):
                self.config = config
                self.loader = DataLoader(range(8), num_workers=self.config.workers)
        @dataclass
        class TrainerConfig:
            data: DataConfig = field(default_factory=lambda: DataConfig())
        """,
    "configs.py": """
        import tyro
        from base import DataConfig, TrainerConfig
        from plugins import discover
        methods = {"fast": TrainerConfig(data=DataConfig(workers=⟦8⟧)), "slow": TrainerConfig(data=DataConfig())}
        Union = tyro.extras.subcommand_type_from_defaults(discover(methods))
        """,
}
TRAIN = """
import tyro
from base import TrainerConfig
from configs import Union
def main(config: TrainerConfig):
    config.data.setup()
{handed}
"""


def chosen(use: str, asked: str = "True") -> str:
    """A program whose user chooses one of several objects to start from, handed on where nobody sees to what."""
    return f"""
        import tyro
        from dataclasses import dataclass
        @dataclass
        class Other:
            workers: int = 3
        @dataclass
        class Config:
            workers: int = ⟦4⟧
            cache: str = "gpu"
        class Data:
            def __init__(self, config: Config):
                self.config = config
                if {asked}:
                    self.loader = DataLoader(range(8), num_workers=self.config.workers)
        methods = {{"fast": Config(workers=⟦8⟧), "slow": Config()}}
        Union = tyro.extras.subcommand_type_from_defaults(methods)
        {use}
        """


HANDED_ON = "elsewhere(Data)(tyro.cli({}))"

READ_AS_THE_LIBRARY_DOES: Cases = {
    "jsonargparse: the constructor of a class": (jsonargparse_of(CONSTRUCTED), {"3", "open"}),
    "jsonargparse: a constructor that computes": (
        jsonargparse_of("    def __init__(self, workers: int = 3): self.workers = ⟦workers + 1⟧"),
        {"4", "open"},
    ),
    "jsonargparse: defaults set by the call": (
        jsonargparse_of(CONSTRUCTED.replace("⟦3⟧", "3"), 'job = auto_cli(Job, set_defaults={"workers": 5})'),
        {"open"},
    ),
    "jsonargparse: what a method returns": (
        """
        from jsonargparse import auto_cli
        class Job:
            def __init__(self, workers: int = 3): self.workers = workers
            def run(self): return ⟦5⟧
        DataLoader(data, num_workers=auto_cli(Job))
        """,
        {"5"},
    ),
    "jsonargparse: a class with methods gives no object": (
        jsonargparse_of("    workers: int = 3\n    def run(self): pass"),
        {"open"},
    ),
    "jsonargparse: an object where it is asked for": (
        jsonargparse_of(f"{CONSTRUCTED}\n    def run(self): pass", "job = auto_cli(Job, return_instance=True)"),
        {"3", "open"},
    ),
    "jsonargparse: an object of any subclass for a parameter of a command": (
        """
        from dataclasses import dataclass
        from jsonargparse import CLI
        class Data:
            pass
        @dataclass
        class Digits(Data):
            workers: int = ⟦4⟧
            def loader(self): return DataLoader(data, num_workers=self.workers)
        def train(data: Data | None = None):
            data = Digits() if data is None else data
            data.loader()
        COMMANDS = {"train": train}
        CLI(COMMANDS)
        """,
        {"4", "open"},
    ),
    "jsonargparse: an object for a field that the parameter's class inherits": (
        """
        from dataclasses import dataclass
        from jsonargparse import CLI
        from elsewhere import use
        @dataclass
        class Data:
            workers: int = ⟦4⟧
            def loader(self): return DataLoader(data, num_workers=self.workers)
        @dataclass
        class Base:
            data: Data | None = None
        @dataclass
        class Job(Base):
            name: str = "job"
        Data().loader()
        def train(job: Job | None = None):
            use(job)
        CLI(train)
        """,
        {"4", "open"},
    ),
    "jsonargparse: no object for what no parameter takes": (
        """
        from dataclasses import dataclass
        from jsonargparse import CLI
        @dataclass
        class Digits:
            workers: int = ⟦4⟧
            def loader(self): return DataLoader(data, num_workers=self.workers)
        def train(epochs: int = 1):
            Digits().loader()
        CLI({"train": train})
        """,
        {"4"},
    ),
    "jsonargparse: a parameter of a method": (
        """
        from jsonargparse import auto_cli
        class Job:
            def run(self, workers: int = ⟦3⟧):
                DataLoader(data, num_workers=workers)
        def test(): Job().run(workers=⟦1⟧)
        auto_cli(Job)
        """,
        {"3", "1", "open"},
    ),
    "tyro: the constructor of a class": (
        """
        import tyro
        class Job:
            def __init__(self, workers: int = ⟦3⟧): self.workers = workers
        job = tyro.cli(Job)
        DataLoader(data, num_workers=job.workers)
        """,
        {"3", "open"},
    ),
    "tyro: a union that is worked out at run time": (
        {**UNION, "train.py": TRAIN.format(handed="main(tyro.cli(Union))")},
        {"4", "8", "open"},
    ),
    "tyro: a union that is worked out at run time, its object handed on by a name": (
        {**UNION, "train.py": TRAIN.format(handed="config = tyro.cli(Union)\nmain(config)")},
        {"4", "8", "open"},
    ),
    "tyro: objects to start from": (
        chosen("DataLoader(range(8), num_workers=tyro.cli(Union).workers)", "False"),
        {"4", "8", "open"},
    ),
    "tyro: objects to start from, only one of which is seen": (
        chosen(
            "DataLoader(range(8), num_workers=tyro.cli(tyro.extras.subcommand_type_from_defaults("
            "{'a': Config(5), **more()})).workers)",
            "False",
        )
        .replace("⟦", "")
        .replace("⟧", ""),
        {"open"},
    ),
    "tyro: objects to start from, handed on": (chosen(HANDED_ON.format("Union")), {"4", "8", "open"}),
    "tyro: objects to start from, of a marked type": (
        chosen(HANDED_ON.format("tyro.conf.SuppressFixed[tyro.conf.FlagConversionOff[Union]]")),
        {"4", "8", "open"},
    ),
    "tyro: objects to start from, read where a user has it so": (
        chosen(HANDED_ON.format("Union"), "self.config.cache == 'disk'"),
        {"4", "8", "open"},
    ),
    "objects to start from that no user chooses": (chosen("Data(methods[name])"), {"4", "8"}),
    "objects to start from that no user chooses, read where none of them has it so": (
        chosen("Data(methods[name])", "self.config.cache == 'disk'").replace("⟦", "").replace("⟧", ""),
        {"no loader"},
    ),
    "objects of another class than those a user chooses from": (
        chosen("tyro.cli(Union)\n        DataLoader(range(8), num_workers=Other().workers)", "False")
        .replace("⟦", "")
        .replace("⟧", "")
        .replace("workers: int = 3", "workers: int = ⟦3⟧"),
        {"3"},
    ),
    "objects of a class that no user fills": (
        {**UNION, "train.py": TRAIN.format(handed="main(configs.methods[name])")},
        {"4", "8"},
    ),
    "absl: another name of a flag": (
        """
        from absl import app, flags
        flags.DEFINE_integer("workers", ⟦4⟧, "help")
        flags.DEFINE_alias("num_workers", "workers")
        def main(_): DataLoader(data, num_workers=flags.FLAGS.num_workers)
        app.run(main)
        """,
        {"4", "open"},
    ),
    "absl: a flag set by another of its names": (
        """
        from absl import app, flags
        FLAGS = flags.FLAGS
        flags.DEFINE_integer("workers", ⟦4⟧, "help")
        flags.DEFINE_alias("num_workers", "workers")
        def main(_):
            if FLAGS.debug:
                FLAGS.num_workers = ⟦0⟧
            DataLoader(data, num_workers=FLAGS.workers)
        app.run(main)
        """,
        {"4", "0", "open"},
    ),
    "absl: a default that is a string goes through the type": (
        """
        from absl import app, flags
        flags.DEFINE_integer("workers", ⟦"4"⟧, "help")
        def main(_): DataLoader(data, num_workers=flags.FLAGS.workers)
        app.run(main)
        """,
        {"4", "open"},
    ),
    "absl: a default that the type cannot read": (
        """
        from absl import app, flags
        flags.DEFINE_integer("workers", "many", "help")
        def main(_): DataLoader(data, num_workers=flags.FLAGS.workers)
        app.run(main)
        """,
        {"open"},
    ),
    "absl: None stays None": (
        """
        from absl import app, flags
        flags.DEFINE_integer("workers", ⟦None⟧, "help")
        def main(_): DataLoader(data, num_workers=flags.FLAGS.workers)
        app.run(main)
        """,
        {"None", "open"},
    ),
    "absl: one value of a flag that holds several": (
        """
        from absl import app, flags
        flags.DEFINE_multi_integer("workers", 4, "help")
        def main(_): DataLoader(data, num_workers=flags.FLAGS.workers)
        app.run(main)
        """,
        {"open"},
    ),
    "absl: an item of a flag that holds several": (
        """
        from absl import app, flags
        flags.DEFINE_multi_integer("workers", [⟦4⟧, 8], "help")
        def main(_): DataLoader(data, num_workers=flags.FLAGS.workers[0])
        app.run(main)
        """,
        {"4", "open"},
    ),
    "click: a flag and what turns it off": (
        click_option('"--pin/--no-pin"', "pin"),
        {"False shared at main.py:5:2", "True shared at main.py:5:2"},
    ),
    "click: a flag that is on and what turns it off": (
        click_option('"--pin/--no-pin", default=⟦True⟧', "pin"),
        {"True", "True shared at main.py:5:2", "False shared at main.py:5:2"},
    ),
    "click: a name in lower case": (click_option('"--Workers", default=⟦3⟧', "workers"), {"3", "open"}),
    "click: a name of its own keeps its case": (
        click_option('"--w", "Workers", default=⟦3⟧', "Workers"),
        {"3", "open"},
    ),
    "click: a value that is asked for": (click_option('"--workers", prompt=True, type=int', "workers"), {"open"}),
    "click: what a callback makes of a value": (
        click_option('"--workers", default=3, callback=lambda c, p, value: value * 2', "workers"),
        {"open"},
    ),
    "click: a flag that says so": (
        click_option('"--pin", is_flag=True', "pin"),
        {"False shared at main.py:5:2", "True shared at main.py:5:2"},
    ),
    "click: an option that says it is no flag": (
        click_option('"--workers", is_flag=False', "workers"),
        {"None at main.py:5:2", "open"},
    ),
    "click: a count": (click_option('"-w", "workers", count=True', "workers"), {"open"}),
    "click: a count that begins somewhere": (
        click_option('"-w", "workers", count=True, default=⟦2⟧', "workers"),
        {"2", "open"},
    ),
    "click: a value that a flag stands for": (click_option('"--many", "workers", flag_value=8', "workers"), {"open"}),
    "click: an argument": (
        click_option('"--size", default=1', "size, workers")
        .replace("@click.option", '@click.argument("workers", default=⟦4⟧)\n        @click.option')
        .replace("num_workers=size, workers", "num_workers=workers"),
        {"4", "open"},
    ),
    "click: a command is called with words": (
        click_option('"--workers", default=⟦4⟧', "workers").replace("main()", 'main(["--workers", "8"])'),
        {"4", "open"},
    ),
    "click: a group is called with words": (
        click_option('"--workers", default=⟦4⟧', "workers")
        .replace("click.command", "click.group")
        .replace("main()", 'main(["--workers", "8"])'),
        {"4", "open"},
    ),
    "click: what another library makes of a command is no option": (
        click_option('"--size", default=1', "size, workers")
        .replace("@click.option", "@shown\n        @click.option")
        .replace("import click\n", 'import click, pages\n        shown = pages.shown("--workers", default=4)\n')
        .replace("num_workers=size, workers", "num_workers=workers"),
        {"open"},
    ),
    "transformers: HfArg": (
        """
        from dataclasses import dataclass
        from transformers import HfArgumentParser
        from transformers.hf_argparser import HfArg
        @dataclass
        class DataArguments:
            workers: int = HfArg(default=⟦2⟧, aliases=["-w"])
        (arguments,) = HfArgumentParser(DataArguments).parse_args_into_dataclasses()
        DataLoader(data, num_workers=arguments.workers)
        """,
        {"2", "open"},
    ),
    "Lightning 1: the parser that the trainer adds to": (
        """
        import argparse
        from pytorch_lightning import Trainer
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=⟦4⟧)
        parser = Trainer.add_argparse_args(parser)
        DataLoader(data, num_workers=parser.parse_args().workers)
        """,
        {"4", "open"},
    ),
    "a function of the same name in another library": (
        """
        import argparse
        from somewhere import Trainer
        parser = argparse.ArgumentParser()
        parser.add_argument("--workers", type=int, default=4)
        parser = Trainer.add_argparse_args(parser)
        DataLoader(data, num_workers=parser.parse_args().workers)
        """,
        {"open"},
    ),
    "a comment about a parser changes nothing": (
        """
        # no parser here
        def first(): return second()
        def second(): return third()
        def third(): return 4
        DataLoader(data, num_workers=first())
        """,
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), DECLARATIONS.values(), ids=DECLARATIONS.keys())
def test_declarations(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), NAMES.values(), ids=NAMES.keys())
def test_names_of_flags_that_are_worked_out(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), NAMED_IN_FILES.values(), ids=NAMED_IN_FILES.keys())
def test_names_of_flags_in_files(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), ACTIONS.values(), ids=ACTIONS.keys())
def test_flags_that_are_read_off_their_parser(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), PARSERS.values(), ids=PARSERS.keys())
def test_parsers(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), CHANGED.values(), ids=CHANGED.keys())
def test_changed_after_parsing(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), FILES.values(), ids=FILES.keys())
def test_parsers_in_other_files(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), DECORATED.values(), ids=DECORATED.keys())
def test_command_lines_of_other_libraries(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), FOLLOWED.values(), ids=FOLLOWED.keys())
def test_what_libraries_make_of_a_command_line(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_words_of_one_list_arrive_together() -> None:
    calls = "main(['--workers', '2', '--ahead', '3']); main(['--workers', '1', '--ahead', '6'])"
    assert met(handed(calls, "4")) == {("2", "3"), ("1", "6")}


@pytest.mark.parametrize(("files", "expected"), WORDS.values(), ids=WORDS.keys())
def test_words_that_stand_in_the_program(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), ORDER.values(), ids=ORDER.keys())
def test_what_is_said_to_a_parser_in_turn(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), READ_AS_THE_LIBRARY_DOES.values(), ids=READ_AS_THE_LIBRARY_DOES.keys())
def test_what_is_given_is_read_as_the_library_reads_it(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


def test_option_setters_that_call_each_other_by_name_are_each_followed_once() -> None:
    part = (
        "class Part{0}:\n    @staticmethod\n    def add_options(parser, train):\n"
        "        opt, _ = parser.parse_known_args()\n        find(opt.part{0}).add_options(parser, train)\n"
        "        parser.add_argument('--size{0}', type=int, default={0})\n        return parser\n"
    )
    text = (
        "import argparse, importlib\ndef find(name):\n    return getattr(importlib.import_module(name), name)\n"
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--workers', type=int, default=⟦4⟧)\n"
        "parser = find(name).add_options(parser, True)\nparser = find(other).add_options(parser, True)\n"
        "args = parser.parse_args()\nDataLoader(d, num_workers=args.workers)\n"
    )
    assert traced("".join(part.format(turn) for turn in range(8)) + text) == {"4", "open"}


HANDED = {
    "text": ("type=str, default=4", {"4", "the text given to --workers"}),
    "text that a function leaves as it is": ("type=lambda text: text, default=4", {"4", "the text given to --workers"}),
    "text in any case": ("type=str, default='4'", {"'4'", "open"}),
    "a float": ("type=float, default=4", {"4", "the number given to --workers"}),
    "a float in any case": ("type=float, default=4.0", {"4.0", "open"}),
    "a float that must be given": ("type=float, required=True", {"the number given to --workers"}),
    "a count": ("type=int, default=4", {"4", "open"}),
    "what a function makes of it": ("type=lambda text: int(text), default=4", {"4", "open"}),
    "what a function of two makes of it": ("type=lambda text, base=2: base, default=4", {"4", "open"}),
    "several": ("type=float, default=4, nargs='+'", {"4", "open"}),
    "a type of the project": ("type=own, default=4", {"4", "open"}),
}
PARSER = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--workers', {})\n"
LOADS = "DataLoader(1, num_workers=parser.parse_args().workers)\n"


@pytest.mark.parametrize(("declared", "expected"), HANDED.values(), ids=HANDED.keys())
def test_what_a_user_gives_is_what_its_type_makes_of_it(declared: str, expected: set[str]) -> None:
    (loader,) = loaders_of(PARSER.format(declared) + LOADS)
    value = loader.num_workers
    assert {one.shown for one in value.candidates} | ({"open"} if value.open else set()) == expected


TYPED = {
    "a float": ("workers: float = 4", {"4", "the number given to --workers"}),
    "a float with what it says of itself": (
        "workers: Annotated[float, typer.Option()] = 4",
        {"4", "the number given to --workers"},
    ),
    "a float that an option declares": ("workers: float = typer.Option(4)", {"4", "the number given to --workers"}),
    "a float that must be given": ("workers: float", {"the number given to --workers"}),
    "a float in any case": ("workers: float = 4.0", {"4.0"}),
    "a count": ("workers: int = 4", {"4"}),
    "one of two types": ("workers: int | float = 4", {"4"}),
    "no type": ("workers=4", {"4"}),
}
OF_TYPER = {
    "run": "import typer\nfrom typing import Annotated\ndef main({}):\n    DataLoader(1, num_workers=workers)\n"
    "typer.run(main)\n",
    "command": "import typer\nfrom typing import Annotated\napp = typer.Typer()\n@app.command()\ndef main({}):\n"
    "    DataLoader(1, num_workers=workers)\n",
}


@pytest.mark.parametrize("command", OF_TYPER.values(), ids=OF_TYPER.keys())
@pytest.mark.parametrize(("declared", "expected"), TYPED.values(), ids=TYPED.keys())
def test_what_a_user_gives_a_typed_command_is_what_its_annotation_makes_of_it(
    declared: str, expected: set[str], command: str
) -> None:
    (loader,) = loaders_of(command.format(declared))
    assert {one.shown for one in loader.num_workers.candidates} == expected


ON_OR_OFF = {
    "on by default": ("pin: bool = True", ["True", "False"]),
    "off by default": ("pin: bool = False", ["False", "True"]),
    "on where an option declares it": ("pin: bool = typer.Option(True)", ["True", "False"]),
    "without a default": ("pin: bool", ["True", "False"]),
}


@pytest.mark.parametrize(("declared", "expected"), ON_OR_OFF.values(), ids=ON_OR_OFF.keys())
def test_a_switch_gives_each_of_its_answers_once(declared: str, expected: list[str]) -> None:
    program = f"import typer\ndef main({declared}):\n    DataLoader(1, pin_memory=pin)\ntyper.run(main)\n"
    (loader,) = loaders_of(program)
    assert [one.shown for one in loader.options["pin_memory"].candidates] == expected


def test_what_fire_makes_of_what_a_user_gives_no_annotation_says() -> None:
    text = "import fire\ndef main(workers: float = 4):\n    DataLoader(1, num_workers=workers)\nfire.Fire(main)\n"
    (loader,) = loaders_of(text)
    assert [one.shown for one in loader.num_workers.candidates] == ["4"]
    assert loader.num_workers.open


def test_a_type_of_the_projects_own_may_make_anything_of_it() -> None:
    (loader,) = loaders_of(f"def float(text):\n    return int(text)\n{PARSER.format('type=float, default=4')}{LOADS}")
    assert [one.shown for one in loader.num_workers.candidates] == ["4"]
    assert loader.num_workers.open


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("type=float, default=4", {"4", "the number given to --workers"}),
        ("type=click.FLOAT, default=4", {"4", "the number given to --workers"}),
        ("type=int, default=4", {"4", "open"}),
        ("default=4", {"4", "open"}),
    ],
)
def test_what_a_user_gives_an_option_of_click(declared: str, expected: set[str]) -> None:
    (loader,) = loaders_of(
        f"import click\n@click.command()\n@click.option('--workers', {declared})\ndef main(workers):\n"
        "    DataLoader(1, num_workers=workers)\nmain()\n"
    )
    value = loader.num_workers
    assert {one.shown for one in value.candidates} | ({"open"} if value.open else set()) == expected
