import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import UNLIMITED, Cluster, NodeGroup, parse_cluster, read_machines
from tests.paths import SHARED, needs

MACHINES = SHARED / "traces/alea-wagap-2013.swf.machines"

groups = st.builds(
    NodeGroup,
    st.integers(1, 5000),
    st.integers(1, 6000),
    st.none() | st.integers(1, 2**30),
    st.lists(
        st.tuples(st.sampled_from(["gpu", "disk", "fpga"]), st.integers(0, 99)),
        max_size=2,
        unique_by=lambda pair: pair[0],
    ).map(tuple),
)


def write(folder: Path, text: str) -> Path:
    path = folder / "log.machines"
    path.write_text(text, "utf-8")
    return path


@given(st.lists(groups, min_size=1, max_size=4))
def test_every_cluster_round_trips_through_its_spelling(parts: list[NodeGroup]) -> None:
    cluster = Cluster(tuple(parts))
    assert parse_cluster(cluster.spelling) == cluster
    assert str(cluster) == cluster.spelling


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("338c", NodeGroup(1, 338)),
        ("1x338c", NodeGroup(1, 338)),
        ("7x80c504g", NodeGroup(7, 80, 504 * 1024)),
        ("7X80C504G", NodeGroup(7, 80, 504 * 1024)),
        ("2x4c1t", NodeGroup(2, 4, 1 << 20)),
        ("2x4c517018m", NodeGroup(2, 4, 517018)),
        ("4c2048k", NodeGroup(1, 4, 2)),
        ("4x64c512g8gpu", NodeGroup(4, 64, 512 * 1024, (("gpu", 8),))),
        ("64c8gpu2disk", NodeGroup(1, 64, None, (("gpu", 8), ("disk", 2)))),
    ],
)
def test_spellings_of_a_group(text: str, group: NodeGroup) -> None:
    assert parse_cluster(text) == Cluster((group,))


def test_the_shortest_spelling_of_ram() -> None:
    assert parse_cluster("4c1024g").spelling == "4c1t"
    assert parse_cluster("4c2048m").spelling == "4c2g"
    assert parse_cluster("4c1025m").spelling == "4c1025m"


def test_groups_are_numbered_one_after_the_other() -> None:
    cluster = parse_cluster("2x8c4g + 3x12c")
    assert (cluster.nodes, cluster.cpus) == (5, 52)
    assert cluster.node_cpus().tolist() == [8, 8, 12, 12, 12]
    assert cluster.capacity().tolist() == [[8, 4096]] * 2 + [[12, UNLIMITED // 5]] * 3
    assert cluster.spelling == "2x8c4g+3x12c"


def test_ram_limits_where_any_group_says_it_and_adds_up_where_all_do() -> None:
    assert not Cluster.pool(100).limits_ram
    assert Cluster.pool(100).capacity().tolist() == [[100]]
    partly, fully = parse_cluster("2x8c4g+8c"), parse_cluster("2x8c4g+8c1g")
    assert partly.limits_ram
    assert partly.ram is None
    assert fully.ram == 9 * 1024


def test_only_one_node_is_a_pool() -> None:
    assert Cluster.pool(100).pooled
    assert parse_cluster("8c4g").pooled
    assert not parse_cluster("8c4g+8c4g").pooled


def test_capacity_is_ready_for_kernels() -> None:
    capacity = parse_cluster("2x8c4g+3x12c2g").capacity()
    assert capacity.dtype == np.int64
    assert capacity.flags.c_contiguous
    assert capacity.flags.writeable


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot read ''"),
        ("80", "spell it like 20x80c505g"),
        ("x80c", "cannot read 'x80c'"),
        ("8c+", "cannot read ''"),
        ("8c4", "cannot read '8c4'"),
        ("8c4p", "cannot read '8c4p'"),
        ("-8c", "cannot read '-8c'"),
        ("8.5c", "cannot read '8.5c'"),
        ("²c", "cannot read '²c'"),
        ("0c", "a node group has 1 to 1,000,000 nodes of 1 to"),
        ("0x8c", "a node group has 1 to 1,000,000 nodes of 1 to"),
        ("8c0g", "a node has 1 to 68,719,476,736 MiB of RAM"),
        ("8c1023k", "a node has 1 to 68,719,476,736 MiB of RAM"),
        ("9999999x1c", "a node group has 1 to"),
        ("99999999999999999999c", "a node group has 1 to"),
        ("8c99999999999999999999g", "a node has 1 to 68,719,476,736 MiB of RAM"),
        ("999999x1c+999999x1c", "a cluster has at most 1,000,000 nodes, not 1,999,998"),
    ],
)
def test_what_is_no_cluster_is_reported_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_cluster(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("80", "80c"),
        ("20x80", "20x80c"),
        ("20x80c505", "20x80c505g"),
        ("20 * 80 cores 505 GB", "20x80c505g"),
        ("4x64cpus512gib8gpu", "4x64c512g8gpu"),
        ("2x8c+20x80", "20x80c"),
    ],
)
def test_the_nearest_right_spelling_is_named(text: str, meant: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"(did you mean {meant}?)")):
        parse_cluster(text)
    assert parse_cluster(meant)


