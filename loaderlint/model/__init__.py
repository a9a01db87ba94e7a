"""The vocabulary: immutable values that every other room speaks in. No I/O, no parser, no third-party import."""
