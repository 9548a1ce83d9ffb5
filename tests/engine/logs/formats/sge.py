"""Small accounting files of Grid Engine."""

from pathlib import Path

from engine.logs.read import read_trace
from engine.trace import Trace

NOON = 1_577_880_000


def record(
    job: int = 1,
    *,
    start: int = 10,
    end: int = 70,
    slots: int = 4,
    task: int = 0,
    category: str = "-l h_rt=600 -pe mpi 4",
    failed: str = "0",
    status: int = 0,
    part: str = "NONE",
    unit: int = 1,
    more: str = "",
) -> str:
    """A job of ann, submitted at noon, that ran from 10 to 70 s after; times count 1 / `unit` s."""
    times = (NOON * unit, (NOON + start) * unit if start else 0, (NOON + end) * unit if start else 0)
    fields: list[object] = ["batch", "c1", "phys", "ann", "run", job, "sge", 0, *times, failed, status, 60]
    fields += [0] * 17 + ["NONE", "defaultdepartment", "mpi", slots, task, 1.5, 0.5, 0.5, category, 0, part]
    return ":".join(str(field) for field in (*fields, 1000, 0, 0)) + more


def read_records(folder: Path, *records: str, **options: object) -> Trace:
    """The trace of these records."""
    path = folder / "accounting"
    path.write_text("".join(f"{line}\n" for line in records), "utf-8")
    return read_trace(path, **options)  # type: ignore[arg-type]
