"""The reasons in the decision log of a site's own Slurm, each held against the schedule and the site's files.

Apart from the simulator. What the schedule alone decides is checked as exactly as the seconds allow: missing
resources, limits, reservations, dependencies, begin times, holds, partitions that are down. Of priorities,
plans and depths it is checked that nothing contradicts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.audit.log_rows import FalseRows, KindRows, LogRows
from engine.audit.moments import held_at
from engine.audit.report import AuditFinding
from engine.audit.site_order import SiteOrder
from engine.audit.site_owners import SiteOwners
from engine.audit.site_room import ClosedNodes, SiteRoom
from engine.audit.table import Ints
from engine.audit.whole_nodes import WholeNodes
from engine.schedule.schedule import Decision, Schedule, Untried, split_short
from engine.schedule.site_limits import HeldBy
from engine.shown_values import resource_words
from engine.slurm.site.site import Site
from engine.trace.dependencies import NOBODY, predecessors

CHECKED_SITE_REASONS = (
    "reasons of waits: resources, limits, reservations, dependencies, begin times, holds, partitions down",
    "that nothing contradicts what reasons say of priorities, plans and depths",
)
_UNKNOWN = 1 << 62


def false_site_reasons(schedule: Schedule, site: Site) -> tuple[AuditFinding, ...]:
    """The rows of the decision log of a site's schedule that are not true, a finding for each kind."""
    reasons = _SiteReasons(schedule, site)
    findings = reasons.log.finding("wait", "reasons of jobs that did not wait then", reasons.untimely())
    for kind, (what, check) in _CHECKS.items():
        findings += reasons.log.finding(kind.name.lower(), f"{what}, and are not true", check(reasons))
    return findings


