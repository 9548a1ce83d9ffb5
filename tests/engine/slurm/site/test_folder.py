"""A site's folder: files known by what stands in them, and what is said of the others."""

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.slurm.site.associations import Association, read_dump
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.left_out import lines_left_out

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nPriorityType=priority/multifactor\n"
SSHARE = """Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare
root|||0.000000|10|1.000000|
 root|root|1|0.003|0|0.0|1.0
 physics||60|0.6|5|0.5|
  physics|ann|parent|0.5|5|0.5|0.5
  optics||2|0.5|0|0.0|
   optics|bob|3|1.0|0|0.0|1.0
"""
DUMP = """# To edit this file start with a cluster line for the new cluster
Cluster - 'k':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'physics':Description='x':Organization='y':Fairshare=60
Parent - 'physics'
User - 'ann':DefaultAccount='physics':Fairshare=parent
noise
"""


def test_files_are_known_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(CONF)
    (tmp_path / "two").write_text(SSHARE)
    (tmp_path / "three").write_text("Name|Priority|GraceTime\nnormal|0|0\nhigh|100|0\n")
    (tmp_path / "four").write_text(
        "Configuration data as of 2026\nBOOT_TIME          = 2026-01-02T03:04:05\n"
    )
    (tmp_path / "five.bin").write_bytes(b"\x00\xff\x00")
    site = read_site_at(tmp_path)
    assert site.associations == (
        Association("root", "root", "root", 1.0),
        Association("physics", "", "root", 60.0),
        Association("physics", "ann", "physics", None),
        Association("optics", "", "physics", 2.0),
        Association("optics", "bob", "optics", 3.0),
    )
    assert site.qos == (("normal", 0.0), ("high", 100.0))
    assert site.boot == "2026-01-02T03:04:05"
    assert site.multifactor
    assert site.fair_tree


def test_a_dump_counts_what_it_cannot_read_and_a_second_file_is_named(tmp_path: Path) -> None:
    notes: list[str] = []
    found = read_dump(DUMP, notes)
    assert found[1:] == (
        Association("physics", "", "root", 60.0),
        Association("physics", "ann", "physics", None),
    )
    assert notes == ["sacctmgr dump: 1 line could not be read"]
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "a").write_text(DUMP)
    (tmp_path / "a.old").write_text(DUMP)
    (tmp_path / "conf").write_text(CONF.replace("CPUs=", "CPUs=1"))
    site = read_site_at(tmp_path)
    assert "a.old: not read; a says the same" in site.notes
    assert "conf: not read; slurm.conf counts, which says something else" in site.notes
    assert site.conf.path.name == "slurm.conf"


def test_a_folder_without_a_slurm_conf_is_refused(tmp_path: Path) -> None:
    (tmp_path / "two").write_text(SSHARE)
    with pytest.raises(InputError, match=r"there is no slurm.conf in this folder"):
        read_site_at(tmp_path)


NODES = """NodeName=a1 Arch=x86_64 CoresPerSocket=2
   CPUAlloc=4 CPUEfctv=4 CPUTot=4 CPULoad=3.98
   AvailableFeatures=fast,new
   ActiveFeatures=fast,new
   Gres=gpu:t4:2(S:0-1)
   NodeAddr=a1 NodeHostName=a1 Version=22.05.8
   RealMemory=16000 AllocMem=0 FreeMem=9000 Sockets=2 Boards=1
   State=ALLOCATED ThreadsPerCore=1 TmpDisk=0 Weight=5 Owner=N/A MCS_label=N/A
   Partitions=batch,long

NodeName=b1 Arch=x86_64 CoresPerSocket=4
   CPUAlloc=0 CPUEfctv=8 CPUTot=8 CPULoad=0.10
   AvailableFeatures=(null)
   Gres=(null)
   RealMemory=32000 AllocMem=0 FreeMem=9000 Sockets=2 Boards=1
   State=IDLE+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=long
"""
PARTITIONS = """PartitionName=batch
   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
   AllocNodes=ALL Default=YES QoS=N/A
   DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO
   MaxNodes=2 MaxTime=1-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED
   Nodes=a1
   PriorityJobFactor=1 PriorityTier=3 RootOnly=NO ReqResv=NO OverSubscribe=NO
   OverTimeLimit=NONE PreemptMode=OFF
   State=UP TotalCPUs=4 TotalNodes=1 SelectTypeParameters=NONE

PartitionName=long
   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
   MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED
   Nodes=a1,b1
   PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO
   State=UP TotalCPUs=12 TotalNodes=2 SelectTypeParameters=NONE
"""
CONFIG = """Configuration data as of 2026-11-25T14:55:45
AccountingStorageEnforce = associations,limits,safe
BOOT_TIME               = 2026-11-25T14:00:00
KillWait                = 45 sec
OverTimeLimit           = 5 min
PriorityFlags           =
PriorityMaxAge          = 05:00:00
PriorityType            = priority/multifactor
PriorityWeightAge       = 50
PriorityWeightTRES      = (null)
SchedulerParameters     = bf_interval=17,bf_continue
SelectType              = select/cons_tres
SelectTypeParameters    = CR_CORE_MEMORY
SLURM_VERSION           = 22.05.8

Slurmctld(primary) at ctl is UP
"""


