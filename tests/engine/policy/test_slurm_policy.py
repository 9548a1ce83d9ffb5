from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.machine.slurm_conf import read_slurm_conf
from engine.policy.policy import parse_policy
from engine.policy.slurm_policy import slurm_policy
from tests.paths import SHARED, needs

SITE = SHARED / "other-formats" / "slurm-gpu.conf"
NODES = "NodeName=a[1-4] CPUs=2\n"


@pytest.fixture
def read(tmp_path):
    def read(text: str):
        path = tmp_path / "slurm.conf"
        path.write_text(NODES + text, "utf-8")
        return read_slurm_conf(path)

    return read


@needs(SITE)
def test_a_site():
    conf = read_slurm_conf(SITE)
    site = slurm_policy(conf, conf.machine, ["short", "long", "gpu", "other"])
    assert site.policy.spelling == (
        "easy:order=priority,depth=all,penalty=cpu,half_life=7d,"
        "weights=age=1000;fairshare=100000;size=500;queue=10000,max_age=14d,"
        "queue_priority=gpu@50;long@10;short@100,"
        "queue_nodes=gpu@4;long@1+3;short@1+2,pass_every=1m,test_limit=500,"
        "user_test_limit=20,horizon=7d,resolution=5m"
    )
    text = "\n".join(site.left_out)
    for name in ("default_queue_depth", "bf_continue"):
        assert f"{name}" in text
    assert "PriorityMaxAge" not in text
    assert "fairshare within" not in text
    by_account = slurm_policy(conf, conf.machine, ["short"], ["physics", "chemistry"])
    assert by_account.policy.usage_of == "group"
    assert "fairshare within an account: the usage of its users counts as one" in by_account.left_out
    assert "partition long, maxtime=7-00:00:00" in text


@needs(SITE)
def test_partitions_are_bound_only_on_the_machine_of_the_file_and_where_they_have_jobs():
    conf = read_slurm_conf(SITE)
    assert slurm_policy(conf, conf.machine, ["long"]).policy.queue_nodes == "long@1+3"
    elsewhere = slurm_policy(conf, Cluster.pool(9), ["long"])
    assert elsewhere.policy.queue_nodes == "any"
    assert any(line.startswith("partitions: ") for line in elsewhere.left_out)


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("", "easy:depth=all,pass_every=30,test_limit=500,horizon=1d,resolution=1m"),
        ("SchedulerType=sched/builtin", "easy:depth=stop"),
        (
            "SchedulerParameters=bf_interval=90,bf_max_job_test=7,bf_window=4320,bf_resolution=300",
            "easy:depth=all,pass_every=90,test_limit=7,horizon=3d,resolution=5m",
        ),
        (
            "SchedulerParameters=bf_max_job_user=10,bf_window=90,bf_resolution=1",
            "easy:depth=all,pass_every=30,test_limit=500,user_test_limit=10,horizon=90m",
        ),
        (
            "SchedulerType=sched/builtin\nPriorityWeightAge=10\nPriorityWeightFairshare=1000",
            "easy:order=priority,depth=stop,penalty=cpu,half_life=7d,weights=age=10;fairshare=1000",
        ),
        (
            "SchedulerType=sched/builtin\nPriorityWeightFairshare=5\nPriorityDecayHalfLife=0",
            "easy:order=priority,depth=stop,penalty=cpu,half_life=none,weights=fairshare=5",
        ),
        (
            "SchedulerType=sched/builtin\nPriorityWeightFairshare=5\nPriorityDecayHalfLife=1-12",
            "easy:order=priority,depth=stop,penalty=cpu,half_life=36h,weights=fairshare=5",
        ),
        (
            "SchedulerType=sched/builtin\nPriorityWeightAge=1\nPriorityWeightJobSize=2000000",
            "easy:order=priority,depth=stop,weights=age=0.1;size=200000",
        ),
        (
            "SchedulerType=sched/builtin\nPriorityWeightAge=3\nPriorityWeightJobSize=5\nPriorityFavorSmall=YES",
            "easy:order=priority,depth=stop,weights=age=3;small=5",
        ),
        ("SchedulerType=sched/builtin\nPriorityType=priority/basic\nPriorityWeightAge=1", "easy:depth=stop"),
    ],
)
def test_options(read, text, spelling):
    policy = slurm_policy(read(text)).policy
    assert policy == parse_policy(spelling)
    assert parse_policy(policy.spelling) == policy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("PriorityWeightQOS=5", "priorityweightqos=5: "),
        ("SelectType=select/linear", "SelectType=select/linear: "),
        ("PreemptType=preempt/partition_prio", "preempttype=preempt/partition_prio: "),
        ("SchedulerParameters=bf_one_day,bf_new=7", "bf_new=7: there is nothing like it here"),
        ("PartitionName=p Nodes=ALL MaxNodes=2", "partition p, maxnodes=2: "),
    ],
)
def test_what_has_no_counterpart_is_listed(read, text, says):
    assert any(line.startswith(says) for line in slurm_policy(read(text)).left_out)


@pytest.mark.parametrize(
    "text", ["PriorityWeightQOS=0", "PreemptType=preempt/none", "PartitionName=p MaxTime=UNLIMITED"]
)
def test_what_says_nothing_is_not_listed(read, text):
    assert len(slurm_policy(read(text)).left_out) == len(slurm_policy(read("")).left_out) == 1


@pytest.mark.parametrize(("factors", "kept"), [((9, 5), True), ((5, 9), True), ((5, 5), False)])
def test_partitions_weigh_as_their_factors_say(read, factors, kept):
    short, long = factors
    site = slurm_policy(
        read(
            f"PriorityWeightPartition=7\nPartitionName=s MaxTime=60 PriorityJobFactor={short} Nodes=ALL\n"
            f"PartitionName=l MaxTime=1-0 PriorityJobFactor={long} Nodes=ALL"
        )
    )
    assert ("queue=7" in site.policy.weights) == kept
    assert site.policy.queue_priority == (f"l@{long};s@{short}" if kept else "walltime")
    assert any("the same PriorityJobFactor" in line for line in site.left_out) != kept


def test_partitions_weigh_only_where_the_log_has_jobs_in_them(read):
    conf = read(
        "PriorityWeightAge=1\nPriorityWeightPartition=7\nPartitionName=s PriorityJobFactor=9 Nodes=ALL\n"
        "PartitionName=l PriorityJobFactor=5 Nodes=ALL"
    )
    site = slurm_policy(conf, queues=["s", "x"])
    assert site.policy.queue_priority == "l@5;s@9"
    assert "PriorityJobFactor of queues without a partition here, 0: x" in site.left_out
    site = slurm_policy(conf, queues=["x", "y"])
    assert site.policy.weights == "age=1"
    assert "PriorityWeightPartition: this log has no jobs in partitions of this file" in site.left_out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("PriorityWeightAge=much", "priorityweightage=much is no whole number"),
        (
            "PriorityWeightFairshare=1\nPriorityDecayHalfLife=soon",
            "prioritydecayhalflife=soon is no length of time",
        ),
        ("SchedulerParameters=bf_interval=x", "bf_interval=x is no whole number"),
    ],
)
def test_numbers_that_cannot_be_read(read, tmp_path, text, says):
    with pytest.raises(InputError) as caught:
        slurm_policy(read(text))
    assert str(caught.value) == f"{tmp_path / 'slurm.conf'}: {says}"
