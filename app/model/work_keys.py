"""The keys of the workbench's work, and which of it can be done before all kernels are compiled."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Flag, auto

from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.study import Study

_EASY = ("easy", "easy:estimate=requested", "easy:estimate=actual")
"""Spellings of policies that the kernels for EASY backfilling on a pool simulate."""

LOOKING = "looking"
OPENING = "opening"
LOADING = "loading"
JUDGING = "judging"
MEASURING = "measuring"
VERDICTS = "verdicts"


def run_key(run_id: int) -> tuple[str, int]:
    """The key of the simulation of a run."""
    return "run", run_id


def layout_key(run_id: int) -> tuple[str, int]:
    """The key of laying out the charts of a run, while its next simulation is under way."""
    return "layout", run_id


def preview_key(run_id: int) -> tuple[str, int]:
    """The key of the simulation of the jobs of a run that are in view."""
    return "preview", run_id


def phases_key(run_id: int) -> tuple[str, int]:
    """The key of repeating a run of a site over phases of slurmctld's loops."""
    return "phases", run_id


class ReadyKernels(Flag):
    """The kernels that are compiled so far."""

    NONE = 0
    EASY = auto()  # that read a log, and simulate it under `easy` on a pool
    RECORDED = auto()  # that read a log, and show and judge a schedule
    OTHERS = auto()


def lacks_kernel(key: Hashable, study: Study, ready: ReadyKernels) -> bool:
    """True if the work needs kernels that are not compiled yet."""
    if key == OPENING:
        return not ready
    if key in (JUDGING, MEASURING):
        return ReadyKernels.RECORDED not in ready
    for run in study.runs:
        if key in (run_key(run.id), layout_key(run.id), phases_key(run.id)):
            return _needed_by(run.policy, run.cluster) not in ready
    return True


def _needed_by(policy: Policy, cluster: Cluster) -> ReadyKernels:
    if policy.recorded:
        return ReadyKernels.RECORDED
    only_cpus = cluster.pooled and cluster.resources == ("cpus",)
    return ReadyKernels.EASY if only_cpus and policy.spelling in _EASY else ReadyKernels.OTHERS
