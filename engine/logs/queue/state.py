"""The queue at one moment, as `squeue`, `scontrol show job -o`, `sacct` and `qstat -f` print it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from engine.errors import InputError
from engine.input import first_bytes
from engine.logs.queue.parts import JobPart, job_parts
from engine.logs.queue.pbs import is_qstat, is_qstat_json, read_qstat, read_qstat_json
from engine.logs.queue.table import read_job_table, split_date
from engine.logs.text.lengths import seconds_of
from engine.machine.cluster import NodeGroup
from engine.slurm.values.amounts import amount_of
from engine.slurm.values.tres import amounts_of
from engine.trace.sentinels import NO_VALUE
from engine.words import clip, plural

MOST_JOBS = 200_000
_HEAD = 1 << 16  # bytes from which a file's kind is known
_MOST_GREETING = 40  # lines above a print, of a shell that greets who logs in
RUNNING, WAITING, HELD = "running", "waiting", "held"
"""Held jobs wait for something else than room: a user, a date, another job."""

NEW = "new"
"""The number of a job that is not submitted yet."""

_HOLDS = ("held", "dependency", "begintime", "jobhold", "deadline", "launchfailure", "badconstraints")
_STATES = {
    **dict.fromkeys(("R", "RUNNING", "CF", "CONFIGURING", "RS", "RESIZING", "SI", "SIGNALING"), RUNNING),
    **dict.fromkeys(("ST", "STOPPED"), RUNNING),  # its processors stay its own
    **dict.fromkeys(("PD", "PENDING", "RQ", "REQUEUED", "RF", "REQUEUE_FED"), WAITING),
    **dict.fromkeys(("RH", "REQUEUE_HOLD", "SE", "SPECIAL_EXIT"), HELD),
}
"""What of jobs that run or wait is printed; others have ended, or are suspended."""
CLUSTER_LINE = re.compile(r"^CLUSTER: ?(\S{1,200})[ \t]*$\n?", re.MULTILINE)
"""The line above the queue of a cluster, as `squeue -M` prints it."""

USED_VALUES = frozenset(
    (
        "account", "array_job_id", "array_max_tasks", "array_task_id", "array_task_string", "cluster",
        "cpus", "dependency", "features", "het_job_id", "het_job_offset", "job_id", "job_state",
        "max_nodes", "name", "node_count", "nodes", "partition", "priority", "qos", "resv_name",
        "start_time", "state_reason", "submit_time", "tasks_per_node", "time_limit", "tres_alloc_str",
        "tres_req_str", "user_id", "user_name",
    )
)  # fmt: skip
"""The values of a job of Slurm's JSON that are read, of some hundred."""

_FIELD = re.compile(r"(?:^|\s)([A-Z][\w/:]*)=(.*?)(?=\s[A-Z][\w/:]*=|$)")


@dataclass(frozen=True)
class QueuedJob:
    """A running or waiting job. Times in s: `elapsed` since its start, `waited` since its submission.

    `limit` is its time limit, None if it has none or it is unknown; `priority` likewise. `ram` is MiB a node.
    The CPUs of a `spread` job may lie on any number of nodes; other jobs asked for `nodes` to `most_nodes` of
    them. That is 0 of a job that asked for none, and None where the print does not tell. A task has the id of
    its `array`, of which at most `at_once` tasks may run at a time, if that is not 0; a part of a
    heterogeneous job has the id of that in `together`. It is not to begin before `begin`, s from now, nor
    before what its `dependency` says, as Slurm prints that.
    """

    job_id: str
    user: str
    account: str
    partition: str
    state: str
    reason: str
    elapsed: int
    waited: int
    limit: int | None
    cpus: int
    nodes: int
    ram: int
    gpus: int
    spread: bool
    node_list: str
    features: str
    priority: float | None
    qos: str = ""
    reservation: str = ""
    array: str = ""
    at_once: int = 0
    together: str = ""
    most_nodes: int | None = None
    name: str = ""
    dependency: str = ""
    begin: int = 0


