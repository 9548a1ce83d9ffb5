"""The subject of the inspector: the trace and runs that its pages are written from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.metrics.compare import jobs_in_common
from engine.trace import Trace
from views.data.results import Result
from views.inspector.html import Html, faint, join, paragraph, text, time_link, unbroken, user_link
from views.state.selection import Selection
from views.text.ticks import TimeAxis


@dataclass(frozen=True, eq=False)
class InspectorSubject:
    """A trace, its finished runs, and the format of times. Pages cover all jobs."""

    trace: Trace
    results: Sequence[Result]
    axis: TimeAxis
    filtered: bool = False  # whether a filter is on elsewhere
    looked_at: int | None = None  # the id of a run; None: the first
    measured: tuple[int, int] | None = None  # the range that is measured alone, s; None: all
    compared: tuple[int, int] | None = None  # the ids of the runs whose difference is looked at, if any

    @property
    def pair(self) -> tuple[Result, Result] | None:
        """The first and the second run of the difference that is looked at; None where none is."""
        by_id = {result.run_id: result for result in self.results}
        first, second = (by_id.get(run_id) for run_id in self.compared or (-1, -1))
        return None if first is None or second is None else (first, second)

    @property
    def chosen(self) -> Result | None:
        """The run that is looked at, else the first; None before a run is done."""
        first = self.results[0] if self.results else None
        return next((result for result in self.results if result.run_id == self.looked_at), first)

    def when(self, time: int | float) -> Html:
        """A point in time, as a date or in hours since the first submission; a click shows it."""
        return time_link(self.axis.format(float(time)), time)

    def known(self, value: Selection) -> Selection:
        """The part of a selection that exists in this trace; the selection may come from another trace."""
        trace = self.trace
        return replace(
            value,
            jobs=frozenset(job for job in value.jobs if job < len(trace)),
            users=frozenset(user for user in value.users if user < len(trace.user.names)),
            queues=frozenset(queue for queue in value.queues if queue < len(trace.queue.names)),
        )

    def top_users(self, amount: NDArray[Any], most: int, show: Callable[[float], str]) -> Html:
        """Links to the users with the largest amounts, shape (users,), each with its own in words."""
        largest = np.argsort(-amount, kind="stable")[:most]
        return join(
            (
                Html(f"{user_link(self.trace, user)}\u00a0({unbroken(show(float(amount[user])))})")
                for user in largest
                if amount[user] > 0
            ),
            ", ",
        )

    @property
    def footer(self) -> Html:
        """The time zone of times, and the jobs that are covered."""
        jobs = ""
        if self.filtered:
            jobs = ". Of all jobs, whatever the filter"
        elif self._leaves_out:
            jobs = ". Of all jobs, including those left out of metrics"
        return paragraph(faint(text(f"Times: {self.axis.name}{jobs}")))

    @property
    def _leaves_out(self) -> bool:
        """True if metrics leave out jobs that every run has run, for example those of administrators."""
        if not self.results:
            return False
        common = jobs_in_common([result.schedule for result in self.results])
        return bool((common & ~self.results[0].measured).any())
