"""What keeps a site's twin from its real Slurm, job by job.

`python -m tests.engine.slurm.scheduler.worst_jobs` prints the tables of
`resources/guide/sites.md`: the jobs whose simulated starts differ most.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.metrics.twin import twin_of
from engine.policy.policy import parse_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.trace.trace import Ints, Pieces
from tests.paths import SHARED

_REAL = SHARED / "reference" / "slurm"
_HEAD = "| job | CPUs | waited | second run | simulated | started by | what keeps them apart |"


def table(folder: Path, most: int = 10) -> Iterator[str]:
    """The worst jobs of one of the schedules of a real Slurm, a row each, in Markdown."""
    read = read_log_as(folder / "sacct.txt.gz", Reading(machine=str(folder / "slurm.conf")))
    schedule = simulate(read.trace, read.cluster, parse_policy(f"site:{folder}"))
    with (folder / "schedule.csv").open(encoding="utf-8") as file:
        runs = {row["job_id"]: row for row in csv.DictReader(file)}
    found = twin_of(schedule, 30, most)
    assert found is not None
    yield _HEAD
    yield "| --- " * 7 + "|"
    for job in found.differing:
        row = runs[str(schedule.trace.job_id[job.job])]
        # The same log was run twice by a real Slurm: what differs between its own two runs is no fault of the
        # twin.
        second = int(row["run2_start"]) - int(row["run2_submit"]) if row["run2_start"] else None
        who = [row[key].removeprefix("Sched").lower() or "–" for key in ("started_by", "run2_started_by")]
        cells = (
            row["job_id"],
            row["cpus"],
            f"{job.recorded:,} s",
            "–" if second is None else f"{second:,} s",
            f"{job.simulated:,} s",
            who[0] if who[0] == who[1] else " / ".join(who),
            why(schedule, job.job, second),
        )
        yield f"| {' | '.join(cells)} |"


def why(schedule: Schedule, job: int, second: int | None) -> str:
    """What differs for a job: the two real runs, or who holds the nodes that it had."""
    trace = schedule.trace
    apart = int(schedule.wait[job] - trace.wait[job])
    if second is not None and abs(second - int(trace.wait[job])) >= abs(apart) / 2:
        return f"the real runs differ by {abs(second - int(trace.wait[job])):,} s themselves"
    assert trace.recorded_nodes is not None
    recorded = trace.submit + trace.wait
    real = (trace.recorded_nodes, recorded, recorded + trace.recorded_runtime)
    here = (schedule.pieces, schedule.start, schedule.end)
    first, other = (real, here) if apart > 0 else (here, real)
    # Whoever holds the nodes, where the job starts later, at the moment at which it starts in the other.
    moment, nodes = int(first[1][job]), _nodes(first[0], job)
    holders = _holders(*other, nodes, moment) - _holders(*first, nodes, moment) - {job}
    if not holders:
        return "its nodes are free in both: another job was ahead of it, or no pass came"
    shifts = {holder: int(schedule.start[holder] - recorded[holder]) for holder in holders}
    worst = max(sorted(holders), key=lambda holder: abs(shifts[holder]))
    more = f" and {len(holders) - 1} more" if len(holders) > 1 else ""
    where = "here" if apart > 0 else "in the log"
    late = "later" if shifts[worst] > 0 else "earlier"
    held = f"its nodes are held {where} by job {trace.job_id[worst]}{more}"
    return f"{held}, which starts {abs(shifts[worst]):,} s {late} here"


def _nodes(pieces: Pieces, job: int) -> Ints:
    return pieces["node"][pieces.offset[job] : pieces.offset[job + 1]]


def _holders(pieces: Pieces, start: Ints, end: Ints, nodes: Ints, moment: int) -> set[int]:
    """The jobs that run at a moment on any of these nodes."""
    running = np.flatnonzero((start <= moment) & (moment < end)).tolist()
    return {job for job in running if np.isin(_nodes(pieces, job), nodes).any()}


if __name__ == "__main__":
    for name in ("fifo", "micro"):
        print(f"\n`{name}`:\n")
        print("\n".join(table(_REAL / name)))
