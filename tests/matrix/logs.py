"""Small logs of every kind, each a function that writes it into a folder."""

from collections.abc import Callable
from pathlib import Path

from tests.engine.logs.lines import line, write_log
from tests.engine.logs.sacct.dumps import HEADER, clock, job

_HEADER = ("; MaxProcs: 8", "; UnixStartTime: 1000000000")
_JOBS = 12


def _swf(folder: Path, *, header: tuple[str, ...] = _HEADER, jobs: int = _JOBS, **changes: object) -> Path:
    """Jobs of three users in two queues on eight processors, a job every 50 s; `changes` hold for all."""
    rows = []
    for number in range(jobs):
        procs = 1 + 3 * (number % 3)
        values: dict[str, object] = {
            "job": number + 1,
            "submit": 100 + 50 * number,
            "wait": 10 * number,
            "runtime": 60 + 40 * (number % 4),
            "walltime": 100 + 80 * (number % 4),
            "procs": procs,
            "allocated": procs,
            "user": 1 + number % 3,
            "queue": 1 + number % 2,
        }
        rows.append(line("", **values | changes))
    return write_log(folder / "log.swf", *header, *rows)


def _without_starts(folder: Path) -> Path:
    return _swf(folder, wait=-1)


def _one_job(folder: Path) -> Path:
    return _swf(folder, jobs=1)


def _enough_jobs(folder: Path) -> Path:
    """So many jobs that a search can judge its policies on the last of them."""
    return _swf(folder, jobs=150)


def _one_user(folder: Path) -> Path:
    return _swf(folder, user=1, queue=1)


def _nothing_known(folder: Path) -> Path:
    """Neither users nor queues nor walltimes, and no machine."""
    return _swf(folder, header=(), user=-1, queue=-1, walltime=-1)


def _at_once(folder: Path) -> Path:
    return _swf(folder, submit=100, wait=0, runtime=60, procs=8, allocated=8)


def _too_wide(folder: Path) -> Path:
    """Some jobs ask for more than the machine has."""
    return _swf(folder, header=("; MaxProcs: 4", *_HEADER[1:]))


def _used_ram(folder: Path) -> Path:
    """With groups, requested and used RAM, CPU time, think times, and jobs that failed or overran."""
    # The fields repeat with several small periods, so that their values meet in many combinations.
    rows = [
        line(
            job=number + 1,
            submit=100 + 50 * number,
            wait=10 * (number % 3),
            runtime=60 + 90 * (number % 4),
            walltime=200,
            procs=1 + number % 4,
            allocated=1 + number % 4,
            cpu_time=50,
            used_ram=1000 * number,
            ram=2048 * (1 + number % 3),
            status=number % 6,
            user=1 + number % 3,
            group=1 + number % 2,
            executable=number % 5,
            preceding=number if number % 3 == 2 else -1,
            think_time=30 if number % 3 == 2 else -1,
        )
        for number in range(_JOBS)
    ]
    return write_log(folder / "log.swf", *_HEADER, *rows)


def _nodes_with_ram(folder: Path) -> Path:
    """In Alea's format: RAM, nodes, a machines file and a file of failures beside the log."""
    rows = [
        line(
            f"-1 {'long' if number % 2 else 'short'} {1 + number % 2}:ppn=2",
            job=number + 1,
            submit=100 + 50 * number,
            wait=10 * (number % 4),
            runtime=100 + 60 * (number % 4),
            walltime=600,
            procs=2 + 2 * (number % 2),
            allocated=2 + 2 * (number % 2),
            ram=1 << 20,
            user=1 + number % 3,
        )
        for number in range(_JOBS)
    ]
    # The machines and the failures are found by their names, beside the log.
    (folder / "log.swf.machines").write_text("0 big 2 8 1 16777216\n1 small 2 4 1 8388608\n", "utf-8")
    (folder / "log.swf.failures").write_text("200 big 1 300\n", "utf-8")
    header = ("; UnixStartTime: 1356998400", "; TimeZoneString: Europe/Prague")
    return write_log(folder / "log.swf", *header, *rows)


