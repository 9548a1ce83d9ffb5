"""Preemption as a real Slurm 22.05 did it: what it printed of the schedule `preempted` is kept beside.

`tests/real/test_preemption.py` makes it anew.
"""

import csv
from pathlib import Path

import numpy as np

from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at

KEPT = Path(__file__).parent / "preempted"


def test_the_jobs_that_slurm_requeued_and_cancelled_are_those_of_the_twin() -> None:
    with (KEPT / "runs.txt").open() as file:
        rows = list(csv.DictReader(file, delimiter="|"))
    preempted = {row["JobName"] for row in rows if row["State"] == "PREEMPTED"}
    runs = [row["JobName"] for row in rows]
    requeued = {name for name in preempted if runs.count(name) == 2}
    assert requeued == {"first", "second", "third"}
    assert preempted - requeued == {"cheap"}
    read = read_log_as(KEPT / "asked.txt", Reading(machine=str(KEPT / "slurm.conf")))
    found = simulate(read.trace, read.cluster, site_policy(read_site_at(KEPT)))
    names = read.trace.executable
    own = np.array(names.names, object)[names.codes]
    assert set(own[found.stopped.job]) == requeued
    assert set(own[(found.end - found.start) < read.trace.runtime - 1]) == preempted - requeued
    hosts = read.cluster.node_names()
    first = {row["JobName"]: row["NodeList"] for row in reversed(rows)}
    for k, job in enumerate(found.stopped.job.tolist()):
        pieces = found.stopped.pieces
        (node,) = pieces["node"][pieces.offset[k] : pieces.offset[k + 1]].tolist()
        assert hosts[node] == first[own[job]]
