"""What the charts of one run are drawn from, worked out in threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.schedule import Schedule
from views.results import Result

if TYPE_CHECKING:
    from engine.evaluation import Evaluation
    from engine.fairness.violations import Steps
    from engine.metrics.queue_depth import QueueDepth
    from engine.metrics.series import Usage
    from engine.simulation.processors import Boxes


@dataclass(frozen=True, eq=False)
class Drawn:
    """What the charts of one run are drawn from; worked out in a thread, once a schedule."""

    schedule: Schedule
    boxes: Boxes
    usage: Usage
    seconds: float  # that all this took


@dataclass(frozen=True, eq=False)
class Judged:
    """A finished run among the others: its result, the rows of its heatmap, and what it is drawn from."""

    result: Result
    steps: Steps
    depth: QueueDepth
    drawn: Drawn
    evaluation: Evaluation


def draw(simulate: Callable[[], Schedule]) -> Drawn:
    """Simulate, and work out what the charts of the schedule show. Raises what `simulate` does."""
    from engine.metrics.series import usage
    from engine.simulation.processors import assign_processors

    began = time.perf_counter()
    schedule = simulate()
    boxes, use = assign_processors(schedule), usage(schedule)
    return Drawn(schedule, boxes, use, time.perf_counter() - began)


def judged_of(run_id: int, drawn: Drawn, one: Evaluation, ghost: Result | None) -> Judged:
    """A run whose violated expected end times and metrics are known; `ghost` is the run that is explored."""
    from engine.fairness.violations import violation_steps
    from engine.metrics.queue_depth import queue_depth

    schedule = one.schedule
    result = Result(
        run_id,
        schedule,
        lambda: one.summary,
        one.users,
        one.violations,
        one.jobs,
        drawn.boxes,
        ghost if ghost is not None and ghost.run_id == run_id else None,
    )
    steps = violation_steps(schedule, one.violations, one.jobs)
    return Judged(result, steps, queue_depth(schedule), drawn, one)
