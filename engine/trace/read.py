"""Opening a trace file: what is in it decides how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.input import exists
from engine.machine.cluster import Cluster, read_machines
from engine.machine.slurm_kind import SLURM_CONF, conf_kind
from engine.trace.alea import is_alea, read_alea
from engine.trace.clean import clean_records, switches
from engine.trace.failures import NO_NODES, with_failures
from engine.trace.files import COMPRESSIONS, Progress, read_log
from engine.trace.json_log import is_json, read_json
from engine.trace.lsf import is_lsf, read_lsf
from engine.trace.pbs import is_pbs, read_pbs
from engine.trace.records import Records
from engine.trace.sge import is_sge, read_sge
from engine.trace.slurm import is_slurm, read_slurm
from engine.trace.slurm_fields import is_unnamed, unnamed_fields
from engine.trace.swf import read_swf
from engine.trace.table import is_odd_table, is_parquet, is_table, read_csv, read_parquet
from engine.trace.table_columns import ColumnMap
from engine.trace.tokens import Tokens, tokenize
from engine.trace.trace import Trace

_FORMATS = (".swf", ".txt", ".log", ".csv", ".json", ".parquet", ".mwf")
_LOGS = (
    (is_slurm, read_slurm),
    (is_pbs, read_pbs),
    (is_sge, read_sge),
    (is_lsf, read_lsf),
    (is_json, read_json),
    (is_table, read_csv),
)
"""Logs of batch systems: what tells each by its first bytes, and its reader.

A reader gives the records, or what makes them once the text is gone.
"""

_HEAD = 1 << 16  # bytes that tell the format


def read_trace(
    path: Path,
    *,
    further: Sequence[Path] = (),
    cluster: Cluster | None = None,
    failures: Path | None = None,
    clean: Mapping[str, bool] | None = None,
    columns: ColumnMap | None = None,
    fields: str = "",
    progress: Progress | None = None,
) -> Trace:
    """Open, clean and order a log: a file, or a folder of rotated ones, whose lines are counted through.

    `further` are files (or folders) of the same log. `cluster` is the log's machine; without it, that of
    the `.machines` file beside the log or of its header counts, else one that fits the jobs. `failures`
    tells when its nodes were down; without it, the `.failures` file beside the log does. `clean` switches
    rules of cleaning. `columns` tells which column of a table says what, where their names do not, `fields`
    names those of a dump of sacct, as its `--format` does, where its first line does not.
    `progress` is told 0 to 1 and may raise to cancel.

    Raises InputError, one line that starts with the path, where there is no trace to be had.
    """
    try:
        switches(clean)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    # The records are held by nobody else, so that they are gone when the trace is.
    return make_trace(
        read_records(
            path,
            further=further,
            cluster=cluster,
            columns=columns,
            fields=fields,
            progress=_part(progress, 0.0, 0.95),
        ),
        cluster=cluster,
        failures=failures,
        clean=clean,
        progress=progress,
    )


def read_records(
    path: Path,
    *,
    further: Sequence[Path] = (),
    cluster: Cluster | None = None,
    columns: ColumnMap | None = None,
    fields: str = "",
    progress: Progress | None = None,
) -> Records:
    """What a log says, record by record, before any rule of cleaning: the first half of `read_trace`."""
    try:
        if is_parquet(path):
            if further:
                raise InputError(f"{path}: a Parquet file is read alone, not with {further[0]}")
            return read_parquet(path, cluster or _machines_beside(path), columns)
        # The text is held by nobody else, so that it is gone when its records are cleaned.
        return _read_records(
            path,
            read_log(path, _part(progress, 0.0, 0.3), further),
            cluster,
            columns,
            fields,
            _part(progress, 0.3, 1.0),
        )
    except MemoryError as error:
        raise InputError(f"{path}: not enough memory for a trace of this size") from error


def make_trace(
    records: Records,
    *,
    cluster: Cluster | None = None,
    failures: Path | None = None,
    clean: Mapping[str, bool] | None = None,
    progress: Progress | None = None,
) -> Trace:
    """The trace of a log's records: the second half of `read_trace`."""
    path = records.path
    try:
        trace = clean_records(records, name=trace_name(path), cluster=cluster, on=clean)
        beside = _beside(path, ".failures")
        if failures is not None:
            trace = with_failures(trace, failures)
        elif exists(beside):
            trace = with_failures(trace, beside) if not trace.cluster.pooled else trace.with_notes(NO_NODES)
    except MemoryError as error:
        raise InputError(f"{path}: not enough memory for a trace of this size") from error
    if progress is not None:
        progress(1.0)
    return trace


