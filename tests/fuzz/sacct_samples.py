"""What sacct prints in the ways in which people print it, and slurmdbd's job table."""

from collections.abc import Iterable

from tests.engine.logs.sacct import dumps as sacct
from tests.fuzz import samples

_WIDTHS = (12, 8, 8, 19, 19, 19, 8, 10)
_TABLE = (
    *("id_job", "id_array_job", "id_array_task", "array_task_str", "het_job_id", "het_job_offset", "account"),
    *("id_user", "cpus_req", "mem_req", "job_name", "nodelist", "nodes_alloc", "partition", "state"),
    *("timelimit", "time_submit", "time_eligible", "time_start", "time_end", "time_suspended", "tres_alloc"),
)


def _lines(rows: Iterable[Iterable[object]], delimiter: str) -> bytes:
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows).encode()


def _wide(cells: Iterable[str]) -> str:
    return "".join(f"{cell[:width]:>{width}} " for cell, width in zip(cells, _WIDTHS, strict=True))


def _row(k: int) -> tuple[object, ...]:
    """A row of the job table: arrays, parts of jobs, limits and states of all kinds."""
    none, noon = 4_294_967_294, sacct.NOON
    array = (20 * (k % 2), none if k % 3 else k, "4-9%2" if k == 7 else "NULL")
    parts = (30 * (k == 4), none if k != 4 else 1)
    memory = 1000 + (1 << 63) * (k % 2)
    limit = none + 1 if k == 5 else 60
    times = (noon, noon, noon + k if k != 6 else 0, noon + 60 + k, k % 2)
    return (k, *array, *parts, "phys", k, 4, memory, "run", f"n[{k}]", 1, "batch", k % 12, limit, *times,
            "1=4,2=1000,4=1,1001=2")  # fmt: skip


COMMAS = samples.SACCT.replace(b"|", b",").replace(b"c[", b"c1,c[")
TABS = samples.SACCT.replace(b"|", b"\t").replace(b"run", b"r|u\nn")
CARETS = samples.SACCT_LINES.replace(b"|", b"^|^")
QUOTED = b"".join(
    b",".join(b'"%b"' % cell.replace(b"run", b'r,"",u\nn') for cell in text.split(b"|")) + b"\n"
    for text in samples.SACCT.splitlines()
)
WIDE = "".join(
    f"{_wide(cells)}\n"
    for cells in (
        ("JobID", "JobName", "User", "Submit", "Start", "End", "NCPUS", "State"),
        tuple("-" * width for width in _WIDTHS),
        *(
            (str(k), "a+", "ann", sacct.clock(k), sacct.clock(2 * k), sacct.clock(99), "4", "COMPLETED")
            for k in range(1, 7)
        ),
        ("7.batch", "batch", "", sacct.clock(1), sacct.clock(2), sacct.clock(3), "1", "COMPLETED"),
    )
).encode()
NAMES = _lines(
    (
        ("JobID", "Submit", "Start", "End", "NCPUS", "Comment", "User", "SubmitLine", "Timelimit", "JobName"),
        *(
            (
                *(k, sacct.clock(1), sacct.clock(2), sacct.clock(80), 4, f"x|{k}", "ann"),
                *(f"sbatch --wrap a | b\nc{k}", "00:10:00", "n[1-2]|" if k % 2 else "a\nb"),
            )
            for k in range(1, 9)
        ),
    ),
    "|",
)
JOB_TABLE = _lines((_TABLE, *map(_row, range(1, 9))), "\t")
