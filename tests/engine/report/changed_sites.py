"""A log whose site was given a second node in its middle, with the site's files before and after that."""

from pathlib import Path
from typing import NamedTuple

from tests.engine.logs.sacct.dumps import HEADER, clock, job

JOBS = 80
EVERY, RUNTIME = 30, 40
"""Seconds between submissions, and of each job: a single node falls behind by 10 s a job."""


class ChangedLog(NamedTuple):
    """The log, the sites' folders, and the date between them."""

    log: Path
    before: Path
    after: Path
    at: str


def write_changed_log(folder: Path) -> ChangedLog:
    """Write a log and both sites: jobs of two accounts queue up before the change, and hardly after it."""
    rows = []
    for k in range(JOBS):
        # Before the change there is one node and a queue; afterwards jobs start as they come.
        submit = EVERY * k
        start = RUNTIME * k if k < JOBS // 2 else max(submit, RUNTIME * JOBS // 2)
        rows.append(
            job(
                JobID=k + 1,
                Submit=clock(submit),
                Start=clock(start),
                End=clock(start + RUNTIME),
                Partition="batch",
                Account="physics" if k % 4 else "chemistry",
                NodeList="a1",
            )
        )
    log = folder / "sacct.txt"
    log.write_text("\n".join((HEADER, *rows, "")))
    for name, nodes in (("before", "a1"), ("after", "a[1-2]")):
        (folder / name).mkdir()
        conf = f"NodeName={nodes} CPUs=4\nPartitionName=batch Nodes={nodes}\n"
        (folder / name / "slurm.conf").write_text(conf)
    return ChangedLog(log, folder / "before", folder / "after", clock(EVERY * (JOBS // 2) - 1))
