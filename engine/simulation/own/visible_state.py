"""What a user's own code sees of a simulation: arrays that cannot be written, of what is known by now.

Times are in s from the log's zero. Nothing here tells a runtime before its job has ended.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.simulation.own.own_simulation import Floats, Ints, OwnSimulation, read_only
from engine.simulation.own.profile import FutureRoom
from engine.simulation.queue import Queue


class Machine:
    """The machine: its processors, those that are free, and how many jobs run and wait."""

    def __init__(self, shown: OwnSimulation) -> None:
        self._shown = shown
        self.procs = int(shown.s.work.capacity[:, 0].sum())
        self.nodes = len(shown.s.work.capacity)

    @property
    def free(self) -> int:
        """Processors that are free now."""
        return int(self._shown.s.machine.free_total[0])

    @property
    def resources(self) -> tuple[str, ...]:
        """The names of the K resources: `cpus`, then `ram` (MiB) and others, such as `gpu`, if limited."""
        return tuple(self._shown.resources)

    @property
    def free_nodes(self) -> NDArray[Any]:
        """What is free on each node, shape (nodes, K), in the order of `resources`."""
        return read_only(self._shown.s.machine.free.copy())

    @property
    def running(self) -> int:
        """Jobs that run."""
        return int(self._shown.s.run.running[0])

    @property
    def waiting(self) -> int:
        """Jobs that wait."""
        low, high = self._shown.s.queue.bounds.tolist()
        return int(high - low)


class JobArrays:
    """Several jobs, by columns of one length; each access gives an array that cannot be written."""

    __slots__ = ("_shown", "index")

    def __init__(self, shown: OwnSimulation, index: Ints) -> None:
        self._shown = shown
        self.index = read_only(index)
        """The number of each job in the log, from 0: what a scheduler yields."""

    def __len__(self) -> int:
        return len(self.index)

    @property
    def id(self) -> Ints:
        """The ids of the jobs in the log."""
        return self._of(self._shown.columns.job_id)

    @property
    def procs(self) -> Ints:
        """Processors that each job takes."""
        return self._of(self._shown.procs)

    @property
    def need(self) -> Ints:
        """What each job takes of each resource of the machine in all, shape (jobs, K)."""
        return self._of(self._shown.s.work.need)

    @property
    def walltime(self) -> Ints:
        """The runtime that each job asks for, s."""
        return self._of(self._shown.s.work.walltime)

    @property
    def estimate(self) -> Ints:
        """The estimated runtime of each job by the policy, s."""
        return self._of(self._shown.s.work.estimate)

    @property
    def submit(self) -> Ints:
        """When each job was submitted, s."""
        return self._of(self._shown.s.work.submit)

    @property
    def wait(self) -> Ints:
        """For how long each job has waited, s."""
        shown = self._shown
        waits: Ints = shown.now - shown.s.work.submit[self.index]
        waits.setflags(write=False)
        return waits

    @property
    def ram(self) -> Ints:
        """MiB of RAM that each job asks for; 0 where the log does not say."""
        return self._of(self._shown.columns.ram)

    @property
    def user(self) -> Ints:
        """The code of each job's user: the same number, the same user."""
        return self._of(self._shown.columns.user)

    @property
    def queue(self) -> Ints:
        """The code of each job's queue."""
        return self._of(self._shown.columns.queue)

    @property
    def group(self) -> Ints:
        """The code of each job's group."""
        return self._of(self._shown.columns.group)

    @property
    def user_running(self) -> Ints:
        """How many jobs of its user run."""
        return self._of_user(self._running_by_user(None))

    @property
    def user_procs(self) -> Ints:
        """On how many processors jobs of its user run."""
        return self._of_user(self._running_by_user(self._shown.procs))

    @property
    def user_ended(self) -> Ints:
        """How many jobs of its user have ended."""
        self._shown.past.update(self._shown.now)
        return self._of_user(self._shown.past.ended.astype(np.int64))

    @property
    def user_runtime(self) -> Floats:
        """The mean runtime of its user's ended jobs, s; of users without any, 0."""
        past = self._shown.past
        past.update(self._shown.now)
        return self._of_user(past.runtimes / np.maximum(past.ended, 1))

    @property
    def user_usage(self) -> Floats:
        """Processor-seconds that its user's jobs have used so far, those that run included."""
        s, past, now = self._shown.s, self._shown.past, self._shown.now
        past.update(now)
        running = self._shown.running
        used = (now - s.start[running]) * self._shown.procs[running]
        users = self._shown.columns.user[running]
        return self._of_user(past.areas + np.bincount(users, used, len(past.areas)))

    def _running_by_user(self, weight: Ints | None) -> NDArray[Any]:
        running, users = self._shown.running, len(self._shown.past.ended)
        counts = np.bincount(
            self._shown.columns.user[running], None if weight is None else weight[running], users
        )
        return counts.astype(np.int64)

    def _of(self, column: NDArray[Any]) -> NDArray[Any]:
        values: NDArray[Any] = column[self.index]
        values.setflags(write=False)  # as in `read_only`, whose call is saved in the most frequent use
        return values

    def _of_user(self, column: NDArray[Any]) -> NDArray[Any]:
        return read_only(column[self._shown.columns.user[self.index]])


