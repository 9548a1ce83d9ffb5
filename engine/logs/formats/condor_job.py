"""Conversion of a job ad of HTCondor to a job."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.limits import MAX_DURATION, MAX_NODES
from engine.logs.rows import WHOLE_BY_TASKS, JobRow, format_hosts
from engine.logs.text.json_document import number_of, text_of
from engine.trace.status import CANCELLED, COMPLETED, FAILED
from engine.trace.trace import MISSING

Ad = Mapping[str, Any]
"""The attributes of a job by their names in small letters, as ClassAds take letters of any case."""

_RUNNING, _REMOVED, _COMPLETED = 2, 3, 4  # values of JobStatus
_PARALLEL = 11  # a value of JobUniverse
_LIMITS = {
    "allowedjobduration": 1,
    "allowedexecuteduration": 1,
    "batchruntime": 1,
    "maxruntime": 1,
    "requestruntime": 1,
    "maxwalltimemins": 60,
}
"""Attributes with a time limit, and their unit in s: those of HTCondor, then common ones of sites."""

_ALONE = ("requireswholemachine", "wantwholenode")
"""Attributes by which sites let a job have its machine for itself, as HTCondor has no own."""

_GAP = 60
"""s; a job that held machines for this much less than from its first start to its end ran repeatedly."""


def job_of(line: int, job_id: str, ad: Ad) -> tuple[JobRow, bool]:
    """The job of an ad, and True if it ran more than once: its last run counts.

    It waits from QDate on. RAM is the request on each host, if that is a number, otherwise the provided RAM,
    otherwise the maximum used. A job that requests no number of CPUs has the provided number, or 1.
    """
    start, runtime, restarted = _last_run(ad)
    hosts = _hosts(ad)
    # Only jobs of the parallel universe run on several hosts; in others MaxHosts means nothing.
    copies = max(_whole(ad, "maxhosts"), len(hosts), 1) if _whole(ad, "jobuniverse") == _PARALLEL else 1
    provided = _whole(ad, "cpusprovisioned")
    cpus = _first(_whole(ad, "requestcpus"), provided, _whole(ad, "machineattrcpus0"), 1)
    ram = _first(
        math.ceil(_number(ad, "requestmemory")),
        math.ceil(_number(ad, "memoryprovisioned")),
        math.ceil(_number(ad, "residentsetsize") / 1024),
    )
    # What was asked for goes before what the job was given.
    gpus = _first(_whole(ad, "requestgpus"), _whole(ad, "gpusprovisioned"))
    row = JobRow(
        line=line,
        job_id=job_id,
        submit=_whole(ad, "qdate"),
        start=start,
        runtime=runtime,
        walltime=_first(*(_limit(ad, name, unit) for name, unit in _LIMITS.items())),
        procs=cpus * copies,
        allocated=provided * copies if provided > 0 else MISSING,
        nodes=copies if copies > 1 else MISSING,
        ram=ram * copies if ram > 0 else MISSING,
        gpus=max(gpus, 0) * copies,
        whole=(len(hosts) or WHOLE_BY_TASKS) if any(ad.get(name) is True for name in _ALONE) else 0,
        status=_status(ad),
        user=text_of(ad.get("owner")) or text_of(ad.get("user")).partition("@")[0],
        group=_group(ad),
        executable=text_of(ad.get("cmd")),
        hosts=format_hosts(dict.fromkeys(hosts, 0)),
    )
    return row, restarted


def _last_run(ad: Ad) -> tuple[int, int, bool]:
    """Start and runtime of the last run, MISSING without one, and whether there were earlier runs."""
    first, current = _whole(ad, "jobstartdate"), _whole(ad, "jobcurrentstartdate")
    start, end = _first(current, first), _whole(ad, "completiondate")
    starts = _first(_whole(ad, "numjobstarts"), _whole(ad, "numshadowstarts"), 1)
    last, total = (_length(ad, name) for name in ("lastremotewallclocktime", "remotewallclocktime"))
    restarted = starts > 1 or 0 < first < current
    if start <= 0:
        return MISSING, MISSING, False
    if _whole(ad, "jobstatus") not in (_REMOVED, _COMPLETED):
        return start, MISSING, restarted
    if end >= start and (_whole(ad, "jobstatus") == _COMPLETED or last <= 0):
        if current <= 0 < total < end - start - _GAP:  # only the first start is known
            return end - total, total, True
        return start, end - start, restarted
    if last > 0 or (total > 0 and not restarted):
        return start, last if last > 0 else total, restarted
    left = _whole(ad, "enteredcurrentstatus")
    if _whole(ad, "lastjobstatus") == _RUNNING and left > start:
        return start, left - start, restarted
    return start, MISSING, restarted


def _status(ad: Ad) -> int:
    code = _whole(ad, "jobstatus")
    if code == _REMOVED:
        return CANCELLED
    if code != _COMPLETED:
        return MISSING
    exits = (ad.get(name) for name in ("exitcode", "exitstatus"))
    found = next((value for value in exits if isinstance(value, int | float)), 0)
    return FAILED if found or ad.get("exitbysignal") is True else COMPLETED


def _group(ad: Ad) -> str:
    """The accounting group, without the user after it (`physics.ann`)."""
    own = text_of(ad.get("acctgroup"))
    if own:
        return own
    group, dot, user = text_of(ad.get("accountinggroup")).rpartition(".")
    return group if dot and user == text_of(ad.get("owner")) else f"{group}{dot}{user}"


def _hosts(ad: Ad) -> list[str]:
    """The machines of slots like `slot1_2@c7.site.org`, each once."""
    slots = text_of(ad.get("allremotehosts")).split(",", MAX_NODES)
    host = text_of(ad.get("lastremotehost")) or text_of(ad.get("remotehost"))
    names = (slot.rpartition("@")[2].strip() for slot in (slots if slots != [""] else [host]))
    return list(dict.fromkeys(name for name in names if name))


def _first(*values: int) -> int:
    """The first positive value, or MISSING."""
    return next((value for value in values if value > 0), MISSING)


def _number(ad: Ad, name: str) -> float:
    return number_of(ad.get(name))


def _whole(ad: Ad, name: str) -> int:
    """The integer value of an attribute, rounded down; MISSING if it has none."""
    return math.floor(number_of(ad.get(name)))


def _limit(ad: Ad, name: str, unit: int) -> int:
    """Seconds of a limit, rounded up; MISSING for a limit longer than any job can last."""
    seconds = math.ceil(_number(ad, name) * unit)
    return seconds if seconds <= MAX_DURATION else MISSING


def _length(ad: Ad, name: str) -> int:
    """Seconds, rounded up."""
    return min(math.ceil(number_of(ad.get(name))), MAX_DURATION + 1)
