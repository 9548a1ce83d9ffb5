"""The steps of jobs as `sacct --json` prints them, in the fields of sacct's other formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.logs.text.json_document import below, number_of, set_value, text_of

_USAGE = {"TRESUsageInTot": "total", "TRESUsageInMax": "max", "TRESUsageInAve": "average"}
_KINDS = {("mem", ""): "mem", ("gres", "gpuutil"): "gres/gpuutil", ("gres", "gpumem"): "gres/gpumem"}
_CPU_TIMES = {"TotalCPU": "total", "UserCPU": "user", "SystemCPU": "system"}
_LARGEST = 1e15  # larger counts mean "no value"


def step_fields(job_id: str, steps: Any) -> Iterator[dict[str, str]]:
    """The fields of each step of a job as `sacct --parsable2` prints them.

    All versions call input (TRESUsageIn) `requested`, and output `consumed`.
    """
    for step in steps if isinstance(steps, list) else ():
        tasks = number_of(set_value(below(step, "tasks", "count")))
        yield {
            "JobID": f"{job_id}.{text_of(below(step, 'step', 'id')).rpartition('.')[2]}",
            "NCPUS": _allocated_cpus(step),
            "NNodes": text_of(set_value(below(step, "nodes", "count"))),
            "NodeList": text_of(below(step, "nodes", "range")),
            **cpu_times(step),
            **({"NTasks": text_of(tasks)} if tasks > 0 else {}),
            **_energy(step),
            **dict(_usage(step)),
        }


def cpu_times(job: Any) -> dict[str, str]:
    """The CPU times of a job or a step, s, by their fields; without those that are not there."""
    found = {}
    for field, name in _CPU_TIMES.items():
        time = below(job, "time", name)
        seconds = number_of(set_value(below(time, "seconds")))
        if 0 <= seconds < _LARGEST:
            micro = number_of(set_value(below(time, "microseconds")))
            # sacct adds those of user and system without carrying: they may exceed a second.
            more, micro = divmod(int(micro) if 0 <= micro < _LARGEST else 0, 1_000_000)
            found[field] = f"{int(seconds) + more}.{micro:06}"
    return found


def _energy(step: Any) -> dict[str, str]:
    energy = number_of(set_value(below(step, "statistics", "energy", "consumed")))
    return {"ConsumedEnergyRaw": str(int(energy))} if 0 <= energy < _LARGEST else {}


def _usage(step: Any) -> Iterator[tuple[str, str]]:
    """The fields of resources that a step used, as `mem=4096,gres/gpuutil=87`, with memory in bytes."""
    for field, name in _USAGE.items():
        resources = below(step, "tres", "requested", name)
        parts = []
        for resource in resources if isinstance(resources, list) else ():
            kind = _KINDS.get((text_of(below(resource, "type")), text_of(below(resource, "name"))))
            count = number_of(set_value(below(resource, "count")))
            # Resources of other kinds, and numbers that stand for none, are left out.
            if kind is not None and 0 <= count < _LARGEST:
                parts.append(f"{kind}={int(count)}")
        if parts:
            yield field, ",".join(parts)


def _allocated_cpus(step: Any) -> str:
    """The CPUs of a step, as a text; empty where they are not known."""
    resources = below(step, "tres", "allocated")
    for resource in resources if isinstance(resources, list) else ():
        if text_of(below(resource, "type")) == "cpu":
            return text_of(set_value(below(resource, "count")))
    return ""
