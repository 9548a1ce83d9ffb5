"""JSON lists of rows of sacct or slurmdbd's job table, as pandas (`orient="records"`) and jq write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from engine.logs.sacct.job_fields import TIMES
from engine.logs.sacct.prints.dump import in_fields, marked_notes
from engine.logs.sacct.prints.fields import check_fields
from engine.logs.sacct.prints.heads import head_of_names, is_sacct
from engine.logs.sacct.prints.text import Marks, wanted_fields
from engine.logs.sacct.rows import SlurmRows, column_of, records_of_rows
from engine.logs.text.json_document import JsonText
from engine.machine.cluster import Cluster
from engine.trace.records import Records
from engine.trace.trace import Note

_ROWS = 1 << 14  # that are read at once
_MILLISECONDS = 100_000_000_000
"""Numbers beyond this are milliseconds, as pandas writes moments: seconds reach it in the year 5138."""

_MOMENTS = frozenset((*TIMES, "time_submit", "time_eligible", "time_start", "time_end"))


def is_row(job: Mapping[str, Any]) -> bool:
    """True if an object has fields of sacct or columns of the job table, with plain values."""
    if any(isinstance(value, dict) for value in job.values()):
        return False
    head = head_of_names(list(job) or ["?"], "")
    if "JobID" not in head.fields:
        return False
    cells = [cell_of(name, value) for name, value in zip(head.fields, job.values(), strict=True)]
    return head.table or is_sacct(head, [cells])


def read_rows(document: JsonText, machine: Cluster | None) -> Records:
    """The jobs of all documents, by the rules of the lines of `sacct --parsable2`. Raises InputError."""
    marks = Marks()
    taken = Note("sacct", "read as what sacct prints, or as slurmdbd's job table, by the names of values", 1)
    rows = table_rows(document, marks)
    return records_of_rows(document.path, rows, machine, notes=lambda: (*marked_notes(marks), taken))


def table_rows(document: JsonText, marks: Marks | None = None) -> Iterator[SlurmRows]:
    """The rows, both jobs and steps; an object may lack values that others have."""
    import pyarrow as pa

    marks, jobs = marks or Marks(), document.jobs()
    # Some thousand objects at a time become columns, whatever names each of them has.
    while rows := list(islice(jobs, _ROWS)):
        names = list(dict.fromkeys(name for _, row in rows for name in row))
        head = head_of_names(names, "")
        check_fields(document.path, head.fields, rows[0][0])
        wanted = wanted_fields(head)
        columns = {}
        # Objects keep the names of their JSON; the head has those of sacct.
        for name, own in zip(head.fields, names, strict=True):
            if name not in wanted:
                continue
            cells = [cell_of(name, row.get(own)).encode("utf-8", "surrogateescape") for _, row in rows]
            columns[name] = column_of(name, pa.array(cells, pa.binary()))
        yield in_fields(columns, np.array([line for line, _ in rows]), head, marks, 1.0)


def cell_of(name: str, value: Any) -> str:
    """A value of this field as sacct would print it; empty for none, and for lists and objects."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return ""
    if isinstance(value, float) and abs(value) < 2.0**53 and value == int(value):
        value = int(value)  # pandas writes integers as floats if others are missing
    if name in _MOMENTS and value >= _MILLISECONDS:
        value //= 1000
    return str(value)