@given(st.text(max_size=20))
def test_any_text_is_a_cluster_or_an_input_error(text: str) -> None:
    try:
        cluster = parse_cluster(text)
    except InputError:
        return
    assert cluster.cpus >= cluster.nodes >= 1


def test_a_cluster_needs_a_group() -> None:
    with pytest.raises(InputError, match="at least one group"):
        Cluster(())


def test_a_machines_file(tmp_path: Path) -> None:
    path = write(tmp_path, "# machines\n\n0 big 2 16 1.5 4194304 more\n; none\n1 small 3 4 1 2097153\n")
    assert read_machines(path) == Cluster(
        (NodeGroup(2, 16, 4096, name="big"), NodeGroup(3, 4, 2048, name="small"))
    )


def test_gpus_in_a_machines_file(tmp_path: Path) -> None:
    assert read_machines(write(tmp_path, "0 a 2 16 1 0 8GPUs 3fpga\n")).spelling == "2x16c8gpu3fpga"
    with pytest.raises(InputError, match="of each other resource"):
        read_machines(write(tmp_path, f"0 a 2 16 1 0 {10**30}gpu\n"))


def test_no_ram_in_a_machines_file_is_ram_that_is_not_known(tmp_path: Path) -> None:
    assert not read_machines(write(tmp_path, "0 pool 1 100 1 0\n")).limits_ram


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0 big 2 16 1\n", 1),
        ("0 big 2 16 1 1024\n1 small 3\n", 2),
        ("0 big two 16 1 1024\n", 1),
        ("# zero nodes\n0 big 0 16 1 1024\n", 2),
        ("0 big 2 16 1 -4096\n", 1),
        ("0 big 2 16 1 1e9\n", 1),
    ],
)
def test_a_bad_line_of_a_machines_file_is_named(tmp_path: Path, text: str, number: int) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_machines(path)
    assert str(caught.value).startswith(f"{path}:{number}: expected 'id name nodes cpus speed ram_kb'")


def test_a_machines_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a directory"):
        read_machines(tmp_path)
    with pytest.raises(InputError, match="absent: no such file"):
        read_machines(tmp_path / "absent")
    (tmp_path / "binary").write_bytes(b"0 a 1 1 1 0\n\xff\xfe\x00")
    with pytest.raises(InputError, match="binary:2: this is not UTF-8 text"):
        read_machines(tmp_path / "binary")
    with pytest.raises(InputError, match="no machine in this file"):
        read_machines(write(tmp_path, "# nothing\n"))


@needs(MACHINES)
def test_the_machines_of_wagap() -> None:
    cluster = read_machines(MACHINES)
    assert (cluster.nodes, cluster.cpus) == (68, 2176)
    assert cluster.spelling == "20x80c517018m+48x12c91832m"
    assert [group.name for group in cluster.groups] == ["zewura", "zegox"]


def test_nodes_are_called_by_their_host_names() -> None:
    cluster = Cluster(
        (NodeGroup(2, 8, names=("c001", "c017")), NodeGroup(2, 4, name="fat"), NodeGroup(2, 2, names=("x",)))
    )
    assert [cluster.node_name(node) for node in range(6)] == ["c001", "c017", "fat 0", "fat 1", "x", "node 5"]
    assert [cluster.find_node(name) for name in ("c017", "x", "fat 0", "c01")] == [1, 4, None, None]
    assert cluster.has_names
    assert not parse_cluster("2x8c+2x4c").has_names
    assert cluster.spelling == "2x8c+2x4c+2x2c"
    for node in (-1, 6):
        with pytest.raises(ValueError, match=f"no node {node}"):
            cluster.node_name(node)
    with pytest.raises(InputError, match="3 host names"):
        NodeGroup(2, 8, names=("a", "b", "c"))


def test_a_spelled_machine_has_the_names_of_the_logs_machine() -> None:
    own = Cluster((NodeGroup(3, 8, names=("a", "b", "c")), NodeGroup(1, 4, name="fat")))
    assert parse_cluster(own.spelling, own) == own
    fewer, more = parse_cluster("2x16c+4c", own), parse_cluster("4x8c+4c", own)
    assert [fewer.node_name(node) for node in range(3)] == ["a", "b", "fat 0"]
    assert [more.node_name(node) for node in range(4)] == ["a", "b", "c", "node 3"]
    assert not parse_cluster("4x8c", own).has_names
