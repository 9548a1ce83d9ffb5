from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.export.policy import slurm_policy
from tests.paths import SHARED, needs

SITE = SHARED / "other-formats" / "slurm-gpu.conf"
NODES = "NodeName=a[1-4] CPUs=2\n"
MULTIFACTOR = "PriorityType=priority/multifactor\n"


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
    assert "partition long, MaxTime=7-00:00:00" in text


@needs(SITE)
def test_partitions_are_bound_only_on_the_machine_of_the_file_and_where_they_have_jobs():
    conf = read_slurm_conf(SITE)
    assert str(slurm_policy(conf, conf.machine, ["long"]).policy.queue_nodes) == "long@1+3"
    elsewhere = slurm_policy(conf, Cluster.pool(9), ["long"])
    assert str(elsewhere.policy.queue_nodes) == "any"
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
            MULTIFACTOR + "SchedulerType=sched/builtin\nPriorityWeightAge=10\nPriorityWeightFairshare=1000",
            "easy:order=priority,depth=stop,penalty=cpu,half_life=7d,weights=age=10;fairshare=1000",
        ),
        (
            MULTIFACTOR + "SchedulerType=sched/builtin\nPriorityWeightFairshare=5\nPriorityDecayHalfLife=0",
            "easy:order=priority,depth=stop,penalty=cpu,half_life=none,weights=fairshare=5",
        ),
        (
            MULTIFACTOR
            + "SchedulerType=sched/builtin\nPriorityWeightFairshare=5\nPriorityDecayHalfLife=1-12",
            "easy:order=priority,depth=stop,penalty=cpu,half_life=36h,weights=fairshare=5",
        ),
        (
            MULTIFACTOR + "SchedulerType=sched/builtin\nPriorityWeightAge=1\nPriorityWeightJobSize=2000000",
            "easy:order=priority,depth=stop,weights=age=0.1;size=200000",
        ),
        (
            MULTIFACTOR
            + "SchedulerType=sched/builtin\nPriorityWeightAge=3\nPriorityWeightJobSize=5\n"
            + "PriorityFavorSmall=YES",
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
        ("PriorityWeightQOS=5", "PriorityWeightQOS=5: "),
        ("SelectType=select/linear", "SelectType=select/linear: "),
        ("# Slurm 22.05", "SelectType=select/linear (not given, and so before Slurm 23.11): "),
        ("PartitionName=p Nodes=ALL OverSubscribe=EXCLUSIVE", "partition p, OverSubscribe=EXCLUSIVE: "),
        ("PartitionName=p Nodes=ALL OverSubscribe=FORCE:2", "partition p, OverSubscribe=FORCE:2: processors"),
        ("PreemptType=preempt/partition_prio", "PreemptType=preempt/partition_prio: "),
        ("SchedulerParameters=bf_one_day,bf_new=7", "bf_new=7: unknown key"),
        ("PartitionName=p Nodes=ALL MaxNodes=2", "partition p, MaxNodes=2: "),
    ],
)
def test_what_has_no_counterpart_is_listed(read, text, says):
    assert any(line.startswith(says) for line in slurm_policy(read(text)).left_out)


@pytest.mark.parametrize(
    "text", ["PriorityWeightQOS=0", "PreemptType=preempt/none", "PartitionName=p MaxTime=UNLIMITED"]
)
def test_what_says_nothing_is_not_listed(read, text):
    assert len(slurm_policy(read(text)).left_out) == len(slurm_policy(read("")).left_out) == 1


@pytest.mark.parametrize(
    "text",
    [
        "SelectType=select/linear",
        "# Slurm 22.05",
        "PartitionName=p Nodes=ALL OverSubscribe=EXCLUSIVE",
        "PartitionName=p Nodes=ALL Shared=EXCLUSIVE",
        "PartitionName=p Nodes=ALL OverSubscribe=NO",
        "SelectType=select/linear\nPartitionName=p Nodes=ALL OverSubscribe=NO",
    ],
)
def test_whole_nodes_are_obeyed_on_the_machine_of_the_file_and_not_listed(read, text):
    conf = read(text)
    assert slurm_policy(conf, conf.machine).left_out == slurm_policy(read("")).left_out


@pytest.mark.parametrize(("factors", "kept"), [((9, 5), True), ((5, 9), True), ((5, 5), False)])
def test_partitions_weigh_as_their_factors_say(read, factors, kept):
    short, long = factors
    site = slurm_policy(
        read(
            f"{MULTIFACTOR}PriorityWeightPartition=7\n"
            f"PartitionName=s MaxTime=60 PriorityJobFactor={short} Nodes=ALL\n"
            f"PartitionName=l MaxTime=1-0 PriorityJobFactor={long} Nodes=ALL"
        )
    )
    assert ("queue=7" in str(site.policy.weights)) == kept
    assert str(site.policy.queue_priority) == (f"l@{long};s@{short}" if kept else "walltime")
    assert any("the same PriorityJobFactor" in line for line in site.left_out) != kept


