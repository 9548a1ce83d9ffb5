"""Small lists of jobs of Flux."""

import json
from typing import Any

NOON = 1_577_880_000


def job(number: int = 1, **values: Any) -> dict[str, Any]:
    """A job of ann, submitted at noon, that ran on 4 cores of c1 from 10.5 to 70.25 s after."""
    fields = {
        "id": number,
        "userid": 1000,
        "username": "ann",
        "urgency": 16,
        "priority": 16,
        "t_submit": NOON + 0.125,
        "t_depend": NOON + 0.25,
        "t_run": NOON + 10.5,
        "t_cleanup": NOON + 70.25,
        "t_inactive": NOON + 71.0,
        "state": "INACTIVE",
        "name": "run",
        "queue": "batch",
        "ntasks": 2,
        "ncores": 4,
        "nnodes": 1,
        "nodelist": "c1",
        "duration": 600.0,
        "success": True,
        "result": "COMPLETED",
        "annotations": {"sched": {"resource_summary": "rank0/core[0-3],gpu0"}},
        **values,
    }
    return {name: value for name, value in fields.items() if value is not None}


def document(*jobs: dict[str, Any]) -> str:
    """What `flux jobs --json` prints of several jobs."""
    return json.dumps({"jobs": jobs}, indent=1)


def lines(*jobs: dict[str, Any]) -> str:
    """What `flux job list` prints."""
    return "".join(f"{json.dumps(each_job)}\n" for each_job in jobs)
