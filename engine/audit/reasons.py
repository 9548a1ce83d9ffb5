"""The reasons in the decision log of a policy, each held against the schedule; apart from the simulator.

What the schedule alone decides is checked as exactly as the order within a second allows: missing resources,
limits, and, of one reservation on a pool, whether the job would have been in its way. Of the queue's order it
is checked that nothing contradicts it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.audit.log_rows import FalseRows, KindRows, LogRows
from engine.audit.moments import SurelyFree, held_at, held_by_owners
from engine.audit.policy_rules import estimates
from engine.audit.refusals import asks_for_features, fits_in
from engine.audit.report import AuditFinding
from engine.audit.table import Ints
from engine.audit.whole_nodes import WholeNodes
from engine.machine.power import power_of
from engine.policy.formula_variables import named_jobs
from engine.schedule.schedule import COLUMNS, Decision, LimitKind, Schedule, Untried
from engine.shown_values import resource_words

CHECKED_REASONS = (
    "reasons of waits: resources, limits, whose reservation, and that nothing contradicts the others"
)


def false_reasons(schedule: Schedule) -> tuple[AuditFinding, ...]:
    """The rows of a policy's decision log that are not true, a finding for each kind."""
    reasons = _Reasons(schedule)
    findings = reasons.log.finding("wait", "reasons of jobs that did not wait then", reasons.untimely())
    for kind, (text, check) in _CHECKS.items():
        findings += reasons.log.finding(kind.name.lower(), text, check(reasons))
    return findings


