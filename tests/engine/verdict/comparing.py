"""Judges of claims that compare runs: job by job, from week to week, and by their late jobs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import mean

from engine.claims.claim import Claim, ClaimPlace, Relation
from tests.engine.verdict.seen import Numbers, Seen

WEEK = 7 * 86_400
HOUR = 3600


def base_of(own: Seen, runs: Sequence[Seen]) -> Seen:
    """The run that others are compared with: the first that is not the subject."""
    return next(run for run in runs if run is not own)


def _shifts(own: Seen, runs: Sequence[Seen]) -> dict[int, int]:
    """How much later each job starts than in the other run, s."""
    other = base_of(own, runs)
    return {job: int(own.schedule.start[job]) - int(other.schedule.start[job]) for job in own.jobs}


def _moved(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    shifts = _shifts(own, runs).values()
    counts = [sum(each < 0 for each in shifts), sum(each > 0 for each in shifts)]
    same = [len(shifts) - sum(counts), len(shifts)]
    return any(counts) and [said[name] for name in ("earlier", "later", "same", "jobs")] == [*counts, *same]


def _stayed(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return not any(_shifts(own, runs).values()) and said["jobs"] == len(own.jobs)


def _not_compared(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return said["others"] == len(own.schedule.trace) - len(own.jobs) > 0


def _none_compared(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return not own.jobs


def _given_up(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """The jobs of the claim are those that failures stopped and that have no later run."""
    schedule, area = own.schedule, Counter[int]()
    # Only those that never completed: others were stopped and ran again.
    stopped = schedule.stopped
    for job, start, end in zip(
        stopped.job.tolist(), stopped.start.tolist(), stopped.end.tolist(), strict=True
    ):
        if schedule.start[job] < 0:
            area[job] += int(schedule.trace.procs[job]) * (end - start)
    (named,) = claim.about
    most = max(area.values(), default=0)
    return (
        {place.row for place in claim.evidence} == set(area)
        and said["area"] == area.total()
        and area[named.place.row] == most
        and f"job {schedule.trace.job_id[named.place.row]}" in named.name
        and (claim.relation is Relation.GAVE_UP_ONE) == (len(area) == 1)
        and said.get("jobs", 1) == len(area)
    )


def _sides(sign: int) -> Callable[[Claim, Numbers, Seen, Sequence[Seen]], bool]:
    """The judge of users who wait less (sign 1) or longer (-1)."""

    def judged(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
        sums: Counter[int] = Counter()
        for job, shift in _shifts(own, runs).items():
            # Summed over a user's jobs, since a user may win with one and lose with another.
            sums[own.user(job)] -= sign * shift
        side = {user: much for user, much in sums.items() if much > 0}
        (user,) = claim.about
        alone = len(side) == 1
        return (
            {place.row for place in claim.evidence} == set(side)
            and _near(said["most"] * HOUR, max(side.values()))
            and side[user.place.row] == max(side.values())
            and (claim.relation in (Relation.ONE_GAINS, Relation.ONE_LOSES)) == alone
            and (alone or (said["users"] == len(side) and _near(said["all"] * HOUR, sum(side.values()))))
        )

    return judged


def _near(value: float, other: float) -> bool:
    return abs(value - other) <= 1e-6 * max(1.0, abs(other))


def _values(run: Seen, metric: str) -> dict[int, float]:
    """What is followed of each job, from its definition."""
    schedule = run.schedule
    values = {}
    for job in run.jobs:
        submit, start, end = (int(each[job]) for each in (schedule.submit, schedule.start, schedule.end))
        values[job] = {
            "mean wait": start - submit,
            "mean bounded slowdown": max(1.0, (end - submit) / max(end - start, 10)),
            "share of late jobs": float(run.lateness[job] > 0),
            "mean lateness": run.lateness[job],
        }[metric]
    return values


def _changes(metric: str, own: Seen, runs: Sequence[Seen]) -> tuple[int, float, float]:
    """The weeks with jobs, and the changes of the mean week and over all jobs, %."""
    values, base = (_values(run, metric) for run in (own, base_of(own, runs)))
    first = min(int(own.schedule.submit[job]) for job in own.jobs)
    weeks: dict[int, list[int]] = defaultdict(list)
    for job in own.jobs:
        weeks[(int(own.schedule.submit[job]) - first) // WEEK].append(job)
    means = [mean(mean(each[job] for job in jobs) for jobs in weeks.values()) for each in (values, base)]
    alone = [mean(each.values()) for each in (values, base)]
    return len(weeks), 100 * (means[0] / means[1] - 1), 100 * (alone[0] / alone[1] - 1)


def _is_uneven(change: float, low: float, high: float) -> bool:
    """The same interval around no change would hold ratios of a half and of two."""
    ratio, least, most = (1 + each / 100 for each in (change, low, high))
    return low <= 0 <= high and least <= ratio / 2 and ratio * 2 <= most


def _weekly(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Both changes and the weeks anew; an interval, where there is one, is of a ratio and has the change."""
    (metric,) = claim.about
    weeks, change, alone = _changes(metric.name, own, runs)
    true = said["weeks"] == weeks and _near(said["change"], change) and _near(said["per job"], alone)
    if "low" not in said:
        return true
    ordered = -100 <= said["low"] <= said["change"] + 1e-9 and said["change"] <= said["high"] + 1e-9
    return true and weeks >= 12 and bool(ordered)


