"""dynP after Streit 2002 ("A self-tuning job scheduler family with dynamic policy switching"), in short."""

import numpy as np

import batchscope
from batchscope import Range


@batchscope.order
def dynp(jobs, now, machine, *, low: Range(600, 36000) = 7200, high: Range(600, 36000) = 9000):
    """Shortest first while the waiting jobs are short on average, longest first while they are long.

    Between the bounds (s) it is first come, first served.
    """
    mean = jobs.estimate.mean()
    if mean < low:
        return -jobs.estimate
    return jobs.estimate if mean > high else np.zeros(len(jobs))
