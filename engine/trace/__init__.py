"""Workload traces: the job table and its readers, one module a format."""

from engine.trace.trace import MISSING, Names, Note, Pieces, Trace

__all__ = ["MISSING", "Names", "Note", "Pieces", "Trace"]
