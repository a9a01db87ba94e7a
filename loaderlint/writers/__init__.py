"""One module per language, each turning edits into new text and proving that nothing else changed."""
