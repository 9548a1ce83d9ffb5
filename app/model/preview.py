"""A run whose jobs in view are simulated before all others, where the whole would not follow the hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.model.chart_data import ChartData, draw
from engine.policy.policy import Policy
from engine.simulation.control import Control

SLOW_S = 0.3
"""Steps of a slider that take longer are too slow to follow the hand: the jobs in view are shown first.

Faster runs are shown whole, with tables and box-plots, which would otherwise wait for the slider to rest.
"""

_MOST_SHARE = 0.5
"""A preview that needs a larger share of the jobs would not come much earlier than the whole."""


@dataclass(frozen=True, eq=False)
class Preview:
    """A run whose jobs in view alone were simulated: its other jobs count as not run.

    Charts show it within `span`, s; the schedule of the whole takes about `seconds`.
    """

    chart_data: ChartData
    span: tuple[float, float]
    seconds: float


def preview_of(
    chart_data: ChartData, policy: Policy, window: tuple[float, float], waited: float
) -> Callable[[Control], Preview] | None:
    """Task that previews a run under another policy, in a thread; None if the whole run will be finished
    soon.

    There is no preview if the present run, `chart_data`, was simulated quickly and the new run has not
    `waited` longer, in s; if the window, in s, shows too many jobs, or none; or if submissions depend on ends
    of other jobs, which a part of the jobs cannot reproduce.
    """
    if max(chart_data.seconds, waited) <= SLOW_S or chart_data.schedule.came is not None:
        return None
    from engine.simulation.excerpt import jobs_in_view, simulate_part

    jobs = jobs_in_view(chart_data.schedule, *window)
    if not 0 < jobs.sum() <= _MOST_SHARE * len(jobs):
        return None

    def work(control: Control) -> Preview:
        part = draw(lambda: simulate_part(chart_data.schedule, policy, jobs, control))
        return Preview(part, window, chart_data.seconds)

    return work
