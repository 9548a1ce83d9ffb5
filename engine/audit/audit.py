"""The audit of one schedule: every check that its trace, machine and policy allow."""

from __future__ import annotations

import numpy as np

from engine.audit.audit_loop import Checks, follow
from engine.audit.basics import check_jobs
from engine.audit.capacity import check_capacity
from engine.audit.dependent_submissions import as_followed
from engine.audit.head_checks import UNSAID
from engine.audit.idle import check_idle, fills, keeps_busy
from engine.audit.limits import check_limits
from engine.audit.nodes import check_nodes, known_nodes
from engine.audit.pass_checks import PassChecks
from engine.audit.passes import broken_passes, make_pass_checks
from engine.audit.plans import broken_plans, make_plan_checks
from engine.audit.policy_rules import beyond_checking, estimates, without_guarantee
from engine.audit.power import check_power, check_prices, power_unchecked, prices_known
from engine.audit.preemption import check_preemptions
from engine.audit.promises import broken_promises, make_head_checks
from engine.audit.reasons import CHECKED_REASONS, false_reasons
from engine.audit.refusals import asks_for_features, held_processors, may_give_up, may_refuse
from engine.audit.replay import by_node, make_replay
from engine.audit.report import AuditFinding, AuditReport, Guarantees
from engine.audit.site_reasons import CHECKED_SITE_REASONS, false_site_reasons
from engine.audit.site_rules import check_site
from engine.audit.table import Ints, ScheduleTable
from engine.audit.whole_nodes import WholeNodes
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.schedule.schedule import NO_LOG
from engine.shown_values import resource_words
from engine.slurm.site.site import Site
from engine.words import counted, listed

_FOLLOWS = "that jobs are submitted at the end of those that they follow, plus their think times"


def audit(
    table: ScheduleTable, cluster: Cluster, policy: Policy | None = None, tolerance: float = 0.0
) -> AuditReport:
    """Check a schedule; differences of times up to `tolerance` (s) are not errors.

    With a policy its guarantees are checked too, as far as possible; the report says what was not checked.
    """
    follows = table.trace.dependencies and not table.logged
    # Jobs that follow others were submitted when those ended in this schedule, not when the log says.
    if follows:
        cluster = cluster.with_outages(table.trace.submit)
        table = as_followed(table)
    trace = table.trace
    table = known_nodes(table, cluster)
    # A job without a run is an error unless it could not run: too large, or given up after failures.
    absent = np.flatnonzero(table.first_row < 0)
    refused = np.zeros(len(trace), np.bool_)
    refused[absent] = table.logged or may_refuse(trace, cluster, policy, absent)
    given_up = np.zeros(len(trace), np.bool_)
    given_up[absent] = ~refused[absent] & may_give_up(trace, cluster, policy, absent)
    stops = policy is not None and (cluster.failures is not None or policy.preempt_value is not None)
    goes_on = stops and policy is not None and policy.on_failure == "continue"
    procs = WholeNodes(trace, cluster).processors()
    # What holds of every schedule is checked first; what this policy promises comes on top.
    promises = _Promises(table, cluster, tolerance)
    if policy is not None:
        promises.check(policy)
    return AuditReport(
        source=table.source,
        policy=None if policy is None else policy.spelling,
        tolerance=tolerance,
        jobs=len(trace),
        ran=len(trace) - len(absent),
        refused=0 if table.logged else int(refused.sum()),
        offset=table.offset,
        offset_from=table.offset_from,
        findings=(
            *check_jobs(table, refused | given_up, procs, tolerance, goes_on),
            *check_nodes(table, cluster, procs),
            *check_capacity(table, cluster, tolerance),
            *promises.findings,
        ),
        checked=(*_checked(table, cluster), *([_FOLLOWS] if follows else []), *promises.checked),
        not_checked=(*_not_checked(table, cluster, int(given_up.sum())), *promises.not_checked),
        notes=table.notes,
        guarantees=promises.guarantees,
    )


