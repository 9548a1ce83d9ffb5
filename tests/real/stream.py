"""Half an hour of a real Slurm: `now` is asked about its queue every minute, and scored.

`python -m tests.real.stream FOLDER [MINUTES]` keeps in FOLDER/now what Slurm printed each minute,
what `batchscope now` said of it, and in `score.json` how many starts came within their spans, beside
the starts that Slurm itself had expected (`squeue --start`).
"""

import json
import random
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from tests.real.session import SACCT, Jobs, print_to
from tests.real.site import ACCOUNTS, Site, enter, lacks, site
from tests.real.workload import Job

EVERY = 60.0
"""Seconds from one look at the queue to the next."""

_CPUS = 48
_KINDS = ((1, 20, 1), (2, 45, 2), (4, 30, 1), (8, 40, 2), (8, 80, 3), (16, 60, 2), (24, 35, 1))
"""CPUs, seconds at the median, and the minutes of the time limit, of which some jobs ask for more."""

_LOAD = 0.7
"""Of the CPUs that the jobs would keep busy; ends and starts of jobs take up the rest."""

_TOGETHER = 8
"""Jobs that are submitted at once, so that the queue grows and is worked off again and again."""


def jobs_of(seconds: float, seed: int = 36) -> list[tuple[float, Job]]:
    """When each job is submitted, and the job: heaps, about as far apart as the nodes need for them."""
    draw, found, at, work = random.Random(seed), [], 0.0, 0.0
    while at < seconds:
        cpus, median, minutes = draw.choice(_KINDS)
        runtime = max(5, round(median * draw.lognormvariate(0.0, 0.4)))
        limit = minutes * draw.choice((1, 1, 2, 3))
        options = f"-n{cpus} -t{limit} -p batch"
        user = draw.choice(sorted(user for users in ACCOUNTS.values() for user in users))
        found.append((at, Job(f"s{len(found)}", user, tuple(options.split()), f"sleep {runtime}")))
        work += cpus * min(runtime, 60 * limit)
        if len(found) % _TOGETHER == 0:
            at += draw.uniform(0.5, 1.5) * work / (_LOAD * _CPUS)
            work = 0.0
    return found


def ask(at: Site, folder: Path, minute: int) -> None:
    """Keep the queue as Slurm prints it now, and what `now` says of it."""
    own = folder / f"{minute:02d}"
    own.mkdir()
    for name, call in {
        "squeue.json": ("squeue", "--json"),
        "start.txt": ("squeue", "-h", "-t", "PD", "--start", "-o", "%i|%S"),
    }.items():
        print_to(at, own / name, *call)
    print_to(at, folder / "log.txt", *SACCT, "-P", "--format=ALL")
    log = (folder / "log.txt").read_text(errors="replace")
    with suppress(subprocess.TimeoutExpired):  # the next minute tells more
        print_to(
            at, own / "now.json", sys.executable, "-m", "app", "now", "--site", str(folder / "site"),
            "--command", "squeue --json", "--keep", str(folder / "kept.json"), "--json", "--quiet",
            "-o", str(folder / "queue.html"),
            *([str(folder / "log.txt")] if log.count("COMPLETED") > 60 else []),
        )  # fmt: skip


def score(at: Site, folder: Path) -> dict[str, object]:
    """How predictions came true: the first of each job, and all of each minute; beside what Slurm expected.

    Of both the share is given that came within spans: of those that were calibrated on the log, by kept
    predictions, or not at all, with what these had claimed. A job that still waits counts where its span is
    over: it has missed it.
    """
    starts, asked = (
        starts_of(at.run("sacct", "-a", "-X", "-n", "-P", "--format=JobID,Start")),
        int(time.time()),
    )
    rows = [row for file in sorted(folder.glob("*/now.json")) for row in _rows(file, starts, asked)]
    # Rows come in order of time, so the first of each job stays.
    first: dict[str, dict[str, object]] = {}
    for row in rows:
        first.setdefault(str(row["job"]), row)
    found: dict[str, object] = {"rows": rows}
    # Both the first prediction of each job and all of them, apart by how their spans were calibrated.
    for name, some in (("first", list(first.values())), ("all", rows)):
        for by in ("on", "by", "none"):
            own = [row for row in some if row["by"] == by]
            claimed = [float(str(row["cover"])) for row in own if row["cover"] is not None]
            found[f"{name}_{by}"] = {
                "predictions": len(own),
                "within": _within(own),
                "claimed": sum(claimed) / len(claimed) if claimed else None,
            }
    # Compared only where Slurm expected a start too and the job has started.
    both = [row for row in rows if row["slurm"] is not None and row["started"] is not None]
    found["beside_slurm"] = len(both)
    for name in ("planned", "expected", "slurm"):
        off = [abs(int(str(row[name])) - int(str(row["started"]))) for row in both]
        found[f"{name}_mean_error_s"] = sum(off) / max(len(off), 1)
    return found


