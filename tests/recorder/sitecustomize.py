"""Python imports this at start when the folder is on its path: processes that a recorded program starts record, too."""

import os

import record

if record.LOG in os.environ:
    record.install(os.environ[record.LOG])
