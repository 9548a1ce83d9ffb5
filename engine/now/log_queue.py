"""The queue at any time of a log: who ran, and where; who waited, and with which priority."""

from __future__ import annotations

import numpy as np

from engine.logs.queue.state import RUNNING, WAITING, QueuedJob
from engine.machine.cluster import Cluster
from engine.slurm.scheduler.priority_at import Priorities, RunTimes
from engine.slurm.scheduler.simulate_site import came_at
from engine.slurm.site.site import Site
from engine.trace import Trace

MOST_WAITING = 300
"""Jobs that wait at an instant and are predicted, those of the highest priority."""


class LogQueues:
    """The queues of a log on a site's machine, with the priorities of its Slurm.

    Without priorities, jobs go by submission. A job that has not started, or is unknown to have, is in none.
    """

    def __init__(self, site: Site, trace: Trace) -> None:
        known = trace.wait >= 0
        self._trace, self._known = trace, known
        self._start = np.where(known, trace.submit + trace.wait, 0)
        self._end = self._start + np.maximum(trace.recorded_runtime, 0)
        self._came = came_at(trace)
        ran = np.flatnonzero(known)
        runs = RunTimes(self._came, ran, self._start[ran], self._end[ran])
        self.jobs = QueuedJobs(site.conf.machine, trace)
        self._priorities = Priorities(site, trace, runs, self.jobs.nodes) if site.multifactor else None

    def at(self, time: int) -> tuple[list[QueuedJob], dict[str, int]]:
        """The jobs that ran and waited at a time, and when the waiting ones started, s from then."""
        known, start = self._known, self._start
        # A job that starts in this very second runs; a job that ends in it is gone.
        running = np.flatnonzero(known & (start <= time) & (self._end > time))
        waiting = np.flatnonzero(known & (self._came <= time) & (start > time))
        priority = None
        # With priorities the first in line are kept; without them the first that came.
        if self._priorities is not None:
            priority = self._priorities.at(time, waiting)
            first = np.sort(np.argsort(-priority, kind="stable")[:MOST_WAITING])
            waiting, priority = waiting[first], priority[first]
        waiting = waiting[:MOST_WAITING]
        jobs = [self.jobs.running(job, time, int(start[job])) for job in running.tolist()]
        for k, job in enumerate(waiting.tolist()):
            jobs.append(self.jobs.waiting(job, time, None if priority is None else float(priority[k])))
        return jobs, {str(job): int(start[job] - time) for job in waiting.tolist()}


class QueuedJobs:
    """The jobs of a log as they stand in a queue, by their indices.

    They ask for what the log says: whole tasks a node where it has such, or else CPUs on any nodes.
    """

    def __init__(self, machine: Cluster, trace: Trace) -> None:
        self._trace = trace
        # Logs without tasks tell processors alone: the fewest nodes that could hold them are taken.
        widest = max((group.cpus for group in machine.groups), default=1)
        rows = trace.tasks.offset[:-1]
        single = np.diff(trace.tasks.offset) == 1
        cpus, count = trace.tasks["cpus"][rows], trace.tasks["count"][rows]
        # Equal tasks that make up the job and fit on a node are taken for nodes with so many processors
        # each.
        self._whole = single & (cpus > 1) & (count * cpus == trace.procs) & (cpus <= widest)
        self.nodes = np.where(self._whole, np.minimum(count, machine.nodes), -(-trace.procs // widest))
        self.nodes = np.maximum(self.nodes, 1)
        self._most = np.zeros(len(trace), np.int64)
        # What the log says of nodes goes before what its tasks suggest.
        if trace.least_nodes is not None and trace.most_nodes is not None:
            asked = trace.least_nodes > 0
            self.nodes = np.where(asked, trace.least_nodes, self.nodes)
            self._most = np.where(asked, trace.most_nodes, 0)
        self._feature = trace.tasks.columns["feature"][rows] if "feature" in trace.tasks.columns else None
        self._array = trace.at_once
        self._names = trace.cluster.node_names() if trace.recorded_nodes is not None else []

    def running(self, job: int, time: int, start: int, node_list: str | None = None) -> QueuedJob:
        """A job that runs at a time, s, since its start, on its own nodes if the log has them."""
        if node_list is None:
            node_list = self._nodes_of(job)
        return self._job(job, time, start=start, node_list=node_list)

    def waiting(self, job: int, time: int, priority: float | None) -> QueuedJob:
        """A job that waits at a time, s."""
        return self._job(job, time, priority=priority)

    def _nodes_of(self, job: int) -> str:
        places = self._trace.recorded_nodes
        if places is None:
            return ""
        nodes = places["node"][slice(*places.offset[job : job + 2].tolist())].tolist()
        return ",".join(self._names[node] for node in nodes if node >= 0)

    def _job(
        self,
        job: int,
        time: int,
        start: int | None = None,
        node_list: str = "",
        priority: float | None = None,
    ) -> QueuedJob:
        trace, nodes = self._trace, int(self.nodes[job])
        return QueuedJob(
            job_id=str(job),
            user=trace.user.names[trace.user.codes[job]],
            account=trace.group.names[trace.group.codes[job]],
            partition=trace.queue.names[trace.queue.codes[job]],
            state=WAITING if start is None else RUNNING,
            reason="",
            elapsed=0 if start is None else time - start,
            waited=int(time - trace.submit[job]),
            limit=int(trace.walltime[job]),
            cpus=int(trace.procs[job]),
            nodes=nodes,
            # squeue tells memory and GPUs of each node, so the job's are divided by its nodes.
            ram=max(int(trace.ram[job]), 0) // nodes,
            gpus=0 if trace.gpus is None else max(int(trace.gpus[job]), 0) // nodes,
            # Where the log tells no nodes, the job may be spread over any.
            spread=not (self._whole[job] or self._most[job]),
            node_list=node_list,
            features="" if self._feature is None else trace.features[self._feature[job]],
            priority=priority,
            qos="" if trace.qos is None else trace.qos.names[trace.qos.codes[job]],
            array="" if self._array is None else str(trace.job_id[job]).partition("_")[0],
            at_once=0 if self._array is None else int(self._array[job]),
            most_nodes=int(self._most[job]) or (nodes if self._whole[job] else 0),
        )
