"""A site brings its machine, unless another is asked for."""

from pathlib import Path

import pytest

from engine.api import read
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.reading.log import Log
from engine.reading.options import Reading
from engine.reading.read import on_site_machine
from engine.study import Study
from tests.engine.logs.sacct.dumps import HEADER, clock, job


@pytest.fixture
def sites(tmp_path: Path) -> tuple[Policy, Policy]:
    """Two sites, the second with two more nodes."""
    made = []
    for name, nodes in (("a", 4), ("b", 6)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "slurm.conf").write_text(f"NodeName=n[1-{nodes}] CPUs=8\nPartitionName=p Nodes=ALL\n")
        made.append(parse_policy(f"site:{folder}"))
    return made[0], made[1]


@pytest.fixture
def log(tmp_path: Path) -> Log:
    file = tmp_path / "log"
    file.write_text(
        "\n".join((HEADER, *(job(JobID=k, Submit=clock(k), Start=clock(9 + k)) for k in (1, 2)), ""))
    )
    return read(file)


def test_each_site_has_a_machine_of_its_own_and_the_rest_that_of_the_first(
    log: Log, sites: tuple[Policy, Policy]
) -> None:
    first, second = sites
    opened = log.on_site_machine([parse_policy("recorded"), first, second])
    assert opened.cluster.spelling == "4x8c"
    assert opened.trace.cluster == opened.cluster == first.machine
    policies = [parse_policy("recorded"), parse_policy("easy"), first, second]
    assert [opened.machine(policy).spelling for policy in policies] == ["4x8c", "4x8c", "4x8c", "6x8c"]
    assert opened.name(first) == "site:a"
    assert opened.name(second) == "site:b on 6x8c"
    study = Study(opened.trace, opened.cluster).add(first).add(second)
    assert [study.name(run) for run in study.runs] == [opened.name(first), opened.name(second)]


def test_a_machine_that_is_asked_for_is_a_change_that_the_run_names(
    tmp_path: Path, log: Log, sites: tuple[Policy, Policy]
) -> None:
    assert log.path is not None
    asked = read(log.path, machine="9x8c").on_site_machine(sites)
    assert [asked.machine(policy).spelling for policy in sites] == ["9x8c", "9x8c"]
    assert asked.name(sites[0]) == "site:a on 9x8c"
    assert on_site_machine(Reading(machine="9x8c"), sites).machine == "9x8c"


def test_a_log_without_a_file_takes_the_machine_of_the_first_site(
    log: Log, sites: tuple[Policy, Policy]
) -> None:
    bare = Log(log.trace, Cluster.pool(3))
    assert bare.on_site_machine(sites).cluster == sites[0].machine
    assert bare.on_site_machine([parse_policy("easy")]) == bare or bare.cluster == Cluster.pool(3)
