"""Schedules of a real Slurm, to hold a site's twin against: what was submitted, and when it ran.

`python -m tests.real.schedules FOLDER NAME [SECONDS]` runs one of SCHEDULES and leaves in FOLDER/out what
Slurm printed of it: `sacct.txt` and `runs.txt` (all runs of requeued jobs), `asked.csv` with the jobs as they
were submitted, and in FOLDER/out/site the files that a site hands over. Several may run at once: each has its
own network.
"""

import csv
import random
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tests.real.session import SACCT, Jobs, finish, print_to
from tests.real.site import Setup, Site, enter, lacks, site
from tests.real.workload import Job

DAEMONS = """\
ClusterName=loop
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=6817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=cred_expire=20
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmdPidFile={folder}/spool/%n.pid
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SlurmdTimeout=300
InactiveLimit=0
MinJobAge=3600
KillWait=5
SlurmdParameters=config_overrides
SelectType=select/cons_tres
GresTypes=gpu
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=6819
AccountingStorageTRES=gres/gpu
AccountingStorageEnforce=associations,limits,qos
"""
"""What every cluster here has."""

USERS = {"u1": "left", "u2": "left", "u3": "left", "u4": "right", "u5": "right", "u6": "right"}
"""Users and their accounts."""

_TREE = (
    "add account left parent=root fairshare=70 cluster=loop",
    "add account right parent=root fairshare=30 cluster=loop",
    *(
        f"add user {user} account={account} fairshare={shares} cluster=loop"
        for (user, account), shares in zip(USERS.items(), (10, 20, 30, 10, 10, 40), strict=True)
    ),
)

FAIR = Setup(
    conf=f"""{DAEMONS}
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=10,bf_max_job_test=500,bf_continue
SelectTypeParameters=CR_Core
PriorityType=priority/multifactor
PriorityWeightFairshare=100000
PriorityWeightAge=10000
PriorityWeightJobSize=5000
PriorityWeightPartition=20000
PriorityMaxAge=0-1
PriorityDecayHalfLife=0-2
PriorityCalcPeriod=1
NodeName=DEFAULT RealMemory=48000 Sockets=2 CoresPerSocket=6 ThreadsPerCore=1 State=UNKNOWN
NodeName=n[01-10] {{here}} Port=[18001-18010]
PartitionName=batch Nodes=n[01-10] Default=YES MaxTime=1:00:00 DefaultTime=5 PriorityJobFactor=1
PartitionName=short Nodes=n[01-04] MaxTime=2 DefaultTime=2 PriorityTier=2 PriorityJobFactor=10
""",
    gres="",
    nodes=tuple(f"n{k:02d}" for k in range(1, 11)),
    accounting=_TREE,
)
"""Fair tree, two accounts with unequal shares, two overlapping partitions."""

TIERS = Setup(
    conf=f"""{DAEMONS}
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=10,bf_max_job_test=500,bf_continue
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityWeightAge=10000
PriorityWeightFairshare=1000
PriorityWeightJobSize=2000
PriorityMaxAge=0-1
PriorityDecayHalfLife=0-2
PriorityCalcPeriod=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
OverTimeLimit=1
DefMemPerCPU=1000
NodeName=DEFAULT RealMemory=16000 Sockets=1 CoresPerSocket=8 ThreadsPerCore=1 State=UNKNOWN
NodeName=n[1-4] {{here}} Port=[18001-18004] Feature=thin
NodeName=g[1-2] {{here}} Port=[18005-18006] Gres=gpu:2 Feature=thick
PartitionName=DEFAULT MaxTime=1:00:00 DefaultTime=5 PreemptMode=OFF
PartitionName=batch Nodes=n[1-4],g[1-2] Default=YES PriorityTier=5
PartitionName=low Nodes=n[1-4],g[1-2] PriorityTier=1 PreemptMode=REQUEUE
PartitionName=cheap Nodes=n[1-4] PriorityTier=1 PreemptMode=CANCEL GraceTime=10
PartitionName=gpu Nodes=g[1-2] MaxTime=10 PriorityTier=3
""",
    gres="NodeName=g[1-2] Name=gpu File={folder}/gpus/nvidia[0-1]\n",
    nodes=("n1", "n2", "n3", "n4", "g1", "g2"),
    accounting=_TREE,
)
"""Preemption between partitions, memory, GPUs, a reservation, holds, dependencies, overtime."""

