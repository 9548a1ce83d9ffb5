"""Workload traces: the job table, and what is done to it."""

from engine.trace.trace import MISSING, Names, Note, Pieces, Trace

__all__ = ["MISSING", "Names", "Note", "Pieces", "Trace"]
