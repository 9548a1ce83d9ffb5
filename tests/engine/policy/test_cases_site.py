"""The policy of a site beside what real Slurm did by it: mean waits of the same jobs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.machine.slurm_conf import read_slurm_conf
from engine.policy.slurm_policy import slurm_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.simulation.run import simulate
from tests.paths import SHARED

CASES = SHARED / "cases" / "real-slurm"
REFERENCE = SHARED / "reference" / "slurm"
pytestmark = pytest.mark.skipif(not CASES.exists(), reason="no cases here")


@pytest.mark.parametrize(
    ("log", "conf", "real", "most"),
    [
        pytest.param(CASES / "light.txt", CASES / "light.conf", 1.0, 1.1, id="RS10"),
        pytest.param(
            REFERENCE / "fifo" / "sacct.txt.gz", REFERENCE / "fifo" / "slurm.conf", 223.4, 10, id="fifo"
        ),
        pytest.param(
            REFERENCE / "micro" / "sacct.txt.gz", REFERENCE / "micro" / "slurm.conf", 547.8, 125, id="micro"
        ),
    ],
)
def test_mean_waits_come_near_those_of_slurm(log: Path, conf: Path, real: float, most: float) -> None:
    read = read_log_as(log, Reading(machine=str(conf)))
    trace = read.trace
    site = slurm_policy(read_slurm_conf(conf), read.cluster, trace.queue.names, trace.group.names)
    schedule = simulate(trace, read.cluster, site.policy)
    wait = schedule.start - trace.submit
    assert np.mean(trace.wait) == pytest.approx(real, abs=0.06)
    assert abs(np.mean(wait) - real) < most
    without = simulate(trace, read.cluster, site.policy.with_keys(between="nothing", release="none"))
    assert abs(np.mean(without.start - trace.submit) - real) > most, "which the main scheduler makes up for"
