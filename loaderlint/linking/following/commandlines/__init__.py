"""Command lines, one module for each library: what its options are called, and what each gives."""
