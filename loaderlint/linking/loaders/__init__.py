"""The loaders of a project, with what each of their options can be."""