def test_what_scontrol_prints_stands_in_for_the_slurm_conf(tmp_path: Path) -> None:
    for name, text in (("x1", NODES), ("x2", PARTITIONS), ("x3", CONFIG)):
        (tmp_path / name).write_text(text)
    site = read_site_at(tmp_path)
    conf, rules = site.conf, site.rules(1)
    assert conf.machine.spelling == "4c16000m2gpu+8c32000m"
    assert conf.machine.node_names() == ["a1", "b1"]
    assert conf.groups[0].features == ("fast", "new")
    assert [partition.name for partition in conf.partitions] == ["batch", "long"]
    assert [len(partition.groups) for partition in conf.partitions] == [1, 2]
    batch = conf.partitions[0].keys
    assert (batch["prioritytier"], batch["maxtime"], batch["maxnodes"]) == ("3", "1-00:00:00", "2")
    assert (rules.bf_interval, rules.kill_wait, rules.over_limit, rules.safe) == (17, 45, 300, 1)
    assert (site.multifactor, site.value("PriorityWeightAge")) == (True, 50)
    assert site.value("PriorityMaxAge") == 5 * 3600
    assert (conf.version, site.boot) == ((22, 5), "2026-11-25T14:00:00")
    assert any("State" in line and "b1" in line for line in lines_left_out(site))
    (tmp_path / "slurm.conf").write_text(CONF)  # which goes first
    assert read_site_at(tmp_path).conf.machine.spelling == "4c"
    told = "x1: read only for which nodes are down; the slurm.conf says what `scontrol show node` prints"
    contradicts = f"{told}, and contradicts it: it has 2 nodes that the slurm.conf has not"
    assert contradicts in read_site_at(tmp_path).notes
    conf = "NodeName=a1 CPUs=4 Gres=gpu:2\nNodeName=b1 CPUs=6\nPartitionName=batch Nodes=a1,b1 QOS=big\n"
    (tmp_path / "slurm.conf").write_text(conf)
    notes = read_site_at(tmp_path).notes
    assert f"{told}, and contradicts it: it has 1 node with another number of CPUs" in notes
    assert "partition batch: no file has the limits of its QOS big" in notes
    (tmp_path / "slurm.conf").write_text(conf.replace("CPUs=6", "CPUs=8"))
    assert told in read_site_at(tmp_path).notes
    assert read_site_at(tmp_path).conf.down == site.conf.down == ("b1",)
    assert read_site_at(tmp_path).conf.partitions[0].starts_jobs
    (tmp_path / "x2").write_text(PARTITIONS.replace("State=UP", "State=INACTIVE", 1))
    assert not read_site_at(tmp_path).conf.partitions[0].starts_jobs


def test_nodes_alone_tell_in_which_partitions_they_are(tmp_path: Path) -> None:
    (tmp_path / "nodes.txt").write_text(NODES)
    conf = read_site_at(tmp_path).conf
    assert [(partition.name, len(partition.groups)) for partition in conf.partitions] == [
        ("batch", 1),
        ("long", 2),
    ]
    assert any("no file is of `scontrol show config`" in note for note in conf.notes)


def test_associations_come_from_a_table_of_sacctmgr(tmp_path: Path) -> None:
    conf = f"ClusterName=k\n{CONF}"
    (tmp_path / "slurm.conf").write_text(conf)
    (tmp_path / "assoc.txt").write_text(
        "Cluster|Account|User|Partition|Share|GrpJobs|MaxSubmit|MaxTRESMins\n"
        "other|root|||1|||\nk|root|||1|||\nk| physics|||60|3||\n"
        "k|  physics|ann|batch|9|||\nk|  physics|ann||parent||5|cpu=10\nk| broken\n"
    )
    site = read_site_at(tmp_path)
    assert site.associations == (
        Association("physics", "", "root", 60.0, (("grpjobs", "3"),)),
        Association(
            "physics", "ann", "physics", None, (("maxsubmitjobs", "5"), ("maxtresminsperjob", "cpu=10"))
        ),
    )
    assert "sacctmgr show assoc: 2 clusters, of which k is taken" in site.notes
    assert "sacctmgr show assoc: 1 line could not be read" in site.notes


def test_a_table_without_parents_says_that_all_accounts_are_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "assoc.txt").write_text("Account|User|Share\noptics||2\noptics|ann|1\n")
    site = read_site_at(tmp_path)
    assert [own.parent for own in site.associations] == ["root", "optics"]
    assert [note for note in site.notes if "all are below the root" in note]


def test_switches_as_scontrol_prints_them_are_those_next_to_the_nodes(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(
        "ClusterName=k\nTopologyPlugin=topology/tree\nNodeName=n[1-4] CPUs=2\nPartitionName=p Nodes=ALL\n"
    )
    (tmp_path / "topology.conf").write_text(
        "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[1-2]\n"
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]\nSwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
    )
    assert read_site_at(tmp_path).switches == (("s1", ("n1", "n2")), ("s2", ("n3", "n4")))
