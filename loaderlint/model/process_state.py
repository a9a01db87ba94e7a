"""What a program sets for all of its process, and the code of datasets hangs on: fixes must keep it for workers.

Imported names are listed under the dotted name they are imported by.
"""

from __future__ import annotations

READ_BY_WORKERS = (
    *("PIL.Image.MAX", "PIL.ImageFile.LOAD", "PIL.PngImagePlugin.MAX", "absl.flags.FLAGS", "codecs.register"),
    *("copyreg.", "csv.field_size_limit", "csv.register", "ctypes.CDLL", "ctypes.cdll.LoadLibrary", "decimal."),
    *("gettext.install", "importlib.import_module", "locale.setlocale", "mimetypes.", "numpy.seterr"),
    *("os.add_dll_directory", "shutil.register", "socket.setdefaulttimeout", "sqlite3.register", "ssl."),
    *("sys.meta_path", "sys.modules", "sys.path_hooks", "sys.setdlopenflags", "sys.setrecursionlimit"),
    *("tempfile.tempdir", "torch.classes.load_library", "torch.ops.load_library", "tqdm.auto.tqdm.pandas"),
    *("tqdm.tqdm.pandas", "unittest.mock.patch", "urllib.request.install_opener"),
    "xml.etree.ElementTree.register_namespace",
)
"""Names of calls and settings that what a dataset does hangs on, and that do not say so by their first word (``set``).

docs.python.org, the pages of these modules; pillow.readthedocs.io, "Image", "ImageFile" and "Image file formats";
numpy.org, ``seterr``; tqdm.github.io, ``tqdm.pandas``; abseil.io, "Abseil Python Flags"; ``torch/_ops.py``,
``load_library``.
"""
