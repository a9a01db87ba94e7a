"""What needs torch: it is imported here alone, and only inside functions."""
