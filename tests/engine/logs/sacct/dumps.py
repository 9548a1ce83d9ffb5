"""Small dumps of sacct, written line by line."""

from pathlib import Path

from engine.logs.read import read_trace
from engine.trace import Trace

FIELDS = (
    *(
        "JobID",
        "Cluster",
        "Partition",
        "QOS",
        "Account",
        "User",
        "Submit",
        "Eligible",
        "Start",
        "End",
        "Elapsed",
    ),
    *(
        "State",
        "NNodes",
        "NCPUS",
        "ReqCPUS",
        "ReqMem",
        "ReqTRES",
        "AllocTRES",
        "Timelimit",
        "NodeList",
        "JobName",
    ),
)
HEADER = "|".join(FIELDS)


def job(**values: object) -> str:
    """One job: number 1 of ann, 4 CPUs of node c1 for 60 of 600 s from 12:00:10 on; nothing else."""
    record: dict[str, object] = dict.fromkeys(FIELDS, "")
    record |= {"JobID": 1, "Cluster": "k", "Partition": "batch", "User": "ann", "Account": "phys"}
    record |= {"Submit": clock(0), "Eligible": clock(0), "Start": clock(10), "End": clock(70)}
    record |= {"State": "COMPLETED", "NNodes": 1, "NCPUS": 4, "ReqCPUS": 4, "Timelimit": "00:10:00"}
    record |= {"NodeList": "c1", "JobName": "run"} | values
    assert len(record) == len(FIELDS), "no such field"
    return "|".join(str(value) for value in record.values())


def clock(seconds: int) -> str:
    """A time that is so many seconds after noon of the 1st of January 2020."""
    return f"2020-01-01T12:{seconds // 60:02}:{seconds % 60:02}"


NOON = 1_577_880_000


def read_jobs(folder: Path, *jobs: str, header: str = HEADER, **options: object) -> Trace:
    """The trace of these lines under a header."""
    path = folder / "dump.txt"
    path.write_text("".join(f"{line}\n" for line in (header, *jobs)), "utf-8")
    return read_trace(path, **options)  # type: ignore[arg-type]
