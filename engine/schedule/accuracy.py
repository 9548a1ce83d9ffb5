"""The accuracy of a site's own schedule: its mean wait beside the one that the log recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import Schedule
from engine.words import format_seconds, plural

WEEK = 7 * 86_400


@dataclass(frozen=True)
class Accuracy:
    """Recorded and simulated mean waits, s, of `jobs` jobs that were submitted in `weeks` weeks.

    If settings of the site were fitted to the log (`fitted`), these are jobs that were submitted later.
    """

    recorded: float
    simulated: float
    jobs: int
    weeks: int
    fitted: bool

    @property
    def off(self) -> float | None:
        """The difference of the means relative to the recorded mean; None if that is 0."""
        return (self.simulated - self.recorded) / self.recorded if self.recorded > 0 else None

    @property
    def brief(self) -> str:
        """A few words for the title of a run."""
        return "" if self.off is None else f"model within {100 * abs(self.off):.1f} % of the real mean wait"

    @property
    def verdict(self) -> str:
        """A sentence to accompany experiments with this site."""
        how = (
            "its delays were fitted to earlier jobs"
            if self.fitted
            else "nothing of it was fitted to this log"
        )
        where = f"{plural(self.weeks, 'unseen week')} ({plural(self.jobs, 'job')}; {how})"
        if self.off is None:
            waits = format_seconds(round(self.simulated))
            return f"no job waited in reality and the model's mean wait is {waits}, on {where}"
        return f"model within {100 * abs(self.off):.1f} % of the real mean wait on {where}"


def accuracy_of(schedule: Schedule) -> Accuracy | None:
    """The accuracy of the schedule of a site; None for other policies, and for logs without starts."""
    trace, site = schedule.trace, schedule.policy.site
    if site is None or not trace.has_recorded_schedule:
        return None
    jobs: NDArray[np.bool_] = schedule.ran & (trace.wait >= 0) & (trace.submit >= site.fitted_until)
    if not jobs.any():
        return None
    submit = trace.submit[jobs]
    weeks = np.unique((submit - max(int(trace.submit[0]), site.fitted_until)) // WEEK)
    return Accuracy(
        float(trace.wait[jobs].mean()),
        float(schedule.wait[jobs].mean()),
        int(jobs.sum()),
        len(weeks),
        site.fitted_until > 0,
    )
