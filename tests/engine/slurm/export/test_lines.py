import random
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.policy.policy import Policy, parse_policy
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.export.lines import slurm_lines
from engine.slurm.export.weights import whole_factors, whole_weights
from tests.engine.slurm.export.slurm_policies import policy_of, random_policy, same_schedules


def read_back(policy: Policy, folder: Path) -> Policy:
    """The policy of a file with the lines, and with the factors in the lines of the partitions."""
    made = slurm_lines(policy)
    partitions = (f"PartitionName={name} PriorityJobFactor={factor}" for name, factor in made.factors.items())
    path = folder / "slurm.conf"
    path.write_text("\n".join(("NodeName=a[1-4] CPUs=2", *partitions, *made.lines)) + "\n", "utf-8")
    return policy_of(read_slurm_conf(path))


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
            "easy:order=priority,depth=stop,weights=small=7000",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityFavorSmall=YES",
                "PriorityWeightJobSize=7000",
            ],
        ),
        (
            "easy:order=widest,depth=stop",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityWeightJobSize=1000",
            ],
        ),
        (
            "easy:order=narrowest,depth=stop",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityFavorSmall=YES",
                "PriorityWeightJobSize=1000",
            ],
        ),
        (
            "easy:order=fairshare,depth=stop,penalty=cpu,half_life=36h",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityWeightFairshare=1000",
                "PriorityDecayHalfLife=1-12:00:00",
            ],
        ),
        (
            "easy:order=priority,depth=stop,penalty=cpu,half_life=36h,weights=age=2000;fairshare=1000",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityWeightAge=2000",
                "PriorityWeightFairshare=1000",
                "PriorityDecayHalfLife=1-12:00:00",
            ],
        ),
        (
            "easy:order=priority,depth=stop,weights=queue=5000,queue_priority=long@10;short@100",
            [
                "SchedulerType=sched/builtin",
                "PriorityType=priority/multifactor",
                "PriorityWeightPartition=5000",
                "# PriorityJobFactor=10 belongs into the line of PartitionName=long",
                "# PriorityJobFactor=100 belongs into the line of PartitionName=short",
            ],
        ),
    ],
)
def test_what_slurm_can_do_is_written_whole(spelling: str, lines: list[str], tmp_path: Path) -> None:
    policy = parse_policy(spelling)
    settings = slurm_lines(policy)
    assert (list(settings.lines), settings.left_out) == (lines, ())
    if policy.order in ("fcfs", "priority"):  # other orders are written as the weight that they are
        assert read_back(policy, tmp_path) == policy


@given(st.integers(0, 2**32))
def test_any_policy_that_slurm_can_follow_comes_back(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    policy = random_policy(random.Random(seed))
    left_out = slurm_lines(policy).left_out
    assert all(line.startswith("half_life=none: slurmctld has to forget") for line in left_out)
    assert same_schedules(read_back(policy, tmp_path_factory.mktemp("conf")), policy)


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("easy", "depth=1: Slurm's backfiller reserves for each job"),
        ("easy:order=sjf", "order=sjf: Slurm orders by submission"),
        (
            "easy:max_user_jobs=5",
            "max_user_jobs=5: a limit of a QOS (sacctmgr modify qos NAME set MaxJobsPerUser=5)",
        ),
        ("easy:max_user_cpus=16", "MaxTRESPerUser=cpu=16; for one account or user GrpTRES=cpu=16 of the"),
        ("easy:estimate=last2", "estimate=last2: Slurm has nothing like it"),
        ("just:queue_nodes=short@1", "queue_nodes=short@1: partitions name their nodes"),
        ("easy:order=priority,weights=queue=5", "PriorityJobFactor"),
        ("easy:order=priority,weights=queue=5,queue_priority=a@0.5", "PriorityJobFactor is a whole number"),
        ("easy:order=priority,weights=size=1;small=2", "weights, size: Slurm favours either"),
        ("just", "reservations for any time ahead: bf_window is left as it is"),
        ("just:horizon=90", "horizon=90: bf_window is in minutes"),
        ("just:horizon=40d,resolution=2h", "horizon=40d: bf_window is in minutes, up to 30 days"),
        ("just:resolution=2h", "resolution=2h: bf_resolution is at most an hour"),
        ("just:pass_every=4h", "pass_every=4h: bf_interval is at most 10,800 here"),
        ("just:test_limit=2000000", "test_limit=2000000: bf_max_job_test is at most 1,000,000 here"),
        ("just:user_test_limit=501", "user_test_limit=501: bf_max_job_user is at most 500 here"),
        ("just:user_test_limit=9,test_limit=8", "user_test_limit=9: bf_max_job_user is at most 8 here"),
        ("easy:order=priority,weights=age=1,max_age=90", "max_age=90: PriorityMaxAge is in minutes"),
        (
            "easy:order=priority,weights=age=1,max_age=30000d",
            "PriorityMaxAge is in minutes, up to 24,855 days",
        ),
        ("easy:order=priority,weights=fairshare=1,half_life=1", "half_life=1: PriorityDecayHalfLife is in"),
        ("easy:order=priority,weights=fairshare=1,half_life=none", "half_life=none: slurmctld has to forget"),
        ("easy:order=priority,weights=fairshare=1", "penalty=max: TRESBillingWeights"),
        (
            "easy:order=priority,weights=age=999999;size=3.123456",
            "weights=age=999999;size=3.123456: weights are",
        ),
    ],
)
def test_what_slurm_cannot_do_is_reported(spelling: str, expected: str) -> None:
    assert expected in "\n".join(slurm_lines(parse_policy(spelling)).left_out)


