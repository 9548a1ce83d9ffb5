"""The score that a formula gave a job while it waited, if the schedule determines it."""

from __future__ import annotations

import math

import numpy as np

from engine.dates import date_of
from engine.policy.formula_variables import score_columns
from engine.schedule.schedule import Schedule
from engine.score.program import evaluate


def score_at(schedule: Schedule, job: int, time: int) -> float | None:
    """The score of `job` at `time`, s, under a policy with order=score.

    None if the score depends on data that the schedule does not have: usage, expected ends, changing
    estimates.
    """
    policy, trace = schedule.policy, schedule.trace
    estimate = trace.walltime if schedule.estimate is None else schedule.estimate
    known = score_columns(policy, trace, schedule.procs, estimate, schedule.first_submit)
    values = {name: column[job : job + 1] for name, column in known.items()}
    # What changes with time is computed as it was at this moment; all else are columns.
    waits = schedule.ran & (schedule.submit <= time) & (schedule.start > time)
    moving = {
        "wait": time - int(schedule.submit[job]),
        "submit": max(int(schedule.submit[job]) - schedule.first_submit, 1),
        "queued": int(waits.sum()),
        "user_queued": int((waits & (trace.user.codes == trace.user.codes[job])).sum()),
    }
    if "hour" in policy.score_names and (moment := date_of(trace, time)) is not None:
        moving["hour"] = moment.hour
    values |= {name: np.array([float(value)]) for name, value in moving.items()}
    # A name that is neither has no value here, so the score is not known.
    if not policy.score_names <= values.keys():
        return None
    score = float(np.broadcast_to(evaluate(policy.score.node, values), (1,))[0])
    # A score that is no number goes last, as in the kernels.
    return -math.inf if math.isnan(score) else score
