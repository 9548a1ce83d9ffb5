"""What pages are written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.trace import Trace
from views.inspector.html import Html, faint, paragraph, text, time_link
from views.results import Result
from views.selection import Selection
from views.ticks import TimeAxis


@dataclass(frozen=True, eq=False)
class Subject:
    """A trace, its finished runs, and how times are told."""

    trace: Trace
    results: Sequence[Result]
    axis: TimeAxis

    def when(self, time: int | float) -> Html:
        """A point in time, as a date or in hours since the first submission; a click shows it."""
        return time_link(self.axis.spell(float(time)), time)

    def known(self, value: Selection) -> Selection:
        """What of a selection is in this trace; it may still be one of another trace."""
        trace = self.trace
        return replace(
            value,
            jobs=frozenset(job for job in value.jobs if job < len(trace)),
            users=frozenset(user for user in value.users if user < len(trace.user.names)),
            queues=frozenset(queue for queue in value.queues if queue < len(trace.queue.names)),
        )

    @property
    def zone(self) -> Html:
        """In which zone times are told."""
        return paragraph(faint(text(f"Times: {self.axis.name}")))