class _Reasons:
    """The checks of each kind of row."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule, self.log = schedule, LogRows(schedule)
        self._totals = self.log.runs.totals()
        jobs = len(schedule.trace)
        # What a job asks for is what it gets once it runs; jobs that never run have no rows.
        self._need = np.zeros((jobs, self._totals.shape[1]), np.int64)
        self._need[self.log.runs.job] = self._totals
        self._least = np.minimum(self._need, self._least_of_whole_nodes())

    def _least_of_whole_nodes(self) -> Ints:
        """What jobs take at least, (n, K), if their whole nodes are the smallest of those large enough.

        For jobs on parts of nodes it is more than any job takes. Which nodes may be taken is left out.
        """
        trace, cluster, policy = self.schedule.trace, self.schedule.cluster, self.schedule.policy
        least = np.full_like(self._need, _or_none(None))
        if cluster.pooled or policy.placement == "contiguous":
            return least
        tasks, whole, capacity = trace.tasks, WholeNodes(trace, cluster), cluster.capacity()
        bounded, apart = cluster.known_capacity(), np.zeros(len(tasks["count"]), np.bool_)
        if policy.constraints and "constraint" in tasks.columns:
            exclusive = np.array(["excl" in text.split("#")[1:] for text in trace.constraints], np.bool_)
            apart = exclusive[tasks["constraint"]]
        job_of = np.repeat(np.arange(len(trace)), np.diff(tasks.offset))
        for row, job in enumerate(job_of.tolist()):
            taken = whole.of(row)
            if taken is None and not apart[row]:
                continue
            asked = [int(tasks[name][row]) if name in tasks.columns else 0 for name in cluster.resources]
            count, need = (int(tasks["count"][row]), np.maximum(asked, 0)) if taken is None else taken
            large = bounded[(capacity >= need).all(axis=1)]
            # Groups on parts of nodes are left out: what remains is no more than the job takes.
            own = count * large.min(axis=0) if len(large) else np.zeros(least.shape[1], np.int64)
            known = least[job] < _or_none(None)
            least[job] = np.where(known, least[job] + own, own)
        return least

    def untimely(self) -> FalseRows:
        """Rows of jobs that were not submitted yet, that ran, or had ended."""
        for row in np.flatnonzero(self.log.untimely).tolist():
            yield int(row), "it did not wait"

    def missing(self, kind: Decision, column: int) -> FalseRows:
        """Rows that say how much of the processors or of the RAM was missing in all."""
        yield from self._missing(self.log.of(kind), column)

    def resource(self) -> FalseRows:
        """Rows that say how much of a further resource was missing in all."""
        rows = self.log.of(Decision.RESOURCE)
        for column in np.unique(rows.value % COLUMNS).tolist():
            at = rows.value % COLUMNS == column
            rows_of_resource = KindRows(rows.row[at], rows.time[at], rows.job[at], rows.value[at] // COLUMNS)
            yield from self._missing(rows_of_resource, column)

    def _missing(self, rows: KindRows, column: int) -> FalseRows:
        if column >= self._totals.shape[1]:
            text = "no node's RAM is known" if column == 1 else "no node has this resource"
            yield from rows.false(rows.row >= 0, text)
            return
        # What was free at that instant has two bounds: starts and ends of the same second come in an order
        # that the log does not tell.
        least, most = self._free(rows.time, column)
        need = self._need[rows.job, column]
        low = self._least[rows.job, column]
        # A row is false only if no order of that second makes it true.
        wrong = (rows.value < np.maximum(low - most, 1)) | (rows.value > need - least)
        name, unit = resource_words(self.schedule.cluster.resources[column])
        text = f"it asks for {{}}{unit}, and {{}} to {{}}{unit} of {name} were free, not {{}}{unit} too few"
        yield from rows.false(wrong, text, need, least, most, rows.value)

    def scattered(self) -> FalseRows:
        """Rows that say that enough was free, but not where the job's tasks could go."""
        schedule, rows = self.schedule, self.log.of(Decision.FRAGMENTED)
        policy, cluster = schedule.policy, schedule.cluster
        for column in range(self._totals.shape[1]):
            _, most = self._free(rows.time, column)
            need = self._least[rows.job, column]
            yield from rows.false(need > most, "it asks for {}, and {} were free in all", need, most)
        # Where only some nodes are the job's, or all have to be side by side, what is free tells nothing.
        bound = policy.queue_nodes or policy.constraints or asks_for_features(schedule.trace, cluster)
        if bound or policy.placement not in ("first", "best", "worst", "reliable") or cluster.pooled:
            return
        free, whole = SurelyFree(schedule, self.log.runs), WholeNodes(schedule.trace, cluster)
        for row, time, job in zip(rows.row.tolist(), rows.time.tolist(), rows.job.tolist(), strict=True):
            if fits_in(free.at(time), schedule.trace, cluster, whole, job):
                yield row, "its tasks had room on the nodes"

    def reserved(self) -> FalseRows:
        """Rows that name the job whose reservation was in the way."""
        rows = self.log.of(Decision.RESERVATION)
        # A job may wait for the begin of its own reservation only where reservations last.
        kept = self.schedule.policy.depth == "kept"
        named = self.log.waits(rows.time, rows.value) & ((rows.value != rows.job) | kept)
        yield from rows.false(~named, "the job whose reservation it names did not wait")
        for column in range(self._totals.shape[1]):
            _, most = self._free(rows.time, column)
            need = self._least[rows.job, column]
            text = "it asks for {}, and no more than {} were free: that held it"
            yield from rows.false(named & (need > most), text, need, most)
        yield from self._out_of_the_way()

    def _out_of_the_way(self) -> FalseRows:
        """Rows of jobs that could have started beside the one reservation of a pass, on a pool."""
        schedule, policy = self.schedule, self.schedule.policy
        estimate = estimates(policy, schedule.trace)
        single = policy.depth == 1 and not (policy.allocates_windows or policy.reserves_within_bounds)
        if not single or estimate is None or policy.relaxed is not None or not schedule.cluster.pooled:
            return
        rows, promised = self.log.of(Decision.RESERVATION), self.log.of(Decision.RESERVED)
        runs = self.log.runs
        expected = runs.start + estimate[runs.job]
        # The latest promise to the named job by then, by which a job would have to have ended.
        order = np.lexsort((promised.time, promised.job))
        key = promised.job[order] * (1 << 40) + promised.time[order]
        place = np.searchsorted(key, rows.value * (1 << 40) + rows.time, "right") - 1
        for k, at in enumerate(place.tolist()):
            if at < 0 or promised.job[order[at]] != rows.value[k]:
                continue
            time, job, start = int(rows.time[k]), rows.job[k], int(promised.value[order[at]])
            if time + estimate[job] <= start:
                yield int(rows.row[k]), f"it would have ended before the reservation at {start:,} s"
                continue
            # Jobs that run beside it and are expected to go on beyond the reservation keep what they hold.
            beside = (runs.start <= time) & (runs.end > time) & (expected > start)
            for column, total in enumerate(schedule.cluster.capacity()[0].tolist()):
                held = int(self._totals[beside, column].sum() + self._need[rows.value[k], column])
                if self._need[job, column] > total - held:
                    break
            else:
                yield int(rows.row[k]), "there was room beside the reservation"

    def limit(self) -> FalseRows:
        """Rows that name a limit, which has to be reached with the job."""
        trace, rows = self.schedule.trace, self.log.of(Decision.LIMIT)
        policy, runs = self.schedule.policy, self.log.runs
        # What the job asks for is compared with its limit, what others hold is counted as they hold it.
        own, held = self._need[:, 0], self._totals[:, 0]
        of_queue = [policy.queue_limit(name) for name in trace.queue.names]
        most = {
            LimitKind.USER_JOBS: np.full(len(trace), _or_none(policy.max_user_jobs)),
            LimitKind.USER_CPUS: np.full(len(trace), _or_none(policy.max_user_cpus)),
            LimitKind.QUEUE_CPUS: np.array([_or_none(each) for each in of_queue])[trace.queue.codes],
        }
        for kind, bound in most.items():
            mine = np.flatnonzero(rows.value == kind)
            names = trace.queue if kind is LimitKind.QUEUE_CPUS else trace.user
            single = kind is LimitKind.USER_JOBS
            amount = np.ones_like(held) if single else held
            whose = names.codes.astype(np.int64)
            job = rows.job[mine]
            used = held_by_owners(
                rows.time[mine], whose[job], (whose[runs.job], runs.start, runs.end, amount), after=True
            )
            wanted = used + (1 if single else own[job])
            # The limit cannot have held the job back if with it everything is still within the bound.
            for k in np.flatnonzero(wanted <= bound[job]).tolist():
                yield int(rows.row[mine[k]]), f"with it {wanted[k]:,} of {bound[job[k]]:,} were in use"

    def price(self) -> FalseRows:
        """Rows that say that energy was dear."""
        policy, rows = self.schedule.policy, self.log.of(Decision.PRICE)
        model = power_of(self.schedule.trace.cluster)
        if policy.price_below is None or model is None or model.price is None:
            return
        waits = named_jobs(policy, self.schedule.trace)
        for k in range(len(rows.row)):
            time, job = int(rows.time[k]), int(rows.job[k])
            if not model.price.at(time) > policy.price_below:
                yield int(rows.row[k]), "energy was cheap"
            elif not waits[job] or time >= self.schedule.submit[job] + policy.price_wait:
                yield int(rows.row[k]), "the job no longer waited for cheap energy"

    def behind(self) -> FalseRows:
        """Rows that say how many jobs were in front: no more than waited."""
        rows = self.log.of(Decision.BEHIND)
        waiting = self._waiting(rows.time) - 1
        wrong = (rows.value < 1) | (rows.value > waiting)
        yield from rows.false(wrong, "{} other jobs waited, not {} in front", waiting, rows.value)

    def untried(self) -> FalseRows:
        """Rows that say that a pass had tried as many jobs as it may: no fewer waited."""
        policy, rows = self.schedule.policy, self.log.of(Decision.UNTRIED)
        of_kind: dict[int, int | None] = {
            Untried.OF_PASS: policy.test_limit,
            Untried.OF_USER: policy.user_test_limit,
        }
        waiting = self._waiting(rows.time) - 1
        bound = np.array([_or_none(of_kind.get(value)) for value in rows.value.tolist()], np.int64)
        yield from rows.false(waiting < bound, "only {} other jobs waited", waiting)

    def backfilled(self) -> FalseRows:
        """Rows of starts past a job that waited."""
        rows, runs = self.log.of(Decision.BACKFILLED), self.log.runs
        begun = set(zip(runs.job.tolist(), runs.start.tolist(), strict=True))
        pairs = zip(rows.job.tolist(), rows.time.tolist(), strict=True)
        started = np.array([pair in begun for pair in pairs], np.bool_)
        yield from rows.false(~started, "it did not start then")
        passed = self.log.waits(rows.time, rows.value) & (rows.value != rows.job)
        yield from rows.false(started & ~passed, "the job that it was started past did not wait")

    def _free(self, time: Ints, column: int) -> tuple[Ints, Ints]:
        """The least and the most of a resource that may have been free in all at a pass, (m,) each."""
        schedule, runs, outages = self.schedule, self.log.runs, self.schedule.outages
        capacity = schedule.cluster.capacity()[:, column]
        # Nodes are down from the begin of a second on, and up again from the begin of another.
        down = held_at(time, outages.start, outages.end, capacity[outages.node], after=True)
        total = int(capacity.sum()) - down
        held = (
            held_at(time, runs.start, runs.end, self._totals[:, column], after) for after in (True, False)
        )
        least, most = (np.asarray(total - each, np.int64) for each in held)
        return least, most

    def _waiting(self, time: Ints) -> Ints:
        """How many jobs waited at most in a second, also those that came or started in it, (m,)."""
        came = np.sort(np.concatenate((self.log.submit, self.schedule.stopped.end)))
        begun = np.searchsorted(np.sort(self.log.runs.start), time, "left")
        return np.asarray(np.searchsorted(came, time, "right") - begun, np.int64)


