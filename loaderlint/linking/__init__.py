"""Follows values: from the options of a loader back to the places where somebody wrote them.

Its rooms know those before them alone: ``files``, ``scopes`` of names in them, ``things`` that an expression can be,
``following`` expressions to what they are, ``loaders`` and their options, the code of their ``workers``, the
``programs`` around them, and ``sharing``, what else a written value serves. ``link`` goes through all of them.
"""
