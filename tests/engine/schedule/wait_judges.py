"""Judges of claims about waits: each decides from starts, ends, places and outages whether a claim holds.

They look at no decision log, and count second by second in plain Python.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.claims.claim import Claim
from engine.claims.waits import WaitRelation
from engine.machine.power import power_of
from engine.schedule.schedule import Schedule
from engine.simulation.log_buffer import MOST_ROWS

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Watched:
    """A schedule as a judge of waits sees it: each run, also cut short ones, with what it holds."""

    schedule: Schedule

    @cached_property
    def runs(self) -> list[tuple[int, int, int, int, int]]:
        """Job, start, end, processors and MiB of each run."""
        schedule, found = self.schedule, []
        for job in range(len(schedule.start)):
            if schedule.start[job] >= 0:
                rows = slice(*schedule.pieces.offset[job : job + 2].tolist())
                times = int(schedule.start[job]), int(schedule.end[job])
                found.append((job, *times, *_amounts(schedule.pieces.columns, rows)))
        stopped = schedule.stopped
        for run in range(len(stopped)):
            rows = slice(*stopped.pieces.offset[run : run + 2].tolist())
            times = int(stopped.start[run]), int(stopped.end[run])
            found.append((int(stopped.job[run]), *times, *_amounts(stopped.pieces.columns, rows)))
        return found

    def own(self, job: int) -> tuple[int, int]:
        """Processors and MiB of the job's last run."""
        return next((cpus, ram) for who, _, end, cpus, ram in self.runs if (who, end) == (job, self.end(job)))

    def end(self, job: int) -> int:
        """When a job ends, s."""
        return int(self.schedule.end[job])

    def free(self, time: int, before_starts: bool = False) -> tuple[int, int]:
        """Processors and MiB that are free in a second: after its starts, or before them."""
        cluster, outages = self.schedule.cluster, self.schedule.outages
        down = {
            int(outages.node[k]) for k in range(len(outages)) if outages.start[k] <= time < outages.end[k]
        }
        nodes = [group for group in cluster.groups for _ in range(group.count)]
        up = [group for node, group in enumerate(nodes) if node not in down]
        cpus, ram = sum(group.cpus for group in up), 1 << 40
        if cluster.limits_ram:  # of nodes whose RAM is not known, a job of whole nodes takes all that counts
            mib = cluster.capacity()[:, 1].tolist()
            ram = sum(mib[node] for node in range(len(nodes)) if node not in down)
        for _, start, end, own_cpus, own_ram in self.runs:
            if start <= time < end and not (before_starts and start == time):
                cpus, ram = cpus - own_cpus, ram - own_ram
        return cpus, ram

    def held(self, resource: str) -> list[int]:
        """How much of a further resource each of `runs` holds: of whole nodes all that they have."""
        schedule, found = self.schedule, []
        runs = (
            (schedule.pieces, schedule.ran.nonzero()[0]),
            (schedule.stopped.pieces, range(len(schedule.stopped))),
        )
        for pieces, rows in runs:
            amounts = pieces.columns.get(resource)
            for row in rows:
                own = slice(*pieces.offset[row : row + 2].tolist())
                found.append(0 if amounts is None else int(sum(amounts[own])))
        return found

    def own_held(self, job: int, resource: str) -> int:
        """How much of it the job's last run holds."""
        runs = zip(self.runs, self.held(resource), strict=True)
        return next(amount for (who, _, end, *_), amount in runs if (who, end) == (job, self.end(job)))

    def free_of(self, time: int, resource: str, before_starts: bool = False) -> int:
        """How much of a further resource is free in a second: after its starts, or before them."""
        cluster, outages = self.schedule.cluster, self.schedule.outages
        has = [dict(group.extra).get(resource, 0) for group in cluster.groups for _ in range(group.count)]
        down = {
            int(outages.node[k]) for k in range(len(outages)) if outages.start[k] <= time < outages.end[k]
        }
        free = sum(amount for node, amount in enumerate(has) if node not in down)
        for (_, start, end, _, _), amount in zip(self.runs, self.held(resource), strict=True):
            if start <= time < end and not (before_starts and start == time):
                free -= amount
        return free

    def waits(self, job: int, time: int) -> bool:
        """Whether a job is there and does not run in a second; it is gone for good after its last run."""
        runs = [(start, end) for who, start, end, _, _ in self.runs if who == job]
        last = max((start for start, _ in runs), default=-1)
        between = any(start <= time < end for start, end in runs)
        return int(self.schedule.submit[job]) <= time < last and not between

    def others(self, job: int, time: int) -> list[int]:
        """The other jobs that wait in a second, or start in it."""
        every = range(len(self.schedule.start))
        started = {who for who, start, _, _, _ in self.runs if start == time}
        return [each for each in every if each != job and (self.waits(each, time) or each in started)]


