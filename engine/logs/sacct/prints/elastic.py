"""Slurm's completed jobs as the plugins jobcomp/elasticsearch and kafka write them, an object a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import InputError
from engine.logs.rows import JobRow, format_hosts, records_of_rows
from engine.logs.text.clock_times import unix_time
from engine.logs.text.json_document import JsonText
from engine.logs.text.slurm_words import UNKNOWN, status_of
from engine.machine.cluster import Cluster
from engine.slurm.values.host_list import expand_hosts
from engine.slurm.values.tres import tres_texts
from engine.trace.records import Records
from engine.trace.sentinels import NO_VALUES
from engine.trace.trace import MISSING

_CPU, _MEM, _GPUS = "1", "2", "gres/gpu"
"""Ids of trackable resources, which stand for their names here; those of GPUs differ from site to site."""

_MOST_NODES = 100_000


def is_elastic(job: Mapping[str, Any]) -> bool:
    """True if an object is a completed job, as stored or with what Elasticsearch puts around it."""
    return {"jobid", "@submit", "@start", "@end"} <= set(_source(job))


def read_elastic(document: JsonText, machine: Cluster | None) -> Records:
    """The jobs of all documents. Their times are in UTC, limits in s, and RAM in MiB."""
    rows = [_row(line, _source(job)) for line, job in document.jobs()]
    return records_of_rows(document.path, rows, machine, dated=False)


def _source(job: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object itself: what is exported of an index has it in `_source`."""
    inner = job.get("_source")
    return inner if isinstance(inner, dict) else job


def _row(line: int, job: Mapping[str, Any]) -> JobRow:
    submit, eligible, start, end = (
        unix_time(_text(job, f"@{name}")) for name in ("submit", "eligible", "start", "end")
    )
    asked, had = tres_texts(_text(job, "tres_req")), tres_texts(_text(job, "tres_alloc"))
    allocated = _whole(job.get("total_cpus"))
    status = status_of(_text(job, "state"))
    ran = 0 < start <= end
    return JobRow(
        line=line,
        job_id=_id(job),
        submit=submit,
        eligible=eligible,
        start=start if ran else MISSING,
        runtime=_runtime(start, end, _whole(job.get("elapsed"))) if ran else MISSING,
        end=end,
        walltime=_whole(job.get("time_limit")),
        procs=_whole(asked.get(_CPU)) if _whole(asked.get(_CPU)) > 0 else allocated,
        allocated=allocated,
        nodes=_whole(job.get("total_nodes")),
        ram=_whole(had.get(_MEM) or asked.get(_MEM)),
        gpus=max(0, _whole(had.get(_GPUS) or asked.get(_GPUS))),
        status=MISSING if status == UNKNOWN else status,
        user=_text(job, "username"),
        group=_text(job, "account") or _text(job, "groupname"),
        queue=_text(job, "partition"),
        executable=_text(job, "job_name"),
        hosts=_hosts(_text(job, "nodes")),
    )


def _runtime(start: int, end: int, elapsed: int) -> int:
    """The elapsed time, else the time from start to end."""
    return elapsed if elapsed > 0 else end - start


def _id(job: Mapping[str, Any]) -> str:
    """The id, with the task of an array: `12_3`."""
    array, task = _whole(job.get("array_job_id")), _whole(job.get("array_task_id"))
    return f"{array}_{task}" if array > 0 and task >= 0 else _text(job, "jobid")


def _hosts(text: str) -> str:
    """The nodes of a list; of their CPUs nothing is said."""
    if text.strip().lower() in ("", "(null)", "none assigned"):
        return ""
    try:
        return format_hosts(dict.fromkeys(expand_hosts(text, _MOST_NODES), 0))
    except InputError:
        return ""


def _text(job: Mapping[str, Any], name: str) -> str:
    value = job.get(name)
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _whole(value: Any) -> int:
    """A whole number, also as a text; MISSING for others and for numbers that mean "none"."""
    text = str(value)
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else MISSING
    return MISSING if number in NO_VALUES else number
