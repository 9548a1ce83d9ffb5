from __future__ import annotations

import os

import pytest

from engine.errors import InputError
from engine.slurm.conf.kind import SLURM_CONF, conf_kind
from engine.slurm.conf.slurm_conf import read_slurm_conf
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
    assert conf_kind(SITE) == SLURM_CONF
    assert conf.machine.spelling == "80x64c515000m+16x64c515000m+4x96c3090000m+12x64c1030000m4gpu"
    assert [group.name for group in conf.machine.groups] == ["c[001-080]", "c[081-096]", "fat", "g"]
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


def test_what_of_nodes_is_not_obeyed_is_listed(read):
    conf = read(
        "NodeName=DEFAULT Weight=1\nNodeName=a[1-2] Weight=5\nNodeName=b weight=5\n"
        "NodeName=c Foo=x State=DRAIN\n"
        "DownNodes=a1 State=DOWN"
    )
    assert conf.passed_over == (
        "DownNodes=a1: these nodes are up from the start",
        "nodes a[1-2], b, Weight=5: nodes are chosen by the policy's placement, not by their weights",
        "nodes c, foo=x: unknown key",
        "nodes c, State=DRAIN: these nodes are up from the start",
    )


def test_what_is_passed_over_is_reported(read):
    conf = read("NodeName=a CPUs=4 Gres=:4\nNodeName=b[1-2] State=FUTURE CPUs=4")
    assert conf.passed_over == ("Gres=:4", "nodes b[1-2] are left out: State=FUTURE")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ClusterName=x", ": there are no nodes in this file"),
        ("\nNodeName=a CPUs=many", ":2: these nodes cannot be read: CPUs=many is not a whole number"),
        ("NodeName=a[1", ":1: these nodes cannot be read: cannot read the node list 'a[1'"),
        ("NodeName=a[1-999999999]", ":1: these nodes cannot be read"),
        ("NodeName=a CPUs=999999999999", ":1: these nodes cannot be read"),
        ("NodeName=a\n\nPartitionName=p Nodes=b", ":3: no line defines the node 'b' of this partition"),
        ("NodeName=a\nPartitionName=p\nPartitionName=p", ":3: the partition 'p' is defined twice"),
        ("NodeName=a\nPartitionName=p Nodes=b[", ":2: cannot read the node list"),
        ("NodeName=a[1-900000]\nNodeName=b[1-900000]", ": a cluster has at most 1,000,000 nodes"),
        (
            "NodeName=a[1-500000]\n" + "".join(f"PartitionName=p{k} Nodes=ALL\n" for k in range(9)),
            ":10: the partitions name over 4,000,000 nodes",
        ),
    ],
)
def test_files_that_describe_no_machine(read, tmp_path, text, says):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).removeprefix(str(tmp_path / "slurm.conf")).startswith(says)


def test_what_looks_like_such_a_file(tmp_path):
    path = tmp_path / "x"
    assert conf_kind(path) != SLURM_CONF
    assert conf_kind(tmp_path) != SLURM_CONF
    path.write_text("0 big 4 8 1 52942643\n")
    assert conf_kind(path) != SLURM_CONF
    path.write_bytes(b"\xff\xfe")
    assert conf_kind(path) != SLURM_CONF
    path.write_text("# x\n nodename = a\n")
    assert conf_kind(path) == SLURM_CONF


REAL = SHARED / "cases" / "real-slurm"


@needs(REAL)
@pytest.mark.parametrize(
    ("name", "machine", "groups"),
    [
        ("include.conf", "2x8c16000m+4x4c8000m", {"all": (1, 2)}),
        ("include_all.conf", "4x8c16000m", {"all": (1,)}),
        (
            "nodeset.conf",
            "2x8c16000m+2x8c16000m+16c64000m+16c64000m",
            {"a": (1,), "b": (3, 4), "c": (1, 3)},
        ),
        (
            "nodes.conf",
            "2x8c16000m+2x8c16000m+8c32000m4gpu+8c32000m2gpu",
            {"batch": (1, 2), "short": (1, 2, 3, 4), "gpu": (3, 4), "urgent": (2,), "low": (1, 2)},
        ),
    ],
)
def test_real_files(name, machine, groups):
    conf = read_slurm_conf(REAL / name)
    assert conf_kind(REAL / name) == SLURM_CONF
    assert conf.machine.spelling == machine
    assert {partition.name: partition.groups for partition in conf.partitions} == groups
    assert [len(group.names) for group in conf.groups] == [group.count for group in conf.machine.groups]


