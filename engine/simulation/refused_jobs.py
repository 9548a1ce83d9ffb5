"""The jobs for which a machine is too small, found without a simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.simulation.machine_state import find_refused, make_machine_state
from engine.simulation.placement import PLACEMENTS
from engine.simulation.workload import make_workload
from engine.trace import Trace


def refused_jobs(trace: Trace, cluster: Cluster) -> NDArray[np.bool_]:
    """The jobs, shape (n,), that are too large for the empty machine (nodes taken by number)."""
    work = make_workload(trace, cluster, trace.walltime)
    return find_refused(work, make_machine_state(work, PLACEMENTS.index("first")))
