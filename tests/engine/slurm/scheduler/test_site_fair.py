"""Fair starts under a site's own Slurm, against simulations of logs that end with each job."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import NOT_RUN, FairBy
from engine.simulation.run import simulate
from engine.slurm.scheduler.site_fair import sample_of
from engine.slurm.site.folder import read_site_at
from tests.engine.slurm.scheduler.drawn_sites import drawn_site


@pytest.mark.parametrize("fair_by", ["estimate", "actual"])
@pytest.mark.parametrize("seed", [1, 2, 5])  # the passes of 1 and 5 are rare, so that each second counts
def test_a_fair_start_is_that_of_a_log_which_ends_with_the_job(
    seed: int, fair_by: FairBy, tmp_path: Path
) -> None:
    log = drawn_site(seed).write(tmp_path)
    read = read_log_as(log, Reading(machine=str(tmp_path / "site" / "slurm.conf")))
    policy = site_policy(read_site_at(tmp_path / "site"))
    trace = read.trace
    schedule = simulate(trace, read.cluster, policy, fair_starts=True, fair_by=fair_by)
    assert schedule.fair_start is not None
    plain = simulate(trace, read.cluster, policy)
    assert (schedule.start == plain.start).all()
    for job in np.flatnonzero(schedule.ran)[::3].tolist():
        runtime = np.array(trace.runtime)
        if fair_by == "estimate":
            open_still = ~plain.ran | (plain.end > trace.submit[job])
            runtime = np.where(open_still, trace.walltime, runtime)
        until = replace(trace, runtime=runtime).take(np.arange(job + 1))
        alone = simulate(until, read.cluster, policy)
        expected = [int(alone.start[job]), *alone.stopped.start[alone.stopped.job == job].tolist()]
        assert schedule.fair_start[job] == min(expected)
    assert (schedule.fair_start[~schedule.ran & plain.refused] == NOT_RUN).all()


def test_of_large_logs_a_sample_is_drawn_that_is_the_same_each_time() -> None:
    assert sample_of(1_000).tolist() == list(range(1_000))
    first, again = sample_of(10_000), sample_of(10_000)
    assert len(first) == 120
    assert (first == again).all()
    assert len(sample_of(1_000_000)) == 20
