"""What reads files, by the names of functions and methods: Python's own, NumPy's, pandas', and those of images."""

from __future__ import annotations

READS_FIRST = frozenset(
    {
        *("File", "ZipFile", "exists", "fromfile", "genfromtxt", "getmtime", "getsize", "imread", "isfile", "load"),
        *("loadtxt", "memmap", "open", "read_csv", "read_excel", "read_feather", "read_file", "read_hdf", "read_image"),
        *("read_json", "read_parquet", "read_pickle", "read_table", "read_video"),
    }
)
"""Functions that read the file they are handed first, or ask about it, wherever they come from."""
READS_ITSELF = frozenset({"exists", "is_file", "open", "read_bytes", "read_text", "stat"})
"""Methods that read the file whose path they are called on."""
READS_FOLDER = frozenset({"glob", "iglob", "listdir", "rglob", "scandir", "walk"})
"""Functions that say what is in the folder they are handed first, or in what a pattern names."""
READS_OWN_FOLDER = frozenset({"glob", "iterdir", "rglob"})
"""Methods that say what is in the folder whose path they are called on."""
FILE_KEYWORDS = frozenset({"f", "file", "filename", "filepath_or_buffer", "fname", "path"})
"""What the parameter for the file is called that a function reads."""