class _SiteReasons:
    """The checks of each kind of row."""

    def __init__(self, schedule: Schedule, site: Site) -> None:
        self.schedule, self.site, self.log = schedule, site, LogRows(schedule)
        self.room = SiteRoom(site, schedule, self.log.runs)
        self._whole = WholeNodes(schedule.trace, schedule.cluster)
        jobs, runs = len(schedule.trace), self.log.runs
        nodes = np.zeros(jobs, np.int64)
        nodes[runs.job] = np.diff(runs.offset)
        self.order = SiteOrder(site, self.log, nodes)
        parts = self.room.parts
        self._share: NDArray[np.bool_] = np.asarray((parts[:, None, :] & parts[None, :, :]).any(axis=2))
        # A job holds what it takes from the decision on until Slurm knows of its end.
        self._since, self._until = runs.start - site.launch, runs.end + 1

    def untimely(self) -> FalseRows:
        """Rows of jobs that were not submitted yet, that ran, or had ended."""
        for row in np.flatnonzero(
            self.log.untimely & (self.schedule.log.kind != Decision.BACKFILLED)
        ).tolist():
            yield int(row), "it did not wait"

    def processors(self) -> FalseRows:
        """Rows that say how many processors were missing."""
        yield from self._missing(self.log.of(Decision.CPUS), lambda value: (0, value))

    def ram(self) -> FalseRows:
        """Rows that say how much RAM was missing."""
        names = self.schedule.cluster.resources
        column = names.index("ram") if "ram" in names else len(names)
        yield from self._missing(self.log.of(Decision.RAM), lambda value: (column, value))

    def resource(self) -> FalseRows:
        """Rows that say how much of a further resource was missing."""
        yield from self._missing(self.log.of(Decision.RESOURCE), split_short)

    def _missing(self, rows: KindRows, read: Callable[[int], tuple[int, int]]) -> FalseRows:
        names = self.schedule.cluster.resources
        for k, free in enumerate(self.room.at_rows(rows)):
            job, (column, missing) = int(rows.job[k]), read(int(rows.value[k]))
            if column >= len(names):
                yield int(rows.row[k]), "no node has this resource"
                continue
            nodes, wanted = self.room.nodes_of(job), int(self.room.wanted[job, column])
            least, most = (int(each[nodes, column].sum()) for each in (free.surely, free.most))
            # Of several kinds of tasks the first that has no room counts: it asks for less than the job.
            low = max(wanted - most, 1) if self.room.is_plain(job) else 1
            if not low <= missing <= wanted - least:
                name, unit = resource_words(names[column])
                text = (
                    f"it asks for {wanted:,}{unit} of {name}, and {least:,} to {most:,}{unit} were free "
                    f"on its nodes, not {missing:,}{unit} too few"
                )
                yield int(rows.row[k]), text

    def scattered(self) -> FalseRows:
        """Rows that say that tasks had no room where enough was free: not where a single node had it all."""
        rows = self.log.of(Decision.FRAGMENTED)
        for k, free in enumerate(self.room.at_rows(rows)):
            job = int(rows.job[k])
            shape, open_to = self.room.shape_of(job), self._open(int(rows.time[k]), job)
            if shape is None or len(shape) > 1 or not self.room.is_plain(job):
                continue
            if (free.surely[open_to & self.room.nodes_of(job)] >= shape[0]).all(axis=1).any():
                yield int(rows.row[k]), "a node of its partition had room for all of it"

    def nodes(self) -> FalseRows:
        """Rows that say how many nodes with enough on each were missing."""
        rows = self.log.of(Decision.NODES)
        for k, free in enumerate(self.room.at_rows(rows)):
            job = int(rows.job[k])
            shape = self.room.shape_of(job)
            if shape is None:
                continue
            there = int((free.surely[self.room.nodes_of(job)] >= shape.max(axis=0)).all(axis=1).sum())
            if there >= len(shape) or not 1 <= rows.value[k] <= len(shape):
                yield int(rows.row[k]), f"{there:,} nodes had room, and it takes {len(shape):,}"

    def cleaning(self) -> FalseRows:
        """Rows that say that nodes were cleaned up: jobs ended there shortly before."""
        rows, runs = self.log.of(Decision.CLEANING), self.log.runs
        # A kill at the time limit may take half a minute, and the cleanup as long as was fitted, or drawn.
        longest = self.site.completion + self.site.completion_spread + 2
        node_of_run = np.repeat(np.arange(len(runs.job)), np.diff(runs.offset))
        for k, (time, job) in enumerate(zip(rows.time.tolist(), rows.job.tolist(), strict=True)):
            ended = np.asarray((runs.end <= time) & (time <= runs.end + longest))
            if not self.room.nodes_of(job)[runs.node[ended[node_of_run]]].any():
                yield int(rows.row[k]), "no job had just ended on its nodes"

    def closed(self) -> FalseRows:
        """Rows that name a reservation, or nodes that were away: in the way of the job."""
        rows = self.log.of(Decision.CLOSED)
        for k, free in enumerate(self.room.at_rows(rows)):
            time, job, row = int(rows.time[k]), int(rows.job[k]), int(rows.row[k])
            # This value stands for nodes that failed, not for a reservation.
            if rows.value[k] == self.schedule.failed_nodes:
                text = self._enough_work(time, job)
                if text is not None:
                    yield row, text
                continue
            known = list(self._named(int(rows.value[k])))
            # The closure must touch the nodes on which the job may run, in the time in which it would run;
            # and without these nodes there must have been too little.
            nodes, until = self.room.nodes_of(job), time + self.room.limit(job)
            there = [each for each in known if (each.nodes & nodes).any()]
            if not there:
                yield (
                    row,
                    "no such nodes are of its partition" if known else "the files have no such reservation",
                )
            elif not any(each.first <= until + 1 and each.last >= time for each in there):
                yield row, "it would not have run in that time"
            elif (text := self._too_few(job, nodes, free.most)) is not None:
                yield row, text

    def _enough_work(self, time: int, job: int) -> str | None:
        """Why a job did not wait for nodes that had failed; None: it may have."""
        down, nodes = self.schedule.outages.down_at(time), self.room.nodes_of(job)
        if not nodes[down].any():
            return "none of its nodes was down"
        shape, capacity = self.room.shape_of(job), self.schedule.cluster.capacity()
        working = nodes & ~np.isin(np.arange(len(nodes)), down)
        there = 0 if shape is None else int((capacity[working] >= shape.max(axis=0)).all(axis=1).sum())
        if shape is not None and there >= len(shape):
            return f"{there:,} of its nodes worked, and it takes {len(shape):,}"
        return self._tasks_at_work(job, capacity[working])

    def _tasks_at_work(self, job: int, capacity: Ints) -> str | None:
        """What had room on nodes that worked, with all that they have, (m, K); None: too little, or unknown.

        Known of jobs of equal tasks that ask for no number of nodes: how these lay once they ran is nothing
        that they ask for.
        """
        trace, tasks = self.schedule.trace, self.schedule.trace.tasks
        row = int(tasks.offset[job])
        # Where a number of nodes is asked for, a sum of room over nodes proves nothing.
        counted = trace.least_nodes is not None and trace.least_nodes[job] > 1
        if counted or tasks.offset[job + 1] - row > 1 or self._least_nodes(job) > 1 or not len(capacity):
            return None
        whole = self._whole.of(row)
        if whole is not None:
            there = int((capacity >= whole.need).all(axis=1).sum())
            enough = there >= whole.nodes
            return f"{there:,} of its nodes worked, and it takes {whole.nodes:,} whole" if enough else None
        if not self.room.is_plain(job):
            return None
        need, count = tasks.amounts(self.schedule.cluster.resources)[row], int(tasks["count"][row])
        # As many tasks fit on a node as its scarcest resource allows.
        room = np.min([capacity[:, k] // need[k] for k in np.flatnonzero(need)], axis=0)
        there = int(np.minimum(room, count).sum())
        return f"nodes that worked had room for all of its {count:,} tasks" if there >= count else None

    def _least_nodes(self, job: int) -> int:
        """MinNodes of a job's partition."""
        queue = self.schedule.trace.queue
        partition = self.site.conf.partition(queue.names[queue.codes[job]].split(",")[0])
        text = "1" if partition is None else partition.keys.get("minnodes", "1")
        return int(text) if text.isascii() and text.isdigit() else 1

    def _too_few(self, job: int, nodes: NDArray[np.bool_], free: Ints) -> str | None:
        """What a job's nodes together had too little of, in words, though its reason says they had enough."""
        for column, name in enumerate(self.schedule.cluster.resources):
            wanted, most = int(self.room.wanted[job, column]), int(free[nodes, column].sum())
            if self.room.is_plain(job) and wanted > most:
                label, unit = resource_words(name)
                return f"it asks for {wanted:,}{unit} of {label}, and no more than {most:,}{unit} were free"
        return None

    def outside(self) -> FalseRows:
        """Rows that say that a job's own reservation had not begun, or was over."""
        rows, names = self.log.of(Decision.OUTSIDE), self.schedule.trace.reservation
        for row, time, job, value in self._each(rows):
            name = "" if names is None else names.names[names.codes[job]]
            known = [each for each in self._named(value) if each.name and each.name == name]
            if not known:
                yield row, "it does not ask for that reservation"
            elif all(each.first + 1 < time < each.last - 1 for each in known):
                yield row, "its reservation was open"

    def planned(self) -> FalseRows:
        """Rows that name the job whose plan was in the way: it waited, goes first, and shares nodes."""
        rows = self.log.of(Decision.RESERVATION)
        told = dict(self._not_in_front(rows))
        yield from told.items()
        for k, free in enumerate(self.room.at_rows(rows)):
            job, row = int(rows.job[k]), int(rows.row[k])
            text = None if row in told else self._too_few(job, self.room.nodes_of(job), free.most)
            if text is not None:
                yield row, text

    def priority(self) -> FalseRows:
        """Rows that name the job in front: it waited, goes first, and shares nodes."""
        yield from self._not_in_front(self.log.of(Decision.PRIORITY))

    def _not_in_front(self, rows: KindRows) -> FalseRows:
        codes = self.schedule.trace.queue.codes
        waits = self.log.waits(rows.time, rows.value) & (rows.value != rows.job)
        other = np.where(waits, rows.value, rows.job)
        share = self._share[codes[rows.job], codes[other]]
        behind = self.order.contradicts(rows.time, other, rows.job)
        yield from rows.false(~waits, "the job that it names did not wait")
        yield from rows.false(waits & ~share, "the job that it names is in a partition with other nodes")
        yield from rows.false(waits & share & behind, "it goes before the job that it names")

    def heads(self) -> FalseRows:
        """Rows that name the first job of a partition: it is of that partition."""
        rows, codes = self.log.of(Decision.HEAD), self.schedule.trace.queue.codes
        yield from rows.false(codes[rows.job] != rows.value, "it is of another partition")

    def limit(self) -> FalseRows:
        """Rows that name a limit: its owner, the job among them, is at what the files allow."""
        rows, limits = self.log.of(Decision.SITE_LIMIT), self.schedule.site_limits
        if limits is None:
            yield from rows.false(rows.row >= 0, "the schedule has no limits")
            return
        owners = SiteOwners(self.site, self.schedule.trace)
        # Each different limit is looked up once, then all of its rows are judged together.
        for value in np.unique(rows.value).tolist():
            held, mine = limits.held_by(value), np.flatnonzero(rows.value == value)
            counted = owners.counted(held.owner)
            # The log of decisions names the limit, the files give its bound: both must agree.
            if counted is None or held.most not in owners.allows(held):
                for row in rows.row[mine].tolist():
                    yield int(row), f"the files have no such limit of {held.owner}"
                continue
            used, asked = self._used(owners, held, counted, rows.time[mine], rows.job[mine])
            for k, row in enumerate(rows.row[mine].tolist()):
                if not counted[rows.job[mine[k]]]:
                    yield int(row), f"it does not count towards {held.owner}"
                # With the job the owner is still within the limit, which cannot have held it back.
                elif used[k] + asked[k] <= held.most:
                    what = held.resource or "jobs"
                    yield int(row), f"{held.owner}: with it {used[k] + asked[k]:,} of {held.most:,} {what}"

    def _used(
        self, owners: SiteOwners, held: HeldBy, counted: NDArray[np.bool_], time: Ints, job: Ints
    ) -> tuple[Ints, Ints]:
        """The most that an owner can have used at each time, and what each job would add, (m,)."""
        runs, limit = self.log.runs, np.array([self.room.limit(each) for each in range(len(counted))])
        amount, of_job = self._amounts(owners, held)
        runs_counted = np.flatnonzero(counted[runs.job])
        since, until, amount = self._since[runs_counted], self._until[runs_counted], amount[runs_counted]
        if held.sort in ("jobs", "amount"):
            return held_at(time, since, until, amount, after=True), of_job[job]
        lengths, used = limit[runs.job[runs_counted]], np.zeros(len(time), np.int64)
        for k, moment in enumerate(time.tolist()):
            begun = since <= moment
            left = np.where(until >= moment, np.maximum(since + lengths + 1 - moment, 0), 0)
            # Usage only decays: what ran since the begin of the log is the most that counts.
            ran = np.minimum(until, moment) - since if held.sort == "spent" else 0
            used[k] = -(-int((amount * (ran + left))[begun].sum()) // 60)
        return used, -(-of_job[job] * limit[job] // 60)

    def _amounts(self, owners: SiteOwners, held: HeldBy) -> tuple[Ints, Ints]:
        """What each run counts towards a limit, (r,), and what each job may at most, (n,)."""
        runs, trace, names = self.log.runs, self.schedule.trace, self.schedule.cluster.resources
        totals, one = runs.totals(), np.ones(len(runs.job), np.int64)
        if held.sort == "jobs" or held.resource == "wall":
            return one, np.ones(len(trace), np.int64)
        if held.resource == "node":
            # How many nodes a job would have got then is not known: each processor may be on another.
            of_run = np.array(
                [len(np.unique(runs.node[a:b])) for a, b in zip(runs.offset, runs.offset[1:], strict=False)],
                np.int64,
            )
            return of_run, np.minimum(self.room.wanted[:, 0], self.schedule.cluster.nodes)
        if held.resource == "billing":
            jobs = np.arange(len(trace))
            return owners.billing(totals, names, runs.job), owners.billing(self.room.wanted, names, jobs)
        column = names.index(held.resource)
        return totals[:, column], self.room.wanted[:, column]

    def dependency(self) -> FalseRows:
        """Rows that name the job on which a job depends: by the log, and not at its end yet."""
        rows, ahead = self.log.of(Decision.DEPENDENCY), predecessors(self.schedule.trace)
        for row, time, job, value in self._each(rows):
            if value != ahead[job]:
                yield row, "by the log it does not depend on that job"
            elif value != NOBODY and self.schedule.ran[value] and time > self.schedule.end[value] + 1:
                yield row, "the job on which it depends had ended"

    def begin(self) -> FalseRows:
        """Rows that say before when a job was not to start: later than now, and not after its start."""
        rows = self.log.of(Decision.BEGIN)
        yield from rows.false(rows.value < rows.time, "its begin was over")
        early = (rows.value >= rows.time) & (self.log.start[rows.job] < rows.value)
        again = np.isin(rows.job, self.schedule.stopped.job)  # later runs have a begin of their own
        yield from rows.false(early & ~again, "it started before")

    def held(self) -> FalseRows:
        """Rows that say that a job was held: until later than now, as the log says."""
        rows, trace = self.log.of(Decision.HELD), self.schedule.trace
        length = np.zeros(len(trace), np.int64) if trace.held is None else np.asarray(trace.held, np.int64)
        until = self.log.submit + length
        yield from rows.false(until[rows.job] <= rows.time, "the log does not say that it was held then")
        wrong = (until[rows.job] > rows.time) & (rows.value >= 0) & (rows.value != until[rows.job])
        yield from rows.false(wrong, "it was held until {} s", until[rows.job])

    def untried(self) -> FalseRows:
        """Rows that say that a limit of a pass kept it from a job: as many jobs waited, or were started."""
        rows, rules, trace = self.log.of(Decision.UNTRIED), self.site.rules(1), self.schedule.trace
        # Each limit counts among other jobs: all, those of a user, of a partition, of a user in a partition,
        # of an association.
        everyone = np.zeros(len(trace), np.int64)
        of_user = trace.user.codes.astype(np.int64)
        of_both, of_part = of_user * (1 << 20) + trace.group.codes, trace.queue.codes.astype(np.int64)
        of_user_there = of_user * (1 << 20) + of_part
        started = self._started(rows.time)
        counts: dict[int, tuple[int, Ints]] = {
            Untried.DEPTH: (rules.main_depth, self._waiting(rows, everyone)),
            Untried.PART_DEPTH: (rules.main_part_depth, self._waiting(rows, of_part)),
            Untried.MAIN_STARTS: (rules.main_starts, started),
            Untried.TESTS: (rules.bf_tests, self._waiting(rows, everyone)),
            Untried.USER_TESTS: (rules.bf_user_tests, self._waiting(rows, of_user)),
            Untried.PART_TESTS: (rules.bf_part_tests, self._waiting(rows, of_part)),
            Untried.ASSOC_TESTS: (rules.bf_assoc_tests, self._waiting(rows, of_both)),
            Untried.USER_PART_TESTS: (rules.bf_user_part_tests, self._waiting(rows, of_user_there)),
            Untried.CYCLE_STARTS: (rules.bf_starts, started),
        }
        for k, (row, _, _, value) in enumerate(self._each(rows)):
            # No number of jobs is behind a row about the window of time.
            if value == Untried.WINDOW:
                continue
            most, there = counts.get(value, (0, started))
            if most <= 0:
                # A value of 0 stands for no limit.
                yield row, "the site has no such limit"
            elif there[k] < most:
                yield row, f"{there[k]:,} jobs, fewer than {most:,}"

    def backfilled(self) -> FalseRows:
        """Rows of starts past a job that waited."""
        log, runs = self.schedule.log, self.log.runs
        # Runs that were cut short count too, so starts are looked up among all runs.
        begun = set(zip(runs.job.tolist(), runs.start.tolist(), strict=True))
        for row in np.flatnonzero(log.kind == Decision.BACKFILLED).tolist():
            time, job, passed = int(log.time[row]), int(log.job[row]), int(log.value[row])
            if (job, time) not in begun:
                yield row, "it did not start then"
            elif (
                passed == job
                # The row carries the time of the start, which is later than the decision by the launch.
                or not self.log.waits(np.array([time - self.site.launch]), np.array([passed]))[0]
            ):
                yield row, "the job that it was started past did not wait"

    def _waiting(self, rows: KindRows, group: Ints) -> Ints:
        """How many other jobs of a job's group waited at most, also those that came or started then, (m,)."""
        waiting, stopped = np.zeros(len(rows), np.int64), self.schedule.stopped
        of_row = group[rows.job]
        for code in np.unique(of_row):
            mine, in_group = np.flatnonzero(of_row == code), group == code
            came = np.sort(np.concatenate((self.log.submit[in_group], stopped.end[in_group[stopped.job]])))
            begun = np.sort(self._since[in_group[self.log.runs.job]])
            there = np.searchsorted(came, rows.time[mine], "right")
            waiting[mine] = there - np.searchsorted(begun, rows.time[mine], "left") - 1
        return waiting

    def _started(self, time: Ints) -> Ints:
        """How many jobs were started in each second, (m,)."""
        begun = np.sort(self._since)
        return np.asarray(
            np.searchsorted(begun, time, "right") - np.searchsorted(begun, time, "left"), np.int64
        )

    def _named(self, value: int) -> Iterator[ClosedNodes]:
        """The closures with the name that a row has."""
        names = self.schedule.closed_by
        if 0 <= value < len(names):
            yield from (each for each in self.room.closed if each.name == names[value])

    def _open(self, time: int, job: int) -> NDArray[np.bool_]:
        """The nodes that no closure keeps from a job which would start then, (N,)."""
        nodes = np.ones(self.schedule.cluster.nodes, np.bool_)
        for each in self.room.closed:
            if each.first <= time + self.room.limit(job) + 1 and each.last >= time - 1:
                nodes &= ~each.nodes
        return nodes

    def _each(self, rows: KindRows) -> Iterator[tuple[int, int, int, int]]:
        """Row, time, job and value of each."""
        columns = (rows.row, rows.time, rows.job, rows.value)
        yield from zip(*(column.tolist() for column in columns), strict=True)


_CHECKS: dict[Decision, tuple[str, Callable[[_SiteReasons], FalseRows]]] = {
    Decision.CPUS: ("reasons that name missing processors", _SiteReasons.processors),
    Decision.RAM: ("reasons that name missing RAM", _SiteReasons.ram),
    Decision.RESOURCE: ("reasons that name a missing resource", _SiteReasons.resource),
    Decision.FRAGMENTED: ("reasons that name scattered nodes", _SiteReasons.scattered),
    Decision.NODES: ("reasons that name missing nodes", _SiteReasons.nodes),
    Decision.CLEANING: ("reasons that name nodes that are cleaned up", _SiteReasons.cleaning),
    Decision.CLOSED: ("reasons that name a reservation of nodes", _SiteReasons.closed),
    Decision.OUTSIDE: ("reasons that name the job's own reservation", _SiteReasons.outside),
    Decision.RESERVATION: ("reasons that name another job's plan", _SiteReasons.planned),
    Decision.PRIORITY: ("reasons that name a job in front", _SiteReasons.priority),
    Decision.HEAD: ("jobs that are named as the first of a partition", _SiteReasons.heads),
    Decision.SITE_LIMIT: ("reasons that name a limit", _SiteReasons.limit),
    Decision.DEPENDENCY: ("reasons that name a dependency", _SiteReasons.dependency),
    Decision.BEGIN: ("reasons that name a begin time", _SiteReasons.begin),
    Decision.HELD: ("reasons that say that a job was held", _SiteReasons.held),
    Decision.UNTRIED: ("reasons that say that a pass did not reach a job", _SiteReasons.untried),
    Decision.BACKFILLED: ("starts past waiting jobs", _SiteReasons.backfilled),
}
