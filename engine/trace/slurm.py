"""Slurm's accounting as `sacct --parsable2` and `-p` print it: `JobID|State|...`, a job or a step a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.trace.delimited import read_blocks
from engine.trace.files import Progress
from engine.trace.records import Records
from engine.trace.slurm_fields import check_fields, first_lines, given_fields, guess_fields, header_fields
from engine.trace.slurm_jobs import TEXTS, TIMES, records_of
from engine.trace.slurm_rows import SlurmRows, jobs_of, rows_of
from engine.trace.slurm_usage import USAGE
from engine.trace.trace import Note


def is_slurm(head: bytes) -> bool:
    """Whether a file that begins like this holds lines of `sacct`."""
    lines = first_lines(head)
    return any(header_fields(line) for line in lines[:1]) or guess_fields(lines) is not None


def read_slurm(
    path: Path,
    text: NDArray[np.uint8],
    machine: Cluster | None,
    progress: Progress | None = None,
    given: str = "",
) -> Callable[[], Records]:
    """What makes the records of such a file, and needs its text no more.

    `machine` is the one that its nodes belong to, else one is derived. The fields are those that
    are `given`, as a person spells them, else those that the first line names; without such a line they are
    guessed from LAYOUTS. Raises InputError where fields are lacking.
    """
    head = text[: 1 << 16].tobytes()
    lines = first_lines(head)
    fields = header_fields(lines[0]) if lines else ()
    skip = head.count(b"\n", 0, len(head) - len(head.lstrip())) + 1 if fields else 0
    guessed = not fields and not given
    if given:
        fields = given_fields(path, given, lines)
    elif guessed:
        fields = guess_fields(lines) or ()
    check_fields(path, fields)
    note = Note("fields_guessed", f"no line names the fields, taken for: {', '.join(fields)}", int(guessed))
    jobs = jobs_of(_rows(text, fields, skip), len(fields), (note,), progress)
    return partial(records_of, path, jobs, machine)


def _rows(text: NDArray[np.uint8], fields: Sequence[str], skip: int) -> Iterator[SlurmRows]:
    """The rows of a text, jobs and steps alike, a block at a time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    index = {name: fields.index(name) for name in (*TEXTS, *TIMES, "JobID") if name in fields}
    plain = [index[name] for name in (*TIMES, *USAGE, "JobID") if name in index]
    coded = [index[name] for name in TEXTS if name in index and name not in USAGE]
    rest = fields[-1] == "JobName"
    for block in read_blocks(text, "|", len(fields), plain, coded, skip=skip, last_takes_rest=rest):
        columns = {name: block.columns[position] for name, position in index.items()}
        line = block.line
        header = pc.match_substring(columns["JobID"], b"jobid", ignore_case=True)  # that of another file
        again = np.asarray(header.to_numpy(zero_copy_only=False), np.bool_)
        if again.any():
            columns = {name: column.filter(pa.array(~again)) for name, column in columns.items()}
            line = line[~again]
        yield rows_of(columns, line, block.bad, block.end / len(text))
