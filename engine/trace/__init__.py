"""Workload traces: the job table and its readers, a module for each format."""

from engine.trace.trace import MISSING, Names, Note, Pieces, Trace

__all__ = ["MISSING", "Names", "Note", "Pieces", "Trace"]
