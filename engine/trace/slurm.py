"""Slurm's accounting as `sacct --parsable2` and `-p` print it: `JobID|State|...`, a job or a step a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.trace.clock_times import unix_time, unix_times
from engine.trace.delimited import join_names, read_blocks
from engine.trace.files import Progress
from engine.trace.records import KEPT_LINES, Records
from engine.trace.slurm_jobs import TEXTS, TIMES, SlurmJobs, records_of
from engine.trace.trace import MISSING, Note
from engine.words import clip

_MAX_FIELDS = 1000
_LOOKED_AT = 20  # lines of which one has to look like a job

LAYOUTS: tuple[tuple[str, ...], ...] = tuple(
    tuple(text.split())
    for text in (
        "JobID JobIDRaw Cluster Partition QOS Account Group GID User UID Submit Eligible Start End Elapsed "
        "ExitCode State NNodes NCPUS ReqCPUS ReqMem ReqTRES AllocTRES Timelimit NodeList JobName",
        "JobID JobIDRaw Cluster Partition Account Group GID User UID Submit Eligible Start End Elapsed "
        "ExitCode State NNodes NCPUS ReqCPUS ReqMem ReqGRES ReqTRES Timelimit NodeList JobName",
    )
)
"""Fields of files without a header, by their number: as accounting warehouses collect them."""


def is_slurm(head: bytes) -> bool:
    """Whether a file that begins like this holds lines of `sacct`."""
    lines = _first_lines(head)
    return any(_header(line) for line in lines[:1]) or _guess(lines) is not None


def read_slurm(
    path: Path, text: NDArray[np.uint8], machine: Cluster | None, progress: Progress | None = None
) -> Callable[[], Records]:
    """What makes the records of such a file, and needs its text no more.

    `machine` is the one that its nodes belong to, else one is derived. The first line names the fields;
    without such a line they are guessed from LAYOUTS. Times are read as UTC. Raises InputError where
    fields are lacking.
    """
    head = text[: 1 << 16].tobytes()
    lines = _first_lines(head)
    fields = _header(lines[0])
    skip = head.count(b"\n", 0, len(head) - len(head.lstrip())) + 1 if fields else 0
    guessed = not fields
    if guessed:
        fields = _guess(lines) or ()
    _check(path, fields)
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


def _first_lines(head: bytes) -> list[str]:
    """The first lines that hold anything."""
    lines = head.decode("utf-8", "replace").split("\n")[: 4 * _LOOKED_AT]
    return [line.rstrip("\r") for line in lines if line.strip()][:_LOOKED_AT]


def _header(line: str) -> tuple[str, ...]:
    """The fields that this line names, as this program spells them; none where it is no header."""
    known = {name.lower(): name for name in (*TEXTS, *TIMES, "JobID")}
    words = [word.strip().lower().partition("%")[0] for word in line.split("|")]
    if "jobid" not in words:
        words = ["jobid" if word == "jobidraw" else word for word in words]
    names = {known[word] for word in words if word in known}
    if "JobID" not in names or len(names) < 2:
        return ()
    return tuple(known.get(word, word) for word in words)


def _guess(lines: Sequence[str]) -> tuple[str, ...] | None:
    """The layout that any of these lines has, with its times where they should be."""
    for line in lines:
        values = line.split("|")
        for layout in LAYOUTS:
            extra = len(values) - len(layout)
            if extra not in (0, 1) or (extra and values[-1]):
                continue
            times = {name: unix_time(values[layout.index(name)][:100]) for name in TIMES}
            if times["Submit"] > 0 and min(times.values()) >= MISSING:
                return (*layout, "") if extra else layout
    return None


def _check(path: Path, fields: Sequence[str]) -> None:
    """Raise InputError where these fields do not tell of jobs."""
    if len(fields) > _MAX_FIELDS:
        raise InputError(f"{path}:1: {len(fields):,} fields in a line, of {_MAX_FIELDS:,} at most")
    if twice := [name for name in (*TEXTS, *TIMES, "JobID") if fields.count(name) > 1]:
        raise InputError(f"{path}:1: the field {twice[0]} stands twice in the first line")
    missing = [name for name in ("JobID", "Submit", "Start") if name not in fields]
    if not {"End", "Elapsed"} & set(fields):
        missing.append("End")
    if not {"ReqCPUS", "NCPUS", "AllocCPUS", "ReqTRES", "AllocTRES"} & set(fields):
        missing.append("NCPUS")
    if missing:
        raise InputError(
            f"{path}:1: these fields of sacct do not tell {', '.join(missing)}: {clip('|'.join(fields))!r}; "
            "print them too, with sacct --parsable2 --format"
        )