def waiting_in(shown: OwnSimulation, queue: Queue) -> JobArrays:
    """The jobs that wait in a queue, in its present order."""
    low, high = queue.bounds.tolist()
    return JobArrays(shown, queue.jobs[low:high].copy())


class RunningJobs(JobArrays):
    """The jobs that run."""

    __slots__ = ()

    @property
    def start(self) -> Ints:
        """When each job started, s."""
        return self._of(self._shown.s.start)

    @property
    def expected_end(self) -> Ints:
        """When each job is expected to end, s: its start plus its estimate, or later where it overran."""
        return self._of(self._shown.s.run.expected)


class OneJob:
    """A job, with what is known of it when it is submitted."""

    __slots__ = ("_shown", "index")

    def __init__(self, shown: OwnSimulation, index: int) -> None:
        self._shown, self.index = shown, index

    @property
    def id(self) -> int:
        """Its id in the log."""
        return int(self._shown.columns.job_id[self.index])

    @property
    def submit(self) -> int:
        """When it is submitted, s."""
        return int(self._shown.s.work.submit[self.index])

    @property
    def walltime(self) -> int:
        """The runtime that it asks for, s."""
        return int(self._shown.s.work.walltime[self.index])

    @property
    def procs(self) -> int:
        """Processors that it takes."""
        return int(self._shown.procs[self.index])

    @property
    def ram(self) -> int:
        """MiB of RAM that it asks for; 0 where the log does not say."""
        return int(self._shown.columns.ram[self.index])

    @property
    def user(self) -> str:
        """The name of its user."""
        return str(self._shown.names["user"][self._shown.columns.user[self.index]])

    @property
    def queue(self) -> str:
        """The name of its queue."""
        return str(self._shown.names["queue"][self._shown.columns.queue[self.index]])

    @property
    def group(self) -> str:
        """The name of its group."""
        return str(self._shown.names["group"][self._shown.columns.group[self.index]])


class PassState:
    """What a scheduler sees in a pass; `memory` is kept from one pass to the next."""

    def __init__(self, shown: OwnSimulation) -> None:
        self._shown = shown
        self.machine = Machine(shown)
        self.profile = FutureRoom(shown)
        self.memory: dict[Any, Any] = {}

    @property
    def now(self) -> int:
        """The time of the pass, s."""
        return self._shown.now

    @property
    def free(self) -> int:
        """Processors that are free now, after the starts of this pass so far."""
        return self.machine.free

    @property
    def waiting(self) -> JobArrays:
        """The jobs that wait, in order of submission."""
        return waiting_in(self._shown, self._shown.s.queue)

    def first(self, count: int) -> JobArrays:
        """The first `count` jobs that wait, or as many as there are: quicker than all where many wait."""
        queue = self._shown.s.queue
        low, high = queue.bounds.tolist()
        return JobArrays(self._shown, queue.jobs[low : min(high, low + count)].copy())

    def requests(self, count: int) -> tuple[Ints, Ints, Ints]:
        """Waits, estimates (s) and processors of the first `count` jobs that wait: quicker than `first`."""
        shown = self._shown
        queue, work = shown.s.queue, shown.s.work
        low, high = queue.bounds.tolist()
        jobs = queue.jobs[low : min(high, low + count)]
        return shown.now - work.submit.take(jobs), work.estimate.take(jobs), shown.procs.take(jobs)

    def place(self, place: int) -> int:
        """The job that waits behind so many others."""
        queue = self._shown.s.queue
        return int(queue.jobs[queue.bounds[0] + place])

    def procs_of(self, job: int) -> int:
        """Processors that a job takes."""
        return int(self._shown.procs[job])

    @property
    def running(self) -> RunningJobs:
        """The jobs that run, the next expected end first."""
        return RunningJobs(self._shown, self._shown.by_expected_end)

    def fits(self, job: int) -> bool:
        """Whether a job fits into what is free now, on nodes task by task, as `FutureRoom.fits_now` says."""
        return self.profile.fits_now(job)

    def earliest(self, job: int) -> int:
        """The earliest second at which the job is expected to fit, as `FutureRoom.earliest` says."""
        return self.profile.earliest(job)
