"""Slurm's accounting as `sacct --json` prints it, in the fields of sacct's other formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.limits import MAX_TIME
from engine.logs.sacct.job_fields import ARRAY_LIMIT
from engine.logs.sacct.prints.json_steps import cpu_times, step_fields
from engine.logs.sacct.rows import SlurmRows, records_of_rows, rows_of_texts
from engine.logs.text.json_document import JsonText, below, number_of, set_value, text_of
from engine.logs.text.slurm_words import format_tasks
from engine.machine.cluster import Cluster
from engine.trace.records import Records
from engine.trace.sentinels import NO_VALUES

_ROWS = 1 << 14  # that are converted at once
_TIMES = {"Submit": "submission", "Eligible": "eligible", "Start": "start", "End": "end"}
_PER_CPU = 1 << 63  # what older versions mark an amount of each CPU with


def is_sacct(job: Mapping[str, Any]) -> bool:
    """True if this is a job of Slurm's accounting."""
    return "job_id" in job and "time" in job


def read_sacct(document: JsonText, machine: Cluster | None) -> Records:
    """The jobs of all documents, read by the same rules as the lines of `sacct --parsable2`."""
    return records_of_rows(document.path, sacct_rows(document), machine)


def sacct_rows(document: JsonText) -> Iterator[SlurmRows]:
    """The rows of all documents: each job, and then its steps, which stand within it."""
    texts: list[Mapping[str, str]] = []
    lines: list[int] = []
    for line, job in document.jobs():
        own = _fields(job)
        steps = list(step_fields(own["JobID"], job.get("steps")))
        texts += [own, *steps]
        lines += [line] * (1 + len(steps))
        # Some thousand rows become columns at once.
        if len(texts) >= _ROWS:
            yield rows_of_texts(texts, lines)
            texts, lines = [], []
    if texts:
        yield rows_of_texts(texts, lines)


def _fields(job: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a job as `sacct --parsable2` prints them."""
    # What the job lacks is looked up in its association.
    owner = job.get("association")
    allocated, requested = (_tres(below(job, "tres", name)) for name in ("allocated", "requested"))
    # Newer versions print a list of flags, of which the first is the state.
    state = below(job, "state", "current")
    return {
        "JobID": _job_id(job),
        **{name: _time(below(job, "time", own)) for name, own in _TIMES.items()},
        **cpu_times(job),
        "Cluster": text_of(job.get("cluster")) or text_of(below(owner, "cluster")),
        "Partition": text_of(job.get("partition")) or text_of(below(owner, "partition")),
        "QOS": text_of(job.get("qos")),
        "Account": text_of(job.get("account")) or text_of(below(owner, "account")),
        "Group": text_of(job.get("group")),
        "User": text_of(job.get("user")) or text_of(below(owner, "user")),
        "Elapsed": text_of(below(job, "time", "elapsed")),
        "State": text_of(state[0] if isinstance(state, list) and state else state),
        "NNodes": text_of(job.get("allocation_nodes")),
        # Allocated processors are in the TRES alone.
        "NCPUS": allocated.get("cpu", ""),
        "AllocCPUS": "",
        "ReqCPUS": text_of(set_value(below(job, "required", "CPUs"))),
        "ReqMem": _memory(job.get("required"), requested.get("mem", "")),
        "ReqTRES": _formatted(requested),
        "AllocTRES": _formatted(allocated),
        "Timelimit": text_of(set_value(below(job, "time", "limit"))),
        "NodeList": text_of(job.get("nodes")),
        "SubmitLine": text_of(job.get("submit_line")),
        "JobName": text_of(job.get("name")),
        "Reason": text_of(below(job, "state", "reason")),
        "Priority": text_of(set_value(job.get("priority"))),
        "Constraints": text_of(job.get("constraints")),
        "Suspended": text_of(set_value(below(job, "time", "suspended"))),
        **({"ConsumedEnergyRaw": allocated["energy"]} if allocated.get("energy") else {}),
        ARRAY_LIMIT: text_of(below(job, "array", "limits", "max", "running", "tasks")),
        "Reservation": _name(below(job, "reservation", "name")),
    }


def _job_id(job: Mapping[str, Any]) -> str:
    """`12`, `12_7` of an array, `12_[8-9]` for the rest of an array, `12+1` of a heterogeneous job."""
    number = job.get("job_id")
    # Also a number that means "no value" elsewhere names a job.
    number = str(number) if isinstance(number, int) and number in NO_VALUES else text_of(number)
    array, het = text_of(below(job, "array", "job_id")), text_of(below(job, "het", "job_id"))
    task = text_of(set_value(below(job, "array", "task_id")))
    rest = text_of(below(job, "array", "task"))
    offset = text_of(set_value(below(job, "het", "job_offset")))
    if array not in ("", "0") and (task or rest):
        return f"{array}_{task or format_tasks(rest)}"
    return f"{het}+{offset}" if het not in ("", "0") and offset else number


def _name(value: Any) -> str:
    """A name; some versions write the number 0 for none."""
    return text_of(value) if isinstance(value, str) else ""


def _memory(required: Any, total: str) -> str:
    """ReqMem: the `total` if it is given, otherwise `1000Mc` per CPU or `1000Mn` per node."""
    if total not in ("", "0M"):
        return total
    # Newer versions have a field for each way to ask; older versions mark the way in the number.
    for name, per in (("memory_per_cpu", "c"), ("memory_per_node", "n")):
        amount = number_of(set_value(below(required, name)))
        if amount > 0:
            return f"{int(amount)}M{per}"
    old = below(required, "memory")
    amount = old if isinstance(old, int) else 0
    return f"{amount - _PER_CPU}Mc" if amount >= _PER_CPU else f"{amount}Mn" if amount > 0 else ""


def _tres(resources: Any) -> dict[str, str]:
    """Amounts by name, as in `cpu`, `mem` and `gres/gpu:a100`; memory with its unit."""
    found = {}
    for resource in resources if isinstance(resources, list) else ():
        kind, name = text_of(below(resource, "type")), text_of(below(resource, "name"))
        count = text_of(set_value(below(resource, "count")))
        found[f"{kind}/{name}" if name else kind] = f"{count}M" if kind == "mem" and count else count
    return found


def _formatted(tres: Mapping[str, str]) -> str:
    return ",".join(f"{name}={count}" for name, count in tres.items())


def _time(value: Any) -> str:
    """A moment as seconds since 1970; empty for none."""
    time = number_of(set_value(value))
    return str(int(time)) if 0 < time <= MAX_TIME else "" if time <= 0 else text_of(time)
