"""Tasks of arrays and parts of heterogeneous jobs, as Slurm and PBS print them."""

import json

import pytest

from engine.logs.queue.parts import MOST_TASKS
from engine.logs.queue.state import HELD, MOST_JOBS, RUNNING, WAITING, QueueState
from engine.words import plural
from tests.engine.logs.queue.prints import one_queue

TABLE = """\
             JOBID PARTITION  USER ST       TIME  TIME_LIMIT CPUS NODES NODELIST(REASON)
      100_[1-3%5]     batch   ann PD       0:00     1:00:00    4     1 (JobArrayTaskLimit)
  101_[1,5,7-11:2]    batch   ann PD       0:00     1:00:00    4     1 (Priority)
     102_[1-90%2]     batch   ann PD       0:00     1:00:00    4     1 (JobHeldUser)
            100_0     batch   ann  R      10:00     1:00:00    4     1 n1
            200+0     batch   bob PD       0:00     1:00:00    4     1 (Resources)
            200+1     batch   bob PD       0:00     1:00:00    4     1 (Resources)
              300     batch   bob CF       0:05     1:00:00    4     1 n2
              301     batch   bob  S       9:00     1:00:00    4     1 n2
              302     batch   bob RH       0:00     1:00:00    4     1 (JobHoldMaxRequeue)
"""


def _parts(state: QueueState) -> list[tuple[str, str, str, int, str]]:
    return [(job.job_id, job.state, job.array, job.at_once, job.together) for job in state.jobs]


def test_a_line_of_an_array_is_a_job_for_each_of_its_tasks() -> None:
    tasks = [("100_1", "100", 5), ("100_2", "100", 5), ("100_3", "100", 5)]
    tasks += [(f"101_{task}", "101", 0) for task in (1, 5, 7, 9, 11)]
    assert _parts(one_queue(TABLE)) == [
        *((job, WAITING, array, at_once, "") for job, array, at_once in tasks),
        ("102_[1-90%2]", HELD, "102", 2, ""),  # what is held is not planned
        ("100_0", RUNNING, "100", 5, ""),
        ("200+0", WAITING, "", 0, "200"),
        ("200+1", WAITING, "", 0, "200"),
        ("300", RUNNING, "", 0, ""),
        ("302", HELD, "", 0, ""),
    ]


def test_json_and_scontrol_print_the_same_jobs_as_squeue() -> None:
    rows = [
        {"job_id": 35, "array_job_id": 30, "array_task_id": 2, "job_state": ["RUNNING"]},
        {"job_id": 30, "array_job_id": 30, "array_task_string": "3-4", "array_max_tasks": 2},
        {"job_id": 41, "het_job_id": 40, "het_job_offset": 1},
        {"job_id": 50, "array_job_id": 0, "het_job_id": 0, "array_task_string": ""},
    ]
    wrapped = [
        {key: {"set": True, "number": value} if isinstance(value, int) and key != "job_id" else value
         for key, value in {"job_state": ["PENDING"], **row}.items()}
        for row in rows
    ]  # fmt: skip
    printed = """\
JobId=35 ArrayJobId=30 ArrayTaskId=2 ArrayTaskThrottle=2 JobState=RUNNING RunTime=00:10:00
JobId=30 ArrayJobId=30 ArrayTaskId=3-4 ArrayTaskThrottle=2 JobState=PENDING
JobId=41 HetJobId=40 HetJobOffset=1 JobState=PENDING
JobId=50 JobState=PENDING
"""
    expected = [
        ("30_2", RUNNING, "30", 2, ""),
        ("30_3", WAITING, "30", 2, ""),
        ("30_4", WAITING, "30", 2, ""),
        ("40+1", WAITING, "", 0, "40"),
        ("50", WAITING, "", 0, ""),
    ]
    plain = [{"job_state": "PENDING", **row} for row in rows]
    for text in (json.dumps({"jobs": wrapped}), json.dumps({"jobs": plain}), printed):
        assert _parts(one_queue(text)) == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("job_state = B\n    array_indices_remaining = 4-8:2\n    max_run_subjobs = 3", ["4", "6", "8"]),
        ("job_state = B\n    array_indices_remaining = -", []),
        ("job_state = Q\n    job_array_request = 0-1", ["0", "1"]),  # of TORQUE
    ],
)
def test_arrays_of_qstat(attributes: str, expected: list[str]) -> None:
    text = f"Job Id: 77[].pbs\n    {attributes}\n\nJob Id: 77[2].pbs\n    job_state = R\n"
    *tasks, running = one_queue(text).jobs
    assert [job.job_id for job in tasks] == [f"77[{task}]" for task in expected]
    assert all(job.state == WAITING and job.array == "77" for job in tasks)
    assert (running.job_id, running.state, running.array) == ("77[2]", RUNNING, "77")


@pytest.mark.parametrize("tasks", ["1-999999999", "1-3,5,...", f"0-{MOST_TASKS}"])
def test_what_is_left_out_of_an_array_is_said(tasks: str) -> None:
    text = TABLE.replace("100_[1-3%5]", f"100_[{tasks}%5]")
    state = one_queue(text)
    many = sum(job.array == "100" and job.state == WAITING for job in state.jobs)
    assert 0 < many <= MOST_TASKS
    assert state.notes == (f"array 100: only its first {plural(many, 'waiting task')} are taken",)


def test_arrays_do_not_make_a_queue_larger_than_any() -> None:
    head = TABLE.partition("\n")[0]
    lines = [f"{k}_[0-4999] batch ann PD 0:00 1:00:00 4 1 (Priority)" for k in range(60)]
    assert len(one_queue("\n".join([head, *lines])).jobs) == MOST_JOBS
