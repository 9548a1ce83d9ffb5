"""Small logs of Slurm's plugin `jobcomp/filetxt`."""

from pathlib import Path

from engine.logs.read import read_trace
from engine.trace import Trace

NOON = 1_577_880_000  # 2020-01-01T12:00:00


def clock(seconds: int) -> str:
    """The time so many seconds after noon of 2020-01-01, within the hour."""
    return f"2020-01-01T12:{seconds // 60:02}:{seconds % 60:02}"


def record(job: int = 1, **values: object) -> str:
    """A job of ann, submitted at noon, that ran on 4 CPUs of c1 from 10 to 70 s after; 10 minutes at most."""
    fields: dict[str, object] = {
        "JobId": job,
        "UserId": "ann(1000)",
        "GroupId": "users(100)",
        "Name": "run",
        "JobState": "COMPLETED",
        "Partition": "batch",
        "TimeLimit": 10,
        "StartTime": clock(10),
        "EndTime": clock(70),
        "NodeList": "c1",
        "NodeCnt": 1,
        "ProcCnt": 4,
        "WorkDir": "/home/ann",
        "ReservationName": "",
        "Tres": "cpu=4,mem=2G,node=1,billing=4,gres/gpu=1",
        "Account": "phys",
        "QOS": "normal",
        "WcKey": "",
        "Cluster": "k",
        "SubmitTime": clock(0),
        "EligibleTime": clock(0),
    }
    # The exit codes come last in a line of the plugin, whatever else a test changes.
    fields |= {name: value for name, value in values.items() if name not in ("DerivedExitCode", "ExitCode")}
    fields |= {"DerivedExitCode": "0:0", "ExitCode": "0:0"}
    return " ".join(f"{name}={value}" for name, value in fields.items() if value is not None) + " "


def read_records(folder: Path, *records: str, **options: object) -> Trace:
    """The trace of these records."""
    path = folder / "jobcomp.log"
    path.write_text("".join(f"{line}\n" for line in records), "utf-8")
    return read_trace(path, **options)  # type: ignore[arg-type]
