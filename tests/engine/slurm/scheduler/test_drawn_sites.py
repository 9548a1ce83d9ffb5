"""Sites drawn at random: what the model of their Slurm does breaks none of Slurm's rules.

By hand, for many sites: `python -m tests.engine.slurm.scheduler.test_drawn_sites FIRST LAST`.
"""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from engine.audit.site_reasons import false_site_reasons
from engine.machine.outages import Outages
from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from engine.trace import Pieces, Trace
from tests.engine.slurm.scheduler.drawn_sites import DrawnSite, drawn_site
from tests.engine.slurm.scheduler.site_checker import Placed, broken_rules


def simulated(site: DrawnSite, folder: Path) -> Schedule:
    """What the model does with the jobs of a site."""
    log = site.write(folder)
    read = read_log_as(log, Reading(machine=str(folder / "site" / "slurm.conf")))
    cluster, zero = read.cluster, zero_of(site, read.trace)
    if site.failures:
        names = list(cluster.node_names())
        rows = [(names.index(name), begin - zero, end - zero) for name, begin, end in site.failures]
        cluster = replace(cluster, failures=Outages.merged(*np.array(rows, np.int64).T))
    return simulate(read.trace, cluster, site_policy(read_site_at(folder / "site")), log=True)


def zero_of(site: DrawnSite, trace: Trace) -> int:
    """The time of the site from which the trace counts, s."""
    return site.jobs[0].submit - int(trace.submit[0])


def placed_of(site: DrawnSite, schedule: Schedule) -> list[Placed]:
    """All runs of a schedule, also those that a failure cut short, in the times of the site."""
    trace, stopped, first = schedule.trace, schedule.stopped, zero_of(site, schedule.trace)
    by_id = {job.job_id: job for job in site.jobs}
    jobs = [by_id[str(number)] for number in trace.job_id]
    placed = [
        Placed(jobs[number], int(schedule.start[number]) + first, _nodes(schedule, schedule.pieces, number))
        for number in schedule.ran.nonzero()[0].tolist()
    ]
    for run, (number, start, end) in enumerate(zip(stopped.job, stopped.start, stopped.end, strict=True)):
        on = _nodes(schedule, stopped.pieces, run)
        placed.append(Placed(jobs[number], int(start) + first, on, int(end) + first))
    return placed


def _nodes(schedule: Schedule, pieces: Pieces, run: int) -> dict[str, int]:
    """The CPUs of a run on each of its nodes."""
    names, on = schedule.cluster.node_names(), dict[str, int]()
    for row in range(*pieces.offset[run : run + 2].tolist()):
        name = names[pieces["node"][row]]
        on[name] = on.get(name, 0) + int(pieces["cpus"][row])
    return on


def faults(site: DrawnSite, folder: Path) -> list[str]:
    """What the model does against Slurm's rules, and reasons in its log that are not true."""
    schedule = simulated(site, folder)
    model = schedule.policy.site
    assert model is not None
    false = [case.text for each in false_site_reasons(schedule, model) for case in each.cases]
    return broken_rules(site, placed_of(site, schedule)) + false


@pytest.mark.parametrize("begin", [0, 1000, 2000, 3000])
def test_no_rule_is_broken(begin: int, tmp_path: Path) -> None:
    broken = {}
    for seed in range(begin, begin + 12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        site = drawn_site(seed)
        broken[seed] = faults(site, folder)
    assert {seed: texts for seed, texts in broken.items() if texts} == {}


@pytest.mark.parametrize("seed", [25134, 25367])
def test_a_job_that_its_limit_lets_go_is_not_behind_the_head_that_it_goes_before(
    seed: int, tmp_path: Path
) -> None:
    # A failure, or an end, and a cycle of the backfiller are in the same second, before any pass.
    assert not faults(drawn_site(seed), tmp_path)


def main(first: int, last: int) -> None:
    """Print what is broken in the sites of these seeds."""
    bad = 0
    for seed in range(first, last):
        site = drawn_site(seed)
        with TemporaryDirectory() as folder:
            texts = faults(site, Path(folder))
        bad += bool(texts)
        for text in texts:
            print(f"{seed}: {text}")
    print(f"{last - first} sites, {bad} of them with broken rules")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
