from dataclasses import replace
from types import SimpleNamespace
from typing import cast

from app.model.chart_data import ChartData
from app.model.run_edits import RecentSchedules
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.study import Run

RUNS = [Run(number, parse_policy("easy"), Cluster.pool(8)) for number in range(4)]


def drawn(jobs: int, fair: bool = False) -> ChartData:
    """Stands for what is drawn of so many jobs."""
    schedule = SimpleNamespace(start=range(jobs), fair_start=range(jobs) if fair else None)
    return cast("ChartData", SimpleNamespace(schedule=schedule))


def test_the_oldest_schedules_go_where_there_are_too_many_jobs() -> None:
    kept, charts = RecentSchedules(most_jobs=25), [drawn(10) for _ in RUNS]
    for run, chart in zip(RUNS, charts, strict=True):
        kept.keep(run, chart)
    found = [kept.take(run, fair_starts=False) for run in RUNS]
    assert found == [None, None, *charts[2:]]


def test_a_schedule_that_is_too_large_is_not_kept() -> None:
    kept = RecentSchedules(most_jobs=25)
    kept.keep(RUNS[0], drawn(26))
    assert kept.take(RUNS[0], fair_starts=False) is None


def test_a_schedule_is_taken_once_and_under_its_policy_alone() -> None:
    kept, schedule = RecentSchedules(), drawn(10)
    kept.keep(RUNS[0], schedule)
    assert kept.take(replace(RUNS[0], policy=parse_policy("fcfs")), fair_starts=False) is None
    assert kept.take(RUNS[0], fair_starts=False) is schedule
    assert kept.take(RUNS[0], fair_starts=False) is None


def test_fair_starts_that_are_lacking_are_worked_out_anew() -> None:
    kept, schedule = RecentSchedules(), drawn(10, fair=True)
    kept.keep(RUNS[0], drawn(10))
    assert kept.take(RUNS[0], fair_starts=True) is None
    kept.keep(RUNS[0], schedule)
    assert kept.take(RUNS[0], fair_starts=True) is schedule
