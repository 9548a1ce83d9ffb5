"""Preemption, jobs of reservations, and limits of resources times minutes, against hand-made schedules.

Four nodes of four CPUs; each job takes a whole node for 600 s, with a time limit of an hour.
"""

from pathlib import Path

import numpy as np
import pytest

from engine.metrics.summary import summary
from engine.metrics.twin import twin_of
from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at
from tests.engine.logs.sacct.dumps import HEADER, clock, job

CONF = """NodeName=a[1-4] CPUs=4
PartitionName=low Nodes=a[1-4] PriorityTier=1 {low}
PartitionName=high Nodes=a[1-4] PriorityTier=2
SchedulerParameters=bf_interval=60,bf_resolution=1
{more}
"""
DUMP = """Cluster - 'k':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'physics':Fairshare=1{account}
Parent - 'physics'
User - 'ann':Fairshare=1
"""
BY_TIER = "PriorityType=priority/basic\nPreemptType=preempt/partition_prio\n"
BY_QOS = "PriorityType=priority/basic\nPreemptType=preempt/qos\nPreemptMode=CANCEL\n"
CHECK = 31  # s from a check of time limits to the next
DELAY = 121  # s until a job that was queued again may start


def _run(
    folder: Path,
    jobs: list[tuple[int, str]],
    more: str,
    *,
    low: str = "",
    limit: str = "01:00:00",
    **files: str,
) -> Schedule:
    """Jobs (second of submission, partition, its quality of service, or a reservation after a colon)."""
    site = folder / "site"
    site.mkdir(parents=True)
    enforced = "" if "AccountingStorageEnforce" in more else "AccountingStorageEnforce=limits\n"
    (site / "slurm.conf").write_text(CONF.format(low=low, more=enforced + more))
    for name, text in files.items():
        (site / name).write_text(text)
    rows = []
    for k, (second, where) in enumerate(jobs):
        name, _, reservation = where.partition(":")
        rows.append(
            job(
                JobID=k + 1, User="ann", Account="physics", Partition=name, QOS=name, Submit=clock(second),
                Start=clock(second), End=clock(second + 600), Timelimit=limit, NCPUS=4, ReqCPUS=4, NNodes=1,
                NodeList="a1",
            )
            + f"|{reservation}"
        )  # fmt: skip
    log = folder / "log"
    log.write_text("\n".join((f"{HEADER}|Reservation", *rows, "")))
    read = read_log_as(log, Reading(machine=str(site / "slurm.conf")))
    return simulate(read.trace, read.cluster, site_policy(read_site_at(site)))


def _starts(schedule: Schedule) -> list[int]:
    """Starts in s from the first submission, -1 of jobs that do not run."""
    start = schedule.start - schedule.trace.submit[0]
    return [int(value) for value in np.where(schedule.ran, start, -1)]


def _assert_lost(schedule: Schedule, jobs: list[int]) -> None:
    """These jobs alone lost a run to a preemption, each from its start until the fifth job came."""
    assert np.flatnonzero(schedule.times_preempted).tolist() == jobs
    values = summary(schedule)
    assert values["preempted_runs"] == len(jobs)
    ran = schedule.start[4] - schedule.trace.submit[0]  # about as long, on the four CPUs of a node
    assert values["preempted_area"] == pytest.approx(4 * len(jobs) * ran, rel=0.1)
    assert values["runs_stopped"] is None


FULL = [(0, "low"), (1, "low"), (2, "low"), (3, "low"), (100, "high")]


def test_a_job_of_a_higher_tier_has_a_job_of_a_lower_one_queued_again(tmp_path: Path) -> None:
    """The first of four equal jobs ends, may start again 121 s later, and does so as others end."""
    found = _run(tmp_path, FULL, BY_TIER, low="PreemptMode=REQUEUE")
    start = _starts(found)
    assert 100 <= start[4] <= 110
    assert found.stopped.job.tolist() == [0]
    assert found.stopped.end.tolist()[0] - found.trace.submit[0] == pytest.approx(start[4], abs=5)
    assert max(start[1:4]) < 60
    assert 600 <= start[0] <= 680
    assert found.end[0] - found.start[0] == 600
    assert found.stopped.pieces["node"].tolist() == found.pieces["node"][4:].tolist()
    assert found.stopped.by.tolist() == [4]
    _assert_lost(found, [0])


def test_a_job_that_is_queued_again_waits_for_its_delay(tmp_path: Path) -> None:
    jobs = [(0, "low"), (1, "low"), (2, "low"), (3, "low"), (560, "high")]
    found = _run(tmp_path, jobs, BY_TIER, low="PreemptMode=REQUEUE")
    assert _starts(found)[0] >= 560 + DELAY
    other = _run(tmp_path / "b", jobs, BY_TIER + "AuthInfo=cred_expire=300\n", low="PreemptMode=REQUEUE")
    assert _starts(other)[0] >= 560 + 301


