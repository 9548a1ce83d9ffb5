"""A run whose jobs in view are simulated before all others, where the whole would not follow the hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.model.chart_data import ChartData, draw
from engine.policy.policy import Policy
from engine.simulation.control import Control

SLOW_S = 0.05
"""Runs that take more computing are too slow to follow the hand: a part of the jobs in view is shown first.

Faster runs are shown whole, with tables and box-plots, which would otherwise wait for the slider to rest.
"""

LONG_S = 0.3
"""So do those that are not there after this time, however little they compute: the machine is busy."""

LEAST_PACED = 2_000
"""Fewer jobs take as long as so many: what a preview takes whatever is in view."""

_MOST_SHARE = 0.5
"""Where the window has a larger share of the jobs, all of it would come hardly earlier than the whole run."""

BUDGET_S = 0.035
"""What the first preview may take, in s, at the pace of the last: of a wide window it is a part."""

_LONGER = 8
"""How many times as long each further preview of a window may take: what is seen grows, and the sum of all
takes little longer than the last."""

_PARTS = (1.0, 0.5, 0.25, 0.125, 0.06, 0.03, 0.015, 0.006, 0.002)
"""How much of the window a part may be."""


@dataclass(frozen=True, eq=False)
class Preview:
    """A run whose jobs in view alone were simulated: its other jobs count as not run.

    Charts show it within `span`, s; the schedule of the whole takes about `seconds`. A job took `pace` s of
    computing. Where the window shows more than `span`, `rest` may preview more of it. A `note` says what it
    is of a run that was stopped.
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

    There is no preview if the present run, `chart_data`, took little computing and the new run has not
    `waited` for long, in s; if no job is in the window, in s; or if submissions depend on ends of other jobs,
    which a part of the jobs cannot reproduce. A first preview has as much of the window, from its left edge
    on, as takes BUDGET_S at the pace of the `last` preview, or else of the present run; each further one
    may take _LONGER times as long, until the whole window is there or the whole run comes as soon.
    """
    schedule = chart_data.schedule
    # A run with submissions that depend on ends of others cannot be simulated in part.
    quick = chart_data.computing <= SLOW_S and max(chart_data.seconds, waited) <= LONG_S
    if quick or schedule.came is not None:
        return None
    from engine.simulation.excerpt import jobs_in_view, simulate_part

    whole = jobs_in_view(schedule, *window)
    share = np.count_nonzero(whole) / len(whole)
    # Without any job in view there is nothing to show; and with nearly all in view of a run that computes
    # little, on a busy machine, the whole would come as soon as a part.
    most = 1.0 if chart_data.computing > SLOW_S else _MOST_SHARE
    if not 0 < share <= most:
        return None
    parts = _PARTS[1:] if share > _MOST_SHARE else _PARTS
    first_pace = last.pace if last is not None else chart_data.computing / len(whole)

    def preview(control: Control, budget: float, pace: float) -> Preview:
        # The largest part of the window that keeps within the budget; the smallest with jobs if none does.
        jobs, until, reached = whole, window[1], parts[0]
        for part in parts:
            end = window[0] + part * (window[1] - window[0])
            of_part = whole if part == 1.0 else jobs_in_view(schedule, window[0], end)
            count = np.count_nonzero(of_part)
            if not count:  # the next larger part is previewed, as an empty chart would tell nothing
                break
            jobs, until, reached = of_part, end, part
            if pace * count <= budget:
                break
        began = time.thread_time()  # else parts would be tiny while other programs are busy
        drawn = draw(lambda: simulate_part(schedule, policy, jobs, control, since=window[0]))
        took = time.thread_time() - began
        pace = took / max(int(np.count_nonzero(jobs)), LEAST_PACED)
        # The whole run follows what is all of the window, or takes no longer than the next part might.
        last_part = reached == 1.0 or chart_data.computing <= budget * _LONGER

        def next_part(control: Control) -> Preview:
            return preview(control, budget * _LONGER, pace)

        rest = None if last_part else next_part
        return Preview(drawn, (window[0], until), chart_data.seconds, pace, rest)

    return lambda control: preview(control, BUDGET_S, first_pace)
