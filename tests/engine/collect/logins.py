"""A login node for tests: a folder of small commands that print what Slurm, PBS and Grid Engine print."""

from pathlib import Path
from shutil import which

NODES = """NodeName=n1 Arch=x86_64 CoresPerSocket=4
   CPUAlloc=0 CPUEfctv=8 CPUTot=8 CPULoad=0.10
   Gres=(null)
   NodeAddr=n1 NodeHostName=n1 Version=23.11.4
   RealMemory=16000 AllocMem=0 FreeMem=9000 Sockets=2 Boards=1
   State=IDLE ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=batch
   Comment=owned by the dean
   Reason=broken fan [root@2026-11-01T10:00:00]

"""
PARTITIONS = """PartitionName=batch
   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
   Default=YES QoS=N/A
   MaxNodes=UNLIMITED MaxTime=1-00:00:00 MinNodes=0
   Nodes=n1
   State=UP TotalCPUs=8 TotalNodes=1

"""
CONFIG = """Configuration data as of 2026-11-28T17:26:41
AccountingStorageEnforce = associations,limits,qos
AccountingStoragePass   = s3cret-storage
AuthAltParameters       = jwt_key=/etc/s3cret.key
AuthInfo                = socket=/s3cret
BOOT_TIME               = 2026-11-28T17:26:38
ClusterName             = loop
JobCompPass             = s3cret-comp
JobCredentialPrivateKey = /s3cret.pem
PriorityType            = priority/multifactor
PriorityWeightFairShare = 1000
SchedulerParameters     = bf_interval=60
SLURM_VERSION           = 23.11.4
"""
ASSOC = """Cluster|Account|Par Name|User|Partition|Share|GrpJobs|MaxJobs|MaxWall|MaxTRES
loop|root||||1||||
loop|root||root||1||||
loop|physics|root|||60|||1-00:00:00|cpu=4
loop|optics|physics|||2|9|||
loop|optics||ann|batch|7|||1-00:00:00|
loop|optics||ann||parent||4||
other|optics||bob||5||||
"""
QOS = "Name|Priority|GraceTime|MaxJobsPU\nnormal|10|00:00:00|\nhigh|100|00:00:00|2\n"
SSHARE = "Account|User|RawShares|NormShares\nroot||1|0.5\n physics||60|0.5\n"
SQUEUE = "JOBID|USER|STATE\n7|ann|PENDING\n"
SACCT = """JobID|User|Submit|Start|End|NCPUS|NodeList|State
{id}|ann|{day}T08:00:00|{day}T08:05:00|{day}T09:05:00|4|n1|COMPLETED
"""
FIELDS = "JobID User Submit Start\nEnd NCPUS NodeList State Timelimit\n"
SECRETS = ("s3cret", "dean", "broken fan")
"""What no collected file may hold."""

_TOOLS = ("env", "sh", "awk", "cat", "tail", "mv", "rm", "mkdir", "tr", "date")


class Login:
    """A folder of commands; `calls` are those that were made, in order."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bin"
        self._texts = folder / "texts"
        self._log = folder / "calls"
        self._log.touch()
        self.path.mkdir()
        self._texts.mkdir()
        for tool in _TOOLS:  # the PATH has nothing else, so that no real Slurm is asked
            (self.path / tool).symlink_to(which(tool) or "/bin/false")

    @property
    def calls(self) -> list[str]:
        return self._log.read_text("utf-8").splitlines()

    def prints(self, call: str, text: str) -> None:
        """Let a call, by its first words, print a text."""
        name = call.split()[0]
        (self._texts / call.replace(" ", "_")).write_text(text, "utf-8")
        self.does(
            name, f'cat "{self._texts}/{name}_${{1-}}_${{2-}}" 2>/dev/null || cat "{self._texts}/{name}"*'
        )

    def does(self, name: str, line: str) -> None:
        """Make a command that does this, and is written down among the calls."""
        path = self.path / name
        path.unlink(missing_ok=True)  # never written through: a tool is a link to the system's own
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self._log}"\n{line}\n', "utf-8")
        path.chmod(0o755)


def slurm_login(folder: Path) -> Login:
    """A login node of a Slurm with one job on each day."""
    login = Login(folder)
    login.prints("scontrol show node", NODES)
    login.prints("scontrol show partition", PARTITIONS)
    login.prints("scontrol show config", CONFIG)
    login.prints("scontrol show reservation", "No reservations in the system\n")
    login.prints("scontrol show topology", "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n1\n")
    login.does("sacctmgr", f'case "$*" in *assoc*) cat "{folder}/assoc" ;; *) cat "{folder}/qos" ;; esac')
    (folder / "assoc").write_text(ASSOC, "utf-8")
    (folder / "qos").write_text(QOS, "utf-8")
    login.prints("sshare", SSHARE)
    login.prints("squeue", SQUEUE)
    (folder / "fields").write_text(FIELDS, "utf-8")
    (folder / "row").write_text(SACCT, "utf-8")
    # The one command whose answer depends on its words: it prints its fields, or a job for the day that is
    # asked for.
    login.does(
        "sacct",
        f'[ "$1" = --helpformat ] && exec cat "{folder}/fields"\n'
        "day=${4%T*}; id=${day##*-}\n"
        f'while IFS= read -r line; do case $line in "{{id}}"*) '
        'echo "$id|ann|${day}T08:00:00|${day}T08:05:00|${day}T09:05:00|4|n1|COMPLETED" ;; '
        f'*) echo "$line" ;; esac; done < "{folder}/row"',
    )
    return login
