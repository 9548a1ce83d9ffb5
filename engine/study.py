"""A study: a trace, a cluster and runs; what one window or one comparison holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engine.cluster import Cluster
from engine.policy import Policy
from engine.schedule import Schedule
from engine.trace import Trace


@dataclass(frozen=True)
class Run:
    """A policy of a study and, when it is done, its schedule. `id` is unique within the study."""

    id: int
    policy: Policy
    schedule: Schedule | None = None


@dataclass(frozen=True)
class Study:
    """A trace on a cluster under several policies."""

    trace: Trace
    cluster: Cluster
    runs: tuple[Run, ...] = field(default=())

    def add(self, policy: Policy) -> Study:
        """The study with one run more, behind the others."""
        number = max((run.id for run in self.runs), default=0) + 1
        return replace(self, runs=(*self.runs, Run(number, policy)))

    def change(self, run: Run) -> Study:
        """The study with the run of the same id replaced."""
        return replace(self, runs=tuple(run if r.id == run.id else r for r in self.runs))

    def remove(self, run_id: int) -> Study:
        """The study without that run."""
        return replace(self, runs=tuple(r for r in self.runs if r.id != run_id))

    def run(self, run_id: int) -> Run | None:
        """The run of that id, if it is still there."""
        return next((r for r in self.runs if r.id == run_id), None)
