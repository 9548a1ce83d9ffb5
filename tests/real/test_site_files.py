"""A site's `slurm.conf` as it is read and written, beside what its controller makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.policy.policy import parse_policy
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.site.site import read_site
from engine.trace.read import read_records
from tests.engine.slurm.export.controllers import Answer, factors_of, obeys, settings_of
from tests.real.database import hosts, jobs
from tests.real.session import POLICIES


def entries(path: Path, key: str) -> dict[str, dict[str, str]]:
    """What `scontrol show` prints of each node or partition, by its name."""
    found: dict[str, dict[str, str]] = {}
    for block in path.read_text().split(f"{key}=")[1:]:
        name, *words = block.split()
        found[name] = dict(word.partition("=")[::2] for word in words)
    return found


def test_nodes_are_those_of_the_controller(session: Path) -> None:
    machine = read_slurm_conf(session / "slurm.conf").machine
    shown = entries(session / "out" / "node.txt", "NodeName")
    found = {}
    for group in machine.groups:
        gpus = dict(group.extra).get("gpu", 0)
        for name in group.names:
            found[name] = (group.cpus, group.ram, gpus, set(group.features))
    assert found == {
        name: (
            int(node["CPUTot"]),
            int(node["RealMemory"]),
            int(node["Gres"].rpartition(":")[2]) if node["Gres"].startswith("gpu") else 0,
            set(node["AvailableFeatures"].split(",")),
        )
        for name, node in shown.items()
    }


def test_partitions_have_the_nodes_of_the_controller(session: Path) -> None:
    conf = read_slurm_conf(session / "slurm.conf")
    shown = entries(session / "out" / "partition.txt", "PartitionName")
    found = {
        partition.name: {name for k in partition.groups for name in conf.groups[k - 1].names}
        for partition in conf.partitions
    }
    assert found == {name: set(hosts(partition["Nodes"])) for name, partition in shown.items()}


def test_settings_are_those_of_the_controller(session: Path) -> None:
    conf = read_slurm_conf(session / "slurm.conf")
    found = settings_of((session / "out" / "config.txt").read_text())
    for name in ("PriorityWeightAge", "PriorityWeightFairshare", "PriorityWeightJobSize", "KillWait"):
        assert found[name.lower()].split()[0] == conf.option(name)
    site = read_site(session / "slurm.conf")
    assert site.multifactor
    assert site.rules(1).bf_interval == 5
    assert site.value("PriorityMaxAge") == 86_400


def test_jobs_lie_on_the_nodes_of_their_names(session: Path) -> None:
    machine = read_slurm_conf(session / "slurm.conf").machine
    records = read_records(session / "out" / "all_runs.txt", cluster=machine)
    expected = jobs(session / "out", every_run=True)
    pieces = records.recorded_nodes
    assert pieces is not None
    names = machine.node_names()
    for k, job in enumerate(records.job_id.tolist()):
        nodes = pieces["node"][pieces.offset[k] : pieces.offset[k + 1]].tolist()
        if expected[str(job)].ran:
            assert tuple(sorted(names[node] for node in nodes)) == expected[str(job)].hosts


@pytest.mark.parametrize("name", POLICIES)
def test_a_running_controller_obeys_what_is_written_into_its_file(session: Path, name: str) -> None:
    policy = parse_policy(POLICIES[name])
    config = (session / "out" / f"config_{name}.txt").read_text()
    partitions = (session / "out" / f"partition_{name}.txt").read_text()
    answer = Answer(True, (), settings_of(config), partitions)
    obeys(answer, policy)
    given = policy.queue_priority.as_dict()
    if given:
        assert factors_of(answer) == {name: f"{given.get(name, 0):g}" for name in factors_of(answer)}
