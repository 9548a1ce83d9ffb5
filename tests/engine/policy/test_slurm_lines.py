from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.slurm_conf import read_slurm_conf
from engine.policy.policy import Policy, parse_policy
from engine.policy.slurm_lines import slurm_lines
from engine.policy.slurm_policy import slurm_policy


def read_back(policy: Policy, folder: Path) -> Policy:
    path = folder / "slurm.conf"
    path.write_text("\n".join(("NodeName=a[1-4] CPUs=2", *slurm_lines(policy).lines)) + "\n", "utf-8")
    return slurm_policy(read_slurm_conf(path)).policy


@pytest.mark.parametrize(
    ("spelling", "lines"),
    [
        ("easy:depth=stop", ["SchedulerType=sched/builtin", "PriorityType=priority/basic"]),
        (
            "easy:depth=all,pass_every=1m,test_limit=500,user_test_limit=9,horizon=2d,resolution=10m",
            [
                "SchedulerType=sched/backfill",
                "SchedulerParameters=bf_interval=60,bf_max_job_test=500,bf_max_job_user=9,bf_window=2880,"
                "bf_resolution=600",
                "PriorityType=priority/basic",
            ],
        ),
        (
            "easy:order=priority,depth=stop,weights=small=7",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityFavorSmall=YES",
                "PriorityWeightJobSize=7",
            ],
        ),
        (
            "easy:order=priority,depth=stop,penalty=cpu,half_life=36h,weights=age=10;fairshare=1000",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityWeightAge=10",
                "PriorityWeightFairshare=1000",
                "PriorityDecayHalfLife=1-12:00:00",
            ],
        ),
        (
            "easy:order=priority,depth=stop,weights=queue=5,queue_priority=long@10;short@100",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityWeightPartition=5",
                "PartitionName=long PriorityJobFactor=10",
                "PartitionName=short PriorityJobFactor=100",
            ],
        ),
    ],
)
def test_what_slurm_can_do_is_written_whole(spelling: str, lines: list[str], tmp_path: Path) -> None:
    policy = parse_policy(spelling)
    told = slurm_lines(policy)
    assert (list(told.lines), told.left_out) == (lines, ())
    assert read_back(policy, tmp_path) == policy


@given(
    st.integers(1, 86_400),
    st.integers(1, 10**6),
    st.integers(1, 43_200),
    st.integers(1, 3600),
    st.dictionaries(st.sampled_from(["age", "fairshare", "size"]), st.integers(1, 999_999), min_size=1),
    st.booleans(),
    st.integers(1, 30 * 86_400),
    st.integers(1, 30 * 86_400),
)
def test_any_multifactor_policy_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    interval: int,
    limit: int,
    window: int,
    resolution: int,
    weights: dict[str, int],
    small: bool,
    half_life: int,
    max_age: int,
) -> None:
    keys = {"order": "priority", "depth": "all", "pass_every": str(interval), "test_limit": str(limit)}
    keys |= {"horizon": f"{window}m", "resolution": str(resolution) if resolution > 1 else "none"}
    if small and "size" in weights:
        weights["small"] = weights.pop("size")
    keys["weights"] = ";".join(f"{name}={weight}" for name, weight in weights.items())
    if "fairshare" in weights:
        keys |= {"penalty": "cpu", "half_life": str(half_life)}
    if "age" in weights:
        keys["max_age"] = str(max_age)
    policy = parse_policy("easy").with_keys(**keys)
    assert slurm_lines(policy).left_out == ()
    assert read_back(policy, tmp_path_factory.mktemp("conf")) == policy


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("easy", "depth=1: Slurm's backfiller reserves for each job"),
        ("easy:order=sjf", "order=sjf: Slurm orders by submission"),
        ("easy:max_user_jobs=5", "max_user_jobs=5: a limit of an association"),
        ("easy:estimate=last2", "estimate=last2: Slurm has nothing like it"),
        ("just:queue_nodes=short@1", "queue_nodes=short@1: partitions name their nodes"),
        ("easy:order=priority,weights=queue=5", "PriorityJobFactor"),
        ("easy:order=priority,weights=queue=5,queue_priority=a@0.5", "PriorityJobFactor is a whole number"),
        ("easy:order=priority,weights=size=1;small=2", "weights, size: Slurm favours either"),
        ("just", "reservations for any time ahead: bf_window is left as it is"),
        ("just:horizon=90", "horizon=90: bf_window is in minutes"),
        ("just:horizon=40d,resolution=2h", "horizon=40d: bf_window is in minutes, up to 30 days"),
        ("just:resolution=2h", "resolution=2h: bf_resolution is at most an hour"),
    ],
)
def test_what_slurm_cannot_do_is_told(spelling: str, told: str) -> None:
    assert told in "\n".join(slurm_lines(parse_policy(spelling)).left_out)


def test_weights_that_are_no_whole_numbers_keep_their_proportion() -> None:
    lines = slurm_lines(parse_policy("easy:order=priority,weights=age=0.5;size=1.25")).lines
    assert "PriorityWeightAge=500000" in lines
    assert "PriorityWeightJobSize=1250000" in lines


def test_priorities_of_queues_that_are_too_large_or_no_whole_numbers_keep_their_proportion() -> None:
    policy = parse_policy("easy:order=priority,weights=queue=1,queue_priority=a@0.5;b@1;c@0")
    lines = slurm_lines(policy).lines
    assert [line for line in lines if line.startswith("Part")] == [
        "PartitionName=a PriorityJobFactor=32766",
        "PartitionName=b PriorityJobFactor=65533",
        "PartitionName=c PriorityJobFactor=0",
    ]
