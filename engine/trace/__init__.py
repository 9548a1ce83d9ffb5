"""Workload traces: the job table, and what is done to it."""

from engine.trace.names import Names
from engine.trace.trace import MISSING, Note, Pieces, Trace

__all__ = ["MISSING", "Names", "Note", "Pieces", "Trace"]
