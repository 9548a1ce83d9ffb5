"""What the jobs of a session were, by the tables of slurmdbd's database alone."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

MISSING = -1
_NO_NUMBER = (4294967294, 4294967295)
_STATES = (
    *("PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL"),
    *("PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY"),
)
_ENDED = {"COMPLETED": 1, "CANCELLED": 5, "FAILED": 0, "TIMEOUT": 0, "NODE_FAIL": 0, "PREEMPTED": 0,
          "DEADLINE": 0, "OUT_OF_MEMORY": 0, "REQUEUED": 5}  # fmt: skip
"""How the Standard Workload Format numbers the ways to end; a run that was requeued counts as cancelled."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """A row of the job table: times in s since 1970, RAM in MiB; MISSING for what was not."""

    job_id: str  # as sacct prints it
    submit: int
    eligible: int
    start: int
    end: int
    runtime: int
    walltime: int
    asked: int
    allocated: int
    nodes: int
    ram: int
    gpus: int
    status: int
    state: str
    user: str
    account: str
    partition: str
    name: str
    qos: str
    qos_id: str
    priority: int
    hosts: tuple[str, ...]
    ran: bool
    cpu: float  # s of CPU time of all steps
    max_rss: int  # MiB of the largest task
    total_ram: int  # MiB of the step that used most
    order: int = 0
    parts: tuple[Run, ...] = field(default=())


def read_table(path: Path) -> list[Row]:
    """The rows of a table: whole numbers, floats and texts by the names of their columns."""
    table = json.loads(path.read_text())
    kinds = [_kind(kind) for kind in table["types"].values()]
    return [
        {
            name: None if cell is None else read(cell)
            for name, read, cell in zip(table["types"], kinds, row, strict=True)
        }
        for row in table["rows"]
    ]


def _kind(kind: str) -> Callable[[str], Any]:
    return int if kind.endswith("int") else float if kind == "double" else str


def runs(folder: Path) -> list[Run]:
    """All rows of the job table, in its order."""
    users = {row["id_assoc"]: row for row in read_table(folder / "loop_assoc_table.json")}
    qos = {row["id"]: row["name"] for row in read_table(folder / "qos_table.json")}
    tres = {
        row["id"]: f"{row['type']}/{row['name']}".strip("/") for row in read_table(folder / "tres_table.json")
    }
    steps: dict[int, list[Row]] = defaultdict(list)
    for step in read_table(folder / "loop_step_table.json"):
        steps[step["job_db_inx"]].append(step)
    return [
        _run(row, users[row["id_assoc"]]["user"], qos.get(row["id_qos"], ""), tres, steps[row["job_db_inx"]])
        for row in read_table(folder / "loop_job_table.json")
        if not row["deleted"]
    ]


def _run(row: Row, user: str, qos: str, tres: dict[int, str], steps: list[Row]) -> Run:
    # The state is a number with flags; a run that was queued again has its own flag.
    state = "REQUEUED" if row["state"] & 0x400 else _STATES[row["state"] & 0xFF]
    # A start alone is no run: a job must have had nodes too.
    ran = row["time_start"] > 0 and row["nodelist"] not in ("", "None assigned", None)
    held = _amounts(row["tres_alloc"], tres)
    wanted = _amounts(row["tres_req"], tres)
    limit = row["timelimit"]
    usage = [_amounts(step["tres_usage_in_max"], tres).get("mem", 0) for step in steps]
    totals = [_amounts(step["tres_usage_in_tot"], tres).get("mem", 0) for step in steps]
    cpu = sum(
        step["user_sec"] + step["sys_sec"] + (step["user_usec"] + step["sys_usec"]) / 1e6 for step in steps
    )
    return Run(
        job_id=_id(row),
        # Numbers that the database has for "no number".
        submit=row["time_submit"],
        eligible=MISSING if row["time_eligible"] in _NO_NUMBER else row["time_eligible"],
        start=row["time_start"],
        end=row["time_end"],
        runtime=row["time_end"] - row["time_start"] - row["time_suspended"] if ran else 0,
        walltime=MISSING if limit in (0, *_NO_NUMBER) else limit * 60,
        asked=row["cpus_req"],
        allocated=held.get("cpu", MISSING),
        nodes=row["nodes_alloc"] if ran else 0,
        ram=held.get("mem", 0) or wanted.get("mem", MISSING),
        gpus=held.get("gres/gpu", 0) or wanted.get("gres/gpu", 0),
        status=_ENDED.get(state, MISSING),
        state=state,
        user=user,
        account=row["account"] or "",
        partition=row["partition"] or "",
        name=row["job_name"] or "",
        qos=qos,
        qos_id=str(row["id_qos"]),
        priority=row["priority"],
        hosts=hosts(row["nodelist"]) if ran else (),
        ran=ran,
        cpu=cpu,
        max_rss=-(-max(usage, default=0) // (1 << 20)),
        total_ram=-(-max(totals, default=0) // (1 << 20)),
        order=row["job_db_inx"],
    )


def _id(row: Row) -> str:
    if row["id_array_job"]:
        task = row["id_array_task"]
        return f"{row['id_array_job']}_{task if task not in _NO_NUMBER else _tasks(row['array_task_str'])}"
    if row["het_job_id"]:
        return f"{row['het_job_id']}+{row['het_job_offset']}"
    return str(row["id_job"])


def _tasks(bits: str) -> str:
    """`[1-3,7]` of `0x8E`."""
    found = [k for k in range(4 * len(bits)) if int(bits, 16) >> k & 1]
    if len(found) > 2 and len(steps := {b - a for a, b in pairwise(found)}) == 1 and steps != {1}:
        return f"[{found[0]}-{found[-1]}:{steps.pop()}]"
    spans: list[list[int]] = []
    for task in found:
        if spans and spans[-1][1] == task - 1:
            spans[-1][1] = task
        else:
            spans.append([task, task])
    return "[" + ",".join(f"{low}-{high}" if high > low else str(low) for low, high in spans) + "]"


def _amounts(text: str | None, names: dict[int, str]) -> dict[str, int]:
    pairs = (part.split("=") for part in (text or "").split(",") if part)
    return {names[int(key)]: int(value) for key, value in pairs if int(value) < 1 << 62}


def hosts(text: str) -> tuple[str, ...]:
    """The nodes of a list, sorted."""
    found = []
    for part in re.findall(r"[^,\[]+(?:\[[^]]*\])?", text):
        name, _, ranges = part.partition("[")
        for interval in ranges.rstrip("]").split(",") if ranges else ():
            low, _, high = interval.partition("-")
            found += [f"{name}{k:0{len(low)}}" for k in range(int(low), int(high or low) + 1)]
        if not ranges:
            found.append(name)
    return tuple(sorted(found))


def jobs(folder: Path, every_run: bool, all_rows: bool = False) -> dict[str, Run]:
    """Jobs by their ids: of several runs the last that ran, and of heterogeneous jobs all parts as one.

    Without `every_run` those that sacct prints without `-D`: the last row of each id. Without `all_rows` what
    sacct never prints is left out: jobs that ended before they could run at all.
    """
    last: dict[str, Run] = {}
    printed = int((folder / "printed").read_text())
    kept = [run for run in runs(folder) if all_rows or run.ran or 0 < run.eligible <= printed]
    # Later rows of an id replace earlier ones; with `every_run` one that did not run replaces none that did.
    for run in sorted(kept, key=lambda run: (run.submit, run.order)):
        known = last.get(run.job_id)
        if known is None or not every_run or run.ran or not known.ran:
            last[run.job_id] = run
    # Parts of a heterogeneous job have ids like 12+0 and are joined to one.
    whole: dict[str, Run] = {}
    parts: dict[str, list[Run]] = defaultdict(list)
    for key, run in last.items():
        first, plus, _ = key.partition("+")
        if plus:
            parts[first].append(run)
        else:
            whole[key] = run
    for key, found in parts.items():
        whole[key] = _joined(key, found)
    return whole


def _joined(key: str, parts: list[Run]) -> Run:
    first = min(parts, key=lambda run: int(run.job_id.partition("+")[2]))
    changed: dict[str, Any] = {
        name: sum(max(getattr(part, name), 0) for part in parts)
        for name in ("asked", "allocated", "ram", "gpus", "cpu")
    }
    values = {name: getattr(first, name) for name in Run.__dataclass_fields__}
    values |= changed | {
        "job_id": key,
        "nodes": 0,  # each part has its own number, and two parts may be on the same node
        "runtime": max(part.runtime for part in parts),
        "end": max(part.end for part in parts),
        "max_rss": max(part.max_rss for part in parts),
        "total_ram": sum(part.total_ram for part in parts),
        "hosts": tuple(sorted(host for part in parts for host in part.hosts)),
        "parts": tuple(parts),
    }
    return Run(**values)
