"""Half an hour of a real Slurm: `now` is asked about its queue every minute, and scored.

`python -m tests.real.stream FOLDER [MINUTES]` keeps in FOLDER/now what Slurm printed each minute,
what `batchscope now` said of it, and in `score.json` how many starts came within their spans, beside
the starts that Slurm itself had expected (`squeue --start`).
"""

from __future__ import annotations

import json
import random
import re
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
_KINDS = ((1, 60, 3), (2, 150, 4), (4, 90, 3), (8, 120, 5), (8, 240, 6), (16, 180, 4), (24, 100, 3))
"""CPUs, seconds at the median, and the minutes of the time limit, of which some jobs ask for more."""


def jobs_of(seconds: float, seed: int = 36) -> list[tuple[float, Job]]:
    """When each job is submitted, and the job: a heap at first, then about as many as the nodes can run."""
    draw, found, at = random.Random(seed), [], 0.0
    while at < seconds:
        cpus, median, minutes = draw.choice(_KINDS)
        runtime = max(5, round(median * draw.lognormvariate(0.0, 0.4)))
        limit = minutes * draw.choice((1, 1, 2, 3))
        options = f"-n{cpus} -t{limit} -p batch"
        user = draw.choice(sorted(user for users in ACCOUNTS.values() for user in users))
        found.append((at, Job(f"s{len(found)}", user, tuple(options.split()), f"sleep {runtime}")))
        if len(found) > 25:
            at += draw.expovariate(_CPUS / (1.02 * cpus * min(runtime, 60 * limit)))
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
    """How the first prediction of each job came true, and what Slurm had expected of it in that minute."""
    printed = at.run("sacct", "-a", "-X", "-n", "-P", "--format=JobID,Start")
    starts = {}
    for line in printed.splitlines():
        job, _, when = line.partition("|")
        with suppress(ValueError):
            starts[job] = int(datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp())
    kept = json.loads((folder / "kept.json").read_text())
    rows = []
    for job, made, planned, early, late, *_ in kept:
        if job in starts and starts[job] >= made:
            own = {"job": job, "made": made, "planned": planned, "early": early, "late": late}
            rows.append(own | {"started": starts[job], "slurm": None})
    expected: dict[str, tuple[int, int]] = {}
    for file in sorted(folder.glob("*/start.txt")):
        for line in file.read_text().splitlines():
            job, _, when = line.partition("|")
            if re.fullmatch(r"\d{4}-.*", when) and job not in expected:
                moment = int(datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp())
                expected[job] = (int(file.stat().st_mtime), moment)
    for row in rows:
        made, moment = expected.get(str(row["job"]), (0, None))
        if abs(made - int(row["made"])) < EVERY:
            row["slurm"] = moment
    found: dict[str, object] = {"predictions": len(rows), "rows": rows}
    for slack in (0, 5, 60):
        inside = [r["early"] - slack <= r["started"] <= r["late"] + slack for r in rows]
        found[f"within_{slack}_s"] = sum(inside) / max(len(rows), 1)
    both = [row for row in rows if row["slurm"] is not None]
    found["beside_slurm"] = len(both)
    for name in ("planned", "slurm"):
        off = [abs(row[name] - row["started"]) for row in both]
        found[f"{name}_mean_error_s"] = sum(off) / max(len(off), 1)
    return found


def main(folder: Path, minutes: float) -> None:
    """Run the stream, in the namespaces that `enter` makes."""
    with site(folder) as at:
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