def _or_none(limit: int | None) -> int:
    """A limit as a number: no limit is never reached."""
    return 1 << 62 if limit is None else limit


_CHECKS: dict[Decision, tuple[str, Callable[[_Reasons], FalseRows]]] = {
    Decision.CPUS: (
        "reasons that name missing processors, and are not true",
        lambda reasons: reasons.missing(Decision.CPUS, 0),
    ),
    Decision.RAM: (
        "reasons that name missing RAM, and are not true",
        lambda reasons: reasons.missing(Decision.RAM, 1),
    ),
    Decision.RESOURCE: ("reasons that name a missing resource, and are not true", _Reasons.resource),
    Decision.FRAGMENTED: ("reasons that name scattered nodes, and are not true", _Reasons.scattered),
    Decision.RESERVATION: ("reasons that name a reservation, and are not true", _Reasons.reserved),
    Decision.LIMIT: ("reasons that name a limit, and are not true", _Reasons.limit),
    Decision.PRICE: ("reasons that name the price of energy, and are not true", _Reasons.price),
    Decision.BEHIND: ("reasons that count jobs in front, and are not true", _Reasons.behind),
    Decision.UNTRIED: ("reasons that name untried jobs, and are not true", _Reasons.untried),
    Decision.BACKFILLED: ("starts past waiting jobs that are not true", _Reasons.backfilled),
}
