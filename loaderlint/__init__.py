"""loaderlint: finds PyTorch data-loading hangs, crashes and silent data bugs before training starts."""

__version__ = "0.1.0"
