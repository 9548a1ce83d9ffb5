"""A run whose jobs in view are simulated before all others, where the whole would not follow the hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.model.chart_data import ChartData, draw
from engine.policy.policy import Policy
from engine.simulation.control import Control

SLOW_S = 0.3
"""Steps of a slider that take longer are too slow to follow the hand: the jobs in view are shown first.

Faster runs are shown whole, with tables and box-plots, which would otherwise wait for the slider to rest.
"""

LEAST_PACED = 2_000
"""Fewer jobs take as long as so many: what a preview takes whatever is in view."""

_MOST_SHARE = 0.5
"""A preview that needs a larger share of the jobs would not come much earlier than the whole."""

BUDGET_S = 0.035
"""What the first preview may take, in s, at the pace of the last: of a wide window it is a part."""

_PARTS = (1.0, 0.5, 0.25, 0.125, 0.06)
"""How much of the window that part may be."""


@dataclass(frozen=True, eq=False)
class Preview:
    """A run whose jobs in view alone were simulated: its other jobs count as not run.

    Charts show it within `span`, s; the schedule of the whole takes about `seconds`. A job took `pace` s of
    computing. Where the window shows more than `span`, `rest` previews all of it. A `note` says what it is
    of a run that was stopped.
    """

    chart_data: ChartData
    span: tuple[float, float]
    seconds: float
    pace: float
    rest: Previewing | None = None
    note: str = ""


Previewing = Callable[[Control], Preview]
"""Previews a run in a thread. Raises what the simulation does, and Cancelled."""


def preview_of(
    chart_data: ChartData,
    policy: Policy,
    window: tuple[float, float],
    waited: float,
    last: Preview | None = None,
) -> Previewing | None:
    """Task that previews a run under another policy, in a thread; None if the whole run will be finished
    soon.

    There is no preview if the present run, `chart_data`, was simulated quickly and the new run has not
    `waited` longer, in s; if the window, in s, shows too many jobs, or none; or if submissions depend on ends
    of other jobs, which a part of the jobs cannot reproduce. A first preview has as much of the window, from
    its left edge on, as takes BUDGET_S at the pace of the `last` preview, or else of the present run.
    """
    schedule = chart_data.schedule
    # A run with submissions that depend on ends of others cannot be simulated in part.
    if max(chart_data.seconds, waited) <= SLOW_S or schedule.came is not None:
        return None
    from engine.simulation.excerpt import jobs_in_view, simulate_part

    whole = jobs_in_view(schedule, *window)
    # Too many jobs in view would take nearly as long as all, and none have nothing to show.
    share = np.count_nonzero(whole) / len(whole)
    if not 0 < share <= _MOST_SHARE:
        return None
    pace = last.pace if last is not None else chart_data.seconds / len(whole)

    def preview(jobs: NDArray[np.bool_], until: float, rest: Previewing | None, control: Control) -> Preview:
        began = time.thread_time()  # else parts would be tiny while other programs are busy
        part = draw(lambda: simulate_part(schedule, policy, jobs, control, since=window[0]))
        pace = (time.thread_time() - began) / max(int(np.count_nonzero(jobs)), LEAST_PACED)
        return Preview(part, (window[0], until), chart_data.seconds, pace, rest)

    def all_of_it(control: Control) -> Preview:
        return preview(whole, window[1], None, control)

    # The largest part of the window that keeps within the budget; the smallest if none does.
    def first(control: Control) -> Preview:
        for part in _PARTS:
            until = window[0] + part * (window[1] - window[0])
            jobs = whole if part == 1.0 else jobs_in_view(schedule, window[0], until)
            count = np.count_nonzero(jobs)
            if pace * count <= BUDGET_S and count:
                break
        # A part without jobs would show an empty chart: the whole window is previewed instead.
        if part == 1.0 or not count:
            return all_of_it(control)
        return preview(jobs, until, all_of_it, control)

    return first