def _stands(change: float, low: float, high: float, by_chance: bool) -> Relation:
    """How a weekly change with an interval stands to noise; phases may explain that of the mean wait."""
    if low > 0 or high < 0:
        return Relation.WITHIN_PHASES if by_chance else Relation.BEYOND_NOISE
    return Relation.TOO_UNEVEN if _is_uneven(change, low, high) else Relation.WITHIN_NOISE


def _against_noise(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Whether all of the named changes stand to noise as it is said, or weeks cannot tell for that reason."""
    names = [each.name for each in claim.about]
    found = {name: _changes(name, own, runs) for name in names}
    # All names must have been compared over the same weeks.
    weeks = {each[0] for each in found.values()}
    if weeks != {said["weeks"]} or len(set(names)) != len(names):
        return False
    if claim.relation is Relation.TOO_FEW_WEEKS:
        return said["weeks"] < said["fewest"] == 12
    if claim.relation is Relation.DEPENDENT_WEEKS:
        return said["weeks"] >= 12 and 1 <= said["effective"] <= 5
    # Site runs that were repeated over phases may differ by chance alone, but only in mean waits.
    overlap = phases_overlap(own, base_of(own, runs))
    return said["weeks"] >= 12 and all(
        _stands(
            found[name][1],
            said[f"low of {name}"],
            said[f"high of {name}"],
            by_chance=name == "mean wait" and overlap,
        )
        is claim.relation
        for name in names
    )


def phases_overlap(first: Seen, second: Seen) -> bool:
    """Whether the mean waits of two runs over their phases overlap, so that phases explain the change."""
    one, other = first.phase_waits, second.phase_waits
    known = len(one) > 1 or len(other) > 1
    return known and min(one) <= max(other) and min(other) <= max(one)


def _under_a_week(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    submits = [int(own.schedule.submit[job]) for job in own.jobs]
    return said["span"] == max(submits) - min(submits) < WEEK


def _nothing_to_compare(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    base = base_of(own, runs)
    return not any(any(_values(base, metric).values()) for metric in ("mean wait", "share of late jobs"))


def _late_jobs(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    late = sum(each > 0 for each in own.lateness.values())
    share = 100 * late / len(own.jobs)
    return 0 < late == said["late"] and said["jobs"] == len(own.jobs) and _near(said["share"], share)


def _slightly(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    runtime: list[int] = (own.schedule.end - own.schedule.start).tolist()
    late = {job: late for job, late in own.lateness.items() if late > 0}
    return said["slight"] == sum(by < 60 or 10 * by < runtime[job] for job, by in late.items()) > 0


def _most_late(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """The group is named by its code in the log's queues, or by its month."""
    (group,) = claim.about
    by_queue = claim.relation in (Relation.MOST_LATE_BY_QUEUE, Relation.MORE_LATE_BY_QUEUE)
    queue = own.schedule.trace.queue

    def group_of(job: int) -> str:
        if by_queue:
            return f"queue {queue.names[queue.codes[job]]}"
        return "{:04}-{:02}".format(*own.month(job))

    # Counted from the jobs themselves; the claim has to name the group with the largest count.
    jobs = Counter(group_of(job) for job in own.jobs)
    late = Counter(group_of(job) for job, by in own.lateness.items() if by > 0)
    count, total = late[group.name], sum(late.values())
    most = claim.relation in (Relation.MOST_LATE_BY_QUEUE, Relation.MOST_LATE_BY_MONTH)
    return (
        len(jobs) > 1
        and count == max(late.values())
        and (2 * count > total) == most
        and (said["own"], said["jobs"]) == (count, jobs[group.name])
        and _near(said["share"], 100 * count / total)
        and claim.evidence == (ClaimPlace("queues" if by_queue else "months", group.place.row),)
    )


COMPARING: dict[Relation, Callable[[Claim, Numbers, Seen, Sequence[Seen]], bool]] = {
    Relation.MOVED: _moved,
    Relation.STAYED: _stayed,
    Relation.NOT_COMPARED: _not_compared,
    Relation.GAVE_UP_ONE: _given_up,
    Relation.GAVE_UP_SOME: _given_up,
    Relation.NONE_COMPARED: _none_compared,
    Relation.ONE_GAINS: _sides(1),
    Relation.SOME_GAIN: _sides(1),
    Relation.ONE_LOSES: _sides(-1),
    Relation.SOME_LOSE: _sides(-1),
    Relation.WEEKLY_CHANGE: _weekly,
    Relation.BEYOND_NOISE: _against_noise,
    Relation.WITHIN_NOISE: _against_noise,
    Relation.TOO_UNEVEN: _against_noise,
    Relation.WITHIN_PHASES: _against_noise,
    Relation.TOO_FEW_WEEKS: _against_noise,
    Relation.DEPENDENT_WEEKS: _against_noise,
    Relation.UNDER_A_WEEK: _under_a_week,
    Relation.NOTHING_TO_COMPARE: _nothing_to_compare,
    Relation.LATE_JOBS: _late_jobs,
    Relation.SLIGHTLY_LATE: _slightly,
    Relation.MOST_LATE_BY_QUEUE: _most_late,
    Relation.MORE_LATE_BY_QUEUE: _most_late,
    Relation.MOST_LATE_BY_MONTH: _most_late,
    Relation.MORE_LATE_BY_MONTH: _most_late,
}
"""The judge of each kind that compares runs."""
