"""What is settled about how the classes of a project are related.

Classes are asked for their relatives again and again, and a base may have hundreds of heirs: scripts that each derive
one class from that of a library in the same repository.
"""

from __future__ import annotations

import ast

from msgspec import Struct, field

from loaderlint.linking.things.kinds import Class


class Relatives(Struct):
    """The relatives of classes, by their definitions; those alone that no question further out can change."""

    bases: dict[ast.ClassDef, tuple[Class, ...]] = field(default_factory=dict)
    """The direct bases that the project defines."""
    above: dict[ast.ClassDef, tuple[Class, ...]] = field(default_factory=dict)
    """All that are searched for an attribute after the class itself."""
    heirs: dict[ast.ClassDef, tuple[Class, ...]] = field(default_factory=dict)
    """The classes that have this one as a direct base."""
    below: dict[ast.ClassDef, tuple[Class, ...]] = field(default_factory=dict)
    """All subclasses."""

    def forget(self) -> None:
        """Forget all, which something found since then may change."""
        for known in (self.bases, self.above, self.heirs, self.below):
            known.clear()