def test_groups_have_the_names_features_and_resources_of_their_nodes(read):
    conf = read(
        "NodeName=a[1-3],b CPUs=4 Feature=x,y Gres=gpu:a100:2\n"
        "NodeName=c CPUs=4 Features=x,y Gres=gpu:a100:2\n"
        "NodeName=d CPUs=4 Weight=2\nPartitionName=p Nodes=a[1-2]"
    )
    assert [group.names for group in conf.groups] == [("a1", "a2"), ("a3", "b"), ("c",), ("d",)]
    assert conf.groups[1].features == ("x", "y")
    assert [gres.spelling for gres in conf.groups[2].gres] == ["gpu:a100:2"]
    assert conf.groups[3].keys["weight"] == "2"
    alike = read("NodeName=n1 CPUs=2\nNodeName=m CPUs=3\nNodeName=n2 CPUs=2 Port=7")
    assert alike.machine.spelling == "2x2c+3c"
    assert [group.names for group in alike.groups] == [("n1", "n2"), ("m",)]
    assert alike.option("ClusterName", "none") == "none"
    assert alike.partition("p") is None
    assert conf.partition("p").groups == (1,)


@pytest.mark.parametrize(
    ("text", "machine"),
    [
        ("Include more.conf", "2x3c"),
        ("  inClude\tmore.conf   # comment", "2x3c"),
        ('include "more.conf"', "2x3c"),
        ("ClusterName=mo\nInclude %cre.conf", "2x3c"),
        ("Include sub/inner.conf\nNodeName=q CPUs=1", "2x3c+5c+1c"),
    ],
)
def test_included_files(read, tmp_path, text, machine):
    (tmp_path / "sub").mkdir()
    (tmp_path / "more.conf").write_text("NodeName=x[1-2] CPUs=3")
    (tmp_path / "sub" / "inner.conf").write_text("Include beside.conf\nInclude more.conf")
    (tmp_path / "sub" / "beside.conf").write_text("NodeName=i CPUs=5")
    assert sorted(read(text).machine.spelling.split("+")) == sorted(machine.split("+"))


def test_what_is_not_on_this_machine_is_read_beside_the_file(read, tmp_path):
    (tmp_path / "more.conf").write_text("NodeName=x[1-2] CPUs=3")
    conf = read("Include /nowhere/slurm/more.conf")
    assert conf.machine.spelling == "2x3c"
    assert conf.notes == (
        "Include /nowhere/slurm/more.conf: not on this machine, more.conf beside the file is read",
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "root:x:0:0:root:/root:/bin/sh\nann:x:1:1:LANG=C of Ann:/home/ann:/bin/sh\n",
            "2 lines of this included file are not understood",
        ),
        (
            "secret token=hush and more\n# a comment\n",
            "1 line of this included file is not understood",
        ),
    ],
)
def test_nothing_of_an_included_file_of_another_kind_is_shown(read, tmp_path, text, says):
    (tmp_path / "foreign").write_text(text)
    conf = read("NodeName=a CPUs=4\nInclude foreign\n")
    assert conf.notes == (f"{tmp_path / 'foreign'}: {says}",)
    assert conf.options == {}


def test_of_unknown_settings_of_an_included_file_the_name_alone_is_kept(read, tmp_path):
    (tmp_path / "more.conf").write_text("API_TOKEN=hush\nPriorityMaxAge=7-0")
    conf = read("NodeName=a CPUs=4\nMine=5\nInclude more.conf\n")
    assert conf.options == {"mine": "5", "api_token": "…", "prioritymaxage": "7-0"}


