"""Judges of what reports claim of runs: their order, the use of the machine, long waits, used requests."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise, product
from statistics import median

from engine.claims.claim import Claim, Relation
from engine.report.ranking import RANKED
from tests.engine.metrics import naive
from tests.engine.simulation.naive_machine import Amount, holds, nodes_of, tasks_of, whole_tasks
from tests.engine.verdict.comparing import phases_overlap
from tests.engine.verdict.seen import Numbers, Seen

HOUR = 3600


def _jobs(own: Seen) -> list[naive.Job]:
    schedule, trace = own.schedule, own.schedule.trace
    return [
        naive.Job(
            own.user(job),
            int(trace.submit[job]),
            int(schedule.start[job] - trace.submit[job]),
            int(schedule.end[job] - schedule.start[job]),
            int(schedule.procs[job]),
        )
        for job in own.jobs
    ]


def _machine(own: Seen) -> int:
    return sum(group.count * group.cpus for group in own.schedule.cluster.groups)


def _value(own: Seen, metric: str) -> float | None:
    """A ranked metric, the less the better, as far as a slow twin knows it."""
    if metric == "violated_jobs":
        return sum(each > 0 for each in own.lateness.values())
    value = naive.summary(_jobs(own), _machine(own)).get(metric)
    return -value if value is not None and metric in ("utilization", "jain_wait") else value


def _near(value: float, other: float) -> bool:
    return abs(value - other) <= 1e-6 * max(1.0, abs(other))


def _named(claim: Claim, role: str) -> list[int]:
    return [each.place.row for each in claim.about if each.role == role]


def _best(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    best = _named(claim, "runs")
    for metric in (RANKED[row] for row in _named(claim, "metrics")):
        values = [_value(run, metric) for run in runs]
        known = [value for value in values if value is not None]
        if known and not all(_near(known[place], min(known)) for place in best):
            return False
    return {place.row for place in claim.evidence} == set(best)


def _one_order(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Some run is best by each metric that tells runs apart."""
    best = set(range(len(runs)))
    for metric in RANKED:
        values = [value for run in runs if (value := _value(run, metric)) is not None]
        if values:
            best &= {place for place, value in enumerate(values) if _near(value, min(values))}
    return bool(best)


