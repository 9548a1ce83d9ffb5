"""WFP3 of Tang et al. 2009 ("Fault-aware, utility-based job scheduling on Blue Gene/P systems")."""

import batchscope
from batchscope import Range


@batchscope.order
def wfp3(jobs, now, machine, *, alpha: Range(0, 5) = 3):
    """Jobs that have waited long for their walltime go first, wide ones before narrow ones."""
    return (jobs.wait / jobs.walltime) ** alpha * jobs.procs
