"""Normalized user wait time: what each user waited for what the user got (Klusacek et al. 2014)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.policy.penalty import penalties
from engine.schedule.schedule import Schedule
from engine.simulation.workload import make_workload
from engine.trace import Names

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

DEFAULT_PENALTY = "max"


def normalized_user_waits(schedule: Schedule, jobs: Mask, groups: Names | None = None) -> Floats:
    """NUWT_u of each user, shape (users,), over `jobs` (shape (n,), all run); NaN for users without any.

    With `groups` it is that of each group of jobs, shape (groups,).

    NUWT_u = sum of waits of u's jobs / max(1, sum of R P_j D_j over them), in seconds a
    processor-second (Klusacek, Chlumsky & Rudova 2014, sections 3.2 and 3.3): R the machine's
    processors, P_j the share of the machine that the job weighs, by the penalty of a policy
    that goes by usage and else the larger of its shares of CPUs and RAM. Where the machine does not
    limit RAM, R P_j is r.
    """
    groups = groups or schedule.trace.user
    user, users = groups.codes[jobs], len(groups.names)
    waits = np.bincount(user, schedule.wait[jobs], users)
    used = np.bincount(user, (_weights(schedule) * schedule.runtime)[jobs], users)
    there = np.bincount(user, minlength=users) > 0
    return np.asarray(np.where(there, waits / np.maximum(used, 1.0), np.nan))


def _weights(schedule: Schedule) -> Floats:
    """R P_j of each job, in processors, shape (n,)."""
    trace, policy = schedule.trace, schedule.policy
    if not schedule.cluster.limits_ram or len(trace) == 0:
        return schedule.procs.astype(np.float64)
    penalty = policy.penalty if policy.uses_fairshare else DEFAULT_PENALTY
    work = make_workload(trace, schedule.cluster, trace.walltime)
    return penalties(work, penalty) * schedule.cluster.cpus
