"""Follows values: from the options of a loader back to the places where somebody wrote them."""
