"""Configurations of real Slurm, and what its own programs said of them."""

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.site.left_out import lines_left_out
from engine.slurm.site.site import read_site
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
    ("path", "multifactor", "max_age", "says"),
    [
        pytest.param("maxage.conf", True, 4_294_967_236, "", id="RS13"),
        pytest.param("noprio.conf", True, 604_800, "", id="RS14"),  # of no known release: a recent one
        pytest.param("light.conf", True, 600, "", id="RS10"),
        pytest.param("export_lims.conf", False, 604_800, "bf_interval=100000: slurmctld takes", id="RS12"),
    ],
)
def test_options(path: str, multifactor: bool, max_age: int, says: str) -> None:
    site = read_site(CASES / path)
    assert (site.multifactor, site.value("PriorityMaxAge")) == (multifactor, max_age)
    assert any(says in line for line in site.said) or not says


def test_rs14_the_version_beside_decides(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_bytes((CASES / "noprio.conf").read_bytes())
    for version, multifactor in (
        ("22.05.8", False),
        ("23.02.1", False),
        ("23.11.0", True),
        ("24.11.5", True),
    ):
        (tmp_path / "config.txt").write_text(f"Configuration data as of now\nSLURM_VERSION = {version}\n")
        assert read_site(tmp_path / "slurm.conf").multifactor == multifactor


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
    site = read_site(REFERENCE / "micro" / "slurm.conf")
    assert site.value("FairShareDampeningFactor") == 5
    assert site.value("sched_interval") == 60
    assert len(site.switches) > 1
    left_out = "\n".join(lines_left_out(site))
    assert "no such key" not in left_out
