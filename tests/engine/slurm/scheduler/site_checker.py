"""What Slurm's rules forbid in a schedule of a drawn site, written down from the manual pages alone.

slurm.conf(5), sbatch(1) and sacctmgr(1): nodes and their CPUs, partitions, numbers of nodes, reservations,
throttles of arrays, and the hierarchy of limits. Nothing here is the program's own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.engine.slurm.scheduler.drawn_sites import DrawnJob, DrawnSite

_MANY = 10**9


@dataclass(frozen=True)
class Placed:
    """A run of a job: when it started, s, and its CPUs on each node; `cut` is when a failure ended it."""

    job: DrawnJob
    start: int
    on: Mapping[str, int]
    cut: int | None = None

    @property
    def end(self) -> int:
        """When it ended."""
        return self.start + self.job.runtime if self.cut is None else self.cut


@dataclass(frozen=True)
class _Rule:
    """A limit that holds a job back: of so many of a unit, by all that count towards the owner."""

    owner: tuple[str, ...]
    unit: str
    most: int


def broken_rules(site: DrawnSite, placed: list[Placed]) -> list[str]:
    """Everything that the schedule does against the rules, in words."""
    found = [text for each in placed for text in _of_job(site, each)]
    found += [text for each in placed for text in _of_nodes(site, each, placed)]
    found += [text for each in placed for text in _of_limits(site, each, placed)]
    started = {each.job.job_id for each in placed}
    found += [
        f"job {job.job_id} never starts, and nothing forbids it"
        for job in site.jobs
        if job.job_id not in started and _may_start(site, job) and not _may_starve(site)
    ]
    return found


def _may_starve(site: DrawnSite) -> bool:
    """Whether jobs that never start may take all places of a pass, or all of a user or partition."""
    return bool(site.parameters) and not all(_may_start(site, job) for job in site.jobs)


def _of_job(site: DrawnSite, each: Placed) -> Iterator[str]:
    """What a job alone does wrong."""
    job, part = each.job, site.partitions[each.job.partition]
    name = f"job {job.job_id}"
    if each.start < job.submit:
        yield f"{name} starts before its submission"
    if sum(each.on.values()) < job.cpus:
        yield f"{name} has fewer CPUs than it asked for"
    if not set(each.on) <= set(part.nodes):
        yield f"{name} is outside of its partition"
    low, high = _node_range(site, job)
    if not low <= len(each.on) <= high:
        yield f"{name} is on {len(each.on)} nodes, not on {low} to {high}"
    # A reserved time may not be touched by what a job could take, not only by what it took.
    for begin, end, nodes in site.reservations:
        if each.start < end and each.start + 60 * job.limit > begin and set(nodes) & set(each.on):
            yield f"{name} runs on reserved nodes"
    for node, begin, end in site.failures:
        if node in each.on and each.start < end and each.end > begin:
            yield f"{name} runs on {node}, which failed"
    # The run of a job ends early only if one of its nodes failed in that very second.
    if each.cut is not None and not any(
        node in each.on and begin == each.cut for node, begin, _ in site.failures
    ):
        yield f"{name} is cut short, and none of its nodes failed then"
    if 60 * job.limit > _longest(site, job):
        yield f"{name} starts with a longer limit than it may have"
    for unit, most in _single(site, job).items():
        if amount_of(each, unit) > most:
            yield f"{name} has {amount_of(each, unit)} {unit}s, and may have {most}"


def _node_range(site: DrawnSite, job: DrawnJob) -> tuple[int, int]:
    """The least and the largest number of nodes that a job may be on."""
    keys = site.partitions[job.partition].keys
    low, high = int(keys.get("MinNodes", "1")), int(keys.get("MaxNodes", str(_MANY)))
    if job.nodes is None:
        return min(low, job.cpus), high
    return max(job.nodes[0], low), min(job.nodes[1], high)


def _single(site: DrawnSite, job: DrawnJob) -> dict[str, int]:
    """The most of each unit that a single job may have: a level goes before those above it."""
    most: dict[str, int] = {}
    for _, limits in qualities_of(site, job):
        most = dict(_amounts("MaxTRES", limits)) | most
    for own in _line(site, job):
        most = dict(_amounts("MaxTRESPerJob", site.associations[own])) | most
    return most


def _longest(site: DrawnSite, job: DrawnJob) -> int:
    """The longest time limit of a job, s."""
    texts = [site.partitions[job.partition].keys.get("MaxTime")]
    texts.append(next((q["MaxWall"] for _, q in qualities_of(site, job) if "MaxWall" in q), None))
    return min([_seconds(text) for text in texts if text] or [_MANY])


def _seconds(text: str) -> int:
    hours, minutes, seconds = map(int, text.split(":"))
    return 3600 * hours + 60 * minutes + seconds


def _of_nodes(site: DrawnSite, each: Placed, placed: list[Placed]) -> Iterator[str]:
    """CPUs that are given twice when a job starts."""
    for node in each.on:
        held = sum(other.on.get(node, 0) for other in placed if other.start <= each.start < other.end)
        if held > site.nodes[node]:
            yield f"{held} of {site.nodes[node]} CPUs of {node} are in use as job {each.job.job_id} starts"


def _of_limits(site: DrawnSite, each: Placed, placed: list[Placed]) -> Iterator[str]:
    """Limits that a job exceeds at its start, together with what runs already.

    Of jobs that start in the same second those count that the same limit holds back: the last of them had
    the others before it.
    """
    for rule in rules_of(site, each.job):
        total = 0
        for other in placed:
            there = other.start < each.start < other.end
            together = other.start == each.start and rule in rules_of(site, other.job)
            if rule.owner in owners_of(site, other.job) and (there or together):
                total += amount_of(other, rule.unit)
        if total > rule.most:
            yield f"job {each.job.job_id}: {total} {rule.unit}s of {rule.owner}, at most {rule.most}"


def amount_of(each: Placed, unit: str) -> int:
    return {"job": 1, "cpu": sum(each.on.values()), "node": len(each.on)}[unit]


def qualities_of(site: DrawnSite, job: DrawnJob) -> list[tuple[str, Mapping[str, str]]]:
    """The qualities of service of a job, that whose limits go first at first."""
    names = [site.partitions[job.partition].keys.get("QOS", ""), job.qos]
    if "OverPartQOS" in site.qos[job.qos].get("Flags", ""):
        names.reverse()
    return [(name, site.qos[name]) for name in dict.fromkeys(names) if name]


def _line(site: DrawnSite, job: DrawnJob) -> list[tuple[str, str]]:
    """The association of a job, and those above it."""
    line, account = [(job.account, job.user)], job.account
    while account in site.parents:
        line.append((account, ""))
        account = site.parents[account]
    return line


def owners_of(site: DrawnSite, job: DrawnJob) -> set[tuple[str, ...]]:
    """All that a job counts towards, whatever its limits are."""
    owners: set[tuple[str, ...]] = {("association", *own) for own in _line(site, job)}
    for name, _ in qualities_of(site, job):
        owners |= {("qos", name), ("qos", name, "user", job.user), ("qos", name, "account", job.account)}
    return owners | ({("array", job.array)} if job.array else set())


def rules_of(site: DrawnSite, job: DrawnJob) -> list[_Rule]:
    """The limits that hold a job back."""
    rules, given = list[_Rule](), set[tuple[str, str]]()
    # The first quality of service that sets a limit decides it; others and associations no longer count for
    # it.
    for name, limits in qualities_of(site, job):
        user, account = ("qos", name, "user", job.user), ("qos", name, "account", job.account)
        owners: dict[str, tuple[str, ...]] = {"GrpJobs": ("qos", name), "GrpTRES": ("qos", name)}
        owners |= {"MaxJobsPU": user, "MaxTRESPU": user, "MaxJobsPA": account, "MaxTRESPA": account}
        mine = [
            ((key, unit), _Rule(owner, unit, most))
            for key, owner in owners.items()
            for unit, most in _amounts(key, limits)
        ]
        rules += [rule for limit, rule in mine if limit not in given]
        given |= {limit for limit, _ in mine}
    line = _line(site, job)
    for own in line:
        for key in ("GrpJobs", "GrpTRES"):
            for unit, most in _amounts(key, site.associations[own]):
                if (key, unit) not in given:
                    rules.append(_Rule(("association", *own), unit, most))
    # A limit on the jobs of an association is inherited from the nearest of its line that sets one.
    inherited = [most for own in line for _, most in _amounts("MaxJobs", site.associations[own])]
    if inherited and not {("MaxJobsPU", "job"), ("MaxJobsPA", "job")} & given:
        rules.append(_Rule(("association", *line[0]), "job", inherited[0]))
    if job.at_once:
        rules.append(_Rule(("array", job.array), "job", job.at_once))
    return rules


def _amounts(key: str, limits: Mapping[str, str]) -> list[tuple[str, int]]:
    """The units of a limit and their amounts; none if it is not set."""
    if key not in limits:
        return []
    if "TRES" not in key:
        return [("job", int(limits[key]))]
    return [(unit, int(most)) for unit, most in (part.split("=") for part in limits[key].split(","))]


def _may_start(site: DrawnSite, job: DrawnJob) -> bool:
    """Whether a job surely starts some time: it fits on the empty machine, and exceeds no limit alone."""
    low, high = _node_range(site, job)
    rooms = sorted((site.nodes[node] for node in site.partitions[job.partition].nodes), reverse=True)
    wanted = range(low, min(high, len(rooms), job.cpus) + 1)
    # The model splits CPUs evenly over a number of nodes that was asked for, and may take any in a range.
    fits = [many for many in wanted if sum(rooms[:many]) >= job.cpus]
    if job.nodes is not None and job.nodes[0] == job.nodes[1]:
        fits = [many for many in fits if rooms[many - 1] >= -(-job.cpus // many)]
    if not fits or 60 * job.limit > _longest(site, job):
        return False
    sizes = {"job": 1, "cpu": job.cpus, "node": len(site.partitions[job.partition].nodes)}
    levels = [
        *(limits for _, limits in qualities_of(site, job)),
        *(site.associations[own] for own in _line(site, job)),
    ]
    single = [
        amount
        for limits in levels
        for key in ("MaxTRES", "MaxTRESPerJob")
        for amount in _amounts(key, limits)
    ]
    every = [(rule.unit, rule.most) for rule in rules_of(site, job)] + single
    return all(sizes[unit] <= most for unit, most in every)
