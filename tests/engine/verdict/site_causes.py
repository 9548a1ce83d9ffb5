"""What a job of a site can have waited for at each moment: by starts, places, holds and reservations alone.

Sites here have no limits and no preemption, and their jobs are in the order in which they were eligible.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise

from engine.claims.claim import Relation
from engine.schedule.schedule import Schedule
from tests.engine.simulation.naive_machine import nodes_of, tasks_of
from tests.engine.verdict.causes import Causes

PASS = 62
"""s: a pass of the main scheduler looks at all jobs each minute, a cycle of the backfiller more often."""

_Window = tuple[int, int, set[int]]  # begin, end, nodes


def site_causes(schedule: Schedule, jobs: Sequence[int]) -> Causes:
    """Seconds of waiting of some jobs by what each second can be for: one kind where it is certain.

    A reason stands until the next pass: what can have been told in the minute before a moment still counts.
    """
    moments, found = _Moments(schedule), Causes()
    for job in jobs:
        first, last = int(schedule.submit[job]), int(schedule.start[job])
        times = [time for time in moments.times(job) if first <= time <= last]
        spans = [(begin, end, frozenset(moments.kinds(job, begin))) for begin, end in pairwise(times)]
        later = {time + PASS for time in times if time + PASS < last}
        for begin, until in pairwise(sorted({*times, *later})):
            standing = [kinds for a, b, kinds in spans if a <= begin < b + PASS]
            found[frozenset[Relation]().union(*standing)] += until - begin
    return found


class _Moments:
    """A schedule of a site, second by second."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.starts: list[int] = schedule.start.tolist()
        self.ends: list[int] = schedule.end.tolist()
        self.submits: list[int] = schedule.submit.tolist()
        self.limits: list[int] = schedule.trace.walltime.tolist()
        self.ran = [job for job, start in enumerate(self.starts) if start >= 0]
        site = schedule.policy.site
        assert site is not None
        self.cleaning = site.completion

    @cached_property
    def windows(self) -> dict[str, _Window]:
        """The reservations of the site, s from the trace's zero, by name."""
        site, cluster = self.schedule.policy.site, self.schedule.cluster
        assert site is not None
        return {
            each.name: (
                self._seconds(each.start),
                self._seconds(each.end),
                {node for name in each.nodes if (node := cluster.find_node(name)) is not None},
            )
            for each in site.reservations
        }

    def _seconds(self, date: str) -> int:
        moment = datetime.fromisoformat(date).replace(tzinfo=UTC)
        return int(moment.timestamp()) - self.schedule.trace.zero

    def times(self, job: int) -> list[int]:
        """Moments between which nothing changes for a job; a second after a submission passes have run."""
        times = {*self.submits, self.submits[job] + 1, self.starts[job]}
        times |= {self.eligible(each) for each in self.ran}
        for each in self.ran:
            times |= {
                self.starts[each],
                self.starts[each] + 1,
                self.ends[each],
                self.ends[each] + self.cleaning,
            }
        for begin, end, _ in self.windows.values():
            times |= {begin - self.limits[job], begin, end}
        return sorted(times)

    def eligible(self, job: int) -> int:
        """When the log says that a job might start."""
        held = self.schedule.trace.held
        return int(self.submits[job] + (held[job] if held is not None else 0))

    def reservation(self, job: int) -> str:
        """The reservation that a job asks for, or an empty name."""
        names = self.schedule.trace.reservation
        return "" if names is None else names.names[names.codes[job]]

    def is_ready(self, job: int, now: int, after: int = 1) -> bool:
        """Whether a job waits, and neither a begin time nor the time of its reservation keeps it: after the
        starts of this second, or (0) before them.
        """
        begin, end, _ = self.windows.get(self.reservation(job), (now, now + 1, set()))
        return max(self.eligible(job), begin) <= now < min(self.starts[job] + 1 - after, end)

    def kinds(self, job: int, now: int) -> Iterator[Relation]:
        """What the wait of a job can be for from now on."""
        if now == self.submits[job]:
            yield Relation.WAITS_FOR_PASS
        if self.is_ready(job, now):
            for after in (0, 1):
                yield from self._by_room(job, now, after)
            return
        begin, end, _ = self.windows.get(self.reservation(job), (now, now + 1, set()))
        if now < self.eligible(job):
            yield Relation.WAITS_NOT_ELIGIBLE
        if not begin <= now < end:
            yield Relation.WAITS_BESIDE_SITE_RESERVATIONS

    def _by_room(self, job: int, now: int, after: int) -> Iterator[Relation]:
        codes = self.schedule.trace.queue.codes
        first = [
            other
            for other in self.ran
            if self.is_ready(other, now, after)
            and (codes[other], self.reservation(other)) == (codes[job], self.reservation(job))
            and (self.eligible(other), other) < (self.eligible(job), job)
        ]
        # Whoever is not the first of its partition without room is told so, whatever it lacks itself; in a
        # reservation the first one there counts.
        if first:
            yield Relation.WAITS_BEHIND
        free = self._free(now, after)
        own = self.windows.get(self.reservation(job))
        every = set(range(len(free))) if own is None else own[2]
        if not self._has_room(job, free, every):
            # In the second in which the first one starts, the next pass has yet to tell who is it now.
            if not first or any(self.starts[other] == now for other in self.ran):
                yield self._shortage(job, [free[node] for node in every])
            return
        unclean = {
            node
            for other in self.ran
            if self.ends[other] <= now < self.ends[other] + self.cleaning
            for node in self._nodes(other)
        }
        if not self._has_room(job, free, every - unclean):
            yield Relation.WAITS_FOR_NODES
        elif not self._has_room(job, free, every - unclean - self._closed(job, now)):
            yield Relation.WAITS_BESIDE_SITE_RESERVATIONS
        if first:
            yield Relation.WAITS_FOR_RESERVATIONS

    def _free(self, now: int, after: int) -> list[list[int]]:
        """What each node has free of each resource: after the starts of a second, or (0) before them."""
        pieces = self.schedule.pieces
        free = [list(node) for node in nodes_of(self.schedule.cluster)]
        names = [name for name in ("cpus", "ram", "gpu") if name in pieces.columns]
        for job in self.ran:
            if self.starts[job] < now + after and now < self.ends[job]:
                for row in range(*pieces.offset[job : job + 2].tolist()):
                    for k, name in enumerate(names):
                        free[pieces["node"][row]][k] -= max(0, int(pieces.columns[name][row]))
        return free

    def _nodes(self, job: int) -> set[int]:
        pieces = self.schedule.pieces
        return set(pieces["node"][slice(*pieces.offset[job : job + 2].tolist())].tolist())

    def _closed(self, job: int, now: int) -> set[int]:
        """Nodes that are kept for reservations other than its own while the job might run."""
        return {
            node
            for name, (begin, end, nodes) in self.windows.items()
            if name != self.reservation(job) and begin < now + self.limits[job] and end > now
            for node in nodes
        }

    def _has_room(self, job: int, free: list[list[int]], nodes: set[int]) -> bool:
        """Whether so many nodes have room for all tasks of a job, which are alike."""
        ((count, need),) = tasks_of(self.schedule.trace, job, len(free[0]))
        rooms = (
            min(has // asked for has, asked in zip(free[node], need, strict=False) if asked) for node in nodes
        )
        return sum(rooms) >= count

    def _shortage(self, job: int, free: list[list[int]]) -> Relation:
        """The first resource of which the nodes have too little in all; or a place."""
        ((count, need),) = tasks_of(self.schedule.trace, job, len(free[0]))
        short = [sum(node[k] for node in free) < count * asked for k, asked in enumerate(need)]
        if not any(short):
            return Relation.WAITS_FOR_PLACE
        names = (Relation.WAITS_FOR_PROCESSORS, Relation.WAITS_FOR_RAM, Relation.WAITS_FOR_RESOURCES)
        return names[short.index(True)]