def _amounts(columns: object, rows: slice) -> tuple[int, int]:
    assert isinstance(columns, dict)
    ram = columns["ram"][rows] if "ram" in columns else ()
    return int(sum(columns["cpus"][rows])), int(sum(max(0, mib) for mib in ram))


def holds(claim: Claim, spans: Spans, watched: Watched) -> bool:
    """Whether a claim about a job holds in these spans of its wait [begin, end), s."""
    assert isinstance(claim.relation, WaitRelation)
    job = claim.subject.place.row
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    submit = int(watched.schedule.submit[job])
    if (claim.population.jobs, claim.population.begin, claim.population.end) != (1, submit, submit):
        return False
    return JUDGES[claim.relation](claim, said, spans, watched)


Judge = Callable[[Claim, dict[str, float], Spans, Watched], bool]


def _seconds(spans: Spans) -> list[int]:
    return [second for begin, end in spans for second in range(begin, end)]


def _missing(column: int) -> Judge:
    def is_true(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
        job = claim.subject.place.row
        own = watched.own(job)[column]
        missing = [max(0, own - watched.free(second)[column]) for second in _seconds(spans)]
        least, most = min(missing), max(missing)
        asked = said.get("asked", own)
        if claim.relation in (WaitRelation.PROCESSORS_MISSING, WaitRelation.RAM_MISSING):
            return (said["most"], said["most"], asked) == (least, most, own)
        if claim.relation in (WaitRelation.PROCESSORS_MISSING_UP_TO, WaitRelation.RAM_MISSING_UP_TO):
            return (0, said["most"], asked) == (least, most, own)
        return (said["least"], said["most"], asked) == (least, most, own) and 0 < least < most

    return is_true


def _missing_at_first(column: int) -> Judge:
    """The judge of what was missing in the first second: with some of its starts or without them."""

    def is_true(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
        trace, job = watched.schedule.trace, claim.subject.place.row
        asked = int((trace.procs, trace.ram)[column][job])
        before, after = (
            asked - watched.free(spans[0][0], before_starts=first)[column] for first in (True, False)
        )
        return said["asked"] == trace.procs[job] and max(before, 1) <= said["most"] <= after

    return is_true


def _power_at_first(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    """The judge of power that was missing in the first second, on a pool whose processors draw alike."""
    schedule, job = watched.schedule, claim.subject.place.row
    model, cap = power_of(schedule.cluster), schedule.policy.power_cap
    assert model is not None
    assert cap is not None
    (node,) = model.groups
    cpus, asked = schedule.cluster.cpus, int(schedule.trace.procs[job])
    before, after = (
        (node.idle_w * cpus + node.core_w * (cpus - free + asked)) / 1000 - cap
        for free in (watched.free(spans[0][0], before_starts=first)[0] for first in (True, False))
    )
    return said["cap"] == cap and before - 1e-6 <= said["most"] <= after + 1e-6 and said["most"] > 0


def _power_by_hour(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    """The judge of the same under caps by the clock, at the second or at a change until the estimate ends."""
    schedule, job = watched.schedule, claim.subject.place.row
    model, now = power_of(schedule.trace.cluster), spans[0][0]
    assert model is not None
    assert model.cap is not None
    assert schedule.estimate is not None
    (node,), caps = model.groups, model.cap
    end = now + int(schedule.estimate[job])
    missing = []
    for time in [now, *(time for time in caps.time.tolist() if now < time < end)]:
        # Others hold what they have at first until they are expected to end; some start in that second.
        busy = [
            cpus
            for who, start, until, cpus, _ in watched.runs
            if start <= now < until and (time == now or start + schedule.estimate[who] > time)
        ]
        draw = node.idle_w * schedule.cluster.cpus + node.core_w * (sum(busy) + watched.own(job)[0])
        missing.append(draw / 1000 - caps.at(time))
    return 0 < said["most"] <= max(each for each in missing if each == each) + 1e-6


def _price(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    schedule = watched.schedule
    model = power_of(schedule.trace.cluster)
    assert model is not None
    assert model.price is not None
    return said["most"] == schedule.policy.price_below and model.price.at(spans[0][0]) > said["most"]


def _missing_of_other(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    """The judge of what was missing of GPUs, which the claim names."""
    job, resource = claim.subject.place.row, _RESOURCES[claim.about[0].name]
    if claim.relation is WaitRelation.RESOURCE_MISSING_AT_FIRST:
        asked = int(watched.schedule.trace.asked(resource)[job])
        before, after = (asked - watched.free_of(spans[0][0], resource, first) for first in (True, False))
        return said["asked"] == asked and max(before, 1) <= said["most"] <= after
    own = watched.own_held(job, resource)
    short = [max(0, own - watched.free_of(second, resource)) for second in _seconds(spans)]
    if said["asked"] != own:
        return False
    if claim.relation is WaitRelation.RESOURCE_MISSING_RANGE:
        return (said["least"], said["most"]) == (min(short), max(short)) and 0 < said["least"] < said["most"]
    least = 0 if claim.relation is WaitRelation.RESOURCE_MISSING_UP_TO else said["most"]
    return (least, said["most"]) == (min(short), max(short))


_RESOURCES = {"GPUs": "gpu"}


def _room(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    """Whether what it asked for was free in all, all the time or not, as is said."""
    trace, job = watched.schedule.trace, claim.subject.place.row
    asked, limits_ram = (int(trace.procs[job]), int(trace.ram[job])), watched.schedule.cluster.limits_ram
    enough = [
        asked[0] <= free[0] and (asked[1] <= free[1] or not limits_ram)
        for free in map(watched.free, _seconds(spans))
    ]
    others = watched.schedule.cluster.further_resources
    enough = [
        room and all(trace.asked(name)[job] <= watched.free_of(second, name) for name in others)
        for room, second in zip(enough, _seconds(spans), strict=True)
    ]
    return all(enough) == (claim.relation is WaitRelation.SCATTERED)


def _kept_free(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    (other,) = claim.about
    return all(watched.waits(other.place.row, second) for second in _seconds(spans))


def _kept_free_and_others(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    """The named job waited then, and so many others did; none of them all the time."""
    (other,) = claim.about
    seconds, own = _seconds(spans), claim.subject.place.row
    waiting = {each for second in seconds for each in watched.others(own, second)}
    return any(watched.waits(other.place.row, second) for second in seconds) and len(waiting) > said["others"]


def _held_by_user(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    return _held(claim, said, spans, watched, watched.schedule.trace.user.codes.tolist())


def _held_by_queue(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    return _held(claim, said, spans, watched, watched.schedule.trace.queue.codes.tolist())


def _held(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched, owner: Sequence[int]) -> bool:
    """Whether the limit was reached with the job when it was looked at: with the starts of that second."""
    job, time = claim.subject.place.row, spans[0][0]
    counts = claim.relation is WaitRelation.USER_JOBS
    used = sum(
        1 if counts else cpus
        for who, start, end, cpus, _ in watched.runs
        if owner[who] == owner[job] and start <= time < end
    )
    return used + (1 if counts else watched.own(job)[0]) > said["most"]


def _in_front(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    job, turn = claim.subject.place.row, watched.schedule.turn
    every = [each for each in range(len(turn)) if turn[each] < turn[job]]
    counts = [sum(watched.waits(each, second) for each in every) for second in _seconds(spans)]
    if claim.relation is WaitRelation.BEHIND:
        return (said["most"], said["most"]) == (min(counts), max(counts))
    return (said["least"], said["most"]) == (min(counts), max(counts)) and min(counts) < max(counts)


def _at_first(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    others = watched.others(claim.subject.place.row, spans[0][0])
    return 1 <= said["most"] <= len(others)


def _untried(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    """As many others, of the user or in all, were there as the policy has a pass look at."""
    job, users = claim.subject.place.row, watched.schedule.trace.user.codes
    others, policy = watched.others(job, spans[0][0]), watched.schedule.policy
    limit = policy.test_limit
    if claim.relation is WaitRelation.UNTRIED_OF_USER:
        others = [other for other in others if users[other] == users[job]]
        limit = policy.user_test_limit
    return said["most"] == limit and len(others) >= said["most"]


def _stopped(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    job, outages = claim.subject.place.row, watched.schedule.outages
    own = {(start, end) for who, start, end, _, _ in watched.runs if who == job}
    failures = set(outages.start.tolist())
    return all(span in own and span[1] in failures for span in spans)


def _preempted(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    """Runs of the job that no failure ended; whoever is named was there at the end of one, to start next."""
    job, schedule = claim.subject.place.row, watched.schedule
    own = {(start, end) for who, start, end, _, _ in watched.runs if who == job}
    failures = set(schedule.outages.start.tolist())
    (other,) = (each.place.row for each in claim.about)
    there = [int(schedule.submit[other]) <= end <= int(schedule.start[other]) for _, end in spans]
    several = claim.relation is WaitRelation.PREEMPTED_MORE
    return all(span in own and span[1] not in failures for span in spans) and (
        any(there) and 1 <= said["others"] < len(spans) if several else all(there)
    )


def _untold(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    """Since the job came more has changed than a log has rows for a job."""
    job = claim.subject.place.row
    changes = [moment for _, start, end, _, _ in watched.runs for moment in (start, end)]
    submit = int(watched.schedule.submit[job])
    changed = sum(submit <= moment <= spans[0][0] for moment in changes)
    # The first reason takes a row, too, and so does this one.
    return changed + 2 >= MOST_ROWS and _waits(claim, said, spans, watched)


def _waits(claim: Claim, said: dict[str, float], spans: Spans, watched: Watched) -> bool:
    return all(watched.waits(claim.subject.place.row, second) for second in _seconds(spans))


JUDGES: dict[WaitRelation, Judge] = {
    WaitRelation.UNTIL_PASS: _waits,
    WaitRelation.PROCESSORS_MISSING: _missing(0),
    WaitRelation.PROCESSORS_MISSING_RANGE: _missing(0),
    WaitRelation.PROCESSORS_MISSING_UP_TO: _missing(0),
    WaitRelation.RAM_MISSING: _missing(1),
    WaitRelation.RAM_MISSING_RANGE: _missing(1),
    WaitRelation.RAM_MISSING_UP_TO: _missing(1),
    WaitRelation.PROCESSORS_MISSING_AT_FIRST: _missing_at_first(0),
    WaitRelation.RAM_MISSING_AT_FIRST: _missing_at_first(1),
    WaitRelation.POWER_MISSING: _power_at_first,
    WaitRelation.POWER_MISSING_BY_HOUR: _power_by_hour,
    WaitRelation.PRICE: _price,
    WaitRelation.RESOURCE_MISSING: _missing_of_other,
    WaitRelation.RESOURCE_MISSING_RANGE: _missing_of_other,
    WaitRelation.RESOURCE_MISSING_UP_TO: _missing_of_other,
    WaitRelation.RESOURCE_MISSING_AT_FIRST: _missing_of_other,
    WaitRelation.SCATTERED: _room,
    WaitRelation.NO_ROOM: _room,
    WaitRelation.KEPT_FREE: _kept_free,
    WaitRelation.KEPT_FREE_AND_OTHERS: _kept_free_and_others,
    WaitRelation.KEPT_FREE_UNNAMED: _waits,
    WaitRelation.OWN_RESERVATION: _waits,
    WaitRelation.USER_JOBS: _held_by_user,
    WaitRelation.USER_PROCESSORS: _held_by_user,
    WaitRelation.QUEUE_PROCESSORS: _held_by_queue,
    WaitRelation.BEHIND: _in_front,
    WaitRelation.BEHIND_RANGE: _in_front,
    WaitRelation.BEHIND_AT_FIRST: _at_first,
    WaitRelation.BEHIND_BY_SCORE: _at_first,
    WaitRelation.UNTRIED: _untried,
    WaitRelation.UNTRIED_OF_USER: _untried,
    WaitRelation.STOPPED: _stopped,
    WaitRelation.STOPPED_MORE: _stopped,
    WaitRelation.PREEMPTED: _preempted,
    WaitRelation.PREEMPTED_MORE: _preempted,
    WaitRelation.UNTOLD: _untold,
}
"""The judge of each kind."""
