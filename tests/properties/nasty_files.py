"""Files that are hard on a reader: deep, huge, circular, broken, or not text at all."""

from __future__ import annotations

LOADER = "from torch.utils.data import DataLoader\n"
TARGET = "_target_: torch.utils.data.DataLoader\n"
FAULT = "DataLoader([1], prefetch_factor=4)\n"

Files = dict[str, bytes]


def _python(text: str) -> Files:
    return {"main.py": (LOADER + text).encode()}


def _yaml(text: str) -> Files:
    return {"train.yaml": text.encode()}


PYTHON: dict[str, Files] = {
    "nothing": {"main.py": b""},
    "a byte order mark alone": {"main.py": b"\xef\xbb\xbf"},
    "a NUL byte": {"main.py": LOADER.encode() + b"x = '\x00'\n" + FAULT.encode()},
    "NUL bytes alone": {"main.py": b"DataLoader" + b"\x00" * 1000},
    "UTF-16": {"main.py": (LOADER + FAULT).encode("utf-16")},
    "a lone surrogate": {"main.py": LOADER.encode() + b"x = '\xed\xa0\x80'\n"},
    "a surrogate written as an escape": _python("workers = '\\ud800'\nDataLoader([1], num_workers=workers)\n"),
    "no UTF-8": {"main.py": LOADER.encode() + b"# \xff\xfe\n" + FAULT.encode()},
    "an encoding that does not exist": {"main.py": b"# coding: no-such-codec\n" + FAULT.encode()},
    "an encoding of bytes": {"main.py": b"# coding: hex\n" + FAULT.encode()},
    "an encoding that is its own": {"main.py": b"# coding: unicode_escape\nDataLoader = '\\x41'\n"},
    "UTF-7": {"main.py": b"# coding: utf-7\nx = '+AGE-'\n" + FAULT.encode()},
    "a syntax error": _python("def f(:\n"),
    "an indentation that ends nowhere": _python("if x:\n        y = 1\n   z = 2\n"),
    "a string that does not end": _python("x = '''abc\n"),
    "Python 2": _python("print 'DataLoader'\n"),
    "carriage returns alone": {"main.py": (LOADER + FAULT).replace("\n", "\r").encode()},
    "all kinds of line ends": {"main.py": (LOADER + "x = 1\r\ny = 2\r" + FAULT).encode()},
    "line ends that are none to Python": _python("x = 'a\x0bb\x0cc\x1cd\x85e\u2028f'\n" + FAULT),
    "a form feed in an indentation": _python("def f():\n    x = 1\n\f\n    " + FAULT),
    "a backslash at the end": _python(FAULT.rstrip() + "\\"),
    "deep parentheses": _python("x = " + "(" * 150 + "1" + ")" * 150 + "\n" + FAULT),
    "too deep parentheses": _python("x = " + "(" * 5000 + "1" + ")" * 5000 + "\n"),
    "deep lists": _python("DataLoader([1], num_workers=" + "[" * 90 + "]" * 90 + ")\n"),
    "deep blocks": _python("".join("  " * depth + "if x:\n" for depth in range(90)) + "  " * 90 + FAULT),
    "a long sum": _python("workers = " + " + ".join(["1"] * 3000) + "\nDataLoader([1], num_workers=workers)\n"),
    "a long string of signs": _python("workers = " + "-" * 3000 + "1\nDataLoader([1], num_workers=workers)\n"),
    "a long string of nots": _python("DataLoader([1], num_workers=" + "not " * 3000 + "1)\n"),
    "a long chain of attributes": _python("DataLoader([1], num_workers=a" + ".b" * 3000 + ")\n"),
    "a long chain of calls": _python("DataLoader([1], num_workers=a" + "()" * 1000 + ")\n"),
    "a long chain of conditions": _python("DataLoader([1], num_workers=" + "1 if a else " * 500 + "0)\n"),
    "many branches": _python(
        "workers = 0\n" + "".join(f"if a{n}:\n    workers = {n}\n" for n in range(300)) + "DataLoader(d, workers)\n"
    ),
    "many nested functions": _python(
        "".join("  " * depth + f"def f{depth}(a{depth}={depth}):\n" for depth in range(60)) + "  " * 60 + FAULT
    ),
    "a huge line": _python("x = '" + "a" * 1_000_000 + "'\n" + FAULT),
    "a huge number": _python("DataLoader([1], num_workers=" + "9" * 4000 + ")\n"),
    "a number too long to print": _python("DataLoader([1], num_workers=0x" + "f" * 20000 + ")\n"),
    "a power": _python("DataLoader([1], num_workers=9 ** 9 ** 9 ** 9)\n"),
    "a shift": _python("DataLoader([1], num_workers=1 << 10 ** 12)\n"),
    "a long repetition": _python("DataLoader([1], num_workers='a' * 10 ** 12)\n"),
    "a division by zero": _python("DataLoader([1], num_workers=1 // 0, timeout=1 % 0, prefetch_factor=1 / 0)\n"),
    "infinity and not a number": _python("DataLoader([1], num_workers=1e999, timeout=1e999 - 1e999)\n"),
    "infinity as an integer": _python("DataLoader([1], num_workers=int(1e999), prefetch_factor=int(1e999 - 1e999))\n"),
    "a complex number": _python("DataLoader([1], num_workers=4j, prefetch_factor=-4j)\n"),
    "bytes and an ellipsis": _python("DataLoader([1], num_workers=b'4', prefetch_factor=..., batch_size=b'')\n"),
    "text that is no number": _python("DataLoader([1], num_workers=int('four'), timeout=float('x'))\n"),
    "a number in other digits": _python("DataLoader([1], num_workers='٤', prefetch_factor=int('²'))\n"),
    "arguments twice": _python("DataLoader([1], num_workers=0, **{'num_workers': 2}, **{'num_workers': 3})\n"),
    "a keyword twice": _python("DataLoader([1], num_workers=0, num_workers=2)\n"),
    "stars alone": _python("DataLoader(*x, **y)\nDataLoader(*(1, 2), **{**{**{}}})\n"),
    "a name that is itself": _python("x = x\nDataLoader([1], num_workers=x)\n"),
    "names that are each other": _python("x = y\ny = z\nz = x\nDataLoader([1], num_workers=x, prefetch_factor=4)\n"),
    "a loader that is itself": _python("DataLoader = DataLoader\n" + FAULT),
    "a default that is its parameter": _python(
        "def f(workers=workers):\n    return DataLoader([1], num_workers=workers)\nf(workers=f(workers=f()))\n"
    ),
    "a function that calls itself": _python(
        "def f(n=0):\n    DataLoader([1], num_workers=n, prefetch_factor=f(n))\n    return f(n=f(n))\nf(f(f))\n"
    ),
    "functions that call each other": _python(
        "def f(n=0): return g(n=n)\ndef g(n): return f(n=n)\nDataLoader([1], num_workers=f(), prefetch_factor=g(1))\n"
    ),
    "a function that returns itself": _python("def f(): return f\nDataLoader([1], num_workers=f()()()())\n"),
    "a lambda that calls itself": _python("f = lambda n=0: f(f(n))\nDataLoader([1], num_workers=f(1))\n"),
    "a class that inherits from itself": _python(
        "class A(A):\n    def __init__(self, n=0): self.n = n\nDataLoader([1], num_workers=A().n)\n"
    ),
    "classes that inherit from each other": _python(
        "class A(B): pass\nclass B(A):\n    n = 4\nDataLoader([1], num_workers=A().n, prefetch_factor=B.n)\n"
    ),
    "an object that holds itself": _python(
        "class A:\n    def __init__(self): self.a = A()\n    def f(self): return self.a.a.a.n\n"
        "DataLoader([1], num_workers=A().a.a.f())\n"
    ),
    "a property that reads itself": _python(
        "class A:\n    @property\n    def n(self): return self.n\nDataLoader([1], num_workers=A().n)\n"
    ),
    "a decorator that decorates itself": _python("@f\ndef f(g): return g\n@f\ndef h(): " + FAULT),
    "a dictionary that holds itself": _python(
        "d = {}\nd['d'] = d\nd.update(d)\nd = {**d, **d}\nDataLoader([1], **d, num_workers=d['d']['d'])\n"
    ),
    "a parser that asks itself": _python(
        "import argparse\np = argparse.ArgumentParser(parents=[p])\np.add_argument('--n', type=p, default=p)\n"
        "a = p.parse_args(p.parse_args())\nDataLoader([1], num_workers=a.n)\n"
    ),
    "a comprehension of loaders": _python("[DataLoader(d, prefetch_factor=p) for d in x for p in (1, 2, 4) if p]\n"),
    "a walrus": _python("if (n := 0) or (n := n): pass\nDataLoader([1], num_workers=(n := n), prefetch_factor=4)\n"),
    "a match": _python("match x:\n    case {'n': n, **r} | [n, *r]:\n        DataLoader([1], num_workers=n, **r)\n"),
    "async code": _python("async def f():\n    async for x in DataLoader([1], prefetch_factor=await g()): yield x\n"),
    "global and nonlocal names": _python(
        "def f():\n    global n\n    n = 0\n    def g():\n        nonlocal m\n        m = n\n    m = 1\n"
        "DataLoader([1], num_workers=n, prefetch_factor=4)\n"
    ),
    "a deleted name": _python("n = 4\ndel n\nDataLoader([1], num_workers=n, prefetch_factor=4)\ndel DataLoader\n"),
    "ignore comments everywhere": _python(
        "x = 1  # loaderlint: ignore[\n# loaderlint: ignore[]\n# loaderlint: ignore[LL201,,LL999,é]\n"
        "# loaderlint: ignore-file[LL201\n"
        + FAULT.rstrip()
        + "  # loaderlint: ignore[LL201] # loaderlint: ignore[LL201]\n"
    ),
    "imports in a circle": {
        "main.py": b"from other import workers, DataLoader\nDataLoader([1], num_workers=workers, prefetch_factor=4)\n",
        "other.py": b"from main import workers, DataLoader\n",
    },
    "star imports in a circle": {
        "main.py": b"from other import *\nDataLoader([1], num_workers=workers, prefetch_factor=4)\n",
        "other.py": b"from third import *\nfrom main import *  # DataLoader\n",
        "third.py": b"from torch.utils.data import DataLoader\nfrom other import *\n",
    },
    "a module that imports itself": {"main.py": b"from main import *\nimport main\nmain.DataLoader(main.main.d)\n"},
    "imports from above the top": {"main.py": b"from ....... import DataLoader\nfrom . import *\n" + FAULT.encode()},
    "a package beside a module of its name": {
        "data.py": b"from torch.utils.data import DataLoader\n",
        "data/__init__.py": b"from ..data import DataLoader\nfrom . import data\n",
        "main.py": b"from data import DataLoader\n" + FAULT.encode(),
    },
}

