"""The strip of verdicts."""
