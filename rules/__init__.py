"""The rule book: one module per rule, named as the rule is named, found by being there."""
