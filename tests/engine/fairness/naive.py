"""Slow twins, straight from the definitions; they share no code with the engine."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple


class Job(NamedTuple):
    """A job of one user, as the paper's Algorithm 1 sees it."""

    user: int
    submit: int
    runtime: int
    amounts: tuple[int, ...]


def expected_end_times(
    jobs: Sequence[Job], capacity: Sequence[Sequence[int]], exact_last: bool = False
) -> list[int]:
    """Algorithm 1 second by second, once a resource; the latest end wins."""
    latest = [job.submit + job.runtime for job in jobs]
    for k in range(len(capacity[0])):
        free: dict[int, dict[int, int]] = {
            user: defaultdict(lambda c=share[k]: c)  # type: ignore[misc]
            for user, share in enumerate(capacity)
        }
        for j, job in enumerate(jobs):
            job_capacity = job.amounts[k] * job.runtime
            if job_capacity <= 0:
                continue
            time = job.submit
            while job_capacity > 0:
                consumed = min(free[job.user][time], job.amounts[k])
                if exact_last:
                    consumed = min(consumed, job_capacity)
                free[job.user][time] -= consumed
                job_capacity -= consumed
                time += 1
            latest[j] = max(latest[j], time)
    return latest


def decayed_end_times(
    jobs: Sequence[Job], capacity: Sequence[Sequence[int]], half_life: int, exact_last: bool = False
) -> list[int]:
    """The same where what a user took lately lowers the share that the next job finds."""
    latest = [job.submit + job.runtime for job in jobs]
    for k in range(len(capacity[0])):
        # What each user took in each second; the share of a later job falls with it.
        taken: dict[int, Counter[int]] = defaultdict(Counter)
        for j, job in enumerate(jobs):
            need = job.amounts[k] * job.runtime
            if need <= 0:
                continue
            share = capacity[job.user][k]
            mine = taken[job.user]
            # Each second of the past fades by itself: no closed form that could hide an error.
            mean = sum(
                mine[second]
                * (2 ** (-(job.submit - second - 1) / half_life) - 2 ** (-(job.submit - second) / half_life))
                for second in range(job.submit)
            )
            lowered = max(1, int(share * 2 ** (-mean / share)))
            # Second by second the job takes what its user has left of the lowered share.
            time = job.submit
            while need > 0:
                consumed = max(0, min(lowered - mine[time], job.amounts[k]))
                if exact_last:
                    consumed = min(consumed, need)
                mine[time] += consumed
                need -= consumed
                time += 1
            latest[j] = max(latest[j], time)
    return latest


def bag_ends(
    users: Sequence[int],
    requests: Sequence[tuple[int, ...]],
    submits: Sequence[int],
    ends: Sequence[int],
    gap: int,
) -> list[int]:
    """The latest end among the jobs that can be reached over gaps that are small enough."""
    n = len(ends)
    latest = []
    for j in range(n):
        # Jobs of the same user and shape, by submission: a gap that is too long begins a new bag.
        alike = sorted(
            (submits[i], i) for i in range(n) if (users[i], requests[i]) == (users[j], requests[j])
        )
        bag: list[int] = []
        for index, (submit, i) in enumerate(alike):
            if index and submit - alike[index - 1][0] > gap:
                if j in bag:
                    break
                bag = []
            bag.append(i)
        latest.append(max(ends[i] for i in bag))
    return latest


def violated_minutes(
    users: Sequence[int], eets: Sequence[int], runtimes: Sequence[int], ends: Sequence[int]
) -> Counter[tuple[int, int]]:
    """The heatmap's cells (user, minute): one added for each minute of each violated job."""
    cells: Counter[tuple[int, int]] = Counter()
    for user, eet, runtime, end in zip(users, eets, runtimes, ends, strict=True):
        if end > eet:
            first = (eet - runtime) // 60
            for minute in range(first, first + max(1, (end - eet) // 60)):
                cells[user, minute] += 1
    return cells


def mean_users_in_system(users: Sequence[int], submits: Sequence[int], ends: Sequence[int]) -> float:
    """Second by second, from the first submission to the last end."""
    seconds = range(min(submits), max(ends))
    present = [
        len({u for u, s, c in zip(users, submits, ends, strict=True) if s <= second < c})
        for second in seconds
    ]
    return sum(present) / len(seconds)
