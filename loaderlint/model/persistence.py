"""What a program does with a loader that is only wrong where its workers persist."""

from __future__ import annotations

from loaderlint.model.payload import Touch
from loaderlint.model.source import Span


class Change(Touch, frozen=True):
    """A place where the main process, between epochs, changes what the workers have a copy of.

    ``attribute`` is changed on an object of the class ``holder``; ``read`` is where worker code reads it. Where only
    ``picked`` epochs change it, or iterate the loader, the workers may start after the last change; an epoch between
    others that was seen to change it is none of these.
    """

    attribute: str = ""
    holder: str = ""
    read: Span | None = None
    picked: bool = False


class Together(Touch, frozen=True):
    """A place that makes an iterator of a loader while another one is in use, which was made at ``other``."""

    other: Span | None = None
