"""Planned starts of a queue as it is, by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.logs.queue.state import HELD, RUNNING, WAITING, QueuedJob, QueueState, clock_of
from engine.now.prediction import (
    MANY,
    Coming,
    Past,
    _with_priorities,
    asked_job,
    first_forecast,
    predict,
    within,
)
from engine.now.used_parts import UsedParts
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site

JOB = QueuedJob("1", "ann", "", "batch", WAITING, "Priority", 0, 0, 3600, 4, 1, 0, 0, False, "", "", 10.0)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Two nodes of 4 CPUs."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=a[1-2]\nSchedulerParameters=bf_interval=30\n"
    )
    return read_site_at(conf)


def test_planned_starts_go_by_limits_and_expected_ones_by_what_jobs_use_of_them(site: Site) -> None:
    """Both nodes are taken for another half hour at most; jobs here use a tenth to a half of their limits."""
    running = [
        replace(JOB, job_id=name, state=RUNNING, elapsed=1800, node_list=name) for name in ("a1", "a2")
    ]
    first = replace(JOB, job_id="3", cpus=8, nodes=2, priority=20.0)
    second = replace(JOB, job_id="4", priority=5.0)
    held = replace(JOB, job_id="5", state=HELD, reason="JobHeldUser")
    huge = replace(JOB, job_id="6", cpus=100, priority=30.0)
    jobs = [*running, second, first, held, huge]
    forecast = predict(site, jobs, replays=20, past=Past(UsedParts(np.array([0.1, 0.4, 0.6, 0.75]), {})))
    found = forecast.waiting
    assert forecast.replays == 20
    assert [match.job.job_id for match in found] == ["3", "4", "6", "5"]
    wide, narrow, never, stopped = found
    assert wide.planned == pytest.approx(1800, abs=35)
    assert narrow.planned == pytest.approx(1800 + 3600, abs=35)  # behind all of the first job's limit
    # Half of the limit is over: runs end after 0.6 or 0.75 of it, 360 or 900 s from now.
    assert wide.early is not None
    assert wide.late is not None
    assert 360 <= wide.early <= wide.late <= 935
    assert never.planned is None
    assert never.why.startswith("no node of partition batch has 100 CPUs; Slurm says: ")
    assert stopped.why == "it is held by its user"
    again = predict(site, jobs, replays=20, past=Past(UsedParts(np.array([0.1, 0.4, 0.6, 0.75]), {})))
    assert again == forecast  # drawn alike


def test_no_more_tasks_of_an_array_run_than_may_at_once(site: Site) -> None:
    """One of three tasks may run at a time; one runs for half an hour yet. Other jobs have the other node."""
    task = replace(JOB, array="7", at_once=1)
    running = replace(task, job_id="7_0", state=RUNNING, elapsed=1800, node_list="a1")
    tasks = [replace(task, job_id=f"7_{k}") for k in (1, 2)]
    found = predict(site, [running, *tasks, replace(JOB, job_id="8", priority=1.0)], replays=0).waiting
    planned = {prediction.job.job_id: prediction.planned for prediction in found}
    assert planned["8"] == pytest.approx(0, abs=35)
    assert planned["7_1"] == pytest.approx(1800, abs=35)
    assert planned["7_2"] == pytest.approx(5400, abs=65)


def test_parts_of_a_heterogeneous_job_start_together(site: Site) -> None:
    running = replace(JOB, state=RUNNING, elapsed=1800, node_list="a1")
    parts = [replace(JOB, job_id=f"9+{k}", together="9") for k in (0, 1)]
    found = predict(site, [running, *parts], replays=5).waiting
    assert found[0].planned == found[1].planned == pytest.approx(1800, abs=35)
    assert found[0].expected == found[1].expected
    never = predict(site, [running, parts[0], replace(parts[1], cpus=100)], replays=0).waiting
    assert [prediction.planned for prediction in never] == [None, None]


def test_nothing_starts_on_nodes_that_are_down_nor_in_partitions_that_are(site: Site) -> None:
    down = replace(site, conf=replace(site.conf, down=("a2",)))
    running = replace(JOB, state=RUNNING, elapsed=1800, node_list="a2")  # it is drained
    one, two = replace(JOB, job_id="2"), replace(JOB, job_id="3", cpus=8, nodes=2)
    found = {p.job.job_id: p for p in predict(down, [running, one, two], replays=0).waiting}
    assert found["2"].planned == pytest.approx(0, abs=35)
    assert found["3"].planned is None
    assert found["3"].why.startswith("it fits on no nodes of its partition that are up")


@pytest.mark.parametrize("state", ["DOWN", "INACTIVE"])
def test_the_state_of_a_partition_is_told_with_and_without_slurm_s_reason(site: Site, state: str) -> None:
    (batch,) = site.conf.partitions
    shut = replace(batch, keys={**batch.keys, "state": state})
    there = replace(site, conf=replace(site.conf, partitions=(shut,)))
    told = f"partition batch is {state.lower()}"
    for reason, said in (("", told), (f"Partition{state.title()}", told), ("Priority", told)):
        (never,) = predict(there, [replace(JOB, job_id="2", reason=reason)], replays=0).waiting
        assert (never.planned, never.expected) == (None, None)
        assert never.why.startswith(said), reason


@pytest.mark.parametrize(("user", "reached"), [("ben", True), ("ann", False)])
def test_limits_of_a_cycle_count_each_user_alone(site: Site, user: str, reached: bool) -> None:
    """The long job has a free node, planned for the first job: unless the cycle does not reach it."""
    options = {**site.conf.options, "schedulerparameters": "bf_interval=30,bf_max_job_user=1"}
    running = replace(JOB, state=RUNNING, elapsed=1800, node_list="a1")
    first = replace(JOB, job_id="2", cpus=8, nodes=2, priority=20.0)
    long = replace(JOB, job_id="3", user=user, limit=36_000, priority=5.0)
    limited = replace(site, conf=replace(site.conf, options=options))
    found = {p.job.job_id: p for p in predict(limited, [running, first, long], replays=0).waiting}
    assert ("planned for job 2 of ann" in found["3"].why) == reached
    assert ("bf_max_job_user" in found["3"].why) != reached


def test_a_job_of_several_partitions_starts_in_any_that_takes_it(tmp_path: Path) -> None:
    """Partition `short` has a free node, for an hour; in `long` two nodes are taken for half an hour yet."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "NodeName=a1 CPUs=4\nNodeName=b[1-2] CPUs=4\nSchedulerParameters=bf_interval=30\n"
        "PartitionName=short Nodes=a1 MaxTime=60\nPartitionName=long Nodes=b[1-2]\n"
    )
    site = read_site_at(conf)
    running = [
        replace(JOB, job_id=name, partition="long", state=RUNNING, elapsed=1800, node_list=name)
        for name in ("b1", "b2")
    ]

    def planned(**asked: Any) -> int | None:
        return predict(site, [*running, replace(JOB, **asked)], replays=0).waiting[0].planned

    for both in ("short,long", "long,short"):
        assert planned(partition=both) == pytest.approx(0, abs=35)
        assert planned(partition=both, limit=7200) == pytest.approx(1800, abs=35)  # too long for `short`
        assert planned(partition=both, nodes=2, cpus=8) == pytest.approx(1800, abs=35)  # on nodes of `long`
        assert planned(partition=both, nodes=3, cpus=12) is None  # of both there would be three
    assert planned(partition="") == pytest.approx(0, abs=35)  # no partition is the default one: on any nodes
    conf.write_text(conf.read_text().replace("Nodes=b[1-2]", "Nodes=b[1-2] Default=YES"))
    site = read_site_at(conf)
    assert planned(partition="") == pytest.approx(1800, abs=35)
    assert planned(partition="", nodes=3, cpus=12) is None
    assert planned(partition="short") == pytest.approx(0, abs=35)
    assert planned(partition="short", limit=7200) is None


