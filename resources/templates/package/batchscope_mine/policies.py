"""Policies and metrics: Batchscope reads this file as text, and runs it in processes of their own."""

import batchscope
from batchscope import Range


@batchscope.order
def wfp(jobs, now, machine, *, alpha: Range(0, 5) = 3):
    """The longest wait for its walltime goes first, wide jobs before narrow ones (Tang et al. 2009)."""
    return (jobs.wait / jobs.walltime) ** alpha * jobs.procs


@batchscope.metric(unit="%", better="lower")
def late(jobs, *, hours: Range(0, 100) = 1):
    """Jobs that wait longer than so many hours."""
    return 100 * (jobs.wait > 3600 * hours).mean()