QUALITY = Setup(
    conf=f"""{DAEMONS}
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=10,bf_max_job_test=500,bf_continue
SelectTypeParameters=CR_Core
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightQOS=50000
PriorityMaxAge=0-1
PriorityDecayHalfLife=0-2
PriorityCalcPeriod=1
PreemptType=preempt/qos
PreemptMode=REQUEUE
NodeName=DEFAULT RealMemory=16000 Sockets=1 CoresPerSocket=12 ThreadsPerCore=1 State=UNKNOWN
NodeName=n[1-4] {{here}} Port=[18001-18004]
PartitionName=batch Nodes=n[1-4] Default=YES MaxTime=1:00:00 DefaultTime=5
""",
    gres="",
    nodes=("n1", "n2", "n3", "n4"),
    accounting=(
        "add qos scavenge priority=0 preemptmode=requeue",
        "add qos middle priority=10 grptres=cpu=30 maxjobsperuser=4 gracetime=8 preemptmode=cancel",
        "add qos high priority=100 preempt=scavenge,middle maxtresperuser=cpu=16",
        *_TREE,
        "modify account left right set qos=normal,scavenge,middle,high",
    ),
)
"""Preemption between qualities of service, and their limits."""

SCHEDULES = {"fair": FAIR, "tiers": TIERS, "quality": QUALITY, "preempted": TIERS}
LENGTHS = {"fair": 660.0, "tiers": 420.0, "quality": 420.0, "preempted": 40.0}
"""Seconds over which the jobs of a schedule are submitted."""


@dataclass(frozen=True)
class Asked:
    """A job of a schedule: when it is submitted, how long it sleeps, and what else is asked."""

    at: float
    key: str
    user: str
    partition: str
    cpus: int
    limit: int  # minutes
    runtime: int  # s
    more: str = ""
    qos: str = ""

    @property
    def job(self) -> Job:
        """As it is submitted."""
        qos = f" --qos={self.qos}" if self.qos else ""
        options = f"-n{self.cpus} -t{self.limit} -p {self.partition} -J {self.key}{qos} {self.more}"
        return Job(self.key, self.user, tuple(options.split()), f"sleep {self.runtime}")


def asked(name: str, seconds: float) -> list[Asked]:
    """The jobs of a schedule in order of submission."""
    draw = random.Random(name)
    return sorted(_MAKERS[name](draw, seconds), key=_when)


def _when(request: Asked) -> float:
    return request.at


