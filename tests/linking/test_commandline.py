from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, traced

PARSER = "import argparse\nparser = argparse.ArgumentParser()\n"
USE = "args = parser.parse_args()\nDataLoader(data, num_workers=args.workers)\n"


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
    "store_true": (
        f"{PARSER}⟦parser.add_argument('--workers', action='store_true')⟧\n{USE}",
        {"False", "True"},
    ),
    "store_false": (
        f"{PARSER}⟦parser.add_argument('--workers', action='store_false')⟧\n{USE}",
        {"False", "True"},
    ),
    "BooleanOptionalAction": (
        declared("'--workers', action=argparse.BooleanOptionalAction, default=⟦True⟧"),
        {"True", "open"},
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
    "set_defaults of something never declared": (f"{PARSER}parser.set_defaults(workers=⟦8⟧)\n{USE}", {"8"}),
    "a flag never declared": (f"{PARSER}{USE}", {"open"}),
    "a name nobody can read": (declared("name, default=4"), {"open"}),
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

CHANGED: Cases = {
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


@pytest.mark.parametrize(("files", "expected"), DECLARATIONS.values(), ids=DECLARATIONS.keys())
def test_declarations(files: str, expected: set[str]) -> None:
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
