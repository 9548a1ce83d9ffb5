"""Jobs and amounts of memory in sentences about a schedule."""

from __future__ import annotations

from engine.schedule.schedule import Schedule


def name_job(schedule: Schedule, job: int) -> str:
    """`job 1234 of bob`, or `of user 7` where users are numbers; the job by the log's id."""
    trace = schedule.trace
    user = trace.user.shown[trace.user.codes[job]]
    return f"job {trace.shown_id(job)} of {f'user {user}' if user.isdigit() else user}"


def format_mib(mib: int) -> str:
    """`512 MiB`, `1.5 GiB`."""
    if mib < 1024:
        return f"{mib} MiB"
    return f"{mib / 1024:.1f}".removesuffix(".0") + " GiB"
