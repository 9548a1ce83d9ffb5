import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.export.lines import slurm_lines
from engine.slurm.export.site_file import slurm_into
from tests.engine.slurm.export.slurm_policies import policy_of, random_policy, same_schedules

SITE = """ClusterName=tst  # the cluster
SchedulerParameters=bf_interval=60,bf_continue,\\
bf_window=100
PriorityWeightAge=1000 PriorityWeightQOS=7
PriorityMaxAge=1-0
NodeName=x[1-4] CPUs=8
include parts.conf
PartitionName=low Nodes=x[1-2] priorityjobfactor=9 MaxTime=10-0
"""
PARTS = """# parts
PartitionName=DEFAULT State=UP PriorityJobFactor=3
PartitionName=short Nodes=x[1-4] \\
  Default=YES   # the usual
PartitionName=long Nodes=x[1-2]
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "parts.conf").write_text(PARTS, "utf-8")
    (tmp_path / "slurm.conf").write_text(SITE, "utf-8")
    return tmp_path / "slurm.conf"


def test_lines_are_changed_where_they_are_and_marked(site: Path) -> None:
    policy = parse_policy(
        "easy:order=priority,depth=all,weights=age=5;queue=3,queue_priority=low@1;short@2,"
        "pass_every=30,test_limit=100,horizon=1d"
    )
    made = slurm_into(policy, site)
    assert made.text == (
        "ClusterName=tst  # the cluster\n"
        "# Batchscope: SchedulerParameters; was\n"
        "#   SchedulerParameters=bf_interval=60,bf_continue,\\\n"
        "#   bf_window=100\n"
        "SchedulerParameters=bf_interval=30,bf_continue,bf_window=1440,bf_max_job_test=100,bf_resolution=1\n"
        "# Batchscope: PriorityWeightAge; was\n"
        "#   PriorityWeightAge=1000 PriorityWeightQOS=7\n"
        "PriorityWeightAge=5000 PriorityWeightQOS=7\n"
        "# Batchscope: PriorityMaxAge; was\n"
        "#   PriorityMaxAge=1-0\n"
        "PriorityMaxAge=7-00:00:00\n"
        "NodeName=x[1-4] CPUs=8\n"
        "# Batchscope: parts.conf was included here, and stands here with its changes; was\n"
        "#   include parts.conf\n"
        "# parts\n"
        "PartitionName=DEFAULT State=UP PriorityJobFactor=3\n"
        "# Batchscope: PriorityJobFactor; was\n"
        "#   PartitionName=short Nodes=x[1-4] \\\n"
        "#     Default=YES   # the usual\n"
        "PartitionName=short Nodes=x[1-4]   Default=YES PriorityJobFactor=2\n"
        "# Batchscope: PriorityJobFactor; was\n"
        "#   PartitionName=long Nodes=x[1-2]\n"
        "PartitionName=long Nodes=x[1-2] PriorityJobFactor=0\n"
        "# Batchscope: end of parts.conf\n"
        "# Batchscope: PriorityJobFactor; was\n"
        "#   PartitionName=low Nodes=x[1-2] priorityjobfactor=9 MaxTime=10-0\n"
        "PartitionName=low Nodes=x[1-2] PriorityJobFactor=1 MaxTime=10-0\n"
        "# Batchscope: added\n"
        "SchedulerType=sched/backfill\n"
        "PriorityType=priority/multifactor\n"
        "PriorityWeightPartition=3000\n"
    )
    assert made.left_out == (
        "PriorityType: slurmctld has to be restarted; after `scontrol reconfigure` it shows the new "
        "value and goes on with the old",
        "bf_interval=30 replaces 60 of the file",
        "bf_window=1440 replaces 100 of the file",
        "PriorityWeightQOS=7: stays as it is",
        "partition low, MaxTime=10-0: stays as in the file",
    )


def test_what_decides_beside_the_policy_is_named(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(
        "NodeName=n[1-2] CPUs=2\nSchedulerParameters=bf_interval=8,bf_resolution=300\n"
        "PreemptType=preempt/qos\nPreemptMode=requeue\nAccountingStorageEnforce=limits,qos\n"
        "PriorityType=priority/multifactor\n"
        "PartitionName=gpu Nodes=n1 PriorityTier=10 MaxNodes=1 QOS=capped\nPartitionName=long Nodes=n2\n",
        "utf-8",
    )
    made = slurm_into(parse_policy("just:order=widest"), path)
    expected = [
        "passes at every event: bf_interval is left as it is, 8 s in this file",
        "bf_resolution=1 replaces 300 of the file",
        "PriorityTier (gpu 10, long 1): stays as it is; jobs of a higher tier go before all others",
        "PreemptType=preempt/qos: stays as it is; jobs are preempted by their QOS (sacctmgr, Preempt)",
        "AccountingStorageEnforce=limits,qos: stays as it is, and so do limits of associations and QOS "
        "(sacctmgr show assoc, show qos)",
        "partition gpu, MaxNodes=1 and QOS=capped: stay as in the file",
    ]
    assert [line for line in expected if line not in made.left_out] == []
    assert not any("restarted" in line for line in made.left_out)  # it is multifactor already
    stops = slurm_into(parse_policy("easy:depth=stop"), path).left_out
    (restarts,) = (line for line in stops if "restarted" in line)
    assert restarts.startswith(
        "PriorityType and SchedulerType: slurmctld has to be restarted; after `scontrol"
    )
    assert restarts.endswith("the old, and `scontrol reconfigure` refuses another SchedulerType")
    assert "bf_interval=8,bf_resolution=1" in made.text


def test_what_is_as_it_is_to_be_stays(site: Path) -> None:
    policy = policy_of(read_slurm_conf(site))
    first = slurm_into(policy, site).text
    site.write_text(first, "utf-8")
    assert slurm_into(policy, site).text == first
    assert "include parts.conf\n" in first
    assert "#   include" not in first


def test_what_else_the_file_weighs_is_set_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(
        "NodeName=n CPUs=2\nPriorityType=priority/multifactor\nPriorityWeightJobSize=5\n"
        "PriorityWeightFairshare=6\nPriorityFavorSmall=yes\nPriorityUsageResetPeriod=WEEKLY\n",
        "utf-8",
    )
    policy = parse_policy("easy:order=priority,weights=age=1000")
    text = slurm_into(policy, path).text
    for line in ("PriorityWeightJobSize=0", "PriorityWeightFairshare=0", "PriorityFavorSmall=NO"):
        assert f"\n{line}\n" in text
    assert "PriorityUsageResetPeriod=WEEKLY\n" in text
    never = parse_policy("easy:order=priority,penalty=cpu,half_life=none,weights=fairshare=1")
    assert "PriorityUsageResetPeriod=WEEKLY\n" in slurm_into(never, path).text
    path.write_text("NodeName=n CPUs=2\nPriorityUsageResetPeriod=NONE\n", "utf-8")
    assert "PriorityUsageResetPeriod=YEARLY\n" in slurm_into(never, path).text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_end_as_in_the_file(tmp_path: Path, end: str) -> None:
    path = tmp_path / "slurm.conf"
    path.write_bytes(f"NodeName=n CPUs=2{end}SchedulerType=sched/backfill{end}{end}# x".encode())
    text = slurm_into(parse_policy("easy:depth=stop"), path).text
    lines = [
        *("NodeName=n CPUs=2", "# Batchscope: SchedulerType; was", "#   SchedulerType=sched/backfill"),
        *("SchedulerType=sched/builtin", "", "# x", "# Batchscope: added", "PriorityType=priority/basic", ""),
    ]
    assert text == end.join(lines)


def test_the_older_key_for_tier_and_factor_becomes_the_tier(tmp_path: Path) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(
        "NodeName=n CPUs=2\nPartitionName=DEFAULT Nodes=ALL Priority=5\n"
        "PartitionName=a Priority=7 PriorityTier=2\nPartitionName=b\n",
        "utf-8",
    )
    policy = parse_policy("easy:order=priority,weights=queue=1000,queue_priority=a@1;b@2")
    text = slurm_into(policy, path).text
    assert "\nPartitionName=DEFAULT Nodes=ALL PriorityTier=5\n" in text
    assert "\nPartitionName=a PriorityTier=7 PriorityJobFactor=1\n" in text


def test_partitions_that_the_file_does_not_have_are_reported(site: Path) -> None:
    policy = parse_policy("easy:order=priority,weights=queue=1000,queue_priority=fast@1;low@2")
    made = slurm_into(policy, site)
    assert "queue_priority: there is no partition fast in slurm.conf" in made.left_out
    assert "PartitionName=fast" not in made.text


def test_a_file_that_is_no_slurm_conf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gres.conf"
    path.write_text("NodeName=a Name=gpu Count=2\n")
    with pytest.raises(InputError, match=r"this is a gres.conf"):
        slurm_into(parse_policy("easy"), path)


def test_of_a_site_what_was_changed_of_it_is_written_and_the_rest_stays(site: Path) -> None:
    (site.parent / "qos.txt").write_text("Name|Priority|GrpTRES|MaxJobsPU\nlow|0|cpu=8,mem=4G|2\n")
    changes = "bf_interval=45,bf_resolution=300,PriorityWeightAge=7,MaxJobsPU.low=3,GrpTRES.low=16"
    policy = parse_policy(f"site:{site.parent}:{changes}")
    made = slurm_into(policy, site)
    assert made.left_out[:2] == tuple(
        f"sacctmgr -i modify qos where name=low set {limit}: of the accounting database, not of this file"
        for limit in ("GrpTRES=cpu=16", "MaxJobsPU=3")
    )
    assert "bf_interval=45 replaces 60 of the file" in made.left_out
    before, after = SITE.splitlines(), [line for line in made.text.splitlines() if line[:1] != "#"]
    assert [line for line in after if line not in before] == [
        "SchedulerParameters=bf_interval=45,bf_continue,bf_window=100,bf_resolution=300",
        "PriorityWeightAge=7 PriorityWeightQOS=7",
    ]
    assert slurm_lines(policy).lines == (
        "PriorityWeightAge=7",
        "SchedulerParameters=bf_interval=45,bf_continue,bf_window=100,bf_resolution=300",
    )
    unchanged = slurm_into(parse_policy(f"site:{site.parent}"), site)
    assert unchanged.text == SITE
    assert unchanged.left_out[0] == "nothing is changed: this is the policy of the site's own files"


@given(st.integers(0, 2**32))
def test_the_written_file_is_the_policy(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    folder = tmp_path_factory.mktemp("site")
    (folder / "parts.conf").write_text(PARTS, "utf-8")
    (folder / "slurm.conf").write_text(SITE, "utf-8")
    policy = random_policy(random.Random(seed))
    text = slurm_into(policy, folder / "slurm.conf").text
    (folder / "slurm.conf").write_text(text, "utf-8")
    assert same_schedules(policy_of(read_slurm_conf(folder / "slurm.conf")), policy)