def _fair(draw: random.Random, seconds: float) -> Iterator[Asked]:
    at, k = 0.0, 0
    while at < seconds:
        user = draw.choice(("u1", "u2", "u3", "u4", "u4", "u5", "u6", "u6"))
        short = draw.random() < 0.25
        for _ in range(draw.choice((1, 1, 1, 2, 4, 7))):  # users submit several jobs at once
            cpus = draw.choice((1, 1, 2, 4, 6) if short else (1, 1, 2, 4, 6, 8, 12, 17, 24))
            runtime = round(min(draw.lognormvariate(2.9 if short else 3.3, 0.7), 100 if short else 280)) + 4
            limit = min(-(-runtime * draw.choice((1, 2, 3)) // 60), 2 if short else 15)
            k += 1
            yield Asked(at, f"f{k:03d}", user, "short" if short else "batch", cpus, limit, runtime)
            at += draw.choice((0.0, 0.3, 1.0))
        at += draw.expovariate(1 / 4.0)


def _tiers(draw: random.Random, seconds: float) -> Iterator[Asked]:
    at, k = 0.0, 0
    while at < seconds:
        k += 1
        partition = draw.choice(("batch", "low", "low", "cheap", "batch", "gpu"))
        cpus = draw.choice((1, 2, 2, 4)) if partition == "gpu" else draw.choice((1, 2, 2, 4, 4, 6, 8, 12))
        runtime = round(min(draw.lognormvariate(3.2, 0.6), 120)) + 5
        limit = -(-runtime * draw.choice((1, 1, 2, 3)) // 60)
        more = ""
        if partition == "gpu":
            cpus, more = min(cpus, 8), f"-N1 --gres=gpu:{draw.choice((1, 1, 2))}"
        elif draw.random() < 0.2:
            more = f"--mem-per-cpu={draw.choice((500, 1900, 3000))}"
        elif draw.random() < 0.1:
            more = "-C thick"
        if draw.random() < 0.06:
            more += f" --begin=now+{draw.choice((20, 45, 90))}"
        elif draw.random() < 0.06:
            more += " -H"
        elif k > 3 and draw.random() < 0.08:
            more += f" -d {draw.choice(('afterok', 'afterany'))}:@t{k - draw.choice((1, 2, 3)):03d}"
        elif draw.random() < 0.06:
            limit, runtime = 1, draw.choice((80, 95, 200))  # beyond its limit, within OverTimeLimit or not
        if partition == "batch" and 130 < at < 230 and draw.random() < 0.3:
            more += " --reservation=kept"
        yield Asked(at, f"t{k:03d}", draw.choice(sorted(USERS)), partition, cpus, limit, runtime, more)
        at += draw.expovariate(1 / 2.9)


def _quality(draw: random.Random, seconds: float) -> Iterator[Asked]:
    at, k = 0.0, 0
    while at < seconds:
        k += 1
        qos = draw.choice(("scavenge", "scavenge", "middle", "middle", "high"))
        cpus = draw.choice((1, 2, 2, 3, 4, 6, 8, 12))
        cpus = min(cpus, 12) if qos == "high" else cpus
        runtime = round(min(draw.lognormvariate(3.2, 0.6), 120)) + 5
        limit = -(-runtime * draw.choice((1, 2, 3)) // 60)
        yield Asked(at, f"q{k:03d}", draw.choice(sorted(USERS)), "batch", cpus, limit, runtime, qos=qos)
        at += draw.expovariate(1 / 2.9)


def _preempted(draw: random.Random, seconds: float) -> Iterator[Asked]:
    """Jobs that fill all nodes, a few seconds apart, and three that preempt some of them."""
    del draw, seconds
    yield Asked(0.0, "first", "u1", "low", 8, 3, 70)
    yield Asked(5.0, "second", "u2", "low", 8, 3, 70)
    yield Asked(10.0, "third", "u3", "low", 8, 3, 70)
    yield Asked(15.0, "wide", "u1", "low", 16, 3, 70)
    yield Asked(20.0, "cheap", "u2", "cheap", 8, 3, 70)
    yield Asked(27.0, "one_node", "u4", "batch", 8, 1, 25)
    yield Asked(33.0, "two_nodes", "u5", "batch", 16, 1, 25)
    yield Asked(39.0, "last", "u6", "batch", 8, 1, 25)


_MAKERS = {"fair": _fair, "tiers": _tiers, "quality": _quality, "preempted": _preempted}


def main(folder: Path, name: str, seconds: float) -> None:
    """Run a schedule, in the namespaces that `enter` makes."""
    with site(folder, SCHEDULES[name]) as at:
        out = folder / "out"
        (out / "site").mkdir(parents=True)
        jobs, begin, coming, held = Jobs(at), time.monotonic(), asked(name, seconds), dict[str, float]()
        every, polled = coming, -30.0
        if name == "tiers":
            start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 150))
            jobs.command(
                "scontrol", "create", "reservation", "reservationname=kept", "users=u1,u2,u3,u4,u5,u6",
                "nodes=n[3-4]", f"starttime={start}", "duration=3",
            )  # fmt: skip
        hand_over(at, out / "site")
        while coming or held:
            passed = time.monotonic() - begin
            while coming and coming[0].at <= passed:
                request, coming = coming[0], coming[1:]
                submit(jobs, request)
                if "-H" in request.more.split():
                    held[request.key] = passed + 25
            for key in [key for key, until in held.items() if until <= passed]:
                del held[key]
                jobs.control("release", key)
            if passed - polled >= 30:
                polled = passed
                poll(at, out / "poll.txt")
            time.sleep(0.05)
        finish(jobs, restarts=(), seconds=500.0)
        keep(at, jobs, every, out)


def submit(jobs: Jobs, request: Asked) -> None:
    """Submit a job; `@key` in its options is the number of that job."""
    job = request.job
    options = tuple(
        re.sub(r"@(\w+)", lambda found: jobs.ids.get(found[1], "1"), option) for option in job.options
    )
    jobs.submit(Job(job.key, job.user, options, job.script))


def hand_over(at: Site, folder: Path) -> None:
    """The files of the site."""
    (folder / "slurm.conf").write_text((at.folder / "slurm.conf").read_text())
    (folder / "gres.conf").write_text((at.folder / "gres.conf").read_text())
    at.run("sacctmgr", "dump", "loop", f"file={folder}/sacctmgr_dump.cfg")
    print_to(at, folder / "qos.txt", "sacctmgr", "show", "qos", "-P")
    print_to(at, folder / "config.txt", "scontrol", "show", "config")
    print_to(at, folder / "reservation.txt", "scontrol", "show", "reservation")


def poll(at: Site, path: Path) -> None:
    """Add the priorities and shares as they are now to a file."""
    shown = [at.run("sprio", "-h", "-o", "%i %Y %A %F %J %P %Q"), at.run("sshare", "-a", "-l", "-P", "-n")]
    with path.open("a") as file:
        file.write(f"== {time.time():.0f}\n" + "--\n".join(shown))


def keep(at: Site, jobs: Jobs, every: list[Asked], out: Path) -> None:
    """What Slurm says of the jobs, and what was asked of it."""
    print_to(at, out / "sacct.txt", *SACCT, "-X", "-P", "--format=ALL")
    print_to(at, out / "runs.txt", *SACCT, "-X", "-D", "-P", "--format=ALL")
    print_to(at, out / "sdiag.txt", "sdiag")
    (out / "slurmctld.log").write_text((at.folder / "log" / "slurmctld").read_text(errors="replace"))
    # What was asked for is not in the log of the controller: it is written beside.
    with (out / "asked.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("job", "id", "at", "user", "partition", "cpus", "limit", "runtime", "more", "qos"))
        for request in every:
            row = (
                request.at,
                request.user,
                request.partition,
                request.cpus,
                request.limit,
                request.runtime,
                request.more,
                request.qos,
            )
            table.writerow((request.key, jobs.ids.get(request.key, ""), *row))


def asked_log(out: Path) -> Path:
    """A log in `out` of the jobs as they were asked for: first submissions and starts, and full runtimes."""
    with (out / "asked.csv").open() as file:
        runtimes = {row["id"]: int(row["runtime"]) for row in csv.DictReader(file)}
    with (out / "runs.txt").open(errors="replace") as file:
        runs = list(csv.DictReader(file, delimiter="|"))
    # The first run of each job: reversed, so that the first row stays in the dictionary.
    first = {row["JobID"]: row for row in reversed(runs) if row["JobID"] in runtimes}
    # A preempted run was cut: its end is written as if it had run in full.
    for number, row in first.items():
        if "PREEMPTED" in row["State"]:
            end = datetime.fromisoformat(row["Start"]) + timedelta(seconds=runtimes[number])
            row |= {"End": end.isoformat(), "State": "COMPLETED", "ElapsedRaw": str(runtimes[number])}
            row["Elapsed"] = str(timedelta(seconds=runtimes[number])).zfill(8)
    path = out / "asked.txt"
    lines = ["|".join(str(value) for value in row.values()) for row in first.values()]
    path.write_text("\n".join(["|".join(runs[0]), *lines, ""]))
    return path


def take(folder: Path, name: str, seconds: float) -> str:
    """Run a schedule in an empty folder; what it printed. Raises RuntimeError where it failed."""
    call = [sys.executable, "-m", "tests.real.schedules", str(folder), name, str(seconds), "inside"]
    done = enter(call, seconds + 700)
    if done.returncode:
        raise RuntimeError(done.stdout)
    return done.stdout


if __name__ == "__main__":
    where = Path(sys.argv[1]).resolve()
    length = sys.argv[3] if len(sys.argv) > 3 else str(LENGTHS[sys.argv[2]])
    if len(sys.argv) > 4:
        main(where, sys.argv[2], float(length))
    else:
        if missing := lacks():
            sys.exit(missing)
        where.mkdir(parents=True)
        print(take(where, sys.argv[2], float(length)))
