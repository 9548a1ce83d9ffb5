"""Small sites drawn at random, and their jobs: as values for a checker, and as files for the program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from tests.engine.logs.sacct.dumps import FIELDS, HEADER, clock, job

Limits = dict[str, str]
_BASE = """ClusterName=k
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageEnforce=limits
"""
_BASIC: Mapping[str, str] = {"PriorityType": "priority/basic"}
PARAMETERS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("partition_job_depth", "default_queue_depth", "sched_max_job_start"), ("1", "2", "5")),
    **dict.fromkeys(("bf_max_job_user", "bf_max_job_part", "bf_max_job_start"), ("1", "2", "4")),
    **dict.fromkeys(("bf_max_job_user_part", "bf_max_job_assoc", "bf_max_job_test"), ("1", "2", "4")),
    "sched_min_interval": ("0", "2000000", "30000000"),
    "defer": ("",),
}
"""Options of passes and cycles that are drawn, each with its values."""
QOS_COLUMNS = (
    *("GrpJobs", "GrpTRES", "MaxJobsPU", "MaxTRESPU", "MaxJobsPA", "MaxTRESPA", "MaxTRES", "MaxWall"),
    "Flags",
)


@dataclass(frozen=True)
class DrawnPartition:
    """A partition: its nodes, and its keys as `slurm.conf` has them."""

    nodes: tuple[str, ...]
    keys: Limits


@dataclass(frozen=True)
class DrawnJob:
    """A job as it was submitted: times in s, the limit in minutes; `nodes` are None of one that named none.

    At most `at_once` tasks of its array run at a time, if that is not 0.
    """

    job_id: str
    user: str
    account: str
    qos: str
    partition: str
    submit: int
    runtime: int
    limit: int
    cpus: int
    nodes: tuple[int, int] | None
    at_once: int
    line: str

    @property
    def array(self) -> str:
        """The id of the array of which the job is a task; empty if it is none."""
        array, mark, _ = self.job_id.partition("_")
        return array if mark else ""


@dataclass(frozen=True)
class DrawnSite:
    """A site: CPUs of nodes, partitions, limits by quality of service and association, and reservations.

    An association is (account, user), the user empty for the account itself; `parents` are those of accounts.
    A reservation is (begin, end, nodes), times in s; a failure is (node, begin, end), until which it is away.
    `parameters` are options of passes and cycles, `priority` those of priorities, and `worth` the priorities
    of qualities of service.
    """

    nodes: Mapping[str, int]
    partitions: Mapping[str, DrawnPartition]
    qos: Mapping[str, Limits]
    associations: Mapping[tuple[str, str], Limits]
    parents: Mapping[str, str]
    reservations: Sequence[tuple[int, int, tuple[str, ...]]]
    parameters: Limits = field(default_factory=dict)
    failures: Sequence[tuple[str, int, int]] = ()
    jobs: list[DrawnJob] = field(default_factory=list)
    priority: Mapping[str, str] = field(default_factory=lambda: _BASIC)
    worth: Mapping[str, int] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the site's files into a folder `site` and the jobs as `log`; returns the path of the log."""
        site = folder / "site"
        site.mkdir()
        (site / "slurm.conf").write_text(self._conf())
        (site / "dump.txt").write_text(self._dump())
        rows = [
            [name, str(self.worth.get(name, 0)), *(limits.get(key, "") for key in QOS_COLUMNS)]
            for name, limits in self.qos.items()
        ]
        table = [["Name", "Priority", *QOS_COLUMNS], *rows]
        (site / "qos.txt").write_text("".join("|".join(row) + "\n" for row in table))
        if self.reservations:
            (site / "reservation").write_text("".join(map(_reservation, self.reservations)))
        log = folder / "log"
        log.write_text("\n".join((f"{HEADER}|SubmitLine", *map(self._line, self.jobs), "")))
        return log

    def _conf(self) -> str:
        nodes = "".join(f"NodeName={name} CPUs={cpus}\n" for name, cpus in self.nodes.items())
        lines = [
            f"PartitionName={name} Nodes={','.join(part.nodes)}"
            + "".join(f" {key}={value}" for key, value in part.keys.items())
            for name, part in self.partitions.items()
        ]
        given = "".join(f",{name}{'=' if value else ''}{value}" for name, value in self.parameters.items())
        options = f"SchedulerParameters=bf_interval=30,bf_resolution=1{given}\n"
        options += "".join(f"{key}={value}\n" for key, value in self.priority.items())
        return _BASE + options + nodes + "\n".join(lines) + "\n"

    def _dump(self) -> str:
        lines = ["Cluster - 'k':Fairshare=1:QOS='normal'", "Parent - 'root'"]
        for name, parent in self.parents.items():
            own = "".join(f":{key}='{value}'" for key, value in self.associations[name, ""].items())
            lines += [f"Parent - '{parent}'", f"Account - '{name}':Fairshare=1{own}"]
        for (account, user), limits in self.associations.items():
            if user:
                own = "".join(f":{key}='{value}'" for key, value in limits.items())
                lines += [f"Parent - '{account}'", f"User - '{user}':Fairshare=1{own}"]
        return "\n".join(lines) + "\n"

    def _line(self, drawn: DrawnJob) -> str:
        # The log is what the site printed: a job's hosts are any of its size, as the twin places anew.
        asked = 1 if drawn.nodes is None else drawn.nodes[0]
        hosts = list(self.nodes)[:asked]
        values: dict[str, object] = {
            "JobID": drawn.job_id,
            "Partition": drawn.partition,
            "QOS": drawn.qos,
            "Account": drawn.account,
            "User": drawn.user,
            "Submit": clock(drawn.submit),
            "Eligible": clock(drawn.submit),
            "Start": clock(drawn.submit),
            "End": clock(drawn.submit + drawn.runtime),
            "NNodes": len(hosts),
            "NCPUS": drawn.cpus,
            "ReqCPUS": drawn.cpus,
            "ReqTRES": f"cpu={drawn.cpus},node={asked}",
            "Timelimit": f"{drawn.limit // 60:02}:{drawn.limit % 60:02}:00",
            "NodeList": ",".join(hosts),
        }
        assert values.keys() <= set(FIELDS)
        return f"{job(**values)}|{drawn.line}"


