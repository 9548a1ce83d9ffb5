"""A folder with a log and all that runs and commands need beside it: a site, a schedule, a study, a queue."""

import random
from dataclasses import dataclass
from pathlib import Path

from tests.matrix.logs import LOGS

_SITE = """\
NodeName=c[1-3] CPUs=4 RealMemory=8192
NodeName=c4 CPUs=4 RealMemory=8192 Gres=gpu:2
PartitionName=batch Nodes=ALL Default=YES
PartitionName=short Nodes=c[1-2] MaxTime=60
PriorityType=priority/multifactor
PriorityWeightAge=10
PriorityWeightFairshare=100
SchedulerParameters=bf_interval=30
"""
_PREEMPTING = """\
NodeName=c[1-4] CPUs=4 RealMemory=8192
PartitionName=batch Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE
PartitionName=short Nodes=ALL PriorityTier=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=bf_interval=30
"""
_STUDY = """\
title = "Which?"
policies = ["easy", "fcfs"]
metrics = ["wait_mean"]
against = "fcfs"
findings = [{ text = "easy waits less", policy = "easy", most = 100 }]
"""
_PAPER = """\
title = "Which?"
[[logs]]
name = "log"
file = "{log}"
[[tables]]
name = "table"
run = "compare log -p {policy} -p easy"
[[tables.numbers]]
text = "mean wait of easy"
where = {{ metric = "wait_mean" }}
column = "easy"
most = 100
[[figures]]
name = "figure"
run = "figure sizes log -p {policy}"
"""
_QUEUE = """\
Sun Nov 29 10:00:00 2026
JOBID|PARTITION|USER|STATE|TIME|TIME_LIMIT|CPUS|NODES|NODELIST(REASON)|PRIORITY
1|batch|ann|RUNNING|10:00|20:00|4|1|c1|9
2|batch|bob|PENDING|0:00|20:00|4|1|(Resources)|9
3|short|cyd|PENDING|0:00|UNLIMITED|16|4|(Priority)|8
"""


@dataclass(frozen=True)
class Bench:
    """The files of a kind of log: `log`, and beside it what its runs and commands name."""

    kind: str
    folder: Path
    log: Path

    @property
    def site(self) -> Path:
        """The folder of a site's files."""
        return self.folder / "site"

    @property
    def preempting(self) -> Path:
        """The folder of a site whose partitions preempt each other."""
        return self.folder / "preempting"

    @property
    def schedule(self) -> Path:
        """A schedule of the log, which `lay_schedule` writes."""
        return self.folder / "schedule.csv"

    @property
    def study(self) -> Path:
        """A study file of two policies."""
        return self.folder / "study.toml"

    @property
    def queue(self) -> Path:
        """A queue as `squeue` prints it."""
        return self.folder / "queue.txt"

    def lay_paper(self, policy: str) -> Path:
        """A folder with the log and a paper of a table and a figure of it, which may be there already."""
        folder = self.folder / "paper"
        folder.mkdir(exist_ok=True)
        (folder / self.log.name).write_bytes(self.log.read_bytes())
        (folder / "paper.toml").write_text(_PAPER.format(log=self.log.name, policy=policy), "utf-8")
        return folder

    def output(self, name: str) -> Path:
        """A path in the folder of outputs, where nothing is."""
        folder = self.folder / "out"
        folder.mkdir(exist_ok=True)
        number = sum(1 for _ in folder.iterdir())
        return folder / f"{number}-{name}"


def lay_bench(kind: str, folder: Path) -> Bench:
    """Write the files of a kind of log into a folder of its own."""
    own = folder / kind
    own.mkdir(parents=True)
    bench = Bench(kind, own, LOGS[kind](own))
    return lay_beside(bench)


def lay_beside(bench: Bench) -> Bench:
    """Write what stands beside the log."""
    for site, text in ((bench.site, _SITE), (bench.preempting, _PREEMPTING)):
        site.mkdir()
        (site / "slurm.conf").write_text(text, "utf-8")
    bench.study.write_text(_STUDY, "utf-8")
    bench.queue.write_text(_QUEUE, "utf-8")
    return bench


@dataclass(frozen=True)
class KindOfRun:
    """A kind of run: its policy, where {} is the folder of the bench, and options that it needs."""

    policy: str
    options: tuple[str, ...] = ()

    def policy_on(self, bench: Bench) -> str:
        """The policy, with the files of the bench."""
        return self.policy.replace("{}", str(bench.folder))

    def options_on(self, bench: Bench) -> list[str]:
        """The options, with the files of the bench."""
        return [text.replace("{}", str(bench.folder)) for text in self.options]


RUNS: dict[str, KindOfRun] = {
    "recorded": KindOfRun("recorded"),
    "recorded-file": KindOfRun("recorded:{}/schedule.csv"),
    "easy": KindOfRun("easy"),
    "plan": KindOfRun("plan"),
    "plan-search": KindOfRun("plan-search:trials=5"),
    "queues": KindOfRun("queues"),
    "tuned": KindOfRun("tuned-2d:queue_depth=1"),
    "fairshare": KindOfRun("fairshare-easy"),
    "site": KindOfRun("site:{}/site", ("--cluster", "{}/site/slurm.conf")),
    "site-on-the-logs-machine": KindOfRun("site:{}/site"),
    "failures": KindOfRun("easy", ("--cluster", "4x4c8g~10m/2m")),
    "lost": KindOfRun("just:on_failure=lose", ("--cluster", "2x8c~5m/2m")),
    "preempted": KindOfRun("site:{}/preempting", ("--cluster", "{}/preempting/slurm.conf")),
}
"""The kinds of run, by name."""


def other_run(chance: random.Random, bench: Bench) -> str:
    """The policy of a second run beside any first."""
    return RUNS[chance.choice(list(RUNS))].policy_on(bench)
