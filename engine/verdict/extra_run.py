"""One more run, under EASY, beside a run that has no other simulated run to be compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.fairness.violations import judge
from engine.metrics.evaluation import Evaluation
from engine.metrics.users import per_user
from engine.policy.policy import parse_policy
from engine.policy.share import Share
from engine.simulation.control import Control
from engine.simulation.run import simulate
from engine.verdict.verdict import JudgedRun

MORE = "easy"
"""The policy of the run."""

MOST_JOBS = 50_000
"""The most jobs of a log for which the run is made: under EASY they take less than a second."""


def with_one_more(runs: Sequence[JudgedRun], share: Share, control: Control | None = None) -> list[JudgedRun]:
    """The runs, followed by one under EASY on the machine of the first if that may help to judge them.

    It is made where at most one of the runs is simulated, and none under EASY or as a site. `share` is that
    by which the runs were judged. Raises Cancelled.
    """
    policies = [run.schedule.policy for run in runs]
    simulated = [policy for policy in policies if policy.simulated]
    easy = parse_policy(MORE)
    of_site = any(policy.site is not None for policy in policies)
    if not runs or len(simulated) > 1 or easy in policies or of_site:
        return list(runs)
    first = runs[0].evaluation
    if len(first.schedule.trace) > MOST_JOBS:
        return list(runs)
    schedule = simulate(first.schedule.trace, first.schedule.cluster, easy, control=control)
    if np.any(first.jobs & ~schedule.ran):
        return list(runs)  # it could not be measured on the same jobs
    violations = judge(schedule, first.capacity, share.half_life, share.gap, share.exact_last)
    users = per_user(schedule, violations, first.jobs)
    return [*runs, JudgedRun(MORE, Evaluation(schedule, first.capacity, violations, users, first.jobs))]