def test_a_cancelled_job_ends_and_one_that_has_grace_runs_on_for_it(tmp_path: Path) -> None:
    found = _run(tmp_path, FULL, BY_TIER, low="PreemptMode=CANCEL")
    start = _starts(found)
    assert 100 <= start[4] <= 110
    assert len(found.stopped) == 0
    assert found.end[0] - found.trace.submit[0] == pytest.approx(start[4], abs=5)
    assert found.cancelled_for is not None
    assert found.cancelled_for.tolist() == [4, -1, -1, -1, -1]
    _assert_lost(found, [0])
    graced = _run(tmp_path / "b", FULL, BY_TIER, low="PreemptMode=CANCEL GraceTime=90")
    # slurmctld ends it at its next check of time limits, or as the job tries to preempt it once more.
    assert 190 <= _starts(graced)[4] <= 190 + CHECK + 5
    assert 190 <= graced.end[0] - graced.trace.submit[0] <= 190 + CHECK + 1


def test_nobody_is_preempted_where_the_mode_is_off_or_the_plugin_is_none(tmp_path: Path) -> None:
    for k, (more, low) in enumerate(
        (
            (BY_TIER, "PreemptMode=OFF"),
            (BY_TIER, ""),
            ("PriorityType=priority/basic\n", "PreemptMode=REQUEUE"),
        )
    ):
        found = _run(tmp_path / str(k), FULL, more, low=low)
        assert _starts(found)[4] >= 600
        assert summary(found)["preempted_runs"] is None


def test_a_quality_of_service_preempts_those_that_it_names(tmp_path: Path) -> None:
    qos = "Name|Priority|Preempt|PreemptMode|GraceTime\nlow|0||{}|00:00:30\nhigh|9|low|cluster|00:00:00\n"
    jobs = [*FULL, (101, "low")]
    cancels = _run(tmp_path, jobs, BY_QOS, qos=qos.format("cluster"))
    assert 130 <= _starts(cancels)[4] <= 130 + CHECK + 5
    assert len(cancels.stopped) == 0
    again = _run(tmp_path / "b", jobs, BY_QOS, qos=qos.format("requeue"))
    assert again.stopped.job.tolist() == [0]
    unnamed = _run(
        tmp_path / "c", jobs, BY_QOS, qos=qos.format("cluster").replace("|low|cluster", "||cluster")
    )
    assert _starts(unnamed)[4] >= 600


def test_jobs_that_others_would_suspend_are_counted(tmp_path: Path) -> None:
    found = _run(tmp_path, FULL, BY_TIER + "PreemptMode=SUSPEND,GANG\n")
    assert _starts(found)[4] >= 600
    twin = twin_of(found, 60)
    assert twin is not None
    assert dict(twin.unlike)["may be suspended for others (PreemptMode), which is not simulated"] == 4


RESERVATION = (
    f"ReservationName=course StartTime={clock(1000)} EndTime=2020-01-01T14:30:00 Duration=02:13:20\n"
    "   Nodes=a[3-4] NodeCnt=2 Features=(null) Flags=SPEC_NODES\n   Users=ann State=INACTIVE\n"
)


def test_jobs_of_a_reservation_run_on_its_nodes_and_in_its_time(tmp_path: Path) -> None:
    """Two of the four start with the reservation, a third behind them; others keep to the other nodes."""
    jobs = [*[(k, "low:course") for k in range(3)], *[(3 + k, "low") for k in range(3)]]
    found = _run(tmp_path, jobs, "PriorityType=priority/basic\n", reservation=RESERVATION)
    start = _starts(found)
    assert [1000 <= at <= 1070 for at in start[:2]] == [True, True]
    assert 1600 <= start[2] <= 1700
    assert max(start[3:5]) < 60  # an hour from the start on would run into the reservation on its nodes
    assert 600 <= start[5] <= 670
    for k, node in enumerate(found.pieces["node"].tolist()):
        assert (node >= 2) == (k < 3)
    twin = twin_of(found, 60)
    assert twin is not None
    assert not any("reservation" in text for text, _ in twin.unlike)


def test_a_job_starts_in_its_reservation_but_not_after_it(tmp_path: Path) -> None:
    """A time limit may end after the reservation, as a real slurmctld 22.05 was seen to do."""
    jobs = [(0, "low:course"), (1, "low:other"), (2500, "low:course")]
    ends = RESERVATION.replace("2020-01-01T14:30:00", clock(2000))
    found = _run(tmp_path, jobs, "PriorityType=priority/basic\n", limit="03:00:00", reservation=ends)
    assert 1000 <= _starts(found)[0] <= 1070
    assert _starts(found)[2] == -1
    twin = twin_of(found, 60)
    assert twin is not None
    assert dict(twin.unlike)["asked for a reservation whose nodes and times no file gives"] == 1


@pytest.mark.parametrize(
    ("more", "over"), [("", 0), ("ResvOverRun=2\n", 120), ("ResvOverRun=UNLIMITED\n", None)]
)
def test_a_job_is_ended_after_its_reservation(tmp_path: Path, more: str, over: int | None) -> None:
    ends = RESERVATION.replace("2020-01-01T14:30:00", clock(1300))
    conf = f"PriorityType=priority/basic\n{more}"
    found = _run(tmp_path, [(0, "low:course"), (1, "low")], conf, reservation=ends)
    end, submitted = found.end - found.start, found.trace.submit[0]
    assert end[1] == 600
    if over is None:
        assert end[0] == 600
    else:
        assert 1300 + over < found.end[0] - submitted <= 1300 + over + 1 + CHECK


