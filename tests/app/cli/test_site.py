from __future__ import annotations

import json

import pytest

from app.cli.main import main
from tests.app.cli.commands import Commands
from tests.engine.trace.sacct import HEADER, clock, job

CONF = """NodeName=a[1-2] CPUs=4
NodeName=b CPUs=8
PartitionName=batch Nodes=a[1-2]
PartitionName=long Nodes=b MaxTime=60
PriorityWeightAge=10
SchedulerParameters=bf_interval=60
"""


@pytest.fixture
def site(tmp_path):
    """A log and a slurm.conf."""
    log, conf = tmp_path / "log", tmp_path / "slurm.conf"
    jobs = [
        job(JobID=k, Submit=clock(k), Start=clock(9 + k), Partition="batch" if k % 2 else "long")
        for k in (1, 2, 3)
    ]
    log.write_text("\n".join((HEADER, *jobs, "")))
    conf.write_text(CONF)
    return str(log), str(conf)


def test_the_machine_and_the_policy_of_a_site(site, capsys):
    log, conf = site
    assert main(["compare", log, "--cluster", conf, "-p", "recorded", "-p", conf, "--json"]) == 0
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert document["cluster"]["spelling"] == "2x4c+8c"
    assert [run["policy"] for run in document["runs"]][1] == (
        "easy:order=priority,depth=all,weights=age=10,queue_nodes=batch@1;long@2,pass_every=1m,test_limit=500,"
        "horizon=1d,resolution=1m"
    )
    assert f"{conf}: not simulated: partition long, maxtime=60: queues have no limit of walltimes" in told.err


def test_elsewhere_partitions_are_not_bound(site, capsys):
    log, conf = site
    assert main(["simulate", log, "--cluster", "16c", "-p", conf, "--json"]) == 0
    told = capsys.readouterr()
    assert "queue_nodes" not in told.out
    assert "partitions: their nodes are no nodes of this machine" in told.err


def test_a_broken_file_is_told_before_the_log_is_read(site, capsys, tmp_path):
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=a CPUs=x")
    assert main(["simulate", str(tmp_path / "missing"), "-p", str(conf)]) == 2
    assert f"{conf}:1: these nodes cannot be read" in capsys.readouterr().err


def test_a_policy_as_lines_of_a_slurm_conf(cli: Commands) -> None:
    found = cli.done("policies", "--slurm", "just:pass_every=30,max_user_jobs=4")
    assert found.out.splitlines()[0] == "SchedulerType=sched/backfill"
    assert "not in these lines: max_user_jobs=4" in found.err
    assert "did you mean" in cli("policies", "--slurm", "esy").complaint