YAML: dict[str, Files] = {
    "nothing": {"train.yaml": b""},
    "a byte order mark alone": {"train.yaml": b"\xef\xbb\xbf"},
    "not YAML": _yaml("num_workers: [\n"),
    "tabs": _yaml("a:\n\tnum_workers: 4\n"),
    "a NUL byte": _yaml("num_workers: 4\x00\n"),
    "a control character": _yaml("num_workers: '\x07'\n"),
    "no UTF-8": {"train.yaml": b"num_workers: 4 # \xff\n"},
    "UTF-16": {"train.yaml": "num_workers: 4\n".encode("utf-16")},
    "a lone surrogate as an escape": _yaml(TARGET + 'num_workers: "\\ud800"\n'),
    "many documents": _yaml("---\nnum_workers: 0\nprefetch_factor: 4\n" * 50),
    "documents with ends": _yaml("num_workers: 4\n...\n...\n---\n---\n%YAML 1.1\n---\na\n"),
    "a directive nobody knows": _yaml("%FOO bar\n---\nnum_workers: 4\n"),
    "a version of the future": _yaml("%YAML 9.9\n---\nnum_workers: 4\n"),
    "tags that make objects": _yaml(
        "num_workers: !!python/object/apply:os.system ['touch made']\nb: !!python/name:os.system\n"
    ),
    "every kind of tag": _yaml(
        "num_workers: !!int four\na: !!float x\nb: !!binary é\nc: !!set {a, b}\nd: !!omap [a]\n"
    ),
    "a recursive anchor": _yaml("num_workers: &a [*a]\nb: &b {c: *b}\n"),
    "a recursive merge": _yaml("a: &a\n  <<: *a\n  num_workers: 4\n"),
    "merges of what is no mapping": _yaml("<<: 4\n<<: [1, {num_workers: 4}]\nnum_workers: 4\n"),
    "an alias of nothing": _yaml("num_workers: *nowhere\n"),
    "a bomb of aliases": _yaml(
        "a0: &a0 {num_workers: 0, prefetch_factor: 4}\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    ),
    "a bomb of merges": _yaml(
        "a0: &a0 {num_workers: 0}\n"
        + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}\n" for n in range(1, 10))
    ),
    "deep flow": _yaml("num_workers: " + "[" * 500 + "]" * 500 + "\n"),
    "too deep flow": _yaml("num_workers: " + "[" * 20000 + "]" * 20000 + "\n"),
    "deep blocks": _yaml("".join(" " * depth + "num_workers:\n" for depth in range(500))),
    "deep sequences": _yaml("num_workers:\n" + "- " * 900 + "4\n"),
    "a huge line": _yaml("num_workers: '" + "a" * 1_000_000 + "'\n"),
    "a huge number": _yaml(TARGET + "num_workers: " + "9" * 10000 + "\n"),
    "a number too long to print": _yaml(TARGET + "num_workers: 0x" + "f" * 20000 + "\n"),
    "numbers in all bases": _yaml(
        TARGET + "num_workers: 0o17\nprefetch_factor: 0b\ntimeout: 190:20:30\nbatch_size: .inf\n"
    ),
    "not a number": _yaml(TARGET + "num_workers: .nan\ntimeout: -.inf\n"),
    "dates": _yaml(
        "_target_: torch.utils.data.DataLoader\nnum_workers: 2026-99-99\ntimeout: 2001-12-14t21:59:43.10-05:00\n"
    ),
    "the same key twice": _yaml(
        "_target_: torch.utils.data.DataLoader\nnum_workers: 0\nnum_workers: 4\nprefetch_factor: 2\n"
    ),
    "keys that are no text": _yaml("? [num_workers]\n: 4\n? {a: b}\n: 4\n1: 2\nnull: 3\n~: num_workers\n: 4\n"),
    "a target that is no text": _yaml("_target_: [torch.utils.data.DataLoader]\nnum_workers: 0\nprefetch_factor: 4\n"),
    "a target that is the mapping": _yaml("&a _target_: *a\nnum_workers: 0\nprefetch_factor: 4\n"),
    "interpolations in a circle": _yaml("num_workers: ${prefetch_factor}\nprefetch_factor: ${num_workers}\n"),
    "interpolations that do not end": _yaml("num_workers: ${${${\nprefetch_factor: ${oc.env:}}\n"),
    "block scalars": _yaml("num_workers: |2-\n   4\nprefetch_factor: >+\n\n  4\n\n"),
    "a comment and nothing else": _yaml("# num_workers: 4  # loaderlint: ignore[LL201]"),
    "line ends of all kinds": {
        "train.yaml": b"num_workers: 0\r\nprefetch_factor: 4\rtimeout: 5\xc2\x85a: 1\xe2\x80\xa8b: 2\n"
    },
}


