"""UNICEF of Tang et al. 2009 ("Fault-aware, utility-based job scheduling on Blue Gene/P systems")."""

import math

import batchscope


@batchscope.priority
def unicef(job, now):
    """Small jobs go first: they turn around fast."""
    return job.wait / (math.log2(max(job.procs, 2)) * job.walltime)