def _reservation(closed: tuple[int, int, tuple[str, ...]]) -> str:
    begin, end, nodes = closed
    return (
        f"ReservationName=r{begin} StartTime={clock(begin)} EndTime={clock(end)} Duration=00:10:00\n"
        f"   Nodes={','.join(nodes)} NodeCnt={len(nodes)} Features=(null) Flags=MAINT,SPEC_NODES\n"
        "   Users=root State=INACTIVE\n\n"
    )


def drawn_site(seed: int) -> DrawnSite:
    """A site of up to five nodes with two dozen jobs at most, all within an hour."""
    # One source of all draws: a seed always makes the same site.
    draw = Random(seed)
    nodes = {f"a{k}": draw.choice([2, 4, 4, 8]) for k in range(1, draw.randint(1, 5) + 1)}
    qos = {name: _qos_limits(draw) for name in ("normal", "x", "part")[: draw.randint(1, 3)]}
    partitions = {name: _partition(draw, nodes, qos) for name in ("p", "q", "r")[: draw.choice([1, 1, 2, 3])]}
    parents = {"phys": "root", "astro": "phys", "bio": "root"}
    associations = {(account, ""): _account_limits(draw) for account in parents}
    for account in parents:
        for user in ("ann", "bob"):
            associations[account, user] = _account_limits(draw) if draw.random() < 0.3 else {}
    closed = []
    if draw.random() < 0.25:
        begin = 60 * draw.randint(0, 30)
        own = draw.sample(list(nodes), draw.randint(1, len(nodes)))
        closed.append((begin, begin + 600, tuple(sorted(own))))
    site = DrawnSite(nodes, partitions, qos, associations, parents, closed, *_trouble(seed, nodes))
    number, submit = 1, 0
    # Some jobs are arrays, which add several at once.
    while len(site.jobs) < draw.randint(4, 24):
        submit += draw.choice([0, 1, 7, 60])
        site.jobs.extend(_jobs(draw, site, number, submit))
        number += 1
    return site


def with_priorities(site: DrawnSite, seed: int) -> DrawnSite:
    """The site with priorities of several factors, drawn by a seed."""
    # A source of its own, so that the site is the same with and without priorities.
    draw = Random(f"{seed} of priorities")
    priority = {
        "PriorityType": "priority/multifactor",
        "PriorityMaxAge": "0-00:30:00",
        "PriorityDecayHalfLife": draw.choice(["0-00:20:00", "0-02:00:00", "0"]),
        "PriorityFavorSmall": draw.choice(["YES", "NO"]),
        "PriorityFlags": draw.choice(["NO_FAIR_TREE", ""]),
    }
    # A weight of 0 takes its factor out.
    for name in ("Age", "Fairshare", "JobSize", "Partition", "QOS"):
        priority[f"PriorityWeight{name}"] = str(draw.choice([0, 500, 2000, 10_000]))
    parts = {}
    for name, part in site.partitions.items():
        keys = part.keys | {"PriorityJobFactor": str(draw.randint(1, 20))}
        # Partitions of a higher tier go first whatever the priorities are; most have the default of 1.
        if draw.random() < 0.3:
            keys["PriorityTier"] = str(draw.randint(1, 3))
        parts[name] = replace(part, keys=keys)
    worth = {name: draw.randint(0, 50) for name in site.qos}
    return replace(site, partitions=parts, priority=priority, worth=worth)


