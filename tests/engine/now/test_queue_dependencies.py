"""Dependencies and begin times in the plan of a queue, by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.logs.queue.state import HELD, RUNNING, WAITING, QueuedJob
from engine.now.prediction import Prediction, predict
from engine.now.queue_dependencies import dependencies_of
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from engine.trace.dependencies import NOBODY
from tests.engine.logs.queue.prints import one_queue

JOB = QueuedJob("1", "ann", "", "batch", WAITING, "Priority", 0, 0, 3600, 4, 1, 0, 0, False, "", "", 10.0)
RUNS = replace(JOB, job_id="1", state=RUNNING, elapsed=1800, node_list="a1")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Three nodes of 4 CPUs."""
    (tmp_path / "slurm.conf").write_text(
        "NodeName=a[1-3] CPUs=4\nPartitionName=batch Nodes=a[1-3]\nSchedulerParameters=bf_interval=30\n"
    )
    return read_site_at(tmp_path)


def _planned(site: Site, *jobs: QueuedJob) -> dict[str, Prediction]:
    return {each.job.job_id: each for each in predict(site, jobs, replays=5).waiting}


def test_a_job_starts_after_the_one_that_it_depends_on(site: Site) -> None:
    """A chain behind a running job: there is room for all of them at once."""
    second = replace(JOB, job_id="2", dependency="afterok:1(unfulfilled)", reason="Dependency")
    third = replace(second, job_id="3", dependency="afterany:2(unfulfilled)")
    found = _planned(site, third, RUNS, second)
    assert found["2"].planned == pytest.approx(1800, abs=90)
    assert found["3"].planned == pytest.approx(1800 + 3600, abs=180)
    assert found["3"].expected is not None
    assert found["3"].expected < 1800 + 3600
    assert (found["2"].why, found["3"].why) == ("it waits for job 1 to end", "it waits for job 2 to end")


def test_a_begin_time_is_a_lower_bound(site: Site) -> None:
    found = _planned(site, replace(JOB, job_id="2", begin=500, reason="BeginTime"), replace(JOB, job_id="3"))
    assert found["3"].planned == 0
    assert found["2"].planned == pytest.approx(500, abs=90)
    assert found["2"].planned is not None
    assert found["2"].planned >= 500
    assert found["2"].early is not None
    assert found["2"].early >= 500


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("afterok:9(unfulfilled)", "it waits for job 9, which is held"),
        ("afterok:77", "it waits for job 77, which is not in the print"),
        ("afternotok:1", "it waits for afternotok:1, which no plan can tell"),
        ("singleton", "it waits for jobs of the same name, and the print has no names"),
        ("afterok:4(unfulfilled)", "it waits for job 4 to end, and that has no planned start"),
    ],
)
def test_a_job_whose_dependency_no_plan_ends_gets_no_start(site: Site, text: str, why: str) -> None:
    held, huge = replace(JOB, job_id="9", state=HELD), replace(JOB, job_id="4", cpus=99)
    (found,) = [_planned(site, RUNS, held, huge, replace(JOB, job_id="2", dependency=text))["2"]]
    assert (found.planned, found.expected, found.why) == (None, None, why)


def test_which_of_several_jobs_is_waited_for() -> None:
    """The one that is likely to end last; where one is enough, the first. Names make singletons a chain."""
    tasks = [replace(JOB, job_id=f"5_{k}", array="5", priority=20.0 - k) for k in (1, 2)]
    long = replace(RUNS, job_id="6", limit=90_000)
    same = [replace(JOB, job_id=f"{k}", name="n", dependency="singleton", waited=90 - k) for k in (20, 21)]
    others = ("afterok:1:6", "afterok:6?afterany:1", "afterany:5_*", "afterok:1,afterok:5_2", "aftercorr:5")
    asked = [replace(JOB, job_id="7_1", array="7", dependency=text) for text in others]
    jobs = [RUNS, long, *tasks, *same, *asked]
    found = dependencies_of(jobs)
    ends = [NOBODY if found[k].job == NOBODY else jobs[found[k].job].job_id for k in sorted(found)]
    assert ends == [NOBODY, "20", "6", "1", "5_2", "5_2", "5_1"]


def test_dependencies_and_begins_are_read() -> None:
    head = "JOBID|PARTITION|USER|NAME|STATE|TIME|TIME_LIMIT|CPUS|NODES|REASON|START_TIME|DEPENDENCY\n"
    row = "{}|batch|ann|a|{}|{}|30:00|4|1|{}|2026-11-29T{}|{}\n"
    text = head + row.format(1, "RUNNING", "10:00", "None", "09:50:00", "(null)")
    text += row.format(2, "PENDING", "0:00", "BeginTime", "11:00:00", "")
    text += row.format(3, "PENDING", "0:00", "Dependency", "12:00:00", "afterok:1(unfulfilled)")
    text += row.format(4, "PENDING", "0:00", "Dependency", "12:00:00", "(null)")
    text += row.format(5, "PENDING", "0:00", "DependencyNeverSatisfied", "12:00:00", "afterok:0(failed)")
    text += row.format(6, "PENDING", "0:00", "Priority", "12:00:00", "")
    jobs = one_queue(text).jobs[1:]
    assert [(job.state, job.begin, job.dependency) for job in jobs] == [
        (WAITING, 3600, ""),
        (WAITING, 0, "afterok:1(unfulfilled)"),
        (HELD, 0, ""),
        (HELD, 0, "afterok:0(failed)"),
        (WAITING, 0, ""),
    ]
    assert jobs[0].name == "a"
