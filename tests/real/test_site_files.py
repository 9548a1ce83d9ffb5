"""A site's `slurm.conf` as it is read and written, beside what its controller makes of it."""

from pathlib import Path

import pytest

from engine.logs.read import read_records
from engine.policy.policy import parse_policy
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.export.site_file import slurm_into
from engine.slurm.site.changes import changed, current
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import read_site
from tests.engine.slurm.export.controllers import Answer, factors_of, obeys, settings_of
from tests.real.database import hosts, jobs
from tests.real.session import CHANGES, POLICIES


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


def answer_of(session: Path, name: str) -> Answer:
    """What a controller said of its configuration, as an answer without complaints."""
    config = (session / "out" / f"config_{name}.txt").read_text()
    partitions = (session / "out" / f"partition_{name}.txt").read_text()
    return Answer(True, (), settings_of(config), partitions)


@pytest.mark.parametrize("when", ["", "_anew"], ids=["running", "restarted"])
@pytest.mark.parametrize("name", POLICIES)
def test_a_controller_obeys_what_is_written_into_its_file(session: Path, name: str, when: str) -> None:
    policy = parse_policy(POLICIES[name])
    answer = answer_of(session, f"{name}{when}")
    if name == "stop" and not when:  # a running controller refuses another scheduler
        assert answer.settings["schedulertype"] == "sched/backfill"
        return
    obeys(answer, policy)
    given = policy.queue_priority.as_dict()
    if given:
        assert factors_of(answer) == {name: f"{given.get(name, 0):g}" for name in factors_of(answer)}


def test_other_plugins_count_after_a_restart_alone(session: Path) -> None:
    """By priority/basic the first job has the priority 2^32 less some, by weights of thousands not."""
    out = session / "out"
    shown = {when: int((out / f"priority_basic{when}.txt").read_text()) for when in ("", "_anew")}
    assert int((out / "priority_weights_anew.txt").read_text()) < 1_000_000
    assert shown[""] < 1_000_000  # the running controller goes on with its plugin, as the export says
    assert shown["_anew"] > 1_000_000_000
    assert (out / "reconfigure_basic.txt").read_text() == ""
    assert "SchedulerType change requires restart" in (out / "reconfigure_stop.txt").read_text()
    for name, plugins in (("basic", "PriorityType"), ("stop", "PriorityType and SchedulerType")):
        left_out = slurm_into(parse_policy(POLICIES[name]), out / "site" / "slurm.conf").left_out
        assert [line for line in left_out if line.startswith(f"{plugins}: slurmctld has to be restarted")]


def test_what_is_pasted_of_a_changed_site_is_obeyed(session: Path) -> None:
    """The site that a restarted Slurm prints is the changed one, read as any site."""
    out = session / "out"
    found = answer_of(session, "changed_anew").settings
    words = found["schedulerparameters"].split(",")
    assert {"bf_interval=9", "bf_max_job_test=321", "requeue_delay=1"} <= set(words)
    assert (found["priorityweightage"], found["priorityweightjobsize"]) == ("777", "0")
    printed = out / "pasted"
    printed.mkdir()
    for name, file in (("slurm.conf", out / "site" / "slurm.conf"), ("qos.txt", out / "qos_changed.txt")):
        (printed / name).write_text(file.read_text())
    (printed / "dump.cfg").write_text((out / "dump_changed.cfg").read_text())
    site, expected = read_site_at(printed), changed(read_site_at(out / "site"), CHANGES)
    assert dict(site.qos_limits)["high"]["maxjobspu"] == "3"
    assert site.associations == expected.associations
    for name in ("Fairshare.bio", "MaxJobsPU.high", "GrpTRES.physics", "MaxTRESPU.high"):
        assert current(site, name) == CHANGES[name]
