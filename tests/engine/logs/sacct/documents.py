"""Small documents as `sacct --json` prints them."""

import json
from typing import Any

NOON = 1_577_880_000


def number(value: int | None) -> dict[str, Any]:
    """A number as newer versions wrap it."""
    return {"set": value is not None, "infinite": False, "number": value or 0}


def job(**values: Any) -> dict[str, Any]:
    """Job 1 of ann: 4 CPUs and a GPU of node c1 for 60 of 600 s, from 10 s after noon on."""
    # Slurm counts the kind of a GPU beside all GPUs: both are the same one.
    tres = [
        {"type": "cpu", "name": "", "id": 1, "count": 4},
        {"type": "mem", "name": "", "id": 2, "count": 2048},
        {"type": "gres", "name": "gpu", "id": 1001, "count": 1},
        {"type": "gres", "name": "gpu:a100", "id": 1002, "count": 1},
    ]
    return {
        "job_id": 1,
        "array": {"job_id": 0, "task_id": number(None), "task": ""},
        "het": {"job_id": 0, "job_offset": number(None)},
        "association": {"account": "phys", "cluster": "k", "partition": None, "user": "ann"},
        "account": "phys",
        "partition": "batch",
        "qos": "normal",
        "name": "run",
        "nodes": "c1",
        "allocation_nodes": 1,
        "state": {"current": ["COMPLETED"], "reason": "None"},
        "required": {"CPUs": 4, "memory_per_cpu": number(None), "memory_per_node": number(2048)},
        "time": {
            "submission": NOON,
            "eligible": NOON,
            "start": NOON + 10,
            "end": NOON + 70,
            "elapsed": 60,
            "limit": number(10),
        },
        "tres": {"requested": tres, "allocated": tres},
        "steps": [{"step": {"id": "1.batch"}}],
        **values,
    }


def document(*jobs: dict[str, Any]) -> str:
    """The document of these jobs."""
    return json.dumps({"meta": {"Slurm": {"version": "23.11"}}, "jobs": jobs, "errors": []}, indent=1)


def tres(*rows: tuple[str, str, int | None]) -> list[dict[str, Any]]:
    """Resources by type, name and count."""
    return [{"type": kind, "name": name, "id": 1, "count": count} for kind, name, count in rows]


def step(name: str, *, seconds: int = 0, micro: int = 0, **values: Any) -> dict[str, Any]:
    """A step as JSON has it."""
    return {
        "step": {"id": name},
        "tasks": {"count": values.get("tasks", 1)},
        "nodes": {"count": 1, "range": "c1"},
        "time": {"total": {"seconds": seconds, "microseconds": micro}},
        "statistics": {"energy": {"consumed": values.get("energy", 0)}},
        "tres": {
            "allocated": tres(("cpu", "", 4)),
            "requested": {"total": values.get("total", []), "max": values.get("most", []), "average": []},
            "consumed": {"total": tres(("mem", "", 99 << 30))},  # what was put out is no use of memory
        },
    }