def _read_records(
    path: Path,
    text: NDArray[np.uint8],
    cluster: Cluster | None,
    columns: ColumnMap | None,
    fields: str,
    progress: Progress | None,
) -> Records:
    """The records of a text, by the format that its first lines are in."""
    own = _machines_beside(path)
    head = text[:_HEAD].tobytes()
    if columns is not None:
        return read_csv(path, text, cluster or own, progress, columns)
    if fields:
        made = read_slurm(path, text, cluster or own, progress, fields)
        del text
        return made()
    for recognises, read in _LOGS:
        if recognises(head):
            found = read(path, text, cluster or own, progress)
            del text  # or memory would hold it beside what is made of the jobs
            return found if isinstance(found, Records) else found()
    if is_odd_table(head):
        return read_csv(path, text, cluster or own, progress)  # which says what its columns lack
    tokens = tokenize(text, _part(progress, 0.0, 0.8))
    if not len(tokens):
        raise unnamed_fields(path) if is_unnamed(head) else _no_trace(path, tokens)
    if is_alea(tokens):
        return read_alea(path, text, tokens, own, cluster, _part(progress, 0.8, 1.0))
    return read_swf(path, tokens, own)


def is_table_alone(head: bytes) -> bool:
    """Whether a log that begins like this is a table, and nothing that another reader knows."""
    kind = next((read for recognises, read in _LOGS if recognises(head)), None)
    return kind is read_csv or (kind is None and is_odd_table(head))


def is_dump(head: bytes) -> bool:
    """Whether a log that begins like this is a dump of sacct, or may be one: no other reader knows it."""
    return next((read for recognises, read in _LOGS if recognises(head)), read_slurm) is read_slurm


def trace_name(path: Path) -> str:
    """The file name without the suffixes of packing and format."""
    name = _unpacked(path)
    return name.with_suffix("").name if name.suffix.lower() in _FORMATS else name.name


def machines_path(path: Path) -> Path:
    """Where the machines file of a trace lies: `log.swf.machines` for `log.swf.gz`."""
    return _beside(path, ".machines")


def _beside(path: Path, suffix: str) -> Path:
    name = _unpacked(path)
    return name.with_name(name.name + suffix)


def _unpacked(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path


def _machines_beside(path: Path) -> Cluster | None:
    machines = machines_path(path)
    return read_machines(machines) if exists(machines) else None


def _no_trace(path: Path, tokens: Tokens) -> InputError:
    if not tokens.bad_lines:
        return InputError(f"{path}: there is no job in this file")
    if kind := conf_kind(path):
        named = f"a {kind}" if kind != "scontrol" else "what `scontrol show config` prints"
        use = f"; the machine and the policy are in the {SLURM_CONF} (--cluster and -p)"
        if kind == SLURM_CONF:
            use = f" but a machine (--cluster {path.name}) and a policy (-p)"
        return InputError(f"{path}: {named} is no log{use}")
    first = tokens.bad_lines[0]
    return InputError(f"{path}:{first.number}: this is no trace: {first.problem} in {first.text[:60]!r}")


def _part(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Progress of one stage as a part of the whole."""
    if progress is None:
        return None
    return lambda done: progress(begin + (end - begin) * done)