def test_partitions_weigh_only_where_the_log_has_jobs_in_them(read):
    conf = read(
        MULTIFACTOR
        + "PriorityWeightAge=1\nPriorityWeightPartition=7\nPartitionName=s PriorityJobFactor=9 Nodes=ALL\n"
        "PartitionName=l PriorityJobFactor=5 Nodes=ALL"
    )
    site = slurm_policy(conf, queues=["s", "x"])
    assert str(site.policy.queue_priority) == "l@5;s@9"
    assert "PriorityJobFactor of queues without a partition here, 0: x" in site.left_out
    site = slurm_policy(conf, queues=["x", "y"])
    assert str(site.policy.weights) == "age=1"
    assert "PriorityWeightPartition: this log has no jobs in partitions of this file" in site.left_out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("PriorityWeightAge=much", "PriorityWeightAge=much is not a whole number"),
        (
            MULTIFACTOR + "PriorityWeightFairshare=1\nPriorityDecayHalfLife=soon",
            "PriorityDecayHalfLife=soon is not a duration",
        ),
    ],
)
def test_numbers_that_cannot_be_read(read, tmp_path, text, says):
    with pytest.raises(InputError) as caught:
        slurm_policy(read(text))
    assert str(caught.value) == f"{tmp_path / 'slurm.conf'}: {says}"


@pytest.mark.parametrize(
    ("text", "order", "says"),
    [
        (
            "",
            "priority",
            "priority/multifactor is assumed, the default from Slurm 23.11 on; if this is an older one",
        ),
        (
            "# Slurm 22.05 here",
            "fcfs",
            "is taken, the default before Slurm 23.11 (a comment names Slurm 22.05)",
        ),
        (
            "# for slurm version 24.05.2",
            "priority",
            "priority/multifactor is taken, the default from Slurm 23.11 on (a comment names Slurm 24.05)",
        ),
        ("SelectType=select/cons_res", "fcfs", "(select/cons_res is not known from Slurm 23.11 on)"),
        ("RoutePlugin=route/default", "fcfs", "(routeplugin is not known after Slurm 23.02)"),
        ("HashPlugin=hash/k12", "priority", "(hashplugin is known from Slurm 24.05)"),
    ],
)
def test_without_a_priority_type_the_version_counts(read, text, order, says):
    site = slurm_policy(read(f"PriorityWeightAge=1000\nPriorityWeightJobSize=5000\n{text}"))
    assert site.policy.order == order
    (line,) = [line for line in site.left_out if line.startswith("PriorityType is not given")]
    assert says in line


def test_the_version_is_that_of_a_printed_configuration_beside(read, tmp_path):
    (tmp_path / "config.txt").write_text(
        "Configuration data as of 2026-01-01T00:00:00\nSLURM_VERSION           = 23.11.4\n"
    )
    conf = read("PriorityWeightAge=1000 # slurm 20.11")
    assert (conf.version, conf.version_from) == ((23, 11), "config.txt beside it is of Slurm 23.11")
    assert slurm_policy(conf).policy.order == "priority"


def test_nothing_is_assumed_where_it_makes_no_difference(read):
    assert not any("PriorityType" in line for line in slurm_policy(read("PriorityWeightAge=0")).left_out)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("UNLIMITED", 4_294_967_236),
        ("infinite", 4_294_967_236),
        ("90", 5400),
        ("90:30", 5460),
        ("0-00:01:30", 120),
        ("1:00:00", 3600),
        ("14-0", 14 * 86_400),
        ("1-12:30", 131_400),
        ("24855-0", 24_855 * 86_400),
    ],
)
def test_times_are_whole_minutes_as_in_slurmctld(read, text, seconds):
    site = slurm_policy(read(f"{MULTIFACTOR}PriorityWeightAge=1k\nPriorityMaxAge={text}"))
    assert (site.policy.max_age, str(site.policy.weights)) == (seconds, "age=1024")
    assert any("without bound" in line for line in site.left_out) == (seconds > 2**31)
    half = slurm_policy(read(f"{MULTIFACTOR}PriorityWeightFairshare=7\nPriorityDecayHalfLife={text}"))
    assert half.policy.half_life == seconds


def test_a_time_that_slurmctld_refuses(read):
    with pytest.raises(InputError, match="PriorityMaxAge=49700-0: Slurm takes no time over 24,855 days"):
        slurm_policy(read(f"{MULTIFACTOR}PriorityWeightAge=1\nPriorityMaxAge=49700-0"))


