"""Shared logs that name nodes, and the command that simulates all of their jobs where these ran.

`python -m tests.engine.simulation.logs_on_nodes` reads every file of `../shared`, also on the machine of the
`slurm.conf` beside it, simulates all jobs under each policy that may use any node, and names those that do
not fit where they ran. It takes some minutes; `--jobs N` takes the N hardest of each log.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.simulation.refused_jobs import refused_jobs
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.paths import SHARED

FOLDERS = ("cases/files", "cases/real-slurm", "other-formats", "reference/slurm", "faults", "traces")
POLICIES = (
    *("fcfs", "aggressive", "easy", "just", "conservative", "plan", "fairshare-easy", "queues", "auction"),
    *("easy:placement=best", "easy:placement=worst", "site"),
)
"""Policies that may use any node: each kind of pass and of order, each way to place jobs, and a site's own
Slurm. Formulas and tunings only order the queue of these.
"""
_SITE = "ClusterName=k\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"


def by_cpus(cluster: Cluster) -> Cluster:
    """The machine with as much RAM and as many GPUs on each node as jobs need: no log tells what there was.

    A machines file beside a log may tell less than a job asked for that ran there.
    """
    return replace(cluster, groups=tuple(replace(group, ram=None, extra=()) for group in cluster.groups))


def ran_on_nodes(trace: Trace) -> Trace | None:
    """The jobs of a log that ran on nodes that it names, with what they ask for; None where it names none.

    A job that got fewer processors than it asked for did not run there with what it asks for.
    """
    if trace.recorded_nodes is None or trace.cluster.pooled:
        return None
    return trace.take((np.diff(trace.recorded_nodes.offset) > 0) & (trace.recorded_procs >= trace.procs))


def hardest(trace: Trace, most: int) -> Trace:
    """The jobs of a log that are most difficult to place: those of most groups, then of most tasks."""
    groups = np.diff(trace.tasks.offset)
    chosen = np.zeros(len(trace), np.bool_)
    chosen[np.lexsort((-trace.procs, -groups))[:most]] = True
    return trace.take(chosen)


def site_without_rules(folder: Path) -> Policy:
    """Slurm with both its schedulers, on whatever machine a log has; its file is written into the folder."""
    conf = folder / "slurm.conf"
    conf.write_text(_SITE)
    return parse_policy(str(conf))


def _logs() -> Iterator[tuple[str, Trace, Cluster]]:
    """Each log with its jobs that ran on named nodes, and the machine: by its CPUs, or that of its site."""
    for path in (path for name in FOLDERS for path in sorted((SHARED / name).rglob("*"))):
        if not path.is_file():
            continue
        name = str(path.relative_to(SHARED))
        try:
            trace = ran_on_nodes(read_trace(path))
        except InputError:  # no log, or one that does not open without options
            continue
        if trace is None:
            continue
        yield name, trace, by_cpus(trace.cluster)
        if site := _site_of(path):
            own = ran_on_nodes(read_log_as(path, Reading(machine=str(site))).trace)
            if own is not None:
                yield f"{name} on {site.relative_to(SHARED)}", own, own.cluster


def _site_of(path: Path) -> Path | None:
    """The `slurm.conf` of a log, or the folder of its site."""
    own = path.with_suffix(".conf")
    if own.exists():
        return own
    folders = [folder for folder in path.parents if folder.is_relative_to(SHARED / "reference")]
    places = (place for folder in folders for place in (folder / "slurm.conf", folder / "site"))
    return next((place for place in places if place.exists()), None)


def main() -> int:
    """Print the jobs that do not fit; 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=sys.maxsize, help="so many of each log (all)")
    most = parser.parse_args().jobs
    logs = jobs = runs = faults = 0
    with TemporaryDirectory() as folder:
        site = site_without_rules(Path(folder))
        for name, trace, machine in _logs():
            # Planning is slow in long queues: of a large log only the jobs that are hardest to place are
            # simulated.
            chosen = hardest(trace, most) if len(trace) > most else trace
            # Before any policy: what is refused as larger than the machine cannot have run on it.
            lacking = {"": ~refused_jobs(trace, machine)}
            for policy in POLICIES if len(chosen) else ():
                own = site if policy == "site" else parse_policy(policy)
                lacking[policy] = simulate(chosen, machine, own).ran
                runs += 1
            for policy, ran in lacking.items():
                of = chosen if policy else trace
                if not ran.all():
                    faults += int(np.count_nonzero(~ran))
                    print(f"{name} {policy}: {[of.shown_id(job) for job in np.flatnonzero(~ran)[:5]]}")
            logs, jobs = logs + 1, jobs + len(trace)
    print(f"{logs} logs, {jobs:,} jobs, {runs:,} simulations: {faults} jobs do not fit where they ran")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
