"""What holds of every schedule, found from the definitions alone: nothing here is the engine's.

For small schedules: each check goes through all runs in plain Python. Raises BadScheduleError, which says
what is wrong with which job and when.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise, permutations
from typing import NamedTuple

from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.schedule.schedule import NOT_RUN, Schedule
from tests.engine.simulation.comparing import stopped_runs
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.naive_machine import NO_LIMIT, Job


class BadScheduleError(AssertionError):
    """What is wrong with a schedule."""


class Run(NamedTuple):
    """A time in which a job held some nodes: `pieces` are rows of a node, CPUs, and RAM where it counts."""

    job: int
    start: int
    end: int
    pieces: list[tuple[int, ...]]
    whole: bool  # to its end; else a node failed


def check(schedule: Schedule) -> None:
    """All of it, for a schedule that was simulated."""
    trace, cluster, policy = schedule.trace, schedule.cluster, schedule.policy
    naive = NaiveSimulation(trace, cluster, policy)
    runs = _runs(schedule)
    down = [(hold.pieces[0][0], hold.begin, hold.end) for hold in naive.failures]
    _check_once(schedule, naive, runs)
    _check_stops(schedule, policy, runs, down)
    for run in runs:
        _check_pieces(naive.jobs[run.job], run, cluster, policy)
    _check_capacity(naive, runs, down)
    _check_limits(naive, policy, runs)
    _check_passes(naive, policy, runs)
    _check_never_idle(schedule, naive, runs, down)


def _fail_if(wrong: bool, text: str) -> None:
    if wrong:
        raise BadScheduleError(text)


def _runs(schedule: Schedule) -> list[Run]:
    """All runs, those that completed first."""
    names = [name for name in ("node", "cpus", "ram") if name in schedule.pieces.columns]
    rows = list(zip(*(schedule.pieces[name].tolist() for name in names), strict=True))
    offset = schedule.pieces.offset.tolist()
    times = zip(schedule.start.tolist(), schedule.end.tolist(), strict=True)
    own = [rows[begin:end] for begin, end in pairwise(offset)]
    runs = [
        # Completed runs have one row of pieces each; those that were stopped have theirs in another table.
        Run(job, start, end, pieces, True)
        for job, ((start, end), pieces) in enumerate(zip(times, own, strict=True))
        if start != NOT_RUN
    ]
    stopped = schedule.stopped
    rows = list(zip(*(stopped.pieces[name].tolist() for name in names if len(stopped)), strict=True))
    for job, start, end, few in stopped_runs(schedule):
        # Pieces of stopped runs follow each other in the order of the runs.
        own_rows, rows = rows[: len(few)], rows[len(few) :]
        runs.append(Run(job, start, end, own_rows, False))
    return runs


def _check_once(schedule: Schedule, naive: NaiveSimulation, runs: list[Run]) -> None:
    """Each job runs once to its end, not before its submission, or could never start, or was given up."""
    stops, done = defaultdict(int), defaultdict(int)
    policy = schedule.policy
    most = 0 if policy.on_failure == "lose" else policy.max_restarts
    for run in runs:
        # With checkpoints all runs of a job count towards its work; without, only the one that completed.
        stops[run.job] += not run.whole
        if policy.on_failure == "continue" or run.whole:
            done[run.job] += run.end - run.start
        _fail_if(run.start < naive.jobs[run.job].submit, f"job {run.job} starts early, at {run.start}")
        _fail_if(run.end <= run.start, f"job {run.job} runs from {run.start} to {run.end}")
    for job in naive.jobs:
        start, end = int(schedule.start[job.number]), int(schedule.end[job.number])
        # One stop more than restarts are allowed gives a job up.
        gave_up = stops[job.number] == most + 1
        _fail_if(stops[job.number] > most + 1, f"job {job.number} restarts too often")
        if start == NOT_RUN:
            _fail_if(end != NOT_RUN, f"job {job.number} is not run, and ends at {end}")
            _fail_if(not gave_up and not naive.never_starts(job), f"job {job.number} is not run")
        else:
            _fail_if(gave_up or naive.never_starts(job), f"job {job.number} is run at {start}")
            _fail_if(done[job.number] != job.runtime, f"job {job.number} runs from {start} to {end}")


def _check_stops(
    schedule: Schedule, policy: Policy, runs: list[Run], down: list[tuple[int, int, int]]
) -> None:
    """Runs are cut short by failures of their nodes, all that are on one, and none of a job overlap."""
    fails = defaultdict(set)
    of_node = defaultdict(list)
    for node, begin, end in down:
        fails[begin].add(node)
        of_node[node].append((begin, end))
    of_job = defaultdict(list)
    for run in runs:
        nodes = {piece[0] for piece in run.pieces}
        # A run that was stopped must end with a failure of one of its nodes.
        if not run.whole:
            _fail_if(not nodes & fails[run.end], f"job {run.job} is stopped by nothing at {run.end}")
        for node in nodes:
            # No run may overlap an outage of its nodes.
            for begin, end in of_node[node]:
                during = begin < run.end and run.start < end
                _fail_if(during, f"job {run.job} runs at {run.start} on node {node}, down at {begin}")
        of_job[run.job].append(run)
    # Runs of one job follow each other.
    for own in of_job.values():
        for before, after in pairwise(sorted(own, key=lambda run: run.start)):
            _fail_if(after.start < before.end, f"job {before.job} runs twice at {after.start}")


def _check_pieces(job: Job, run: Run, cluster: Cluster, policy: Policy) -> None:
    """The nodes give the job all its tasks, those that it may use, and whole and side by side where asked."""
    pieces, what = run.pieces, f"job {job.number} at {run.start} on {run.pieces}"
    if cluster.pooled:
        held = [sum(piece[1 + k] for piece in pieces) for k in range(len(job.tasks[0][1]))]
        _fail_if(held != [job.total(k) for k in range(len(held))], f"{what}: not what it needs")
        return
    allowed = {node for nodes in job.nodes for node in nodes}
    _fail_if(any(piece[0] not in allowed for piece in pieces), f"{what}: not its nodes, {allowed}")
    nodes = [piece[0] for piece in pieces]
    if policy.placement == "contiguous":
        (count, whole), first = job.tasks[0], nodes[0]
        _fail_if(nodes != list(range(first, first + count)), f"{what}: not {count} nodes side by side")
        _fail_if(job.aligned and first % count != 0, f"{what}: begins at no multiple of {count}")
        _fail_if(any(not _is_whole(piece, whole) for piece in pieces), f"{what}: not whole nodes")
    elif job.whole is not None:
        tasks = sum(count for count, _ in job.tasks)
        _fail_if(len(nodes) != tasks or len(set(nodes)) != tasks, f"{what}: not {tasks} nodes of its own")
        whole_nodes = all(_is_whole(piece, job.whole[piece[0]]) for piece in pieces)
        _fail_if(not whole_nodes, f"{what}: not whole nodes")
    else:
        # Groups that have no room in their order are placed in another: their pieces may lie in any order.
        orders = permutations(zip(job.tasks, job.nodes, strict=True))
        faults = [_tasks_fault(pieces, order) for order in orders]
        _fail_if("" not in faults, f"{what}: {faults[0]}")


def _tasks_fault(
    pieces: Sequence[tuple[int, ...]],
    order: Iterable[tuple[tuple[int, Sequence[int]], Collection[int]]],
) -> str:
    """What is wrong with pieces as those of groups one after another, each a count of tasks, what one needs
    and its nodes; nothing: they are whole tasks, all that the job has, on nodes that they may use.
    """
    rest = iter(pieces)
    for (count, need), zone in order:
        while count > 0:
            node, *amounts = next(rest, (-1,))
            if node not in zone:
                return "too few tasks, or on a wrong node"
            tasks = amounts[0] // need[0]
            if tasks == 0 or amounts != [tasks * limit for limit in need]:
                return "not whole tasks"
            count -= tasks
        if count != 0:
            return "too many tasks"
    return "" if next(rest, None) is None else "more than it needs"


def _is_whole(piece: tuple[int, ...], node: Sequence[int]) -> bool:
    """Whether the piece is all of the node; RAM that is not known has no amount."""
    return all(have >= NO_LIMIT or part == have for part, have in zip(piece[1:], node, strict=True))


def _check_capacity(naive: NaiveSimulation, runs: list[Run], down: list[tuple[int, int, int]]) -> None:
    """At no time a node gives more than it has; one that is down gives nothing."""
    changes: list[tuple[int, int, int, tuple[int, ...]]] = []
    for run in runs:
        # All that is taken and given back, as changes in order of time; ends sort before begins.
        for node, *amounts in run.pieces:
            changes.append((run.start, 1, node, tuple(amounts)))
            changes.append((run.end, -1, node, tuple(amounts)))
    for node, begin, end in down:
        changes.append((begin, 1, node, naive.machine[node]))
        changes.append((end, -1, node, naive.machine[node]))
    left = [list(node) for node in naive.machine]
    for time, sign, node, amounts in sorted(changes):
        for k, amount in enumerate(amounts):
            left[node][k] -= sign * amount
            # Resources without a limit have a huge amount, which may be overdrawn.
            lacking = left[node][k] < 0 and naive.machine[node][k] < NO_LIMIT
            _fail_if(lacking, f"node {node} gives {-left[node][k]} too much of resource {k} at {time}")


def _check_limits(naive: NaiveSimulation, policy: Policy, runs: list[Run]) -> None:
    jobs, own = naive.jobs, policy.queue_limits.as_dict()
    queues = naive.trace.queue.names
    limits = (
        ("user", policy.max_user_jobs, lambda job: (job.user, 1)),
        ("user", policy.max_user_cpus, lambda job: (job.user, job.procs)),
        ("queue", policy.max_queue_cpus, lambda job: (job.queue, job.procs)),
    )
    # Each limit: of whom, how much, and what a job counts.
    for noun, limit, counts in limits:
        if limit is None and (noun == "user" or not own):
            continue
        changes = []
        for run in runs:
            whose, amount = counts(jobs[run.job])
            changes += [(run.start, 1, whose, amount), (run.end, -1, whose, amount)]
        held: defaultdict[int, int] = defaultdict(int)
        for time, sign, whose, amount in sorted(changes):
            held[whose] += sign * amount
            # A queue may have a limit of its own and one of all queues: the smaller holds.
            limits_here = [limit, own.get(queues[whose]) if noun == "queue" else None]
            most = min((bound for bound in limits_here if bound is not None), default=held[whose])
            _fail_if(held[whose] > most, f"{noun} {whose} holds {held[whose]} of {most} at {time}")


def _check_passes(naive: NaiveSimulation, policy: Policy, runs: list[Run]) -> None:
    """Jobs start at multiples of `pass_every` only; and under fcfs with nothing else in their order."""
    if policy.pass_every is not None:
        for run in runs:
            late = (run.start - naive.first) % policy.pass_every
            _fail_if(late != 0, f"job {run.job} starts at {run.start}, between passes")
    free = policy.test_limit is None and not any(_limits(policy)) and not policy.queue_limits
    if policy.depth == "stop" and policy.order == "fcfs" and free and all(run.whole for run in runs):
        starts = [run.start for run in sorted(runs, key=lambda run: run.job)]
        _fail_if(starts != sorted(starts), f"jobs go past others under fcfs: {starts}")


def _limits(policy: Policy) -> Iterator[int]:
    limits = (policy.max_user_jobs, policy.max_user_cpus, policy.max_queue_cpus)
    return (limit for limit in limits if limit is not None)


def _check_never_idle(
    schedule: Schedule, naive: NaiveSimulation, runs: list[Run], down: list[tuple[int, int, int]]
) -> None:
    """While all nodes are up and nothing runs nobody waits, but for a pass that is made at its own time."""
    patience = schedule.policy.pass_every or 1
    for begin, end in _gaps((run.start, run.end) for run in runs):
        if any(since < end and begin < until for _, since, until in down):
            continue
        for since in _waits_in(schedule, naive, runs, begin, end):
            _fail_if(end - since >= patience, f"nothing runs from {since} to {end}, and jobs wait")


def _gaps(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Times between spans, in which none is."""
    last: int | None = None
    for begin, end in sorted(spans):
        if last is not None and begin > last:
            yield last, begin
        last = end if last is None else max(last, end)


def _waits_in(
    schedule: Schedule, naive: NaiveSimulation, runs: list[Run], begin: int, end: int
) -> Iterator[int]:
    """From when on in such a time each job waits that starts at its end or later."""
    for run in runs:
        since = [other.end for other in runs if other.job == run.job and other.end <= run.start]
        waits = max([naive.jobs[run.job].submit, *since])
        if run.start >= end and waits < end:
            yield max(waits, begin)