def _trouble(seed: int, nodes: Mapping[str, int]) -> tuple[Limits, list[tuple[str, int, int]]]:
    """Options of passes, and failures of nodes."""
    # Drawn apart, so that the rest of a seed's site stays as it was.
    draw = Random(f"{seed} of passes and failures")
    parameters = {name: draw.choice(values) for name, values in PARAMETERS.items() if draw.random() < 0.12}
    failures = list[tuple[str, int, int]]()
    if len(nodes) > 1 and draw.random() < 0.3:
        for node in draw.sample(list(nodes), draw.randint(1, len(nodes))):
            begin = draw.randint(0, 2400)
            failures.append((node, begin, begin + draw.choice([1, 60, 600, 3600])))
    return parameters, failures


def _limit(draw: Random, most: int) -> str:
    return str(draw.randint(1, most))


def _resources(draw: Random) -> str:
    """A limit of CPUs, of nodes, or of both."""
    texts = [f"cpu={draw.randint(2, 16)}", f"node={draw.randint(1, 4)}"]
    return ",".join(texts if draw.random() < 0.2 else [texts[draw.random() < 0.3]])


def _qos_limits(draw: Random) -> Limits:
    limits: Limits = {}
    for key in QOS_COLUMNS[:-2]:
        if draw.random() < 0.2:
            limits[key] = _resources(draw) if "TRES" in key else _limit(draw, 4)
    if draw.random() < 0.1:
        limits["MaxWall"] = "00:30:00"
    if draw.random() < 0.2:
        limits["Flags"] = "OverPartQOS"
    return limits


def _account_limits(draw: Random) -> Limits:
    limits: Limits = {}
    for key in ("GrpJobs", "GrpTRES", "MaxJobs", "MaxTRESPerJob"):
        if draw.random() < 0.2:
            limits[key] = _resources(draw) if "TRES" in key else _limit(draw, 4)
    return limits


def _partition(draw: Random, nodes: Mapping[str, int], qos: Mapping[str, Limits]) -> DrawnPartition:
    own = tuple(sorted(draw.sample(list(nodes), draw.randint(1, len(nodes)))))
    keys: Limits = {}
    if draw.random() < 0.3:
        keys["QOS"] = draw.choice(list(qos))
    if draw.random() < 0.3:
        keys["MaxNodes"] = _limit(draw, 3)
    if draw.random() < 0.15:
        keys["MinNodes"] = _limit(draw, 2)
    if draw.random() < 0.2:
        keys["MaxTime"] = "00:45:00"
    return DrawnPartition(own, keys)


def _jobs(draw: Random, site: DrawnSite, number: int, submit: int) -> list[DrawnJob]:
    """A job, or the tasks of an array."""
    machine = sum(site.nodes.values())
    cpus, nodes, words = min(draw.choice([1, 1, 2, 3, 4, 6, 8]), machine), None, ""
    if draw.random() < 0.4:
        least = draw.randint(1, 3)
        most = least + draw.choice([0, 0, 1, 2])
        nodes, cpus = (least, most), min(max(cpus, most), machine)
        words = f" -N {least}" if least == most else f" -N {least}-{most}"
    array, at_once, ids = "", 0, [str(number)]
    if draw.random() < 0.2:
        tasks, at_once = draw.randint(2, 6), draw.choice([0, 1, 2])
        array = f" --array=1-{tasks}" + (f"%{at_once}" if at_once else "")
        ids = [f"{number}_{task}" for task in range(1, tasks + 1)]
    account, user = draw.choice(list(site.parents)), draw.choice(["ann", "bob"])
    qos, partition = draw.choice(list(site.qos)), draw.choice(list(site.partitions))
    limit = draw.choice([5, 20, 40, 60])
    line = f"sbatch{words} -n {cpus}{array} run.sh"
    return [
        DrawnJob(
            job_id, user, account, qos, partition, submit, draw.randint(10, 30 * limit), limit, cpus, nodes,
            at_once, line,
        )
        for job_id in ids
    ]  # fmt: skip
