"""Results that are kept: one small file a run, named by all that the run depends on, and a table of them all.

A study that was stopped goes on where it was; a file that is half-written counts as none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from functools import cache
from importlib.metadata import version
from pathlib import Path

from engine.atomic import write_atomically
from engine.machine.cluster import Cluster
from engine.sweep.study_file import PlannedRun
from engine.trace import Trace

Row = dict[str, str | float | int | None]
"""A run as a row of the table: trace, its conditions, policy, keys, metrics, seconds, and why it failed."""


def fingerprint(trace: Trace) -> str:
    """Names what a run sees of a trace: its jobs and its machine."""
    digest = hashlib.sha256(f"{trace.name} {trace.cluster.spelling} {trace.zero} {trace.timezone}".encode())
    for column in (
        trace.submit,
        trace.runtime,
        trace.walltime,
        trace.procs,
        trace.ram,
        trace.wait,
        trace.status,
        *((trace.preceding, trace.think_time, trace.job_id) if trace.dependencies else ()),
    ):
        digest.update(column.tobytes())
    for names in (trace.user, trace.queue, trace.executable):
        digest.update(names.codes.tobytes() + "\0".join(names.names).encode())
    for column in (trace.tasks.offset, *(trace.tasks[name] for name in sorted(trace.tasks.columns))):
        digest.update(column.tobytes())
    return digest.hexdigest()


def run_name(trace: str, cluster: Cluster, run: PlannedRun, metrics: Sequence[str]) -> str:
    """Names a run of a trace (its `fingerprint`) on a machine by all that its result depends on."""
    under = astuple(run.conditions)
    said = (trace, cluster.spelling, under, run.policy.spelling, list(metrics), program_digest())
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]


@cache
def program_digest() -> str:
    """The version of the program, and of its sources: what results hang on beside what a run is given."""
    digest = hashlib.sha256(version("batchscope").encode())
    root = Path(__file__).resolve().parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_row(folder: Path, name: str) -> Row | None:
    """The row of a run that was made before; None where there is none that can be read."""
    try:
        row = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return row if isinstance(row, dict) and "policy" in row else None


def write_row(folder: Path, name: str, row: Row) -> None:
    """Keep the row of a run. Raises OSError."""
    text = json.dumps(row)
    path = folder / f"{name}.json"
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"), flush=False)


def forget_rows(folder: Path, older_than: float) -> None:
    """Remove rows that were written before a time, in seconds since 1970; what cannot be removed stays."""
    for path in folder.glob("*.json"):
        with suppress(OSError):
            if path.stat().st_mtime < older_than:
                path.unlink()


def write_results(rows: Sequence[Mapping[str, object]], path: Path) -> None:
    """The table of all runs, as Parquet, whole or not at all. Raises OSError."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.Table.from_pylist([dict(row) for row in rows])
    write_atomically(path, lambda part: parquet.write_table(table, part))
