"""What is written for Slurm, as a real slurmctld takes it; skipped where there is none."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.policy.policy import parse_policy
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.export.lines import slurm_lines
from engine.slurm.export.site_file import slurm_into
from tests.engine.slurm.export.controllers import Controllers, available, controllers, factors_of, obeys
from tests.engine.slurm.export.slurm_policies import policy_of, random_policy, same_schedules

pytestmark = pytest.mark.skipif(not available(), reason="no slurmctld that this user may start")

SECONDS_IN_ALL = 45
"""After which no further controller is started: with the last one, 60 s in all."""
NODES = (
    "NodeName=x[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[38001-38004] CPUs=8 RealMemory=16000 "
    "State=UNKNOWN\n"
)
PARTITIONS = (
    "PartitionName=short Nodes=x[1-4] Default=YES MaxTime=01:00:00\n"
    "PartitionName=long Nodes=x[1-2] MaxTime=10-00:00:00\n"
    "PartitionName=low Nodes=x[1-2] MaxTime=10-00:00:00\n"
)
SITE = (
    "SchedulerParameters=bf_continue,bf_interval=45,\\\nbf_window=2880\nPriorityType=priority/multifactor\n"
    "PriorityWeightAge=7   # of all\nPriorityWeightJobSize=9\nPriorityMaxAge=3-0\nPriorityFavorSmall=YES\n"
    "PriorityDecayHalfLife=2-0\n"
)
SITE_PARTITIONS = (
    "PartitionName=DEFAULT Priority=5 State=UP\n"
    "PartitionName=short Nodes=x[1-4] Default=YES \\\n  MaxTime=01:00:00\n"
    "partitionname=long Nodes=x[1-2] priorityjobfactor=7 MaxTime=10-00:00:00\nInclude more.conf\n"
)
MORE = "PartitionName=low Nodes=x[1-2] MaxTime=10-00:00:00 # slow\n"

EXPORTED = {
    "big": "easy:order=priority,depth=all,weights=age=999999;queue=3.123456,max_age=90,horizon=1m",
    "lims": "easy:depth=all,pass_every=100000,test_limit=5000000,user_test_limit=50000,horizon=40d,"
    "resolution=2h",
    "nodecay": "easy:order=priority,depth=all,half_life=none,weights=age=1;fairshare=0.25;small=2",
    "qp": "easy:order=priority,depth=all,weights=age=5;queue=3,queue_priority=low@9;short@3,max_age=90",
    "least": "easy:depth=all,pass_every=1,test_limit=1,user_test_limit=1,horizon=1,resolution=1",
    "stop": "easy:depth=stop",
    "other": "easy:order=saf,relaxed=0.5,max_user_jobs=3",
    "long": "easy:order=priority,weights=age=0.000001;size=999999,max_age=9999999d",
    "forever": "easy:order=priority,penalty=cpu,weights=fairshare=1,half_life=30000d",
    "even": "easy:order=priority,weights=size=3;small=3",
}


@pytest.fixture(scope="module")
def started() -> Iterator[tuple[Controllers, float]]:
    with controllers() as found:
        yield found, time.monotonic() + SECONDS_IN_ALL


@pytest.fixture
def running(started: tuple[Controllers, float]) -> Controllers:
    found, last = started
    if time.monotonic() > last:
        pytest.skip(f"a slow machine: {SECONDS_IN_ALL} s are over")
    return found


@pytest.mark.parametrize(
    ("text", "up", "says"),
    [
        ("PriorityWeightAge=999999000000", False, "PriorityWeightAge value (999999000000) is greater than"),
        ("SchedulerParameters=bf_interval=100000", True, "Invalid SchedulerParameters bf_interval: 100000"),
        (
            "PriorityType=priority/multifactor\nPriorityDecayHalfLife=0",
            False,
            "You have to either have PriorityDecayHalfLife != 0 or PriorityUsageResetPeriod set",
        ),
        ("PartitionName=low PriorityJobFactor=65533", False, "duplicate entry for partition low"),
    ],
)
def test_what_a_controller_refuses_is_seen(running: Controllers, text: str, up: bool, says: str) -> None:
    answer = running.ask(running.base(NODES + PARTITIONS) + text + "\n")
    assert answer.up == up
    assert any(says in line for line in answer.wrong)


@pytest.mark.parametrize("name", EXPORTED)
def test_lines_are_taken_and_obeyed(running: Controllers, name: str) -> None:
    policy = parse_policy(EXPORTED[name])
    obeys(running.ask(running.base(NODES + PARTITIONS) + slurm_lines(policy).text), policy)


@pytest.mark.parametrize("name", EXPORTED)
def test_a_whole_file_is_taken_and_obeyed(running: Controllers, name: str) -> None:
    policy = parse_policy(EXPORTED[name])
    path = running.folder / "site.conf"
    path.write_text(running.base(NODES) + SITE + SITE_PARTITIONS, "utf-8")
    (running.folder / "more.conf").write_text(MORE, "utf-8")
    answer = running.ask(slurm_into(policy, path).text)
    obeys(answer, policy)
    if name == "qp":
        assert factors_of(answer) == {"short": "3", "long": "0", "low": "9"}


@pytest.mark.parametrize("seed", range(12))
def test_whatever_policy_is_written_it_is_taken_and_read_back(running: Controllers, seed: int) -> None:
    policy = random_policy(random.Random(seed))
    path = running.folder / "site.conf"
    path.write_text(running.base(NODES) + SITE + SITE_PARTITIONS, "utf-8")
    (running.folder / "more.conf").write_text(MORE, "utf-8")
    text = slurm_into(policy, path).text
    answer = running.ask(text)
    obeys(answer, policy)
    if policy.order == "priority" and "queue" in policy.weights:
        given = policy.queue_priority.as_dict()
        assert {name: float(factor) for name, factor in factors_of(answer).items()} == {
            name: given.get(name, 0) for name in ("short", "long", "low")
        }
    written = Path(running.folder / "written.conf")
    written.write_text(text, "utf-8")
    assert same_schedules(policy_of(read_slurm_conf(written)), policy)
