"""Tables of jobs as `squeue` prints them with a header in any format, and `sacct` with marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from engine.logs.sacct.request import request_of

_HEADS = {
    "JOBID": "JobId", "PARTITION": "Partition", "USER": "UserId", "ACCOUNT": "Account", "ST": "State",
    "STATE": "State", "TIME": "RunTime", "TIME_LIMIT": "TimeLimit", "TIMELIMIT": "TimeLimit",
    "TIME_LIMI": "TimeLimit", "CPUS": "NumCPUs", "NODES": "NumNodes", "NODELIST(REASON)": "Place",
    "NODELIST": "NodeList", "REASON": "Reason", "PRIORITY": "Priority", "FEATURES": "Features",
    "CONSTRAINTS": "Features", "ELAPSED": "RunTime", "REQCPUS": "NumCPUs", "REQNODES": "NumNodes",
    "REQTRES": "TRES", "SUBMIT": "SubmitTime", "START": "StartTime", "SUBMITLINE": "SubmitLine", "QOS": "QOS",
    "RESERVATION": "Reservation", "SUBMIT_TIME": "SubmitTime", "START_TIME": "StartTime",
    "DEPENDENCY": "Dependency", "TRES_ALLOC": "TRES", "ARRAY_JOB_ID": "ArrayJobId",
    "ARRAY_TASK_ID": "ArrayTaskId",
}  # fmt: skip
"""What `squeue` and `sacct` call the keys of `scontrol show job`."""

_OTHERS = {"NumCPUs": "NCPUS", "NumNodes": "NNODES"}
"""Where sacct prints what a job has, for output without what it asked for."""

_TOUCHING = re.compile("|".join(sorted((*_HEADS, "MIN_MEMORY", "NAME"), key=len, reverse=True)))
_LEAST_ALIGNED = 0.9


class JobTable(NamedTuple):
    """The rows of a table by keys of `scontrol show job`, and how many more could not be read.

    `notes` are on columns that it lacks, `printed` is the date above it, in s from 1970 as if it were UTC.
    """

    rows: list[dict[str, str]]
    odd: int
    notes: tuple[str, ...]
    printed: int | None


def split_date(text: str) -> tuple[str, int | None]:
    """The text without a date as `squeue -l` prints it above its table, and that date."""
    first, _, rest = text.partition("\n")
    try:
        date = datetime.strptime(" ".join(first.split()), "%a %b %d %H:%M:%S %Y")
    except ValueError:
        return text, None
    return rest.lstrip("\n"), round((date - datetime(1970, 1, 1)).total_seconds())


def read_job_table(text: str) -> JobTable:
    """The jobs of a table; steps, which have dots in their ids, are passed over."""
    text, printed = split_date(text)
    first, *lines = (line for line in text.split("\n") if line.strip())
    # A print with bars is parted at them, any other by the columns of its heads.
    mark = "|" if "|" in first else None
    starts = [] if mark else _starts(first, lines)
    names = _sliced(first, starts) if starts else first.split(mark)
    heads = [_HEADS.get(name, name) for name in (name.strip().upper() for name in names)]
    if heads.count("JobId") > 1:  # of %all: the first is that of the array
        once = heads.index("JobId")
        heads = ["" if head == "JobId" and k != once else head for k, head in enumerate(heads)]
    rows, odd = [], 0
    for line in lines:
        cells = _sliced(line, starts) if starts else _split(line, mark, heads)
        keys = dict(zip(heads, (cell.strip() for cell in cells), strict=False))
        if len(cells) != len(heads) or not keys.get("JobId"):
            odd += 1
        # A dot in the id marks a step of a job.
        elif "." not in keys["JobId"].partition("[")[0]:
            rows.append(_completed(keys))
    notes = []
    if not {"NumCPUs", "NCPUS"} & set(heads):
        notes.append("the print has no CPUs: each job counts with one CPU a node")
    if "TimeLimit" not in heads:
        notes.append("the print has no time limits: jobs count with that of their partition, or with 30 days")
    return JobTable(rows, odd, tuple(notes), printed)


def _starts(first: str, lines: Sequence[str]) -> list[int]:
    """Where the columns of `squeue -O` begin, which are padded to widths and may touch; else none."""
    if first[:1].isspace() or "  " not in first:
        return []
    starts: list[int] = []
    for match in re.finditer(r"\S+", first):
        own = list(_TOUCHING.finditer(match[0])) if match[0] not in _HEADS else []
        joined = len(own) > 1 and "".join(part[0] for part in own) == match[0]
        starts += [match.start() + part.start() for part in own] if joined else [match.start()]
    aligned = sum(
        all(line[at - 1 : at] in ("", " ") and not line[at : at + 1].isspace() for at in starts if at)
        for line in lines
    )
    return starts if aligned >= _LEAST_ALIGNED * max(len(lines), 1) else []


def _sliced(line: str, starts: Sequence[int]) -> list[str]:
    return [line[at:end] for at, end in zip(starts, (*starts[1:], None), strict=True)]


def _split(line: str, mark: str | None, heads: Sequence[str]) -> list[str]:
    """The cells of a line; a reason at its end, and the name of a job, may have blanks or marks in them."""
    cells = line.split(mark)
    if mark is None and heads[-1] in ("Place", "Reason") and len(cells) > len(heads):
        begin = max((k for k, cell in enumerate(cells) if cell.startswith("(")), default=len(heads) - 1)
        begin = max(begin, len(heads) - 1)
        cells = [*cells[:begin], " ".join(cells[begin:])]
    more = len(cells) - len(heads)
    if more > 0 and "NAME" in heads:
        at = heads.index("NAME")
        cells = [*cells[:at], (mark or " ").join(cells[at : at + more + 1]), *cells[at + more + 1 :]]
    return cells


def _completed(keys: dict[str, str]) -> dict[str, str]:
    """The keys of a job with those that follow from others."""
    place = keys.pop("Place", keys.get("NodeList", ""))
    keys |= {"Reason": place.strip("()")} if place.startswith("(") else {"NodeList": place}
    keys |= {key: keys[other] for key, other in _OTHERS.items() if other in keys and not keys.get(key)}
    array, task = keys.get("ArrayJobId", ""), keys.get("ArrayTaskId", "N/A")
    if array and task not in ("", "N/A") and "_" not in keys["JobId"]:
        keys["JobId"] = f"{array}_{task}" if task.isdigit() else f"{array}_[{task}]"
    asked = request_of(keys.get("SubmitLine", ""))
    if asked.nodes:
        keys |= {"NumNodes": str(asked.nodes), "MaxNodes": str(asked.most_nodes)}
    elif asked.tasks:
        keys |= {"MaxNodes": "0", "NtasksPerN:B:S:C": str(asked.tasks_per_node)}
    return keys
