"""What only some logs tell of jobs."""

from __future__ import annotations

import numpy as np

from engine.quantities.quantity import Floats, Jobs
from engine.trace import MISSING, Names


def qos(jobs: Jobs) -> Names:
    """The quality of service of each job, shape (n,); empty where the log has none."""
    column = jobs.trace.qos
    return Names(np.zeros(len(jobs.trace), np.int32), ("",)) if column is None else column


def gpus(jobs: Jobs) -> Floats:
    """GPUs of each whole job, shape (n,); NaN where the log does not tell them."""
    column = jobs.trace.gpus
    if column is None:
        return np.full(len(jobs.trace), np.nan)
    return np.where(column == MISSING, np.nan, column)