def test_a_job_that_is_too_wide_for_its_partition_never_starts(site: Site) -> None:
    """Of a job by CPUs, Slurm prints on how many nodes these are at least; or it says so itself."""
    wide = replace(JOB, nodes=3, spread=True)
    said = replace(JOB, job_id="2", reason="PartitionTimeLimit")
    first, second = predict(site, [wide, said], replays=0).waiting
    assert first.planned is None
    assert "the job asks for 3 of them" in first.why
    assert (second.planned, second.why) == (None, "it asks for more time than its partition gives")


def test_a_job_without_a_limit_has_that_of_its_partition(site: Site) -> None:
    (batch,) = site.conf.partitions
    short = replace(batch, keys={**batch.keys, "maxtime": "01:00:00"})
    bounded = replace(site, conf=replace(site.conf, partitions=(short,)))
    running = [
        replace(JOB, job_id=name, state=RUNNING, elapsed=1800, limit=None, node_list=name)
        for name in ("a1", "a2")
    ]
    (found,) = predict(bounded, [*running, JOB], replays=0).waiting
    assert found.planned == pytest.approx(1800, abs=35)


def test_jobs_that_come_are_started_in_their_turn_and_not_reported(site: Site) -> None:
    """Both nodes run for half an hour yet. Who comes with a higher priority goes first, for an hour."""
    running = [
        replace(JOB, job_id=name, state=RUNNING, elapsed=1800, node_list=name) for name in ("a1", "a2")
    ]
    waiting, urgent = replace(JOB, cpus=8, nodes=2), replace(JOB, job_id="2", user="eve", cpus=8, nodes=2)
    queue = [*running, waiting, replace(urgent, priority=90.0)]
    whole = Past(UsedParts(np.array([1.0]), {}))

    def expected(coming: Coming | None, jobs: list[QueuedJob]) -> int:
        past = whole if coming is None else whole._replace(coming=(coming,))
        found = predict(site, jobs, replays=1, past=past)
        (prediction,) = (each for each in found.waiting if each.job.job_id == "1")
        assert {each.job.job_id for each in found.waiting} <= {"1", "2"}
        assert found.weeks == (0 if coming is None else 1)
        assert prediction.expected is not None
        return prediction.expected

    eve, ann = replace(urgent, job_id="9", user="eve"), replace(JOB, job_id="9", cpus=8, nodes=2)
    soon, hour = np.array([600]), np.array([3600])
    alone = expected(None, queue)
    assert alone == pytest.approx(1800 + 3600, abs=65)  # behind the urgent job
    assert expected(Coming((eve,), soon, hour), queue) == pytest.approx(alone + 3600, abs=65)
    # Of ann's jobs the one that waits goes first; in a day nothing waits any more.
    assert expected(Coming((ann,), soon, hour), queue) == pytest.approx(alone, abs=65)
    assert expected(Coming((eve,), np.array([90_000]), hour), queue) == pytest.approx(alone, abs=65)


