"""Slurm's two schedulers as slowly and plainly as they can be told: tick by tick, with lists alone.

Jobs go by submission, on nodes that have nothing but CPUs; plans are kept as they were made, (first, last,
nodes), and nothing is remembered that can be worked out again.
"""

from itertools import groupby, pairwise

from engine.slurm.options.rules import SiteRules
from tests.engine.slurm.scheduler.naive_jobs import END, Job, Limits


def slow_starts(jobs: list[Job], nodes: list[int], rules: SiteRules, limits: Limits) -> list[int | None]:
    """When each job starts. The submissions of jobs that follow others are written into them."""
    # Submissions that depend on others are not known yet; END is after everything.
    for job in jobs:
        if job.follows is not None:
            job.submit = END + END
        if job.inside is not None and rules.resv_over >= 0:
            last = limits.closed[job.inside][1]
            job.latest = _check(max(last + rules.resv_over + rules.ticks, rules.first_check), rules)
    time = first = last = jobs[0].submit
    main = first - 86_400
    full = first + rules.first_full - rules.main_every
    back = first + rules.first_backfill - rules.bf_interval
    # When a pass is asked for, and when each scheduler ran last; all in ticks.
    asked: int | None = None
    ran, called, over_all = first - rules.main_gap, False, False
    changed = False
    last_closed = max((until for _, until, *_ in [*limits.closed, *limits.failed]), default=0)
    while any((job.start is None and not job.gone) or job.runs(time) for job in jobs):
        # A second is told in Slurm's order: ends, failures, submissions, then both schedulers.
        ended = [job for job in jobs if job.start is not None and job.end == time]
        killed = any(
            job.ends_for is not None or min(job.runtime, job.latest - (job.start or 0)) > job.limit
            for job in ended
        )
        # Who was preempted, and would have run on, waits again.
        for_others = [job for job in ended if job.requeues and job.ends_for is not None]
        again = [job for job in for_others if job.start and job.end < job.start + job.runtime]
        for job in again:
            _queue_again(job, time, rules)
        # A failing node stops what runs on it, but for runs that end by themselves before Slurm knows.
        fails = {node for begin, _, node in limits.failed if begin == time}
        stopped = [
            job for job in jobs if job.runs(time) and fails & set(job.on) and not _ends(job, time, rules)
        ]
        for job in stopped:
            job.stops += 1
            job.gone = job.stops > limits.restarts
            _queue_again(job, time, rules)
            job.submit = END if job.gone else job.submit
        over = [job for job in ended if job not in again] + [job for job in stopped if job.gone]
        # A job that follows another is submitted after its end, even if that was given up.
        for job in jobs:
            if job.follows is not None and any(member is jobs[job.follows] for member in over):
                job.submit = time + job.think
        came = [job for job in jobs if job.submit == time]
        for job in came:
            job.came = time if job.came is None else job.came
        opens = [until for _, until, _ in limits.closed if until == time]
        opens += [edge for begin, until, _ in limits.failed for edge in (begin, until) if edge == time]
        down = {node for begin, until, node in limits.failed if begin <= time < until}
        working = [0 if node in down else cpus for node, cpus in enumerate(nodes)]
        # The backfill scheduler only runs when anything has changed since its last cycle.
        changed = changed or bool(ended or came or opens)
        # The first event asks for a pass after its own delay; later ones do not put it off.
        if asked is None and (ended or came):
            asked = time + (rules.end_notice if ended else rules.launch_delay)
        if opens and (asked is None or (came and not ended and asked == time + rules.launch_delay)):
            asked = time
        # Higher grades first, then jobs of a closed time, then by first submission.
        waiting = [job for job in jobs if job.submit <= time and job.start is None and not job.gone]
        waiting.sort(key=lambda item: (-item.grade, item.inside is None, item.came or 0))
        # The background loop wakes at its own beat: what is due waits for that.
        wakes = {first + rules.first_beat + n * rules.main_beat // 1000 for n in _around(time - first, rules)}
        whole = time in wakes and time >= _whole(full, rules) + rules.main_every
        ready = asked is not None and time >= asked
        due = time in wakes and ready and time >= _whole(main, rules) + rules.main_delay
        called, over_all = called or due or whole or killed, over_all or whole
        # However often it is called, the main scheduler keeps a gap between two runs.
        if called and time >= ran + rules.main_gap:
            depth = None if over_all else rules.main_depth
            changed = _main(waiting, depth, jobs, working, rules, time, limits) or changed
            ran, called, over_all = time, False, False
        asked = None if (due or whole) and ready else asked
        main, full = time if due or whole else main, time if whole else full
        # The backfill scheduler has a phase of its own within a second.
        if time % rules.ticks == rules.backfill_phase and changed and time >= back + rules.bf_interval:
            waiting = [job for job in waiting if job.start is None]
            changed = _cycle(waiting, jobs, working, rules, time, limits)
            back = time
        # Nothing starts any more once all was tried on an empty machine.
        idle = not any(job.runs(time) or time < job.submit < END for job in jobs) and time > last_closed
        last = last if idle else time
        if time > last + 4 * max(rules.main_every, rules.bf_interval, rules.main_gap):
            break
        time += 1
    return [job.start for job in jobs]


def _queue_again(job: Job, time: int, rules: SiteRules) -> None:
    assert job.start is not None
    job.lost += time - job.start
    job.submit = time + max(rules.requeue_delay, 1)
    job.start, job.ends_for, job.cut, job.until = None, None, END, END


def _ends(job: Job, time: int, rules: SiteRules) -> bool:
    """Whether a run ends by itself in this second, of which Slurm knows a tick later."""
    return (job.end - 1) // rules.ticks <= time // rules.ticks


def _check(time: int, rules: SiteRules) -> int:
    """The first check of time limits from then on."""
    checks = (rules.first_check + n * rules.check_beat // 1000 for n in range(END))
    return next(check for check in checks if check >= time)


def _around(passed: int, rules: SiteRules) -> range:
    """The numbers of the background loop's wakes about a time."""
    number = (passed - rules.first_beat) * 1000 // rules.main_beat
    return range(number - 1, number + 3)


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
    room = [
        max(min(job.most, cpus // job.need), 0) if ok else 0 for cpus, ok in zip(free, usable, strict=True)
    ]
    least, wanted, most = job.nodes
    count = min(wanted, job.tasks, sum(own > 0 for own in room))
    if count < min(least, job.tasks):
        return None
    on = _placed(job.tasks, room, count)
    return on if on is None or len(on) <= most else _on_largest(job.tasks, room, least, most)


def _placed(left: int, room: list[int], count: int) -> dict[int, int] | None:
    """The tasks on each of `count` nodes or more."""
    # Rows of neighbouring nodes that have any room.
    rows = [[n for n, _ in row] for some, row in groupby(enumerate(room), lambda e: e[1] > 0) if some]
    found: dict[int, int] = {}
    while left:
        if not rows:
            return None
        further = count - len(found)
        # The tightest row that is large enough; if none is, the largest is used up and the search goes on.
        large = [row for row in rows if sum(room[n] for n in row) >= left and len(row) >= further]
        if large:
            row = min(large, key=lambda r: sum(room[n] for n in r))
            # A single node that holds all the rest is best.
            alone = [n for n in row if room[n] >= left and further <= 1]
            if alone:
                return found | {min(alone, key=lambda n: room[n]): left}
        else:
            row = max(rows, key=lambda r: sum(room[n] for n in r))
        rows.remove(row)
        for node in row:
            if left:
                # Each node that is still to come has to get a task.
                found[node] = min(room[node], left - max(count - len(found) - 1, 0))
                left -= found[node]
    return found


def _on_largest(left: int, room: list[int], least: int, most: int) -> dict[int, int] | None:
    """The tasks on the nodes with the most room, the last of them the fullest that has enough."""
    found: dict[int, int] = {}
    while left and len(found) < most:
        part = left - max(least - len(found) - 1, 0)
        others = [n for n, own in enumerate(room) if own and n not in found]
        enough = [n for n in others if room[n] >= part]
        if not others:
            return None
        node = min(enough, key=lambda n: room[n]) if enough else max(others, key=lambda n: room[n])
        found[node] = min(room[node], part)
        left -= found[node]
    return None if left else found


def _main(
    waiting: list[Job],
    depth: int | None,
    jobs: list[Job],
    nodes: list[int],
    rules: SiteRules,
    time: int,
    limits: Limits,
) -> bool:
    started, tested, met, stopped, full = 0, 0, 0, False, set[int]()
    for job in waiting:
        if not limits.in_time(job, time):
            continue
        if 0 < rules.main_starts <= started:
            break
        # Jobs of the one partition are counted before they are tried.
        met += 1
        if 0 < rules.main_part_depth < met:
            continue
        if depth is not None and tested > depth:
            break
        tested += 1
        # A blocked job ends the partition for those behind it, but jobs of a closed time have nodes of their
        # own.
        if (stopped and job.inside is None) or not limits.allow(job, jobs, time) or job.inside in full:
            continue
        usable = limits.usable(job, len(nodes), limits.closed, time)
        on = _place(job, _free(jobs, nodes, time, []), usable)
        if on is not None:
            # The limits are asked once more, as only now is known on how many nodes it would be.
            if limits.allow(job, jobs, time, on):
                job.start, job.on, job.took, started = time, on, len(on), started + 1
            continue
        _preempt(job, jobs, nodes, usable, rules, time)
        if job.inside is None:
            stopped = True
        else:
            full.add(job.inside)
    return started > 0


def _preempt(
    job: Job, jobs: list[Job], nodes: list[int], usable: list[bool], rules: SiteRules, time: int
) -> None:
    """Let others end for a job, unless it did so lately."""
    if time < job.since + rules.patience:
        return

    def fit(line: list[Job]) -> tuple[list[Job], dict[int, int] | None]:
        for many in range(1, len(line) + 1):
            on = _place(job, _free(jobs, nodes, time, line[:many]), usable)
            if on is not None:
                return line[:many], on
        return line, None

    # Whom it may preempt: lower grades that run long enough, and are not ending for another at once.
    line = [item for item in jobs if item.runs(time) and item.grade < job.grade]
    line = [item for item in line if item.ends_for is None or item.grace]
    line = [item for item in line if (item.start or 0) + rules.exempt <= time]
    # The lowest first, and of these the smallest.
    line.sort(key=lambda item: (item.grade, len(item.on)))
    gone, on = fit(line)
    # Then in another order: who is on the nodes that were found, with the last that was needed in front. This
    # often spares some.
    if on is not None and len(gone) > 1:
        own, last = set(on), gone[-1]
        line.sort(key=jobs.index)
        line.sort(key=lambda item: (item is not last, -len(own & set(item.on))))
        gone, on = fit(line)
    for member in gone if on is not None else []:
        job.since = time
        # Only those end that hold a node which the job will have.
        if set(member.on) & set(on or ()):
            if member.ends_for is None:
                member.ends_for, member.until = job, time + member.grace
                member.cut = _check(member.until, rules)
            if time >= member.until:
                member.cut = member.until = time + 1


def _cycle(
    waiting: list[Job], jobs: list[Job], nodes: list[int], rules: SiteRules, time: int, limits: Limits
) -> bool:
    begin, plans, started = _rounded(time, rules), list(limits.closed), False
    # The list is made before any job of this cycle starts, by the limits as they are then.
    tried = _within_counts(
        [member for member in waiting if limits.allow(member, jobs, time) and limits.in_time(member, time)],
        rules,
    )
    for job in tried[: rules.bf_tests]:
        if not limits.allow(job, jobs, time):
            continue
        many = len(plans) - len(limits.closed)
        strong = any(each_job.grade < job.grade for each_job in jobs)
        usable = limits.usable(job, len(nodes), plans, time)
        on = _place(job, _free(jobs, nodes, time, []), usable)
        # With the table of plans full most jobs can only start now, and nobody is preempted.
        if rules.bf_plans and many >= rules.bf_plans:
            if job.inside is None and not strong:
                if on is not None and limits.allow(job, jobs, time, on):
                    job.start, job.on, job.took, started = time, on, len(on), started + 1
                continue
        elif strong and on is None:
            _preempt(job, jobs, nodes, usable, rules, time)
        # A start is looked for now, then at each time at which plans leave nodes.
        later: int | None = time
        while later is not None:
            at = later
            later = _next_gain(job, at, plans, limits)
            usable = limits.usable(job, len(nodes), plans, at)
            start, on = _will_run(job, jobs, nodes, usable, rules, time)
            if on is None:
                continue
            start = max(start, at)
            if start <= time:
                if limits.allow(job, jobs, time, on):
                    job.start, job.on, job.took, started = time, on, len(on), started + 1
                break
            # Before that start other nodes come free: they are tried first.
            if later is not None and start > later:
                continue
            # A start beyond the window is not planned at all.
            if start > time + rules.bf_window or not limits.in_time(job, start):
                break
            first, last = _rounded(start, rules), _rounded(start + job.limit, rules)
            others = [plan for number, plan in enumerate(plans) if number != job.inside]
            # Rounding may make it overlap a plan that it did not overlap; then it is tried once more at the
            # start.
            if any(b > first and a < last and who & set(on) for a, b, who in others):
                later = None if at >= start else start
                continue
            first = max(first, begin)
            if last > first:
                # A plan that is empty after rounding holds nothing.
                plans.append((first, last, set(on)))
            break
    return started


def _within_counts(waiting: list[Job], rules: SiteRules) -> list[Job]:
    """The jobs that no limit on those of a user, an association or the one partition leaves out."""
    tried = list[Job]()
    for job in waiting:
        of_user = sum(other.user == job.user for other in tried)
        of_both = sum((other.user, other.account) == (job.user, job.account) for other in tried)
        limits = (
            (rules.bf_user_tests, of_user),
            (rules.bf_user_part_tests, of_user),
            (rules.bf_assoc_tests, of_both),
            (rules.bf_part_tests, len(tried)),
        )
        if all(not most or many < most for most, many in limits):
            tried.append(job)
    return tried


def _rounded(time: int, rules: SiteRules) -> int:
    """A time rounded down to the resolution of plans, counted from 1970."""
    return time - (time + rules.clock) % rules.bf_resolution


def _next_gain(job: Job, time: int, plans: list[tuple[int, int, set[int]]], limits: Limits) -> int | None:
    """When a plan first leaves nodes; looked for in the intervals up to the first after the job's limit."""
    plans = [plan for number, plan in enumerate(plans) if number != job.inside]

    def held(at: int) -> set[int]:
        nodes = set[int]().union(*(who for a, b, who in plans if a <= at < b))
        return nodes if job.inside is None else nodes & limits.closed[job.inside][2]

    edges = [time, *sorted({edge for a, b, _ in plans for edge in (a, b) if edge > time})]
    for edge, after in pairwise(edges):
        if held(edge) - held(after):
            return after
        if edge > time + job.limit:
            return None
    return None


def _will_run(
    job: Job, jobs: list[Job], nodes: list[int], usable: list[bool], rules: SiteRules, time: int
) -> tuple[int, dict[int, int] | None]:
    """When running jobs that end by their limits leave room, those that end together at once."""
    on = _place(job, _free(jobs, nodes, time, []), usable)
    if on is not None:
        return time, on

    running = [
        each_job for each_job in jobs if each_job.runs(time) and any(usable[node] for node in each_job.on)
    ]
    running.sort(key=lambda item: item.limit_end)
    gone: list[Job] = []
    every = sorted((item for item in jobs if item.runs(time)), key=lambda item: item.limit_end)
    window, barrier = rules.end_batch, 0
    for job_number, member in enumerate(running):
        if not gone:
            first = _whole(member.limit_end, rules)
            barrier = first + window - (first + rules.clock) % window if window else first
        gone.append(member)
        # A batch ends where the next job of all that run, on whatever nodes, ends after its window.
        after = every[every.index(member) + 1 :]
        ends = _whole(after[0].limit_end, rules) if after else None
        if job_number + 1 < len(running) and (ends is None or ends <= barrier + window):
            continue
        on = _place(job, _free(jobs, nodes, time, gone), usable)
        if on is not None:
            end = _whole(member.limit_end, rules)
            return (end if end > time else time + rules.kill_wait), on
        grown = False
        while window and ends is not None and (not grown or ends > barrier + window):
            window = window + rules.end_linear if rules.end_linear else 2 * window
            grown = True
        if not window:
            window = rules.end_linear
    return END, None


def _whole(time: int, rules: SiteRules) -> int:
    """The second of a time."""
    return time // rules.ticks * rules.ticks
