"""A Gymnasium environment over the compiled engine: windows of a log, and the next job as the action."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from engine.errors import InputError
from engine.learning.episode import Episode
from engine.learning.observation import JOB_COLUMNS, MACHINE_COLUMNS, Observation, observed
from engine.metrics.evaluation import evaluate
from engine.metrics.metric_names import parse_metric
from engine.metrics.summary import Value, summary
from engine.policy.policy import Policy
from engine.policy.share import parse_share
from engine.reading.log import Log
from engine.run_source import schedule_of
from engine.schedule.schedule import Schedule
from engine.simulation.own.visible_state import PassState


class Environment(Env[Observation, np.int64]):
    """Episodes over windows of a log: observe the first waiting jobs, and choose which starts next.

    The `observation` is that of `engine.learning.observation`; an action is a place among the first jobs, and
    one behind the jobs that wait counts as the first. The reward is 0 but for the last step: there it is the
    metric of the window, less that of the baseline on the same window, with the sign that makes more better.
    `info` of the last step has the `metric`, and that of the baseline.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - it is an attribute of all environments

    def __init__(
        self, log: Log, jobs: int, window: int, metric: str, baseline: Policy | None, backfill: bool
    ) -> None:
        self.log, self.jobs, self.window, self.backfill = log, jobs, window, backfill
        self.metric, self.baseline = parse_metric(metric), baseline
        if self.metric.better is None:
            raise InputError(f"{metric} rates nothing, so that it cannot be a reward")
        self.observation_space = Dict(
            jobs=Box(0.0, 1.0, (jobs, len(JOB_COLUMNS)), np.float32),
            machine=Box(0.0, 1.0, (len(MACHINE_COLUMNS),), np.float32),
        )
        self.action_space = Discrete(jobs)
        self._sign = 1.0 if self.metric.better == "higher" else -1.0
        self._episode: Episode | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a window that is drawn, or the one at the job `options["first"]`, counted from 0."""
        super().reset(seed=seed)
        last = len(self.log.trace) - self.window
        first = int((options or {}).get("first", self.np_random.integers(0, last + 1)))
        if not 0 <= first <= last:
            raise InputError(f"first={first}: a window of {self.window} jobs begins at 0 to {last}")
        trace = self.log.trace.take(np.arange(first, first + self.window))
        self._episode = Episode(trace, self.log.cluster, self.jobs, self.backfill)
        return observed(self._episode.state, self.jobs), {"first": first}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Choose the next job; the window ends when all its jobs have ended."""
        episode = self._under_way()
        episode.choose(int(action))
        seen = observed(episode.state, self.jobs)
        # Only the end of a window can be judged.
        if episode.asks:
            return seen, 0.0, False, False, {}
        schedule = episode.schedule()
        value = self._value(schedule)
        info: dict[str, Any] = {"metric": value}
        reward = 0.0 if value is None else self._sign * value
        if self.baseline is not None:
            base = self._value(schedule_of(episode.trace, self.log.cluster, self.baseline))
            info["baseline"] = base
            # The gain over the baseline on the same jobs counts: windows differ in how hard they are.
            reward = 0.0 if value is None or base is None else self._sign * (value - base)
        return seen, float(reward), True, False, info

    @property
    def state(self) -> PassState:
        """All that a scheduler sees at this step, for observations of a user's own."""
        return self._under_way().state

    @property
    def schedule(self) -> Schedule:
        """The schedule of the window, once its last step is made; jobs without a start are not run yet."""
        return self._under_way().schedule()

    def action_masks(self) -> NDArray[np.bool_]:
        """Which places have a job, shape (jobs,)."""
        waiting = self._under_way().state.machine.waiting
        return np.arange(self.jobs) < max(waiting, 1)

    def _under_way(self) -> Episode:
        if self._episode is None:
            raise InputError("there is no episode: call reset() first")
        return self._episode

    def _value(self, schedule: Schedule) -> Value:
        """The metric of a window."""
        name = self.metric.name
        # Judging expected ends takes longer than all other metrics: it is left to those that need it.
        value = summary(schedule, extra=[name])[name]
        if value is not None:
            return value
        (evaluation,) = evaluate([schedule], parse_share("fair"), schedule, extra=[name])
        return evaluation.summary[name]


def environment(
    log: Log, *, jobs: int, window: int, metric: str, baseline: Policy | None, backfill: bool
) -> Environment:
    """The environment of a log. Raises InputError where the log, or its machine, does not serve."""
    if not log.cluster.pooled or log.cluster.failures is not None:
        pool = f'machine="{log.cluster.cpus}c"'
        raise InputError(f"episodes run on a pool of processors that does not fail: read the log with {pool}")
    trace = log.trace
    # A window is simulated without the jobs around it.
    if not trace.comes_in_order:
        raise InputError(f"{trace.name}: jobs follow others, so that no window stands alone")
    if jobs < 1 or not 1 <= window <= len(trace):
        raise InputError(
            f"jobs={jobs}, window={window}: {trace.name} has windows of 1 to {len(trace)} jobs, of which "
            "1 or more are observed"
        )
    return Environment(log, jobs, window, metric, baseline, backfill)
