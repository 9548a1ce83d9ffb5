"""Configurations of real Slurm, and what its own programs said of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.export.policy import slurm_policy
from tests.paths import SHARED

CASES = SHARED / "cases" / "real-slurm"
REFERENCE = SHARED / "reference" / "slurm"
pytestmark = pytest.mark.skipif(not CASES.exists(), reason="no cases here")


@pytest.mark.parametrize(
    ("path", "nodes"),
    [
        pytest.param("include.conf", {8: 2, 4: 4}, id="RS04"),
        pytest.param("include_all.conf", {8: 4}, id="RS04-all"),
        pytest.param("nodeset.conf", {8: 4, 16: 2}, id="RS11"),
        pytest.param("exclusive.conf", {8: 4}, id="RS07"),
        pytest.param("light.conf", {8: 6}, id="RS10"),
        pytest.param("crcore.conf", {12: 1}, id="RS17"),
        pytest.param("spread.conf", {12: 2}, id="RS18"),
        pytest.param("feat.conf", {12: 2}, id="RS19"),
    ],
)
def test_nodes(path: str, nodes: dict[int, int]) -> None:
    found: dict[int, int] = {}
    for group in read_slurm_conf(CASES / path).machine.groups:
        found[group.cpus] = found.get(group.cpus, 0) + group.count
    assert found == nodes


@pytest.mark.parametrize(
    ("path", "partition", "names"),
    [
        pytest.param("nodeset.conf", "a", {"x1", "x2"}, id="RS11-nodes"),
        pytest.param("nodeset.conf", "b", {"y1", "y2"}, id="RS11-feature"),
        pytest.param("nodeset.conf", "c", {"x1", "x2", "y1"}, id="RS11-both"),
        pytest.param("include.conf", "all", {"x1", "x2", "y1", "y2", "y3", "y4"}, id="RS04"),
        pytest.param("nodes.conf", "gpu", {"g1", "g2"}, id="RS05"),
        pytest.param("nodes.conf", "short", {"n1", "n2", "n3", "n4", "g1", "g2"}, id="RS05-short"),
    ],
)
def test_partitions(path: str, partition: str, names: set[str]) -> None:
    conf = read_slurm_conf(CASES / path)
    found = conf.partition(partition)
    assert found is not None
    assert {name for g in found.groups for name in conf.groups[g - 1].names} == names


def test_rs04_a_log_is_read_on_included_nodes() -> None:
    read = read_log_as(CASES / "exclusive.txt", Reading(machine=str(CASES / "include.conf")))
    assert (read.cluster.nodes, read.cluster.cpus) == (6, 32)


@pytest.mark.parametrize(
    ("path", "order", "max_age", "says"),
    [
        pytest.param("maxage.conf", "priority", 4_294_967_236, "age counts without bound", id="RS13"),
        pytest.param("noprio.conf", "priority", 604_800, "priority/multifactor is assumed", id="RS14"),
        pytest.param("light.conf", "priority", 600, "fair tree, Slurm's default, is not modelled", id="RS10"),
        pytest.param("export_lims.conf", "fcfs", 604_800, "bf_interval=100000: slurmctld takes", id="RS12"),
    ],
)
def test_policies(path: str, order: str, max_age: int, says: str) -> None:
    conf = read_slurm_conf(CASES / path)
    site = slurm_policy(conf, conf.machine, [partition.name for partition in conf.partitions])
    assert (site.policy.order, site.policy.max_age) == (order, max_age)
    assert any(says in line for line in site.left_out)


def test_rs14_the_version_beside_decides(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_bytes((CASES / "noprio.conf").read_bytes())
    for version, order in (
        ("22.05.8", "fcfs"),
        ("23.02.1", "fcfs"),
        ("23.11.0", "priority"),
        ("24.11.5", "priority"),
    ):
        (tmp_path / "config.txt").write_text(f"Configuration data as of now\nSLURM_VERSION = {version}\n")
        assert slurm_policy(read_slurm_conf(tmp_path / "slurm.conf")).policy.order == order


@pytest.mark.parametrize(
    ("path", "says"),
    [
        pytest.param(CASES / "gres.conf", "this is a gres.conf, no slurm.conf", id="RS16"),
        pytest.param(CASES / "export_qp.conf", "the partition 'low' is defined twice", id="RS12-qp"),
        pytest.param(REFERENCE / "micro" / "topology.conf", "this is a topology.conf", id="topology"),
        pytest.param(REFERENCE / "micro" / "config.txt", "what `scontrol show config` prints", id="config"),
    ],
)
def test_what_is_no_configuration_of_a_machine(path: Path, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_slurm_conf(path)
    assert says in str(caught.value)


def test_a_reference_is_read_with_the_files_beside_it() -> None:
    conf = read_slurm_conf(REFERENCE / "micro" / "slurm.conf")
    assert conf.machine.nodes == 10
    assert (conf.version, conf.passed_over, conf.notes) == ((22, 5), (), ())
    assert [gres.spelling for group in conf.groups for gres in group.gres] == ["gpu:2"]
    assert [group.features for group in conf.groups if "g1" in group.names] == [("IB", "CPU-G")]
    left_out = "\n".join(slurm_policy(conf, conf.machine, ["normal", "debug"]).left_out)
    for name in (
        "FairShareDampeningFactor=5",
        "fair tree",
        "TopologyPlugin=topology/tree",
    ):
        assert name in left_out
    assert "no such key" not in left_out