class _Promises:
    """The part of a report that a policy adds."""

    def __init__(self, table: ScheduleTable, cluster: Cluster, tolerance: float) -> None:
        self.table, self.cluster, self.tolerance = table, cluster, tolerance
        self.findings: tuple[AuditFinding, ...] = ()
        self.guarantees: Guarantees | None = None
        self.checked: list[str] = []
        self.not_checked: list[str] = []

    def check(self, policy: Policy) -> None:
        """All that this policy promises and that can be checked."""
        self._check_reasons()
        # A site's scheduler promises no start: what it is held to is checked apart.
        if policy.site is not None:
            self._check_site(policy.site)
            return
        if policy.queue_nodes:
            self.not_checked.append("whether absent jobs fit on the nodes of their queues")
        if policy.constraints or asks_for_features(self.table.trace, self.cluster):
            self.not_checked.append("whether jobs keep to the nodes that the log asks for")
        if policy.limited:
            held = held_processors(self.table.trace, self.cluster, policy)
            self.findings += check_limits(self.table, policy, held, self.tolerance)
            self.checked.append("limits of users and queues")
        self._check_hours(policy)
        if policy.preempt_value is not None:
            self._check_preemptions()
        own = {} if policy.own is None else policy.own.names
        if "scheduler" in own:
            self.not_checked.append(f"promises of {policy}: {own['scheduler']} decides, and promises nothing")
            return
        self._check_idle(policy)
        estimate = estimates(policy, self.table.trace)
        # Promises are followed event by event, which needs every estimate and every run. The last reason that
        # applies is told.
        reason = beyond_checking(policy)
        if "backfill" in own:
            reason = f"jobs are backfilled in the order of {own['backfill']}, which is not known here"
        if self.cluster.failures is not None:
            reason = "nodes fail, and the schedule does not list the runs that this stopped"
        if reason is None and estimate is None:
            reason = f"the estimates of {policy.estimate} change as it learns"
        if reason is not None or estimate is None:
            self.not_checked.append(f"promises of {policy}: {reason}")
            return
        self._follow(policy, estimate)

    def _check_reasons(self) -> None:
        """The reasons of waits in a decision log, of a schedule that has one."""
        schedule = self.table.schedule
        if schedule is None or schedule.log is NO_LOG:
            return
        site = schedule.policy.site
        self.findings += false_reasons(schedule) if site is None else false_site_reasons(schedule, site)
        self.checked += [CHECKED_REASONS] if site is None else CHECKED_SITE_REASONS

    def _check_hours(self, policy: Policy) -> None:
        """The cap on power, and that jobs waited for cheap energy."""
        table, trace = self.table, self.table.trace
        if policy.power_cap is not None:
            reason = power_unchecked(trace, self.cluster, policy)
            if reason is None:
                estimate = estimates(policy, trace)
                self.findings += check_power(table, self.cluster, policy, estimate, self.tolerance)
                self.checked.append("that no start takes the power of the machine above its cap")
            else:
                self.not_checked.append(f"the cap on power: {reason}")
        if policy.price_below is not None:
            if prices_known(trace) is not None:
                self.findings += check_prices(table, policy, self.tolerance)
                self.checked.append("that jobs wait for cheap energy")
            else:
                self.not_checked.append("that jobs wait for cheap energy: no prices are known (--power)")

    def _check_preemptions(self) -> None:
        """That jobs stopped others only for enough value."""
        schedule = self.table.schedule
        if schedule is None:
            self.not_checked.append("who was stopped for whom: a file lists no runs that were stopped")
            return
        self.findings += check_preemptions(schedule)
        self.checked.append("that jobs stop others of less value alone")

    def _check_idle(self, policy: Policy) -> None:
        """Whether jobs waited that could have started, as far as the policy promises that none does."""
        if not keeps_busy(self.cluster, policy):
            return
        held = held_processors(self.table.trace, self.cluster, policy)
        self.findings += check_idle(self.table, self.cluster, policy, held, self.tolerance)
        self.checked.append("that no job waits while the machine is idle")
        if fills(self.cluster, policy):
            self.checked.append("that no job waits for which enough processors are free")

    def _check_site(self, site: Site) -> None:
        """What a site's files say of any schedule; which job starts next depends on slurmctld's phases."""
        held = WholeNodes(self.table.trace, self.cluster).processors()
        self.findings += check_site(self.table, self.cluster, site, held, self.tolerance)
        self.checked.append("limits of the site's qualities of service and accounts on what runs at once")
        if self.table.pieces is not None and self.cluster == site.machine:
            self.checked.append("that jobs run on nodes of their partitions")
        self.not_checked.append(
            f"the order of {site.spelling}: it depends on when slurmctld's loops began; `compare` with this "
            "policy tells how near the schedule is to that of the site's own Slurm"
        )

    def _follow(self, policy: Policy, estimate: Ints) -> None:
        """Replay the schedule: what may each pass do, and what are waiting jobs promised?"""
        table, cluster, tolerance = self.table, self.cluster, self.tolerance
        passes, starts = self._checks_passes(policy), self._checks_starts(policy)
        planned = policy.depth == "kept"
        listed = passes or (starts and not planned)
        # A single replay serves all checks; a check that is not asked for is empty.
        replay = make_replay(table, cluster, policy, estimate, listed)
        checks = Checks(
            replay,
            make_pass_checks(table, cluster, policy, replay, tolerance, passes),
            make_head_checks(table, cluster, policy, replay, tolerance, starts and not planned),
            make_plan_checks(replay, policy.replan == "planned", starts and planned),
        )
        if passes or starts:
            follow(checks)
        if passes:
            self.findings += broken_passes(checks.passes, table)
            self._say_passes(policy, checks.passes)
        if starts:
            if planned:
                broken, self.guarantees = broken_plans(checks.plan, table, replay, tolerance)
            else:
                broken, self.guarantees = broken_promises(checks.head, table, replay)
            self.findings += broken
            self._say_starts(policy, int(checks.head.tally[UNSAID]))

    def _checks_passes(self, policy: Policy) -> bool:
        if policy.depth == "kept":
            return False
        if policy.relaxed is not None and (policy.gate or policy.pass_every is not None):
            self.not_checked.append(f"reservations of {policy}: when they were made first is not known")
            return False
        if policy.horizon is not None and not self.cluster.pooled:
            self.not_checked.append(f"passes of {policy}: which jobs get a reservation is not known on nodes")
            return False
        return True

    def _checks_starts(self, policy: Policy) -> bool:
        featured = asks_for_features(self.table.trace, self.cluster)
        reason = without_guarantee(policy, featured) or self._no_guarantees(policy)
        if reason is not None:
            self.not_checked.append(f"guaranteed starts of {policy}: {reason}")
        return reason is None

    def _no_guarantees(self, policy: Policy) -> str | None:
        """The reason why guaranteed starts cannot be checked on this machine; None where they can."""
        # Each reason is a way in which a start may move later without any rule being broken.
        if policy.search != "none":
            return "a search moves planned starts to and fro"
        if policy.gap == "best":
            return "a job goes into the gap that it fills best"
        if self.cluster.pooled:
            return None
        if policy.depth == "kept":
            return "on nodes plans depend on where each job is placed"
        if by_node(self.table, self.cluster):
            return None
        unsaid = _unsaid_of_nodes(self.table, self.cluster)
        what = "on which nodes jobs ran" if unsaid is None else f"how much {unsaid} jobs held of each node"
        return (
            f"the schedule does not say {what} (--cluster with a pool, such as "
            f"{self.cluster.cpus}c, checks them on the machine's totals)"
        )

    def _say_passes(self, policy: Policy, passes: PassChecks) -> None:
        if policy.depth == "stop":
            self.checked.append(f"the queue order of {policy}")
        if passes.rules.plans:
            past = counted(int(passes.past[0]), "start")
            self.checked.append(f"{past} past waiting jobs of {policy}, beside the reservations of that pass")
        elif policy.depth not in ("stop", 0):
            self.not_checked.append(f"reservations of {policy}: on nodes they hang on where jobs go")
        if policy.test_limit is not None:
            self.checked.append(f"that a pass looks at {counted(policy.test_limit, 'job')}")
        if policy.user_test_limit is not None:
            self.checked.append(f"that a pass looks at {counted(policy.user_test_limit, 'job')} of a user")

    def _say_starts(self, policy: Policy, not_given: int) -> None:
        tally = self.guarantees
        assert tally is not None
        self.checked.append(f"{counted(tally.made, 'guaranteed start')} of {policy}")
        if tally.excused:
            self.not_checked.append(
                f"{counted(tally.excused, 'guaranteed start')}: jobs that outlived an estimate may be why"
            )
        if not_given:
            self.not_checked.append(
                f"guaranteed starts of {counted(not_given, 'job')}: with tasks of several kinds, where "
                "each goes decides whether they fit; or the machine never has enough for them"
            )