MULTIFACTOR = "PriorityType=priority/multifactor\nPriorityCalcPeriod=1\nPriorityDecayHalfLife={}\n{}\n"


def test_a_group_limit_of_minutes_stops_an_account_that_has_spent_them(tmp_path: Path) -> None:
    """60 CPU minutes are spent as two jobs of 40 have ended: the third waits, for good where none fade."""
    jobs = [(0, "low"), (700, "low"), (1400, "low"), (1401, "low")]
    dump = DUMP.format(account=":GrpTRESMins=cpu=60")
    found = _run(tmp_path, jobs, MULTIFACTOR.format("0", ""), dump=dump)
    start = _starts(found)
    assert start[0] < 60
    assert 700 <= start[1] < 760
    assert start[2:] == [-1, -1]
    fading = _starts(_run(tmp_path / "b", jobs, MULTIFACTOR.format("00:10:00", ""), dump=dump))
    assert fading[1] < 760
    # 40 minutes fade to a half by 1,300 s, then 80 CPU minutes less what faded are under 60 at once.
    assert -1 not in fading


def test_a_limit_that_is_safe_sets_aside_what_running_jobs_may_take(tmp_path: Path) -> None:
    """A running job may use 240 CPU minutes, an hour on four CPUs, so that none starts beside it."""
    jobs = [(0, "low"), (1, "low"), (2, "low")]
    dump = DUMP.format(account=":GrpTRESMins=cpu=300")
    enforced = "AccountingStorageEnforce=associations,limits,safe"
    start = _starts(_run(tmp_path, jobs, MULTIFACTOR.format("0", enforced), dump=dump))
    assert start[0] < 60
    assert 600 <= start[1] <= 700  # the first has taken 40 of its 240 minutes, 260 are left
    assert start[2] == -1  # 80 are spent
    loose = _starts(_run(tmp_path / "b", jobs, MULTIFACTOR.format("0", ""), dump=dump))
    assert max(loose) < 60


def test_a_group_limit_of_run_time_stops_an_account_that_has_spent_it(tmp_path: Path) -> None:
    """Each job runs for 10 of 15 minutes: the third waits for good. What runs is not set aside for."""
    jobs = [(0, "low"), (700, "low"), (1400, "low")]
    for k, enforced in enumerate(("", "AccountingStorageEnforce=associations,limits,safe")):
        more = MULTIFACTOR.format("0", enforced)
        found = _run(tmp_path / str(k), jobs, more, dump=DUMP.format(account=":GrpWall=15"))
        start = _starts(found)
        assert start[0] < 60
        assert 700 <= start[1] < 760
        assert start[2] == -1
        twin = twin_of(found, 60)
        assert twin is not None
        assert (
            dict(twin.unlike)[
                "are under group limits of run time that end running jobs, which are not simulated"
            ]
            == 3
        )


@pytest.mark.parametrize("of_user", [False, True])
def test_limits_of_what_running_jobs_may_still_take(tmp_path: Path, of_user: bool) -> None:
    """A job may take 240 CPU minutes by its limit, 230 of them after 150 s, so that a second one fits 470."""
    qos = "Name|Priority|MaxTRESRunMinsPU\nlow|0|cpu={}\n"
    for k, (most, first, last) in enumerate(((480, 0, 60), (470, 150, 280), (240, 600, 730))):
        own = {"qos": qos.format(most)} if of_user else {}
        limit = "" if of_user else f":GrpTRESRunMins=cpu={most}"
        more = MULTIFACTOR.format("0", "")
        found = _run(
            tmp_path / str(k), [(0, "low"), (1, "low")], more, dump=DUMP.format(account=limit), **own
        )
        start = _starts(found)
        assert start[0] < 60
        assert first <= start[1] <= last, most
    never = _run(
        tmp_path / "n",
        [(0, "low")],
        "PriorityType=priority/basic\n",
        dump=DUMP.format(account=":GrpTRESRunMins=cpu=239"),
    )
    assert _starts(never) == [-1]


def test_a_job_that_may_take_more_than_a_limit_of_minutes_never_starts(tmp_path: Path) -> None:
    jobs = [(0, "low")]
    for k, (minutes, starts) in enumerate((("239", False), ("240", True))):
        dump = DUMP.format(account=f":MaxTRESMinsPerJob=cpu={minutes}")
        found = _run(tmp_path / str(k), jobs, "PriorityType=priority/basic\n", dump=dump)
        assert (_starts(found)[0] >= 0) == starts
    basic = _run(
        tmp_path / "c",
        jobs,
        "PriorityType=priority/basic\n",
        dump=DUMP.format(account=":GrpTRESMins=cpu=1,energy=2"),
    )
    twin = twin_of(basic, 60)
    assert twin is not None
    shown = " ".join(text for text, _ in twin.unlike)
    assert "Slurm needs priority/multifactor" in shown
    assert "limits of energy" in shown
