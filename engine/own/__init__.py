"""Code of a user's own: how it is declared, read from its file without being run, and allowed to run."""
