"""Reasons in the log of a site's Slurm: each that is planted and false is found, and none that is true."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from engine.audit.audit import audit
from engine.audit.report import Case
from engine.audit.site_reasons import CHECKED_SITE_REASONS, false_site_reasons
from engine.audit.table import table_of
from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import COLUMNS, Decision, Schedule, Untried
from engine.schedule.site_limits import PARTS, SiteLimits
from engine.simulation.run import simulate
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.site.associations import Association
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.reservations import Reservation
from engine.slurm.site.site import Site
from engine.trace import Pieces
from tests.engine.audit.test_reasons import Row, log_of
from tests.engine.slurm.scheduler.drawn_sites import drawn_site
from tests.traces import make_names, make_schedule, make_trace

CONF = """NodeName=a[1-2] CPUs=4
PartitionName=batch Nodes=a[1-2]
PartitionName=first Nodes=a1
PartitionName=short Nodes=a2
PartitionName=old Nodes=a2 State=DOWN
PriorityType=priority/basic
SchedulerParameters=bf_interval=5,bf_resolution=1,bf_max_job_test=9,bf_max_job_assoc=7,bf_max_job_user_part=8
"""
BATCH, SHORT, FIRST, OLD = range(4)
MAINT, LATER = range(2)  # of `closed_by`

# Job 0 holds node a1 until 100, job 1 waits for both nodes, job 2 goes past it to half of a2, and 3 waits for
# all of that. 4 and 5 are behind 1. 6 was held until 60; 7 follows 2.
SUBMIT = [0, 1, 2, 3, 10, 11, 12, 13]
STARTS = [0, 100, 2, 200, 200, 300, 400, 400]
RUNTIME = [100, 50, 50, 100, 100, 100, 100, 50]
CPUS = [4, 8, 2, 4, 1, 1, 1, 1]
QUEUES = ["batch", "batch", "batch", "short", "batch", "first", "old", "batch"]
NODES = [[(0, 4)], [(0, 4), (1, 4)], [(1, 2)], [(1, 4)], [(0, 1)], [(0, 1)], [(1, 1)], [(1, 1)]]

TRUE: tuple[Row, ...] = (
    (1, 1, Decision.CPUS, 4),
    (1, 1, Decision.HEAD, BATCH),
    (2, 2, Decision.BACKFILLED, 1),
    (3, 3, Decision.CPUS, 2),
    (10, 4, Decision.PRIORITY, 1),
    (11, 4, Decision.RESERVATION, 1),
    (12, 6, Decision.HELD, 60),
    (13, 7, Decision.DEPENDENCY, 2),
    (20, 5, Decision.SITE_LIMIT, 0 * PARTS),
    (52, 3, Decision.CLEANING, 0),
    (60, 4, Decision.CLOSED, MAINT),
    (70, 4, Decision.UNTRIED, Untried.WINDOW),
    (80, 4, Decision.BEGIN, 150),
    (199, 5, Decision.OUTSIDE, LATER),
)


@cache
def schedule_of(*rows: Row) -> Schedule:
    """The schedule with these rows in its log."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "slurm.conf"
        path.write_text(CONF)
        conf = read_slurm_conf(path)
        # Limits of two kinds on the same account, and two times at which node a1 is closed.
        tree = (Association("astro", "", "root", 1.0, (("grpjobs", "2"), ("grptres", "cpu=40"))),)
        dates = ("2026-01-01T00:01:30", "2026-01-01T00:03:10"), ("2026-01-01T00:05:00", "2026-01-01T00:50:00")
        kept = (Reservation("maint", *dates[0], ("a1",)), Reservation("later", *dates[1], ("a1",)))
        site = Site(path, conf, tree, reservations=kept)
        policy = site_policy(site)
    trace = make_trace(
        SUBMIT,
        RUNTIME,
        CPUS,
        walltime=[60] * len(SUBMIT),
        queue=QUEUES,
        group=["astro"] * len(SUBMIT),
        cluster=conf.machine,
        zero=1767225600,
    )
    # Job 5 may use the later reservation; 6 and 7 were held until 60 and 53.
    reservation = make_names(["", "", "", "", "", "later", "", ""])
    held = np.array([0, 0, 0, 0, 0, 0, 48, 40])
    preceding = np.array([-1] * 7 + [3])
    trace = replace(trace, held=held, preceding=preceding, reservation=reservation, timezone="UTC")
    # All parts of jobs in one array, as a schedule keeps them; `offset` says where those of each job begin.
    flat = [place for places in NODES for place in places]
    node, cpus = np.array(flat, np.int64).T
    offset = np.concatenate(([0], np.cumsum([len(places) for places in NODES])))
    limits = SiteLimits(
        owner=("account astro", "account astro"),
        scope=(("group", "astro", ""),) * 2,
        resource=("cpus",),
        most_jobs=np.array([2, 9]),
        most=np.array([[40], [41]]),
        most_spent=np.zeros((0, 1)),
        most_ahead=np.zeros((0, 1)),
        offset=np.arange(len(SUBMIT) + 1),
        bound=np.zeros(len(SUBMIT), np.int64),
        holds=np.ones(len(SUBMIT), np.bool_),
        total=np.array(CPUS)[:, None],
    )
    return replace(
        make_schedule(trace, STARTS, log=log_of(*rows)),
        policy=policy,
        pieces=Pieces(offset, {"node": node, "cpus": cpus}),
        site_limits=limits,
        closed_by=("maint", "later"),
    )