def test_nodes_of_included_files_are_read_where_a_line_holds_more(read, tmp_path):
    (tmp_path / "more.conf").write_text("NodeName=x CPUs=3 and more")
    conf = read("Include more.conf")
    assert conf.machine.spelling == "3c"
    assert conf.notes == (f"{tmp_path / 'more.conf'}: 1 line of this included file is not understood",)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (
            {"slurm.conf": "\nInclude slurm.conf"},
            "slurm.conf:2: slurm.conf includes itself, through slurm.conf",
        ),
        (
            {"slurm.conf": "Include a.conf", "a.conf": "#\n\nInclude slurm.conf"},
            "a.conf:3: slurm.conf includes itself, through slurm.conf and a.conf",
        ),
        (
            {"slurm.conf": "NodeName=a\nInclude b.conf"},
            "slurm.conf:2: there is no file b.conf, which this line",
        ),
        ({"slurm.conf": "Include b", "b": "NodeName=x CPUs=many"}, "b:1: these nodes cannot be read"),
        ({"slurm.conf": "Include /"}, "slurm.conf:1: the included file /: this is a directory"),
        (
            {"slurm.conf": "Include b\nInclude b", "b": "NodeName=x"},
            "b:1: the node 'x' is defined twice, first in",
        ),
        (
            {"slurm.conf": "Include 0"} | {f"{k}": f"Include {k + 1}" for k in range(20)},
            "15:1: over 16 files include one another",
        ),
        ({"slurm.conf": "Include b\n" * 2000, "b": "#"}, "slurm.conf:1001: over 1,000 files are included"),
        (
            {"slurm.conf": "Include b\n" * 900, "b": "#" * 9000},
            "slurm.conf: with all that it includes it is over",
        ),
    ],
)
def test_files_that_cannot_be_included(tmp_path, files, says):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_slurm_conf(tmp_path / "slurm.conf")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_pipe_is_included(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "slurm.conf").write_text("Include pipe")
    with pytest.raises(InputError, match=r"slurm.conf:1: the included file .*pipe: this is a pipe"):
        read_slurm_conf(tmp_path / "slurm.conf")


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("NodeSet=s Nodes=a[1-2]\nPartitionName=p Nodes=s", ["a1", "a2"]),
        ("PartitionName=p Nodes=s\nnodeset=s Feature=f", ["b"]),
        ("NodeSet=s Feature=f Nodes=a1\nPartitionName=p Nodes=s,a3", ["a1", "b", "a3"]),
        ("NodeSet=s Nodes=ALL\nPartitionName=p Nodes=s", ["a1", "a2", "a3", "b"]),
        ("NodeSet=s Feature=none\nPartitionName=p Nodes=s", []),
        ("PartitionName=p Nodes=aLL", ["a1", "a2", "a3", "b"]),
        ("PartitionName=p", []),
        ("NodeName=z State=FUTURE CPUs=3\nPartitionName=p Nodes=z,a2", ["a2"]),
    ],
)
def test_node_sets(read, text, groups):
    conf = read(f"NodeName=a[1-3] CPUs=2\nNodeName=b CPUs=4 Feature=e,f\n{text}")
    (partition,) = conf.partitions
    assert {name for g in partition.groups for name in conf.groups[g - 1].names} == set(groups)


@pytest.mark.parametrize(
    ("text", "machine"),
    [
        ("NodeName=a CPUs=8 CoreSpecCount=1 RealMemory=2048 MemSpecLimit=1024", "7c1g"),
        ("NodeName=a Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 CoreSpecCount=2", "12c"),
        ("NodeName=a CPUs=16 CpuSpecList=0,8-9", "13c"),
        ("NodeName=a Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 CPUs=16 CpuSpecList=0,8", "12c"),
        ("NodeName=a Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 CPUs=8 CoreSpecCount=1", "7c"),
        ("NodeName=a RealMemory=10K CPUs=2", "2c10g"),
        ("NodeName=DEFAULT CPUs=64 Sockets=2 CoresPerSocket=32\nNodeName=a Sockets=1\nNodeName=b", "32c+64c"),
        ("NodeName=DEFAULT CPUs=64\nNodeName=a", "64c"),
    ],
)
def test_what_is_reserved_is_not_for_jobs(read, text, machine):
    assert read(text).machine.spelling == machine