def _shell(text: str) -> Files:
    program = "import sys\nif __name__ == '__main__':\n    for x in DataLoader([1], num_workers=4):\n        print(x)\n"
    return {"main.py": (LOADER + program).encode(), "run.sh": text.encode()}


_RUN = "docker run x python main.py\n"

SHELL: dict[str, Files] = {
    "nothing": _shell(""),
    "a byte order mark": _shell("\ufeff#SBATCH -c 2\nsrun python main.py\n"),
    "NUL bytes": _shell("docker run x\x00 python main.py\x00\n" + _RUN),
    "no UTF-8": {**_shell(""), "run.sh": b"# \xff\n" + _RUN.encode()},
    "carriage returns alone": _shell("#SBATCH -c 2\rsrun python main.py\r"),
    "line ends of Windows": _shell("#!/bin/sh\r\n#SBATCH -c 2\r\nsrun \\\r\n python main.py\r\n"),
    "a quote that does not end": _shell(_RUN + "echo 'x\n"),
    "a here-document that does not end": _shell(_RUN + "cat <<END\n" + _RUN),
    "a backslash at the end": _shell(_RUN.rstrip() + "\\"),
    "deep substitutions": _shell(_RUN + "echo " + "$(" * 5000 + ")" * 5000 + "\n"),
    "deep parentheses": _shell("(" * 5000 + _RUN + ")" * 5000),
    "text that doubles": _shell("A=x\n" + "A=$A$A\n" * 100 + "docker run $A python main.py\n"),
    "scripts that start each other": _shell("docker run x bash run.sh\n" * 100 + _RUN),
    "strings in strings": _shell('docker run x bash -c "bash -c \'bash -c \\"python main.py\\"\'"\n'),
    "a huge line": _shell("docker run " + "x " * 30_000 + "python main.py\n"),
    "many commands": _shell("srun -c 1 python main.py\n" * 2000),
}
