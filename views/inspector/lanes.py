"""A job under several runs on a common time axis: the shown intervals and their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.schedule.explain import Explanation, Promise, ReasonInterval, explain
from engine.schedule.schedule import Decision
from views.data.results import Result
from views.text.ticks import TimeAxis
from views.text.values import duration

_RUN_SHARE = 0.5
"""A run longer than this share of the longest wait is cut: the chart is about the waits."""


@dataclass(frozen=True, eq=False)
class JobLane:
    """A run's name and colour, and the wait of the job under it, until it ended at `end` (s)."""

    name: str
    colour: str
    explanation: Explanation
    end: int

    @property
    def wait(self) -> str:
        """The wait of the job, formatted."""
        return duration(self.explanation.start - self.explanation.submit)

    @property
    def reason_unknown(self) -> bool:
        """Whether the job waited and nothing says why, as in the schedule of most logs."""
        return self.explanation.start > self.explanation.submit and not self.explanation.intervals


def lanes_of(results: Sequence[Result], job: int) -> tuple[JobLane, ...]:
    """The job under the runs that ran it."""
    return tuple(
        JobLane(result.name, result.colour, explain(result.schedule, job), int(result.schedule.end[job]))
        for result in results
        if result.schedule.ran[job]
    )


def window_of(lanes: Sequence[JobLane]) -> tuple[int, int]:
    """The time from the submission to the last end, or to the cut of long runs; at least one second."""
    submit = lanes[0].explanation.submit
    end = max(lane.end for lane in lanes)
    last = max(lane.explanation.start for lane in lanes)
    if last > submit:
        end = min(end, last + int((last - submit) * _RUN_SHARE))
    return submit, max(end, submit + 1)


def kinds_of(lanes: Sequence[JobLane]) -> list[Decision | None]:
    """Kinds of reason that are shown, in order of first appearance."""
    return list(dict.fromkeys(cause.kind for lane in lanes for cause in lane.explanation.summary))


def describe_lane(lane: JobLane) -> str:
    """Run, and how long the job waited."""
    return f"{lane.name}\nwaited {lane.wait}"


def describe_interval(lane: JobLane, interval: ReasonInterval, axis: TimeAxis) -> str:
    """Run, reason, and from when to when."""
    times = _from_to(interval.begin, interval.end, axis)
    return f"{lane.name}\n{duration(interval.seconds)} {interval.text}\n{times}"


def describe_wait(lane: JobLane, axis: TimeAxis) -> str:
    """Describe a wait without known reasons."""
    explanation = lane.explanation
    waited = _from_to(explanation.submit, explanation.start, axis)
    return f"{lane.name}\n{lane.wait}: {explanation.note}\n{waited}"


def describe_run(lane: JobLane, axis: TimeAxis) -> str:
    """The runtime of the job, with its start and end."""
    length = duration(lane.end - lane.explanation.start)
    return f"{lane.name}\nran {length}\n{_from_to(lane.explanation.start, lane.end, axis)}"


def describe_promise(lane: JobLane, promise: Promise, axis: TimeAxis) -> str:
    """The text about a reservation: when the job got it, and its start."""
    return f"{lane.name}\nreserved at {axis.format(promise.made)}: to start by {axis.format(promise.start)}"


def _from_to(begin: int, end: int, axis: TimeAxis) -> str:
    return f"{axis.format(begin)} – {axis.format(end)}"