def test_a_gres_conf_beside_gives_types_and_is_held_against_the_counts(read, tmp_path):
    (tmp_path / "gres.conf").write_text(
        "AutoDetect=nvml\nNodeName=g[1-2] Name=gpu Type=A100 File=/dev/nvidia[0-3]\n"
        "NodeName=h Name=gpu Type=t4 Count=2\nNodeName=h Name=nvme Count=3\n"
    )
    conf = read("NodeName=g[1-2] CPUs=4 Gres=gpu:4\nNodeName=h CPUs=4 Gres=gpu:t4:1")
    assert [[gres.spelling for gres in group.gres] for group in conf.groups] == [["gpu:a100:4"], ["gpu:t4:1"]]
    assert conf.machine.spelling == "2x4c4gpu+4c1gpu"
    assert conf.passed_over == (
        "nodes h, gpu: 1 in slurm.conf, which counts here, 2 in gres.conf",
        "nodes h, nvme: in gres.conf alone, so that Slurm gives it to no job",
        "gres.conf, AutoDetect=nvml: what nodes detect is not known here",
    )
    (tmp_path / "gres.conf").write_text("NodeName=g1 Name=gpu Count=many")
    with pytest.raises(InputError, match=r"gres.conf:1: Count=many is not a whole number"):
        read("NodeName=g1 CPUs=4")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (
            "gres.conf",
            "NodeName=g1 Name=gpu Type=a100 File=/dev/x[0-1]",
            "this is a gres.conf, no slurm.conf",
        ),
        ("x", "Name=gpu Count=2", "this is a gres.conf, no slurm.conf"),
        ("x", "AutoDetect=nvml", "this is a gres.conf, no slurm.conf"),
        ("x", "SwitchName=s Nodes=a", "this is a topology.conf, no slurm.conf"),
        ("x", "DbdHost=d", "this is a slurmdbd.conf, no slurm.conf"),
        ("x", "Configuration data as of 2026\nClusterName = x", "this is what `scontrol show config` prints"),
    ],
)
def test_other_files_of_slurm_are_named(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    assert conf_kind(tmp_path / name) != SLURM_CONF
    with pytest.raises(InputError) as caught:
        read_slurm_conf(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: {says}")
    assert str(caught.value).endswith("; give the slurm.conf")
    (tmp_path / "slurm.conf").write_text("NodeName=a")
    with pytest.raises(InputError, match=f"; give {tmp_path / 'slurm.conf'}$"):
        read_slurm_conf(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('FOO=1 bar = 2\tBaz="a b"', {"foo": "1", "bar": "2", "baz": "a b"}),
        ("A=1\\\n2 B=3 \\  \nC=4", {"a": "12", "b": "3", "c": "4"}),
        ("A=x\\#y # z", {"a": "x#y"}),
        ("A=1 # \\\nB=2", {"a": "1", "b": "2"}),
        ("A=1\r\nB=2\r\n", {"a": "1", "b": "2"}),
        ("A=x\\\\\nB=2", {"a": "x\\", "b": "2"}),
        ("A=1\nA=2", {"a": "2"}),
        ("A=\nB=", {"a": "", "b": ""}),
    ],
)
def test_lines_are_read_as_slurm_reads_them(read, text, keys):
    assert read(f"{text}\nNodeName=n").options == keys


def test_words_without_a_value_are_named(read, tmp_path):
    assert read("NodeName=n\nSchedulerType sched/builtin").notes == (
        f"{tmp_path / 'slurm.conf'}:2: 'SchedulerType sched/builtin' is not a key=value and is passed over",
    )


def test_a_file_of_other_lines_alone_is_no_slurm_conf_even_where_nodes_may_be_elsewhere(tmp_path):
    path = tmp_path / "none.conf"
    path.write_text("hello\n")
    with pytest.raises(InputError, match=r"none\.conf: no line of it is one of a slurm\.conf"):
        read_slurm_conf(path, needs_nodes=False)
    path.write_text("hello\nPriorityType=priority/basic\n")
    assert not read_slurm_conf(path, needs_nodes=False).has_nodes