def _dump(folder: Path, *rows: str) -> Path:
    path = folder / "log.txt"
    path.write_text("".join(f"{row}\n" for row in (HEADER, *rows)), "utf-8")
    return path


def _dumped(number: int, **changes: object) -> str:
    """A job of a dump: its submission, start and end, in one of two partitions and accounts."""
    submit = 20 * number
    values: dict[str, object] = {
        "JobID": number + 1,
        "User": ("ann", "bob", "cyd")[number % 3],
        "Account": ("phys", "chem")[number % 2],
        "Partition": ("batch", "short")[number % 2],
        "Submit": clock(submit),
        "Eligible": clock(submit),
        "Start": clock(submit + 10 * (number % 4)),
        "End": clock(submit + 10 * (number % 4) + 60 + 30 * (number % 3)),
        "NCPUS": 1 + number % 4,
        "ReqCPUS": 1 + number % 4,
        "NodeList": f"c{1 + number % 4}",
    }
    return job(**values | changes)


def _accounts(folder: Path) -> Path:
    return _dump(folder, *(_dumped(number, QOS="normal") for number in range(_JOBS)))


def _gpus(folder: Path) -> Path:
    """Jobs with RAM and GPUs, as requested and as allocated."""
    rows = []
    for number in range(_JOBS):
        cpus, gpus = 1 + number % 4, number % 3
        tres = f"billing={cpus},cpu={cpus},mem=1G,node=1" + (f",gres/gpu={gpus}" if gpus else "")
        rows.append(_dumped(number, ReqMem="1G", ReqTRES=tres, AllocTRES=tres))
    return _dump(folder, *rows)


def _arrays(folder: Path) -> Path:
    """Tasks of arrays, several of them in a row, and a job of two parts."""
    names = ["5_1", "5_2", "5_[3-6%2]", "6_[1,3]", "7", "8+0", "8+1", "9_1", "9_2"]
    return _dump(folder, *(_dumped(number, JobID=name) for number, name in enumerate(names)))


def _unfinished(folder: Path) -> Path:
    """Jobs that wait, run, were cancelled before they started, or ended in other ways."""
    states = ("RUNNING", "PENDING", "CANCELLED by 0", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")
    rows = []
    for number in range(_JOBS):
        state, changes = states[number % len(states)], dict[str, object]()
        if state in ("PENDING", "CANCELLED by 0"):
            changes = {"Start": "Unknown", "End": "Unknown", "NodeList": "None assigned"}
        elif state == "RUNNING":
            changes = {"End": "Unknown"}
        rows.append(_dumped(number, State=state, **changes))
    return _dump(folder, *rows)


def _strange_names(folder: Path) -> Path:
    """Names with the signs of formulas, filters and file names, and no name at all."""
    names = ("=1+1", "a,b", "ž ☃", "x'y\"", "-", "", "../up", "and", "user", "<b>", "$x_1$", "%s")
    rows = (
        _dumped(number, User=name, Account=name, Partition=name, JobName=name)
        for number, name in enumerate(names)
    )
    return _dump(folder, *rows)


def _table(folder: Path) -> Path:
    """A CSV with the columns that the program itself writes."""
    rows = [
        f"{number},u{number % 3},{100 + 50 * number},{110 + 50 * number},{200 + 50 * number},{1 + number % 3}"
        for number in range(_JOBS)
    ]
    path = folder / "log.csv"
    path.write_text("\n".join(("job_id,user,submit,start,end,procs", *rows, "")), "utf-8")
    return path


LOGS: dict[str, Callable[[Path], Path]] = {
    "swf": _swf,
    "without-starts": _without_starts,
    "one-job": _one_job,
    "enough-jobs": _enough_jobs,
    "one-user": _one_user,
    "nothing-known": _nothing_known,
    "at-once": _at_once,
    "too-wide": _too_wide,
    "used-ram": _used_ram,
    "nodes-with-ram": _nodes_with_ram,
    "accounts": _accounts,
    "gpus": _gpus,
    "arrays": _arrays,
    "unfinished": _unfinished,
    "strange-names": _strange_names,
    "table": _table,
}
"""The functions that write a log into a folder and give its path, by the kind of the log."""
