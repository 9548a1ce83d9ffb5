"""Runs of sites repeated over phases of slurmctld's loops, in threads, once their schedules are shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.model.live_run import LiveRun
from app.model.messages import describe_failure
from app.model.work_keys import phases_key
from engine.simulation.control import Control
from views.work.executor import Executor

if TYPE_CHECKING:
    from engine.slurm.scheduler.phases import PhaseSpread


class Repeats:
    """Repeats runs of sites; `ready` is called in the window's thread when a run has its spread.

    `failed` gets advice and details of an error. Stopping a run stops its repetition, too.
    """

    def __init__(
        self, executor: Executor, ready: Callable[[], None], failed: Callable[[str, str], object]
    ) -> None:
        self._executor, self._ready, self._failed = executor, ready, failed

    def begin(self, live: LiveRun | None) -> None:
        """Repeat the schedule of a run, unless that was done, or it is of another policy than a site."""
        schedule = live.schedule if live is not None else None
        if live is None or schedule is None or schedule.policy.site is None or live.spread is not None:
            return

        def work(control: Control) -> PhaseSpread | None:
            from engine.slurm.scheduler.phases import phase_spread

            return phase_spread(schedule, control)

        def done(spread: PhaseSpread | None) -> None:
            if live.schedule is schedule and spread is not None:
                live.spread = spread
                self._ready()

        def failed(error: Exception) -> None:
            self._failed(*describe_failure(error, "repeating a run of a site failed"))

        # After all that is seen first.
        self._executor.submit(phases_key(live.run_id), work, done, failed, priority=-1)
