"""Slurm's accounting as `sacct --parsable2` and `-p` print it: `JobID|State|...`, a job or a step a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.trace.clock_times import unix_times
from engine.trace.delimited import join_names, read_blocks
from engine.trace.files import Progress
from engine.trace.records import KEPT_LINES, Records
from engine.trace.slurm_fields import check_fields, first_lines, given_fields, guess_fields, header_fields
from engine.trace.slurm_jobs import TEXTS, TIMES, SlurmJobs, records_of
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
    guessed from LAYOUTS. Times are read as UTC. Raises InputError where fields are lacking.
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
    return partial(_records, path, _read_jobs(text, fields, skip, guessed, progress), machine)


def _records(path: Path, jobs: SlurmJobs, machine: Cluster | None) -> Records:
    return replace(records_of(path, jobs, machine), wall_clock=True)


def _read_jobs(
    text: NDArray[np.uint8], fields: Sequence[str], skip: int, guessed: bool, progress: Progress | None
) -> SlurmJobs:
    """Every job, without its steps."""
    import pyarrow as pa
    import pyarrow.compute as pc

    index = {name: fields.index(name) for name in (*TEXTS, *TIMES, "JobID") if name in fields}
    plain = [index[name] for name in (*TIMES, "JobID") if name in index]
    coded = [index[name] for name in TEXTS if name in index]
    ids, lines, bad, steps = [], [], [], 0
    times: dict[str, list[NDArray[np.int64]]] = {name: [] for name in TIMES if name in index}
    texts: dict[str, list[pa.DictionaryArray]] = {name: [] for name in TEXTS if name in index}
    rest = fields[-1] == "JobName"
    for block in read_blocks(text, "|", len(fields), plain, coded, skip=skip, last_takes_rest=rest):
        ids_here = block.columns[index["JobID"]]
        again = pc.match_substring(ids_here, b"jobid", ignore_case=True)  # the header of another file
        whole = pc.invert(pc.or_(pc.match_substring(ids_here, b"."), again))
        for name, chunks in times.items():
            chunks.append(unix_times(block.columns[index[name]].filter(whole)))
        for name, parts in texts.items():
            parts.append(block.columns[index[name]].filter(whole))
        ids.append(block.columns[index["JobID"]].filter(whole))
        mask = whole.to_numpy(zero_copy_only=False)
        lines.append(block.line[mask])
        steps += int(len(mask) - np.count_nonzero(mask)) - int(pc.sum(again).as_py() or 0)
        bad.append(block.bad)
        if progress is not None:
            progress(block.end / len(text))
    columns = {name: join_names(texts.pop(name)) for name in tuple(texts)}  # blocks go as they are joined
    dates = {name: np.concatenate(times.pop(name)) for name in tuple(times) if times[name]}
    odd = np.concatenate(bad) if bad else np.empty(0, np.int64)
    notes = (
        Note("steps", "job steps, which are part of their jobs", steps),
        Note(
            "unreadable_line",
            f"lines left out: they do not have {len(fields)} fields",
            len(odd),
            tuple(odd[:KEPT_LINES].tolist()),
        ),
        Note("fields_guessed", f"no line names the fields, taken for: {', '.join(fields)}", int(guessed)),
    )
    return SlurmJobs(
        ids=pa.chunked_array(ids, pa.binary()).combine_chunks(),
        line=np.concatenate(lines) if lines else np.empty(0, np.int64),
        texts=columns,
        times=dates,
        notes=notes,
    )
