"""Slurm's completed jobs as the plugins jobcomp/elasticsearch and kafka write them, an object a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from engine.logs.sacct.prints.job_table import tres_words
from engine.logs.sacct.rows import SlurmRows, records_of_rows, rows_of_texts
from engine.logs.text.clock_times import unix_time
from engine.logs.text.json_document import JsonText
from engine.machine.cluster import Cluster
from engine.trace.records import Records
from engine.trace.sentinels import NO_VALUES

_ROWS = 1 << 14  # that are converted at once
_TIMES = {"Submit": "@submit", "Eligible": "@eligible", "Start": "@start", "End": "@end"}
_TEXTS = {
    **{"State": "state", "User": "username", "Partition": "partition", "JobName": "job_name"},
    **{"Cluster": "cluster", "QOS": "qos", "NodeList": "nodes", "Reservation": "reservation_name"},
}
_NUMBERS = {"AllocCPUS": "total_cpus", "NNodes": "total_nodes", "Elapsed": "elapsed"}


def is_elastic(job: Mapping[str, Any]) -> bool:
    """True if an object is a completed job, as stored or with what Elasticsearch puts around it."""
    return {"jobid", "@submit", "@start", "@end"} <= set(_source(job))


def read_elastic(document: JsonText, machine: Cluster | None) -> Records:
    """The jobs of all documents, by the rules of the lines of `sacct --parsable2`."""
    return records_of_rows(document.path, elastic_rows(document), machine)


def elastic_rows(document: JsonText) -> Iterator[SlurmRows]:
    """The rows of all documents, a job each. Their times are in UTC, limits in s, and RAM in MiB."""
    jobs = document.jobs()
    while found := list(islice(jobs, _ROWS)):
        yield rows_of_texts([_fields(_source(job)) for _, job in found], [line for line, _ in found])


def _source(job: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object itself: what is exported of an index has it in `_source`."""
    inner = job.get("_source")
    return inner if isinstance(inner, dict) else job


def _fields(job: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a job as `sacct --parsable2` prints them."""
    limit = _whole(job.get("time_limit"))
    return {
        "JobID": _id(job),
        **{name: _time(_text(job, own)) for name, own in _TIMES.items()},
        **{name: _text(job, own) for name, own in _TEXTS.items()},
        **{name: _whole(job.get(own)) for name, own in _NUMBERS.items()},
        "Account": _text(job, "account") or _text(job, "groupname"),
        "Timelimit": f"0:0:{limit}" if limit else "",
        "ReqTRES": tres_words(_text(job, "tres_req")),
        "AllocTRES": tres_words(_text(job, "tres_alloc")),
    }


def _time(text: str) -> str:
    """A moment as seconds since 1970; empty for none."""
    moment = unix_time(text)
    return str(moment) if moment > 0 else ""


def _id(job: Mapping[str, Any]) -> str:
    """The id, with the task of an array: `12_3`."""
    array, task = _whole(job.get("array_job_id")), _whole(job.get("array_task_id"))
    return f"{array}_{task}" if array not in ("", "0") and task else _text(job, "jobid")


def _text(job: Mapping[str, Any], name: str) -> str:
    value = job.get(name)
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _whole(value: Any) -> str:
    """A whole number, also of a text; empty for others and for numbers that mean "none"."""
    text = str(value)
    valid = text.isascii() and text.isdigit() and len(text) < 16 and int(text) not in NO_VALUES
    return text if valid else ""
