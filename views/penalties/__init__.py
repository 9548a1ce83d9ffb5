"""Multi-resource penalties as surfaces, with the users of a trace among them."""
