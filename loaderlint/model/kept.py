"""What an object that goes to the workers keeps from before they start: open files, locks, random generators."""

from __future__ import annotations

from msgspec import Struct

from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions
from loaderlint.model.finding import Confidence
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.model.value import Trail


class Kind(Struct, frozen=True):
    """A kind of thing that can be kept, and what becomes of it in the workers.

    ``name`` is what messages call it. ``pickling`` is the error that sending it to a worker raises, ``unpickling`` the
    one that a worker dies with that gets it; empty where it arrives. ``sharing`` says what forked workers get that read
    through one, and ``sharing_confidence`` how sure that is; empty where nothing was seen to go wrong. One that
    ``draws`` gives random numbers, one that ``grows`` takes more memory in every forked worker that reads it, one that
    is ``copied`` is sent to a worker whole, although the main process has it by reference.
    """

    name: str
    pickling: str = ""
    unpickling: str = ""
    sharing: str = ""
    sharing_confidence: Confidence = Confidence.LIKELY
    draws: bool = False
    grows: bool = False
    copied: bool = False


class Kept(Struct, frozen=True):
    """Something that is kept from before the workers start.

    ``span`` is where it was made, ``holder`` the class, function or module that keeps it, ``name`` how code reads it
    there (``self.file``). It ``travels`` when it is pickled together with what keeps it. ``used`` are the places in
    worker code that use it as it was left.
    """

    span: Span
    kind: Kind
    holder: str
    name: str
    travels: bool = True
    used: tuple[Touch, ...] = ()
    assumptions: Assumptions = NO_ASSUMPTIONS
    trail: Trail = ()

    @property
    def described(self) -> str:
        """What it is and who keeps it, as messages say it: ``the HDF5 file that Pictures keeps as self.file``."""
        return f"the {self.kind.name} that {self.holder} keeps as `{self.name}`"