def _checked(table: ScheduleTable, cluster: Cluster) -> list[str]:
    checked = ["every job once", "no start before the submission"]
    if not np.isnan(table.submitted.time).all():
        checked.append("submissions")
    if table.has_end.any() and not table.logged:
        checked.append("durations")
    for span in table.spans:
        if not np.isnan(span.stated).all():
            checked.append(f"{span.name}s that are listed beside the times")
    if table.has_procs.any() and not table.logged:
        checked.append("processors of each job")
    totals = (resource_words(name)[0] for name in cluster.resources[1:] if cluster.total(name) is not None)
    checked.append(listed(["processors in use", *totals]))
    if table.pieces is not None and not cluster.pooled:
        checked.append("every node")
        if not table.logged:
            checked.append("that the nodes of each job give it what it needs")
    if cluster.failures is not None:
        checked.append("nodes that are down")
    return checked


def _not_checked(table: ScheduleTable, cluster: Cluster, given_up: int) -> list[str]:
    missing = []
    if given_up:
        missing.append(
            f"whether failures stopped {counted(given_up, 'absent job')} too often: "
            "the schedule does not list the runs that this stopped"
        )
    # GPUs that the machine does not have cannot be checked.
    with_gpus = 0 if table.trace.gpus is None else int(np.count_nonzero(table.trace.gpus > 0))
    if with_gpus and "gpu" not in cluster.resources:
        missing.append(f"GPUs of {counted(with_gpus, 'job')}: {cluster} has none (--cluster names GPUs, too)")
    if table.logged:
        missing.append("durations and processors of the log's own schedule: they are what they are")
        unstarted = int((table.first_row < 0).sum())
        if unstarted:
            missing.append(f"{counted(unstarted, 'job')} whose start the log does not give")
    not_given = {"durations": ~table.has_end, "processors": ~table.has_procs}
    for what, rows in not_given.items():
        if rows.any():
            missing.append(f"{what} of {counted(int(rows.sum()), 'run')}: the schedule does not say them")
    if table.pieces is None and not cluster.pooled:
        missing.append("single nodes: the schedule does not say on which nodes jobs ran")
    elif unsaid := _unsaid_of_nodes(table, cluster):
        missing.append(f"{unsaid} of single nodes: the schedule does not say how much jobs held of each node")
    return missing


def _unsaid_of_nodes(table: ScheduleTable, cluster: Cluster) -> str | None:
    """The resources of nodes that jobs held in unknown amounts, in words; None where there are none."""
    if cluster.pooled or table.pieces is None:
        return None
    missing = [resource_words(name)[0] for name in cluster.resources if name not in table.pieces.columns]
    return listed(missing) if missing else None
