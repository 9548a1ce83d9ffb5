"""Small accounting files of LSF."""

from collections.abc import Sequence
from pathlib import Path

from engine.logs.read import read_trace
from engine.trace import Trace

NOON = 1_577_880_000


def record(
    job: int = 1,
    *,
    start: int = 10,
    end: int = 70,
    procs: int = 4,
    begin: int = 0,
    asked: str = "",
    hosts: Sequence[str] = ("4*c1",),
    status: int = 64,
    cause: int = 0,
    index: int = 0,
    used: int = 0,
    limit: int | None = 600,
    command: str = "sleep 60",
) -> str:
    """A job of ann, submitted at noon, that ran from 10 to 70 s after with a limit of 10 minutes."""
    # The fields of a JOB_FINISH record stand in a fixed order; those that no reader uses are empty or 0.
    words: list[object] = ["JOB_FINISH", "9.11", NOON + end, job, 1000, 0, procs, NOON, begin, 0]
    words += [
        NOON + start if start else 0,
        "ann",
        "batch",
        asked,
        "",
        "",
        "login",
        "/home",
        "",
        "",
        "",
        "file",
    ]
    words += [0, len(hosts), *hosts, status, 60.0, "run", command, *[0] * 19, "", "phys", 0, procs, "", ""]
    words += [index, used, 0, "", "", "", "", 0, "", cause]
    if limit is not None:
        words += ["", -1, "", "", "", "", -1, "", "", 0, "", 0, "", "", 0, len(hosts)]
        # Each host has counters of its own after its name.
        for host in hosts:
            words += [host, 1, 2, 3, 4, 0]
        words += [limit, 0, 0]
    return " ".join('"' + w.replace('"', '""') + '"' if isinstance(w, str) else str(w) for w in words)


def read_records(folder: Path, *records: str, **options: object) -> Trace:
    """The trace of these records."""
    path = folder / "lsb.acct"
    path.write_text("".join(f"{line}\n" for line in records), "utf-8")
    return read_trace(path, **options)  # type: ignore[arg-type]
