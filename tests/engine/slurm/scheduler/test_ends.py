"""Every simulation of a site ends, also where jobs preempt each other and where jobs never start."""

import threading

import numpy as np
import pytest

from engine.slurm.scheduler.loop import run_site
from engine.slurm.scheduler.preempt import MOST_TIMES
from engine.slurm.scheduler.state import NOT_STARTED, SiteRun
from tests.engine.slurm.scheduler.random_site import random_run

SECONDS = 20.0
"""In which a single workload of 150 jobs would be simulated thousands of times."""


def ends(run: SiteRun) -> bool:
    """Whether a simulation ends; it is given up after SECONDS."""
    control = np.zeros(2, np.int64)
    timer = threading.Timer(SECONDS, lambda: control.__setitem__(0, 1))
    timer.start()
    try:
        run_site(run, control)
    finally:
        timer.cancel()
        timer.join()
    return not control[0]


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """The kernels are there before a run is timed."""
    run = random_run(0)
    assert run is not None
    run_site(run, np.ones(2, np.int64))


@pytest.mark.parametrize("patience", [0, 30])
def test_no_random_workload_runs_for_ever(patience: int) -> None:
    refused = 0
    for seed in range(250):
        run = random_run(seed, patience=patience)
        if run is None:
            continue
        assert ends(run), seed
        refused += int((run.state.start == NOT_STARTED).sum())
    assert refused > 0


def test_no_job_is_preempted_more_often_than_is_allowed() -> None:
    runs = [random_run(seed, patience=0) for seed in range(250, 330)]
    for run in runs:
        if run is not None and len(run.preemption.times):
            assert ends(run)
            assert run.preemption.times.max() <= MOST_TIMES