@pytest.mark.parametrize(
    ("spelling", "lines"),
    [
        ("weights=age=1,max_age=90", ["PriorityMaxAge=0-00:02:00"]),
        ("weights=age=1,max_age=4294967236", ["PriorityMaxAge=UNLIMITED"]),
        ("weights=age=1,max_age=30000d", ["PriorityMaxAge=24855-00:00:00"]),
        (
            "weights=fairshare=1,half_life=none",
            ["PriorityDecayHalfLife=0", "PriorityUsageResetPeriod=YEARLY"],
        ),
        ("weights=age=0.5;size=1.25", ["PriorityWeightAge=500000", "PriorityWeightJobSize=1250000"]),
        ("weights=age=5;queue=3", ["PriorityWeightAge=5000", "PriorityWeightPartition=3000"]),
        ("weights=size=1;small=3", ["PriorityFavorSmall=YES", "PriorityWeightJobSize=2000"]),
        ("weights=size=3;small=1", ["PriorityWeightJobSize=2000"]),
        ("weights=size=3;small=3", ["PriorityType=priority/basic"]),
        ("weights=age=1,test_limit=1,depth=all", ["bf_max_job_test=1,bf_node_space_size=2"]),
    ],
)
def test_values_are_such_as_slurmctld_takes(spelling: str, lines: list[str]) -> None:
    text = slurm_lines(parse_policy(f"easy:order=priority,{spelling}")).text
    assert all(line in text for line in lines), text


@given(
    st.dictionaries(
        st.sampled_from(["age", "fairshare", "size", "queue"]),
        st.integers(1, 999_999_999_999).map(lambda millionths: millionths / 10**6),
        min_size=1,
    )
)
def test_weights_are_whole_large_enough_and_not_too_large_together(weights: dict[str, float]) -> None:
    whole, same = whole_weights(weights)
    assert whole.keys() == weights.keys()
    assert all(isinstance(weight, int) and weight >= 1000 for weight in whole.values())
    assert sum(whole.values()) <= 2**32 - 1
    exact = {name: Fraction(round(weight * 10**6)) for name, weight in weights.items()}
    total, whole_total = sum(exact.values()), sum(whole.values())
    off = max(abs(exact[name] / total - Fraction(whole[name], whole_total)) for name in weights)
    assert off == 0 if same else 0 < off < Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("weights", "whole", "same"),
    [
        ({"age": 1000, "size": 999_999}, {"age": 1000, "size": 999_999}, True),
        ({"age": 999, "size": 1000}, {"age": 9990, "size": 10_000}, True),
        ({"age": 1, "queue": 0}, {"age": 1000}, True),
        ({"age": 999_999, "size": 0.000001}, {"age": 4_294_964_294, "size": 1000}, False),
    ],
)
def test_weights_keep_their_proportion(weights: dict[str, float], whole: dict[str, int], same: bool) -> None:
    found, exact = whole_weights(weights)
    assert exact == same
    assert found == pytest.approx(whole, rel=1e-6)


def test_priorities_of_queues_that_are_too_large_or_no_whole_numbers_keep_their_proportion() -> None:
    policy = parse_policy("easy:order=priority,weights=queue=1,queue_priority=a@0.5;b@1;c@0")
    assert slurm_lines(policy).factors == {"a": 32766, "b": 65533, "c": 0}
    assert whole_factors({"a": 65_534.0, "b": 32_767.0}) == ({"a": 65_533, "b": 32_766}, False)
    assert whole_factors({"a": 65_533.0, "b": 0.0}) == ({"a": 65_533, "b": 0}, True)