@pytest.mark.parametrize(
    ("given", "keys", "says"),
    [
        ("bf_interval=10801", {"pass_every": 30}, "bf_interval=10801: slurmctld takes 1 to 10,800, and 30"),
        ("bf_interval=0", {"pass_every": 30}, "bf_interval=0: slurmctld takes"),
        ("bf_interval=x", {"pass_every": 30}, "bf_interval=x: slurmctld takes"),
        ("bf_max_job_test=1000001", {"test_limit": 500}, "slurmctld takes 1 to 1,000,000, and 500"),
        ("bf_window=43201", {"horizon": 86_400}, "bf_window=43201: slurmctld takes 1 to 43,200, and 1440"),
        ("bf_resolution=3601", {"resolution": 60}, "slurmctld takes 1 to 3,600, and 60"),
        ("BF_Interval=7", {"pass_every": 7}, ""),
        ("bf_interval=-1", {"depth": "stop"}, "bf_interval=-1: the backfiller is off"),
    ],
)
def test_parameters_beyond_their_bounds_are_those_that_slurmctld_takes(read, given, keys, says):
    site = slurm_policy(read(f"SchedulerParameters={given}"))
    assert {key: getattr(site.policy, key) for key in keys} == keys
    assert not says or any(says in line for line in site.left_out)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("FairShareDampeningFactor=5", "FairShareDampeningFactor=5: only the site's own Slurm"),
        ("PriorityFlags=fair_tree", "PriorityFlags=FAIR_TREE: only the site's own Slurm"),
        (
            "PriorityFlags=MAX_TRES,NO_FAIR_TREE",
            "PriorityFlags=NO_FAIR_TREE: only the site's own Slurm",
        ),
        ("PriorityFlags=MAX_TRES", "fair tree, Slurm's default, is not modelled: fairshare is the classic"),
        ("", "fair tree, Slurm's default, is not modelled"),
        ("PriorityFlags=FOO", "PriorityFlags=foo: unknown key"),
        (
            "TopologyPlugin=topology/tree",
            "TopologyPlugin=topology/tree: only the site's own Slurm",
        ),
        ("PriorityWeight=5", "priorityweight=5: unknown key"),
        ("PriorityType=priority/other", "PriorityType=priority/other: jobs go by their submission"),
        (
            "PriorityType=priority/basic",
            "PriorityWeight*: weights have no use with PriorityType=priority/basic",
        ),
        ("PartitionName=q Nodes=ALL State=DRAIN", "partition q, State=DRAIN: every partition is open"),
        ("PartitionName=DEFAULT MaxTime=5\nPartitionName=q\nPartitionName=r", "partitions q, r, MaxTime=5: "),
    ],
)
def test_what_is_ignored_is_listed_with_what_that_does(read, text, says):
    site = slurm_policy(read(f"{MULTIFACTOR}PriorityWeightFairshare=1\n{text}"))
    assert any(line.startswith(says) for line in site.left_out), site.left_out


@pytest.mark.parametrize("flag", ["FAIR_TREE", "NO_FAIR_TREE", "DEPTH_OBLIVIOUS"])
def test_the_default_is_not_named_where_a_flag_says_which_formula_counts(read, flag):
    site = slurm_policy(read(f"{MULTIFACTOR}PriorityWeightFairshare=1\nPriorityFlags={flag}"))
    assert not any("Slurm's default" in line for line in site.left_out)


TIERS = (
    "PartitionName=a Nodes=ALL PriorityTier=9 PriorityJobFactor=1\n"
    "PartitionName=b Nodes=ALL PriorityJobFactor=4\n"
)


def test_tiers_come_before_all_else(read):
    site = slurm_policy(read(f"{TIERS}PartitionName=c Nodes=ALL Priority=9"))
    assert (str(site.policy.weights), str(site.policy.queue_priority)) == (
        "queue=1",
        "a@999999999;b@0;c@999999999",
    )
    site = slurm_policy(read(f"{MULTIFACTOR}PriorityWeightAge=1000\nPriorityWeightPartition=500\n{TIERS}"))
    age, queue = site.policy.factor_weights[0], site.policy.factor_weights[-1]
    share = {name: value / 999_999_999 for name, value in site.policy.queue_priority.as_dict().items()}
    assert share["b"] * queue == pytest.approx(500, abs=1)
    assert share["a"] * queue > share["b"] * queue + age
    assert not any("Tier" in line for line in site.left_out)


def test_alike_tiers_change_nothing(read):
    site = slurm_policy(read("PartitionName=a Nodes=ALL PriorityTier=7\nPartitionName=b PriorityTier=7"))
    assert site.policy.order == "fcfs"