def false_rows(*rows: Row) -> dict[str, tuple[Case, ...]]:
    """The false reasons that an audit finds."""
    schedule = schedule_of(*rows)
    report = audit(table_of(schedule), schedule.cluster, schedule.policy)
    assert set(CHECKED_SITE_REASONS) <= set(report.checked)
    return {each.kind: each.cases for each in report.findings if each.kind.startswith("false_")}


def test_true_reasons_are_not_found() -> None:
    assert false_rows(*TRUE) == {}


def test_what_a_whole_node_has_is_not_what_its_job_asks_for() -> None:
    """Job 4 gets the four processors of a node, but asks for a node with one; two are free."""
    schedule = schedule_of((11, 4, Decision.RESERVATION, 1))
    trace = schedule.trace
    tasks = replace(trace.tasks, columns={**trace.tasks.columns, "whole": np.array([0, 0, 0, 0, 1, 0, 0, 0])})
    cpus = np.where(np.arange(9) == 5, 4, schedule.pieces["cpus"])
    pieces = Pieces(schedule.pieces.offset, {**schedule.pieces.columns, "cpus": cpus})
    whole = replace(schedule, trace=replace(trace, tasks=tasks), pieces=pieces)
    site = schedule.policy.site
    assert site is not None
    assert false_site_reasons(whole, site) == ()
    assert [each.kind for each in false_site_reasons(replace(whole, trace=trace), site)] == [
        "false_reservation"
    ]


