"""How declarations of settings say which numbers they take."""

from __future__ import annotations

LEAST = frozenset({"ge", "min", "lower_bound"})
"""Keywords of the least number taken.

``ge``: pydantic's ``Field`` and ``conint``, annotated_types' ``Interval``; ``min``: click's and marshmallow's ranges,
typer's ``Option`` and ``Argument``; ``lower_bound``: absl's ``DEFINE_integer``.
"""
BELOW = frozenset({"gt"})
"""Keywords of the number that every one taken is above: ``Field``, ``conint`` and ``Interval``."""
WITHOUT_LEAST = {"min_open": True, "min_inclusive": False}
"""Keywords that exclude the least number itself: of click's ``IntRange``, of marshmallow's ``Range``."""
STEPS = frozenset({"multiple_of"})
"""Keywords of a number that every one taken is a multiple of: pydantic's ``Field`` and ``conint``."""
CHOICES = frozenset({"choices"})
"""Keywords of all that is taken: argparse's ``add_argument``."""
CHECKS = frozenset({"validate", "validator", "on_setattr"})
"""Keywords of what is asked of a value: marshmallow's fields; the others of ``attrs.field`` and ``attr.ib``."""
KINDS = frozenset({"type"})
"""Keywords of the type a value is converted to, which may be a range: click's ``option`` and ``argument``."""

RANGES = frozenset({"IntRange", "FloatRange", "Range"})
"""Ranges whose first argument is the least number taken: click's, marshmallow's."""
AT_LEAST = frozenset({"Ge", "ge"})
"""What is asked to be no less than its argument: annotated_types', attrs' ``validators.ge``."""
ABOVE = frozenset({"Gt", "gt"})
"""What is asked to be above its argument: annotated_types', attrs' ``validators.gt``."""
ONE_OF = frozenset({"Literal", "Choice", "OneOf", "in_"})
"""All that is taken: ``typing.Literal``, click's ``Choice``, marshmallow's ``OneOf``, attrs' ``validators.in_``."""
ALL_OF = frozenset({"and_", "optional", "And"})
"""Several conditions in one: attrs' ``validators.and_`` and ``optional``, marshmallow's ``And``."""
TAKES_LESS = frozenset({"Le", "Lt", "le", "lt", "instance_of"})
"""Conditions that a lower whole number meets, too: annotated_types' and attrs'."""
POSITIVE = frozenset({"PositiveInt", "PositiveFloat"})
"""Types of the numbers above 0: pydantic's."""

ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
"""Classes of which every subclass is an enumeration (https://docs.python.org/3/library/enum.html)."""