def test_jobs_that_come_are_younger_than_those_that_wait(site: Site, tmp_path: Path) -> None:
    """A job that comes in an hour has the age by then that a job submitted now has at once."""
    conf = tmp_path / "aged" / "slurm.conf"
    conf.parent.mkdir()
    ages = "PriorityType=priority/multifactor\nPriorityWeightAge=2400\nPriorityMaxAge=1-0\n"
    conf.write_text(ages + site.conf.path.read_text())
    aged = read_site_at(conf)
    coming = Coming((replace(JOB, user="eve"),), np.array([3600]), np.array([60]))
    (found,) = _with_priorities(aged, [replace(JOB, priority=500.0)], coming).jobs
    assert found.priority == pytest.approx(500.0 - 100.0)
    unknown = _with_priorities(aged, [replace(JOB, priority=None)], coming)
    assert unknown is coming


def test_an_idle_machine_starts_a_job_at_once_and_nothing_waits_on_an_empty_queue(site: Site) -> None:
    (found,) = predict(site, [JOB], replays=3).waiting
    assert found.planned is not None
    assert found.planned <= 31
    assert predict(site, [], replays=3).waiting == ()


def test_without_replays_there_is_the_plan_and_those_that_time_allows_are_counted(site: Site) -> None:
    running = replace(JOB, job_id="2", state=RUNNING, cpus=8, nodes=2, elapsed=1800, node_list="a[1-2]")
    forecast = predict(site, [running, JOB], replays=0)
    (found,) = forecast.waiting
    assert forecast.replays == 0
    assert found.planned == pytest.approx(1800, abs=35)
    assert (found.expected, found.early, found.late) == (None, None, None)
    cut = predict(site, [running, JOB], replays=2000, enough=within(0.0))
    assert cut.replays < 2000
    received: list[int] = []
    predict(site, [running, JOB], replays=5, enough=lambda done: bool(received.append(done)))
    assert all(0 <= done < 5 for done in received)  # nobody is asked when all are done
    assert cut.waiting[0].planned == found.planned


