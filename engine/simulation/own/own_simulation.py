"""A simulation under way in which a user's own code decides, with what of it may be shown to that code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import NOT_RUN
from engine.simulation.scheduler import Scheduler

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class LoggedColumns(NamedTuple):
    """What a log tells of jobs beside what they ask for, each shape (n,)."""

    job_id: Ints  # the ids in the log, where they are numbers; else the numbers of the jobs
    user: Ints  # code of each job's user
    queue: Ints  # code of its queue
    group: Ints  # code of its group
    ram: Ints  # MiB of RAM that it asks for; 0 where the log does not say


class UserPast:
    """What is known of users from jobs that have started and ended, updated when it is asked for."""

    def __init__(self, s: Scheduler, columns: LoggedColumns, users: int) -> None:
        self._s, self._user = s, columns.user
        self._begun = 0
        self._open = np.zeros(0, np.int64)  # started jobs whose ends were not counted yet
        self._counted = np.zeros(len(columns.user), np.bool_)
        self.ended, self.runtimes, self.areas = np.zeros((3, users))

    def update(self, now: int) -> None:
        """Count the jobs that have ended by `now`; those that a failure stopped have not."""
        run, start = self._s.run, self._s.start
        begun = int(run.begun[0])
        if begun > self._begun:
            new = run.started[self._begun : begun]
            self._open = np.concatenate((self._open, new[new < len(start)]))
            self._begun = begun
        runtime = self._s.work.runtime[self._open]
        # A job that failures stopped has a new start, or none: it is looked at again at its next end.
        over = (start[self._open] != NOT_RUN) & (start[self._open] + runtime <= now)
        if not over.any():
            return
        jobs = np.unique(self._open[over])
        jobs = jobs[~self._counted[jobs]]
        self._open = self._open[~over]
        self._counted[jobs] = True
        users, times = self._user[jobs], self._s.work.runtime[jobs].astype(np.float64)
        np.add.at(self.ended, users, 1)
        np.add.at(self.runtimes, users, times)
        np.add.at(self.areas, users, times * self._s.work.need[jobs, 0])


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The array, which cannot be written from now on."""
    array.setflags(write=False)  # a third of the time that its flags take
    return array


class OwnSimulation:
    """A simulation under way, with what of it may be shown; `now` is set before each call, s."""

    def __init__(
        self,
        s: Scheduler,
        columns: LoggedColumns,
        names: Mapping[str, Sequence[str]],
        resources: Sequence[str],
    ) -> None:
        self.s, self.columns, self.names, self.resources = s, columns, names, resources
        self.past = UserPast(s, columns, len(names["user"]))
        self.now = 0
        self.procs = read_only(np.ascontiguousarray(s.work.need[: len(s.start), 0]))

    @property
    def running(self) -> Ints:
        """The numbers of the jobs that run, ascending: the kernel's own order tells when they will end."""
        jobs = np.sort(self.s.run.leaving[: self.s.run.running[0]])
        return jobs[: np.searchsorted(jobs, len(self.s.start))]  # the rest are outages of nodes

    @property
    def by_expected_end(self) -> Ints:
        """The numbers of the jobs that run, the next expected end first."""
        # The kernel keeps them in this order: nothing is sorted for each pass.
        line = self.s.run.line[: self.s.run.running[0]][::-1]
        outages = len(self.s.outage_state.start)
        return line[line < len(self.s.start)] if outages else line.copy()
