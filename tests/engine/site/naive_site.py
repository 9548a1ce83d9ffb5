"""Slurm's two schedulers as slowly and plainly as they can be told: tick by tick, with lists alone.

Jobs go by submission, on nodes that have nothing but CPUs; plans are kept as they were made, (first, last,
nodes), and nothing is remembered that can be worked out again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

from engine.site.state import SiteRules

END = 10**9


@dataclass
class Job:
    """A job of `tasks` tasks of `need` CPUs, at most `most` of them on a node; times in ticks."""

    submit: int
    runtime: int
    limit: int
    tasks: int
    need: int
    most: int
    owner: int = 0
    follows: int | None = None  # the job at whose end, and `think` ticks after it, it is submitted
    think: int = 0
    start: int | None = None
    on: dict[int, int] = field(default_factory=dict)

    def runs(self, time: int) -> bool:
        """Whether it holds its nodes at this tick."""
        return self.start is not None and self.start <= time < self.start + self.runtime


@dataclass(frozen=True)
class Limits:
    """Jobs and CPUs that each owner may have running, and nodes that are closed: (first, last, nodes)."""

    jobs: dict[int, int]
    cpus: dict[int, int]
    closed: list[tuple[int, int, set[int]]]

    def allow(self, job: Job, jobs: list[Job], time: int) -> bool:
        """Whether a job may start beside those of its owner."""
        own = [one for one in jobs if one.owner == job.owner and one.runs(time)]
        cpus = sum(one.tasks * one.need for one in [job, *own])
        return len(own) < self.jobs.get(job.owner, END) and cpus <= self.cpus.get(job.owner, END)


def slow_starts(jobs: list[Job], nodes: list[int], rules: SiteRules, limits: Limits) -> list[int | None]:
    """When each job starts. The submissions of jobs that follow others are written into them."""
    for job in jobs:
        if job.follows is not None:
            job.submit = END + END
    time = first = jobs[0].submit
    main = first - 86_400
    full = first + rules.first_full - rules.main_every
    back = first + rules.first_backfill - rules.bf_interval
    asked: int | None = None
    changed = False
    while any(job.start is None or job.runs(time) for job in jobs) and time < first + END:
        ended = [job for job in jobs if job.start is not None and job.start + job.runtime == time]
        for job in jobs:
            if job.follows is not None and any(one is jobs[job.follows] for one in ended):
                job.submit = time + job.think
        came = [job for job in jobs if job.submit == time]
        opens = [last for _, last, _ in limits.closed if last == time]
        changed = changed or bool(ended or came or opens)
        if asked is None and (ended or came):
            asked = time + (rules.end_notice if ended else rules.launch_delay)
        if opens and (asked is None or (came and not ended and asked == time + rules.launch_delay)):
            asked = time
        waiting = [job for job in jobs if job.submit <= time and job.start is None]
        waiting.sort(key=lambda one: one.submit)
        if time % rules.ticks == rules.main_phase:
            whole = time >= full + rules.main_every
            due = asked is not None and time >= asked and time >= main + rules.main_delay
            if due or whole:
                changed = (
                    _main(waiting, None if whole else rules.main_depth, jobs, nodes, time, limits) or changed
                )
            main, asked = (time, None) if due else (main, asked)
            full = time if whole else full
        if time % rules.ticks == rules.backfill_phase and changed and time >= back + rules.bf_interval:
            waiting = [job for job in waiting if job.start is None]
            changed = _cycle(waiting, jobs, nodes, rules, time, limits)
            back = time
        time += 1
    return [job.start for job in jobs]


def _free(jobs: list[Job], nodes: list[int], time: int, gone: list[Job]) -> list[int]:
    """CPUs that no running job holds, with some of them gone."""
    left = list(nodes)
    for job in jobs:
        if job.runs(time) and job not in gone:
            for node, tasks in job.on.items():
                left[node] -= tasks * job.need
    return left


def _place(job: Job, free: list[int], usable: list[bool]) -> dict[int, int] | None:
    """The tasks on each node, or None: neighbours together, the tightest row of them that is large enough."""
    room = [min(job.most, cpus // job.need) if ok else 0 for cpus, ok in zip(free, usable, strict=True)]
    rows = [[n for n, _ in row] for some, row in groupby(enumerate(room), lambda e: e[1] > 0) if some]
    left, found = job.tasks, {}
    while left:
        if not rows:
            return None
        large = [row for row in rows if sum(room[n] for n in row) >= left]
        if large:
            row = min(large, key=lambda r: sum(room[n] for n in r))
            alone = [n for n in row if room[n] >= left]
            if alone:
                return found | {min(alone, key=lambda n: room[n]): left}
        else:
            row = max(rows, key=lambda r: sum(room[n] for n in r))
        rows.remove(row)
        for node in row:
            if left:
                found[node] = min(room[node], left)
                left -= found[node]
    return found


def _main(
    waiting: list[Job], depth: int | None, jobs: list[Job], nodes: list[int], time: int, limits: Limits
) -> bool:
    started, tested = False, 0
    for job in waiting:
        if not limits.allow(job, jobs, time):
            continue
        if tested == depth:
            break
        tested += 1
        shut = set[int]().union(*(who for a, b, who in limits.closed if b > time and a <= time + job.limit))
        on = _place(job, _free(jobs, nodes, time, []), [node not in shut for node in range(len(nodes))])
        if on is None:
            break
        job.start, job.on, started = time, on, True
    return started


def _cycle(
    waiting: list[Job], jobs: list[Job], nodes: list[int], rules: SiteRules, time: int, limits: Limits
) -> bool:
    step = rules.bf_resolution
    begin, plans, started = time // step * step, list(limits.closed), False
    for job in [one for one in waiting if limits.allow(one, jobs, time)][: rules.bf_tests]:
        if not limits.allow(job, jobs, time):
            continue
        if rules.bf_plans and len(plans) - len(limits.closed) >= rules.bf_plans:
            held = set[int]().union(*(who for a, b, who in plans if b > time and a <= time + job.limit))
            usable = [node not in held for node in range(len(nodes))]
            on = _place(job, _free(jobs, nodes, time, []), usable)
            if on is not None:
                job.start, job.on, started = time, on, True
            continue
        later: int | None = time
        while later is not None:
            at = later
            edges = sorted({edge for a, b, _ in plans for edge in (a, b) if edge > begin and edge > at})
            later = edges[0] if edges else None
            held = set[int]().union(*(who for a, b, who in plans if b > at and a <= at + job.limit))
            usable = [node not in held for node in range(len(nodes))]
            start, on = _will_run(job, jobs, nodes, usable, rules, time)
            if on is None:
                continue
            start = max(start, at)
            if start <= time:
                job.start, job.on, started = time, on, True
                break
            if later is not None and start > later:
                continue
            if start > time + rules.bf_window:
                break
            first, last = start // step * step, (start + job.limit) // step * step
            if any(b > first and a < last and who & set(on) for a, b, who in plans):
                later = None if at >= start else start
                continue
            first = max(first, begin)
            if last > first:
                plans.append((first, last, set(on)))
            break
    return started


def _will_run(
    job: Job, jobs: list[Job], nodes: list[int], usable: list[bool], rules: SiteRules, time: int
) -> tuple[int, dict[int, int] | None]:
    """When running jobs that end by their limits leave room, those that end together at once."""
    on = _place(job, _free(jobs, nodes, time, []), usable)
    if on is not None:
        return time, on

    def limit_end(one: Job) -> int:
        assert one.start is not None
        return one.start + one.limit

    running = [one for one in jobs if one.runs(time) and any(usable[node] for node in one.on)]
    running.sort(key=limit_end)
    gone: list[Job] = []
    while running:
        until = limit_end(running[0]) + rules.end_batch
        together = [one for one in running if limit_end(one) <= until]
        gone, running = gone + together, running[len(together) :]
        on = _place(job, _free(jobs, nodes, time, gone), usable)
        if on is not None:
            end = limit_end(together[-1])
            return (end if end > time else time + rules.kill_wait), on
    return END, None
