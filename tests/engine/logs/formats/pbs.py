"""Small accounting logs of PBS, record by record."""

from pathlib import Path

from engine.logs.read import read_trace
from engine.trace import Trace

NOON = 1_577_880_000


def record(kind: str, job: object = 1, **values: object) -> str:
    """A record of a job, with these keys; underscores at an end are dropped, double ones are dots."""
    text = " ".join(f"{key.replace('__', '.').rstrip('_')}={value}" for key, value in values.items())
    return f"01/01/2020 12:00:00;{kind};{job}.server;{text}"


def ended(job: object = 1, nodes: int = 1, start: int = 10, end: int | None = 70, **values: object) -> str:
    """The end of a job of ann: 4 CPUs on each of c1, c2 and so on, from 12:00:10 to 12:01:10."""
    asked: dict[str, object] = {
        "user": "ann",
        "group": "phys",
        "queue": "batch",
        "jobname": "run",
        "ctime": NOON,
        "qtime": NOON,
        "etime": NOON,
        "start": NOON + start,
        "exec_host": "+".join(f"c{k}/0*4" for k in range(1, nodes + 1)),
        "Resource_List__select": f"{nodes}:ncpus=4",
        "Resource_List__walltime": "00:10:00",
        "end": None if end is None else NOON + end,
        "Exit_status": 0,
        "resources_used__walltime": "00:01:00",
    }
    return record("E", job, **{key: value for key, value in (asked | values).items() if value is not None})


LIFE = (
    record("Q", queue="batch"),
    record("S", user="ann", ctime=NOON, start=NOON + 2, exec_host="c1/0", Resource_List__ncpus=1),
    record("R", user="ann"),
    ended(),
    record("L", "license"),
    record("Q", 20),
    record("D", 20),
    record("S", 21, ctime=NOON, start=NOON + 5, Resource_List__nodes="2:ppn=8:big+host1:ppn=1"),
)


def read_records(folder: Path, *records: str, **options: object) -> Trace:
    """The trace of these records."""
    path = folder / "20200101"
    path.write_text("".join(f"{line}\n" for line in records), "utf-8")
    return read_trace(path, **options)  # type: ignore[arg-type]
