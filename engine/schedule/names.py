"""Jobs and amounts of memory in sentences about a schedule."""

from __future__ import annotations

from engine.schedule.schedule import Schedule


def name_job(schedule: Schedule, job: int) -> str:
    """`job 1234 of bob`, or `of user 7` where users are numbers; the job by the log's id."""
    trace = schedule.trace
    user = trace.user.shown[trace.user.codes[job]]
    return f"job {trace.shown_id(job)} of {f'user {user}' if user.isdigit() else user}"