def starts_of(printed: str) -> dict[str, int]:
    """The starts of jobs that sacct printed as `job|start`, in Unix seconds."""
    starts = {}
    for line in printed.splitlines():
        job, _, when = line.partition("|")
        with suppress(ValueError):
            starts[job] = int(datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp())
    return starts


def _rows(file: Path, starts: dict[str, int], asked: int) -> list[dict[str, object]]:
    """The predictions of a minute whose spans held or not, by the starts that were known when `asked`."""
    try:
        document = json.loads(file.read_text())
    except ValueError:  # it was not done in time
        return []
    expected = starts_of((file.parent / "start.txt").read_text())
    now, rows = int(document["time"]), []
    by = document["evidence"].partition(" ")[0] if document["calibrated"] else "none"  # "on" a log, "by" kept
    for job in document["waiting"]:
        start = starts.get(job["job_id"])
        if (
            job["late"] is None
            or (start is not None and start < now)
            or (start is None and now + job["late"] > asked)
        ):
            continue
        own = {name: now + job[name] for name in ("planned", "expected", "early", "late")}
        row = {
            "job": job["job_id"],
            "made": now,
            **own,
            "started": start,
            "slurm": expected.get(job["job_id"]),
        }
        within = start is not None and own["early"] <= start <= own["late"]
        rows.append({**row, "within": within, "cover": document["cover"], "by": by})
    return rows


def _within(rows: list[dict[str, object]]) -> float:
    return sum(bool(row["within"]) for row in rows) / max(len(rows), 1)


def main(folder: Path, minutes: float) -> None:
    """Run the stream, in the namespaces that `enter` makes."""
    with site(folder) as at:
        # As often for jobs of a minute as a computation every five minutes is for jobs of hours.
        with (folder / "slurm.conf").open("a") as conf:
            conf.write("PriorityCalcPeriod=1\n")
        at.run("scontrol", "reconfigure")
        jobs, own = Jobs(at), folder / "now"
        (own / "site").mkdir(parents=True)
        (own / "site" / "slurm.conf").write_text((folder / "slurm.conf").read_text())
        at.run("sacctmgr", "dump", "loop", f"file={own}/site/sacctmgr_dump.cfg")
        print_to(at, own / "site" / "qos.txt", "sacctmgr", "show", "qos", "-P")
        begin, minute = time.monotonic(), 0
        coming = jobs_of(60 * minutes)
        while (passed := time.monotonic() - begin) < 60 * minutes:
            while coming and coming[0][0] <= passed:
                jobs.submit(coming.pop(0)[1])
            if passed >= 20 + EVERY * minute:
                ask(at, own, minute)
                minute += 1
            time.sleep(0.5)
        (own / "score.json").write_text(json.dumps(score(at, own), indent=1))
        print_to(at, own / "sacct.txt", *SACCT, "-P", "--format=ALL")


if __name__ == "__main__":
    if len(sys.argv) > 3:
        main(Path(sys.argv[1]), float(sys.argv[2]))
    else:
        if missing := lacks():
            sys.exit(missing)
        where, length = Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "30"
        where.mkdir(parents=True)
        call = [sys.executable, "-m", "tests.real.stream", str(where), length, "inside"]
        done = enter(call, 60 * float(length) + 300)
        print(done.stdout)
        if done.returncode == 0:
            held = json.loads((where / "now" / "score.json").read_text())
            print(json.dumps({key: value for key, value in held.items() if key != "rows"}, indent=1))
