"""The contents of the page of the present queue, as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.logs.queue.state import RUNNING, QueuedJob, QueueState

if TYPE_CHECKING:
    from engine.answer.answer import Answer
    from engine.now.prediction import Forecast, Prediction
    from engine.now.queue_forecast import QueueForecast
    from engine.now.queue_schedule import QueueSchedule
    from engine.now.queued_job import WaitingJob
    from engine.schedule.processors import Boxes

FIELDS = ("user", "account", "partition")
"""What of a job one can look into, as its attributes."""


@dataclass(frozen=True, eq=False)
class NowLook:
    """The queue at one moment with its forecast, laid out for a Gantt chart.

    `name` is that of the file, and `clusters` are those whose queues are in it. `reply` is the answer about
    the job that was asked about, if one was and Slurm takes it.
    """

    name: str
    answer: QueueForecast
    laid: QueueSchedule
    boxes: Boxes
    clusters: tuple[str, ...] = ()
    reply: Answer[WaitingJob] | None = None

    @property
    def state(self) -> QueueState:
        """The queue as it was printed."""
        return self.answer.state

    @property
    def found(self) -> Forecast:
        """The waiting jobs by their planned starts."""
        return self.answer.forecast

    @cached_property
    def entry_of(self) -> dict[int, int]:
        """The entry of a job in the trace, by its identity."""
        return {id(job): k for k, job in enumerate(self.laid.jobs)}

    @cached_property
    def entries(self) -> NDArray[np.int64]:
        """The entry in the trace of each waiting job, in the order of the forecast."""
        return np.array([self.entry_of[id(prediction.job)] for prediction in self.found.waiting], np.int64)

    def names(self, field: str) -> list[str]:
        """The users, accounts or partitions of the queue, in order; none has no name."""
        return sorted({name for job in self.state.jobs if (name := getattr(job, field))})

    def of(self, chosen: dict[str, str]) -> Iterator[QueuedJob]:
        """The jobs whose fields are as chosen."""
        return (job for job in self.state.jobs if matches(job, chosen))


def matches(job: QueuedJob, chosen: dict[str, str]) -> bool:
    """Whether the user, account and partition of a job are the chosen ones."""
    return all(getattr(job, field) == name for field, name in chosen.items())


def queue_counts(look: NowLook, chosen: dict[str, str]) -> tuple[int, int, int, Prediction | None]:
    """The numbers of running chosen jobs, their processors, and waiting ones; and the next start."""
    running = [job for job in look.of(chosen) if job.state == RUNNING]
    waiting = [prediction for prediction in look.found.waiting if matches(prediction.job, chosen)]
    planned = next((prediction for prediction in waiting if prediction.planned is not None), None)
    return len(running), sum(job.cpus for job in running), len(waiting), planned