@dataclass(frozen=True)
class QueueState:
    """The queue, its time in Unix seconds (None: unknown), and notes on what was not read.

    `clock` is that time by the site's own clock, as if it were UTC; None if the print has no dates.
    `dated`: the print itself says when it was made. `cluster` is the name of the cluster, if it is printed.
    """

    jobs: tuple[QueuedJob, ...]
    time: int | None
    notes: tuple[str, ...]
    clock: int | None = None
    dated: bool = False
    cluster: str = ""


def new_job(user: str, partition: str, limit: int, group: NodeGroup) -> QueuedJob:
    """A job that is submitted now, on as many nodes as the group has and with its resources on each.

    `limit` is its time limit in s; an empty partition is the site's default.
    """
    gpus = dict(group.extra).get("gpu", 0)
    return QueuedJob(
        NEW, user, "", partition, WAITING, "submitted now", 0, 0, limit,
        group.cpus * group.count, group.count, group.ram or 0, gpus, False, "", "", None,
    )  # fmt: skip


def clock_of(state: QueueState, zone: str = "") -> int | None:
    """The time of a queue by the site's clock, s from 1970 as if it were UTC; None if its time is unknown.

    Without dates in the print it is the time in a zone, or in that of this computer where none is named.
    Raises InputError for an unknown zone.
    """
    if state.clock is not None or state.time is None:
        return state.clock
    from engine.trace.wall_clock import zone_named  # it loads the compiler

    shown = datetime.fromtimestamp(state.time, zone_named(zone) if zone else None)
    return round((shown.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds())


def is_queue_print(path: Path) -> bool:
    """Whether a file is a printed queue, by its first bytes; False if it cannot be read."""
    head = CLUSTER_LINE.sub("", first_bytes(path, _HEAD).decode("utf-8", "replace")).lstrip()
    if head.startswith("{"):
        return '"job_state"' in head and ('"jobs"' in head or '"Jobs"' in head)
    first = split_date(head)[0].partition("\n")[0]
    if first.startswith("JobId="):
        return " JobName=" in first
    if is_qstat(head):
        return "job_state = " in head
    words = set(re.split(r"[\s|]+", first))
    return {"JOBID", "PARTITION"} <= words and bool(words & {"ST", "STATE"}) and "END" not in words


def without_greeting(text: str) -> tuple[str, int]:
    """The text from where a print begins, and how many lines are above; all of it if none begins soon."""
    at = 0
    for line in range(_MOST_GREETING):
        if _begins(text[at : at + _HEAD]):
            return text[at:], line
        at = text.find("\n", at) + 1
        if at == 0:
            break
    return text, 0


def _begins(text: str) -> bool:
    begin, _ = split_date(text)
    return begin.startswith(("{", "JobId=")) or is_qstat(begin) or _is_table(begin)


def _is_table(begin: str) -> bool:
    head = begin.split("\n", 1)[0].upper()
    of_sacct = {"JOBID", "STATE", "SUBMIT", "START"} <= set(head.split("|"))
    return of_sacct or ("JOBID" in head and "PARTITION" in head)


def greeted(state: QueueState, lines: int) -> QueueState:
    """The queue with a note on lines that are no part of its print."""
    if not lines:
        return state
    return replace(state, notes=(*state.notes, f"{plural(lines, 'line')} beside the queue passed over"))


def read_document(document: object, time: int | None) -> QueueState:
    """The queue of a JSON document, printed at `time` where it does not say when. Raises InputError."""
    if is_qstat_json(document):
        jobs, odd, total, stamp = read_qstat_json(cast("dict[str, object]", document), MOST_JOBS)
        return replace(_state([_job(*job) for job in jobs], stamp or time, odd, total), dated=bool(stamp))
    return _of_json(document, time)


def read_print(begin: str, time: int | None) -> QueueState:
    """The queue of a table or of records; `time` is as for `read_document`. Raises InputError."""
    if is_qstat(begin):
        jobs, odd, total = read_qstat(begin, time, MOST_JOBS)
        return _state([_job(*job) for job in jobs], time, odd, total)
    if begin.startswith("JobId="):
        return _of_scontrol(begin, time)
    if _is_table(split_date(begin)[0]):
        return _of_table(begin, time)
    raise InputError(
        f"{clip(begin.split(chr(10), 1)[0])!r} begins no queue: expected what `squeue --json`, `squeue`, "
        "`scontrol show job -o`, `sacct -P` or `qstat -f` prints"
    )


def _of_json(document: object, time: int | None) -> QueueState:
    rows = document.get("jobs") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(rows, list):
        raise InputError("this JSON has no list of jobs")
    own = int(_value(document.get("last_update")) or 0)
    # The file's own time counts before that of the print.
    now = own or time or 0
    jobs, odd = [], 0
    # A row that lacks something is left out and counted: the others are still a queue.
    for row in rows[:MOST_JOBS]:
        try:
            jobs.append(_json_job(row, now))
        except (AttributeError, TypeError, ValueError, KeyError):
            odd += 1
    state = _state([job for job in jobs if job.state], now or None, odd, len(rows))
    return replace(state, dated=bool(own))


def _json_job(row: Mapping[str, Any], now: int) -> QueuedJob:
    states = row["job_state"]
    start, submit = int(_value(row.get("start_time")) or 0), int(_value(row.get("submit_time")) or 0)
    minutes = _value(row.get("time_limit"))
    asked = str(row.get("tres_req_str") or row.get("tres_alloc_str") or "")
    state = _STATES.get(str(states[0] if isinstance(states, list) else states).upper(), "")
    return _job(
        {
            "JobId": _id_of(row),
            "UserId": str(row.get("user_name") or row.get("user_id", "")),
            "Account": str(row.get("account") or ""),
            "Partition": str(row.get("partition") or ""),
            "State": state,
            "Reason": str(row.get("state_reason") or ""),
            "TRES": asked,
            "NumCPUs": str(int(_value(row.get("cpus")) or 1)),
            "NumNodes": str(int(_value(row.get("node_count")) or 1)),
            "MaxNodes": "" if "max_nodes" not in row else str(int(_value(row["max_nodes"]) or 0)),
            "NtasksPerN:B:S:C": str(int(_value(row.get("tasks_per_node")) or 0)),
            "NodeList": str(row.get("nodes") or ""),
            "Features": str(row.get("features") or ""),
            "Priority": str(_value(row.get("priority")) or ""),
            "QOS": str(row.get("qos") or ""),
            "Reservation": str(row.get("resv_name") or ""),
            "JobName": str(row.get("name") or ""),
            "Dependency": str(row.get("dependency") or ""),
            # The start time of a job that waits is the begin that it asked for or was promised.
            "Begin": str(max(start - now, 0)) if state == WAITING else "",
        },
        max(now - start, 0) if state == RUNNING and start else 0,
        max(now - submit, 0) if submit else 0,
        None if minutes is None else int(minutes) * 60,
    )


def _id_of(row: Mapping[str, Any]) -> str:
    """The id of a job of Slurm's JSON, as squeue prints it without."""
    array, het = _value(row.get("array_job_id")), _value(row.get("het_job_id"))
    if het:
        return f"{int(het)}+{int(_value(row.get('het_job_offset')) or 0)}"
    if not array:
        return str(row["job_id"])
    task, waiting = _value(row.get("array_task_id")), str(row.get("array_task_string") or "")
    if waiting:
        most = int(_value(row.get("array_max_tasks")) or 0)
        return f"{int(array)}_[{waiting.partition('%')[0]}{f'%{most}' if most else ''}]"
    return str(row["job_id"]) if task is None else f"{int(array)}_{int(task)}"


def _value(entry: Any) -> Any:
    """A number of Slurm's JSON, which may be wrapped with whether it is set; None where it is not.

    None too of what no count or time can be: less than nothing, not a number, or from the two numbers on by
    which Slurm means no value and no limit.
    """
    if isinstance(entry, dict):
        if entry.get("infinite") or entry.get("set") is False:
            return None
        entry = entry.get("number")
    if not isinstance(entry, int | float) or isinstance(entry, bool) or not 0 <= entry < NO_VALUE:
        return None
    return entry


def _of_scontrol(text: str, time: int | None) -> QueueState:
    rows, odd = [], 0
    for line in text.split("\n"):
        keys = dict(_FIELD.findall(line))
        if "JobId" in keys:
            keys["JobId"] = _id_in(keys)
            user, tres = keys.get("UserId", "").partition("(")[0], keys.get("ReqTRES") or keys.get("TRES", "")
            # It prints a range of nodes where nodes were asked for: `-N 2` as 2-2.
            least, ranged, most = keys.get("NumNodes", "").partition("-")
            own = {"UserId": user, "TRES": tres, "NumNodes": least, "MaxNodes": most if ranged else "0"}
            rows.append({**keys, **own, "State": keys.get("JobState", "")})
        else:
            odd += bool(line.strip())
    return _of_rows(rows, time, odd)


def _id_in(keys: Mapping[str, str]) -> str:
    """The id of a job of scontrol, as squeue prints it."""
    array, task = keys.get("ArrayJobId", ""), keys.get("ArrayTaskId", "")
    if "HetJobId" in keys:
        return f"{keys['HetJobId']}+{keys.get('HetJobOffset', '0')}"
    if not array or not task:
        return keys["JobId"]
    if task.isdigit():
        return f"{array}_{task}"
    most = keys.get("ArrayTaskThrottle", "")
    return f"{array}_[{task if '%' in task or not most else f'{task}%{most}'}]"


def _of_rows(rows: list[dict[str, str]], time: int | None, odd: int) -> QueueState:
    """The jobs of a print that run or wait; those that ended are passed over.

    `rows` have the keys of `scontrol show job`, `odd` is how many more could not be read. `time` is when it
    was printed where no running job tells.
    """
    now, clock = time, None
    for keys in rows:  # a running job shows the time of printing, on the same clock as all dates
        start, elapsed = _date(keys.get("StartTime", "")), _length(keys.get("RunTime", ""))
        if _state_of(keys) == RUNNING and start is not None and elapsed is not None:
            now = clock = start + elapsed
            break
    jobs = []
    for keys in rows[:MOST_JOBS]:
        if state := _state_of(keys):
            elapsed = _length(keys.get("RunTime", "")) if state == RUNNING else 0
            submit = _date(keys.get("SubmitTime", ""))
            waited = max(now - submit, 0) if now is not None and submit is not None else 0
            limit = _length(keys.get("TimeLimit", ""))
            start = _date(keys.get("StartTime", "")) if state == WAITING else None
            begin = str(max(start - now, 0)) if start is not None and now is not None else ""
            jobs.append(_job({**keys, "State": state, "Begin": begin}, elapsed or 0, waited, limit))
    return replace(_state(jobs, now, odd, len(rows) + odd), clock=clock, dated=clock is not None)


def _state_of(keys: Mapping[str, str]) -> str:
    """Whether a job runs or waits; empty where it ended."""
    return _STATES.get(keys.get("State", "").upper(), "")


def _of_table(text: str, time: int | None) -> QueueState:
    """What squeue prints with a header, or sacct of jobs that wait and run beside others.

    Where dates are printed, these are of one clock, by which running jobs show when this was printed.
    """
    table = read_job_table(text)
    state = _of_rows(table.rows, time if table.printed is None else table.printed, table.odd)
    clock = table.printed if state.clock is None else state.clock
    return replace(state, notes=(*state.notes, *table.notes), clock=clock, dated=clock is not None)


def _job(keys: Mapping[str, str], elapsed: int, waited: int, limit: int | None) -> QueuedJob:
    tres = amounts_of(keys.get("TRES", ""))
    nodes = max(tres.get("node", 0) or _number(keys.get("NumNodes", "").partition("-")[0]) or 1, 1)
    cpus = max(tres.get("cpus", 0) or _number(keys.get("NumCPUs", "").partition("-")[0]) or nodes, 1)
    reason = keys.get("Reason", "")
    state = keys["State"]
    dependency = _given(keys.get("Dependency", ""))
    # StartTime of a waiting job is Slurm's own plan, unless the job must not begin before a date.
    begin = _number(keys.get("Begin", "")) if "begin" in reason.lower() else 0
    if state == WAITING and _is_held(reason.lower().replace("_", ""), dependency, begin):
        state = HELD
    priority = keys.get("Priority", "")
    if state == WAITING and priority == "0":
        state = HELD
    features = keys.get("Features", "")
    places = keys.get("NodeList", "")
    gpus = tres.get("gpu", 0) // nodes
    # A request by nodes has a largest number of them, or tasks per node; `-n 20` has neither.
    tasks, most = keys.get("NtasksPerN:B:S:C", "").split(":")[0], keys.get("MaxNodes", "")
    bound = _number(most) > 0 or tasks not in ("0", "")
    return QueuedJob(
        job_id=keys["JobId"],
        user=keys.get("UserId", ""),
        account=keys.get("Account", ""),
        partition=keys.get("Partition", ""),
        state=state,
        reason=reason,
        elapsed=elapsed,
        waited=waited,
        limit=limit,
        cpus=cpus,
        nodes=nodes,
        ram=tres.get("ram", 0) // nodes,
        gpus=gpus,
        spread=not (bound or gpus),
        node_list="" if places.lower() in ("(null)", "n/a", "none assigned") else places,
        features="" if features in ("(null)", "N/A") else features,
        priority=float(priority) if re.fullmatch(r"\d{1,18}(\.\d{1,18})?", priority, re.ASCII) else None,
        qos=_given(keys.get("QOS", "")),
        reservation=_given(keys.get("Reservation", "")),
        most_nodes=max(_number(most), nodes if bound else 0) if most else None,
        name=_given(keys.get("JobName") or keys.get("NAME", "")),
        dependency=dependency,
        begin=begin,
    )


def _is_held(reason: str, dependency: str, begin: int) -> bool:
    """Whether nothing tells when a job may start: a dependency and a date do where they are printed."""
    holds = [word for word in _HOLDS if word in reason]
    if "never" in reason or not holds:
        return bool(holds)
    return not (dependency if holds == ["dependency"] else begin if holds == ["begintime"] else "")


def _state(jobs: list[QueuedJob], time: int | None, unread: int, total: int) -> QueueState:
    """The queue of a print of `total` jobs; those without a number count among the `unread`."""
    numbered = [job for job in jobs if job.job_id]
    unread += len(jobs) - len(numbered)
    notes = [f"{unread:,} of {total:,} jobs could not be read"] if unread else []
    parts, cut = job_parts([(job.job_id, job.state == WAITING) for job in numbered], MOST_JOBS)
    jobs, notes = [_part(numbered[part.line], part) for part in parts], notes + cut
    if total > MOST_JOBS:
        notes.append(f"of {total:,} jobs the first {MOST_JOBS:,} are read")
    return QueueState(tuple(jobs), time, tuple(notes))


def _part(job: QueuedJob, part: JobPart) -> QueuedJob:
    return replace(job, job_id=part.job_id, array=part.array, at_once=part.at_once, together=part.together)


def _given(text: str) -> str:
    """A name; empty where Slurm prints that there is none."""
    return "" if text.lower() in ("(null)", "n/a", "none") else text


def _number(text: str) -> int:
    """A whole number, as `12`, or `2K` for 2,048; 0 of anything else."""
    return int(amount_of(text) or 0) if re.fullmatch(r"\d{1,12}[KkMm]?", text, re.ASCII) else 0


def _length(text: str) -> int | None:
    """Seconds of `1-02:03:04`, `2:03:04` or `3:04`; None of UNLIMITED and of what is no length."""
    return seconds_of(text) if ":" in text else None


def _date(text: str) -> int | None:
    """A local date in s from 1970, as if it were UTC; None of Unknown and the like."""
    try:
        return round((datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
