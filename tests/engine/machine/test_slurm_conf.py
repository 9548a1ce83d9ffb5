from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.machine.slurm_conf import is_slurm_conf, read_slurm_conf
from tests.paths import SHARED, needs

SITE = SHARED / "other-formats" / "slurm-gpu.conf"


@pytest.fixture
def read(tmp_path):
    def read(text: str):
        path = tmp_path / "slurm.conf"
        path.write_text(text, "utf-8")
        return read_slurm_conf(path)

    return read


@needs(SITE)
def test_a_site():
    conf = read_slurm_conf(SITE)
    assert is_slurm_conf(SITE)
    assert conf.machine.spelling == "80x64c515000m+16x64c515000m+4x96c3090000m+12x64c1030000m4gpu"
    assert [group.name for group in conf.machine.groups] == ["c", "c", "fat", "g"]
    assert [(p.name, p.groups) for p in conf.partitions] == [
        ("short", (1, 2)),
        ("long", (1, 3)),
        ("gpu", (4,)),
    ]
    assert conf.options["schedulerparameters"].endswith(
        "bf_max_job_test=500,default_queue_depth=200,bf_max_job_user=20,bf_continue"
    )
    assert conf.options["priorityweightfairshare"] == "100000"
    assert conf.passed_over == ()


@pytest.mark.parametrize(
    ("text", "machine"),
    [
        ("NodeName=a CPUs=4", "4c"),
        ("nodename=a procs=4 realmemory=1024", "4c1g"),
        ("NodeName=a[1-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2", "3x32c"),
        ("NodeName=a,b Boards=2 SocketsPerBoard=2 CoresPerSocket=4", "2x16c"),
        ("NodeName=a[1-2]", "2x1c"),
        ("NodeName=DEFAULT CPUs=4\nNodeName=a\nNodeName=DEFAULT CPUs=8\nNodeName=b[1-2]", "4c+2x8c"),
        ("NodeName=a CPUs=4 Gres=gpu:a100:4,gpu:t4:2(S:0-1),nvme:1", "4c6gpu1nvme"),
        ("NodeName=a CPUs=4 Gres=gpu", "4c1gpu"),
        ("NodeName=a \\\n CPUs=4 # CPUs=5", "4c"),
        ("NodeName=a CPUs=4\nNodeName=b CPUs=9 State=FUTURE", "4c"),
        ("NodeName=a[1-4] CPUs=2\nPartitionName=p Nodes=a[2-3]\nPartitionName=q Nodes=ALL", "2x2c+2x2c"),
    ],
)
def test_nodes(read, text, machine):
    assert read(text).machine.spelling == machine


def test_partitions_have_the_keys_of_their_defaults(read):
    conf = read(
        "NodeName=a[1-4] CPUs=2\nPartitionName=DEFAULT MaxTime=60 Nodes=ALL\n"
        "PartitionName=p\nPartitionName=q MaxTime=90 Nodes=a4"
    )
    assert [(p.name, p.groups, p.keys["maxtime"]) for p in conf.partitions] == [
        ("p", (1, 2), "60"),
        ("q", (2,), "90"),
    ]


def test_what_is_passed_over_is_told(read):
    conf = read("NodeName=a CPUs=4 Gres=:4\nNodeName=b[1-2] State=FUTURE CPUs=4")
    assert conf.passed_over == ("Gres=:4", "nodes b[1-2] are left out: State=FUTURE")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ClusterName=x", ": there are no nodes in this file"),
        ("\nNodeName=a CPUs=many", ":2: these nodes cannot be read: cpus=many is no number"),
        ("NodeName=a[1", ":1: these nodes cannot be read: cannot read the node list 'a[1'"),
        ("NodeName=a[1-999999999]", ":1: these nodes cannot be read"),
        ("NodeName=a CPUs=999999999999", ":1: these nodes cannot be read"),
        ("NodeName=a\n\nPartitionName=p Nodes=b", ":3: no line defines the node 'b' of this partition"),
        ("NodeName=a\nPartitionName=p\nPartitionName=p", ":3: the partition 'p' is defined twice"),
        ("NodeName=a\nPartitionName=p Nodes=b[", ":2: cannot read the node list"),
        ("NodeName=a[1-900000]\nNodeName=b[1-900000]", ": a cluster has at most 1,000,000 nodes"),
        (
            "NodeName=a[1-1000000]\n" + "".join(f"PartitionName=p{k} Nodes=ALL\n" for k in range(9)),
            ":6: the partitions name over 4,000,000 nodes",
        ),
    ],
)
def test_files_that_describe_no_machine(read, tmp_path, text, says):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).removeprefix(str(tmp_path / "slurm.conf")).startswith(says)


def test_what_looks_like_such_a_file(tmp_path):
    path = tmp_path / "x"
    assert not is_slurm_conf(path)
    assert not is_slurm_conf(tmp_path)
    path.write_text("0 big 4 8 1 52942643\n")
    assert not is_slurm_conf(path)
    path.write_bytes(b"\xff\xfe")
    assert not is_slurm_conf(path)
    path.write_text("# x\n nodename = a\n")
    assert is_slurm_conf(path)