def _no_order(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    rows = ([_value(run, metric) for run in runs] for metric in RANKED)
    return all(
        _near(value, row[0]) for row in rows for value in row if value is not None and row[0] is not None
    )


def _opposed(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Spearman's coefficient of both orders, which have no ties; values ascend where they are known."""
    orders = [_named(claim, f"{role} order") for role in ("first", "second")]
    for role, order in zip(("first", "second"), orders, strict=True):
        (metric,) = (RANKED[row] for row in _named(claim, role))
        values = [value for place in order if (value := _value(runs[place], metric)) is not None]
        if any(one > other + 1e-9 * abs(other) for one, other in pairwise(values)):
            return False
    count = len(runs)
    square = sum((orders[0].index(place) - orders[1].index(place)) ** 2 for place in range(count))
    return _near(said["alike"], 1 - 6 * square / (count * (count**2 - 1)))


def _chance_order(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Both are sites, and neither is above the other in all phases of both."""
    first, second = (runs[place] for place in _named(claim, "runs"))
    sites = all(run.schedule.policy.site is not None for run in (first, second))
    return sites and phases_overlap(first, second)


def used_part(own: Seen) -> float:
    """The part of the machine's time that measured jobs used."""
    return naive.summary(_jobs(own), _machine(own))["utilization"]


def _used(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return _near(said["used"], 100 * used_part(own))


def _spans(own: Seen) -> Iterator[tuple[int, int, list[int], list[int]]]:
    """From one event to the next while measured jobs are there: which jobs run, and which of these wait."""
    schedule, jobs = own.schedule, _jobs(own)
    first, last = min(job.submit for job in jobs), max(job.end for job in jobs)
    starts, ends = schedule.start.tolist(), schedule.end.tolist()
    submits: list[int] = schedule.trace.submit.tolist()
    ran = [job for job, start in enumerate(starts) if start >= 0]
    times = {first, last, *submits, *(starts[job] for job in ran), *(ends[job] for job in ran)}
    for begin, end in pairwise(sorted(time for time in times if first <= time <= last)):
        running = [job for job in ran if starts[job] <= begin < ends[job]]
        yield begin, end, running, [job for job in own.jobs if submits[job] <= begin < starts[job]]


def _idle(own: Seen) -> Iterator[tuple[int, list[int]]]:
    """Processor-seconds that idle between two events, and the processors that each waiting job asks for."""
    procs: list[int] = own.schedule.procs.tolist()
    for begin, end, running, waiting in _spans(own):
        # A recorded schedule may hold more than there is.
        idle = max(_machine(own) - sum(procs[job] for job in running), 0)
        yield idle * (end - begin), [procs[job] * (end - begin) for job in waiting]


def _whole(own: Seen) -> int:
    jobs = _jobs(own)
    return _machine(own) * (max(job.end for job in jobs) - min(job.submit for job in jobs))


def _idle_asked(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    asked = sum(min(idle, sum(asks)) for idle, asks in _idle(own))
    return _near(said["idle"], 100 * asked / _whole(own))


def _idle_fit(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    if _is_placed(own):
        fit = sum(idle for idle, asks, _ in _idle_on_nodes(own) if asks)
    else:
        fit = sum(idle for idle, asks in _idle(own) if any(each <= idle for each in asks))
    return _near(said["idle"], 100 * fit / _whole(own))


def _scattered(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    lost = sum(idle for idle, asks, fits in _idle_on_nodes(own) if asks and not fits)
    return _near(said["idle"], 100 * lost / _whole(own)) and lost > 0


def _is_placed(own: Seen) -> bool:
    """Whether it is known on which nodes jobs run."""
    return own.schedule.policy.simulated and not own.schedule.cluster.pooled


def _idle_on_nodes(own: Seen) -> Iterator[tuple[int, bool, bool]]:
    """Idle processor-seconds between two events, whether a waiting job asks for no more of anything than is
    free on all nodes, and whether any waiting job could be placed."""
    schedule, pieces = own.schedule, own.schedule.pieces
    machine = nodes_of(schedule.cluster)
    resources = [name for name in ("cpus", "ram", "gpu") if name in pieces.columns][: len(machine[0])]
    for begin, end, running, waiting in _spans(own):
        # What each node has left between two events, and which nodes are empty: whole nodes need those.
        free, empty = [list(node) for node in machine], set(range(len(machine)))
        for job in running:
            for row in range(*pieces.offset[job : job + 2].tolist()):
                empty.discard(int(pieces["node"][row]))
                for k, name in enumerate(resources):
                    free[pieces["node"][row]][k] -= max(0, int(pieces.columns[name][row]))
        tasks = [tasks_of(schedule.trace, job, len(machine[0])) for job in waiting]
        idle = [sum(node[k] for node in free) for k in range(len(machine[0]))]
        # By sums alone a job fits if nothing is lacking in all; placed it is only if tasks fit on nodes.
        asks = any(
            all(sum(count * need[k] for count, need in of_job) <= idle[k] for k in range(len(idle)))
            for of_job in tasks
        )
        alone = [
            whole_tasks(schedule.trace, job, of_job, machine)
            for job, of_job in zip(waiting, tasks, strict=True)
        ]
        fits = any(
            _has_room(of_job, free) if whole is None else _has_nodes(whole, [machine[node] for node in empty])
            for of_job, whole in zip(tasks, alone, strict=True)
        )
        yield idle[0] * (end - begin), asks, fits


def _has_nodes(tasks: Sequence[tuple[int, Amount]], nodes: Sequence[Amount]) -> bool:
    """Whether each task of these groups can have one of the nodes for itself."""
    if not tasks:
        return True
    (count, need), *others = tasks
    return any(
        all(holds(nodes[k], need) for k in taken)
        and _has_nodes(others, [node for k, node in enumerate(nodes) if k not in taken])
        for taken in combinations(range(len(nodes)), count)
    )


def _has_room(
    tasks: Sequence[tuple[int, Sequence[int]]], free: Sequence[Sequence[int]], node: int = 0
) -> bool:
    """Whether all groups of equal tasks have room on the nodes from one on, by any distribution."""
    if not any(count for count, _ in tasks):
        return True
    if node == len(free):
        return False
    most = [
        min([count, *(has // need for has, need in zip(free[node], needs, strict=True) if need)])
        for count, needs in tasks
    ]
    for taken in product(*(range(each, -1, -1) for each in most)):
        used = [
            sum(n * needs[k] for n, (_, needs) in zip(taken, tasks, strict=True)) for k in range(len(free[0]))
        ]
        if all(a <= b for a, b in zip(used, free[node], strict=True)):
            left = [(count - n, needs) for n, (count, needs) in zip(taken, tasks, strict=True)]
            if _has_room(left, free, node + 1):
                return True
            if len(tasks) == 1:  # fewer here leave more for the others
                return False
    return False


def _longest(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """No other job of the run waits longer than any of these, which are ten, unless fewer wait."""
    return _are_longest(own, runs[claim.subject.place.row], said["longest"]) and _near(
        said["mean"], own.waited / len(own.jobs)
    )


def _width(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Half of the jobs that wait longest are on one side of a width, and half of all jobs on one of another
    width; some job is on the other side of either."""
    whole = runs[claim.subject.place.row]
    widths, every = ([int(own.schedule.procs[job]) for job in jobs] for jobs in (own.jobs, whole.jobs))
    width, usual = said["width"], said.get("usual", said["width"])

    def half(those: Sequence[int], bound: float, above: bool) -> bool:
        return 2 * sum(each >= bound if above else each <= bound for each in those) >= len(those)

    # Which side each of the two bounds is on, by what is claimed.
    above = {
        Relation.LONGEST_ARE_WIDE: (True, False),
        Relation.LONGEST_ARE_NARROW: (False, True),
        Relation.LONGEST_ARE_USUAL: (False, False),
    }[claim.relation]
    bounds = [(width, above[0]), (usual, above[1])]
    return (
        _are_longest(own, whole, len(widths))
        and half(widths, *bounds[0])
        and half(every, *bounds[1])
        # A bound that has all jobs on its side would say nothing.
        and all(any(each < bound if up else each > bound for each in every) for bound, up in bounds)
        and (median(widths) > median(every), median(widths) < median(every))
        == (claim.relation is Relation.LONGEST_ARE_WIDE, claim.relation is Relation.LONGEST_ARE_NARROW)
    )


def _none_measured(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return not own.jobs


def _are_longest(own: Seen, whole: Seen, number: float) -> bool:
    waits = {job: int(whole.schedule.start[job] - whole.schedule.submit[job]) for job in whole.jobs}
    rest = [wait for job, wait in waits.items() if job not in own.jobs]
    count = len(own.jobs)
    return number == count == min(10, sum(wait > 0 for wait in waits.values())) and min(
        waits[job] for job in own.jobs
    ) >= max(rest, default=0)


def _seems(kind: str) -> Callable[[Claim, Numbers, Seen, Sequence[Seen]], bool]:
    """The judge of waits in which too little was idle or free of what the job asks for, or enough of all."""

    def judged(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
        waits = own.seems
        sure = waits[frozenset({kind})]
        most = sum(seconds for kinds, seconds in waits.items() if kind in kinds)
        seconds = said["share"] / 100 * waits.total()
        return most > 0 and sure - 1e-6 <= seconds <= most + 1e-6

    return judged


def _walltimes(own: Seen) -> tuple[list[int], list[int], list[int]]:
    """The runtimes and walltimes of the jobs of the log, and their processors."""
    trace = own.schedule.trace
    columns = (trace.runtime, trace.walltime, trace.procs)
    runtimes, walltimes, procs = ([int(column[job]) for job in own.jobs] for column in columns)
    return runtimes, walltimes, procs


def _reserved(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    runtimes, walltimes, procs = _walltimes(own)
    used = sum(p * r for p, r in zip(procs, runtimes, strict=True))
    asked = sum(p * w for p, w in zip(procs, walltimes, strict=True))
    parts = [100 * r / max(w, 1) for r, w in zip(runtimes, walltimes, strict=True)]
    return _near(said["share"], 100 * used / asked) and _near(said["median"], median(parts))


def _most_unused(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    unused: Counter[int] = Counter()
    asked: Counter[int] = Counter()
    jobs: Counter[int] = Counter()
    # By user: processor-seconds that were asked for and not used.
    for job, runtime, walltime, procs in zip(own.jobs, *_walltimes(own), strict=True):
        user = own.user(job)
        unused[user] += procs * (walltime - runtime)
        asked[user] += procs * walltime
        jobs[user] += 1
    (user,) = _named(claim, "user")
    return (
        unused[user] == max(unused.values()) > 0
        and _near(said["unused"] * HOUR, unused[user])
        and _near(said["share"], 100 * unused[user] / asked[user])
        and said["jobs"] == jobs[user]
    )


def _no_walltimes(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    runtimes, walltimes, _ = _walltimes(own)
    return runtimes == walltimes


def known_use(own: Seen, relation: Relation) -> list[int]:
    """The measured jobs of which the log says what they used, of what they asked for."""
    trace = own.schedule.trace
    column = trace.cpu_used if relation is Relation.BUSY else trace.ram_used
    assert column is not None
    asked = [1] * len(trace) if relation is Relation.BUSY else trace.ram.tolist()
    return [job for job in own.jobs if column[job] >= 0 and asked[job] > 0]


def _busy(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    trace = own.schedule.trace
    assert trace.cpu_used is not None
    held = sum(int(trace.recorded_procs[job]) * int(trace.recorded_runtime[job]) for job in own.jobs)
    return _near(said["share"], 100 * sum(float(trace.cpu_used[job]) for job in own.jobs) / held)


def _ram_used(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    trace = own.schedule.trace
    assert trace.ram_used is not None
    asked = sum(int(trace.ram[job]) for job in own.jobs)
    return _near(said["share"], 100 * sum(int(trace.ram_used[job]) for job in own.jobs) / asked)


def _delays(own: Seen) -> dict[int, int]:
    """By how much each measured job starts after its fair start, s, where that is known."""
    schedule, fair = own.schedule, own.schedule.fair_start
    assert fair is not None
    begun: dict[int, int] = {job: int(schedule.start[job]) for job in own.jobs}
    for job, start in zip(schedule.stopped.job.tolist(), schedule.stopped.start.tolist(), strict=True):
        if job in begun:
            begun[job] = min(begun[job], start)
    return {job: begun[job] - int(fair[job]) for job in own.jobs if fair[job] >= 0}


def _fair_sample(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    fair = own.schedule.fair_start
    assert fair is not None
    lacks = any(fair[job] < 0 <= own.schedule.start[job] for job in range(len(fair)))
    return lacks and (said["known"], said["jobs"]) == (len(_delays(own)), len(own.jobs))


def _put_off(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    delays = _delays(own)
    late = [delay for delay in delays.values() if delay > 0]
    worst = claim.quantity("most").place
    return (
        (said["late"], said["known"], said["most"]) == (len(late), len(delays), max(late))
        and _near(said["share"], 100 * len(late) / len(delays))
        and _near(said["mean"], sum(late) / len(late))
        and worst is not None
        and delays[worst.row] == max(late)
    )


def _never_put_off(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    delays = _delays(own)
    return said["known"] == len(delays) and all(delay <= 0 for delay in delays.values())


REPORTING: dict[Relation, Callable[[Claim, Numbers, Seen, Sequence[Seen]], bool]] = {
    Relation.BEST: _best,
    Relation.ONE_ORDER: _one_order,
    Relation.NO_ORDER: _no_order,
    Relation.OPPOSED: _opposed,
    Relation.USED: _used,
    Relation.IDLE_ASKED: _idle_asked,
    Relation.IDLE_FIT: _idle_fit,
    Relation.IDLE_SCATTERED: _scattered,
    Relation.NONE_MEASURED: _none_measured,
    Relation.LONGEST_WAITS: _longest,
    Relation.LONGEST_ARE_WIDE: _width,
    Relation.LONGEST_ARE_NARROW: _width,
    Relation.LONGEST_ARE_USUAL: _width,
    Relation.LOG_BARS: _seems("told"),
    Relation.SEEMS_SHORT: _seems("processors"),
    Relation.SEEMS_SHORT_OF_RAM: _seems("ram"),
    Relation.SEEMS_FREE: _seems("nothing"),
    Relation.CHANCE_ORDER: _chance_order,
    Relation.FAIR_STARTS_OF_SAMPLE: _fair_sample,
    Relation.PUT_OFF: _put_off,
    Relation.NEVER_PUT_OFF: _never_put_off,
    Relation.RESERVED: _reserved,
    Relation.MOST_UNUSED: _most_unused,
    Relation.NO_WALLTIMES: _no_walltimes,
    Relation.BUSY: _busy,
    Relation.RAM_USED: _ram_used,
}
"""The judge of each kind of these."""
