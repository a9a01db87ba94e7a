"""Which written values also serve something else than loaders."""