def test_a_job_that_is_asked_for_has_the_priority_of_its_user() -> None:
    others = [replace(JOB, priority=7.0), replace(JOB, user="bob", priority=3.0)]
    assert asked_job(others, replace(JOB, priority=None)).priority == 7.0
    assert asked_job(others, replace(JOB, user="eve", priority=None)).priority == 5.0
    assert asked_job([], replace(JOB, priority=None)).priority is None


def test_coarse_replays_of_a_deep_queue_come_to_what_is_planned_where_jobs_run_to_their_limits(
    site: Site,
) -> None:
    """Four wide jobs in five hold both nodes; narrow ones fill what is left."""
    queue = [
        replace(JOB, job_id=str(k), cpus=8 if k % 5 else 1, nodes=2 if k % 5 else 1, priority=float(k))
        for k in range(MANY + 20)
    ]
    forecast = predict(site, queue, replays=2, past=Past(UsedParts(np.array([1.0]), {})))
    assert forecast.coarse
    assert len(forecast.waiting) == len(queue)
    first = {prediction.job.job_id: prediction.planned for prediction in first_forecast(site, queue).waiting}
    for prediction in forecast.waiting:
        assert prediction.planned is not None
        assert prediction.expected == pytest.approx(prediction.planned, rel=0.05, abs=600)
        assert first[prediction.job.job_id] == pytest.approx(prediction.planned, rel=0.05, abs=600)
    assert not predict(site, queue[:MANY], replays=1).coarse


RESERVATION = """ReservationName=maint StartTime=2026-03-01T12:10:00 EndTime=2026-03-01T13:00:00
   Nodes=a[1-2] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) Flags=SPEC_NODES
"""


def test_reservations_keep_other_jobs_away_and_let_their_own_in(tmp_path: Path, site: Site) -> None:
    """At 12:00 both nodes are free, but for an hour from 12:10 only jobs of the reservation may use them."""
    (tmp_path / "resv.txt").write_text(RESERVATION)
    jobs = [
        JOB,
        replace(JOB, job_id="2", limit=300),
        replace(JOB, job_id="3", limit=600, reservation="maint"),
    ]
    unread = read_site_at(tmp_path)  # without a clock nobody knows when that is
    assert max(prediction.planned or 0 for prediction in predict(unread, jobs, replays=0).waiting) <= 331
    clock = clock_of(QueueState((), 1_772_366_400, ()), "Etc/UTC")  # noon of that day
    assert clock == 1_772_366_400
    found = predict(replace(unread, clock=clock), jobs, replays=2).waiting
    long, short, own = (next(match for match in found if match.job.job_id == name) for name in "123")
    assert long.planned is not None
    assert long.planned >= 3600
    assert short.planned is not None
    assert short.planned <= 31
    assert own.planned is not None
    assert 600 <= own.planned <= 700
    assert own.expected is not None
    assert own.expected >= 600


def test_limits_of_a_quality_of_service_and_its_preemption_count_in_the_queue(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(
        "NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=a[1-2]\nSchedulerParameters=bf_interval=30\n"
        "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nAccountingStorageEnforce=safe\n"
    )
    (tmp_path / "qos.txt").write_text(
        "Name|Priority|GraceTime|Preempt|PreemptMode|Flags|MaxJobsPU\n"
        "free|0|00:00:00||requeue||\nurgent|10|00:00:00|free|cluster||1\n"
    )
    site = read_site_at(tmp_path)
    taken = [
        replace(JOB, job_id=name, state=RUNNING, elapsed=600, node_list=name, qos="free")
        for name in ("a1", "a2")
    ]
    urgent = [replace(JOB, job_id=name, qos="urgent", priority=50.0) for name in ("5", "6")]
    other = replace(JOB, job_id="7", qos="free")
    found = {
        prediction.job.job_id: prediction.planned
        for prediction in predict(site, [*taken, *urgent, other], replays=0).waiting
    }
    first, second = sorted(found[name] or 0 for name in "56")
    assert first <= 65  # a running job ends for it
    assert second >= 3600  # its user has one running already
    assert (found["7"] or 0) >= 3000  # nobody ends for it