# A row, and what an audit says of it.
PLANTED: tuple[tuple[Row, str], ...] = (
    ((1, 1, Decision.CPUS, 5), "it asks for 8 of processors, and 4 to 4 were free"),
    ((10, 4, Decision.CPUS, 1), "not 1 too few"),
    ((1, 1, Decision.RAM, 5), "no node has this resource"),
    ((1, 1, Decision.RESOURCE, 2 * COLUMNS + 1), "no node has this resource"),
    ((13, 4, Decision.FRAGMENTED, 0), "a node of its partition had room for all of it"),
    ((13, 4, Decision.NODES, 1), "1 nodes had room, and it takes 1"),
    ((40, 3, Decision.CLEANING, 0), "no job had just ended on its nodes"),
    ((60, 3, Decision.CLOSED, MAINT), "no such nodes are of its partition"),
    ((60, 4, Decision.CLOSED, LATER), "it would not have run in that time"),
    ((60, 4, Decision.CLOSED, 7), "the files have no such reservation"),
    ((60, 1, Decision.CLOSED, MAINT), "no more than 4 were free"),
    ((60, 4, Decision.OUTSIDE, LATER), "it does not ask for that reservation"),
    ((60, 4, Decision.RESERVATION, 0), "the job that it names did not wait"),
    ((60, 1, Decision.RESERVATION, 4), "it goes before the job that it names"),
    ((60, 4, Decision.PRIORITY, 2), "the job that it names did not wait"),
    ((60, 3, Decision.PRIORITY, 5), "the job that it names is in a partition with other nodes"),
    ((60, 4, Decision.PRIORITY, 7), "it goes before the job that it names"),
    ((60, 4, Decision.HEAD, SHORT), "it is of another partition"),
    ((60, 4, Decision.SITE_LIMIT, 0 * PARTS), "account astro: with it 2 of 2 jobs"),
    ((20, 4, Decision.SITE_LIMIT, 0 * PARTS + 1), "account astro: with it 7 of 40 cpus"),
    ((20, 4, Decision.SITE_LIMIT, 1 * PARTS + 1), "the files have no such limit of account astro"),
    ((20, 4, Decision.DEPENDENCY, 2), "by the log it does not depend on that job"),
    ((60, 7, Decision.DEPENDENCY, 2), "the job on which it depends had ended"),
    ((60, 4, Decision.BEGIN, 50), "its begin was over"),
    ((60, 4, Decision.BEGIN, 250), "it started before"),
    ((60, 4, Decision.HELD, 80), "the log does not say that it was held then"),
    ((20, 6, Decision.HELD, 80), "it was held until 60 s"),
    ((60, 4, Decision.UNTRIED, Untried.TESTS), "jobs, fewer than 9"),
    ((60, 4, Decision.UNTRIED, Untried.MAIN_STARTS), "the site has no such limit"),
    ((60, 4, Decision.UNTRIED, Untried.PART_DEPTH), "the site has no such limit"),
    ((60, 4, Decision.UNTRIED, Untried.ASSOC_TESTS), "jobs, fewer than 7"),
    ((60, 4, Decision.UNTRIED, Untried.USER_PART_TESTS), "jobs, fewer than 8"),
    ((60, 4, Decision.BACKFILLED, 1), "it did not start then"),
    ((2, 2, Decision.BACKFILLED, 0), "the job that it was started past did not wait"),
    ((150, 1, Decision.CPUS, 4), "it did not wait"),
)


@pytest.mark.parametrize("at", range(len(PLANTED)), ids=lambda at: f"{at}-{Decision(PLANTED[at][0][2]).name}")
def test_a_false_reason_is_found_with_its_job_and_time(at: int) -> None:
    row, text = PLANTED[at]
    ((kind, (case,)),) = false_rows(row, TRUE[0]).items()
    assert kind == ("false_wait" if text == "it did not wait" else f"false_{Decision(row[2]).name.lower()}")
    assert (case.job, case.time) == (str(row[1] + 1), row[0])
    assert text in case.text


def test_every_kind_of_reason_is_planted() -> None:
    never = {Decision.RESERVED, Decision.LIMIT, Decision.BEHIND, Decision.UNTOLD}  # which no site's log has
    never |= {Decision.POWER, Decision.PRICE, Decision.STOPPED, Decision.PREEMPTED}  # nor these
    assert {Decision(row[2]) for row, _ in PLANTED} == set(Decision) - never


@pytest.mark.parametrize("seeds", [(52, 147, 148), range(200, 208)], ids=["own plans", "drawn"])
def test_no_reason_of_a_drawn_site_is_false(seeds: Sequence[int], tmp_path: Path) -> None:
    """The first sites have jobs whose own plans begin later than they have room, on nodes of their own."""
    found = {}
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        log = drawn_site(seed).write(folder)
        read = read_log_as(log, Reading(machine=str(folder / "site" / "slurm.conf")))
        site = read_site_at(folder / "site")
        found[seed] = false_site_reasons(
            simulate(read.trace, read.cluster, site_policy(site), log=True), site
        )
    assert {seed: findings for seed, findings in found.items() if findings} == {}
