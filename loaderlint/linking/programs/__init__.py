"""What the programs around the loaders do: which loaders they iterate, when, and what they change in between."""
