"""Sites drawn at random: what the model of their Slurm does breaks none of Slurm's rules.

By hand, for many sites: `python -m tests.engine.slurm.scheduler.test_drawn_sites FIRST LAST`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from tests.engine.slurm.scheduler.drawn_sites import DrawnSite, drawn_site
from tests.engine.slurm.scheduler.site_checker import Placed, broken_rules


def simulated(site: DrawnSite, folder: Path) -> list[Placed]:
    """What the model does with the jobs of a site."""
    log = site.write(folder)
    read = read_log_as(log, Reading(machine=str(folder / "site" / "slurm.conf")))
    return placed_of(site, simulate(read.trace, read.cluster, site_policy(read_site_at(folder / "site"))))


def placed_of(site: DrawnSite, schedule: Schedule) -> list[Placed]:
    """The jobs that started in a schedule, with times since the first submission of the log."""
    names, trace, pieces = schedule.cluster.node_names(), schedule.trace, schedule.pieces
    by_id = {job.job_id: job for job in site.jobs}
    first = site.jobs[0].submit - int(trace.submit[0])
    placed = []
    for number in schedule.ran.nonzero()[0].tolist():
        on: dict[str, int] = {}
        for row in range(*pieces.offset[number : number + 2].tolist()):
            name = names[pieces["node"][row]]
            on[name] = on.get(name, 0) + int(pieces["cpus"][row])
        job = by_id[str(trace.job_id[number])]
        placed.append(Placed(job, int(schedule.start[number]) + first, on))
    return placed


@pytest.mark.parametrize("begin", [0, 1000, 2000, 3000])
def test_no_rule_is_broken(begin: int, tmp_path: Path) -> None:
    broken = {}
    for seed in range(begin, begin + 12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        site = drawn_site(seed)
        broken[seed] = broken_rules(site, simulated(site, folder))
    assert {seed: texts for seed, texts in broken.items() if texts} == {}


def main(first: int, last: int) -> None:
    """Print what is broken in the sites of these seeds."""
    bad = 0
    for seed in range(first, last):
        site = drawn_site(seed)
        with TemporaryDirectory() as folder:
            texts = broken_rules(site, simulated(site, Path(folder)))
        bad += bool(texts)
        for text in texts:
            print(f"{seed}: {text}")
    print(f"{last - first} sites, {bad} of them with broken rules")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
