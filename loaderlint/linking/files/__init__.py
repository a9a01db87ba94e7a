"""The files of a project: what each of them says, how they name each other, and which belong to one program."""
