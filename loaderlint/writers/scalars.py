"""What every language's writer knows of numbers."""

from __future__ import annotations

import math


def whole(text: str) -> int | None:
    """Return the integer that a text such as ``4`` or ``4.0`` stands for, or None when it stands for none."""
    digits = text.strip().replace("_", "")
    for convert in (int, float):
        try:
            number = convert(digits)
        except ValueError:
            continue
        return int(number) if math.isfinite(number) and number == int(number) else None
    return None
